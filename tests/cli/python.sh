#!/usr/bin/env bash
# The Python package: pip installs it, all of docs/python.md does what it says, and cases, results and callbacks are what
# that page promises beyond its examples.
source "$2/tests/cli/common.bash"
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import h5py, xarray, pip' 2>/dev/null; then break; fi
done
if ! "$python" -c 'import h5py, xarray, pip' 2>/dev/null; then
    echo "no Python with h5py, xarray and pip here"
    exit 77
fi
source=$2
export WABE=$wabe PYTHONDONTWRITEBYTECODE=1

# ---- pip installs it, without the network ----

cp -r "$source/python" package # pip leaves files in the folder
"$python" -m pip install --no-index --no-deps --no-build-isolation --disable-pip-version-check --target site ./package \
    >out.txt 2>err.txt || fail "pip does not install the package"
export PYTHONPATH=$PWD/site
"$python" - >out.txt 2>err.txt <<'PYTHON' || fail "another version than the program's, or another package"
import importlib.metadata, subprocess, wabe
assert wabe.__file__.startswith(__import__("os").getcwd() + "/site/"), wabe.__file__
said = subprocess.run([wabe.program(), "--version"], capture_output=True, text=True).stdout.split()
assert importlib.metadata.version("wabe") == said[1], said
PYTHON

# ---- the tutorial ----

sed 's/^```.*//' "$source/docs/python.md" >python.md # ends of blocks would be what an example is to print
"$python" -m doctest -o ELLIPSIS python.md >out.txt 2>err.txt || fail "docs/python.md says something else"
grep -q '^>>> ' python.md || fail "docs/python.md has no examples"

# ---- beyond its examples ----

write_case
cat >module.py <<'PYTHON'
import pickle, sys, time
from pathlib import Path
import h5py, numpy, wabe

def raises(kind, words, call):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), error
        return error
    assert False, words

# dicts become input files, which are read as the same again
settings = {"name": 'a "b" \\ é', "steps": numpy.int32(3), "lbm": {"tau": numpy.float64(0.1) + 0.2, "force": numpy.zeros(3)},
            "on": numpy.True_, "none": [], "path": Path("x/y"), "geometry": {"objects": [{"low": (1, 2, 3)}, {}]}}
wabe.write(settings, "new/folder/case.cfg")
assert wabe.parse(Path("new/folder/case.cfg").read_text()) == {
    "name": 'a "b" \\ é', "steps": 3, "lbm": {"tau": 0.1 + 0.2, "force": [0.0, 0.0, 0.0]}, "on": True, "none": [], "path": "x/y",
    "geometry": {"objects": [{"low": [1, 2, 3]}, {}]}}
for words, bad in ((["a.b[1].c"], {"a": {"b": [1, {"c": None}]}}), (["nan"], {"a": float("nan")}), (["lbm.tau"], {"lbm.tau": 1}),
                   (["a: 9223372036854775808"], {"a": 2**63}), (["a:"], {"a": {1, 2}}), (["a:"], {"a": b"x"}), (["1"], {1: 1})):
    raises(ValueError, words, lambda: wabe.write(bad, "bad/case.cfg"))
assert not Path("bad").exists()
raises(ValueError, ["lbm.tau", "None"], lambda: wabe.run("case.cfg", {"lbm.tau": None}))

# planes, lines and points are as thick as they are, in files of this version and others
planes = {"plane_x": (3, 0, 0), "plane_y": (0, 4, 0), "plane_z": (0, 0, 5), "line_x": (0, 4, 5), "line_y": (3, 0, 5), "line_z": (3, 4, 0),
          "point": (3, 4, 5)}
parts = [{"name": name, "begin": list(begin), "end": [at + 1 if at else 0 for at in begin]} for name, begin in planes.items()]
run = wabe.run("case.cfg", {"output.parts": parts, "output.precision": "f32"})
whole = run.fields()
box = {name: tuple(slice(at, at + 1) if at else slice(None) for at in begin[::-1]) for name, begin in planes.items()}

def check(fields, name):
    assert fields["velocity"].shape == (*fields.shape, 3) and numpy.array_equal(fields["velocity"], whole["velocity"][box[name]]), name
    assert numpy.array_equal(fields["density"], whole["density"][box[name]]) and fields.units["density"] == "lattice units", name
    for axis in range(3):
        assert numpy.array_equal(fields.centres[axis], whole.centres[axis][box[name][2 - axis]]), (name, axis, fields.centres)
    data = fields.xarray()
    assert data.velocity.dims == ("z", "y", "x", "component") and dict(data.sizes) == dict(zip("zyx", fields.shape), component=3)

