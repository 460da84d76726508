#!/usr/bin/env bash
# Weather: the same bits on any processes, hardware and restart, air at rest, a density current, bad input.
source "$2/tests/cli/common.bash"
left_behind=out/case/results.json

cat >case.cfg <<'CFG'
application = "weather";
name = "case";
steps = 12;
domain = { cells = [40, 12, 9]; spacing = 500.0; };
sounding = { kind = "stratified"; frequency = 0.01; };
levels = { thickness = 400.0; growth = 1.05; };
terrain = { kind = "bell"; height = 900.0; half_width = 2e3; center = [5e3, 0.0, 3e3]; };
relaxation = { width = [2e3, 2e3, 1e3]; };
weather = {
    coriolis = 1e-3;
    wind = [10.0, 0.0, -3.0]; diffusivity = 20.0;
    bubbles = ( { center = [7e3, 2e3, 2.4e3]; radius = [4e3, 1.5e3, 2e3]; amplitude = 3.0; },
                { center = [19.5e3, 4e3, 0.0]; radius = [3e3, 2e3, 0.0]; amplitude = -5.0; of = "temperature"; } );
};
monitor = { every = 4; };
output = { every = 6; picture = "z"; picture_at = 4; profiles = true; average = { every = 2; };
           quantities = "velocity_x, theta, mean_theta, heat"; probes = ({ name = "p"; cell = [3, 4, 5]; }); };
checkpoint = { every = 6; };
CFG
result() { value out/case/results.json "$1"; }

ok 1 run case.cfg --quiet
hash=$(result state_hash)
[[ $(head -n 1 out/case/monitor.csv) == step,time,density_lowest,*,velocity_x_lowest,*,courant,mass,residual ]] ||
    fail "monitor.csv's columns"
[[ $(head -n 1 out/case/probe_p.csv) == *,momentum_z,velocity_x,velocity_y,velocity_z,theta,pressure,height,temperature ]] ||
    fail "the probe's columns"
[[ -s out/case/theta_00000012.png && -s out/case/fields_00000012.hdf ]] || fail "no picture, or no fields"
cp out/case/monitor.csv monitor.csv
cp out/case/probe_p.csv probe.csv
/usr/bin/env python3 - monitor.csv <<'PY' || fail "mass, or winds that do not move"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
masses = [float(row["mass"]) for row in rows]
sys.exit(not (max(masses) / min(masses) - 1 < 1e-7 and float(rows[-1]["velocity_y_highest"]) > 0.5
              and 8 < float(rows[-1]["velocity_x_mean"]) < 11))
PY

for how in "3" "4 --set parallel.processes=[2,1,2]" "2 --set parallel.processes=[2,1,1] --set parallel.overlap=false" \
    "1 --set node.emulated_gpus=2 --set parallel.mode=hybrid" \
    "1 --set node.emulated_gpus=1 --set parallel.mode=heterogeneous"; do
    rm -r out
    # shellcheck disable=SC2086
    ok ${how%% *} run case.cfg --quiet $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$hash" ]] || fail "other bits: $how"
    cmp -s monitor.csv out/case/monitor.csv || fail "another monitor.csv: $how"
    cmp -s probe.csv out/case/probe_p.csv || fail "another probe: $how"
done

# Six steps, and six more from the checkpoint of them on other hardware.
rm -r out
ok 2 run case.cfg --quiet --set steps=6
ok 1 run case.cfg --quiet --restart latest --set node.emulated_gpus=1
[[ $(result state_hash) == "$hash" ]] || fail "other bits after a restart"

# Water: clouds in cold air, and rain from them; the same bits everywhere, water and dry air are kept.
cat >moist.cfg <<'CFG'
application = "weather";
name = "case";
steps = 24;
domain = { cells = [40, 12, 9]; spacing = 500.0; };
sounding = { kind = "weisman_klemp"; shear = 20.0; shear_depth = 2e3; };
levels = { thickness = 400.0; growth = 1.05; };
terrain = { kind = "bell"; height = 900.0; half_width = 2e3; center = [5e3, 0.0, 3e3]; };
weather = {
    microphysics = "kessler";
    wind = [-10.0, 0.0, 3.0]; diffusivity = 20.0; prandtl_number = 0.5;
    bubbles = ( { center = [7e3, 2e3, 2.4e3]; radius = [4e3, 1.9e3, 2e3]; amplitude = -16.0; },
                { center = [15e3, 1e3, 2.4e3]; radius = [2e3, 1e3, 2e3]; amplitude = 4.0; } );
};
monitor = { every = 12; };
output = { every = 0; quantities = "humidity"; probes = ({ name = "p"; cell = [14, 4, 5]; }); };
checkpoint = { every = 12; };
CFG
rm -r out
ok 1 run moist.cfg --quiet
moist=$(result state_hash)
cp out/case/monitor.csv monitor.csv
cp out/case/probe_p.csv probe.csv
[[ $(head -n 1 monitor.csv) == *,rain_on_ground_lowest,*,humidity_highest,*,courant,mass,water,rain_fallen,residual ]] ||
    fail "monitor.csv's columns"
