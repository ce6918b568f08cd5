def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    return (
        lambda g, d, h: {
            "throughput_gain": g,
            "latency_delta_ms": d,
            "handoff_ms": h,
            "keep_split": g > 0 >= d and h <= max_handoff_ms,
        }
    )(
        *(
            split_run.get(k, 0.0) - b
            for k, b in (
                ("throughput", baseline.get("throughput", 0.0)),
                ("p95_latency_ms", baseline.get("p95_latency_ms", 0.0)),
                ("handoff_ms", 0.0),
            )
        )
    )
