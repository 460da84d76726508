#!/usr/bin/env python3
"""How fast checkpoints and fields are written, beside a plain parallel write of as many bytes to the same folder.

    scripts/bench_output.py [--ranks 1,2] [--cells 160] [--rounds 3] [--directory DIR] [--wabe WABE]

Plain: as many processes as ranks write their parts of as many files as a run, one after the other, 16 MiB at a time, and
sync each. Wabe's processes share the cores between them, a thread on each, as they do in a run. Rounds take turns, medians
count. A checkpoint is hashed, written, compared, synced and renamed; fields are written, synced and renamed. Both are put
together from the populations meanwhile. The folder (out/bench_output) shall lie on the file system in question.
"""
import argparse
import json
import multiprocessing
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PIECE = 16 << 20
WRITES = 4  # per run

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--ranks", default="1,2")
parser.add_argument("--cells", type=int, default=160, help="edge of the cavity")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--directory", default="out/bench_output")
parser.add_argument("--wabe", default=os.path.join(ROOT, "build/release/wabe"))
options = parser.parse_args()
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", WABE_LIVE="0")


def write_parts(paths, begin, end, data, barrier):
    barrier.wait()
    for path in paths:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        at = begin
        while at < end:
            at += os.pwrite(file, data[:min(PIECE, end - at)], at)
        os.fsync(file)
        os.close(file)


def plain(size, ranks):
    """Measures plain writes in bytes per second."""
    paths = [os.path.join(options.directory, "plain_%d" % i) for i in range(WRITES)]
    data = os.urandom(PIECE)
    barrier = multiprocessing.Barrier(ranks + 1)
    writers = [multiprocessing.Process(target=write_parts, args=(paths, size * i // ranks, size * (i + 1) // ranks,
                                                                 data, barrier)) for i in range(ranks)]
    for writer in writers:
        writer.start()
    barrier.wait()
    begin = time.time()
    for writer in writers:
        writer.join()
    seconds = time.time() - begin
    for path in paths:
        os.unlink(path)
    return WRITES * size / seconds


def wabe(kind, ranks):
    """Measures Wabe; returns bytes per file and bytes per second."""
    folder = os.path.join(options.directory, "run")
    shutil.rmtree(folder, ignore_errors=True)
    every = "checkpoint.every=1" if kind == "checkpoint" else "output.every=1"
    command = ["mpirun", "-q", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), options.wabe, "run",
               os.path.join(ROOT, "input/cavity.cfg"), "--quiet", "--set", every, "--set", "checkpoint.keep=9",
               "--set", "steps=%d" % WRITES, "--set", "domain.cells=[%d,%d,%d]" % ((options.cells,) * 3),
               "--set", "output.fields=%s" % ("false" if kind == "checkpoint" else "true"),
               "--set", "output.picture=none", "--set", "output.profiles=false", "--set", "output.directory=" + folder]
    threads = max(1, len(os.sched_getaffinity(0)) // ranks)
    subprocess.run(command, check=True, env=dict(environment, OMP_NUM_THREADS=str(threads)))
    with open(os.path.join(folder, "timing.json")) as file:
        seconds = json.load(file)["phases"]["output"]["max"]
    sizes = [os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder)
             if name.startswith("checkpoint_" if kind == "checkpoint" else "fields_")]
    shutil.rmtree(folder)
    return sizes[0], sum(sizes) / seconds


def main():
    os.makedirs(options.directory, exist_ok=True)
    print("%-12s %6s %10s %12s %12s %8s" % ("", "ranks", "MB a file", "Wabe MB/s", "plain MB/s", "of plain"))
    for ranks in map(int, options.ranks.split(",")):
        for kind in ("checkpoint", "fields"):
            rates, plains = [], []
            for _ in range(options.rounds):
                size, rate = wabe(kind, ranks)
                rates.append(rate)
                plains.append(plain(size, ranks))
            rate, limit = statistics.median(rates), statistics.median(plains)
            print("%-12s %6d %10.1f %12.1f %12.1f %8.2f" % (kind, ranks, 1e-6 * size, 1e-6 * rate, 1e-6 * limit,
                                                            rate / limit), flush=True)


try:
    main()
except (OSError, ValueError) as error:
    sys.exit("bench_output.py: %s" % error)
except subprocess.CalledProcessError as error:
    sys.exit("bench_output.py: %s: exit code %d" % (" ".join(error.cmd), error.returncode))
