#!/usr/bin/env bash
# A flow that carries a scalar, from the input file to the results: the same bits on any hardware, processes and
# residency, and after a restart; what is written; what is refused.
source "$2/tests/cli/common.bash"
left_behind=out/case/results.json
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
if ! "$python" -c 'import h5py' 2>/dev/null; then exit 77; fi
hash_of() { value "out/$1/results.json" state_hash; }

# A warm ball and a wall that heats, in a stream that leaves through a face.
cat >case.cfg <<'CFG'
name = "case";
steps = 60;
domain = { cells = [24, 20, 40]; };
lbm = { viscosity = 0.03; };
scalar = { diffusivity = 0.02; reference = 20.0; difference = 5.0; initial = 21.0; buoyancy = [0.0, 1e-5, 0.0]; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.03, 0.0, 0.0]; scalar = { value = 18.0; }; };
    x_high = { kind = "pressure_normal"; sponge = { width = 5; }; };
    y_low = { kind = "no_slip"; scalar = { flux = 1e-3; }; };
    y_high = { kind = "free_slip"; };
    z_low = { kind = "no_slip"; };
    z_high = { kind = "moving_wall"; velocity = [0.02, 0.0, 0.0]; scalar = { value = 19.0; }; };
};
geometry = { objects = ( { shape = "sphere"; kind = "curved_wall"; center = [10.0, 9.0, 20.0]; radius = 4.3;
    scalar = { value = 25.0; }; } ); };
node = { emulated_gpus = 1; };
checkpoint = { every = 20; };
monitor = { every = 20; };
output = { quantities = "velocity scalar scalar_flux"; picture = "z"; probes = ( { name = "behind"; cell = [16, 9, 20]; } ); };
CFG

# ---- results ----

ok 1 run case.cfg
says "D3Q7" "Prandtl number 1.5" "Nusselt number"
right=$(hash_of case)
[[ -s out/case/velocity_00000060.png ]] || fail "there is no picture"
"$python" - <<'PYTHON' || fail "results"
import csv, json
import h5py, numpy
r = json.load(open("out/case/results.json"))
lines = list(csv.DictReader(open("out/case/monitor.csv")))
assert float(lines[-1]["mean_scalar"]) == r["mean_scalar"] and "nusselt_x" in r, r
data = h5py.File("out/case/fields_00000060.hdf")["VTKHDF/PointData"]
scalar, flux = numpy.array(data["scalar"]), numpy.array(data["scalar_flux"])
assert scalar.shape[:3] == flux.shape[:3] and flux.shape[3] == 3
fluid = scalar[scalar != 20.0]  # solid cells have the reference
assert abs(fluid.min() - r["lowest_scalar"]) < 1e-5 and abs(fluid.max() - r["highest_scalar"]) < 1e-5, r
assert 17.9 < fluid.min() < 19.0 and 23.0 < fluid.max() < 25.0, (fluid.min(), fluid.max())
assert abs(flux[..., 0].sum() / r["fluid_cells"] - r["mean_scalar_flux_x"]) < 1e-6
probe = list(csv.DictReader(open("out/case/probe_behind.csv")))
assert abs(float(probe[-1]["scalar"]) - scalar[20, 9, 16]) < 1e-5, probe[-1]
PYTHON

# Means over time, of every third state from 12 on, against the states themselves; a restart continues them.
means=(--quiet --set name=means --set output.picture=none --set output.precision=f64 --set output.average.begin=11
    --set output.average.every=3 --set 'output.quantities="velocity scalar mean_scalar rms_scalar turbulent_flux"')
ok 1 run case.cfg "${means[@]}" --set output.every=1
"$python" - <<'PYTHON' || fail "means of the scalar"
import h5py, numpy
def read(step):
    return {name: numpy.array(values) for name, values in h5py.File("out/means/fields_%08d.hdf" % step)["VTKHDF/PointData"].items()}
states, means = [read(step) for step in range(14, 61, 3)], read(60)
T, u = numpy.array([s["scalar"] for s in states]), numpy.array([s["velocity"] for s in states])
fluid = T[-1] != 20.0
expected = {"mean_scalar": T.mean(axis=0), "rms_scalar": T.std(axis=0),
            "turbulent_flux": ((T - T.mean(axis=0))[..., None] * (u - u.mean(axis=0))).mean(axis=0)}
