#!/usr/bin/env bash
# The pictures of forecasts, of measured machines, of grids and of runs: scripts/plot_prediction.py, plot_machine.py,
# plot_grids.py, plot_streamed.py, plot_overlap.py, plot_profiles.py, plot_residence.py, plot_dendrite.py,
# plot_dissipation.py, plot_forces.py, plot_wind.py, plot_channel.py, plot_weather.py, plot_phases.py, plot_two_phase.py, make_film.py,
# watch.py.
source "$2/tests/cli/common.bash"
write_case

# They take the Python that has matplotlib, if there is one.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import matplotlib' 2>/dev/null; then break; fi
done
if ! "$python" -c 'import matplotlib' 2>/dev/null; then
    echo "no matplotlib here"
    exit 77
fi
source=$2

# Most of a picture's time would go into loading matplotlib. So one Python does that, and has each script run by a child.
cat >painter.py <<'PYTHON'
import os, runpy, signal, sys
sys.path.insert(0, sys.argv[1])
import plotting
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        signal.alarm(300)
        for number, name in enumerate(("/dev/null", "out.txt", "err.txt")):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = line.rstrip("\n").split("\t")
        runpy.run_path(sys.argv[0], run_name="__main__")
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
PYTHON
coproc painter { exec "$python" painter.py "$source/scripts"; }

# plot SCRIPT ARGUMENT...
plot() {
    local IFS=$'\t'
    echo "$source/scripts/$*" >&"${painter[1]}"
    read -r code <&"${painter[0]}" || code="none"
}

# draws FILE.png SCRIPT ARGUMENT...: it writes this picture.
draws() {
    local picture=$1
    shift
    rm -f "$picture"
    plot "$@"
    if ((code != 0)); then fail "code $code: $*"; fi
    if [[ $(head -c 4 "$picture" | tail -c 3) != PNG ]]; then fail "no picture $picture: $*"; fi
    if [[ $(tail -n 1 out.txt) != "$picture" ]]; then fail "it does not name $picture: $*"; fi
}

# complains TEXT SCRIPT ARGUMENT...: one line says why there is no picture.
complains() {
    local text=$1
    shift
    plot "$@"
    if ((code != 1)); then fail "code $code instead of 1: $*"; fi
    if (($(cat out.txt err.txt | wc -l) != 1)); then fail "more than a line: $*"; fi
    says "$1: " "$text"
}

# ---- forecasts ----

machine=$source/input/machines/tsubame2.cfg
ok 1 predict case.cfg --machine "$machine" --nodes 1,2,4 --csv strong.csv --quiet
ok 1 predict case.cfg --machine "$machine" --nodes 1,8,27 --weak --csv weak.csv --quiet
sed 's/memory = 3.0/memory = 1e-9/' "$machine" >tiny.cfg
ok 1 predict case.cfg --machine tiny.cfg --nodes 1,2 --csv tiny.csv
sed 's/,network,/,netvork,/' strong.csv >other.csv
sed 's/-D,/-D,x/g; s/,[0-9.]*,1,1$/,x,1,1/' strong.csv >words.csv

code=0
"$source/scripts/plot_prediction.py" --help >out.txt 2>err.txt || code=$? # by itself
if ((code != 0)); then fail "code $code of --help"; fi
draws strong.png plot_prediction.py strong.csv
draws both.png plot_prediction.py strong.csv weak.csv --output both.png
ok 1 predict case.cfg --machine "$machine" --nodes 1 --csv one.csv --quiet
draws one.png plot_prediction.py one.csv
complains "No such file" plot_prediction.py none.csv
complains "not what wabe predict --csv writes" plot_prediction.py other.csv
complains "not what wabe predict --csv writes" plot_prediction.py words.csv
complains "has no grid that fits" plot_prediction.py tiny.csv
complains "No such file" plot_prediction.py strong.csv --output none/strong.png

# ---- machines ----

