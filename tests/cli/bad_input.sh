#!/usr/bin/env bash
# Bad input ends the program before the first time step, on all ranks, with one message and the
# right exit code; doubtful input is warned of; a run that diverges says where, and leaves results.
source "$2/tests/cli/common.bash"
write_case

# ---- the file ----

edit 's/reynolds/reynods/'
refuse 2 run bad.cfg -- "bad.cfg:5: " "unknown key 'lbm.reynods'" "'lbm.reynolds'" \
    "5 |     reynods = 20.0;"
edit 's/steps = 20/steps = "many"/'
refuse 2 run bad.cfg -- "bad.cfg:2: 'steps'" "integer" '2 | steps = "many";'
edit 's/velocity = 0.1;/velocity = 3;/'
refuse 2 run bad.cfg -- "bad.cfg:6: 'lbm.velocity' must be at most 1, is 3" "6 |     velocity = 3;"
edit 's/16, 12, 14/16, 0, 14/'
refuse 2 run bad.cfg -- "bad.cfg:3: 'domain.cells" "at least 1" "3 | domain"
edit 's/velocity = 0.1;/velocity = 0.1; reynolds = 30.0;/'
refuse 2 run bad.cfg -- "bad.cfg:6: " "'reynolds'" "line 5" "6 |     velocity"
edit '/steps/d'
refuse 2 run bad.cfg -- "'steps' is missing" "end_time"
edit 's/steps = 20;/steps = 20/; s/lbm = {/lbm = /'
refuse 2 run bad.cfg -- "bad.cfg:5: " "5 |     reynolds"
refuse 2 run none.cfg -- "none.cfg" "No such file"
refuse 2 run . -- "cannot be read" "Is a directory"
refuse 2 run /dev/zero -- "cannot be read" "more than 64 MiB"
printf '\177ELF\002\001\001\000\000\000junk' >bad.cfg
refuse 2 run bad.cfg -- "bad.cfg: not a text file"
printf '\377\376\001\002 = \200' >bad.cfg
refuse 2 run bad.cfg -- "bad.cfg:1: " "0xFF"
edit 's/"tiny"/"no\/good"/'
refuse 2 run bad.cfg -- "bad.cfg:1: 'name'" 'plain name' '1 | name = "no/good";'
edit '1i application = "chess";'
refuse 2 run bad.cfg -- "bad.cfg:1: 'application'" "'chess' is not an application" "lbm"
refuse 2 check case.cfg --set application= -- "'application'" "lbm"

# ---- characters ----

# What is shown of bytes that are not UTF-8, and of control characters, is "\xNN".
shows_plain() { if cat out.txt err.txt | LC_ALL=C grep -q $'[^ -~\t]'; then fail "raw bytes on the terminal: $*"; fi; }
for bytes in $'caf\xe9' $'\e[31m' $'\xc2\x9b31m' $'\x7f' '\x1b' '\n'; do
    printf 'name = "%s";\n' "$bytes" >bad.cfg
    sed 1d case.cfg >>bad.cfg
    refuse 2 run bad.cfg -- "bad.cfg:1: 'name'" "\\x"
    shows_plain name "$bytes"
done
printf 'name = "a"; # caf\xe9\n' >bad.cfg # comments are nobody's business
sed 1d case.cfg >>bad.cfg
ok 1 check bad.cfg
refuse 2 run case.cfg --set $'name=caf\xe9' -- "--set name=caf\\xe9: 'name'"
shows_plain an override
refuse 2 run case.cfg --set $'output.directory="\xff"' -- "'output.directory'"
refuse 2 run case.cfg --set $'n\eame=1' -- "n\\x1bame"
shows_plain a key of an override
refuse 2 run $'\e[31m.cfg' -- "\\x1b[31m.cfg: cannot be read"
shows_plain a file
refuse 2 run case.cfg $'--\xff' -- "unknown option '--\\xff'"
shows_plain an option
printf 'name = "ma\xe9";' >other.cfg
refuse 2 run case.cfg --machine other.cfg -- "other.cfg:1: 'name'"
shows_plain a machine file

# ---- files that are none ----

# Nobody writes into it: who opens it waits, and is ended by timeout.
mkfifo fifo
refuse 6 check case.cfg --set geometry.spheres.file=fifo -- "--set geometry.spheres.file=fifo: " "fifo: cannot be read"
refuse 6 check case.cfg --set geometry.spheres.file=/dev/zero -- "/dev/zero: cannot be read"
for format in raw hdf5; do
    refuse 6 check case.cfg --set geometry.voxels.file=fifo --set geometry.voxels.format=$format -- "fifo: cannot be read"
