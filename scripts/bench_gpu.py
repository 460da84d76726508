#!/usr/bin/env python3
"""Measures Wabe on the GPUs of this host.

usage: scripts/bench_gpu.sh [--parts kernels,run,weak,...] [--gpus N] [--quick] [--output DIR] ...

parts:
  kernels        wabe bench of the GPU kernels at 256^3 and 512^3, beside the memory limit
  run            a whole run of a 512^3 f32 cavity beside its kernel
  weak           256^3 f64 for each GPU, pure-mpi and hybrid, beside runs without communication
  strong         256^3 f32 over 1 to N GPUs, pure-mpi and hybrid
  host           as weak, through host memory, overlap on and off
  heterogeneous  one GPU and the processors, beside either alone and the sum of their kernels
  scan           the same: the measured balance beside explicit splits around it
  porous         kernels by fluid share, a packed bed beside the empty channel, spheres over 1 to N
                 GPUs beside runs without communication

The cases of a part run in turn, over and over, since machines are shared and noisy. Rates are
medians; a ratio is the median of the ratios of the rounds. The tables, results.json and
bench_gpu.png go to DIR, the input of every case to DIR/cases. Parts measured before stay in
results.json. What fails is said, and the other parts go on.
"""
import argparse
import json
import math
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = ["kernels", "run", "weak", "strong", "host", "heterogeneous", "scan", "porous"]
NEED_TWO = ["weak", "strong", "host"]  # GPUs
MODES = ["pure-mpi", "hybrid"]
SIZES = {"f64": 8, "f32": 4, "f16": 2}
DIVERGED = 3  # exit code; results without communication are wrong by design


class Failed(Exception):
    """A command failed; the text has the command and the reason."""


def read_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--parts", default=",".join(PARTS), help="some of the parts, by commas")
    add("--gpus", type=int, default=0, metavar="N", help="take no more GPUs than N")
    add("--threads", type=int, default=0, metavar="N",
        help="threads of the processors in heterogeneous runs; default: one for each core")
    add("--repeat", type=int, default=3, metavar="N", help="rounds")
    add("--seconds", type=float, default=1.5, metavar="S", help="that a run should take at least")
    add("--streaming", default="in_place", choices=["in_place", "pull"], help="of all runs")
    add("--size", type=int, default=256, metavar="N", help="edge of the small cubes")
    add("--large", type=int, default=512, metavar="N", help="edge of the large cubes")
    add("--scan", default="1,2,4,8", metavar="LIST",
        help="planes by which the explicit splits differ from the measured one")
    add("--all-kernels", action="store_true", help="kernels: SRT as well")
    add("--quick", action="store_true", help="small cubes and few rounds, for a try")
    add("--emulated", type=int, default=0, metavar="N",
        help="with N emulated GPUs: tries the script out, measures nothing")
    add("--timeout", type=float, default=300, metavar="S", help="of one command")
    add("--wabe", default=os.path.join(ROOT, "build/release/wabe"), metavar="PROGRAM")
    add("--output", default=os.path.join(ROOT, "out/bench_gpu"), metavar="DIR")
    add("--plot", action="store_true", help="print and draw what DIR/results.json has; no runs")
    add("--also", action="append", default=[], metavar="DIR",
        help="--plot: with the parts that were measured on another host")
    options = parser.parse_args()
    if options.also and not options.plot:
        parser.error("--also goes with --plot")
    options.parts = [part for part in options.parts.split(",") if part]
    for part in options.parts:
        if part not in PARTS:
            parser.error("there is no part '%s'; the parts are %s" % (part, ", ".join(PARTS)))
    options.scan = [int(planes) for planes in options.scan.split(",")]
    options.bench_repetitions = 11
    options.least_steps = 200
    options.porous_planes = 900
    if options.quick:
        options.size, options.large = min(options.size, 128), min(options.large, 160)
        options.repeat, options.seconds, options.bench_repetitions = 1, 0.2, 3
        options.porous_planes = 320
    if options.emulated:
        options.size, options.large = min(options.size, 16), min(options.large, 24)
        options.repeat, options.seconds = min(options.repeat, 2), 0.0
        options.least_steps, options.scan, options.porous_planes = 20, [1, 2], 64
    options.wabe = os.path.abspath(options.wabe)
    options.output = os.path.abspath(options.output)
    return options


