#!/usr/bin/env bash
# Streamed lists of fluid cells: the state of resident ones, with all kinds of boundaries, any number of steps a pass, several
# processes, looks in between and restarts; passes in the cache of CPUs; flows that are periodic along all axes, also in place.
source "$2/tests/cli/common.bash"
source "$2/tests/cli/streamed.bash"

cat >case.cfg <<'CFG'
name = "tiny";
steps = 17;
domain = { cells = [20, 18, 60]; };
lbm = { collision = "trt"; streaming = "list"; viscosity = 0.05; velocity = 0.05; length = 8.0; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.05, 0.0, 0.0]; };   x_high = { kind = "pressure"; };
    y_low = { kind = "no_slip"; };                                 y_high = { kind = "no_slip"; };
    z_low = { kind = "no_slip"; };   z_high = { kind = "moving_wall"; velocity = [0.05, 0.0, 0.0]; };
};
geometry = { objects = (
    { shape = "sphere"; kind = "curved_wall"; center = [10.0, 9.0, 20.0]; radius = 4.0; },
    { shape = "box"; low = [8.0, 0.0, 28.0]; high = [13.0, 5.0, 33.0]; }
); };
node = { emulated_gpus = 1; };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG

# Driven along all axes; a ball that moves lies across the seam.
cat >round.cfg <<'CFG'
name = "tiny";
steps = 17;
domain = { cells = [20, 18, 60]; };
lbm = { collision = "trt"; streaming = "list"; viscosity = 0.05; velocity = 0.05; length = 8.0; force = [1e-6, 2e-6, 1e-6]; };
geometry = { objects = (
    { shape = "sphere"; kind = "curved_wall"; center = [10.0, 9.0, 20.0]; radius = 4.0; },
    { shape = "sphere"; kind = "moving_wall"; velocity = [0.01, 0.02, 0.03]; center = [19.0, 9.0, 59.0]; radius = 3.0; }
); };
node = { emulated_gpus = 1; };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG

if ! full; then sed -i 's/^steps = 17;/steps = 13;/' case.cfg round.cfg; fi # two passes of five steps, and a part of one

# ---- the same bits ----

resident=$(state case.cfg)
for steps in 0 1 2; do streamed 0.004 case.cfg --set parallel.steps_per_pass=$steps; done
for ranks in 2 3; do streamed 0.004 case.cfg --set parallel.steps_per_pass=$((ranks + 1)); done
ranks=1
# As in streamed.sh, few steps; each takes longer.
resident=$(state case.cfg --set steps=9)
WABE_EMULATED_EARLY=1 streamed 0.004 case.cfg --set steps=9 --set parallel.steps_per_pass=5 --set monitor.every=3
ranks=3
WABE_EMULATED_EARLY=1 streamed 0.004 case.cfg --set steps=9 --set parallel.steps_per_pass=3
ranks=1
resident=$(state case.cfg --set lbm.storage=f16)
streamed 0.0025 case.cfg --set lbm.storage=f16

# A process without any fluid; nor has it a slot.
solid=(--set 'geometry.objects=({shape="box"; low=[-1.0,-1.0,18.0]; high=[21.0,19.0,42.0];})')
resident=$(state case.cfg "${solid[@]}")
ranks=3
streamed 0.004 case.cfg "${solid[@]}" --set parallel.steps_per_pass=3
ranks=1

resident=$(state round.cfg --set lbm.storage=f32)
for ranks in 1 2; do streamed 0.0034 round.cfg --set lbm.storage=f32 --set parallel.steps_per_pass=$((5 - ranks)); done
# In place, where numbers of ghost planes lie in corners behind two faces.
for lattice in d3q19 d3q27; do
    ranks=1
    resident=$(state round.cfg --set lbm.streaming=in_place --set lbm.lattice=$lattice)
    for ranks in 1 2; do
        streamed 0.008 round.cfg --set lbm.streaming=in_place --set lbm.lattice=$lattice --set parallel.steps_per_pass=3
    done
done
ranks=1

# One cell along a periodic axis.
flat=(--set 'geometry.objects=({shape="box"; low=[0.0,0.0,12.0]; high=[6.0,9.0,33.0];})' --set lbm.force=[1e-6,0.0,2e-6])
for cells in [20,1,60] [1,20,60]; do
    for streaming in in_place list; do
        ranks=1
        resident=$(state round.cfg "${flat[@]}" --set domain.cells=$cells --set lbm.streaming=$streaming)
        for ranks in 1 2; do
            streamed 0.004 round.cfg "${flat[@]}" --set domain.cells=$cells --set lbm.streaming=$streaming \
                --set parallel.steps_per_pass=3
        done
    done
done
ranks=1
flat+=(--set 'geometry.objects=({shape="box"; low=[0.0,12.0,0.0]; high=[6.0,33.0,1.0];})' --set domain.cells=[20,60,1]
    --set lbm.force=[1e-6,2e-6,0.0])
resident=$(state round.cfg "${flat[@]}")
streamed 0.004 round.cfg "${flat[@]}"

# The same beside boundaries whose populations need memory: a wall that moves, velocity and pressure.
thin=(--set domain.cells=[36,11,1] --set 'geometry.objects=({shape="box"; low=[7.0,3.0,0.0]; high=[10.0,11.0,1.0];})'
    --set boundaries.y_high.kind=moving_wall --set boundaries.y_high.velocity=[0.02,0.0,-0.01]
    --set boundaries.z_low.kind=periodic --set boundaries.z_high.kind=periodic --set boundaries.z_high.velocity=[0.0,0.0,0.0])
