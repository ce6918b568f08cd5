"""The five functions of the course: their numbers, names, notebooks and test cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Contract:
    """One TODO.

    Attributes:
        todo: its number, 1 to 5.
        function: the name the learner defines.
        notebook: the notebook's name without ``.ipynb``.
        parameters: the parameters' names, in order.
    """

    todo: int
    function: str
    notebook: str
    parameters: tuple[str, ...]

    @property
    def grade_id(self) -> str:
        """Nbgrader's id of the solution cell."""
        return f"todo{self.todo}_{self.function}"


STEP1: Final = "step1_request_pressure"
STEP2: Final = "step2_chunked_prefill"
STEP3: Final = "step3_pd_pools"
STEP4: Final = "step4_ledger_decision"
ASSIGNMENT: Final = "prefill-decode-scheduling"

CONTRACTS: Final = (
    Contract(1, "summarize_request_mix", STEP1, ("requests", "long_prompt_threshold")),
    Contract(2, "build_chunked_prefill_plan", STEP2, ("suffix_tokens", "chunk_size")),
    Contract(
        3,
        "plan_iteration_budget",
        STEP2,
        (
            "prefill_suffixes",
            "decode_request_ids",
            "max_num_batched_tokens",
            "max_prefill_chunk_tokens",
            "policy",
            "decode_reserve_tokens",
        ),
    ),
    Contract(
        4, "plan_pd_split", STEP3, ("requests", "long_prompt_threshold", "long_decode_threshold")
    ),
    Contract(5, "evaluate_pd_decision", STEP4, ("baseline", "split_run", "max_handoff_ms")),
)


def contract(todo: int | str) -> Contract:
    """The contract of a TODO, by number or by function name.

    Raises:
        ValueError: there is no such TODO.
    """
    for each in CONTRACTS:
        if todo in (each.todo, each.function) and not isinstance(todo, bool):
            return each
    names = ", ".join(f"{each.todo} ({each.function})" for each in CONTRACTS)
    raise ValueError(f"todo must be one of {names}; got {todo!r}")


class FunctionUnavailable(RuntimeError):  # noqa: N818  names the state, as the verdict does
    """The learner's function cannot be called at all.

    Whoever stands in for the function (a proxy whose process died or ran out of time) raises this
    or a subclass of it; the check then says ``unavailable`` with this text.
    """
