#!/usr/bin/env bash
# Himeno's benchmark: what is refused; the residual that the original program prints; the same bits on
# all that it can run on.
source "$2/tests/cli/common.bash"
left_behind=out

cat >xs.cfg <<'CFG'
application = "himeno";
name = "xs";
steps = 17;
himeno = { size = "XS"; };
output = { fields = false; };
CFG

# ---- what is refused ----

refuse 2 run xs.cfg --set himeno.size=XXS -- "himeno.size" "\"XS\", \"S\", \"M\", \"L\", \"XL\""
refuse 2 check xs.cfg --set 'domain.cells=[9,9,9]' -- "unknown group 'domain'"
refuse 2 check xs.cfg --set himeno.kernel=nonsense -- "himeno.kernel" "nonsense"
refuse 2 run xs.cfg --machine m.cfg -- "m.cfg: cannot be read"
refuse 2 check xs.cfg --set checkpoint.every=5 -- "unknown group 'checkpoint'"
refuse 2 check xs.cfg --set himeno.seconds=0 -- "himeno.seconds"
if (($(awk '/MemAvailable/ { print $2 }' /proc/meminfo) < 28000000)); then
    refuse 4 check xs.cfg --set himeno.size=2049x513x513 -- "himeno.size" "GB too little"
fi
refuse 2 geometry xs.cfg -- "no wabe geometry"

# ---- the figures ----

# result KEY: of the last run.
result() { python3 -c "import json; print(json.load(open('out/xs/results.json'))['$1'])"; }

# gosa after 20 iterations: data/himeno_gosa.csv says where from.
for size in XS S; do
    ok 1 run xs.cfg --quiet --set himeno.size=$size
    python3 - "$2/tests/data/himeno_gosa.csv" $size "$(result gosa)" <<'PY' || fail "$size: gosa is $(result gosa)"
import csv, sys

rows = csv.DictReader(line for line in open(sys.argv[1]) if not line.startswith("#"))
expected = [float(row["gosa"]) for row in rows if row["size"] == sys.argv[2] and row["iterations"] == "20"]
assert len(expected) == 1 and abs(float(sys.argv[3]) / expected[0] - 1) < 1e-12, expected
PY
done
ok 1 run xs.cfg --quiet
# By the benchmark's formula: 34 operations for each of 30 x 30 x 62 points.
python3 -c "
mflops = 34 * 30 * 30 * 62 * 17 / $(result seconds) * 1e-6
assert abs($(result mflops) / mflops - 1) < 1e-9, mflops
assert $(result steps) == 20 and $(result cells) == 30 * 30 * 62" || fail "not the benchmark's formula"

# Without a number of steps as many as take so long, by a rehearsal that other processes may slow down: of 300 times the
# duration at least 10 times the steps.
ok 1 run xs.cfg --quiet --set steps=0 --set himeno.seconds=0.001
few=$(result steps)
ok 1 run xs.cfg --quiet --set steps=0 --set himeno.seconds=0.3
(($(result steps) > 10 * few)) || fail "$few steps in a millisecond, $(result steps) in 0.3 s"

# ---- the same bits everywhere ----

rm -rf out
ok 1 run xs.cfg --quiet
hash=$(result state_hash) gosa=$(result gosa) kernels=$("$wabe" kernels)
while read -r ranks settings; do
    if [[ $settings == *x86_64* && $kernels != *.x86_64* ]]; then continue; fi # they were not compiled
    if ((ranks > 4)) && ! full; then continue; fi
    rm -rf out
    # shellcheck disable=SC2086 # several words
    ok "$ranks" run xs.cfg --quiet $settings
    [[ $(result state_hash) == "$hash" ]] || fail "$ranks ranks, $settings: other bits"
    [[ $(result gosa) == "$gosa" ]] || fail "$ranks ranks, $settings: another gosa"
done <<'RUNS'
1 --set himeno.kernel=x86_64
2
2 --set parallel.processes=[2,1,1] --set parallel.overlap=false
4 --set parallel.processes=[2,2,1]
4 --set parallel.processes=[1,2,2]
8 --set parallel.processes=[2,2,2]
1 --set node.emulated_gpus=1
1 --set node.emulated_gpus=3 --set parallel.mode=hybrid
1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
2 --set node.emulated_gpus=2 --set parallel.processes=[1,2,1] --set parallel.transport=host
RUNS
# The benchmark's own coefficients are zero where neighbours across edges count: conformance.himeno
# tests those in a slab, mpi.himeno between slabs.
ok 2 run xs.cfg --quiet --set parallel.communication=none
[[ $(result state_hash) != "$hash" ]] || fail "without an exchange the bits are the same"

finish
