#!/usr/bin/env python3
"""Ranks against threads, overlap on and off, and no communication at all, on one cavity.

usage: scripts/bench_ranks.py [--cells 160] [--steps 60] [--repeat 5] [--cores N] [--wabe PROGRAM]

Runs the cases in turn, over and over, because machines are shared and noisy, and prints the median
rate of each and the median of its ratios to the first case, taken round by round.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--cells", type=int, default=160)
parser.add_argument("--steps", type=int, default=60)
parser.add_argument("--repeat", type=int, default=5)
parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
parser.add_argument("--wabe", default=os.path.join(root, "build/release/wabe"))
options = parser.parse_args()

n = options.cores
cases = [
    ("1 rank, %d threads" % n, 1, n, {}),
    ("%d ranks, overlap on" % n, n, 1, {}),
    ("%d ranks, overlap off" % n, n, 1, {"parallel.overlap": "false"}),
    ("%d ranks, no communication" % n, n, 1, {"parallel.communication": '"none"'}),
]


def rate(ranks, threads, settings, folder):
    """Returns the MLUPS of one run without output."""
    values = {
        "steps": options.steps,
        "domain.cells": "[%d, %d, %d]" % (3 * (options.cells,)),
        "output.directory": '"%s"' % folder,
        "output.fields": "false",
        "output.picture": '"none"',
        "output.every": 0,
        "output.profiles": "false",
        "monitor.every": 1000000,
        "parallel.threads": threads,
        **settings,
    }
    command = ["mpirun", "-q", "-np", str(ranks), "--bind-to", "core" if ranks > 1 else "none"]
    command += [options.wabe, "run", os.path.join(root, "input/cavity.cfg"), "--quiet"]
    for key, value in values.items():
        command += ["--set", "%s=%s" % (key, value)]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                       OMP_PROC_BIND="true")
    subprocess.run(command, check=True, env=environment)
    with open(os.path.join(folder, "results.json")) as file:
        return json.load(file)["mlups"]


rates = [[] for _ in cases]
with tempfile.TemporaryDirectory() as folder:
    for _ in range(options.repeat):
        for place, (_, ranks, threads, settings) in enumerate(cases):
            rates[place].append(rate(ranks, threads, settings, folder))

print("cavity %d^3, %d steps, medians of %d rounds" % (options.cells, options.steps, options.repeat))
print("%-28s %9s %14s" % ("case", "MLUPS", "of the first"))
for (name, *_), values in zip(cases, rates):
    ratio = statistics.median(value / first for value, first in zip(values, rates[0]))
    print("%-28s %9.1f %14.3f" % (name, statistics.median(values), ratio))
