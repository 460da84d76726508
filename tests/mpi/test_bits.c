/* Results do not depend on how the domain is cut: on every process grid that fits, with and without
 * overlap, for both streaming patterns and both types, populations have the bits of a run on one
 * rank, and sums are equal too. */
#include "apps/simulation.h"
#include "tests/conformance/cases.h"
#include "tests/mpi/check.h"

#include <unistd.h>

/* Wide enough in x for an inner region between two outer ones; in z, eight blocks are one or two
 * cells thick. */
static const int64_t size[3] = {50, 11, 9};

typedef struct {
    test_case c;
    case_name name;
    wabe_type type;
    wabe_streaming streaming;
    int steps;
} run;

typedef struct {
    uint64_t hash;
    wabe_monitor_result monitor;
} result;

/* Fewer steps where ranks leave no core free, and so wait for one another and for all else. */
static int steps_for(int ranks) { return ranks >= sysconf(_SC_NPROCESSORS_ONLN) ? 50 : 200; }

/* Collective over comm; NULL on failure, which is counted. */
static wabe_simulation *create(MPI_Comm comm, const run *r, const int64_t processes[3],
                               bool overlap, bool communicate) {
    wabe_simulation_options options = {.model = case_model(&r->c, r->type, WABE_COLLISION_trt,
                                                           r->streaming),
                                       .geometry = case_geometry(&r->c),
                                       .processes = {processes[0], processes[1], processes[2]},
                                       .overlap = overlap,
                                       .communicate = communicate};
    wabe_simulation *s = NULL;
    wabe_components components = {.count = 1};
    components.list[0] = wabe_component_detect(1);
    wabe_status status = wabe_simulation_create(comm, &options, &components, &s);
    if (status == WABE_OK)
        status = wabe_simulation_initialise(s, case_initial, NULL);
    CHECK(status == WABE_OK, "%s", wabe_error_message());
    if (status != WABE_OK)
        wabe_simulation_destroy(&s);
    return s;
}

static result run_case(MPI_Comm comm, const run *r, const int64_t processes[3], bool overlap,
                       bool communicate) {
    result found = {0};
    wabe_simulation *s = create(comm, r, processes, overlap, communicate);
    if (!s)
        return found;
    for (int step = 0; step < r->steps; step++)
        wabe_simulation_step(s);
    wabe_simulation_hash(s, &found.hash);
    wabe_simulation_monitor(s, &found.monitor);
    wabe_simulation_destroy(&s);
    return found;
}

static bool same_sum(wabe_sum a, wabe_sum b) { return wabe_sum_value(a) == wabe_sum_value(b); }

static bool same_monitor(const wabe_monitor_result *a, const wabe_monitor_result *b) {
    for (int d = 0; d < 3; d++)
        if (!same_sum(a->momentum[d], b->momentum[d]))
            return false;
    return same_sum(a->mass, b->mass) && same_sum(a->energy, b->energy) && a->cells == b->cells &&
           a->broken == b->broken && a->speed_squared == b->speed_squared &&
           a->fastest == b->fastest;
}

static void check_grid(const run *r, const result *one, const int64_t processes[3]) {
    for (int overlap = 0; overlap < 2; overlap++) {
        const result found = run_case(MPI_COMM_WORLD, r, processes, overlap, true);
        const bool same = found.hash == one->hash;
        CHECK(same && same_monitor(&found.monitor, &one->monitor),
              "%s, %s, %s, grid %d x %d x %d, overlap %d: other %s than on one rank",
              case_words[r->name], wabe_type_word(r->type), wabe_streaming_word(r->streaming),
              (int)processes[0], (int)processes[1], (int)processes[2], overlap,
              same ? "sums" : "bits");
    }
}

/* All grids of this many processes. */
static void check_grids(const run *r, const result *one) {
    for (int64_t x = 1; x <= check_size; x++)
        for (int64_t y = 1; y <= check_size / x; y++) {
            const int64_t grid[3] = {x, y, check_size / x / y};
            if (x * y * grid[2] == check_size && x <= size[0] && y <= size[1] && grid[2] <= size[2])
                check_grid(r, one, grid);
        }
}

/* The test would notice: without an exchange, more than one rank compute something else. */
static void check_silence(const run *r, const result *one) {
    const int64_t any[3] = {0, 0, 0};
    const result found = run_case(MPI_COMM_WORLD, r, any, true, false);
    CHECK(check_size == 1 || found.hash != one->hash, "%s: silence makes no difference",
          case_words[r->name]);
}

/* All ranks start from the same bits, so each of them can run the case alone. */
static void check_case(case_name name, wabe_type type) {
    const int64_t alone[3] = {1, 1, 1};
    run r = {.c = case_make(name, size[0], size[1], size[2]),
             .name = name,
             .type = type,
             .streaming = WABE_STREAMING_pull,
             .steps = steps_for(check_size)};
    const result one = run_case(MPI_COMM_SELF, &r, alone, false, true);
    CHECK(one.monitor.broken == 0 && one.monitor.cells > 0, "%s diverged", case_words[name]);
    check_silence(&r, &one);
    for (int s = WABE_STREAMING_any + 1; s < WABE_STREAMING_end; s++) {
        r.streaming = (wabe_streaming)s;
        check_grids(&r, &one);
    }
}

int main(int argc, char *argv[]) {
    check_begin(&argc, &argv);
    const double start = MPI_Wtime();
    for (int name = 0; name < CASE_COUNT; name++) {
        check_case((case_name)name, WABE_TYPE_f64);
        check_case((case_name)name, WABE_TYPE_f32);
    }
    if (check_rank == 0)
        printf("%.1f s\n", MPI_Wtime() - start);
    return check_end();
}
