"""Sizes and handoff times against the published figures."""

import pytest

from pdsched.hardware import (
    GPUS,
    LINKS,
    MODELS,
    exposed_handoff_ms,
    handoff_bytes,
    handoff_ms,
    kv_bytes_per_token,
)

pytestmark = pytest.mark.core

KIB = 1024


@pytest.mark.parametrize(
    ("model", "kib"),
    [
        ("llama-3.1-8b", 128),
        ("llama-3.1-70b", 320),
        ("llama-2-7b", 512),
        ("llama-2-13b", 800),
        ("qwen3-0.6b", 112),
        ("qwen3-4b", 144),
        ("qwen3-8b", 144),
        ("qwen3-14b", 160),
        ("qwen3-32b", 256),
        ("mistral-7b", 128),
        ("yi-34b", 240),
        ("opt-13b", 800),
        ("opt-66b", 2304),
    ],
)
def test_kv_bytes_per_token(model, kib):
    assert kv_bytes_per_token(MODELS[model]) == kib * KIB


@pytest.mark.parametrize(
    ("model", "linear", "head"),
    [
        ("llama-3.1-8b", 6.98, 0.53),
        ("llama-3.1-70b", 68.45, 1.05),
        ("qwen3-8b", 6.95, 0.62),
        ("qwen3-32b", 31.21, 0.78),
    ],
)
def test_parameters_in_billions(model, linear, head):
    assert MODELS[model].linear_parameters / 1e9 == pytest.approx(linear, abs=0.006)
    assert MODELS[model].head_parameters / 1e9 == pytest.approx(head, abs=0.006)


def test_every_gpu_of_the_course_has_a_preset():
    assert {"t4", "l4", "l20", "a10", "a100", "h100", "h200", "h20", "l40s"} <= set(GPUS)


@pytest.mark.parametrize(
    ("link", "milliseconds"),
    [
        ("pcie4", (21, 52, 378)),
        ("pcie5", (10.5, 26, 190)),
        ("nvlink-a100", (2.4, 6, 43)),
        ("nvlink-h100", (1.5, 3.7, 27)),
        ("nic-400g", (15, 38, 272)),
        ("ethernet-100g", (61, 153, 1104)),
        ("ethernet-25g", (245, 613, 4413)),
    ],
)
def test_a_4k_token_handoff_takes_the_published_time(link, milliseconds):
    models = ("llama-3.1-8b", "llama-3.1-70b", "opt-66b")
    ours = [handoff_ms(4096, kv_bytes_per_token(MODELS[m]), LINKS[link]) for m in models]
    assert ours == pytest.approx(milliseconds, rel=0.05)


def test_handoff_moves_whole_blocks():
    assert handoff_bytes(17, 100) == 32 * 100
    assert handoff_bytes(0, 100) == 0
    with pytest.raises(ValueError, match="tokens must be at least 0"):
        handoff_bytes(-1, 100)


def test_layerwise_overlap_exposes_the_last_layer_and_what_prefill_cannot_hide():
    assert exposed_handoff_ms(32, 1_000, 32) == 1
    assert exposed_handoff_ms(32, 0, 32) == 32
    with pytest.raises(ValueError, match="layers"):
        exposed_handoff_ms(1, 1, 0)
