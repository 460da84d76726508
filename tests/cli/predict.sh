#!/usr/bin/env bash
# wabe predict: what is refused, and a forecast that can be done by hand.
source "$2/tests/cli/common.bash"
left_behind=out

cat >case.cfg <<'CFG'
name = "cube";
steps = 1;
domain = { cells = [60, 60, 60]; };
lbm = { tau = 1.0; streaming = "in_place"; storage = "f64"; };
boundaries = {
  x_low = { kind = "no_slip"; }; x_high = { kind = "no_slip"; };
  y_low = { kind = "no_slip"; }; y_high = { kind = "no_slip"; };
  z_low = { kind = "no_slip"; }; z_high = { kind = "no_slip"; };
};
CFG

refuse 2 predict case.cfg -- "no machine.cfg here, which wabe calibrate writes"

# One million cells per second.
cat >machine.cfg <<'CFG'
name = "by hand";
components = ( { kind = "cpu"; count = 1; bandwidth = 0.608; peak = 1000.0; memory = 0.08;
                 efficiency = 0.5; } );
network = { bandwidth = 1.0; latency = 1000.0; };
CFG

# ---- what is refused ----

refuse 2 predict case.cfg --machine none.cfg -- "none.cfg: cannot be read"
for nodes in 0 2,1 x 1,,2 1,2x; do
    refuse 2 predict case.cfg --machine machine.cfg --nodes "$nodes" -- \
        "--nodes needs up to 64 numbers that grow" "not '$nodes'"
done
refuse 2 geometry case.cfg --machine machine.cfg -- "unknown option '--machine'"
refuse 2 run case.cfg --nodes 2 -- "unknown option '--nodes'"
refuse 2 predict case.cfg --nodes -- "--nodes needs LIST"
refuse 2 predict case.cfg --machine machine.cfg --csv machine.cfg -- "would overwrite what is read"
refuse 2 predict -- "wabe predict FILE" "wabe predict --help"
refuse 2 run case.cfg --weak -- "unknown option '--weak'"
refuse 2 predict case.cfg --csv -- "--csv needs FILE"
refuse 2 predict case.cfg --cvs rows.csv -- "unknown option '--cvs'" "did you mean '--csv'"
refuse 6 predict case.cfg --machine machine.cfg --csv none/rows.csv -- \
    "none/rows.csv: cannot be written"

# machine SED-COMMAND: another machine.
machine() { sed "$1" machine.cfg >other.cfg; }
machine 's/"cpu"/"gpu"/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:2: 'components[0].kind'" \
    "bus.bandwidth is needed"
machine 's/0.608/-1.0/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:2: 'components[0].bandwidth'" "at least"
machine 's/efficiency = 0.5/efficiency = 1.6/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:3: 'components[0].efficiency'" "at most 1.5"
machine '/network/d'
refuse 2 predict case.cfg --machine other.cfg --nodes 1,2 -- "other.cfg: has no network" "--nodes 1"
ok 1 predict case.cfg --machine other.cfg
machine '$a kernels = ( { component = "gpu"; storage = "f64"; streaming = "pull"; edge = 8; step = 1; } );'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:5: 'kernels[0].component'" "'gpu' is not among"
machine 's/latency/latenzy/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:4: unknown key 'network.latenzy'" "latency"

machine '$a kernels = ( { component = ""; storage = "f64"; streaming = "pull"; edge = 8; step = 1; }, { component = ""; storage = "f64"; streaming = "pull"; edge = 8; step = 2; } );'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:5: 'kernels[1].edge'" "stands there twice"
machine '$a peer = { latency = 1.0; };'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:5: 'peer.latency'" "needs peer.bandwidth"
machine '$a crowd = { bandwidth = 1.0; };'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:5: 'crowd.bandwidth'" "needs node.bandwidth"
machine 's/^components = (/components = ( { kind = "cpu"; bandwidth = 1.0; memory = 1.0; },/'
refuse 2 predict case.cfg --machine other.cfg -- "other.cfg:2: 'components[1].kind'" "with their count"

# ---- by hand ----

# row NODES CUT PATTERN: a row of the table has it.
row() {
    grep -qE "^ *$1 +$2 +$3" out.txt || fail "no row $1 $2 with $3"
}