for how in "3" "2 --set parallel.processes=[2,1,1] --set parallel.overlap=false" \
    "1 --set node.emulated_gpus=2 --set parallel.mode=hybrid" "1 --set node.emulated_gpus=1 --set parallel.mode=heterogeneous"; do
    rm -r out
    # shellcheck disable=SC2086
    ok ${how%% *} run moist.cfg --quiet $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$moist" ]] || fail "other bits with water: $how"
    cmp -s monitor.csv out/case/monitor.csv || fail "another monitor.csv with water: $how"
    cmp -s probe.csv out/case/probe_p.csv || fail "another probe with water: $how"
done
rm -r out
ok 2 run moist.cfg --quiet --set steps=12
ok 1 run moist.cfg --quiet --restart latest --set node.emulated_gpus=1
[[ $(result state_hash) == "$moist" ]] || fail "other bits with water after a restart"
rm -r out
ok 1 run moist.cfg --quiet --set weather.storage=f64 --set steps=36
/usr/bin/env python3 - <<'PY' || fail "water or dry air is lost, or there are no clouds and no rain"
import csv, json
rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open("out/case/monitor.csv"))]
r = json.load(open("out/case/results.json"))
water = [row["water"] + row["rain_fallen"] for row in rows]
assert max(water) / min(water) - 1 < 1e-12, water
assert max(row["mass"] for row in rows) / min(row["mass"] for row in rows) - 1 < 1e-13
assert rows[-1]["cloud_highest"] > 1e-4 and rows[-1]["rain_highest"] > 1e-4 and rows[-1]["rain_fallen"] > 1e3
assert rows[-1]["cloud_lowest"] == 0 and rows[-1]["rain_lowest"] == 0 and rows[-1]["humidity_lowest"] >= 0
PY

# Eddies: the same bits; the diffusivity (C d)^2 S of a sheared wind in neutral air, which speeds up the lowest level;
# none where air is so stable that N^2 > Pr S^2.
eddies=(--set 'weather.turbulence="smagorinsky"' --set weather.prandtl_number=0.4 --set weather.diffusivity=0.0)
rm -r out
ok 1 run moist.cfg --quiet "${eddies[@]}"
hash=$(result state_hash)
[[ $hash != "$moist" ]] || fail "eddies do nothing"
for how in "4 --set parallel.processes=[2,1,2]" "1 --set node.emulated_gpus=2 --set parallel.mode=hybrid"; do
    rm -r out
    # shellcheck disable=SC2086
    ok ${how%% *} run moist.cfg --quiet "${eddies[@]}" $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$hash" ]] || fail "other bits with eddies: $how"
done
for theta in 300 310; do
    rm -r out
    ok 1 run moist.cfg --quiet --set 'domain={ cells=[4, 16, 4]; spacing=100.0; }' --set 'levels={}' --set 'terrain={}' --set 'output={ every=0; picture="none"; }' \
        --set 'weather={ storage="f64"; time_step=1.0; turbulence="smagorinsky"; smagorinsky_constant=0.2; }' --set steps=5 \
        --set "sounding={ kind=\"table\"; table=({ height=0.0; theta=300.0; }, { height=2e3; theta=$theta.0; wind=[20.0, 0.0, 0.0]; }); }"
    lowest=$(result velocity_x_lowest)
    if ((theta == 300)); then /usr/bin/env python3 -c "assert abs($lowest - 0.5 - 4 * 0.01 * 5 / 100) < 2e-5" || fail "eddies in a sheared wind: $lowest"; fi
done
[[ $lowest == 0.5 && $(result velocity_x_highest) == 15.5 ]] || fail "eddies in stable air: $lowest"

