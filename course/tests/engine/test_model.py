"""The correctness oracle of the engine: greedy tokens do not depend on the plan."""

import pytest

np = pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from pdsched.engine import Engine, ModelConfig, OutOfPagesError, Weights  # noqa: E402
from pdsched.engine.model import PAGE_TOKENS  # noqa: E402

# float64: two plans may round differently, but never by as much as two logits differ.
TINY = ModelConfig(
    num_layers=2,
    model_width=32,
    num_heads=4,
    num_kv_heads=2,
    head_width=8,
    mlp_width=48,
    vocab_size=97,
    max_positions=512,
    dtype="float64",
)
WEIGHTS = Weights.random(TINY, seed=3)


def new_engine(num_pages=64):
    return Engine(TINY, WEIGHTS, num_pages=num_pages)


def prompt(length, seed=0):
    return np.random.default_rng(seed).integers(0, TINY.vocab_size, length).tolist()


def generate(engine, sequence_id, num_output, chunk=10_000):
    """Run one request alone, its prompt in chunks."""
    out = []
    while len(out) < num_output:
        left = engine.sequences[sequence_id].num_uncomputed
        out += engine.step([(sequence_id, min(chunk, left))]).values()
    return out


def dense_next_token(tokens):
    """The textbook transformer: no cache, no pages, no batch, one head at a time."""
    c, w = TINY, WEIGHTS

    def norm(x, scale):
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + c.norm_epsilon) * scale

    def rope(x):  # (n, h)
        half = c.head_width // 2
        out = np.empty_like(x)
        for position in range(len(x)):
            for i in range(half):
                angle = position * c.rope_theta ** (-2 * i / c.head_width)
                a, b = x[position, i], x[position, i + half]
                out[position, i] = a * np.cos(angle) - b * np.sin(angle)
                out[position, i + half] = b * np.cos(angle) + a * np.sin(angle)
        return out

    x = w.embedding[tokens]
    n, h = len(tokens), c.head_width
    for layer in w.layers:
        qkv = norm(x, layer.attention_norm) @ layer.qkv
        mixed = []
        for head in range(c.num_heads):
            shared = head // (c.num_heads // c.num_kv_heads)
            q = rope(qkv[:, head * h : (head + 1) * h])
            at = (c.num_heads + shared) * h
            k = rope(qkv[:, at : at + h])
            at += c.num_kv_heads * h
            v = qkv[:, at : at + h]
            scores = q @ k.T / np.sqrt(h)
            scores[np.triu_indices(n, 1)] = -np.inf
            p = np.exp(scores - scores.max(-1, keepdims=True))
            mixed.append(p / p.sum(-1, keepdims=True) @ v)
        x = x + np.hstack(mixed) @ layer.attention_out
        gate, up = np.split(norm(x, layer.mlp_norm) @ layer.gate_up, 2, axis=1)
        x = x + (gate / (1 + np.exp(-gate)) * up) @ layer.down
    return int((norm(x[-1:], w.final_norm) @ w.head).argmax())


def test_tokens_equal_a_dense_transformer_without_any_cache():
    tokens = prompt(37)
    engine = new_engine()
    engine.add("r", tokens)
    for token in generate(engine, "r", 6, chunk=10):
        assert token == dense_next_token(tokens)
        tokens.append(token)


@pytest.mark.parametrize("length", [1, 15, 16, 17, 63, 64, 65, 200])
@pytest.mark.parametrize("chunk", [1, 15, 16, 17, 64, 10_000])
def test_chunk_size_around_page_and_tile_edges_does_not_change_tokens(length, chunk):
    whole, chunked = new_engine(), new_engine()
    for engine in (whole, chunked):
        engine.add("r", prompt(length))
    assert generate(chunked, "r", 3, chunk) == generate(whole, "r", 3)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_greedy_tokens_do_not_depend_on_the_plan(data):
    lengths = data.draw(st.lists(st.integers(1, 70), min_size=1, max_size=4), label="prompts")
    num_output = data.draw(st.integers(1, 5), label="outputs")
    expected = {}
    for index, length in enumerate(lengths):
        engine = new_engine()
        engine.add("alone", prompt(length, index))
        expected[f"r{index}"] = generate(engine, "alone", num_output)

    engine, waiting, got = new_engine(), list(expected), {name: [] for name in expected}
    while waiting or engine.sequences:
        if waiting and (not engine.sequences or data.draw(st.booleans(), label="admit")):
            name = waiting.pop(0)
            engine.add(name, prompt(lengths[int(name[1:])], int(name[1:])))
        members = data.draw(st.permutations(sorted(engine.sequences)), label="order")
        members = members[: data.draw(st.integers(1, len(members)), label="batch")]
        plan = [
            (name, data.draw(st.integers(1, engine.sequences[name].num_uncomputed), label=name))
            for name in members
        ]
        for name, token in engine.step(plan).items():
            got[name].append(token)
            if len(got[name]) == num_output:
                engine.release(name)
    assert got == expected
    assert len(engine.kv.free_pages) == 64, "every page came back"