# 216 ms for all cells; 108 ms for half of them, of which 3.6 at the cut; a message of 5 * 3600 * 8 B
# takes 1.144 ms each way, its bytes 4 * 144000 / 0.608 GB/s in pack and unpack, which nothing hides.
ok 1 predict case.cfg --machine machine.cfg --nodes 1,2
row 1 none '1 x 1 x 1 +216\.000 +1\.0 +1\.000\* +0\.000 +216\.000 +0\.000 +0\.000 +0\.000'
row 2 1-D '1 x 1 x 2 +108\.947 +2\.0 +0\.991\* +3\.600 +104\.400 +0\.947 +0\.000 +2\.288'
ok 1 predict case.cfg --machine machine.cfg --nodes 1,2 --set parallel.overlap=false
row 2 1-D '1 x 1 x 2 +111\.235 '

# Grids: 216000 * 16 B / 0.304 GB/s; 3600 numbers cross each way. Two steps a pass cost 4/3 of one, by the kernel's
# row, and send two layers. An eighth of the cube then sends 3 * 1800 + 3 * 120 + 8 numbers to seven others: half of
# 7.046144 ms there, and as much back, for each step.
cat >grid.cfg <<'CFG'
application = "diffusion";
name = "cube";
steps = 10;
domain = { cells = [60, 60, 60]; };
diffusion = { diffusivity = 1.0; storage = "f64"; steps_per_pass = 1; };
boundaries = {
  x_low = { kind = "neumann"; }; x_high = { kind = "neumann"; };
  y_low = { kind = "neumann"; }; y_high = { kind = "neumann"; };
  z_low = { kind = "neumann"; }; z_high = { kind = "neumann"; };
};
CFG
ok 1 predict grid.cfg --machine machine.cfg --nodes 1,2
row 1 none '1 x 1 x 1 +11\.368 +19\.0 +1\.000\* +0\.000 +11\.368 +0\.000 +0\.000 +0\.000'
row 2 1-D '1 x 1 x 2 +5\.874 +36\.8 +0\.968\* +0\.189 +5\.495 +0\.189 +0\.000 +2\.058'
ok 1 predict grid.cfg --machine machine.cfg --nodes 1,2,8 --set diffusion.steps_per_pass=2
row 1 none '1 x 1 x 1 +7\.579 '
row 2 1-D '1 x 1 x 2 +3\.979 +54\.3 +0\.952\* +0\.253 +3\.537 +0\.189 +0\.000 +1\.058'
row 8 3-D '2 x 2 x 2 +[0-9.]+ +[0-9.]+ +[0-9.]+\*? +[0-9.]+ +[0-9.]+ +0\.152 +0\.000 +7\.046'
refuse 2 predict grid.cfg --machine machine.cfg --set diffusion.steps_per_pass=5 -- "diffusion.steps_per_pass" "4 at most"
# By kernels that were measured: 60^3 in 10 ms, and two steps in 12.
machine '$a kernels = ( { component = ""; application = "diffusion"; walls = true; storage = "f64"; edge = 60; step = 10000; }, { component = ""; application = "diffusion"; walls = true; steps = 2; storage = "f64"; edge = 60; step = 12000; } );'
ok 1 predict grid.cfg --machine other.cfg --nodes 1
row 1 none '1 x 1 x 1 +10\.000 +21\.6 '
ok 1 predict grid.cfg --machine other.cfg --nodes 1 --set diffusion.steps_per_pass=2
row 1 none '1 x 1 x 1 +6\.000 +36\.0 '
ok 1 predict grid.cfg --machine other.cfg --nodes 1 --set diffusion.steps_per_pass=4 # (1 + 4 / 2) / (1 + 1 / 2) of 10, by 4
row 1 none '1 x 1 x 1 +5\.000 '
ok 1 predict grid.cfg --machine other.cfg --nodes 1 --set diffusion.storage=f32
says "other.cfg has no kernel of this application: rates follow from its bandwidth"
machine '$a kernels = ( { component = ""; application = "diffusion"; storage = "f64"; streaming = "pull"; edge = 60; step = 1; } );'
refuse 2 predict grid.cfg --machine other.cfg -- "other.cfg:5: 'kernels[0].streaming'" "\"lbm\" alone"
machine '$a kernels = ( { component = ""; storage = "f64"; edge = 60; step = 1; } );'
refuse 2 predict grid.cfg --machine other.cfg -- "other.cfg:5: 'kernels[0]'" "needs its streaming"
# 62^2 * 126 points are 484344 cells of 56 B.
ok 1 predict "$2/input/himeno_m.cfg" --machine machine.cfg --nodes 1 --set himeno.size=S
row 1 none '1 x 1 x 1 +89\.221 '

