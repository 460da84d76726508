#!/usr/bin/env bash
# How long fluid stays in a medium, and the part of it that is measured: what is refused; tracers
# against the parabola of a slit and against pore volume over flux; the same bits for all cuts.
source "$2/tests/cli/common.bash"
left_behind=out

cat >slit.cfg <<'CFG'
name = "slit";
steps = 100000;
domain = { cells = [20, 3, 8]; };
lbm = { tau = 1.5; };
boundaries = { x_low = { kind = "no_slip"; }; x_high = { kind = "no_slip"; }; };
porous = {
    axis = "z";
    gradient = 1e-8; tolerance = 1e-8; interval = 200; tracers = 10000;
};
output = { fields = false; };
CFG

cat >spheres.cfg <<'CFG'
name = "spheres";
steps = 20000;
domain = { cells = [32, 32, 32]; };
lbm = { tau = 1.5; };
geometry = { spheres = { array = "simple_cubic"; radius = 11.91; }; };
porous = { axis = "z"; gradient = 1e-8; tolerance = 1e-5; interval = 200; tracers = 2000; };
output = { fields = false; };
CFG

# ---- what is refused ----

refuse 2 run slit.cfg --set 'porous.axis="none"' --set porous.gradient=1e-6 \
    --set porous.tolerance=1e-6 --set porous.interval=500 -- "porous.tracers" "needs porous.axis"
refuse 2 run slit.cfg --set porous.tracers=-1 -- "porous.tracers" "must be at least 0"
refuse 2 run slit.cfg --set porous.end=4 -- "porous.end" "begins at slice 1 or later"
refuse 2 run slit.cfg --set porous.begin=4 -- "porous.begin" "ends behind its begin"
refuse 2 run slit.cfg --set porous.begin=4 --set porous.end=8 -- "porous.end" \
    "before the last of the domain's 8 slices"

# ---- the slit: known ----

# The flux between the walls and y half-widths from the middle is (3 y - y^3) / 2, the time that it
# stays 2/3 / (1 - y^2) means. Velocities are constant across a cell, so the share jumps where two
# cells of the same velocity end: by 3 / H in the middle of H cells. In a channel without solids all
# tracers arrive. The mean of slow ones is uncertain: few tracers, long times.
for cells in 20 40; do
    rm -rf out
    ok 1 run slit.cfg --quiet --set "domain.cells=[$cells, 3, 8]"
    python3 - "$cells" <<'PYTHON' || fail "the slit's distribution, $cells cells"
import csv, json, math, sys

with open("out/slit/residence.csv", newline="") as file:
    rows = list(csv.DictReader(file))
with open("out/slit/results.json") as file:
    porous = json.load(file)["porous"]
worst = 0.0
for row in rows:
    y = math.sqrt(max(0.0, 1.0 - 2.0 / 3.0 / float(row["steps_over_mean"])))
    worst = max(worst, abs((3.0 * y - y**3) / 2.0 - float(row["arrived"])))
print(f"largest difference of the shares {worst:.4f}, mean {porous['residence_mean']:.6g}")
assert len(rows) == 1000
assert worst < 2.0 / int(sys.argv[1])
assert porous["tracers"] == porous["tracers_arrived"] == 10000
assert abs(porous["residence_mean"] / porous["mean_residence_steps"] - 1.0) < 0.005
assert porous["residence_10"] < porous["residence_50"] < porous["residence_90"]
assert abs(float(rows[500]["steps"]) / porous["residence_50"] - 1.0) < 0.02
PYTHON
done

# ---- around spheres: the mean is pore volume over flux, whatever the way ----

# Not exactly: the velocities at faces next to solid cells lose some of the flux.
rm -rf out
ok 1 run spheres.cfg --quiet
python3 - <<'PYTHON' || fail "the mean residence around spheres"
import json

with open("out/spheres/results.json") as file:
    porous = json.load(file)["porous"]
print(porous["residence_mean"] / porous["mean_residence_steps"])
assert porous["tracers_arrived"] > 0.99 * porous["tracers"]
assert abs(porous["residence_mean"] / porous["mean_residence_steps"] - 1.0) < 0.03
PYTHON

# ---- the same bits ----

# same RANKS ARGUMENT...: the tracers need as long as in the first run.
same() {
    local ranks=$1
    shift
    rm -rf out
    ok "$ranks" run spheres.cfg --quiet --set steps=60 --set porous.tolerance=0 "$@"
    if [[ ! -e first.csv ]]; then cp out/spheres/residence.csv first.csv; fi
    cmp first.csv out/spheres/residence.csv || fail "other times on $ranks ranks: $*"
}

for axis in x z; do
    rm -f first.csv
    same 1 --set "porous.axis=\"$axis\""
    same 2 --set "porous.axis=\"$axis\"" --set 'parallel.processes=[2, 1, 1]'
    same 4 --set "porous.axis=\"$axis\"" --set 'parallel.processes=[1, 2, 2]' --set lbm.streaming=pull
    same 3 --set "porous.axis=\"$axis\"" --set 'parallel.processes=[1, 1, 3]'
    if grep -qE '^flags.* fma( |$)' /proc/cpuinfo; then
        same 1 --set "porous.axis=\"$axis\"" --set parallel.mode=heterogeneous \
            --set node.emulated_gpus=1
    fi
done
rm -f first.csv
same 1 --set porous.drive=pressure --set porous.begin=3 --set porous.end=29
same 2 --set porous.drive=pressure --set porous.begin=3 --set porous.end=29 \
    --set 'parallel.processes=[2, 1, 1]'
if [[ $(value out/spheres/results.json begin) != 3 ]]; then fail "another part was measured"; fi

# Nothing flows, nothing is carried.
rm -rf out
ok 1 run spheres.cfg --quiet --set steps=0
if [[ -e out/spheres/residence.csv ]]; then fail "tracers went where nothing flows"; fi

finish