cat >machine.cfg.csv <<'CSV'
what,of,size,microseconds,fitted
copy,cpu0,1e+09,90000,0
buffers,cpu0,4480,15,14
buffers,cpu0,286720,40,41
kernel,cpu0 f64 pull 1.00,4096,70,70
kernel,cpu0 f64 pull 1.00,512,60,60
kernel,cpu0 f64 pull 1.00,512,50,50
kernel,cpu0 f32 list 0.70,5600,60,60
kernel,cpu0 f32 list 0.70,44800,0,0
split,cpu0 f64 pull 1.00,8,2,2
node,one pair,8,1.1,1.0
node,one pair,8192,5,6
exchange,cpu,8,-3,0
CSV
grep -v 'kernel\|split' machine.cfg.csv >links.csv
grep 'what\|copy' machine.cfg.csv >copy.csv
sed 's/f64 pull 1.00/pull/' machine.cfg.csv >flavour.csv
head -c 150 machine.cfg.csv >cut.csv

plot plot_machine.py --help
if ((code != 0)); then fail "code $code of --help"; fi
draws machine.cfg.png plot_machine.py machine.cfg.csv
draws other.png plot_machine.py links.csv --output other.png
complains "No such file" plot_machine.py none.csv
complains "not what wabe calibrate writes" plot_machine.py strong.csv
complains "not what wabe calibrate writes" plot_machine.py cut.csv
complains "not a flavour of a kernel: 'cpu0 pull'" plot_machine.py flavour.csv
complains "has neither messages nor kernels" plot_machine.py copy.csv
complains "No such file" plot_machine.py links.csv --output none/links.png

# ---- grids ----

cat >grids.csv <<'CSV'
case,processes,transport,overlap,no_overlap,none,exchange,hidden,of_limit
himeno M,2,host,1.0,1.4,0.9,0.55,0.8,0.9
diffusion f32 128^3,2,any,1.0,1.1,1.0,0.1,nan,0.9
CSV
draws grids.png plot_grids.py grids.csv
complains "No such file" plot_grids.py none.csv
complains "not what bench_grids.py --output writes" plot_grids.py strong.csv
complains "No such file" plot_grids.py grids.csv --output none/grids.png

# ---- streamed flows ----

cat >streamed.csv <<'CSV'
series,gpus,storage,planes,gigabytes,limit,residency,steps_per_pass,mlups,share,load,store,kernels
size,1,f64,64,0.04,0.02,streamed,16,9.9,0.72,50,50,0.99
steps,1,f64,128,0.08,0.02,streamed,1,4.2,0.31,,,0.99
weak,2,f64,128,0.08,0.02,resident,1,13.5,0.98,,,
CSV
draws streamed.png plot_streamed.py streamed.csv
head -2 streamed.csv >size.csv
draws size.png plot_streamed.py size.csv
complains "No such file" plot_streamed.py none.csv
complains "not what bench_streamed.py --output writes" plot_streamed.py strong.csv

# ---- overlap ----

cat >overlap.csv <<'CSV'
cells,overlap,no_overlap,no_communication,one_gpu,kernels_ms,exchange_ms,predicted_exchange_ms
128,22962.9,19611.1,26373.2,14873.0,0.1193,0.0411,
256,30888.1,26477.0,31254.9,18014.2,0.4026,0.0727,0.0780
CSV
draws overlap.png plot_overlap.py overlap.csv
complains "not what bench_overlap.py writes" plot_overlap.py strong.csv

# ---- runs ----

