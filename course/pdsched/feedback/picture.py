"""The failing example drawn in the panel's own language, where a picture helps.

TODO 2 shows the chunks against ``chunk_size``, TODO 3 the tokens of the round against the budget.
What is drawn is read back from the result's own texts, so a result that was stored or sent
elsewhere can be drawn too.
"""

from __future__ import annotations

import ast
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from pdsched.contracts import contract
from pdsched.feedback.results import CheckResult

WIDTH_PX: Final = 620


def picture_of(result: CheckResult) -> str:
    """An SVG of the failing example; empty where there is nothing to see."""
    if result.verdict != "wrong_value":
        return ""
    try:
        name, arguments = read_call(result.call)
        got = ast.literal_eval(result.got)
        draw = _DRAWN.get(name)
        # Ids must be unique on the page: another output may be hidden, and its patterns with it.
        uid = f"check{zlib.crc32((result.call + result.got).encode()):x}"
        return draw(arguments, got, result.detail, uid) if draw else ""
    except (ValueError, SyntaxError, KeyError, TypeError, AttributeError, IndexError):
        return ""  # cut short, or an answer without the shape that can be drawn


def read_call(call: str) -> tuple[str, dict[str, Any]]:
    """The function's name and its arguments by name, from a call's source.

    Raises:
        ValueError: not a call of one of the five functions with literal arguments.
    """
    expression = ast.parse(call, mode="eval").body
    if not isinstance(expression, ast.Call) or not isinstance(expression.func, ast.Name):
        raise ValueError(f"not a call: {call!r}")  # noqa: TRY004  a text, not a type
    names = contract(expression.func.id).parameters
    values = [ast.literal_eval(argument) for argument in expression.args]
    arguments = dict(zip(names, values, strict=False))
    named = {word.arg: ast.literal_eval(word.value) for word in expression.keywords if word.arg}
    return expression.func.id, {**arguments, **named}


def _round(arguments: Mapping[str, Any], plan: Mapping[str, Any], fault: str, uid: str) -> str:
    from pdsched.figures.iteration_timeline import StepBar, TimelinePicture, iteration_timeline
    from pdsched.figures.svg import render

    order = {name: number for number, name in enumerate(arguments["prefill_suffixes"], 1)}
    chunks = tuple(
        (order.get(chunk["request_id"], 0), chunk["tokens"]) for chunk in plan["prefill_chunks"]
    )
    step = StepBar(0.0, 1.0, len(plan["decode_request_ids"]), chunks, fault=fault)
    budget = arguments["max_num_batched_tokens"]
    scene = iteration_timeline(TimelinePicture("", budget, (step,)))
    legend = ("prefill", "decode", "idle", "budget", "error")
    scene = replace(scene, width_px=WIDTH_PX, legend=legend)
    return render(scene, uid=uid)


def _chunks(arguments: Mapping[str, Any], plan: list[list[int]], _fault: str, uid: str) -> str:
    from pdsched.figures.chunk_boundaries import ChunkPlan, Flaws, chunk_boundaries
    from pdsched.figures.svg import render

    size, suffix = arguments["chunk_size"], arguments["suffix_tokens"]
    lengths = tuple(len(chunk) for chunk in plan)
    if not lengths or size <= 0:
        return ""
    flaws = Flaws(
        missing=tuple(range(sum(lengths), len(suffix))),
        overlong=tuple(i for i, length in enumerate(lengths) if length > size),
        underfull=tuple(i for i, length in enumerate(lengths[:-1]) if length < size),
    )
    drawn = ChunkPlan(0, len(suffix), size, lengths, flaws)
    return render(replace(chunk_boundaries(drawn), width_px=WIDTH_PX), uid=uid)


_DRAWN: Final[dict[str, Callable[[Any, Any, str, str], str]]] = {
    "plan_iteration_budget": _round,
    "build_chunked_prefill_plan": _chunks,
}
