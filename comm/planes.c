#include "comm/planes.h"

#include "core/device/device.h"

#include <stdlib.h>

typedef struct {
    void *room[2]; /* received, sent */
    MPI_Request request[2];
} plane;

struct wabe_planes {
    MPI_Comm comm;
    int neighbours[2], count;
    int64_t bytes;
    plane *planes[2]; /* by side */
};

/* ---- set-up ------------------------------------------------------------------------- */

static wabe_status make_side(wabe_planes *p, int side) {
    p->planes[side] = calloc((size_t)p->count, sizeof *p->planes[side]);
    WABE_CHECK(p->planes[side], WABE_MEMORY, "no memory for %d planes", p->count);
    for (int i = 0; i < p->count; i++) {
        plane *own = &p->planes[side][i];
        own->request[0] = own->request[1] = MPI_REQUEST_NULL;
        for (int sending = 0; sending < 2; sending++)
            WABE_TRY(wabe_device_allocate_host(p->bytes, &own->room[sending]));
    }
    return WABE_OK;
}

static wabe_status make(wabe_planes *p) {
    WABE_CHECK(p->bytes < INT32_MAX, WABE_INPUT,
               "a plane of %lld bytes is too large for a message; use fewer cells along x or y",
               (long long)p->bytes);
    for (int side = 0; side < 2; side++)
        if (wabe_planes_has(p, side))
            WABE_TRY(make_side(p, side));
    return WABE_OK;
}

wabe_status wabe_planes_create(MPI_Comm comm, const int neighbours[2], int count, int64_t bytes,
                               wabe_planes **out) {
    wabe_planes *p = calloc(1, sizeof *p);
    *out = NULL;
    WABE_TRY(wabe_agree_memory(comm, p, "planes of neighbours"));
    *p =
        (wabe_planes){.neighbours = {neighbours[0], neighbours[1]}, .count = count, .bytes = bytes};
    MPI_Comm_dup(comm, &p->comm);
    const wabe_status status = wabe_agree(comm, make(p));
    for (int i = 0; i < 2 * count && status == WABE_OK; i++)
        if (wabe_planes_has(p, i / count))
            wabe_planes_receive(p, i / count, i % count);
    if (status != WABE_OK)
        wabe_planes_destroy(&p);
    *out = p;
    return status;
}

static void destroy_plane(plane *p) {
    if (p->request[0] != MPI_REQUEST_NULL) {
        MPI_Cancel(&p->request[0]);
        MPI_Wait(&p->request[0], MPI_STATUS_IGNORE);
    }
    MPI_Wait(&p->request[1], MPI_STATUS_IGNORE);
    wabe_device_free_host(p->room[0]);
    wabe_device_free_host(p->room[1]);
}

void wabe_planes_destroy(wabe_planes **planes) {
    wabe_planes *p = *planes;
    if (!p)
        return;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; p->planes[side] && i < p->count; i++)
            destroy_plane(&p->planes[side][i]);
        free(p->planes[side]);
    }
    MPI_Comm_free(&p->comm);
    free(p);
    *planes = NULL;
}

/* ---- messages ----------------------------------------------------------------------- */

bool wabe_planes_has(const wabe_planes *p, int side) { return p->neighbours[side] >= 0; }

void *wabe_planes_room(const wabe_planes *p, int side, int i, bool sending) {
    return p->planes[side][i].room[sending];
}

/* A message has the number of the side on which it arrives: a slab may have one neighbour for both.
 */
static int tag_of(int arrives, int i) { return 2 * i + arrives; }

void wabe_planes_send(wabe_planes *p, int side, int i) {
    plane *own = &p->planes[side][i];
    MPI_Isend(own->room[1], (int)p->bytes, MPI_BYTE, p->neighbours[side], tag_of(1 - side, i),
              p->comm, &own->request[1]);
}

void wabe_planes_receive(wabe_planes *p, int side, int i) {
    plane *own = &p->planes[side][i];
    MPI_Irecv(own->room[0], (int)p->bytes, MPI_BYTE, p->neighbours[side], tag_of(side, i), p->comm,
              &own->request[0]);
}

static bool is_done(MPI_Request *request) {
    int done;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    return done;
}

bool wabe_planes_is_sent(wabe_planes *p, int side, int i) {
    return is_done(&p->planes[side][i].request[1]);
}

bool wabe_planes_is_received(wabe_planes *p, int side, int i) {
    return is_done(&p->planes[side][i].request[0]);
}

int64_t wabe_planes_bytes(int count, int64_t bytes, int sides) { return 2 * sides * count * bytes; }
