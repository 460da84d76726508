#!/usr/bin/env bash
# Walls that turn: Taylor-Couette flow, the same numbers on any processes, hardware and pattern, what is refused.
source "$2/tests/cli/common.bash"
left_behind=out/tiny/results.json

# column NAME: of the last line of forces.csv.
column() {
    awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) k = i } { last = $k } END { print last }' \
        out/tiny/forces.csv
}

# ---- physics ----

# Between a cylinder that turns and one at rest the torque per length is 4 pi viscosity spin a^2 b^2 / (b^2 - a^2)
# (for example Landau and Lifshitz, Fluid Mechanics, section 18); walls of cells make it uncertain by a part in 300.
cat >couette.cfg <<'CFG'
name = "tiny";
steps = 20000;
domain = { cells = [66, 66, 1]; };
lbm = { tau = 0.8; };
geometry = { objects = (
    { shape = "cylinder"; low = [33.0, 33.0, 0.0]; high = [33.0, 33.0, 1.0]; radius = 12.0;
      kind = "moving_wall"; spin = [0.0, 0.0, 0.001]; },
    { shape = "cylinder"; low = [33.0, 33.0, 0.0]; high = [33.0, 33.0, 1.0]; radius = 50.0; bore = 30.0; } ); };
forces = { every = 500; bodies = (
    { name = "inner"; of = "geometry.objects[0]"; about = [33.0, 33.0, 0.0]; },
    { name = "outer"; of = "geometry.objects[1]"; about = [33.0, 33.0, 0.0]; } ); };
monitor = { every = 500; steady = 1e-9; };
output = { every = 0; precision = "f64"; quantities = "wall_stress"; };
CFG
ok 1 run couette.cfg
says "92 velocities" "differ from the exact ones by 0 at most"
awk -v inner="$(column inner_tz)" -v outer="$(column outer_tz)" 'BEGIN {
    exact = 4 * atan2(0, -1) * 0.1 * 0.001 * 144 * 900 / (900 - 144)
    exit !((inner + exact)^2 < (exact / 300)^2 && (inner + outer)^2 < (1e-6 * exact)^2) }' ||
    fail "torques $(column inner_tz) and $(column outer_tz)"
# The friction per area of either cylinder is that torque over radius and circumference. In cells at walls of cells it
# scatters; its mean is within some percent.
python=python3
if ! "$python" -c 'import h5py' 2>/dev/null; then python=/usr/bin/python3; fi
if "$python" -c 'import h5py' 2>/dev/null; then
    "$python" -c "
import glob, h5py, numpy
stress = h5py.File(glob.glob('out/tiny/fields_*.hdf')[0])['VTKHDF/PointData/wall_stress'][0]
y, x = numpy.mgrid[0:66, 0:66] - 32.5
r = numpy.hypot(x, y)
around = (x * stress[..., 1] - y * stress[..., 0]) / r # positive with the spin
exact = 2 * 0.1 * 0.001 / (900 - 144) * numpy.array([-900, 144])
mean = [around[beside & (abs(stress).sum(axis=-1) > 0)].mean() for beside in (r < 16, r > 26)]
assert numpy.allclose(mean, exact, rtol=0.15), (mean, exact)" >out.txt 2>err.txt || fail "stress on the walls of Couette's flow"
fi
# Walls that turn let nothing through, nor add anything.
awk -v drift="$(value out/tiny/results.json mass_drift)" 'BEGIN { exit !(drift < 1e-15 && drift > -1e-15) }' ||
    fail "the mass changes"
# Turned the other way round, and about an axis of another place, it is a wall of another velocity.
rm -r out
ok 1 run couette.cfg --quiet --set 'geometry.objects[0].spin=[0.0, 0.0, -0.001]'
awk -v a="$(column inner_tz)" 'BEGIN { exit !(a > 0.21 && a < 0.22) }' || fail "the other way round: $(column inner_tz)"

# Fluid in a hollow cylinder that turns ends up turning like a solid: its vorticity is twice the spin, beside walls, too.
cat >hollow.cfg <<'CFG'
name = "tiny";
steps = 4000;
domain = { cells = [26, 26, 1]; };
lbm = { tau = 1.4; velocity = 0.01; };
geometry = { objects = ( { shape = "cylinder"; low = [13.0, 13.0, 0.0]; high = [13.0, 13.0, 1.0]; radius = 30.0; bore = 10.0;
                           kind = "moving_wall"; spin = [0.0, 0.0, 0.001]; } ); };
output = { quantities = "vorticity, solid"; precision = "f64"; };
CFG
rm -r out
ok 1 run hollow.cfg --quiet
if "$python" -c 'import h5py' 2>/dev/null; then
    "$python" -c "
import h5py, numpy
data = h5py.File('out/tiny/fields_00004000.hdf')['VTKHDF/PointData']
z = data['vorticity'][..., 2][data['solid'][:] == 0]
assert numpy.allclose(z, 0.002, rtol=1e-9), (z.min(), z.max())" >out.txt 2>err.txt || fail "vorticity in a cylinder that turns"
fi

