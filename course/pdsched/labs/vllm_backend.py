"""vLLM on this CPU: the stall scenario of lab 6 in a real serving engine, in its own process.

Random weights, no download, no network: what is measured is scheduling and its price.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pdsched.messages.labs  # noqa: F401  registers the catalog
from pdsched.engine import report, threads, vllm_adapter
from pdsched.engine.interference import CoreShare
from pdsched.engine.specs import UNLIMITED_TOKENS, PlannerSpec
from pdsched.engine.stall import LONG, Scenario, StallRun
from pdsched.evidence import Evidence
from pdsched.messages import text

_MAX_TOKENS = 4_096
_PROBLEM_LINES = 12


def measure_stall(
    specs: Mapping[str, PlannerSpec], *, scenario: Scenario | None = None, repeats: int = 3
) -> Evidence:
    """Lab 6's scenario in vLLM; each plan in a process of its own.

    A spec of kind ``learner`` runs their function through ``scheduler_cls``; the others use
    vLLM's own scheduler with the same budget and chunk size.

    Raises:
        ModuleNotFoundError: vLLM is not installed.
        RuntimeError: it failed; carries its last lines.
    """
    if not vllm_adapter.available():
        raise ModuleNotFoundError(vllm_adapter.why_not())
    served = scenario or Scenario()
    answers = {}
    for name, spec in specs.items():
        options = {"spec": asdict(spec), "scenario": asdict(served), "repeats": repeats}
        answers[name] = _in_fresh_process(options)
    answer = {
        "runs": {name: each["run"] for name, each in answers.items()},
        "threads": "1",
        "core_share": min((each["core_share"] for each in answers.values()), default=1.0),
    }
    return report.stall_table(text("labs.vllm.table"), answer, seed=served.seed, repeats=repeats)


def _in_fresh_process(options: Mapping[str, Any]) -> dict[str, Any]:
    quiet = {
        "HF_HUB_OFFLINE": "1",
        "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
        "VLLM_LOGGING_LEVEL": "ERROR",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",  # GiB; by default it takes much of the machine's memory
    }
    run = subprocess.run(
        [sys.executable, "-m", "pdsched.labs.vllm_backend"],
        input=json.dumps(options),
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={**os.environ, **dict.fromkeys(threads.VARIABLES, "1"), **quiet},
    )
    if run.returncode:
        lines = [*run.stderr.splitlines()[-_PROBLEM_LINES:], f"exit status {run.returncode}"]
        problem = "\n".join(lines)
        raise RuntimeError(text("labs.vllm.failed", problem=problem))
    answer: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return answer


def serve_scenario(options: Mapping[str, Any]) -> dict[str, Any]:
    """In the fresh process: make the engine once, run the scenario ``repeats`` times."""
    spec, scenario = PlannerSpec(**options["spec"]), Scenario(**options["scenario"])
    with tempfile.TemporaryDirectory() as folder:
        engine = _engine(spec, folder)
        _once(engine, scenario, 0)  # warms up
        with CoreShare() as core:
            runs = [_once(engine, scenario, turn) for turn in range(1, options["repeats"] + 1)]
    middle = sorted(runs, key=lambda run: run.max_itl_ms)[len(runs) // 2]
    return {"run": asdict(middle), "core_share": core.value}


def _engine(spec: PlannerSpec, folder: str) -> Any:
    from vllm.engine.arg_utils import EngineArgs
    from vllm.v1.engine.llm_engine import LLMEngine

    whole = spec.max_prefill_chunk_tokens >= UNLIMITED_TOKENS
    more: dict[str, Any] = {}
    if spec.kind == "learner":
        from pdsched.learner import load

        function = load(spec.notebook_folder or None)["plan_iteration_budget"]
        chunk = None if whole else spec.max_prefill_chunk_tokens
        settings = vllm_adapter.PlanSettings(chunk, spec.policy, spec.decode_reserve_tokens)
        more["scheduler_cls"] = vllm_adapter.scheduler_class(function, settings)
    elif not whole:
        more["long_prefill_token_threshold"] = spec.max_prefill_chunk_tokens
    arguments = EngineArgs(
        model=_tiny_llama(folder),
        load_format="dummy",
        skip_tokenizer_init=True,
        dtype="bfloat16",
        max_model_len=_MAX_TOKENS,
        max_num_batched_tokens=_MAX_TOKENS if whole else spec.max_num_batched_tokens,
        max_num_seqs=32,
        enable_prefix_caching=False,
        async_scheduling=False,
        **more,
    )
    return LLMEngine.from_engine_args(arguments)


def _tiny_llama(folder: str) -> str:
    """A model description of the NumPy engine's size; vLLM draws the weights itself."""
    config = {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 256,
        "intermediate_size": 768,
        "num_hidden_layers": 4,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 32,
        "vocab_size": 512,
        "max_position_embeddings": _MAX_TOKENS,
        "torch_dtype": "bfloat16",
    }
    Path(folder, "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def _once(engine: Any, scenario: Scenario, turn: int) -> StallRun:
    from vllm import SamplingParams

    def add(name: str, length: int, output_tokens: int) -> None:
        sampling = SamplingParams(
            temperature=0, max_tokens=output_tokens, ignore_eos=True, detokenize=False
        )
        prompt = {"prompt_token_ids": [(7 * i + turn) % 500 + 3 for i in range(length)]}
        engine.add_request(f"{name}/{turn}", prompt, sampling)

    def step() -> tuple[float, set[str]]:
        outputs = engine.step()
        return time.perf_counter() * 1_000, {o.request_id.split("/")[0] for o in outputs}

    chats = [f"chat-{number}" for number in range(scenario.num_chats)]
    for name in chats:
        add(name, scenario.chat_context_tokens, 700)
    seen: list[tuple[float, set[str]]] = []
    while len([1 for _, names in seen if names >= set(chats)]) < scenario.settle_steps + 3:
        seen.append(step())
    settled = [at for at, _ in seen[-scenario.settle_steps :]]
    steps_ms = [later - sooner for sooner, later in pairwise(settled)]
    arrival_ms = time.perf_counter() * 1_000
    add(LONG, scenario.prompt_tokens, 3)
    window = [(settled[-1], set(chats))]
    tokens = 0
    while tokens < 3:
        window.append(step())
        tokens += LONG in window[-1][1]
    first_ms = next(at for at, names in window if LONG in names)
    engine.abort_request([f"{name}/{turn}" for name in chats])
    while engine.has_unfinished_requests():
        engine.step()
    waits = {name: _gaps(window, name) for name in chats}
    durations = [b[0] - a[0] for a, b in pairwise(window)]
    return StallRun(
        decode_step_ms=median(steps_ms),
        max_itl_ms=max(max(gaps) for gaps in waits.values()),
        ttft_ms=first_ms - arrival_ms,
        gaps_ms=tuple(waits[chats[0]]),
        steps=tuple((each, 0, 0) for each in durations),
        first_token=0,
    )


def _gaps(window: Sequence[tuple[float, set[str]]], name: str) -> list[float]:
    times = [at for at, names in window if name in names]
    return [later - sooner for sooner, later in pairwise(times)]


if __name__ == "__main__":
    print(json.dumps(serve_scenario(json.load(sys.stdin))))
