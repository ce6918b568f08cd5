"""The learner's cells in one namespace, and calls of the functions they define."""

from __future__ import annotations

import builtins
import inspect
import linecache
import random
import sys
import types
from typing import Any

from . import values
from .magics import compile_cell, future_flags
from .quiet import Silence

_MAX_TEXT = 500
_NO_INPUT = "input() 在评分时不可用 / input() is not available when graded"


class Namespace:
    """One ``__main__`` that the cells share, as in a notebook's kernel."""

    def __init__(self) -> None:
        self.module = types.ModuleType("__main__")
        sys.modules["__main__"] = self.module
        self.names: dict[str, Any] = self.module.__dict__
        self.names["__builtins__"] = builtins
        self.names["get_ipython"] = self.names["display"] = Silence()
        vars(builtins).update(input=_no_input, exit=_exit, quit=_exit)
        random.seed(0)
        self._flags = 0  # __future__ features of the cells so far

    def run_cell(self, label: str, source: str) -> dict[str, Any]:
        """Execute one cell; what it raised is an answer, not an error."""
        filename = f"<cell {label}>"
        # So that the line that raised can be quoted.
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        skipped: tuple[str, ...] = ()
        try:
            compiled = compile_cell(source, filename, self._flags)
            skipped = compiled.skipped
            self._flags |= future_flags(compiled.code)
            if compiled.code.co_flags & inspect.CO_COROUTINE:  # it awaits at its top level
                import asyncio

                asyncio.run(eval(compiled.code, self.names))
            else:
                exec(compiled.code, self.names)
        except BaseException as error:
            return {"skipped": _texts(skipped), "error": describe(error)}
        return {"skipped": _texts(skipped)}

    def call(self, name: str, args: list[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Call a function by name; gives its result or error, and arguments that it changed."""
        positional = [values.decode(item) for item in args]
        named = {key: values.decode(item) for key, item in kwargs.items()}
        answer: dict[str, Any] = {}
        try:
            answer["value"] = values.encode_or_foreign(self.names[name](*positional, **named))
        except BaseException as error:
            answer["error"] = describe(error)
        after = [values.encode_or_foreign(item) for item in positional]
        after_named = {key: values.encode_or_foreign(item) for key, item in named.items()}
        if after != args or after_named != kwargs:
            answer["changed"] = [after, after_named]
        return answer

    def functions(self) -> list[str]:
        """Names bound to something callable."""
        return [name for name, value in self.names.items() if callable(value)][:1000]


def describe(error: BaseException) -> dict[str, Any]:
    """An exception as data: class names, message, and the learner's line it came from."""
    try:
        message = str(error)
    except BaseException:
        message = ""
    found: dict[str, Any] = {
        "classes": [str(kind.__name__)[:80] for kind in type(error).__mro__[:20]],
        "message": _cut(message),
    }
    line = error.lineno if isinstance(error, SyntaxError) else None
    label, quoted = getattr(error, "filename", None) or "", ""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.startswith("<cell "):
            label, line = name, trace.tb_lineno
        trace = trace.tb_next
    if isinstance(line, int) and str(label).startswith("<cell "):
        quoted = linecache.getline(label, line).strip()
        found |= {"cell": label[6:-1][:80], "line": line, "source": _cut(quoted)}
    return found


def _texts(lines: tuple[str, ...]) -> list[str]:
    return [line[:120] for line in lines[:20]]


def _cut(message: str) -> str:
    return "".join(str.__iter__(message[:_MAX_TEXT]))


def _no_input(*_: object) -> str:
    raise RuntimeError(_NO_INPUT)


def _exit(code: object = None) -> None:
    raise SystemExit(code)
