/* Checkpoints of a grid, and going on from them. */
#include "apps/grid/grid_internal.h"
#include "apps/runtime/restart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ------------------------------------------------------------------------ */

static wabe_status fill(void *context, int array, wabe_box part, void *values) {
    const grid_run *run = context;
    (void)array;
    return wabe_grid_slabs_read(&run->slabs, &run->domain, part, run->slabs.model.fields[0].type,
                                values);
}

static wabe_status save(grid_run *run, const char *configuration, wabe_decision decision) {
    const int64_t *n = run->o->domain.cells;
    const wabe_checkpoint_request request = {.directory = run->directory,
                                             .head = {.application = run->o->application,
                                                      .step = run->step,
                                                      .cells = {n[0], n[1], n[2]},
                                                      .array_count = 1,
                                                      .type = run->slabs.model.fields[0].type,
                                                      .configuration = configuration,
                                                      .number_count = 1,
                                                      .numbers = {{"mean_at_start",
                                                                   run->first.mean}}},
                                             .block = run->domain.block,
                                             .fill = fill,
                                             .context = run,
                                             .compress = run->o->checkpoint.compress,
                                             .keep = run->o->checkpoint.keep};
    return wabe_backlog_save(run->comm, &run->backlog, &request, decision, &run->lifetime);
}

wabe_status wabe_grid_save(grid_run *run, wabe_decision decision) {
    wabe_profile_start(&run->domain.profile);
    char *text = wabe_restart_configuration(run->table_count, run->tables);
    wabe_status status = text ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for a checkpoint");
    status = wabe_agree(run->comm, status);
    if (status == WABE_OK)
        status = save(run, text, decision);
    free(text);
    wabe_profile_stop(&run->domain.profile, WABE_PHASE_output);
    return status;
}

/* ---- going on ----------------------------------------------------------------------- */

/* Of a checkpoint, the part of a plane that lies in this process's block. */
typedef struct {
    wabe_checkpoint *checkpoint;
    wabe_type type;
    wabe_box part; /* what values holds */
    void *values;
} stored_plane;

static wabe_status stored_row(const void *context, const int64_t cell[3], int64_t count,
                              double *row) {
    stored_plane *s = *(stored_plane *const *)context;
    if (s->part.begin[2] != cell[2]) {
        s->part.begin[2] = cell[2];
        s->part.end[2] = cell[2] + 1;
        WABE_TRY(wabe_checkpoint_read(s->checkpoint, 0, s->part, s->values));
    }
    const int64_t first = cell[0] - s->part.begin[0] +
                          wabe_box_extent(s->part, 0) * (cell[1] - s->part.begin[1]);
    for (int64_t i = 0; i < count; i++)
        row[i] = s->type == WABE_TYPE_f64 ? ((double *)s->values)[first + i]
                                          : (double)((float *)s->values)[first + i];
    return WABE_OK;
}

static wabe_status restore(grid_run *run, wabe_checkpoint *c) {
    const wabe_checkpoint_head *h = wabe_checkpoint_head_of(c);
    stored_plane plane = {.checkpoint = c, .type = h->type, .part = run->domain.block};
    stored_plane *const context = &plane;
    if (h->step > run->o->steps)
        return wabe_config_fail(run->config, "steps", "has been passed: %s is of step %lld",
                                wabe_checkpoint_path(c), (long long)h->step);
    plane.part.begin[2] = plane.part.end[2] = -1; /* none yet */
    plane.values =
        malloc((size_t)(wabe_box_extent(plane.part, 0) * wabe_box_extent(plane.part, 1)) *
               wabe_type_size(h->type));
    WABE_CHECK(plane.values, WABE_MEMORY, "no memory for a plane of a checkpoint");
    const wabe_status status = wabe_grid_slabs_initialise(&run->slabs, stored_row, &context);
    free(plane.values);
    run->step = run->first_step = h->step;
    run->mean_at_start = wabe_checkpoint_number_of(c, "mean_at_start", NAN);
    return status;
}

static wabe_status open_checkpoint(const grid_run *run, wabe_checkpoint **out) {
    wabe_restart_request request = {.application = run->o->application,
                                    .array_count = 1,
                                    .type = run->slabs.model.fields[0].type,
                                    .config = run->config,
                                    .table_count = run->table_count,
                                    .tables = run->tables,
                                    .options = run->app->options,
                                    .options_size = run->app->options_size,
                                    .may_differ = run->app->may_differ};
    memcpy(request.cells, run->o->domain.cells, sizeof request.cells);
    return wabe_restart_open(run->comm, run->restart, run->directory, &request, out);
}

wabe_status wabe_grid_begin(grid_run *run) {
    wabe_checkpoint *checkpoint = NULL;
    if (!run->restart && run->rank == 0)
        wabe_restart_warn_of_others(run->directory);
    if (run->restart)
        WABE_TRY(open_checkpoint(run, &checkpoint));
    const wabe_status status =
        checkpoint ? restore(run, checkpoint)
                   : wabe_grid_slabs_initialise(&run->slabs, run->app->initial, run->slabs.context);
    wabe_checkpoint_close(&checkpoint);
    WABE_TRY(wabe_agree(run->comm, status));
    wabe_domain_initialise(&run->domain);
    return run->first_step > 0
               ? wabe_output_resume(run->backlog.outputs[0], run->first_step, run->app->time_step)
               : WABE_OK;
}
