#!/usr/bin/env python3
"""tests/validation/cylinder.py OUT_DIR: largest drag and lift coefficients and Strouhal number of a run of
input/cylinder.cfg, beside the intervals that the benchmark gives."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import numpy
import wabe

# M. Schaefer, S. Turek et al., Benchmark computations of laminar flow around a cylinder, Notes on Numerical Fluid Mechanics 52
# (1996) 547, case 2D-2.
INTERVALS = {"largest drag coefficient": (3.22, 3.24), "largest lift coefficient": (0.99, 1.01),
             "Strouhal number": (0.295, 0.305)}


def main():
    run = wabe.Run(sys.argv[1])
    body = run.config["forces"]["bodies"][0]
    lines = run.table("forces.csv")
    late = lines["step"] >= run.config["forces"]["begin"]
    step = lines["step"][late]
    scale = 2 / (body["velocity"] ** 2 * body["area"])
    drag, lift = (scale * lines[f"{body['name']}_{name}"][late] for name in ("fx", "fy"))
    up = numpy.flatnonzero((lift[:-1] < lift.mean()) & (lift[1:] >= lift.mean()))
    if len(up) < 2:
        sys.exit("cylinder.py: the lift does not oscillate yet: take more steps, or begin forces later")
    share = (lift.mean() - lift[up]) / (lift[up + 1] - lift[up])
    times = step[up] + share * (step[up + 1] - step[up])
    period = (times[-1] - times[0]) / (len(times) - 1)
    diameter = 2 * run.config["geometry"]["objects"][0]["radius"]
    found = {"largest drag coefficient": drag.max(), "largest lift coefficient": lift.max(),
             "Strouhal number": diameter / (period * body["velocity"])}
    for name, value in found.items():
        low, high = INTERVALS[name]
        print(f"{name}: {value:.4f}, in the benchmark {low} to {high}")


main()
