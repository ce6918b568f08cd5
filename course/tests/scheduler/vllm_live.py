"""Step vLLM's own V1 scheduler without a model and write down its plans.

Reproduces the recordings in ``vllm_v1_plans.jsonl`` and records fresh ones; needs vLLM 0.32 (its
scheduler is internal and moves between versions). No weights and no network are used.
"""

from __future__ import annotations

import os
import random
import tempfile
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

import torch
from transformers import LlamaConfig
from vllm.config import CacheConfig, DeviceConfig, ModelConfig, SchedulerConfig, VllmConfig
from vllm.sampling_params import SamplingParams
from vllm.v1.core.sched.scheduler import Scheduler
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec
from vllm.v1.outputs import ModelRunnerOutput
from vllm.v1.request import Request
from vllm.v1.structured_output import StructuredOutputManager

MAX_MODEL_LEN = 32768
MAX_STEPS = 1500
Scenario = dict[str, Any]


def tiny_model() -> Any:
    """A model configuration for the scheduler to look at; nothing is ever loaded."""
    config = LlamaConfig(
        num_hidden_layers=1, hidden_size=64, intermediate_size=64, num_attention_heads=4,
        num_key_value_heads=4, vocab_size=128, max_position_embeddings=MAX_MODEL_LEN,
    )  # fmt: skip
    config.architectures = ["LlamaForCausalLM"]
    folder = tempfile.mkdtemp(prefix="tiny-llama-")
    config.save_pretrained(folder)
    return ModelConfig(
        model=folder, skip_tokenizer_init=True, dtype="float32", max_model_len=MAX_MODEL_LEN
    )


def scheduler_for(model: Any, scenario: Scenario) -> Any:
    """vLLM's scheduler with the settings of one scenario."""
    settings = SchedulerConfig(
        max_num_batched_tokens=scenario["max_num_batched_tokens"],
        max_num_seqs=scenario["max_num_seqs"],
        max_model_len=MAX_MODEL_LEN,
        enable_chunked_prefill=True,
        long_prefill_token_threshold=scenario["long_prefill_token_threshold"],
        is_encoder_decoder=False,
        async_scheduling=False,
    )
    # Set afterwards: without chunking vLLM refuses budgets below the longest possible prompt.
    settings.enable_chunked_prefill = scenario["enable_chunked_prefill"]
    block_size, blocks = scenario["block_size"], scenario["num_kv_blocks"]
    cache = CacheConfig(block_size=block_size, enable_prefix_caching=False)
    cache.num_gpu_blocks = blocks
    config = VllmConfig(
        model_config=model,
        scheduler_config=settings,
        cache_config=cache,
        device_config=DeviceConfig("cpu"),
    )
    spec = FullAttentionSpec(
        block_size=block_size, num_kv_heads=1, head_size=1, dtype=torch.float32
    )
    groups = [KVCacheGroupSpec(["layer"], spec)]
    kv_config = KVCacheConfig(num_blocks=blocks, kv_cache_tensors=[], kv_cache_groups=groups)
    return Scheduler(config, kv_config, StructuredOutputManager(config), block_size=block_size)


def record(model: Any, scenario: Scenario) -> list[dict[str, int]] | None:
    """One ``{request_id: tokens}`` per step, or ``None`` for a scenario that does not end."""
    scheduler = scheduler_for(model, scenario)
    requests: dict[str, Any] = {}
    plan: list[dict[str, int]] = []
    last_arrival = max(map(int, scenario["arrivals"]))
    while len(plan) <= last_arrival or scheduler.has_unfinished_requests():
        if len(plan) > MAX_STEPS:
            return None
        for request_id, prompt, output in scenario["arrivals"].get(str(len(plan)), ()):
            sampling = SamplingParams(max_tokens=output, ignore_eos=True)
            requests[request_id] = Request(request_id, [1] * prompt, sampling, None)
            scheduler.add_request(requests[request_id])
        scheduled = scheduler.schedule()
        plan.append(dict(scheduled.num_scheduled_tokens))
        ids = list(scheduled.num_scheduled_tokens)
        # A request samples in the step that computes its last known token.
        sampled = [
            [7] if requests[i].num_computed_tokens >= requests[i].num_tokens else [] for i in ids
        ]
        indices = {request_id: index for index, request_id in enumerate(ids)}
        scheduler.update_from_output(
            scheduled,
            ModelRunnerOutput(req_ids=ids, req_id_to_index=indices, sampled_token_ids=sampled),
        )
    return plan


def random_scenario(rng: random.Random) -> Scenario:
    """Settings and arrivals with many boundaries: block edges, tiny budgets, few blocks."""
    budget = rng.choice([1, 2, 7, 16, 32, 64, 100, 128, 256, 512, 1000, 2048])
    chunked = rng.random() < 0.8
    lengths = rng.choice([[1, 15, 16, 17, 31, 32, 33], [1, 60, 100, 300], [5, 700, 2000]])
    outputs = rng.choice([[1, 2, 9], [20, 40], [1, 3, 100]])
    arrivals: dict[str, list[list[Any]]] = {}
    step = longest = 0
    for number in range(rng.randint(1, 14)):
        step += rng.choice([0, 0, 0, 1, 2, 5, 9])
        prompt = rng.choice(lengths)
        prompt, output = prompt if chunked else min(prompt, budget), rng.choice(outputs)
        longest = max(longest, prompt + output)
        arrivals.setdefault(str(step), []).append([f"r{number}", prompt, output])
    needed = (longest + 15) // 16 + 2
    return {
        "max_num_batched_tokens": budget,
        "max_num_seqs": min(budget, rng.choice([1, 2, 3, 4, 8, 16, 64])),
        "enable_chunked_prefill": chunked,
        "long_prefill_token_threshold": rng.choice([0, 0, 1, 3, 16, 20, 64, 100, 512]),
        "num_kv_blocks": rng.choice([2000, rng.randint(needed, 3 * needed + 2)]),
        "block_size": 16,
        "arrivals": arrivals,
    }