done
printf 'application = "diffusion"; steps = 1; domain = { cells = [4, 4, 4]; }; diffusion = { diffusivity = 1.0; };' >diffusion.cfg
refuse 6 check diffusion.cfg --set initial.kind=file --set initial.file=fifo -- "'initial.file'" "fifo: cannot be read"
refuse 6 check diffusion.cfg --set diffusion.map.file=fifo -- "'diffusion.map.file'" "fifo: cannot be read"
refuse 2 run case.cfg --machine fifo -- "fifo: cannot be read"
refuse 6 run case.cfg --restart fifo -- "fifo: cannot be read"
refuse 6 run case.cfg --restart /dev/zero -- "/dev/zero: cannot be read"
# An input may come out of a pipe, but not without end.
ok 1 check <(cat case.cfg)
start 1 check <(yes)
((code == 2)) || fail "code $code of an input without end"

# ---- what contradicts itself ----

edit 's/kind = "no_slip"; };/kind = "no_slip"; velocity = [0.1, 0.0, 0.0]; };/;'
refuse 2 check bad.cfg -- "bad.cfg:9: 'boundaries.x_low.velocity'" "no_slip"
edit 's/z_high = { kind = "moving_wall"/z_high = { kind = "moving_wall"; density = 1.01/'
refuse 2 run bad.cfg -- "bad.cfg:14: 'boundaries.z_high.density'" "moving_wall"

# with_object KEY...: an object with these keys is in bad.cfg:16.
with_object() { edit "\$a geometry = { objects = ( { $* } ); };"; }
ball='shape = "sphere"; center = [8, 6, 7]; radius = 3;'
with_object "$ball velocity = [0.1, 0.0, 0.0];"
refuse 2 check bad.cfg -- "bad.cfg:16: 'geometry.objects[0].velocity' is not used: geometry.objects[0].kind is \"no_slip\""
for kind in velocity moving_wall; do
    with_object "$ball kind = \"$kind\";"
    refuse 2 check bad.cfg -- "bad.cfg:16: 'geometry.objects[0].kind' is \"$kind\"" "needs geometry.objects[0].velocity"
    edit "s/x_low  = { kind = \"no_slip\"; };/x_low = { kind = \"$kind\"; };/"
    refuse 2 check bad.cfg -- "bad.cfg:9: 'boundaries.x_low.kind' is \"$kind\"" "needs boundaries.x_low.velocity: it is missing"
    ok 1 check bad.cfg --set 'boundaries.x_low.velocity=[0, 0, 0]'
done
edit '$a initial = { kind = "uniform"; };'
refuse 2 check bad.cfg -- "bad.cfg:16: 'initial.kind' is \"uniform\", which needs initial.velocity: it is missing"
edit '$a initial = { velocity = [0.1, 0.0, 0.0]; };'
refuse 2 check bad.cfg -- "bad.cfg:16: 'initial.velocity' is not used: initial.kind is \"rest\""
refuse 2 check case.cfg --set lbm.collision=srt --set lbm.magic=0.25 -- "'lbm.magic' is not used: lbm.collision is \"srt\""
refuse 2 check case.cfg --set lbm.les.model=smagorinsky --set lbm.magic=0.25 -- "'lbm.magic'" "\"recursive_regularized\""
refuse 2 check case.cfg --set lbm.les.model=smagorinsky --set lbm.collision=trt -- "'lbm.collision'" "recursive_regularized"
refuse 2 check case.cfg --set lbm.les.constant=0.2 -- "'lbm.les.constant' is not used: lbm.les.model is \"none\""
refuse 2 check case.cfg --set lbm.les.model=smagorinsky --set lbm.les.constant=0.6 -- "lbm.les.constant" "0.5"
refuse 2 check case.cfg --set lbm.bulk=one -- "'lbm.bulk'" "\"trt\"" "recursive_regularized"
refuse 2 check case.cfg --set lbm.correction=true -- "'lbm.correction'" "\"trt\"" "recursive_regularized"
refuse 2 check case.cfg --set lbm.les.model=smagorinsky --set lbm.collision=srt --set lbm.bulk=one -- "'lbm.bulk'" "recursive_regularized"
refuse 2 check case.cfg --set lbm.collision=recursive_regularized --set lbm.bulk=two -- "'lbm.bulk'" "shear" "one"
refuse 2 check case.cfg --set lbm.collision=srt_smagorinsky -- "'lbm.les.model'" "smagorinsky"
refuse 2 check case.cfg --set lbm.lattice=d3q15 -- "'lbm.lattice'" "d3q19" "d3q27"
refuse 2 check case.cfg --set lbm.lattice=d3q27 --set lbm.streaming=list -- "'lbm.lattice'" "pull, in_place, moments"
refuse 2 check case.cfg --set lbm.lattice=d3q27 --set lbm.collision=recursive_regularized -- "'lbm.lattice'" "srt, trt"
refuse 2 check case.cfg --set lbm.lattice=d3q27 --set lbm.les.model=smagorinsky -- "'lbm.streaming'" "moments"
ok 1 check case.cfg --set lbm.les.model=smagorinsky
says "recursive_regularized"
says "bulk viscosity 1/9"
ok 1 check case.cfg --set lbm.les.model=smagorinsky --set lbm.collision=srt
says "D3Q19 srt_smagorinsky"
with_object "$ball low = [1, 1, 1];"
refuse 2 check bad.cfg -- "bad.cfg:16: 'geometry.objects[0].low' is not used: geometry.objects[0].shape is \"sphere\""
with_object 'shape = "box"; high = [4, 4, 4]; radius = 2;'
refuse 2 check bad.cfg -- "bad.cfg:16: 'geometry.objects[0].radius' is not used: geometry.objects[0].shape is \"box\""

