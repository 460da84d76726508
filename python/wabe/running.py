"""Finds the program, and runs cases and sweeps."""
import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy

from .inputs import parse, setting, write
from .results import Run, identity, numbers_of

HERE = Path(__file__).resolve().parent
PROGRAMS = (HERE / "../../build/release/wabe", HERE / "../../../../bin/wabe")  # in the source tree, in an installation
MPIRUN = ("mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np")
LOOK = 0.1  # seconds between two looks at monitor.csv


class Error(RuntimeError):
    """A failed run: str() is wabe's message, code its exit code, command the command that was started; file and line of
    the input, and key, are those that the message names, or None."""

    def __init__(self, message, code, command):
        super().__init__(message)
        self.code, self.command = code, command
        first = message.partition("\n")[0]
        place, key = re.search(r"([^:]+):(\d+): ", first), re.search(r"'([A-Za-z][\w.\[\]-]*)'", first)
        self.file, self.line = (place[1].strip(), int(place[2])) if place else (None, None)
        self.key = key and key[1]

    def __reduce__(self):  # for other processes
        return Error, (str(self), self.code, self.command)


def program():
    """Returns the wabe program to run."""
    there = [os.path.normpath(path) for path in PROGRAMS if path.exists()]
    return os.environ.get("WABE") or shutil.which("wabe") or (there + ["wabe"])[0]


def directory_of(case, overrides):
    """Returns the folder of a case's results."""
    if "output.directory" in overrides:
        return Path(overrides["output.directory"])
    settings = case if isinstance(case, Mapping) else parse(Path(case).read_text(errors="surrogateescape"))
    name = overrides.get("name", settings.get("name", "case"))
    return Path(overrides.get("output", settings.get("output", {})).get("directory") or f"out/{name}")


class NewRows:
    """The rows that a run that is about to start will write to its monitor.csv."""

    def __init__(self, directory, goes_on):
        self.path, self.file, self.names, self.rest = directory / "monitor.csv", None, None, ""
        self.earlier = identity(self.path)
        # A run that goes on writes the lines up to its first step again.
        self.known = self.path.read_text().splitlines()[1:] if goes_on and self.earlier else []

    def take(self):
        """Yields those that were written since the last call, as dicts."""
        if not self.file:
            if identity(self.path) in (None, self.earlier):  # the run has not begun yet: that is of an earlier one
                return
            self.file = open(self.path)
        *lines, self.rest = (self.rest + self.file.read()).split("\n")
        for line in lines:
            if not self.names:
                self.names = line.split(",")
            elif self.known and self.known.pop(0) == line:
                continue
            else:
                self.known = []
                yield {name: numbers_of(name, [word])[0].item() for name, word in zip(self.names, line.split(","))}

    def close(self):
        if self.file:
            self.file.close()


def follow(process, rows, callback):
    """Calls callback(step, row) for each new row until the process ends; if it returns False or fails, the process gets
    the signal to end after a last checkpoint, and no more calls are made."""
    going = True
    try:
        while going:
            going = process.poll() is None  # before the look: the last one is after the end
            for row in rows.take():
                answer = callback(row["step"], row)
                if isinstance(answer, (bool, numpy.bool_)) and not answer:  # not None
                    process.send_signal(signal.SIGUSR1)
                    return
            if going:
                try:
                    process.wait(LOOK)
                except subprocess.TimeoutExpired:
                    pass
    except Exception:
        process.send_signal(signal.SIGUSR1)
        raise
    finally:
        rows.close()


def start(command, environment, quiet, rows, callback):
    """Runs a command to its end, and returns its exit code and its messages."""
    with tempfile.TemporaryFile("w+", errors="replace") as messages:
        # A Ctrl-C is for the run as well: leaving the block waits for its checkpoint.
        with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stderr=messages,
                              stdout=subprocess.DEVNULL if quiet else None) as process:
            if rows:
                follow(process, rows, callback)
            process.wait()
        messages.seek(0)
        return process.returncode, messages.read()


def run(case, overrides=None, *, processes=1, launcher=None, restart=None, options=(), quiet=True, check=True,
        callback=None):
    """Runs a case and returns the Run. case: the path of an input file, or a dict of its settings, which is written beside
    the folder of the run, to out/NAME.cfg. overrides: values by key path, {"domain.cells": [32, 32, 32]}. processes:
    several are started by mpirun and share the cores, unless OMP_NUM_THREADS is set. launcher: the command that
    starts them instead, ["srun", "-n", "8"]. restart: "latest", or a checkpoint. options: further options of wabe
    run. Raises Error if the exit code is not 0; without check it is only stored as the Run's error.

    callback(step, row) is called with each new row of monitor.csv, a dict, while the run goes on (not of the three runs of
    porous.axis = "all"). If it returns False, the run writes a checkpoint and ends with the status "interrupted"."""
    overrides = dict(overrides or {})
    if isinstance(case, Mapping):
        settings, case = case, f"{directory_of(case, overrides)}.cfg"
        write(settings, case)
    environment = dict(os.environ)
    if launcher is None and processes > 1:
        launcher = [*MPIRUN, str(processes)]
        environment.setdefault("OMP_NUM_THREADS", str(max(1, len(os.sched_getaffinity(0)) // processes)))
    command = [*(launcher or ()), program(), "run", os.fspath(case), *(["--quiet"] if quiet else []),
               *(["--restart", os.fspath(restart)] if restart else []), *options]
    for path, value in overrides.items():
        command += ["--set", f"{path}={setting(value, path)}"]
    rows = None
    if callback:
        try:
            rows = NewRows(directory_of(case, overrides), restart)
        except (OSError, ValueError):
            pass  # the program says what is wrong with the input
    try:
        code, said = start(command, environment, quiet, rows, callback)
    except FileNotFoundError as missing:
        if missing.filename != command[0]:
            raise
        raise Error(f"{missing.filename} is not here: build Wabe, and name the program in WABE, or its folder in PATH", 127, command) from None
    error = None
    if code != 0:
        said = re.split(r"^wabe: ", said, flags=re.MULTILINE)[-1].strip()
        error = Error(said or f"{command[0]} ended with code {code}", code, command)
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
