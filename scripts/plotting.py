"""Shared by the plot scripts: matplotlib without a display, axes without a box."""
import argparse
import sys
from contextlib import contextmanager
from pathlib import Path

from packages import need

need("matplotlib", "numpy")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})

__all__ = ["arguments", "complaints", "plt", "save"]


def arguments(text):
    """A parser of command lines, with the script's text as help, and the picture's name."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", metavar="FILE.png")
    return parser


def save(figure, path):
    """Writes the picture, and prints its name."""
    figure.savefig(path, dpi=110)
    print(path)


@contextmanager
def complaints(hint=""):
    """Ends the script with a message where a file or a key of the run is missing; hint: what the run needs."""
    name = Path(sys.argv[0]).name
    try:
        yield
    except OSError as error:
        sys.exit(f"{name}: {error.filename or error}: {error.strerror or 'cannot be read'}")
    except (KeyError, ValueError) as error:
        sys.exit(f"{name}: {error.args[-1]}{hint}")
