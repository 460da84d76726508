#!/usr/bin/env bash
# What of the fields is written: parts, strides, precision, means over time, probes; each against the whole fields in
# f64 of other steps and other runs. What scripts make of such folders: the Python package,
# compare_runs.py, check_paraview.py.
source "$2/tests/cli/common.bash"
write_case
cat >>case.cfg <<'CFG'
steps = 30;
geometry = { objects = ( { shape = "sphere"; center = [8.0, 6.0, 6.0]; radius = 3.0; } ); };
CFG
sed -i '/^steps = 20;/d' case.cfg
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
if ! "$python" -c 'import h5py' 2>/dev/null; then exit 77; fi

# every state, in full
ok 1 run case.cfg --quiet --set output.every=1 --set output.precision=f64 --set output.directory=all \
    --set 'output.quantities="pressure, velocity, density, stress, vorticity, q_criterion"'

# what is asked for, in one run, and in one that went on from a checkpoint, on other ranks and other hardware
chosen=(--quiet --set monitor.every=10 --set output.every=15 --set output.stride=3 --set 'output.quantities="velocity"'
    --set output.average.begin=4 --set output.average.every=5 --set output.probe_every=7
    --set 'output.parts=( { name = "plane"; begin = [0, 6, 0]; end = [0, 7, 0]; every = 10; },
    { name = "floor"; begin = [0, 0, 2]; end = [0, 0, 3]; },
    { name = "swirls"; begin = [1, 0, 0]; stride = 2; every = 30; precision = "f64";
    quantities = "stress, vorticity, q_criterion"; },
    { name = "means"; begin = [1, 2, 3]; end = [15, 0, 12]; stride = 2; every = 0; precision = "f64";
    quantities = "mean_density, mean_velocity rms_velocity, reynolds_stress, mean_speed, speed_ratio, exceedance"; } )'
    --set output.average.threshold=0.004 --set output.mean_profiles=y
    --set 'output.probes=( { name = "low"; cell = [3, 4, 2]; }, { name = "solid"; cell = [8, 6, 6]; } )')
ok 1 run case.cfg "${chosen[@]}" --set output.directory=one
ok 3 run case.cfg "${chosen[@]}" --set output.directory=two --set steps=16 --set checkpoint.every=13
ok 2 run case.cfg "${chosen[@]}" --set output.directory=two --restart two/checkpoint_00000013.h5 \
    --set node.emulated_gpus=2 --set lbm.streaming=list
for folder in one two; do
    for file in fields_00000015.hdf fields_00000030.hdf plane_00000020.hdf means_00000030.hdf means.xdmf; do
        if [[ ! -e $folder/$file ]]; then fail "there is no $folder/$file"; fi
    done
done
if [[ -e one/means_00000015.hdf ]]; then fail "a part of the last step alone was written earlier"; fi
cmp one/mean_profiles.csv two/mean_profiles.csv || fail "mean profiles of a run that went on differ"
cmp one/probe_low.csv two/probe_low.csv || fail "a probe that went on has other lines"

# By time, which is in steps here: the first state at or behind each multiple, also of passes of several steps, and the run's end.
sed '/^steps/d' case.cfg >timed.cfg
for how in lbm.streaming=pull "lbm.streaming=list --set parallel.steps_per_pass=8"; do
    # shellcheck disable=SC2086
    ok 1 run timed.cfg --quiet --overwrite --set end_time=29.5 --set output.interval=7.5 --set monitor.every=100 --set output.directory=timed --set $how \
        --set 'output.parts=( { name = "often"; begin = [0, 6, 0]; end = [0, 7, 0]; every = 13; } )'
    [[ $(cd timed && echo fields_*.hdf often_*.hdf) == "fields_00000000.hdf fields_00000008.hdf fields_00000015.hdf fields_00000023.hdf fields_00000030.hdf often_00000000.hdf often_00000013.hdf often_00000026.hdf often_00000030.hdf" ]] ||
        fail "files by time with $how: $(cd timed && echo ./*.hdf)"
done
ok 1 run timed.cfg --quiet --overwrite --set end_time=29.5 --set steps=4 --set output.directory=timed
[[ $(value timed/results.json steps) == 4 ]] || fail "steps does not limit end_time"
refuse 2 check timed.cfg --set end_time=-1.0 -- "end_time"
refuse 2 check timed.cfg --set end_time=9.0 --set output.every=3 --set output.interval=2.0 -- "output.interval" "output.every"

cat >check.py <<'PYTHON'
import sys, h5py, numpy
def read(folder, name):
    with h5py.File("%s/%s.hdf" % (folder, name), "r") as file:
        group = file["VTKHDF"]
        return {key: data[:] for key, data in group["PointData"].items()}, dict(group.attrs)
failed = 0
def same(what, found, right):
    global failed
    if found.dtype != right.dtype or not numpy.array_equal(found, right):
        print("%s differs" % what)
        failed = 1
step = [read("all", "fields_%08d" % n)[0] for n in range(31)]
last = step[30]
if not numpy.allclose(last["pressure"], (last["density"] - 1) / 3, rtol=0, atol=1e-16):
    print("pressure is not a third of what the density is above 1")
    failed = 1
