#include "sweeps/lattice/wall_law.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* Of smooth and of rough walls: the velocity of the cell at a wall is that of the law at this
 * distance, and momentum is carried on by these mixing lengths. Calibrated in channels of 10 and 20
 * cells per half height, Re_tau 1000 and 5200, whose friction and mean velocity are known, and in
 * layers of 20 cells over roughness 0.02 to 0.06 (docs/validation.md). */
static const struct {
    double distance, mixing[WABE_MIXED_LAYERS];
} calibrated[2] = {{0.62, {0.13, 0.47, 0.9}}, {0.5, {0.17, 0.5, 0.5}}};

double wabe_mixing_length(int layer, double roughness) {
    return calibrated[roughness > 0.0].mixing[layer];
}

double wabe_law_of_the_wall(double y) {
    const double rest = WABE_LOG_LAW_B - log(WABE_KAPPA) / WABE_KAPPA;
    return log1p(WABE_KAPPA * y) / WABE_KAPPA +
           rest * (1.0 - exp(-y / 11.0) - y / 11.0 * exp(-y / 3.0));
}

/* u+ by Re = u z / nu = u+ y+, by bisection. */
static double smooth(double reynolds) {
    double low = 0.0, high = reynolds; /* of y+ */
    for (int i = 0; i < 200; i++) {
        const double y = 0.5 * (low + high);
        *(y * wabe_law_of_the_wall(y) < reynolds ? &low : &high) = y;
    }
    return wabe_law_of_the_wall(0.5 * (low + high));
}

/* Below, the profile is linear (Re = 40 is y+ = 6.6); beyond, u+ stays what it is. */
static const double reynolds_range[2] = {40.0, 1e9};

wabe_wall_law wabe_wall_law_of(double viscosity, double roughness) {
    enum { N = WABE_WALL_LAW_TERMS };
    const double low = pow(reynolds_range[0], 1.0 / 32.0),
                 high = pow(reynolds_range[1], 1.0 / 32.0);
    const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
    const double distance = calibrated[roughness > 0.0].distance;
    wabe_wall_law law = {.reynolds = wabe_coefficient_of(distance / viscosity),
                         .middle = wabe_coefficient_of(middle),
                         .part = wabe_coefficient_of(1.0 / half)};
    for (int i = 0; i < N; i++) { /* interpolation at the zeros of the next polynomial */
        double sum = 0.0;
        for (int k = 0; k < N; k++) {
            const double angle = PI * (k + 0.5) / N;
            const double root = middle + half * cos(angle);
            const double u = roughness > 0.0 ? log(distance / roughness) / WABE_KAPPA_ROUGH
                                             : smooth(pow(root, 32.0));
            sum += u * cos(i * angle);
        }
        law.terms[i] = wabe_coefficient_of((i == 0 ? 1.0 : 2.0) / N * sum);
    }
    return law;
}

/* As sweeps/cell/wall_function.h has it, which takes this away from the velocity. */
static double stress_of(const wabe_wall_law *law, double speed) {
    const double reynolds = speed * law->reynolds.f64, root = pow(reynolds, 1.0 / 32.0);
    const double x = (root - law->middle.f64) * law->part.f64;
    const double angle = acos(fmax(-1.0, fmin(1.0, x)));
    double u_plus = 0.0;
    for (int i = 0; i < WABE_WALL_LAW_TERMS; i++)
        u_plus += law->terms[i].f64 * cos(i * angle);
    return fmax(speed * speed / (u_plus * u_plus), speed / law->reynolds.f64);
}

/* The velocity before friction is what it has left and the stress, which is a small part of it. */
double wabe_wall_stress(const wabe_wall_law *law, double speed) {
    double stress = 0.0, last = INFINITY;
    for (int i = 0; i < 100 && fabs(stress - last) > 1e-15 * stress; i++) {
        last = stress;
        stress = stress_of(law, speed + last);
    }
    return stress;
}

void wabe_wall_laws_make(double viscosity, const wabe_geometry *geometry,
                         wabe_wall_law out[WABE_FACES + 1]) {
    const wabe_condition *solid = wabe_geometry_law(geometry);
    memset(out, 0, (WABE_FACES + 1) * sizeof *out);
    for (int face = 0; face < WABE_FACES; face++)
        if (geometry->conditions[face].kind == WABE_BOUNDARY_wall_function)
            out[face] = wabe_wall_law_of(viscosity, geometry->conditions[face].roughness);
    if (solid)
        out[WABE_FACES] = wabe_wall_law_of(viscosity, solid->roughness);
}
