#!/usr/bin/env bash
# What must not happen to files: written through links, into a folder that is another's, missing without a word. Then the
# faults of scripts/faults.py in short: fewer kills, shorter runs.
source "$2/tests/cli/common.bash"
write_case
all=(--quiet --set output.profiles=true --set output.picture=y --set forces.every=10
    --set 'geometry.objects=({ shape="sphere"; center=[8.0, 6.0, 7.0]; radius=2.0; })'
    --set 'output.probes=({ name="a"; cell=[3, 2, 1]; })')
status_of() { value "$1/results.json" status; }

# ---- nothing is written through a symbolic link ----

# fails FILE CODE: it is named in the message, and its code is that of file errors.
fails() {
    if (($2 != 6)); then fail "code $2 instead of 6: $1"; fi
    grep -qF "$1" err.txt || fail "no message names $1"
}
files="run.log config.resolved.cfg monitor.csv forces.csv probe_a.csv results.json timing.json profiles.csv fields.hdf.series
    fields.xdmf fields_00000020.hdf velocity_00000020.png checkpoint_00000020.h5"
# plant FILE...: links to files of others, every second of which is not there.
plant() {
    local file there=1
    rm -rf others && mkdir others
    for file in "$@"; do
        if ((there ^= 1)); then echo precious >"others/$file"; fi
        ln -sf "$PWD/others/$file" "out/tiny/$file"
    done
    find others | sort >before.txt
}
unharmed() {
    find others | sort | cmp -s - before.txt || fail "files were made through links: $(ls others)"
    if grep -Lx precious others/* | grep -q .; then fail "files were written through links: $(grep -Lx precious others/*)"; fi
    if find out/tiny -type l -not -name '*.old' | grep -q .; then fail "links are left: $(ls -l out/tiny)"; fi
}
mkdir -p out/tiny
# shellcheck disable=SC2086
plant $files
rm out/tiny/results.json # which tells of an earlier run
ok 2 run case.cfg "${all[@]}" --set checkpoint.every=20
unharmed
# shellcheck disable=SC2086
plant $files
ok 1 run case.cfg "${all[@]}" --set checkpoint.every=20 --overwrite
unharmed
plant run.log monitor.csv forces.csv probe_a.csv results.json fields.hdf.series checkpoint_00000040.h5
ok 1 run case.cfg "${all[@]}" --set checkpoint.every=20 --set steps=40 --restart latest
unharmed
rm -rf out
mkdir -p out/real && ln -s real out/tiny # but the folder itself may be one
ok 1 run case.cfg "${all[@]}"
if [[ $(status_of out/real) != "done" || ! -L out/tiny ]]; then fail "a link to a folder is no folder"; fi
rm out/tiny && mkdir -p out/tiny/geometry && ln -s "$PWD/others/none" out/tiny/run.lock
start 2 run case.cfg
fails out/tiny/run.lock $code
for file in middle_x.png fields_00000000.hdf; do ln -s "$PWD/others/none" "out/tiny/geometry/$file"; done
ok 1 geometry case.cfg --quiet
if [[ -e others/none ]]; then fail "a lock or a picture was made through a link"; fi

# ---- what cannot be written at the end is an error ----

# A folder that has the file's name stands in for a disk that does not take it.
# lacks RANKS FILE ARGUMENT...
lacks() {
    rm -rf out && mkdir -p "out/tiny/$2"
    start "$1" run case.cfg "${all[@]}" --overwrite "${@:3}"
    fails "out/tiny/$2" $code
    if compgen -G 'out/tiny/*.part' >/dev/null; then fail "a part is left: $(ls out/tiny)"; fi
}
for file in config.resolved.cfg results.json monitor.csv forces.csv probe_a.csv timing.json fields.hdf.series; do lacks 1 $file; done
while read -r ranks file arguments; do
    # shellcheck disable=SC2086
    lacks "$ranks" "$file" $arguments
    if [[ $(status_of out/tiny) != failed || ! $(value out/tiny/results.json state_hash) ]]; then
        fail "results.json has no numbers of a run without $file"
    fi
    grep -q "\"message\": .*$file" out/tiny/results.json || fail "results.json does not say that there is no $file"
done <<'RUNS'
2 checkpoint_00000020.h5 --set checkpoint.every=20
1 checkpoint_00000020.h5 --set checkpoint.minutes=100
1 checkpoint_00000001.h5 --set steps=10000000 --set checkpoint.stop_after=1e-6
2 fields_00000020.hdf
1 velocity_00000020.png
1 profiles.csv
RUNS

# ---- a folder that is no longer the run's ----

# lose RANKS COMMAND: a run without an end, whose folder COMMAND takes away.
lose() {
    local process launcher=()
    if (($1 > 1)); then launcher=(mpirun -q --oversubscribe --bind-to none -np "$1"); fi
    rm -rf out
    timeout -k 5 300 "${launcher[@]}" "$wabe" run case.cfg --quiet --set steps=100000000 --set monitor.every=50 \
        --set output.fields=false >out.txt 2>err.txt </dev/null &
    process=$!
    for ((i = 0; i < 300; i++)); do
        if [[ -e out/tiny/results.json ]]; then break; fi
        sleep 0.1
    done
    eval "$2"
    wait $process
    code=$?
    if ((code != 6)); then fail "code $code instead of 6 on $1 ranks: $2"; fi
    if (($(grep -c "^wabe: out/tiny is no longer" err.txt) != 1)); then fail "no message: $2"; fi
}
lose 2 "rm out/tiny/run.lock"
if [[ $(status_of out/tiny) != running ]]; then fail "results.json is written without the lock"; fi
lose 1 "mv out/tiny out/other"
if [[ -e out/tiny ]]; then fail "a folder is made again: $(ls out/tiny)"; fi
lose 1 "rm -rf out/tiny"
if [[ -e out/tiny ]]; then fail "a folder is made again: $(ls out/tiny)"; fi
lose 2 "mv out/tiny out/other; mkdir out/tiny; echo mine >out/tiny/run.lock"
if [[ $(cd out/tiny && echo *) != run.lock || $(<out/tiny/run.lock) != mine ]]; then
    fail "a run writes into a folder that has replaced its own: $(ls out/tiny)"
fi
lose 1 "rm out/tiny/run.lock; TMPDIR=\$(mktemp -d -p '$TMPDIR') '$wabe' run case.cfg --quiet >/dev/null"
if [[ $(status_of out/tiny) != "done" || $(status_of out/tiny.1) != running ]]; then
    fail "two runs in one folder: $(ls out out/tiny)"
fi
rm -rf out

kills=1
if full; then kills=2; fi
python3 "$2/scripts/faults.py" --wabe "$wabe" --kills $kills --steps $((kills * 3000)) --seed 1 >table.txt 2>&1 || fail "$(cat table.txt)"
finish
