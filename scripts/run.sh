#!/usr/bin/env bash
# scripts/run.sh [FILE] [arguments of wabe run]: installs what is missing, builds, and runs a case
# (input/cavity.cfg if none is named) on all GPUs of this machine, or on all cores if there is none.
# Exits with wabe's code.
set -euo pipefail

# FILE is looked for where the caller is, then in the repository.
file=input/cavity.cfg
if (($#)) && [[ $1 != -* ]]; then
    file=$1
    shift
    if [[ -e $file ]]; then file=$(realpath "$file"); fi
fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
install_packages "${packages[@]}"
echo "Building (build/release)"
# What this machine cannot use does not have to be waited for; a build that is there stays as it is.
fresh=()
if [[ ! -e build/release/CMakeCache.txt ]]; then
    fresh=(-DWABE_BUILD_TESTS=OFF)
    if ! nvidia-smi -L >/dev/null 2>&1; then
        fresh+=(-DWABE_CUDA=OFF)
        echo "No GPU here: built without CUDA (cmake --preset release -U WABE_CUDA changes that)"
    fi
fi
build build/release wabe --preset release "${fresh[@]}"

# One process per physical core among those that this shell may use, or fewer under a CPU quota.
cores=$(
    python3 - <<'PYTHON'
import os

siblings = "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list"
cores = len({open(siblings % cpu).read() for cpu in os.sched_getaffinity(0)})
try:
    quota, period = open("/sys/fs/cgroup/cpu.max").read().split()
    cores = min(cores, max(1, int(quota) // int(period)))
except (OSError, ValueError):
    pass  # no quota
print(cores)
PYTHON
) || cores=$(env -u OMP_NUM_THREADS nproc)

# mpirun binds to cores counted from the machine's first: not those of a narrower affinity mask.
binding=(--map-by core --bind-to core)
if (($(env -u OMP_NUM_THREADS nproc) < $(nproc --all))); then binding=(--oversubscribe --bind-to none); fi
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}

# Where there are GPUs, one process for each of them.
gpus=$(build/release/wabe node | grep -c 'kind = "gpu"' || true)
if ((gpus > 0)); then
    cores=$gpus
    binding=(--oversubscribe --bind-to none)
fi

# mpirun gives its processes a terminal even when its own output goes elsewhere.
if [[ ! -t 1 ]]; then export WABE_LIVE=0; fi

# -q: wabe's own message is the last word on a failure, unless it had no chance to write one.
command=(mpirun -np "$cores" "${binding[@]}" build/release/wabe run "$file" "$@")
echo "${command[*]}"
code=0
"${command[@]:0:1}" -q "${command[@]:1}" || code=$?
if ((code == 1 || code > 6)); then
    echo "mpirun ended with code $code; if nothing above says why, the command above does." >&2
fi
exit "$code"
