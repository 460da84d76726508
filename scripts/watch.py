#!/usr/bin/env python3
"""Draws how a run is going, also while it does: what its monitor.csv has, and the rate of its run.log.

    scripts/watch.py OUT_DIR [--output FILE.png] [--every SECONDS]

--every: again and again, with a line of the latest values each time, until the run has ended (by the status in
results.json) or Ctrl-C. FILE.png defaults to watch.png in OUT_DIR. Needs Python with matplotlib (Debian:
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

LOGARITHMIC = ("residual", "mass_drift")  # of their magnitudes


def read_rates(directory):
    """Returns steps and MLUPS from the progress lines."""
    try:
        text = (directory / "run.log").read_text()
    except OSError:
        text = ""
    found = re.findall(r"^step (\d+) of .*?([\d.]+) MLUPS", text, re.MULTILINE)
    return [int(step) for step, _ in found], [float(rate) for _, rate in found]


def draw(directory, columns, path):
    steps, rates = read_rates(directory)
    names = [name for name in columns.dtype.names if name not in ("step", "time")]
    figure, axes = plt.subplots(len(names) + 1, 1, figsize=(7.5, 1.7 * (len(names) + 1)), sharex=True,
                                layout="constrained")
    for axis, name in zip(axes, names):
        values = columns[name]
        if name in LOGARITHMIC:
            values = [abs(value) or math.nan for value in values]
            if any(value > 0 for value in values):
                axis.set_yscale("log")
        axis.plot(columns["step"], values, color="#1f5fa8")
        axis.set_ylabel(name.replace("_", " "))
    axes[-1].plot(steps, rates, ".-", color="#d9541e")
    axes[-1].set_ylabel("MLUPS")
    axes[-1].set_xlabel("step")
    figure.suptitle(directory.name)
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
    while True:
        columns = wabe.Run(options.directory).monitor
        if len(columns) > 0:
            draw(options.directory, columns, path)
            print("  ".join("%s %.6g" % entry for entry in zip(columns.dtype.names, columns[-1])), flush=True)
        else:
            print("nothing in monitor.csv yet", flush=True)
        if not options.every or has_ended(options.directory):
            break
        time.sleep(options.every)
    print(path if len(columns) > 0 else "watch.py: nothing to draw")


try:
    main()
except KeyboardInterrupt:
    pass
except OSError as error:
    sys.exit(f"watch.py: {error.filename}: {error.strerror}")
