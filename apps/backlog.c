#include "apps/backlog.h"

#include "comm/node.h"

#include "core/log.h"

#include <stdio.h>

enum { SMALL_ROOM = 64 << 20, SHARE = 4, MESSAGE_SIZE = 1024 };

wabe_status wabe_backlog_open(MPI_Comm comm, const wabe_components *components, wabe_backlog *out) {
    bool devices = false;
    *out = (wabe_backlog){0};
    for (int i = 0; i < components->count; i++)
        devices |= components->list[i].device != NULL;
    return wabe_agree(comm, wabe_writer_create(SMALL_ROOM, devices, &out->writer));
}

void wabe_backlog_widen(MPI_Comm comm, const wabe_components *components, wabe_backlog *b) {
    const int64_t share = wabe_component_available_memory() / SHARE / wabe_node_place_of(comm).size;
    bool devices = false;
    for (int i = 0; i < components->count; i++)
        devices |= components->list[i].device != NULL;
    if (devices && share > SMALL_ROOM)
        wabe_writer_widen(b->writer, share);
}

/* Whatever has ended the run, its message stays the last one. */
void wabe_backlog_close(wabe_backlog *b) {
    char why[MESSAGE_SIZE];
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

/* Is something still being written by this rank? */
static bool is_busy(const wabe_backlog *b) {
    bool busy = b->checkpoint && !wabe_checkpoint_is_done(b->checkpoint);
    for (int i = 0; i < b->output_count; i++)
        busy |= !wabe_output_is_done(b->outputs[i]);
    return busy;
}

static wabe_status serve(wabe_backlog *b, bool end, wabe_lifetime *lifetime,
                         wabe_profile *profile) {
    wabe_profile_start(profile);
    wabe_status status = serve_checkpoint(b, end, lifetime);
    for (int i = 0; i < b->output_count && status == WABE_OK; i++)
        status = (end ? wabe_output_end : wabe_output_proceed)(b->outputs[i]);
    wabe_profile_stop(profile, WABE_PHASE_output);
    return status;
}

wabe_status wabe_backlog_decide(wabe_backlog *b, wabe_lifetime *lifetime, wabe_profile *profile,
                                int64_t step, bool last, wabe_decision *out) {
    *out = wabe_lifetime_decide(lifetime, step, last, is_busy(b));
    return lifetime->idle ? serve(b, false, lifetime, profile) : WABE_OK;
}

wabe_status wabe_backlog_end(wabe_backlog *b, wabe_lifetime *lifetime, wabe_profile *profile) {
    return serve(b, true, lifetime, profile);
}
