#!/usr/bin/env bash
# tests/validation/porous.sh WABE SOURCE: permeabilities against what is known: slit, duct, tube and
# cubic arrays of spheres; a bed. Under a minute on two cores. The short form is without the bed, and the arrays of 64 cells.
#
# A run ends when the flux has changed by less than porous.tolerance in porous.interval steps, twice in
# succession. What is left of the start falls by a factor of e in k / (nu porosity) steps, 730 at the
# most: so 2.4 times the tolerance is left.
set -euo pipefail
wabe=$1
source=$2
export OMP_NUM_THREADS=1

cat >case.cfg <<'CFG'
name = "porous";
steps = 100000;
domain = { cells = [32, 32, 32]; };
lbm = { tau = 1.5; };
porous = { axis = "z"; gradient = 1e-8; tolerance = 1e-7; interval = 200; };
CFG

# run DIRECTORY PATH=VALUE...: in the background, beside one other.
runs=0
run() {
    local arguments=() value
    for value in "${@:2}"; do arguments+=(--set "$value"); done
    if ((runs++ > 1)); then wait -n; fi
    "$wabe" run case.cfg --quiet --set output.fields=false --set "output.directory=\"$1\"" \
        "${arguments[@]}" &
}

# between FACE...: walls there.
between() { printf 'boundaries.%s.kind="no_slip"\n' "$@"; }

# array EDGE RADIUS: of spheres, of which one lies in the domain.
array() {
    printf '%s\n' "domain.cells=[$1, $1, $1]" 'geometry.spheres.array="simple_cubic"' \
        "geometry.spheres.radius=$(awk "BEGIN { printf \"%.17g\", $1 * $2 }")"
}

# ---- a packed bed ----

# Measured within the bed: its lowest and its highest layer are loose. The pressure settles slowly in so dense a
# bed, as by diffusion, and sooner with less viscosity.
full=0
if [[ ${WABE_TEST_FULL-} == 1 ]]; then full=1; fi
if ((full)); then run bed 'domain.cells=[100, 100, 220]' lbm.tau=0.7 porous.gradient=1e-7 porous.tolerance=1e-3 porous.interval=100 \
    porous.begin=30 porous.end=190 'geometry.bed={ particle = "sphere"; diameter = 20.0;
        low = [0.0, 0.0, 10.0]; high = [100.0, 100.0, 210.0]; seed = 1; }'; fi

# ---- channels ----

mapfile -t walls < <(between x_low x_high)
for tau in 0.6 1.0 1.5; do
    run "slit_$tau" 'domain.cells=[8, 2, 2]' lbm.tau="$tau" porous.tolerance=1e-12 "${walls[@]}"
done
mapfile -t walls < <(between x_low x_high y_low y_high)
run duct 'domain.cells=[24, 24, 1]' porous.tolerance=1e-9 "${walls[@]}"
for radius in 20 40; do
    edge=$((2 * radius + 2))
    middle="$((edge / 2)).0, $((edge / 2)).0"
    run "tube_$radius" "domain.cells=[$edge, $edge, 1]" porous.tolerance=1e-8 \
        "geometry.objects=({ shape = \"cylinder\"; low = [$middle, -1.0]; high = [$middle, 2.0];
            radius = $edge.0; bore = $radius.0; })"
done

# ---- arrays of spheres ----

# The larger ones with more viscosity, which does not change the permeability: they settle in fewer steps.
dilute=0.31018 dense=0.37221
edges=32
if ((full)); then edges+=" 64"; fi
for edge in $edges; do
    if ((edge == 64)); then tau=12.5; else tau=1.5; fi
    mapfile -t spheres < <(array "$edge" "$dilute")
    run "array_0.125_$edge" "${spheres[@]}" lbm.tau=$tau
    mapfile -t spheres < <(array "$edge" "$dense")
    run "array_0.216_$edge" "${spheres[@]}" lbm.tau=$tau
done
mapfile -t spheres < <(array 24 "$dense")
for tau in 0.6 1.0 1.5; do
    for collision in trt srt; do
        run "$collision$tau" "${spheres[@]}" lbm.tau="$tau" lbm.collision="\"$collision\""
    done
done
mapfile -t spheres < <(array 32 "$dense")
run tensor "${spheres[@]}" 'porous.axis="all"'

# A tensor of six different numbers. The gradient is so low that inertia takes no part in them.
run tilted 'porous.axis="all"' porous.gradient=1e-9 porous.tolerance=1e-10 \
    'domain.cells=[20, 24, 22]' 'geometry.objects=(
        { shape = "cylinder"; low = [3.0, 5.0, 2.0]; high = [14.0, 17.0, 19.0]; radius = 4.5; },
        { shape = "sphere"; center = [13.0, 4.0, 15.0]; radius = 4.2; })'

# row COUNT: spheres one behind the other.
row() {
    local z list=
    for ((z = 12; z < 24 * $1; z += 24)); do
        list+="${list:+, }{ shape = \"sphere\"; center = [12.0, 12.0, $z.0]; radius = 8.93304; }"
    done
    printf '%s\n' "domain.cells=[24, 24, $((24 * $1))]" "geometry.objects=($list)"
}

for count in 1 3; do
    mapfile -t spheres < <(row "$count")
    run "force_$count" "${spheres[@]}"
    run "pressure_$count" "${spheres[@]}" 'porous.drive="pressure"'
done
run middle "${spheres[@]}" 'porous.drive="pressure"' porous.begin=24 porous.end=48

wait -n
wait -n
python3 "$source/tests/validation/porous.py" "$source/tests/data/permeability.csv" "$full"
