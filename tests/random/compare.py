#!/usr/bin/env python3
"""Makes random cases, computes each in many ways, and compares all of its results, bit for bit.

    tests/random/compare.py [--seconds 1800 | --cases 40] [--seed 1] [--jobs 2] [--gpu] ...
    tests/random/compare.py --seed 1 --case 7 [--shrink]       # one case alone, whose folder stays

A difference is a result that differs, another exit code, a crash or a hang. It takes a line with what is needed to see it
again; the folder of the case stays, with the input file, case.cfg, and the commands of all runs, commands.sh. A way may
refuse a case (exit code 2). At the end: how many runs of each way were compared, what was refused, which keys were used.
Exits with 1 if there was a difference, or, with all applications and ways, a key of the input reference that no case can
have (coverage.py).
"""
import argparse
import collections
import concurrent.futures
import copy
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the source folder
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from packages import need

need("numpy", "h5py")

import coverage
import results
import runs
import shrink
import ways
from cases import Case

KEYS_OF = 2500  # cases that show which keys there can be


class Tally:
    """Counts what was run; for several threads."""

    def __init__(self):
        self.lock = threading.Lock()
        self.cases, self.compared, self.refused = collections.Counter(), collections.Counter(), collections.Counter()
        self.keys, self.differences = collections.Counter(), 0

    def add(self, counter, key):
        with self.lock:
            counter[key] += 1

    def tell(self, line):
        with self.lock:
            self.differences += 1
            print(line, flush=True)


def keys_of(case, way):
    found = {key for settings in (case.settings, *(stage.settings for stage in way.stages)) for key in coverage.keys(settings)}
    return found | ({"parallel.device_memory_limit"} if way.limits_memory else set())


def compare_case(options, tally, number):
    """Computes one case in all ways; its folder stays if results differ."""
    case = Case(options.seed, number, options.application)
    case.instruction_sets = options.instruction_sets
    folder = options.folder / f"seed_{options.seed}_case_{number}"
    shutil.rmtree(folder, ignore_errors=True)
    runs.write(case, folder)
    runner = runs.Runner(options.wabe, folder)
    differs = not reference(case, runs.Runner(options.reference, folder), tally)
    for number, way in enumerate(ways.of(case, options.ways) if case.right else ()):
        differs |= bool(compare_way(case, runner, way, f"{number}_{way.family}", tally))
    if not differs and options.case is None:
        shutil.rmtree(folder)


def reference(case, runner, tally):
    """Sets case.right, the outcome that others are compared with, None if the case is refused. False: it failed."""
    case.right = None
    if case.before is not None and runner.before().code != 0:
        tally.tell(f"{label(case)}: the run before it fails: {runner.folder}/before.txt")
        return False
    way = ways.reference(case)
    outcome = runner.follow(way, "reference")
    if outcome.broken:
        tally.tell(f"{label(case)}: reference: exit code {outcome.code}: {outcome.message}: {runner.folder}")
        return False
    if outcome.refused:
        tally.add(tally.refused, f"case: {outcome.message}")
        return True
    case.right, case.values = outcome, results.read(outcome.folder)
    tally.add(tally.cases, case.kind)
    for key in keys_of(case, way):
        tally.add(tally.keys, key)
    return True


def compare_way(case, runner, way, name, tally):
    """Returns how the results of this way differ, and tells it."""
    outcome = runner.follow(way, name)
    if outcome.refused or outcome.code == runs.MEMORY and way.limits_memory:
        tally.add(tally.refused, f"{way.family}: {outcome.message}")
        return []
    if outcome.half_way and case.right.code == runs.DIVERGED:
        tally.add(tally.refused, f"{way.family}: not compared: it diverges, half-way, too")
        return []
    told = judge(case, way, outcome)
    if told is None:
        tally.add(tally.refused, f"{way.family}: not compared: in f16 a restart rounds what walls return once more")
        return []
    if told:
        more = f"; {len(told) - 3} more" if len(told) > 3 else ""
        tally.tell(f"{label(case)}: {name}: {'; '.join(told[:3])}{more}: {runner.folder}")
        return told
    tally.add(tally.compared, way.family)
    for key in keys_of(case, way):
        tally.add(tally.keys, key)
    shutil.rmtree(outcome.folder, ignore_errors=True)
    return []


def judge(case, way, outcome):
    """How the outcome differs from that of the reference; None: it may."""
    if outcome.code is None:
        return [f"hangs: {runs.LIMIT} s"]
    if outcome.broken or outcome.code != case.right.code:
        return [f"exit code {outcome.code} instead of {case.right.code}: {outcome.message}"]
    if way.restarts and "not the bits of an uninterrupted run" in " ".join(outcome.said.split()):
        return None
    try:
        return results.differences(case.values, results.read(outcome.folder), way.restarts)
    except (OSError, ValueError, KeyError) as error:
        return [f"has results that cannot be read: {error}"]


def label(case):
    return f"DIFFERENT --seed {case.seed} --case {case.number} ({case.kind})"


# ---- shrinking --------------------------------------------------------------------------------------

