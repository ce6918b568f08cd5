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
# ## Step 3 · PD Pools | 分池与交接
#
# **你将学会**
#
# - 分清「给请求贴的池标签」与「把一个请求的两个阶段拆开」；
# - 从 KV 字节数与链路带宽**算出**交接时间，而不是凭感觉填一个数；
# - 写出 **TODO 4** `plan_pd_split`。
#
# **用时** 约 30 分钟（阅读 15 · 预测 5 · 代码 10）。只用 CPU。
#
# [Step 1 请求压力](step1_request_pressure.ipynb) →
# [Step 2 分块与预算](step2_chunked_prefill.ipynb) →
# [Step 3 分池与交接](step3_pd_pools.ipynb) →
# [Step 4 账本与决策](step4_ledger_decision.ipynb)

# %% [markdown] tags=["badges"]
# ☁️ 云端打开 | Open in the cloud: [Colab](https://colab.research.google.com/github/publish--me/prefill-decode-scheduling/blob/main/release/prefill-decode-scheduling/step3_pd_pools.ipynb) · [ModelScope 魔搭](https://modelscope.cn/my/mynotebook) · [阿里云 PAI-DSW](https://gallery.pai-ml.com/#/import/https://github.com/publish--me/prefill-decode-scheduling/blob/main/release/prefill-decode-scheduling/step3_pd_pools.ipynb)

# %% [markdown]
# ### 前置回顾 | Prerequisites
#
# | 概念 | 两句话 |
# |---|---|
# | **Prefix Cache** | 命中的开头不用算，但它的 KV 仍是这个请求的一部分。Decode 要读的是**全部**上下文。 |
# | **Iteration Budget** | 同一个池里，Prefill 块与 Decode 分同一份预算。分池之后，各花各的。 |
# | **Decode Scheduling** | 每个生成中的请求每轮 1 个 token。Decode 池里没有长 Prefill 来打断它。 |
# | **KV Cache Lifecycle** | KV 在哪块显存里，Decode 就得在哪里做。换地方，就得先把 KV 搬过去。 |
# | **Continuous Batching** | 每个池各自逐轮重组成员。池小了，能凑在一起的请求也少了。 |

# %% [markdown]
# ### 从同池到分池，四个台阶 | Four steps up
#
# | 台阶 | 多做一件事 | 代价 | 盯住 |
# |---|---|---|---|
# | **同池分块** Same-pool chunking | 长 Prefill 切成块，块间让 Decode 插队 | 长请求自己变慢 | 最大 ITL，长请求的 TTFT |
# | **逻辑分池** Logical pools | 先给每个请求定一个去向 | 池子变小，忙闲不均 | 每个池忙碌的比例 |
# | **跨池交接** Cross-pool handoff | 把 KV 从 P 搬到 D | 链路要时间，还会失败 | 交接的毫秒、字节与重试 |
# | **保留或调整** Keep or adjust | 和不分池的跑法放在一起比 | 两套都得量 | 吞吐、P95、交接（Step 4） |
#
# 每上一级台阶，都多一份代价。**上一级已经够用，就不必再往上走。**

# %% [markdown]
# ### 标签是去向，拆开的是阶段 | Labels route, phases split
#
# 这一点最容易误会。`prefill_pool` 里的请求**不是**只做 Prefill，它当然也要生成。标签只决定两个阶段各在哪里做：
#
# | 标签 | Prefill 在 | KV 交接 | Decode 在 |
# |---|---|:-:|---|
# | `prefill_pool` | P worker | **有一次** | D worker |
# | `decode_pool` | D worker（prompt 短，顺手就做了） | 无 | 同一个 D worker |
# | `shared_pool` | 共享 worker | 无 | 同一个共享 worker |
#
# ```text
# prefill_pool   P worker  ████████████                   Prefill
#                link                  ▒▒▒                KV handoff
#                D worker                 ▪▪▪▪▪▪▪▪        Decode
#
# decode_pool    D worker  ██▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪▪             Prefill + Decode
#
# shared_pool    shared    ██████▪▪▪▪▪▪▪▪▪▪               Prefill + Decode
# ```