ok 1 run case.cfg --quiet --set monitor.every=5 --set output.profiles=true --set output.every=20
draws out/tiny/profiles.png plot_profiles.py out/tiny
printf '25,half a li' >>out/tiny/monitor.csv
plot watch.py out/tiny
if ((code != 0)) || [[ $(tail -n 1 out.txt) != out/tiny/watch.png ]]; then fail "watch.py"; fi
says "step 20  time 20  mass_drift "
head -n 1 out/tiny/monitor.csv >monitor.csv
mv monitor.csv out/tiny
plot watch.py out/tiny
if ((code != 0)); then fail "watch.py of a run that has just begun"; fi
says "nothing in monitor.csv yet"
# What is zero or has no values gets no panel: the picture is lower then.
mkdir watched
height() { od -An -tu1 -j20 -N4 watched/watch.png | awk '{ print 256 * (256 * (256 * $1 + $2) + $3) + $4 }'; }
printf '%s\n' step,time,mean,flux_x,flux_y,residual 1,1,5,1,1,0.1 2,2,5,2,3,0.2 >watched/monitor.csv
plot watch.py watched
whole=$(height)
printf '%s\n' step,time,mean,flux_x,flux_y,residual 1,1,5,1,1e-18,nan 2,2,5,2,-1e-18,nan >watched/monitor.csv
plot watch.py watched
if ((code != 0 || $(height) * 2 > whole + 2)); then fail "watch.py draws what has no values: $(height) of $whole pixels"; fi
says "without a panel" "flux_y, residual"
printf '%s\n' step,time,mean 1,1,0 >watched/monitor.csv
plot watch.py watched
if ((code != 0)); then fail "watch.py of a run without motion"; fi
says "nothing to draw"
complains "none: there is no such folder" watch.py none
mkdir medium
printf 'arrived,steps,steps_over_mean\n0.25,10,0.5\n0.5,20,1\n1,40,2\n' >medium/residence.csv
draws medium/residence.png plot_residence.py medium
draws times.png plot_residence.py medium medium --output times.png
complains "porous.tracers" plot_residence.py out/tiny
complains "profiles.csv" plot_profiles.py medium
cat >crystal.cfg <<'CFG'
application = "dendrite";
name = "crystal";
steps = 30;
domain = { cells = [40, 40, 1]; };
dendrite = { interface_width = 80e-9; undercooling = 0.5; nuclei = ( { center = [4e-7, 4e-7, 0.0]; radius = 1e-7; } ); };
monitor = { every = 10; };
CFG
ok 1 run crystal.cfg --quiet
draws out/crystal/tip.png plot_dendrite.py out/crystal
draws tip.png plot_dendrite.py out/crystal --solvability 0.002 --output tip.png
complains "dendrite" plot_dendrite.py out/tiny
PYTHONPATH=$source/scripts "$python" - <<'PYTHON' || fail "units that can be read"
import numpy
from plot_dendrite import readable
for largest, unit, wanted in (2.3e-8, "s", (23.0, "ns")), (1.2e-6, "m", (1.2, "µm")), (30.0, None, (30.0, "units of the input")):
    values, name = readable(numpy.array([0.0, numpy.nan, largest]), unit)
    assert name == wanted[1] and numpy.isclose(values[2], wanted[0]), (values, name)
PYTHON
ok 1 run crystal.cfg --quiet --overwrite --set 'dendrite.orientation=[30.0, 0.0, 0.0]'
draws out/crystal/tip.png plot_dendrite.py out/crystal # without a radius
ok 1 run crystal.cfg --quiet --overwrite --set monitor.every=30
draws out/crystal/tip.png plot_dendrite.py out/crystal # a line
ok 1 run crystal.cfg --quiet --overwrite --set 'dendrite.nuclei[0].center=[8e-7, 4e-7, 0.0]'
complains "monitor.csv has no tip" plot_dendrite.py out/crystal
cat >vortex.cfg <<'CFG'
name = "vortex";
steps = 20;
domain = { cells = [12, 12, 12]; };
lbm = { reynolds = 100.0; les = { model = "smagorinsky"; }; };
initial = { kind = "taylor_green_3d"; velocity = [0.05, 0.0, 0.0]; };
monitor = { every = 2; };
CFG
ok 1 run vortex.cfg
grep -q '^plot  *scripts/plot_dissipation.py out/vortex$' out.txt || fail "the run does not name its plot"
draws out/vortex/dissipation.png plot_dissipation.py out/vortex
draws slope.png plot_dissipation.py out/vortex out/vortex --output slope.png
complains "taylor_green_3d" plot_dissipation.py out/tiny
cat >ball.cfg <<'CFG'
name = "ball";
steps = 80;
domain = { cells = [12, 12, 12]; };
lbm = { tau = 0.8; force = [1e-6, 0.0, 0.0]; };
geometry = { objects = ( { shape = "sphere"; center = [6.0, 6.0, 6.5]; radius = 3.0; } ); };
forces = { every = 2; };
CFG
ok 1 run ball.cfg
grep -q '^plot  *scripts/plot_forces.py out/ball$' out.txt || fail "the run does not name its plot"
draws out/ball/forces.png plot_forces.py out/ball
draws few.png plot_forces.py out/ball --body objects_0 --output few.png
complains "no body x, but objects_0" plot_forces.py out/ball --body x
ok 1 run ball.cfg --quiet --set output.directory=stream --set forces.begin=20 \
    --set 'forces.bodies=( { name = "ball"; of = "geometry.objects[0]"; stream = [3.0, 0.0, 4.0]; lift = [0.0, 1.0, 0.0]; } )'
