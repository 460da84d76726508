#include "sweeps/rows.h"

static int add(wabe_box slab, wabe_box box, int count, wabe_row_box *boxes, int64_t *rows) {
    if (wabe_box_is_empty(box))
        return count;
    wabe_row_box *out = &boxes[count];
    for (int d = 0; d < 3; d++) {
        out->begin[d] = box.begin[d] - slab.begin[d];
        out->end[d] = box.end[d] - slab.begin[d];
    }
    out->first = *rows;
    *rows += wabe_box_extent(box, 1) * wabe_box_extent(box, 2);
    return count + 1;
}

/* The layers at both ends of z, of what is left those of y, then x. */
int wabe_rows_outer(wabe_box slab, wabe_box inner, wabe_row_box boxes[WABE_ROW_BOXES_MAX],
                    int64_t *rows) {
    wabe_box rest = slab;
    int count = 0;
    *rows = 0;
    if (wabe_box_is_empty(inner))
        return add(slab, slab, 0, boxes, rows);
    for (int d = 2; d >= 0; d--) {
        wabe_box low = rest, high = rest;
        low.end[d] = rest.begin[d] = inner.begin[d];
        high.begin[d] = rest.end[d] = inner.end[d];
        count = add(slab, low, count, boxes, rows);
        count = add(slab, high, count, boxes, rows);
    }
    return count;
}

int wabe_rows_inner(wabe_box slab, wabe_box inner, wabe_row_box boxes[WABE_ROW_BOXES_MAX],
                    int64_t *rows) {
    *rows = 0;
    return add(slab, inner, 0, boxes, rows);
}
