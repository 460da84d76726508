#!/usr/bin/env python3
"""Writes a small voxel image as a segmented tomography would be: overlapping grains, 8-bit labels.

    scripts/make_voxel_image.py out/voxels/grains.raw

80 x 64 x 64 voxels, x fastest, after a header of 32 bytes. Labels: 0 pore, 1 grain, 2 the grain's coating.
"""
import os
import random
import sys

SIZE = (80, 64, 64)
HEADER = b"grains 80 64 64 uint8".ljust(32, b"\0")
GRAINS, RADIUS, COATING = 90, (6.0, 10.0), 1.0
PORE, GRAIN, COAT = 0, 1, 2


def grains():
    numbers = random.Random(2026)
    for _ in range(GRAINS):
        yield [numbers.uniform(0, n) for n in SIZE], numbers.uniform(*RADIUS)


def mark(image, centre, radius):
    """A grain and its coating; the inside of a grain covers other grains' coatings."""
    ranges = [range(max(0, int(c - radius)), min(n, int(c + radius) + 1)) for c, n in zip(centre, SIZE)]
    for z in ranges[2]:
        for y in ranges[1]:
            for x in ranges[0]:
                square = sum((i + 0.5 - c) ** 2 for i, c in zip((x, y, z), centre))
                at = x + SIZE[0] * (y + SIZE[1] * z)
                if square <= (radius - COATING) ** 2:
                    image[at] = GRAIN
                elif square <= radius ** 2 and image[at] == PORE:
                    image[at] = COAT


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    image = bytearray(SIZE[0] * SIZE[1] * SIZE[2])
    for centre, radius in grains():
        mark(image, centre, radius)
    os.makedirs(os.path.dirname(os.path.abspath(sys.argv[1])), exist_ok=True)
    with open(sys.argv[1], "wb") as file:
        file.write(HEADER + image)
    print("%s: %d x %d x %d voxels, pores %.3f" % (sys.argv[1], *SIZE, image.count(PORE) / len(image)))


if __name__ == "__main__":
    main()
