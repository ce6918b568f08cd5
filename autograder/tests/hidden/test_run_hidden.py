"""``run_hidden``: seeds, verdicts, fresh examples, and nothing graded shown."""

import re
from random import Random

import pytest

from pdgrade.hidden import (
    PROPERTIES,
    run_hidden,
    running,
    seeded,
    todo1,
    todo2,
    todo3,
    todo4,
    todo5,
)
from pdgrade.hidden.concepts import ANSWERS
from pdsched.feedback import CheckFailure, FunctionUnavailable, recording
from pdsched.feedback.calling import call_text

TODO = {1: todo1, 2: todo2, 3: todo3, 4: todo4, 5: todo5}
TODO_IDS = sorted(grade_id for grade_id in PROPERTIES if grade_id.startswith("todo"))


TEST_CELLS = """
todo1_three_classes todo1_threshold_edges todo1_counts_conserved todo1_pure
todo2_order_and_tail todo2_boundaries todo2_rejects_bad_chunk todo2_pure
todo3_decode_first todo3_prefill_first todo3_balanced_reserve todo3_budget_conserved
todo3_no_idle_budget todo3_rejects_bad_input todo3_pure
todo4_three_pools todo4_threshold_edges todo4_exactly_one_pool todo4_pure
todo5_keep_requires_all_three todo5_boundaries todo5_reported_numbers todo5_pure
concept_1a_answer concept_1b_answer concept_2a_answer concept_2b_answer concept_2c_answer
concept_3a_answer concept_3b_answer concept_4a_answer concept_4b_answer
"""


def module_of(grade_id):
    return TODO[int(grade_id[4])]


def failure_of(grade_id, function, seed=None):
    with pytest.raises(CheckFailure) as caught:
        run_hidden(grade_id, function, seed)
    return caught.value.result


def test_every_test_cell_of_the_course_has_its_property():
    assert sorted(PROPERTIES) == sorted(TEST_CELLS.split())


@pytest.mark.parametrize("grade_id", TODO_IDS)
def test_the_oracle_passes_under_any_seed_within_sixty_calls(grade_id):
    calls = []

    def counted(*args, **kwargs):
        calls.append(1)
        return module_of(grade_id).oracle(*args, **kwargs)

    for seed in (None, 0, 1, "a student"):
        calls.clear()
        with recording() as results:
            run_hidden(grade_id, counted, seed)
        assert [(r.name, r.verdict, r.public) for r in results] == [(grade_id, "passed", False)]
        assert 0 < len(calls) <= 60


@pytest.mark.parametrize("grade_id", TODO_IDS)
def test_a_constant_answer_earns_nothing(grade_id):
    valid = grade_id.replace("rejects_bad_chunk", "pure").replace("rejects_bad_input", "pure")
    case = next(iter(PROPERTIES[valid].cases(Random(5))))
    args = case.args[0] if valid.endswith("_pure") else case.args
    for answer in (None, {}, [], 0, module_of(grade_id).oracle(*args, **case.kwargs)):
        failure_of(grade_id, lambda *_a, _answer=answer, **_k: _answer)


@pytest.mark.parametrize("grade_id", TODO_IDS)
def test_unwritten_raised_and_unavailable_are_told_apart(grade_id):
    def stub(*_args, **_kwargs):
        raise NotImplementedError

    def broken(*_args, **_kwargs):
        raise KeyError("promt_tokens")

    def dead(*_args, **_kwargs):
        raise FunctionUnavailable("timed out after 2 s")

    assert failure_of(grade_id, stub).verdict == "unwritten"
    assert failure_of(grade_id, broken).verdict == "raised"
    assert failure_of(grade_id, dead).got == "timed out after 2 s"


class Agrees(dict):
    """Equal to everything, and whatever anybody asks it to be."""

    __hash__ = None
    __class__ = list

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __getitem__(self, key):
        return Agrees()

    def __iter__(self):
        return iter(())

    def keys(self):
        return todo3.FIELDS

    def __instancecheck__(self, kind):
        return True


@pytest.mark.parametrize("grade_id", TODO_IDS)
def test_an_object_that_agrees_with_everything_earns_nothing_even_in_process(grade_id):
    def agrees(*_args, **_kwargs):
        return Agrees(mixed=Agrees())

    failure_of(grade_id, agrees)


