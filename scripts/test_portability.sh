#!/usr/bin/env bash
# scripts/test_portability.sh [arm] [mpich] [clang] [-- CTEST_ARGUMENT...]: builds and tests Wabe with other tools than those of
# the README; without names, with all of them. Prints what passed, failed and was left out.
#
#   arm    cross-compiled for 64-bit Arm; QEMU executes it: the bits of short runs are those of this machine's processor;
#          unit tests
#   mpich  with MPICH in place of Open MPI: unit tests, and mpi tests of up to as many processes as there are cores (MPICH's
#          processes wait busily: more would take minutes)
#   clang  compiled by clang: the bits of short runs; unit and conformance tests
#
# CTEST_ARGUMENTs select other tests (-- -L conformance). Needs Debian 12 on x86-64 and build/release/wabe (scripts/test.sh).
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
parts=()
while (($#)) && [[ $1 != -- ]]; do
    case $1 in
    arm | mpich | clang) parts+=("$1") ;;
    --help) sed -n '2,/^[^#]/s/^# \{0,1\}//p' scripts/test_portability.sh && exit ;;
    *)
        echo "'$1' is neither arm, mpich nor clang" >&2
        exit 2
        ;;
    esac
    shift
done
if (($#)); then shift; fi
selection=("$@")
if ((${#parts[@]} == 0)); then parts=(arm mpich clang); fi

if [[ ! -x build/release/wabe ]]; then
    echo "There is no build/release/wabe to compare with: scripts/test.sh builds it" >&2
    exit 1
fi

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# build_with FOLDER OPTION...: without CUDA, with all tests.
build_with() {
    build "$1" all -S . -B "$1" -DCMAKE_BUILD_TYPE=Release -DWABE_CUDA=OFF -DWABE_BUILD_TESTS=ON -DWABE_WERROR=ON "${@:2}"
}

# run_tests FOLDER CTEST_ARGUMENT...: those selected on the command line, or else these.
run_tests() {
    local folder=$1
    shift
    if ((${#selection[@]})); then set -- "${selection[@]}"; fi
    ctest --no-tests=error --test-dir "$folder" --output-on-failure -j "$(nproc)" "$@"
}

# hash_of COMMAND...: of the last state of a short run.
hash_of() {
    "$@" --quiet --set steps=20 --set output.fields=false --set output.picture=none --set output.directory="$results" >/dev/null
    grep -o '"state_hash": "[0-9a-f]*"' "$results/results.json"
}

# same_bits COMMAND...: does this program have the bits of build/release/wabe?
same_bits() {
    local case storage here there failures=0
    for case in "cavity.cfg --set domain.cells=[24,20,18]" "obstacle.cfg --set forces.begin=10" \
        "tgv_re1600.cfg --set domain.cells=[16,16,16]" "heated_cavity.cfg --set domain.cells=[16,16,16]"; do
        for storage in f64 f32 f16; do
            read -ra arguments <<<"run input/$case --set lbm.storage=$storage"
            here=$(hash_of build/release/wabe "${arguments[@]}")
            there=$(hash_of "$@" "${arguments[@]}")
            echo "$case, $storage: $([[ $here == "$there" ]] && echo "the same bits" || echo "OTHER BITS: $here, $there")"
            [[ $here == "$there" ]] || failures=$((failures + 1))
        done
    done
    ((failures == 0))
}

# fetch_libraries FOLDER: for Arm, unpacked in a folder: installed, some would replace those of this machine.
fetch_libraries() {
    local folder=$1 sysroot=$1/sysroot package
    local apt=(apt-get -q -o APT::Architectures="amd64,arm64" -o Dir::State::lists="$folder/lists"
        -o Dir::Cache="$folder/cache" -o Dir::State::status="$folder/status" -o Debug::NoLocking=true)
    mkdir -p "$folder"/{lists/partial,cache/archives/partial} "$sysroot"
    : >"$folder/status"
    "${apt[@]}" update
    "${apt[@]}" install -y --no-install-recommends --download-only libc6-dev:arm64 libgomp1:arm64 libgcc-12-dev:arm64 \
        libopenmpi-dev:arm64 libhdf5-openmpi-dev:arm64 libconfig-dev:arm64 libpng-dev:arm64 libcairo2-dev:arm64 libcmocka-dev:arm64
    for package in "$folder"/cache/archives/*_{arm64,all}.deb; do dpkg -x "$package" "$sysroot"; done
    rm -rf "$folder"/{lists,cache,status}
    touch "$folder/fetched"
}

test_arm() {
    local folder=$PWD/build/aarch64 sysroot=$PWD/build/aarch64/sysroot
    local libraries=$sysroot/usr/lib/aarch64-linux-gnu
    install_packages "${packages[@]}" "${more_packages[@]}" gcc-aarch64-linux-gnu qemu-user-static
    if [[ ! -e $folder/fetched ]]; then fetch_libraries "$folder"; fi
    build_with "$folder" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64.cmake" -DWABE_SYSROOT="$sysroot"
    # For QEMU, and for Open MPI, which starts a single process alone.
    export QEMU_LD_PREFIX=$sysroot OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1
    export QEMU_SET_ENV="LD_LIBRARY_PATH=$libraries:$libraries/openmpi/lib,OPAL_PREFIX=$sysroot/usr,OPAL_LIBDIR=$libraries/openmpi/lib"
    same_bits qemu-aarch64-static "$folder/wabe"
    run_tests "$folder" -L unit
}

test_mpich() {
    local cores more
    cores=$(nproc)
    more=$(for count in 2 3 4 8; do if ((count > cores)); then printf '|%d' $count; fi; done)
    install_packages "${packages[@]}" "${more_packages[@]}" mpich libmpich-dev libhdf5-mpich-dev
    build_with build/mpich -DWABE_INSTRUCTION_SETS=avx2 -DMPI_C_COMPILER="$(command -v mpicc.mpich)" \
        -DMPIEXEC_EXECUTABLE="$(command -v mpiexec.mpich)" -DHDF5_C_COMPILER_EXECUTABLE="$(command -v h5pcc.mpich)"
    run_tests build/mpich -L 'unit|mpi' ${more:+-E "mpi\..*\.(${more#|})\$"}
}

test_clang() {
    install_packages "${packages[@]}" "${more_packages[@]}" clang libomp-dev
    build_with build/clang -DWABE_INSTRUCTION_SETS=avx2 -DCMAKE_C_COMPILER=clang
    same_bits build/clang/wabe
    run_tests build/clang -L 'unit|conformance'
}

# One part by itself ends with its first failure.
if ((${#parts[@]} == 1)); then
    "test_${parts[0]}"
    exit
fi
summary=()
for part in "${parts[@]}"; do
    echo "---- $part"
    if bash scripts/test_portability.sh "$part" -- "${selection[@]}"; then
        summary+=("$part: passed")
    else
        summary+=("$part: FAILED")
    fi
done
printf '%s\n' "---- summary" "${summary[@]}"
[[ "${summary[*]}" != *FAILED* ]]
