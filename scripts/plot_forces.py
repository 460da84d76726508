#!/usr/bin/env python3
"""Draws the forces on bodies over time, and their spectra: forces.csv of a run with forces.every.

    scripts/plot_forces.py OUT_DIR [--body NAME] [--output FILE.png]

Without --body it draws the first body. A body with a reference velocity and area is drawn as coefficients. Spectra are
of the lines after forces.begin, if there are 32 or more; above the spectrum stands the frequency of the highest peak of the
forces along y and z, and its Strouhal number, frequency lbm.length / lbm.velocity. Needs Python with matplotlib (Debian:
python3-matplotlib, for /usr/bin/python3). FILE.png defaults to forces.png in OUT_DIR.
"""

import sys
from pathlib import Path

from plotting import arguments, plt, save

import numpy

import wabe

FEWEST = 32  # lines for a spectrum


def bodies_of(forces):
    return [name[: -len("_fx")] for name in forces.dtype.names if name.endswith("_fx") and name != "total_fx"]


def factor_of(run, body):
    """From forces to coefficients, or 1, and what is drawn."""
    means = run.results.get("forces", {}).get(body, {})
    pairs = zip(means.get("mean_coefficients", []), means.get("mean_force", []))
    ratios = [coefficient / force for coefficient, force in pairs if force]
    return (ratios[0], "coefficient") if ratios else (1.0, f"force, in {run.results['units']['force']}")


def spectrum(time, values):
    """Frequencies and amplitudes, with a Hann window."""
    window = numpy.hanning(len(values))
    amplitudes = numpy.abs(numpy.fft.rfft((values - values.mean()) * window)) * 2.0 / window.sum()
    return numpy.fft.rfftfreq(len(values), time[1] - time[0]), amplitudes


def strouhal(run, frequency):
    """frequency L / U, if the run has a velocity; the time is in steps, or in seconds."""
    o, results = run.config["lbm"], run.results
    velocity = results["reference_velocity"]
    length = o.get("length") or run.config["domain"]["cells"][0]
    if results["units"]["time"] == "s":
        length *= results["dx"]
    return frequency * length / velocity if velocity else None


def is_distinct(amplitudes, peak, values):
    """Is the peak a frequency of which there are four periods or more, and no mere noise?"""
    rest = numpy.median(amplitudes[1:])
    return peak >= 4 and amplitudes[peak] > 5.0 * rest and numpy.ptp(values) > 1e-3 * numpy.abs(values).max()


def draw(directory, body, path):
    run = wabe.Run(directory)
    with open(Path(directory) / "forces.csv") as file:
        forces = numpy.atleast_1d(numpy.genfromtxt(file, delimiter=",", names=True))
    bodies = bodies_of(forces)
    body = body or bodies[0]
    if body not in bodies:
        raise ValueError(f"{directory}/forces.csv has no body {body}, but {', '.join(bodies)}")
    factor, what = factor_of(run, body)
    late = forces["step"] >= run.config["forces"].get("begin", 0)
    whole = late.sum() >= FEWEST
    figure, axes = plt.subplots(1, 2 if whole else 1, figsize=(10.0 if whole else 6.0, 3.6), layout="constrained", squeeze=False)
    highest, shedding = 0.0, None
    for direction, colour in zip("xyz", ("#1f6fb4", "#d9541e", "#2b8a5c")):
        values = factor * forces[f"{body}_f{direction}"]
        axes[0, 0].plot(forces["time"], values, color=colour, label=direction, linewidth=1.0)
        if whole:
            frequencies, amplitudes = spectrum(forces["time"][late], values[late])
            axes[0, 1].plot(frequencies[1:], amplitudes[1:], color=colour, linewidth=1.0)
            peak = 2 + int(numpy.argmax(amplitudes[2:]))
            if direction != "x" and amplitudes[peak] > highest and is_distinct(amplitudes, peak, values[late]):
                highest, shedding = amplitudes[peak], (direction, frequencies[peak])
    axes[0, 0].set(xlabel=f"time, in {run.results['units']['time']}", ylabel=what, title=body)
    axes[0, 0].legend()
    if whole:
        unit = "1 / s" if run.results["units"]["time"] == "s" else "1 / step"
        axes[0, 1].set(xlabel=f"frequency, {unit}", yscale="log", ylabel="amplitude")
    if shedding:
        direction, frequency = shedding
        number = strouhal(run, frequency)
        axes[0, 1].set_title(f"{direction}: peak at {frequency:.4g}" +
                             (f", Strouhal number {number:.3g}" if number else ""))
    elif whole:
        axes[0, 1].set_title("no distinct frequency")
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--body", metavar="NAME")
    given = parser.parse_args()
    try:
        draw(given.directory, given.body, given.output or Path(given.directory) / "forces.png")
    except OSError as error:
        sys.exit(f"plot_forces.py: {error.filename or error}: {error.strerror or 'cannot be read'}")
    except (KeyError, ValueError) as error:
        sys.exit(f"plot_forces.py: {error.args[-1]}")


if __name__ == "__main__":
    main()
