"""The measured experiments: what they must agree on whatever the machine does to the times."""

from dataclasses import asdict

import pytest

pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched.cost import LinearCost
from pdsched.engine import ModelConfig, calibration, measure, report, stall
from pdsched.engine.calibration import Grid, IterationFeatures
from pdsched.engine.pools import PoolsRun
from pdsched.engine.specs import PlannerSpec, chunked
from pdsched.metrics import summarize

SMALL = {"num_layers": 1, "model_width": 32, "num_heads": 2, "num_kv_heads": 1,
         "head_width": 16, "mlp_width": 64, "vocab_size": 97}  # fmt: skip
REQUESTS = [
    {"request_id": f"r{i}", "arrival_ms": i * 10.0, "prompt_tokens": tokens, "output_tokens": out}
    for i, (tokens, out) in enumerate([(40, 5), (200, 3), (17, 1), (33, 8), (150, 4), (16, 2)])
]


@pytest.mark.parametrize(("chunk", "iterations"), [(None, 3), (64, 6), (100, 5)])
def test_the_stall_is_one_iteration_without_chunks_and_many_small_ones_with(chunk, iterations):
    scenario = stall.Scenario(num_chats=3, chat_context_tokens=8, prompt_tokens=256, settle_steps=5)
    spec = chunked(chunk) if chunk else PlannerSpec()
    run = stall.measure(ModelConfig(**SMALL), spec.planner(), scenario)
    assert len(run.steps) == iterations  # chunks of 256 tokens, then two decodes of the prompt
    assert sum(tokens for _, tokens, _ in run.steps) == 256
    assert all(decodes >= 3 for _, _, decodes in run.steps), "no chat was left out"
    assert run.max_itl_ms >= max(run.gaps_ms[:2])
    assert run.ttft_ms > 0


def test_plans_that_disagree_about_a_token_are_an_error():
    one = stall.StallRun(1, 2, 3, (), (), first_token=4)
    two = stall.StallRun(1, 5, 3, (), (), first_token=5)
    assert stall.middle([one, one]) is one
    with pytest.raises(ValueError, match="depends on the plan"):
        stall.middle([one, two])


def test_fit_finds_the_coefficients_behind_exact_times():
    truth = LinearCost("truth", "", "", 1.5, 0.1, 0.2, 1e-4, 1e-3)
    shapes = [
        (p, 0, p * (past + p / 2), d, d * context, d)
        for p in (0, 16, 128, 512)
        for past in (0, 300)
        for d in (1, 4, 16)
        for context in (64, 700)
    ]
    measured = [IterationFeatures(*s, duration_ms=truth.iteration_ms(*s)) for s in shapes]
    found = calibration.fit(measured, source="made up")
    for name in ("base_ms", "prefill_token_ms", "decode_ms", "prefill_pair_ms"):
        assert getattr(found, name) == pytest.approx(getattr(truth, name), rel=1e-6)
    assert found.decode_context_ms == pytest.approx(1e-3, rel=1e-6)
    assert found.error == "median error 0.0% on 16 held-out iterations of the same machine"


def test_fit_never_answers_with_negative_times():
    shapes = [(p, 0, 0.0, d, 0, d) for p in range(5) for d in range(1, 5)]
    measured = [IterationFeatures(*s, duration_ms=10 - 0.1 * s[3] + s[0]) for s in shapes]
    found = calibration.fit(measured)
    assert found.decode_ms == 0
    with pytest.raises(ValueError, match="at least 15"):
        calibration.fit(measured[:14])


def test_sampled_iterations_have_the_shapes_of_the_grid():
    grid = Grid(contexts=(20,), decode_counts=(0, 2), chunks=(0, 16, 40))
    sampled = calibration.sample_iterations(ModelConfig(**SMALL), grid)
    shapes = sorted((s.num_decodes, s.prefill_tokens, s.prefill_past) for s in sampled)
    assert shapes == [(0, 16, 20), (0, 40, 20), (2, 0, 0), (2, 16, 20), (2, 40, 20)]
    pairs = {s.prefill_tokens: s.prefill_pairs for s in sampled if s.num_decodes == 0}
    assert pairs == {16: 16 * (20 + 8), 40: 40 * (20 + 20)}
    assert all(s.duration_ms > 0 for s in sampled)


def test_stall_in_a_fresh_process_becomes_a_measured_table():
    plans = {"whole": asdict(PlannerSpec()), "chunk 64": asdict(chunked(64))}
    scenario = {"num_chats": 2, "prompt_tokens": 256, "settle_steps": 3}
    answer = measure.in_fresh_process(
        "stall", plans=plans, config=SMALL, scenario=scenario, repeats=1
    )
    assert answer["threads"] == "1"
    table = report.stall_table("stall", answer, seed=0, repeats=1)
    assert [row["plan"] for row in table.rows] == ["whole", "chunk 64"]
    assert table.rows[0]["ttft_price"] == "+0%"
    always = {"machine", "versions", "threads", "seed"}
    assert set(table.conditions) == always | {"repeats", "interference"}


def test_shared_and_split_pools_give_the_same_tokens_and_count_every_handoff():
    shared = {"split": False, "planner": asdict(chunked(64))}
    split = {"split": True, "planner": asdict(PlannerSpec())}
    answer = measure.in_fresh_process(
        "pools", requests=REQUESTS, plans={"shared": shared, "pd": split}, config=SMALL
    )
    runs = {name: PoolsRun.from_json(run) for name, run in answer["runs"].items()}
    for run in runs.values():
        assert [len(s.token_ms) for s in run.served] == [r["output_tokens"] for r in REQUESTS]
        assert all(list(s.token_ms) == sorted(s.token_ms) for s in run.served)
    assert runs["shared"].handoffs == ()
    moved = {h.request_id: h for h in runs["pd"].handoffs}
    assert set(moved) == {"r0", "r1", "r3", "r4", "r5"}, "r2 has one token: nothing to move"
    kv_bytes_per_token = ModelConfig(**SMALL).kv_bytes_per_token
    assert moved["r1"].num_bytes == 208 * kv_bytes_per_token  # 13 pages of 16 hold 200 tokens
    assert all(h.ready_ms <= h.start_ms <= h.end_ms for h in moved.values())
    metrics = summarize(runs["pd"].timeline("pd"), ttft_definition="decode")
    assert metrics.handoff.count == 5
    assert set(metrics.utilisation) == {"prefill", "decode"}
    row = report.pools_table("pools", answer, seed=0).rows[1]
    assert row["handoff_mb"] == pytest.approx(sum(h.num_bytes for h in moved.values()) / 1e6)


def test_a_worker_that_fails_is_told_with_its_reason():
    too_long = [{**REQUESTS[0], "output_tokens": 100_000}]
    plan = {"split": False, "planner": asdict(PlannerSpec())}
    with pytest.raises(RuntimeError, match="needs room for 100040 tokens"):
        measure.in_fresh_process("pools", requests=too_long, plans={"p": plan}, config=SMALL)


def test_an_unknown_experiment_or_planner_is_named():
    with pytest.raises(ValueError, match="stall, pools, calibrate"):
        measure.in_fresh_process("warp")
    with pytest.raises(ValueError, match="'magic'"):
        PlannerSpec(kind="magic")
