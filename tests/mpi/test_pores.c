/* The analysis of pores, and what is filled of them, on every process grid that fits, against a
 * plain flood fill over the whole domain: random spheres of which so many are there that some axes
 * lead through and others do not, between walls, open ends and periodic faces. The wetted area of
 * spheres is known. */
#include "apps/geometry/fill.h"
#include "apps/geometry/pores.h"
#include "tests/conformance/cases.h"
#include "tests/mpi/check.h"
#include "tests/mpi/grids.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

enum { CUBE = 4, SEEDS = 6, SEEDS_FILLED = 1, RANKS_MAX = 8 };

/* Overlapping spheres. faces: of x, y, z: p periodic, w walls, o open to pressure, s free slip. */
typedef struct {
    const char *name, *faces;
    int64_t cells[3];
    double radius; /* from 0.6 to 1.4 of it */
    double volume; /* of all spheres, over the domain's: exp(-volume) of it remains fluid */
} medium;

/* Around the thresholds at which cells, or cubes of four, lead through: fine and coarse ones. tall:
 * more planes than are looked at in one go. flat: a plane of cells. thin: less wide than a cube. */
static const medium media[] = {
    {"fine, periodic", "ppp", {22, 19, 24}, 1.2, 1.62},
    {"fine, walls", "www", {22, 19, 24}, 1.2, 1.62},
    {"fine, open", "ows", {19, 26, 17}, 1.2, 1.65},
    {"coarse, periodic", "ppp", {34, 30, 36}, 6.0, 1.1},
    {"coarse, walls", "www", {34, 30, 36}, 6.0, 1.1},
    {"coarse, open", "swo", {30, 34, 33}, 6.0, 1.1},
    {"tall", "pwo", {11, 10, 71}, 1.5, 1.9},
    {"flat", "opw", {41, 1, 37}, 1.0, 0.85},
    {"thin", "ppo", {24, 23, 3}, 1.2, 1.3},
};
enum { MEDIA = sizeof media / sizeof media[0] };

/* A domain with particles and a box. conditions and box are what geometry points to. */
typedef struct {
    wabe_condition conditions[WABE_FACES + 2];
    wabe_object box;
    wabe_object *spheres;
    wabe_geometry geometry;
} sample;

static wabe_boundary face_of(char letter) {
    return letter == 'p'   ? WABE_BOUNDARY_periodic
           : letter == 'w' ? WABE_BOUNDARY_no_slip
           : letter == 'o' ? WABE_BOUNDARY_pressure
                           : WABE_BOUNDARY_free_slip;
}

/* An empty domain, with room for so many spheres. */
static void sample_make(sample *s, const char *faces, const int64_t cells[3], int spheres) {
    *s = (sample){.spheres = calloc((size_t)spheres + 1, sizeof *s->spheres)};
    for (int face = 0; face < WABE_FACES; face++)
        s->conditions[face].kind = face_of(faces[face / 2]);
    s->geometry = (wabe_geometry){.cells = {cells[0], cells[1], cells[2]},
                                  .objects = &s->box,
                                  .particles = s->spheres,
                                  .solid = WABE_FACES + 1,
                                  .condition_count = WABE_FACES + 2,
                                  .conditions = s->conditions};
    for (int k = WABE_FACES; k < WABE_FACES + 2; k++)
        s->conditions[k].kind = WABE_BOUNDARY_no_slip;
}

static void add_sphere(sample *s, double x, double y, double z, double radius) {
    s->spheres[s->geometry.particle_count++] =
        (wabe_object){.shape = WABE_SHAPE_SPHERE, .center = {x, y, z}, .radius = radius};
}

static double uniform(uint64_t *state) { return (double)(case_random(state) >> 11) * 0x1p-53; }

static void sample_fill(sample *s, const medium *m, uint64_t seed) {
    const double n[3] = {(double)m->cells[0], (double)m->cells[1], (double)m->cells[2]};
    const double mean = 4.0 / 3.0 * pi * m->radius * m->radius * m->radius;
    const int count = (int)(m->volume * n[0] * n[1] * n[2] / mean);
    sample_make(s, m->faces, m->cells, count);
    for (int k = 0; k < count; k++) {
        double at[3];
        for (int d = 0; d < 3; d++) /* so that mirror images are exact */
            at[d] = floor(n[d] * uniform(&seed) * 1024.0) / 1024.0;
        add_sphere(s, at[0], at[1], at[2], m->radius * (0.6 + 0.8 * uniform(&seed)));
    }
    s->geometry.object_count = 1;
    for (int d = 0; d < 3; d++) {
        s->box.low[d] = 0.6 * n[d];
        s->box.high[d] = 0.6 * n[d] + 1.6;
    }
}

