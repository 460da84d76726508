#!/usr/bin/env python3
"""Draws the wind over the height in places along its way, beside the profile with which it comes in.

    scripts/plot_wind.py OUT_DIR [--places 6] [--output FILE.png]

For runs with a profile at an inlet. If the fields have solid, the ground along the way is drawn below: how high solids are
in the mean across the wind, and in the highest place. Takes mean_velocity from the last fields if they have it (output.average), otherwise
velocity, and the mean across the wind, of fluid alone if they have solid. The places are spread over the domain without the
layers of turbulence and of a sponge. Needs Python with matplotlib and h5py (Debian: python3-matplotlib, python3-h5py, for
/usr/bin/python3). FILE.png defaults to wind.png in OUT_DIR.
"""

from pathlib import Path

from plotting import arguments, complaints, plt, save

import numpy

import wabe


def inlet_of(config):
    """The face with a profile, its axis, and whether the wind blows against the axis."""
    for name, face in config["boundaries"].items():
        if face["profile"]["kind"] != "none":
            return face, "xyz".index(name[0]), name.endswith("high")
    raise ValueError('no face has a profile: boundaries.FACE.profile.kind is "none"')


def speed_of(run):
    """A velocity of 1 in the unit of the run's results."""
    si = run.results["units"]["max_velocity"] != "lattice units"
    given = max(numpy.linalg.norm(face["velocity"]) for face in run.config["boundaries"].values())
    return run.config["units"]["velocity"] / run.config["lbm"].get("velocity", given) if si else 1.0


def incoming(profile, heights, top):
    """The profile's velocity over that at its height; NaN for tables."""
    kind, h = profile["kind"], profile["height"]
    with numpy.errstate(invalid="ignore", divide="ignore"):
        if kind == "logarithmic":
            d, z0 = profile["displacement"], profile["roughness"]
            return numpy.where(heights > d + z0, numpy.log((heights - d) / z0) / numpy.log((h - d) / z0), 0.0)
        if kind == "power":
            return (heights / h) ** profile["exponent"]
        if kind == "parabolic":
            return 4.0 * heights * (top - heights) / top**2
    return numpy.full_like(heights, numpy.nan)


def ground(run, axis, up):
    """How high solids are along the wind, in cells: the mean across it and the highest; None: fields have no solid."""
    fields = run.fields()
    if "solid" not in fields:
        return None
    solid = numpy.transpose(fields["solid"] > 0.5, [2 - axis, 2 - up, 2 - (3 - axis - up)])  # [along][height][across]
    above = solid.shape[1] - numpy.argmax(solid[:, ::-1], axis=1)
    tops = numpy.where(solid.any(axis=1), above, 0) * run.config["output"]["stride"]
    return tops.mean(axis=1), tops.max(axis=1)


def draw_ground(axes, heights, stride, name, places):
    """places: (place along the wind, colour) of each profile."""
    along = stride * (numpy.arange(len(heights[0])) + 0.5)
    axes.fill_between(along, heights[1], color="0.85", step="mid", label="highest solid across the wind")
    axes.fill_between(along, heights[0], color="0.6", step="mid", label="mean")
    for place, colour in places:
        axes.axvline(place, color=colour)
    axes.set(xlabel=f"{name}, cells", ylabel="ground, cells", xlim=(0, along[-1] + 0.5 * stride), ylim=(0, None))
    axes.legend(fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def over_the_height(run, axis, up):
    """The velocity along axis, [place along it][height], and the quantity that it is of."""
    fields = run.fields()
    name = "mean_velocity" if "mean_velocity" in fields else "velocity"
    wind = fields[name][..., axis]
    if "solid" in fields:
        wind = numpy.where(fields["solid"] > 0.5, numpy.nan, wind)
    order = [2 - axis, 2 - up, 2 - (3 - axis - up)]  # arrays are [z][y][x]
    wind = numpy.transpose(wind, order)
    fluid = numpy.isfinite(wind).sum(axis=2)
    return numpy.nansum(wind, axis=2) / numpy.where(fluid > 0, fluid, numpy.nan), name


def draw(directory, count, path):
    run = wabe.Run(directory)
    config = run.config
    face, axis, backward = inlet_of(config)
    up = "xyz".index(face["profile"]["up"])
    if up == axis:
        raise ValueError("the profile's height is along the wind")
    wind, name = over_the_height(run, axis, up)
    stride = config["output"]["stride"]
    cells, top = config["domain"]["cells"][axis], config["domain"]["cells"][up]
    opposite = f"{'xyz'[axis]}_{'low' if backward else 'high'}"
    begin = face["turbulence"]["width"] if face["turbulence"]["intensity"] > 0 else 0
    end = cells - config["boundaries"][opposite]["sponge"]["width"]
    reference = "the inlet's velocity"  # of a parabola its largest, of a table that where its factor is 1
    if face["profile"]["kind"] in ("logarithmic", "power"):
        reference = f"the inlet's at a height of {face['profile']['height']:g} cells"
    heights = stride * numpy.arange(wind.shape[1]) + 0.5
    unit = abs(face["velocity"][axis]) * (-1.0 if backward else 1.0) * speed_of(run)
    solids = ground(run, axis, up)
    figure = plt.figure(figsize=(9.0, 6.2 if solids else 4.6), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=[3, 1]) if solids else (figure, None)
    plain, logarithmic = above.subplots(1, 2, sharex=True)
    places = []
    for i in range(count):
        way = begin + (end - begin) * (i + 0.5) / count  # behind the inlet
        at = min(int((cells - 1 - way if backward else way) / stride), len(wind) - 1)
        colour = plt.cm.viridis(0.9 * i / max(count - 1, 1))
        places.append((stride * (at + 0.5), colour))
        for axes in (plain, logarithmic):
            axes.plot(wind[at] / unit, heights, color=colour, label=f"{way:.0f} cells behind the inlet")
    for axes in (plain, logarithmic):
        axes.plot(incoming(face["profile"], heights, top), heights, "k--", lw=1.0, label="profile of the inlet")
        axes.set(ylabel=f"{'xyz'[up]}, cells")
    above.suptitle(f"{config['name']}: {name.replace('_', ' ')}, step {run.series()[0][-1]}", fontsize="medium")
    above.supxlabel(f"{name.replace('_', ' ')} along {'xyz'[axis]}, over {reference}", fontsize="medium")
    plain.set(ylim=(0, None))
    logarithmic.set(yscale="log")
    plain.legend(fontsize=8)
    if solids:
        draw_ground(below.subplots(), solids, stride, "xyz"[axis], places)
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--places", type=int, default=6)
    options = parser.parse_args()
    with complaints():
        draw(options.directory, max(options.places, 1), options.output or Path(options.directory) / "wind.png")


if __name__ == "__main__":
    main()
