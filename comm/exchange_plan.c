/* The plan of the exchange: which numbers move from which slab to which. */
#include "comm/exchange_internal.h"

enum { ALIGNED = 16 }; /* in bytes: messages and their parts begin at multiples */

#include <stdlib.h>

/* The cells that may receive numbers for a slab: its own, and on request those behind the domain's
 * faces. */
static wabe_box behind_faces(const wabe_exchange *x, wabe_box box) {
    const wabe_partition *p = x->partition;
    for (int axis = 0; axis < 3 && x->options.behind_faces; axis++) {
        if (p->periodic[axis])
            continue;
        box.begin[axis] -= box.begin[axis] == 0;
        box.end[axis] += box.end[axis] == p->cells[axis];
    }
    return box;
}

/* A box that receives from another one, with the cells beside it along the axes along which both
 * have cells in common: what arrives there has passed the boundary between them obliquely. */
static wabe_box beside(const wabe_exchange *x, wabe_box from, wabe_box box) {
    for (int axis = 0; axis < 3 && x->options.beside; axis++)
        if (from.begin[axis] < box.end[axis] && box.begin[axis] < from.end[axis]) {
            box.begin[axis]--;
            box.end[axis]++;
        }
    return box;
}

static void add_layers(wabe_halo_link *halo_link, const wabe_layout *layout, int axis, int layers) {
    const int64_t steps[3] = {1, layout->pitch, layout->plane};
    for (int parity = 0; parity < 2; parity++)
        halo_link->in[parity] += layers * steps[axis];
    halo_link->e[axis] = -layers;
    halo_link->reach[axis] = 2 * layers;
}

wabe_halo_link wabe_halo_link_layers(const wabe_layout *layout, int axis, int layers) {
    wabe_halo_link halo_link = {.e = {0}};
    add_layers(&halo_link, layout, axis, layers);
    return halo_link;
}

wabe_halo_link wabe_halo_link_around(const wabe_layout *layout, const int layers[3]) {
    wabe_halo_link halo_link = {.e = {0}};
    for (int axis = 0; axis < 3; axis++)
        add_layers(&halo_link, layout, axis, layers[axis]);
    return halo_link;
}

/* The segment that begins at the first number of a box: offset elements from the cell, or, if
 * components are interleaved, ghosts cells from it. */
static wabe_segment segment_at(const wabe_layout *l, const int64_t cell[3], ptrdiff_t offset,
                               const int ghosts[3]) {
    if (l->group == 0)
        return (wabe_segment){.offset = wabe_layout_cell(l, cell[0], cell[1], cell[2]) + offset};
    const int64_t x = cell[0] + ghosts[0], lane = (x % l->group + l->group) % l->group;
    return (wabe_segment){.offset = wabe_layout_place(l, 0, x - lane, cell[1] + ghosts[1],
                                                      cell[2] + ghosts[2]),
                          .lane = lane};
}

static wabe_status add_segment(wabe_exchange_side *side, wabe_box box, const wabe_layout *layout,
                               const wabe_box *slab, const wabe_halo_link *c, int copy,
                               bool sending) {
    static const int none[3] = {0};
    const int ghosts[3] = {-c->e[0], -c->e[1], -c->e[2]};
    const int64_t cell[3] = {box.begin[0] - slab->begin[0], box.begin[1] - slab->begin[1],
                             box.begin[2] - slab->begin[2]};
    if (side->segment_count == side->segment_room) {
        side->segment_room = side->segment_room ? 2 * side->segment_room : 64;
        for (int parity = 0; parity < 2; parity++) {
            void *grown = realloc(side->segments[parity],
                                  (size_t)side->segment_room * sizeof(wabe_segment));
            WABE_CHECK(grown, WABE_MEMORY, "no memory for the plan of the exchange");
            side->segments[parity] = grown;
        }
    }
    for (int parity = 0; parity < 2; parity++) {
        wabe_segment s = sending ? segment_at(layout, cell, c->out[parity], none)
                                 : segment_at(layout, cell, c->in[parity], ghosts);
        s.offset += copy * layout->stride;
        s.first = side->numbers;
        for (int axis = 0; axis < 3; axis++)
            s.count[axis] = wabe_box_extent(box, axis);
        side->segments[parity][side->segment_count] = s;
    }
    side->segment_count++;
    side->numbers += wabe_box_cells(box);
    return WABE_OK;
}