# The same as a file; rank 0 alone writes it.
ok 3 predict case.cfg --machine machine.cfg --nodes 1,2 --csv rows.csv
says "rows       rows.csv; picture: scripts/plot_prediction.py rows.csv"
cmp - rows.csv <<'CSV' || fail "rows.csv"
nodes,cut,grid,domain,step,mflups,efficiency,outer,inner,buffers,bus,network,sync,fits,best
1,none,1 x 1 x 1,60 x 60 x 60,216,1,1,0,216,0,0,0,0,1,1
2,1-D,1 x 1 x 2,60 x 60 x 60,108.947,1.98261,0.991304,3.6,104.4,0.947368,0,2.288,0,1,1
CSV
cp rows.csv before.csv # a limit on the size of files stands in for a full disk
(trap '' XFSZ; ulimit -f 0; "$wabe" predict case.cfg --machine machine.cfg --nodes 1 --csv rows.csv >/dev/null 2>&1)
code=$?
if ((code != 6)); then fail "code $code instead of 6 with a full disk"; fi
cmp rows.csv before.csv || fail "rows.csv has lost its rows to a full disk"
ln -s rows.csv link.csv
for file in link.csv /dev/null .; do refuse 6 predict case.cfg --machine machine.cfg --csv $file -- "$file: cannot be written"; done
if [[ ! -L link.csv || ! -c /dev/null ]]; then fail "a link or a device was replaced"; fi

# Each node has all the cells: 216 ms, 0.947 more for one neighbour and as much for another. A cube of
# eight has three faces, and three edges of 480 B: 4 * 433440 / 0.608 GB/s, and 2 * (0.433 + 6) ms that
# are hidden; 59^3 cells are inner ones. Efficiency is relative to one node though that is not asked for.
ok 1 predict case.cfg --machine machine.cfg --nodes 2,8 --weak --csv rows.csv
says "weak: every node has the case's cells"
row 2 1-D '1 x 1 x 2 +216\.947 +2\.0 +0\.996\* +3\.600 +212\.400 +0\.947 +0\.000 +2\.288'
row 8 1-D '1 x 1 x 8 +217\.895 +7\.9 +0\.991\* '
row 8 3-D '2 x 2 x 2 +218\.852 +7\.9 +0\.987  +10\.621 +205\.379 +2\.852 +0\.000 +12\.867'
if grep -qE '^ *2 +[23]-D' out.txt; then fail "two nodes in a plane"; fi
grep -q '^8,3-D,2 x 2 x 2,120 x 120 x 120,' rows.csv || fail "a block of nodes has another domain"
# Nodes stand as evenly as they can, 24 as 4 x 6 and 2 x 3 x 4.
ok 1 predict case.cfg --machine machine.cfg --nodes 24 --weak
row 24 2-D '1 x [46] x [46] '
row 24 3-D '[234] x [234] x [234] '

# In 60 slices a step is 3.6 ms and twice as much for two neighbours; more nodes wait for messages.
ok 1 predict case.cfg --machine machine.cfg --nodes 30,60,120,240
says "more than 60 of these nodes do not make steps faster"
row 60 1-D '1 x 1 x 60 +10\.071 '
if grep -qE '^ *120 +1-D' out.txt; then fail "a cut into more slices than there are planes"; fi
ok 1 predict case.cfg --machine machine.cfg --nodes 4,8,16
if grep -q "more than" out.txt; then fail "16 nodes are faster than 8"; fi
ok 1 predict case.cfg --machine machine.cfg --nodes 1,999983
says "999983  no grid of so many processes"
# An axis with one process is not cut, unless all have one.
ok 1 predict case.cfg --machine machine.cfg --nodes 8 --set parallel.processes=[1,1,0]
row 8 1-D '1 x 1 x 8 '
if grep -qE '^ *8 +[23]-D' out.txt; then fail "a cut of an axis with one process"; fi
ok 1 predict case.cfg --machine machine.cfg --nodes 8 --weak --set parallel.processes=[1,0,0]
row 8 2-D '1 x [24] x [24] '
if grep -qE '^ *8 +3-D' out.txt; then fail "copies along an axis with one process"; fi
ok 1 predict case.cfg --machine machine.cfg --nodes 8 --set parallel.processes=[1,1,1]
row 8 3-D '2 x 2 x 2 '

