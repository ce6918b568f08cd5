"""Labs run on the learner's plan function, or say clearly what stands in for it."""

import json

import pytest

pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched import messages
from pdsched.labs.own_plan import OwnPlan
from pdsched.learner import load

STUB = "def plan_iteration_budget(*args, **kwargs):\n    raise NotImplementedError\n"
WRITTEN = "def plan_iteration_budget(*args, **kwargs):\n    return {}\n"


@pytest.fixture(autouse=True)
def _chinese(monkeypatch):
    monkeypatch.setenv("PDSCHED_LANG", "zh")
    messages.set_language(None)


def folder_with(tmp_path, source):
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = tmp_path / "step2_chunked_prefill.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return tmp_path


def test_a_written_function_plans_every_iteration(tmp_path):
    plan = OwnPlan.of(load(folder_with(tmp_path, WRITTEN)))
    assert plan.function() == {}
    assert str(plan) == "✓ 本实验每一轮都由你写的 plan_iteration_budget 安排。"
    assert plan.spec(None).kind == "learner"
    assert plan.scheduler(plan.spec(128)).max_prefill_chunk_tokens == 128


def test_an_unwritten_function_is_replaced_and_told(tmp_path):
    plan = OwnPlan.of(load(folder_with(tmp_path, STUB)))
    assert plan.function is None
    assert "内置策略 vllm_v1 代替" in str(plan)
    assert plan.spec(None).kind == "admission_order"
    assert plan.scheduler(plan.spec(128)).name == "vllm_v1"


def test_a_missing_function_is_told_too(tmp_path):
    assert "内置策略" in str(OwnPlan.of(load(tmp_path)))


def test_chunked_plans_leave_room_for_the_decodes(tmp_path):
    spec = OwnPlan.of(load(tmp_path)).spec(256, num_decodes=8)
    assert (spec.max_prefill_chunk_tokens, spec.max_num_batched_tokens) == (256, 264)
