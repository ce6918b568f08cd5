"""What an experiment gave, as one flat row."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pdsched.experiment.setting import Experiment
    from pdsched.metrics import Metrics

SCHEMA_VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """An experiment with its metrics; every number in it is simulated."""

    experiment: Experiment
    metrics: Metrics

    def row(self) -> dict[str, object]:
        """Settings and headline metrics in one flat dictionary, for CSV and tables."""
        metrics = self.metrics
        numbers: dict[str, object] = {
            "ttft_p50_ms": metrics.ttft_ms.p50,
            "ttft_p95_ms": metrics.ttft_ms.p95,
            "ttft_p99_ms": metrics.ttft_ms.p99,
            "tpot_p50_ms": metrics.tpot_ms.p50,
            "tpot_p95_ms": metrics.tpot_ms.p95,
            "itl_p50_ms": metrics.itl_ms.p50,
            "itl_p99_ms": metrics.itl_ms.p99,
            "e2e_p95_ms": metrics.e2e_ms.p95,
            "request_throughput_per_s": metrics.request_throughput_per_s,
            "output_token_throughput_per_s": metrics.output_token_throughput_per_s,
            "goodput_per_s": metrics.goodput_per_s,
            "slo_attainment": metrics.slo_attainment,
            "preemptions": metrics.preemptions,
            "handoff_p95_ms": metrics.handoff.exposed_ms.p95,
        }
        use = {f"utilisation_{role}": share for role, share in metrics.utilisation.items()}
        return {**asdict(self.experiment), "gpus": self.experiment.gpus, **numbers, **use}

    def as_dict(self) -> dict[str, object]:
        """Everything, nested, for JSON."""
        cost = self.experiment.cost()
        return {
            "schema_version": SCHEMA_VERSION,
            "evidence": "simulated",
            "cost_model": {"name": cost.name, "source": cost.source, "error": cost.error},
            "experiment": asdict(self.experiment),
            "metrics": self.metrics.as_dict(),
        }
