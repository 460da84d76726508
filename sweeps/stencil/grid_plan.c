/* What follows from the tables of a grid's model: whether they are consistent, and what is
 * exchanged when. */
#include "core/base/status.h"
#include "sweeps/stencil/internal.h"

#include <stdlib.h>
#include <string.h>

enum { AGES = 2 }; /* of a field's values: the last ones written, the previous ones */

wabe_grid_model wabe_grid_model_of_sweep(const wabe_grid_sweep_row *sweep, const int64_t cells[3],
                                         const bool periodic[3]) {
    wabe_grid_model model = {.sweep_count = 1,
                             .sweeps = {*sweep},
                             .entry_count = 1,
                             .entries = {{.kind = WABE_STEP_SWEEP}},
                             .depth = 1};
    memcpy(model.cells, cells, sizeof model.cells);
    memcpy(model.periodic, periodic, sizeof model.periodic);
    return model;
}

/* What a sweep finds in its arguments where a step has it first; zeros: it has not. */
static const double *values_of(const wabe_grid_model *m, int sweep) {
    static const double none[WABE_GRID_VALUES];
    for (int i = 0; i < m->entry_count; i++)
        if (m->entries[i].kind == WABE_STEP_SWEEP && m->entries[i].number == sweep)
            return m->entries[i].values;
    return none;
}

wabe_grid_model wabe_grid_model_of_one(const wabe_grid_model *model, const wabe_kernel *kernel) {
    wabe_grid_model m = *model;
    int row = 0;
    while (m.sweeps[row].sweep != kernel->sweep)
        row++;
    m.sweeps[row].kernel = kernel->name;
    for (int i = 0; i < m.sweeps[row].read_count; i++)
        if (m.fields[m.sweeps[row].reads[i].field].role == WABE_FIELD_SCRATCH)
            m.fields[m.sweeps[row].reads[i].field].role = WABE_FIELD_STATE;
    m.entries[0] = (wabe_grid_entry){.kind = WABE_STEP_SWEEP, .number = row};
    memcpy(m.entries[0].values, values_of(model, row), sizeof m.entries[0].values);
    m.entry_count = 1;
    m.look_count = m.loop_count = 0;
    return m;
}

/* Adds a row to a table of a model, if there is room, and returns its number. */
#define ADD_ROW(table, count, most, row)                                                           \
    do {                                                                                           \
        if ((count) < (most))                                                                      \
            (table)[count] = (row);                                                                \
        return (count)++;                                                                          \
    } while (0)

int wabe_grid_add_field(wabe_grid_model *m, const wabe_grid_field_row *row) {
    ADD_ROW(m->fields, m->field_count, WABE_GRID_FIELDS_MAX, *row);
}
int wabe_grid_add_sweep(wabe_grid_model *m, const wabe_grid_sweep_row *row) {
    ADD_ROW(m->sweeps, m->sweep_count, WABE_GRID_SWEEPS_MAX, *row);
}
int wabe_grid_add_loop(wabe_grid_model *m, const wabe_grid_loop_row *row) {
    ADD_ROW(m->loops, m->loop_count, WABE_GRID_LOOPS_MAX, *row);
}
int wabe_grid_add_reduction(wabe_grid_model *m, const wabe_grid_reduction_row *row) {
    ADD_ROW(m->reductions, m->reduction_count, WABE_GRID_REDUCTIONS_MAX, *row);
}
int wabe_grid_add_entry(wabe_grid_model *m, wabe_step_kind kind, int number, double value) {
    const wabe_grid_entry row = {.kind = kind, .number = number, .values = {value}};
    ADD_ROW(m->entries, m->entry_count, WABE_GRID_ENTRIES_MAX, row);
}

static bool writes(const wabe_grid_sweep_row *sweep, int field) {
    for (int i = 0; i < sweep->write_count; i++)
        if (sweep->writes[i] == field)
            return true;
    return false;
}

/* The sweep of an entry, or NULL. */
static const wabe_grid_sweep_row *sweep_at(const wabe_grid_model *m, int entry) {
    const wabe_grid_entry *e = &m->entries[entry];
    return e->kind == WABE_STEP_SWEEP ? &m->sweeps[e->number] : NULL;
}

static int add_components(const wabe_grid_model *m, int field, int count,
                          wabe_grid_number out[WABE_GRID_NUMBERS_MAX]) {
    for (int q = 0; q < m->fields[field].components && count < WABE_GRID_NUMBERS_MAX; q++)
        out[count++] = (wabe_grid_number){field, q};
    return count;
}

