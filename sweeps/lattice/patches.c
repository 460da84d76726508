#include "sweeps/lattice/patches.h"

#include "core/device/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- a patch ------------------------------------------------------------------------ */

/* Velocity of the wall along the link. */
static double along(wabe_lattice lattice, int q, const wabe_condition *condition) {
    double u = 0.0;
    for (int d = 0; d < 3; d++)
        u += wabe_lattice_e(lattice, q)[d] * condition->velocity[d];
    return u;
}

/* Does the fluid come in at population q's link of a boundary that it crosses? Faces let it through
 * by their normal velocity, whatever it is along them. face: -1: a solid. */
static bool comes_in(wabe_lattice lattice, int q, const wabe_condition *condition, int face) {
    return condition->kind == WABE_BOUNDARY_velocity &&
           (face < 0 ? along(lattice, q, condition)
                     : (face % 2 ? -1.0 : 1.0) * condition->velocity[face / 2]) > 0.0;
}

/* What a boundary returns of a scalar that is carried; see wabe_patch. */
static void fill_carried(wabe_lattice lattice, const wabe_condition *condition, int face,
                         wabe_patch *patch) {
    const wabe_scalar_kind kind = condition->scalar.kind;
    const int flow = wabe_lattice_flow(lattice);
    const bool reflects = kind == WABE_SCALAR_INSULATED || kind == WABE_SCALAR_FLUX;
    const bool passes = kind == WABE_SCALAR_OPEN || condition->kind == WABE_BOUNDARY_velocity;
    bool moves = patch->quadratic != 0.0;
    patch->scalar_sign = kind == WABE_SCALAR_VALUE && !passes ? -1.0 : 1.0;
    patch->scalar_value = reflects ? 0.0 : condition->scalar.value;
    for (int q = flow; q <= wabe_lattice_moving(lattice); q++) {
        const bool enters = comes_in(lattice, q, condition, face);
        patch->scalar_by_cell[q - flow] = reflects || (passes && !enters);
        patch->term[q] = kind == WABE_SCALAR_FLUX
                             ? 6.0 * wabe_lattice_weight(lattice, q) * condition->scalar.value
                             : 0.0;
        moves |= along(lattice, q, condition) != 0.0;
    }
    patch->by_cell |= !reflects || moves; /* otherwise it returns what leaves */
}

/* What a boundary returns of a scalar; see wabe_patch. */
static void fill_scalar(wabe_lattice lattice, const wabe_condition *condition, int face,
                        wabe_patch *patch) {
    patch->scalar_sign = 1.0;
    if (!wabe_lattice_has_scalar(lattice))
        return;
    const wabe_scalar_kind kind = condition->scalar.kind;
    const bool reflects = kind == WABE_SCALAR_INSULATED || kind == WABE_SCALAR_FLUX;
    const int flow = wabe_lattice_flow(lattice);
    patch->scalar_sign = reflects ? 1.0 : -1.0;
    if (wabe_lattice_carries(lattice)) {
        fill_carried(lattice, condition, face, patch);
        return;
    }
    for (int q = flow; q <= wabe_lattice_moving(lattice); q++) {
        const double u = along(lattice, q, condition);
        const double even = 2.0 * (wabe_lattice_weight(lattice, q) + 0.5 * u * u);
        const bool leaves = kind == WABE_SCALAR_OPEN && u <= 0.0;
        patch->term[q] = kind == WABE_SCALAR_FLUX ? condition->scalar.value
                         : reflects               ? 0.0
                                                  : even * condition->scalar.value;
        if (kind == WABE_SCALAR_OPEN && patch->quadratic != 0.0)
            patch->scalar_own = 2.0;
        else if (reflects || leaves)
            patch->scalar_by_cell[q - flow] = reflects ? u : even;
        if (leaves)
            patch->term[q] = 0.0;
        patch->by_cell |= patch->scalar_by_cell[q - flow] != 0.0;
    }
}

/* face: -1: of a solid. */
static wabe_patch patch_of(wabe_lattice lattice, const wabe_condition *condition, int face) {
    wabe_patch patch = {.kind = condition->kind, .normal = face < 0 ? 0 : face / 2, .sign = 1.0};
    const bool pressure = wabe_is_pressure(condition->kind);
    if (pressure) {
        patch.sign = -1.0;
        patch.quadratic = 2.0;
        patch.by_cell = true;
    }
    fill_scalar(lattice, condition, face, &patch);
    for (int q = 0; q < wabe_lattice_flow(lattice); q++) {
        patch.term[q] = wabe_lattice_weight(lattice, q) *
                        (pressure ? 2.0 * condition->density : 6.0 * along(lattice, q, condition));
    }
    return patch;
}

/* Of curved walls; d: see wabe_patch. */
static wabe_patch patch_of_place(double d) {
    return (wabe_patch){.kind = WABE_BOUNDARY_curved_wall,
                        .sign = 1.0,
                        .scalar_sign = 1.0,
                        .interpolation = (1.0 - 2.0 * d) / (1.0 + 2.0 * d)};
}

/* ---- time --------------------------------------------------------------------------- */

static wabe_patch patch_at(const wabe_patches *p, int k, const wabe_condition *condition) {
    return patch_of(p->lattice, condition, k < WABE_FACES ? k : -1);
}

/* Does a condition change with time? Of those that stand still the patch stays, too. */
static bool changes(const wabe_patches *p, const wabe_condition *c) {
    const double *u = c->velocity;
    return c->in_time || (p->ramp > 0 && (u[0] != 0.0 || u[1] != 0.0 || u[2] != 0.0));
}