for name, values in expected.items():
    off = numpy.abs(means[name] - values)[fluid].max()
    assert off < 1e-7 * numpy.abs(values[fluid]).max(), (name, off)
    assert numpy.abs(values[fluid]).max() > 1e-6, name
PYTHON
mv out/means straight
ok 1 run case.cfg "${means[@]}" --set node.emulated_gpus=0 --set steps=30
ok 3 run case.cfg "${means[@]}" --restart latest --set 'parallel.processes=[1, 1, 3]' --set node.emulated_gpus=3
"$python" - <<'PYTHON' || fail "means of the scalar after a restart"
import h5py, numpy
a, b = (h5py.File(folder + "/fields_00000060.hdf")["VTKHDF/PointData"] for folder in ("straight", "out/means"))
assert all(numpy.array_equal(a[name], b[name]) for name in a), list(a)
PYTHON
refuse 2 check case.cfg --set 'scalar={}' --set 'boundaries={}' --set 'geometry={}' --set output.quantities=rms_scalar -- "rms_scalar" \
    "scalar.diffusivity"

# ---- the same bits ----

same() { if [[ $(hash_of case) != "$right" ]]; then fail "other bits: $*"; fi; }
quiet=(--quiet --set output.fields=false --set output.picture=none)
for with in lbm.streaming=pull node.emulated_gpus=0; do
    ok 1 run case.cfg "${quiet[@]}" --overwrite --set "$with"
    same "$with"
done
ok 3 run case.cfg "${quiet[@]}" --overwrite --set 'parallel.processes=[1, 1, 3]' --set node.emulated_gpus=3
same three processes
memory=0.005
if [[ ${WABE_TEST_GPUS-} == real ]]; then memory=0.3; fi # the pieces of a window are larger there
for steps in 1 5; do
    ok 1 run case.cfg "${quiet[@]}" --overwrite --set parallel.device_memory_limit=$memory --set parallel.residency=streamed \
        --set parallel.steps_per_pass="$steps"
    same "streamed, $steps"
done
ok 1 run case.cfg "${quiet[@]}" --overwrite --set steps=20
ok 2 run case.cfg "${quiet[@]}" --restart latest --set lbm.streaming=pull
same restart

# ---- nineteen populations ----

# A stream of the scalar 1 past an insulated block: seven populations gave 0.91 to 1.20.
cat >even.cfg <<'CFG'
name = "even";
steps = 5000;
domain = { cells = [30, 10, 1]; };
lbm = { tau = 0.8; velocity = 0.02; };
scalar = { diffusivity = 0.02; initial = 1.0; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.02, 0.0, 0.0]; scalar = { value = 1.0; }; };
    x_high = { kind = "pressure_normal"; };
    y_low = { kind = "no_slip"; };
    y_high = { kind = "no_slip"; };
};
geometry = { objects = ( { shape = "box"; low = [10.0, 3.0, 0.0]; high = [13.0, 6.0, 1.0]; } ); };
output = { fields = false; };
CFG
for with in scalar.lattice=auto scalar.diffusivity=0.002 'boundaries.x_high.kind="pressure"' lbm.force=[1e-5,0,0] \
    'boundaries.y_low={kind="velocity";velocity=[0.02,0.0,0.0];}' \
    'boundaries.x_low={kind="pressure";density=1.01;scalar={value=1.0;};}' \
    'geometry.objects=({shape="sphere";center=[10.3,5.1,0.5];radius=2.7;kind="curved_wall";})'; do
    ok 1 run even.cfg --quiet --overwrite --set "$with"
    "$python" -c 'import json; r = json.load(open("out/even/results.json")); low, high = r["lowest_scalar"], r["highest_scalar"]
assert 1 - 1e-12 < low <= high < 1 + 1e-12, (low, high)' || fail "a scalar that is 1 does not stay 1: $with"
done
# Large eddies at a grid Peclet number of 6000, past all kinds of walls. (Where the collision leaves the scalar's flux alone, short
# waves grow; with two relaxation times the run diverges.)
cat >eddies.cfg <<'CFG'
name = "eddies";
steps = 6000;
domain = { cells = [60, 20, 16]; };
lbm = { viscosity = 1e-3; velocity = 0.06; length = 8.0; les = { model = "smagorinsky"; }; };
scalar = { diffusivity = 1e-5; initial = 1.0; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.06, 0.0, 0.0]; scalar = { value = 1.0; }; };
    x_high = { kind = "pressure"; sponge = { width = 10; }; };
    y_low = { kind = "wall_function"; };
    y_high = { kind = "free_slip"; };
};
geometry = { objects = ( { shape = "box"; low = [20.0, 0.0, 3.0]; high = [26.0, 8.0, 9.0]; kind = "wall_function"; },
    { shape = "sphere"; center = [35.0, 10.0, 8.0]; radius = 3.2; kind = "curved_wall"; } ); };