def shrink_case(options):
    """Shrinks the case for each way that differs, by the first of its differences; leaves a folder for each."""
    case = Case(options.seed, options.case, options.application)
    case.instruction_sets = options.instruction_sets
    folder = options.folder / f"seed_{options.seed}_case_{options.case}_small"

    def differences(settings, way, name):
        """The names of what differs, without the values."""
        made, quiet = copy.copy(case), Tally()
        made.settings = settings
        shutil.rmtree(folder / name, ignore_errors=True)
        runs.write(made, folder / name)
        runner = runs.Runner(options.wabe, folder / name)
        quiet.tell = lambda line: None
        if not reference(made, runs.Runner(options.reference, folder / name), quiet) or not made.right:
            return []
        return [one.split(" is ")[0].split(" differs ")[0] for one in compare_way(made, runner, way, way.family, quiet)]

    for number, way in enumerate(ways.of(case, options.ways)):
        name = f"{number}_{way.family}"
        first = differences(case.settings, way, name)[:1]
        if not first:
            shutil.rmtree(folder / name)
            continue
        small = shrink.shrink(case.settings, lambda settings: first[0] in differences(settings, way, name))
        print(f"{name}: {', '.join(differences(small, way, name))}: {folder / name}")
        print((folder / name / "case.cfg").read_text() + (folder / name / "commands.sh").read_text(), flush=True)


# ---- all cases --------------------------------------------------------------------------------------

def run_cases(options, tally):
    """Cases 1, 2, ... until there are as many as asked for, or the time is over."""
    begin = time.monotonic()
    numbers = iter([options.case]) if options.case is not None else itertools.count(1)

    def work():
        while True:
            with tally.lock:
                number = next(numbers, None)
            if number is None or options.case is None and (number > options.cases or time.monotonic() - begin > options.seconds):
                return
            compare_case(options, tally, number)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done in [pool.submit(work) for _ in range(options.jobs)]:
            done.result()


def possible_keys(options):
    """Keys of cases and ways, without any run."""
    found = set()
    for number in range(KEYS_OF):
        case = Case("keys", number)
        case.instruction_sets = ["narrow", "wide"]
        found |= keys_of(case, ways.reference(case))
        for way in ways.of(case, ways.FAMILIES):
            found |= keys_of(case, way)
    return found


def summarise(options, tally):
    """Prints what was covered; returns whether there is a key that no case can have."""
    titles = {"cases": tally.cases, "compared runs, by way": tally.compared, "refused, by message": tally.refused}
    for title, counter in titles.items():
        print(f"{title}: {sum(counter.values())}")
        for key, count in counter.most_common():
            print(f"{count:7d}  {key}")
    print("keys: " + ", ".join(f"{key} {count}" for key, count in sorted(tally.keys.items()) if "=" not in key))
    lacking = check_keys(options, tally) if options.whole else False
    print(f"{tally.differences} differences")
    return lacking


def check_keys(options, tally):
    """Are there cases with every key of the input reference, and with every word that one may be? Returns whether not."""
    possible, every = possible_keys(options), coverage.reference(options.wabe)
    rest = sorted(possible & every - tally.keys.keys())
    print("there are cases with these, but none was computed: " + (", ".join(rest) or "none"))
    lacking, unknown = coverage.missing(every, possible)
    for key in lacking:
        print(f"LACKING {key}: no case has it, and coverage.py does not say why")
    for key in unknown:
        print(f"LACKING {key}: coverage.py excepts it, and the input reference does not have it")
    return bool(lacking or unknown)


def said_by(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def instruction_sets(program):
    """Of the kernels that this machine has, the widest last; those without fused multiply-add have other bits."""
    found = re.findall(r"^hash\.d3q19\.f64\.(\S+) +cpu .* yes;", said_by(program, "kernels"), re.MULTILINE)
    return [name for name in ("avx2", "avx512") if name in found]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="no case begins later")
    parser.add_argument("--cases", type=float, default=float("inf"), help="number of cases (without this and --seconds: 40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="this case of the seed alone")
    parser.add_argument("--shrink", action="store_true", help="with --case: make it small while a way still differs")
    parser.add_argument("--application", choices=["lbm", "diffusion", "dendrite", "himeno", "weather", "two_fluids", "two_phase"])
    parser.add_argument("--ways", default="", help="of " + ", ".join([*ways.FAMILIES, *ways.GPU_FAMILIES]) + "; default: all")
    parser.add_argument("--gpu", action="store_true", help="also on a real GPU; exits with 77 if there is none")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    parser.add_argument("--folder", type=Path, default=None, help="of the cases; default: a new one below /tmp")
    parser.add_argument("--wabe", default=str(ROOT / "build/release/wabe"))
    parser.add_argument("--reference", help="another program, an older one, whose results must stay (default: the same)")
    options = parser.parse_args()
    options.wabe = str(Path(options.wabe).resolve())
    options.reference = str(Path(options.reference or options.wabe).resolve())
    if not os.access(options.wabe, os.X_OK):
        parser.error(f"{options.wabe} is not there: build it, or name another with --wabe")
    if options.seconds == options.cases:
        options.cases = 40
    chosen = list(ways.FAMILIES) + (list(ways.GPU_FAMILIES) if options.gpu else [])
    options.whole = not options.ways and not options.application
    options.ways = options.ways.split(",") if options.ways else chosen
    if unknown := [name for name in options.ways if name not in ways.FAMILIES | ways.GPU_FAMILIES]:
        parser.error(f"no way is named {unknown[0]}")
    if options.shrink and options.case is None:
        parser.error("--shrink needs --case")
    options.folder = (options.folder or Path(tempfile.mkdtemp(prefix="wabe_random_"))).resolve()
    return options


def main():
    options = parse()
    if options.gpu and 'kind = "gpu"' not in said_by(options.wabe, "node"):
        print("skipped: wabe node lists no GPU")
        return 77
    options.instruction_sets = instruction_sets(options.wabe)
    if options.shrink:
        shrink_case(options)
        return 0
    tally = Tally()
    run_cases(options, tally)
    lacking = summarise(options, tally)
    return 1 if tally.differences or lacking else 0


if __name__ == "__main__":
    sys.exit(main())
