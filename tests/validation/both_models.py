#!/usr/bin/env python3
"""The applications two_fluids and two_phase on the same cases: what each finds, and the seconds that it takes.

    tests/validation/both_models.py WABE

A rising bubble (64 x 128 cells), a falling column of water, a drop on a film, and drops at rest of 8 cells' radius in two and three axes:
see rising_bubble.py, dam_break.py, milk_crown.py, drops.py. Twenty minutes on two cores. Needs h5py and numpy.
"""
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
WABE = str(Path(sys.argv[1]).resolve())
INPUTS = {"two_fluids": "{}_lbm.cfg", "two_phase": "{}.cfg"}


def told(*words):
    """The last two lines that a script prints, whatever its exit code."""
    done = subprocess.run([sys.executable, *map(str, words)], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip().splitlines()[-2:]


def input_case(model, name, script, of, folder):
    """Runs an input, and what a script says of its results."""
    begin = time.monotonic()
    subprocess.run([WABE, "run", HERE.parents[1] / "input" / INPUTS[model].format(name), "--quiet", "--set", f'output.directory="{folder}"'],
                   check=True)
    return time.monotonic() - begin, told(HERE / script, f"{folder}/{of}")


for model in INPUTS:
    begin = time.monotonic()
    lines = told(HERE / "rising_bubble.py", WABE, model, 64) if model == "two_phase" else told(HERE / "rising_bubble.py", WABE, 64)
    print(f"{model}, rising bubble, {time.monotonic() - begin:.0f} s: {lines[-1]}", flush=True)
    for name, script, of in (("dam_break", "dam_break.py", "monitor.csv"), ("milk_crown", "milk_crown.py", "")):
        with tempfile.TemporaryDirectory() as folder:
            seconds, lines = input_case(model, name, script, of, folder + "/out")
            print(f"{model}, {name}, {seconds:.0f} s: {'; '.join(lines)}", flush=True)
    for axes in (2, 3):
        lines = told(HERE / "drops.py", WABE, "still", 1000, 8, axes, *(["two_phase"] if model == "two_phase" else []))
        print(f"{model}, {lines[-1]}", flush=True)
