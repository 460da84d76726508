/* The exchange alone: numbers that say where they come from have to end where they belong, and
 * nowhere else, for crossings in all 26 directions, read from ghost cells or written to them. */
#include "apps/commands.h"
#include "comm/exchange.h"
#include "tests/mpi/check.h"

#include <stdlib.h>
#include <string.h>

enum { CROSSINGS = 26, NOTHING = -1 };

typedef struct {
    wabe_decomposition decomposition;
    wabe_partition partition;
    wabe_box block;
    wabe_layout layout;
    wabe_field *fields[2], *expected;
    wabe_crossing crossings[CROSSINGS];
    bool behind_faces;
    wabe_type type;
    wabe_component component;
    wabe_exchange *exchange;
} setting;

/* ---- numbers ------------------------------------------------------------------------ */

static double read_number(const wabe_field *field, int64_t at) {
    return field->layout.type == WABE_TYPE_f64 ? ((const double *)field->data)[at]
                                               : (double)((const float *)field->data)[at];
}

static void write_number(wabe_field *field, int64_t at, double value) {
    if (field->layout.type == WABE_TYPE_f64)
        ((double *)field->data)[at] = value;
    else
        ((float *)field->data)[at] = (float)value;
}

/* Exact in float for the small domains here. */
static double code_of(const setting *s, const int64_t cell[3], int i, int parity) {
    const int64_t *n = s->decomposition.cells;
    return (double)((cell[0] + n[0] * (cell[1] + n[1] * cell[2])) * CROSSINGS + i) * 2 + parity;
}

static int64_t local(const setting *s, const int64_t cell[3]) {
    const int64_t *b = s->block.begin;
    return wabe_layout_cell(&s->layout, cell[0] - b[0], cell[1] - b[1], cell[2] - b[2]);
}

static void clear(wabe_field *field) {
    for (int64_t at = 0; at < field->layout.stride * field->layout.components; at++)
        write_number(field, at - field->layout.front, NOTHING);
}

/* ---- what is expected --------------------------------------------------------------- */

/* The cell of the domain that a crossing comes from; false if there is none. */
static bool source_of(const setting *s, const int64_t cell[3], const int e[3], int64_t source[3]) {
    const wabe_decomposition *d = &s->decomposition;
    for (int axis = 0; axis < 3; axis++) {
        source[axis] = cell[axis] - e[axis];
        if (d->periodic[axis])
            source[axis] = (source[axis] + d->cells[axis]) % d->cells[axis];
        if (source[axis] < 0 || source[axis] >= d->cells[axis])
            return false;
    }
    return true;
}

/* May the cell receive: one of the block, or one behind the domain's faces next to it? */
static bool may_receive(const setting *s, const int64_t cell[3]) {
    const wabe_decomposition *d = &s->decomposition;
    for (int axis = 0; axis < 3; axis++) {
        const bool inside = cell[axis] >= s->block.begin[axis] && cell[axis] < s->block.end[axis];
        const bool behind = cell[axis] < 0 || cell[axis] >= d->cells[axis];
        if (!inside && !(behind && s->behind_faces && !d->periodic[axis]))
            return false;
    }
    return true;
}

#define FOR_CELLS(box, cell)                                                                       \
    for (int64_t cell[3] = {0, 0, (box).begin[2]}; cell[2] < (box).end[2]; cell[2]++)              \
        for (cell[1] = (box).begin[1]; cell[1] < (box).end[1]; cell[1]++)                          \
            for (cell[0] = (box).begin[0]; cell[0] < (box).end[0]; cell[0]++)

