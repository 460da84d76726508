#!/usr/bin/env bash
# Fields of stencils streamed through a GPU: the state of resident ones, whatever the steps a pass, looks in between and
# restarts; what is moved; what is refused.
# shellcheck disable=SC2046 # several words
source "$2/tests/cli/common.bash"
source "$2/tests/cli/streamed.bash"

write_grid_cases
for file in diffusion himeno dendrite; do echo 'node = { emulated_gpus = 1; };' >>$file.cfg; done
steps=30 # of diffusion
if ! full; then steps=18; fi
sed -i "s/^steps = 30/steps = $steps/" diffusion.cfg

python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi

# ---- the same bits ----

# everywhere GB K... -- FILE ARGUMENT...: the same bits in passes of each of these numbers of steps, on one process and
# several, which send planes to one another?
everywhere() {
    local limit=$1 passes=() k
    shift
    while [[ $1 != -- ]]; do
        passes+=("$1")
        shift
    done
    shift
    ranks=1
    resident=$(state "$@")
    for ranks in 1 3; do
        for k in "${passes[@]}"; do streamed "$limit" "$@" --set parallel.steps_per_pass="$k"; done
    done
    ranks=1
}
z=(--set 'boundaries.z_low={kind="periodic";}' --set 'boundaries.z_high={kind="periodic";}')

# Two grids that take turns, four steps at once; the last step of a pass leaves the state in either grid. Along a periodic z
# axis a slab may be its own neighbour.
for last in $steps $(in_full 35); do everywhere 0.0009 0 5 $(in_full 8) -- diffusion.cfg --set steps=$last; done
everywhere 0.0009 1 8 $(in_full 5) -- diffusion.cfg --set steps=$((steps + 1))
everywhere 0.0009 0 5 -- diffusion.cfg "${z[@]}"
resident=$(state diffusion.cfg)
for early in 1 urgent; do
    for ranks in 1 2; do WABE_EMULATED_EARLY=$early streamed 0.0009 diffusion.cfg; done
done
ranks=1
streamed 0.0009 diffusion.cfg --set monitor.every=7 --set output.every=11 --set output.fields=true --set output.picture=y
x=(--set 'boundaries.x_low={kind="periodic";}' --set 'boundaries.x_high={kind="periodic";}')
resident=$(state diffusion.cfg "${x[@]}" --set diffusion.storage=f64)
streamed 0.0018 diffusion.cfg "${x[@]}" --set diffusion.storage=f64
# Coefficients that are loaded alone; fixed layers in both grids; residuals, which have none of a neighbour's planes.
everywhere 0.002 $(in_full 1) 3 -- himeno.cfg
ranks=3
# Planes are still copied when the next pass begins.
WABE_EMULATED_EARLY=urgent streamed 0.002 himeno.cfg --set parallel.steps_per_pass=3
for run in "1 resident 1" "1 streamed 0.002" "3 streamed 0.002"; do
    read -r ranks residency limit <<<"$run"
    ok "$ranks" run himeno.cfg --quiet --set monitor.every=4 --set parallel.processes=[1,1,0] \
        --set parallel.residency="$residency" --set parallel.device_memory_limit="$limit"
    cp out/tiny/monitor.csv "$residency$ranks.csv"
    value out/tiny/results.json gosa >"$residency$ranks.gosa"
    rm -rf out
done
for ranks in 1 3; do
    cmp -s resident1.csv streamed$ranks.csv || fail "another monitor.csv when streamed by $ranks"
    cmp -s resident1.gosa streamed$ranks.gosa || fail "another residual when streamed by $ranks"
done
# Without a number of steps the rehearsal's second pass says how many take the time asked for.
ok 1 run himeno.cfg --quiet --set steps=0 --set himeno.seconds=0.5 --set parallel.device_memory_limit=0.002
(($(value out/tiny/results.json steps_timed) > 4)) || fail "a streamed benchmark of few steps"
rm -rf out
# A diffusivity for each cell: constants that are read from the planes beside.
if "$python" -c 'import h5py' 2>/dev/null; then
    "$python" - <<'PYTHON'
import h5py, numpy
with h5py.File("map.h5", "w") as file:
    file["diffusivity"] = 0.5 + 0.5 * numpy.random.default_rng(1).random((90, 40, 48))
PYTHON
    everywhere 0.002 $(in_full 0) 3 -- diffusion.cfg --set diffusion.map.file=map.h5
    everywhere 0.002 3 -- diffusion.cfg --set diffusion.map.file=map.h5 "${z[@]}"
fi
ranks=1
# Thinner than what a call of the kernel reaches.
resident=$(state diffusion.cfg --set domain.cells=[200,180,3])
streamed 0.006 diffusion.cfg --set domain.cells=[200,180,3]
# Two fields, noise, and the tip of a crystal after each few steps; noise where z goes round.
everywhere 0.0009 0 $(in_full 3) -- dendrite.cfg --set monitor.every=7
everywhere 0.0009 $(in_full 0) 3 -- dendrite.cfg "${z[@]}" \
    --set 'dendrite.nuclei=({center=[0.4e-6,0.36e-6,0.02e-6];radius=120e-9;})'
