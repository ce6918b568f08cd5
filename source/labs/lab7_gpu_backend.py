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
# ## Lab 7 · GPU Backend | 真实服务栈：能跑就跑，不能跑就说清楚
#
# **你将看到**
#
# - 一个压测客户端：对**任何** OpenAI 兼容服务器，记下每个 token 到达的时间；
# - 实测与模拟画在同一张图上，误差写在旁边；
# - 出了故障（断线、沉默、乱码）怎么办：说清楚原因，已完成的请求不丢；
# - 在 vLLM 里跑**你的**调度函数（有 vLLM 的机器上），以及 GPU 上的完整命令。
#
# **用时** 约 30 分钟（运行不到 1 分钟；装了 vLLM 再多 2 分钟）。本实验不计分。
#
# [Lab 5 服务基准](lab5_serving_benchmark.ipynb) → [Lab 6 真实引擎](lab6_real_engine.ipynb) →
# **Lab 7 GPU 后端**

# %% [markdown] tags=["badges"]
# ☁️ 云端打开 | Open in the cloud: [Colab](https://colab.research.google.com/github/publish--me/prefill-decode-scheduling/blob/main/release/labs/lab7_gpu_backend.ipynb) · [ModelScope 魔搭](https://modelscope.cn/my/mynotebook) · [阿里云 PAI-DSW](https://gallery.pai-ml.com/#/import/https://github.com/publish--me/prefill-decode-scheduling/blob/main/release/labs/lab7_gpu_backend.ipynb)

# %% [markdown]
# ### 这台机器能跑什么 | What this machine can run

# %% tags=["nbval-ignore-output"]
from pdsched.engine import vllm_adapter
from pdsched.evidence import this_machine, versions
from pdsched.labs import backend, real_engine
from pdsched.labs.own_plan import OwnPlan
from pdsched.learner import load

mine = load()
plan = OwnPlan.of(mine)
print(this_machine())
print(versions())
print(plan)
if not vllm_adapter.available():
    print(vllm_adapter.why_not())

# %% [markdown]
# ### 一、客户端：每个 token 的时间 | Every token has a time
#
# 先用一个小服务器把客户端验一遍：Lab 6 的 NumPy 引擎，套上 OpenAI 的流式接口，
# 只听 127.0.0.1，用完自己退出。换成 vLLM、SGLang，客户端一个字都不用改。

# %% tags=["nbval-ignore-output"]
from pdsched.bench import Target, run_load
from pdsched.bench.session import evidence, notes

with backend.numpy_server() as server:
    target = Target.from_url(server.url, server.model)
    requests = backend.small_chat(20, rate_per_s=8)
    run = backend.wait_for(run_load(target, requests, seed=0))
report = evidence(run, target, seed=0, workload="small chat x 20")
report

# %% [markdown]
# **看什么** 列名与模拟器的表**一模一样**：TTFT、TPOT、ITL、E2E 的定义是同一份代码。
# 下面把证据写进 JSON 文件，里面有每个请求、每个 token 的时间，别人可以重算。

# %% tags=["nbval-ignore-output"]
print(report.save("lab7_evidence.json"))

# %% [markdown]
# 命令行做的是同一件事：
#
# ```text
# pdsched bench --url http://127.0.0.1:8000 --workload chat -n 100 --rate 4 --json evidence.json
# ```
#
# ### 二、实测与模拟，同一张图 | Measured and simulated
#
# 用 Lab 6 的办法校准成本模型，再对**同一批请求**做两件事：发给服务器实测，交给模拟器预测。

# %% tags=["nbval-ignore-output"]
calibration = real_engine.calibrate()
print(calibration)
with backend.numpy_server() as server:
    curve = backend.load_curve(server.url, calibration.cost, rates_per_s=[2, 6, 10])
curve.table

# %% tags=["nbval-ignore-output"]
curve.picture()

# %% [markdown]
# **看什么**
#
# - 负载低时，两者应当贴得很近；差出来的部分是 HTTP 与调度之外的开销，模拟器没有算它。
# - 负载高时排队放大误差：每轮慢 10 %，队伍可能长一倍。
# - 误差列就是这个模拟器在**这台机器**上的可信程度。换了机器，要重新校准。
# - 表的最后写着服务器在算的时候“被其他程序占去”多少。一成以上，误差里就有别人的时间：
#   关掉其他程序，把校准和测量一起重做。
#
# ### 三、故障：说清楚，不丢结果 | Faults
#
# 让服务器每三个请求就中途断线一次：

