/* Fields of a run, of the whole domain or of parts of it, as files for ParaView. */
#include "apps/lbm/lbm.h"
#include "apps/runtime/report.h"
#include "apps/runtime/restart.h"

#include "core/io/disk.h"

#include <stdlib.h>
#include <string.h>

#define BETWEEN ", "
#define SOUND_SPEED_SQUARED (1.0 / 3.0)

/* ---- what is asked for -------------------------------------------------------------- */

#define FIELD_NAMES "density, velocity, pressure, mean_density, mean_velocity, rms_velocity"

/* The field of this name, in the units of the run. false: there is none. */
static bool find_field(const wabe_lbm_case *c, const char *name, wabe_lbm_field *out) {
    const double velocity = c->dx / c->dt, mass = c->dm / (c->dx * c->dx * c->dx);
    const wabe_quantity density = {.first = WABE_OUTPUT_density,
                                   .count = 1,
                                   .offset = 1.0,
                                   .factor = mass};
    const wabe_quantity momentum = {.first = WABE_OUTPUT_velocity_x,
                                    .count = 3,
                                    .factor = velocity};
    const wabe_quantity pressure = {.first = WABE_OUTPUT_density,
                                    .count = 1,
                                    .factor = SOUND_SPEED_SQUARED * mass * velocity * velocity};
    const wabe_lbm_field all[] = {{{"density", 1}, density, WABE_LBM_NOW},
                                  {{"velocity", 3}, momentum, WABE_LBM_NOW},
                                  {{"pressure", 1}, pressure, WABE_LBM_NOW},
                                  {{"mean_density", 1}, density, WABE_LBM_MEAN},
                                  {{"mean_velocity", 3}, momentum, WABE_LBM_MEAN},
                                  {{"rms_velocity", 3}, momentum, WABE_LBM_RMS}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].field.name, name) == 0) {
            *out = all[i];
            return true;
        }
    return false;
}

/* false: there is no such field, or it is there already. */
static bool add_field(const wabe_lbm_case *c, const char *name, wabe_lbm_part *part) {
    for (int i = 0; i < part->field_count; i++)
        if (strcmp(part->fields[i].field.name, name) == 0)
            return false;
    return find_field(c, name, &part->fields[part->field_count]) && ++part->field_count;
}

static wabe_status read_quantities(const wabe_lbm_run_state *run, const char *path,
                                   const char *text, wabe_lbm_part *part) {
    char words[WABE_STRING_SIZE], *rest = words;
    snprintf(words, sizeof words, "%s", text);
    for (char *word; (word = strtok_r(rest, BETWEEN, &rest));)
        if (!add_field(&run->lbm_case, word, part))
            return wabe_config_fail(run->config, path,
                                    "has \"%s\": it must be some of " FIELD_NAMES
                                    ", each once, such as \"density, velocity\"",
                                    word);
    return part->field_count > 0
               ? WABE_OK
               : wabe_config_fail(run->config, path, "is empty: it must be some of " FIELD_NAMES);
}

wabe_status wabe_lbm_check_name(const wabe_lbm_run_state *run, const char *path, const char *name) {
    return wabe_output_is_name(name)
               ? WABE_OK
               : wabe_config_fail(run->config, path, "must be of letters, digits and _, at most %d",
                                  WABE_OUTPUT_NAME_MAX);
}

static wabe_status choose_part(wabe_lbm_run_state *run, int number, const wabe_part_options *o) {
    const int64_t *cells = run->options.domain.cells;
    wabe_lbm_part part = {.stride = o->stride,
                          .every = o->every == INT64_MIN ? run->options.output.every : o->every,
                          .type = o->precision ? WABE_TYPE_f64 : WABE_TYPE_f32};
    char path[64];
    snprintf(path, sizeof path, "output.parts[%d].name", number);
    WABE_TRY(wabe_lbm_check_name(run, path, o->name));
    if (strcmp(o->name, "fields") == 0)
        return wabe_config_fail(run->config, path, "is the name of the whole domain's files");
    for (int i = 0; i < run->part_count; i++)
        if (strcmp(run->parts[i].name, o->name) == 0)
            return wabe_config_fail(run->config, path, "is the name of another one, too");
    snprintf(part.name, sizeof part.name, "%.*s", WABE_OUTPUT_NAME_MAX, o->name);
    snprintf(path, sizeof path, "output.parts[%d].end", number);
    for (int d = 0; d < 3; d++) {
        part.box.begin[d] = o->begin[d];
        part.box.end[d] = o->end[d] > 0 ? o->end[d] : cells[d];
        if (part.box.end[d] > cells[d] || part.box.begin[d] >= part.box.end[d])
            return wabe_config_fail(run->config, path,
                                    "must be behind begin, and at most at the domain's end: along "
                                    "%c from %lld to %lld, of %lld cells",
                                    'x' + d, (long long)part.box.begin[d],
                                    (long long)part.box.end[d], (long long)cells[d]);
    }
    snprintf(path, sizeof path, "output.parts[%d].quantities", number);
    WABE_TRY(read_quantities(run, path, o->quantities, &part));
    run->parts[run->part_count++] = part;
    return WABE_OK;
}

/* The whole domain comes first. */
static wabe_status choose_domain(wabe_lbm_run_state *run) {
    const wabe_lbm_options *o = &run->options;
    wabe_lbm_part part = {.name = "fields",
                          .stride = o->output.stride,
                          .every = o->output.every,
                          .type = o->output.precision ? WABE_TYPE_f64 : WABE_TYPE_f32};
    memcpy(part.box.end, o->domain.cells, sizeof part.box.end);
    WABE_TRY(read_quantities(run, "output.quantities", o->output.quantities, &part));
    if (o->output.fields)
        run->parts[run->part_count++] = part;
    return WABE_OK;
}

