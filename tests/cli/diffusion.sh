#!/usr/bin/env bash
# Diffusion: what is refused; modes that decay as the discrete equation says; sums that stay; the same
# bits on all that it can run on.
source "$2/tests/cli/common.bash"
left_behind=out

cat >mode.cfg <<'CFG'
application = "diffusion";
name = "mode";
steps = 50;
domain = { cells = [37, 21, 18]; };
diffusion = { diffusivity = 1.0; };
boundaries = {
    x_low = { kind = "dirichlet"; value = 0.5; }; x_high = { kind = "dirichlet"; value = 0.5; };
    y_low = { kind = "neumann"; }; y_high = { kind = "neumann"; };
};
initial = { kind = "mode"; value = 0.5; waves = [2, 1, 1]; };
output = { fields = false; };
CFG

# ---- what is refused ----

refuse 2 run mode.cfg --set diffusion.time_step=0.17 -- "diffusion.time_step" \
    "is unstable: " "diffusion.diffusivity" "the largest stable one is 0.16666666666666666"
refuse 2 check mode.cfg --set diffusion.diffusivity=-1 -- "diffusion.diffusivity" "at least 0"
refuse 2 check mode.cfg --set diffusion.diffusion=1 -- "unknown key 'diffusion.diffusion'" "diffusivity"
refuse 2 check mode.cfg --set boundaries.x_low.kind=periodic -- "'boundaries.x_high.kind'" "boundaries.x_low.kind is periodic"
refuse 2 check mode.cfg --set parallel.balance=model -- "parallel.balance" "needs a machine file"
refuse 2 check mode.cfg --set diffusion.kernel=nonsense -- "diffusion.kernel" "nonsense"
refuse 2 check mode.cfg --set diffusion.steps_per_pass=5 -- "diffusion.steps_per_pass" "4 at most"
refuse 2 check mode.cfg --set node.emulated_gpus=1 --set diffusion.steps_per_pass=4 --set 'domain.cells=[37,3,18]' \
    --set boundaries.y_low.kind=periodic --set boundaries.y_high.kind=periodic \
    -- "diffusion.steps_per_pass" "more than a slab has cells along an axis that is cut, or periodic: "
refuse 2 check mode.cfg --set node.emulated_gpus=4 --set parallel.mode=hybrid --set diffusion.steps_per_pass=4 \
    --set 'domain.cells=[37,21,6]' --set boundaries.z_low.kind=neumann --set boundaries.z_high.kind=neumann \
    -- "diffusion.steps_per_pass" "is more than a slab has cells"
ok 1 run mode.cfg --quiet --overwrite --set output.interval=2e9 --set steps=3
sed '/^steps/d' mode.cfg >endless.cfg
ok 1 check endless.cfg --set end_time=1e300
says "1000000000000000 steps"
rm -rf out
refuse 2 run mode.cfg --machine m.cfg -- "m.cfg: cannot be read"
refuse 2 check mode.cfg --set output.quantities=density -- "output.quantities" "mean_value"
refuse 2 geometry mode.cfg -- "no wabe geometry"
refuse 2 predict mode.cfg -- "no machine.cfg here"
refuse 2 check mode.cfg --set application=diffuse -- "there are \"lbm\", \"diffusion\""
refuse 4 check mode.cfg --set 'domain.cells=[20000,20000,20000]' -- "domain.cells" "GB too little" \
    "million cells would fit"

# ---- physics ----

# result KEY: of the last run.
result() { value "out/$name/results.json" "$1"; }

name=mode
ok 1 run mode.cfg --quiet
python3 -c "assert $(result mode_error) < 1e-13" || fail "the mode is off by $(result mode_error)"
ok 1 run mode.cfg --quiet --set diffusion.storage=f32
python3 -c "assert $(result mode_error) < 1e-5" || fail "in f32 the mode is off by $(result mode_error)"

# What nothing crosses keeps its sum, to rounding.
name=bell
cat >bell.cfg <<'CFG'
application = "diffusion";
name = "bell";
steps = 300;
domain = { cells = [31, 20, 17]; spacing = 0.5; };
diffusion = { diffusivity = 2.0; };
boundaries = { z_low = { kind = "neumann"; }; z_high = { kind = "neumann"; }; };
initial = { kind = "gaussian"; center = [1.0, 2.0, 3.0]; };
output = { picture = "y"; };
CFG
ok 1 run bell.cfg --quiet
python3 -c "
first, last = $(result mean_at_start), $(result mean)
assert abs(last - first) < 1e-14 * first, (first, last)
assert $(result highest) < 0.2 and $(result lowest) > 0" || fail "the bell's sum"
[[ -s out/bell/value_00000300.png && -s out/bell/fields_00000300.hdf ]] || fail "no picture, or no fields"

