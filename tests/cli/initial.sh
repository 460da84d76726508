#!/usr/bin/env bash
# Flows that begin with fields of a file, or with eddies: the same state on all that it can run on, on grids of another
# resolution what lies between the values, and what is refused.
source "$2/tests/cli/common.bash"
left_behind=out/tiny/results.json
write_case
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
if ! "$python" -c 'import h5py' 2>/dev/null; then exit 77; fi

hash_of() { value "out/tiny/results.json" state_hash; }
full=(--quiet --set output.precision=f64 --set 'output.quantities="velocity, pressure, density, solid"')
from() { begin=(--set initial.kind=file --set initial.file="$1"); }

# ---- the same cells ----

# What is read is what was written, walls aside; and the same bits go on from it everywhere.
sed '$a geometry = { objects = ( { shape = "sphere"; center = [8.0, 6.0, 6.0]; radius = 3.0; } ); };' case.cfg >sphere.cfg
ok 1 run sphere.cfg "${full[@]}"
cp out/tiny/fields_00000020.hdf state.hdf
from state.hdf
ok 1 run sphere.cfg "${full[@]}" "${begin[@]}" --set steps=0
cp out/tiny/fields_00000000.hdf begun.hdf
cat >same.py <<'PYTHON'
import sys, h5py, numpy
with h5py.File("state.hdf") as a, h5py.File("begun.hdf") as b:
    for name in "velocity", "pressure", "density", "solid":
        a_values, b_values = (file["VTKHDF/PointData"][name][:] for file in (a, b))
        assert a_values.any() and numpy.allclose(a_values, b_values, rtol=0, atol=1e-15), name
PYTHON
"$python" same.py >out.txt 2>err.txt || fail "what a flow begins with is not what the file has"
right=
while read -r ranks arguments; do
    rm -rf out
    # shellcheck disable=SC2086
    ok "$ranks" run sphere.cfg --quiet "${begin[@]}" --set steps=7 $arguments
    right=${right:-$(hash_of)}
    if [[ ! $right || $(hash_of) != "$right" ]]; then fail "other bits: $ranks $arguments"; fi
done <<'RUNS'
1
3
4 --set parallel.processes=[2,2,1] --set lbm.streaming=list
1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
RUNS

# ---- other cells ----

# A field that is linear stays so to the walls, exactly, on twice and on half the cells, from f64 and f32, from density and
# pressure; one that is the same in all fluid is so beside what is solid.
ok 1 run case.cfg "${full[@]}" --set steps=0
cp out/tiny/fields_00000000.hdf linear.hdf
ok 1 run sphere.cfg "${full[@]}" --set steps=0
cp out/tiny/fields_00000000.hdf solid.hdf
cat >fields.py <<'PYTHON'
import h5py, numpy
def linear(n):
    z, y, x = numpy.meshgrid(*((numpy.arange(m) + 0.5) / m for m in n), indexing="ij")
    velocity = numpy.stack([x + 2 * y - z, z - x, 3 * y + 0 * x], axis=-1) / 128
    return velocity, (2 * x - y + z) / 1024
def put(group, name, values, kind):
    unit = group[name].attrs["unit"].decode() # to be written as Python does
    del group[name]
    group.create_dataset(name, data=values.astype(kind)).attrs["unit"] = unit
if __name__ == "__main__":
    for name, kind in ("linear_f4.hdf", "f4"), ("linear.hdf", "f8"):
        with h5py.File("linear.hdf") as source, h5py.File("new.hdf", "w") as file:
            for group in source:
                source.copy(group, file)
            velocity, pressure = linear((14, 12, 16))
            points = file["VTKHDF/PointData"]
            put(points, "velocity", velocity, kind)
            put(points, "pressure" if kind == "f8" else "density", pressure if kind == "f8" else 1 + 3 * pressure, kind)
            del points["density" if kind == "f8" else "pressure"]
        __import__("os").replace("new.hdf", name)
    with h5py.File("solid.hdf", "r+") as file:
        points = file["VTKHDF/PointData"]
        points["velocity"][...] = numpy.where(points["solid"][:][..., None] > 0, 0, [0.03125, 0.0, -0.0625])
PYTHON
"$python" fields.py || fail "files to begin with"
cat >other.py <<'PYTHON'
import sys, h5py, numpy, fields
with h5py.File("out/tiny/fields_00000000.hdf") as file:
    found = {name: data[:] for name, data in file["VTKHDF/PointData"].items()}
if sys.argv[1] == "linear":
    velocity, pressure = fields.linear(found["pressure"].shape)
    most = float(sys.argv[2])
    assert abs(found["velocity"] - velocity).max() <= most, abs(found["velocity"] - velocity).max()
    assert abs(found["pressure"] - pressure).max() <= most, abs(found["pressure"] - pressure).max()
else:
    fluid = found["velocity"][found["solid"] == 0]
    moving = (abs(fluid - [0.03125, 0.0, -0.0625]) < 1e-15).all(axis=-1)
    assert (moving | (fluid == 0).all(axis=-1)).all() and 0.95 < moving.mean() < 1
