#include "apps/lbm/solid_plane.h"

#include <limits.h>
#include <stdlib.h>

/* Sets the part of the plane that lies in this process's block. */
static wabe_status set_solid(const wabe_run *run, const wabe_geometry *geometry, wabe_box plane,
                             uint8_t *solid) {
    const wabe_box part = wabe_box_intersect(plane, run->block);
    wabe_flags flags;
    if (wabe_box_is_empty(part))
        return WABE_OK;
    WABE_TRY(wabe_geometry_flags(geometry, part, &flags));
    const wabe_flags all = {plane, solid};
    const uint8_t *id = flags.ids;
    for (int64_t z = part.begin[2]; z < part.end[2]; z++)
        for (int64_t y = part.begin[1]; y < part.end[1]; y++)
            for (int64_t x = part.begin[0]; x < part.end[0]; x++)
                *wabe_flags_place(&all, x, y, z) = *id++ != 0;
    wabe_flags_free(&flags);
    return WABE_OK;
}

wabe_status wabe_lbm_gather_solid(const wabe_run *run, const wabe_geometry *geometry,
                                  wabe_box plane, uint8_t **out) {
    const int64_t cells = wabe_box_cells(plane);
    uint8_t *solid = cells < INT_MAX ? calloc((size_t)cells, 1) : NULL;
    *out = NULL;
    wabe_status status = wabe_agree(run->comm,
                                    solid ? set_solid(run, geometry, plane, solid)
                                          : WABE_FAIL(WABE_MEMORY, "no memory for a picture"));
    if (status == WABE_OK)
        MPI_Reduce(run->rank == 0 ? MPI_IN_PLACE : solid, solid, (int)cells, MPI_UINT8_T, MPI_MAX,
                   0, run->comm);
    if (status == WABE_OK && run->rank == 0)
        *out = solid;
    else
        free(solid);
    return status;
}
