#!/usr/bin/env python3
"""Holds the performance model against this machine: calibrates it, runs cavities on it, and prints what was
predicted for a step beside what was measured.

    scripts/bench_model.py [--rounds 3] [--machine FILE] [--gpus 0,1,2,4] [--quick] [--output FILE.csv]

Without a --machine FILE, wabe calibrate is run first. Each case runs once a round, rounds take turns, medians
count. Cases are on one process of all cores, on two processes, and on twice as many processes as cores; with
--gpus on so many GPUs, one process each, in one process of all of them, and in one with the processors. Grids
of two processes or GPUs are compared: is the one foretold to be fastest so? spread: of the rounds, fastest to
slowest; memory: the copy of the run, of the one when the machine was measured.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CELLS_OF_A_RUN = {"cpu": 1.5e8, "gpu": 1.5e10}  # cells times steps

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--machine", metavar="FILE")
parser.add_argument("--gpus", default="0", help="numbers of GPUs; 0: processors")
parser.add_argument("--quick", action="store_true", help="small sizes only")
parser.add_argument("--output", metavar="FILE.csv")
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()
cores = len(os.sched_getaffinity(0))
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0")


def case(name, processes, cells, grid=None, **settings):
    return {"name": name, "processes": processes, "cells": cells, "grid": grid or (1, 1, processes),
            "settings": settings}


def keys(storage, streaming, overlap=True, **more):
    return {"lbm.storage": storage, "lbm.streaming": streaming, "parallel.overlap": str(overlap).lower(), **more}


def cpu_cases():
    for n in (32, 64) if options.quick else (32, 64, 128):
        for storage in ("f64", "f32"):
            for streaming in ("pull", "in_place"):
                flavour = "%s %s" % (storage, streaming)
                yield case("%d^3 %s, 1 x %d" % (n, flavour, cores), 1, n,
                           **keys(storage, streaming, **{"parallel.threads": cores}))
                for overlap in (True, False):
                    yield case("%d^3 %s, %d x 1%s" % (n, flavour, cores, "" if overlap else ", no overlap"), cores, n,
                               **keys(storage, streaming, overlap, **{"parallel.threads": 1}))
            yield case("%d^3 %s in_place, %d x 1" % (n, storage, 2 * cores), 2 * cores, n,
                       **keys(storage, "in_place", **{"parallel.threads": 1}))


def cut_cases(sizes, **more):
    for n in sizes[:1] if options.quick else sizes:
        for storage in ("f64", "f32"):
            for grid in ((1, 1, 2), (1, 2, 1), (2, 1, 1)):
                yield case("%d^3 %s in_place, %d x %d x %d" % (n, storage, *grid), 2, n, grid,
                           **keys(storage, "in_place", **more))


def mixed_cases():
    for n in (64,) if options.quick else (128, 256, 384):
        for storage in ("f64", "f32"):
            yield case("%d^3 %s in_place, GPU and processors" % (n, storage), 1, n,
                       **keys(storage, "in_place", **{"parallel.mode": '"heterogeneous"', "parallel.balance": '"model"'}))


def gpu_cases(gpus):
    for n in (64, 128) if options.quick else (64, 128, 256):
        for storage in ("f64", "f32"):
            for streaming in ("pull", "in_place"):
                flavour = "%s %s" % (storage, streaming)
                yield case("%d^3 %s, %d GPU(s)" % (n, flavour, gpus), gpus, n, **keys(storage, streaming))
                if gpus > 1:
                    yield case("%d^3 %s, %d GPUs, no overlap" % (n, flavour, gpus), gpus, n,
                               **keys(storage, streaming, False))
                    yield case("%d^3 %s, %d GPUs, host" % (n, flavour, gpus), gpus, n,
                               **keys(storage, streaming, **{"parallel.transport": '"host"'}))
                    yield case("%d^3 %s, %d GPUs, hybrid" % (n, flavour, gpus), 1, n,
                               **keys(storage, streaming, **{"parallel.mode": '"hybrid"'}))


def run(case, kind, machine, folder):
    """Runs a case; returns predicted and measured milliseconds by quantity."""
    n = case["cells"]
    values = {"steps": max(20, int(CELLS_OF_A_RUN[kind] / n**3)), "domain.cells": "[%d,%d,%d]" % (n, n, n),
              "output.directory": '"%s"' % folder, "output.fields": "false", "output.picture": '"none"',
              "output.every": 0, "output.profiles": "false", "monitor.every": 100000000,
              "parallel.processes": "[%d,%d,%d]" % case["grid"], **case["settings"]}
    values["steps"] = min(values["steps"], 20000)
    visible = dict(environment, CUDA_VISIBLE_DEVICES=",".join(map(str, range(case["gpus"])))) if kind == "gpu" else (
        environment)
    command = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", str(case["processes"]), options.wabe,
               "run", os.path.join(ROOT, "input/cavity.cfg"), "--quiet", "--machine", machine]
    for key, value in values.items():
        command += ["--set", "%s=%s" % (key, value)]
    subprocess.run(command, check=True, env=visible, stderr=subprocess.DEVNULL)
    with open(os.path.join(folder, "timing.json")) as file:
        timing = json.load(file)
    rows = timing["model"]
    print(case["name"], rows[0]["predicted_ms"], rows[0]["measured_ms"], file=sys.stderr, flush=True)
    found = {"%s %s" % (row["of"], row["what"]): (row["predicted_ms"], row["measured_ms"]) for row in rows}
    return {**found, "memory": timing["copy_of_machine"]}


def communication(rows):
    """Returns the predicted and measured time of the CPUs' exchange, or None."""
    return next((value for name, value in rows.items() if name.endswith("exchange")), None)


