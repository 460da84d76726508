/* wabe run, wabe check, wabe geometry, wabe predict: the input file selects the application. */
#include "apps/commands.h"
#include "apps/dendrite/dendrite.h"
#include "apps/diffusion/diffusion.h"
#include "apps/himeno/himeno.h"
#include "apps/lbm/lbm.h"
#include "apps/model/machine.h"
#include "apps/runtime/input.h"
#include "apps/two_fluids/two_fluids.h"
#include "apps/two_phase/two_phase.h"
#include "apps/weather/weather.h"
#include "core/base/log.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    const wabe_option *options; /* its own */
    size_t options_size;
    wabe_status (*execute)(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                           wabe_verb verb);
    wabe_status (*geometry)(MPI_Comm comm, const wabe_input *input, wabe_config *config); /* NULL */
    const char *head; /* of its part of the reference */
} application;

/* The first is the default. */
static const application applications[] = {
    {"lbm", wabe_lbm_option_rows, sizeof(wabe_lbm_options), wabe_lbm_execute, wabe_lbm_geometry,
     "# Flow by the lattice Boltzmann method\n\nWith `application = \"lbm\"`, or without that key, "
     "the keys below exist in addition to those of all applications. Quantities of "
     "`output.quantities` are density, velocity, pressure (the difference from the pressure at "
     "rest), scalar and scalar_flux (with scalar.diffusivity), solid (1 in solid cells, 0 "
     "in fluid), stress, vorticity, q_criterion, wall_stress, eddy_viscosity, viscosity, "
     "mean_density, "
     "mean_velocity, "
     "rms_velocity, reynolds_stress, mean_speed, speed_ratio (to lbm.velocity), exceedance, and "
     "mean_scalar, rms_scalar and turbulent_flux (with scalar.diffusivity); "
     "unset they are density, velocity, "
     "scalar if there is one, and, if the case has obstacles or other solid cells, solid.\n\n"
     "stress is the viscous stress, that of the eddy viscosity of `lbm.les` included: the "
     "components xx, yy, zz, xy, yz and xz. It comes from the populations of the cell alone, of "
     "which a collision with `lbm.tau` = 1 leaves nothing that tells it: then there is none, and "
     "near 1 rounding grows by 1 / |tau - 1|. vorticity is the curl of the velocity; q_criterion "
     "is half the difference of the squares of the rates of rotation and strain, above 0 in "
     "vortices. Both are made of differences of the velocity of neighbouring cells. So is "
     "wall_stress: in cells beside walls the force along the wall, per area, of the fluid's own "
     "viscosity; and viscosity, with `lbm.rheology`: what the model has at the rate of strain, "
     "as differences of the velocity tell it. stress is not known then.\n\n"
     "Lattice units: the edge of a cell, a time step and the density at rest are 1; velocities "
     "should stay well below the speed of sound, 0.577. The whole file is in lattice units except "
     "the group `units`. With `units.cell`, `units.velocity` and `units.viscosity` the run has "
     "physical units too: `lbm.velocity` cells per step then stand for `units.velocity` (a step "
     "lasts "
     "`units.cell * lbm.velocity / units.velocity`), and "
     "output is in m, s and kg (`output.units`), except the results of `porous`. Give the "
     "viscosity once: by `lbm.tau`, `lbm.viscosity`, `lbm.reynolds` or `units.viscosity`.\n\n"},
    {"diffusion", wabe_diffusion_option_rows, sizeof(wabe_diffusion_options),
     wabe_diffusion_execute, NULL,
     "# Diffusion\n\nWith `application = \"diffusion\"` the keys below exist in addition to those "
     "of all applications. Quantities of `output.quantities` are value, mean_value and rms_value; "
     "the default is value. Units are those in which diffusivity, time step and spacing are given. "
     "`wabe geometry` does not support it. File names are relative to the folder in which the run "
     "is started. A run continues from a checkpoint with `--restart latest`. To begin with fields "
     "that another run in f32 has written, counting steps and time from 0 (not for domains of one "
     "layer in y or z, which are stored differently):\n\n"
     "```sh\nwabe run diffusion.cfg --set initial.kind=file \\\n"
     "    --set initial.file=out/diffusion/fields_00002000.hdf \\\n"
     "    --set initial.dataset=VTKHDF/PointData/value --set output.directory=out/more\n```\n\n"},
    {"himeno", wabe_himeno_option_rows, sizeof(wabe_himeno_options), wabe_himeno_execute, NULL,
     "# Himeno\n\nWith `application = \"himeno\"` the keys below exist in addition to those of all "
     "applications, except `domain`, `monitor.steady` and the group `checkpoint`: a benchmark has "
     "no checkpoints. Quantities of `output.quantities` are pressure, mean_pressure and "
     "rms_pressure; the default is pressure. Three untimed iterations come first, the rehearsal. "
     "`output.every` and the like count only the iterations after these; the numbers in file "
     "names and results.json include them. The benchmark's i, j, k are z, y, x.\n\n"},
    {"dendrite", wabe_dendrite_option_rows, sizeof(wabe_dendrite_options), wabe_dendrite_execute,
     NULL,
     "# Dendrites\n\nWith `application = \"dendrite\"` the keys below exist in addition to those "
     "of all applications. Quantities of `output.quantities` are phi and temperature (alloy: "
     "concentration), and the mean and rms of each; the default is both. Contours of phi at 0.5 "
     "(karma_rappel, alloy: 0) are the "
     "surface of the crystals. `monitor.csv` has the tip of the first nucleus along x: its "
     "distance from the nucleus, its velocity between two lines, and its radius.\n\n"},
    {"weather", wabe_weather_option_rows, sizeof(wabe_weather_options), wabe_weather_execute, NULL,
     "# Weather\n\nWith `application = \"weather\"` the keys below exist in addition to those of "
     "all applications. Air is compressible, over terrain and below a lid, dry or with water; the "
     "y "
     "axis is up, x and z are periodic, and processes do not cut y. Quantities of "
     "`output.quantities` are velocity_x, velocity_y, velocity_z (at the middle of cells), theta "
     "and pressure (deviations from air at rest), and height: these are the default, with water "
     "also humidity, cloud, rain (over dry air) and rain_on_ground (kg/m^2, in the lowest level). "
     "Others are temperature, and the state itself, times the height of a cell over the levels' "
     "mean thickness: density and heat (deviations; heat is density times theta), momentum_x, "
     "momentum_y, momentum_z (on the lower face of a cell along their axis), with water "
     "vapour_density, cloud_density, rain_density; and mean and rms of each. `monitor.csv` has the "
     "Courant number of the wind, and masses in kg: of dry air, water in the air, and rain that "
     "has "
     "fallen.\n\n"},
    {"two_fluids", wabe_two_fluids_option_rows, sizeof(wabe_two_fluids_options),
     wabe_two_fluids_execute, wabe_two_fluids_geometry,
     "# Two fluids\n\nWith `application = \"two_fluids\"` the keys below exist in addition to "
     "those "
     "of all applications: a liquid and a gas, with a tension between them, by a lattice Boltzmann "
     "method with a phase field. Quantities of `output.quantities` are phase (1 in liquid, 0 in "
     "gas), pressure (without the weight of the lighter fluid), velocity_x, velocity_y and "
     "velocity_z: these are the default; density; the moments of both lattices (flow_*, flux_*, in "
     "units of "
     "the lattice); and mean and rms of each. `monitor.csv` has the liquid's volume and the area "
     "of the interface (in two dimensions area and length), and of either fluid the middle and the "
     "mean velocity.\n\n"},
    {"two_phase", wabe_two_phase_option_rows, sizeof(wabe_two_phase_options),
     wabe_two_phase_execute, wabe_two_phase_geometry,
     "# Two-phase flow\n\nWith `application = \"two_phase\"` the keys below exist in addition to "
     "those of all applications. A liquid and a gas, both incompressible, with a sharp interface "
     "and a pressure from multigrid cycles; `two_fluids` has a diffuse interface, and no solver. "
     "Two-dimensional domains have one cell along z, or another axis. Quantities of "
     "`output.quantities` are fraction (of liquid), "
     "pressure, velocity_x, velocity_y, velocity_z (at the middle of cells): these are the "
     "default. Others are the state itself: face_velocity_x, face_velocity_y, face_velocity_z (on "
     "the lower face of a cell along their axis), advection_x, advection_y, advection_z (of the "
     "step before); and mean and rms of each. `monitor.csv` has the liquid's volume (in two "
     "dimensions its "
     "area), the Courant number, the largest speed, and of both fluids centre, mean velocity, "
     "extents and mean "
     "pressure.\n\n"},
};