/* ---- the reference ------------------------------------------------------------------ */

static int64_t cells_of(const int64_t n[3]) { return n[0] * n[1] * n[2]; }

static bool is_solid(const sample *s, const int64_t cell[3]) {
    bool in_box = s->geometry.object_count > 0;
    double p[3];
    for (int d = 0; d < 3; d++) {
        p[d] = (double)cell[d] + 0.5;
        in_box = in_box && p[d] >= s->box.low[d] && p[d] <= s->box.high[d];
    }
    for (int k = 0; k < s->geometry.particle_count && !in_box; k++) {
        const double *c = s->spheres[k].center, r = s->spheres[k].radius;
        const double x = p[0] - c[0], y = p[1] - c[1], z = p[2] - c[2];
        if (x * x + y * y + z * z <= r * r)
            return true;
    }
    return in_box;
}

/* 1 where a cell is fluid; to be freed. */
static uint8_t *fluid_cells(const sample *s) {
    const int64_t *n = s->geometry.cells;
    uint8_t *open = malloc((size_t)cells_of(n));
    for (int64_t i = 0; i < cells_of(n); i++)
        open[i] = !is_solid(s, (int64_t[3]){i % n[0], i / n[0] % n[1], i / n[0] / n[1]});
    return open;
}

/* Is there room for a cube with its lowest corner here? It stays in the domain, or reaches through
 * periodic faces. */
static bool has_room(const sample *s, const uint8_t *fluid, const int64_t corner[3]) {
    const int64_t *n = s->geometry.cells;
    for (int k = 0; k < CUBE * CUBE * CUBE; k++) {
        const int64_t step[3] = {k % CUBE, k / CUBE % CUBE, k / CUBE / CUBE};
        int64_t at[3];
        for (int d = 0; d < 3; d++) {
            at[d] = corner[d] + step[d];
            if (at[d] >= n[d] && s->conditions[2 * d].kind != WABE_BOUNDARY_periodic)
                return false;
            at[d] %= n[d];
        }
        if (!fluid[at[0] + n[0] * (at[1] + n[1] * at[2])])
            return false;
    }
    return true;
}

/* 1 where there is room for a cube; to be freed. last: the last corner before the high faces. */
static uint8_t *room_for_cubes(const sample *s, const uint8_t *fluid, int64_t last[3]) {
    const int64_t *n = s->geometry.cells;
    uint8_t *open = malloc((size_t)cells_of(n));
    for (int64_t i = 0; i < cells_of(n); i++)
        open[i] = has_room(s, fluid, (int64_t[3]){i % n[0], i / n[0] % n[1], i / n[0] / n[1]});
    for (int d = 0; d < 3; d++)
        last[d] = n[d] - (s->conditions[2 * d].kind == WABE_BOUNDARY_periodic ? 1 : CUBE);
    return open;
}

/* Closes all that is open and connected to place first; adds its cells to those axes along which it
 * reaches from 0 to last. stack has room for all cells. */
static void drain(const int64_t n[3], uint8_t *open, const int64_t last[3], int64_t first,
                  int64_t *stack, int64_t connected[3]) {
    const int64_t stride[3] = {1, n[0], n[0] * n[1]};
    bool low[3] = {false}, high[3] = {false};
    int64_t size = 0, waiting = 1;
    stack[0] = first;
    open[first] = 0;
    for (; waiting > 0; size++) {
        const int64_t i = stack[--waiting];
        for (int d = 0; d < 3; d++) {
            const int64_t at = i / stride[d] % n[d];
            low[d] |= at == 0;
            high[d] |= at == last[d];
            for (int step = -1; step <= 1; step += 2) {
                const int64_t next = i + step * stride[d];
                if (at + step < 0 || at + step >= n[d] || !open[next])
                    continue;
                open[next] = 0;
                stack[waiting++] = next;
            }
        }
    }
    for (int d = 0; d < 3; d++)
        connected[d] += low[d] && high[d] ? size : 0;
}

