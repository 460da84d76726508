#!/usr/bin/env bash
# tests/validation/taylor_green.sh WABE SOURCE: the Taylor-Green vortex converges with second order.
# Diffusive scaling: cells n, velocity ~ 1/n, steps ~ n^2, the same tau; the errors of discretisation
# and of compressibility both fall with n^-2. Some seconds.
set -euo pipefail
wabe=$1
source=$2
export OMP_NUM_THREADS=1

for n in 16 32 64 128; do
    "$wabe" run "$source/input/taylor_green.cfg" --quiet --set domain.cells="[$n, $n, 1]" \
        --set steps=$((n * n / 8)) --set output.fields=false --set output.directory="\"n$n\"" \
        --set initial.velocity="[$(awk "BEGIN { print 1.28 / $n }"), 0.0, 0.0]"
done

python3 - <<'PYTHON'
import json
import math
import sys

def error_of(n):
    with open(f"n{n}/results.json") as file:
        return json.load(file)["velocity_error_l2"]

print("cells  relative L2 error  order")
before, passed = None, True
for n in (16, 32, 64, 128):
    error = error_of(n)
    order = math.log2(before / error) if before else None
    print(f"{n:5d}  {error:17.3e}  {f'{order:5.2f}' if before else ''}")
    if before and not 1.8 < order < 2.2:
        print(f"order {order:.2f} is not between 1.8 and 2.2")
        passed = False
    before = error
sys.exit(0 if passed else 1)
PYTHON
