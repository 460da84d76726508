#!/usr/bin/env python3
"""A capillary wave between two fluids of equal kinematic viscosity, beside the solution of A. Prosperetti, Phys. Fluids 24 (1981)
1217, for small amplitudes and deep fluids.

    tests/validation/capillary_wave.py WABE [two_phase] [RATIO [CELLS]]

two_phase: by this application; otherwise by two_fluids. RATIO: of the densities, 1 unless given. CELLS: of a wave's length, 64 unless given; its amplitude is 0.02 of it. Prints the period, by the
first three times that the wave is flat, and how much of the amplitude is left after a period, beside theory, and the largest difference of the
amplitude in two periods. Minutes for a ratio of 1000 on one core, a minute for 1. Needs numpy.
"""

import cmath
import csv
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

AMPLITUDE = 0.02

CASE = """
application = "{application}";
name = "case";
steps = {steps};
domain = {{ cells = [{half}, 1, {height}]; }};
{application} = {{
    liquid = {{ density = 1.0; viscosity = {viscosity}; }};
    gas = {{ density = {density}; viscosity = {thinner}; }};
    {drive}; {more}
    shapes = ( {shapes} );
}};
boundaries = {{ x_low = {{ kind = "free_slip"; }}; x_high = {{ kind = "free_slip"; }};
               z_low = {{ kind = "free_slip"; }}; z_high = {{ kind = "free_slip"; }}; }};
monitor = {{ every = {every}; }};
output = {{ every = 0; picture = "none"; fields = false; }};
"""


def faddeeva_erfc(z, root):
    """exp(z^2 t) erfc(z sqrt(t)) with root = sqrt(t), from its integral along the positive axis, or by reflection."""
    if z.real < 0:
        return 2 * cmath.exp((z * root) ** 2) - faddeeva_erfc(-z, root)
    s = numpy.linspace(0.0, 12.0, 24001)
    values = numpy.exp(-s * s - 2 * z * root * s)
    return complex(2 / math.sqrt(math.pi) * numpy.trapezoid(values, s) if hasattr(numpy, "trapezoid")
                   else 2 / math.sqrt(math.pi) * numpy.trapz(values, s))


def theory(times, k, nu, omega, beta):
    """The amplitude over that at the start."""
    d = nu * k * k
    roots = numpy.roots([1.0, -4 * beta * math.sqrt(d), 2 * (1 - 6 * beta) * d, 4 * (1 - 3 * beta) * d ** 1.5,
                         (1 - 4 * beta) * d * d + omega * omega])
    found = []
    for t in times:
        root = math.sqrt(t)
        a = 4 * (1 - 4 * beta) * d * d / (8 * (1 - 4 * beta) * d * d + omega * omega) * math.erfc(math.sqrt(d) * root)
        for i, z in enumerate(roots):
            others = numpy.prod([w - z for j, w in enumerate(roots) if j != i])
            a += z / others * omega * omega / (z * z - d) * cmath.exp(-d * t) * faddeeva_erfc(complex(z), root)
        found.append(complex(a).real)
    return numpy.array(found)


def zeros(times, a):
    """Times at which it is 0."""
    return [times[i] + (times[i + 1] - times[i]) * a[i] / (a[i] - a[i + 1]) for i in range(len(a) - 1) if a[i] * a[i + 1] < 0]


def features(times, a):
    """The period, and the amplitude after one over that at the start."""
    z = zeros(times, a)
    period = z[2] - z[0]
    near = abs(times - period) < 0.2 * period
    return period, max(a[near])


def application(arguments):
    """The application that they ask for, and the others."""
    return ("two_phase", [a for a in arguments if a != "two_phase"]) if "two_phase" in arguments else ("two_fluids", arguments)


def run(wabe, name, density, cells, nu, drive, amplitude, steps, lines, each=1):
    """name: of the application. Times, and amplitudes over the length, of a wave of that many cells between a liquid of density 1 and a gas, with kinematic viscosity nu.
    drive: the key of tension or gravity; lines: of monitor.csv; each: length of a step."""
    half = cells // 2
    shapes = []
    for x in range(half):  # a staircase, as steep as the wave
        top = cells + amplitude * cells * math.cos(2 * math.pi / cells * (x + 0.5))
        shapes.append(f'{{ fluid = "liquid"; low = [-999.0, -9.0, -999.0]; high = [{x + 1 if x + 1 < half else 999}.0, 9.0, {top:.9g}]; }}')
    text = CASE.format(steps=steps // each, half=half, height=2 * cells, viscosity=nu, density=density, thinner=nu * density, drive=drive,
                       shapes=",\n".join(shapes), every=steps // lines // each, application=name,
                       more=f"time_step = {each}.0; " + ("mobility = 0.02;" if name == "two_fluids" else ""))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "case.cfg").write_text(text)
        subprocess.run([wabe, "run", "case.cfg", "--quiet"], cwd=folder, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        rows = list(csv.DictReader(open(Path(folder) / "out/case/monitor.csv")))
    # The centre of the liquid is L / 2 - 2 a L / (pi^2 H) from the end with the crest, L half a wave, H the depth.
    return (numpy.array([float(row["time"]) for row in rows]),
            numpy.array([(half / 2 - float(row["liquid_x"])) * math.pi ** 2 * cells / (2 * half) for row in rows]) / cells)


def main():
    name, arguments = application(sys.argv[1:])
    if not 1 <= len(arguments) <= 3:
        sys.exit(__doc__)
    wabe = str(Path(arguments[0]).resolve())
    ratio = float(arguments[1]) if len(arguments) > 1 else 1.0
    cells = int(arguments[2]) if len(arguments) > 2 else 64
    density, k = 1 / ratio, 2 * math.pi / cells
    tension, nu = (0.01, 0.01) if ratio < 20 else (0.04 * density, 0.06 * math.sqrt(density))
    omega = math.sqrt(tension * k ** 3 / (1 + density))
    times, a = run(wabe, name, density, cells, nu, f"tension = {tension}", AMPLITUDE, int(2.2 * 2 * math.pi / omega), 220,
                   5 if name == "two_phase" and ratio > 20 else 1)
    a = a / AMPLITUDE
    exact = theory(times, k, nu, omega, density / (1 + density) ** 2)
    (period, left), (true_period, true_left) = features(times, a), features(times, exact)
    print(f"{name}, density ratio {ratio:g}, {cells} cells: period {period:.0f} steps ({100 * (period / true_period - 1):+.1f} %), "
          f"left after it {left:.3f} of the amplitude (theory {true_left:.3f}), at most {abs(a - exact).max():.3f} off in two periods")


if __name__ == "__main__":
    main()
