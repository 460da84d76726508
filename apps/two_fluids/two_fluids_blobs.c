/* Blobs of both fluids in random places, to begin with: where a sum of waves in random directions
 * is above a threshold is liquid, as in J. W. Cahn, J. Chem. Phys. 42 (1965) 93. */
#include "apps/two_fluids/two_fluids_case.h"

#include "core/base/hash.h"
#include "core/base/rounded.h"
#include "core/base/sum_over_ranks.h"

#include <stdlib.h>

enum { WAVES = 64, HALVINGS = 40 };
#define PI 3.14159265358979323846
#define WIDEST 5.0   /* threshold, over the sum's standard deviation */
#define THINNEST 2.0 /* blobs, over the interface's width */

/* The angle at the middle of cell x, y, z is turns . (x, y, z) + begin. */
typedef struct {
    double turns[3], begin;
} wave;

typedef struct {
    wave waves[WAVES];
    double slope; /* of the sum, per cell, in the mean */
} wave_sum;

bool wabe_two_fluids_has_blobs(const wabe_two_fluids_case *t) {
    return isfinite(t->options.two_fluids.random_blobs.saturation);
}

wabe_status wabe_two_fluids_check_blobs(const wabe_config *config, const wabe_two_fluids_case *t) {
    static const char saturation[] = "two_fluids.random_blobs.saturation";
    static const char length[] = "two_fluids.random_blobs.length";
    const double given = t->options.two_fluids.random_blobs.length;
    const double least = THINNEST * t->options.two_fluids.interface_width * t->options.spacing;
    if (!wabe_two_fluids_has_blobs(t))
        return isfinite(given) || t->options.two_fluids.random_blobs.seed != 0
                   ? wabe_config_fail(config,
                                      isfinite(given) ? length : "two_fluids.random_blobs.seed",
                                      "is not used: it needs %s", saturation)
                   : WABE_OK;
    if (t->options.two_fluids.shapes.count > 0)
        return wabe_config_fail(config, saturation, "contradicts two_fluids.shapes");
    if (t->options.two_fluids.fluid != WABE_GAS)
        return wabe_config_fail(config, "two_fluids.fluid",
                                "contradicts two_fluids.random_blobs, which are of both");
    if (!isfinite(given))
        return wabe_config_fail(config, saturation, "needs two_fluids.random_blobs.length");
    if (given < least)
        return wabe_config_fail(config, length,
                                "is too small: at least %.4g, twice the interface's width", least);
    int64_t shortest = INT64_MAX;
    for (int axis = 0; axis < 3; axis++)
        if (t->place.cells[axis] > 1 && t->place.cells[axis] < shortest)
            shortest = t->place.cells[axis];
    const double most = 0.5 * (double)shortest * t->options.spacing;
    if (given > most)
        return wabe_config_fail(config, length,
                                "is too large: at most %.4g, half of the domain's shortest edge",
                                most);
    return WABE_OK;
}

/* ---- waves ----------------------------------------------------------------------------- */

/* Between 0 and 1, both excluded. */
static double uniform(uint64_t key, int number, int draw) {
    return ((double)(wabe_hash_mix(key + (uint64_t)(4 * number + draw)) >> 12) + 0.5) * 0x1p-52;
}

/* Sets a direction of any of the axes that are more than a cell long. */
static void draw_direction(const int64_t cells[3], uint64_t key, int number, double out[3]) {
    const double up = 2.0 * uniform(key, number, 0) - 1.0,
                 turn = 2.0 * PI * uniform(key, number, 1);
    const double flat[2] = {cos(turn), sin(turn)};
    int axes[3], count = 0;
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = 0.0;
        if (cells[axis] > 1)
            axes[count++] = axis;
    }
    for (int i = 0; i < count; i++)
        out[axes[i]] = count == 1   ? 1.0
                       : count == 2 ? flat[i]
                       : i == 2     ? up
                                    : sqrt(1.0 - up * up) * flat[i];
}

