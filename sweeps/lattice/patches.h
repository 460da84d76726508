/* What the boundaries of a slab return (wabe_patch), step by step: velocities and pressures may
 * depend on time. */
#pragma once

#include "core/base/status.h"
#include "core/device/component.h"
#include "core/device/device.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lattice.h"
#include "sweeps/cell/lbm.h"

enum {
    WABE_NO_SLIP_PATCH = 0,
    WABE_LINK_PLACES = 1 << WABE_PLACE_BITS, /* on a link, which curved walls distinguish */
    WABE_PATCH_STEPS_MAX = 256               /* steps whose patches are in memory together */
};
_Static_assert(2 + WABE_CONDITIONS_MAX + WABE_LINK_PLACES <= WABE_PATCHES_MAX,
               "words of records have room for each patch");
_Static_assert((int)WABE_LINK_PLACES <= (int)WABE_Q_MAX, "a patch has room for each place");

/* Row 0 is a resting wall, row 1 + k belongs to condition k. If there are curved walls, then comes
 * a row for all links that they interpolate (by_place), and behind it one for each place on a link,
 * d = 1 / WABE_LINK_PLACES to 1. */
typedef struct {
    wabe_lattice lattice;
    int count;         /* rows */
    wabe_patch *rows;  /* with the given velocities and pressures, on the host */
    wabe_patch *there; /* the same in the component's memory; on CPUs it is rows */
    int condition_count;
    wabe_condition *conditions;
    int64_t ramp; /* see wabe_geometry */
    /* If they depend on time: those of steps begin to end - 1, by step % WABE_PATCH_STEPS_MAX, in
     * the component's memory, and on the host, from where GPUs get them. */
    bool tables; /* some depend on time for ever, not only in the ramp */
    int64_t begin, end;
    wabe_patch *steps, *steps_on_host;
    const wabe_component *component; /* owner of the memory; NULL: the host */
} wabe_patches;

/* Makes the patches of a geometry, whose tables (wabe_condition.in_time) must outlive them.
 * WABE_MEMORY. Local. */
wabe_status wabe_patches_create(wabe_lattice lattice, const wabe_geometry *geometry,
                                wabe_patches *out);
/* Moves them to a GPU's memory. component must outlive them. WABE_MEMORY. Local. */
wabe_status wabe_patches_move(wabe_patches *patches, const wabe_component *component,
                              wabe_stream *stream);
void wabe_patches_destroy(wabe_patches *patches);

/* Returns the row of all places on links of curved walls; they follow it. Local. */
static inline int wabe_patches_places(int conditions) { return 1 + conditions; }

/* Has this step patches of its own? Local. */
static inline bool wabe_patches_change(const wabe_patches *p, int64_t step) {
    return p->tables || step < p->ramp;
}
/* Are the patches of this step in memory? Local. */
static inline bool wabe_patches_have(const wabe_patches *p, int64_t step) {
    return !wabe_patches_change(p, step) || (step >= p->begin && step < p->end);
}
/* Brings the patches of WABE_PATCH_STEPS_MAX steps from this one on into memory, and waits until
 * they are there; those of earlier steps may no longer be in use. Steps count from the start of the
 * first of all runs. Local. */
void wabe_patches_load(wabe_patches *patches, wabe_stream *stream, int64_t first);
/* Returns the patches with which walls return what is read in a step, which must be in memory.
 * Local. */
const wabe_patch *wabe_patches_of(const wabe_patches *patches, int64_t step);
