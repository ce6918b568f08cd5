"""Timings need one BLAS thread; when that came too late the reader is told."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("numpy", reason="the engine needs the extra `labs`")


def in_fresh_process(code):
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_NUM_THREADS")}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def test_importing_the_engine_first_pins_one_thread():
    assert (
        in_fresh_process(
            "import pdsched.engine, os; from pdsched.engine import threads;"
            "print(threads.describe(), os.environ['OMP_NUM_THREADS'])"
        )
        == "1 1"
    )


def test_importing_numpy_first_is_told():
    said = in_fresh_process(
        "import numpy; import pdsched.engine; from pdsched.engine import threads;"
        "print(threads.describe())"
    )
    assert said.startswith("unpinned (NumPy was imported first")
