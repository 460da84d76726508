/* Warnings about solids: probes and parts of the output inside of them, solids that overlap, bodies
 * that leave a stream little room, surfaces that would have to leave their place, and the length
 * that a Reynolds number means. */
#include "apps/lbm/bodies.h"

#include "apps/lbm/lbm.h"

#include <math.h>
#include <string.h>

/* ---- output inside of solids -------------------------------------------------------- */

/* Sets found if a fluid cell of the box lies in this process's block. Planes are looked at one by
 * one, since mostly the first one has some. Local. */
static wabe_status find_fluid(const wabe_run *run, wabe_box box, int *found) {
    const wabe_geometry *g = &wabe_flow_of(run)->lbm_case.simulation.geometry;
    box = wabe_box_intersect(box, run->block);
    *found = 0;
    for (int64_t z = box.begin[2]; z < box.end[2] && !*found; z++) {
        int64_t fluid = 0;
        if (!wabe_box_is_empty(box))
            WABE_TRY(wabe_geometry_count(g, wabe_box_plane(box, z), &fluid));
        *found = fluid > 0;
    }
    return WABE_OK;
}

/* Collective. */
static wabe_status is_solid(const wabe_run *run, wabe_box box, bool *out) {
    int found = 0;
    WABE_TRY(wabe_agree(run->comm, find_fluid(run, box, &found)));
    MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_MAX, run->comm);
    *out = !found;
    return WABE_OK;
}

static wabe_status find_buried(const wabe_run *run, wabe_body_faults *out) {
    for (int i = 0; i < run->probe_count; i++) {
        const int64_t *c = run->probes[i].cell;
        const wabe_box cell = {{c[0], c[1], c[2]}, {c[0] + 1, c[1] + 1, c[2] + 1}};
        WABE_TRY(is_solid(run, cell, &out->probes[i]));
    }
    for (int i = 0; i < run->part_count; i++)
        if (run->parts[i].number >= 0)
            WABE_TRY(is_solid(run, run->parts[i].box, &out->parts[i]));
    return WABE_OK;
}

/* ---- solids that overlap ------------------------------------------------------------ */

/* Solids are numbered as they take precedence: objects, rasters, and all particles as one. */
static int count_of(const wabe_geometry *g) {
    return g->object_count + g->raster_count + (g->particle_count > 0 ? 1 : 0);
}

/* The geometry with one solid alone. */
static wabe_geometry alone(const wabe_geometry *all, int solid) {
    const int raster = solid - all->object_count;
    wabe_geometry g = *all;
    g.object_count = raster < 0 ? 1 : 0;
    g.objects = all->objects + (raster < 0 ? solid : 0);
    g.raster_count = raster >= 0 && raster < all->raster_count ? 1 : 0;
    g.rasters = all->rasters + (g.raster_count ? raster : 0);
    g.particle_count = raster < all->raster_count ? 0 : all->particle_count;
    g.motion_count = 0;
    g.filled = NULL;
    return g;
}

static int condition_of(const wabe_geometry *g, int solid) {
    const int raster = solid - g->object_count;
    return raster < 0 ? WABE_FACES + solid
                      : (raster < g->raster_count ? g->rasters[raster].condition : g->solid);
}

/* Cuts a box of the domain down to where a solid can be: one that goes on beyond the domain may
 * come back at the other end. */
static wabe_box within_reach(const wabe_geometry *g, int solid, wabe_box box) {
    const int raster = solid - g->object_count;
    if (raster >= g->raster_count)
        return box;
    wabe_box reach = raster < 0 ? wabe_geometry_object_box(&g->objects[solid])
                                : g->rasters[raster].box;
    for (int d = 0; d < 3; d++)
        if (reach.begin[d] < 0 || reach.end[d] > g->cells[d]) {
            reach.begin[d] = 0;
            reach.end[d] = g->cells[d];
        }
    return wabe_box_intersect(box, reach);
}

/* Do the surfaces of two solids do the same? */
static bool are_alike(const wabe_condition *a, const wabe_condition *b) {
    bool alike = a->kind == b->kind && a->has_law == b->has_law &&
                 a->scalar.kind == b->scalar.kind && a->scalar.value == b->scalar.value;
    for (int d = 0; d < 3; d++)
        alike &= a->velocity[d] == b->velocity[d];
    return alike;
}

