#!/usr/bin/env bash
# Dendrites: the same bits on any processes, hardware and restart, the tip and the picture, bad input.
source "$2/tests/cli/common.bash"
left_behind=out/case/results.json

cat >case.cfg <<'CFG'
application = "dendrite";
name = "case";
steps = 300;
domain = { cells = [36, 34, 30]; spacing = 20e-9; };
dendrite = {
    interface_width = 80e-9; undercooling = 0.7; noise = 0.02;
    nuclei = ( { center = [0.0, 0.0, 0.0]; radius = 160e-9; },
               { center = [700e-9, 600e-9, 500e-9]; radius = 80e-9; } );
};
boundaries = { y_high = { kind = "fixed"; temperature = 1400.0; }; };
monitor = { every = 100; };
output = { picture = "z"; };
checkpoint = { every = 100; };
CFG
result() { value out/case/results.json "$1"; }

ok 1 run case.cfg --quiet
hash=$(result state_hash)
[[ $(head -n 1 out/case/monitor.csv) == step,time,phi_lowest,*,tip_position,tip_velocity,tip_radius,residual ]] ||
    fail "monitor.csv's columns"
[[ -s out/case/phi_00000300.png ]] || fail "no picture"
cp out/case/monitor.csv monitor.csv
tail -n 1 monitor.csv | awk -F, '$3 < 0 || $4 > 1 || $5 <= 0 { exit 1 }' || fail "phi is not between 0 and 1"
# The nucleus grows; the wall is colder than the melt, which was at 1424.5 K, and the solid below melting.
awk -F, 'NR == 3 { before = $11 } NR == 4 { grows = $11 > before && before > 160e-9 && $12 > 0 && $13 > 0 }
    END { exit !grows }' monitor.csv || fail "the tip does not move"
tail -n 1 monitor.csv | awk -F, '$7 < 1400 || $7 > 1424 || $8 > 1728 { exit 1 }' || fail "temperatures"

for how in "3" "4 --set parallel.processes=[2,2,1]" "1 --set node.emulated_gpus=2 --set parallel.mode=hybrid" \
    "2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous --set parallel.overlap=false"; do
    rm -r out
    # shellcheck disable=SC2086
    ok ${how%% *} run case.cfg --quiet $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$hash" ]] || fail "other bits: $how"
    cmp -s monitor.csv out/case/monitor.csv || fail "another monitor.csv: $how"
done

# In two dimensions, where no memory lies beside the third axis.
flat=(--quiet --set 'domain.cells=[36,34,1]' --set 'dendrite.nuclei[1].center=[7e-7, 6e-7, 0.0]')
rm -r out
ok 1 run case.cfg "${flat[@]}"
plane=$(result state_hash)
for how in "4 --set parallel.processes=[2,2,1]" "1 --set node.emulated_gpus=1" \
    "2 --set node.emulated_gpus=2 --set parallel.processes=[2,1,1]"; do
    rm -r out
    # shellcheck disable=SC2086
    ok ${how%% *} run case.cfg "${flat[@]}" $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$plane" ]] || fail "other bits in two dimensions: $how"
done

# A tip near a face, less than the heat ahead of it reaches.
rm -r out
ok 1 run case.cfg "${flat[@]}"
if grep -q "diffusion length" err.txt; then fail "warned of a tip far from the face"; fi
rm -r out
ok 1 run case.cfg --quiet --set 'domain.cells=[22,34,1]' --set 'dendrite.nuclei=({ center = [0.0, 0.0, 0.0]; radius = 160e-9; })'
says "domain.cells=[22,34,1]: the tip ends" "within the diffusion length"

# Noise goes on with the steps of the run, and the tip's velocity is between two lines of monitor.csv.
rm -r out
ok 2 run case.cfg --quiet --set checkpoint.every=150 --set steps=150 --set output.every=50
cp out/case/checkpoint_00000150.h5 half.h5
ok 1 run case.cfg --quiet --restart latest
[[ $(result state_hash) == "$hash" ]] || fail "other bits after a restart"
speed=$(result tip_velocity)
ok 1 run case.cfg --quiet --restart latest
[[ $speed != null && $(result tip_velocity) == "$speed" ]] || fail "a restart without steps changes tip_velocity, $speed"
grep -v '^150,' out/case/monitor.csv | cut -d, -f1-13 | cmp -s - <(cut -d, -f1-13 monitor.csv) ||
    fail "another monitor.csv after a restart"
