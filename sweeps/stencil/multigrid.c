#include "sweeps/stencil/multigrid.h"

#include "sweeps/cell/stencil_attributes.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define LOWEST 0.35 /* eigenvalue that the smoother reduces, of at most 2 */

#define LITTLE 0.9 /* of the residual, that a cycle which finds something leaves */

enum {
    IDLE_MAX = 3,  /* cycles that find nothing, in a row */
    SMOOTHING = 3, /* sweeps before and after the coarser grids */
    PLAIN = 4,     /* cycles before conjugate gradients begin: as a rule they are enough */
    BOTTOM_MIN = 8,
    SCALE_MAX = 120, /* power of 2, of f32 */
    COARSEST = 8     /* cells along the longest axis: no more levels are needed */
};

/* ---- tables -------------------------------------------------------------------------- */

static int64_t longest_axis(const wabe_grid_model *m, int level) {
    int64_t longest = 1;
    for (int axis = 0; axis < 3; axis++) {
        const int64_t n = m->cells[axis] >> wabe_grid_halvings(m, axis, level);
        longest = n > longest ? n : longest;
    }
    return longest;
}

static int count_levels(const wabe_grid_model *m) {
    int levels = 1;
    while (levels < WABE_MULTIGRID_LEVELS_MAX && longest_axis(m, levels - 1) > COARSEST &&
           longest_axis(m, levels) < longest_axis(m, levels - 1))
        levels++;
    return levels;
}

/* The eigenvalue of the longest wave between walls, of equal w. */
static double lowest_at_bottom(const wabe_grid_model *m, int level) {
    int axes = 0;
    for (int axis = 0; axis < 3; axis++)
        axes += m->cells[axis] >> wabe_grid_halvings(m, axis, level) > 1;
    return (1.0 - cos(PI / (double)(longest_axis(m, level) + 1))) / (double)(axes > 0 ? axes : 1);
}

/* Sweeps that leave a twentieth of that wave: Chebyshev's polynomials reduce it by 2 exp(-2 k
 * sqrt(eigenvalue / 2)). */
static int count_at_bottom(const wabe_grid_model *m, int level) {
    const int count = (int)ceil(log(40.0) / (2.0 * sqrt(0.5 * lowest_at_bottom(m, level))));
    return count < BOTTOM_MIN                  ? BOTTOM_MIN
           : count < WABE_MULTIGRID_SWEEPS_MAX ? count
                                               : WABE_MULTIGRID_SWEEPS_MAX;
}

static int add_field(wabe_grid_model *m, wabe_type type, const char *name, int components,
                     int grids, int level) {
    return wabe_grid_add_field(m, &(wabe_grid_field_row){.name = name,
                                                         .type = type,
                                                         .role = WABE_FIELD_SCRATCH,
                                                         .components = components,
                                                         .grids = grids,
                                                         .level = level});
}

static bool has_residual(const wabe_multigrid *g, int level) {
    return level + 1 < g->levels || (level == 0 && g->goal);
}

static void add_fields(wabe_grid_model *m, wabe_type type, wabe_multigrid *g) {
    for (int level = 0; level < g->levels; level++) {
        wabe_multigrid_fields *f = &g->fields[level];
        if (has_residual(g, level))
            f->residual = add_field(m, type, "residual", 1, 1, level);
        if (level == 0)
            continue;
        f->p = add_field(m, type, "coarse p", 1, 2, level);
        f->b = add_field(m, type, "coarse b", 1, 1, level);
        f->w = add_field(m, type, "coarse w", 3, 1, level);
        if (f->w >= WABE_GRID_FIELDS_MAX)
            continue; /* refused later */
        memcpy(m->fields[f->p].walls, m->fields[f[-level].p].walls, sizeof m->fields[0].walls);
        memcpy(m->fields[f->w].walls, m->fields[f[-level].w].walls, sizeof m->fields[0].walls);
    }
}

