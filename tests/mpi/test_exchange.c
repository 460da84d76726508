/* The exchange alone: numbers that say where they come from have to end where they belong, and
 * nowhere else, for halo_links in all 26 directions, read from ghost cells or written to them, in
 * memory of CPUs and of GPUs.
 *
 *   test_exchange [emulated|gpu] */
#include "apps/runtime/kernels.h"
#include "comm/exchange.h"
#include "core/device/memory.h"
#include "core/registry/transfer.h"
#include "tests/mpi/check.h"
#include "tests/mpi/components.h"

#include <stdlib.h>
#include <string.h>

enum { CROSSINGS = 26, NOTHING = -1, PARTS_MAX = 3 };

/* What a slab of this process has. */
typedef struct {
    wabe_component component;
    wabe_stream *stream; /* of a GPU */
    wabe_box box;
    wabe_layout layout;
    wabe_field *fields[2];
    void *grid;               /* the one that crosses */
    char *numbers, *expected; /* as the field has them, in memory of the host */
    wabe_halo_link halo_links[CROSSINGS];
    wabe_flags flags; /* GPUs: of what must not be unpacked */
} part;

typedef struct {
    const char *components; /* see components.h */
    wabe_decomposition decomposition;
    wabe_partition partition;
    int count;
    part parts[PARTS_MAX];
    bool behind_faces, masked;
    wabe_type type;
    wabe_transport transport;
    wabe_exchange *exchange;
} setting;

/* ---- numbers ------------------------------------------------------------------------ */

/* Numbers of 16 bits are only moved, never computed with: whole numbers will do. */
static double read_number(const part *p, const char *numbers, int64_t at) {
    at += p->layout.front;
    if (p->layout.type == WABE_TYPE_f16)
        return (double)((const int16_t *)(const void *)numbers)[at];
    return p->layout.type == WABE_TYPE_f64 ? ((const double *)(const void *)numbers)[at]
                                           : (double)((const float *)(const void *)numbers)[at];
}

static void write_number(const part *p, char *numbers, int64_t at, double value) {
    at += p->layout.front;
    if (p->layout.type == WABE_TYPE_f64)
        ((double *)(void *)numbers)[at] = value;
    else if (p->layout.type == WABE_TYPE_f32)
        ((float *)(void *)numbers)[at] = (float)value;
    else
        ((int16_t *)(void *)numbers)[at] = (int16_t)value;
}

/* Exact in float, and in 16 bits, for the small domains here. */
static double code_of(const setting *s, const int64_t cell[3], int i, int parity) {
    const int64_t *n = s->decomposition.cells;
    const int64_t code = ((cell[0] + n[0] * (cell[1] + n[1] * cell[2])) * CROSSINGS + i) * 2 +
                         parity;
    return (double)(code - 32768 * (s->type == WABE_TYPE_f16 && code > 32767) * 2);
}

static int64_t local(const part *p, const int64_t cell[3]) {
    const int64_t *b = p->box.begin;
    return wabe_layout_cell(&p->layout, cell[0] - b[0], cell[1] - b[1], cell[2] - b[2]);
}

static int64_t number_count(const part *p) { return p->layout.stride * p->layout.components; }

static void clear(const part *p, char *numbers) {
    for (int64_t at = 0; at < number_count(p); at++)
        write_number(p, numbers, at - p->layout.front, NOTHING);
}

static void *start_of(const part *p, int parity) {
    return (char *)p->fields[parity]->data -
           (size_t)p->layout.front * wabe_type_size(p->layout.type);
}

/* ---- what is expected --------------------------------------------------------------- */

/* The cell of the domain that a halo_link comes from; false if there is none. */
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