edit 's/reynolds = 20.0/tau = 0.5/'
refuse 2 run bad.cfg -- "bad.cfg:5: 'lbm.tau'" "above 1/2" "5 |     tau = 0.5;"
edit 's/reynolds = 20.0/viscosity = -0.1/'
refuse 2 check bad.cfg -- "bad.cfg:5: 'lbm.viscosity'" "above 1/2"
edit 's/reynolds = 20.0;/reynolds = 20.0; tau = 0.6;/'
refuse 2 run bad.cfg -- "bad.cfg:5: 'lbm.reynolds' contradicts lbm.tau"
edit '/reynolds/d'
refuse 2 run bad.cfg -- "the viscosity is missing" "lbm.tau"
edit '$a units = { cell = 0.001; velocity = 1.0; viscosity = 1e-6; };'
refuse 2 run bad.cfg -- "bad.cfg:16: 'units.viscosity' contradicts lbm.reynolds"
edit '$a units = { cell = 0.001; };'
refuse 2 run bad.cfg -- "'units.velocity' missing" "units.cell, units.velocity and units.viscosity"
edit '/velocity = 0.1;/d; s/velocity = \[0.1/velocity = [0.0/'
refuse 2 run bad.cfg -- "bad.cfg:5: 'lbm.reynolds' needs a velocity"
edit 's/x_high = { kind = "no_slip"; };//'
refuse 2 run bad.cfg -- "bad.cfg:9: 'boundaries.x_low.kind'" "boundaries.x_high.kind is not given" "9 |     x_low"
edit 's/x_high = { kind = "no_slip"/x_high = { kind = "periodic"/'
refuse 2 run bad.cfg -- "bad.cfg:9: 'boundaries.x_low.kind'" "boundaries.x_high.kind is periodic"
edit 's/\[0.1, 0.0, 0.0\]/[0.1, 0.0, 0.1]/'
refuse 2 run bad.cfg -- "bad.cfg:14: 'boundaries.z_high.velocity'" "moving wall" "14 |     z_high"
edit '$a geometry = { objects = ( { shape = "box"; high = [99, 99, 99]; } ); };'
for command in check run; do
    refuse 2 $command bad.cfg -- "bad.cfg:16: 'geometry.objects' leaves no cell" "16 | geometry"
done
echo "8, 6, 7, 99" >full.csv
edit '$a geometry = { spheres = { file = "full.csv"; }; };'
refuse 2 check bad.cfg -- "bad.cfg:16: 'geometry' leaves no cell" "16 | geometry"

edit '$a geometry = { objects = ( { shape = "sphere"; center = [8, 6, 7]; } ); };'
refuse 2 run bad.cfg -- "bad.cfg:16: 'geometry.objects[0].shape'" "a radius above 0" "16 | geometry"
edit '$a geometry = { objects = ( { shape = "sphere"; radius = 3; } ); };'
refuse 2 run bad.cfg -- "bad.cfg:16: 'geometry.objects[0].shape'" "a sphere needs its center"

