/* Warnings about bodies in a flow: meshes and objects. */
#include "apps/lbm/lbm.h"

/* ---- the files of meshes ------------------------------------------------------------ */

static void warn_of_file(const wabe_run *run, const char *key, const wabe_lbm_mesh *m) {
    if (m->mesh.surplus > 0)
        wabe_run_warn(run, key,
                      "%s: %lld bytes behind its %lld triangles are skipped; is the file damaged?",
                      m->file, (long long)m->mesh.surplus, (long long)m->triangles);
}

/* ---- all ---------------------------------------------------------------------------- */

void wabe_flow_warn_of_extents(const wabe_run *run) {
    const wabe_lbm_solids *s = &wabe_flow_of(run)->lbm_case.solids;
    for (int k = 0; k < s->mesh_count; k++) {
        char key[64];
        snprintf(key, sizeof key, "geometry.meshes[%d].file", k);
        warn_of_file(run, key, &s->meshes[k]);
    }
}
