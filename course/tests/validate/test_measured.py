"""The closed loop against measured serving runs, by simulation."""

from pathlib import Path

import pytest

from pdsched.validate import (
    MeasuredRun,
    grouped_errors,
    overall_error,
    read_measured,
    simulate_run,
)

H100 = Path(__file__).parents[1] / "data" / "llama31_8b_h100_trtllm.csv"
HEADER = (
    "model_path,system,backend,precision,isl,osl,concurrency,tp_size,"
    "silicon_ttft_ms,silicon_tpot_ms\n"
)


@pytest.fixture(scope="module")
def h100_groups():
    runs = read_measured(H100).runs
    return grouped_errors(runs, [simulate_run(run) for run in runs])


def test_42_single_gpu_points_within_three_percent(h100_groups):
    (single,) = [group for group in h100_groups if group.tensor_parallel == 1]
    assert single.rows == 42
    assert single.tpot_error <= 0.03
    assert abs(single.tpot_bias) <= 0.02


def test_all_177_points_within_ten_percent(h100_groups):
    rows, error, bias = overall_error(h100_groups)
    assert rows == 177
    assert error <= 0.10
    assert abs(bias) <= 0.05
    assert all(group.tpot_error <= 0.10 for group in h100_groups)


def test_rows_no_preset_matches_are_named_and_counted(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(
        HEADER
        + "LLAMA3.1_8B,h200_sxm,trtllm,fp8,1024,128,8,1,100,5\n"
        + "QWEN3_32B,l40s,vllm,,1024,128,8.0,4,100,5\n"
        + "DEEPSEEK_V3,h200_sxm,trtllm,fp8,1024,128,8,8,100,5\n"
        + "DEEPSEEK_V3,h100_sxm,trtllm,fp8,1024,128,8,8,100,5\n"
        + "LLAMA3.1_8B,mi300x,vllm,,1024,128,8,1,100,5\n"
        + "LLAMA3.1_8B,b200_sxm,trtllm,nvfp4,1024,128,8,1,100,5\n"
        + "LLAMA3.1_8B,b200_sxm,trtllm,,1024,128,eight,1,100,5\n"
        + "LLAMA3.1_8B,b200_sxm,trtllm,,1024,1,8,1,100,0\n",
        encoding="utf-8",
    )
    found = read_measured(path)
    assert found.runs == (
        MeasuredRun("llama-3.1-8b", "h200", "fp8", 1, 1024, 128, 8, 5.0, 100.0),
        MeasuredRun("qwen3-32b", "l40s", "bf16", 4, 1024, 128, 8, 5.0, 100.0),
    )
    assert found.skipped == {
        "no preset for model 'DEEPSEEK_V3'": 2,
        "no preset for system 'mi300x'": 1,
        "no preset for precision 'nvfp4'": 1,
        "a length, degree or time is not a number": 1,
        "a length, degree or time is out of range": 1,
    }


def test_a_file_without_the_columns_is_refused(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"missing column system, .*silicon_tpot_ms"):
        read_measured(path)


def test_errors_are_grouped_with_their_sign():
    run = MeasuredRun("llama-3.1-8b", "h100", "bf16", 1, 1024, 128, 8, 10.0, 100.0)
    (group,) = grouped_errors([run, run], [(11.0, 150.0), (9.5, 80.0)])
    assert group.rows == 2
    assert group.tpot_error == pytest.approx(0.075)
    assert group.tpot_bias == pytest.approx(0.025)


@pytest.mark.parametrize("precision", ["bf16", "fp8"])
def test_a_single_stream_is_the_decode_step(precision):
    run = MeasuredRun("llama-3.1-8b", "h200", precision, 1, 128, 512, 1, 5.0, 100.0)
    tpot_ms, ttft_ms = simulate_run(run)
    # 16 GB of weights (8 in FP8) at 4.8 TB/s take 3.3 ms (1.9) before any efficiency.
    lower = 3.3 if precision == "bf16" else 1.9
    assert lower < tpot_ms < 2 * lower + 1
    assert tpot_ms < ttft_ms < 100


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("llama-3.1-8b,h100,bf16,100,1e15,2,1,5,5", "out of range"),
        ("llama-3.1-8b,h100,bf16,100,10,1000000000,1,5,5", "out of range"),
        ("llama-3.1-8b,h100,bf16,100,10,2,1,-5,5", "out of range"),
        ("llama-3.1-8b,h100,bf16,100,10,2,1,inf,5", "out of range"),
        ("llama-3.1-8b,h100,bf16,100,10,2,1,5,1e-300", "out of range"),
        ("llama-3.1-8b,h100,bf16,inf,10,2,1,5,5", "not a number"),
        ("llama-3.1-405b,h100,bf16,100,10,2,1,5,5", "does not fit"),
    ],
)
def test_a_row_that_cannot_have_been_measured_is_skipped_by_name(tmp_path, row, words):
    path = tmp_path / "rows.csv"
    header = "model,system,precision,isl,osl,concurrency,tp_size,ttft,tpot"
    path.write_text(f"{header}\n{row}\n", encoding="utf-8")
    found = read_measured(path)
    assert not found.runs
    assert words in next(iter(found.skipped))
