#!/usr/bin/env python3
"""Makes a map of heights for geometry.heights from rasters of terrain and of buildings.

    scripts/make_heights.py hills.png terrain.tif --cell 10 --cells 400 300 --wind 240
    scripts/make_heights.py town.hdf terrain.asc --buildings buildings.asc --cell 2 --center 2683500 1247900

Rasters are GeoTIFFs (with rasterio: python3-rasterio), ESRI ASCII grids (.asc), or arrays of numpy (.npy, with
--spacing; the first row lies in the north). Buildings are heights above the ground, and nothing where there is no
data. The map is a grey PNG of 16 bits or, by its name, an HDF5 file. Its columns lie along the wind, which becomes the
domain's x axis, its rows along z; y is up. Terrain is interpolated linearly between its points, buildings are not, so
that walls stay upright. Heights begin at the lowest ground within the domain. What belongs into the input file is
printed.
"""
import argparse
import math
import os
import struct
import sys
import zlib
from pathlib import Path

from packages import need

need("numpy")

import numpy as np

HDF5 = (".hdf", ".h5", ".hdf5")


class Raster:
    """values[row][column], the first row in the north, NaN: no data; west, north: of the first point; step: between
    points. A point is the centre of a pixel."""

    def __init__(self, name, values, west, north, step):
        self.name, self.values, self.west, self.north, self.step = name, values, west, north, step
        if values.ndim != 2 or min(values.shape) < 2:
            sys.exit(f"{name}: has the shape {values.shape}; at least two rows and two columns are needed")

    def center(self):
        rows, columns = self.values.shape
        return self.west + 0.5 * self.step * (columns - 1), self.north - 0.5 * self.step * (rows - 1)

    def indices(self, east, north):
        """Rows and columns of places, as fractions; half a pixel beyond the outer points counts as inside."""
        row, column = (self.north - north) / self.step, (east - self.west) / self.step
        for index, count, axis in ((column, self.values.shape[1], "east"), (row, self.values.shape[0], "north")):
            if index.min() < -0.501 or index.max() > count - 0.499:
                west, south = self.west - 0.5 * self.step, self.north - (len(self.values) - 0.5) * self.step
                sys.exit(f"{self.name}: does not cover the domain, which lies from {east.min():.10g} to "
                         f"{east.max():.10g} east and from {north.min():.10g} to {north.max():.10g} north; the raster "
                         f"has {west:.10g} to {west + self.values.shape[1] * self.step:.10g} east and {south:.10g} to "
                         f"{self.north + 0.5 * self.step:.10g} north, too little along {axis}: choose --center, "
                         "--cells, --cell or --wind")
        return row.clip(0, self.values.shape[0] - 1), column.clip(0, self.values.shape[1] - 1)

    def linear(self, east, north):
        row, column = self.indices(east, north)
        i = np.minimum(row.astype(int), self.values.shape[0] - 2)
        j = np.minimum(column.astype(int), self.values.shape[1] - 2)
        v, u = row - i, column - j
        at = self.values
        return (1 - v) * ((1 - u) * at[i, j] + u * at[i, j + 1]) + v * ((1 - u) * at[i + 1, j] + u * at[i + 1, j + 1])

    def nearest(self, east, north):
        row, column = self.indices(east, north)
        return self.values[np.rint(row).astype(int), np.rint(column).astype(int)]


def read_ascii(name):
    header = {}
    with open(name, encoding="ascii", errors="replace") as file:
        while True:
            begin = file.tell()
            words = file.readline().split()
            if len(words) != 2 or not words[0][0].isalpha():
                file.seek(begin)
                break
            header[words[0].lower()] = words[1]
        try:
            values = np.array(file.read().split(), dtype=float)
            columns, rows, step = int(header["ncols"]), int(header["nrows"]), float(header["cellsize"])
            half = 0.0 if "xllcenter" in header else 0.5 * step
            west = float(header["xllcenter" if "xllcenter" in header else "xllcorner"]) + half
            south = float(header["yllcenter" if "yllcenter" in header else "yllcorner"]) + half
            nothing = float(header.get("nodata_value", "nan"))
        except (KeyError, ValueError) as error:
            sys.exit(f"{name}: is no ESRI ASCII grid with ncols, nrows, xllcorner, yllcorner, cellsize: {error}")
    if values.size != rows * columns:
        sys.exit(f"{name}: has {values.size} values instead of {rows} x {columns}")
    values[values == nothing] = np.nan
    return Raster(name, values.reshape(rows, columns), west, south + step * (rows - 1), step)


def read_tiff(name):
    need("rasterio")
    import rasterio
    try:
        with rasterio.open(name) as file:
            t = file.transform
            if file.crs and file.crs.is_geographic:
                sys.exit(f"{name}: is in degrees; project it to metres first, for example with gdalwarp -t_srs")
            if t.b or t.d or t.a <= 0 or abs(t.a + t.e) > 1e-6 * t.a:
                sys.exit(f"{name}: pixels have to be squares with the north above; gdalwarp makes them so")
            values = file.read(1, masked=True).astype(float).filled(np.nan)
            return Raster(name, values, t.c + 0.5 * t.a, t.f - 0.5 * t.a, t.a)
    except (OSError, rasterio.errors.RasterioError) as error:
        sys.exit(f"{name}: {error}")


def read_array(name, spacing):
    if not spacing:
        sys.exit(f"{name}: needs --spacing, the metres between two points")
    try:
        values = np.load(name).astype(float)
    except (ValueError, EOFError) as error:
        sys.exit(f"{name}: {error}")
    return Raster(name, values, 0.5 * spacing, spacing * (len(values) - 0.5), spacing)