# %% tags=["nbval-ignore-output"]
from pdsched.engine.server import launched

with launched("--layers", "1", "--fault", "disconnect", "--fault-every", "3") as broken:
    target = Target.from_url(broken.url, broken.model)
    run = backend.wait_for(run_load(target, backend.small_chat(9, rate_per_s=30)))
print(f"完成 {len(run.finished)} / {len(run.results)}")
for note in notes(run):
    print("-", note)

# %% [markdown]
# ### 四、vLLM，在这台 CPU 上 | vLLM on this CPU
#
# Lab 6 的停顿实验，换成 vLLM：整段算、分块、以及**你的函数**通过 `scheduler_cls` 接管每一轮
# （它决定这一轮的预算和最大块长；哪个请求分到多少，仍由 vLLM 按准入次序决定）。
# 随机权重，不下载，不联网。没有装 vLLM 就跳过。

# %% tags=["nbval-ignore-output"]
if vllm_adapter.available():
    from IPython.display import display

    from pdsched.engine.specs import PlannerSpec, chunked
    from pdsched.labs import vllm_backend

    specs = {"vLLM，不分块": PlannerSpec(), "vLLM，chunk 256": chunked(256)}
    if plan.function is not None:
        specs["你的函数，chunk 256"] = plan.spec(256)
    display(vllm_backend.measure_stall(specs))
else:
    print(vllm_adapter.why_not())

# %% [markdown]
# ### 五、在 GPU 上 | On a GPU
#
# Colab T4、ModelScope 或自己的服务器。先起服务（另开一个终端），再用同一个客户端测：
#
# ```text
# # 共享池，分块（预算 2048）；对照：加 --no-enable-chunked-prefill
# vllm serve Qwen/Qwen2.5-0.5B-Instruct --max-num-batched-tokens 2048 --port 8000
#
# # 你的函数安排每一轮（在装了 pdsched 的环境里；PDSCHED_NOTEBOOKS 指向四个 Step 的文件夹）
# PDSCHED_NOTEBOOKS=../prefill-decode-scheduling PDSCHED_CHUNK=512 \
#   vllm serve Qwen/Qwen2.5-0.5B-Instruct --max-num-batched-tokens 2048 --port 8000 \
#   --scheduler-cls pdsched.engine.vllm_adapter.LearnerScheduler
#
# # 压测：同一份负载，同一个种子
# pdsched bench --url http://127.0.0.1:8000 --workload chat -n 200 --rate 4 --seed 0 \
#   --slo ttft=1000,tpot=50 --json shared_2048.json
# ```
#
# **PD 分池**要两张 GPU：两个 `vllm serve`，一个 `kv_role` 为 `kv_producer`，一个为 `kv_consumer`，
# 用 NixlConnector 搬 KV，前面放 vLLM 自带的 PD 代理；压测命令不变，`--url` 指向代理。
# 比较时让共享方案也用**两张** GPU（两个副本），否则不公平。
#
# | 要记录 | 为什么 |
# |---|---|
# | 模型、prompt 与输出分布、并发、预算、worker 数 | 少一样，别人就重复不出来 |
# | TTFT、TPOT、ITL 的 P50/P95/P99，吞吐，goodput | 一个数字不能下结论 |
# | 交接时间、字节数、失败次数、池利用率 | PD 的代价全在这里 |
# | GPU 型号、驱动与 vLLM 版本、日期 | 这一行就是证据等级“实测” |
#
# 把你的 `shared_2048.json` 读回来看：

# %%
from pathlib import Path

from pdsched.evidence import Evidence

for path in sorted(Path.cwd().glob("*_2048.json")):
    print(Evidence.from_json(path.read_text(encoding="utf-8")))

# %% [markdown]
# ### 小结 | Summary
#
# - 客户端、服务器、指标在没有 GPU 的机器上就能从头验到尾；GPU 只换掉服务器。
# - 模拟、实测、引用三种证据，永远写明是哪一种。
# - 你的函数已经在三个引擎里跑过：模拟器、NumPy 引擎，以及（装了的话）vLLM。
