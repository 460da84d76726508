#!/usr/bin/env bash
# Two fluids: the same bits on any processes, hardware and restart; volumes, angles, a bubble; bad input.
source "$2/tests/cli/common.bash"
left_behind=out/case/results.json

cat >case.cfg <<'CFG'
application = "two_fluids";
name = "case";
steps = 24;
domain = { cells = [37, 22, 19]; spacing = 1e-4; };
two_fluids = {
    liquid = { density = 1000.0; viscosity = 1e-2; };
    gas = { density = 2.0; viscosity = 1e-4; };
    tension = 0.02;
    gravity = [0.0, -9.81, 1.0];
    contact_angle = 50.0;
    time_step = 1e-5;
    shapes = ( { fluid = "liquid"; low = [-1.0, -1.0, -1.0]; high = [1.0, 6e-4, 1.0]; },
               { fluid = "liquid"; center = [1.6e-3, 1.5e-3, 0.0]; radius = 8e-4; velocity = [0.2, -0.3, 0.1]; } );
};
boundaries = {
    x_low = { kind = "periodic"; }; x_high = { kind = "periodic"; };
    z_low = { kind = "free_slip"; }; z_high = { kind = "free_slip"; };
};
monitor = { every = 8; };
output = { every = 12; picture = "z"; picture_at = 4; average = { every = 2; };
           quantities = "phase, velocity_y, pressure, mean_phase"; probes = ({ name = "p"; cell = [3, 4, 5]; }); };
checkpoint = { every = 12; };
CFG
result() { value out/case/results.json "$1"; }

ok 1 run case.cfg --quiet
hash=$(result state_hash)
[[ $(head -n 1 out/case/monitor.csv) == step,time,phase_lowest,*,velocity_x_lowest,*,pressure_mean_square,density_lowest,*,density_mean_square,liquid_volume,surface_area,liquid_share,liquid_x,*,gas_high_z,gas_pressure,residual ]] ||
    fail "monitor.csv's columns"
[[ -s out/case/phase_00000024.png && -s out/case/fields_00000024.hdf ]] || fail "no picture, or no fields"
cp out/case/monitor.csv monitor.csv
cp out/case/probe_p.csv probe.csv
/usr/bin/env python3 - <<'PY' || fail "the liquid's volume, or a drop that does not fall"
import csv, json
rows = list(csv.DictReader(open("monitor.csv")))
volumes = [float(row["liquid_volume"]) for row in rows]
pool, drop = 37 * 19 * 6 * 1e-12, 2 / 3 * 3.141593 * 8e-4 ** 3
assert max(volumes) / min(volumes) - 1 < 1e-11, volumes
assert abs(volumes[0] / (pool + drop) - 1) < 0.05, volumes[0] / (pool + drop)
assert abs(json.load(open("out/case/results.json"))["liquid_volume_at_start"] / volumes[0] - 1) < 1e-12
assert abs(float(rows[-1]["gas_low_y"]) - 6e-4) < 1e-10 and float(rows[-1]["liquid_low_y"]) == 0, rows[-1]
assert float(rows[-1]["liquid_velocity_y"]) < -0.01 and float(rows[-1]["liquid_y"]) < float(rows[0]["liquid_y"])
PY

for how in "3" "4 --set parallel.processes=[2,1,2]" "2 --set parallel.processes=[1,2,1] --set parallel.overlap=false" \
    "1 --set node.emulated_gpus=2 --set parallel.mode=hybrid" \
    "1 --set node.emulated_gpus=1 --set parallel.mode=heterogeneous"; do
    rm -r out
    # shellcheck disable=SC2086
    ok ${how%% *} run case.cfg --quiet $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$hash" ]] || fail "other bits: $how"
    cmp -s monitor.csv out/case/monitor.csv || fail "another monitor.csv: $how"
    cmp -s probe.csv out/case/probe_p.csv || fail "another probe: $how"
done

# Twelve steps, and twelve more from the checkpoint of them on other hardware.
rm -r out
ok 2 run case.cfg --quiet --set steps=12
ok 1 run case.cfg --quiet --restart latest --set node.emulated_gpus=1
[[ $(result state_hash) == "$hash" ]] || fail "other bits after a restart"
cp out/case/checkpoint_00000012.h5 .
rm -r out
refuse 2 run case.cfg --restart checkpoint_00000012.h5 --change-physics --set two_fluids.time_step=5e-6 -- "two_fluids.time_step"

