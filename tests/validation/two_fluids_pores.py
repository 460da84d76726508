#!/usr/bin/env python3
"""At which pressure a gas enters a narrow slit full of liquid, over what theory says; and relative permeabilities of layers
between plates.

    tests/validation/two_fluids_pores.py WABE slit|layers [CELLS]

slit: 2 tension cos(angle) / width; pressures rise in steps of 2.5 %. layers: liquid at both plates, kw = S^2 (3 - S) / 2,
kn = (1 - S) (3 M / 2 + (1 - S)^2 (1 - 3 M / 2)), M the gas's viscosity over the liquid's. CELLS: across the slit, or from plate to
plate; 24 and 80 unless given.
"""

import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

TENSION, ANGLE, WALL, BEFORE = 0.01, 40.0, 6, 12
LEVELS, LOW, HIGH = 17, 0.8, 1.2

NARROW = """
application = "two_fluids";
name = "case";
steps = 400000;
domain = {{ cells = [{n}, 1, {long}]; }};
two_fluids = {{
    liquid = {{ density = 1.0; viscosity = 0.1; }};
    gas = {{ density = 1.0; viscosity = 0.1; }};
    tension = {tension}; contact_angle = {angle}; time_step = 1.0; fluid = "liquid";
    shapes = ( {{ fluid = "gas"; low = [-1.0, -1.0, -9.0]; high = [999.0, 999.0, {start}.0]; }} );
}};
geometry = {{ objects = ( {walls} ); }};
boundaries = {{
    x_low = {{ kind = "free_slip"; }}; x_high = {{ kind = "free_slip"; }};
    z_low = {{ kind = "pressure"; fluid = "gas"; }}; z_high = {{ kind = "pressure"; pressure = 0.0; fluid = "liquid"; }};
}};
porous = {{ axis = "z"; interval = 400; tolerance = 1e-3; pressures = {{ first = {first}; last = {last}; count = {count}; }}; }};
monitor = {{ every = 100000; }};
output = {{ every = 0; picture = "none"; fields = false; }};
"""

LAYERS = """
application = "two_fluids";
name = "case";
steps = 4000000;
domain = {{ cells = [{n}, 1, 1]; }};
two_fluids = {{
    liquid = {{ density = 1.0; viscosity = {liquid}; }};
    gas = {{ density = 1.0; viscosity = {gas}; }};
    tension = 1e-4; time_step = 1.0; force = [0.0, 0.0, {force}];
    shapes = ( {{ fluid = "liquid"; low = [-1.0, -1.0, -9.0]; high = [{low}, 9.0, 9.0]; }},
               {{ fluid = "liquid"; low = [{high}, -1.0, -9.0]; high = [9999.0, 9.0, 9.0]; }} );
}};
porous = {{ axis = "z"; interval = {interval}; tolerance = 1e-4; permeability = {permeability}; }};
monitor = {{ every = 100000000; }};
output = {{ every = 0; picture = "none"; fields = false; }};
"""


def run(wabe, folder, text):
    (folder / "case.cfg").write_text(text)
    subprocess.run([wabe, "run", "case.cfg", "--quiet", "--overwrite"], cwd=folder, check=True)
    return folder / "out/case"


def box(low, high):
    return f'{{ shape = "box"; low = [{low[0]}.0, {low[1]}.0, {low[2]}.0]; high = [{high[0]}.0, {high[1]}.0, {high[2]}.0]; }}'


def enter(wabe, folder, width):
    """Half of a slit, up to a plane of symmetry."""
    theory = 2 * TENSION * math.cos(math.radians(ANGLE)) / width
    wall = box((-1, -1, BEFORE), (WALL, 999, 999))
    out = run(wabe, folder, NARROW.format(n=WALL + width // 2, long=BEFORE + 2 * width, start=BEFORE - 2, walls=wall, tension=TENSION,
                                          angle=ANGLE, first=LOW * theory, last=HIGH * theory, count=LEVELS))
    rows = [row for row in csv.DictReader(open(out / "phases.csv")) if row["settled"] == "1"]
    first = float(rows[0]["saturation"])
    entered = next((row for row in rows if float(row["saturation"]) < 0.5 * first), None)
    found = f"{float(entered['reservoir_difference']) / theory:.3f}" if entered else f"more than {HIGH}"
    print(f"slit, {width} cells wide, {ANGLE:g} degrees: the gas enters at {found} of what theory says")


def permeate(wabe, folder, n):
    for share in (0.25, 0.5, 0.75):
        for m in (0.1, 1.0, 10.0):  # the gas's viscosity over the liquid's
            liquid, gas = (0.5, 0.5 * m) if m < 1 else (0.5 / m, 0.5)
            out = run(wabe, folder, LAYERS.format(n=n, liquid=liquid, gas=gas, force=1e-6 * (80 / n) ** 2, low=0.5 * share * n,
                                                  high=(1 - 0.5 * share) * n, interval=n * n // 4, permeability=n * n / 12))
            r = json.loads((out / "results.json").read_text())["porous"]
            s, rest = r["saturation"], 1 - r["saturation"]
            kw, kn = s * s * (3 - s) / 2, rest * (1.5 * m + rest * rest * (1 - 1.5 * m))
            print(f"layers, {n} cells, S {share:.2f}, M {m:4.1f}: kw {100 * (r['liquid_relative_permeability'] / kw - 1):+.1f} %, "
                  f"kn {100 * (r['gas_relative_permeability'] / kn - 1):+.1f} %", flush=True)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[2] not in ("slit", "layers"):
        sys.exit(__doc__)
    wabe, kind = str(Path(sys.argv[1]).resolve()), sys.argv[2]
    cells = int(sys.argv[3]) if len(sys.argv) > 3 else {"slit": 24, "layers": 80}[kind]
    with tempfile.TemporaryDirectory() as folder:
        if kind == "layers":
            permeate(wabe, Path(folder), cells)
        else:
            enter(wabe, Path(folder), cells)


if __name__ == "__main__":
    main()
