"""KV between two engines through slots: nothing is lost when slots or pages run short."""

import multiprocessing

import pytest

np = pytest.importorskip("numpy", reason="the engine needs the extra `labs`")

from pdsched.engine import Engine, ModelConfig, Weights  # noqa: E402
from pdsched.engine.handoff import Receiver, Sender, SlotLayout  # noqa: E402

TINY = ModelConfig(2, 32, 4, 2, 8, 48, 97, 512, dtype="float64")
WEIGHTS = Weights.random(TINY, seed=3)


@pytest.fixture
def ends():
    layout = SlotLayout.for_model(TINY, longest_tokens=40, slots=1)
    slots = np.zeros((layout.slots, layout.pages_per_slot, *layout.page_shape))
    left, right = multiprocessing.Pipe()
    engine = Engine(TINY, WEIGHTS, num_pages=16)
    yield Sender(engine, slots, left), Receiver(slots, right)
    left.close()
    right.close()


def prefill(engine, name, length):
    engine.add(name, list(range(length)))
    return engine.step([(name, length)])[name]


def test_layout_has_room_for_the_longest_prompt():
    layout = SlotLayout.for_model(TINY, longest_tokens=40, slots=3)
    assert layout.pages_per_slot == 3  # 40 tokens in pages of 16
    assert layout.num_bytes == 3 * 3 * 2 * 2 * 16 * 2 * 8 * 8


def test_a_sequence_moves_with_its_tokens_and_pages(ends):
    sender, receiver = ends
    first = prefill(sender.engine, "r", 20)
    sender.ready("r", output_tokens=5)
    assert sender.pump() == ["r"]
    (note,) = receiver.take()
    assert (note.sequence_id, note.num_computed, note.output_tokens) == ("r", 20, 5)
    assert note.tokens == (*range(20), first)
    assert note.num_bytes == 2 * 16 * TINY.kv_bytes_per_token  # 20 tokens fill two pages
    decode = Engine(TINY, WEIGHTS, num_pages=16)
    decode.import_kv("r", note.tokens, note.num_computed, receiver.pages(note))
    assert decode.step([("r", 1)]) == sender.engine.step([("r", 1)])


def test_without_a_free_slot_a_sequence_waits_and_keeps_its_pages(ends):
    sender, receiver = ends
    for name in ("a", "b"):
        prefill(sender.engine, name, 20)
        sender.ready(name, output_tokens=2)
    assert sender.pump() == ["a"]
    assert not sender.idle
    assert sender.pump() == []
    receiver.done(receiver.take()[0])
    assert sender.pump() == ["b"]
    assert sender.idle
