"""Compares a lid-driven cavity run with published values; Python's standard library alone.

    python3 tests/validation/cavity.py OUT_DIR [--ghia TOLERANCE] [--extrema PERCENT [NAME]...]

--ghia: all points of tests/data/ghia_1982.csv for the run's Reynolds number; fails if one deviates by
more than TOLERANCE lid velocities. --extrema: those of tests/data/cavity_extrema.csv for the run's
cavity and Reynolds number; fails if one of the NAMEs (all, if there are none) deviates by more than
PERCENT. Exits 1 on failure, 2 if the run is not such a case. The cavity must be oriented like that of
input/cavity.cfg: the lid is z_high, moving along +x.
"""

import csv
import json
import math
import re
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "data"


class NoCavity(Exception):
    """The folder does not hold what is needed; the text says what is missing."""


def read_table(path):
    """The rows of a CSV file with # comments, as dictionaries of texts."""
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def face(configuration, name):
    """kind and velocity of a face, from the text of config.resolved.cfg."""
    block = re.search(rf"\b{name} = {{(.*?)}};", configuration, re.DOTALL)
    kind = block and re.search(r'kind = "(\w+)"', block[1])
    velocity = block and re.search(r"velocity = \[([^\]]*)\]", block[1])
    if not kind or not velocity:
        raise NoCavity(f"config.resolved.cfg says nothing about {name}")
    return kind[1], [float(value) for value in velocity[1].split(",")]


class Cavity:
    """A finished run: reynolds, square (periodic along the span) or cube, and two profiles."""

    def __init__(self, directory):
        directory = Path(directory)
        try:
            results = json.loads((directory / "results.json").read_text())
            configuration = (directory / "config.resolved.cfg").read_text()
            rows = read_table(directory / "profiles.csv")
        except OSError as error:
            raise NoCavity(f"{error.filename}: {error.strerror}; profiles.csv is written with "
                           "output.profiles = true") from error
        if results["status"] != "done":
            raise NoCavity(f"{directory}: the run ended as \"{results['status']}\"")
        if not isinstance(results["units"], dict):
            raise NoCavity(f"{directory}: results.json is of an older version: it does not say its units")
        self.steps = results["steps"]
        self.reynolds = results["reynolds"]
        self.cells = [sum(row["line"] == axis for row in rows) for axis in "xyz"]
        self.lid, self.unit = self._velocities(configuration, results)
        self.square = face(configuration, "y_low")[0] == "periodic"
        self.cube = not self.square and len(set(self.cells)) == 1
        # Position and value in units of the edge and of the lid's velocity, walls included.
        self.u = self._profile(rows, "z", "ux", self.lid / abs(self.lid))
        self.w = self._profile(rows, "x", "uz", 0.0)

    @staticmethod
    def _velocities(configuration, results):
        """The lid's velocity in lattice units, and what a lattice unit is in the files."""
        kind, velocity = face(configuration, "z_high")
        others = [face(configuration, name)[0] for name in ("x_low", "x_high", "z_low")]
        if kind != "moving_wall" or velocity[0] == 0.0 or velocity[1] or set(others) != {"no_slip"}:
            raise NoCavity("not a cavity with z_high moving along x and walls at x_low, x_high, z_low")
        si = results["units"]["ux"] != "lattice units"
        return velocity[0], results["dx"] / results["dt"] if si else 1.0

    def _profile(self, rows, line, component, at_end):
        scale = abs(self.lid) * self.unit
        points = [(float(row["relative"]), float(row[component]) / scale)
                  for row in rows if row["line"] == line]
        if not all(math.isfinite(value) for _, value in points):
            raise NoCavity(f"profiles.csv: {component} is not finite everywhere")
        return [(0.0, 0.0), *points, (1.0, at_end)]

    def extrema(self):
        """Name -> (value, position) of u_min, w_min, w_max."""
        return {"u_min": extremum(self.u, min), "w_min": extremum(self.w, min),
                "w_max": extremum(self.w, max)}


def interpolate(profile, position):
    """Linear interpolation."""
    for (x0, y0), (x1, y1) in zip(profile, profile[1:]):
        if x0 <= position <= x1:
            return y0 + (y1 - y0) * (position - x0) / (x1 - x0)
    raise ValueError(f"{position} lies outside the profile")


