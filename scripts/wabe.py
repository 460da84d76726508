"""Wabe from Python: runs cases, and reads the results of runs.

    import wabe
    run = wabe.run("input/cavity.cfg", {"lbm.reynolds": 400}, processes=2)    # or wabe.Run("out/cavity")
    run.results["mlups"], run.monitor["residual"], run.fields()["velocity"]   # (nz, ny, nx, 3)
    runs = wabe.sweep("input/cavity.cfg", {"lbm.reynolds": [100, 200, 400]})

Needs numpy and, for fields, h5py (Debian: python3-numpy, python3-h5py). The program is the one named by the
environment variable WABE, else that of the tree that contains this file, else the one in PATH.
"""
import csv
import errno
import itertools
import json
import numbers
import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy

__all__ = ["Error", "Fields", "Run", "parse", "run", "setting", "sweep", "table"]

HERE = Path(__file__).resolve().parent
PROGRAMS = (HERE / "../build/release/wabe", HERE / "../../../bin/wabe")  # in the source tree, in an installation
MPIRUN = ("mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np")


class Error(RuntimeError):
    """A failed run: str() is wabe's message, code its exit code, command the command that was started."""

    def __init__(self, message, code, command):
        super().__init__(message)
        self.code, self.command = code, command


# ---- input files ------------------------------------------------------------------------------------

BLANK = r"(?:\s|(?:#|//)[^\n]*|/\*.*?\*/)*"
TOKEN = re.compile(BLANK + r'("(?:[^"\\\n]|\\.)*"|[-+.*\w]+|[=:,;{}()\[\]]|$)', re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}


def unquoted(token):
    def character(found):
        return chr(int(found[2], 16)) if found[2] else ESCAPES.get(found[1], found[1])

    return re.sub(r"\\(x([0-9a-fA-F]{2})|.)", character, token[1:-1])


def parse(text):
    """Parses the text of an input file, such as config.resolved.cfg: groups become dicts, arrays and lists become
    lists. Raises ValueError on a syntax error; wabe check reports details."""
    text, at, token = text.removeprefix("\ufeff"), 0, None

    def advance():
        nonlocal at, token
        last, found = token, TOKEN.match(text, at)
        if not found:
            raise ValueError(f"line {text.count(chr(10), 0, at) + 1} is not that of an input file")
        at, token = found.end(), found[1]
        return last

    def value():
        first = advance()
        if first in ("(", "["):
            items = []
            while token not in (")", "]", ""):
                items.append(value())
                if token == ",":
                    advance()
            advance()
            return items
        if first == "{":
            return group("}")
        if first[:1] == '"':
            return unquoted(first) + (value() if token[:1] == '"' else "")  # adjacent texts are one text
        if first.lower() in ("true", "false"):
            return first.lower() == "true"
        number = first.rstrip("L")
        return int(number, 0) if re.fullmatch(r"[-+]?(\d+|0[xX][0-9a-fA-F]+)", number) else float(number)

    def group(end):
        settings = {}
        while token not in (end, ""):
            name = advance()
            advance()  # '='
            settings[name] = value()
            if token in (";", ","):
                advance()
        advance()
        return settings

    advance()
    return group("")


def setting(value):
    """Formats a value as in input files and --set: numbers, texts, dicts, and lists of them, also of numpy."""
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (str, os.PathLike)):
        return '"' + re.sub(r'["\\\0-\x1f\x7f]', lambda c: "\\" + c[0] if c[0] in '"\\' else f"\\x{ord(c[0]):02X}",
                            os.fspath(value)) + '"'
    if isinstance(value, dict):
        return "{ " + " ".join(f"{name} = {setting(item)};" for name, item in value.items()) + " }"
    items = list(value)
    marks = "()" if not items or isinstance(items[0], dict) else "[]"
    return marks[0] + ", ".join(map(setting, items)) + marks[1]


# ---- what a run has written -------------------------------------------------------------------------

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


def column(name, texts):
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
    columns = [column(name, [row[i] for row in rows]) for i, name in enumerate(names)]
    out = numpy.empty(len(rows), [(name, data.dtype) for name, data in zip(names, columns)])
    for name, data in zip(names, columns):
        out[name] = data
    out = out.view(Table)
    out.where = path
    return out


class Fields(Named):
    """The quantities of a step, each (nz, ny, nx) or (nz, ny, nx, 3). Attributes: step and time; origin, the centre of
    the first cell, and spacing, along x, y, z in the units of the run; centres, of the cells along x, y and z."""

    def __init__(self, path, quantities=None):
        import h5py  # nothing else here needs it

        super().__init__(path)
        with h5py.File(path, "r") as file:
            about, data = file["VTKHDF"].attrs, file["VTKHDF/PointData"]
            axes = about["Direction"].reshape(3, 3).argmax(axis=0)  # which of x, y, z are the file's i, j, k
            order = [2 - list(axes).index(axis) for axis in (2, 1, 0)]
            for name in quantities or data:
                if name not in data:
                    raise lacks(path, name, data)
                super().__setitem__(name, data[name][()].transpose(order + [3] * (data[name].ndim == 4)))
            self.step, self.time = int(file["wabe"].attrs["step"]), float(file["wabe"].attrs["time"])
            self.origin, self.spacing = about["Origin"], about["Spacing"]
        shape = next(iter(self.values())).shape
        self.centres = [self.origin[d] + self.spacing[d] * numpy.arange(shape[2 - d]) for d in range(3)]


