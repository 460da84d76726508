#include "apps/runtime/domain_report.h"

#include "core/base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLABS_SHOWN = 16 };

struct wabe_slab_report {
    char name[32], kind[16], kernel[96], hardware[64];
    int rank, threads;
    wabe_box box;
    double seconds; /* of computation */
};

/* ---- slabs -------------------------------------------------------------------------- */

static wabe_slab_report report_slab(const wabe_domain *d, int slab) {
    const wabe_component *component = &d->components.list[slab];
    const double *seconds = d->profile.seconds;
    wabe_slab_report r = {.threads = component->threads,
                          .box = d->partition.slabs[d->partition.first + slab].box,
                          .seconds = component->device
                                         ? wabe_timeline_seconds(d->slabs[slab].timeline)
                                         : seconds[WABE_PHASE_outer] + seconds[WABE_PHASE_inner]};
    MPI_Comm_rank(d->comm, &r.rank);
    snprintf(r.name, sizeof r.name, "%s", component->name);
    snprintf(r.kind, sizeof r.kind, "%s", wabe_target_word(component->target));
    snprintf(r.kernel, sizeof r.kernel, "%s", d->slabs[slab].kernel->name);
    if (component->device)
        snprintf(r.hardware, sizeof r.hardware, "%s",
                 wabe_device_describe(component->device)->name);
    else
        snprintf(r.hardware, sizeof r.hardware, "%d thread%s", component->threads,
                 component->threads > 1 ? "s" : "");
    return r;
}

wabe_status wabe_domain_report(const wabe_domain *d, wabe_slab_report **out) {
    const wabe_partition *p = &d->partition;
    int rank;
    MPI_Comm_rank(d->comm, &rank);
    wabe_slab_report *all = *out = calloc((size_t)p->count, sizeof *all);
    const wabe_status status = wabe_agree_memory(d->comm, all, "the results");
    for (int i = 0; i < p->count && status == WABE_OK; i++) {
        const bool mine = i >= p->first && i < p->first + p->mine;
        if (mine)
            all[i] = report_slab(d, i - p->first);
        if (mine && rank != 0)
            MPI_Send(&all[i], (int)sizeof all[i], MPI_BYTE, 0, i, d->comm);
        else if (!mine && rank == 0)
            MPI_Recv(&all[i], (int)sizeof all[i], MPI_BYTE, p->slabs[i].rank, i, d->comm,
                     MPI_STATUS_IGNORE);
    }
    return status;
}

void wabe_domain_put_slabs(const wabe_domain *d, const wabe_slab_report *reports, wabe_json *json) {
    static const char *const keys[3][2] = {{"x_begin", "x_end"},
                                           {"y_begin", "y_end"},
                                           {"z_begin", "z_end"}};
    wabe_json_open(json, "components", '[');
    for (int i = 0; i < d->partition.count; i++) {
        const wabe_slab_report *r = &reports[i];
        wabe_json_open(json, NULL, '{');
        wabe_json_text(json, "name", r->name);
        wabe_json_text(json, "kind", r->kind);
        wabe_json_text(json, "hardware", r->hardware);
        wabe_json_integer(json, "rank", r->rank);
        for (int axis = 0; axis < 3; axis++) {
            wabe_json_integer(json, keys[axis][0], r->box.begin[axis]);
            wabe_json_integer(json, keys[axis][1], r->box.end[axis]);
        }
        wabe_json_integer(json, "threads", r->threads);
        wabe_json_text(json, "kernel", r->kernel);
        wabe_json_real(json, "seconds", r->seconds);
        wabe_json_close(json, '}');
    }
    wabe_json_close(json, ']');
}

/* ---- messages ----------------------------------------------------------------------- */

wabe_domain_messages wabe_domain_count_messages(const wabe_domain *d, wabe_transport transport) {
    int64_t sum[2] = {0, 0};
    for (int i = 0; i < d->exchange_count; i++) {
        sum[0] += wabe_exchange_messages(d->exchanges[i].exchange, transport);
        sum[1] += wabe_exchange_bytes(d->exchanges[i].exchange, transport);
    }
    MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_INT64_T, MPI_SUM, d->comm);
    return (wabe_domain_messages){sum[0], sum[1]};
}

/* "2 peer, 1 host": messages of all ranks, by transport. */
static void print_messages(const wabe_domain *d) {
    char text[128] = "";
    for (int t = WABE_TRANSPORT_any + 1; t < WABE_TRANSPORT_end; t++) {
        const wabe_domain_messages m = wabe_domain_count_messages(d, (wabe_transport)t);
        const size_t used = strlen(text);
        if (m.count > 0)
            snprintf(text + used, sizeof text - used, "%s%lld %s (%.3f MB)", used ? ", " : "",
                     (long long)m.count, wabe_transport_word((wabe_transport)t),
                     1e-6 * (double)m.bytes);
    }
    const bool passes = d->schedule.entries[0].kind == WABE_STEP_PASS && d->partition.count > 1;
    const char *none = passes ? "planes of neighbours, once a pass" : "none";
    wabe_log_detail("messages   %s", text[0] ? text : none);
}

wabe_status wabe_domain_print(const wabe_domain *d) {
    wabe_slab_report *all;
    const int count = d->partition.count;
    const wabe_status status = wabe_domain_report(d, &all);
    for (int i = 0; i < count && i < SLABS_SHOWN && status == WABE_OK; i++)
        wabe_log_detail("%-10s rank %d %s: planes %lld to %lld, %s, %s", i == 0 ? "slabs" : "",
                        all[i].rank, all[i].name, (long long)all[i].box.begin[2],
                        (long long)all[i].box.end[2] - 1, all[i].hardware, all[i].kernel);
    if (count > SLABS_SHOWN && status == WABE_OK)
        wabe_log_detail("           and %d more", count - SLABS_SHOWN);
    free(all);
    WABE_TRY(status);
    print_messages(d);
    return WABE_OK;
}
