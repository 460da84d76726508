"""Random solids of flows: objects, meshes, heights, cities, voxels, spheres, beds, and the files that they come from."""
import math
import struct
import zlib

import h5py
import numpy

import flows


def make(case):
    dice = case.dice
    made = case.settings.pop("geometry", {})
    if dice.chance(0.75):
        made["objects"] = [one(case) for one in [thing] * dice.choice((1, 1, 2, 3))]
    if dice.chance(0.25):
        made["meshes"] = [mesh(case, i) for i in range(dice.choice((1, 1, 2)))]
    if dice.chance(0.2):
        made["heights"] = heights(case)
    if dice.chance(0.3 if case.flow == "les" else 0.08) and (buildings := city(case, made.get("heights"))):
        made["city"] = buildings
    filler = dice.choices((None, voxels, spheres), (8, 3, 1.5) if case.flow != "porous" else (2, 4, 2))[0]
    if filler and "bed" not in made:
        made |= filler(case)
    filled = made.keys() & {"bed", "voxels", "spheres"}
    if filled and dice.chance(0.3):
        made["fill"] = "unconnected"
    if filled or "city" in made:
        made |= flows.scalar_at(case)
    if made:
        case.settings["geometry"] = made


def surfaces(case):
    """The groups of solids that have a kind of surface."""
    geometry = case.get("geometry", {})
    heights_group = [geometry["heights"]] if "heights" in geometry else []
    return geometry.get("objects", []) + geometry.get("meshes", []) + heights_group


KINDS = ("no_slip", "no_slip", "curved_wall", "curved_wall", "curved_wall", "moving_wall", "spin", "velocity", "pressure")


def surface(case, kinds=KINDS, has_centre=True):
    """The surface of a solid: its kind, and how it moves."""
    dice = case.dice
    if case.flow == "les" and "regularized" in case.get("lbm.collision", "regularized") and dice.chance(0.4):
        return wall_function(case)
    kind = dice.choice(kinds)
    made = {"kind": "moving_wall" if kind == "spin" else kind}
    if kind == "spin":
        made["spin"] = dice.vector(0.01)
        if dice.chance(0.5):
            made["velocity"] = dice.vector(0.02)
        if dice.chance(0.4) or not has_centre:
            made["pivot"] = [dice.number(0, k) for k in case.cells]
    elif kind in ("moving_wall", "velocity"):
        made["velocity"] = dice.vector(0.03)
    if kind == "no_slip" and dice.chance(0.4):
        del made["kind"]
    return made | (flows.scalar_at(case, wall=kind not in ("velocity", "pressure")) if kind != "pressure" else {})


def wall_function(case):
    """All of a case have one roughness."""
    if not hasattr(case, "roughness"):
        case.roughness = {"roughness": case.dice.number(0.001, 0.3)} if case.dice.chance(0.5) else {}
    case.patterns = [pattern for pattern in case.patterns if pattern != "list"]
    return {"kind": "wall_function"} | case.roughness


def place(case):
    return [case.dice.number(0, k) for k in case.cells]


def radius(case):
    """Of a body of some cells, in most cases smaller than the domain."""
    return case.dice.number(0.6, max(1.2, 0.35 * max(2, sorted(case.cells)[1])))


# ---- objects ----------------------------------------------------------------------------------------

def thing(case):
    return lengths(case) | surface(case)


def lengths(case):
    """An object without a boundary condition."""
    dice = case.dice
    centre = place(case)
    shape = dice.choice(("box", "sphere", "cylinder", "cylinder"))
    made = {"shape": shape}
    if shape == "sphere":
        made |= {"center": centre, "radius": radius(case)}
    elif shape == "box":
        made |= {"low": [c - dice.number(0.4, 3) for c in centre], "high": [c + dice.number(0.4, 3) for c in centre]}
    else:
        low, high = list(centre), [c + dice.number(-6, 6) for c in centre]
        if dice.chance(0.6):  # through the whole domain, across its seam if it is periodic
            axis = dice.randrange(3)
            high = list(centre)
            low[axis], high[axis] = -2.0, case.cells[axis] + 2.0
        made |= {"low": low, "high": high, "radius": radius(case)}
        if dice.chance(0.25):
            made["bore"] = round(0.6 * made["radius"], 3)
    return made


# ---- meshes -----------------------------------------------------------------------------------------

def outline(dice):
    """A closed line of points (distance from the axis, height), which turned about the axis encloses a solid."""
    if dice.chance(0.3):  # a ring
        return [(1 + 0.4 * math.cos(a), 0.4 * math.sin(a)) for a in (2 * math.pi * k / 7 for k in range(7))] + [(1.4, 0.0)]
    heights_of = sorted(dice.number(-1, 1) for _ in range(dice.randint(1, 4)))
    return [(0.0, -1.2)] + [(dice.number(0.3, 1), z) for z in heights_of] + [(0.0, 1.2)]


