/* The memory of a run: its forecast, whether it fits, and what it has taken. */
#include "apps/runtime/bandwidth.h"
#include "apps/runtime/run_internal.h"

#include "comm/node.h"
#include "core/base/log.h"
#include "core/base/resident.h"

#include <math.h>

/* Bytes of a component's slab. */
static double forecast(const wabe_run *run, int i) {
    const int64_t cells[3] = {wabe_box_extent(run->block, 0), wabe_box_extent(run->block, 1),
                              run->components.planes[i]};
    return run->app->memory(run, &run->components.list[i], cells);
}

/* Bytes of the sums over time that the host keeps, if slabs do not. */
double wabe_run_host_sums(const wabe_run *run) {
    return run->averages.kept && run->app->sums.rows == 0
               ? (double)run->averages.rows * sizeof(double) * (double)wabe_box_cells(run->block)
               : 0.0;
}

/* Formats bytes, small ones with more digits. */
static const char *gigabytes(double bytes, char text[32]) {
    snprintf(text, 32, bytes < 1e9 ? "%.3g GB" : "%.1f GB", 1e-9 * bytes);
    return text;
}

static wabe_status too_large(const wabe_run *run, wabe_precision p, const char *who, double wanted,
                             double available) {
    const double fitting = available / wanted * wabe_run_cells(run);
    char needed[32], there[32], lacking[32];
    wabe_config_fail(run->config, run->app->size_key,
                     "gives more cells than fit the memory: %s%s %s, %s are available, %s too "
                     "little; %s %.3g million cells would fit (%.0f^3)%s%s",
                     who, p == WABE_AT_LEAST ? " at least" : "", gigabytes(wanted, needed),
                     gigabytes(available, there), gigabytes(wanted - available, lacking),
                     p == WABE_AT_LEAST ? "at most" : "about", 1e-6 * fitting, floor(cbrt(fitting)),
                     run->app->memory_hint,
                     run->o->parallel.residency == WABE_RESIDENCY_RESIDENT
                         ? "; parallel.residency = \"auto\" streams what does not fit a GPU"
                         : "");
    return WABE_MEMORY;
}

/* ---- the host's memory -------------------------------------------------------------- */

/* Touched by a run's first steps and files only, whatever its size: pages of the libraries, and
 * what MPI and HDF5 allocate. Measured with Open MPI 4.1 and HDF5 1.10. */
#define LIBRARIES 4e6

static double slabs_on_host(const wabe_run *run) {
    double bytes = wabe_run_host_sums(run) + run->streamed.host;
    for (int i = 0; i < run->components.count; i++)
        bytes += run->components.list[i].device ? 0.0 : forecast(run, i);
    return bytes;
}

static double state_of(const wabe_run *run) {
    double bytes = slabs_on_host(run);
    for (int i = 0; i < run->components.count; i++)
        bytes += run->components.list[i].device ? forecast(run, i) : 0.0;
    return bytes;
}

/* Bytes with which files are written, beside those of the state. Collective. */
static wabe_status find_files(wabe_run *run, double left, double *out) {
    wabe_writer_memory files = {0};
    WABE_TRY(wabe_run_fields_memory(run, &files));
    WABE_TRY(wabe_run_checkpoints_memory(run, &files));
    const int64_t room = wabe_async_room(run->comm, &run->components,
                                         (int64_t)fmin(state_of(run), 1e18),
                                         (int64_t)fmax(left, 0.0));
    const double beside = run->app->beside ? (double)run->app->beside(run) : 0.0;
    *out = (double)wabe_writer_memory_bytes(&files, room) +
           fmax(beside, (double)wabe_run_fill_memory(run)) + (double)wabe_run_pictures_memory(run);
    return WABE_OK;
}

/* Bytes that this process will allocate, at most at once; the bandwidth is measured before there
 * are slabs. Collective. */
static wabe_status find_need(wabe_run *run, double *out) {
    const double slabs = slabs_on_host(run);
    const double available = (double)wabe_component_available_memory();
    const double copies = wabe_run_measures_copy(run)
                              ? (double)wabe_bandwidth_memory(&run->components)
                              : 0.0;
    double files = 0.0;
    WABE_TRY(find_files(run, available - wabe_node_sum(run->comm, slabs), &files));
    *out = LIBRARIES + fmax(slabs + files, copies);
    return WABE_OK;
}

