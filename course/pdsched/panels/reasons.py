"""Why an iteration looks as it does: who waits, and whether for budget, seats or KV blocks."""

from __future__ import annotations

from pdsched.figures.axes import milliseconds, short_number
from pdsched.messages import text
from pdsched.panels.plan_faults import Asked
from pdsched.panels.replay import Machine
from pdsched.simulator import Iteration

MOST_NAMES = 4


def reason(iteration: Iteration, asked: Asked | None, machine: Machine, fault: str = "") -> str:
    """One sentence for the hover of an iteration."""
    decodes = len(asked.decodes) if asked else len(iteration.decodes)
    chunks = asked.chunks if asked else [(c.request_id, c.num_tokens) for c in iteration.prefills]
    named = " + ".join(f"{name} {short_number(tokens)}" for name, tokens in chunks[:MOST_NAMES])
    if len(chunks) > MOST_NAMES:
        named += " + …"
    used = decodes + sum(tokens for _, tokens in chunks)
    words = text(
        "panels.why.work",
        number=iteration.index + 1,
        took=milliseconds(iteration.duration_ms),
        decodes=decodes,
        prefill=named or "0",
        used=short_number(used),
        budget=short_number(machine.budget),
    )
    return f"{words} {fault or blocked_by(iteration, machine)}".strip()


def blocked_by(iteration: Iteration, machine: Machine) -> str:
    """Who was held back and by what; empty when nobody was."""
    if iteration.preempted:
        return text("panels.why.preempted", names=", ".join(iteration.preempted))
    full = iteration.num_scheduled_tokens >= machine.budget
    if iteration.num_waiting:
        return _waiting(iteration, machine, full)
    served = len(iteration.decodes) + len(iteration.prefills)
    held = iteration.num_running - served
    if held > 0:
        return text("panels.why.budget_held" if full else "panels.why.plan_held", count=held)
    return text("panels.why.nobody")


def _waiting(iteration: Iteration, machine: Machine, full: bool) -> str:
    count = iteration.num_waiting
    if iteration.num_running >= machine.seats:
        return text("panels.why.seats", count=count, seats=machine.seats)
    if full:
        return text("panels.why.budget_waiting", count=count)
    if machine.kv_tokens:
        used, total = iteration.kv_blocks_used, iteration.kv_blocks_total or 0
        return text("panels.why.kv", count=count, used=used, total=total)
    return text("panels.why.plan_waiting", count=count)
