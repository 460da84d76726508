#!/usr/bin/env bash
# scripts/test.sh [ctest arguments]: installs missing packages, builds, and runs all tests, or those
# selected by the arguments (-L unit). WABE_WERROR=ON makes warnings errors.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
install_packages "${packages[@]}" "${more_packages[@]}"
echo "All tests take about 15 minutes on two cores, the first build 7 more with CUDA"
echo "Building (build/release)"
settings=(-DWABE_BUILD_TESTS=ON -DWABE_WERROR="${WABE_WERROR:-OFF}")
mark=build/release/without_cuda # run.sh has built without CUDA
if [[ -e $mark ]]; then
    settings+=(-UWABE_CUDA)
    rm "$mark"
fi
# Without a GPU to run them, CUDA kernels are compiled to PTX alone, which takes a third of the time.
if ! compgen -G '/dev/nvidia[0-9]*' >/dev/null && [[ ! -e /dev/dxg ]]; then
    settings+=(-DCMAKE_CUDA_ARCHITECTURES=75-virtual)
fi
build build/release all --preset release "${settings[@]}"
exec ctest --no-tests=error --test-dir build/release --output-on-failure -j "$test_jobs" "$@"
