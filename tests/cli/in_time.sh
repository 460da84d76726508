#!/usr/bin/env bash
# Forces, velocities and pressures that follow a table in time: exact solutions of channels, what constant ones of the same size give, the
# same bits on all that a run can run on and after a restart, what is refused.
source "$2/tests/cli/common.bash"
source "$2/tests/cli/streamed.bash"
left_behind=out/tiny/results.json
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
if ! "$python" -c 'import h5py' 2>/dev/null; then exit 77; fi

# ---- exact solutions ----

# The flow between two plates that is driven with cos(w t): w (H / 2)^2 / nu = 16, a Womersley number of 4.
cat >plates.cfg <<'CFG'
name = "tiny";
steps = 10250;
domain = { cells = [4, 20, 1]; };
lbm = { viscosity = 0.0392699081698724; };
boundaries = { y_low = { kind = "no_slip"; }; y_high = { kind = "no_slip"; }; };
initial = { kind = "rest"; };
output = { every = 250; precision = "f64"; picture = "none"; };
CFG
"$python" -c 'from math import cos, pi
print("time, factor")
for k in range(201): print(f"{k / 200}, {cos(2 * pi * (k % 200) / 200)}")' >wave.csv
# The velocity along x (Womersley, J. Physiol. 127 (1955) 553, between plates; Landau and Lifshitz, Fluid Mechanics, section 24), at four
# phases of a period.
cat >exact.py <<'PYTHON'
import sys, h5py, numpy
H, nu, omega = 20, 0.0392699081698724, 2 * numpy.pi / 1000
y = numpy.arange(H) + 0.5
k = numpy.sqrt(1j * omega / nu)
size = float(sys.argv[2])
shape = {"force": size / (1j * omega) * (1 - numpy.cosh(k * (y - H / 2)) / numpy.cosh(k * H / 2)),
         "lid": size * numpy.sinh(k * y) / numpy.sinh(k * H)}[sys.argv[1]]
for step in (9500, 9750, 10000, 10250):
    velocity = h5py.File(f"out/tiny/fields_{step:08d}.hdf")["VTKHDF/PointData/velocity"][0, ..., 0]
    off = abs(velocity.mean(axis=1) - (shape * numpy.exp(1j * omega * step)).real).max() / abs(shape).max()
    print(sys.argv[1], step, off)
    assert off < 0.003, (step, off)
PYTHON
# follows SOLUTION SIZE OPTION...
follows() {
    rm -rf out
    ok 1 run plates.cfg --quiet "${@:3}"
    "$python" exact.py "$1" "$2" >out.txt 2>err.txt || fail "another flow: $*"
}
wave() { set_wave=(--set "$1.file=\"wave.csv\"" --set "$1.scale=1000" --set "$1.periodic=true"); }
wave lbm.force_in_time
follows force 1e-5 --set lbm.force=[1e-5,0.0,0.0] "${set_wave[@]}"
wave boundaries.y_high.in_time
# On the upper plate the shear stress is nu du/dy, towards the fluid below it.
cat >stress.py <<'PYTHON'
import h5py, numpy
H, nu, omega = 20, 0.0392699081698724, 2 * numpy.pi / 1000
k = numpy.sqrt(1j * omega / nu)
shape = nu * 0.02 * k * numpy.cosh(k * H) / numpy.sinh(k * H)
for step in (9500, 9750, 10000, 10250):
    stress = h5py.File(f"out/tiny/fields_{step:08d}.hdf")["VTKHDF/PointData/wall_stress"][0, -1, 0, 0]
    off = abs(abs(stress) - abs((shape * numpy.exp(1j * omega * step)).real)) / abs(shape)
    assert off < 0.05, (step, stress, off)
PYTHON
follows lid 0.02 --set boundaries.y_high.kind=moving_wall --set boundaries.y_high.velocity=[0.02,0.0,0.0] "${set_wave[@]}" \
    --set 'output.quantities="velocity, wall_stress"'
"$python" stress.py >out.txt 2>err.txt || fail "another stress on the plate that moves"
# Pressure faces four cells apart, whose densities differ by 12e-5, make the gradient 1e-5.
wave boundaries.x_low.in_time
follows force 1e-5 --set boundaries.x_low.kind=pressure_normal --set boundaries.x_high.kind=pressure_normal \
    --set boundaries.x_low.density=1.00012 "${set_wave[@]}"

# ---- what constant ones give ----

cat >duct.cfg <<'CFG'
name = "tiny";
steps = 40;
domain = { cells = [24, 14, 12]; };
lbm = { tau = 0.6; length = 6.4; force = [0.0, 1e-4, 2e-5]; };
boundaries = {
    x_low  = { kind = "velocity"; velocity = [0.04, 0.0, 0.01]; };
    x_high = { kind = "pressure"; density = 1.015625; };
    y_low  = { kind = "no_slip"; };
    y_high = { kind = "moving_wall"; velocity = [0.03, 0.0, -0.02]; };
    z_low  = { kind = "no_slip"; };
    z_high = { kind = "no_slip"; };
};
geometry = { objects = ( { shape = "sphere"; kind = "curved_wall"; center = [10.0, 7.0, 6.0]; radius = 3.2; } ); };
forces = { every = 4; };
checkpoint = { every = 16; };
monitor = { every = 8; };
output = { fields = false; picture = "none"; };
CFG
echo '0, 0.5' >half.csv
# halves GROUP OPTION...: half of what is given, by a table for the group, and by these options.
halves() {
    local here=$(state duct.cfg --set "$1.file=\"half.csv\"") there=$(state duct.cfg "${@:2}")
    [[ $here && $here == "$there" ]] || fail "half by a table is something else: $*"
}
halves lbm.force_in_time --set lbm.force=[0.0,0.5e-4,1e-5]
halves boundaries.x_low.in_time --set boundaries.x_low.velocity=[0.02,0.0,0.005] --set lbm.velocity=0.04
halves boundaries.x_high.in_time --set boundaries.x_high.density=1.0078125
halves boundaries.y_high.in_time --set boundaries.y_high.velocity=[0.015,0.0,-0.01]