/* Closes everything. */
static void drain_all(const int64_t n[3], uint8_t *open, const int64_t last[3],
                      int64_t connected[3]) {
    int64_t *stack = malloc((size_t)cells_of(n) * sizeof *stack);
    memset(connected, 0, 3 * sizeof connected[0]);
    for (int64_t i = 0; i < cells_of(n); i++)
        if (open[i])
            drain(n, open, last, i, stack, connected);
    free(stack);
}

/* All but the wetted area. */
static wabe_pores reference(const sample *s) {
    const int64_t *n = s->geometry.cells, high[3] = {n[0] - 1, n[1] - 1, n[2] - 1};
    int64_t last[3], wide[3];
    wabe_pores p = {.cells = cells_of(n)};
    uint8_t *fluid = fluid_cells(s), *cubes = room_for_cubes(s, fluid, last);
    for (int64_t i = 0; i < p.cells; i++)
        p.fluid += fluid[i];
    drain_all(n, fluid, high, p.connected);
    drain_all(n, cubes, last, wide);
    for (int d = 0; d < 3; d++)
        p.wide[d] = wide[d] > 0;
    free(fluid);
    free(cubes);
    return p;
}

/* ---- checks ------------------------------------------------------------------------- */

/* cuts: of a grid along z, where it is cut; NULL: into equal blocks. */
static wabe_decomposition cut(MPI_Comm comm, const sample *s, const int64_t grid[3],
                              const int64_t *cuts) {
    int ranks;
    bool periodic[3];
    wabe_decomposition d = {0};
    MPI_Comm_size(comm, &ranks);
    wabe_geometry_periodic(&s->geometry, periodic);
    CHECK(wabe_decomposition_make(s->geometry.cells, periodic, NULL, grid, ranks, &d) == WABE_OK,
          "%s", wabe_error_message());
    d.cuts = cuts;
    return d;
}

static wabe_pores analyse(MPI_Comm comm, const sample *s, const int64_t grid[3],
                          const int64_t *cuts) {
    const wabe_decomposition d = cut(comm, s, grid, cuts);
    wabe_pores found = {0};
    CHECK(wabe_pores_analyse(comm, &s->geometry, &d, &found) == WABE_OK, "%s",
          wabe_error_message());
    return found;
}

static wabe_pores analyse_alone(const sample *s) {
    return analyse(MPI_COMM_SELF, s, (const int64_t[3]){1, 1, 1}, NULL);
}

static bool same_ways(const wabe_pores *a, const wabe_pores *b) {
    return a->cells == b->cells && a->fluid == b->fluid &&
           memcmp(a->connected, b->connected, sizeof a->connected) == 0 &&
           memcmp(a->wide, b->wide, sizeof a->wide) == 0;
}

static const char *describe(const wabe_pores *p) {
    static char text[2][128];
    static int next;
    char *to = text[next++ % 2];
    snprintf(to, sizeof text[0], "%lld fluid, connected %lld %lld %lld, wide %d %d %d, area %.17g",
             (long long)p->fluid, (long long)p->connected[0], (long long)p->connected[1],
             (long long)p->connected[2], p->wide[0], p->wide[1], p->wide[2], p->wetted_area);
    return to;
}

static void check_grid(const char *name, const sample *s, const int64_t grid[3],
                       const int64_t *cuts, const wabe_pores *alone) {
    const wabe_pores found = analyse(MPI_COMM_WORLD, s, grid, cuts);
    CHECK(same_ways(&found, alone) && found.wetted_area == alone->wetted_area,
          "%s, grid %d x %d x %d%s: %s; alone: %s", name, (int)grid[0], (int)grid[1], (int)grid[2],
          cuts ? ", not equal" : "", describe(&found), describe(alone));
}

/* Blocks along z of a plane each, but for the last. False: there are more processes than planes. */
static bool thin_cuts(const sample *s, int64_t cuts[RANKS_MAX + 1]) {
    if (check_size > s->geometry.cells[2] || check_size > RANKS_MAX)
        return false;
    for (int i = 0; i < check_size; i++)
        cuts[i] = i;
    cuts[check_size] = s->geometry.cells[2];
    return true;
}

