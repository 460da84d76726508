
#include "comm/planes.h"

#include "core/base/shared_memory.h"
#include "core/device/device.h"

#include <stdlib.h>
#include <unistd.h>

/* What a message says: a room has been filled, or is free again; or set-up. */
enum { FILLED, EMPTIED, SET_UP, KINDS };

/* A plane of a side, which has two rooms here. One is to receive in and one to send from; or, if
 * the neighbour is direct, planes are received in both in turn, so that one can come while the one
 * before is still needed. */
typedef struct {
    MPI_Request filled;  /* the next one comes */
    MPI_Request gone[2]; /* it has gone; direct: the neighbour's room is free again */
    int received, sent;  /* how many, modulo 2; not direct: 0 */
} plane;

/* direct: the neighbour is on this node, and planes are copied to the rooms where it receives them,
 * which both have mapped. Messages are empty then. */
typedef struct {
    int neighbour;       /* -1: none */
    bool direct, shared; /* shared: other processes can map the rooms */
    char *rooms, *there; /* those of this process; direct: of the neighbour */
    wabe_shared_handle own;
    plane *planes;
} beside;

struct wabe_planes {
    MPI_Comm comm;
    int count;
    int64_t bytes, all; /* of a plane, of all rooms of a side */
    beside sides[WABE_SIDES];
};

bool wabe_planes_has(const wabe_planes *p, int side) { return p->sides[side].neighbour >= 0; }

/* A message has the number of the side of the slab where it arrives: a slab may have one neighbour
 * for both. */
static int tag_of(int kind, int arrives, int i) {
    return WABE_SIDES * (KINDS * i + kind) + arrives;
}

/* ---- set-up ------------------------------------------------------------------------- */

static wabe_status make_rooms(wabe_planes *p, int side) {
    beside *b = &p->sides[side];
    void *memory;
    b->shared = wabe_shared_allocate(p->all, &memory, &b->own) == WABE_OK;
    if (b->shared && !wabe_device_lock_host(memory, p->all)) {
        wabe_shared_unmap(memory, p->all);
        wabe_shared_close(&b->own);
        b->shared = false;
    }
    if (!b->shared) /* planes are sent then */
        WABE_TRY(wabe_device_allocate_host(p->all, &memory));
    b->rooms = memory;
    b->planes = malloc((size_t)p->count * sizeof *b->planes);
    WABE_CHECK(b->planes, WABE_MEMORY, "no memory for %d planes", p->count);
    for (int i = 0; i < p->count; i++)
        b->planes[i] = (plane){.filled = MPI_REQUEST_NULL,
                               .gone = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
    return WABE_OK;
}

static wabe_status make(wabe_planes *p) {
    for (int side = 0; side < WABE_SIDES; side++)
        if (wabe_planes_has(p, side))
            WABE_TRY(make_rooms(p, side));
    return WABE_OK;
}

/* Sends something to the neighbours of both sides, and receives the same from them. */
static void swap(const wabe_planes *p, void *const values[WABE_SIDES], int size,
                 void *const out[WABE_SIDES]) {
    MPI_Request requests[2 * WABE_SIDES];
    for (int side = 0; side < WABE_SIDES; side++) {
        const int rank = wabe_planes_has(p, side) ? p->sides[side].neighbour : MPI_PROC_NULL;
        MPI_Irecv(out[side], size, MPI_BYTE, rank, tag_of(SET_UP, side, 0), p->comm,
                  &requests[side]);
        MPI_Isend(values[side], size, MPI_BYTE, rank, tag_of(SET_UP, 1 - side, 0), p->comm,
                  &requests[WABE_SIDES + side]);
    }
    MPI_Waitall(2 * WABE_SIDES, requests, MPI_STATUSES_IGNORE);
}

static void find_near(MPI_Comm comm, wabe_planes *p) {
    MPI_Comm node;
    MPI_Group all, near;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_group(comm, &all);
    MPI_Comm_group(node, &near);
    for (int side = 0; side < WABE_SIDES; side++) {
        int there;
        const int rank = wabe_planes_has(p, side) ? p->sides[side].neighbour : MPI_PROC_NULL;
        MPI_Group_translate_ranks(all, 1, &rank, near, &there);
        p->sides[side].direct = wabe_planes_has(p, side) && there != MPI_UNDEFINED;
    }
    MPI_Group_free(&all);
    MPI_Group_free(&near);
    MPI_Comm_free(&node);
}

static bool map_rooms(const wabe_planes *p, const wabe_shared_handle *handle, char **out) {
    void *memory;
    if (!wabe_shared_map(handle, &memory))
        return false;
    if (wabe_device_lock_host(memory, p->all)) {
        *out = memory;
        return true;
    }
    wabe_shared_unmap(memory, p->all);
    return false;
}

static void unmap_rooms(const wabe_planes *p, char **rooms) {
    if (*rooms) {
        wabe_device_unlock_host(*rooms);
        wabe_shared_unmap(*rooms, p->all);
    }
    *rooms = NULL;
}

/* Maps the rooms of neighbours on this node; where one of the two cannot, planes are sent. */
static void connect(wabe_planes *p) {
    wabe_shared_handle there[WABE_SIDES];
    bool mine[WABE_SIDES], theirs[WABE_SIDES];
    swap(p, (void *[]){&p->sides[0].own, &p->sides[1].own}, sizeof there[0],
         (void *[]){&there[0], &there[1]});
    for (int side = 0; side < WABE_SIDES; side++)
        mine[side] = p->sides[side].direct && map_rooms(p, &there[side], &p->sides[side].there);
    swap(p, (void *[]){&mine[0], &mine[1]}, sizeof mine[0], (void *[]){&theirs[0], &theirs[1]});
    for (int side = 0; side < WABE_SIDES; side++) {
        beside *b = &p->sides[side];
        wabe_shared_close(&b->own);
        b->direct = mine[side] && theirs[side];
        if (!b->direct)
            unmap_rooms(p, &b->there);
    }
}

static wabe_status check_size(const wabe_planes *p) {
    for (int side = 0; side < WABE_SIDES; side++)
        WABE_CHECK(p->bytes < INT32_MAX || p->sides[side].direct || !wabe_planes_has(p, side),
                   WABE_INPUT,
                   "a plane of %lld bytes is too large for a message; use fewer cells along x or y",
                   (long long)p->bytes);
    return WABE_OK;
}

static void expect(wabe_planes *p, int side, int i) {
    const beside *b = &p->sides[side];
    MPI_Irecv(wabe_planes_room(p, side, i, false), b->direct ? 0 : (int)p->bytes, MPI_BYTE,
              b->neighbour, tag_of(FILLED, side, i), p->comm, &b->planes[i].filled);
}

wabe_status wabe_planes_create(MPI_Comm comm, const int neighbours[WABE_SIDES], int count,
                               int64_t bytes, bool share, wabe_planes **out) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    wabe_planes *p = calloc(1, sizeof *p);
    *out = NULL;
    WABE_TRY(wabe_agree_memory(comm, p, "planes of neighbours"));
    p->count = count;
    p->bytes = bytes;
    p->all = (2 * count * bytes + page - 1) / page * page;
    for (int side = 0; side < WABE_SIDES; side++)
        p->sides[side] = (beside){.neighbour = neighbours[side], .own.file = -1};
    MPI_Comm_dup(comm, &p->comm);
    if (share)
        find_near(comm, p);
    wabe_status status = wabe_agree(comm, make(p));
    if (status == WABE_OK) {
        connect(p);
        status = wabe_agree(comm, check_size(p));
    }
    for (int i = 0; i < WABE_SIDES * count && status == WABE_OK; i++)
        if (wabe_planes_has(p, i / count))
            expect(p, i / count, i % count);
    if (status != WABE_OK)
        wabe_planes_destroy(&p);
    *out = p;
    return status;
}

