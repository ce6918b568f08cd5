"""What must hold for any workload under any legal policy, checked on a finished timeline."""

from math import isclose

from pdsched.simulator import simulate


def check(requests, timeline, *, budget, seats):
    """Assert every conservation property that the records of a timeline allow."""
    records = {record.request_id: record for record in timeline.requests}
    assert [record.request_id for record in timeline.requests] == [r.request_id for r in requests]
    for request in requests:
        check_request(request, records[request.request_id])
    check_iterations(timeline, budget, seats)
    check_tokens(requests, timeline)
    check_handoffs(timeline)


def check_request(request, record):
    assert record.output_tokens == request.output_tokens
    assert record.arrival_ms <= record.first_scheduled_ms < record.first_token_ms
    assert record.first_token_ms <= record.decode_first_token_ms <= record.finish_ms
    if request.output_tokens == 1:
        assert record.finish_ms == record.first_token_ms
    else:
        assert record.finish_ms > record.first_token_ms
    assert record.cached_tokens <= max(0, min(request.cached_tokens, request.prompt_tokens - 1))
    assert (record.recomputed_tokens > 0) >= (record.preemptions > 0 and record.cached_tokens == 0)


def check_iterations(timeline, budget, seats):
    ends = {}
    for position, iteration in enumerate(timeline.iterations):
        assert iteration.index == position
        assert iteration.end_ms > iteration.start_ms >= ends.get(iteration.worker, 0.0)
        ends[iteration.worker] = iteration.end_ms
        chunks = sum(chunk.num_tokens for chunk in iteration.prefills)
        assert all(chunk.num_tokens > 0 for chunk in iteration.prefills)
        assert iteration.num_scheduled_tokens == len(iteration.decodes) + chunks
        assert 0 < iteration.num_scheduled_tokens <= budget
        everybody = [*iteration.decodes, *(chunk.request_id for chunk in iteration.prefills)]
        assert len(set(everybody)) == len(everybody) <= iteration.num_running <= seats
        if iteration.kv_blocks_total is not None:
            assert 0 <= iteration.kv_blocks_used <= iteration.kv_blocks_total
    starts = [iteration.start_ms for iteration in timeline.iterations]
    assert starts == sorted(starts)


def check_tokens(requests, timeline):
    """Every token is computed once, plus once for each recomputation; every output delivered."""
    prefilled = dict.fromkeys((request.request_id for request in requests), 0)
    decoded = dict.fromkeys(prefilled, 0)
    sampled = dict.fromkeys(prefilled, 0)
    prompt = {request.request_id: request.prompt_tokens for request in requests}
    for iteration in timeline.iterations:
        for key in iteration.decodes:
            decoded[key] += 1
            sampled[key] += 1
        for chunk in iteration.prefills:
            key = chunk.request_id
            prefilled[key] += chunk.num_tokens
            known = prompt[key] + sampled[key]
            assert chunk.num_computed_tokens + chunk.num_tokens <= known
            sampled[key] += chunk.num_computed_tokens + chunk.num_tokens == known
    for request, record in zip(requests, timeline.requests, strict=True):
        key = request.request_id
        assert sampled[key] == request.output_tokens
        computed = prefilled[key] + decoded[key]
        if not request.cached_tokens:
            needed = request.prompt_tokens + request.output_tokens - 1
            assert computed == needed + record.recomputed_tokens
    outputs = sum(request.output_tokens - 1 for request in requests)
    assert sum(timeline.gaps.weight) == outputs
    waited = sum(g * w for g, w in zip(timeline.gaps.gap_ms, timeline.gaps.weight, strict=True))
    lasted = sum(record.finish_ms - record.first_token_ms for record in timeline.requests)
    assert isclose(waited, lasted, rel_tol=1e-9, abs_tol=1e-6)
    assert sum(worker.decode_tokens for worker in timeline.workers) == sum(decoded.values())
    assert sum(worker.prefill_tokens for worker in timeline.workers) == sum(prefilled.values())


def check_handoffs(timeline):
    pools = {record.request_id: record for record in timeline.requests}
    for handoff in timeline.handoffs:
        assert handoff.ready_ms <= handoff.admitted_ms <= handoff.start_ms <= handoff.end_ms
        assert handoff.ready_ms >= pools[handoff.request_id].first_token_ms
        assert pools[handoff.request_id].pool == "prefill_pool"
    arrived = [h.request_id for h in timeline.handoffs if h.outcome != "failed"]
    expected = [
        record.request_id
        for record in timeline.requests
        if record.pool == "prefill_pool" and record.output_tokens > 1
        and any(worker.role == "prefill" for worker in timeline.workers)
    ]  # fmt: skip
    assert sorted(arrived) == sorted(expected)


def same(one, other):
    """Assert that two timelines agree up to the rounding of sums."""
    assert len(one.iterations) == len(other.iterations)
    for a, b in zip(one.iterations, other.iterations, strict=True):
        assert (a.worker, a.decodes, a.prefills) == (b.worker, b.decodes, b.prefills)
        assert (a.num_running, a.num_waiting) == (b.num_running, b.num_waiting)
        assert (a.kv_blocks_used, a.preempted) == (b.kv_blocks_used, b.preempted)
        assert isclose(a.start_ms, b.start_ms, rel_tol=1e-9, abs_tol=1e-9)
        assert isclose(a.end_ms, b.end_ms, rel_tol=1e-9)
    for a, b in zip(one.requests, other.requests, strict=True):
        for name in ("request_id", "preemptions", "recomputed_tokens", "cached_tokens"):
            assert getattr(a, name) == getattr(b, name)
        for name in ("first_token_ms", "decode_first_token_ms", "finish_ms"):
            assert isclose(getattr(a, name), getattr(b, name), rel_tol=1e-9)


def both(requests, policy, cost, **options):
    """Simulate with and without fast-forward; they must agree. Returns the slow one."""
    slow = simulate(requests, policy, cost, fast_forward=False, **options)
    same(slow, simulate(requests, policy, cost, fast_forward=True, **options))
    return slow
