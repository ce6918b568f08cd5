# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     notebook_metadata_filter: -jupytext.text_representation.jupytext_version
#     text_representation:
#       extension: .py
#       format_name: percent
#       format_version: '1.3'
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% cellView="form" jupyter={"source_hidden": true} tags=["setup"]
# @title 环境准备 | Setup
# 本地已装好 pdsched：什么也不做。云端：安装它，不改动任何已装好的包。
def prepare_pdsched(package: str) -> None:
    """Install pdsched unless it is there; packages already installed keep their versions."""
    import importlib
    import importlib.metadata
    import importlib.util
    import subprocess
    import sys
    import tempfile
    from pathlib import Path

    if importlib.util.find_spec("pdsched"):
        return
    wheels = sorted(Path.cwd().glob("pdsched-*.whl"))
    source = str(wheels[-1]) if wheels else package
    found = importlib.metadata.distributions()
    pins = {dist.metadata["Name"]: dist.version for dist in found if dist.metadata["Name"]}
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder, "installed.txt")
        constraints.write_text("\n".join(f"{name}=={pins[name]}" for name in pins))
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--constraint"]
        done = subprocess.run(
            [*command, str(constraints), source], check=False, capture_output=True, text=True
        )
    importlib.invalidate_caches()
    if done.returncode or not importlib.util.find_spec("pdsched"):
        reason = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise ModuleNotFoundError(
            f"没能安装 pdsched（来自 {source}）：请检查网络，或把 pdsched-*.whl 放到本 notebook "
            f"旁边再运行本格。 | could not install pdsched: check the network, or put "
            f"pdsched-*.whl beside this notebook and run the cell again. {' '.join(reason)}"
        )
    version = importlib.metadata.version("pdsched")
    print(f"已安装 pdsched {version}（来自 {source}），已有的包保持原版本。")


PACKAGE = "pdsched @ git+https://github.com/publish--me/prefill-decode-scheduling@main#subdirectory=course"
prepare_pdsched(PACKAGE)

# %% [markdown]
# # 38. Prefill Decode Scheduling | Prefill/Decode 调度
#
# ## Step 2 · Chunked Prefill | 分块与预算
#
# **你将学会**
#
# - 把没命中缓存的 suffix 切成有序的小块，知道每个块边界为什么重要；
# - 用三种策略把同一份预算分给 Decode 与 Prefill；
# - 写出 **TODO 2** `build_chunked_prefill_plan` 与 **TODO 3** `plan_iteration_budget`。
#
# **用时** 约 50 分钟（阅读 15 · 预测 5 · 代码 30）。只用 CPU。
#
# [Step 1 请求压力](step1_request_pressure.ipynb) →
# [Step 2 分块与预算](step2_chunked_prefill.ipynb) →
# [Step 3 分池与交接](step3_pd_pools.ipynb) →
# [Step 4 账本与决策](step4_ledger_decision.ipynb)

# %% [markdown] tags=["badges"]
# ☁️ 云端打开 | Open in the cloud: [Colab](https://colab.research.google.com/github/publish--me/prefill-decode-scheduling/blob/main/release/prefill-decode-scheduling/step2_chunked_prefill.ipynb) · [ModelScope 魔搭](https://modelscope.cn/my/mynotebook) · [阿里云 PAI-DSW](https://gallery.pai-ml.com/#/import/https://github.com/publish--me/prefill-decode-scheduling/blob/main/release/prefill-decode-scheduling/step2_chunked_prefill.ipynb)

# %% [markdown]
# ### 前置回顾 | Prerequisites
#
# | 概念 | 两句话 |
# |---|---|
# | **Prefix Cache** | 开头与缓存相同的部分直接复用。剩下没命中的 **suffix** 才需要 Prefill；分块不改变命中多少。 |
# | **Iteration Budget** | 一轮的 token 总数不超过 `max_num_batched_tokens`。Prefill 按块长计，Decode 每个请求计 1。 |
# | **Decode Scheduling** | 正在生成的请求每轮要 1 个名额。哪一轮没轮到，用户就在那一轮停顿。 |
# | **KV Cache Lifecycle** | 每做完一块，这一块的 KV 就留在显存里。下一块接着它算，不必重来。 |
# | **Continuous Batching** | 每一轮开始前都能重新挑选成员。本节讨论：挑好之后，预算怎么分。 |

