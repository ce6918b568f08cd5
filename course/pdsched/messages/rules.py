"""The rules of the five contracts, one sentence each, as checks quote them.

They say what must hold, never how to write it.
"""

from pdsched.messages import Message, register

CATALOG = {
    "rules.todo1_three_classes": Message(
        zh="每个请求恰好算进 prefill_heavy、decode_heavy、mixed 之一；"
        "短输入短生成与长输入长生成都算 mixed。",
        en="Each request counts as exactly one of prefill_heavy, decode_heavy and mixed; "
        "short/short and long/long are both mixed.",
    ),
    "rules.todo1_threshold_edges": Message(
        zh="输入的界是 long_prompt_threshold，生成的界是 long_prompt_threshold // 8；"
        "恰好等于界还不算长。",
        en="Prompts are measured against long_prompt_threshold, outputs against "
        "long_prompt_threshold // 8; exactly at the threshold is not yet long.",
    ),
    "rules.todo1_counts_conserved": Message(
        zh="三类计数之和等于请求数；缺少的键按 0 个 token 计；没有请求时三类都是 0。",
        en="The three counts add up to the number of requests; a missing key counts as 0 tokens; "
        "without requests all three are 0.",
    ),
    "rules.todo1_pure": Message(
        zh="统计只看传入的请求：不改动它们，也不记住上一次的结果。",
        en="The summary depends on its arguments only: they stay unchanged, nothing is kept.",
    ),
    "rules.todo2_order_and_tail": Message(
        zh="把各块按顺序接起来就是原来的 suffix；除最后一块外，每块恰好 chunk_size 个 token。",
        en="The chunks joined in order are the suffix again; all but the last hold exactly "
        "chunk_size tokens.",
    ),
    "rules.todo2_boundaries": Message(
        zh="空 suffix 得到空计划；chunk_size 等于、大于 suffix 长度或等于 1 时，没有空块也不丢尾块。",
        en="An empty suffix gives an empty plan; with chunk_size 1, equal to or above the length "
        "there is no empty chunk and no lost tail.",
    ),
    "rules.todo2_rejects_bad_chunk": Message(
        zh="chunk_size 不是正数时抛出 ValueError（suffix 为空也一样）；正数时不抛异常。",
        en="A chunk_size that is not positive raises ValueError, even for an empty suffix; a "
        "positive one never raises.",
    ),
    "rules.todo2_pure": Message(
        zh="切分不改动传入的 suffix，同样的输入总得到同样的计划。",
        en="Chunking leaves the suffix unchanged, and the same input gives the same plan.",
    ),
    "rules.todo3_decode_first": Message(
        zh="decode_first：先按顺序放入所有放得下的 Decode（每个 1 token），剩余预算再给 Prefill 块。",
        en="decode_first: decodes enter in order while the budget lasts (1 token each); what is "
        "left goes to prefill chunks.",
    ),
    "rules.todo3_prefill_first": Message(
        zh="prefill_first：先按顺序给每个 suffix 一块（受块上限和剩余预算约束，长度 0 不出块），"
        "剩余预算再给 Decode。",
        en="prefill_first: each suffix in order gets one chunk (within the chunk cap and the budget "
        "left; length 0 gets none); what is left goes to decodes.",
    ),
    "rules.todo3_balanced_reserve": Message(
        zh="balanced：先放入至多 decode_reserve_tokens 个 Decode，再放 Prefill 块，"
        "还有剩余预算时继续放其余 Decode；不传时策略是 balanced、预留是 1。",
        en="balanced: at most decode_reserve_tokens decodes, then prefill chunks, then the other "
        "decodes if budget is left; the defaults are balanced and a reserve of 1.",
    ),
    "rules.todo3_budget_conserved": Message(
        zh="used_tokens 是 Decode 数加各块 token 数，不超过预算；"
        "used_tokens + remaining_tokens 等于 max_num_batched_tokens；"
        "policy 和 max_num_batched_tokens 如实记下；恰好六个键。",
        en="used_tokens is the decodes plus the chunks' tokens, within the budget; used_tokens + "
        "remaining_tokens equals max_num_batched_tokens; policy and budget are recorded as given; exactly six keys.",
    ),
    "rules.todo3_no_idle_budget": Message(
        zh="还有可以进入本轮的工作时，不留空闲预算：要么预算用完，"
        "要么所有 Decode 都进入、每个 suffix 都拿到它的一整块。",
        en="No budget stays idle while admissible work is left: either it is used up, or all decodes "
        "are in and each suffix has its full chunk.",
    ),
    "rules.todo3_rejects_bad_input": Message(
        zh="预算或块上限不是正数、预留为负、策略未知、suffix 长度为负、Decode ID 重复时，"
        "抛出 ValueError；其余输入不抛异常。",
        en="ValueError for a budget or chunk cap that is not positive, a negative reserve, an "
        "unknown policy, a negative suffix or a repeated decode id; nothing else raises.",
    ),
    "rules.todo3_pure": Message(
        zh="做计划不改动传入的 suffix 与 Decode 列表，也不把上一轮留到下一轮。",
        en="Planning leaves suffixes and decode ids unchanged and keeps nothing between rounds.",
    ),
    "rules.todo4_three_pools": Message(
        zh="只有输入长的进 prefill_pool，只有生成长的进 decode_pool，其余进 shared_pool；"
        "池内保持请求的先后。",
        en="Only the prompt long: prefill_pool; only the output long: decode_pool; everything else: "
        "shared_pool; each pool keeps the order of the requests.",
    ),
    "rules.todo4_threshold_edges": Message(
        zh="输入和生成各用自己的阈值；恰好等于阈值还不算长。",
        en="Prompt and output each have their own threshold; exactly at it is not yet long.",
    ),
    "rules.todo4_exactly_one_pool": Message(
        zh="每个请求恰好进入一个池：不遗漏、不重复；缺少的 token 数按 0 计，"
        "没有 name 的请求记作 'request'；三个池的键总在。",
        en="Each request is in exactly one pool, none lost, none twice; missing token counts are 0, "
        "a request without a name is 'request'; all three keys are always there.",
    ),
    "rules.todo4_pure": Message(
        zh="分池只看传入的请求：不改动它们，也不记住上一次的分配。",
        en="The split depends on its arguments only: they stay unchanged, nothing is kept.",
    ),
    "rules.todo5_keep_requires_all_three": Message(
        zh="吞吐提升、P95 不变差、交接不超预算，三项都成立 keep_split 才是 True；"
        "它是 True 或 False 本身。",
        en="keep_split is True only if throughput rises, P95 does not worsen and the handoff is "
        "within budget; it is exactly True or False.",
    ),
    "rules.todo5_boundaries": Message(
        zh="吞吐持平不算提升；P95 持平算不变差；交接恰好等于预算算在预算内。",
        en="Equal throughput is no gain; an equal P95 is not worse; a handoff equal to the budget is "
        "within it.",
    ),
    "rules.todo5_reported_numbers": Message(
        zh="两个差值都是“分池减基线”，交接时间照实记下；缺少的键按 0.0 计；恰好四个键。",
        en="Both differences are split run minus baseline, the handoff is reported as it is; a "
        "missing key counts as 0.0; exactly four keys.",
    ),
    "rules.todo5_pure": Message(
        zh="判断不改动两组测量值，同样的测量总得到同样的决定。",
        en="Deciding leaves both measurements unchanged; the same numbers give the same decision.",
    ),
}

register(CATALOG)
