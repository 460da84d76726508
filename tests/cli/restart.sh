#!/usr/bin/env bash
# Checkpoints and restarts as users meet them: what is kept, what is refused, what goes on.
source "$2/tests/cli/common.bash"
left_behind=out
write_case

hash_of() { value "out/$1/results.json" state_hash; }

# ---- the same bits on all that it can run on ----

ok 1 run case.cfg --quiet --set steps=60 --set monitor.every=7
right=$(hash_of tiny)
cp out/tiny/monitor.csv .
if [[ $(wc -l <monitor.csv) != 9 ]]; then fail "monitor.csv has not a line for each look"; fi
rm -rf out
ok 1 run case.cfg --quiet --set checkpoint.every=10 --set checkpoint.keep=2 --set monitor.every=7
printf '28,half a line' >>out/tiny/monitor.csv
if [[ $(ls out/tiny | grep -c '^checkpoint_000000[12]0.h5$') != 2 ]]; then fail "not the two latest checkpoints"; fi
cp -r out first
while read -r ranks arguments; do
    rm -rf out && cp -r first out
    # shellcheck disable=SC2086
    ok "$ranks" run case.cfg --quiet --restart latest --set steps=60 --set monitor.every=7 $arguments
    cmp monitor.csv out/tiny/monitor.csv || fail "other lines in monitor.csv: $ranks $arguments"
    if [[ $(hash_of tiny) != "$right" ]]; then fail "other bits: $ranks $arguments"; fi
    if [[ $(value out/tiny/results.json first_step) != 20 ]]; then fail "not from step 20: $arguments"; fi
done <<'RUNS'
1
3
2 --set lbm.streaming=list --set parallel.processes=[2,1,1]
2 --set node.emulated_gpus=2 --set lbm.streaming=in_place --set checkpoint.compress=true --set checkpoint.every=30
1 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
RUNS

# The series of fields goes on; the log, too.
for step in 00000020 00000060; do
    grep -q "fields_$step.hdf" out/tiny/fields.hdf.series || fail "the series has lost step $step"
done
if [[ $(grep -c '^case ' out/tiny/run.log) != 2 ]]; then fail "the log does not tell of both runs"; fi

# No step is left to do: the folder stays as it is; other output is written, and the times of the steps stay.
ok 1 run case.cfg --quiet --restart latest --set steps=60 --set checkpoint.every=30
rm -rf done && cp -r out done
for ranks in 1 2; do
    ok $ranks run case.cfg --restart latest --set steps=60 --set checkpoint.every=30
    says "already at step 60: nothing to do"
    diff -r done out || fail "a run that had nothing to do has changed the folder"
done
ok 1 run case.cfg --quiet --restart latest --set steps=60 --set checkpoint.every=30 --set output.profiles=true
cmp done/tiny/timing.json out/tiny/timing.json || fail "timing.json of a run that had no step to do"
if [[ ! -e out/tiny/profiles.csv ]]; then fail "no profiles of a run that was done without them"; fi
said=$("$1" check case.cfg | sed -n 's/^checkpoint .*, \([0-9.]*\) MB each, .*/\1/p')
awk -v said="$said" -v bytes="$(stat -c %s out/tiny/checkpoint_00000060.h5)" 'BEGIN {
    exit !(bytes > 0.95e6 * said && bytes < 1.15e6 * said) }' || fail "a checkpoint is not of $said MB"

# In a folder without a run the first one begins, also beside files of others. A run without a checkpoint cannot go on,
# whether it was done or killed: it stays as it is.
rm -rf out && mkdir -p out/tiny && touch out/tiny/slurm.log
for ranks in 1 2; do
    ok $ranks run case.cfg --restart latest --set steps=60
    says "no checkpoint in out/tiny: from the beginning"
    if [[ $(hash_of tiny) != "$right" ]]; then fail "other bits without a checkpoint"; fi
    cp -r out before
    for status in done running; do
        sed -i "s/\"status\": \"[a-z]*\"/\"status\": \"$status\"/" {out,before}/tiny/results.json
        start $ranks run case.cfg --restart latest --set steps=80
        if ((code != 2)); then fail "code $code instead of 2: a run without a checkpoint that is $status goes on"; fi
        says "out/tiny" "--overwrite" "checkpoint.every" "checkpoint.minutes"
        diff -r before out || fail "a restart that was refused has changed the folder"
    done
    rm -rf before out
done
ok 1 run case.cfg --quiet --restart "../${PWD##*/}/first/tiny/checkpoint_00000020.h5"

