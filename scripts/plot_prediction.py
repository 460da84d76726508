#!/usr/bin/env python3
"""Draws what wabe predict --csv has written: the rate over the nodes, with 1-D, 2-D and 3-D cuts, and the
parts of a step with the fastest cut, which show from where on the inner region cannot hide the exchange.

    scripts/plot_prediction.py FILE.csv [FILE.csv...] [--output FILE.png]

Each file has a row of the picture. Needs Python with matplotlib (Debian: python3-matplotlib, for
/usr/bin/python3). FILE.png defaults to the first file's name with .png.
"""

import argparse
import csv
import sys
from pathlib import Path

from plotting import plt

CUTS = {"none": "#222222", "1-D": "#1f5fa8", "2-D": "#d9541e", "3-D": "#3a7d44"}
KERNELS = {"outer": "#8fb4dc", "inner": "#1f5fa8"}
EXCHANGE = {"buffers": "#e0a100", "bus": "#7d4a9e", "network": "#d9541e", "sync": "#8a8a8a"}
NUMBERS = ["nodes", "step", "mflups", *KERNELS, *EXCHANGE]
TICKS_MAX = 10  # as many as fit below an axis


def read(path):
    """Returns the rows that fit, as numbers, and those of them with the fastest cut."""
    try:
        with open(path, newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["fits"] == "1"]
        for row in rows:
            row.update({name: float(row[name]) for name in NUMBERS})
        best = [row for row in rows if row["best"] == "1"]
        known = all(row["cut"] in CUTS for row in rows)
    except OSError as error:
        sys.exit(f"plot_prediction.py: {path}: {error.strerror}")
    except (KeyError, TypeError, ValueError, csv.Error):
        known = False
    if not known:
        sys.exit(f"plot_prediction.py: {path}: not what wabe predict --csv writes")
    if not best:
        sys.exit(f"plot_prediction.py: {path}: has no grid that fits")
    return rows, best


def draw_rates(axes, rows, best):
    """Lines are thinner the more axes are cut, since they may coincide."""
    for width, (cut, colour) in zip([1.0, 3.2, 2.1, 1.0], CUTS.items()):
        of = [row for row in rows if row["cut"] == cut]
        if of:
            axes.plot([row["nodes"] for row in of], [row["mflups"] for row in of], "o-",
                      color=colour, linewidth=width, markersize=width + 3.0,
                      label="not cut" if cut == "none" else cut)
    nodes = [row["nodes"] for row in best]
    axes.plot(nodes, [row["mflups"] for row in best], "o", markersize=10, markerfacecolor="none",
              markeredgecolor="#8a5a00", label="the fastest cut")
    axes.plot(nodes, [best[0]["mflups"] * count / nodes[0] for count in nodes], "--",
              color="#555555", linewidth=0.8, label="ideal")
    axes.set(ylabel="MFLUPS", yscale="log")


def draw_parts(axes, best):
    """Parts that are zero are omitted from the logarithmic axis."""
    nodes = [row["nodes"] for row in best]
    inner = [row["inner"] for row in best]
    exchange = [max(0.0, sum(row[part] for part in EXCHANGE)) for row in best]
    axes.plot(nodes, [row["step"] for row in best], color="#222222", linewidth=2.2, label="step")
    for part, colour in {**KERNELS, **EXCHANGE}.items():
        values = [row[part] if row[part] > 0.0 else float("nan") for row in best]
        if any(row[part] > 0.0 for row in best):
            axes.plot(nodes, values, ".-", color=colour, linewidth=1.2, label=part)
    if any(value > 0.0 for value in exchange):
        axes.plot(nodes, [value or float("nan") for value in exchange], "--", color="#8a1c1c",
                  linewidth=2.0, label="exchange: all but outer and inner")
        axes.fill_between(nodes, inner, exchange,
                          where=[a < b for a, b in zip(inner, exchange)], interpolate=True,
                          color="#8a1c1c", alpha=0.15, linewidth=0, label="longer than inner")
    axes.set(ylabel="ms of a step, fastest cut", yscale="log")


def set_nodes(axes, nodes):
    nodes = sorted(set(nodes))
    shown = nodes[::-(-len(nodes) // TICKS_MAX)]
    axes.margins(y=0.1)
    axes.set_xscale("log")
    axes.set_xticks(shown, [f"{count:.0f}" for count in shown])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("nodes")
    axes.legend(fontsize="x-small")


def draw(paths, output):
    figure, grid = plt.subplots(len(paths), 2, figsize=(11.0, 4.4 * len(paths)), squeeze=False,
                                layout="constrained")
    for path, (rates, parts) in zip(paths, grid):
        rows, best = read(path)
        draw_rates(rates, rows, best)
        draw_parts(parts, best)
        rates.set_title(Path(path).stem, loc="left", fontsize="medium")
        for axes in (rates, parts):
            set_nodes(axes, [row["nodes"] for row in rows])
    try:
        figure.savefig(output, dpi=90)
    except (OSError, ValueError) as error:
        sys.exit(f"plot_prediction.py: {error}")
    print(output)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE.csv")
    parser.add_argument("--output", metavar="FILE.png")
    options = parser.parse_args()
    draw(options.files, options.output or Path(options.files[0]).with_suffix(".png"))


if __name__ == "__main__":
    main()
