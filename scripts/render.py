#!/usr/bin/env python3
"""Draws the results of a run in three dimensions, without a display.

    scripts/render.py OUT_DIR [WHAT ...] [options]

WHAT is one or several of: q_criterion (the surface of vortices), streamlines (of the velocity), the name of a field of
the run (phi, scalar, pressure ...; a vector counts by its magnitude), of which the surface at --level is drawn, and
solid (solid cells alone). Without it: phi or value if the run has them, else q_criterion. A run that has not written
q_criterion must have the velocity: it is calculated from that, by one-sided differences at the domain's faces. A
surface has the colours of --color, by default the speed or else another field. Solid cells are grey.

    scripts/render.py out/tgv_re1600                                   # vortices
    scripts/render.py out/city_wind streamlines --step 2000            # between buildings
    scripts/render.py out/dendrite phi --color temperature --turn      # a film, out/dendrite/render_phi.gif

Lengths are in cells of the output. --coarsen 2 draws an eighth of the values, if memory is short. Needs Python with
pyvista and h5py: scripts/setup.sh --plots makes one in build/plots, which this script then finds.
"""
import argparse
import ctypes
import math
import os
import sys
import tempfile
from pathlib import Path

from packages import need_plots

need_plots("pyvista", "numpy", "h5py", "PIL")
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")  # else VTK warns if there is no display

import h5py
import numpy
import pyvista

import wabe
from make_film import check_film, write_film

LAYERS = 16  # of a field that are worked on at once, so that temporary arrays stay small
VIEWS = {"x": (0.6, -0.5, -1.0), "y": (0.5, 0.6, 1.0), "z": (0.5, -1.0, 0.6)}  # from where, by the axis that points up
PLAIN = "#8fb4d9"  # of a surface without colours of a field
SOLID = "#b5b5b5"


# ---- data -------------------------------------------------------------------------------------------

def q_criterion(velocity, spacing):
    """Half the difference of the squares of the rates of rotation and strain, which is minus half the trace of the
    squared gradient."""
    out = numpy.empty(velocity.shape[:3], velocity.dtype)
    for first in range(0, len(out), LAYERS):
        last = min(first + LAYERS, len(out))
        low, high = max(first - 2, 0), min(last + 2, len(out))
        u = velocity[low:high]
        a = [[numpy.gradient(u[..., i], spacing, axis=2 - j) for j in range(3)] for i in range(3)]
        q = -sum(a[i][i] ** 2 for i in range(3)) / 2 - a[0][1] * a[1][0] - a[0][2] * a[2][0] - a[1][2] * a[2][1]
        out[first:last] = q[first - low:last - low]
    return out


def magnitude(vectors):
    out = numpy.empty(vectors.shape[:3], vectors.dtype)
    for first in range(0, len(out), LAYERS):
        out[first:first + LAYERS] = numpy.linalg.norm(vectors[first:first + LAYERS], axis=-1)
    return out


def words(name):
    """The name of a quantity for people."""
    return {"velocity": "speed", "q_criterion": "Q-criterion"}.get(name, name.replace("_", " "))


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value or "")


