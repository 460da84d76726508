#!/usr/bin/env python3
"""tests/validation/nusselt.py [WABE]: what a warm cylinder gives off, for several diameters in cells, against what is known.

At rest in a cold square duct four diameters wide: 2 pi / ln(1.0787 w / d) times conductivity and temperature difference,
for one length (F. P. Incropera, D. P. DeWitt, Fundamentals of Heat and Mass Transfer, shape factors). In a stream at a
Prandtl number of 0.7, between sides that slip 20 diameters apart: R. P. Bharti, R. P. Chhabra, V. Eswaran, Heat Mass Transf. 43
(2007) 639, Nusselt numbers 2.4653 and 3.2825 at Reynolds numbers 20 and 40. Results go to out/nusselt."""
import math
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = Path("out/nusselt")
sys.path.insert(0, str(ROOT / "python"))
import wabe  # noqa: E402


def flux(program, name, cells, diameter, lbm, scalar, faces, steps):
    """scalar_flux [y][x][component] of a cylinder with the temperature 1 across a domain one cell thick."""
    at = [cells[0] // 3 if lbm.get("velocity") else cells[0] // 2, cells[1] // 2]
    text = f"""
application = "lbm"; name = "{name}"; steps = {steps}; domain = {{ cells = [{cells[0]}, {cells[1]}, 1]; }};
lbm = {{ {" ".join(f"{key} = {value};" for key, value in lbm.items())} storage = "f32"; }};
scalar = {{ {scalar} reference = 0.0; difference = 1.0; }};
boundaries = {{ {faces} }};
geometry = {{ objects = ( {{ shape = "cylinder"; kind = "curved_wall"; radius = {diameter / 2}; scalar = {{ value = 1.0; }};
    low = [{at[0]}.0, {at[1]}.0, -9.0]; high = [{at[0]}.0, {at[1]}.0, 9.0]; }} ); }};
initial = {{ kind = "uniform"; velocity = [{lbm.get("velocity", 0.0)}, 0.0, 0.0]; }};
output = {{ every = 0; quantities = "scalar_flux"; units = "lattice"; picture = "none"; }};
"""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{name}.cfg"
    path.write_text(text)
    subprocess.run([program, "run", str(path), "--quiet", "--set", f'output.directory="{OUT / name}"'], check=True)
    return wabe.Run(OUT / name).fields()["scalar_flux"][0], at[0]


def at_rest(program, diameter):
    width, conductivity = 4 * diameter, 0.1
    wall = "kind = \"no_slip\"; scalar = { value = 0.0; };"
    faces = " ".join(f"{face} = {{ {wall} }};" for face in ("x_low", "x_high", "y_low", "y_high"))
    q, _ = flux(program, f"rest_{diameter}", [width, width], diameter, {"viscosity": 0.1}, f"diffusivity = {conductivity};",
                faces, 10 * width * width)
    given_off = -q[:, 1, 0].sum() + q[:, -2, 0].sum() - q[1, :, 1].sum() + q[-2, :, 1].sum()
    return given_off / conductivity, 2.0 * math.pi / math.log(1.0787 * width / diameter)


def in_stream(program, diameter, reynolds, known):
    velocity = 0.05
    faces = (f'x_low = {{ kind = "velocity"; velocity = [{velocity}, 0.0, 0.0]; scalar = {{ value = 0.0; }}; }}; '
             'x_high = { kind = "pressure_normal"; }; y_low = { kind = "free_slip"; }; y_high = { kind = "free_slip"; };')
    q, at = flux(program, f"stream_{reynolds}_{diameter}", [30 * diameter, 20 * diameter], diameter,
                 {"reynolds": float(reynolds), "length": float(diameter), "velocity": velocity}, "prandtl = 0.7;", faces,
                 int(80 * diameter / velocity))
    given_off = q[:, at + 2 * diameter, 0].sum() - q[:, at - 2 * diameter, 0].sum()
    diffusivity = velocity * diameter / reynolds / 0.7
    return given_off / (math.pi * diffusivity), known


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/wabe")
    for diameter in (8, 16, 24, 32):
        rows = [("at rest", at_rest(program, diameter))]
        rows += [(f"Re {re}", in_stream(program, diameter, re, known)) for re, known in ((20, 2.4653), (40, 3.2825))]
        print(f"{diameter} cells: " + ", ".join(f"{name} {found:.4f} ({100 * (found / known - 1):+.1f} %)"
                                                for name, (found, known) in rows), flush=True)


if __name__ == "__main__":
    sys.exit(main())