# ---- an initial state from a file ----

# Single precision survives a file: half of the steps, and the other half from what the first wrote.
ok 1 run bell.cfg --quiet --set diffusion.storage=f32
whole=$(result state_hash)
ok 1 run bell.cfg --quiet --set diffusion.storage=f32 --set steps=150
cp out/bell/fields_00000150.hdf half.hdf
from_half=(--set diffusion.storage=f32 --set steps=150 --set initial.kind=file --set initial.file=half.hdf
    --set initial.dataset=VTKHDF/PointData/value)
for ranks in 1 3; do
    rm -rf out
    ok $ranks run bell.cfg --quiet "${from_half[@]}"
    [[ $(result state_hash) == "$whole" ]] || fail "$ranks ranks, from a file: other bits"
done
refuse 2 check bell.cfg "${from_half[@]}" --set 'domain.cells=[20,31,17]' -- "initial.dataset" \
    "has the shape (17, 20, 31), but domain.cells wants (nz, ny, nx) = (17, 31, 20)"
refuse 2 run bell.cfg "${from_half[@]}" --set initial.dataset=density -- "initial.dataset" "no dataset \"density\"" "VTKHDF/"
refuse 2 run bell.cfg "${from_half[@]}" --set initial.file=bell.cfg -- "initial.file" "is no HDF5 file"
refuse 6 run bell.cfg "${from_half[@]}" --set initial.file=none.hdf -- "initial.file" "No such file"
refuse 2 run bell.cfg --set initial.file=half.hdf -- "initial.file" "alone"
refuse 2 run bell.cfg --set initial.kind=file -- "initial.kind" "needs an initial.file"
refuse 2 run bell.cfg "${from_half[@]}" --set output.directory=. -- "initial.file" "may replace it"
start 1 run bell.cfg --set diffusion.storage=f32 --set initial.value=1e300
((code == 2)) || fail "code $code of values that do not fit"
says "the initial state has 10540 values" "too large for f32"

# ---- several steps a pass ----

# Files are written at the steps that are asked for, whatever a pass does; the domain is periodic along x and y, and
# a slab exchanges x with itself, since its rows are no whole vectors.
name=bell
for steps in 1 4; do
    rm -rf out
    ok 1 run bell.cfg --quiet --set node.emulated_gpus=1 --set steps=11 --set output.every=3 \
        --set diffusion.steps_per_pass=$steps --set output.directory=passes_$steps
done
python3 "$2/scripts/compare_runs.py" passes_1 passes_4 >compared.txt || fail "passes of 1 and 4 steps differ"
for step in 00000000 00000003 00000006 00000009 00000011; do
    [[ -s passes_4/fields_$step.hdf ]] || fail "step $step was not written"
done
[[ $(python3 -c "import json; print(json.load(open('passes_4/results.json'))['steps_per_pass'])") == 4 ]] || fail "steps_per_pass"

# ---- a diffusivity for each cell ----

# The bell itself as the map, on cells that let nothing in or out along z: its sum stays, and all cuts give the
# same bits.
rm -rf out
ok 1 run bell.cfg --quiet --set steps=0 --set initial.value=0.1
cp out/bell/fields_00000000.hdf map.hdf
map=(--set diffusion.map.file=map.hdf --set diffusion.map.dataset=VTKHDF/PointData/value)
ok 1 run bell.cfg --quiet "${map[@]}"
python3 -c "
first, last = $(result mean_at_start), $(result mean)
assert abs(last - first) < 1e-14 * first, (first, last)" || fail "the bell's sum with a map"
hash=$(result state_hash)
while read -r ranks settings; do
    rm -rf out
    # shellcheck disable=SC2086 # several words
    ok "$ranks" run bell.cfg --quiet "${map[@]}" $settings
    [[ $(result state_hash) == "$hash" ]] || fail "with a map, $ranks ranks, $settings: other bits"
