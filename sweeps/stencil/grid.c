#include "sweeps/stencil/grid.h"

#include "core/device/team.h"
#include "core/registry/transfer.h"
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/stencil/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- set-up ------------------------------------------------------------------------- */

static bool is_mirror(const wabe_wall *wall) { return wall->factor == 1.0 && wall->offset == 0.0; }

bool wabe_grid_is_flat(const wabe_grid_model *m, int axis) {
    bool flat = axis > 0 && m->cells[axis] == 1 && m->depth <= 1;
    for (int i = 0; i < m->field_count && flat; i++) {
        const wabe_grid_field_row *f = &m->fields[i];
        if (f->flat[axis])
            continue;
        flat &= !f->fixed_layer && f->group == 0 && (int)f->at - 1 != axis;
        flat &= m->periodic[axis]
                    ? m->wraps[axis]
                    : f->role != WABE_FIELD_CONSTANT && f->odd.across[axis] == 0 &&
                          is_mirror(&f->walls[2 * axis]) && is_mirror(&f->walls[2 * axis + 1]);
    }
    return flat;
}

/* All fields have the same ghost layers, so that fields of a type have the same layout, but for
 * flat constants. */
wabe_layout wabe_grid_layout(const wabe_grid_model *m, int field, const int64_t cells[3],
                             wabe_target target) {
    const wabe_grid_field_row *f = &m->fields[field];
    const bool flat[3] = {false, f->flat[1] || wabe_grid_is_flat(m, 1),
                          f->flat[2] || wabe_grid_is_flat(m, 2)};
    int64_t with_faces[3];
    for (int axis = 0; axis < 3; axis++)
        with_faces[axis] = f->flat[axis] ? 1 : cells[axis] >> wabe_grid_halvings(m, axis, f->level);
    if (f->at != WABE_AT_CELLS)
        with_faces[f->at - 1]++;
    return f->group > 0 ? wabe_layout_grouped(with_faces, wabe_grid_halo(m), f->components,
                                              f->group, f->type, target)
                        : wabe_layout_grid(with_faces, flat, wabe_grid_halo(m), f->components,
                                           f->type, target);
}

static wabe_status pick(const wabe_registry *registry, const wabe_grid_slab *slab,
                        const wabe_sweep *sweep, wabe_type type, const char *part,
                        const wabe_kernel **out) {
    const wabe_kernel_request request = {.sweep = sweep, .storage = type, .name_part = part};
    return wabe_registry_select(registry, slab->component, &request, out);
}

/* Do all walls leave numbers as they are, but for their sign? */
static bool only_mirrors(const wabe_grid_field_row *f) {
    bool only = true;
    for (int face = 0; face < 6; face++)
        only &= is_mirror(&f->walls[face]);
    return only;
}

/* The row of a generated kernel repeats what the tables say: checks that they agree. */
static wabe_status check_kernel(const wabe_grid_slab *slab, int sweep) {
    const wabe_grid_model *m = &slab->model;
    const wabe_grid_sweep_row *s = &m->sweeps[sweep];
    const wabe_kernel *kernel = slab->kernels[sweep];
    const wabe_stencil_attributes *a = wabe_stencil_attributes_of(kernel);
    const bool f64 = kernel->storage == WABE_TYPE_f64;
    bool fits = s->reduction_count == a->reductions;
    bool exact = true;
    uint64_t begins = 0;
    int numbers = 0;
    for (int i = 0; i < s->write_count + s->read_count; i++) {
        const bool written = i < s->write_count;
        const wabe_grid_field_row *f =
            &m->fields[written ? s->writes[i] : s->reads[i - s->write_count].field];
        const bool wide = f64 ? !(a->narrow >> i & 1) : (a->wide >> i & 1);
        fits &= f->type == (wide ? WABE_TYPE_f64 : WABE_TYPE_f32);
        /* What is behind walls is stored, or computed where a region has several boxes: to store it
         * must not round it. */
        exact &= written || wide || !f64 || s->reads[i - s->write_count].layers == 0 ||
                 f->role == WABE_FIELD_CONSTANT || only_mirrors(f);
        fits &= !a->column || f->at != WABE_AT_Y_FACES; /* a column has as many numbers as cells */
        begins |= written ? (uint64_t)1 << numbers : 0;
        numbers += written ? f->components : 0;
    }
    WABE_CHECK(a->numbers == 0 || (fits && numbers == a->numbers), WABE_INTERNAL,
               "sweep \"%s\" has other numbers, types or reductions than the row of kernel %s",
               s->name, kernel->name);
    WABE_CHECK(a->begins == 0 || a->begins == begins, WABE_INTERNAL,
               "sweep \"%s\" writes other fields than WABE_BEGINS of kernel %s says", s->name,
               kernel->name);
    WABE_CHECK(exact || !wabe_grid_fills(slab, sweep), WABE_INTERNAL,
               "sweep \"%s\" reads neighbours of an f32 field with walls that are no mirrors, in "
               "f64: filled ghosts would round what is behind them",
               s->name);
    WABE_CHECK(!a->column || (s->whole[1] && !m->periodic[1]), WABE_INTERNAL,
               "sweep \"%s\" sees columns along y: its table must have this axis whole, and walls "
               "at its ends",
               s->name);
    return WABE_OK;
}

