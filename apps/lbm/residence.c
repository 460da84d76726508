#include "apps/lbm/residence.h"

#include "core/base/log.h"
#include "core/io/disk.h"

#include <stdlib.h>

#define NAME "residence.csv"

enum {
    ROWS = 1000, /* of the file */
    MANY = 20    /* warn if more than one tracer in this many fails to arrive */
};

/* The time by which this fraction of the arrivals had come. */
static double when(const wabe_residence *r, double part) {
    const int64_t at = (int64_t)(part * (double)r->arrived);
    return r->steps[at < r->arrived ? at : r->arrived - 1];
}

static wabe_status write_times(const char *directory, const wabe_residence *r, double mean) {
    FILE *file;
    WABE_TRY(wabe_disk_open_text(directory, NAME, &file));
    fprintf(file, "arrived,steps,steps_over_mean\n");
    const int64_t rows = r->arrived < ROWS ? r->arrived : ROWS;
    for (int64_t i = 0; i < rows; i++) {
        const double part = ((double)i + 0.5) / (double)rows;
        fprintf(file, "%.9g,%.17g,%.9g\n", part, when(r, part), when(r, part) / mean);
    }
    return wabe_disk_close_text(directory, NAME, file);
}

wabe_status wabe_residence_measure(const wabe_simulation *simulation, wabe_journey journey,
                                   double mean, const char *directory,
                                   wabe_residence_results *out) {
    char path[512];
    int rank;
    MPI_Comm_rank(simulation->domain.comm, &rank);
    snprintf(path, sizeof path, "%s/" NAME, directory);
    *out = (wabe_residence_results){0};
    if (rank == 0)
        remove(path);
    if (journey.count == 0)
        return WABE_OK;
    wabe_residence found;
    journey.steps_max = WABE_RESIDENCE_LONGEST * mean;
    WABE_TRY(wabe_tracers_follow(simulation, &journey, &found));
    out->started = found.started;
    out->arrived = found.arrived;
    wabe_status status = WABE_OK;
    if (found.steps && found.arrived > 0) {
        out->tenth = when(&found, 0.1);
        out->half = when(&found, 0.5);
        out->nine_tenths = when(&found, 0.9);
        status = write_times(directory, &found, mean);
    }
    free(found.steps);
    return wabe_agree(simulation->domain.comm, status);
}

void wabe_residence_print(const wabe_residence_results *r) {
    if (r->arrived > 0)
        wabe_log_line("           %lld of %lld tracers got through: a tenth of these after %.6g "
                      "steps, half after %.6g, nine tenths after %.6g",
                      (long long)r->arrived, (long long)r->started, r->tenth, r->half,
                      r->nine_tenths);
    if (r->started == 0)
        wabe_log_warning("no tracer was started: where the medium begins nothing flows in");
    if (r->arrived < r->started - r->started / MANY)
        wabe_log_warning("%lld of %lld tracers did not get through: where they were caught the "
                         "flow is hardly resolved, or not steady, or they left against the flow",
                         (long long)(r->started - r->arrived), (long long)r->started);
}

void wabe_residence_put(const wabe_residence_results *r, wabe_json *json) {
    wabe_json_integer(json, "tracers", r->started);
    wabe_json_integer(json, "tracers_arrived", r->arrived);
    if (r->arrived > 0) {
        wabe_json_real(json, "residence_10", r->tenth);
        wabe_json_real(json, "residence_50", r->half);
        wabe_json_real(json, "residence_90", r->nine_tenths);
    }
}
