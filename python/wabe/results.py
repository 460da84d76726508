"""What runs have written: fields, tables and the rest of their folders."""
import csv
import errno
import json
import re
import weakref
from collections.abc import Mapping
from pathlib import Path

import numpy

from .inputs import parse

def lacks(where, name, names):
    """The KeyError of a name that something has not: it says which ones it has."""
    return KeyError(f"{where} has no {name!r}; it has {', '.join(map(str, names)) or 'nothing'}")


class Named(dict):
    """A dict that says so, and what it has, if it is asked for a key that it has not. where: what it was read from."""

    def __init__(self, where, items=()):
        super().__init__(items)
        self.where = where

    def __missing__(self, key):
        raise lacks(self.where, key, self)


def named(where, value):
    """With each dict in it as a Named."""
    if isinstance(value, dict):
        return Named(where, {key: named(f"{where}: {key}", item) for key, item in value.items()})
    return [named(where, item) for item in value] if isinstance(value, list) else value


class Table(numpy.ndarray):
    """A structured array that does the same for its columns."""

    def __getitem__(self, key):
        if not isinstance(key, str):
            return super().__getitem__(key)
        if key not in (self.dtype.names or ()):
            raise lacks(getattr(self, "where", "the table"), key, self.dtype.names or ())
        return super().__getitem__(key).view(numpy.ndarray)


def numbers_of(name, texts):
    """Converts a column to numbers (gaps become NAN; steps are integers), or to texts if one is not a number."""
    for kind in (int, float) if name == "step" else (float,):
        try:
            return numpy.array([text or "nan" for text in texts], dtype=kind)
        except ValueError:
            pass
    return numpy.array(texts)


def table(path):
    """Reads a CSV file of Wabe as a structured array, without a line that is still being written."""
    text = Path(path).read_text()
    names, *rows = csv.reader(text[:text.rfind("\n") + 1].splitlines()) if "\n" in text else [[]]
    columns = [numbers_of(name, [row[i] for row in rows]) for i, name in enumerate(names)]
    out = numpy.empty(len(rows), [(name, data.dtype) for name, data in zip(names, columns)])
    for name, data in zip(names, columns):
        out[name] = data
    out = out.view(Table)
    out.where = path
    return out


AXES = "zyx"  # of every array; those of tensors follow
COMPONENTS = {3: ("component", ["x", "y", "z"]), 6: ("tensor", ["xx", "yy", "zz", "xy", "yz", "xz"])}


class Layout:
    """How the datasets of a file hold the cells. There are two layouts for an axis of one cell: two layers with the same
    values, at the cell's two faces; or one layer, or two, at the cell's centre, with one such axis moved to the end."""

    def __init__(self, file):
        about = file["VTKHDF"].attrs
        data = next(iter(file["VTKHDF/PointData"].values()))
        axes = list(about["Direction"].reshape(3, 3).argmax(axis=0)[::-1])  # of the dataset, the slowest first; 0 is x
        stored = [data.shape[axes.index(axis)] for axis in range(3)]
        self.cells = [int(n) for n in file["wabe"].attrs["cells"]]  # along x, y, z
        self.layers = tuple(slice(0, self.cells[axis]) for axis in axes)
        self.order = [axes.index(axis) for axis in (2, 1, 0)]
        self.spacing = about["Spacing"]
        at_faces = [axes == [2, 1, 0] and n == 2 and cells == 1 for n, cells in zip(stored, self.cells)]
        self.origin = about["Origin"] + 0.5 * self.spacing * at_faces  # the centre of the first cell


def identity(path):
    """What tells a file from one that later replaces it; None if there is none."""
    try:
        about = path.stat()
    except FileNotFoundError:
        return None
    return str(path), about.st_ino, about.st_mtime_ns, about.st_size


def decoded(value):
    return value.decode() if isinstance(value, bytes) else str(value)


