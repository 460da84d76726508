#!/usr/bin/env python3
"""Draws a lid-driven cavity run: the flow in its middle plane, and the velocity along the two centre
lines beside published values.

    scripts/plot_profiles.py OUT_DIR [--output FILE.png]

Needs a run with output.profiles = true whose lid is z_high (input/cavity*.cfg); the middle plane is
drawn if fields were written as well. What is compared with what:
    periodic along y, Re 100 or 400   Ghia et al. 1982 (square cavity), the same flow
    cube, Re 1000                     Albensoeder, Kuhlmann 2005 (cube with end walls), the same flow
    cube, Re 100 or 400               Ghia et al., as orientation: two-dimensional, another flow
Needs Python with matplotlib, numpy and, for the middle plane, h5py (Debian: python3-matplotlib,
python3-h5py, for /usr/bin/python3). FILE.png defaults to OUT_DIR/profiles.png.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

from plotting import plt

import wabe

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "validation"))
sys.dont_write_bytecode = True

import cavity as cases  # tests/validation/cavity.py
import numpy

BLUE, ORANGE, GREY = "#1f5fa8", "#d9541e", "#555555"
STYLE = {
    "font.size": 10, "axes.titlesize": 11,
    "axes.edgecolor": GREY, "xtick.color": GREY, "ytick.color": GREY, "axes.grid": True,
    "grid.color": "#e4e4e4", "grid.linewidth": 0.7, "legend.fontsize": 9,
}


# ---- published values -------------------------------------------------------------------------------

def curve(rows, position, value):
    return [(float(row[position]), float(row[value])) for row in rows]


def published(run):
    """Returns u points, w points, label, and whether it is the same flow; no points if nothing is published."""
    reynolds = round(run.reynolds, 6)
    ghia = [row for row in cases.read_table(cases.DATA / "ghia_1982.csv")
            if float(row["re"]) == reynolds]
    if ghia and (run.square or run.cube):
        u, w = (curve([row for row in ghia if row["line"] == line], "position", "value")
                for line in "uv")
        if run.square:
            return u, w, "Ghia et al. 1982", True
        return u, w, "Ghia et al. 1982:\n2-D cavity, another flow", False
    if run.cube and reynolds == 1000:
        u = curve(cases.read_table(cases.DATA / "cavity3d_re1000.csv"), "z", "u")
        w = [(float(row["position"]), float(row["value"]))
             for row in cases.read_table(cases.DATA / "cavity_extrema.csv")
             if row["cavity"] == "cube" and row["extremum"].startswith("w")]
        return u, w, "Albensoeder, Kuhlmann\n2005 (spectral)", True
    return [], [], "", True


# ---- the middle plane -------------------------------------------------------------------------------

def middle_plane(directory, run):
    """Returns u and w in the plane y = 1/2, in lid velocities, or None if no fields were written."""
    files = wabe.Run(directory)
    if not find_spec("h5py") or not files.path(run.steps).exists():
        return None
    velocity = files.fields(run.steps, quantities=["velocity"])["velocity"]
    ny = velocity.shape[1]
    plane = velocity[:, (ny - 1) // 2:ny // 2 + 1].mean(axis=1)
    plane /= abs(run.lid) * run.unit
    return plane[..., 0], plane[..., 2]


def draw_plane(axes, figure, plane, run):
    u, w = plane
    speed = numpy.hypot(u, w)
    nz, nx = speed.shape
    # Beyond 0.6 lid velocities there is only the layer below the lid.
    image = axes.imshow(speed, origin="lower", extent=(0, 1, 0, 1), cmap="viridis", vmin=0, vmax=0.6,
                        interpolation="bilinear")
    x, z = (numpy.arange(nx) + 0.5) / nx, (numpy.arange(nz) + 0.5) / nz
    axes.streamplot(x, z, u, w, color=(1, 1, 1, 0.75), linewidth=0.7, density=1.5, arrowsize=0.7)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="x / L", ylabel="z / L", aspect="equal")
    axes.set_title("speed and stream lines"
                   + (", middle plane" if not run.square else ""), pad=22)
    axes.annotate("", (0.75, 1.035), (0.25, 1.035), annotation_clip=False,
                  arrowprops={"arrowstyle": "-|>", "color": ORANGE, "linewidth": 1.6})
    axes.text(0.77, 1.035, "lid, U", color=ORANGE, va="center", fontsize=9)
    axes.grid(False)
    axes.spines[["top", "right"]].set_visible(True)
    bar = figure.colorbar(image, ax=axes, fraction=0.046, pad=0.03, extend="max")
    bar.set_label("speed / U")
    bar.outline.set_visible(False)


# ---- the profiles -----------------------------------------------------------------------------------

def draw_profiles(axes_u, axes_w, run):
    known_u, known_w, label, same = published(run)
    points = {"linestyle": "none", "marker": "o", "markersize": 5.5, "markerfacecolor": "white",
              "markeredgecolor": ORANGE, "markeredgewidth": 1.4, "label": label, "zorder": 3}
    if not same:
        points.update(marker="s", markersize=4.5, markeredgewidth=1, markeredgecolor=GREY)
    ours = {"color": BLUE, "linewidth": 1.8, "label": "Wabe, {} × {} × {}".format(*run.cells)}
    positions, values = zip(*run.u)
    axes_u.plot(values, positions, **ours)
    if known_u:
        known_u.sort()
        axes_u.plot([v for _, v in known_u], [p for p, _ in known_u], **points)
    axes_u.set(xlabel="u / U", ylabel="z / L", ylim=(0, 1))
    axes_u.set_title("along the vertical centre line")
    axes_u.axvline(0, color=GREY, linewidth=0.6, zorder=1)
    axes_u.legend(loc="lower right")
    positions, values = zip(*run.w)
    axes_w.plot(positions, values, **ours)
    if known_w:
        known_w.sort()
        if len(known_w) < 4:
            points["label"] += ", extrema"
        axes_w.plot([p for p, _ in known_w], [v for _, v in known_w], **points)
    axes_w.set(xlabel="x / L", ylabel="w / U", xlim=(0, 1))
    axes_w.set_title("along the horizontal centre line")
    axes_w.axhline(0, color=GREY, linewidth=0.6, zorder=1)
    axes_w.legend(loc="lower left")


def draw(directory, run, output):
    plane = middle_plane(directory, run)
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(1, 3 if plane else 2, figsize=(13.2 if plane else 8.6, 4.4),
                                    width_ratios=[1.15, 1, 1] if plane else None,
                                    layout="constrained")
        if plane:
            draw_plane(axes[0], figure, plane, run)
        draw_profiles(axes[-2], axes[-1], run)
        shape = "square cavity (periodic along y)" if run.square else \
            "cubic cavity" if run.cube else "cavity"
        figure.suptitle(f"Lid-driven {shape}, Re {run.reynolds:g}", fontsize=13)
        figure.savefig(output, dpi=100)
        plt.close(figure)


def main(arguments):
    output = None
    if "--output" in arguments[:-1]:
        at = arguments.index("--output")
        output = arguments[at + 1]
        del arguments[at:at + 2]
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    directory = arguments[0]
    try:
        run = cases.Cavity(directory)
        output = output or str(Path(directory) / "profiles.png")
        draw(directory, run, output)
    except (cases.NoCavity, OSError) as error:
        print(f"plot_profiles.py: {error}", file=sys.stderr)
        return 1
    print(output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
