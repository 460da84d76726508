/* The processes of a node. */
#pragma once

#include <mpi.h>

/* The position of this process among the processes of comm that share its node's memory. */
typedef struct {
    int rank, size;
    int lowest; /* lowest rank in comm on the node: the node's number */
} wabe_node_place;

/* Finds the position of this process on its node. Collective. */
wabe_node_place wabe_node_place_of(MPI_Comm comm);
/* Returns the sum of value over the processes of this node. Collective. */
double wabe_node_sum(MPI_Comm comm, double value);
