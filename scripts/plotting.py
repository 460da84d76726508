"""Shared by the plot scripts: matplotlib without a display."""
from packages import need

need("matplotlib", "numpy")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

__all__ = ["plt"]
