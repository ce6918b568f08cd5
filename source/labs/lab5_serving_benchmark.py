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
# ## Lab 5 · Serving Benchmark | 服务基准：同一份负载，几种服务法
#
# **你将看到**
#
# - 共享池、共享池 + 分块、PD 分池，用同样多的 GPU 服务同一份负载，各自赢在哪里；
# - 你的 `plan_iteration_budget` 与 vLLM V1、SGLang、Sarathi-Serve 的策略并排；
# - 一张地图：PD 在哪里值得保留，在哪里不值得，每一格由你的 `evaluate_pd_decision` 判定；
# - 一个没有标准答案的挑战：写一个更好的策略，上排行榜。
#
# **用时** 约 30 分钟（运行不到 20 秒）。只用 CPU。本实验不计分。
#
# [Step 4 账本与决策](../prefill-decode-scheduling/step4_ledger_decision.ipynb) →
# **Lab 5 服务基准** → [Lab 6 真实引擎](lab6_real_engine.ipynb) →
# [Lab 7 GPU 后端](lab7_gpu_backend.ipynb)

# %% [markdown] tags=["badges"]
# ☁️ 云端打开 | Open in the cloud: [Colab](https://colab.research.google.com/github/publish--me/prefill-decode-scheduling/blob/main/release/labs/lab5_serving_benchmark.ipynb) · [ModelScope 魔搭](https://modelscope.cn/my/mynotebook) · [阿里云 PAI-DSW](https://gallery.pai-ml.com/#/import/https://github.com/publish--me/prefill-decode-scheduling/blob/main/release/labs/lab5_serving_benchmark.ipynb)

# %% [markdown]
# ### 先说清楚：这里的数字是模拟 | These numbers are simulated
#
# 时间由成本模型算出，不是在 GPU 上测出来的。成本模型自己的误差写在每张表下面。
# 想看实测，去 Lab 6（这台 CPU）和 Lab 7（真实服务栈）。
#
# | 固定不变 | 取值 |
# |---|---|
# | 模型与硬件 | Llama-3.1-8B，BF16，H100；每种方案都是 **2 张** GPU |
# | 负载 | `chat`：prompt 与输出长度、到达间隔拟合自公开轨迹 |
# | SLO | TTFT ≤ 2,000 ms，TPOT ≤ 14 ms；两条都满足的请求才算进 **goodput** |
# | TTFT | 一律算到**交接之后**的第一个 token（`decode` 定义），不混用 |

# %% tags=["nbval-ignore-output"]
from IPython.display import display

from pdsched.labs import benchmark, challenge
from pdsched.labs.own_plan import OwnPlan
from pdsched.learner import load

mine = load()
plan = OwnPlan.of(mine)
decider = benchmark.Decider.of(mine)
print(plan)
print(decider)

# %% [markdown]
# ### 一、三种服务法 | Three ways to serve
#
# 每秒 24 个请求。**先预测**：谁的 ITL P99 最小？谁的 TTFT P95 最小？谁的 goodput 最大？

# %% tags=["nbval-ignore-output"]
setting = benchmark.base(rate_per_s=24.0)
benchmark.compare("两张 GPU 的三种用法 | Three ways to use two GPUs", setting, benchmark.systems())

# %% [markdown]
# **看什么**
#
# - 不分块：TTFT 最好，最长的一次停顿却有几百毫秒。
# - 分块：停顿被压到一轮的长度，TTFT 多一点。
# - PD：Decode 从不等 prompt，ITL 最稳；只有一个 Prefill worker，TTFT 排队变长，还要付交接。
#
# ### 二、加大负载 | Sweep the load
#
# goodput 先随负载上升，到某处折返：请求还在完成，但不再达标。

# %% tags=["nbval-ignore-output"]
loads = benchmark.load_sweep(setting, [4, 8, 16, 24, 32, 40])
benchmark.goodput_picture(loads)

# %% [markdown]
# ### 三、换预算 | Sweep the budget
#
# 共享池，只改 `max_num_batched_tokens`。预算小：停顿短，prompt 排队久；预算大：反过来。

# %% tags=["nbval-ignore-output"]
benchmark.budget_sweep(setting, [256, 512, 1024, 2048, 4096, 8192])

