#!/usr/bin/env bash
# A mean velocity that the body force keeps: the exact force between plates, the same bits on any hardware and after
# restarts, bad input.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
source=$2

cat >case.cfg <<'CFG'
name = "tiny";
steps = 6000;
domain = { cells = [4, 4, 20]; };
lbm = { viscosity = 0.1; flux = { velocity = [0.02, 0.0, 0.0]; }; };
boundaries = { z_low = { kind = "no_slip"; }; z_high = { kind = "no_slip"; }; };
monitor = { every = 500; };
output = { fields = false; };
CFG

# last COLUMN: of the last line of monitor.csv.
last() { python3 -c "
import csv
*_, row = csv.DictReader(open('out/tiny/monitor.csv'))
print(row['$1'])"; }
# near COLUMN VALUE DIFFERENCE
near() {
    local found
    found=$(last "$1")
    python3 -c "import sys; sys.exit(not abs($found - $2) <= $3)" || fail "$1 is $found, not $2"
}

# The sum of the parabola over cells' centres is H^2 + 1/2 over 12 nu.
ok 1 run case.cfg --quiet
near mean_velocity_x 0.02 1e-12
near body_force_x "12 * 0.1 * 0.02 / (400 + 0.5)" 1e-15
near body_force_y 0 0

# Bits, before the flow is steady; checkpoints at a change of the force and between two.
hash_of() { sed -n 's/.*"state_hash": "\(.*\)".*/\1/p' out/tiny/results.json; }
short=(--quiet --set steps=330 --set monitor.every=7 --set lbm.flux.every=30)
same_hash() {
    rm -rf out
    ok "$@"
    if [[ $(hash_of) != "$hash" ]]; then fail "other bits: $*"; fi
}
rm -rf out
ok 1 run case.cfg "${short[@]}"
hash=$(hash_of)
cp out/tiny/monitor.csv monitor.csv
same_hash 3 run case.cfg "${short[@]}" --set parallel.processes=[1,1,3]
cmp out/tiny/monitor.csv monitor.csv || fail "another monitor.csv on three processes"
same_hash 1 run case.cfg "${short[@]}" --set lbm.streaming=pull
same_hash 1 run case.cfg "${short[@]}" --set lbm.streaming=list
same_hash 1 run case.cfg "${short[@]}" --set parallel.steps_per_pass=3
same_hash 1 run case.cfg "${short[@]}" --set node.emulated_gpus=1 --set parallel.residency=streamed --set parallel.steps_per_pass=4
same_hash 1 run case.cfg "${short[@]}" --set node.emulated_gpus=1 --set parallel.mode=heterogeneous
for every in 90 100; do
    rm -rf out
    ok 1 run case.cfg "${short[@]}" --set checkpoint.every=$every --set checkpoint.last=false --set steps=230
    ok 2 run case.cfg "${short[@]}" --set checkpoint.every=$every --restart latest
    if [[ $(hash_of) != "$hash" ]]; then fail "other bits after a restart, checkpoint.every = $every"; fi
    cmp out/tiny/monitor.csv monitor.csv || fail "another monitor.csv after a restart, checkpoint.every = $every"
done
# A restart with another force along an axis that is not kept has that force.
rm -rf out
ok 1 run case.cfg "${short[@]}" --set checkpoint.every=100 --set checkpoint.last=false
ok 1 run case.cfg "${short[@]}" --set checkpoint.every=100 --restart latest --change-physics --set lbm.force=[0,1e-6,0]
near body_force_y 1e-6 0
rm -rf out
ok 1 run case.cfg "${short[@]}" --set lbm.streaming=moments --set lbm.collision=regularized
hash=$(hash_of)
same_hash 2 run case.cfg "${short[@]}" --set lbm.streaming=moments --set lbm.collision=regularized

# refused KEY ARGUMENT...
refused() {
    local key=$1
    shift
    start 1 check case.cfg "$@"
    if ((code != 2)); then fail "code $code instead of 2: $*"; fi
    grep -qF "'$key'" err.txt || fail "the message does not name $key: $*"
}
refused lbm.flux.velocity --set "lbm.flux.velocity=[0, 0, 0.01]"
refused lbm.flux.velocity --set 'lbm.force_in_time.file="wave.csv"'
refused "lbm.flux.velocity[0]" --set "lbm.flux.velocity=[0.5, 0, 0]"
refused lbm.flux.every --set 'lbm.flux.velocity=[0, 0, 0]' --set lbm.flux.every=10
refused lbm.flux.velocity --set porous.axis=x --set porous.gradient=1e-6

finish
