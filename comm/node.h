/* The processes of a node. */
#pragma once

#include <mpi.h>
#include <stdint.h>

/* The position of this process among the processes of comm that share its node's memory. */
typedef struct {
    int rank, size;
    int lowest; /* lowest rank in comm on the node: the node's number */
} wabe_node_place;

/* Finds the position of this process on its node. Collective. */
wabe_node_place wabe_node_place_of(MPI_Comm comm);
/* Returns the number of processes of this node that give the same number. Collective. */
int wabe_node_count_same(MPI_Comm comm, uint64_t number);
/* Returns the sum of value over the processes of this node. Collective. */
double wabe_node_sum(MPI_Comm comm, double value);
