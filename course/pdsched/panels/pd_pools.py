"""Panel 3: TODO 4 routes requests to pools, and the simulator shows what that costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from pdsched.figures.axes import milliseconds, short_number
from pdsched.figures.pd_pools import POOLS, BreakEven, Routed, pd_pools
from pdsched.figures.scene import Scene
from pdsched.hardware import LINKS, MODELS, handoff_ms, kv_bytes_per_token
from pdsched.messages import text
from pdsched.metrics import Metrics, summarize
from pdsched.panels.faults import limited, wrong_type
from pdsched.panels.iteration_timeline import MODEL, cost
from pdsched.panels.quadrants import corner
from pdsched.panels.spec import Choice, Control, Number, PanelSpec, Question, Slider, Values, View
from pdsched.simulator import Cluster, HandoffLink, Timeline, simulate
from pdsched.workload import Request, synthetic

BUDGET: Final = 2048
LONGEST_OUTPUT: Final = 128  # so that the lanes stay readable
ASKED_TOKENS: Final = 4096
ROLES: Final = ("prefill", "decode", "shared")
GRID: Final = tuple(2**power for power in range(6, 18))
POOL_OF: Final = {"prefill": "prefill_pool", "decode": "decode_pool", "both": "shared_pool"}


@lru_cache(maxsize=32)
def workload(kind: str, count: int, rate: float) -> tuple[Request, ...]:
    """Requests of a named kind, their outputs cut to `LONGEST_OUTPUT`."""
    return tuple(
        replace(request, output_tokens=min(request.output_tokens, LONGEST_OUTPUT))
        for request in synthetic(kind, count, rate_per_s=rate, seed=7)
    )


@lru_cache(maxsize=16)
def link_of(name: str) -> HandoffLink:
    """A link preset carrying this panel's model."""
    preset = LINKS[name]
    return HandoffLink(kv_bytes_per_token(MODELS[MODEL]), preset.gb_per_s, preset.setup_ms)


class PdPools(PanelSpec):
    """Workers, link, thresholds; routing, lanes, utilisation and break-even."""

    key = "pd_pools"
    function = "plan_pd_split"
    todo = 4
    few_calls = True
    tolerance = 0.3
    # What is predicted is one prompt's handoff: the link's speed decides it alone.
    looks = frozenset({"prefill", "decode", "shared", "long_prompt", "long_decode", "workload",
                       "count", "rate"})  # fmt: skip

    def controls(self) -> tuple[Control, ...]:
        """Workers of each role, the link, both thresholds, the workload."""
        kinds = tuple((text(f"panels.workload.{kind}"), kind) for kind in
                      ("mixed", "chat", "code", "reasoning"))  # fmt: skip
        workers = (1, 2, 3, 4)
        return (
            Slider("prefill", text("panels.pd.prefill"), workers, 1),
            Slider("decode", text("panels.pd.decode"), workers, 1),
            Slider("shared", text("panels.pd.shared"), workers, 1),
            Choice("link", text("panels.pd.link"), tuple((_link_word(n), n) for n in LINKS),
                   "nic-400g"),
            Slider("long_prompt", "long_prompt_threshold",
                   (64, 256, 512, 1024, 2048, 4096, 8192, 32768), 1024, "token"),
            Slider("long_decode", "long_decode_threshold", (4, 8, 16, 32, 64, 96, 128), 64,
                   "token"),
            Choice("workload", text("panels.mix.workload"), kinds, "mixed"),
            Slider("count", text("panels.mix.count"), (3, 6, 12, 24, 48, 100), 24),
            Slider("rate", text("panels.pd.rate"), (1, 2, 4, 8, 16, 32, 64), 8, text("panels.rps")),
        )  # fmt: skip

    def question(self, values: Values) -> Question:
        """The handoff of one prompt over this link."""
        link = LINKS[str(values["link"])]
        words = text(
            "panels.pd.question",
            tokens=short_number(ASKED_TOKENS),
            model=MODEL,
            kib=round(kv_bytes_per_token(MODELS[MODEL]) / 1024),
            link=link.name,
            speed=f"{link.gb_per_s:g}",
        )
        return Question(words, unit="ms")

    def frame(self, values: Values) -> Scene:
        """The requests without a pool, above the break-even curves."""
        routed = [Routed(r.request_id, r.prompt_tokens, r.output_tokens) for r in _work(values)]
        curves = replace(_curves(values, None), transfer_ms=())
        return pd_pools(routed, curves, None, evidence=_evidence())

    def prepare(self, values: Values) -> None:
        """The same workers without a split, to compare with."""
        _all_shared(values)

    def compute(
        self, function: Callable[..., Any], values: Values, prediction: float | str | None
    ) -> View:
        """The learner's routing, simulated."""
        work = _work(values)
        limits = int(values["long_prompt"]), int(values["long_decode"])
        asked = [_as_request(request) for request in work]
        pools = function(asked, *limits)
        problem = _malformed(pools)
        if problem:
            return View(self.frame(values), (problem,))
        routed, faults = _read(pools, work, limits)
        timeline = _simulated(values, work, routed)
        metrics = summarize(timeline)
        scene = pd_pools(
            routed,
            _curves(values, prediction),
            timeline,
            [
                (role, metrics.utilisation.get(role, 0.0))
                for role in ("prefill", "decode", "shared")
            ],
            evidence=_evidence(),
        )
        numbers = _numbers(metrics, _all_shared(values))
        asked_ms = handoff_ms(ASKED_TOKENS, link_of(str(values["link"])).kv_bytes_per_token,
                              LINKS[str(values["link"])])  # fmt: skip
        return View(scene, limited(faults), numbers, _sentences(faults), answer=asked_ms)


