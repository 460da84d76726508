#!/usr/bin/env python3
"""Draws the forces on bodies over time, and their spectra: forces.csv of a run with forces.every.

    scripts/plot_forces.py OUT_DIR [--body NAME] [--output FILE.png]

Without --body it draws the first body: the forces along x, y and z, or, of a body with a stream, drag, lift and the force
across both (side); in a domain one cell thick without those that are zero. A body with a reference velocity and area is drawn as coefficients. A dotted line is at forces.begin. Spectra are
of the lines from there on, if there are 32 or more. Above the spectrum stands the frequency at which vortices leave the
body, and its Strouhal number, frequency lbm.length / lbm.velocity: that of the highest peak of all forces but the first
above 0.05, if it is well above the rest and six periods or more long, and does not decay as sound does. Above 0.5 it is said to be
fast for vortices: by the chord of a wing it may be one of its vortices. Needs Python with matplotlib (Debian:
python3-matplotlib, for /usr/bin/python3). FILE.png defaults to forces.png in OUT_DIR.
"""

from pathlib import Path

from plotting import arguments, complaints, plt, save

import numpy

import wabe

FEWEST = 32  # lines for a spectrum
ROUNDED = 1e-12  # a force below this part of the largest one is a rounded zero
LOWEST, HIGHEST, PERIODS = 0.05, 0.5, 6  # Strouhal numbers of vortices behind bodies; periods in the lines, at least


def bodies_of(forces):
    return [name[: -len("_fx")] for name in forces.dtype.names if name.endswith("_fx") and name != "total_fx"]


def means_of(run, body):
    """What results.json has of a body; a run that goes on has nothing."""
    return run.results.get("forces", {}).get(body, {})


def directions_of(run, body):
    """What is drawn, with its direction."""
    means = means_of(run, body)
    if "drag_direction" not in means:
        return dict(zip("xyz", numpy.eye(3)))
    drag, lift = numpy.array(means["drag_direction"]), numpy.array(means["lift_direction"])
    return {"drag": drag, "lift": lift, "side": numpy.cross(drag, lift)}


def factor_of(run, body):
    """From forces to coefficients, or 1, and what is drawn."""
    means = means_of(run, body)
    pairs = zip(means.get("mean_coefficients", []), means.get("mean_force", []))
    ratios = [coefficient / force for coefficient, force in pairs if force]
    return (ratios[0], "coefficient") if ratios else (1.0, f"force, in {run.results['units']['force']}")


def without_zeros(columns):
    """The columns but for those that are zero throughout, or rounded zeros; all if none is left."""
    largest = {name: numpy.abs(values).max() for name, values in columns.items()}
    return {name: columns[name] for name in columns if largest[name] > ROUNDED * max(largest.values())} or columns


def spectrum(time, values):
    """Frequencies and amplitudes, with a Hann window."""
    window = numpy.hanning(len(values))
    amplitudes = numpy.abs(numpy.fft.rfft((values - values.mean()) * window)) * 2.0 / window.sum()
    return numpy.fft.rfftfreq(len(values), time[1] - time[0]), amplitudes


def time_scale(run):
    """lbm.length / lbm.velocity, in the run's unit of time; NAN if one of them is not given."""
    results, length = run.results, run.config["lbm"].get("length") or numpy.nan
    unit = results["dx"] if results["units"]["time"] == "s" else 1.0
    return length * unit / (results["reference_velocity"] or numpy.nan)


def grows_or_stays(time, values, frequency):
    """Is the amplitude at a frequency in the second half of the lines no less than half of that in the first?"""
    half, amplitudes = len(values) // 2, []
    for part in (slice(0, half), slice(half, None)):
        frequencies, all_amplitudes = spectrum(time[part], values[part])
        amplitudes.append(all_amplitudes[numpy.abs(frequencies - frequency) < 1.5 * frequencies[1]].max())
    return amplitudes[1] >= 0.5 * amplitudes[0]


def peak_between(time, values, lowest, highest, largest):
    """The amplitude, the frequency, and how many periods there are, of the highest peak between two frequencies; None: there is no
    clear one, or it decays. largest: the largest force along any axis."""
    frequencies, amplitudes = spectrum(time, values)
    peak = int(numpy.argmax(numpy.where((frequencies >= lowest) & (frequencies <= highest), amplitudes, 0.0)))
    if peak < 1 or peak + 1 == len(amplitudes):
        return None
    before, here, behind = amplitudes[peak - 1 : peak + 2]
    if here < max(before, behind, 10.0 * numpy.median(amplitudes[1:]), 1e-3 * largest):
        return None
    frequency = frequencies[peak] + frequencies[1] * 2.0 * (behind - before) / (before + 2.0 * here + behind)    # Hann
    return (here, frequency, peak) if peak < PERIODS or grows_or_stays(time, values, frequency) else None