draws stream/forces.png plot_forces.py stream
PYTHONPATH=$source/scripts "$python" - <<'PYTHON' || fail "drag and lift"
import numpy
from plot_forces import directions_of, wabe
drawn = directions_of(wabe.Run("stream"), "ball")
assert all(numpy.allclose(drawn[name], wanted) for name, wanted in
           {"drag": (0.6, 0, 0.8), "lift": (0, 1, 0), "side": (-0.8, 0, 0.6)}.items()), drawn
assert list(directions_of(wabe.Run("out/ball"), "objects_0")) == ["x", "y", "z"]
PYTHON
cat >wind.cfg <<'CFG'
name = "wind";
steps = 40;
domain = { cells = [32, 10, 8]; };
lbm = { viscosity = 1e-4; les = { model = "smagorinsky"; }; };
boundaries = {
    x_high = { kind = "velocity"; velocity = [-0.05, 0.0, 0.0];
        profile = { kind = "logarithmic"; up = "y"; height = 5.0; roughness = 0.05; }; };
    x_low = { kind = "pressure"; sponge = { width = 8; strength = 0.15; }; };
    y_low = { kind = "wall_function"; roughness = 0.05; };
    y_high = { kind = "free_slip"; };
};
initial = { kind = "profile"; };
CFG
ok 1 run wind.cfg --quiet
draws out/wind/wind.png plot_wind.py out/wind
draws six.png plot_wind.py out/wind --places 3 --output six.png
complains "no face has a profile" plot_wind.py out/ball
PYTHONPATH=$source/scripts "$python" - <<'PYTHON' || fail "the wind over the height"
import numpy
from plot_wind import incoming, inlet_of, over_the_height, wabe
run = wabe.Run("out/wind")
face, axis, backward = inlet_of(run.config)
wind, name = over_the_height(run, axis, 1)
assert (axis, backward, name, wind.shape) == (0, True, "velocity", (32, 10)), (axis, backward, name, wind.shape)
law = incoming(face["profile"], numpy.arange(10) + 0.5, 10.0)
assert numpy.allclose(wind[-1, 2:] / -0.05, law[2:], rtol=0.03), (wind[-1] / -0.05, law) # at the inlet, above the ground
PYTHON
ok 1 run wind.cfg --quiet --set name=step --set 'output.quantities="velocity, solid"' --set \
    'geometry.objects=({ shape = "box"; low = [8.0, 0.0, 0.0]; high = [12.0, 3.0, 4.0]; })'
