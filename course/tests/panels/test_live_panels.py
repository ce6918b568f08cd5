"""Panels driven in Python, as a browser would drive them: move a control, read what is shown."""

import re
import sys
from pathlib import Path

import ipywidgets
import pytest

import __main__
from pdsched import panels
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
