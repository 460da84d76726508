#!/usr/bin/env python3
"""Draws the points that wabe calibrate has measured: the bandwidth of messages, copies and buffers over
their size, with the curves that were fitted, and the rate of kernels over the cells of a slab.

    scripts/plot_machine.py machine.cfg.csv [--output FILE.png]

Points that were measured several times count with their median. Needs Python with matplotlib (Debian:
python3-matplotlib, for /usr/bin/python3). FILE.png defaults to the file's name with .png.
"""

import argparse
import csv
import statistics
import sys
from pathlib import Path

from plotting import plt

LINKS = ["buffers", "bus", "peer", "node", "network"]
COLOURS = ["#1f5fa8", "#d9541e", "#3a7d44", "#7d4a9e", "#e0a100", "#222222", "#b03060", "#4aa3a3"]
STORAGE = {"f64": "-", "f32": "--", "f16": ":"}


def read(path):
    """{what: {of: {size: (microseconds, fitted)}}}, medians, in ascending size. No time: no memory for this size."""
    points = {}
    try:
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                seconds, fitted = float(row["microseconds"]), float(row["fitted"])
                if seconds > 0.0:
                    sizes = points.setdefault(row["what"], {}).setdefault(row["of"], {})
                    sizes.setdefault(float(row["size"]), []).append((seconds, fitted))
    except OSError as error:
        sys.exit(f"plot_machine.py: {path}: {error.strerror}")
    except (KeyError, TypeError, ValueError, csv.Error):
        sys.exit(f"plot_machine.py: {path}: not what wabe calibrate writes")
    return {what: {of: {size: tuple(map(statistics.median, zip(*sizes[size])))
                        for size in sorted(sizes)} for of, sizes in curves.items()}
            for what, curves in points.items()}


def draw_links(axes, points):
    curves = [(what, of) for what in LINKS for of in points.get(what, {})]
    for i, (what, of) in enumerate(curves):
        sizes, colour = points[what][of], COLOURS[i % len(COLOURS)]
        axes.plot(list(sizes), [1e-3 * size / seconds for size, (seconds, _) in sizes.items()],
                  "o", color=colour, markersize=4, label=f"{what}, {of}")
        fits = {size: 1e-3 * size / fitted for size, (_, fitted) in sizes.items() if fitted > 0.0}
        axes.plot(list(fits), list(fits.values()), color=colour, linewidth=1.2)
    axes.set(title="points and fits", xlabel="bytes, each way", ylabel="GB/s")


def draw_kernels(axes, component, points):
    """Returns a colour per pattern and share of fluid, and a dash per storage type."""
    patterns = list(dict.fromkeys(of.split(" ", 2)[2] for of in points))
    for of, sizes in points.items():
        _, storage, pattern = of.split(" ", 2)
        axes.plot(list(sizes), [size / seconds for size, (seconds, _) in sizes.items()],
                  STORAGE.get(storage, "-."), marker=".", linewidth=1.2,
                  color=COLOURS[patterns.index(pattern) % len(COLOURS)],
                  label=f"{storage} {pattern}")
    axes.set(title=f"kernels, {component}", xlabel="fluid cells of a slab",
             ylabel="million cells per second")


def draw(path, output):
    points = read(path)
    kernels = {}  # by component
    for of, sizes in points.get("kernel", {}).items():
        if len(of.split(" ", 2)) != 3:
            sys.exit(f"plot_machine.py: {path}: not a flavour of a kernel: '{of}'")
        kernels.setdefault(of.split(" ")[0], {})[of] = sizes
    has_links = any(what in points for what in LINKS)
    panels = has_links + len(kernels)
    if panels == 0:
        sys.exit(f"plot_machine.py: {path}: has neither messages nor kernels")
    figure, grid = plt.subplots(1, panels, figsize=(5.6 * panels, 4.8), squeeze=False,
                                layout="constrained")
    if has_links:
        draw_links(grid[0][0], points)
    for axes, (component, flavours) in zip(grid[0][has_links:], kernels.items()):
        draw_kernels(axes, component, flavours)
    for axes in grid[0]:
        axes.set(xscale="log", yscale="log")
        axes.legend(fontsize="x-small", ncols=2)
    try:
        figure.savefig(output, dpi=90)
    except (OSError, ValueError) as error:
        sys.exit(f"plot_machine.py: {error}")
    print(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="machine.cfg.csv")
    parser.add_argument("--output", metavar="FILE.png")
    options = parser.parse_args()
    draw(options.file, options.output or Path(options.file).with_suffix(".png"))


if __name__ == "__main__":
    main()
