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

from pdsched.engine.handoff import Note, Receiver, Sender, SlotLayout
from pdsched.engine.loop import ServingLoop
from pdsched.engine.model import Engine
from pdsched.engine.specs import PlannerSpec
from pdsched.engine.weights import ModelConfig
from pdsched.workload import Request

_START_DELAY_S = 0.3
_GIVE_UP_AFTER_S = 120.0


@dataclass(frozen=True)
class Served:
    """One request as the workers saw it; ms since the common start.

    Attributes:
        request_id: from the workload.
        arrival_ms: when it was due.
        token_ms: when each token was sampled.
        tokens: the sampled tokens.
        prompt_tokens: input length.
        worker: who decoded it.
        handoff_ms: KV ready to KV usable on the other side; None without a handoff.
        handoff_bytes: bytes that moved.
    """

    request_id: str
    arrival_ms: float
    token_ms: tuple[float, ...]
    tokens: tuple[int, ...]
    prompt_tokens: int
    worker: str
    handoff_ms: float | None = None
    handoff_bytes: int = 0


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
) -> list[Served]:
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
) -> list[Served]:
    """Start both workers at one moment, wait, and put their records together."""
    for gate in gates:
        _receive(gate)  # ready: weights made, warmed up
    start_s = time.perf_counter() + _START_DELAY_S
    for gate in gates:
        gate.send(start_s)
    parts = [_receive(gate) for gate in gates]
    for process in processes:
        process.join(timeout=10)
    merged: dict[str, dict[str, Any]] = {}
    for part in parts:
        for request_id, seen in part.items():
            whole = merged.setdefault(request_id, {"token_ms": (), "tokens": ()})
            for key in ("token_ms", "tokens"):
                whole[key] += tuple(seen.pop(key))
            whole |= seen
    return [
        Served(r.request_id, r.arrival_ms, prompt_tokens=r.prompt_tokens, **merged[r.request_id])
        for r in requests
    ]


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
        self.seen: dict[str, dict[str, Any]] = {}
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
            seen = self.seen.setdefault(
                name, {"token_ms": [], "tokens": [], "worker": self.task.name}
            )
            seen["token_ms"].append(now)
            seen["tokens"].append(token)
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
        handoff_ms = (time.perf_counter() - note.ready_s) * 1_000
        self.receiver.done(note)
        self.seen[note.sequence_id] = {
            "handoff_ms": handoff_ms,
            "handoff_bytes": note.num_bytes,
            "worker": self.task.name,
            "token_ms": [],
            "tokens": [],
        }

    def report(self) -> Mapping[str, Mapping[str, Any]]:
        return self.seen
