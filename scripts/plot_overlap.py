#!/usr/bin/env python3
"""Draws what scripts/bench_overlap.py has written: rates with overlap, without overlap and without communication
over the length of the domain, and what the exchange takes, measured and predicted, beside the kernels.

    scripts/plot_overlap.py FILE.csv [--output FILE.png]

Needs Python with matplotlib (Debian: python3-matplotlib, for /usr/bin/python3). FILE.png defaults to the file's
name with .png.
"""
import csv
import sys
from pathlib import Path

from plotting import arguments, plt, save

RATES = {"no_communication": ("without communication", "#8a8a8a"), "overlap": ("overlap", "#1f5fa8"),
         "no_overlap": ("no overlap", "#d9541e"), "one_gpu": ("one GPU", "#3a7d44")}
TIMES = {"kernels_ms": ("kernels", "#1f5fa8", "o-"), "exchange_ms": ("exchange, measured", "#d9541e", "o-"),
         "predicted_exchange_ms": ("exchange, predicted", "#d9541e", "x--")}


def read(path):
    """Returns the rows; nan for what was not predicted."""
    try:
        with open(path, newline="") as file:
            rows = [{name: float(value or "nan") for name, value in row.items()} for row in csv.DictReader(file)]
    except OSError as error:
        sys.exit(f"plot_overlap.py: {path}: {error.strerror}")
    except (TypeError, ValueError, csv.Error):
        rows = []
    if not rows or not {"cells", *RATES, "kernels_ms", "exchange_ms"} <= rows[0].keys():
        sys.exit(f"plot_overlap.py: {path}: not what bench_overlap.py writes")
    return rows


def draw(axes, rows, column, label, colour, style="o-"):
    if column in rows[0]:
        axes.plot([row["cells"] for row in rows], [row[column] for row in rows], style, color=colour, label=label)


def main():
    parser = arguments(__doc__)
    parser.add_argument("file", metavar="FILE.csv")
    options = parser.parse_args()
    rows = read(options.file)
    figure, (rates, times) = plt.subplots(1, 2, figsize=(11.0, 4.4), layout="constrained")
    for column, (label, colour) in RATES.items():
        draw(rates, [{**row, column: row[column] / 1e3} for row in rows], column, label, colour)
    for column, (label, colour, style) in TIMES.items():
        draw(times, rows, column, label, colour, style)
    rates.set(xlabel="cells along x and z", ylabel="billion cell updates per second", ylim=(0.0, None))
    times.set(xlabel="cells along x and z", ylabel="ms of a step", yscale="log")
    for axes in (rates, times):
        axes.legend()
    save(figure, options.output or Path(options.file).with_suffix(".png"))


if __name__ == "__main__":
    main()