class Run:
    """The folder of a run. Its files are read anew at each access, so it can be used while the run goes on.
    parameters: the values set by wabe.run and wabe.sweep; error: the Error of a run that failed without check."""

    def __init__(self, directory, parameters=None, error=None):
        self.directory, self.parameters, self.error = Path(directory), dict(parameters or {}), error

    def __repr__(self):
        return f"wabe.Run({str(self.directory)!r})"

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
        return Fields(self.path(step, part), quantities)

    @property
    def checkpoints(self):
        """The checkpoints: a dict from step to path."""
        found = [(re.fullmatch(r"checkpoint_(\d{8,})\.h5", path.name), path) for path in self._glob("*")]
        return Named(self, {int(name[1]): path for name, path in found if name})


# ---- running ----------------------------------------------------------------------------------------

def program():
    """Returns the wabe program to run."""
    there = [os.path.normpath(path) for path in PROGRAMS if path.exists()]
    return os.environ.get("WABE") or (there + [shutil.which("wabe") or "wabe"])[0]


def directory_of(case, overrides):
    """Returns the folder of a case's results."""
    if "output.directory" in overrides:
        return Path(overrides["output.directory"])
    settings = parse(Path(case).read_text(errors="surrogateescape"))
    name = overrides.get("name", settings.get("name", "case"))
    return Path(overrides.get("output", settings.get("output", {})).get("directory") or f"out/{name}")


def run(case, overrides=None, *, processes=1, launcher=None, restart=None, options=(), quiet=True, check=True):
    """Runs a case and returns the Run. overrides: values by key path, {"domain.cells": [32, 32, 32]}. processes:
    several are started by mpirun and share the cores, unless OMP_NUM_THREADS is set. launcher: the command that
    starts them instead, ["srun", "-n", "8"]. restart: "latest", or a checkpoint. options: further options of wabe
    run. Raises Error if the exit code is not 0; without check it is only stored as the Run's error."""
    overrides = dict(overrides or {})
    environment = dict(os.environ)
    if launcher is None and processes > 1:
        launcher = [*MPIRUN, str(processes)]
        environment.setdefault("OMP_NUM_THREADS", str(max(1, len(os.sched_getaffinity(0)) // processes)))
    command = [*(launcher or ()), program(), "run", os.fspath(case), *(["--quiet"] if quiet else []),
               *(["--restart", os.fspath(restart)] if restart else []), *options]
    for path, value in overrides.items():
        command += ["--set", f"{path}={setting(value)}"]
    try:
        with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              errors="replace", stdout=subprocess.DEVNULL if quiet else None) as process:
            said = process.communicate()[1]  # the run gets the Ctrl-C as well: leave it time for its checkpoint
    except FileNotFoundError as missing:
        raise Error(f"{missing.filename} is not here: build Wabe, or name the program in WABE", 127, command) from None
    error = None
    if process.returncode != 0:
        said = re.split(r"^wabe: ", said, flags=re.MULTILINE)[-1].strip()
        error = Error(said or f"{command[0]} ended with code {process.returncode}", process.returncode, command)
        if check:
            raise error
    return Run(directory_of(case, overrides), overrides, error)


def sweep(case, parameters, overrides=None, *, directory=None, **options):
    """Runs a case for each combination of values, {"lbm.tau": [0.6, 0.8]}, or for each of a list of overrides. Returns
    the Runs, whose parameters are the varied values. Each has its own folder, named after its values, in directory
    (default: the case's). overrides apply to all; options are those of run."""
    points = parameters if not isinstance(parameters, dict) else [
        dict(zip(parameters, values)) for values in itertools.product(*parameters.values())]
    overrides = dict(overrides or {})
    base = Path(directory or directory_of(case, overrides))
    shown = [",".join(f"{path}={value if isinstance(value, str) else setting(value)}" for path, value in point.items())
             for point in points]
    names = [re.sub(r"[^\w.=,+-]+", "_", name).strip("_") for name in shown]
    if len(set(names)) < len(names):
        raise ValueError("values that are to be told apart by their folders' names: " + ", ".join(names))
    runs = []
    for point, name in zip(points, names):
        try:
            done = run(case, {**overrides, **point, "output.directory": base / name}, **options)
        except Error as error:
            raise Error(f"{name}: {error}", error.code, error.command) from None
        done.parameters = dict(point)
        runs.append(done)
    return runs
