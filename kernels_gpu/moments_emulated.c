/* Streaming pattern moments on emulated devices, cell by cell: each cell rebuilds what arrives. */
#include "kernels_gpu/functions.h"
#include "kernels_gpu/moments.h"
#include "sweeps/cell/lattice.h"

#define EMULATED(name) JOIN(JOIN(wabe_emulated_##name, WABE_LATTICE), WABE_FLAVOUR)

static wabe_cell cell_left(const wabe_stored *field, int64_t n, int third) {
    const wabe_ten s = wabe_ten_load(field, n);
    return third ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
}

/* NAN where there is no cell. */
static wabe_cell cell_beside(const wabe_stored *field, const wabe_marching *m, const int cell[3],
                             int x, int y, int z, int third) {
    const int at[3] = {cell[0] + x, cell[1] + y, cell[2] + z};
    bool there = true;
    for (int axis = 0; axis < 3; axis++)
        there &= wabe_marching_has(m, axis, at[axis]) != 0;
    if (there)
        return cell_left(field, wabe_marching_cell(m, at[0], at[1], at[2]), third);
    wabe_cell none;
#define X(name, cx, cy, cz, class) none.name = NAN;
    WABE_POPULATIONS(X)
#undef X
    return none;
}

static wabe_cell cell_arrived(const wabe_stored *field, const wabe_marching *m, const int cell[3],
                              int third) {
    wabe_cell f;
#define X(name, cx, cy, cz, class)                                                                 \
    f.name = cell_beside(field, m, cell, -(cx), -(cy), -(cz), third).name;
    WABE_POPULATIONS(X)
#undef X
    return f;
}

/* Replaces what walls return to a cell; record: the first one of its tile. Returns what is to be
 * taken for populations from the layer above: see wabe_ten_of_arrived. */
static wabe_real take_returned(const wabe_stream_collide_args *a, const wabe_collision *k,
                               int64_t n, const wabe_cell_record *record, int third, wabe_cell *f) {
    wabe_real gain[2] = {0, 0}; /* of other populations, of those from above */
    const wabe_ten s = wabe_ten_load(a->source, n);
    const wabe_cell left = cell_left(a->source, n, third);
    for (;; record++) {
        const int lane = (int)(n % WABE_TILE);
        const wabe_cell_word cell = record->cells[lane];
        wabe_returning w = wabe_returning_of(cell, a->patches);
        wabe_returning_add(&w, s, k);
        wabe_cell_places places = {.all = NULL};
        if (w.by_place)
            places = wabe_places_of(record, lane, a->patches);
        const wabe_real ux = w.ux, uy = w.uy, uz = w.uz;
#define TAKE(name, opposite, projection, class)                                                    \
    if (cell >> WABE_Q_##name & 1 && !w.by_place)                                                  \
        f->name = wabe_returned(&w, WABE_Q_##name, left.opposite, WABE_WEIGHT(class), projection); \
    if (cell >> WABE_Q_##name & 1 && w.by_place) {                                                 \
        const wabe_real part = wabe_interpolation_of(&places, WABE_Q_##name);                      \
        wabe_real *its =                                                                           \
            &gain[wabe_lattice_e(WABE_OF_LATTICE(WABE_LATTICE_), WABE_Q_##name)[2] < 0];           \
        f->name = wabe_curved_add(wabe_curved_return(left.opposite, left.name, part), part,        \
                                  f->opposite);                                                    \
        *its = wabe_curved_gain(wabe_curved_gain(*its, part, f->opposite), -part, left.name);      \
    }
        WABE_BY_LAYERS(TAKE)
#undef TAKE
        if (cell >> WABE_CELL_LAST & 1)
            break;
    }
    f->c = f->c - gain[0];
    return gain[1];
}

static void step_cell(const wabe_stream_collide_args *a, const wabe_collision *k, const int cell[3],
                      int third) {
    const wabe_marching *m = &a->marching;
    const int64_t n = wabe_marching_cell(m, cell[0], cell[1], cell[2]);
    const int lane = (int)(n % WABE_TILE);
    const wabe_cell_record *record = wabe_record_of(a->cell_records, a->classes,
                                                    (uint32_t)(n / WABE_TILE));
    if (!wabe_is_fluid(record, lane))
        return;
    wabe_cell f = cell_arrived(a->source, m, cell, third);
    const wabe_real gain = record ? take_returned(a, k, n, record, third, &f) : 0;
    wabe_ten s = wabe_ten_of_arrived(f, gain, k, wabe_terms_of(&a->collision));
    if (record && k->damps_walls)
        s = third ? wabe_ten_damp(s, k, record, lane, a->patches, a->source, n, 1)
                  : wabe_ten_damp(s, k, record, lane, a->patches, a->source, n, 0);
    wabe_ten_store(a->target, n, s);
}

static void step(const wabe_stream_collide_args *a, int64_t begin, int64_t end, int third) {
    const wabe_collision k = wabe_collision_of(&a->collision);
    for (int64_t number = begin; number < end; number++) {
        const wabe_column c = wabe_marching_column(&a->marching, number);
        for (int z = c.begin[2]; z < c.end[2]; z++)
            for (int y = c.begin[1]; y < c.end[1]; y++)
                for (int x = c.begin[0]; x < c.end[0]; x++)
                    step_cell(a, &k, (const int[3]){x, y, z}, third);
    }
}

#define STREAM_COLLIDE(op, flops, third, ...)                                                      \
    void EMULATED(stream_collide_##op##_moments)(const wabe_stream_collide_args *a, int64_t begin, \
                                                 int64_t end) {                                    \
        step(a, begin, end, third);                                                                \
    }
WABE_OF_LATTICE(WABE_LBM_MOMENTS_)(STREAM_COLLIDE, )
