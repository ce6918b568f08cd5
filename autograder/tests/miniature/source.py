"""The instructor's side: two source notebooks, written as JSON."""

import json
from pathlib import Path
from textwrap import dedent

NAME = "prefill-decode-scheduling"
POINTS = {
    "todo1_three_classes": 2.0,
    "todo1_pure": 1.0,
    "concept_1a_answer": 1.0,
    "todo2_order_and_tail": 2.0,
    "todo2_rejects_bad_chunk": 1.0,
    "todo4_one_pool": 2.0,
}

TODO1 = '''
    def summarize_request_mix(requests, long_prompt_threshold):
        """统计三类请求。"""
        ### BEGIN SOLUTION
        counts = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
        for request in requests:
            long_prompt = request["prompt_tokens"] > long_prompt_threshold
            long_decode = request["decode_tokens"] > long_prompt_threshold // 8
            if long_prompt and not long_decode:
                counts["prefill_heavy"] += 1
            elif long_decode and not long_prompt:
                counts["decode_heavy"] += 1
            else:
                counts["mixed"] += 1
        return counts
        ### END SOLUTION
'''
CONCEPT = '''
    def concept_1a():
        """A、B、C 或 D。"""
        ### BEGIN SOLUTION
        return "B"
        ### END SOLUTION
'''
TODO2 = '''
    def build_chunked_prefill_plan(suffix_tokens, chunk_size):
        """按顺序切分。"""
        ### BEGIN SOLUTION
        if chunk_size <= 0:
            raise ValueError("chunk_size 必须为正数")
        tokens = list(suffix_tokens)
        return [tokens[i : i + chunk_size] for i in range(0, len(tokens), chunk_size)]
        ### END SOLUTION
'''
TODO4 = '''
    def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
        """每个请求一个池。"""
        ### BEGIN SOLUTION
        pools = {"prefill_pool": [], "decode_pool": [], "shared_pool": []}
        for request in requests:
            long_prompt = request["prompt_tokens"] > long_prompt_threshold
            long_decode = request["decode_tokens"] > long_decode_threshold
            if long_prompt and not long_decode:
                pools["prefill_pool"].append(request["name"])
            elif long_decode and not long_prompt:
                pools["decode_pool"].append(request["name"])
            else:
                pools["shared_pool"].append(request["name"])
        return pools
        ### END SOLUTION
'''

TESTS = {
    "todo1_three_classes": """
        # 三类请求各计一次
        from pdsched.feedback import expect
        requests = [
            {"name": "a", "prompt_tokens": 4000, "decode_tokens": 64},
            {"name": "b", "prompt_tokens": 256, "decode_tokens": 512},
            {"name": "c", "prompt_tokens": 1500, "decode_tokens": 128},
        ]
        counts = {"prefill_heavy": 1, "decode_heavy": 1, "mixed": 1}
        expect(summarize_request_mix, requests, 2048).returns(counts)
        ### BEGIN HIDDEN TESTS
        secret = [{"name": "h", "prompt_tokens": 987654, "decode_tokens": 3}]
        counts = {"prefill_heavy": 1, "decode_heavy": 0, "mixed": 0}
        assert summarize_request_mix(secret, 800) == counts, "hidden property broken"
        ### END HIDDEN TESTS
    """,
    "todo1_pure": """
        # 不改变传入的请求
        from pdsched.feedback import expect
        expect(summarize_request_mix, [{"prompt_tokens": 9, "decode_tokens": 1}], 8).is_pure()
    """,
    "concept_1a_answer": """
        # 回答是一个字母
        from pdsched.feedback import expect
        expect(concept_1a).satisfies(lambda a: a in {"A", "B", "C", "D"}, "A、B、C 或 D")
        ### BEGIN HIDDEN TESTS
        assert concept_1a() == "B", "not the right choice"
        ### END HIDDEN TESTS
    """,
    "todo2_order_and_tail": """
        # 顺序不变，尾块可以更短
        from pdsched.feedback import expect
        expect(build_chunked_prefill_plan, [9, 10, 11], 2).returns([[9, 10], [11]])
        ### BEGIN HIDDEN TESTS
        whole = build_chunked_prefill_plan(list(range(77123, 77130)), 3)
        assert whole == [[77123, 77124, 77125], [77126, 77127, 77128], [77129]], "hidden"
        ### END HIDDEN TESTS
    """,
    "todo2_rejects_bad_chunk": """
        # 非正 chunk_size 必须拒绝
        from pdsched.feedback import expect
        expect(build_chunked_prefill_plan, [1], 0).raises(ValueError)
    """,
    "todo4_one_pool": """
        # 每个请求只进入一个池
        from pdsched.feedback import expect
        requests = [{"name": "a", "prompt_tokens": 4000, "decode_tokens": 64}]
        pools = {"prefill_pool": ["a"], "decode_pool": [], "shared_pool": []}
        expect(plan_pd_split, requests, 2048, 256).returns(pools)
    """,
}
CONSTANTS = "import math\nFULL_BLOCK = 16"

