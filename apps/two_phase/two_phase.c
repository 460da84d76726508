#include "apps/two_phase/two_phase_run.h"

#include <math.h>

/* As the words in two_phase_schema.c. */
enum { F64, F32 };

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    const wabe_two_phase *t = context;
    return wabe_two_phase_set(slab, &t->step, &t->tables.multigrid);
}

/* How it is computed: the values stay the same. */
static const char *const may_differ[] = {"two_phase.kernel", NULL};
static const char *const fixed_keys[] = {"domain.spacing", "two_phase.fluid", "two_phase.shapes",
                                         "two_phase.velocity", NULL};

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

wabe_status wabe_two_phase_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                   wabe_verb verb) {
    wabe_two_phase t = {.volume = NAN};
    wabe_option_table tables[3];
    wabe_application app = wabe_run_application("two_phase", wabe_two_phase_option_rows, &t.options,
                                                sizeof t.options, tables);
    bool stopped;
    wabe_status status = wabe_config_read(config, 3, tables);
    if (status == WABE_OK)
        status = wabe_two_phase_take(config, &t);
    WABE_TRY(wabe_agree(comm, status));
    t.tables = wabe_two_phase_model(t.options.two_phase.storage == F64 ? WABE_TYPE_f64
                                                                       : WABE_TYPE_f32,
                                    &t.step, t.options.two_phase.kernel, &t.pressure);
    t.stencil = stencil_of(&t);
    wabe_stencil_enter(&t.stencil, &app);
    app.may_differ = may_differ;
    app.fixed_keys = fixed_keys;
    app.print_model = wabe_two_phase_print_model;
    app.print_more = wabe_two_phase_print_more;
    app.default_quantities = "fraction, pressure, velocity_x, velocity_y, velocity_z";
    app.picture = "fraction";
    app.plot = t.options.run.monitor.every > 0 && t.options.two_phase.shapes.count > 0 ? "two_phase"
                                                                                       : NULL;
    wabe_run_cubes(&app, t.step.spacing);
    app.time_step = t.step.time_step;
    return wabe_run_case(comm, input, config, &app, verb, &stopped);
}
