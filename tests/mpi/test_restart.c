/* A run that goes on from a checkpoint has the bits of one that was never interrupted, whoever has
 * written it: in all cases, for all types, from every streaming pattern to every other one, after
 * odd and even steps, on other process grids, on CPUs and GPUs; and a checkpoint that is
 * damaged is found to be. (Halves: what walls that move or let the fluid in return is rounded once
 * more, so all walls are at rest here.)
 *
 *   test_restart [emulated|gpu] */
#include "apps/lbm/simulation.h"
#include "core/io/checkpoint.h"
#include "tests/conformance/cases.h"
#include "tests/mpi/check.h"
#include "tests/mpi/components.h"
#include "tests/mpi/grids.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* Wide enough for an inner region; planes for three slabs in each of four blocks. */
static const int64_t size[3] = {36, 8, 12};
enum { STEPS = 12, KEEP = 2 };

static char directory[PATH_MAX];

/* How a case is run. */
typedef struct {
    const test_case *c;
    wabe_type type;
    wabe_streaming streaming;
    const char *components;
    int64_t processes[3];
} manner;

/* ---- running ------------------------------------------------------------------------ */

static wabe_status create(MPI_Comm comm, const manner *m, wabe_simulation **out) {
    wabe_simulation_options options = {.model = case_model(m->c, WABE_LATTICE_d3q19, m->type,
                                                           WABE_COLLISION_trt, m->streaming),
                                       .geometry = case_geometry(m->c),
                                       .overlap = true,
                                       .communicate = true};
    bool periodic[3];
    wabe_decomposition d;
    int rank, ranks;
    memcpy(options.processes, m->processes, sizeof options.processes);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    wabe_geometry_periodic(&options.geometry, periodic);
    WABE_TRY(wabe_decomposition_make(m->c->cells, periodic, NULL, m->processes, ranks, &d));
    wabe_components components = {0};
    components.count = components_make(m->components,
                                       wabe_box_extent(wabe_decomposition_block(&d, rank), 2),
                                       components.list, components.planes);
    return wabe_simulation_create(comm, &options, &components, out);
}

static wabe_status advance(wabe_simulation *s, int64_t steps) {
    while (wabe_simulation_steps(s) < steps)
        wabe_simulation_step(s);
    return WABE_OK;
}

static wabe_status fill(void *context, int q, wabe_box part, void *values) {
    return wabe_simulation_populations(context, q, part, values);
}

/* The run goes on while the checkpoint is written. */
static wabe_status save(MPI_Comm comm, wabe_simulation *s) {
    const int64_t *n = s->options.geometry.cells, step = wabe_simulation_steps(s);
    const wabe_checkpoint_request request = {.directory = directory,
                                             .head = {.application = "test",
                                                      .step = step,
                                                      .cells = {n[0], n[1], n[2]},
                                                      .array_count = WABE_COUNT_d3q19,
                                                      .type = s->options.model.type,
                                                      .configuration = "a = 1;\n",
                                                      .number_count = 1,
                                                      .numbers = {{"third", 1.0 / 3.0}}},
                                             .block = s->domain.block,
                                             .fill = fill,
                                             .context = s,
                                             .keep = KEEP,
                                             .mine = step};
    wabe_checkpoint_writing *writing;
    WABE_TRY(wabe_checkpoint_begin(comm, &request, &writing));
    advance(s, step + 3);
    return wabe_checkpoint_end(&writing);
}

static wabe_status stored(void *context, int q, wabe_box box, void *values) {
    return wabe_checkpoint_read(context, q, box, values);
}

/* From the beginning to a checkpoint. */
static wabe_status run_until(const manner *m, int64_t steps) {
    wabe_simulation *s = NULL;
    wabe_status status = create(MPI_COMM_WORLD, m, &s);
    if (status == WABE_OK)
        status = wabe_simulation_initialise(s, case_initial, NULL);
    if (status == WABE_OK)
        status = advance(s, steps);
    if (status == WABE_OK)
        status = save(MPI_COMM_WORLD, s);
    wabe_simulation_destroy(&s);
    return status;
}

