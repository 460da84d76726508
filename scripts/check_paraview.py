#!/usr/bin/env python3
"""Opens a run's field output in ParaView and compares what arrives there with what was written.

    pvpython scripts/check_paraview.py OUT_DIR

Reads each NAME.hdf.series (VTKHDF reader) and NAME.xdmf (XDMF Reader) of OUT_DIR: those of the fields, and of all
parts. Compares the two with each other, step by step: times, grid, every value; and both with a third source: the
values that h5py reads from the files, if this Python has h5py, and for the fields those of OUT_DIR/expected.txt, if
it is there: lines "field component constant x y z step" of a function linear in cell index and step. A file that no
series lists (of an earlier run, say) is compared with h5py alone. Exit code 1 at the first mismatch, or when there is
no third source.
"""
import json
import os
import sys
import xml.etree.ElementTree

from packages import need

need("paraview", "numpy")

import numpy
from paraview import servermanager, simple
from vtkmodules.util.numpy_support import vtk_to_numpy

try:
    import h5py
except ImportError:
    h5py = None


def check(condition, text):
    if not condition:
        print("MISMATCH:", text)
        sys.exit(1)


def names_of(directory, ending):
    """Returns the file names with this ending, without it, sorted."""
    return sorted(name[:-len(ending)] for name in os.listdir(directory) if name.endswith(ending))


def times_in_series(path):
    """Returns the file names and times listed in a series."""
    with open(path) as file:
        series = json.load(file)
    check(series["file-series-version"] == "1.0", f"{path}: version of the series")
    return [(entry["name"], entry["time"]) for entry in series["files"]]


def open_series(path):
    reader = simple.OpenDataFile(path)
    check(reader is not None, f"ParaView has no reader for {path}")
    reader.UpdatePipelineInformation()
    return reader


def open_xdmf(path):
    """Opens an XDMF file. ParaView has several readers for .xdmf; only this one reads all steps of Wabe's."""
    reader = simple.XDMFReader(FileNames=[path])
    reader.UpdatePipelineInformation()
    return reader


def reader_times(reader):
    values = reader.TimestepValues
    return [float(v) for v in (values if hasattr(values, "__len__") else [values])]


def leaf(data):
    """Returns the image itself from the collection in which a reader may wrap it."""
    while data.IsA("vtkMultiBlockDataSet"):
        check(data.GetNumberOfBlocks() == 1, "one block")
        data = data.GetBlock(0)
    check(data.IsA("vtkImageData"), f"a {data.GetClassName()}, not an image")
    return data


def fetch(reader, time, cells):
    """Shape (x, y, z), first cell centre, spacing and the arrays, of one step. The file's axes may
    be x, y, z in another order (which the direction matrix says); the values do not move."""
    reader.UpdatePipeline(*[] if time is None else [time])
    data = leaf(servermanager.Fetch(reader))
    attributes = data.GetCellData() if cells else data.GetPointData()
    bounds = numpy.array(data.GetBounds()).reshape(3, 2)
    matrix = data.GetDirectionMatrix()
    direction = numpy.array([[matrix.GetElement(r, c) for c in range(3)] for r in range(3)])
    shape = direction.astype(int) @ data.GetDimensions() - (1 if cells else 0)
    if cells:
        spacing = (bounds[:, 1] - bounds[:, 0]) / shape
        centre = bounds[:, 0] + spacing / 2
    else:
        spacing, centre = numpy.array(data.GetSpacing()), bounds[:, 0]
    arrays = {}
    for i in range(attributes.GetNumberOfArrays()):
        array = attributes.GetArray(i)
        arrays[array.GetName()] = vtk_to_numpy(array).copy()
    check(arrays, "no arrays")
    return shape, centre, spacing, arrays


def compare_readers(first, second, where):
    for a, b, what in zip(first[:3], second[:3], ("cells", "first centre", "spacing")):
        check(numpy.allclose(a, b, rtol=1e-12, atol=1e-12), f"{where}: {what} {a} and {b}")
    names = sorted(first[3]), sorted(second[3])
    check(names[0] == names[1], f"{where}: fields {names[0]} and {names[1]}")
    for name, values in first[3].items():
        other = second[3][name]
        check(values.dtype == other.dtype, f"{where}: types of {name}")
        check(numpy.array_equal(values, other, equal_nan=True), f"{where}: values of {name}")


