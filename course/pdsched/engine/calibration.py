"""Fit the simulator to this machine: a linear cost model from measured iterations.

``T = a + b·P + c·D + d·P·ctx + e·D·ctx`` in ms, with P prompt tokens, D decodes, and for the last
two the attention pairs that they touch. Fitted on some iterations, judged on others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from pdsched.engine.loop import ServingLoop, Step
from pdsched.engine.model import Engine
from pdsched.engine.weights import ModelConfig, Weights


@dataclass(frozen=True)
class IterationFeatures:
    """What an iteration contained, in the terms of `pdsched.cost`, and how long it took."""

    prefill_tokens: int
    prefill_past: int
    prefill_pairs: float
    num_decodes: int
    decode_context: int
    num_sampled: int
    duration_ms: float

    @classmethod
    def of(cls, step: Step) -> IterationFeatures:
        """From a measured step."""
        return cls(
            prefill_tokens=sum(k for _, k, _ in step.prefills),
            prefill_past=sum(past for _, _, past in step.prefills),
            prefill_pairs=sum(k * (past + k / 2) for _, k, past in step.prefills),
            num_decodes=len(step.decodes),
            decode_context=sum(context for _, context in step.decodes),
            num_sampled=len(step.sampled),
            duration_ms=step.end_ms - step.start_ms,
        )


@dataclass(frozen=True)
class LinearCost:
    """A `pdsched.cost.CostModel` fitted to measured iterations.

    Attributes:
        overhead_ms: of any iteration.
        prefill_token_ms: per prompt token.
        decode_ms: per decode.
        prefill_pair_ms: per pair of a prompt token and a token it looks at.
        decode_context_ms: per token that a decode looks at.
        median_error: median relative error on iterations it was not fitted to.
        source: machine and model it was fitted on.
        name: short name.
    """

    overhead_ms: float
    prefill_token_ms: float
    decode_ms: float
    prefill_pair_ms: float
    decode_context_ms: float
    median_error: float = float("nan")
    source: str = "fitted to measured iterations"
    name: str = "linear fit, NumPy engine"

    @property
    def error(self) -> str:
        """Error against held-out iterations."""
        return f"median error {self.median_error:.1%} on held-out iterations of this machine"

    def iteration_ms(  # noqa: PLR0917 -- the hot call; keywords would cost more than the sum
        self,
        prefill_tokens: int,
        prefill_past: int,  # noqa: ARG002 -- the pairs already tell what the past costs
        prefill_pairs: float,
        num_decodes: int,
        decode_context: int,
        num_sampled: int,  # noqa: ARG002 -- the head is small beside the layers here
        /,
    ) -> float:
        """Milliseconds of one iteration; see `pdsched.cost.CostModel.iteration_ms`."""
        return (
            self.overhead_ms
            + self.prefill_token_ms * prefill_tokens
            + self.decode_ms * num_decodes
            + self.prefill_pair_ms * prefill_pairs
            + self.decode_context_ms * decode_context
        )

    def predict(self, each: IterationFeatures) -> float:
        """Milliseconds predicted for a measured iteration."""
        return self.iteration_ms(
            each.prefill_tokens,
            each.prefill_past,
            each.prefill_pairs,
            each.num_decodes,
            each.decode_context,
            each.num_sampled,
        )


def fit(measured: Sequence[IterationFeatures], *, source: str = "") -> LinearCost:
    """Least squares of the relative error, coefficients not negative; every third is held out.

    Raises:
        ValueError: fewer than 15 iterations.
    """
    if len(measured) < 15:
        raise ValueError(f"a fit needs at least 15 iterations, got {len(measured)}")
    held_out = measured[::3]
    fitted = [each for index, each in enumerate(measured) if index % 3]
    rows = np.array(
        [(1.0, m.prefill_tokens, m.num_decodes, m.prefill_pairs, m.decode_context) for m in fitted]
    )
    durations = np.array([m.duration_ms for m in fitted])
    a, b, c, d, e = _nonnegative(rows / durations[:, None], np.ones(len(fitted)))
    model = LinearCost(a, b, c, d, e)
    error = median(abs(model.predict(m) - m.duration_ms) / m.duration_ms for m in held_out)
    return LinearCost(a, b, c, d, e, error, source or model.source)


def _nonnegative(rows: np.ndarray, target: np.ndarray) -> list[float]:
    """Least squares; a column whose coefficient comes out negative is dropped."""
    kept = list(range(rows.shape[1]))
    while True:
        solution = np.linalg.lstsq(rows[:, kept], target, rcond=None)[0]
        if (solution >= 0).all():
            answer = dict(zip(kept, solution.tolist(), strict=True))
            return [float(answer.get(column, 0.0)) for column in range(rows.shape[1])]
        kept.pop(int(solution.argmin()))


def sample_iterations(
    config: ModelConfig,
    *,
    seed: int = 0,
    contexts: Iterable[int] = (64, 256, 768),
    decode_counts: Iterable[int] = (0, 1, 4, 8, 16),
    chunks: Iterable[int] = (0, 16, 64, 128, 256, 512),
    weights: Weights | None = None,
) -> list[IterationFeatures]:
    """Measure iterations of many shapes: a grid of decodes, their contexts and a chunk."""
    rng = np.random.default_rng(seed)
    counts, sizes = tuple(decode_counts), tuple(chunks)
    measured: list[IterationFeatures] = []
    for context in contexts:
        shapes = [(d, c) for d in counts for c in sizes if d or c]
        rng.shuffle(shapes)
        engine = Engine(config, weights, num_pages=2_048, seed=seed)
        plan: list[tuple[str, int]] = []
        loop = ServingLoop(engine, lambda _, plan=plan: plan)  # type: ignore[misc]
        names = [f"d{number}" for number in range(max(counts))]
        for name in names:
            loop.submit(name, _tokens(rng, config, context), output_tokens=200)
        plan[:] = [(name, context) for name in names]
        loop.step()
        for number, (num_decodes, chunk) in enumerate(shapes):
            plan[:] = [(name, 1) for name in names[:num_decodes]]
            if chunk:
                loop.submit(f"p{number}", _tokens(rng, config, context + chunk), output_tokens=1)
                past = [(f"p{number}", context)]
                decodes, plan[:] = list(plan), past
                loop.step()  # so that the chunk has a past, which is not measured
                plan[:] = [*decodes, (f"p{number}", chunk)]
            measured.append(IterationFeatures.of(loop.step()))
    return measured


def _tokens(rng: np.random.Generator, config: ModelConfig, length: int) -> list[int]:
    drawn: list[int] = rng.integers(0, config.vocab_size, length).tolist()
    return drawn