def test_a_dead_function_is_called_once_only():
    calls = []

    def dead(*_args, **_kwargs):
        calls.append(1)
        raise FunctionUnavailable("gone")

    failure_of("todo1_three_classes", dead)
    assert len(calls) == 1


@pytest.mark.parametrize("grade_id", [i for i in TODO_IDS if not i.endswith("_pure")])
def test_the_example_shown_is_small_and_never_a_graded_input(grade_id):
    """The function is wrong everywhere, so every graded input could be the one shown."""
    graded = list(PROPERTIES[grade_id].cases(Random(f"s/{grade_id}/graded")))
    shown = failure_of(grade_id, lambda *_a, **_k: {"nonsense": []}, "s")
    calls = {call_text(module_of(grade_id).NAME, case.args, case.kwargs) for case in graded}
    assert shown.call
    assert shown.call not in calls
    assert shown.rule
    assert len(shown.call) < 200


def test_a_function_that_dies_while_its_example_shrinks_is_not_called_again():
    calls = []

    def fragile(requests, *_limits):
        calls.append(len(requests))
        if len(calls) > 3:
            raise FunctionUnavailable("gone")
        return {}

    failure = failure_of("todo4_threshold_edges", fragile)
    assert failure.verdict == "wrong_value"
    assert len(calls) == 4


def test_a_slow_function_stops_being_shrunk(monkeypatch):
    monkeypatch.setattr(running, "SHRINK_S", 0.0)
    calls = []
    failure_of("todo4_threshold_edges", lambda *_: calls.append(1) or {})
    assert len(calls) < 5


def test_a_wrong_edge_shrinks_to_one_request_at_the_threshold():
    def at_least(requests, long_prompt_threshold):
        result = dict.fromkeys(todo1.CLASSES, 0)
        for request in requests:
            prompt = request.get("prompt_tokens", 0) >= long_prompt_threshold
            decode = request.get("decode_tokens", 0) > long_prompt_threshold // 8
            kind = ("mixed", "decode_heavy", "prefill_heavy", "mixed")[2 * prompt + decode]
            result[kind] += 1
        return result

    run_hidden("todo1_three_classes", at_least)
    shown = failure_of("todo1_threshold_edges", at_least)
    assert shown.verdict == "wrong_value"
    numbers = [int(number) for number in re.findall(r"\b\d+\b", shown.call)]
    assert numbers[0] == numbers[-1]  # prompt_tokens equals the threshold
    assert shown.call.count("prompt_tokens") == 1


def test_seeds_choose_the_cases_and_the_surrounding_seed_counts():
    seen = []

    def spy(*args, **kwargs):
        seen.append(repr((args, kwargs)))
        return todo2.oracle(*args, **kwargs)

    def cases(**named):
        seen.clear()
        run_hidden("todo2_order_and_tail", spy, **named)
        return list(seen)

    default = cases()
    assert cases() == default
    assert cases(seed=7) != default
    with seeded(7):
        assert cases() == cases(seed="7")
    assert cases() == default


def test_the_functions_own_changes_do_not_reach_later_cases():
    def greedy(suffix_tokens, chunk_size):
        plan = todo2.oracle(suffix_tokens, chunk_size)
        suffix_tokens.clear()
        return plan

    run_hidden("todo2_order_and_tail", greedy)
    shown = failure_of("todo2_pure", greedy)
    assert "[]" in shown.got


def test_state_between_calls_is_found():
    kept = {"prefill_pool": [], "decode_pool": [], "shared_pool": []}

    def remembering(*args):
        for pool, names in todo4.oracle(*args).items():
            kept[pool].extend(names)
        return kept

    assert failure_of("todo4_pure", remembering).verdict == "wrong_value"


def test_a_function_that_fails_on_graded_inputs_only_is_said_to_be_unsteady():
    graded = {
        repr(case.args)
        for case in PROPERTIES["todo4_three_pools"].cases(Random("s/todo4_three_pools/graded"))
    }

    def moody(*args):
        return {} if repr(args) in graded else todo4.oracle(*args)

    shown = failure_of("todo4_three_pools", moody, "s")
    assert (shown.call, shown.got) == ("", "")
    assert shown.hint