# ---- running ------------------------------------------------------------------------------------

def reason(output):
    """Returns the most informative line of a failed command's output."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line for line in lines if "error" in line.lower() or "wabe:" in line]
    return (told or lines or ["no output"])[0]


def execute(options, command, environment=None, fine=(0,)):
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=dict(os.environ, **(environment or {}))) as process:
        try:
            output, errors = process.communicate(timeout=options.timeout)
        except subprocess.TimeoutExpired:
            process.terminate()  # mpirun then ends its processes
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
            raise Failed("%s: not done after %g s"
                         % (" ".join(command), options.timeout)) from None
    if process.returncode not in fine:
        raise Failed("%s: exit code %d: %s" % (" ".join(command), process.returncode,
                                               reason(errors + "\n" + output)))
    return output


def bound():
    """Binds threads to cores; only if one process has the node to itself."""
    return {} if "OMP_PROC_BIND" in os.environ else {"OMP_PROC_BIND": "true"}


def bench(options, pattern, edge, fluid=100):
    """Returns the rows of wabe bench; fluid: in percent of the cells."""
    command = [options.wabe, "bench", pattern, "--cells", str(edge), "--json",
               "--repetitions", str(options.bench_repetitions), "--fluid", str(fluid)]
    if options.threads:
        command += ["--threads", str(options.threads)]
    return json.loads(execute(options, command, bound()))


def gpu_component(device, planes=0):
    text = 'kind = "gpu"; device = %d;' % device
    return "{ %s }" % (text + (" planes = %d;" % planes if planes else ""))


def cpu_component(options, planes=0):
    text = 'kind = "cpu";' + (" threads = %d;" % options.threads if options.threads else "")
    return "{ %s }" % (text + (" planes = %d;" % planes if planes else ""))


class Case:
    """A cavity on some components, and the results of its runs. solids: obstacles, as in the input's
    geometry; then the program chooses between dense and list streaming."""

    def __init__(self, name, cells, storage, components, mode="hybrid", processes=1, solids=None,
                 **parallel):
        self.name, self.cells, self.storage, self.mode = name, cells, storage, mode
        self.solids = solids
        self.components, self.processes, self.parallel = components, processes, parallel
        self.rates, self.planes, self.failure = [], [], None
        self.components_used = []  # as listed in results.json

    def text(self, options, part, steps):
        lines = ['application = "lbm";', 'name = "%s";' % self.name, "steps = %d;" % steps,
                 "domain = { cells = [%d, %d, %d]; };" % tuple(self.cells),
                 'lbm = { collision = "trt"; streaming = "%s"; storage = "%s"; tau = 0.8; };'
                 % (options.streaming if self.solids is None else "auto", self.storage),
                 "geometry = { %s };" % (self.solids or ""), "boundaries = {"]
        lines += ['    %s = { kind = "no_slip"; };' % face
                  for face in ("x_low", "x_high", "y_low", "y_high", "z_low")]
        lines += ['    z_high = { kind = "moving_wall"; velocity = [0.05, 0.0, 0.0]; };', "};",
                  "node = {"]
        if options.emulated:
            lines += ["    emulated_gpus = %d;" % options.emulated]
        lines += ["    components = (%s);" % ", ".join(self.components), "};", "parallel = {",
                  '    mode = "%s";' % self.mode,
                  "    processes = [1, 1, %d];" % self.processes]
        lines += ["    %s = %s;" % item for item in self.parallel.items()]
        lines += ["};", "monitor = { every = %d; };" % steps,
                  'output = { fields = false; picture = "none"; profiles = false;',
                  '           directory = "%s"; };' % self.folder(options, part)]
        return "\n".join(lines) + "\n"

    def folder(self, options, part):
        return os.path.join(options.output, "runs", "%s-%s" % (part, self.name))

    def run(self, options, part, steps):
        """Returns million fluid cell updates per second."""
        path = os.path.join(options.output, "cases", "%s-%s.cfg" % (part, self.name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(self.text(options, part, steps))
        results = os.path.join(self.folder(options, part), "results.json")
        if os.path.exists(results):
            os.remove(results)
        command = ["mpirun", "-np", str(self.processes), "--oversubscribe", "--bind-to", "none",
                   options.wabe, "run", path, "--quiet"]
        processors = any('"cpu"' in component for component in self.components)
        wrong = self.parallel.get("communication") == '"none"'
        execute(options, command, bound() if processors else {},
                (0, DIVERGED) if wrong else (0,))
        with open(results) as file:
            found = json.load(file)
        self.components_used = found["components"]
        self.planes.append({c["name"]: c["z_end"] - c["z_begin"] for c in found["components"]})
        return found["mflups"]

    def rate(self):
        return statistics.median(self.rates) if self.rates else math.nan

    def planes_text(self):
        """Formats the planes of each component, of all runs if they differ."""
        texts = [", ".join("%s %d" % item for item in planes.items()) for planes in self.planes]
        return " | ".join(dict.fromkeys(texts))


def say(text):
    print(text, flush=True)


def measure(options, part, cases, least_steps=0):
    """Runs the cases in turn. A case that fails is omitted from then on."""
    for case in cases:
        steps = least_steps or options.least_steps
        if options.seconds > 0.0:
            try:  # a short run warms up and gives the number of steps of a long one
                rate = case.run(options, part, max(steps // 5, 10))
                steps = max(steps, math.ceil(options.seconds * 1e6 * rate / math.prod(case.cells)))
            except Failed as failure:
                case.failure = str(failure)
        case.steps = (steps + 9) // 10 * 10
    for number in range(options.repeat):
        for case in cases:
            if case.failure:
                continue
            try:
                case.rates.append(case.run(options, part, case.steps))
            except Failed as failure:
                case.failure = str(failure)
            else:
                say("    round %d of %d  %-36s %10.1f MFLUPS" % (number + 1, options.repeat,
                                                                 case.name, case.rates[-1]))
    for case in cases:
        if case.failure:
            case.rates = []
            say("    FAILED %s: %s" % (case.name, case.failure))


def ratio(case, other, factor=1.0):
    """Returns the median over the rounds of the rate divided by factor times the other's."""
    pairs = [a / (factor * b) for a, b in zip(case.rates, other.rates)]
    return statistics.median(pairs) if pairs else math.nan


