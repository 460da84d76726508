/* Messages of whole planes between slabs that are neighbours along z, each sent as soon as it is
 * ready and received while other work goes on: for ghost layers of many planes. Plane i of a side
 * is the i-th from the face between the two slabs. Neighbours of one node share the memory in which
 * planes are received, so that nothing is copied on the way. */
#pragma once

#include "core/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The sides of a slab. */
enum { WABE_BELOW, WABE_ABOVE, WABE_SIDES };

typedef struct wabe_planes wabe_planes;

/* Allocates page-locked room for count planes of so many bytes to be sent to, and received from,
 * each side that has a neighbour, and makes ready to receive. neighbours: their ranks, possibly
 * this one's own; -1: none. share: memory with neighbours of the node, where that is possible.
 * WABE_MEMORY; WABE_INPUT: planes that are sent have more than 2^31 - 1 bytes. Collective. */
wabe_status wabe_planes_create(MPI_Comm comm, const int neighbours[WABE_SIDES], int count,
                               int64_t bytes, bool share, wabe_planes **out);
/* Everything sent must have been received, and the next planes wanted. Collective. */
void wabe_planes_destroy(wabe_planes **planes);

/* Returns the bytes of all rooms. Local. */
int64_t wabe_planes_bytes(const wabe_planes *planes);
bool wabe_planes_has(const wabe_planes *planes, int side);
/* Returns the room for a plane. Local. */
void *wabe_planes_room(const wabe_planes *planes, int side, int plane, bool sending);
/* Sends what is in the room; the next one's may be another room. Local. */
void wabe_planes_send(wabe_planes *planes, int side, int plane);
/* May the room be filled anew? Local. */
bool wabe_planes_is_sent(wabe_planes *planes, int side, int plane);
/* Has a plane come? Its room does not change until the next one is wanted. Local. */
bool wabe_planes_is_received(wabe_planes *planes, int side, int plane);
/* Wants the next one; the first ones are wanted from the start. Local. */
void wabe_planes_receive(wabe_planes *planes, int side, int plane);
