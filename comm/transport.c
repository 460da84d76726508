/* The transports of messages: which of them work, and their buffers.
 *
 * local       the receiver's buffer is in the sender's own memory: packed directly into it
 * peer        it is in another GPU's memory: packed directly into it over the link between them, in
 *             this process by peer access, in another one through CUDA IPC; an empty message
 *             notifies
 * cuda_aware  MPI takes buffers on GPUs
 * host        through page-locked host memory, and MPI to other processes: always works */
#include "comm/exchange_internal.h"

#include "core/device/memory.h"

#include <stdlib.h>
#include <string.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

enum { TAG_DATA = 0, TAG_CHOICE = 1000, TAG_VERDICT = 2000, ALIGNED = 256 };

static bool mpi_is_cuda_aware(void) {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

static const wabe_slab *slab_from(const wabe_exchange *x, const wabe_exchange_message *m) {
    return &x->partition->slabs[m->from];
}
static const wabe_slab *slab_to(const wabe_exchange *x, const wabe_exchange_message *m) {
    return &x->partition->slabs[m->to];
}

static int tag_of(const wabe_exchange *x, const wabe_exchange_message *m) {
    return slab_from(x, m)->index * WABE_JOBS_MAX + slab_to(x, m)->index;
}

static bool between_devices(const wabe_exchange *x, const wabe_exchange_message *m) {
    return slab_from(x, m)->on_device && slab_to(x, m)->on_device;
}

static bool between_ranks(const wabe_exchange_message *m) { return !m->source || !m->target; }

/* Addresses of a message in its slabs' buffers. */
static char *place_out(const wabe_exchange_message *m) {
    return m->source->send.memory + m->place_out;
}

static int64_t receive_offset(const wabe_exchange_buffer *b, int64_t place, int parity) {
    return parity * ((b->bytes + ALIGNED - 1) / ALIGNED * ALIGNED) + place;
}

static char *place_in(const wabe_exchange_message *m, int parity) {
    const wabe_exchange_buffer *b = &m->target->receive;
    return b->memory + receive_offset(b, m->place_in, parity);
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
                               char **out) {
    x->memory += bytes;
    if (!wabe_exchange_on_device(slab) && has_devices(x))
        return wabe_device_allocate_host(bytes, (void **)out);
    return wabe_memory_create(slab->component, bytes, (void **)out);
}

static void free_buffer(const wabe_exchange *x, const wabe_exchange_slab *slab, char **buffer) {
    if (*buffer && !wabe_exchange_on_device(slab) && has_devices(x))
        wabe_device_free_host(*buffer);
    else
        wabe_memory_destroy(slab->component, (void **)buffer);
    *buffer = NULL;
}

static wabe_status make_buffers(wabe_exchange *x) {
    for (int i = 0; i < x->slab_count; i++) {
        wabe_exchange_slab *s = &x->slabs[i];
        WABE_TRY(make_buffer(x, s, s->send.bytes + ALIGNED, &s->send.memory));
        WABE_TRY(
            make_buffer(x, s, receive_offset(&s->receive, 0, 2) + ALIGNED, &s->receive.memory));
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
} offer;

static bool is_negotiated(const wabe_exchange *x, const wabe_exchange_message *m) {
    return between_devices(x, m) && between_ranks(m);
}

static offer make_offer(const wabe_exchange *x, const wabe_exchange_message *m) {
    offer o = {.exported = 0};
    const bool same_node = slab_from(x, m)->node == slab_to(x, m)->node;
    for (int parity = 0; parity < 2; parity++)
        o.offset[parity] = place_in(m, parity) - m->target->receive.memory;
    if (same_node)
        o.exported = wabe_device_export(m->target->component->device, m->target->receive.memory,
                                        &o.handle);
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

/* Chooses for a message within this process, or with a processor at one end. */
static wabe_transport choose_here(const wabe_exchange *x, const wabe_exchange_message *m) {
    if (!between_devices(x, m))
        return !slab_from(x, m)->on_device && !slab_to(x, m)->on_device && !between_ranks(m)
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

/* The sender tries what the receiver offers. */
static wabe_transport accept(const wabe_exchange *x, wabe_exchange_message *m, const offer *o) {
    wabe_device *device = m->source->component->device;
    const bool wanted = x->options.transport == WABE_TRANSPORT_any ||
                        x->options.transport == WABE_TRANSPORT_peer;
    const bool peer = wanted && o->exported && wabe_device_import(device, &o->handle, &m->imported);
    for (int parity = 0; parity < 2 && peer; parity++)
        m->pack_to[parity] = (char *)m->imported + o->offset[parity];
    return choose_between_devices(x, peer, false);
}

/* Receivers make offers; senders choose, and tell receivers. Collective. */
static wabe_status negotiate(wabe_exchange *x) {
    const size_t most = (size_t)x->message_count + 1;
    MPI_Request *requests = malloc(2 * most * sizeof(MPI_Request));
    offer *offers = calloc(most, sizeof *offers);
    int *choices = calloc(most, sizeof *choices), count = 0;
    wabe_status status = wabe_agree_memory(x->comm, requests && offers && choices, "the exchange");
    for (int i = 0; i < x->message_count && status == WABE_OK; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (!is_negotiated(x, m) || !m->target)
            continue;
        offers[i] = make_offer(x, m);
        MPI_Isend(&offers[i], (int)sizeof offers[i], MPI_BYTE, slab_from(x, m)->rank,
                  TAG_CHOICE + tag_of(x, m), x->comm, &requests[count++]);
        MPI_Irecv(&choices[i], 1, MPI_INT, slab_from(x, m)->rank, TAG_VERDICT + tag_of(x, m),
                  x->comm, &requests[count++]);
    }
    for (int i = 0; i < x->message_count && status == WABE_OK; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (is_negotiated(x, m) && m->source) {
            MPI_Recv(&offers[i], (int)sizeof offers[i], MPI_BYTE, slab_to(x, m)->rank,
                     TAG_CHOICE + tag_of(x, m), x->comm, MPI_STATUS_IGNORE);
            choices[i] = (int)accept(x, m, &offers[i]);
            MPI_Send(&choices[i], 1, MPI_INT, slab_to(x, m)->rank, TAG_VERDICT + tag_of(x, m),
                     x->comm);
        } else if (!is_negotiated(x, m)) {
            choices[i] = (int)choose_here(x, m);
        }
    }
    if (count > 0)
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < x->message_count && status == WABE_OK; i++)
        x->messages[i].transport = (wabe_transport)choices[i];
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
            m->pack_to[parity] = place_in(m, parity);
        else if (!direct)
            m->pack_to[parity] = pinned && !device ? m->pinned[parity] : place_out(m);
        m->stage_from[parity] = staged ? m->pack_to[parity] : NULL;
        m->stage_to[parity] = !staged        ? NULL
                              : to_host_here ? place_in(m, parity)
                                             : m->pinned[parity];
        send_from[parity] = staged ? m->stage_to[parity] : m->pack_to[parity];
    }
    return WABE_OK;
}

/* Sets the addresses on the target's side, from the one that MPI receives into. */
static wabe_status wire_target(wabe_exchange *x, wabe_exchange_message *m, void *receive_to[2]) {
    const bool device = wabe_exchange_on_device(m->target);
    const bool copied = m->transport == WABE_TRANSPORT_host && device;
    if (copied)
        WABE_TRY(make_pinned(x, m));
    for (int parity = 0; parity < 2; parity++) {
        m->copy_from[parity] = copied ? m->pinned[parity] : NULL;
        m->copy_to[parity] = copied ? place_in(m, parity) : NULL;
        receive_to[parity] = copied ? m->pinned[parity] : place_in(m, parity);
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
    for (int parity = 0; parity < 2 && between_ranks(m); parity++) {
        if (m->source)
            MPI_Send_init(send_from[parity], bytes, MPI_BYTE, slab_to(x, m)->rank,
                          TAG_DATA + tag_of(x, m), x->comm, &m->send[parity]);
        else
            MPI_Recv_init(receive_to[parity], bytes, MPI_BYTE, slab_from(x, m)->rank,
                          TAG_DATA + tag_of(x, m), x->comm, &m->receive[parity]);
    }
    return WABE_OK;
}

static wabe_status wire_all(wabe_exchange *x) {
    for (int i = 0; i < x->message_count; i++)
        WABE_TRY(wire(x, &x->messages[i]));
    return WABE_OK;
}

/* ---- trying out --------------------------------------------------------------------- */

/* Makes bytes that no other message has. */
static void make_pattern(const wabe_exchange_message *m, int parity, unsigned char *out) {
    const int64_t bytes = m->bytes;
    uint32_t state = (uint32_t)(m->from * 7919 + m->to * 104729 + parity + 1);
    for (int64_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        out[i] = (unsigned char)(state >> 24);
    }
}

static wabe_status put_patterns(wabe_exchange *x, int parity, unsigned char *room) {
    for (int i = 0; i < x->message_count; i++) {
        const wabe_exchange_message *m = &x->messages[i];
        if (!m->source)
            continue;
        make_pattern(m, parity, room);
        WABE_TRY(wabe_memory_write(m->source->component, m->source->stream, m->pack_to[parity],
                                   room, m->bytes));
    }
    return WABE_OK;
}

/* Marks in verdicts the messages that have not arrived as sent. */
static wabe_status compare_patterns(wabe_exchange *x, int parity, unsigned char *room, int64_t size,
                                    int *verdicts) {
    for (int i = 0; i < x->message_count; i++) {
        const wabe_exchange_message *m = &x->messages[i];
        if (!m->target)
            continue;
        make_pattern(m, parity, room);
        WABE_TRY(wabe_memory_read(m->target->component, m->target->stream, room + size,
                                  place_in(m, parity), m->bytes));
        verdicts[i] |= memcmp(room, room + size, (size_t)m->bytes) != 0;
    }
    return WABE_OK;
}

/* Exchanges test patterns, once per parity. Collective. */
static wabe_status exchange_patterns(wabe_exchange *x, int *verdicts) {
    int64_t size = 1;
    for (int i = 0; i < x->message_count; i++)
        size = x->messages[i].bytes > size ? x->messages[i].bytes : size;
    unsigned char *room = malloc(2 * (size_t)size);
    wabe_status status = wabe_agree_memory(x->comm, room, "the exchange");
    x->testing = true;
    for (int parity = 0; parity < 2 && status == WABE_OK; parity++) {
        wabe_exchange_start(x, parity);
        status = wabe_agree(x->comm, put_patterns(x, parity, room));
        wabe_exchange_send(x, true);
        wabe_exchange_send(x, false);
        wabe_exchange_finish(x, NULL);
        if (status == WABE_OK)
            status = compare_patterns(x, parity, room, size, verdicts);
        status = wabe_agree(x->comm, status);
    }
    x->testing = false;
    free(room);
    return status;
}

/* Receivers tell senders in other processes what they have found. */
static void share_verdicts(const wabe_exchange *x, int *verdicts) {
    for (int i = 0; i < x->message_count; i++) {
        const wabe_exchange_message *m = &x->messages[i];
        MPI_Request request;
        if (between_ranks(m) && m->target) {
            MPI_Isend(&verdicts[i], 1, MPI_INT, slab_from(x, m)->rank, TAG_VERDICT + tag_of(x, m),
                      x->comm, &request);
            MPI_Request_free(&request);
        }
    }
    for (int i = 0; i < x->message_count; i++) {
        const wabe_exchange_message *m = &x->messages[i];
        if (between_ranks(m) && m->source)
            MPI_Recv(&verdicts[i], 1, MPI_INT, slab_to(x, m)->rank, TAG_VERDICT + tag_of(x, m),
                     x->comm, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(x->comm); /* all verdicts have been received, so the caller may free them */
}

/* A message that failed goes through the host, unless a transport was requested. */
static wabe_status fall_back(wabe_exchange *x, const int *verdicts, int *failed) {
    *failed = 0;
    for (int i = 0; i < x->message_count; i++) {
        wabe_exchange_message *m = &x->messages[i];
        if (!verdicts[i])
            continue;
        WABE_CHECK(x->options.transport == WABE_TRANSPORT_any &&
                       m->transport != WABE_TRANSPORT_host,
                   m->transport == WABE_TRANSPORT_host ? WABE_INTERNAL : WABE_INPUT,
                   "the transport \"%s\" between slabs %d and %d does not deliver what is sent",
                   wabe_transport_word(m->transport), m->from, m->to);
        m->transport = WABE_TRANSPORT_host;
        ++*failed;
    }
    return WABE_OK;
}

static wabe_status try_out(wabe_exchange *x) {
    int failed = 1;
    while (failed > 0) {
        int *verdicts = calloc((size_t)x->message_count + 1, sizeof *verdicts);
        wabe_status status = wabe_agree_memory(x->comm, verdicts, "the exchange");
        if (status == WABE_OK)
            status = exchange_patterns(x, verdicts);
        if (status == WABE_OK) {
            share_verdicts(x, verdicts);
            status = wabe_agree(x->comm, fall_back(x, verdicts, &failed));
        }
        if (status == WABE_OK)
            status = wabe_agree(x->comm, failed > 0 ? wire_all(x) : WABE_OK);
        free(verdicts);
        WABE_TRY(status);
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, x->comm);
    }
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
            s->buffer = place_in(m, parity) + part->offset + (s->first - part->first_in) * size;
        }
    }
}

static void point_segments(const wabe_exchange *x) {
    for (int i = 0; i < x->message_count; i++)
        for (int field = 0; field < x->field_count; field++)
            for (int parity = 0; parity < 2; parity++)
                point_part(x, &x->messages[i], field, parity);
}

/* Moves an array to where kernels read it. */
static wabe_status move_array(const wabe_exchange_slab *slab, void **array, int64_t bytes,
                              bool *moved) {
    void *copy;
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
    WABE_TRY(wabe_agree(x->comm, wire_all(x)));
    WABE_TRY(try_out(x));
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
        if (m->imported)
            wabe_device_release(m->source->component->device, m->imported);
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
        free_buffer(x, s, &s->send.memory);
        free_buffer(x, s, &s->receive.memory);
        for (int parity = 0; parity < 2; parity++)
            wabe_event_destroy(&s->packed[parity]);
    }
}