draws out/step/wind.png plot_wind.py out/step
PYTHONPATH=$source/scripts "$python" - <<'PYTHON' || fail "the ground along the wind"
from plot_wind import ground, wabe
mean, highest = ground(wabe.Run("out/step"), 0, 1)
assert list(highest) == [3 if 8 <= x < 12 else 0 for x in range(32)] and list(mean) == [h / 2 for h in highest], (mean, highest)
PYTHON
# Two fluids: without one of these keys there is no table, and a relative permeability needs that of one fluid.
cat >layers.cfg <<'CFG'
application = "two_fluids";
name = "layers";
steps = 60;
domain = { cells = [24, 1, 1]; };
two_fluids = {
    liquid = { density = 1.0; viscosity = 0.1; };
    gas = { density = 1.0; viscosity = 0.1; };
    tension = 1e-4; time_step = 1.0; force = [0.0, 0.0, 1e-6];
    shapes = ( { fluid = "liquid"; low = [-1.0, -1.0, -9.0]; high = [8.0, 9.0, 9.0]; } );
};
porous = { axis = "z"; interval = 20; };
output = { picture = "none"; fields = false; };
CFG
ok 1 run layers.cfg --quiet
draws out/layers/phases.png plot_phases.py out/layers
ok 1 run layers.cfg --quiet --set porous.permeability=48.0 --set name=more
draws phases.png plot_phases.py out/more out/more --output phases.png
complains "porous" plot_phases.py out/step
# Two phases: nothing of Hysing's in another case.
cat >drop.cfg <<'CFG'
application = "two_phase";
name = "drop";
steps = 20;
domain = { cells = [32, 32, 1]; };
two_phase = {
    liquid = { density = 1.0; viscosity = 0.1; };
    gas = { density = 0.1; viscosity = 0.01; };
    gravity = [0.0, -1e-3, 0.0];
    shapes = ( { fluid = "liquid"; center = [16.0, 16.0, 0.0]; radius = 8.0; } );
};
monitor = { every = 1; };
output = { picture = "none"; fields = false; };
CFG
ok 1 run drop.cfg --quiet
draws out/drop/two_phase.png plot_two_phase.py out/drop
complains "two_phase" plot_two_phase.py out/step
PYTHONPATH=$source/scripts "$python" - <<'PYTHON' || fail "a drop that is round"
from plot_two_phase import reference, roundness_of, wabe
run = wabe.Run("out/drop")
assert abs(roundness_of(run.table("monitor.csv"), "liquid", [32, 32, 1], 1.0) - 1).max() < 0.01
assert reference(run.config) == {}
PYTHON
# Waves behind a ridge of 1 m: what they draw, and that they carry the momentum of linear theory upwards.
cat >ridge.cfg <<'CFG'
application = "weather";
name = "ridge";
steps = 900;
domain = { cells = [100, 48, 1]; spacing = 2400.0; };
levels = { thickness = 500.0; };
sounding = { kind = "isothermal"; theta = 250.0; };
terrain = { kind = "ridge"; height = 1.0; half_width = 10e3; };
relaxation = { width = [30e3, 11e3, 0.0]; rate = [0.005, 0.003, 0.0]; };
weather = { storage = "f64"; time_step = 20.0; wind = [20.0, 0.0, 0.0]; };
output = { every = 900; picture = "none"; quantities = "velocity_x, velocity_y, velocity_z, height"; };
CFG
ok 1 run ridge.cfg --quiet
draws out/ridge/weather.png plot_weather.py out/ridge
draws wind.png plot_weather.py out/ridge --normal x --at 50 --quantity velocity_x --output wind.png
complains "have no theta" plot_weather.py out/ridge --quantity theta
complains "not a cell" plot_weather.py out/ridge --at 1
PYTHONPATH=$source/scripts "$python" - <<'PYTHON' || fail "the momentum that waves carry"
import numpy
from plot_weather import flux_over_height, wabe
run = wabe.Run("out/ridge")
flux, height = flux_over_height(run, run.fields(), "velocity_x")
# R. B. Smith, Adv. Geophys. 21 (1979) 87: pi / 4 density N U height^2, over the length of the domain
theory = -0.25 * numpy.pi * 1e5 / (287.0 * 250.0) * 9.81 / numpy.sqrt(1004.0 * 250.0) * 20.0 / (100 * 2400.0)
share = (flux / theory)[(height > 1000) & (height < 9000)]
assert share.min() > 0.85 and share.max() < 1.03, share
PYTHON
# At a height above the ground: the profile over flat ground, streets of a city, a building on a hill.
ok 1 run wind.cfg --quiet --set name=comfort --set 'output.quantities="mean_speed, solid, exceedance"' \
    --set 'output.average={ begin = 20; every = 5; threshold = 0.04; }' --set \
    'geometry.objects=({ shape = "box"; low = [8.0, 0.0, 0.0]; high = [12.0, 3.0, 4.0]; })'
