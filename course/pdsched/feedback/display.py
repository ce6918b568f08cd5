"""How reports look: HTML with inline styles for every notebook front end, and plain text.

Colours come from the page (``currentColor``, translucent fills) except for small chips that keep
their contrast on light and dark; no style sheet, script or widget is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from pdsched.contracts import CONTRACTS, Contract
from pdsched.feedback.picture import WIDTH_PX, picture_of
from pdsched.feedback.progress_store import Progress, TodoProgress
from pdsched.feedback.results import CheckResult
from pdsched.messages import text

GREEN: Final = "#1a7f4b"
RED: Final = "#c0392b"
GREY: Final = "#6b7280"
AMBER: Final = "#9a6700"
_CHIP: Final = (
    "display:inline-block;min-width:1.4em;padding:0 .45em;border-radius:.7em;"
    "color:#fff;text-align:center;font-weight:600;background:"
)
CARD: Final = (
    "border:1px solid rgba(128,128,128,.35);border-radius:8px;padding:.7em 1em;margin:.3em 0;"
    "max-width:56em;line-height:1.55;font-size:14px"
)
_CODE: Final = (
    "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;white-space:pre-wrap;"
    "overflow-wrap:anywhere;background:rgba(128,128,128,.14);border-radius:4px;padding:.1em .4em"
)
_VERDICT_COLOUR: Final = {"passed": GREEN, "unwritten": GREY}
_STATE_MARK: Final = {"untouched": "○", "unwritten": "…", "started": "◐", "passed": "✓"}
_STATE_COLOUR: Final = {
    "untouched": GREY,
    "unwritten": GREY,
    "started": AMBER,
    "passed": GREEN,
}


@dataclass(frozen=True)
class CheckReport:
    """What `check` found: one result per rule, and progress over the five TODOs.

    Attributes:
        contract: the TODO.
        results: one per rule; a single one while the function is unwritten or missing.
        progress: of all five TODOs, after this check.
        printed: the beginning of what the function printed meanwhile.
    """

    contract: Contract
    results: tuple[CheckResult, ...]
    progress: Progress
    printed: str = ""

    @property
    def passed(self) -> bool:
        """Whether every rule is kept."""
        return all(result.passed for result in self.results)

    @property
    def first_failure(self) -> CheckResult | None:
        """The first rule that is not kept."""
        return next((result for result in self.results if not result.passed), None)

    def __repr__(self) -> str:
        failure, lines = self.first_failure, [self._headline()]
        if failure is not None:
            lines += [failure.as_text(), *self._other_rules(failure), self._next_step()]
        if self.printed:
            lines.append(text("feedback.printed", printed=self.printed))
        return "\n".join([*lines, progress_text(self.progress)])

    def _repr_html_(self) -> str:
        failure = self.first_failure
        colour = GREEN if failure is None else _VERDICT_COLOUR.get(failure.verdict, RED)
        mark = "✓" if failure is None else "…" if failure.verdict == "unwritten" else "✗"
        chip = f'<span style="{_CHIP}{colour}">{mark}</span>'
        parts = [f"<div>{chip} <strong>{escape(self._headline())}</strong></div>"]
        if failure is not None:
            parts.append(failure_html(failure))
            parts.append(f'<div style="max-width:{WIDTH_PX}px">{picture_of(failure)}</div>')
            parts.append(f'<div style="margin-top:.5em">{escape(self._next_step())}</div>')
        if len(self.results) > 1:
            parts.append(self._rules_html())
        if self.printed:
            printed = text("feedback.printed", printed=self.printed)
            parts.append(f'<div style="opacity:.75">{escape(printed)}</div>')
        parts.append(progress_html(self.progress))
        return f'<div class="pdsched-check" style="{CARD}">{"".join(parts)}</div>'

    def _headline(self) -> str:
        kept = sum(result.passed for result in self.results)
        key = "all" if self.passed else "some" if len(self.results) > 1 else "none"
        return text(
            f"feedback.headline.{key}",
            todo=self.contract.todo,
            name=self.contract.function,
            kept=kept,
            total=len(self.results),
        )

    def _next_step(self) -> str:
        left = 3 - min(self.progress[self.contract.todo].hints_seen, 3)
        key = "feedback.ask_hint" if left else "feedback.all_hints_seen"
        return text(key, todo=self.contract.todo, left=left)

    def _other_rules(self, shown: CheckResult) -> Iterator[str]:
        for result in self.results:
            if result is not shown:
                yield f"  {'✓' if result.passed else '✗'} {result.rule}"

    def _rules_html(self) -> str:
        rows = "".join(_rule_row(result) for result in self.results)
        summary = escape(text("feedback.rules", total=len(self.results)))
        is_open = "" if self.passed else " open"
        return (
            f'<details style="margin-top:.5em"{is_open}><summary style="cursor:pointer">{summary}'
            f'</summary><table style="border-collapse:collapse;margin:.3em 0">{rows}</table>'
            "</details>"
        )


def _rule_row(result: CheckResult) -> str:
    colour = _VERDICT_COLOUR.get(result.verdict, RED)
    mark = "✓" if result.passed else "✗"
    label = text(f"feedback.short.{result.verdict}")
    cell = "text-align:left;vertical-align:top;padding:.15em .5em;background:transparent"
    return (
        f'<tr style="background:transparent"><td style="{cell}">'
        f'<span style="{_CHIP}{colour}" title="{escape(label)}">{mark}</span></td>'
        f'<td style="{cell}">{escape(result.rule)}</td></tr>'
    )


def failure_html(result: CheckResult) -> str:
    """Input, expected, got, difference and rule of one failed check."""
    facts = (
        ("call", result.call, True),
        ("expected", result.expected, True),
        ("got", result.got, True),
        ("line" if result.verdict == "raised" else "detail", result.detail, False),
        ("rule", result.rule, False),
        ("hint", result.hint, False),
    )
    cell = "text-align:left;vertical-align:top;padding:.15em .6em .15em 0;background:transparent"
    rows = "".join(
        f'<tr style="background:transparent"><td style="{cell};white-space:nowrap;opacity:.75">'
        f"{escape(text(f'feedback.label.{label}').strip())}</td>"
        f'<td style="{cell}">{_fact(fact, is_code)}</td></tr>'
        for label, fact, is_code in facts
        if fact
    )
    heading = escape(text(f"feedback.verdict.{result.verdict}", name=result.name))
    return (
        f'<div style="margin-top:.35em">{heading}</div>'
        f'<table style="border-collapse:collapse;margin:.2em 0">{rows}</table>'
    )


def _fact(fact: str, is_code: bool) -> str:
    return f'<span style="{_CODE}">{escape(fact)}</span>' if is_code else escape(fact)


def progress_text(progress: Progress) -> str:
    """``TODO 1 ✓ · TODO 2 ◐ 2/4 · …``."""
    return " · ".join(_progress_words(each) for each in progress.values())


def _progress_words(each: TodoProgress) -> str:
    count = f" {each.checks_passed}/{each.checks_total}" if each.state == "started" else ""
    return f"TODO {each.todo} {_STATE_MARK[each.state]}{count}"


def progress_html(progress: Progress) -> str:
    """Five chips in the order of the TODOs, each with its state in words on hover."""
    names = {each.todo: each.function for each in CONTRACTS}
    chips = "".join(
        f'<span style="{_CHIP}{_STATE_COLOUR[each.state]};margin-right:.4em" '
        f'title="{escape(names[todo])}: {escape(text(f"feedback.state.{each.state}"))}">'
        f"{_progress_words(each)}</span>"
        for todo, each in progress.items()
    )
    return f'<div style="margin-top:.6em;font-size:12px">{chips}</div>'


@dataclass(frozen=True)
class ProgressView:
    """Progress over the five TODOs, shown as chips or as one line."""

    progress: Progress

    def __repr__(self) -> str:
        return progress_text(self.progress)

    def _repr_html_(self) -> str:
        return progress_html(self.progress)