edit 's/z_low  = .*/z_low = { kind = "wall_function"; };/'
refuse 2 check bad.cfg -- "bad.cfg:13: 'boundaries.z_low.kind'" "lbm.les.model" "13 |     z_low"
les='lbm.les.model="smagorinsky"'
refuse 2 check bad.cfg --set "$les" --set 'lbm.collision="srt"' -- "bad.cfg:13: 'boundaries.z_low.kind'" "lbm.collision"
refuse 2 check bad.cfg --set "$les" --set 'lbm.streaming="list"' -- "bad.cfg:13: 'boundaries.z_low.kind'" "in_place"
refuse 2 check bad.cfg --set "$les" --set 'domain.cells=[16, 12, 5]' -- "'boundaries.z_low.kind'" "6 cells along z"
refuse 2 check bad.cfg --set "$les" --set 'boundaries.z_low.roughness=0.6' -- "'boundaries.z_low.roughness' must be at most"
refuse 2 check bad.cfg --set "$les" --set 'boundaries.z_high.roughness=0.1' -- "'boundaries.z_high.roughness' is not used"
refuse 2 check bad.cfg --set "$les" --set lbm.reynolds=5 -- "'lbm.reynolds'" "boundaries.z_low.kind" "relaxation time"
ok 1 check bad.cfg --set "$les" --set 'boundaries.z_low.roughness=0.1'
box='shape = "box"; high = [3, 3, 3];'
edit "\$a geometry = { objects = ( { $box kind = \"wall_function\"; },\n { $box low = [1, 1, 1]; } ); };"
refuse 2 check bad.cfg -- "bad.cfg:16: 'geometry.objects[0].kind'" "lbm.les.model"
refuse 2 check bad.cfg --set "$les" --set lbm.streaming=list -- "bad.cfg:16: 'geometry.objects[0].kind'" "in_place"
refuse 2 check bad.cfg --set "$les" --set lbm.streaming=moments -- "bad.cfg:16: 'geometry.objects[0].kind'" "in_place"
refuse 2 check bad.cfg --set "$les" --set lbm.reynolds=5 -- "'lbm.reynolds'" "geometry.objects[0].kind" "relaxation time"
refuse 2 check bad.cfg --set "$les" --set 'geometry.objects[1].roughness=0.1' -- "'geometry.objects[1].roughness' is not used"
refuse 2 check bad.cfg --set "$les" --set 'geometry.objects[1].roughness=0.1' --set 'geometry.objects[1].kind=wall_function' -- \
    "'geometry.objects[1].roughness' must be the same"
refuse 2 check bad.cfg --set "$les" --set 'forces={every=10; bodies=({name="a"; of="geometry.objects[0]";});}' -- "is of kind wall_function"
edit '$a geometry = { objects = ( { shape = "box"; low = [0, 0, 0]; high = [3, 3, 3]; kind = "free_slip"; } ); };'
refuse 2 check bad.cfg -- "bad.cfg:16: 'geometry.objects[0].kind' must be one of"

# ---- what does not fit the machine ----

refuse 2 run case.cfg --set 'parallel.processes=[2, 2, 2]' -- \
    "--set parallel.processes=[2, 2, 2]: 'parallel.processes'" "[2, 2, 2]"
edit '$a parallel = { processes = [1, 1, 4]; };'
arguments=(run bad.cfg --set 'domain.cells=[16, 12, 3]')
refuse_on 4 2 "bad.cfg:16: 'parallel.processes'" "16 x 12 x 3 cells"
refuse 2 run case.cfg --set 'parallel.processes=[1, 1, 7]' -- "'parallel.processes'"
edit 's/16, 12, 14/1000000, 100000, 2/'
refuse 4 run bad.cfg -- "bad.cfg:3: 'domain.cells'" "of this node need" " GB are available" \
    "million cells would fit" "3 | domain"
# 1e18 cells: the bytes of the fields do not fit into 64 bits.
refuse 4 run case.cfg --set 'domain.cells=[1000000, 1000000, 1000000]' -- "cells would fit"
edit 's/reynolds/kernel = "nonsense"; reynolds/'
set=$("$wabe" kernels | sed -n 's/^stream_collide\.srt\.d3q19\.pull\.f64\.\([^ ]*\).*/\1/p' | head -n 1)
refuse 2 run bad.cfg -- "bad.cfg:5: 'lbm.kernel'" "no kernel for stream_collide" \
    "containing nonsense" "not the kernel that the input asks for (such as stream_collide.trt.d3q19" \
    "another collision operator (such as stream_collide.srt.d3q19.pull.f64.$set)" '5 |     kernel = "non'
