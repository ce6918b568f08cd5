"""What hidden properties say besides the rules of the contracts."""

from pdsched.messages import Message, register

CATALOG = {
    "hidden.no_exception": Message(
        zh="不抛异常，返回约定的结构", en="no exception, the agreed shape"
    ),
    "hidden.hint": Message(
        zh="这是一个新生成的同类例子，不是评分用的输入；先让它通过。",
        en="This is a fresh example of the same kind, not the graded input; make it pass first.",
    ),
    "hidden.no_example": Message(
        zh="评分输入上不成立，但新例子上成立：结果是否依赖随机数、时间或写死的常量？",
        en="It failed on the graded inputs but not on fresh ones: does the result depend on random "
        "numbers, time or constants written into the code?",
    ),
    "hidden.concept": Message(
        zh="概念题：只看最后的答案，不看过程。", en="A concept question: only the answer counts."
    ),
    "hidden.read_again": Message(
        zh="再读一遍题目上方的正文，用图板试一试你的预测。",
        en="Read the text above the question again and try your prediction in the panel.",
    ),
    "hidden.keys": Message(zh="键应恰好是 {keys}", en="the keys should be exactly {keys}"),
    "hidden.count": Message(
        zh="{name} 应是不小于 0 的整数，得到 {got}",
        en="{name} should be an int of at least 0, got {got}",
    ),
    "hidden.sum": Message(
        zh="{name} 应为 {expected}，得到 {got}", en="{name} should be {expected}, got {got}"
    ),
    "hidden.not_additive": Message(
        zh="分两批统计再相加，和一起统计的结果不同",
        en="two batches added up differ from both at once",
    ),
    "hidden.members": Message(
        zh="三个池合起来应是 {expected}，得到 {got}",
        en="the pools together should be {expected}, got {got}",
    ),
    "hidden.idle": Message(
        zh="还剩 {idle} 个 token 的预算，而 {work} 还可以进入本轮",
        en="{idle} tokens of budget are left while {work} could still enter",
    ),
    "hidden.over": Message(
        zh="计划用了 {used} 个 token，预算只有 {budget}",
        en="the plan uses {used} tokens, the budget is {budget}",
    ),
}

register(CATALOG)
