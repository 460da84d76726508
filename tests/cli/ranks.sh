#!/usr/bin/env bash
# However a case is cut, threaded, streamed, scheduled, and shared out among processors and GPUs: the
# state is the same to the last bit.
source "$2/tests/cli/common.bash"
write_case

# same RANKS ARGUMENT...: a run of the case has the state of the first one.
same() {
    local ranks=$1 hash
    shift
    ok "$ranks" run case.cfg --quiet --set output.fields=false "$@"
    hash=$(value out/tiny/results.json state_hash)
    : "${first:=$hash}"
    if [[ ! $hash || $hash != "$first" ]]; then fail "another state on $ranks ranks: $*"; fi
    rm -rf out
}

grid=(--set "parallel.processes=[1, 2, 2]")
same 1
same 4 "${grid[@]}"
same 4 "${grid[@]}" --set parallel.overlap=false
same 4 "${grid[@]}" --set lbm.streaming=pull
same 4 "${grid[@]}" --set parallel.threads=2
same 3 --set "parallel.processes=[3, 1, 1]"
same 2 --set lbm.streaming=pull --set parallel.overlap=false --set parallel.threads=2

# On emulated GPUs, which have fused multiply-adds: so must the processor.
if grep -qE '^flags.* fma( |$)' /proc/cpuinfo; then
    on() { printf '%s\n' --set "parallel.mode=$1" --set "node.emulated_gpus=$2"; }
    mapfile -t all < <(on heterogeneous 1)
    mapfile -t gpus < <(on hybrid 3)
    mapfile -t each < <(on pure-mpi 2)
    same 1 "${all[@]}"
    same 1 "${gpus[@]}" --set parallel.overlap=false
    same 1 "${gpus[@]}" --set parallel.transport=host
    same 2 "${each[@]}" --set lbm.streaming=pull
    same 4 "${each[@]}" --set parallel.transport=peer

    # What is written is the same too.
    case=(case.cfg --quiet --set output.fields=false --set output.profiles=true
        --set output.picture=y)
    ok 1 run "${case[@]}" --set output.directory=cpu
    ok 2 run "${case[@]}" --set output.directory=gpu "${each[@]}"
    for file in profiles.csv velocity_00000020.png; do
        cmp "cpu/$file" "gpu/$file" || fail "$file differs on GPUs"
    done
fi

# Solids that are wall functions have images in solid cells, which come from other slabs where two cuts meet.
cat >case.cfg <<'CFG'
name = "tiny"; steps = 20;
domain = { cells = [20, 12, 8]; };
lbm = { viscosity = 1e-4; les = { model = "smagorinsky"; }; force = [1e-6, 0.0, 0.0]; };
boundaries = { y_low = { kind = "wall_function"; }; y_high = { kind = "free_slip"; }; };
geometry = { objects = ( { shape = "box"; low = [5.0, -1.0, 1.0]; high = [11.0, 6.0, 5.0]; kind = "wall_function"; roughness = 0.05; },
    { shape = "sphere"; center = [19.0, 6.0, 4.0]; radius = 3.3; kind = "wall_function"; roughness = 0.05; } ); };
initial = { kind = "uniform"; velocity = [0.05, 0.0, 0.02]; };
CFG
first=
same 1
same 1 --set lbm.streaming=pull
same 3 --set "parallel.processes=[3, 1, 1]"
same 4 "${grid[@]}"
same 4 "${grid[@]}" --set lbm.streaming=pull --set parallel.overlap=false
same 4 --set "parallel.processes=[2, 2, 1]"
same 4 --set "parallel.processes=[2, 1, 2]"
if grep -qE '^flags.* fma( |$)' /proc/cpuinfo; then
    same 1 "${gpus[@]}"
    same 2 --set parallel.mode=heterogeneous --set node.emulated_gpus=2 --set "parallel.processes=[1, 2, 1]"
    same 4 "${each[@]}" "${grid[@]}"
fi

finish
