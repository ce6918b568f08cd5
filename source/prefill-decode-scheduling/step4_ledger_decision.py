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
# ## Step 4 · Ledger & Decision | 账本与决策
#
# **你将学会**
#
# - 用三个条件共同决定 PD 分池是否保留，而不是只看一个好看的数字；
# - 写出 **TODO 5** `evaluate_pd_decision`；
# - 把五个函数接成一本调度账本，分清每个数字是模拟、实测还是引用。
#
# **用时** 约 35 分钟（阅读 10 · 预测 5 · 代码 10 · 账本 10）。只用 CPU。
#
# [Step 1 请求压力](step1_request_pressure.ipynb) →
# [Step 2 分块与预算](step2_chunked_prefill.ipynb) →
# [Step 3 分池与交接](step3_pd_pools.ipynb) →
# [Step 4 账本与决策](step4_ledger_decision.ipynb)

# %% [markdown] tags=["badges"]
# ☁️ 云端打开 | Open in the cloud: [Colab](https://colab.research.google.com/github/publish--me/prefill-decode-scheduling/blob/main/release/prefill-decode-scheduling/step4_ledger_decision.ipynb) · [ModelScope 魔搭](https://modelscope.cn/my/mynotebook) · [阿里云 PAI-DSW](https://gallery.pai-ml.com/#/import/https://github.com/publish--me/prefill-decode-scheduling/blob/main/release/prefill-decode-scheduling/step4_ledger_decision.ipynb)

# %% [markdown]
# ### 前置回顾 | Prerequisites
#
# | 概念 | 两句话 |
# |---|---|
# | **Prefix Cache** | 命中的开头不再 Prefill。账本从 suffix 记起。 |
# | **Iteration Budget** | 每一轮：已用 + 剩余 = 预算。账本每一行都要对得上。 |
# | **Decode Scheduling** | 每个生成中的请求每轮 1 个 token。没排上的那一轮，就是一次停顿。 |
# | **KV Cache Lifecycle** | 分池时，KV 要跨链路搬一次。搬多少字节，花多少毫秒，都算得出来。 |
# | **Continuous Batching** | Prefill 做完的请求，从下一轮起进入 Decode 名单。账本里能看到这一刻。 |

# %% [markdown]
# ### 一个决定，三个条件 | One decision, three conditions
#
# 分池方案要**同时**满足三条，才值得保留：
#
# | 条件 | 写成式子 | 恰好相等时 |
# |---|---|---|
# | 吞吐确有提升 | `throughput_gain > 0` | 不保留：没有提升，何必多养一条链路 |
# | P95 没有变差 | `latency_delta_ms <= 0` | 可以保留 |
# | 交接在预算内 | `handoff_ms <= max_handoff_ms` | 可以保留 |
#
# 两个差都是「**分池减共享**」：吞吐差为正是好事，延迟差为负是好事。
#
# 为什么不能只看一个？吞吐高，可能是尾部请求替它付了账；P95 低，可能只是负载太轻；两样都好看，交接却超了预算，那么负载一涨，链路就先堵住。

# %% [markdown]
# ### 手算一遍 | By hand
#
# 数字是示意，便于手算。共享池：吞吐 100，P95 180 ms。分池：吞吐 126，P95 150 ms，交接 8 ms。预算 10 ms。
#
# | | 算式 | 结果 | 达标？ |
# |---|---|--:|:-:|
# | `throughput_gain` | 126 − 100 | 26 | ✓ |
# | `latency_delta_ms` | 150 − 180 | −30 | ✓ |
# | `handoff_ms` | 8 ≤ 10 | 8 | ✓ |
# | `keep_split` | 三条都成立 | `True` | |
#
# 只把交接改成 18 ms，其余不动，`keep_split` 就变成 `False`。

# %% tags=["aside", "nbval-check-output"]
for name, shared, split in [("吞吐差", 100, 126), ("P95 差", 180, 150)]:
    print(f"{name}：{split} - {shared} = {split - shared:+d}")

