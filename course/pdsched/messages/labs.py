"""Words in the tables and pictures of the three labs."""

from pdsched.messages import Message, register

CATALOG = {
    "labs.own_plan": Message(
        zh="✓ 本实验每一轮都由你写的 {function} 安排。",
        en="✓ every iteration of this lab is planned by your own {function}.",
    ),
    "labs.stand_in": Message(
        zh="○ 还没有可用的 {function}（{reason}），本实验先用内置策略 vllm_v1 代替；"
        "写好后重新运行本 notebook 即可换成你的。",
        en="○ there is no usable {function} yet ({reason}); the built-in policy vllm_v1 stands in. "
        "Write it, run this notebook again, and yours takes over.",
    ),
    "labs.no_reason": Message(zh="没有找到", en="not found"),
    "labs.time_ms": Message(zh="长 prompt 到达之后的时间 / ms", en="time after the arrival / ms"),
    "labs.measured": Message(zh="实测", en="measured"),
    "labs.predicted": Message(zh="预测", en="predicted"),
    "labs.measured_ms": Message(zh="实测 / ms", en="measured / ms"),
    "labs.predicted_ms": Message(zh="预测 / ms", en="predicted / ms"),
    "labs.token_number": Message(zh="这个对话的第几个 token", en="token number of this chat"),
    "labs.itl_ms": Message(zh="等待（ITL）/ ms", en="wait (ITL) / ms"),
    "labs.stall.title": Message(
        zh="一个对话的每次等待：长 prompt 到达之后",
        en="Every wait of one chat after a long prompt arrives",
    ),
    "labs.stall.table": Message(
        zh="停顿、消除与代价 | The stall, its removal, its price",
        en="The stall, its removal, its price",
    ),
    "labs.fit.title": Message(
        zh="线性成本模型：预测与实测", en="Linear cost model: predicted against measured"
    ),
    "labs.fit.source": Message(zh="本机实测的一组迭代", en="iterations measured on this machine"),
    "labs.fit.formula": Message(
        zh="T = {base:.2f} + {token:.3f}·P + {decode:.3f}·D + {pair:.3f}·P·ctx/1000 + "
        "{context:.3f}·D·ctx/1000（ms）；{error}",
        en="T = {base:.2f} + {token:.3f}·P + {decode:.3f}·D + {pair:.3f}·P·ctx/1000 + "
        "{context:.3f}·D·ctx/1000 (ms); {error}",
    ),
    "labs.overlay.title": Message(
        zh="预测与实测的 ITL：{plan}", en="Predicted and measured ITL: {plan}"
    ),
    "labs.overlay.table": Message(
        zh="预测与实测 | Predicted against measured", en="Predicted against measured"
    ),
    "labs.interference.quiet": Message(zh="{lost:.0%}（安静）", en="{lost:.0%} (quiet)"),
    "labs.interference.busy": Message(
        zh="{lost:.0%}：机器忙，毫秒里有别人的时间，次序也可能变；关掉其他程序再测一次",
        en="{lost:.0%}: the machine was busy, the milliseconds hold other programs' time "
        "and even the order may change; close them and measure again",
    ),
    "labs.pools.whole": Message(zh="共享池 ×2，不分块", en="2 shared, whole prompts"),
    "labs.pools.chunked": Message(zh="共享池 ×2，chunk {chunk}", en="2 shared, chunk {chunk}"),
    "labs.pools.pd": Message(zh="PD 1:1", en="PD 1:1"),
    "labs.pools.table": Message(
        zh="共享池与 PD：两个进程、同样的请求 | Shared pool and PD: two processes, same requests",
        en="Shared pool and PD: two processes, same requests",
    ),
    "labs.bench.whole": Message(zh="共享池 ×2，不分块", en="2 shared, whole prompts"),
    "labs.bench.chunked": Message(zh="共享池 ×2，预算 {budget}", en="2 shared, budget {budget}"),
    "labs.bench.rate": Message(zh="负载 / 请求每秒", en="load / requests per s"),
    "labs.bench.goodput_title": Message(
        zh="负载与 goodput（模拟）", en="Goodput over load (simulated)"
    ),
    "labs.bench.budget_title": Message(
        zh="预算与延迟（模拟，共享池）", en="Latency over the token budget (simulated, shared pool)"
    ),
    "labs.bench.policies_table": Message(
        zh="你的策略与三个服务引擎 | Your policies beside three engines",
        en="Your policies beside three engines",
    ),
    "labs.bench.yours": Message(zh="你的 {policy}", en="yours, {policy}"),
    "labs.bench.own_decision": Message(
        zh="✓ 每一格由你写的 {function} 判定。",
        en="✓ every tile is decided by your own {function}.",
    ),
    "labs.bench.no_decision": Message(
        zh="○ 还没有可用的 {function}：这里只看 goodput 是否提高。写完 TODO 5 再运行，就由你的三个条件判定。",
        en="○ there is no usable {function} yet: only the goodput is looked at. Write TODO 5 and "
        "run again, and your three conditions decide.",
    ),
    "labs.bench.slo_map_title": Message(
        zh="PD 在哪里值得保留：两个 SLO 的地图（模拟）",
        en="Where PD is kept, over the two SLOs (simulated)",
    ),
    "labs.bench.load_map_title": Message(
        zh="PD 在哪里值得保留：负载与链路的地图（模拟）",
        en="Where PD is kept, over load and link (simulated)",
    ),
    "labs.bench.ttft_slo": Message(zh="TTFT 的 SLO / ms（右边更松）", en="TTFT SLO / ms"),
    "labs.bench.tpot_slo": Message(zh="TPOT 的 SLO / ms（上面更松）", en="TPOT SLO / ms"),
    "labs.bench.tile": Message(
        zh="goodput {gain}，E2E P95 {latency:+.0f} ms，交接 P95 {handoff:.1f} ms",
        en="goodput {gain}, E2E P95 {latency:+.0f} ms, handoff P95 {handoff:.1f} ms",
    ),
    "labs.challenge.score": Message(
        zh="{name}：得分 {score:.3f}（1 = 与最好的基线一样好）",
        en="{name}: score {score:.3f} (1 = as good as the best baseline)",
    ),
    "labs.challenge.board": Message(zh="排行榜 | Leaderboard", en="Leaderboard"),
    "labs.challenge.cannot_enter": Message(
        zh="没有名字、或计划违反规则的成绩不能进排行榜。",
        en="a score without a name, or with a broken plan, cannot enter the leaderboard.",
    ),
    "labs.challenge.not_a_board": Message(
        zh="{path} 不是排行榜文件；请移走它，再提交一次。",
        en="{path} is not a leaderboard file; move it away and enter again.",
    ),
    "labs.vllm.table": Message(
        zh="vLLM（本机 CPU，随机权重）里的停顿 | The stall inside vLLM",
        en="The stall inside vLLM (this CPU, random weights)",
    ),
    "labs.vllm.failed": Message(
        zh="vLLM 没有跑起来，最后几行是：\n{problem}", en="vLLM failed; its last lines:\n{problem}"
    ),
    "labs.backend.measured": Message(zh="实测", en="measured"),
    "labs.backend.simulated": Message(zh="模拟", en="simulated"),
    "labs.backend.title": Message(
        zh="同一份负载：实测与模拟 | Measured and simulated on the same requests",
        en="Measured and simulated on the same requests",
    ),
    "labs.backend.nothing": Message(
        zh="没有请求完成：{failure}", en="no request finished: {failure}"
    ),
}
register(CATALOG)