def triangles(dice):
    line, sides = outline(dice), dice.randint(3, 9)
    made = []
    for side in range(sides):
        a, b = 2 * math.pi * side / sides, 2 * math.pi * ((side + 1) % sides) / sides
        for (r, z), (s, y) in zip(line, line[1:]):
            p, q = (r * math.cos(a), r * math.sin(a), z), (r * math.cos(b), r * math.sin(b), z)
            u, v = (s * math.cos(a), s * math.sin(a), y), (s * math.cos(b), s * math.sin(b), y)
            made += ([(p, q, v)] if r > 0 else []) + ([(p, v, u)] if s > 0 else [])
    return made


def stl(faces, binary):
    if binary:
        return bytes(80) + struct.pack("<I", len(faces)) + b"".join(
            struct.pack("<12fH", 0, 0, 0, *(x for corner in face for x in corner), 0) for face in faces)
    lines = ["solid random"]
    for face in faces:
        corners = ["vertex %.9g %.9g %.9g" % corner for corner in face]
        lines += ["facet normal 0 0 0", "outer loop", *corners, "endloop", "endfacet"]
    return "\n".join(lines + ["endsolid random", ""]).encode()


def mesh(case, number):
    dice = case.dice
    data = stl(triangles(dice), dice.chance(0.7))
    name = f"mesh_{number}.stl"
    case.files[name] = lambda path: path.write_bytes(data)
    made = {"file": name, "scale": radius(case), "place": [dice.number(0.1 * k, 0.9 * k) for k in case.cells]}
    if dice.chance(0.7):
        made["rotation"] = dice.vector(180)
    if dice.chance(0.2):
        made |= {"fluid": "inside", "scale": 3 * made["scale"]}
    return made | surface(case, has_centre=False)


# ---- heights, cities --------------------------------------------------------------------------------

def png(values, bits):
    """A grey image of 8 or 16 bits."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows, columns = values.shape
    lines = b"".join(b"\0" + row.astype(">u2" if bits == 16 else "u1").tobytes() for row in values)
    header = struct.pack(">IIBBBBB", columns, rows, bits, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def write_dataset(name, values):
    def write(path):
        with h5py.File(path, "w") as file:
            file[name] = values

    return write


def heights(case):
    dice, n = case.dice, case.cells
    up = dice.randrange(3)
    columns, rows = [axis for axis in range(3) if axis != up]
    values = numpy.random.RandomState(dice.bits()).uniform(-0.5, 0.7 * n[up], (n[rows], n[columns]))
    made = {"file": "heights.hdf"}
    if dice.chance(0.4):
        bits = dice.choice((8, 16))
        image = png(numpy.clip(values * 10, 0, 255), bits)
        made = {"file": "heights.png", "scale": 0.1}
        case.files["heights.png"] = lambda path: path.write_bytes(image)
    else:
        name = dice.choice(("heights", "terrain"))
        case.files["heights.hdf"] = write_dataset(name, values.astype(dice.choice(("f4", "f8"))))
        if name != "heights":
            made["dataset"] = name
    if flows.AXES[up] != "y" or dice.chance(0.5):
        made["up"] = flows.AXES[up]
    if dice.chance(0.3):
        made["offset"] = dice.number(-1, 1)
    return made | surface(case, ("no_slip", "no_slip", "curved_wall", "moving_wall", "spin", "velocity", "pressure"), has_centre=False)


def city(case, ground):
    """ground: the heights on which it stands, None: it stands on the domain's face. None: there is no room for one."""
    dice, n = case.dice, case.cells
    up = ground.get("up", "y") if ground else dice.choice(flows.AXES)
    room = min(k for axis, k in zip(flows.AXES, n) if axis != up)
    if room < 5:
        return None
    pitch = dice.number(5, min(9, room))
    high = n[flows.AXES.index(up)]
    made = {"pitch": pitch, "height": dice.number(0.5, max(1.0, 0.4 * high)), "up": up, "seed": dice.randint(0, 99)}
    made["share"] = dice.number(4.5 / pitch ** 2, 0.9 * (1 - 2 / pitch) ** 2)  # streets and buildings have two cells at least
    if pitch > 6 and dice.chance(0.3):
        del made["share"]
    if dice.chance(0.5):
        made["sigma"] = dice.number(0, 1)
    if dice.chance(0.3):
        made |= {"towers": dice.number(0.1, 0.5), "tower_height": 0.7 * high}
    if dice.chance(0.3):
        made |= {"low": [0.0, 0.0, 0.0], "high": [float(k) for k in n]}
    if case.flow == "les" and "regularized" in case.get("lbm.collision", "regularized") and dice.chance(0.5):
        made |= wall_function(case)
    return made


# ---- what fills the domain --------------------------------------------------------------------------

