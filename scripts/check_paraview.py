#!/usr/bin/env python3
"""Opens field output with VTK, whose readers ParaView uses, and compares what arrives with what was written.

    check_paraview.py OUT_DIR...       the folders of runs
    check_paraview.py --samples DIR    runs small cases with every kind of file below DIR, and checks them
    check_paraview.py --matrix         the same with several versions of VTK, from PyPI, below build/vtk

Each NAME.hdf.series is read as ParaView reads it (vtkHDFReader, file by file), and each NAME.xdmf (vtkXdmfReader).
Compared are, step by step, times, grid and every value: with each other, with what h5py reads, and with OUT_DIR/expected.txt
if it is there: lines "field component constant x y z step" of a function linear in cell index and step. Files in no
series are read as well. Exit code 1 at the first mismatch. Needs Python with vtk (or ParaView's pvpython), numpy and
h5py: scripts/setup.sh --plots. --samples and --matrix run the program of the environment variable WABE, or
build/release/wabe.
"""
import json
import os
import subprocess
import sys
import venv
import xml.etree.ElementTree
from pathlib import Path

VERSIONS = "9.2.6", "9.3.1", "9.5.2", "9.6.2", "9.7.2"  # of VTK; ParaView 5.11 has 9.2
ROOT = Path(__file__).resolve().parent.parent


def check(condition, text):
    if not condition:
        print("MISMATCH:", text)
        sys.exit(1)


# ---- reading -----------------------------------------------------------------------------------


def leaf(data, where):
    """Returns the image itself from the collections in which a reader may wrap it."""
    while data.IsA("vtkMultiBlockDataSet"):
        check(data.GetNumberOfBlocks() == 1, f"{where}: one block")
        data = data.GetBlock(0)
    check(data.IsA("vtkImageData"), f"{where}: a {data.GetClassName()}, not an image")
    return data


def contents(data, cells, where):
    """Shape along z, y, x, the first value's position, spacing and the arrays of an image."""
    data = leaf(data, where)
    attributes = data.GetCellData() if cells else data.GetPointData()
    arrays = {}
    for i in range(attributes.GetNumberOfArrays()):
        array = attributes.GetArray(i)
        arrays[array.GetName()] = vtk_to_numpy(array).copy()
    spacing, shape = numpy.array(data.GetSpacing()), numpy.array(data.GetDimensions()) - cells
    first = numpy.array(data.GetBounds())[::2] + 0.5 * cells * spacing
    return shape[::-1], first, spacing, arrays


def read_hdf(path):
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.Update()
    return contents(reader.GetOutputDataObject(0), False, path)


def open_xdmf(path):
    reader = vtkXdmfReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    key = vtkStreamingDemandDrivenPipeline.TIME_STEPS()
    return reader, [information.Get(key, i) for i in range(information.Length(key))]


def read_xdmf(reader, time, where):
    reader.UpdateTimeStep(time)
    return contents(reader.GetOutputDataObject(0), True, where)


# ---- comparing ---------------------------------------------------------------------------------


def as_in_xdmf(name, values):
    """Names and values of a field in the XDMF file, where each component of a tensor is a field."""
    if values.ndim < 2 or values.shape[1] != 6:
        return [(name, values)]
    return [(f"{name}_{component}", values[:, k]) for k, component in enumerate(("xx", "yy", "zz", "xy", "yz", "xz"))]


def compare_readers(points, cells, flat, where):
    """flat: axes of one cell: the file's two layers are the cell's faces for one reader, and its halves for the other."""
    check(list(points[0]) == list(cells[0]), f"{where}: shapes {points[0]} and {cells[0]}")
    for axis in range(3):
        wanted = [points[1][axis] + 0.25 * points[2][axis], 0.5 * points[2][axis]] if flat[axis] else \
            [points[1][axis], points[2][axis]]
        check(numpy.allclose(wanted, [cells[1][axis], cells[2][axis]], rtol=1e-12, atol=1e-12 * points[2][axis]),
              f"{where}: grid along {'xyz'[axis]}")
    wanted = dict(one for name, values in points[3].items() for one in as_in_xdmf(name, values))
    check(sorted(wanted) == sorted(cells[3]), f"{where}: fields {sorted(wanted)} and {sorted(cells[3])}")
    for name, values in wanted.items():
        other = cells[3][name]
        check(values.dtype == other.dtype, f"{where}: types of {name}")
        check(numpy.array_equal(values, other, equal_nan=True), f"{where}: values of {name} in the XDMF")