/* Along periodic axes waves repeat with the domain. */
static wave draw_wave(const wabe_two_fluids_case *t, uint64_t key, int number) {
    /* Along a line such a sum crosses 0 once in pi sqrt(axes) / k (S. O. Rice, Bell Syst. Tech. J.
     * 24 (1945) 46). */
    const double k = PI * sqrt(wabe_two_fluids_axes(t)) * t->options.spacing /
                     t->options.two_fluids.random_blobs.length;
    wave w = {.begin = wabe_rounded(2.0 * PI * uniform(key, number, 2))};
    double direction[3];
    draw_direction(t->place.cells, key, number, direction);
    for (int axis = 0; axis < 3; axis++) {
        const double once = 2.0 * PI / (double)t->place.cells[axis];
        w.turns[axis] = wabe_rounded(k * direction[axis]);
        if (t->place.faces[2 * axis] == WABE_TWO_FLUIDS_PERIODIC)
            w.turns[axis] = once * round(k * direction[axis] / once);
    }
    return w;
}

static wave_sum draw_waves(const wabe_two_fluids_case *t) {
    const uint64_t key = wabe_hash_mix((uint64_t)t->options.two_fluids.random_blobs.seed + 1);
    wave_sum m;
    double squares = 0.0;
    for (int i = 0; i < WAVES; i++) {
        m.waves[i] = draw_wave(t, key, i);
        squares += pow(wabe_length_of(m.waves[i].turns), 2.0);
    }
    m.slope = sqrt(squares / WAVES);
    return m;
}

/* ---- cells ----------------------------------------------------------------------------- */

/* Sets the sums of a row of cells, along x from begin on. */
static void add_waves(const wave_sum *m, const int64_t begin[3], int64_t count, double *row) {
    const double share = sqrt(2.0 / WAVES);
    for (int64_t i = 0; i < count; i++)
        row[i] = 0.0;
    for (int number = 0; number < WAVES; number++) {
        const wave *w = &m->waves[number];
        const double from = w->begin +
                            (w->turns[1] * (double)begin[1] + w->turns[2] * (double)begin[2]);
        for (int64_t i = 0; i < count; i++)
            row[i] += share * wabe_rounded(cos(from + w->turns[0] * (double)(begin[0] + i)));
    }
}

static double phase_of(const wabe_two_fluids_case *t, const wave_sum *m, double sum,
                       double threshold) {
    return 0.5 + 0.5 * tanh(2.0 * (sum - threshold) / (m->slope * t->step.width));
}

/* Is a cell of the block, by its number, fluid? */
static bool is_fluid(const wabe_two_fluids_case *t, int64_t number) {
    const int64_t nx = wabe_box_extent(t->block, 0), ny = wabe_box_extent(t->block, 1);
    return wabe_flags_at(&t->flags, t->block.begin[0] + number % nx,
                         t->block.begin[1] + number / nx % ny,
                         t->block.begin[2] + number / (nx * ny)) == 0;
}

/* Returns the share of liquid in what is not solid. Collective. */
static double saturation_of(const wabe_run *run, const wave_sum *m, double threshold) {
    const wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    wabe_sum sums[2] = {{0}};
    for (int64_t i = 0; i < wabe_box_cells(run->block); i++)
        if (is_fluid(t, i)) {
            wabe_sum_add(&sums[0], phase_of(t, m, t->blobs[i], threshold));
            wabe_sum_add(&sums[1], 1.0);
        }
    for (int i = 0; i < 2; i++)
        wabe_sum_over_ranks(run->comm, &sums[i]);
    return wabe_sum_value(sums[0]) / wabe_sum_value(sums[1]);
}

wabe_status wabe_two_fluids_make_blobs(wabe_run *run) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const int64_t nx = wabe_box_extent(run->block, 0), cells = wabe_box_cells(run->block);
    const wave_sum m = draw_waves(t);
    double low = -WIDEST, high = WIDEST;
    t->blobs = malloc((size_t)cells * sizeof *t->blobs);
    WABE_TRY(wabe_agree_memory(run->comm, t->blobs != NULL, "the blobs"));
    for (int64_t row = 0; row < cells / nx; row++) {
        const int64_t ny = wabe_box_extent(run->block, 1);
        const int64_t begin[3] = {run->block.begin[0], run->block.begin[1] + row % ny,
                                  run->block.begin[2] + row / ny};
        add_waves(&m, begin, nx, t->blobs + row * nx);
    }
    const double wanted = t->options.two_fluids.random_blobs.saturation;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high);
        const bool much = saturation_of(run, &m, middle) > wanted;
        low = much ? middle : low;
        high = much ? high : middle;
    }
    for (int64_t i = 0; i < cells; i++)
        t->blobs[i] = phase_of(t, &m, t->blobs[i], 0.5 * (low + high));
    return WABE_OK;
}
