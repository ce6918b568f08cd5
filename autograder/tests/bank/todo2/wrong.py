"""Typical wrong answers of TODO 2: what went wrong in the learner's mind, and what it earns.

Each is the plain solution with a few edits. ``fails`` are the test cells it loses, all others it
keeps; ``shows`` is the smallest failing call that `pdsched.feedback.check` puts before the learner.
"""

WRONG = (
    dict(
        name="no_validation",
        why="range() happens to refuse 0 but not negative sizes",
        edits=(
            (
                '    if chunk_size <= 0:\n        raise ValueError("chunk_size must be positive")\n',
                "",
            ),
        ),
        fails=("todo2_rejects_bad_chunk",),
        score=4,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([1], chunk_size=-1)",
    ),
    dict(
        name="refuses_zero_only",
        why="negative sizes pass",
        edits=(("chunk_size <= 0", "chunk_size == 0"),),
        fails=("todo2_rejects_bad_chunk",),
        score=4,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([1], chunk_size=-1)",
    ),
    dict(
        name="refuses_one",
        why="off by one in the check",
        edits=(("chunk_size <= 0", "chunk_size <= 1"),),
        fails=("todo2_boundaries", "todo2_rejects_bad_chunk"),
        score=3,
        verdict="raised",
        shows="build_chunked_prefill_plan([], chunk_size=1)",
    ),
    dict(
        name="wrong_exception",
        why="TypeError instead of ValueError",
        edits=(("raise ValueError", "raise TypeError"),),
        fails=("todo2_rejects_bad_chunk",),
        score=4,
        verdict="raised",
        shows="build_chunked_prefill_plan([1], chunk_size=0)",
    ),
    dict(
        name="empty_list_for_bad_sizes",
        why="hides the error",
        edits=(('raise ValueError("chunk_size must be positive")', "return []"),),
        fails=("todo2_rejects_bad_chunk",),
        score=4,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([1], chunk_size=0)",
    ),
    dict(
        name="drops_the_tail",
        why="only full chunks",
        edits=(
            ("len(suffix_tokens), chunk_size)", "len(suffix_tokens) - chunk_size + 1, chunk_size)"),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="overlapping_chunks",
        why="slices one token too many",
        edits=(("start + chunk_size]", "start + chunk_size + 1]"),),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="loses_one_per_chunk",
        why="slices one token too few",
        edits=(("start + chunk_size]", "start + chunk_size - 1]"),),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="pads_the_tail",
        why="fills the last chunk with zeros",
        edits=(
            (
                "    return chunks",
                "    if chunks:\n        chunks[-1] = chunks[-1] + [0] * (chunk_size - len(chunks[-1]))\n    return chunks",
            ),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="size_is_a_count",
        why="splits into chunk_size chunks instead of chunks of that size",
        edits=(
            (
                "    chunks = []\n",
                "    chunks = []\n    chunk_size = max(1, -(-len(suffix_tokens) // chunk_size))\n",
            ),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([9, 10, 11, 12, 13], chunk_size=2)",
    ),
    dict(
        name="equal_chunks",
        why="balances the chunk lengths",
        edits=(
            (
                "    chunks = []\n",
                "    chunks = []\n    pieces = max(1, -(-len(suffix_tokens) // chunk_size))\n    chunk_size = max(1, -(-len(suffix_tokens) // pieces))\n",
            ),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([1, 2, 3, 4, 5, 6], chunk_size=5)",
    ),
    dict(
        name="short_chunk_first",
        why="aligns the chunks to the end",
        edits=(
            (
                "    chunks = []\n    for start in range(0, len(suffix_tokens), chunk_size):\n        chunks.append(suffix_tokens[start : start + chunk_size])\n",
                "    chunks = []\n    rest = len(suffix_tokens) % chunk_size\n    if rest:\n        chunks.append(suffix_tokens[:rest])\n    for start in range(rest, len(suffix_tokens), chunk_size):\n        chunks.append(suffix_tokens[start : start + chunk_size])\n",
            ),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="tuples",
        why="chunks are tuples",
        edits=(
            (
                "append(suffix_tokens[start : start + chunk_size])",
                "append(tuple(suffix_tokens[start : start + chunk_size]))",
            ),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries", "todo2_rejects_bad_chunk", "todo2_pure"),
        score=0,
        verdict="wrong_type",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="lengths_only",
        why="returns how long the chunks are",
        edits=(
            (
                "append(suffix_tokens[start : start + chunk_size])",
                "append(len(suffix_tokens[start : start + chunk_size]))",
            ),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries", "todo2_rejects_bad_chunk", "todo2_pure"),
        score=0,
        verdict="wrong_type",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="a_generator",
        why="yields the chunks",
        edits=(
            (
                "        chunks.append(suffix_tokens[start : start + chunk_size])\n    return chunks",
                "        yield suffix_tokens[start : start + chunk_size]",
            ),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries", "todo2_rejects_bad_chunk", "todo2_pure"),
        score=0,
        verdict="wrong_type",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="one_empty_chunk",
        why="an empty suffix gives one empty chunk",
        edits=(("    return chunks", "    return chunks or [[]]"),),
        fails=("todo2_boundaries",),
        score=4,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([], chunk_size=1)",
    ),
    dict(
        name="eats_the_suffix",
        why="deletes from the caller's list",
        edits=(
            (
                "    for start in range(0, len(suffix_tokens), chunk_size):\n        chunks.append(suffix_tokens[start : start + chunk_size])\n",
                "    while suffix_tokens:\n        chunks.append(suffix_tokens[:chunk_size])\n        del suffix_tokens[:chunk_size]\n",
            ),
        ),
        fails=("todo2_pure",),
        score=4,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], 2)",
    ),
    dict(
        name="sorted_tokens",
        why="sorts what must keep its order",
        edits=(
            ("    chunks = []\n", "    chunks = []\n    suffix_tokens = sorted(suffix_tokens)\n"),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="distinct_tokens",
        why="drops repeated tokens",
        edits=(
            (
                "    chunks = []\n",
                "    chunks = []\n    suffix_tokens = list(dict.fromkeys(suffix_tokens))\n",
            ),
        ),
        fails=("todo2_order_and_tail", "todo2_boundaries"),
        score=2,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
    dict(
        name="checks_after_the_empty_case",
        why="an empty suffix returns before the size is checked",
        edits=(
            (
                "    if chunk_size <= 0",
                "    if not suffix_tokens:\n        return []\n    if chunk_size <= 0",
            ),
        ),
        fails=("todo2_rejects_bad_chunk",),
        score=4,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([], chunk_size=0)",
    ),
    dict(
        name="refuses_large_sizes",
        why="a chunk size above the length counts as an error",
        edits=(
            ("chunk_size <= 0:", "chunk_size <= 0 or chunk_size > max(len(suffix_tokens), 1):"),
        ),
        fails=("todo2_boundaries", "todo2_rejects_bad_chunk"),
        score=3,
        verdict="raised",
        shows="build_chunked_prefill_plan([], chunk_size=2)",
    ),
    dict(
        name="keeps_old_chunks",
        why="the list of chunks survives between calls",
        edits=(("    chunks = []\n", ""), ("def build", "chunks = []\n\n\ndef build")),
        fails=("todo2_order_and_tail", "todo2_boundaries", "todo2_pure"),
        score=1,
        verdict="wrong_value",
        shows="build_chunked_prefill_plan([5, 7, 5], chunk_size=2)",
    ),
)
