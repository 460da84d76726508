#!/usr/bin/env bash
# Measures Wabe on the GPUs of this host: scripts/bench_gpu.sh --help. Builds it first if necessary.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The Python that Debian's packages (numpy, matplotlib) are for, if installed.
python=python3
if [[ -x /usr/bin/python3 ]]; then python=/usr/bin/python3; fi

wants_program() {
    local argument
    for argument in "$@"; do
        case $argument in --wabe | --wabe=* | --plot | -h | --help) return 1 ;; esac
    done
}

if wants_program "$@" && [[ ! -x $root/build/release/wabe || -e $root/build/release/for_tests ]]; then
    cd "$root"
    source scripts/setup.sh
    mapfile -t settings < <(for_runs)
    build build/release wabe --preset release "${settings[@]}"
    cd - >/dev/null
fi
exec "$python" "$root/scripts/bench_gpu.py" "$@"
