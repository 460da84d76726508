#include "tests/figures/curves.h"

#include "tests/figures/papers.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GIGA 1e9
#define MICRO 1e-6
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Where the points of a curve go. */
typedef struct {
    curve_point *point;
    void *context;
} pen;

static void put(pen to, const char *figure, const char *curve, double x, double y) {
    to.point(to.context, figure, curve, x, y);
}

/* ---- [S]: strong scaling of diffusion and of a lattice Boltzmann method ----------------- */

/* Sections 4 and 5.3, tables 1 and 2. Single precision, theoretical bandwidths and peaks. */
static const paper_machine tsubame = {
    .processor = {.bandwidth = 148.0 * GIGA, .peak = 1030.0 * GIGA},
    .efficiency = 1.0,
    .per_node = 3,
    .has_bus = true,
    .bus = {.bandwidth = 4.29 * GIGA, .latency = 16.9 * MICRO},
    .network = {.bandwidth = 5.80 * GIGA, .latency = 7.47 * MICRO},
};
static const wabe_model_link network_not_aligned = {.bandwidth = 3.67 * GIGA,
                                                    .latency = 6.07 * MICRO};
static const paper_machine cray = {
    .processor = {.bandwidth = 250.0 * GIGA, .peak = 3950.0 * GIGA},
    .efficiency = 1.0,
    .per_node = 1,
    .has_bus = true,
    .bus = {.bandwidth = 6.34 * GIGA, .latency = 41.5 * MICRO},
    .network = {.bandwidth = 9.87 * GIGA, .latency = 3.75 * MICRO},
};

/* Over side x side GPUs, so that both axes have whole parts. One transfer is what the text names;
 * four are one for each neighbour of a 2-D cut. */
static void draw_domain(pen to, const char *figure, const paper_machine *machine,
                        paper_domain domain, int sides) {
    static const double transfers[] = {1.0, 4.0};
    for (size_t t = 0; t < COUNT(transfers); t++)
        for (int overlap = 0; overlap <= 1; overlap++) {
            char curve[80];
            snprintf(curve, sizeof curve, "%g x %g x %g; %s; transfers %g", domain.cells[0],
                     domain.cells[1], domain.cells[2], overlap ? "overlap" : "no overlap",
                     transfers[t]);
            domain.transfers = transfers[t];
            for (int side = 1; side <= sides; side++) {
                const double gpus = (double)side * side;
                put(to, figure, curve, gpus,
                    paper_domain_rate(machine, &domain, gpus, overlap) / GIGA);
            }
        }
}

/* Sections 6.1.2 and 6.1.3: a single-precision number crosses each cell of a face. */
static void draw_diffusion(pen to, const char *figure, const paper_machine *machine, int meshes,
                           int sides) {
    for (int i = 0; i < meshes; i++) {
        const double side = 512 << i;
        draw_domain(to, figure, machine,
                    (paper_domain){.cells = {side, side, side},
                                   .cut_axes = 2,
                                   .crossing = 4.0,
                                   .work = {.bytes = 32.0, .flops = 13.0}},
                    sides);
    }
}

/* Section 6.2.2: thirteen numbers cross, buffers are not aligned. 260 bytes: from F/B = 1.83. */
static void draw_lbm(pen to) {
    static const double sides[] = {512.0, 2048.0, 4096.0};
    paper_machine machine = tsubame;
    machine.network = network_not_aligned;
    for (size_t i = 0; i < COUNT(sides); i++)
        draw_domain(to, "S11", &machine,
                    (paper_domain){.cells = {192.0, sides[i], sides[i]},
                                   .cut_axes = 2,
                                   .crossing = 13.0 * 4.0,
                                   .work = {.bytes = 260.0, .flops = 476.0}},
                    32);
}

/* ---- [F]: D3Q19 on TSUBAME 2.0 in double precision --------------------------------------- */

static const wabe_model_work d3q19 = {.bytes = 304.0, .flops = 200.0};

enum { GPUS_ALL = 1442 * 3 }; /* table 1 */

/* Table 2, and the 234 MFLUPS of section 6.1 that a GPU reaches with boundaries: [F] takes measured
 * rates, and of those this one is printed. Its bandwidths of messages are not: taken from [S]. */
static paper_machine tsubame_lbm(void) {
    paper_machine machine = tsubame;
    machine.processor = (wabe_model_processor){.bandwidth = 95.0 * GIGA, .peak = 520.0 * GIGA};
    machine.efficiency = 234e6 / wabe_model_lightspeed(machine.processor, d3q19).updates;
    return machine;
}

