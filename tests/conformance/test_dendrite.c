/* Dendrites: every kernel against a plain loop of our own, cell by cell, and the physics of the
 * models against what is known of them.
 *
 *   test_dendrite [emulated|gpu] */
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/stencil/dendrite.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/conformance/slab.h"
#include "tests/full.h"

#define TINY_OF(type) ((type) == WABE_TYPE_f64 ? 1e-9 : 1e-5)
enum { PHI, U, FIELDS };

/* A slab that is the whole domain. */
typedef struct {
    wabe_type type;
    int64_t cells[3];
    bool periodic[3];
    wabe_wall walls[6];
    wabe_dendrite_step step;
    wabe_grid_values initial[FIELDS];
    const void *context;
    const char *kernel;
} problem;

static void open_problem(alone *a, const problem *m, wabe_box inner) {
    const wabe_grid_model model = wabe_dendrite_model(m->type, m->cells, m->periodic, m->walls,
                                                      &m->step, m->kernel);
    open_slab(a, &model, inner);
    wabe_dendrite_set(a->slab, &m->step);
    for (int field = 0; field < FIELDS; field++)
        set_field(a, field, 0, m->initial[field], m->context);
}

/* ---- the reference ------------------------------------------------------------------ */

static uint64_t mixed(uint64_t v) {
    v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
    v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
    return v ^ (v >> 31);
}

/* A whole number of 2^-31, in [-1, 1). */
static int32_t noise_at(uint64_t seed, int64_t step, int64_t x, int64_t y, int64_t z) {
    const uint64_t key = mixed(mixed(mixed(seed + (uint64_t)step) + (uint64_t)z) + (uint64_t)y);
    uint32_t w = (uint32_t)x ^ (uint32_t)key;
    w = (w ^ (w >> 16)) * 0x7feb352du + (uint32_t)(key >> 32);
    w = (w ^ (w >> 15)) * 0x846ca68bu;
    return (int32_t)(w ^ (w >> 16));
}

/* The cell that stands for one beside the domain, and the wall in between or -1. */
static int64_t stand_in(const problem *m, const int64_t at[3], int *face) {
    int64_t to[3] = {at[0], at[1], at[2]};
    *face = -1;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = m->cells[axis];
        if (to[axis] >= 0 && to[axis] < n)
            continue;
        if (!m->periodic[axis])
            *face = 2 * axis + (to[axis] >= n);
        to[axis] = m->periodic[axis] ? (to[axis] + n) % n : to[axis] < 0 ? 0 : n - 1;
    }
    return to[0] + m->cells[0] * (to[1] + m->cells[1] * to[2]);
}

