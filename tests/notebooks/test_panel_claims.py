"""What the notebooks say the panels show is what the panels show with the reference functions."""

import pytest

from pdsched.panels import SPECS

NOTEBOOK = {
    "request_mix": "step1_request_pressure",
    "chunk_boundaries": "step2_chunked_prefill",
    "iteration_timeline": "step2_chunked_prefill",
    "pd_pools": "step3_pd_pools",
}
CODE = {"workload": "code"}
LOWEST = {"long_prompt": 64}
CLAIMS = [
    ("request_mix", {"workload": "reasoning"}, "15", "15 个 `decode_heavy`"),
    ("request_mix", CODE, "21", "21 个 `mixed`"),
    ("request_mix", {**CODE, "threshold": 256}, "14", "14 个成了 `prefill_heavy`"),
    ("chunk_boundaries", {"suffix": 8, "chunk_size": 3}, "2", "3 块之间有 2 个"),
    ("iteration_timeline", {"reserve": 0}, "222 ms", "最长 ITL 222 →"),
    ("iteration_timeline", {"reserve": 1}, "60.5 ms", "→ 60.5 ms"),
    ("iteration_timeline", {"reserve": 4}, "60.5 ms", "这两个数不动"),
    ("iteration_timeline", {"reserve": 0}, "215 ms", "TTFT 215 →"),
    ("iteration_timeline", {"reserve": 1}, "234 ms", "→ 234 ms"),
    ("iteration_timeline", {"cap": 16384}, "234 ms", "大于 2048 什么也不变"),
    ("pd_pools", {}, "30.9 ms", "从 30.9 降到"),
    ("pd_pools", LOWEST, "27.8 ms", "降到 27.8 ms"),
    ("pd_pools", {**LOWEST, "long_decode": 128}, "117 ms", "升到 117 ms"),
    ("pd_pools", {}, "111 ms / 60.5 ms", "111 ms，比全共享的 60.5 ms"),
    ("pd_pools", {"shared": 4}, "49.2 ms / 60.5 ms", "4 个：49.2 ms"),
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim[-1])
def test_a_number_of_the_text_is_a_number_of_the_panel(solutions, source_notebooks, claim):
    panel, settings, value, words = claim
    spec = SPECS[panel]()
    view = spec.compute(solutions[spec.function], spec.settings(settings), None)

    assert value in [number.value for number in view.numbers]
    assert any(words in "".join(cell["source"]) for cell in source_notebooks[NOTEBOOK[panel]])
