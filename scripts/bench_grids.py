#!/usr/bin/env python3
"""How well diffusion and Himeno's benchmark hide their exchange: steps with overlap, without, and without any
exchange, on processors or GPUs (Kato et al., figures 3 to 6; Shimokawabe, Aoki, Onodera, figures 7 and 8).

    scripts/bench_grids.py [--gpus 2,4] [--rounds 3] [--quick] [--only NAME] [--output FILE.csv]
    scripts/bench_grids.py --phases [--gpus 2,4] [--rounds 3] [--quick] [--only NAME] [--output FILE.csv]

--gpus: a process for each GPU; without it two processes on processors. Domains are cut along z. Each case runs once
a round, rounds take turns, medians count. Printed: ms a step; exchange: what it takes without overlap, of the step
without exchange; hidden: the part of it that overlap hides, (no overlap - overlap) / (no overlap - none), where it is above a tenth; of limit:
with overlap, of what a copy in the same run allows. scripts/plot_grids.py draws FILE.csv (not that of
--phases).

--phases: what each phase of a step takes alone, none beginning before the one before it has ended
(parallel.separate), mean over the processes, and GB/s of what it moves: messages count both ways (Kato et al.,
table 3), through host memory: GPUs that reach each other's memory pack into it. Ghosts of several steps are exchanged once for all of them.
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
BYTES_OF_A_RUN = {"cpu": 4e10, "gpu": 2e12}  # moved by the steps of a run
STEPS_MAX = 5000

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--gpus", help="numbers of GPUs, such as 2,4")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--quick", action="store_true", help="small sizes only")
parser.add_argument("--phases", action="store_true", help="times of phases instead")
parser.add_argument("--only", default="", metavar="NAME", help="cases whose name contains it")
parser.add_argument("--output", metavar="FILE.csv")
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0")

HIMENO = {"S": 62 * 62 * 126, "M": 126 * 126 * 254, "L": 254 * 254 * 510,
          "1025x513x513": 510 * 510 * 1022}
# The phases of a step, and how often each moves the bytes that a process sends.
PHASES = {"outer region": 0, "inner region": 0, "pack": 0, "copy from GPUs": 1, "wait for messages": 2,
          "copy to GPUs": 1, "unpack": 0}
if not options.gpus:
    PHASES = {phase: moved for phase, moved in PHASES.items() if "GPU" not in phase}
WAYS = {"overlap": {}, "no overlap": {"parallel.overlap": "false"}, "none": {"parallel.communication": '"none"'}}


def cases():
    """Yields name, input file, settings, cells, bytes per cell."""
    sizes = ["S", "M"] if options.quick else ["M", "L", "1025x513x513"]
    edges = [128] if options.quick else [256, 384, 512]
    if not options.gpus:
        sizes, edges = (["S"], [64]) if options.quick else (["S", "M"], [128, 256])
    for size in sizes:
        yield "himeno " + size, "himeno_m.cfg", {"himeno.size": '"%s"' % size}, HIMENO[size], 56
    for n in edges:
        yield "diffusion f32 %d^3" % n, "diffusion_512.cfg", {"domain.cells": "[%d,%d,%d]" % (n, n, n)}, n**3, 8


def run(case, processes, transport, settings_of_way, folder):
    """Runs a case; returns the contents of results.json and timing.json."""
    name, file, settings, cells, size = case
    kind = "gpu" if options.gpus else "cpu"
    values = {"steps": max(20, min(STEPS_MAX, int(BYTES_OF_A_RUN[kind] / cells / size))), "output.fields": "false",
              "output.picture": '"none"', "monitor.every": 1000000000, "output.directory": '"%s"' % folder,
              "parallel.processes": "[1,1,%d]" % processes, **settings, **settings_of_way}
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
    found = []
    for written in ("results.json", "timing.json"):
        with open(os.path.join(folder, written)) as file:
            found.append(json.load(file))
    return found


def overlap_row(case, count, transport, folder):
    """Runs a case in all ways and prints the results."""
    times = {way: [] for way in WAYS}
    limits = []
    for _ in range(options.rounds):
        for way, settings in WAYS.items():
            results, _ = run(case, count, transport, settings, folder)
            times[way].append(1e3 * case[3] / (1e6 * results["mlups"]))
            if way == "overlap":
                limits.append(results["of_limit"])
    on, off, none = (statistics.median(times[way]) for way in WAYS)
    exchange = off - none
    row = {"case": case[0], "processes": count, "transport": transport, "overlap": on, "no_overlap": off,
           "none": none, "exchange": exchange / none,
           "hidden": (off - on) / exchange if exchange > 0.1 * none else float("nan"),
           "of_limit": statistics.median(limits)}
    print("%-28s %9s %9.4f %9.4f %9.4f %9.2f %9.2f %9.2f" %
          ("%s, %d" % (case[0], count), transport, on, off, none, row["exchange"], row["hidden"], row["of_limit"]),
          flush=True)
    return row


def phases_row(case, count, transport, folder):
    """Measures and prints milliseconds per step of each phase, and GB/s."""
    row = {"case": case[0], "processes": count, "transport": transport}
    seconds = {phase: [] for phase in PHASES}  # of a pass
    for _ in range(options.rounds):
        results, timing = run(case, count, transport, {"parallel.separate": "true"}, folder)
        passes = results["steps_timed"] / results["steps_per_pass"]
        for phase in PHASES:
            seconds[phase].append(timing["phases"].get(phase, {"mean": 0})["mean"] / passes)
    sent = results["message_bytes"] / results["ranks"]  # sent by a process per pass
    for phase, moved in PHASES.items():
        median = statistics.median(seconds[phase])
        row[phase] = 1e3 * median / results["steps_per_pass"]
        row[phase + ", GB/s"] = 1e-9 * moved * sent / median if moved and median > 0 and transport != "any" else 0
    text = "".join("%9.4f %6s" % (row[phase], "%.1f" % row[phase + ", GB/s"] if row[phase + ", GB/s"] else "")
                   for phase, moved in PHASES.items())
    print("%-28s %9s %s" % ("%s, %d" % (case[0], count), transport, text), flush=True)
    return row


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
        open(options.output, "a").close()  # better to fail now
    chosen = [case for case in cases() if options.only in case[0]]
    if not chosen or min(counts) < 2:
        sys.exit("bench_grids.py: " + ("two GPUs at least: one has no exchange" if chosen else
                                       "no case has '%s' in its name" % options.only))
    if options.phases:
        print("%-28s %9s %s" % ("case, ms a step", "transport", "".join("%9s %6s" % (
            {"copy from GPUs": "from GPU", "wait for messages": "messages", "copy to GPUs": "to GPU"}.get(
                phase, phase.split()[0]), "GB/s" if moved else "") for phase, moved in PHASES.items())))
    else:
        print("%-28s %9s %9s %9s %9s %9s %9s %9s" % ("case, ms a step", "transport", "overlap", "no ovl.", "none",
                                                   "exchange", "hidden", "of limit"))
    with tempfile.TemporaryDirectory() as folder:
        for count in counts:
            for case in chosen:
                for transport in ("host", "any") if options.gpus else ("",):
                    rows.append((phases_row if options.phases else overlap_row)(
                        case, count, transport, os.path.join(folder, "run")))
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
