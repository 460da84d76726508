#!/usr/bin/env bash
# wabe calibrate, and a run beside the forecast from what it has measured.
source "$2/tests/cli/common.bash"
left_behind=out

refuse 2 calibrate --fast -- "unknown option '--fast'" "wabe calibrate --help"
refuse 2 calibrate --only tpu -- "--only" "not 'tpu'"
refuse 2 calibrate --output -- "--output needs FILE"
refuse 2 calibrate --quick --only cpu --kernels nothing -- "--kernels" "'nothing'"
refuse 6 calibrate --quick --output none/machine.cfg -- "none/machine.cfg" "cannot be written"
ln -s none.cfg link.cfg
ln -s none.cfg points.cfg.csv
refuse 6 calibrate --quick --output link.cfg -- "link.cfg: cannot be written" "symbolic link"
refuse 6 calibrate --quick --output points.cfg -- "points.cfg.csv: cannot be written" "symbolic link"
if [[ -e none.cfg || -e points.cfg ]]; then fail "a calibration that is refused has made a file"; fi

# Alone it starts itself by mpirun, so that there are messages to measure.
ok 1 calibrate --quick
says "node     one pair" "points are off by" "--quick is a trial" "exchange         cpu" "machine.cfg.csv"
for text in 'kind = "cpu"' 'node = {' 'streaming = "list"' 'storage = "f32"' 'application = "himeno"' \
    'application = "diffusion"; steps = 4; walls = true' 'application = "two_phase"; steps = 1; walls = true' 'application = "two_fluids"' 'application = "weather"'; do
    grep -q "$text" machine.cfg || fail "machine.cfg has no $text"
done
head -1 machine.cfg.csv | grep -qx 'what,of,size,microseconds,fitted' || fail "the points have no head"
for what in copy buffers kernel split grid node exchange; do
    grep -q "^$what," machine.cfg.csv || fail "no points of $what"
done
ok 1 calibrate --quick --only cpu --kernels stream_collide.trt.d3q19.in_place --output other.cfg
if grep -q himeno other.cfg; then fail "--kernels measures others, too"; fi

# The file that lies here is taken; so is another one.
short=(--set steps=20 --set 'domain.cells=[24,24,24]' --set output.fields=false)
ok 1 predict "$2/input/cavity.cfg" "${short[@]}"
says "pure-mpi:"
for case in diffusion himeno_m milk_crown rising_bubble_lbm mountain_wave; do
    ok 1 predict "$2/input/$case.cfg" --nodes 1
    if grep -q "rates follow from its bandwidth" out.txt err.txt; then fail "the kernels of $case were not measured"; fi
done
ok 2 run "$2/input/cavity.cfg" "${short[@]}" --machine other.cfg --verbose
says "forecast " "by other.cfg" "predicted   measured" "all                step" "rank 0 cpu0        exchange"
python3 - out/cavity/timing.json <<'PYTHON' || fail "timing.json has no forecast beside what was measured"
import json, sys
rows = json.load(open(sys.argv[1]))["model"]
whats = [row["what"] for row in rows]
assert whats == ["step", "outer", "inner", "exchange"], whats
for row in rows:
    assert row["predicted_ms"] > 0 and row["measured_ms"] > 0, row
    assert abs(row["predicted_ms"] / row["measured_ms"] - 1 - row["deviation"]) < 1e-9, row
step, outer, inner, exchange = (row["predicted_ms"] for row in rows)
assert abs(outer + inner + exchange - step) < 1e-9 * step
PYTHON
ok 1 run "$2/input/cavity.cfg" "${short[@]}"
says "by machine.cfg"

# Components share a block by the file: two of one thread each, half of the planes each.
refuse 2 run "$2/input/cavity.cfg" "${short[@]}" --set parallel.balance=model --machine none.cfg -- "none.cfg"
two='parallel.mode="hybrid"'
node='node.components=({kind="cpu";threads=1;},{kind="cpu";threads=1;})'
ok 1 run "$2/input/cavity.cfg" "${short[@]}" --set "$two" --set "$node" --set parallel.balance=model --verbose
says "should reach" "12 of 24 planes"
mv machine.cfg away.cfg
refuse 2 run "$2/input/cavity.cfg" "${short[@]}" --set parallel.balance=model -- "parallel.balance" "needs a machine file"

# A file without what the run needs does not stop it; one that is wrong does.
cat >gpu.cfg <<'CFG'
name = "GPUs alone";
components = ( { kind = "gpu"; bandwidth = 1.0; memory = 1.0; } );
bus = { bandwidth = 1.0; };
CFG
ok 1 run "$2/input/cavity.cfg" "${short[@]}" --machine gpu.cfg
says "no forecast from gpu.cfg" "no component of kind"
printf 'name = "x' >machine.cfg
ok 1 run "$2/input/cavity.cfg" "${short[@]}"
says "no forecast: machine.cfg:1:"
rm machine.cfg
sed 's/bandwidth = [0-9.]*/bandwidth = -1/' other.cfg >wrong.cfg
start 1 run "$2/input/cavity.cfg" "${short[@]}" --machine wrong.cfg
if ((code != 2)); then fail "code $code with a wrong machine file"; fi
says "wrong.cfg:4: 'components[0].bandwidth'"

finish