def compare_with_file(path, time, read):
    """Returns which of x, y, z have one cell. time None: any is accepted."""
    with h5py.File(path, "r") as file:
        check(time in (None, file["wabe"].attrs["time"]), f"{path}: its time")
        group = file["VTKHDF/PointData"]
        check(sorted(group) == sorted(read[3]), f"{path}: VTK reads the fields {sorted(read[3])} of {sorted(group)}")
        for name in group:
            values, found = group[name][()], read[3][name]
            check(list(values.shape[:3]) == list(read[0]), f"{path}: shape of {name}")
            check(found.dtype == values.dtype, f"{path}: type of {name}")
            check(numpy.array_equal(values.reshape(found.shape), found, equal_nan=True), f"{path}: values of {name}")
        return file["wabe"].attrs["cells"] == 1


def compare_with_function(lines, step, read, where):
    z, y, x = numpy.meshgrid(*(range(n) for n in read[0]), indexing="ij")
    for line in lines:
        words = line.split()
        name, component = words[0], int(words[1])
        constant, cx, cy, cz, cs = (float(w) for w in words[2:])
        right = (constant + cx * x + cy * y + cz * z + cs * step).astype(numpy.float32).ravel()
        values = read[3][name].reshape(right.size, -1)[:, component]
        check(numpy.array_equal(values, right), f"{where}: {name}[{component}] and the function")


def check_series(folder, name):
    """Checks all files that a series lists; returns their names."""
    xml.etree.ElementTree.parse(folder / f"{name}.xdmf")
    series = json.loads((folder / f"{name}.hdf.series").read_text())
    check(series["file-series-version"] == "1.0", f"{name}: version of the series")
    times = [entry["time"] for entry in series["files"]]
    xdmf, found = open_xdmf(folder / f"{name}.xdmf")
    check(found == times, f"{name}: times {found} of the XDMF, not {times}")
    expected = folder / "expected.txt"
    for entry in series["files"]:
        file, time = folder / entry["name"], entry["time"]
        points = read_hdf(file)
        flat = compare_with_file(file, time, points)
        compare_readers(points, read_xdmf(xdmf, time, file), flat, file)
        if expected.exists() and name == "fields":
            lines = [line for line in expected.read_text().splitlines() if not line.startswith("#")]
            compare_with_function(lines, int(file.stem.rpartition("_")[2]), points, file)
    sizes = " ".join(f"{n}{list(v.shape[1:])}" for n, v in sorted(points[3].items()))
    print(f"equal: {folder}/{name}, {len(times)} steps of {' x '.join(str(n) for n in points[0][::-1])}: {sizes}")
    return [entry["name"] for entry in series["files"]]


def check_folder(folder):
    names = sorted(path.name.removesuffix(".hdf.series") for path in folder.glob("*.hdf.series"))
    check(names, f"{folder}: no series of fields")
    listed = [file for name in names for file in check_series(folder, name)]
    alone = [path for path in sorted(folder.glob("*.hdf")) if path.name not in listed]
    for path in alone:
        compare_with_file(path, None, read_hdf(path))
        print(f"equal: {path}, in no series")
    print(f"equal: {folder}, {len(names)} series of {len(listed)} files, {len(alone)} files in none")


def check_folders(folders):
    global numpy, h5py, vtk_to_numpy, vtkHDFReader, vtkXdmfReader, vtkStreamingDemandDrivenPipeline
    try:
        from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
        from vtkmodules.vtkIOHDF import vtkHDFReader
        from vtkmodules.vtkIOXdmf2 import vtkXdmfReader
        from vtkmodules.vtkCommonCore import vtkVersion
        from vtkmodules.util.numpy_support import vtk_to_numpy
    except ImportError:
        sys.exit("check_paraview.py needs Python with vtk: scripts/setup.sh --plots, then build/plots/bin/python "
                 "scripts/check_paraview.py; or ParaView's pvpython")
    from packages import need
    need("numpy", "h5py")
    import h5py
    import numpy
    print("VTK", vtkVersion.GetVTKVersion())
    for folder in folders:
        check_folder(folder)


