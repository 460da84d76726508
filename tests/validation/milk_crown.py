#!/usr/bin/env python3
"""The radius of a crown that a drop raises from a film, beside a law of it.

    build/release/wabe run input/milk_crown_lbm.cfg     # or input/milk_crown.cfg
    tests/validation/milk_crown.py out/milk_crown

Prints the outer radius of the liquid 4.5 cells above the film, in diameters of the drop, at each time since the drop
touched the film, and 1.1 (t)^(1/2), with t in the time in which the drop falls by a diameter (C. Josserand and S. Zaleski,
Phys. Fluids 15 (2003) 1650).
"""
import math
import sys
from pathlib import Path

import h5py

CELLS, DIAMETER, FILM, TOUCHED = (72, 48, 72), 24, 6, 0.1

for path in sorted(Path(sys.argv[1]).glob("fields_0*.hdf")):
    with h5py.File(path) as file:
        time = float(file["wabe"].attrs["time"]) - TOUCHED
        if time <= 1e-9:
            continue
        numbers = file["VTKHDF/PointData"]
        row = numbers["phase" if "phase" in numbers else "fraction"][()].reshape(CELLS)[0, FILM + 4]
    radius = (max(x for x in range(CELLS[2]) if row[x] > 0.5) + 1) / DIAMETER
    law = 1.1 * math.sqrt(time)
    print(f"time {time:.2f}  radius {radius:.3f}, by the law {law:.3f}: {100 * (radius / law - 1):+.0f} %")