/* May the cell receive: one of the slab, or one behind the domain's faces next to it? */
static bool may_receive(const setting *s, const part *p, const int64_t cell[3]) {
    const wabe_decomposition *d = &s->decomposition;
    for (int axis = 0; axis < 3; axis++) {
        const bool inside = cell[axis] >= p->box.begin[axis] && cell[axis] < p->box.end[axis];
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

/* Some cells of the domain, the same for all ranks: what they send is not wanted. */
static bool is_wall(const setting *s, const int64_t cell[3]) {
    return s->masked && (cell[0] * 7 + cell[1] * 3 + cell[2] * 5) % 4 == 0;
}

/* Does what has come from the source arrive? Numbers from within a slab do not pass through the
 * exchange. */
static bool arrives(const part *p, const setting *s, const int64_t cell[3], const int e[3],
                    const int64_t source[3]) {
    const bool crosses = !wabe_box_contains(p->box, cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]);
    return !(crosses && p->component.device && is_wall(s, source));
}

/* Numbers that leave the slab's cells, in the field and in what is expected of it. */
static void fill(const setting *s, part *p, int parity) {
    clear(p, p->numbers);
    for (int i = 0; i < CROSSINGS; i++)
        FOR_CELLS(p->box, cell) {
            const int64_t at = local(p, cell) + p->halo_links[i].out[parity];
            write_number(p, p->numbers, at, code_of(s, cell, i, parity));
        }
    memcpy(p->expected, p->numbers, (size_t)wabe_layout_bytes(&p->layout));
    for (int i = 0; i < CROSSINGS; i++)
        FOR_CELLS(wabe_box_grow(p->box, 1), cell) {
            int64_t source[3];
            const int *e = p->halo_links[i].e;
            if (may_receive(s, p, cell) && source_of(s, cell, e, source) &&
                arrives(p, s, cell, e, source))
                write_number(p, p->expected, local(p, cell) + p->halo_links[i].in[parity],
                             code_of(s, source, i, parity));
        }
    CHECK(wabe_memory_write(&p->component, p->stream, start_of(p, parity), p->numbers,
                            wabe_layout_bytes(&p->layout)) == WABE_OK,
          "%s", wabe_error_message());
}

static void compare(const setting *s, const part *p, int parity) {
    int64_t wrong = 0;
    CHECK(wabe_memory_read(&p->component, p->stream, p->numbers, start_of(p, parity),
                           wabe_layout_bytes(&p->layout)) == WABE_OK,
          "%s", wabe_error_message());
    for (int64_t at = 0; at < number_count(p); at++)
        wrong += read_number(p, p->numbers, at - p->layout.front) !=
                 read_number(p, p->expected, at - p->layout.front);
    const wabe_decomposition *d = &s->decomposition;
    CHECK(wrong == 0,
          "%lld of %lld numbers, parity %d, %d x %d x %d cells on %d x %d x %d, periodic %d%d%d, "
          "behind faces %d, components %s, slab %d, transport %s, masked %d",
          (long long)wrong, (long long)number_count(p), parity, (int)d->cells[0], (int)d->cells[1],
          (int)d->cells[2], d->processes[0], d->processes[1], d->processes[2], d->periodic[0],
          d->periodic[1], d->periodic[2], s->behind_faces, s->components, (int)(p - s->parts),
          wabe_transport_word(s->transport), s->masked);
}

/* ---- settings ----------------------------------------------------------------------- */

/* Parity 0 leaves numbers in their cell and reads them there, over ghost cells; parity 1 puts them
 * into the neighbour's cell. Each halo_link has a component of its own. */
static void make_halo_links(part *p) {
    int i = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                if (!x && !y && !z)
                    continue;
                const ptrdiff_t name = i * p->layout.stride;
                const ptrdiff_t move = wabe_layout_cell(&p->layout, x, y, z);
                p->halo_links[i++] = (wabe_halo_link){.e = {x, y, z},
                                                      .out = {name, name + move},
                                                      .in = {name - move, name}};
            }
}

/* Flags of the slab and one cell around it, across periodic faces too. */
static wabe_status make_flags(const setting *s, part *p) {
    static const int nowhere[3] = {0, 0, 0};
    p->flags.box = wabe_box_grow(p->box, 1);
    p->flags.ids = calloc((size_t)wabe_box_cells(p->flags.box), 1);
    WABE_CHECK(p->flags.ids, WABE_MEMORY, "no memory for flags");
    uint8_t *id = p->flags.ids;
    FOR_CELLS(p->flags.box, cell) {
        int64_t wrapped[3];
        *id++ = source_of(s, cell, nowhere, wrapped) && is_wall(s, wrapped);
    }
    return WABE_OK;
}

