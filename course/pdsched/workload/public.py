"""Public traces, downloaded once and checked; or the synthetic preset that stands in for them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pdsched.workload.request import Request
from pdsched.workload.synthetic import synthetic
from pdsched.workload.traces import read_trace


@dataclass(frozen=True, slots=True)
class PublicTrace:
    """A trace somebody publishes.

    Attributes:
        name: how it is asked for.
        url: where it is, pinned to one revision.
        sha256: of the file.
        num_requests: rows in it.
        preset: the synthetic workload with its statistics.
        licence: of the data.
    """

    name: str
    url: str
    sha256: str
    num_requests: int
    preset: str
    licence: str


_AZURE: Final = (
    "https://raw.githubusercontent.com/Azure/AzurePublicDataset/"
    "790921015d50dd6aae7f7e47f39ba0e235ad6b08/data/AzureLLMInferenceTrace_"
)
_MOONCAKE: Final = (
    "https://raw.githubusercontent.com/kvcache-ai/Mooncake/"
    "a2a4b18ac537fd798d50e6e9f57031ce86419a37/FAST25-release/traces/"
)
_TRACES: Final = (
    PublicTrace(
        "azure-conv",
        f"{_AZURE}conv.csv",
        "2f1e5b666d4e3055fdbba98598ce2ec307767b9064e03e2fa46676dbcc7d0bf8",
        19_366,
        "chat",
        "CC-BY",
    ),
    PublicTrace(
        "azure-code",
        f"{_AZURE}code.csv",
        "54e9a6d2a4bd06ba1e060304b900abbc74cbea53de96506e60fe5bb4f2277fb6",
        8_819,
        "code",
        "CC-BY",
    ),
    PublicTrace(
        "mooncake-conv",
        f"{_MOONCAKE}conversation_trace.jsonl",
        "b8cbb061a85206d729d91cdc2981f43c9e0d99209dce588d3af5f7934408b9df",
        12_031,
        "long-document",
        "Apache-2.0",
    ),
)

PUBLIC_TRACES: Final[Mapping[str, PublicTrace]] = MappingProxyType({t.name: t for t in _TRACES})


class TraceUnavailableError(OSError):
    """A public trace could not be downloaded or is not the file it should be."""


class SyntheticStandInWarning(UserWarning):
    """A synthetic workload was used in place of a public trace."""


def fetch_trace(name: str, *, cache_dir: str | Path | None = None) -> Path:
    """The local path of a public trace, downloaded at most once.

    Args:
        name: one of `PUBLIC_TRACES`.
        cache_dir: where downloads are kept; pooch's own cache by default.

    Raises:
        ValueError: unknown name.
        TraceUnavailableError: no network, a wrong checksum, or pooch is not installed.
    """
    if name not in PUBLIC_TRACES:
        raise ValueError(f"unknown trace {name!r}; known: {', '.join(PUBLIC_TRACES)}")
    trace = PUBLIC_TRACES[name]
    try:
        import pooch
    except ImportError:
        raise TraceUnavailableError(
            f"{name} needs pooch to download: pip install 'pdsched[labs]'"
        ) from None
    folder = pooch.os_cache("pdsched") if cache_dir is None else cache_dir
    suffix = Path(trace.url).suffix
    pooch.get_logger().setLevel("WARNING")
    try:
        found = pooch.retrieve(
            trace.url, f"sha256:{trace.sha256}", fname=f"{name}{suffix}", path=folder
        )
    except ValueError as error:
        raise TraceUnavailableError(
            f"{name}: the downloaded file has another checksum: {error}"
        ) from error
    except OSError as error:  # every error of requests and urllib is one
        why = type(error).__name__
        raise TraceUnavailableError(
            f"{name}: cannot download {trace.url} ({why}); no network?"
        ) from error
    return Path(found)


def public_trace(
    name: str,
    *,
    num_requests: int | None = None,
    seed: int = 0,
    cache_dir: str | Path | None = None,
) -> tuple[Request, ...]:
    """A public trace, or with a warning the synthetic preset that has its statistics.

    Args:
        name: one of `PUBLIC_TRACES`.
        num_requests: only the first so many.
        seed: of the synthetic stand-in.
        cache_dir: where downloads are kept.

    Raises:
        ValueError: unknown name or a negative count.
    """
    if num_requests is not None and num_requests < 0:
        raise ValueError(f"num_requests must be at least 0, got {num_requests}")
    try:
        requests = read_trace(fetch_trace(name, cache_dir=cache_dir))
    except TraceUnavailableError as error:
        trace = PUBLIC_TRACES[name]
        wanted = trace.num_requests if num_requests is None else num_requests
        warnings.warn(
            f"{error}. Using the synthetic workload {trace.preset!r} ({wanted} requests) instead.",
            SyntheticStandInWarning,
            stacklevel=2,
        )
        return synthetic(trace.preset, wanted, seed=seed)
    return requests[:num_requests]