def raw(cases):
    return {case.name: {"rates": case.rates, "steps": case.steps, "failure": case.failure,
                        "cells": case.cells, "planes": case.planes,
                        "components": case.components_used} for case in cases}


def counts_of(gpus):
    """Returns 1, 2, 4, ... and the number of all GPUs."""
    counts = [1 << power for power in range(gpus.bit_length()) if 1 << power <= gpus]
    return counts if counts[-1] == gpus else counts + [gpus]


def over_gpus(name, cells, storage, mode, gpus, **parallel):
    """Makes a case on GPUs: pure-mpi has a process per GPU, hybrid one for all. The GPUs are identical,
    so equal shares are right, without the noise of a measured balance."""
    parallel.setdefault("balance", '"equal"')
    return Case("%s-%s-%d" % (name, mode, gpus), cells, storage,
                [gpu_component(device) for device in range(gpus)], mode,
                gpus if mode == "pure-mpi" else 1, **parallel)


# ---- parts: each returns a title, columns, rows, raw numbers ------------------------------------

def kernels(options, _):
    rows, numbers = [], []
    target = "avx2" if options.emulated else "cuda"  # wabe bench does not support emulated GPUs
    patterns = [".%s" % target] if options.all_kernels else \
        ["stream_collide.trt.d3q19.%s.%s.%s" % (streaming, storage, target)
         for storage in SIZES for streaming in ("pull", "in_place")]
    for edge in (options.size, options.large):
        for pattern in patterns:
            try:
                found = bench(options, pattern, edge)
            except Failed as failure:
                say("    FAILED %s" % failure)
                continue
            for row in found:
                _, collision, _, streaming, storage, _ = row["kernel"].split(".")
                size, grids = SIZES[storage], 2 if streaming == "pull" else 1
                row["of_copy"] = row["mlups"] * 1e6 * 38 * size / (1e9 * row["copy_gb_per_s"])
                row["over_fields"] = row["bytes_per_cell"] / (19.0 * size * grids) - 1.0
                row["label"] = "%s %s %s" % (collision, streaming.replace("_", " "), storage)
                numbers.append(row)
                rows.append([edge, row["kernel"], row["mlups"], row["of_limit"], row["of_copy"],
                             row["copy_gb_per_s"], row["update_gb_per_s"],
                             "%.1f %%" % (100.0 * row["over_fields"])])
                say("    %d^3 %s: %.1f MLUPS, %.3f of the limit" % (edge, row["kernel"],
                                                                    row["mlups"], row["of_limit"]))
    return ("kernels alone (wabe bench): limit = the better of copy and update in place",
            ["edge", "kernel", "MLUPS", "of limit", "of copy", "copy GB/s", "upd. GB/s",
             "memory over fields"], rows, numbers)


