/* Warnings about bodies in a flow: meshes and objects. */
#include "apps/lbm/lbm.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define THICKNESS_MIN 4.0 /* cells: thinner bodies are not resolved */

/* ---- the files of meshes ------------------------------------------------------------ */

static void warn_of_file(const wabe_run *run, const char *key, const wabe_lbm_mesh *m) {
    if (m->mesh.surplus > 0)
        wabe_run_warn(run, key,
                      "%s: %lld bytes behind its %lld triangles are skipped; is the file damaged?",
                      m->file, (long long)m->mesh.surplus, (long long)m->triangles);
}

static void warn_of_holes(const wabe_run *run, const char *key, const wabe_lbm_mesh *m) {
    char cells[160] = "", links[160] = "";
    if (m->surface.open_edges == 0 && m->count.doubt == 0 && m->gaps == 0)
        return;
    if (m->count.doubt > 0)
        snprintf(cells, sizeof cells,
                 "; %lld cells are inside along one axis and outside along another, two axes "
                 "decide",
                 (long long)m->count.doubt);
    if (m->gaps > 0)
        snprintf(links, sizeof links,
                 "; %lld links from the fluid to the curved wall meet no triangle, and the wall "
                 "lies half-way on them",
                 (long long)m->gaps);
    wabe_run_warn(run, key,
                  "%s: the surface is not closed: %lld edges belong to an odd number of "
                  "triangles%s%s; close the holes",
                  m->file, (long long)m->surface.open_edges, cells, links);
}

static void warn_of_parts(const wabe_run *run, const char *key, const wabe_lbm_mesh *m) {
    if (m->surface.repeated > 0)
        wabe_run_warn(run, key,
                      "%s: %lld of its %lld triangles repeat earlier ones: each such pair cancels; "
                      "take out what occurs twice",
                      m->file, (long long)m->surface.repeated, (long long)m->triangles);
    if (m->count.twice > 0 && m->surface.turned_edges == 0)
        wabe_run_warn(run, key,
                      "%s: closed parts of the surface overlap: %lld cells that are in two of them "
                      "are %s; unite the parts%s",
                      m->file, (long long)m->count.twice, m->around ? "solid" : "fluid",
                      m->around ? "" : ", or put them into files of their own");
}

/* ---- where bodies lie, and how thick they are --------------------------------------- */

/* Lengths in cells. */
typedef struct {
    char group[64];  /* of its keys */
    const char *key; /* in the group, that a warning names */
    int condition;   /* of its surface */
    double low[3], high[3];
    double thickness;    /* however it lies; INFINITY: as low and high say */
    bool around;         /* it is what flows, and all around it is solid */
    bool is_straight[3]; /* it has the same cross-section all along this axis */
} body;

static body object_body(const wabe_object *o, int k) {
    body b = {.key = "shape", .condition = WABE_FACES + k, .thickness = INFINITY};
    double axis[3] = {0.0, 0.0, 0.0}, square = 0.0;
    snprintf(b.group, sizeof b.group, "geometry.objects[%d]", k);
    for (int d = 0; d < 3 && o->shape == WABE_SHAPE_CYLINDER; d++) {
        axis[d] = o->high[d] - o->low[d];
        square += axis[d] * axis[d];
    }
    for (int d = 0; d < 3; d++) {
        const bool sphere = o->shape == WABE_SHAPE_SPHERE, box = o->shape == WABE_SHAPE_BOX;
        const double along = square > 0.0 ? axis[d] * axis[d] / square : 0.0;
        const double reach = box ? 0.0 : o->radius * sqrt(1.0 - along);
        b.low[d] = (sphere ? o->center[d] : fmin(o->low[d], o->high[d])) - reach;
        b.high[d] = (sphere ? o->center[d] : fmax(o->low[d], o->high[d])) + reach;
        b.is_straight[d] = box || along == 1.0;
    }
    if (o->shape == WABE_SHAPE_CYLINDER)
        b.thickness = o->bore > 0.0 ? o->radius - o->bore : 2.0 * o->radius;
    return b;
}

typedef struct {
    const wabe_condition *conditions;
    const int64_t *cells;
    int count;
    body bodies[WABE_CONDITIONS_MAX];
} body_list;

