#include "apps/lbm/solids.h"

#include "apps/runtime/checkpoint_policy.h"
#include "apps/runtime/report.h"
#include "core/base/log.h"
#include "core/base/ranges.h"
#include "sweeps/lattice/link.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reports an error with the line of the key that caused it. */
static wabe_status blame(const wabe_config *config, const char *key, wabe_status status) {
    if (status == WABE_INPUT || status == WABE_FILE)
        wabe_config_fail_because(config, key, "cannot be used");
    return status;
}

/* ---- objects ------------------------------------------------------------------------ */

/* An object without volume, because of a missing or reversed length, would silently be absent. */
static bool has_volume(const wabe_object_options *o) {
    bool above = true, apart = false;
    for (int d = 0; d < 3; d++) {
        above &= o->high[d] > o->low[d];
        apart |= o->high[d] != o->low[d];
    }
    if (o->shape == WABE_SHAPE_BOX)
        return above;
    return o->radius > o->bore && (apart || o->shape == WABE_SHAPE_SPHERE);
}

static wabe_status fail_volume(const wabe_config *config, const wabe_object_options *o, int k) {
    static const struct {
        const char *key, *need;
    } rows[] = {[WABE_SHAPE_BOX] = {"high", "a box needs high above low"},
                [WABE_SHAPE_SPHERE] = {"radius", "a sphere needs a radius above 0"},
                [WABE_SHAPE_CYLINDER] = {
                    "radius", "a cylinder needs two ends and a radius above 0 and above its "
                              "bore"}};
    char path[64];
    snprintf(path, sizeof path, "geometry.objects[%d].%s", k, rows[o->shape].key);
    if (!wabe_config_is_given(config, path))
        snprintf(path, sizeof path, "geometry.objects[%d].shape", k);
    return wabe_config_fail(config, path, "gives no volume: %s", rows[o->shape].need);
}

/* Does the object's bounding box miss the domain? */
static bool misses(const wabe_object *object, const int64_t cells[3]) {
    for (int d = 0; d < 3; d++) {
        const bool sphere = object->shape == WABE_SHAPE_SPHERE;
        const double reach = object->shape == WABE_SHAPE_BOX ? 0.0 : object->radius;
        const double a = sphere ? object->center[d] : object->low[d];
        const double b = sphere ? object->center[d] : object->high[d];
        if (fmax(a, b) + reach < 0.0 || fmin(a, b) - reach > (double)cells[d])
            return true;
    }
    return false;
}

/* Rejects lengths that the shape ignores. */
static wabe_status check_object_keys(const wabe_config *config, const wabe_object_options *o,
                                     int k) {
    static const char *const shapes[] = {"box", "sphere", "cylinder"};
    const bool box = o->shape == WABE_SHAPE_BOX, sphere = o->shape == WABE_SHAPE_SPHERE;
    const struct {
        const char *key;
        bool taken;
        double size;
    } rows[] = {{"low", !sphere, wabe_length_of(o->low)},
                {"high", !sphere, wabe_length_of(o->high)},
                {"center", sphere, wabe_length_of(o->center)},
                {"radius", !box, o->radius},
                {"bore", !box && !sphere, o->bore}};
    char path[64];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(path, sizeof path, "geometry.objects[%d].%s", k, rows[i].key);
        if (!rows[i].taken && rows[i].size > 0.0)
            return wabe_config_fail(config, path,
                                    "is not used: geometry.objects[%d].shape is \"%s\", which "
                                    "takes none",
                                    k, shapes[o->shape]);
    }
    return WABE_OK;
}

