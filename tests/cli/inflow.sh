#!/usr/bin/env bash
# Wind profiles, turbulence, sponges, ramps: the velocity of each level of cells, the same bits on all that a run can run on and after a
# restart, what is refused. (tests/conformance/test_physics.c measures what sponges reflect.)
source "$2/tests/cli/common.bash"
left_behind=out/wind/results.json
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
if ! "$python" -c 'import h5py' 2>/dev/null; then exit 77; fi

cat >wind.cfg <<'CFG'
name = "wind";
steps = 24;
domain = { cells = [40, 20, 18]; };
lbm = { tau = 0.6; };
boundaries = {
    x_low = {
        kind = "velocity"; velocity = [0.05, 0.0, 0.0];
        profile = { kind = "logarithmic"; height = 10.0; roughness = 0.1; displacement = 1.2; };
    };
    x_high = { kind = "pressure"; sponge = { width = 12; }; };
    y_low  = { kind = "no_slip"; };
    y_high = { kind = "free_slip"; };
};
geometry = { objects = ( { shape = "box"; low = [9.0, 0.0, 5.0]; high = [14.0, 6.0, 11.0]; } ); };
initial = { kind = "profile"; };
output = { precision = "f64"; };
checkpoint = { every = 8; };
monitor = { every = 8; };
CFG
result() { value out/wind/results.json "$1"; }

# ---- velocities ----

# velocities FILE AXIS HEIGHTS TOLERANCE FORMULA: the velocity of the cells outside the obstacle, along AXIS.
cat >velocities.py <<'PYTHON'
import sys, h5py, numpy
from math import log
file, axis, heights, tolerance, formula = sys.argv[1], *map(int, sys.argv[2:4]), float(sys.argv[4]), sys.argv[5]
with h5py.File(file) as fields:
    velocity = fields["VTKHDF/PointData/velocity"][:]
    fluid = fields["VTKHDF/PointData/solid"][:] == 0
at = numpy.moveaxis(numpy.indices(fluid.shape), 0, -1)[..., 2 - heights] + 0.5
expected = numpy.vectorize(lambda y: eval(formula))(at)
worst = abs(velocity[..., axis] - expected)[fluid].max()
others = [abs(velocity[..., d])[fluid].max() for d in range(3) if d != axis]
assert worst <= tolerance and max(others) <= tolerance, (worst, others)
PYTHON
# begins_with AXIS HEIGHTS TOLERANCE FORMULA OPTION...: the initial state.
begins_with() {
    rm -rf out
    ok 1 run wind.cfg --quiet --set steps=0 "${@:5}"
    "$python" velocities.py out/wind/fields_00000000.hdf "${@:1:4}" >out.txt 2>err.txt || fail "another profile: $*"
}
printf '# measured\nheight, factor\n2, 0.4\n6.5,1.0\n\n12, 1.5\n' >table.csv
begins_with 0 1 1e-13 '0.05 * log((y - 1.2) / 0.1) / log(8.8 / 0.1) if y > 1.3 else 0.0'
grep -q 'inflow     x_low: logarithmic along y, from 0 in' out/wind/run.log || fail "no line about the inflow"
sed 's/profile = {.*/profile = { kind = "power"; height = 8.0; exponent = 0.27; };/' wind.cfg >power.cfg
sed 's/profile = {.*/profile = { kind = "table"; file = "table.csv"; };/' wind.cfg >table.cfg
mv wind.cfg log.cfg
cp power.cfg wind.cfg
begins_with 0 1 1e-13 '0.05 * (y / 8) ** 0.27'
sed -e 's/kind = "power";.*;/kind = "parabolic"; };/' -e 's/free_slip/no_slip/' power.cfg >wind.cfg
begins_with 0 1 1e-13 '0.05 * 4 * y * (20 - y) / 400'
cp table.cfg wind.cfg
begins_with 0 1 1e-13 '0.05 * numpy.interp(y, [2, 6.5, 12], [0.4, 1, 1.5])'

# Along other axes; levels that are more than there are conditions share them.
sed -e 's/x_low/z_low/; s/x_high/z_high/; s/y_low/x_low/; s/y_high/x_high/; s/\[0.05, 0.0, 0.0\]/[0.0, 0.0, 0.05]/' \
    -e 's/kind = "power";/& up = "x";/; s/width = 12/width = 6/' power.cfg >wind.cfg