static wabe_status part_open(const setting *s, part *p, wabe_box box) {
    const int64_t cells[3] = {wabe_box_extent(box, 0), wabe_box_extent(box, 1),
                              wabe_box_extent(box, 2)};
    p->box = box;
    p->layout = wabe_layout_make(cells, NULL, CROSSINGS, s->type, p->component.target);
    make_halo_links(p);
    p->numbers = malloc((size_t)wabe_layout_bytes(&p->layout));
    p->expected = malloc((size_t)wabe_layout_bytes(&p->layout));
    WABE_CHECK(p->numbers && p->expected, WABE_MEMORY, "no memory for a slab");
    for (int parity = 0; parity < 2; parity++)
        WABE_TRY(wabe_field_create(&p->component, &p->layout, &p->fields[parity]));
    if (!p->component.device)
        return WABE_OK;
    WABE_TRY(make_flags(s, p));
    return wabe_stream_create(p->component.device, true, &p->stream);
}

static void part_close(part *p) {
    wabe_field_destroy(&p->fields[0]);
    wabe_field_destroy(&p->fields[1]);
    wabe_stream_destroy(&p->stream);
    wabe_flags_free(&p->flags);
    free(p->numbers);
    free(p->expected);
}

static const wabe_kernel *mover(const part *p, const wabe_sweep *sweep) {
    const wabe_kernel_request request = {.sweep = sweep, .storage = p->layout.type};
    const wabe_kernel *kernel = NULL;
    CHECK(wabe_registry_select(wabe_kernels(), &p->component, &request, &kernel) == WABE_OK, "%s",
          wabe_error_message());
    return kernel;
}

static wabe_status make_parts(setting *s) {
    for (int i = 0; i < s->count; i++)
        WABE_TRY(part_open(s, &s->parts[i], s->partition.slabs[s->partition.first + i].box));
    return WABE_OK;
}

static wabe_status make_partition(setting *s) {
    wabe_component list[PARTS_MAX];
    int64_t planes[PARTS_MAX];
    const wabe_box block = wabe_decomposition_block(&s->decomposition, check_rank);
    s->count = components_make(s->components, wabe_box_extent(block, 2), list, planes);
    for (int i = 0; i < s->count; i++)
        s->parts[i].component = list[i];
    return wabe_partition_create(MPI_COMM_WORLD, &s->decomposition, s->count, list, planes,
                                 &s->partition);
}

static wabe_status make_exchange(setting *s) {
    wabe_exchange_data data[PARTS_MAX];
    for (int i = 0; i < s->count; i++) {
        const part *p = &s->parts[i];
        data[i] = (wabe_exchange_data){.component = &p->component,
                                       .stream = p->stream,
                                       .field_count = 1,
                                       .fields = {{.pack = mover(p, &wabe_sweep_pack),
                                                   .unpack = mover(p, &wabe_sweep_unpack),
                                                   .layout = p->layout,
                                                   .grid = &p->grid,
                                                   .halo_link_count = CROSSINGS,
                                                   .copies = 1,
                                                   .flags = p->flags.ids ? &p->flags : NULL}}};
        memcpy(data[i].fields[0].halo_links, p->halo_links, sizeof p->halo_links);
    }
    const wabe_exchange_options options = {.behind_faces = s->behind_faces,
                                           .transport = s->transport};
    return wabe_exchange_create(MPI_COMM_WORLD, &s->partition, data, &options, &s->exchange);
}

/* Real GPUs need not reach each other. */
static bool may_fail(const setting *s) {
    return hardware_gpus > 0 && !wabe_devices_are_emulated() &&
           s->transport == WABE_TRANSPORT_peer && strstr(wabe_error_message(), "does not work");
}

static bool setting_open(setting *s) {
    wabe_status status = make_partition(s);
    if (status == WABE_OK)
        status = wabe_agree(MPI_COMM_WORLD, make_parts(s));
    if (status == WABE_OK)
        status = make_exchange(s);
    CHECK(status == WABE_OK || may_fail(s), "%s", wabe_error_message());
    return status == WABE_OK;
}

static void setting_close(setting *s) {
    wabe_exchange_destroy(&s->exchange);
    wabe_partition_free(&s->partition);
    for (int i = 0; i < s->count; i++)
        part_close(&s->parts[i]);
}

