# Nodes made of namespaces of this machine's network and host name, joined by a bridge: for test_nodes.sh, test_slurm.sh.
# Nothing outside of the namespaces is changed. shellcheck shell=bash disable=SC2034,SC2317

skip() {
    echo "skipped: $*"
    exit 77
}

# enter_namespaces SCRIPT ARGUMENT...: runs it again within namespaces of its own, unless it is there; $inside then is true.
inside=false
if [[ ${WABE_INSIDE_NAMESPACES-} ]]; then inside=true; fi
enter_namespaces() {
    local why program
    if $inside; then return; fi
    for program in ip nsenter mpirun; do command -v $program >/dev/null || skip "there is no $program"; done
    why=$(unshare --net --mount --uts bash -c 'mount --make-rprivate / && ip link add name wabe type bridge' 2>&1) ||
        skip "namespaces are not allowed here: $why"
    WABE_INSIDE_NAMESPACES=1 exec unshare --net --mount --uts bash "$@"
}

# at NODE COMMAND...: runs it there.
at() { nsenter --net="$work/nodes/$1.net" --uts="$work/nodes/$1.uts" -- "${@:2}"; }

# kill_all_at NODE: as if it lost its power.
kill_all_at() {
    local space process
    space=$(at "$1" readlink /proc/self/ns/uts)
    for process in /proc/[0-9]*; do
        if [[ $(readlink "$process/ns/uts") == "$space" ]]; then kill -9 "${process#/proc/}"; fi
    done 2>/dev/null || true
}

remove_nodes() {
    local file
    for file in "$work"/nodes/*.uts; do kill_all_at "$(basename "$file" .uts)"; done
    umount -R "$work/nodes" 2>/dev/null || true
    cd / && rm -rf "$work"
}

# make_nodes N: node0 ... in the folder $work, which is made and becomes the current one.
make_nodes() {
    local i
    work=$(mktemp -d)
    export TMPDIR=$work # of Open MPI's sessions, too
    cd "$work"
    mount --make-rprivate /
    mkdir "$work/nodes"
    mount -t tmpfs none "$work/nodes"
    trap remove_nodes EXIT
    ip link add name switch type bridge
    ip link set switch up
    echo "127.0.0.1 localhost" >"$work/hosts"
    for ((i = 0; i < $1; i++)); do
        touch "$work/nodes/node$i".{net,uts}
        unshare --net="$work/nodes/node$i.net" --uts="$work/nodes/node$i.uts" hostname node$i
        ip link add name port$i type veth peer name line$i
        ip link set port$i master switch up
        ip link set line$i netns "$work/nodes/node$i.net"
        at node$i ip address add 10.77.0.$((i + 1))/24 dev line$i
        at node$i ip link set line$i up
        at node$i ip link set lo up
        echo "10.77.0.$((i + 1)) node$i" >>"$work/hosts"
    done
    mount --bind "$work/hosts" /etc/hosts
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 WABE_LIVE=0
    export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp
    export OMPI_MCA_btl_tcp_if_include=10.77.0.0/24 OMPI_MCA_oob_tcp_if_include=10.77.0.0/24
}

failures=0
fail() {
    failures=$((failures + 1))
    echo "FAILED     $*"
    if [[ -e $work/out.txt ]]; then tail -n 20 "$work/out.txt"; fi
}

# write_case FILE TEXT...: a small cavity with more input.
write_case() {
    cat >"$1" <<CFG
name = "tiny";
steps = 40;
domain = { cells = [24, 20, 28]; };
lbm = { reynolds = 20.0; velocity = 0.1; };
boundaries = {
    x_low = { kind = "no_slip"; };  x_high = { kind = "no_slip"; };
    y_low = { kind = "no_slip"; };  y_high = { kind = "no_slip"; };
    z_low = { kind = "no_slip"; };  z_high = { kind = "moving_wall"; velocity = [0.1, 0.0, 0.0]; };
};
output = { fields = false; picture = "none"; };
${*:2}
CFG
}

# hash_of FILE: the last state's, from results.json.
hash_of() { sed -n 's/^ *"state_hash": "\([^"]*\)".*/\1/p' "$1"; }