resident=$(state case.cfg "${thin[@]}")
streamed 0.004 case.cfg "${thin[@]}"
passes=$(state case.cfg "${thin[@]}" --set node.emulated_gpus=0 --set parallel.steps_per_pass=6)
[[ $passes == "$resident" ]] || fail "another state of one layer in passes"

# Pores that are filled, particles and meshes reach into ghost planes. A list is chosen by the share of fluid cells.
"$2/scripts/make_voxel_image.py" grains.raw >/dev/null || fail "make_voxel_image.py"
"$2/scripts/make_mesh.py" sphere.stl sphere 40 >/dev/null || fail "make_mesh.py"
cat >pores.cfg <<'CFG'
name = "tiny";
steps = 30;
domain = { cells = [40, 64, 64]; };
lbm = { collision = "trt"; tau = 1.0; };
geometry = { fill = "unconnected";
    voxels = { file = "grains.raw"; size = [80, 64, 64]; cells = [40, 64, 64]; header = 32; solid = "1-2"; fluid = "0"; }; };
porous = { axis = "x"; gradient = 1e-6; tolerance = 0.9; interval = 4; };
node = { emulated_gpus = 1; };
output = { fields = false; picture = "none"; };
CFG
sed 's/cells = \[40, 64, 64\]; };$/cells = [24, 24, 40]; };/; s/^geometry.*/geometry = {/
    s/^ *voxels.*/    spheres = { array = "simple_cubic"; radius = 10.0; }; };/' pores.cfg >spheres.cfg
sed 's/^geometry.*/geometry = { meshes = (/
    s/^    { shape = "sphere".*/    { file = "sphere.stl"; kind = "curved_wall"; place = [10.0, 9.0, 30.0]; scale = 6.0; } ); };/
    /^    { shape = "box"/d; /^); };$/d' case.cfg >mesh.cfg
# pairs GB FILE ARGUMENT...: on one process and on two.
pairs() {
    ranks=1
    resident=$(state "${@:2}" --set parallel.residency=resident)
    for ranks in 1 2; do streamed "$@" --set parallel.steps_per_pass=6; done
    ranks=1
}
pairs 0.05 pores.cfg
pairs 0.02 spheres.cfg
pairs 0.02 mesh.cfg
# Mirrors: no list, however few cells are fluid.
mirrors=(--set boundaries.y_low.kind=free_slip --set boundaries.y_high.kind=free_slip)
pairs 0.14 pores.cfg "${mirrors[@]}"

# Checks, forces and means find what they do of a resident list.
for residency in resident streamed; do
    ok 1 run case.cfg --quiet --set monitor.every=4 --set forces.every=4 --set output.average.every=3 --set output.mean_profiles=z \
        --set parallel.residency=$residency --set parallel.device_memory_limit=$([[ $residency == resident ]] && echo 1 || echo 0.0045)
    mv out $residency
done
for table in monitor forces mean_profiles; do
    cmp -s resident/tiny/$table.csv streamed/tiny/$table.csv || fail "another $table.csv when streamed"
done

# ---- restarts: to and fro ----

resident=$(state case.cfg)
small=(--set parallel.device_memory_limit=0.004 --set parallel.steps_per_pass=3 --set parallel.residency=streamed)
ok 1 run case.cfg --quiet "${small[@]}" --set steps=5 --set checkpoint.every=5
ok 1 run case.cfg --quiet --restart latest --set steps=12 --set checkpoint.every=12
ok 2 run case.cfg --quiet "${small[@]}" --restart latest
[[ $(value out/tiny/results.json state_hash) == "$resident" ]] || fail "another state after restarts"
rm -rf out

# ---- passes in the cache of CPUs ----

on_cpus=(--set node.emulated_gpus=0 --set parallel.threads=2)
for storage in f64 f32; do
    resident=$(state case.cfg "${on_cpus[@]}" --set lbm.storage=$storage --set parallel.steps_per_pass=1)
    found=$(state case.cfg "${on_cpus[@]}" --set lbm.storage=$storage --set parallel.steps_per_pass=5)
    [[ $found && $found == "$resident" ]] || fail "another state of a list with 5 steps a pass, $storage"
done

# ---- what is moved ----

# A pass moves the populations that do not fit once each way; neighbour indices come, and do not go.
for passes in 1 2; do
    ok 1 run case.cfg --quiet --set parallel.device_memory_limit=0.004 --set parallel.steps_per_pass=2 --set steps=$((2 * passes)) \
        --set monitor.every=2
    mv out/tiny/results.json $passes.json
    rm -rf out
done
python3 - <<'PYTHON' || fail "bytes moved in a pass"
import json
one, two = (json.load(open(name))["streamed"] for name in ("1.json", "2.json"))
excess = (one["pieces"] - one["slots"]) * one["piece_bytes"]
loaded, stored = (two[way] - one[way] for way in ("loaded_bytes", "stored_bytes"))
indices = loaded - excess
# 18 indices of 4 bytes beside 19 populations of 8; both windows have room for whole pieces
assert excess > 0 and stored == excess and 0.4 < indices / excess < 0.55, (excess, loaded, stored)
PYTHON
finish
