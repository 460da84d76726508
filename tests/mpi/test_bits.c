/* Results do not depend on how the domain is cut, nor on what it is computed on: on every process
 * grid that fits, with and without overlap, for both streaming patterns and all types, with one or
 * several components in a process, populations have the bits of a run on one processor, and sums
 * are equal too.
 *
 *   test_bits [emulated|gpu] */
#include "apps/lbm/simulation.h"
#include "tests/conformance/cases.h"
#include "tests/full.h"
#include "tests/mpi/check.h"
#include "tests/mpi/components.h"
#include "tests/mpi/grids.h"

#include <stdlib.h>
#include <unistd.h>

/* Wide enough in x for an inner region between two outer ones; in z, eight blocks are one or two
 * cells thick. */
static const int64_t size[3] = {50, 11, 9};
/* Where components take turns: three slabs in each of four blocks along z; few cells, since
 * emulated GPUs take a microsecond for each. */
static const int64_t small[3] = {36, 5, 12};
/* For slabs of one plane, whose only plane goes to both neighbours. */
static const int64_t thin[3] = {36, 5, 6};
/* One cell thick and periodic: the slab is its own neighbour. */
static const int64_t flat[][3] = {{36, 1, 12}, {34, 9, 1}};
enum { FLATS = sizeof flat / sizeof flat[0] };
static int small_steps(void) { return test_is_full() ? 20 : 6; }

/* How a case is run. */
typedef struct {
    const test_case *c;
    case_name name;
    const char *components; /* see components.h */
    wabe_lattice lattice;
    wabe_type type;
    wabe_streaming streaming;
    wabe_transport transport;
    int64_t processes[3];
    bool overlap, communicate;
    int steps;
} run;

typedef struct {
    uint64_t hash;
    wabe_monitor_result monitor;
    bool possible; /* false: the transport that is asked for is not there */
} result;

/* Fewer steps where ranks leave no core free, and so wait for one another and for all else. */
static int steps_for(int ranks) {
    if (!test_is_full())
        return 12;
    return ranks >= sysconf(_SC_NPROCESSORS_ONLN) ? 50 : 200;
}

/* A run on one rank and its processor, that others are held against. */
static run run_alone(const test_case *c, case_name name, wabe_type type, int steps) {
    return (run){.c = c,
                 .name = name,
                 .components = "c",
                 .lattice = WABE_LATTICE_d3q19,
                 .type = type,
                 .streaming = WABE_STREAMING_pull,
                 .processes = {1, 1, 1},
                 .communicate = true,
                 .steps = steps};
}

/* ---- running ------------------------------------------------------------------------ */

static int64_t planes_of_block(MPI_Comm comm, const run *r) {
    int rank, ranks;
    bool periodic[3];
    wabe_decomposition d;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    const wabe_geometry geometry = case_geometry(r->c);
    wabe_geometry_periodic(&geometry, periodic);
    const wabe_status status = wabe_decomposition_make(r->c->cells, periodic, NULL, r->processes,
                                                       ranks, &d);
    CHECK(status == WABE_OK, "%s", wabe_error_message());
    return wabe_box_extent(wabe_decomposition_block(&d, rank), 2);
}

/* Collective over comm. */
static wabe_status create(MPI_Comm comm, const run *r, wabe_simulation **out) {
    const int64_t *p = r->processes;
    const wabe_simulation_options options = {.model = case_model(r->c, r->lattice, r->type,
                                                                 case_collision(r->streaming),
                                                                 r->streaming),
                                             .geometry = case_geometry(r->c),
                                             .processes = {p[0], p[1], p[2]},
                                             .overlap = r->overlap,
                                             .communicate = r->communicate,
                                             .transport = r->transport};
    wabe_components components = {0};
    components.count = components_make(r->components, planes_of_block(comm, r), components.list,
                                       components.planes);
    WABE_TRY(wabe_simulation_create(comm, &options, &components, out));
    return wabe_simulation_initialise(*out, case_initial, NULL);
}

