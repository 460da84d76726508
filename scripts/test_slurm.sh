#!/usr/bin/env bash
# scripts/test_slurm.sh [--quick] [PROGRAM]: runs the job scripts of docs/cluster.md by a Slurm of its own, whose nodes are
# namespaces of this machine (scripts/nodes.bash), with fewer tasks and processors, and emulated GPUs.
#
#   each script gives the state of a run without Slurm; so does one with mpirun in place of srun
#   the script for long runs is interrupted by Slurm's signal, requeued, and goes on to that state (some 5 minutes; left out
#   with --quick)
#
# Needs root and Debian's slurm-wlm, munge, iproute2; exit code 77: the machine does not allow namespaces.
set -euo pipefail

quick=false
arguments=("$@")
if [[ ${1-} == --quick ]]; then quick=true && shift; fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
wabe=$(realpath "${1-$root/build/release/wabe}")
source "$root/scripts/setup.sh"
source "$root/scripts/nodes.bash"
if ! $inside; then install_packages slurm-wlm munge iproute2; fi
enter_namespaces "$root/scripts/test_slurm.sh" "${arguments[@]}"
export TMPDIR=/var/tmp # each node has a /tmp of its own, for PMIx
make_nodes 4

# ---- Slurm ----

export SLURM_CONF=$work/slurm.conf
cat >"$SLURM_CONF" <<CONF
ClusterName=wabe
SlurmctldHost=node0(10.77.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=2
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=node0 NodeAddr=10.77.0.1 CPUs=8 Gres=gpu:4 State=UNKNOWN
NodeName=node1 NodeAddr=10.77.0.2 CPUs=8 Gres=gpu:4 State=UNKNOWN
NodeName=node2 NodeAddr=10.77.0.3 CPUs=8 Gres=gpu:4 State=UNKNOWN
NodeName=node3 NodeAddr=10.77.0.4 CPUs=8 Gres=gpu:4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
for ((i = 0; i < 4; i++)); do mknod "$work/gpu$i" c 1 3; done # in place of GPUs
echo "Name=gpu File=$work/gpu[0-3]" >"$work/gres.conf"
mkdir "$work/state" "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chmod 600 "$work/munge/key"
chmod 711 "$work"
munged --force --socket "$work/munge.socket" --key-file "$work/munge/key" --pid-file "$work/munge/pid" \
    --log-file "$work/munge/log" --seed-file "$work/munge/seed"
at node0 slurmctld -D >"$work/slurmctld.out" 2>&1 &
for node in node0 node1 node2 node3; do
    mkdir -p "$work/tmp.$node" "$work/spool.$node"
    at $node unshare --mount bash -c "mount --bind '$work/tmp.$node' /tmp && exec slurmd -D -N $node" >"$work/slurmd.$node.out" 2>&1 &
done
stop() {
    remove_nodes
    kill "$(pgrep -f "munged --force --socket $work")" 2>/dev/null || true
}
trap stop EXIT
for ((i = 0; i < 60; i++)); do
    idle=$(at node0 sinfo -h -t idle -o %D 2>/dev/null || true)
    if ((${idle:-0} == 4)); then break; fi
    sleep 0.5
done
if ((${idle:-0} != 4)); then
    grep -h error "$work"/slurm*.log | tail -n 5
    fail "Slurm does not start"
    exit 1
fi
echo "slurm      $(slurmctld -V), $(at node0 sinfo -h -o '%D nodes %t') "

# ---- the scripts of the documentation ----

# Script number N of docs/cluster.md, with what this machine has.
script() {
    awk -v wanted="$1" '/^```/ { inside = !inside && /^```sh/; first = 1; next }
        inside && first { number += /^#!\/bin\/bash/; taken = /^#!\/bin\/bash/; first = 0 }
        inside && taken && number == wanted' "$root/docs/cluster.md" |
        sed -E 's/(--ntasks-per-node)=(4|64)/\1=2/; s/(--cpus-per-task)=(8|16|64)/\1=1/; s/\[1,1,16\]/[1,1,8]/'
}

# submit NAME: runs $work/job/NAME.sh to its end; its output is in out.txt.
submit() {
    rm -rf "$work/job/out"
    (cd "$work/job" && timeout -k 5 120 nsenter --net="$work/nodes/node0.net" --uts="$work/nodes/node0.uts" -- \
        sbatch --wait --output="$work/out.txt" "$1.sh" >"$work/sbatch.txt" 2>&1)
}

# same WHAT NAME: is its state the expected one?
same() {
    local code=0
    submit "$2" || code=$?
    if ((code == 0)) && [[ $(hash_of "$work"/job/out/*/results.json) == "$expected" ]]; then
        echo "same state $1"
    else
        fail "$1: code $code, $(cat "$work/sbatch.txt")"
    fi
}

mkdir -p "$work/job/build/release"
ln -s "$wabe" "$work/job/build/release/wabe"
cd "$work/job"
write_case case.cfg
at node0 "$wabe" run case.cfg --quiet
expected=$(hash_of out/tiny/results.json)
script 1 >cores.sh
same "processors, a process for each core" cores
sed 's/srun --mpi=pmix --cpu-bind=cores/mpirun --bind-to none/' cores.sh >mpirun.sh
same "the same by mpirun" mpirun
write_case case.cfg 'node = { emulated_gpus = 4; };'
names=("" "" "GPUs, a process for each" "GPUs, a process for each node" "GPUs and processors, a process for each node")
for number in 2 3 4; do
    script $number >$number.sh
    same "${names[$number]}" $number
done

# ---- a run that is longer than its job ----

if ! $quick; then
    # Slurm sends the signal half an hour before the end: here after a minute.
    write_case case.cfg
    script 5 | sed 's/--time=12:00:00/--time=00:31:00/' >long.sh
    submit cores
    rate=$(sed -n 's/^ *"mlups": \([0-9.]*\).*/\1/p' out/tiny/results.json)
    steps=$(awk -v rate="$rate" 'BEGIN { printf "%d", 150 * rate * 1e6 / (24 * 20 * 28) }')
    sed -i "s/^steps = .*/steps = $steps;/" case.cfg
    at node0 "$wabe" run case.cfg --quiet --set output.directory=whole
    expected=$(hash_of whole/results.json)
    rm -rf out
    job=$(at node0 sbatch --parsable --output="$work/out.txt" long.sh)
    for ((i = 0; i < 900; i++)); do
        state=$(at node0 squeue -h -j "$job" -o %T 2>/dev/null || true)
        if [[ $state == PENDING && -e out/case/results.json ]]; then at node0 scontrol update job="$job" starttime=now || true; fi
        if [[ ! $state ]]; then break; fi
        sleep 1
    done
    restarts=$(at node0 scontrol show job "$job" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p')
    if [[ $(hash_of out/case/results.json) == "$expected" ]] && ((restarts > 0)); then
        echo "same state a run longer than its job: $steps steps, requeued $restarts time(s)"
    else
        fail "a run longer than its job: requeued $restarts time(s)"
    fi
fi
((failures == 0)) && echo "slurm      all passed"
exit $((failures > 0))