/* Local. */
static wabe_status share_cell(const wabe_geometry g[2], wabe_box plane, int *found) {
    wabe_flags flags[2] = {{.ids = NULL}, {.ids = NULL}};
    wabe_status status = wabe_geometry_flags(&g[0], plane, &flags[0]);
    if (status == WABE_OK)
        status = wabe_geometry_flags(&g[1], plane, &flags[1]);
    for (int64_t i = 0; i < wabe_box_cells(plane) && status == WABE_OK; i++)
        *found |= flags[0].ids[i] && flags[1].ids[i];
    wabe_flags_free(&flags[0]);
    wabe_flags_free(&flags[1]);
    return status;
}

/* Do two solids share a cell? Collective. */
static wabe_status find_overlap(const wabe_run *run, int a, int b, int *found) {
    const wabe_geometry *g = &wabe_flow_of(run)->lbm_case.simulation.geometry;
    const wabe_geometry each[2] = {alone(g, a), alone(g, b)};
    const wabe_box box = within_reach(g, a, within_reach(g, b, run->block));
    wabe_status status = WABE_OK;
    *found = 0;
    for (int64_t z = box.begin[2]; z < box.end[2] && !*found && status == WABE_OK; z++)
        if (!wabe_box_is_empty(box))
            status = share_cell(each, wabe_box_plane(box, z), found);
    WABE_TRY(wabe_agree(run->comm, status));
    MPI_Allreduce(MPI_IN_PLACE, found, 1, MPI_INT, MPI_MAX, run->comm);
    return WABE_OK;
}

/* Collective. */
static wabe_status find_overlaps(const wabe_run *run, wabe_body_faults *out) {
    const wabe_geometry *g = &wabe_flow_of(run)->lbm_case.simulation.geometry;
    const wabe_box domain = {.end = {g->cells[0], g->cells[1], g->cells[2]}};
    const int count = count_of(g);
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count && out->overlap_count < WABE_OVERLAPS_MAX; b++) {
            const int pair[2] = {condition_of(g, a), condition_of(g, b)};
            int found = 0;
            if (!are_alike(&g->conditions[pair[0]], &g->conditions[pair[1]]) &&
                !wabe_box_is_empty(within_reach(g, a, within_reach(g, b, domain))))
                WABE_TRY(find_overlap(run, a, b, &found));
            if (found)
                memcpy(out->overlaps[out->overlap_count++], pair, sizeof pair);
        }
    return WABE_OK;
}

/* ---- room for a stream -------------------------------------------------------------- */

enum { SLICES = 32 };      /* that are looked at, at most */
#define NARROWEST_FREE 0.6 /* of the inlet: a body in less changes the flow that it is in */

/* The only face through which a stream of given velocity enters; -1: there is none, or there are
 * several. */
static int inlet_of(const wabe_lbm_case *c) {
    int found = -1, count = 0;
    for (int face = 0; face < WABE_FACES; face++)
        if (c->conditions[face].kind == WABE_BOUNDARY_velocity &&
            (face % 2 ? -1.0 : 1.0) * c->conditions[face].velocity[face / 2] > 0.0) {
            found = face;
            count++;
        }
    return count == 1 ? found : -1;
}

/* The planes normal to an axis in which solids can be. */
static void find_reach(const wabe_geometry *g, int axis, int64_t *begin, int64_t *end) {
    const wabe_box domain = {.end = {g->cells[0], g->cells[1], g->cells[2]}};
    *begin = g->cells[axis];
    *end = 0;
    for (int k = 0; k < count_of(g); k++) {
        const wabe_box box = within_reach(g, k, domain);
        *begin = box.begin[axis] < *begin ? box.begin[axis] : *begin;
        *end = box.end[axis] > *end ? box.end[axis] : *end;
    }
}

/* Counts the fluid cells of a box. Local. */
static wabe_status count_fluid(const wabe_geometry *g, wabe_box box, int64_t *out) {
    *out = 0;
    for (int64_t z = box.begin[2], fluid; z < box.end[2] && !wabe_box_is_empty(box); z++) {
        WABE_TRY(wabe_geometry_count(g, wabe_box_plane(box, z), &fluid));
        *out += fluid;
    }
    return WABE_OK;
}

