#!/usr/bin/env python3
"""Draws the mean profiles of a turbulent channel in wall units: the velocity beside u+ = y+ and the law of the wall, and the
fluctuations. Prints the friction velocity and Re_tau, by the mean of body_force in monitor.csv over the averaged time.

    scripts/plot_channel.py OUT_DIR [--output FILE.png]

For flows that lbm.flux or lbm.force drives between two walls, of which both halves are averaged, or between one and a face of
kind free_slip. Needs output.mean_profiles along the axis from wall to wall, and Python with matplotlib (Debian:
python3-matplotlib, for /usr/bin/python3). FILE.png defaults to channel.png in OUT_DIR.
"""
from pathlib import Path

from plotting import arguments, complaints, plt, save

import numpy

import wabe

# The law of the wall, by M. Lee, R. D. Moser, J. Fluid Mech. 774 (2015) 395; y+ at which u+ = y+ ends, at which the law begins.
KAPPA, B, SUBLAYER, LAW = 0.384, 4.27, 5.0, 30.0
COLOURS = ("#1f6fb4", "#d9541e", "#2b8a5c")


def walls_of(config, axis):
    """Are there walls at the low and the high face of the axis? Both if they are alike, one if the other slips."""
    faces = [config["boundaries"][f"{'xyz'[axis]}_{end}"] for end in ("low", "high")]
    kinds = [face["kind"] for face in faces]
    walls = [kind in ("no_slip", "wall_function") and "roughness" not in face for kind, face in zip(kinds, faces)]
    if not any(walls) or (kinds[0] != kinds[1] if all(walls) else "free_slip" not in kinds):
        raise ValueError(f"along {'xyz'[axis]}, the axis of output.mean_profiles, the faces are {' and '.join(kinds)}; "
                         "needed: no_slip or smooth wall_function at both, or at one, with free_slip at the other")
    return walls


def wall_units(run):
    """From a wall to the middle, or to the face that slips: y+, u+, the rms velocities over the friction velocity along the
    flow, normal to the wall and across; and the friction velocity and Re_tau."""
    config = run.config
    if config["output"]["mean_profiles"] == "none":
        raise ValueError('output.mean_profiles is "none"; it must be the axis from wall to wall')
    axis, cells = "xyz".index(config["output"]["mean_profiles"]), config["domain"]["cells"]
    walls, profile, monitor = walls_of(config, axis), run.table("mean_profiles.csv"), run.monitor
    others = [face["kind"] for name, face in config["boundaries"].items() if name[0] != "xyz"[axis]]
    if set(others) - {"periodic", "free_slip"} or profile["cells"].sum() != numpy.prod(cells):
        raise ValueError("there are other walls, inlets or solids; needed: a channel between faces of the domain alone")
    late = monitor[monitor["step"] > config["output"]["average"]["begin"]]
    if not len(late):
        raise ValueError("monitor.csv has no line of the averaged time, after output.average.begin")
    forces = numpy.array([late[f"body_force_{name}"].mean() for name in "xyz"])
    along = int(numpy.argmax(abs(forces)))
    if numpy.count_nonzero(forces) != 1 or along == axis:
        raise ValueError("needed: a flow that a body force along one axis, along the walls, drives")
    height = cells[axis] * run.results["dx"] / sum(walls)
    friction = (abs(forces[along]) * height / profile["density"].mean()) ** 0.5
    unit, near = run.results["viscosity"] / friction, profile["position"] < height * (1.0 + 1e-9)
    rows = profile if walls[0] else profile[::-1]  # from a wall on
    half = lambda name: (0.5 * (rows[name] + rows[name][::-1]) if all(walls) else rows[name])[near]
    speed = numpy.sign(forces[along]) * half(f"u{'xyz'[along]}") / friction
    rms = [numpy.sqrt(numpy.maximum(half(2 * f"u{'xyz'[d]}"), 0.0)) / friction for d in (along, axis, 3 - axis - along)]
    return profile["position"][near] / unit, speed, rms, friction, height / unit


def draw(directory, path):
    run = wabe.Run(directory)
    y_plus, u_plus, fluctuations, friction, re_tau = wall_units(run)
    print(f"friction velocity {friction:.4g} {run.results['units']['velocity']}, Re_tau {re_tau:.4g}")
    figure, (mean, rms) = plt.subplots(1, 2, figsize=(9.0, 4.0), layout="constrained")
    mean.semilogx(y_plus, u_plus, ".-", color=COLOURS[0], label=Path(directory).name)
    below, above = numpy.geomspace(min(1.0, y_plus[0]), SUBLAYER), numpy.array([LAW, max(re_tau, LAW)])
    mean.plot(below, below, "k--", lw=1.0, label="$u^+ = y^+$")
    mean.plot(above, numpy.log(above) / KAPPA + B, "k-", lw=1.0, label=f"ln $y^+$ / {KAPPA} + {B}")
    mean.set(xlabel="$y^+$", ylabel="mean velocity, $u^+$", ylim=(0, None))
    for values, label, colour in zip(fluctuations, ("along the flow", "normal to the wall", "across"), COLOURS):
        rms.plot(y_plus, values, ".-", color=colour, label=label)
    rms.set(xlabel="$y^+$", ylabel="rms velocity, in friction velocities", xlim=(0, None), ylim=(0, None))
    mean.legend()
    rms.legend()
    figure.suptitle(f"$Re_\\tau$ = {re_tau:.4g}")
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    options = parser.parse_args()
    with complaints():
        draw(options.directory, options.output or Path(options.directory) / "channel.png")


if __name__ == "__main__":
    main()
