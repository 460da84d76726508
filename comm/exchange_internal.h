/* What exchange.c, exchange_plan.c and transport.c share. */
#pragma once

#include "comm/exchange.h"
#include "core/device/team.h"
#include "core/registry/transfer.h"

/* One direction of a field's exchange: the segments of all messages, for both parities. */
typedef struct {
    int64_t segment_count, segment_room;
    wabe_segment *segments[2]; /* in the component's memory once they have moved */
    bool moved[2];
    uint32_t *mask; /* receivers: see wabe_unpack_args */
    bool masked;    /* a number is not wanted */
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

/* Room for the messages of a slab, in the component's memory. */
typedef struct {
    char *memory;
    int64_t bytes; /* of receivers for each parity */
} wabe_exchange_buffer;

/* What a slab of this rank has to do with the exchange. */
typedef struct {
    const wabe_component *component;
    wabe_stream *stream;
    bool wraps;
    wabe_exchange_slab_field fields[WABE_EXCHANGE_FIELDS_MAX];
    wabe_exchange_buffer send, receive;
    wabe_event *packed[2]; /* devices: by parity */
    bool is_packed;        /* in the present step; on devices: given to the stream */
    bool unpacking;        /* devices: all has arrived, unpacking is given to the stream */
} wabe_exchange_slab;

/* Of a message what is of one field. */
typedef struct {
    int64_t offset, count;           /* bytes from the message's begin; numbers */
    int64_t first_out, first_in;     /* of them in the sides' numbering */
    int64_t segment_out, segment_in; /* its first segments */
    int64_t segment_count;
} wabe_exchange_part;

/* All numbers from one slab to another. Where a pointer is NULL that stage is not needed. */
typedef struct {
    int from, to;                        /* numbers of the slabs */
    wabe_exchange_slab *source, *target; /* NULL: another rank's */
    int64_t bytes;
    int64_t place_out, place_in; /* in the slabs' buffers, bytes */
    wabe_exchange_part parts[WABE_EXCHANGE_FIELDS_MAX];
    wabe_transport transport;
    /* By parity: pack writes to pack_to; then the source's stream copies stage_from to stage_to;
     * then send; receive; then the target's stream copies copy_from to copy_to; unpack reads. */
    void *pack_to[2], *stage_from[2], *stage_to[2], *copy_from[2], *copy_to[2];
    MPI_Request send[2], receive[2];
    void *pinned[2]; /* owned */
    void *imported;  /* owned: the receiver's buffer, mapped here */
    bool sent, received;
} wabe_exchange_message;

struct wabe_exchange {
    MPI_Comm comm;
    const wabe_partition *partition;
    wabe_exchange_options options;
    int field_count;
    size_t sizes[WABE_EXCHANGE_FIELDS_MAX]; /* bytes of a number */
    int slab_count;
    wabe_exchange_slab *slabs;
    int message_count;
    wabe_exchange_message *messages;
    int parity;
    bool testing; /* patterns are sent instead of what is packed */
    int64_t memory;
};

/* exchange_plan.c: messages and segments of this rank's slabs. WABE_MEMORY, WABE_INPUT. Local. */
wabe_status wabe_exchange_plan(wabe_exchange *exchange);

/* transport.c: picks and tries out the transports, makes buffers and requests. Collective. */
wabe_status wabe_exchange_connect(wabe_exchange *exchange);
void wabe_exchange_disconnect(wabe_exchange *exchange);

/* exchange.c: the stages of a step, for transport.c to try out. profile or NULL. Collective. */
void wabe_exchange_start(wabe_exchange *exchange, int parity);
void wabe_exchange_send(wabe_exchange *exchange, bool devices);
void wabe_exchange_finish(wabe_exchange *exchange, wabe_profile *profile);

static inline bool wabe_exchange_on_device(const wabe_exchange_slab *slab) {
    return slab->component->device != NULL;
}