def test_true_must_be_true_itself():
    def truthy(*args, **kwargs):
        result = todo5.oracle(*args, **kwargs)
        return {**result, "keep_split": int(result["keep_split"])}

    assert failure_of("todo5_keep_requires_all_three", truthy).verdict == "wrong_type"
    run_hidden("todo5_reported_numbers", truthy)


def test_key_order_is_no_part_of_the_contract_and_an_extra_field_breaks_one_rule_only():
    def reordered(*args, **kwargs):
        return dict(reversed(todo3.oracle(*args, **kwargs).items()))

    def noted(*args, **kwargs):
        return {"note": "mine", **todo3.oracle(*args, **kwargs)}

    for grade_id in TODO_IDS:
        if grade_id.startswith("todo3"):
            run_hidden(grade_id, reordered)
            if grade_id != "todo3_budget_conserved":
                run_hidden(grade_id, noted)
    assert failure_of("todo3_budget_conserved", noted).verdict == "wrong_value"


def test_an_unknown_property_is_refused_by_name():
    with pytest.raises(ValueError, match="todo9_x"):
        run_hidden("todo9_x", len)


def test_a_wrong_concept_answer_shows_neither_the_answer_nor_what_is_right():
    for name, answer in ANSWERS.items():
        run_hidden(f"{name}_answer", lambda a=answer: f" {a.lower()} " if isinstance(a, str) else a)
        wrong = "A" if answer != "A" else "B"
        shown = failure_of(f"{name}_answer", lambda w=wrong: w)
        assert (shown.verdict, shown.expected) == ("wrong_value", "")
        assert shown.got == repr(wrong)


@pytest.mark.parametrize(
    ("given", "right"), [(10.7, True), (10.95, True), (11.0, False), (-10.7, False)]
)
def test_the_handoff_time_may_be_two_per_cent_off(given, right):
    # 4,096 tokens x 131,072 B over 50 GB/s: 10.737 ms
    if right:
        run_hidden("concept_3a_answer", lambda: given)
    else:
        failure_of("concept_3a_answer", lambda: given)


@pytest.mark.parametrize("grade_id", sorted(PROPERTIES))
def test_an_integer_beyond_any_float_is_a_wrong_answer_and_no_accident(grade_id):
    def huge(value):
        if isinstance(value, dict):
            return {key: huge(item) for key, item in value.items()}
        if isinstance(value, list):
            return [huge(item) for item in value]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return 10**400 if is_number else value

    def function(*args, **kwargs):
        if not args:
            return 10**400
        return huge(module_of(grade_id).oracle(*args, **kwargs))

    try:
        run_hidden(grade_id, function)
    except CheckFailure as failure:
        assert failure.result.verdict in ("wrong_value", "wrong_type")  # noqa: PT017
    mixed = {"used_tokens": 10**400, "prefill_chunks": [{"tokens": 0.5}, {"tokens": 10**400}]}
    if grade_id == "todo3_no_idle_budget":
        mixed["decode_request_ids"] = []
        assert failure_of(grade_id, lambda *_a, **_k: mixed).verdict == "wrong_type"


def test_concepts_refuse_what_is_not_an_answer():
    for value in (None, True, ["A"], object()):
        failure_of("concept_1a_answer", lambda v=value: v)


class Listening:
    """A right function that notes which calls it is told of and which are made."""

    def __init__(self, function):
        self.__name__ = "listening"
        self.function, self.told, self.made = function, [], []

    def announce(self, calls):
        self.told += [repr((args, kwargs)) for args, kwargs in calls]

    def __call__(self, *args, **kwargs):
        self.made.append(repr((args, kwargs)))
        return self.function(*args, **kwargs)


@pytest.mark.parametrize("grade_id", TODO_IDS)
def test_a_proxy_is_told_exactly_the_calls_that_a_right_function_gets(grade_id):
    for seed in range(5):
        listening = Listening(module_of(grade_id).oracle)
        run_hidden(grade_id, listening, seed)
        assert listening.told == listening.made
