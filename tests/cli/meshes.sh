#!/usr/bin/env bash
# Solids from STL files: what is refused, with the line of the key; the same bits however the domain is cut;
# what wabe check and wabe geometry say of them; warnings of where bodies lie, also objects.
source "$2/tests/cli/common.bash"
source=$2
left_behind=out

for name in torus sphere; do "$source/scripts/make_mesh.py" $name.stl $name 40 >/dev/null || fail "make_mesh.py $name"; done

# Ahmed's body has the volume of its rectangles: 64 102 cells of 12 mm.
"$source/scripts/make_mesh.py" ahmed.stl ahmed 25 >/dev/null || fail "make_mesh.py ahmed"
ok 1 check "$source/input/ahmed.cfg" --set 'domain.cells=[200, 96, 72]' --set output.parts=\(\) --set 'geometry.meshes=( { file = "ahmed.stl";
    scale = 0.0833333333333; place = [60.0, 48.0, 4.1667]; } )'
inside=$(sed -n 's/^mesh .* \([0-9]*\) cells inside, 0 % in doubt.*/\1/p' out.txt)
if ((inside < 63100 || inside > 65100)); then fail "Ahmed's body has $inside cells"; fi

if grep -q geometry.meshes err.txt; then fail "Ahmed's body is warned of"; fi

# Flow past a torus that stands upright and a ball in its middle, which drags the fluid along.
cat >case.cfg <<'CFG'
name = "tiny";
steps = 10;
domain = { cells = [36, 30, 28]; };
lbm = { tau = 0.8; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.02, 0.0, 0.0]; };
    x_high = { kind = "pressure"; };
};
geometry = {
    meshes = (
        { file = "torus.stl"; scale = 9.0; rotation = [0.0, 90.0, 0.0]; place = [14.0, 15.0, 14.0]; },
        { file = "sphere.stl"; scale = 4.0; place = [14.0, 15.0, 14.0];
          kind = "moving_wall"; velocity = [0.0, 0.01, 0.0]; }
    );
};
CFG

warned_on=1
warns "case.cfg:13: geometry.meshes\[1\].velocity has a component normal to the surface" check case.cfg

# ---- the same bits ----

same_on_any_cut() {
    first=
    same_state 1 "$@"
    same_state 3 "$@"
    same_state 4 --set "parallel.processes=[1, 2, 2]" "$@"
}
same_on_any_cut
same_state 2 --set lbm.streaming=list --set "parallel.processes=[2, 1, 1]"
# Walls between cells.
curved=(--set 'geometry.meshes[0].kind=curved_wall')
same_on_any_cut "${curved[@]}"
same_state 2 --set lbm.streaming=list --set "parallel.processes=[2, 1, 1]" "${curved[@]}"
if grep -q 'not closed' err.txt; then fail "a closed torus has links that meet no triangle"; fi
# Beyond the corner of two periodic faces, where flags are those of the domain's other side.
same_on_any_cut --set 'geometry.meshes[0].place=[14, 1, 27]'

# ---- what is said ----

ok 1 check case.cfg
says "mesh       torus.stl: 3200 triangles from (10.4, 2.4, 1.4) to (17.6, 27.6, 26.6) cells" \
    "mesh       sphere.stl: 3200 triangles from (10, 11" ", 0 % in doubt"
ok 3 geometry case.cfg
[[ -s out/tiny/geometry/middle_x.png ]] || fail "no picture of the meshes"
rm -rf out

# A mesh beyond a face is cut off there. What a periodic face cuts off does not return at the other one.
ok 1 check case.cfg --set 'geometry.meshes[1].place=[14, 0, 14]'
says "mesh       sphere.stl: 3200 triangles from (10, -4, 10)" \
    "warning: case.cfg:12: geometry.meshes[1] reaches 4 cells beyond y_low, where it is cut off: though periodic"
ok 1 check case.cfg --set 'geometry.meshes[1].place=[14, 0, 14]' --set boundaries.y_low.kind=no_slip --set boundaries.y_high.kind=no_slip
if grep -q 'geometry.meshes\[1\] reaches' err.txt; then fail "a mesh on a wall is warned of"; fi
# The torus is at least 4 cells thick; half as large it is not.
ok 1 check case.cfg
if grep -q 'cells thick' err.txt; then fail "a mesh that is thick enough is warned of"; fi
ok 1 check case.cfg --set geometry.meshes[0].scale=4.5
says "warning: case.cfg:11: geometry.meshes[0] is 3." " cells thick"

# ---- what is refused ----

