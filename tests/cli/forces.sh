#!/usr/bin/env bash
# Forces on bodies: they balance what drives the flow; the same numbers on any processes, hardware, pattern and
# restart; what is refused.
source "$2/tests/cli/common.bash"
left_behind=out/case/results.json

# A force drives the flow past a ball, and a box in a corner of the periodic domain, until it is steady.
cat >case.cfg <<'CFG'
name = "case";
steps = 60;
domain = { cells = [24, 20, 18]; };
lbm = { collision = "trt"; tau = 1.1; force = [1e-6, 0.0, 0.0]; };
geometry = { objects = (
    { shape = "sphere"; kind = "curved_wall"; center = [12.0, 10.0, 9.0]; radius = 4.3; },
    { shape = "box"; low = [21.0, 0.0, 0.0]; high = [24.0, 3.0, 4.0]; }
); };
forces = { every = 20; };
checkpoint = { every = 20; };
CFG

# ---- physics ----

# checks PROGRAM: python, with the run's results r, forces.csv as a dictionary of columns f, and close(a, b, relative).
checks() {
    python3 - "$1" <<'PYTHON' || fail "forces: $1"
import csv, json, sys
r = json.load(open("out/case/results.json"))
lines = list(csv.DictReader(open("out/case/forces.csv")))
f = {name: [float(line[name]) for line in lines] for name in lines[0]}
def close(a, b, relative):
    if not abs(a - b) <= relative * abs(b):
        sys.exit(f"{a} is not {b}")
exec(sys.argv[1])
PYTHON
}

# In the steady state all momentum that the force gives the fluid goes to the bodies. A ball in the middle of two
# planes of symmetry of its surroundings is pulled through its centre; the box makes the surroundings not quite so.
ok 1 run case.cfg --quiet --set steps=3000 --set forces.every=500 --set checkpoint.every=0 --set output.fields=false
checks 'close(f["total_fx"][-1], 1e-6 * r["fluid_cells"], 1e-7)'
checks 'close(f["objects_0_fx"][-1] + f["objects_1_fx"][-1], f["total_fx"][-1], 1e-14)'
rm -r out
sed '/"box"/d; /^checkpoint/d; s/4.3; },/4.3; }/' case.cfg >ball.cfg
cat >>ball.cfg <<'CFG'
forces = { every = 500; begin = 5000; bodies = (
    { name = "about_corner"; of = "geometry.objects[0]"; velocity = 0.01; area = 50.0; },
    { name = "about_centre"; of = "geometry.objects[0]"; about = [12.0, 10.0, 9.0]; } ); };
CFG
sed -i '/^forces = { every = 20/d' ball.cfg
ok 1 run ball.cfg --quiet --set steps=6000 --set output.fields=false
checks 'close(f["about_corner_fx"][-1], 1e-6 * r["fluid_cells"], 1e-7)'
# Each of the 500 links rounds its torque to 2^-44.
checks 'close(f["about_corner_tz"][-1], -10.0 * f["about_corner_fx"][-1], 1e-10)
close(f["about_corner_ty"][-1], 9.0 * f["about_corner_fx"][-1], 1e-10)
assert abs(f["about_centre_tz"][-1]) < 1e-10 * abs(f["about_corner_tz"][-1])'
checks 'm = r["forces"]["about_corner"]
assert r["forces"]["lines"] == 3
close(m["mean_force"][0], sum(f["about_corner_fx"][-3:]) / 3, 1e-13)
close(m["mean_coefficients"][0], m["mean_force"][0] / (0.5 * 0.01**2 * 50.0), 1e-13)
assert "mean_coefficients" not in r["forces"]["about_centre"]'

# Drag and lift are along the stream and across it; their errors are those of batches of successive lines, of which the
# first lines that fill none are left out. A flow that is just beginning gives lines that differ.
sed 's/every = 500; begin = 5000/every = 1; begin = 25/; s/area = 50.0;/& stream = [3.0, 0.0, 4.0]; lift = [1.0, 1.0, 1.0];/
     s/about = /stream = [1.0, 0.0, 4.0]; &/' ball.cfg >stream.cfg
# Means of the two halves of the batches that differ by more than 4 errors drift.
errors='from statistics import fmean, stdev, variance
def projected(name, direction):
    size = sum(d * d for d in direction) ** 0.5
    return [sum(d / size * f[f"{name}_f{axis}"][i] for d, axis in zip(direction, "xyz")) for i in range(len(lines))]
