"""Python's packages for scripts, also where python3 is not the Python that Debian's packages serve."""
import importlib.util
import os
import sys
from pathlib import Path

SYSTEM_PYTHON = "/usr/bin/python3"


def need(*names):
    """Starts the script again with the system's Python, or ends it, if this one lacks any of them."""
    missing = [name for name in names if not importlib.util.find_spec(name)]
    if not missing:
        return
    if Path(SYSTEM_PYTHON).exists() and not os.path.samefile(SYSTEM_PYTHON, sys.executable):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    sys.exit(f"{Path(sys.argv[0]).name} needs {missing[0]}: on Debian apt-get install python3-{missing[0]}")
