"""Simulate one measured closed loop and read its steady state."""

from __future__ import annotations

from statistics import fmean

from pdsched.cost import RooflineCost, roofline
from pdsched.hardware import kv_capacity_tokens
from pdsched.simulator import simulate
from pdsched.validate.measured import MeasuredRun
from pdsched.workload import Request

MAX_NUM_BATCHED_TOKENS = 8192
MEASURED_ROUNDS = 2
KV_SHARE_OF_FREE = 0.9  # TensorRT-LLM's default share of the memory left by the weights


def simulate_run(run: MeasuredRun) -> tuple[float, float]:
    """Mean TPOT and TTFT in ms of the closed loop, by simulation.

    The first round has outputs of staggered length, so that the loop starts in the steady state
    in which requests finish one after another; it and the last round are not measured.
    """
    cost = roofline(
        run.model, run.gpu, tensor_parallel=run.tensor_parallel, precision=run.precision
    )
    timeline = simulate(
        _closed_loop(run),
        "vllm_v1",
        cost,
        max_num_batched_tokens=max(MAX_NUM_BATCHED_TOKENS, run.concurrency),
        max_num_seqs=_slots(run, cost),
        concurrency=run.concurrency,
        record_iterations=False,
    )
    measured = timeline.requests[run.concurrency : run.concurrency * (1 + MEASURED_ROUNDS)]
    tpot_ms = fmean(record.tpot_ms for record in measured if record.tpot_ms is not None)
    return tpot_ms, fmean(record.ttft_ms() for record in measured)


def _closed_loop(run: MeasuredRun) -> list[Request]:
    in_flight, full = run.concurrency, run.output_tokens
    staggered = [1 + round(full * (i + 0.5) / in_flight) for i in range(in_flight)]
    outputs = [min(full, tokens) for tokens in staggered]
    outputs += [full] * (in_flight * (MEASURED_ROUNDS + 1))
    return [
        Request(f"{number}", 0.0, run.prompt_tokens, tokens)
        for number, tokens in enumerate(outputs)
    ]


def _slots(run: MeasuredRun, cost: RooflineCost) -> int:
    """Requests served at once: one less than in flight, and no more than memory holds.

    The measured mean TTFT is prefill plus about one concurrency-th of the request's whole time:
    at any moment one request waits for the slot of the next one to finish.
    """
    width = 1 if run.precision == "fp8" else 2
    free = kv_capacity_tokens(
        cost.model,
        cost.gpu,
        tensor_parallel=run.tensor_parallel,
        bytes_per_element=width,
        memory_share=1.0,
    )
    fitting = int(KV_SHARE_OF_FREE * free) // (run.prompt_tokens + run.output_tokens)
    wanted = max(1, run.concurrency - 1)
    return min(wanted, fitting) if fitting else wanted