static wabe_status pick_kernels(const wabe_registry *registry, wabe_grid_slab *slab) {
    const wabe_grid_model *m = &slab->model;
    for (int i = 0; i < m->sweep_count; i++) {
        const wabe_grid_sweep_row *s = &m->sweeps[i];
        WABE_TRY(pick(registry, slab, s->sweep, s->type, s->kernel, &slab->kernels[i]));
        WABE_TRY(check_kernel(slab, i));
    }
    for (int i = 0; i < m->sweep_count && !slab->component->device; i++)
        WABE_TRY(pick(registry, slab, &wabe_sweep_fill, m->sweeps[i].type, "",
                      &slab->fill[m->sweeps[i].type]));
    for (int f = 0; f < m->field_count; f++) {
        const wabe_type type = m->fields[f].type;
        WABE_TRY(pick(registry, slab, &wabe_sweep_pack, type, "", &slab->pack[type]));
        WABE_TRY(pick(registry, slab, &wabe_sweep_unpack, type, "", &slab->unpack[type]));
        WABE_TRY(pick(registry, slab, &wabe_sweep_scan, type, "", &slab->scan[type]));
    }
    return WABE_OK;
}

/* Column sweeps never read beyond the ends of y. */
static wabe_side_kind side_of(const wabe_grid_slab *slab, bool column, int face) {
    const wabe_grid_model *m = &slab->model;
    const int axis = face / 2;
    const bool low = slab->held.begin[axis] == 0, high = slab->held.end[axis] == m->cells[axis];
    if (wabe_grid_is_flat(m, axis) || (column && axis == 1))
        return WABE_SIDE_NEIGHBOUR;
    if (slab->wraps[axis])
        return WABE_SIDE_ITSELF;
    if (m->periodic[axis] || !(face % 2 ? high : low))
        return WABE_SIDE_NEIGHBOUR;
    return WABE_SIDE_WALL;
}

/* A field as kernels see it, without its address. */
static wabe_grid_field view_of(const wabe_grid_slab *slab, int field) {
    const wabe_grid_field_row *f = &slab->model.fields[field];
    const wabe_layout *l = &slab->layouts[field];
    wabe_grid_field view = {.pitch = l->flat[1] ? 0 : l->pitch,
                            .plane = l->flat[2] ? 0 : l->plane,
                            .stride = l->stride,
                            .components = l->components,
                            .group = l->group,
                            .is_f64 = f->type == WABE_TYPE_f64,
                            .ghosts = f->fixed_layer || f->role == WABE_FIELD_CONSTANT,
                            .faces = (int)f->at - 1,
                            .odd = f->odd};
    memcpy(view.walls, f->walls, sizeof view.walls);
    return view;
}