def batches(values):
    of = len(values) // 20
    whole = values[len(values) % 20 :]
    return [fmean(whole[i * of : (i + 1) * of]) for i in range(20)]
def batched(values): # the largest of 20 batches, 10 pairs, and 5 pairs of pairs
    each = batches(values)
    return max(stdev(fmean(each[i : i + of]) for i in range(0, 20, of)) / (20 / of)**0.5 for of in (1, 2, 4))
def drift(values):
    first, second = batches(values)[:10], batches(values)[10:]
    difference = fmean(second) - fmean(first)
    return difference if abs(difference) > 4 * ((variance(first) + variance(second)) / 10) ** 0.5 else 0
late = [i for i, line in enumerate(lines) if int(line["step"]) >= 25]
for name, drag, lift, scale in (("about_corner", (3, 0, 4), (16, 100, -12), 0.5 * 0.01**2 * 50.0), ("about_centre", (1, 0, 4), (0, 1, 0), 0)):
    for word, direction in (("drag", drag), ("lift", lift)):
        found, values = r["forces"][name], [projected(name, direction)[i] for i in late]
        largest = max(map(abs, values))
        for key, right in ((word, fmean(values)), (word + "_error", batched(values)), (word + "_drift", drift(values))):
            assert abs(found[key] - right) < 1e-12 * largest, (name, key, found[key], right)
            if scale and "drift" not in key: close(found[key.replace(word, word + "_coefficient")], found[key] / scale, 1e-13)
assert "drag_coefficient" not in r["forces"]["about_centre"]
assert r["forces"]["about_corner"]["drag_error"] > 1e-3 * r["forces"]["about_corner"]["drag"] > 0'
for ranks in 1 3; do
    ok $ranks run stream.cfg --overwrite --set steps=237 --set output.fields=false
    says "drag coefficient of about_corner" "lift coefficient" "+-" "drag of about_centre" \
        "the mean drag of about_corner still drifts"
    checks "$errors"
done
ok 1 run stream.cfg --overwrite --set steps=123 --set output.fields=false # 99 lines
if grep -qF -e "+-" out.txt; then fail "an error bar of too few lines"; fi
checks 'assert r["forces"]["about_corner"]["drag_error"] is None and r["forces"]["about_corner"]["drag"] > 0'
while read -r key text; do
    start 1 run stream.cfg --set "forces.bodies[1].$key"
    if ((code != 2)); then fail "code $code instead of 2: $key"; fi
    says "$text"
done <<'KEYS'
stream=[0,0,0] forces.bodies[1].stream
lift=[0,0,0] forces.bodies[1].lift
lift=[-3,0,-12] forces.bodies[1].lift
KEYS
start 1 run ball.cfg --set "forces.bodies[0].lift=[0,1,0]"
if ((code != 2)); then fail "code $code instead of 2: lift without a stream"; fi
says "forces.bodies[0].stream"

# A plate that moves in its plane drags the fluid along: in plane Couette flow the shear stress on it is that of the
# exact solution, viscosity U / H, with the wall half way between cells.
cat >couette.cfg <<'CFG'
name = "case";
steps = 6000;
domain = { cells = [4, 4, 16]; };
lbm = { collision = "trt"; tau = 1.3; };
boundaries = { z_low = { kind = "no_slip"; }; z_high = { kind = "no_slip"; }; };
geometry = { objects = ( { shape = "box"; low = [0.0, 0.0, 12.0]; high = [4.0, 4.0, 14.0];
                           kind = "moving_wall"; velocity = [0.02, 0.01, 0.0]; } ); };
forces = { every = 6000; };
CFG
ok 1 run couette.cfg --quiet --set output.fields=false
checks 'shear = (1.3 - 0.5) / 3 * 16 * (1 / 12 + 1 / 2)
close(f["objects_0_fx"][-1], -0.02 * shear, 1e-9)
close(f["objects_0_fy"][-1], -0.01 * shear, 1e-9)'
rm -r out

