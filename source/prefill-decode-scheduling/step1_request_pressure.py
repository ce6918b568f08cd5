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
# ## Step 1 · Request Pressure | 请求压力
#
# **你将学会**
#
# - 从 `prompt_tokens` 与 `decode_tokens` 看出一个请求主要压在哪一种资源上；
# - 说出 TTFT、TPOT、ITL、E2E 各自在等什么；
# - 写出 **TODO 1** `summarize_request_mix`，得到调度器要用的请求画像。
#
# **用时** 约 25 分钟（阅读 10 · 预测 5 · 代码 10）。只用 CPU。
#
# [Step 1 请求压力](step1_request_pressure.ipynb) →
# [Step 2 分块与预算](step2_chunked_prefill.ipynb) →
# [Step 3 分池与交接](step3_pd_pools.ipynb) →
# [Step 4 账本与决策](step4_ledger_decision.ipynb)

# %% [markdown] tags=["badges"]
# ☁️ 云端打开 | Open in the cloud: [Colab](https://colab.research.google.com/github/publish--me/prefill-decode-scheduling/blob/main/release/prefill-decode-scheduling/step1_request_pressure.ipynb) · [ModelScope 魔搭](https://modelscope.cn/my/mynotebook) · [阿里云 PAI-DSW](https://gallery.pai-ml.com/#/import/https://github.com/publish--me/prefill-decode-scheduling/blob/main/release/prefill-decode-scheduling/step1_request_pressure.ipynb)

# %% [markdown]
# ### 前置回顾 | Prerequisites
#
# 没读过前面的章节也能开始，本章只用到下面五件事。
#
# | 概念 | 两句话 |
# |---|---|
# | **Prefix Cache**（24 章） | 与缓存相同的开头不必重算。没命中的那一段叫 **suffix**，仍要做 Prefill。 |
# | **Iteration Budget** | 引擎一轮一轮地跑（iteration）。一轮最多处理 `max_num_batched_tokens` 个 token。 |
# | **Decode Scheduling**（36 章） | 每个正在生成的请求，一轮只产出 1 个 token，也只占预算里的 1 个 token。 |
# | **KV Cache Lifecycle**（37 章） | 算过的 token 都留下 KV，直到请求结束才释放。放不下时，新请求只能等。 |
# | **Continuous Batching** | 每一轮都重新挑选成员：有人生成完就走，有人到了就进来。 |

# %% [markdown]
# ### 一个请求，两种活儿 | One request, two kinds of work
#
# 请求先把整段输入算完（**Prefill**），再一个接一个地吐出 token（**Decode**）。
#
# | | Prefill | Decode |
# |---|---|---|
# | 一轮处理 | 成百上千个 token | 每个请求 1 个 token |
# | 瓶颈多半在 | 计算（FLOP/s） | 读权重与 KV（显存带宽） |
# | 时间形状 | 一次，很猛 | 许多次，很细 |
# | 占着什么 | 这一轮的 token 预算 | KV Cache，直到生成结束 |
#
# 等待也分几种，后面每一张图都会用到：
#
# | 指标 | 用户感受到的是 | 单位 |
# |---|---|---|
# | **TTFT** Time To First Token | 多久看到第一个字 | ms |
# | **ITL** Inter-Token Latency | 某一个字之后，停顿了多久 | ms，每个间隔一个值 |
# | **TPOT** Time Per Output Token | 首字之后，平均多久一个字 | ms |
# | **E2E** | 从发出到全部收完 | ms |

# %% [markdown]
# ### 三种形状，三种压力 | Shapes and pressures
#
# | 形状 | 比如 | 谁先吃不消 | 先盯哪个数 |
# |---|---|---|---|
# | **长进短出** | 读一篇文档，答一句话 | 算力，以及这一轮的预算 | 自己的 TTFT，**别人的** ITL |
# | **短进长出** | 写一个故事 | 显存里的 KV，每一轮的带宽 | TPOT，还能同时容下几个人 |
# | **长进长出** | 整篇翻译 | 两边一起 | 尾部的 E2E（P95、P99） |
#
# 本章用**两条线**把请求分成三类。注意第二条线不是另外给的，而是由第一条推出来：
#
# $$\text{decode 线} = \texttt{long\_prompt\_threshold} \;//\; 8$$
#
# > **为什么除以 8？** 一个 Decode token 比一个 Prefill token 贵得多：按 H100 + 8B 模型、batch 32 的成本模型（`simulated`），约是 12 倍。课程取 8，是一个便于手算的**约定**，不是定律。