def run(options, _):
    case = Case("whole-run-f32", 3 * [options.large], "f32", [gpu_component(0)])
    kernel_rates = []
    target = "avx2" if options.emulated else "cuda"
    pattern = "stream_collide.trt.d3q19.%s.f32.%s" % (options.streaming, target)
    measure(options, "run", [case], 3 * options.least_steps)
    if case.failure:
        raise Failed(case.failure)
    case.rates = []
    for _ in range(options.repeat):
        kernel_rates.append(bench(options, pattern, options.large)[0]["mlups"])
        case.rates.append(case.run(options, "run", case.steps))
    ratios = [a / b for a, b in zip(case.rates, kernel_rates)]
    kernel = statistics.median(kernel_rates)
    return ("a whole run of a %d^3 f32 cavity, output off, %d steps" % (options.large, case.steps),
            ["case", "MFLUPS", "of the kernel"],
            [["kernel, wabe bench", kernel, 1.0],
             ["wabe run", case.rate(), statistics.median(ratios)]],
            {"kernel": kernel_rates, **raw([case])})


def several(counts):
    """Returns mode and number of GPUs of each case; a single GPU is the same in both modes."""
    return [("hybrid", 1)] + [(mode, count) for count in counts if count > 1 for mode in MODES]


def modes_of(mode, count):
    return MODES if count == 1 else [mode]


def weak(options, gpus):
    n, rows, points, pairs = options.size, [], [], []
    for mode, count in several(counts_of(gpus)):
        cells = [n, n, n * count]
        pairs.append((mode, count, over_gpus("exchange", cells, "f64", mode, count),
                      over_gpus("none", cells, "f64", mode, count, communication='"none"')))
    cases = [case for pair in pairs for case in pair[2:]]
    measure(options, "weak", cases)
    for mode, count, case, none in pairs:
        efficiency, ideal = ratio(case, none), ratio(case, cases[0], count)
        rows.append([count, mode, case.rate(), none.rate(), efficiency, ideal])
        points += [{"gpus": count, "mode": m, "of_none": efficiency, "of_ideal": ideal}
                   for m in modes_of(mode, count)]
    return ("weak scaling: %d^3 f64 for each GPU" % n,
            ["GPUs", "mode", "MFLUPS", "no communication", "of that", "of N x one GPU"], rows,
            {"points": points, **raw(cases)})


def strong(options, gpus):
    n, rows, points, pairs = options.size, [], [], []
    for mode, count in several(counts_of(gpus)):
        pairs.append((mode, count, over_gpus("exchange", 3 * [n], "f32", mode, count),
                      over_gpus("none", 3 * [n], "f32", mode, count, communication='"none"')))
    cases = [case for pair in pairs for case in pair[2:]]
    measure(options, "strong", cases)
    for mode, count, case, none in pairs:
        speedup = ratio(case, cases[0])
        rows.append([count, mode, case.rate(), speedup, speedup / count, none.rate(),
                     ratio(case, none)])
        points += [{"gpus": count, "mode": m, "speedup": speedup} for m in modes_of(mode, count)]
    return ("strong scaling: %d^3 f32 over all GPUs" % n,
            ["GPUs", "mode", "MFLUPS", "x one GPU", "efficiency", "no communication", "of that"],
            rows, {"points": points, **raw(cases)})