/* Counts the fluid cells of planes, the inlet's first, in this process's block. Local. */
static wabe_status count_slices(const wabe_run *run, int face, int64_t fluid[1 + SLICES]) {
    const wabe_geometry *g = &wabe_flow_of(run)->lbm_case.simulation.geometry;
    const int axis = face / 2;
    int64_t begin, end;
    find_reach(g, axis, &begin, &end);
    for (int i = 0; i <= SLICES; i++) {
        wabe_box plane = {.end = {g->cells[0], g->cells[1], g->cells[2]}};
        plane.begin[axis] = i > 0      ? begin + (end - begin) * (2 * i - 1) / (2 * SLICES)
                            : face % 2 ? g->cells[axis] - 1
                                       : 0;
        plane.end[axis] = plane.begin[axis] + 1;
        WABE_TRY(count_fluid(g, wabe_box_intersect(plane, run->block), &fluid[i]));
    }
    return WABE_OK;
}

/* Collective. */
static wabe_status find_narrowest(const wabe_run *run, double *out) {
    const int face = inlet_of(&wabe_flow_of(run)->lbm_case);
    int64_t fluid[1 + SLICES];
    *out = 1.0;
    if (face < 0)
        return WABE_OK;
    WABE_TRY(wabe_agree(run->comm, count_slices(run, face, fluid)));
    MPI_Allreduce(MPI_IN_PLACE, fluid, 1 + SLICES, MPI_INT64_T, MPI_SUM, run->comm);
    for (int i = 1; i <= SLICES && fluid[0] > 0; i++)
        *out = fmin(*out, (double)fluid[i] / (double)fluid[0]);
    return WABE_OK;
}

/* A stream that nothing leads through has another warning. */
static void warn_of_room(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    const double share = flow->faults.narrowest;
    if (share >= NARROWEST_FREE || share <= 0.0)
        return;
    wabe_run_warn(
        run, "geometry",
        "geometry: solids leave %.0f %% of the inlet's cross-section to the stream, which "
        "becomes about %.3g times as fast there, with a grid Reynolds number of %.3g and "
        "Mach %.2g; around a body in an unbounded stream leave 90 %%",
        100.0 * share, 1.0 / share, c->grid_reynolds / share, c->mach / share);
}

wabe_status wabe_bodies_look(const wabe_run *run, wabe_body_faults *out) {
    *out = (wabe_body_faults){.narrowest = 1.0};
    if (!wabe_geometry_has_solids(&wabe_flow_of(run)->lbm_case.simulation.geometry))
        return WABE_OK;
    WABE_TRY(find_buried(run, out));
    WABE_TRY(find_overlaps(run, out));
    return find_narrowest(run, &out->narrowest);
}

static void warn_of_faults(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_body_faults *f = &flow->faults;
    const wabe_lbm_case *c = &flow->lbm_case;
    char key[64], wins[64], loses[64];
    for (int i = 0; i < run->probe_count; i++) {
        snprintf(key, sizeof key, "output.probes[%d].cell", i);
        if (f->probes[i])
            wabe_run_warn(run, key, "%s lies inside a solid: probe %s will see no flow", key,
                          run->probes[i].name);
    }
    for (int i = 0; i < run->part_count; i++) {
        snprintf(key, sizeof key, "output.parts[%d]", run->parts[i].number);
        if (f->parts[i])
            wabe_run_warn(run, key, "%s: all cells of part %s lie inside solids", key,
                          run->parts[i].name);
    }
    for (int i = 0; i < f->overlap_count; i++) {
        const int *pair = f->overlaps[i];
        if (wabe_lbm_solid_of(&flow->options, c, pair[0], wins) &&
            wabe_lbm_solid_of(&flow->options, c, pair[1], loses))
            wabe_run_warn(run, loses,
                          "%s (%s) overlaps %s (%s), whose surface is another: cells that both "
                          "have belong to %s",
                          loses, wabe_condition_word(&c->conditions[pair[1]]), wins,
                          wabe_condition_word(&c->conditions[pair[0]]), wins);
    }
}

