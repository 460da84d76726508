/* Diffusion on a slab: fields, walls, and the step of a schedule. df/dt = kappa laplace(f), forward
 * Euler, seven points; walls stand half a cell behind the last one. */
#ifndef WABE_SWEEPS_DIFFUSION_H
#define WABE_SWEEPS_DIFFUSION_H

#include "core/box.h"
#include "core/field.h"
#include "sweeps/cell/diffusion.h"
#include "sweeps/schedule.h"

enum { WABE_DIFFUSION_HALO = 1 }; /* layers of cells that neighbours need */

typedef struct {
    wabe_type type;     /* f64 or f32 */
    double rate;        /* kappa dt / dx^2: 1/6 at most */
    int64_t cells[3];   /* of the domain */
    bool periodic[3];   /* axes; then the sides of its faces do not matter */
    wabe_side sides[6]; /* the domain's: walls */
    const char *kernel; /* a part of the kernel's name, or "" */
} wabe_diffusion_model;

typedef struct {
    const wabe_component *component;
    wabe_diffusion_model model;
    wabe_box block; /* global indices */
    wabe_layout layout;
    wabe_field *fields[2];
    const wabe_kernel *diffuse, *pack, *unpack;
    wabe_timeline timeline;
    wabe_diffuse_args args[WABE_REGION_COUNT];
    int64_t rows[WABE_REGION_COUNT];
    bool wraps_x; /* its own neighbour there: the kernel knows, nothing is exchanged */
} wabe_diffusion_slab;

/* inner: the part of block that needs nothing of neighbours. WABE_INPUT: no kernel matches;
 * WABE_MEMORY. Local. */
wabe_status wabe_diffusion_create(const wabe_registry *registry, const wabe_component *component,
                                  const wabe_diffusion_model *model, wabe_box block, wabe_box inner,
                                  wabe_diffusion_slab **out);
void wabe_diffusion_destroy(wabe_diffusion_slab **slab);

/* The state before step 0, by cells' global indices. WABE_MEMORY. Local. */
typedef double (*wabe_diffusion_initial)(const void *context, const int64_t cell[3]);
wabe_status wabe_diffusion_initialise(wabe_diffusion_slab *slab, wabe_diffusion_initial initial,
                                      const void *context);

/* Appends the sweep of slabs to a schedule. Local. */
void wabe_diffusion_schedule(int slab_count, wabe_diffusion_slab *const *slabs,
                             wabe_schedule *schedule);

/* Values of a box of the slab (global indices) after the last step, [z][y][x]. WABE_MEMORY. Local.
 */
wabe_status wabe_diffusion_read(const wabe_diffusion_slab *slab, wabe_box box, double *values);

/* Bytes that a slab of this size takes. Local. */
int64_t wabe_diffusion_bytes(wabe_type type, const int64_t cells[3], wabe_target target);

#endif