class Step:
    """A file of fields, of which every `coarsen`-th cell is read. names: its scalars and vectors."""

    def __init__(self, path, coarsen):
        self.path, self.coarsen = path, coarsen
        with h5py.File(path, "r") as file:
            about, data = file["wabe"].attrs, file["VTKHDF/PointData"]
            self.cells = [int(n) for n in about["cells"]]
            self.number, self.time = int(about["step"]), float(about["time"])
            self.spacing = float(file["VTKHDF"].attrs["Spacing"][0]) * coarsen
            self.time_unit = text_of(about.get("time_unit")) or "steps"
            self.units = {name: text_of(data[name].attrs.get("unit")) for name in data}
            self.vectors = [name for name in data if data[name].shape[3:] == (3,)]
            self.names = [name for name in data if data[name].ndim == 3] + self.vectors
        if min(self.cells) // coarsen < 2:
            taken = f", of which --coarsen {coarsen} takes too few along an axis" if coarsen > 1 else ""
            raise ValueError(f"{path} has {' x '.join(map(str, self.cells))} cells{taken}: it must be three-dimensional "
                             "(output.picture draws planes)")

    def read(self, name):
        """An array [z][y][x] or [z][y][x][component]."""
        values = wabe.Fields(self.path, [name])[name]
        return numpy.ascontiguousarray(values[(slice(None, None, self.coarsen),) * 3])

    def scalar(self, name):
        if name == "q_criterion" and name not in self.names and "velocity" in self.names:
            return q_criterion(self.read("velocity"), self.spacing)
        if name not in self.names:
            raise ValueError(f"{self.path} has no {name}; it has {', '.join(self.names)}")
        return magnitude(self.read(name)) if name in self.vectors else self.read(name)

    def unit(self, name):
        unit = self.units.get(name)
        if unit is None:  # of the Q-criterion that is not in the file
            unit = "1/s^2" if self.units["velocity"] == "m/s" else "lattice units"
        return f" ({unit})" if unit not in ("", "1") else ""

    def grid(self, arrays, margin=0):
        """An image with these arrays at the centres of cells; margin: of cells around the domain."""
        shape = next(iter(arrays.values())).shape
        image = pyvista.ImageData(dimensions=shape[2::-1], spacing=(self.coarsen,) * 3,
                                  origin=(0.5 - margin * self.coarsen,) * 3)
        for name, values in arrays.items():
            image.point_data[name] = values.reshape(-1, *shape[3:])
        return image


# ---- shapes -----------------------------------------------------------------------------------------

def level_of(name, values):
    """A level that shows something: of the Q-criterion the one that 3 % of the cells exceed, else the middle."""
    if name != "q_criterion":
        return (float(values.min()) + float(values.max())) / 2
    every = values.size // 2000000 | 1  # odd, else some columns of cells alone
    return float(numpy.percentile(values.ravel()[::every], 97))


def surface(step, name, color, levels, given_level):
    """The surface of a field at the level that `levels` holds; the first step sets it, and must have such a surface."""
    values = step.scalar(name)
    if name not in levels:
        levels[name] = level_of(name, values) if given_level is None else given_level
        if not values.min() < levels[name] < values.max():  # nor of values that are no numbers
            raise ValueError(f"{step.path}: no surface of {name} at {levels[name]:g}: its values are "
                             f"{values.min():g} to {values.max():g}")
    arrays = {name: values}
    if color and color != name:
        arrays[color] = step.scalar(color)
    return step.grid(arrays).contour([levels[name]], scalars=name)


def streamlines(step, name, count, box):
    """Lines along a vector through `count` random cells of fluid, both ways; None where nothing flows."""
    if name not in step.vectors:
        raise ValueError(f"{step.path} has no vector {name}, but {', '.join(step.vectors) or 'none'}")
    velocity = step.read(name)
    speed = magnitude(velocity)
    bounds = box or [0, step.cells[0], 0, step.cells[1], 0, step.cells[2]]
    low, high = (numpy.array(bounds[side::2]) for side in (0, 1))
    seeds = numpy.random.default_rng(1).uniform(low, high, (20 * count, 3))
    places = numpy.floor(seeds / step.coarsen).astype(int)
    inside = ((places >= 0) & (places < speed.shape[::-1])).all(axis=1)
    seeds, places = seeds[inside], places[inside]
    seeds = seeds[speed[places[:, 2], places[:, 1], places[:, 0]] > 0.01 * speed.max()][:count]
    if not len(seeds):
        return None
    lines = step.grid({name: velocity}).streamlines_from_source(
        pyvista.PolyData(seeds), vectors=name, integration_direction="both", initial_step_length=0.5,
        max_step_length=1.0, max_length=2.0 * math.hypot(*step.cells), max_steps=10000, compute_vorticity=False,
        terminal_speed=1e-3 * float(speed.max()))
    if not lines.n_cells:
        return None
    lines.point_data[name] = numpy.linalg.norm(lines.point_data[name], axis=-1)
    return lines.tube(radius=0.0012 * math.hypot(*step.cells), n_sides=8, scalars=None)