# Any key of checkpoint lets a run that is done leave its last state, unless checkpoint.last is false.
while read -r expected arguments; do
    rm -rf out
    # shellcheck disable=SC2086
    ok 1 run case.cfg --quiet $arguments
    if [[ $(cd out/tiny && compgen -G 'checkpoint_*' | xargs) != "${expected/-/}" ]]; then
        fail "other checkpoints than $expected: $arguments: $(ls out/tiny)"
    fi
done <<'RUNS'
-
- --set checkpoint.last=false --set checkpoint.keep=3
- --set checkpoint.stop_after=100 --set checkpoint.last=false
checkpoint_00000020.h5 --set checkpoint.last=true
checkpoint_00000020.h5 --set checkpoint.stop_after=100
checkpoint_00000020.h5 --set checkpoint.keep=1 --set checkpoint.every=8
RUNS
rm -rf out
ok 2 run case.cfg --quiet --set checkpoint.keep=1
cp out/tiny/config.resolved.cfg resolved.cfg
ok 1 run case.cfg --quiet --restart latest --set steps=60
if [[ $(hash_of tiny) != "$right" ]]; then fail "other bits after a run that was done"; fi
ok 1 run resolved.cfg --quiet --overwrite
if [[ ! -e out/tiny/checkpoint_00000020.h5 ]]; then fail "the resolved input makes no last checkpoint"; fi
"$wabe" check case.cfg --set checkpoint.stop_after=9 >out.txt
says "checkpoint after the last step"
"$wabe" check case.cfg --set monitor.steady=1e-6 >out.txt
says "checkpoint if it is not steady, at a signal"

# ---- a steady state ends a run, whoever finds it ----

steady=(--quiet --set domain.cells='[8,8,8]' --set steps=20000 --set monitor.every=50 --set monitor.steady=1e-6)
rm -rf out
ok 1 run case.cfg "${steady[@]}"
right=$(value out/tiny/results.json steps)
if ((right < 200 || right > 10000)); then fail "steady after $right steps"; fi
rm -rf out
start 2 run case.cfg "${steady[@]}" --set steps=$((right - 70)) # without any key of checkpoint
if ((code != 5)); then fail "code $code instead of 5 before it is steady"; fi
says "less than monitor.steady, but only 1 of 3 checks in succession" "allow 70 steps more, with --restart latest"
ok 1 run case.cfg "${steady[@]}" --restart latest
if [[ $(value out/tiny/results.json steps) != "$right" ]]; then fail "steady at another step after a restart"; fi

while read -r steps text; do
    rm -rf out
    start 1 run case.cfg "${steady[@]}" --set steps="$steps"
    if ((code != 5)); then fail "code $code instead of 5 after $steps steps"; fi
    grep -qE "not converged: after $steps steps $text" err.txt || fail "why it is not steady after $steps steps"
done <<'RUNS'
30 there has been no check, monitor.steady needs at least 4: monitor.every is 50; allow more steps
120 there have been 2 checks, .* the last residual is [0-9.e-]+; allow
200 the kinetic energy still changes by [0-9.e-]+ of itself in 50 steps, monitor.steady is 1e-06
RUNS

# A fluid at rest is steady, and so is one that a force presses against a wall. One whose energy is below the digits of its
# sum (velocities below 1e-9) is not, as long as a force makes it faster.
cat >rest.cfg <<'CFG'
name = "rest";
steps = 3000;
domain = { cells = [8, 8, 8]; };
lbm = { tau = 0.8; };
monitor = { every = 100; steady = 1e-6; };
output = { fields = false; };
CFG
closed=(--set boundaries.y_low.kind=no_slip --set boundaries.y_high.kind=no_slip)
for ranks in 1 2; do
    rm -rf out
    ok "$ranks" run rest.cfg
    if [[ $(value out/rest/results.json steps) != 400 ]]; then fail "a fluid at rest is not steady at the fourth check"; fi
    says "steady     after 400 steps: the kinetic energy is 0"
    ok "$ranks" run rest.cfg --overwrite "${closed[@]}" --set 'lbm.force=[0, 1e-5, 0]'
    if grep -qi nan <(tail -n +3 out/rest/monitor.csv); then fail "monitor.csv of a fluid that is pressed against a wall has nan"; fi
    start "$ranks" run rest.cfg --overwrite --set 'lbm.force=[1e-13, 0, 0]'
    if ((code != 5)); then fail "code $code instead of 5: a flow that becomes faster, of 1e-10 cells a step"; fi
