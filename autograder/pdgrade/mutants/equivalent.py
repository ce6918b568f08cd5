"""Mutants that nobody can tell from the solution, each with the reason.

A key is (TODO, the mutant's change). An entry that no longer matches an unnoticed mutant is an
error, so the list cannot outlive the solution it describes.
"""

# ruff: noqa: E501  a change is named on one line

from __future__ import annotations

from typing import Final

EQUIVALENT: Final[dict[tuple[int, str], str]] = {
    (
        1,
        "…code_threshold = long_prompt_threshold // 8 → …code_threshold = long_prompt_threshold / 8",
    ): "token counts are integers: n > t / 8 exactly when n > t // 8",
    (
        1,
        "…g_prompt = request.get('prompt_tokens', 0) > long_prompt_threshold → …g_prompt = request.get('prompt_tokens', -1) > long_prompt_threshold",
    ): "a threshold is never negative, so a missing count of -1 is as short as one of 0",
    (
        1,
        "…g_decode = request.get('decode_tokens', 0) > long_decode_threshold → …g_decode = request.get('decode_tokens', -1) > long_decode_threshold",
    ): "a threshold is never negative, so a missing count of -1 is as short as one of 0",
    (
        2,
        "if chunk_size <= 0: → if chunk_size < 0:",
    ): "range() itself refuses a step of 0 with ValueError",
    (
        2,
        "if chunk_size <= 0: → if chunk_size <= -1:",
    ): "range() itself refuses a step of 0 with ValueError",
    (
        2,
        "return [list(suffix_tokens[start:start + chunk_size]) for start in starts] → return [list(suffix_tokens[start:chunk_size + start]) for start in starts]",
    ): "a sum does not depend on the order of its terms",
    (
        3,
        "if len(set(decode_request_ids)) < len(decode_request_ids): → if len(set(decode_request_ids)) != len(decode_request_ids):",
    ): "a set is never larger than its list",
    (
        3,
        "…ecode_first': [('decode', everything), ('prefill', everything)], 'prefill_first': [('prefill', everyt… → …ecode_first': [('decode', everything), (everything, 'prefill')], 'prefill_first': [('prefill', everyt…",
    ): "whatever is not 'decode' is the prefill stage, and prefill reads no limit",
    (
        3,
        "…fill', everything)], 'prefill_first': [('prefill', everything), ('decode', everything)], 'balanced': … → …fill', everything)], 'prefill_first': [(everything, 'prefill'), ('decode', everything)], 'balanced': …",
    ): "whatever is not 'decode' is the prefill stage, and prefill reads no limit",
    (
        3,
        "…': [('decode', decode_reserve_tokens), ('prefill', everything), ('decode', everything)]} → …': [('decode', decode_reserve_tokens), (everything, 'prefill'), ('decode', everything)]}",
    ): "whatever is not 'decode' is the prefill stage, and prefill reads no limit",
    (
        3,
        "count = min(len(waiting), stage_limit, remaining) → count = min(stage_limit, len(waiting), remaining)",
    ): "a minimum does not depend on the order of its arguments",
    (
        3,
        "count = min(len(waiting), stage_limit, remaining) → count = min(len(waiting), remaining, stage_limit)",
    ): "a minimum does not depend on the order of its arguments",
    (
        3,
        "tokens = min(length, max_prefill_chunk_tokens, remaining) → tokens = min(max_prefill_chunk_tokens, length, remaining)",
    ): "a minimum does not depend on the order of its arguments",
    (
        3,
        "tokens = min(length, max_prefill_chunk_tokens, remaining) → tokens = min(length, remaining, max_prefill_chunk_tokens)",
    ): "a minimum does not depend on the order of its arguments",
    (
        3,
        "if tokens > 0: → if tokens != 0:",
    ): "a minimum of numbers that are not negative is never negative",
    (
        3,
        "…rst': [('decode', everything), ('prefill', everything)], 'prefill_first': [('pre… → …rst': [('decode', everything), ('prefill_', everything)], 'prefill_first': [('pre…",
    ): "whatever is not 'decode' is the prefill stage",
    (
        3,
        "…verything)], 'prefill_first': [('prefill', everything), ('decode', everything)],… → …verything)], 'prefill_first': [('prefill_', everything), ('decode', everything)],…",
    ): "whatever is not 'decode' is the prefill stage",
    (
        3,
        "…code', decode_reserve_tokens), ('prefill', everything), ('decode', everything)]} → …code', decode_reserve_tokens), ('prefill_', everything), ('decode', everything)]}",
    ): "whatever is not 'decode' is the prefill stage",
    (
        4,
        "shape = (request.get('prompt_tokens', 0) > long_prompt_threshold, request.get('… → shape = (request.get('prompt_tokens', -1) > long_prompt_threshold, request.get('…",
    ): "a threshold is never negative, so a missing count of -1 is as short as one of 0",
    (
        4,
        "…threshold, request.get('decode_tokens', 0) > long_decode_threshold) → …threshold, request.get('decode_tokens', -1) > long_decode_threshold)",
    ): "a threshold is never negative, so a missing count of -1 is as short as one of 0",
    (
        5,
        "conditions = (throughput_gain > 0, latency_delta_ms <= 0, handoff_ms <= max_handoff_ms) → conditions = (latency_delta_ms <= 0, throughput_gain > 0, handoff_ms <= max_handoff_ms)",
    ): "all() does not depend on the order of the conditions",
    (
        5,
        "conditions = (throughput_gain > 0, latency_delta_ms <= 0, handoff_ms <= max_handoff_ms) → conditions = (throughput_gain > 0, handoff_ms <= max_handoff_ms, latency_delta_ms <= 0)",
    ): "all() does not depend on the order of the conditions",
}