wabe_status wabe_lbm_object_make(const wabe_config *config, const wabe_object_options *from, int k,
                                 const int64_t cells[3], wabe_object *to) {
    char path[64], center[sizeof path];
    WABE_TRY(check_object_keys(config, from, k));
    if (!has_volume(from))
        return fail_volume(config, from, k);
    snprintf(path, sizeof path, "geometry.objects[%d].shape", k);
    snprintf(center, sizeof center, "geometry.objects[%d].center", k);
    if (from->shape == WABE_SHAPE_SPHERE && !wabe_config_is_given(config, center))
        return wabe_config_fail(config, path, "lies nowhere: a sphere needs its center");
    *to =
        (wabe_object){.shape = (wabe_shape)from->shape, .radius = from->radius, .bore = from->bore};
    memcpy(to->low, from->low, sizeof to->low);
    memcpy(to->high, from->high, sizeof to->high);
    memcpy(to->center, from->center, sizeof to->center);
    if (misses(to, cells))
        return wabe_config_fail(config, path,
                                "lies outside the domain; lengths are in cells from its corner, "
                                "and domain.cells is [%lld, %lld, %lld]",
                                (long long)cells[0], (long long)cells[1], (long long)cells[2]);
    return WABE_OK;
}

/* ---- meshes ------------------------------------------------------------------------- */

enum {
    DOUBT_SHARE = 100,       /* at most one cell of so many may be in doubt */
    CELLS_AT_ONCE = 1 << 28, /* of which a process stores four bits */
};

static void name_mesh_key(int k, const char *key, char path[64]) {
    snprintf(path, 64, "geometry.meshes[%d].%s", k, key);
}

/* Describes the cells between which a mesh lies. */
static const char *extent_of(const wabe_mesh *m, char text[], size_t size) {
    snprintf(text, size, "from (%.6g, %.6g, %.6g) to (%.6g, %.6g, %.6g) cells", m->low[0],
             m->low[1], m->low[2], m->high[0], m->high[1], m->high[2]);
    return text;
}

static wabe_status open_mesh(const wabe_config *config, const wabe_mesh_options *o, int k,
                             const int64_t cells[3], wabe_lbm_mesh *out) {
    char path[64], extent[160];
    wabe_mesh_placement placement = {.scale = o->scale};
    memcpy(placement.rotation, o->rotation, sizeof o->rotation);
    memcpy(placement.place, o->place, sizeof o->place);
    out->file = o->file;
    name_mesh_key(k, "file", path);
    WABE_TRY(blame(config, path, wabe_mesh_read(o->file, &placement, &out->mesh)));
    out->triangles = out->mesh.count;
    out->around = o->fluid == 1;
    for (int d = 0; d < 3; d++)
        if (out->mesh.high[d] <= 0.0 || out->mesh.low[d] >= (double)cells[d]) {
            char place[64];
            name_mesh_key(k, "place", place);
            return wabe_config_fail(config, wabe_config_is_given(config, place) ? place : path,
                                    "puts the mesh outside the domain: it reaches %s, and "
                                    "domain.cells is [%lld, %lld, %lld]; change scale, rotation or "
                                    "place",
                                    extent_of(&out->mesh, extent, sizeof extent),
                                    (long long)cells[0], (long long)cells[1], (long long)cells[2]);
        }
    return WABE_OK;
}

static wabe_status open_meshes(const wabe_config *config, const wabe_option_list *list,
                               const int64_t cells[3], wabe_lbm_solids *solids) {
    const wabe_mesh_options *o = list->items;
    solids->meshes = calloc((size_t)list->count + 1, sizeof *solids->meshes);
    WABE_CHECK(solids->meshes, WABE_MEMORY, "no memory for %lld meshes", (long long)list->count);
    for (int k = 0; k < list->count; k++) {
        solids->mesh_count++; /* one that is refused is to be freed too */
        WABE_TRY(open_mesh(config, &o[k], k, cells, &solids->meshes[k]));
    }
    return WABE_OK;
}

/* Several planes at a time, as many as memory should be taken for. */
static wabe_status count_cells(wabe_box block, wabe_lbm_mesh *m) {
    wabe_box part = wabe_box_intersect(block, wabe_mesh_box(&m->mesh));
    const int64_t end = part.end[2], plane = wabe_box_plane_cells(part);
    const int64_t planes = plane < CELLS_AT_ONCE ? CELLS_AT_ONCE / (plane + 1) : 1;
    m->count = (wabe_mesh_count){0};
    for (; part.begin[2] < end; part.begin[2] = part.end[2]) {
        part.end[2] = part.begin[2] + planes < end ? part.begin[2] + planes : end;
        WABE_TRY(wabe_mesh_cells(&m->mesh, part, NULL, &m->count));
    }
    return WABE_OK;
}

