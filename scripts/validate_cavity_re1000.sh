#!/usr/bin/env bash
# scripts/validate_cavity_re1000.sh [WABE [OUT_DIR]]: runs the cubic cavity at Re 1000 on all cores
# and compares its velocity extrema with the spectral solution of Albensoeder and Kuhlmann 2005. Takes ten
# minutes on two cores. Exits 1 if u_min deviates by more than 3 %, or if the flow is not steady yet.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
wabe=${1:-build/release/wabe}
out=${2:-out/cavity_re1000}

if [[ ! -x $wabe ]]; then
    echo "$wabe is not there: build it, for example with scripts/run.sh, or name another" >&2
    exit 2
fi
"$wabe" run input/cavity_re1000.cfg --set output.directory="\"$out\""
failed=0
python3 tests/validation/cavity.py "$out" --extrema 3 u_min || failed=1

# Checks that the flow is steady in the last two field files. Needs h5py, which Debian's Python may have.
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
if ! "$python" -c 'import h5py' 2>/dev/null; then
    echo "no Python with h5py (Debian: python3-h5py): whether the flow is steady was not checked"
    exit "$failed"
fi
PYTHONPATH=python "$python" - "$out" <<'PYTHON' || failed=1
import sys

import wabe

LID, LIMIT = 0.1, 1e-3
run = wabe.Run(sys.argv[1])
before, last = (run.fields(step) for step in run.series()[0][-2:])
change = float(abs(last["velocity"] - before["velocity"]).max()) / LID
print(f"largest change of a velocity from step {before.step} to {last.step}: {change:.1e} lid velocities "
      f"(limit {LIMIT:g})")
sys.exit(0 if change < LIMIT else 1)
PYTHON
exit "$failed"
