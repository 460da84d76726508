#include "core/geometry/geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- conditions --------------------------------------------------------------------- */

/* Rounded: last digits of cos depend on the processor. */
static double ramp_at(int64_t ramp, double time) {
    const double part = time / (double)ramp;
    return part < 1.0 ? nearbyint(0x1p40 * 0.5 * (1.0 - cos(PI * part))) * 0x1p-40 : 1.0;
}

wabe_condition wabe_condition_at(const wabe_condition *condition, int64_t ramp, double time) {
    wabe_condition now = *condition;
    const double factor = wabe_table_at(now.in_time, time);
    const double part = ramp > 0 ? ramp_at(ramp, time) : 1.0;
    now.density *= factor;
    for (int d = 0; d < 3; d++) {
        now.velocity[d] *= factor * part;
        now.spin[d] *= factor * part;
    }
    return now;
}

WABE_ENUM_DEFINE(boundary, WABE_BOUNDARIES)

enum { CELLS_AT_ONCE = 16 << 20 };

static bool is_inside(const wabe_object *object, const double p[3]) {
    if (object->shape == WABE_SHAPE_BOX) {
        for (int d = 0; d < 3; d++)
            if (p[d] < object->low[d] || p[d] > object->high[d])
                return false;
        return true;
    }
    double axis[3] = {0, 0, 0}, from[3], along = 0.0, length = 0.0, distance = 0.0;
    for (int d = 0; d < 3; d++) {
        const bool sphere = object->shape == WABE_SHAPE_SPHERE;
        axis[d] = sphere ? 0.0 : object->high[d] - object->low[d];
        from[d] = p[d] - (sphere ? object->center[d] : object->low[d]);
        along += axis[d] * from[d];
        length += axis[d] * axis[d];
    }
    const double share = length > 0.0 ? along / length : 0.0;
    for (int d = 0; d < 3; d++)
        distance += (from[d] - share * axis[d]) * (from[d] - share * axis[d]);
    return share >= 0.0 && share <= 1.0 && distance <= object->radius * object->radius &&
           distance >= object->bore * object->bore;
}

/* By bisection, finer than links are divided. 1/2, as of walls of cells: both cells lie inside,
 * since the domain is periodic, or outside, since a mirror image is solid. */
static double cut_object(const wabe_object *object, const int64_t cell[3], const int way[3]) {
    double outside = 0.0, inside = 1.0, from[3], to[3];
    for (int d = 0; d < 3; d++) {
        to[d] = (double)cell[d] + 0.5;
        from[d] = to[d] - way[d];
    }
    if (is_inside(object, from) || !is_inside(object, to))
        return 0.5;
    for (int i = 0; i < 16; i++) {
        const double part = 0.5 * (outside + inside);
        double p[3];
        for (int d = 0; d < 3; d++)
            p[d] = (double)cell[d] + 0.5 - (1.0 - part) * way[d];
        *(is_inside(object, p) ? &inside : &outside) = part;
    }
    return 0.5 * (outside + inside);
}

/* The first particle that a link meets, of those that hold its end. */
static double cut_particles(const wabe_geometry *g, const int64_t cell[3], const int way[3]) {
    const int64_t bin = wabe_particle_bins_at(g->bins, cell);
    const double to[3] = {(double)cell[0] + 0.5, (double)cell[1] + 0.5, (double)cell[2] + 0.5};
    double least = INFINITY;
    for (int64_t i = g->bins->first[bin]; i < g->bins->first[bin + 1]; i++) {
        const wabe_object *particle = &g->particles[g->bins->particles[i]];
        if (is_inside(particle, to))
            least = fmin(least, cut_object(particle, cell, way));
    }
    return isfinite(least) ? least : 0.5;
}

double wabe_geometry_cut(const wabe_geometry *g, int condition, const int64_t cell[3],
                         const int way[3]) {
    if (condition >= WABE_FACES && condition < WABE_FACES + g->object_count)
        return cut_object(&g->objects[condition - WABE_FACES], cell, way);
    if (condition == g->solid && g->bins)
        return cut_particles(g, cell, way);
    for (int k = 0; k < g->raster_count; k++)
        if (g->rasters[k].condition == condition && g->rasters[k].cut) {
            const double part = g->rasters[k].cut(g->rasters[k].source, cell, way);
            return isnan(part) ? 0.5 : part;
        }
    return 0.5;
}

