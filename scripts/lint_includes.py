#!/usr/bin/env python3
"""Checks includes, header guards and names of parameters. Prints file:line of each violation; exits 1 if there is any.

Arrows run downwards: commands, applications, runtime, model, then sweeps, comm, core
(ARROWS below). CUDA headers appear in kernels_gpu and core/device/device_cuda* alone. Headers
begin with #pragma once, except include-templates (*.inc.h), which are meant to be included more
than once. Parameters in headers have names that say what they are: no function words (VAGUE below).
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Folder (or start of a path) -> what its files may include. The first match applies.
BELOW_APPS = ("core/", "comm/", "sweeps/")
BELOW_SLAB = ("core/", "comm/planes.h", "sweeps/cell/", "sweeps/stream/")
# The parts of the runtime that are independent of runs: the model includes them, runs include the model.
BELOW_MODEL = tuple(f"apps/runtime/{name}.h" for name in ("components", "input", "kernels"))
ARROWS = [
    ("core/base/", ("core/base/",)),
    ("core/config/", ("core/base/", "core/config/")),
    ("core/device/", ("core/base/", "core/device/", "core/registry/")),
    ("core/registry/", ("core/base/", "core/device/", "core/registry/")),
    ("core/io/", ("core/base/", "core/config/", "core/device/", "core/io/")),
    ("core/geometry/", ("core/base/", "core/io/", "core/geometry/")),
    ("comm/", ("core/", "comm/")),
    ("sweeps/cell/", ("core/", "sweeps/cell/")),
    ("sweeps/stream/", ("core/", "comm/planes.h", "sweeps/cell/chunk.h", "sweeps/stream/")),
    ("sweeps/slab/", (*BELOW_SLAB, "sweeps/slab/")),
    ("sweeps/lattice/", (*BELOW_SLAB, "sweeps/slab/", "sweeps/lattice/")),
    ("sweeps/stencil/", (*BELOW_SLAB, "sweeps/slab/", "sweeps/stencil/")),
    ("kernels_cpu/", ("core/", "sweeps/cell/", "kernels_cpu/")),
    ("kernels_gpu/", ("core/", "sweeps/cell/", "kernels_gpu/")),
    ("apps/geometry/", (*BELOW_APPS, "apps/geometry/")),
    ("apps/runtime/", (*BELOW_APPS, "apps/runtime/", "apps/model/")),
    ("apps/model/", (*BELOW_APPS, "apps/model/", *BELOW_MODEL)),
    ("apps/lbm/", (*BELOW_APPS, "apps/geometry/", "apps/runtime/", "apps/model/", "apps/lbm/")),
    ("apps/diffusion/", (*BELOW_APPS, "apps/runtime/", "apps/diffusion/")),
    ("apps/himeno/", (*BELOW_APPS, "apps/runtime/", "apps/himeno/")),
    ("apps/", (*BELOW_APPS, "apps/")),
    ("tests/", ("",)),
]
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')
CUDA = re.compile(
    r"cuda|cublas|cufft|cub/|thrust/|nccl|nvml|nvtx|nvToolsExt|cooperative_groups|mma\.h"
)
VAGUE = "ahead|aside|at|behind|beside|beyond|by|here|its|known|left|of|there|what|which|whose"
PARAMETER = re.compile(rf"[(,]\s*(?:const\s+)?\w+(?:\s+|\s*\*+\s*)({VAGUE})(?:\[\w*\])*\s*[,)]")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
CUDA_ALLOWED = ("kernels_gpu/", "core/device/device_cuda")


def resolve(path, name):
    """Returns the included file relative to the root of the repository; None if it does not exist."""
    for candidate in (path.parent / name, ROOT / name):
        # Generated headers lie beside their templates.
        if candidate.is_file() or candidate.with_name(candidate.name + ".in").is_file():
            return candidate.resolve().relative_to(ROOT).as_posix()
    return None


def check_includes(path, name, lines):
    start, allowed = next(arrow for arrow in ARROWS if name.startswith(arrow[0]))
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        kind, included = match.groups()
        if CUDA.match(included) and not name.startswith(CUDA_ALLOWED):
            yield number, f"CUDA header {included} outside kernels_gpu and core/device/device_cuda*"
        if kind == '"':
            target = resolve(path, included)
            if target is None:
                yield number, f'no file "{included}" (paths count from the root of the repository)'
            elif not target.startswith(allowed):
                yield number, f"{start} must not include {target}"


def check_guard(name, lines):
    if not name.endswith(".h") or name.endswith(".inc.h"):
        return
    directives = [(n, line.split()) for n, line in enumerate(lines, 1) if line.startswith("#")]
    if not directives or directives[0][1] != ["#pragma", "once"]:
        yield directives[0][0] if directives else 1, "the first directive must be #pragma once"


def check_parameters(name, text):
    if not name.endswith((".h", ".cuh")):
        return
    code = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment.group()), text)
    for match in PARAMETER.finditer(code):
        line = code.count("\n", 0, match.start(1)) + 1
        yield line, f'a parameter is named "{match.group(1)}": its name has to say what it is'


def main():
    breaches = 0
    for folder in sorted({start.split("/")[0] for start, _ in ARROWS}):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".c", ".h", ".cu", ".cuh"):
                continue
            name = path.relative_to(ROOT).as_posix()
            text = path.read_text(encoding="utf-8")
            lines = text.splitlines()
            for number, breach in (*check_includes(path, name, lines), *check_guard(name, lines),
                                   *check_parameters(name, text)):
                print(f"{name}:{number}: {breach}")
                breaches += 1
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
