"""Experiments in a fresh process of their own: one BLAS thread, nothing else imported before.

``in_fresh_process("stall", …)`` runs ``python -m pdsched.engine.measure stall`` with its options
as JSON on standard input; the answer is JSON too, so a notebook, a command and a test share it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pdsched.engine import calibration, pools, stall, threads
from pdsched.engine.interference import CoreShare
from pdsched.engine.specs import PlannerSpec
from pdsched.engine.weights import ModelConfig, Weights
from pdsched.workload import Request

Options = Mapping[str, Any]


def in_fresh_process(name: str, *, timeout_s: float = 300.0, **options: Any) -> Any:
    """Run one experiment of `EXPERIMENTS` in a pinned process; returns its JSON answer.

    Raises:
        ValueError: no such experiment.
        RuntimeError: it failed; carries the last lines it wrote.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {name!r}")
    run = subprocess.run(
        [sys.executable, "-m", "pdsched.engine.measure", name],
        input=json.dumps(options),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        env={**os.environ, **dict.fromkeys(threads.VARIABLES, "1")},
    )
    if run.returncode:
        raise RuntimeError(f"{name} failed:\n" + "\n".join(run.stderr.splitlines()[-6:]))
    answer: Any = json.loads(run.stdout.splitlines()[-1])
    return answer


def run_stall(options: Options) -> dict[str, Any]:
    """Each plan ``repeats`` times, in turns, so that a slow moment hits all of them.

    With a ``grid``, its iterations are measured in the same turns and the cost model is fitted.
    """
    config = ModelConfig(**options.get("config", {}))
    scenario = stall.Scenario(**options.get("scenario", {}))
    weights = Weights.random(config, seed=scenario.seed)
    plans = {name: PlannerSpec(**spec) for name, spec in options["plans"].items()}
    grid = _grid(options["grid"]) if "grid" in options else None
    runs: dict[str, list[stall.StallRun]] = {name: [] for name in plans}
    sampled: list[list[calibration.IterationFeatures]] = []
    with CoreShare() as core:
        for _ in range(options.get("repeats", 3)):
            for name, spec in plans.items():
                runs[name].append(stall.measure(config, spec.planner(), scenario, weights=weights))
            if grid is not None:
                sampled.append(
                    calibration.sample_iterations(config, grid, seed=scenario.seed, weights=weights)
                )
    stall.middle([run for each in runs.values() for run in each])  # all agree on the token
    answer: dict[str, Any] = {
        "runs": {name: asdict(stall.middle(each)) for name, each in runs.items()},
        "threads": threads.describe(),
        "core_share": core.value,
    }
    return answer | (_fitted(sampled, options) if sampled else {})


def run_pools(options: Options) -> dict[str, Any]:
    """The same requests under each ``(split, planner)``, one after the other."""
    config = ModelConfig(**options.get("config", {}))
    requests = [Request(**request) for request in options["requests"]]
    served = {
        name: pools.serve_with_two_workers(
            requests,
            split=plan["split"],
            planner=PlannerSpec(**plan["planner"]),
            config=config,
            seed=options.get("seed", 0),
        )
        for name, plan in options["plans"].items()
    }
    tokens = {tuple(each.tokens for each in run.served) for run in served.values()}
    if len(tokens) > 1:
        raise RuntimeError("generated tokens depend on the plan: the engine is wrong")
    runs = {name: asdict(run) for name, run in served.items()}
    return {
        "runs": runs,
        "threads": "1 per process, 2 processes",
        "core_share": min((run.core_share for run in served.values()), default=1.0),
    }


def run_calibrate(options: Options) -> dict[str, Any]:
    """Measure a grid of iterations ``repeats`` times and fit the linear cost model to them."""
    config = ModelConfig(**options.get("config", {}))
    seed = options.get("seed", 0)
    with CoreShare() as core:
        sampled = [
            calibration.sample_iterations(config, _grid(options.get("grid", {})), seed=seed)
            for _ in range(options.get("repeats", 3))
        ]
    told = {"threads": threads.describe(), "core_share": core.value}
    return _fitted(sampled, options) | told


def _grid(sizes: Options) -> calibration.Grid:
    return calibration.Grid(**{key: tuple(value) for key, value in sizes.items()})


def _fitted(
    sampled: Sequence[Sequence[calibration.IterationFeatures]], options: Options
) -> dict[str, Any]:
    measured = calibration.medians(sampled)
    return {
        "cost": asdict(calibration.fit(measured, source=options.get("source", "this machine"))),
        "iterations": [asdict(each) for each in measured],
    }


EXPERIMENTS: dict[str, Callable[[Options], dict[str, Any]]] = {
    "stall": run_stall,
    "pools": run_pools,
    "calibrate": run_calibrate,
}


def main(arguments: Sequence[str]) -> int:
    """Options from standard input, answer on the last line of standard output."""
    (name,) = arguments
    print(json.dumps(EXPERIMENTS[name](json.load(sys.stdin))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