static void give_up(MPI_Request *request) {
    if (*request == MPI_REQUEST_NULL)
        return;
    MPI_Cancel(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void destroy_side(const wabe_planes *p, beside *b) {
    for (plane *l = b->planes; l && l < b->planes + p->count; l++) {
        give_up(&l->filled);
        /* A freed communicator must have no messages: the next one may get its number. */
        MPI_Waitall(2, l->gone, MPI_STATUSES_IGNORE);
    }
    wabe_shared_close(&b->own);
    unmap_rooms(p, &b->there);
    if (b->shared)
        unmap_rooms(p, &b->rooms);
    else
        wabe_device_free_host(b->rooms);
    free(b->planes);
}

void wabe_planes_destroy(wabe_planes **planes) {
    wabe_planes *p = *planes;
    if (!p)
        return;
    for (int side = 0; side < WABE_SIDES; side++)
        destroy_side(p, &p->sides[side]);
    MPI_Comm_free(&p->comm);
    free(p);
    *planes = NULL;
}

int64_t wabe_planes_bytes(const wabe_planes *p) {
    return p->all * (wabe_planes_has(p, WABE_BELOW) + wabe_planes_has(p, WABE_ABOVE));
}

/* ---- messages ----------------------------------------------------------------------- */

void *wabe_planes_room(const wabe_planes *p, int side, int i, bool sending) {
    const beside *b = &p->sides[side];
    const plane *l = &b->planes[i];
    const int turn = b->direct ? (sending ? l->sent : l->received) : sending;
    return (sending && b->direct ? b->there : b->rooms) + (turn * p->count + i) * p->bytes;
}

/* Says something about a plane to the neighbour, which is not to be waited for. */
static void notify(const wabe_planes *p, int side, int kind, int i) {
    MPI_Request request;
    MPI_Isend(NULL, 0, MPI_BYTE, p->sides[side].neighbour, tag_of(kind, 1 - side, i), p->comm,
              &request);
    MPI_Request_free(&request);
}

void wabe_planes_send(wabe_planes *p, int side, int i) {
    const beside *b = &p->sides[side];
    plane *l = &b->planes[i];
    if (b->direct) {
        MPI_Irecv(NULL, 0, MPI_BYTE, b->neighbour, tag_of(EMPTIED, side, i), p->comm,
                  &l->gone[l->sent]);
        notify(p, side, FILLED, i);
        l->sent = 1 - l->sent;
    } else {
        MPI_Isend(wabe_planes_room(p, side, i, true), (int)p->bytes, MPI_BYTE, b->neighbour,
                  tag_of(FILLED, 1 - side, i), p->comm, &l->gone[0]);
    }
}

void wabe_planes_receive(wabe_planes *p, int side, int i) {
    beside *b = &p->sides[side];
    if (b->direct) {
        notify(p, side, EMPTIED, i);
        b->planes[i].received = 1 - b->planes[i].received;
    }
    expect(p, side, i);
}

static bool is_done(MPI_Request *request) {
    int done;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    return done;
}

bool wabe_planes_is_sent(wabe_planes *p, int side, int i) {
    plane *l = &p->sides[side].planes[i];
    return is_done(&l->gone[l->sent]);
}

bool wabe_planes_is_received(wabe_planes *p, int side, int i) {
    return is_done(&p->sides[side].planes[i].filled);
}