done
# The same flow between walls, at most force (8^2 - 1) / (8 viscosity) in a cell: it becomes steady, also after a restart.
rm -rf out
ok 1 run rest.cfg "${closed[@]}" --set 'lbm.force=[1e-13, 0, 0]'
right=$(value out/rest/results.json steps)
awk -v found="$(value out/rest/results.json max_velocity)" 'BEGIN { exit !(found > 7.874e-12 && found < 7.876e-12) }' ||
    fail "a flow of 7.875e-12 cells a step has $(value out/rest/results.json max_velocity)"
rm -rf out
start 1 run rest.cfg "${closed[@]}" --set 'lbm.force=[1e-13, 0, 0]' --set steps=$((right - 250)) --set checkpoint.every=10000
if ((code != 5)); then fail "code $code instead of 5 before a slow flow is steady"; fi
ok 1 run rest.cfg "${closed[@]}" --set 'lbm.force=[1e-13, 0, 0]' --restart latest
if [[ $(value out/rest/results.json steps) != "$right" ]]; then fail "a slow flow is steady at another step after a restart"; fi

# ---- what is refused ----

refused() { # CODE ARGUMENT... -- TEXT...
    local expected=$1 arguments=()
    shift
    while [[ $1 != -- ]]; do arguments+=("$1") && shift; done
    shift
    start 2 run case.cfg "${arguments[@]}"
    if ((code != expected)); then fail "code $code instead of $expected: ${arguments[*]}"; fi
    says "$@"
}
rm -rf out && cp -r first out
cp out/tiny/config.resolved.cfg .
refused 2 --restart latest --set lbm.reynolds=30 -- "lbm.reynolds" "is not what out/tiny/checkpoint_00000020.h5 was computed with"
refused 2 --restart latest --set lbm.storage=f32 -- "lbm.storage"
cmp config.resolved.cfg out/tiny/config.resolved.cfg || fail "a run that was refused has changed the configuration"
refused 2 --restart latest --change-physics --set lbm.storage=f32 -- "'lbm.storage' must be \"f64\", as in out/tiny/checkpoint_00000020.h5"
refused 2 --restart latest --change-physics --set 'domain.cells=[16,12,16]' --set steps=30 -- "'domain.cells' must be [16, 12, 14]"
if grep -q '^changed ' out.txt; then fail "changes are named before a refusal"; fi
ball='{ shape = "sphere"; center = [8.0, 6.0, 7.0]; radius = 2.0; }'
refused 2 --restart latest --change-physics --set "geometry.objects=($ball)" -- "fluid cells" "keys of geometry"
refused 2 --change-physics -- "--restart"
refused 2 --restart latest --overwrite -- "--overwrite" "give one of them"
refused 2 --restart out/tiny/checkpoint_00000010.h5 --overwrite -- "--overwrite" "give one of them"
refused 2 --restart latest --set steps=15 -- "steps" "has been passed"
if grep -q '^restart ' out.txt; then fail "a run that is refused says that it goes on"; fi
refused 6 --restart nowhere.h5 -- "nowhere.h5"
refused 6 --restart out -- "out: cannot be read: Is a directory"
if (($(grep -o "Is a directory" err.txt | wc -l) != 1)); then fail "a reason is given twice"; fi
refused 2 --restart case.cfg -- "case.cfg: is damaged, or no checkpoint of Wabe"
refused 2 --restart out/tiny/fields_00000020.hdf -- "is damaged, or no checkpoint of Wabe"
refused 2 --restart -- "--restart needs latest|FILE"
for file in out/tiny/checkpoint_*.h5; do truncate -s 5000 "$file"; done
refused 2 --restart latest -- "none of its 2 checkpoints is whole"

# Another lattice goes on with its own bits, but not from this one.
corners=(--quiet --set lbm.lattice=d3q27 --set checkpoint.every=10 --set 'output.quantities="velocity reynolds_stress exceedance"'
    --set output.average.threshold=0.01)
rm -rf out
ok 1 run case.cfg "${corners[@]}" --set steps=60
right=$(hash_of tiny)
rm -rf out
ok 1 run case.cfg "${corners[@]}"
refused 2 --restart latest --set steps=60 -- "lbm.lattice"
refused 2 --restart latest --set steps=60 --change-physics -- "lbm.lattice" "needs 19 numbers per cell" "has 27"
ok 2 run case.cfg "${corners[@]}" --set steps=60 --restart latest --set lbm.streaming=pull --set node.emulated_gpus=2
if [[ $(hash_of tiny) != "$right" ]]; then fail "other bits: D3Q27"; fi

