/* The exchange between slabs: what crosses their faces goes through uniform buffers.
 *
 * The plan knows boxes and offsets, nothing of hardware or of lattices: a crossing is a number that
 * moves from a cell to its neighbour in direction e. For every pair of slabs that touch, also
 * across periodic faces and with itself, the cells whose neighbour lies in the other slab are
 * packed, in one message for each pair. */
#ifndef WABE_COMM_EXCHANGE_H
#define WABE_COMM_EXCHANGE_H

#include "comm/decomposition.h"
#include "core/component.h"
#include "core/field.h"
#include "core/kernel.h"
#include "core/profile.h"

/* From cell n at field[n + out[parity]] to cell n + e, which reads it at field[n + in[parity]]. */
typedef struct {
    int e[3];
    ptrdiff_t out[2], in[2];
} wabe_crossing;

typedef struct {
    const wabe_component *component;
    const wabe_kernel *pack, *unpack;
    wabe_layout layout;
    void *field[2]; /* by the parity of the step whose results cross */
    int crossing_count;
    const wabe_crossing *crossings;
    bool behind_faces; /* also what goes to ghost cells behind the domain's faces (free slip) */
} wabe_exchange_data;

typedef struct wabe_exchange wabe_exchange;

/* WABE_MEMORY; WABE_INPUT: a message of more than 2^31 bytes. Collective. */
wabe_status wabe_exchange_create(MPI_Comm comm, const wabe_decomposition *decomposition,
                                 const wabe_exchange_data *data, wabe_exchange **out);
void wabe_exchange_destroy(wabe_exchange **exchange);

/* Packs and sends what the step of this parity has left for neighbours. Until end is called the
 * packed and the awaited numbers of the field must be left alone. Collective. */
void wabe_exchange_begin(wabe_exchange *exchange, int parity, wabe_profile *profile);
/* Lets MPI move; call it now and then between begin and end. Local. */
void wabe_exchange_test(wabe_exchange *exchange);
/* Waits, and unpacks what has arrived. Collective. */
void wabe_exchange_end(wabe_exchange *exchange, wabe_profile *profile);

/* Messages and bytes that this rank sends in a step, those to itself included. Local. */
int wabe_exchange_messages(const wabe_exchange *exchange);
int64_t wabe_exchange_bytes(const wabe_exchange *exchange);

#endif
