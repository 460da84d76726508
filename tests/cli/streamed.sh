#!/usr/bin/env bash
# Streamed slabs: the state of resident ones, whatever the storage, boundaries, steps a pass, looks in between and
# restarts; what is refused.
source "$2/tests/cli/common.bash"
source "$2/tests/cli/streamed.bash"

cat >case.cfg <<'CFG'
name = "tiny";
steps = 17;
domain = { cells = [20, 18, 60]; };
lbm = { collision = "trt"; streaming = "in_place"; reynolds = 30.0; velocity = 0.1; };
boundaries = {
    x_low  = { kind = "no_slip"; };   x_high = { kind = "no_slip"; };
    y_low  = { kind = "no_slip"; };   y_high = { kind = "free_slip"; };
    z_low  = { kind = "free_slip"; };
    z_high = { kind = "moving_wall"; velocity = [0.1, 0.0, 0.0]; };
};
node = { emulated_gpus = 1; };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG

if ! full; then sed -i 's/^steps = 17;/steps = 13;/' case.cfg; fi # two passes of five steps, and a part of one
write_wind_case

# ---- the same bits ----

resident=$(state case.cfg)
for steps in 0 2 5; do streamed 0.003 case.cfg --set parallel.steps_per_pass=$steps; done
# Looks shorten passes; output reads the state back piece by piece.
streamed 0.003 case.cfg --set monitor.every=3 --set output.every=7 --set output.fields=true --set output.picture=y
# Where all that streams do is done at once, protecting memory takes most of the time: two passes, and a part of one.
resident=$(state case.cfg --set steps=9)
WABE_EMULATED_EARLY=1 streamed 0.003 case.cfg --set steps=9 --set parallel.steps_per_pass=4
# Periodic axes, also in corners of mirrors, and with bodies across the seam.
x=(--set boundaries.x_low.kind=periodic --set boundaries.x_high.kind=periodic)
y=(--set boundaries.y_low.kind=periodic --set boundaries.y_high.kind=periodic)
resident=$(state case.cfg "${x[@]}")
for steps in 2 5; do streamed 0.004 case.cfg "${x[@]}" --set parallel.steps_per_pass=$steps; done
resident=$(state case.cfg "${x[@]}" "${y[@]}" --set lbm.storage=f32)
streamed 0.003 case.cfg "${x[@]}" "${y[@]}" --set lbm.storage=f32
corners=("${x[@]}" "${y[@]}" --set lbm.lattice=d3q27)
resident=$(state case.cfg "${corners[@]}")
for ranks in 1 2; do streamed 0.006 case.cfg "${corners[@]}" --set parallel.steps_per_pass=4; done
ranks=1
across=("${y[@]}" --set 'geometry.objects=({shape="sphere"; kind="curved_wall"; center=[18.0,1.0,20.0]; radius=4.0;},
    {shape="box"; low=[10.0,14.0,28.0]; high=[16.0,18.0,33.0];})')
resident=$(state wind.cfg "${across[@]}")
streamed 0.0055 wind.cfg "${across[@]}"
resident=$(state case.cfg --set lbm.storage=f32)
streamed 0.0016 case.cfg --set lbm.storage=f32
resident=$(state wind.cfg)
for steps in 1 4; do streamed 0.0045 wind.cfg --set parallel.steps_per_pass=$steps; done
# A face that needs all that has left a cell, also in ghost planes.
normal=(--set boundaries.x_high.kind=pressure_normal)
resident=$(state wind.cfg "${normal[@]}")
for steps in 1 4; do streamed 0.0055 wind.cfg "${normal[@]}" --set parallel.steps_per_pass=$steps; done
ranks=2
streamed 0.0045 wind.cfg "${normal[@]}" --set parallel.steps_per_pass=3
normal+=("${y[@]}" --set 'domain.cells=[36,18,60]')
resident=$(state wind.cfg "${normal[@]}")
for steps in 5 6; do streamed 0.0065 wind.cfg "${normal[@]}" --set parallel.steps_per_pass=$steps; done
normal=(--set boundaries.y_low.kind=pressure_normal --set 'domain.cells=[36,18,60]')
resident=$(state wind.cfg "${normal[@]}")
streamed 0.0055 wind.cfg "${normal[@]}" --set parallel.steps_per_pass=5
ranks=1
resident=$(state wind.cfg --set lbm.storage=f32 --set lbm.collision=trt)
WABE_EMULATED_EARLY=1 streamed 0.0022 wind.cfg --set lbm.storage=f32 --set lbm.collision=trt

