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

finish
