"""Decode steps of the NumPy engine beside the same model in torch, one thread each, in turns.

    python benchmarks/bench_engine.py      (torch is optional; without it only NumPy is timed)

The torch twin has the same weights, the same paged KV and the same ragged batch; its attention is
``scaled_dot_product_attention`` per sequence. Both must sample the same tokens. Promise: the NumPy
step takes at most 1.5 times as long.
"""

from __future__ import annotations

import time
from statistics import median

from pdsched.engine import Engine, ModelConfig, threads  # pins one thread before NumPy is loaded

import numpy as np  # isort: skip

from pdsched.engine.model import PAGE_TOKENS
from pdsched.evidence import this_machine, versions

STEPS = 40
ROUNDS = 5


class TorchTwin:
    """Decode only: takes over the KV of a NumPy engine."""

    def __init__(self, engine: Engine) -> None:
        import torch

        torch.set_num_threads(1)
        self.torch, self.config = torch, engine.config
        tensor = torch.from_numpy
        weights = engine.weights
        self.embedding, self.head = tensor(weights.embedding), tensor(weights.head)
        self.final_norm = tensor(weights.final_norm)
        self.layers = [
            [tensor(getattr(layer, name)) for name in layer.__dataclass_fields__]
            for layer in weights.layers
        ]
        self.pages = tensor(engine.kv.pages.copy())
        self.tables = {n: list(s.page_table) for n, s in engine.sequences.items()}
        self.tokens = {n: s.tokens[-1] for n, s in engine.sequences.items()}
        self.length = {n: s.num_computed for n, s in engine.sequences.items()}
        self.free = list(engine.kv.free_pages)
        self.cos, self.sin = tensor(engine._cos), tensor(engine._sin)

    def step(self) -> dict[str, int]:
        """One token for every sequence."""
        torch, config = self.torch, self.config
        heads, kv_heads, width = config.num_heads, config.num_kv_heads, config.head_width
        names = list(self.tokens)
        for name in names:
            if self.length[name] % PAGE_TOKENS == 0 and (
                len(self.tables[name]) * PAGE_TOKENS == self.length[name]
            ):
                self.tables[name].append(self.free.pop())
        positions = torch.tensor([self.length[name] for name in names])
        page = torch.tensor([self.tables[n][self.length[n] // PAGE_TOKENS] for n in names])
        offset = positions % PAGE_TOKENS
        tables = [torch.tensor(self.tables[name]) for name in names]
        cos, sin = self.cos[positions], self.sin[positions]
        x = self.embedding[torch.tensor([self.tokens[name] for name in names])]

        def norm(values, scale):
            root = values.pow(2).mean(-1, keepdim=True) + config.norm_epsilon
            return values * root.rsqrt() * scale

        def rotate(values):
            left, right = values.chunk(2, -1)
            return torch.cat([left * cos - right * sin, right * cos + left * sin], -1)

        for index, (norm_a, qkv, out, norm_m, gate_up, down) in enumerate(self.layers):
            every = (norm(x, norm_a) @ qkv).view(len(names), -1, width)
            query, key = rotate(every[:, :heads]), rotate(every[:, heads:-kv_heads])
            self.pages[page, index, 0, offset] = key
            self.pages[page, index, 1, offset] = every[:, -kv_heads:]
            mixed = torch.empty_like(query)
            for row, name in enumerate(names):
                past = self.length[name] + 1
                keys = self.pages[tables[row], index, 0].flatten(0, 1)[:past].transpose(0, 1)
                values = self.pages[tables[row], index, 1].flatten(0, 1)[:past].transpose(0, 1)
                grouped = query[row].view(kv_heads, heads // kv_heads, width)
                mixed[row] = torch.nn.functional.scaled_dot_product_attention(
                    grouped, keys, values
                ).reshape(heads, width)
            x = x + mixed.flatten(1) @ out
            gate, up = (norm(x, norm_m) @ gate_up).chunk(2, -1)
            x = x + (torch.nn.functional.silu(gate) * up) @ down
        sampled = (norm(x, self.final_norm) @ self.head).argmax(-1).tolist()
        for name, token in zip(names, sampled, strict=True):
            self.tokens[name], self.length[name] = token, self.length[name] + 1
        return dict(zip(names, sampled, strict=True))


def running_engine(config: ModelConfig, sequences: int, context: int) -> Engine:
    """An engine whose sequences have just finished their prompts."""
    engine = Engine(config, num_pages=2_048)
    rng = np.random.default_rng(0)
    for number in range(sequences):
        engine.add(f"d{number}", rng.integers(0, config.vocab_size, context).tolist())
    engine.step([(name, context) for name in engine.sequences])
    return engine


def timed(step) -> float:
    """Median milliseconds of a step."""
    times = []
    for _ in range(STEPS):
        start = time.perf_counter()
        step()
        times.append((time.perf_counter() - start) * 1_000)
    return median(times)


def compare(config: ModelConfig, sequences: int, context: int, torch_is_here: bool) -> None:
    """One line: both medians and their ratio, rounds alternating."""
    engine = running_engine(config, sequences, context)
    plan = [(name, 1) for name in engine.sequences]
    what = f"{config.num_layers} x {config.model_width}, {sequences} decodes, context {context}"
    if not torch_is_here:
        print(f"{what}: NumPy {median(timed(lambda: engine.step(plan)) for _ in range(3)):.2f} ms")
        return
    twin = TorchTwin(engine)
    with twin.torch.inference_mode():
        same = all(engine.step(plan) == twin.step() for _ in range(8))
        rounds = [(timed(lambda: engine.step(plan)), timed(twin.step)) for _ in range(ROUNDS)]
    ours, theirs = (median(each) for each in zip(*rounds, strict=True))
    ratio = median(a / b for a, b in rounds)
    print(
        f"{what}: NumPy {ours:.2f} ms, torch {theirs:.2f} ms, ratio {ratio:.2f}, same tokens {same}"
    )


def main() -> None:
    """Small and larger model, few and many decodes."""
    try:
        import torch  # noqa: F401

        torch_is_here = True
    except ImportError:
        torch_is_here = False
    print(f"{this_machine()}; {versions()}; threads {threads.describe()}")
    small = ModelConfig()
    larger = ModelConfig(6, 384, 12, 6, 32, 1_152)
    for config, sequences, context in (
        (small, 1, 256),
        (small, 8, 64),
        (small, 8, 512),
        (small, 32, 256),
        (larger, 8, 256),
    ):
        compare(config, sequences, context, torch_is_here)


if __name__ == "__main__":
    main()