# %% [markdown]
# ### 手算一遍 | By hand
#
# 取 `long_prompt_threshold = 2048`，于是 decode 线是 `2048 // 8 = 256`。**恰好等于**线，不算长。
#
# | 请求 | prompt | decode | prompt > 2048？ | decode > 256？ | 类别 |
# |---|--:|--:|:-:|:-:|---|
# | 文档问答 | 6000 | 120 | 长 | 短 | `prefill_heavy` |
# | 写故事 | 180 | 900 | 短 | 长 | `decode_heavy` |
# | 整篇翻译 | 5000 | 4800 | 长 | 长 | `mixed`（长/长） |
# | 闲聊 | 300 | 80 | 短 | 短 | `mixed`（短/短） |
# | 压线 | 2048 | 256 | 短 | 短 | `mixed`（短/短） |
#
# **`mixed` 里住着两种很不一样的请求**：两头都长的最重，两头都短的最轻。它们只有一个共同点：没有哪一头**单独**突出。计数时合在一起，图里会把它们分开标出来。

# %% tags=["aside", "nbval-check-output"]
long_prompt_threshold = 2048
decode_threshold = long_prompt_threshold // 8
print(f"prompt 线 {long_prompt_threshold} tokens，decode 线 {decode_threshold} tokens")

for prompt_tokens, decode_tokens in [(6000, 120), (180, 900), (5000, 4800), (300, 80), (2048, 256)]:
    prompt_side = "长" if prompt_tokens > long_prompt_threshold else "短"
    decode_side = "长" if decode_tokens > decode_threshold else "短"
    print(f"prompt {prompt_tokens:>5} {prompt_side}   decode {decode_tokens:>5} {decode_side}")

# %% [markdown]
# ### 先预测，再看图 | Predict first
#
# **1a.** 一个请求 `prompt_tokens = 3000`、`decode_tokens = 300`。把 `long_prompt_threshold` 从 2048 提高到 4096，它的类别怎样变化？
#
# - **A** 从 `mixed` 变成 `prefill_heavy`
# - **B** 从 `prefill_heavy` 变成 `decode_heavy`
# - **C** 前后都是 `mixed`，但理由不同
# - **D** 前后都是 `decode_heavy`