# A step that is chosen depends on the physics, and is the unit of velocities.
sed '/time_step/d' case.cfg >chosen.cfg
ok 1 run chosen.cfg --quiet --set steps=12
cp out/case/checkpoint_00000012.h5 chosen.h5
rm -r out
refuse 2 run chosen.cfg --restart chosen.h5 --change-physics --set two_fluids.tension=0.08 -- "two_fluids.time_step"
silent chosen.cfg --set two_fluids.gas.density=1.2 --set two_fluids.gas.viscosity=1.8e-5 --set two_fluids.gravity=[0.0,0.0,0.0] --set two_fluids.tension=0.072

# f32 in walls all around.
closed=(--set 'boundaries={}' --set two_fluids.storage=f32 --set checkpoint.every=0)
rm -rf out
ok 1 run case.cfg --quiet "${closed[@]}"
narrow=$(result state_hash)
ok 2 run case.cfg --quiet --overwrite "${closed[@]}" --set parallel.processes=[2,1,1]
[[ $(result state_hash) == "$narrow" ]] || fail "other bits in f32"
ok 1 run case.cfg --quiet --overwrite "${closed[@]}" --set node.emulated_gpus=1
[[ $(result state_hash) == "$narrow" ]] || fail "other bits in f32 on an emulated GPU"

# Solids between the fluids: a row of spheres, a cylinder and labels of an image.
printf '%s' "$(printf 'ABBB%.0s' {1..8})" | tr 'AB' '\1\0' >labels.raw
cat >solids.cfg <<'CFG'
application = "two_fluids";
name = "case";
steps = 30;
domain = { cells = [24, 21, 30]; };
two_fluids = {
    liquid = { density = 1.0; viscosity = 0.1; };
    gas = { density = 0.1; viscosity = 0.02; };
    tension = 5e-3; time_step = 1.0; contact_angle = 50.0; force = [0.0, 0.0, 1e-5];
    shapes = ( { fluid = "liquid"; low = [-1.0, -1.0, -1.0]; high = [25.0, 22.0, 12.0]; } );
};
geometry = {
    spheres = { array = "body_centred"; constant = 15.0; radius = 4.0; };
    objects = ( { shape = "cylinder"; low = [10.0, 12.0, -1.0]; high = [10.0, 12.0, 31.0]; radius = 2.5; } );
    voxels = { file = "labels.raw"; size = [4, 4, 2]; at = [18, 2, 25]; };
};
boundaries = {
    x_low = { kind = "periodic"; }; x_high = { kind = "periodic"; }; y_low = { kind = "free_slip"; };
    z_low = { kind = "periodic"; }; z_high = { kind = "periodic"; };
};
monitor = { every = 10; };
output = { every = 30; picture = "y"; };
CFG
rm -rf out
ok 1 run solids.cfg --quiet
solid=$(result state_hash)
grep -q . out/case/phase_00000030.png || fail "no picture of solids"
cp out/case/monitor.csv monitor.csv
/usr/bin/env python3 - <<'PY' || fail "the liquid's volume between solids"
import csv, json
rows = list(csv.DictReader(open("monitor.csv")))
volumes = [json.load(open("out/case/results.json"))["liquid_volume_at_start"]] + [float(row["liquid_volume"]) for row in rows]
assert max(volumes) / min(volumes) - 1 < 1e-11, volumes
assert 0.2 < float(rows[-1]["liquid_share"]) < 0.6, rows[-1]["liquid_share"]
PY
for how in "3" "4 --set parallel.processes=[2,1,2]" "1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous"; do
    # shellcheck disable=SC2086
    ok ${how%% *} run solids.cfg --quiet --overwrite $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$solid" ]] || fail "other bits between solids: $how"
done
rm -rf out
refuse 2 check solids.cfg --set geometry.objects[0].radius=0.0 -- "geometry.objects[0].radius"
refuse 2 check solids.cfg --set geometry.objects[0].low=[99.0,99.0,0.0] --set geometry.objects[0].high=[99.0,99.0,9.0] -- "geometry.objects[0].shape"
refuse 2 check solids.cfg --set geometry.voxels.solid=2 -- "geometry.voxels.solid"

