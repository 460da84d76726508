#!/usr/bin/env bash
# scripts/run.sh [FILE] [arguments of wabe run]: installs missing packages, builds, and runs a case
# (the repository's input/cavity.cfg if none is named) in the caller's folder, on all GPUs of this
# machine, or on all cores if there is none; then draws the plot that wabe names. Exits with wabe's code.
set -euo pipefail

here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root= # of paths in the repository
if [[ $PWD != "$here" ]]; then root=$PWD/; fi
wabe=${root}build/release/wabe

# FILE is searched in the caller's folder, then in the repository.
file=${root}input/cavity.cfg
if (($#)) && [[ $1 != -* ]]; then
    file=$1
    shift
    if [[ ! -e $here/$file && $file != /* && -e $file ]]; then file=$root$file; fi
fi
source scripts/setup.sh
install_packages "${packages[@]}"
echo "Building (${root}build/release)"
# A new build omits what this machine cannot use, to save time; an existing one keeps its settings.
settings=()
gpu=0
nvidia-smi -L >/dev/null 2>&1 || gpu=$?
if [[ ! -e build/release/CMakeCache.txt ]]; then
    settings=(-DWABE_BUILD_TESTS=OFF)
    set=$(best_instruction_set)
    if [[ $set ]]; then
        settings+=(-DWABE_INSTRUCTION_SETS="$set")
        echo "With kernels for this processor alone, $set (cmake --preset release -U WABE_INSTRUCTION_SETS changes that)"
    fi
    if ((gpu != 0)); then
        settings+=(-DWABE_CUDA=OFF)
        mkdir -p build/release && touch "$without_cuda"
        echo "No GPU here: built without CUDA (cmake --preset release -U WABE_CUDA changes that)"
    fi
elif ((gpu == 0)) && [[ -e $without_cuda ]]; then
    settings=(-UWABE_CUDA)
    rm "$without_cuda"
fi
mapfile -t more < <(for_runs)
if ((${#more[@]} > 0 && gpu != 0)); then
    more+=(-DWABE_CUDA=OFF)
    touch "$without_cuda"
fi
settings+=("${more[@]}")
build "${root}build/release" wabe --preset release "${settings[@]}"
cd "$here"

# One process per physical core among those that this shell may use, or fewer under a CPU quota. Cores that share a level
# 3 cache become threads of one process, which can do several steps while cells are there (parallel.steps_per_pass).
read -r processes threads < <(
    python3 - <<'PYTHON'
import os

siblings = "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list"
sharing = "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list"
cpus = os.sched_getaffinity(0)
cores = len({open(siblings % cpu).read() for cpu in cpus})
try:
    quota, period = open("/sys/fs/cgroup/cpu.max").read().split()
    cores = min(cores, max(1, int(quota) // int(period)))
except (OSError, ValueError):
    pass  # no quota
try:
    together = len({open(sharing % cpu).read() for cpu in cpus}) == 1
except OSError:
    together = False  # no such cache
print(*((1, cores) if together else (cores, 1)))
PYTHON
) || read -r processes threads < <(echo "$(env -u OMP_NUM_THREADS nproc) 1")

if [[ ${OMP_NUM_THREADS-} && $processes == 1 ]]; then processes=$threads threads=1; fi # the caller has decided

# mpirun counts cores from the machine's first one, so binding would violate a narrower affinity mask.
binding=(--map-by core --bind-to core)
if (($(env -u OMP_NUM_THREADS nproc) < $(nproc --all))); then binding=(--oversubscribe --bind-to none); fi

# With GPUs, one process per GPU.
gpus=$("$wabe" node | grep -c 'kind = "gpu"' || true)
if ((gpus > 0)); then
    processes=$gpus threads=1
    binding=(--oversubscribe --bind-to none)
elif ((threads > 1)); then
    binding=(--bind-to none)
fi
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$threads}

# Under mpirun wabe cannot detect whether its output goes to a terminal.
if [[ -t 1 && ${TERM:-dumb} != dumb ]]; then export WABE_LIVE=${WABE_LIVE:-1}; fi

# -q: on a failure wabe's own message is the last one, unless it could not write any.
command=(mpirun -np "$processes" "${binding[@]}" "$wabe" run "$file" "$@")
echo "${command[*]}"
code=0
said=$(mktemp)
exec {output}> >(exec tee -i "$said")
copy=$!
# On Ctrl-C mpirun kills all processes, but it forwards SIGUSR1, and they end with a checkpoint.
setsid "${command[@]:0:1}" -q "${command[@]:1}" </dev/null >&"$output" {output}>&- &
launcher=$!
exec {output}>&-
trap 'kill -USR1 "$launcher"' INT TERM USR1
wait "$launcher" || code=$?
while kill -0 "$launcher" 2>/dev/null; do # a signal has ended the wait
    code=0
    wait "$launcher" || code=$?
done
wait "$copy" || true
plot=$(sed -n 's/^.*\r//; s/^\x1b\[K//; s/^plot  *//p' "$said") # past what a live line leaves
rm "$said"
if ((code == 0)) && [[ $plot ]]; then
    # The results are there: whatever fails here changes no code.
    { install_packages python3-numpy python3-matplotlib && "$root${plot%% *}" "${plot#* }"; } ||
        echo "No plot; when that is mended: $root$plot" >&2
fi
if ((code == 1 || code > 6)); then
    echo "mpirun ended with code $code; if nothing above says why, the command above does." >&2
fi
exit "$code"
