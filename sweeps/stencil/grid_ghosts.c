/* Which ghosts are filled before a sweep: what its cells see behind walls, and at the slab's other
 * end along an axis that it spans. */
#include "sweeps/cell/stencil_attributes.h"
#include "sweeps/stencil/internal.h"

#include <string.h>

bool wabe_grid_fills(const wabe_grid_slab *slab, int sweep) {
    const wabe_stencil_attributes *a = wabe_stencil_attributes_of(slab->kernels[sweep]);
    const wabe_grid_sweep_row *s = &slab->model.sweeps[sweep];
    bool grouped = false;
    for (int i = 0; i < s->read_count; i++)
        grouped |= slab->model.fields[s->reads[i].field].group > 0;
    for (int i = 0; i < s->write_count; i++)
        grouped |= slab->model.fields[s->writes[i]].group > 0;
    return a->numbers > 0 && !a->column && !grouped;
}

/* Of several boxes, ghosts would be filled twice, by threads that do not know of each other. */
bool wabe_grid_is_filled(const wabe_grid_slab *slab, int sweep, const wabe_grid_args *args) {
    const int first = slab->model.sweeps[sweep].writes[0];
    return !slab->component->device && wabe_grid_fills(slab, sweep) && args->box_count == 1 &&
           slab->model.fields[first].at == WABE_AT_CELLS;
}

/* ---- of slabs in passes --------------------------------------------------------------- */

/* Does a sweep fill the ghosts of a field that another one reads after it, on the same cells, and
 * round them as that one would? */
static bool fills_for(const wabe_grid_slab *slab, int sweep, const wabe_grid_sweep_row *other,
                      const wabe_grid_read *read) {
    const wabe_grid_model *m = &slab->model;
    const wabe_grid_sweep_row *s = &m->sweeps[sweep];
    bool has = false;
    for (int i = 0; i < s->read_count; i++)
        has |= s->reads[i].field == read->field && s->reads[i].layers >= read->layers &&
               !s->reads[i].previous;
    return has && wabe_grid_fills(slab, sweep) && s->type == other->type &&
           m->fields[s->writes[0]].at == m->fields[other->writes[0]].at;
}

static bool writes(const wabe_grid_sweep_row *s, int field) {
    bool found = false;
    for (int i = 0; i < s->write_count; i++)
        found |= s->writes[i] == field;
    return found;
}

/* Have sweeps before it in the step filled what a sweep of a streamed slab reads, since the field
 * was written? */
static bool is_filled_in_step(const wabe_grid_slab *slab, int sweep, const wabe_grid_read *r) {
    const wabe_grid_model *m = &slab->model;
    int entry = -1, count = 0; /* of the sweep in the step */
    for (int i = 0; i < m->entry_count; i++)
        if (m->entries[i].kind == WABE_STEP_SWEEP && m->entries[i].number == sweep)
            entry = i, count++;
    for (int i = entry - 1; i >= 0 && count == 1 && !r->previous; i--) {
        const wabe_grid_sweep_row *before = &m->sweeps[m->entries[i].number];
        if (m->entries[i].kind != WABE_STEP_SWEEP || writes(before, r->field))
            break;
        if (fills_for(slab, m->entries[i].number, &m->sweeps[sweep], r))
            return true;
    }
    return false;
}

/* Behind walls that make 0 ghosts need not be written: memory begins with zeros. */
static bool stays_zero(const wabe_grid_field_row *f, const wabe_grid_args *args) {
    bool zero = true;
    for (int face = 0; face < 6; face++)
        zero &= args->sides[face] == WABE_SIDE_NEIGHBOUR ||
                (args->sides[face] == WABE_SIDE_WALL && f->walls[face].factor == 0.0 &&
                 f->walls[face].offset == 0.0);
    return zero;
}

bool wabe_grid_must_fill(const wabe_grid_slab *slab, int sweep, int read,
                         const wabe_grid_args *args) {
    const wabe_grid_read *r = &slab->model.sweeps[sweep].reads[read];
    const wabe_grid_field_row *f = &slab->model.fields[r->field];
    const bool streamed = slab->model.residency.memory > 0;
    return !f->fixed_layer && f->role != WABE_FIELD_CONSTANT && r->layers > 0 &&
           !(streamed ? slab->component->device && is_filled_in_step(slab, sweep, r)
                      : stays_zero(f, args));
}

/* ---- of others ------------------------------------------------------------------------ */

/* Ghosts behind the same walls, rounded alike. */
static wabe_grid_ghosts ghosts_of(const wabe_grid_slab *slab, int sweep, int read) {
    const wabe_grid_sweep_row *s = &slab->model.sweeps[sweep];
    return (wabe_grid_ghosts){.layers = s->reads[read].layers,
                              .type = s->type,
                              .at = slab->model.fields[s->writes[0]].at};
}

static bool is_to_fill(const wabe_grid_slab *slab, int sweep, int read) {
    const wabe_grid_read *r = &slab->model.sweeps[sweep].reads[read];
    const wabe_grid_ghosts need = ghosts_of(slab, sweep, read), have = slab->ghosts[r->field];
    const bool has = !r->previous && have.layers >= need.layers && have.type == need.type &&
                     have.at == need.at;
    return slab->fills[sweep][read] && !has;
}

void wabe_grid_choose_fills(const wabe_grid_slab *slab, int sweep, wabe_grid_args *args) {
    const wabe_grid_sweep_row *s = &slab->model.sweeps[sweep];
    for (int i = 0; i < s->read_count; i++)
        args->fields[s->write_count + i].fills = is_to_fill(slab, sweep, i);
}

/* On CPUs, cells of several boxes have looked for walls themselves. */
void wabe_grid_keep_fills(wabe_grid_slab *slab, int sweep) {
    const wabe_grid_sweep_row *s = &slab->model.sweeps[sweep];
    const wabe_grid_args *inner = slab->args[sweep][WABE_REGION_INNER];
    const wabe_grid_args *outer = slab->args[sweep][WABE_REGION_OUTER];
    const bool all = slab->component->device ? wabe_grid_fills(slab, sweep)
                                             : inner->filled && outer->box_count == 0;
    for (int i = 0; i < s->read_count && all; i++)
        if (!s->reads[i].previous && is_to_fill(slab, sweep, i))
            slab->ghosts[s->reads[i].field] = ghosts_of(slab, sweep, i);
    for (int i = 0; i < s->write_count; i++)
        slab->ghosts[s->writes[i]].layers = 0;
}

void wabe_grid_forget_fills(wabe_grid_slab *slab) { memset(slab->ghosts, 0, sizeof slab->ghosts); }
