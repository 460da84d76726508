#include "apps/calibrate/probe.h"

#include "apps/lbm/cavity.h"
#include "apps/runtime/forecast.h"
#include "apps/runtime/kernels.h"
#include "sweeps/stencil/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ROUNDS = 7,
    STEPS_MAX = 4096,
    VARIANTS = WABE_PROBE_SLABS,
    SLEEP = 100,
    SLEEP_LONGEST = 20000 /* microseconds */
};
#define ROUND_SECONDS 0.01

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof values[0], compare);
    return values[count / 2];
}

void wabe_probe_wait(MPI_Comm comm) {
    MPI_Request request;
    int done = 0, nap = SLEEP;
    MPI_Ibarrier(comm, &request);
    while (!done) {
        usleep((useconds_t)nap);
        nap = nap < SLEEP_LONGEST ? 2 * nap : nap;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

/* ---- kernels ------------------------------------------------------------------------ */

typedef struct {
    wabe_lbm_slab *lbm;
    const wabe_timeline *timeline;
    wabe_profile profile;
    wabe_schedule schedule;
} runner;

static void run_steps(runner *r, int steps) {
    for (int step = 0; step < steps; step++)
        wabe_schedule_run(&r->schedule);
    wabe_timeline_synchronise(r->timeline);
}

/* Seconds per step, timed over this many steps. */
static double time_steps(runner *r, int steps) {
    const double start = MPI_Wtime();
    run_steps(r, steps);
    return (MPI_Wtime() - start) / steps;
}

/* The number of steps that fill a round. */
static int steps_of_round(runner *r) {
    int steps = 1;
    run_steps(r, 2);
    while (steps < STEPS_MAX) {
        const double seconds = time_steps(r, steps) * steps;
        if (seconds >= 0.5 * ROUND_SECONDS)
            return (int)fmax(1.0, fmin(STEPS_MAX, steps * ROUND_SECONDS / seconds));
        steps *= 2;
    }
    return steps;
}

/* Times steps with one region, and, for each axis, with the layers at its ends as a separate region
 * computed first. Rounds alternate, so that a disturbance affects all variants. */
static void time_variants(runner r[VARIANTS], wabe_machine_kernel *out) {
    double whole[ROUNDS], split[3][ROUNDS];
    const int steps = steps_of_round(&r[0]);
    for (int d = 0; d < 3; d++)
        run_steps(&r[1 + d], 2);
    for (int round = 0; round < ROUNDS; round++) {
        whole[round] = time_steps(&r[0], steps);
        for (int d = 0; d < 3; d++)
            split[d][round] = time_steps(&r[1 + d], steps) - whole[round];
    }
    out->whole = median(whole, ROUNDS);
    out->spread = whole[ROUNDS - 1] / whole[0]; /* sorted by median() */
    for (int d = 0; d < 3; d++)
        out->split[d] = fmax(median(split[d], ROUNDS), 1e-3 * out->whole);
}

wabe_status wabe_probe_kernel(const wabe_component *component, const wabe_machine_flavour *flavour,
                              int64_t edge, wabe_machine_kernel *out) {
    wabe_cavity cavity;
    runner r[VARIANTS] = {0};
    const wabe_lbm_model model = wabe_cavity_model(flavour->storage, flavour->streaming);
    *out = (wabe_machine_kernel){.storage = flavour->storage,
                                 .streaming = flavour->streaming,
                                 .edge = (double)edge};
    wabe_status status = wabe_cavity_make((int64_t[3]){edge, edge, edge}, flavour->fluid, -1,
                                          &cavity);
    for (int v = 0; v < VARIANTS && status == WABE_OK; v++) {
        wabe_box inner = {.end = {edge, edge, edge}};
        if (v > 0)
            inner.begin[v - 1]++, inner.end[v - 1]--;
        status = wabe_cavity_slab(&cavity, component, &model, inner, &r[v].lbm);
        r[v].schedule.profile = &r[v].profile;
        if (status == WABE_OK) {
            wabe_lbm_schedule(1, &r[v].lbm, &r[v].schedule);
            r[v].timeline = &r[v].lbm->timeline;
        }
    }
    if (status == WABE_OK) {
        const wabe_region *regions = r[0].lbm->tiles->regions;
        out->fluid = (double)(regions[0].cells + regions[1].cells) / (double)(edge * edge * edge);
        time_variants(r, out);
    }
    for (int v = 0; v < VARIANTS; v++)
        wabe_lbm_destroy(&r[v].lbm);
    wabe_cavity_free(&cavity);
    return status;
}

static bool again(void *context, int loop, const wabe_position *position) {
    const wabe_grid_loop_row *row = &((const wabe_grid_slab *)context)->model.loops[loop];
    const double none[WABE_GRID_REDUCTIONS_MAX] = {0};
    return row->again(row->context, position, none);
}

wabe_status wabe_probe_grid(const wabe_component *component, const wabe_kernel *kernel,
                            int64_t edge, bool walls, int count, wabe_machine_kernel out[]) {
    const int64_t cells[3] = {edge, edge, edge};
    wabe_grid_slab *slab = NULL;
    double seconds[ROUNDS];
    const wabe_status status = wabe_grid_sample_create_step(wabe_kernels(), component, kernel,
                                                            cells, walls, count, &slab);
    for (int k = 0; k < count; k++) {
        out[k] = (wabe_machine_kernel){.storage = kernel->storage,
                                       .fluid = 1.0,
                                       .edge = (double)edge,
                                       .application = wabe_machine_application(kernel->sweep),
                                       .steps = k + 1,
                                       .walls = walls};
        if (status != WABE_OK)
            continue;
        runner r = {.timeline = &slab->timeline, .schedule.profile = NULL};
        r.schedule.profile = &r.profile;
        wabe_grid_schedule(1, &slab, &(wabe_grid_control){.context = slab, .again = again},
                           &r.schedule);
        slab->steps = k + 1;
        const int steps = steps_of_round(&r);
        for (int round = 0; round < ROUNDS; round++)
            seconds[round] = time_steps(&r, steps);
        out[k].whole = median(seconds, ROUNDS);
        out[k].spread = seconds[ROUNDS - 1] / seconds[0];
    }
    wabe_grid_destroy(&slab);
    return status;
}

/* ---- exchanges and whole steps ------------------------------------------------------ */

static wabe_status make_simulation(MPI_Comm comm, const wabe_components *components,
                                   wabe_cavity *cavity, bool overlap, wabe_transport transport,
                                   wabe_simulation **out) {
    const wabe_simulation_options options = {.model = wabe_cavity_model(WABE_TYPE_f64,
                                                                        WABE_STREAMING_pull),
                                             .geometry = cavity->geometry,
                                             .processes = {1, 1, 0},
                                             .overlap = overlap,
                                             .communicate = true,
                                             .transport = transport};
    *out = NULL;
    WABE_TRY(wabe_simulation_create(comm, &options, components, out));
    return wabe_simulation_initialise(*out, wabe_lbm_at_rest, NULL);
}

static void exchange_once(wabe_simulation *s) { wabe_domain_exchange_all(&s->domain); }

/* Seconds per call of once, on the slowest process. */
static double time_rounds(MPI_Comm comm, wabe_simulation *s, void (*once)(wabe_simulation *)) {
    double rounds[ROUNDS + 1], seconds = 0.0;
    int times = 8;
    for (int round = 0; round <= ROUNDS; round++) {
        wabe_domain_synchronise(&s->domain);
        MPI_Barrier(comm);
        const double start = MPI_Wtime();
        for (int i = 0; i < times; i++)
            once(s);
        wabe_domain_synchronise(&s->domain);
        seconds = (MPI_Wtime() - start) / times;
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
        rounds[round] = seconds;
        times = (int)fmax(8.0, fmin(STEPS_MAX, ROUND_SECONDS / seconds));
    }
    return median(rounds + 1, ROUNDS); /* the first round warms up */
}

/* Slabs of this process, periodic along an axis or with walls all round (-1). */
static wabe_status time_slabs(const wabe_components *components, int64_t edge, int periodic,
                              void (*once)(wabe_simulation *), double *bytes, double *seconds) {
    wabe_cavity cavity;
    wabe_simulation *s = NULL;
    wabe_components slabs = *components;
    for (int i = 0; i < slabs.count; i++)
        slabs.planes[i] = edge;
    WABE_TRY(
        wabe_cavity_make((int64_t[3]){edge, edge, edge * slabs.count}, 1.0, periodic, &cavity));
    const wabe_status status = make_simulation(MPI_COMM_SELF, &slabs, &cavity, true,
                                               WABE_TRANSPORT_any, &s);
    if (status == WABE_OK) {
        *bytes = (double)wabe_exchange_bytes(s->domain.exchanges[0].exchange, WABE_TRANSPORT_any) /
                 slabs.count;
        *seconds = time_rounds(MPI_COMM_SELF, s, once);
    }
    wabe_simulation_destroy(&s);
    wabe_cavity_free(&cavity);
    return status;
}

wabe_status wabe_probe_exchange(const wabe_components *components, int64_t edge, int axis,
                                double *bytes, double *seconds) {
    return time_slabs(components, edge, axis, exchange_once, bytes, seconds);
}

wabe_status wabe_probe_slabs(const wabe_components *components, int64_t edge, double *seconds) {
    double bytes;
    return time_slabs(components, edge, -1, wabe_simulation_step, &bytes, seconds);
}

enum { EXCHANGED_EDGE = 32, EXCHANGES = 8, STEPS_BESIDE = 3 };

/* Seconds per exchange, including the wait for it, while this many steps run at the same time. */
static double time_exchanges(wabe_simulation *s, runner *beside, int steps) {
    for (int step = 0; step < steps; step++)
        wabe_schedule_run(&beside->schedule);
    const double start = MPI_Wtime();
    for (int i = 0; i < EXCHANGES; i++) {
        exchange_once(s);
        wabe_domain_synchronise(&s->domain);
    }
    const double seconds = (MPI_Wtime() - start) / EXCHANGES;
    wabe_lbm_synchronise(beside->lbm);
    return seconds;
}

static double time_contention(wabe_simulation *s, runner *beside) {
    double rounds[ROUNDS];
    time_exchanges(s, beside, 1);
    for (int round = 0; round < ROUNDS; round++)
        rounds[round] = time_exchanges(s, beside, STEPS_BESIDE) - time_exchanges(s, beside, 0);
    return fmax(0.0, median(rounds, ROUNDS));
}

wabe_status wabe_probe_contention(const wabe_component *device, wabe_type storage, int64_t edge,
                                  double *seconds) {
    const wabe_components alone = {.count = 1, .list = {*device}, .planes = {EXCHANGED_EDGE}};
    const wabe_lbm_model model = wabe_cavity_model(storage, WABE_STREAMING_pull);
    wabe_cavity exchanged = {0}, large = {0};
    wabe_simulation *s = NULL;
    runner beside = {0};
    wabe_status status =
        wabe_cavity_make((int64_t[3]){EXCHANGED_EDGE, EXCHANGED_EDGE, EXCHANGED_EDGE}, 1.0, 2,
                         &exchanged);
    if (status == WABE_OK)
        status = make_simulation(MPI_COMM_SELF, &alone, &exchanged, true, WABE_TRANSPORT_any, &s);
    if (status == WABE_OK)
        status = wabe_cavity_make((int64_t[3]){edge, edge, edge}, 1.0, -1, &large);
    if (status == WABE_OK)
        status = wabe_cavity_slab(&large, device, &model, (wabe_box){.end = {edge, edge, edge}},
                                  &beside.lbm);
    if (status == WABE_OK) {
        beside.schedule.profile = &beside.profile;
        wabe_lbm_schedule(1, &beside.lbm, &beside.schedule);
        *seconds = time_contention(s, &beside);
    }
    wabe_lbm_destroy(&beside.lbm);
    wabe_simulation_destroy(&s);
    wabe_cavity_free(&large);
    wabe_cavity_free(&exchanged);
    return status;
}

/* The exchange in a step: timed as phases for CPUs; for devices, the step's time beyond the
 * forecast. */
static double exchange_seconds(const wabe_simulation *s, const wabe_forecast *f, double step,
                               int64_t steps) {
    const double *phases = s->domain.profile.seconds;
    const wabe_model_step *p = &f->slabs[0];
    if (p->device)
        return step - f->seconds;
    return (phases[WABE_PHASE_pack] + phases[WABE_PHASE_wait] + phases[WABE_PHASE_unpack]) /
               (double)steps -
           p->buffers - p->network;
}

wabe_status wabe_probe_step(MPI_Comm comm, const wabe_machine *machine,
                            const wabe_component *component, int64_t edge, bool overlap,
                            wabe_transport transport, double *seconds) {
    const wabe_components alone = {.count = 1, .list = {*component}};
    wabe_cavity cavity;
    wabe_forecast forecast;
    wabe_step_cost costs[WABE_SLABS_MAX];
    wabe_simulation *s = NULL;
    int size;
    MPI_Comm_size(comm, &size);
    WABE_TRY(wabe_cavity_make((int64_t[3]){edge, edge, edge * size}, 1.0, -1, &cavity));
    wabe_status status = make_simulation(comm, &alone, &cavity, overlap, transport, &s);
    if (status == WABE_OK) {
        wabe_simulation_costs(s, costs);
        status = wabe_forecast_make(machine, &s->domain, costs, &forecast);
    }
    if (status == WABE_OK) {
        const double step = time_rounds(comm, s, wabe_simulation_step);
        *seconds = exchange_seconds(s, &forecast, step, wabe_simulation_steps(s));
        MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MIN, comm);
    }
    wabe_simulation_destroy(&s);
    wabe_cavity_free(&cavity);
    return status;
}

/* ---- the bus ------------------------------------------------------------------------ */

static double time_copies(wabe_stream *stream, void *there, void *here, double bytes) {
    double rounds[ROUNDS];
    const int times = (int)fmax(2.0, fmin(200.0, 2e7 / (bytes + 1e5)));
    for (int round = 0; round < ROUNDS; round++) {
        const double start = MPI_Wtime();
        for (int i = 0; i < times; i++) {
            wabe_stream_copy(stream, here, there, (int64_t)bytes);
            wabe_stream_synchronise(stream);
            wabe_stream_copy(stream, there, here, (int64_t)bytes);
            wabe_stream_synchronise(stream);
        }
        rounds[round] = (MPI_Wtime() - start) / times;
    }
    return median(rounds, ROUNDS);
}

/* A stream, and memory at both of its ends. */
typedef struct {
    wabe_stream *stream;
    void *there, *here;
} way;

static wabe_status open_way(const wabe_component *c, double bytes, way *out) {
    *out = (way){.stream = NULL};
    WABE_TRY(wabe_stream_create(c->device, false, &out->stream));
    WABE_TRY(wabe_device_allocate(c->device, (int64_t)bytes, &out->there));
    WABE_TRY(wabe_device_allocate_host((int64_t)bytes, &out->here));
    wabe_stream_fill(out->stream, out->there, 0, (int64_t)bytes);
    wabe_stream_copy(out->stream, out->here, out->there, (int64_t)bytes);
    wabe_stream_synchronise(out->stream);
    return WABE_OK;
}

static void close_way(const wabe_component *c, way *w) {
    wabe_device_free_host(w->here);
    if (w->there)
        wabe_device_free(c->device, w->there);
    wabe_stream_destroy(&w->stream);
}

wabe_status wabe_probe_bus(const wabe_component *c, double bytes, double *seconds) {
    way one;
    const wabe_status status = open_way(c, bytes, &one);
    if (status == WABE_OK)
        *seconds = time_copies(one.stream, one.there, one.here, bytes);
    close_way(c, &one);
    return status;
}

static double time_both_ways(int count, const way up[], const way down[], double bytes) {
    enum { TIMES = 8 };
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        const double start = MPI_Wtime();
        for (int i = 0; i < TIMES * count; i++) {
            const way *u = &up[i % count], *d = &down[i % count];
            wabe_stream_copy(u->stream, u->there, u->here, (int64_t)bytes);
            wabe_stream_copy(d->stream, d->here, d->there, (int64_t)bytes);
        }
        for (int i = 0; i < count; i++) {
            wabe_stream_synchronise(up[i].stream);
            wabe_stream_synchronise(down[i].stream);
        }
        rounds[round] = (MPI_Wtime() - start) / TIMES;
    }
    return median(rounds, ROUNDS);
}