for folder in "one", "two":
    fields, about = read(folder, "fields_00000030")
    same("stride", fields["velocity"], last["velocity"][::3, ::3, ::3].astype("f4"))
    if list(fields) != ["velocity"] or list(about["Spacing"]) != [3.0] * 3 or list(about["Origin"]) != [0.5] * 3:
        print("the grid of every third cell: %s %s" % (about["Spacing"], about["Origin"]))
        failed = 1
    for n in 10, 20, 30:
        plane, about = read(folder, "plane_%08d" % n)
        for layer in 0, 1:  # equal ones, at the cells' faces
            same("plane", plane["velocity"][:, layer], step[n]["velocity"][:, 6].astype("f4"))
            same("plane", plane["density"][:, layer], step[n]["density"][:, 6].astype("f4"))
        if list(about["Origin"]) != [0.5, 6.0, 0.5]:
            print("origin of a plane: %s" % about["Origin"])
            failed = 1
    swirls, about = read(folder, "swirls_00000030")
    for name in "stress", "vorticity", "q_criterion":
        same(name, swirls[name], last[name][::2, ::2, 1::2])
    means, about = read(folder, "means_00000030")
    if list(about["Origin"]) != [1.5, 2.5, 3.5]:
        print("origin of a part: %s" % about["Origin"])
        failed = 1
    box = numpy.s_[3:12:2, 2::2, 1:15:2]
    sums, squares, density = 0.0, 0.0, 0.0
    samples = range(9, 31, 5)
    for n in samples:
        u = step[n]["velocity"][box]
        sums, squares, density = sums + u, squares + u * u, density + (step[n]["density"][box] - 1)
    count = len(samples)
    same("mean velocity", means["mean_velocity"], sums / count)
    same("rms velocity", means["rms_velocity"],
         numpy.sqrt(numpy.maximum(0, squares / count - (sums / count) ** 2)))
    if not numpy.allclose(means["mean_density"], 1 + density / count, rtol=0, atol=1e-15) or not means["rms_velocity"].any():
        print("mean density, or no deviations")
        failed = 1
    speeds, above, products = 0.0, 0.0, 0.0
    for n in samples:
        u = step[n]["velocity"][box]
        x, y, z = u[..., 0], u[..., 1], u[..., 2]
        speed = numpy.sqrt(x * x + y * y + z * z)
        speeds, above = speeds + speed, above + (speed > 0.004)
        products = products + numpy.stack([x * x, y * y, z * z, x * y, y * z, x * z], axis=-1)
    mean = sums / count
    x, y, z = mean[..., 0], mean[..., 1], mean[..., 2]
    same("mean speed", means["mean_speed"], speeds / count)
    same("speed ratio", means["speed_ratio"], (1.0 / 0.1) * (speeds / count))
    same("exceedance", means["exceedance"], above / count)
    same("Reynolds stress", means["reynolds_stress"],
         products / count - numpy.stack([x * x, y * y, z * z, x * y, y * z, x * z], axis=-1))
    if not 0.02 < means["exceedance"].mean() < 0.98:
        print("a threshold that shows nothing: %s" % means["exceedance"].mean())
        failed = 1
    profiles = numpy.genfromtxt(folder + "/mean_profiles.csv", delimiter=",", names=True)
    z, y, x = numpy.mgrid[0:14, 0:12, 0:16] + 0.5
    fluid = (x - 8) ** 2 + (y - 6) ** 2 + (z - 6) ** 2 >= 9
    u = numpy.stack([step[n]["velocity"] for n in samples])
    rho = numpy.stack([step[n]["density"] for n in samples]).mean(axis=0)
    if len(profiles) != 12 or sorted(profiles["position"]) != list(profiles["position"]):
        print("levels of the mean profiles")
        failed = 1
    for level, line in enumerate(profiles):
        there = fluid[:, level]
        v = u[:, :, level][:, there]
        right = [level + 0.5, there.sum(), rho[:, level][there].mean(), *v.mean(axis=(0, 1))]
        for a, b in (0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2):
            right.append((v[..., a] * v[..., b]).mean() - v[..., a].mean() * v[..., b].mean())
        if not numpy.allclose(list(line), right, rtol=1e-12, atol=1e-17):
            print("mean profiles: %s, right is %s" % (line, right))
            failed = 1
    for name, (x, y, z) in {"low": (3, 4, 2), "solid": (8, 6, 6)}.items():
        lines = numpy.genfromtxt("%s/probe_%s.csv" % (folder, name), delimiter=",", names=True)
        if list(lines["step"]) != [7, 14, 21, 28]:
            print("steps of a probe: %s" % lines["step"])
            failed = 1
        for line in lines:
            here = step[int(line["step"])]
            same("probe", numpy.array([line["density"], line["ux"], line["uy"], line["uz"]]),
                 numpy.array([here["density"][z, y, x], *here["velocity"][z, y, x]]))
sys.exit(failed)
PYTHON
"$python" check.py >out.txt 2>err.txt || fail "what was chosen is not what the states say"

# Vorticity and Q away from walls are those of central differences; the stress there is that of the rate of strain but
# for what such differences miss. At a wall the parabola through its velocity is taken; Couette's flow has its stress
# up to the walls, and a decaying vortex both, but for the error of differences.
cat >gradients.py <<'PYTHON'
import sys, h5py, numpy
def read(name):
    with h5py.File(name, "r") as file:
        nx, ny, nz = file["wabe"].attrs["cells"] # an axis of one cell has two layers
        return {key: data[:nz, :ny, :nx] for key, data in file["VTKHDF/PointData"].items()}
fields = read("all/fields_00000030.hdf")
u = fields["velocity"]
gradient = [[numpy.gradient(u[..., k], axis=2 - d) for k in range(3)] for d in range(3)] # [d][k]: d u_k / d x_d
z, y, x = numpy.meshgrid(*(numpy.arange(n) for n in u.shape[:3]), indexing="ij")
bulk = (x + 0.5 - 8) ** 2 + (y + 0.5 - 6) ** 2 + (z + 0.5 - 6) ** 2 > 25
for at, n in zip((z, y, x), u.shape):
    bulk &= (at > 0) & (at < n - 1)
