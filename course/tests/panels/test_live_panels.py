"""Panels driven in Python, as a browser would drive them: move a control, read what is shown."""

import re
import sys
from pathlib import Path

import ipywidgets
import pytest

import __main__
from pdsched import messages, panels
from pdsched.panels import registry

sys.path.insert(0, str(Path(__file__).parent))
import learner_functions as learner


@pytest.fixture(autouse=True)
def _no_panels_left():
    yield
    for panel in registry.panels():
        registry.remove(panel)


def state(panel):
    return re.search(r'data-state="(\w+)"', panel.status.value).group(1)


def words(panel):
    return re.sub("<[^>]+>", " ", panel.status.value)


RIGHT = {
    "request_mix": learner.right_mix,
    "chunk_boundaries": learner.right_chunks,
    "iteration_timeline": learner.right_plan,
    "pd_pools": learner.right_split,
    "decision": learner.right_decision,
}
WRONG = {
    "request_mix": learner.natural_mix,
    "chunk_boundaries": learner.lost_tail,
    "iteration_timeline": learner.over_budget,
    "pd_pools": learner.careless_split,
    "decision": learner.throughput_only,
}
CALL = {key: getattr(panels, key) for key in RIGHT}
KEYS = tuple(CALL)


def panel_of(key, function, **options):
    return CALL[key](function, predict=False, **options)


@pytest.mark.parametrize("key", KEYS)
def test_a_panel_starts_with_a_prediction_and_answers_after_it(key):
    panel = CALL[key](RIGHT[key])
    assert state(panel) == "predict"
    panel.prediction.commit(1)
    assert state(panel) == "right"
    assert "✗" in panel.prediction._verdict.value


@pytest.mark.parametrize("key", KEYS)
def test_a_prediction_equal_to_the_outcome_is_spot_on(key):
    panel = CALL[key](RIGHT[key])
    panel.prediction.commit(panel_of(key, RIGHT[key]).last.view.answer)
    assert "✓" in panel.prediction._verdict.value


def test_a_prediction_waits_for_the_function_to_be_written(monkeypatch):
    panel = panels.chunk_boundaries()
    panel.prediction.commit(10)
    assert state(panel) == "unwritten"
    monkeypatch.setattr(__main__, "build_chunked_prefill_plan", learner.right_chunks, raising=False)
    registry.after_cell()
    assert state(panel) == "right"
    assert "✓" in panel.prediction._verdict.value


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("function", [None, learner.unwritten])
def test_unwritten_names_the_todo_and_shows_the_frame(key, function):
    panel = panel_of(key, function)
    assert state(panel) == "unwritten"
    assert f"TODO {panel.spec.todo}" in words(panel)
    assert "<svg" in panel.picture.value


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("function", [None, learner.unwritten])
def test_before_the_prediction_an_unwritten_function_names_its_todo_too(key, function):
    panel = CALL[key](function)
    assert state(panel) == "predict"
    assert f"TODO {panel.spec.todo}" in words(panel)
    assert panel.spec.function in words(panel)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("functions", [RIGHT, WRONG, dict.fromkeys(KEYS, learner.raises)])
def test_before_the_prediction_a_written_function_gives_nothing_away(key, functions):
    panel = CALL[key](functions[key])
    without = CALL[key](learner.unwritten)
    assert state(panel) == "predict"
    assert "TODO" not in words(panel)
    assert panel.last.scene == without.last.scene
    assert "pd-strip" not in panel.picture.value


def test_writing_the_stub_takes_the_todo_out_of_the_question(monkeypatch):
    name = "summarize_request_mix"
    monkeypatch.setattr(__main__, name, learner.unwritten, raising=False)
    panel = panels.request_mix()
    assert "TODO 1" in words(panel)
    monkeypatch.setattr(__main__, name, learner.right_mix)
    registry.after_cell()
    assert state(panel) == "predict"
    assert "TODO" not in words(panel)


def test_before_the_prediction_a_written_function_is_called_once_whatever_moves():
    calls = []

    def spy(tokens, chunk_size):
        calls.append(chunk_size)
        return learner.right_chunks(tokens, chunk_size)

    panel = panels.chunk_boundaries(spy)
    for size in (8, 16, 32):
        panel.set(chunk_size=size)
    assert calls == [5]


def verdict(panel):
    return re.sub("<[^>]+>", " ", panel.prediction._verdict.value)


def faded(panel):
    return 'class="pd pd-panel pd-faint"' in panel.prediction._verdict.value


