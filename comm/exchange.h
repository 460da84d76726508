/* The exchange between slabs: what crosses their faces goes through uniform buffers.
 *
 * The plan knows boxes and offsets, nothing of lattices: a halo_link is a number that moves from a
 * cell to its neighbour in direction e. For every pair of slabs that touch, also across periodic
 * faces and with itself, the cells whose neighbour lies in the other slab are packed, in one
 * message for each pair, whatever fields they are of. A message takes one of four transports
 * (comm/transport.c). */
#pragma once

#include "comm/partition.h"
#include "core/base/profile.h"
#include "core/device/field.h"
#include "core/geometry/geometry.h"
#include "core/registry/kernel.h"

/* From cell n at field[n + out[parity]] to cell n + e, which reads it at field[n + in[parity]].
 * With reach also if only a cell up to so many further along each axis is the other slab's: once,
 * for all of them, and read where n + e would be, which may be a ghost. */
typedef struct {
    int e[3], reach[3];
    ptrdiff_t out[2], in[2];
} wabe_halo_link;

/* Layers at both ends of an axis that a neighbour needs as ghosts, or of each axis all around a
 * slab, at its edges and corners too; of fields with two grids in turn. Local. */
wabe_halo_link wabe_halo_link_layers(const wabe_layout *layout, int axis, int layers);
wabe_halo_link wabe_halo_link_around(const wabe_layout *layout, const int layers[3]);

enum { WABE_HALO_LINKS_MAX = 26, WABE_EXCHANGE_FIELDS_MAX = 8 };

/* A field of a slab, and what of it crosses. */
typedef struct {
    const wabe_kernel *pack, *unpack; /* of its type */
    wabe_layout layout;
    wabe_location at;
    void *const *grid; /* where its owner keeps the address of the grid that crosses, when the
                          exchange begins: of cell (0, 0, 0) */
    int halo_link_count;
    wabe_halo_link halo_links[WABE_HALO_LINKS_MAX]; /* used at set-up only */
    int copies; /* numbers that cross by each halo_link, a layout's stride apart */
    /* Of the slab and one cell around it: what comes from cells that are not fluid must not be
     * unpacked, since walls have put there what they return. NULL: it may. Used at set-up only. */
    const wabe_flags *flags;
    /* Fields that are no boxes: where what crosses by a halo_link stands, for the cell (global
     * indices) that it leaves (sending) or comes to, by parity as in wabe_halo_link; WABE_NO_INDEX:
     * nowhere. NULL: the halo_links' offsets tell. Used at set-up only. */
    uint32_t (*place)(const void *context, const int64_t cell[3], int halo_link, int parity,
                      bool sending);
    const void *place_context;
} wabe_exchange_field;

/* Of one slab; all slabs have the same fields, in the same order. */
typedef struct {
    const wabe_component *component;
    wabe_stream *stream; /* GPUs: of the work that leaves what crosses, and needs it */
    bool wraps; /* a slab that is its own neighbour sends itself nothing: its fields wrap round */
    int field_count;
    wabe_exchange_field fields[WABE_EXCHANGE_FIELDS_MAX];
} wabe_exchange_data;

typedef struct {
    bool behind_faces; /* also what goes to ghost cells behind the domain's faces (mirrors) */
    bool flat[3]; /* along this axis the domain is one cell thick, and the fields of all slabs are
                     their own neighbours (wabe_layout) */
    wabe_transport transport; /* that must be taken between devices; any: the best that works */
} wabe_exchange_options;

typedef struct wabe_exchange wabe_exchange;

/* data: of this rank's slabs, in their order. Transports are tried out before they are taken.
 * WABE_MEMORY; WABE_INPUT: a message of more than 2^31 bytes, a transport that does not work here.
 * Collective. */
wabe_status wabe_exchange_create(MPI_Comm comm, const wabe_partition *partition,
                                 const wabe_exchange_data *data,
                                 const wabe_exchange_options *options, wabe_exchange **out);
void wabe_exchange_destroy(wabe_exchange **exchange);

/* Packs and sends what the step of this parity has left for neighbours, of those slabs that are on
 * devices, or of the others: to be called for devices first, then for the others. Until end is
 * called the packed and the awaited numbers of the fields must be left alone. Collective. */
void wabe_exchange_begin(wabe_exchange *exchange, int parity, bool devices, wabe_profile *profile);
/* Moves on what can be moved on; to be called now and then between begin and end. False: nothing is
 * left to do but in end. Local. */
bool wabe_exchange_drive(wabe_exchange *exchange);
/* Waits, and unpacks what has arrived; on devices that may happen later, in their streams.
 * Collective. */
void wabe_exchange_end(wabe_exchange *exchange, wabe_profile *profile);

/* Messages and bytes that this rank sends in a step by a transport (any: by all), those to itself
 * included. Local. */
int wabe_exchange_messages(const wabe_exchange *exchange, wabe_transport transport);
int64_t wabe_exchange_bytes(const wabe_exchange *exchange, wabe_transport transport);
/* Message i of wabe_exchange_count that this rank takes part in. Local. */
typedef struct {
    int from, to; /* numbers of slabs in the partition */
    int64_t bytes;
    wabe_transport transport;
} wabe_exchange_route;
int wabe_exchange_count(const wabe_exchange *exchange);
wabe_exchange_route wabe_exchange_route_of(const wabe_exchange *exchange, int i);
/* Bytes of its buffers on this rank. Local. */
int64_t wabe_exchange_memory(const wabe_exchange *exchange);