# What was fluid may not become solid on the way.
ok 1 run solids.cfg --quiet --set steps=12 --set checkpoint.every=12
cp out/case/checkpoint_00000012.h5 solids.h5
rm -rf out
refuse 2 run solids.cfg --restart solids.h5 --change-physics --set geometry.spheres.radius=4.5 -- "geometry.spheres.radius"

# Blobs in random places, of a saturation that is given; a floor and an object with contact angles of their own.
blobs=(--set 'two_fluids.shapes=()' --set 'two_fluids.random_blobs={ saturation = 0.4; length = 9.0; seed = 3; }' --set boundaries.y_high.contact_angle=130.0
    --set geometry.objects[0].contact_angle=20.0 --set two_fluids.smagorinsky_constant=0.1)
rm -rf out
ok 1 run solids.cfg --quiet "${blobs[@]}"
solid=$(result state_hash)
/usr/bin/env python3 - <<'PY' || fail "the saturation at the start"
import csv
row = list(csv.DictReader(open("out/case/monitor.csv")))[-1]
assert abs(float(row["liquid_share"]) - 0.4) < 1e-9, row["liquid_share"]
PY
for how in "3" "4 --set parallel.processes=[2,1,2]" "1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous"; do
    # shellcheck disable=SC2086
    ok ${how%% *} run solids.cfg --quiet --overwrite "${blobs[@]}" $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$solid" ]] || fail "other bits of blobs: $how"
done
ok 1 run solids.cfg --quiet --overwrite "${blobs[@]}" --set two_fluids.random_blobs.seed=4
[[ $(result state_hash) != "$solid" ]] || fail "the same blobs from another seed"
rm -rf out
ok 1 geometry solids.cfg
grep -q '^pores .*porosity 0[.]' out.txt || fail "no porosity"
[[ -s out/case/geometry/middle_y.png ]] || fail "no picture of the solids"
rm -rf out
refuse 2 run solids.cfg "${blobs[@]}" --set geometry.objects[0].radius=99.0 -- "geometry.objects"
refuse 2 check solids.cfg "${blobs[@]}" --set two_fluids.random_blobs.length=5.0 -- "two_fluids.random_blobs.length"
refuse 2 check solids.cfg "${blobs[@]}" --set two_fluids.random_blobs.length=11.0 -- "two_fluids.random_blobs.length"
refuse 2 check solids.cfg "${blobs[@]}" --set two_fluids.fluid=liquid -- "two_fluids.fluid"
refuse 2 check solids.cfg --set two_fluids.random_blobs.saturation=0.5 -- "two_fluids.random_blobs.saturation" "shapes"
warns '.*two_fluids.shapes.*no liquid' run solids.cfg --set steps=1 --set 'two_fluids.shapes=()'
rm -rf out
refuse 2 check solids.cfg --set two_fluids.random_blobs.seed=5 -- "two_fluids.random_blobs.seed"
refuse 2 check solids.cfg --set boundaries.y_low.contact_angle=50.0 -- "boundaries.y_low.contact_angle"
refuse 2 check solids.cfg --set geometry.objects[0].contact_angle=3.0 -- "geometry.objects[0].contact_angle"

# On a round solid, whose surface is stairs, a drop has the contact angle, too.
if full && /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    /usr/bin/python3 "$2/tests/validation/drops.py" "$wabe" disc 60 || fail "the contact angle on a disc"
fi

