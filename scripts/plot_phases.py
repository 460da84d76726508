#!/usr/bin/env python3
"""Draws how two fluids flow through a porous medium: the pressure of the gas less that of the liquid over the liquid's saturation; beside it the fluxes
of both, or, if results.json has them, relative permeabilities, a point for each run.

    scripts/plot_phases.py OUT_DIR [OUT_DIR...] [--output FILE.png]

Needs runs of two fluids with porous.axis. Lines are of mean pressures in either fluid, dots of those of both reservoirs at the
ends of steps of pressure (porous.pressures). Needs Python with matplotlib (Debian:
python3-matplotlib, for /usr/bin/python3). FILE.png defaults to phases.png in the first OUT_DIR.
"""

import json
from pathlib import Path

from plotting import arguments, complaints, plt, save

import wabe

LIQUID, GAS = "#1f5fa8", "#d9541e"


def draw_pressure(axes, name, table):
    settled = table["settled"] == 1
    axes.plot(table["saturation"], table["gas_pressure"] - table["liquid_pressure"], linewidth=1.2, label=f"{name}: means")
    difference = table["reservoir_difference"][settled]
    if (difference == difference).any():
        axes.plot(table["saturation"][settled], difference, "o", color="#333333", markersize=4, label=f"{name}: reservoirs, settled")
    axes.set(xlabel="saturation of the liquid", ylabel="pressure of the gas less that of the liquid", xlim=(0, 1))


def draw_fluxes(axes, name, table):
    axes.plot(table["saturation"], table["liquid_flux"], color=LIQUID, label=f"{name}: liquid")
    axes.plot(table["saturation"], table["gas_flux"], color=GAS, label=f"{name}: gas")
    axes.set(xlabel="saturation of the liquid", ylabel="flux, volume per area and time", xlim=(0, 1))


def draw_permeabilities(axes, results):
    for key, colour, fluid in (("liquid", LIQUID, "liquid"), ("gas", GAS, "gas")):
        points = sorted((r["saturation"], r[f"{key}_relative_permeability"]) for r in results)
        axes.plot(*zip(*points), "o-", color=colour, label=fluid, markersize=4, linewidth=0.8)
    axes.set(xlabel="saturation of the liquid", ylabel="relative permeability", xlim=(0, 1), ylim=(0, 1.02))


def draw(directories, path):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.5, 4.0), layout="constrained")
    results = [json.loads((Path(directory) / "results.json").read_text())["porous"] for directory in directories]
    permeable = all("liquid_relative_permeability" in r for r in results)
    for directory in directories:
        table, name = wabe.Run(directory).table("phases.csv"), Path(directory).name
        draw_pressure(left, name, table)
        if not permeable:
            draw_fluxes(right, name, table)
    if permeable:
        draw_permeabilities(right, results)
    left.legend()
    right.legend()
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directories", nargs="+", metavar="OUT_DIR")
    options = parser.parse_args()
    with complaints("runs of two fluids with porous.axis"):
        draw(options.directories, options.output or Path(options.directories[0]) / "phases.png")


if __name__ == "__main__":
    main()