# %% [markdown]
# ### 四、你的策略与三个引擎 | Your policies beside three engines
#
# 一张 GPU，每秒 12 个请求，预算 2,048。你的函数每一轮都被真的调用；它的计划会被逐条检查。

# %% tags=["nbval-ignore-output"]
benchmark.policies(benchmark.base(rate_per_s=12.0), plan)

# %% [markdown]
# **看什么** `sglang` 是 Prefill 优先、不混批：TTFT 最好，最长停顿一秒以上。
# 你的 `decode_first` 与 `vllm_v1`、`sarathi` 走到了同一处：先给 Decode，再分 Prefill。
#
# ### 五、PD 值得吗：两张地图 | Where does PD pay?
#
# 每一格：共享池（预算 2,048）与 PD 1:1 各跑一次，把**算出来的** goodput、E2E P95、交接 P95
# 交给 TODO 5 判定。格子里的数字是 PD 的 goodput 变化；把鼠标停在格子上看三个条件。
#
# **先预测**：TPOT 要求很紧、TTFT 要求很松时，该不该分？反过来呢？

# %% tags=["nbval-ignore-output"]
benchmark.slo_map(setting, decider)

# %% [markdown]
# **看什么** TPOT 紧、TTFT 松 → 分；TTFT 紧、TPOT 松 → 不分。
# 这与已发表的结论一致（TaiChi，arXiv 2508.01989，**引用**）。中间地带没有口号，只有你的 SLO。
#
# 再换一张：横轴是负载，纵轴是链路（交接预算 20 ms）。

# %% tags=["nbval-ignore-output"]
benchmark.load_map(setting, decider)

# %% [markdown]
# **看什么** 同样的分池，链路慢一档，交接就超预算，甚至把 goodput 拖垮；
# 有的格子 goodput 翻倍也不保留，因为三个条件缺一不可。
#
# ### 六、公开挑战：写一个更好的策略 | Open challenge
#
# 合同与 TODO 3 相同，怎么决定由你。可以不花完预算，可以换 prompt 的次序，可以看有多少人在 Decode。
#
# - **分数**：三种负载（chat、code、mixed）上的 goodput，除以同一份请求上最好的基线
#   （vLLM V1、SGLang、Sarathi-Serve），再取平均。1 = 打平，越大越好。
# - **规则**：与 TODO 3 一样检查，违反一次记 0 分，并告诉你是哪一次调用。
# - 下面用公开种子打分。全班的终评（教师用 `pdgrade challenge`）换成**你没见过的种子**，所以别去背答案。
#   交的时候把这个 notebook 和 Step 2 一起交：`my_policy` 里用到的 `mine` 来自那里。


# %%
def my_policy(
    prefill_suffixes,
    decode_request_ids,
    max_num_batched_tokens,
    max_prefill_chunk_tokens,
    **_options,
):
    """起点：你的 TODO 3，decode_first。改掉它。"""
    return mine["plan_iteration_budget"](
        prefill_suffixes,
        decode_request_ids,
        max_num_batched_tokens,
        max_prefill_chunk_tokens,
        policy="decode_first",
    )


# %% tags=["nbval-ignore-output"]
MY_NAME = "我的第一个策略"
if plan.function is None:
    print("先写完 TODO 3，挑战就从你的函数开始。")
else:
    result = challenge.score(my_policy, name=MY_NAME)
    display(result)

# %% [markdown]
# 满意了？写进排行榜文件 `leaderboard.json`（同名只留最好的一次）：

# %% tags=["nbval-ignore-output"]
if plan.function is not None and not result.error:
    display(challenge.enter(result))

# %% [markdown]
# **提示**（想自己试就别看）：一轮越长，正在 Decode 的人等得越久。预算是**上限**，不是任务。
#
# ### 小结 | Summary
#
# - 先固定模型、负载、GPU 数与 SLO，再比较；少一样，比较就没有意义。
# - 分块换来稳定的 ITL，PD 换来更稳的 ITL；两者付的都是 TTFT。
# - PD 的收益有边界：SLO、负载、链路，三样都要在图上。
# - 模拟给出方向和形状。要下结论，去测：[Lab 6](lab6_real_engine.ipynb)、[Lab 7](lab7_gpu_backend.ipynb)。