begins_with 2 0 1e-13 '0.05 * (y / 8) ** 0.27'
cp power.cfg wind.cfg
begins_with 0 1 4e-4 '0.05 * (y / 8) ** 0.27' --set domain.cells=[40,600,12]
grep -q '600 levels share' out/wind/run.log || fail "no line about shared levels"

# A linear profile between plates is a steady flow, which goes on through the face and the sponge. At the inlet, links take
# the velocity of the level that they come from, half a level from where they cross the face.
sed -e 's/profile = {.*/profile = { kind = "power"; height = 20.0; exponent = 1.0; };/' \
    -e 's/y_high = .*/y_high = { kind = "moving_wall"; velocity = [0.05, 0.0, 0.0]; };/; /^geometry/d; /kind = "pressure"/d' power.cfg >wind.cfg
sed -i 's/^    y_low /    x_high = { kind = "pressure_normal"; sponge = { width = 12; }; };\n&/' wind.cfg
rm -rf out
ok 1 run wind.cfg --quiet --set steps=2000 --set checkpoint.every=0 --set 'output.quantities="velocity, solid"'
"$python" velocities.py out/wind/fields_00002000.hdf 0 1 1e-3 '0.05 * y / 20' >out.txt 2>err.txt || fail "the flow between plates is not linear"

# ---- turbulence ----

# Behind the layers each component fluctuates about as it should, and the mean flow stays as it is. The slowest waves take
# longer than the mean over time, which therefore has a part of them: both parts are counted.
cat >gust.cfg <<'CFG'
name = "wind";
steps = 2400;
domain = { cells = [64, 32, 32]; };
lbm = { collision = "recursive_regularized"; streaming = "moments"; viscosity = 1e-4; length = 8.0; storage = "f32";
    les = { model = "smagorinsky"; }; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.1, 0.0, 0.0]; turbulence = { intensity = 0.05; length = 8.0; }; };
    x_high = { kind = "pressure"; sponge = { width = 16; strength = 0.2; }; };
};
initial = { kind = "uniform"; velocity = [0.1, 0.0, 0.0]; };
output = { every = 0; quantities = "mean_velocity, rms_velocity"; precision = "f64"; average = { begin = 800; every = 5; }; };
CFG
rm -rf out
ok 1 run gust.cfg --quiet
cat >gust.py <<'PYTHON'
import h5py, numpy
data = h5py.File("out/wind/fields_00002400.hdf")["VTKHDF/PointData"]
mean, rms = (data[name][:, :, 10:44] / 0.1 for name in ("mean_velocity", "rms_velocity"))
intensity = numpy.sqrt((rms ** 2 + (mean - [1, 0, 0]) ** 2).mean(axis=(0, 1, 2)))
assert (abs(intensity - 0.05) < 0.01).all(), intensity
assert abs(mean[..., 0].mean() - 1) < 1e-3, mean[..., 0].mean()
before = data["rms_velocity"][:, :, 0] / 0.1
assert (numpy.sqrt((before ** 2).mean(axis=(0, 1))) < intensity).all(), before
PYTHON
"$python" gust.py >out.txt 2>err.txt || fail "turbulence"

# ---- bits ----

