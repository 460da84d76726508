#!/usr/bin/env python3
"""tests/validation/supercell.py OUT_DIR: what a run of input/supercell.cfg (with any spacing) has become after two hours: two storms
that are mirror images, rain between and under them, all water accounted for. Exits with 1 if one of these is not so."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import numpy
import wabe

HEIGHT, APART, STRONG, LOST = 5e3, 20e3, 20.0, 1e-6  # m, m, m/s; share of the water, in f32


def main():
    run = wabe.Run(sys.argv[1])
    fields = run.fields()
    if fields.time < 7200 - 1e-6:
        sys.exit(f"supercell.py: the last fields are of {fields.time:g} s, not of two hours (7200 s)")
    spacing = run.config["domain"]["spacing"]
    level = int(numpy.abs(fields["height"][0, :, 0] - HEIGHT).argmin())
    up, rain = fields["velocity_y"][:, level], fields["rain_on_ground"][:, 0]
    mirrored = all(numpy.array_equal(fields[name], fields[name][::-1]) for name in ("velocity_y", "theta", "rain", "cloud", "humidity"))
    half = up[: len(up) // 2]
    z, x = numpy.unravel_index(half.argmax(), half.shape)
    apart = (len(up) - 1 - 2 * z) * spacing
    between = up[len(up) // 2 - 1 : len(up) // 2 + 1].max()
    monitor = run.monitor
    water = monitor["water"] + monitor["rain_fallen"]
    lost = abs(water[-1] / water[0] - 1.0)
    print("time, s    largest updraught, m/s    downdraught, m/s    rain on the ground, 1e9 kg")
    for i in range(len(water)):
        if monitor["time"][i] % 600 < 1e-6:
            print(f"{monitor['time'][i]:7.0f}    {monitor['velocity_y_highest'][i]:10.1f} {-monitor['velocity_y_lowest'][i]:22.1f} "
                  f"{monitor['rain_fallen'][i] / 1e9:20.2f}")
    print(f"mirror images: {'yes' if mirrored else 'no'}; storms {apart / 1000:.1f} km apart, updraughts of {half.max():.1f} m/s at 5 km, at "
          f"most {between:.1f} m/s between them; at most {rain.max():.0f} mm of rain; water lost: {lost:.1e} of it")
    sys.exit(not (mirrored and apart > APART and half.max() > STRONG and between < 0.5 * half.max() and lost < LOST))


main()
