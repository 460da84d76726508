#!/usr/bin/env bash
# scripts/test_nodes.sh [--nodes N] [--quick] [PROGRAM]: runs Wabe on several nodes, which are namespaces of this machine's
# network and host name, joined by a bridge; mpirun starts on them over TCP. Nothing outside of the namespaces is changed.
#
#   the state is the same on any nodes, in all modes, with 1-D and 3-D cuts
#   processes find out who shares their node
#   wabe calibrate measures messages between nodes; forecasts beside measurements (left out with --quick)
#   a node that disappears ends the run, and a restart from its last checkpoint has the state of an undisturbed one
#
# N: 2 to 4 nodes, by default 3. Needs root, Open MPI and iproute2; exit code 77: the machine does not allow namespaces.
set -euo pipefail

nodes=3 quick=false
arguments=("$@")
while [[ ${1-} == --* ]]; do
    case $1 in
    --nodes) nodes=${2-} && shift ;;
    --quick) quick=true ;;
    --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit ;;
    *) echo "unknown option $1" >&2 && exit 2 ;;
    esac
    shift
done
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wabe=$(realpath "${1-$root/build/release/wabe}")
[[ $nodes =~ ^[2-4]$ ]] || { echo "--nodes must be 2, 3 or 4" >&2 && exit 2; }
[[ -x $wabe ]] || { echo "there is no program $wabe: scripts/test.sh builds it" >&2 && exit 2; }
source "$root/scripts/nodes.bash"
enter_namespaces "$root/scripts/test_nodes.sh" "${arguments[@]}"
make_nodes "$nodes"

delay="none, since tc has no netem here"
if tc qdisc add dev port0 root netem delay 100us rate 10gbit 2>/dev/null; then
    for ((i = 1; i < nodes; i++)); do tc qdisc add dev port$i root netem delay 100us rate 10gbit; done
    delay="100 us, 10 Gbit/s"
fi
echo "nodes      $nodes, delay and rate by tc: $delay"

# mpirun starts its daemons by this, in place of ssh.
cat >"$work/agent" <<AGENT
#!/bin/sh
node=\$1
shift
exec nsenter --net="$work/nodes/\$node.net" --uts="$work/nodes/\$node.uts" -- sh -c "\$*"
AGENT
chmod +x "$work/agent"
export OMPI_MCA_plm_rsh_agent=$work/agent

# on HOSTS WABE_ARGUMENT...: runs the program on these, such as node0:2,node1:2.
on() {
    local hosts=$1 host count=0
    shift
    for host in ${hosts//,/ }; do count=$((count + ${host#*:})); done
    at node0 timeout 120 mpirun --oversubscribe --bind-to none -np "$count" --host "$hosts" "$wabe" "$@"
}

# ---- the same state ----

write_case case.cfg

# state HOSTS ARGUMENT...: the hash of the last state.
state() {
    rm -rf "$work/results"
    if on "$1" run case.cfg --quiet --set output.directory="$work/results" "${@:2}" >"$work/out.txt" 2>&1; then hash_of "$work/results/results.json"; fi
}

expected=$(state node0:1)
all=node0:2,node1:2
for ((i = 2; i < nodes; i++)); do all+=,node$i:1; done
# same WHAT HOSTS ARGUMENT...
same() {
    local what=$1 found
    found=$(state "${@:2}")
    if [[ $found == "$expected" && $expected ]]; then echo "same state $what"; else fail "another state: $what"; fi
}
same "1-D cuts on two nodes, two processes each" node0:2,node1:2 --set parallel.processes=[1,1,4]
same "3-D cuts on two nodes, four processes each" node0:4,node1:4 --set parallel.processes=[2,2,2]
same "hybrid, a process of two threads on each node" node0:1,node1:1 --set 'parallel.mode="hybrid"' --set parallel.threads=2
same "on all nodes" "$all"
# On each node process i takes GPU i: nobody shares one, if processes know who is on their node.
same "two emulated GPUs on each node" node0:2,node1:2 --set node.emulated_gpus=2
if grep -q 'share' "$work/out.txt"; then fail "processes take those of other nodes for neighbours on theirs"; fi
same "GPUs and processors of each node" node0:1,node1:1 --set node.emulated_gpus=1 --set 'parallel.mode="heterogeneous"' \
    --set 'parallel.balance="equal"'

# ---- forecasts ----

if ! $quick; then
    on node0:1,node1:1 calibrate --only cpu --kernels stream_collide.trt.d3q19.in_place.f64 --output "$work/machine.cfg" >"$work/out.txt" 2>&1 ||
        fail "wabe calibrate between nodes"
    grep -E '^(node|network) = ' "$work/machine.cfg" || fail "no figures of messages between nodes"
    # Each node has one process, since all of them share this machine's cores.
    for grid in 1,1,2 1,2,1 2,1,1; do
        rm -rf "$work/results"
        on node0:1,node1:1 run case.cfg --machine "$work/machine.cfg" --set domain.cells=[64,64,64] --set steps=300 \
            --set parallel.processes=[$grid] --set lbm.streaming=in_place --set lbm.storage=f64 \
            --set output.directory="$work/results" >"$work/out.txt" 2>&1 || fail "a run with a forecast, $grid"
        echo "forecast   cut $grid: $(sed -n 's/^all  *step *//p' "$work/out.txt") (ms a step: predicted, measured, deviation)"
    done
fi

# ---- a node that disappears ----

expected=$(state node0:1 --set steps=4000)
rm -rf "$work/results"
on node0:2,node1:2 run case.cfg --quiet --set output.directory="$work/results" --set steps=4000 --set checkpoint.every=200 \
    >"$work/out.txt" 2>&1 &
run=$!
for ((i = 0; i < 300; i++)); do
    if compgen -G "$work/results/checkpoint_*.h5" >/dev/null || ! kill -0 $run 2>/dev/null; then break; fi
    sleep 0.1
done
kill -0 $run 2>/dev/null || fail "the run has ended before the node disappears"
at node1 ip link set line1 down
kill_all_at node1
start=$SECONDS code=0
wait $run || code=$?
if ((code == 0 || code == 124)); then
    fail "the run goes on without a node, exit code $code"
else
    echo "lost node  the run ends after $((SECONDS - start)) s, mpirun's exit code $code: $(grep -vE '^[-= ]*$' "$work/out.txt" | head -n 1)"
fi
at node1 ip link set line1 up
if on node0:2 run case.cfg --quiet --set output.directory="$work/results" --set steps=4000 --restart latest >"$work/out.txt" 2>&1 &&
    [[ $(hash_of "$work/results/results.json") == "$expected" ]]; then
    echo "restart    the state of an undisturbed run"
else
    fail "the restart after a node has disappeared"
fi

((failures == 0)) && echo "nodes      all passed"
exit $((failures > 0))