/* All processes together find what one finds alone; on a grid along z too whose blocks are a plane
 * each, but for the last. */
static void check_grids(const char *name, const sample *s, const wabe_pores *alone) {
    int64_t grid[3] = {1, 0, 0}, cuts[RANKS_MAX + 1];
    while (grids_next(s->geometry.cells, grid))
        check_grid(name, s, grid, NULL, alone);
    if (thin_cuts(s, cuts))
        check_grid(name, s, (const int64_t[3]){1, 1, check_size}, cuts, alone);
}

/* Axes that lead through, and that do not; for cubes too. */
static int seen[2][2];

/* Every rank has a reference of its own, so all of them find the same. */
static void check_medium(const medium *m, uint64_t seed) {
    sample s;
    sample_fill(&s, m, seed);
    const wabe_pores expected = reference(&s), alone = analyse_alone(&s);
    CHECK(same_ways(&alone, &expected), "%s, seed %d: %s; expected: %s", m->name, (int)seed,
          describe(&alone), describe(&expected));
    check_grids(m->name, &s, &alone);
    for (int d = 0; d < 3; d++) {
        seen[0][expected.connected[d] > 0]++;
        seen[1][expected.wide[d]]++;
    }
    free(s.spheres);
}

/* Whichever way round it lies, a medium has the same pores. But cubes that reach through periodic
 * faces do so beyond the high ones alone. */
static void check_mirrored(const medium *m, uint64_t seed) {
    sample s;
    sample_fill(&s, m, seed);
    s.geometry.object_count = 0;
    const wabe_pores before = analyse_alone(&s);
    for (int d = 0; d < 3; d++) {
        for (int k = 0; k < s.geometry.particle_count; k++)
            s.spheres[k].center[d] = (double)m->cells[d] - s.spheres[k].center[d];
        wabe_pores after = analyse_alone(&s);
        if (strchr(m->faces, 'p'))
            memcpy(after.wide, before.wide, sizeof after.wide);
        CHECK(same_ways(&after, &before), "%s, seed %d, mirrored along %c: %s; before: %s", m->name,
              (int)seed, 'x' + d, describe(&after), describe(&before));
    }
    free(s.spheres);
}

/* ---- what is filled ----------------------------------------------------------------- */

/* The neighbour of cell i along axis d; -1: none. Periodic faces normal to one axis are ends. */
static int64_t next_cell(const sample *s, int64_t i, int d, int step, int axis) {
    const int64_t *n = s->geometry.cells, stride[3] = {1, n[0], n[0] * n[1]};
    const int64_t at = i / stride[d] % n[d], to = (at + step + n[d]) % n[d];
    const bool wraps = d != axis && s->conditions[2 * d].kind == WABE_BOUNDARY_periodic;
    return to == at + step || wraps ? i + (to - at) * stride[d] : -1;
}

/* Closes all that is open and connected to place first, and keeps it if it reaches from end to end
 * of the axis. queue has room for all cells. */
static void follow(const sample *s, int axis, uint8_t *open, int64_t first, int64_t *queue,
                   uint8_t *kept) {
    int64_t size = 1;
    bool low = false, high = false;
    queue[0] = first;
    open[first] = 0;
    for (int64_t k = 0; k < size; k++) {
        low |= next_cell(s, queue[k], axis, -1, axis) < 0;
        high |= next_cell(s, queue[k], axis, 1, axis) < 0;
        for (int side = 0; side < 6; side++) {
            const int64_t next = next_cell(s, queue[k], side / 2, side % 2 ? 1 : -1, axis);
            if (next < 0 || !open[next])
                continue;
            open[next] = 0;
            queue[size++] = next;
        }
    }
    for (int64_t k = 0; k < size; k++)
        kept[queue[k]] |= low && high;
}

/* 1 where a cell is fluid and stays so; to be freed. */
static uint8_t *kept_cells(const sample *s, unsigned axes) {
    const int64_t cells = cells_of(s->geometry.cells);
    uint8_t *kept = calloc((size_t)cells, 1);
    int64_t *queue = malloc((size_t)cells * sizeof *queue);
    uint8_t *fluid = fluid_cells(s), *open = malloc((size_t)cells);
    for (int axis = 0; axis < 3; axis++) {
        memcpy(open, fluid, (size_t)cells);
        for (int64_t i = 0; i < cells && axes >> axis & 1; i++)
            if (open[i])
                follow(s, axis, open, i, queue, kept);
    }
    free(fluid);
    free(open);
    free(queue);
    return kept;
}

