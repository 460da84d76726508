/* Messages of planes (comm/planes.h): in memory that neighbours share, and sent; in a chain and in
 * a ring, where two ranks are each other's neighbours on both sides, and one rank is its own. What
 * has been received stays as it is until the next plane is wanted, though a neighbour is a message
 * ahead.
 */
#include "comm/planes.h"
#include "core/device/device.h"
#include "tests/mpi/check.h"

#include <stdint.h>
#include <time.h>

enum { COUNT = 3, NUMBERS = 70000, VERSIONS = 5, SIDES = 2 };

static int64_t code_of(int rank, int side, int plane, int version) {
    return rank + 100 * side + 1000 * plane + 100000 * version;
}

static int neighbour_of(int side, bool ring) {
    const int rank = check_rank + (side == 0 ? -1 : 1);
    if (ring)
        return (rank + check_size) % check_size;
    return rank >= 0 && rank < check_size ? rank : -1;
}

static void send_all(wabe_planes *p, int version) {
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < COUNT && wabe_planes_has(p, side); i++) {
            while (!wabe_planes_is_sent(p, side, i))
                ;
            int64_t *room = wabe_planes_room(p, side, i, true);
            for (int k = 0; k < NUMBERS; k++)
                room[k] = code_of(check_rank, side, i, version);
            wabe_planes_send(p, side, i);
        }
}

static void check_plane(const wabe_planes *p, int side, int i, int from, int version) {
    const int64_t *room = wabe_planes_room(p, side, i, false);
    int wrong = 0;
    for (int k = 0; k < NUMBERS; k++)
        wrong += room[k] != code_of(from, 1 - side, i, version);
    CHECK(wrong == 0, "%d numbers of plane %d of side %d, message %d", wrong, i, side, version);
}

/* late: looks once more after a while, in which neighbours may send the next message. */
static void receive_all(wabe_planes *p, int version, bool ring, bool late) {
    for (int side = 0; side < SIDES; side++)
        for (int i = 0; i < COUNT && wabe_planes_has(p, side); i++) {
            const int from = neighbour_of(side, ring);
            while (!wabe_planes_is_received(p, side, i))
                ;
            check_plane(p, side, i, from, version);
            if (late)
                nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
            check_plane(p, side, i, from, version);
            wabe_planes_receive(p, side, i);
        }
}

static void check_planes(bool ring, bool share) {
    const int neighbours[SIDES] = {neighbour_of(0, ring), neighbour_of(1, ring)};
    wabe_planes *p;
    const wabe_status status = wabe_planes_create(MPI_COMM_WORLD, neighbours, COUNT,
                                                  NUMBERS * (int64_t)sizeof(int64_t), share, &p);
    CHECK(status == WABE_OK, "code %d", (int)status);
    for (int version = 0; version < VERSIONS && status == WABE_OK; version++) {
        send_all(p, version);
        receive_all(p, version, ring, check_rank == 0);
    }
    wabe_planes_destroy(&p);
}

int main(int argc, char *argv[]) {
    check_begin(&argc, &argv);
    wabe_devices_emulate(1); /* which have page-locked memory */
    for (int way = 0; way < 4; way++)
        check_planes(way & 1, way & 2);
    return check_end(0);
}
