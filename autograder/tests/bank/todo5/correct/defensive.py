from math import isfinite
from operator import sub


def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    runs = []
    for run in (split_run, baseline):
        if not isinstance(run, dict):
            raise TypeError("a run is a dict")
        values = {**{"throughput": 0.0, "p95_latency_ms": 0.0, "handoff_ms": 0.0}, **run}
        if not all(isfinite(value) for value in values.values()):
            raise ValueError("not finite")
        runs.append(values)
    after, before = runs
    gain = sub(after["throughput"], before["throughput"])
    delta = sub(after["p95_latency_ms"], before["p95_latency_ms"])
    handoff = after["handoff_ms"]
    keep = True
    keep &= gain > 0
    keep &= delta <= 0
    keep &= handoff <= max_handoff_ms
    return {
        "throughput_gain": gain,
        "latency_delta_ms": delta,
        "handoff_ms": handoff,
        "keep_split": keep,
    }