refuse 2 check bad.cfg -- "bad.cfg:5: 'lbm.kernel'"

# ---- what the components of a node cannot do ----

edit '$a node = { components = ( { kind = "cpu"; cores = "0"; },\n    { kind = "cpu"; cores = "0"; } ); };'
refuse 2 run bad.cfg -- "bad.cfg:17: 'node.components[1].cores' gives core 0 out twice" \
    '17 |     { kind = "cpu"; cores = "0"; }'
edit '$a node = { components = ( { kind = "cpu"; cores = "0-"; } ); };'
arguments=(check bad.cfg)
refuse_on 1 2 "bad.cfg:16: 'node.components[0].cores'" 'that is none: "0-"'
edit '$a node = { components = ( { kind = "cpu"; threads = 1; } ); };'
arguments=(run bad.cfg)
refuse_on 3 2 "bad.cfg:16: 'node.components' lists 1 component, but 3 processes run"

# unused ELEMENT WORD...: a key of a component that nothing would read.
unused() {
    edit "\$a node = { emulated_gpus = 1; components = (\\n    { $1 } ); };"
    refuse 2 check bad.cfg -- 'bad.cfg:17: ' "${@:2}"
}
unused 'kind = "cpu"; device = 1;' "'node.components[0].device' is for GPUs"
unused 'kind = "gpu"; rate_limit = 1.0;' "unknown key 'node.components[0].rate_limit'"
unused 'kind = "gpu"; threads = 2;' "'node.components[0].threads' is for CPUs"
unused 'kind = "gpu"; cores = "0";' "'node.components[0].cores' is for CPUs"
unused 'kind = "cpu"; planes = 4;' 'needs parallel.balance = "explicit"'

emulated=(case.cfg --set node.emulated_gpus=2)
arguments=(run "${emulated[@]}" --set 'node.components=({kind="gpu"; device=2;})')
refuse_on 1 2 "asks for GPU 2, but there are GPUs 0 to 1 alone"
arguments=(run "${emulated[@]}" --set parallel.mode=hybrid)
refuse_on 3 2 "'parallel.mode' needs a GPU for each process, but 3 processes run on a node with 2"
arguments+=(--set parallel.transport=cuda_aware)
for ranks in 1 2; do
    refuse_on "$ranks" 2 'the transport "cuda_aware" does not work between slabs' \
        "this MPI takes no buffers on GPUs"
done

# with_planes PLANES PLANES: two GPUs, and how the domain's 14 planes are shared out.
with_planes() {
    arguments=(run "${emulated[@]}" --set parallel.mode=hybrid --set "parallel.balance=explicit" --set "parallel.processes=[0,0,1]"
        --set "node.components=({kind=\"gpu\"; planes=$1;}, {kind=\"gpu\"; device=1; planes=$2;})")
}
with_planes 6 7
refuse_on 1 2 "add up to 13, but its block has 14 along z"
with_planes 14 0
refuse_on 1 2 "needs planes for each component; gpu1 has none"
refuse_on 2 2 "gpu1 has none"
arguments=(run "${emulated[@]}" --set parallel.mode=hybrid --set 'domain.cells=[16, 12, 1]')
refuse_on 1 2 "1 planes along z are too few for 2 components"

# An emulated GPU has 1 GiB.
refuse 4 run "${emulated[@]}" --set parallel.mode=pure-mpi --set parallel.residency=resident --set 'domain.cells=[400, 400, 400]' -- \
    "'domain.cells'" "gpu0 (emulated GPU) needs" " 1.1 GB are available" "million cells would fit"

# ---- where results cannot go ----

echo "a file" >plain
refuse 6 run case.cfg --set output.directory=plain/below -- "plain" "Not a directory"
refuse 6 run case.cfg --set output.directory=plain -- "plain" "Not a directory"
if ((EUID != 0)); then
    mkdir -p locked && chmod a-w locked
    refuse 6 run case.cfg --set output.directory=locked -- "locked" "Permission denied"
fi
long=$(printf 'x%.0s' {1..210})
refuse 6 run case.cfg --set "output.directory=made/$long" -- "too long"
refuse 6 run case.cfg --set "output.directory=made/$long" --set output.fields=false -- "too long"
if [[ -e made ]]; then fail "it has made a folder of a path that is too long"; fi
refuse 2 run case.cfg --set "output.directory=$long$long" -- "at most 255 bytes"
ok 1 run case.cfg --quiet --set "output.directory=${long:0:198}" # the longest

