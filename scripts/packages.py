"""Python packages for scripts: those of this tree, and others, even if python3 is not the Python that Debian's packages
are for."""
import importlib.util
import os
import sys
from pathlib import Path

SYSTEM_PYTHON = "/usr/bin/python3"
ROOT = Path(__file__).resolve().parent.parent
PLOTS = ROOT / "build/plots"  # scripts/setup.sh --plots makes it
sys.path.insert(0, str(ROOT / "python"))  # wabe


def need(*names):
    """If this Python lacks any of the packages, restarts the script with the system's Python, or ends it."""
    missing = [name for name in names if not importlib.util.find_spec(name)]
    if not missing:
        return
    if Path(SYSTEM_PYTHON).exists() and not os.path.samefile(SYSTEM_PYTHON, sys.executable):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
    sys.exit(f"{Path(sys.argv[0]).name} needs {missing[0]}: on Debian apt-get install python3-{missing[0].lower()}")


def need_plots(*names):
    """The same with the Python of build/plots, for packages that Debian lacks or has in other versions."""
    missing = [name for name in names if not importlib.util.find_spec(name)]
    if not missing:
        return
    python = PLOTS / "bin/python"
    if python.exists() and Path(sys.prefix) != PLOTS:  # the environment's Python is a link to the system's
        os.execv(python, [python, *sys.argv])
    sys.exit(f"{Path(sys.argv[0]).name} needs {missing[0]}: run scripts/setup.sh --plots")