curl = numpy.stack([gradient[(k + 1) % 3][(k + 2) % 3] - gradient[(k + 2) % 3][(k + 1) % 3] for k in range(3)], -1)
q = -0.5 * sum(gradient[a][b] * gradient[b][a] for a in range(3) for b in range(3))
assert bulk.sum() > 500 and numpy.allclose(fields["vorticity"][bulk], curl[bulk], rtol=0, atol=1e-15)
assert numpy.allclose(fields["q_criterion"][bulk], q[bulk], rtol=0, atol=1e-15)
below = numpy.s_[0, 3:9, 3:13] # over the wall z = 0, half a cell below
slope = u[1, 3:9, 3:13, 0] / 3 + u[below + (0,)] # parabola through 0 at -1/2, u at 0 and 1
turn = fields["vorticity"][below + (1,)] + gradient[0][2][below]
assert numpy.allclose(turn, slope, rtol=0, atol=1e-15), abs(turn - slope).max()

couette = read("couette/fields_00000900.hdf")
rate, nu = 0.02 / 8, 0.3 / 3
assert numpy.allclose(couette["stress"], [0, 0, 0, 0, 0, nu * rate], rtol=0, atol=2 * rate ** 2)
assert numpy.allclose(couette["vorticity"], [0, rate, 0], rtol=0, atol=1e-6)
assert numpy.allclose(couette["q_criterion"], 0, rtol=0, atol=1e-9)
walls = numpy.zeros((8, 1, 1, 3)) # the moving one is held back
walls[0, ..., 0], walls[-1, ..., 0] = nu * rate, -nu * rate
assert numpy.allclose(couette["wall_stress"], walls, rtol=0, atol=1e-6 * nu)

vortex = read("vortex/fields_00000020.hdf")
u, stress, nu = vortex["velocity"][0], vortex["stress"][0], 0.3 / 3
k = 2 * numpy.pi * numpy.fft.fftfreq(32)
exact = [[numpy.fft.ifft(1j * numpy.expand_dims(k, d) * numpy.fft.fft(u[..., c], axis=1 - d), axis=1 - d).real
          for c in range(2)] for d in range(2)] # derivatives of the same velocity by Fourier series
shear = 2 * nu * abs(exact[0][0]).max()
for found, right, most in ((stress[..., 0], 2 * nu * exact[0][0], 0.01 * shear),
                           (stress[..., 1], 2 * nu * exact[1][1], 0.01 * shear),
                           (stress[..., 3], nu * (exact[0][1] + exact[1][0]), 0.01 * shear),
                           (vortex["vorticity"][0, ..., 2], exact[0][1] - exact[1][0], 0.01 * shear / nu),
                           (vortex["q_criterion"][0], -exact[0][0] ** 2 - exact[0][1] * exact[1][0],
                            0.005 * (shear / nu) ** 2)):
    assert shear > 0 and abs(found - right).max() < most, (abs(found - right).max(), most)
for name, values in read("slip/fields_00000020.hdf").items(): # the vortex's planes of symmetry as free_slip faces
    assert numpy.allclose(values, vortex[name], rtol=0, atol=1e-15), name
PYTHON
flow='steps = 900; domain = { cells = [4, 4, 8]; }; lbm = { tau = 0.8; };'
output='output = { precision = "f64"; quantities = "velocity, stress, vorticity, q_criterion, wall_stress"; };'
{ echo "name = \"couette\"; $flow $output"
    echo 'boundaries = { z_low = { kind = "no_slip"; }; z_high = { kind = "moving_wall"; velocity = [0.02, 0.0, 0.0]; }; };'
} >couette.cfg
ok 1 run couette.cfg --quiet --set output.directory=couette
ok 1 run couette.cfg --quiet --set output.directory=vortex --set steps=20 --set 'domain.cells=[32, 32, 1]' \
    --set initial.kind=taylor_green --set 'initial.velocity=[0.02, 0, 0]' --set boundaries.z_low.kind=periodic \
    --set boundaries.z_high.kind=periodic --set 'boundaries.z_high.velocity=[0, 0, 0]'
ok 1 run couette.cfg --quiet --set output.directory=slip --set steps=20 --set 'domain.cells=[32, 32, 1]' \
    --set initial.kind=taylor_green --set 'initial.velocity=[0.02, 0, 0]' --set boundaries.z_low.kind=periodic \
    --set boundaries.z_high.kind=periodic --set 'boundaries.z_high.velocity=[0, 0, 0]' \
    --set boundaries.x_low.kind=free_slip --set boundaries.x_high.kind=free_slip \
    --set boundaries.y_low.kind=free_slip --set boundaries.y_high.kind=free_slip
"$python" gradients.py >out.txt 2>err.txt || fail "stress, vorticity or Q"

# What is solid, by default as well, in fluid and walls, of all kinds of slabs; not where nothing is. Means of no
# state are 0, and the file says so.
cat >solid.py <<'PYTHON'
import sys, h5py, numpy
z, y, x = numpy.meshgrid(*(numpy.arange(n) + 0.5 for n in (14, 12, 16)), indexing="ij")
right = ((x - 8) ** 2 + (y - 6) ** 2 + (z - 6) ** 2 < 9).astype("f4")
with h5py.File(sys.argv[1] + "/fields_00000001.hdf", "r") as file:
    group = file["VTKHDF/PointData"]
    assert sorted(group) == ["density", "solid", "velocity"], sorted(group)
    assert right.any() and numpy.array_equal(group["solid"], right)
    assert "samples" not in file["wabe"].attrs
for name, step, samples in ("early", 1, 0), ("early", 3, 1):
    with h5py.File("%s/%s_%08d.hdf" % (sys.argv[1], name, step), "r") as file:
        group = file["VTKHDF/PointData"]
        assert file["wabe"].attrs["samples"] == samples
        assert numpy.array_equal(group["solid"], right[::2, ::2, ::2])
        for mean in "mean_density", "mean_velocity", "rms_velocity":
            assert numpy.isfinite(group[mean]).all() and (samples > 0) == group["mean_density"][:].any(), mean