# What is no file is passed over, among checkpoints and for the lines of monitor.csv.
rm -rf out && cp -r first out
rm out/tiny/checkpoint_00000020.h5 out/tiny/monitor.csv
mkfifo out/tiny/checkpoint_00000020.h5 out/tiny/monitor.csv
ok 2 run case.cfg --restart latest --set steps=30
says "skipped: out/tiny/checkpoint_00000020.h5: cannot be read"
if [[ $(value out/tiny/results.json first_step) != 10 ]]; then fail "not from the checkpoint that is one"; fi
if [[ ! -f out/tiny/monitor.csv ]]; then fail "monitor.csv is no file"; fi

# ---- an earlier run is kept beside the new one, or replaced ----

rm -rf out && cp -r first out
ok 1 run case.cfg --set lbm.reynolds=30 --set steps=10 --set checkpoint.every=10
says "now in out/tiny.1"
diff -r first/tiny out/tiny.1 >/dev/null || fail "the earlier run was not kept as it was"
if [[ $(cd out/tiny && echo *_0*) != "checkpoint_00000010.h5 fields_00000010.hdf" ]]; then
    fail "other steps than those of this run: $(ls out/tiny)"
fi
rm -rf out && cp -r first out
ok 1 run case.cfg --set lbm.reynolds=30 --set steps=10 --set checkpoint.every=10 --overwrite
if [[ -e out/tiny.1 || $(cd out/tiny && echo *_0*) != "checkpoint_00000010.h5 fields_00000010.hdf" ]]; then
    fail "--overwrite left other steps than those of this run: $(ls out out/tiny)"
fi
ok 1 run case.cfg --quiet --set steps=15 --restart first/tiny/checkpoint_00000010.h5
if [[ ! -e out/tiny.1/fields_00000010.hdf || -e out/tiny/fields_00000010.hdf ]]; then
    fail "a run from a checkpoint of another folder goes on with the files of this one: $(ls out out/tiny)"
fi
rm -rf out/tiny && mv out/tiny.1 out/tiny

# a run that is refused leaves the earlier one alone
cp -r out before
start 1 run case.cfg --set lbm.reynolds=30 --restart first/tiny/checkpoint_00000010.h5
if ((code != 2)); then fail "code $code instead of 2: other physics"; fi
diff -r before out >/dev/null || fail "a run that was refused has changed the folder of an earlier one"
rm -rf before

# ---- one run at a time in a folder ----

"$wabe" run case.cfg --quiet --set lbm.reynolds=30 --set steps=100000000 --set output.directory=out/busy \
    --set checkpoint.every=5000 >/dev/null 2>&1 </dev/null &
holder=$!
for ((i = 0; i < 100; i++)); do
    if compgen -G 'out/busy/checkpoint_*' >/dev/null; then break; fi
    sleep 0.1
done
start 1 run case.cfg --quiet --set output.directory=out/busy
if ((code != 6)); then fail "code $code instead of 6: a second run in the folder of one that runs"; fi
says "process $holder"
start 2 run case.cfg --quiet --set output.directory=out/busy --overwrite
if ((code != 6)); then fail "code $code instead of 6: the same with --overwrite"; fi
kill -0 "$holder" || fail "the first run has died of the second"
kill -9 "$holder"
wait "$holder" 2>/dev/null
ok 1 run case.cfg --quiet --set lbm.reynolds=30 --set output.directory=out/busy --restart latest --set steps=100000000 \
    --set checkpoint.stop_after=0.01 # whose lock is nobody's
if compgen -G 'out/busy/*.part' >/dev/null; then fail "what the killed run was writing is left: $(ls out/busy)"; fi
rm -rf out/busy

# ---- checkpoints of a run are its own ----

ok 1 run case.cfg --quiet --set lbm.reynolds=30 --set steps=15 --restart latest
if [[ $(value out/tiny/results.json first_step) != 10 ]]; then fail "goes on from another run"; fi

# ---- other physics, if they are asked for ----

rm -rf out && cp -r first out
average=(--set output.average.begin=20 --set output.average.every=5 --set 'output.quantities="velocity, mean_velocity"')
ok 1 run case.cfg --set steps=40 --set lbm.reynolds=30 --set 'lbm.force=[0.0, 1e-6, 0.0]' --restart latest --change-physics \
    --set checkpoint.every=20 "${average[@]}"
