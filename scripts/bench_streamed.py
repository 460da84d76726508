#!/usr/bin/env python3
"""Flows larger than the memory that they may take on a GPU, streamed through it: rates over the domain's size, over the
steps of a pass, and on several GPUs (as T. Endo and G. Jin, Software technologies coping with memory hierarchy of GPGPU
clusters for stencil computations, IEEE Cluster 2014, do for a diffusion equation).

    scripts/bench_streamed.py [--limit 9] [--edge 1024] [--storage f64] [--times 0.5,1.5,2,3,4] [--steps 1,2,4,8,16,32,0]
        [--gpus 1] [--seconds 5] [--only size|steps|weak] [--moments] [--output FILE.csv]

Lid-driven cavities of EDGE x EDGE x N cells, TRT, whose populations are TIMES the limit (GB of each GPU); with --moments
regularized, of ten moments in two grids.

size: resident, without the limit, as long as the GPU has the memory; streamed, with the steps of a pass that a run chooses;
and with one step a pass, which copies everything in each step.
steps: the largest of these sizes with other numbers of steps a pass; 0: the number that a run chooses.
weak: on 1 to GPUS GPUs, each with a slab of the largest size, cut along z.

Printed: million cell updates per second for each GPU, its share of the resident rate of the same edge, GB/s of copies each
way, and how much of the time kernels ran. scripts/plot_streamed.py draws FILE.csv.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = {"f64": 8, "f32": 4, "f16": 2}
FIELDS = ["series", "gpus", "storage", "planes", "gigabytes", "limit", "residency", "steps_per_pass", "mlups", "share",
          "load", "store", "kernels"]
MOST_UNHIDDEN = 4  # runs with few steps a pass take so much longer than the time asked for, at most

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--limit", type=float, default=9.0, metavar="GB")
parser.add_argument("--edge", type=int, default=1024)
parser.add_argument("--storage", default="f64", choices=SIZES)
parser.add_argument("--times", default="0.5,1.5,2,3,4", metavar="X,X,...")
parser.add_argument("--steps", default="1,2,4,8,16,32,0", metavar="K,K,...")
parser.add_argument("--gpus", type=int, default=1)
parser.add_argument("--seconds", type=float, default=5.0, help="of a run at the resident rate")
parser.add_argument("--only", choices=["size", "steps", "weak"])
parser.add_argument("--moments", action="store_true")
parser.add_argument("--emulated", action="store_true", help="emulated GPUs, to try the script out")
parser.add_argument("--output", metavar="FILE.csv")
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0")
plane_bytes = options.edge**2 * (20 if options.moments else 19) * SIZES[options.storage]


def run(planes, steps, gpus=1, limit=None, steps_per_pass=0):
    """Returns results.json, or None if the case does not fit."""
    with tempfile.TemporaryDirectory() as folder:
        values = {"domain.cells": "[%d,%d,%d]" % (options.edge, options.edge, planes), "steps": steps,
                  "lbm.storage": options.storage, "monitor.every": 100000000, "output.picture": "none",
                  "output.directory": '"%s"' % folder, "parallel.processes": "[1,1,0]",
                  "parallel.residency": "resident" if limit is None else "streamed"}
        if limit is not None:
            values.update({"parallel.device_memory_limit": limit, "parallel.steps_per_pass": steps_per_pass})
        if options.moments:
            values.update({"lbm.streaming": "moments", "lbm.collision": "regularized"})
        if options.emulated:
            values["node.emulated_gpus"] = gpus
        command = ["mpirun", "--bind-to", "none", "-n", str(gpus), options.wabe, "run",
                   os.path.join(ROOT, "input/cavity_large.cfg"), "--quiet"]
        for key, value in values.items():
            command += ["--set", "%s=%s" % (key, value)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        if done.returncode == 4 and limit is None:
            return None
        if done.returncode != 0:
            sys.exit("bench_streamed.py: %s\n%s" % (" ".join(command), done.stderr))
        with open(os.path.join(folder, "results.json")) as file:
            return json.load(file)


def row_of(series, results, planes, gpus, resident_rate):
    rate = results["mlups"] / gpus
    row = dict.fromkeys(FIELDS, "")
    row.update(series=series, gpus=gpus, storage=options.storage, planes=planes, limit=options.limit,
               gigabytes="%.3g" % (1e-9 * planes * plane_bytes), residency="resident", steps_per_pass=1,
               mlups="%.1f" % rate, share="%.3f" % (rate / resident_rate))
    if "streamed" in results:
        s = results["streamed"]
        row.update(residency="streamed", steps_per_pass=results["steps_per_pass"],
                   kernels="%.3f" % (s["kernel_seconds"] / results["seconds"]))
        for way, bytes_, seconds in (("load", "loaded_bytes", "load_seconds"), ("store", "stored_bytes", "store_seconds")):
            row[way] = "%.1f" % (1e-9 * s[bytes_] / s[seconds]) if s[seconds] > 0 else ""
    print("%-6s %4d %8s %7d %10s GB %9s %6s %12s %7s %6s %6s %8s" %
          tuple(row[name] for name in FIELDS if name != "limit"), flush=True)
    return row


def steps_for(planes, rate, k):
    """Of a run that takes about the time asked for if copies are hidden; whole passes of k steps, two at least."""
    steps = options.seconds * rate * 1e6 / (options.edge**2 * planes)
    return max(2, round(min(steps, MOST_UNHIDDEN * k * steps / 32) / k)) * k


def main():
    times = [float(x) for x in options.times.split(",")]
    planes = [max(4, round(x * options.limit * 1e9 / plane_bytes)) for x in times]
    steps_of_passes = [int(k) for k in options.steps.split(",")]
    print("series gpus  storage  planes populations residency    k        MLUPS   share   load  store  kernels")
    fits = max([n for n in planes if n * plane_bytes < 0.8e9 * options.limit] or [min(planes)])
    first = run(fits, 64 if not options.emulated else 2)
    if first is None:
        sys.exit("bench_streamed.py: %d planes do not fit the GPU: take a smaller --limit or --edge" % fits)
    rate = run(fits, steps_for(fits, first["mlups"], 32))["mlups"]
    rows = []

    def take(series, n, gpus, limit, k):
        if limit is not None and k == 0:
            k = run(n * gpus, 2, gpus, limit)["steps_per_pass"]  # the number that a run chooses
        results = run(n * gpus, steps_for(n, rate, k or 32), gpus, limit, k)
        if results is not None:
            rows.append(row_of(series, results, n * gpus, gpus, rate))

    if options.only in (None, "size"):
        for n in planes:
            take("size", n, 1, None, 0)
        for k in (0, 1):
            for n in planes:
                if n * plane_bytes > 1e9 * options.limit:
                    take("size", n, 1, options.limit, k)
    if options.only in (None, "steps"):
        for k in steps_of_passes:
            take("steps", max(planes), 1, options.limit, k)
    if options.only in (None, "weak"):
        for gpus in range(1, options.gpus + 1):
            take("weak", max(planes), gpus, None, 0)
            take("weak", max(planes), gpus, options.limit, 0)
    if options.output:
        with open(options.output, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)
        print("%s; picture: scripts/plot_streamed.py %s" % (options.output, options.output))


main()