(
    failures=0
    ulimit -f 20000 # KiB a file: more than MPI needs, less than a file of fields
    refuse 6 run case.cfg --set output.directory=limited --set 'domain.cells=[128, 128, 128]' \
        --set steps=1 -- "limited/fields_00000001.hdf" "File too large"
    exit "$failures"
) || fail "where a file may not grow"
grep -q "^wabe: .*limited/fields_00000001.hdf.*File too large" limited/run.log || fail "run.log has not the error"
# With 64 kB a step finds no room for its fields, with no byte left nothing does.
mkdir -p full
if mount -t tmpfs -o size=64k wabe-test full 2>/dev/null; then
    trap 'umount full; at_exit' EXIT
    refuse 6 run case.cfg --set output.directory=full/run --set output.every=10 \
        --set 'domain.cells=[32, 32, 32]' -- "full/run/fields_00000000.hdf" "No space left"
    if [[ $(value full/run/results.json status) != failed ]]; then fail "status without room"; fi
    head -c 100000 /dev/zero >full/ballast 2>/dev/null
    refuse 6 run case.cfg --set output.directory=full/run -- "full/run" "No space left"
else
    echo "note: no tmpfs can be mounted here; a full disk is not tested"
fi

# A limit on addresses: the run needs less than the measurement of the memory's bandwidth, which does with what there
# is. MPI and HDF5 take most of it, how much depends on their versions: from the least with which a run works.
least=0
for ((room = 250000; room < 700000 && least == 0; room += 10000)); do
    (
        ulimit -v "$room"
        start 1 run case.cfg --quiet --set output.directory=little --set output.fields=false
        exit "$code"
    ) && least=$room
done
if ((least)); then
    is_json little/results.json
    (
        failures=0
        ulimit -v $((least + 10000))
        ok 1 run case.cfg --set output.directory=little --set output.fields=false --set steps=7500
        says "warning: " "bandwidth"
        exit "$failures"
    ) || failures=$((failures + 1))
else
    echo "note: nothing runs here with less than 700 MB of addresses; a measurement without memory is not tested"
fi

# ---- the command line ----

refuse 2 -- "a command is missing"
refuse 2 frobnicate -- "unknown command 'frobnicate'" "wabe --help"
start 1 frobnicate
if (($(cat out.txt err.txt | wc -l) != 1)); then fail "more than the error of an unknown command"; fi
if grep -q "did you mean" err.txt; then fail "a command as far as this was not meant"; fi
refuse 2 rnu -- "unknown command 'rnu'" "did you mean 'run'"
refuse 2 check case.cfg --quite -- "unknown option '--quite'" "did you mean '--quiet'"
refuse 2 run -- "wabe run FILE"
refuse 2 run case.cfg --loud -- "unknown option '--loud'"
refuse 2 run case.cfg case.cfg -- "not both 'case.cfg' and 'case.cfg'"
refuse 2 run case.cfg --set -- "--set needs path=value"
refuse 2 run case.cfg --set steps -- "--set steps: expected path=value"
refuse 2 run case.cfg --set lbm.tua=1 -- "--set lbm.tua=1: unknown key 'lbm.tua'" "'lbm.tau'"
refuse 2 run case.cfg --set 'domain.cells=[1, 2' -- "--set domain.cells=[1, 2: "
refuse 2 run case.cfg --set steps=-1 -- "--set steps=-1: 'steps' must be at least 0, is -1"
refuse 2 run case.cfg --set =1 -- "--set =1: "
# A value of the file that does not go with one of the command line: both are shown.
refuse 2 check case.cfg --set lbm.tau=0.8 -- "case.cfg:5: 'lbm.reynolds'" "5 |     reynolds" "    --set lbm.tau=0.8"
refuse 2 check case.cfg --set boundaries.x_low.kind=periodic -- "case.cfg:10: 'boundaries.x_high.kind'" \
    "    --set boundaries.x_low.kind=periodic"
refuse 2 check case.cfg --set units.cell=0.001 -- "'units.velocity'" "    --set units.cell=0.001"
refuse 2 check case.cfg --set 'boundaries.z_high.velocity=[0, 0, 0.1]' -- "--set boundaries.z_high.velocity=[0, 0, 0.1]: "
refuse 2 check case.cfg --set steps=10 --set lbm.reynolds=-1 -- "--set lbm.reynolds=-1: 'lbm.reynolds'"
if grep -q -e "--set steps" err.txt; then fail "an override is blamed that the message does not name"; fi
for bytes in $'steps=20\nlbm.tau=1' $'name=a\tb' $'\e[31mname=a'; do
    refuse 2 check case.cfg --set "$bytes" -- "--set " "control character"
    shows_plain "--set $bytes"
