#!/usr/bin/env bash
# scripts/test.sh [ctest arguments]: installs missing packages, builds, and runs all tests, or those selected by the arguments
# (-L unit). WABE_WERROR=ON makes warnings errors.
#
# Long tests run in a short form, with fewer sizes, steps and combinations; tests of 8 processes, and of 4 with emulated GPUs,
# are left out on fewer than 8 cores; and a build that this script begins has the kernels for this processor's widest vectors
# alone, and none for GPUs where there is none. WABE_TEST_FULL=1: all of it.
set -euo pipefail

full() { [[ ${WABE_TEST_FULL-} == 1 ]]; }

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
install_packages "${packages[@]}" "${more_packages[@]}"
if ! full; then echo "Long tests run in a short form (WABE_TEST_FULL=1: in full). With the first build this takes about ten minutes on two cores"; fi
echo "Building (build/release)"
settings=(-DWABE_BUILD_TESTS=ON -DWABE_WERROR="${WABE_WERROR:-OFF}")
if [[ ! -e build/release/CMakeCache.txt ]]; then
    mkdir -p build/release && touch "$for_tests"
    if ! full; then touch "$without_cuda"; fi
fi
unusable=$(cannot_run)
if [[ -e $without_cuda ]]; then
    if full || [[ $unusable != *cuda* ]]; then
        settings+=(-UWABE_CUDA)
        rm "$without_cuda"
    else
        settings+=(-DWABE_CUDA=OFF)
        echo "No GPU here: without CUDA's kernels; WABE_TEST_FULL=1 compiles them"
    fi
fi
if [[ -e $for_tests ]]; then # other builds keep their settings
    settings+=(-DWABE_UNOPTIMISED="$unusable" -UWABE_INSTRUCTION_SETS)
    set=$(best_instruction_set)
    if ! full && [[ $set ]]; then settings+=(-DWABE_INSTRUCTION_SETS="$set"); fi
fi
build build/release all --preset release "${settings[@]}"
# On few cores 8 processes, or 4 and their emulated GPUs, mostly wait for each other; fewer of them test the same code.
left_out=()
if ! full && (($(nproc) < 8)); then left_out=(-E '^mpi[.].*[.](8|emulated[.]4)$'); fi
exec ctest --no-tests=error --test-dir build/release --output-on-failure -j "$test_jobs" "${left_out[@]}" "$@"
