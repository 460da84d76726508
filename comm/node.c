#include "comm/node.h"

static MPI_Comm split(MPI_Comm comm) {
    MPI_Comm node;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    return node;
}

wabe_node_place wabe_node_place_of(MPI_Comm comm) {
    MPI_Comm node = split(comm);
    wabe_node_place p;
    MPI_Comm_rank(comm, &p.lowest);
    MPI_Allreduce(MPI_IN_PLACE, &p.lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_rank(node, &p.rank);
    MPI_Comm_size(node, &p.size);
    MPI_Comm_free(&node);
    return p;
}

double wabe_node_sum(MPI_Comm comm, double value) {
    MPI_Comm node = split(comm);
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, node);
    MPI_Comm_free(&node);
    return value;
}

int wabe_node_count_same(MPI_Comm comm, uint64_t number) {
    MPI_Comm node = split(comm);
    int size, count = 0;
    MPI_Comm_size(node, &size);
    for (int rank = 0; rank < size; rank++) {
        uint64_t other = number;
        MPI_Bcast(&other, 1, MPI_UINT64_T, rank, node);
        count += other == number;
    }
    MPI_Comm_free(&node);
    return count;
}
