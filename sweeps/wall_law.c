#include "sweeps/wall_law.h"

#include <math.h>

#define PI 3.14159265358979323846

/* Of smooth and of rough walls: the velocity of the cell at a wall is that of the law at this
 * distance, and momentum is carried on by these mixing lengths. Calibrated in channels of 10 and 20
 * cells per half height, Re_tau 1000 and 5200, whose friction and mean velocity are known, and in
 * layers of 20 cells over roughness 0.02 to 0.06 (docs/validation.md). */
static const struct {
    double distance, mixing[WABE_MIXED_LAYERS];
} calibrated[2] = {{0.6, {0.13, 0.47, 0.9}}, {0.5, {0.17, 0.5, 0.5}}};

double wabe_mixing_length(int layer, double roughness) {
    return calibrated[roughness > 0.0].mixing[layer];
}

/* y+ by u+. */
static double spalding(double u) {
    const double s = WABE_KAPPA * u;
    return u + exp(-WABE_KAPPA * WABE_LOG_LAW_B) * (expm1(s) - s - s * s / 2.0 - s * s * s / 6.0);
}

double wabe_spalding(double reynolds) {
    double low = 0.0, high = sqrt(reynolds) + 1.0; /* y+ >= u+ */
    for (int i = 0; i < 100; i++) {
        const double u = 0.5 * (low + high);
        *(u * spalding(u) < reynolds ? &low : &high) = u;
    }
    return 0.5 * (low + high);
}

/* Below, the profile is linear (u+ y+ = 20 is y+ = 4.5); beyond, u+ stays what it is. */
static const double reynolds_range[2] = {20.0, 1e9};

wabe_wall_law wabe_wall_law_of(double viscosity, double roughness) {
    enum { N = WABE_WALL_LAW_TERMS };
    const double low = pow(reynolds_range[0], 1.0 / 16.0),
                 high = pow(reynolds_range[1], 1.0 / 16.0);
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
                                             : wabe_spalding(pow(root, 16.0));
            sum += u * cos(i * angle);
        }
        law.terms[i] = wabe_coefficient_of((i == 0 ? 1.0 : 2.0) / N * sum);
    }
    return law;
}
