#!/usr/bin/env python3
"""The rising bubble of S. Hysing et al., Int. J. Numer. Methods Fluids 60 (2009) 1259, case 1: its largest rise velocity and
where it is at time 3, beside their reference.

    tests/validation/rising_bubble.py WABE [two_phase] CELLS...

two_phase: by this application (input/rising_bubble.cfg); otherwise by two_fluids (input/rising_bubble_lbm.cfg). CELLS: across the domain, 64,
128, ... The time step is that of the input at 64, and shorter in proportion. Half a minute for 64 and 128 on two cores; eight times as long for each doubling. A value off by more than 3 % and 2 %
(64: 5 % and 4 %) makes the exit code 1.
"""
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

RISE, CENTRE = 0.2417, 1.0813
SMOOTH = {"two_fluids": 7, "two_phase": 0}  # lines of monitor.csv on each side, 0.01 apart: the sound of the start goes up and down in about 0.14
STEP = {"two_fluids": 0.02, "two_phase": 0.064}  # over a cell, in lengths of the domain
INPUT = {"two_fluids": "input/rising_bubble_lbm.cfg", "two_phase": "input/rising_bubble.cfg"}


def run(wabe, name, cells, folder):
    """The largest smoothed rise velocity, its time, and the height of the centre at time 3."""
    step = STEP[name] / cells
    steps = round(3 / step)
    settings = {"domain.cells": f"[{cells}, {2 * cells}, 1]", "domain.spacing": 1 / cells, f"{name}.time_step": step, "steps": steps,
                "monitor.every": steps // 300, "output.every": 0, "output.picture": "none", "output.directory": f'"{folder}"'}
    case = Path(__file__).parents[2] / INPUT[name]
    subprocess.run([wabe, "run", case, "--quiet"] + [word for item in settings.items() for word in ("--set", "=".join(map(str, item)))],
                   check=True)
    with open(Path(folder) / "monitor.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    rise = [float(row["gas_velocity_y"]) for row in rows]
    n = SMOOTH[name]
    smooth = [(sum(rise[i - n:i + n + 1]) / (2 * n + 1), float(rows[i]["time"])) for i in range(n, len(rise) - n)]
    return *max(smooth), float(rows[-1]["gas_y"])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bad = False
    name = "two_phase" if "two_phase" in sys.argv else "two_fluids"
    for cells in (int(word) for word in sys.argv[2:] if word != name):
        with tempfile.TemporaryDirectory() as folder:
            rise, time, centre = run(sys.argv[1], name, cells, folder)
        off = rise / RISE - 1, centre / CENTRE - 1
        print(f"{cells} x {2 * cells}: rise {rise:.4f} ({off[0]:+.1%}) at {time:.3f}, centre {centre:.4f} ({off[1]:+.1%})", flush=True)
        bad |= abs(off[0]) > (0.05 if cells < 128 else 0.03) or abs(off[1]) > (0.04 if cells < 128 else 0.02)
    sys.exit(bad)


if __name__ == "__main__":
    main()
