"""Words around the pictures: states, controls, predictions."""

from pdsched.messages import Message, register

CATALOG = {
    "panels.unwritten": Message(
        zh="完成 TODO {todo} 的 {function} 后，这张图就会活起来；现在只画出框架。",
        en="TODO {todo}, {function}, will bring this picture alive; only its frame is drawn now.",
    ),
    "panels.hung": Message(
        zh="{function} 超过 {limit} 秒没有返回，已被中断。检查循环是否每次都有进展。",
        en="{function} did not return within {limit} s and was stopped. "
        "Does every turn of the loop make progress?",
    ),
    "panels.raised": Message(
        zh="你的函数抛出了 {error}{where}。调用是：{call}",
        en="Your function raised {error}{where}. The call was: {call}",
    ),
    "panels.raised_line": Message(zh="（第 {line} 行：{source}）", en=" (line {line}: {source})"),
    "panels.broken": Message(
        zh="面板自身出错，这不是你的代码的问题：{error}",
        en="The panel itself failed; this is not your code: {error}",
    ),
    "panels.state.right": Message(zh="这组输入里没有发现问题", en="no fault found for this input"),
    "panels.state.wrong": Message(zh="有不对的地方", en="something is off"),
    "panels.state.unwritten": Message(zh="等你来写", en="waiting for your code"),
    "panels.state.raised": Message(zh="函数抛出异常", en="the function raised"),
    "panels.state.hung": Message(zh="函数没有返回", en="the function did not return"),
    "panels.state.broken": Message(zh="面板出错", en="the panel failed"),
    "panels.state.predict": Message(zh="先预测", en="predict first"),
    "panels.right": Message(
        zh="图由你的 {function} 画出，拖动滑块试试。",
        en="Your {function} draws this picture; move a slider.",
    ),
    "panels.predict_first": Message(
        zh="先写下你的预测再看结果。", en="Commit a prediction, then see the outcome."
    ),
    "panels.predict": Message(zh="预测", en="Predict"),
    "panels.commit": Message(zh="提交预测", en="Commit"),
    "panels.skip": Message(zh="跳过", en="Skip"),
    "panels.again": Message(zh="再预测一次", en="Predict again"),
    "panels.committed": Message(
        zh="你的预测 {prediction}；等函数写好、写对，这里会给出结果。",
        en="You predicted {prediction}; the outcome appears once the function is right.",
    ),
    "panels.outcome": Message(
        zh="你的预测 {prediction}，结果 {outcome}：{verdict}",
        en="You predicted {prediction}, the outcome is {outcome}: {verdict}",
    ),
    "panels.predicted_elsewhere": Message(
        zh="控件已改动；这个预测是在 {setting} 时作的。",
        en="The controls have moved; this was predicted at {setting}.",
    ),
    "panels.list_comma": Message(zh="、", en=", "),
    "panels.verdict.hit": Message(zh="✓ 说中了", en="✓ spot on"),
    "panels.verdict.miss": Message(zh="✗ 有差距，想一想为什么", en="✗ off the mark: why?"),
    "panels.next": Message(zh="下一轮 ▸", en="next ▸"),
    "panels.preset": Message(zh="场景", en="scenario"),
    "panels.preset_none": Message(zh="自定", en="custom"),
    "panels.save": Message(zh="导出", en="Export"),
    "panels.saved": Message(zh="已存为 {path}", en="saved as {path}"),
    "panels.printed": Message(zh="你的函数打印了：", en="Your function printed:"),
    "panels.replaced": Message(
        zh="这个面板已被更新的面板取代；重新运行单元格即可恢复。",
        en="A newer panel has taken over; run the cell again to bring this one back.",
    ),
    "panels.more_faults": Message(zh="……另有 {count} 处", en="… and {count} more"),
    "panels.wrong_type": Message(
        zh="{function} 应返回 {expected}，得到的是 {got}。",
        en="{function} should return {expected}, got {got}.",
    ),
    # Panel 1
    "panels.request_mix.heading": Message(
        zh="面板 1 · 谁压 Prefill，谁压 Decode", en="Panel 1 · Who presses prefill, who decode"
    ),
    "panels.mix.threshold": Message(zh="长 prompt 阈值", en="long prompt above"),
    "panels.mix.workload": Message(zh="负载", en="workload"),
    "panels.mix.count": Message(zh="请求数", en="requests"),
    "panels.mix.question": Message(
        zh="阈值 {threshold} 时，这 {count} 个请求里有几个会算作 mixed？（短/短也算）",
        en="At threshold {threshold}, how many of these {count} requests are mixed? "
        "(short/short counts)",
    ),
    "panels.workload.chat": Message(zh="聊天", en="chat"),
    "panels.workload.code": Message(zh="代码补全", en="code completion"),
    "panels.workload.reasoning": Message(zh="推理", en="reasoning"),
    "panels.workload.mixed": Message(zh="混合", en="mixed traffic"),
    "panels.workload.long-document": Message(zh="长文档", en="long documents"),
    "panels.workload.edges": Message(zh="边界值", en="edge values"),
    "panels.number.predicted_mixed": Message(zh="你预测的 mixed", en="mixed, as you predicted"),
    "panels.mix.wrong_class": Message(
        zh="{name}：prompt {prompt} {prompt_sign} {threshold}，输出 {output} {output_sign} "
        "{output_threshold}，按规则是 {expected}；你的函数给的是 {got}。",
        en="{name}: prompt {prompt} {prompt_sign} {threshold}, output {output} {output_sign} "
        "{output_threshold}, so the rule says {expected}; your function says {got}.",
    ),
    "panels.mix.not_conserved": Message(
        zh="三类之和是 {total}，请求有 {count} 个：每个请求必须恰好算一次。",
        en="The three classes add up to {total} for {count} requests: count each exactly once.",
    ),
    "panels.mix.inconsistent": Message(
        zh="整批计数 {whole} 与逐个请求之和 {single} 不同：结果不应依赖之前的调用。",
        en="Counts of the whole batch {whole} differ from one at a time {single}: "
        "an answer must not depend on earlier calls.",
    ),
    # Panel 2a
    "panels.chunk_boundaries.heading": Message(
        zh="面板 2 · 分块在哪里让出", en="Panel 2 · Where chunks yield"
    ),
    "panels.chunks.prefix": Message(zh="前缀命中", en="prefix hit"),
    "panels.chunks.suffix": Message(zh="未命中后缀", en="suffix"),
    "panels.chunks.size": Message(zh="chunk_size", en="chunk_size"),
    "panels.chunks.question": Message(
        zh="{suffix} 个 token 的后缀按 {size} 切，会得到几块？",
        en="A suffix of {suffix} tokens cut by {size}: how many chunks?",
    ),
    "panels.chunks.number.count": Message(zh="块数", en="chunks"),
    "panels.chunks.number.tail": Message(zh="尾块", en="last chunk"),
    "panels.chunks.number.yields": Message(zh="让出点", en="yield points"),
    "panels.chunks.number.saved": Message(zh="前缀省下", en="saved by the prefix"),
    "panels.chunks.number.predicted": Message(zh="你的预测", en="your prediction"),
    "panels.chunks.missing": Message(
        zh="少了 {count} 个 token，第一个在位置 {first}：后缀的每个 token 都要被算一次。",
        en="{count} tokens are missing, the first at position {first}: "
        "every token of the suffix must be computed once.",
    ),
    "panels.chunks.repeated": Message(
        zh="有 {count} 个 token 出现不止一次，第一个在位置 {first}。",
        en="{count} tokens occur more than once, the first at position {first}.",
    ),
    "panels.chunks.misplaced": Message(
        zh="位置 {first} 起 token 的顺序变了：分块必须保持原顺序。",
        en="From position {first} on the order has changed: chunks keep the order.",
    ),
    "panels.chunks.overlong": Message(
        zh="第 {number} 块有 {tokens} 个 token，超过 chunk_size {size}。",
        en="Chunk {number} has {tokens} tokens, above chunk_size {size}.",
    ),
    "panels.chunks.underfull": Message(
        zh="第 {number} 块只有 {tokens} 个 token：只有尾块可以小于 chunk_size {size}。",
        en="Chunk {number} has only {tokens} tokens: only the last may be below chunk_size {size}.",
    ),
    # Panel 2b
    "panels.iteration_timeline.heading": Message(
        zh="面板 3 · 每一轮的预算归谁", en="Panel 3 · Who gets the budget of each iteration"
    ),
    "panels.timeline.title": Message(
        zh="迭代时间线：{policy}，预算 {budget}", en="Iterations: {policy}, budget {budget}"
    ),
    "panels.timeline.view": Message(zh="横轴", en="axis"),
    "panels.view.step": Message(zh="步", en="steps"),
    "panels.view.ms": Message(zh="毫秒", en="milliseconds"),
    "panels.timeline.ghost": Message(zh="对照基线", en="baseline"),
    "panels.ghost.none": Message(zh="无", en="none"),
    "panels.timeline.budget": Message(zh="每轮预算", en="budget"),
    "panels.timeline.cap": Message(zh="Prefill 块上限", en="chunk cap"),
    "panels.timeline.reserve": Message(zh="Decode 预留", en="decode reserve"),
    "panels.timeline.scenario": Message(zh="到来的是", en="arriving"),
    "panels.scenario.long": Message(zh="一个长 prompt", en="one long prompt"),
    "panels.scenario.burst": Message(zh="一阵代码补全", en="a burst of code completions"),
    "panels.scenario.reasoning": Message(zh="推理请求", en="reasoning requests"),
    "panels.timeline.prompt": Message(zh="新 prompt 长度", en="prompt length"),
    "panels.timeline.chats": Message(zh="正在聊天数", en="running chats"),
    "panels.timeline.kv": Message(zh="KV 容量（0 不限）", en="KV capacity (0: unlimited)"),
    "panels.timeline.selected": Message(zh="看第几轮", en="iteration"),
    "panels.timeline.watched": Message(zh="聊天 c1", en="chat c1"),
    "panels.preset.long": Message(zh="聊天中来了一个 8k prompt", en="one 8k prompt among chats"),
    "panels.preset.burst": Message(zh="一阵代码补全", en="burst of code completions"),
    "panels.preset.reasoning": Message(zh="推理：短输入长输出", en="reasoning: short in, long out"),
    "panels.preset.squares": Message(
        zh="小预算：一格一个 token", en="small budget: one square a token"
    ),
    "panels.timeline.question": Message(
        zh="没有新 prompt 时，聊天 c1 约每 {usual} 出一个 token。预算 {budget}，来了 {prompt} token 的"
        "新 prompt 之后，它相邻两个 token 最久会隔多少毫秒？",
        en="Without the new prompt chat c1 gets a token about every {usual}. Budget {budget}, a "
        "prompt of {prompt} tokens arrives: what is its longest gap, in milliseconds?",
    ),
    "panels.timeline.fault": Message(
        zh="第 {number} 轮：{rule}。", en="Iteration {number}: {rule}."
    ),
    "panels.timeline.number.ttft": Message(zh="新 prompt 的 TTFT", en="TTFT of the prompt"),
    "panels.timeline.number.tpot": Message(zh="聊天 c1 的 TPOT", en="TPOT of chat c1"),
    "panels.timeline.number.itl": Message(zh="c1 的最长 ITL", en="longest ITL of c1"),
    "panels.timeline.number.used": Message(zh="预算 已用 / 空闲", en="budget used / idle"),
    "panels.timeline.number.predicted": Message(zh="你预测的最长间隔", en="longest gap, predicted"),
    "panels.timeline.more_than": Message(zh="> {value}", en="> {value}"),
    "panels.timeline.trimmed": Message(
        zh="标红的计划已被裁到规则以内，好让时间线继续画下去。",
        en="Plans marked red were trimmed to the rules, so that the timeline could go on.",
    ),
    "panels.timeline.windowed": Message(
        zh="只模拟并画出前 {count} 轮。", en="Only the first {count} iterations are simulated."
    ),
    "panels.timeline.kv_raised": Message(
        zh="KV 至少要放得下最长的一个请求，已按 {tokens} token 计算。",
        en="The KV cache must hold the longest request: {tokens} tokens are assumed.",
    ),
    "panels.evidence.simulated": Message(
        zh="模拟（代价模型：{cost}），不是实测", en="simulated (cost model: {cost}), not measured"
    ),
    "panels.why.work": Message(
        zh="第 {number} 轮，{took}：Decode {decodes} + Prefill {prefill} = {used}/{budget} token。",
        en="Iteration {number}, {took}: decode {decodes} + prefill {prefill} = {used}/{budget}.",
    ),
    "panels.why.preempted": Message(
        zh="KV 不足，{names} 被抢占。", en="KV ran out: {names} preempted."
    ),
    "panels.why.seats": Message(
        zh="{count} 个请求在等座位：max_num_seqs = {seats} 已满。",
        en="{count} wait for a seat: max_num_seqs = {seats} is full.",
    ),
    "panels.why.kv": Message(
        zh="{count} 个请求在等 KV：已用 {used}/{total} 块。",
        en="{count} wait for KV: {used}/{total} blocks are taken.",
    ),
    "panels.why.budget_waiting": Message(
        zh="{count} 个请求在等预算：本轮已用满。", en="{count} wait: the budget is used up."
    ),
    "panels.why.plan_waiting": Message(
        zh="{count} 个请求没有被计划选中。", en="{count} wait: the plan did not choose them."
    ),
    "panels.why.budget_held": Message(
        zh="{count} 个在跑的请求本轮没有 token：预算已用满。",
        en="{count} running requests get no token: the budget is used up.",
    ),
    "panels.why.plan_held": Message(
        zh="{count} 个在跑的请求本轮没有 token：计划没有给。",
        en="{count} running requests get no token: the plan gave none.",
    ),
    "panels.why.nobody": Message(zh="没有人被挡住。", en="Nobody is held back."),
    "panels.plan.decodes": Message(zh="{count} 个 Decode", en="{count} decodes"),
    "panels.plan.idle": Message(
        zh="空着 {idle} 个 token 的预算，而 {waiting} 还可以用",
        en="{idle} tokens of budget stay idle while {waiting} could use them",
    ),
    "panels.plan.decode_order": Message(
        zh="decode_request_ids 应按给定顺序从头取",
        en="decode_request_ids should be taken from the front, in the given order",
    ),
    "panels.plan.prefill_order": Message(
        zh="{request_id} 还没给够，就把预算给了它后面的请求",
        en="requests after {request_id} got tokens before it had its share",
    ),
    "panels.plan.decode_first": Message(
        zh="decode_first 应先排满 Decode，却有 {count} 个 Decode 落在 Prefill 之后",
        en="decode_first serves decodes first, yet {count} were left out beside prefill chunks",
    ),
    "panels.plan.prefill_first": Message(
        zh="prefill_first 应先给 Prefill，{request_id} 还没给够就排了 {count} 个 Decode",
        en="prefill_first serves prefill first, yet {count} decodes ran before {request_id} "
        "had its share",
    ),
    "panels.plan.reserve_missed": Message(
        zh="balanced 应先为 Decode 预留 {reserve} 个 token，只排了 {count} 个 Decode",
        en="balanced reserves {reserve} decode tokens first, only {count} decodes were planned",
    ),
    "panels.plan.reserve_exceeded": Message(
        zh="balanced 预留 {reserve} 个之后应轮到 Prefill，{request_id} 还没给够",
        en="after the reserve of {reserve}, balanced turns to prefill: {request_id} was short",
    ),
    "panels.plan.mutated": Message(
        zh="函数改动了传入的 {name}", en="the function changed its argument {name}"
    ),
    # Panel 3
    "panels.pd_pools.heading": Message(
        zh="面板 4 · PD 分池与 KV 交接", en="Panel 4 · Pools and the KV handoff"
    ),
    "panels.rps": Message(zh="个/秒", en="per s"),
    "panels.pd.prefill": Message(zh="P（Prefill）worker", en="P (prefill) workers"),
    "panels.pd.decode": Message(zh="D（Decode）worker", en="D (decode) workers"),
    "panels.pd.shared": Message(zh="S（共享）worker", en="S (shared) workers"),
    "panels.pd.link": Message(zh="P→D 链路", en="P→D link"),
    "panels.pd.rate": Message(zh="到达率", en="arrival rate"),
    "panels.pd.question": Message(
        zh="{model} 每个 token 的 KV 是 {kib} KiB。把一个 {tokens} token 的 prompt 的 KV 经 {link}"
        "（{speed} GB/s）交给 D worker，要多少毫秒？",
        en="{model} keeps {kib} KiB of KV a token. Moving the KV of a {tokens}-token prompt over "
        "{link} ({speed} GB/s) takes how many milliseconds?",
    ),
    "panels.pd.missing": Message(
        zh="{name} 不在任何池里：每个请求必须恰好进一个池。",
        en="{name} is in no pool: every request belongs in exactly one.",
    ),
    "panels.pd.repeated": Message(
        zh="{name} 同时在 {pools}：每个请求必须恰好进一个池。",
        en="{name} is in {pools}: every request belongs in exactly one.",
    ),
    "panels.pd.unknown": Message(
        zh="{pool} 里的 {name} 不是给定的请求。", en="{name} in {pool} is not a given request."
    ),
    "panels.pd.wrong_pool": Message(
        zh="{name}：prompt {prompt}，输出 {output}，按规则进 {expected}；你的函数放进了 {got}。",
        en="{name}: prompt {prompt}, output {output}, so the rule says {expected}; "
        "your function says {got}.",
    ),
    "panels.pd.phases": Message(
        zh="池是对请求的路由；PD 拆开的是请求的两个阶段：prefill_pool 的请求在 P 上算完 prompt，"
        "KV 经链路交给 D 再生成；decode_pool 的请求两个阶段都在 D；shared_pool 的都在 S。",
        en="A pool routes a request; PD splits its phases: a prefill_pool request computes its "
        "prompt on P, hands its KV over the link and decodes on D; decode_pool does both on D; "
        "shared_pool both on S.",
    ),
    "panels.pd.went_on": Message(
        zh="为了继续模拟：没有池的请求走共享池，重复的取第一个池。",
        en="To go on simulating: requests without a pool go to the shared one, "
        "repeated ones to the first.",
    ),
    "panels.pd.cut": Message(
        zh="为了看清泳道，每个请求的输出最多取 {output} 个 token。",
        en="Outputs are cut to {output} tokens, so that the lanes stay readable.",
    ),
    "panels.pd.number.ttft": Message(
        zh="TTFT P95：分池 / 全共享", en="TTFT P95: split / all shared"
    ),
    "panels.pd.number.tpot": Message(
        zh="TPOT P95：分池 / 全共享", en="TPOT P95: split / all shared"
    ),
    "panels.pd.number.itl": Message(
        zh="最长 ITL：分池 / 全共享", en="longest ITL: split / all shared"
    ),
    "panels.pd.number.handoff": Message(zh="交接 P95（含排队）", en="handoff P95 (with queue)"),
    "panels.pd.number.bytes": Message(zh="经过链路", en="over the link"),
    # Panel 4
    "panels.decision.heading": Message(
        zh="面板 5 · 保留 PD 还是不保留", en="Panel 5 · Keep the split or not"
    ),
    "panels.decision.baseline": Message(zh="与谁比", en="against"),
    "panels.decision.metric": Message(zh="看", en="show"),
    "panels.decision.throughput": Message(zh="吞吐", en="throughput"),
    "panels.decision.goodput": Message(zh="goodput", en="goodput"),
    "panels.decision.split": Message(zh="4 个 worker 怎么分", en="split of 4 workers"),
    "panels.decision.slo_ttft": Message(zh="SLO：TTFT", en="SLO: TTFT"),
    "panels.decision.slo_tpot": Message(zh="SLO：TPOT", en="SLO: TPOT"),
    "panels.decision.first_token": Message(zh="TTFT 算到", en="TTFT ends"),
    "panels.decision.ttft_prefill": Message(zh="P 上的首 token", en="on the P worker"),
    "panels.decision.ttft_decode": Message(zh="交接后首次 Decode", en="after the handoff"),
    "panels.decision.cut": Message(
        zh="为了模拟得快，每个请求的输出最多取 {output} 个 token，prompt 最多 {prompt} 个。",
        en="To simulate fast, outputs are cut to {output} tokens and prompts to {prompt}.",
    ),
    "panels.decision.question": Message(
        zh="在途请求数为 {loads} 这 {count} 档里，与{baseline}相比、交接预算 {limit} 时，"
        "有几档会保留 PD？",
        en="Of the {count} loads ({loads} requests in flight), at how many is the split kept, "
        "against {baseline} with a handoff budget of {limit}?",
    ),
    "panels.decision.why": Message(
        zh="在途 {load}：吞吐 {gain}；P95 {delta}；交接 {handoff}",
        en="{load} in flight: throughput {gain}; P95 {delta}; handoff {handoff}",
    ),
    "panels.decision.should_keep": Message(
        zh="三个条件都满足，应保留，你的函数却不保留。{why}",
        en="All three conditions hold: keep, yet your function drops it. {why}",
    ),
    "panels.decision.should_not": Message(
        zh="有条件不满足（✗），不应保留，你的函数却保留了。{why}",
        en="A condition fails (✗): do not keep, yet your function does. {why}",
    ),
    "panels.decision.wrong_number": Message(
        zh="在途 {load}：{key} 应为 {expected}，得到 {got}。",
        en="{load} in flight: {key} should be {expected}, got {got}.",
    ),
    "panels.decision.number.kept": Message(zh="保留 PD 的负载", en="loads that keep PD"),
    "panels.decision.number.gain": Message(zh="吞吐增益（在途 {load}）", en="gain at {load}"),
    "panels.decision.number.delta": Message(
        zh="P95 变化（在途 {load}）", en="P95 change at {load}"
    ),
    "panels.decision.number.handoff": Message(zh="交接 P95（在途 {load}）", en="handoff at {load}"),
    "panels.decision.number.goodput": Message(
        zh="最高 goodput：共享 / 分块 / PD（请求/s）",
        en="best goodput: shared / chunked / PD (per s)",
    ),
}
register(CATALOG)
