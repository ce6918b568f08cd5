"""Run the test cells of one question in this (trusted) process against the learner's functions.

Each question gets a fresh worker. First the visible part of every test cell is run, then the
hidden parts: what a learner sees of visible checks is settled before their code has met a hidden
input. A test cell earns all of its points if it runs to its end and the worker is still there.
"""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from types import CodeType, TracebackType
from typing import Any, Final

from pdgrade.assignment import CodeCell, Question, TestCell
from pdgrade.forkserver import ForkServer
from pdgrade.hidden import seeded
from pdgrade.learner_errors import LearnerError, Stop, stopped
from pdgrade.records import (
    CellError,
    CheckRecord,
    Note,
    QuestionRecord,
    QuestionStatus,
    TestRecord,
    Verdict,
)
from pdgrade.regions import hidden_part, visible_part
from pdgrade.sandbox import IsolationError
from pdgrade.worker_client import Worker
from pdsched import messages
from pdsched.feedback import CheckFailure, CheckResult, recording

_STATUS_OF_STOP: Final[dict[str, QuestionStatus]] = {
    "wall": "timeout",
    "cpu": "timeout",
    "killed": "memory",
    "lost": "isolation",  # ours, not theirs: a person must look
    "output": "output",
    "disk": "output",
    "files": "output",
    "crashed": "crashed",
    "channel": "crashed",
    "exited": "exited",
}
#: Stops that are no doing of the learner, as far as anyone can tell: tried once more.
_NOT_THEIR_DOING: Final = ("killed", "lost")
_MAX_DETAIL: Final = 300
#: Arguments and keyword arguments of calls, in order.
Calls = Iterable[tuple[Sequence[Any], dict[str, Any]]]
_SHARED_FIELDS: Final = tuple(
    {f.name for f in fields(CheckRecord)} & {f.name for f in fields(CheckResult)}
)


def grade_question(
    question: Question,
    cells: Sequence[CodeCell],
    server: ForkServer,
    seed: int | str,
    *,
    wall_s: float | None = None,
) -> QuestionRecord:
    """Execute the learner's `cells` in a worker and run the question's tests on it.

    Args:
        question: its functions and test cells.
        cells: the learner's code, in order.
        server: forks the worker.
        seed: of the hidden cases.
        wall_s: what is left of the submission's time; the question's own limit holds too.

    Whatever the learner's code does, this returns a record.
    """
    started = time.monotonic()
    limit = server.limits.question_wall_s
    deadline = started + (limit if wall_s is None else min(limit, wall_s))
    try:
        for last_try in (False, True):
            with _Run(question, cells, server, deadline) as run:
                run.test_all(seed)
                record = run.record()
            if last_try or run.stop_kind not in _NOT_THEIR_DOING:
                break
    except IsolationError as error:
        tests = tuple(_test_record(_Attempt(test)) for test in question.tests)
        record = QuestionRecord(
            question.name, question.functions, "isolation", tests, reason=str(error)[:_MAX_DETAIL]
        )
    wall_ms = round((time.monotonic() - started) * 1000, 3)
    return replace(record, isolation=str(server.isolation), wall_ms=wall_ms)


@dataclass
class _Attempt:
    """One test cell and what came of it so far."""

    test: TestCell
    verdict: Verdict = "not_run"
    results: list[CheckRecord] = field(default_factory=list)
    detail: str = ""
    namespace: dict[str, Any] = field(default_factory=dict)

    @property
    def may_go_on(self) -> bool:
        return self.verdict in ("not_run", "passed")


class _LearnerFunction:
    """Stands in the tests for a function of the learner; calls whichever worker is current."""

    def __init__(
        self,
        name: str,
        call: Callable[..., Any],
        unexposed: Callable[[], Any],
        announce: Callable[[str, Calls], None] = lambda _name, _calls: None,
    ) -> None:
        self.__name__ = self.__qualname__ = name
        self._call = call
        self._unexposed = unexposed
        self._announce = announce

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(self.__name__, args, kwargs)

    def announce(self, calls: Calls) -> None:
        """Say which calls come next; see `Worker.announce`."""
        self._announce(self.__name__, calls)

    def unexposed(self) -> Callable[..., Any]:
        """The same function in a worker that has not met any input yet, for examples to show."""
        return _LearnerFunction(self.__name__, self._unexposed(), self._unexposed)