void wabe_geometry_periodic(const wabe_geometry *geometry, bool periodic[3]) {
    for (int d = 0; d < 3; d++)
        periodic[d] = geometry->conditions[2 * d].kind == WABE_BOUNDARY_periodic;
}

unsigned wabe_geometry_outside(const wabe_geometry *geometry, const int64_t cell[3]) {
    unsigned axes = 0;
    for (int d = 0; d < 3; d++)
        if ((cell[d] < 0 || cell[d] >= geometry->cells[d]) &&
            geometry->conditions[2 * d].kind != WABE_BOUNDARY_periodic)
            axes |= 1u << d;
    return axes;
}

/* The flag of a cell behind a face; beyond the ends of the face's axis that of the end, or of the
 * other end of a periodic axis. */
static uint8_t id_of_face(const wabe_geometry *geometry, int face, const int64_t cell[3]) {
    const wabe_face_levels *levels = &geometry->levels[face];
    if (!levels->conditions)
        return (uint8_t)(face + 1);
    const int64_t count = geometry->cells[levels->axis], last = count - 1;
    int64_t at = cell[levels->axis];
    if (geometry->conditions[2 * levels->axis].kind == WABE_BOUNDARY_periodic)
        at = (at % count + count) % count;
    return (uint8_t)(levels->conditions[at < 0 ? 0 : at > last ? last : at] + 1);
}

/* Where two faces meet, the order of wabe_boundary decides. */
static uint8_t id_behind_faces(const wabe_geometry *geometry, const int64_t cell[3],
                               unsigned axes) {
    int best = -1;
    for (int d = 0; d < 3; d++) {
        if (!(axes >> d & 1))
            continue;
        const int face = 2 * d + (cell[d] < 0 ? 0 : 1);
        if (best < 0 || geometry->conditions[face].kind < geometry->conditions[best].kind)
            best = face;
    }
    return id_of_face(geometry, best, cell);
}

/* ---- the cells of a box ------------------------------------------------------------- */

static uint8_t id_outside(const wabe_geometry *geometry, int64_t x, int64_t y, int64_t z) {
    const int64_t cell[3] = {x, y, z};
    const unsigned axes = wabe_geometry_outside(geometry, cell);
    return axes ? id_behind_faces(geometry, cell, axes) : 0;
}

/* Between the domain's faces all cells of a row are alike, unless a face has levels along x. */
static void mark_outside(const wabe_geometry *geometry, const wabe_flags *flags) {
    const wabe_box *b = &flags->box;
    uint8_t *id = flags->ids;
    bool alike = true;
    for (int face = 0; face < WABE_FACES; face++)
        alike &= !geometry->levels[face].conditions || geometry->levels[face].axis != 0;
    for (int64_t z = b->begin[2]; z < b->end[2]; z++)
        for (int64_t y = b->begin[1]; y < b->end[1]; y++)
            for (int64_t x = b->begin[0]; x < b->end[0];) {
                const bool inside = alike && x >= 0 && x < geometry->cells[0];
                const int64_t last = inside ? geometry->cells[0] : x + 1;
                const int64_t end = last < b->end[0] ? last : b->end[0];
                memset(id, id_outside(geometry, x, y, z), (size_t)(end - x));
                id += end - x;
                x = end;
            }
}

/* The part of a box of flags that lies in the domain, or in one of its periodic images. */
typedef struct {
    const wabe_flags *flags;
    wabe_box box;     /* domain indices */
    int64_t shift[3]; /* from domain indices to the flags' indices */
} image;

static void mark(const image *to, int64_t x, int64_t y, int64_t z, uint8_t id) {
    *wabe_flags_place(to->flags, x + to->shift[0], y + to->shift[1], z + to->shift[2]) = id;
}

wabe_box wabe_geometry_object_box(const wabe_object *o) {
    wabe_box box;
    for (int d = 0; d < 3; d++) {
        const bool sphere = o->shape == WABE_SHAPE_SPHERE;
        const double reach = o->shape == WABE_SHAPE_BOX ? 0.0 : o->radius;
        const double a = sphere ? o->center[d] : o->low[d], b = sphere ? a : o->high[d];
        box.begin[d] = (int64_t)fmax(floor(fmin(a, b) - reach - 0.5), INT32_MIN);
        box.end[d] = (int64_t)fmin(ceil(fmax(a, b) + reach + 0.5), INT32_MAX);
    }
    return box;
}

