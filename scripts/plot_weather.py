#!/usr/bin/env python3
"""Draws a section through a run of weather at its true heights, and the vertical flux of momentum over the height.

    scripts/plot_weather.py OUT_DIR [--normal z] [--at CELL] [--quantity velocity_y] [--output FILE.png]

Takes the last fields (output.every), which must have height and the quantity, and for the flux velocity_y and the velocity
along the section. The section is normal to an axis, in the domain's middle unless --at says otherwise. Needs Python with
matplotlib and h5py (Debian: python3-matplotlib, python3-h5py, for /usr/bin/python3). FILE.png defaults to weather.png in OUT_DIR.
"""

from pathlib import Path

from plotting import arguments, complaints, plt, save

import numpy

import wabe


def field(fields, name):
    if name not in fields:
        raise ValueError(f"the fields have no {name}: output.quantities must have it")
    return fields[name]


def section_of(values, normal, at):
    """[height][along] of values [z][y][x]."""
    return values[at] if normal == "z" else values[:, :, at].T


def faces(middles):
    """The edges of cells along the first axis of an array, from their middles; of one cell twice the middle."""
    if len(middles) == 1:
        return numpy.concatenate([middles, middles])
    inner = 0.5 * (middles[1:] + middles[:-1])
    return numpy.concatenate([[2 * middles[0] - inner[0]], inner, [2 * middles[-1] - inner[-1]]])


def corners_of(heights):
    """The heights of cells' corners, from those of their middles, [level][column]."""
    return faces(faces(heights).T).T


def flux_over_height(fields, name):
    """The mean over each level of what deviates from the level's mean wind, times the updraught; its mean height."""
    along, up = field(fields, name), field(fields, "velocity_y")
    deviation = along - along.mean(axis=(0, 2), keepdims=True)
    return (deviation * up).mean(axis=(0, 2)), field(fields, "height").mean(axis=(0, 2))


def draw(directory, normal, at, quantity, path):
    run = wabe.Run(directory)
    fields = run.fields()
    values, heights = field(fields, quantity), field(fields, "height")
    count = values.shape[0 if normal == "z" else 2]
    at = count // 2 if at is None else at
    if not 0 <= at < count:
        raise ValueError(f"--at {at} is not a cell of the {count} along {normal}")
    section, corners = section_of(values, normal, at), corners_of(section_of(heights, normal, at)) / 1000.0
    axis = 0 if normal == "z" else 2
    edges = (fields.centres[axis][0] + fields.spacing[axis] * (numpy.arange(section.shape[1] + 1) - 0.5)) / 1000.0
    figure, (axes, beside) = plt.subplots(1, 2, figsize=(11.0, 4.4), layout="constrained", width_ratios=(4, 1), sharey=True)
    most = float(numpy.abs(section).max()) or 1.0
    signed = section.min() < 0.0
    mesh = axes.pcolormesh(numpy.broadcast_to(edges, corners.shape), corners, section, cmap="RdBu_r" if signed else "viridis",
                           vmin=-most if signed else None, vmax=most if signed else None)
    axes.fill_between(edges, corners[0], min(0.0, corners[0].min()), color="0.5")
    figure.colorbar(mesh, ax=axes, label=f"{quantity}, {fields.units[quantity]}")
    along = "x" if normal == "z" else "z"
    axes.set(xlabel=f"{along}, km", ylabel="height, km", title=f"{run.config['name']}: cell {at} along {normal}, {fields.time:.6g} {fields.units['time']}")
    flux, height = flux_over_height(fields, f"velocity_{along}")
    beside.plot(flux, height / 1000.0)
    beside.set(xlabel=f"{along} wind × updraught,\nmean of a level, m²/s²")
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--normal", choices=("x", "z"), default="z")
    parser.add_argument("--at", type=int, metavar="CELL")
    parser.add_argument("--quantity", default="velocity_y")
    options = parser.parse_args()
    with complaints():
        draw(options.directory, options.normal, options.at, options.quantity, options.output or Path(options.directory) / "weather.png")


if __name__ == "__main__":
    main()
