"""Tests of the hidden tests: small faults put into the reference solutions, one at a time.

``python -m pdgrade.mutants`` makes every mutant that `changes` knows, runs the hidden properties
on it, and writes ``docs/mutation.md``. A mutant that no property notices must be listed in
`equivalent` with the reason why nobody could notice it.
"""

from pdgrade.mutants.mutating import Mutant, mutants_of
from pdgrade.mutants.running import Outcome, run_all

__all__ = ["Mutant", "Outcome", "mutants_of", "run_all"]
