#!/usr/bin/env bash
# The commands and what they print and write: the contract that other tools rely on.
source "$2/tests/cli/common.bash"
write_case

# ---- commands that run nothing ----

start 1
if ((code != 2)); then fail "code $code instead of 2 without a command"; fi
says "wabe run " "wabe check " "wabe bench " "wabe kernels " "wabe node " "a command is missing"
if [[ $(tail -n 1 err.txt) != "wabe: a command is missing" ]]; then fail "the error does not stand last"; fi
for line in "run FILE --set --restart --machine --quiet --verbose" "check FILE --reference --verbose" "geometry FILE --set" \
    "predict FILE --nodes --weak --csv" "calibrate --output --only --quick" "bench --cells --fluid --threads" \
    "kernels --bandwidth --peak" "node --help"; do
    read -r command options <<<"$line"
    ok 1 "$command" --help
    if [[ $(head -n 1 out.txt) != "wabe $command"* ]]; then fail "$command --help does not begin with the command"; fi
    for option in $options; do
        grep -qE -e "^  $option .*[a-z]{3}" out.txt || fail "$command --help says nothing of $option"
    done
    grep -q "^Example: .*wabe $command" out.txt || fail "$command --help has no example"
done
ok 1 geometry --help
if grep -qE -- '--(machine|reference|restart)' out.txt; then fail "geometry --help has options of other commands"; fi
ok 1 --help
says "wabe run " "wabe check " "wabe bench " "wabe kernels " "wabe node " "mpirun -np N wabe run FILE"
ok 1 --version
grep -qE '^wabe [0-9]+\.[0-9]+\.[0-9]+ ' out.txt || fail "--version"
says "HDF5"
ok 1 node
says "memory available" "node = {" 'kind = "cpu"' "parallel = {"
cp case.cfg with_node.cfg
cat out.txt >>with_node.cfg
ok 1 check with_node.cfg

# 95 GB/s over 304 B are 312.5 million updates: of 147 flop each, 8.83 % of 520 Gflop/s.
ok 1 kernels --bandwidth 95 --peak 520
grep -qE '^stream_collide\.srt\.d3q19\.pull\.f64\.avx(2|512) +304 +147 +2\.068 +0\.0883 +312\.5 +' out.txt ||
    fail "the bound of a kernel"
refuse 2 kernels --bandwidth 95 --peak -- "--peak needs GFLOP/S"
refuse 2 kernels --bandwidth 95 -- "--bandwidth and --peak"
refuse 2 kernels all -- "unknown argument 'all'"
refuse 2 kernels --bandwidth 95 --peak zero -- "--peak needs a number above 0, not 'zero'"
ok 1 kernels --json
cp out.txt kernels.json
is_json kernels.json
sed -n 's/^ *"name": "\(.*\)",$/\1/p' kernels.json >names
ok 1 kernels
while read -r name; do says "$name "; done <names
rows=$(sed '/^$/q' out.txt | grep -c . || true) # the sweeps follow after an empty line
if (($(wc -l <names) < 1 || rows != $(wc -l <names) + 1)); then
    fail "wabe kernels and wabe kernels --json list different rows"
fi

ok 1 bench --cells 16 --repetitions 1 --json
is_json out.txt
says '"kernel"' '"mlups"' '"of_limit"'

ok 1 check case.cfg
says "16 x 12 x 14 cells, 20 steps" "Re 20 (" "Ma 0.17" "tau 0.74" "viscosity 0.08" "memory " \
    "B per cell"
if [[ -e out ]]; then fail "wabe check wrote something"; fi
# 3 u^2, of the fastest boundary
says "at 0.1 cells a step, the viscosity is 3 % too small"
for arguments in lbm.collision=recursive_regularized "boundaries.z_high.velocity=[0.05,0,0] --set lbm.velocity=0.05"; do
    # shellcheck disable=SC2086
    ok 1 check case.cfg --set $arguments
    if grep -q "viscosity is .* too small" out.txt; then fail "the viscosity is too small with $arguments"; fi