def _link_word(name: str) -> str:
    return f"{name}（{LINKS[name].gb_per_s:g} GB/s）"


def _evidence() -> str:
    return text("figures.evidence.simulated", cost=cost().name)


def _work(values: Values) -> tuple[Request, ...]:
    return workload(str(values["workload"]), int(values["count"]), float(values["rate"]))


def _as_request(request: Request) -> dict[str, object]:
    return {
        "name": request.request_id,
        "prompt_tokens": request.prompt_tokens,
        "decode_tokens": request.output_tokens,
    }


def _malformed(pools: object) -> str:
    if isinstance(pools, Mapping) and all(isinstance(pools.get(p), (list, tuple)) for p in POOLS):
        return ""
    expected = "{" + ", ".join(f"'{pool}': list[str]" for pool in POOLS) + "}"
    return wrong_type(PdPools.function, expected, pools)


def _read(
    pools: Mapping[str, Sequence[object]], work: Sequence[Request], limits: tuple[int, int]
) -> tuple[list[Routed], list[str]]:
    """Where each request was put, and the sentences of what is wrong with that."""
    counts = {pool: Counter(str(name) for name in pools[pool]) for pool in POOLS}
    known = {request.request_id for request in work}
    faults = [
        text("panels.pd.unknown", name=name, pool=pool)
        for pool in POOLS
        for name in counts[pool]
        if name not in known
    ]
    routed = []
    for request in work:
        name = request.request_id
        found = tuple(pool for pool in POOLS for _ in range(counts[pool][name]))
        fault = _fault(request, found, limits)
        if fault:
            faults.append(fault)
        once = tuple(dict.fromkeys(found))
        routed.append(Routed(name, request.prompt_tokens, request.output_tokens, once, fault))
    return routed, faults


def _fault(request: Request, found: tuple[str, ...], limits: tuple[int, int]) -> str:
    name = request.request_id
    if not found:
        return text("panels.pd.missing", name=name)
    if len(found) > 1:
        return text("panels.pd.repeated", name=name, pools=", ".join(found))
    prompt, output = request.prompt_tokens, request.output_tokens
    expected = POOL_OF[corner(prompt, output, *limits)]
    if found == (expected,):
        return ""
    return text(
        "panels.pd.wrong_pool",
        name=name,
        prompt=f"{prompt} {'>' if prompt > limits[0] else '≤'} {limits[0]}",
        output=f"{output} {'>' if output > limits[1] else '≤'} {limits[1]}",
        expected=expected,
        got=found[0],
    )