#define REFERENCE(number, fused)                                                                   \
    static number phi_##number(const problem *m, const number *f, const int64_t at[3],             \
                               const int64_t off[3]) {                                             \
        int face;                                                                                  \
        return f[stand_in(m, (int64_t[3]){at[0] + off[0], at[1] + off[1], at[2] + off[2]},         \
                          &face)];                                                                 \
    }                                                                                              \
    static number sorted_sum_##number(number a, number b, number c) {                              \
        const number low = a < b ? (a < c ? a : c) : (b < c ? b : c);                              \
        const number high = a > b ? (a > c ? a : c) : (b > c ? b : c);                             \
        const number middle = a < b ? (b < c ? b : (a < c ? c : a))                                \
                                    : (a < c ? a : (b < c ? c : b));                               \
        return (low + high) + middle;                                                              \
    }                                                                                              \
    static number factor_##number(const problem *m, number g2, number s, number *inverse) {        \
        const number g = (number)(4.0 * m->step.anisotropy);                                       \
        *inverse = (number)1 / fused(g2, g2, (number)1e-20);                                       \
        return fused(g * s, *inverse, (number)(1.0 - 3.0 * m->step.anisotropy));                   \
    }                                                                                              \
    static bool to_crystal_##number(const problem *m, const number g[3], number out[3]) {          \
        bool turned = false;                                                                       \
        for (int i = 0; i < 3; i++) {                                                              \
            const double *row = m->step.crystal[i];                                                \
            out[i] = fused((number)row[0], g[0],                                                   \
                           fused((number)row[1], g[1], (number)row[2] * g[2]));                    \
            for (int k = 0; k < 3; k++)                                                            \
                turned |= row[k] != (double)(i == k);                                              \
        }                                                                                          \
        return turned;                                                                             \
    }                                                                                              \
    /* Through the face normal to axis above cell at + low. */                                     \
    static number flux_##number(const problem *m, const number *f, const int64_t at[3], int axis,  \
                                int64_t low) {                                                     \
        number g[3], own[3], inverse, cubes;                                                       \
        for (int d = 0; d < 3; d++) {                                                              \
            int64_t near[3] = {0}, far[3] = {0}, near_low[3] = {0}, far_low[3] = {0};              \
            near[axis] = near_low[axis] = low;                                                     \
            far[axis] = far_low[axis] = low + 1;                                                   \
            near[d] += d != axis, far[d] += d != axis;                                             \
            near_low[d] -= d != axis, far_low[d] -= d != axis;                                     \
            g[d] = d == axis ? phi_##number(m, f, at, far) - phi_##number(m, f, at, near)          \
                             : (number)0.25 *                                                      \
                                   ((phi_##number(m, f, at, near) + phi_##number(m, f, at, far)) - \
                                    (phi_##number(m, f, at, near_low) +                            \
                                     phi_##number(m, f, at, far_low)));                            \
        }                                                                                          \
        const bool turned = to_crystal_##number(m, g, own);                                        \
        for (int i = 0; i < 3 && !turned; i++)                                                     \
            own[i] = g[(axis + i) % 3];                                                            \
        const number a2 = own[0] * own[0], b2 = own[1] * own[1], c2 = own[2] * own[2];             \
        const number g2 = a2 + (b2 + c2), s = fused(a2, a2, b2 * b2 + c2 * c2);                    \
        const number a = factor_##number(m, g2, s, &inverse);                                      \
        cubes = a2 * own[0];                                                                       \
        if (turned)                                                                                \
            cubes = fused((number)m->step.crystal[0][axis], cubes,                                 \
                          fused((number)m->step.crystal[1][axis], b2 * own[1],                     \
                                (number)m->step.crystal[2][axis] * (c2 * own[2])));                \
        const number turn = (number)(16.0 * m->step.anisotropy) * inverse *                        \
                            fused(cubes, g2, -(g[axis] * s));                                      \
        return a * fused(a, g[axis], turn);                                                        \
    }                                                                                              \
    static number mobility_##number(const problem *m, const number *f, const int64_t at[3]) {      \
        number g[3], own[3], inverse;                                                              \
        for (int d = 0; d < 3; d++) {                                                              \
            int64_t up[3] = {0}, down[3] = {0};                                                    \
            up[d] = 1, down[d] = -1;                                                               \
            g[d] = (number)0.5 * (phi_##number(m, f, at, up) - phi_##number(m, f, at, down));      \
        }                                                                                          \
        if (!to_crystal_##number(m, g, own))                                                       \
            memcpy(own, g, sizeof own);                                                            \
        const number a2 = own[0] * own[0], b2 = own[1] * own[1], c2 = own[2] * own[2];             \
        const number a = factor_##number(m, sorted_sum_##number(a2, b2, c2),                       \
                                         sorted_sum_##number(a2 * a2, b2 * b2, c2 * c2),           \
                                         &inverse);                                                \
        return (number)1 / (a * a);                                                                \
    }                                                                                              \
    /* Of melt in equilibrium with an alloy of concentration c. */                                 \
    static number melt_##number(const problem *m, number phi, number c) {                          \
        const double k = m->step.partition;                                                        \
        return c / fused((number)(0.5 * k - 0.5), phi, (number)(0.5 + 0.5 * k));                   \
    }                                                                                              \
    static void cell_##number(const problem *m, const number *f, const number *u,                  \
                              const int64_t at[3], int64_t step, number out[FIELDS]) {             \
        const wabe_dendrite_step *w = &m->step;                                                    \
        const bool karma = w->karma_rappel;                                                        \
        const number one = 1, liquid = karma ? -1 : 0;                                             \
        int face;                                                                                  \
        const number own = f[stand_in(m, at, &face)];                                              \
        const number cold = w->partition > 0.0                                                     \
                                ? melt_##number(m, own, u[stand_in(m, at, &face)]) - one           \
                                : u[stand_in(m, at, &face)];                                       \
        const number q = (own - liquid) * (one - own);                                             \
        number parts[3], heat[3];                                                                  \
        for (int axis = 0; axis < 3; axis++) {                                                     \
            number beside[2];                                                                      \
            parts[axis] = flux_##number(m, f, at, axis, 0) - flux_##number(m, f, at, axis, -1);    \
            for (int high = 0; high < 2; high++) {                                                 \
                int64_t to[3] = {at[0], at[1], at[2]};                                             \
                to[axis] += high ? 1 : -1;                                                         \
                beside[high] = u[stand_in(m, to, &face)];                                          \
                if (face >= 0 && !(m->walls[face].factor == 1.0 && m->walls[face].offset == 0.0))  \
                    beside[high] = fused((number)m->walls[face].factor, beside[high],              \
                                         (number)m->walls[face].offset);                           \
            }                                                                                      \
            heat[axis] = fused((number)-2, cold, beside[0] + beside[1]);                           \
        }                                                                                          \
        const double driving = w->partition > 0.0 ? w->driving / (1.0 - w->partition)              \
                                                  : w->driving;                                    \
        number drive = fused((number)-driving * cold, q, own - (number)(karma ? 0.0 : 0.5));       \
        if (w->noise > 0.0)                                                                        \
            drive = fused((number)w->noise,                                                        \
                          (number)0x1p-31 * (number)noise_at(w->seed, step, at[0], at[1], at[2]),  \
                          drive);                                                                  \
        number change = fused((number)w->gradient,                                                 \
                              sorted_sum_##number(parts[0], parts[1], parts[2]),                   \
                              (number)w->reaction * q * drive);                                    \
        if (karma)                                                                                 \
            change = change * mobility_##number(m, f, at);                                         \
        number phi = own + change;                                                                 \
        const double tiny = TINY_OF(m->type), waking = tiny * fmin(w->gradient, 1.0);              \
        const number bulk[2] = {one, liquid};                                                      \
        for (int i = 0; i < 2; i++) {                                                              \
            const number off = phi - bulk[i], was = own - bulk[i];                                 \
            if ((off * off < (number)(tiny * tiny) && off * off <= was * was) ||                   \
                off * off < (number)(waking * waking))                                             \
                phi = bulk[i];                                                                     \
        }                                                                                          \
        const number d = phi - own, mean = fused((number)0.5, d, own), d2 = d * d;                 \
        const number p = mean * (one - mean);                                                      \
        const number more = fused((number)-15, p, fused((number)0.375, d2, (number)2.5));          \
        out[PHI] = phi;                                                                            \
        out[U] = fused((number)w->diffusion, sorted_sum_##number(heat[0], heat[1], heat[2]),       \
                       cold) +                                                                     \
                 (karma ? (number)0.5 * d : d * fused((number)30 * p, p, d2 * more));              \
    }                                                                                              \
    /* Diffusion and current through a face of a cell, the one below it if low. */                 \
    static void flows_##number(const problem *m, const number *before, const number *after,        \
                               const number *c, const int64_t at[3], int axis, int low,            \
                               number flows[2]) {                                                  \
        int64_t to[3] = {at[0], at[1], at[2]};                                                     \
        number melt[2], phi[2], change[2], g[3];                                                   \
        int face;                                                                                  \
        for (int i = 0; i < 2; i++) { /* the lower one first */                                    \
            to[axis] = at[axis] + i - low;                                                         \
            const int64_t cell = stand_in(m, to, &face);                                           \
            number own = c[cell];                                                                  \
            if (face >= 0 && !(m->walls[face].factor == 1.0 && m->walls[face].offset == 0.0))      \
                own = fused((number)m->walls[face].factor, own, (number)m->walls[face].offset);    \
            phi[i] = before[cell];                                                                 \
            change[i] = after[cell] - before[cell];                                                \
            melt[i] = melt_##number(m, phi[i], own);                                               \
        }                                                                                          \
        for (int d = 0; d < 3; d++) {                                                              \
            number corners[2][2];                                                                  \
            for (int i = 0; i < 4; i++) {                                                          \
                int64_t off[3] = {0};                                                              \
                off[axis] = i / 2 - low;                                                           \
                off[d] += d != axis ? i % 2 ? 1 : -1 : 0;                                          \
                corners[i / 2][i % 2] = phi_##number(m, before, at, off);                          \
            }                                                                                      \
            g[d] = d == axis ? phi[1] - phi[0]                                                     \
                             : (number)0.25 * ((corners[0][1] + corners[1][1]) -                   \
                                               (corners[0][0] + corners[1][0]));                   \
        }                                                                                          \
        const number b = g[(axis + 1) % 3], e = g[(axis + 2) % 3];                                 \
        const number g2 = fused(g[axis], g[axis], b * b + e * e) + (number)1e-20;                  \
        const number share = fused((number)-0.25, phi[0] + phi[1], (number)0.5);                   \
        const number flux = (number)m->step.diffusion * share * (melt[1] - melt[0]);               \
        const number current = (number)m->step.trapping * (number)0.25 *                           \
                               ((melt[0] + melt[1]) * (change[0] + change[1])) *                   \
                               (g[axis] / (number)sqrt((double)g2));                               \
        flows[0] = flux, flows[1] = current;                                                       \
    }                                                                                              \
    static number solute_##number(const problem *m, const number *before, const number *after,     \
                                  const number *c, const int64_t at[3]) {                          \
        number net[3];                                                                             \
        int face;                                                                                  \
        for (int axis = 0; axis < 3; axis++) {                                                     \
            number high[2], low[2];                                                                \
            flows_##number(m, before, after, c, at, axis, 0, high);                                \
            flows_##number(m, before, after, c, at, axis, 1, low);                                 \
            net[axis] = (high[0] - low[0]) + (high[1] - low[1]);                                   \
        }                                                                                          \
        return c[stand_in(m, at, &face)] + sorted_sum_##number(net[0], net[1], net[2]);            \
    }                                                                                              \
    /* The largest deviation of a slab from this loop after some steps. */                         \
    static double deviation_##number(const problem *m, wabe_box inner, int steps) {                \
        const int64_t n = m->cells[0] * m->cells[1] * m->cells[2];                                 \
        number *f[2][FIELDS];                                                                      \
        double *row = malloc((size_t)m->cells[0] * sizeof *row), most = 0.0;                       \
        for (int i = 0; i < 2 * FIELDS; i++)                                                       \
            f[i / FIELDS][i % FIELDS] = malloc((size_t)n * sizeof(number));                        \
        for (int64_t i = 0; i < n * FIELDS; i++) {                                                 \
            const int64_t x = i % n % m->cells[0], r = i % n / m->cells[0];                        \
            const int64_t at[3] = {0, r % m->cells[1], r / m->cells[1]};                           \
            if (x == 0)                                                                            \
                m->initial[i / n](m->context, at, m->cells[0], row);                               \
            f[0][i / n][i % n] = (number)row[x];                                                   \
        }                                                                                          \
        for (int step = 0; step < steps; step++)                                                   \
            for (int64_t k = 0; k < 2 * n; k++) { /* all phases, then alloys' concentrations */    \
                number **from = f[step % 2], **to = f[1 - step % 2], out[FIELDS];                  \
                const int64_t i = k % n;                                                           \
                const int64_t at[3] = {i % m->cells[0], i / m->cells[0] % m->cells[1],             \
                                       i / m->cells[0] / m->cells[1]};                             \
                if (k < n) {                                                                       \
                    cell_##number(m, from[PHI], from[U], at, step, out);                           \
                    to[PHI][i] = out[PHI];                                                         \
                    to[U][i] = out[U];                                                             \
                } else if (m->step.partition > 0.0) {                                              \
                    to[U][i] = solute_##number(m, from[PHI], to[PHI], from[U], at);                \
                }                                                                                  \
            }                                                                                      \
        alone a;                                                                                   \
        open_problem(&a, m, inner);                                                                \
        run_slab(&a, steps);                                                                       \
        for (int field = 0; field < FIELDS; field++) {                                             \
            double *found = read_field(&a, field);                                                 \
            for (int64_t i = 0; i < n; i++) {                                                      \
                const double off = fabs(found[i] - (double)f[steps % 2][field][i]);                \
                most = isnan(off) || off > most ? (isnan(off) ? INFINITY : off) : most;            \
            }                                                                                      \
            free(found);                                                                           \
        }                                                                                          \
        wabe_grid_destroy(&a.slab);                                                                \
        for (int i = 0; i < 2 * FIELDS; i++)                                                       \
            free(f[i / FIELDS][i % FIELDS]);                                                       \
        free(row);                                                                                 \
        return most;                                                                               \
    }