class _Run(AbstractContextManager["_Run"]):
    """The workers of one question and the attempts at its tests."""

    def __init__(
        self, question: Question, cells: Sequence[CodeCell], server: ForkServer, deadline: float
    ) -> None:
        self._question, self._cells, self._server = question, cells, server
        self._deadline = deadline
        self._restarts_left = server.limits.restarts
        self._attempts = [_Attempt(test) for test in question.tests]
        self._workers: list[Worker] = []
        self._example_worker: Worker | None = None
        self._first_stop: tuple[Stop, str] | None = None
        self._worker = self._start()
        self._output = self._worker.printed  # before any input: nothing hidden can be in it
        if self._worker.stop:
            self._first_stop = (self._worker.stop, self._worker.stop.where)
        functions = {
            name: _LearnerFunction(name, self._call, self._unexposed, self._announce)
            for name in question.functions
        }
        for attempt in self._attempts:
            attempt.namespace = {
                "__name__": f"test {attempt.test.grade_id}",
                "__builtins__": builtins,
                **functions,
            }

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.close()

    def test_all(self, seed: int | str) -> None:
        """Visible parts of all test cells first, hidden parts after."""
        if self._first_stop:
            for attempt in self._attempts:
                attempt.verdict = "stopped"
            return
        with seeded(seed):
            for part in (visible_part, hidden_part):
                for attempt in self._attempts:
                    source = part(attempt.test.source)
                    if attempt.may_go_on and source.strip():
                        self._run_part(attempt, source, hidden=part is hidden_part)

    @property
    def stop_kind(self) -> str:
        """Of the first stop; empty if there was none."""
        return self._first_stop[0].kind if self._first_stop else ""

    def record(self) -> QuestionRecord:
        """What the question earned; closes its workers."""
        self.__exit__(None, None, None)
        status: QuestionStatus = "graded"
        reason = where = ""
        if self._first_stop:
            stop, where = self._first_stop
            status, reason = _STATUS_OF_STOP[stop.kind], stop.detail
        first = self._workers[0]
        return QuestionRecord(
            name=self._question.name,
            functions=self._question.functions,
            status=status,
            tests=tuple(_test_record(attempt) for attempt in self._attempts),
            stopped_in=where,
            reason=reason,
            cell_errors=tuple(
                CellError(cell.label, str(cell.error)) for cell in first.cells if cell.error
            ),
            output=self._output,
            notes=tuple(
                Note("magic_skipped", {"line": line})
                for cell in first.cells
                for line in cell.skipped
            ),
            cpu_ms=round(sum(worker.usage.cpu_ms for worker in self._workers), 3),
        )

    def _start(self) -> Worker:
        worker = self._server.worker(self._cells, deadline=self._deadline)
        self._workers.append(worker)
        return worker

    def _run_part(self, attempt: _Attempt, source: str, *, hidden: bool) -> None:
        if not self._ready():
            attempt.verdict = "stopped"
            return
        self._example_worker = None
        with recording() as results:
            verdict, detail = _execute(source, attempt, hidden=hidden)
        if self._worker.stop:
            verdict = "stopped"
            # In a hidden part even an exit status could carry something of the input.
            stop = self._worker.stop
            detail = stop.kind if hidden else stop.detail
            if self._first_stop is None:
                self._first_stop = (replace(stop, detail=detail), attempt.test.grade_id)
        elif self._worker.spent:
            self._worker.close()
        attempt.verdict, attempt.detail = verdict, detail
        attempt.results += [_check_record(result, hidden=hidden) for result in results]

    def _ready(self) -> bool:
        """Whether there is a worker to call.

        One that was given calls which its test did not come to make is replaced: no test meets the
        traces of calls that nobody made.
        """
        if not self._worker.stop and self._worker.spent:
            self._worker = self._start()
            if self._worker.stop and not self._first_stop:
                self._first_stop = (self._worker.stop, self._worker.stop.where)
        return self._worker.stop is None or self._restart()

    def _restart(self) -> bool:
        """A fresh worker in place of the one that ended; False if there were too many.

        A call that ends the worker costs its own test cell, not the others.
        """
        if self._restarts_left <= 0 or time.monotonic() > self._deadline:
            return False
        self._restarts_left -= 1
        self._worker.close()
        self._worker = self._start()
        return self._worker.stop is None

    def _call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return self._worker.call(name, args, kwargs)

    def _announce(self, name: str, calls: Calls) -> None:
        self._worker.announce(name, calls)

    def _unexposed(self) -> Callable[..., Any]:
        """Calls of a worker of its own, started for the example of one failed test."""
        if self._example_worker is None:
            self._example_worker = self._start()
        worker = self._example_worker

        def call(name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
            if worker.stop:
                raise stopped(worker.stop)
            return worker.call(name, args, kwargs)

        return call


def _execute(source: str, attempt: _Attempt, *, hidden: bool) -> tuple[Verdict, str]:
    """Run a part of a test cell; the verdict, and what was raised where no check tells it."""
    try:
        exec(_compiled(source, attempt.test.grade_id), attempt.namespace)
    except CheckFailure as failure:
        return failure.result.verdict, ""
    except NotImplementedError:
        return "unwritten", ""
    except Exception as error:  # tests may use a plain assert
        verdict: Verdict = "wrong_value" if isinstance(error, AssertionError) else "raised"
        if hidden:  # its text may hold the hidden input
            return verdict, type(error).__name__
        described = getattr(error, "learner_error", None)
        text = str(described) if isinstance(described, LearnerError) else _raised(error)
        return verdict, text[:_MAX_DETAIL]
    return "passed", ""


@lru_cache(maxsize=512)
def _compiled(source: str, grade_id: str) -> CodeType:
    return compile(source, f"<test {grade_id}>", "exec", dont_inherit=True)


def _raised(error: Exception) -> str:
    message = str(error)
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _check_record(result: CheckResult, *, hidden: bool) -> CheckRecord:
    """A result as it may be shown: a check made in a hidden part tells its rule and no more."""
    if hidden and (result.public or result.verdict == "unavailable"):
        result = CheckResult(result.name, result.verdict, rule=result.rule, public=False)
    shared = {name: getattr(result, name) for name in _SHARED_FIELDS}
    told = {
        f"{name}.{language}": value.told_in(language)
        for name, value in shared.items()
        for language in messages.LANGUAGES
        if isinstance(value, messages.Sentence) and language != messages.language()
    }
    return CheckRecord(**shared, told=told)


def _test_record(attempt: _Attempt) -> TestRecord:
    test = attempt.test
    points = test.points if attempt.verdict == "passed" else 0.0
    return TestRecord(
        grade_id=test.grade_id,
        points=points,
        max_points=test.points,
        verdict=attempt.verdict,
        title=test.title,
        checks=tuple(attempt.results),
        detail=attempt.detail,
    )