wabe_status wabe_lbm_choose_fields(wabe_lbm_run_state *run) {
    const wabe_option_list *list = &run->options.output.parts;
    run->part_count = 0;
    WABE_TRY(choose_domain(run));
    if (list->count >= WABE_LBM_PARTS_MAX)
        return wabe_config_fail(run->config, "output.parts", "has %lld parts, at most %d",
                                (long long)list->count, WABE_LBM_PARTS_MAX - 1);
    for (int i = 0; i < (int)list->count; i++)
        WABE_TRY(choose_part(run, i, (const wabe_part_options *)list->items + i));
    run->lbm_case.simulation.sums = wabe_lbm_has_averages(run);
    return WABE_OK;
}

/* ---- files -------------------------------------------------------------------------- */

/* The cells of a part that are written, and those of them that lie in this process's block. */
static wabe_output_grid grid_of(const wabe_lbm_run_state *run, const wabe_lbm_part *part) {
    const wabe_box mine = wabe_box_intersect(run->block, part->box);
    const double dx = run->lbm_case.dx;
    wabe_output_grid grid = {.spacing = dx * (double)part->stride};
    for (int d = 0; d < 3; d++) {
        const int64_t begin = part->box.begin[d];
        grid.cells[d] = wabe_samples(wabe_box_extent(part->box, d), part->stride);
        grid.block.begin[d] = wabe_samples(mine.begin[d] - begin, part->stride);
        grid.block.end[d] = wabe_samples(mine.end[d] - begin, part->stride);
        grid.origin[d] = dx * ((double)begin + 0.5 - 0.5 * (double)part->stride);
    }
    if (wabe_box_is_empty(mine) || wabe_box_is_empty(grid.block))
        grid.block = (wabe_box){0};
    return grid;
}

/* The directory is for other results, too. */
static wabe_status prepare_directory(const wabe_lbm_run_state *run) {
    char part[sizeof run->directory + 16];
    snprintf(part, sizeof part, "%s/run.part", run->directory);
    return run->rank == 0 ? wabe_disk_prepare(run->directory, part) : WABE_OK;
}

wabe_status wabe_lbm_open_fields(wabe_lbm_run_state *run) {
    WABE_TRY(wabe_agree(run->comm, prepare_directory(run)));
    WABE_TRY(wabe_backlog_open(run->comm, &run->components, &run->backlog));
    for (int i = 0; i < run->part_count; i++) {
        const wabe_lbm_part *part = &run->parts[i];
        wabe_output_request request = {.directory = run->directory,
                                       .name = part->name,
                                       .grid = grid_of(run, part),
                                       .field_count = part->field_count,
                                       .type = part->type,
                                       .compress = run->options.output.compress};
        for (int f = 0; f < part->field_count; f++)
            request.fields[f] = part->fields[f].field;
        WABE_TRY(wabe_backlog_add(run->comm, &run->backlog, &request));
    }
    return WABE_OK;
}

wabe_status wabe_lbm_resume_fields(wabe_lbm_run_state *run) {
    for (int i = 0; i < run->part_count; i++)
        WABE_TRY(wabe_output_resume(run->backlog.outputs[i], run->simulation->first_step,
                                    run->lbm_case.dt));
    return WABE_OK;
}

/* ---- writing ------------------------------------------------------------------------ */

bool wabe_lbm_fields_are_due(const wabe_lbm_run_state *run, int64_t step) {
    bool due = wabe_report_is_due(step, run->options.output.every);
    for (int i = 0; i < run->part_count; i++)
        due |= wabe_report_is_due(step, run->parts[i].every);
    return due;
}

/* What fill is asked for. */
typedef struct {
    const wabe_lbm_run_state *run;
    const wabe_lbm_part *part;
} source;

static wabe_status fill(void *context, int field, wabe_box cells, void *values) {
    const source *s = context;
    const wabe_lbm_part *part = s->part;
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        box.begin[d] = part->box.begin[d] + part->stride * cells.begin[d];
        box.end[d] = part->box.begin[d] + part->stride * (cells.end[d] - 1) + 1;
    }
    const wabe_lbm_field *f = &part->fields[field];
    return f->over_time == WABE_LBM_NOW
               ? wabe_simulation_quantity(s->run->simulation, &f->quantity, box, part->stride,
                                          part->type, values)
               : wabe_lbm_fill_average(s->run, f, box, part->stride, part->type, values);
}

static wabe_status write_part(wabe_lbm_run_state *run, int number, const char *configuration) {
    const int64_t step = wabe_simulation_steps(run->simulation);
    wabe_output *output = run->backlog.outputs[number];
    source from = {run, &run->parts[number]};
    WABE_TRY(wabe_output_end(output)); /* of an earlier step */
    return wabe_output_begin(output, step, (double)step * run->lbm_case.dt, fill, &from,
                             configuration);
}

wabe_status wabe_lbm_write_fields(wabe_lbm_run_state *run, bool last) {
    const wabe_option_table table = {wabe_lbm_option_rows, &run->options};
    const int64_t step = wabe_simulation_steps(run->simulation);
    wabe_status status = WABE_OK;
    char *text = wabe_restart_configuration(1, &table);
    WABE_TRY(
        wabe_agree(run->comm,
                   text ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for the resolved input")));
    for (int i = 0; i < run->part_count && status == WABE_OK; i++)
        if (last || wabe_report_is_due(step, run->parts[i].every))
            status = write_part(run, i, text);
    free(text);
    return status;
}
