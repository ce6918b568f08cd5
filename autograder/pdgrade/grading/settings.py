"""What an instructor may decide about a grading run."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from pdgrade.limits import Limits
from pdgrade.sandbox import RUNGS


@dataclass(frozen=True)
class GradingSettings:
    """Everything a grading process needs to know, as plain values.

    Attributes:
        isolation: the weakest rung of isolation to accept; empty accepts any.
        limits: of each call, question and submission.
        language: of the texts that checks leave in the records.
        zone: time zone of submission times that name none.
    """

    isolation: str = ""
    limits: Limits = field(default_factory=Limits)
    language: str = "zh"
    zone: str = "UTC"

    def __post_init__(self) -> None:
        if self.isolation and self.isolation not in RUNGS:
            raise ValueError(f"isolation must be one of {', '.join(RUNGS)}, got {self.isolation!r}")

    def to_json(self) -> dict[str, Any]:
        """Plain values for a grading process."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> GradingSettings:
        """Rebuild from `to_json`."""
        return cls(**{**data, "limits": Limits(**data["limits"])})
