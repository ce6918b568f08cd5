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
}

register(CATALOG)
