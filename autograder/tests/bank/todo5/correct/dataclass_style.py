from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Run:
    throughput: float = 0.0
    p95_latency_ms: float = 0.0
    handoff_ms: float = 0.0

    @classmethod
    def of(cls, measured):
        return cls(**{k: v for k, v in measured.items() if k in cls.__dataclass_fields__})


@dataclass
class Decision:
    throughput_gain: float
    latency_delta_ms: float
    handoff_ms: float
    keep_split: bool = False


def evaluate_pd_decision(baseline, split_run, max_handoff_ms):
    before, after = Run.of(baseline), Run.of(split_run)
    decision = Decision(
        after.throughput - before.throughput,
        after.p95_latency_ms - before.p95_latency_ms,
        after.handoff_ms,
    )
    faster, steady = decision.throughput_gain > 0, not decision.latency_delta_ms > 0
    decision.keep_split = faster and steady and not decision.handoff_ms > max_handoff_ms
    return asdict(decision)
