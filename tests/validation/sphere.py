#!/usr/bin/env python3
"""tests/validation/sphere.py CELLS KIND [WIDTH [REYNOLDS [VELOCITY]]]: writes the input of the flow past a sphere with so many
cells for its diameter, whose surface is of this kind (no_slip, curved_wall), between sides that slip WIDTH diameters apart.
Without VELOCITY it falls with the size of cells, and with it the time step with the square, as convergence demands. Above a
Reynolds number of 1000 the flow has large eddies, and forces are means over its second half."""
import math
import sys

cells, kind = int(sys.argv[1]), sys.argv[2]
width = int(sys.argv[3]) if len(sys.argv) > 3 else 6
reynolds = float(sys.argv[4]) if len(sys.argv) > 4 else 20.0
velocity = float(sys.argv[5]) if len(sys.argv) > 5 else 0.8 / cells
length = 2 * width if width <= 8 else width + 6
turbulent = reynolds > 1000.0
model = ('collision = "recursive_regularized"; storage = "f32"; streaming = "moments"; '
         'les = { model = "smagorinsky"; constant = 0.12; };' if turbulent else 'collision = "trt";')
at = [0.35 * length * cells, 0.5 * width * cells, 0.5 * width * cells]
steps = int(40 * cells / velocity) // 20 * 20
print(f"""application = "lbm";
name = "sphere_{cells}_{kind}_{width}_{reynolds:g}";
steps = {steps};
domain = {{ cells = [{length * cells}, {width * cells}, {width * cells}]; }};
lbm = {{ {model} reynolds = {reynolds}; velocity = {velocity}; length = {cells}.0; }};
boundaries = {{
    x_low = {{ kind = "velocity"; velocity = [{velocity}, 0.0, 0.0]; }};
    x_high = {{ kind = "pressure"; sponge = {{ width = {2 * cells}; strength = 0.05; }}; }};
    y_low = {{ kind = "free_slip"; }};
    y_high = {{ kind = "free_slip"; }};
    z_low = {{ kind = "free_slip"; }};
    z_high = {{ kind = "free_slip"; }};
}};
geometry = {{ objects = ( {{ shape = "sphere"; center = {at}; radius = {cells / 2}; kind = "{kind}"; }} ); }};
initial = {{ kind = "uniform"; velocity = [{velocity}, 0.0, 0.0]; }};
forces = {{
    every = 20;
    begin = {steps // 2 if turbulent else steps * 19 // 20};
    bodies = ( {{ name = "sphere"; of = "geometry.objects[0]"; about = {at}; velocity = {velocity}; area = {math.pi * cells ** 2 / 4};
                 stream = [1.0, 0.0, 0.0]; }} );
}};
output = {{ every = 0; }};""")