def host(options, gpus):
    n, rows, points, groups = options.size, [], [], []
    through = {"transport": '"host"'}
    for mode, count in several(counts_of(gpus))[1:]:
        cells = [n, n, n * count]
        groups.append((mode, count, [
            over_gpus("none", cells, "f64", mode, count, communication='"none"'),
            over_gpus("overlap", cells, "f64", mode, count, **through),
            over_gpus("no-overlap", cells, "f64", mode, count, overlap="false", **through),
            over_gpus("any-no-overlap", cells, "f64", mode, count, overlap="false")]))
    cases = [case for group in groups for case in group[2]]
    measure(options, "host", cases)
    for mode, count, group in groups:
        for case, text in zip(group, ["no communication", "host, overlap on", "host, overlap off",
                                      "fastest, overlap off"]):
            rows.append([count, mode, text, case.rate(), ratio(case, group[0])])
        points.append({"gpus": count, "mode": mode, "of_none": ratio(group[1], group[0])})
    return ("transport through host memory: %d^3 f64 for each GPU" % n,
            ["GPUs", "mode", "exchange", "MFLUPS", "of no communication"], rows,
            {"points": points, **raw(cases)})


def kernel_rate(options, case, edge):
    """Returns the rate by wabe bench of the kernel that a case used."""
    if not case.components_used:
        return math.nan
    kernel = case.components_used[0]["kernel"]
    if options.emulated:
        kernel = kernel.replace(".cuda", ".avx2")
    return bench(options, kernel, edge)[0]["mlups"]


def heterogeneous(options, _):
    rows, numbers, points = [], {}, []
    for n in (options.size, options.large):
        cpu = Case("cpu-%d" % n, 3 * [n], "f64", [cpu_component(options)])
        gpu = Case("gpu-%d" % n, 3 * [n], "f64", [gpu_component(0)])
        both = Case("both-%d" % n, 3 * [n], "f64", [gpu_component(0), cpu_component(options)],
                    "heterogeneous", balance='"measured"')
        measure(options, "heterogeneous", [cpu], 40 if options.seconds else 20)
        measure(options, "heterogeneous", [gpu, both])
        kernel = [kernel_rate(options, case, n) for case in (gpu, cpu)]
        total = sum(kernel)
        for name, rate, of_gpu, text in [
                ("GPU, kernel", kernel[0], math.nan, ""),
                ("processors, kernel", kernel[1], math.nan, ""),
                ("GPU alone", gpu.rate(), 1.0, ""),
                ("processors alone", cpu.rate(), math.nan, ""),
                ("both", both.rate(), ratio(both, gpu), both.planes_text())]:
            rows.append([n, name, rate, rate / total, of_gpu, text])
        numbers.update(raw([cpu, gpu, both]), **{"kernels-%d" % n: kernel})
        points.append({"edge": n, "of_sum": both.rate() / total, "of_gpu": ratio(both, gpu)})
    return ("heterogeneous: one GPU and the processors, f64",
            ["edge", "what", "MFLUPS", "of both kernels", "of GPU alone", "planes"], rows,
            {"points": points, **numbers})