def test_a_prediction_fades_and_says_its_setting_once_a_control_moves():
    panel = panels.request_mix(learner.right_mix)
    panel.prediction.commit(9)
    assert not faded(panel)
    assert "负载" not in verdict(panel)
    panel.set(workload="chat")
    assert faded(panel)
    assert "负载 = 混合" in verdict(panel)
    assert "请求数 =" not in verdict(panel)
    panel.set(workload="mixed")
    assert not faded(panel)
    assert "负载" not in verdict(panel)


def another(control):
    """A value of the control that is not its first one."""
    values = getattr(control, "values", None) or [value for _, value in control.options]
    return next(value for value in values if value != control.default)


@pytest.mark.parametrize("key", KEYS)
def test_every_moved_control_is_named_with_its_old_value_and_unit(key):
    panel = CALL[key](RIGHT[key])
    before = panel.values
    panel.prediction.commit(1)
    control = next(c for c in panel.spec.controls() if c.name not in panel.spec.looks)
    panel.set(**{control.name: another(control)})
    assert faded(panel)
    assert f"{control.caption} = {control.word(before[control.name])}" in verdict(panel)


def test_an_unresolved_prediction_fades_too():
    panel = panels.request_mix(learner.unwritten)
    panel.prediction.commit(9)
    panel.set(count=12)
    assert faded(panel)
    assert "请求数 = 24" in verdict(panel)


@pytest.mark.parametrize("values", [{"view": "ms"}, {"selected": 3}, {"ghost": "sarathi"}])
def test_a_control_that_only_changes_the_drawing_leaves_the_prediction_as_it_is(values):
    panel = panels.iteration_timeline(learner.right_plan)
    panel.prediction.commit(50)
    panel.set(**values)
    assert not faded(panel)
    assert panel.prediction.drawn_for(panel.values) == 50


def test_a_predicted_handoff_stands_until_the_link_changes():
    panel = panels.pd_pools(learner.right_split)
    panel.prediction.commit(17)
    for control in panel.spec.controls():
        if control.name != "link":
            panel.set(**{control.name: another(control)})
            assert not faded(panel), control.name
    assert panel.prediction.drawn_for(panel.values) == 17
    panel.set(link="ethernet-25g")
    assert faded(panel)


def test_a_panel_says_what_it_cuts():
    pools = panels.pd_pools(learner.right_split, predict=False)
    assert "128 个 token" in pools.picture.value
    decision = panels.decision(learner.right_decision, predict=False)
    assert "96 个 token" in decision.picture.value


def test_predicting_again_starts_fresh_where_the_controls_stand():
    panel = panels.request_mix(learner.right_mix)
    panel.prediction.commit(9)
    panel.set(workload="chat")
    panel.prediction._again.click()
    panel.prediction.commit(9)
    assert not faded(panel)


@pytest.mark.parametrize(
    ("language", "said"),
    [("zh", "这组输入里没有发现问题"), ("en", "no fault found for this input")],
)
def test_no_fault_in_this_input_is_not_called_following_the_rules(language, said):
    """A wrong function whose fault this workload does not touch must not be called right."""
    messages.set_language(language)
    try:
        panel = panel_of("chunk_boundaries", learner.lost_tail, suffix=48, chunk_size=8)
    finally:
        messages.set_language(None)
    assert state(panel) == "right"
    assert said in words(panel)
    assert not re.search("符合规则|follows the rules", words(panel))


@pytest.mark.parametrize("key", KEYS)
def test_raising_shows_the_error_the_line_and_the_call_but_no_traceback(key):
    panel = panel_of(key, learner.raises)
    assert state(panel) == "raised"
    assert "KeyError" in words(panel)
    assert "no such key" in words(panel)
    assert "Traceback" not in panel.status.value + panel.picture.value


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("function", [learner.hangs, learner.sleeps])
def test_hanging_is_said_within_a_second_and_the_panel_lives_on(monkeypatch, key, function):
    panel = panel_of(key, None)
    monkeypatch.setattr(__main__, panel.spec.function, function, raising=False)
    registry.after_cell()
    assert state(panel) == "hung"
    monkeypatch.setattr(__main__, panel.spec.function, RIGHT[key])
    registry.after_cell()
    assert state(panel) == "right"


@pytest.mark.parametrize("key", KEYS)
def test_wrong_is_said_in_red_and_never_as_unwritten(key):
    panel = panel_of(key, WRONG[key])
    assert state(panel) == "wrong"
    assert 'data-role="error"' in panel.picture.value