REFERENCE(double, fma)
REFERENCE(float, fmaf)

/* ---- every kernel ------------------------------------------------------------------- */

/* A ball that is not round, so that bulk, interface and their edges meet all cuts of vectors;
 * context: the problem. */
static wabe_status ball(const void *context, const int64_t cell[3], int64_t count, double *row) {
    const problem *m = context;
    const double low = m->step.karma_rappel ? -1.0 : 0.0;
    for (int64_t i = 0; i < count; i++) {
        const double x = (double)(cell[0] + i) - 0.4 * (double)m->cells[0];
        const double y = (double)cell[1] - 0.3 * (double)m->cells[1], z = (double)cell[2] - 1.7;
        const double wavy = 1.0 + 0.3 * sin(1.3 * x) * cos(0.9 * y + z);
        const double solid = 0.5 - 0.5 * tanh(sqrt(x * x + y * y + z * z) * wavy - 4.0);
        row[i] = solid < 1e-3 ? low : solid > 0.999 ? 1.0 : low + (1.0 - low) * solid;
    }
    return WABE_OK;
}

static wabe_status melt(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)context;
    for (int64_t i = 0; i < count; i++)
        row[i] = -0.5 + 0.1 * sin(1.0 + 12.9898 * (double)(cell[0] + i) + 78.233 * (double)cell[1] +
                                  37.719 * (double)cell[2]);
    return WABE_OK;
}

