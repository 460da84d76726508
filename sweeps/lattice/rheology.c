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

/* At strain 0 some models are infinite. What is no number stays so. */
static double tau_at(const wabe_rheology *r, double strain) {
    const double least = 1e-200, g = (strain < least ? least : strain) / r->rate;
    const double tau = 0.5 + 3.0 * r->viscosity * shapes[r->model](r, g);
    return tau < r->lowest_tau ? r->lowest_tau : tau > r->highest_tau ? r->highest_tau : tau;
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

static double keep_at(const wabe_rheology *r, double square) {
    return 1.0 - 1.0 / wabe_rheology_tau(r, square);
}

/* The slope at an end, but not above three times the mean slope, nor against it: then the cubic
 * polynomial does not leave the values at both ends (Fritsch, Carlson, SIAM J. Numer. Anal. 17
 * (1980) 238). Fluids have kinks where tau has a bound, and nearly so where they yield. */
static double slope_at(const wabe_rheology *r, double square, double scale, double mean) {
    const double part = 1e-4;
    const double slope = (keep_at(r, square * (1.0 + part)) - keep_at(r, square * (1.0 - part))) /
                         (2.0 * part * square) * scale;
    const double most = 3.0 * fabs(mean), most_here = fmin(fabs(slope), most);
    return slope * mean > 0.0 ? copysign(most_here, mean) : 0.0;
}

void wabe_rheology_table(const wabe_rheology *r, double *coefficients) {
    const int parts = 1 << WABE_RHEOLOGY_PARTS_BITS;
    const double width = 1.0 / parts;
    for (int row = 0; row < WABE_RHEOLOGY_ROWS; row++) {
        const double octave = ldexp(1.0, row / parts - WABE_RHEOLOGY_OCTAVES);
        const double begin = octave * (1.0 + row % parts * width), end = begin + octave * width;
        const double low = keep_at(r, begin), mean = (keep_at(r, end) - low) / width;
        const double at_low = slope_at(r, begin, octave, mean),
                     at_high = slope_at(r, end, octave, mean);
        double *c = coefficients + WABE_RHEOLOGY_COEFFICIENTS * row;
        c[0] = low;
        c[1] = at_low;
        c[2] = (3.0 * mean - 2.0 * at_low - at_high) / width;
        c[3] = (at_low + at_high - 2.0 * mean) / (width * width);
    }
}
