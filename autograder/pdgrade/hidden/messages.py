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
}

register(CATALOG)