/* Flags of this process's block, of what lies so far around it, and of so many planes below and
 * above it are those of the reference. */
static void check_flags(const char *name, const sample *s, const wabe_decomposition *d, int reach,
                        int64_t planes, const uint8_t *kept) {
    const int64_t *n = s->geometry.cells;
    wabe_flags flags;
    int64_t wrong = 0;
    wabe_box box = wabe_box_grow(wabe_decomposition_block(d, check_rank), reach);
    box.begin[2] -= planes;
    box.end[2] += planes;
    CHECK(wabe_geometry_flags(&s->geometry, box, &flags) == WABE_OK, "%s", wabe_error_message());
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++) {
                const bool outside = wabe_geometry_outside(&s->geometry, (int64_t[3]){x, y, z});
                const int64_t i = (x + n[0]) % n[0] +
                                  n[0] * ((y + n[1]) % n[1] + n[1] * ((z + n[2]) % n[2]));
                wrong += (wabe_flags_at(&flags, x, y, z) == 0) != (!outside && kept[i]);
            }
    CHECK(wrong == 0, "%s, %d around: %lld flags are wrong", name, reach, (long long)wrong);
    wabe_flags_free(&flags);
}

enum { PLANES_AROUND = 7 }; /* more than the depth of a throat */

/* What is found in the blocks of one grid is known in those of another one, and in so many planes
 * around them. */
static void check_fill(const char *name, sample *s, unsigned axes, const wabe_decomposition *from,
                       const wabe_decomposition *to, int planes, const uint8_t *kept,
                       const wabe_pores *before) {
    const int64_t *n = s->geometry.cells;
    int64_t left = 0;
    wabe_fill fill;
    for (int64_t i = 0; i < cells_of(n); i++)
        left += kept[i];
    wabe_status status = wabe_fill_find(MPI_COMM_WORLD, &s->geometry, from, axes, &fill);
    if (status == WABE_OK)
        status = wabe_fill_spread(MPI_COMM_WORLD, from, to, planes, &fill);
    CHECK(status == WABE_OK, "%s", wabe_error_message());
    CHECK(fill.left == left && fill.cells == before->fluid - left,
          "%s, axes %u: %lld filled, %lld left; expected: %lld, %lld", name, axes,
          (long long)fill.cells, (long long)fill.left, (long long)(before->fluid - left),
          (long long)left);
    s->geometry.filled = &fill.mask;
    const int64_t own = wabe_box_extent(wabe_decomposition_block(to, check_rank), 2);
    check_flags(name, s, to, 1, own <= planes ? own - 1 : planes, kept);
    if (n[0] > 3 && n[1] > 3 && n[2] > 3)
        check_flags(name, s, to, 3, 0, kept);
    wabe_pores after = {0};
    CHECK(wabe_pores_analyse(MPI_COMM_WORLD, &s->geometry, to, &after) == WABE_OK, "%s",
          wabe_error_message());
    CHECK(after.fluid == left, "%s: %lld fluid cells, expected: %lld", name, (long long)after.fluid,
          (long long)left);
    for (int d = 0; d < 3; d++)
        CHECK(!(axes >> d & 1) || after.connected[d] == before->connected[d],
              "%s: %lld cells lead along %c, %lld before", name, (long long)after.connected[d],
              'x' + d, (long long)before->connected[d]);
    s->geometry.filled = NULL;
    wabe_fill_free(&fill);
}

