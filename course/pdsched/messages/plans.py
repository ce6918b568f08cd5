"""What ``pdsched plans`` prints."""

from pdsched.messages import Message, register

CATALOG = {
    "plans.summary": Message(
        zh="{identical}/{total} 个场景完全一致（{identical}/{total} scenarios identical）",
        en="{identical}/{total} scenarios identical",
    ),
    "plans.differs": Message(
        zh="{name}：第 {step} 步首次不同\n  记录：{recorded}\n  我们：{ours}",
        en="{name}: first differs at step {step}\n  recorded: {recorded}\n  ours:     {ours}",
    ),
    "plans.not_replayed": Message(
        zh="{name}：无法重放：{reason}", en="{name}: cannot be replayed: {reason}"
    ),
    "plans.empty": Message(zh="{path} 里没有场景", en="{path} holds no scenario"),
    "plans.unreadable": Message(zh="无法读取 {path}：{error}", en="cannot read {path}: {error}"),
}

register(CATALOG)
