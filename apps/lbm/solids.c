#include "apps/lbm/solids.h"

#include "apps/runtime/checkpoint_policy.h"
#include "apps/runtime/report.h"
#include "core/base/log.h"
#include "core/base/ranges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reports an error with the line of the key that caused it. */
static wabe_status blame(const wabe_config *config, const char *key, wabe_status status) {
    if (status == WABE_INPUT || status == WABE_FILE)
        wabe_config_fail_because(config, key, "cannot be used");
    return status;
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
                               wabe_geometry *geometry, wabe_voxels *v) {
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
    geometry->voxels = v;
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

wabe_status wabe_lbm_solids_make(const wabe_config *config, const wabe_voxel_options *voxels,
                                 const wabe_sphere_options *spheres, const wabe_bed_options *bed,
                                 wabe_geometry *geometry, wabe_lbm_solids *solids) {
    *solids = (wabe_lbm_solids){0};
    WABE_TRY(open_voxels(config, voxels, geometry, &solids->voxels));
    WABE_TRY(make_spheres(config, spheres, geometry, &solids->particles));
    WABE_TRY(make_bed(config, bed, geometry, solids));
    geometry->particles = solids->particles.list;
    geometry->particle_count = solids->particles.count;
    return WABE_OK;
}

void wabe_lbm_solids_free(wabe_lbm_solids *solids) {
    wabe_particles_free(&solids->particles);
    *solids = (wabe_lbm_solids){0};
}