output = { fields = false; };
CFG
steps=2000 # two times through the domain
if full; then steps=6000; fi
ok 1 run eddies.cfg --set steps=$steps
says "D3Q19 recursive_regularized" "turbulent Schmidt number 0.7"
"$python" -c 'import json; r = json.load(open("out/eddies/results.json")); low, high = r["lowest_scalar"], r["highest_scalar"]
assert 1 - 1e-11 < low <= high < 1 + 1e-11, (low, high)' || fail "a scalar that is 1 does not stay 1 with large eddies"
# A source of one cell at a grid Peclet number of 20 makes ripples, which are warned of; one that is wide does not.
cat >ripples.cfg <<'CFG'
name = "ripples";
steps = 600;
domain = { cells = [48, 16, 16]; };
lbm = { tau = 0.6; velocity = 0.1; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.1, 0.0, 0.0]; };
    x_high = { kind = "pressure"; };
};
initial = { kind = "uniform"; velocity = [0.1, 0.0, 0.0]; };
scalar = { lattice = "d3q7"; diffusivity = 5e-3; sources = ( { begin = [16, 8, 8]; rate = 0.02; } ); };
output = { fields = false; };
CFG
ok 1 run ripples.cfg --quiet
says "the scalar falls to"
ok 1 run ripples.cfg --quiet --overwrite --set scalar.diffusivity=0.1
if grep -q "the scalar falls to" err.txt; then fail "warned of a scalar that falls nowhere"; fi

# Two sources in a closed box with a flow through it: what they have given off is what is there, on any hardware, also after a
# restart while one gives off.
cat >sources.cfg <<'CFG'
name = "sources";
steps = 40;
domain = { cells = [24, 12, 40]; };
lbm = { viscosity = 1e-3; force = [1e-5, 0.0, 0.0]; velocity = 0.05; length = 5.0; les = { model = "smagorinsky"; }; };
scalar = { diffusivity = 1e-4; reference = 2.0; difference = 0.5;
    sources = ( { begin = [3, 0, 30]; end = [7, 4, 40]; rate = 0.1; start = 10; stop = 31; }, { begin = [12, 5, 5]; rate = 0.02; } ); };
initial = { kind = "uniform"; velocity = [0.05, 0.0, 0.0]; };
boundaries = { y_low = { kind = "wall_function"; }; y_high = { kind = "free_slip"; }; z_low = { kind = "free_slip"; }; z_high = { kind = "no_slip"; }; };
geometry = { objects = ( { shape = "box"; low = [4.0, 0.0, 33.0]; high = [9.0, 5.0, 38.0]; kind = "wall_function"; } ); };
checkpoint = { every = 20; };
output = { precision = "f64"; quantities = "density scalar solid"; };
CFG
ok 1 run sources.cfg
says "0.1 a step, fluid cells: 100" "0.02 a step, fluid cells: 1"
"$python" - <<'PYTHON' || fail "sources"
import json
import h5py, numpy
data = h5py.File("out/sources/fields_00000040.hdf")["VTKHDF/PointData"]
scalar, density, fluid = (numpy.array(data[name]) for name in ("scalar", "density", "solid"))
there = ((scalar - 2.0) * density)[fluid < 0.5].sum()
released = json.load(open("out/sources/results.json"))["released_scalar"]
assert abs(released - (0.1 * 21 + 0.02 * 40)) < 1e-12 and abs(there - released) < 1e-10 * released, (there, released)
PYTHON
right=$(hash_of sources)
sources=(--quiet --overwrite --set output.fields=false --set output.quantities=scalar)
same_sources() { [[ $(hash_of sources) == "$right" ]] || fail "sources, $*: other bits"; }
for with in lbm.streaming=pull node.emulated_gpus=1; do
    ok 1 run sources.cfg "${sources[@]}" --set "$with"
    same_sources "$with"
