#!/usr/bin/env python3
"""A liquid and a thinner, lighter gas beside each other between plates, driven by a force on both: two parabolas.

    tests/validation/two_fluids_layers.py WABE [CELLS [DENSITY [VISCOSITY]]]

CELLS: from plate to plate, 80 unless given. DENSITY, VISCOSITY: the liquid's over the gas's, 1000 and 100 unless given. Prints how far the
gas is off, at most, over its largest velocity, and the liquid over the velocity of the interface, 6 cells and more from it. Seconds.
"""
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

VISCOSITY, FORCE, INTERFACE = 0.05, 2e-8, 6

CASE = """
application = "two_fluids"; name = "case"; steps = {steps};
domain = {{ cells = [{n}, 1, 1]; }};
two_fluids = {{ liquid = {{ density = 1.0; viscosity = {liquid}; }}; gas = {{ density = {density}; viscosity = {gas}; }};
    tension = 1e-6; time_step = 1.0; force = [0.0, 0.0, {force}];
    shapes = ( {{ fluid = "liquid"; low = [-1.0, -1.0, -9.0]; high = [{half}, 9.0, 9.0]; }} ); }};
monitor = {{ every = {steps}; }};
output = {{ every = 0; picture = "none"; fields = false; profiles = true; }};
"""


def main():
    if not 2 <= len(sys.argv) <= 5:
        sys.exit(__doc__)
    n, density, viscosity = (float(word) for word in (sys.argv[2:] + ["80", "1000", "100"][len(sys.argv) - 2:]))
    n, half, gas = int(n), n / 2, VISCOSITY / viscosity
    steps = int(2.1 * n * n * max(1 / VISCOSITY, 1 / (density * gas)))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "case.cfg").write_text(CASE.format(steps=steps, n=n, half=half, liquid=VISCOSITY, gas=gas, density=1 / density, force=FORCE))
        subprocess.run([str(Path(sys.argv[1]).resolve()), "run", "case.cfg", "--quiet"], cwd=folder, check=True,
                       env={**os.environ, "OMP_NUM_THREADS": "1"})
        head, *rows = csv.reader(open(Path(folder) / "out/case/profiles.csv"))
    column = next(i for i, name in enumerate(head) if name.startswith("velocity_z"))
    found = [float(row[column]) for row in rows if row[0] == "x"]
    middle = FORCE * half ** 2 / (VISCOSITY + gas)

    def exact(x):
        plate = 2 * half - x if x > half else x  # how far the nearer one is
        return middle * plate / half + FORCE / (2 * (gas if x > half else VISCOSITY)) * plate * (half - plate)
    off = [(x + 0.5, abs(u - exact(x + 0.5))) for x, u in enumerate(found) if abs(x + 0.5 - half) > INTERFACE]
    in_gas = max(d for x, d in off if x > half) / max(exact(x + 0.5) for x in range(n))
    in_liquid = max(d for x, d in off if x < half) / middle
    print(f"layers, {n} cells, densities {density:g} : 1, viscosities {viscosity:g} : 1: gas {100 * in_gas:.2f} % off, liquid {100 * in_liquid:.2f} %")


if __name__ == "__main__":
    main()