#: Cells of each notebook: (kind, grade_id or tag, text).
NOTEBOOKS = {
    "step1_request_pressure": [
        ("markdown", "", "# Step 1 请求压力\n\n目标与预测。"),
        ("setup", "", "import pdsched"),
        ("code", "", CONSTANTS),
        ("markdown", "", "## TODO 1 三类计数"),
        ("solution", "todo1_summarize_request_mix", TODO1),
        ("test", "todo1_three_classes", TESTS["todo1_three_classes"]),
        ("test", "todo1_pure", TESTS["todo1_pure"]),
        ("panel", "", "panels.request_mix()"),
        ("markdown", "", "## 概念题"),
        ("solution", "concept_1a", CONCEPT),
        ("test", "concept_1a_answer", TESTS["concept_1a_answer"]),
    ],
    "step2_chunked_prefill": [
        ("markdown", "", "# Step 2 分块"),
        ("solution", "todo2_build_chunked_prefill_plan", TODO2),
        ("test", "todo2_order_and_tail", TESTS["todo2_order_and_tail"]),
        ("test", "todo2_rejects_bad_chunk", TESTS["todo2_rejects_bad_chunk"]),
        ("markdown", "", "## TODO 4 分池"),
        ("solution", "todo4_plan_pd_split", TODO4),
        ("test", "todo4_one_pool", TESTS["todo4_one_pool"]),
    ],
}


def write_source(course: Path) -> Path:
    """Write ``source/<assignment>/`` under a course folder; returns the assignment's folder."""
    folder = course / "source" / NAME
    folder.mkdir(parents=True)
    for name, cells in NOTEBOOKS.items():
        document = notebook(cell(i, *spec) for i, spec in enumerate(cells))
        text = json.dumps(document, ensure_ascii=False)
        (folder / f"{name}.ipynb").write_text(text, encoding="utf-8")
    return folder


def notebook(cells, minor=5):
    """A notebook's JSON around these cells."""
    spec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {
        "nbformat": 4,
        "nbformat_minor": minor,
        "metadata": {"kernelspec": spec},
        "cells": list(cells),
    }


def cell(number, kind, name, text):
    """One source cell with the metadata that nbgrader gives it."""
    is_code = kind != "markdown"
    made = {
        "cell_type": "code" if is_code else "markdown",
        "id": f"released-{number}",
        "metadata": {},
        "source": dedent(text).strip(),
    }
    if is_code:
        made |= {"outputs": [], "execution_count": None}
    if kind in ("panel", "setup"):
        made["metadata"]["tags"] = [kind]
    if kind in ("solution", "test"):
        made["metadata"]["nbgrader"] = {
            "grade": kind == "test",
            "grade_id": name,
            "locked": kind == "test",
            "schema_version": 3,
            "solution": kind == "solution",
            "task": False,
        }
        if kind == "test":
            made["metadata"]["nbgrader"]["points"] = POINTS[name]
    return made