static void add_sweeps(wabe_grid_model *m, wabe_type type, const char *kernel, int reduction,
                       wabe_multigrid *g) {
    for (int level = 0; level < g->levels; level++) {
        const wabe_multigrid_fields *f = &g->fields[level];
        wabe_multigrid_sweeps *s = &g->sweeps[level];
        wabe_grid_sweep_row row = {.name = "smooth",
                                   .sweep = &wabe_sweep_multigrid_smooth,
                                   .kernel = kernel,
                                   .type = type,
                                   .write_count = 1,
                                   .writes = {f->p},
                                   .read_count = 3,
                                   .reads = {{f->p, WABE_STENCIL_ALONG, 1, false},
                                             {f->w, WABE_STENCIL_ALONG, 1, false},
                                             {f->b, WABE_STENCIL_OWN, 0, false}}};
        s->smooth = wabe_grid_add_sweep(m, &row);
        if (has_residual(g, level)) {
            const bool known = level == 0 && g->goal != NULL;
            row.name = "residual";
            row.sweep = known ? &wabe_sweep_multigrid_residual_known
                              : &wabe_sweep_multigrid_residual;
            row.writes[0] = f->residual;
            row.reduction_count = known, row.reductions[0] = reduction;
            s->residual = wabe_grid_add_sweep(m, &row);
            row.reduction_count = 0;
        }
        if (level + 1 < g->levels) {
            row.name = "prolong", row.sweep = &wabe_sweep_multigrid_prolong;
            row.writes[0] = f->p, row.read_count = 2;
            row.reads[0] = (wabe_grid_read){f->p, WABE_STENCIL_OWN, 0, false};
            row.reads[1] = (wabe_grid_read){f[1].p, WABE_STENCIL_OWN, 0, false};
            s->prolong = wabe_grid_add_sweep(m, &row);
        }
        if (level == 0)
            continue;
        row.name = "restrict", row.sweep = &wabe_sweep_multigrid_restrict;
        row.write_count = 2, row.writes[0] = f->b, row.writes[1] = f->p, row.read_count = 1;
        row.reads[0] = (wabe_grid_read){f[-1].residual, WABE_STENCIL_OWN, 0, false};
        s->to_coarser = wabe_grid_add_sweep(m, &row);
        row.name = "coarsen", row.sweep = &wabe_sweep_multigrid_coarsen;
        row.write_count = 1, row.writes[0] = f->w;
        row.reads[0] = (wabe_grid_read){f[-1].w, WABE_STENCIL_OWN, 0, false};
        s->coarsen = wabe_grid_add_sweep(m, &row);
    }
}

/* The residual is that before the coarse grids' changes, which may leave more where cycles are
 * slow.
 */
static bool is_enough(const wabe_multigrid_goal *goal, int64_t cycles, const double values[]) {
    return values[goal->reduction] <= (cycles < PLAIN ? 1.0 : 0.5) * goal->limit;
}

/* ---- conjugate gradients ---------------------------------------------------------------- */

/* Loops around what conjugate gradients need run once or not. */
static bool keeps(void *context, const wabe_position *position, const double values[]) {
    const wabe_multigrid_goal *goal = context;
    (void)values;
    return goal->cycles >= PLAIN && position->index[position->depth - 1] == 0;
}

/* After conjugate gradients alone cells lack more than after the sweeps of a cycle: the last one
 * stays as it is. */
static bool looks(void *context, const wabe_position *position, const double values[]) {
    const wabe_multigrid_goal *goal = context;
    return keeps(context, position, values) && !is_enough(goal, goal->cycles + 1, values) &&
           goal->cycles + 1 < goal->most;
}

/* A power of 2 that brings numbers of this size to between 1/8 and 1/4. */
static double scale_of(double largest) {
    if (!(largest > 0.0) || !isfinite(largest))
        return 1.0;
    return ldexp(1.0, (int)fmax(fmin(-3 - ilogb(largest), SCALE_MAX), -SCALE_MAX));
}

static bool multiplies(void *context, const wabe_position *position, const double values[]) {
    wabe_multigrid_goal *goal = context;
    wabe_multigrid_conjugate *c = &goal->conjugate;
    if (!looks(context, position, values))
        return false;
    for (int i = 0; i < 2; i++)
        c->values[i] = c->scales[i] = scale_of(values[c->largest[i]]);
    return true;
}

/* See sweeps/cell/multigrid.h. Rounding may leave no energy to go by: then the cycle stays as it
 * is, and gradients begin anew. */