/* Adds the elements of the numbers of a box that becomes the next segment. */
static wabe_status add_places(wabe_exchange_side *side, wabe_box box,
                              const wabe_exchange_field *data, int halo_link, bool sending) {
    for (int parity = 0; parity < 2; parity++) {
        int64_t i = side->numbers;
        uint32_t *grown = realloc(side->indices[parity],
                                  (size_t)(i + wabe_box_cells(box)) * sizeof *grown);
        WABE_CHECK(grown, WABE_MEMORY, "no memory for the plan of the exchange");
        side->indices[parity] = grown;
        for (int64_t z = box.begin[2]; z < box.end[2]; z++)
            for (int64_t y = box.begin[1]; y < box.end[1]; y++)
                for (int64_t x = box.begin[0]; x < box.end[0]; x++)
                    grown[i++] = data->place(data->place_context, (const int64_t[3]){x, y, z},
                                             halo_link, parity, sending);
    }
    return WABE_OK;
}

/* Adds bits for the numbers of a box to be received: whether the cell that a number comes from is
 * fluid. */
static wabe_status add_mask(wabe_exchange_side *side, wabe_box box, const int e[3],
                            const wabe_flags *flags) {
    const int64_t first = side->numbers, end = first + wabe_box_cells(box);
    int64_t i = first;
    uint32_t *grown = realloc(side->mask, (size_t)(end / 32 + 1) * sizeof *grown);
    WABE_CHECK(grown, WABE_MEMORY, "no memory for the plan of the exchange");
    side->mask = grown;
    for (int64_t word = (first + 31) / 32; word <= end / 32; word++)
        grown[word] = 0;
    for (int64_t z = box.begin[2]; z < box.end[2]; z++)
        for (int64_t y = box.begin[1]; y < box.end[1]; y++)
            for (int64_t x = box.begin[0]; x < box.end[0]; x++, i++) {
                const bool wanted = wabe_flags_at(flags, x - e[0], y - e[1], z - e[2]) == 0;
                grown[i / 32] |= (uint32_t)wanted << i % 32;
                side->masked |= !wanted;
            }
    return WABE_OK;
}

/* Adds the segments of a halo link, copy by copy. */
static wabe_status add_halo_link(wabe_exchange_side *side, const wabe_exchange_field *data, int i,
                                 wabe_box box, const wabe_box *slab, bool sending) {
    const wabe_halo_link *c = &data->halo_links[i];
    for (int copy = 0; copy < data->copies; copy++) {
        if (!sending && data->flags)
            WABE_TRY(add_mask(side, box, c->e, data->flags));
        if (data->place)
            WABE_TRY(add_places(side, box, data, i, sending));
        WABE_TRY(add_segment(side, box, &data->layout, slab, c, copy, sending));
    }
    return WABE_OK;
}

/* Adds a box as a run of the grid, if it has whole planes of a slab that spans the domain along x
 * and y. Ghosts of these planes move, too: they are mirror images, which are made anew. With ghosts
 * along x alone the last row's padding holds a ghost of the next plane, which may be in use. The
 * only plane of a slab leaves twice, for which the trial's patterns have no room. */
static void add_run(const wabe_exchange *x, const wabe_exchange_field *data, wabe_box box,
                    const wabe_box *slab, const wabe_halo_link *c, bool sending,
                    wabe_exchange_runs *runs) {
    const wabe_layout *l = &data->layout;
    const int ghosts[3] = {sending ? 0 : -c->e[0], sending ? 0 : -c->e[1], sending ? 0 : -c->e[2]};
    const int64_t cell[3] = {box.begin[0] - slab->begin[0], box.begin[1] - slab->begin[1],
                             box.begin[2] - slab->begin[2]};
    bool whole = data->grids[0] && x->field_count == 1 && l->group > 0;
    for (int axis = 0; axis < 2; axis++)
        whole &= wabe_box_extent(box, axis) == x->partition->cells[axis];
    whole &= runs->count < WABE_EXCHANGE_RUNS_MAX && (c->e[0] == 0 || c->e[1] != 0);
    whole &= !sending || wabe_box_extent(*slab, 2) > 1;
    runs->others |= !whole;
    if (!whole)
        return;
    const int64_t groups = (wabe_box_extent(box, 0) + l->group - 1) / l->group;
    runs->runs[runs->count++] =
        (wabe_exchange_run){.place = segment_at(l, cell, 0, ghosts).offset,
                            .count = (wabe_box_extent(box, 2) - 1) * l->plane +
                                     (wabe_box_extent(box, 1) - 1) * l->pitch +
                                     groups * l->group * l->components,
                            .pitch = l->pitch,
                            .plane = l->plane};
}