def scan(options, _):
    n = options.size
    both = Case("both", 3 * [n], "f64", [gpu_component(0), cpu_component(options)],
                "heterogeneous", balance='"measured"')
    try:
        both.run(options, "scan", options.least_steps)
    except Failed as failure:
        raise Failed("the measured balance: %s" % failure) from None
    planes = both.planes[-1]
    if len(planes) < 2:
        raise Failed("the measured balance has left a component out (%s)" % both.planes_text())
    middle = planes["gpu0"]
    shifts = sorted({0, *options.scan, *(-planes for planes in options.scan)})
    splits = [Case("split%+d" % shift, 3 * [n], "f64",
                   [gpu_component(0, middle + shift),
                    cpu_component(options, n - middle - shift)],
                   "heterogeneous", balance='"explicit"')
              for shift in shifts if 0 < middle + shift < n]
    measure(options, "scan", [both] + splits)
    fastest = max((case for case in splits if case.rates), key=Case.rate, default=None)
    if fastest is None or not both.rates:
        raise Failed("no split could be run")
    rows = [[case.name if case is not both else "measured", case.planes_text(), case.rate(),
             1e3 * n**3 / (1e6 * case.rate()) if case.rates else math.nan, ratio(case, fastest)]
            for case in [both] + splits]
    return ("balance: measured, and splits around it; %d^3 f64" % n,
            ["split", "planes", "MFLUPS", "ms per step", "of the best split"], rows,
            {"best": fastest.name, "of_best": ratio(both, fastest), **raw([both] + splits)})


def porous_kernels(options):
    """Measures the list kernels and the dense f64 ones on the same cells."""
    rows, numbers = [], []
    target = "avx2" if options.emulated else "cuda"
    for fluid in (60, 36):
        found = {}
        for name in ("in_place.f64", "pull.f64", "list.f64", "list.f32", "list.f16"):
            pattern = "stream_collide.trt.d3q19.%s.%s" % (name, target)
            found[name] = bench(options, pattern, options.size, fluid)[0]
        dense = max(found[name]["mlups"] for name in ("in_place.f64", "pull.f64"))
        for name, row in found.items():
            rows.append(["%d %% fluid, %s" % (fluid, name.replace("_", " ").replace(".", ", ")),
                         row["mlups"], row["of_limit"],
                         row["mlups"] / dense if name.endswith("f64") else math.nan])
            numbers.append({"fluid": fluid, **row})
    return rows, numbers


def porous(options, gpus):
    rows, numbers = porous_kernels(options)
    scale = 16 if options.emulated else 1
    channel, rings = [100 // scale, 100 // scale, 1536 // scale], (
        'bed = { particle = "ring"; diameter = %.1f; length = %.1f; bore = %.1f; seed = 1; };'
        % (20.0 / min(scale, 4), 20.0 / min(scale, 4), 12.0 / min(scale, 4)))
    empty = Case("channel", channel, "f64", [gpu_component(0)], solids="")
    bed = Case("bed", channel, "f64", [gpu_component(0)], solids=rings)
    measure(options, "porous", [empty, bed])
    rows += [["channel of 100 x 100 x 1536 cells", empty.rate(), math.nan, 1.0],
             ["the same with a bed of rings", bed.rate(), math.nan, ratio(bed, empty)]]
    wide = [256 // scale, 256 // scale, options.porous_planes]
    spheres = 'spheres = { array = "simple_cubic"; constant = 32.0; radius = 14.63; };'
    pairs, points = [], []
    for mode, count in several(counts_of(gpus)):
        pairs.append((mode, count,
                      over_gpus("spheres", wide, "f64", mode, count, solids=spheres),
                      over_gpus("spheres-none", wide, "f64", mode, count, solids=spheres,
                                communication='"none"')))
    cases = [case for pair in pairs for case in pair[2:]]
    measure(options, "porous", cases)
    for mode, count, case, none in pairs:
        rows.append(["spheres, %d x %d x %d, %d GPUs, %s" % (*wide, count, mode), case.rate(),
                     ratio(case, none), ratio(case, cases[0])])
        points.append({"gpus": count, "mode": mode, "of_none": ratio(case, none),
                       "speedup": ratio(case, cases[0])})
    return ("porous media: fluid cells; the last rows beside runs without communication",
            ["case", "MFLUPS", "of limit", "of dense, empty, one GPU"], rows,
            {"kernels": numbers, "points": points, **raw([empty, bed] + cases)})


# ---- tables and plot ----------------------------------------------------------------------------

def cell_text(value):
    if isinstance(value, float):
        return "%.1f" % value if abs(value) >= 50 else "%.3f" % value
    return "-" if value is None else str(value)


def clean(value):
    """Replaces NAN by None, for JSON."""
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, dict):
        return {key: clean(item) for key, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, (list, tuple)) else value