# At low viscosity what walls return alternates from step to step, here by several times the drag; lines have no more than
# what that changes by in a step, and have the drag that the pressures before
# and behind a plate across the stream have.
cat >plate.cfg <<'CFG'
name = "case";
steps = 600;
domain = { cells = [60, 24, 24]; };
lbm = { collision = "recursive_regularized"; les = { model = "smagorinsky"; }; viscosity = 1e-5; velocity = 0.05; length = 8.0; };
boundaries = { x_low = { kind = "velocity"; velocity = [0.05, 0.0, 0.0]; }; x_high = { kind = "pressure"; sponge = { width = 16; }; }; };
geometry = { objects = ( { shape = "box"; low = [20.0, 8.0, 8.0]; high = [24.0, 16.0, 16.0]; } ); };
initial = { kind = "uniform"; velocity = [0.05, 0.0, 0.0]; };
forces = { every = 1; };
output = { quantities = "pressure"; precision = "f64"; };
CFG
rm -rf out
ok 1 run plate.cfg --quiet
checks 'last = f["objects_0_fx"][-100:]
amplitude = sum(abs(a - 2 * b + c) for a, b, c in zip(last, last[1:], last[2:])) / 98 / 4
if amplitude > 0.05 * abs(sum(last) / 100):
    sys.exit(f"lines alternate by {amplitude}, of {sum(last) / 100}")'
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    drag=$(/usr/bin/python3 -c "
import h5py
p = h5py.File('out/case/fields_00000600.hdf')['VTKHDF/PointData/pressure']
print(p[8:16, 8:16, 19].sum() - p[8:16, 8:16, 24].sum())")
    checks "close(f['objects_0_fx'][-1], $drag, 0.15)"
fi
rm -r out

# ---- the same numbers ----

first() {
    rm -rf out
    ok 1 run case.cfg --quiet "$@"
    cp out/case/forces.csv forces.csv
}
same() {
    rm -rf out
    ok "$1" run case.cfg --quiet "${@:2}"
    cmp -s forces.csv out/case/forces.csv || fail "another forces.csv: $*"
}
first
cp out/case/checkpoint_00000040.h5 .
same 4 --set parallel.processes=[2,2,1]
same 3 --set lbm.streaming=list
same 1 --set lbm.streaming=pull --set node.emulated_gpus=1
same 2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
rm -rf out
ok 1 run case.cfg --quiet --set steps=40
ok 2 run case.cfg --quiet --restart latest
cmp -s forces.csv out/case/forces.csv || fail "another forces.csv after a restart"
moments=(--set lbm.collision=regularized --set lbm.streaming=moments --set lbm.storage=f32)
first "${moments[@]}"
same 3 "${moments[@]}"
same 1 "${moments[@]}" --set node.emulated_gpus=1

# What arrives at a curved wall across a periodic face, or from a mirror, belongs to the force, whatever makes its image,
# and when: the tables of single steps, of passes in the cache, and of streamed slabs.
cat >seam.cfg <<'CFG'
name = "case";
steps = 8;
domain = { cells = [9, 12, 16]; };
lbm = { tau = 0.8; force = [1e-5, 2e-6, 1e-6]; streaming = "in_place"; };
boundaries = { y_low = { kind = "free_slip"; }; y_high = { kind = "free_slip"; };
               z_low = { kind = "no_slip"; }; z_high = { kind = "no_slip"; }; };
geometry = { objects = (
    { shape = "cylinder"; low = [-2.0, 1.2, 5.0]; high = [11.0, 1.2, 5.0]; radius = 2.6; kind = "curved_wall"; },
    { shape = "sphere"; center = [8.6, 11.1, 11.3]; radius = 3.2; kind = "curved_wall"; } ); };
forces = { every = 2; };
monitor = { every = 4; };
output = { fields = false; };
CFG
tables() { cat out/case/forces.csv out/case/monitor.csv; }
other_tables() {
    rm -rf out
    ok "$1" run seam.cfg --quiet "${@:2}"
    tables | cmp -s - tables.csv || fail "other tables: $*"
}
for collision in trt regularized; do
    rm -rf out
    ok 1 run seam.cfg --quiet --set lbm.collision=$collision --set parallel.steps_per_pass=1
    tables >tables.csv
    for steps in 2 4; do other_tables 1 --set lbm.collision=$collision --set parallel.steps_per_pass=$steps; done
    other_tables 1 --set lbm.collision=$collision --set lbm.streaming=pull
    other_tables 2 --set lbm.collision=$collision --set parallel.processes=[2,1,1]
    other_tables 1 --set lbm.collision=$collision --set node.emulated_gpus=1 --set parallel.residency=streamed
done
rm -rf out
moments=(--set lbm.collision=regularized --set lbm.streaming=moments)
ok 1 run seam.cfg --quiet "${moments[@]}"
tables >tables.csv
other_tables 2 "${moments[@]}" --set parallel.processes=[2,1,1]
other_tables 1 "${moments[@]}" --set node.emulated_gpus=1
other_tables 1 "${moments[@]}" --set node.emulated_gpus=1 --set parallel.residency=streamed --set parallel.steps_per_pass=2

# ---- edges ----

# A force along -x on a fluid at rest makes a pressure gradient, in which a body feels the force per cell times its volume:
# also on the floor, in a corner, beside another body, whatever it is made of.
cat >rest.cfg <<'CFG'
name = "case";
steps = 4000;
domain = { cells = [12, 8, 10]; };
lbm = { collision = "trt"; tau = 1.0; force = [-1e-5, 0.0, 0.0]; };
boundaries = { x_low = { kind = "no_slip"; }; x_high = { kind = "no_slip"; };
               y_low = { kind = "no_slip"; }; y_high = { kind = "no_slip"; }; };
geometry = { objects = ( { shape = "box"; low = [4.0, 0.0, 3.0]; high = [7.0, 2.0, 8.0]; } ); };
forces = { every = 4000; };
output = { fields = false; };
CFG
# buoyancy VOLUME ARGUMENT...: of the first body.
buoyancy() {
    rm -rf out
    ok 1 run rest.cfg --quiet "${@:2}"
    checks "close([f[name] for name in f if name.endswith('_fx')][1][-1], 1e-5 * $1, 1e-12)"
}
box() { echo "{ shape = \"box\"; low = [$1]; high = [$2]; kind = \"${3-no_slip}\"; }"; }
buoyancy 30
buoyancy 30 --set lbm.lattice=d3q27
buoyancy 30 --set lbm.streaming=list
buoyancy 30 --set node.emulated_gpus=1
buoyancy 30 "${moments[@]}" --set steps=8000 --set forces.every=8000 # steps that damp walls come to rest later
buoyancy 30 --set boundaries.y_low.kind=free_slip
buoyancy 30 --set "geometry.objects=( $(box 4.,0.,3. 7.,2.,8. curved_wall) )"
buoyancy 15 --set "geometry.objects=( $(box 4.,0.,3. 7.,1.,8.) )"
closed=(--set boundaries.z_low.kind=no_slip --set boundaries.z_high.kind=no_slip)
buoyancy 24 "${closed[@]}" --set "geometry.objects=( $(box 4.,0.,0. 7.,2.,4.) )"
buoyancy 12 --set "geometry.objects=( $(box 4.,0.,3. 7.,2.,5.), $(box 4.,0.,5. 7.,2.,8.) )"
checks 'close(f["objects_1_fx"][-1], 1.8e-4, 1e-12)'
/usr/bin/python3 - <<'PYTHON' 2>/dev/null && buoyancy 30 --set geometry.objects=[] --set 'geometry.heights={ file = "floor.hdf"; up = "y"; }'
import h5py, numpy
heights = numpy.zeros((10, 12))
heights[3:8, 4:7] = 2.0
with h5py.File("floor.hdf", "w") as f:
    f["heights"] = heights
PYTHON

# On a plane of symmetry half of a body has half of the force.
cat >whole.cfg <<'CFG'
name = "case";
steps = 600;
domain = { cells = [30, 20, 1]; };
lbm = { collision = "trt"; tau = 0.8; velocity = 0.05; };
boundaries = { x_low = { kind = "velocity"; velocity = [0.05, 0.0, 0.0]; }; x_high = { kind = "pressure_normal"; };
               y_low = { kind = "free_slip"; }; y_high = { kind = "free_slip"; }; };
geometry = { objects = ( BODY ); };
forces = { every = 600; };
output = { fields = false; };
CFG
# halves WHOLE HALF: bodies.
halves() {
    rm -rf out
    sed "s/BODY/$1/" whole.cfg >body.cfg
    ok 1 run body.cfg --quiet
    local whole
    whole=$(tail -n 1 out/case/forces.csv | cut -d , -f 6)
    sed "s/BODY/$2/; s/\[30, 20, 1\]/[30, 10, 1]/" whole.cfg >body.cfg
    ok 1 run body.cfg --quiet --set name=case --set output.directory='"out/case"' --overwrite
    checks "close(f['objects_0_fx'][-1], 0.5 * $whole, 1e-12)"
}
cylinder() { echo "{ shape = \"cylinder\"; low = [10.3, $1, -1.0]; high = [10.3, $1, 2.0]; radius = 3.4; kind = \"$2\"; }"; }
halves "$(box 8.,7.,0. 12.,13.,1.)" "$(box 8.,-3.,0. 12.,3.,1.)"
for kind in no_slip curved_wall; do halves "$(cylinder 10.0 $kind)" "$(cylinder 0.0 $kind)"; done
rm -rf out

# ---- mass and energy of a stream past a curved wall ----

cat >street.cfg <<'CFG'
name = "street";
steps = 3000;
domain = { cells = [96, 48, 1]; };
lbm = { tau = 0.53; force = [4e-6, 0.0, 0.0]; velocity = 0.08; length = 10.0; };
boundaries = { y_low = { kind = "free_slip"; }; y_high = { kind = "free_slip"; }; };
geometry = { objects = ( { shape = "cylinder"; low = [30.3, 23.1, -1.0]; high = [30.3, 23.1, 2.0]; radius = 5.3; kind = "no_slip"; } ); };
initial = { kind = "uniform"; velocity = [0.08, 0.0, 0.0]; };
monitor = { every = 500; };
output = { fields = false; };
CFG
for kind in no_slip curved_wall; do
    rm -rf out
    ok 1 run street.cfg --quiet --set "geometry.objects[0].kind=$kind"
    value out/street/results.json mean_kinetic_energy >$kind.txt
done
python3 - out/street/monitor.csv no_slip.txt curved_wall.txt >out.txt 2>err.txt <<'PYTHON' || fail "a stream past a curved wall"
import csv, sys
drifts = [float(row["mass_drift"]) for row in csv.DictReader(open(sys.argv[1]))]
stairs, curved = (float(open(name).read()) for name in sys.argv[2:])
assert len(drifts) == 6 and max(map(abs, drifts)) < 1e-12, drifts
assert abs(curved / stairs - 1) < 0.03, (stairs, curved)
PYTHON
# At low viscosities, too: what moves slows down about as fast as past walls of cells.
slow=(--quiet --set lbm.tau=0.503 --set 'lbm.force=[0, 0, 0]' --set 'initial.velocity=[0.01, 0, 0]' --set boundaries.y_low.kind=periodic
    --set boundaries.y_high.kind=periodic)
for how in trt:in_place srt:pull regularized:list recursive_regularized:in_place recursive_regularized:moments; do
    for kind in no_slip curved_wall; do
        rm -rf out
        ok 1 run street.cfg "${slow[@]}" --set lbm.collision=${how%:*} --set lbm.streaming=${how#*:} --set "geometry.objects[0].kind=$kind"
        value out/street/results.json mean_kinetic_energy >$kind.txt
    done
    python3 - out/street/monitor.csv no_slip.txt curved_wall.txt >out.txt 2>err.txt <<'PYTHON' || fail "a slow stream past a curved wall, $how"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
stairs, curved = (float(open(name).read()) for name in sys.argv[2:])
assert max(abs(float(row["mass_drift"])) for row in rows) < 1e-12, rows
assert stairs < 0.5 * 0.01**2 and abs(curved / stairs - 1) < 0.03, (stairs, curved)
PYTHON
done
rm -rf out

# ---- faces ----

# What drives the fluid is what walls take: of a box on a face, and of the faces beside it; the same bits on all hardware.
cat >faces.cfg <<'CFG'
name = "faces"; steps = 12000;
domain = { cells = [8, 20, 6]; };
lbm = { viscosity = 0.1; force = [1e-5, 0.0, 2e-6]; };
geometry = { objects = ( { shape = "box"; low = [2.0, 0.0, 0.0]; high = [6.0, 4.0, 6.0]; } ); };
boundaries = { y_low = { kind = "no_slip"; }; y_high = { kind = "no_slip"; }; };
forces = { every = 100; bodies = ( { name = "low"; of = "boundaries.y_low"; }, { name = "high"; of = "boundaries.y_high"; },
                                   { name = "box"; of = "geometry.objects[0]"; } ); };
output = { fields = false; };
CFG
ok 1 run faces.cfg --quiet
python3 - out/faces/forces.csv >out.txt 2>err.txt <<'PYTHON' || fail "forces on faces"
import csv, sys
*_, row = ({key: float(value) for key, value in row.items()} for row in csv.DictReader(open(sys.argv[1])))
cells = 8 * 20 * 6 - 4 * 4 * 6
for axis, force in ("x", 1e-5), ("y", 0.0), ("z", 2e-6):
    parts = [row[f"{body}_f{axis}"] for body in ("low", "high", "box")]
    assert abs(sum(parts) - cells * force) < 1e-11 * cells * 1e-5, (axis, parts, cells * force)
    assert all(parts) and row[f"total_f{axis}"] == parts[2], (parts, row)
PYTHON
short=(--quiet --set steps=200)
ok 1 run faces.cfg "${short[@]}"
cp out/faces/forces.csv faces.csv
same_faces() {
    rm -rf out
    ok "$1" run faces.cfg "${short[@]}" --set "parallel.processes=[1,$1,1]" "${@:2}"
    cmp faces.csv out/faces/forces.csv || fail "other forces on faces: $*"
}
same_faces 3 --set lbm.streaming=pull
same_faces 3 --set lbm.streaming=list
same_faces 3 --set node.emulated_gpus=1
same_faces 2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
rm -rf out

# ---- what is refused ----

# refuse_body LINE TEXT...: this body is refused.
refuse_body() {
    sed "/^forces/s/every = 20;/every = 20; bodies = ( $1 );/" case.cfg >bad.cfg
    refuse 2 check bad.cfg -- "bad.cfg:9: 'forces.bodies[0]" "${@:2}"
}
refuse_body '{ name = "a"; of = "geometry.objects[2]"; }' "of' there is no solid \"geometry.objects[2]\"" \
    "(there are geometry.objects[0], geometry.objects[1])"
refuse_body '{ name = "a"; of = "geometry.city"; }' "of' there is no solid"
refuse_body '{ name = "a"; of = "boundaries.x_top"; }' "of' there is no solid"
refuse_body '{ name = "a"; of = "boundaries.x_low"; }' "of' boundaries.x_low is of kind"
refuse_body '{ name = "a b"; of = "geometry.objects[0]"; }' "name' must be"
refuse_body '{ name = "total"; of = "geometry.objects[0]"; }' "name' must be"
refuse_body '{ name = "a"; of = "geometry.objects[0]"; area = 2.0; }' "area' coefficients need both"
sed 's/{ every = 20; }/{ bodies = ( { name = "a"; of = "geometry.objects[0]"; } ); }/; /checkpoint/d' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:9: 'forces.bodies' needs forces.every"
sed 's/); };/); };/; s/kind = "curved_wall"/kind = "velocity"; velocity = [0.01, 0.0, 0.0]/' case.cfg >bad.cfg
sed -i '/^forces/s/every = 20; };/every = 20; bodies = ( { name = "a"; of = "geometry.objects[0]"; } ); };/' bad.cfg
refuse 2 check bad.cfg -- "'forces.bodies[0].of'" "is of kind velocity"
sed '/objects = (/,/^); };/d; s/^geometry.*//' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:" "'forces.every'" "curved_wall"
sed -i '/^forces/s/every = 20;/every = 20; bodies = ( { name = "a"; of = "geometry.objects[0]"; } );/' bad.cfg
refuse 2 check bad.cfg -- "there is no solid \"geometry.objects[0]\": name one of geometry (there is none), or a face"

# ---- lists in a small window ----

# Along a periodic axis rows of a list's slots come from both ends in turn, so that the links of a block are in no order: all of
# their cells must be on the device. The window is as small as it can be.
cat >array.cfg <<'CFG'
name = "array";
steps = 2;
domain = { cells = [64, 41, 64]; };
lbm = { viscosity = 0.05; force = [0.0, 1e-5, 0.0]; streaming = "list"; };
boundaries = { x_low = { kind = "no_slip"; }; x_high = { kind = "no_slip"; };
    z_low = { kind = "no_slip"; }; z_high = { kind = "no_slip"; }; };
geometry = { spheres = { array = "simple_cubic"; radius = 0.9662; constant = 8.594; kind = "curved_wall"; }; };
initial = { kind = "uniform"; velocity = [0.01, 0.03, 0.02]; };
forces = { every = 2; };
output = { every = 0; fields = false; };
CFG
streamed=(run array.cfg --quiet --set output.directory=window --set node.emulated_gpus=1 --set parallel.residency=streamed
    --set parallel.steps_per_pass=1)
refuse 4 "${streamed[@]}" --set parallel.device_memory_limit=1e-7 -- "parallel.device_memory_limit"
need=$(sed -n 's/.*a streamed slab needs \([0-9.e-]*\) GB.*/\1/p' err.txt)
ok 1 run array.cfg --quiet
ok 1 "${streamed[@]}" --set "parallel.device_memory_limit=$(awk "BEGIN { print 1.01 * $need }")"
cmp out/array/forces.csv window/forces.csv || fail "forces of a streamed list along a periodic axis"

finish
