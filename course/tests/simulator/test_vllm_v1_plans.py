"""vLLM V1: the recorded plans, and scenarios nobody recorded against a long-hand version."""

import json
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdsched import messages
from pdsched.commands import plans
from pdsched.scheduler.recorded_plans import Arrival, Recording, read_recordings
from pdsched.simulator.replay import compare, replay

sys.path.insert(0, str(Path(__file__).parent))
import reference_vllm

RECORDED = Path(__file__).parents[1] / "data" / "vllm_v1_plans.jsonl"


@pytest.fixture(autouse=True)
def _english():
    messages.set_language("en")
    yield
    messages.set_language(None)


@pytest.mark.core
def test_every_recorded_plan_is_reproduced_token_by_token():
    comparisons = [compare(recording) for recording in read_recordings(RECORDED)]
    assert len(comparisons) == 160
    assert [c for c in comparisons if not c.identical] == []


def test_the_long_hand_version_agrees_with_the_recordings_too():
    for line in RECORDED.read_text(encoding="utf-8").splitlines():
        scenario = json.loads(line)
        arrivals = {int(step): added for step, added in scenario["arrivals"].items()}
        assert reference_vllm.plans(scenario, arrivals) == scenario["plan"], scenario["name"]


@st.composite
def scenarios(draw):
    """Small scenarios under every kind of pressure; each request fits the cache alone."""
    blocks = draw(st.integers(3, 24))
    room = (blocks - 1) * 16
    chunked = draw(st.booleans())
    budget = draw(st.integers(1, 64)) if chunked else room + 1
    steps = draw(st.lists(st.integers(0, 12), min_size=1, max_size=8))
    arrivals = {}
    for number, step in enumerate(sorted(steps)):
        output = draw(st.integers(1, min(40, room)))
        prompt = draw(st.integers(1, max(1, room + 1 - output)))
        arrivals.setdefault(step, []).append((f"r{number}", prompt, output))
    return {
        "max_num_batched_tokens": budget,
        "max_num_seqs": draw(st.integers(1, 8)),
        "enable_chunked_prefill": chunked,
        "long_prefill_token_threshold": draw(st.sampled_from([0, 1, 5, 16, 40])),
        "num_kv_blocks": blocks,
        "block_size": 16,
    }, arrivals


@given(scenarios())
@settings(max_examples=300, deadline=None)
def test_unrecorded_scenarios_agree_with_the_long_hand_version(scenario):
    options, arrivals = scenario
    expected = reference_vllm.plans(options, arrivals)
    recording = Recording(
        name="drawn",
        arrivals=tuple(
            Arrival(step, *added) for step in sorted(arrivals) for added in arrivals[step]
        ),
        plans=tuple(expected),
        **options,
    )
    assert replay(recording) == expected


def test_the_command_counts_and_names_the_first_difference(tmp_path, capsys):
    assert plans.run(RECORDED) == 0
    assert capsys.readouterr().out == "160/160 scenarios identical\n"
    lines = RECORDED.read_text(encoding="utf-8").splitlines()[:2]
    changed = json.loads(lines[0])
    changed["plan"][8]["r1"] = 3
    file = tmp_path / "changed.jsonl"
    file.write_text(json.dumps(changed) + "\n\n" + lines[1] + "\n", encoding="utf-8")
    assert plans.run(str(file)) == 1
    out = capsys.readouterr().out
    assert "plain-000: first differs at step 8" in out
    assert "1/2 scenarios identical" in out


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{", "line 1: not a scenario"),
        ('{"arrivals": {}}', "line 1: not a scenario"),
        ('{"arrivals": {}, "plan": [], "max_num_batched_tokens": "8"}', "must be an integer"),
        ("[]", "not a scenario"),
    ],
)
def test_a_file_that_is_no_recording_is_named(tmp_path, capsys, text, error):
    file = tmp_path / "bad.jsonl"
    file.write_text(text, encoding="utf-8")
    assert plans.run(file) == 2
    assert error in capsys.readouterr().err


def test_a_missing_file_is_named(capsys):
    assert plans.run("nowhere.jsonl") == 2
    assert "nowhere.jsonl" in capsys.readouterr().err


def test_a_scenario_that_could_never_run_is_reported_not_raised(tmp_path, capsys):
    scenario = json.loads(RECORDED.read_text(encoding="utf-8").splitlines()[0])
    scenario["num_kv_blocks"] = 4
    file = tmp_path / "small.jsonl"
    file.write_text(json.dumps(scenario), encoding="utf-8")
    assert plans.run(file) == 1
    assert "cannot be replayed" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arrivals": {"0": [["a", "x", 3]]}}, "must be integers"),
        ({"arrivals": {"0": [["a", 20, True]]}}, "must be integers"),
        ({"arrivals": {"0": [["a", 20]]}}, "must be [id, prompt, output]"),
        ({"arrivals": {"99999999999": [["a", 20, 3]]}}, "step must be between 0 and 0"),
        ({"arrivals": {"-1": [["a", 20, 3]]}}, "step must be between 0 and 0"),
        ({"plan": [{"a": "20"}]}, "plan 0 must be an object of integers"),
        ({"plan": [[1]]}, "plan 0 must be an object of integers"),
        ({"enable_chunked_prefill": "false"}, "must be true or false"),
    ],
)
def test_a_malformed_recording_is_refused_not_replayed(tmp_path, capsys, change, words):
    scenario = {
        "max_num_batched_tokens": 64,
        "max_num_seqs": 4,
        "num_kv_blocks": 10,
        "arrivals": {"0": [["a", 20, 3]]},
        "plan": [{"a": 20}],
    }
    file = tmp_path / "bad.jsonl"
    file.write_text(json.dumps({**scenario, **change}), encoding="utf-8")
    assert plans.run(file) == 2
    assert words in capsys.readouterr().err


def test_a_recording_nested_too_deep_is_refused(tmp_path, capsys):
    file = tmp_path / "deep.jsonl"
    file.write_text("[" * 100_000, encoding="utf-8")
    assert plans.run(file) == 2
    assert "nested too deep" in capsys.readouterr().err
