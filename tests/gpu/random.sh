#!/usr/bin/env bash
# Random cases have the same results on a real GPU and on processors.
source "$2/tests/cli/common.bash"
python3 "$2/tests/random/compare.py" --wabe "$wabe" --seed 2 --cases 40 --gpu --ways gpu,gpu_streamed,gpu_restart \
    --folder "$PWD/cases" >table.txt 2>&1 || code=$?
if ((${code:-0} == 77)); then
    cat table.txt
    exit 77
fi
if ((${code:-0} != 0)); then fail "$(cat table.txt)"; fi
finish
