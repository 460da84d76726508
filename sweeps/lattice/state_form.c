#define WABE_LATTICE d3q19 /* ten moments have the populations of this one */
#define WABE_STORE_F64
#include "sweeps/lattice/state_form.h"

#include "sweeps/cell/number.h"

#include "sweeps/cell/moments.h"

static double read_number(wabe_type type, const void *values, int64_t at) {
    return type == WABE_TYPE_f64 ? ((const double *)values)[at]
                                 : (double)((const float *)values)[at];
}

static void write_number(wabe_type type, void *values, int64_t at, double value) {
    if (type == WABE_TYPE_f64)
        ((double *)values)[at] = value;
    else
        ((float *)values)[at] = (float)value;
}

/* Forces have been added: momentum and second moments are those of the populations. */
static wabe_ten ten_of(wabe_cell f) {
    const wabe_moments m = wabe_cell_moments(f);
    wabe_second a = wabe_second_sums(f);
    a.xx -= m.rho / 3.0, a.yy -= m.rho / 3.0, a.zz -= m.rho / 3.0;
    return wabe_ten_of(m, a);
}

void wabe_state_to_moments(wabe_type type, int64_t count, const void *populations, void *moments) {
    for (int64_t i = 0; i < count; i++) {
        wabe_cell f;
#define X(name, cx, cy, cz, class)                                                                 \
    f.name = read_number(type, populations, WABE_Q_##name * count + i);
        WABE_POPULATIONS(X)
#undef X
        const wabe_ten s = ten_of(f);
        const double values[WABE_MOMENTS] = {s.base, s.x,  s.y,  s.z,  s.xx,
                                             s.yy,   s.zz, s.xy, s.xz, s.yz};
        for (int k = 0; k < WABE_MOMENTS; k++)
            write_number(type, moments, k * count + i, values[k]);
    }
}

void wabe_state_to_populations(wabe_type type, bool third, int64_t count, const void *moments,
                               void *populations) {
    for (int64_t i = 0; i < count; i++) {
        double v[WABE_MOMENTS];
        for (int k = 0; k < WABE_MOMENTS; k++)
            v[k] = read_number(type, moments, k * count + i);
        const wabe_ten s = {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9]};
        const wabe_cell f = third ? wabe_cell_of_ten(s, 1) : wabe_cell_of_ten(s, 0);
#define X(name, cx, cy, cz, class)                                                                 \
    write_number(type, populations, WABE_Q_##name *count + i, f.name);
        WABE_POPULATIONS(X)
#undef X
    }
}