static void mark_object(const image *to, const wabe_object *object, uint8_t id) {
    const wabe_box box = wabe_box_intersect(wabe_geometry_object_box(object), to->box);
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++) {
                const double center[3] = {(double)x + 0.5, (double)y + 0.5, (double)z + 0.5};
                if (is_inside(object, center))
                    mark(to, x, y, z, id);
            }
}

/* Marks the cells of a box that are solid, given x fastest. */
static void mark_solid(const image *to, wabe_box box, const uint8_t *solid, uint8_t id) {
    const int64_t nx = wabe_box_extent(box, 0);
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++, solid += nx) {
            uint8_t *row = wabe_flags_place(to->flags, box.begin[0] + to->shift[0],
                                            y + to->shift[1], z + to->shift[2]);
            for (int64_t i = 0; i < nx; i++)
                row[i] = solid[i] ? id : row[i];
        }
}

/* Reads several planes at a time: that takes little memory compared with the flags, and suits files
 * whose fastest index is z, or that have compressed chunks. */
static wabe_status mark_raster(const image *to, const wabe_raster *raster) {
    const wabe_box all = wabe_box_intersect(raster->box, to->box);
    if (wabe_box_is_empty(all))
        return WABE_OK;
    const int64_t plane = wabe_box_plane_cells(all);
    int64_t planes = plane < CELLS_AT_ONCE ? CELLS_AT_ONCE / plane : 1;
    planes = planes < wabe_box_extent(all, 2) ? planes : wabe_box_extent(all, 2);
    uint8_t *solid = malloc((size_t)(planes * plane));
    WABE_CHECK(solid, WABE_MEMORY, "no memory for %lld solid cells", (long long)(planes * plane));
    wabe_status status = WABE_OK;
    wabe_box box = all;
    for (box.end[2] = box.begin[2]; box.end[2] < all.end[2] && status == WABE_OK;) {
        box.begin[2] = box.end[2];
        box.end[2] = box.begin[2] + planes < all.end[2] ? box.begin[2] + planes : all.end[2];
        status = raster->read(raster->source, box, solid);
        if (status == WABE_OK)
            mark_solid(to, box, solid, (uint8_t)(raster->condition + 1));
    }
    free(solid);
    return status;
}

/* Later marks overwrite earlier ones, so what goes first comes last. */
static wabe_status mark_bodies(const wabe_geometry *g, const image *to) {
    for (int k = 0; k < g->particle_count; k++)
        mark_object(to, &g->particles[k], (uint8_t)(g->solid + 1));
    for (int k = g->raster_count - 1; k >= 0; k--)
        WABE_TRY(mark_raster(to, &g->rasters[k]));
    for (int k = g->object_count - 1; k >= 0; k--)
        mark_object(to, &g->objects[k], (uint8_t)(WABE_FACES + k + 1));
    return WABE_OK;
}

/* Finds image k of the domain, one of WABE_IMAGES_MAX. False: a box shows none of it. */
static bool find_image(const wabe_geometry *geometry, wabe_box box, int k, image *out) {
    const int step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    bool periodic[3], exists = true;
    wabe_box domain = {{0}, {0}};
    wabe_geometry_periodic(geometry, periodic);
    for (int d = 0; d < 3; d++) {
        exists &= step[d] == 0 || periodic[d];
        out->shift[d] = step[d] * geometry->cells[d];
        domain.end[d] = geometry->cells[d];
        out->box.begin[d] = box.begin[d] - out->shift[d];
        out->box.end[d] = box.end[d] - out->shift[d];
    }
    out->box = wabe_box_intersect(out->box, domain);
    return exists && !wabe_box_is_empty(out->box);
}

int wabe_geometry_images(const wabe_geometry *geometry, wabe_box box,
                         wabe_box out[WABE_IMAGES_MAX]) {
    int count = 0;
    for (int k = 0; k < WABE_IMAGES_MAX; k++) {
        image found = {0};
        if (find_image(geometry, box, k, &found))
            out[count++] = found.box;
    }
    return count;
}

static wabe_status mark_images(const wabe_geometry *geometry, const wabe_flags *flags) {
    for (int k = 0; k < WABE_IMAGES_MAX; k++) {
        image to = {.flags = flags};
        if (find_image(geometry, flags->box, k, &to))
            WABE_TRY(mark_bodies(geometry, &to));
    }
    return WABE_OK;
}

/* The condition of a solid's cell that moves; indices may be those of a periodic image. */
static uint8_t id_in_motion(const wabe_geometry *g, const wabe_motion *motion,
                            const int64_t place[3]) {
    int64_t cell[3];
    for (int d = 0; d < 3; d++)
        cell[d] = (place[d] + g->cells[d]) % g->cells[d];
    return (uint8_t)(1 + motion->condition_of(motion->source, cell));
}

