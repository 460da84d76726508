#!/usr/bin/env python3
"""Draws how fast turbulence dissipates energy: the slope of the kinetic energy over time, in units of
u0^3 / L, beside the peak of the Taylor-Green vortex at Re 1600 by spectral methods.

    scripts/plot_dissipation.py OUT_DIR [OUT_DIR...] [--output FILE.png]

For runs with initial.kind = "taylor_green_3d": u0 is the x component of initial.velocity, L the cells
along x over 2 pi. The peak is drawn if a run has a Reynolds number u0 L / viscosity near 1600. Needs Python with matplotlib (Debian: python3-matplotlib, for /usr/bin/python3).
FILE.png defaults to dissipation.png in the first OUT_DIR.
"""

from pathlib import Path

from plotting import arguments, complaints, plt, save

import numpy

import wabe

# van Rees, Leonard, Pullin, Koumoutsakos, J. Comput. Phys. 230 (2011) 2794: 512^3, times 8.9 to 9.0
PEAK_TIMES, PEAK = (8.9, 9.0), (0.0126, 0.0129)


def dissipation(directory):
    """Times in L / u0, the loss of kinetic energy per time in u0^3 / L, the Reynolds number, and the status."""
    run = wabe.Run(directory)
    config = run.config
    if config["initial"]["kind"] != "taylor_green_3d":
        raise ValueError(f"{directory}: initial.kind is not \"taylor_green_3d\"")
    results = run.results
    if results["units"]["mean_kinetic_energy"] != "lattice units":
        raise ValueError(f"{directory}: output.units must be \"lattice\"")
    speed = abs(config["initial"]["velocity"][0])
    length = config["domain"]["cells"][0] / (2.0 * numpy.pi)
    time = run.monitor["step"] * speed / length
    energy = run.monitor["mean_kinetic_energy"]
    if len(time) < 3:
        raise ValueError(f"{directory}: monitor.csv has fewer than three lines")
    rate = -(energy[2:] - energy[:-2]) / (time[2:] - time[:-2]) / speed**2
    return time[1:-1], rate, speed * length / results["viscosity"], results["status"]


def draw(directories, path):
    figure, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    known = False
    for directory in directories:
        time, rate, reynolds, status = dissipation(directory)
        highest = int(numpy.argmax(rate))
        peak = f"Re {reynolds:.4g}, peak {rate[highest]:.5f} at {time[highest]:.2f}"
        axes.plot(time, rate, label=f"{Path(directory).name}: {peak}" + ("" if status == "done" else f" ({status})"))
        known |= abs(reynolds / 1600.0 - 1.0) < 0.05
    if known:
        axes.fill_between(PEAK_TIMES, *PEAK, color="#d9541e", label="Re 1600: peak, spectral (van Rees et al. 2011)")
    axes.set(xlabel="time, in $L / u_0$", ylabel="dissipation, in $u_0^3 / L$", ylim=(0, None))
    axes.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0))  # above the axes, where it hides nothing
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directories", nargs="+", metavar="OUT_DIR")
    options = parser.parse_args()
    with complaints():
        draw(options.directories, options.output or Path(options.directories[0]) / "dissipation.png")


if __name__ == "__main__":
    main()