# %% [markdown]
# ### 先预测，再看图 | Predict first
#
# **4a.** 共享池：吞吐 100，P95 180 ms；交接预算 10 ms。下面五个分池方案，保留几个？
#
# | 方案 | 吞吐 | P95 ms | 交接 ms |
# |---|--:|--:|--:|
# | P | 126 | 150 | 8 |
# | Q | 100 | 150 | 8 |
# | R | 126 | 180 | 10 |
# | S | 140 | 181 | 8 |
# | T | 140 | 120 | 18 |


# %% nbgrader={"grade": false, "grade_id": "concept_4a", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_4a() -> int:
    """返回保留的方案个数（0 到 5）。"""
    ### BEGIN SOLUTION
    return 2
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_4a_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 4a：答案是 0 到 5 的整数（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_4a).satisfies(
    lambda answer: type(answer) is int and 0 <= answer <= 5, "答案应是 0 到 5 的整数"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_4a_answer", concept_4a)
### END HIDDEN TESTS

# %% [markdown]
# **4b.** 下面哪一种场景最可能让 PD 分池胜出？（a/b 表示输入/输出 token 数）
#
# - **A** 200/200 的轻负载聊天，两张卡用 25GbE 相连
# - **B** 离线批处理，只看总吞吐，不在乎延迟
# - **C** TTFT 卡得很紧，TPOT 很宽松
# - **D** 10,000/1,000 的长文生成，TPOT 卡得很紧，TTFT 较宽松，卡间有高速链路


# %% nbgrader={"grade": false, "grade_id": "concept_4b", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_4b() -> str:
    """返回 "A"、"B"、"C" 或 "D"。"""
    ### BEGIN SOLUTION
    return "D"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_4b_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 4b：答案是四个大写字母之一（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_4b).satisfies(
    lambda answer: answer in ("A", "B", "C", "D"), "答案应是 A、B、C、D 之一"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_4b_answer", concept_4b)
### END HIDDEN TESTS

# %% [markdown]
# ### 动手看：保留的区域 | Decision
#
# 负载从轻到重，同时画出共享、分块、分池三种跑法的吞吐、P95 与交接。底色是「保留 PD」的区域，每一点都由**你的** TODO 5 判定。图中数字都是 `simulated`。

# %% tags=["panel", "nbval-ignore-output"]
from pdsched import panels

panels.decision()

# %% [markdown]
# ### TODO 5 · `evaluate_pd_decision`
#
# | | 类型与单位 | 说明 |
# |---|---|---|
# | `baseline` | `dict[str, float]` | 共享池：`throughput`（与 `split_run` 同一单位）、`p95_latency_ms` |
# | `split_run` | `dict[str, float]` | 分池：同样两个字段，另有 `handoff_ms` |
# | `max_handoff_ms` | `float`，ms | 交接预算 |
# | **返回** | `dict[str, object]` | 恰好四个键，见下表 |
#
# | 键 | 值 |
# |---|---|
# | `throughput_gain` | 分池吞吐 − 共享吞吐 |
# | `latency_delta_ms` | 分池 P95 − 共享 P95 |
# | `handoff_ms` | 分池的交接时间，原样抄回 |
# | `keep_split` | 三个条件都成立时是 `True`，否则 `False`（`bool`） |
#
# **边界**：吞吐持平不算提升；P95 持平、交接恰好等于预算都算达标；缺少的字段按 0 计；不改动传入的字典。
#
# **篇幅**：约 8 行。


# %% nbgrader={"grade": false, "grade_id": "todo5_evaluate_pd_decision", "locked": false, "schema_version": 3, "solution": true, "task": false}
def evaluate_pd_decision(
    baseline: dict[str, float], split_run: dict[str, float], max_handoff_ms: float
) -> dict[str, object]:
    """比较共享池与分池，三个条件都成立才保留。"""
    ### BEGIN SOLUTION
    throughput_gain, latency_delta_ms = (
        split_run.get(field, 0.0) - baseline.get(field, 0.0)
        for field in ("throughput", "p95_latency_ms")
    )
    handoff_ms = split_run.get("handoff_ms", 0.0)
    conditions = (throughput_gain > 0, latency_delta_ms <= 0, handoff_ms <= max_handoff_ms)
    return {
        "throughput_gain": throughput_gain,
        "latency_delta_ms": latency_delta_ms,
        "handoff_ms": handoff_ms,
        "keep_split": all(conditions),
    }
    ### END SOLUTION


# %% [markdown]
# **即时反馈**：写完先运行 `check(5)`；卡住了，运行 `hint(5)`。

# %% tags=["aside", "nbval-ignore-output"]
from pdsched.feedback import check, hint

check(5)

# %% [markdown]
# ### 检查 | Tests

# %% nbgrader={"grade": true, "grade_id": "todo5_keep_requires_all_three", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 三个条件缺一不可：全部达标才保留，任何一条不达标都不保留。
from pdsched.feedback import expect

baseline = {"throughput": 100, "p95_latency_ms": 180}
for throughput, p95_latency_ms, handoff_ms, keep_split in [
    (126, 150, 8, True),
    (90, 150, 8, False),
    (126, 200, 8, False),
    (126, 150, 18, False),
]:
    split_run = {
        "throughput": throughput,
        "p95_latency_ms": p95_latency_ms,
        "handoff_ms": handoff_ms,
    }
    expect(evaluate_pd_decision, baseline, split_run, max_handoff_ms=10).includes(
        {"keep_split": keep_split},
        f"这里的 keep_split 应是 {keep_split}：吞吐提升、P95 不变差、交接在预算内，三条都要成立",
    )
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo5_keep_requires_all_three", evaluate_pd_decision)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo5_boundaries", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 恰好相等：吞吐持平不保留；P95 持平、交接等于预算可以保留。
from pdsched.feedback import expect

baseline = {"throughput": 100, "p95_latency_ms": 180}
for throughput, p95_latency_ms, handoff_ms, keep_split in [
    (100, 150, 8, False),
    (126, 180, 8, True),
    (126, 150, 10, True),
]:
    split_run = {
        "throughput": throughput,
        "p95_latency_ms": p95_latency_ms,
        "handoff_ms": handoff_ms,
    }
    expect(evaluate_pd_decision, baseline, split_run, max_handoff_ms=10).includes(
        {"keep_split": keep_split},
        f"这里的 keep_split 应是 {keep_split}：吞吐要严格提升，P95 与交接可以恰好相等",
    )
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo5_boundaries", evaluate_pd_decision)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo5_reported_numbers", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 四个键都如实报告：两个差是「分池减共享」，交接原样抄回。
from pdsched.feedback import expect

expect(
    evaluate_pd_decision,
    {"throughput": 100, "p95_latency_ms": 180},
    {"throughput": 126, "p95_latency_ms": 150, "handoff_ms": 18},
    max_handoff_ms=10,
).includes({"throughput_gain": 26.0, "latency_delta_ms": -30.0, "handoff_ms": 18.0})
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo5_reported_numbers", evaluate_pd_decision)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo5_pure", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 不改动传入的字典；同样的输入再算一次，结果相同。
from pdsched.feedback import expect

expect(
    evaluate_pd_decision,
    {"throughput": 100, "p95_latency_ms": 180},
    {"throughput": 126, "p95_latency_ms": 150, "handoff_ms": 8},
    10,
).is_pure()
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo5_pure", evaluate_pd_decision)
### END HIDDEN TESTS

# %% [markdown]
# ---
# ## 五个函数，一本账 | The scheduling ledger
#
# `learner.load()` 从四本笔记里取出你写的五个函数。没写的、报错的，它都会点名，不影响其余的。

# %% tags=["aside", "nbval-ignore-output"]
from pdsched import learner

functions = learner.load()
functions

# %% [markdown]
# ### 机制测试 | Six mechanism tests
#
# 六项测试跑在**你自己的**函数上，不计分，只列出一张表。

# %% tags=["aside", "nbval-check-output"]
from pdsched.mechanisms import run_mechanism_tests

run_mechanism_tests(functions)

# %% [markdown]
# ### 账本 | Ledger
#
# 三个新请求到达时，已有两个聊天请求在生成。账本按次序记下五件事：
#
# 1. **画像**（TODO 1）：三类各几个；
# 2. **分块**（TODO 2）：每个 suffix 切成几块；
# 3. **逐轮**（TODO 3）：每一轮谁做了什么，预算对不对得上；
# 4. **去向**（TODO 4）：每个请求进哪个池，哪些要交接；
# 5. **决定**（TODO 5）：共享与分池放在一起比，保不保留。

# %% tags=["aside", "nbval-check-output"]
from pdsched.ledger import BudgetSettings, open_ledger

open_ledger(functions)

# %% [markdown]
# ### 看什么 | What to look for
#
# - **逐轮**：每一行的「已用 + 剩余」都等于预算；c 在第 4 轮做完 Prefill，第 5 轮起出现在 Decode 里（a 到最后一行才做完）。b 第 1 轮就做完了，接下来两轮却和 d2 一起在「停顿」一栏，为什么？换成 `open_ledger(functions, settings=BudgetSettings(decode_reserve_tokens=3))` 再看；
# - **交接**：毫秒数由 KV 字节与链路算出，没有一个数字是填进去的；
# - **决定**：三条链路，三种结局。换成网卡，只有交接不达标；换成 25GbE，链路排起长队，吞吐也掉了；
# - 即便保留，吞吐也几乎没涨。**分池的收益在尾延迟**，这与 vLLM 文档的说法一致（`published`）。

# %% [markdown]
# ### 这些数字算什么证据 | Honesty of evidence
#
# | 标记 | 意思 | 能说明什么 | 不能说明什么 |
# |---|---|---|---|
# | `simulated` | 成本模型算出来的；注明模型与误差 | 机制与趋势：谁在等谁 | 你的机器上快多少 |
# | `measured here` | 在这台机器上量的；注明机器、版本、日期 | 这台机器、这个负载 | 别的机器、别的负载 |
# | `published` | 论文或公开报告；注明出处 | 别人在他的条件下看到的 | 换了条件还成立 |
#
# 本章四步里的图与账本都是 `simulated`。「环境能启动」不是收益的证据；要下结论，得固定模型、长度分布、并发、预算与 worker 资源，把共享、分块、分池三种跑法放在一起量。

# %% [markdown]
# ### 延伸阅读 | Further reading
#
# - [DistServe：Disaggregating Prefill and Decoding for Goodput-optimized LLM Serving](https://arxiv.org/abs/2401.09670)，OSDI 2024，把两个阶段放到不同的 GPU 上，用 SLO 下的 goodput 来衡量；
# - [vLLM](https://github.com/vllm-project/vllm) 的调度器，从 `schedule()` 读起，对照 Step 2 的三种策略；
# - [SGLang · PD Disaggregation](https://docs.sglang.io/docs/advanced_features/pd_disaggregation)，看交接在工程里有哪些状态与超时。
#
# **相邻章节**
#
# - 24\. Prefix Cache Matching and Reuse | Prefix Cache 匹配与复用
# - 36\. Decode Scheduling | Decode 调度
# - 37\. KV Cache Lifecycle and Capacity Control | KV Cache 生命周期与容量控制
# - 39\. Hetero PD and Serving Tiers | 异构 PD 与服务分层
# - 70\. Serving Scheduler Benchmark | 推理服务调度基准
#
# 四步到此完成。自学的读者可以用 `solution(1)` 到 `solution(5)` 对照**参考代码与解析**（通过或选择放弃之后可见）。想接着动手，可以打开 `labs` 里的实验：跑基准、读真引擎、上 GPU。

# %% tags=["aside", "nbval-ignore-output"]
from pdsched.feedback import progress, solution

progress()