PYTHON
while read -r ranks arguments; do
    # shellcheck disable=SC2086
    ok "$ranks" run case.cfg --quiet --set steps=3 --set output.every=1 --set output.directory=solid --set output.average.begin=1 \
        --set output.average.every=2 --set 'output.parts=( { name = "early"; stride = 2;
        quantities = "mean_density, mean_velocity, rms_velocity, solid"; } )' $arguments
    "$python" solid.py solid >out.txt 2>err.txt || fail "what is solid, or means of no state: $ranks $arguments"
    rm -rf solid
done <<'RUNS'
1
3 --set lbm.streaming=list
1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
RUNS
ok 1 run case.cfg --quiet --set 'geometry.objects=()' --set steps=0 --set output.directory=free
"$python" -c 'import h5py; assert sorted(h5py.File("free/fields_00000000.hdf")["VTKHDF/PointData"]) == ["density", "velocity"]' ||
    fail "other fields than density and velocity where nothing is solid"

# Means of other steps than a checkpoint has sums of begin anew.
ok 1 run case.cfg "${chosen[@]}" --set output.directory=two --restart two/checkpoint_00000013.h5 \
    --set output.average.begin=20
grep -q 'means .* begin anew: two/checkpoint_00000013.h5 has none, or of other steps' two/run.log ||
    fail "the log does not say that means begin anew"
cat >again.py <<'PYTHON'
import h5py, numpy
with h5py.File("two/means_00000030.hdf", "r") as file, h5py.File("all/fields_00000025.hdf", "r") as a, \
        h5py.File("all/fields_00000030.hdf", "r") as b:
    path, box = "VTKHDF/PointData/", numpy.s_[3:12:2, 2::2, 1:15:2]
    right = (a[path + "velocity"][box] + b[path + "velocity"][box]) / 2
    assert numpy.array_equal(file[path + "mean_velocity"][:], right)
PYTHON
"$python" again.py >out.txt 2>err.txt || fail "means that began anew are not those of the steps asked for"

# ---- the Python package ----

cat >module.py <<'PYTHON'
import os, sys
from pathlib import Path
os.environ["WABE"] = sys.argv[1]
sys.path.insert(0, sys.argv[2] + "/python")
import numpy, wabe
def same(found, right):
    assert found.dtype == right.dtype and found.shape == right.shape, (found.dtype, found.shape, right.shape)
    assert numpy.array_equal(found, right, equal_nan=True)

# what runs have written; whatever the order of axes in a file, arrays are (z, y, x, component)
one, two, whole = (wabe.Run(name) for name in ("one", "two", "all"))
last = whole.fields()
assert last.step == 30 and last.time == 30.0 and last["density"].shape == (14, 12, 16), last.step
same(one.fields(10, "plane")["velocity"], whole.fields(10)["velocity"][:, 6:7].astype("f4"))
same(one.fields(15, "floor")["density"], whole.fields(15)["density"][2:3].astype("f4"))
every_third = one.fields(quantities=["velocity"])
same(every_third["velocity"], last["velocity"][::3, ::3, ::3].astype("f4"))
same(every_third.centres[0], numpy.arange(0.5, 16, 3))
same(one.fields(30, "plane").centres[1], numpy.array([6.5]))
assert one.parts == ["fields", "floor", "means", "plane", "swirls"], one.parts
steps, times = one.series("plane")
assert list(steps) == list(times) == [0, 10, 20, 30] and steps.dtype == int and times.dtype == float
assert one.results["state_hash"] == whole.results["state_hash"] and one.timing["phases"]
assert one.config["output"]["parts"][0] == dict(name="plane", begin=[0, 6, 0], end=[0, 7, 0], stride=1, every=10,
                                                precision="f32", format="hdf5"), one.config["output"]["parts"]
assert one.config["output"]["compress"] is False and one.config["lbm"]["reynolds"] == 20.0
assert two.checkpoints == {13: Path("two/checkpoint_00000013.h5"), 16: Path("two/checkpoint_00000016.h5")}
assert list(one.probes) == ["low", "solid"] and list(one.probes["low"]["step"]) == [7, 14, 21, 28]
none, bare = wabe.Run("none"), wabe.Run(".")
for words, missing in ((["step 3", "30"], lambda: one.fields(3)), (["'none'"], lambda: none.results), (["'none'"], lambda: none.parts),
                       (["'none'"], lambda: none.checkpoints), (["results.json", "one/results.json"], lambda: bare.results),
                       (["porous.csv", "monitor.csv"], lambda: one.table("porous.csv")),
                       (["walls.hdf.series", "plane.hdf.series"], lambda: one.fields(part="walls")),
                       (["'pressur'", "velocity"], lambda: one.fields()["pressur"]),
                       (["'pressur'", "velocity"], lambda: one.fields(quantities=["pressur"])),
                       (["one/results.json", "'mlup'", "mlups"], lambda: one.results["mlup"]),
                       (["origin", "'hist'", "host"], lambda: one.results["origin"]["hist"]),
                       (["lbm", "'tua'", "collision"], lambda: one.config["lbm"]["tua"]),
                       (["one/monitor.csv", "'residul'", "residual"], lambda: one.monitor["residul"]), (["'high'", "low"], lambda: one.probes["high"])):
    try:
        missing()
    except (ValueError, OSError, KeyError) as error:
        assert all(word in str(error) for word in words), error
    else:
        assert False, words

# tables, which numpy alone reads as well
for name in "monitor.csv", "probe_low.csv":
    rows, table = numpy.loadtxt("one/" + name, delimiter=",", skiprows=1, ndmin=2), one.table(name)
    for i, column in enumerate(table.dtype.names):
        same(table[column].astype(float), rows[:, i])
