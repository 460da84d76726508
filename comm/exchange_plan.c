/* The plan of the exchange: which numbers cross from which slab to which. */
#include "comm/exchange_internal.h"

#include <stdlib.h>
#include <string.h>

/* The cells in which numbers for a slab may end up: itself, and what lies behind the domain's faces
 * if that is asked for. */
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

static void add_layers(wabe_crossing *crossing, const wabe_layout *layout, int axis, int layers) {
    const int64_t steps[3] = {1, layout->pitch, layout->plane};
    for (int parity = 0; parity < 2; parity++)
        crossing->in[parity] += layers * steps[axis];
    crossing->e[axis] = -layers;
    crossing->reach[axis] = 2 * layers;
}

wabe_crossing wabe_crossing_layers(const wabe_layout *layout, int axis, int layers) {
    wabe_crossing crossing = {.e = {0}};
    add_layers(&crossing, layout, axis, layers);
    return crossing;
}

wabe_crossing wabe_crossing_around(const wabe_layout *layout, const int layers[3]) {
    wabe_crossing crossing = {.e = {0}};
    for (int axis = 0; axis < 3; axis++)
        add_layers(&crossing, layout, axis, layers[axis]);
    return crossing;
}

static wabe_status add_segment(wabe_exchange_side *side, wabe_box box, const wabe_layout *layout,
                               const wabe_box *slab, const ptrdiff_t offset[2]) {
    if (side->segment_count == side->segment_room) {
        side->segment_room = side->segment_room ? 2 * side->segment_room : 64;
        for (int parity = 0; parity < 2; parity++) {
            void *grown = realloc(side->segments[parity],
                                  (size_t)side->segment_room * sizeof(wabe_segment));
            WABE_CHECK(grown, WABE_MEMORY, "no memory for the plan of the exchange");
            side->segments[parity] = grown;
        }
    }
    wabe_segment segment = {.first = side->numbers};
    for (int axis = 0; axis < 3; axis++)
        segment.count[axis] = wabe_box_extent(box, axis);
    const int64_t cell = wabe_layout_cell(layout, box.begin[0] - slab->begin[0],
                                          box.begin[1] - slab->begin[1],
                                          box.begin[2] - slab->begin[2]);
    for (int parity = 0; parity < 2; parity++) {
        segment.offset = cell + offset[parity];
        side->segments[parity][side->segment_count] = segment;
    }
    side->segment_count++;
    side->numbers += wabe_box_cells(box);
    return WABE_OK;
}

/* Where the numbers of a box stand that is about to become a segment. */
static wabe_status add_places(wabe_exchange_side *side, wabe_box box,
                              const wabe_exchange_data *data, int crossing, bool sending) {
    for (int parity = 0; parity < 2; parity++) {
        int64_t i = side->numbers;
        uint32_t *grown = realloc(side->places[parity],
                                  (size_t)(i + wabe_box_cells(box)) * sizeof *grown);
        WABE_CHECK(grown, WABE_MEMORY, "no memory for the plan of the exchange");
        side->places[parity] = grown;
        for (int64_t z = box.begin[2]; z < box.end[2]; z++)
            for (int64_t y = box.begin[1]; y < box.end[1]; y++)
                for (int64_t x = box.begin[0]; x < box.end[0]; x++)
                    grown[i++] = data->place(data->place_context, (const int64_t[3]){x, y, z},
                                             crossing, parity, sending);
    }
    return WABE_OK;
}

/* Bits for the numbers of a box that is to be received, from the cells that they come from. */
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

/* The segments of the message from slab a to slab b shifted by shift, as the sender's side has them
 * or as the receiver's does: both walk through them in this order. */
static wabe_status plan_pair(const wabe_exchange *x, wabe_exchange_slab *slab, wabe_box a,
                             wabe_box b, const int64_t shift[3], bool sending) {
    const wabe_exchange_data *data = &slab->data;
    const wabe_box target = wabe_box_shift(behind_faces(x, b), shift);
    const int64_t back[3] = {-shift[0], -shift[1], -shift[2]};
    for (int i = 0; i < data->crossing_count; i++) {
        const wabe_crossing *c = &data->crossings[i];
        const int64_t e[3] = {c->e[0], c->e[1], c->e[2]};
        wabe_box wanted = target;
        for (int axis = 0; axis < 3; axis++)
            wanted.begin[axis] -= c->reach[axis];
        const wabe_box arriving = wabe_box_intersect(wabe_box_shift(a, e), wanted);
        if (wabe_box_is_empty(arriving))
            continue;
        const wabe_box received = wabe_box_shift(arriving, back);
        const wabe_box leaving = wabe_box_shift(arriving, (int64_t[3]){-e[0], -e[1], -e[2]});
        wabe_exchange_side *side = sending ? &slab->send : &slab->receive;
        if (!sending && data->flags)
            WABE_TRY(add_mask(side, received, c->e, data->flags));
        if (data->place)
            WABE_TRY(add_places(side, sending ? leaving : received, data, i, sending));
        if (sending)
            WABE_TRY(add_segment(side, leaving, &data->layout, &a, c->out));
        else
            WABE_TRY(add_segment(side, received, &data->layout, &b, c->in));
    }
    return WABE_OK;
}

/* One side of the message: the pair of slabs in all their periodic images. */
static wabe_status plan_images(const wabe_exchange *x, wabe_exchange_slab *slab, int from, int to,
                               bool sending) {
    const wabe_partition *p = x->partition;
    int most[3];
    for (int axis = 0; axis < 3; axis++)
        most[axis] = p->periodic[axis] ? 1 : 0;
    for (int sz = -most[2]; sz <= most[2]; sz++)
        for (int sy = -most[1]; sy <= most[1]; sy++)
            for (int sx = -most[0]; sx <= most[0]; sx++) {
                const int64_t shift[3] = {sx * p->cells[0], sy * p->cells[1], sz * p->cells[2]};
                if (from != to || (!slab->data.wraps && (sx || sy || sz)))
                    WABE_TRY(
                        plan_pair(x, slab, p->slabs[from].box, p->slabs[to].box, shift, sending));
            }
    return WABE_OK;
}

static wabe_exchange_slab *local_slab(const wabe_exchange *x, int number) {
    const int index = number - x->partition->first;
    return index >= 0 && index < x->slab_count ? &x->slabs[index] : NULL;
}

static wabe_status plan_message(wabe_exchange *x, int from, int to) {
    wabe_exchange_message m = {.from = from,
                               .to = to,
                               .source = local_slab(x, from),
                               .target = local_slab(x, to),
                               .send = {MPI_REQUEST_NULL, MPI_REQUEST_NULL},
                               .receive = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
    if (m.source) {
        m.first_out = m.source->send.numbers;
        m.segment_out = m.source->send.segment_count;
        WABE_TRY(plan_images(x, m.source, from, to, true));
        m.count = m.source->send.numbers - m.first_out;
        m.segment_count = m.source->send.segment_count - m.segment_out;
    }
    if (m.target) {
        m.first_in = m.target->receive.numbers;
        m.segment_in = m.target->receive.segment_count;
        WABE_TRY(plan_images(x, m.target, from, to, false));
        m.count = m.target->receive.numbers - m.first_in;
        m.segment_count = m.target->receive.segment_count - m.segment_in;
    }
    if (m.count == 0)
        return WABE_OK;
    WABE_CHECK(m.count * (int64_t)x->size < INT32_MAX, WABE_INPUT,
               "a message of %lld numbers is too large; use more processes", (long long)m.count);
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
