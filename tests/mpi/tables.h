/* A grid model on the domain of all processes, for programs that compare it with plain ones. */
#pragma once

#include "apps/runtime/stencil_slabs.h"
#include "tests/mpi/components.h"
#include "tests/mpi/grids.h"

#include <string.h>

typedef struct {
    wabe_domain domain;
    wabe_components components;
    wabe_grid_slabs slabs;
    char what[160];
} tables;

/* word: see components.h; fill: of each slab, as in wabe_grid_slabs. Returns whether it worked. */
static inline bool tables_open(const char *word, const int64_t processes[3], bool overlap,
                               const wabe_grid_model *m,
                               wabe_status (*fill)(void *, wabe_grid_slab *), tables *t) {
    *t = (tables){.slabs = {.model = *m, .fill = fill}};
    snprintf(t->what, sizeof t->what,
             "components %s, grid %d x %d x %d, overlap %d, periodic %d%d%d", word,
             (int)processes[0], (int)processes[1], (int)processes[2], overlap, m->periodic[0],
             m->periodic[1], m->periodic[2]);
    int64_t grain[3];
    wabe_grid_grain(m, grain);
    wabe_domain_options options = {.halo = wabe_grid_halo(m),
                                   .wraps = {true, true, true},
                                   .overlap = overlap,
                                   .communicate = true};
    memcpy(options.cells, m->cells, sizeof options.cells);
    memcpy(options.grain, grain, sizeof options.grain);
    memcpy(options.processes, processes, sizeof options.processes);
    memcpy(options.periodic, m->periodic, sizeof options.periodic);
    wabe_decomposition cut;
    CHECK(wabe_decomposition_make(m->cells, m->periodic, grain, processes, check_size, &cut) ==
              WABE_OK,
          "%s", wabe_error_message());
    const wabe_box block = wabe_decomposition_block(&cut, check_rank);
    t->components.count = components_make(word, wabe_box_extent(block, 2) / grain[2],
                                          t->components.list, t->components.planes);
    for (int i = 0; i < t->components.count; i++)
        t->components.planes[i] *= grain[2];
    const wabe_domain_slabs slabs = wabe_grid_slabs_of_domain(MPI_COMM_WORLD, &t->slabs);
    const wabe_status status = wabe_domain_create(MPI_COMM_WORLD, &options, &t->components, &slabs,
                                                  &t->domain);
    CHECK(status == WABE_OK, "%s: %s", t->what, wabe_error_message());
    return status == WABE_OK;
}

static inline void tables_close(tables *t) {
    wabe_domain_destroy(&t->domain);
    wabe_grid_slabs_destroy(&t->slabs);
}