static wabe_status mixture(const void *context, const int64_t cell[3], int64_t count, double *row) {
    const wabe_status status = melt(context, cell, count, row);
    for (int64_t i = 0; i < count; i++)
        row[i] += 1.1;
    return status;
}

static problem ball_in_melt(const wabe_kernel *row, const int64_t n[3], unsigned periodic) {
    const bool alloy = strstr(row->sweep->name, "alloy") != NULL;
    const bool turned = alloy || strstr(row->sweep->name, "turned") != NULL;
    problem m = {.type = row->storage,
                 .cells = {n[0], n[1], n[2]},
                 .periodic = {periodic & 1, periodic >> 1 & 1, periodic >> 2 & 1},
                 .step = {.karma_rappel = alloy || strstr(row->sweep->name, "karma") != NULL,
                          .partition = alloy ? 0.2 : 0.0,
                          .trapping = 0.4,
                          .gradient = 0.04,
                          .reaction = 0.1,
                          .driving = 2.0,
                          .noise = 0.05,
                          .diffusion = 0.12,
                          .anisotropy = 0.05,
                          .crystal = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                          .seed = 12345},
                 .initial = {ball, alloy ? mixture : melt},
                 .kernel = strchr(row->name, '.')}; /* both sweeps of an alloy */
    static const double tilted[3][3] = {{0.48, 0.64, 0.6}, {-0.8, 0.6, 0}, {-0.36, -0.48, 0.8}};
    if (turned)
        memcpy(m.step.crystal, tilted, sizeof tilted);
    for (int face = 0; face < 6; face++)
        m.walls[face] = face % 3 == 0 ? (wabe_wall){-1.0, -0.2 * face} : (wabe_wall){1.0, 0.0};
    return m;
}

