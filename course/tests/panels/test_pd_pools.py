"""Panel 3: the learner's routing decides who hands KV over."""

import sys
from pathlib import Path

import pytest

from pdsched.panels.pd_pools import PdPools

sys.path.insert(0, str(Path(__file__).parent))
import learner_functions as learner

SPEC = PdPools()


def view_of(function=learner.right_split, **values):
    return SPEC.compute(function, SPEC.settings(values), None)


def roles(view, plot="lanes"):
    return [mark.role for mark in view.scene.plot(plot).marks]


def test_only_requests_of_the_prefill_pool_cross_the_link():
    def all_to(pool):
        def split(requests, *_):
            names = [request["name"] for request in requests]
            return {"prefill_pool": [], "decode_pool": [], "shared_pool": [], pool: names}

        return view_of(split)

    assert "handoff" in roles(all_to("prefill_pool"))
    assert "handoff" not in roles(all_to("decode_pool"))
    assert "handoff" not in roles(all_to("shared_pool"))


def test_the_handoff_of_4096_tokens_over_a_400g_nic_is_its_bytes_over_its_speed():
    """4096 tokens x 128 KiB / 35.5 GB/s + 0.38 ms = 15.5 ms."""
    assert view_of(link="nic-400g").answer == pytest.approx(4096 * 131072 / 35.5e6 + 0.38)


def test_a_lost_and_a_repeated_request_are_named():
    faults = " ".join(view_of(learner.careless_split).faults)
    assert "不在任何池里" in faults
    assert "同时在" in faults


def test_a_wrong_pool_is_explained_by_both_thresholds():
    def swapped(requests, long_prompt, long_decode):
        pools = learner.right_split(requests, long_prompt, long_decode)
        return {
            "prefill_pool": pools["decode_pool"],
            "decode_pool": pools["prefill_pool"],
            "shared_pool": pools["shared_pool"],
        }

    view = view_of(swapped)
    assert "1024" in view.faults[0]
    assert "error" in roles(view, "routing")


def test_a_slower_link_costs_more_and_more_workers_are_more_lanes():
    assert view_of(link="ethernet-25g").answer > 10 * view_of(link="nvlink-h100").answer
    lanes = view_of(prefill=3, decode=2, shared=1).scene.plot("lanes").y.ticks
    assert len(lanes) == 3 + 1 + 2 + 1