/* Plans the segments of the message from slab a to slab b, which is shifted by shift, on the
 * sender's or on the receiver's side; both sides go through them in this order. */
static wabe_status plan_pair(const wabe_exchange *x, wabe_exchange_slab_field *field, wabe_box a,
                             wabe_box b, const int64_t shift[3], bool sending,
                             wabe_exchange_runs *runs) {
    const wabe_exchange_field *data = &field->data;
    const wabe_partition *p = x->partition;
    a = wabe_location_box(data->at, a, p->cells, p->periodic);
    b = wabe_location_box(data->at, b, p->cells, p->periodic);
    const wabe_box target = beside(x, a, wabe_box_shift(behind_faces(x, b), shift));
    const int64_t back[3] = {-shift[0], -shift[1], -shift[2]};
    for (int i = 0; i < data->halo_link_count; i++) {
        const wabe_halo_link *c = &data->halo_links[i];
        int64_t e[3]; /* nothing leaves along a flat axis */
        for (int axis = 0; axis < 3; axis++)
            e[axis] = x->options.flat[axis] ? 0 : c->e[axis];
        wabe_box wanted = target;
        for (int axis = 0; axis < 3; axis++)
            wanted.begin[axis] -= c->reach[axis];
        const wabe_box arriving = wabe_box_intersect(wabe_box_shift(a, e), wanted);
        if (wabe_box_is_empty(arriving))
            continue;
        const wabe_box received = wabe_box_shift(arriving, back);
        const wabe_box leaving = wabe_box_shift(arriving, (int64_t[3]){-e[0], -e[1], -e[2]});
        if (sending)
            WABE_TRY(add_halo_link(&field->send, data, i, leaving, &a, true));
        else
            WABE_TRY(add_halo_link(&field->receive, data, i, received, &b, false));
        add_run(x, data, sending ? leaving : received, sending ? &a : &b, c, sending, runs);
    }
    return WABE_OK;
}

/* Plans one side of a message: the pair of slabs with all periodic images. */
static wabe_status plan_images(const wabe_exchange *x, const wabe_exchange_slab *slab,
                               wabe_exchange_slab_field *field, int from, int to, bool sending,
                               wabe_exchange_runs *runs) {
    const wabe_partition *p = x->partition;
    int most[3];
    for (int axis = 0; axis < 3; axis++)
        most[axis] = p->periodic[axis] && !x->options.flat[axis] ? 1 : 0;
    for (int sz = -most[2]; sz <= most[2]; sz++)
        for (int sy = -most[1]; sy <= most[1]; sy++)
            for (int sx = -most[0]; sx <= most[0]; sx++) {
                const int64_t shift[3] = {sx * p->cells[0], sy * p->cells[1], sz * p->cells[2]};
                if (from != to || (!slab->wraps && (sx || sy || sz)))
                    WABE_TRY(plan_pair(x, field, p->slabs[from].box, p->slabs[to].box, shift,
                                       sending, runs));
            }
    return WABE_OK;
}

static wabe_exchange_slab *local_slab(const wabe_exchange *x, int number) {
    const int index = number - x->partition->first;
    return index >= 0 && index < x->slab_count ? &x->slabs[index] : NULL;
}

static int64_t align(int64_t bytes) { return (bytes + ALIGNED - 1) / ALIGNED * ALIGNED; }