/* Does it pass all cells along an axis? */
static bool spans(const body *b, const int64_t cells[3], int d) {
    return b->low[d] <= 0.5 && b->high[d] >= (double)cells[d] - 0.5;
}

/* What is thin in a mesh that spans the domain is often the domain. */
static body mesh_body(const wabe_lbm_case *c, int k) {
    const wabe_lbm_mesh *m = &c->solids.meshes[k];
    const wabe_mesh *mesh = &m->mesh;
    body b = {.key = "file",
              .condition = c->solids.rasters[k].condition,
              .thickness = INFINITY,
              .around = m->around};
    bool spanning = false;
    snprintf(b.group, sizeof b.group, "geometry.meshes[%d]", k);
    memcpy(b.low, mesh->low, sizeof b.low);
    memcpy(b.high, mesh->high, sizeof b.high);
    for (int d = 0; d < 3; d++) {
        spanning |= spans(&b, c->simulation.geometry.cells, d);
        b.thickness = fmin(b.thickness, mesh->size[d]);
    }
    if (isfinite(m->surface.mean_line)) /* so that a sphere has its diameter */
        b.thickness = fmin(b.thickness, 1.5 * m->surface.mean_line);
    if (spanning)
        b.thickness = INFINITY;
    return b;
}

/* The thickness of what lies in the domain, or across a periodic face. A layer along a face is a
 * wall: INFINITY. */
static double thickness_of(const body_list *list, const body *b) {
    const int64_t *cells = list->cells;
    double least = b->thickness;
    for (int d = 0; d < 3; d++) {
        const bool periodic = list->conditions[2 * d].kind == WABE_BOUNDARY_periodic;
        const double n = (double)cells[d];
        const double low = periodic ? b->low[d] : fmax(b->low[d], 0.0);
        const double high = periodic ? b->high[d] : fmin(b->high[d], n);
        const bool at_face = b->low[d] <= 0.5 || b->high[d] >= n - 0.5;
        if (spans(b, cells, d))
            continue;
        if (at_face && spans(b, cells, (d + 1) % 3) && spans(b, cells, (d + 2) % 3))
            return INFINITY;
        least = fmin(least, high - low);
    }
    return least;
}

/* Is there a body like this one, moved by the domain's length to the other side of a face? */
static bool goes_on(const body_list *list, const body *b, int face, double length) {
    bool found = false;
    for (int k = 0; k < list->count && !found; k++) {
        double off = 0.0;
        for (int d = 0; d < 3; d++) {
            const double move = d != face / 2 ? 0.0 : face % 2 ? -length : length;
            off = fmax(off, fabs(list->bodies[k].low[d] - b->low[d] - move));
            off = fmax(off, fabs(list->bodies[k].high[d] - b->high[d] - move));
        }
        found = off < 0.5;
    }
    return found;
}

static bool lets_fluid_pass(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_velocity || kind == WABE_BOUNDARY_pressure ||
           kind == WABE_BOUNDARY_pressure_normal;
}

/* Returns the face that cuts off a part of the body whose loss nobody means, -1 if none does. A
 * body that goes on into a wall stands on it, one that passes the whole domain goes on outside, and
 * so does a straight one through an inlet or outlet. A vessel is cut open there. */
static int cutting_face(const body_list *list, const body *b, double *beyond) {
    for (int face = 0; face < WABE_FACES; face++) {
        const int d = face / 2;
        const wabe_boundary kind = list->conditions[face].kind;
        *beyond = face % 2 ? b->high[d] - (double)list->cells[d] : -b->low[d];
        if (*beyond <= 0.5 || spans(b, list->cells, d))
            continue;
        if (kind == WABE_BOUNDARY_periodic
                ? !goes_on(list, b, face, (double)list->cells[d])
                : lets_fluid_pass(kind) && !b->is_straight[d] && !b->around)
            return face;
    }
    return -1;
}

/* Of many bodies with the same fault the first one is described. */
enum { OUTSIDE, CUT, ENDED, THIN, FAULTS };

typedef struct {
    int count;
    char key[80], text[400];
} fault;