static void fill_args(wabe_grid_slab *slab, int sweep, wabe_grid_args *args) {
    const wabe_grid_model *m = &slab->model;
    const wabe_grid_sweep_row *s = &m->sweeps[sweep];
    const int level = wabe_grid_level_of(m, sweep);
    const wabe_box held = wabe_grid_at_level(m, level, slab->held);
    wabe_box_extents(held, args->cells);
    memcpy(args->first, held.begin, sizeof args->first);
    args->planes = m->cells[2] >> wabe_grid_halvings(m, 2, level);
    args->column = wabe_stencil_attributes_of(slab->kernels[sweep])->column;
    for (int face = 0; face < 6; face++)
        args->sides[face] = side_of(slab, args->column, face);
    for (int i = 0; i < s->write_count; i++)
        args->fields[i] = view_of(slab, s->writes[i]);
    for (int i = 0; i < s->read_count; i++) {
        args->fields[s->write_count + i] = view_of(slab, s->reads[i].field);
        slab->fills[sweep][i] = wabe_grid_must_fill(slab, sweep, i, args);
        args->fields[s->write_count + i].fills = slab->fills[sweep][i];
        for (int axis = 0; axis < 3; axis++)
            args->fields[s->write_count + i].finer[axis] =
                wabe_grid_halvings(m, axis, level) -
                wabe_grid_halvings(m, axis, m->fields[s->reads[i].field].level);
        args->layers = s->reads[i].layers > args->layers ? s->reads[i].layers : args->layers;
    }
    args->accesses = s->read_count + s->write_count;
    for (int i = 0; i < args->accesses; i++)
        args->grouped |= args->fields[i].group > 0;
    for (int i = 0; i < s->reduction_count; i++)
        args->reductions[i] =
            (wabe_grid_reduction){slab->slots[s->reductions[i]],
                                  slab->model.reductions[s->reductions[i]].operation};
    wabe_grid_shape(slab, sweep, args);
}

static wabe_status make_args(wabe_grid_slab *slab, wabe_box inner) {
    for (int i = 0; i < slab->model.sweep_count; i++) {
        for (int name = 0; name < WABE_REGION_COUNT; name++) {
            slab->args[i][name] = calloc(1, slab->model.sweeps[i].sweep->args_size);
            WABE_CHECK(slab->args[i][name], WABE_MEMORY, "no memory for a slab");
            fill_args(slab, i, slab->args[i][name]);
        }
        wabe_grid_cut(slab, i, inner);
        for (int name = 0; name < WABE_REGION_COUNT; name++)
            slab->args[i][name]->filled = wabe_grid_is_filled(slab, i, slab->args[i][name]);
    }
    int64_t cells[3];
    wabe_box_extents(slab->held, cells);
    return wabe_team_reserve(slab->component,
                             wabe_grid_scratch(slab->kernels[0], &slab->model, cells));
}

/* In a window, if there is one. */
static wabe_status make_grid(wabe_grid_slab *slab, int field, int grid) {
    const wabe_layout *l = &slab->layouts[field];
    wabe_field **out = &slab->grids[field][grid];
    if (!slab->driver.window)
        return wabe_field_create(slab->component, l, out);
    return wabe_field_over(slab->component, l,
                           wabe_window_array(slab->driver.window,
                                             wabe_grid_array(&slab->model, field, grid)),
                           out);
}

static wabe_status make_fields(wabe_grid_slab *slab) {
    const wabe_grid_model *m = &slab->model;
    for (int f = 0; f < m->field_count; f++) {
        for (int grid = 0; grid < m->fields[f].grids; grid++)
            WABE_TRY(make_grid(slab, f, grid));
        slab->exchanged[f] = slab->grids[f][0]->data;
        if (m->fields[f].role == WABE_FIELD_CONSTANT && !slab->driver.window)
            wabe_field_zero(slab->grids[f][0], slab->timeline.streams[WABE_REGION_OUTER]);
    }
    for (int i = 0; i < m->reduction_count; i++) {
        void *slots = NULL;
        WABE_TRY(wabe_memory_create(slab->component,
                                    WABE_REDUCTION_SLOTS * (int64_t)sizeof(wabe_reduction_slot),
                                    &slots));
        slab->slots[i] = slots;
    }
    return WABE_OK;
}