def print_cuts(cases, rows):
    """Prints, for each domain on two processes, the grid predicted to be the fastest and the one that was."""
    domains = {}
    for (kind, c), row in zip(cases, rows):
        if c["grid"] in ((1, 1, 2), (1, 2, 1), (2, 1, 1)) and row[0].endswith("%d x %d x %d" % c["grid"]):
            domains.setdefault((kind, row[0].split(",")[0]), {})[c["grid"]] = row
    for (kind, name), grids in domains.items():
        foretold = min(grids, key=lambda grid: grids[grid][1])
        fastest = min(grids, key=lambda grid: grids[grid][2])
        print("%s on two %s: foretold %d x %d x %d, fastest %d x %d x %d, %.1f %% slower" % (
            name, "GPUs" if kind == "gpu" else "processes", *foretold, *fastest,
            100 * (grids[foretold][2] / grids[fastest][2] - 1)))


def main():
    cases = []
    counts = list(map(int, options.gpus.split(",")))
    for gpus in counts:
        cases += [("gpu", {**c, "gpus": gpus}) for c in gpu_cases(gpus)] if gpus else [("cpu", c) for c in cpu_cases()]
        if gpus == 1:
            cases += [("gpu", {**c, "gpus": 1}) for c in mixed_cases()]
        if gpus == 2:
            cases += [("gpu", {**c, "gpus": 2}) for c in cut_cases((128, 256))]
    if 0 in counts:
        cases += [("cpu", c) for c in cut_cases((48, 96), **{"parallel.threads": 1})]
    with tempfile.TemporaryDirectory() as folder:
        machine = options.machine or os.path.join(folder, "machine.cfg")
        if not options.machine:
            subprocess.run([options.wabe, "calibrate", "--output", machine], check=True, env=environment)
        results = [[] for _ in cases]
        for turn in range(options.rounds):
            for place, (kind, c) in enumerate(cases):
                results[place].append(run(c, kind, machine, os.path.join(folder, "run")))
    rows = []
    for (kind, c), found in zip(cases, results):
        predicted = found[0]["all step"][0]
        measured = statistics.median(r["all step"][1] for r in found)
        spread = max(r["all step"][1] for r in found) / min(r["all step"][1] for r in found) - 1
        exchange = communication(found[0])
        if exchange and exchange[0] > 0:
            exchange = (exchange[0], statistics.median(communication(r)[1] for r in found))
        memory = statistics.median(r["memory"] for r in found)
        rows.append((c["name"], predicted, measured, predicted / measured - 1, spread, exchange, memory))
    print("%-44s %10s %10s %9s %8s %7s %10s %10s" % ("case, ms a step", "predicted", "measured", "deviation", "spread",
                                                     "memory", "exchange", "measured"))
    for name, predicted, measured, deviation, spread, exchange, memory in rows:
        print("%-44s %10.4f %10.4f %+8.1f%% %7.0f%% %7.2f" % (name, predicted, measured, 100 * deviation,
                                                              100 * spread, memory) +
              (" %10.4f %10.4f" % exchange if exchange else ""))
    sizes = sorted(abs(row[3]) for row in rows)
    print("steps: median deviation %.1f %%, largest %.1f %%, %d of %d within 5 %%" % (
        100 * statistics.median(sizes), 100 * sizes[-1], sum(size <= 0.05 for size in sizes), len(sizes)))
    print_cuts(cases, rows)
    if options.output:
        with open(options.output, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["case", "predicted_ms", "measured_ms", "exchange_predicted_ms", "exchange_measured_ms"])
            writer.writerows((r[0], r[1], r[2], *(r[5] or ("", ""))) for r in rows)


if __name__ == "__main__":
    sys.exit(main())
