"""Python packages for scripts: those of this tree, and others, even if python3 is not the Python that Debian's packages
are for."""
import importlib.util
import os
import sys
from pathlib import Path

SYSTEM_PYTHON = "/usr/bin/python3"
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))  # wabe


def need(*names):
    """If this Python lacks any of the packages, restarts the script with the system's Python, or ends it."""
    missing = [name for name in names if not importlib.util.find_spec(name)]
    if not missing:
        return
    if Path(SYSTEM_PYTHON).exists() and not os.path.samefile(SYSTEM_PYTHON, sys.executable):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    sys.exit(f"{Path(sys.argv[0]).name} needs {missing[0]}: on Debian apt-get install python3-{missing[0].lower()}")
