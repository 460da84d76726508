#!/usr/bin/env python3
"""Draws a section through a run of weather at its true heights, and how much momentum waves carry up and down.

    scripts/plot_weather.py OUT_DIR [--normal z] [--at CELL] [--quantity velocity_y] [--step STEP] [--output FILE.png]

Takes the last fields (output.every), or those of --step, which must have height and the quantity, and velocity_y and the
velocity along the section. The section is normal to an axis, in the domain's middle unless --at says otherwise. Beside it:
the flux of momentum, density times deviation from the mean wind times updraught, in the mean over each level of the whole
domain, where the density is that of air at rest. Steady waves have the same flux at all heights below the zone under the
lid; it is negative where the wind is positive: hills slow it down. Needs Python with
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


def density_at_rest(sounding, height):
    """kg/m^3 of the input's group sounding at heights in m, in hydrostatic balance."""
    gravity, gas, heat = 9.81, 287.0, 1004.0
    ground, first = sounding["theta"], (sounding["pressure"] / 1e5) ** (gas / heat)
    if sounding["kind"] == "neutral":
        theta, exner = ground, first - gravity * height / (heat * ground)
    elif sounding["kind"] == "isothermal":
        exner = first * numpy.exp(-gravity * height / (heat * ground))
        theta = ground / exner
    else:
        n = sounding["frequency"]
        theta = ground * numpy.exp(n**2 * height / gravity)
        exner = first + gravity**2 / (heat * ground * n**2) * numpy.expm1(-(n**2) * height / gravity)
    return 1e5 * exner ** (heat / gas - 1.0) / (gas * theta)


def flux_over_height(run, fields, name):
    """The mean over each level of density at rest, times what deviates from the level's mean wind, times the updraught, in
    N/m^2; the level's mean height."""
    along, up, height = field(fields, name), field(fields, "velocity_y"), field(fields, "height")
    deviation = along - along.mean(axis=(0, 2), keepdims=True)
    flux = density_at_rest(run.config["sounding"], height) * deviation * up
    return flux.mean(axis=(0, 2)), height.mean(axis=(0, 2))


def draw(directory, normal, at, quantity, step, path):
    run = wabe.Run(directory)
    fields = run.fields(step) if step is not None else run.fields()
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
    axes.fill_between(edges, corners[0], min(0.0, corners[0].min()), color="0.5", linewidth=0)
    axes.set_ylim(min(0.0, corners[0].min()), corners[-1].max())
    figure.colorbar(mesh, ax=axes, label=f"{quantity}, {fields.units[quantity]}")
    along = "x" if normal == "z" else "z"
    axes.set(xlabel=f"{along}, km", ylabel="height, km", title=f"{run.config['name']}: cell {at} along {normal}, {fields.time:.6g} {fields.units['time']}")
    flux, height = flux_over_height(run, fields, f"velocity_{along}")
    beside.plot(flux, height / 1000.0)
    beside.set(xlabel=f"flux of {along} momentum upwards,\nmean of whole levels, N/m²")
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--normal", choices=("x", "z"), default="z")
    parser.add_argument("--at", type=int, metavar="CELL")
    parser.add_argument("--step", type=int)
    parser.add_argument("--quantity", default="velocity_y")
    options = parser.parse_args()
    with complaints():
        draw(options.directory, options.normal, options.at, options.quantity, options.step, options.output or Path(options.directory) / "weather.png")


if __name__ == "__main__":
    main()
