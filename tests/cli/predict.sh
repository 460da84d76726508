#!/usr/bin/env bash
# wabe predict: what is refused, and a forecast that can be done by hand.
source "$2/tests/cli/common.bash"
left_behind=out

cat >case.cfg <<'CFG'
name = "cube";
steps = 1;
domain = { cells = [60, 60, 60]; };
lbm = { tau = 1.0; streaming = "in_place"; storage = "f64"; };
boundaries = { z_low = { kind = "no_slip"; }; z_high = { kind = "no_slip"; }; };
CFG

# One million cells per second.
cat >machine.cfg <<'CFG'
name = "by hand";
component = { kind = "cpu"; per_node = 1; bandwidth = 0.608; peak = 1000.0; memory = 0.04;
              efficiency = 0.5; };
network = { bandwidth = 1.0; latency = 1000.0; };
CFG

# ---- what is refused ----

refuse 2 predict case.cfg -- "usage: wabe predict FILE --machine FILE"
refuse 2 predict case.cfg --machine none.cfg -- "none.cfg: cannot be read"
for nodes in 0 2,1 x 1,,2 1,2x; do
    refuse 2 predict case.cfg --machine machine.cfg --nodes "$nodes" -- \
        "--nodes needs up to 64 numbers that grow" "not '$nodes'"
done
refuse 2 run case.cfg --machine machine.cfg -- "unknown option '--machine'"

# machine SED-COMMAND: another machine.
machine() { sed "$1" machine.cfg >other.cfg; }
machine 's/"cpu"/"gpu"/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:2: 'component.kind'" \
    "bus.bandwidth and bus.latency are needed"
machine 's/0.608/-1.0/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:2: 'component.bandwidth'" "at least"
machine 's/efficiency = 0.5/efficiency = 1.5/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:3: 'component.efficiency'" "at most 1"
machine '/network/d'
refuse 2 predict case.cfg --machine other.cfg -- "network.bandwidth"
machine 's/latency/lag/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:4: unknown key 'network.lag'" "latency"

# ---- by hand ----

# row NODES CUT PATTERN: a row of the table has it.
row() {
    grep -qE "^ *$1 +$2 +$3" out.txt || fail "no row $1 $2 with $3"
}

# 216 ms for all cells; 108 ms for half of them, of which 3.6 at the cut; a message of 5 * 3600 * 8 B
# takes 1.144 ms each way, its bytes 4 * 144000 / 0.608 GB/s in pack and unpack.
ok 1 predict case.cfg --machine machine.cfg --nodes 1,2
row 1 none '1 x 1 x 1 +216\.000 +1\.0 +1\.000\* +0\.000 +216\.000 +0\.000 +0\.000 +0\.000'
row 2 1-D '1 x 1 x 2 +108\.000 +2\.0 +1\.000\* +3\.600 +104\.400 +0\.947 +0\.000 +2\.288'
ok 1 predict case.cfg --machine machine.cfg --nodes 1,2 --set parallel.overlap=false
row 2 1-D '1 x 1 x 2 +111\.235 '

# In 60 slices a step is 3.6 ms and twice as much for two neighbours; more nodes wait for messages.
ok 1 predict case.cfg --machine machine.cfg --nodes 30,60,120,240
says "more than 60 of these nodes do not make steps faster"
row 60 1-D '1 x 1 x 60 +10\.071 '
if grep -qE '^ *120 +1-D' out.txt; then fail "a cut into more slices than there are planes"; fi
row 120 2-D '1 x 60 x 2 +13\.064 '
ok 1 predict case.cfg --machine machine.cfg --nodes 40,41,42,60
if grep -q "more than" out.txt; then fail "60 nodes are faster than 40"; fi
ok 1 predict case.cfg --machine machine.cfg --nodes 1,999983
says "999983  no grid of so many processes"

# Two GPUs in a node, periodic: on one node two neighbours and the bus, 2 * 2 * (0.288 + 2) ms; on two
# nodes also the network, which both use: 2 * 2 * 2 * (0.144 + 1) ms.
machine 's/"cpu"; per_node = 1/"gpu"; per_node = 2/; $a bus = { bandwidth = 0.5; latency = 2000.0; };'
ok 1 predict case.cfg --machine other.cfg --nodes 1,2 --set 'boundaries={}'
row 1 1-D '1 x 1 x 2 +108\.000 .* +7\.200 +100\.800 +1\.895 +9\.152 +0\.000'
row 2 1-D '1 x 1 x 4 +54\.000 .* +7\.200 +46\.800 +1\.895 +9\.152 +9\.152'

# Where half of the cells are solid a list moves 340 B for each that is not.
cat >half.cfg <<'CFG'
name = "half";
steps = 1;
domain = { cells = [32, 32, 32]; };
lbm = { tau = 1.0; };
geometry = { spheres = { array = "simple_cubic"; constant = 16.0; radius = 8.0; }; };
CFG
ok 1 predict half.cfg --machine machine.cfg --nodes 1
says "moves 340 B"
machine 's/memory = 0.04/memory = 0.02/'
ok 1 predict case.cfg --machine other.cfg --nodes 1,2
row 1 none '1 x 1 x 1 +does not fit: 0.0[34][0-9]* GB of 0.02 GB'
row 2 1-D '1 x 1 x 2 +108\.000'

# What is in the input folder: 0.82 times 95 GB/s over 304 B.
ok 1 predict "$2/input/cavity.cfg" --machine "$2/input/machines/tsubame2.cfg"
says "3 GPU(s) in a node; a kernel reaches 256.2 million"
for file in "$2"/input/machines/*.cfg; do
    ok 1 predict "$2/input/cavity.cfg" --machine "$file"
    says "a kernel reaches"
done

finish