class Fields(Mapping):
    """The quantities of a step by name: arrays [z][y][x], of vectors [z][y][x][3], of symmetric tensors (xx, yy, zz, xy,
    yz, xz) [z][y][x][6]. An axis that is one cell thick has the length 1. Each is read from the file when it is first
    asked for, once; arrays are read-only, since all who ask get the same.

    Attributes: step and time; origin, the centre of the first cell, and spacing, along x, y, z in the units of the run;
    centres, of the cells along x, y and z; shape, (nz, ny, nx); units of the quantities, and "length" and "time"."""

    def __init__(self, path, quantities=None):
        import h5py  # nothing else here needs it

        self.path, self._arrays = Path(path), {}
        self._identity = identity(self.path)
        with h5py.File(path, "r") as file:
            run, data, layout = file["wabe"].attrs, file["VTKHDF/PointData"], Layout(file)
            self._names = list(quantities or data)
            for name in self._names:
                if name not in data:
                    raise lacks(path, name, data)
            self.shape = tuple(layout.cells[::-1])
            self.step, self.time = int(run["step"]), float(run["time"])
            self.origin, self.spacing = layout.origin, layout.spacing
            self.units = {name: decoded(data[name].attrs["unit"]) for name in self._names if "unit" in data[name].attrs}
            self.units.update((name, decoded(run[name + "_unit"])) for name in ("length", "time") if name + "_unit" in run)
        self.centres = [self.origin[d] + self.spacing[d] * numpy.arange(self.shape[2 - d]) for d in range(3)]

    def __getitem__(self, name):
        if name not in self._names:
            raise lacks(self.path, name, self._names)
        if name not in self._arrays:
            self._arrays[name] = self._read(name)
        return self._arrays[name]

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def __repr__(self):
        return f"<wabe.Fields of step {self.step}, {' x '.join(map(str, self.shape))} cells: {', '.join(self)}>"

    def _read(self, name):
        import h5py

        if identity(self.path) != self._identity:
            raise FileNotFoundError(errno.ENOENT, f"the file from which {name} was to be read was moved or replaced", str(self.path))
        with h5py.File(self.path, "r") as file:
            data, layout = file["VTKHDF/PointData"][name], Layout(file)
            array = data[layout.layers].transpose(layout.order + [3] * (data.ndim == 4))
        array.flags.writeable = False
        return array

    def xarray(self):
        """Returns an xarray.Dataset: the quantities over z, y, x (centres of cells) and the components of vectors and
        tensors, and step and time, with the units of the run."""
        xarray = need_xarray()
        length, time = ({"units": self.units[name]} if name in self.units else {} for name in ("length", "time"))
        out = xarray.Dataset(coords={axis: (axis, centres, length) for axis, centres in zip("xyz", self.centres)},
                             attrs={"source": str(self.path)})
        for name, array in self.items():
            axes = [*AXES]
            if array.ndim == 4:
                component, names = COMPONENTS[array.shape[3]]
                axes.append(component)
                out.coords[component] = names
            out[name] = (axes, array, {"units": self.units[name]} if name in self.units else {})
        return out.assign_coords(step=self.step, time=((), self.time, time))


def need_xarray():
    try:
        import xarray
    except ImportError:
        raise ImportError("this needs the package xarray: pip install xarray (Debian: python3-xarray)") from None
    return xarray


