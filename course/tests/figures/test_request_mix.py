"""Panel 1's picture as data: positions, classes and both thresholds."""

from pdsched.figures import MixPoint, request_mix, to_plotly

# The chapter's own three requests, and one of each kind of mixed.
POINTS = [
    MixPoint("a", 4000, 64, "prefill_heavy"),
    MixPoint("b", 256, 512, "decode_heavy"),
    MixPoint("c", 1500, 128, "mixed"),
    MixPoint("d", 9000, 900, "mixed"),
]


def traces(points, threshold=2048):
    return to_plotly(request_mix(points, threshold)).to_plotly_json()["data"]


def dots(points, symbol):
    return [
        (tuple(trace["x"]), tuple(trace["y"]))
        for trace in traces(points)
        if trace.get("marker", {}).get("symbol") == symbol
    ]


def test_each_class_has_its_own_shape_at_prompt_and_output():
    assert dots(POINTS, "triangle-up") == [((4000.0,), (64.0,))]
    assert dots(POINTS, "circle") == [((256.0,), (512.0,))]


def test_short_short_is_hollow_and_long_long_filled_inside_mixed():
    assert dots(POINTS, "diamond-open") == [((1500.0,), (128.0,))]
    assert dots(POINTS, "diamond") == [((9000.0,), (900.0,))]


def test_both_threshold_lines_are_drawn_at_the_threshold_and_at_its_eighth():
    lines = [t for t in traces(POINTS) if t.get("mode") == "lines"]
    assert {tuple(line["x"]) for line in lines if len(set(line["x"])) == 1} == {(2048, 2048)}
    assert {tuple(line["y"]) for line in lines if len(set(line["y"])) == 1} == {(256.0, 256.0)}


def test_a_wrong_class_is_marked_where_it_is_with_its_sentence():
    wrong = MixPoint("e", 3000, 100, "mixed", fault="e is wrong")
    red = [t for t in traces([*POINTS, wrong]) if "e is wrong" in (t.get("hovertext") or ())]
    assert sum(tuple(trace["x"]) == (3000.0,) for trace in red) == 2
    assert "1" in request_mix([*POINTS, wrong], 2048).alt


def test_unanswered_points_are_drawn_hollow_and_classless():
    plot = request_mix([MixPoint("a", 4000, 64)], 2048).plot("mix")
    (dot,) = [mark for mark in plot.marks if type(mark).__name__ == "Dot"]
    assert dot.hollow
    assert dot.role == "faint"
