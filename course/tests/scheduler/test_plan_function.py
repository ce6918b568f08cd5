"""The learner's function drives a worker; a bad plan is named with its iteration and call."""

import sys
import threading
from pathlib import Path

import pytest

from pdsched.kvcache import KVCache
from pdsched.scheduler import PlanError, from_plan_function
from pdsched.simulator import simulate
from pdsched.workload import Request

sys.path.insert(0, str(Path(__file__).parent))
import plan_functions

pytestmark = pytest.mark.core


class OneMs:
    """Every iteration takes 1 ms."""

    name, source, error = "1 ms", "test", "none"

    def iteration_ms(self, *_):
        return 1.0


REQUESTS = (Request("chat", 0.0, 2, 6), Request("long", 2.0, 7, 2))


def run(function, requests=REQUESTS, *, cap=3, limit_s=2.0, **options):
    scheduler = from_plan_function(
        function, max_prefill_chunk_tokens=cap, time_limit_s=limit_s, policy="decode_first"
    )
    return simulate(requests, scheduler, OneMs(), max_num_batched_tokens=4, **options)


def test_the_function_decides_every_iteration():
    timeline = run(plan_functions.decode_first)
    assert [
        (i.decodes, tuple((c.request_id, c.num_tokens) for c in i.prefills))
        for i in timeline.iterations
    ] == [
        ((), (("chat", 2),)),
        (("chat",), ()),
        (("chat",), (("long", 3),)),
        (("chat",), (("long", 3),)),
        (("chat",), (("long", 1),)),
        (("chat", "long"), ()),
    ]


@pytest.mark.parametrize("case", plan_functions.BROKEN)
def test_a_bad_plan_is_refused_with_its_rule(case):
    function, rule = plan_functions.BROKEN[case]
    with pytest.raises(PlanError, match=rule) as caught:
        run(function)
    assert "plan_iteration_budget(prefill_suffixes={'" in str(caught.value)
    assert caught.value.inputs["max_num_batched_tokens"] == 4


def test_the_error_names_the_iteration_and_keeps_the_inputs():
    def wrong_later(plan, suffixes, ready):
        if "long" in suffixes:
            plan["used_tokens"] += 1

    with pytest.raises(PlanError, match="iteration 2") as caught:
        run(plan_functions.edited(wrong_later))
    assert caught.value.iteration == 2
    assert caught.value.inputs["prefill_suffixes"] == {"long": 7}
    assert caught.value.inputs["decode_request_ids"] == ["chat"]


def test_over_budget_is_refused():
    def all_of_it(suffixes, ready, budget, cap, **_):
        chunks = [(key, min(n, cap)) for key, n in suffixes.items()]
        return plan_functions.plan_of(ready, chunks, budget)

    with pytest.raises(PlanError, match="uses 6 tokens, above the budget of 4"):
        run(all_of_it, [Request("a", 0.0, 3, 1), Request("b", 0.0, 3, 1)])


def test_an_unwritten_function_is_unwritten_not_wrong():
    with pytest.raises(NotImplementedError) as caught:
        run(plan_functions.unwritten)
    assert isinstance(caught.value, PlanError)


def test_a_function_that_answers_the_same_question_twice_differently_is_refused():
    answers = []

    def moody(suffixes, ready, budget, cap, **_):
        answers.append(1)
        if suffixes or len(answers) % 2:
            return plan_functions.decode_first(suffixes, ready, budget, cap)
        return plan_functions.plan_of(ready[:1], [], budget)

    with pytest.raises(PlanError, match="two different plans"):
        run(moody, [Request("a", 0.0, 2, 6), Request("b", 0.0, 2, 6)])


@pytest.mark.parametrize("function", plan_functions.ENDLESS)
def test_a_loop_is_stopped_in_the_main_thread(function):
    with pytest.raises(PlanError, match="did not return within"):
        run(function, limit_s=0.1)


@pytest.mark.parametrize("function", plan_functions.ENDLESS)
def test_a_loop_is_stopped_in_another_thread(function):
    caught = []

    def target():
        try:
            run(function, limit_s=0.1)
        except PlanError as error:
            caught.append(str(error))

    thread = threading.Thread(target=target)
    thread.start()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert "did not return" in caught[0]


def test_the_chunk_cap_defaults_to_the_budget():
    timeline = run(plan_functions.decode_first, cap=None)
    assert timeline.iterations[2].prefills == (("long", 3, 0),)


def test_only_what_fits_the_seats_and_the_cache_is_offered():
    seen = []

    def spy(suffixes, ready, budget, cap, **options):
        seen.append(dict(suffixes))
        return plan_functions.decode_first(suffixes, ready, budget, cap)

    requests = [Request(key, 0.0, 16, 1) for key in "abc"]
    run(spy, requests, kv=KVCache(2))
    assert seen[0] == {"a": 16, "b": 16}
    seen.clear()
    run(spy, requests, max_num_seqs=1)
    assert seen[0] == {"a": 16}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_prefill_chunk_tokens": 0}, "max_prefill_chunk_tokens"),
        ({"decode_reserve_tokens": -1}, "decode_reserve_tokens"),
        ({"time_limit_s": 0}, "time_limit_s"),
    ],
)
def test_bad_settings_are_refused(options, error):
    with pytest.raises(ValueError, match=error):
        from_plan_function(plan_functions.decode_first, **options)


def test_something_that_is_not_a_function_is_refused():
    with pytest.raises(TypeError, match="callable"):
        from_plan_function({"policy": "balanced"})
