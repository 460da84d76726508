#!/usr/bin/env bash
# Streamed slabs of moments, which have two grids: the state of resident ones, with all kinds of boundaries, any number of steps a
# pass, several processes, looks in between and restarts; what a pass moves.
source "$2/tests/cli/common.bash"
source "$2/tests/cli/streamed.bash"

write_wind_case
sed 's/^steps = .*/steps = 17;/; s/\[36, 18, 40\]/[40, 18, 60]/; /^forces/d
    s/collision = "regularized"; streaming = "in_place"/collision = "recursive_regularized"; streaming = "moments"/' wind.cfg >case.cfg

# Driven along all axes.
cat >round.cfg <<'CFG'
name = "tiny";
steps = 17;
domain = { cells = [40, 18, 60]; };
lbm = { collision = "regularized"; streaming = "moments"; viscosity = 0.05; velocity = 0.05; length = 8.0; force = [1e-6, 2e-6, 1e-6]; };
geometry = { objects = ( { shape = "box"; kind = "moving_wall"; velocity = [0.01, 0.02, 0.03];
                           low = [0.0, 0.0, 12.0]; high = [16.0, 5.0, 33.0]; } ); };
node = { emulated_gpus = 1; };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG

if ! full; then sed -i 's/^steps = 17;/steps = 13;/' case.cfg round.cfg; fi # two passes of five steps, and a part of one

# ---- the same bits ----

resident=$(state case.cfg)
for steps in 0 1 $(in_full 2) 5; do streamed 0.005 case.cfg --set parallel.steps_per_pass=$steps; done
for ranks in 2 3; do streamed 0.004 case.cfg --set parallel.steps_per_pass=$((ranks + 1)); done
ranks=1
# As in streamed.sh, few steps; each takes longer.
resident=$(state case.cfg --set steps=9)
WABE_EMULATED_EARLY=1 streamed 0.005 case.cfg --set steps=9 --set parallel.steps_per_pass=4 --set monitor.every=3 \
    --set output.every=7 --set output.fields=true --set output.picture=y
ranks=3
WABE_EMULATED_EARLY=1 streamed 0.004 case.cfg --set steps=9 --set parallel.steps_per_pass=3 --set parallel.transport=host
ranks=1
resident=$(state case.cfg --set lbm.storage=f32 --set lbm.collision=regularized)
for ranks in 1 2; do streamed 0.003 case.cfg --set lbm.storage=f32 --set lbm.collision=regularized; done
ranks=1

# Periodic axes, with bodies across the seams; one cell along an axis.
y=(--set boundaries.y_low.kind=periodic --set boundaries.y_high.kind=periodic)
z=(--set boundaries.z_low.kind=periodic --set boundaries.z_high.kind=periodic)
across=("${y[@]}" "${z[@]}" --set 'geometry.objects=({shape="sphere"; kind="curved_wall"; center=[18.0,1.0,59.0]; radius=4.0;},
    {shape="box"; low=[10.0,14.0,28.0]; high=[16.0,18.0,33.0];})')
resident=$(state case.cfg "${across[@]}")
for ranks in 1 2 3; do streamed 0.004 case.cfg "${across[@]}" --set parallel.steps_per_pass=3; done
ranks=1
for cells in [40,18,60] [40,1,120] [1,20,120]; do
    ranks=1
    limit=$([[ $cells == "[1"* ]] && echo 0.0035 || echo 0.0045)
    resident=$(state round.cfg --set domain.cells=$cells)
    for ranks in 1 2; do streamed $limit round.cfg --set domain.cells=$cells --set parallel.steps_per_pass=4; done
done
ranks=1
mirrors=(--set boundaries.x_low.kind=free_slip --set boundaries.x_high.kind=free_slip --set boundaries.z_low.kind=free_slip
    --set boundaries.z_high.kind=free_slip)
resident=$(state round.cfg "${mirrors[@]}")
for ranks in 1 2; do streamed 0.006 round.cfg "${mirrors[@]}" --set parallel.steps_per_pass=$((4 + ranks)); done