# Rain takes the momentum along that it has where it falls: the wind of a column stays.
rm -r out
ok 1 run moist.cfg --quiet --set 'domain={ cells=[3, 12, 1]; spacing=500.0; }' --set 'terrain={}' --set 'output={ every=0; picture="none"; }' --set steps=100 \
    --set 'sounding={ kind="weisman_klemp"; }' --set 'weather={ microphysics="kessler"; storage="f64"; wind=[10.0, 0.0, -3.0]; bubbles=({ center=[0.0, 2e3, 0.0]; radius=[0.0, 2e3, 0.0]; amplitude=-30.0; }); }'
/usr/bin/env python3 - <<'PY' || fail "the wind of a column in which rain falls"
import json
r = json.load(open("out/case/results.json"))
assert r["rain_on_ground_highest"] > 1, r["rain_on_ground_highest"]
for name, wind in (("velocity_x", 10), ("velocity_z", -3)):
    assert abs(r[name + "_lowest"] - wind) < 1e-12 * 10 and abs(r[name + "_highest"] - wind) < 1e-12 * 10, (r[name + "_lowest"], r[name + "_highest"])
PY

# A bubble in a fast wind rises as in a calm.
for wind in "0 1.2" "60 2.0" "100 1.2"; do
    rm -r out
    ok 1 run "$2/input/warm_bubble.cfg" --quiet --set 'domain={ cells=[100, 50, 1]; spacing=200.0; }' --set 'output={ every=0; picture="none"; directory="out"; }' \
        --set "weather.wind=[${wind% *}.0, 0.0, 0.0]" --set "weather.time_step=${wind#* }" --set monitor.every=50 \
        --set "steps=$(/usr/bin/env python3 -c "print(round(600 / ${wind#* }))")"
    highest=$(value out/results.json velocity_y_highest)
    [[ ${wind% *} == 0 ]] && calm=$highest
    /usr/bin/env python3 -c "assert abs($highest / $calm - 1) < 0.08" || fail "a bubble in a wind of ${wind% *} m/s: $highest, $calm"
done

# Air with the same share of vapour everywhere keeps it, whatever the wind; at rest it stays at rest, exactly.
dry='sounding={ kind="table"; table=({ height=0.0; theta=290.0; vapour=1e-3; }, { height=8e3; theta=330.0; vapour=1e-3; wind=[20.0, 0.0, 0.0]; }); }'
rm -r out
ok 1 run moist.cfg --quiet --set "$dry" --set weather.storage=f64 --set weather.diffusivity=0.0
/usr/bin/env python3 - <<'PY' || fail "shares of vapour"
import json
r = json.load(open("out/case/results.json"))
assert r["velocity_y_highest"] > 2
assert abs(r["humidity_lowest"] - 1e-3) < 1e-15 and abs(r["humidity_highest"] - 1e-3) < 1e-15, r
PY
for type in f32 f64; do
    rm -r out
    mixing=$([[ $type == f32 ]] && echo "diffusivity=20.0" || echo "turbulence=\"smagorinsky\"")
    ok 1 run moist.cfg --quiet --set 'sounding={ kind="weisman_klemp"; }' \
        --set "weather={ microphysics=\"kessler\"; storage=\"$type\"; $mixing; }"
    for name in velocity_x velocity_y velocity_z pressure cloud rain; do
        [[ $(result ${name}_lowest) == 0 && $(result ${name}_highest) == 0 ]] || fail "moist air at rest moves: $type"
    done
done

# Ground from a file; the run does not go on over other ground.
png() {
    /usr/bin/env python3 - "$1" <<'PY'
import struct, sys, zlib
chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
lines = b"".join(b"\0" + bytes((x + z) % 7 * int(sys.argv[1]) for x in range(40)) for z in range(9))
open("ground.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 40, 9, 8, 0, 0, 0, 0)) +
                               chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))
PY
}
rm -rf out
ground=(--quiet --set 'terrain={ kind="file"; file="ground.png"; scale=10.0; }')
png 3
ok 1 run case.cfg "${ground[@]}" --set steps=6
[[ $(result height_highest) == 6[0-9]* ]] || fail "the ground's heights"
png 4
start 1 run case.cfg "${ground[@]}" --restart latest
((code == 2)) || fail "code $code instead of 2 over other ground"
says "terrain.file"

# What the Coriolis force does to a wind over flat ground: it turns, against the one to which it is in balance.
rm -rf out
flat=(--set 'domain.cells=[4, 8, 4]' --set 'terrain={}' --set relaxation.width=[0.0,0.0,0.0] --set 'output={ every=0; picture="none"; }')
ok 1 run case.cfg --quiet "${flat[@]}" --set steps=6 --set 'weather={ storage="f64"; coriolis=1e-3; time_step=5.0; wind=[10.0, 0.0, 0.0]; }'
ok 1 run case.cfg --quiet "${flat[@]}" --set steps=16 --restart latest --change-physics \
    --set 'weather={ storage="f64"; coriolis=1e-3; time_step=5.0; wind=[0.0, 0.0, 0.0]; }'
near() { /usr/bin/env python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - b) > 1e-4)' "$@"; }
near "$(result velocity_x_mean)" 9.987503 && near "$(result velocity_z_mean)" 0.499792 || fail "a wind that turns" # 10 cos, sin 0.05

# What the ground does to a neutral column in 100 s: its drag slows the lowest level to u / (1 + c u t / thickness);
# heat and vapour are those of the fluxes.
for surface in drag=0.01 "heat_flux=200.0; moisture_flux=1e-3"; do
    rm -rf out
    ok 1 run case.cfg --quiet "${flat[@]}" --set 'levels={}' --set 'sounding={}' --set steps=20 --set "surface={ $surface; }" \
        --set 'weather={ storage="f64"; time_step=5.0; wind=[10.0, 0.0, 0.0]; microphysics="kessler"; }'
    [[ $surface == drag* ]] && slowed=$(result velocity_x_lowest)
done
near "$slowed" 9.803922 || fail "drag of the ground: $slowed" # 10 / 1.02
/usr/bin/env python3 - <<'PY' || fail "heat or vapour from the ground"
import csv, json
r = json.load(open("out/case/results.json"))
row = list(csv.DictReader(open("out/case/monitor.csv")))[-1]
exner = 1 - 9.81 * 250 / (1004 * 300)
assert abs(float(row["water"]) / (1e-3 * 100 * 4e6) - 1) < 1e-12
heat = r["heat_mean"] * 8 * 500 - 461.5 / 287 * 1e-3 * 100 * 300
assert abs(heat / (200 * 100 / (1004 * exner)) - 1) < 1e-3, heat
assert abs(r["temperature_highest"] - 300 * exner) < 0.1
PY

# Air at rest stays at rest, exactly.
for how in neutral,f32 isothermal,f64 stratified,f32; do
    rm -r out
    more=()
    if [[ $how != stratified* ]]; then more=(--set 'sounding={ kind="'"${how%,*}"'"; }'); fi
    ok 1 run case.cfg --quiet --set 'weather={ storage="'"${how#*,}"'"; }' "${more[@]}"
    for name in velocity_x velocity_y velocity_z theta pressure; do
        [[ $(result ${name}_lowest) == 0 && $(result ${name}_highest) == 0 ]] || fail "air at rest moves: $how"
    done
done

# Air 5 K warmer than the base, at rest over a hill of 1000 m: what moves after 1200 s is an error of the pressure gradient.
fastest=()
for grid in "[120, 30, 1] 2000.0 25.0 48 667.0" "[240, 60, 1] 1000.0 12.5 96 333.5"; do
    rm -r out
    read -r x y z spacing step steps thickness <<<"$grid"
    ok 1 run case.cfg --quiet --set domain.cells="$x $y $z" --set domain.spacing="$spacing" --set "weather={ time_step=$step; }" \
        --set steps="$steps" --set "levels={ thickness=$thickness; }" --set relaxation.width=[0.0,0.0,0.0] \
        --set 'terrain={ kind="ridge"; height=1000.0; half_width=10e3; }' \
        --set 'sounding={ kind="isothermal"; theta=250.0; warmer=5.0; }' --set 'output={ every=0; picture="none"; }'
    fastest+=("$(result velocity_y_lowest)")
done
/usr/bin/env python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(not (-0.1 < a < 0 and 0 < b / a < 0.6))' "${fastest[@]}" ||
    fail "warmer air over a hill: ${fastest[*]}"

# A density current on a coarse grid: where its front and what its extremes are (docs/validation.md), mirror images,
# and its mass.
rm -r out
ok 1 run "$2/input/density_current.cfg" --quiet --set 'output={ every=0; picture="none"; directory="out"; profiles=true; }' \
    --set 'domain.cells=[256, 32, 1]' --set domain.spacing=200.0 --set weather.time_step=2.0 --set steps=450 \
    --set weather.storage=f64 --set monitor.every=225
/usr/bin/env python3 - <<'PY' || fail "the density current"
import csv, json, sys
r = json.load(open("out/results.json"))
rows = list(csv.DictReader(open("out/monitor.csv")))
sys.exit(not (-11.5 < r["theta_lowest"] < -8.5 and 33 < r["velocity_x_highest"] < 37
              and r["velocity_x_lowest"] == -r["velocity_x_highest"]
              and abs(float(rows[-1]["mass"]) / float(rows[0]["mass"]) - 1) < 1e-13))
PY

# Steep ground: sound along its levels goes up, too, and the time step that is chosen knows.
rm -rf out
ok 1 run case.cfg --quiet --set 'terrain={ kind="ridge"; height=1500.0; half_width=1.2e3; }' --set 'levels={ thickness=60.0; growth=1.2; }' \
    --set 'domain.cells=[40, 24, 1]' --set relaxation.width=[0.0,0.0,0.0] --set 'weather={ wind=[5.0, 0.0, 0.0]; }' --set steps=120 --set 'output={ every=0; picture="none"; }'

# Winds that become too fast for the time step.
rm -rf out
start 1 run case.cfg --quiet --set 'weather={ time_step=40.0; substeps=64; bubbles=({ center=[7e3, 2e3, 2.4e3]; radius=[4e3, 2e3, 2e3]; amplitude=95.0; }); }' \
    --set steps=400
((code == 3)) || fail "code $code instead of 3"
says "is broken in cell" "weather.time_step" "courant"
rm -rf out

left_behind=out
check() { refuse 2 check case.cfg "$@"; }
check --set parallel.processes=[1,2,1] -- "parallel.processes" "y axis"
check --set 'domain.cells=[40, 7, 9]' -- "domain.cells" "levels"
check --set 'domain.cells=[40, 12, 2]' -- "domain.cells" "along z"
check --set weather.substeps=7 -- "weather.substeps" "even"
check --set weather.time_step=20.0 -- "weather.time_step" "sound" "weather.substeps = "
check --set weather.time_step=20.0 --set weather.substeps=64 --set weather.wind=[40.0,0.0,0.0] -- "weather.time_step" "wind"
check --set weather.wind=[0.0,1.0,0.0] -- "weather.wind" "up"
check --set 'weather.bubbles[1].amplitude=-99.0' --set 'weather.bubbles[1].center=[9e3, 5e3, 0.0]' --set 'weather.bubbles[0].amplitude=-99.0' -- "weather.bubbles" "add up"
check --set weather.substeps=4 -- "weather.substeps"
check --set weather.damping=0.0 -- "weather.damping"
check --set weather.time_step=6.9 --set weather.damping=0.5 -- "weather.time_step" "sound"
check --set weather.off_centring=-0.1 -- "weather.off_centring"
check --set weather.diffusivity=1e5 --set weather.time_step=1.0 -- "weather.diffusivity" "unstable"
check --set 'sounding={ kind="neutral"; frequency=0.01; }' -- "sounding.frequency" "stratified"
check --set 'sounding={ kind="stratified"; }' -- "sounding.frequency" "missing"
check --set 'weather.turbulence="smagorinsky"' -- "weather.diffusivity" "weather.turbulence"
check --set 'weather={ prandtl_number=0.5; }' -- "weather.prandtl_number" "weather.turbulence"
check --set 'weather.bubbles[1].center=[19.5, 90e3, 0.0]' --set 'terrain={}' -- "weather.bubbles[1]" "no cell"
check --set weather.smagorinsky_constant=0.1 -- "weather.smagorinsky_constant" "weather.turbulence"
check --set surface.moisture_flux=1e-4 -- "surface.moisture_flux" "kessler"
check --set surface.drag=0.1 --set 'weather.bubbles=()' --set weather.time_step=3.0 --set weather.diffusivity=0.0 --set levels.thickness=3.0 --set 'domain.cells=[40, 60, 9]' --set 'terrain={}' --set 'relaxation={}' -- "surface.drag" "unstable"
check --set surface.drag=-1.0 -- "surface.drag"
check --set 'sounding={ kind="weisman_klemp"; }' -- "weather.microphysics" "kessler"
check --set 'sounding={ kind="neutral"; vapour=0.01; }' -- "sounding.vapour" "weisman_klemp"
check --set 'sounding={ kind="neutral"; shear_depth=1e3; }' -- "sounding.shear_depth" "sounding.shear"
check --set 'sounding={ kind="table"; }' -- "sounding.table" "missing"
table() { check --set weather.microphysics=kessler --set "sounding={ kind=\"table\"; table=($1); }" -- "${@:2}"; }
table '{ height=0.0; theta=300.0; }' "sounding.table" "2"
table '{ height=10.0; theta=300.0; }, { height=9e3; theta=320.0; }' "sounding.table[0].height" "0"
table '{ height=0.0; theta=300.0; }, { height=0.0; theta=310.0; }, { height=9e3; theta=320.0; }' "sounding.table[1].height"
table '{ height=0.0; theta=300.0; }, { height=5e3; theta=320.0; }' "sounding.table[1].height" "lid"
table '{ height=0.0; theta=300.0; wind=[0.0, 1.0, 0.0]; }, { height=9e3; theta=320.0; }' "sounding.table[0].wind" "up"
table '{ height=0.0; theta=300.0; vapour=0.03; }, { height=9e3; theta=320.0; }' "sounding.table" "supersaturated"
check --set 'sounding={ kind="table"; theta=300.0; table=({ height=0.0; theta=300.0; }, { height=9e3; theta=320.0; }); }' -- "sounding.theta" "table"
check --set 'domain.cells=[40, 70, 9]' --set 'sounding={ kind="neutral"; }' -- "sounding.kind" "no air"
check --set 'weather.bubbles[0].radius=[1.0, -1.0, 1.0]' -- "weather.bubbles[0].radius"
check --set 'weather.bubbles[1].amplitude=-200.0' -- "weather.bubbles[1].amplitude"
check --set terrain.height=3000.0 --set terrain.half_width=1000.0 -- "terrain.height" "slopes"
check --set terrain.height=6000.0 --set terrain.half_width=20e3 -- "terrain.height" "relaxation zone"
check --set 'terrain={ kind="ridge"; height=100.0; }' -- "terrain.kind" "terrain.half_width"
check --set 'terrain={ height=100.0; }' -- "terrain.height" "flat"
check --set terrain.wave_length=1e3 -- "terrain.wave_length" "bell"
check --set terrain.half_width=400.0 -- "terrain.half_width" "domain.spacing"
check --set terrain.center=[50e3,0.0,0.0] -- "terrain.center" "outside"
check --set weather.bubbles[0].center=[50e3,0.0,0.0] -- "weather.bubbles[0].center" "outside"
check --set sounding.pressure=1013.0 -- "sounding.pressure"
check --set 'terrain={ kind="file"; file="nothing.png"; }' -- "terrain.file" "nothing.png"
check --set levels.growth=2.0 -- "levels.growth" "high"
check --set relaxation.width=[11e3,0.0,0.0] -- "relaxation.width" "along x"
check --set relaxation.width=[0.0,11e3,0.0] -- "relaxation.width" "along y"
check --set relaxation.width=[0.0,0.0,1.0] -- "relaxation.width" "along z"
check --set 'sounding={ kind="isothermal"; shear=10.0; shear_depth=10.0; }' -- "sounding.shear_depth" "levels"
check --set 'sounding={ kind="weisman_klemp"; warmer=5.0; }' -- "sounding.warmer" "isothermal"
check --set 'sounding.warmer=5.0' --set 'relaxation={ width=[5e3,0.0,0.0]; }' -- "sounding.warmer" "relaxation.width"
check --set terrain.scale=2.0 -- "terrain.scale" "file"
check --set levels.growth=0.5 --set 'domain.cells=[40, 80, 9]' -- "levels.growth" "thin"
check --set 'sounding={ kind="neutral"; }' --set levels.growth=1.38 --set terrain.height=100.0 -- "sounding.kind" "no air"
check --set relaxation.rate=[0.0,-1.0,0.0] -- "relaxation.rate"
check --set relaxation.rate=[0.2,0.2,0.2] --set weather.time_step=3.0 -- "relaxation.rate" "unstable"
refuse 2 run case.cfg --set node.emulated_gpus=1 --set parallel.residency=streamed -- "parallel.residency" "loops"
finish
