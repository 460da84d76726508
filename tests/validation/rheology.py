#!/usr/bin/env python3
"""Fluids whose viscosity depends on the rate of strain.

tests/validation/rheology.py plates|pipe [WABE]      profiles between plates and in a pipe, beside the exact ones
tests/validation/rheology.py cavity [WABE]           the square cavity of a power law, beside tests/data/power_law_cavity.csv
tests/validation/rheology.py reference > FILE.csv    computes that file, by finite differences: some minutes

WABE: the program, build/release/wabe unless given. Needs numpy and h5py."""
import csv
import glob
import os
import subprocess
import sys
import tempfile

import numpy

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLUIDS = {"power_law 0.5": ("power_law", 0.5), "power_law 0.75": ("power_law", 0.75), "power_law 1.5": ("power_law", 1.5),
          "bingham": ("bingham", 1.0)}
YIELD = 2.0  # over viscosity times rate
CAVITY_REYNOLDS, THICKEST = 100, 5.0  # of a power law; its viscosity over the reference, at most


def velocity(wabe, text):
    """Runs an input file; returns the velocity [z, y, x, 3] at its end."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/case.cfg", "w") as file:
            file.write(f'application = "lbm"; name = "case";\n{text}\noutput = {{ directory = "{folder}"; every = 0; '
                       'precision = "f64"; picture = "none"; quantities = "velocity"; };\n')
        subprocess.run([wabe, "run", "--quiet", f"{folder}/case.cfg"], check=True)
        return h5py_field(glob.glob(f"{folder}/**/fields_*.hdf", recursive=True)[-1])


def h5py_field(path):
    import h5py
    return h5py.File(path)["VTKHDF/PointData/velocity"][:]


# ---- profiles -------------------------------------------------------------------------------------------

def exact(model, index, consistency, stress, gradient, radius, place, pipe):
    """The velocity at a distance from the middle, where the stress is gradient times that distance, in a pipe half of it."""
    slope = gradient / (2 if pipe else 1)
    edge = stress / slope
    rest, all_of_it = numpy.maximum(place - edge, 0), radius - edge
    power = 1 + 1 / index
    return (slope / consistency) ** (power - 1) / power * (all_of_it ** power - rest ** power)


def profile(wabe, model, index, cells, pipe, streaming):
    """The largest deviation from the exact profile, over its largest velocity."""
    speed, viscosity = 0.8 / cells, 0.02 if model == "bingham" else 0.1
    radius, rate = cells / 2, speed / cells
    consistency = viscosity * rate ** (1 - index)
    stress = YIELD * viscosity * rate if model == "bingham" else 0.0
    power = 1 + 1 / index
    share = 2 if pipe else 1
    gradient = 3 * share * stress / radius if model == "bingham" else \
        share * consistency * (speed * power / radius ** power) ** index
    side = cells + (4 if pipe else 0)
    middle = side / 2
    given = f"yield = {YIELD};" if model == "bingham" else f"index = {index};"
    steps = int(12 * radius ** 2 / viscosity)
    text = f"""steps = {steps};
lbm = {{ viscosity = {viscosity}; velocity = {speed:.17g}; length = {cells}.0; force = [0.0, 0.0, {gradient:.17g}]; streaming = "{streaming}";
        rheology = {{ model = "{model}"; {given} }}; }};
"""
    if pipe:
        text += f"""domain = {{ cells = [{side}, {side}, 1]; }};
geometry = {{ objects = ( {{ shape = "cylinder"; low = [{middle}, {middle}, -9.0]; high = [{middle}, {middle}, 9.0]; radius = {2 * side}.0;
    bore = {radius}; kind = "curved_wall"; }} ); }};"""
    else:
        text += f"""domain = {{ cells = [1, {side}, 1]; }};
