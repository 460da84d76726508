#!/usr/bin/env python3
"""Draws the mean wind at a height above the ground, over terrain and in streets, over that of the inlet's profile at this
height: the speed-up. Beside it, if the fields have it, the share of the time with more than a threshold.

    scripts/plot_comfort.py OUT_DIR --height 1.75 [--buildings CELLS] [--output FILE.png]

The height is in the run's unit of length: metres, or cells without units. The last fields must have mean_speed and solid,
and may have exceedance (output.quantities, output.average). The ground is the top of the solids of each column; with a
city in the input it is the domain's lower face, or geometry.heights. --buildings tells buildings that are in
geometry.heights from hills: what is narrower than so many cells along an axis, such as 20, stands on the ground, and is
drawn grey.
Values are interpolated between the centres of cells; below the first centre they are its own. Needs Python with
matplotlib and h5py (Debian: python3-matplotlib, python3-h5py, for /usr/bin/python3). FILE.png defaults to comfort.png
in OUT_DIR.
"""

from pathlib import Path

from plot_wind import incoming, inlet_of, speed_of
from plotting import arguments, complaints, plt, save

import numpy
from numpy.lib.stride_tricks import sliding_window_view

import wabe


def tops_of(solid):
    """The solid cells at the bottom of each column; solid: [height][across][along], or with the last two in turn."""
    return numpy.where(solid.all(axis=0), solid.shape[0], numpy.argmin(solid, axis=0))


def without_narrow(tops, cells):
    """The tops without what is narrower than so many cells along an axis: the lowest around each column, and of these the
    highest around it."""
    for choose in (numpy.min, numpy.max):
        for axis in (0, 1):
            before = cells // 2 if choose is numpy.min else (cells - 1) // 2
            wider = numpy.pad(tops, [(before, cells - 1 - before) if axis == d else (0, 0) for d in (0, 1)], mode="edge")
            tops = choose(sliding_window_view(wider, cells, axis=axis), axis=-1)
    return tops


def ground_of(solid, config, cells):
    """The ground's height in each column, in cells."""
    if cells:
        return without_narrow(tops_of(solid), cells)
    geometry = config["geometry"]  # it has keys that have no default only where they are given
    if "pitch" in geometry["city"]:
        if geometry["heights"]["file"]:
            raise ValueError("a city stands on geometry.heights: --buildings must tell houses from hills")
        return numpy.zeros(solid.shape[1:], dtype=int)
    return tops_of(solid)


def above_ground(values, solid, ground, height):
    """Values at a height above the ground, in cells; NaN in solids, and above the domain. All are [height, ...]."""
    place = numpy.maximum(height - 0.5, 0.0)
    first, share = int(place), place - int(place)
    below = numpy.minimum(ground + first, len(values) - 1)[None]
    above = numpy.minimum(below + 1, len(values) - 1)
    low, high = (numpy.take_along_axis(values, at, axis=0)[0] for at in (below, above))
    in_solid = numpy.take_along_axis(solid, below, axis=0)[0]
    return numpy.where(in_solid | (ground + first >= len(values)), numpy.nan, (1.0 - share) * low + share * high)


def draw_panel(figure, axes, values, label, names, cell, unit, colours):
    along, across = (count * cell for count in values.shape[::-1])
    image = axes.imshow(numpy.ma.masked_invalid(values), extent=(0.0, along, across, 0.0), cmap=colours, vmin=0.0)
    axes.set(xlabel=f"{names[0]}, {unit}", ylabel=f"{names[1]}, {unit}")
    figure.colorbar(image, ax=axes, label=label)


def draw(directory, height, buildings, path):
    run = wabe.Run(directory)
    config, fields = run.config, run.fields()
    face, axis, _ = inlet_of(config)
    for name in ("mean_speed", "solid"):
        if name not in fields:
            raise ValueError(f"{directory}: the last fields have no {name}: output.quantities")
    up = "xyz".index(face["profile"]["up"])
    if up == axis:
        raise ValueError("the profile's height is along the wind")
    if config["output"]["stride"] != 1:
        raise ValueError(f"{directory}: output.stride must be 1")
    si = run.results["units"]["max_velocity"] != "lattice units"
    cell, speed = config["units"]["cell"] if si else 1.0, speed_of(run)
    order = [2 - up, 2 - (3 - axis - up), 2 - axis]  # arrays are [z][y][x]
    solid = numpy.transpose(fields["solid"] > 0.5, order)
    ground = ground_of(solid, config, buildings)
    top = float(config["domain"]["cells"][up])
    if not height / cell < top:
        raise ValueError(f"--height is not below the domain's, {top * cell:g}")
    blowing = numpy.linalg.norm(face["velocity"]) * speed
    reference = incoming(face["profile"], numpy.array([max(height / cell, 0.5)]), top)[0] * blowing
    if not reference > 0.0:
        raise ValueError(f"{directory}: the inlet's profile has no formula, or no wind at this height")
    panels = [(numpy.transpose(fields["mean_speed"], order) / reference, "mean speed over the inlet's at this height")]
    if "exceedance" in fields:
        panels.append((numpy.transpose(fields["exceedance"], order), "share of the time above output.average.threshold"))
    figure, all_axes = plt.subplots(len(panels), 1, figsize=(9.0, 5.0 * len(panels)), layout="constrained", squeeze=False)
    colours = plt.get_cmap("viridis").with_extremes(bad="0.6")
    names = "xyz"[axis], "xyz"[3 - axis - up]
    unit = "m" if si else "cells"
    for axes, (values, label) in zip(all_axes[:, 0], panels):
        draw_panel(figure, axes, above_ground(values, solid, ground, height / cell), label, names, cell, unit, colours)
    figure.suptitle(f"{run.config['name']}: {height:g} {unit} above the ground; grey: buildings", fontsize="medium")
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--height", type=float, required=True)
    parser.add_argument("--buildings", type=int, default=0, metavar="CELLS")
    options = parser.parse_args()
    if not options.height > 0.0 or options.buildings < 0:
        parser.error("--height must be above 0, --buildings 0 or more")
    with complaints("; the run needs a profile at an inlet, mean_speed and solid"):
        draw(options.directory, options.height, options.buildings, options.output or Path(options.directory) / "comfort.png")


if __name__ == "__main__":
    main()
