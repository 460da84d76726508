/* The transports of messages: the choice of one for each message, and the buffers.
 *
 * local       the receiver's buffer is in the sender's own memory: packed directly into it
 * peer        it is in another GPU's memory: packed directly into it over the link between them, in
 *             this process by peer access, in another one through CUDA IPC; an empty message
 *             notifies: as soon as packing is queued, if the receiver's stream can wait for the
 *             sender's event, otherwise once it is done
 * cuda_aware  MPI takes buffers on GPUs
 * host        through page-locked host memory, and MPI to other processes: always works
 *
 * With local and peer, whole planes need no buffers: copy engines move them from grid to grid
 * (wabe_exchange_field.grids). Packing would take multiprocessors from the inner region's
 * kernel. */
#include "comm/exchange_internal.h"

#include "core/device/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

static bool mpi_is_cuda_aware(void) {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

/* Addresses of a message in its slabs' buffers. */
static char *place_out(const wabe_exchange_message *m) {
    return m->source->send.memory + m->place_out;
}

static bool between_devices(const wabe_exchange *x, const wabe_exchange_message *m) {
    return wabe_exchange_from(x, m)->on_device && wabe_exchange_to(x, m)->on_device;
}

/* ---- buffers ------------------------------------------------------------------------ */

static bool has_devices(const wabe_exchange *x) {
    for (int i = 0; i < x->slab_count; i++)
        if (wabe_exchange_on_device(&x->slabs[i]))
            return true;
    return false;
}

/* The buffers of CPUs are page-locked if devices copy to them. */
static wabe_status make_buffer(wabe_exchange *x, const wabe_exchange_slab *slab, int64_t bytes,
                               wabe_exchange_buffer *out) {
    out->held = bytes + WABE_EXCHANGE_ALIGNED;
    x->memory += out->held;
    if (!wabe_exchange_on_device(slab) && has_devices(x))
        return wabe_device_allocate_host(out->held, (void **)&out->memory);
    return wabe_memory_create(slab->component, out->held, (void **)&out->memory);
}

static void free_buffer(wabe_exchange *x, const wabe_exchange_slab *slab,
                        wabe_exchange_buffer *buffer) {
    if (buffer->memory && !wabe_exchange_on_device(slab) && has_devices(x))
        wabe_device_free_host(buffer->memory);
    else
        wabe_memory_destroy(slab->component, (void **)&buffer->memory);
    buffer->memory = NULL;
    x->memory -= buffer->held;
    buffer->held = 0;
}

static wabe_status make_buffers(wabe_exchange *x) {
    for (int i = 0; i < x->slab_count; i++) {
        wabe_exchange_slab *s = &x->slabs[i];
        WABE_TRY(make_buffer(x, s, s->send.bytes, &s->send));
        WABE_TRY(make_buffer(x, s, wabe_exchange_offset_in(&s->receive, 0, 2), &s->receive));
        for (int parity = 0; parity < 2 && wabe_exchange_on_device(s); parity++)
            WABE_TRY(wabe_event_create(s->component->device, &s->packed[parity]));
    }
    return WABE_OK;
}

/* ---- choosing ----------------------------------------------------------------------- */

/* What a receiver on a device offers to a sender on another process's device. */
typedef struct {
    wabe_device_handle handle;
    int64_t offset[2]; /* of the message in the exported memory */
    int exported;
    wabe_exchange_runs in;
    wabe_device_handle grids[2];
    int64_t origin[2]; /* of cell (0, 0, 0) in the exported grids, in bytes */
    int grids_exported;
} offer;

/* What the sender chooses. */
typedef struct {
    int transport, copied;
    int exported; /* the events that it records after packing, by parity */
    wabe_device_handle packed[2];
} choice;

static bool is_negotiated(const wabe_exchange *x, const wabe_exchange_message *m) {
    return between_devices(x, m) && wabe_exchange_between_ranks(m);
}

static bool consists_of_runs(const wabe_exchange_runs *r) { return r->count > 0 && !r->others; }

static void offer_grids(const wabe_exchange_message *m, offer *o) {
    o->in = m->in;
    o->grids_exported = consists_of_runs(&m->in);
    for (int grid = 0; grid < 2 && o->grids_exported; grid++) {
        const wabe_field *f = m->target->fields[0].data.grids[grid];
        o->origin[grid] = (char *)f->data - (char *)f->memory;
        o->grids_exported = wabe_device_export(m->target->component->device, f->memory,
                                               &o->grids[grid]);
    }
}

static offer make_offer(const wabe_exchange *x, const wabe_exchange_message *m) {
    offer o = {.exported = 0};
    const bool same_node = wabe_exchange_from(x, m)->node == wabe_exchange_to(x, m)->node;
    for (int parity = 0; parity < 2; parity++)
        o.offset[parity] = wabe_exchange_place_in(m, parity) - m->target->receive.memory;
    if (same_node)
        o.exported = wabe_device_export(m->target->component->device, m->target->receive.memory,
                                        &o.handle);
    if (o.exported)
        offer_grids(m, &o);
    return o;
}

/* The first transport that works between two devices, or the requested one; any: it does not
 * work. */
static wabe_transport choose_between_devices(const wabe_exchange *x, bool peer, bool same_device) {
    const wabe_transport asked = x->options.transport;
    const bool works[] = {[WABE_TRANSPORT_local] = same_device,
                          [WABE_TRANSPORT_peer] = peer,
                          [WABE_TRANSPORT_cuda_aware] = mpi_is_cuda_aware(),
                          [WABE_TRANSPORT_host] = true};
    if (asked != WABE_TRANSPORT_any)
        return works[asked] ? asked : same_device ? WABE_TRANSPORT_local : WABE_TRANSPORT_any;
    for (int t = WABE_TRANSPORT_local; t < WABE_TRANSPORT_host; t++)
        if (works[t])
            return (wabe_transport)t;
    return WABE_TRANSPORT_host;
}

/* Do both grids have the same runs? */
static bool runs_match(const wabe_exchange_runs *a, const wabe_exchange_runs *b) {
    bool match = consists_of_runs(a) && consists_of_runs(b) && a->count == b->count;
    for (int i = 0; i < a->count && match; i++)
        match = a->runs[i].count == b->runs[i].count && a->runs[i].pitch == b->runs[i].pitch &&
                a->runs[i].plane == b->runs[i].plane;
    return match;
}

/* Within this process. */
static bool reach_grids(wabe_exchange_message *m) {
    if (!runs_match(&m->out, &m->in))
        return false;
    for (int grid = 0; grid < 2; grid++)
        m->target_grids[grid] = m->target->fields[0].data.grids[grid]->data;
    return true;
}

/* In another process. */
static bool import_grids(wabe_exchange_message *m, const offer *o) {
    bool reached = o->grids_exported && runs_match(&m->out, &o->in);
    for (int grid = 0; grid < 2 && reached; grid++) {
        reached = wabe_device_import(m->source->component->device, &o->grids[grid],
                                     &m->imported_grids[grid]);
        if (reached)
            m->target_grids[grid] = (char *)m->imported_grids[grid] + o->origin[grid];
    }
    m->in = o->in;
    return reached;
}

/* Chooses for a message within this process, or with a processor at one end. */
static wabe_transport choose_here(const wabe_exchange *x, const wabe_exchange_message *m) {
    if (!between_devices(x, m))
        return !wabe_exchange_from(x, m)->on_device && !wabe_exchange_to(x, m)->on_device &&
                       !wabe_exchange_between_ranks(m)
                   ? WABE_TRANSPORT_local
                   : WABE_TRANSPORT_host;
    wabe_device *from = m->source->component->device;
    wabe_device *to = m->target->component->device;
    if (from == to && m->from == m->to)
        return WABE_TRANSPORT_local;
    const wabe_transport t = choose_between_devices(x, from != to && wabe_device_reach(from, to),
                                                    from == to);
    return t == WABE_TRANSPORT_cuda_aware ? WABE_TRANSPORT_host : t;
}

static choice choose_and_reach(const wabe_exchange *x, wabe_exchange_message *m) {
    const wabe_transport t = choose_here(x, m);
    const bool reached = between_devices(x, m) &&
                         (t == WABE_TRANSPORT_local || t == WABE_TRANSPORT_peer);
    return (choice){.transport = (int)t, .copied = reached && reach_grids(m)};
}

/* Makes the event that other processes wait for; within a process the driver takes no such event
 * of another device. */
static bool share_event(wabe_exchange_slab *slab, int parity, wabe_device_handle *out) {
    wabe_event **event = &slab->shared[parity];
    if (!*event && wabe_event_create_shared(slab->component->device, event) != WABE_OK)
        return false;
    return wabe_event_export(*event, out);
}

/* The sender tries what the receiver offers. */
static choice accept(const wabe_exchange *x, wabe_exchange_message *m, const offer *o) {
    wabe_device *device = m->source->component->device;
    const bool wanted = x->options.transport == WABE_TRANSPORT_any ||
                        x->options.transport == WABE_TRANSPORT_peer;
    const bool peer = wanted && o->exported && wabe_device_import(device, &o->handle, &m->imported);
    for (int parity = 0; parity < 2 && peer; parity++)
        m->pack_to[parity] = (char *)m->imported + o->offset[parity];
    const wabe_transport t = choose_between_devices(x, peer, false);
    choice c = {.transport = (int)t,
                .copied = t == WABE_TRANSPORT_peer && import_grids(m, o),
                .exported = t == WABE_TRANSPORT_peer};
    for (int parity = 0; parity < 2 && c.exported; parity++)
        c.exported = share_event(m->source, parity, &c.packed[parity]);
    return c;
}

/* Can the receiver's stream wait for the sender's events? */
static bool import_events(wabe_exchange_message *m, const choice *c) {
    bool all = c->exported;
    for (int parity = 0; parity < 2 && all; parity++)
        all = wabe_event_import(m->target->component->device, &c->packed[parity],
                                &m->packed_there[parity]);
    return all;
}

/* Receivers tell senders whether their streams wait. Collective. */
static void agree_on_events(wabe_exchange *x, const choice *choices) {
    for (int i = 0; i < x->message_count; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (!is_negotiated(x, m) || !m->target)
            continue;
        m->is_awaited_by_stream = import_events(m, &choices[i]);
        MPI_Request request;
        MPI_Isend(&m->is_awaited_by_stream, 1, MPI_C_BOOL, wabe_exchange_from(x, m)->rank,
                  WABE_TAG_CHOICE + wabe_exchange_tag(x, m), x->comm, &request);
        MPI_Request_free(&request);
    }
    for (int i = 0; i < x->message_count; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (is_negotiated(x, m) && m->source)
            MPI_Recv(&m->is_awaited_by_stream, 1, MPI_C_BOOL, wabe_exchange_to(x, m)->rank,
                     WABE_TAG_CHOICE + wabe_exchange_tag(x, m), x->comm, MPI_STATUS_IGNORE);
    }
}

/* Receivers make offers; senders choose, and tell receivers. Collective. */
static wabe_status negotiate(wabe_exchange *x) {
    const size_t most = (size_t)x->message_count + 1;
    MPI_Request *requests = malloc(2 * most * sizeof(MPI_Request));
    offer *offers = calloc(most, sizeof *offers);
    choice *choices = calloc(most, sizeof *choices);
    int count = 0;
    wabe_status status = wabe_agree_memory(x->comm, requests && offers && choices, "the exchange");
    for (int i = 0; i < x->message_count && status == WABE_OK; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (!is_negotiated(x, m) || !m->target)
            continue;
        offers[i] = make_offer(x, m);
        MPI_Isend(&offers[i], (int)sizeof offers[i], MPI_BYTE, wabe_exchange_from(x, m)->rank,
                  WABE_TAG_CHOICE + wabe_exchange_tag(x, m), x->comm, &requests[count++]);
        MPI_Irecv(&choices[i], (int)sizeof choices[i], MPI_BYTE, wabe_exchange_from(x, m)->rank,
                  WABE_TAG_VERDICT + wabe_exchange_tag(x, m), x->comm, &requests[count++]);
    }
    for (int i = 0; i < x->message_count && status == WABE_OK; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (is_negotiated(x, m) && m->source) {
            MPI_Recv(&offers[i], (int)sizeof offers[i], MPI_BYTE, wabe_exchange_to(x, m)->rank,
                     WABE_TAG_CHOICE + wabe_exchange_tag(x, m), x->comm, MPI_STATUS_IGNORE);
            choices[i] = accept(x, m, &offers[i]);
            MPI_Send(&choices[i], (int)sizeof choices[i], MPI_BYTE, wabe_exchange_to(x, m)->rank,
                     WABE_TAG_VERDICT + wabe_exchange_tag(x, m), x->comm);
        } else if (!is_negotiated(x, m)) {
            choices[i] = choose_and_reach(x, m);
        }
    }
    if (count > 0)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    if (status == WABE_OK)
        agree_on_events(x, choices);
    for (int i = 0; i < x->message_count && status == WABE_OK; i++) {
        x->messages[i].transport = (wabe_transport)choices[i].transport;
        x->messages[i].copied = choices[i].copied;
    }
    free(requests);
    free(offers);
    free(choices);
    return status;
}

static wabe_status check_choices(const wabe_exchange *x) {
    for (int i = 0; i < x->message_count; i++)
        WABE_CHECK(x->messages[i].transport != WABE_TRANSPORT_any, WABE_INPUT,
                   "the transport \"%s\" does not work between slabs %d and %d%s",
                   wabe_transport_word(x->options.transport), x->messages[i].from,
                   x->messages[i].to,
                   x->options.transport == WABE_TRANSPORT_cuda_aware
                       ? ": this MPI takes no buffers on GPUs"
                   : x->options.transport == WABE_TRANSPORT_local ? ": they are on two GPUs"
                   : x->options.transport == WABE_TRANSPORT_peer
                       ? ": these GPUs cannot reach each other's memory"
                       : "");
    return WABE_OK;
}

/* ---- wiring ------------------------------------------------------------------------- */

static wabe_status make_pinned(wabe_exchange *x, wabe_exchange_message *m) {
    for (int parity = 0; parity < 2; parity++)
        if (!m->pinned[parity]) {
            WABE_TRY(wabe_device_allocate_host(m->bytes, &m->pinned[parity]));
            x->memory += m->bytes;
        }
    return WABE_OK;
}

/* Sets the addresses on the source's side, up to the one that MPI sends from. */
static wabe_status wire_source(wabe_exchange *x, wabe_exchange_message *m, void *send_from[2]) {
    const bool device = wabe_exchange_on_device(m->source);
    const bool direct = m->transport == WABE_TRANSPORT_local || m->transport == WABE_TRANSPORT_peer;
    const bool to_host_here = m->target && !wabe_exchange_on_device(m->target);
    const bool staged = m->transport == WABE_TRANSPORT_host && device;
    const bool pinned = m->transport == WABE_TRANSPORT_host &&
                        ((device && !to_host_here) ||
                         (!device && m->target && wabe_exchange_on_device(m->target)));
    if (pinned)
        WABE_TRY(make_pinned(x, m));
    for (int parity = 0; parity < 2; parity++) {
        if (direct && m->target)
            m->pack_to[parity] = wabe_exchange_place_in(m, parity);
        else if (!direct)
            m->pack_to[parity] = pinned && !device ? m->pinned[parity] : place_out(m);
        m->stage_from[parity] = staged ? m->pack_to[parity] : NULL;
        m->stage_to[parity] = !staged        ? NULL
                              : to_host_here ? wabe_exchange_place_in(m, parity)
                                             : m->pinned[parity];
        send_from[parity] = staged ? m->stage_to[parity] : m->pack_to[parity];
    }
    return WABE_OK;
}

/* Sets the addresses on the target's side, from the one that MPI receives into. */
static wabe_status wire_target(wabe_exchange *x, wabe_exchange_message *m, void *receive_to[2]) {
    const bool device = wabe_exchange_on_device(m->target);
    const bool staged = m->transport == WABE_TRANSPORT_host && device;
    if (staged)
        WABE_TRY(make_pinned(x, m));
    for (int parity = 0; parity < 2; parity++) {
        m->copy_from[parity] = staged ? m->pinned[parity] : NULL;
        m->copy_to[parity] = staged ? wabe_exchange_place_in(m, parity) : NULL;
        receive_to[parity] = staged ? m->pinned[parity] : wabe_exchange_place_in(m, parity);
    }
    return WABE_OK;
}

static void free_requests(wabe_exchange_message *m) {
    for (int parity = 0; parity < 2; parity++) {
        if (m->send[parity] != MPI_REQUEST_NULL)
            MPI_Request_free(&m->send[parity]);
        if (m->receive[parity] != MPI_REQUEST_NULL)
            MPI_Request_free(&m->receive[parity]);
    }
}

/* Makes the MPI requests. With peer memory, data moves without MPI and an empty message
 * notifies. */
static wabe_status wire(wabe_exchange *x, wabe_exchange_message *m) {
    void *send_from[2], *receive_to[2];
    free_requests(m);
    if (m->source)
        WABE_TRY(wire_source(x, m, send_from));
    if (m->target)
        WABE_TRY(wire_target(x, m, receive_to));
    const int bytes = m->transport == WABE_TRANSPORT_peer ? 0 : (int)m->bytes;
    for (int parity = 0; parity < 2 && wabe_exchange_between_ranks(m); parity++) {
        if (m->source)
            MPI_Send_init(send_from[parity], bytes, MPI_BYTE, wabe_exchange_to(x, m)->rank,
                          WABE_TAG_DATA + wabe_exchange_tag(x, m), x->comm, &m->send[parity]);
        else
            MPI_Recv_init(receive_to[parity], bytes, MPI_BYTE, wabe_exchange_from(x, m)->rank,
                          WABE_TAG_DATA + wabe_exchange_tag(x, m), x->comm, &m->receive[parity]);
    }
    return WABE_OK;
}

wabe_status wabe_exchange_wire(wabe_exchange *x) {
    for (int i = 0; i < x->message_count; i++)
        WABE_TRY(wire(x, &x->messages[i]));
    return WABE_OK;
}

/* ---- segments ----------------------------------------------------------------------- */

/* Points the segments of a field of a message to its buffers, on both sides. */
static void point_part(const wabe_exchange *x, const wabe_exchange_message *m, int field,
                       int parity) {
    const wabe_exchange_part *part = &m->parts[field];
    const int64_t size = (int64_t)x->sizes[field];
    for (int64_t k = 0; k < part->segment_count; k++) {
        if (m->source) {
            wabe_segment *s =
                &m->source->fields[field].send.segments[parity][part->segment_out + k];
            s->buffer = (char *)m->pack_to[parity] + part->offset +
                        (s->first - part->first_out) * size;
        }
        if (m->target) {
            wabe_segment *s =
                &m->target->fields[field].receive.segments[parity][part->segment_in + k];
            s->buffer = wabe_exchange_place_in(m, parity) + part->offset +
                        (s->first - part->first_in) * size;
        }
    }
}

static void point_segments(const wabe_exchange *x) {
    for (int i = 0; i < x->message_count; i++)
        for (int field = 0; field < x->field_count && !x->messages[i].copied; field++)
            for (int parity = 0; parity < 2; parity++)
                point_part(x, &x->messages[i], field, parity);
}

/* Moves an array to where kernels read it. */
static wabe_status move_array(const wabe_exchange_slab *slab, void **array, int64_t bytes,
                              bool *moved) {
    void *copy;
    if (bytes == 0)
        return WABE_OK;
    WABE_TRY(wabe_memory_copy_of(slab->component, slab->stream, *array, bytes, &copy));
    free(*array);
    *array = copy;
    *moved = true;
    return WABE_OK;
}

static void free_array(const wabe_exchange_slab *slab, void **array, bool moved) {
    if (moved)
        wabe_memory_destroy(slab->component, array);
    else
        free(*array);
    *array = NULL;
}

static wabe_status move_side(const wabe_exchange_slab *slab, wabe_exchange_side *side) {
    const int64_t places = side->numbers * (int64_t)sizeof *side->indices[0];
    const int64_t segments = side->segment_count * (int64_t)sizeof *side->segments[0];
    if (side->masked)
        WABE_TRY(move_array(slab, (void **)&side->mask,
                            (side->numbers / 32 + 1) * (int64_t)sizeof *side->mask,
                            &side->mask_moved));
    else /* the mask lets everything pass */
        free_array(slab, (void **)&side->mask, false);
    for (int parity = 0; parity < 2; parity++) {
        if (side->indices[parity])
            WABE_TRY(move_array(slab, (void **)&side->indices[parity], places,
                                &side->places_moved[parity]));
        WABE_TRY(
            move_array(slab, (void **)&side->segments[parity], segments, &side->moved[parity]));
    }
    return WABE_OK;
}

static void release_events(wabe_exchange_message *m) {
    for (int parity = 0; parity < 2; parity++)
        wabe_event_destroy(&m->packed_there[parity]);
}

/* Unmaps what a message has of another process's memory: its buffer, its grids. */
static void release_buffer(wabe_exchange_message *m) {
    if (m->imported)
        wabe_device_release(m->source->component->device, m->imported);
    m->imported = NULL;
}

static void release_grids(wabe_exchange_message *m) {
    for (int grid = 0; grid < 2; grid++) {
        if (m->imported_grids[grid])
            wabe_device_release(m->source->component->device, m->imported_grids[grid]);
        m->imported_grids[grid] = NULL;
    }
}

/* Gives back the buffers of slabs that only copy planes. Collective. */
static void drop_buffers(wabe_exchange *x) {
    for (int i = 0; i < x->message_count; i++)
        if (x->messages[i].copied)
            release_buffer(&x->messages[i]);
        else
            release_grids(&x->messages[i]);
    MPI_Barrier(x->comm); /* afterwards no process maps memory that is freed here */
    for (wabe_exchange_slab *s = x->slabs; s < x->slabs + x->slab_count; s++) {
        int64_t sent = 0, received = 0;
        for (int field = 0; field < x->field_count; field++) {
            sent += s->fields[field].send.numbers;
            received += s->fields[field].receive.numbers;
        }
        if (sent == 0)
            free_buffer(x, s, &s->send);
        if (received == 0)
            free_buffer(x, s, &s->receive);
    }
}

static wabe_status finish(wabe_exchange *x) {
    point_segments(x);
    for (int i = 0; i < x->slab_count; i++)
        for (int field = 0; field < x->field_count; field++) {
            WABE_TRY(move_side(&x->slabs[i], &x->slabs[i].fields[field].send));
            WABE_TRY(move_side(&x->slabs[i], &x->slabs[i].fields[field].receive));
        }
    return WABE_OK;
}

/* ---- all of it ---------------------------------------------------------------------- */

wabe_status wabe_exchange_connect(wabe_exchange *x) {
    WABE_TRY(wabe_agree(x->comm, make_buffers(x)));
    WABE_TRY(negotiate(x));
    WABE_TRY(wabe_agree(x->comm, check_choices(x)));
    WABE_TRY(wabe_agree(x->comm, wabe_exchange_wire(x)));
    WABE_TRY(wabe_exchange_try_out(x));
    wabe_exchange_plan_copied(x);
    drop_buffers(x);
    return wabe_agree(x->comm, finish(x));
}

static void free_side(const wabe_exchange_slab *slab, wabe_exchange_side *side) {
    free_array(slab, (void **)&side->mask, side->mask_moved);
    for (int parity = 0; parity < 2; parity++) {
        free_array(slab, (void **)&side->indices[parity], side->places_moved[parity]);
        free_array(slab, (void **)&side->segments[parity], side->moved[parity]);
    }
}

void wabe_exchange_disconnect(wabe_exchange *x) {
    for (int i = 0; i < x->slab_count; i++)
        if (x->slabs[i].stream)
            wabe_stream_synchronise(x->slabs[i].stream);
    for (int i = 0; i < x->message_count; i++) {
        wabe_exchange_message *m = &x->messages[i];
        free_requests(m);
        release_buffer(m);
        release_grids(m);
        release_events(m);
        for (int parity = 0; parity < 2; parity++)
            if (m->pinned[parity])
                wabe_device_free_host(m->pinned[parity]);
    }
    MPI_Barrier(x->comm); /* afterwards no process maps memory that is freed here */
    for (wabe_exchange_slab *s = x->slabs; s < x->slabs + x->slab_count; s++) {
        for (int field = 0; field < x->field_count; field++) {
            free_side(s, &s->fields[field].send);
            free_side(s, &s->fields[field].receive);
        }
        free_buffer(x, s, &s->send);
        free_buffer(x, s, &s->receive);
        for (int parity = 0; parity < 2; parity++) {
            wabe_event_destroy(&s->packed[parity]);
            wabe_event_destroy(&s->shared[parity]);
        }
    }
}