def test_float32_default_model_gives_the_same_tokens_whole_and_chunked():
    config = ModelConfig(num_layers=2)
    tokens = np.random.default_rng(1).integers(0, config.vocab_size, 300).tolist()
    outputs = []
    for chunk in (10_000, 64, 7):
        engine = Engine(config, seed=5)
        engine.add("r", tokens)
        outputs.append(generate(engine, "r", 8, chunk))
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize("length", [1, 16, 17, 100])
def test_a_request_continues_elsewhere_from_exported_pages(length):
    stays, prefill, decode = new_engine(), new_engine(), new_engine()
    for engine in (stays, prefill):
        engine.add("r", prompt(length))
    expected = generate(stays, "r", 6)
    first = generate(prefill, "r", 1)
    shared = np.empty((-(-length // PAGE_TOKENS), *prefill.kv.pages.shape[1:]))
    pages = prefill.export_kv("r", out=shared)
    assert pages is shared
    tokens = prefill.release("r")
    assert tokens == prompt(length) + first
    decode.add("other", prompt(40, 9))  # so that page numbers differ on the two sides
    generate(decode, "other", 1)
    decode.import_kv("r", tokens, length, pages)
    assert first + generate(decode, "r", 5) == expected


def test_kv_bytes_per_token_is_what_the_pages_take():
    config = ModelConfig()  # 2 (K and V) x 4 layers x 4 heads x 32 wide x 4 bytes
    assert config.kv_bytes_per_token == 2 * 4 * 4 * 32 * 4 == 4096
    assert Engine(config, num_pages=3).kv.pages.nbytes == 3 * PAGE_TOKENS * 4096


def test_a_plan_without_room_changes_nothing_and_runs_after_a_release():
    engine = new_engine(num_pages=3)
    engine.add("a", prompt(20))
    engine.add("b", prompt(17, 1))
    engine.step([("a", 20)])
    with pytest.raises(OutOfPagesError, match="2 pages asked, 1 free"):
        engine.step([("a", 1), ("b", 17)])
    assert engine.sequences["a"].num_computed == 20
    assert engine.sequences["b"].page_table == []
    engine.release("a")
    assert set(engine.step([("b", 17)])) == {"b"}


@pytest.mark.parametrize(
    ("plan", "error", "said"),
    [
        ([("r", 0)], ValueError, "1..5"),
        ([("r", 6)], ValueError, "planned 6"),
        ([("r", 1), ("r", 1)], ValueError, "twice"),
        ([("nobody", 1)], KeyError, "nobody"),
    ],
)
def test_an_impossible_plan_is_refused_and_changes_nothing(plan, error, said):
    engine = new_engine()
    engine.add("r", prompt(5))
    with pytest.raises(error, match=said):
        engine.step(plan)
    assert engine.sequences["r"].num_computed == 0


def test_bad_requests_are_refused_by_name():
    engine = new_engine()
    engine.add("r", [1])
    with pytest.raises(ValueError, match="'r' is already"):
        engine.add("r", [1])
    with pytest.raises(ValueError, match=r"1\.\.512 tokens, got 0"):
        engine.add("empty", [])
    with pytest.raises(ValueError, match=r"0\.\.96"):
        engine.add("outside", [97])
    with pytest.raises(ValueError, match="do not hold 33"):
        engine.import_kv("short", prompt(40), 33, np.zeros((2, *engine.kv.pages.shape[1:])))
    pages = np.zeros((65, *engine.kv.pages.shape[1:]))
    with pytest.raises(OutOfPagesError):
        engine.import_kv("big", prompt(40), 39, pages)


def test_configuration_must_fit_together():
    with pytest.raises(ValueError, match="num_heads"):
        ModelConfig(num_heads=6, num_kv_heads=4)
    with pytest.raises(ValueError, match="head_width"):
        ModelConfig(head_width=7)
