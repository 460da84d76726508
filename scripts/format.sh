#!/usr/bin/env bash
# scripts/format.sh [--check]: formats all sources by .clang-format, or checks their format.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
arguments=(-i)
if [[ ${1:-} == --check ]]; then arguments=(--dry-run --Werror); fi
find core sweeps comm kernels_* apps tests -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cu' \) -print0 |
    xargs -0 clang-format "${arguments[@]}"
