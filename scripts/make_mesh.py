#!/usr/bin/env python3
"""Writes a surface of triangles as a binary STL file: a torus about the z axis, radii 1 and 0.4, or a sphere.

    scripts/make_mesh.py out/meshes/torus.stl
    scripts/make_mesh.py out/meshes/sphere.stl sphere 1000     # a grid of 1000 x 1000, two triangles in each square
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


def main():
    arguments = sys.argv[1:] + ["torus", "100"][len(sys.argv) - 2:]
    shapes = {"torus": torus, "sphere": sphere}
    if len(arguments) != 3 or arguments[1] not in shapes or not arguments[2].isdigit() or int(arguments[2]) < 3:
        sys.exit(__doc__)
    name, shape, n = arguments[0], shapes[arguments[1]], int(arguments[2])
    os.makedirs(os.path.dirname(os.path.abspath(name)), exist_ok=True)
    with open(name, "wb") as file:
        file.write(b"solid".ljust(80) + struct.pack("<I", 2 * n * n))  # such headers exist
        for corners in triangles(shape, n):
            file.write(struct.pack("<12fH", 0, 0, 0, *corners[0], *corners[1], *corners[2], 0))
    print("%s: %d triangles" % (name, 2 * n * n))


if __name__ == "__main__":
    main()
