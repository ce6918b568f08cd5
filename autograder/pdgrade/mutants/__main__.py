"""``python -m pdgrade.mutants``: run all mutants and write ``docs/mutation.md``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pdgrade.mutants.running import run_all, stale_equivalents
from pdgrade.mutants.table import page, score
from pdsched.contracts import ASSIGNMENT

ROOT = Path(__file__).resolve().parents[3]


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when every mutant is killed or explained and, with ``--check``, the page is current."""
    parser = argparse.ArgumentParser(prog="python -m pdgrade.mutants", description=__doc__)
    parser.add_argument("--source", type=Path, default=ROOT / "source" / ASSIGNMENT)
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "mutation.md")
    parser.add_argument("--check", action="store_true", help="compare with the page, do not write")
    chosen = parser.parse_args(arguments)
    outcomes = run_all(chosen.source)
    problems = [
        f"survived: TODO {each.contract.todo}, {each.mutant.operator}: {each.mutant.change}"
        for each in outcomes
        if each.status == "survived"
    ]
    problems += [
        f"listed as equivalent but not found: TODO {todo}, {change}"
        for todo, change in stale_equivalents(outcomes)
    ]
    text = page(outcomes)
    if not chosen.check:
        chosen.page.parent.mkdir(parents=True, exist_ok=True)
        chosen.page.write_text(text, encoding="utf-8")
    elif not chosen.page.is_file() or chosen.page.read_text(encoding="utf-8") != text:
        problems.append(f"{chosen.page.name} is out of date: run make mutants")
    print(f"{len(outcomes)} mutants, score {score(outcomes):.1%}")
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
