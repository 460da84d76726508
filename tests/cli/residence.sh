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
refuse 2 run slit.cfg --set porous.end=4 -- "porous.end" "porous.begin is not given"
refuse 2 run slit.cfg --set porous.begin=4 -- "porous.begin" "the end must be from 5 to 7"
refuse 2 run slit.cfg --set porous.begin=4 --set porous.end=3 -- "porous.end" "from 5 to 7"
refuse 2 run slit.cfg --set porous.begin=4 --set porous.end=8 -- "porous.end" \
    "to 7, as the domain has 8 slices along z"

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
print(f"largest difference of the shares {worst:.4f}")
assert len(rows) == 1000
assert worst < 2.0 / int(sys.argv[1])
assert porous["tracers"] == porous["tracers_arrived"] == 10000
assert abs(sum(float(row["steps_over_mean"]) for row in rows) / 1000 - 1.0) < 0.01
assert porous["residence_10"] < porous["residence_50"] < porous["residence_90"]
assert abs(float(rows[500]["steps"]) / porous["residence_50"] - 1.0) < 0.02
PYTHON
done

# ---- around spheres: the mean is pore volume over flux, whatever the way ----

# Not exactly: the velocities at faces next to solid cells lose some of the flux, and few very slow
# tracers make much of the mean.
rm -rf out
ok 1 run spheres.cfg --quiet --set porous.tracers=10000
python3 - <<'PYTHON' || fail "the mean residence around spheres"
import csv, json

with open("out/spheres/results.json") as file:
    porous = json.load(file)["porous"]
with open("out/spheres/residence.csv", newline="") as file:
    rows = list(csv.DictReader(file))
mean = sum(float(row["steps_over_mean"]) for row in rows) / len(rows)
print(f"mean {mean:.4f}")
assert porous["tracers_arrived"] > 0.99 * porous["tracers"]
assert abs(mean - 1.0) < 0.03
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
            --set node.emulated_gpus=1 --set parallel.balance=equal
    fi
done
rm -f first.csv
same 1 --set porous.drive=pressure --set porous.begin=3 --set porous.end=29
same 2 --set porous.drive=pressure --set porous.begin=3 --set porous.end=29 \
    --set 'parallel.processes=[2, 1, 1]'
if [[ $(value out/spheres/results.json begin) != 3 ]]; then fail "another part was measured"; fi

# ---- out by the inlet: those do not arrive, also where one block reaches from inlet to outlet ----

cat >backflow.cfg <<'CFG'
name = "backflow";
steps = 1500;
domain = { cells = [20, 2, 24]; };
lbm = { tau = 0.8; };
geometry = { objects = (
    { shape = "box"; low = [0.0, 0.0, 12.0]; high = [15.0, 20.0, 14.0]; },
    { shape = "box"; low = [17.0, 0.0, 0.0]; high = [18.0, 20.0, 10.0]; }); };
boundaries = {
    x_low = { kind = "no_slip"; };
    x_high = { kind = "moving_wall"; velocity = [0.0, 0.0, -0.01]; };
};
porous = {
    axis = "z"; drive = "pressure"; gradient = 1e-4; tolerance = 0.0;
    tracers = 1000; begin = 2; end = 22;
};
output = { fields = false; };
CFG
rm -f first.csv
for processes in 1,1,1 1,1,2 2,1,1; do
    rm -rf out
    ranks=1
    if [[ $processes != 1,1,1 ]]; then ranks=2; fi
    ok "$ranks" run backflow.cfg --quiet --set "parallel.processes=[$processes]"
    says "tracers did not get through"
    if [[ ! -e first.csv ]]; then cp out/backflow/residence.csv first.csv; fi
    cmp first.csv out/backflow/residence.csv || fail "backflow: other times on $processes"
done

# Nothing flows, nothing is carried; nor does anything of a run before stay.
ok 1 run spheres.cfg --quiet --set steps=60 --set porous.tolerance=0
if [[ ! -e out/spheres/residence.csv ]]; then fail "no residence times"; fi
ok 1 run spheres.cfg --quiet --set steps=0
if [[ -e out/spheres/residence.csv ]]; then fail "tracers went where nothing flows"; fi

# A list that is its own neighbour on all sides sends itself nothing.
ok 1 run spheres.cfg --set steps=2 --set porous.tolerance=0 --set lbm.streaming=list --verbose
says "messages   none"

# A part without solids has no particles to compare with.
ok 1 run spheres.cfg --set steps=60 --set porous.tolerance=0 --set 'domain.cells=[32, 32, 64]' \
    --set 'geometry={ objects = ({ shape = "sphere"; center = [16.0, 16.0, 16.0]; radius = 9.0; }); }' \
    --set porous.begin=40 --set porous.end=50
says "no solid in what is measured"
if grep -q "Ergun" out.txt; then fail "a correlation for particles where there are none"; fi

finish