# %% [markdown]
# ### 手算一遍：交接要多久 | Handoff by hand
#
# $$t_{\text{交接}} \approx \frac{\text{token 数} \times \text{每 token 的 KV 字节}}{\text{链路有效带宽}}$$
#
# Llama-3.1-70B（BF16）每 token 的 KV 是 320 KiB = 327,680 字节。一个 2,000 token 的 prompt 有 655 MB；走 25 GB/s 的链路（1 GB = 10⁹ 字节），要 26 ms。

# %% tags=["aside", "nbval-check-output"]
kv_bytes = 2000 * 320 * 1024
link_bytes_per_ms = 25e9 / 1000
print(f"KV {kv_bytes / 1e6:.0f} MB，交接 {kv_bytes / link_bytes_per_ms:.1f} ms")

# %% [markdown]
# 同一件事，换一条链路就是另一个世界。下面是 70B 模型交接 4,096 token 的估算（`simulated`，按各链路的有效带宽）：
#
# | NVLink H100 | PCIe 5 | 400G 网卡 | PCIe 4 | 100GbE | 25GbE |
# |--:|--:|--:|--:|--:|--:|
# | 3.7 ms | 26 ms | 38 ms | 52 ms | 153 ms | 613 ms |
#
# > **TTFT 有两种算法。** 一种在 P worker 算出首个 token 就停表；另一种要等交接完、D worker 走完第一步。差的就是交接与那一步。Step 4 的面板里有开关（「TTFT 算到」）；**同一张图里只能用一种**。

# %% [markdown]
# ### 先预测，再看图 | Predict first
#
# **3a.** Llama-3.1-8B（BF16）每 token 的 KV 是 131,072 字节。一个 4,096 token 的 prompt，走有效带宽 50 GB/s 的链路（1 GB = 10⁹ 字节），不计建连，交接要多少**毫秒**？误差 2 % 以内算对。


