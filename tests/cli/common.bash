# What the scripts of tests/cli share. Source it with $1, the program, and $2, the source folder;
# the current folder is empty and the script's own. A script ends with: finish.
set -uo pipefail
wabe=$1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMP_NUM_THREADS=1
# Open MPI starts one process in a tenth of the time if it need look neither for networks nor for a daemon. Without
# one, processes share a folder for their sessions, which one that ends removes while another begins: each that start
# starts has one of its own. Who waits for others leaves them the core: two
# processes on two cores, which other tests use too, otherwise take three times as much time. mpirun ends processes at once
# when one has failed, rather than after a second or two: all have said by then what they have to say.
export OMPI_MCA_pml=ob1 OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_mpi_yield_when_idle=1 OMP_WAIT_POLICY=passive
export OMPI_MCA_odls_base_sigkill_timeout=0
TMPDIR=$(mktemp -d) && export TMPDIR
failures=0
# A script that forgets to finish does not hide its failures.
at_exit() {
    local code=$?
    rm -rf "$TMPDIR"
    if ((code == 0 && failures)); then exit 1; fi
}
trap at_exit EXIT

# fail WORD...: counts a failure, and shows what the last command printed.
fail() {
    failures=$((failures + 1))
    echo "FAILED: $*" >&2
    if [[ -e out.txt ]]; then head -c 3000 out.txt err.txt >&2; fi
}

# full: is the full form of a long test asked for, rather than its short one?
full() { [[ ${WABE_TEST_FULL-} == 1 ]]; }
# in_full WORD...: these words, in the full form.
in_full() { if full; then echo "$@"; fi; }

finish() {
    if ((failures)); then
        echo "$failures failures" >&2
        exit 1
    fi
    exit 0
}

# choose_hardware RANKS ARGUMENT...: a run that asks for emulated GPUs, or to be streamed, gets the real ones of the machine,
# and any other run processors. A heterogeneous or hybrid run needs a GPU for each process; if the machine has fewer, its GPUs stay emulated.
choose_hardware() {
    local components
    if [[ "$*" == *heterogeneous* || "$*" == *mode=hybrid* ]] && (($(compgen -G '/dev/nvidia[0-9]*' | wc -l) < $1)); then return; fi
    components=$(printf ', {kind="cpu";}%.0s' $(seq "$1"))
    hardware=(--set "node.components=(${components#, })")
    if [[ "$*" == *emulated_gpus=* || "$*" == *residency=*streamed* ]]; then hardware=(--set node.emulated_gpus=0); fi
}

# start RANKS ARGUMENT...: runs the program into out.txt and err.txt; its exit code is in $code. A
# program that hangs ends with 124, or 137 if it does not heed SIGTERM.
start() {
    local ranks=$1 launcher=() hardware=()
    shift
    if ((ranks > 1)); then launcher=(mpirun -q --oversubscribe --bind-to none -np "$ranks"); fi
    if [[ ${WABE_TEST_GPUS-} == real && $1 == run ]]; then choose_hardware "$ranks" "$@"; fi
    code=0
    TMPDIR=$(mktemp -d -p "$TMPDIR") timeout -k 5 300 "${launcher[@]}" "$wabe" "$@" "${hardware[@]}" >out.txt 2>err.txt </dev/null || code=$?
}

# ok RANKS ARGUMENT...: runs the program, which must succeed.
ok() {
    start "$@"
    if ((code != 0)); then fail "code $code instead of 0, ranks and arguments: $*"; fi
}

# printed: all that the last command printed, in $all: thousands of checks without a process for each.
printed() { all=$'\n'$(<out.txt)$'\n'$(<err.txt); } 2>/dev/null # which may have bytes that are 0

# says TEXT...: each of them was printed.
says() {
    local text all
    printed
    for text in "$@"; do
        [[ $all == *"$text"* ]] || fail "nothing printed has: $text"
    done
}

# is_json FILE
is_json() { python3 -m json.tool "$1" >/dev/null || fail "$1 is not JSON"; }

# value FILE KEY: a number or text of a JSON file that has it once.
value() { sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1" | head -n 1; }

# A cavity that takes no time.
write_case() {
    cat >case.cfg <<'CFG'
name = "tiny";
steps = 20;
domain = { cells = [16, 12, 14]; };
lbm = {
    reynolds = 20.0;
    velocity = 0.1;
};
boundaries = {
    x_low  = { kind = "no_slip"; };
    x_high = { kind = "no_slip"; };
    y_low  = { kind = "no_slip"; };
    y_high = { kind = "no_slip"; };
    z_low  = { kind = "no_slip"; };
    z_high = { kind = "moving_wall"; velocity = [0.1, 0.0, 0.0]; };
};
CFG
}

# What nothing may leave that is refused.
left_behind=out/tiny/results.json

# refuse CODE ARGUMENT... -- TEXT...: on one rank, and now and then on three, which take ten times as long to start.
refusals=0
if full; then on_three=5; else on_three=20; fi
refuse() {
    local expected=$1 arguments=()
    shift
    while (($#)) && [[ $1 != -- ]]; do
        arguments+=("$1")
        shift
    done
    shift
    refuse_on 1 "$expected" "$@"
    if ((refusals++ % on_three == 0)); then refuse_on 3 "$expected" "$@"; fi
}

refuse_on() {
    local ranks=$1 expected=$2 messages all without
    shift 2
    if [[ -e out ]]; then rm -rf out; fi
    start "$ranks" "${arguments[@]}"
    if ((code != expected)); then
        fail "code $code instead of $expected on $ranks ranks: ${arguments[*]}"
    fi
    printed
    without=${all//$'\nwabe: '/}
    messages=$(((${#all} - ${#without}) / 7))
    if ((messages != 1)); then fail "$messages messages on $ranks ranks: ${arguments[*]}"; fi
    if [[ -e $left_behind ]]; then fail "it left $left_behind: ${arguments[*]}"; fi
    says "$@"
}

# same_state RANKS ARGUMENT...: a run of case.cfg, named tiny, has the state of the first one; first= begins anew.
first=
same_state() {
    local hash
    ok "$1" run case.cfg --quiet --set output.fields=false "${@:2}"
    hash=$(value out/tiny/results.json state_hash)
    : "${first:=$hash}"
    if [[ ! $hash || $hash != "$first" ]]; then fail "another state: $*"; fi
    rm -rf out
}

# edit EXPRESSION: the case, changed by sed, is bad.cfg.
edit() { sed "$1" case.cfg >bad.cfg; }

# warns TEXT ARGUMENT...: once, on each of these numbers of ranks.
warned_on="1 3"
warns() {
    local text=$1 ranks count
    shift
    for ranks in $warned_on; do
        ok "$ranks" "$@"
        count=$(cat out.txt err.txt | grep -c "^warning: $text")
        if ((count != 1)); then fail "$count warnings of $text on $ranks ranks"; fi
    done
}

# silent ARGUMENT...: nothing is warned of, but that a process leaves other GPUs of the machine idle
silent() {
    ok 1 check "$@"
    if cat out.txt err.txt | grep '^warning' | grep -qv 'stay idle'; then fail "warned of: $*"; fi
}
