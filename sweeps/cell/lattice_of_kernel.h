/* The lattice that a file of kernels is compiled for: WABE_LATTICE names a row of
 * sweeps/cell/lattice_rows.h (d3q19), and the names below are its rows. */
#pragma once

#include "sweeps/cell/lattice_rows.h"

#define WABE_OF_LATTICE(list) WABE_OF_LATTICE_EXPANDED(list, WABE_LATTICE)
#define WABE_OF_LATTICE_EXPANDED(list, lattice) WABE_OF_LATTICE_JOINED(list, lattice)
#define WABE_OF_LATTICE_JOINED(list, lattice) list##lattice

#define WABE_Q WABE_OF_LATTICE(WABE_COUNT_)
#define WABE_FLOW_Q WABE_OF_LATTICE(WABE_FLOW_)
#define WABE_HAS_SCALAR ((int)WABE_FLOW_Q < (int)WABE_Q)
#define WABE_WEIGHT(class) WABE_OF_LATTICE(WABE_WEIGHT_##class##_)
#define WABE_CLASSES WABE_OF_LATTICE(WABE_CLASSES_)
#define WABE_IF_CORNERS WABE_OF_LATTICE(WABE_IF_CORNERS_)
#define WABE_IF_SCALAR WABE_OF_LATTICE(WABE_IF_SCALAR_)
#define WABE_IF_SEVEN WABE_OF_LATTICE(WABE_IF_SEVEN_)
#define WABE_IF_CARRIED WABE_OF_LATTICE(WABE_IF_CARRIED_)
#define WABE_POPULATIONS WABE_OF_LATTICE(WABE_POPULATIONS_)
#define WABE_RESTS WABE_OF_LATTICE(WABE_RESTS_)
#define WABE_PAIRS WABE_OF_LATTICE(WABE_PAIRS_)
#define WABE_FLOW_PAIRS WABE_OF_LATTICE(WABE_FLOW_PAIRS_)
#define WABE_EAST WABE_OF_LATTICE(WABE_EAST_)
#define WABE_WEST WABE_OF_LATTICE(WABE_WEST_)
#define WABE_MIDDLE WABE_OF_LATTICE(WABE_MIDDLE_)

/* The first text for the populations of a flow, the second for those of a scalar, by class. */
#define WABE_BY_CLASS(class, flow, scalar) WABE_BY_CLASS_##class(flow, scalar)
#define WABE_BY_CLASS_axis(flow, scalar) flow
#define WABE_BY_CLASS_diagonal(flow, scalar) flow
#define WABE_BY_CLASS_corner(flow, scalar) flow
#define WABE_BY_CLASS_scalar(flow, scalar) scalar
#define WABE_BY_CLASS_carried_axis(flow, scalar) scalar
#define WABE_BY_CLASS_carried_diagonal(flow, scalar) scalar

/* The population of the flow that has the velocity of one of the scalar, and its class. */
#define WABE_CARRIER(name) WABE_CARRIER_##name
#define WABE_CLASS_OF_CARRIER_carried_rest rest
#define WABE_CLASS_OF_CARRIER_carried_axis axis
#define WABE_CLASS_OF_CARRIER_carried_diagonal diagonal
WABE_HOST_DEVICE int wabe_carrier_of(int q) {
    return q < (int)WABE_FLOW_Q ? q : q - (int)WABE_FLOW_Q + 1;
}

/* The weight of a moving population, of the flow or of a scalar that it carries, or of the flow's
 * rest population. */
WABE_HOST_DEVICE double wabe_weight_of(int q) {
    q = wabe_carrier_of(q);
    return q == 0    ? WABE_WEIGHT(rest)
           : q <= 6  ? WABE_WEIGHT(axis)
           : q <= 18 ? WABE_WEIGHT(diagonal)
                     : WABE_WEIGHT(corner);
}
