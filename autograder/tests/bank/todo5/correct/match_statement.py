def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    match (baseline, split_run):
        case ({**before}, {**after}):
            gain = after.pop("throughput", 0.0) - before.pop("throughput", 0.0)
            delta = after.pop("p95_latency_ms", 0.0) - before.pop("p95_latency_ms", 0.0)
            handoff = after.pop("handoff_ms", 0.0)
    match (gain > 0, delta > 0, handoff > max_handoff_ms):
        case (True, False, False):
            keep = True
        case _:
            keep = False
    return {
        "throughput_gain": gain,
        "latency_delta_ms": delta,
        "handoff_ms": handoff,
        "keep_split": keep,
    }
