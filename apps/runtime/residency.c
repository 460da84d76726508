#include "apps/runtime/residency.h"

#include "comm/node.h"
#include "core/base/log.h"

/* Copies of all of a state take longer than fewer steps of a pass, on GPUs of any kind that is
 * common; those of a part of it than as small a part of them. */
#define FEW_STEPS 16.0

bool wabe_residency_any(const wabe_run *run, bool mine) {
    MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_C_BOOL, MPI_LOR, run->comm);
    return mine;
}

double wabe_residency_gpus_of_node(const wabe_run *run) {
    const int users = run->components.list[0].users;
    return wabe_node_sum(run->comm, users > 0 ? 1.0 / users : 1.0);
}

const char *wabe_residency_obstacle(const wabe_run *run) {
    if (run->components.count != 1)
        return "there must be one component in a process: parallel.mode = \"pure-mpi\", and a "
               "process for each";
    if (!run->components.list[0].device)
        return "there must be a GPU for each process";
    if (run->decomposition.processes[0] > 1 || run->decomposition.processes[1] > 1)
        return "the domain must be cut along z alone: parallel.processes = [1, 1, 0]";
    if (run->o->parallel.communication != 0)
        return "parallel.communication must be \"exchange\"";
    return NULL;
}

/* Is there a process whose slab does not fit its GPU? Collective. */
static bool must_be_streamed(const wabe_run *run) {
    const int64_t cells[3] = {wabe_box_extent(run->block, 0), wabe_box_extent(run->block, 1),
                              run->components.planes[0]};
    const wabe_component *c = &run->components.list[0];
    return wabe_residency_any(run, c->device && run->app->memory(run, c, cells) >
                                                    wabe_run_device_memory(run, 0));
}

wabe_status wabe_residency_decide(wabe_run *run, const char *obstacle, bool *streamed) {
    const wabe_residency_wish wish = (wabe_residency_wish)run->o->parallel.residency;
    const wabe_device *device = run->components.list[0].device;
    *streamed = false;
    if (!obstacle && device && wabe_device_ring_unit(device) == 0)
        obstacle = "the GPU's driver cannot map memory more than once";
    if (wish == WABE_RESIDENCY_STREAMED)
        WABE_TRY(wabe_agree(run->comm,
                            !obstacle ? WABE_OK
                                      : wabe_config_fail(run->config, "parallel.residency",
                                                         "cannot be \"streamed\": %s", obstacle)));
    if (wish == WABE_RESIDENCY_RESIDENT || !wabe_residency_any(run, device) ||
        (wish == WABE_RESIDENCY_AUTO && !must_be_streamed(run)))
        return WABE_OK;
    *streamed = !wabe_residency_any(run, obstacle != NULL);
    if (obstacle && !run->streamed.told)
        wabe_log_line("streamed   no: %s", obstacle);
    run->streamed.told |= obstacle != NULL; /* it is asked twice */
    return WABE_OK;
}

wabe_status wabe_residency_check_steps(const wabe_run *run, int64_t most, int64_t thinnest) {
    if (most < 1)
        return wabe_config_fail(run->config, "parallel.residency",
                                "cannot be \"streamed\": a slab of %lld planes has too few to "
                                "send to its neighbours: use fewer processes",
                                (long long)thinnest);
    if (run->o->parallel.steps_per_pass > most)
        return wabe_config_fail(run->config, "parallel.steps_per_pass",
                                "must be %lld at most: a slab of %lld planes has no more to send "
                                "to its neighbours",
                                (long long)most, (long long)thinnest);
    return WABE_OK;
}

wabe_status wabe_residency_blame(const wabe_run *run, wabe_status status, double window,
                                 double others, double room) {
    if (status == WABE_INPUT)
        return wabe_config_fail_because(run->config, "parallel.steps_per_pass", "cannot be met");
    const bool limited = wabe_config_is_given(run->config, "parallel.device_memory_limit") &&
                         room >= 1e9 * run->o->parallel.device_memory_limit;
    if (status != WABE_OK)
        wabe_config_fail(
            run->config, limited ? "parallel.device_memory_limit" : "domain.cells",
            "leaves too little of the GPU's memory: a streamed slab needs %.3g GB, for its "
            "smallest window %.3g GB, for what is always there %.3g GB, and %.0f %% to spare; "
            "there "
            "are %.3g GB",
            1e-9 * (window + others) / (1.0 - WABE_RESIDENCY_SPARE), 1e-9 * window, 1e-9 * others,
            100.0 * WABE_RESIDENCY_SPARE, 1e-9 * room);
    return status;
}

