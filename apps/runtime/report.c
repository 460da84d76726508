#include "apps/runtime/report.h"

#include "core/base/log.h"
#include "core/io/disk.h"

wabe_report_clock wabe_report_start(int64_t step, double share) {
    const double now = MPI_Wtime();
    return (wabe_report_clock){.started = now, .shown = now, .share = share, .shown_step = step};
}

double wabe_report_interval(void) { return wabe_log_is_live() ? 0.5 : 5.0; }

void wabe_report_progress(wabe_report_clock *clock, int64_t step, const char *place, double share,
                          double cells, double bytes) {
    const double now = MPI_Wtime();
    if (now - clock->shown < wabe_report_interval())
        return;
    const double rate = cells * (double)(step - clock->shown_step) / (now - clock->shown);
    const double left = (now - clock->started) / (share - clock->share) * (1.0 - share);
    char moved[32] = "";
    if (wabe_log_is_verbose())
        snprintf(moved, sizeof moved, "  %.1f GB/s", 1e-9 * rate * bytes);
    wabe_log_progress("%s  %3.0f %%  %.1f MLUPS%s  %.0f s left", place, 100.0 * share, 1e-6 * rate,
                      moved, left);
    clock->shown = now;
    clock->shown_step = step;
}

wabe_status wabe_report_write(const char *directory, const char *name,
                              void (*write)(const void *context, wabe_json *json),
                              const void *context) {
    FILE *file;
    WABE_TRY(wabe_disk_open_text(directory, name, &file));
    wabe_json json = wabe_json_begin(file);
    wabe_json_open(&json, NULL, '{');
    write(context, &json);
    wabe_json_close(&json, '}');
    wabe_json_end(&json);
    return wabe_disk_close_text(directory, name, file);
}

wabe_status wabe_report_results(MPI_Comm comm, const char *directory, bool stepped,
                                void (*results)(const void *context, wabe_json *json),
                                void (*timing)(const void *context, wabe_json *json),
                                const void *context) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    wabe_status status = WABE_OK;
    if (rank == 0)
        status = wabe_report_write(directory, "results.json", results, context);
    if (rank == 0 && status == WABE_OK && stepped)
        status = wabe_report_write(directory, "timing.json", timing, context);
    return wabe_agree(comm, status);
}

void wabe_report_phases(MPI_Comm comm, const wabe_profile *profile,
                        wabe_spread phases[WABE_PHASE_COUNT]) {
    for (int p = 0; p < WABE_PHASE_COUNT; p++)
        phases[p] = wabe_spread_over_ranks(comm, profile->seconds[p]);
}

void wabe_report_print_phases(const wabe_spread phases[WABE_PHASE_COUNT], double seconds,
                              bool separate) {
    wabe_log_detail(" ");
    wabe_log_detail("%-18s %10s %10s %10s   of the run%s", "phase", "min s", "mean s", "max s",
                    separate ? "; each alone" : "; the host's time");
    for (int p = 0; p < WABE_PHASE_COUNT; p++)
        if (phases[p].max >= 0.5e-3)
            wabe_log_detail("%-18s %6.3f @%-2d %10.3f %6.3f @%-2d  %5.1f %%",
                            wabe_phase_text((wabe_phase)p), phases[p].min, phases[p].min_rank,
                            phases[p].mean, phases[p].max, phases[p].max_rank,
                            100.0 * phases[p].mean / seconds);
}

void wabe_report_put_phases(const wabe_spread phases[WABE_PHASE_COUNT], wabe_json *json) {
    wabe_json_open(json, "phases", '{');
    for (int p = 0; p < WABE_PHASE_COUNT; p++) {
        wabe_json_open(json, wabe_phase_text((wabe_phase)p), '{');
        wabe_json_real(json, "min", phases[p].min);
        wabe_json_integer(json, "min_rank", phases[p].min_rank);
        wabe_json_real(json, "mean", phases[p].mean);
        wabe_json_real(json, "max", phases[p].max);
        wabe_json_integer(json, "max_rank", phases[p].max_rank);
        wabe_json_close(json, '}');
    }
    wabe_json_close(json, '}');
}
