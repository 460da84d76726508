/* Storage type f16: what kernels store is the half precision number nearest to what they computed,
 * and what they read is what was stored. Over all halves, and over what lies between them.
 *
 *   test_half [emulated|gpu] */
#define WABE_LATTICE d3q19 /* kernels of others convert by the same functions */
#include "apps/runtime/kernels.h"
#include "core/registry/kernel.h"
#include "sweeps/cell/lbm_attributes.h"
#include "sweeps/cell/lbm_of_kernel.h"
#include "tests/conformance/bench.h"
#include "tests/conformance/half.h"

#include <stdlib.h>

enum { HALVES = 1 << 16, LINKS = WABE_Q - 1 };

/* ---- the plain conversion ----------------------------------------------------------- */

static void known_numbers(void **state) {
    (void)state;
    static const struct {
        double value;
        uint16_t half;
    } known[] = {
        {0.0, 0x0000},          {-0.0, 0x8000},        {1.0, 0x3c00},       {-2.0, 0xc000},
        {0.1, 0x2e66},          {1.0 / 3.0, 0x3555},   {65504.0, 0x7bff},   {65519.9, 0x7bff},
        {65520.0, 0x7c00},      {-1e9, 0xfc00},        {INFINITY, 0x7c00},  {0x1p-14, 0x0400},
        {0x1.ff8p-15, 0x03ff},  {0x1.ffcp-15, 0x0400}, {0x1p-24, 0x0001},   {0x1p-25, 0x0000},
        {0x1.001p-25, 0x0001},  {0x1.8p-24, 0x0002},   {-0x1p-26, 0x8000},  {2049.0, 0x6800},
        {2051.0, 0x6802},       {0x1.ffep0, 0x4000},   {0x1.002p0, 0x3c00}, {0x1.006p0, 0x3c02},
        {0x1.002001p0, 0x3c01},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(half_of(known[i].value), known[i].half);
    assert_true(isnan(half_value(half_of(NAN))));
}

static void all_halves_keep_their_value(void **state) {
    (void)state;
    for (int half = 0; half < HALVES; half++)
        if (!isnan(half_value((uint16_t)half)))
            assert_int_equal(half_of(half_value((uint16_t)half)), half);
}

/* ---- the kernels -------------------------------------------------------------------- */

/* The rows of a sweep that store halves and can be run on the hardware under test. */
static const wabe_kernel *next_row(const wabe_component *component, const wabe_sweep *sweep,
                                   int *index) {
    while (*index < wabe_registry_count(wabe_kernels())) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), (*index)++);
        const char *why;
        if (row->sweep == sweep && row->storage == WABE_TYPE_f16 &&
            wabe_lbm_attributes_of(row)->lattice == WABE_LATTICE_d3q19 &&
            row->target == component->target && row->available(component, &why))
            return row;
    }
    return NULL;
}

