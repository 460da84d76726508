/* The test application (tests/application) against a plain program of its own: the same bits on
 * every grid of processes, with several components each, with the exchange hidden and not, and
 * after a restart.
 *
 *   test_application [emulated|gpu] */
#include "apps/runtime/kernels.h"
#include "tests/application/kernels.h"
#include "tests/application/model.h"
#include "tests/mpi/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 6, SAVED = 3 };

static const int64_t cells[3] = {11, 9, 12};
static const wabe_wall (*const walls)[6] = application_walls;

/* ---- the plain program -------------------------------------------------------------- */

/* Numbers of the whole domain, and a step of it. */
typedef struct {
    bool periodic[3];
    int64_t faces; /* of w along z */
    double *u, *before, *k;
    float *w[2], *next[2];
    int relaxed; /* times, in all steps */
    double squares, largest;
} plain;

static int64_t count_of(const int64_t n[3]) { return n[0] * n[1] * n[2]; }

/* Where a number is found, behind walls too. on_faces: of an axis on whose faces the numbers are.
 */
static int64_t find(const plain *p, int64_t at, int axis, bool on_faces, const wabe_wall w[6],
                    double *factor, double *offset) {
    const int64_t n = cells[axis], last = n - 1 + (on_faces && !p->periodic[axis]);
    if (p->periodic[axis])
        return (at + 4 * n) % n;
    if (at >= 0 && at <= last)
        return at;
    const wabe_wall *wall = &w[2 * axis + (at > last)];
    *factor *= wall->factor;
    *offset = wall->factor * *offset + wall->offset;
    return at < 0 ? (on_faces ? -at : -1 - at) : 2 * last + (on_faces ? 0 : 1) - at;
}

/* Walls are computed with in the type of the sweep, whatever that of the field is. */
#define DEFINE_AT(name, number, stored, field)                                                     \
    static number name(const plain *p, const stored *values, int64_t x, int64_t y, int64_t z) {    \
        double factor = 1.0, offset = 0.0;                                                         \
        z = find(p, z, 2, (field) == W, walls[field], &factor, &offset);                           \
        y = find(p, y, 1, false, walls[field], &factor, &offset);                                  \
        x = find(p, x, 0, false, walls[field], &factor, &offset);                                  \
        const number value = (number)values[x + cells[0] * (y + cells[1] * z)];                    \
        return (number)factor * value + (number)offset;                                            \
    }
DEFINE_AT(u_in_drift, double, double, U)
DEFINE_AT(w_in_drift, double, float, W)
DEFINE_AT(u_in_relax, float, double, U)
DEFINE_AT(w_at, float, float, W)

#define FOR_ALL(x, y, z, nz)                                                                       \
    for (int64_t z = 0; z < (nz); z++)                                                             \
        for (int64_t y = 0; y < cells[1]; y++)                                                     \
            for (int64_t x = 0; x < cells[0]; x++)

static void drift(plain *p) {
    double *const next = p->before;
    FOR_ALL(x, y, z, cells[2]) {
        const int64_t i = x + cells[0] * (y + cells[1] * z);
        const double own = p->u[i];
        double sum = 0.0;
        for (int around = 0; around < 27; around++)
            if (around != 13)
                sum += u_in_drift(p, p->u, x + around % 3 - 1, y + around / 3 % 3 - 1,
                                  z + around / 9 - 1);
        const double mean = p->k[i] * (sum * (1.0 / 26.0));
        next[i] = own + DRIFT * (mean - own) + 0.0625 * w_in_drift(p, p->w[0], x, y, z);
    }
    p->before = p->u;
    p->u = next;
}

static float relaxed_at(const plain *p, int q, int64_t x, int64_t y, int64_t z, float more) {
    const float *w = p->w[q], own = w_at(p, w, x, y, z);
    float sum = -12.0f * own;
    for (int far = 1; far <= 2; far++) {
        sum = sum + (w_at(p, w, x - far, y, z) + w_at(p, w, x + far, y, z));
        sum = sum + (w_at(p, w, x, y - far, z) + w_at(p, w, x, y + far, z));
        sum = sum + (w_at(p, w, x, y, z - far) + w_at(p, w, x, y, z + far));
    }
    return own + ((float)RELAX * sum + more);
}

