#!/usr/bin/env bash
# What wabe check and wabe run warn of, with key and line: collisions that do not stand the Reynolds number, nothing that
# drives, forces that make a flow too fast, solids that do not mean what they say. (Others: bad_input.sh.)
source "$2/tests/cli/common.bash"
write_case
warned_on=1

# ---- collisions ----

# A lid at Re 10000: what is advised of any operator is warned of no more, and runs.
for operator in trt srt regularized recursive_regularized; do
    warns "--set lbm.reynolds=1e4: grid Reynolds number 625" check case.cfg --set lbm.reynolds=1e4 --set lbm.collision=$operator
    says 'take lbm.les.model = "smagorinsky" with lbm.collision = "srt", more cells'
done
lid=(case.cfg --set lbm.reynolds=1e4 --set lbm.les.model=smagorinsky)
warns "--set lbm.reynolds=1e4: grid Reynolds number 625" check "${lid[@]}"
says 'take lbm.les.model = "smagorinsky" with lbm.collision = "srt"'
silent "${lid[@]}" --set lbm.collision=srt
ok 1 run "${lid[@]}" --set lbm.collision=srt --set steps=4000 --set output.fields=false --quiet
rm -r out

# ---- what drives ----

closed=(--set boundaries.z_high.kind=no_slip --set 'boundaries.z_high.velocity=[0, 0, 0]')
warns "case.cfg:5: nothing drives the flow" check case.cfg "${closed[@]}"
silent case.cfg "${closed[@]}" --set 'lbm.force=[1e-6, 0, 0]'
silent case.cfg "${closed[@]}" --set boundaries.x_low.kind=pressure --set boundaries.x_low.density=1.01 \
    --set boundaries.x_high.kind=pressure
warns "case.cfg:5: nothing drives the flow" check case.cfg "${closed[@]}" --set boundaries.x_low.kind=pressure
silent case.cfg "${closed[@]}" --set initial.kind=uniform --set 'initial.velocity=[0.1, 0, 0]'

# A force that makes the flow too fast, and how fast, as a run finds it.
cat >forced.cfg <<'CFG'
name = "forced";
steps = 3000;
domain = { cells = [8, 8, 8]; };
lbm = { tau = 0.8;
    force = [1e-4, 0.0, 0.0]; };
CFG
fast() { # SPEED ARGUMENT...: what is said, and what a run finds, differ by 20 % at most
    warns "\(forced.cfg:5\|--set lbm.force=.*\): the force along x, .*, makes the fluid about $1 cells a step" check forced.cfg "${@:2}"
    ok 1 run forced.cfg --quiet --overwrite --set output.fields=false "${@:2}"
    awk -v said="$1" -v found="$(value out/forced/results.json max_velocity)" \
        'BEGIN { exit !(found > 0.8 * said && found < 1.2 * said) }' || fail "$1 is said, $(value out/forced/results.json max_velocity) found"
}
walls=(--set boundaries.y_low.kind=no_slip --set boundaries.y_high.kind=no_slip)
symmetric=(--set boundaries.y_low.kind=no_slip --set boundaries.y_high.kind=free_slip)
fast 0.3
fast 0.24 "${walls[@]}" --set 'lbm.force=[3e-3, 0, 0]'
fast 0.19 "${symmetric[@]}" --set 'lbm.force=[6e-4, 0, 0]'
silent forced.cfg --set 'lbm.force=[4e-5, 0, 0]'
silent forced.cfg "${walls[@]}" --set 'lbm.force=[1e-3, 0, 0]'
silent forced.cfg --set 'lbm.force=[0, 3e-3, 0]' "${walls[@]}"
# A turbulent channel, Re_tau 480, which is far slower than a laminar one.
silent forced.cfg "${walls[@]}" --set 'domain.cells=[8, 192, 8]' --set lbm.tau=0.503 --set 'lbm.force=[2.6e-7, 0, 0]' --set steps=1000000
rm -rf out

# ---- solids ----

# Output that lies inside of them.
warned_on="1 3"
with_object() { edit "\$a geometry = { objects = ( { $* } ); };"; } # in bad.cfg:16
ball='shape = "sphere"; center = [8, 6, 7]; radius = 3;'
with_object 'shape = "box"; low = [4, 4, 4]; high = [8, 8, 8];'
cat >>bad.cfg <<'CFG'
output = { parts = ( { name = "out"; begin = [4, 4, 4]; end = [8, 8, 9]; },
    { name = "in"; begin = [4, 4, 4]; end = [8, 8, 8]; } );
    probes = ( { name = "a"; cell = [3, 5, 5]; },
        { name = "b"; cell = [7, 5, 7]; } ); };
CFG
warns "bad.cfg:18: output.parts\[1\]" check bad.cfg
warns "bad.cfg:20: output.probes\[1\].cell lies inside a solid" check bad.cfg
if grep -q 'warning.*\(parts\|probes\)\[0\]' out.txt err.txt; then fail "warned of output that sees the flow"; fi

