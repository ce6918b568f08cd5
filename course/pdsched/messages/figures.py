"""Words inside pictures: roles of the legend, axes, titles and alternative texts."""

from pdsched.messages import Message, register

CATALOG = {
    "figures.role.prefill": Message(zh="Prefill", en="Prefill"),
    "figures.role.prefill_alt": Message(zh="Prefill（相邻块）", en="Prefill (next chunk)"),
    "figures.role.decode": Message(zh="Decode", en="Decode"),
    "figures.role.cached": Message(zh="前缀命中", en="Cached prefix"),
    "figures.role.idle": Message(zh="空闲预算", en="Idle budget"),
    "figures.role.shared": Message(zh="mixed / 共享", en="Mixed / shared"),
    "figures.role.handoff": Message(zh="KV 交接", en="KV handoff"),
    "figures.role.recompute": Message(zh="重算", en="Recompute"),
    "figures.role.stall": Message(zh="停顿", en="Stall"),
    "figures.role.error": Message(zh="违反规则", en="Rule violated"),
    "figures.role.ghost": Message(zh="对照基线", en="Baseline"),
    "figures.role.budget": Message(zh="token 预算", en="Token budget"),
    "figures.role.threshold": Message(zh="阈值", en="Threshold"),
    "figures.role.slo": Message(zh="SLO 上限", en="SLO limit"),
    "figures.role.system_shared": Message(zh="共享池（整段 Prefill）", en="Shared, whole prefill"),
    "figures.role.system_chunked": Message(zh="共享池 + 分块", en="Shared, chunked"),
    "figures.role.system_pd": Message(zh="PD 分池", en="PD split"),
    "figures.role.keep": Message(zh="保留 PD", en="Keep PD"),
    "figures.role.reject": Message(zh="不保留 PD", en="Do not keep PD"),
    "figures.role.prediction": Message(zh="你的预测", en="Your prediction"),
    "figures.role.yield": Message(zh="让出点", en="Yield point"),
    "figures.role.current": Message(zh="当前轮", en="Current iteration"),
    "figures.no_browser": Message(
        zh="这台机器上没有可用的浏览器来生成 PNG；请改存 .html 或 .svg，"
        "或安装 Chromium 后用环境变量 PDSCHED_BROWSER 指明它。",
        en="No browser on this machine can draw a PNG; save .html or .svg instead, or install "
        "Chromium and name it in the environment variable PDSCHED_BROWSER.",
    ),
    # Panel 1: request mix
    "figures.mix.title": Message(
        zh="请求压力：长 prompt 阈值 {threshold}", en="Request pressure: long prompt > {threshold}"
    ),
    "figures.mix.x": Message(zh="prompt（token，对数）", en="prompt (tokens, log)"),
    "figures.mix.y": Message(zh="输出（token，对数）", en="output (tokens, log)"),
    "figures.mix.line_x": Message(zh="长 prompt > {value}", en="long prompt > {value}"),
    "figures.mix.line_y": Message(
        zh="长输出 > {threshold}//8 = {value}", en="long output > {threshold}//8 = {value}"
    ),
    "figures.mix.short_short": Message(zh="短/短：也属 mixed", en="short/short: mixed too"),
    "figures.mix.long_long": Message(zh="长/长：mixed", en="long/long: mixed"),
    "figures.mix.why": Message(
        zh="{name}：prompt {prompt}，输出 {output} → 你的函数：{answer}",
        en="{name}: prompt {prompt}, output {output} → your function: {answer}",
    ),
    "figures.mix.unanswered": Message(zh="尚未回答", en="no answer yet"),
    "figures.mix.alt": Message(
        zh="散点图：{count} 个请求按 prompt 与输出长度分布，阈值 {threshold}。"
        "prefill_heavy {prefill} 个，decode_heavy {decode} 个，mixed {mixed} 个"
        "（其中短/短 {short} 个，长/长 {long} 个），标红 {wrong} 个。",
        en="Scatter of {count} requests by prompt and output length, threshold {threshold}. "
        "prefill_heavy {prefill}, decode_heavy {decode}, mixed {mixed} "
        "(short/short {short}, long/long {long}); marked red: {wrong}.",
    ),
    # Panel 2a: chunk boundaries
    "figures.chunks.title": Message(
        zh="分块计划：{suffix} 个未命中 token，每块最多 {size}",
        en="Chunk plan: {suffix} uncached tokens, at most {size} a chunk",
    ),
    "figures.chunks.strip": Message(
        zh="整个 prompt：命中的前缀不再计算，后缀按块着色（▲ 让出点）",
        en="The whole prompt: the cached prefix is skipped, the suffix coloured by chunk (▲ yield)",
    ),
    "figures.chunks.bars": Message(
        zh="每一块的 token 数（每块之后调度器可以重新选请求）",
        en="Tokens of each chunk (after each one the scheduler may choose again)",
    ),
    "figures.chunks.x_position": Message(zh="token 位置", en="token position"),
    "figures.chunks.x_number": Message(zh="第几块", en="chunk number"),
    "figures.chunks.y": Message(zh="token", en="tokens"),
    "figures.chunks.limit": Message(zh="chunk_size = {size}", en="chunk_size = {size}"),
    "figures.chunks.why": Message(
        zh="第 {number} 块：{tokens} 个 token（位置 {start}–{end}），上限 {size}",
        en="Chunk {number}: {tokens} tokens (positions {start}–{end}), limit {size}",
    ),
    "figures.chunks.why_many": Message(
        zh="第 {first}–{last} 块合画为一条：共 {tokens} 个 token",
        en="Chunks {first}–{last} share a bar: {tokens} tokens together",
    ),
    "figures.chunks.grouped": Message(
        zh="块太多：每一条合画 {count} 块", en="too many chunks: each bar stands for {count}"
    ),
    "figures.chunks.alt": Message(
        zh="prompt 有 {prefix} 个命中 token 和 {suffix} 个待算 token，chunk_size {size}："
        "切成 {count} 块，尾块 {last} 个 token，标红 {wrong} 处。",
        en="A prompt of {prefix} cached and {suffix} new tokens, chunk_size {size}: "
        "{count} chunks, the last of {last} tokens; marked red: {wrong}.",
    ),
    # Panel 2b: iteration timeline
    "figures.timeline.x_step": Message(zh="第几轮（步）", en="iteration (step)"),
    "figures.timeline.x_ms": Message(zh="时间（ms，模拟）", en="time (ms, simulated)"),
    "figures.timeline.y": Message(zh="token / 轮", en="tokens / iteration"),
    "figures.timeline.tokens": Message(
        zh="每一轮的 token：下层 Decode，上层 Prefill 块（悬停或按 Tab 看原因）",
        en="Tokens of each iteration: decodes below, prefill chunks above (hover or Tab for why)",
    ),
    "figures.timeline.budget": Message(
        zh="max_num_batched_tokens = {budget}", en="max_num_batched_tokens = {budget}"
    ),
    "figures.timeline.arrival": Message(zh="新 prompt 到达", en="the prompt arrives"),
    "figures.timeline.stalls": Message(
        zh="停顿条：一个聊天相邻两个 token 的间隔",
        en="Stall strip: gaps between the tokens of one chat",
    ),
    "figures.timeline.gap_steps": Message(zh="{count} 步", en="{count} st"),
    "figures.timeline.gap_why": Message(
        zh="两个 token 相隔 {took}（{steps}）", en="{took} between two tokens ({steps})"
    ),
    "figures.timeline.alt": Message(
        zh="{count} 轮迭代，每轮预算 {budget} token，共用 {used} token，结束于 {end}；"
        "被观察聊天的最长间隔 {longest}；标红 {wrong} 轮。",
        en="{count} iterations with a budget of {budget} tokens, {used} tokens used, ending at "
        "{end}; longest gap of the watched chat {longest}; marked red: {wrong}.",
    ),
    "figures.evidence.simulated": Message(
        zh="模拟（代价模型：{cost}），不是实测", en="simulated (cost model: {cost}), not measured"
    ),
    # Lanes of workers
    "figures.lanes.title": Message(zh="时间线：{scheduler}", en="Timeline: {scheduler}"),
    "figures.lanes.heading": Message(
        zh="每个 worker 一行：谁在什么时候做什么", en="One row a worker: who does what when"
    ),
    "figures.lanes.x": Message(zh="时间（ms，模拟）", en="time (ms, simulated)"),
    "figures.lanes.prefill": Message(zh="P{number} Prefill", en="P{number} prefill"),
    "figures.lanes.decode": Message(zh="D{number} Decode", en="D{number} decode"),
    "figures.lanes.shared": Message(zh="S{number} 共享", en="S{number} shared"),
    "figures.lanes.link": Message(zh="链路 KV", en="KV link"),
    "figures.lanes.why.prefill": Message(
        zh="Prefill：{count} 轮，{tokens} token，始于 {start}，共 {took}",
        en="Prefill: {count} iterations, {tokens} tokens, from {start}, {took}",
    ),
    "figures.lanes.why.decode": Message(
        zh="Decode：{count} 轮，{tokens} token，始于 {start}，共 {took}",
        en="Decode: {count} iterations, {tokens} tokens, from {start}, {took}",
    ),
    "figures.lanes.why.both": Message(
        zh="同一轮里既有 Prefill 又有 Decode：{count} 轮，{tokens} token，始于 {start}，共 {took}",
        en="Prefill and decode in one iteration: {count} iterations, {tokens} tokens, "
        "from {start}, {took}",
    ),
    "figures.lanes.why.handoff": Message(
        zh="交接 {request_id}：{megabytes} MB，传输 {took}，之前等了 {waited}（{outcome}）",
        en="Handoff of {request_id}: {megabytes} MB in {took} after waiting {waited} ({outcome})",
    ),
    "figures.lanes.alt": Message(
        zh="{workers} 个 worker 服务 {requests} 个请求，用时 {end}，KV 交接 {handoffs} 次。",
        en="{workers} workers serve {requests} requests in {end} with {handoffs} KV handoffs.",
    ),
    # Panel 3
    "figures.pd.title": Message(zh="PD 分池", en="Prefill and decode pools"),
    "figures.pd.routing": Message(
        zh="路由：每个请求恰好进一个池（由你的函数决定）",
        en="Routing: each request in exactly one pool (by your function)",
    ),
    "figures.pd.x_request": Message(zh="请求（到达顺序）", en="request (by arrival)"),
    "figures.pd.why": Message(
        zh="{name}：prompt {prompt}，输出 {output} → {pool}",
        en="{name}: prompt {prompt}, output {output} → {pool}",
    ),
    "figures.pd.busy": Message(zh="各池忙碌的时间占比", en="Busy share of each pool"),
    "figures.pd.x_busy": Message(zh="忙碌（%）", en="busy (%)"),
    "figures.pd.pool.prefill": Message(zh="P 池", en="P pool"),
    "figures.pd.pool.decode": Message(zh="D 池", en="D pool"),
    "figures.pd.pool.shared": Message(zh="共享池", en="shared"),
    "figures.pd.break_even": Message(
        zh="盈亏平衡：把 KV 交过去、重算一遍，还是与聊天共用一个 worker？",
        en="Break-even: move the KV, compute it again, or share a worker with chats?",
    ),
    "figures.pd.x_prompt": Message(zh="prompt（token，对数）", en="prompt (tokens, log)"),
    "figures.pd.y_ms": Message(zh="ms（对数）", en="ms (log)"),
    "figures.pd.threshold": Message(zh="路由阈值", en="routing threshold"),
    "figures.pd.line.transfer": Message(zh="交接 KV", en="move the KV"),
    "figures.pd.line.recompute": Message(zh="整段重算", en="compute again"),
    "figures.pd.line.sharing": Message(
        zh="共用：聊天多等的一轮", en="share: a chat's longest extra gap"
    ),
    "figures.pd.crossing": Message(
        zh="从 {tokens} token 起交接更快（{ms}）", en="moving is faster from {tokens} tokens ({ms})"
    ),
    "figures.pd.predicted": Message(zh="你的预测 {ms}", en="you predicted {ms}"),
    "figures.pd.alt": Message(
        zh="{count} 个请求：prefill_pool {prefill} 个，decode_pool {decode} 个，shared_pool "
        "{shared} 个；KV 交接 {handoffs} 次；标红 {wrong} 个。",
        en="{count} requests: prefill_pool {prefill}, decode_pool {decode}, shared_pool {shared}; "
        "{handoffs} KV handoffs; marked red: {wrong}.",
    ),
    # Panel 4
    "figures.decision.title": Message(zh="保留 PD 还是不保留", en="Keep the split or not"),
    "figures.decision.x": Message(zh="在途请求数（闭环）", en="requests in flight (closed loop)"),
    "figures.decision.throughput": Message(zh="吞吐", en="Throughput"),
    "figures.decision.goodput": Message(
        zh="goodput：满足 SLO 的请求", en="Goodput: requests that keep the SLO"
    ),
    "figures.decision.y_throughput": Message(zh="输出 token/s", en="output token/s"),
    "figures.decision.y_goodput": Message(zh="请求/s", en="requests/s"),
    "figures.decision.latency": Message(zh="P95 端到端延迟", en="P95 request latency"),
    "figures.decision.handoff": Message(
        zh="P95 KV 交接（PD，含排队）", en="P95 KV handoff (PD, with queue)"
    ),
    "figures.decision.max_handoff": Message(
        zh="max_handoff_ms = {limit}", en="max_handoff_ms = {limit}"
    ),
    "figures.decision.keep": Message(zh="保留", en="keep"),
    "figures.decision.reject": Message(zh="不保留", en="drop"),
    "figures.decision.predicted": Message(zh="你预测保留 {count} 档", en="you predicted {count}"),
    "figures.decision.box": Message(
        zh="SLO 框：P95 TTFT 与 P95 TPOT 同时在框内才算达标（空心为出框）",
        en="SLO box: P95 TTFT and P95 TPOT must both lie inside (hollow: outside)",
    ),
    "figures.decision.slo": Message(zh="SLO", en="SLO"),
    "figures.decision.x_ttft": Message(zh="P95 TTFT（ms）", en="P95 TTFT (ms)"),
    "figures.decision.y_tpot": Message(zh="TPOT（ms）", en="TPOT (ms)"),
    "figures.decision.slo_why": Message(
        zh="{system}，在途 {load}：TTFT {ttft}，TPOT {tpot}",
        en="{system}, {load} in flight: TTFT {ttft}, TPOT {tpot}",
    ),
    "figures.decision.alt": Message(
        zh="在途请求 {loads} 时比较共享、分块与 PD；对照 {baseline}，保留 PD 的负载：{kept}；"
        "标红 {wrong} 处。",
        en="Shared, chunked and PD compared at {loads} requests in flight; against {baseline} the "
        "split is kept at: {kept}; marked red: {wrong}.",
    ),
}
register(CATALOG)