/* From the latest checkpoint to the end. */
static wabe_status go_on(const manner *m, int64_t from, uint64_t *hash) {
    wabe_checkpoint *c = NULL;
    wabe_simulation *s = NULL;
    wabe_status status = wabe_checkpoint_open_latest(MPI_COMM_WORLD, directory, &c);
    CHECK(status == WABE_OK && c && wabe_checkpoint_head_of(c)->step == from &&
              wabe_checkpoint_number_of(c, "third", 0.0) == 1.0 / 3.0,
          "%s", wabe_error_message());
    if (!c)
        return WABE_FAIL(WABE_INTERNAL, "no checkpoint");
    status = create(MPI_COMM_WORLD, m, &s);
    if (status == WABE_OK)
        status = wabe_simulation_restore(s, wabe_checkpoint_head_of(c)->step, stored, c);
    if (status == WABE_OK)
        status = advance(s, STEPS);
    if (status == WABE_OK)
        status = wabe_simulation_hash(s, hash);
    wabe_simulation_destroy(&s);
    wabe_checkpoint_close(&c);
    return status;
}

static uint64_t run_alone(const manner *m) {
    manner alone = *m;
    wabe_simulation *s = NULL;
    uint64_t hash = 0;
    alone.components = "c";
    alone.streaming = WABE_STREAMING_pull;
    memcpy(alone.processes, (int64_t[3]){1, 1, 1}, sizeof alone.processes);
    wabe_status status = create(MPI_COMM_SELF, &alone, &s);
    if (status == WABE_OK)
        status = wabe_simulation_initialise(s, case_initial, NULL);
    if (status == WABE_OK)
        status = advance(s, STEPS);
    if (status == WABE_OK)
        status = wabe_simulation_hash(s, &hash);
    CHECK(status == WABE_OK, "%s", wabe_error_message());
    wabe_simulation_destroy(&s);
    return hash;
}

/* ---- files -------------------------------------------------------------------------- */

static void path_of(int64_t step, char path[PATH_MAX + 64]) {
    snprintf(path, PATH_MAX + 64, "%s/checkpoint_%08lld.h5", directory, (long long)step);
}