PYTHON
while read -r ranks cells; do
    for kind in linear.hdf:1e-15 linear_f4.hdf:1e-7; do
        from "${kind%:*}"
        ok "$ranks" run case.cfg "${full[@]}" "${begin[@]}" --set steps=0 --set "domain.cells=[$cells]"
        "$python" other.py linear "${kind#*:}" >out.txt 2>err.txt || fail "not linear on $cells, from $kind"
    done
done <<'RUNS'
1 32,24,28
3 32,24,28
2 8,6,7
1 24,18,21
RUNS
from solid.hdf
ok 2 run sphere.cfg "${full[@]}" "${begin[@]}" --set steps=0 --set domain.cells=[32,24,28] \
    --set 'geometry.objects=( { shape = "sphere"; center = [16.0, 12.0, 12.0]; radius = 4.5; } )'
"$python" other.py solid >out.txt 2>err.txt || fail "fluid beside what is solid"

# Periodic domains have the other end behind their faces; an axis of one cell has two layers in the file.
cat >periodic.cfg <<'CFG'
name = "tiny"; steps = 0; domain = { cells = [12, 8, 1]; }; lbm = { tau = 0.8; };
initial = { kind = "taylor_green"; velocity = [0.05, 0.0, 0.0]; };
CFG
cat >periodic.py <<'PYTHON'
import h5py, numpy, sys
with h5py.File(sys.argv[1]) as file:
    coarse = file["VTKHDF/PointData/velocity"][0]
with h5py.File("out/tiny/fields_00000000.hdf") as file:
    fine = file["VTKHDF/PointData/velocity"][0]
if sys.argv[1] == "line.hdf":
    coarse, fine = coarse[:1], fine[:1]
for axis in range(2):
    if coarse.shape[axis] > 1:
        near = [0.75 * coarse + 0.25 * numpy.roll(coarse, by, axis) for by in (1, -1)]
        coarse = numpy.stack(near, axis + 1).reshape([n * (1 + (i == axis)) for i, n in enumerate(coarse.shape)])
assert coarse.shape == fine.shape and coarse.any() and abs(coarse - fine).max() < 1e-15, abs(coarse - fine).max()
PYTHON
ok 1 run periodic.cfg "${full[@]}"
cp out/tiny/fields_00000000.hdf plane.hdf
ok 1 run periodic.cfg "${full[@]}" --set domain.cells=[12,1,1]
cp out/tiny/fields_00000000.hdf line.hdf
for ranks in 1 4; do
    from plane.hdf
    ok $ranks run periodic.cfg "${full[@]}" "${begin[@]}" --set domain.cells=[24,16,1]
    "$python" periodic.py plane.hdf >out.txt 2>err.txt || fail "a periodic plane on $ranks ranks"
    from line.hdf
    ok $ranks run periodic.cfg "${full[@]}" "${begin[@]}" --set domain.cells=[24,1,1]
    "$python" periodic.py line.hdf >out.txt 2>err.txt || fail "a periodic line on $ranks ranks"
done

# ---- units ----

# In SI units or in the lattice's, it is the same state.
sed 's/reynolds = 20.0;//; $a units = { cell = 0.002; velocity = 0.5; viscosity = 1.0e-3; density = 800.0; };' case.cfg >si.cfg
for units in si lattice; do
    ok 1 run si.cfg "${full[@]}" --set output.units=$units --set output.directory=$units
    from $units/fields_00000020.hdf
    ok 1 run si.cfg "${full[@]}" "${begin[@]}" --set steps=0 --set output.units=lattice
    cp out/tiny/fields_00000000.hdf from_$units.hdf
done
"$python" -c '
import h5py, numpy
a, b = (h5py.File("from_%s.hdf" % units)["VTKHDF/PointData"] for units in ("si", "lattice"))
for name in a:
    assert numpy.allclose(a[name], b[name], rtol=0, atol=1e-15), name' >out.txt 2>err.txt || fail "begins otherwise in SI units"

# ---- eddies ----

# The mean flow of a channel, and eddies in it, around a body, have the same bits on all that they can run on; so have those
# that are added to fields of a file.
cat >eddies.cfg <<'CFG'
name = "tiny"; steps = 7; domain = { cells = [22, 18, 16]; }; lbm = { tau = 0.6; force = [1e-6, 0.0, 0.0]; };
boundaries = { z_low = { kind = "no_slip"; }; z_high = { kind = "no_slip"; }; };
geometry = { objects = ( { shape = "sphere"; center = [8.0, 6.0, 6.0]; radius = 3.0; } ); };
initial = { kind = "turbulent_channel"; velocity = [0.05, 0.01, 0.0]; perturbation = { velocity = 0.01; length = 5.0; seed = 7; }; };
output = { every = 0; };
CFG
ok 1 run eddies.cfg "${full[@]}" --set steps=0
cp out/tiny/fields_00000000.hdf eddies.hdf
for kind in turbulent_channel file; do
    begin=(--set initial.kind=$kind)
    if [[ $kind == file ]]; then from eddies.hdf; fi
    right=
    while read -r ranks arguments; do
        rm -rf out
        # shellcheck disable=SC2086
        ok "$ranks" run eddies.cfg --quiet "${begin[@]}" $arguments
        right=${right:-$(hash_of)}
        if [[ ! $right || $(hash_of) != "$right" ]]; then fail "other eddies: $kind, $ranks $arguments"; fi
    done <<'RUNS'