def test_the_natural_reading_of_todo_1_is_answered_with_both_thresholds():
    panel = panel_of("request_mix", learner.natural_mix, workload="edges", count=12)
    assert "2048" in words(panel)
    assert "256" in words(panel)


def test_a_lost_tail_is_counted_and_placed():
    panel = panel_of("chunk_boundaries", learner.lost_tail, prefix=8, suffix=13, chunk_size=5)
    assert "少了 3 个 token" in words(panel)
    assert "位置 18" in words(panel)


@pytest.mark.parametrize(
    ("key", "answer"),
    [
        ("request_mix", 7),
        ("chunk_boundaries", "no list"),
        ("iteration_timeline", [1, 2]),
        ("pd_pools", 3),
        ("decision", {"keep_split": True}),
    ],
)
def test_a_result_of_the_wrong_shape_says_what_was_expected(key, answer):
    panel = panel_of(key, lambda *_, **__: answer)
    assert state(panel) == "wrong"
    assert type(answer).__name__ in words(panel)


def test_moving_a_slider_calls_the_function_with_its_value():
    seen = []

    def spy(tokens, chunk_size):
        seen.append((len(tokens), chunk_size))
        return learner.right_chunks(tokens, chunk_size)

    panel = panel_of("chunk_boundaries", spy)
    panel.controls.widgets["chunk_size"].value = 16
    panel.controls.widgets["suffix"].value = 100
    assert seen[-2:] == [(48, 16), (100, 16)]
    assert panel.last.view.answer == 7


def test_what_the_function_prints_is_shown_in_the_panel(capsys):
    def chatty(tokens, chunk_size):
        print("size is", chunk_size)
        return learner.right_chunks(tokens, chunk_size)

    panel = panel_of("chunk_boundaries", chatty)
    assert "size is 5" in words(panel)
    assert capsys.readouterr().out == ""


def test_a_thousand_moves_leave_no_widget_behind():
    panel = panel_of("chunk_boundaries", learner.right_chunks)
    before = len(_widgets())
    sizes = (1, 2, 3, 4, 5, 8)
    for move in range(1000):
        panel.controls.widgets["chunk_size"].value = sizes[move % 6]
    assert len(_widgets()) == before


def test_a_closed_panel_leaves_no_widget_and_no_callback():
    before = len(_widgets())
    panel = panel_of("request_mix", learner.right_mix)
    registry.remove(panel)
    assert len(_widgets()) == before
    assert registry.panels() == ()


def _widgets():
    from ipywidgets.widgets import widget

    return widget._instances if hasattr(widget, "_instances") else ipywidgets.Widget.widgets


def test_the_static_twin_is_the_same_picture_without_widgets():
    before = len(_widgets())
    picture = panels.show("chunk_boundaries", learner.right_chunks, suffix=13, chunk_size=5)
    assert len(_widgets()) == before
    live = panel_of("chunk_boundaries", learner.right_chunks, suffix=13, chunk_size=5)
    assert picture.scene == live.picture_now().scene


def test_an_unknown_control_or_panel_is_refused_by_name():
    with pytest.raises(ValueError, match="chunk_size"):
        panels.show("chunk_boundaries", learner.right_chunks, chunk=3)
    with pytest.raises(ValueError, match="request_mix"):
        panels.show("no_such_panel")


def test_a_typed_number_snaps_to_the_next_listed_value_in_its_direction():
    panel = panel_of("chunk_boundaries", learner.right_chunks)
    slider = panel.controls.widgets["chunk_size"]
    field = next(
        box.children[1]
        for box in panel.controls.row.children
        if getattr(box, "children", (None,))[0] is slider
    )
    for typed, chosen in ((6, 8), (9, 16), (15, 8), (10**9, 8192), (-3, 1)):
        field.value = typed
        assert (slider.value, field.value) == (chosen, chosen)
    assert panel.last.view.answer == 48


@pytest.mark.parametrize(("key", "role"), [("pd_pools", "handoff"), ("decision", "system_pd")])
def test_the_answer_cannot_be_read_off_the_frame_before_the_prediction(key, role):
    panel = CALL[key](RIGHT[key])
    drawn = f'class="l" data-role="{role}"'
    assert drawn not in panel.picture.value
    panel.prediction.commit(1)
    assert drawn in panel.picture.value
