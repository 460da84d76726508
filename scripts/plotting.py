"""What the plot scripts share: matplotlib without a screen."""
from packages import need

need("matplotlib", "numpy")

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

__all__ = ["plt"]
