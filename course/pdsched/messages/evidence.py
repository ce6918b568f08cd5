"""What an evidence table calls its level."""

from pdsched.messages import Message, register

CATALOG = {
    "evidence.simulated": Message(
        zh="证据等级：模拟（不是实测）", en="evidence level: simulated (not measured)"
    ),
    "evidence.measured": Message(zh="证据等级：实测", en="evidence level: measured"),
    "evidence.published": Message(zh="证据等级：引用", en="evidence level: published"),
}
register(CATALOG)