static wabe_status find_application(wabe_config *config, const application **out) {
    static const wabe_option row = {.path = "application",
                                    .type = WABE_OPTION_STRING,
                                    .default_value = "unset",
                                    .help = ""};
    char name[WABE_STRING_SIZE], all[WABE_STRING_SIZE] = "";
    const bool given = wabe_config_is_given(config, row.path);
    WABE_TRY(wabe_config_read_one(config, &row, name));
    for (size_t i = 0; i < sizeof applications / sizeof applications[0]; i++) {
        const size_t used = strlen(all);
        *out = &applications[i];
        if (!given || strcmp(name, applications[i].name) == 0)
            return WABE_OK;
        snprintf(all + used, sizeof all - used, "%s\"%s\"", i ? ", " : "", applications[i].name);
    }
    return wabe_config_fail(config, "application", "'%s' is not an application; there are %s", name,
                            all);
}

static const char reference_head[] =
    "# Input reference\n\n"
    "An input file is a text in the syntax of "
    "[libconfig](https://hyperrealm.github.io/libconfig/): settings `key = value;`, collected in "
    "groups `group = { ... };`. Write texts and words in double quotes, three numbers in brackets "
    "(`[64, 64, 64]`), a list of groups in parentheses (`( { ... }, { ... } )`); an integer is "
    "accepted as a number, and a number such as `1e4` as an integer if it is one and below 2^53. "
    "Texts are UTF-8 without control characters; the files that they name must be regular files, "
    "not pipes or devices. Comments begin with `#` or `//`, or are enclosed in `/*` and `*/`. "
    "Below, a key is named by its path: `lbm.tau` is the key `tau` of the group `lbm`. An "
    "unknown key, a wrong type, a value out of range or a missing required key ends the program "
    "with exit code 2 before anything is computed.\n\n"
    "`--set path=value` on the command line overrides the file and may be repeated: "
    "`--set lbm.tau=0.6 --set \"domain.cells=[32, 32, 32]\" --set lbm.collision=srt`. A text needs "
    "no quotes there unless it looks like a number or a list: `--set "
    "'geometry.voxels.solid=\"1\"'`. Elements of lists count from 0: `--set "
    "geometry.objects[0].radius=5`. "
    "All values in effect are written to `config.resolved.cfg` in the output directory.\n\n"
    "A default of \"unset\" means that no value is assumed unless the meaning gives one. `wabe "
    "check FILE` checks a file and prints what follows from it. `wabe check --reference` prints "
    "this page.\n\n";