# Two processor components in a node: each as fast as one, messages between their processes take no time
# where `node` is not given. Behind another switch messages have a quarter of the bandwidth, so 1.576
# ms each way.
machine 's/count = 1/count = 2/'
ok 1 predict case.cfg --machine other.cfg --nodes 1
row 1 1-D '1 x 1 x 2 +108\.947 .* +0\.947 +0\.000 +0\.000'
machine '$a tree = { nodes = 1; taper = 4.0; };'
ok 1 predict case.cfg --machine other.cfg --nodes 2
row 2 1-D '1 x 1 x 2 +108\.947 .* +3\.152 '
machine '$a tree = { nodes = 2; taper = 4.0; };'
ok 1 predict case.cfg --machine other.cfg --nodes 2
row 2 1-D '1 x 1 x 2 +108\.947 .* +2\.288 '

# Two GPUs in a node and a long channel that is periodic along z, whose ends have 60 cells: on one node
# the two are each other's neighbour at both ends, a message of 4800 B over the bus, 2 * (0.0096 + 2)
# ms; on two nodes each has one on its node and one on the other, 2 * 2 * (0.0048 + 2) ms, and shares
# the link, 2 * 2 * (0.0024 + 1) ms.
machine 's/"cpu"; count = 1/"gpu"; count = 2/; $a bus = { bandwidth = 0.5; latency = 2000.0; };'
grep -v z_low case.cfg | sed 's/60, 60, 60/60, 1, 3600/' >ring.cfg
ok 1 predict ring.cfg --machine other.cfg --nodes 1,2
row 1 1-D '1 x 1 x 2 +108\.000 .* +0\.120 +107\.880 +0\.032 +4\.019 +0\.000'
row 2 1-D '1 x 1 x 4 +54\.000 .* +0\.120 +53\.880 +0\.032 +8\.019 +4\.010'
says "pure-mpi: 2 process(es) for each node"
ok 1 predict ring.cfg --machine other.cfg --nodes 2 --set 'parallel.mode="hybrid"'
row 2 1-D '1 x 1 x 4 +54\.000 .* +0\.120 +53\.880 +0\.032 +8\.019 +4\.010'
says "hybrid: 2 slab(s) of one process for each node"
# Weak: all slabs have the 1800 slices that one node gives its two.
for mode in pure-mpi hybrid; do
    ok 1 predict ring.cfg --machine other.cfg --nodes 1,2 --weak --set "parallel.mode=\"$mode\""
    row 1 none '1 x 1 x 2 +108\.000 +2\.0 +1\.000\* '
    row 2 1-D '1 x 1 x 4 +108\.000 +4\.0 +1\.000\* +0\.120 +107\.880 +0\.032 +8\.019 +4\.010'
done

# A core each where the machine's processors have more, unless the case says how many threads.
machine 's/count = 1/threads = 4/'
ok 1 predict case.cfg --machine other.cfg --nodes 1
row 1 1-D '1 x 1 x 4 '
ok 1 predict case.cfg --machine other.cfg --nodes 1 --set parallel.threads=2
row 1 1-D '1 x 1 x 2 '

# Measured kernels in place of the bandwidth: 1 ms for 60^3 cells, 4 % for both layers along z; far from
# what was measured it says so.
machine '$a kernels = ( { component = "c"; storage = "f64"; streaming = "in_place"; edge = 60; step = 1000; }, { component = "c"; storage = "f64"; streaming = "in_place"; edge = 30; step = 125; split = [0, 0, 40]; } );'
sed -i 's/kind = "cpu"/name = "c"; kind = "cpu"/' other.cfg
ok 1 predict case.cfg --machine other.cfg --nodes 1,2,120
row 1 none '1 x 1 x 1 +1\.000 .* +1\.000 '
row 2 1-D '1 x 2 x 1 +3\.252'
row 120 2-D '.* !$'
says "extrapolated"
ok 1 predict case.cfg --machine other.cfg --nodes 1 --set lbm.storage=f32
says "has no kernel of this storage and streaming"

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