/* Plans field f of a message, after the fields before it. */
static wabe_status plan_part(const wabe_exchange *x, int f, wabe_exchange_message *m) {
    wabe_exchange_part *part = &m->parts[f];
    if (m->source) {
        wabe_exchange_slab_field *field = &m->source->fields[f];
        part->first_out = field->send.numbers;
        part->segment_out = field->send.segment_count;
        WABE_TRY(plan_images(x, m->source, field, m->from, m->to, true, &m->out));
        part->count = field->send.numbers - part->first_out;
        part->segment_count = field->send.segment_count - part->segment_out;
    }
    if (m->target) {
        wabe_exchange_slab_field *field = &m->target->fields[f];
        part->first_in = field->receive.numbers;
        part->segment_in = field->receive.segment_count;
        WABE_TRY(plan_images(x, m->target, field, m->from, m->to, false, &m->in));
        part->count = field->receive.numbers - part->first_in;
        part->segment_count = field->receive.segment_count - part->segment_in;
    }
    if (part->count > 0) {
        part->offset = align(m->bytes);
        m->bytes = part->offset + part->count * (int64_t)x->sizes[f];
    }
    return WABE_OK;
}

static wabe_status plan_message(wabe_exchange *x, int from, int to) {
    wabe_exchange_message m = {.from = from,
                               .to = to,
                               .source = local_slab(x, from),
                               .target = local_slab(x, to),
                               .send = {MPI_REQUEST_NULL, MPI_REQUEST_NULL},
                               .receive = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
    for (int f = 0; f < x->field_count; f++)
        WABE_TRY(plan_part(x, f, &m));
    if (m.bytes == 0)
        return WABE_OK;
    WABE_CHECK(m.bytes < INT32_MAX, WABE_INPUT,
               "a message of %lld bytes is too large; use more processes", (long long)m.bytes);
    if (m.source) {
        m.place_out = m.source->send.bytes;
        m.source->send.bytes = align(m.place_out + m.bytes);
    }
    if (m.target) {
        m.place_in = m.target->receive.bytes;
        m.target->receive.bytes = align(m.place_in + m.bytes);
    }
    void *grown = realloc(x->messages, (size_t)(x->message_count + 1) * sizeof *x->messages);
    WABE_CHECK(grown, WABE_MEMORY, "no memory for the plan of the exchange");
    x->messages = grown;
    x->messages[x->message_count++] = m;
    return WABE_OK;
}

wabe_status wabe_exchange_plan(wabe_exchange *x) {
    for (int from = 0; from < x->partition->count; from++)
        for (int to = 0; to < x->partition->count; to++)
            if (local_slab(x, from) || local_slab(x, to))
                WABE_TRY(plan_message(x, from, to));
    return WABE_OK;
}

/* ---- what is copied ----------------------------------------------------------------- */

/* Keeps a part of a side, whose segments and numbers move to those kept so far. */
static void keep_part(wabe_exchange_side *side, int64_t *segment, int64_t *first,
                      const wabe_exchange_part *part, int64_t *kept) {
    for (int parity = 0; parity < 2; parity++)
        for (int64_t k = 0; k < part->segment_count; k++) {
            wabe_segment *s = &side->segments[parity][*kept + k];
            *s = side->segments[parity][*segment + k];
            s->first += side->numbers - *first;
        }
    *segment = *kept;
    *first = side->numbers;
    *kept += part->segment_count;
    side->numbers += part->count;
}

/* The only field of a slab; such numbers have neither a mask nor indices. */
static void drop_copied(wabe_exchange *x, wabe_exchange_slab *slab, bool sending) {
    wabe_exchange_side *side = sending ? &slab->fields[0].send : &slab->fields[0].receive;
    int64_t kept = 0;
    side->numbers = 0;
    for (int i = 0; i < x->message_count; i++) {
        wabe_exchange_message *m = &x->messages[i];
        wabe_exchange_part *part = &m->parts[0];
        if (m->copied || (sending ? m->source : m->target) != slab)
            continue;
        keep_part(side, sending ? &part->segment_out : &part->segment_in,
                  sending ? &part->first_out : &part->first_in, part, &kept);
    }
    side->segment_count = kept;
}

void wabe_exchange_plan_copied(wabe_exchange *x) {
    bool any = false;
    for (int i = 0; i < x->message_count; i++)
        any |= x->messages[i].copied;
    for (int i = 0; i < x->slab_count && any; i++) {
        drop_copied(x, &x->slabs[i], true);
        drop_copied(x, &x->slabs[i], false);
    }
}
