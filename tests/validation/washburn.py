#!/usr/bin/env python3
"""Liquid that a slit draws in, beside E. W. Washburn, Phys. Rev. 17 (1921) 273, for two fluids of the same viscosity.

    tests/validation/washburn.py WABE [ANGLE [CELLS]]

Both ends of a slit, d = 20 cells wide and CELLS long (512), have the same pressure, and its walls a contact angle (60 degrees). The front then
goes at sigma d cos(theta) / (6 mu length). Prints the capillary number of that, and the speed over it, which is less at larger ones: the angle
of a line that moves is not that at rest. Half a minute on one core.
"""
import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

TENSION, VISCOSITY, WIDTH, STEPS, LAST = 5e-3, 0.1, 20, 18000, 6000

CASE = """
application = "two_fluids"; name = "case"; steps = {steps};
domain = {{ cells = [{cells}, {width}, 1]; }};
two_fluids = {{ liquid = {{ density = 1.0; viscosity = {viscosity}; }}; gas = {{ density = 1.0; viscosity = {viscosity}; }};
    tension = {tension}; time_step = 1.0; mobility = 0.05; contact_angle = {angle};
    shapes = ( {{ fluid = "liquid"; low = [-10.0, -10.0, -10.0]; high = [100.0, 99.0, 10.0]; }} ); }};
boundaries = {{ x_low = {{ kind = "pressure"; fluid = "liquid"; pressure = 0.0; }}; x_high = {{ kind = "pressure"; fluid = "gas"; pressure = 0.0; }}; }};
monitor = {{ every = {last}; }};
output = {{ every = 0; fields = false; picture = "none"; }};
"""

wabe = str(Path(sys.argv[1]).resolve())
angle, cells = float(sys.argv[2]) if len(sys.argv) > 2 else 60.0, int(sys.argv[3]) if len(sys.argv) > 3 else 512
with tempfile.TemporaryDirectory() as folder:
    (Path(folder) / "case.cfg").write_text(CASE.format(steps=STEPS, cells=cells, width=WIDTH, viscosity=VISCOSITY, tension=TENSION, angle=angle, last=LAST))
    subprocess.run([wabe, "run", "case.cfg", "--quiet"], cwd=folder, check=True)
    volumes = [float(row["liquid_volume"]) for row in csv.DictReader(open(Path(folder) / "out/case/monitor.csv"))]
speed = TENSION * WIDTH * math.cos(math.radians(angle)) / (6 * VISCOSITY * cells)
print(f"contact angle {angle:g}, {cells} cells long, capillary number {speed * VISCOSITY / TENSION:.2g}: "
      f"{(volumes[-1] - volumes[-2]) / WIDTH / LAST / speed:.3f} of the speed by Washburn")
