import numpy as np

FIELDS = ("throughput", "p95_latency_ms", "handoff_ms")


def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    before = np.array([baseline.get(f, 0.0) for f in FIELDS], dtype=np.float64)
    after = np.array([split_run.get(f, 0.0) for f in FIELDS], dtype=np.float64)
    gain, delta, _ = after - before
    kept = np.array([gain > 0, delta <= 0, after[2] <= max_handoff_ms]).all()
    return {
        "throughput_gain": gain,
        "latency_delta_ms": delta,
        "handoff_ms": after[2],
        "keep_split": bool(kept),
    }
