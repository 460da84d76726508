/* Probes of a run: cells whose density and velocity are followed in time. */
#include "apps/lbm/lbm.h"
#include "apps/runtime/report.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 4 }; /* of a probe: density deviation, velocity */

static wabe_status choose_probe(wabe_lbm_run_state *run, int number, const wabe_probe_options *o) {
    wabe_lbm_probe_point *probe = &run->probes[number];
    char path[64];
    snprintf(path, sizeof path, "output.probes[%d].name", number);
    WABE_TRY(wabe_lbm_check_name(run, path, o->name));
    for (int i = 0; i < number; i++)
        if (strcmp(run->probes[i].name, o->name) == 0)
            return wabe_config_fail(run->config, path, "is the name of another one, too");
    snprintf(probe->name, sizeof probe->name, "%.*s", WABE_OUTPUT_NAME_MAX, o->name);
    snprintf(path, sizeof path, "output.probes[%d].cell", number);
    for (int d = 0; d < 3; d++)
        if (o->cell[d] >= run->options.domain.cells[d])
            return wabe_config_fail(run->config, path,
                                    "is outside the domain: along %c it has cells 0 to %lld",
                                    'x' + d, (long long)run->options.domain.cells[d] - 1);
    memcpy(probe->cell, o->cell, sizeof probe->cell);
    return WABE_OK;
}

wabe_status wabe_lbm_choose_probes(wabe_lbm_run_state *run) {
    const wabe_option_list *list = &run->options.output.probes;
    if (list->count > WABE_LBM_PROBES_MAX)
        return wabe_config_fail(run->config, "output.probes", "has %lld probes, at most %d",
                                (long long)list->count, WABE_LBM_PROBES_MAX);
    for (int i = 0; i < (int)list->count; i++) {
        WABE_TRY(choose_probe(run, i, (const wabe_probe_options *)list->items + i));
        run->probe_count = i + 1;
    }
    return WABE_OK;
}

wabe_status wabe_lbm_open_probes(wabe_lbm_run_state *run) {
    for (int i = 0; i < run->probe_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "probe_%s.csv", run->probes[i].name);
        WABE_TRY(wabe_time_series_open(run->comm, run->directory, name,
                                       "step,time,density,ux,uy,uz", run->simulation->first_step,
                                       &run->probes[i].file));
    }
    return WABE_OK;
}

/* Moments of those probes that lie in this process's block, zeros of others. */
static wabe_status read_probes(const wabe_lbm_run_state *run, double *moments) {
    for (int i = 0; i < run->probe_count; i++) {
        const int64_t *c = run->probes[i].cell;
        const wabe_box box = {{c[0], c[1], c[2]}, {c[0] + 1, c[1] + 1, c[2] + 1}};
        if (wabe_box_contains(run->block, c[0], c[1], c[2]))
            WABE_TRY(
                wabe_simulation_moments(run->simulation, box, moments + (ptrdiff_t)NUMBERS * i));
    }
    return WABE_OK;
}

/* On rank 0, in the units of the run. */
static wabe_status write_probes(const wabe_lbm_run_state *run, int64_t step,
                                const double *moments) {
    const wabe_lbm_case *c = &run->lbm_case;
    const double density = c->dm / (c->dx * c->dx * c->dx), velocity = c->dx / c->dt;
    for (int i = 0; i < run->probe_count; i++, moments += NUMBERS) {
        const double values[] = {(double)step * c->dt, density * (1.0 + moments[0]),
                                 velocity * moments[1], velocity * moments[2],
                                 velocity * moments[3]};
        WABE_TRY(wabe_time_series_add(&run->probes[i].file, step, 1 + NUMBERS, values));
    }
    return WABE_OK;
}

wabe_status wabe_lbm_probe(wabe_lbm_run_state *run, int64_t step) {
    double moments[WABE_LBM_PROBES_MAX * NUMBERS] = {0};
    const int count = run->probe_count * NUMBERS;
    if (count == 0 || !wabe_report_is_due(step, run->options.output.probe_every))
        return WABE_OK;
    wabe_profile_start(&run->simulation->domain.profile);
    wabe_status status = wabe_agree(run->comm, read_probes(run, moments));
    if (status == WABE_OK)
        MPI_Reduce(run->rank == 0 ? MPI_IN_PLACE : moments, moments, count, MPI_DOUBLE, MPI_SUM, 0,
                   run->comm);
    if (status == WABE_OK)
        status = wabe_agree(run->comm, run->rank == 0 ? write_probes(run, step, moments) : WABE_OK);
    wabe_profile_stop(&run->simulation->domain.profile, WABE_PHASE_output);
    return status;
}