/* A mesh of which no cell is inside; says why, if that can be told. */
static wabe_status refuse_empty(const wabe_config *config, const char *key,
                                const wabe_lbm_mesh *m) {
    char extent[160], why[160];
    snprintf(why, sizeof why, "check the scale, and that the surface is closed");
    if (m->count.twice > 0 && m->surface.repeated > 0)
        snprintf(why, sizeof why,
                 "%lld of its %lld triangles repeat earlier ones, with which they cancel; take "
                 "them out",
                 (long long)m->surface.repeated, (long long)m->triangles);
    else if (m->count.twice > 0)
        snprintf(why, sizeof why,
                 "%lld are in two parts of the surface at once, which cancel; take one of them out",
                 (long long)m->count.twice);
    return wabe_config_fail(config, key,
                            "no cell's centre in the domain is inside: the mesh reaches %s; %s",
                            extent_of(&m->mesh, extent, sizeof extent), why);
}

/* The same on all processes. */
static wabe_status judge(const wabe_config *config, int k, int64_t cells, const wabe_lbm_mesh *m) {
    char path[64], extent[160];
    const wabe_mesh_count *n = &m->count;
    name_mesh_key(k, "file", path);
    if (n->some == 0)
        return refuse_empty(config, path, m);
    if (m->around && n->inside == cells)
        return wabe_config_fail(config, path,
                                "leaves nothing solid: all cells of the domain are inside, where "
                                "geometry.meshes[%d].fluid puts the fluid: the mesh reaches %s",
                                k, extent_of(&m->mesh, extent, sizeof extent));
    if (n->doubt > n->some / DOUBT_SHARE)
        return wabe_config_fail(config, path,
                                "the surface is not closed: of %lld cells that are inside along "
                                "one of the axes, %lld (%.3g %%) are outside along another, and "
                                "%lld edges belong to an odd number of triangles; at most %.3g %% "
                                "of the cells may be in doubt: close the holes",
                                (long long)n->some, (long long)n->doubt,
                                100.0 * (double)n->doubt / (double)n->some,
                                (long long)m->surface.open_edges, 100.0 / DOUBT_SHARE);
    return WABE_OK;
}

/* The first process examines the surface for all. */
static wabe_status examine(MPI_Comm comm, wabe_lbm_mesh *m) {
    int rank;
    wabe_status status = WABE_OK;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        status = wabe_mesh_examine(&m->mesh, &m->surface);
    MPI_Bcast(&m->surface, sizeof m->surface, MPI_BYTE, 0, comm);
    return wabe_agree(comm, status);
}

wabe_status wabe_lbm_solids_check(MPI_Comm comm, const wabe_config *config, const int64_t cells[3],
                                  wabe_box block, wabe_lbm_solids *solids) {
    for (int k = 0; k < solids->mesh_count; k++) {
        wabe_lbm_mesh *m = &solids->meshes[k];
        WABE_TRY(wabe_agree(comm, count_cells(block, m)));
        int64_t counts[] = {m->count.inside, m->count.some, m->count.doubt, m->count.twice};
        MPI_Allreduce(MPI_IN_PLACE, counts, 4, MPI_INT64_T, MPI_SUM, comm);
        m->count = (wabe_mesh_count){counts[0], counts[1], counts[2], counts[3]};
        WABE_TRY(examine(comm, m));
        WABE_TRY(wabe_agree(comm, judge(config, k, cells[0] * cells[1] * cells[2], m)));
    }
    return WABE_OK;
}

wabe_status wabe_lbm_solids_trim(const wabe_geometry *geometry, wabe_box box,
                                 wabe_lbm_solids *solids) {
    wabe_box images[WABE_IMAGES_MAX];
    const int count = wabe_geometry_images(geometry, box, images);
    for (int k = 0; k < solids->mesh_count; k++) {
        const wabe_raster *raster = &geometry->rasters[k];
        wabe_mesh_trim(&solids->meshes[k].mesh, count, images);
        if (geometry->conditions[raster->condition].kind == WABE_BOUNDARY_curved_wall)
            WABE_TRY(wabe_mesh_find_surface(&solids->meshes[k].mesh));
    }
    return WABE_OK;
}

