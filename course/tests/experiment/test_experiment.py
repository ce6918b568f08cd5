"""Experiments from plain values, and many of them on different executors."""

import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from pdsched.experiment import Experiment, grid, parse_pd, parse_slo, run_all

SMALL = Experiment(num_requests=40, rate_per_s=20, ttft_slo_ms=500, tpot_slo_ms=30)


def test_an_experiment_travels_and_repeats():
    assert pickle.loads(pickle.dumps(SMALL)) == SMALL
    assert SMALL.run() == SMALL.run()
    assert SMALL.run() != replace(SMALL, seed=1).run()


def test_every_request_is_served_and_the_row_is_flat():
    result = SMALL.run()
    assert result.metrics.num_requests == 40
    row = result.row()
    assert row["policy"] == "vllm_v1"
    assert row["gpus"] == 1
    assert all(not isinstance(value, (dict, list, tuple)) for value in row.values())
    assert result.as_dict()["evidence"] == "simulated"


def test_pools_have_a_link_and_count_their_gpus():
    split = replace(SMALL, **parse_pd("2:1"), tensor_parallel=2)
    assert split.gpus == 6
    metrics = split.run().metrics
    assert set(metrics.utilisation) == {"prefill", "decode"}
    # every prompt but those that end with their first token crosses the link
    assert 0 < metrics.handoff.count <= 40


def test_a_smaller_chunk_shortens_the_worst_stall():
    long = replace(SMALL, workload="long-document", num_requests=60, rate_per_s=2)
    whole = replace(long, policy="decode_first", max_num_batched_tokens=131_072).run()
    chunked = replace(long, policy="decode_first", max_num_batched_tokens=512).run()
    assert chunked.metrics.itl_ms.p99 < whole.metrics.itl_ms.p99 / 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "gpt-5"}, "unknown model 'gpt-5'"),
        ({"hardware": "h900"}, "unknown hardware 'h900'"),
        ({"link": "carrier-pigeon"}, "unknown link"),
        ({"policy": "fastest"}, "unknown policy 'fastest'"),
        ({"policy": "sarathi", "chunk_tokens": 5}, "no chunk size"),
        ({"prefill_workers": 1}, "come together"),
        ({"shared_workers": 0}, "at least one worker"),
        ({"ttft_slo_ms": -1.0}, "ttft_ms"),
    ],
)
def test_impossible_settings_are_named(changes, words):
    with pytest.raises(ValueError, match=words):
        replace(SMALL, **changes)


def test_weights_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"llama-3\.1-70b in bf16 does not fit.* 1 x h100"):
        replace(SMALL, model="llama-3.1-70b").run()
    assert replace(SMALL, model="llama-3.1-70b", tensor_parallel=4, num_requests=5).run()


def test_slo_and_worker_words():
    assert parse_slo("") == {}
    assert parse_slo("tpot=40") == {"tpot_slo_ms": 40.0}
    for wrong in ("ttft", "ttft=fast", "itl=3"):
        with pytest.raises(ValueError, match="ttft"):
            parse_slo(wrong)
    assert parse_pd("3") == {"prefill_workers": 0, "decode_workers": 0, "shared_workers": 3}
    assert parse_pd("2:1:1")["shared_workers"] == 1
    for wrong in ("", "a:b", "1:2:3:4", "-1:2"):
        with pytest.raises(ValueError, match="workers look like"):
            parse_pd(wrong)


def test_a_grid_is_every_combination():
    axes = {
        "load": [{"rate_per_s": 1.0}, {"rate_per_s": 2.0}],
        "budget": [{"max_num_batched_tokens": b} for b in (256, 512, 1024)],
    }
    experiments = grid(SMALL, axes)
    assert len(set(experiments)) == 6
    assert experiments[1] == replace(SMALL, rate_per_s=1.0, max_num_batched_tokens=512)


SWEEP = grid(SMALL, {"seed": [{"seed": seed} for seed in range(4)]})


def test_threads_give_the_same_results_in_the_same_order_and_report_progress():
    seen = []
    with ThreadPoolExecutor(3) as executor:
        results = run_all(SWEEP, executor=executor, progress=lambda *at: seen.append(at))
    assert results == run_all(SWEEP, max_workers=1)
    assert sorted(seen) == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_processes_give_the_same_results():
    assert run_all(SWEEP[:2], max_workers=2) == run_all(SWEEP[:2], max_workers=1)


def test_a_failing_experiment_is_reported_and_nothing_hangs():
    broken = replace(SMALL, model="llama-3.1-70b")
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(ValueError, match="does not fit"),
    ):
        run_all([broken, *SWEEP], executor=executor)
    assert threading.active_count() < 50


@pytest.mark.slow
def test_a_dask_cluster_is_an_executor_too():
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        results = run_all(SWEEP, executor=client.get_executor())
    assert results == run_all(SWEEP, max_workers=1)


def test_the_learners_own_plan_is_a_policy(monkeypatch):
    from pdsched import learner

    def decode_first(prefills, decodes, budget, chunk, *, policy, **_):
        left = budget - len(decodes)
        chunks = []
        for request_id, tokens in prefills.items():
            take = min(tokens, chunk, left)
            if take > 0:
                chunks.append({"request_id": request_id, "tokens": take})
                left -= take
        return {
            "policy": policy,
            "max_num_batched_tokens": budget,
            "decode_request_ids": list(decodes),
            "prefill_chunks": chunks,
            "used_tokens": budget - left,
            "remaining_tokens": left,
        }

    monkeypatch.setattr(learner, "load", lambda: {"plan_iteration_budget": decode_first})
    own = replace(SMALL, policy="learner:decode_first", chunk_tokens=256).run()
    built_in = replace(SMALL, policy="decode_first", chunk_tokens=256).run()
    assert own.metrics == built_in.metrics
    monkeypatch.setattr(learner, "load", dict)
    with pytest.raises(ValueError, match="plan_iteration_budget was not found"):
        replace(SMALL, policy="learner").run()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"policy": "learner:fifo"}, "unknown policy 'learner:fifo'.*learner:balanced"),
        ({"chunk_tokens": 0}, "chunk_tokens must be at least 1, got 0"),
    ],
)
def test_a_setting_out_of_range_is_refused_before_anything_runs(changes, words):
    with pytest.raises(ValueError, match=words):
        replace(SMALL, **changes)


def test_a_plan_that_is_not_written_is_said_in_one_line(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="needs plan_iteration_budget") as caught:
        replace(SMALL, policy="learner").run()
    assert "\n" not in str(caught.value)


def test_a_limit_given_twice_is_refused():
    with pytest.raises(ValueError, match="ttft is given twice"):
        parse_slo("ttft=1,ttft=2")


def test_a_sweep_needs_at_least_one_job():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        run_all([SMALL], max_workers=0)