/* Bytes are those of the numbers that leave the slabs, counted one by one. */
static void check_bytes(const setting *s) {
    int64_t numbers = 0;
    for (const part *p = s->parts; p < s->parts + s->count; p++)
        for (int i = 0; i < CROSSINGS; i++)
            FOR_CELLS(p->box, cell) {
                int64_t to[3];
                const int *e = p->halo_links[i].e;
                for (int axis = 0; axis < 3; axis++)
                    to[axis] = cell[axis] + e[axis];
                const bool stays = wabe_box_contains(p->box, to[0], to[1], to[2]);
                int64_t wrapped[3];
                numbers += !stays && source_of(s, cell, (int[3]){-e[0], -e[1], -e[2]}, wrapped);
            }
    const int64_t bytes = numbers * (int64_t)wabe_type_size(s->type);
    CHECK(wabe_exchange_bytes(s->exchange, WABE_TRANSPORT_any) == bytes,
          "%lld bytes instead of %lld",
          (long long)wabe_exchange_bytes(s->exchange, WABE_TRANSPORT_any), (long long)bytes);
    CHECK(wabe_exchange_messages(s->exchange, WABE_TRANSPORT_any) <= s->count * s->partition.count,
          "%d messages", wabe_exchange_messages(s->exchange, WABE_TRANSPORT_any));
}

static void run_setting(setting *s) {
    wabe_profile profile = {0};
    if (setting_open(s)) {
        for (int step = 0; step < 4; step++) {
            for (int i = 0; i < s->count; i++)
                fill(s, &s->parts[i], step % 2);
            for (int i = 0; i < s->count; i++)
                s->parts[i].grid = s->parts[i].fields[step % 2]->data;
            wabe_exchange_begin(s->exchange, step % 2, true, &profile);
            wabe_exchange_begin(s->exchange, step % 2, false, &profile);
            for (int k = 0; k < step; k++)
                wabe_exchange_drive(s->exchange);
            wabe_exchange_end(s->exchange, NULL, &profile);
            for (int i = 0; i < s->count; i++)
                compare(s, &s->parts[i], step % 2);
        }
        if (!s->behind_faces)
            check_bytes(s);
    }
    setting_close(s);
}

/* ---- programs ----------------------------------------------------------------------- */

/* Types and transports take turns. */
static void take_turn(setting *s) {
    static int turn;
    static const wabe_transport transports[] = {WABE_TRANSPORT_any, WABE_TRANSPORT_peer,
                                                WABE_TRANSPORT_host};
    s->type = (wabe_type)(WABE_TYPE_any + 1 + turn % 3);
    s->transport = transports[turn / 3 % 3];
    s->masked = turn / 2 % 3 > 0;
    turn++;
}

/* All faces periodic or not, and ghost cells behind the others with and without. */
static void check_grid(const char *components, const int64_t cells[3], const int64_t processes[3]) {
    for (int bits = 0; bits < 16; bits++) {
        setting s = {.components = components, .behind_faces = bits >> 3 & 1};
        const bool periodic[3] = {bits & 1, bits >> 1 & 1, bits >> 2 & 1};
        take_turn(&s);
        const wabe_status status = wabe_decomposition_make(cells, periodic, NULL, processes,
                                                           check_size, &s.decomposition);
        CHECK(status == WABE_OK, "%s", wabe_error_message());
        if (status == WABE_OK)
            run_setting(&s);
    }
}

/* All grids whose blocks have a plane for each component. */
static void check_cells(const char *components, int64_t nx, int64_t ny, int64_t nz) {
    const int64_t cells[3] = {nx, ny, nz};
    for (int64_t x = 1; x <= check_size; x++)
        for (int64_t y = 1; y <= check_size / x; y++) {
            const int64_t grid[3] = {x, y, check_size / x / y};
            if (x * y * grid[2] == check_size && x <= nx && y <= ny &&
                grid[2] * (int64_t)strlen(components) <= nz)
                check_grid(components, cells, grid);
        }
}

static void check_components(const char *components) {
    check_cells(components, 9, 8, 10);
    check_cells(components, 8, 3, 1); /* with 8 ranks: blocks of a cell's thickness */
    check_cells(components, 2, 2, 8);
}

int main(int argc, char *argv[]) {
    check_begin(&argc, &argv);
    static const char *const on_processors[] = {"c", "cc", "ccc"};
    static const char *const on_gpus[] = {"g", "gg", "cg", "gcg", "ggg"};
    const int code = hardware_choose(argc, argv, EMULATED_GPUS);
    for (int i = 0; i < 3 && code == 0 && hardware_gpus == 0; i++)
        check_components(on_processors[i]);
    for (int i = 0; i < 5 && code == 0 && hardware_gpus > 0; i++)
        check_components(on_gpus[i]);
    return check_end(code);
}
