#!/usr/bin/env bash
# What cmake --install and cpack make of this build: moved elsewhere it runs, programs build with its library, the
# manual and the completion know all that wabe --help says, and the Debian packages hold it all.
source "$2/tests/cli/common.bash"
build=$(realpath "$(dirname "$wabe")")
sources=$(realpath "$2")

# cached NAME: a setting of the build.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
if [[ $(cached WABE_SANITIZE) =~ address|thread|fuzzer ]]; then exit 77; fi # programs would have to be sanitized as the library is
CC=$(cached CMAKE_C_COMPILER) && export CC

# try COMMAND...: its output into out.txt and err.txt; it must succeed.
try() { "$@" >out.txt 2>err.txt </dev/null || fail "$*"; }

try cmake --install "$build" --prefix "$PWD/first"
mv first moved
prefix=$PWD/moved
share=$prefix/share
installed=$prefix/bin/wabe
library=$(find "$prefix" -name libwabe.a)

# ---- it runs wherever it is, and knows no place ----

for text in "$wabe" "$installed"; do
    try "$text" --version
    mv out.txt "version_of_$(basename "$(dirname "$text")")"
done
cmp "version_of_$(basename "$build")" version_of_bin || fail "wabe --version is another one when installed"
for text in '^wabe [0-9.]+ \([^,]+, [A-Za-z]+ [0-9.]+' '; HDF5 [0-9.]+; (CUDA [0-9.]+|built without CUDA)$'; do
    grep -qE "$text" version_of_bin || fail "wabe --version does not say $text"
done

strip --strip-debug "$installed" "$library" # where lines of the source stand is for debuggers alone
for folder in "$sources" "$build" "$PWD/first"; do
    # Not as the end of another path, such as /usr/share/wabe of /wabe.
    if LC_ALL=C grep -rlaP "(?<![\w.}-])\Q$folder/\E" moved >out.txt; then fail "files know $folder"; fi
done

wabe=$installed
try "$share/wabe/scripts/make_voxel_image.py" out/voxels/grains.raw # as voxel_image.cfg says
try diff -r "$sources/input" "$share/wabe/input"
ok 1 check "$share/wabe/input/voxel_image.cfg"
ok 1 run "$share/wabe/input/cavity.cfg" --quiet --set steps=2 --set output.fields=false
ok 1 predict "$share/wabe/input/cavity.cfg" --machine "$share/wabe/input/machines/tsubame2.cfg"
for python in python3 /usr/bin/python3; do # the module that runs it finds it
    if "$python" -c 'import numpy' 2>/dev/null; then
        (cd "$share/wabe/python" && "$python" -Bc 'import wabe; print(wabe.program())') >out.txt 2>err.txt
        [[ $(<out.txt) -ef $installed ]] || fail "the Python package runs another program when installed"
        break
    fi
done

# ---- programs that use the library ----

# Folders with spaces are no problem for CMake; for pkg-config they are.
mv moved "moved again"
try cmake -S "moved again/share/doc/wabe/examples" -B with_cmake -DCMAKE_PREFIX_PATH="$PWD/moved again"
try cmake --build with_cmake
mv "moved again" moved
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
mapfile -t flags < <(pkg-config --cflags --libs --static wabe | xargs -n 1)
try "$CC" "$share/doc/wabe/examples/main.c" "${flags[@]}" -o cavity

# Headers are complete, and in each other's way nowhere.
(cd "$prefix/include/wabe" && find . -name '*.h' -not -path './sweeps/cell/*' -printf '#include "%P"\n') | sort >all.c
try "$CC" -fsyntax-only -Wall -Werror "${flags[@]}" all.c

# cavity RANKS PROGRAM: what the example prints.
cavity() { mpirun -q --oversubscribe --bind-to none -np "$1" "$2" 2>err.txt </dev/null || fail "$2 on $1 ranks"; }
cavity 1 with_cmake/cavity >one
cavity 2 with_cmake/cavity >two
cavity 1 ./cavity >by_pkg_config
cp one out.txt
cmp one two || fail "one rank and two differ"
cmp one by_pkg_config || fail "what CMake and pkg-config have built differs"
# Walls keep the mass; the lid, at 0.05, drags what is beside it.
awk '$1 == "mass" && $3 == "largest_velocity" && $4 > 0.02 && $4 < 0.05 {
        right = $2 > 32768 - 1e-9 && $2 < 32768 + 1e-9 }
     END { exit !right }' one || fail "no flow in a cavity"

# ---- manual and completion ----

