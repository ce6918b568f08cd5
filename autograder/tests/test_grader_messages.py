"""Every note that the code can make has a sentence in both languages."""

import re
from pathlib import Path
from typing import get_args

import pytest

import pdgrade
import pdgrade.challenge.messages
from pdgrade.challenge.scoring import Status
from pdgrade.learner_errors import StopKind
from pdgrade.records import QuestionRecord, QuestionStatus, SubmissionStatus, TestRecord, Verdict
from pdsched import messages

SOURCES = [p.read_text("utf-8") for p in Path(pdgrade.__file__).parent.rglob("*.py")]
TEMPLATES = [p.read_text("utf-8") for p in Path(pdgrade.__file__).parent.rglob("*.j2")]


def test_every_code_in_the_source_has_a_message():
    codes = {c for text in SOURCES for c in re.findall(r'[Nn]ote\(\s*"([a-z_0-9]+)"', text)}
    codes |= {c for text in TEMPLATES for c in re.findall(r't\("([a-z_0-9]+)"', text)}
    assert len(codes) > 60
    known = messages.registered()
    assert not [code for code in codes if f"grader.{code}" not in known]


def test_every_outcome_has_a_message():
    known = messages.registered()
    wanted = [f"grader.verdict_{v}" for v in get_args(Verdict)]
    wanted += [f"grader.status_{s}" for s in get_args(SubmissionStatus)]
    stopped = set(get_args(QuestionStatus)) - {"graded"}
    wanted += [f"grader.stopped_{s}" for s in stopped]
    wanted += [f"grader.question_{s}" for s in stopped - {"missing"}]
    wanted += [f"grader.challenge_status_{s}" for s in get_args(Status)]
    wanted += [f"grader.challenge_stop_{s}" for s in get_args(StopKind)]
    ended = stopped - {"missing", "isolation"}
    wanted += [f"grader.{kind}_{s}_elsewhere" for kind in ("stopped", "question") for s in ended]
    assert not [key for key in wanted if key not in known]


@pytest.mark.parametrize(
    ("where", "sentence", "words"),
    [
        ("todo2", "todo2 使进程退出（在 作答单元格）。", "todo2 使进程退出"),
        ("todo2_order", "todo2 使进程退出（在 测试 todo2_order）。", "todo2 使进程退出"),
        ("cell[7]", "todo2 使进程退出（在 第 7 格）。", "todo2 使进程退出"),
        ("todo3", "todo2 没有运行：todo3 的单元格使进程退出。", "todo2 没有运行：todo3 使进程退出"),
    ],
)
def test_a_stop_names_the_cell_whose_doing_it_was(where, sentence, words):
    tests = (TestRecord("todo2_order", 0.0, 2.0, "stopped"),)
    record = QuestionRecord(
        "todo2", ("f",), "exited", tests, stopped_in=where, reason="exit status 0"
    )
    assert record.stopped().text() == sentence
    assert record.stopped("question").text() == words