# refuse_file NAME TEXT...: the first mesh, of this file, is refused.
refuse_file() {
    sed "s/torus.stl/$1/" case.cfg >bad.cfg
    refuse 2 check bad.cfg -- "bad.cfg:11: 'geometry.meshes[0].file'" "11 | " "${@:2}"
}
python3 - <<'PYTHON'
import struct
data = open("sphere.stl", "rb").read()
count = len(data) // 50 - 1
number = lambda n: struct.pack("<I", n)
files = {
    "empty.stl": b"",
    "none.stl": data[:80] + number(0),
    "cut.stl": data[:-20],
    "nan.stl": data[:84 + 12] + struct.pack("<f", float("nan")) + data[84 + 16:],
    "open.stl": data[:80] + number(count * 3 // 4) + data[84:84 + 50 * (count * 3 // 4)],
    "hole.stl": data[:80] + number(count - 1) + data[84:84 + 50 * 1501] + data[84 + 50 * 1502:],
    "text.stl": b"solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n",
    "some.stl": b"PNG, or whatever else",
    "more.stl": data + b"an end",
    "led.stl": b"\xef\xbb\xbf\r \rsolid\r" + b"".join(
        b"facet normal 0 0 0\router loop\r"
        + b"".join(b"vertex %.9g %.9g %.9g\r" % struct.unpack_from("<3f", data, 84 + 50 * i + 12 + 12 * k) for k in range(3))
        + b"endloop\rendfacet\r" for i in range(count)) + b"endsolid\r",
}
for name, content in files.items():
    open(name, "wb").write(content)
PYTHON
# Files that are read: the same cells as of sphere.stl.
ok 1 geometry case.cfg
sed -n 's/.*sphere.stl: \(.*\)/\1/p' out.txt >right.txt
for name in more led; do
    ok 1 geometry case.cfg --set geometry.meshes[1].file=$name.stl
    sed -n "s/^mesh .*$name.stl: \(.*\)/\1/p" out.txt | diff - right.txt || fail "$name.stl is not sphere.stl"
    [[ $name != more ]] || says "warning: --set geometry.meshes[1].file=more.stl: more.stl: 6 bytes behind its 3200 triangles"
done
rm -rf out
refuse_file empty.stl "empty.stl is empty"
refuse_file none.stl "none.stl: there is no triangle"
refuse_file cut.stl "cut.stl is truncated" "3200 triangles"
refuse_file nan.stl "nan.stl: triangle 1 of 3200 has a coordinate that is not a finite number"
refuse_file text.stl "text.stl:4: \"vertex 0 0\" has to be vertex and three finite numbers"
refuse_file some.stl "some.stl is no STL file"
refuse_file open.stl "the surface is not closed" "edges belong to an odd number of triangles" "at most 1 %"
ok 1 check case.cfg --set geometry.meshes[0].file=hole.stl --set 'geometry.meshes[0].place=[14.3, 15.1, 13.9]'
says "hole.stl: the surface is not closed: 3 edges belong to an odd number of triangles"

refuse 6 check case.cfg --set geometry.meshes[1].file=missing.stl -- "'geometry.meshes[1].file'" "No such file"
refuse 6 check case.cfg --set geometry.meshes[1].file=/dev/zero -- "/dev/zero: cannot be read"
sed 's/scale = 9.0/scale = 0.0/' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:11: 'geometry.meshes[0].scale' must be above 0"
sed 's/scale = 9.0/scale = 1e9/' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:11: 'geometry.meshes[0].file'" "reaches to" "check the scale"
sed 's/scale = 9.0/scale = 0.1/' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:11: 'geometry.meshes[0].file'" "no cell's centre in the domain is inside"
sed '11s/place = .14.0/place = [-20.0/' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:11: 'geometry.meshes[0].place' puts the mesh outside the domain: it reaches from (-23.6"
sed 's/kind = "moving_wall"/kind = "free_slip"/' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:13: 'geometry.meshes[1].kind' must be one of" "free_slip"
sed '13s/velocity = .*;/ /' case.cfg >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:13: 'geometry.meshes[1].kind' is \"moving_wall\"" "needs geometry.meshes[1].velocity"
ok 1 check case.cfg --set 'geometry.meshes[1].velocity=[0, 0.4, 0]'
says "geometry.meshes[1].velocity is 0.4 cells a step"
{ sed '/meshes = (/q' case.cfg; for _ in {1..247}; do echo '{ file = "sphere.stl"; },'; done; sed '1,/meshes = (/d' case.cfg; } >bad.cfg
refuse 2 check bad.cfg -- "bad.cfg:10: 'geometry.meshes' at most 245 objects and meshes, there are 249"

# ---- holes where every cell is clear, parts that overlap or occur twice ----

# A box of 4 x 4 x 4 cells without one of the triangles of its upper side; how many links of D3Q19 from the fluid into
# the box pass through that triangle; two boxes that overlap in 27 cells; a box twice; a plate; two
# boxes that share a side.
python3 - >links.txt <<'PYTHON'
import itertools
import struct

def box(low, size):
    triangles = []
    for axis in range(3):
        for side in range(2):
            p = []
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)) if side else ((0, 0), (0, 1), (1, 1), (1, 0)):
                at = [0, 0, 0]
                at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3] = side, u, v
                p.append([low[d] + size * at[d] for d in range(3)])
            triangles += [(p[0], p[1], p[2]), (p[0], p[2], p[3])]
    return triangles