static void relax(plain *p) {
    p->squares = 0.0;
    p->largest = -INFINITY;
    FOR_ALL(x, y, z, p->faces) {
        const int64_t i = x + cells[0] * (y + cells[1] * z);
        const float step = u_in_relax(p, p->u, x, y, z) - u_in_relax(p, p->u, x, y, z - 1);
        const float before = 0.03125f * u_in_relax(p, p->before, x, y, z);
        p->next[0][i] = relaxed_at(p, 0, x, y, z, 0.125f * step + before);
        p->next[1][i] = relaxed_at(p, 1, x, y, z, -0.25f * step + before);
        const float change = p->next[0][i] - p->w[0][i];
        p->squares += (double)(change * change);
        p->largest = fmax(p->largest, (double)p->next[0][i]);
    }
    for (int q = 0; q < 2; q++) {
        float *const now = p->next[q];
        p->next[q] = p->w[q];
        p->w[q] = now;
    }
    p->relaxed++;
}

static void step_plain(plain *p) {
    drift(p);
    int times = 0;
    do
        relax(p);
    while (++times < RELAXED_MAX && p->squares > CALM * (double)count_of(cells));
}

static plain plain_open(const bool periodic[3]) {
    plain p = {.faces = cells[2] + !periodic[2]};
    const size_t n = (size_t)(cells[0] * cells[1] * (cells[2] + 1));
    memcpy(p.periodic, periodic, sizeof p.periodic);
    p.u = calloc(n, sizeof(double)), p.before = calloc(n, sizeof(double));
    p.k = calloc(n, sizeof(double));
    for (int q = 0; q < 2; q++)
        p.w[q] = calloc(n, sizeof(float)), p.next[q] = calloc(n, sizeof(float));
    FOR_ALL(x, y, z, p.faces) {
        const int64_t cell[3] = {x, y, z}, i = x + cells[0] * (y + cells[1] * z);
        p.u[i] = application_value(U, 0, cell), p.k[i] = application_value(K, 0, cell);
        p.w[0][i] = (float)application_value(W, 0, cell),
        p.w[1][i] = (float)application_value(W, 1, cell);
    }
    return p;
}

static void plain_close(plain *p) {
    free(p->u), free(p->before), free(p->k);
    for (int q = 0; q < 2; q++)
        free(p->w[q]), free(p->next[q]);
}

/* ---- the same in tables ------------------------------------------------------------- */

/* Half of all runs have w in groups. */
static wabe_grid_model model_of(const bool periodic[3]) {
    wabe_grid_model m = application_model(cells, periodic);
    m.fields[W].group = periodic[1] ? 4 : 0;
    return m;
}

/* Gives u and w their values before the next step. */
static void begin(tables *t, wabe_grid_values values, const void *const contexts[3]) {
    static const struct { int field, component; } rows[3] = {{U, 0}, {W, 0}, {W, 1}};
    for (int i = 0; i < t->domain.slab_count; i++) {
        CHECK(wabe_grid_reset(t->slabs.list[i]) == WABE_OK, "%s", wabe_error_message());
        for (int k = 0; k < 3; k++)
            CHECK(wabe_grid_set(t->slabs.list[i], rows[k].field, rows[k].component, values,
                                contexts[k]) == WABE_OK,
                  "%s", wabe_error_message());
    }
    wabe_domain_initialise(&t->domain);
}

/* Numbers of a field with other bits than the plain program's. */
static int64_t others_of(wabe_grid_slab *slab, int field, int q, const plain *p) {
    const wabe_box box = wabe_grid_box(slab, field);
    double *found = malloc((size_t)wabe_box_cells(box) * sizeof *found);
    const double *value = found;
    int64_t others = 0;
    CHECK(wabe_grid_read_field(slab, field, q, box, found) == WABE_OK, "%s", wabe_error_message());
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++) {
                const int64_t i = x + cells[0] * (y + cells[1] * z);
                others += *value++ != (field == U ? p->u[i] : (double)p->w[q][i]);
            }
    free(found);
    return others;
}