# Two sweeps a step, of which one reads the values before the other's.
cp "$2/input/alloy.cfg" .
everywhere 0.0012 $(in_full 1) 3 -- alloy.cfg --set name=tiny --set domain.cells=[40,36,64] --set steps=20 --set monitor.every=7 \
    --set node.emulated_gpus=1 --set output.fields=false --set output.picture=none "${z[@]}"

# A restart, from resident to streamed, and back, on another number of processes.
resident=$(state diffusion.cfg "${z[@]}")
for order in "resident 1 streamed 3" "streamed 2 resident 1" "streamed 1 streamed 2"; do
    read -r first before second after <<<"$order"
    for run in "$first $before --set steps=13 --set checkpoint.every=13" "$second $after --restart latest"; do
        read -r residency ranks more <<<"$run"
        # shellcheck disable=SC2086
        ok "$ranks" run diffusion.cfg "${z[@]}" --quiet --set parallel.residency="$residency" \
            --set parallel.processes=[1,1,0] \
            --set parallel.device_memory_limit="$([[ $residency == resident ]] && echo 1 || echo 0.0009)" $more
    done
    [[ $(value out/tiny/results.json state_hash) == "$resident" ]] || fail "another state after a restart, $order"
    rm -rf out
done
ranks=1

# ---- what is moved ----

# A pass loads what does not fit, and stores it: one grid of diffusion; Himeno's two grids, and its 12 coefficients, which
# are not stored.
traffic() {
    local file=$1 limit=$2 loaded=$3 stored=$4 passes
    for passes in 2 4; do
        ok 1 run "$file" --quiet --set parallel.device_memory_limit="$limit" --set parallel.steps_per_pass=4 \
            --set parallel.residency=streamed --set steps=$((4 * passes))
        cp out/tiny/results.json $passes.json
        rm -rf out
    done
    python3 - "$loaded" "$stored" <<'PYTHON' || fail "bytes moved in a pass: $file"
import json, sys
two, four = (json.load(open(name))["streamed"] for name in ("2.json", "4.json"))
loaded, stored = (int(n) for n in sys.argv[1:])
piece = four["piece_bytes"] // (2 if loaded == 1 else 14)
moves = 2 * (four["pieces"] - four["slots"])
assert moves > 0
assert four["passes"] - two["passes"] == 2
assert four["loaded_bytes"] - two["loaded_bytes"] == moves * piece * loaded, (four, two)
assert four["stored_bytes"] - two["stored_bytes"] == moves * piece * stored, (four, two)
PYTHON
}
traffic diffusion.cfg 0.0009 1 1
traffic himeno.cfg 0.002 14 2

# ---- what is refused ----

ok 1 run diffusion.cfg --set parallel.device_memory_limit=0.0009
says "streamed   "
# Processes that share a GPU have equal parts of its memory.
arguments=(run diffusion.cfg --set domain.cells=[48,40,180] --set parallel.processes=[1,1,0] --set steps=1)
WABE_EMULATED_MEMORY=4 ok 2 "${arguments[@]}"
says "streamed   "
WABE_EMULATED_MEMORY=8 ok 2 "${arguments[@]}"
if grep -q '^streamed' out.txt; then fail "a case that fits is streamed by two"; fi
# alone CODE ARGUMENT... -- TEXT...: refused on one process; several have another reason.
alone() {
    local expected=$1
    arguments=(run)
    shift
    while [[ $1 != -- ]]; do
        arguments+=("$1")
        shift
    done
    refuse_on 1 "$expected" "${@:2}"
}
alone 4 diffusion.cfg --set parallel.device_memory_limit=0.0001 -- parallel.device_memory_limit "smallest window"
streamed=(--set parallel.residency=streamed --set parallel.device_memory_limit=0.0009)
alone 2 diffusion.cfg "${streamed[@]}" --set parallel.steps_per_pass=60 -- parallel.steps_per_pass "at most"
alone 2 diffusion.cfg --set node.emulated_gpus=0 --set parallel.steps_per_pass=8 -- parallel.steps_per_pass
alone 2 diffusion.cfg --set node.emulated_gpus=0 --set parallel.residency=streamed -- parallel.residency GPU
arguments=(run diffusion.cfg "${streamed[@]}" --set parallel.processes=[2,1,1])
refuse_on 2 2 parallel.residency parallel.processes
# Neighbours send no more planes than they have.
arguments=(run diffusion.cfg "${streamed[@]}" --set domain.cells=[48,40,20] --set parallel.processes=[1,1,0])
arguments+=(--set parallel.steps_per_pass=8)
refuse_on 3 2 parallel.steps_per_pass "6 at most"
finish