/* Real GPUs need not reach each other. */
static bool may_fail(const run *r) {
    return hardware_gpus > 0 && !wabe_devices_are_emulated() &&
           r->transport == WABE_TRANSPORT_peer && strstr(wabe_error_message(), "does not work");
}

/* What is asked for is what is done. Emulated GPUs reach each other always. */
static void check_transport(MPI_Comm comm, const run *r, const wabe_simulation *s) {
    if (!wabe_devices_are_emulated() || !r->communicate ||
        !components_neighbour(r->components, r->processes))
        return;
    const wabe_transport expected = r->transport == WABE_TRANSPORT_any ? WABE_TRANSPORT_peer
                                                                       : r->transport;
    int messages = wabe_exchange_messages(s->domain.exchanges[0].exchange, expected);
    MPI_Allreduce(MPI_IN_PLACE, &messages, 1, MPI_INT, MPI_SUM, comm);
    CHECK(messages > 0, "%s: no message by %s", r->components, wabe_transport_word(expected));
}

/* Moments of slabs that are cut along z move from grid to grid where devices reach each other,
 * unless a slab has one plane, or ghosts along x but not along y. */
static void check_copied(const run *r, const wabe_simulation *s) {
    const wabe_marching *m = &s->slabs[0]->moments.marching;
    const bool packed = m->ghosts[0] && !m->ghosts[1];
    const wabe_exchange *x = r->communicate ? s->domain.exchanges[0].exchange : NULL;
    const bool cut_along_z = r->processes[0] == 1 && r->processes[1] == 1;
    bool all = true;
    for (int i = 0; x && i < wabe_exchange_count(x); i++) {
        const wabe_exchange_route route = wabe_exchange_route_of(x, i);
        const bool expected = r->streaming == WABE_STREAMING_moments && cut_along_z &&
                              s->domain.partition.slabs[route.from].on_device &&
                              s->domain.partition.slabs[route.to].on_device &&
                              route.transport < WABE_TRANSPORT_cuda_aware && !packed &&
                              wabe_box_extent(s->domain.partition.slabs[route.from].box, 2) > 1;
        CHECK(route.copied == expected, "%s, components %s, %d to %d: %s", case_words[r->name],
              r->components, route.from, route.to, expected ? "packed" : "copied");
        all &= route.copied;
    }
    CHECK(!x || !all || wabe_exchange_memory(x) == 0, "buffers of %lld bytes",
          (long long)wabe_exchange_memory(x));
}

static result run_case(MPI_Comm comm, const run *r) {
    result found = {0};
    wabe_simulation *s = NULL;
    const wabe_status status = create(comm, r, &s);
    CHECK(status == WABE_OK || may_fail(r), "%s", wabe_error_message());
    if (status == WABE_OK) {
        check_transport(comm, r, s);
        check_copied(r, s);
        for (int step = 0; step < r->steps; step++)
            wabe_simulation_step(s);
        found.possible = wabe_simulation_hash(s, &found.hash) == WABE_OK &&
                         wabe_simulation_monitor(s, &found.monitor) == WABE_OK;
        CHECK(found.possible, "%s", wabe_error_message());
    }
    wabe_simulation_destroy(&s);
    return found;
}

static result run_reference(const run *r) {
    const result found = run_case(MPI_COMM_SELF, r);
    CHECK(found.monitor.broken == 0 && found.monitor.cells > 0, "%s diverged", case_words[r->name]);
    return found;
}

/* ---- checks ------------------------------------------------------------------------- */

static void check_run(const run *r, const result *one) {
    const result found = run_case(MPI_COMM_WORLD, r);
    const bool same = found.hash == one->hash;
    CHECK(!found.possible || (same && case_same_monitor(&found.monitor, &one->monitor)),
          "%s, %s, %s, components %s, transport %s, grid %d x %d x %d, overlap %d: other %s than "
          "alone",
          case_words[r->name], wabe_type_word(r->type), wabe_streaming_word(r->streaming),
          r->components, wabe_transport_word(r->transport), (int)r->processes[0],
          (int)r->processes[1], (int)r->processes[2], r->overlap, same ? "sums" : "bits");
}