/* The largest block of a grid of GPUs; no axis is periodic. */
static wabe_model_step step_on_grid(const int cells[3], const int grid[3]) {
    const paper_machine machine = tsubame_lbm();
    wabe_model_block block = {.fluid_share = 1.0, .number = 8.0, .work = d3q19};
    for (int d = 0; d < 3; d++) {
        block.cells[d] = ceil((double)cells[d] / grid[d]);
        block.neighbours[d] = grid[d] > 2 ? 2 : grid[d] - 1;
    }
    return paper_step_of(&machine, &block, grid[0] * grid[1] * grid[2] > machine.per_node);
}

static double gflups(double cells, wabe_model_step step, bool overlap) {
    return cells / wabe_model_step_seconds(step, overlap) / GIGA;
}

static void put_exchange(pen to, const char *figure, double gpus, wabe_model_step step) {
    put(to, figure, "buffers", gpus, 1e3 * step.buffers);
    put(to, figure, "bus", gpus, 1e3 * step.bus);
    put(to, figure, "network", gpus, 1e3 * step.network);
    put(to, figure, "all", gpus, 1e3 * (step.buffers + step.bus + step.network));
}

static void put_rates(pen to, const char *figure, const char *name, double gpus, double cells,
                      wabe_model_step step) {
    for (int overlap = 0; overlap <= 1; overlap++) {
        char curve[80];
        snprintf(curve, sizeof curve, "%s; %s", name, overlap ? "overlap" : "no overlap");
        put(to, figure, curve, gpus, gflups(cells, step, overlap));
    }
}

static void put_weak(pen to, int side, const int grid[3], double gpus) {
    const int cells[3] = {side * grid[0], side * grid[1], side * grid[2]};
    const wabe_model_step step = step_on_grid(cells, grid);
    char name[40];
    snprintf(name, sizeof name, "%d^3 for each GPU", side);
    put_rates(to, "F6 weak", name, gpus, gpus * side * side * side, step);
    if (side == 180)
        put_exchange(to, "F4 weak", gpus, step);
}

/* Section 4: nodes in cubes, up to 343, the three GPUs of each along z. On the whole machine a GPU
 * has as many neighbours as on 343 nodes. */
static void draw_weak(pen to, int side) {
    put_weak(to, side, (const int[3]){1, 1, 1}, 1.0);
    for (int n = 1; n <= 7; n++)
        put_weak(to, side, (const int[3]){n, n, 3 * n}, 3.0 * n * n * n);
    put_weak(to, side, (const int[3]){7, 7, 21}, GPUS_ALL);
}

/* Section 4: the domain fits the GPUs of one node. */
static void draw_strong(pen to) {
    static const int cells[3] = {180, 180, 3 * 180};
    for (int n = 1; n <= 5; n++) {
        const wabe_model_step step = step_on_grid(cells, (const int[3]){n, n, 3 * n});
        const double gpus = 3.0 * n * n * n;
        put_exchange(to, "F4 strong", gpus, step);
        put_rates(to, "F6 strong", "180 x 180 x 540", gpus, 3.0 * 180.0 * 180.0 * 180.0, step);
    }
}

/* ---- [F]: a packed bed, all of whose cells are updated ------------------------------------ */

static const int bed[3] = {100, 100, 1536};

/* The fastest of the grids that cut so many axes: z, y and z, all. 0: there is none. */
static double fastest(int gpus, int axes) {
    const double cells = (double)bed[0] * bed[1] * bed[2];
    double best = 0.0;
    for (int x = 1; x <= gpus && x <= bed[0]; x++)
        for (int y = 1; gpus % x == 0 && y <= gpus / x && y <= bed[1]; y++) {
            const int z = gpus / x / y;
            const bool cuts_so_many = (x > 1) == (axes > 2) && (y > 1) == (axes > 1);
            if (gpus / x % y == 0 && cuts_so_many && (z > 1 || axes < 2) && z <= bed[2])
                best = fmax(best, gflups(cells, step_on_grid(bed, (const int[3]){x, y, z}), true));
        }
    return best;
}

static void draw_bed(pen to) {
    static const char *const names[] = {"1-D", "2-D", "3-D"};
    for (int axes = 1; axes <= 3; axes++)
        for (int nodes = 1; nodes <= 128; nodes *= 2) {
            const double rate = fastest(3 * nodes, axes);
            if (rate > 0.0)
                put(to, "F7d", names[axes - 1], 3.0 * nodes, rate);
        }
}

void draw_curves(curve_point *point, void *context) {
    const pen to = {point, context};
    draw_diffusion(to, "S7", &tsubame, 3, 32);
    draw_diffusion(to, "S8", &cray, 2, 6);
    draw_lbm(to);
    draw_weak(to, 180);
    draw_weak(to, 100);
    draw_weak(to, 60);
    draw_strong(to);
    draw_bed(to);
}
