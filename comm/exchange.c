#include "comm/exchange.h"

#include "core/call.h"
#include "core/movement.h"

#include <stdlib.h>
#include <string.h>

/* All numbers from this slab to one other, or back: a stretch of the buffer. */
typedef struct {
    int rank;
    int64_t place, count; /* elements */
} message;

/* One direction of the exchange: the segments of all messages, for both parities. */
typedef struct {
    int message_count;
    message *messages;
    int64_t segment_count, segment_room;
    wabe_segment *segments[2];
    int64_t rows, elements;
    char *buffer;
} side;

struct wabe_exchange {
    MPI_Comm comm;
    wabe_exchange_data data;
    size_t size; /* bytes of a number */
    side send, receive;
    int request_count;
    MPI_Request *requests;              /* persistent: the receives, then the sends */
    const message *to_self, *from_self; /* the messages across periodic faces, or NULL */
    int parity;
};

/* ---- the plan ----------------------------------------------------------------------- */

typedef struct {
    const wabe_decomposition *decomposition;
    wabe_exchange *exchange;
    int self;
} planner;

/* The cells in which numbers for a block may end up: itself, and what lies behind the domain's
 * faces if that is asked for. */
static wabe_box reach(const planner *p, wabe_box block) {
    const wabe_decomposition *d = p->decomposition;
    for (int axis = 0; axis < 3 && p->exchange->data.behind_faces; axis++) {
        if (d->periodic[axis])
            continue;
        block.begin[axis] -= block.begin[axis] == 0;
        block.end[axis] += block.end[axis] == d->cells[axis];
    }
    return block;
}

static wabe_status add_segment(side *half, wabe_box box, const wabe_layout *layout,
                               const wabe_box *block, const ptrdiff_t offset[2]) {
    if (half->segment_count == half->segment_room) {
        half->segment_room = half->segment_room ? 2 * half->segment_room : 64;
        for (int parity = 0; parity < 2; parity++) {
            void *grown = realloc(half->segments[parity],
                                  (size_t)half->segment_room * sizeof(wabe_segment));
            WABE_CHECK(grown, WABE_MEMORY, "no memory for the plan of the exchange");
            half->segments[parity] = grown;
        }
    }
    wabe_segment segment = {.first_row = half->rows, .place = half->elements};
    for (int axis = 0; axis < 3; axis++)
        segment.count[axis] = wabe_box_extent(box, axis);
    const int64_t cell = wabe_layout_cell(layout, box.begin[0] - block->begin[0],
                                          box.begin[1] - block->begin[1],
                                          box.begin[2] - block->begin[2]);
    for (int parity = 0; parity < 2; parity++) {
        segment.offset = cell + offset[parity];
        half->segments[parity][half->segment_count] = segment;
    }
    half->segment_count++;
    half->rows += segment.count[1] * segment.count[2];
    half->elements += wabe_box_cells(box);
    return WABE_OK;
}

/* The segments of the message from block a to block b shifted by shift, as the sender sees them or
 * as the receiver does: both walk through them in this order. */
static wabe_status plan_pair(const planner *p, wabe_box a, wabe_box b, const int64_t shift[3],
                             bool sending) {
    const wabe_exchange_data *data = &p->exchange->data;
    const wabe_box target = wabe_box_shift(reach(p, b), shift);
    const int64_t back[3] = {-shift[0], -shift[1], -shift[2]};
    for (int i = 0; i < data->crossing_count; i++) {
        const wabe_crossing *c = &data->crossings[i];
        const int64_t e[3] = {c->e[0], c->e[1], c->e[2]};
        const wabe_box arriving = wabe_box_intersect(wabe_box_shift(a, e), target);
        if (wabe_box_is_empty(arriving))
            continue;
        if (sending)
            WABE_TRY(add_segment(&p->exchange->send,
                                 wabe_box_shift(arriving, (int64_t[3]){-e[0], -e[1], -e[2]}),
                                 &data->layout, &a, c->out));
        else
            WABE_TRY(add_segment(&p->exchange->receive, wabe_box_shift(arriving, back),
                                 &data->layout, &b, c->in));
    }
    return WABE_OK;
}

