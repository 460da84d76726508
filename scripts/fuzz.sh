#!/usr/bin/env bash
# scripts/fuzz.sh NAME [OPTION OF LIBFUZZER]...: fuzzes tests/fuzz/fuzz_NAME.c from its corpus on, half an hour unless
# told otherwise. What is found lies in out/fuzz/NAME. Needs clang. This adds to the corpus what it lacks:
#   build/fuzzer/tests/fuzz/fuzz_NAME -merge=1 tests/fuzz/corpus/NAME out/fuzz/NAME/corpus
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh

(($#)) || { sed -n '2,4s/^# //p' "$0"; exit 2; }
name=$1 found=out/fuzz/$1
shift
build build/fuzzer "fuzz_$name" --preset fuzzer
mkdir -p "$found/corpus"

# Allocations of more than 1 GiB fail: Wabe must not request that much, and HDF5, which does, must cope.
export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1024${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0:use_tls=0
export OMP_NUM_THREADS=1
exec "build/fuzzer/tests/fuzz/fuzz_$name" -max_total_time=1800 -runs=10000000 -max_len=16384 -timeout=10 \
    -rss_limit_mb=2048 -malloc_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$found/" "$@" \
    "$found/corpus" "tests/fuzz/corpus/$name"
