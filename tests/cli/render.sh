#!/usr/bin/env bash
# Pictures in three dimensions: scripts/render.py.
source "$2/tests/cli/common.bash"
source=$2

# That which scripts/setup.sh --plots makes, or any other Python that has what it needs.
for python in "$source/build/plots/bin/python" python3 /usr/bin/python3; do
    if "$python" -c 'import h5py, PIL, pyvista' 2>/dev/null; then break; fi
    python=
done
if [[ ! $python ]]; then
    echo "skipped: no pyvista here; scripts/setup.sh --plots installs it"
    exit 77
fi

cat >ball.cfg <<'CFG'
name = "ball";
steps = 20;
domain = { cells = [24, 20, 22]; };
lbm = { tau = 0.8; };
initial = { kind = "taylor_green_3d"; velocity = [0.05, 0.0, 0.0]; };
geometry = { objects = ( { shape = "sphere"; center = [12.0, 10.0, 11.0]; radius = 4.0; } ); };
output = { every = 10; quantities = "velocity, q_criterion, solid"; };
CFG
cat >crystal.cfg <<'CFG'
application = "dendrite";
name = "crystal";
steps = 2;
domain = { cells = [24, 24, 24]; };
dendrite = { interface_width = 80e-9; undercooling = 0.5;
             nuclei = ( { center = [2.4e-7, 2.4e-7, 2.4e-7]; radius = 1.4e-7; } ); };
output = { every = 2; };
CFG
ok 1 run ball.cfg --quiet
ok 1 run crystal.cfg --quiet
ok 1 run crystal.cfg --quiet --set name=layer --set 'domain.cells=[24, 24, 1]' --set 'dendrite.nuclei[0].center=[2.4e-7, 2.4e-7, 0.0]'
ok 1 run crystal.cfg --quiet --set name=nothing --set output.fields=false

# One Python, since loading the packages takes most of a picture's time.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$source/scripts "$python" - >out.txt 2>err.txt <<'PYTHON' || fail "see above"
import contextlib
import io
import sys

import numpy
from PIL import Image

import render
import wabe

def call(*arguments):
    """Exit code and everything printed."""
    said = io.StringIO()
    sys.argv = ["render.py", *arguments]
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            render.main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
            said.write("" if isinstance(end.code, int) else f"{end.code}\n")
    return code, said.getvalue()

def draws(*arguments, size=(320, 200), frames=1):
    code, said = call(*arguments, "--size", f"{size[0]}x{size[1]}")
    assert code == 0, (arguments, said)
    with Image.open(said.strip()) as picture:
        assert picture.size == size and getattr(picture, "n_frames", 1) == frames, (arguments, picture)
        assert len(set(picture.convert("RGB").getdata())) > 100, arguments
    return said.strip()

def refuses(code, text, *arguments):
    found, said = call(*arguments)
    assert found == code and text in said, (arguments, found, said)
    assert code == 2 or said.count("\n") == 1, said

assert draws("out/ball") == "out/ball/render_q_criterion_00000020.png"
draws("out/ball", "streamlines", "--step", "10", "--up", "z", "--lines", "20")
draws("out/ball", "velocity", "--step", "20", "solid", "--coarsen", "2", "--range", "0", "0.1", "--size", "64x64")
draws("out/ball", "q_criterion", "--film", frames=3)
assert draws("out/crystal", "--turn", "--frames", "3", frames=3) == "out/crystal/render_phi.gif"

# The Q-criterion made of the velocity is that of the run, away from walls and faces.
fields = wabe.Run("out/ball").fields()
made = render.q_criterion(fields["velocity"], 1.0)
solid = fields["solid"] > 0.5
near = numpy.pad(numpy.zeros([n - 4 for n in solid.shape], bool), 2, constant_values=True)
for axis in range(3):
    near |= solid | numpy.roll(solid, 1, axis) | numpy.roll(solid, -1, axis)
right = fields["q_criterion"]
assert abs(made - right)[~near].max() < 1e-4 * abs(right[~near]).max()

# The surface of a crystal is where its phase is in the middle: a nucleus of 7 cells.
crystal = render.Step(wabe.Run("out/crystal").path(0), 1)
levels = {}
points = render.surface(crystal, "phi", None, levels, None).points
assert abs(levels["phi"] - 0.5) < 0.01, levels
assert abs(numpy.linalg.norm(points - 12.0, axis=1) - 7.0).max() < 0.5
walls = render.solids(render.Step(wabe.Run("out/ball").path(20), 1))
assert abs(numpy.linalg.norm(walls.points - (12.0, 10.0, 11.0), axis=1) - 4.0).max() < 1.0

refuses(1, "no such folder", "out/none")
refuses(1, "no files of fields", "out/nothing")
refuses(1, "no swirl", "out/ball", "swirl")
refuses(1, "no swirl", "out/ball", "--color", "swirl")
refuses(1, "velocity", "out/crystal", "streamlines")
refuses(1, "no streamlines", "out/ball", "streamlines", "--box", "11", "12", "9", "10", "10", "11")
refuses(1, "no step 7", "out/ball", "--step", "7")
refuses(1, "no surface", "out/crystal", "phi", "--level", "1.5")
refuses(1, "three-dimensional", "out/layer")
refuses(1, "three-dimensional", "out/ball", "--coarsen", "20")
refuses(1, "No such file", "out/ball", "--output", "none/ball.png")
refuses(2, "--size", "out/ball", "--size", "12")
refuses(2, ".gif", "out/ball", "--turn", "--output", "ball.png")
refuses(2, "--view", "out/ball", "--view", "0", "1", "0")
PYTHON

# By itself it finds that Python, if this one lacks packages.
if [[ -e $source/build/plots/bin/python ]]; then
    code=0
    /usr/bin/env python3 "$source/scripts/render.py" --help >out.txt 2>err.txt || code=$?
    if ((code != 0)); then fail "code $code of --help"; fi
fi

finish
