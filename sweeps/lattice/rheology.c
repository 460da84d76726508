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

/* What a collision keeps, 1 - 1 / tau, and its derivative by the square of the second moments: with
 * g the rate of strain, g tau is proportional to the root of the square. */
typedef struct {
    double keep, slope;
} node;

static node node_at(const wabe_rheology *r, double square) {
    const double tau = wabe_rheology_tau(r, square), part = 1e-4;
    const double strain = 1.5 * sqrt(2.0 * square) / tau;
    const double change = (tau_at(r, strain * (1.0 + part)) - tau_at(r, strain * (1.0 - part))) /
                          (2.0 * part); /* g dtau/dg */
    const node n = {1.0 - 1.0 / tau, (1.0 / tau - 1.0 / (tau + change)) / (2.0 * square)};
    return n;
}

/* The slope at an end, but not above three times the mean slope, nor against it: then the cubic
 * polynomial does not leave the values at both ends (Fritsch, Carlson, SIAM J. Numer. Anal. 17
 * (1980) 238). Fluids have kinks where tau has a bound, and nearly so where they yield. */
static double limited(double slope, double mean) {
    return slope * mean > 0.0 ? copysign(fmin(fabs(slope), 3.0 * fabs(mean)), mean) : 0.0;
}

void wabe_rheology_table(const wabe_rheology *r, double *coefficients) {
    const int parts = 1 << WABE_RHEOLOGY_PARTS_BITS;
    const double width = 1.0 / parts;
    node end = node_at(r, WABE_RHEOLOGY_LEAST);
    for (int row = 0; row < WABE_RHEOLOGY_ROWS; row++) {
        const double octave = ldexp(1.0, row / parts - WABE_RHEOLOGY_OCTAVES);
        const node begin = end;
        end = node_at(r, octave * (1.0 + (row % parts + 1) * width));
        const double mean = (end.keep - begin.keep) / width;
        const double low = limited(begin.slope * octave, mean);
        const double high = limited(end.slope * octave, mean);
        double *c = coefficients + WABE_RHEOLOGY_COEFFICIENTS * row;
        c[0] = begin.keep;
        c[1] = low;
        c[2] = (3.0 * mean - 2.0 * low - high) / width;
        c[3] = (low + high - 2.0 * mean) / (width * width);
    }
}