/* For each axis alone and all of them; on all grids, and from an equal grid along z to another. */
static void check_fills(const medium *m, uint64_t seed) {
    sample s;
    int64_t cuts[RANKS_MAX + 1];
    sample_fill(&s, m, seed);
    const wabe_pores before = analyse_alone(&s);
    for (unsigned axes = 1; axes < 8; axes = axes < 4 ? 2 * axes : axes + 3) {
        uint8_t *kept = kept_cells(&s, axes);
        int64_t grid[3] = {1, 0, 0};
        while (grids_next(m->cells, grid)) {
            const wabe_decomposition d = cut(MPI_COMM_WORLD, &s, grid, NULL);
            check_fill(m->name, &s, axes, &d, &d, 0, kept, &before);
        }
        if (thin_cuts(&s, cuts)) {
            const wabe_decomposition from = cut(MPI_COMM_WORLD, &s,
                                                (const int64_t[3]){1, 1, check_size}, NULL);
            wabe_decomposition to = from;
            to.cuts = cuts;
            check_fill(m->name, &s, axes, &from, &to, PLANES_AROUND, kept, &before);
        }
        free(kept);
    }
    free(s.spheres);
}

/* ---- area --------------------------------------------------------------------------- */

/* A sphere inside, between walls; then cut into eight parts by periodic faces. On the lattice both
 * are the same. */
static void check_area_of_sphere(int64_t edge, double radius) {
    const int64_t cells[3] = {edge, edge, edge};
    const double half = 0.5 * (double)edge, exact = 4.0 * pi * radius * radius;
    sample whole, parts;
    sample_make(&whole, "www", cells, 1);
    add_sphere(&whole, half, half, half, radius);
    sample_make(&parts, "ppp", cells, 8);
    for (int k = 0; k < 8; k++)
        add_sphere(&parts, 2.0 * half * (k & 1), 2.0 * half * (k >> 1 & 1),
                   2.0 * half * (k >> 2 & 1), radius);
    const wabe_pores a = analyse_alone(&whole), b = analyse_alone(&parts);
    if (check_rank == 0)
        printf("sphere of radius %.1f: area %+.2f %%\n", radius,
               100.0 * (a.wetted_area / exact - 1.0));
    CHECK(fabs(a.wetted_area / exact - 1.0) < 0.015, "radius %.1f: %g, exact %g", radius,
          a.wetted_area, exact);
    CHECK(b.wetted_area == a.wetted_area, "radius %.1f: %g inside, %g at the corners", radius,
          a.wetted_area, b.wetted_area);
    check_grids("sphere", &whole, &a);
    check_grids("sphere at the corners", &parts, &b);
    free(whole.spheres);
    free(parts.spheres);
}

/* A plane face along an axis comes out by the share that the weights give; walls of the domain do
 * not count. */
static void check_area_of_faces(void) {
    const int64_t cells[3] = {18, 16, 14};
    const double share = 2.0 * (0.091556 + 4.0 * (0.073961 / sqrt(2.0) + 0.070391 / sqrt(3.0)));
    for (int d = 0; d < 3; d++) {
        sample s;
        char faces[] = "ppp";
        faces[d] = 'w';
        sample_make(&s, faces, cells, 0);
        memcpy(s.box.high, (double[3]){18.0, 16.0, 14.0}, sizeof s.box.high);
        s.box.low[d] = 5.0;
        s.box.high[d] = 9.0;
        s.geometry.object_count = 1;
        const wabe_pores found = analyse_alone(&s);
        const double exact = 2.0 * (double)cells_of(cells) / (double)cells[d] * share;
        CHECK(fabs(found.wetted_area / exact - 1.0) < 1e-12, "normal to %c: %g instead of %g",
              'x' + d, found.wetted_area, exact);
        check_grids("slab", &s, &found);
        free(s.spheres);
    }
}

int main(int argc, char *argv[]) {
    check_begin(&argc, &argv);
    const double start = MPI_Wtime();
    for (int k = 0; k < MEDIA; k++)
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            check_medium(&media[k], seed);
            check_mirrored(&media[k], seed);
            if (seed <= SEEDS_FILLED)
                check_fills(&media[k], seed);
        }
    for (int kind = 0; kind < 2; kind++)
        CHECK(seen[kind][0] >= MEDIA && seen[kind][1] >= MEDIA,
              "the media are of one kind: %d axes are closed, %d lead through", seen[kind][0],
              seen[kind][1]);
    check_area_of_sphere(32, 12.0);
    check_area_of_sphere(40, 16.3);
    check_area_of_faces();
    if (check_rank == 0)
        printf("%d of %d axes lead through, %d for cubes; %.1f s\n", seen[0][1],
               seen[0][0] + seen[0][1], seen[1][1], MPI_Wtime() - start);
    return check_end(0);
}
