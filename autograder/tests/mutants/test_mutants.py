"""The mutation run: operators do what they say, and no unexplained mutant survives."""

from pathlib import Path

import pytest

from pdgrade.mutants import mutants_of, running
from pdgrade.mutants.__main__ import main
from pdgrade.mutants.equivalent import EQUIVALENT
from pdgrade.mutants.running import run_solution
from pdsched.contracts import contract

PLAIN = Path(__file__).parents[1] / "bank" / "todo2" / "correct" / "plain.py"


def changes(source):
    return {(mutant.operator, mutant.change) for mutant in mutants_of(source)}


def test_operators_make_the_faults_they_name():
    found = changes(
        'def f(a: int, b: int = 1) -> int:\n    """Doc."""\n    if a < b and a:\n'
        "        return max(a, b)\n    return [a, b][1:]\n"
    )
    assert {
        ("comparison", "if a < b and a: → if a <= b and a:"),
        ("and/or", "if a < b and a: → if a < b or a:"),
        ("constant", "def f(a, b=1): → def f(a, b=2):"),
        ("name", "return max(a, b) → return min(a, b)"),
        ("slice off by one", "return [a, b][1:] → return [a, b][1 + 1:]"),
        ("slice bound dropped", "return [a, b][1:] → return [a, b][:]"),
        ("elements swapped", "return [a, b][1:] → return [b, a][1:]"),
        ("element dropped", "return [a, b][1:] → return [b][1:]"),
        ("statement dropped", "return max(a, b) → pass"),
        ("condition negated", "if a < b and a: → if not (a < b and a):"),
    } <= found
    assert not any("Doc" in change for _, change in found)


def test_mutants_are_distinct_and_differ_from_the_solution():
    sources = [mutant.source for mutant in mutants_of(PLAIN.read_text(encoding="utf-8"))]
    assert len(set(sources)) == len(sources) > 20


def test_words_of_error_messages_are_not_mutated():
    assert not any(
        "negative" in change
        for _, change in changes("def f(a):\n    if a < 0:\n        raise ValueError('negative')\n")
    )


def test_more_than_one_function_is_refused():
    with pytest.raises(ValueError, match="expected one function"):
        mutants_of("def f(): pass\ndef g(): pass\n")


def test_an_endless_mutant_is_noticed(monkeypatch):
    monkeypatch.setattr(running, "MAX_TURNS", 500)
    source = (
        "def build_chunked_prefill_plan(suffix_tokens, chunk_size):\n"
        "    if chunk_size <= 0:\n        raise ValueError\n"
        "    plan, start = [], 0\n"
        "    while start < len(suffix_tokens):\n"
        "        plan.append(suffix_tokens[start:start + chunk_size])\n"
        "        start += chunk_size\n"
        "    return plan\n"
    )
    outcomes = {each.mutant.change: each for each in run_solution(contract(2), source)}
    assert outcomes["start += chunk_size → pass"].status == "killed"
    assert outcomes["start += chunk_size → start -= chunk_size"].status == "killed"


def test_a_wrong_solution_cannot_be_mutated():
    with pytest.raises(ValueError, match="fails its own tests"):
        list(run_solution(contract(2), "def build_chunked_prefill_plan(a, b):\n    return []\n"))


def test_every_equivalent_has_a_reason():
    assert all(len(reason) > 20 for reason in EQUIVALENT.values())


@pytest.mark.slow
def test_every_mutant_of_the_reference_solutions_is_killed_or_explained(capsys):
    """Also that docs/mutation.md is what the run says."""
    assert main(["--check"]) == 0, capsys.readouterr().out
