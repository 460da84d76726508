#!/usr/bin/env bash
# scripts/test.sh [ctest arguments]: installs missing packages, builds, and runs all tests, or those
# selected by the arguments (-L unit). WABE_WERROR=ON makes warnings errors. WABE_TEST_FULL=1: long tests run in full
# rather than in a short form, those of 8 processes on fewer cores too, and a build that this script has begun gets the kernels for all processors.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
install_packages "${packages[@]}" "${more_packages[@]}"
if [[ ${WABE_TEST_FULL-} != 1 ]]; then echo "All tests take 10 to 20 minutes on two cores, the first build 5 to 10 more with CUDA"; fi
echo "Building (build/release)"
settings=(-DWABE_BUILD_TESTS=ON -DWABE_WERROR="${WABE_WERROR:-OFF}")
mark=build/release/without_cuda # run.sh has built without CUDA
if [[ -e $mark ]]; then
    settings+=(-UWABE_CUDA)
    rm "$mark"
fi
# Other builds keep their settings.
if [[ ! -e build/release/CMakeCache.txt ]]; then mkdir -p build/release && touch "$for_tests"; fi
if [[ -e $for_tests ]]; then
    settings+=(-DWABE_UNOPTIMISED="$(cannot_run)" -UWABE_INSTRUCTION_SETS)
    if [[ ${WABE_TEST_FULL-} != 1 ]] && grep -qw avx2 /proc/cpuinfo; then
        sets=avx2
        if grep -qw avx512bw /proc/cpuinfo; then sets+=';avx512'; fi # has the bits of AVX2, which tests compare
        settings+=(-DWABE_INSTRUCTION_SETS="$sets")
    fi
fi
build build/release all --preset release "${settings[@]}"
# On few cores 8 processes mostly wait for each other; 1 to 3 of them test the same code.
left_out=()
if [[ ${WABE_TEST_FULL-} != 1 ]] && (($(nproc) < 8)); then left_out=(-E '^mpi[.].*[.]8$'); fi
exec ctest --no-tests=error --test-dir build/release --output-on-failure -j "$test_jobs" "${left_out[@]}" "$@"
