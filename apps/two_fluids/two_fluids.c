#include "apps/two_fluids/two_fluids_case.h"

/* As the words in two_fluids_schema.c. */
enum { F64, F32 };

/* Cells around a slab that it asks for: its ghosts, and those around them. */
enum { AROUND = 1 + WABE_TWO_FLUIDS_REACH };

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    const wabe_two_fluids_case *t = context;
    wabe_two_fluids_place place = t->place;
    wabe_solid_cells cells;
    if (!wabe_two_fluids_has_solids(t))
        return wabe_two_fluids_set(slab, &t->step, &place);
    WABE_TRY(wabe_solid_cells_find(&t->solids, slab->held, AROUND, &cells));
    place.is_solid = wabe_solid_cells_is_solid;
    place.angle_of_solid = wabe_solid_cells_angle;
    place.context = &cells;
    const wabe_status status = wabe_two_fluids_set(slab, &t->step, &place);
    wabe_solid_cells_free(&cells);
    return status;
}

/* How it is computed: the values stay the same. */
static const char *const may_differ[] = {"two_fluids.kernel", "porous.permeability", NULL};
static const char *const fixed_keys[] = {"domain.spacing",      "two_fluids.time_step",
                                         "two_fluids.fluid",    "two_fluids.shapes",
                                         "two_fluids.velocity", "two_fluids.random_blobs.",
                                         "geometry.",           NULL};

/* Moments stay in units of the lattice; what is shown is in those of the run. */
static void set_units(wabe_two_fluids_case *t) {
    for (int i = 0; i < WABE_TWO_FLUIDS_SHOWN; i++)
        t->units[i].factor = i < WABE_TWO_FLUIDS_NUMBERS    ? 1.0
                             : i < WABE_TWO_FLUIDS_PRESSURE ? t->velocity
                             : i < WABE_TWO_FLUIDS_DENSITY  ? t->pressure
                                                            : t->density;
}

static wabe_stencil_case stencil_of(wabe_two_fluids_case *t) {
    const wabe_type type = t->options.two_fluids.storage == F64 ? WABE_TYPE_f64 : WABE_TYPE_f32;
    return (wabe_stencil_case){
        .slabs = {.model = wabe_two_fluids_model(type, &t->place, t->options.two_fluids.kernel),
                  .context = t,
                  .fill = fill},
        .kernel_key = "two_fluids.kernel",
        .units = t->units,
        /* All but phase and density. */
        .signed_numbers = ((1u << WABE_TWO_FLUIDS_DENSITY) - 1u) & ~(1u << WABE_TWO_FLUIDS_PHASE),
        .inner_numbers = ((1u << WABE_TWO_FLUIDS_NUMBERS) - 1u) & ~(1u << WABE_TWO_FLUIDS_PHASE),
        .initial = wabe_two_fluids_initial_row,
        .monitor = wabe_two_fluids_monitor,
        .monitor_columns = wabe_two_fluids_columns,
        .monitor_column_count = WABE_TWO_FLUIDS_COLUMNS,
        .likely_cause = "two_fluids.time_step may be too long",
        .recall = wabe_two_fluids_recall,
        .resume = wabe_two_fluids_resume,
        .put = wabe_two_fluids_put,
        .print = wabe_two_fluids_print_found};
}

wabe_status wabe_two_fluids_read(MPI_Comm comm, wabe_config *config, wabe_two_fluids_case *t,
                                 wabe_option_table tables[3], wabe_application *app) {
    *t = (wabe_two_fluids_case){.volume = NAN};
    *app = wabe_run_application("two_fluids", wabe_two_fluids_option_rows, &t->options,
                                sizeof t->options, tables);
    wabe_status status = wabe_config_read(config, 3, tables);
    if (status == WABE_OK)
        status = wabe_two_fluids_take(config, t);
    WABE_TRY(wabe_agree(comm, status));
    t->stencil = stencil_of(t);
    set_units(t);
    wabe_stencil_enter(&t->stencil, app);
    app->may_differ = may_differ;
    app->fixed_keys = fixed_keys;
    app->print_model = wabe_two_fluids_print_model;
    app->print_more = wabe_two_fluids_print_more;
    app->default_quantities = "phase, pressure, velocity_x, velocity_y, velocity_z";
    app->picture = "phase";
    if (wabe_two_fluids_has_solids(t) || wabe_two_fluids_has_blobs(t)) {
        t->initialise = app->initialise;
        app->initialise = wabe_two_fluids_initialise;
        app->beside = wabe_two_fluids_beside;
    }
    if (wabe_two_fluids_has_solids(t)) {
        app->mask = wabe_two_fluids_mask;
        t->survey = app->survey;
        app->survey = wabe_two_fluids_survey;
    }
    wabe_two_fluids_enter_porous(t, app);
    wabe_run_cubes(app, t->options.spacing);
    app->time_step = t->time_step;
    return WABE_OK;
}

wabe_status wabe_two_fluids_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                    wabe_verb verb) {
    wabe_two_fluids_case t;
    wabe_option_table tables[3];
    wabe_application app;
    bool stopped;
    wabe_status status = wabe_two_fluids_read(comm, config, &t, tables, &app);
    if (status == WABE_OK)
        status = wabe_run_case(comm, input, config, &app, verb, &stopped);
    wabe_grid_solids_free(&t.solids);
    return status;
}