done <<'RUNS'
3
4 --set parallel.processes=[2,2,1]
1 --set node.emulated_gpus=2 --set parallel.mode=hybrid
1 --set node.emulated_gpus=1 --set parallel.mode=heterogeneous
RUNS
refuse 2 check bell.cfg "${map[@]}" --set diffusion.time_step=0.03 -- "diffusion.time_step" "the largest stable one is 0.02"
refuse 2 check bell.cfg "${map[@]}" --set 'domain.cells=[20,31,17]' -- "diffusion.map.dataset" "has the shape"
refuse 2 check bell.cfg "${map[@]}" --set output.directory=. -- "diffusion.map.file" "may replace it"
refuse 2 check bell.cfg "${map[@]}" --set node.emulated_gpus=1 --set diffusion.steps_per_pass=2 -- "1 at most"
refuse 2 check bell.cfg --set diffusion.map.dataset=kappa -- "diffusion.map.dataset" "needs a diffusion.map.file"
refuse 6 check bell.cfg --set diffusion.map.file=none.hdf -- "diffusion.map.file" "No such file"
rm -rf out
ok 1 run bell.cfg --quiet --set steps=0 --set initial.value=-1
cp out/bell/fields_00000000.hdf map.hdf
refuse 2 check bell.cfg "${map[@]}" -- "diffusion.map.dataset" "has values from -1 to" "at least 0"

# ---- what every run can write, on any number of ranks ----

# Each against the whole field in f64 of every state, which one rank has written.
rm -rf out
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
cat >machine.cfg <<'CFG'
name = "by hand";
components = ( { kind = "cpu"; count = 1; bandwidth = 10.0; peak = 100.0; memory = 8.0; },
               { kind = "gpu"; count = 2; bandwidth = 20.0; peak = 100.0; memory = 8.0; } );
bus = { bandwidth = 1.0; latency = 1.0; };
peer = { bandwidth = 1.0; latency = 1.0; };
node = { bandwidth = 1.0; latency = 1.0; };
CFG
chosen=(--quiet --set steps=30 --set output.every=15 --set output.stride=2 --set output.profiles=true
    --set output.average.begin=4 --set output.average.every=5 --set output.probe_every=7 --set monitor.every=10
    --set 'output.parts=( { name = "plane"; begin = [0, 6, 0]; end = [0, 7, 0]; every = 8; },
    { name = "means"; begin = [1, 2, 3]; end = [30, 0, 12]; stride = 3; every = 0; precision = "f64";
    quantities = "mean_value, rms_value, value"; } )'
    --set 'output.probes=( { name = "low"; cell = [3, 4, 2]; } )')
ok 1 run bell.cfg --quiet --set steps=30 --set output.every=1 --set output.precision=f64 --set output.directory=all
ok 1 run bell.cfg "${chosen[@]}" --set output.directory=one
ok 3 run bell.cfg "${chosen[@]}" --set output.directory=three
ok 2 run bell.cfg "${chosen[@]}" --set output.directory=model --set node.emulated_gpus=2 \
    --set parallel.mode=heterogeneous --set parallel.balance=model --machine machine.cfg
ok 2 run bell.cfg "${chosen[@]}" --set output.directory=again --set steps=21 --set checkpoint.every=20
ok 3 run bell.cfg "${chosen[@]}" --set output.directory=again --restart again/checkpoint_00000020.h5
for folder in three model again; do
    python3 "$2/scripts/compare_runs.py" one $folder >compared.txt || fail "one and $folder differ"
    for file in probe_low.csv profiles.csv monitor.csv; do
        cmp one/$file $folder/$file || fail "$folder/$file differs"
    done
done
grep -q '"model": \[' model/timing.json || fail "no forecast beside the run"
cat >check.py <<'PYTHON'
import csv, h5py, numpy
def read(folder, name):
    with h5py.File("%s/%s.hdf" % (folder, name), "r") as file:
        return {key: data[:] for key, data in file["VTKHDF/PointData"].items()}
def same(found, right): assert numpy.array_equal(found, right), (found, right)
step = [read("all", "fields_%08d" % n)["value"] for n in range(31)]
same(read("one", "fields_00000015")["value"], step[15][::2, ::2, ::2].astype("f4"))
for n in 8, 16, 24, 30:
    same(read("one", "plane_%08d" % n)["value"][:, 0], step[n][:, 6].astype("f4"))
