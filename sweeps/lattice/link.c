#include "sweeps/lattice/link.h"

#include "sweeps/cell/lbm.h"

static wabe_boundary kind_of(const wabe_geometry *geometry, int flag) {
    return geometry->conditions[flag - 1].kind;
}

/* The flag of the cell behind, or of its mirror image if it lies behind mirrors. */
static int flag_behind(const wabe_geometry *geometry, const wabe_flags *flags,
                       const int64_t cell[3], const int e[3]) {
    const int64_t behind[3] = {cell[0] - e[0], cell[1] - e[1], cell[2] - e[2]};
    const int flag = wabe_flags_at(flags, behind[0], behind[1], behind[2]);
    if (flag == 0 || !(WABE_MIRRORS >> kind_of(geometry, flag) & 1))
        return flag;
    const unsigned outside = wabe_geometry_outside(geometry, behind);
    return wabe_flags_at(flags, outside & 1 ? cell[0] : behind[0],
                         outside & 2 ? cell[1] : behind[1], outside & 4 ? cell[2] : behind[2]);
}

/* The flag of the cell that an oblique link passes by along an axis. */
static int flag_beside(const wabe_flags *flags, const int64_t cell[3], const int e[3], int axis) {
    int64_t at[3] = {cell[0], cell[1], cell[2]};
    at[axis] -= e[axis];
    return wabe_flags_at(flags, at[0], at[1], at[2]);
}

/* Boundaries of smaller numbers have the links of edges. */
static int rank_of(wabe_boundary kind) {
    return kind == WABE_BOUNDARY_velocity ? 0 : wabe_is_wall(kind) ? 1 : 2;
}

int wabe_link_boundary(const wabe_geometry *geometry, const wabe_flags *flags,
                       const int64_t cell[3], const int e[3]) {
    int first = flag_behind(geometry, flags, cell, e);
    if (first == 0 || e[0] * e[0] + e[1] * e[1] + e[2] * e[2] == 1)
        return first;
    for (int axis = 0; axis < 3; axis++) {
        const int beside = e[axis] ? flag_beside(flags, cell, e, axis) : 0;
        if (beside && rank_of(kind_of(geometry, beside)) < rank_of(kind_of(geometry, first)))
            first = beside;
    }
    return first;
}

int wabe_link_owner(const wabe_geometry *geometry, const wabe_flags *flags, const int64_t cell[3],
                    const int e[3], int axis) {
    const int beside = flag_beside(flags, cell, e, axis);
    return beside ? beside : flag_behind(geometry, flags, cell, e);
}

bool wabe_link_rests(const wabe_geometry *geometry, const wabe_flags *flags, const int64_t cell[3],
                     const int e[3]) {
    const int flag = wabe_link_boundary(geometry, flags, cell, e);
    return flag && kind_of(geometry, flag) == WABE_BOUNDARY_no_slip; /* lists have no scalar */
}
