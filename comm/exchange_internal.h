/* Shared by exchange.c, exchange_plan.c and transport.c. */
#pragma once

#include "comm/exchange.h"
#include "core/device/team.h"
#include "core/registry/transfer.h"

/* The sending or receiving side of a field's exchange: the segments of all messages, by parity. */
typedef struct {
    int64_t segment_count, segment_room;
    wabe_segment *segments[2]; /* in the component's memory once moved is true */
    bool moved[2];
    uint32_t *mask; /* receivers: see wabe_unpack_args */
    bool masked;    /* at least one number is not wanted */
    bool mask_moved;
    uint32_t *indices[2]; /* by parity: see wabe_pack_args */
    bool places_moved[2];
    int64_t numbers;
} wabe_exchange_side;

typedef struct {
    wabe_exchange_field data;
    wabe_exchange_side send, receive;
    void *grid; /* in the present exchange */
} wabe_exchange_slab_field;

/* A slab's buffer for all messages, in the component's memory. */
typedef struct {
    char *memory;
    int64_t bytes; /* receivers: per parity */
} wabe_exchange_buffer;

/* The exchange of a slab of this rank. */
typedef struct {
    const wabe_component *component;
    wabe_stream *stream;
    bool wraps;
    wabe_exchange_slab_field fields[WABE_EXCHANGE_FIELDS_MAX];
    wabe_exchange_buffer send, receive;
    wabe_event *packed[2]; /* devices: by parity */
    bool is_packed;        /* in this step; on devices: queued in the stream */
    bool unpacking; /* devices: everything has arrived and unpacking is queued in the stream */
} wabe_exchange_slab;

/* The part of a message that belongs to one field. */
typedef struct {
    int64_t offset, count;           /* bytes from the message's start; count of numbers */
    int64_t first_out, first_in;     /* the first of them, as the sides number them */
    int64_t segment_out, segment_in; /* its first segments */
    int64_t segment_count;
} wabe_exchange_part;

/* All numbers from one slab to another. A pointer that is NULL means that its stage is not
 * needed. */
typedef struct {
    int from, to;                        /* slab numbers */
    wabe_exchange_slab *source, *target; /* NULL: on another rank */
    int64_t bytes;
    int64_t place_out, place_in; /* in the slabs' buffers, in bytes */
    wabe_exchange_part parts[WABE_EXCHANGE_FIELDS_MAX];
    wabe_transport transport;
    /* The stages, by parity: pack writes to pack_to; the source's stream copies stage_from to
     * stage_to; send; receive; the target's stream copies copy_from to copy_to; unpack reads. */
    void *pack_to[2], *stage_from[2], *stage_to[2], *copy_from[2], *copy_to[2];
    MPI_Request send[2], receive[2];
    void *pinned[2]; /* owned */
    void *imported;  /* owned: the receiver's buffer, mapped into this process */
    bool sent, received;
} wabe_exchange_message;

struct wabe_exchange {
    MPI_Comm comm;
    const wabe_partition *partition;
    wabe_exchange_options options;
    int field_count;
    size_t sizes[WABE_EXCHANGE_FIELDS_MAX]; /* bytes per number */
    int slab_count;
    wabe_exchange_slab *slabs;
    int message_count;
    wabe_exchange_message *messages;
    int parity;
    bool testing; /* test patterns are sent instead of packed numbers */
    int64_t memory;
};

/* exchange_plan.c: plans messages and segments of this rank's slabs. WABE_MEMORY, WABE_INPUT.
 * Local. */
wabe_status wabe_exchange_plan(wabe_exchange *exchange);

/* transport.c: chooses and tests the transports, makes buffers and requests. Collective. */
wabe_status wabe_exchange_connect(wabe_exchange *exchange);
void wabe_exchange_disconnect(wabe_exchange *exchange);

/* exchange.c: the stages of a step, which transport.c uses in its tests. profile may be NULL.
 * Collective. */
void wabe_exchange_start(wabe_exchange *exchange, int parity);
void wabe_exchange_send(wabe_exchange *exchange, bool devices);
void wabe_exchange_finish(wabe_exchange *exchange, wabe_profile *profile);

static inline bool wabe_exchange_on_device(const wabe_exchange_slab *slab) {
    return slab->component->device != NULL;
}
