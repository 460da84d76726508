#!/usr/bin/env python3
"""Draws how two phases move over time: the speed and the middle of both along an axis, and the interface's area.

    scripts/plot_two_phase.py OUT_DIR [--axis AXIS] [--output FILE.png]

Takes monitor.csv of a run of two_phase. Of the fluid of which there is less it prints the largest speed along the axis, the last middle,
and, of what touches no face, the least circularity (2-D: the circumference of a disc of the same area, over the interface's length) or sphericity; beside them, if
they are the cases of S. Hysing et al., Int. J. Numer. Methods Fluids 60 (2009) 1259, their values. Needs Python with matplotlib (Debian: python3-matplotlib, for
/usr/bin/python3). FILE.png defaults to two_phase.png in OUT_DIR.
"""

import math
from pathlib import Path

from plotting import arguments, complaints, plt, save

import numpy

import wabe

COLOURS = {"liquid": "#1f5fa8", "gas": "#d9541e"}

# Both densities and viscosities, and the tension, of a bubble of radius 0.25 that 0.98 of gravity moves; then what the groups
# of the paper find: the first largest speed, when, the middle at time 3, and the least circularity.
HYSING = {
    (1000.0, 100.0, 10.0, 1.0, 24.5): {"speed": "0.2417", "when": "0.92", "middle": "1.0813", "roundness": "0.9012"},
    (1000.0, 1.0, 10.0, 0.1, 1.96): {"speed": "0.2502 to 0.2524", "when": "0.73"},
}


def reference(config):
    """What the input's case has in the paper, or nothing."""
    case = config["two_phase"]
    fluids = [case[name][key] for key in ("density", "viscosity") for name in ("liquid", "gas")]
    is_bubble = abs(case["gravity"][1]) == 0.98 and [shape["radius"] for shape in case["shapes"]] == [0.25]
    return HYSING.get((*fluids, case["tension"]), {}) if is_bubble else {}


def first_peak(values):
    """The place of the first value that none of the next tenth of all exceeds."""
    ahead = max(2, len(values) // 10)
    peaks = (i for i in range(len(values)) if values[i] >= values[i : i + ahead].max() and values[i] > 0.5 * values.max())
    return next(peaks, int(numpy.argmax(values)))


def roundness_of(table, fluid, cells, spacing):
    """The area that a disc, or sphere, of the fluid's volume has, over that of the interface."""
    axes = sum(n > 1 for n in cells)
    volume = table["liquid_volume"] if fluid == "liquid" else math.prod(cells) * spacing**axes - table["liquid_volume"]
    around = 2.0 * numpy.sqrt(math.pi * volume) if axes == 2 else (36.0 * math.pi * volume**2) ** (1 / 3)
    return around / table["surface_area"]


def draw(directory, axis, path):
    run = wabe.Run(directory)
    if run.config["application"] != "two_phase":
        raise ValueError("is not a run of two_phase")
    table, domain = run.table("monitor.csv"), run.config["domain"]
    if len(table) == 0:
        raise ValueError("monitor.csv has no line: the run is shorter than monitor.every")
    time, cells = table["time"], domain["cells"]
    whole = math.prod(cells) * domain["spacing"] ** sum(n > 1 for n in cells)
    less = "liquid" if table["liquid_volume"][0] < 0.5 * whole else "gas"
    apart = all(table[f"{less}_low_{a}"].min() > 0 and table[f"{less}_high_{a}"].max() < n * domain["spacing"]
                for a, n in zip("xyz", cells) if n > 1)
    roundness = roundness_of(table, less, cells, domain["spacing"])
    speeds = {a: numpy.nan_to_num(numpy.abs(table[f"{less}_velocity_{a}"])) for a in "yxz"}
    axis = axis or max(speeds, key=lambda a: speeds[a].max())
    speed = speeds[axis]
    peak, least = first_peak(speed), int(numpy.argmin(roundness))
    beside = reference(run.config) if axis == "y" else {}
    if abs(time[-1] - 3.0) > 0.01:  # what the paper has of this time
        beside = {key: value for key, value in beside.items() if key in ("speed", "when")}
    word = "circularity" if min(cells) == 1 else "sphericity"
    for text, value, key in ((f"largest speed of the {less} along {axis}", speed[peak], "speed"), ("  at time", time[peak], "when"),
                             (f"its middle at time {time[-1]:.6g}", table[f"{less}_{axis}"][-1], "middle"),
                             (f"its least {word}", roundness[least], "roundness"))[: 4 if apart else 3]:
        print(f"{text:<38} {value:.4f}" + (f"   Hysing et al.: {beside[key]}" if key in beside else ""))
    figure, panels = plt.subplots(1, 3, figsize=(12.0, 3.6), layout="constrained")
    for fluid, colour in COLOURS.items():
        panels[0].plot(time, table[f"{fluid}_velocity_{axis}"], color=colour, label=fluid)
        panels[1].plot(time, table[f"{fluid}_{axis}"], color=colour, label=fluid)
    panels[0].set(xlabel="time", ylabel=f"mean velocity along {axis}")
    panels[1].set(xlabel="time", ylabel=f"{axis} of the middle")
    panels[2].plot(time, table["surface_area"], color="#333333")
    panels[2].set(xlabel="time", ylabel="length of the interface" if word == "circularity" else "area of the interface")
    panels[0].legend()
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--axis", choices=("x", "y", "z"), help="where most moves, unless given")
    options = parser.parse_args()
    with complaints("; see --help"):
        draw(options.directory, options.axis, options.output or Path(options.directory) / "two_phase.png")


if __name__ == "__main__":
    main()