/* The message between this slab and rank other. */
static wabe_status plan_message(const planner *p, int other, bool sending) {
    const wabe_decomposition *d = p->decomposition;
    const wabe_box mine = wabe_decomposition_block(d, p->self);
    const wabe_box theirs = wabe_decomposition_block(d, other);
    side *half = sending ? &p->exchange->send : &p->exchange->receive;
    const int64_t place = half->elements;
    int most[3];
    for (int axis = 0; axis < 3; axis++)
        most[axis] = d->periodic[axis] ? 1 : 0;
    for (int sz = -most[2]; sz <= most[2]; sz++)
        for (int sy = -most[1]; sy <= most[1]; sy++)
            for (int sx = -most[0]; sx <= most[0]; sx++) {
                const int64_t shift[3] = {sx * d->cells[0], sy * d->cells[1], sz * d->cells[2]};
                if (other == p->self && !sx && !sy && !sz)
                    continue;
                WABE_TRY(sending ? plan_pair(p, mine, theirs, shift, true)
                                 : plan_pair(p, theirs, mine, shift, false));
            }
    const int64_t count = half->elements - place;
    if (count == 0)
        return WABE_OK;
    WABE_CHECK(count * (int64_t)p->exchange->size < INT32_MAX, WABE_INPUT,
               "a message of %lld numbers is too large; use more processes", (long long)count);
    void *grown = realloc(half->messages,
                          (size_t)(half->message_count + 1) * sizeof *half->messages);
    WABE_CHECK(grown, WABE_MEMORY, "no memory for the plan of the exchange");
    half->messages = grown;
    half->messages[half->message_count++] =
        (message){.rank = other, .place = place, .count = count};
    return WABE_OK;
}

static wabe_status plan_side(const planner *p, bool sending) {
    int ranks = 1;
    for (int axis = 0; axis < 3; axis++)
        ranks *= p->decomposition->processes[axis];
    for (int other = 0; other < ranks; other++)
        WABE_TRY(plan_message(p, other, sending));
    side *half = sending ? &p->exchange->send : &p->exchange->receive;
    const size_t bytes = ((size_t)half->elements * p->exchange->size + 63) / 64 * 64;
    if (bytes == 0)
        return WABE_OK;
    half->buffer = aligned_alloc(64, bytes);
    WABE_CHECK(half->buffer, WABE_MEMORY, "no memory for buffers of %.3f MB", (double)bytes * 1e-6);
    memset(half->buffer, 0, bytes);
    return WABE_OK;
}

/* ---- messages ----------------------------------------------------------------------- */

static wabe_status make_requests(wabe_exchange *x, int self) {
    const int most = x->send.message_count + x->receive.message_count;
    if (most == 0)
        return WABE_OK;
    x->requests = malloc((size_t)most * sizeof(MPI_Request));
    WABE_CHECK(x->requests, WABE_MEMORY, "no memory for %d requests", most);
    for (int i = 0; i < x->receive.message_count; i++) {
        const message *m = &x->receive.messages[i];
        if (m->rank != self)
            MPI_Recv_init(x->receive.buffer + m->place * (int64_t)x->size,
                          (int)(m->count * (int64_t)x->size), MPI_BYTE, m->rank, 0, x->comm,
                          &x->requests[x->request_count++]);
    }
    for (int i = 0; i < x->send.message_count; i++) {
        const message *m = &x->send.messages[i];
        if (m->rank != self)
            MPI_Send_init(x->send.buffer + m->place * (int64_t)x->size,
                          (int)(m->count * (int64_t)x->size), MPI_BYTE, m->rank, 0, x->comm,
                          &x->requests[x->request_count++]);
    }
    return WABE_OK;
}

static const message *message_with(const side *half, int rank) {
    for (int i = 0; i < half->message_count; i++)
        if (half->messages[i].rank == rank)
            return &half->messages[i];
    return NULL;
}

/* What a slab sends to itself, across periodic faces. */
static void copy_to_self(wabe_exchange *x) {
    if (x->to_self)
        memcpy(x->receive.buffer + x->from_self->place * (int64_t)x->size,
               x->send.buffer + x->to_self->place * (int64_t)x->size,
               (size_t)x->to_self->count * x->size);
}