wabe_status wabe_probe_both_ways(int count, const wabe_component devices[], double bytes,
                                 double *seconds) {
    way up[WABE_SLABS_MAX] = {{.stream = NULL}}, down[WABE_SLABS_MAX] = {{.stream = NULL}};
    wabe_status status = WABE_OK;
    for (int i = 0; i < count && status == WABE_OK; i++) {
        status = open_way(&devices[i], bytes, &up[i]);
        if (status == WABE_OK)
            status = open_way(&devices[i], bytes, &down[i]);
    }
    *seconds = status == WABE_OK ? time_both_ways(count, up, down, bytes) : 0.0;
    for (int i = 0; i < count; i++) {
        close_way(&devices[i], &up[i]);
        close_way(&devices[i], &down[i]);
    }
    return status;
}

/* ---- messages ----------------------------------------------------------------------- */

/* The first message synchronises both processes. */
static double time_messages(MPI_Comm comm, int partner, char *room, int bytes, int times) {
    double start = MPI_Wtime();
    for (int i = -1; i < times && partner != MPI_PROC_NULL; i++) {
        if (i == 0)
            start = MPI_Wtime();
        MPI_Request requests[2];
        MPI_Irecv(room, bytes, MPI_BYTE, partner, 0, comm, &requests[0]);
        MPI_Isend(room + bytes, bytes, MPI_BYTE, partner, 0, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return (MPI_Wtime() - start) / times;
}

wabe_status wabe_probe_message(MPI_Comm comm, int partner, double bytes, double *seconds) {
    char *room = calloc(2, (size_t)bytes);
    double rounds[ROUNDS];
    const int times = (int)fmax(4.0, fmin(1000.0, 2e7 / (bytes + 2e4)));
    WABE_TRY(wabe_agree_memory(comm, room != NULL, "a message"));
    time_messages(comm, partner, room, (int)bytes, 2);
    for (int round = 0; round < ROUNDS; round++) {
        wabe_probe_wait(comm);
        rounds[round] = time_messages(comm, partner, room, (int)bytes, times);
        wabe_probe_wait(comm); /* so that the others do not poll during the measurement */
        MPI_Allreduce(MPI_IN_PLACE, &rounds[round], 1, MPI_DOUBLE, MPI_MAX, comm);
    }
    *seconds = median(rounds, ROUNDS);
    free(room);
    return WABE_OK;
}