# ---- samples -----------------------------------------------------------------------------------

PARTS = [("plane_x", [3, 0, 0], [4, 0, 0]), ("plane_y", [0, 4, 0], [0, 5, 0]), ("plane_z", [0, 0, 5], [0, 0, 6]),
         ("line_x", [0, 3, 3], [0, 4, 4]), ("line_y", [3, 0, 3], [4, 0, 4]), ("line_z", [3, 3, 0], [4, 4, 0]),
         ("point", [3, 3, 3], [4, 4, 4]), ("box", [2, 1, 0], [9, 8, 7])]
QUANTITIES = "velocity, density, pressure, solid, stress, vorticity, q_criterion, mean_velocity, rms_velocity, reynolds_stress"

FLOW = """application = "lbm"; name = "sample"; steps = 20;
domain = {{ cells = {cells}; }};
lbm = {{ tau = 0.8; force = [1e-4, 2e-4, 3e-4]; }};
initial = {{ kind = "uniform"; velocity = [0.01, 0.02, 0.03]; }};
{more}
"""


def samples():
    """Small cases with every kind of file, by name."""
    parts = ", ".join(f'{{ name = "{n}"; begin = {b}; end = {e}; quantities = "velocity, pressure"; stride = '
                      f'{2 if n == "box" else 1}; }}' for n, b, e in PARTS)
    solid = 'geometry = { objects = ( { shape = "sphere"; center = [6.0, 5.0, 4.0]; radius = 2.0; } ); };\n'
    yield "volume", FLOW.format(cells=[12, 10, 8], more=solid + f'output = {{ every = 10; quantities = "{QUANTITIES}"; '
                                f'average = {{ every = 5; }}; parts = ( {parts} ); }};')
    for name, cells in ("flat_x", [1, 10, 8]), ("flat_y", [12, 1, 8]), ("flat_z", [12, 10, 1]), ("line", [12, 1, 1]):
        yield name, FLOW.format(cells=cells, more='output = { every = 10; precision = "f64"; };')
    yield "compressed", FLOW.format(cells=[12, 10, 1], more="output = { every = 10; compress = true; };")
    yield "diffusion", 'application = "diffusion"; name = "sample"; steps = 20; domain = { cells = [8, 6, 5]; }; diffusion = { diffusivity = 0.1; }; output = { every = 10; };'


def run_samples(folder):
    program = os.environ.get("WABE", str(ROOT / "build/release/wabe"))
    for name, text in samples():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.cfg").write_text(text)
        command = [program, "run", str(folder / f"{name}.cfg"), "--quiet", "--overwrite", "--set", f"output.directory={folder / name}"]
        if subprocess.run(command, check=False, stdin=subprocess.DEVNULL).returncode != 0:
            sys.exit(f"check_paraview.py: failed: {' '.join(command)}")
    return [folder / name for name, _ in samples()]


def check_versions():
    folder = ROOT / "build" / "vtk"
    folders = run_samples(folder / "samples")
    for version in VERSIONS:
        python = folder / version / "bin" / "python"
        if not (folder / version / "complete").exists():
            venv.create(folder / version, with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", f"vtk=={version}", "numpy", "h5py"], check=True)
            (folder / version / "complete").touch()
        # VTK warns of the order of HDF5's libraries; what it says of errors is shown.
        done = subprocess.run([python, __file__, *folders], check=False, capture_output=True, text=True)
        print(done.stdout if done.returncode else "\n".join(line for line in done.stdout.splitlines() if "series" in line or "VTK" in line))
        if done.returncode:
            sys.exit(f"VTK {version}: {done.stderr.strip()[-2000:]}")


def main():
    arguments = sys.argv[1:]
    if arguments == ["--matrix"]:
        check_versions()
    elif len(arguments) == 2 and arguments[0] == "--samples":
        check_folders(run_samples(Path(arguments[1])))
    elif arguments and not arguments[0].startswith("-"):
        check_folders([Path(argument) for argument in arguments])
    else:
        print(__doc__)
        sys.exit(2)


main()
