#!/usr/bin/env python3
"""Liquid that rises between plates, beside Jurin's law.

    build/release/wabe run tests/validation/capillary_rise.cfg
    tests/validation/capillary_rise.py out/capillary_rise/fields_00040000.hdf

Between plates of distance d the mean height is 2 sigma cos(theta) / (rho g d) above that outside, which the outer sides
of the plates raise in the same way. Prints the difference of both gaps' mean heights and that of the law, and the contact
angle of the circle through the interface between the plates.
"""
import math
import sys

import h5py

CELLS, INNER, OUTER = (128, 64), range(22, 42), [*range(16), *range(48, 64)]
TENSION, WEIGHT, ANGLE, BOTTOM = 1e-2, 0.9 * 3e-5, math.radians(45), 24


def height(phase, x):
    return BOTTOM + sum(min(max(c, 0), 1) for c in phase[BOTTOM:, x])


def surface(phase, x):
    """Where the phase falls to one half, from above."""
    y = next(y for y in range(CELLS[0] - 8, 0, -1) if phase[y, x] < 0.5 <= phase[y - 1, x])
    return y - 0.5 + (phase[y - 1, x] - 0.5) / (phase[y - 1, x] - phase[y, x])


def angle(phase):
    """Of the circle that fits the surface best."""
    half = len(INNER) / 2
    levels = [surface(phase, x) for x in INNER]

    def misfit(radius):
        off = [level - radius + math.sqrt(radius ** 2 - (i + 0.5 - half) ** 2) for i, level in enumerate(levels)]
        mean = sum(off) / len(off)
        return sum((o - mean) ** 2 for o in off)
    return math.degrees(math.acos(half / min((half + 0.01 * k for k in range(1, 4000)), key=misfit)))


with h5py.File(sys.argv[1]) as file:
    found = file["VTKHDF/PointData/phase"][()].reshape(-1, *CELLS)[0]
rise = sum(height(found, x) for x in INNER) / len(INNER) - sum(height(found, x) for x in OUTER) / len(OUTER)
law = 2 * TENSION * math.cos(ANGLE) / WEIGHT * (1 / len(INNER) - 1 / len(OUTER))
print(f"rise {rise:.3f} cells, by the law {law:.3f}: {100 * (rise / law - 1):+.1f} %")
print(f"contact angle {angle(found):.1f} of {math.degrees(ANGLE):.0f} degrees")