int wabe_grid_state(const wabe_grid_model *m, wabe_grid_number out[WABE_GRID_NUMBERS_MAX]) {
    int count = 0;
    for (int f = 0; f < m->field_count; f++)
        if (m->fields[f].role == WABE_FIELD_STATE)
            count = add_components(m, f, count, out);
    return count;
}

int wabe_grid_numbers(const wabe_grid_model *m, wabe_grid_number out[WABE_GRID_NUMBERS_MAX]) {
    int count = wabe_grid_state(m, out);
    for (int i = 0; i < m->look_count; i++)
        for (int w = 0; w < m->sweeps[m->looks[i]].write_count; w++)
            count = add_components(m, m->sweeps[m->looks[i]].writes[w], count, out);
    return count;
}

bool wabe_grid_is_shown(const wabe_grid_model *m, int field) {
    for (int i = 0; i < m->look_count; i++)
        if (writes(&m->sweeps[m->looks[i]], field))
            return true;
    return false;
}

/* ---- levels ------------------------------------------------------------------------- */

int wabe_grid_halvings(const wabe_grid_model *m, int axis, int level) {
    int64_t n = m->cells[axis];
    int count = 0;
    for (; count < level && n % 2 == 0; n /= 2)
        count++;
    return count;
}

int wabe_grid_level_of(const wabe_grid_model *m, int sweep) {
    return m->fields[m->sweeps[sweep].writes[0]].level;
}

wabe_box wabe_grid_at_level(const wabe_grid_model *m, int level, wabe_box box) {
    for (int axis = 0; axis < 3; axis++) {
        const int64_t share = (int64_t)1 << wabe_grid_halvings(m, axis, level);
        box.begin[axis] /= share;
        box.end[axis] /= share;
    }
    return box;
}

void wabe_grid_grain(const wabe_grid_model *m, int64_t out[3]) {
    int level = 0;
    for (int f = 0; f < m->field_count; f++)
        level = m->fields[f].level > level ? m->fields[f].level : level;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (int64_t)1 << wabe_grid_halvings(m, axis, level);
}

/* ---- checks ------------------------------------------------------------------------- */

static wabe_status check_read(const wabe_grid_model *m, const wabe_grid_sweep_row *s,
                              const wabe_grid_read *r) {
    WABE_CHECK(r->field >= 0 && r->field < m->field_count, WABE_INPUT,
               "sweep \"%s\" reads field number %d of %d", s->name, r->field, m->field_count);
    const wabe_grid_field_row *f = &m->fields[r->field];
    WABE_CHECK((r->stencil == WABE_STENCIL_OWN) == (r->layers == 0) &&
                   r->layers <= WABE_STENCIL_LAYERS,
               WABE_INPUT,
               "sweep \"%s\" reads %d layers of field \"%s\": 1 to %d, and of the own "
               "cell 0",
               s->name, r->layers, f->name, WABE_STENCIL_LAYERS);
    WABE_CHECK(!f->velocities || r->layers <= 1, WABE_INPUT,
               "sweep \"%s\" reads %d layers of field \"%s\", whose numbers move by one cell",
               s->name, r->layers, f->name);
    const int levels = f->level - m->fields[s->writes[0]].level;
    WABE_CHECK(levels == 0 || (abs(levels) == 1 && r->layers == 0 && f->group == 0), WABE_INPUT,
               "sweep \"%s\" reads field \"%s\", which is of a grid %s: it must be the next one, "
               "the own cell, and not interleaved",
               s->name, f->name, levels > 0 ? "coarser than its own" : "finer than its own");
    WABE_CHECK(!r->previous || (f->grids == 2 && !writes(s, r->field)), WABE_INPUT,
               "sweep \"%s\" reads the previous values of field \"%s\", which it needs two grids "
               "for, neither of which it writes",
               s->name, f->name);
    WABE_CHECK(
        r->layers == 0 || f->grids == 2 || !writes(s, r->field), WABE_INPUT,
        "sweep \"%s\" writes field \"%s\" while it reads neighbours of it: it needs two grids",
        s->name, f->name);
    return WABE_OK;
}

