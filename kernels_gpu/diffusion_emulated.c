/* Diffusion for emulated devices: a pyramid of time levels for each piece of a row. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/scalar.h"

#include "sweeps/cell/diffusion.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)

enum {
    PIECE = 64, /* cells of a row */
    DEPTH = WABE_DIFFUSION_DEPTH,
    EDGE = 2 * DEPTH + 1
};

/* Two time levels in turn, around cell (0, 0, 0) of the piece. */
typedef struct {
    const wabe_diffuse_args *a;
    int64_t cell[3];
    wabe_real level[2][EDGE][EDGE][PIECE + 2 * DEPTH];
} pyramid;

static wabe_real *place(pyramid *p, int level, const int at[3]) {
    return &p->level[level % 2][at[2] + DEPTH][at[1] + DEPTH][at[0] + DEPTH];
}

static wabe_real read_source(const pyramid *p, const int at[3]) {
    const wabe_grid_args *g = &p->a->grid;
    const wabe_grid_field *from = &g->fields[WABE_DIFFUSE_FROM];
    int64_t cell[3];
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = g->cells[axis];
        cell[axis] = p->cell[axis] + at[axis];
        const bool outside = cell[axis] < 0 || cell[axis] >= n;
        if (outside && g->sides[2 * axis] == WABE_SIDE_ITSELF)
            cell[axis] = (cell[axis] % n + n) % n; /* divisions take long */
    }
    return ((const wabe_real *)from->data)[cell[0] + cell[1] * from->pitch + cell[2] * from->plane];
}

static wabe_real value_beside(pyramid *p, int level, const int at[3], int face) {
    const wabe_grid_args *g = &p->a->grid;
    const wabe_wall *behind = &g->fields[WABE_DIFFUSE_FROM].walls[face];
    const int axis = face / 2, high = face % 2;
    const int64_t wall = high ? g->cells[axis] - 1 : 0;
    int to[3] = {at[0], at[1], at[2]};
    to[axis] += high ? 1 : -1;
    if (g->sides[face] == WABE_SIDE_WALL && p->cell[axis] + at[axis] == wall)
        return WABE_FMA((wabe_real)behind->factor, *place(p, level, at), (wabe_real)behind->offset);
    return *place(p, level, to);
}

static void compute(pyramid *p, int level, const int at[3]) {
    wabe_real beside[6];
    for (int face = 0; face < 6; face++)
        beside[face] = value_beside(p, level - 1, at, face);
    *place(p, level, at) = wabe_diffuse(wabe_diffusion_of((wabe_real)p->a->rate),
                                        *place(p, level - 1, at), beside[0], beside[1], beside[2],
                                        beside[3], beside[4], beside[5]);
}

/* Computes a level as far around the cells as later levels need. */
static void compute_level(pyramid *p, int level, int count) {
    const int reach = p->a->grid.steps - level;
    int at[3];
    for (at[2] = -reach; at[2] <= reach; at[2]++)
        for (at[1] = -reach; at[1] <= reach; at[1]++)
            for (at[0] = -reach; at[0] < count + reach; at[0]++)
                if (level == 0)
                    *place(p, level, at) = read_source(p, at);
                else
                    compute(p, level, at);
}

void JOIN(wabe_emulated_diffuse, WABE_FLAVOUR)(const wabe_diffuse_args *a, int64_t begin,
                                               int64_t end) {
    pyramid p = {.a = a};
    for (int64_t item = begin; item < end; item++) {
        const wabe_row r = wabe_row_of(&a->grid, item);
        for (int64_t x = r.begin; x < r.end; x += PIECE) {
            const int count = (int)(r.end - x < PIECE ? r.end - x : PIECE);
            p.cell[0] = x, p.cell[1] = r.y, p.cell[2] = r.z;
            for (int level = 0; level <= a->grid.steps; level++)
                compute_level(&p, level, count);
            const wabe_grid_field *f = &a->grid.fields[WABE_DIFFUSE_TO];
            wabe_real *to = (wabe_real *)f->data + x + r.y * f->pitch + r.z * f->plane;
            for (int i = 0; i < count; i++)
                to[i] = *place(&p, a->grid.steps, (int[3]){i, 0, 0});
        }
    }
}
