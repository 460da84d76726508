#!/usr/bin/env python3
"""Drops of two fluids beside theory.

    tests/validation/drops.py WABE still RATIO RADIUS AXES [two_phase]    # at rest: Laplace's pressure, and what moves
    tests/validation/drops.py WABE flat|slope|disc ANGLE                  # on a wall: its contact angle

still: densities RATIO : 1, equal kinematic viscosities, radius in cells, AXES 2 or 3; a quarter or an eighth of a drop between planes of
symmetry; two_phase: by this application, otherwise by two_fluids. flat: on a wall at a face. slope: on solids whose surface rises by one cell in two. disc: on a round solid of 40 cells' radius. The
drops on walls are discs; a circle is laid through the interface, four cells and more from the solid. Two to four minutes each on one core, but
four times as long for twice the radius, or eight times with three axes. Needs h5py.
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import numpy

TENSION = 1e-3

STILL = """
application = "{application}"; name = "case"; steps = {steps};
domain = {{ cells = [{n}, {n}, {nz}]; }};
{application} = {{ liquid = {{ density = 1.0; viscosity = 0.1666666667; }}; gas = {{ density = {gas}; viscosity = {thin}; }};
    tension = {tension}; time_step = {each};
    shapes = ( {{ fluid = "liquid"; center = [0.0, 0.0, 0.0]; radius = {radius}.0; }} ); }};
boundaries = {{ x_low = {{ kind = "free_slip"; }}; x_high = {{ kind = "free_slip"; }}; y_low = {{ kind = "free_slip"; }};
    y_high = {{ kind = "free_slip"; }}; z_low = {{ kind = "{last}"; }}; z_high = {{ kind = "{last}"; }}; }};
