/* Probes of a run: cells whose numbers are recorded over time. */
#include "apps/runtime/report.h"
#include "apps/runtime/run_internal.h"

#include <stdlib.h>
#include <string.h>

static wabe_status choose_probe(wabe_run *run, int number, const wabe_probe_options *o) {
    wabe_run_probe *probe = &run->probes[number];
    char path[64];
    snprintf(path, sizeof path, "output.probes[%d].name", number);
    WABE_TRY(wabe_run_check_name(run, path, o->name));
    for (int i = 0; i < number; i++)
        if (strcmp(run->probes[i].name, o->name) == 0)
            return wabe_config_fail(run->config, path, "is the name of another one, too");
    snprintf(probe->name, sizeof probe->name, "%.*s", WABE_OUTPUT_NAME_MAX, o->name);
    snprintf(path, sizeof path, "output.probes[%d].cell", number);
    for (int d = 0; d < 3; d++)
        if (o->cell[d] >= run->o->domain.cells[d])
            return wabe_config_fail(run->config, path,
                                    "is outside the domain: along %c domain.cells has 0 to %lld",
                                    'x' + d, (long long)run->o->domain.cells[d] - 1);
    memcpy(probe->cell, o->cell, sizeof probe->cell);
    return WABE_OK;
}

wabe_status wabe_run_choose_probes(wabe_run *run) {
    const wabe_option_list *list = &run->o->output.probes;
    if (list->count > WABE_PROBES_MAX)
        return wabe_config_fail(run->config, "output.probes", "has %lld probes, at most %d",
                                (long long)list->count, WABE_PROBES_MAX);
    for (int i = 0; i < (int)list->count; i++) {
        WABE_TRY(choose_probe(run, i, (const wabe_probe_options *)list->items + i));
        run->probe_count = i + 1;
    }
    return WABE_OK;
}

wabe_status wabe_run_open_probes(wabe_run *run) {
    char columns[WABE_LINE_SIZE] = "step,time";
    for (int i = 0; i < run->app->number_count; i++) {
        const size_t used = strlen(columns);
        snprintf(columns + used, sizeof columns - used, ",%s", run->app->numbers[i].name);
    }
    for (int i = 0; i < run->probe_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "probe_%s.csv", run->probes[i].name);
        WABE_TRY(wabe_time_series_open(&run->folder, name, columns,
                                       run->goes_on ? run->first_step : 0, &run->probes[i].file));
    }
    return WABE_OK;
}

/* Numbers of the probes in this process's block; -0 for the others, which changes no number that it
 * is added to, not even -0. */
static wabe_status read_probes(const wabe_run *run, double *numbers) {
    const wabe_values values = run->app->values(run);
    for (int i = 0; i < run->probe_count * run->app->number_count; i++)
        numbers[i] = -0.0;
    for (int i = 0; i < run->probe_count; i++) {
        const int64_t *c = run->probes[i].cell;
        const wabe_box box = {{c[0], c[1], c[2]}, {c[0] + 1, c[1] + 1, c[2] + 1}};
        if (wabe_box_contains(run->block, c[0], c[1], c[2]))
            WABE_TRY(wabe_domain_read(run->domain, &values, box,
                                      numbers + (ptrdiff_t)run->app->number_count * i));
    }
    return WABE_OK;
}

/* On rank 0, in the units of the run. */
static wabe_status write_probes(const wabe_run *run, const double *numbers) {
    const int count = run->app->number_count;
    double line[1 + WABE_APPLICATION_NUMBERS_MAX] = {wabe_run_time(run)};
    for (int i = 0; i < run->probe_count; i++, numbers += count) {
        for (int k = 0; k < count; k++)
            line[1 + k] = wabe_state_number_of(&run->app->numbers[k], numbers[k]);
        WABE_TRY(wabe_time_series_add(&run->probes[i].file, run->step, 1 + count, line));
    }
    return WABE_OK;
}

wabe_status wabe_run_follow_probes(wabe_run *run, int64_t timed) {
    double numbers[WABE_PROBES_MAX * WABE_APPLICATION_NUMBERS_MAX];
    const int count = run->probe_count * run->app->number_count;
    if (count == 0 || !wabe_report_is_due(timed, run->o->output.probe_every))
        return WABE_OK;
    wabe_profile_start(&run->domain->profile);
    wabe_status status = wabe_agree(run->comm, read_probes(run, numbers));
    if (status == WABE_OK)
        MPI_Reduce(run->rank == 0 ? MPI_IN_PLACE : numbers, numbers, count, MPI_DOUBLE, MPI_SUM, 0,
                   run->comm);
    if (status == WABE_OK)
        status = wabe_agree(run->comm, run->rank == 0 ? write_probes(run, numbers) : WABE_OK);
    wabe_profile_stop(&run->domain->profile, WABE_PHASE_output);
    return status;
}
