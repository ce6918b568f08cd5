"""Every note that the code can make has a sentence in both languages."""

import re
from pathlib import Path
from typing import get_args

import pdgrade
from pdgrade.records import QuestionStatus, SubmissionStatus, Verdict
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
    assert not [key for key in wanted if key not in known]
