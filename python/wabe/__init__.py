"""Wabe from Python: runs cases, and reads the results of runs. docs/python.md is a tutorial.

    import wabe
    run = wabe.run("input/cavity.cfg", {"lbm.reynolds": 400}, processes=2)    # or wabe.Run("out/cavity")
    run.results["mlups"], run.monitor["residual"], run.fields()["velocity"]   # (nz, ny, nx, 3)
    runs = wabe.sweep("input/cavity.cfg", {"lbm.reynolds": [100, 200, 400]})

Needs numpy; fields need h5py, and .xarray() needs xarray. The program is the one named by the environment variable
WABE, else the one in PATH, else that of the source tree or the installation which this package lies in.
"""
from .inputs import parse, setting, write
from .results import Fields, Run, table
from .running import Error, program, run, sweep

__all__ = ["Error", "Fields", "Run", "parse", "program", "run", "setting", "sweep", "table", "write"]