refuse 2 run case.cfg --restart half.h5 --change-physics --set dendrite.undercooling=0.6 -- "dendrite.undercooling"
rm -r out
ok 1 run case.cfg --quiet --set dendrite.noise_seed=1
[[ $(result state_hash) != "$hash" ]] || fail "another seed gives the same noise"
# An interface that its surface energy does not hold together.
if grep -q "the interface has become" err.txt; then fail "warned of an interface of the right width"; fi
rm -r out
ok 1 run case.cfg --quiet --set dendrite.surface_energy=0.01 --set steps=1000 --set 'domain.cells=[64,64,1]' \
    --set 'dendrite.nuclei=({ center = [0.0, 0.0, 0.0]; radius = 160e-9; })'
says "case.cfg:6: the interface has become"

# A crystal that has not grown beyond its ball; what kinetics allow.
rm -r out
ok 1 run case.cfg --quiet --set steps=60 --set monitor.every=20 --set dendrite.anisotropy=0.005 --set dendrite.noise=0.0 --set 'domain.cells=[64,64,64]' --set \
    'boundaries.y_high={ kind = "mirror"; }' --set 'dendrite.nuclei=({ center = [0.0, 0.0, 0.0]; radius = 400e-9; })'
says "the crystal is still round"
ok 1 check case.cfg --set dendrite.anisotropy=0.005
says "by kinetics" "not resolved" "extrapolated"

# A crystal turned by a right angle is the same crystal; by another one it is not.
rm -r out
ok 1 run case.cfg --quiet --set dendrite.storage=f64 --set dendrite.noise=0 --set steps=100
straight=$(result tip_position)
rm -r out
ok 1 run case.cfg --quiet --set dendrite.storage=f64 --set dendrite.noise=0 --set steps=100 \
    --set 'dendrite.orientation=[90.0, 90.0, 0.0]'
awk -v a="$straight" -v b="$(result tip_position)" 'BEGIN { exit !(a - b < 1e-9 * a && b - a < 1e-9 * a) }' ||
    fail "a right angle changes the crystal"
rm -r out
ok 1 run case.cfg --quiet --set dendrite.storage=f64 --set dendrite.noise=0 --set steps=100 \
    --set 'dendrite.orientation=[30.0, 0.0, 0.0]'
awk -v a="$straight" -v b="$(result tip_position)" 'BEGIN { exit !(b < 0.999 * a) }' ||
    fail "a crystal turned by 30 degrees grows along x as if it were not"
[[ $(result tip_radius) == null ]] || fail "a tip's radius where no tip grows along x"

# An alloy: two sweeps, with an exchange between them.
alloy=(--quiet --set dendrite.model=alloy --set dendrite.capillary_length=2e-8 --set dendrite.diffusivity=1e-9
    --set dendrite.interface_width=4e-8 --set dendrite.partition_coefficient=0.2 --set steps=200)
sed 's/ temperature = 1400.0;//' case.cfg >alloy.cfg
rm -r out
ok 1 run alloy.cfg "${alloy[@]}"
mixed=$(result state_hash)
awk -F, '$7 <= 0.05 || $8 >= 1.1 || $7 >= $8 { bad = NR > 1 } END { exit bad }' out/case/monitor.csv || fail "concentrations"
for how in "4 --set parallel.processes=[2,2,1]" "2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous"; do
    rm -r out
    # shellcheck disable=SC2086
    ok ${how%% *} run alloy.cfg "${alloy[@]}" $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$mixed" ]] || fail "other bits of an alloy: $how"
done
mv out/case/checkpoint_00000100.h5 .
rm -r out
ok 2 run alloy.cfg "${alloy[@]}" --restart checkpoint_00000100.h5
[[ $(result state_hash) == "$mixed" ]] || fail "other bits of an alloy after a restart"
refuse 2 check alloy.cfg "${alloy[@]}" --set dendrite.latent_heat=1e9 -- "dendrite.latent_heat"
refuse 2 check alloy.cfg "${alloy[@]}" --set dendrite.undercooling=1.3 -- "dendrite.undercooling" "1.25"
refuse 2 check alloy.cfg "${alloy[@]}" --set dendrite.partition_coefficient=1.0 -- "dendrite.partition_coefficient"
refuse 2 check alloy.cfg "${alloy[@]}" --set boundaries.y_high.temperature=1.0 -- "boundaries.y_high.temperature"
refuse 2 check case.cfg --set dendrite.partition_coefficient=0.2 -- "dendrite.partition_coefficient"

karma=(--set dendrite.model=karma_rappel --set dendrite.capillary_length=2e-8 --set dendrite.diffusivity=1.55e-5
    --set boundaries.y_high.temperature=-0.5)
