/* Programs in tables (tests/application) against plain ones: the same bits on every grid of
 * processes, with several components each, with exchanges hidden and not, and after the state has
 * been set anew; and each exchange is needed. */
#pragma once

#include "apps/runtime/kernels.h"
#include "tests/application/kernels.h"
#include "tests/mpi/tables.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    const int64_t *cells;
    bool whole[3]; /* axes that processes do not cut, with walls */
    int64_t grain; /* cells that slabs have at least along each axis; 0: 2 */
    wabe_grid_model (*model)(const int64_t cells[3], const bool periodic[3]);
    wabe_status (*fill)(void *context, wabe_grid_slab *slab);
    int numbers, shown; /* of the state, and beside it */
    /* Makes the plain program: its memory, which free frees, begins with the state and what is
     * shown, [number][z][y][x]. Local. */
    double *(*open)(const bool periodic[3]);
    void (*step)(double *plain, const bool periodic[3]);
    size_t bytes;              /* of its memory */
    int exchanges;             /* of a step, which are needed */
    bool (*unused)(int entry); /* is the exchange of this entry not needed? NULL: all are */
} program;

enum { PROGRAM_STEPS = 3, PROGRAM_SAVED = 1 };

/* The plain program's number of a cell. */
typedef struct {
    const int64_t *cells;
    const double *values;
} program_number;

static inline int64_t program_place(const int64_t *n, int64_t x, int64_t y, int64_t z) {
    return x + n[0] * (y + n[1] * z);
}

static inline wabe_status program_row(const void *context, const int64_t cell[3], int64_t count,
                                      double *row) {
    const program_number *of = context;
    memcpy(row, of->values + program_place(of->cells, cell[0], cell[1], cell[2]),
           (size_t)count * sizeof *row);
    return WABE_OK;
}

static inline program_number program_number_of(const program *p, const double *plain, int number) {
    return (program_number){p->cells, plain + number * (p->cells[0] * p->cells[1] * p->cells[2])};
}

/* The state is that of the plain program: at the start, or a checkpoint. */
static inline void program_begin(const program *p, const double *plain, tables *t) {
    wabe_grid_number state[WABE_GRID_NUMBERS_MAX];
    CHECK(wabe_grid_state(&t->slabs.model, state) == p->numbers, "the state has other numbers");
    for (int i = 0; i < t->domain.slab_count; i++) {
        CHECK(wabe_grid_reset(t->slabs.list[i]) == WABE_OK, "%s", wabe_error_message());
        for (int k = 0; k < p->numbers; k++) {
            const program_number of = program_number_of(p, plain, k);
            CHECK(wabe_grid_set(t->slabs.list[i], state[k].field, state[k].component, program_row,
                                &of) == WABE_OK,
                  "%s", wabe_error_message());
        }
    }
    wabe_domain_initialise(&t->domain);
}

