"""What the mechanism tests and the scheduling ledger of Step 4 say."""

from pdsched.messages import Message, register

CATALOG = {
    "mechanisms.title": Message(
        zh="机制测试 {passed}/{total}", en="Mechanism tests {passed}/{total}"
    ),
    "mechanisms.columns": Message(
        zh="机制 | 函数 | 结果 | 说明", en="Mechanism | Function | Result | Note"
    ),
    "mechanisms.request_mix": Message(
        zh="三类请求各有归属，总数守恒", en="Every request has a class, none is lost"
    ),
    "mechanisms.chunk_plan": Message(
        zh="分块有序，尾块可短，非法块长被拒绝",
        en="Chunks in order, a short tail, bad sizes refused",
    ),
    "mechanisms.budget_policies": Message(
        zh="三种策略各有先后，预算守恒", en="Three policies differ, the budget is conserved"
    ),
    "mechanisms.budget_contract": Message(
        zh="非法的预算、策略与长度被拒绝", en="Bad budgets, policies and lengths are refused"
    ),
    "mechanisms.pool_assignment": Message(
        zh="每个请求恰好进一个池", en="Every request enters exactly one pool"
    ),
    "mechanisms.decision": Message(
        zh="交接超出预算就不保留", en="A handoff over budget is not kept"
    ),
    "mechanisms.conserved": Message(
        zh="used_tokens 不超过预算，且与 remaining_tokens 之和恰好是预算",
        en="used_tokens is within the budget, and with remaining_tokens it is the budget",
    ),
    "mechanisms.verdict.passed": Message(zh="✓ 通过", en="✓ passed"),
    "mechanisms.verdict.unwritten": Message(zh="… 还没写", en="… not written"),
    "mechanisms.verdict.raised": Message(zh="✗ 运行报错", en="✗ raised"),
    "mechanisms.verdict.wrong_type": Message(zh="✗ 类型不对", en="✗ wrong type"),
    "mechanisms.verdict.wrong_value": Message(zh="✗ 结果不对", en="✗ wrong value"),
    "mechanisms.verdict.unavailable": Message(zh="– 没找到", en="– not found"),
    "mechanisms.note": Message(
        zh="期望 {expected}，得到 {got}", en="expected {expected}, got {got}"
    ),
    "ledger.mix.title": Message(zh="1 · 画像（TODO 1）", en="1 · Request mix (TODO 1)"),
    "ledger.mix.columns": Message(zh="类别 | 个数", en="Class | Requests"),
    "ledger.mix.conserved": Message(zh="合计 {n}，一个不少。", en="{n} in all, none is lost."),
    "ledger.mix.lost": Message(
        zh="✗ 合计 {n}，与请求数对不上。", en="✗ {n} in all: not the number of requests."
    ),
    "ledger.chunks.title": Message(zh="2 · 分块（TODO 2）", en="2 · Chunks (TODO 2)"),
    "ledger.chunks.columns": Message(
        zh="请求 | prompt | 命中 | suffix | 块数 | 每块 token",
        en="Request | prompt | cached | suffix | chunks | tokens per chunk",
    ),
    "ledger.chunks.broken": Message(
        zh="✗ 各块相接不等于 suffix", en="✗ the chunks do not add up to the suffix"
    ),
    "ledger.rounds.title": Message(zh="3 · 逐轮（TODO 3）", en="3 · Rounds (TODO 3)"),
    "ledger.rounds.columns": Message(
        zh="轮 | Decode | Prefill 块 | 停顿 | 已用 | 剩余",
        en="Round | Decode | Prefill chunks | Stalled | Used | Remaining",
    ),
    "ledger.rounds.settings": Message(
        zh="预算 {budget}，块上限 {chunk}，{policy}，预留 {reserve}；开始时有 {chats} 个聊天请求在生成。",
        en="Budget {budget}, chunk cap {chunk}, {policy}, reserve {reserve}; "
        "{chats} chats are generating at the start.",
    ),
    "ledger.rounds.stalls": Message(
        zh="d2 停顿了 {stalls} 轮。把预留加大，再开一次账本看看。",
        en="d2 stalled in {stalls} rounds. Raise the reserve and open the ledger again.",
    ),
    "ledger.fault.shape": Message(
        zh="计划的结构和约定不同（{error}）", en="the plan does not have the agreed shape ({error})"
    ),
    "ledger.fault.claimed": Message(
        zh="used_tokens = {used}、remaining_tokens = {remaining}，与排进去的 token 对不上",
        en="used_tokens = {used}, remaining_tokens = {remaining}: not what was scheduled",
    ),
    "ledger.fault.stranger": Message(
        zh="计划里有这一轮不该有的请求：{names}",
        en="requests that have no place in this round: {names}",
    ),
    "ledger.fault.twice": Message(
        zh="同一个请求在一轮里排了两次", en="a request is scheduled twice in one round"
    ),
    "ledger.fault.chunk": Message(
        zh="{name} 的块长 {tokens} 超出了剩余 suffix 或块上限，或者不是正数",
        en="the chunk of {name}, {tokens} tokens, exceeds its suffix or the cap, or is not positive",
    ),
    "ledger.fault.over": Message(
        zh="用了 {used} 个 token，超过预算 {budget}",
        en="{used} tokens used, over the budget {budget}",
    ),
    "ledger.fault.idle": Message(
        zh="还有活要干，这一轮却什么也没排", en="work is left, yet nothing is scheduled"
    ),
    "ledger.pools.title": Message(
        zh="4 · 去向与交接（TODO 4）", en="4 · Pools and handoff (TODO 4)"
    ),
    "ledger.pools.columns": Message(
        zh="请求 | 池 | 两个阶段在哪里 | KV MB | 交接 ms",
        en="Request | Pool | Where the two phases run | KV MB | Handoff ms",
    ),
    "ledger.pools.prefill_pool": Message(
        zh="P worker → 交接 → D worker", en="P worker → handoff → D worker"
    ),
    "ledger.pools.decode_pool": Message(zh="都在 D worker", en="both on a D worker"),
    "ledger.pools.shared_pool": Message(zh="都在共享 worker", en="both on a shared worker"),
    "ledger.pools.link": Message(
        zh="模型 {model}，链路 {link}（{source}）。毫秒数由 KV 字节与链路算出：`simulated`。",
        en="Model {model}, link {link} ({source}). Computed from KV bytes and link: `simulated`.",
    ),
    "ledger.decision.title": Message(
        zh="5 · 保留还是调整（TODO 3 + 4 + 5）", en="5 · Keep or adjust (TODO 3 + 4 + 5)"
    ),
    "ledger.decision.columns": Message(
        zh="方案 | 吞吐 tok/s | P95 ms | 交接 P95 ms | 吞吐差 | P95 差 ms | 保留",
        en="Run | Output tok/s | P95 ms | Handoff P95 ms | Gain | P95 delta ms | Keep",
    ),
    "ledger.decision.shared": Message(zh="共享 · 4 个 worker", en="shared · 4 workers"),
    "ledger.decision.keep.True": Message(zh="✓ 保留", en="✓ keep"),
    "ledger.decision.keep.False": Message(zh="✗ 调整", en="✗ adjust"),
    "ledger.decision.setting": Message(
        zh="90 个请求，a、b、c 轮流，每 40 ms 到一个；四个 worker：全部共享，或 1 P + 2 D + 1 共享。"
        "每一轮由你的 TODO 3 安排，去向由 TODO 4 决定；交接预算 {budget} ms。",
        en="90 requests, a, b, c in turn, one every 40 ms; four workers: all shared, or 1 P + 2 D "
        "+ 1 shared. Your TODO 3 plans, your TODO 4 routes; handoff budget {budget} ms.",
    ),
    "ledger.decision.evidence": Message(
        zh="`simulated`：{model}；误差：{error}", en="`simulated`: {model}; error: {error}"
    ),
    "ledger.missing": Message(zh="– 没找到 `{name}`。", en="– `{name}` was not found."),
    "ledger.unwritten": Message(
        zh="… `{name}` 还没写；写好后再运行这一格。",
        en="… `{name}` is not written yet; write it and run this cell again.",
    ),
    "ledger.plan": Message(
        zh="✗ `{name}` 在模拟的第 {iteration} 轮给出的计划无效：{rule}",
        en="✗ the plan of `{name}` in simulated iteration {iteration} is not valid: {rule}",
    ),
    "ledger.raised": Message(zh="✗ `{name}` 运行报错：{error}", en="✗ `{name}` raised: {error}"),
}

register(CATALOG)
