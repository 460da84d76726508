#!/usr/bin/env python3
"""Writes a surface of triangles as a binary STL file: a torus about the z axis, radii 1 and 0.4, a sphere, a cylinder, or
Ahmed's body.

    scripts/make_mesh.py out/meshes/torus.stl
    scripts/make_mesh.py out/meshes/sphere.stl sphere 1000     # a grid of 1000 x 1000, two triangles in each square
    scripts/make_mesh.py out/meshes/tube.stl cylinder 200      # 200 flat sides; radius 1, from z = -4 to 4
    scripts/make_mesh.py out/meshes/ahmed.stl ahmed 25         # in mm: the angle of the slant behind, 0 to 40 degrees

Ahmed's body points along -x; its nose is at x = 0, its middle at y = 0, its floor at z = 0; it has no stilts (Ahmed, Ramm,
Faltin, SAE Technical Paper 840300, 1984).
"""
import math
import os
import struct
import sys

TUBE = 0.4
TURN = 2 * math.pi


def torus(a, b):
    """The point at the angles a, around the hole, and b, around the tube, both in turns."""
    distance = 1 + TUBE * math.cos(TURN * b)
    return distance * math.cos(TURN * a), distance * math.sin(TURN * a), TUBE * math.sin(TURN * b)


def sphere(a, b):
    """The point at the longitude a and the polar angle b, in turns and half turns."""
    ring = math.sin(math.pi * b) if 0 < b < 1 else 0.0
    return ring * math.cos(TURN * a), ring * math.sin(TURN * a), math.cos(math.pi * b)


def triangles(shape, n):
    """Seen from outside, the corners of each go around anticlockwise."""
    along_b = [j / n for j in range(n)] + [0 if shape is torus else 1]
    rows = [[shape(i / n, b) for i in range(n)] for b in along_b]
    for near, far in zip(rows, rows[1:]):
        for i in range(n):
            a, b, c, d = near[i - 1], near[i], far[i], far[i - 1]
            if shape is sphere:
                a, b, c, d = d, c, b, a
            yield a, b, c
            yield a, c, d


def cylinder(n):
    """Seen from outside, the corners of each go around anticlockwise."""
    half, circle = 4.0, [(math.cos(TURN * i / n), math.sin(TURN * i / n)) for i in range(n)]
    for i in range(n):
        a, b = circle[i - 1], circle[i]
        yield (*a, -half), (*b, -half), (*b, half)
        yield (*a, -half), (*b, half), (*a, half)
        yield (0.0, 0.0, half), (*a, half), (*b, half)
        yield (0.0, 0.0, -half), (*b, -half), (*a, -half)


# Ahmed's body, in mm.
LENGTH, HEIGHT, WIDTH, NOSE, SLANT = 1044.0, 288.0, 389.0, 100.0, 222.0
NOSE_SECTIONS = 40


def ahmed_section(x, angle):
    """The corners of the rectangle that the body cuts out of a plane normal to x: the nose is rounded on four sides."""
    inset = NOSE - math.sqrt(NOSE**2 - (NOSE - x) ** 2) if x < NOSE else 0.0
    drop = max(0.0, x - (LENGTH - SLANT * math.cos(angle))) * math.tan(angle)
    half, low, high = WIDTH / 2 - inset, inset, HEIGHT - inset - drop
    return [(x, -half, low), (x, half, low), (x, half, high), (x, -half, high)]


def ahmed(degrees):
    """Seen from outside, the corners of each go around anticlockwise."""
    angle = math.radians(degrees)
    places = [NOSE * (1 - math.cos(math.pi / 2 * i / NOSE_SECTIONS)) for i in range(NOSE_SECTIONS + 1)]
    sections = [ahmed_section(x, angle) for x in [*places, LENGTH - SLANT * math.cos(angle), LENGTH]]
    first, last = sections[0], sections[-1]
    for a, b, c, d in (first[::-1], last):
        yield a, b, c
        yield a, c, d
    for near, far in zip(sections, sections[1:]):
        for i in range(4):
            a, b, c, d = near[i - 1], near[i], far[i], far[i - 1]
            yield a, b, c
            yield a, c, d


def main():
    arguments = sys.argv[1:] + ["torus", "25" if sys.argv[2:] == ["ahmed"] else "100"][len(sys.argv) - 2:]
    shapes = {"torus": torus, "sphere": sphere, "cylinder": cylinder, "ahmed": ahmed}
    if len(arguments) != 3 or arguments[0].startswith("-") or arguments[1] not in shapes or not arguments[2].isdigit():
        sys.exit(__doc__)
    name, shape, n = arguments[0], shapes[arguments[1]], int(arguments[2])
    if n > 40 if shape is ahmed else n < 3:
        sys.exit(__doc__)
    surface = list(shape(n) if shape in (ahmed, cylinder) else triangles(shape, n))
    os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
    with open(name, "wb") as file:
        file.write(b"solid".ljust(80) + struct.pack("<I", len(surface)))  # such headers exist
        for corners in surface:
            file.write(struct.pack("<12fH", 0, 0, 0, *corners[0], *corners[1], *corners[2], 0))
    print("%s: %d triangles" % (name, len(surface)))


if __name__ == "__main__":
    main()