done
refuse 2 run case.cfg --set steps=1.5 -- "--set steps=1.5: 'steps' must be an integer"
edit 's/steps = 20/steps = 1e30/'
refuse 2 run bad.cfg -- "bad.cfg:2: 'steps' must be an integer" "2 | steps = 1e30;"
edit 's/steps = 20/steps = 2e1/; s/16, 12, 14/1.6e1, 12.0, 14/'
ok 1 check bad.cfg --set output.every=1e4
says "16 x 12 x 14 cells, 20 steps"

# ---- warnings ----

warns "--set lbm.velocity=0.25: Mach number" check case.cfg --set lbm.velocity=0.25
edit 's/\[0.1, 0.0, 0.0\]/[0.4, 0.0, 0.0]/'
warns "bad.cfg:14: boundaries.z_high.velocity is 0.4 cells a step, Mach 0.69" check bad.cfg
edit '$a geometry = { objects = ( { shape = "box"; high = [4, 4, 4]; kind = "moving_wall"; velocity = [0, 0.2, 0]; } ); };'
warns "bad.cfg:16: geometry.objects\[0\].velocity is 0.2 cells a step, Mach 0.35" check bad.cfg
edit 's/reynolds = 20.0/reynolds = 1000.0/'
warns "bad.cfg:5: grid Reynolds number" check bad.cfg
warns "--set lbm.velocity=0.15: lbm.velocity = 0.15 is more than" check case.cfg --set lbm.velocity=0.15

# a wall whose roughness is as large as cells
edit 's/z_low  = .*/z_low = { kind = "wall_function"; roughness = 0.2; };/'
warns "bad.cfg:13: a roughness length of 0.2 cells" check bad.cfg --set "$les"
silent bad.cfg --set "$les" --set boundaries.z_low.roughness=0.05

# collisions for high Reynolds numbers, and for slow flow between walls
cat >vortex.cfg <<'CFG'
name = "vortex";
steps = 20;
domain = { cells = [12, 12, 12]; };
lbm = { collision = "recursive_regularized"; reynolds = 200.0; };
initial = { kind = "taylor_green_3d"; velocity = [0.1, 0.0, 0.0]; };
CFG
silent vortex.cfg # grid Reynolds number 105
if ! grep -q 'Re 200 .*length 1.909' out.txt err.txt; then fail "the vortex's length is not its edge over 2 pi"; fi
warns "--set lbm.reynolds=2e4: grid Reynolds number 10472" check vortex.cfg --set lbm.reynolds=2e4
silent vortex.cfg --set lbm.reynolds=2e4 --set lbm.les.model=smagorinsky
warns "--set lbm.reynolds=2: lbm.reynolds gives" check case.cfg --set lbm.reynolds=2 --set lbm.collision=regularized
warns "--set lbm.reynolds=100: grid Reynolds number 6" check case.cfg --set lbm.reynolds=100 --set lbm.collision=regularized
silent case.cfg --set lbm.reynolds=100
refuse 2 check vortex.cfg --set lbm.collision=trt --set lbm.les.model=smagorinsky -- "'lbm.collision'"
refuse 2 check vortex.cfg --set lbm.les=smagorinsky -- "'lbm.les'" 'les = { model = "smagorinsky"; }'

# a Taylor-Green vortex that is no solution
refuse 2 check vortex.cfg --set 'initial.velocity=[0.1, 0.1, 0]' -- "'initial.velocity'"
warns "--set domain.cells=.*: domain.cells" check vortex.cfg --set domain.cells=[12,12,6]
warns "--set lbm.force=.*: lbm.force" check vortex.cfg --set 'lbm.force=[1e-6, 0, 0]'
flat=(vortex.cfg --set initial.kind=taylor_green --set domain.cells=[12,12,1])
silent "${flat[@]}" --set boundaries.x_low.kind=free_slip --set boundaries.x_high.kind=free_slip
warns "--set boundaries.x_low.kind=no_slip: boundaries.x_low.kind" check "${flat[@]}" \
    --set boundaries.x_low.kind=no_slip --set boundaries.x_high.kind=no_slip
ok 1 run "${flat[@]}"
[[ $(value out/vortex/results.json velocity_error_l2) ]] || fail "no velocity_error_l2"
rm -r out
ok 1 run "${flat[@]}" --set 'geometry.objects=( { shape = "sphere"; center = [6.0, 6.0, 0.5]; radius = 2.0; } )'
says "geometry: the Taylor-Green vortex"
[[ ! $(value out/vortex/results.json velocity_error_l2) ]] || fail "velocity_error_l2 beside a sphere"