/* Processes share the memory of their node. Collective. */
static wabe_status check_host(const wabe_run *run, wabe_precision p, double need) {
    const double wanted = wabe_node_sum(run->comm, need);
    const int processes = wabe_node_place_of(run->comm).size;
    const double available = (double)wabe_component_available_memory();
    char who[64];
    snprintf(who, sizeof who, "%d process%s of this node need%s", processes,
             processes > 1 ? "es" : "", processes > 1 ? "" : "s");
    return wanted <= available ? WABE_OK : too_large(run, p, who, wanted, available);
}

/* What this process has had before, reading meshes and images say, counts, too. Collective. */
static void note(wabe_run *run, double need) {
    const wabe_resident has = wabe_resident_memory();
    run->memory = state_of(run);
    run->peak = fmax((double)has.most, (double)has.now + need);
    double *sums[] = {&run->memory, &run->peak};
    for (int i = 0; i < 2; i++)
        MPI_Allreduce(MPI_IN_PLACE, sums[i], 1, MPI_DOUBLE, MPI_SUM, run->comm);
}

/* ---- the memory of devices ---------------------------------------------------------- */

double wabe_run_device_memory(const wabe_run *run, int component) {
    const double available = (double)wabe_component_memory(&run->components.list[component]);
    return fmin(available, 1e9 * run->o->parallel.device_memory_limit); /* NAN: available */
}

static wabe_status check_devices(const wabe_run *run, wabe_precision p) {
    for (int i = 0; i < run->components.count; i++) {
        const wabe_component *c = &run->components.list[i];
        if (!c->device)
            continue;
        const double wanted = forecast(run, i), available = wabe_run_device_memory(run, i);
        char who[128];
        snprintf(who, sizeof who, "%s (%s) needs", c->name, wabe_device_describe(c->device)->name);
        if (wanted > available)
            return too_large(run, p, who, wanted, available);
    }
    return WABE_OK;
}

/* Whatever planes the devices will get, all of them together must hold the block; CPUs may take any
 * number. */
static wabe_status check_devices_together(const wabe_run *run, wabe_precision p) {
    double wanted = 0.0, available = 0.0;
    for (int i = 0; i < run->components.count; i++) {
        if (!run->components.list[i].device)
            return WABE_OK;
        wanted += forecast(run, i);
        available += wabe_run_device_memory(run, i);
    }
    char who[64];
    snprintf(who, sizeof who, "%d GPUs together need", run->components.count);
    return wanted <= available ? WABE_OK : too_large(run, p, who, wanted, available);
}

wabe_status wabe_run_check_devices(const wabe_run *run) {
    return wabe_agree(run->comm, check_devices(run, WABE_ABOUT));
}

/* ---- all ---------------------------------------------------------------------------- */

/* Device memory for planes that are yet to be measured is checked for each component after the
 * measurement. */
wabe_status wabe_run_check_memory(wabe_run *run, wabe_precision p) {
    const bool open = wabe_run_is_balance(run, WABE_BALANCE_MEASURED) && run->components.count > 1;
    WABE_TRY(wabe_agree(run->comm, open ? check_devices_together(run, p) : check_devices(run, p)));
    WABE_TRY(wabe_agree(run->comm, check_host(run, p, slabs_on_host(run))));
    if (p == WABE_AT_LEAST)
        return WABE_OK;
    double need; /* only now: what cannot be counted in integers does not fit */
    WABE_TRY(find_need(run, &need));
    WABE_TRY(wabe_agree(run->comm, check_host(run, p, need)));
    note(run, need);
    return WABE_OK;
}

void wabe_run_measure_memory(wabe_run *run) {
    double sums[2] = {(double)run->app->bytes(run), (double)wabe_resident_memory().most};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, run->comm);
    run->memory = sums[0];
    run->peak = sums[1];
}

void wabe_run_print_memory(const wabe_run *run) {
    wabe_log_line("memory     %.1f MB of the host's at most; the state takes %.1f MB, %.1f B per "
                  "cell",
                  1e-6 * run->peak, 1e-6 * run->memory, run->memory / wabe_run_cells(run));
}