wabe_status wabe_exchange_create(MPI_Comm comm, const wabe_decomposition *decomposition,
                                 const wabe_exchange_data *data, wabe_exchange **out) {
    *out = NULL;
    wabe_exchange *x = calloc(1, sizeof *x);
    wabe_status status = wabe_agree(comm, x ? WABE_OK
                                            : WABE_FAIL(WABE_MEMORY, "no memory for the exchange"));
    planner p = {.decomposition = decomposition, .exchange = x};
    MPI_Comm_rank(comm, &p.self);
    if (status == WABE_OK) {
        x->data = *data;
        x->size = wabe_type_size(data->layout.type);
        MPI_Comm_dup(comm, &x->comm);
        status = plan_side(&p, true);
    }
    if (status == WABE_OK)
        status = plan_side(&p, false);
    status = wabe_agree(comm, status);
    if (status == WABE_OK)
        status = wabe_agree(comm, make_requests(x, p.self));
    if (status != WABE_OK) {
        wabe_exchange_destroy(&x);
        return status;
    }
    x->to_self = message_with(&x->send, p.self);
    x->from_self = message_with(&x->receive, p.self);
    *out = x;
    return status;
}

static void side_free(side *half) {
    free(half->messages);
    free(half->segments[0]);
    free(half->segments[1]);
    free(half->buffer);
}

void wabe_exchange_destroy(wabe_exchange **exchange) {
    wabe_exchange *x = *exchange;
    if (!x)
        return;
    for (int i = 0; i < x->request_count; i++)
        MPI_Request_free(&x->requests[i]);
    free(x->requests);
    if (x->size > 0)
        MPI_Comm_free(&x->comm);
    side_free(&x->send);
    side_free(&x->receive);
    free(x);
    *exchange = NULL;
}

/* ---- a step's exchange -------------------------------------------------------------- */

static void pack(wabe_exchange *x) {
    const wabe_pack_args args = {.field = x->data.field[x->parity],
                                 .buffer = x->send.buffer,
                                 .pitch = x->data.layout.pitch,
                                 .plane = x->data.layout.plane,
                                 .segment_count = x->send.segment_count,
                                 .segments = x->send.segments[x->parity]};
    wabe_calls_run(1,
                   &(wabe_call){.component = x->data.component,
                                .kernel = x->data.pack,
                                .args = &args,
                                .count = x->send.rows},
                   NULL);
}

static void unpack(wabe_exchange *x) {
    const wabe_unpack_args args = {.field = x->data.field[x->parity],
                                   .buffer = x->receive.buffer,
                                   .pitch = x->data.layout.pitch,
                                   .plane = x->data.layout.plane,
                                   .segment_count = x->receive.segment_count,
                                   .segments = x->receive.segments[x->parity]};
    wabe_calls_run(1,
                   &(wabe_call){.component = x->data.component,
                                .kernel = x->data.unpack,
                                .args = &args,
                                .count = x->receive.rows},
                   NULL);
}

void wabe_exchange_begin(wabe_exchange *x, int parity, wabe_profile *profile) {
    x->parity = parity;
    wabe_profile_start(profile);
    if (x->send.rows > 0)
        pack(x);
    wabe_profile_stop(profile, WABE_PHASE_pack);
    if (x->request_count > 0)
        MPI_Startall(x->request_count, x->requests);
    wabe_profile_stop(profile, WABE_PHASE_wait);
}

void wabe_exchange_test(wabe_exchange *x) {
    int done;
    if (x->request_count > 0)
        MPI_Testall(x->request_count, x->requests, &done, MPI_STATUSES_IGNORE);
}

void wabe_exchange_end(wabe_exchange *x, wabe_profile *profile) {
    wabe_profile_start(profile);
    if (x->request_count > 0)
        MPI_Waitall(x->request_count, x->requests, MPI_STATUSES_IGNORE);
    wabe_profile_stop(profile, WABE_PHASE_wait);
    copy_to_self(x);
    if (x->receive.rows > 0)
        unpack(x);
    wabe_profile_stop(profile, WABE_PHASE_unpack);
}

int wabe_exchange_messages(const wabe_exchange *x) { return x->send.message_count; }

int64_t wabe_exchange_bytes(const wabe_exchange *x) { return x->send.elements * (int64_t)x->size; }