ok 1 check case.cfg "${karma[@]}"
refuse 2 check case.cfg "${karma[@]}" --set boundaries.y_high.temperature=1400 -- "boundaries.y_high.temperature"
refuse 2 check case.cfg "${karma[@]}" --set dendrite.latent_heat=1e9 -- "dendrite.latent_heat"
refuse 2 check case.cfg "${karma[@]:0:4}" -- "dendrite.diffusivity"
refuse 2 check case.cfg --set dendrite.model=karma_rappel --set dendrite.diffusivity=1.55e-5 -- "dendrite.capillary_length"
refuse 2 check case.cfg --set dendrite.capillary_length=1e-8 -- "dendrite.capillary_length"
sed 's/interface_width = 80e-9/interface_width = 50e-9/' case.cfg >thin.cfg
refuse 2 check thin.cfg -- "thin.cfg:6" "dendrite.interface_width" "6e-08"
ok 1 check thin.cfg --set dendrite.interface_width=6e-8
refuse 2 check case.cfg --set dendrite.time_step=1e-11 -- "dendrite.time_step" "4.30"
refuse 2 check case.cfg --set dendrite.undercooling=0 -- "dendrite.undercooling"
refuse 2 check case.cfg --set 'dendrite.nuclei[1].center=[9e-7, 0.0, 0.0]' -- "dendrite.nuclei[1].center"
refuse 2 check case.cfg --set 'dendrite.nuclei=()' -- "dendrite.nuclei"
refuse 2 check case.cfg --set dendrite.nuclei[0].radius=12 -- "dendrite.nuclei[0].radius"
refuse 2 check case.cfg --set dendrite.nuclei[0].radius=12e-9 -- "dendrite.nuclei[0].radius"
refuse 2 check case.cfg --set dendrite.random_nuclei.radius=1e-7 -- "dendrite.random_nuclei.radius"
refuse 2 check case.cfg --set dendrite.random_nuclei.radius=12 --set dendrite.random_nuclei.count=1 \
    -- "dendrite.random_nuclei.radius"
refuse 2 check case.cfg --set dendrite.noise=0 --set dendrite.noise_seed=1 -- "dendrite.noise_seed"
refuse 2 check case.cfg --set boundaries.y_high.temperature=-5 -- "boundaries.y_high.temperature"
refuse 2 check case.cfg --set dendrite.interface_width=80 -- "dendrite.interface_width"
refuse 2 check case.cfg --set dendrite.undercooling=7 -- "dendrite.undercooling"
refuse 2 check case.cfg --set boundaries.x_low.kind=periodic -- "boundaries.x_low.kind"
refuse 2 check case.cfg --set boundaries.x_low.temperature=1500 -- "boundaries.x_low.temperature"
# What is warned of, with its place, before and after the run.
warns() { # KEY ARGUMENT...
    ok 1 "${@:2}"
    grep -q "^warning: \(--set \|case.cfg:[0-9]*: \).*$1" err.txt out.txt || fail "no warning of $1: ${*:2}"
}
ok 1 check case.cfg
if grep -q ^warning err.txt out.txt; then fail "case.cfg is warned of"; fi
says "303.5"
warns dendrite.anisotropy check case.cfg --set dendrite.anisotropy=0.08
warns 'dendrite.nuclei\[1\].radius' check case.cfg --set dendrite.nuclei[1].radius=70e-9
warns 'dendrite.nuclei\[0\].center' check case.cfg --set 'dendrite.nuclei[0].center=[7.2e-7, 0.0, 0.0]'
warns dendrite.undercooling check case.cfg --set dendrite.undercooling=1.1
ok 1 check case.cfg --set dendrite.undercooling=1.1 --set domain.cells=[36,1,1] --set 'dendrite.nuclei[1].center=[0.0, 0.0, 0.0]'
if grep -q ^warning err.txt out.txt; then fail "a flat front is warned of"; fi
warns solid run case.cfg --quiet --set dendrite.nuclei[0].radius=7e-7 --set steps=0
says "case.cfg:7: "
warns resolved run case.cfg --quiet --overwrite --set dendrite.nuclei[0].radius=1e-7 --set dendrite.anisotropy=0.06
warns melted run case.cfg --quiet --overwrite --set dendrite.undercooling=0.01 --set boundaries.y_high.temperature=3000 \
    --set domain.cells=[16,16,16] --set 'dendrite.nuclei=( { center = [1.5e-7, 1.5e-7, 1.5e-7]; radius = 80e-9; } )' --set steps=1500
finish