def solids(step):
    """The surface of the solid cells, closed at the domain's faces; None if there are none."""
    if "solid" not in step.names:
        return None
    solid = numpy.pad((step.read("solid") > 0.5).astype(numpy.uint8), 1)
    return step.grid({"solid": solid}, margin=1).contour([0.5], scalars="solid", compute_normals=False)


# ---- pictures ---------------------------------------------------------------------------------------

class Picture:
    """What to draw. Levels and ranges of colours are those of the first step drawn, so that they stay in a film."""

    def __init__(self, given, name):
        self.given, self.name = given, name
        self.up = numpy.eye(3)["xyz".index(given.up)]
        self.levels, self.ranges = {}, {}

    def what(self, step):
        if self.given.what:
            return self.given.what
        for name in ("phi", "value"):
            if name in step.names:
                return [name]
        return ["q_criterion"]

    def color(self, step, name):
        """The field whose colours a surface of a field has, or None."""
        if self.given.color:
            return None if self.given.color == "none" else self.given.color
        others = ["velocity"] + [other for other in step.names if other not in step.vectors]
        return next((other for other in others if other in step.names and other not in (name, "solid")), None)

    def add(self, plotter, step, mesh, color):
        if mesh is None or not mesh.n_points:
            return
        if not color:
            plotter.add_mesh(mesh, color=PLAIN, scalars=None, specular=0.3)
            return
        if color not in self.ranges:
            low, high = numpy.percentile(mesh.point_data[color], (1, 99))
            self.ranges[color] = self.given.range or (float(low), float(high))
        width = plotter.window_size[0]
        plotter.add_mesh(mesh, scalars=color, clim=self.ranges[color], cmap="viridis", specular=0.3, scalar_bar_args={
            "title": words(color) + step.unit(color), "color": "black", "fmt": "%.4g", "n_labels": 2,
            "title_font_size": width // 50, "label_font_size": width // 50, "width": 0.5, "height": 0.07,
            "position_x": 0.25, "position_y": 0.02 + 0.12 * len(plotter.scalar_bars)})

    def draw(self, step):
        """A plotter with everything but the view."""
        plotter = pyvista.Plotter(off_screen=True, window_size=self.given.size, lighting="three lights")
        plotter.set_background("white")
        plotter.enable_anti_aliasing("ssaa")
        said = [self.name]
        for name in self.what(step):
            if name == "streamlines":
                lines = streamlines(step, self.given.vector, self.given.lines, self.given.box)
                if lines is None and not self.given.film:
                    raise ValueError(f"{step.path}: no streamlines: nothing flows there")
                self.add(plotter, step, lines, self.given.vector)
            elif name != "solid":
                color = self.color(step, name)
                self.add(plotter, step, surface(step, name, color, self.levels, self.given.level), color)
                said.append(f"{words(name)} {self.levels[name]:.3g}{step.unit(name)}")
        walls = solids(step)
        if walls is not None and walls.n_points:
            plotter.add_mesh(walls, color=SOLID, scalars=None)
        said.append(f"time {step.time:.6g} {step.time_unit}")
        plotter.add_text(", ".join(said), position="upper_edge", color="black",
                         font_size=max(5, self.given.size[0] // 110))
        plotter.add_mesh(pyvista.Box([value for n in step.cells for value in (0, n)]), style="wireframe", color="grey")
        return plotter

    def look(self, plotter, step, angle=0.0):
        """Puts the camera where --view says, turned by an angle, so that the domain fills the picture; if the camera
        goes round, from all angles."""
        middle = numpy.array(step.cells) / 2
        corners = numpy.array([[(side >> d & 1) - 0.5 for d in range(3)] for side in range(8)]) * step.cells
        distance = 2.0 * math.hypot(*step.cells)
        angles = range(0, 360, 10) if self.given.turn else [angle]
        seen = numpy.concatenate([corners_seen(corners, self.direction(other), self.up, distance) for other in angles])
        low, high = seen.min(axis=0), seen.max(axis=0)
        width, height = self.given.size
        half = max((high - low) / (1.9 * width / height, 1.56)) / self.given.zoom  # the rest is for title and bar
        camera = plotter.camera
        camera.position, camera.focal_point, camera.up = middle + distance * self.direction(angle), middle, self.up
        camera.view_angle = math.degrees(2 * math.atan(half))
        x, y = (low + high) / 2 / half
        camera.SetWindowCenter(x * height / width, y - 0.1)
        plotter.reset_camera_clipping_range()
        plotter.render()

    def direction(self, angle):
        """From the domain to the camera, turned about the axis that points up by an angle in degrees."""
        view, angle = numpy.array(self.given.view or VIEWS[self.given.up]), math.radians(angle)
        view = (view * math.cos(angle) + numpy.cross(self.up, view) * math.sin(angle)
                + self.up * (self.up @ view) * (1 - math.cos(angle)))
        return view / numpy.linalg.norm(view)


def corners_seen(corners, direction, up, distance):
    """Points around the origin as a camera at this distance sees them: to the right and upwards, over their depth."""
    right = numpy.cross(up, direction)
    right /= numpy.linalg.norm(right)
    return corners @ numpy.array([right, numpy.cross(direction, right)]).T / (distance - corners @ direction)[:, None]


def draw_film(picture, step_at, steps, folder):
    """Draws the frames of a film into a folder and returns their paths."""
    paths = [folder / f"{frame:05d}.png" for frame in range(picture.given.frames if picture.given.turn else len(steps))]
    plotter = picture.draw(step_at(steps[-1]))
    for frame, path in enumerate(paths):
        if picture.given.film:
            step = step_at(steps[frame])
            plotter.close()
            plotter = picture.draw(step)
            picture.look(plotter, step)
        else:
            picture.look(plotter, step_at(steps[-1]), 360.0 * frame / len(paths))
        plotter.screenshot(path)
    plotter.close()
    return paths


# ---- command line -----------------------------------------------------------------------------------

def size(text):
    width, height = (int(part) for part in text.lower().split("x"))
    if not (64 <= width <= 8192 and 64 <= height <= 8192):
        raise ValueError
    return width, height


def positive(kind):
    def value(text):
        if not 0 < kind(text) < math.inf:
            raise ValueError
        return kind(text)

    value.__name__ = f"positive {kind.__name__}"  # argparse: "invalid positive int value"
    return value


def parse_arguments():
    parser = argparse.ArgumentParser(usage="%(prog)s OUT_DIR [WHAT ...] [options]", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, metavar="OUT_DIR")
    parser.add_argument("what", nargs="*", default=[], metavar="WHAT",
                        help="q_criterion, streamlines, solid, or a field's name")
    parser.add_argument("--step", type=int, help="default: the last one")
    parser.add_argument("--part", default="fields", help="one of output.parts, in place of the whole domain")
    parser.add_argument("--level", type=float, help="of the surface; default: of the Q-criterion what 3 %% of the cells "
                        "exceed, of other fields the middle of their values")
    parser.add_argument("--color", metavar="FIELD", help="whose colours surfaces have; 'none': one colour")
    parser.add_argument("--range", type=float, nargs=2, metavar=("LOW", "HIGH"), help="of the colours")
    parser.add_argument("--lines", type=positive(int), default=150, help="number of streamlines (150)")
    parser.add_argument("--vector", default="velocity", help="whose streamlines, such as mean_velocity (velocity)")
    parser.add_argument("--box", type=float, nargs=6, metavar=("X0", "X1", "Y0", "Y1", "Z0", "Z1"),
                        help="in cells: streamlines pass through this box (default: the domain)")
    parser.add_argument("--up", choices="xyz", default="y", help="the axis that points up (y)")
    parser.add_argument("--view", type=float, nargs=3, metavar=("X", "Y", "Z"),
                        help="direction from the domain to the camera (with y up: 0.5 0.6 1)")
    parser.add_argument("--zoom", type=positive(float), default=1.0)
    parser.add_argument("--size", type=size, default=(1200, 900), metavar="WIDTHxHEIGHT", help="in pixels (1200x900)")
    parser.add_argument("--coarsen", type=positive(int), default=1, metavar="N",
                        help="take every N-th cell along each axis")
    moving = parser.add_mutually_exclusive_group()
    moving.add_argument("--turn", action="store_true", help="a film: the camera goes round")
    moving.add_argument("--film", action="store_true", help="a film of all steps, up to --step")
    parser.add_argument("--frames", type=positive(int), default=60, help="of --turn (60)")
    parser.add_argument("--rate", type=positive(float), default=15.0, help="frames per second of a film (15)")
    parser.add_argument("--output", type=Path, metavar="FILE", help="a .png, of a film .gif or .mp4; default: a name "
                        "that begins with render_, in OUT_DIR")
    given = parser.parse_intermixed_args()
    endings = (".gif", ".mp4") if given.turn or given.film else (".png",)
    if given.output and given.output.suffix not in endings:
        parser.error(f"--output {given.output}: must end with {' or '.join(endings)}")
    if given.view and not numpy.linalg.norm(numpy.cross(given.view, numpy.eye(3)["xyz".index(given.up)])):
        parser.error(f"--view must not be along {given.up}, which points up: give another --up")
    if given.range and not given.range[0] < given.range[1]:
        parser.error("--range: LOW must be below HIGH")
    return given


def steps_of(run, given):
    """The steps that have files, up to the one to draw."""
    if not run.directory.is_dir():
        raise ValueError(f"{run.directory}: there is no such folder")
    if given.part not in run.parts:
        raise ValueError(f"{run.directory} has no {given.part}, but {', '.join(run.parts) or 'no files of fields'}")
    steps = [int(step) for step in run.series(given.part)[0]]
    step = steps[-1] if given.step is None else given.step
    if step not in steps:
        raise ValueError(f"{run.directory}: {given.part} has no step {step}, but {', '.join(map(str, steps))}")
    return steps[:steps.index(step) + 1]


def draw(given):
    run = wabe.Run(given.directory)
    steps = steps_of(run, given)

    def step_at(number):
        return Step(run.path(number, given.part), given.coarsen)

    picture = Picture(given, given.directory.resolve().name)
    last = step_at(steps[-1])
    name = f"render_{'_'.join(picture.what(last))}"
    if given.turn or given.film:
        output = given.output or given.directory / f"{name}.gif"
        check_film(output)
        with tempfile.TemporaryDirectory() as folder:
            write_film(draw_film(picture, step_at, steps, Path(folder)), given.rate, output)
        return output
    output = given.output or given.directory / f"{name}_{steps[-1]:08d}.png"
    plotter = picture.draw(last)
    picture.look(plotter, last)
    plotter.screenshot(output)
    return output


def check_library():
    """VTK crashes if it finds neither of these."""
    for library in ("libEGL.so.1", "libOSMesa.so.8", "libOSMesa.so"):
        try:
            return ctypes.CDLL(library)
        except OSError:
            pass
    raise ValueError("VTK cannot draw without the library EGL: scripts/setup.sh --plots installs it (Debian: libegl1)")


def main():
    given = parse_arguments()
    try:
        check_library()
        print(draw(given))
    except OSError as error:
        sys.exit(f"render.py: {error.filename or given.directory}: {error.strerror or error}")
    except (KeyError, ValueError) as error:
        sys.exit(f"render.py: {error.args[0]}")


if __name__ == "__main__":
    main()