static wabe_status check_write(const wabe_grid_model *m, const wabe_grid_sweep_row *s, int field) {
    WABE_CHECK(field >= 0 && field < m->field_count, WABE_INPUT,
               "sweep \"%s\" writes field number %d of %d", s->name, field, m->field_count);
    const wabe_grid_field_row *f = &m->fields[field];
    WABE_CHECK(f->role != WABE_FIELD_CONSTANT, WABE_INPUT,
               "sweep \"%s\" writes field \"%s\", which is constant", s->name, f->name);
    WABE_CHECK(f->at == m->fields[s->writes[0]].at && f->level == m->fields[s->writes[0]].level,
               WABE_INPUT,
               "sweep \"%s\" writes fields \"%s\" and \"%s\", whose numbers stand at different "
               "places of a cell, or on different grids",
               s->name, m->fields[s->writes[0]].name, f->name);
    return WABE_OK;
}

static wabe_status check_sweep(const wabe_grid_model *m, const wabe_grid_sweep_row *s) {
    WABE_CHECK(s->write_count > 0 && s->read_count + s->write_count <= WABE_GRID_ACCESSES_MAX,
               WABE_INPUT, "sweep \"%s\" has to write a field, and to touch %d at most", s->name,
               WABE_GRID_ACCESSES_MAX);
    WABE_CHECK(s->reduction_count <= WABE_GRID_REDUCED_MAX, WABE_INPUT,
               "sweep \"%s\" leaves %d numbers for reductions: at most %d", s->name,
               s->reduction_count, WABE_GRID_REDUCED_MAX);
    for (int i = 0; i < s->write_count; i++) {
        WABE_TRY(check_write(m, s, s->writes[i]));
        for (int k = 0; k < i; k++)
            WABE_CHECK(s->writes[k] != s->writes[i], WABE_INPUT,
                       "sweep \"%s\" writes field \"%s\" twice", s->name,
                       m->fields[s->writes[i]].name);
    }
    for (int i = 0; i < s->read_count; i++)
        WABE_TRY(check_read(m, s, &s->reads[i]));
    return WABE_OK;
}

/* Checks that values exist before they are read: state and constants from the start, others, and
 * previous ones, once a sweep of the step has written them. */
static wabe_status check_order(const wabe_grid_model *m) {
    int written[WABE_GRID_FIELDS_MAX];
    for (int f = 0; f < m->field_count; f++)
        written[f] = m->fields[f].role != WABE_FIELD_SCRATCH;
    for (int i = 0; i < m->entry_count; i++) {
        const wabe_grid_sweep_row *s = sweep_at(m, i);
        for (int r = 0; s && r < s->read_count; r++)
            WABE_CHECK(written[s->reads[r].field] > (int)s->reads[r].previous, WABE_INPUT,
                       "sweep \"%s\" reads field \"%s\", which no sweep has written before it",
                       s->name, m->fields[s->reads[r].field].name);
        for (int w = 0; s && w < s->write_count; w++)
            written[s->writes[w]]++;
    }
    return WABE_OK;
}

/* Looks read the state and constants, and write scratch fields. */
static wabe_status check_looks(const wabe_grid_model *m) {
    for (int i = 0; i < m->look_count; i++) {
        WABE_CHECK(m->looks[i] >= 0 && m->looks[i] < m->sweep_count, WABE_INPUT,
                   "what is shown comes from sweep %d of %d", m->looks[i], m->sweep_count);
        const wabe_grid_sweep_row *s = &m->sweeps[m->looks[i]];
        WABE_TRY(check_sweep(m, s));
        WABE_CHECK(s->reduction_count == 0, WABE_INPUT,
                   "sweep \"%s\" only shows the state: it cannot leave numbers for reductions",
                   s->name);
        for (int w = 0; w < s->write_count; w++)
            WABE_CHECK(m->fields[s->writes[w]].role == WABE_FIELD_SCRATCH &&
                           m->fields[s->writes[w]].grids == 1,
                       WABE_INPUT,
                       "sweep \"%s\" only shows the state: it cannot write field \"%s\"", s->name,
                       m->fields[s->writes[w]].name);
        for (int r = 0; r < s->read_count; r++)
            WABE_CHECK(
                m->fields[s->reads[r].field].role != WABE_FIELD_SCRATCH, WABE_INPUT,
                "sweep \"%s\" shows the state between steps, when field \"%s\" has no values",
                s->name, m->fields[s->reads[r].field].name);
    }
    return WABE_OK;
}