/* Populations meet walls half-way between two states. */
static void fill_step(const wabe_patches *p, int64_t step) {
    wabe_patch *rows = p->steps_on_host + step % WABE_PATCH_STEPS_MAX * p->count;
    memcpy(rows, p->rows, (size_t)p->count * sizeof *rows);
    for (int k = 0; k < p->condition_count; k++) {
        const wabe_condition now = wabe_condition_at(&p->conditions[k], p->ramp,
                                                     (double)step + 0.5);
        if (changes(p, &p->conditions[k]))
            rows[1 + k] = patch_at(p, k, &now);
    }
}

/* ---- all patches -------------------------------------------------------------------- */

static bool has_curved_walls(const wabe_patches *p) {
    bool found = false;
    for (int k = 0; k < p->condition_count; k++)
        found |= p->conditions[k].kind == WABE_BOUNDARY_curved_wall;
    return found;
}

static void fill_rows(wabe_patches *p) {
    const int conditions = p->condition_count;
    const wabe_condition at_rest = {.kind = WABE_BOUNDARY_no_slip};
    p->rows[WABE_NO_SLIP_PATCH] = patch_of(p->lattice, &at_rest, -1);
    for (int k = 0; k < conditions; k++)
        p->rows[1 + k] = patch_at(p, k, &p->conditions[k]);
    const int places = wabe_patches_places(conditions);
    for (int i = places; i < p->count; i++)
        p->rows[i] = patch_of_place((double)(i - places) / WABE_LINK_PLACES);
    if (places < p->count) {
        wabe_patch *all = &p->rows[places];
        all->interpolation = 0.0;
        all->by_place = 1;
        for (int i = 0; i < WABE_LINK_PLACES; i++)
            all->interpolations[i] = all[1 + i].interpolation;
    }
}

static int64_t bytes_of(const wabe_patches *p, int64_t sets) {
    return sets * p->count * (int64_t)sizeof *p->rows;
}

wabe_status wabe_patches_create(wabe_lattice lattice, const wabe_geometry *geometry,
                                wabe_patches *p) {
    const int count = geometry->condition_count;
    *p = (wabe_patches){.lattice = lattice, .condition_count = count, .ramp = geometry->ramp};
    p->conditions = malloc((size_t)count * sizeof *p->conditions);
    WABE_CHECK(p->conditions, WABE_MEMORY, "no memory for %d boundaries", count);
    memcpy(p->conditions, geometry->conditions, (size_t)count * sizeof *p->conditions);
    for (int k = 0; k < count; k++)
        p->tables |= p->conditions[k].in_time != NULL;
    const bool vary = p->tables || p->ramp > 0;
    p->count = 1 + count + (has_curved_walls(p) ? 1 + WABE_LINK_PLACES : 0);
    p->rows = malloc((size_t)bytes_of(p, 1));
    p->steps_on_host = vary ? malloc((size_t)bytes_of(p, WABE_PATCH_STEPS_MAX)) : NULL;
    WABE_CHECK(p->rows && (!vary || p->steps_on_host), WABE_MEMORY, "no memory for %d boundaries",
               count);
    p->there = p->rows;
    p->steps = p->steps_on_host;
    fill_rows(p);
    return WABE_OK;
}

wabe_status wabe_patches_move(wabe_patches *p, const wabe_component *component,
                              wabe_stream *stream) {
    void *there = NULL, *steps = NULL, *on_host = NULL;
    const int64_t bytes = bytes_of(p, WABE_PATCH_STEPS_MAX);
    wabe_status status = wabe_memory_copy_of(component, stream, p->rows, bytes_of(p, 1), &there);
    if (status == WABE_OK && p->steps_on_host)
        status = wabe_memory_create(component, bytes, &steps);
    if (status == WABE_OK && p->steps_on_host)
        status = wabe_memory_create_near(true, bytes, &on_host);
    if (status != WABE_OK) {
        wabe_memory_destroy(component, &there);
        wabe_memory_destroy(component, &steps);
        return status;
    }
    free(p->steps_on_host);
    p->component = component;
    p->there = there;
    p->steps = steps;
    p->steps_on_host = on_host;
    return WABE_OK;
}

void wabe_patches_destroy(wabe_patches *p) {
    if (p->component) {
        void *there = p->there, *steps = p->steps, *on_host = p->steps_on_host;
        wabe_memory_destroy(p->component, &there);
        wabe_memory_destroy(p->component, &steps);
        wabe_memory_destroy_near(&on_host);
    } else {
        free(p->steps_on_host);
    }
    free(p->rows);
    free(p->conditions);
    *p = (wabe_patches){0};
}

/* Patches of steps that were in memory already get the same values again. */
void wabe_patches_load(wabe_patches *p, wabe_stream *stream, int64_t first) {
    p->begin = first;
    p->end = first + WABE_PATCH_STEPS_MAX;
    for (int64_t step = p->begin; step < p->end; step++)
        fill_step(p, step);
    if (p->component) {
        wabe_stream_copy(stream, p->steps, p->steps_on_host, bytes_of(p, WABE_PATCH_STEPS_MAX));
        wabe_stream_synchronise(stream);
    }
}

const wabe_patch *wabe_patches_of(const wabe_patches *p, int64_t step) {
    assert(wabe_patches_have(p, step));
    return wabe_patches_change(p, step) ? p->steps + step % WABE_PATCH_STEPS_MAX * p->count
                                        : p->there;
}