def extremum(profile, which):
    """Value and position of the parabola's vertex through the extreme node and its neighbours.
    Nodes are equally spaced there; walls, half a cell away, are left out."""
    nodes = profile[1:-1]
    k = nodes.index(which(nodes, key=lambda node: node[1]))
    k = min(max(k, 1), len(nodes) - 2)
    (x0, a), (x1, b), (_, c) = nodes[k - 1:k + 2]
    curvature = a - 2.0 * b + c
    shift = 0.5 * (a - c) / curvature if curvature else 0.0
    return b - 0.25 * (a - c) * shift, x1 + shift * (x1 - x0)


def compare_ghia(cavity, tolerance):
    """True if every point is within tolerance lid velocities."""
    points = [row for row in read_table(DATA / "ghia_1982.csv")
              if float(row["re"]) == round(cavity.reynolds, 6)]
    if not cavity.square or not points:
        raise NoCavity("Ghia's table here is for a span-periodic cavity at Re 100 or 400")
    passed = True
    print(f"  against Ghia et al. 1982 (linear interpolation, tolerance {tolerance:g} lid velocities):")
    for line, profile, text in (("u", cavity.u, "u along z"), ("v", cavity.w, "w along x")):
        deviations = [(abs(interpolate(profile, float(row["position"])) - float(row["value"])), row)
                      for row in points if row["line"] == line]
        worst, row = max(deviations, key=lambda entry: entry[0])
        rms = (sum(d * d for d, _ in deviations) / len(deviations)) ** 0.5
        print(f"    {text}: {len(deviations)} points, rms {rms:.5f}, largest {worst:.5f} at "
              f"{row['position']}{'' if worst <= tolerance else '   TOO MUCH'}")
        passed = passed and worst <= tolerance
    return passed


def compare_extrema(cavity, percent, gated):
    """True if the extrema in gated (all, if it is empty) are within percent."""
    shape = "square" if cavity.square else "cube" if cavity.cube else "neither"
    points = [row for row in read_table(DATA / "cavity_extrema.csv")
              if row["cavity"] == shape and float(row["re"]) == round(cavity.reynolds, 6)]
    if not points:
        raise NoCavity(f"no published extrema for Re {cavity.reynolds:g} in this cavity")
    unknown = set(gated) - {row["extremum"] for row in points}
    if unknown:
        raise NoCavity(f"no extremum is called {' or '.join(sorted(unknown))}")
    source = "Botella, Peyret 1998" if cavity.square else "Albensoeder, Kuhlmann 2005"
    print(f"  against {source} (spectral):")
    passed = True
    for row in points:
        name, known = row["extremum"], float(row["value"])
        value, position = cavity.extrema()[name]
        deviation = 100.0 * (value / known - 1.0)
        gate = not gated or name in gated
        verdict = f"limit {percent:g} %" if gate else "no limit"
        if gate and not abs(deviation) <= percent:
            verdict += "   TOO MUCH"
            passed = False
        print(f"    {name} {value:+.5f} at {position:.4f}, published {known:+.5f} "
              f"at {float(row['position']):.4f}, deviation {deviation:+.2f} % ({verdict})")
    return passed


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    directory, passed, compared = arguments.pop(0), True, False
    try:
        cavity = Cavity(directory)
        print("Re {:g}, {} x {} x {} cells, {} steps".format(cavity.reynolds, *cavity.cells,
                                                             cavity.steps))
        while arguments:
            option, limit = arguments.pop(0), float(arguments.pop(0))
            names = []
            while arguments and not arguments[0].startswith("-"):
                names.append(arguments.pop(0))
            if option == "--ghia" and not names:
                passed = compare_ghia(cavity, limit) and passed
            elif option == "--extrema":
                passed = compare_extrema(cavity, limit, names) and passed
            else:
                raise ValueError(option)
            compared = True
    except NoCavity as error:
        print(f"cavity.py: {error}", file=sys.stderr)
        return 2
    except (IndexError, ValueError) as error:
        print(f"cavity.py: {error}\n{__doc__}", file=sys.stderr)
        return 2
    return 0 if passed and compared else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
