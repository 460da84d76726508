/* The halo exchange between slabs, through buffers of the same format on all hardware.
 *
 * The plan knows boxes and offsets, but no lattice: a halo link (wabe_halo_link) moves a number
 * from a cell to its neighbour in direction e. For every pair of slabs that touch, across periodic
 * faces too, where a slab may touch itself, one message holds the numbers of all fields that move
 * from one slab to the other. A message takes one of four transports (comm/transport.c). */
#pragma once

#include "comm/partition.h"
#include "core/base/profile.h"
#include "core/device/field.h"
#include "core/device/team.h"
#include "core/geometry/geometry.h"
#include "core/registry/kernel.h"

/* A halo link: a number moves from cell n, at field[n + out[parity]], to cell n + e, which reads it
 * at field[n + in[parity]]. reach: the number also moves if n + e is outside the other slab,
 * but a cell at most reach further along each axis is inside. It moves once for all such cells, and
 * is read at the place of n + e, which may be a ghost. */
typedef struct {
    int e[3], reach[3];
    ptrdiff_t out[2], in[2];
} wabe_halo_link;

/* Make the halo link that fills the ghost layers at both ends of an axis, or all around a slab,
 * edges and corners included; for fields with two grids in turn. Local. */
wabe_halo_link wabe_halo_link_layers(const wabe_layout *layout, int axis, int layers);
wabe_halo_link wabe_halo_link_around(const wabe_layout *layout, const int layers[3]);

enum { WABE_HALO_LINKS_MAX = 37, WABE_EXCHANGE_FIELDS_MAX = 12 };

/* A field of a slab, and its halo links. */
typedef struct {
    const wabe_kernel *pack, *unpack; /* for the field's element type */
    wabe_layout layout;
    wabe_location at;
    void *const *grid; /* points to the address of cell (0, 0, 0) in the grid to exchange; read
                          when the exchange begins */
    int halo_link_count;
    wabe_halo_link halo_links[WABE_HALO_LINKS_MAX]; /* used at set-up only */
    int copies; /* numbers per halo link, the layout's stride apart */
    /* Flags of the slab and one cell around it. Numbers from cells that are not fluid are not
     * unpacked, since they would overwrite what walls return there. NULL: unpack all. Used at
     * set-up only. */
    const wabe_flags *flags;
    /* For fields that are not boxes: returns the element that holds a halo link's number. cell
     * (global indices): the one that the number leaves if sending, otherwise the one where it
     * arrives; parity: as in wabe_halo_link. WABE_NO_INDEX: there is none. NULL: use the links'
     * offsets. Used at set-up only. */
    uint32_t (*place)(const void *context, const int64_t cell[3], int halo_link, int parity,
                      bool sending);
    const void *place_context;
    /* Devices: both of the grids of a field with interleaved components, to which grid points in
     * turn. Whole planes are then copied from grid to grid, without buffers, between devices that
     * reach each other. Neighbours write ghosts of the grid that a step writes as soon as the
     * exchange before has ended, so the step must not read these; before the first exchange all
     * slabs of all processes must be set up. wabe_exchange_create overwrites both grids. NULL:
     * everything is packed. */
    const wabe_field *grids[2];
} wabe_exchange_field;

/* The data of one slab; all slabs have the same fields in the same order. */
typedef struct {
    const wabe_component *component;
    wabe_stream *stream; /* GPUs: it computes what is sent and needs what is received */
    bool wraps; /* a slab that is its own neighbour needs no exchange: its fields wrap round */
    int field_count;
    wabe_exchange_field fields[WABE_EXCHANGE_FIELDS_MAX];
} wabe_exchange_data;

typedef struct {
    bool behind_faces; /* also fill ghost cells outside the domain's faces (for mirrors) */
    bool beside;       /* also fill ghost cells beside those that slabs have in common (for mirrors
                          in solids) */
    bool flat[3]; /* the domain is one cell thick along this axis, and the fields of all slabs are
                     their own neighbours (wabe_layout) */
    wabe_transport transport; /* to be used between devices; any: the best that works */
} wabe_exchange_options;

typedef struct wabe_exchange wabe_exchange;

/* Creates the exchange, and tests the transports. data: of this rank's slabs, in order.
 * WABE_MEMORY; WABE_INPUT: a message of more than 2^31 bytes, or a transport that does not work
 * here. Collective. */
wabe_status wabe_exchange_create(MPI_Comm comm, const wabe_partition *partition,
                                 const wabe_exchange_data *data,
                                 const wabe_exchange_options *options, wabe_exchange **out);
void wabe_exchange_destroy(wabe_exchange **exchange);

/* Packs and sends what the step of this parity has computed for neighbours. Call it twice: first
 * for the slabs on devices, then for the others. Until wabe_exchange_end, the numbers that are sent
 * and received must not be accessed. Collective. */
void wabe_exchange_begin(wabe_exchange *exchange, int parity, bool devices, wabe_profile *profile);
/* Makes progress; call it now and then between begin and end. Returns false if only end is left to
 * do. Local. */
bool wabe_exchange_drive(wabe_exchange *exchange);
/* Waits for messages and unpacks them; devices may unpack later, in their streams. others: drives
 * what else has begun meanwhile, since neighbours may wait for that; NULL: there is nothing.
 * Collective. */
void wabe_exchange_end(wabe_exchange *exchange, const wabe_progress *others, wabe_profile *profile);

/* Return the number of messages and of bytes that this rank sends per step by a transport (any: by
 * all transports), including those to itself. Local. */
int wabe_exchange_messages(const wabe_exchange *exchange, wabe_transport transport);
int64_t wabe_exchange_bytes(const wabe_exchange *exchange, wabe_transport transport);
/* wabe_exchange_count returns the number of messages that this rank sends or receives,
 * wabe_exchange_route_of message i of these. Local. */
typedef struct {
    int from, to; /* slab numbers in the partition */
    int64_t bytes;
    wabe_transport transport;
    bool copied; /* from grid to grid */
} wabe_exchange_route;
int wabe_exchange_count(const wabe_exchange *exchange);
wabe_exchange_route wabe_exchange_route_of(const wabe_exchange *exchange, int i);
/* Returns the size in bytes of the exchange's buffers on this rank. Local. */
int64_t wabe_exchange_memory(const wabe_exchange *exchange);