# %% nbgrader={"grade": false, "grade_id": "concept_1a", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_1a() -> str:
    """返回 "A"、"B"、"C" 或 "D"。"""
    ### BEGIN SOLUTION
    return "C"
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_1a_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 1a：答案是四个大写字母之一（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_1a).satisfies(
    lambda answer: answer in ("A", "B", "C", "D"), "答案应是 A、B、C、D 之一"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_1a_answer", concept_1a)
### END HIDDEN TESTS

# %% [markdown]
# **1b.** 写故事的请求：`prompt_tokens = 256`，`decode_tokens = 512`。模型是 Llama-3.1-8B（BF16），每个 token 的 KV 占 **128 KiB**（`published`：32 层 × 8 个 KV 头 × 128 维 × K、V 两份 × 2 字节）。生成到末尾时，按全部 768 个 token 计，它占着多少 **MiB** 的 KV Cache？


# %% nbgrader={"grade": false, "grade_id": "concept_1b", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_1b() -> float:
    """返回一个数，单位 MiB（1 MiB = 1024 KiB）。"""
    ### BEGIN SOLUTION
    return (256 + 512) * 128 / 1024
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_1b_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 1b：答案是一个正数，单位 MiB（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_1b).satisfies(
    lambda answer: type(answer) in (int, float) and answer > 0, "答案应是一个正数"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_1b_answer", concept_1b)
### END HIDDEN TESTS

# %% [markdown]
# ### 动手看：请求分布 | Request mix
#
# 每个点是一个请求，横轴输入、纵轴输出，都是对数刻度。拖动阈值，颜色由**你的** TODO 1 决定；还没写时，图会告诉你该写什么。写完 TODO 1 重新运行它，图会自己更新。

# %% tags=["panel", "nbval-ignore-output"]
from pdsched import panels

panels.request_mix()

# %% [markdown]
# ### TODO 1 · `summarize_request_mix`
#
# | | 类型与单位 | 说明 |
# |---|---|---|
# | `requests` | `list[dict]` | 每项有 `prompt_tokens`、`decode_tokens`（token 数）；缺少的字段按 0 计，其他字段不用管 |
# | `long_prompt_threshold` | `int`，tokens | prompt 线；decode 线是它 `// 8` |
# | **返回** | `dict[str, int]` | 恰好三个键 `prefill_heavy`、`decode_heavy`、`mixed`，值是个数 |
#
# | prompt | decode | 类别 |
# |---|---|---|
# | 大于 prompt 线 | 不大于 decode 线 | `prefill_heavy` |
# | 不大于 prompt 线 | 大于 decode 线 | `decode_heavy` |
# | 其余两种组合（短/短、长/长） | | `mixed` |
#
# **边界**：等于线不算长；空列表得到三个 0；三类之和等于请求数；不改动传入的列表和字典。
#
# **篇幅**：约 10 行。


# %% nbgrader={"grade": false, "grade_id": "todo1_summarize_request_mix", "locked": false, "schema_version": 3, "solution": true, "task": false}
def summarize_request_mix(requests: list[dict], long_prompt_threshold: int) -> dict[str, int]:
    """数出 prefill_heavy、decode_heavy 与 mixed 各有多少个请求。"""
    ### BEGIN SOLUTION
    long_decode_threshold = long_prompt_threshold // 8
    counts = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
    for request in requests:
        long_prompt = request.get("prompt_tokens", 0) > long_prompt_threshold
        long_decode = request.get("decode_tokens", 0) > long_decode_threshold
        if long_prompt == long_decode:
            counts["mixed"] += 1
        else:
            counts["prefill_heavy" if long_prompt else "decode_heavy"] += 1
    return counts
    ### END SOLUTION


# %% [markdown]
# **即时反馈**：随时运行下一格。它分得清「还没写」和「写错了」，并给出最小的失败输入、期望与实得。
#
# 卡住了？运行 `hint(1)`，一次给一级提示，共三级，不会直接给出答案。

# %% tags=["aside", "nbval-ignore-output"]
from pdsched.feedback import check, hint

check(1)

# %% [markdown]
# ### 检查 | Tests
#
# 下面每一格只检查一件事。可见的例子通过之后，批改时还会换用没见过的输入。

# %% nbgrader={"grade": true, "grade_id": "todo1_three_classes", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 三种形状各归其类。
from pdsched.feedback import expect

requests = [
    {"name": "a", "prompt_tokens": 4000, "decode_tokens": 64},
    {"name": "b", "prompt_tokens": 256, "decode_tokens": 512},
    {"name": "c", "prompt_tokens": 1500, "decode_tokens": 128},
]
expect(summarize_request_mix, requests, long_prompt_threshold=2048).returns(
    {"prefill_heavy": 1, "decode_heavy": 1, "mixed": 1}
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo1_three_classes", summarize_request_mix)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo1_threshold_edges", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 恰好压线不算长，多一个 token 才算；decode 线是 long_prompt_threshold // 8。
from pdsched.feedback import expect

for prompt_tokens, decode_tokens, expected in [
    (2048, 256, "mixed"),
    (2049, 256, "prefill_heavy"),
    (2048, 257, "decode_heavy"),
    (2049, 257, "mixed"),
]:
    request = {"prompt_tokens": prompt_tokens, "decode_tokens": decode_tokens}
    expect(summarize_request_mix, [request], 2048).returns(
        {name: int(name == expected) for name in ("prefill_heavy", "decode_heavy", "mixed")},
        "恰好等于线不算长；decode 线是 2048 // 8 = 256",
    )
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo1_threshold_edges", summarize_request_mix)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo1_counts_conserved", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 三类之和等于请求数；没有请求时是三个 0。
from pdsched.feedback import expect

requests = [{"prompt_tokens": 700 * size, "decode_tokens": 90 * size} for size in range(7)]
expect(summarize_request_mix, requests, 2048).satisfies(
    lambda counts: sum(counts.values()) == 7, "三类之和应等于请求数 7"
)
expect(summarize_request_mix, [], 2048).returns({"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0})
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo1_counts_conserved", summarize_request_mix)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo1_pure", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 不改动传入的请求；同样的输入再算一次，结果相同。
from pdsched.feedback import expect

requests = [{"name": "a", "prompt_tokens": 4000}, {"name": "b", "decode_tokens": 512}]
expect(summarize_request_mix, requests, 2048).is_pure()
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo1_pure", summarize_request_mix)
### END HIDDEN TESTS

# %% [markdown]
# ### 看什么 | What to look for
#
# 回到上面的图，慢慢拖动阈值：
#
# - **两条线一起动**。阈值加倍，decode 线也加倍。默认负载里的 r13（输入 3983，输出 365；指着点就能看到）很像 1a 的请求：阈值从 2048 拖到 4096，它从哪个角到了哪个角，类别变了吗？
# - `mixed` 的两块角落被分开标出：右上（长/长）最重，左下（短/短）最轻；
# - 换一种负载：阈值 2048 时，24 个推理请求有 15 个 `decode_heavy`；24 个代码补全却有 21 个 `mixed`，因为它们输出都短，prompt 又大多不到 2048，落在短/短一角。拖到 256，其中 14 个成了 `prefill_heavy`。**阈值没有唯一正确的值**，它只是在问：你的集群更怕哪一种压力？
#
# > 分类只是画像，还没有调度任何东西。下一步让这些请求去分同一份预算。
#
# **下一步** → [Step 2 · Chunked Prefill | 分块与预算](step2_chunked_prefill.ipynb)