static void add_fault(fault *f, const body *b, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void add_fault(fault *f, const body *b, const char *format, ...) {
    va_list arguments;
    if (f->count++ > 0)
        return;
    const int length = snprintf(f->text, sizeof f->text, "%s ", b->group);
    snprintf(f->key, sizeof f->key, "%s.%s", b->group, b->key);
    va_start(arguments, format);
    vsnprintf(f->text + length, sizeof f->text - (size_t)length, format, arguments);
    va_end(arguments);
}

static void add_cut(const body_list *list, const body *b, fault *f) {
    double beyond;
    const int face = cutting_face(list, b, &beyond);
    if (face < 0)
        return;
    if (list->conditions[face].kind == WABE_BOUNDARY_periodic)
        add_fault(f, b,
                  "reaches %.4g cells beyond %s, where it is cut off: though periodic, the domain "
                  "does not have this part at %s; add it there, moved by domain.cells, or move "
                  "it inside",
                  beyond, wabe_face_name(face), wabe_face_name(face ^ 1));
    else
        add_fault(f, b,
                  "reaches %.4g cells beyond %s, where it is cut off: move it inside, or take more "
                  "cells",
                  beyond, wabe_face_name(face));
}

/* Links of a curved wall across a periodic face would meet the end of what goes on there. */
static void add_end(const body_list *list, const body *b, fault *f) {
    if (list->conditions[b->condition].kind != WABE_BOUNDARY_curved_wall)
        return;
    for (int d = 0; d < 3; d++) {
        const bool low = b->low[d] > -0.5, high = b->high[d] < (double)list->cells[d] + 0.5;
        if (list->conditions[2 * d].kind != WABE_BOUNDARY_periodic || !spans(b, list->cells, d) ||
            !(low || high))
            continue;
        add_fault(f, b,
                  "ends at %s, where the domain is periodic: let it reach a cell beyond, or its "
                  "end is a part of the curved wall",
                  wabe_face_name(2 * d + !low));
        return;
    }
}

static void look_at(const body_list *list, const body *b, fault faults[FAULTS]) {
    const int64_t *n = list->cells;
    bool outside = false;
    for (int d = 0; d < 3; d++)
        outside |= b->high[d] < 0.5 || b->low[d] > (double)n[d] - 0.5;
    if (outside) {
        add_fault(&faults[OUTSIDE], b,
                  "lies outside the domain: it reaches from (%.6g, %.6g, %.6g) to (%.6g, %.6g, "
                  "%.6g) cells",
                  b->low[0], b->low[1], b->low[2], b->high[0], b->high[1], b->high[2]);
        return;
    }
    add_cut(list, b, &faults[CUT]);
    add_end(list, b, &faults[ENDED]);
    if (thickness_of(list, b) < THICKNESS_MIN &&
        !lets_fluid_pass(list->conditions[b->condition].kind))
        add_fault(&faults[THIN], b,
                  "is %.3g cells %s has fewer than %g cells is not resolved; use more cells",
                  thickness_of(list, b),
                  b->around ? "wide: the flow inside what" : "thick: the flow around what",
                  THICKNESS_MIN);
}

/* Each body has a condition of its own, so there are not more. */
static void warn_of_places(const wabe_run *run) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    fault faults[FAULTS] = {{0}};
    body_list list = {.conditions = c->conditions, .cells = c->simulation.geometry.cells};
    for (int k = 0; k < c->object_count; k++)
        list.bodies[list.count++] = object_body(&c->objects[k], k);
    for (int k = 0; k < c->solids.mesh_count; k++)
        list.bodies[list.count++] = mesh_body(c, k);
    for (int k = 0; k < list.count; k++)
        look_at(&list, &list.bodies[k], faults);
    for (int i = 0; i < FAULTS; i++)
        if (faults[i].count > 1)
            wabe_run_warn(run, faults[i].key, "%s (and so for %d more)", faults[i].text,
                          faults[i].count - 1);
        else if (faults[i].count == 1)
            wabe_run_warn(run, faults[i].key, "%s", faults[i].text);
}

/* ---- all ---------------------------------------------------------------------------- */

void wabe_flow_warn_of_extents(const wabe_run *run) {
    const wabe_lbm_solids *s = &wabe_flow_of(run)->lbm_case.solids;
    for (int k = 0; k < s->mesh_count; k++) {
        char key[64];
        snprintf(key, sizeof key, "geometry.meshes[%d].file", k);
        warn_of_file(run, key, &s->meshes[k]);
        warn_of_holes(run, key, &s->meshes[k]);
        warn_of_parts(run, key, &s->meshes[k]);
    }
    warn_of_places(run);
}
