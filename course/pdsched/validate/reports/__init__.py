"""Public reports as scenarios: the configuration as told, what was seen, what we simulate."""

from collections.abc import Callable
from typing import Final

from pdsched.validate.reports import budget, disaggregation, stalls
from pdsched.validate.reports.scenario import Scenario

SCENARIOS: Final[tuple[Callable[[], Scenario], ...]] = (
    budget.memory_for_kv_at_tp2,
    budget.smaller_budget_better_itl,
    budget.chunking_does_not_raise_offline_throughput,
    budget.a_130k_prompt_at_budget_512,
    budget.long_prefill_threshold,
    stalls.stranded_decodes_without_mixed_chunk,
    stalls.stall_is_the_prefill_time,
    disaggregation.one_to_one_for_uneven_work,
    disaggregation.link_is_the_bottleneck,
    disaggregation.long_prompts_lower_itl,
    disaggregation.short_prompts_prefer_data_parallel,
    disaggregation.stranded_prefill_blocks,
    disaggregation.first_gap_carries_the_handoff,
)

__all__ = ["SCENARIOS", "Scenario"]