#define FOR_ROWS(b, sweep, row)                                                                    \
    int row##_index = 0;                                                                           \
    for (const wabe_kernel *row; (row = next_row(&(b)->component, sweep, &row##_index)) != NULL;)

/* Baseline x86-64 alone has no kernels for halves. */
static void check_count(const bench *b, int rows) {
    assert_true(rows > 0 || b->component.instruction_set == WABE_INSTRUCTION_SET_x86_64);
}

static void kernels_read_all_halves(void **state) {
    (void)state;
    int rows = 0;
    bench b = bench_open();
    uint16_t *field = calloc(2 * HALVES, sizeof *field);
    double *moments = calloc(4 * HALVES, sizeof *moments);
    uint16_t fluid[HALVES / WABE_TILE];
    ptrdiff_t out[WABE_Q];
    memset(fluid, 0xff, sizeof fluid);
    for (int i = 0; i < HALVES; i++)
        field[i] = (uint16_t)i;
    for (int q = 0; q < WABE_Q; q++)
        out[q] = q == WABE_Q_c ? 0 : HALVES; /* all others are zero, so c is the density */
    const wabe_macroscopic_args args = {
        .field = bench_put(&b, field, 2 * HALVES * sizeof *field),
        .out = out,
        .collision = {.even_rate = 1.0, .odd_rate = 1.0},
        .pitch = HALVES,
        .plane = HALVES,
        .step = 1,
        .cells = {HALVES, 1, 1},
        .fluid = bench_put(&b, fluid, sizeof fluid),
        .values = {.values = bench_put(&b, moments, 4 * HALVES * sizeof *moments),
                   .type = WABE_TYPE_f64,
                   .count = 4,
                   .factor = 1.0,
                   .cell_stride = 1,
                   .moment_stride = HALVES}};
    FOR_ROWS(&b, &wabe_sweep_macroscopic, row) {
        rows++;
        bench_run(&b, row, &args, 0, 1);
        bench_read(&b, moments, args.values.values, 4 * HALVES * sizeof *moments);
        for (int i = 0; i < HALVES; i++) {
            const double wanted = half_population((uint16_t)i);
            assert_true(moments[i] == wanted || (isnan(moments[i]) && isnan(wanted)));
        }
    }
    check_count(&b, rows);
    bench_free(&b, (void *)args.field);
    bench_free(&b, (void *)args.fluid);
    bench_free(&b, args.values.values);
    bench_close(&b);
    free(field);
    free(moments);
}

/* Populations in the order of their links. */
static const int link_order[LINKS] = {
#define X(name, opposite, projection, class) WABE_Q_##name,
    WABE_EAST(X) WABE_WEST(X) WABE_MIDDLE(X)
#undef X
};

/* One tile whose walls, at rest, return nothing but their own terms. On GPUs they put it into the
 * field, population by population. */
enum { FIELD = WABE_Q * WABE_TILE };

typedef struct {
    bench b;
    ptrdiff_t out[WABE_Q], next_in[WABE_Q];
    wabe_patch *patch; /* in the component's memory, as what args points to */
    wabe_reflect_args args;
} wall_tile;

static wall_tile wall_tile_open(void) {
    wall_tile w = {.b = bench_open()};
    const wabe_patch patch = {.sign = 1.0};
    const uint16_t field[FIELD] = {0}, wall[LINKS + WABE_TILE] = {0};
    const wabe_chunk chunks[2] = {{.tile_count = 1}, {.first_record = 1}};
    wabe_tile_record records[8] = {{.fluid = 0xffff, .last = 1, .group_offset = {0, 5, 10}}};
    wabe_cell_record cells; /* the same for GPUs */
    const uint32_t tile_class = 1;
    for (int lane = 0; lane < WABE_TILE; lane++)
        cells.cells[lane] = WABE_CELL_FLUID | 1u << WABE_CELL_LAST;
    for (int i = 0; i < LINKS; i++) {
        const int q = link_order[i], group = i < 5 ? 0 : i < 10 ? 1 : 2;
        records->links[q - 1] = (uint16_t)(1u << i % WABE_TILE);
        records->lanes[group] |= records->links[q - 1];
        cells.cells[i % WABE_TILE] |= 1u << q;
        w.next_in[q] = q * WABE_TILE; /* behind the tile, whose populations are all zero */
    }
    w.patch = bench_put(&w.b, &patch, sizeof patch);
    w.args = (wabe_reflect_args){.field = bench_put(&w.b, field, sizeof field),
                                 .wall = bench_put(&w.b, wall, sizeof wall),
                                 .chunks = bench_put(&w.b, chunks, sizeof chunks),
                                 .records = bench_put(&w.b, records, sizeof records),
                                 .cell_records = bench_put(&w.b, &cells, sizeof cells),
                                 .classes = bench_put(&w.b, &tile_class, sizeof tile_class),
                                 .patches = w.patch};
    return w;
}

static void wall_tile_close(wall_tile *w) {
    bench_free(&w->b, w->patch);
    bench_free(&w->b, w->args.field);
    bench_free(&w->b, w->args.wall);
    bench_free(&w->b, (void *)w->args.chunks);
    bench_free(&w->b, (void *)w->args.records);
    bench_free(&w->b, (void *)w->args.cell_records);
    bench_free(&w->b, (void *)w->args.classes);
    bench_close(&w->b);
}

/* Has a kernel store these numbers. */
static void store(wall_tile *w, const wabe_kernel *row, const float values[LINKS],
                  uint16_t stored[LINKS]) {
    wabe_patch patch = {.sign = 1.0};
    uint16_t field[FIELD];
    for (int i = 0; i < LINKS; i++)
        patch.term[link_order[i]] = values[i];
    bench_write(&w->b, w->patch, &patch, sizeof patch);
    w->args.out = w->out;
    w->args.next_in = w->next_in;
    bench_run(&w->b, row, &w->args, 0, 1);
    if (row->target == WABE_TARGET_cpu) {
        bench_read(&w->b, stored, w->args.wall, LINKS * sizeof *stored);
        return;
    }
    bench_read(&w->b, field, w->args.field, sizeof field);
    for (int i = 0; i < LINKS; i++)
        stored[i] = field[link_order[i] * WABE_TILE + i % WABE_TILE];
}

static void check_stored(wall_tile *w, const wabe_kernel *row, const float values[LINKS]) {
    uint16_t stored[LINKS];
    store(w, row, values, stored);
    for (int i = 0; i < LINKS; i++)
        if (stored[i] != half_stored(values[i]))
            fail_msg("%s: %a is stored as %04x, not %04x", row->name, (double)values[i], stored[i],
                     half_stored(values[i]));
}

/* Each half from the smallest to beyond the largest, what is half-way to the next, and the floats
 * beside that; of both signs. */
static void kernels_store_the_nearest_half(void **state) {
    (void)state;
    int rows = 0;
    wall_tile w = wall_tile_open();
    FOR_ROWS(&w.b, &wabe_sweep_reflect, row) {
        rows++;
        for (int half = 1; half <= HALF_INFINITY; half++) {
            const double next = half + 1 < HALF_INFINITY ? half_value((uint16_t)(half + 1)) : 65536;
            const double low = half < HALF_INFINITY ? half_value((uint16_t)half) : 1e6;
            const float middle = (float)(0.5 * (low + next) * 0x1p-15);
            const float exact = (float)(low * 0x1p-15);
            float values[LINKS];
            for (int i = 0; i < LINKS; i++) {
                const float some[4] = {exact, middle, nextafterf(middle, 0.0f),
                                       nextafterf(middle, 4.0f)};
                values[i] = i & 4 ? -some[i & 3] : some[i & 3];
            }
            check_stored(&w, row, values);
        }
        const float extremes[LINKS] = {INFINITY, -INFINITY, 3e38f,  -3e38f,  0x1p-40f, -0x1p-40f,
                                       1e-38f,   -1e-38f,   1e-45f, -1e-45f, 2.0f,     -2.0f,
                                       1.9990f,  1.9998f,   4.0f,   1e3f,    -1e3f,    0.0f};
        check_stored(&w, row, extremes);
    }
    check_count(&w.b, rows);
    wall_tile_close(&w);
}

int main(int argc, char *argv[]) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers),
        cmocka_unit_test(all_halves_keep_their_value),
        cmocka_unit_test(kernels_read_all_halves),
        cmocka_unit_test(kernels_store_the_nearest_half),
    };
    const int code = hardware_choose(argc, argv, 1);
    return code == 0 ? cmocka_run_group_tests(tests, NULL, NULL) : code;
}
