"""The picture's window is the simulator's own timeline, and wrong plans do not stop it."""

import sys
from pathlib import Path

import pytest

from pdsched.panels import replay as module
from pdsched.panels.guard import LearnerFunction, UnwrittenError
from pdsched.panels.iteration_timeline import IterationTimeline, cost
from pdsched.panels.replay import Machine, baseline, replay
from pdsched.panels.scenarios import scenario
from pdsched.panels.spec import View

sys.path.insert(0, str(Path(__file__).parent))
import learner_functions as learner

OPTIONS = {"policy": "balanced", "cap": 2048, "reserve": 1}


@pytest.mark.parametrize("policy", ["balanced", "decode_first", "prefill_first"])
@pytest.mark.parametrize("kind", ["long", "burst", "reasoning"])
def test_the_right_function_draws_what_the_built_in_policy_simulates(policy, kind):
    work = scenario(kind, 4096, 4)
    machine = Machine(cost(), 512)
    options = {"cap": 256, "reserve": 2}
    mine = replay(learner.right_plan, work, machine, policy=policy, **options)
    theirs = baseline(policy, work, machine, **options)
    assert mine.iterations == theirs.iterations
    assert not any(mine.faults)


def test_the_picture_never_simulates_more_than_its_window():
    run = replay(learner.right_plan, scenario("long", 131072, 100), Machine(cost(), 1), **OPTIONS)
    assert len(run.iterations) == module.MOST
    assert run.windowed


def test_a_wrong_plan_is_kept_as_asked_while_the_clock_goes_on():
    work = scenario("long", 64, 3)
    run = replay(learner.over_budget, work, Machine(cost(), 8), **{**OPTIONS, "cap": 8})
    first = next(i for i, fault in enumerate(run.faults) if fault)
    assert len(run.asked[first].decodes) + sum(n for _, n in run.asked[first].chunks) == 11
    assert run.iterations[first].num_scheduled_tokens == 8
    assert len(run.iterations) > first + 3


def test_errors_of_the_function_come_out_as_they_are():
    guarded = LearnerFunction(learner.unwritten, "plan_iteration_budget")
    with pytest.raises(UnwrittenError):
        replay(guarded, scenario("long", 64, 3), Machine(cost(), 8), **OPTIONS)


def view_of(**values) -> View:
    spec = IterationTimeline()
    return spec.compute(learner.right_plan, spec.settings(values), None)


def number(view, position):
    return view.numbers[position].value


def test_chunking_shortens_the_longest_gap_of_a_running_chat():
    whole = view_of(budget=16384, cap=16384, prompt=8192, policy="decode_first")
    cut = view_of(budget=512, cap=512, prompt=8192, policy="decode_first")
    assert cut.answer < whole.answer / 3


def test_prefill_first_stalls_the_chat_for_the_whole_prompt():
    assert view_of(policy="prefill_first").answer > 3 * view_of(policy="decode_first").answer


def test_the_numbers_of_a_hand_checked_run():
    """Three chats, budget 8, cap 4, 64 tokens: 16 iterations of 4 after 5 without the prompt."""
    view = view_of(budget=8, cap=4, prompt=64, chats=3, policy="decode_first")
    bars = [m for m in view.scene.plot("tokens").marks if getattr(m, "role", "") == "prefill_alt"]
    by_column = {}
    for cell in bars:
        by_column[cell.x0] = by_column.get(cell.x0, 0) + cell.count
    assert list(by_column.values())[1:] == [4] * 16


def why(**values):
    view = view_of(**values)
    return [column.why for column in view.scene.plot("tokens").columns]


def test_hover_names_what_holds_a_request_back():
    assert any("max_num_seqs = 8" in words for words in why(seats=8, chats=8))
    assert any("KV" in words for words in why(kv=8192, chats=8, budget=16384))
    assert any("预算" in words for words in why(budget=4, chats=8))
    assert all("没有人被挡住" in words for words in why(prompt=8, chats=1))


def test_the_selected_iteration_is_outlined_and_explained():
    view = view_of(selected=3)
    assert [c.selected for c in view.scene.plot("tokens").columns].index(True) == 2
    assert view.sentences[0].startswith("▸ 第 3 轮")
