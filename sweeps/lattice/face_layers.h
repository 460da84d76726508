/* Layers of cells before faces (sweep absorb): sponges before those of given pressure, in which
 * sound waves are damped on their way out, and waves of two cells by viscosity, layers in which the
 * turbulence of an inflow arises, and those before wall functions; and sources of a scalar. */
#pragma once

#include "core/device/field.h"
#include "core/geometry/geometry.h"
#include "sweeps/cell/lbm.h"
#include "sweeps/lattice/list.h"
#include "sweeps/lattice/tiles.h"

typedef struct {
    const wabe_component *component; /* owner of the memory; NULL: there are no layers */
    void *tiles[WABE_REGION_COUNT];  /* wabe_face_layer_tile */
    int64_t tile_count[WABE_REGION_COUNT];
    uint32_t *numbers[WABE_REGION_COUNT]; /* of the tiles, in order; on the host */
    void *levels;                         /* wabe_face_layer */
    void *waves;                          /* wabe_gust_wave; NULL: there is no turbulence */
    void *laws;                           /* wabe_wall_law, by face, then of solids; NULL: none */
    double carried[3], period[3];         /* see wabe_turbulence */
    int64_t bytes;
} wabe_face_layers;

/* What layers need to know of the flow, in lattice units. */
typedef struct {
    double viscosity, smagorinsky; /* smagorinsky: constant of the subgrid model; 0: none */
    bool regularized;
} wabe_face_layers_flow;

/* Finds a slab's tiles in such layers. layout numbers the cells; list: NULL, or the list that does;
 * tiles: not yet moved. inner: NULL, or pattern moments' inner region (global indices), which does
 * not consist of whole tiles. WABE_MEMORY; WABE_INPUT: too many layers; WABE_FILE. Local. */
wabe_status wabe_face_layers_create(const wabe_component *component, wabe_stream *stream,
                                    const wabe_geometry *geometry, const wabe_layout *layout,
                                    const wabe_list *list, const wabe_tiles *tiles, wabe_box block,
                                    const wabe_box *inner, const wabe_face_layers_flow *flow,
                                    wabe_face_layers *out);
void wabe_face_layers_destroy(wabe_face_layers *layers);