done
ok 1 check case.cfg --set lbm.reynolds=40
says "Re 40 (" "tau 0.62"

# How long the run will take: by kernels that are measured, if it is not short.
for ranks in 1 2; do
    ok "$ranks" check case.cfg --set 'domain.cells=[64, 64, 64]' --set steps=100000
    if ! sed -n 's/^time  *about \([0-9.]*\) \([a-z]*\) for 100000 steps, without output.*estimate: \([0-9.]*\) MFLUPS, measured.*/\1 \2 \3/p' out.txt |
        awk '{ found = 1; unit = $2 == "minutes" ? 60 : $2 == "hours" ? 3600 : $2 == "days" ? 86400 : 1; off = $1 * unit - 1e5 * 64 ^ 3 / ($3 * 1e6) }
            END { exit !(found && (off < 0 ? -off : off) < 0.51 * unit) }'; then # whole minutes
        fail "no time on $ranks ranks, or it does not follow from the rate"
    fi
done
ok 1 check case.cfg
if grep -q "^time " out.txt; then fail "check measures how long a short run takes"; fi

# ---- a run and its files ----

ok 1 run case.cfg --quiet --set output.every=10 --set output.picture=y --set output.profiles=true
if [[ -s out.txt || -s err.txt ]]; then fail "run --quiet printed something"; fi
for key in application status mode steps cells fluid_cells seconds mlups mflups components name \
    kind rank z_begin z_end kernel mass_drift state_hash memory cpu_share; do
    grep -qE "^ *\"$key\":" out/tiny/results.json || fail "results.json has no $key"
done
is_json out/tiny/results.json
is_json out/tiny/timing.json
python3 - "$("$wabe" --version | head -n 1)" <<'PYTHON' || fail "results.json does not say where it comes from"
import json, socket, sys, zlib
origin = json.load(open("out/tiny/results.json"))["origin"]
right = {"input": "case.cfg", "input_crc32": "%08x" % zlib.crc32(open("case.cfg", "rb").read()), "processes": 1,
         "host": socket.gethostname(), "command": "wabe run case.cfg --quiet --set output.every=10 "
         "--set output.picture=y --set output.profiles=true"}
wrong = [key for key in right if origin[key] != right[key]]
wrong += [key for key in ("version", "commit", "compilers") if origin[key] not in sys.argv[1]]
if wrong or not origin["date"].startswith("20") or not origin["mpi"] or not origin["hdf5"]:
    sys.exit("%s: %s" % (wrong, origin))
PYTHON
is_json out/tiny/fields.hdf.series
if [[ $(value out/tiny/results.json status) != done ]]; then fail "status in results.json"; fi
if [[ $(value out/tiny/results.json cells) != 2688 ]]; then fail "cells in results.json"; fi
for file in run.log fields.xdmf config.resolved.cfg fields_00000000.hdf fields_00000010.hdf \
    fields_00000020.hdf velocity_00000000.png velocity_00000010.png velocity_00000020.png; do
    if [[ ! -s out/tiny/$file ]]; then fail "$file was not written"; fi
done
if [[ $(head -c 4 out/tiny/velocity_00000020.png | tail -c 3) != PNG ]]; then fail "no PNG"; fi
grep -Eq "velocity_00000020.png: from [0-9.e-]+ to 0\.0[0-9]+ lattice" out/tiny/run.log || fail "the log does not say what the colours mean"
if [[ $(head -n 1 out/tiny/profiles.csv) != "line,relative,position,density,ux,uy,uz" ]] ||
    (($(wc -l <out/tiny/profiles.csv) != 1 + 16 + 12 + 14)); then
    fail "profiles.csv"
fi
grep -q "fields_00000020.hdf" out/tiny/fields.hdf.series || fail "the last step is not in the series"

# ---- what is printed where ----