boundaries = {{ y_low = {{ kind = "no_slip"; }}; y_high = {{ kind = "no_slip"; }}; }};"""
    u = velocity(wabe, text)[0, :, :, 2][:side, :side if pipe else 1]
    y, x = numpy.mgrid[0:side, 0:side if pipe else 1] + 0.5
    place = numpy.hypot(x - middle, y - middle) if pipe else abs(y - middle)
    right = exact(model, index, consistency, stress, gradient, radius, numpy.minimum(place, radius), pipe)
    return abs(u - right)[place < radius].max() / right.max()


def profiles(wabe, pipe):
    print("fluid, streaming: deviation at 20, 40, 80 cells, over the largest velocity; order")
    for name, (model, index) in FLUIDS.items():
        for streaming in ("in_place", "moments"):
            off = [profile(wabe, model, index, cells, pipe, streaming) for cells in (20, 40, 80)]
            print(f"{name}, {streaming}: " + ", ".join(f"{value:.2e}" for value in off) + f"; {numpy.log2(off[0] / off[1]):.2f}, "
                  f"{numpy.log2(off[1] / off[2]):.2f}", flush=True)


# ---- the cavity -----------------------------------------------------------------------------------------

def cavity_of_differences(index, cells, time=40.0):
    """The steady flow in a cavity of side 1 below a lid of velocity 1, by a projection method of second order on a staggered grid.
    Returns u on the vertical middle line and v on the horizontal one, at cells' middles (cells even)."""
    n, h = cells, 1.0 / cells
    step = min(0.2 * h * h * CAVITY_REYNOLDS / THICKEST, 0.2 * h)
    u, v, p = numpy.zeros((n + 2, n + 1)), numpy.zeros((n + 1, n + 2)), numpy.zeros((n, n))  # [y, x], with mirrors
    k = numpy.arange(n)
    modes = numpy.cos(numpy.pi * (k[:, None] + 0.5) * k / n) * numpy.where(k == 0, numpy.sqrt(1 / n), numpy.sqrt(2 / n))
    waves = (2 * numpy.cos(numpy.pi * k / n) - 2) / h ** 2
    waves = waves[:, None] + waves
    waves[0, 0] = 1.0

    def thickness(square):
        ratio = numpy.sqrt(numpy.maximum(square, 1e-30)) ** (index - 1)
        return numpy.minimum(ratio, THICKEST) / CAVITY_REYNOLDS

    for _ in range(int(time / step)):
        u[0], u[-1] = -u[1], 2 - u[-2]
        v[:, 0], v[:, -1] = -v[:, 1], -v[:, -2]
        ux, vy = (u[1:-1, 1:] - u[1:-1, :-1]) / h, (v[1:, 1:-1] - v[:-1, 1:-1]) / h
        shear = (u[1:] - u[:-1]) / h + (v[:, 1:] - v[:, :-1]) / h  # at corners
        square = shear ** 2
        mean = (square[1:, 1:] + square[1:, :-1] + square[:-1, 1:] + square[:-1, :-1]) / 4
        own = 2 * (ux ** 2 + vy ** 2)
        around = numpy.pad(own, 1, mode="edge")
        at_corners = (around[1:, 1:] + around[1:, :-1] + around[:-1, 1:] + around[:-1, :-1]) / 4
        nu, nu_corner = thickness(own + mean), thickness(square + at_corners)
        xx, yy, xy = 2 * nu * ux, 2 * nu * vy, nu_corner * shear
        uc, vc = (u[1:-1, 1:] + u[1:-1, :-1]) / 2, (v[1:, 1:-1] + v[:-1, 1:-1]) / 2
        cross = (u[1:] + u[:-1]) / 2 * (v[:, 1:] + v[:, :-1]) / 2
        xx, yy, xy = xx - uc ** 2, yy - vc ** 2, xy - cross
        u[1:-1, 1:-1] += step * ((xx[:, 1:] - xx[:, :-1]) / h + (xy[1:, 1:-1] - xy[:-1, 1:-1]) / h)
        v[1:-1, 1:-1] += step * ((yy[1:] - yy[:-1]) / h + (xy[1:-1, 1:] - xy[1:-1, :-1]) / h)
        source = (u[1:-1, 1:] - u[1:-1, :-1]) / h + (v[1:, 1:-1] - v[:-1, 1:-1]) / h
        wave = modes.T @ source @ modes / waves
        wave[0, 0] = 0.0
        p = modes @ wave @ modes.T
        u[1:-1, 1:-1] -= (p[:, 1:] - p[:, :-1]) / h
        v[1:-1, 1:-1] -= (p[1:] - p[:-1]) / h
    return u[1:-1, n // 2], v[n // 2, 1:-1]


PLACES = numpy.arange(1, 16) / 16


def at_places(values):
    """By the cubic through two slopes and two neighbours (Catmull, Rom): the places lie half-way between cells."""
    n = len(values)
    place = PLACES * n - 0.5
    low = numpy.clip(place.astype(int), 1, n - 3)
    s = place - low
    a, b, c, d = (values[low + k] for k in (-1, 0, 1, 2))
    return b + s / 2 * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * (b - c) + d - a)))


