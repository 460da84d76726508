# Streamed and resident runs of a case named "tiny": sourced by tests of them, after common.bash.
# shellcheck shell=bash disable=SC2034,SC2154

ranks=1

# state FILE ARGUMENT...: the hash of the last state of a run on $ranks processes.
state() {
    ok "$ranks" run "$@" --quiet
    value out/tiny/results.json state_hash
    rm -rf out
}

# streamed GB FILE ARGUMENT...: with a window of so many GB, is the state that of the resident run, $resident?
streamed() {
    local limit=$1 found
    shift
    found=$(state "$@" --set parallel.residency=streamed --set parallel.device_memory_limit="$limit" \
        --set parallel.processes=[1,1,0])
    [[ $found && $found == "$resident" ]] || fail "another state when streamed by $ranks: $*"
}