static bool conjugates(void *context, const wabe_position *position, const double values[]) {
    wabe_multigrid_goal *goal = context;
    wabe_multigrid_conjugate *c = &goal->conjugate;
    if (!looks(context, position, values))
        return false;
    if (goal->cycles == PLAIN)
        c->energy = INFINITY;
    const double scale = -c->scales[0] * c->scales[1]; /* div(w grad) has no positive eigenvalue */
    const double zr = values[c->products[0]] / scale, zs = values[c->products[1]] / scale;
    const double alpha = zr / (zr - zs - zr * zr / c->energy), energy = alpha * zr;
    const bool found = isfinite(alpha) && energy > 0.0;
    c->values[0] = found ? alpha : 1.0;
    c->values[1] = found ? energy / c->energy : 0.0;
    c->energy = found ? energy : INFINITY;
    return true;
}

static int add_once(wabe_grid_model *m, const char *name,
                    bool (*again)(void *, const wabe_position *, const double[]),
                    wabe_multigrid_goal *goal) {
    return wabe_grid_add_loop(
        m, &(wabe_grid_loop_row){.name = name, .again = again, .context = goal, .average = 1e-3});
}

static void add_reductions(wabe_grid_model *m, wabe_multigrid_goal *goal) {
    wabe_multigrid_conjugate *c = &goal->conjugate;
    static const wabe_grid_reduction_row rows[] = {{"residual", WABE_REDUCE_MAX},
                                                   {"largest change", WABE_REDUCE_MAX},
                                                   {"largest residual", WABE_REDUCE_MAX},
                                                   {"product before", WABE_REDUCE_SUM},
                                                   {"product after", WABE_REDUCE_SUM}};
    int *const numbers[] = {&goal->reduction, &c->largest[0], &c->largest[1], &c->products[0],
                            &c->products[1]};
    for (int i = 0; i < 5; i++)
        *numbers[i] = wabe_grid_add_reduction(m, &rows[i]);
}

static void add_conjugate(wabe_grid_model *m, wabe_type type, const char *kernel,
                          wabe_multigrid *g) {
    const wabe_multigrid_fields *f = &g->fields[0];
    const wabe_multigrid_conjugate *c = &g->goal->conjugate;
    const int kept = add_field(m, type, "kept p", 1, 1, 0);
    const int change = add_field(m, type, "change of p", 1, 1, 0);
    const wabe_grid_sweep_row any = {.kernel = kernel,
                                     .type = type,
                                     .write_count = 1,
                                     .writes = {f->residual},
                                     .read_count = 4,
                                     .reads = {{f->p, WABE_STENCIL_ALONG, 1, false},
                                               {f->w, WABE_STENCIL_ALONG, 1, false},
                                               {f->b, WABE_STENCIL_OWN, 0, false},
                                               {kept, WABE_STENCIL_OWN, 0, false}}};
    wabe_grid_sweep_row row = any;
    row.name = "keep", row.sweep = &wabe_sweep_multigrid_keep;
    row.writes[0] = kept;
    row.read_count = 1, row.reads[0] = (wabe_grid_read){f->p, WABE_STENCIL_OWN, 0, false};
    g->keep = wabe_grid_add_sweep(m, &row);
    row = any;
    row.name = "largest", row.sweep = &wabe_sweep_multigrid_largest;
    row.reads[0].field = kept, row.reads[3].field = f->p;
    row.reduction_count = 2, memcpy(row.reductions, c->largest, sizeof c->largest);
    g->largest = wabe_grid_add_sweep(m, &row);
    row = any;
    row.name = "products", row.sweep = &wabe_sweep_multigrid_products;
    row.reduction_count = 2, memcpy(row.reductions, c->products, sizeof c->products);
    g->products = wabe_grid_add_sweep(m, &row);
    row = any;
    row.name = "conjugate", row.sweep = &wabe_sweep_multigrid_conjugate;
    row.write_count = 2, row.writes[0] = f->p, row.writes[1] = change;
    row.read_count = 2;
    row.reads[0] = (wabe_grid_read){f->p, WABE_STENCIL_OWN, 0, false};
    row.reads[1] = (wabe_grid_read){kept, WABE_STENCIL_OWN, 0, false};
    g->conjugate = wabe_grid_add_sweep(m, &row);
    g->keeping = add_once(m, "keep", keeps, g->goal);
    g->looking = add_once(m, "largest", looks, g->goal);
    g->multiplying = add_once(m, "products", multiplies, g->goal);
    g->conjugating = add_once(m, "conjugate", conjugates, g->goal);
}

