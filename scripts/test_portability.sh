#!/usr/bin/env bash
# scripts/test_portability.sh [ctest arguments]: builds Wabe for 64-bit Arm with Debian's cross compiler, compares the bits of
# short runs, which QEMU executes, with those of this machine's processor, and runs the unit tests, or those that
# the arguments select (-L conformance takes far longer). Needs Debian 12 on x86-64 and build/release/wabe (scripts/test.sh).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
install_packages "${packages[@]}" "${more_packages[@]}" gcc-aarch64-linux-gnu qemu-user-static
if [[ ! -x build/release/wabe ]]; then
    echo "There is no build/release/wabe to compare with: scripts/test.sh builds it" >&2
    exit 1
fi
folder=$PWD/build/aarch64
sysroot=$folder/sysroot
libraries=$sysroot/usr/lib/aarch64-linux-gnu

# The libraries for Arm are unpacked in a folder: installed, some would replace those of this machine.
fetch_libraries() {
    local apt=(apt-get -q -o APT::Architectures="amd64,arm64" -o Dir::State::lists="$folder/lists"
        -o Dir::Cache="$folder/cache" -o Dir::State::status="$folder/status" -o Debug::NoLocking=true) package
    mkdir -p "$folder"/{lists/partial,cache/archives/partial} "$sysroot"
    : >"$folder/status"
    "${apt[@]}" update
    "${apt[@]}" install -y --no-install-recommends --download-only libc6-dev:arm64 libgomp1:arm64 libgcc-12-dev:arm64 \
        libopenmpi-dev:arm64 libhdf5-openmpi-dev:arm64 libconfig-dev:arm64 libpng-dev:arm64 libcmocka-dev:arm64
    for package in "$folder"/cache/archives/*_{arm64,all}.deb; do dpkg -x "$package" "$sysroot"; done
    rm -rf "$folder"/{lists,cache,status}
    touch "$folder/fetched"
}
if [[ ! -e $folder/fetched ]]; then fetch_libraries; fi

build "$folder" all -S . -B "$folder" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" -DWABE_SYSROOT="$sysroot" \
    -DCMAKE_BUILD_TYPE=Release -DWABE_CUDA=OFF -DWABE_BUILD_TESTS=ON -DWABE_WERROR=ON

# For QEMU, and for Open MPI, which starts a single process alone.
export QEMU_LD_PREFIX=$sysroot OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1
export QEMU_SET_ENV="LD_LIBRARY_PATH=$libraries:$libraries/openmpi/lib,OPAL_PREFIX=$sysroot/usr,OPAL_LIBDIR=$libraries/openmpi/lib"

# hash_of COMMAND...: of the last state of a short run.
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
hash_of() {
    "$@" --quiet --set steps=20 --set output.fields=false --set output.picture=none --set output.directory="$results" >/dev/null
    grep -o '"state_hash": "[0-9a-f]*"' "$results/results.json"
}
failures=0
for case in "cavity.cfg --set domain.cells=[24,20,18]" "obstacle.cfg --set forces.begin=10" "tgv_re1600.cfg --set domain.cells=[16,16,16]"; do
    for storage in f64 f32 f16; do
        read -ra arguments <<<"run input/$case --set lbm.storage=$storage"
        here=$(hash_of build/release/wabe "${arguments[@]}")
        there=$(hash_of qemu-aarch64-static "$folder/wabe" "${arguments[@]}")
        echo "$case, $storage: $([[ $here == "$there" ]] && echo "the same bits" || echo "OTHER BITS: $here, $there")"
        [[ $here == "$there" ]] || failures=$((failures + 1))
    done
done
((failures == 0)) || exit 1
if (($# == 0)); then set -- -L unit; fi
exec ctest --no-tests=error --test-dir "$folder" --output-on-failure -j "$(nproc)" "$@"