box, samples = numpy.s_[3:12:3, 2::3, 1:30:3], range(9, 31, 5)
sums = squares = 0.0
for n in samples:
    sums, squares = sums + step[n][box], squares + step[n][box] ** 2
mean, found = sums / len(samples), read("one", "means_00000030")
same(found["mean_value"], mean)
same(found["rms_value"], numpy.sqrt(numpy.maximum(0, squares / len(samples) - mean ** 2)))
same(found["value"], step[30][box])
probe = numpy.genfromtxt("one/probe_low.csv", delimiter=",", names=True)
same(probe["step"], [7, 14, 21, 28])
same(probe["value"], [step[n][2, 4, 3] for n in (7, 14, 21, 28)])
rows = list(csv.DictReader(open("one/profiles.csv")))
assert len(rows) == 31 + 20 + 17
same([float(row["value"]) for row in rows if row["line"] == "x"], step[30][8, 9:11, :].mean(axis=0))
monitor = numpy.genfromtxt("one/monitor.csv", delimiter=",", names=True)
same(monitor["highest"], [step[n].max() for n in (10, 20, 30)])
assert numpy.allclose(monitor["mean_square"], [(step[n] ** 2).mean() for n in (10, 20, 30)], rtol=1e-12)
PYTHON
if "$python" -c 'import h5py' 2>/dev/null; then "$python" check.py >out.txt 2>err.txt || fail "what was chosen is not what the states say"; fi

# 0 is steady.
cat >zero.cfg <<'CFG'
application = "diffusion"; name = "zero"; steps = 2000; domain = { cells = [8, 8, 8]; }; diffusion = { diffusivity = 0.1; };
monitor = { every = 100; steady = 1e-6; }; output = { fields = false; };
CFG
ok 1 run zero.cfg --quiet
if [[ $(value out/zero/results.json steps) != 400 ]]; then fail "0 is not steady at the fourth check"; fi

# A state that changes no more ends a run, on any number of ranks at the same step; one that does is told.
name=bell
steady=(--quiet --set steps=20000 --set monitor.every=50 --set monitor.steady=1e-4 --set output.fields=false)
ok 1 run bell.cfg "${steady[@]}"
right=$(result steps)
if ((right < 150 || right > 10000)); then fail "steady after $right steps"; fi
ok 3 run bell.cfg "${steady[@]}"
if [[ $(result steps) != "$right" ]]; then fail "steady at another step on three ranks"; fi
start 1 run bell.cfg "${steady[@]}" --set steps=$((right - 70))
if ((code != 5)); then fail "code $code instead of 5 before it is steady"; fi
says "monitor.steady"
rm -rf out all one three model again machine.cfg

# ---- the same bits everywhere ----

# Every other row in f64, the others in f32.
name=mode
for storage in f64 f32; do
    rm -rf out
    ok 1 run mode.cfg --quiet --set diffusion.storage=$storage --set boundaries.x_high.value=0.7 \
        --set diffusion.steps_per_pass=1
    hash=$(result state_hash)
    while read -r ranks settings; do
        rm -rf out
        # shellcheck disable=SC2086 # several words
        ok "$ranks" run mode.cfg --quiet --set diffusion.storage=$storage --set boundaries.x_high.value=0.7 $settings
        [[ $(result state_hash) == "$hash" ]] || fail "$storage, $ranks ranks, $settings: other bits"
    done < <(if [[ $storage == f64 ]]; then sed -n 'p;n'; else sed -n 'n;p'; fi <<'RUNS'
2
4 --set parallel.processes=[2,2,1]
3 --set parallel.processes=[3,1,1] --set parallel.overlap=false
1 --set node.emulated_gpus=1
2 --set node.emulated_gpus=2 --set parallel.processes=[2,1,1]
1 --set node.emulated_gpus=3 --set parallel.mode=hybrid
1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
1 --set node.emulated_gpus=2 --set parallel.mode=hybrid --set parallel.transport=host --set parallel.separate=true --set parallel.balance=equal
2 --set parallel.separate=true
2 --set node.emulated_gpus=3 --set parallel.mode=hybrid --set parallel.balance=equal
1
1 --set diffusion.steps_per_pass=3 --set monitor.every=7
1 --set parallel.mode=hybrid --set node.components=({kind="cpu";threads=1;},{kind="cpu";threads=2;}) --set diffusion.steps_per_pass=3 --set parallel.balance=equal
2 --set diffusion.steps_per_pass=4 --set parallel.processes=[2,1,1]
4 --set diffusion.steps_per_pass=2 --set parallel.processes=[1,2,2] --set parallel.overlap=false
2 --set diffusion.steps_per_pass=4 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous --set parallel.balance=equal
1 --set node.emulated_gpus=1 --set diffusion.steps_per_pass=1
2 --set node.emulated_gpus=2 --set diffusion.steps_per_pass=3 --set parallel.processes=[2,1,1]
4 --set node.emulated_gpus=4 --set diffusion.steps_per_pass=4 --set parallel.processes=[2,1,2]
2 --set node.emulated_gpus=4 --set diffusion.steps_per_pass=2 --set parallel.overlap=false --set monitor.every=7
RUNS
    )
    # Emulated GPUs work when they are waited for: each phase is, and has its work.
    for separate in true false; do
        ok 2 run mode.cfg --quiet --set diffusion.storage=$storage --set node.emulated_gpus=2 --set parallel.transport=host \
            --set parallel.processes=[2,1,1] --set parallel.separate=$separate
        python3 -c "
