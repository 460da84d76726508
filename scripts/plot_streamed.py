#!/usr/bin/env python3
"""Draws what scripts/bench_streamed.py --output has written: rates over the domain's size, over the steps of a pass, and
on several GPUs.

    scripts/plot_streamed.py FILE.csv [--output FILE.png]

Needs Python with matplotlib (Debian: python3-matplotlib, for /usr/bin/python3). FILE.png defaults to the file's
name with .png.
"""

import csv
import sys
from pathlib import Path

from plotting import arguments, plt, save


def read(path):
    try:
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row.update({name: float(row[name]) for name in ("gigabytes", "limit", "mlups", "share")})
            row.update({name: int(row[name]) for name in ("gpus", "steps_per_pass")})
    except OSError as error:
        sys.exit(f"plot_streamed.py: {path}: {error.strerror}")
    except (KeyError, TypeError, ValueError, csv.Error):
        sys.exit(f"plot_streamed.py: {path}: not what bench_streamed.py --output writes")
    if not rows:
        sys.exit(f"plot_streamed.py: {path}: has no rows")
    return rows


def draw_sizes(axes, rows):
    several = [row for row in rows if row["residency"] == "streamed" and row["steps_per_pass"] > 1]
    one = [row for row in rows if row["residency"] == "streamed" and row["steps_per_pass"] == 1]
    resident = [row for row in rows if row["residency"] == "resident"]
    for label, colour, of in (("resident, without the limit", "#9a9a9a", resident), ("streamed", "#1f5fa8", several),
                              ("streamed, one step a pass", "#d9541e", one)):
        axes.plot([row["gigabytes"] for row in of], [row["mlups"] for row in of], "o-", color=colour, label=label)
    axes.axvline(rows[0]["limit"], color="#cccccc", linestyle="--", linewidth=0.8)
    axes.set(xlabel="populations, GB (dashed: what the GPU may hold)", ylabel="million cell updates per second")
    axes.set_ylim(bottom=0)
    axes.legend()


def draw_steps(axes, rows):
    rows = sorted(rows, key=lambda row: row["steps_per_pass"])
    axes.plot([row["steps_per_pass"] for row in rows], [row["share"] for row in rows], "o-", color="#1f5fa8")
    axes.axhline(1.0, color="#cccccc", linewidth=0.8)
    axes.set(xlabel="steps of a pass", ylabel="of the resident rate", ylim=(0.0, 1.05))


def draw_weak(axes, rows):
    for label, colour in (("resident", "#9a9a9a"), ("streamed", "#1f5fa8")):
        of = [row for row in rows if row["residency"] == label]
        axes.plot([row["gpus"] for row in of], [row["gpus"] * row["mlups"] for row in of], "o-", color=colour, label=label)
    axes.set_xticks(sorted({row["gpus"] for row in rows}))
    axes.set(xlabel="GPUs", ylabel="million cell updates per second")
    axes.set_ylim(bottom=0)
    axes.legend()


def main():
    parser = arguments(__doc__)
    parser.add_argument("file", metavar="FILE.csv")
    options = parser.parse_args()
    rows = read(options.file)
    drawings = {"size": draw_sizes, "steps": draw_steps, "weak": draw_weak}
    shown = [name for name in drawings if any(row["series"] == name for row in rows)]
    figure, axes = plt.subplots(1, len(shown), figsize=(4.6 * len(shown), 3.8), squeeze=False, layout="constrained")
    for name, place in zip(shown, axes[0]):
        drawings[name](place, [row for row in rows if row["series"] == name])
    save(figure, options.output or Path(options.file).with_suffix(".png"))


main()