/* The next grid of all processes whose blocks have a plane for each component. */
static bool next_grid(const run *r, int64_t grid[3]) {
    const int64_t *cells = r->c->cells;
    return grids_next((const int64_t[3]){cells[0], cells[1],
                                         cells[2] / (int64_t)strlen(r->components)},
                      grid);
}

static void check_grids(run *r, const result *one) {
    int64_t grid[3] = {1, 0, 0};
    while (next_grid(r, grid))
        for (int overlap = 0; overlap < 2; overlap++) {
            memcpy(r->processes, grid, sizeof grid);
            r->overlap = overlap;
            check_run(r, one);
        }
}

/* The test would notice: without an exchange, more than one slab compute something else. */
static void check_silence(run r, const result *one) {
    memcpy(r.processes, (int64_t[3]){0, 0, 1}, sizeof r.processes); /* planes for all components */
    r.overlap = true;
    r.communicate = false;
    const result found = run_case(MPI_COMM_WORLD, &r);
    CHECK((check_size == 1 && strlen(r.components) == 1) || found.hash != one->hash,
          "%s, components %s: silence makes no difference", case_words[r.name], r.components);
}

/* Everything, on one processor each. All ranks start from the same bits, so each of them can run
 * the case alone. */
static void check_processors(case_name name, wabe_type type, const int64_t n[3]) {
    const test_case c = case_make(name, n[0], n[1], n[2]);
    run r = run_alone(&c, name, type, steps_for(check_size));
    const result one = run_reference(&r);
    check_silence(r, &one);
    for (int s = WABE_STREAMING_any + 1; s < WABE_STREAMING_list; s++) {
        r.streaming = (wabe_streaming)s;
        check_grids(&r, &one);
    }
    const test_case listed = case_for(WABE_STREAMING_list, name, n[0], n[1], n[2]);
    run l = run_alone(&listed, name, type, steps_for(check_size));
    const result reference = run_reference(&l);
    run m = l;
    l.streaming = WABE_STREAMING_list;
    check_grids(&l, &reference);
    m.streaming = WABE_STREAMING_moments;
    const result of_moments = run_reference(&m);
    check_grids(&m, &of_moments);
}

/* Baseline x86-64 has no fused multiply-add, and so other bits than GPUs, and no halves. */
static bool has_bits_of_gpus(void) {
    return wabe_component_detect(1).instruction_set > WABE_INSTRUCTION_SET_x86_64;
}

static int type_count(void) { return has_bits_of_gpus() ? 3 : 2; }

/* Types, patterns and transports take turns, since all combinations would be too many. patterns: 1:
 * the run's own. */
static void take_turn(run *r, int patterns, int turn) {
    static const wabe_transport transports[] = {WABE_TRANSPORT_any, WABE_TRANSPORT_peer,
                                                WABE_TRANSPORT_host};
    r->type = (wabe_type)(WABE_TYPE_any + 1 + turn % type_count());
    if (patterns > 1)
        r->streaming = (wabe_streaming)(WABE_STREAMING_any + 1 + turn / 3 % patterns);
    r->transport = transports[turn / (patterns > 1 ? 6 : 3) % 3];
}

/* What has bits of its own: the patterns of a lattice, also with a scalar, or ten moments. */
typedef enum { D3Q19, D3Q27, SCALAR, CARRIED, MOMENTS } kind;

