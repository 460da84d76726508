#!/usr/bin/env python3
"""How much of the exchange a run hides: a wind over a city of N x 192 x N cells on several GPUs.

    scripts/bench_overlap.py [--cells 128,256,512] [--processes 2] [--rounds 3] [--machine FILE] --output FILE.csv

Runs input/city_wind_000.cfg with overlap, without overlap and without communication, and on one GPU; the cases of
a size take turns, since machines are noisy. FILE.csv has a row for each size: medians in million cell updates per
second, and what the exchange takes in ms a step: measured (without overlap less without communication), and with a
machine file (wabe calibrate) as wabe predict has it. scripts/plot_overlap.py draws it. The exchange cannot be hidden
where the kernels of the inner region take less time than it.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIVERGED = 3  # exit code; results without communication are wrong by design
UPDATES = 4e10  # of a run, at least
CASES = {
    "overlap": {},
    "no_overlap": {"parallel.overlap": "false"},
    "no_communication": {"parallel.communication": "none"},
    "one_gpu": {},
}
EXCHANGE = ["buffers", "bus", "network", "sync"]  # columns of wabe predict

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--cells", default="128,256,512", metavar="N,N,...")
parser.add_argument("--processes", type=int, default=2, metavar="N", help="one GPU each")
parser.add_argument("--rounds", type=int, default=3, metavar="N")
parser.add_argument("--updates", type=float, default=UPDATES, metavar="N", help="cell updates of a run")
parser.add_argument("--machine", metavar="FILE", help="of wabe calibrate")
parser.add_argument("--output", metavar="FILE.csv", required=True)
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()


def settings(n, **more):
    """The options of a city of n x 192 x n cells."""
    values = {"domain.cells": "[%d,192,%d]" % (n, n), "geometry.city.high": "[%d.0,192.0,%d.0]" % (n - 16, n),
              "geometry.city.low": "[48.0,0.0,0.0]", **more}
    return [part for key, value in values.items() for part in ("--set", "%s=%s" % (key, value))]


def rate(n, case, folder):
    """Returns the million cell updates per second of a run."""
    steps = max(200, int(options.updates / (192 * n * n)))
    command = [options.wabe, "run", os.path.join(ROOT, "input/city_wind_000.cfg"), "--quiet"]
    command += settings(n, steps=steps, **{"output.directory": '"%s"' % folder, "output.picture": "none",
                                           "monitor.every": 10 * steps}, **CASES[case])
    processes = 1 if case == "one_gpu" else options.processes
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0")
    if processes == 1:
        environment["CUDA_VISIBLE_DEVICES"] = "0"
    code = subprocess.run(["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", str(processes)] + command,
                          env=environment, check=False).returncode
    if code not in (0, DIVERGED if case == "no_communication" else 0):
        raise SystemExit("bench_overlap.py: %s with %d cells: exit code %d" % (case, n, code))
    with open(os.path.join(folder, "results.json")) as file:
        return json.load(file)["mlups"]


def predicted_exchange(n, folder):
    """Returns the ms that wabe predict says the exchange takes in a step, or nothing if it would cut otherwise."""
    path = os.path.join(folder, "prediction.csv")
    grid = "1 x 1 x %d" % options.processes
    subprocess.run([options.wabe, "predict", os.path.join(ROOT, "input/city_wind_000.cfg"), "--machine",
                    options.machine, "--nodes", "1", "--csv", path] + settings(n), check=True,
                   stdout=subprocess.DEVNULL)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["grid"] == grid and row["fits"] == "1":
                return "%.4f" % sum(float(row[part]) for part in EXCHANGE)
    return ""


def measure(n, folder):
    rates = {case: [] for case in CASES}
    for _ in range(options.rounds):
        for case, found in rates.items():
            found.append(rate(n, case, folder))
    median = {case: statistics.median(found) for case, found in rates.items()}
    step = {case: 1e-3 * 192 * n * n / value for case, value in median.items()}  # ms
    row = {"cells": n, **{case: "%.1f" % value for case, value in median.items()},
           "kernels_ms": "%.4f" % step["no_communication"],
           "exchange_ms": "%.4f" % (step["no_overlap"] - step["no_communication"])}
    if options.machine:
        row["predicted_exchange_ms"] = predicted_exchange(n, folder)
    return row


def main():
    with open(options.output, "w", newline="") as file, tempfile.TemporaryDirectory() as folder:
        table = None
        for n in map(int, options.cells.split(",")):
            row = measure(n, folder)
            if not table:
                table = csv.DictWriter(file, row)
                table.writeheader()
            table.writerow(row)
            file.flush()
            print(", ".join("%s %s" % item for item in row.items()), flush=True)


if __name__ == "__main__":
    main()
