/* Shared by the files of the exchange. */
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
    int64_t held;  /* bytes of memory */
} wabe_exchange_buffer;

/* The exchange of a slab of this rank. */
typedef struct {
    const wabe_component *component;
    wabe_stream *stream;
    bool wraps;
    wabe_exchange_slab_field fields[WABE_EXCHANGE_FIELDS_MAX];
    wabe_exchange_buffer send, receive;
    wabe_event *packed[2]; /* devices: by parity */
    wabe_event *shared[2]; /* the same for other processes; NULL: none waits for it */
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

/* Whole planes, one after another in a grid. */
typedef struct {
    int64_t place, count; /* numbers: from cell (0, 0, 0), and how many */
    int64_t pitch, plane; /* of the layout */
} wabe_exchange_run;

/* What a message moves, as runs of the sender's or the receiver's grid. A slab may have the same
 * neighbour below and above. */
enum { WABE_EXCHANGE_RUNS_MAX = 2 };
typedef struct {
    bool others; /* there are numbers besides */
    int count;
    wabe_exchange_run runs[WABE_EXCHANGE_RUNS_MAX];
} wabe_exchange_runs;

/* All numbers from one slab to another. A pointer that is NULL means that its stage is not
 * needed. */
typedef struct {
    int from, to;                        /* slab numbers */
    wabe_exchange_slab *source, *target; /* NULL: on another rank */
    int64_t bytes;
    int64_t place_out, place_in; /* in the slabs' buffers, in bytes */
    wabe_exchange_part parts[WABE_EXCHANGE_FIELDS_MAX];
    wabe_transport transport;
    /* The source's stream copies runs from grid to grid; then there are no further stages. */
    bool copied;
    wabe_exchange_runs out, in;
    char *target_grids[2];   /* cell (0, 0, 0), as the source reaches it */
    void *imported_grids[2]; /* owned: the target's, mapped into this process */
    /* The stages, by parity: pack writes to pack_to; the source's stream copies stage_from to
     * stage_to; send; receive; the target's stream copies copy_from to copy_to; unpack reads. */
    void *pack_to[2], *stage_from[2], *stage_to[2], *copy_from[2], *copy_to[2];
    MPI_Request send[2], receive[2];
    void *pinned[2]; /* owned */
    void *imported;  /* owned: the receiver's buffer, mapped into this process */
    /* Between processes: the target's stream waits for the source's event, so that the message may
     * be sent as soon as packing is queued. */
    bool is_awaited_by_stream;
    /* Owned, by parity: the source's, in the target's process. A wait is for what had been recorded
     * when it was queued. The source records again only two steps later: by then it has the other
     * slab's message of the step between, which was sent after the wait had been queued; and its
     * stream has waited for that slab's stream, so that what it packs next meets free memory. */
    wabe_event *packed_there[2];
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
 * wabe_exchange_plan_copied takes from the sides what is copied from grid to grid: after the trial,
 * before segments move to devices. Local. */
wabe_status wabe_exchange_plan(wabe_exchange *exchange);
void wabe_exchange_plan_copied(wabe_exchange *exchange);

/* transport.c: chooses and tests the transports, makes buffers and requests. Collective.
 * wabe_exchange_wire makes all messages' requests for their transports, also anew. WABE_MEMORY.
 * Local. */
wabe_status wabe_exchange_connect(wabe_exchange *exchange);
wabe_status wabe_exchange_wire(wabe_exchange *exchange);
void wabe_exchange_disconnect(wabe_exchange *exchange);

/* transport_trial.c: sends test patterns; messages that do not arrive go through the host from then
 * on. WABE_MEMORY; WABE_INPUT: a transport that was asked for does not deliver. Collective. */
wabe_status wabe_exchange_try_out(wabe_exchange *exchange);

/* exchange.c: the stages of a step, which transport_trial.c uses, too. profile may be NULL.
 * Collective. */
void wabe_exchange_start(wabe_exchange *exchange, int parity);
void wabe_exchange_send(wabe_exchange *exchange, bool devices);
void wabe_exchange_finish(wabe_exchange *exchange, const wabe_progress *others,
                          wabe_profile *profile);

static inline bool wabe_exchange_on_device(const wabe_exchange_slab *slab) {
    return slab->component->device != NULL;
}

/* ---- messages, for transport.c and transport_trial.c -------------------------------- */

enum { WABE_TAG_DATA = 0, WABE_TAG_CHOICE = 1000, WABE_TAG_VERDICT = 2000 };
enum { WABE_EXCHANGE_ALIGNED = 256 }; /* bytes */

static inline const wabe_slab *wabe_exchange_from(const wabe_exchange *x,
                                                  const wabe_exchange_message *m) {
    return &x->partition->slabs[m->from];
}
static inline const wabe_slab *wabe_exchange_to(const wabe_exchange *x,
                                                const wabe_exchange_message *m) {
    return &x->partition->slabs[m->to];
}

static inline int wabe_exchange_tag(const wabe_exchange *x, const wabe_exchange_message *m) {
    return wabe_exchange_from(x, m)->index * WABE_JOBS_MAX + wabe_exchange_to(x, m)->index;
}

static inline bool wabe_exchange_between_ranks(const wabe_exchange_message *m) {
    return !m->source || !m->target;
}

/* The address of a message in the receiver's buffer. */
static inline int64_t wabe_exchange_offset_in(const wabe_exchange_buffer *b, int64_t place,
                                              int parity) {
    return parity * ((b->bytes + WABE_EXCHANGE_ALIGNED - 1) / WABE_EXCHANGE_ALIGNED *
                     WABE_EXCHANGE_ALIGNED) +
           place;
}

static inline char *wabe_exchange_place_in(const wabe_exchange_message *m, int parity) {
    const wabe_exchange_buffer *b = &m->target->receive;
    return b->memory + wabe_exchange_offset_in(b, m->place_in, parity);
}