# A process without any fluid.
solid=(--set 'geometry.objects=({shape="box"; low=[-1.0,-1.0,18.0]; high=[41.0,19.0,42.0];})')
ranks=1
resident=$(state case.cfg "${solid[@]}")
ranks=3
streamed 0.004 case.cfg "${solid[@]}" --set parallel.steps_per_pass=3
ranks=1

# Checks, forces and means find what they do of a resident slab.
for residency in resident streamed; do
    ok 1 run case.cfg --quiet --set monitor.every=4 --set forces.every=4 --set output.average.every=3 --set output.mean_profiles=z \
        --set parallel.residency=$residency --set parallel.device_memory_limit=$([[ $residency == resident ]] && echo 1 || echo 0.0055)
    mv out $residency
done
for table in monitor forces mean_profiles; do
    cmp -s resident/tiny/$table.csv streamed/tiny/$table.csv || fail "another $table.csv when streamed"
done

# Also where a curved wall lies across a cut, and populations arrive from a ghost plane.
across=(--set steps=13 --set forces.every=3 --set 'geometry.objects=({shape="sphere";kind="curved_wall";center=[18.0,9.0,30.3];radius=4.0;})')
ok 1 run case.cfg --quiet "${across[@]}"
mv out/tiny/forces.csv resident.csv
for ranks in 2 3; do
    ok $ranks run case.cfg --quiet "${across[@]}" --set parallel.residency=streamed --set parallel.processes=[1,1,0] \
        --set parallel.device_memory_limit=0.0045 --set parallel.steps_per_pass=3
    cmp -s resident.csv out/tiny/forces.csv || fail "other forces when streamed by $ranks"
done
rm -rf out

# A look from the second plane on, in a window that holds nearly all, with the images beyond both ends.
for limit in 0.0177 0.0179 0.0181; do
    ok 1 run case.cfg --quiet --set steps=2 --set domain.cells=[126,62,10] --set 'geometry.objects=()' --set parallel.residency=streamed \
        --set parallel.steps_per_pass=1 --set parallel.device_memory_limit=$limit --set 'output.parts=({name="p"; begin=[0,0,1];})'
done
rm -rf out

# ---- restarts: to and fro, also from populations ----

resident=$(state case.cfg)
small=(--set parallel.device_memory_limit=0.005 --set parallel.steps_per_pass=3 --set parallel.residency=streamed)
ok 1 run case.cfg --quiet "${small[@]}" --set steps=5 --set checkpoint.every=5
ok 1 run case.cfg --quiet --restart latest --set steps=12 --set checkpoint.every=12
ok 2 run case.cfg --quiet "${small[@]}" --restart latest
[[ $(value out/tiny/results.json state_hash) == "$resident" ]] || fail "another state after restarts"
rm -rf out
for residency in resident streamed; do
    ok 1 run case.cfg --quiet --set lbm.streaming=in_place --set steps=5 --set checkpoint.every=5
    ok 1 run case.cfg --quiet --restart latest --set parallel.residency=$residency \
        --set parallel.device_memory_limit=$([[ $residency == resident ]] && echo 1 || echo 0.0055)
    value out/tiny/results.json state_hash >$residency.hash
    rm -rf out
done
cmp -s resident.hash streamed.hash || fail "another state after a restart from populations"

# ---- what is moved ----

# Of two grids one comes, and the other one goes.
for passes in 1 2; do
    ok 1 run case.cfg --quiet --set parallel.device_memory_limit=0.005 --set parallel.steps_per_pass=2 --set steps=$((2 * passes)) \
        --set monitor.every=2
    mv out/tiny/results.json $passes.json
    rm -rf out
done
python3 - <<'PYTHON' || fail "bytes moved in a pass"
import json
one, two = (json.load(open(name))["streamed"] for name in ("1.json", "2.json"))
excess = (one["pieces"] - one["slots"]) * one["piece_bytes"] // 2
moved = [two[way] - one[way] for way in ("loaded_bytes", "stored_bytes")]
assert excess > 0 and moved == [excess, excess], (excess, moved)
PYTHON
finish