def compare_with_file(path, time, read):
    """time None: any time is accepted."""
    with h5py.File(path, "r") as file:
        check(time in (None, file["wabe"].attrs["time"]), f"{path}: its time")
        group = file["VTKHDF/PointData"]
        check(sorted(group) == sorted(read[3]), f"{path}: its fields")
        for name in group:
            values = group[name][()]
            check(sorted(values.shape[:3]) == sorted(read[0]), f"{path}: shape of {name}")
            found = read[3][name]
            check(found.dtype == values.dtype, f"{path}: type of {name}")
            check(numpy.array_equal(values.reshape(found.shape), found, equal_nan=True),
                  f"{path}: values of {name}")


def compare_with_function(lines, step, read, where):
    nx, ny, nz = (int(n) for n in read[0])
    z, y, x = numpy.meshgrid(range(nz), range(ny), range(nx), indexing="ij")
    for line in lines:
        words = line.split()
        name, component = words[0], int(words[1])
        constant, cx, cy, cz, cs = (float(w) for w in words[2:])
        right = (constant + cx * x + cy * y + cz * z + cs * step).astype(numpy.float32).ravel()
        values = read[3][name].reshape(nx * ny * nz, -1)[:, component]
        check(numpy.array_equal(values, right), f"{where}: {name}[{component}] and the function")


def function_lines(directory):
    path = os.path.join(directory, "expected.txt")
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [line for line in file if not line.startswith("#")]


def describe(read):
    sizes = " ".join(f"{n}{list(v.shape)}" for n, v in sorted(read[3].items()))
    return f"cells {read[0].tolist()} first centre {read[1].tolist()} spacing {read[2].tolist()} {sizes}"


def check_series(directory, name, lines):
    """Checks all files that the series lists; returns their names."""
    path = os.path.join(directory, name)
    third = [word for word, used in (("h5py", h5py), ("expected.txt", lines)) if used]
    check(third, f"{name}: nothing to compare with: no h5py, no expected.txt")
    xml.etree.ElementTree.parse(path + ".xdmf")
    listed = times_in_series(path + ".hdf.series")
    hdf, xdmf = open_series(path + ".hdf.series"), open_xdmf(path + ".xdmf")
    print(f"{name}: readers {hdf.GetXMLName()} and {xdmf.GetXMLName()}")
    times = [time for _, time in listed]
    if len(times) > 1:
        check(reader_times(hdf) == times, f"{name}: times {reader_times(hdf)} of the series, not {times}")
    check(reader_times(xdmf) == times, f"{name}: times {reader_times(xdmf)} of the XDMF, not {times}")
    for file, time in listed:
        points, cells = fetch(hdf, time, False), fetch(xdmf, time, True)
        compare_readers(points, cells, file)
        if h5py:
            compare_with_file(os.path.join(directory, file), time, points)
        if lines:
            compare_with_function(lines, int(file[len(name) + 1:-len(".hdf")]), points, file)
        print(f"{file} time {time:g}: {describe(points)}")
    print(f"equal: {name}, {len(listed)} steps, both readers and {' and '.join(third)}")
    return [file for file, _ in listed]


def check_file(path):
    """Checks a file that no series lists."""
    check(h5py, f"{path}: nothing to compare with: no h5py")
    points = fetch(open_series(path), None, False)
    compare_with_file(path, None, points)
    print(f"{os.path.basename(path)} in no series: {describe(points)}")


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        sys.exit(2)
    directory = sys.argv[1]
    print("ParaView", simple.GetParaViewSourceVersion())
    names, listed = names_of(directory, ".hdf.series"), []
    check(names, f"{directory}: no series of fields")
    for name in names:
        listed += check_series(directory, name, function_lines(directory) if name == "fields" else [])
    alone = [name + ".hdf" for name in names_of(directory, ".hdf") if name + ".hdf" not in listed]
    for name in alone:
        check_file(os.path.join(directory, name))
    print(f"equal: all, {len(names)} series of {len(listed)} files, {len(alone)} files in none")


main()