def voxels(case):
    dice, n = case.dice, case.cells
    used = [dice.randint(max(1, k // 2), k) if dice.chance(0.3) else k for k in n]
    made = {}
    mirror = [axis for axis in range(3) if n[axis] > 1 and dice.chance(0.5)] if dice.chance(0.3) else []
    used = [max(2, k // 2 * 2) if axis in mirror else k for axis, k in enumerate(used)]
    if mirror:
        made["mirror"] = "".join(flows.AXES[axis] for axis in mirror)
    part = [k // 2 if axis in mirror else k for axis, k in enumerate(used)]
    if used != n and dice.chance(0.7):
        made["at"] = [dice.randint(0, k - u) for k, u in zip(n, used)]
    begin = [dice.randint(0, 2) if dice.chance(0.15) else 0 for _ in range(3)]
    size = [b + p + (1 if dice.chance(0.1) else 0) for b, p in zip(begin, part)]
    if any(begin) or size != part:
        made |= {"begin": begin, "cells": part}
    numbers = numpy.random.RandomState(dice.bits())
    image = (numbers.uniform(size=size[::-1]) < dice.choice((0.02, 0.15, 0.4))).astype("u1")
    if dice.chance(0.3):  # other labels
        image = image * 3 + (image == 0) * numbers.randint(4, 6, image.shape).astype("u1")
        made |= {"solid": "0,3", "fluid": "4-5"}
    return {"voxels": made | image_file(case, image, size)}


def image_file(case, image, size):
    dice = case.dice
    if dice.chance(0.3):
        name = dice.choice(("voxels", "labels"))
        case.files["voxels.h5"] = write_dataset(name, image)
        return {"file": "voxels.h5", "format": "hdf5"} | ({"dataset": name} if name != "voxels" else {})
    made = {"file": "voxels.raw", "size": size}
    data = image.tobytes()
    if dice.chance(0.2):
        data = image.transpose().tobytes()
        made["order"] = "z_fastest"
    if dice.chance(0.2):
        data = b"header" + data
        made["header"] = 6
    case.files["voxels.raw"] = lambda path: path.write_bytes(data)
    return made


def spheres(case):
    dice, n = case.dice, case.cells
    if dice.chance(0.4):
        text = "".join(f"{', '.join(map(str, place(case)))}, {radius(case)}\n" for _ in range(dice.randint(1, 5)))
        case.files["spheres.csv"] = lambda path: path.write_text(text)
        return {"spheres": {"file": "spheres.csv"} | particle_kind(dice)}
    made = {"array": dice.choice(("simple_cubic", "body_centred", "face_centred")), "radius": dice.number(0.8, 2.5)}
    if n[0] < 5 or dice.chance(0.6):
        made["constant"] = dice.number(5, 9)
    return {"spheres": made | particle_kind(dice)}


def particle_kind(dice):
    return {"kind": dice.choice(("curved_wall", "no_slip"))} if dice.chance(0.6) else {}


def bed(case):
    """A packed bed, and a domain in which it has room."""
    dice = case.dice
    case.settings["domain"]["cells"] = n = [dice.randint(9, 17), dice.randint(9, 17), dice.randint(14, 33)]
    made = {"particle": dice.choice(("sphere", "cylinder", "ring")), "diameter": dice.number(4, 6), "seed": dice.randint(0, 99)}
    if made["particle"] != "sphere" and dice.chance(0.5):
        made["length"] = dice.number(4, 6)
    if made["particle"] == "ring" and dice.chance(0.5):
        made["bore"] = dice.number(1.5, 3)
    if dice.chance(0.3):
        made["spread"] = dice.number(0, 0.2)
    if dice.chance(0.4):
        made |= {"low": [0.0, 0.0, 2.0], "high": [float(n[0]), float(n[1]), n[2] - 2.0]}
    if dice.chance(0.3):
        made["container"] = dice.choice(("channel", "tube"))
    case.settings["geometry"] = {"bed": made | particle_kind(dice)}


# ---- forces -----------------------------------------------------------------------------------------

def forces(case):
    """Lines of forces.csv, on each solid with walls, or on some that are named; None: there is none."""
    dice, geometry = case.dice, case.settings["geometry"]
    names = [name for name in ("city", "voxels", "spheres", "bed") if name in geometry and
             geometry[name].get("kind") != "wall_function"]
    for group in ("objects", "meshes"):
        names += [f"{group}[{i}]" for i, solid in enumerate(geometry.get(group, [])) if has_walls(solid)]
    if has_walls(geometry.get("heights", {"kind": "none"})):
        names.append("heights")
    if not names:
        return None
    faces = [f"boundaries.{name}" for name, face in case.get("boundaries", {}).items() if has_walls(face)]
    made = {"every": dice.randint(1, 8)}
    if dice.chance(0.5):
        made["begin"] = dice.randint(0, 4)
    if dice.chance(0.4):
        made["bodies"] = [body(case, number, name) for number, name in enumerate(dice.some(names + faces, 2))]
    return made


def has_walls(solid):
    return solid.get("kind", "no_slip") in ("no_slip", "curved_wall", "moving_wall")


def body(case, number, name):
    dice = case.dice
    made = {"name": f"body_{number}", "of": name if "." in name else f"geometry.{name}"}
    if dice.chance(0.5):
        made["about"] = place(case)
    if dice.chance(0.5):
        made |= {"velocity": 0.05, "area": dice.number(1, 20)}
    if dice.chance(0.4):
        made["stream"] = [1.0, dice.number(-1, 1), dice.number(-1, 1)]
        made |= {"lift": [0.0, 1.0, dice.number(-1, 1)]} if dice.chance(0.5) else {}
    return made
