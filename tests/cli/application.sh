#!/usr/bin/env bash
# An application of several fields (tests/application) has what all applications have: monitor, fields,
# probes, means, checkpoints and restarts, with the same bits on all that it can run on.
source "$2/tests/cli/common.bash"
wabe=$(dirname "$1")/tests/application/application
left_behind=out

cat >case.cfg <<'CFG'
name = "case";
steps = 12;
domain = { cells = [11, 9, 12]; };
monitor = { every = 4; };
output = { every = 6; quantities = "u, w_1, mean_w_0"; picture = "z"; profiles = true;
           probes = ({ name = "p"; cell = [3, 4, 5]; }); probe_every = 3; average = { every = 2; }; };
checkpoint = { every = 6; };
CFG
result() { value out/case/results.json "$1"; }

ok 1 run case.cfg --quiet
hash=$(result state_hash) largest=$(result largest)
[[ $(head -n 1 out/case/monitor.csv) == step,time,u_lowest,*,w_1_mean_square,residual ]] || fail "monitor.csv's columns"
[[ $(head -n 1 out/case/probe_p.csv) == step,time,u,w_0,w_1 ]] || fail "the probe's columns"
[[ -s out/case/fields_00000012.hdf && -n $(result w_0_mean_at_start) ]] || fail "no fields, or no results"
cp out/case/monitor.csv monitor.csv
cp out/case/probe_p.csv probe.csv

for how in "2" "3 --set parallel.overlap=false" "1 --set node.emulated_gpus=2 --set parallel.mode=hybrid" \
    "2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous"; do
    rm -r out
    # shellcheck disable=SC2086
    ok ${how%% *} run case.cfg --quiet $(cut -s -d ' ' -f 2- <<<"$how")
    [[ $(result state_hash) == "$hash" && $(result largest) == "$largest" ]] || fail "other bits: $how"
    cmp -s monitor.csv out/case/monitor.csv || fail "another monitor.csv: $how"
done

# Six steps, and six more from the checkpoint of them on other processes.
rm -r out
ok 2 run case.cfg --quiet --set steps=6
ok 1 run case.cfg --quiet --restart latest
[[ $(result state_hash) == "$hash" ]] || fail "other bits after a restart"
cmp -s probe.csv out/case/probe_p.csv || fail "another probe after a restart"

# What is not asked for is all of the state.
rm -r out
sed 's/quantities = "[^"]*";//' case.cfg >all.cfg
ok 1 run all.cfg --quiet --set steps=1
grep -q w_0 out/case/fields.xdmf && grep -q w_1 out/case/fields.xdmf || fail "not all of the state is written"

ok 1 check case.cfg
says "u" "MB"
refuse 2 run case.cfg --set output.quantities=v -- "output.quantities" "w_1"
refuse 2 run case.cfg --set node.emulated_gpus=1 --set parallel.residency=streamed -- "parallel.residency" "loops"
arguments=(run case.cfg --set 'domain.cells=[11,9,3]' --set output.probes[0].cell=[3,4,0]
    --set parallel.processes=[1,1,3])
refuse_on 3 2 "relax" # a slab of one cell needs two layers of its neighbours

# One cell along a periodic axis is its own neighbour, however far sweeps reach.
flat=(--quiet --set 'domain.cells=[11,9,1]' --set output.probes[0].cell=[3,4,0])
ok 1 run case.cfg "${flat[@]}"
hash=$(result state_hash)
rm -r out
ok 1 run case.cfg "${flat[@]}" --set node.emulated_gpus=1 --set parallel.mode=hybrid
[[ $(result state_hash) == "$hash" ]] || fail "other bits of a flat domain"
finish