/* All arrays of a window are equally long. */
static wabe_status make_window(wabe_grid_slab *slab) {
    const wabe_ring_shape *ring = &slab->streamed.plan.ring;
    int64_t cells[3];
    wabe_box_extents(slab->held, cells);
    const char *obstacle = wabe_grid_obstacle(&slab->model);
    WABE_CHECK(!obstacle, WABE_INPUT, "a slab cannot be streamed: %s", obstacle);
    WABE_TRY(wabe_grid_plan_passes(wabe_device_ring_unit(slab->component->device), &slab->model,
                                   cells, &slab->streamed.plan));
    for (int f = 0; f < slab->model.field_count; f++)
        wabe_layout_widen(&slab->layouts[f], ring->pieces * ring->piece /
                                                 (int64_t)wabe_type_size(slab->layouts[f].type));
    return wabe_grid_create_window(slab);
}

static wabe_status make(const wabe_registry *registry, wabe_grid_slab *slab, wabe_box inner) {
    WABE_TRY(wabe_grid_check(&slab->model));
    WABE_TRY(pick_kernels(registry, slab));
    const bool sweeps = slab->model.entry_count > 1 && slab->model.residency.memory == 0;
    WABE_TRY(wabe_timeline_create(slab->component, sweeps ? WABE_SWEEPS_AHEAD : WABE_STEPS_AHEAD,
                                  &slab->timeline));
    WABE_TRY(wabe_scratch_create(slab->component, &slab->scratch));
    if (slab->model.residency.memory > 0)
        WABE_TRY(make_window(slab));
    WABE_TRY(make_fields(slab));
    WABE_TRY(make_args(slab, inner));
    return wabe_grid_reset(slab);
}

wabe_status wabe_grid_create(const wabe_registry *registry, const wabe_component *component,
                             const wabe_grid_model *model, wabe_box block, wabe_box inner,
                             wabe_grid_slab **out) {
    wabe_grid_slab *slab = calloc(1, sizeof *slab);
    WABE_CHECK(slab, WABE_MEMORY, "no memory for a slab");
    slab->component = component;
    slab->model = *model;
    slab->block = block;
    slab->held = wabe_grid_held(model, block);
    slab->steps = model->depth;
    int64_t cells[3];
    wabe_box_extents(slab->held, cells);
    for (int axis = 0; axis < 3; axis++)
        slab->wraps[axis] = wabe_grid_wraps(model, cells, axis);
    for (int f = 0; f < model->field_count; f++)
        slab->layouts[f] = wabe_grid_layout(model, f, cells, component->target);
    const wabe_status status = make(registry, slab, inner);
    if (status != WABE_OK)
        wabe_grid_destroy(&slab);
    *out = slab;
    return status;
}

static wabe_status create_sample(const wabe_registry *registry, const wabe_component *component,
                                 const wabe_kernel *kernel, wabe_grid_model *model, int depth,
                                 wabe_grid_slab **out) {
    const wabe_grid_sample *sample = kernel->sweep->sample;
    const wabe_box all = {.end = {model->cells[0], model->cells[1], model->cells[2]}};
    model->wraps[0] &= wabe_stencil_wraps(kernel, model->cells[0]);
    model->depth = depth > 0 ? depth : wabe_grid_depth(kernel, model, model->cells);
    WABE_TRY(wabe_grid_create(registry, component, model, all, all, out));
    return sample->fill(*out);
}

wabe_status wabe_grid_sample_create(const wabe_registry *registry, const wabe_component *component,
                                    const wabe_kernel *kernel, const int64_t cells[3], bool walls,
                                    int depth, wabe_grid_slab **out) {
    const wabe_grid_sample *sample = kernel->sweep->sample;
    wabe_grid_model model = sample->model(kernel, cells, walls);
    return create_sample(registry, component, kernel, &model, depth, out);
}

wabe_status wabe_grid_sample_create_step(const wabe_registry *registry,
                                         const wabe_component *component, const wabe_kernel *kernel,
                                         const int64_t cells[3], bool walls, int depth,
                                         wabe_grid_slab **out) {
    const wabe_grid_sample *sample = kernel->sweep->sample;
    wabe_grid_model model = sample->step ? sample->step(kernel->storage, cells, walls)
                                         : sample->model(kernel, cells, walls);
    return create_sample(registry, component, kernel, &model, depth, out);
}