# quiet, warned: warnings alone, where errors go; the log has all.
ok 1 run case.cfg --quiet --set lbm.velocity=0.25 --set output.directory=warned
if [[ -s out.txt ]]; then fail "run --quiet printed something on stdout"; fi
if [[ $(cut -d " " -f 1 err.txt | sort -u) != "warning:" ]]; then fail "run --quiet did not warn, or said more"; fi
while read -r line; do grep -qxF -e "$line" warned/run.log || fail "not in run.log: $line"; done <err.txt
grep -q "^case " warned/run.log || fail "run.log of a quiet run has not all lines"

# How it is computed is said with --verbose alone; run.log has what the terminal shows.
details=("^cost " "^slabs .*rank 0" "^messages " "^phase " " GFLOPS")
for way in "" --verbose; do
    # shellcheck disable=SC2086
    ok 1 run case.cfg $way --overwrite --set output.directory=details
    for detail in "${details[@]}"; do
        if [[ $way ]]; then
            grep -q "$detail" out.txt || fail "--verbose does not say $detail"
        elif grep -q "$detail" out.txt; then
            fail "without --verbose it says $detail"
        fi
    done
    grep -qE "^rate +[0-9.]+ MFLUPS" out.txt || fail "no rate"
    grep -qE "^processes +1 = 1 x 1 x 1, with [1-9].* thread" out.txt || fail "no hardware"
    grep -v '^step ' out.txt | diff - <(grep -v '^step ' details/run.log) || fail "run.log is not what the terminal shows: $way"
done
ok 1 run case.cfg --quiet --verbose --overwrite --set output.directory=details
if [[ -s out.txt ]]; then fail "--quiet is not quiet with --verbose"; fi
grep -q "^slabs " details/run.log || fail "run.log of a quiet run lacks details"
ok 1 check case.cfg --verbose
says "cost "
ok 1 check case.cfg
if grep -q "^cost " out.txt; then fail "check says how it is computed"; fi

# What stays in the caches may be faster than memory; then it says why.
ok 1 run case.cfg --set 'domain.cells=[24, 24, 24]' --set steps=1500 --set output.fields=false --set output.directory=small --verbose
share=$(sed -n 's/^ .* GFLOPS, \([0-9]*\) % of the memory.s limit .*/\1/p' out.txt)
if [[ ! $share ]] || { ((share > 100)) && ! grep -q 'GFLOPS.*caches' out.txt; }; then
    fail "a share of $share % of the memory's rate without its reason"
fi

# mpirun gives its processes a terminal whatever its own output goes to: no line is written over there.
endless=(run case.cfg --set 'domain.cells=[40, 40, 40]' --set steps=1000000000 --set checkpoint.stop_after=0.05
    --set output.fields=false --set output.directory=endless)
export TERM=xterm
ok 2 "${endless[@]}"
if grep -q $'\r' out.txt; then fail "carriage returns in the output of mpirun"; fi
export WABE_LIVE=1
for minutes in 0.05 1; do # the first is too short while other programs use the cores
    ok 2 "${endless[@]}" --set checkpoint.stop_after=$minutes
    if grep -q $'\r' out.txt; then break; fi
done
grep -q $'\r' out.txt || fail "WABE_LIVE=1 under mpirun: no line that is written over"
if grep -q $'\r' endless/run.log; then fail "carriage returns in run.log"; fi
unset WABE_LIVE

# The resolved file holds every value in force, so it gives the same run again.
hash=$(value out/tiny/results.json state_hash)
ok 1 run out/tiny/config.resolved.cfg --quiet --set output.directory=again
if [[ ! $hash || $(value again/results.json state_hash) != "$hash" ]]; then
    fail "config.resolved.cfg does not give the same run"
fi
cmp -s again/profiles.csv out/tiny/profiles.csv || fail "profiles.csv of the same run differ"

# ---- scripts/run.sh, with programs that only say how they were called ----

mkdir -p clone/scripts clone/input clone/build/release elsewhere fake
cp "$2"/scripts/{run,setup}.sh clone/scripts
touch clone/input/{cavity,other}.cfg elsewhere/mine.cfg
for program in dpkg cmake nvidia-smi clone/build/release/wabe; do
    printf '#!/bin/sh\necho "Status: install ok installed"\n' >"fake/${program##*/}"
    chmod +x "fake/${program##*/}"
