#include "sweeps/lattice/rheology.h"

#include "sweeps/cell/lbm.h"

#include <math.h>

/* ---- the models ----------------------------------------------------------------------- */

static double power_law(const wabe_rheology *r, double g) { return pow(g, r->index - 1.0); }

static double carreau_yasuda(const wabe_rheology *r, double g) {
    const double thinned = pow(1.0 + pow(g, r->exponent), (r->index - 1.0) / r->exponent);
    return r->limit + (1.0 - r->limit) * thinned;
}

static double yield_part(const wabe_rheology *r, double g) {
    return -r->yield * expm1(-r->growth * g) / g;
}

static double bingham(const wabe_rheology *r, double g) { return 1.0 + yield_part(r, g); }

static double herschel_bulkley(const wabe_rheology *r, double g) {
    return power_law(r, g) + yield_part(r, g);
}

static double casson(const wabe_rheology *r, double g) {
    const double root = 1.0 - sqrt(r->yield / g) * expm1(-sqrt(r->growth * g));
    return root * root;
}

static double (*const shapes[])(const wabe_rheology *r, double g) = {
#define X(name) [WABE_RHEOLOGY_##name] = name,
    WABE_RHEOLOGIES(X)
#undef X
};

const char *wabe_rheology_word(wabe_rheology_model model) {
    static const char *const words[] = {"none",
#define X(name) #name,
                                        WABE_RHEOLOGIES(X)
#undef X
    };
    return words[model];
}

/* ---- relaxation times ----------------------------------------------------------------- */

/* Between strain 0, where some models are infinite, and the smallest normal number all are flat, or
 * beyond the highest tau. */
static double tau_at(const wabe_rheology *r, double strain) {
    const double least = 1e-200, g = fmax(strain, least) / r->rate;
    const double tau = 0.5 + 3.0 * r->viscosity * shapes[r->model](r, g);
    return fmin(fmax(tau, r->lowest_tau), r->highest_tau);
}

double wabe_rheology_viscosity(const wabe_rheology *r, double strain) {
    return (tau_at(r, strain) - 0.5) / 3.0;
}

/* The stress rises with the rate of strain, and so does tau times that rate: by bisection, of its
 * logarithm. */
double wabe_rheology_tau(const wabe_rheology *r, double square) {
    enum { HALVINGS = 60 };
    const double wanted = 1.5 * sqrt(2.0 * square);
    double low = log(wanted / r->highest_tau), high = log(wanted / r->lowest_tau);
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (low + high), strain = exp(middle);
        if (strain * tau_at(r, strain) < wanted)
            low = middle;
        else
            high = middle;
    }
    return wanted / exp(0.5 * (low + high));
}

/* ---- the table ------------------------------------------------------------------------ */

/* The cubic polynomial through four values at 0, 1, 2, 3 times distance. */
static void interpolate(const double v[4], double distance, double c[WABE_RHEOLOGY_COEFFICIENTS]) {
    const double first = v[1] - v[0], second = v[2] - 2.0 * v[1] + v[0];
    const double third = v[3] - 3.0 * v[2] + 3.0 * v[1] - v[0];
    c[0] = v[0];
    c[1] = (first - second / 2.0 + third / 3.0) / distance;
    c[2] = (second / 2.0 - third / 2.0) / (distance * distance);
    c[3] = third / 6.0 / (distance * distance * distance);
}

void wabe_rheology_table(const wabe_rheology *r, double *coefficients) {
    const int parts = 1 << WABE_RHEOLOGY_PARTS_BITS;
    for (int row = 0; row < WABE_RHEOLOGY_ROWS; row++) {
        const double octave = ldexp(1.0, row / parts - WABE_RHEOLOGY_OCTAVES);
        double keep[4];
        for (int i = 0; i < 4; i++) {
            const double place = 1.0 + (row % parts + i / 3.0) / parts;
            keep[i] = 1.0 - 1.0 / wabe_rheology_tau(r, octave * place);
        }
        interpolate(keep, 1.0 / parts / 3.0, coefficients + WABE_RHEOLOGY_COEFFICIENTS * row);
    }
}
