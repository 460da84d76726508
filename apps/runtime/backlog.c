#include "apps/runtime/backlog.h"

#include "comm/node.h"

#include "core/base/log.h"

#include <stdio.h>

enum { SMALL_ROOM = 64 << 20, SHARE = 4 };

_Static_assert(WABE_BACKLOG_OUTPUTS_MAX < 64, "files have a bit each: the checkpoint, the outputs");

static bool has_devices(const wabe_components *components) {
    bool devices = false;
    for (int i = 0; i < components->count; i++)
        devices |= components->list[i].device != NULL;
    return devices;
}

wabe_status wabe_backlog_open(MPI_Comm comm, const wabe_components *components, wabe_backlog *out) {
    *out = (wabe_backlog){0};
    return wabe_agree(comm, wabe_writer_create(SMALL_ROOM, has_devices(components), &out->writer));
}

void wabe_backlog_widen(MPI_Comm comm, const wabe_components *components, wabe_backlog *b) {
    const int64_t share = wabe_component_available_memory() / SHARE / wabe_node_place_of(comm).size;
    if (has_devices(components) && share > SMALL_ROOM)
        wabe_writer_widen(b->writer, share);
}

/* Whatever has ended the run, its message stays the last one. */
void wabe_backlog_close(wabe_backlog *b) {
    char why[WABE_MESSAGE_SIZE];
    if (!b->writer) /* it has not been opened */
        return;
    snprintf(why, sizeof why, "%s", wabe_error_message());
    for (int i = 0; i < b->output_count; i++) {
        if (wabe_output_end(b->outputs[i]) != WABE_OK)
            wabe_log_warning("%s", wabe_error_message());
        wabe_output_destroy(&b->outputs[i]);
    }
    b->output_count = 0;
    if (b->checkpoint && wabe_checkpoint_end(&b->checkpoint) != WABE_OK)
        wabe_log_warning("%s", wabe_error_message());
    wabe_writer_destroy(&b->writer);
    (void)WABE_FAIL(WABE_INPUT, "%s", why);
}

wabe_status wabe_backlog_add(MPI_Comm comm, wabe_backlog *b, const wabe_output_request *request) {
    wabe_output_request own = *request;
    WABE_CHECK(b->output_count < WABE_BACKLOG_OUTPUTS_MAX, WABE_INTERNAL, "more than %d outputs",
               WABE_BACKLOG_OUTPUTS_MAX);
    own.writer = b->writer;
    WABE_TRY(wabe_output_create(comm, &own, &b->outputs[b->output_count]));
    b->output_count++;
    return WABE_OK;
}

/* The next step of the checkpoint, or all of them. */
static wabe_status serve_checkpoint(wabe_backlog *b, bool end, wabe_lifetime *lifetime) {
    if (!b->checkpoint)
        return WABE_OK;
    const wabe_status status = (end ? wabe_checkpoint_end
                                    : wabe_checkpoint_proceed)(&b->checkpoint);
    return b->checkpoint ? WABE_OK : wabe_lifetime_saved(lifetime, b->decision, b->step, status);
}

/* The time to the next one counts from its begin. */
wabe_status wabe_backlog_save(MPI_Comm comm, wabe_backlog *b,
                              const wabe_checkpoint_request *request, wabe_decision decision,
                              wabe_lifetime *lifetime) {
    lifetime->saved_at = MPI_Wtime();
    WABE_TRY(serve_checkpoint(b, true, lifetime));
    wabe_checkpoint_request own = *request;
    own.writer = b->writer;
    own.mine = lifetime->last;
    b->decision = decision;
    b->step = own.head.step;
    const wabe_status status = wabe_checkpoint_begin(comm, &own, &b->checkpoint);
    return status == WABE_OK ? WABE_OK : wabe_lifetime_saved(lifetime, decision, b->step, status);
}

/* What this rank is still writing: bit 0 for the checkpoint, then one for each output. */
static uint64_t find_busy(const wabe_backlog *b) {
    uint64_t busy = b->checkpoint && !wabe_checkpoint_is_done(b->checkpoint);
    for (int i = 0; i < b->output_count; i++)
        busy |= (uint64_t)!wabe_output_is_done(b->outputs[i]) << (1 + i);
    return busy;
}

/* The next step of what no rank is busy with. */
static wabe_status proceed(wabe_backlog *b, wabe_lifetime *lifetime) {
    if (!(lifetime->busy & 1))
        WABE_TRY(serve_checkpoint(b, false, lifetime));
    for (int i = 0; i < b->output_count; i++)
        if (!(lifetime->busy >> (1 + i) & 1))
            WABE_TRY(wabe_output_proceed(b->outputs[i]));
    return WABE_OK;
}

static wabe_status end_all(wabe_backlog *b, wabe_lifetime *lifetime) {
    WABE_TRY(serve_checkpoint(b, true, lifetime));
    for (int i = 0; i < b->output_count; i++)
        WABE_TRY(wabe_output_end(b->outputs[i]));
    return WABE_OK;
}

wabe_status wabe_backlog_decide(wabe_backlog *b, wabe_lifetime *lifetime, wabe_profile *profile,
                                int64_t step, bool last, wabe_decision *out) {
    *out = wabe_lifetime_decide(lifetime, step, last, find_busy(b));
    if (lifetime->busy == UINT64_MAX) /* as after most steps */
        return WABE_OK;
    wabe_profile_start(profile);
    const wabe_status status = proceed(b, lifetime);
    wabe_profile_stop(profile, WABE_PHASE_output);
    return status;
}

wabe_status wabe_backlog_end(wabe_backlog *b, wabe_lifetime *lifetime, wabe_profile *profile) {
    wabe_profile_start(profile);
    const wabe_status status = end_all(b, lifetime);
    wabe_profile_stop(profile, WABE_PHASE_output);
    return status;
}
