#!/usr/bin/env python3
"""Turbulent flow over faces of kind wall_function, against what is known of it.

    tests/validation/wall_function.py channels [WABE]     # smooth walls, Re_tau 1000 and 5200, 10 and 20 cells per half height
    tests/validation/wall_function.py plates [WABE]       # the same, 10 cells, between two plates: solids that are wall functions
    tests/validation/wall_function.py rough [WABE]        # layers of 20 cells over roughness 0.02, 0.06, 0.1 and 0.3 cells
    tests/validation/wall_function.py starts [WABE]       # roughness 0.06 again, with other eddies at the start
    tests/validation/wall_function.py wind [WABE]         # a logarithmic wind over empty ground

channels: the friction coefficient against M. Lee, R. D. Moser, J. Fluid Mech. 774 (2015) 395, whose friction velocities are
0.0500256 and 0.0414872 of the mean velocity, and the mean velocity against their logarithmic law. rough, wind: against
u = u_tau ln(z / z0) / 0.4. Exits with 1 if a deviation is more than allowed. WABE: build/release/wabe by default; it runs on
a GPU where there is one. Results go to out/wall_function.
"""

import csv
import math
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OUT = Path("out/wall_function")
FRICTION = {1000: (1000.512, 5.00256e-02), 5200: (5185.897, 4.14872e-02)}  # Re_tau, u_tau over the mean velocity
KAPPA, B, KAPPA_ROUGH = 0.384, 4.27, 0.4
MEAN = 0.1  # velocity
# What docs/validation.md says of c_f, cells 1 and 2, and those beyond, and a little: the law is missed by large roughness.
ROUGH = {0.02: (0.03, 0.04, 0.04), 0.06: (0.09, 0.05, 0.075), 0.1: (0.15, 0.07, 0.12), 0.3: (0.4, 0.2, 0.35)}
WIND = {0.02: 0.08, 0.06: 0.08, 0.3: 0.18}  # with turbulence; a steady wind cannot keep its profile