import json
timing, results = json.load(open('out/mode/timing.json')), json.load(open('out/mode/results.json'))
phases = {name: spread['mean'] for name, spread in timing['phases'].items()}
steps = sum(phases.values()) - phases['monitor'] - phases['output']
computing = phases['outer region'] + phases['inner region']
assert (computing > 0.6 * steps) == ('$separate' == 'true'), phases
assert [c['kind'] for c in results['components']] == ['gpu', 'gpu'] and results['messages'] == 2, results
assert results['message_bytes'] == 2 * 21 * 18 * results['steps_per_pass'] * (8 if '$storage' == 'f64' else 4), results" ||
            fail "$storage, separate $separate: phases, components or messages"
    done
    # Who does not exchange gets other values: the test above would notice.
    ok 2 run mode.cfg --quiet --set diffusion.storage=$storage --set boundaries.x_high.value=0.7 --set parallel.communication=none
    [[ $(result state_hash) != "$hash" ]] || fail "without an exchange the bits are the same"
done

# Slabs that are cut along x, whose rows begin before the first cell: with other vectors.
name=mode
"$wabe" kernels >kernels.txt
for set in x86_64 avx2; do
    if ! grep -qw avx2 /proc/cpuinfo && [[ $set == avx2 ]] || ! grep -q "$set" kernels.txt; then continue; fi
    for storage in f64 f32; do
        settings=(--set diffusion.storage=$storage --set diffusion.kernel=$set)
        rm -rf out
        ok 1 run mode.cfg --quiet "${settings[@]}" --set diffusion.steps_per_pass=1
        hash=$(result state_hash)
        rm -rf out
        ok 2 run mode.cfg --quiet "${settings[@]}" --set diffusion.steps_per_pass=4 --set parallel.processes=[2,1,1]
        [[ $(result state_hash) == "$hash" ]] || fail "$set, $storage, cut along x: other bits"
    done
done

# Axes of one or two cells that are their own neighbours, or each other's on both sides.
cat >tiny.cfg <<'CFG'
application = "diffusion";
name = "tiny";
steps = 7;
domain = { cells = [2, 4, 1]; };
diffusion = { diffusivity = 1.0; };
initial = { kind = "mode"; waves = [1, 1, 0]; };
output = { fields = false; };
CFG
name=tiny
export WABE_EMULATED_EARLY=1 # streams that are not urgent do not wait
for cells in '[2,4,1]' '[4,2,2]' '[33,1,4]'; do
    rm -rf out
    ok 1 run tiny.cfg --quiet --set "domain.cells=$cells"
    hash=$(result state_hash)
    while read -r ranks settings; do
        rm -rf out
        # shellcheck disable=SC2086 # several words
        ok "$ranks" run tiny.cfg --quiet --set "domain.cells=$cells" $settings
        [[ $(result state_hash) == "$hash" ]] || fail "$cells, $ranks ranks, $settings: other bits"
    done <<'RUNS'
2 --set parallel.processes=[2,1,1]
2 --set node.emulated_gpus=2 --set parallel.processes=[2,1,1]
1 --set node.emulated_gpus=1
RUNS
done

finish
