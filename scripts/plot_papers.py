#!/usr/bin/env python3
"""Draws the papers' figures by the performance model: its curves as lines, the numbers that the papers'
text prints as points (filled: on the curve to the digits printed).

    scripts/plot_papers.py [--figures PROGRAM] [--output FOLDER]

PROGRAM is the build's paper_figures (default: build/release/tests/figures/paper_figures); the points come
from tests/data/paper_points.csv. Writes FOLDER/model_papers.png (default: docs/images). Needs Python with
matplotlib (Debian: python3-matplotlib, for /usr/bin/python3).
"""

import argparse
import csv
import subprocess
import sys
from pathlib import Path

from plotting import plt

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "build/release/tests/figures/paper_figures"
POINTS = ROOT / "tests/data/paper_points.csv"
COLOURS = ["#1f5fa8", "#d9541e", "#222222", "#3a7d44"]
PANELS = {  # figure: title, label of y, scale of y
    "S7": ("[S] figure 7: diffusion, TSUBAME 2.0", "Gflop/s", "log"),
    "S8": ("[S] figure 8: diffusion, Cray XK6m", "Gflop/s", "log"),
    "S11": ("[S] figure 11: LBM, TSUBAME 2.0", "Gflop/s", "log"),
    "F7d": ("[F] figure 7(d): $100^2$ x 1536 cells", "GFLUPS, overlap", "linear"),
    "F4 weak": ("[F] figure 4, weak: $180^3$ for each GPU", "exchange, ms of a step", "linear"),
    "F4 strong": ("[F] figure 4, strong: $180^2$ x 540", "exchange, ms of a step", "linear"),
    "F6 weak": ("[F] figure 6, weak", "GFLUPS", "log"),
    "F6 strong": ("[F] figure 6, strong: $180^2$ x 540", "GFLUPS", "log"),
}


def read_curves(program):
    """{figure: {curve: (all x, all y)}}"""
    try:
        done = subprocess.run([program], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"plot_papers.py: {error}; --figures names the build's paper_figures")
    figures = {}
    for row in csv.DictReader(done.stdout.splitlines()):
        xs, ys = figures.setdefault(row["figure"], {}).setdefault(row["curve"], ([], []))
        xs.append(float(row["x"]))
        ys.append(float(row["y"]))
    return figures


def read_points():
    with open(POINTS, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def draw_curves(axes, curves):
    """Returns the line style: a colour per mesh or part; dashed: no overlap; thin: four transfers instead of one."""
    names = list(dict.fromkeys(curve.split("; ")[0] for curve in curves))
    for curve, (xs, ys) in curves.items():
        name, *rest = curve.split("; ")
        dashed, thin = "no overlap" in rest, "transfers 4" in rest
        axes.plot(xs, ys, color=COLOURS[names.index(name)], label=None if dashed or thin else name,
                  linestyle="--" if dashed else "-", linewidth=0.7 if thin else 1.6)


def draw_point(axes, point):
    filled = "#e0a100" if not point["model"] else "white"
    if point["x"]:
        axes.plot(float(point["x"]), float(point["y"]), "o", markersize=7, zorder=3,
                  markerfacecolor=filled, markeredgecolor="#8a5a00")
    else:  # the text does not give the number of GPUs
        axes.axhline(float(point["y"]), color="#8a5a00", linewidth=1.0, linestyle=":",
                     label=f"printed maximum: {point['y']}")


def draw(figures, points, path):
    figure, grid = plt.subplots(2, 4, figsize=(17.0, 8.0), layout="constrained")
    for axes, (name, (title, label, scale)) in zip(grid.flat, PANELS.items()):
        draw_curves(axes, figures[name])
        for point in points:
            if point["figure"] == name:
                draw_point(axes, point)
        axes.set(title=title, xlabel="GPUs", ylabel=label, xscale="log", yscale=scale)
        if scale == "linear":
            axes.set_ylim(bottom=0)
        axes.legend(fontsize="small")
    figure.supxlabel(
        "solid: overlap; dashed: no overlap; [S]: thick one transfer a step, thin four; points: "
        "printed numbers, filled where they lie on the curve", fontsize="medium")
    figure.savefig(path, dpi=80)
    print(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", metavar="PROGRAM", default=PROGRAM)
    parser.add_argument("--output", metavar="FOLDER", default=ROOT / "docs/images")
    options = parser.parse_args()
    draw(read_curves(options.figures), read_points(), Path(options.output) / "model_papers.png")


if __name__ == "__main__":
    main()
