#!/usr/bin/env bash
# Flows, and fields of stencils, streamed through a real GPU have the state of resident ones; with two GPUs also on two
# processes.
source "$2/tests/cli/common.bash"
source "$2/tests/cli/streamed.bash"

cat >case.cfg <<'CFG'
name = "tiny";
steps = 50;
domain = { cells = [250, 200, 160]; };
lbm = { collision = "trt"; streaming = "in_place"; viscosity = 0.05; velocity = 0.05; length = 20.0; };
boundaries = {
    x_low = { kind = "periodic"; };  x_high = { kind = "periodic"; };
    y_low = { kind = "no_slip"; };   y_high = { kind = "free_slip"; };
    z_low = { kind = "no_slip"; };   z_high = { kind = "moving_wall"; velocity = [0.05, 0.0, 0.0]; };
};
geometry = { objects = ( { shape = "sphere"; kind = "curved_wall"; center = [120.0, 90.0, 80.0]; radius = 20.0; } ); };
initial = { kind = "uniform"; velocity = [0.05, 0.0, 0.02]; };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG

# Means over time, which kernels add to the host's memory.
for folder in all some; do
    ok 1 run case.cfg --quiet --set output.average.every=6 --set output.mean_profiles=z --set output.directory=$folder \
        --set parallel.residency=$([[ $folder == all ]] && echo resident || echo streamed) \
        --set parallel.device_memory_limit=$([[ $folder == all ]] && echo 10 || echo 0.6)
done
cmp all/mean_profiles.csv some/mean_profiles.csv || fail "other means when streamed"
rm -rf all some

gpus=$(compgen -G '/dev/nvidia[0-9]*' | wc -l)
# everywhere GB FILE ARGUMENT...: on one process, and if there are GPUs for it on two.
everywhere() {
    local limit=$1
    shift
    resident=$(state "$@")
    streamed "$limit" "$@"
    streamed "$limit" "$@" --set parallel.steps_per_pass=3 --set monitor.every=7
    if ((gpus > 1)); then ranks=2 streamed "$limit" "$@"; fi
}
z=(--set boundaries.z_low.kind=periodic --set 'boundaries.z_high={kind="periodic";}')
for storage in f64:0.6 f32:0.45 f16:0.4; do
    limit=${storage#*:} type=(--set lbm.storage="${storage%:*}")
    everywhere "$limit" case.cfg "${type[@]}"
    resident=$(state case.cfg "${type[@]}" "${z[@]}")
    streamed "$limit" case.cfg "${type[@]}" "${z[@]}"
    if ((gpus > 1)); then ranks=2 streamed "$limit" case.cfg "${type[@]}" "${z[@]}" --set parallel.transport=host; fi
done

# Moments in two grids.
moments=(--set lbm.streaming=moments --set lbm.collision=recursive_regularized)
for storage in f64:0.7 f32:0.45; do
    everywhere "${storage#*:}" case.cfg "${moments[@]}" --set lbm.storage="${storage%:*}"
    everywhere "${storage#*:}" case.cfg "${moments[@]}" --set lbm.storage="${storage%:*}" "${z[@]}"
done

# A list of fluid cells.
cat >list.cfg <<'CFG'
name = "tiny";
steps = 50;
domain = { cells = [250, 200, 160]; };
lbm = { collision = "trt"; streaming = "list"; viscosity = 0.05; velocity = 0.05; length = 20.0; force = [1e-6, 0.0, 1e-6]; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.05, 0.0, 0.0]; };  x_high = { kind = "pressure"; };
    y_low = { kind = "no_slip"; };                                y_high = { kind = "no_slip"; };
};
geometry = { objects = (
    { shape = "sphere"; kind = "curved_wall"; center = [120.0, 90.0, 80.0]; radius = 40.0; },
    { shape = "box"; low = [20.0, 0.0, 10.0]; high = [240.0, 90.0, 70.0]; }
); };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG
for storage in f64:0.6 f32:0.65; do everywhere "${storage#*:}" list.cfg --set lbm.storage="${storage%:*}"; done

# Fields of stencils, larger.
write_grid_cases
everywhere 0.06 diffusion.cfg --set domain.cells=[250,200,400] --set steps=101
everywhere 0.06 diffusion.cfg --set domain.cells=[250,200,400] --set steps=101 "${z[@]}"
everywhere 0.12 diffusion.cfg --set domain.cells=[250,200,400] --set steps=101 --set diffusion.storage=f64
everywhere 0.4 himeno.cfg --set himeno.size=L --set steps=40
everywhere 0.08 dendrite.cfg --set domain.cells=[256,192,320] --set steps=60
everywhere 0.16 "$2/input/alloy.cfg" --set name=tiny --set domain.cells=[256,192,320] --set steps=60 \
    --set monitor.every=1000 --set output.fields=false --set output.picture=none
finish
