/* Any bytes as an STL file must be read or refused. What was read is placed where some of it lies
 * in a small box, whose cells must be the same when they are asked for in parts. */
#include "apps/geometry/mesh.h"
#include "tests/fuzz/target.h"

#include <math.h>

enum { X = 70, Y = 11, Z = 12 }; /* rows of more than 64 cells */

static const int edges[3] = {X, Y, Z}, cuts[3] = {23, 5, 4};

/* Brings the first corner of the mesh into the box. */
static wabe_mesh_placement place_of(const wabe_mesh *m, int turned) {
    wabe_mesh_placement p = {.scale = 1.0, .rotation = {turned, 2.0 * turned, 3.0 * turned}};
    double size = 1.0;
    for (int d = 0; d < 3; d++)
        size = fmax(size, m->high[d] - m->low[d]);
    p.scale = X / size;
    for (int d = 0; d < 3; d++)
        p.place[d] = 0.5 * edges[d] - (turned ? 0.0 : p.scale * m->corners[d]);
    return p;
}

static void check_cells(const wabe_mesh *m) {
    static uint8_t whole[X * Y * Z], part[X * Y * Z];
    const wabe_box all = {.end = {X, Y, Z}};
    wabe_mesh_count n = {0}, sum = {0};
    if (wabe_mesh_cells(m, all, whole, &n) != WABE_OK)
        abort();
    for (int i = 0; i < 8; i++) {
        wabe_box box = all;
        for (int d = 0; d < 3; d++)
            *(i >> d & 1 ? &box.begin[d] : &box.end[d]) = cuts[d];
        if (wabe_mesh_cells(m, box, part, &sum) != WABE_OK)
            abort();
        const uint8_t *cell = part;
        for (int64_t z = box.begin[2]; z < box.end[2]; z++)
            for (int64_t y = box.begin[1]; y < box.end[1]; y++)
                for (int64_t x = box.begin[0]; x < box.end[0]; x++)
                    if (*cell++ != whole[wabe_box_place(all, x, y, z)])
                        abort();
    }
    if (n.inside != sum.inside || n.some != sum.some || n.doubt != sum.doubt ||
        n.twice != sum.twice)
        abort();
}

/* Corners that are joined leave no more open edges than triangles have. */
static void check_surface(const wabe_mesh *m) {
    wabe_mesh_surface s;
    if (wabe_mesh_examine(m, &s) != WABE_OK || s.open_edges < 0 || s.open_edges > 3 * m->count ||
        s.repeated >= m->count || s.mean_line < 0.0)
        abort();
}

/* NOLINTNEXTLINE(readability-identifier-naming) */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    fuzz_begin();
    const char *path = fuzz_file(data, size);
    wabe_mesh_placement placement = {.scale = 1.0};
    wabe_mesh mesh;
    fuzz_forget_message();
    if (!fuzz_good(wabe_mesh_read(path, &placement, &mesh), WABE_INPUT, WABE_FILE))
        return 0;
    placement = place_of(&mesh, size % 3 ? 0 : (int)(size % 90));
    wabe_mesh_free(&mesh);
    fuzz_forget_message();
    if (fuzz_good(wabe_mesh_read(path, &placement, &mesh), WABE_INPUT, WABE_FILE)) {
        check_cells(&mesh);
        check_surface(&mesh);
    }
    wabe_mesh_free(&mesh);
    return 0;
}