done
ok 3 run sources.cfg "${sources[@]}" --set 'parallel.processes=[1, 1, 3]'
same_sources three processes
ok 1 run sources.cfg "${sources[@]}" --set steps=20
ok 2 run sources.cfg --quiet --set output.fields=false --restart latest
same_sources restart
ok 1 run sources.cfg "${sources[@]}" --set 'geometry={}'
right=$(hash_of sources)
ok 1 run sources.cfg "${sources[@]}" --set 'geometry={}' --set parallel.steps_per_pass=3
same_sources passes of three steps
# Across periodic z, with ghost planes of passes that have the source of the other end; and in pores that are closed.
periodic=("${sources[@]}" --set 'geometry={}' --set 'boundaries.z_low={}' --set 'boundaries.z_high={}')
periodic+=(--set 'scalar.sources=({begin=[3,2,0];end=[7,4,2];rate=0.1;})')
ok 1 run sources.cfg "${periodic[@]}"
right=$(hash_of sources)
ok 3 run sources.cfg "${periodic[@]}" --set 'parallel.processes=[1, 1, 3]'
same_sources periodic, three processes
ok 1 run sources.cfg "${periodic[@]}" --set node.emulated_gpus=1 --set parallel.residency=streamed --set parallel.device_memory_limit=7e6
same_sources periodic, streamed
shell='geometry={fill="unconnected";objects=({shape="box";low=[3.0,2.0,8.0];high=[12.0,11.0,9.0];},{shape="box";low=[3.0,2.0,12.0];high=[12.0,11.0,13.0];},
    {shape="box";low=[3.0,2.0,8.0];high=[4.0,11.0,13.0];},{shape="box";low=[11.0,2.0,8.0];high=[12.0,11.0,13.0];},
    {shape="box";low=[3.0,2.0,8.0];high=[12.0,3.0,13.0];},{shape="box";low=[3.0,10.0,8.0];high=[12.0,11.0,13.0];});}'
ok 2 run sources.cfg --quiet --overwrite --set "$shell" --set 'scalar.sources=({begin=[5,4,5];end=[9,6,12];rate=0.1;})'
"$python" - <<'PYTHON' || fail "a source in a closed pore"
import h5py, numpy
data = h5py.File("out/sources/fields_00000040.hdf")["VTKHDF/PointData"]
scalar, density, fluid = (numpy.array(data[name]) for name in ("scalar", "density", "solid"))
there = ((scalar - 2.0) * density)[fluid < 0.5].sum()
assert abs(there - 4.0) < 1e-10, there
PYTHON
refuse 2 run sources.cfg --set 'scalar.sources=({begin=[24,0,0];rate=1.0;})' -- "'scalar.sources[0].begin'" "24"
refuse 2 run sources.cfg --set 'scalar.sources=({begin=[12,5,5];rate=1.0;})' -- "'scalar.sources[0].rate'" "scalar.difference"
refuse 3 run sources.cfg --set 'scalar.sources=({begin=[12,5,5];rate=0.5;})' --set monitor.every=10 -- "scalar.sources" "scalar.difference"
refuse 2 run sources.cfg --set monitor.steady=1e-6 -- "'monitor.steady'" "scalar.sources[0]"
warns "--set lbm.storage=f16: .*scalar.sources" check sources.cfg --set lbm.storage=f16
ok 1 check sources.cfg --set 'scalar.sources=({begin=[20,8,8];rate=0.1;})' --set 'lbm={viscosity=0.01;velocity=0.05;}' --set scalar.diffusivity=0.01 \
    --set 'geometry.objects=({shape="box";low=[8.0,4.0,9.0];high=[12.0,8.0,13.0];})' --set 'boundaries={x_low={kind="velocity";velocity=[0.05,0.0,0.0];scalar={value=2.0;};};x_high={kind="pressure";};}'