1
2
4 --set parallel.processes=[2,2,1]
3 --set lbm.streaming=list
1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
RUNS
    ok 1 run eddies.cfg --quiet "${begin[@]}" --set initial.perturbation.seed=8
    if [[ $(hash_of) == "$right" ]]; then fail "the seed makes no difference: $kind"; fi
done
cat >eddies.py <<'PYTHON'
import h5py, numpy
mean, all = (h5py.File(name)["VTKHDF/PointData/velocity"][:] for name in ("mean.hdf", "all.hdf"))
profile = mean[:, 0, 0]
assert abs(profile.mean(axis=0) - [0.05, 0.01, 0.0]).max() < 1e-9, profile.mean(axis=0)
assert abs(mean - profile[:, None, None]).max() == 0 and abs(profile - profile[::-1]).max() < 1e-15
assert (profile[0, :2] < 0.8 * profile[8, :2]).all()
assert abs(numpy.sqrt(((all - mean)**2).mean()) / 0.01 - 1) < 0.05
PYTHON
ok 1 run eddies.cfg "${full[@]}" --set steps=0 --set 'geometry.objects=()'
cp out/tiny/fields_00000000.hdf all.hdf
ok 1 run eddies.cfg "${full[@]}" --set steps=0 --set 'geometry.objects=()' --set initial.perturbation.velocity=0
cp out/tiny/fields_00000000.hdf mean.hdf
"$python" eddies.py >out.txt 2>err.txt || fail "not the mean flow and the eddies that were wanted"
ok 1 run eddies.cfg --set steps=0 --set 'initial.velocity=[0,0,0]'
says "Re_tau" "eddies"

# ---- what is refused ----

refuse 2 check eddies.cfg --set 'initial.velocity=[0,0,0.1]' -- "initial.velocity" "walls"
refuse 2 check eddies.cfg --set boundaries.z_low.kind=free_slip --set boundaries.z_high.kind=free_slip -- "initial.kind" "no_slip"
refuse 2 check eddies.cfg --set boundaries.y_low.kind=no_slip --set boundaries.y_high.kind=no_slip -- "initial.kind" "one axis"
refuse 2 check eddies.cfg --set 'initial.velocity=[0,0,0]' --set 'lbm.force=[0,0,0]' --set lbm.velocity=0.1 -- "initial.kind" "lbm.force"
refuse 2 check case.cfg --set initial.perturbation.velocity=0.01 -- "initial.perturbation.velocity" "length"
refuse 2 check case.cfg --set initial.perturbation.length=8 -- "initial.perturbation.length" "not used"
refuse 2 check periodic.cfg --set 'domain.cells=[64,1,1]' --set initial.perturbation.velocity=0.01 --set initial.perturbation.length=8 \
    --set initial.kind=rest --set 'initial.velocity=[0,0,0]' -- "initial.perturbation.length" "no eddies"

sed '$a initial = { kind = "file";\n    file = "linear.hdf"; };' case.cfg >begin.cfg
bad() { # EDIT TEXT...: the file, changed by Python
    cp linear.hdf bad.hdf
    "$python" -c "
import h5py, numpy
with h5py.File('bad.hdf', 'r+') as file:
    points = file['VTKHDF/PointData']
    $1" || fail "cannot change the file: $1"
    shift
    refuse 2 run begin.cfg --set initial.file=bad.hdf -- initial.file "$@"
}
at="begin.cfg:17: 'initial.file'"
refuse 2 check begin.cfg --set domain.cells=[16,12,15] -- "$at" "16 x 12 x 14" "16 x 12 x 15"
refuse 2 check begin.cfg --set initial.kind=rest -- "$at" "alone"
refuse 2 check case.cfg --set initial.kind=file -- "initial.kind" "needs an initial.file"
refuse 2 check begin.cfg --set initial.file=case.cfg -- "initial.file" "is no HDF5 file"
refuse 6 check begin.cfg --set initial.file=none.hdf -- "initial.file" "No such file"
refuse 2 check case.cfg --set initial.kind=file --set initial.file=si/fields_00000020.hdf -- "initial.file" "m/s" "units.cell"
refuse 2 check begin.cfg --set output.directory=. -- "$at" "may replace it"
bad 'del points["velocity"]' "velocity"
bad 'del points["pressure"]' "density"
bad 'del points["velocity"].attrs["unit"]' "unit" "velocity"
bad 'points["pressure"].attrs["unit"] = numpy.bytes_("bar")' "pressure" "bar"
bad 'points["pressure"][3, 4, 5] = numpy.nan' "bad.hdf" "(5, 4, 3)"
bad 'file["VTKHDF"].attrs["Origin"] = [0.5, 0.5, 1.5]' "part"
bad 'del file["VTKHDF"].attrs["Direction"]' "Direction"
bad 'del points["velocity"]; points["velocity"] = numpy.zeros((14, 12, 16))' "velocity"
finish