static wabe_status check_loops(const wabe_grid_model *m) {
    int open = 0;
    for (int i = 0; i < m->entry_count; i++) {
        open += m->entries[i].kind == WABE_STEP_LOOP;
        open -= m->entries[i].kind == WABE_STEP_END;
        WABE_CHECK(open >= 0 && open <= WABE_SCHEDULE_LOOPS_MAX, WABE_INPUT,
                   "entry %d of the step ends a loop that has not begun, or begins one too many",
                   i);
    }
    WABE_CHECK(open == 0, WABE_INPUT, "a loop of the step has no end");
    return WABE_OK;
}

static wabe_status check_fields(const wabe_grid_model *m) {
    int numbers = 0;
    for (const wabe_grid_field_row *f = m->fields; f < m->fields + m->field_count; f++) {
        const bool seen = f->role == WABE_FIELD_STATE ||
                          wabe_grid_is_shown(m, (int)(f - m->fields));
        numbers += seen ? f->components : 0;
        WABE_CHECK(!f->flat[0] && (f->role == WABE_FIELD_CONSTANT || (!f->flat[1] && !f->flat[2])),
                   WABE_INPUT, "field \"%s\" is flat: only constants can be, along y and z",
                   f->name);
        WABE_CHECK(f->components > 0 && (f->grids == 1 || f->grids == 2) &&
                       (f->type == WABE_TYPE_f64 || f->type == WABE_TYPE_f32),
                   WABE_INPUT, "field \"%s\" needs components, one grid or two, and f64 or f32",
                   f->name);
        WABE_CHECK(
            f->level == 0 || (f->level > 0 && f->role == WABE_FIELD_SCRATCH && !seen &&
                              f->at == WABE_AT_CELLS && f->group == 0 && m->depth <= 1),
            WABE_INPUT,
            "field \"%s\" is of a coarse grid: only scratch fields at cells can be, that are "
            "not shown",
            f->name);
        for (int axis = 0; axis < 3 && f->fixed_layer; axis++)
            WABE_CHECK(!m->periodic[axis] || !m->wraps[axis], WABE_INPUT,
                       "field \"%s\" keeps what is behind faces, but those along %c are periodic",
                       f->name, 'x' + axis);
        WABE_CHECK(!f->velocities || (f->group == 0 && f->components <= WABE_GRID_VELOCITIES_MAX &&
                                      m->depth == 1),
                   WABE_INPUT,
                   "field \"%s\" has velocities: it cannot be in groups, have more than %d "
                   "components, or do several time steps a pass",
                   f->name, WABE_GRID_VELOCITIES_MAX);
        for (int i = 0; i < 3 * f->components && f->velocities; i++)
            WABE_CHECK(abs(f->velocities[i / 3][i % 3]) <= 1 && f->at == WABE_AT_CELLS, WABE_INPUT,
                       "field \"%s\" has velocities: its numbers stand at cells, and move by one "
                       "along an axis at most",
                       f->name);
        for (int face = 0; face < 6; face++)
            WABE_CHECK(
                f->walls[face].offset == 0.0 ||
                    !(f->odd.across[0] | f->odd.across[1] | f->odd.across[2]),
                WABE_INPUT,
                "field \"%s\" has components that mirrors turn round, and a wall that adds a "
                "number to all of them",
                f->name);
        WABE_CHECK((f->group & (f->group - 1)) == 0, WABE_INPUT,
                   "field \"%s\" is in groups of %d cells: it must be a power of two", f->name,
                   f->group);
    }
    WABE_CHECK(numbers > 0 && numbers <= WABE_GRID_NUMBERS_MAX, WABE_INPUT,
               "the state, and what is shown, has %d numbers a cell: 1 to %d", numbers,
               WABE_GRID_NUMBERS_MAX);
    return WABE_OK;
}

static wabe_status check_counts(const wabe_grid_model *m) {
    const struct {
        const char *what;
        int count, most;
    } rows[] = {{"fields", m->field_count, WABE_GRID_FIELDS_MAX},
                {"sweeps", m->sweep_count, WABE_GRID_SWEEPS_MAX},
                {"reductions", m->reduction_count, WABE_GRID_REDUCTIONS_MAX},
                {"loops", m->loop_count, WABE_GRID_LOOPS_MAX},
                {"looks", m->look_count, WABE_GRID_LOOKS_MAX},
                {"entries of a step", m->entry_count, WABE_GRID_ENTRIES_MAX}};
    int sweeps = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        WABE_CHECK(rows[i].count <= rows[i].most, WABE_INPUT, "a model has %d %s: at most %d",
                   rows[i].count, rows[i].what, rows[i].most);
    for (int i = 0; i < m->entry_count; i++)
        sweeps += m->entries[i].kind == WABE_STEP_SWEEP;
    WABE_CHECK(sweeps <= WABE_EXCHANGES_MAX, WABE_INPUT,
               "a step runs %d sweeps, whose results may have to be exchanged: at most %d", sweeps,
               WABE_EXCHANGES_MAX);
    return WABE_OK;
}