/* Returns how many numbers have other bits than the plain program's, on all processes. */
static inline int64_t program_others(const program *p, const double *plain, const tables *t) {
    double *found = malloc((size_t)(p->cells[0] * p->cells[1] * p->cells[2]) * sizeof *found);
    wabe_grid_number numbers[WABE_GRID_NUMBERS_MAX];
    int64_t others = 0;
    const int count = wabe_grid_numbers(&t->slabs.model, numbers);
    CHECK(count == p->numbers + p->shown, "%d numbers are shown", count - p->numbers);
    for (int s = 0; s < t->domain.slab_count; s++) {
        const wabe_box box = t->slabs.list[s]->block;
        for (int k = 0; k < count; k++) {
            const program_number of = program_number_of(p, plain, k);
            const double *value = found;
            CHECK(wabe_grid_read_field(t->slabs.list[s], numbers[k].field, numbers[k].component,
                                       box, found) == WABE_OK,
                  "%s", wabe_error_message());
            for (int64_t z = box.begin[2]; z < box.end[2]; z++)
                for (int64_t y = box.begin[1]; y < box.end[1]; y++)
                    for (int64_t x = box.begin[0]; x < box.end[0]; x++)
                        others += *value++ != of.values[program_place(p->cells, x, y, z)];
        }
    }
    free(found);
    MPI_Allreduce(MPI_IN_PLACE, &others, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return others;
}

static inline void program_check(const program *p, const char *word, const int64_t processes[3],
                                 const bool periodic[3], bool overlap) {
    const wabe_grid_model m = p->model(p->cells, periodic);
    tables t;
    double *plain = p->open(periodic);
    if (tables_open(word, processes, overlap, &m, p->fill, &t)) {
        program_begin(p, plain, &t);
        for (int step = 1; step <= PROGRAM_STEPS; step++) {
            p->step(plain, periodic);
            wabe_domain_step(&t.domain);
            CHECK(program_others(p, plain, &t) == 0, "%s: after step %d numbers have other bits",
                  t.what, step);
            if (step == PROGRAM_SAVED)
                program_begin(p, plain, &t);
        }
        for (int k = 0; k < p->numbers; k++)
            CHECK(isfinite(*program_number_of(p, plain, k).values), "the plain program diverges");
    }
    tables_close(&t);
    free(plain);
}

/* Without one of its exchanges a step has other results. */
static inline void program_check_needs(const program *p, const char *word,
                                       const int64_t processes[3]) {
    static const bool periodic[3] = {false};
    const wabe_grid_model m = p->model(p->cells, periodic);
    tables t;
    double *plain = p->open(periodic), *next = malloc(p->bytes);
    if (tables_open(word, processes, true, &m, p->fill, &t) && t.domain.partition.count > 1) {
        wabe_schedule *s = &t.domain.schedule;
        const wabe_schedule all = *s;
        int tried = 0;
        p->step(plain, periodic);
        for (int i = 0; i < all.entry_count; i++) {
            if (all.entries[i].kind != WABE_STEP_SWEEP ||
                all.entries[i].exchange == WABE_NO_EXCHANGE || (p->unused && p->unused(i)))
                continue;
            tried++;
            s->entries[i].exchange = WABE_NO_EXCHANGE;
            program_begin(p, plain, &t);
            memcpy(next, plain, p->bytes);
            for (int step = 0; step < 2; step++) { /* some are for the next step */
                wabe_domain_step(&t.domain);
                p->step(next, periodic);
            }
            CHECK(program_others(p, next, &t) > 0, "%s: the exchange of entry %d is not needed",
                  t.what, i);
            *s = all;
        }
        CHECK(tried == p->exchanges, "%d exchanges are tried", tried);
    }
    tables_close(&t);
    free(plain);
    free(next);
}

/* All of this for all grids of processes. */
static inline int program_main(const program *p, int argc, char *argv[]) {
    static const char *const of_processors[] = {"c", "cc"}, *const of_gpus[] = {"g", "cg", "gg"};
    static const bool periodic[][3] = {{false}, {true, false, false}, {false, true, true}};
    check_begin(&argc, &argv);
    const int code = hardware_choose(argc, argv, EMULATED_GPUS);
    const bool gpus = hardware_gpus > 0;
    wabe_kernels_add(&application_kernels);
    for (int i = 0; i < (gpus ? 3 : 2) && code == 0; i++) {
        const char *word = gpus ? of_gpus[i] : of_processors[i];
        const int64_t least = p->grain > 0 ? p->grain : 2;
        const int64_t most[3] = {p->cells[0] / least, p->cells[1] / least,
                                 p->cells[2] / (least * (int64_t)strlen(word))};
        int64_t grid[3] = {1, 0, 0};
        while (grids_next(most, grid)) {
            if ((p->whole[0] && grid[0] > 1) || (p->whole[1] && grid[1] > 1) ||
                (p->whole[2] && grid[2] > 1))
                continue;
            for (int k = 0; k < 6; k++) {
                bool ends[3];
                for (int axis = 0; axis < 3; axis++)
                    ends[axis] = periodic[k / 2][axis] && !p->whole[axis];
                program_check(p, word, grid, ends, k % 2);
            }
            program_check_needs(p, word, grid);
        }
    }
    return check_end(code);
}
