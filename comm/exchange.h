/* The exchange of halos between slabs, through uniform buffers.
 *
 * The plan knows boxes and offsets, but no lattice: a halo link (wabe_halo_link) moves a number
 * from a cell to its neighbour in direction e. For every pair of slabs that touch, also across
 * periodic faces and with itself, the numbers of cells whose neighbour lies in the other slab are
 * packed into one message with all fields. A message takes one of four transports
 * (comm/transport.c). */
#pragma once

#include "comm/partition.h"
#include "core/base/profile.h"
#include "core/device/field.h"
#include "core/geometry/geometry.h"
#include "core/registry/kernel.h"

/* A halo link: a number moves from cell n, at field[n + out[parity]], to cell n + e, which reads it
 * at field[n + in[parity]]. reach: the number also moves if a cell up to reach further along each
 * axis belongs to the other slab; it moves once for all of them, and is read where n + e would be,
 * which may be a ghost. */
typedef struct {
    int e[3], reach[3];
    ptrdiff_t out[2], in[2];
} wabe_halo_link;

/* Make the halo link that fills ghost layers from the layers at both ends of an axis, or all around
 * a slab, with edges and corners; for fields with two grids in turn. Local. */
wabe_halo_link wabe_halo_link_layers(const wabe_layout *layout, int axis, int layers);
wabe_halo_link wabe_halo_link_around(const wabe_layout *layout, const int layers[3]);

enum { WABE_HALO_LINKS_MAX = 26, WABE_EXCHANGE_FIELDS_MAX = 8 };

/* A field of a slab, and its halo links. */
typedef struct {
    const wabe_kernel *pack, *unpack; /* for the field's element type */
    wabe_layout layout;
    wabe_location at;
    void *const *grid; /* address of a pointer to cell (0, 0, 0) of the grid to exchange; read when
                          the exchange begins */
    int halo_link_count;
    wabe_halo_link halo_links[WABE_HALO_LINKS_MAX]; /* used at set-up only */
    int copies; /* numbers per halo link, a layout's stride apart */
    /* Flags of the slab and one cell around it: numbers that come from cells other than fluid must
     * not be unpacked, since walls have written there what they return. NULL: unpack all. Used at
     * set-up only. */
    const wabe_flags *flags;
    /* For fields that are not boxes: returns the element of a halo link's number, for the cell
     * (global indices) that it leaves (sending) or arrives at, by parity as in wabe_halo_link;
     * WABE_NO_INDEX: none. NULL: use the links' offsets. Used at set-up only. */
    uint32_t (*place)(const void *context, const int64_t cell[3], int halo_link, int parity,
                      bool sending);
    const void *place_context;
} wabe_exchange_field;

/* The data of one slab; all slabs have the same fields in the same order. */
typedef struct {
    const wabe_component *component;
    wabe_stream *stream; /* GPUs: it computes what is sent and needs what is received */
    bool wraps; /* a slab that is its own neighbour exchanges nothing: its fields wrap round */
    int field_count;
    wabe_exchange_field fields[WABE_EXCHANGE_FIELDS_MAX];
} wabe_exchange_data;

typedef struct {
    bool behind_faces; /* also fill ghost cells behind the domain's faces (for mirrors) */
    bool flat[3]; /* the domain is one cell thick along this axis, and the fields of all slabs are
                     their own neighbours (wabe_layout) */
    wabe_transport transport; /* required between devices; any: the best that works */
} wabe_exchange_options;

typedef struct wabe_exchange wabe_exchange;

/* Creates the exchange. data: of this rank's slabs, in order. Transports are tested before they are
 * used. WABE_MEMORY; WABE_INPUT: a message of more than 2^31 bytes, or a transport that does not
 * work here. Collective. */
wabe_status wabe_exchange_create(MPI_Comm comm, const wabe_partition *partition,
                                 const wabe_exchange_data *data,
                                 const wabe_exchange_options *options, wabe_exchange **out);
void wabe_exchange_destroy(wabe_exchange **exchange);

/* Packs and sends what the step of this parity has computed for neighbours, from slabs on devices
 * or from the others: call it first for devices, then for the others. The numbers of the fields
 * that are sent and received must not be accessed before wabe_exchange_end. Collective. */
void wabe_exchange_begin(wabe_exchange *exchange, int parity, bool devices, wabe_profile *profile);
/* Makes progress; call it now and then between begin and end. False: only end is left to do.
 * Local. */
bool wabe_exchange_drive(wabe_exchange *exchange);
/* Waits for messages and unpacks them; devices may unpack later, in their streams. Collective. */
void wabe_exchange_end(wabe_exchange *exchange, wabe_profile *profile);

/* Return the number of messages and bytes that this rank sends per step by a transport (any: by
 * all), including those to itself. Local. */
int wabe_exchange_messages(const wabe_exchange *exchange, wabe_transport transport);
int64_t wabe_exchange_bytes(const wabe_exchange *exchange, wabe_transport transport);
/* wabe_exchange_count: the number of messages of this rank, as sender or receiver;
 * wabe_exchange_route_of: message i of these. Local. */
typedef struct {
    int from, to; /* slab numbers in the partition */
    int64_t bytes;
    wabe_transport transport;
} wabe_exchange_route;
int wabe_exchange_count(const wabe_exchange *exchange);
wabe_exchange_route wabe_exchange_route_of(const wabe_exchange *exchange, int i);
/* Returns the bytes of the exchange's buffers on this rank. Local. */
int64_t wabe_exchange_memory(const wabe_exchange *exchange);