says "D3Q19 trt"
refuse 2 run sources.cfg --set 'scalar.sources=({begin=[4,0,0];end=[3,1,1];rate=1.0;})' -- "'scalar.sources[0].end'"
refuse 2 run sources.cfg --set 'scalar.sources=({begin=[4,0,0];rate=0.0;})' -- "'scalar.sources[0].rate'"
refuse 2 run sources.cfg --set 'scalar.sources=({begin=[4,0,0];rate=1.0;start=5;stop=5;})' -- "'scalar.sources[0].stop'"
refuse 2 run sources.cfg --set 'scalar.sources=({begin=[4,0,0];rate=1.0;},{begin=[4,0,0];rate=1.0;})' -- "'scalar.sources[1].begin'"
refuse 2 check sources.cfg --set 'scalar.sources=({begin=[5,1,34];rate=1.0;})' -- "'scalar.sources[0].begin'" "solids"
# Insulated curved walls, and a value at other solids; no flux at a wall.
sed 's/flux = 1e-3/value = 19.5/; s/scalar = { value = 25.0; }; } );/},\n    { shape = "box"; low = [12.0, 3.0, 28.0]; high = [16.0, 8.0, 33.0]; scalar = { value = 24.0; }; } );/' \
    case.cfg >nineteen.cfg
if ! full; then sed -i 's/^steps = 60;/steps = 40;/' nineteen.cfg; fi
ok 1 run nineteen.cfg --overwrite
says "D3Q19 trt, diffusivity 0.02"
right=$(hash_of case)
for with in lbm.streaming=pull node.emulated_gpus=0 'parallel.mode="heterogeneous"'; do
    ok 1 run nineteen.cfg "${quiet[@]}" --overwrite --set "$with"
    same "nineteen populations, $with"
done
ok 3 run nineteen.cfg "${quiet[@]}" --overwrite --set 'parallel.processes=[1, 1, 3]' --set node.emulated_gpus=3
same nineteen populations, three processes
ok 1 run nineteen.cfg "${quiet[@]}" --overwrite --set parallel.device_memory_limit=$memory --set parallel.residency=streamed
same nineteen populations, streamed
ok 1 run nineteen.cfg "${quiet[@]}" --overwrite --set steps=20
if "$wabe" run nineteen.cfg "${quiet[@]}" --restart latest --set scalar.lattice=d3q7 >out.txt 2>err.txt; then
    fail "a restart with other populations"
fi
says "'scalar.lattice'" "needs 26 numbers"
ok 2 run nineteen.cfg "${quiet[@]}" --restart latest --set lbm.streaming=pull
same nineteen populations, restart
refuse 2 run case.cfg --set scalar.lattice=d3q19 -- "'scalar.lattice'" "d3q7"

# ---- refused ----