def write(name, triangles):
    data = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for corner in t for x in corner), 0) for t in triangles)
    open(name, "wb").write(bytes(80) + struct.pack("<I", len(triangles)) + data)

whole = box((0, 0, 0), 4)
write("lid.stl", [t for t in whole if t != ([0, 0, 4], [4, 0, 4], [4, 4, 4])])
write("overlap.stl", whole + box((1, 1, 1), 4))
write("twice.stl", 2 * whole)
write("plate.stl", [[[3 * x, 3 * y, 0.75 * z] for x, y, z in t] for t in whole])
write("touch.stl", whole + box((4, 0, 0), 4))
links = 0
for cell in itertools.product(range(4), repeat=3):
    for e in itertools.product((-1, 0, 1), repeat=3):
        to = [cell[d] + 0.5 + (0.0014, 0.0017, 0.0022)[d] for d in range(3)]  # beside a cell's centre, where it is tested
        if sum(map(abs, e)) in (1, 2) and e[2] == 1 and cell[2] == 3:
            x, y = (to[d] + e[d] * (4 - to[2]) for d in range(2))
            links += 4 > x > y > 0
print(links)
PYTHON
cat >box.cfg <<'CFG'
steps = 0;
domain = { cells = [20, 20, 20]; };
lbm = { tau = 1.0; };
geometry = {
    meshes = (
        { file = "lid.stl"; place = [5.0, 6.0, 7.0]; }
    );
};
CFG
ok 1 check box.cfg
says "64 cells inside, 0 % in doubt" "warning: box.cfg:6: lid.stl: the surface is not closed: 3 edges"
ok 3 check box.cfg --set geometry.meshes[0].kind=curved_wall
says "$(<links.txt) links from the fluid to the curved wall meet no triangle"
ok 1 check box.cfg --set geometry.meshes[0].file=overlap.stl
says "74 cells inside" "geometry.meshes[0].file=overlap.stl: overlap.stl: closed parts of the surface overlap: 27 cells"
ok 1 check box.cfg --set geometry.meshes[0].file=touch.stl --set geometry.meshes[0].kind=curved_wall
says "128 cells inside" "touch.stl: 2 of its 24 triangles repeat earlier ones"
if grep -q 'not closed\|overlap' err.txt; then fail "two boxes side by side are closed, and do not overlap"; fi
ok 1 check box.cfg --set geometry.meshes[0].file=plate.stl --set 'geometry.meshes[0].rotation=[30, 20, 10]'
says "geometry.meshes[0] is 3 cells thick"
refuse 2 check box.cfg --set geometry.meshes[0].file=twice.stl -- "'geometry.meshes[0].file'" "12 of its 24 triangles"

# ---- objects, too: bodies that a face cuts off, that lie outside, or that few cells resolve ----