# ---- the same numbers ----

# A ball and a box turn about oblique axes, across the edges of a periodic domain; places share velocities.
cat >case.cfg <<'CFG'
name = "tiny";
steps = 30;
domain = { cells = [34, 28, 30]; };
lbm = { tau = 0.9; collision = "regularized"; };
geometry = { objects = (
    { shape = "sphere"; center = [30.0, 13.0, 15.0]; radius = 9.5; kind = "moving_wall"; spin = [0.002, 0.001, -0.003]; },
    { shape = "box"; low = [5.0, 5.0, 0.0]; high = [12.0, 14.0, 6.0]; kind = "moving_wall";
      velocity = [0.0, 0.01, 0.0]; spin = [0.0, 0.002, 0.0]; pivot = [4.0, 7.0, 3.0]; } ); };
forces = { every = 10; };
CFG
same_forces() {
    ok "$1" run case.cfg --quiet --set output.fields=false "${@:2}"
    cmp -s forces.csv out/tiny/forces.csv || fail "another forces.csv: $*"
    rm -r out
}
first() {
    ok 1 run case.cfg --quiet --set output.fields=false "$@"
    mv out/tiny/forces.csv .
    rm -r out
}
first
same_forces 4 --set parallel.processes=[2,2,1]
same_forces 3 --set lbm.streaming=list
same_forces 2 --set lbm.streaming=pull --set parallel.processes=[2,1,1]
same_forces 1 --set node.emulated_gpus=1
same_forces 2 --set node.emulated_gpus=2 --set parallel.mode=heterogeneous
corners=(--set lbm.lattice=d3q27 --set lbm.collision=trt)
first "${corners[@]}"
same_forces 4 "${corners[@]}" --set parallel.processes=[2,2,1]
same_forces 1 "${corners[@]}" --set node.emulated_gpus=1
first --set lbm.streaming=moments --set lbm.storage=f32
same_forces 3 --set lbm.streaming=moments --set lbm.storage=f32
same_forces 1 --set lbm.streaming=moments --set lbm.storage=f32 --set node.emulated_gpus=1

# The solid of a mesh turns as an object of the same cells does.
python3 - >box.stl <<'PYTHON'
size = (7, 9, 6)
print("solid box")
for axis in range(3):
    for end in (0, 1):
        corners = []
        for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)):
            corner = [0, 0, 0]
            corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3] = end, i, j
            corners.append(" ".join(str(c * n) for c, n in zip(corner, size)))
        for triangle in ((0, 1, 2), (0, 2, 3)):
            print("facet normal 0 0 0\nouter loop")
            for k in triangle:
                print("vertex", corners[k])
            print("endloop\nendfacet")
print("endsolid box")
PYTHON
sed '/"sphere"/d' case.cfg >box.cfg
sed 's/objects = (/meshes = (/; s/shape = "box"; low = \[5.0, 5.0, 0.0\]; high = \[12.0, 14.0, 6.0\]/file = "box.stl"; place = [5.0, 5.0, 0.0]/' \
    box.cfg >mesh.cfg
ok 1 run box.cfg --quiet --set forces.every=0
hash=$(value out/tiny/results.json state_hash)
rm -r out
ok 1 run mesh.cfg --quiet --set forces.every=0
[[ $(value out/tiny/results.json state_hash) == "$hash" ]] || fail "a mesh turns otherwise than a box"
rm -r out

# ---- what is refused ----

ball() { sed "s/radius = 9.5;.*/radius = 9.5; $1 },/" case.cfg >bad.cfg; }
ball 'spin = [0.0, 0.0, 0.01];'
refuse 2 check bad.cfg -- "bad.cfg:6: 'geometry.objects[0].spin'" 'is "no_slip"'
ball 'kind = "velocity"; velocity = [0.01, 0.0, 0.0]; spin = [0.0, 0.0, 0.01];'
refuse 2 check bad.cfg -- "bad.cfg:6: 'geometry.objects[0].spin'" 'is "velocity"'
ball 'kind = "moving_wall"; velocity = [0.01, 0.0, 0.0]; pivot = [0.0, 0.0, 0.0];'
refuse 2 check bad.cfg -- "bad.cfg:6: 'geometry.objects[0].pivot'" "spin is 0"
ball 'kind = "moving_wall"; spin = [0.0, 0.0, 2.0];'
refuse 2 check bad.cfg -- "bad.cfg:6: 'geometry.objects[0].spin" "at most 1"
ball 'kind = "moving_wall"; spin = [0.0, 0.0, 0.2];'
refuse 2 check bad.cfg -- "bad.cfg:6: 'geometry.objects[0].spin'" "1.8" "at most 1"
sed 's/center = .*;  *radius = 9.5/center = [17.0, 14.0, 15.0]; radius = 100.0/' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:6: 'geometry.objects[0].spin'" "no cell"
sed 's/ pivot = [^;]*;//' mesh.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:7: 'geometry.meshes[0].spin'" "needs geometry.meshes[0].pivot"

finish
