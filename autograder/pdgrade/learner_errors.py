"""Exceptions of the learner's code, rebuilt in the parent from data; and the worker's own end."""

from __future__ import annotations

import builtins
from dataclasses import dataclass
from typing import Any, Final, Literal

from pdsched.feedback import FunctionUnavailable

#: Why a worker ended. ``wall`` to ``files`` are limits; ``channel`` is a broken result channel;
#: ``killed`` came from outside (the system was short of memory, or a person), and ``lost`` means
#: that the template ended.
StopKind = Literal[
    "wall", "cpu", "output", "disk", "files", "crashed", "exited", "channel", "killed", "lost"
]

MAX_MESSAGE_CHARACTERS: Final = 500
_NEVER: Final = (
    "StopIteration",  # would silently end a loop in a test
    "StopAsyncIteration",
    "BaseExceptionGroup",
    "ExceptionGroup",  # these need more than a message
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeTranslateError",
)


@dataclass(frozen=True)
class Stop:
    """How and where a worker ended before its time."""

    kind: StopKind
    detail: str  # "wall limit 5 s", "SIGSEGV", "exit status 3"
    where: str = ""  # label of the cell, or name of the function

    def __str__(self) -> str:
        return f"{self.detail} ({self.where})" if self.where else self.detail


class WorkerStopped(FunctionUnavailable):
    """The learner's process is no more; every further call says so again at once."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(str(stop))
        self.stop = stop


class CallTimeout(WorkerStopped):
    """It was ended because it took too long."""


class WorkerDied(WorkerStopped):
    """It ended itself, crashed, or went over a limit other than time."""


def stopped(stop: Stop) -> WorkerStopped:
    """The exception for a stop."""
    return CallTimeout(stop) if stop.kind in ("wall", "cpu") else WorkerDied(stop)


@dataclass(frozen=True)
class LearnerError:
    """An exception in the learner's code, as text that is safe to keep and show."""

    classes: tuple[str, ...]
    message: str
    cell: str = ""
    line: int = 0
    source: str = ""

    def __str__(self) -> str:
        name = self.classes[0] if self.classes else "Exception"
        place = f" ({self.cell}, line {self.line}: {self.source})" if self.line else ""
        return f"{name}: {self.message}{place}" if self.message else f"{name}{place}"

    @classmethod
    def read(cls, data: Any) -> LearnerError:
        """Rebuild from what a worker sent; anything odd in it becomes empty."""
        found = data if isinstance(data, dict) else {}
        classes = found.get("classes")
        names = classes if isinstance(classes, list) else []
        line = found.get("line")
        return cls(
            classes=tuple(plain_text(name, 80) for name in names[:20] if isinstance(name, str)),
            message=plain_text(found.get("message"), MAX_MESSAGE_CHARACTERS),
            cell=plain_text(found.get("cell"), 80),
            line=line if type(line) is int and 0 < line < 1_000_000 else 0,
            source=plain_text(found.get("source"), 200),
        )

    def exception(self) -> Exception:
        """The nearest builtin exception, carrying this description as ``learner_error``.

        What is no ordinary error of a function (``SystemExit``, ``StopIteration``) is rebuilt as
        RuntimeError: raised in the parent it would end a loop, or the grader.
        """
        made = self._exception()
        made.learner_error = self  # type: ignore[attr-defined]
        return made

    def _exception(self) -> Exception:
        for name in self.classes:
            kind = _ordinary_exception(name)
            if kind is not None and (kind is not Exception or name == self.classes[0]):
                return _with_plain_text(kind)(self.message)
        name = self.classes[0] if self.classes else "Exception"
        return RuntimeError(f"{name}: {self.message}" if self.message else name)


def _ordinary_exception(name: str) -> type[Exception] | None:
    """The builtin exception of this name, if it may be raised in the parent."""
    kind = getattr(builtins, name, None)
    if not isinstance(kind, type) or not issubclass(kind, Exception) or name in _NEVER:
        return None
    return kind


def _with_plain_text(kind: type[Exception]) -> type[Exception]:
    """KeyError shows its argument quoted; ours is a text that was quoted already."""
    if not issubclass(kind, KeyError):
        return kind
    return type("KeyError", (KeyError,), {"__str__": lambda self: str(self.args[0])})


def plain_text(data: object, limit: int) -> str:
    """Text from a worker without control, surrogate or direction characters, cut to `limit`."""
    if not isinstance(data, str):
        return ""
    return "".join(c if _showable(c) else "\ufffd" for c in data[:limit])


def _showable(character: str) -> bool:
    code = ord(character)
    if character in "\n\t":
        return True
    control = code < 0x20 or 0x7F <= code < 0xA0 or 0xD800 <= code <= 0xDFFF
    direction = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069 or code in (0x200E, 0x200F)
    return not (control or direction)
