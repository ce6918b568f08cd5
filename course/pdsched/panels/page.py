"""The HTML around a picture: state badge, sentences, number strip, style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from pdsched.figures.palette import stylesheet
from pdsched.messages import text
from pdsched.panels.answer import Answer
from pdsched.panels.spec import Number

_BADGE: Final = {
    "right": "✓",
    "wrong": "✗",
    "unwritten": "✎",
    "raised": "⚠",
    "hung": "⚠",
    "broken": "⚠",
    "predict": "?",
}

_CSS: Final = (
    ".pd-panel{line-height:1.5;font-size:14px}"
    ".pd-panel h4{margin:2px 0 0;font-size:16px;color:var(--pd-ink)}"
    ".pd-state{display:flex;gap:10px;align-items:baseline;margin:2px 0;padding:4px 10px;"
    "border-left:5px solid var(--pd-faint);background:color-mix(in srgb,var(--pd-faint) 9%,"
    "transparent);color:var(--pd-ink);white-space:normal;overflow-wrap:anywhere}"
    ".pd-state b{white-space:nowrap}"
    ".pd-state.right{border-color:var(--pd-slo)}"
    ".pd-state.wrong,.pd-state.raised,.pd-state.hung,.pd-state.broken{border-color:var(--pd-error)}"
    ".pd-state.wrong b,.pd-state.raised b,.pd-state.hung b{color:var(--pd-error)}"
    ".pd-state.unwritten,.pd-state.predict{border-color:var(--pd-decode)}"
    ".pd-state p{margin:0}"
    ".pd-state pre{margin:4px 0 0;max-height:90px;overflow:auto;white-space:pre-wrap}"
    ".pd-strip{display:flex;flex-wrap:wrap;gap:4px 22px;margin:4px 0 2px}"
    ".pd-strip div{border-left:4px solid var(--pd-grid);padding-left:8px;color:var(--pd-faint);"
    "font-size:12.5px;line-height:1.3}"
    ".pd-strip b{display:block;font-size:17px;color:var(--pd-ink);"
    "font-variant-numeric:tabular-nums}"
    ".pd-words{margin:2px 0;color:var(--pd-ink);white-space:normal}"
    ".pd-ask{color:var(--pd-ink);white-space:normal;font-weight:600}"
    ".pd-faint{color:var(--pd-faint)}"
)


def style() -> str:
    """The style sheet all panels share, put on the page once by each panel's heading."""
    return f"<style>{stylesheet()}{_CSS}</style>"


def heading(words: str) -> str:
    """A panel's first line, with the style sheet along."""
    return f'{style()}<div class="pd pd-panel"><h4>{escape(words)}</h4></div>'


def state(kind: str, sentences: Sequence[str], printed: str = "") -> str:
    """The badge and what it means, said politely to a screen reader."""
    lines = "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences)
    if printed.strip():
        words = escape(text("panels.printed"))
        lines += f"<p>{words}</p><pre>{escape(printed.strip()[-600:])}</pre>"
    label = escape(text(f"panels.state.{kind}"))
    return (
        f'<div class="pd pd-panel pd-state {kind}" role="status" aria-live="polite" '
        f'data-state="{kind}"><b>{_BADGE[kind]} {label}</b><div>{lines}</div></div>'
    )


def answered(found: Answer, function: str) -> str:
    """The state line of an answer."""
    sentences = found.sentences
    if found.state == "right":
        sentences = (text("panels.right", function=function),)
    return state(found.state, sentences, found.printed)


def strip(numbers: Sequence[Number]) -> str:
    """The readable numbers under the picture."""
    if not numbers:
        return ""
    cells = "".join(
        f'<div style="border-color:var(--pd-{number.tone or "grid"})"><b>{escape(number.value)}'
        f"</b>{escape(number.label)}</div>"
        for number in numbers
    )
    return f'<div class="pd pd-panel pd-strip">{cells}</div>'


def words(sentences: Sequence[str]) -> str:
    """Explaining sentences under the picture."""
    return "".join(
        f'<p class="pd pd-panel pd-words">{escape(sentence)}</p>' for sentence in sentences
    )
