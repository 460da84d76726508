#!/usr/bin/env python3
"""tests/validation/mountain_wave.py WORK_DIR [WABE]: waves behind a ridge of 1 m and behind the ridge with valleys of C. Schaer et
al., Mon. Weather Rev. 130 (2002) 2459, beside the linear theory of steady waves (R. B. Smith, Adv. Geophys. 21 (1979) 87).
Exits with 1 if one of them is outside what is asked for. A minute on two cores."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import numpy
import wabe

GRAVITY, GAS, HEAT = 9.81, 287.0, 1004.0
INPUT = """application = "weather"; name = "{name}"; steps = {steps};
domain = {{ cells = [{columns}, {levels}, 1]; spacing = {spacing}; }};
levels = {{ thickness = {thickness}; }};
sounding = {{ {sounding} }};
terrain = {{ {terrain} }};
relaxation = {{ width = {zones}; rate = [0.005, {rate}, 0.0]; }};
weather = {{ storage = "f64"; wind = [{wind}, 0.0, 0.0]; time_step = {time_step}; }};
output = {{ every = {steps}; picture = "none"; quantities = "velocity_x, velocity_y, height"; }};
"""


class Ridge:
    """Ten hours of hydrostatic waves in isothermal air."""
    keys = dict(name="ridge", steps=3600, time_step=10.0, columns=200, levels=72, spacing=1200.0, thickness=1000 / 3, wind=20.0,
                sounding='kind = "isothermal"; theta = 250.0;', terrain='kind = "ridge"; height = 1.0; half_width = 10e3;',
                zones="[30e3, 11e3, 0.0]", rate=0.003)
    stability = GRAVITY ** 2 / (HEAT * 250.0)  # N^2
    most = 0.1  # error asked for

    @staticmethod
    def ground(x):
        return 1.0 / (1.0 + (x / 10e3) ** 2)

    @staticmethod
    def density(z):
        return 1e5 / (GAS * 250.0) * numpy.exp(-GRAVITY * z / (GAS * 250.0))


class Valleys:
    """Five hours behind 250 m of ridge and valleys 4 km apart, whose waves do not go up."""
    keys = dict(name="valleys", steps=4500, time_step=4.0, columns=400, levels=70, spacing=250.0, thickness=300.0, wind=10.0,
                sounding='kind = "stratified"; theta = 288.0; frequency = 0.01;',
                terrain='kind = "schaer"; height = 250.0; half_width = 5e3; wave_length = 4e3;', zones="[20e3, 10e3, 0.0]", rate=0.01)
    stability = 1e-4
    most = 0.2

    @staticmethod
    def ground(x):
        return 250.0 * numpy.exp(-(x / 5e3) ** 2) * numpy.cos(numpy.pi * x / 4e3) ** 2

    @staticmethod
    def density(z):
        exner = 1.0 + GRAVITY ** 2 / (HEAT * 288.0 * 1e-4) * numpy.expm1(-1e-4 * z / GRAVITY)
        return 1e5 * exner ** (HEAT / GAS - 1.0) / (GAS * 288.0 * numpy.exp(1e-4 * z / GRAVITY))


def theory(case, x, z):
    """The updraught over a ridge at x = 0: waves of each length go up, or fade, as its vertical wave number says."""
    wind, count, step = case.keys["wind"], 16384, 150.0
    far = (numpy.arange(count) - count // 2) * step
    k = 2.0 * numpy.pi * numpy.fft.fftfreq(count, step)
    thinning = numpy.log(case.density(0.0) / case.density(10e3)) / 10e3  # 1 / density's height of scale
    square = case.stability / wind ** 2 - k ** 2 - 0.25 * thinning ** 2
    root = numpy.sqrt(numpy.abs(square))
    upwards = numpy.where(square > 0, root * numpy.sign(k), 1j * root)
    slope = 1j * k * wind * numpy.fft.fft(case.ground(far))
    rows = [numpy.fft.ifft(slope * numpy.exp(1j * upwards * height)).real for height in z]
    return numpy.array([numpy.interp(x, far, row) * numpy.sqrt(case.density(0.0) / case.density(height)) for row, height in zip(rows, z)])


def run(case, folder, program):
    """Velocities [level][column], x from the ridge, and heights of the levels far from it."""
    path = folder / f"{case.keys['name']}.cfg"
    path.write_text(INPUT.format(**case.keys))
    subprocess.run([program, "run", path, "--quiet", "--overwrite", "--set", f"output.directory={folder / case.keys['name']}"], check=True)
    fields = wabe.Run(folder / case.keys["name"]).fields()
    columns = case.keys["columns"]
    x = case.keys["spacing"] * (numpy.arange(columns) - 0.5 * (columns - 1))
    return (*(fields[name][0] for name in ("velocity_x", "velocity_y", "height")), x)


def main():
    folder, program = Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else str(ROOT / "build/release/wabe")
    folder.mkdir(parents=True, exist_ok=True)
    right = True
    for case in (Ridge, Valleys):
        along, up, height, x = run(case, folder, program)
        near = numpy.abs(x) < (40e3 if case is Ridge else 20e3)
        levels = [int(numpy.abs(height[:, 0] - at).argmin()) for at in (1000, 3000, 6000, 9000)]
        for k in levels:
            z, wanted = height[k, 0], theory(case, x[near], [height[k, 0]])[0]
            error = numpy.sqrt(((up[k, near] - wanted) ** 2).sum() / (wanted ** 2).sum())
            line = f"{case.keys['name']}, {z:.0f} m: updraught {error:.3f} off theory in the mean square, at most {case.most} asked for"
            right &= error <= case.most
            if case is Ridge:
                wind, drag = case.keys["wind"], -0.25 * numpy.pi * case.density(0.0) * numpy.sqrt(case.stability)
                flux = case.density(z) * ((along[k] - wind) * up[k]).sum() * case.keys["spacing"] / (drag * wind)
                right &= 0.93 <= flux <= 1.03
                line += f"; momentum flux {flux:.3f} of theory, 0.93 to 1.03 asked for"
            print(line)
    sys.exit(not right)


main()