draws out/comfort/comfort.png plot_comfort.py out/comfort --height 2.5
draws roofs.png plot_comfort.py out/comfort --height 2.5 --buildings 8 --output roofs.png
complains "have no mean_speed" plot_comfort.py out/wind --height 2
complains "no face has a profile" plot_comfort.py out/ball --height 2
PYTHONPATH=$source/scripts "$python" - <<'PYTHON' || fail "the wind above the ground"
import numpy
from plot_comfort import above_ground, ground_of, tops_of, wabe
run = wabe.Run("out/comfort")
solid = numpy.transpose(run.fields()["solid"] > 0.5, [1, 0, 2])
tops = tops_of(solid)
assert tops.max() == 3 and tops.sum() == 3 * 4 * 4, tops
assert (ground_of(solid, run.config, 0) == tops).all() and not ground_of(solid, run.config, 8).any()
# Heights are linear in the values: one hill of two cells with a building of three on it.
hill = numpy.zeros((16, 20), dtype=int)
hill[:, 6:16] = 2
town = hill.copy()
town[4:8, 9:12] = 5
levels = numpy.arange(12)[:, None, None]
values, solid = numpy.broadcast_to(levels + 0.5, (12, 16, 20)), levels < town
ground = ground_of(solid, run.config, 6)
assert (ground == hill).all(), ground
wind = above_ground(values, solid, ground, 2.25)
assert numpy.isnan(wind[4:8, 9:12]).all() and numpy.isnan(wind).sum() == 12
assert numpy.allclose(wind[0], hill[0] + 2.25) and numpy.allclose(above_ground(values, solid, ground, 0.1)[0], hill[0] + 0.5)
PYTHON
# Laminar channels are known: u+ = y+ (1 - y+ / (2 Re_tau)), by walls of either axis, one or two, and in SI units.
cat >channel.cfg <<'CFG'
name = "channel";
steps = 600;
domain = { cells = [4, 9, 4]; };
lbm = { tau = 0.8; velocity = 0.05; flux = { velocity = [-0.04, 0.0, 0.0]; every = 1; }; };
boundaries = { y_low = { kind = "no_slip"; }; y_high = { kind = "no_slip"; }; };
monitor = { every = 10; };
output = { every = 0; fields = false; average = { begin = 500; every = 10; }; mean_profiles = "y"; };
CFG
ok 1 run channel.cfg --quiet
ok 1 run channel.cfg --quiet --set output.directory=upper --set 'boundaries.y_low.kind="free_slip"' --set 'domain.cells=[4, 5, 4]'
sed -i 's/tau = 0.8; //' channel.cfg
ok 1 run channel.cfg --quiet --set output.directory=si --set 'units={ cell = 0.01; velocity = 0.5; viscosity = 1e-2; density = 1.2; }'
for folder in out/channel upper si; do
    rm -f "$folder/channel.png"
    plot plot_channel.py "$folder"
    if ((code != 0)) || [[ $(tail -n 1 out.txt) != "$folder/channel.png" || ! -s $folder/channel.png ]]; then fail "no picture of $folder"; fi
    says "friction velocity " ", Re_tau "
    PYTHONPATH=$source/scripts "$python" - "$folder" <<'PYTHON' || fail "wall units of $folder"
