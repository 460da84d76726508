/* The processes of a node. */
#pragma once

#include <mpi.h>

/* This process among those of comm that share its node's memory. */
typedef struct {
    int rank, size;
    int lowest; /* rank in comm of the first of them: the node's number */
} wabe_node_place;

/* Collective. */
wabe_node_place wabe_node_place_of(MPI_Comm comm);
/* The sum over the processes of this node. Collective. */
double wabe_node_sum(MPI_Comm comm, double value);
