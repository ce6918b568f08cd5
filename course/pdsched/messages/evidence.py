"""What an evidence table calls its level and its columns."""

from pdsched.messages import Message, register

CATALOG = {
    "evidence.simulated": Message(
        zh="证据等级：模拟（不是实测）", en="evidence level: simulated (not measured)"
    ),
    "evidence.measured": Message(zh="证据等级：实测", en="evidence level: measured"),
    "evidence.published": Message(zh="证据等级：引用", en="evidence level: published"),
    "evidence.column.plan": Message(zh="方案", en="plan"),
    "evidence.column.decode_step_ms": Message(
        zh="只有 Decode 的一轮 / ms", en="decode-only iteration / ms"
    ),
    "evidence.column.max_itl_ms": Message(
        zh="最长停顿（ITL 最大）/ ms", en="longest stall (max ITL) / ms"
    ),
    "evidence.column.stall_ratio": Message(zh="停顿 ÷ 平常一轮", en="stall / normal iteration"),
    "evidence.column.ttft_ms": Message(
        zh="长 prompt 的 TTFT / ms", en="TTFT of the long prompt / ms"
    ),
    "evidence.column.ttft_price": Message(zh="TTFT 代价", en="price in TTFT"),
    "evidence.column.iterations": Message(zh="迭代轮数", en="iterations"),
    "evidence.column.ttft_p50_ms": Message(zh="TTFT P50 / ms", en="TTFT P50 / ms"),
    "evidence.column.ttft_p95_ms": Message(zh="TTFT P95 / ms", en="TTFT P95 / ms"),
    "evidence.column.tpot_p50_ms": Message(zh="TPOT P50 / ms", en="TPOT P50 / ms"),
    "evidence.column.tpot_p95_ms": Message(zh="TPOT P95 / ms", en="TPOT P95 / ms"),
    "evidence.column.itl_p50_ms": Message(zh="ITL P50 / ms", en="ITL P50 / ms"),
    "evidence.column.itl_p95_ms": Message(zh="ITL P95 / ms", en="ITL P95 / ms"),
    "evidence.column.itl_p99_ms": Message(zh="ITL P99 / ms", en="ITL P99 / ms"),
    "evidence.column.itl_max_ms": Message(zh="ITL 最大 / ms", en="ITL max / ms"),
    "evidence.column.e2e_p50_ms": Message(zh="E2E P50 / ms", en="E2E P50 / ms"),
    "evidence.column.e2e_p95_ms": Message(zh="E2E P95 / ms", en="E2E P95 / ms"),
    "evidence.column.output_tokens_per_s": Message(zh="输出 token/s", en="output tokens/s"),
    "evidence.column.requests_per_s": Message(zh="请求/s", en="requests/s"),
    "evidence.column.goodput_per_s": Message(
        zh="goodput（达标请求/s）", en="goodput (good requests/s)"
    ),
    "evidence.column.slo_attainment": Message(zh="SLO 达标率", en="SLO attainment"),
    "evidence.column.handoff_p50_ms": Message(zh="交接 P50 / ms", en="handoff P50 / ms"),
    "evidence.column.handoff_max_ms": Message(zh="交接最大 / ms", en="handoff max / ms"),
    "evidence.column.handoff_mb": Message(zh="交接总量 / MB", en="handed over / MB"),
    "evidence.column.finished": Message(zh="完成", en="finished"),
    "evidence.column.failed": Message(zh="失败", en="failed"),
    "evidence.column.load_per_s": Message(zh="负载 / 请求每秒", en="load / requests per s"),
    "evidence.column.utilisation": Message(zh="池利用率", en="pool utilisation"),
    "evidence.column.seed": Message(zh="种子", en="seed"),
    "evidence.column.predicted_ms": Message(zh="预测 / ms", en="predicted / ms"),
    "evidence.column.measured_ms": Message(zh="实测 / ms", en="measured / ms"),
    "evidence.column.error": Message(zh="误差", en="error"),
    "evidence.column.workload": Message(zh="负载类型", en="workload"),
    "evidence.column.best_baseline": Message(
        zh="最好的基线（goodput）", en="best baseline (goodput)"
    ),
    "evidence.column.ratio": Message(zh="与基线之比", en="ratio"),
    "evidence.column.rank": Message(zh="名次", en="rank"),
    "evidence.column.name": Message(zh="名字", en="name"),
    "evidence.column.score": Message(zh="得分", en="score"),
    "evidence.column.made_at": Message(zh="日期", en="date"),
    "evidence.condition.machine": Message(zh="机器", en="machine"),
    "evidence.condition.versions": Message(zh="版本", en="versions"),
    "evidence.condition.threads": Message(zh="线程", en="threads"),
    "evidence.condition.interference": Message(zh="被其他程序占去", en="taken by other programs"),
    "evidence.condition.seed": Message(zh="种子", en="seed"),
    "evidence.condition.repeats": Message(zh="重复次数", en="repeats"),
    "evidence.condition.workload": Message(zh="负载", en="workload"),
    "evidence.condition.rate_per_s": Message(zh="到达率/s", en="rate/s"),
    "evidence.condition.cost_model": Message(zh="成本模型与误差", en="cost model and error"),
    "evidence.condition.ttft_definition": Message(zh="TTFT 定义", en="TTFT definition"),
    "evidence.condition.server": Message(zh="服务", en="server"),
    "evidence.condition.client_lag_ms": Message(zh="客户端最大滞后/ms", en="client lag/ms"),
    "evidence.condition.loop": Message(zh="发送方式", en="loop"),
    "evidence.condition.requests": Message(zh="请求数", en="requests"),
    "evidence.condition.budget": Message(zh="预算", en="budget"),
    "evidence.condition.source": Message(zh="来源", en="source"),
}
register(CATALOG)
