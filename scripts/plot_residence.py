#!/usr/bin/env python3
"""Draws how long fluid stays in a porous medium: the share that has got through by then (of the tracers
that did), beside plug flow, and how much of it gets through when.

    scripts/plot_residence.py OUT_DIR [OUT_DIR...] [--output FILE.png]

Needs runs with porous.tracers, some thousands of them. Times are in pore volumes over flux. Needs
Python with matplotlib (Debian: python3-matplotlib, for /usr/bin/python3). FILE.png defaults to
residence.png in the first OUT_DIR.
"""

import sys
from pathlib import Path

from plotting import arguments, plt, save

import wabe

COLOURS = ["#1f5fa8", "#d9541e", "#3a7d44", "#7d4a9e"]
LATEST = 4.0  # the latest time drawn, in mean residence times
BINS = 40


def draw(directories, path):
    figure, (shares, rates) = plt.subplots(1, 2, figsize=(10.5, 4.0), layout="constrained")
    for directory, colour in zip(directories, COLOURS):
        try:
            tracers = wabe.Run(directory).table("residence.csv")
        except OSError as error:
            sys.exit(f"plot_residence.py: {error.filename}: {error.strerror}; the run needs porous.tracers")
        times = tracers["steps_over_mean"]
        label = Path(directory).name
        shares.plot(times, tracers["arrived"], color=colour, label=label)
        rates.hist(times, BINS, (0.0, LATEST), weights=[BINS / LATEST / len(times)] * len(times),
                   histtype="step", color=colour, label=label)
    shares.plot([0, 1, 1, LATEST], [0, 0, 1, 1], color="#555555", linewidth=0.8, linestyle="--",
                label="plug flow")
    shares.set(ylabel="share that has got through", ylim=(0, 1.02))
    rates.set(ylabel="share per pore volume over flux")
    for axes in (shares, rates):
        axes.set(xlabel="time, in pore volumes over flux", xlim=(0, LATEST))
        axes.legend()
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directories", nargs="+", metavar="OUT_DIR")
    options = parser.parse_args()
    if len(options.directories) > len(COLOURS):
        parser.error(f"at most {len(COLOURS)} runs in one picture")
    draw(options.directories, options.output or Path(options.directories[0]) / "residence.png")


if __name__ == "__main__":
    main()
