#!/usr/bin/env bash
# The faults of scripts/faults.py in short: fewer kills, shorter runs.
source "$2/tests/cli/common.bash"
python3 "$2/scripts/faults.py" --wabe "$wabe" --kills 2 --steps 6000 --seed 1 >table.txt 2>&1 || fail "$(cat table.txt)"
finish
