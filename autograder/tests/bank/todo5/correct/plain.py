def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    throughput_gain = split_run.get("throughput", 0.0) - baseline.get("throughput", 0.0)
    latency_delta_ms = split_run.get("p95_latency_ms", 0.0) - baseline.get("p95_latency_ms", 0.0)
    handoff_ms = split_run.get("handoff_ms", 0.0)
    keep_split = throughput_gain > 0 and latency_delta_ms <= 0 and handoff_ms <= max_handoff_ms
    return {
        "throughput_gain": throughput_gain,
        "latency_delta_ms": latency_delta_ms,
        "handoff_ms": handoff_ms,
        "keep_split": keep_split,
    }
