#!/usr/bin/env bash
# scripts/setup.sh [--plots]: installs missing packages that Wabe needs (Debian 12, Ubuntu 24.04). --plots: instead, makes
# the Python environment build/plots that scripts/render.py draws with. Other scripts source this file for its functions.
set -euo pipefail

# For building and running; then for tests, packaging, and plot scripts.
packages=(gcc libc6-dev make cmake pkg-config openmpi-bin libopenmpi-dev libhdf5-openmpi-dev
    libconfig-dev libpng-dev libcairo2-dev zlib1g-dev python3)
more_packages=(libcmocka-dev python3-numpy python3-matplotlib python3-h5py python3-pip python3-xarray dpkg-dev file groff-base)
# For build/plots: what VTK needs to draw without a display.
plots_packages=(python3 python3-venv libegl1 libgl1-mesa-dri libx11-6 libxrender1)

# Tests at once: more than cores, since many wait for processes to start and to end.
# shellcheck disable=SC2034 # for those who source this
test_jobs=$(($(nproc) * 2))

# install_packages NAME...: installs missing packages with apt.
install_packages() {
    if ! command -v dpkg >/dev/null || ! command -v apt-get >/dev/null; then
        echo "No apt here: Wabe goes on with what is installed. It needs the equivalents of: $*" >&2
        return
    fi
    local missing=() package as_root=()
    for package in "$@"; do
        # A removed package can still have a status, hence the exact line.
        dpkg -s "$package" 2>/dev/null | grep -x 'Status: .* ok installed' >/dev/null ||
            missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            echo "Missing packages, and no sudo here. As root: apt-get install ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    echo "Installing ${missing[*]}"
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q)
    "${as_root[@]}" update
    "${as_root[@]}" install -y --no-install-recommends "${missing[@]}"
}

# make_plots: makes build/plots with the packages of scripts/plots.txt, unless it has these.
make_plots() {
    local folder=build/plots python=python3
    if cmp -s scripts/plots.txt "$folder/plots.txt"; then return; fi
    if [[ -x /usr/bin/python3 ]]; then python=/usr/bin/python3; fi # the one that python3-venv is for
    echo "Making $folder (700 MB)"
    "$python" -m venv --clear "$folder"
    "$folder/bin/pip" install -q --disable-pip-version-check -r scripts/plots.txt
    cp scripts/plots.txt "$folder" # last: it says that the environment is complete
}

# best_instruction_set: the one with the widest vectors that this processor has; nothing if it has neither.
best_instruction_set() {
    if grep -qw avx512bw /proc/cpuinfo; then echo avx512; elif grep -qw avx2 /proc/cpuinfo; then echo avx2; fi
}

# cannot_run: the kernels that this machine cannot run, which builds for tests compile without optimisation: that takes a
# sixth (CUDA, to PTX alone) and half of the time.
cannot_run() {
    local kernels=
    if ! compgen -G '/dev/nvidia[0-9]*' >/dev/null && [[ ! -e /dev/dxg ]]; then kernels+=';cuda'; fi
    if [[ $(uname -m) == x86_64 ]] && ! grep -qw avx512bw /proc/cpuinfo; then kernels+=';avx512'; fi
    echo "${kernels#;}"
}

# A build without CUDA, since there was no GPU.
# shellcheck disable=SC2034 # for those who source this
without_cuda=build/release/without_cuda
# A build that test.sh has begun: without kernels for other processors, or with slow ones for what is not there.
# for_runs: CMake's arguments that make it one for runs, a line each.
for_tests=build/release/for_tests
for_runs() {
    if [[ -e $for_tests ]]; then
        rm "$for_tests"
        printf '%s\n' -UWABE_UNOPTIMISED -UWABE_INSTRUCTION_SETS
    fi
}

# Shows on a terminal how far a build is.
show_progress() {
    if [[ -t 1 ]]; then
        while IFS= read -r line; do
            if [[ $line =~ ^\[\ *[0-9]+%\] ]]; then printf '\r%s' "${BASH_REMATCH[0]}"; fi
        done
        printf '\r      \r'
    else
        cat >/dev/null
    fi
}

# build FOLDER TARGET CMAKE-ARGUMENT...: configures and builds TARGET in FOLDER. Shows on a terminal how far it is, and
# the end of the log if it fails.
build() {
    local folder=$1 target=$2 log=$1/build.log
    shift 2
    mkdir -p "$folder"
    if ! { cmake "$@" && cmake --build "$folder" --target "$target" -j "$(nproc)"; } </dev/null 2>&1 | tee "$log" | show_progress; then
        tail -n 60 "$log" >&2
        echo "The build failed; all of its output: $log" >&2
        return 1
    fi
}

# Open MPI refuses to start as root, as in a container, unless told twice.
if ((EUID == 0)); then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
    case $* in
    '') install_packages "${packages[@]}" "${more_packages[@]}" ;;
    --plots)
        cd "$(dirname "${BASH_SOURCE[0]}")/.."
        install_packages "${plots_packages[@]}"
        make_plots
        ;;
    *)
        echo "usage: scripts/setup.sh [--plots]" >&2
        exit 2
        ;;
    esac
fi