static void check_kernel(const wabe_kernel *row, const int64_t n[3]) {
    static const unsigned periodic[] = {0, 1, 6, 7};
    enum { STEPS = 5 };
    const bool fuses = row->instruction_set != WABE_INSTRUCTION_SET_x86_64;
    const wabe_box parts[] = {all_of(n),
                              {{0}, {0}},
                              {.begin = {1, 1, 1}, .end = {n[0] - 1, n[1], n[2]}}};
    for (size_t i = 0; i < sizeof periodic / sizeof periodic[0]; i++)
        for (size_t part = 0; part < sizeof parts / sizeof parts[0]; part++) {
            problem m = ball_in_melt(row, n, periodic[i]);
            m.context = &m;
            const double off = m.type == WABE_TYPE_f64 ? deviation_double(&m, parts[part], STEPS)
                                                       : deviation_float(&m, parts[part], STEPS);
            const double rounding = m.type == WABE_TYPE_f64 ? 1e-13 : 1e-4;
            if (off > (fuses ? 0.0 : rounding))
                fail_msg("%s, %lld x %lld x %lld, periodic %u, part %d: off by %g", row->name,
                         (long long)n[0], (long long)n[1], (long long)n[2], periodic[i], (int)part,
                         off);
        }
}

static bool is_dendrite(const wabe_sweep *sweep) {
    return sweep == &wabe_sweep_solidify || sweep == &wabe_sweep_solidify_turned ||
           sweep == &wabe_sweep_karma_rappel || sweep == &wabe_sweep_karma_rappel_turned ||
           sweep == &wabe_sweep_alloy_phase;
}

