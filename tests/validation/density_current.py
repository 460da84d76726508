#!/usr/bin/env python3
"""tests/validation/density_current.py OUT_DIR: the front and the extremes of a run of input/density_current.cfg, beside the
converged solution; exits with 1 if one of them is outside what is asked of cells of 100 m."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import numpy
import wabe

# J. M. Straka et al., Int. J. Numer. Meth. Fluids 17 (1993) 1: the solution at 25 m. Name: its value, and what is asked for.
WANTED = {"front, km": (15.54, 15.3, 15.6), "lowest theta, K": (-9.77, -10.2, -9.4), "largest u, m/s": (36.0, 34.5, 37.5),
          "lowest w, m/s": (-16.0, -18.4, -13.6), "highest w, m/s": (13.0, 11.05, 14.95)}


def front_of(theta, spacing):
    """How far from the middle theta passes -1 K at the ground, outermost; theta: [along]."""
    outermost = numpy.flatnonzero(theta < -1.0)[-1]
    share = (theta[outermost] + 1.0) / (theta[outermost] - theta[outermost + 1])
    return (outermost + 0.5 + share - 0.5 * len(theta)) * spacing


def main():
    run = wabe.Run(sys.argv[1])
    theta = run.fields()["theta"][0]
    found = {"front, km": front_of(theta[0], run.config["domain"]["spacing"]) / 1000.0,
             "lowest theta, K": run.results["theta_lowest"], "largest u, m/s": run.results["velocity_x_highest"],
             "lowest w, m/s": run.results["velocity_y_lowest"], "highest w, m/s": run.results["velocity_y_highest"]}
    right = True
    for name, value in found.items():
        known, low, high = WANTED[name]
        right &= low <= value <= high
        print(f"{name}: {value:.2f}, known {known}, asked for {low} to {high}")
    mass = run.monitor["mass"]
    print(f"mirror images: {numpy.abs(theta - theta[:, ::-1]).max():.2g} K apart; mass: changed by {mass[-1] / mass[0] - 1:.2g}")
    sys.exit(not right)


main()
