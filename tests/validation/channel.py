#!/usr/bin/env python3
"""The turbulent channel of input/channel_re180.cfg: makes the state that it starts from, and compares its means.

    tests/validation/channel.py start FILE.hdf
    tests/validation/channel.py compare OUT_DIR [--output FILE.png]

start writes a mean profile with disturbances without divergence, on a quarter of the cells along each axis. compare
prints the deviations from Moser, Kim and Mansour (tests/data/channel_re180.csv), and draws both; FILE.png defaults to
channel.png in OUT_DIR; it exits with 1 if the mean velocity is off by more than 3 %, or a fluctuation by more than 8 %
of its maximum. Needs Python with h5py, numpy and matplotlib.
"""

import sys
from pathlib import Path

import numpy

SOURCE = Path(__file__).resolve().parents[2]
sys.path += [str(SOURCE / "python"), str(SOURCE / "scripts")]  # wabe, plotting

CELLS, SPEED = (152, 76, 48), 0.0055  # along x, y, z; u_tau
RE_TAU = 178.12


def law_of_the_wall(y_plus):
    """H. Reichardt, Z. angew. Math. Mech. 31 (1951) 208."""
    return numpy.log(1.0 + 0.4 * y_plus) / 0.4 + 7.8 * (
        1.0 - numpy.exp(-y_plus / 11.0) - y_plus / 11.0 * numpy.exp(-y_plus / 3.0)
    )


def start(path):
    import h5py

    nx, ny, nz = CELLS
    z, y, x = numpy.meshgrid(*((numpy.arange(n) + 0.5) / n for n in (nz, ny, nx)), indexing="ij")
    random = numpy.random.default_rng(1)
    potential = numpy.zeros((3, nz, ny, nx))
    for component in potential:
        for _ in range(24):
            waves = random.integers(-6, 7, 2)
            phases = 2.0 * numpy.pi * random.random(2)
            component += numpy.sin(2.0 * numpy.pi * (waves[0] * x + waves[1] * y) + phases[0]) * numpy.cos(
                numpy.pi * random.integers(1, 6) * z + phases[1]
            )
    potential *= numpy.sin(numpy.pi * z) ** 2

    def slope(values, axis):
        if axis == 0:
            return numpy.gradient(values, axis=0)
        return 0.5 * (numpy.roll(values, -1, axis) - numpy.roll(values, 1, axis))

    a, b, c = potential
    velocity = numpy.stack(
        [slope(c, 1) - slope(b, 0), slope(a, 0) - slope(c, 2), slope(b, 2) - slope(a, 1)], axis=-1
    )
    velocity *= 2.0 * SPEED / numpy.sqrt((velocity**2).mean())
    velocity[..., 0] += SPEED * law_of_the_wall(RE_TAU * 2.0 * numpy.minimum(z, 1.0 - z))
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with h5py.File(path, "w") as file:
        points = file.create_group("VTKHDF/PointData")
        about = file["VTKHDF"].attrs
        about["Type"], about["Version"] = numpy.bytes_("ImageData"), (1, 0)
        about["WholeExtent"] = (0, nx - 1, 0, ny - 1, 0, nz - 1)
        about["Spacing"], about["Origin"], about["Direction"] = numpy.ones(3), numpy.full(3, 0.5), numpy.eye(3).ravel()
        for name, values in ("velocity", velocity), ("density", numpy.ones(velocity.shape[:3])):
            points.create_dataset(name, data=values.astype("f4")).attrs["unit"] = numpy.bytes_("lattice units")
    print(f"{path}: {nx} x {ny} x {nz} cells")


def profiles(directory):
    """Wall distance, mean and variances over planes, both halves averaged, in wall units."""
    import wabe

    run = wabe.Run(directory)
    fields = run.fields(part="means")
    mean, rms = fields["mean_velocity"], fields["rms_velocity"]
    average = mean.mean(axis=(1, 2))
    variance = (rms**2).mean(axis=(1, 2)) + mean.var(axis=(1, 2))
    cells = run.config["domain"]["cells"][2]
    stride = run.config["output"]["parts"][0]["stride"]
    height = stride * numpy.arange(len(average)) + 0.5
    distance = numpy.minimum(height, cells - height)
    order = numpy.argsort(distance)
    speed = numpy.sqrt(run.config["lbm"]["force"][0] * cells / 2)
    unit = speed / run.config["lbm"]["viscosity"]
    return distance[order] * unit, average[order, 0] / speed, variance[order] / speed**2


def compare(directory, path):
    from plotting import plt, save

    reference = numpy.genfromtxt(SOURCE / "tests/data/channel_re180.csv", delimiter=",", names=True, skip_header=4)
    y_plus, u, variance = profiles(directory)
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 4.0), layout="constrained")
    right = numpy.interp(y_plus, reference["y_plus"], reference["u"])
    off = abs(u - right) / right
    off = off[y_plus >= reference["y_plus"][0]]
    print(f"mean velocity: off by {100 * off.max():.1f} % at most, {100 * off.mean():.1f} % on average; "
          f"in the middle {u[-1]:.2f}, published {reference['u'][-1]:.2f}")
    failed = not off.max() <= 0.03  # also if it is no number
    axes[0].semilogx(y_plus, u, ".", color="C0", label="Wabe")
    axes[0].semilogx(reference["y_plus"], reference["u"], "k-", lw=0.8, label="Moser, Kim, Mansour 1999")
    axes[0].set(xlabel="$y^+$", ylabel="$u^+$")
    axes[0].legend()
    for k, (name, axis, label) in enumerate((("uu", 0, "along"), ("vv", 2, "normal"), ("ww", 1, "across"))):
        found = numpy.sqrt(variance[:, axis])
        right = numpy.sqrt(numpy.interp(y_plus, reference["y_plus"], reference[name]))
        off = abs(found - right).max() / right.max()
        print(f"fluctuation {label}: off by {100 * off:.1f} % of its maximum at most; "
              f"maximum {found.max():.3f}, published {numpy.sqrt(reference[name].max()):.3f}")
        failed |= not off <= 0.08
        axes[1].plot(y_plus, found, ".", color=f"C{k}", label=label)
        axes[1].plot(reference["y_plus"], numpy.sqrt(reference[name]), "k-", lw=0.8)
    axes[1].set(xlabel="$y^+$", ylabel="rms of fluctuations, in $u_\\tau$")
    axes[1].legend()
    save(figure, path)
    return 1 if failed else 0


def main():
    words = sys.argv[1:]
    if len(words) == 2 and words[0] == "start":
        start(words[1])
        return 0
    if len(words) in (2, 4) and words[0] == "compare" and (len(words) == 2 or words[2] == "--output"):
        return compare(words[1], words[3] if len(words) == 4 else str(Path(words[1]) / "channel.png"))
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