static void every_kernel_is_the_plain_loop(void **state) {
    static const int64_t sizes[][3] = {{37, 7, 5}, {16, 3, 4}, {1, 2, 3}, {70, 9, 1}, {40, 1, 6}};
    const wabe_component component = hardware_component();
    int rows = 0;
    (void)state;
    for (int i = 0; i < wabe_registry_count(wabe_kernels()); i++) {
        const wabe_kernel *row = wabe_registry_row(wabe_kernels(), i);
        const char *why;
        if (!is_dendrite(row->sweep) || row->target != component.target ||
            !row->available(&component, &why))
            continue;
        for (size_t size = 0; size < sizeof sizes / sizeof sizes[0]; size++)
            check_kernel(row, sizes[size]);
        rows++;
    }
    assert_true(rows >= 10);
}

/* ---- physics ------------------------------------------------------------------------ */

static problem pure_metal(const int64_t n[3]) {
    problem m = {.type = WABE_TYPE_f64,
                 .cells = {n[0], n[1], n[2]},
                 .step = {.driving = 1.0,
                          .anisotropy = 0.04,
                          .crystal = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                 .kernel = ""};
    for (int face = 0; face < 6; face++)
        m.walls[face] = (wabe_wall){1.0, 0.0};
    return m;
}

/* A flat front in melt of a given undercooling: its velocity is kinetic coefficient times
 * undercooling, to first order in the driving force. In units of cells and steps the model has the
 * interface's profile (1 - tanh(k x / 2)) / 2, k = sqrt(reaction / (2 gradient)), and the velocity
 * reaction driving |u| / (5 k). */
typedef struct {
    double k, middle, u;
} front;

static wabe_status front_phi(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    const front *f = context;
    for (int64_t i = 0; i < count; i++)
        row[i] = 0.5 - 0.5 * tanh(0.5 * f->k * ((double)(cell[0] + i) + 0.5 - f->middle));
    return WABE_OK;
}

static wabe_status front_u(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)cell;
    for (int64_t i = 0; i < count; i++)
        row[i] = ((const front *)context)->u;
    return WABE_OK;
}

static double solid_of(const alone *a) {
    double *phi = read_field(a, PHI), sum = 0.0;
    for (int64_t i = 0; i < wabe_box_cells(a->slab->block); i++)
        sum += phi[i];
    free(phi);
    return sum;
}

/* Returns the share of the velocity that theory predicts. width: cells from a tenth to nine tenths.
 * gradient: in proportion to the time step. */
static double front_velocity(wabe_type type, double width, double gradient) {
    const int before_it = (int)(50.0 / gradient), steps = (int)(200.0 / gradient);
    problem m = pure_metal((const int64_t[3]){100, 1, 1});
    m.type = type;
    const front f = {.k = 4.0 * atanh(0.8) / width, .middle = 40.0, .u = -0.05};
    m.step.anisotropy = 0.0;
    m.step.gradient = gradient;
    m.step.reaction = 2.0 * m.step.gradient * f.k * f.k;
    m.initial[PHI] = front_phi, m.initial[U] = front_u;
    m.context = &f;
    alone a;
    double before = 0.0;
    open_problem(&a, &m, all_of(m.cells));
    for (int step = 0; step < before_it + steps; step++) {
        if (step == before_it)
            before = solid_of(&a);
        set_field(&a, U, 0, front_u, &f);
        run_slab(&a, 1);
    }
    const double velocity = (solid_of(&a) - before) / steps;
    wabe_grid_destroy(&a.slab);
    return velocity / (m.step.reaction * m.step.driving * -f.u / (5.0 * f.k));
}

static void flat_fronts_move_as_theory_says(void **state) {
    (void)state;
    const double coarse = front_velocity(WABE_TYPE_f64, 4.0, 0.1);
    const double usual = front_velocity(WABE_TYPE_f64, 8.0, 0.1);
    print_message("flat front: %.4f of theory at 4 cells, %.4f at 8\n", coarse, usual);
    assert_true(usual > 0.985 && usual < 1.0);
    assert_true(fabs((1.0 - coarse) / (1.0 - usual) - 4.0) < 1.5); /* second order */
}

/* Small time steps, in which a cell ahead of the front changes by next to nothing. */
static void slow_fronts_move_alike(void **state) {
    (void)state;
    const double gradient = test_is_full() ? 0.004 : 0.02;
    const double wide = front_velocity(WABE_TYPE_f64, 6.0, gradient);
    const double narrow = front_velocity(WABE_TYPE_f32, 6.0, gradient);
    print_message("flat front, small time step: %.5f in f64, %.5f in f32\n", wide, narrow);
    assert_true(fabs(narrow - wide) < 2e-3 * wide);
}

