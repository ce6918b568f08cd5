"""What a broken relation says: the requirement with its numbers, and how it is violated."""

from pdsched.messages import Message, register

CATALOG = {
    "relations.keys": Message(zh="键应恰好是 {keys}", en="the keys should be exactly {keys}"),
    "relations.count": Message(
        zh="{name} 应是不小于 0 的整数，得到 {got}",
        en="{name} should be an int of at least 0, got {got}",
    ),
    "relations.count.expected": Message(
        zh="{name} 是不小于 0 的整数", en="an int of at least 0 as {name}"
    ),
    "relations.total": Message(
        zh="三类之和应为 {expected}，得到 {got}",
        en="the three counts should add up to {expected}, they give {got}",
    ),
    "relations.members": Message(
        zh="三个池合起来应是 {expected}，得到 {got}",
        en="the pools together should hold {expected}, they hold {got}",
    ),
    "relations.pool_order": Message(
        zh="{pool} 里的先后和请求到来的先后不同",
        en="{pool} is not in the order of the requests",
    ),
    "relations.joined": Message(
        zh="把各块接起来，和原来的 suffix 不同",
        en="the chunks joined are not the suffix again",
    ),
    "relations.chunk": Message(
        zh="第 {index} 块有 {got} 个 token，chunk_size 是 {size}",
        en="chunk {index} holds {got} tokens, chunk_size is {size}",
    ),
    "relations.decode_order": Message(
        zh="Decode 应从 {expected} 的开头按顺序取，得到 {got}",
        en="decodes should be taken from the front of {expected} in order, got {got}",
    ),
    "relations.chunk_order": Message(
        zh="Prefill 块应按 {expected} 的顺序、每个请求至多一块，得到 {got}",
        en="chunks should follow {expected} in order, at most one each, got {got}",
    ),
    "relations.chunk_size": Message(
        zh="{name} 这一块应有 1 到 {most} 个 token，得到 {got}",
        en="{name}'s chunk should hold 1 to {most} tokens, it holds {got}",
    ),
    "relations.over": Message(
        zh="计划用了 {used} 个 token，预算只有 {budget}",
        en="the plan uses {used} tokens, the budget is {budget}",
    ),
    "relations.field": Message(
        zh="{name} 应为 {expected}，得到 {got}", en="{name} should be {expected}, got {got}"
    ),
    "relations.idle": Message(
        zh="还剩 {idle} 个 token 的预算，而 {work} 还可以进入本轮",
        en="{idle} tokens of budget are left while {work} could still enter",
    ),
    "relations.decode_passed_over": Message(
        zh="{work} 还在等 Decode，却已经放入了 Prefill 块",
        en="{work} still waits to decode, yet prefill chunks were placed",
    ),
    "relations.prefill_passed_over": Message(
        zh="{work} 还能放入更多 Prefill，却已经放入了 Decode",
        en="{work} could take more prefill, yet decodes were placed",
    ),
    "relations.reserve_unused": Message(
        zh="预留 {reserve} 个，还有 Decode 在等，却只放入了 {got} 个",
        en="{reserve} are reserved and decodes wait, yet only {got} were placed",
    ),
    "relations.reserve_exceeded": Message(
        zh="Decode 超过了预留的 {reserve} 个，而 {work} 还能放入更多 Prefill",
        en="more decodes than the {reserve} reserved, while {work} could take more prefill",
    ),
    "relations.difference": Message(
        zh="基线的 {key} 加上 {name} 应等于分池的 {key}",
        en="the baseline's {key} plus {name} should be the split run's {key}",
    ),
    "relations.keys.expected": Message(zh="恰好这些键：{keys}", en="exactly the keys {keys}"),
    "relations.total.expected": Message(
        zh="三类之和 = {expected}", en="three counts that add up to {expected}"
    ),
    "relations.members.expected": Message(
        zh="三个池合起来是 {expected}，每个一次", en="{expected} in the pools, once each"
    ),
    "relations.pool_order.expected": Message(
        zh="{pool} 按请求到来的先后", en="{pool} in the order of the requests"
    ),
    "relations.joined.expected": Message(
        zh="各块按顺序接起来就是 suffix", en="the chunks joined are the suffix"
    ),
    "relations.chunk.expected": Message(
        zh="每块 {size} 个 token，只有最后一块可以更短",
        en="{size} tokens in each chunk, only the last may be shorter",
    ),
    "relations.decode_order.expected": Message(
        zh="从 {expected} 的开头按顺序取", en="decodes from the front of {expected}"
    ),
    "relations.chunk_order.expected": Message(
        zh="按 {expected} 的顺序，每个请求至多一块",
        en="at most one chunk each, in the order {expected}",
    ),
    "relations.chunk_size.expected": Message(
        zh="{name} 的块有 1 到 {most} 个 token", en="1 to {most} tokens in {name}'s chunk"
    ),
    "relations.over.expected": Message(zh="至多 {budget} 个 token", en="at most {budget} tokens"),
    "relations.field.expected": Message(zh="{name} = {expected}", en="{name} = {expected}"),
    "relations.idle.expected": Message(
        zh="{work} 也进入本轮，直到预算用完", en="{work} enters too, until the budget is used up"
    ),
    "relations.decode_passed_over.expected": Message(
        zh="{work} 先进入，然后才有 Prefill 块", en="{work} first, prefill chunks after"
    ),
    "relations.prefill_passed_over.expected": Message(
        zh="{work} 先拿到它的一整块，然后才有 Decode", en="{work}'s full chunk first, decodes after"
    ),
    "relations.reserve_unused.expected": Message(
        zh="先放入 {reserve} 个 Decode（预算放得下的话）",
        en="{reserve} decodes first, as far as the budget allows",
    ),
    "relations.reserve_exceeded.expected": Message(
        zh="至多 {reserve} 个 Decode，然后给 {work}", en="at most {reserve} decodes, then {work}"
    ),
    "relations.difference.expected": Message(
        zh="基线的 {key} + {name} = 分池的 {key}",
        en="the baseline's {key} + {name} = the split run's {key}",
    ),
    "relations.out_of_turn": Message(
        zh="{earlier} 还能放入更多，{later} 却已经拿到了一块",
        en="{earlier} could take more, yet {later} got a chunk",
    ),
    "relations.out_of_turn.expected": Message(
        zh="先给 {earlier} 它的一整块，再轮到 {later}", en="{earlier}'s full chunk before {later}'s"
    ),
}

register(CATALOG)