def run(program, name, text):
    path = OUT / f"{name}.cfg"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    subprocess.run([program, "run", str(path), "--quiet", "--set", f'output.directory="{OUT / name}"'], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return OUT / name


def table(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {key: [float(row[key]) for row in rows] for key in rows[0]}


PLATE = 2  # cells


def layer(cells, viscosity, walls, mean, steps, begin, plates=False, eddies=8.0):
    """A flow along x with a constant mean velocity; walls: of z. plates: in front of them. eddies: length of the first ones."""
    height, solids, streaming = cells[2], "", "moments"
    if plates:
        height, streaming = height + 2 * PLATE, "in_place"
        solids = "geometry = {{ objects = ( {}, {} ); }};".format(*(
            f'{{ shape = "box"; low = [-1.0, -1.0, {low}.0]; high = [9999.0, 9999.0, {high}.0]; kind = "wall_function"; }}'
            for low, high in ((-1, PLATE), (PLATE + cells[2], height + 1))))
    return f"""
application = "lbm"; name = "wall"; steps = {steps};
domain = {{ cells = [{cells[0]}, {cells[1]}, {height}]; }};
lbm = {{ viscosity = {viscosity!r}; velocity = {1.3 * mean}; storage = "f32"; streaming = "{streaming}";
    les = {{ model = "smagorinsky"; }}; flux = {{ velocity = [{mean}, 0.0, 0.0]; }}; }};
boundaries = {{ {walls} }};
{solids}
initial = {{ kind = "turbulent_channel"; velocity = [{mean}, 0.0, 0.0]; perturbation = {{ velocity = {0.1 * mean}; length = {eddies}; }}; }};
monitor = {{ every = 100; }};
output = {{ every = 0; fields = false; average = {{ begin = {begin}; every = 9; }}; mean_profiles = "z"; }};
"""


def means(directory, begin, height):
    """The mean friction velocity of the averaged time, and the profile of one half."""
    monitor, profile = table(directory / "monitor.csv"), table(directory / "mean_profiles.csv")
    force = [f for step, f in zip(monitor["step"], monitor["body_force_x"]) if step > begin]
    speed, count = profile["ux"], int(height)
    if len(speed) == 2 * count:
        speed = [0.5 * (speed[i] + speed[-1 - i]) for i in range(count)]
    return math.sqrt(sum(force) / len(force) * height), speed


def report(name, friction, expected, speed, law, allowed):
    """Prints the deviations of c_f and of the profile from law(z); allowed: of c_f, cells 1 and 2, cells beyond."""
    off = [u / friction / law(i + 0.5) - 1.0 for i, u in enumerate(speed)]
    found = (friction / expected) ** 2 - 1.0
    near, far = max(map(abs, off[:2])), max(map(abs, off[2:]))
    good = abs(found) <= allowed[0] and near <= allowed[1] and far <= allowed[2]
    print(f"{name}: c_f {100 * found:+.1f} %, U+ {100 * off[0]:+.1f} % in the first cell, {100 * off[1]:+.1f} % in the "
          f"second, {100 * far:.1f} % at most beyond{'' if good else '   MISSED'}", flush=True)
    return good


def channels(program, plates=False):
    good, kind = True, "no_slip" if plates else "wall_function"
    for cells in (10,) if plates else (10, 20):
        for reynolds, (re_tau, part) in FRICTION.items():
            friction = MEAN * part
            viscosity, turnover = friction * cells / re_tau, cells / friction
            steps, begin = int(30 * turnover), int(10 * turnover)
            text = layer([64 * cells // 10, 32 * cells // 10, 2 * cells], viscosity,
                         f'z_low = {{ kind = "{kind}"; }}; z_high = {{ kind = "{kind}"; }};', MEAN, steps, begin, plates)
            found, speed = means(run(program, f"{'plates' if plates else 'channel'}_{reynolds}_{cells}", text), begin, cells)
            good &= report(f"Re_tau {reynolds}, {cells} cells{' between plates' if plates else ''}", found, friction, speed,
                           lambda z: math.log(z * found / viscosity) / KAPPA + B, (0.03, 0.07, 0.04))
    return good


def rough(program, cases=tuple((roughness, 8.0) for roughness in ROUGH)):
    good, cells = True, 20
    for roughness, eddies in cases:
        allowed = ROUGH[roughness]
        law = lambda z: math.log(z / roughness) / KAPPA_ROUGH
        friction = MEAN / (sum(law(i + 0.5) for i in range(cells)) / cells)
        steps, begin = int(30 * cells / friction), int(10 * cells / friction)
        text = layer([64, 64, cells], 1e-5, f'z_low = {{ kind = "wall_function"; roughness = {roughness}; }}; '
                     'z_high = { kind = "free_slip"; };', MEAN, steps, begin, eddies=eddies)
        found, speed = means(run(program, f"rough_{roughness}_{eddies}", text), begin, cells)
        good &= report(f"z0 = {roughness} cells, first eddies of {eddies}", found, friction, speed, law, allowed)
    return good


def wind(program):
    """Cells of 1.6 m, 614 m of ground; the speed at 2 m, over that of the law, in eight places along the way."""
    good, cells, speed = True, [384, 64, 48], 0.1
    for turbulence in (0.0, 0.1):
        for roughness in (0.02, 0.06, 0.3):
            eddies = f"turbulence = {{ intensity = {turbulence}; length = 16.0; }}; " if turbulence else ""
            text = f"""
application = "lbm"; name = "wind"; steps = 20000;
domain = {{ cells = [{cells[0]}, {cells[1]}, {cells[2]}]; }};
lbm = {{ viscosity = 1e-5; velocity = {speed}; storage = "f32"; streaming = "moments"; les = {{ model = "smagorinsky"; }}; }};
boundaries = {{
    x_low = {{ kind = "velocity"; velocity = [{speed}, 0.0, 0.0]; {eddies}
        profile = {{ kind = "logarithmic"; up = "z"; height = {float(cells[2])}; roughness = {roughness}; }}; }};
    x_high = {{ kind = "pressure"; sponge = {{ width = 32; strength = 0.15; }}; }};
    z_low = {{ kind = "wall_function"; roughness = {roughness}; }}; z_high = {{ kind = "free_slip"; }}; }};
initial = {{ kind = "profile"; }};
monitor = {{ every = 1000; }};
output = {{ every = 0; average = {{ begin = 10000; every = 9; }};
    parts = ( {{ name = "ground"; every = 0; quantities = "mean_velocity"; begin = [0, 0, 0]; end = [{cells[0]}, {cells[1]}, 4]; }} ); fields = false; }};
"""
            directory = run(program, f"wind_{roughness}_{turbulence}", text)
            ratios = at_two_metres(directory, roughness, speed / (math.log(cells[2] / roughness) / KAPPA_ROUGH), cells)
            worst = max(abs(ratio - 1.0) for ratio in ratios)
            allowed = WIND[roughness] if turbulence else math.inf
            good &= worst <= allowed
            print(f"z0 = {roughness} cells, {'turbulent' if turbulence else 'steady'} inflow: at 2 m "
                  f"{', '.join(f'{ratio:.3f}' for ratio in ratios)}{'' if worst <= allowed else '   MISSED'}", flush=True)
    return good


def at_two_metres(directory, roughness, friction, cells):
    sys.path.insert(0, str(ROOT / "python"))
    import wabe

    mean = wabe.Run(directory).fields(part="ground")["mean_velocity"]
    height = 2.0 / 1.6 - 0.5
    along = ((1.0 - height) * mean[0, :, :, 0] + height * mean[1, :, :, 0]).mean(axis=0)
    law = friction * math.log(2.0 / 1.6 / roughness) / KAPPA_ROUGH
    places = range(16, cells[0] - 32, 42)
    return [float(along[x - 4:x + 4].mean()) / law for x in places]


def main():
    commands = {"channels": channels, "plates": lambda program: channels(program, True), "rough": rough, "wind": wind,
                "starts": lambda program: rough(program, [(0.06, eddies) for eddies in (6.0, 7.0, 9.0)])}
    words = sys.argv[1:]
    if len(words) not in (1, 2) or words[0] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    return 0 if commands[words[0]](words[1] if len(words) == 2 else str(ROOT / "build/release/wabe")) else 1


if __name__ == "__main__":
    sys.exit(main())