/* With mirrors all around, latent heat goes nowhere: the mean of u - h(phi) stays. */
static double heat_of(const alone *a, bool karma) {
    double *phi = read_field(a, PHI), *u = read_field(a, U), sum = 0.0;
    for (int64_t i = 0; i < wabe_box_cells(a->slab->block); i++)
        sum += u[i] - (karma ? 0.5 * phi[i]
                             : phi[i] * phi[i] * phi[i] * (10.0 + phi[i] * (6.0 * phi[i] - 15.0)));
    free(phi);
    free(u);
    return sum;
}

static void check_heat(const wabe_sweep *sweep) {
    const int64_t n[3] = {20, 18, 16};
    const wabe_kernel any = {.sweep = sweep, .storage = WABE_TYPE_f64, .name = ""};
    problem m = ball_in_melt(&any, n, 0);
    alone a;
    for (int face = 0; face < 6; face++)
        m.walls[face] = (wabe_wall){1.0, 0.0};
    m.context = &m;
    open_problem(&a, &m, all_of(n));
    const double before = heat_of(&a, m.step.karma_rappel), solid = solid_of(&a);
    run_slab(&a, 200);
    assert_true(fabs(heat_of(&a, m.step.karma_rappel) - before) < 1e-11 * fabs(before));
    assert_true(fabs(solid_of(&a) - solid) > 0.05 * fabs(solid));
    wabe_grid_destroy(&a.slab);
}

static void heat_is_kept(void **state) {
    (void)state;
    check_heat(&wabe_sweep_solidify);
    check_heat(&wabe_sweep_karma_rappel);
}

/* A flat crystal of an alloy grows from a wall as the square root of time: with a concentration of
 * 1 in the melt and k in the crystal at the front, x = 2 p sqrt(D t), where sqrt(pi) p exp(p^2)
 * erfc(p) is the supersaturation; ahead of it c falls with erfc(x / sqrt(4 D t)). */
typedef struct {
    double k, supersaturation, p, middle, width; /* width: W */
} similarity;

static double concentration_ahead(const similarity *s, double x) {
    const double share = erfc(s->p * x / s->middle) / erfc(s->p);
    return 1.0 - (1.0 - s->k) * s->supersaturation * (1.0 - share);
}

static wabe_status similarity_phi(const void *context, const int64_t cell[3], int64_t count,
                                  double *row) {
    const similarity *s = context;
    for (int64_t i = 0; i < count; i++)
        row[i] = -tanh(((double)(cell[0] + i) + 0.5 - s->middle) / (sqrt(2.0) * s->width));
    return WABE_OK;
}

static wabe_status similarity_c(const void *context, const int64_t cell[3], int64_t count,
                                double *row) {
    const similarity *s = context;
    similarity_phi(context, cell, count, row);
    for (int64_t i = 0; i < count; i++) {
        const double melt = concentration_ahead(s, fmax((double)(cell[0] + i) + 0.5, s->middle));
        row[i] = melt * (0.5 + 0.5 * s->k - (0.5 - 0.5 * s->k) * row[i]);
    }
    return WABE_OK;
}

/* Sets what of the crystal's growth from s->middle to twice that theory has, and the concentration
 * that it has grown with. */
