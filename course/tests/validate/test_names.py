"""What other tools call models, systems and precisions."""

import pytest

from pdsched.hardware import GPUS, MODELS
from pdsched.validate import gpu_preset, model_preset, precision_preset

pytestmark = pytest.mark.core


@pytest.mark.parametrize(
    ("name", "preset"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b"),
        ("meta-llama/Meta-Llama-3.1-70B", "llama-3.1-70b"),
        ("LLAMA3.1_8B", "llama-3.1-8b"),
        ("LLAMA3.1_405B", "llama-3.1-405b"),
        ("llama3-70b", "llama-3.1-70b"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama-3.1-70b"),
        ("meta-llama/Llama-2-7b-hf", "llama-2-7b"),
        ("LLAMA2_13B", "llama-2-13b"),
        ("nvidia/Llama-3.1-70B-Instruct-FP8", "llama-3.1-70b"),
        ("QWEN3_32B", "qwen3-32b"),
        ("QWEN3_0.6B", "qwen3-0.6b"),
        ("Qwen/Qwen3-32B-FP8", "qwen3-32b"),
        ("Qwen/Qwen2.5-7B-Instruct", "qwen2.5-7b"),
        ("Qwen/Qwen2-72B", "qwen2.5-72b"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-8B", "llama-3.1-8b"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-32B", "qwen2.5-32b"),
        ("mistralai/Mistral-7B-v0.1", "mistral-7b"),
        ("facebook/opt-13b", "opt-13b"),
        ("01-ai/Yi-34B", "yi-34b"),
        # other architectures must not pass as a dense model of the same family
        ("Qwen/Qwen3-30B-A3B", None),
        ("QWEN3_235B", None),
        ("mistralai/Mixtral-8x7B-v0.1", None),
        ("MOE_Mixtral8x7B", None),
        ("Qwen/Qwen3-VL-8B-Instruct", None),
        ("DEEPSEEK_V3", None),
        ("nvidia/Llama-3_3-Nemotron-Super-49B-v1", None),
        ("", None),
    ],
)
def test_model_names(name, preset):
    assert model_preset(name) == preset


@pytest.mark.parametrize("name", MODELS)
def test_every_model_preset_is_its_own_name(name):
    assert model_preset(name) == name
    assert model_preset(name.upper().replace("-", "_")) == name


@pytest.mark.parametrize(
    ("system", "preset"),
    [
        ("h100_sxm", "h100"),
        ("h200_sxm", "h200"),
        ("a100_sxm", "a100"),
        ("b200_sxm", "b200"),
        ("gb200", "gb200"),
        ("l40s", "l40s"),
        ("L40S", "l40s"),
        ("h100_pcie", "h100-pcie"),
        ("a100_pcie", "a100-pcie"),
        ("NVIDIA H100 80GB HBM3", "h100"),
        ("NVIDIA A100-SXM4-80GB", "a100"),
        ("NVIDIA A100-SXM4-40GB", "a100-40g"),
        ("Tesla T4", "t4"),
        ("H20", "h20"),
        ("mi300x", None),
        ("", None),
    ],
)
def test_system_names(system, preset):
    assert gpu_preset(system) == preset


@pytest.mark.parametrize("name", GPUS)
def test_every_gpu_preset_is_its_own_name(name):
    assert gpu_preset(name) == name


@pytest.mark.parametrize(
    ("precision", "model", "preset"),
    [
        ("", "LLAMA3.1_8B", "bf16"),
        ("BF16", "", "bf16"),
        ("float16", "", "bf16"),
        ("fp8", "", "fp8"),
        ("FP8", "", "fp8"),
        ("fp8_block", "", "fp8"),
        ("", "Qwen/Qwen3-32B-FP8", "fp8"),
        ("bf16", "Qwen/Qwen3-32B-FP8", "bf16"),
        ("nvfp4", "", None),
        ("", "nvidia/Qwen3-32B-NVFP4", None),
        ("int4_wo", "", None),
    ],
)
def test_precisions(precision, model, preset):
    assert precision_preset(precision, model) == preset
