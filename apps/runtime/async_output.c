#include "apps/runtime/async_output.h"

#include "comm/node.h"

#include "core/base/log.h"

#include <stdio.h>

enum {
    ROOM_LEAST = 16 << 20,
    ROOM_MOST = 64 << 20,
    SHARE = 4,          /* of the host's free memory, on GPUs */
    SHARE_OF_STATE = 20 /* on CPUs, whose runs wait for files anyway */
};

_Static_assert(WABE_ASYNC_OUTPUTS_MAX < 64, "files have a bit each: the checkpoint, the outputs");

static bool has_devices(const wabe_components *components) {
    bool devices = false;
    for (int i = 0; i < components->count; i++)
        devices |= components->list[i].device != NULL;
    return devices;
}

wabe_status wabe_async_open(MPI_Comm comm, const wabe_components *components,
                            wabe_async_output *out) {
    *out = (wabe_async_output){0};
    return wabe_agree(comm, wabe_writer_create(ROOM_LEAST, has_devices(components), &out->writer));
}

int64_t wabe_async_room(MPI_Comm comm, const wabe_components *components, int64_t state,
                        int64_t available) {
    const int64_t share = available / SHARE / wabe_node_place_of(comm).size;
    const int64_t part = state / SHARE_OF_STATE;
    const int64_t room = has_devices(components) ? share : part < ROOM_MOST ? part : ROOM_MOST;
    return room > ROOM_LEAST ? room : ROOM_LEAST;
}

void wabe_async_widen(MPI_Comm comm, const wabe_components *components, int64_t state,
                      wabe_async_output *a) {
    wabe_writer_widen(a->writer,
                      wabe_async_room(comm, components, state, wabe_component_available_memory()));
}

/* Keeps the error message of what has ended the run. */
void wabe_async_close(wabe_async_output *a) {
    char why[WABE_MESSAGE_SIZE];
    if (!a->writer) /* never opened */
        return;
    snprintf(why, sizeof why, "%s", wabe_error_message());
    for (int i = 0; i < a->output_count; i++) {
        if (wabe_output_end(a->outputs[i]) != WABE_OK)
            wabe_log_warning("%s", wabe_error_message());
        wabe_output_destroy(&a->outputs[i]);
    }
    a->output_count = 0;
    if (a->checkpoint && wabe_checkpoint_end(&a->checkpoint) != WABE_OK)
        wabe_log_warning("%s", wabe_error_message());
    wabe_writer_destroy(&a->writer);
    (void)WABE_FAIL(WABE_INPUT, "%s", why);
}

wabe_status wabe_async_add(MPI_Comm comm, wabe_async_output *a,
                           const wabe_output_request *request) {
    wabe_output_request own = *request;
    WABE_CHECK(a->output_count < WABE_ASYNC_OUTPUTS_MAX, WABE_INTERNAL, "more than %d outputs",
               WABE_ASYNC_OUTPUTS_MAX);
    own.writer = a->writer;
    WABE_TRY(wabe_output_create(comm, &own, &a->outputs[a->output_count]));
    a->output_count++;
    return WABE_OK;
}

/* Handles the end of a checkpoint, written or failed. */
static wabe_status conclude(wabe_async_output *a, wabe_status status) {
    if (status == WABE_OK)
        a->known = a->step;
    if (a->vital || (status != WABE_FILE && status != WABE_MEMORY))
        return status;
    wabe_log_warning("step %lld has no checkpoint: %s", (long long)a->step, wabe_error_message());
    return WABE_OK;
}

/* Does the checkpoint's next stage, or all remaining ones. */
static wabe_status serve_checkpoint(wabe_async_output *a, bool end) {
    if (!a->checkpoint)
        return WABE_OK;
    const wabe_status status = (end ? wabe_checkpoint_end
                                    : wabe_checkpoint_proceed)(&a->checkpoint);
    return a->checkpoint ? WABE_OK : conclude(a, status);
}

wabe_status wabe_async_save(MPI_Comm comm, wabe_async_output *a,
                            const wabe_checkpoint_request *request, bool vital) {
    WABE_TRY(serve_checkpoint(a, true));
    wabe_checkpoint_request own = *request;
    own.writer = a->writer;
    own.mine = a->known;
    a->vital = vital;
    a->step = own.head.step;
    const wabe_status status = wabe_checkpoint_begin(comm, &own, &a->checkpoint);
    return status == WABE_OK ? WABE_OK : conclude(a, status);
}

uint64_t wabe_async_busy(const wabe_async_output *a) {
    uint64_t busy = a->checkpoint && !wabe_checkpoint_is_done(a->checkpoint);
    for (int i = 0; i < a->output_count; i++)
        busy |= (uint64_t)!wabe_output_is_done(a->outputs[i]) << (1 + i);
    return busy;
}

static wabe_status proceed(wabe_async_output *a, uint64_t busy) {
    if (!(busy & 1))
        WABE_TRY(serve_checkpoint(a, false));
    for (int i = 0; i < a->output_count; i++)
        if (!(busy >> (1 + i) & 1))
            WABE_TRY(wabe_output_proceed(a->outputs[i]));
    return WABE_OK;
}

wabe_status wabe_async_proceed(wabe_async_output *a, uint64_t busy, wabe_profile *profile) {
    if (busy == UINT64_MAX) /* the usual case */
        return WABE_OK;
    wabe_profile_start(profile);
    const wabe_status status = proceed(a, busy);
    wabe_profile_stop(profile, WABE_PHASE_output);
    return status;
}

static wabe_status end_all(wabe_async_output *a) {
    WABE_TRY(serve_checkpoint(a, true));
    for (int i = 0; i < a->output_count; i++)
        WABE_TRY(wabe_output_end(a->outputs[i]));
    return WABE_OK;
}

wabe_status wabe_async_end(wabe_async_output *a, wabe_profile *profile) {
    wabe_profile_start(profile);
    const wabe_status status = end_all(a);
    wabe_profile_stop(profile, WABE_PHASE_output);
    return status;
}
