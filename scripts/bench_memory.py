#!/usr/bin/env python3
"""The memory that wabe check forecasts, beside the peak of the run.

    scripts/bench_memory.py [--cells 160] [--directory DIR] [--wabe WABE]

Flows, diffusion and a dendrite, of three steps each, with each kind of output. The peak is peak_memory in results.json:
VmHWM, the most that the system has counted for each process, libraries included. Prints a table in Markdown.
"""
import argparse
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--cells", type=int, default=160, help="edge of the domain")
parser.add_argument("--directory", default="out/bench_memory")
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0")

CAVITY, SPHERE = "cavity", "sphere"
QUIET = ["output.fields=false"]
CHECKPOINT = QUIET + ["checkpoint.every=3"]


def fields(quantities, *more):
    return ['output.quantities="%s"' % quantities, *more]


CASES = [  # what, input, processes, settings
    ("state alone, in place", CAVITY, 1, QUIET + ['lbm.streaming="in_place"']),
    ("the same, two processes", CAVITY, 2, QUIET + ['lbm.streaming="in_place"']),
    ("pull", CAVITY, 1, QUIET + ['lbm.streaming="pull"']),
    ("list", CAVITY, 1, QUIET + ['lbm.streaming="list"']),
    ("moments", CAVITY, 1, QUIET + ['lbm.streaming="moments"', 'lbm.collision="regularized"']),
    ("density, velocity", CAVITY, 1, fields("density, velocity")),
    ("the same, f64, two processes", CAVITY, 2, fields("density, velocity", 'output.precision="f64"')),
    ("stride 2, compressed", CAVITY, 1, fields("velocity", "output.stride=2", "output.compress=true")),
    ("vorticity, q_criterion, wall_stress", CAVITY, 1, fields("vorticity, q_criterion, wall_stress")),
    ("the same, two processes", CAVITY, 2, fields("vorticity, q_criterion, wall_stress")),
    ("means", CAVITY, 1, fields("mean_velocity, reynolds_stress", "output.average.every=1")),
    ("mean profiles", CAVITY, 1, QUIET + ['output.mean_profiles="z"', "output.average.every=1"]),
    ("checkpoint", CAVITY, 1, CHECKPOINT),
    ("the same, two processes", CAVITY, 2, CHECKPOINT),
    ("checkpoint, compressed", CAVITY, 1, CHECKPOINT + ["checkpoint.compress=true"]),
    ("sphere with forces, picture", SPHERE, 1, QUIET + ["forces.begin=0"]),
    ("scalar", "heated_cavity", 1, QUIET),
    ("diffusion", "diffusion", 1, QUIET),
    ("dendrite", "dendrite", 1, QUIET),
]


def wabe(ranks, *arguments):
    command = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), options.wabe, *arguments]
    return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


def row(what, case, ranks, settings):
    settings = ["steps=3", "output.every=0", "domain.cells=[%d, %d, %d]" % ((options.cells,) * 3),
                "output.directory=" + options.directory, *settings]
    arguments = [os.path.join(ROOT, "input", case + ".cfg")]
    for setting in settings:
        arguments += ["--set", setting]
    said = float(re.search(r"^memory +([0-9.]+) MB", wabe(ranks, "check", *arguments), re.MULTILINE)[1])
    wabe(ranks, "run", *arguments, "--quiet", "--overwrite")
    with open(os.path.join(options.directory, "results.json"), encoding="utf-8") as file:
        took = 1e-6 * json.load(file)["peak_memory"]
    print("| %s | %d | %.0f | %.0f | %+.1f %% |" % (what, ranks, said, took, 100 * (said / took - 1)), flush=True)


print("| | processes | forecast, MB | peak, MB | off |\n| --- | --- | --- | --- | --- |")
try:
    for each in CASES:
        row(*each)
except subprocess.CalledProcessError as error:
    sys.exit("bench_memory.py: %s: exit code %d" % (" ".join(error.cmd), error.returncode))