def shedding(time, values, largest, scale):
    """The peak that vortices make, or a faster one that is three times as high."""
    slow = peak_between(time, values, LOWEST / scale, HIGHEST / scale, largest)
    fast = peak_between(time, values, HIGHEST / scale, 4.0 * HIGHEST / scale, largest)
    return fast if fast and (not slow or fast[0] > 3.0 * slow[0]) else slow


def name_shedding(time, columns, scale):
    """What stands above the spectrum. columns: the forces, of which that along the stream is the first."""
    if not numpy.isfinite(scale):
        return "no Strouhal number without lbm.length and a velocity"
    largest = max(numpy.abs(values).max() for values in columns.values())
    found = [(*peak, direction) for direction in list(columns)[1:] if (peak := shedding(time, columns[direction], largest, scale))]
    if not found:
        return f"no vortices with a\nStrouhal number of {LOWEST} to {HIGHEST}"
    _, frequency, periods, direction = max(found)
    if periods < PERIODS:
        return f"{direction}: about {periods} period{'s' * (periods > 1)} since begin,\ntoo few for a Strouhal number"
    doubt = "" if frequency * scale <= HIGHEST else "\n(vortices are slower, unless lbm.length is a chord)"
    return f"{direction}: peak at {frequency:.4g},\nStrouhal number {frequency * scale:.3g}{doubt}"


def draw(directory, body, path):
    run = wabe.Run(directory)
    with open(Path(directory) / "forces.csv") as file:
        forces = numpy.atleast_1d(numpy.genfromtxt(file, delimiter=",", names=True))
    bodies = bodies_of(forces)
    body = body or bodies[0]
    if body not in bodies:
        raise ValueError(f"{directory}/forces.csv has no body {body}, but {', '.join(bodies)}")
    factor, what = factor_of(run, body)
    begin = run.config["forces"].get("begin", 0)
    late = forces["step"] >= begin
    whole = late.sum() >= FEWEST
    figure, axes = plt.subplots(1, 2 if whole else 1, figsize=(10.0 if whole else 6.0, 3.6), layout="constrained", squeeze=False)
    along_axes = numpy.array([forces[f"{body}_f{axis}"] for axis in "xyz"])
    columns = {name: factor * (direction @ along_axes) for name, direction in directions_of(run, body).items()}
    if 1 in run.config["domain"]["cells"]:
        columns = without_zeros(columns)
    for (direction, values), colour in zip(columns.items(), ("#1f6fb4", "#d9541e", "#2b8a5c")):
        axes[0, 0].plot(forces["time"], values, color=colour, label=direction, linewidth=1.0)
        if whole:
            frequencies, amplitudes = spectrum(forces["time"][late], values[late])
            axes[0, 1].plot(frequencies[1:], amplitudes[1:], color=colour, linewidth=1.0)
    axes[0, 0].set(xlabel=f"time, in {run.results['units']['time']}", ylabel=what)
    if begin > 0:
        axes[0, 0].axvline(begin * forces["time"][-1] / forces["step"][-1], color="grey", linestyle=":", label="begin")
    axes[0, 0].legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncol=4)  # above, where it covers nothing
    figure.suptitle(body)
    if whole:
        unit = "1 / s" if run.results["units"]["time"] == "s" else "1 / step"
        axes[0, 1].set(xlabel=f"frequency, {unit}", yscale="log", ylabel="amplitude")
        scale = time_scale(run)
        if numpy.isfinite(scale):  # what is faster has little to do with vortices
            axes[0, 1].set_xlim(0.0, min(frequencies[-1], 4.0 * HIGHEST / scale))
        axes[0, 1].locator_params(axis="x", nbins=5)  # numbers of many digits
        late_columns = {direction: values[late] for direction, values in columns.items()}
        axes[0, 1].set_title(name_shedding(forces["time"][late], late_columns, scale))
    save(figure, path)


def main():
    parser = arguments(__doc__)
    parser.add_argument("directory", metavar="OUT_DIR")
    parser.add_argument("--body", metavar="NAME")
    given = parser.parse_args()
    with complaints():
        draw(given.directory, given.body, given.output or Path(given.directory) / "forces.png")


if __name__ == "__main__":
    main()