manual=$share/man/man1/wabe.1
if command -v groff >/dev/null; then
    try groff -man -ww -z "$manual"
    if [[ -s err.txt ]]; then fail "warnings of the manual"; fi
fi
sed 's/\\-/-/g' "$manual" >manual.txt

source "$share/bash-completion/completions/wabe"
# completes TEXT WORD...: TEXT is among what completes the last WORD.
completes() {
    local text=$1
    shift
    COMP_WORDS=("$installed" "$@") COMP_CWORD=$#
    _wabe
    grep -qxF -e "$text" < <(printf '%s\n' "${COMPREPLY[@]}") || fail "no completion '$text' of: wabe $*"
}

ok 1 --help
cp out.txt help
for option in --help --version; do completes "$option" --; done
while read -r _ command _; do
    grep -qxF ".B $command" manual.txt || fail "the manual has no command $command"
    completes "$command" ""
    ok 1 "$command" --help
    says "Example: "
    for option in $(sed -n 's/^  \(--[a-z-]*\) .*/\1/p' out.txt); do
        grep -qE "^\.B[IR]? $option( |$|\\\\~)" manual.txt || fail "the manual has no $option"
        completes "$option" "$command" --
    done
done < <(grep '^  wabe ' help)
(($(grep -c '^  wabe ' help) > 5)) || fail "wabe --help has no commands"
sed -n 's/^Exit codes: //p' help | tr ',' '\n' | sed 's/^ *//' >codes
(($(wc -l <codes) == 7)) || fail "wabe --help has no exit codes"
while read -r code meaning; do
    grep -A 1 -xF ".B $code" manual.txt | grep -q "^$meaning" || fail "the manual has no exit code $code $meaning"
done <codes

mkdir cases
touch cases/a.cfg cases/a.txt
completes cases run ca
completes cases/a.cfg run cases/
if [[ ${COMPREPLY[*]} != cases/a.cfg ]]; then fail "completes ${COMPREPLY[*]}"; fi
completes latest run cases/a.cfg --restart ""
completes cases/a.cfg predict cases/a.cfg --machine cases/
completes gpu calibrate --only g
completes steps= run cases/a.cfg --set st
completes lbm.tau= run cases/a.cfg --set lbm.
completes boundaries.z_high.kind= run cases/a.cfg --set boundaries.z
if [[ " ${COMPREPLY[*]} " == *FACE* ]]; then fail "completes FACE"; fi
completes diffusion.storage= check cases/a.cfg --set ""
if [[ " ${COMPREPLY[*]} " == *" network.latency= "* ]]; then fail "completes keys of machine files"; fi

# ---- Debian packages ----

if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
    # As if the generator were Ninja: cpack would have make look for changes first, and this build is to stay as it is.
    try cpack --config "$build/CPackConfig.cmake" -B packages -D CPACK_CMAKE_GENERATOR=Ninja
    for package in packages/wabe_*.deb packages/wabe-dev_*.deb; do try dpkg-deb -x "$package" root; done
    for file in bin/wabe share/man/man1/wabe.1 share/bash-completion/completions/wabe share/doc/wabe/copyright \
        share/doc/wabe-dev/copyright share/wabe/input/cavity.cfg lib/libwabe.a include/wabe/apps/lbm/simulation.h \
        lib/cmake/wabe/wabe-config.cmake lib/pkgconfig/wabe.pc; do
        find root/usr -path "root/usr/${file/lib\//lib*/}" | grep -q . || fail "no package has $file"
    done
    try dpkg-deb -f packages/wabe_*.deb Section Maintainer Depends
    says "Section: science" "The Wabe developers" libc6 hdf5 openmpi-bin
    wabe=root/usr/bin/wabe
    ok 1 --version
    cmp out.txt version_of_bin || fail "wabe --version is another one in the package"
    ok 2 run root/usr/share/wabe/input/cavity.cfg --quiet --set steps=2 --set output.fields=false
fi

# ---- a build where there is no cmocka ----

mkdir packages_without
cp "$(pkg-config --variable=pcfiledir libconfig)/libconfig.pc" packages_without
export PKG_CONFIG_LIBDIR=$PWD/packages_without
unset PKG_CONFIG_PATH
try cmake -S "$sources" -B without_tests -DWABE_CUDA=OFF
says cmocka
if (cd without_tests && ctest -N) | grep -q 'Test *#'; then fail "tests that cannot be built"; fi
if cmake -S "$sources" -B asked_for -DWABE_CUDA=OFF -DWABE_BUILD_TESTS=ON >out.txt 2>err.txt; then
    fail "configured without cmocka though tests were asked for"
fi
says libcmocka-dev

finish
