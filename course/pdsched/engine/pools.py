"""Shared pools against a PD split, measured: two processes, one core each, the same requests.

Equal resources: every plan runs on two workers. *Shared* gives each worker every second request;
*PD* lets one worker prefill and the other decode, with the KV going through shared memory.
"""

from __future__ import annotations

import multiprocessing as mp
import random
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from typing import Any

from pdsched.bench.measured import measured_timeline
from pdsched.engine.handoff import Note, Receiver, Sender, SlotLayout
from pdsched.engine.loop import ServingLoop
from pdsched.engine.model import Engine
from pdsched.engine.specs import PlannerSpec
from pdsched.engine.weights import ModelConfig
from pdsched.simulator import Handoff, Timeline, WorkerRecord
from pdsched.workload import Request

_START_DELAY_S = 0.3
_GIVE_UP_AFTER_S = 120.0


@dataclass(frozen=True)
class Served:
    """One request as the workers saw it; ms since the common start.

    Attributes:
        request_id: from the workload.
        start_ms: when it arrived.
        token_ms: when each token was sampled.
        tokens: the sampled tokens.
        prompt_tokens: input length.
    """

    request_id: str
    start_ms: float
    token_ms: tuple[float, ...]
    tokens: tuple[int, ...]
    prompt_tokens: int

    @property
    def output_tokens(self) -> int:
        """Generated tokens."""
        return len(self.tokens)


@dataclass(frozen=True)
class PoolsRun:
    """What two workers did with a workload.

    Attributes:
        served: every request.
        handoffs: KV that was moved.
        workers: what each worker did.
        core_share: of a core, what the worker that got less had while it computed.
    """

    served: tuple[Served, ...]
    handoffs: tuple[Handoff, ...]
    workers: tuple[WorkerRecord, ...]
    core_share: float = 1.0

    def timeline(self, system: str) -> Timeline:
        """The same in the simulator's terms."""
        return measured_timeline(
            self.served, system=system, handoffs=self.handoffs, workers=self.workers
        )

    @classmethod
    def from_json(cls, answer: Mapping[str, Any]) -> PoolsRun:
        """Rebuild from ``dataclasses.asdict``."""
        served = [
            Served(**each | {"token_ms": tuple(each["token_ms"]), "tokens": tuple(each["tokens"])})
            for each in answer["served"]
        ]
        handoffs = [Handoff(**each) for each in answer["handoffs"]]
        workers = tuple(WorkerRecord(**w) for w in answer["workers"])
        return cls(tuple(served), tuple(handoffs), workers, answer["core_share"])


@dataclass(frozen=True)
class WorkerTask:
    """What a worker process is told (plain data: it travels to another process)."""

    name: str
    role: str  # shared, prefill or decode
    config: ModelConfig
    planner: PlannerSpec
    requests: tuple[Request, ...]
    seed: int
    num_pages: int
    expected: int  # requests this worker must finish
    layout: SlotLayout
    memory_name: str


def prompt_of(request: Request, config: ModelConfig, seed: int) -> list[int]:
    """The prompt's tokens, the same in every process."""
    rng = random.Random(f"{seed}/{request.request_id}")
    return [rng.randrange(config.vocab_size) for _ in range(request.prompt_tokens)]


