#include "comm/partition.h"

#include "comm/node.h"
#include "core/device/team.h"

#include <stdlib.h>
#include <string.h>

static wabe_status check_planes(wabe_box block, int count, const int64_t *planes) {
    int64_t sum = 0;
    WABE_CHECK(count <= WABE_JOBS_MAX, WABE_INPUT, "%d components in a process: at most %d", count,
               WABE_JOBS_MAX);
    for (int i = 0; i < count; i++) {
        WABE_CHECK(planes[i] > 0, WABE_INPUT, "component %d gets %lld of %lld planes along z", i,
                   (long long)planes[i], (long long)wabe_box_extent(block, 2));
        sum += planes[i];
    }
    WABE_CHECK(sum == wabe_box_extent(block, 2), WABE_INPUT,
               "the components' planes along z add up to %lld, their block has %lld",
               (long long)sum, (long long)wabe_box_extent(block, 2));
    return WABE_OK;
}

/* Makes this rank's slabs, from low z to high z. */
static void cut(MPI_Comm comm, wabe_box block, int count, const wabe_component *components,
                const int64_t *planes, wabe_slab *out) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    const int node = wabe_node_place_of(comm).lowest;
    for (int i = 0; i < count; i++) {
        wabe_slab *s = &out[i];
        *s = (wabe_slab){.rank = rank, .index = i, .node = node, .box = block};
        s->on_device = components[i].device != NULL;
        s->box.end[2] = block.begin[2] + planes[i];
        block.begin[2] = s->box.end[2];
    }
}

wabe_status wabe_partition_create(MPI_Comm comm, const wabe_decomposition *d, int count,
                                  const wabe_component *components, const int64_t *planes,
                                  wabe_partition *out) {
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *out = (wabe_partition){.mine = count};
    memcpy(out->cells, d->cells, sizeof out->cells);
    memcpy(out->periodic, d->periodic, sizeof out->periodic);
    const wabe_box block = wabe_decomposition_block(d, rank);
    WABE_TRY(wabe_agree(comm, check_planes(block, count, planes)));
    int *counts = malloc(2 * (size_t)size * sizeof *counts);
    MPI_Allreduce(&count, &out->count, 1, MPI_INT, MPI_SUM, comm);
    out->slabs = malloc((size_t)(out->count + count) * sizeof *out->slabs);
    wabe_status status =
        wabe_agree(comm, counts && out->slabs
                             ? WABE_OK
                             : WABE_FAIL(WABE_MEMORY, "no memory for %d slabs", out->count));
    if (status == WABE_OK) {
        int *bytes = counts, *places = counts + size;
        const int mine = count * (int)sizeof *out->slabs;
        MPI_Allgather(&mine, 1, MPI_INT, bytes, 1, MPI_INT, comm);
        for (int r = 0; r < size; r++)
            places[r] = r == 0 ? 0 : places[r - 1] + bytes[r - 1];
        out->first = places[rank] / (int)sizeof *out->slabs;
        cut(comm, block, count, components, planes, out->slabs + out->count);
        MPI_Allgatherv(out->slabs + out->count, mine, MPI_BYTE, out->slabs, bytes, places, MPI_BYTE,
                       comm);
    } else {
        wabe_partition_free(out);
    }
    free(counts);
    return status;
}

void wabe_partition_free(wabe_partition *partition) {
    free(partition->slabs);
    partition->slabs = NULL;
}