def table(part):
    """Formats the lines of a table: title, columns, rows; numbers are right-aligned."""
    rows = [[cell_text(value) for value in row] for row in part["rows"]]
    widths = [max(len(row[i]) for row in [part["columns"]] + rows)
              for i in range(len(part["columns"]))]
    texts = [any(isinstance(row[i], str) for row in part["rows"]) for i in range(len(widths))]
    lines = [part["title"]]
    for row in [part["columns"]] + rows:
        lines.append("  " + "  ".join(value.ljust(width) if text else value.rjust(width)
                                      for value, width, text in zip(row, widths, texts)).rstrip())
    return "\n".join(lines) + "\n"


def plot_kernels(axes, part):
    numbers = sorted(part["raw"], key=lambda row: row["label"])
    labels = list(dict.fromkeys(row["label"] for row in numbers))
    edges = sorted({row["cells_per_edge"] for row in numbers})
    for place, edge in enumerate(edges):
        shares = {row["label"]: row["of_copy"] for row in numbers
                  if row["cells_per_edge"] == edge}
        width = 0.8 / len(edges)
        spots = [i + (place - (len(edges) - 1) / 2) * width for i in range(len(labels))]
        bars = axes.barh(spots, [shares.get(label, 0.0) for label in labels], width,
                         color=["#1f5fa8", "#8fb8de"][place % 2], label="%d³" % edge)
        axes.bar_label(bars, fmt="%.3f", padding=3, fontsize=8)
    axes.set(yticks=range(len(labels)), yticklabels=labels, xlim=(0, 1.15),
             xlabel="share of a device copy", title="kernels, one GPU")
    axes.invert_yaxis()
    axes.axvline(1.0, color="#555555", linewidth=0.8)
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False)


def plot_lines(axes, parts):
    """Plots efficiency over the number of GPUs."""
    kinds = [("weak", "of_none", "weak, of no communication", "o-"),
             ("weak", "of_ideal", "weak, of N GPUs", "o:"),
             ("host", "of_none", "through the host", "^-"),
             ("strong", "speedup", "strong, of N GPUs", "s--")]
    colours = {"pure-mpi": "#1f5fa8", "hybrid": "#d9541e"}
    gpus = set()
    for name, key, text, style in kinds:
        for mode in MODES:
            points = [p for p in parts.get(name, {}).get("raw", {}).get("points", [])
                      if p["mode"] == mode and p[key] is not None]
            if not points:
                continue
            gpus |= {p["gpus"] for p in points}
            axes.plot([p["gpus"] for p in points],
                      [p[key] / (p["gpus"] if key == "speedup" else 1) for p in points], style,
                      color=colours[mode], label="%s, %s" % (text, mode))
    axes.set(xlabel="GPUs", ylabel="efficiency", title="several GPUs", xticks=sorted(gpus))
    axes.set_ylim(0, max(1.05, axes.get_ylim()[1]))
    axes.grid(color="#e4e4e4")
    if gpus:
        axes.legend(fontsize=8, loc="lower left")


def plot(results, path):
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        say("no plot: matplotlib is missing (Debian: apt-get install python3-matplotlib)")
        return
    parts = results["parts"]
    draws = []
    if parts.get("kernels", {}).get("raw"):
        draws.append(lambda axes: plot_kernels(axes, parts["kernels"]))
    if any("raw" in parts.get(name, {}) for name in ("weak", "strong", "host")):
        draws.append(lambda axes: plot_lines(axes, parts))
    if not draws:
        return
    figure, axes = plt.subplots(1, len(draws), figsize=(6.4 * len(draws), 4.6), squeeze=False,
                                layout="constrained")
    for draw, where in zip(draws, axes[0]):
        draw(where)
        where.spines[["top", "right"]].set_visible(False)
    figure.suptitle(results["hardware"], fontsize=10)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    say("plot     %s" % path)


