/* Warnings about bodies in a flow: meshes and objects. */
#include "apps/lbm/lbm.h"

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
                      "are fluid; unite the parts, or put them into files of their own",
                      m->file, (long long)m->count.twice);
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
}
