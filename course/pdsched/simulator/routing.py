"""From a ``plan_pd_split`` function to the route of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pdsched.simulator.cluster import POOLS

if TYPE_CHECKING:
    from pdsched.workload import Request

SplitFunction = Callable[..., object]


def route_from_split_function(
    function: SplitFunction,
    requests: Sequence[Request],
    *,
    long_prompt_threshold: int,
    long_decode_threshold: int,
) -> dict[str, str]:
    """Each request's pool, decided by a function with the contract of TODO 4.

    Args:
        function: called once as ``function(requests, long_prompt_threshold,
            long_decode_threshold)``, where each request is ``{'name', 'prompt_tokens',
            'decode_tokens'}``.
        requests: the workload.
        long_prompt_threshold: passed on.
        long_decode_threshold: passed on.

    Returns:
        Pool by request id, for ``Cluster(route=…)``.

    Raises:
        ValueError: the result is not a dictionary of the three pools, names an unknown request,
            or leaves one out or puts it into two pools.
    """
    asked = [
        {
            "name": request.request_id,
            "prompt_tokens": request.prompt_tokens,
            "decode_tokens": request.output_tokens,
        }
        for request in requests
    ]
    pools = function(asked, long_prompt_threshold, long_decode_threshold)
    if not isinstance(pools, dict) or set(pools) != set(POOLS):
        raise ValueError(f"plan_pd_split must return {{{', '.join(POOLS)}}}, got {pools!r}")
    known = {request.request_id for request in requests}
    route: dict[str, str] = {}
    for pool in POOLS:
        if not isinstance(pools[pool], (list, tuple)):
            raise ValueError(f"{pool} must be a list of names, got {pools[pool]!r}")  # noqa: TRY004
        for name in pools[pool]:
            if not isinstance(name, str) or name not in known:
                raise ValueError(f"{pool} names {name!r}, which is no request")
            if name in route:
                raise ValueError(f"request {name!r} is in {route[name]} and in {pool}")
            route[name] = pool
    missing = [request.request_id for request in requests if request.request_id not in route]
    if missing:
        raise ValueError(f"request {missing[0]!r} is in no pool")
    return route
