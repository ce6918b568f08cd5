"""One attack: cells of a hostile submission, and what it may honestly earn."""

from dataclasses import dataclass, field

FULL = {"hidden_any": 2.0, "visible": 1.0, "rejects": 1.0, "pure": 1.0}
#: Does what is asked; attacks put their code before, inside or after it.
HONEST = """
def double(items):
    if items is None:
        raise ValueError("items")
    return [2 * item for item in items]
"""


@dataclass(frozen=True)
class Attack:
    """Words in capitals are filled in by the test: COURSE, PORT, PID, CANARY_ENV, PACKAGE.

    Attributes:
        name: which attack.
        cells: of the submission; the last one is the solution cell.
        earns: points that the submission deserves all the same, by test cell.
        needs: a rung; weaker ones do not promise to withstand it.
        or_nothing: it may also end the worker, and then earns nothing.
    """

    name: str
    cells: tuple[str, ...]
    earns: dict[str, float] = field(default_factory=dict)
    needs: str = ""
    or_nothing: bool = False


def attack(name, *cells, earns=None, **options):
    return Attack(name, cells, earns or {}, **options)


def beside(name, cell, **options):
    """Hostile code next to an honest solution: it keeps the marks and gains nothing else."""
    return attack(name, cell, HONEST, earns=FULL, **options)
