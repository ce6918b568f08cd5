"""An experiment as plain values: what a command line, a slider or a CSV row can say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pdsched import scheduler
from pdsched.cost import CostModel, roofline
from pdsched.hardware import GPUS, LINKS, MODELS, kv_bytes_per_token, kv_capacity_tokens
from pdsched.kvcache import KVCache
from pdsched.metrics import Slo, summarize
from pdsched.simulator import Cluster, HandoffLink, Timeline, simulate
from pdsched.workload import Request, workload

if TYPE_CHECKING:
    from pdsched.experiment.result import ExperimentResult

BLOCK_TOKENS: Final = 16
LEARNER: Final = "learner"
_PLAN_POLICIES: Final = ("decode_first", "prefill_first", "balanced")
_CHUNK_SETTING: Final = {
    "vllm_v1": "long_prefill_token_threshold",
    "decode_first": "max_prefill_chunk_tokens",
    "prefill_first": "max_prefill_chunk_tokens",
    "balanced": "max_prefill_chunk_tokens",
}


@dataclass(frozen=True, slots=True)
class Experiment:
    """Everything one simulation depends on, as values that compare, hash and travel.

    Attributes:
        workload: preset, public trace or file; see `pdsched.workload.workload`.
        num_requests: only so many; the workload's own number when None.
        rate_per_s: mean arrival rate; the workload's own when None.
        concurrency: closed loop with so many requests in flight; open loop when None.
        seed: of workload and simulation.
        model: model preset.
        hardware: GPU preset.
        tensor_parallel: GPUs per worker.
        precision: ``bf16`` or ``fp8``.
        policy: a built-in scheduler, or ``learner`` / ``learner:decode_first`` for the learner's
            own ``plan_iteration_budget``.
        max_num_batched_tokens: token budget of an iteration.
        chunk_tokens: largest prefill chunk of one request; the budget when None.
        max_num_seqs: requests a worker admits.
        shared_workers: workers that serve both phases.
        prefill_workers: workers of the prefill pool.
        decode_workers: workers of the decode pool.
        link: link preset between the pools.
        ttft_slo_ms: limit on TTFT for goodput.
        tpot_slo_ms: limit on TPOT for goodput.
        ttft_definition: ``prefill`` or ``decode``.

    Raises:
        ValueError: an unknown preset or an impossible combination.
    """

    workload: str = "chat"
    num_requests: int | None = None
    rate_per_s: float | None = None
    concurrency: int | None = None
    seed: int = 0
    model: str = "llama-3.1-8b"
    hardware: str = "h100"
    tensor_parallel: int = 1
    precision: str = "bf16"
    policy: str = "vllm_v1"
    max_num_batched_tokens: int = 8192
    chunk_tokens: int | None = None
    max_num_seqs: int = 256
    shared_workers: int = 1
    prefill_workers: int = 0
    decode_workers: int = 0
    link: str = "nvlink-h100"
    ttft_slo_ms: float | None = None
    tpot_slo_ms: float | None = None
    ttft_definition: str = "prefill"

    def __post_init__(self) -> None:
        presets = {"model": tuple(MODELS), "hardware": tuple(GPUS), "link": tuple(LINKS)}
        for name, names in presets.items():
            if getattr(self, name) not in names:
                raise ValueError(
                    f"unknown {name} {getattr(self, name)!r}; known: {', '.join(names)}"
                )
        if bool(self.prefill_workers) != bool(self.decode_workers):
            raise ValueError(
                "prefill and decode workers come together, got "
                f"{self.prefill_workers}:{self.decode_workers}"
            )
        workers = (self.shared_workers, self.prefill_workers, self.decode_workers)
        if min(workers) < 0 or not any(workers):
            raise ValueError(f"needs at least one worker and no negative count, got {workers}")
        base = self.policy.partition(":")[0]
        if base != LEARNER and self.policy not in scheduler.NAMES:
            known = ", ".join((*scheduler.NAMES, LEARNER))
            raise ValueError(f"unknown policy {self.policy!r}; known: {known}")
        plan_policy = self.policy.partition(":")[2]
        if base == LEARNER and plan_policy not in ("", *_PLAN_POLICIES):
            known = ", ".join(f"{LEARNER}:{name}" for name in _PLAN_POLICIES)
            raise ValueError(f"unknown policy {self.policy!r}; known: {LEARNER}, {known}")
        if self.chunk_tokens is not None and self.chunk_tokens < 1:
            raise ValueError(f"chunk_tokens must be at least 1, got {self.chunk_tokens}")
        if self.chunk_tokens is not None and base not in (*_CHUNK_SETTING, LEARNER):
            raise ValueError(f"{self.policy} has no chunk size beside its budget")
        Slo(self.ttft_slo_ms, self.tpot_slo_ms)

    @property
    def gpus(self) -> int:
        """GPUs of all workers together."""
        workers = self.shared_workers + self.prefill_workers + self.decode_workers
        return workers * self.tensor_parallel

    def cost(self) -> CostModel:
        """The roofline of model and hardware."""
        return roofline(
            self.model,
            self.hardware,
            tensor_parallel=self.tensor_parallel,
            precision=self.precision,
        )

    def kv_cache(self) -> KVCache:
        """The cache that fits beside the weights.

        Raises:
            ValueError: the weights do not fit.
        """
        tokens = kv_capacity_tokens(
            MODELS[self.model],
            GPUS[self.hardware],
            tensor_parallel=self.tensor_parallel,
            bytes_per_element=self._kv_width,
        )
        if tokens < BLOCK_TOKENS:
            raise ValueError(
                f"{self.model} in {self.precision} does not fit into the memory of "
                f"{self.tensor_parallel} x {self.hardware}; use more GPUs or fp8"
            )
        return KVCache(tokens // BLOCK_TOKENS, BLOCK_TOKENS)

    def cluster(self) -> Cluster:
        """Shared workers, or pools with the link between them."""
        if not self.prefill_workers:
            return Cluster.shared(self.shared_workers)
        preset = LINKS[self.link]
        link = HandoffLink(
            kv_bytes_per_token(MODELS[self.model], self._kv_width),
            preset.gb_per_s,
            preset.setup_ms,
        )
        return Cluster.pd(
            self.prefill_workers, self.decode_workers, link, shared=self.shared_workers
        )

    def scheduler(self) -> scheduler.Scheduler:
        """The policy, with its chunk size.

        Raises:
            ValueError: the learner's function is not there.
        """
        base, _, plan_policy = self.policy.partition(":")
        if base == LEARNER:
            return scheduler.from_plan_function(
                _learner_plan(),
                policy=plan_policy or "balanced",
                max_prefill_chunk_tokens=self.chunk_tokens,
                name=self.policy,
            )
        options = {} if self.chunk_tokens is None else {_CHUNK_SETTING[base]: self.chunk_tokens}
        return scheduler.make(self.policy, **options)

    def timeline(self, *, record_iterations: bool = True) -> Timeline:
        """Simulate it.

        Raises:
            ValueError: a setting is out of range, or a request can never be served.
            PlanError: the policy's plan breaks a rule.
        """
        return simulate(
            _requests(self.workload, self.num_requests, self.rate_per_s, self.seed),
            self.scheduler(),
            self.cost(),
            max_num_batched_tokens=self.max_num_batched_tokens,
            max_num_seqs=self.max_num_seqs,
            kv=self.kv_cache(),
            cluster=self.cluster(),
            concurrency=self.concurrency,
            seed=self.seed,
            record_iterations=record_iterations,
        )

    def run(self) -> ExperimentResult:
        """Simulate it and keep the metrics.

        Raises:
            ValueError: see `timeline`.
            PlanError: see `timeline`.
        """
        from pdsched.experiment.result import ExperimentResult

        timeline = self.timeline(record_iterations=False)
        return ExperimentResult(self, summarize(timeline, self.slo, self.ttft_definition))

    @property
    def slo(self) -> Slo:
        """The limits behind goodput."""
        return Slo(self.ttft_slo_ms, self.tpot_slo_ms)

    @property
    def _kv_width(self) -> int:
        return 1 if self.precision == "fp8" else 2


@lru_cache(maxsize=4)
def _requests(
    name: str, num_requests: int | None, rate_per_s: float | None, seed: int
) -> tuple[Request, ...]:
    """A sweep asks for the same workload again and again."""
    return workload(name, num_requests=num_requests, rate_per_s=rate_per_s, seed=seed)


def _learner_plan() -> Callable[..., object]:
    from pdsched import learner

    functions = learner.load()
    if isinstance(functions, learner.LearnerFunctions):
        found = {each.contract.function: each for each in functions.details()}
        plan = found["plan_iteration_budget"]
        if plan.state != "ready":
            raise ValueError(f"policy {LEARNER} needs plan_iteration_budget: {plan.reason}")
    try:
        return functions["plan_iteration_budget"]
    except KeyError:
        raise ValueError("the learner's plan_iteration_budget was not found") from None


def parse_slo(text: str) -> dict[str, float]:
    """``ttft=400,tpot=40`` (ms) as fields of an `Experiment`.

    >>> parse_slo("ttft=400,tpot=40")
    {'ttft_slo_ms': 400.0, 'tpot_slo_ms': 40.0}

    Raises:
        ValueError: anything else.
    """
    limits: dict[str, float] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, equals, value = part.partition("=")
        if name.strip() not in ("ttft", "tpot") or not equals:
            raise ValueError(f"an SLO looks like ttft=400,tpot=40 (ms), got {text!r}")
        if f"{name.strip()}_slo_ms" in limits:
            raise ValueError(f"{name.strip()} is given twice in the SLO {text!r}")
        try:
            limits[f"{name.strip()}_slo_ms"] = float(value)
        except ValueError:
            raise ValueError(f"{name.strip()} must be milliseconds, got {value!r}") from None
    return limits


def parse_pd(text: str) -> dict[str, int]:
    """``2:1`` or ``2:1:1`` (prefill:decode:shared workers) as fields of an `Experiment`.

    >>> parse_pd("2:1")
    {'prefill_workers': 2, 'decode_workers': 1, 'shared_workers': 0}

    Raises:
        ValueError: anything else.
    """
    parts = text.split(":")
    if len(parts) not in (1, 2, 3) or not all(part.strip().isdecimal() for part in parts):
        raise ValueError(f"workers look like 4 (shared), 2:1 or 2:1:1, got {text!r}")
    numbers = [int(part) for part in parts]
    if len(numbers) == 1:
        return {"prefill_workers": 0, "decode_workers": 0, "shared_workers": numbers[0]}
    shared = numbers[2] if len(numbers) == 3 else 0
    return {
        "prefill_workers": numbers[0],
        "decode_workers": numbers[1],
        "shared_workers": shared,
    }