static void check_patterns(case_name name, const int64_t n[3], kind of, const char *components,
                           int rounds, int *turn) {
    const bool moments = of == MOMENTS;
    const bool mirrors = name == CASE_CHANNEL || name == CASE_MIXED;
    const int patterns = moments ? 1 : mirrors || of != D3Q19 ? 2 : 3; /* others: no list */
    const test_case c = moments ? case_for(WABE_STREAMING_moments, name, n[0], n[1], n[2])
                                : case_make(name, n[0], n[1], n[2]);
    result one[WABE_TYPE_end];
    run r = run_alone(&c, name, WABE_TYPE_f64, small_steps());
    if (moments)
        r.streaming = WABE_STREAMING_moments;
    if (of == D3Q27)
        r.lattice = WABE_LATTICE_d3q27;
    if (of == SCALAR)
        r.lattice = WABE_LATTICE_d3q19_d3q7;
    if (of == CARRIED)
        r.lattice = WABE_LATTICE_d3q19_d3q19;
    for (int i = 0; i < type_count(); i++) {
        r.type = (wabe_type)(WABE_TYPE_any + 1 + i);
        one[r.type] = run_reference(&r);
    }
    r.components = components;
    check_silence(r, &one[r.type]);
    for (int round = 0; round < rounds; round++) {
        int64_t grid[3] = {1, 0, 0};
        while (next_grid(&r, grid))
            for (int overlap = 0; overlap < 2; overlap++) {
                memcpy(r.processes, grid, sizeof grid);
                r.overlap = overlap;
                take_turn(&r, patterns, (*turn)++);
                check_run(&r, &one[r.type]);
            }
    }
}

/* ---- programs ----------------------------------------------------------------------- */

static void check_all_processors(void) {
    int turn = 0;
    for (int name = 0; name < CASE_COUNT; name++) {
        check_processors((case_name)name, WABE_TYPE_f64, size);
        check_processors((case_name)name, WABE_TYPE_f32, size);
        check_patterns((case_name)name, small, D3Q19, "cc", 1, &turn);
    }
    check_patterns(CASE_OBSTACLES, small, D3Q27, "cc", 1, &turn);
    check_patterns(CASE_MIXED, small, D3Q27, "cc", 1, &turn);
    check_patterns(CASE_CHANNEL, small, SCALAR, "cc", 1, &turn);
    check_patterns(CASE_OBSTACLES, small, CARRIED, "cc", 1, &turn);
    for (int i = 0; i < FLATS; i++)
        check_processors(CASE_OBSTACLES, WABE_TYPE_f64, flat[i]);
}

static void check_all_gpus(void) {
    static const char *const words[] = {"g", "gg", "ggg", "cg", "gcg"};
    const int rounds = check_size == 1 ? 6 : 1; /* there is one grid only */
    /* Copies that come early are the same for fewer slabs. */
    const size_t first = getenv("WABE_EMULATED_EARLY") ? 2 : 0;
    int turn = 0;
    for (size_t i = first; i < sizeof words / sizeof words[0]; i++)
        for (int name = 0; name < CASE_COUNT; name++)
            check_patterns((case_name)name, small, D3Q19, words[i], rounds, &turn);
    check_patterns(CASE_OBSTACLES, flat[0], D3Q19, "gg", rounds, &turn);
    for (int name = 0; name < CASE_COUNT; name++) {
        check_patterns((case_name)name, small, MOMENTS, "ggg", rounds, &turn);
        check_patterns((case_name)name, small, MOMENTS, "gcg", 1, &turn);
    }
    check_patterns(CASE_OBSTACLES, small, D3Q27, "ggg", rounds, &turn);
    check_patterns(CASE_MIXED, small, D3Q27, "gcg", 1, &turn);
    check_patterns(CASE_OBSTACLES, small, SCALAR, "ggg", rounds, &turn);
    check_patterns(CASE_MIXED, small, SCALAR, "gcg", 1, &turn);
    check_patterns(CASE_MIXED, small, CARRIED, "gcg", 1, &turn);
    check_patterns(CASE_OBSTACLES, flat[0], MOMENTS, "gg", rounds, &turn);
    check_patterns(CASE_OBSTACLES, thin, MOMENTS, "ggg", rounds, &turn);
    check_patterns(CASE_CHANNEL, thin, MOMENTS, "ggg", rounds, &turn);
}

int main(int argc, char *argv[]) {
    check_begin(&argc, &argv);
    int code = hardware_choose(argc, argv, EMULATED_GPUS);
    if (hardware_gpus > 0 && !has_bits_of_gpus())
        code = HARDWARE_SKIPPED;
    const double start = MPI_Wtime();
    if (code == 0 && hardware_gpus > 0)
        check_all_gpus();
    else if (code == 0)
        check_all_processors();
    if (check_rank == 0)
        printf("%.1f s\n", MPI_Wtime() - start);
    return check_end(code);
}
