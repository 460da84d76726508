#!/usr/bin/env bash
# Solids below a map of heights, and generated cities: what is refused, with the line of the key; the same bits
# however the domain is cut; what wabe check says of them.
source "$2/tests/cli/common.bash"
source=$2
left_behind=out

# A grey image of 16 bits, 20 x 16, with values of 100 to 500 in equal shares.
python3 - <<'PYTHON'
import struct
import zlib

rows = [[100 * (1 + (3 * x + 7 * y) % 5) for x in range(20)] for y in range(16)]
data = b"".join(b"\0" + struct.pack(">20H", *row) for row in rows)
header = struct.pack(">IIBBBBB", 20, 16, 16, 0, 0, 0, 0)
with open("map.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n")
    for part in (b"IHDR" + header, b"IDAT" + zlib.compress(data), b"IEND"):
        file.write(struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)))
PYTHON

cat >case.cfg <<'CFG'
name = "tiny";
steps = 10;
domain = { cells = [20, 12, 16]; };
lbm = { tau = 0.8; force = [1e-5, 0.0, 0.0]; };
boundaries = { y_low = { kind = "no_slip"; }; y_high = { kind = "free_slip"; }; };
geometry = {
    heights = { file = "map.png"; scale = 0.01; offset = 0.25; };
};
CFG

same_on_any_cut() {
    first=
    same_state 1
    same_state 3
    same_state 4 --set "parallel.processes=[1, 2, 2]"
}
same_on_any_cut
ok 1 check case.cfg
says "heights    map.png: 1.25 to 5.25 cells along y" "solids     25 % of the domain"

# The picture from above has the heights, and those of the cells say what their colours mean.
for ranks in 1 3; do
    rm -rf out
    ok $ranks geometry case.cfg
    says "out/tiny/geometry/middle_x.png, middle_y.png, middle_z.png, heights.png"
    for text in height 1.25 5.25 cells; do
        grep -qa "$text" out/tiny/geometry/heights.png || fail "heights.png does not have $text"
    done
    grep -qa "yellow: fluid, grey: solid" out/tiny/geometry/middle_y.png || fail "what do the colours mean?"
done

# refuse_map EDIT TEXT...: the case, changed by sed.
refuse_map() {
    sed "$1" case.cfg >bad.cfg
    refuse "${code_expected:-2}" check bad.cfg -- "bad.cfg:7: 'geometry.heights.$2" "7 | " "${@:3}"
}
refuse_map 's/0.01/0.03/' file "is higher than the domain: the heights are 3.25 to 15.25 cells, and domain.cells has 12 along y"
refuse_map 's/0.25/-5.0/' file "leaves nothing solid: the heights are -4 to 0 cells"
refuse_map 's/offset/up = "z"; offset/' file "map.png has 20 x 16 pixels; it has to have 20 x 12"
refuse_map 's/map.png/case.cfg/' file "case.cfg: cannot be read as PNG"
refuse_map 's/offset/kind = "periodic"; offset/' kind "must be one of"
refuse_map 's/offset/velocity = [0.1, 0.0, 0.0]; offset/' velocity "is not used: geometry.heights.kind is \"no_slip\""
code_expected=6 refuse_map 's/map.png/none.png/' file "none.png: cannot be read: No such file"
head -c 100 map.png >cut.png
refuse_map 's/map.png/cut.png/' file "cut.png: cannot be read as PNG"

# ---- curved walls ----

# A floor between the centres of two rows of cells lies where it is: Poiseuille's flow above it.
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    /usr/bin/python3 -c 'import h5py, numpy
with h5py.File("floor.hdf", "w") as file:
    file["heights"] = numpy.full((4, 4), 2.25)'
    cat >floor.cfg <<'CFG'
name = "tiny";
steps = 6000;
domain = { cells = [4, 12, 4]; };
lbm = { collision = "trt"; tau = 1.0; force = [1e-5, 0.0, 0.0]; };
boundaries = { y_low = { kind = "no_slip"; }; y_high = { kind = "no_slip"; }; };
geometry = { heights = { file = "floor.hdf"; kind = "curved_wall"; }; };
output = { precision = "f64"; };
CFG
    ok 1 run floor.cfg --quiet
    /usr/bin/python3 - <<'PYTHON' || fail "the floor of a curved wall lies elsewhere"
import h5py
with h5py.File("out/tiny/fields_00006000.hdf") as file:
    found = file["VTKHDF/PointData/velocity"][0, 2:, 0, 0]
exact = [1e-5 * (y + 0.5 - 2.25) * (11.5 - y) / 2 * 6 for y in range(2, 12)]  # viscosity 1/6
worst = max(abs(a - b) for a, b in zip(found, exact)) / max(exact)
assert worst < 0.01, worst  # at walls of cells it would be 0.1
PYTHON
    rm -rf out
    sed 's/heights = {/& kind = "curved_wall";/' case.cfg >level.cfg
    mv case.cfg steps.cfg && mv level.cfg case.cfg
    same_on_any_cut
    mv steps.cfg case.cfg
fi

# ---- a city on this terrain ----

mv case.cfg map.cfg
sed '/heights = /a \    city = { pitch = 5.0; share = 0.36; height = 3.0; sigma = 0.3; towers = 0.1; tower_height = 6.0; };' map.cfg >case.cfg
same_on_any_cut
terrain=$first
sed -i /heights/d case.cfg
same_on_any_cut
[[ $first != "$terrain" ]] || fail "the city does not stand on the terrain"
ok 1 check case.cfg
says "city       9 buildings and 3 towers, 1 to 6 cells high, on 0.338 of the ground"