wabe_multigrid wabe_multigrid_add(wabe_grid_model *m, wabe_type type,
                                  const wabe_multigrid_fields *fields, int depth,
                                  const char *kernel, wabe_multigrid_goal *goal) {
    wabe_multigrid g = {.levels = count_levels(m), .depth = depth, .goal = goal};
    g.fields[0] = *fields;
    add_fields(m, type, &g);
    if (goal)
        add_reductions(m, goal);
    add_sweeps(m, type, kernel, goal ? goal->reduction : 0, &g);
    if (goal)
        add_conjugate(m, type, kernel, &g);
    g.smoothing =
        wabe_grid_add_loop(m, &(wabe_grid_loop_row){.name = "smoothing", .count = SMOOTHING});
    g.bottom = wabe_grid_add_loop(m,
                                  &(wabe_grid_loop_row){.name = "coarsest grid",
                                                        .count = count_at_bottom(m, g.levels - 1)});
    return g;
}

int wabe_multigrid_slow_axis(const wabe_grid_model *m, const wabe_multigrid *g, int64_t *multiple) {
    const int last = g->levels - 1;
    int found = -1, fewest = last;
    for (int axis = 0; axis < 3; axis++) {
        const int halvings = wabe_grid_halvings(m, axis, last);
        const int64_t left = m->cells[axis] >> halvings;
        const bool slow = left > 2 * COARSEST || last - halvings > 1;
        if (left % 2 == 1 && left > 1 && slow && (found < 0 || halvings < fewest))
            found = axis, fewest = halvings;
    }
    for (*multiple = 1; longest_axis(m, 0) > COARSEST * *multiple; *multiple *= 2)
        ;
    return found;
}

/* ---- a step --------------------------------------------------------------------------- */

/* A sweep in a loop, and its reductions. changes: see wabe_grid_entry. */
static void append_changing(wabe_grid_model *m, int loop, int sweep, const double *changes) {
    wabe_grid_add_entry(m, WABE_STEP_LOOP, loop, 0.0);
    wabe_grid_add_entry(m, WABE_STEP_SWEEP, sweep, 0.0);
    if (m->entry_count <= WABE_GRID_ENTRIES_MAX)
        m->entries[m->entry_count - 1].changes = changes;
    for (int i = 0; i < m->sweeps[sweep].reduction_count; i++)
        wabe_grid_add_entry(m, WABE_STEP_REDUCE, m->sweeps[sweep].reductions[i], 0.0);
    wabe_grid_add_entry(m, WABE_STEP_END, 0, 0.0);
}

static void append_loop(wabe_grid_model *m, int loop, int sweep) {
    append_changing(m, loop, sweep, NULL);
}

void wabe_multigrid_add_coarsening(wabe_grid_model *m, const wabe_multigrid *g) {
    for (int level = 1; level < g->levels; level++)
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, g->sweeps[level].coarsen, 0.0);
}

void wabe_multigrid_add_cycle(wabe_grid_model *m, const wabe_multigrid *g) {
    const int last = g->levels - 1;
    if (g->goal)
        append_loop(m, g->keeping, g->keep);
    for (int level = 0; level < last; level++) {
        append_loop(m, g->smoothing, g->sweeps[level].smooth);
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, g->sweeps[level].residual, 0.0);
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, g->sweeps[level + 1].to_coarser, 0.0);
    }
    append_loop(m, g->bottom, g->sweeps[last].smooth);
    if (last == 0 && g->goal)
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, g->sweeps[0].residual, 0.0);
    for (int level = last - 1; level >= 0; level--) {
        wabe_grid_add_entry(m, WABE_STEP_SWEEP, g->sweeps[level].prolong, 0.0);
        append_loop(m, g->smoothing, g->sweeps[level].smooth);
    }
    if (!g->goal)
        return;
    wabe_grid_add_entry(m, WABE_STEP_REDUCE, m->sweeps[g->sweeps[0].residual].reductions[0], 0.0);
    append_loop(m, g->looking, g->largest);
    append_changing(m, g->multiplying, g->products, g->goal->conjugate.values);
    append_changing(m, g->conjugating, g->conjugate, g->goal->conjugate.values);
}

bool wabe_multigrid_goes_on(void *context, const wabe_position *position, const double values[]) {
    wabe_multigrid_goal *goal = context;
    const double lacks = values[goal->reduction];
    goal->cycles = position->index[position->depth - 1];
    if (goal->cycles == 0) {
        goal->before = INFINITY, goal->idle = 0;
        return true;
    }
    goal->idle = goal->cycles > PLAIN && lacks > LITTLE * goal->before ? goal->idle + 1 : 0;
    goal->before = fmin(goal->before, lacks);
    if (is_enough(goal, goal->cycles, values) || (goal->stalls && goal->idle == IDLE_MAX))
        return false;
    if (goal->cycles >= goal->most)
        goal->left = fmax(goal->left, lacks / goal->limit);
    return goal->cycles < goal->most;
}

