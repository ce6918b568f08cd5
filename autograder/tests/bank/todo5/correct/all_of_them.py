def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    gain = split_run.get("throughput", 0.0) - baseline.get("throughput", 0.0)
    delta = split_run.get("p95_latency_ms", 0.0) - baseline.get("p95_latency_ms", 0.0)
    handoff = split_run.get("handoff_ms", 0.0)
    return dict(
        throughput_gain=gain,
        latency_delta_ms=delta,
        handoff_ms=handoff,
        keep_split=all([gain > 0, delta <= 0, handoff <= max_handoff_ms]),
    )