done
mv fake/wabe clone/build/release
cat >fake/mpirun <<'SH'
#!/bin/sh
echo "in ${PWD##*/}: $*"
printf 'step 1\r\033[Kplot       scripts/plot_it.py out/a case\n'
SH
printf '#!/bin/sh\necho "drawn in ${PWD##*/}: $1"\nexit 1\n' >clone/scripts/plot_it.py
chmod +x fake/mpirun clone/scripts/plot_it.py
clone=$PWD/clone
while read -r folder script file expected; do
    # shellcheck disable=SC2086
    (cd "$folder" && PATH=$OLDPWD/fake:$PATH "$script/scripts/run.sh" ${file#-} --quiet) >out.txt 2>err.txt ||
        fail "scripts/run.sh $file in $folder"
    grep -q "^in $folder: .* ${expected%,*} run ${expected#*,} --quiet\$" out.txt || fail "scripts/run.sh $file in $folder"
    grep -q "^drawn in $folder: out/a case\$" out.txt || fail "scripts/run.sh $file in $folder does not draw the plot"
    grep -q "scripts/plot_it.py out/a case" err.txt || fail "scripts/run.sh hides that there is no plot"
done <<RUNS
clone . - build/release/wabe,input/cavity.cfg
clone . input/other.cfg build/release/wabe,input/other.cfg
elsewhere ../clone - $clone/build/release/wabe,$clone/input/cavity.cfg
elsewhere ../clone mine.cfg $clone/build/release/wabe,mine.cfg
elsewhere ../clone input/other.cfg $clone/build/release/wabe,$clone/input/other.cfg
RUNS

# ---- the forecast of memory ----

# near WHAT SAID TOOK SHARE: SAID MB differ from TOOK bytes by less than this share of them
near() {
    awk -v said="$2" -v took="$3" -v share="$4" 'BEGIN {
            exit !(took > 0 && 1e6 * said > (1 - share) * took && 1e6 * said < (1 + share) * took) }' ||
        fail "the forecast of $1 is $2 MB, it took $3 bytes"
}

# forecast RANKS FILE CELLS [--set KEY=VALUE]...
forecast() {
    local ranks=$1 case=("$2" --set "domain.cells=$3" --set steps=2 --set output.directory=forecast "${@:4}")
    ok "$ranks" check "${case[@]}"
    local peak state line='^memory *\([0-9.]*\) MB of the host.s at most; the state takes \([0-9.]*\) MB.*'
    peak=$(sed -n "s/$line/\1/p" out.txt)
    state=$(sed -n "s/$line/\2/p" out.txt)
    ok "$ranks" run "${case[@]}" --quiet --overwrite
    [[ ${WABE_TEST_PEAK-} == no ]] || near "the peak of $* on $ranks ranks" "$peak" "$(value forecast/results.json peak_memory)" 0.1
    near "the state of $* on $ranks ranks" "$state" "$(value forecast/results.json memory)" 0.05
}

nothing=(--set output.fields=false)
for ranks in 1 2; do
    forecast "$ranks" case.cfg "[64, 64, 64]" "${nothing[@]}"
    forecast "$ranks" case.cfg "[96, 80, 64]" --set 'output.quantities="vorticity, wall_stress"'
done
forecast 1 case.cfg "[64, 64, 64]" --set output.precision='"f64"' --set output.compress=true
forecast 1 case.cfg "[64, 64, 64]" --set 'output.quantities="mean_velocity"' --set output.average.every=1
forecast 1 case.cfg "[128, 128, 112]" "${nothing[@]}" --set checkpoint.every=2
forecast 1 case.cfg "[64, 64, 64]" "${nothing[@]}" --set checkpoint.every=2 --set checkpoint.compress=true
# A plane of cells: a picture has all of them.
sed "/z_low/d; /z_high/d" case.cfg >flat.cfg
forecast 1 flat.cfg "[640, 640, 1]" --set 'output.picture="z"'

finish