/* ---- gaps of curved walls ----------------------------------------------------------- */

typedef struct {
    const wabe_geometry *geometry;
    const wabe_raster *raster;
    wabe_lattice lattice;
    wabe_box cells; /* to be looked at */
    int64_t gaps;
} gap_search;

/* Does a link from a fluid cell against velocity e lead to the mesh without meeting its surface? As
 * curved walls do (wabe_tiles_patch), it leaves out links with neither fluid nor a mirror at the
 * cell's other side. Those across a periodic face do not count: what lies beyond it is not a hole,
 * but the cut that the face makes. */
static bool is_gap(const gap_search *s, const wabe_flags *flags, const int64_t cell[3],
                   const int e[3]) {
    const int64_t solid[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
    const int back[3] = {-e[0], -e[1], -e[2]};
    const int64_t *n = s->geometry->cells;
    const wabe_box domain = {.end = {n[0], n[1], n[2]}};
    return wabe_flags_at(flags, solid[0], solid[1], solid[2]) == s->raster->condition + 1 &&
           wabe_link_boundary(s->geometry, flags, cell, back) == 0 &&
           wabe_box_contains(domain, solid[0], solid[1], solid[2]) &&
           isnan(s->raster->cut(s->raster->source, solid, back));
}

static wabe_status find_gaps_in_plane(void *context, const wabe_flags *flags, int64_t z) {
    gap_search *s = context;
    for (int64_t y = s->cells.begin[1]; y < s->cells.end[1]; y++)
        for (int64_t x = s->cells.begin[0]; x < s->cells.end[0]; x++)
            for (int q = 1; wabe_flags_at(flags, x, y, z) == 0 && q < wabe_lattice_flow(s->lattice);
                 q++)
                s->gaps += is_gap(s, flags, (const int64_t[3]){x, y, z},
                                  wabe_lattice_e(s->lattice, q));
    return WABE_OK;
}

wabe_status wabe_lbm_solids_find_gaps(MPI_Comm comm, const wabe_geometry *geometry,
                                      wabe_lattice lattice, wabe_box block,
                                      wabe_lbm_solids *solids) {
    for (int k = 0; k < solids->mesh_count; k++) {
        const wabe_raster *raster = &geometry->rasters[k];
        gap_search s = {.geometry = geometry, .raster = raster, .lattice = lattice};
        if (geometry->conditions[raster->condition].kind != WABE_BOUNDARY_curved_wall)
            continue;
        s.cells = wabe_box_intersect(wabe_box_grow(raster->box, 1), block);
        WABE_TRY(
            wabe_agree(comm, wabe_geometry_visit(geometry, s.cells, 1, 1, find_gaps_in_plane, &s)));
        MPI_Allreduce(&s.gaps, &solids->meshes[k].gaps, 1, MPI_INT64_T, MPI_SUM, comm);
    }
    return WABE_OK;
}

/* ---- heights ------------------------------------------------------------------------ */

/* Refuses heights at which nothing would be solid, and those above the domain. */
static wabe_status check_heights(const wabe_config *config, const wabe_heights *h) {
    const double top = (double)h->cells[h->up];
    const char *const key = "geometry.heights.file";
    if (h->high <= 0.5)
        return wabe_config_fail(config, key,
                                "leaves nothing solid: the heights are %.6g to %.6g cells, none "
                                "above the centres of the first cells; change scale or offset",
                                h->low, h->high);
    if (h->high > top)
        return wabe_config_fail(config, key,
                                "is higher than the domain: the heights are %.6g to %.6g cells, "
                                "and domain.cells has %.0f along %c; change scale or offset, or "
                                "take more cells",
                                h->low, h->high, top, 'x' + h->up);
    return WABE_OK;
}

static wabe_status open_heights(const wabe_config *config, const wabe_heights_options *o,
                                const int64_t cells[3], wabe_heights *out) {
    const wabe_heights_source source = {o->file, o->dataset, o->scale, o->offset};
    if (!o->file[0])
        return WABE_OK;
    out->up = o->up;
    memcpy(out->cells, cells, sizeof out->cells);
    WABE_TRY(blame(config, "geometry.heights.file", wabe_heights_read(&source, out)));
    return check_heights(config, out);
}

/* ---- a city ------------------------------------------------------------------------- */

/* Finds the key that is missing or contradicts another one. */
static wabe_status check_city_keys(const wabe_config *config, const wabe_geometry_options *o) {
    const wabe_city_options *k = &o->city;
    if (!isfinite(k->height))
        return wabe_config_fail(config, "geometry.city.pitch", "needs geometry.city.height");
    if (k->towers > 0.0 && !isfinite(k->tower_height))
        return wabe_config_fail(config, "geometry.city.towers", "needs geometry.city.tower_height");
    if (k->towers == 0.0 && isfinite(k->tower_height))
        return wabe_config_fail(config, "geometry.city.tower_height",
                                "is not used: geometry.city.towers is 0");
    if (o->heights.file[0] && o->heights.up != k->up)
        return wabe_config_fail(config, "geometry.city.up",
                                "contradicts geometry.heights.up: the city stands on the heights");
    return WABE_OK;
}

static wabe_status make_city(const wabe_config *config, const wabe_geometry_options *o,
                             const int64_t cells[3], wabe_lbm_solids *solids) {
    const wabe_city_options *k = &o->city;
    const char *given = isfinite(k->height)      ? "geometry.city.height"
                        : k->kind != 0           ? "geometry.city.kind"
                        : isfinite(k->roughness) ? "geometry.city.roughness"
                                                 : NULL;
    if (!isfinite(k->pitch))
        return given ? wabe_config_fail(config, given, "needs geometry.city.pitch") : WABE_OK;
    WABE_TRY(check_city_keys(config, o));
    wabe_city_plan city = {.pitch = k->pitch,
                           .share = k->share,
                           .height = k->height,
                           .sigma = k->sigma,
                           .towers = k->towers,
                           .tower_height = k->tower_height,
                           .seed = (uint64_t)k->seed};
    for (int d = 0; d < 3; d++) {
        city.low[d] = isfinite(k->low[d]) ? k->low[d] : 0.0;
        city.high[d] = isfinite(k->high[d]) ? k->high[d] : (double)cells[d];
        if (city.low[d] < 0.0 || city.high[d] > (double)cells[d] || !(city.high[d] > city.low[d]))
            return wabe_config_fail(config,
                                    isfinite(k->low[d]) ? "geometry.city.low"
                                                        : "geometry.city.high",
                                    "the city must lie within domain.cells, low below high");
    }
    solids->city.up = k->up;
    memcpy(solids->city.cells, cells, sizeof solids->city.cells);
    return blame(config, "geometry.city.pitch",
                 wabe_city_make(&city, solids->heights.heights ? &solids->heights : NULL,
                                &solids->city, &solids->city_report));
}

/* ---- voxels ------------------------------------------------------------------------- */

/* Sets the meaning of the labels in a list such as "2,5-7". False: malformed, or a repeated
 * label. */
static bool read_labels(const char *text, wabe_label_meaning meaning, wabe_voxels *out) {
    long first, last;
    if (!*text)
        return true;
    while (text) {
        if (!wabe_ranges_next(&text, 255, &first, &last))
            return false;
        for (long label = first; label <= last; label++) {
            if (out->meaning[label] != WABE_LABEL_UNKNOWN)
                return false;
            out->meaning[label] = meaning;
        }
    }
    return true;
}

static wabe_status open_voxels(const wabe_config *config, const wabe_voxel_options *o,
                               const wabe_geometry *geometry, wabe_voxels *v) {
    if (!o->file[0])
        return WABE_OK;
    *v = (wabe_voxels){.format = (wabe_voxel_format)o->format,
                       .file = o->file,
                       .dataset = o->dataset,
                       .header = o->header,
                       .order = (wabe_voxel_order)o->order};
    memcpy(v->size, o->size, sizeof v->size);
    memcpy(v->begin, o->begin, sizeof v->begin);
    memcpy(v->cells, o->cells, sizeof v->cells);
    memcpy(v->at, o->at, sizeof v->at);
    for (int d = 0; d < 3; d++)
        v->mirror[d] = o->mirror >> d & 1;
    if (!read_labels(o->solid, WABE_LABEL_SOLID, v))
        return wabe_config_fail(config, "geometry.voxels.solid",
                                "must list labels from 0 to 255, such as \"1\" or \"2,5-7\", is "
                                "\"%s\"",
                                o->solid);
    if (!read_labels(o->fluid, WABE_LABEL_FLUID, v))
        return wabe_config_fail(config, "geometry.voxels.fluid",
                                "must list labels from 0 to 255 that are not solid, such as \"0\", "
                                "is \"%s\"",
                                o->fluid);
    WABE_TRY(blame(config, "geometry.voxels.file", wabe_voxels_open(v)));
    const wabe_box box = wabe_voxels_box(v);
    for (int d = 0; d < 3; d++)
        if (box.end[d] > geometry->cells[d])
            return wabe_config_fail(config, "domain.cells",
                                    "must hold the voxels, which reach to cell %lld along %c: make "
                                    "it [%lld, %lld, %lld] or more, or use fewer voxels",
                                    (long long)box.end[d] - 1, 'x' + d, (long long)box.end[0],
                                    (long long)box.end[1], (long long)box.end[2]);
    return WABE_OK;
}

/* ---- particles ---------------------------------------------------------------------- */

/* Moves the particles of more to all. */
static wabe_status append(wabe_particles *all, wabe_particles *more) {
    wabe_object *list = realloc(all->list, (size_t)(all->count + more->count + 1) * sizeof *list);
    if (list) {
        memcpy(list + all->count, more->list, (size_t)more->count * sizeof *list);
        all->list = list;
        all->count += more->count;
    }
    wabe_particles_free(more);
    WABE_CHECK(list, WABE_MEMORY, "no memory for the particles");
    return WABE_OK;
}

static wabe_status make_spheres(const wabe_config *config, const wabe_sphere_options *o,
                                const wabe_geometry *geometry, wabe_particles *out) {
    wabe_particles found = {0};
    if (o->file[0]) {
        WABE_TRY(blame(config, "geometry.spheres.file", wabe_particles_read(o->file, &found)));
        WABE_TRY(append(out, &found));
    }
    if (o->array == 0)
        return WABE_OK;
    if (!isfinite(o->radius))
        return wabe_config_fail(config, "geometry.spheres.array", "needs geometry.spheres.radius");
    const double constant = isfinite(o->constant) ? o->constant : (double)geometry->cells[0];
    WABE_TRY(wabe_particles_array((wabe_array)(o->array - 1), constant, o->radius, geometry->cells,
                                  &found));
    return append(out, &found);
}

wabe_boundary wabe_lbm_particles_kind(const wabe_geometry_options *o) {
    return o->spheres.kind || o->bed.kind ? WABE_BOUNDARY_curved_wall : WABE_BOUNDARY_no_slip;
}

/* Spheres and the bed share a condition. */
static wabe_status check_kinds(const wabe_config *config, const wabe_geometry_options *o) {
    const bool spheres = o->spheres.file[0] || o->spheres.array > 0, bed = o->bed.particle > 0;
    if (o->spheres.kind && !spheres)
        return wabe_config_fail(config, "geometry.spheres.kind",
                                "is not used: there are no spheres");
    if (o->bed.kind && !bed)
        return wabe_config_fail(config, "geometry.bed.kind", "is not used: there is no bed");
    if (spheres && bed && o->spheres.kind != o->bed.kind)
        return wabe_config_fail(config, o->bed.kind ? "geometry.bed.kind" : "geometry.spheres.kind",
                                "spheres and the bed are one body: give both kinds the same word");
    return WABE_OK;
}

/* Adds the outside of a tube: a ring that covers the container's corners. */
static wabe_status add_tube(const wabe_packing_options *p, wabe_particles *out) {
    const double width[2] = {p->high[0] - p->low[0], p->high[1] - p->low[1]};
    wabe_particles tube = {1, calloc(1, sizeof *tube.list)};
    WABE_CHECK(tube.list, WABE_MEMORY, "no memory for the particles");
    wabe_object *ring = tube.list;
    *ring = (wabe_object){.shape = WABE_SHAPE_CYLINDER,
                          .radius = width[0] + width[1],
                          .bore = 0.5 * fmin(width[0], width[1])};
    for (int d = 0; d < 2; d++)
        ring->low[d] = ring->high[d] = 0.5 * (p->low[d] + p->high[d]);
    ring->low[2] = p->low[2];
    ring->high[2] = p->high[2];
    return append(out, &tube);
}

static wabe_packing_options packing_of(const wabe_bed_options *o, const wabe_geometry *geometry) {
    bool periodic[3];
    wabe_geometry_periodic(geometry, periodic);
    wabe_packing_options p = {.particle = (wabe_particle)(o->particle - 1),
                              .diameter = o->diameter,
                              .length = isfinite(o->length) ? o->length : o->diameter,
                              .bore = isfinite(o->bore) ? o->bore : 0.6 * o->diameter,
                              .spread = o->spread,
                              .tube = o->container == 1,
                              .porosity = o->porosity,
                              .seed = (uint64_t)o->seed};
    for (int d = 0; d < 3; d++) {
        p.low[d] = isfinite(o->low[d]) ? o->low[d] : 0.0;
        p.high[d] = isfinite(o->high[d]) ? o->high[d] : (double)geometry->cells[d];
    }
    for (int d = 0; d < 2; d++)
        p.periodic[d] = periodic[d] && !p.tube && p.low[d] == 0.0 &&
                        p.high[d] == (double)geometry->cells[d];
    return p;
}

/* Prints progress; false after a signal. */
static bool go_on(void *context, int particles, double share) {
    double *shown = context;
    const double now = MPI_Wtime();
    if (now - *shown >= wabe_report_interval()) {
        wabe_log_progress("bed        %d particles, up to %.0f %% of the container's height",
                          particles, 100.0 * share);
        *shown = now;
    }
    return !wabe_checkpoint_is_signalled();
}

static wabe_status make_bed(const wabe_config *config, const wabe_bed_options *o,
                            const wabe_geometry *geometry, wabe_lbm_solids *solids) {
    if (o->particle == 0)
        return WABE_OK;
    if (!isfinite(o->diameter))
        return wabe_config_fail(config, "geometry.bed.particle", "needs geometry.bed.diameter");
    double shown = MPI_Wtime();
    wabe_packing_options p = packing_of(o, geometry);
    p.go_on = go_on;
    p.context = &shown;
    for (int d = 0; d < 3; d++)
        if (p.low[d] < 0.0 || p.high[d] > (double)geometry->cells[d] || !(p.high[d] > p.low[d]))
            return wabe_config_fail(
                config, d < 3 && isfinite(o->low[d]) ? "geometry.bed.low" : "geometry.bed.high",
                "the bed's container must lie within domain.cells, low below high");
    wabe_particles found = {0};
    WABE_TRY(blame(config, "geometry.bed.particle", wabe_packing_make(&p, &found, &solids->bed)));
    solids->has_bed = true;
    WABE_TRY(append(&solids->particles, &found));
    return p.tube ? add_tube(&p, &solids->particles) : WABE_OK;
}

/* ---- all ---------------------------------------------------------------------------- */

/* Of overlapping rasters the first goes first. */
static wabe_status list_rasters(wabe_geometry *g, wabe_lbm_solids *solids) {
    wabe_raster *list = calloc((size_t)solids->mesh_count + 3, sizeof *list);
    WABE_CHECK(list, WABE_MEMORY, "no memory for the solids");
    g->rasters = solids->rasters = list;
    const wabe_box domain = {.end = {g->cells[0], g->cells[1], g->cells[2]}};
    int condition = g->solid;
    for (int k = 0; k < solids->mesh_count; k++) {
        const wabe_lbm_mesh *m = &solids->meshes[k];
        list[g->raster_count++] = m->around ? wabe_mesh_raster_around(&m->mesh, domain, ++condition)
                                            : wabe_mesh_raster(&m->mesh, ++condition);
    }
    if (solids->heights.heights)
        list[g->raster_count++] = wabe_heights_raster(&solids->heights, ++condition);
    if (solids->city.heights)
        list[g->raster_count++] = wabe_heights_raster(&solids->city, ++condition);
    if (solids->voxels.file)
        list[g->raster_count++] = wabe_voxels_raster(&solids->voxels, g->solid);
    return WABE_OK;
}

wabe_status wabe_lbm_solids_make(const wabe_config *config, const wabe_geometry_options *o,
                                 wabe_geometry *geometry, wabe_lbm_solids *solids) {
    *solids = (wabe_lbm_solids){0};
    WABE_TRY(open_meshes(config, &o->meshes, geometry->cells, solids));
    WABE_TRY(open_heights(config, &o->heights, geometry->cells, &solids->heights));
    WABE_TRY(make_city(config, o, geometry->cells, solids));
    WABE_TRY(open_voxels(config, &o->voxels, geometry, &solids->voxels));
    WABE_TRY(list_rasters(geometry, solids));
    WABE_TRY(check_kinds(config, o));
    WABE_TRY(make_spheres(config, &o->spheres, geometry, &solids->particles));
    WABE_TRY(make_bed(config, &o->bed, geometry, solids));
    geometry->particles = solids->particles.list;
    geometry->particle_count = solids->particles.count;
    if (wabe_lbm_particles_kind(o) != WABE_BOUNDARY_curved_wall)
        return WABE_OK;
    geometry->bins = &solids->bins;
    return wabe_particle_bins_make(geometry->particles, geometry->particle_count, geometry->cells,
                                   &solids->bins);
}

void wabe_lbm_solids_free(wabe_lbm_solids *solids) {
    for (int k = 0; k < solids->mesh_count; k++)
        wabe_mesh_free(&solids->meshes[k].mesh);
    free(solids->meshes);
    wabe_heights_free(&solids->heights);
    wabe_heights_free(&solids->city);
    free(solids->rasters);
    wabe_particles_free(&solids->particles);
    wabe_particle_bins_free(&solids->bins);
    *solids = (wabe_lbm_solids){0};
}

wabe_status wabe_lbm_solids_blame(const wabe_config *config, wabe_status status) {
    return status == WABE_INPUT && wabe_config_is_given(config, "geometry.voxels.file")
               ? wabe_config_fail_because(config, "geometry.voxels.file", "cannot be used")
               : status;
}

/* Counts the fluid cells of the first row of a block that has any. */
static wabe_status find_fluid(const wabe_geometry *g, wabe_box block, int64_t *fluid) {
    const int64_t rows = wabe_box_extent(block, 1);
    wabe_box row = block;
    *fluid = 0;
    for (int64_t i = 0; i < rows * wabe_box_extent(block, 2) && *fluid == 0; i++) {
        row.begin[1] = block.begin[1] + i % rows;
        row.begin[2] = block.begin[2] + i / rows;
        row.end[1] = row.begin[1] + 1;
        row.end[2] = row.begin[2] + 1;
        WABE_TRY(wabe_geometry_count(g, row, fluid));
    }
    return WABE_OK;
}

wabe_status wabe_lbm_solids_check_fluid(MPI_Comm comm, const wabe_config *config,
                                        const wabe_geometry *g, wabe_box block) {
    int64_t fluid = 0;
    WABE_TRY(wabe_agree(comm, find_fluid(g, block, &fluid)));
    MPI_Allreduce(MPI_IN_PLACE, &fluid, 1, MPI_INT64_T, MPI_MAX, comm);
    return fluid > 0
               ? WABE_OK
               : wabe_config_fail(config, g->object_count > 0 ? "geometry.objects" : "geometry",
                                  "leaves no cell of the domain to the fluid");
}