refuse 2 run case.cfg --set scalar.prandtl=0.7 -- "'scalar.prandtl'" "contradicts scalar.diffusivity"
refuse 2 run case.cfg --set scalar.diffusivity=0 -- "'scalar.diffusivity'"
refuse 2 run case.cfg --set scalar.diffusivity=0.125 -- "'scalar.diffusivity'" "0.1225"
refuse 2 run case.cfg --set lbm.collision=srt -- "'lbm.collision'" "trt"
refuse 2 run case.cfg --set lbm.streaming=list -- "'lbm.streaming'" "pull, in_place"
refuse 2 run case.cfg --set lbm.les.model=smagorinsky -- "'lbm.collision'" "flux"
refuse 2 run case.cfg --set lbm.collision=recursive_regularized --set scalar.lattice=d3q7 -- "'scalar.lattice'" "d3q19"
refuse 2 run nineteen.cfg --set lbm.collision=recursive_regularized --set scalar.magic=0.2 -- "'scalar.magic'" "trt"
refuse 2 run nineteen.cfg --set scalar.turbulent_schmidt=0.9 -- "'scalar.turbulent_schmidt'" "lbm.les.model"
refuse 2 run case.cfg --set lbm.lattice=d3q27 -- "'lbm.lattice'" "d3q19"
ok 1 check case.cfg --set boundaries.x_high.scalar.value=19
refuse 2 run case.cfg --set boundaries.y_high.scalar.value=19 -- "'boundaries.y_high.scalar.value'" "free_slip"
refuse 2 run case.cfg --set geometry.heights.scalar.flux=1 -- "'geometry.heights.scalar.flux'" "geometry.heights.file"
refuse 2 run case.cfg --set boundaries.y_high.scalar.flux=3 -- "'boundaries.y_high.scalar.flux'" "free_slip"
refuse 2 run case.cfg --set boundaries.y_low.scalar.value=3 -- "'boundaries.y_low.scalar.flux'" "contradicts"
sed 's/diffusivity = 0.02;//' case.cfg >bad.cfg
refuse 2 run bad.cfg -- "bad.cfg:7: 'boundaries.x_low.scalar.value'" "scalar.diffusivity"
sed 's/; scalar = {[^}]*}//; s/^    scalar = {[^}]*};//; s/^scalar = .*//; s/ scalar scalar_flux//' case.cfg >plain.cfg
refuse 2 run plain.cfg --set scalar.lattice=d3q7 -- "'scalar.lattice'" "scalar.diffusivity"
refuse 2 run plain.cfg --set 'scalar={sources=({begin=[4,0,0];rate=1.0;});}' -- "'scalar.sources[0].rate'" "scalar.diffusivity"
refuse 2 run plain.cfg --set scalar.magic=0.2 -- "'scalar.magic'" "scalar.diffusivity"
refuse 2 run plain.cfg --set 'output.quantities="scalar"' -- "'output.quantities'" "scalar.diffusivity"
refuse 2 run case.cfg --set scalar.difference=1 -- "case.cfg:15: 'geometry.objects[0].scalar.value'" "scalar.difference"
refuse 2 run case.cfg --set scalar.initial=31 -- "'scalar.initial'" "scalar.difference"
refuse 2 run case.cfg --set geometry.scalar.value=21 -- "'geometry.scalar.value'" "voxels"
refuse 2 run case.cfg --set scalar.diffusivity=1e-9 -- "'scalar.diffusivity'" "1e-06"
refuse 2 run plain.cfg --set scalar.prandtl=1e9 -- "'scalar.prandtl'" "1e-06"
refuse 2 run case.cfg --set boundaries.y_low.scalar.flux=6 -- "'boundaries.y_low.scalar.flux'" "scalar.difference"
warns "--set scalar.diffusivity=0.005: grid Peclet number .* at the edges of solids" check case.cfg --set scalar.diffusivity=0.005
ok 1 check case.cfg --set scalar.diffusivity=5 --set "scalar.buoyancy=[0, 0, 0]" --set "boundaries.x_low.velocity=[0.02, 0, 0]" # 0.2 of 0.004
if grep -q '^warning.*Peclet' out.txt err.txt; then fail "warned of a small Peclet number"; fi
# A warm body alone in a stream of the reference does no harm, a wall that heats the stream before it does.
lone=(--set scalar.diffusivity=0.1 --set 'scalar.buoyancy=[0, 0, 0]' --set scalar.reference=18 --set scalar.initial=18
    --set boundaries.z_high.scalar.value=18 --set scalar.difference=7)
ok 1 check case.cfg "${lone[@]}" --set boundaries.y_low.scalar.flux=0
says "D3Q7 trt"
if grep -q '^warning.*Peclet' out.txt err.txt; then fail "warned of a warm body in a stream of the reference"; fi
warns ".*Peclet number .* the arriving fluid's difference from scalar.reference; use more cells" check case.cfg "${lone[@]}"
warns ".*Peclet number .* its difference from scalar.reference; set the reference" check case.cfg "${lone[@]}" --set scalar.initial=19
ok 1 check case.cfg --set 'scalar.buoyancy=[0, 1e-2, 0]'
says "velocity of free fall" "compressible"

# ---- other ways in ----

# What is stored is relative to reference and difference, whatever else changes.
ok 1 run case.cfg "${quiet[@]}" --overwrite
for key in scalar.reference=20.5 scalar.difference=6; do
    if "$wabe" run case.cfg "${quiet[@]}" --restart latest --change-physics --set steps=70 --set "$key" >out.txt 2>err.txt; then
        fail "a restart with $key"
    fi
    grep -q "'${key%=*}'" err.txt || fail "nothing says that $key must not change"
done
ok 1 run case.cfg "${quiet[@]}" --restart latest --change-physics --set steps=70 --set scalar.diffusivity=0.03
# The example, small; a steady state is one of flow and scalar.
ok 1 run "$2/input/heated_cavity.cfg" "${quiet[@]}" --overwrite --set 'domain.cells=[12, 12, 12]' --set lbm.viscosity=0.02 \
    --set 'scalar.buoyancy=[0, 2e-5, 0]' --set monitor.every=200 --set monitor.steady=1e-5
"$python" -c 'import json; n = json.load(open("out/heated_cavity/results.json"))["nusselt_x"]; assert 1.0 < n < 2.0, n' || fail "Nusselt number"
finish