/* Numbers that leave the block's cells, in the field and in what is expected of it. */
static void fill(setting *s, int parity) {
    clear(s->fields[parity]);
    clear(s->expected);
    for (int i = 0; i < CROSSINGS; i++)
        FOR_CELLS(s->block, cell) {
            const int64_t at = local(s, cell) + s->crossings[i].out[parity];
            write_number(s->fields[parity], at, code_of(s, cell, i, parity));
            write_number(s->expected, at, code_of(s, cell, i, parity));
        }
    for (int i = 0; i < CROSSINGS; i++)
        FOR_CELLS(wabe_box_grow(s->block, 1), cell) {
            int64_t source[3];
            if (may_receive(s, cell) && source_of(s, cell, s->crossings[i].e, source))
                write_number(s->expected, local(s, cell) + s->crossings[i].in[parity],
                             code_of(s, source, i, parity));
        }
}

static void compare(const setting *s, int parity) {
    const int64_t count = s->layout.stride * s->layout.components;
    int64_t wrong = 0;
    for (int64_t at = -s->layout.front; at < count - s->layout.front; at++)
        wrong += read_number(s->fields[parity], at) != read_number(s->expected, at);
    const wabe_decomposition *d = &s->decomposition;
    CHECK(wrong == 0,
          "%lld of %lld numbers, parity %d, %d x %d x %d cells on %d x %d x %d, periodic %d%d%d, "
          "behind faces %d",
          (long long)wrong, (long long)count, parity, (int)d->cells[0], (int)d->cells[1],
          (int)d->cells[2], d->processes[0], d->processes[1], d->processes[2], d->periodic[0],
          d->periodic[1], d->periodic[2], s->behind_faces);
}

/* ---- settings ----------------------------------------------------------------------- */

/* Parity 0 leaves numbers in their cell and reads them there, over ghost cells; parity 1 puts them
 * into the neighbour's cell. Each crossing has a component of its own. */
static void make_crossings(setting *s) {
    int i = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                if (!x && !y && !z)
                    continue;
                const ptrdiff_t name = i * s->layout.stride;
                const ptrdiff_t move = wabe_layout_cell(&s->layout, x, y, z);
                s->crossings[i++] = (wabe_crossing){.e = {x, y, z},
                                                    .out = {name, name + move},
                                                    .in = {name - move, name}};
            }
}

static const wabe_kernel *mover(const setting *s, wabe_sweep sweep) {
    const wabe_kernel_request request = {.sweep = sweep, .storage = s->type};
    const wabe_kernel *kernel = NULL;
    CHECK(wabe_registry_select(wabe_kernels(), &s->component, &request, &kernel) == WABE_OK, "%s",
          wabe_error_message());
    return kernel;
}

static bool setting_open(setting *s) {
    s->block = wabe_decomposition_block(&s->decomposition, check_rank);
    int64_t cells[3];
    for (int axis = 0; axis < 3; axis++)
        cells[axis] = wabe_box_extent(s->block, axis);
    s->layout = wabe_layout_make(cells, CROSSINGS, s->type, WABE_TARGET_cpu);
    make_crossings(s);
    s->component = wabe_component_detect(1);
    wabe_status status = wabe_field_create(&s->component, &s->layout, &s->fields[0]);
    if (status == WABE_OK)
        status = wabe_field_create(&s->component, &s->layout, &s->fields[1]);
    if (status == WABE_OK)
        status = wabe_field_create(&s->component, &s->layout, &s->expected);
    status = wabe_agree(MPI_COMM_WORLD, status);
    if (status == WABE_OK) {
        const wabe_exchange_data data = {.component = &s->component,
                                         .pack = mover(s, WABE_SWEEP_pack),
                                         .unpack = mover(s, WABE_SWEEP_unpack),
                                         .layout = s->layout,
                                         .field = {s->fields[0]->data, s->fields[1]->data},
                                         .crossing_count = CROSSINGS,
                                         .crossings = s->crossings};
        const wabe_exchange_options options = {.behind_faces = s->behind_faces};
        const int64_t planes[] = {cells[2]};
        status = wabe_partition_create(MPI_COMM_WORLD, &s->decomposition, 1, &s->component, planes,
                                       &s->partition);
        if (status == WABE_OK)
            status = wabe_exchange_create(MPI_COMM_WORLD, &s->partition, &data, &options,
                                          &s->exchange);
    }
    CHECK(status == WABE_OK, "%s", wabe_error_message());
    return status == WABE_OK;
}