def stored(name, layout):
    """The same part in a layout of files: two layers at the faces, as (z, y, x); or flat axes moved and at centres."""
    fields, cells = run.fields(part=name), numpy.array(run.fields(part=name).shape[::-1])
    axes, twice, shift = [2, 1, 0], list(numpy.flatnonzero(cells == 1)), 0.5
    if layout == "moved":
        flat = 2 if cells[2] == 1 else 1 if cells[1] == 1 else 0
        axes, shift = [axis for axis in (2, 1, 0) if axis != flat] + [flat], 0.0
        twice = [axis for axis in twice if axis != flat and len(twice) > 1]
    path = f"{layout}_{name}.hdf"
    with h5py.File(path, "w") as file:
        about, points = file.create_group("VTKHDF").attrs, file.create_group("VTKHDF/PointData")
        about["Spacing"], about["Direction"] = fields.spacing, numpy.eye(3)[:, axes[::-1]].ravel()
        about["Origin"] = fields.origin - shift * (cells == 1) * fields.spacing
        file.create_group("wabe").attrs.update(step=20, time=20.0, cells=cells)
        for key, array in fields.items():
            for axis in twice:
                array = numpy.repeat(array, 2, 2 - axis)
            points[key] = array.transpose([2 - axis for axis in axes] + [3] * (array.ndim == 4))
            points[key].attrs["unit"] = numpy.bytes_("lattice units")
    return wabe.Fields(path)

for name in planes:
    check(run.fields(part=name), name)
    for layout in "faces", "moved":
        check(stored(name, layout), name)

# fields are read when asked for, once; a new run has new ones
assert run.fields()["velocity"] is whole["velocity"] and run.fields(20).step == 20
kept = run.fields(quantities=["velocity"])
assert list(kept) == ["velocity"] and "density" not in kept and "density" in whole
raises(KeyError, ["density", "velocity"], lambda: kept["density"])
raises(ValueError, ["read-only"], lambda: whole["velocity"].fill(0))
before = whole["velocity"].copy()
assert repr(pickle.loads(pickle.dumps(run))) == repr(run)
wabe.run("case.cfg", {"lbm.reynolds": 30})
assert not numpy.array_equal(run.fields()["velocity"], before) and numpy.array_equal(whole["velocity"], before)
raises(FileNotFoundError, ["velocity", "replaced"], lambda: kept["velocity"])
sys.modules["xarray"] = None
raises(ImportError, ["xarray", "pip install"], whole.xarray)
raises(ImportError, ["xarray", "pip install"], run.xarray)
del sys.modules["xarray"]

# callbacks see each row, and end a run on any number of processes with a checkpoint, with which the run can go on
def same_rows(rows, table):
    names = table.dtype.names
    assert all(list(row) == list(names) and step == row["step"] for step, row in rows)
    assert numpy.array_equal([list(row.values()) for _, row in rows], table.tolist(), equal_nan=True), (rows, table)

rows = []
run = wabe.run("case.cfg", {"monitor.every": 4}, callback=lambda *row: rows.append(row)) # after another run in the folder
assert [step for step, _ in rows] == [4, 8, 12, 16, 20]
same_rows(rows, run.monitor)
for processes in 1, 2:
    rows = []
    long = {"name": f"long{processes}", "steps": 10**9, "monitor.every": 100}
    run = wabe.run("case.cfg", long, processes=processes, callback=lambda *row: rows.append(row) or numpy.bool_(len(rows) < 3))
    last = run.results["steps"]
    assert run.results["status"] == "interrupted" and list(run.checkpoints) == [last] and len(rows) == 3
    same_rows(rows, run.monitor[:3])
    rows = []
    run = wabe.run("case.cfg", {**long, "steps": last + 250}, restart="latest", processes=processes, callback=lambda *row: rows.append(row))
    assert run.results["status"] == "done" and len(rows) > 1
    same_rows(rows, run.monitor[run.monitor["step"] > last])
raises(ZeroDivisionError, [], lambda: wabe.run("case.cfg", long, callback=lambda step, row: 1 / 0))
assert run.results["status"] == "interrupted"

# failures
error = raises(wabe.Error, ["lbm.tua"], lambda: wabe.sweep({"name": "bad", "lbm": {"tua": 1}}, {"steps": [1]}, callback=print))
assert (error.code, error.file, error.line, error.key) == (2, "out/bad/steps=1.cfg", 3, "lbm.tua"), vars(error)
assert vars(pickle.loads(pickle.dumps(error))) == vars(error)
error = raises(wabe.Error, ["none.cfg"], lambda: wabe.run("none.cfg", callback=print))
assert (error.code, error.file, error.line, error.key) == (2, None, None, None)
PYTHON
"$python" module.py >out.txt 2>err.txt || fail "the Python package"

finish