/* ---- surfaces that would have to leave their place ---------------------------------- */

/* Is a velocity along the axis of a cylinder? */
static bool is_along(const wabe_object *o, const double v[3]) {
    double across = 0.0, along = 0.0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3;
        const double a = o->high[d] - o->low[d], b = o->high[e] - o->low[e];
        across = fmax(across, fabs(a * v[e] - b * v[d]));
        along += a * v[d];
    }
    return across <= 1e-9 * fabs(along);
}

/* The ends of a solid along the axes; false: they are not known. */
static bool find_ends(const wabe_lbm_case *c, int condition, double low[3], double high[3]) {
    const int mesh = condition - c->simulation.geometry.solid - 1;
    if (mesh >= 0 && mesh < c->solids.mesh_count) {
        memcpy(low, c->solids.meshes[mesh].mesh.low, 3 * sizeof *low);
        memcpy(high, c->solids.meshes[mesh].mesh.high, 3 * sizeof *high);
        return true;
    }
    if (mesh >= -1)
        return false;
    const wabe_object *o = &c->objects[condition - WABE_FACES];
    for (int d = 0; d < 3; d++) {
        const bool ball = o->shape == WABE_SHAPE_SPHERE;
        low[d] = ball ? o->center[d] - o->radius : fmin(o->low[d], o->high[d]);
        high[d] = ball ? o->center[d] + o->radius : fmax(o->low[d], o->high[d]);
    }
    return true;
}

/* Has a velocity a component normal to a solid's surface inside of the domain? Yes, if the solid
 * ends there along an axis with such a component; the side of a cylinder has its own. */
static bool leaves_place(const wabe_lbm_case *c, int condition, const double v[3]) {
    const wabe_geometry *g = &c->simulation.geometry;
    double low[3], high[3];
    bool leaves = false;
    if (!find_ends(c, condition, low, high)) { /* ground */
        const wabe_heights *h = &c->solids.heights;
        return h->high > h->low || v[h->up] != 0.0;
    }
    for (int d = 0; d < 3; d++)
        leaves |= v[d] != 0.0 && (low[d] > 0.0 || high[d] < (double)g->cells[d]);
    const bool object = condition < g->solid;
    const wabe_object *o = object ? &c->objects[condition - WABE_FACES] : NULL;
    return leaves || (object && o->shape == WABE_SHAPE_CYLINDER && !is_along(o, v));
}

static void warn_of_moving(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    char solid[64], key[80];
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++) {
        const double *v = c->conditions[k].velocity;
        const bool moves = c->conditions[k].kind == WABE_BOUNDARY_moving_wall &&
                           (v[0] != 0.0 || v[1] != 0.0 || v[2] != 0.0);
        if (!moves || !wabe_lbm_solid_of(&flow->options, c, k, solid) || !leaves_place(c, k, v))
            continue;
        snprintf(key, sizeof key, "%s.velocity", solid);
        wabe_run_warn(run, key,
                      "%s has a component normal to the surface: the body stays where it is, and "
                      "fluid comes out of its front and goes into its back; let the fluid flow "
                      "past a body at rest, or take a velocity within the surface, or spin",
                      key);
    }
}

/* ---- the length of a Reynolds number ------------------------------------------------ */

static void warn_of_length(const wabe_run *run) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    const bool sets = strcmp(c->viscosity_key, "lbm.reynolds") == 0;
    if (wabe_config_is_given(run->config, "lbm.length") || c->porous.axis >= 0 ||
        !(c->velocity > 0.0) || !wabe_flow_has_body_in_stream(c))
        return;
    wabe_run_warn(run, sets ? "lbm.reynolds" : "geometry",
                  "lbm.length is not given: the Reynolds number, %.4g, is that of the domain's "
                  "%.6g cells along x%s, not of the body in the stream; set lbm.length to the "
                  "body's",
                  c->reynolds, c->length, sets ? ", and the viscosity follows from it" : "");
}

void wabe_flow_warn_of_bodies(const wabe_run *run) {
    warn_of_faults(run);
    warn_of_room(run);
    warn_of_moving(run);
    warn_of_length(run);
}