assert list(one.monitor["step"]) == [10, 20, 30] and list(numpy.isnan(one.monitor["residual"])) == [True, False, False]
Path("cut.csv").write_text("step,what,value\n1,a,\n2,b,2.5\n3,c")
assert wabe.table("cut.csv").tolist()[1:] == [(2, "b", 2.5)] and numpy.isnan(wabe.table("cut.csv")["value"][0])

# values and input files
value = {"a": [1, 2.5e-7, 5000000000], "b": 'x"y\\ \n', "c": True, "d": [{"e": 1}, {"e": 2}], "f": []}
assert wabe.parse("v = %s; # and\nw : 0x10L /* so\n on */" % wabe.setting(value)) == {"v": value, "w": 16}
assert wabe.setting(numpy.arange(2)) == "[0, 1]" and wabe.setting(numpy.float32(0.5)) == "0.5"
try:
    wabe.parse('a = 1;\nb = "open')
    assert False
except ValueError as error:
    assert "line 2" in str(error), error

# runs
run = wabe.run("case.cfg", {"name": "by hand", "lbm.reynolds": numpy.float64(30), "steps": 5, "output.profiles": True,
                            "output.parts": [{"name": "corner", "end": [3, 0, 0]}]}, processes=2)
assert run.directory == Path("out/by hand") and run.results["ranks"] == 2 and run.results["reynolds"] == 30.0
assert run.fields(part="corner")["velocity"].shape == (14, 12, 3, 3) and run.config["steps"] == 5
assert {axis: len(line) for axis, line in run.profiles.items()} == dict(x=16, y=12, z=14)
assert run.profiles["z"]["ux"][-1] > 0.01
for processes in 1, 2:
    try:
        wabe.run("case.cfg", {"lbm.reynolds": "fast"}, processes=processes)
        assert False
    except wabe.Error as error:
        assert error.code == 2 and "lbm.reynolds" in str(error) and "wabe: " not in str(error), error
runs = wabe.sweep("case.cfg", {"lbm.reynolds": [10, 40], "steps": [1, 2]}, {"output.fields": False}, directory="study")
assert [tuple(run.parameters.values()) for run in runs] == [(10, 1), (10, 2), (40, 1), (40, 2)]
assert [(run.results["reynolds"], run.results["steps"]) for run in runs] == [(10, 1), (10, 2), (40, 1), (40, 2)]
assert all(run.directory.parent == Path("study") and not run.parts for run in runs)
good, bad = wabe.sweep("case.cfg", [{"steps": 1}, {"steps": -1}], check=False)
assert good.error is None and good.directory.parent == Path("out/tiny") and bad.error.code == 2
PYTHON
"$python" module.py "$wabe" "$2" >out.txt 2>err.txt || fail "the Python package"

# ---- scripts/compare_runs.py ----

# compared CODE A B TEXT...
compared() {
    local expected=$1 code=0
    "$python" "$source/scripts/compare_runs.py" "$2" "$3" >out.txt 2>err.txt || code=$?
    if ((code != expected)); then fail "compare_runs.py: code $code instead of $expected: $2 $3"; fi
    if ((code != 0)) && grep -q EQUAL out.txt; then fail "compare_runs.py says EQUAL: $2 $3"; fi
    shift 3
    says "$@"
}
source=$2

# differs FILE: what a changed value of it makes of the comparison.
differs() {
    rm -rf other
    cp -r "$1" other
    cat >change.py <<'PYTHON'
import sys, h5py
def change(name, node):
    if isinstance(node, h5py.Dataset) and name.split("/")[0] in ("state", "VTKHDF"):
        node[(0,) * node.ndim] += 1
        return True
with h5py.File(sys.argv[1], "r+") as file: file.visititems(change)
PYTHON
    case $2 in
    *.csv) sed -i '$s/,[^,]*$/,77/' "other/$2" ;;
    *) "$python" change.py "other/$2" || fail "cannot change $2" ;;
    esac
    compared 1 "$1" other "$2: "
}

cp -r one other
compared 0 one other "EQUAL, bit for bit" "state_hash"
rm other/probe_low.csv
compared 0 one other "in one alone: probe_low.csv"
for file in fields_00000015.hdf plane_00000020.hdf means_00000030.hdf probe_low.csv monitor.csv; do differs one $file; done
differs two checkpoint_00000016.h5
rm -rf other
mkdir other
cp one/results.json other
compared 1 one other "nothing to compare"
compared 1 other other "nothing to compare"
rm -r other

# ---- scripts/check_paraview.py ----

# viewed CODE TEXT...: what check_paraview.py says of the folder one.
viewed() {
    local expected=$1 code=0
    "$vtk" "$source/scripts/check_paraview.py" one >out.txt 2>err.txt || code=$?
    if ((code != expected)); then fail "check_paraview.py: code $code instead of $expected"; fi
    shift
    says "$@"
}
vtk=$source/build/plots/bin/python
if "$vtk" -c 'import vtkmodules.vtkIOHDF, h5py' 2>/dev/null; then
    viewed 0 "equal: one/fields, 3 steps" "equal: one/floor, 3 steps" "equal: one/means, 1 steps" "equal: one/plane, 4 steps" \
        "0 files in none"
    cp one/plane_00000010.hdf one/plane_00000011.hdf
    viewed 0 "plane_00000011.hdf, in no series" "5 series of 13 files, 1 files in none"
    rm one/plane_00000011.hdf
    sed -i 's/<Time Value="20"/<Time Value="21"/' one/plane.xdmf
    viewed 1 "MISMATCH: plane: times"
else
    echo "skipped: check_paraview.py; scripts/setup.sh --plots installs VTK"
fi
if ! "$python" -c 'import vtkmodules' 2>/dev/null; then
    "$python" "$source/scripts/check_paraview.py" one >out.txt 2>err.txt && fail "check_paraview.py without VTK"
    if [[ $(cat out.txt err.txt) != "check_paraview.py needs Python with vtk"* || $(cat err.txt | wc -l) != 1 ]]; then
        fail "check_paraview.py without VTK says something else"
    fi