# A body with a velocity of its own stays where it is.
warned_on=1
normal() { warns "bad.cfg:16: geometry.objects\[0\].velocity has a component normal to the surface" check bad.cfg; }
with_object "$ball kind = \"moving_wall\"; velocity = [0.05, 0.0, 0.0];"
normal
with_object 'shape = "box"; high = [16, 12, 3]; kind = "moving_wall"; velocity = [0.05, 0.02, 0.0];'
silent bad.cfg # a belt
with_object 'shape = "box"; high = [15, 12, 3]; kind = "moving_wall"; velocity = [0.05, 0.0, 0.0];'
normal
rod='shape = "cylinder"; low = [8, -1, 7]; high = [8, 13, 7]; radius = 2; kind = "moving_wall";'
with_object "$rod velocity = [0.0, 0.05, 0.0];"
silent bad.cfg
with_object "$rod velocity = [0.0, 0.05, 0.01];"
normal
with_object "$rod spin = [0.0, 0.01, 0.0];"
silent bad.cfg

warned_on="1 3"

# A curved wall that goes on across a periodic face must not end there.
along_y=(--set boundaries.y_low.kind=periodic --set boundaries.y_high.kind=periodic)
ended='shape = "cylinder"; radius = 4; kind = "curved_wall"; low = [8, %s, 7]; high = [8, 13, 7];'
# shellcheck disable=SC2059
with_object "$(printf "$ended" 0)"
warns "bad.cfg:16: .*geometry.objects\[0\] ends at y_low" check bad.cfg "${along_y[@]}"
# shellcheck disable=SC2059
with_object "$(printf "$ended" -1)"
silent bad.cfg "${along_y[@]}"

# Solids that overlap, and are of different kinds: of objects the first wins, before all particles.
two() { # KEYS KEYS
    edit "\$a geometry = { objects = ( { shape = \"box\"; low = [2, 2, 2]; high = [6, 6, 6]; $1 },\n    { shape = \"box\"; $2 } ); };"
}
blows='kind = "velocity"; velocity = [0.01, 0.0, 0.0];'
two '' "low = [5, 5, 5]; high = [9, 9, 9]; $blows"
warns "bad.cfg:17: geometry.objects\[1\] (velocity) overlaps geometry.objects\[0\] (no_slip), .* belong to geometry.objects\[0\]\$" check bad.cfg
two '' "low = [6, 5, 5]; high = [9, 9, 9]; $blows" # side by side
ok 1 check bad.cfg
if grep -q overlaps out.txt err.txt; then fail "solids side by side overlap"; fi
two '' 'low = [5, 5, 5]; high = [9, 9, 9];'
silent bad.cfg
echo "7, 7, 7, 3" >grain.csv
two "$blows" 'low = [12, 9, 9]; high = [14, 11, 11];'
warns "--set geometry.spheres.file=grain.csv: geometry.spheres (no_slip) overlaps geometry.objects\[0\] (velocity)" check bad.cfg \
    --set geometry.spheres.file=grain.csv

warned_on=1

# The length of a Reynolds number, where a body stands in the stream.
edit "\$a geometry = { objects = ( { $ball } ); };"
stream=("${closed[@]}" --set boundaries.x_low.kind=velocity --set 'boundaries.x_low.velocity=[0.1, 0, 0]'
    --set boundaries.x_high.kind=pressure_normal)
warns "bad.cfg:5: lbm.length is not given: the Reynolds number, 20, is that of the domain's 16 cells along x, and the viscosity" \
    check bad.cfg "${stream[@]}"
silent bad.cfg "${stream[@]}" --set lbm.length=6
edit "s/reynolds = 20.0/tau = 0.8/; \$a geometry = { objects = ( { $ball } ); };"
warns "bad.cfg:16: lbm.length is not given: the Reynolds number, 16, is that" check bad.cfg "${stream[@]}"

# The room that bodies leave to a stream, compared to its inlet.
warned_on="1 3"
with_object 'shape = "box"; low = [9, 0, 0]; high = [13, 6, 14];'
warns "bad.cfg:16: geometry: solids leave 50 % of the inlet's cross-section to the stream, .* about 2 times" check bad.cfg "${stream[@]}" \
    --set lbm.length=6
silent bad.cfg "${stream[@]}" --set lbm.length=6 --set 'geometry.objects[0].low=[0, 0, 0]' # a step: the inlet is as narrow
silent bad.cfg "${stream[@]}" --set lbm.length=6 --set 'geometry.objects[0].high=[13, 4, 14]'

# Outlets at low viscosities.
outlet=(case.cfg "${closed[@]}" --set boundaries.x_low.kind=velocity --set 'boundaries.x_low.velocity=[0.1, 0, 0]' --set lbm.reynolds=1e4
    --set lbm.les.model=smagorinsky)
warns "--set boundaries.x_high.kind=pressure: boundaries.x_high.kind is \"pressure\" without a sponge" check "${outlet[@]}" --set boundaries.x_high.kind=pressure
silent "${outlet[@]}" --set 'boundaries.x_high={ kind = "pressure"; sponge = { width = 8; strength = 0.15; }; }'
silent "${outlet[@]}" --set boundaries.x_high.kind=pressure --set lbm.reynolds=100

finish
