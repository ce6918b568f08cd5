"""The optional cost backend: its arithmetic with a recording handle, and the real one if there."""

import builtins
import sys

import pytest

from pdsched.cost import AiconfiguratorCost, aiconfigurator, roofline


class Handle:
    """Answers with sums that show which lengths it was asked for."""

    def predict_prefill_latency(self, bs, isl, prefix=0):
        return 1000 * bs + isl + prefix / 1000

    def decode_step_latency(self, gen_tokens, isl, osl):
        return gen_tokens * isl / 100

    def mixed_step_latency(self, ctx_tokens, gen_tokens, isl, osl, prefix=0):
        return ctx_tokens + self.decode_step_latency(gen_tokens, isl, osl)


COST = AiconfiguratorCost("test", Handle())


def test_decodes_are_asked_for_at_their_mean_context():
    assert COST.iteration_ms(0, 0, 0.0, 4, 4 * 300, 4) == 4 * 300 / 100


def test_a_chunk_keeps_its_past_and_equal_prompts_are_counted_from_their_pairs():
    chunk, past = 512, 1024
    assert COST.iteration_ms(chunk, past, chunk * (past + chunk / 2), 0, 0, 0) == (
        1000 + 1536 + 1.024
    )
    two_prompts = 2 * (512 * 256)
    assert COST.iteration_ms(1024, 0, two_prompts, 0, 0, 2) == 2000 + 512


def test_a_mixed_step_charges_the_decodes_at_their_own_context():
    assert COST.iteration_ms(512, 0, 512 * 256.0, 4, 4 * 3000, 5) == 512 + 4 * 3000 / 100


def test_what_is_missing_is_named(monkeypatch):
    with pytest.raises(ValueError, match="no aiconfigurator tables for GPU 't4'"):
        aiconfigurator("llama-3.1-8b", "t4")
    real_import = builtins.__import__

    def no_package(name, *args, **kwargs):
        if name.startswith("aiconfigurator_core"):
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "aiconfigurator_core.sdk.engine", raising=False)
    monkeypatch.setattr(builtins, "__import__", no_package)
    with pytest.raises(ImportError, match=r"pdsched\[aiconfigurator\]"):
        aiconfigurator("llama-3.1-8b", "h100")


@pytest.mark.parametrize("gpu", ["h100", "a100", "h200", "b200", "l40s"])
@pytest.mark.parametrize("model", ["llama-3.1-8b", "qwen3-32b"])
def test_the_roofline_generalises_to_measured_operators(model, gpu):
    pytest.importorskip("aiconfigurator_core")
    measured, ours = aiconfigurator(model, gpu), roofline(model, gpu)
    for step in [(0, 0, 0.0, 32, 32 * 2048, 32), (4096, 0, 4096 * 2048.0, 0, 0, 1)]:
        assert ours.iteration_ms(*step) == pytest.approx(measured.iteration_ms(*step), rel=0.25)