monitor = {{ every = {steps}; }};
output = {{ every = {steps}; picture = "none"; quantities = "pressure, velocity_x, velocity_y, velocity_z"; precision = "f64"; }};
"""

ON_WALL = """
application = "two_fluids"; name = "case"; steps = {steps};
domain = {{ cells = [{nx}, {ny}, 1]; }};
two_fluids = {{ liquid = {{ density = 1.0; viscosity = 0.1; }}; gas = {{ density = 0.1; viscosity = 0.01; }};
    tension = 5e-3; time_step = 1.0; mobility = 0.1; contact_angle = {angle};
    shapes = ( {{ fluid = "liquid"; center = [{x}, {y}, 0.0]; radius = {radius}; }} ); }};
{geometry}
boundaries = {{ x_low = {{ kind = "periodic"; }}; x_high = {{ kind = "periodic"; }}; }};
output = {{ every = {steps}; picture = "none"; quantities = "phase"; precision = "f64"; }};
"""


def run(wabe, text, folder, **files):
    """Runs a case in a folder: its fields, and results.json."""
    (Path(folder) / "case.cfg").write_text(text)
    for name, data in files.items():
        (Path(folder) / f"{name}.raw").write_bytes(data)
    subprocess.run([wabe, "run", "case.cfg", "--quiet"], cwd=folder, check=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    out = Path(folder) / "out/case"
    last = sorted(out.glob("fields_*.hdf"))[-1]
    return h5py.File(last)["VTKHDF/PointData"], json.loads((out / "results.json").read_text()), list(csv.DictReader(open(out / "monitor.csv")))


def still(wabe, ratio, radius, axes, name, folder):
    n = 3 * radius // 2 + 8
    each = 1.0 if name == "two_fluids" else 0.5
    text = STILL.format(application=name, each=each, steps=round(3000 * radius / 16 / each), n=n, nz=n if axes == 3 else 1, gas=1 / ratio, thin=0.1666666667 / ratio, tension=TENSION, radius=radius,
                        last="free_slip" if axes == 3 else "periodic")
    fields, results, rows = run(wabe, text, folder)
    pressure = fields["pressure"][()].reshape(-1, n, n)
    fastest = max(abs(fields[f"velocity_{axis}"][()]).max() for axis in "xyz")
    volume, before = float(rows[-1]["liquid_volume"]), results["liquid_volume_at_start"]
    found = (4 * volume / math.pi) ** 0.5 if axes == 2 else (6 * volume / math.pi) ** (1 / 3)
    jump = (pressure[0, 0, 0] - pressure[-1, -1, -1]) * found / ((axes - 1) * TENSION)
    print(f"drop at rest, {name}, {axes} axes, ratio {ratio:g}, radius {radius}: pressure {jump:.4f} of Laplace's, at most {fastest:.1e} cells in a time of 1, "
          f"volume {volume / before - 1:.0e}")
    return abs(jump - 1) < 0.02


def interface(phase, fluid):
    """Points at which the phase is one half, between cells of which both are fluid and far from solids."""
    points = []
    for y, x in zip(*numpy.nonzero(fluid)):
        for dy, dx in ((0, 1), (1, 0)):
            if y + dy < phase.shape[0] and x + dx < phase.shape[1] and fluid[y + dy, x + dx] and (phase[y, x] - 0.5) * (phase[y + dy, x + dx] - 0.5) < 0:
                share = (phase[y, x] - 0.5) / (phase[y, x] - phase[y + dy, x + dx])
                points.append((x + 0.5 + share * dx, y + 0.5 + share * dy))
    return numpy.array(points)


def circle(points):
    """Centre and radius of the circle that fits points best (A. Kasa, IEEE Trans. Instrum. Meas. 25 (1976) 8)."""
    system = numpy.column_stack((points, numpy.ones(len(points))))
    x, y, rest = numpy.linalg.lstsq(system, (points ** 2).sum(axis=1), rcond=None)[0]
    return x / 2, y / 2, math.sqrt(rest + (x * x + y * y) / 4)


def over_roof(x, y):
    """How far a place is above a roof, one of whose sides the drop is on."""
    return (y + abs(x - 128) / 2 - 60) * 2 / math.sqrt(5)


def on_wall(wabe, kind, angle, folder):
    nx, ny = {"flat": (96, 64), "slope": (192, 112), "disc": (96, 80)}[kind]
    radius, steps = 20.0, 24000
    x, y = numpy.meshgrid(numpy.arange(nx) + 0.5, numpy.arange(ny) + 0.5)
    above = {"flat": y, "slope": over_roof(x, y), "disc": numpy.hypot(x - 48, y + 10) - 40}[kind]
    start = {"flat": (48.0, 0.0), "slope": (80.0, 36.0), "disc": (48.0, 30.0)}[kind]
    solid = above < 0
    geometry = "" if kind == "flat" else ('geometry = { voxels = { file = "solid.raw"; size = [%d, %d, 1]; fluid = "0"; }; };' % (nx, ny))
    text = ON_WALL.format(steps=steps, nx=nx, ny=ny, angle=angle, x=start[0], y=start[1], radius=radius, geometry=geometry)
    fields, _, _ = run(wabe, text, folder, solid=solid.astype("u1").tobytes())
    phase = fields["phase"][()].reshape(-1, ny, nx)[0]
    far = (above > 4) & (y < ny - 2)
    cx, cy, r = circle(interface(phase, far))
    if kind == "disc":
        d = math.hypot(cx - 48, cy + 10)
        cosine = (40 ** 2 + r ** 2 - d ** 2) / (2 * 40 * r)
    else:
        height = cy if kind == "flat" else over_roof(cx, cy)
        cosine = -height / r
    found = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
    print(f"contact angle, {kind}: {found:.1f} of {angle} degrees")
    return abs(found - angle) < (3 if kind == "flat" else 5)


def main():
    wabe, what, *rest = (str(Path(sys.argv[1]).resolve()), *sys.argv[2:]) if len(sys.argv) > 3 else (None, None)
    if what not in ("still", "flat", "slope", "disc") or len(rest) not in ((3, 4) if what == "still" else (1,)):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        good = still(wabe, float(rest[0]), int(rest[1]), int(rest[2]), "two_phase" if rest[3:] else "two_fluids", folder) if what == "still" else on_wall(wabe, what, float(rest[0]), folder)
    sys.exit(not good)


if __name__ == "__main__":
    main()