class Run:
    """The folder of a run. Its files are read anew at each access, so it can be used while the run goes on; but fields of
    a step that are still in use, or were the last ones of their part to be asked for, are not read again.
    parameters: the values set by wabe.run and wabe.sweep; error: the Error of a run that failed without check."""

    def __init__(self, directory, parameters=None, error=None):
        self.directory, self.parameters, self.error = Path(directory), dict(parameters or {}), error
        self._latest, self._known = {}, weakref.WeakValueDictionary()  # Fields by part; all that are in use

    def __repr__(self):
        return f"wabe.Run({str(self.directory)!r})"

    def __reduce__(self):  # for other processes
        return Run, (self.directory, self.parameters, self.error)

    def _glob(self, pattern):
        if not self.directory.is_dir():
            raise FileNotFoundError(errno.ENOENT, "there is no such folder", str(self.directory))
        return sorted(self.directory.glob(pattern))

    def _file(self, name):
        """The path of a file; FileNotFoundError says which ones of its kind there are."""
        path = self.directory / name
        if path.exists():
            return path
        there = [str(other.relative_to(self.directory)) for pattern in ("*", "*/*")
                 for other in self._glob(pattern + path.suffix)]
        raise FileNotFoundError(errno.ENOENT, "there is no such file; the folder has "
                                + (", ".join(there[:20]) or f"no *{path.suffix}"), str(path))

    def table(self, name):
        """Reads one of its CSV files, such as "porous.csv", as a structured array."""
        return table(self._file(name))

    def _json(self, name):
        path = self._file(name)
        return named(path, json.loads(path.read_text()))

    results = property(lambda self: self._json("results.json"), doc="results.json")
    timing = property(lambda self: self._json("timing.json"), doc="timing.json")
    monitor = property(lambda self: self.table("monitor.csv"), doc="A line for each look at the state.")
    forces = property(lambda self: self.table("forces.csv"), doc="Forces and torques of each body (forces.every).")

    @property
    def config(self):
        """All values of the configuration."""
        path = self._file("config.resolved.cfg")
        return named(path, parse(path.read_text(errors="surrogateescape")))

    @property
    def probes(self):
        """The table of each probe, by name."""
        return Named(self, {path.stem[len("probe_"):]: table(path) for path in self._glob("probe_*.csv")})

    @property
    def profiles(self):
        """The centre lines "x", "y" and "z" (output.profiles)."""
        lines = self.table("profiles.csv")
        return Named(self, {axis: lines[lines["line"] == axis] for axis in "xyz"})

    @property
    def parts(self):
        """The outputs that have files: "fields", the whole domain, and the names of output.parts."""
        return sorted(path.name[:-len(".hdf.series")] for path in self._glob("*.hdf.series"))

    def series(self, part="fields"):
        """Returns the steps and times that have files."""
        files = self._json(f"{part}.hdf.series")["files"]
        return (numpy.array([int(file["name"][len(part) + 1:-len(".hdf")]) for file in files], dtype=int),
                numpy.array([file["time"] for file in files], dtype=float))

    def path(self, step, part="fields"):
        """Returns the path of a step's file."""
        return self.directory / f"{part}_{step:08d}.hdf"

    def fields(self, step=None, part="fields", quantities=None):
        """Reads the Fields of a step (default: the last one): all quantities, or those named."""
        steps = self.series(part)[0]
        step = steps[-1] if step is None else step
        if step not in steps:
            raise ValueError(f"{self.directory}: {part} has no step {step}, but {', '.join(map(str, steps))}")
        path, chosen = self.path(step, part), tuple(quantities or ())
        key = identity(path), chosen
        fields = self._known.get(key) or Fields(path, chosen)
        self._latest[part] = self._known[key] = fields
        return fields

    def xarray(self, part="fields", quantities=None, steps=None):
        """Returns an xarray.Dataset of all steps that have files, or of those named, along the axis "time". It holds all
        of their values in memory."""
        xarray = need_xarray()
        steps = self.series(part)[0] if steps is None else steps
        return xarray.concat([self.fields(step, part, quantities).xarray() for step in steps], "time",
                             combine_attrs="drop_conflicts")

    @property
    def checkpoints(self):
        """The checkpoints: a dict from step to path."""
        found = [(re.fullmatch(r"checkpoint_(\d{8,})\.h5", path.name), path) for path in self._glob("*")]
        return Named(self, {int(name[1]): path for name, path in found if name})