# Ghost planes: of several processes, and of a periodic z axis, whose far end is the slab's own.
cat >waves.cfg <<'CFG'
name = "tiny";
steps = 12;
domain = { cells = [23, 18, 60]; };
lbm = { collision = "trt"; streaming = "in_place"; viscosity = 0.05; velocity = 0.05; length = 8.0; };
boundaries = {
    x_low = { kind = "no_slip"; };   x_high = { kind = "no_slip"; };
    y_low = { kind = "no_slip"; };   y_high = { kind = "free_slip"; };
    z_low = { kind = "periodic"; };  z_high = { kind = "periodic"; };
};
geometry = { objects = ( { shape = "sphere"; center = [12.0, 8.0, 29.0]; radius = 3.0; } ); };
initial = { kind = "uniform"; velocity = [0.05, 0.03, 0.02]; };
node = { emulated_gpus = 1; };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG
resident=$(state waves.cfg)
for ranks in 1 2 3; do
    for steps in $(in_full 1 4) 3; do streamed 0.0022 waves.cfg --set parallel.steps_per_pass=$steps; done
done
ranks=2
streamed 0.0022 waves.cfg --set parallel.steps_per_pass=5 --set monitor.every=3 --set output.every=4 --set output.fields=true
streamed 0.0022 waves.cfg --set parallel.steps_per_pass=4 --set parallel.transport=host
resident=$(ranks=1 state waves.cfg --set steps=9)
WABE_EMULATED_EARLY=1 streamed 0.0022 waves.cfg --set steps=9 --set parallel.steps_per_pass=4
z=(--set boundaries.z_low.kind=periodic --set boundaries.z_high.kind=periodic)
resident=$(ranks=1 state wind.cfg "${across[@]}" "${z[@]}")
streamed 0.0055 wind.cfg "${across[@]}" "${z[@]}" --set parallel.steps_per_pass=3
ranks=3
resident=$(ranks=1 state wind.cfg --set lbm.storage=f32)
streamed 0.003 wind.cfg --set lbm.storage=f32
# Passes of as many steps as slabs have planes, or nearly, next to a mirror: its images need what has left the outermost plane.
thin=(--set 'domain.cells=[8,10,9]' --set 'geometry.objects=()' --set boundaries.z_low.kind=free_slip --set boundaries.z_high.kind=free_slip)
resident=$(ranks=1 state waves.cfg "${thin[@]}")
for steps in 0 3; do ranks=2 streamed 0.003 waves.cfg "${thin[@]}" --set parallel.steps_per_pass=$steps; done
# A process without any fluid.
solid=(--set 'geometry.objects=({shape="box"; low=[0.0,0.0,18.0]; high=[23.0,18.0,42.0];})')
resident=$(ranks=1 state waves.cfg "${solid[@]}")
streamed 0.0022 waves.cfg "${solid[@]}" --set parallel.steps_per_pass=3
ranks=1

# Processes that stand still for a while, one after the other, so that their neighbours are ahead of them.
resident=$(state waves.cfg --set steps=90)
mpirun -q --oversubscribe --bind-to none -np 3 "$wabe" run waves.cfg --quiet --set steps=90 --set parallel.residency=streamed \
    --set parallel.device_memory_limit=0.0022 --set parallel.processes=[1,1,0] >out.txt 2>err.txt </dev/null &