# same_bits RANKS OPTION...
same_bits() {
    rm -rf out
    ok "$1" run wind.cfg --quiet "${common[@]}" "${@:2}"
    hash=${hash:-$(result state_hash)}
    if [[ ! $hash || $(result state_hash) != "$hash" ]]; then fail "other bits: ${common[*]}, $*"; fi
}
gusts='turbulence = { intensity = 0.2; length = 6.0; width = 5; seed = 3; }; velocity = [0.05, 0.0, 0.0];'
sed "s/velocity = \[0.05, 0.0, 0.0\];/$gusts/" log.cfg >wind.cfg
common=(--set lbm.collision=recursive_regularized)
hash=
same_bits 1
cp out/wind/checkpoint_00000016.h5 .
same_bits 3 --set lbm.streaming=pull
same_bits 4 --set parallel.processes=[2,2,1] --restart checkpoint_00000016.h5
same_bits 2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
common=(--set initial.kind=uniform --set initial.velocity=[0.05,0.0,0.0])
hash=
same_bits 1
cp out/wind/checkpoint_00000016.h5 .
same_bits 2 --set node.emulated_gpus=2 --set lbm.streaming=pull --restart checkpoint_00000016.h5
common=(--set lbm.streaming=list --set boundaries.y_high.kind=no_slip --set lbm.storage=f32)
hash=
same_bits 1
cp out/wind/checkpoint_00000016.h5 .
same_bits 4 --set parallel.processes=[2,2,1] --set lbm.streaming=in_place --restart checkpoint_00000016.h5
same_bits 2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
common=(--set lbm.streaming=moments --set lbm.storage=f16)
hash=
same_bits 1
same_bits 3
same_bits 1 --set node.emulated_gpus=1
cp log.cfg wind.cfg
common=(--set lbm.streaming=moments --set lbm.storage=f32 --set lbm.ramp=20) # the checkpoint lies within the ramp
hash=
same_bits 1
cp out/wind/checkpoint_00000016.h5 .
same_bits 3 --restart checkpoint_00000016.h5
same_bits 4 --set parallel.processes=[2,2,1]
same_bits 2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous

# ---- what is warned of, and what is refused ----

refuse_gust() {
    sed "s/velocity = \[0.05, 0.0, 0.0\];/& turbulence = { $1 };/" log.cfg >bad.cfg
    refuse 2 check bad.cfg -- "bad.cfg:$line" "'boundaries.x_low.$2"
}
line=$(grep -n 'velocity = \[0.05' log.cfg | head -n 1 | cut -d: -f1)
refuse_gust 'length = 6.0;' "turbulence.length' is not used"
refuse_gust 'width = 6;' "turbulence.width' is not used"
refuse_gust 'intensity = 0.1;' "turbulence.intensity' needs turbulence.length"
refuse_gust 'intensity = 0.7; length = 6.0;' "turbulence.intensity' must be at most"
refuse_gust 'intensity = 0.1; length = 2.0;' "turbulence.length' must be at least"
refuse_gust 'intensity = 0.1; length = 6.0; width = 30;' "turbulence.width' leaves no room: domain.cells has 40 along x"
refuse 2 check wind.cfg --set boundaries.x_low.turbulence.intensity=0.1 --set boundaries.x_low.turbulence.length=6 \
    --set lbm.ramp=20 -- "'boundaries.x_low.turbulence.intensity' goes with no lbm.ramp"
ok 1 check wind.cfg --set boundaries.x_low.turbulence.intensity=0 --set boundaries.x_low.turbulence.length=6
sed 's/kind = "pressure";/& turbulence = { intensity = 0.1; length = 6.0; };/' log.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:" "'boundaries.x_high.turbulence.intensity' is not used"
refuse 2 check wind.cfg --set boundaries.x_low.profile.kind=parabolic --set boundaries.x_low.profile.height=10 -- \
    "'boundaries.x_low.profile.height' is not used"

# From rest a strong sponge keeps the pressure in the domain.
warned_on=1
warns "--set boundaries.x_high.sponge.width=24: a stream that starts from rest .* the sponge at x_high" check wind.cfg \
    --set initial.kind=rest --set boundaries.x_high.sponge.width=24 --set boundaries.x_high.sponge.strength=0.6
says "sponge     x_high: from x = 16 to 40, 60 % of the domain"
silent wind.cfg --set initial.kind=rest --set lbm.ramp=500 --set lbm.length=4

refuse 2 check wind.cfg --set boundaries.x_low.profile.roughness=0 -- "boundaries.x_low.profile.roughness"
refuse 2 check wind.cfg --set boundaries.x_low.profile.height=1.3 -- "'boundaries.x_low.profile.height'" "at rest"
refuse 2 check wind.cfg --set boundaries.x_low.profile.displacement=0 --set boundaries.x_low.profile.roughness=0.5 -- \
    "'boundaries.x_low.profile.roughness'" "below 0.5"
refuse 2 check wind.cfg --set boundaries.x_low.profile.displacement=19.5 --set boundaries.x_low.profile.height=30 -- \
    "'boundaries.x_low.profile.roughness'" "at rest"
