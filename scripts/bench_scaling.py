#!/usr/bin/env python3
"""How flows scale over the GPUs of this host: lid-driven cavities cut along z.

    scripts/bench_scaling.py [--gpus 2,4] [--edges 256,512] [--storages f64,f32] [--streamings in_place,moments]
        [--only weak|strong] [--without WORD] [--machine FILE] [--rounds 1] [--seconds 0.5] [--emulated] [--output FILE.csv]

weak: a cube of EDGE cells for each GPU. strong: one such cube on all. Each in these ways: pure-mpi (a process for each GPU)
and hybrid (one process for all); GPUs that reach each other's memory, or the transport "host"; with overlap, without, and
without communication. in_place takes TRT, moments takes the regularized collision. Cases of a round take turns; medians count.

Printed: million cell updates per second; of none: of the rate without communication; speed-up over one GPU (weak: of N GPUs);
ms a step and, with a machine file (wabe calibrate), how far the prediction is off.
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
SIZES = {"f64": 8, "f32": 4, "f16": 2}
NUMBERS = {"in_place": 38, "pull": 38, "moments": 20}  # moved for a cell and step
GPU_BYTES_PER_SECOND = 2.5e12  # about; makes runs equally long
DIVERGED = 3  # exit code; results without communication are wrong by design
FIELDS = ["scaling", "edge", "storage", "streaming", "gpus", "way", "mlups", "of_none", "speedup", "step_ms",
          "predicted_ms", "deviation"]
NONE = "none"
# Name of the way: mode, further settings.
WAYS = {
    NONE: ("pure-mpi", {"parallel.communication": '"none"'}),
    "pure-mpi": ("pure-mpi", {}),
    "pure-mpi, no overlap": ("pure-mpi", {"parallel.overlap": "false"}),
    "hybrid": ("hybrid", {}),
    "pure-mpi, host": ("pure-mpi", {"parallel.transport": '"host"'}),
    "pure-mpi, host, no overlap": ("pure-mpi", {"parallel.transport": '"host"', "parallel.overlap": "false"}),
    "hybrid, host": ("hybrid", {"parallel.transport": '"host"'}),
}


def list_of(kind):
    return lambda text: [kind(part) for part in text.split(",")]


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--gpus", type=list_of(int), default=[2, 4], metavar="N,N,...", help="numbers of GPUs (2,4)")
parser.add_argument("--edges", type=list_of(int), default=[256, 512], metavar="N,N,...", help="of the cubes (256,512)")
parser.add_argument("--storages", type=list_of(str), default=["f64", "f32"], metavar="TYPE,...",
                    help="lbm.storage (f64,f32)")
parser.add_argument("--streamings", type=list_of(str), default=["in_place", "moments"], metavar="NAME,...",
                    help="lbm.streaming (in_place,moments)")
parser.add_argument("--only", choices=["weak", "strong"])
parser.add_argument("--without", default="", metavar="WORD", help="leave out the ways with this word in their names, such as host")
parser.add_argument("--machine", metavar="FILE", help="of wabe calibrate, for predictions")
parser.add_argument("--rounds", type=int, default=1, help="runs of each case (1)")
parser.add_argument("--seconds", type=float, default=0.5, help="of the steps of a run, about")
parser.add_argument("--emulated", action="store_true", help="emulated GPUs, to try the script out")
parser.add_argument("--output", metavar="FILE.csv")
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()


def steps_of(cells, gpus, storage, streaming):
    step_seconds = cells * NUMBERS[streaming] * SIZES[storage] / (GPU_BYTES_PER_SECOND * gpus)
    return max(50, min(20000, int(options.seconds / step_seconds))) if not options.emulated else 2


def run(cells, storage, streaming, gpus, way, folder):
    """Returns million cell updates per second, and the predicted and measured ms of a step."""
    mode, more = WAYS[way]
    processes = gpus if mode == "pure-mpi" else 1
    steps = steps_of(cells[0] * cells[1] * cells[2], gpus, storage, streaming)
    values = {"steps": steps, "domain.cells": "[%d,%d,%d]" % cells, "lbm.storage": storage, "lbm.streaming": streaming,
              "lbm.collision": "regularized" if streaming == "moments" else "trt", "parallel.mode": '"%s"' % mode,
              "parallel.processes": "[1,1,%d]" % processes, "parallel.balance": '"equal"', "monitor.every": 10 * steps,
              "output.directory": '"%s"' % folder, "output.every": 0, "output.fields": "false", "output.picture": '"none"',
              "output.profiles": "false", **more}
    if options.emulated:
        values["node.emulated_gpus"] = gpus
    command = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", str(processes), options.wabe, "run",
               os.path.join(ROOT, "input/cavity.cfg"), "--quiet"]
    command += ["--machine", options.machine] if options.machine else []
    for key, value in values.items():
        command += ["--set", "%s=%s" % (key, value)]
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0",
                       CUDA_VISIBLE_DEVICES=",".join(map(str, range(gpus))))
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode not in (0, DIVERGED if way == NONE else 0):
        print("bench_scaling.py: %s\n%s" % (" ".join(command), done.stderr), file=sys.stderr)
        return None
    with open(os.path.join(folder, "results.json")) as file:
        rate = json.load(file)["mlups"]
    step = 1e-3 * cells[0] * cells[1] * cells[2] / rate
    with open(os.path.join(folder, "timing.json")) as file:
        model = json.load(file).get("model") or []
    predicted = next((row["predicted_ms"] for row in model if (row["of"], row["what"]) == ("all", "step")), None)
    return rate, step, predicted


def cases():
    """Yields scaling, edge, storage, streaming, GPUs, cells, way; a cube on one GPU before what is compared to it."""
    for edge in options.edges:
        for storage in options.storages:
            for streaming in options.streamings:
                yield "one", edge, storage, streaming, 1, (edge, edge, edge), "pure-mpi"
                for scaling in [options.only] if options.only else ["weak", "strong"]:
                    for gpus in options.gpus:
                        cells = (edge, edge, edge * gpus if scaling == "weak" else edge)
                        for way in WAYS:
                            if options.without and options.without in way:
                                continue
                            yield scaling, edge, storage, streaming, gpus, cells, way


def share(a, b, form="%.3f"):
    return form % (a / b) if a and b else ""


def main():
    found = {case: [] for case in cases()}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.rounds):
            for case, results in found.items():
                _, _, storage, streaming, gpus, cells, way = case
                result = run(cells, storage, streaming, gpus, way, folder)
                if result:
                    results.append(result)
                print("round %d  %-6s %4d^3 %s %-8s %d GPU(s)  %-26s %s" % (
                    number + 1, *case[:5], way, "%9.1f MLUPS" % result[0] if result else "failed"), flush=True)
    rates = {case: statistics.median(r[0] for r in results) for case, results in found.items() if results}
    rows = []
    for case, rate in rates.items():
        scaling, edge, storage, streaming, gpus, cells, way = case
        step = statistics.median(r[1] for r in found[case])
        predicted = found[case][0][2]
        one = rates.get(("one", edge, storage, streaming, 1, (edge, edge, edge), "pure-mpi"))
        rows.append(dict(zip(FIELDS, (
            scaling, edge, storage, streaming, gpus, way, "%.1f" % rate,
            share(rate, rates.get(case[:6] + (NONE,))), share(rate, one), "%.4f" % step,
            "%.4f" % predicted if predicted else "", "%+.1f%%" % (100 * (predicted / step - 1)) if predicted else ""))))
    print(("%-7s %4s %4s %-8s %4s %-26s" + " %9s" * 6) % tuple(FIELDS))
    for row in rows:
        print(("%-7s %4s %4s %-8s %4s %-26s" + " %9s" * 6) % tuple(row.values()))
    if options.output:
        with open(options.output, "w", newline="") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(rows)
    return 0 if all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