def read(name, spacing):
    if not os.path.isfile(name):
        sys.exit(f"{name}: there is no such file")
    ending = Path(name).suffix.lower()
    if ending == ".npy":
        return read_array(name, spacing)
    return read_tiff(name) if ending in (".tif", ".tiff") else read_ascii(name)


def places(cells, cell, center, wind):
    """East and north of the centres of all columns of cells, [z][x]. x points to where the wind blows, z to the right
    of it; wind: the direction that it comes from, in degrees clockwise from the north."""
    angle = math.radians(wind)
    along = -math.sin(angle), -math.cos(angle)
    across = along[1], -along[0]
    x = cell * (np.arange(cells[0]) - 0.5 * (cells[0] - 1))
    z = cell * (np.arange(cells[1]) - 0.5 * (cells[1] - 1))[:, None]
    return [center[d] + x * along[d] + z * across[d] for d in (0, 1)]


def cells_that_fit(terrain, cell, wind):
    """Cells along and across the wind of the largest domain in the terrain's middle whose sides are as long, one over
    the other, as the terrain's."""
    angle = math.radians(wind)
    along = abs(math.sin(angle)), abs(math.cos(angle))  # of the domain's x axis: its parts along east and north
    rows, columns = terrain.values.shape
    room = columns * terrain.step, rows * terrain.step  # along east and north
    sides = room if along[0] > along[1] else room[::-1]
    share = min(room[0] / (sides[0] * along[0] + sides[1] * along[1]), room[1] / (sides[0] * along[1] + sides[1] * along[0]))
    return [max(int(share * side / cell + 1e-9), 1) for side in sides]


def heights_of(terrain, buildings, east, north):
    """Heights of the surface and of the ground, above the lowest ground."""
    ground = terrain.linear(east, north)
    missing = np.count_nonzero(~np.isfinite(ground))
    if missing:
        sys.exit(f"{terrain.name}: has no data at {missing} of {ground.size} places of the domain: fill the gaps, or "
                 "choose another part")
    lowest = ground.min()
    roofs = np.nan_to_num(buildings.nearest(east, north), posinf=np.nan) if buildings else 0 * ground
    ground = (ground - lowest).round(6)  # micrometres: no 1e-14 where it is flat
    return ground + roofs, ground, lowest


def write_png(name, heights, step):
    """Values are multiples of a step; the first row comes first."""
    values = np.rint(heights / step).clip(0).astype(">u2")
    rows = b"".join(b"\0" + row.tobytes() for row in values)
    header = struct.pack(">IIBBBBB", values.shape[1], values.shape[0], 16, 0, 0, 0, 0)
    with open(name, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for part in (b"IHDR" + header, b"IDAT" + zlib.compress(rows, 9), b"IEND"):
            file.write(struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)))


def write(name, heights):
    """Returns the value of a metre in the file."""
    if Path(name).suffix.lower() in HDF5:
        need("h5py")
        import h5py
        with h5py.File(name, "w") as file:
            file["heights"] = heights.astype("f4")
        return 1.0
    decimals = next(d for d in (3, 2, 1, 0) if heights.max() * 10**d < 65535 or d == 0)
    write_png(name, heights, 0.1**decimals)
    return 10.0**decimals


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map", help="what is written: NAME.png or NAME.hdf")
    parser.add_argument("terrain")
    parser.add_argument("--buildings", metavar="RASTER")
    parser.add_argument("--cell", type=float, required=True, metavar="M", help="edge of a cell, in the raster's metres")
    parser.add_argument("--cells", type=int, nargs=2, metavar=("NX", "NZ"), help="default: what fits into the terrain")
    parser.add_argument("--center", type=float, nargs=2, metavar=("EAST", "NORTH"), help="default: that of the terrain")
    parser.add_argument("--wind", type=float, default=270.0, metavar="DEGREES",
                        help="where the wind comes from, clockwise from the north; default: 270, the west")
    parser.add_argument("--spacing", type=float, metavar="M", help="of .npy rasters")
    a = parser.parse_args()
    if Path(a.map).suffix.lower() not in (".png", *HDF5):
        parser.error(f"{a.map}: the name must end in .png or .hdf")
    if not a.cell > 0 or (a.spacing is not None and not a.spacing > 0) or (a.cells and min(a.cells) < 1):
        parser.error("--cell, --cells and --spacing must be above 0")
    return a


def main():
    a = arguments()
    terrain = read(a.terrain, a.spacing)
    buildings = read(a.buildings, a.spacing) if a.buildings else None
    cells = a.cells or cells_that_fit(terrain, a.cell, a.wind)
    east, north = places(cells, a.cell, a.center or terrain.center(), a.wind)
    heights, ground, lowest = heights_of(terrain, buildings, east, north)
    metre = write(a.map, heights)
    print(f"{a.map}: {cells[0]} x {cells[1]} columns of {a.cell:g} m; ground up to {ground.max():.4g} m above the lowest "
          f"one, which lies at {round(lowest, 6) + 0.0:.6g} m; surface up to {heights.max():.4g} m, {heights.max() / a.cell:.4g} cells")
    print(f"domain = {{ cells = [{cells[0]}, {4 * max(1, math.ceil(heights.max() / a.cell))}, {cells[1]}]; }};"
          "    # the number along y is yours to choose")
    print(f'geometry = {{ heights = {{ file = "{a.map}"; scale = {float(f"{1 / (metre * a.cell):.12g}")!r}; }}; }};')


if __name__ == "__main__":
    main()
