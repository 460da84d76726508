#!/usr/bin/env python3
"""How well diffusion and Himeno's benchmark hide their exchange: steps with overlap, without, and without any
exchange, on processors or GPUs (Kato et al., figures 3 to 6; Shimokawabe, Aoki, Onodera, figures 7 and 8).

    scripts/bench_grids.py [--gpus 2,4] [--rounds 3] [--quick] [--only NAME] [--output FILE.csv]

--gpus: a process for each GPU; without it two processes on processors. Domains are cut along z. Each case runs once
a round, rounds take turns, medians count. Printed: ms a step; exchange: what it takes without overlap, of the step
without exchange; hidden: the part of it that overlap hides, (no overlap - overlap) / (no overlap - none), where it is above a tenth; of limit:
with overlap, of what a copy in the same run allows. scripts/plot_grids.py draws FILE.csv.
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
BYTES_OF_A_RUN = {"cpu": 4e10, "gpu": 2e12}  # that a run's steps move
STEPS_MAX = 5000

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--gpus", help="numbers of GPUs, such as 2,4")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--quick", action="store_true", help="small sizes only")
parser.add_argument("--only", default="", metavar="NAME", help="cases whose name contains it")
parser.add_argument("--output", metavar="FILE.csv")
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0")

HIMENO = {"S": 62 * 62 * 126, "M": 126 * 126 * 254, "L": 254 * 254 * 510,
          "1025x513x513": 510 * 510 * 1022}
WAYS = {"overlap": {}, "no overlap": {"parallel.overlap": "false"}, "none": {"parallel.communication": '"none"'}}


def cases():
    """Name, input file, settings, cells, bytes per cell."""
    sizes = ["S", "M"] if options.quick else ["M", "L", "1025x513x513"]
    edges = [128] if options.quick else [256, 384, 512]
    if not options.gpus:
        sizes, edges = (["S"], [64]) if options.quick else (["S", "M"], [128, 256])
    for size in sizes:
        yield "himeno " + size, "himeno_m.cfg", {"himeno.size": '"%s"' % size}, HIMENO[size], 56
    for n in edges:
        yield "diffusion f32 %d^3" % n, "diffusion_512.cfg", {"domain.cells": "[%d,%d,%d]" % (n, n, n)}, n**3, 8


def run(case, processes, transport, way, folder):
    """Seconds of a step, and its rate of what a copy allows."""
    name, file, settings, cells, size = case
    kind = "gpu" if options.gpus else "cpu"
    values = {"steps": max(20, min(STEPS_MAX, int(BYTES_OF_A_RUN[kind] / cells / size))), "output.fields": "false",
              "output.picture": '"none"', "monitor.every": 1000000000, "output.directory": '"%s"' % folder,
              "parallel.processes": "[1,1,%d]" % processes, **settings, **WAYS[way]}
    if transport:
        values["parallel.transport"] = '"%s"' % transport
    command = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", str(processes), options.wabe, "run",
               os.path.join(ROOT, "input", file), "--quiet"]
    for key, value in values.items():
        command += ["--set", "%s=%s" % (key, value)]
    visible = dict(environment)
    if options.gpus:
        visible["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, range(processes)))
    else:
        visible["CUDA_VISIBLE_DEVICES"] = ""
        visible["OMP_NUM_THREADS"] = str(max(1, len(os.sched_getaffinity(0)) // processes))
    subprocess.run(command, check=True, env=visible)
    with open(os.path.join(folder, "results.json")) as results:
        found = json.load(results)
    return cells / (1e6 * found["mlups"]), found["of_limit"]


def main():
    rows = []
    try:
        counts = [int(count) for count in options.gpus.split(",")] if options.gpus else [2]
        there = subprocess.run([options.wabe, "node"], capture_output=True, text=True, check=True, env=environment)
    except ValueError:
        sys.exit("bench_grids.py: --gpus: '%s' is no list of numbers" % options.gpus)
    found = there.stdout.count('kind = "gpu"')
    if options.gpus and max(counts) > found:
        sys.exit("bench_grids.py: %d GPUs are asked for, %d are here" % (max(counts), found))
    if options.rounds < 1:
        sys.exit("bench_grids.py: --rounds: at least 1")
    if options.output:
        open(options.output, "a").close()  # better to know now
    chosen = [case for case in cases() if options.only in case[0]]
    if not chosen or min(counts) < 2:
        sys.exit("bench_grids.py: " + ("two GPUs at least: one has no exchange" if chosen else
                                       "no case has '%s' in its name" % options.only))
    print("%-28s %9s %9s %9s %9s %9s %9s %9s" % ("case, ms a step", "transport", "overlap", "no ovl.", "none", "exchange",
                                               "hidden", "of limit"))
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            for case in chosen:
                for transport in ("host", "any") if options.gpus else ("",):
                    times = {way: [] for way in WAYS}
                    limits = []
                    for _ in range(options.rounds):
                        for way in WAYS:
                            seconds, limit = run(case, count, transport, way, os.path.join(folder, "run"))
                            times[way].append(1e3 * seconds)
                            if way == "overlap":
                                limits.append(limit)
                    on, off, none = (statistics.median(times[way]) for way in WAYS)
                    exchange = off - none
                    row = {"case": case[0], "processes": count, "transport": transport, "overlap": on,
                           "no_overlap": off, "none": none, "exchange": exchange / none,
                           "hidden": (off - on) / exchange if exchange > 0.1 * none else float("nan"),
                           "of_limit": statistics.median(limits)}
                    rows.append(row)
                    print("%-28s %9s %9.4f %9.4f %9.4f %9.2f %9.2f %9.2f" %
                          ("%s, %d" % (case[0], count), transport, on, off, none, row["exchange"], row["hidden"],
                           row["of_limit"]), flush=True)
    if options.output:
        with open(options.output, "w", newline="") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)


try:
    main()
except OSError as error:
    sys.exit("bench_grids.py: %s: %s" % (error.filename, error.strerror))
except subprocess.CalledProcessError as error:
    sys.exit("bench_grids.py: %s: exit code %d" % (" ".join(error.cmd), error.returncode))
