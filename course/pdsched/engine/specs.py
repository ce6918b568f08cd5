"""Which planner an experiment uses, as plain data that travels to another process."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from pdsched.engine.loop import Planner, from_plan_function, in_admission_order

UNLIMITED_TOKENS = 1 << 20


@dataclass(frozen=True)
class PlannerSpec:
    """How iterations are planned.

    Attributes:
        kind: ``admission_order`` (built in) or ``learner`` (their ``plan_iteration_budget``).
        max_num_batched_tokens: budget of one iteration.
        max_prefill_chunk_tokens: largest piece of one prompt.
        policy: passed to the learner's function.
        decode_reserve_tokens: passed to the learner's function.
        notebook_folder: where the learner's notebooks lie.

    Raises:
        ValueError: an unknown kind.
    """

    kind: str = "admission_order"
    max_num_batched_tokens: int = UNLIMITED_TOKENS
    max_prefill_chunk_tokens: int = UNLIMITED_TOKENS
    policy: str = "decode_first"
    decode_reserve_tokens: int = 1
    notebook_folder: str = ""

    def __post_init__(self) -> None:
        if self.kind not in {"admission_order", "learner"}:
            raise ValueError(f"kind must be admission_order or learner, got {self.kind!r}")

    def planner(self) -> Planner:
        """Build the planner in the process that will use it."""
        budget, chunk = self.max_num_batched_tokens, self.max_prefill_chunk_tokens
        if self.kind == "admission_order":
            return in_admission_order(budget, chunk)
        from pdsched.learner import load

        functions = load(self.notebook_folder or None)
        return from_plan_function(
            functions["plan_iteration_budget"],
            budget,
            chunk,
            policy=self.policy,
            decode_reserve_tokens=self.decode_reserve_tokens,
        )


def chunked(
    chunk_tokens: int, *, num_decodes: int = 64, like: PlannerSpec | None = None
) -> PlannerSpec:
    """A spec whose iterations hold one chunk plus up to ``num_decodes`` decodes."""
    base = asdict(like or PlannerSpec())
    base |= {
        "max_num_batched_tokens": chunk_tokens + num_decodes,
        "max_prefill_chunk_tokens": chunk_tokens,
    }
    return PlannerSpec(**base)
