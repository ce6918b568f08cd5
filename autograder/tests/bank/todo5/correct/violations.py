def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    """Collects what speaks against the split; keeps it when nothing does."""
    gain = split_run.get("throughput", 0.0) - baseline.get("throughput", 0.0)
    delta = split_run.get("p95_latency_ms", 0.0) - baseline.get("p95_latency_ms", 0.0)
    handoff = split_run.get("handoff_ms", 0.0)
    against = []
    if not gain > 0:
        against.append("throughput")
    if delta > 0:
        against.append("latency")
    if handoff > max_handoff_ms:
        against.append("handoff")
    return {
        "throughput_gain": gain,
        "latency_delta_ms": delta,
        "handoff_ms": handoff,
        "keep_split": not against,
    }
