"""Seeded synthetic workloads with the statistics of published traces."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pdsched.workload.request import Request


@dataclass(frozen=True, slots=True)
class Lognormal:
    """Token counts whose logarithm is normal, clipped to ``[1, largest]``."""

    mu: float
    sigma: float
    largest: int

    def draw(self, rng: random.Random) -> int:
        """One length in tokens."""
        return max(1, min(self.largest, round(rng.lognormvariate(self.mu, self.sigma))))


@dataclass(frozen=True, slots=True)
class Bursts:
    """An on/off source: arrivals only while it is on; both spells are exponential."""

    mean_on_ms: float
    mean_off_ms: float


@dataclass(frozen=True, slots=True)
class Preset:
    """Statistics of one kind of traffic.

    Attributes:
        name: how it is asked for.
        prompt: prompt lengths, in tokens.
        output: output lengths, in tokens.
        rate_per_s: mean arrival rate, used when the caller gives none.
        arrival_cv: coefficient of variation of the gaps (1 is Poisson), bursts apart.
        bursts: on/off modulation, or None.
        source: where the statistics come from.
    """

    name: str
    prompt: Lognormal
    output: Lognormal
    rate_per_s: float
    arrival_cv: float
    source: str
    bursts: Bursts | None = None


_AZURE: Final = "Azure LLM inference trace 2023"
_PRESETS: Final = (
    Preset(
        "chat",
        Lognormal(6.63, 0.985, 16_384),
        Lognormal(5.02, 0.86, 2_048),
        5.53,
        1.09,
        f"{_AZURE}, conversation (lognormal fit)",
    ),
    Preset(
        "code",
        Lognormal(7.00, 1.36, 16_384),
        Lognormal(2.79, 0.85, 1_024),
        2.57,
        1.4,
        f"{_AZURE}, code (lognormal fit, on/off bursts)",
        Bursts(mean_on_ms=1_500, mean_off_ms=45_000),
    ),
    Preset(
        "reasoning",
        # Two quantiles each: p50 58 and p99 19,800; p50 988 and p99 11,900.
        Lognormal(math.log(58), math.log(19_800 / 58) / 2.3263, 65_536),
        Lognormal(math.log(988), math.log(11_900 / 988) / 2.3263, 32_768),
        1.0,
        1.2,
        "DeepSeek-R1 traffic as reported by ServeGen (p50 and p99)",
    ),
    Preset(
        "long-document",
        # Two quantiles each: p50 6,909 and p99 85,400; p50 350 and p99 1,119.
        Lognormal(math.log(6_909), math.log(85_400 / 6_909) / 2.3263, 131_072),
        Lognormal(math.log(350), math.log(1_119 / 350) / 2.3263, 4_096),
        1.0,
        1.0,
        "Mooncake conversation trace (p50 and p99)",
    ),
)

PRESETS: Final[Mapping[str, Preset]] = MappingProxyType({p.name: p for p in _PRESETS})
_MIXTURE: Final = (("chat", 0.6), ("code", 0.2), ("reasoning", 0.1), ("long-document", 0.1))
PRESET_NAMES: Final = (*PRESETS, "mixed")


def synthetic(
    preset: str, num_requests: int, *, rate_per_s: float | None = None, seed: int = 0
) -> tuple[Request, ...]:
    """Requests of a named kind; the same arguments always give the same requests.

    Args:
        preset: ``chat``, ``code``, ``reasoning``, ``long-document`` or ``mixed``.
        num_requests: how many.
        rate_per_s: mean arrival rate; the preset's own when None.
        seed: of the private random source.

    Raises:
        ValueError: unknown preset, negative count, or a rate that is not positive and finite.
    """
    if preset not in PRESET_NAMES:
        raise ValueError(f"unknown workload {preset!r}; known: {', '.join(PRESET_NAMES)}")
    if num_requests < 0:
        raise ValueError(f"num_requests must be at least 0, got {num_requests}")
    kind = PRESETS["chat"] if preset == "mixed" else PRESETS[preset]
    rate = kind.rate_per_s if rate_per_s is None else rate_per_s
    if not 0 < rate < math.inf:
        raise ValueError(f"rate_per_s must be positive and finite, got {rate_per_s!r}")
    rng = random.Random(f"{preset}/{seed}")
    gaps = _arrivals_ms(kind, rate, rng)
    return tuple(
        _request(f"{preset}-{number}", next(gaps), _kind(preset, rng), rng)
        for number in range(num_requests)
    )


def _kind(preset: str, rng: random.Random) -> Preset:
    if preset != "mixed":
        return PRESETS[preset]
    (name,) = rng.choices([n for n, _ in _MIXTURE], [share for _, share in _MIXTURE])
    return PRESETS[name]


def _request(request_id: str, arrival_ms: float, kind: Preset, rng: random.Random) -> Request:
    return Request(request_id, arrival_ms, kind.prompt.draw(rng), kind.output.draw(rng))


def _arrivals_ms(kind: Preset, rate_per_s: float, rng: random.Random) -> Iterator[float]:
    """Gamma-renewal arrivals in on-time, stretched by the off spells when there are bursts."""
    shape = 1 / kind.arrival_cv**2
    bursts = kind.bursts
    share_on = 1.0
    if bursts is not None:
        share_on = bursts.mean_on_ms / (bursts.mean_on_ms + bursts.mean_off_ms)
    scale_ms = 1_000 / rate_per_s * share_on / shape
    now_ms = 0.0
    left_on_ms = rng.expovariate(1 / bursts.mean_on_ms) if bursts else math.inf
    while True:
        yield now_ms
        gap_ms = rng.gammavariate(shape, scale_ms)
        while bursts is not None and gap_ms > left_on_ms:
            gap_ms -= left_on_ms
            now_ms += left_on_ms + rng.expovariate(1 / bursts.mean_off_ms)
            left_on_ms = rng.expovariate(1 / bursts.mean_on_ms)
        left_on_ms -= gap_ms
        now_ms += gap_ms
