#!/usr/bin/env python3
"""Says whether two runs of the same case have the same results, bit for bit.

    scripts/compare_runs.py OUT_A OUT_B

Compares the state_hash of results.json (a hash of every population at the end), and all values of the files that
both folders have: of fields and parts every dataset and attribute below /VTKHDF, of checkpoints every array, of
monitor.csv, probe_*.csv and other tables every number. Files that one folder alone has are named. For example, one
rank and four:

    mpirun -np 1 build/release/wabe run input/cavity.cfg --set output.directory='"out/one"'
    mpirun -np 4 --oversubscribe build/release/wabe run input/cavity.cfg \\
        --set output.directory='"out/four"'
    scripts/compare_runs.py out/one out/four

Exits 0 if all is equal, 1 if anything differs or there is nothing to compare, 2 on wrong usage. Needs Python with
h5py (Debian: python3-h5py, for /usr/bin/python3).
"""
import sys

from packages import need

need("numpy", "h5py")

import h5py
import numpy

import wabe


def compare_hashes(a, b):
    """Returns 1 if state_hash differs or is missing, else 0."""
    both = [run.results for run in (a, b)]
    for run, results in zip((a, b), both):
        if "cells" not in results:
            raise ValueError(f"{run.directory}: no results: its status is \"{results.get('status')}\"")
        print(f"{run.directory}: {results['name']}, {results['cells']} cells, {results['steps']} steps, "
              f"{results['ranks']} process(es), {results['status']}")
    hashes = [results.get("state_hash") for results in both]
    equal = hashes[0] is not None and hashes[0] == hashes[1] and both[0]["steps"] == both[1]["steps"]
    print(f"state_hash {hashes[0]} {'==' if equal else '!='} {hashes[1]}")
    return 0 if equal else 1


def files(run):
    """Returns the names of files with values of this run; fields that no series lists are from an earlier run."""
    listed = {run.path(step, part) for part in run.parts for step in run.series(part)[0]}
    return {path.name for path in listed.union(run.checkpoints.values(), run.directory.glob("*.csv"))}


def items(path):
    """Returns arrays by name: columns of a table, arrays of a checkpoint, or everything below /VTKHDF."""
    if path.suffix == ".csv":
        rows = wabe.table(path)
        return {name: rows[name] for name in rows.dtype.names or ()}
    found = {}

    def add(name, node):
        if isinstance(node, h5py.Dataset):
            found[name] = node[()]
        for key, value in node.attrs.items():
            found[f"{name}@{key}"] = numpy.asarray(value)

    with h5py.File(path) as file:
        group = file["state" if path.suffix == ".h5" else "VTKHDF"]
        add("", group)
        group.visititems(add)
    return found


def same_bits(a, b):
    return (a.dtype == b.dtype and a.shape == b.shape
            and numpy.ascontiguousarray(a).tobytes() == numpy.ascontiguousarray(b).tobytes())


def describe(a, b):
    """Describes how two arrays differ."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {a.shape} and {b.dtype} {b.shape}"
    unlike = a != b  # NaNs count as different; different bits of equal values (0, -0) do not
    text = f"{numpy.count_nonzero(unlike)} of {a.size} values differ"
    if unlike.any() and numpy.issubdtype(a.dtype, numpy.floating):
        first = tuple(int(i) for i in numpy.argwhere(unlike)[0])
        text += f", by up to {numpy.nanmax(numpy.abs(a.astype(float) - b)):.3g}, first at {first}"
    return text


def compare_files(a, b):
    """Returns the numbers of differences and of values compared."""
    items_a, items_b = items(a), items(b)
    differences, compared = 0, 0
    for name in sorted(items_a.keys() | items_b.keys()):
        if name not in items_a or name not in items_b:
            print(f"{a.name}: {name} is missing in {b if name in items_a else a}")
            differences += 1
            continue
        value_a, value_b = items_a[name], items_b[name]
        compared += value_a.size
        if not same_bits(value_a, value_b):
            print(f"{a.name}: {name}: {describe(value_a, value_b)}")
            differences += 1
    return differences, compared


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    a, b = (wabe.Run(name) for name in sys.argv[1:])
    try:
        differences, compared = compare_hashes(a, b), 0
        names_a, names_b = files(a), files(b)
        for name in sorted(names_a & names_b):
            found, values = compare_files(a.directory / name, b.directory / name)
            differences += found
            compared += values
    except (OSError, KeyError, ValueError) as error:
        print(f"compare_runs.py: {error}", file=sys.stderr)
        return 1
    for run, names in ((a, names_a - names_b), (b, names_b - names_a)):
        if names:
            print(f"in {run.directory} alone: {', '.join(sorted(names))}")
    print(f"{len(names_a & names_b)} file(s) in both, {compared} values")
    if compared == 0:
        print("compare_runs.py: no file with values is in both folders: nothing to compare", file=sys.stderr)
        return 1
    print("EQUAL, bit for bit" if differences == 0 else f"DIFFERENT: {differences} difference(s)")
    return 0 if differences == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
