"""What one check found, as data: verdict, rule, input, expected and got."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Literal, cast, get_args

import pdsched.messages.feedback  # noqa: F401  registers the catalog
from pdsched.messages import text

SCHEMA_VERSION: Final = 1

Verdict = Literal["passed", "unwritten", "raised", "wrong_type", "wrong_value", "unavailable"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one check, ready to show.

    Attributes:
        name: what was checked: a function's name or the grade_id of a hidden property.
        verdict: one of `VERDICTS`.
        rule: the violated (or kept) rule in one sentence; may be empty.
        call: the call as Python source, ``f([1, 2], chunk_size=2)``.
        expected: the expected result as text.
        got: what came back, or the exception, as text.
        public: False for hidden properties; their example is never the graded input.
        detail: where the two differ, or the learner's line that raised.
        hint: what to do next, in one sentence.
    """

    name: str
    verdict: Verdict
    rule: str = ""
    call: str = ""
    expected: str = ""
    got: str = ""
    public: bool = True
    detail: str = ""
    hint: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict must be one of {', '.join(VERDICTS)}, got {self.verdict!r}")

    @property
    def passed(self) -> bool:
        """Whether the check succeeded."""
        return self.verdict == "passed"

    def to_json(self) -> dict[str, Any]:
        """A JSON object that `from_json` reads back."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> CheckResult:
        """Rebuild a result written by `to_json`.

        Raises:
            ValueError: another schema version, or a field is missing.
        """
        if record.get("schema_version") != SCHEMA_VERSION:
            raise ValueError(
                f"schema_version must be {SCHEMA_VERSION}, got {record.get('schema_version')!r}"
            )
        missing = [field.name for field in fields(cls) if field.name not in record]
        if missing:
            raise ValueError(f"check result lacks {', '.join(missing)}")
        return cls(**{field.name: record[field.name] for field in fields(cls)})

    def as_text(self) -> str:
        """The result in plain words, one labelled line per fact."""
        facts = (
            ("call", self.call),
            ("expected", self.expected),
            ("got", self.got),
            ("line" if self.verdict == "raised" else "detail", self.detail),
            ("rule", self.rule),
            ("hint", self.hint),
        )
        heading = text(f"feedback.verdict.{self.verdict}", name=self.name)
        lines = [f"{text(f'feedback.label.{label}')}{fact}" for label, fact in facts if fact]
        return "\n".join([heading, *lines])


class CheckFailure(AssertionError):  # noqa: N818  a failed check is an answer, not an error
    """A check that did not pass; ``str()`` is its readable report."""

    def __init__(self, result: CheckResult) -> None:
        super().__init__(result.as_text())
        self.result = result

    def _render_traceback_(self) -> list[str]:
        """IPython shows these lines instead of a traceback through our own code."""
        return [cast("str", self.args[0])]
