#!/usr/bin/env python3
"""Draws how a run is going, also while it does: what its monitor.csv has, and the rate of its run.log.

    scripts/watch.py OUT_DIR [--output FILE.png] [--every SECONDS]

--every: again and again, with a line of the latest values each time, until the run has ended (by the status in
results.json) or Ctrl-C. Columns that have no values, or are zero throughout, get no panel: a line names them. FILE.png
defaults to watch.png in OUT_DIR. Needs Python with matplotlib (Debian:
python3-matplotlib, for /usr/bin/python3).
"""
import argparse
import math
import re
import sys
import time
from pathlib import Path

from plotting import plt

import wabe

LOGARITHMIC = {"residual": "residual", "mass_drift": "|mass drift|"}  # labels of what has a logarithmic axis: magnitudes
ROUNDED = 1e-12  # components of a vector below this part of its largest one are rounded zeros


def read_rates(directory):
    """Returns steps and MLUPS from the progress lines."""
    try:
        text = (directory / "run.log").read_text()
    except OSError:
        text = ""
    found = re.findall(r"^step (\d+) of .*?([\d.]+) MLUPS", text, re.MULTILINE)
    return [int(step) for step, _ in found], [float(rate) for _, rate in found]


def largest(values):
    """The largest magnitude of those that are finite; 0 without any."""
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def is_empty(columns, name):
    """Has a column no value but zeros, or of a vector's component no more than rounding?"""
    vector = [other for other in columns.dtype.names if other[:-1] == name[:-1]] if name[-2:] in ("_x", "_y", "_z") else []
    return largest(columns[name]) <= ROUNDED * max((largest(columns[other]) for other in vector), default=0.0)


def panels(directory, columns):
    """Returns the panels to draw, each a name, steps, values and a colour, and the names of empty columns."""
    steps, rates = read_rates(directory)
    names = [name for name in columns.dtype.names if name not in ("step", "time")]
    empty = [name for name in names if is_empty(columns, name)]
    found = [(name, columns["step"], columns[name], "#1f5fa8") for name in names if name not in empty]
    return found + ([("MLUPS", steps, rates, "#d9541e")] if rates else []), empty


def draw(title, found, path):
    figure, axes = plt.subplots(len(found), 1, figsize=(7.5, 1.7 * len(found)), sharex=True, squeeze=False,
                                layout="constrained")
    for axis, (name, steps, values, colour) in zip(axes[:, 0], found):
        if name in LOGARITHMIC:
            values = [abs(value) or math.nan for value in values]
            axis.set_yscale("log")
        few = sum(map(math.isfinite, values)) < 20  # a line of one value would not be seen
        axis.plot(steps, values, ".-" if few else "-", color=colour)
        axis.set_ylabel(LOGARITHMIC.get(name, name.replace("_", " ")))
    axes[-1, 0].set_xlabel("step")
    figure.suptitle(title)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def has_ended(directory):
    try:
        return wabe.Run(directory).results["status"] != "running"
    except (OSError, ValueError, KeyError):
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="OUT_DIR", type=Path)
    parser.add_argument("--output", type=Path, metavar="FILE.png")
    parser.add_argument("--every", type=float, metavar="SECONDS")
    options = parser.parse_args()
    path = options.output or options.directory / "watch.png"
    empty = []
    while True:
        columns = wabe.Run(options.directory).monitor
        found = []
        if len(columns) > 0:
            found, empty = panels(options.directory, columns)
            if found:
                draw(options.directory.name, found, path)
            print("  ".join("%s %.6g" % entry for entry in zip(columns.dtype.names, columns[-1])), flush=True)
        else:
            print("nothing in monitor.csv yet", flush=True)
        if not options.every or has_ended(options.directory):
            break
        time.sleep(options.every)
    if empty:
        print("without a panel, as they are zero or have no values: " + ", ".join(empty))
    print(path if found else "watch.py: nothing to draw")


try:
    main()
except KeyboardInterrupt:
    pass
except OSError as error:
    sys.exit(f"watch.py: {error.filename}: {error.strerror}")
