"""A scheduler drives the engine: same tokens under every planner, nothing lost, nothing stuck."""

import pytest

np = pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from pdsched.engine import Engine, ModelConfig, Weights  # noqa: E402
from pdsched.engine.loop import (  # noqa: E402
    ServingLoop,
    StuckError,
    from_plan_function,
    in_admission_order,
)
from pdsched.scheduler import PlanError  # noqa: E402

TINY = ModelConfig(2, 32, 4, 2, 8, 48, 97, 512, dtype="float64")
WEIGHTS = Weights.random(TINY, seed=3)


def new_loop(planner, num_pages=64, **options):
    return ServingLoop(Engine(TINY, WEIGHTS, num_pages=num_pages), planner, **options)


def prompt(length, seed=0):
    return np.random.default_rng(seed).integers(0, TINY.vocab_size, length).tolist()


def run(loop):
    tokens = {}
    while loop.busy:
        for name, token in loop.step().sampled.items():
            tokens.setdefault(name, []).append(token)
    return tokens


def prefill_then_decode(
    prefill_suffixes, decode_request_ids, max_num_batched_tokens, max_prefill_chunk_tokens, **_
):
    """A stand-in plan function: one prompt at a time, decodes only when none is left."""
    budget, cap = max_num_batched_tokens, max_prefill_chunk_tokens
    chunks = [
        {"request_id": n, "tokens": min(t, cap, budget)} for n, t in prefill_suffixes.items()
    ][:1]
    chosen = [] if chunks else decode_request_ids[:budget]
    used = len(chosen) + sum(chunk["tokens"] for chunk in chunks)
    return {
        "decode_request_ids": chosen,
        "prefill_chunks": chunks,
        "max_num_batched_tokens": budget,
        "used_tokens": used,
        "remaining_tokens": budget - used,
    }


@settings(max_examples=25, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 60), min_size=1, max_size=5),
    budget=st.integers(1, 64),
    chunk=st.integers(1, 64),
)
def test_tokens_do_not_depend_on_the_planner(lengths, budget, chunk):
    answers = []
    for planner in (
        in_admission_order(10_000),
        in_admission_order(budget, chunk),
        from_plan_function(prefill_then_decode, budget, chunk),
    ):
        loop = new_loop(planner)
        for index, length in enumerate(lengths):
            loop.submit(f"r{index}", prompt(length, index), output_tokens=3)
        answers.append(run(loop))
        assert all(sum(k for _, k, _ in s.prefills) + len(s.decodes) <= 10_000 for s in loop.steps)
    assert answers[0] == answers[1] == answers[2]


def test_steps_record_chunks_decodes_and_finishes():
    loop = new_loop(in_admission_order(8))
    loop.submit("a", prompt(12), output_tokens=2)
    loop.submit("b", prompt(3, 1), output_tokens=1)
    run(loop)
    seen = [(s.decodes, s.prefills, s.finished) for s in loop.steps]
    assert seen == [
        ((), (("a", 8, 0),), ()),
        ((), (("a", 4, 8), ("b", 3, 0)), ("b",)),
        ((("a", 13),), (), ("a",)),
    ]
    assert all(s.end_ms > s.start_ms for s in loop.steps)


def test_a_request_waits_until_its_whole_kv_fits():
    loop = new_loop(in_admission_order(100), num_pages=4)
    loop.submit("a", prompt(30), output_tokens=2)  # 2 pages
    loop.submit("b", prompt(40, 1), output_tokens=8)  # 3 pages: waits for a
    first = loop.step()
    assert (first.num_waiting, first.pages_used) == (1, 2)
    assert {n: len(t) for n, t in run(loop).items()} == {"a": 1, "b": 8}
    assert len(loop.engine.kv.free_pages) == 4


def test_a_request_larger_than_the_cache_is_refused_at_once():
    loop = new_loop(in_admission_order(100), num_pages=2)
    with pytest.raises(ValueError, match="needs room for 33 tokens; the engine has 32"):
        loop.submit("a", prompt(30), output_tokens=3)
    with pytest.raises(ValueError, match="output_tokens"):
        loop.submit("a", prompt(30), output_tokens=0)


def test_cancelling_frees_waiting_and_running_requests():
    loop = new_loop(in_admission_order(100), num_pages=4)
    loop.submit("a", prompt(30), output_tokens=9)
    loop.submit("b", prompt(40, 1), output_tokens=8)
    loop.step()
    for name in ("b", "a", "nobody"):
        loop.cancel(name)
    assert not loop.busy
    assert len(loop.engine.kv.free_pages) == 4


def test_a_handed_over_request_continues_with_the_same_tokens():
    alone = new_loop(in_admission_order(100))
    alone.submit("r", prompt(40), output_tokens=6)
    expected = run(alone)["r"]

    prefill = Engine(TINY, WEIGHTS, num_pages=64)
    prefill.add("r", prompt(40))
    first = prefill.step([("r", 40)])["r"]
    decode = new_loop(in_admission_order(100))
    decode.adopt("r", [*prompt(40), first], 40, prefill.export_kv("r"), output_tokens=6)
    assert [first, *run(decode)["r"]] == expected
    assert decode.steps[0].decodes == (("r", 41),)


def test_a_planner_that_plans_nothing_is_told():
    loop = new_loop(lambda _pending: [])
    loop.submit("a", prompt(3), output_tokens=1)
    with pytest.raises(StuckError, match=r"\['a'\]"):
        loop.step()


def plan_of(decodes, chunks, budget=8):
    used = len(decodes) + sum(tokens for _, tokens in chunks)
    return {
        "decode_request_ids": decodes,
        "prefill_chunks": [{"request_id": n, "tokens": t} for n, t in chunks],
        "max_num_batched_tokens": budget,
        "used_tokens": used,
        "remaining_tokens": budget - used,
    }


@pytest.mark.parametrize(
    "plan",
    [
        plan_of([], [("a", 9)]),
        plan_of([], [("a", 4), ("a", 4)]),
        plan_of(["ghost"], []),
        plan_of([], []),
        None,
    ],
)
def test_an_impossible_plan_names_the_call_and_runs_nothing(plan):
    loop = new_loop(from_plan_function(lambda **_inputs: plan, 8, 8))
    loop.submit("a", prompt(12), output_tokens=1)
    with pytest.raises(PlanError) as caught:
        loop.step()
    assert "plan_iteration_budget(prefill_suffixes={'a': 12}, decode_request_ids=[]" in str(
        caught.value
    )
    assert loop.engine.sequences["a"].num_computed == 0


def test_an_unwritten_plan_function_is_unwritten_not_wrong():
    def stub(**_inputs):
        raise NotImplementedError

    loop = new_loop(from_plan_function(stub, 8, 8))
    loop.submit("a", prompt(12), output_tokens=1)
    with pytest.raises(NotImplementedError):
        loop.step()


def test_what_the_plan_function_does_to_its_inputs_changes_nothing():
    def greedy_hands(prefill_suffixes, decode_request_ids, **inputs):
        plan = prefill_then_decode(prefill_suffixes, decode_request_ids, **inputs)
        prefill_suffixes.clear()
        return plan

    loop = new_loop(from_plan_function(greedy_hands, 8, 8))
    loop.submit("a", prompt(12), output_tokens=2)
    assert len(run(loop)["a"]) == 2
