"""The scheduling ledger of Step 4: five functions, one after another, on three requests.

Each section is one of the learner's functions at work. A function that is missing, unwritten or
failing leaves its reason in its own section, and the others are written all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import pdsched.messages.ledger  # noqa: F401  registers the catalog
from pdsched.feedback import FunctionUnavailable
from pdsched.hardware import LINKS, MODELS, LinkSpec, handoff_bytes, handoff_ms, kv_bytes_per_token
from pdsched.ledger import scenario
from pdsched.ledger.comparison import NotReady, Run, compare, cost
from pdsched.ledger.schedule import BudgetSettings, Round, schedule
from pdsched.messages import text
from pdsched.scheduler import PlanError
from pdsched.tables import Table

Functions = Mapping[str, Callable[..., Any]]


@dataclass(frozen=True)
class Section:
    """One page of the ledger: a heading, a table where there is one, and sentences."""

    title: str
    table: Table | None = None
    sentences: tuple[str, ...] = ()

    def as_markdown(self) -> str:
        """Heading, table and sentences as Markdown."""
        parts = [f"#### {self.title}"]
        if self.table:
            parts.append(self.table.as_markdown())
        return "\n\n".join([*parts, *self.sentences])

    def as_text(self) -> str:
        """The same as plain text."""
        table = [self.table.as_text()] if self.table else []
        return "\n".join([self.title, *table, *self.sentences]).replace("**", "").replace("`", "")


@dataclass(frozen=True)
class Ledger:
    """All sections; shows itself as Markdown in a notebook, as text elsewhere."""

    sections: tuple[Section, ...]

    def _repr_markdown_(self) -> str:
        return "\n\n".join(section.as_markdown() for section in self.sections)

    def __repr__(self) -> str:
        return "\n\n".join(section.as_text() for section in self.sections)


def open_ledger(
    functions: Functions,
    *,
    link: str = scenario.LINK,
    settings: BudgetSettings | None = None,
) -> Ledger:
    """Write the ledger with the learner's functions (see `pdsched.learner.load`).

    Args:
        functions: the learner's functions by name; missing ones are said so.
        link: preset between prefill and decode workers (see `pdsched.hardware.LINKS`).
        settings: the budget of TODO 3; None is the one of the text.

    Raises:
        ValueError: no such link; the message lists the known ones.
    """
    if link not in LINKS:
        raise ValueError(f"unknown link {link!r}; known: {', '.join(sorted(LINKS))}")
    budget = settings or BudgetSettings()
    return Ledger(
        (
            _section("mix", functions, "summarize_request_mix", _mix),
            _section("chunks", functions, "build_chunked_prefill_plan", _chunks(budget)),
            _section("rounds", functions, "plan_iteration_budget", _rounds(budget)),
            _section("pools", functions, "plan_pd_split", _pools(LINKS[link])),
            _section("decision", functions, "evaluate_pd_decision", _decision(functions)),
        )
    )


Page = tuple[Table | None, tuple[str, ...]]


def _section(
    key: str, functions: Functions, name: str, write: Callable[[Callable[..., Any]], Page]
) -> Section:
    """One section, or the reason why it cannot be written."""
    title = text(f"ledger.{key}.title")
    function = functions.get(name)
    if function is None:
        return Section(title, None, (text("ledger.missing", name=name),))
    try:
        table, sentences = write(function)
    except NotReady as blocked:
        return Section(title, None, (_reason(blocked.name, blocked.error),))
    except Exception as error:  # whatever the learner's code does, the ledger goes on
        return Section(title, None, (_reason(name, error),))
    return Section(title, table, sentences)


def _reason(name: str, error: Exception) -> str:
    """Why a function left no line: not written, not found, or what it raised."""
    if isinstance(error, NotImplementedError):
        return text("ledger.unwritten", name=name)
    if isinstance(error, PlanError):
        return text("ledger.plan", name=name, iteration=error.iteration, rule=error.rule)
    if isinstance(error, FunctionUnavailable):
        return f"✗ {error}"
    if isinstance(error, KeyError) and error.args == (name,):
        return text("ledger.missing", name=name)
    return text("ledger.raised", name=name, error=f"{type(error).__name__}: {error}")


def _columns(key: str) -> tuple[str, ...]:
    return tuple(text(f"ledger.{key}.columns").split(" | "))


def _mix(summarize_request_mix: Callable[..., Any]) -> Page:
    counts = dict(summarize_request_mix(scenario.request_dicts(), scenario.LONG_PROMPT_TOKENS))
    total = sum(counts.values())
    rows = [(f"`{name}`", str(count)) for name, count in counts.items()]
    conserved = text(
        "ledger.mix.conserved" if total == len(scenario.SHAPES) else "ledger.mix.lost", n=total
    )
    return Table("", _columns("mix"), tuple(rows), frozenset({1})), (conserved,)


def _chunks(settings: BudgetSettings) -> Callable[[Callable[..., Any]], Page]:
    def write(build_chunked_prefill_plan: Callable[..., Any]) -> Page:
        rows = []
        for name, (prompt, _) in scenario.SHAPES.items():
            suffix = list(range(scenario.CACHED_TOKENS.get(name, 0), prompt))
            plan = build_chunked_prefill_plan(list(suffix), settings.max_prefill_chunk_tokens)
            lengths = [len(chunk) for chunk in plan]
            whole = [token for chunk in plan for token in chunk] == suffix
            shown = " + ".join(f"{len(list(same))} × {length}" for length, same in groupby(lengths))
            rows.append(
                (
                    name,
                    str(prompt),
                    str(prompt - len(suffix)),
                    str(len(suffix)),
                    str(len(lengths)),
                    shown if whole else text("ledger.chunks.broken"),
                )
            )
        return Table("", _columns("chunks"), tuple(rows), frozenset({1, 2, 3, 4})), ()

    return write


def _rounds(settings: BudgetSettings) -> Callable[[Callable[..., Any]], Page]:
    def write(plan_iteration_budget: Callable[..., Any]) -> Page:
        rounds = schedule(plan_iteration_budget, scenario.suffix_tokens(), scenario.CHATS, settings)
        table = Table(
            "", _columns("rounds"), tuple(_round(each) for each in rounds), frozenset({0, 4, 5})
        )
        said = text(
            "ledger.rounds.settings",
            budget=settings.max_num_batched_tokens,
            chunk=settings.max_prefill_chunk_tokens,
            policy=settings.policy,
            reserve=settings.decode_reserve_tokens,
            chats=len(scenario.CHATS),
        )
        faults = [f"✗ {each.fault}" for each in rounds if each.fault]
        stalls = sum("d2" in each.stalled for each in rounds)
        return table, (said, *(faults or [text("ledger.rounds.stalls", stalls=stalls)]))

    return write


def _round(entry: Round) -> tuple[str, ...]:
    return (
        str(entry.number),
        " ".join(entry.decodes) or "–",
        " · ".join(f"{name} {tokens}" for name, tokens in entry.chunks) or "–",
        " ".join(entry.stalled) or "–",
        str(entry.used_tokens),
        str(entry.remaining_tokens),
    )


def _pools(link: LinkSpec) -> Callable[[Callable[..., Any]], Page]:
    per_token = kv_bytes_per_token(MODELS[scenario.MODEL])

    def write(plan_pd_split: Callable[..., Any]) -> Page:
        pools = plan_pd_split(
            scenario.request_dicts(), scenario.LONG_PROMPT_TOKENS, scenario.LONG_DECODE_TOKENS
        )
        pool_of = {name: pool for pool, names in pools.items() for name in names}
        rows = []
        for name, (prompt, _) in scenario.SHAPES.items():
            pool = pool_of.get(name, "–")
            moved = pool == "prefill_pool"
            rows.append(
                (
                    name,
                    f"`{pool}`",
                    text(f"ledger.pools.{pool}") if pool in _POOLS else "✗",
                    f"{handoff_bytes(prompt, per_token) / 1e6:.0f}" if moved else "–",
                    f"{handoff_ms(prompt, per_token, link):.2f}" if moved else "–",
                )
            )
        said = text("ledger.pools.link", model=scenario.MODEL, link=link.name, source=link.source)
        return Table("", _columns("pools"), tuple(rows), frozenset({3, 4})), (said,)

    return write


def _decision(functions: Functions) -> Callable[[Callable[..., Any]], Page]:
    def write(_evaluate_pd_decision: Callable[..., Any]) -> Page:
        runs = compare(functions)
        model = cost()
        table = Table(
            "", _columns("decision"), tuple(_compared(run) for run in runs), frozenset(range(1, 6))
        )
        said = (
            text("ledger.decision.setting", budget=f"{scenario.MAX_HANDOFF_MS:g}"),
            text("ledger.decision.evidence", model=model.name, error=model.error),
        )
        return table, said

    return write


def _compared(run: Run) -> tuple[str, ...]:
    numbers = (f"{run.throughput:,.0f}", f"{run.p95_latency_ms:,.0f}")
    if run.decision is None:
        return (text("ledger.decision.shared"), *numbers, "–", "–", "–", "–")
    return (
        f"PD · {run.link}",
        *numbers,
        f"{run.handoff_ms:,.1f}",
        f"{run.decision['throughput_gain']:+,.0f}",
        f"{run.decision['latency_delta_ms']:+,.0f}",
        text(f"ledger.decision.keep.{run.decision['keep_split'] is True}"),
    )


_POOLS: Final = ("prefill_pool", "decode_pool", "shared_pool")
