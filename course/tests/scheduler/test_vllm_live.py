"""`vllm_v1` against vLLM itself, where vLLM is installed: fresh scenarios, token by token."""

import json
import random
import sys
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="vLLM is not installed (optional, see docs/contributing.md)")
sys.path.insert(0, str(Path(__file__).parent))

from vllm_live import random_scenario, record, tiny_model

from pdsched.scheduler.recorded_plans import read_recordings
from pdsched.simulator.replay import compare

RECORDED = Path(__file__).parents[1] / "data" / "vllm_v1_plans.jsonl"


@pytest.fixture(scope="module")
def model():
    return tiny_model()


def test_the_recorder_reproduces_the_recordings(model):
    lines = RECORDED.read_text(encoding="utf-8").splitlines()
    for scenario in map(json.loads, lines[::8]):
        assert record(model, scenario) == scenario["plan"], scenario["name"]


def test_fresh_scenarios_get_the_same_plans(model, tmp_path):
    rng = random.Random(38)
    path = tmp_path / "fresh.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(300):
            scenario = random_scenario(rng)
            plan = record(model, scenario)
            if plan is not None:
                named = {"kind": "fresh", "name": f"fresh-{number:03d}", **scenario, "plan": plan}
                file.write(json.dumps(named) + "\n")
    differing = [result for result in map(compare, read_recordings(path)) if not result.identical]
    assert differing == []