def serve_with_two_workers(
    requests: Sequence[Request],
    *,
    split: bool,
    planner: PlannerSpec,
    config: ModelConfig | None = None,
    seed: int = 0,
    num_pages: int = 2_048,
) -> PoolsRun:
    """Serve the requests in real time and return what each lived through.

    Args:
        requests: the workload.
        split: one prefill and one decode worker, else two shared ones.
        planner: of both workers.
        config: the model.
        seed: of weights and prompts.
        num_pages: KV pages of each worker.

    Raises:
        RuntimeError: a worker failed; carries its traceback.
    """
    model = config or ModelConfig()
    longest = max((r.prompt_tokens for r in requests), default=1)
    layout = SlotLayout.for_model(model, longest_tokens=longest)
    context = mp.get_context("spawn")
    left, right = context.Pipe()
    memory = SharedMemory(create=True, size=layout.num_bytes)
    try:
        shares = _shares(requests, split)
        gates = [context.Pipe() for _ in shares]
        processes = []
        for number, (role, own) in enumerate(shares):
            moved = sum(r.output_tokens > 1 for r in requests)
            expected = moved if role == "decode" else len(own)
            task = WorkerTask(
                f"{role}{number}",
                role,
                model,
                planner,
                own,
                seed,
                num_pages,
                expected,
                layout,
                memory.name,
            )
            ends = (gates[number][1], left if number == 0 else right)
            process = context.Process(target=work, args=(task, *ends), daemon=True)
            process.start()
            processes.append(process)
        return _gather([gate for gate, _ in gates], processes, requests)
    finally:
        memory.close()
        memory.unlink()


def _shares(requests: Sequence[Request], split: bool) -> list[tuple[str, tuple[Request, ...]]]:
    if split:
        return [("prefill", tuple(requests)), ("decode", ())]
    return [("shared", tuple(requests[0::2])), ("shared", tuple(requests[1::2]))]


def _gather(
    gates: Sequence[Connection], processes: Sequence[Any], requests: Sequence[Request]
) -> PoolsRun:
    """Start both workers at one moment, wait, and put their records together."""
    for gate in gates:
        _receive(gate)  # ready: weights made, warmed up
    start_s = time.perf_counter() + _START_DELAY_S
    for gate in gates:
        gate.send(start_s)
    parts: list[_Part] = [_receive(gate) for gate in gates]
    for process in processes:
        process.join(timeout=10)
    served = tuple(
        Served(
            r.request_id,
            r.arrival_ms,
            tuple(at for part in parts for at, _ in part.tokens.get(r.request_id, ())),
            tuple(token for part in parts for _, token in part.tokens.get(r.request_id, ())),
            r.prompt_tokens,
        )
        for r in requests
    )
    handoffs = tuple(handoff for part in parts for handoff in part.handoffs)
    core_share = min(part.core_share for part in parts)
    return PoolsRun(served, handoffs, tuple(part.worker for part in parts), core_share)


def _receive(gate: Connection) -> Any:
    if not gate.poll(_GIVE_UP_AFTER_S):
        raise RuntimeError(f"a worker said nothing for {_GIVE_UP_AFTER_S} s")
    try:
        answer = gate.recv()
    except EOFError:
        raise RuntimeError("a worker process ended without a word") from None
    if isinstance(answer, str) and answer.startswith("Traceback"):
        raise RuntimeError(answer)
    return answer


@dataclass(frozen=True)
class _Part:
    """One worker's share of the record; the prefill worker's part comes first."""

    tokens: Mapping[str, Sequence[tuple[float, int]]]
    handoffs: tuple[Handoff, ...]
    worker: WorkerRecord
    core_share: float


def work(task: WorkerTask, gate: Connection, peer: Connection) -> None:
    """A worker process: get ready, wait for the common start, serve, report."""
    memory = SharedMemory(name=task.memory_name)
    try:
        worker = _Worker(task, peer, memory)
        worker.warm_up()
        gate.send("ready")
        worker.serve(gate.recv())
        gate.send(worker.report())
    except BaseException:  # whatever it was, the parent must hear of it
        gate.send(traceback.format_exc())
    finally:
        memory.close()


