#!/usr/bin/env python3
"""tests/validation/sponge.py [WABE]: how soon a stream in a tube of 400 cells comes to rest in itself that has started by a ramp of
3000 steps, with a face of given pressure at its end and a sponge of 24 cells: the largest deviation of the mean velocity from
the inlet's, 0.05, in three spans of steps, and the mass's from that at the face's pressure. Results go to out/sponge."""
import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = Path("out/sponge")
CASE = """application = "lbm"; name = "tube"; steps = 20000; domain = { cells = [400, 4, 1]; };
lbm = { reynolds = 400.0; velocity = 0.05; length = 60.0; ramp = 3000; };
boundaries = { y_low = { kind = "free_slip"; }; y_high = { kind = "free_slip"; };
    x_low = { kind = "velocity"; velocity = [0.05, 0.0, 0.0]; }; x_high = { kind = "pressure"; sponge = { width = 24; strength = %s; }; }; };
monitor = { every = 20; }; output = { fields = false; };
"""


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/wabe")
    OUT.mkdir(parents=True, exist_ok=True)
    for strength in (0.001, 0.15, 0.3, 0.5, 0.6):
        path = OUT / f"{strength}.cfg"
        path.write_text(CASE % strength)
        subprocess.run([program, "run", str(path), "--quiet", "--set", f'output.directory="{OUT / str(strength)}"'], check=True,
                       stderr=subprocess.DEVNULL)
        with open(OUT / str(strength) / "monitor.csv", newline="") as file:
            rows = [(int(row["step"]), float(row["mean_velocity_x"]), float(row["mass_drift"])) for row in csv.DictReader(file)]
        swings = [max(abs(u - 0.05) for step, u, _ in rows if begin <= step <= begin + 2500) for begin in (2500, 10000, 17500)]
        mass = [max(abs(drift) for step, _, drift in rows if begin <= step <= begin + 2500) for begin in (10000, 17500)]
        print(f"strength {strength}: velocity {', '.join(f'{swing:.5f}' for swing in swings)}; mass {mass[0]:.4f}, {mass[1]:.4f}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