# What flows in through a face goes on behind it, and pushes out what is there; pressures at both ends drive Poiseuille's flow.
cat >front.cfg <<'CFG'
application = "two_fluids";
name = "case";
steps = 2000;
domain = { cells = [9, 8, 48]; };
two_fluids = {
    liquid = { density = 1.0; viscosity = 0.1; };
    gas = { density = 1.0; viscosity = 0.02; };
    tension = 1e-3; time_step = 1.0; fluid = "liquid"; velocity = [0.0, 0.0, 0.01];
    shapes = ( { fluid = "gas"; low = [-1.0, -1.0, -9.0]; high = [9.0, 9.0, 10.0]; } );
};
boundaries = {
    x_low = { kind = "periodic"; }; x_high = { kind = "periodic"; }; y_low = { kind = "free_slip"; }; y_high = { kind = "free_slip"; };
    z_low = { kind = "velocity"; velocity = [0.0, 0.0, 0.01]; fluid = "gas"; };
    z_high = { kind = "pressure"; pressure = 0.0; };
};
monitor = { every = 500; };
output = { picture = "none"; fields = false; };
checkpoint = { every = 1000; };
CFG
rm -rf out
ok 1 run front.cfg --quiet
front=$(result state_hash)
/usr/bin/env python3 - <<'PY' || fail "a front that is pushed"
import csv
row = list(csv.DictReader(open("out/case/monitor.csv")))[-1]
assert abs(float(row["liquid_volume"]) / (72 * (38 - 20)) - 1) < 0.01, row["liquid_volume"]
assert abs(float(row["liquid_low_z"]) - 30) <= 1, row["liquid_low_z"]
assert abs(float(row["liquid_velocity_z"]) - 0.01) < 1e-4 and abs(float(row["pressure_mean"])) < 1e-4, row
assert abs(float(row["phase_lowest"])) < 1e-3 and abs(float(row["phase_highest"]) - 1) < 1e-3, row
PY
for how in "4 --set parallel.processes=[1,2,2]" "2 --set parallel.processes=[2,1,1]" "1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous"; do
    # shellcheck disable=SC2086
    ok ${how%% *} run front.cfg --quiet --overwrite $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$front" ]] || fail "other bits with faces that fluid flows through: $how"
done
ok 1 run front.cfg --quiet --overwrite --set steps=20000 --set domain.cells=[16,1,24] --set 'boundaries={ z_low = { kind = "pressure"; pressure = 2.4e-4; }; z_high = { kind = "pressure"; pressure = 0.0; }; }' \
    --set 'two_fluids.shapes=()' --set monitor.every=20000 --set checkpoint.every=0
/usr/bin/env python3 - <<'PY' || fail "Poiseuille's flow between faces of given pressure"
import csv
row = list(csv.DictReader(open("out/case/monitor.csv")))[-1]
off = float(row["velocity_z_mean"]) / (1e-5 / 0.1 * 16 ** 2 / 12) - 1
print(f"Poiseuille's flow between two pressures: off by {off:.1e}")
assert abs(off) < 0.005, off
assert abs(float(row["pressure_lowest"]) - 5e-6) < 1e-8 and abs(float(row["phase_lowest"]) - 1) < 1e-3, row
PY
refuse 2 check front.cfg --set boundaries.z_high.kind=free_slip -- "boundaries.z_high.pressure"
refuse 2 check front.cfg --set 'boundaries.z_high={ kind = "no_slip"; }' -- "boundaries.z_low.velocity" "pressure"
refuse 2 check front.cfg --set 'boundaries.z_low={ kind = "velocity"; }' -- "boundaries.z_low.velocity"
refuse 2 check front.cfg --set 'boundaries.z_low={ kind = "pressure"; }' -- "boundaries.z_low.pressure"
refuse 2 check front.cfg --set 'boundaries.z_low={ kind = "free_slip"; fluid = "gas"; }' -- "boundaries.z_low.fluid"
refuse 2 check front.cfg --set domain.cells=[9,8,1] -- "boundaries.z_"
refuse 2 check front.cfg --set boundaries.z_low.velocity=[0.0,0.0,0.2] -- "two_fluids.time_step" "through faces"

# A drop on a floor takes the contact angle: theta = 2 atan(2 height / width) of the cap of a disc.
cat >floor.cfg <<'CFG'
application = "two_fluids";
name = "case";
steps = 12000;
domain = { cells = [96, 48, 1]; };
two_fluids = {
    liquid = { density = 1.0; viscosity = 0.1; };
    gas = { density = 0.1; viscosity = 0.01; };
    tension = 5e-3; time_step = 1.0; mobility = 0.1;
    shapes = ( { fluid = "liquid"; center = [48.0, 0.0, 0.0]; radius = 20.0; } );
};
boundaries = { x_low = { kind = "periodic"; }; x_high = { kind = "periodic"; }; };
output = { every = 12000; picture = "none"; quantities = "phase"; precision = "f64"; };
CFG
if full; then angles="60 120"; else angles=60; fi
for angle in $angles; do
    ok 1 run floor.cfg --quiet --overwrite --set two_fluids.contact_angle="$angle"
    if ! /usr/bin/python3 -c 'import h5py' 2>/dev/null; then break; fi
    /usr/bin/python3 - "$angle" <<'PY' || fail "a contact angle of $angle"
