"""A fingerprint of what was handed in: the same bytes and the same tests need no second run."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from pdgrade import __version__
from pdgrade.assignment import Assignment
from pdgrade.grading.settings import GradingSettings
from pdgrade.submission.document import Unreadable, read_bytes
from pdgrade.submission.files import notebook_paths


def content_hash(folder: Path, assignment: Assignment, settings: GradingSettings) -> str:
    """A hash over all that decides the score of a submission, and over nothing else."""
    digest = sha256(f"{__version__} {assignment.fingerprint} {settings}".encode())
    for path in notebook_paths(folder, [notebook.name for notebook in assignment.notebooks]):
        data = read_bytes(path)
        digest.update(str(path.relative_to(folder)).encode("utf-8", "surrogateescape"))
        digest.update(
            repr(data).encode() if isinstance(data, Unreadable) else sha256(data).digest()
        )
    return digest.hexdigest()


def seed_of(content: str, question: str) -> int:
    """The seed of a question's hidden cases: fixed for one submission, different for the next."""
    return int.from_bytes(sha256(f"{content} {question}".encode()).digest()[:8], "big")
