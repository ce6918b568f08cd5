"""The stall, measured: chats are being generated, a long prompt arrives, how long do they wait?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

import numpy as np

from pdsched.engine.loop import Planner, ServingLoop, Step
from pdsched.engine.model import Engine
from pdsched.engine.weights import ModelConfig, Weights

LONG = "long"


@dataclass(frozen=True)
class Scenario:
    """What is served.

    Attributes:
        num_chats: requests that decode when the prompt arrives.
        chat_context_tokens: how long their prompts were.
        prompt_tokens: length of the prompt that arrives.
        settle_steps: decode-only iterations before it does.
        seed: of weights and tokens.
    """

    num_chats: int = 8
    chat_context_tokens: int = 64
    prompt_tokens: int = 2_048
    settle_steps: int = 20
    seed: int = 0


@dataclass(frozen=True)
class StallRun:
    """One measured run; times in ms.

    Attributes:
        decode_step_ms: median decode-only iteration before the arrival.
        max_itl_ms: longest gap between two tokens of a chat while the prompt was served.
        ttft_ms: arrival of the prompt to its first token.
        gaps_ms: every gap of one chat, from the last before the arrival on.
        steps: ``(duration ms, prefill tokens, decodes)`` of the iterations since the arrival.
        first_token: the prompt's first token; every plan must give the same one.
    """

    decode_step_ms: float
    max_itl_ms: float
    ttft_ms: float
    gaps_ms: tuple[float, ...]
    steps: tuple[tuple[float, int, int], ...]
    first_token: int


def measure(
    config: ModelConfig, planner: Planner, scenario: Scenario, *, weights: Weights | None = None
) -> StallRun:
    """Run the scenario once under one planner, after a warm-up."""
    rng = np.random.default_rng(scenario.seed)
    room = scenario.num_chats * 1_024 + scenario.prompt_tokens + 1_024
    engine = Engine(config, weights, num_pages=room // 16, seed=scenario.seed)
    loop = ServingLoop(engine, planner)

    def tokens(length: int) -> list[int]:
        drawn: list[int] = rng.integers(0, config.vocab_size, length).tolist()
        return drawn

    chats = [f"chat-{number}" for number in range(scenario.num_chats)]
    for name in chats:
        loop.submit(name, tokens(scenario.chat_context_tokens), output_tokens=900)
    settled = [_settle_step(loop, chats) for _ in range(scenario.settle_steps + 3)][3:]
    decode_step_ms = median(s.end_ms - s.start_ms for s in settled)

    first = len(loop.steps)
    arrival_ms = loop.now_ms()
    loop.submit(LONG, tokens(scenario.prompt_tokens), output_tokens=3)
    while LONG not in loop.step().finished:
        pass
    return _run(loop.steps[first - 1 :], chats, decode_step_ms, arrival_ms)


def _settle_step(loop: ServingLoop, chats: Sequence[str]) -> Step:
    """A decode-only step; the chats' own prefills do not count."""
    while True:
        step = loop.step()
        if len(step.decodes) == len(chats):
            return step


def _run(
    steps: Sequence[Step], chats: Sequence[str], decode_step_ms: float, arrival_ms: float
) -> StallRun:
    gaps = {name: _gaps(steps, name) for name in chats}
    first = next(step for step in steps if LONG in step.sampled)
    return StallRun(
        decode_step_ms=decode_step_ms,
        max_itl_ms=max(max(each) for each in gaps.values()),
        ttft_ms=first.end_ms - arrival_ms,
        gaps_ms=tuple(gaps[chats[0]]),
        steps=tuple(
            (s.end_ms - s.start_ms, sum(k for _, k, _ in s.prefills), len(s.decodes))
            for s in steps[1:]
        ),
        first_token=first.sampled[LONG],
    )


def _gaps(steps: Sequence[Step], name: str) -> list[float]:
    """Gaps between the tokens of one chat; an unserved chat waits until the last step."""
    times = [step.end_ms for step in steps if name in step.sampled]
    if name not in steps[-1].sampled:
        times.append(steps[-1].end_ms)
    return [later - earlier for earlier, later in pairwise(times)]


def middle(runs: Sequence[StallRun]) -> StallRun:
    """The run whose longest gap is the median one.

    Raises:
        ValueError: runs of the same scenario disagree about the prompt's first token.
    """
    if len({run.first_token for run in runs}) > 1:
        raise ValueError("the prompt's first token depends on the plan: the engine is wrong")
    return sorted(runs, key=lambda run: run.max_itl_ms)[len(runs) // 2]