fi

# ---- pictures of parts ----

# Ranges of the colours are those of the fluid's values, or the given ones; the same files on any processes.
drawn=(--quiet --set output.every=0 --set output.fields=false --set 'output.parts=(
    { name = "speed"; begin = [0, 6, 0]; end = [0, 7, 0]; every = 10; quantities = "velocity"; format = "png"; },
    { name = "floor"; begin = [0, 0, 2]; end = [0, 0, 3]; every = 15; quantities = "velocity"; },
    { name = "swirl"; begin = [1, 0, 6]; end = [0, 0, 7]; stride = 2; every = 15; quantities = "q_criterion"; format = "png";
    low = -0.001; high = 0.002; } )')
ok 1 run case.cfg "${drawn[@]}" --set output.directory=drawn
ok 4 run case.cfg "${drawn[@]}" --set output.directory=drawn_4 --set parallel.processes=[2,1,2]
ok 1 run case.cfg "${drawn[@]}" --set output.directory=drawn_gpu --set node.emulated_gpus=2 --set parallel.mode=hybrid
for folder in drawn_4 drawn_gpu; do
    for file in speed_00000000 speed_00000010 speed_00000020 speed_00000030 swirl_00000000 swirl_00000015 swirl_00000030; do
        cmp "drawn/$file.png" "$folder/$file.png" || fail "$folder/$file.png differs"
    done
done
ok 1 run case.cfg "${drawn[@]}" --set output.directory=bare --set output.legend=false --set output.picture=z \
    --set output.picture_range.low=0.0 --set output.picture_range.high=0.25
[[ $(find drawn -name 'fields*' | wc -l) == 0 ]] || fail "fields beside the parts"
cat >drawn.py <<'PYTHON'
import h5py, numpy, struct
def read(name):
    data, place, texts = open(name, "rb").read(), 8, {}
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + size]
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind == b"tEXt":
            key, value = body.split(b"\0")
            texts[key.decode()] = value.decode()
        place += 12 + size
    return width, height, texts
