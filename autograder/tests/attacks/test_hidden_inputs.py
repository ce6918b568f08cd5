"""The real hidden properties: a hostile function meets graded inputs and cannot carry one out."""

import dataclasses
import json
import re
from pathlib import Path
from random import Random

import pytest

from pdgrade import assignment
from pdgrade.assignment import CodeCell
from pdgrade.checks import grade_question
from pdgrade.forkserver import ForkServer
from pdgrade.hidden import PROPERTIES

SOURCE = Path(__file__).parents[3] / "source" / "prefill-decode-scheduling"
SEED = 20_261_129
#: Ways to tell, each with everything met so far in `seen`.
TELLS = {
    "as the result": "return list(seen)",
    "as text": "return repr(seen)",
    "in an exception": "raise ValueError(repr(seen))",
    "as unwritten": "raise NotImplementedError(repr(seen))",
    "as a type's name": "return type(repr(seen), (), {})()",
    "as keys": "return {repr(s): 1 for s in seen}",
    "printed": "print(seen, flush=True); return seen[-1]",
    "changed arguments": "[a.extend(map(repr, seen)) for a in args if type(a) is list]; return []",
}

pytestmark = pytest.mark.skipif(not SOURCE.is_dir(), reason="needs source/ beside this folder")


def graded_inputs(question):
    """Long enough pieces of every graded secret input, as they would look when shown."""
    for test in question.tests:
        tested = PROPERTIES[test.grade_id]
        if tested.secret_input:
            for case in tested.cases(Random(f"{SEED}/{test.grade_id}/graded")):
                for value in (*case.args, *case.kwargs.values()):
                    text = re.sub(r"[\s'\"\\]", "", repr(value))
                    if len(text) > 16:
                        yield text


@pytest.fixture(scope="module")
def server():
    with ForkServer() as server:
        yield server


@pytest.mark.parametrize("tell", TELLS)
def test_no_graded_input_reaches_the_record(tell, server):
    checked = 0
    for notebook in assignment.load(SOURCE).notebooks:
        for question in notebook.questions:
            if not question.name.startswith("todo"):
                continue
            (name,) = question.functions
            cell = f"seen = []\ndef {name}(*args, **kwargs):\n    seen.append((args, kwargs))\n"
            cells = [CodeCell(question.name, cell + f"    {TELLS[tell]}\n")]
            record = grade_question(question, cells, server, seed=SEED)
            told = json.dumps(dataclasses.asdict(record), ensure_ascii=False)
            told = re.sub(r"[\s'\"\\]", "", told)
            visible = re.sub(r"[\s'\"\\]", "", "".join(test.source for test in question.tests))
            for secret in graded_inputs(question):
                if secret not in visible:
                    assert secret not in told, (question.name, secret)
                    checked += 1
    assert checked > 20


READS_AHEAD = """

import gc
right = {name}
def {name}(*args, **kwargs):
    readers = [o for o in gc.get_objects() if type(o).__name__ == "FrameReader"]
    waiting = b"".join(bytes(reader._buffer) for reader in readers)
    return repr(waiting) if waiting else right(*args, **kwargs)
"""


def test_calls_that_wait_behind_one_reach_no_record_and_earn_nothing(server):
    failed = 0
    for notebook in assignment.load(SOURCE).notebooks:
        for question in notebook.questions:
            if not question.name.startswith("todo"):
                continue
            hostile = READS_AHEAD.format(name=question.functions[0])
            cells = [
                CodeCell(c.grade_id or str(c.index), c.source + hostile * (c.kind != "provided"))
                for c in notebook.cells
                if c.kind == "provided" or c.grade_id == question.name
            ]
            record = grade_question(question, cells, server, seed=SEED)
            failed += sum(test.verdict == "wrong_type" for test in record.tests)
            told = re.sub(r"[\s'\"\\]", "", json.dumps(dataclasses.asdict(record)))
            visible = re.sub(r"[\s'\"\\]", "", "".join(test.source for test in question.tests))
            assert not [s for s in graded_inputs(question) if s in told and s not in visible]
    assert failed > 10


LOCK = """
import fcntl, os
kept = open(os.__file__, "rb")
def locks():
    held = []
    for name, lock in (
        ("flock", lambda: fcntl.flock(kept, fcntl.LOCK_EX | fcntl.LOCK_NB)),
        ("lockf", lambda: fcntl.lockf(kept, fcntl.LOCK_SH | fcntl.LOCK_NB)),
        ("open file description", lambda: fcntl.fcntl(kept, 37, bytes(32))),
    ):
        try:
            lock()
        except OSError:
            continue
        held.append(name)
    return held
"""


def test_no_lock_tells_one_worker_what_another_has_met(server):
    if not server.isolation.seccomp:
        pytest.skip("this rung does not promise it")
    with server.worker([CodeCell("lock", LOCK)]) as worker:
        assert worker.call("locks", (), {}) == []
