"""KV blocks: sizes, hits and an LRU of prefixes."""

import pytest

from pdsched.kvcache import BlockPool, KVCache, PrefixCache, prefix_hit_tokens

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    ("cached", "known", "hit"),
    [(0, 40, 0), (15, 40, 0), (16, 40, 16), (40, 40, 32), (32, 32, 16), (33, 40, 32), (16, 17, 16)],
)
def test_hits_are_whole_blocks_and_leave_a_token_to_compute(cached, known, hit):
    assert prefix_hit_tokens(cached, known, 16) == hit


def test_capacity_from_memory():
    cache = KVCache.from_bytes(1e9, 131_072)  # Llama-3.1-8B in BF16: 128 KiB a token
    assert cache.num_blocks == 476
    with pytest.raises(ValueError, match="no block"):
        KVCache.from_bytes(1000, 131_072)


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"num_blocks": 0}, "num_blocks"),
        ({"num_blocks": 2.0}, "num_blocks"),
        ({"num_blocks": 4, "block_tokens": 0}, "block_tokens"),
        ({"num_blocks": 4, "watermark": 1.0}, "watermark"),
        ({"num_blocks": 4, "watermark": float("nan")}, "watermark"),
        ({"num_blocks": 1, "reserved_blocks": 1}, "reserved_blocks"),
    ],
)
def test_impossible_caches_are_refused(fields, error):
    with pytest.raises(ValueError, match=error):
        KVCache(**fields)


def test_a_pool_neither_overflows_nor_goes_negative():
    pool = BlockPool(KVCache(4, reserved_blocks=1))
    pool.take(3)
    assert (pool.free, pool.peak) == (0, 3)
    with pytest.raises(RuntimeError):
        pool.take(1)
    pool = BlockPool(KVCache(4))
    with pytest.raises(RuntimeError):
        pool.give_back(1)


def test_prefix_cache_counts_leading_blocks_only():
    cache = PrefixCache()
    assert cache.hit_blocks([1, 2, 3]) == 0
    assert cache.hit_blocks([1, 2, 9]) == 2
    assert cache.hit_blocks([2, 3]) == 2
    assert cache.hit_blocks([7, 1]) == 0


def test_prefix_cache_forgets_the_least_recent_tail_first():
    cache = PrefixCache(capacity_blocks=3)
    cache.hit_blocks([1, 2, 3])
    cache.hit_blocks([8])
    assert len(cache) == 3
    assert cache.hit_blocks([1, 2, 3]) == 2
    with pytest.raises(ValueError, match="capacity_blocks"):
        PrefixCache(0)
