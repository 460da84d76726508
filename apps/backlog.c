#include "apps/backlog.h"

#include "comm/node.h"

enum { SMALL_ROOM = 64 << 20, SHARE = 4 };

wabe_status wabe_backlog_open(MPI_Comm comm, const wabe_components *components, wabe_backlog *out) {
    int64_t room = SMALL_ROOM;
    bool devices = false;
    *out = (wabe_backlog){0};
    for (int i = 0; i < components->count; i++)
        devices |= components->list[i].device != NULL;
    const int64_t share = wabe_component_available_memory() / SHARE / wabe_node_place_of(comm).size;
    if (devices && share > room)
        room = share;
    return wabe_agree(comm, wabe_writer_create(room, devices, &out->writer));
}

void wabe_backlog_close(wabe_backlog *b) {
    for (int i = 0; i < b->output_count; i++)
        wabe_output_destroy(&b->outputs[i]);
    b->output_count = 0;
    if (b->checkpoint)
        wabe_checkpoint_end(&b->checkpoint);
    wabe_writer_destroy(&b->writer);
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

static wabe_status end_checkpoint(wabe_backlog *b, wabe_lifetime *lifetime) {
    if (!b->checkpoint)
        return WABE_OK;
    return wabe_lifetime_saved(lifetime, b->decision, b->step, wabe_checkpoint_end(&b->checkpoint));
}

wabe_status wabe_backlog_save(MPI_Comm comm, wabe_backlog *b,
                              const wabe_checkpoint_request *request, wabe_decision decision,
                              wabe_lifetime *lifetime) {
    WABE_TRY(end_checkpoint(b, lifetime));
    wabe_checkpoint_request own = *request;
    own.writer = b->writer;
    own.mine = lifetime->last;
    b->decision = decision;
    b->step = own.head.step;
    const wabe_status status = wabe_checkpoint_begin(comm, &own, &b->checkpoint);
    return status == WABE_OK ? WABE_OK : wabe_lifetime_saved(lifetime, decision, b->step, status);
}

bool wabe_backlog_is_busy(const wabe_backlog *b) {
    bool busy = b->checkpoint && !wabe_checkpoint_is_done(b->checkpoint);
    for (int i = 0; i < b->output_count; i++)
        busy |= !wabe_output_is_done(b->outputs[i]);
    return busy;
}

wabe_status wabe_backlog_proceed(wabe_backlog *b, wabe_lifetime *lifetime) {
    wabe_status status = end_checkpoint(b, lifetime);
    for (int i = 0; i < b->output_count; i++) {
        const wabe_status one = wabe_output_proceed(b->outputs[i]);
        status = status == WABE_OK ? one : status;
    }
    return status;
}

wabe_status wabe_backlog_end(wabe_backlog *b, wabe_lifetime *lifetime) {
    wabe_status status = end_checkpoint(b, lifetime);
    for (int i = 0; i < b->output_count; i++) {
        const wabe_status one = wabe_output_end(b->outputs[i]);
        status = status == WABE_OK ? one : status;
    }
    return status;
}
