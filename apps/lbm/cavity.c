#include "apps/lbm/cavity.h"

#include "apps/runtime/kernels.h"

/* Spheres in a simple cubic array, overlapping if necessary, whose radius leaves the wanted
 * fraction of the cells fluid; this is the lattice constant. */
enum { SPHERES_APART = 20 };

static double fluid_share(double radius) {
    int fluid = 0;
    for (int i = 0; i < SPHERES_APART * SPHERES_APART * SPHERES_APART; i++) {
        const int at[3] = {i % SPHERES_APART, i / SPHERES_APART % SPHERES_APART,
                           i / SPHERES_APART / SPHERES_APART};
        double square = 0.0;
        for (int d = 0; d < 3; d++)
            square += (at[d] + 0.5 - 0.5 * SPHERES_APART) * (at[d] + 0.5 - 0.5 * SPHERES_APART);
        fluid += square > radius * radius;
    }
    return fluid / (double)(SPHERES_APART * SPHERES_APART * SPHERES_APART);
}

static wabe_status make_spheres(const int64_t cells[3], double fluid, wabe_particles *out) {
    double low = 0.0, high = SPHERES_APART;
    for (int i = 0; i < 40; i++) {
        const double middle = 0.5 * (low + high);
        if (fluid_share(middle) > fluid)
            low = middle;
        else
            high = middle;
    }
    return wabe_particles_array(WABE_ARRAY_SIMPLE_CUBIC, SPHERES_APART, high, cells, out);
}

wabe_status wabe_cavity_make(const int64_t cells[3], double fluid, int periodic, wabe_cavity *out) {
    *out = (wabe_cavity){0};
    if (fluid < 1.0)
        WABE_TRY(make_spheres(cells, fluid, &out->spheres));
    for (int face = 0; face <= WABE_FACES; face++)
        out->conditions[face] = (wabe_condition){
            .kind = face / 2 == periodic ? WABE_BOUNDARY_periodic : WABE_BOUNDARY_no_slip};
    out->conditions[WABE_FACES].kind = WABE_BOUNDARY_no_slip;
    if (periodic != 2)
        out->conditions[5] = (wabe_condition){.kind = WABE_BOUNDARY_moving_wall,
                                              .velocity = {0.05, 0, 0}};
    out->geometry = (wabe_geometry){.cells = {cells[0], cells[1], cells[2]},
                                    .particle_count = out->spheres.count,
                                    .particles = out->spheres.list,
                                    .solid = WABE_FACES,
                                    .condition_count = WABE_FACES + 1,
                                    .conditions = out->conditions};
    return WABE_OK;
}

void wabe_cavity_free(wabe_cavity *cavity) { wabe_particles_free(&cavity->spheres); }

wabe_lbm_model wabe_cavity_model(wabe_type storage, wabe_streaming streaming) {
    return (wabe_lbm_model){.type = storage,
                            .lattice = WABE_LATTICE_d3q19,
                            .collision = streaming == WABE_STREAMING_moments
                                             ? WABE_COLLISION_regularized
                                             : WABE_COLLISION_trt,
                            .streaming = streaming,
                            .tau = 0.8,
                            .magic = 3.0 / 16.0,
                            .scalar = {.diffusivity = 0.1, .magic = 0.25},
                            .kernel = ""};
}

wabe_status wabe_cavity_slab(const wabe_cavity *cavity, const wabe_component *component,
                             const wabe_lbm_model *model, wabe_box inner, wabe_lbm_slab **out) {
    const int64_t *n = cavity->geometry.cells;
    const wabe_box block = {.end = {n[0], n[1], n[2]}};
    WABE_TRY(wabe_lbm_create(wabe_kernels(), component, model, &cavity->geometry, block, inner,
                             NULL, out));
    wabe_lbm_forget(*out);
    return wabe_lbm_initialise(*out, wabe_lbm_at_rest, NULL);
}