# %% [markdown]
# ### 一次做完，谁在等 | Who waits for a long prefill
#
# 32 个人正在聊天，忽然来了一个 8,000 token 的文档。如果整段 Prefill 独占一轮，这一轮有多长，32 个人就一起停顿多久。**Chunked Prefill** 把长活切短，让别人能插进来。
#
# | 术语 | 意思 | 它管住什么 |
# |---|---|---|
# | `suffix` | 没命中缓存、这次必须算的输入 | 一共有多少 Prefill 要做 |
# | `chunk_size` | 一块最多多少 token | 一轮被占多久，多久让一次 |
# | `chunk_plan` | suffix 切成的有序块 | 先后次序不变，一个不少 |
# | `yield_point` | 一块做完的那个时刻 | 调度器重新选人的机会 |
# | `iteration_plan` | 这一轮的 Decode 名单与 Prefill 块 | 总 token 数不越过预算 |

# %% [markdown]
# ### 手算一遍：切块 | Chunks by hand
#
# suffix 有 10 个 token，`chunk_size = 4`。用（起点，长度）记每一块：
#
# ```text
# token    0 1 2 3 | 4 5 6 7 | 8 9 |
# chunk    (0, 4)    (4, 4)    (8, 2)
# yield            ^         ^     ■
# ```
#
# `^` 是**让出点**：一块做完、下一块还没开始，调度器可以重新选人。3 块之间有 2 个；`■` 处尾块做完，Prefill 结束，没有下一块要让，面板不计它。
#
# **尾块可以短**，不补齐。10 个 token 恰好各出现一次，次序与原来相同。

# %% tags=["aside", "nbval-check-output"]
for suffix_length in (3, 4, 5, 10):
    starts = range(0, suffix_length, 4)
    print(suffix_length, [(start, min(4, suffix_length - start)) for start in starts])

# %% [markdown]
# ### 先预测：几块？ | Predict first
#
# **2a.** 一个 prompt 有 2,600 个 token，Prefix Cache 命中了前 1,000 个。`chunk_size = 512`，每轮都放得下一整块。Prefill 一共要做几块？