void wabe_grid_destroy(wabe_grid_slab **out) {
    wabe_grid_slab *slab = *out;
    if (!slab)
        return;
    wabe_timeline_synchronise(&slab->timeline);
    for (int f = 0; f < slab->model.field_count; f++)
        for (int grid = 0; grid < 2; grid++)
            wabe_field_destroy(&slab->grids[f][grid]);
    for (int i = 0; i < slab->model.reduction_count; i++) {
        void *slots = slab->slots[i];
        wabe_memory_destroy(slab->component, &slots);
    }
    wabe_grid_destroy_passes(slab);
    wabe_scratch_destroy(&slab->scratch);
    wabe_timeline_destroy(&slab->timeline);
    for (int i = 0; i < slab->model.sweep_count; i++)
        for (int name = 0; name < WABE_REGION_COUNT; name++)
            free(slab->args[i][name]);
    free(slab);
    *out = NULL;
}

int64_t wabe_grid_bytes(const wabe_grid_model *m, const int64_t cells[3], wabe_target target) {
    int64_t bytes = 0;
    for (int f = 0; f < m->field_count; f++) {
        const wabe_layout layout = wabe_grid_layout(m, f, cells, target);
        bytes += m->fields[f].grids * wabe_layout_bytes(&layout);
    }
    return bytes;
}

/* ---- a step ------------------------------------------------------------------------- */

_Static_assert((int)WABE_GRID_NESTED_MAX == WABE_SCHEDULE_LOOPS_MAX,
               "arguments have all loops' indices");

/* The grid that a sweep writes. */
static int target_of(const wabe_grid_slab *slab, int field, const int current[]) {
    return slab->model.fields[field].grids == 2 ? 1 - current[field] : 0;
}

void wabe_grid_point_fields(wabe_grid_slab *slab, int sweep, const int current[],
                            wabe_grid_args *args) {
    const wabe_grid_sweep_row *s = &slab->model.sweeps[sweep];
    for (int i = 0; i < s->read_count; i++) {
        const int f = s->reads[i].field;
        const int grid = s->reads[i].previous ? 1 - current[f] : current[f];
        args->fields[s->write_count + i].data = slab->grids[f][grid]->data;
    }
    for (int i = 0; i < s->write_count; i++) {
        const int f = s->writes[i];
        slab->exchanged[f] = slab->grids[f][target_of(slab, f, current)]->data;
        args->fields[i].data = slab->exchanged[f];
    }
}

void wabe_grid_set_values(const wabe_grid_entry *entry, wabe_grid_args *args) {
    const double *values = entry->changes ? entry->changes : entry->values;
    for (int i = 0; i < WABE_GRID_VALUES; i++)
        args->values[i] = wabe_coefficient_of(values[i]);
}

/* entry: its number. */
static bool prepare(void *context, int entry, const wabe_position *position, wabe_region_name name,
                    wabe_call *out) {
    wabe_grid_slab *slab = context;
    const wabe_grid_entry *e = &slab->model.entries[entry];
    const int sweep = e->number;
    wabe_grid_args *args = slab->args[sweep][name];
    const wabe_kernel *kernel = slab->kernels[sweep];
    wabe_grid_point_fields(slab, sweep, slab->current, args);
    wabe_grid_choose_fills(slab, sweep, args);
    args->pass = slab->passes[sweep];
    args->steps = slab->steps;
    args->step = slab->step;
    wabe_grid_set_values(e, args);
    memcpy(args->index, position->index, sizeof args->index);
    *out = wabe_timeline_call(&slab->timeline, name, kernel, args, wabe_grid_items(kernel, args));
    return true;
}

/* The call that fills the ghosts of a sweep whose call is prepared. */
static bool ghosts_call(const wabe_grid_slab *slab, int sweep, wabe_region_name name,
                        wabe_call *out) {
    const wabe_grid_args *args = slab->args[sweep][name];
    int64_t rows = 1, fields = 0;
    for (int axis = 1; axis < 3 && args->filled; axis++)
        rows *= args->boxes[0].end[axis] - args->boxes[0].begin[axis] + 2 * args->layers;
    for (int i = 0; i < args->accesses; i++)
        fields += args->fields[i].fills != 0;
    *out = (wabe_call){.component = slab->component,
                       .kernel = slab->fill[slab->model.sweeps[sweep].type],
                       .args = args,
                       .count = args->filled ? fields * rows : 0};
    return out->count > 0;
}

