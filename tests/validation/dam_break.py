#!/usr/bin/env python3
"""The front of a falling column of water beside an experiment.

    build/release/wabe run input/dam_break_lbm.cfg
    tests/validation/dam_break.py out/dam_break/monitor.csv

Prints the front, in widths a of the column, at each time T = t (2 g / a)^(1/2) of tests/data/martin_moyce_1952.csv that the
run has; then the difference up to T = 2.5, as it is and with the run 0.175 later, the time that its dam took to open by
those who compare with the experiment (Lethe's example of it).
"""
import csv
import math
import sys
from pathlib import Path

WIDTH, GRAVITY, OPENING, LAST = 0.05715, 9.81, 0.175, 2.5


def read(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def between(times, values, time):
    """A value at a time, interpolated."""
    i = min(max(sum(t < time for t in times), 1), len(times) - 1)
    share = (time - times[i - 1]) / (times[i] - times[i - 1])
    return values[i - 1] + share * (values[i] - values[i - 1])


rows = read(sys.argv[1])
times = [float(row["time"]) * math.sqrt(2 * GRAVITY / WIDTH) for row in rows]
fronts = [float(row["liquid_high_x"]) / WIDTH for row in rows]
data = [(float(row["T"]), float(row["front"])) for row in read(Path(__file__).parents[1] / "data" / "martin_moyce_1952.csv")]
for time, front in data:
    if time <= times[-1]:
        print(f"T {time:.2f}  front {between(times, fronts, time):.3f}, in the experiment {front:.2f}")
for shift in (0.0, OPENING):
    off = [between(times, fronts, time - shift) / front - 1 for time, front in data if OPENING < time <= LAST]
    print(f"front up to T = {LAST}, {shift} later: mean {100 * sum(off) / len(off):+.1f} %, "
          f"at most {100 * max(map(abs, off)):.1f} %")
