"""``expect`` tells unwritten, raised, wrong type and wrong value apart, and cannot be fooled."""

import contextlib
from collections import Counter, OrderedDict, defaultdict
from enum import IntEnum

import pytest

from pdsched.feedback import CheckFailure, CheckResult, FunctionUnavailable, expect, recording

pytestmark = pytest.mark.core


def verdict_of(check):
    with recording() as results, contextlib.suppress(CheckFailure):
        check()
    return results[-1]


def returning(value):
    def answer(*_args, **_kwargs):
        return value

    return answer


def test_a_right_answer_is_recorded_and_nothing_is_raised():
    with recording() as results:
        expect(sorted, [2, 1], reverse=False).returns([1, 2])
    assert [(r.name, r.verdict, r.call) for r in results] == [
        ("sorted", "passed", "sorted([2, 1], reverse=False)")
    ]


def test_recordings_nest_and_close():
    with recording() as outer:
        with recording() as inner:
            expect(len, []).returns(0)
        expect(len, "a").returns(1)
    expect(len, "ab").returns(2)
    assert (len(inner), len(outer)) == (1, 2)


def test_unwritten_is_never_reported_as_wrong():
    def stub(_x):
        raise NotImplementedError

    for check in (
        lambda: expect(stub, 1).returns(1),
        lambda: expect(stub, 1).raises(ValueError),
        lambda: expect(stub, 1).satisfies(bool, "rule"),
        lambda: expect(stub, 1).is_pure(),
    ):
        assert verdict_of(check).verdict == "unwritten"


def test_an_exception_is_reported_with_the_learners_line():
    def broken(x):
        return x["prompt_tokns"]

    result = verdict_of(lambda: expect(broken, {"prompt_tokens": 1}).returns(1))
    assert result.verdict == "raised"
    assert result.got == "KeyError: 'prompt_tokns'"
    assert 'return x["prompt_tokns"]' in result.detail


def test_exit_in_the_function_does_not_leave_the_check():
    assert verdict_of(lambda: expect(exit).returns(None)).verdict == "raised"


def test_a_function_that_cannot_run_is_unavailable():
    def dead():
        raise FunctionUnavailable("timed out after 2 s")

    result = verdict_of(lambda: expect(dead).returns(1))
    assert (result.verdict, result.got) == ("unavailable", "timed out after 2 s")
    assert verdict_of(lambda: expect(None).returns(1)).verdict == "unavailable"


@pytest.mark.parametrize(
    ("expected", "got", "verdict"),
    [
        ({"a": 1, "b": [2]}, {"b": [2], "a": 1}, "passed"),
        ({"a": 1}, Counter(a=1), "passed"),
        ({"a": [1]}, defaultdict(list, a=[1]), "passed"),
        ({"a": 1}, OrderedDict(a=1), "passed"),
        (2, IntEnum("Pool", {"P": 2}).P, "passed"),
        (26.0, 26, "passed"),
        (0.3, 0.1 + 0.2, "passed"),
        (True, 1, "wrong_type"),
        (1, True, "wrong_type"),
        (1, 1.0, "wrong_type"),
        (1.0, True, "wrong_type"),
        ([[1], [2]], [(1,), (2,)], "wrong_type"),
        ([1], (1,), "wrong_type"),
        ([1], range(1), "wrong_type"),
        ([1], iter([1]), "wrong_type"),
        (["a"], {"a"}, "wrong_type"),
        ({"a": 1}, None, "wrong_type"),
        ({"a": 1}, {"a": 2}, "wrong_value"),
        ({"a": 1}, {}, "wrong_value"),
        ({"a": 1}, {"a": 1, "b": 0}, "wrong_value"),
        ([1, 2], [1], "wrong_value"),
        ([1], [1, 2], "wrong_value"),
        (1.0, float("nan"), "wrong_value"),
    ],
)
def test_comparison_is_exact_about_types_and_tolerant_about_nothing_else(expected, got, verdict):
    assert verdict_of(lambda: expect(returning(got)).returns(expected)).verdict == verdict


def test_numpy_numbers_count_as_numbers_but_numpy_bool_and_arrays_do_not():
    numpy = pytest.importorskip("numpy")
    assert verdict_of(lambda: expect(returning(numpy.int64(3))).returns(3)).passed
    assert verdict_of(lambda: expect(returning([numpy.float64(0.5)])).returns([0.5])).passed
    for value, answer in ((numpy.bool_(True), True), (numpy.array([1]), [1])):
        verdict = verdict_of(lambda v=value, a=answer: expect(returning(v)).returns(a)).verdict
        assert verdict == "wrong_type"


class AlwaysEqual:
    __class__ = dict  # lies to isinstance as well
    __hash__ = object.__hash__

    def __eq__(self, other):
        return True

    def __len__(self):
        return 1

    def __iter__(self):
        return iter("a")

    def __getitem__(self, key):
        return 1

    def keys(self):
        return ["a"]

    def items(self):
        return [("a", 1)]