# %% nbgrader={"grade": false, "grade_id": "concept_2a", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_2a() -> int:
    """返回块数（整数）。"""
    ### BEGIN SOLUTION
    return 4
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_2a_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 2a：答案是一个正整数（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_2a).satisfies(
    lambda answer: type(answer) is int and answer > 0, "答案应是一个正整数"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_2a_answer", concept_2a)
### END HIDDEN TESTS

# %% [markdown]
# ### 动手看：块边界 | Chunk boundaries
#
# 三个滑块：命中长度、suffix 长度、`chunk_size`。颜色是块，竖线是让出点；切法来自**你的** TODO 2。

# %% tags=["panel", "nbval-ignore-output"]
from pdsched import panels

panels.chunk_boundaries()

# %% [markdown]
# ### TODO 2 · `build_chunked_prefill_plan`
#
# | | 类型与单位 | 说明 |
# |---|---|---|
# | `suffix_tokens` | `list[int]`，token id | 没命中的那一段，已按次序排好 |
# | `chunk_size` | `int`，tokens | 一块最多多少个 |
# | **返回** | `list[list[int]]` | 依次相接就是原来的 suffix；除尾块外，每块恰好 `chunk_size` 个 |
#
# **边界**：空 suffix 得到 `[]`；`chunk_size` 为 0 或负数时抛出 `ValueError`（suffix 为空也一样）；不改动传入的列表。
#
# **篇幅**：约 3 行。


# %% nbgrader={"grade": false, "grade_id": "todo2_build_chunked_prefill_plan", "locked": false, "schema_version": 3, "solution": true, "task": false}
def build_chunked_prefill_plan(suffix_tokens: list[int], chunk_size: int) -> list[list[int]]:
    """把 suffix 按次序切成不超过 chunk_size 的块。"""
    ### BEGIN SOLUTION
    if chunk_size <= 0:
        raise ValueError(f"chunk_size 必须大于 0，收到 {chunk_size}")
    starts = range(0, len(suffix_tokens), chunk_size)
    return [list(suffix_tokens[start : start + chunk_size]) for start in starts]
    ### END SOLUTION


# %% [markdown]
# **即时反馈**：写完先运行 `check(2)`；卡住了，运行 `hint(2)`。

# %% tags=["aside", "nbval-ignore-output"]
from pdsched.feedback import check, hint

check(2)

# %% nbgrader={"grade": true, "grade_id": "todo2_order_and_tail", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 次序不变，尾块可以更短。
from pdsched.feedback import expect

expect(build_chunked_prefill_plan, [9, 10, 11, 12, 13], chunk_size=2).returns(
    [[9, 10], [11, 12], [13]]
)
expect(build_chunked_prefill_plan, [7, 3, 3, 8], chunk_size=3).returns([[7, 3, 3], [8]])
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo2_order_and_tail", build_chunked_prefill_plan)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo2_boundaries", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 边界：空 suffix、比一块少一个、恰好一块、多一个，以及 chunk_size = 1。
from pdsched.feedback import expect

for suffix_tokens, chunk_size, expected in [
    ([], 4, []),
    ([1, 2, 3], 4, [[1, 2, 3]]),
    ([1, 2, 3, 4], 4, [[1, 2, 3, 4]]),
    ([1, 2, 3, 4, 5], 4, [[1, 2, 3, 4], [5]]),
    ([5, 6], 1, [[5], [6]]),
]:
    expect(build_chunked_prefill_plan, suffix_tokens, chunk_size).returns(expected)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo2_boundaries", build_chunked_prefill_plan)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo2_rejects_bad_chunk", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# chunk_size 不是正数时抛出 ValueError。
from pdsched.feedback import expect

expect(build_chunked_prefill_plan, [1], chunk_size=0).raises(ValueError)
expect(build_chunked_prefill_plan, [1, 2], chunk_size=-1).raises(ValueError)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo2_rejects_bad_chunk", build_chunked_prefill_plan)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo2_pure", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 不改动传入的 suffix；同样的输入再切一次，结果相同。
from pdsched.feedback import expect

expect(build_chunked_prefill_plan, [4, 8, 15, 16, 23], 2).is_pure()
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo2_pure", build_chunked_prefill_plan)
### END HIDDEN TESTS

# %% [markdown]
# ---
# ## 一份预算，两方来分 | Sharing the budget
#
# 切好块，还要决定**这一轮谁先拿**。三种策略的差别只在次序：
#
# | 策略 | 次序 | 护着谁 | 代价 |
# |---|---|---|---|
# | `decode_first` | 全部 Decode → Prefill | 正在聊天的人 | Decode 多时，新请求迟迟开不了头 |
# | `prefill_first` | Prefill → Decode | 新来的长请求 | 聊天的人可能整轮停顿 |
# | `balanced` | 预留几个 Decode → Prefill → 其余 Decode | 两边都有一点 | 要选一个合适的预留数 |
#
# **无论哪种策略**：每个 Prefill 请求一轮最多一块；块长 = min（剩余 suffix，块上限，剩余预算）；只要还有合法的活可排，就不让预算空着。

# %% [markdown]
# ### 手算一遍：一轮 | One iteration by hand
#
# 预算 8，块上限 4，预留 1。等待 Decode 的有 d1、d2、d3；等待 Prefill 的有 p1（5 个 token）、p2（4 个）。一个字母就是一个 token：`D` 是 Decode，`P` 是 p1 的块，`p` 是 p2 的块。
#
# ```text
# budget          1 2 3 4 5 6 7 8
# decode_first    D D D P P P P p
# prefill_first   P P P P p p p p
# balanced        D P P P P p p p
# ```
#
# | 策略 | Decode | Prefill 块 | 已用 | 剩余 |
# |---|---|---|--:|--:|
# | `decode_first` | d1 d2 d3 | p1: 4，p2: 1 | 8 | 0 |
# | `prefill_first` | 无 | p1: 4，p2: 4 | 8 | 0 |
# | `balanced` | d1 | p1: 4，p2: 3 | 8 | 0 |
#
# `balanced` 的**预留是下限，不是上限**：Prefill 用不完的预算，还会再分给没轮到的 Decode。

# %% [markdown]
# ### 先预测，再看图 | Predict first
#
# **2b.** 一个长 prompt 正在分块 Prefill，旁边有一批聊天请求。预算够用，`decode_first`。把块上限从 1024 减到 512，会怎样？
#
# - **A** 聊天请求的最大 ITL 变小；长请求自己的 TTFT 不会变短，通常更长
# - **B** 最大 ITL 与长请求的 TTFT 都变小
# - **C** 最大 ITL 变大；长请求的 TTFT 变短
# - **D** 都不变，因为要算的 token 总数没变


# %% nbgrader={"grade": false, "grade_id": "concept_2b", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_2b() -> str:
    """返回 "A"、"B"、"C" 或 "D"。"""
    ### BEGIN SOLUTION
    return "A"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_2b_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 2b：答案是四个大写字母之一（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_2b).satisfies(
    lambda answer: answer in ("A", "B", "C", "D"), "答案应是 A、B、C、D 之一"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_2b_answer", concept_2b)
### END HIDDEN TESTS

# %% [markdown]
# **2c.** 预算 8，`balanced`，预留 1。等待 Decode 的有 d1、d2、d3；只有一个 Prefill 请求 p1，还剩 5 个 token，块上限 4。这一轮结束时 `remaining_tokens` 是多少？


# %% nbgrader={"grade": false, "grade_id": "concept_2c", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_2c() -> int:
    """返回剩余的 token 数（整数）。"""
    ### BEGIN SOLUTION
    return 8 - (1 + 4 + 2)
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_2c_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 2c：答案是 0 到 8 的整数（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_2c).satisfies(
    lambda answer: type(answer) is int and 0 <= answer <= 8, "答案应是 0 到 8 的整数"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_2c_answer", concept_2c)
### END HIDDEN TESTS

# %% [markdown]
# ### 动手看：逐轮时间线 | Iteration timeline
#
# 每一柱是一轮：下层 Decode，上层 Prefill 块，横线是预算。下方的**停顿条**是一个聊天请求的 ITL。
#
# 一定要拨动 **步 ↔ 毫秒** 开关：按步看，好像谁也没耽误；按毫秒看，长的一轮立刻现形。

# %% tags=["panel", "nbval-ignore-output"]
from pdsched import panels

panels.iteration_timeline()

# %% [markdown]
# ### TODO 3 · `plan_iteration_budget`
#
# | 参数 | 类型与单位 | 说明 |
# |---|---|---|
# | `prefill_suffixes` | `dict[str, int]` | 请求 id → 剩余 suffix 的 token 数；按字典次序先到先排 |
# | `decode_request_ids` | `list[str]` | 等待 Decode 的请求，按次序先到先排；每个占 1 个 token |
# | `max_num_batched_tokens` | `int`，tokens | 一轮的预算 |
# | `max_prefill_chunk_tokens` | `int`，tokens | 一块的上限 |
# | `policy` | `str` | `"decode_first"`、`"prefill_first"` 或 `"balanced"` |
# | `decode_reserve_tokens` | `int`，tokens | 只在 `balanced` 中起作用：先安排至多这么多个 Decode |
#
# **返回** 一个字典，恰好六个键：
#
# | 键 | 值 |
# |---|---|
# | `policy`、`max_num_batched_tokens` | 原样抄回 |
# | `decode_request_ids` | 这一轮安排的 Decode，按原次序 |
# | `prefill_chunks` | `[{"request_id": …, "tokens": …}, …]`，按安排的次序 |
# | `used_tokens`、`remaining_tokens` | 两者之和恰好是预算 |

# %% [markdown]
# **规则**
#
# 1. 三种次序见上面的表。`balanced`：先至多 `decode_reserve_tokens` 个 Decode，再 Prefill，剩下的预算给其余 Decode。
# 2. 每个 Prefill 请求一轮最多一块，块长 = min（剩余 suffix，块上限，剩余预算）；长度为 0 的块不要写进结果。
# 3. 预留可以是 0，也可以比 Decode 还多，都合法。
#
# **抛出 `ValueError`**：预算或块上限不是正数；预留为负；策略不认识；某个 suffix 为负；Decode id 重复。不改动传入的字典和列表。
#
# **篇幅**：约 30 行。建议先写一个「排 Decode」、一个「排 Prefill」的小函数，三种策略只是调用次序不同。


# %% nbgrader={"grade": false, "grade_id": "todo3_plan_iteration_budget", "locked": false, "schema_version": 3, "solution": true, "task": false}
def plan_iteration_budget(
    prefill_suffixes: dict[str, int],
    decode_request_ids: list[str],
    max_num_batched_tokens: int,
    max_prefill_chunk_tokens: int,
    policy: str = "balanced",
    decode_reserve_tokens: int = 1,
) -> dict[str, object]:
    """在一轮的 token 预算里安排 Decode 与 Prefill 块。"""
    ### BEGIN SOLUTION
    if max_num_batched_tokens <= 0:
        raise ValueError(f"max_num_batched_tokens 必须大于 0，收到 {max_num_batched_tokens}")
    if max_prefill_chunk_tokens <= 0:
        raise ValueError(f"max_prefill_chunk_tokens 必须大于 0，收到 {max_prefill_chunk_tokens}")
    if decode_reserve_tokens < 0:
        raise ValueError(f"decode_reserve_tokens 不能为负，收到 {decode_reserve_tokens}")
    if any(length < 0 for length in prefill_suffixes.values()):
        raise ValueError("prefill_suffixes 里有负的长度")
    if len(set(decode_request_ids)) < len(decode_request_ids):
        raise ValueError("decode_request_ids 里有重复的请求")

    # 每个阶段是（种类，最多拿多少 token）；三种策略只是阶段的次序不同。
    everything = max_num_batched_tokens
    stages_by_policy = {
        "decode_first": [("decode", everything), ("prefill", everything)],
        "prefill_first": [("prefill", everything), ("decode", everything)],
        "balanced": [
            ("decode", decode_reserve_tokens),
            ("prefill", everything),
            ("decode", everything),
        ],
    }
    if policy not in stages_by_policy:
        raise ValueError(f"policy 只能是 {'、'.join(stages_by_policy)}，收到 {policy!r}")

    remaining = max_num_batched_tokens
    waiting = list(decode_request_ids)
    scheduled = []
    chunks = []
    for kind, stage_limit in stages_by_policy[policy]:
        if kind == "decode":
            count = min(len(waiting), stage_limit, remaining)
            scheduled += waiting[:count]
            waiting = waiting[count:]
            remaining -= count
            continue
        for request_id, length in prefill_suffixes.items():
            tokens = min(length, max_prefill_chunk_tokens, remaining)
            if tokens > 0:
                chunks.append({"request_id": request_id, "tokens": tokens})
                remaining -= tokens

    return {
        "policy": policy,
        "max_num_batched_tokens": max_num_batched_tokens,
        "decode_request_ids": scheduled,
        "prefill_chunks": chunks,
        "used_tokens": max_num_batched_tokens - remaining,
        "remaining_tokens": remaining,
    }
    ### END SOLUTION


# %% [markdown]
# **即时反馈**：写完先运行 `check(3)`；卡住了，运行 `hint(3)`。

# %% tags=["aside", "nbval-ignore-output"]
from pdsched.feedback import check, hint

check(3)

# %% [markdown]
# ### 检查 | Tests
#
# 每一格只检查一件事，分数也分开记：先写好一种策略，就能先拿到它的分。

# %% nbgrader={"grade": true, "grade_id": "todo3_decode_first", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# decode_first：先排完所有放得下的 Decode，余下的预算给 Prefill。
from pdsched.feedback import expect

expect(
    plan_iteration_budget, {"p1": 5, "p2": 2}, ["d1", "d2"], 3, 2, policy="decode_first"
).includes(
    {
        "decode_request_ids": ["d1", "d2"],
        "prefill_chunks": [{"request_id": "p1", "tokens": 1}],
    }
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo3_decode_first", plan_iteration_budget)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo3_prefill_first", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# prefill_first：先按次序排 Prefill 块，余下的预算给 Decode。
from pdsched.feedback import expect

expect(
    plan_iteration_budget, {"p1": 5, "p2": 2}, ["d1", "d2"], 3, 2, policy="prefill_first"
).includes(
    {
        "decode_request_ids": [],
        "prefill_chunks": [{"request_id": "p1", "tokens": 2}, {"request_id": "p2", "tokens": 1}],
    }
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo3_prefill_first", plan_iteration_budget)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo3_balanced_reserve", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# balanced：先留出 Decode 的名额，再排 Prefill，剩余的预算还给其余 Decode。
from pdsched.feedback import expect

expect(
    plan_iteration_budget,
    {"p1": 5, "p2": 2},
    ["d1", "d2"],
    4,
    2,
    policy="balanced",
    decode_reserve_tokens=1,
).includes(
    {
        "decode_request_ids": ["d1"],
        "prefill_chunks": [{"request_id": "p1", "tokens": 2}, {"request_id": "p2", "tokens": 1}],
    }
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo3_balanced_reserve", plan_iteration_budget)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo3_budget_conserved", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 守恒：排进去的 token 数就是 used_tokens，它与 remaining_tokens 之和恰好是预算。
from pdsched.feedback import expect

for policy in ("decode_first", "prefill_first", "balanced"):
    for budget in (1, 4, 9, 40):
        expect(
            plan_iteration_budget, {"p1": 7, "p2": 3}, ["d1", "d2", "d3"], budget, 4, policy=policy
        ).satisfies(
            lambda plan, budget=budget: (
                len(plan["decode_request_ids"])
                + sum(chunk["tokens"] for chunk in plan["prefill_chunks"])
                == plan["used_tokens"]
                == budget - plan["remaining_tokens"]
                <= budget
            ),
            "Decode 数 + 各块 token 数 = used_tokens ≤ 预算，且 used_tokens + remaining_tokens = 预算",
        )
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo3_budget_conserved", plan_iteration_budget)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo3_no_idle_budget", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 还有活可排，就不让预算空着：预留之外的 Decode 会拿到 Prefill 用不完的预算。
from pdsched.feedback import expect

expect(
    plan_iteration_budget,
    {"p1": 5, "p2": 1},
    ["d1", "d2", "d3"],
    6,
    2,
    policy="balanced",
    decode_reserve_tokens=1,
).includes({"decode_request_ids": ["d1", "d2", "d3"]})
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo3_no_idle_budget", plan_iteration_budget)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo3_rejects_bad_input", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 非法输入抛出 ValueError：预算、块上限、策略、suffix、预留、重复的 id。
from pdsched.feedback import expect

expect(plan_iteration_budget, {"p": 1}, [], 0, 1).raises(ValueError)
expect(plan_iteration_budget, {"p": 1}, [], 2, 0).raises(ValueError)
expect(plan_iteration_budget, {"p": 1}, [], 2, 1, policy="unknown").raises(ValueError)
expect(plan_iteration_budget, {"p": -1}, [], 2, 1).raises(ValueError)
expect(plan_iteration_budget, {"p": 1}, [], 2, 1, decode_reserve_tokens=-1).raises(ValueError)
expect(plan_iteration_budget, {"p": 1}, ["d", "d"], 2, 1).raises(ValueError)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo3_rejects_bad_input", plan_iteration_budget)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo3_pure", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 不改动传入的字典和列表；同样的输入再排一次，结果相同。
from pdsched.feedback import expect

expect(plan_iteration_budget, {"p1": 5, "p2": 2}, ["d1", "d2"], 4, 2).is_pure()
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo3_pure", plan_iteration_budget)
### END HIDDEN TESTS

# %% [markdown]
# ### 看什么 | What to look for
#
# 回到时间线：
#
# - **拖动块上限**，看 c1 的最长 ITL 与长 prompt 的 TTFT。从 1024 拖到 512：两边各得到什么，各付出什么？与你在 2b 的预测比一比。再往下，ITL 停在约 19 ms（带 Prefill 块的一轮至少这么长），只有 TTFT 还在变；
# - 2048 → 1024 却是**两边都变好**：预留 1 个 Decode 后，一块只剩 2047，8192 做完四块还差 4 个 token，多走一轮；1024 则正好 8 块。大于 2048 什么也不变，因为预算也是 2048：想看更大的块，先把预算调大；
# - 策略选 `prefill_first`，把块上限开到最大：停顿条上会出现一道很高的尖峰，高度就是那次 Prefill 的毫秒数；
# - 块上限放回 2048，预留从 0 拖到 1：c1 的最长 ITL 222 → 60.5 ms，长请求的 TTFT 215 → 234 ms，**要算的总量没有变**。再往上拖，这两个数不动：c1 排在名单第一，1 个名额就够它用，多出的预留护的是 c2、c3……
#
# | 别人量到的（`published`） | 数字 |
# |---|---|
# | 块 512 比不分块多花的 Prefill 时间（Sarathi-Serve 图 9） | ≤ 25 % |
# | 长 prompt 每轮限 2048、预算 4096，旁边短请求的 TTFT（club-3090 #712） | 18.00 s → 1.09 s，长请求 +6 % |

# %% [markdown]
# ### 真实引擎怎么选 | In real engines
#
# | 引擎 | 次序 | 与课程策略的关系 |
# |---|---|---|
# | Sarathi-Serve | 先 Decode，再做到一半的 Prefill，再新的 | 就是 `decode_first` |
# | SGLang（默认） | 先 Prefill；一轮只做一种，除非打开 mixed chunk | 接近 `prefill_first` |
# | vLLM V1 | 不分阶段，按**准入先后**；先来的半截 Prefill 也能吃掉整份预算 | 常常像 `decode_first`，但不保证 |
#
# > 同池分块之后，两类请求若仍长期互相拖累，才值得问下一个问题：要不要把它们分到不同的池里？
#
# **下一步** → [Step 3 · PD Pools | 分池与交接](step3_pd_pools.ipynb)
