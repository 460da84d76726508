/* Trying out a new exchange: each message carries bytes that no other has, as a step's does. */
#include "comm/exchange_internal.h"

#include "core/device/memory.h"

#include <stdlib.h>
#include <string.h>

/* Makes bytes that no other message has; piece: which of the message's. */
static void make_pattern(const wabe_exchange_message *m, int piece, int64_t bytes,
                         unsigned char *out) {
    uint32_t state = (uint32_t)(m->from * 7919 + m->to * 104729 + piece + 1);
    for (int64_t i = 0; i < bytes; i++) {
        state = state * 1664525u + 1013904223u;
        out[i] = (unsigned char)(state >> 24);
    }
}

/* Pieces of a message: its runs in the grid of this parity, or else its buffer. */
static int piece_count(const wabe_exchange_message *m) { return m->copied ? m->out.count : 1; }

static int64_t piece_bytes(const wabe_exchange *x, const wabe_exchange_message *m, int piece) {
    const wabe_exchange_run *run = m->source ? &m->out.runs[piece] : &m->in.runs[piece];
    return m->copied ? run->count * (int64_t)x->sizes[0] : m->bytes;
}

static char *run_place(const wabe_exchange *x, const wabe_exchange_slab *slab,
                       const wabe_exchange_run *run, int parity) {
    return (char *)slab->fields[0].data.grids[parity]->data + run->place * (int64_t)x->sizes[0];
}

static wabe_status put_pattern(wabe_exchange *x, const wabe_exchange_message *m, int piece,
                               int parity, unsigned char *room) {
    void *to = m->copied ? run_place(x, m->source, &m->out.runs[piece], parity)
                         : m->pack_to[parity];
    make_pattern(m, 2 * piece + parity, piece_bytes(x, m, piece), room);
    return wabe_memory_write(m->source->component, m->source->stream, to, room,
                             piece_bytes(x, m, piece));
}

static wabe_status put_patterns(wabe_exchange *x, int parity, unsigned char *room) {
    for (int i = 0; i < x->message_count; i++)
        for (int piece = 0; piece < piece_count(&x->messages[i]) && x->messages[i].source; piece++)
            WABE_TRY(put_pattern(x, &x->messages[i], piece, parity, room));
    return WABE_OK;
}

static wabe_status compare_pattern(wabe_exchange *x, const wabe_exchange_message *m, int piece,
                                   int parity, unsigned char *room, int64_t size, int *verdict) {
    const int64_t bytes = piece_bytes(x, m, piece);
    const void *from = m->copied ? run_place(x, m->target, &m->in.runs[piece], parity)
                                 : wabe_exchange_place_in(m, parity);
    make_pattern(m, 2 * piece + parity, bytes, room);
    WABE_TRY(wabe_memory_read(m->target->component, m->target->stream, room + size, from, bytes));
    *verdict |= memcmp(room, room + size, (size_t)bytes) != 0;
    return WABE_OK;
}

/* Marks in verdicts the messages that have not arrived as sent. */
static wabe_status compare_patterns(wabe_exchange *x, int parity, unsigned char *room, int64_t size,
                                    int *verdicts) {
    for (int i = 0; i < x->message_count; i++) {
        const wabe_exchange_message *m = &x->messages[i];
        for (int piece = 0; piece < piece_count(m) && m->target; piece++)
            WABE_TRY(compare_pattern(x, m, piece, parity, room, size, &verdicts[i]));
    }
    return WABE_OK;
}

/* Exchanges test patterns, once per parity. Collective. */
static wabe_status exchange_patterns(wabe_exchange *x, int *verdicts) {
    int64_t size = 1;
    for (int i = 0; i < x->message_count; i++)
        for (int piece = 0; piece < piece_count(&x->messages[i]); piece++)
            size = piece_bytes(x, &x->messages[i], piece) > size
                       ? piece_bytes(x, &x->messages[i], piece)
                       : size;
    unsigned char *room = malloc(2 * (size_t)size);
    wabe_status status = wabe_agree_memory(x->comm, room, "the exchange");
    x->testing = true;
    for (int parity = 0; parity < 2 && status == WABE_OK; parity++) {
        wabe_exchange_start(x, parity);
        status = wabe_agree(x->comm, put_patterns(x, parity, room));
        wabe_exchange_send(x, true);
        wabe_exchange_send(x, false);
        wabe_exchange_finish(x, NULL, NULL);
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
        if (wabe_exchange_between_ranks(m) && m->target) {
            MPI_Isend(&verdicts[i], 1, MPI_INT, wabe_exchange_from(x, m)->rank,
                      WABE_TAG_VERDICT + wabe_exchange_tag(x, m), x->comm, &request);
            MPI_Request_free(&request);
        }
    }
    for (int i = 0; i < x->message_count; i++) {
        const wabe_exchange_message *m = &x->messages[i];
        if (wabe_exchange_between_ranks(m) && m->source)
            MPI_Recv(&verdicts[i], 1, MPI_INT, wabe_exchange_to(x, m)->rank,
                     WABE_TAG_VERDICT + wabe_exchange_tag(x, m), x->comm, MPI_STATUS_IGNORE);
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
        m->copied = m->is_awaited_by_stream = false;
        ++*failed;
    }
    return WABE_OK;
}

wabe_status wabe_exchange_try_out(wabe_exchange *x) {
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
            status = wabe_agree(x->comm, failed > 0 ? wabe_exchange_wire(x) : WABE_OK);
        free(verdicts);
        WABE_TRY(status);
        MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, x->comm);
    }
    return WABE_OK;
}