static bool lead(void *context, int entry, wabe_region_name name, wabe_call *out) {
    const wabe_grid_slab *slab = context;
    return ghosts_call(slab, slab->model.entries[entry].number, name, out);
}

static void advance(void *context, int entry) {
    wabe_grid_slab *slab = context;
    const int sweep = slab->model.entries[entry].number;
    const wabe_grid_sweep_row *s = &slab->model.sweeps[sweep];
    for (int i = 0; i < s->write_count; i++)
        slab->current[s->writes[i]] = target_of(slab, s->writes[i], slab->current);
    wabe_grid_keep_fills(slab, sweep);
    slab->passes[sweep]++;
    slab->timeline.step++;
    slab->has_looked = false;
}

/* All exchanges of the step before have ended. */
void wabe_grid_look(wabe_grid_slab *slab, int field) {
    if (slab->has_looked || !wabe_grid_is_shown(&slab->model, field))
        return;
    for (int i = 0; i < slab->model.look_count; i++) {
        const int sweep = slab->model.looks[i];
        const wabe_kernel *kernel = slab->kernels[sweep];
        for (int name = 0; name < WABE_REGION_COUNT; name++) {
            wabe_grid_args *args = slab->args[sweep][name];
            wabe_grid_point_fields(slab, sweep, slab->current, args);
            args->step = slab->step;
            const int64_t items = wabe_grid_items(kernel, args);
            wabe_call call;
            wabe_timeline_synchronise(&slab->timeline);
            if (ghosts_call(slab, sweep, name, &call))
                wabe_calls_run(1, &call, NULL);
            if (items > 0)
                wabe_timeline_run(&slab->timeline, kernel, args, items);
        }
    }
    slab->has_looked = true;
}

static bool count_up(void *loop, int number, const wabe_position *position) {
    (void)number;
    return position->index[position->depth - 1] < ((const wabe_grid_loop_row *)loop)->count;
}

static wabe_schedule_entry entry_of(const wabe_grid_slab *slab, int number,
                                    const wabe_grid_plan *plan, const wabe_grid_control *control) {
    const wabe_grid_model *m = &slab->model;
    const wabe_grid_entry *e = &m->entries[number];
    wabe_schedule_entry entry = {.kind = e->kind,
                                 .number = e->kind == WABE_STEP_SWEEP ? number : e->number,
                                 .prepare = prepare,
                                 .lead = lead,
                                 .post = advance,
                                 .phase = WABE_PHASE_inner,
                                 .exchange = plan->begins[number],
                                 .awaits = plan->awaits[number]};
    if (e->kind == WABE_STEP_REDUCE)
        entry.context = control->context, entry.reduce = control->reduce;
    if (e->kind == WABE_STEP_LOOP && m->loops[e->number].again)
        entry.context = control->context, entry.again = control->again;
    else if (e->kind == WABE_STEP_LOOP)
        entry.context = (void *)&m->loops[e->number], entry.again = count_up;
    return entry;
}

static void pass(void *slab, int number) {
    (void)number;
    wabe_grid_pass(slab);
}

void wabe_grid_schedule(int slab_count, wabe_grid_slab *const *slabs,
                        const wabe_grid_control *control, wabe_schedule *schedule) {
    const wabe_grid_plan plan = wabe_grid_plan_of(&slabs[0]->model);
    schedule->slab_count = slab_count;
    for (int i = 0; i < slab_count; i++) {
        schedule->slabs[i] = slabs[i];
        schedule->components[i] = slabs[i]->component;
    }
    if (slabs[0]->driver.window) {
        wabe_schedule_add(schedule, &(wabe_schedule_entry){.kind = WABE_STEP_PASS,
                                                           .phase = WABE_PHASE_inner,
                                                           .pass = pass});
        return;
    }
    for (int i = 0; i < slabs[0]->model.entry_count; i++) {
        const wabe_schedule_entry entry = entry_of(slabs[0], i, &plan, control);
        wabe_schedule_add(schedule, &entry);
    }
}

/* ---- reductions --------------------------------------------------------------------- */

/* The sweep that contributes to a reduction. */
static int sweep_of(const wabe_grid_model *m, int reduction) {
    for (int i = 0; i < m->sweep_count; i++)
        for (int k = 0; k < m->sweeps[i].reduction_count; k++)
            if (m->sweeps[i].reductions[k] == reduction)
                return i;
    return 0;
}

