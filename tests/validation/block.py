#!/usr/bin/env python3
"""tests/validation/block.py OUT_DIR: where the mean flow around the building of input/block_2_1_1.cfg reattaches, in
widths, beside the experiment's."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import numpy
import wabe

# Yoshihide Tominaga et al., J. Wind Eng. Ind. Aerodyn. 96 (2008) 1749: from the back wall, and on the roof from its
# upstream edge.
EXPERIMENT = {"behind the building": 1.42, "on the roof": 0.52}


LAYER = 1  # cells above the wall; that beside it is at rest but for noise


def crossing(x, u):
    """Where the flow turns to go forward for good, or why there is no such place."""
    back = numpy.flatnonzero(u < 0)
    if not len(back):
        return "no backflow"
    last = back[-1]
    if last + 1 == len(u):
        return "the flow does not reattach"
    return x[last] + (x[last + 1] - x[last]) * u[last] / (u[last] - u[last + 1])


def main():
    run = wabe.Run(sys.argv[1])
    fields = run.fields()
    building = run.config["geometry"]["objects"][0]
    width = building["high"][0] - building["low"][0]
    front, back, roof = (int(n) for n in (building["low"][0], building["high"][0], building["high"][1]))
    middle = (building["low"][2] + building["high"][2]) / 2
    u = fields["mean_velocity"][int(middle) - 1:int(middle) + 1, :, :, 0].mean(axis=0)  # (y, x)
    x = numpy.arange(u.shape[1]) + 0.5
    found = {"behind the building": crossing(x[back:] - back, u[LAYER, back:]),
             "on the roof": crossing(x[front:back] - front, u[roof + LAYER, front:back])}
    for place, length in found.items():
        text = length if isinstance(length, str) else f"{length / width:.2f} widths"
        print(f"reattachment {place}: {text}, in the experiment {EXPERIMENT[place]}")


main()
