#!/usr/bin/env python3
"""Says whether two runs of the same case have the same results, bit for bit.

    scripts/compare_runs.py OUT_A OUT_B

Compares the state_hash of results.json (a hash of every population at the end) and every dataset and
attribute below /VTKHDF of each fields_*.hdf that both folders have. For example, one rank and four:

    mpirun -np 1 build/release/wabe run input/cavity.cfg --set output.directory='"out/one"'
    mpirun -np 4 --oversubscribe build/release/wabe run input/cavity.cfg \\
        --set output.directory='"out/four"'
    scripts/compare_runs.py out/one out/four

Exits 0 if all is equal, 1 if anything differs or there is nothing to compare, 2 on wrong usage. Needs
Python with h5py (Debian: python3-h5py, for /usr/bin/python3).
"""

import json
import os
import sys
from pathlib import Path

SYSTEM_PYTHON = "/usr/bin/python3"

try:
    import h5py
    import numpy
except ImportError as error:
    if Path(SYSTEM_PYTHON).exists() and not os.path.samefile(SYSTEM_PYTHON, sys.executable):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])  # the one that Debian's packages serve
    sys.exit(f"compare_runs.py needs {error.name}, which {sys.executable} does not have. On Debian: "
             f"apt-get install python3-h5py, then /usr/bin/python3 {sys.argv[0]} ...")


def compare_hashes(a, b):
    """1 if state_hash differs or is missing, else 0."""
    runs = [json.loads((folder / "results.json").read_text()) for folder in (a, b)]
    for folder, run in zip((a, b), runs):
        print(f"{folder}: {run['name']}, {run['cells']} cells, {run['steps']} steps, "
              f"{run['ranks']} process(es), {run['status']}")
    hashes = [run.get("state_hash") for run in runs]
    equal = hashes[0] is not None and hashes[0] == hashes[1] and runs[0]["steps"] == runs[1]["steps"]
    print(f"state_hash {hashes[0]} {'==' if equal else '!='} {hashes[1]}")
    return 0 if equal else 1


def same_bits(a, b):
    return (a.dtype == b.dtype and a.shape == b.shape
            and numpy.ascontiguousarray(a).tobytes() == numpy.ascontiguousarray(b).tobytes())


def describe(a, b):
    """How two arrays differ."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{a.dtype} {a.shape} and {b.dtype} {b.shape}"
    unlike = a != b  # NaNs count as unlike; different bits of equal values (0, -0) do not
    text = f"{numpy.count_nonzero(unlike)} of {a.size} values differ"
    if unlike.any() and numpy.issubdtype(a.dtype, numpy.floating):
        first = tuple(int(i) for i in numpy.argwhere(unlike)[0])
        text += f", by up to {numpy.nanmax(numpy.abs(a.astype(float) - b)):.3g}, first at {first}"
    return text


def items(file):
    """Name -> array, of the datasets and the attributes below /VTKHDF."""
    found = {}

    def add(name, node):
        if isinstance(node, h5py.Dataset):
            found[name] = node[()]
        for key, value in node.attrs.items():
            found[f"{name}@{key}"] = numpy.asarray(value)

    add("", file["VTKHDF"])
    file["VTKHDF"].visititems(add)
    return found


def compare_files(a, b):
    """Differences, values compared."""
    with h5py.File(a) as file_a, h5py.File(b) as file_b:
        items_a, items_b = items(file_a), items(file_b)
    differences, compared = 0, 0
    for name in sorted(items_a.keys() | items_b.keys()):
        if name not in items_a or name not in items_b:
            print(f"{a.name}: {name} is missing in {b if name in items_a else a}")
            differences += 1
            continue
        value_a, value_b = numpy.asarray(items_a[name]), numpy.asarray(items_b[name])
        compared += value_a.size
        if not same_bits(value_a, value_b):
            print(f"{a.name}: {name}: {describe(value_a, value_b)}")
            differences += 1
    return differences, compared


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    a, b = (Path(name) for name in sys.argv[1:])
    try:
        differences = compare_hashes(a, b)
        names_a, names_b = ({path.name for path in folder.glob("fields_*.hdf")} for folder in (a, b))
        compared = 0
        for name in sorted(names_a & names_b):
            found, values = compare_files(a / name, b / name)
            differences += found
            compared += values
    except (OSError, KeyError, json.JSONDecodeError) as error:
        print(f"compare_runs.py: {error}", file=sys.stderr)
        return 1
    common, alone = names_a & names_b, names_a ^ names_b
    print(f"{len(common)} field file(s), {compared} values"
          + (f"; {len(alone)} file(s) in one folder alone: {', '.join(sorted(alone))}" if alone else ""))
    if not common:
        print("no field file is in both folders: the state_hash alone was compared")
    print("EQUAL, bit for bit" if differences == 0 else f"DIFFERENT: {differences} difference(s)")
    return 0 if differences == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
