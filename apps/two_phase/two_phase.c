#include "apps/two_phase/two_phase_run.h"

#include "apps/lbm/solid_pictures.h"
#include "apps/lbm/solid_plane.h"

#include <math.h>

/* As the words in two_phase_schema.c. */
enum { F64, F32 };

/* Solids around a slab that it asks for: its ghosts. */
enum { AROUND = 3 };

/* A solid, and the angle of those that have none of their own. */
typedef struct {
    wabe_solid_cells cells;
    double angle;
} surroundings;

static bool is_solid(const void *context, const int64_t cell[3]) {
    return wabe_solid_cells_is_solid(&((const surroundings *)context)->cells, cell);
}

static double angle_of_solid(const void *context, const int64_t cell[3]) {
    const surroundings *s = context;
    const double angle = wabe_solid_cells_angle(&s->cells, cell);
    return isnan(angle) ? s->angle : angle;
}

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    const wabe_two_phase *t = context;
    surroundings around = {.angle = t->angle};
    wabe_two_phase_case c = t->step;
    if (!c.has_solids)
        return wabe_two_phase_set(slab, &c, &t->tables.multigrid);
    WABE_TRY(wabe_solid_cells_find(&t->solids, slab->held, AROUND, &around.cells));
    c.is_solid = is_solid;
    c.angle_of_solid = angle_of_solid;
    c.solids = &around;
    const wabe_status status = wabe_two_phase_set(slab, &c, &t->tables.multigrid);
    wabe_solid_cells_free(&around.cells);
    return status;
}

/* How it is computed: the values stay the same. */
static const char *const may_differ[] = {"two_phase.kernel", NULL};
static const char *const fixed_keys[] = {"domain.spacing",   "two_phase.fluid",
                                         "two_phase.shapes", "two_phase.velocity",
                                         "geometry.",        NULL};

/* Users ask for the fraction, pressure, velocity and what is shown beside them. */
enum { NEVER_NEGATIVE = 1u << WABE_TWO_PHASE_FRACTION | 1u << WABE_TWO_PHASE_NUMBER_OF_SURFACE };
enum { INNER = ((1u << WABE_TWO_PHASE_NUMBER_OF_PRESSURE) - 1u) & ~1u };

static wabe_stencil_case stencil_of(wabe_two_phase *t) {
    return (wabe_stencil_case){.slabs = {.model = t->tables.model, .context = t, .fill = fill},
                               .kernel_key = "two_phase.kernel",
                               .signed_numbers = ((1u << WABE_TWO_PHASE_NUMBERS) - 1u) &
                                                 ~NEVER_NEGATIVE,
                               .inner_numbers = INNER,
                               .initial = wabe_two_phase_initial_row,
                               .monitor = wabe_two_phase_monitor,
                               .monitor_columns = wabe_two_phase_columns,
                               .monitor_column_count = WABE_TWO_PHASE_COLUMNS,
                               .likely_cause = "two_phase.time_step may be too long",
                               .recall = wabe_two_phase_recall,
                               .resume = wabe_two_phase_resume,
                               .put = wabe_two_phase_put};
}

static wabe_status survey(wabe_run *run) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    WABE_TRY(t->survey(run));
    return wabe_lbm_solids_check_fluid(run->comm, run->config, &t->solids.geometry, run->block);
}

static wabe_status mask(const wabe_run *run, wabe_box plane, uint8_t **out) {
    return wabe_lbm_gather_solid(run, &wabe_two_phase_of(run)->solids.geometry, plane, out);
}

/* Takes what an input file says, and makes the application's table of it. Call
 * wabe_grid_solids_free even if it fails. Collective. */
static wabe_status read_case(MPI_Comm comm, wabe_config *config, wabe_two_phase *t,
                             wabe_option_table tables[3], wabe_application *app) {
    *t = (wabe_two_phase){.volume = NAN};
    *app = wabe_run_application("two_phase", wabe_two_phase_option_rows, &t->options,
                                sizeof t->options, tables);
    wabe_status status = wabe_config_read(config, 3, tables);
    if (status == WABE_OK)
        status = wabe_two_phase_take(config, t);
    WABE_TRY(wabe_agree(comm, status));
    t->tables = wabe_two_phase_model(t->options.two_phase.storage == F64 ? WABE_TYPE_f64
                                                                         : WABE_TYPE_f32,
                                     &t->step, t->options.two_phase.kernel, &t->pressure);
    t->stencil = stencil_of(t);
    wabe_stencil_enter(&t->stencil, app);
    app->may_differ = may_differ;
    app->fixed_keys = fixed_keys;
    app->print_model = wabe_two_phase_print_model;
    app->print_more = wabe_two_phase_print_more;
    app->default_quantities = "fraction, pressure, velocity_x, velocity_y, velocity_z";
    app->picture = "fraction";
    app->plot = t->options.run.monitor.every > 0 && t->options.two_phase.shapes.count > 0
                    ? "two_phase"
                    : NULL;
    if (t->step.has_solids) {
        app->mask = mask;
        t->survey = app->survey;
        app->survey = survey;
    }
    wabe_run_cubes(app, t->step.spacing);
    app->time_step = t->step.time_step;
    return WABE_OK;
}

wabe_status wabe_two_phase_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                   wabe_verb verb) {
    wabe_two_phase t;
    wabe_option_table tables[3];
    wabe_application app;
    bool stopped;
    wabe_status status = read_case(comm, config, &t, tables, &app);
    if (status == WABE_OK)
        status = wabe_run_case(comm, input, config, &app, verb, &stopped);
    wabe_grid_solids_free(&t.solids);
    return status;
}

wabe_status wabe_two_phase_geometry(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    wabe_two_phase t;
    wabe_option_table tables[3];
    wabe_application app;
    wabe_run run;
    wabe_status status = read_case(comm, config, &t, tables, &app);
    if (status == WABE_OK) {
        status = wabe_run_begin(comm, input, config, &app, &run);
        if (status == WABE_OK)
            status = wabe_lbm_show_solids(&run, &t.solids.geometry, &t.solids.solids);
        wabe_run_finish(&run);
    }
    wabe_grid_solids_free(&t.solids);
    return status;
}
