"""Shared by the plot scripts: matplotlib without a display, axes without a box."""
from packages import need

need("matplotlib", "numpy")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})

__all__ = ["plt"]