import sys
import numpy
from plot_channel import wabe, wall_units
y_plus, u_plus, rms, friction, re_tau = wall_units(wabe.Run(sys.argv[1]))
law = y_plus * (1.0 - y_plus / (2.0 * re_tau))
assert len(y_plus) == 5 and numpy.allclose(u_plus, law, rtol=0.03), (y_plus, u_plus, law)
assert max(map(numpy.max, rms)) < 0.05 * u_plus.max(), rms
PYTHON
done
complains 'output.mean_profiles is "none"' plot_channel.py out/wind
ok 1 run channel.cfg --quiet --set output.directory=periodic --set lbm.viscosity=0.1 --set output.mean_profiles=z
complains "the faces are periodic and periodic" plot_channel.py periodic
# A Strouhal number is that of vortices alone: of 0.02 periods a unit of time and a body that the stream passes in 10.
PYTHONPATH=$source/scripts "$python" - <<'PYTHON' || fail "peaks that are Strouhal numbers"
import numpy
from plot_forces import name_shedding, without_zeros

time = numpy.arange(0.0, 1000.0, 4.0)
noise = 1e-3 * numpy.random.default_rng(1).standard_normal(len(time))
def of(lift, scale=10.0, times=time): # a drag of 1, and this lift
    return name_shedding(times, {"x": 1.0 + 0.0 * times, "y": lift, "z": 0.0 * times}, scale)

vortices = 0.3 * numpy.sin(2 * numpy.pi * 0.0207 * time) + noise
number = float(of(vortices).removeprefix("y: peak at 0.0207,\nStrouhal number "))
assert abs(number - 0.207) < 0.001, number
assert "Strouhal number 0.207" in of(vortices * numpy.minimum(1.0, time / 500.0)) # they set in
for what, text in {"sound that decays": of(vortices * numpy.exp(-time / 200.0)),
                   "a drift": of(0.3 * numpy.exp(-time / 300.0) + noise),
                   "a period too short": of(vortices, 100.0),
                   "a period too long": of(vortices, 1.0),
                   "rounding": of(1e-9 * vortices),
                   "noise": of(100.0 * noise),
                   "a body at rest": of(0.0 * time)}.items():
    assert text.startswith("no vortices with"), (what, text)
assert of(vortices[:60], times=time[:60]).endswith("periods since begin,\ntoo few for a Strouhal number"), of(vortices[:60], times=time[:60])
sound = 0.05 * numpy.sin(2 * numpy.pi * 0.08 * time) # fainter than vortices, or louder and decaying
assert "Strouhal number 0.207" in of(vortices + sound), of(vortices + sound)
assert "Strouhal number 0.207" in of(vortices + 30.0 * sound * numpy.exp(-time / 100.0)), of(vortices + 30.0 * sound * numpy.exp(-time / 100.0))
assert of(vortices, 30.0).endswith("Strouhal number 0.621\n(vortices are slower, unless lbm.length is a chord)"), of(vortices, 30.0)
assert of(vortices, numpy.nan).startswith("no Strouhal number without lbm.length")
thin = {"drag": 1.0 + noise, "lift": 0.0 * time, "side": 1e-17 * noise}  # a domain one cell thick
assert list(without_zeros(thin)) == ["drag"] and list(without_zeros({"x": 0.0 * time})) == ["x"]
PYTHON
complains "No such file" plot_forces.py out/tiny

# ---- films ----

if "$python" -c 'import PIL' 2>/dev/null || /usr/bin/python3 -c 'import PIL' 2>/dev/null; then
    ok 1 run case.cfg --quiet --set output.directory=film --set output.fields=false --set 'output.parts=(
        { name = "speed"; begin = [0, 6, 0]; end = [0, 7, 0]; every = 5; quantities = "velocity"; format = "png"; } )'
    plot make_film.py film speed
    [[ $code == 0 && $(<out.txt) == film/speed.gif && $(head -c 3 film/speed.gif) == GIF ]] || fail "no film"
    # A frame for each picture: steps 0, 5, 10, 15, 20.
    [[ $(LC_ALL=C grep -aoP '\x21\xf9\x04' film/speed.gif | wc -l) == 5 ]] || fail "a film of other pictures"
    complains "no pictures" make_film.py film swirl
    complains ".gif or .mp4" make_film.py film speed --output film.avi
    complains "--rate" make_film.py film speed --rate 0
fi

finish
