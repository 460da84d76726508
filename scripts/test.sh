#!/usr/bin/env bash
# scripts/test.sh [ctest arguments]: installs missing packages, builds, and runs all tests, or those
# selected by the arguments (-L unit). WABE_WERROR=ON makes warnings errors. WABE_TEST_FULL=1: long tests run in full
# rather than in a short form, on kernels for all processors rather than for the best instruction set of this one.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
install_packages "${packages[@]}" "${more_packages[@]}"
echo "All tests take about 10 minutes on two cores, the first build 5 more with CUDA"
echo "Building (build/release)"
settings=(-DWABE_BUILD_TESTS=ON -DWABE_WERROR="${WABE_WERROR:-OFF}")
mark=build/release/without_cuda # run.sh has built without CUDA
if [[ -e $mark ]]; then
    settings+=(-UWABE_CUDA)
    rm "$mark"
fi
settings+=(-DWABE_UNOPTIMISED="$(cannot_run)")
# A new build omits kernels for other processors; an existing one keeps its settings.
if [[ ${WABE_TEST_FULL-} == 1 ]]; then
    settings+=(-UWABE_INSTRUCTION_SETS)
elif [[ ! -e build/release/CMakeCache.txt ]] && grep -qw avx2 /proc/cpuinfo; then
    sets=avx2
    if grep -qw avx512bw /proc/cpuinfo; then sets+=';avx512'; fi # has the bits of AVX2, which tests compare
    settings+=(-DWABE_INSTRUCTION_SETS="$sets")
fi
build build/release all --preset release "${settings[@]}"
exec ctest --no-tests=error --test-dir build/release --output-on-failure -j "$test_jobs" "$@"