# ---- all of it ----------------------------------------------------------------------------------

def look_around(options):
    """Returns the number of GPUs, and a description of the hardware."""
    text = execute(options, [options.wabe, "node"])
    names = re.findall(r'kind = "gpu".*# (.*),', text)
    first = re.match(r"# (.*), [\d.]+ GB of memory", text)
    processor = first.group(1) if first else platform.processor()
    cores = len(os.sched_getaffinity(0))
    gpus = options.emulated or len(names)
    if options.gpus:
        gpus = min(gpus, options.gpus)
    if gpus == 0:
        why = re.search(r"# no GPU: (.*)", text)
        raise Failed("no GPU: %s; --emulated 2 --quick tries the script out"
                     % (why.group(1) if why else "see wabe node"))
    kind = "emulated GPU" if options.emulated else names[0]
    return gpus, "%d x %s, %d cores of %s" % (options.emulated or len(names), kind, cores,
                                              processor)


def load(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def add_parts(results, directory):
    """Adds the parts of an earlier results.json that results does not have."""
    path = os.path.join(directory, "results.json")
    more = load(path)
    if more is None:
        raise Failed("%s: nothing to plot" % path)
    results["parts"] = {**more["parts"], **results["parts"]}
    if more["hardware"] != results["hardware"]:
        results["hardware"] += "; " + more["hardware"]


def save(results, options):
    with open(os.path.join(options.output, "results.json"), "w") as file:
        json.dump(results, file, indent=1)
    with open(os.path.join(options.output, "tables.txt"), "w") as file:
        file.write("%s, %s\n\n" % (results["hardware"], results["date"]))
        file.write("\n".join(table(results["parts"][name]) for name in PARTS
                             if name in results["parts"]))


def fails_in(numbers):
    cases = numbers.values() if isinstance(numbers, dict) else []
    return any(isinstance(case, dict) and case.get("failure") for case in cases)


def measure_parts(options, results, gpus):
    """Measures the parts; returns the names of those that failed."""
    failed = []
    for name in options.parts:
        say("\n---- %s" % name)
        if name in NEED_TWO and gpus < 2:
            say("left out: needs two GPUs")
            continue
        start = time.monotonic()
        try:
            title, columns, rows, numbers = globals()[name](options, gpus)
        except (Failed, OSError, LookupError, ValueError) as failure:
            say("FAILED %s: %s" % (name, failure))
            failed.append(name)
            continue
        results["parts"][name] = clean({"title": title, "columns": columns, "rows": rows,
                                        "raw": numbers, "date": time.strftime("%Y-%m-%d %H:%M"),
                                        "seconds": time.monotonic() - start})
        if fails_in(numbers):
            failed.append(name + " (in part)")
        save(results, options)
        say("\n" + table(results["parts"][name]))
    return failed


def main():
    options = read_options()
    path = os.path.join(options.output, "results.json")
    before = load(path)
    if options.plot:
        if before is None:
            raise Failed("%s: nothing to plot" % path)
        for directory in options.also:
            add_parts(before, directory)
        for name in PARTS:
            if name in before["parts"]:
                say(table(before["parts"][name]))
        plot(before, os.path.join(options.output, "bench_gpu.png"))
        return 0
    for program in ("mpirun", options.wabe):
        if not shutil.which(program):
            raise Failed("there is no %s" % program)
    os.environ.update(WABE_LIVE="0")
    if os.geteuid() == 0:
        os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    gpus, hardware = look_around(options)
    os.makedirs(options.output, exist_ok=True)
    results = {"hardware": hardware, "date": time.strftime("%Y-%m-%d"), "parts": {}}
    if before and before.get("hardware") == hardware:
        results["parts"] = before["parts"]
    say("%s; %d GPU%s in use" % (hardware, gpus, "s" if gpus > 1 else ""))
    failed = measure_parts(options, results, gpus)
    say("tables   %s" % os.path.join(options.output, "tables.txt"))
    plot(results, os.path.join(options.output, "bench_gpu.png"))
    if failed:
        say("failed   %s" % ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit("bench_gpu.py: %s" % error)