wabe_status wabe_grid_check(const wabe_grid_model *m) {
    WABE_TRY(check_counts(m));
    WABE_TRY(check_looks(m));
    WABE_TRY(check_fields(m));
    WABE_CHECK(m->depth == 1 || m->entry_count == 1, WABE_INPUT,
               "several time steps a pass are for models of one sweep");
    for (int i = 0; i < m->entry_count; i++) {
        const wabe_grid_entry *e = &m->entries[i];
        const int count = e->kind == WABE_STEP_SWEEP    ? m->sweep_count
                          : e->kind == WABE_STEP_REDUCE ? m->reduction_count
                          : e->kind == WABE_STEP_LOOP   ? m->loop_count
                                                        : e->number + 1;
        WABE_CHECK(e->number >= 0 && e->number < count, WABE_INPUT,
                   "entry %d of the step asks for sweep, reduction or loop %d; there are %d", i,
                   e->number, count);
    }
    for (int i = 0; i < m->sweep_count; i++)
        WABE_TRY(check_sweep(m, &m->sweeps[i]));
    WABE_TRY(check_loops(m));
    return check_order(m);
}

static bool is_cut(const wabe_grid_model *m, const int64_t cells[3], int axis) {
    return cells[axis] < m->cells[axis];
}

/* Mirrors of a slab one cell thick read numbers that no link of a field with velocities brings. */
static wabe_status fit_velocities(const wabe_grid_model *m, const int64_t cells[3]) {
    for (const wabe_grid_field_row *f = m->fields; f < m->fields + m->field_count; f++)
        for (int axis = 0; axis < 3; axis++)
            WABE_CHECK(
                !f->velocities || m->periodic[axis] || cells[axis] > 1 ||
                    wabe_grid_is_flat(m, axis),
                WABE_INPUT,
                "field \"%s\" has velocities: between walls normal to %c a slab must have two "
                "cells or more",
                f->name, 'x' + axis);
    return WABE_OK;
}

static wabe_status fit_levels(const wabe_grid_model *m, const int64_t cells[3]) {
    int64_t grain[3];
    wabe_grid_grain(m, grain);
    for (int axis = 0; axis < 3; axis++)
        WABE_CHECK(
            cells[axis] % grain[axis] == 0, WABE_INPUT,
            "a slab has %lld cells along %c: for coarse grids it must have a multiple of %lld",
            (long long)cells[axis], 'x' + axis, (long long)grain[axis]);
    return WABE_OK;
}

wabe_status wabe_grid_fits(const wabe_grid_model *m, const int64_t cells[3], int depth) {
    WABE_TRY(fit_velocities(m, cells));
    WABE_TRY(fit_levels(m, cells));
    for (int axis = 0; axis < 3; axis++)
        for (const wabe_grid_sweep_row *s = m->sweeps; s < m->sweeps + m->sweep_count; s++) {
            const int level = m->fields[s->writes[0]].level;
            const int64_t own = cells[axis] >> wabe_grid_halvings(m, axis, level);
            WABE_CHECK(!s->whole[axis] || !is_cut(m, cells, axis), WABE_INPUT,
                       "sweep \"%s\" needs all cells along %c in one slab, which has %lld of %lld",
                       s->name, 'x' + axis, (long long)cells[axis], (long long)m->cells[axis]);
            /* Alone along an axis, a slab has walls, or goes round as often as it must. */
            const bool alone = !is_cut(m, cells, axis) &&
                               (!m->periodic[axis] || (m->wraps[axis] && depth == 1));
            for (int r = 0; r < s->read_count; r++)
                WABE_CHECK(alone || own >= (int64_t)s->reads[r].layers * depth, WABE_INPUT,
                           "sweep \"%s\" reads %d layers of field \"%s\" from a neighbour, but a "
                           "slab has only %lld cells along %c",
                           s->name, s->reads[r].layers * depth, m->fields[s->reads[r].field].name,
                           (long long)own, 'x' + axis);
        }
    return WABE_OK;
}

