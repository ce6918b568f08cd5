"""Cost models that are coefficients somebody measured: linear fits and DistServe's tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import isfinite
from numbers import Real
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class LinearCost:
    """``max(floor, base + a·P) + b·pairs + c·D + d·past + e·context``, in milliseconds.

    P are prefill tokens and D decodes. With a zero floor this is the plain linear form that a
    regression over measured iterations gives.

    Attributes:
        name: short and unique.
        source: where the coefficients come from.
        error: one sentence on their error.
        base_ms: any iteration.
        prefill_token_ms: each prefill token.
        decode_ms: each decode.
        prefill_pair_ms: each (new token, context token) pair of prefill attention.
        decode_context_ms: each context token of a decode.
        prefill_past_ms: each token already in KV of a request being prefilled.
        floor_ms: lower bound of the part that reads the weights.

    Raises:
        ValueError: a coefficient is no finite number.
    """

    name: str
    source: str
    error: str
    base_ms: float
    prefill_token_ms: float
    decode_ms: float
    prefill_pair_ms: float = 0.0
    decode_context_ms: float = 0.0
    prefill_past_ms: float = 0.0
    floor_ms: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value: object = getattr(self, each.name)
            if each.name in {"name", "source", "error"}:
                continue
            if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
                raise ValueError(f"{each.name} must be a finite number, got {value!r}")

    def iteration_ms(  # noqa: PLR0917 -- the hot call; keywords would cost more than the sum
        self,
        prefill_tokens: int,
        prefill_past: int,
        prefill_pairs: float,
        num_decodes: int,
        decode_context: int,
        num_sampled: int,  # noqa: ARG002 -- part of the protocol; a linear fit has no use for it
        /,
    ) -> float:
        """Milliseconds of one iteration; see `CostModel.iteration_ms`."""
        weights_ms = self.base_ms + prefill_tokens * self.prefill_token_ms
        return (
            (weights_ms if weights_ms > self.floor_ms else self.floor_ms)
            + prefill_pairs * self.prefill_pair_ms
            + prefill_past * self.prefill_past_ms
            + num_decodes * self.decode_ms
            + decode_context * self.decode_context_ms
        )

    def decode_slope(self, _num_decodes: int, _first_context: int, _last_context: int) -> float:
        """Milliseconds per context token of a decode-only iteration."""
        return self.decode_context_ms


SARATHI_YI_34B: Final = LinearCost(
    name="yi-34b on 2 x a100 (sarathi)",
    source="fit to Sarathi-Serve figures 2 and 9 (microsoft/sarathi-serve, Apache-2.0)",
    error=(
        "8 % mean absolute error on 32 published points; one (256 tokens, published as slower "
        "than 512) is off by half"
    ),
    base_ms=15.0,
    prefill_token_ms=0.175,
    prefill_pair_ms=1.14e-5,
    decode_ms=0.6,
    decode_context_ms=0.00045,
    floor_ms=49.0,
)


@dataclass(frozen=True, slots=True)
class DistServeCost:
    """DistServe's fit: prefill ``a + b·tokens + c·Σlen²``, decode ``a + b·Σcontext + c·batch``.

    The fit was made for iterations of one kind. A mixed iteration pays both without the smaller
    of the two constants, because the weights are read once.

    Attributes:
        model: DistServe's model name.
        tensor_parallel: degree the coefficients were fitted for.
        prefill: constant, per token, per squared token.
        decode_small: constant, per context token, per request; below ``large_batch`` requests.
        decode_large: the same from ``large_batch`` requests on.
        large_batch: where the second regime begins.
        engine_ms: work between iterations that the profile of the model does not hold.
    """

    model: str
    tensor_parallel: int
    prefill: tuple[float, float, float]
    decode_small: tuple[float, float, float]
    decode_large: tuple[float, float, float]
    large_batch: int = 95
    engine_ms: float = 0.0

    @property
    def name(self) -> str:
        """Model and degree."""
        return f"{self.model} on {self.tensor_parallel} x a100 (distserve)"

    @property
    def source(self) -> str:
        """DistServe's published profiler output."""
        return "DistServe's fitted profile of vLLM on A100-80G (LLMServe/DistServe, Apache-2.0)"

    @property
    def error(self) -> str:
        """What its authors say, and what does not hold."""
        return (
            "reproduces DistServe figure 1 colocated and decode-only; its prefill-only goodput "
            "comes out about twice the published one"
        )

    def iteration_ms(  # noqa: PLR0917 -- the hot call; keywords would cost more than the sum
        self,
        prefill_tokens: int,
        prefill_past: int,  # noqa: ARG002 -- the fit has no term for it
        prefill_pairs: float,
        num_decodes: int,
        decode_context: int,
        num_sampled: int,  # noqa: ARG002 -- nor for this
        /,
    ) -> float:
        """Milliseconds of one iteration; see `CostModel.iteration_ms`."""
        base, per_token, per_square = self.prefill
        base += self.engine_ms
        prefill_ms = prefill_tokens * per_token + 2 * prefill_pairs * per_square
        if not num_decodes:
            return base + prefill_ms if prefill_tokens else 0.0
        regime = self.decode_large if num_decodes >= self.large_batch else self.decode_small
        decode_base, per_context, per_request = regime
        decode_base += self.engine_ms
        decode_ms = decode_context * per_context + num_decodes * per_request
        if not prefill_tokens:
            return decode_base + decode_ms
        return max(base, decode_base) + prefill_ms + decode_ms

    def decode_slope(self, num_decodes: int, _first_context: int, _last_context: int) -> float:
        """Milliseconds per context token of a decode-only iteration."""
        regime = self.decode_large if num_decodes >= self.large_batch else self.decode_small
        return regime[1]


_OPT_13B: Final = DistServeCost(
    "opt-13b",
    1,
    prefill=(22.0522, 0.140509, 8.07658e-6),
    decode_small=(23.4750, 5.92934e-4, 0.0607269),
    decode_large=(20.2064, 4.90770e-4, 0.1200032),
)
_OPT_13B_TP2: Final = DistServeCost(
    "opt-13b",
    2,
    prefill=(27.4408, 0.0905453, 8.45205e-6),
    decode_small=(24.5406, 2.24401e-4, 0.0871579),
    decode_large=(17.9478, 4.57085e-4, 0.1117908),
)
_OPT_66B_TP2: Final = DistServeCost(
    "opt-66b",
    2,
    prefill=(58.3822, 0.382641, -7.11415e-6),
    decode_small=(57.0734, 3.64611e-3, 0.2249374),
    decode_large=(26.9838, 6.20013e-3, 0.4482569),
)

_OPT_66B_TP4: Final = DistServeCost(
    "opt-66b",
    4,
    prefill=(42.9655, 0.212866, 4.60102e-5),
    decode_small=(39.5818, 6.94572e-4, 0.1358087),
    decode_large=(40.8597, 4.26487e-4, 0.1950837),
)

DISTSERVE: Final[Mapping[tuple[str, int], DistServeCost]] = MappingProxyType(
    {
        (cost.model, cost.tensor_parallel): cost
        for cost in (_OPT_13B, _OPT_13B_TP2, _OPT_66B_TP2, _OPT_66B_TP4)
    }
)