/* On all processes. */
static int64_t others_of_all(const tables *t, const plain *p) {
    int64_t others = 0;
    for (int i = 0; i < t->domain.slab_count; i++)
        others += others_of(t->slabs.list[i], U, 0, p) + others_of(t->slabs.list[i], W, 0, p) +
                  others_of(t->slabs.list[i], W, 1, p);
    MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return others;
}

static void compare(tables *t, const plain *p, int step) {
    const int64_t others = others_of_all(t, p);
    CHECK(others == 0, "%s: after step %d %lld numbers have other bits", t->what, step,
          (long long)others);
    CHECK(wabe_grid_slabs_reduce(&t->slabs, LARGEST) == p->largest, "%s: largest", t->what);
    CHECK(fabs(t->slabs.values[SQUARES] - p->squares) <= 1e-13 * p->squares,
          "%s: squares %.17g, not %.17g", t->what, t->slabs.values[SQUARES], p->squares);
}

/* ---- a restart: the plain program's numbers are the checkpoint -------------------------- */

typedef struct {
    const double *u;
    const float *w;
} stored;

static wabe_status stored_row(const void *context, const int64_t cell[3], int64_t count,
                              double *row) {
    const stored *s = context;
    for (int64_t i = 0; i < count; i++) {
        const int64_t at = cell[0] + i + cells[0] * (cell[1] + cells[1] * cell[2]);
        row[i] = s->u ? s->u[at] : (double)s->w[at];
    }
    return WABE_OK;
}

static void begin_with(tables *t, const plain *p) {
    const stored rows[3] = {{.u = p->u}, {.w = p->w[0]}, {.w = p->w[1]}};
    begin(t, stored_row, (const void *[3]){&rows[0], &rows[1], &rows[2]});
}

static void begin_anew(tables *t) {
    static const int names[3][2] = {{U, 0}, {W, 0}, {W, 1}};
    begin(t, application_values, (const void *[3]){names[0], names[1], names[2]});
}

static void check(const char *word, const int64_t processes[3], const bool periodic[3],
                  bool overlap) {
    const wabe_grid_model m = model_of(periodic);
    tables t;
    plain p = plain_open(periodic);
    if (tables_open(word, processes, overlap, &m, application_fill, &t)) {
        begin_anew(&t);
        for (int step = 1; step <= STEPS; step++) {
            step_plain(&p);
            wabe_domain_step(&t.domain);
            compare(&t, &p, step);
            if (step == SAVED)
                begin_with(&t, &p);
        }
        CHECK(p.relaxed > STEPS && p.relaxed < STEPS * RELAXED_MAX, "relaxed %d times in %d steps",
              p.relaxed, STEPS);
    }
    tables_close(&t);
    plain_close(&p);
}

/* ---- what a step cannot do without -------------------------------------------------- */

typedef enum { DRIFT_EXCHANGE, RELAX_EXCHANGE, RELAX_AWAITS, NEEDS } need;

/* Without any of these the results are others. Relaxing awaits what drifting has sent along z,
 * which reaches devices without being awaited. */
static void check_need(const char *word, const int64_t processes[3], need what) {
    static const bool periodic[3] = {false};
    const wabe_grid_model m = model_of(periodic);
    tables t;
    if (what == RELAX_AWAITS && (strchr(word, 'g') || (processes[2] == 1 && !word[1])))
        return;
    plain p = plain_open(periodic);
    if (tables_open(word, processes, true, &m, application_fill, &t) &&
        t.domain.partition.count > 1) {
        wabe_schedule_entry *drift = &t.domain.schedule.entries[0];
        wabe_schedule_entry *relax = &t.domain.schedule.entries[2];
        if (what == RELAX_AWAITS)
            relax->awaits = 0;
        else
            (what == DRIFT_EXCHANGE ? drift : relax)->exchange = WABE_NO_EXCHANGE;
        begin_anew(&t);
        for (int step = 0; step < SAVED; step++) {
            step_plain(&p);
            wabe_domain_step(&t.domain);
        }
        CHECK(others_of_all(&t, &p) > 0, "%s: need %d is none", t.what, what);
    }
    tables_close(&t);
    plain_close(&p);
}

