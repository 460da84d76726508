# Streamed and resident runs of a case named "tiny": sourced by tests of them, after common.bash.
# shellcheck shell=bash disable=SC2034,SC2154

ranks=1

# state FILE ARGUMENT...: the hash of the last state of a run on $ranks processes.
state() {
    ok "$ranks" run "$@" --quiet
    value out/tiny/results.json state_hash
    rm -rf out
}

# streamed GB FILE ARGUMENT...: with a window of so many GB, is the state that of the resident run, $resident?
streamed() {
    local limit=$1 found
    shift
    found=$(state "$@" --set parallel.residency=streamed --set parallel.device_memory_limit="$limit" \
        --set parallel.processes=[1,1,0])
    [[ $found && $found == "$resident" ]] || fail "another state when streamed by $ranks: $*"
}

# Wind past a ball and a block, with what kernels do before and after a step.
write_wind_case() {
    cat >wind.cfg <<'CFG'
name = "tiny";
steps = 14;
domain = { cells = [36, 18, 40]; };
lbm = { collision = "regularized"; streaming = "in_place"; viscosity = 0.02; velocity = 0.05; length = 8.0; };
boundaries = {
    x_low  = { kind = "velocity"; velocity = [0.05, 0.0, 0.0];
               turbulence = { intensity = 0.1; length = 6.0; width = 8; }; };
    x_high = { kind = "pressure"; sponge = { width = 6; strength = 0.15; }; };
    y_low  = { kind = "no_slip"; };     y_high = { kind = "free_slip"; };
    z_low  = { kind = "free_slip"; };   z_high = { kind = "free_slip"; };
};
geometry = { objects = (
    { shape = "sphere"; kind = "curved_wall"; center = [18.0, 9.0, 20.0]; radius = 4.0; },
    { shape = "box"; low = [10.0, 0.0, 28.0]; high = [16.0, 5.0, 33.0]; }
); };
initial = { kind = "uniform"; velocity = [0.05, 0.0, 0.0]; };
forces = { every = 7; };
node = { emulated_gpus = 1; };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG
}

# Stencils: two grids in turn and several steps at once; constants that are only loaded, and fixed layers; several fields.
write_grid_cases() {
    cat >diffusion.cfg <<'CFG'
application = "diffusion";
name = "tiny";
steps = 30;
domain = { cells = [48, 40, 90]; };
diffusion = { diffusivity = 1.0; storage = "f32"; };
boundaries = { x_low = { kind = "dirichlet"; value = 0.0; };  x_high = { kind = "dirichlet"; value = 1.0; };
               z_low = { kind = "neumann"; };                 z_high = { kind = "dirichlet"; value = 0.5; }; };
initial = { kind = "gaussian"; width = 12.0; };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG
    cat >himeno.cfg <<'CFG'
application = "himeno";
name = "tiny";
steps = 13;
himeno = { size = "XS"; };
monitor = { every = 1000; };
output = { fields = false; };
CFG
    cat >dendrite.cfg <<'CFG'
application = "dendrite";
name = "tiny";
steps = 20;
domain = { cells = [40, 36, 64]; spacing = 20e-9; };
dendrite = { interface_width = 80e-9; undercooling = 0.35; anisotropy = 0.06; noise = 0.05;
             nuclei = ( { center = [0.4e-6, 0.36e-6, 0.6e-6]; radius = 120e-9; } ); };
monitor = { every = 1000; };
output = { fields = false; picture = "none"; };
CFG
}