# ---- bits ----

# Periods that end at different steps, and a table that begins and ends within the run.
printf '0, 1\n3.3, -0.4\n7, 0.2\n13, 1\n' >force.csv
printf '5, 0.2\n20, 1\n33, 0.6\n' >inlet.csv
printf '0, 0\n0.5, 1\n1, 0\n' >outlet.csv
printf -- '-2, 0.3\n90, -1.2\n' >lid.csv
varied=(--set 'lbm.force_in_time.file="force.csv"' --set lbm.force_in_time.periodic=true
    --set 'boundaries.x_low.in_time.file="inlet.csv"' --set 'boundaries.y_high.in_time.file="lid.csv"'
    --set 'boundaries.x_high.in_time.file="outlet.csv"' --set boundaries.x_high.in_time.periodic=true
    --set boundaries.x_high.in_time.scale=21)
# same RANKS OPTION...: the state and the forces of the first of these runs since hash was emptied.
same() {
    rm -rf out
    ok "$1" run duct.cfg --quiet "${varied[@]}" "${common[@]}" "${@:2}"
    found="$(value out/tiny/results.json state_hash) $(grep -v '^#' out/tiny/forces.csv | tail -n 2 | md5sum)"
    hash=${hash:-$found}
    [[ $found == "$hash" ]] || fail "other bits: ${common[*]}, $*"
}
limit=0.003 # room for passes of three steps of the largest state
if [[ ${WABE_TEST_GPUS-} == real ]]; then limit=0.4; fi
# ways OPTION...: of a kind of run.
ways() {
    common=("$@")
    hash=
    same 1
    [[ $hash == ????????????????* ]] || fail "no hash: $hash"
    cp out/tiny/checkpoint_00000032.h5 .
    for steps in 1 7; do [[ $* == *moments* ]] || same 1 --set parallel.steps_per_pass=$steps; done
    same 3
    same 2 --restart checkpoint_00000032.h5
    same 2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
    same 1 --set node.emulated_gpus=1 --set parallel.residency=streamed --set parallel.device_memory_limit=$limit \
        --set parallel.steps_per_pass=3
    same 1 --set node.emulated_gpus=1 --restart checkpoint_00000032.h5
}
ways
same 1 --set lbm.streaming=pull
same 2 --set node.emulated_gpus=2 --set lbm.streaming=pull
ways --set lbm.streaming=list --set lbm.storage=f32
ways --set lbm.streaming=moments --set lbm.collision=recursive_regularized
ways --set scalar.diffusivity=0.02 --set scalar.initial=1.0 --set scalar.buoyancy=[0.0,1e-4,0.0] --set lbm.ramp=25
ways --set boundaries.x_high.kind=pressure_normal --set boundaries.y_low.kind=free_slip

# ---- what is refused ----

table() { printf "$1" >bad.csv; }
refused() { refuse 2 check duct.cfg --set "$1.file=\"bad.csv\"" "${@:3}" -- "'$1.$2"; }
table '0, 1\n0, 2\n'
refused lbm.force_in_time "file' cannot be used"
says "bad.csv:2"
table '0, 1\nsoon, 2\n'
refused boundaries.x_low.in_time "file' cannot be used"
says "bad.csv:2"
table '0, 1\n8, 2\n'
refused boundaries.x_high.in_time "file' cannot be used" --set boundaries.x_high.in_time.periodic=true
table '0, 1\n8, 1\n'
refused lbm.force_in_time "file' cannot be used" --set lbm.force_in_time.periodic=true
says "scale"
table '0, 26\n'
refused boundaries.x_low.in_time "file' has a factor of size 26"
table '0, 51\n'
refused boundaries.x_high.in_time "file' has a factor of size 51"
table '0, 1\n'
refused boundaries.y_low.in_time "file' is not used"
refused boundaries.z_low.in_time "file' is not used" --set boundaries.z_low.kind=periodic --set boundaries.z_high.kind=periodic
refused boundaries.x_high.in_time "file' is not used" --set boundaries.x_high.density=1.0
refused lbm.force_in_time "file' is not used" --set lbm.force=[0.0,0.0,0.0]
refused boundaries.x_high.in_time "file' goes with no sponge" --set boundaries.x_high.sponge.width=4
refuse 2 check duct.cfg --set lbm.force_in_time.periodic=true -- "'lbm.force_in_time.periodic' is not used"
refuse 2 check duct.cfg --set boundaries.x_low.in_time.scale=2 -- "'boundaries.x_low.in_time.scale' is not used"
refuse 6 check duct.cfg --set 'lbm.force_in_time.file="none.csv"' -- "'lbm.force_in_time.file' cannot be used" "none.csv"
refuse 2 check duct.cfg --set 'lbm.force_in_time.file="bad.csv"' --set monitor.steady=1e-6 -- "'monitor.steady' waits"
table '0, 2\n'
ok 1 check duct.cfg --set 'boundaries.x_low.in_time.file="bad.csv"' --set boundaries.x_low.velocity=[0.12,0.0,0.0]
says "boundaries.x_low.in_time" "Mach 0.3"
finish