# Lists are chosen where they are faster by the machine file, where their bytes may take longer than
# those of dense kernels. prices US: a list's step.
prices() {
    machine "\$a kernels = ( { component = \"\"; storage = \"f64\"; streaming = \"in_place\"; edge = 32; step = 3276.8; }, { component = \"\"; storage = \"f64\"; streaming = \"list\"; fluid = 0.5; edge = 32; step = $1; } );"
}
prices 2000.0
ok 1 check half.cfg --machine other.cfg --verbose
says "streaming  a list of the fluid cells" "each byte taking 1.06 times as long by other.cfg"
ok 1 predict half.cfg --machine other.cfg --nodes 1
row 1 none '1 x 1 x 1 +2\.000'
prices 4000.0
ok 1 check half.cfg --machine other.cfg --verbose
says "streaming  no list of the fluid cells" "each byte taking 2.11 times as long by other.cfg"
ok 1 predict half.cfg --machine other.cfg --nodes 1
says "moves 304 B"
ok 1 run half.cfg --machine other.cfg --verbose
says "stream_collide.trt.d3q19.in_place"
rm -r out

machine 's/memory = 0.08/memory = 0.02/'
ok 1 predict case.cfg --machine other.cfg --nodes 1,2 --csv rows.csv
row 1 none '1 x 1 x 1 +does not fit: 0.0[34][0-9]* GB of 0.02 GB'
row 2 1-D '1 x 1 x 2 +108\.947'
grep -qx '1,none,1 x 1 x 1,60 x 60 x 60,nan,nan,nan,nan,nan,nan,nan,nan,nan,0,0' rows.csv || fail "a row that does not fit"
ok 1 predict case.cfg --machine other.cfg --nodes 2 --weak
row 2 1-D '1 x 1 x 2 +does not fit'

# What is in the input folder: 0.82 times 95 GB/s over 304 B.
ok 1 predict "$2/input/cavity.cfg" --machine "$2/input/machines/tsubame2.cfg"
says "3 GPU(s) in a node; a kernel reaches 256.2 million"

# Processors help: 11 of 12 threads at 0.79 times 40.4 GB/s beside three GPUs, 96.2 to 768.8 million cells
# per second. On 180^3 cells for each GPU the paper has 640 MFLUPS for them and 10 % more with help.
ok 1 predict "$2/input/cavity.cfg" --machine "$2/input/machines/tsubame2.cfg" --nodes 1 \
    --set 'domain.cells=[180,180,540]' --set 'parallel.mode="heterogeneous"'
says "CPUs take 11.1 % of each block" "modes      on 1 node: pure-mpi 22." "heterogeneous 20."
for file in "$2"/input/machines/*.cfg; do
    ok 1 predict "$2/input/cavity.cfg" --machine "$file"
    says "a kernel reaches"
done

# ---- beside a simulation of the exchange ----

# Forecasts of many nodes follow from the model's assumptions, whatever the grid: slabs begin a step together,
# and what goes above a switch has a share of the bandwidth.
cat >tree.cfg <<'CFG'
name = "by hand";
components = ( { kind = "gpu"; count = 8; bandwidth = 4200.0; memory = 140.0; efficiency = 0.93; } );
bus = { bandwidth = 50.0; latency = 8.0; };
peer = { bandwidth = 300.0; latency = 8.0; duplex = true; };
network = { bandwidth = 25.0; latency = 3.0; duplex = true; };
tree = { nodes = 18; taper = 2.0; };
CFG
for overlap in true false; do
    "$2/scripts/simulate_exchange.py" "$2/input/cavity.cfg" --wabe "$wabe" --machine tree.cfg --nodes 8,64 \
        --set 'domain.cells=[768,768,768]' --set parallel.overlap=$overlap --assume lockstep,taper --steps 5 \
        --output simulated.csv >out.txt 2>err.txt || fail "the simulation"
    python3 - <<'PYTHON' || fail "forecasts and a simulation with the same assumptions differ, overlap $overlap"
import csv
rows = list(csv.DictReader(open("simulated.csv")))
assert {(row["nodes"], row["cut"]) for row in rows} == {(n, c) for n in ("8", "64") for c in ("1-D", "3-D")}, rows
assert all(abs(float(row["deviation"].rstrip("% "))) < 5.0 for row in rows), rows
PYTHON
done

# ---- how long a run will take ----

# A million cells a second: 216000 in a step, by one process or two.
for ranks in 1 2; do
    ok "$ranks" check case.cfg --machine machine.cfg --set steps=100 --set parallel.threads=1
    seconds=$(sed -n 's/^time  *about \([0-9]*\) s for 100 steps.*estimate.*by machine.cfg.*/\1/p' out.txt)
    if [[ $seconds != 22 ]]; then fail "22 s take '$seconds' s on $ranks ranks"; fi