refuse 2 check wind.cfg --set boundaries.x_low.velocity=[0.05,0.01,0.0] -- "'boundaries.x_low.velocity'" "along y"
refuse 2 check wind.cfg --set boundaries.x_low.profile.up=x -- "'boundaries.x_low.profile.up'" "normal to it"
refuse 2 check wind.cfg --set boundaries.x_low.profile.up=z -- "'boundaries.x_low.profile.up'" "periodic"
refuse 2 check wind.cfg --set boundaries.x_low.profile.exponent=0.2 -- "'boundaries.x_low.profile.exponent' is not used" "logarithmic"
refuse 2 check wind.cfg --set boundaries.x_low.profile.kind=power -- "wind.cfg:8: 'boundaries.x_low.profile.roughness' is not used" "8 | "
refuse 2 check power.cfg --set boundaries.x_low.profile.kind=table -- "power.cfg:8: 'boundaries.x_low.profile.height' is not used"
refuse 2 check wind.cfg --set boundaries.x_high.profile.kind=table --set boundaries.x_high.profile.file=table.csv -- \
    "boundaries.x_high.kind = \"velocity\""
refuse 2 check wind.cfg --set boundaries.x_high.profile.height=3 -- "'boundaries.x_high.profile.height' is not used"
refuse 2 check table.cfg --set boundaries.x_low.profile.file= -- "boundaries.x_low.profile.file"
refuse 6 check table.cfg --set boundaries.x_low.profile.file=none.csv -- "'boundaries.x_low.profile.file'" "none.csv"
printf '1, 0.5\n1, 0.6\n' >bad.csv
refuse 2 check table.cfg --set boundaries.x_low.profile.file=bad.csv -- "'boundaries.x_low.profile.file'" "bad.csv:2: "
refuse 2 check power.cfg --set boundaries.x_low.profile.height=1e-4 -- "'boundaries.x_low.profile.height'" "at most 1"
sed 's/height = 8.0/height = 1e-300/' power.cfg >bad.cfg # inf times the velocity
refuse 2 run bad.cfg -- "bad.cfg:8: 'boundaries.x_low.profile.height'" "8 | "
refuse 2 check wind.cfg --set boundaries.x_low.profile.height=1.3000001 -- "'boundaries.x_low.profile.height'" "at most 1"
sed 's/table.csv/bad.csv/' table.cfg >bad.cfg
for rows in '1, 20.1' '0, 1\n20, -42' '0, 1e308\n20, -1e308'; do
    # shellcheck disable=SC2059
    printf "$rows\n" >bad.csv
    refuse 2 run bad.cfg -- "bad.cfg:8: 'boundaries.x_low.profile.file'" "at most 1" "8 | "
done
sed -e 's/kind = "power";.*;/kind = "parabolic"; };/' -e 's/free_slip/no_slip/; s/\[0.05, 0.0, 0.0\]/[0.9, 0.0, 0.9]/' power.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:7: 'boundaries.x_low.velocity'" "at most 1"
sed 's/table.csv/bad.csv/' table.cfg >bad.cfg
for number in nan inf -inf 1e999; do
    printf '1, 0.5\n2, %s\n' $number >bad.csv
    refuse 2 check bad.cfg -- "bad.cfg:8: 'boundaries.x_low.profile.file'" "bad.csv:2: "
done
printf '1, 19.9\n' >bad.csv # just below
ok 1 check bad.cfg
printf '1, 0.5\n2; 0.6\n' >bad.csv
refuse 2 check table.cfg --set boundaries.x_low.profile.file=bad.csv -- "bad.csv:2: \"2; 0.6\""
write_case
left_behind=out/tiny/results.json
refuse 2 check case.cfg --set initial.kind=profile -- "'initial.kind'" "no face has one"
left_behind=out/wind/results.json
ok 1 check wind.cfg --set boundaries.x_low.velocity=[0.16,0.0,0.0]
says "boundaries.x_low.profile" "Mach 0.3"
refuse 2 check wind.cfg --set boundaries.x_high.sponge.width=41 -- "'boundaries.x_high.sponge.width' leaves no room" "40 along x"
refuse 2 check wind.cfg --set boundaries.x_high.sponge.strength=1.5 -- "boundaries.x_high.sponge.strength" "at most 1"
refuse 2 check wind.cfg --set boundaries.x_high.sponge.width=0 --set boundaries.x_high.sponge.strength=0.5 -- \
    "'boundaries.x_high.sponge.strength' is not used"
