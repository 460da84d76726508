#!/usr/bin/env python3
"""Draws what scripts/bench_grids.py --output has written: steps with overlap, without, and without an exchange,
and how much of the exchange is hidden where it takes how long.

    scripts/plot_grids.py FILE.csv [--output FILE.png]

Needs Python with matplotlib (Debian: python3-matplotlib, for /usr/bin/python3). FILE.png defaults to the file's
name with .png.
"""

import argparse
import csv
import math
import sys
from pathlib import Path

from plotting import plt

WAYS = {"no_overlap": ("no overlap", "#d9541e"), "overlap": ("overlap", "#1f5fa8"), "none": ("no exchange", "#9a9a9a")}
NUMBERS = [*WAYS, "exchange", "hidden"]


def read(path):
    try:
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row.update({name: float(row[name]) for name in NUMBERS})
            row["label"] = f"{row['case']}\n{row['processes']}" + (f", {row['transport']}" if row["transport"] else "")
    except OSError as error:
        sys.exit(f"plot_grids.py: {path}: {error.strerror}")
    except (KeyError, TypeError, ValueError, csv.Error):
        sys.exit(f"plot_grids.py: {path}: not what bench_grids.py --output writes")
    if not rows:
        sys.exit(f"plot_grids.py: {path}: has no rows")
    return rows


def draw_steps(axes, rows):
    for i, (way, (label, colour)) in enumerate(WAYS.items()):
        axes.bar([k + 0.27 * (i - 1) for k in range(len(rows))], [row[way] / row["none"] for row in rows], 0.25,
                 color=colour, label=label)
    axes.set_xticks(range(len(rows)), [row["label"] for row in rows], rotation=60, ha="right", fontsize=7)
    axes.set(ylabel="a step, of one without exchange")
    axes.legend(ncols=3, loc="lower left", bbox_to_anchor=(0.0, 1.0))


def draw_hidden(axes, rows):
    shown = [row for row in rows if not math.isnan(row["hidden"])]
    for transport, colour in (("host", "#d9541e"), ("any", "#1f5fa8"), ("", "#3a7d44")):
        of = [row for row in shown if row["transport"] == transport]
        if of:
            axes.plot([row["exchange"] for row in of], [row["hidden"] for row in of], "o", color=colour,
                      label={"host": "through the host", "any": "the fastest way", "": "processors"}[transport])
    axes.axhline(0.487, color="#8a8a8a", linestyle="--", linewidth=0.8, label="Kato et al.: 0.487")
    axes.axhline(1.0, color="#cccccc", linewidth=0.8)
    axes.set(xlabel="exchange, of a step without it", ylabel="part that is hidden", ylim=(0.0, 1.1))
    axes.legend()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE.csv")
    parser.add_argument("--output", metavar="FILE.png")
    arguments = parser.parse_args()
    rows = read(arguments.file)
    figure, (left, right) = plt.subplots(1, 2, figsize=(11.0, 4.6), width_ratios=[1.6, 1.0])
    draw_steps(left, rows)
    draw_hidden(right, rows)
    figure.tight_layout()
    output = arguments.output or Path(arguments.file).with_suffix(".png")
    try:
        figure.savefig(output, dpi=110)
    except OSError as error:
        sys.exit(f"plot_grids.py: {output}: {error.strerror}")
    print(output)


main()
