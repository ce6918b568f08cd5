"""What the command line says: help texts, tables, progress and errors."""

from pdsched.messages import Message, register

CATALOG = {
    "commands.needs_labs": Message(
        zh="命令行需要额外的包，请运行：pip install 'pdsched[labs]'（缺少 {package}）",
        en="the command line needs more packages: pip install 'pdsched[labs]' (missing {package})",
    ),
    "commands.error": Message(zh="错误：{error}", en="error: {error}"),
    "commands.warning": Message(zh="注意：{message}", en="note: {message}"),
    "commands.app": Message(
        zh="Prefill/Decode 调度：模拟、扫参、与实测对照",
        en="Prefill/Decode scheduling: simulate, sweep, compare with measurements",
    ),
    "commands.simulate": Message(
        zh="模拟一个工作负载，打印延迟、吞吐与 SLO 达成率",
        en="Simulate one workload; print latency, throughput and SLO attainment",
    ),
    "commands.sweep": Message(
        zh="对预算、chunk、P:D 比例、负载与策略扫参，输出表格、CSV/JSON 与 HTML 图",
        en="Sweep budgets, chunks, P:D ratios, loads and policies: table, CSV/JSON, HTML plot",
    ),
    "commands.validate": Message(
        zh="把模拟器与实测 CSV 对照，按（模型、系统、TP）给出误差；不带文件则对照随包的公开结果",
        en="Compare the simulator with a measured CSV per (model, system, TP); without a file, "
        "with the published results",
    ),
    "commands.bench": Message(
        zh="压测任何 OpenAI 兼容服务，打印与模拟同名的指标",
        en="Load any OpenAI-compatible server; print the metrics the simulator prints",
    ),
    "commands.opt.url": Message(
        zh="服务地址，如 http://127.0.0.1:8000", en="server, e.g. http://127.0.0.1:8000"
    ),
    "commands.opt.served_model": Message(
        zh="服务端的模型名，默认取它列出的第一个", en="the server's model; the first it lists"
    ),
    "commands.opt.max_prompt": Message(zh="截短更长的 prompt", en="cut longer prompts"),
    "commands.opt.max_output": Message(zh="截短更长的输出", en="cut longer outputs"),
    "commands.opt.chat": Message(zh="用 chat 接口", en="use the chat route"),
    "commands.opt.timeout": Message(
        zh="多少秒没有 token 就放弃这个请求（默认：第一个 120，之后 30）",
        en="give a request up after so many seconds without a token (first 120, then 30)",
    ),
    "commands.plans": Message(
        zh="逐步重放录制的 vLLM V1 计划并比较",
        en="Replay recorded vLLM V1 plans step by step and compare",
    ),
    "commands.doctor": Message(
        zh="检查这台机器：缺什么、用哪种渲染",
        en="Look at this machine: what is missing, which renderer to use",
    ),
    "commands.opt.workload": Message(
        zh="预设（chat, code, reasoning, long-document, mixed）、公开 trace（azure-conv, azure-code, "
        "mooncake-conv）或 trace 文件",
        en="preset (chat, code, reasoning, long-document, mixed), public trace (azure-conv, "
        "azure-code, mooncake-conv) or a trace file",
    ),
    "commands.opt.requests": Message(zh="只取前这么多请求", en="only so many requests"),
    "commands.opt.rate": Message(zh="平均到达率（请求/秒）", en="mean arrival rate, requests/s"),
    "commands.opt.concurrency": Message(
        zh="闭环：始终保持这么多请求在途", en="closed loop with so many requests in flight"
    ),
    "commands.opt.seed": Message(zh="随机种子", en="random seed"),
    "commands.opt.policy": Message(
        zh="调度策略；learner 或 learner:decode_first 用你自己的 plan_iteration_budget",
        en="policy; learner or learner:decode_first runs your own plan_iteration_budget",
    ),
    "commands.opt.hardware": Message(zh="GPU 预设，如 h100", en="GPU preset, e.g. h100"),
    "commands.opt.model": Message(
        zh="模型预设，如 llama-3.1-8b", en="model preset, e.g. llama-3.1-8b"
    ),
    "commands.opt.tp": Message(zh="张量并行度", en="tensor parallelism"),
    "commands.opt.precision": Message(zh="bf16 或 fp8", en="bf16 or fp8"),
    "commands.opt.budget": Message(
        zh="每轮 token 预算 max_num_batched_tokens", en="token budget, max_num_batched_tokens"
    ),
    "commands.opt.chunk": Message(
        zh="单请求 prefill chunk 上限（token）", en="largest prefill chunk of one request, tokens"
    ),
    "commands.opt.seqs": Message(zh="每个 worker 的并发上限", en="requests a worker admits"),
    "commands.opt.workers": Message(
        zh="worker：4（共享）、2:1（P:D）或 2:1:1（P:D:共享）",
        en="workers: 4 (shared), 2:1 (P:D) or 2:1:1 (P:D:shared)",
    ),
    "commands.opt.link": Message(zh="P→D 链路预设", en="link preset from P to D"),
    "commands.opt.slo": Message(
        zh="goodput 的 SLO，毫秒，如 ttft=400,tpot=40", en="SLO of goodput in ms: ttft=400,tpot=40"
    ),
    "commands.opt.ttft": Message(
        zh="PD 下 TTFT 的定义：prefill（首 token 在 P）或 decode（交接后）",
        en="TTFT under PD: prefill (first token on P) or decode (after the handoff)",
    ),
    "commands.opt.json": Message(zh="写 JSON", en="write JSON"),
    "commands.opt.csv": Message(zh="写 CSV", en="write CSV"),
    "commands.opt.html": Message(
        zh="写 HTML 图（自包含，不联网）", en="write an HTML plot (self-contained, offline)"
    ),
    "commands.opt.trace": Message(
        zh="写 Chrome/Perfetto trace（JSON）", en="write a Chrome/Perfetto trace (JSON)"
    ),
    "commands.opt.jobs": Message(zh="进程数，默认核数", en="processes; the number of cores"),
    "commands.opt.dask": Message(
        zh="Dask 调度器地址，改用它的 worker", en="address of a Dask scheduler to run on"
    ),
    "commands.opt.budgets": Message(zh="逗号分隔的预算", en="budgets, comma-separated"),
    "commands.opt.chunks": Message(zh="逗号分隔的 chunk 上限", en="chunk caps, comma-separated"),
    "commands.opt.layouts": Message(
        zh="逗号分隔的 worker 布局，如 3,2:1,1:2", en="worker layouts, e.g. 3,2:1,1:2"
    ),
    "commands.opt.loads": Message(
        zh="逗号分隔的到达率（请求/秒）", en="arrival rates, comma-separated, requests/s"
    ),
    "commands.opt.policies": Message(zh="逗号分隔的策略", en="policies, comma-separated"),
    "commands.opt.measured": Message(
        zh="含 model_path, system, precision, isl, osl, concurrency, tp_size, silicon_*_ms 列的 CSV",
        en="CSV with the columns model_path, system, precision, isl, osl, concurrency, tp_size, "
        "silicon_*_ms",
    ),
    "commands.opt.document": Message(
        zh="把对照结果写成 Markdown 文档", en="write the comparison as a Markdown document"
    ),
    "commands.running": Message(zh="模拟中", en="simulating"),
    "commands.title": Message(
        zh="模拟结果：{cost}", en="simulated: {cost}"
    ),
    "commands.evidence": Message(
        zh="以上均为模拟值；成本模型误差：{error}",
        en="all numbers are simulated; error of the cost model: {error}",
    ),
    "commands.metric": Message(zh="指标", en="metric"),
    "commands.unit": Message(zh="单位", en="unit"),
    "commands.mean": Message(zh="均值", en="mean"),
    "commands.requests_per_s": Message(zh="请求/秒", en="requests/s"),
    "commands.tokens_per_s": Message(zh="token/秒", en="tokens/s"),
    "commands.request_throughput": Message(zh="请求吞吐", en="request throughput"),
    "commands.output_throughput": Message(zh="输出吞吐", en="output throughput"),
    "commands.goodput": Message(zh="goodput", en="goodput"),
    "commands.attainment": Message(zh="SLO 达成率", en="SLO met"),
    "commands.utilisation": Message(zh="利用率 {role}", en="utilisation {role}"),
    "commands.kv_peak": Message(zh="KV 峰值 {role}", en="KV peak {role}"),
    "commands.preemptions": Message(zh="抢占次数", en="preemptions"),
    "commands.handoff": Message(zh="KV 交接", en="KV handoff"),
    "commands.queue": Message(zh="排队", en="queue"),
    "commands.written": Message(zh="已写入 {path}", en="written: {path}"),
    "commands.no_axis": Message(
        zh="请至少给一个扫参轴：--budgets、--chunks、--workers、--loads 或 --policies",
        en="give at least one axis: --budgets, --chunks, --workers, --loads or --policies",
    ),
    "commands.bad_list": Message(
        zh="{option} 要逗号分隔的{kind}，得到 {value!r}",
        en="{option} takes comma-separated {kind}, got {value!r}",
    ),
    "commands.kind.int": Message(zh="整数", en="integers"),
    "commands.kind.float": Message(zh="数", en="numbers"),
    "commands.layout": Message(zh="布局", en="workers"),
    "commands.policy": Message(zh="策略", en="policy"),
    "commands.budget": Message(zh="预算", en="budget"),
    "commands.chunk": Message(zh="chunk", en="chunk"),
    "commands.load": Message(zh="负载 req/s", en="load req/s"),
    "commands.sweep_title": Message(
        zh="扫参：{workload}，{model} × {hardware}（模拟）",
        en="sweep: {workload}, {model} on {hardware} (simulated)",
    ),
    "commands.best": Message(
        zh="goodput 最高：{what}，{goodput:.2f} 请求/秒/GPU", en="best goodput: {what}, "
        "{goodput:.2f} requests/s per GPU"
    ),
    "commands.per_gpu": Message(zh="每 GPU", en="per GPU"),
    "commands.validated": Message(
        zh="使用 {rows} 行：TPOT 平均绝对误差 {error:.1%}，偏差 {bias:+.1%}（闭环模拟）",
        en="{rows} rows used: mean absolute TPOT error {error:.1%}, bias {bias:+.1%} "
        "(closed loop, simulated)",
    ),
    "commands.skipped": Message(zh="跳过 {count} 行：{reason}", en="skipped {count}: {reason}"),
    "commands.nothing_used": Message(
        zh="没有可用的行；需要至少一行能对应到预设且数值有效", en="no row could be used: at least one must match a preset and hold valid numbers"
    ),
    "commands.validate_title": Message(
        zh="{file}：模拟对实测", en="{file}: simulated against measured"
    ),
    "commands.model": Message(zh="模型", en="model"),
    "commands.system": Message(zh="系统", en="system"),
    "commands.rows": Message(zh="行数", en="rows"),
    "commands.tpot_error": Message(zh="TPOT 误差", en="TPOT error"),
    "commands.tpot_bias": Message(zh="TPOT 偏差", en="TPOT bias"),
    "commands.ttft_error": Message(zh="TTFT 误差\n（中位）", en="TTFT error\n(median)"),
}  # fmt: skip

register(CATALOG)