static void print_rows(const wabe_option *options, size_t size) {
    void *none = calloc(1, size);
    const wabe_option_table table = {options, none};
    wabe_config_print_reference(stdout, 1, &table);
    free(none);
}

static void print_common_rows(void) {
    wabe_run_options none = {0};
    const wabe_option_table tables[] = {{wabe_run_option_rows, &none}, {wabe_run_case_rows, &none}};
    wabe_config_print_reference(stdout, 2, tables);
}

static void print_reference(void) {
    fputs(reference_head, stdout);
    print_common_rows();
    for (size_t i = 0; i < sizeof applications / sizeof applications[0]; i++) {
        fputs(applications[i].head, stdout);
        print_rows(applications[i].options, applications[i].options_size);
    }
    wabe_machine_print_reference(stdout);
}

enum { GEOMETRY = -1 }; /* beside the values of wabe_verb */

/* Reads the input and runs the application. */
static wabe_status hand_over(int argc, char *argv[], int verb) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wabe_input input;
    WABE_TRY(wabe_input_read_arguments(argc, argv, &input));
    if (input.reference) {
        if (rank == 0)
            print_reference();
        return WABE_OK;
    }
    wabe_log_start(rank == 0, input.quiet, input.verbose);
    wabe_config *config = NULL;
    WABE_TRY(wabe_input_load(MPI_COMM_WORLD, &input, &config));
    const application *app = NULL;
    wabe_status status = wabe_agree(MPI_COMM_WORLD, find_application(config, &app));
    if (status == WABE_OK && verb == GEOMETRY)
        status = app->geometry
                     ? app->geometry(MPI_COMM_WORLD, &input, config)
                     : wabe_config_fail(config, "application",
                                        "is \"%s\", which has no wabe geometry", app->name);
    else if (status == WABE_OK)
        status = app->execute(MPI_COMM_WORLD, &input, config, (wabe_verb)verb);
    wabe_config_destroy(&config);
    return status;
}

wabe_status wabe_command_run(int argc, char *argv[]) {
    return hand_over(argc, argv, WABE_VERB_RUN);
}
wabe_status wabe_command_check(int argc, char *argv[]) {
    return hand_over(argc, argv, WABE_VERB_CHECK);
}
wabe_status wabe_command_geometry(int argc, char *argv[]) {
    return hand_over(argc, argv, GEOMETRY);
}
wabe_status wabe_command_predict(int argc, char *argv[]) {
    return hand_over(argc, argv, WABE_VERB_PREDICT);
}