launcher=$!
for ((i = 0; i < 400; i++)); do
    mapfile -t processes < <(cat /proc/$launcher/task/*/children 2>/dev/null | tr ' ' '\n' | grep .)
    if ! kill -0 $launcher 2>/dev/null; then break; fi
    victim=${processes[$((i % 3))]-}
    if [[ $victim ]]; then
        kill -STOP "$victim" 2>/dev/null
        sleep 0.1
        kill -CONT "$victim" 2>/dev/null
    fi
    sleep 0.02
done
wait $launcher || fail "processes that stand still for a while"
((i > 3)) || fail "no process stood still"
[[ $(value out/tiny/results.json state_hash) == "$resident" ]] || fail "another state when processes stand still"
rm -rf out

# Checks in passing find what checks of a resident flow do.
for residency in resident streamed; do
    ok 1 run waves.cfg --quiet --set monitor.every=4 --set parallel.residency=$residency \
        --set parallel.device_memory_limit=$([[ $residency == resident ]] && echo 1 || echo 0.0022)
    cp out/tiny/monitor.csv $residency.csv
    rm -rf out
done
cmp -s resident.csv streamed.csv || fail "another monitor.csv when streamed"

# Forces on both bodies, too.
ok 1 run wind.cfg --quiet --set parallel.residency=resident
cp out/tiny/forces.csv .
rm -rf out
ok 1 run wind.cfg --quiet --set parallel.residency=streamed --set parallel.device_memory_limit=0.0045
cmp -s forces.csv out/tiny/forces.csv || fail "other forces when streamed"
rm -rf out

# Means over time, whose sums are in the host's memory: those of a resident flow, on several processes, after a restart,
# across a wall that is thicker than the window, and with a process that has no fluid.
means=(--set output.fields=true --set 'output.quantities="mean_velocity, rms_velocity, reynolds_stress"' --set output.precision=f64
    --set output.average.begin=2 --set output.average.every=3)
cat >means.py <<'PYTHON'
import glob, sys
import h5py, numpy
one, two = (h5py.File(max(glob.glob(folder + "/fields_*.hdf")))["VTKHDF/PointData"] for folder in sys.argv[1:])
assert sorted(one) == sorted(two) and "mean_velocity" in one, list(one)
for name in one:
    assert numpy.array_equal(one[name], two[name]), name
    assert name == "solid" or numpy.abs(one[name]).max() > 0, name
PYTHON
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
same_means() {
    if ! "$python" -c 'import h5py' 2>/dev/null; then return; fi
    "$python" means.py "$@" >out.txt 2>err.txt || fail "other means when streamed: $(tail -1 err.txt)"
}
# alike RANKS GB FILE ARGUMENT...: are the means on so many processes, each with a window of so many GB, those of a resident run?
alike() {
    local ranks=$1 limit=$2 file=$3
    shift 3
    ok 1 run "$file" --quiet "${means[@]}" "$@" --set output.directory=all --set parallel.residency=resident
    ok "$ranks" run "$file" --quiet "${means[@]}" "$@" --set output.directory=some --set parallel.device_memory_limit="$limit" \
        --set parallel.residency=streamed --set parallel.processes=[1,1,0]
    same_means all some
}
for file in wind.cfg waves.cfg; do
    for ranks in $(in_full 1) 2; do
        rm -rf all some
        alike $ranks 0.0045 $file
    done
    rm -rf some
    for more in "--set steps=7 --set checkpoint.every=7" "--restart latest"; do
        # shellcheck disable=SC2086
        ok 1 run $file --quiet "${means[@]}" --set output.directory=some --set parallel.device_memory_limit=0.0045 \
            --set parallel.residency=streamed $more
    done
    same_means all some
    rm -rf all some
done
ranks=1
alike 1 0.0045 case.cfg --set steps=9 --set domain.cells=[20,18,160] --set 'geometry.objects=({shape="box"; low=[0.0,0.0,40.0]; high=[20.0,18.0,140.0];})'
rm -rf all some
alike 3 0.0022 waves.cfg "${solid[@]}"
rm -rf all some

# A case that does not fit is streamed without being asked to, and says so.
ok 1 run case.cfg --set parallel.device_memory_limit=0.003
says "streamed   "
if grep -q 'ends passes early' out.txt; then fail "passes that end early, but nothing is due"; fi
[[ $(value out/tiny/results.json steps_per_pass) -gt 1 ]] || fail "passes of one step"
ok 1 run case.cfg --set parallel.device_memory_limit=0.003 --set checkpoint.every=2
says "checkpoint.every is 2: it ends passes early"
ok 1 run case.cfg --set parallel.device_memory_limit=1
if grep -q '^streamed' out.txt; then fail "a case that fits is streamed"; fi
ok 1 run case.cfg --set parallel.steps_per_pass=4
says "warning: --set parallel.steps_per_pass=4:"

# ---- passes in the cache of CPUs ----

# cached FILE ARGUMENT...: on CPUs the same state with any number of steps a pass.
cached() {
    local expected found steps
    expected=$(state "$@" --set node.emulated_gpus=0 --set parallel.steps_per_pass=1)
    for steps in 0 $(in_full 2) 5; do
        found=$(state "$@" --set node.emulated_gpus=0 --set parallel.steps_per_pass=$steps)
        [[ $found && $found == "$expected" ]] || fail "another state with $steps steps a pass: $*"
    done
}
cached case.cfg --set parallel.threads=2
cached case.cfg --set lbm.storage=f32 --set monitor.every=3
cached wind.cfg --set parallel.threads=3
cached case.cfg "${x[@]}" --set parallel.threads=2
cached case.cfg "${x[@]}" "${y[@]}" --set boundaries.z_low.kind=no_slip
cached wind.cfg "${across[@]}" --set parallel.threads=2
cached wind.cfg --set boundaries.x_high.kind=pressure_normal --set parallel.threads=2
# A wall across the domain, thicker than what a step reaches.
cp case.cfg wall.cfg
echo 'geometry = { objects = ( { shape = "box"; low = [0.0, 0.0, 24.0]; high = [20.0, 18.0, 34.0]; } ); };' >>wall.cfg
cached wall.cfg
cached wind.cfg --set output.fields=true --set output.quantities=mean_velocity --set output.average.every=2

# ---- what is moved ----

# A pass moves what does not fit once each way, checks of the state and means included; runs of one and of two passes differ by one.
traffic() {
    local file=$1 limit=$2 passes
    shift 2
    for passes in 1 2; do
        ok 1 run "$file" --quiet --set parallel.device_memory_limit="$limit" --set parallel.steps_per_pass=2 \
            --set steps=$((2 * passes)) --set monitor.every=2 "$@"
        cp out/tiny/results.json $passes.json
        rm -rf out
    done
    python3 - <<'PYTHON' || fail "bytes moved in a pass: $file"
import json
one, two = (json.load(open(name))["streamed"] for name in ("1.json", "2.json"))
passes = two["passes"] - one["passes"]
excess = (one["pieces"] - one["slots"]) * one["piece_bytes"]
moved = [two[way] - one[way] for way in ("loaded_bytes", "stored_bytes")]
assert passes == 1 and excess > 0 and moved == [excess, excess], (passes, excess, moved)
PYTHON
}
traffic case.cfg 0.003
traffic waves.cfg 0.0022
traffic case.cfg 0.003 "${means[@]}" --set output.average.begin=0 --set output.average.every=2

# ---- restarts: to and fro ----

resident=$(state case.cfg)
rm -rf out
small=(--set parallel.device_memory_limit=0.003 --set parallel.steps_per_pass=3)
ok 1 run case.cfg --quiet "${small[@]}" --set steps=5 --set checkpoint.every=5
ok 1 run case.cfg --quiet --restart latest --set steps=12 --set checkpoint.every=12
ok 1 run case.cfg --quiet "${small[@]}" --restart latest
[[ $(value out/tiny/results.json state_hash) == "$resident" ]] || fail "another state after restarts"

# A run that is killed goes on from its last checkpoint.
resident=$(state case.cfg --set steps=500)
"$wabe" run case.cfg --quiet "${small[@]}" --set steps=500 --set checkpoint.every=40 >killed.txt 2>&1 &
process=$!
for ((i = 0; i < 300; i++)); do
    if compgen -G 'out/tiny/checkpoint_*.h5' >/dev/null; then break; fi
    sleep 0.1
done
kill -9 $process || fail "the run has ended before it was killed"
wait $process
compgen -G 'out/tiny/checkpoint_*.h5' >/dev/null || fail "no checkpoint before the end of a process"
ok 1 run case.cfg --quiet "${small[@]}" --restart latest --set steps=500
[[ $(value out/tiny/results.json state_hash) == "$resident" ]] || fail "another state after the end of a process"

# ---- what is refused ----

for limit in 0 -1; do
    refuse 2 run case.cfg --set parallel.device_memory_limit=$limit -- parallel.device_memory_limit
done
refuse 4 run case.cfg --set parallel.device_memory_limit=0.0001 -- parallel.device_memory_limit "smallest window"
refuse 4 run case.cfg --set parallel.residency=resident --set parallel.device_memory_limit=0.003 -- domain.cells
streamed=(--set parallel.residency=streamed --set parallel.device_memory_limit=0.003)
refuse 2 run case.cfg "${streamed[@]}" --set parallel.steps_per_pass=64 -- parallel.steps_per_pass "at most"
refuse 2 run case.cfg --set parallel.residency=resident --set parallel.steps_per_pass=4 -- parallel.steps_per_pass
refuse 2 run case.cfg "${streamed[@]}" --set lbm.streaming=pull -- parallel.residency lbm.streaming
refuse 2 run case.cfg "${streamed[@]}" --set parallel.communication=none -- parallel.residency parallel.communication
refuse 2 check case.cfg --set lbm.streaming=list -- case.cfg:7: boundaries.y_high
arguments=(run waves.cfg "${streamed[@]}" --set parallel.processes=[2,1,1])
refuse_on 2 2 parallel.residency
arguments=(run waves.cfg "${streamed[@]}" --set parallel.processes=[1,1,2] --set parallel.steps_per_pass=31)
refuse_on 2 2 parallel.steps_per_pass
refuse 2 run case.cfg "${streamed[@]}" --set 'node.components=({kind="cpu";})' -- parallel.residency GPU
on_cpus=(--set node.emulated_gpus=0 --set parallel.steps_per_pass=4)
refuse_on_cpus() {
    arguments=(run "$2" "${on_cpus[@]}" "${@:3}")
    refuse_on "$1" 2 parallel.steps_per_pass
}
refuse_on_cpus 1 wind.cfg --set boundaries.z_low.kind=periodic --set boundaries.z_high.kind=periodic
refuse_on_cpus 1 case.cfg --set lbm.streaming=pull
refuse_on_cpus 2 case.cfg
finish
