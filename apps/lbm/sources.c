#include "apps/lbm/sources.h"

#include "apps/lbm/lbm.h"
#include "core/base/log.h"

#include <math.h>

static void key_of(int i, const char *member, char key[64]) {
    snprintf(key, 64, "scalar.sources[%d].%s", i, member);
}

/* Of one cell along an axis whose end is not given. */
static wabe_status take_box(const wabe_config *config, int i, const wabe_source_options *o,
                            const int64_t cells[3], wabe_box *out) {
    char group[64];
    snprintf(group, sizeof group, "scalar.sources[%d]", i);
    for (int d = 0; d < 3; d++) {
        out->begin[d] = o->begin[d];
        out->end[d] = o->end[d] > 0 ? o->end[d] : o->begin[d] + 1;
    }
    return wabe_run_check_box(config, group, *out, cells);
}

static wabe_status take_source(const wabe_config *config, int i, const wabe_source_options *o,
                               const wabe_scalar_case *scalar, const int64_t cells[3],
                               wabe_scalar_sources *s) {
    char key[64];
    key_of(i, "rate", key);
    if (!scalar->present)
        return wabe_config_fail(config, key,
                                "is not used: there is no scalar; scalar.diffusivity or "
                                "scalar.prandtl makes one");
    if (o->rate == 0.0)
        return wabe_config_fail(config, key, "is 0: give what the source gives off in a step");
    key_of(i, "stop", key);
    if (o->stop <= o->start)
        return wabe_config_fail(config, key, "is %lld, and must be behind start = %lld",
                                (long long)o->stop, (long long)o->start);
    WABE_TRY(take_box(config, i, o, cells, &s->list[i].box));
    for (int k = 0; k < i; k++)
        if (!wabe_box_is_empty(wabe_box_intersect(s->list[k].box, s->list[i].box))) {
            key_of(i, "begin", key);
            return wabe_config_fail(config, key,
                                    "the source has cells of scalar.sources[%d]: a cell can be in "
                                    "one",
                                    k);
        }
    s->list[i].begin = o->start;
    s->list[i].end = o->stop;
    s->rates[i] = o->rate;
    return WABE_OK;
}

wabe_status wabe_sources_make(const wabe_config *config, int64_t count,
                              const wabe_source_options *options, const wabe_scalar_case *scalar,
                              const int64_t cells[3], wabe_scalar_sources *out) {
    *out = (wabe_scalar_sources){.difference = scalar->difference};
    if (count > WABE_SOURCES_MAX)
        return wabe_config_fail(config, "scalar.sources", "has %lld sources, at most %d",
                                (long long)count, WABE_SOURCES_MAX);
    for (int i = 0; i < (int)count; i++)
        WABE_TRY(take_source(config, i, &options[i], scalar, cells, out));
    out->count = (int)count;
    return WABE_OK;
}

/* Of this process's block. Local. */
static wabe_status count_fluid(const wabe_run *run, wabe_box box, int64_t *out) {
    const wabe_geometry *g = &wabe_flow_of(run)->lbm_case.simulation.geometry;
    box = wabe_box_intersect(box, run->block);
    *out = 0;
    for (int64_t z = box.begin[2]; z < box.end[2] && !wabe_box_is_empty(box); z++) {
        int64_t fluid = 0;
        WABE_TRY(wabe_geometry_count(g, wabe_box_plane(box, z), &fluid));
        *out += fluid;
    }
    return WABE_OK;
}

wabe_status wabe_sources_count(const wabe_run *run, wabe_scalar_sources *s) {
    for (int i = 0; i < s->count; i++) {
        int64_t cells = 0;
        char key[64];
        WABE_TRY(wabe_agree(run->comm, count_fluid(run, s->list[i].box, &cells)));
        MPI_Allreduce(MPI_IN_PLACE, &cells, 1, MPI_INT64_T, MPI_SUM, run->comm);
        key_of(i, "begin", key);
        if (cells == 0)
            return wabe_config_fail(run->config, key,
                                    "all cells of the source lie inside solids: move it to where "
                                    "fluid is");
        key_of(i, "rate", key);
        if (!(fabs(s->rates[i]) <= s->difference * (double)cells))
            return wabe_config_fail(run->config, key,
                                    "is %g from %lld fluid cells: in each step more than "
                                    "scalar.difference = %g in a cell; lower it, or raise that",
                                    s->rates[i], (long long)cells, s->difference);
        s->cells[i] = cells;
        s->list[i].amount = s->rates[i] / s->difference / (double)cells;
    }
    return WABE_OK;
}

void wabe_sources_print(const wabe_scalar_sources *s) {
    for (int i = 0; i < s->count; i++) {
        const wabe_box *b = &s->list[i].box;
        wabe_log_line("source     [%lld, %lld, %lld] to [%lld, %lld, %lld]: %.6g a step, fluid "
                      "cells: %lld",
                      (long long)b->begin[0], (long long)b->begin[1], (long long)b->begin[2],
                      (long long)b->end[0], (long long)b->end[1], (long long)b->end[2], s->rates[i],
                      (long long)s->cells[i]);
    }
}

double wabe_sources_released(const wabe_scalar_sources *s, int64_t step) {
    double sum = 0.0;
    for (int i = 0; i < s->count; i++) {
        const int64_t end = step < s->list[i].end ? step : s->list[i].end;
        if (end > s->list[i].begin)
            sum += s->rates[i] * (double)(end - s->list[i].begin);
    }
    return sum;
}
