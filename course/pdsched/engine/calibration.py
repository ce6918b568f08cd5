"""Fit the simulator to this machine: a linear cost model from measured iterations.

``T = a + b·P + c·D + d·P·ctx + e·D·ctx`` in ms, with P prompt tokens, D decodes, and for the last
two the attention pairs that they touch. Fitted on some iterations, judged on others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from pdsched.cost import CostModel, LinearCost
from pdsched.engine.loop import ServingLoop, Step
from pdsched.engine.model import Engine
from pdsched.engine.weights import Array, ModelConfig, Weights


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

    def predicted_ms(self, cost: CostModel) -> float:
        """What a cost model says about this iteration."""
        return cost.iteration_ms(
            self.prefill_tokens,
            self.prefill_past,
            self.prefill_pairs,
            self.num_decodes,
            self.decode_context,
            self.num_sampled,
        )


def fit(
    measured: Sequence[IterationFeatures], *, source: str = "measured iterations"
) -> LinearCost:
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
    base, token, decode, pair, context = _nonnegative(
        rows / durations[:, None], np.ones(len(fitted))
    )
    model = LinearCost("numpy engine (linear fit)", source, "", base, token, decode, pair, context)
    error = median(abs(m.predicted_ms(model) - m.duration_ms) / m.duration_ms for m in held_out)
    told = f"median error {error:.1%} on {len(held_out)} held-out iterations of the same machine"
    return replace(model, error=told)


def _nonnegative(rows: Array, target: Array) -> list[float]:
    """Least squares; a column whose coefficient comes out negative is dropped."""
    kept = list(range(rows.shape[1]))
    while True:
        solution = np.linalg.lstsq(rows[:, kept], target, rcond=None)[0]
        if (solution >= 0).all():
            answer = dict(zip(kept, solution.tolist(), strict=True))
            return [float(answer.get(column, 0.0)) for column in range(rows.shape[1])]
        kept.pop(int(solution.argmin()))


@dataclass(frozen=True)
class Grid:
    """Shapes of iterations to measure: every chunk beside every number of decodes."""

    contexts: tuple[int, ...] = (64, 640)
    decode_counts: tuple[int, ...] = (0, 1, 4, 8, 12)
    chunks: tuple[int, ...] = (0, 32, 128, 320, 1_024)


def sample_iterations(
    config: ModelConfig, grid: Grid, *, seed: int = 0, weights: Weights | None = None
) -> list[IterationFeatures]:
    """Measure iterations of many shapes: a grid of decodes, their contexts and a chunk."""
    rng = np.random.default_rng(seed)
    measured: list[IterationFeatures] = []
    for context in grid.contexts:
        shapes = [(d, c) for d in grid.decode_counts for c in grid.chunks if d or c]
        rng.shuffle(shapes)
        engine = Engine(config, weights, num_pages=2_048, seed=seed)
        plan: list[tuple[str, int]] = []
        loop = ServingLoop(engine, lambda _, plan=plan: plan)  # type: ignore[misc]
        names = [f"d{number}" for number in range(max(grid.decode_counts))]
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


def medians(turns: Sequence[Sequence[IterationFeatures]]) -> list[IterationFeatures]:
    """One entry per shape with the median of its durations over several turns."""
    return [
        replace(same[0], duration_ms=median(each.duration_ms for each in same))
        for same in zip(*turns, strict=True)
    ]


def _tokens(rng: np.random.Generator, config: ModelConfig, length: int) -> list[int]:
    drawn: list[int] = rng.integers(0, config.vocab_size, length).tolist()
    return drawn
