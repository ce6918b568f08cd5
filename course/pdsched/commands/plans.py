"""``pdsched plans FILE.jsonl``: does our vLLM V1 make the plans that the real one made?"""

from __future__ import annotations

import sys
from pathlib import Path

import pdsched.messages.plans  # noqa: F401 -- registers the sentences
from pdsched.messages import text
from pdsched.scheduler.recorded_plans import read_recordings
from pdsched.simulator.replay import Comparison, compare


def run(path: Path | str) -> int:
    """Replay every scenario and print how many are identical.

    Args:
        path: a JSONL file of recordings; see `pdsched.scheduler.recorded_plans`.

    Returns:
        0 when all are identical, 1 when some differ, 2 when the file cannot be read or holds none.
    """
    try:
        comparisons = [compare(recording) for recording in read_recordings(Path(path))]
    except (OSError, ValueError) as error:
        print(text("plans.unreadable", path=path, error=error), file=sys.stderr)
        return 2
    if not comparisons:
        print(text("plans.empty", path=path), file=sys.stderr)
        return 2
    identical = 0
    for comparison in comparisons:
        if comparison.identical:
            identical += 1
        else:
            print(_difference(comparison))
    print(text("plans.summary", identical=identical, total=len(comparisons)))
    return 0 if identical == len(comparisons) else 1


def _difference(comparison: Comparison) -> str:
    if comparison.reason is not None:
        return text("plans.not_replayed", name=comparison.name, reason=comparison.reason)
    return text(
        "plans.differs",
        name=comparison.name,
        step=comparison.step,
        recorded=comparison.recorded,
        ours=comparison.ours,
    )