import h5py, math, sys
c = h5py.File("out/case/fields_00012000.hdf")["VTKHDF/PointData/phase"][()].reshape(-1, 48, 96)[0]
def crossing(row, begin, step):
    """Where a row falls to one half, from its cell begin on."""
    i = begin
    while row[i + step] > 0.5:
        i += step
    return abs(i - begin) + (row[i] - 0.5) / (row[i] - row[i + step])
height = crossing(c[:, 48], 0, 1) + 0.5
# The circle through the top, and through the surface at the height of some row: its centre's height.
row = int(height / 3)
half = 0.5 * (crossing(c[row], 48, 1) + crossing(c[row], 47, -1) + 1)
rise = height - (row + 0.5)
radius = (half ** 2 + rise ** 2) / (2 * rise)
found = math.degrees(math.acos((radius - height) / radius))
print(f"contact angle {found:.1f} of {sys.argv[1]} degrees")
sys.exit(abs(found - float(sys.argv[1])) > 3)
PY
done

# Bad input.
refuse 2 check case.cfg --set two_fluids.time_step=1e-3 -- "two_fluids.time_step"
refuse 2 check case.cfg --set two_fluids.shapes[1].radius=1e-4 -- "two_fluids.shapes[1].radius" "domain.spacing = 1.25e-05"
refuse 2 check case.cfg --set two_fluids.shapes[1].low=[0.0,0.0,0.0] --set two_fluids.shapes[1].high=[1.0,1.0,1.0] -- "two_fluids.shapes[1]"
refuse 2 check case.cfg --set two_fluids.shapes[1].low=[0.0,0.0,0.0] -- "two_fluids.shapes[1]"
refuse 2 check case.cfg --set two_fluids.shapes[1].center=[1e-3,5e-3,1e-3] -- "two_fluids.shapes[1].center"
refuse 2 check case.cfg --set two_fluids.shapes[0].high=[1.0,-2.0,1.0] -- "two_fluids.shapes[0].high"
refuse 2 check case.cfg --set two_fluids.gas.viscosity=1e-9 -- "two_fluids.gas.viscosity" "smagorinsky_constant"
ok 1 check case.cfg --set two_fluids.gas.viscosity=1e-9 --set two_fluids.smagorinsky_constant=0.1
refuse 2 check case.cfg --set two_fluids.gas.viscosity=1e-9 --set two_fluids.smagorinsky_constant=0.01 -- "two_fluids.gas.viscosity"
refuse 2 check case.cfg --set two_fluids.liquid.viscosity=0.0 -- "two_fluids.liquid.viscosity"
refuse 2 check case.cfg --set two_fluids.gas.density=0.1 -- "two_fluids.gas.density" "1e+04"
refuse 2 check case.cfg --set two_fluids.interface_width=2.0 -- "two_fluids.interface_width"
refuse 2 check case.cfg --set two_fluids.mobility=0.5 -- "two_fluids.mobility"
refuse 2 check case.cfg --set two_fluids.contact_angle=180.0 -- "two_fluids.contact_angle"
refuse 2 check case.cfg --set two_fluids.storage=f16 -- "two_fluids.storage"
refuse 2 check case.cfg --set boundaries.x_low.kind=no_slip -- "boundaries.x_"
sed '/tension =\|gravity =\|time_step =/d; s/ velocity = .*1\]; }/ }/' case.cfg >still.cfg
refuse 2 check still.cfg -- "two_fluids.time_step"
warns '.*two_fluids.time_step is long' check case.cfg --set two_fluids.gravity=[0.0,-5e4,0.0]
warns '.*two_fluids.shapes.0..high' check case.cfg --set two_fluids.shapes[0].low=[-1.0,4e-4,-1.0]
warns '.*two_fluids.tension is large' check case.cfg --set two_fluids.tension=2.0
finish
