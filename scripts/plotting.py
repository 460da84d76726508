"""What the plot scripts share: matplotlib without a screen, also where Python is not the system's."""
import os
import sys
from pathlib import Path

SYSTEM_PYTHON = "/usr/bin/python3"

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError as error:
    if Path(SYSTEM_PYTHON).exists() and not os.path.samefile(SYSTEM_PYTHON, sys.executable):
        os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])  # the one that Debian's packages serve
    sys.exit(f"{Path(sys.argv[0]).name} needs {error.name}: on Debian apt-get install python3-matplotlib")

__all__ = ["plt"]
