#!/usr/bin/env python3
"""How fast a wave between a fluid and a lighter one below it grows, beside theory of small amplitudes for two fluids of the same
kinematic viscosity: the equation of A. Prosperetti, Phys. Fluids 24 (1981) 1217, with gravity the other way round.

    tests/validation/rayleigh_taylor.py WABE [RATIO [CELLS]]

RATIO: of the densities, 3 unless given (an Atwood number of 0.5). CELLS: of a wave's length, 128 unless given. The rate is that from an
amplitude of 0.01 to one of 0.04 of the length. Half a minute on one core. Needs numpy.
"""
import csv
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

AMPLITUDE, FIRST, LAST = 0.004, 0.01, 0.04
RATE = 1e-3 * 128  # of a wave without viscosity, times its length

CASE = """
application = "two_fluids";
name = "case";
steps = {steps};
domain = {{ cells = [{half}, 1, {height}]; }};
two_fluids = {{
    liquid = {{ density = 1.0; viscosity = {nu}; }};
    gas = {{ density = {density}; viscosity = {thinner}; }};
    gravity = [0.0, 0.0, {gravity}]; time_step = 1.0;
    shapes = ( {shapes} );
}};
boundaries = {{ x_low = {{ kind = "free_slip"; }}; x_high = {{ kind = "free_slip"; }};
               z_low = {{ kind = "free_slip"; }}; z_high = {{ kind = "free_slip"; }}; }};
monitor = {{ every = {every}; }};
output = {{ every = 0; picture = "none"; fields = false; }};
"""


def growth(k, nu, square, beta):
    """The rate, of a wave whose rate without viscosity has this square."""
    d = nu * k * k
    roots = numpy.roots([1.0, -4 * beta * math.sqrt(d), 2 * (1 - 6 * beta) * d, 4 * (1 - 3 * beta) * d ** 1.5, (1 - 4 * beta) * d * d - square])
    return min(z.real for z in roots if abs(z.imag) < 1e-9 * abs(z)) ** 2 - d


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    wabe = str(Path(sys.argv[1]).resolve())
    ratio = float(sys.argv[2]) if len(sys.argv) > 2 else 3.0
    cells = int(sys.argv[3]) if len(sys.argv) > 3 else 128
    half, density, k, nu = cells // 2, 1 / ratio, 2 * math.pi / cells, 0.02
    atwood, rate = (ratio - 1) / (ratio + 1), RATE / cells
    steps = int(4.5 / rate)
    shapes = []
    for x in range(half):
        top = cells + AMPLITUDE * cells * math.cos(k * (x + 0.5))
        shapes.append(f'{{ fluid = "liquid"; low = [-999.0, -9.0, -999.0]; high = [{x + 1 if x + 1 < half else 999}.0, 9.0, {top:.9g}]; }}')
    text = CASE.format(steps=steps, half=half, height=2 * cells, nu=nu, density=density, thinner=nu * density, gravity=rate ** 2 / (atwood * k),
                       shapes=",\n".join(shapes), every=steps // 200)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "case.cfg").write_text(text)
        subprocess.run([wabe, "run", "case.cfg", "--quiet"], cwd=folder, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        rows = list(csv.DictReader(open(Path(folder) / "out/case/monitor.csv")))
    times = numpy.array([float(row["time"]) for row in rows])
    # The centre of the liquid is L / 2 - 2 a L / (pi^2 H) from the end with the crest, L half a wave, H the depth.
    a = numpy.array([(half / 2 - float(row["liquid_x"])) * math.pi ** 2 * cells / (2 * half) for row in rows]) / cells
    part = (a > FIRST) & (a < LAST)
    found, _ = numpy.polyfit(times[part], numpy.log(a[part]), 1)
    exact = growth(k, nu, rate ** 2, density / (1 + density) ** 2)
    print(f"density ratio {ratio:g}, {cells} cells: growth rate {found:.3e}, by theory {exact:.3e} ({100 * (found / exact - 1):+.1f} %; without "
          f"viscosity {rate:.3e}), from {sum(part)} lines")
    sys.exit(abs(found / exact - 1) > 0.05)


if __name__ == "__main__":
    main()
