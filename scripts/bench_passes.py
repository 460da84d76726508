#!/usr/bin/env python3
"""Several steps while planes are in the cache of CPUs, beside one step at a time: rates of cavities in one process.

    scripts/bench_passes.py [--cells 160,256] [--storage f64,f32] [--steps-per-pass 1,2,4,6,0] [--rounds 5]

The numbers of steps take turns, since machines are noisy. Printed are medians: million cell updates per second, and
the ratio to the first of the round. 0: the number that a run chooses by itself.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
UPDATES = 3e8  # of a run

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--cells", default="160,256", metavar="N,N,...")
parser.add_argument("--storage", default="f64,f32")
parser.add_argument("--steps-per-pass", default="1,2,4,6,0", metavar="K,K,...")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()


def run(n, storage, steps_per_pass, folder):
    """Returns million cell updates per second, and the steps of a pass."""
    values = {"steps": max(24, int(UPDATES / n**3) // 24 * 24), "domain.cells": "[%d,%d,%d]" % (n, n, n),
              "lbm.collision": "trt", "lbm.streaming": "in_place", "lbm.storage": storage,
              "parallel.steps_per_pass": steps_per_pass, "output.directory": '"%s"' % folder, "output.fields": "false",
              "output.picture": "none", "output.every": 0, "output.profiles": "false", "monitor.every": 1000000}
    command = [options.wabe, "run", os.path.join(ROOT, "input/cavity.cfg"), "--quiet"]
    for key, value in values.items():
        command += ["--set", "%s=%s" % (key, value)]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_PROC_BIND="true")
    subprocess.run(command, check=True, env=environment)
    with open(os.path.join(folder, "results.json")) as file:
        results = json.load(file)
    return results["mlups"], results["steps_per_pass"]


def measure(n, storage, folder):
    asked = options.steps_per_pass.split(",")
    rates, taken = [[] for _ in asked], {}
    for _ in range(options.rounds):
        for rate, steps in zip(rates, asked):
            found, taken[steps] = run(n, storage, steps, folder)
            rate.append(found)
    for rate, steps in zip(rates, asked):
        ratio = statistics.median(mine / first for mine, first in zip(rate, rates[0]))
        print("%4d^3 %s  %2d steps a pass%s %8.1f %6.2f" % (n, storage, taken[steps], " (chosen)" if steps == "0" else "         ",
                                                       statistics.median(rate), ratio), flush=True)


with tempfile.TemporaryDirectory() as temporary:
    for cells in map(int, options.cells.split(",")):
        for kind in options.storage.split(","):
            measure(cells, kind, temporary)