static void setting_close(setting *s) {
    wabe_exchange_destroy(&s->exchange);
    wabe_partition_free(&s->partition);
    wabe_field_destroy(&s->fields[0]);
    wabe_field_destroy(&s->fields[1]);
    wabe_field_destroy(&s->expected);
}

/* Bytes are those of the numbers that leave the block, counted one by one. */
static void check_bytes(const setting *s) {
    int64_t numbers = 0;
    for (int i = 0; i < CROSSINGS; i++)
        FOR_CELLS(s->block, cell) {
            int64_t to[3];
            const int *e = s->crossings[i].e;
            for (int axis = 0; axis < 3; axis++)
                to[axis] = cell[axis] + e[axis];
            const bool stays = wabe_box_contains(s->block, to[0], to[1], to[2]);
            int64_t wrapped[3];
            numbers += !stays && source_of(s, cell, (int[3]){-e[0], -e[1], -e[2]}, wrapped);
        }
    const int64_t bytes = numbers * (int64_t)wabe_type_size(s->type);
    CHECK(wabe_exchange_bytes(s->exchange, WABE_TRANSPORT_any) == bytes,
          "%lld bytes instead of %lld",
          (long long)wabe_exchange_bytes(s->exchange, WABE_TRANSPORT_any), (long long)bytes);
    CHECK(wabe_exchange_messages(s->exchange, WABE_TRANSPORT_any) <= check_size, "%d messages",
          wabe_exchange_messages(s->exchange, WABE_TRANSPORT_any));
}

static void run_setting(setting *s) {
    wabe_profile profile = {0};
    if (setting_open(s)) {
        for (int step = 0; step < 4; step++) {
            fill(s, step % 2);
            wabe_exchange_begin(s->exchange, step % 2, true, &profile);
            wabe_exchange_begin(s->exchange, step % 2, false, &profile);
            for (int k = 0; k < step; k++)
                wabe_exchange_drive(s->exchange);
            wabe_exchange_end(s->exchange, &profile);
            compare(s, step % 2);
        }
        if (!s->behind_faces)
            check_bytes(s);
    }
    setting_close(s);
}

/* All faces periodic or not, and ghost cells behind the others with and without. */
static void check_grid(const int64_t cells[3], const int64_t processes[3]) {
    for (int bits = 0; bits < 16; bits++) {
        setting s = {.behind_faces = bits >> 3 & 1,
                     .type = bits % 3 == 0 ? WABE_TYPE_f32 : WABE_TYPE_f64};
        const bool periodic[3] = {bits & 1, bits >> 1 & 1, bits >> 2 & 1};
        const wabe_status status = wabe_decomposition_make(cells, periodic, processes, check_size,
                                                           &s.decomposition);
        CHECK(status == WABE_OK, "%s", wabe_error_message());
        if (status == WABE_OK)
            run_setting(&s);
    }
}

static void check_cells(const int64_t cells[3]) {
    for (int64_t x = 1; x <= check_size; x++)
        for (int64_t y = 1; y <= check_size / x; y++) {
            const int64_t grid[3] = {x, y, check_size / x / y};
            if (x * y * grid[2] == check_size && x <= cells[0] && y <= cells[1] &&
                grid[2] <= cells[2])
                check_grid(cells, grid);
        }
}

int main(int argc, char *argv[]) {
    check_begin(&argc, &argv);
    check_cells((const int64_t[3]){9, 8, 10});
    check_cells((const int64_t[3]){8, 3, 1}); /* with 8 ranks: blocks of a cell's thickness */
    check_cells((const int64_t[3]){2, 2, 8});
    return check_end();
}