int wabe_grid_halo_at(const wabe_grid_model *m, int level) {
    int halo = 0;
    for (int i = 0; i < m->sweep_count; i++)
        for (int r = 0; r < m->sweeps[i].read_count && wabe_grid_level_of(m, i) == level; r++)
            halo = m->sweeps[i].reads[r].layers > halo ? m->sweeps[i].reads[r].layers : halo;
    return halo * m->depth;
}

int wabe_grid_halo(const wabe_grid_model *m) {
    int halo = 0;
    for (const wabe_grid_sweep_row *s = m->sweeps; s < m->sweeps + m->sweep_count; s++)
        for (int r = 0; r < s->read_count; r++)
            halo = s->reads[r].layers > halo ? s->reads[r].layers : halo;
    return halo * m->depth;
}

/* ---- exchanges ---------------------------------------------------------------------- */

/* The end of a loop, or the begin of an end's loop. */
static int partner_of(const wabe_grid_model *m, int at) {
    const int step = m->entries[at].kind == WABE_STEP_LOOP ? 1 : -1;
    int open = 0;
    do {
        open += m->entries[at].kind == WABE_STEP_LOOP;
        open -= m->entries[at].kind == WABE_STEP_END;
        at += step;
    } while (open != 0);
    return at - step;
}

/* A search through the entries, from a sweep that writes a field to those that read its values. */
typedef struct {
    const wabe_grid_model *model;
    int field, layers; /* layers: found so far */
    bool edges;
    bool seen[WABE_GRID_ENTRIES_MAX][AGES];
    bool awaits[WABE_GRID_ENTRIES_MAX]; /* entries that read it from neighbours */
} search;

static void visit(search *s, int entry, int age);

/* Follows both branches at a loop: its body may be entered, left, or repeated. */
static void visit_next(search *s, int entry, int age) {
    const wabe_step_kind kind = s->model->entries[entry].kind;
    const bool loops = kind == WABE_STEP_LOOP || kind == WABE_STEP_END;
    if (loops)
        visit(s, partner_of(s->model, entry) + 1, age);
    visit(s, entry + 1, age);
}

/* After the last entry comes the first one of the next step. */
static void visit(search *s, int entry, int age) {
    entry %= s->model->entry_count;
    const wabe_grid_sweep_row *sweep = sweep_at(s->model, entry);
    if (age == AGES || s->seen[entry][age])
        return;
    s->seen[entry][age] = true;
    for (int i = 0; sweep && i < sweep->read_count; i++) {
        const wabe_grid_read *r = &sweep->reads[i];
        if (r->field != s->field || (int)r->previous != age || r->layers == 0)
            continue;
        s->layers = r->layers > s->layers ? r->layers : s->layers;
        s->edges |= r->stencil == WABE_STENCIL_AROUND;
        s->awaits[entry] = true;
    }
    const bool over = sweep && writes(sweep, s->field);
    s->awaits[entry] |= over; /* the values must arrive before they are overwritten */
    visit_next(s, entry, !over ? age : s->model->fields[s->field].grids == 2 ? age + 1 : AGES);
}

/* Plans the exchange of what an entry's sweep writes. */
static void plan_entry(const wabe_grid_model *m, int entry, wabe_grid_plan *plan) {
    const wabe_grid_sweep_row *sweep = sweep_at(m, entry);
    wabe_grid_exchange *x = &plan->exchanges[plan->count];
    *x = (wabe_grid_exchange){.sweep = m->entries[entry].number};
    for (int w = 0; w < sweep->write_count; w++) {
        search s = {.model = m, .field = sweep->writes[w]};
        visit_next(&s, entry, 0);
        if (s.layers == 0)
            continue;
        x->fields[x->field_count].field = s.field;
        x->fields[x->field_count].layers = s.layers * m->depth;
        x->fields[x->field_count++].edges = s.edges || m->depth > 1;
        for (int i = 0; i < m->entry_count; i++)
            plan->awaits[i] |= (uint64_t)s.awaits[i] << plan->count;
    }
    if (x->field_count > 0)
        plan->begins[entry] = plan->count++;
}

wabe_grid_plan wabe_grid_plan_of(const wabe_grid_model *m) {
    wabe_grid_plan plan = {.count = 0};
    for (int i = 0; i < m->entry_count; i++) {
        plan.begins[i] = WABE_NO_EXCHANGE;
        if (sweep_at(m, i) && plan.count < WABE_EXCHANGES_MAX) /* wabe_grid_check refuses more */
            plan_entry(m, i, &plan);
    }
    return plan;
}
