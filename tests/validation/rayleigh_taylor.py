#!/usr/bin/env python3
"""How fast a wave between a fluid and a lighter one below it grows, beside theory of small amplitudes for two fluids of the same
kinematic viscosity: the equation of A. Prosperetti, Phys. Fluids 24 (1981) 1217, with gravity the other way round.

    tests/validation/rayleigh_taylor.py WABE [two_phase] [RATIO [CELLS]]

two_phase: by this application; otherwise by two_fluids. RATIO: of the densities, 3 unless given (an Atwood number of 0.5). CELLS: of a wave's length, 128 unless given. The rate is that from an
amplitude of 0.01 to one of 0.04 of the length. Half a minute on one core. Needs numpy.
"""
import math
import sys
from pathlib import Path

import numpy

import capillary_wave

AMPLITUDE, FIRST, LAST = 0.004, 0.01, 0.04
RATE = 1e-3 * 128  # of a wave without viscosity, times its length


def growth(k, nu, square, beta):
    """The rate, of a wave whose rate without viscosity has this square."""
    d = nu * k * k
    roots = numpy.roots([1.0, -4 * beta * math.sqrt(d), 2 * (1 - 6 * beta) * d, 4 * (1 - 3 * beta) * d ** 1.5, (1 - 4 * beta) * d * d - square])
    return min(z.real for z in roots if abs(z.imag) < 1e-9 * abs(z)) ** 2 - d


def main():
    name, arguments = capillary_wave.application(sys.argv[1:])
    if not 1 <= len(arguments) <= 3:
        sys.exit(__doc__)
    wabe = str(Path(arguments[0]).resolve())
    ratio = float(arguments[1]) if len(arguments) > 1 else 3.0
    cells = int(arguments[2]) if len(arguments) > 2 else 128
    density, k, nu = 1 / ratio, 2 * math.pi / cells, 0.02
    atwood, rate = (ratio - 1) / (ratio + 1), RATE / cells
    times, a = capillary_wave.run(wabe, name, density, cells, nu, f"gravity = [0.0, 0.0, {rate ** 2 / (atwood * k)}]", AMPLITUDE, int(4.5 / rate), 200)
    part = (a > FIRST) & (a < LAST)
    found, _ = numpy.polyfit(times[part], numpy.log(a[part]), 1)
    exact = growth(k, nu, rate ** 2, density / (1 + density) ** 2)
    print(f"{name}, density ratio {ratio:g}, {cells} cells: growth rate {found:.3e}, by theory {exact:.3e} ({100 * (found / exact - 1):+.1f} %; without "
          f"viscosity {rate:.3e}), from {sum(part)} lines")
    sys.exit(bool(abs(found / exact - 1) > 0.05))


if __name__ == "__main__":
    main()