# refuse_city EDIT KEY TEXT...: the city, changed by sed.
refuse_city() {
    sed "$1" case.cfg >bad.cfg
    refuse 2 check bad.cfg -- "bad.cfg:7: 'geometry.city.$2'" "7 | " "${@:3}"
}
refuse_city 's/0.36/1.0/' pitch "streets are 0 cells wide"
refuse_city 's/tower_height = 6.0/tower_height = 13.0/' pitch "is 13 cells high, and reaches to 13 cells along y; there is room up to 12"
refuse_city 's/pitch = 5.0/pitch = 17.0/' pitch "extends from 0 to 16 cells along z, which is less than a pitch of 17"
refuse_city 's/height = 3.0;//' pitch "needs geometry.city.height"
refuse_city 's/pitch = 5.0;//' height "needs geometry.city.pitch"
refuse_city 's/tower_height = 6.0;//' towers "needs geometry.city.tower_height"
refuse_city 's/towers = 0.1;//' tower_height "is not used"
refuse_city 's/height = 3.0/height = 0.0/' height "must be above 0"
refuse_city 's/sigma/low = [0.0, 0.0, -1.0]; sigma/' low "must lie within domain.cells"
refuse_city 's/sigma/roughness = 0.1; sigma/' roughness "is not used"
refuse_city 's/sigma/kind = "wall_function"; sigma/' kind "lbm.les.model"
refuse 2 check case.cfg --set geometry.heights.file=map.png --set geometry.heights.up=z --set 'domain.cells=[20, 16, 12]' -- \
    "'geometry.heights.file'" "higher than the domain"
refuse 2 check case.cfg --set geometry.heights.file=map.png --set geometry.heights.scale=0.01 --set geometry.city.up=z -- \
    "'geometry.city.up' contradicts geometry.heights.up"

# ---- maps from rasters ----

# This Python has numpy and h5py, or there is none.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy, h5py' 2>/dev/null; then break; fi
    python=
done
if [[ $python ]]; then
    # A slope of 1 in 10 to the east and 3 in 100 to the north, 48 x 40 points 10 m apart, and a tower of 50 m on it.
    "$python" - <<'PYTHON'
import numpy as np

rows, columns = np.mgrid[0:40, 0:48]
slope = 100 + 1.0 * columns + 0.3 * (39 - rows)
tower = np.where((rows == 10) & (columns == 30), 50.0, -9999.0)
head = "ncols 48\nnrows 40\nxllcorner 1000\nyllcenter 2005\ncellsize 10\nNODATA_value -9999\n"
for name, values in (("slope", slope), ("tower", tower), ("gap", np.where(tower > 0, -9999.0, slope))):
    with open(name + ".asc", "w") as file:
        file.write(head + "\n".join(" ".join(f"{v:g}" for v in row) for row in values) + "\n")
np.save("slope.npy", slope)
PYTHON
    # made ARGUMENT...: a map is made; what is printed is an input file, but for the number along y.
    made() {
        "$source/scripts/make_heights.py" "$@" >out.txt 2>err.txt </dev/null || fail "make_heights.py $*"
        { printf 'steps = 1; lbm = { tau = 0.8; };\n' && grep '^[dg]' out.txt; } >made.cfg
        cp out.txt made.txt
        ok 1 check made.cfg
    }
    unmade() {
        if "$source/scripts/make_heights.py" "${@:2}" >out.txt 2>err.txt </dev/null; then fail "make_heights.py ${*:2}"; fi
        says "$1"
    }
    made map.png slope.asc --buildings tower.asc --cell 5
    grep -qF "96 x 80 columns of 5 m; ground up to 58.7 m above the lowest one, which lies at 100 m" made.txt || fail "$(<made.txt)"
    says "heights    map.png: 0 to 17.804 cells along y"
    for wind in 270 0 90; do
        made map_$wind.hdf slope.npy --spacing 10 --cell 10 --cells 12 8 --wind $wind
    done
    # To the east the ground rises, to the north less so; the domain's z axis lies to the right of the wind.
    "$python" - <<'PYTHON' || fail "maps do not turn with the wind"
import h5py
import numpy as np

for wind, along, across in ((270, 1.0, -0.3), (0, -0.3, -1.0), (90, -1.0, 0.3)):
    with h5py.File(f"map_{wind}.hdf") as file:
        heights = file["heights"][...]
    assert heights.shape == (8, 12) and heights.min() == 0, heights.shape
    assert np.allclose(np.diff(heights, axis=1), along, atol=1e-4) and np.allclose(np.diff(heights, axis=0), across, atol=1e-4), wind
PYTHON
    unmade "slope.asc: does not cover the domain" map.png slope.asc --cell 5 --cells 90 60 --wind 300
    for wind in 0 30 90 135 250 300; do # without --cells the largest domain that fits; a cell more along each axis does not
        made map.png slope.asc --cell 5 --wind $wind
        read -r nx nz < <(sed -n 's/^map.png: \([0-9]*\) x \([0-9]*\) columns.*/\1 \2/p' made.txt)
        unmade "slope.asc: does not cover the domain" map.png slope.asc --cell 5 --wind $wind --cells $((nx + 2)) $((nz + 2))
    done
    unmade "gap.asc: has no data at" map.png gap.asc --cell 10
    unmade "slope.npy: needs --spacing" map.png slope.npy --cell 10
    unmade "none.asc: there is no such file" map.png none.asc --cell 10
    unmade "case.cfg: is no ESRI ASCII grid" map.png case.cfg --cell 10
    head -c 900 slope.asc >cut.asc
    unmade "instead of 40 x 48" map.png cut.asc --cell 10
    unmade "must end in .png or .hdf" map.tif slope.asc --cell 10
fi

finish