says "lbm.reynolds = 30.0, was 20.0" "lbm.force = [0.0, 1e-06, 0.0], was [0.0, 0.0, 0.0]"
if [[ $(grep -c '^changed ' out.txt) != 2 ]]; then fail "other keys are named than those that have changed"; fi
if [[ $(value out/tiny/results.json reynolds) != 30 || $(value out/tiny/results.json first_step) != 20 ]]; then fail "it goes on as it was"; fi
right=$(hash_of tiny)
rm -rf out && cp -r first out
ok 3 run case.cfg --quiet --set steps=30 --set lbm.reynolds=30 --set 'lbm.force=[0.0, 1e-6, 0.0]' --restart latest --change-physics \
    --set checkpoint.every=10 "${average[@]}"
ok 1 run case.cfg --set steps=40 --set lbm.reynolds=30 --set 'lbm.force=[0.0, 1e-6, 0.0]' --restart latest --change-physics \
    --set checkpoint.every=10 "${average[@]}" # nothing has changed now
if grep -q '^changed ' out.txt; then fail "what has changed before is named again"; fi
says "means      over time go on, from 2 states"
if [[ $(hash_of tiny) != "$right" ]]; then fail "other bits after a change and a restart"; fi
ok 1 run case.cfg --set steps=50 --set lbm.reynolds=40 --set 'lbm.force=[0.0, 1e-6, 0.0]' --restart latest --change-physics "${average[@]}"
says "means      over time begin anew"

# Of a list, the key that has changed is named.
rm -rf out
ball() { echo "geometry.objects=({ shape=\"sphere\"; center=[8.0, 6.0, 7.0]; radius=2.0; kind=\"moving_wall\"; velocity=[$1, 0.0, 0.0]; })"; }
ok 1 run case.cfg --quiet --set checkpoint.every=20 --set "$(ball 0.01)"
ok 1 run case.cfg --set steps=30 --restart latest --change-physics --set "$(ball 0.02)"
says 'geometry.objects = ( ... velocity = [0.02, 0.0, 0.0]; ... ), was ( ... velocity = [0.01, 0.0, 0.0]; ... )'

# A steady state of other physics counts for nothing.
rm -rf out
ok 1 run case.cfg "${steady[@]}" --set checkpoint.every=1000
before=$(value out/tiny/results.json steps)
ok 1 run case.cfg "${steady[@]}" --restart latest --change-physics --set lbm.reynolds=40
if (($(value out/tiny/results.json steps) < before + 150)); then fail "steady at once with other physics"; fi

# ---- a state that is none is not saved: the run diverges again at the same step ----

wild=(--quiet --set steps=4000 --set lbm.viscosity=1e-4 --set monitor.every=50 --set checkpoint.every=25)
sed '/reynolds/d' case.cfg >wild.cfg
rm -rf out
start 1 run wild.cfg "${wild[@]}"
if ((code != 3)); then fail "code $code instead of 3: it should diverge"; fi
diverged=$(grep -o 'at step [0-9]*' err.txt)
start 2 run wild.cfg "${wild[@]}" --restart latest
if ((code != 3)) || [[ $(grep -o 'at step [0-9]*' err.txt) != "$diverged" || ! $diverged ]]; then
    fail "goes on with code $code from what had diverged $diverged"
fi

# ---- by the clock ----

rm -rf out
SECONDS=0
ok 1 run case.cfg --quiet --set steps=12000 --set checkpoint.minutes=0.01 --set checkpoint.keep=100
count=$(find out/tiny -name 'checkpoint_*.h5' | wc -l)
if ((count < 1 || count > 2 + SECONDS * 100 / 60 + 2)); then fail "$count checkpoints in $SECONDS s, one each 0.6 s"; fi

# ---- a second signal ends a run at once, and its log stays ----

rm -rf out
"$wabe" run case.cfg --quiet --set steps=1000000 --set domain.cells='[100,100,100]' >out.txt 2>err.txt &
process=$!
for ((i = 0; i < 200; i++)); do
    if [[ -e out/tiny/run.log ]]; then break; fi
    sleep 0.1
done
sleep 1
if ! grep -q '^case ' out/tiny/run.log; then fail "the log of a run that goes on has no line yet"; fi
kill -STOP $process && kill -TERM $process && kill -USR1 $process && kill -CONT $process
wait $process
code=$?
if ((code < 128)); then fail "code $code after two signals at once"; fi

# ---- a bed that settles says so, and a signal ends it ----

