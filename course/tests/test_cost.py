"""Cost models against hand-computed values and published measurements."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdsched.cost import DISTSERVE, SARATHI_YI_34B, HostCost, LinearCost, RooflineCost, roofline
from pdsched.hardware import GPUS, MODELS

ALL_MODELS = (roofline("llama-3.1-8b", "h100"), SARATHI_YI_34B, DISTSERVE["opt-13b", 1])


def prefill_ms(cost, tokens, chunk=None):
    """A whole prompt of ``tokens``, in chunks."""
    total, past = 0.0, 0
    while past < tokens:
        new = min(chunk or tokens, tokens - past)
        sampled = int(past + new == tokens)
        total += cost.iteration_ms(new, past, new * (past + new / 2), 0, 0, sampled)
        past += new
    return total


def decode_ms(cost, batch, context):
    return cost.iteration_ms(0, 0, 0.0, batch, batch * context, batch)


def interference_law_tpot_ms(cost, isl, osl, concurrency):
    """TPOT = t_dec(b, isl + osl/2) + t_pre(isl)·(b - 1)/osl, the decode already paid once."""
    base = decode_ms(cost, concurrency, isl + osl // 2)
    context = concurrency * (isl + osl // 2)
    mixed = cost.iteration_ms(isl, 0, isl * isl / 2, concurrency, context, concurrency + 1)
    return base + (mixed - base) * (concurrency - 1) / osl


# Every seventh TP 1 row of silicon_sample.csv in aiconfigurator-core 0.12.0 (Apache-2.0):
# Llama-3.1-8B BF16 on H100 SXM, TensorRT-LLM: isl, osl, concurrency, TPOT in ms.
MEASURED_TPOT = [
    (1024, 128, 8, 7.944),
    (4096, 256, 8, 10.249),
    (2048, 512, 16, 9.702),
    (2048, 128, 32, 19.836),
    (1024, 256, 64, 15.199),
    (4096, 512, 64, 30.089),
    (2048, 512, 128, 31.144),
]


def test_measured_tpot_on_h100_within_three_percent_on_average():
    cost = roofline("llama-3.1-8b", "h100")
    errors = [
        abs(interference_law_tpot_ms(cost, isl, osl, b) / measured - 1)
        for isl, osl, b, measured in MEASURED_TPOT
    ]
    assert sum(errors) / len(errors) < 0.03


def test_a_decode_token_costs_about_twelve_prefill_tokens_on_h100():
    cost = roofline("llama-3.1-8b", "h100")
    decode_token = decode_ms(cost, 32, 1024) / 32
    prefill_token = prefill_ms(cost, 4096) / 4096
    assert decode_token / prefill_token == pytest.approx(12, rel=0.2)


# Sarathi-Serve artifact (Apache-2.0), figure 9: prompt, whole-prompt ms, ms in chunks of 512.
SARATHI_FIG9 = [(2047, 378.13, 435.68), (4095, 775.44, 921.96), (8191, 1754.16, 1958.53)]


@pytest.mark.parametrize("cost", [SARATHI_YI_34B, roofline("yi-34b", "a100", tensor_parallel=2)])
@pytest.mark.parametrize(("tokens", "whole_ms", "chunked_ms"), SARATHI_FIG9)
def test_chunks_of_512_cost_at_most_a_quarter_more(cost, tokens, whole_ms, chunked_ms):
    assert chunked_ms / whole_ms < 1.25  # what was published
    assert 1.0 < prefill_ms(cost, tokens, 512) / prefill_ms(cost, tokens) < 1.25


@pytest.mark.parametrize(("tokens", "whole_ms", "chunked_ms"), SARATHI_FIG9)
def test_sarathi_fit_is_within_a_quarter_of_the_published_milliseconds(
    tokens, whole_ms, chunked_ms
):
    assert prefill_ms(SARATHI_YI_34B, tokens) == pytest.approx(whole_ms, rel=0.25)
    assert prefill_ms(SARATHI_YI_34B, tokens, 512) == pytest.approx(chunked_ms, rel=0.25)


# Sarathi-Serve artifact, figure 2: seconds of a decode iteration, context about 1k.
@pytest.mark.parametrize(
    ("batch", "milliseconds"),
    [(1, 46.8), (2, 47.5), (4, 48.8), (8, 69.7), (16, 77.3), (32, 87.9), (64, 127.8), (128, 189.3)],
)
def test_sarathi_fit_of_decode_iterations(batch, milliseconds):
    assert decode_ms(SARATHI_YI_34B, batch, 1024) == pytest.approx(milliseconds, rel=0.25)


@pytest.mark.core
def test_distserve_coefficients_by_hand():
    cost = DISTSERVE["opt-13b", 1]
    # 22.0522 + 0.140509·512 + 8.07658e-6·512²
    assert prefill_ms(cost, 512) == pytest.approx(96.11, abs=0.01)
    # 23.4750 + 5.92934e-4·16·600 + 0.0607269·16
    assert decode_ms(cost, 16, 600) == pytest.approx(30.14, abs=0.01)
    # 20.2064 + 4.90770e-4·100·600 + 0.1200032·100: the large-batch regime
    assert decode_ms(cost, 100, 600) == pytest.approx(61.65, abs=0.01)


@pytest.mark.core
def test_a_linear_fit_by_hand():
    cost = LinearCost("toy", "here", "none", 2.0, 0.1, 0.5, 0.001, 0.01)
    assert cost.iteration_ms(10, 5, 100.0, 4, 40, 4) == pytest.approx(2 + 1 + 2 + 0.1 + 0.4)


@pytest.mark.core
def test_the_host_bounds_a_small_model():
    host = HostCost(iteration_ms=5.0, sequence_ms=0.0, eager_layer_ms=0.0)
    cost = RooflineCost(MODELS["qwen3-0.6b"], GPUS["h100"], host=host)
    assert decode_ms(cost, 1, 10) == 5.0


@pytest.mark.core
@pytest.mark.parametrize("gpu", GPUS)
def test_more_gpus_and_fewer_bits_never_slow_a_big_decode(gpu):
    times = [
        decode_ms(roofline("llama-3.1-70b", gpu, tensor_parallel=t, precision=p), 1, 4096)
        for t, p in [(1, "bf16"), (2, "bf16"), (2, "fp8")]
    ]
    assert times == sorted(times, reverse=True)


counts = st.integers(0, 8192)


@given(counts, counts, st.integers(0, 512), st.integers(0, 4096), st.sampled_from(ALL_MODELS))
def test_time_is_positive_and_never_falls_when_work_is_added(prefill, past, decodes, ctx, cost):
    def at(prefill, past, decodes, ctx):
        pairs = prefill * (past + prefill / 2)
        return cost.iteration_ms(prefill, past, pairs, decodes, decodes * ctx, decodes)

    now = at(prefill, past, decodes, ctx)
    assert now >= 0
    assert at(prefill + 1, past, decodes, ctx) >= now
    assert at(prefill, past + 1, decodes, ctx) >= now
    assert at(prefill, past, decodes, ctx + 1) >= now


def test_unknown_presets_and_bad_settings_are_named():
    with pytest.raises(ValueError, match=r"unknown model 'gpt-5'; known: .*llama-3\.1-8b"):
        roofline("gpt-5", "h100")
    with pytest.raises(ValueError, match=r"unknown GPU 'h800'; known: .*h100"):
        roofline("llama-3.1-8b", "h800")
    with pytest.raises(ValueError, match="precision must be one of bf16, fp8"):
        roofline("llama-3.1-8b", "h100", precision="int3")
    with pytest.raises(ValueError, match="tensor_parallel"):
        roofline("llama-3.1-8b", "h100", tensor_parallel=0)
    with pytest.raises(ValueError, match="must divide the 32 attention heads of llama"):
        roofline("llama-3.1-8b", "h100", tensor_parallel=3)


@pytest.mark.core
@pytest.mark.parametrize("cost", ALL_MODELS)
def test_every_cost_model_says_what_it_is(cost):
    assert all(text and isinstance(text, str) for text in (cost.name, cost.source, cost.error))


def test_every_preset_pair_gives_a_cost():
    for model, gpu in itertools.product(MODELS, GPUS):
        assert decode_ms(roofline(model, gpu), 8, 512) > 0