refuse 2 check wind.cfg --set boundaries.y_low.sponge.width=4 -- "'boundaries.y_low.sponge.width' is not used" "no_slip"
refuse 2 check case.cfg --set boundaries.z_high.kind=no_slip --set boundaries.z_high.velocity=[0.0,0.0,0.0] --set lbm.ramp=10 -- \
    "'lbm.ramp' is not used"

# ---- what flows in ----

# Through each section of a duct passes the inlet's velocity times its area, whatever the duct's walls and the inlet are.
cat >duct.cfg <<'CFG'
name = "wind";
steps = 9000;
domain = { cells = [16, 6, 5]; };
lbm = { collision = "trt"; tau = 1.0; velocity = 0.02; };
boundaries = { x_low = { kind = "velocity"; velocity = [0.02, 0.0, 0.0]; }; x_high = { kind = "pressure_normal"; };
               y_low = { kind = "no_slip"; }; y_high = { kind = "no_slip"; };
               z_low = { kind = "no_slip"; }; z_high = { kind = "no_slip"; }; };
output = { precision = "f64"; };
CFG
cat >flux.py <<'PYTHON'
import sys, h5py
with h5py.File(sys.argv[1]) as fields:
    fluxes = fields["VTKHDF/PointData/velocity"][..., 2:-2, 0].sum(axis=(0, 1))
worst = abs(fluxes / float(sys.argv[2]) - 1.0).max()
assert worst < 1e-12, worst
PYTHON
# flux VALUE ARGUMENT...
flux() {
    rm -rf out
    ok 1 run duct.cfg --quiet "${@:2}"
    "$python" flux.py out/wind/fields_00009000.hdf "$1" >out.txt 2>err.txt || fail "another flux: $*"
}
walls='{ shape="box"; low=[0.0,0.0,0.0]; high=[16.0,1.0,5.0]; }, { shape="box"; low=[0.0,5.0,0.0]; high=[16.0,6.0,5.0]; }'
inlet='{ shape="box"; kind="velocity"; velocity=[0.02,0.0,0.0]; low=[0.0,0.0,0.0]; high=[2.0,6.0,5.0]; }'
flux 0.6
flux 0.6 --set lbm.lattice=d3q27 --set boundaries.x_high.kind=pressure
flux 0.6 --set lbm.streaming=list --set boundaries.x_high.kind=pressure
flux 0.4 --set "geometry.objects=( $walls )"
flux 0.6 --set "geometry.objects=( $inlet )"
flux 0.6 --set lbm.collision=regularized --set lbm.streaming=moments --set boundaries.x_high.kind=pressure
flux 0.6 --set boundaries.y_low.kind=free_slip --set boundaries.z_high.kind=free_slip
# A parabola's mean over the middles of n cells is 2/3 + 1/(3 n^2) of its maximum.
"$python" -c 'print(0.02 * 5 * 6 * (2 / 3 + 1 / (3 * 36)))' >expected.txt
flux "$(cat expected.txt)" --set 'boundaries.x_low.profile={ kind="parabolic"; up="y"; }'

# Faces of given pressure meet walls of cells as they meet faces.
sed 's/\[16, 6, 5\]/[12, 7, 1]/; s/z_low.*$/};/; s/x_low = .*;$/x_low = { kind = "pressure"; density = 1.0006; }; x_high = { kind = "pressure"; };/' \
    duct.cfg >faces.cfg
sed '/y_low/d; s/\[12, 7, 1\]/[12, 9, 1]/; s/x_high = { kind = "pressure"; };/& };/' faces.cfg >boxes.cfg
sed -i '/^ *};$/d' boxes.cfg
echo 'geometry = { objects = ( { shape="box"; low=[0.0,0.0,0.0]; high=[12.0,1.0,1.0]; },
                         { shape="box"; low=[0.0,8.0,0.0]; high=[12.0,9.0,1.0]; } ); };' >>boxes.cfg
for walls in faces boxes; do
    rm -rf out
    ok 1 run $walls.cfg --quiet --set output.fields=false
    result mean_velocity_x >>means.txt
done
(($(sort -u means.txt | wc -l) == 1)) || fail "other flows between walls of cells: $(tr '\n' ' ' <means.txt)"
rm -rf out

finish