cat >bed.cfg <<'CFG'
name = "bed";
steps = 10;
domain = { cells = [200, 200, 200]; };
lbm = { tau = 1.0; };
geometry = { bed = { particle = "cylinder"; diameter = 2.0; }; };
porous = { axis = "all"; };
CFG
for number in TERM INT; do
    : >out.txt # what is looked for below must not be the last run's
    WABE_LIVE=1 timeout --foreground -k 5 60 "$wabe" run bed.cfg >out.txt 2>err.txt &
    process=$!
    for ((i = 0; i < 200; i++)); do
        if grep -q '^.bed .* particles' out.txt; then break; fi
        sleep 0.1
    done
    ((i < 200)) || fail "a bed settles without a sign of life"
    SECONDS=0
    kill -"$number" "$process"
    wait "$process"
    code=$?
    if ((code != 0 || SECONDS > 5)); then fail "code $code instead of 0, $SECONDS s after SIG$number"; fi
    says "interrupted"
    if [[ -e out/bed ]]; then fail "a bed that is left has written something"; fi
    rm -rf out
done

# ---- porous media: the flux, tracers and the tensor go on ----

cat >pores.cfg <<'CFG'
name = "pores";
steps = 5000;
domain = { cells = [16, 14, 15]; };
lbm = { tau = 1.0; };
geometry = { spheres = { array = "simple_cubic"; radius = 5.0; }; };
porous = { axis = "z"; tolerance = 1e-4; interval = 50; tracers = 100; };
CFG
rm -rf out
ok 1 run pores.cfg --quiet
cp out/pores/residence.csv .
cp out/pores/results.json whole.json
rm -rf out
start 1 run pores.cfg --quiet --set steps=70 --set checkpoint.every=60
if ((code != 5)); then fail "code $code instead of 5 before the flux is steady"; fi
ok 2 run pores.cfg --quiet --restart latest
for key in steps permeability mean_residence_steps state_hash; do
    if [[ $(value out/pores/results.json $key) != $(value whole.json $key) ]]; then
        fail "$key is another one after a restart"
    fi
done
cmp residence.csv out/pores/residence.csv || fail "other residence times"
rm -rf out
ok 1 run pores.cfg --quiet --set 'porous.axis="all"' --set porous.tracers=0
cp -r out/pores whole
start 2 run pores.cfg --quiet --set 'porous.axis="all"' --set porous.tracers=0 --restart latest
if ((code != 2)); then fail "code $code instead of 2: three runs without a checkpoint go on"; fi
diff -r whole out/pores || fail "a restart that was refused has changed the folder of three runs"
rm -rf out
ok 1 run pores.cfg --quiet --set 'porous.axis="all"' --set porous.tracers=0 --set checkpoint.stop_after=1e-6
if [[ $(value out/pores/x/results.json status) != interrupted || -e out/pores/y ]]; then fail "not stopped on its way"; fi
ok 2 run pores.cfg --quiet --set 'porous.axis="all"' --set porous.tracers=0 --restart latest
for axis in x y z; do
    if [[ $(value out/pores/$axis/results.json state_hash) != $(value whole/$axis/results.json state_hash) ]]; then
        fail "the tensor's run along $axis has other bits after a restart"
    fi
done

# ---- diffusion ----

cat >bell.cfg <<'CFG'
application = "diffusion";
name = "bell";
steps = 60;
domain = { cells = [21, 18, 17]; };
diffusion = { diffusivity = 1.0; };
initial = { kind = "gaussian"; width = 3.0; };
CFG
for storage in f64 f32; do
    rm -rf out
    ok 1 run bell.cfg --quiet --set diffusion.storage=$storage
    right=$(hash_of bell)
    rm -rf out
    ok 2 run bell.cfg --quiet --set diffusion.storage=$storage --set steps=33 --set checkpoint.every=10
    ok 3 run bell.cfg --quiet --set diffusion.storage=$storage --restart latest --set diffusion.steps_per_pass=3
    if [[ $(hash_of bell) != "$right" ]]; then fail "diffusion in $storage: other bits"; fi
    ok 1 run bell.cfg --quiet --set diffusion.storage=$storage --restart out/bell/checkpoint_00000030.h5 \
        --set node.emulated_gpus=1
    if [[ $(hash_of bell) != "$right" ]]; then fail "diffusion in $storage on a GPU: other bits"; fi
done
start 1 run bell.cfg --restart latest --set diffusion.diffusivity=0.5
if ((code != 2)); then fail "another diffusivity is taken"; fi
says "diffusion.diffusivity"
start 1 run "$2/input/himeno_m.cfg" --restart latest
says "has no checkpoints"

finish