def _simulated(values: Values, work: Sequence[Request], routed: Sequence[Routed]) -> Timeline:
    """The cluster with the learner's routing; a request in no pool goes to the shared one."""
    route = {each.name: (each.pools or ("shared_pool",))[0] for each in routed}
    cluster = Cluster.pd(
        int(values["prefill"]), int(values["decode"]), link_of(str(values["link"])),
        shared=int(values["shared"]), route=route,
    )  # fmt: skip
    return simulate(work, "decode_first", cost(), max_num_batched_tokens=BUDGET, cluster=cluster)


def _all_shared(values: Values) -> Metrics:
    workers = int(values["prefill"]) + int(values["decode"]) + int(values["shared"])
    kind, count, rate = str(values["workload"]), int(values["count"]), float(values["rate"])
    return _shared_metrics(kind, count, rate, workers)


@lru_cache(maxsize=64)
def _shared_metrics(kind: str, count: int, rate: float, workers: int) -> Metrics:
    return summarize(
        simulate(workload(kind, count, rate), "decode_first", cost(),
                 max_num_batched_tokens=BUDGET, cluster=Cluster.shared(workers),
                 record_iterations=False)
    )  # fmt: skip


def _curves(values: Values, prediction: float | str | None) -> BreakEven:
    transfer, recompute, sharing = _lines(str(values["link"]))
    guess = (ASKED_TOKENS, float(prediction)) if isinstance(prediction, (int, float)) else None
    return BreakEven(GRID, transfer, recompute, sharing, int(values["long_prompt"]), guess)


@lru_cache(maxsize=16)
def _lines(link: str) -> tuple[tuple[float, ...], ...]:
    """Transfer, whole prefill again, and the longest extra gap of a chat that shares its worker."""
    bytes_per_token, model = kv_bytes_per_token(MODELS[MODEL]), cost()
    decode_only = model.iteration_ms(0, 0, 0.0, 8, 8 * 1024, 8)
    transfer, recompute, sharing = [], [], []
    for tokens in GRID:
        transfer.append(handoff_ms(tokens, bytes_per_token, LINKS[link]))
        recompute.append(model.iteration_ms(tokens, 0, tokens * tokens / 2, 0, 0, 1))
        chunk = min(tokens, BUDGET)
        past = tokens - chunk
        pairs = chunk * (past + chunk / 2)
        mixed = model.iteration_ms(chunk, past, pairs, 8, 8 * 1024, 9)
        sharing.append(max(mixed - decode_only, 0.01))
    return tuple(transfer), tuple(recompute), tuple(sharing)


def _numbers(split: Metrics, shared: Metrics) -> tuple[Number, ...]:
    def pair(mine: float | None, theirs: float | None) -> str:
        words = ["–" if ms is None else milliseconds(ms) for ms in (mine, theirs)]
        return f"{words[0]} / {words[1]}"

    handoff = split.handoff
    exposed = "–" if handoff.exposed_ms.p95 is None else milliseconds(handoff.exposed_ms.p95)
    return (
        Number(text("panels.pd.number.ttft"), pair(split.ttft_ms.p95, shared.ttft_ms.p95),
               "prefill"),
        Number(text("panels.pd.number.tpot"), pair(split.tpot_ms.p95, shared.tpot_ms.p95),
               "decode"),
        Number(text("panels.pd.number.itl"), pair(split.itl_ms.max, shared.itl_ms.max), "stall"),
        Number(text("panels.pd.number.handoff"), exposed, "handoff"),
        Number(text("panels.pd.number.bytes"), f"{handoff.gigabytes:.3g} GB", "handoff"),
    )  # fmt: skip


def _sentences(faults: Sequence[str]) -> tuple[str, ...]:
    words = [text("panels.pd.phases"), text("panels.pd.cut", output=LONGEST_OUTPUT)]
    if faults:
        words.append(text("panels.pd.went_on"))
    return tuple(words)