/* What makes copies take longer than kernels. */
static void print_what_costs(const wabe_run *run) {
    int64_t every;
    const char *key = wabe_run_costly_interval(run, run->pass_steps, &every);
    const wabe_ring_shape *ring = &run->streamed.ring;
    const double moved = (double)(ring->pieces - ring->slots) / (double)ring->pieces;
    if (run->pass_steps < FEW_STEPS * moved && run->o->parallel.steps_per_pass == 0)
        wabe_log_line("           the copies of such short passes take longer than kernels; there "
                      "is room for longer ones with more of the GPU's memory, or with fewer cells "
                      "along x and y");
    if (key)
        wabe_log_line(
            "           %s is %lld: it ends passes early, and copies may take longer than "
            "kernels; best is a multiple of %d steps, or several hundred",
            key, (long long)every, run->pass_steps);
}

void wabe_residency_print(const wabe_run *run) {
    const wabe_run_streamed *s = &run->streamed;
    const double piece = 1e-9 * (double)(s->ring.piece * s->ring.arrays);
    if (run->pass_steps == 0 && run->o->parallel.steps_per_pass > 1)
        wabe_run_warn(run, "parallel.steps_per_pass",
                      "parallel.steps_per_pass is not used: the state is resident on its GPU");
    if (!wabe_run_is_streamed(run))
        return;
    wabe_log_line("streamed   %.3g GB of %s: %.3g GB at a time on the GPU, in pieces of "
                  "%.3g MB; %.3g GB in the host's memory%s; passes of at most %d step%s",
                  piece * (double)s->ring.pieces + 1e-9 * s->others, s->what,
                  piece * (double)s->ring.slots + 1e-9 * s->beside, 1e3 * piece,
                  1e-9 * (s->host + wabe_run_host_sums(run)),
                  run->size > 1 ? ", by the first process" : "", run->pass_steps,
                  run->pass_steps == 1 ? "" : "s");
    if (s->planes > 0)
        wabe_log_detail("           planes of neighbours come once a pass: %lld, %.3g MB each",
                        (long long)s->planes, 1e-6 * s->plane_bytes);
    if (s->ring.pieces > s->ring.slots)
        print_what_costs(run);
}

void wabe_residency_put(const wabe_streamed_work *w, wabe_json *json) {
    const wabe_ring_shape *ring = &w->ring;
    wabe_json_open(json, "streamed", '{');
    wabe_json_integer(json, "passes", w->passes);
    wabe_json_integer(json, "pieces", ring->pieces);
    wabe_json_integer(json, "slots", ring->slots);
    wabe_json_integer(json, "piece_bytes", ring->piece * ring->arrays);
    wabe_json_integer(json, "loaded_bytes", w->moved.loaded);
    wabe_json_integer(json, "stored_bytes", w->moved.stored);
    wabe_json_real(json, "load_seconds", w->moved.load_seconds);
    wabe_json_real(json, "store_seconds", w->moved.store_seconds);
    wabe_json_real(json, "kernel_seconds", w->kernel_seconds);
    wabe_json_close(json, '}');
}

void wabe_residency_print_copies(const wabe_run *run, const wabe_streamed_work *w) {
    const wabe_window_traffic *m = &w->moved;
    char kernels[64] = "";
    if (run->seconds <= 0.0 || m->load_seconds <= 0.0 || m->store_seconds <= 0.0)
        return;
    if (run->rehearsal == 0)
        snprintf(kernels, sizeof kernels, "; kernels ran for %.0f %% of the steps' time",
                 100.0 * w->kernel_seconds / run->seconds);
    wabe_log_detail("copies     %.1f GB to the GPU at %.1f GB/s, %.1f GB back at %.1f GB/s, "
                    "initial state included%s",
                    1e-9 * (double)m->loaded, 1e-9 * (double)m->loaded / m->load_seconds,
                    1e-9 * (double)m->stored, 1e-9 * (double)m->stored / m->store_seconds, kernels);
}