class _Worker:
    def __init__(self, task: WorkerTask, peer: Connection, memory: SharedMemory) -> None:
        self.task = task
        self.engine = Engine(task.config, num_pages=task.num_pages, seed=task.seed)
        self.loop = ServingLoop(self.engine, task.planner.planner())
        self.tokens: dict[str, list[tuple[float, int]]] = {}
        self.handoffs: list[Handoff] = []
        self.finished = 0
        self.prompts = {r.request_id: prompt_of(r, task.config, task.seed) for r in task.requests}
        self.outputs = {r.request_id: r.output_tokens for r in task.requests}
        slots = task.layout.array(memory)
        self.sender = Sender(self.engine, slots, peer) if task.role == "prefill" else None
        self.receiver = Receiver(slots, peer) if task.role == "decode" else None
        self.held: list[Note] = []  # arrived, but no KV pages free yet

    def warm_up(self) -> None:
        for number in range(3):
            self.loop.submit(f"warm{number}", [1] * 200, output_tokens=5)
        while self.loop.busy:
            self.loop.step()
        self.loop.steps.clear()

    def serve(self, start_s: float) -> None:
        self.start_s = start_s
        due = list(self.task.requests)[::-1]
        while self.finished < self.task.expected:
            while due and self.now_ms() >= due[-1].arrival_ms:
                request = due.pop()
                # A prefill worker makes one token, but keeps the sequence until its KV has left.
                output_tokens = 2 if self.sender else request.output_tokens
                prompt = self.prompts[request.request_id]
                self.loop.submit(request.request_id, prompt, output_tokens)
            self._exchange()
            if self.loop.runnable:
                self._step()
            else:
                time.sleep(0.0002)

    def now_ms(self) -> float:
        return (time.perf_counter() - self.start_s) * 1_000

    def _step(self) -> None:
        step = self.loop.step()
        now = self.now_ms()
        for name, token in step.sampled.items():
            self.tokens.setdefault(name, []).append((now, token))
            if self.sender is not None:
                self._leave_prefill(self.sender, name)
        self.finished += len(step.finished)

    def _leave_prefill(self, sender: Sender, name: str) -> None:
        if self.outputs[name] > 1:
            self.loop.hold(name)
            sender.ready(name, self.outputs[name])
        else:
            self.loop.cancel(name)
            self.finished += 1

    def _exchange(self) -> None:
        if self.sender is not None:
            for name in self.sender.pump():
                self.loop.cancel(name)
                self.finished += 1
        if self.receiver is not None:
            self.held += self.receiver.take()
            while self.held and self.loop.has_room(
                self.held[0].num_computed + self.held[0].output_tokens
            ):
                self._adopt(self.held.pop(0))

    def _adopt(self, note: Note) -> None:
        assert self.receiver is not None
        pages = self.receiver.pages(note)
        self.loop.adopt(note.sequence_id, note.tokens, note.num_computed, pages, note.output_tokens)
        moved_ms = [(at - self.start_s) * 1_000 for at in (note.ready_s, note.sent_s)]
        self.receiver.done(note)
        self.handoffs.append(
            Handoff(
                note.sequence_id,
                source="prefill0",
                target=self.task.name,
                attempt=1,
                ready_ms=moved_ms[0],
                admitted_ms=moved_ms[1],
                start_ms=moved_ms[1],
                end_ms=self.now_ms(),
                num_bytes=note.num_bytes,
                outcome="ok",
            )
        )

    def report(self) -> _Part:
        steps = self.loop.steps
        record = WorkerRecord(
            name=self.task.name,
            role=self.task.role,
            iterations=len(steps),
            busy_ms=sum(step.end_ms - step.start_ms for step in steps),
            prefill_tokens=sum(tokens for step in steps for _, tokens, _ in step.prefills),
            decode_tokens=sum(len(step.decodes) for step in steps),
            preemptions=0,
            kv_blocks_total=self.task.num_pages,
            kv_blocks_peak=max((step.pages_used for step in steps), default=0),
            kv_block_ms=sum(s.pages_used * (s.end_ms - s.start_ms) for s in steps),
            stranded_block_ms=0.0,
        )
        return _Part(self.tokens, tuple(self.handoffs), record, self.loop.core_share)
