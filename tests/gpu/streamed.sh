#!/usr/bin/env bash
# Flows streamed through a real GPU have the state of resident ones; with two GPUs, also on two processes.
source "$2/tests/cli/common.bash"

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

# state RANKS ARGUMENT...: the hash of the last state.
state() {
    ok "$1" run case.cfg --quiet "${@:2}"
    value out/tiny/results.json state_hash
    rm -rf out
}

# streamed RANKS GB ARGUMENT...: with a window of so many GB, is the state $resident?
streamed() {
    local found
    found=$(state "$1" "${@:3}" --set parallel.residency=streamed --set parallel.device_memory_limit="$2" \
        --set parallel.processes=[1,1,0])
    [[ $found && $found == "$resident" ]] || fail "another state when streamed: $*"
}

# Means over time, which kernels add to the host's memory.
for folder in all some; do
    ok 1 run case.cfg --quiet --set output.average.every=6 --set output.mean_profiles=z --set output.directory=$folder \
        --set parallel.residency=$([[ $folder == all ]] && echo resident || echo streamed) \
        --set parallel.device_memory_limit=$([[ $folder == all ]] && echo 10 || echo 0.6)
done
cmp all/mean_profiles.csv some/mean_profiles.csv || fail "other means when streamed"
rm -rf all some

gpus=$(compgen -G '/dev/nvidia[0-9]*' | wc -l)
z=(--set boundaries.z_low.kind=periodic --set 'boundaries.z_high={kind="periodic";}')
for storage in f64:0.6 f32:0.45 f16:0.4; do
    limit=${storage#*:} type=(--set lbm.storage="${storage%:*}")
    resident=$(state 1 "${type[@]}")
    streamed 1 "$limit" "${type[@]}"
    streamed 1 "$limit" "${type[@]}" --set parallel.steps_per_pass=3 --set monitor.every=7
    if ((gpus > 1)); then streamed 2 "$limit" "${type[@]}"; fi
    resident=$(state 1 "${type[@]}" "${z[@]}")
    streamed 1 "$limit" "${type[@]}" "${z[@]}"
    if ((gpus > 1)); then streamed 2 "$limit" "${type[@]}" "${z[@]}" --set parallel.transport=host; fi
done
finish
