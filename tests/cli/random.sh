#!/usr/bin/env bash
# Random cases have the same results in all ways to compute them, and there are cases with every key of the input reference.
source "$2/tests/cli/common.bash"
if ! python3 -c 'import h5py' 2>/dev/null && ! /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    echo "skipped: Python has no h5py"
    exit 77
fi

# compare ARGUMENT...
compare() { python3 "$2/tests/random/compare.py" --jobs 2 --folder "$PWD/cases" "${@:3}" >table.txt 2>&1; }

cases=4
if full; then cases=8; fi
compare "$@" --wabe "$wabe" --seed 1 --cases $cases || fail "$(cat table.txt)"

# It sees wrong results: of processes that do not exchange anything.
cat >wrong <<WRONG
#!/usr/bin/env bash
if [[ \$1 == run ]]; then set -- "\$@" --set parallel.communication=none; fi
exec "$wabe" "\$@"
WRONG
chmod +x wrong
compare "$@" --wabe "$PWD/wrong" --seed 1 --cases 4 --application lbm --ways cut && fail "it takes wrong results for right ones"
grep -q '^DIFFERENT --seed 1 --case .*_cut: .* differs in' table.txt || fail "it does not say what is wrong: $(cat table.txt)"
finish
