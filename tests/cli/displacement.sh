#!/usr/bin/env bash
# Two fluids in a porous medium: relative permeabilities of layers, steps of pressure that drain a slit, restarts between
# them, the same lines on any processes; bad input.
source "$2/tests/cli/common.bash"
left_behind=out/case/phases.csv

result() { python3 -c "import json; print(json.load(open('out/case/results.json'))['porous']['$1'])"; }

# ---- layers ----

# Liquid at both plates, gas between: kw = S^2 (3 - S) / 2 and kn = (1 - S) (3 M / 2 + (1 - S)^2 (1 - 3 M / 2)), here with a
# ratio of viscosities M = 1.
cat >layers.cfg <<'CFG'
application = "two_fluids";
name = "case";
steps = 40000;
domain = { cells = [80, 1, 1]; spacing = 0.5; };
two_fluids = {
    liquid = { density = 2.0; viscosity = 0.25; };
    gas = { density = 2.0; viscosity = 0.25; };
    tension = 1e-4; time_step = 1.0; force = [0.0, 0.0, 1e-6];
    shapes = ( { fluid = "liquid"; low = [-1.0, -1.0, -9.0]; high = [10.0, 9.0, 9.0]; },
               { fluid = "liquid"; low = [30.0, -1.0, -9.0]; high = [99.0, 9.0, 9.0]; } );
};
porous = { axis = "z"; interval = 1000; tolerance = 1e-4; permeability = 133.3333333; };
monitor = { every = 10000; };
output = { picture = "none"; fields = false; };
CFG
ok 1 run layers.cfg --quiet
python3 - "$(result saturation)" "$(result liquid_relative_permeability)" "$(result gas_relative_permeability)" <<'PY' || fail "layers: S, kw, kn"
import sys
s, kw, kn = map(float, sys.argv[1:])
print("layers: off by", kw / (s * s * (3 - s) / 2) - 1, kn / ((1 - s) * (1.5 - 0.5 * (1 - s) ** 2)) - 1)
assert abs(s - 0.5) < 1e-6 and abs(kw / (s * s * (3 - s) / 2) - 1) < 0.01
assert abs(kn / ((1 - s) * (1.5 - 0.5 * (1 - s) ** 2)) - 1) < 0.01
PY
[[ $(result steady) == True ]] || fail "results.json does not say that the run is steady"
start 1 run layers.cfg --quiet --overwrite --set steps=4000 --set porous.tolerance=1e-9
if ((code != 5)); then fail "code $code instead of 5 of a run that is not steady"; fi
says "porous.tolerance"
[[ -s out/case/results.json ]] || fail "a run that is not steady leaves no results"
[[ $(result steady) == False ]] || fail "results.json takes a run for steady"

# ---- steps of pressure ----

# A slit of 16 cells behind a reservoir of gas, which enters it at 2 tension cos(angle) / 16 = 9.6e-4 and not before.
cat >slit.cfg <<'CFG'
application = "two_fluids";
name = "case";
steps = 40000;
domain = { cells = [32, 1, 30]; };
two_fluids = {
    liquid = { density = 1.0; viscosity = 0.1; };
    gas = { density = 1.0; viscosity = 0.05; };
    tension = 0.01; contact_angle = 40.0; time_step = 1.0; fluid = "liquid";
    shapes = ( { fluid = "gas"; low = [-1.0, -1.0, -9.0]; high = [99.0, 9.0, 8.0]; } );
};
geometry = { objects = ( { shape = "box"; low = [-1.0, -1.0, 10.0]; high = [8.0, 9.0, 61.0]; },
                         { shape = "box"; low = [24.0, -1.0, 10.0]; high = [49.0, 9.0, 61.0]; } ); };
boundaries = {
    x_low = { kind = "periodic"; }; x_high = { kind = "periodic"; };
    z_low = { kind = "pressure"; fluid = "gas"; }; z_high = { kind = "pressure"; pressure = 0.0; fluid = "liquid"; };
};
porous = { axis = "z"; interval = 500; tolerance = 2e-3; pressures = { first = 4.8e-4; last = 14.4e-4; count = 2; }; };
monitor = { every = 5000; };
output = { picture = "none"; fields = false; };
checkpoint = { every = 1500; keep = 30; };
CFG
rm -rf out
ok 1 run slit.cfg --quiet
cp out/case/phases.csv phases.csv
[[ $(head -n 1 phases.csv) == step,time,saturation,liquid_flux,gas_flux,liquid_pressure,gas_pressure,reservoir_difference,settled ]] ||
    fail "the columns of phases.csv"
/usr/bin/env python3 - <<'PY' || fail "a slit that gas enters at the wrong pressure"
import csv
rows = list(csv.DictReader(open("phases.csv")))
low, high = [row for row in rows if row["settled"] == "1"]
print("saturations", low["saturation"], high["saturation"], "after", high["step"])
assert abs(float(low["reservoir_difference"]) - 4.8e-4) < 1e-9 and abs(float(high["reservoir_difference"]) - 14.4e-4) < 1e-9
assert float(low["saturation"]) > 0.45 and float(high["saturation"]) < 0.25, (low, high)
assert high is rows[-1]
PY
hash=$(value out/case/results.json state_hash)
checkpoint=$(find out/case -name 'checkpoint_*.h5' | sort | sed -n 2p)
cp "$checkpoint" between.h5
for how in "3" "2 --set parallel.processes=[2,1,1]" "1 --set node.emulated_gpus=1"; do
    # shellcheck disable=SC2086
    ok ${how%% *} run slit.cfg --quiet --overwrite $(cut -s -d ' ' -f 2- <<<"$how")
    cmp -s phases.csv out/case/phases.csv || fail "another phases.csv: $how"
    [[ $(value out/case/results.json state_hash) == "$hash" ]] || fail "other bits: $how"
