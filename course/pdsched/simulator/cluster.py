"""Which workers there are, who gets which request, and the link between the phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf
from numbers import Real
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pdsched.cost import CostModel
    from pdsched.kvcache import KVCache
    from pdsched.scheduler.protocol import Scheduler
    from pdsched.workload import Request

ROLES = ("shared", "prefill", "decode")
MOST_WORKERS = 1024  # of one role
POOLS = ("prefill_pool", "decode_pool", "shared_pool")


@dataclass(frozen=True)
class WorkerPool:
    """Workers of one role. What is ``None`` is taken from the arguments of `simulate`.

    Attributes:
        role: ``shared`` serves both phases; ``prefill`` hands its KV to a ``decode`` worker;
            ``decode`` also prefills the short prompts that are routed to it.
        workers: how many.
        scheduler: policy, by name or as an object.
        cost: cost model (another GPU or parallelism per phase).
        max_num_batched_tokens: token budget.
        max_num_seqs: admitted requests at one time.
        kv: KV cache of each worker.

    Raises:
        ValueError: an unknown role, or a number out of range.
    """

    role: str
    workers: int = 1
    scheduler: str | Scheduler | None = None
    cost: CostModel | None = None
    max_num_batched_tokens: int | None = None
    max_num_seqs: int | None = None
    kv: KVCache | None = None

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            raise ValueError(f"role must be one of {', '.join(ROLES)}, got {self.role!r}")
        if type(self.workers) is not int or not 1 <= self.workers <= MOST_WORKERS:
            raise ValueError(
                f"workers must be an integer of at least 1 and at most {MOST_WORKERS}, "
                f"got {self.workers!r}"
            )
        for name in ("max_num_batched_tokens", "max_num_seqs"):
            value = getattr(self, name)
            if value is not None and (type(value) is not int or value < 1):
                raise ValueError(f"{name} must be an integer of at least 1, got {value!r}")


@dataclass(frozen=True)
class HandoffLink:
    """The way of the KV from prefill to decode workers: a queue, a speed and its failures.

    Attributes:
        kv_bytes_per_token: KV bytes of one token (``pdsched.hardware.kv_bytes_per_token``).
        gb_per_s: effective speed, 1e9 bytes per second.
        setup_ms: fixed time of one transfer.
        block_tokens: transfers are padded to whole blocks of this many tokens.
        lanes: transfers at one time, each at full speed; the others queue.
        failure_rate: share of transfers that fail (seeded); time and bytes are spent anyway.
        max_attempts: attempts before the decode worker prefills the prompt itself.
        retry_ms: pause before the next attempt.
        admission_timeout_ms: longest wait for the decode side to reserve blocks; after that the
            prefill side drops the KV and the request is prefilled where it decodes.
        decode_headroom_tokens: output tokens that must have room beside the prompt before the
            decode side admits a request (SGLang: ``num_reserved_decode_tokens``, 512).
        overlap_layers: with layer-wise sending, the number of layers: only the last layer and
            what the prefill was too short to hide remain after it. 1 sends all after prefill.

    Raises:
        ValueError: a number is out of range.
    """

    kv_bytes_per_token: float
    gb_per_s: float
    setup_ms: float = 0.0
    block_tokens: int = 16
    lanes: int = 1
    failure_rate: float = 0.0
    max_attempts: int = 3
    retry_ms: float = 0.0
    admission_timeout_ms: float = inf
    decode_headroom_tokens: int = 1
    overlap_layers: int = 1

    def __post_init__(self) -> None:
        for name, smallest in {
            "block_tokens": 1,
            "lanes": 1,
            "max_attempts": 1,
            "decode_headroom_tokens": 0,
            "overlap_layers": 1,
        }.items():
            value = getattr(self, name)
            if type(value) is not int or value < smallest:
                raise ValueError(f"{name} must be an integer of at least {smallest}, got {value!r}")
        for name in (
            "kv_bytes_per_token", "gb_per_s", "setup_ms", "retry_ms", "failure_rate",
            "admission_timeout_ms",
        ):  # fmt: skip
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real):
                raise ValueError(f"{name} must be a number, got {value!r}")  # noqa: TRY004
        for name in ("kv_bytes_per_token", "gb_per_s"):
            if not 0 < getattr(self, name) < inf:
                raise ValueError(f"{name} must be positive and finite, got {getattr(self, name)!r}")
        for name in ("setup_ms", "retry_ms"):
            if not 0 <= getattr(self, name) < inf:
                raise ValueError(f"{name} must be finite and >= 0, got {getattr(self, name)!r}")
        if not 0 <= self.failure_rate <= 1:
            raise ValueError(f"failure_rate must be in [0, 1], got {self.failure_rate!r}")
        if not self.admission_timeout_ms > 0:
            raise ValueError(
                f"admission_timeout_ms must be positive, got {self.admission_timeout_ms!r}"
            )

    def num_bytes(self, tokens: int) -> int:
        """Bytes of ``tokens``, padded to whole blocks."""
        blocks = -(-tokens // self.block_tokens)
        return round(blocks * self.block_tokens * self.kv_bytes_per_token)

    def transfer_ms(self, tokens: int) -> float:
        """Time on the wire for the KV of ``tokens``."""
        return self.setup_ms + self.num_bytes(tokens) / (self.gb_per_s * 1e6)


@dataclass(frozen=True)
class Cluster:
    """Pools of workers, the link between prefill and decode, and the routing of requests.

    Attributes:
        pools: one `WorkerPool` per role.
        link: needed when there are prefill workers.
        route: a request's pool (``prefill_pool``, ``decode_pool`` or ``shared_pool``): a
            function of the request, or a mapping from its id. By default ``prefill_pool`` where
            there are prefill workers, else ``shared_pool``.

    Raises:
        ValueError: a role occurs twice, or prefill workers lack decode workers or a link.
    """

    pools: tuple[WorkerPool, ...]
    link: HandoffLink | None = None
    route: Callable[[Request], str] | Mapping[str, str] | None = field(default=None)

    def __post_init__(self) -> None:
        roles = [pool.role for pool in self.pools]
        if not roles:
            raise ValueError("a cluster needs at least one pool")
        if len(set(roles)) != len(roles):
            raise ValueError(f"each role may occur once, got {roles}")
        if ("prefill" in roles) and "decode" not in roles:
            raise ValueError("prefill workers need decode workers to hand their KV to")
        if "prefill" in roles and self.link is None:
            raise ValueError("prefill workers need a link to the decode workers")

    @classmethod
    def shared(cls, workers: int = 1) -> Cluster:
        """``workers`` equal workers that serve both phases."""
        return cls((WorkerPool("shared", workers),))

    @classmethod
    def pd(
        cls,
        prefill: int,
        decode: int,
        link: HandoffLink,
        *,
        shared: int = 0,
        route: Callable[[Request], str] | Mapping[str, str] | None = None,
    ) -> Cluster:
        """``prefill`` : ``decode`` workers with a link, and ``shared`` ones beside them."""
        pools = [WorkerPool("prefill", prefill), WorkerPool("decode", decode)]
        if shared:
            pools.append(WorkerPool("shared", shared))
        return cls(tuple(pools), link, route)

    @property
    def roles(self) -> frozenset[str]:
        """Roles that have workers."""
        return frozenset(pool.role for pool in self.pools)

    def pool_of(self, request: Request) -> str:
        """The pool a request is routed to.

        Raises:
            ValueError: the route names an unknown pool or one without workers, or no pool.
        """
        if self.route is None:
            return "prefill_pool" if "prefill" in self.roles else "shared_pool"
        if callable(self.route):
            pool = self.route(request)
        elif request.request_id in self.route:
            pool = self.route[request.request_id]
        else:
            raise ValueError(f"request {request.request_id!r} is routed to no pool")
        if pool not in POOLS:
            raise ValueError(
                f"request {request.request_id!r} is routed to {pool!r}; "
                f"pools are {', '.join(POOLS)}"
            )
        role = pool.removesuffix("_pool")
        if role not in self.roles:
            raise ValueError(
                f"request {request.request_id!r} is routed to {pool!r}, "
                f"but the cluster has no {role} worker"
            )
        return pool