# %% nbgrader={"grade": false, "grade_id": "concept_3a", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_3a() -> float:
    """返回毫秒数。"""
    ### BEGIN SOLUTION
    return 4096 * 131_072 / 50e9 * 1000
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_3a_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 3a：答案是一个正数，单位 ms（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_3a).satisfies(
    lambda answer: type(answer) in (int, float) and answer > 0, "答案应是一个正数"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_3a_answer", concept_3a)
### END HIDDEN TESTS

# %% [markdown]
# **3b.** 六个请求贴好了标签：`prefill_pool = [a, d]`，`decode_pool = [b, e, f]`，`shared_pool = [c]`。从头到尾服务完它们，一共发生几次 KV 交接？


# %% nbgrader={"grade": false, "grade_id": "concept_3b", "locked": false, "schema_version": 3, "solution": true, "task": false}
def concept_3b() -> int:
    """返回交接次数（整数）。"""
    ### BEGIN SOLUTION
    return 2
    ### END SOLUTION


# %% nbgrader={"grade": true, "grade_id": "concept_3b_answer", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 预测 3b：答案是不小于 0 的整数（对错在批改时判定）。
from pdsched.feedback import expect

expect(concept_3b).satisfies(
    lambda answer: type(answer) is int and answer >= 0, "答案应是不小于 0 的整数"
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("concept_3b_answer", concept_3b)
### END HIDDEN TESTS

# %% [markdown]
# ### 动手看：两条泳道 | PD pools
#
# 每个 worker 一行，P 与 D 之间那一行是链路上的 KV 交接；最下面是盈亏平衡：交接、重算、共用，哪个划算。请求走哪条路，由**你的** TODO 4 决定。试试 worker 的比例、链路速度与两个阈值。

# %% tags=["panel", "nbval-ignore-output"]
from pdsched import panels

panels.pd_pools()

# %% [markdown]
# ### TODO 4 · `plan_pd_split`
#
# | | 类型与单位 | 说明 |
# |---|---|---|
# | `requests` | `list[dict]` | 每项有 `name`、`prompt_tokens`、`decode_tokens`；缺少的 token 数按 0 计，缺少的 `name` 记作 `"request"` |
# | `long_prompt_threshold` | `int`，tokens | prompt 线 |
# | `long_decode_threshold` | `int`，tokens | decode 线。**这里直接给出**，不再是 `// 8` |
# | **返回** | `dict[str, list[str]]` | 恰好三个键，值是请求的 `name`，按传入的次序 |
#
# | prompt | decode | 去向 |
# |---|---|---|
# | 大于 prompt 线 | 不大于 decode 线 | `prefill_pool` |
# | 不大于 prompt 线 | 大于 decode 线 | `decode_pool` |
# | 其余两种组合（短/短、长/长） | | `shared_pool` |
#
# **边界**：等于线不算长；每个请求恰好进一个池，不漏也不重（重名的请求也各算一个）；不改动传入的列表和字典。
#
# **篇幅**：约 12 行。


# %% nbgrader={"grade": false, "grade_id": "todo4_plan_pd_split", "locked": false, "schema_version": 3, "solution": true, "task": false}
def plan_pd_split(
    requests: list[dict], long_prompt_threshold: int, long_decode_threshold: int
) -> dict[str, list[str]]:
    """给每个请求一个去向：prefill_pool、decode_pool 或 shared_pool。"""
    ### BEGIN SOLUTION
    pool_by_shape = {
        (True, False): "prefill_pool",  # （prompt 长，decode 长）
        (False, True): "decode_pool",
    }
    pools = {"prefill_pool": [], "decode_pool": [], "shared_pool": []}
    for request in requests:
        shape = (
            request.get("prompt_tokens", 0) > long_prompt_threshold,
            request.get("decode_tokens", 0) > long_decode_threshold,
        )
        pools[pool_by_shape.get(shape, "shared_pool")].append(request.get("name", "request"))
    return pools
    ### END SOLUTION


# %% [markdown]
# **即时反馈**：写完先运行 `check(4)`；卡住了，运行 `hint(4)`。

# %% tags=["aside", "nbval-ignore-output"]
from pdsched.feedback import check, hint

check(4)

# %% [markdown]
# ### 检查 | Tests

# %% nbgrader={"grade": true, "grade_id": "todo4_three_pools", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 三种形状各有去向；两头都长与两头都短都进 shared_pool。
from pdsched.feedback import expect

requests = [
    {"name": "a", "prompt_tokens": 4000, "decode_tokens": 64},
    {"name": "b", "prompt_tokens": 256, "decode_tokens": 512},
    {"name": "c", "prompt_tokens": 1500, "decode_tokens": 128},
    {"name": "d", "prompt_tokens": 5000, "decode_tokens": 900},
]
expect(plan_pd_split, requests[:3], long_prompt_threshold=2048, long_decode_threshold=256).returns(
    {"prefill_pool": ["a"], "decode_pool": ["b"], "shared_pool": ["c"]}
)
expect(plan_pd_split, requests, long_prompt_threshold=2048, long_decode_threshold=256).returns(
    {"prefill_pool": ["a"], "decode_pool": ["b"], "shared_pool": ["c", "d"]}
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo4_three_pools", plan_pd_split)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo4_threshold_edges", "locked": true, "points": 2, "schema_version": 3, "solution": false, "task": false}
# 恰好压线不算长；decode 线就是传入的 long_decode_threshold。
from pdsched.feedback import expect

for prompt_tokens, decode_tokens, pool in [
    (1000, 300, "shared_pool"),
    (1001, 300, "prefill_pool"),
    (1000, 301, "decode_pool"),
    (1001, 301, "shared_pool"),
]:
    request = {"name": "r", "prompt_tokens": prompt_tokens, "decode_tokens": decode_tokens}
    expect(plan_pd_split, [request], 1000, 300).returns(
        {
            name: ["r"] if name == pool else []
            for name in ("prefill_pool", "decode_pool", "shared_pool")
        },
        "恰好等于线不算长；两条线都由参数直接给出",
    )
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo4_threshold_edges", plan_pd_split)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo4_exactly_one_pool", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 每个请求恰好进一个池：不漏、不重。
from pdsched.feedback import expect

requests = [
    {"name": f"r{number}", "prompt_tokens": 400 * number, "decode_tokens": 600 - 80 * number}
    for number in range(7)
]
expect(plan_pd_split, requests, 1000, 300).satisfies(
    lambda pools: (
        sorted(pools["prefill_pool"] + pools["decode_pool"] + pools["shared_pool"])
        == ["r0", "r1", "r2", "r3", "r4", "r5", "r6"]
    ),
    "三个池合起来，每个请求恰好出现一次",
)
expect(plan_pd_split, [], 1000, 300).returns(
    {"prefill_pool": [], "decode_pool": [], "shared_pool": []}
)
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo4_exactly_one_pool", plan_pd_split)
### END HIDDEN TESTS

# %% nbgrader={"grade": true, "grade_id": "todo4_pure", "locked": true, "points": 1, "schema_version": 3, "solution": false, "task": false}
# 不改动传入的请求；同样的输入再算一次，结果相同。
from pdsched.feedback import expect

requests = [{"name": "a", "prompt_tokens": 4000}, {"name": "b", "decode_tokens": 512}]
expect(plan_pd_split, requests, 2048, 256).is_pure()
### BEGIN HIDDEN TESTS
from pdgrade.hidden import run_hidden

run_hidden("todo4_pure", plan_pd_split)
### END HIDDEN TESTS

# %% [markdown]
# ### 看什么 | What to look for
#
# 回到泳道图：
#
# - **两边要一样忙**。最合适的 P : D 大约是两种 worker 单独服务速率的反比，$\mu_D : \mu_P$；偏向哪边，另一边就闲着；
# - 把链路从 NVLink 换成 25GbE：交接比重算一遍 Prefill 还慢时，分池就没有意义了；
# - 把 `long_prompt_threshold` 拖到最低：要交接的只从 5 个增到 8 个（共 24 个），添的都是短 prompt，交接 P95 反而从 30.9 降到 27.8 ms；其余长 prompt 的输出也长，进了 `shared_pool`。再把 `long_decode_threshold` 拖到最高：20 个要交接，链路开始排队，P95 升到 117 ms；
# - 回到默认设置，看 D worker 那条道：里面只有短 prompt 的 Prefill，没有长的；最长一轮约 21 ms，S 那条道有 111 ms 的。**这是分池最稳定的收益**。下方的数字却把所有 worker 算在一起，由**最忙的池**决定：S 忙到 97 %，所以最长 ITL 是 111 ms，比全共享的 60.5 ms 还差。把 S worker 加到 4 个：49.2 ms，比全共享低了。

# %% [markdown]
# ### 别人的结果，有好有坏 | Published results (`published`)
#
# | 场景 | 结果 |
# |---|---|
# | DistServe 图 1：OPT-13B，512/64，同时守住 TTFT 与 TPOT | 2P + 1D 每 GPU 3.3 rps，是共置 1.6 rps 的 2.1 倍 |
# | vLLM #11345：2×L40S，1024/50 | 1P1D 的 TTFT 与 ITL 都更差：两种活儿的时长不相称 |
# | vLLM #26072：4×A100，1000/100，25 rps | 1P1D 换成 3P1D 没有帮助：瓶颈在传输 |
# | SGLang #4880：A10 TP4，8192/512，1 rps | 吞吐与两个普通实例持平，ITL 低约 30 % |
#
# > 同样叫「PD 分离」，有人翻倍，有人变慢。所以最后一步是一次**有证据的决定**。
#
# **下一步** → [Step 4 · Ledger & Decision | 账本与决策](step4_ledger_decision.ipynb)
