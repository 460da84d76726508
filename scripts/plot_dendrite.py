#!/usr/bin/env python3
"""Draws the tip of a dendrite over time: its position, its velocity beside that of the microscopic
solvability theory where it is known, and its Peclet number V R / (2 D) beside Ivantsov's.

    scripts/plot_dendrite.py OUT_DIR [--solvability NUMBER] [--output FILE.png]

NUMBER is V d0 / D by solvability theory (0.0170 for input/karma_rappel.cfg). There is no Peclet number where
no crystal axis lies along x. Units are those of the run: m and s, or smaller ones, of a pure metal. Needs Python with
matplotlib (Debian: python3-matplotlib, for /usr/bin/python3). FILE.png defaults to tip.png in
OUT_DIR.
"""

import sys
from pathlib import Path

from plotting import arguments, complaints, plt, save

import numpy

import wabe

COLOUR, THEORY = "#1f5fa8", "#d9541e"
PREFIXES = {"": 1.0, "m": 1e-3, "µ": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15}


def ivantsov(peclet, axes):
    """The dimensionless undercooling of a parabolic tip (Ivantsov 1947) in two or three dimensions. Both are
    integrals over s, from 0 on, of exp(-P s) / (1 + s)^((axes - 1) / 2), times P."""
    edge = numpy.linspace(0.0, 1.0, 20001)
    s = (0.5 * (edge[1:] + edge[:-1]) / (1.0 - 0.5 * (edge[1:] + edge[:-1]))) / peclet
    width = numpy.diff(edge) / (1.0 - 0.5 * (edge[1:] + edge[:-1])) ** 2 / peclet
    return peclet * numpy.sum(numpy.exp(-peclet * s) / (1.0 + s) ** (0.5 * (axes - 1)) * width)


def peclet_of(undercooling, axes):
    """The Peclet number of an undercooling below 1, by bisection."""
    low, high = 1e-6, 1e3
    while high / low > 1.0 + 1e-9:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if ivantsov(middle, axes) < undercooling else (low, middle)
    return low


def top(values, least):
    """The end of an axis: above the middle of the values, whatever the first ones are, and above least."""
    finite = values[numpy.isfinite(values)]
    return max(2.0 * numpy.median(finite) if len(finite) else 0.0, 1.2 * least) or 1.0


def readable(values, unit):
    """Values in a unit in which they are numbers that can be read, and this unit for a label."""
    if not unit:
        return values, "units of the input"
    largest = numpy.nanmax(numpy.abs(values))
    prefix, size = next(((prefix, size) for prefix, size in PREFIXES.items() if largest >= size), ("", 1.0))
    return values / size, prefix + unit


def draw(directory, solvability, path):
    run = wabe.Run(directory)
    case, tip = run.config["dendrite"], run.monitor
    if not numpy.isfinite(tip["tip_position"]).any():
        sys.exit(f"plot_dendrite.py: {directory}: monitor.csv has no tip: the crystal melted, or has reached the face")
    axes_of_space = sum(cells > 1 for cells in run.config["domain"]["cells"])
    diffusivity = case["diffusivity"]
    velocity = tip["tip_velocity"] * run.results["capillary_length"] / diffusivity
    peclet = tip["tip_velocity"] * tip["tip_radius"] / (2.0 * diffusivity)
    figure, axes = plt.subplots(1, 3, figsize=(12.0, 3.6), layout="constrained")
    units = run.results.get("units", {})  # those of the input have no name
    time, unit_of_time = readable(tip["time"], units.get("time"))
    position, unit_of_length = readable(tip["tip_position"], units.get("tip_position"))
    axes[0].plot(time, position, color=COLOUR)
    what = "tip" if numpy.isfinite(tip["tip_radius"]).any() else "surface along x"  # no axis of the crystal lies along x
    axes[0].set(ylabel=f"distance of the {what} from the nucleus\n({unit_of_length})")
    axes[1].plot(time, velocity, color=COLOUR)
    axes[1].set(ylabel="velocity, $V d_0 / D$", ylim=(0, top(velocity, solvability or 0.0)))
    if solvability:
        axes[1].axhline(solvability, color=THEORY, linestyle="--", label="solvability theory")
    axes[2].plot(time, peclet, color=COLOUR)
    theory = 0.0
    if axes_of_space > 1 and case["undercooling"] < 1.0:
        theory = peclet_of(case["undercooling"], axes_of_space)
        shape = "parabola (2-D)" if axes_of_space == 2 else "paraboloid (3-D)"
        axes[2].axhline(theory, color=THEORY, linestyle="--", label=f"Ivantsov, {shape}")
        reason = "kinetics and a finite box keep it below Ivantsov's"
        if case["model"] != "pure_metal":
            reason = "R is that of the tip itself, which is sharper than its parabola"
            if abs(case["anisotropy"] - 0.05) < 0.011:
                reason = reason.replace("than its", "than\nits") + ": 2.7 times at an anisotropy of 0.05"
        axes[2].set_title(reason, fontsize="small")
    axes[2].set(ylabel="Peclet number, $V R / 2 D$", ylim=(0, top(peclet, theory)))
    for panel in axes:
        panel.set(xlabel=f"time ({unit_of_time})")
    for panel in axes[1:]:
        if panel.get_legend_handles_labels()[0]:
            panel.legend()
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--solvability", type=float, metavar="NUMBER")
    options = parser.parse_args()
    with complaints("; the run needs application = \"dendrite\""):
        draw(options.directory, options.solvability, options.output or Path(options.directory) / "tip.png")


if __name__ == "__main__":
    main()
