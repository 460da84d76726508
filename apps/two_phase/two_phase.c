#include "apps/two_phase/two_phase_run.h"

#include "apps/lbm/solid_pictures.h"
#include "apps/lbm/solid_plane.h"

#include <math.h>

/* As the words in two_phase_schema.c. */
enum { F64, F32 };

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    const wabe_two_phase *t = context;
    wabe_two_phase_case c = t->step;
    wabe_solid_cells cells;
    if (!c.has_solids)
        return wabe_two_phase_set(slab, &c, &t->tables.multigrid);
    WABE_TRY(wabe_solid_cells_find(&t->solids, slab->held, wabe_grid_halo(&slab->model), &cells));
    c.is_solid = wabe_solid_cells_is_solid;
    c.angle_of_solid = wabe_solid_cells_angle;
    c.solids = &cells;
    const wabe_status status = wabe_two_phase_set(slab, &c, &t->tables.multigrid);
    wabe_solid_cells_free(&cells);
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
                               .likely_cause = t->step.steps_differ
                                                   ? "two_phase.courant may be too large"
                                                   : "two_phase.time_step may be too long",
                               .recall = wabe_two_phase_recall,
                               .resume = wabe_two_phase_resume,
                               .put = wabe_two_phase_put};
}

/* Is a cell solid between two that are not, along an axis? */
static bool is_thin(const wabe_two_phase *t, const wabe_solid_cells *cells, const int64_t cell[3]) {
    for (int axis = 0; axis < 3; axis++) {
        int64_t low[3] = {cell[0], cell[1], cell[2]}, high[3] = {cell[0], cell[1], cell[2]};
        low[axis]--, high[axis]++;
        const bool is_inside = low[axis] >= 0 && high[axis] < t->step.cells[axis];
        if ((is_inside || t->step.faces[2 * axis] == WABE_TWO_PHASE_PERIODIC) &&
            !wabe_solid_cells_is_solid(cells, low) && !wabe_solid_cells_is_solid(cells, high))
            return wabe_solid_cells_is_solid(cells, cell);
    }
    return false;
}

/* Counts them in this process's block. */
static wabe_status count_thin(const wabe_run *run, int64_t *count) {
    const wabe_two_phase *t = wabe_two_phase_of(run);
    const wabe_box *b = &run->block;
    wabe_solid_cells cells;
    *count = 0;
    WABE_TRY(wabe_solid_cells_find(&t->solids, *b, 1, &cells));
    for (int64_t z = b->begin[2]; z < b->end[2]; z++)
        for (int64_t y = b->begin[1]; y < b->end[1]; y++)
            for (int64_t x = b->begin[0]; x < b->end[0]; x++)
                *count += is_thin(t, &cells, (const int64_t[3]){x, y, z});
    wabe_solid_cells_free(&cells);
    return WABE_OK;
}

/* What is filled in a solid cell is that of the fluid on all of its sides. */
static wabe_status warn_of_plates(wabe_run *run) {
    int64_t count;
    WABE_TRY(wabe_agree(run->comm, count_thin(run, &count)));
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT64_T, MPI_SUM, run->comm);
    if (count > 0)
        wabe_run_warn(
            run, "geometry",
            "geometry: %lld solid cells have fluid on two opposite sides, which drag each "
            "other: make what is one cell thick thicker",
            (long long)count);
    return WABE_OK;
}

static wabe_status survey(wabe_run *run) {
    wabe_two_phase *t = wabe_two_phase_of(run);
    WABE_TRY(t->survey(run));
    WABE_TRY(wabe_lbm_solids_check_fluid(run->comm, run->config, &t->solids.geometry, run->block));
    return warn_of_plates(run);
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
    if (t->step.steps_differ) {
        app->longest_step = wabe_two_phase_longest_step;
        t->set_pass = app->set_pass;
        app->set_pass = wabe_two_phase_set_pass;
    }
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
