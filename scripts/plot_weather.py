#!/usr/bin/env python3
"""Draws a section through a run of weather at its true heights, and how much momentum waves carry up and down; or a storm from above.

    scripts/plot_weather.py OUT_DIR [--normal z] [--at CELL] [--quantity velocity_y] [--step STEP] [--output FILE.png]
    scripts/plot_weather.py OUT_DIR --storm [--height METRES] [--step STEP] [--output FILE.png]

Takes the last fields (output.every), or those of --step, which must have height and the quantity, and velocity_y and the
velocity along the section. The section is normal to an axis, in the domain's middle unless --at says otherwise. Beside it:
if air at rest is a formula, the flux of momentum, density times deviation from the mean wind times updraught, in the mean over each level of the whole
domain, where the density is that of air at rest. Steady waves have the same flux at all heights below the zone under the
lid; it is negative where the wind is positive: hills slow it down.

--storm: the updraught of the level nearest to a height (5000 m) over flat ground, lines where its rain is 1 and 4 g/kg, and the
rain that has reached the ground, where there is any of them; the fields must have velocity_y, height, rain and rain_on_ground. Needs Python with
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


def draw_storm(directory, height, step, path):
    run = wabe.Run(directory)
    fields = run.fields(step) if step is not None else run.fields()
    up, rain, ground = (field(fields, name) for name in ("velocity_y", "rain", "rain_on_ground"))
    if 1 in (up.shape[0], up.shape[2]):
        raise ValueError("the run has one cell along an axis: there is no storm to see from above; leave --storm out")
    heights = field(fields, "height").min(axis=(0, 2))
    level = int(numpy.abs(heights - height).argmin())
    x, z = (fields.centres[axis] / 1000.0 for axis in (0, 2))
    figure, panels = plt.subplots(1, 2, figsize=(11.0, 4.8), layout="constrained", sharey=True)
    most = float(numpy.abs(up[:, level]).max()) or 1.0
    mesh = panels[0].pcolormesh(x, z, up[:, level], cmap="RdBu_r", vmin=-most, vmax=most)
    figure.colorbar(mesh, ax=panels[0], label=f"velocity_y at {heights[level]:.0f} m, m/s")
    lines = [value for value in (1e-3, 4e-3) if rain[:, level].max() > value]
    if lines:
        panels[0].contour(x, z, rain[:, level], levels=lines, colors="black", linewidths=0.8)
    mesh = panels[1].pcolormesh(x, z, ground[:, 0], cmap="Blues", vmin=0.0, vmax=max(float(ground.max()), 0.1))
    figure.colorbar(mesh, ax=panels[1], label="rain on the ground, mm")
    wet = numpy.nonzero((ground[:, 0] > 0.1) | (numpy.abs(up[:, level]) > 1.0))
    for axes in panels:
        axes.set(xlabel="x, km", aspect="equal")
        if len(wet[0]):
            axes.set(xlim=(x[wet[1].min()] - 10.0, x[wet[1].max()] + 10.0), ylim=(z[wet[0].min()] - 10.0, z[wet[0].max()] + 10.0))
    panels[0].set(ylabel="z, km", title=f"{run.config['name']}, {fields.time:.6g} {fields.units['time']}")
    save(figure, path)


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
    is_formula = run.config["sounding"]["kind"] in ("neutral", "isothermal", "stratified")
    figure, panels = plt.subplots(1, 1 + is_formula, figsize=(11.0, 4.4), layout="constrained", sharey=True, squeeze=False,
                                  width_ratios=(4, 1)[: 1 + is_formula])
    axes = panels[0][0]
    most = float(numpy.abs(section).max()) or 1.0
    signed = section.min() < 0.0
    mesh = axes.pcolormesh(numpy.broadcast_to(edges, corners.shape), corners, section, cmap="RdBu_r" if signed else "viridis",
                           vmin=-most if signed else None, vmax=most if signed else None)
    axes.fill_between(edges, corners[0], min(0.0, corners[0].min()), color="0.5", linewidth=0)
    axes.set_ylim(min(0.0, corners[0].min()), corners[-1].max())
    figure.colorbar(mesh, ax=axes, label=f"{quantity}, {fields.units[quantity]}")
    along = "x" if normal == "z" else "z"
    axes.set(xlabel=f"{along}, km", ylabel="height, km", title=f"{run.config['name']}: cell {at} along {normal}, {fields.time:.6g} {fields.units['time']}")
    if is_formula:
        flux, height = flux_over_height(run, fields, f"velocity_{along}")
        panels[0][1].plot(flux, height / 1000.0)
        panels[0][1].set(xlabel=f"flux of {along} momentum upwards,\nmean of whole levels, N/m²")
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--normal", choices=("x", "z"), default="z")
    parser.add_argument("--at", type=int, metavar="CELL")
    parser.add_argument("--step", type=int)
    parser.add_argument("--quantity", default="velocity_y")
    parser.add_argument("--storm", action="store_true")
    parser.add_argument("--height", type=float, default=5000.0, metavar="METRES")
    options = parser.parse_args()
    path = options.output or Path(options.directory) / "weather.png"
    with complaints():
        if options.storm:
            draw_storm(options.directory, options.height, options.step, path)
        else:
            draw(options.directory, options.normal, options.at, options.quantity, options.step, path)


if __name__ == "__main__":
    main()
