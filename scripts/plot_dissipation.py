#!/usr/bin/env python3
"""Draws how fast turbulence dissipates energy: the slope of the kinetic energy over time, in units of
u0^3 / L, beside the peak of the Taylor-Green vortex at Re 1600 by spectral methods.

    scripts/plot_dissipation.py OUT_DIR [OUT_DIR...] [--output FILE.png]

For runs with initial.kind = "taylor_green_3d": u0 is the x component of initial.velocity, L the cells
along x over 2 pi. Needs Python with matplotlib (Debian: python3-matplotlib, for /usr/bin/python3).
FILE.png defaults to dissipation.png in the first OUT_DIR.
"""

import sys
from pathlib import Path

from plotting import arguments, plt, save

import numpy

import wabe

# van Rees, Leonard, Pullin, Koumoutsakos, J. Comput. Phys. 230 (2011) 2794: 512^3, times 8.9 to 9.0
PEAK_TIMES, PEAK = (8.9, 9.0), (0.0126, 0.0129)


def dissipation(directory):
    """Times in L / u0, and the loss of kinetic energy per time in u0^3 / L."""
    run = wabe.Run(directory)
    config = run.config
    if config["initial"]["kind"] != "taylor_green_3d":
        raise ValueError(f"{directory}: initial.kind is not \"taylor_green_3d\"")
    if run.results["units"]["mean_kinetic_energy"] != "lattice units":
        raise ValueError(f"{directory}: output.units must be \"lattice\"")
    speed = abs(config["initial"]["velocity"][0])
    length = config["domain"]["cells"][0] / (2.0 * numpy.pi)
    time = run.monitor["step"] * speed / length
    energy = run.monitor["mean_kinetic_energy"]
    return time[1:-1], -(energy[2:] - energy[:-2]) / (time[2:] - time[:-2]) / speed**2


def draw(directories, path):
    figure, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    for directory in directories:
        time, rate = dissipation(directory)
        highest = int(numpy.argmax(rate))
        peak = f"peak {rate[highest]:.5f} at {time[highest]:.2f}"
        axes.plot(time, rate, label=f"{Path(directory).name}: {peak}")
    axes.fill_between(PEAK_TIMES, *PEAK, color="#d9541e", label="peak, spectral (van Rees et al. 2011)")
    axes.set(xlabel="time, in $L / u_0$", ylabel="dissipation, in $u_0^3 / L$", ylim=(0, None))
    axes.legend()
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directories", nargs="+", metavar="OUT_DIR")
    options = parser.parse_args()
    try:
        draw(options.directories, options.output or Path(options.directories[0]) / "dissipation.png")
    except OSError as error:
        sys.exit(f"plot_dissipation.py: {error.filename}: {error.strerror}")
    except (KeyError, ValueError) as error:
        sys.exit(f"plot_dissipation.py: {error.args[-1]}")


if __name__ == "__main__":
    main()
