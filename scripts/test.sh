#!/usr/bin/env bash
# scripts/test.sh [ctest arguments]: installs what is missing, builds, and runs all tests, or those
# that the arguments choose (-L unit). WABE_WERROR=ON makes warnings errors.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
install_packages "${packages[@]}" "${more_packages[@]}"
echo "Building (build/release)"
build build/release all --preset release -UWABE_CUDA -DWABE_BUILD_TESTS=ON -DWABE_WERROR="${WABE_WERROR:-OFF}"
exec ctest --no-tests=error --test-dir build/release --output-on-failure -j "$(nproc)" "$@"
