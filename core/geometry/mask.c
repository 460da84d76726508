#include "core/geometry/mask.h"

#include <stdlib.h>

wabe_status wabe_mask_make(wabe_box box, wabe_mask *out) {
    *out = (wabe_mask){box, calloc((size_t)wabe_box_cells(box) / 8 + 1, 1)};
    WABE_CHECK(out->bits, WABE_MEMORY, "no memory for the bits of %lld cells",
               (long long)wabe_box_cells(box));
    return WABE_OK;
}

void wabe_mask_free(wabe_mask *mask) {
    free(mask->bits);
    mask->bits = NULL;
}
