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
    "labs.pools.whole": Message(zh="共享池 ×2，不分块", en="2 shared, whole prompts"),
    "labs.pools.chunked": Message(zh="共享池 ×2，chunk {chunk}", en="2 shared, chunk {chunk}"),
    "labs.pools.pd": Message(zh="PD 1:1", en="PD 1:1"),
    "labs.pools.table": Message(
        zh="共享池与 PD：两个进程、同样的请求 | Shared pool and PD: two processes, same requests",
        en="Shared pool and PD: two processes, same requests",
    ),
}
register(CATALOG)