def reference():
    print("# Square lid-driven cavity of a power law, Reynolds number U^(2 - n) L^n / (K / density) = 100, the viscosity at most 5 U L / 100:")
    print("# u / U on the vertical middle line, v / U on the horizontal one. By tests/validation/rheology.py reference: finite differences of")
    print("# 64^2 and 128^2 cells, extrapolated with order 2; change: what the extrapolation changes at most.")
    print("index,place,u,v,change")
    for index in (0.5, 1.0, 1.5):
        coarse, fine = ([at_places(line) for line in cavity_of_differences(index, cells)] for cells in (64, 128))
        best = [b + (b - a) / 3 for a, b in zip(coarse, fine)]
        change = max(abs(b - a).max() / 3 for a, b in zip(coarse, fine))
        for place, u, v in zip(PLACES, *best):
            print(f"{index},{place},{u:.5f},{v:.5f},{change:.1e}", flush=True)


def cavity(wabe):
    rows = [row for row in csv.DictReader(line for line in open(f"{SOURCE}/tests/data/power_law_cavity.csv") if line[0] != "#")]
    print("index, streaming, cells: largest deviation of u and v on the middle lines, lid velocities")
    for index in (0.5, 1.0, 1.5):
        right = [[float(row[name]) for row in rows if float(row["index"]) == index] for name in ("u", "v")]
        for streaming in ("in_place", "moments"):
            for cells in (64, 128):
                speed = 0.05 * 64 / cells
                viscosity = speed * cells / CAVITY_REYNOLDS
                rheology = f'rheology = {{ model = "power_law"; index = {index}; highest_tau = {0.5 + 3 * THICKEST * viscosity}; }};'
                walls = "".join(f'{face} = {{ kind = "no_slip"; }}; ' for face in ("x_low", "x_high", "y_low"))
                found = velocity(wabe, f"""steps = {int(40 * cells / speed)}; domain = {{ cells = [{cells}, {cells}, 1]; }};
lbm = {{ velocity = {speed}; reynolds = {CAVITY_REYNOLDS}.0; length = {cells}.0; streaming = "{streaming}"; {rheology} }};
boundaries = {{ {walls} y_high = {{ kind = "moving_wall"; velocity = [{speed}, 0.0, 0.0]; }}; }};""")[0] / speed
                half = cells // 2
                u = (found[:cells, half - 1, 0] + found[:cells, half, 0]) / 2
                v = (found[half - 1, :cells, 1] + found[half, :cells, 1]) / 2
                off = max(abs(at_places(line) - values).max() for line, values in zip((u, v), right))
                print(f"{index}, {streaming}, {cells}: {off:.5f}", flush=True)


if __name__ == "__main__":
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    program = sys.argv[2] if len(sys.argv) > 2 else f"{SOURCE}/build/release/wabe"
    if what in ("plates", "pipe"):
        profiles(program, what == "pipe")
    elif what == "cavity":
        cavity(program)
    elif what == "reference":
        reference()
    else:
        sys.exit(__doc__)
