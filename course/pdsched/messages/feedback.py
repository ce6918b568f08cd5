"""What checks say: verdicts, labels, differences."""

from pdsched.messages import Message, register

CATALOG = {
    "feedback.verdict.passed": Message(zh="✓ 通过：{name}", en="✓ Passed: {name}"),
    "feedback.verdict.unwritten": Message(
        zh="… 还没写：{name} 仍是 NotImplementedError，先写出函数体再检查。",
        en="… Not written yet: {name} still raises NotImplementedError; write its body first.",
    ),
    "feedback.verdict.raised": Message(
        zh="✗ 运行报错：{name} 没有返回结果，而是抛出了异常。",
        en="✗ Raised: {name} raised an exception instead of returning.",
    ),
    "feedback.verdict.wrong_type": Message(
        zh="✗ 类型不对：{name} 返回的类型和约定不同。",
        en="✗ Wrong type: {name} returned another type than agreed.",
    ),
    "feedback.verdict.wrong_value": Message(
        zh="✗ 结果不对：{name} 的返回值和约定不同。",
        en="✗ Wrong value: {name} did not return what was agreed.",
    ),
    "feedback.verdict.unavailable": Message(
        zh="✗ 无法调用：找不到可以运行的 {name}。",
        en="✗ Cannot be called: there is no {name} to run.",
    ),
    "feedback.label.call": Message(zh="  输入：", en="  input:    "),
    "feedback.label.expected": Message(zh="  期望：", en="  expected: "),
    "feedback.label.got": Message(zh="  得到：", en="  got:      "),
    "feedback.label.detail": Message(zh="  差别：", en="  detail:   "),
    "feedback.label.line": Message(zh="  位置：", en="  where:    "),
    "feedback.label.rule": Message(zh="  规则：", en="  rule:     "),
    "feedback.label.hint": Message(zh="  下一步：", en="  next:     "),
    "feedback.next.passed": Message(zh="继续。", en="Go on."),
    "feedback.next.unwritten": Message(
        zh="把 raise NotImplementedError 换成你的代码，运行该单元格，再运行检查。",
        en="Replace raise NotImplementedError by your code, run that cell, then check again.",
    ),
    "feedback.next.raised": Message(
        zh="先看异常的最后一行：是哪个变量、哪个键不符合你的预期？",
        en="Read the exception's last line first: which variable or key is not what you think?",
    ),
    "feedback.next.wrong_type": Message(
        zh="对照函数签名里的返回类型，只返回 dict、list、str、int、float、bool。",
        en="Compare with the signature: return only dict, list, str, int, float and bool.",
    ),
    "feedback.next.unavailable": Message(
        zh="运行定义这个函数的单元格；如果它卡住或退出了进程，先修好它。",
        en="Run the cell that defines the function; if it hung or ended the process, fix that.",
    ),
    "feedback.raises": Message(zh="抛出 {kind}", en="raises {kind}"),
    "feedback.raised_at_line": Message(zh="第 {line} 行", en="line {line}"),
    "feedback.raised_at": Message(zh="第 {line} 行：{source}", en="line {line}: {source}"),
    "feedback.rule.pure": Message(
        zh="不改动传入的参数，并且同样的输入总得到同样的结果。",
        en="Arguments stay unchanged, and the same input always gives the same result.",
    ),
    "feedback.arguments_unchanged": Message(zh="参数保持原样", en="the arguments as they were"),
    "feedback.arguments_after": Message(
        zh="调用后参数变成了 {arguments}", en="after the call the arguments are {arguments}"
    ),
    "feedback.second_call": Message(
        zh="同样的输入再调用一次，结果变了：函数里留下了状态。",
        en="A second call with the same input gave another result: the function keeps state.",
    ),
    "feedback.constant": Message(
        zh="两组不同的输入得到了同样的结果：返回值没有用到输入。",
        en="Two different inputs gave the same result: the input is not used.",
    ),
    "feedback.shape": Message(
        zh="返回值的结构和约定不同（{error}）",
        en="the result does not have the agreed shape ({error})",
    ),
    "feedback.value.too_large": Message(zh="嵌套太深或太大的值", en="too deep or too large"),
    "feedback.value.not_plain": Message(
        zh="返回值里有 {kind}，约定只用 dict、list、str、int、float、bool、None。",
        en="the result holds a {kind}; only dict, list, str, int, float, bool, None are agreed.",
    ),
    "feedback.value.whole": Message(zh="返回值", en="the result"),
    "feedback.value.place": Message(zh="返回值{path}", en="result{path}"),
    "feedback.value.type_differs": Message(
        zh="{place} 应是 {expected}，得到 {got}：{value}",
        en="{place} should be {expected}, got {got}: {value}",
    ),
    "feedback.value.value_differs": Message(
        zh="{place} 应为 {expected}，得到 {got}", en="{place} should be {expected}, got {got}"
    ),
    "feedback.value.length_differs": Message(
        zh="{place} 应有 {expected} 项，得到 {got} 项",
        en="{place} should have {expected} items, got {got}",
    ),
    "feedback.value.missing_keys": Message(
        zh="{place} 缺少键 {keys}", en="{place} lacks the keys {keys}"
    ),
    "feedback.value.extra_keys": Message(
        zh="{place} 多出了键 {keys}", en="{place} has unexpected keys {keys}"
    ),
    "feedback.headline.all": Message(
        zh="TODO {todo} · {name}：{total} 条规则全部满足（{kept}/{total}）。",
        en="TODO {todo} · {name}: all {total} rules hold ({kept}/{total}).",
    ),
    "feedback.headline.some": Message(
        zh="TODO {todo} · {name}：已满足 {kept}/{total} 条规则。",
        en="TODO {todo} · {name}: {kept} of {total} rules hold.",
    ),
    "feedback.headline.none": Message(
        zh="TODO {todo} · {name}：还不能检查（{kept}/{total}）。",
        en="TODO {todo} · {name}: nothing to check yet ({kept}/{total}).",
    ),
    "feedback.short.passed": Message(zh="通过", en="passed"),
    "feedback.short.unwritten": Message(zh="还没写", en="not written"),
    "feedback.short.raised": Message(zh="运行报错", en="raised"),
    "feedback.short.wrong_type": Message(zh="类型不对", en="wrong type"),
    "feedback.short.wrong_value": Message(zh="结果不对", en="wrong value"),
    "feedback.short.unavailable": Message(zh="无法调用", en="cannot be called"),
    "feedback.state.untouched": Message(zh="还没检查过", en="not checked yet"),
    "feedback.state.unwritten": Message(zh="还没写", en="not written"),
    "feedback.state.started": Message(zh="进行中", en="in progress"),
    "feedback.state.passed": Message(zh="通过", en="passed"),
    "feedback.rules": Message(zh="{total} 条规则", en="{total} rules"),
    "feedback.ask_hint": Message(
        zh="卡住了？运行 hint({todo}) 看下一级提示（还有 {left} 级没看）。",
        en="Stuck? Run hint({todo}) for the next hint ({left} not seen yet).",
    ),
    "feedback.all_hints_seen": Message(
        zh="三级提示都看过了：hint({todo}, level=1) 可以重看；也可以看 solution({todo}, give_up=True)。",
        en="All three hints are seen: hint({todo}, level=1) shows them again, or solution({todo}, give_up=True).",
    ),
    "feedback.printed": Message(
        zh="检查时你的函数打印了：{printed}", en="Printed meanwhile: {printed}"
    ),
    "feedback.interrupted": Message(
        zh="在你中断之前没有结束", en="did not end before you interrupted it"
    ),
    "feedback.no_end": Message(
        zh="{seconds:g} 秒内没有结束", en="did not end within {seconds:g} s"
    ),
    "feedback.endless": Message(
        zh="看看这一行所在的循环：每转一圈，什么在变化？条件最后会不成立吗？",
        en="Look at the loop around that line: what changes with each turn, and does its condition ever fail?",
    ),
    "feedback.no_input": Message(
        zh="检查和评分时不能用 input()：数据都由参数传入。",
        en="input() is not available when checked or graded: all data comes as arguments.",
    ),
}

register(CATALOG)