wabe_status wabe_grid_reduce(const wabe_grid_slab *slab, int reduction, double bins[WABE_BINS]) {
    const wabe_reduction operation = slab->model.reductions[reduction].operation;
    const int64_t passes = slab->passes[sweep_of(&slab->model, reduction)];
    wabe_reduction_slot slot;
    wabe_timeline_synchronise(&slab->timeline);
    WABE_TRY(wabe_memory_read(
        slab->component, slab->timeline.streams[WABE_REGION_OUTER], slot,
        slab->slots[reduction][(passes + WABE_REDUCTION_SLOTS - 1) % WABE_REDUCTION_SLOTS],
        sizeof slot));
    for (int place = 0; place < WABE_REDUCTION_PLACES; place++)
        if (operation == WABE_REDUCE_MIN)
            bins[0] = fmin(bins[0], slot[place][0]);
        else if (operation == WABE_REDUCE_MAX)
            bins[0] = fmax(bins[0], slot[place][0]);
        else
            for (int i = 0; i < WABE_BINS; i++)
                bins[i] += slot[place][i];
    return WABE_OK;
}

WABE_SWEEP(fill, "ghosts that a sweep on a CPU reads behind walls", "fields", "fields",
           .phase = WABE_PHASE_inner);

/* ---- statistics --------------------------------------------------------------------- */

WABE_SWEEP(scan, "statistics of a number", "a field", "results", .phase = WABE_PHASE_monitor);

enum { SCAN_RESULTS = 1024 }; /* thread blocks on a GPU: enough to occupy it */

int64_t wabe_grid_bytes_beside(const wabe_grid_model *m) {
    return (m->reduction_count + 1) * WABE_REDUCTION_SLOTS * (int64_t)sizeof(wabe_reduction_slot) +
           SCAN_RESULTS * (int64_t)sizeof(wabe_scan_result);
}

/* Of planes begin to end - 1 of those that the slab holds. */
static wabe_scan_args scan_args(const wabe_grid_slab *slab, int field, int component, double scale,
                                int64_t begin, int64_t end) {
    const wabe_layout *l = &slab->layouts[field];
    wabe_scan_args a = {.field = view_of(slab, field), .component = component, .scale = scale};
    a.field.data = (char *)slab->grids[field][slab->current[field]]->data +
                   begin * l->plane * (int64_t)wabe_type_size(l->type);
    for (int d = 0; d < 3; d++) {
        a.cells[d] = wabe_box_extent(slab->held, d);
        a.first[d] = slab->held.begin[d];
        a.domain[d] = slab->model.cells[d];
    }
    a.cells[2] = end - begin;
    a.first[2] += begin;
    a.count = a.cells[1] * a.cells[2] < SCAN_RESULTS ? a.cells[1] * a.cells[2] : SCAN_RESULTS;
    return a;
}

static wabe_status scan_planes(const wabe_grid_slab *slab, int field, wabe_scan_args a,
                               wabe_scan_result *s) {
    wabe_scan_result results[SCAN_RESULTS];
    const int64_t bytes = a.count * (int64_t)sizeof *results;
    void *there;
    WABE_TRY(wabe_scratch_get(slab->scratch, bytes, &there));
    a.results = there;
    wabe_timeline_synchronise(&slab->timeline);
    wabe_timeline_run(&slab->timeline, slab->scan[slab->model.fields[field].type], &a, a.count);
    WABE_TRY(wabe_memory_read(slab->component, slab->timeline.streams[WABE_REGION_OUTER], results,
                              there, bytes));
    for (int64_t i = 0; i < a.count; i++)
        wabe_scan_merge(s, &results[i]);
    return WABE_OK;
}

wabe_status wabe_grid_scan(wabe_grid_slab *slab, int field, int component, double scale,
                           wabe_scan_result *s) {
    wabe_scan_result all = *s;
    wabe_grid_look(slab, field);
    wabe_walk walk = wabe_grid_walk_through(slab);
    while (wabe_grid_next_planes(slab, &walk))
        WABE_TRY(scan_planes(slab, field,
                             scan_args(slab, field, component, scale, walk.begin, walk.end), &all));
    *s = all;
    return WABE_OK;
}