/* ---- tables that cannot work -------------------------------------------------------- */

static void check_refusals(void) {
    static const bool none[3] = {false};
    wabe_grid_model m = model_of(none);
    CHECK(wabe_grid_check(&m) == WABE_OK, "%s", wabe_error_message());
    m.fields[U].role = WABE_FIELD_SCRATCH;
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "\"drift\"") &&
              strstr(wabe_error_message(), "\"u\""),
          "read before it is written: %s", wabe_error_message());
    m = model_of(none);
    m.fields[W].grids = 1;
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "\"w\""),
          "neighbours of what is written in place: %s", wabe_error_message());
    m = model_of(none);
    m.sweeps[0].writes[0] = K;
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "\"k\""),
          "writes a constant: %s", wabe_error_message());
    m = model_of(none);
    m.fields[W].group = 12;
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "\"w\""),
          "a group that is no power of two: %s", wabe_error_message());
    m = model_of(none);
    m.fields[K].grids = 3;
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "\"k\""),
          "three grids: %s", wabe_error_message());
    m = model_of(none);
    m.fields[U].fixed_layer = m.periodic[2] = true;
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "\"u\""),
          "a rim on a periodic axis: %s", wabe_error_message());
    m = model_of(none);
    m.sweeps[1].writes[m.sweeps[1].write_count++] = W;
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "\"relax\""),
          "written twice: %s", wabe_error_message());
    m = model_of(none);
    m.entries[2].number = m.sweep_count;
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "entry 2"),
          "an entry of no sweep: %s", wabe_error_message());
    m = model_of(none);
    m.entries[0].number = 1; /* relax reads the previous u before drift has written it */
    CHECK(wabe_grid_check(&m) == WABE_INPUT && strstr(wabe_error_message(), "\"relax\""),
          "previous values that nobody wrote: %s", wabe_error_message());
    m = model_of(none);
    m.sweeps[1].reduction_count = 1;
    const wabe_component component = wabe_component_detect(1);
    const wabe_box box = {.end = {11, 9, 12}};
    wabe_grid_slab *slab = NULL;
    CHECK(wabe_grid_create(wabe_kernels(), &component, &m, box, box, &slab) == WABE_INTERNAL &&
              strstr(wabe_error_message(), "\"relax\""),
          "a table that says other than its kernels: %s", wabe_error_message());
    wabe_grid_destroy(&slab);
    m = model_of(none);
    CHECK(wabe_grid_fits(&m, (const int64_t[3]){11, 9, 1}, 1) == WABE_INPUT &&
              strstr(wabe_error_message(), "\"relax\""),
          "a slab thinner than the stencil: %s", wabe_error_message());
    m.sweeps[1].whole[1] = true;
    CHECK(wabe_grid_fits(&m, (const int64_t[3]){11, 4, 12}, 1) == WABE_INPUT &&
              strstr(wabe_error_message(), "along y"),
          "an axis that is cut: %s", wabe_error_message());
}

int main(int argc, char *argv[]) {
    static const char *const of_processors[] = {"c", "cc"}, *const of_gpus[] = {"g", "cg", "gg"};
    static const bool periodic[][3] = {{false},
                                       {true, false, false},
                                       {false, true, true},
                                       {true, true, true}};
    check_begin(&argc, &argv);
    const int code = hardware_choose(argc, argv, EMULATED_GPUS);
    const bool gpus = hardware_gpus > 0;
    wabe_kernels_add(&application_kernels);
    check_refusals();
    for (int i = 0; i < (gpus ? 3 : 2) && code == 0; i++) {
        const char *word = gpus ? of_gpus[i] : of_processors[i];
        /* Slabs are two layers thick at least, but for those that are the whole axis. */
        const int64_t most[3] = {cells[0] / 2, cells[1] / 2,
                                 cells[2] / (2 * (int64_t)strlen(word))};
        int64_t grid[3] = {1, 0, 0};
        while (grids_next(most, grid)) {
            for (int k = 0; k < 8; k++)
                check(word, grid, periodic[k / 2], k % 2);
            for (need what = 0; what < NEEDS; what++)
                check_need(word, grid, what);
        }
    }
    return check_end(code);
}