static void mark_motion(const wabe_geometry *g, const wabe_motion *motion,
                        const wabe_flags *flags) {
    const wabe_box b = flags->box;
    uint8_t *id = flags->ids;
    for (int64_t z = b.begin[2]; z < b.end[2]; z++)
        for (int64_t y = b.begin[1]; y < b.end[1]; y++)
            for (int64_t x = b.begin[0]; x < b.end[0]; x++, id++)
                if (*id == motion->condition + 1)
                    *id = id_in_motion(g, motion, (const int64_t[3]){x, y, z});
}

/* Cells outside the mask's box have not been examined for filling: fails rather than return wrong
 * flags. */
static wabe_status mark_filled(const wabe_geometry *g, const wabe_flags *flags) {
    const wabe_box b = flags->box;
    const int64_t nx = wabe_box_extent(b, 0);
    uint8_t *ids = flags->ids;
    if (!g->filled)
        return WABE_OK;
    WABE_CHECK(wabe_box_cells(wabe_box_intersect(b, g->filled->box)) == wabe_box_cells(b),
               WABE_INTERNAL, "flags are wanted of cells that nobody has looked at for filling");
    for (int64_t z = b.begin[2]; z < b.end[2]; z++)
        for (int64_t y = b.begin[1]; y < b.end[1]; y++, ids += nx) {
            const int64_t place = wabe_mask_place(g->filled, b.begin[0], y, z);
            for (int64_t i = 0; i < nx; i++)
                if (ids[i] == 0 && wabe_bits_has(g->filled->bits, place + i))
                    ids[i] = (uint8_t)(g->solid + 1);
        }
    return WABE_OK;
}

wabe_status wabe_geometry_flags(const wabe_geometry *geometry, wabe_box box, wabe_flags *flags) {
    flags->box = box;
    flags->ids = malloc((size_t)wabe_box_cells(box));
    WABE_CHECK(
        flags->ids, WABE_MEMORY,
        "no memory to mark the solid cells among %lld cells: use more processes, or a smaller "
        "domain",
        (long long)wabe_box_cells(box));
    mark_outside(geometry, flags);
    wabe_status status = mark_images(geometry, flags);
    for (int k = 0; k < geometry->motion_count && status == WABE_OK; k++)
        mark_motion(geometry, &geometry->motions[k], flags);
    if (status == WABE_OK)
        status = mark_filled(geometry, flags);
    if (status != WABE_OK)
        wabe_flags_free(flags);
    return status;
}

void wabe_flags_free(wabe_flags *flags) {
    free(flags->ids);
    flags->ids = NULL;
}

enum { PLANES_AT_ONCE = 32 }; /* whose flags are stored */

wabe_status wabe_geometry_visit(const wabe_geometry *geometry, wabe_box box, int before, int after,
                                wabe_plane_visitor *visit, void *context) {
    for (int64_t first = box.begin[2]; first < box.end[2]; first += PLANES_AT_ONCE) {
        const int64_t end = first + PLANES_AT_ONCE < box.end[2] ? first + PLANES_AT_ONCE
                                                                : box.end[2];
        wabe_box part = box;
        wabe_flags flags;
        part.begin[2] = first;
        part.end[2] = end;
        for (int d = 0; d < 3; d++) {
            part.begin[d] -= before;
            part.end[d] += after;
        }
        WABE_TRY(wabe_geometry_flags(geometry, part, &flags));
        wabe_status status = WABE_OK;
        for (int64_t z = first; z < end && status == WABE_OK; z++)
            status = visit(context, &flags, z);
        wabe_flags_free(&flags);
        WABE_TRY(status);
    }
    return WABE_OK;
}

static wabe_status count_plane(void *context, const wabe_flags *flags, int64_t z) {
    int64_t **fluid = context;
    const int64_t cells = wabe_box_plane_cells(flags->box);
    const uint8_t *ids = wabe_flags_place(flags, flags->box.begin[0], flags->box.begin[1], z);
    int64_t count = 0;
    for (int64_t i = 0; i < cells; i++)
        count += ids[i] == 0;
    *(*fluid)++ = count;
    return WABE_OK;
}

wabe_status wabe_geometry_count(const wabe_geometry *geometry, wabe_box box, int64_t *fluid) {
    return wabe_geometry_visit(geometry, box, 0, 0, count_plane, &fluid);
}