# an inlet without an outlet, and with a plug before it
inlet=(--set boundaries.z_high.kind=no_slip --set 'boundaries.z_high.velocity=[0, 0, 0]'
    --set boundaries.x_low.kind=velocity --set 'boundaries.x_low.velocity=[0.1, 0, 0]')
plug='geometry.objects=( { shape = "box"; low = [7.0, -1.0, -1.0]; high = [9.0, 99.0, 99.0]; } )'
warns "case.cfg:8: boundaries: 16.8 cells of fluid more flow in" check case.cfg "${inlet[@]}"
warns "--set geometry.objects=.*: geometry: no fluid leads from face x_low to face x_high" check case.cfg "${inlet[@]}" \
    --set boundaries.x_high.kind=pressure --set "$plug"
ok 1 check case.cfg "${inlet[@]}" --set boundaries.x_high.kind=pressure_normal
if grep -q '^warning' out.txt err.txt; then fail "a channel with an outlet is warned of"; fi
# Nobody walks through 1e15 cells before their memory is looked at.
huge=("${inlet[@]}" --set boundaries.x_high.kind=pressure_normal --set 'domain.cells=[100000, 100000, 100000]')
arguments=(check case.cfg "${huge[@]}" --set "$plug")
refuse_on 1 4 "'domain.cells' gives more cells than fit the memory" "million cells would fit"
echo "8, 6, 7, 3" >grain.csv
arguments=(check case.cfg "${huge[@]}" --set geometry.spheres.file=grain.csv)
refuse_on 1 4 "'domain.cells' gives more cells than fit the memory" "needs at least 1000000.0 GB" "at most"
# The planes of several GPUs are measured later, but all of them together have too little memory.
arguments=(check case.cfg --set node.emulated_gpus=2 --set parallel.mode=hybrid --set 'domain.cells=[128, 128, 128]'
    --set parallel.device_memory_limit=0.05)
refuse_on 1 4 "'domain.cells' gives more cells than fit the memory" "0.1 GB are available"
start 1 run case.cfg "${inlet[@]}" --set steps=100000 --set monitor.every=20
if ((code != 3)); then fail "code $code instead of 3: a box that is filled"; fi
says "its mass had changed" "look at inlets and outlets"

# ---- divergence ----

# Readable means: every value of the file is there, and finite.
readable() {
    local python
    for python in python3 /usr/bin/python3; do
        if "$python" -c 'import h5py' 2>/dev/null; then
            "$python" - "$1" <<'PYTHON' || fail "$1 cannot be read"
import sys, h5py, numpy
with h5py.File(sys.argv[1], "r") as file:
    for name in ("density", "velocity"):
        assert numpy.isfinite(file["/VTKHDF/PointData/" + name][...]).all(), name
PYTHON
            return
        fi
    done
    if command -v h5dump >/dev/null; then
        h5dump -d /VTKHDF/PointData/velocity "$1" >/dev/null || fail "$1 cannot be read"
    else
        echo "note: neither h5py nor h5dump here; fields of a run that diverged are not read"
    fi
}

for ranks in 1 3; do
    rm -rf out
    start "$ranks" run case.cfg --set steps=2000 --set lbm.velocity=0.4 --set lbm.reynolds=4000 \
        --set 'boundaries.z_high.velocity=[0.4, 0, 0]' --set output.every=10 --set monitor.every=10
    if ((code != 3)); then fail "code $code instead of 3 on $ranks ranks: divergence"; fi
    says "wabe: the simulation diverged: at step" "cell" "boundaries.z_high.velocity is Mach 0.69"
    messages=$(cat out.txt err.txt | grep -c '^wabe: ')
    if ((messages != 1)); then fail "$messages messages on $ranks ranks: divergence"; fi
    messages=$(grep -c "^wabe: the simulation diverged: at step" out/tiny/run.log)
    if ((messages != 1)); then fail "$messages messages in run.log on $ranks ranks: divergence"; fi
    is_json out/tiny/results.json
    if [[ $(value out/tiny/results.json status) != diverged ]]; then fail "status in results.json"; fi
    steps=(out/tiny/fields_*.hdf)
    if ((${#steps[@]} < 2)); then fail "no fields were written before the divergence"; fi
    for file in "${steps[@]}"; do readable "$file"; done
    is_json out/tiny/fields.hdf.series
done

finish