class LyingDict(dict):
    __hash__ = None

    def __eq__(self, other):
        return True

    def items(self):
        return [("a", 1)]

    def __getitem__(self, key):
        return 1


class LyingInt(int):
    __hash__ = int.__hash__

    def __eq__(self, other):
        return True

    def __int__(self):
        return 1


class LyingText(str):
    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other):
        return True

    def __str__(self):
        return "right"


@pytest.mark.parametrize(
    ("expected", "lie"),
    [
        ({"a": 1}, AlwaysEqual()),
        ({"a": 1}, LyingDict(a=2)),
        ({"a": 1}, {"a": LyingInt(2)}),
        (["right"], [LyingText("wrong")]),
    ],
)
def test_objects_that_lie_about_equality_do_not_pass(expected, lie):
    assert not verdict_of(lambda: expect(returning(lie)).returns(expected)).passed


def test_a_predicate_sees_rebuilt_values_only():
    result = verdict_of(
        lambda: expect(returning({"a": LyingInt(2)})).satisfies(lambda r: r["a"] == 1, "a is 1")
    )
    assert (result.verdict, result.rule) == ("wrong_value", "a is 1")


def test_a_predicate_over_another_shape_means_wrong_type():
    result = verdict_of(lambda: expect(returning([1])).satisfies(lambda r: r["a"] == 1, "rule"))
    assert result.verdict == "wrong_type"


def test_fields_are_compared_without_minding_the_others():
    plan = {"used": 3, "left": 0, "note": "mine"}
    assert verdict_of(lambda: expect(returning(plan)).includes({"used": 3})).passed
    wrong = verdict_of(lambda: expect(returning(plan)).includes({"used": 4}))
    assert (wrong.verdict, wrong.expected) == ("wrong_value", "{'used': 4}")
    assert verdict_of(lambda: expect(returning(plan)).includes({"x": 1})).verdict == "wrong_value"
    assert verdict_of(lambda: expect(returning([])).includes({"x": 1})).verdict == "wrong_type"
    assert verdict_of(lambda: expect(returning(plan)).includes({"used": 3.5})).passed is False


def test_the_expected_exception_passes_and_another_one_is_raised():
    def picky(x):
        if x <= 0:
            raise UnicodeError("a subclass of ValueError")
        raise KeyError(x)

    assert verdict_of(lambda: expect(picky, 0).raises(ValueError)).passed
    assert verdict_of(lambda: expect(picky, 1).raises(ValueError)).verdict == "raised"
    result = verdict_of(lambda: expect(len, []).raises(ValueError))
    assert (result.verdict, result.got) == ("wrong_value", "0")


def test_purity_finds_changed_arguments_and_kept_state():
    kept = []

    def drains(items):
        return [items.pop()]

    def counts(_items):
        kept.append(1)
        return len(kept)

    assert verdict_of(lambda: expect(sorted, [2, 1]).is_pure()).passed
    changed = verdict_of(lambda: expect(drains, [1, 2]).is_pure())
    assert changed.verdict == "wrong_value"
    assert changed.call == "drains([1, 2])"
    assert "[1]" in changed.got
    assert verdict_of(lambda: expect(counts, []).is_pure()).verdict == "wrong_value"


def test_a_result_that_contains_itself_is_a_wrong_type():
    loop = []
    loop.append(loop)
    assert verdict_of(lambda: expect(returning(loop)).returns([])).verdict == "wrong_type"


def test_the_failure_reads_as_plain_text_with_input_expected_got_and_rule():
    with pytest.raises(CheckFailure) as caught:
        expect(sorted, [1, 2]).returns([2, 1], rule="从大到小")
    lines = str(caught.value).splitlines()
    assert lines[1:4] == ["  输入：sorted([1, 2])", "  期望：[2, 1]", "  得到：[1, 2]"]
    assert lines[-1] == "  规则：从大到小"
    assert caught.value.result.verdict == "wrong_value"
    assert caught.value._render_traceback_() == [str(caught.value)]


def test_long_values_are_cut_and_a_broken_repr_does_not_raise():
    class Rude:
        def __repr__(self):
            raise RuntimeError

    result = verdict_of(lambda: expect(returning(Rude()), "x" * 9_999).returns(1))
    assert result.verdict == "wrong_type"
    assert len(result.call) < 800


def test_a_result_survives_json():
    result = verdict_of(lambda: expect(len, []).returns(1))
    assert CheckResult.from_json(result.to_json()) == result
    with pytest.raises(ValueError, match="schema_version"):
        CheckResult.from_json({**result.to_json(), "schema_version": 99})
    with pytest.raises(ValueError, match="verdict"):
        CheckResult(name="x", verdict="fine")