/* Chebyshev's polynomials on [lowest, 2], by their recurrence. */
static void set_smoothing(wabe_multigrid_smooth_args *a, int loop, double lowest, int count) {
    const double middle = 0.5 * (2.0 + lowest), half = 0.5 * (2.0 - lowest);
    double ratio = half / middle;
    a->loop = loop;
    for (int i = 0; i < count; i++) {
        const double next = 1.0 / (2.0 * middle / half - ratio);
        a->keep[i] = wabe_coefficient_of(i > 0 ? next * ratio : 0.0);
        a->change[i] = wabe_coefficient_of(i > 0 ? 2.0 * next / half : 1.0 / middle);
        ratio = i > 0 ? next : ratio;
    }
}

/* What WABE_AT_CHILD of both children gives is the same along axes that are not halved. Nothing
 * flows along an axis that has become one cell: left as it is, w there would hide the other axes
 * from the smoother. */
static void set_transfer(const wabe_grid_model *m, int level, wabe_multigrid_restrict_args *down,
                         wabe_multigrid_coarsen_args *weights) {
    double once = 1.0, shares[3] = {1.0, 1.0, 1.0};
    for (int axis = 0; axis < 3; axis++) {
        const bool halved = wabe_grid_halvings(m, axis, level) >
                            wabe_grid_halvings(m, axis, level - 1);
        once *= halved ? 1.0 : 0.5;
        for (int of = 0; of < 3; of++)
            shares[of] *= (of == axis) == halved ? 0.5 : 1.0;
    }
    for (int axis = 0; axis < 3; axis++)
        if (m->cells[axis] >> wabe_grid_halvings(m, axis, level) == 1)
            shares[axis] = 0.0;
    down->once = wabe_coefficient_of(once);
    for (int axis = 0; axis < 3; axis++)
        weights->shares[axis] = wabe_coefficient_of(shares[axis]);
}

void wabe_multigrid_set(wabe_grid_slab *slab, const wabe_multigrid *g) {
    const wabe_grid_model *m = &slab->model;
    for (int name = 0; name < WABE_REGION_COUNT; name++)
        for (int level = 0; level < g->levels; level++) {
            const wabe_multigrid_sweeps *s = &g->sweeps[level];
            const bool last = level == g->levels - 1;
            set_smoothing((void *)slab->args[s->smooth][name], g->depth,
                          last ? lowest_at_bottom(m, level) : LOWEST,
                          last ? (int)m->loops[g->bottom].count : SMOOTHING);
            if (level > 0)
                set_transfer(m, level, (void *)slab->args[s->to_coarser][name],
                             (void *)slab->args[s->coarsen][name]);
        }
}

#define MULTIGRID_SWEEP(name, does, from, to)                                                      \
    WABE_SWEEP(multigrid_##name, does, from, to, .halo = 1, .exchanged = true,                     \
               .phase = WABE_PHASE_inner, .family = &wabe_stencil_family)

MULTIGRID_SWEEP(smooth, "a sweep of Jacobi's method with Chebyshev's polynomials", "p, w, b", "p");
MULTIGRID_SWEEP(residual, "what an equation of p lacks", "p, w, b", "residual");
MULTIGRID_SWEEP(residual_known, "what an equation of p lacks, and the largest of it", "p, w, b",
                "residual");
MULTIGRID_SWEEP(restrict, "the right-hand side of the next coarser grid", "residual", "b, p");
MULTIGRID_SWEEP(prolong, "adds what the next coarser grid has found", "p, coarse p", "p");
MULTIGRID_SWEEP(keep, "keeps p before a cycle", "p", "kept p");
MULTIGRID_SWEEP(largest, "the largest residual of kept p, and change by a cycle", "kept p, w, b, p",
                "residual");
MULTIGRID_SWEEP(products, "a cycle's change times the residuals before and after it",
                "residual, p, w, b, kept p", "residual");
MULTIGRID_SWEEP(conjugate, "an iteration of conjugate gradients", "p, kept p, change", "p, change");
MULTIGRID_SWEEP(coarsen, "coefficients of the next coarser grid", "w", "coarse w");
