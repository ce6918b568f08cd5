def _get(run, key):
    return float(run[key]) if key in run else 0.0


def _keep(gain, delta, handoff, limit):
    if gain <= 0:
        return False
    if delta > 0:
        return False
    if handoff > limit:
        return False
    return True


def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    gain = _get(split_run, "throughput") - _get(baseline, "throughput")
    delta = _get(split_run, "p95_latency_ms") - _get(baseline, "p95_latency_ms")
    handoff = _get(split_run, "handoff_ms")
    return {
        "keep_split": _keep(gain, delta, handoff, max_handoff_ms),
        "handoff_ms": handoff,
        "latency_delta_ms": delta,
        "throughput_gain": gain,
    }
