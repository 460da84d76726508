#!/usr/bin/env bash
# However a case is cut, threaded, streamed and scheduled: the state is the same to the last bit.
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

finish