static void remove_all(void) {
    char path[PATH_MAX + 64];
    for (int64_t step = 0; check_rank == 0 && step <= STEPS; step++) {
        path_of(step, path);
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- checks ------------------------------------------------------------------------- */

static void rest_all_walls(test_case *c) {
    for (int i = 0; i < WABE_FACES + c->object_count; i++)
        if (c->conditions[i].kind != WABE_BOUNDARY_periodic &&
            !(WABE_MIRRORS >> c->conditions[i].kind & 1))
            c->conditions[i] = case_condition(WABE_BOUNDARY_no_slip, 0, 0, 0);
}

/* Types (all of them on one processor), grids and components take turns, since all combinations
 * would be too many. */
static void check_case(case_name name, const char *words[], int word_count, int *turn) {
    const int types = wabe_component_detect(1).instruction_set > WABE_INSTRUCTION_SET_x86_64 ? 3
                                                                                             : 2;
    const int rounds = check_size == 1 && hardware_gpus == 0 ? types : 1;
    const int patterns = WABE_STREAMING_list; /* moments are another state */
    for (int i = 0; i < rounds * patterns * patterns; i++, (*turn)++) {
        const wabe_streaming first = (wabe_streaming)(WABE_STREAMING_any + 1 + i % patterns);
        const wabe_streaming second =
            (wabe_streaming)(WABE_STREAMING_any + 1 + i / patterns % patterns);
        const wabe_type type = (wabe_type)(WABE_TYPE_any + 1 + (i + i / patterns + name) % types);
        const bool listed = first == WABE_STREAMING_list || second == WABE_STREAMING_list;
        test_case c = case_for(listed ? WABE_STREAMING_list : WABE_STREAMING_pull, name, size[0],
                               size[1], size[2]);
        if (type == WABE_TYPE_f16)
            rest_all_walls(&c);
        manner m = {.c = &c,
                    .type = type,
                    .streaming = first,
                    .components = words[*turn % word_count],
                    .processes = {0, 0, 1}};
        const int64_t from = 5 + (*turn) % 2;
        uint64_t hash = 0;
        remove_all();
        CHECK(run_until(&m, from) == WABE_OK, "%s", wabe_error_message());
        const uint64_t right = run_alone(&m);
        m.streaming = second;
        m.components = words[(*turn + 1) % word_count];
        memcpy(m.processes, check_size <= 4 ? (int64_t[3]){1, 1, 0} : (int64_t[3]){0, 1, 4},
               sizeof m.processes);
        CHECK(go_on(&m, from, &hash) == WABE_OK, "%s", wabe_error_message());
        CHECK(hash == right, "%s, %s, from %s to %s after step %d: other bits", case_words[name],
              wabe_type_word(m.type), wabe_streaming_word(first), wabe_streaming_word(second),
              (int)from);
    }
}

/* Changes a byte, or cuts the file there. Rank 0. */
static void damage(int64_t step, double where, bool cut) {
    char path[PATH_MAX + 64], byte;
    path_of(step, path);
    if (check_rank == 0) {
        const int file = open(path, O_RDWR);
        const off_t at = (off_t)(where * (double)lseek(file, 0, SEEK_END));
        bool good = pread(file, &byte, 1, at) == 1;
        byte = (char)(byte ^ 4);
        good = good && (cut ? ftruncate(file, at) == 0 : pwrite(file, &byte, 1, at) == 1);
        CHECK(good, "%s cannot be damaged", path);
        close(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The latest one is skipped; with nothing else there is nothing; keep is kept. */
static void check_damage(void) {
    const test_case c = case_make(CASE_MIXED, size[0], size[1], size[2]);
    const manner m = {.c = &c,
                      .type = WABE_TYPE_f32,
                      .streaming = WABE_STREAMING_pull,
                      .components = "c",
                      .processes = {0, 0, 0}};
    char path[PATH_MAX + 64];
    wabe_checkpoint *found = NULL;
    remove_all();
    CHECK(wabe_checkpoint_open_latest(MPI_COMM_WORLD, directory, &found) == WABE_OK && !found,
          "a checkpoint out of nothing");
    for (int64_t step = 1; step <= 3; step++)
        CHECK(run_until(&m, step) == WABE_OK, "%s", wabe_error_message());
    path_of(1, path);
    CHECK(access(path, F_OK) != 0, "the oldest one of three is still there");
    for (int cut = 0; cut < 2; cut++) {
        damage(3, 0.6, cut);
        CHECK(wabe_checkpoint_open_latest(MPI_COMM_WORLD, directory, &found) == WABE_OK && found &&
                  wabe_checkpoint_head_of(found)->step == 2,
              "cut %d: %s", cut, wabe_error_message());
        wabe_checkpoint_close(&found);
    }
    damage(2, 0.97, false);
    CHECK(wabe_checkpoint_open_latest(MPI_COMM_WORLD, directory, &found) == WABE_INPUT,
          "damaged ones are taken");
    wabe_checkpoint_close(&found);
}

int main(int argc, char *argv[]) {
    static const char *processors[] = {"c", "cc", "c"}, *gpus[] = {"g", "c", "gcg", "gg", "cc"};
    check_begin(&argc, &argv);
    int code = hardware_choose(argc, argv, EMULATED_GPUS), turn = 0;
    if (hardware_gpus > 0 &&
        wabe_component_detect(1).instruction_set == WABE_INSTRUCTION_SET_x86_64)
        code = HARDWARE_SKIPPED;
    if (check_rank == 0) {
        snprintf(directory, sizeof directory, "%s/wabe_restart.XXXXXX",
                 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
        CHECK(mkdtemp(directory), "no folder for checkpoints");
    }
    MPI_Bcast(directory, sizeof directory, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int name = 0; name < CASE_COUNT && code == 0; name++)
        if (hardware_gpus > 0)
            check_case((case_name)name, gpus, sizeof gpus / sizeof gpus[0], &turn);
        else
            check_case((case_name)name, processors, 3, &turn);
    if (code == 0 && hardware_gpus == 0)
        check_damage();
    remove_all();
    if (check_rank == 0)
        rmdir(directory);
    return check_end(code);
}