static void grow_flat(const similarity *s, double trapping, double *growth, double *crystal) {
    const double lambda = 2.0, diffusion = 0.2, tau = 47.0 / 75.0 * lambda * s->width * s->width;
    problem m = {.type = WABE_TYPE_f64,
                 .cells = {(int64_t)(20.0 * s->middle), 1, 1},
                 .step = {.karma_rappel = true,
                          .partition = s->k,
                          .trapping = trapping * (1.0 - s->k) * s->width / sqrt(8.0),
                          .gradient = diffusion * s->width * s->width / tau,
                          .reaction = diffusion / tau,
                          .driving = lambda,
                          .diffusion = diffusion,
                          .crystal = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                 .initial = {similarity_phi, similarity_c},
                 .context = s,
                 .kernel = ""};
    const double begin = pow(s->middle / (2.0 * s->p), 2.0) / diffusion;
    double before = 0.0, after = 0.0, *c;
    alone a;
    for (int face = 0; face < 6; face++)
        m.walls[face] = (wabe_wall){1.0, 0.0};
    open_problem(&a, &m, all_of(m.cells));
    c = read_field(&a, U);
    for (int64_t i = 0; i < m.cells[0]; i++)
        before += c[i];
    free(c);
    const double solid = solid_of(&a);
    run_slab(&a, (int)(3.0 * begin));
    *growth = 0.5 * (solid_of(&a) - solid) / s->middle;
    c = read_field(&a, U);
    for (int64_t i = 0; i < m.cells[0]; i++)
        after += c[i];
    assert_true(fabs(after - before) < 1e-12 * before); /* solute is kept */
    *crystal = c[(int)(1.5 * s->middle)];
    free(c);
    wabe_grid_destroy(&a.slab);
}

static void flat_alloys_grow_as_the_root_of_time(void **state) {
    similarity s = {.k = 0.15, .supersaturation = 0.3, .middle = 25.0, .width = 1.5};
    double growth, crystal, without, trapped;
    (void)state;
    if (hardware_emulated && !test_is_full())
        skip(); /* the kernel has the bits of the plain loop, as that of processors has */
    for (double low = 0.0, high = 1.0; high - low > 1e-14;) {
        s.p = 0.5 * (low + high);
        const double value = sqrt(3.14159265358979323846) * s.p * exp(s.p * s.p) * erfc(s.p);
        *(value < s.supersaturation ? &low : &high) = s.p;
    }
    grow_flat(&s, 1.0, &growth, &crystal);
    grow_flat(&s, 0.0, &without, &trapped);
    print_message("flat alloy: grows %.4f of theory (without anti-trapping %.4f), crystal %.4f of "
                  "k (%.4f)\n",
                  growth, without, crystal / s.k, trapped / s.k);
    assert_true(fabs(growth - 1.0) < 0.003);
    assert_true(fabs(crystal / s.k - 1.0) < 0.003);
    assert_true(trapped / s.k > 1.008);
}

/* From a round nucleus in the middle, all 48 images of the cube's symmetry have the same bits. */
static wabe_status round_phi(const void *context, const int64_t cell[3], int64_t count,
                             double *row) {
    const double middle = *(const double *)context;
    for (int64_t i = 0; i < count; i++) {
        double s[3] = {(double)(cell[0] + i) + 0.5 - middle, (double)cell[1] + 0.5 - middle,
                       (double)cell[2] + 0.5 - middle};
        row[i] = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] < 16.0 ? 1.0 : 0.0; /* exact sums */
    }
    return WABE_OK;
}

static wabe_status cold(const void *context, const int64_t cell[3], int64_t count, double *row) {
    (void)context, (void)cell;
    for (int64_t i = 0; i < count; i++)
        row[i] = -0.6;
    return WABE_OK;
}

static void check_symmetry(bool karma) {
    enum { N = 24 };
    problem m = pure_metal((const int64_t[3]){N, N, N});
    const double middle = N / 2.0;
    m.step.karma_rappel = karma;
    m.step.gradient = 0.05, m.step.reaction = 0.2, m.step.diffusion = 0.1;
    m.step.driving = 3.0;
    m.initial[PHI] = round_phi, m.initial[U] = cold;
    m.context = &middle;
    alone a;
    open_problem(&a, &m, all_of(m.cells));
    run_slab(&a, 100);
    for (int field = 0; field < FIELDS; field++) {
        double *v = read_field(&a, field);
        for (int z = 0; z < N; z++)
            for (int y = 0; y < N; y++)
                for (int x = 0; x < N; x++) {
                    const double own = v[x + N * (y + N * z)];
                    assert_true(own == v[(N - 1 - x) + N * (y + N * z)]);
                    assert_true(own == v[y + N * (x + N * z)]);
                    assert_true(own == v[z + N * (y + N * x)]);
                }
        free(v);
    }
    wabe_grid_destroy(&a.slab);
}

static void crystals_have_the_symmetry_of_a_cube(void **state) {
    (void)state;
    check_symmetry(false);
    check_symmetry(true);
}

int main(int argc, char *argv[]) {
    MPI_Init(&argc, &argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_the_plain_loop),
        cmocka_unit_test(flat_fronts_move_as_theory_says),
        cmocka_unit_test(slow_fronts_move_alike),
        cmocka_unit_test(heat_is_kept),
        cmocka_unit_test(flat_alloys_grow_as_the_root_of_time),
        cmocka_unit_test(crystals_have_the_symmetry_of_a_cube),
    };
    int code = hardware_choose(argc, argv, 1);
    if (code == 0)
        code = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return code;
}