cat >bodies.cfg <<'CFG'
steps = 0;
domain = { cells = [40, 30, 20]; };
lbm = { tau = 0.8; length = 8.0; };
boundaries = {
    x_low = { kind = "velocity"; velocity = [0.01, 0.0, 0.0]; };
    x_high = { kind = "pressure"; };
    y_low = { kind = "no_slip"; };
    y_high = { kind = "free_slip"; };
};
CFG
bodies() { # OBJECTS [TEXT]: they are warned of, once, on their line; without a text, they are not
    { cat bodies.cfg; echo "geometry = { objects = ( $1 ); };"; } >bad.cfg
    ok 1 check bad.cfg
    if (($# == 1)); then
        if grep -q ^warning err.txt; then fail "warned of: $1"; fi
        return
    fi
    says "warning: bad.cfg:10: geometry.objects[0] $2"
    if (($(grep -c ^warning err.txt) != 1)); then fail "more than one warning of $1"; fi
}
sphere() { echo "{ shape = \"sphere\"; center = [$1]; radius = $2; }"; }
box() { echo "{ shape = \"box\"; low = [$1]; high = [$2]; }"; }
cylinder() { echo "{ shape = \"cylinder\"; low = [$1]; high = [$2]; radius = $3; bore = ${4-0.0}; }"; }
bodies "$(sphere "20.0, 15.0, 1.5" 5.0)" "reaches 3.5 cells beyond z_low"
bodies "$(sphere "20.0, 15.0, 18.0" 4.0), $(sphere "9.0, 15.0, 19.0" 4.0)" "reaches 2 cells beyond z_high, where it is cut off: though periodic"
says "(and so for 1 more)"
bodies "$(sphere "2.0, 15.0, 10.0" 5.0)" "reaches 3 cells beyond x_low, where it is cut off: move"
bodies "$(cylinder "38.0, 15.0, -2.0" "38.0, 15.0, 22.0" 6.0)" "reaches 4 cells beyond x_high"
bodies "$(cylinder "20.0, 15.0, -1.0" "20.0, 15.0, 10.0" 6.0)" "reaches 1 cells beyond z_low"
bodies "$(box "10.0, 10.0, -3.0" "20.0, 20.0, 10.0")" "reaches 3 cells beyond z_low"
bodies "$(box "10.0, 10.0, 20.0" "20.0, 20.0, 30.0")" "lies outside the domain"
bodies "$(sphere "20.0, 15.0, 10.0" 1.9)" "is 3.8 cells thick"
bodies "$(sphere "20.0, -5.0, 10.0" 7.0)" "is 2 cells thick"
bodies "$(box "10.0, 10.0, 3.0" "12.5, 20.0, 10.0")" "is 2.5 cells thick"
bodies "$(cylinder "20.0, 15.0, -2.0" "20.0, 15.0, 22.0" 6.0 3.5)" "is 2.5 cells thick"
bodies "$(cylinder "10.0, 8.0, 8.0" "25.0, 22.0, 12.0" 1.5)" "is 3 cells thick"
# what is usual: on a wall or half in it, across the domain, from an inlet on, a layer on a face, twice at a periodic
# face, a fan
bodies "$(sphere "20.0, 0.0, 10.0" 5.0), $(box "18.0, 22.0, 5.0" "24.0, 33.0, 15.0")"
bodies "$(cylinder "20.0, 15.0, -2.0" "20.0, 15.0, 22.0" 6.0)"
bodies "$(box "-5.0, -1.0, -1.0" "12.0, 8.0, 21.0"), $(cylinder "-3.0, 15.0, 10.0" "20.0, 15.0, 10.0" 4.0)"
bodies "$(box "-1.0, -1.0, -1.0" "41.0, 2.0, 21.0"), $(box "0.0, 29.0, 0.0" "40.0, 30.0, 20.0")"
bodies "$(sphere "20.0, 15.0, 1.5" 5.0), $(sphere "20.0, 15.0, 21.5" 5.0)"
bodies "{ shape = \"box\"; low = [10.0, 10.0, 3.0]; high = [11.0, 20.0, 10.0]; kind = \"velocity\"; velocity = [0.01, 0.0, 0.0]; }"
for case in block_2_1_1 cylinder obstacle sphere; do
    ok 1 check "$source/input/$case.cfg"
    if grep 'geometry.objects' err.txt; then fail "objects of $case.cfg are warned of"; fi
done

# ---- fluid inside ----

# A flow through a tube is that through the same tube as a hole in a block, on any processes.
"$source/scripts/make_mesh.py" tube.stl cylinder 400 >/dev/null || fail "make_mesh.py cylinder"
python3 - <<'PYTHON'
import struct
data = open("tube.stl", "rb").read()
def triangle(corners):
    return struct.pack("<12fH", 0, 0, 0, *(x for corner in corners for x in corner), 0)
tube = [struct.iter_unpack("<3f", data[i + 12:i + 48]) for i in range(84, len(data), 50)]
at = [[9.0 if i >> d & 1 else -9.0 for d in range(3)] for i in range(8)]
sides = "021 123 456 576 014 154 263 367 042 246 135 375".split()
block = [triangle(at[int(i)] for i in side) for side in sides]
open("block.stl", "wb").write(data[:80] + struct.pack("<I", len(tube) + 12) + b"".join(block)
                              + b"".join(triangle([a, c, b]) for a, b, c in tube))
PYTHON
cat >case.cfg <<'CFG'
name = "tiny"; steps = 10; domain = { cells = [9, 27, 27]; };
lbm = { tau = 0.8; force = [1e-5, 0.0, 0.0]; velocity = 0.01; length = 10.3; };
geometry = { meshes = ( { file = "tube.stl"; scale = 10.3; rotation = [0.0, 90.0, 0.0];
    place = [3.0, 13.4, 13.5]; fluid = "inside"; } ); };
forces = { every = 5; };
CFG
block=(--set geometry.meshes[0].file=block.stl --set geometry.meshes[0].fluid=outside)
for kind in no_slip curved_wall; do
    wall=(--set "geometry.meshes[0].kind=$kind")
    same_on_any_cut "${wall[@]}"
    same_state 2 --set lbm.streaming=list "${wall[@]}"
    same_state 1 "${block[@]}" "${wall[@]}"
    ok 1 run case.cfg --quiet "${wall[@]}"
    mv out/tiny/forces.csv forces.csv
    if [[ -s err.txt ]]; then fail "warned of a flow in a tube: $(cat err.txt)"; fi
    ok 2 run case.cfg --quiet "${wall[@]}" "${block[@]}"
    cmp forces.csv out/tiny/forces.csv || fail "other forces on a tube"
    rm -rf out
done
# Poiseuille's: where the wall is off by 0.1 cells, it is off by 2 %.
ok 1 run case.cfg --quiet --set steps=4000 --set 'domain.cells=[2, 27, 27]' --set geometry.meshes[0].kind=curved_wall \
    --set output.probe_every=4000 --set 'output.probes=( { name = "axis"; cell = [0, 13, 13]; } )'
awk -F, 'END { right = 1e-5 * (10.3^2 - 0.1^2) / (4 * 0.1); exit !($4 > 0.99 * right && $4 < 1.01 * right) }' out/tiny/probe_axis.csv ||
    fail "not Poiseuille's flow: $(tail -n 1 out/tiny/probe_axis.csv)"
rm -rf out
# Faces cut a vessel open; what else is solid, is so inside, too.
faces=(--set 'lbm.force=[0, 0, 0]' --set boundaries.x_low.kind=velocity --set 'boundaries.x_low.velocity=[0.01, 0, 0]'
    --set boundaries.x_high.kind=pressure)
ok 1 check case.cfg "${faces[@]}" --set 'geometry.meshes[0].place=[44.0, 13.4, 13.5]'
says "cells inside, of the fluid" "no fluid leads from face x_low to face x_high"
edit 's/ length = 10.3;//'
ok 1 check bad.cfg "${faces[@]}"
if grep -q ^warning err.txt; then fail "a tube is warned of: $(cat err.txt)"; fi
first=
ball='geometry.objects=( { shape = "sphere"; center = [5.0, 13.0, 13.0]; radius = 3.0; } )'
same_state 1 "${faces[@]}" --set "$ball"
same_state 4 "${faces[@]}" --set "$ball" --set 'parallel.processes=[2, 2, 1]'
same_state 1 "${faces[@]}" --set "$ball" "${block[@]}"
# Of two vessels the fluid is in both, here where two circles overlap; one that holds all cells leaves nothing solid.
in_both='{ file = "tube.stl"; fluid = "inside"; scale = 10.3; rotation = [0.0, 90.0, 0.0]; place = [3.0, %s, 13.5]; }'
# shellcheck disable=SC2059
ok 1 check case.cfg --set "geometry.meshes=( $(printf "$in_both, $in_both" 13.4 15.0) )"
awk '/^pores / { share = $3 } END { exit !(share > 0.405 && share < 0.419) }' out.txt || fail "two vessels: $(grep ^pores out.txt)"
refuse 2 check case.cfg --set 'domain.cells=[9, 10, 10]' --set 'geometry.meshes[0].place=[3, 5, 5]' -- \
    "geometry.meshes[0].file" "nothing solid" "fluid"
python3 -c '
import struct
data = open("tube.stl", "rb").read()
count = len(data) // 50 - 1
sides = b"".join(data[84 + 200 * i:84 + 200 * i + 100] for i in range(count // 4))
open("open.stl", "wb").write(data[:80] + struct.pack("<I", count // 2) + sides)'
refuse 2 check case.cfg --set geometry.meshes[0].file=open.stl -- "geometry.meshes[0].file" "not closed"

finish
