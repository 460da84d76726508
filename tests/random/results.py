"""What a run has computed, as values by name, and how the results of two runs differ."""
import json
import struct
import zlib

import h5py
import numpy

# Of results.json: how a run was computed and how long it took, which differs from way to way.
HOW = {"mode", "ranks", "communicates", "kernel", "steps_per_pass", "seconds", "mlups", "mflups", "gflops", "mflops",
       "copy_bandwidth", "of_limit", "cpu_share", "memory", "peak_memory", "messages", "message_bytes", "components", "streamed", "origin",
       "steps_timed", "first_step", "machine", "copy_of_machine", "kernels_were_measured", "model"}
HALFWAY = (".series: text", ".xdmf: text", "results.json: message")  # differ after a restart
NOT_RESULTS = {"timing.json", "config.resolved.cfg", "run.log"}
CONFIGURATION = ("configuration", "checksums", "checksum")  # in HDF5: holds how the run was computed


def read(folder):
    """All results below the folder of a run: arrays, columns of tables as lines of text, values of results.json. A
    dataset that a table or file has is named "FILE: NAME"."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in NOT_RESULTS:
            reader = READERS.get(path.suffix, text)
            found |= {f"{path.relative_to(folder)}: {name}": value for name, value in reader(path)}
    return found


def text(path):
    yield "text", path.read_bytes()


def table(path):
    lines = [line.split(",") for line in path.read_text().splitlines() if not line.startswith("#")]
    for column in zip(*lines) if len({len(line) for line in lines}) == 1 else ():
        yield column[0], column
    yield "lines", len(lines)


def report(path):
    def flat(name, value):
        if isinstance(value, dict):
            for key, item in value.items():
                yield from flat(f"{name}.{key}" if name else key, item)
        else:
            yield name, value

    everything = json.loads(path.read_text())
    yield from flat("", {key: value for key, value in everything.items() if key not in HOW})


def datasets(path):
    found = {}

    def add(name, node):
        if isinstance(node, h5py.Dataset):
            found[name] = numpy.asarray(node[()])
        found.update({f"{name}@{key}": numpy.asarray(value) for key, value in node.attrs.items()})

    with h5py.File(path) as file:
        file.visititems(add)
    yield from ((name, value) for name, value in found.items() if not name.endswith(CONFIGURATION))


def picture(path):
    """Size and pixels: the other chunks of a PNG may tell when it was written."""
    data, at, pixels = path.read_bytes(), 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            yield "size", data[at + 8:at + 8 + size]
        if kind == b"IDAT":
            pixels += data[at + 8:at + 8 + size]
        at += size + 12
    yield "pixels", numpy.frombuffer(zlib.decompress(pixels), "u1")


READERS = {".csv": table, ".json": report, ".hdf": datasets, ".h5": datasets, ".png": picture}


# ---- differences ------------------------------------------------------------------------------------

def differences(right, found, restarted):
    """Describes each result that differs; restarted: found has files of the step half-way as well, and messages count the
    checks since the restart."""
    told = []
    for name in sorted(right.keys() | found.keys()):
        if restarted and (name not in right or name.endswith(HALFWAY) or name.startswith("checkpoint_")):
            continue
        if name not in found or name not in right:
            told.append(f"{name} is {'missing' if name in right else 'there alone'}")
        elif not same(right[name], found[name]):
            told.append(f"{name} {describe(right[name], found[name])}")
    return told


def same(a, b):
    if isinstance(a, numpy.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return a == b


def numbers(value):
    """As an array of numbers; None if it has others."""
    try:
        values = value[1:] if isinstance(value, tuple) else value  # a column has its name first
        made = numpy.asarray(values, dtype=float)
        return made if made.size else None
    except (TypeError, ValueError):
        return None


def describe(a, b):
    x, y = numbers(a), numbers(b)
    if x is None or y is None or x.shape != y.shape:
        return f"is {brief(a)} and {brief(b)}"
    unlike = ~((x == y) | (numpy.isnan(x) & numpy.isnan(y)))
    if x.size == 1:
        return f"is {brief(a)} and {brief(b)}"
    with numpy.errstate(invalid="ignore"):
        gap = numpy.abs(x - y)[unlike]
    most, size = numpy.nanmax(gap, initial=0.0), numpy.nanmax(numpy.abs(x), initial=0.0)
    return f"differs in {gap.size} of {x.size} values, by {most:.3g} at most, where the largest is {size:.3g}"


def brief(value):
    if isinstance(value, numpy.ndarray) and value.size > 1:
        return f"{value.dtype} {value.shape}"
    words = ", ".join(value[1:]) if isinstance(value, tuple) else str(value)
    return words if len(words) < 60 else words[:57] + "..."
