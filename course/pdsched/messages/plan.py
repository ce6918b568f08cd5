"""Why a plan is refused: one rule per sentence."""

from pdsched.messages import Message, register

CATALOG = {
    "plan.refused": Message(
        zh="第 {iteration} 轮的计划无效：{rule}\n  调用：{call}\n  返回：{got}",
        en="iteration {iteration}: invalid plan: {rule}\n  call: {call}\n  returned: {got}",
    ),
    "plan.unwritten": Message(
        zh="计划函数还没有实现（抛出了 NotImplementedError）",
        en="the plan function is not written yet (it raised NotImplementedError)",
    ),
    "plan.raised": Message(zh="计划函数抛出了 {error}", en="the plan function raised {error}"),
    "plan.too_slow": Message(
        zh="计划函数 {seconds:g} 秒内没有返回，可能是死循环",
        en="the plan function did not return within {seconds:g} s; it may loop forever",
    ),
    "plan.mutated": Message(
        zh="计划函数修改了它的输入 {name}，调用之后变成 {value}",
        en="the plan function changed its input {name}; after the call it is {value}",
    ),
    "plan.impure": Message(
        zh="相同的输入得到了两个不同的计划，第二次返回 {second}",
        en="the same inputs gave two different plans; the second is {second}",
    ),
    "plan.not_a_dict": Message(
        zh="返回值必须是 dict，得到 {kind}", en="the result must be a dict, got {kind}"
    ),
    "plan.missing_key": Message(zh="缺少键 {key!r}", en="the key {key!r} is missing"),
    "plan.wrong_type": Message(
        zh="{key} 必须是 {allowed}，得到 {value}", en="{key} must be {allowed}, got {value}"
    ),
    "plan.unknown_decode": Message(
        zh="decode_request_ids 里的 {request_id} 不在可解码的请求中",
        en="{request_id} in decode_request_ids is not ready to decode",
    ),
    "plan.duplicate_decode": Message(
        zh="decode_request_ids 里 {request_id} 重复", en="{request_id} decodes twice"
    ),
    "plan.unknown_prefill": Message(
        zh="prefill_chunks 里的 {request_id} 没有待处理的 suffix",
        en="{request_id} in prefill_chunks has no suffix to prefill",
    ),
    "plan.duplicate_prefill": Message(
        zh="prefill_chunks 里 {request_id} 出现了两次",
        en="{request_id} occurs twice in prefill_chunks",
    ),
    "plan.chunk_not_positive": Message(
        zh="{request_id} 的 chunk 必须至少 1 个 token，得到 {tokens}",
        en="the chunk of {request_id} must have at least 1 token, got {tokens}",
    ),
    "plan.chunk_over_suffix": Message(
        zh="{request_id} 的 chunk 有 {tokens} 个 token，但 suffix 只剩 {suffix}",
        en="the chunk of {request_id} has {tokens} tokens, but only {suffix} are left",
    ),
    "plan.chunk_over_cap": Message(
        zh="{request_id} 的 chunk 有 {tokens} 个 token，超过上限 {cap}",
        en="the chunk of {request_id} has {tokens} tokens, above the cap of {cap}",
    ),
    "plan.over_budget": Message(
        zh="计划用了 {used} 个 token，超过预算 {budget}",
        en="the plan uses {used} tokens, above the budget of {budget}",
    ),
    "plan.not_conserved": Message(
        zh="{key} 应为 {expected}，得到 {value}", en="{key} must be {expected}, got {value}"
    ),
    "plan.nothing": Message(
        zh="有请求可以推进，计划却什么也没安排，服务会永远停住",
        en="nothing is scheduled although requests are ready: the worker would wait forever",
    ),
}

register(CATALOG)