done
long=(case.cfg --machine machine.cfg --set output.fields=false --set output.directory=timed)
ok 1 run "${long[@]}" --set steps=10
says "time       about 2.2 s for 10 steps" "estimate by machine.cfg"
ok 1 check "${long[@]}" --set steps=100 --set monitor.steady=1e-9
says "time       about 22 s at most for 100 steps"
ok 1 run "${long[@]}" --set steps=10 --set checkpoint.every=10 --overwrite
for steps in 16 10; do # steps 11 to 16, and none
    ok 1 run "${long[@]}" --set steps=$steps --set checkpoint.every=10 --restart timed/checkpoint_00000010.h5
    if ((steps == 16)); then
        says "time       about 1.3 s for 6 steps"
    elif grep -q "^time " out.txt; then
        fail "a run that does nothing takes time"
    fi
done

# ---- slabs that do not fit their GPUs ----

# What does not fit is copied once in a pass, at 1 GB/s each way, while kernels take next to no time.
cat >gpu.cfg <<'CFG'
name = "by hand";
components = ( { kind = "gpu"; count = 1; bandwidth = 1e5; peak = 1e6; memory = 2.0; efficiency = 0.9; } );
bus = { bandwidth = 1.0; latency = 1.0; };
both_ways = 1.0;
CFG
sed 's/^bus/network = { bandwidth = 10.0; latency = 1.0; };\n&/' gpu.cfg >net.cfg
sed 's/ );$/, { kind = "cpu"; count = 1; threads = 1; bandwidth = 10.0; memory = 1.0; } );/' gpu.cfg >little.cfg
large=(predict case.cfg --machine gpu.cfg --nodes 1 --set domain.cells=[256,256,400] --set parallel.steps_per_pass=4)
ok 1 "${large[@]}" --csv streamed.csv
says "streamed: 4.1 GB for a GPU of 2.0 GB, 4 steps a pass"
python3 - <<'PYTHON' || fail "the forecast of a streamed slab"
import csv
row = next(csv.DictReader(open("streamed.csv")))
lower = (256 * 256 * 400 * 19 * 8 - 2e9) / 1e9 / 4 * 1e3
assert lower < float(row["step"]) < 1.15 * lower, (row["step"], lower)
PYTHON
# GPUs of a node share the bandwidth of its memory.
echo 'both_ways_all = 0.25;' | cat gpu.cfg - >two.cfg
sed -i 's/count = 1/count = 2/' two.cfg
ok 1 "${large[@]}" --machine two.cfg --set domain.cells=[256,256,800] --csv shared.csv
python3 - <<'PYTHON' || fail "the forecast of slabs that share the host's memory"
import csv
one, two = (float(next(csv.DictReader(open(name)))["step"]) for name in ("streamed.csv", "shared.csv"))
assert 4.0 * one < two < 4.4 * one, (one, two)  # ghost planes are copied, too
PYTHON
# A call of the kernel that does two steps takes less than two of one, where copies take no time.
sed 's/^both_ways = .*/both_ways = 1e6;/; s/bandwidth = 1e5/bandwidth = 100.0/; s/memory = 2.0/memory = 1.0/' gpu.cfg >bus.cfg
for steps in 1 2; do
    ok 1 predict grid.cfg --machine bus.cfg --nodes 1 --set domain.cells=[256,256,2048] --set diffusion.steps_per_pass=$steps \
        --csv steps$steps.csv
    says "streamed: "
done
python3 - <<'PYTHON' || fail "the forecast of streamed calls of two steps"
import csv
one, two = (float(next(csv.DictReader(open(name)))["step"]) for name in ("steps1.csv", "steps2.csv"))
assert 0.4 * one < two < 0.9 * one, (one, two)
PYTHON
# unstreamed TEXT ARGUMENT...: the case does not fit, and the line after it says why it is not streamed.
unstreamed() {
    ok 1 "${large[@]}" "${@:2}"
    says "does not fit"
    grep -q "not streamed: .*$1" out.txt || fail "no reason why a slab is not streamed: $*"
}
unstreamed parallel.residency --set parallel.residency=resident
unstreamed lbm.streaming --set lbm.streaming=pull
unstreamed "steps at most" --set parallel.steps_per_pass=400
unstreamed "along z" --machine net.cfg --nodes 4 --set domain.cells=[512,512,400]
unstreamed "a node's memory" --machine little.cfg

finish