legends = "without cairo" not in open("drawn/run.log").read()
z, x = numpy.mgrid[0:14, 0:16] + 0.5
fluid = (x - 8) ** 2 + 0.5 ** 2 + (z - 6) ** 2 > 3 ** 2
for step in 10, 20, 30:
    with h5py.File("all/fields_%08d.hdf" % step, "r") as file:
        u = file["VTKHDF/PointData/velocity"][:, 6]
    width, height, texts = read("bare/speed_%08d.png" % step)
    speed = numpy.sqrt((u.astype("f4").astype("f8") ** 2).sum(axis=-1))[fluid]
    assert (width, height) == (16 * 30, 14 * 30), (width, height)
    wide, high, explained = read("drawn/speed_%08d.png" % step)
    assert explained == texts and (not legends or wide > 640 and high > 640 * 14 // 16), (wide, high, explained)
    assert texts["Title"] == "magnitude of velocity" and texts["Unit"] == "lattice units"
    assert numpy.allclose([float(texts["Minimum"]), float(texts["Maximum"])], [speed.min(), speed.max()], rtol=1e-6)
width, height, texts = read("bare/velocity_00000030.png")
assert (float(texts["Minimum"]), float(texts["Maximum"])) == (0.0, 0.25)
width, height, texts = read("bare/swirl_00000015.png")
assert (width, height) == (8 * 60, 6 * 60) and texts["Title"] == "q_criterion", (width, height)
assert (float(texts["Minimum"]), float(texts["Maximum"])) == (-0.001, 0.002)
PYTHON
"$python" drawn.py >out.txt 2>err.txt || fail "pictures of parts"

# Rows of sums are kept as far as needed: each quantity alone has the values that it has beside the others.
for alone in mean_speed speed_ratio reynolds_stress; do
    ok 1 run case.cfg --quiet --set output.fields=false --set output.directory=alone --set output.average.begin=4 \
        --set output.average.every=5 --set "output.parts=( { name = \"means\"; begin = [1, 2, 3]; end = [15, 0, 12]; stride = 2;
        precision = \"f64\"; quantities = \"$alone\"; } )"
    "$python" -c "
import h5py, numpy
one, alone = (h5py.File(f'{folder}/means_00000030.hdf')['VTKHDF/PointData/$alone'][:] for folder in ('one', 'alone'))
assert numpy.array_equal(one, alone)" || fail "$alone alone"
done

# The momentum that the flow loses in a step is the wall_stress of wall functions, by their areas.
cat >walls.cfg <<'CFG'
name = "walls"; steps = 30;
domain = { cells = [16, 12, 18]; };
lbm = { viscosity = 1e-5; les = { model = "smagorinsky"; }; force = [1e-6, 0.0, 0.0]; };
boundaries = { y_low = { kind = "wall_function"; roughness = 0.05; }; y_high = { kind = "wall_function"; }; };
initial = { kind = "uniform"; velocity = [0.06, 0.0, 0.02]; perturbation = { velocity = 0.003; length = 4.0; }; };
monitor = { every = 1; };
output = { every = 10; quantities = "wall_stress"; precision = "f64"; };
CFG
plate='{ shape = "box"; low = [-1.0, -1.0, -1.0]; high = [99.0, 2.0, 99.0]; kind = "wall_function"; roughness = 0.05; }'
for walls in faces solid; do
    solid=(--set 'domain.cells=[16, 14, 18]' --set 'boundaries.y_low={ kind = "no_slip"; }' --set "geometry={ objects = ( $plate ); }")
    if [[ $walls == faces ]]; then solid=(); fi
    rm -rf out/walls
    ok 3 run walls.cfg --quiet --set 'parallel.processes=[1, 3, 1]' "${solid[@]}"
    "$python" - <<'PYTHON' || fail "the stress of wall functions of a $walls"
import csv, h5py, numpy
rows = list(csv.DictReader(open("out/walls/monitor.csv")))
speed = {int(row["step"]): numpy.array([float(row["mean_velocity_" + axis]) for axis in "xz"]) for row in rows}
for step in 10, 20, 30:
    stress = h5py.File("out/walls/fields_%08d.hdf" % step)["VTKHDF/PointData/wall_stress"][:].sum(axis=(0, 1, 2))
    lost = (numpy.array([1e-6, 0.0]) - (speed[step] - speed[step - 1])) * 16 * 12 * 18
    assert abs(stress[1]) < 1e-12 and numpy.allclose(stress[[0, 2]], lost, rtol=1e-4, atol=0.0), (step, stress, lost)
PYTHON
done

# output.picture_at chooses the plane, as a part does; the middle one is the default.
plane='name = "plane"; quantities = "velocity"; format = "png"'
ok 1 run case.cfg --quiet --set steps=9 --set output.directory=at --set output.legend=false --set output.picture=z --set output.picture_at=2 \
    --set "output.parts=( { $plane; begin = [0, 0, 2]; end = [0, 0, 3]; } )"
cmp at/velocity_00000009.png at/plane_00000009.png || fail "the picture of another plane than cell 2"
ok 1 run case.cfg --quiet --set steps=9 --set output.directory=middle --set output.legend=false --set output.picture=z \
    --set "output.parts=( { $plane; begin = [0, 0, 7]; end = [0, 0, 8]; } )"
cmp middle/velocity_00000009.png middle/plane_00000009.png || fail "the picture of another plane than the middle one"
if cmp -s at/velocity_00000009.png middle/velocity_00000009.png; then fail "planes 2 and 7 have the same picture"; fi

# A run that goes on from an earlier step has no pictures and fields of later ones but its own; it sets the others aside.
ok 1 run case.cfg "${drawn[@]}" --set output.directory=again --set checkpoint.every=10
ok 1 run case.cfg "${drawn[@]}" --set output.directory=again --restart again/checkpoint_00000020.h5 --set steps=21
for file in speed_000000{20,21}.png speed_00000030.png.old floor_000000{15,21}.hdf floor_00000030.hdf.old; do
    if [[ ! -e again/$file ]]; then fail "no $file: $(ls again)"; fi
done
if [[ -e again/speed_00000030.png || -e again/floor_00000030.hdf ]]; then fail "later steps stay: $(ls again)"; fi
if grep -q 00000030 again/floor.{hdf.series,xdmf}; then fail "the series has a step of the earlier run"; fi
grep -q 'of the earlier run after step 20 .* are now \*.old' again/run.log || fail "the log does not tell of later steps"

# ---- units ----

# The same run without units, in SI, and with units but written in lattice units; all that differs are factors, which the
# files name.
plain=(--quiet --set steps=12 --set monitor.every=4 --set output.probe_every=4 --set output.profiles=true
    --set 'output.quantities="density, velocity, pressure, solid, mean_velocity"' --set output.precision=f64
    --set output.average.every=3 --set 'output.probes=( { name = "low"; cell = [3, 4, 2]; } )')
sed 's/reynolds = 20.0;//; $a units = { cell = 0.002; velocity = 0.5; viscosity = 1.0e-3; density = 800.0; };' case.cfg >si.cfg
ok 1 run si.cfg "${plain[@]}" --set output.directory=si
ok 1 run si.cfg "${plain[@]}" --set output.directory=lattice --set output.units=lattice
ok 1 run case.cfg "${plain[@]}" --set output.directory=none --set lbm.reynolds=16
cat >units.py <<'PYTHON'
import h5py, json, numpy
dx, dt, rho = 0.002, 0.002 * 0.1 / 0.5, 800.0
factors = {"steps": dt, "cells": dx, "lattice units": None, "1": 1.0, "s": dt, "m": dx, "kg/m^3": rho, "m/s": dx / dt,
           "Pa": rho * (dx / dt) ** 2, "N/m^3": rho * dx / dt ** 2, "m^2/s^2": (dx / dt) ** 2, "m^2/s": dx * dx / dt}
runs = {name: json.load(open(name + "/results.json")) for name in ("si", "lattice", "none")}
units = {name: results["units"] for name, results in runs.items()}
assert runs["si"]["state_hash"] == runs["lattice"]["state_hash"] and runs["none"]["dx"] == 1
assert runs["si"]["dx"] == runs["lattice"]["dx"] == dx and units["lattice"]["dx"] == "m" and units["none"]["dx"] == "cells"
def same(name, si, lattice, unit):
    assert numpy.allclose(si, numpy.asarray(lattice) * factors[unit], rtol=1e-12, atol=0), (name, si, lattice, unit)
for name, unit in units["si"].items():
    if name in runs["si"] and name not in ("dx", "dt", "tau"):
        same(name, runs["si"][name], runs["lattice"][name], unit)
        assert units["lattice"][name] in ("steps", "lattice units"), name
dimensionless = {"step", "relative", "mass_drift", "residual", "line"}
for file in "monitor.csv", "probe_low.csv", "profiles.csv":
    si, lattice, none = (numpy.genfromtxt("%s/%s" % (run, file), delimiter=",", names=True) for run in ("si", "lattice", "none"))
    assert si.dtype.names == lattice.dtype.names == none.dtype.names
    for name in set(si.dtype.names) - {"line"}:
        assert (name in units["si"]) != (name in dimensionless), name
        found = numpy.isfinite(lattice[name])
        same(file + " " + name, si[name][found], lattice[name][found], units["si"].get(name, "1"))
files = [h5py.File("%s/fields_00000012.hdf" % run, "r") for run in ("si", "lattice", "none")]
for name in files[0]["VTKHDF/PointData"]:
    si, lattice, none = (file["VTKHDF/PointData"][name] for file in files)
    of = {"mean_velocity": "velocity"}.get(name, name)
    assert si.attrs["unit"].decode() == units["si"].get(of, "1"), name
    assert lattice.attrs["unit"] == none.attrs["unit"] == (b"1" if name == "solid" else b"lattice units"), name
    same(name, si, lattice, si.attrs["unit"].decode())
for run, file, edge, step in zip(runs, files, (dx, 1, 1), (dt, 1, 1)):
    assert numpy.allclose(file["VTKHDF"].attrs["Spacing"], edge) and numpy.isclose(file["wabe"].attrs["time"], 12 * step)
    assert file["wabe"].attrs["length_unit"].decode() == ("m" if run == "si" else "cells"), run
    assert file["wabe"].attrs["time_unit"].decode() == ("s" if run == "si" else "steps"), run
PYTHON
"$python" units.py >out.txt 2>err.txt || fail "units of what is written"

# ---- what is refused ----

refused() {
    start 1 check case.cfg --set "$1"
    if ((code != 2)); then fail "code $code instead of 2: $1"; fi
    shift
    says "$@"
}
refused 'output.quantities="velocity, enstrophy"' 'has "enstrophy"' mean_velocity
refused 'output.quantities="density density"' 'each once'
refused 'output.quantities=""' 'is empty'
refused 'output.quantities="exceedance"' "'output.quantities'" 'output.average.threshold'
refused 'output.average.threshold=0.1' "'output.average.threshold'" 'exceedance'
refused 'output.mean_profiles=w' "'output.mean_profiles'"
sed '/velocity = 0.1;/d; /reynolds/d; s/^lbm = {/lbm = { tau = 0.8;/; s/kind = "moving_wall"; velocity = [^;]*;/kind = "no_slip";/' case.cfg >calm.cfg
start 1 check calm.cfg --set 'output.quantities="speed_ratio"'
if ((code != 2)); then fail "code $code instead of 2: a speed ratio without a velocity"; fi
says "'output.quantities'" "lbm.velocity"
refused 'output.quantities="velocity, eddy_viscosity"' "'output.quantities'" 'eddy_viscosity' 'lbm.les'
sed '/reynolds/d' case.cfg >one.cfg
start 1 check one.cfg --set lbm.tau=1 --set 'output.parts=({ name = "a"; quantities = "velocity stress"; })'
if ((code != 2)); then fail "code $code instead of 2: stress with tau = 1"; fi
says "'output.parts[0].quantities'" 'stress' 'lbm.tau'
refused 'output.units=si' 'output.units' 'units.cell'
refused 'output.parts=({ name = "a"; format = "png"; })' "'output.parts[0].format'" "planes"
refused 'output.parts=({ name = "a"; format = "png"; end = [1, 0, 0]; })' "'output.parts[0].quantities'" '"velocity"'
refused 'output.parts=({ name = "a"; format = "png"; end = [1, 0, 0]; quantities = "velocity"; low = 1.0; })' \
    "'output.parts[0].low'" "both"
refused 'output.parts=({ name = "a"; format = "png"; end = [1, 0, 0]; quantities = "velocity"; low = 1.0; high = 1.0; })' \
    "'output.parts[0].low'" "low below high"
refused 'output.parts=({ name = "a"; format = "png"; end = [1, 0, 0]; quantities = "velocity"; precision = "f64"; })' \
    "'output.parts[0].precision'"
refused 'output.picture_at=3' "'output.picture_at' is not used" "output.picture"
start 1 check case.cfg --set output.picture=z --set output.picture_at=14
if ((code != 2)); then fail "code $code instead of 2: a picture beyond the domain"; fi
says "'output.picture_at' must be in the domain: along z it is 14, domain.cells has 14"
refused 'output.picture_range.low=0.1' "'output.picture_range.low'" "high"
refused 'output.picture_range={ low = 0.1; high = 0.2; }' "'output.picture_range.low'" "output.picture"
start 1 check case.cfg --set output.picture=z --set output.picture_range_beside.low=0.1 --set output.picture_range_beside.high=0.2
if ((code != 2)); then fail "code $code instead of 2: colours of a panel that there is not"; fi
says "'output.picture_range_beside.low'"
start 1 check case.cfg --set output.picture=z \
    --set 'output.parts=({ name = "velocity"; format = "png"; end = [1, 0, 0]; quantities = "velocity"; })'
if ((code != 2)); then fail "code $code instead of 2: a part with the name of pictures"; fi
says "'output.parts[0].name'" "another one"
refused 'output.parts=({ name = "a"; high = 1.0; })' "'output.parts[0].high'" "hdf5"
refused 'output.parts=({ name = "a/b"; })' 'output.parts[0].name' 'letters, digits'
refused 'output.parts=({ name = "fields"; })' "the whole domain's files"
refused 'output.parts=({ name = "a"; }, { name = "a"; })' 'the name of another one'
refused 'output.parts=({ name = "a"; begin = [0, 12, 0]; })' "'output.parts[0].begin'" 'along y it is 12' 'domain.cells has 12'
refused 'output.parts=({ name = "a"; end = [17, 0, 0]; })' 'output.parts[0].end' 'domain.cells has 16'
refused 'output.parts=({ name = "a"; begin = [3, 0, 0]; end = [3, 0, 0]; })' 'output.parts[0].end'
refused 'output.probes=({ name = "a"; cell = [3, 12, 0]; })' 'output.probes[0].cell' '0 to 11'
refused 'output.probes=({ name = "a"; cell = [3, 2, 0]; }, { name = "a"; cell = [3, 2, 1]; })' 'the name of another one'
finish