done
ok 1 run slit.cfg --quiet --overwrite --restart between.h5 --set node.emulated_gpus=1
[[ $(value out/case/results.json state_hash) == "$hash" ]] || fail "other bits after a restart"
[[ $(tail -n 5 phases.csv) == "$(tail -n 5 out/case/phases.csv)" ]] || fail "other lines after a restart"

# A run that has become steady has nothing more to do; other pressures begin with the first.
ok 1 run slit.cfg --quiet --restart latest
[[ $(value out/case/results.json state_hash) == "$hash" ]] || fail "a steady run goes on"
cmp -s <(tail -n 5 phases.csv) <(tail -n 5 out/case/phases.csv) || fail "more lines of a steady run"
latest=$(find out/case -name 'checkpoint_*.h5' | sort | tail -n 1)
cp "$latest" drained.h5
rm -rf out
start 1 run slit.cfg --quiet --restart drained.h5 --change-physics --set porous.pressures.first=8e-4 --set porous.pressures.last=-2e-4 \
    --set steps=$((10#$(basename "$latest" .h5 | cut -d _ -f 2) + 500))
if ((code != 5)); then fail "code $code instead of 5: imbibition has only begun"; fi
[[ $(tail -n 1 out/case/phases.csv | cut -d , -f 8) == 0.0008* ]] || fail "other pressures do not begin with the first"

# Of the slit alone: all liquid at the start, and less of it than with the reservoir before it.
rm -rf out
ok 1 run slit.cfg --quiet --set steps=4000 --set porous.begin=12 --set porous.end=30 --set porous.tolerance=0.0 --set 'porous.pressures={}' \
    --set boundaries.z_low.pressure=4.8e-4
/usr/bin/env python3 - <<'PY' || fail "what is measured in a part"
import csv
rows = list(csv.DictReader(open("out/case/phases.csv")))
assert 0.9 < float(rows[-1]["saturation"]) < 1.001 and abs(float(rows[-1]["reservoir_difference"]) - 4.8e-4) < 1e-9, rows[-1]
assert float(list(csv.DictReader(open("phases.csv")))[7]["saturation"]) < 0.7
PY

# ---- bad input ----

rm -rf out
refuse 2 check slit.cfg --set porous.begin=30 --set porous.end=30 -- "porous.end"
refuse 2 check slit.cfg --set porous.begin=4 -- "porous.begin"
refuse 2 check slit.cfg --set porous.end=31 -- "porous.end"
refuse 2 check slit.cfg --set porous.tolerance=0.0 -- "porous.pressures.count" "porous.tolerance"
refuse 2 check slit.cfg --set porous.axis=x -- "boundaries.z_low.pressure"
refuse 2 check slit.cfg --set porous.axis=none -- "boundaries.z_low.pressure"
refuse 2 check slit.cfg --set boundaries.z_low.pressure=1e-4 -- "boundaries.z_low.pressure" "porous.pressures"
refuse 2 check slit.cfg --set porous.pressures.count=0 --set boundaries.z_low.pressure=1e-4 -- "porous.pressures.count"
refuse 2 check layers.cfg --set porous.pressures.count=2 -- "porous.pressures.first"
refuse 2 check layers.cfg --set 'porous.pressures={ first = 1e-4; last = 2e-4; count = 2; }' -- "porous.pressures.count" "boundaries.z_low.kind"
refuse 2 check layers.cfg --set porous.axis=none -- "porous.tolerance"
refuse 2 check layers.cfg --set 'porous={ interval = 50; }' -- "porous.interval"
refuse 2 check layers.cfg --set porous.axis=x -- "porous.axis" "boundaries.x_low.kind"
refuse 2 check layers.cfg --set two_fluids.force=[1e-6,0.0,0.0] --set two_fluids.gravity=[0.0,0.0,1e-6] -- "porous.permeability"
refuse 2 check layers.cfg --set monitor.steady=1e-6 -- "monitor.steady" "porous.tolerance"
refuse 2 check slit.cfg --set porous.pressures.count=1 -- "porous.pressures.count"
refuse 2 check slit.cfg --set porous.pressures.last=2.0 -- "porous.pressures.last" "time step"
refuse 2 check slit.cfg --set boundaries.z_high.pressure=-2.0 -- "boundaries.z_high.pressure"
refuse 2 check slit.cfg --set 'boundaries.z_high={ kind = "velocity"; velocity = [0.0, 0.0, 0.01]; }' -- "porous.pressures.count" "z_high"
refuse 2 check slit.cfg --set 'porous={}' --set 'boundaries={ z_low = { kind = "velocity"; velocity = [0.0, 0.0, 0.01]; fluid = "gas"; }; z_high = { kind = "velocity"; velocity = [0.0, 0.0, 0.01]; }; }' -- "boundaries.z_high.velocity" "solids"
warns '.*steps = 40 is too few' check slit.cfg --set steps=40
finish
