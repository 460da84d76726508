/* Fluids whose viscosity depends on the rate of strain, sqrt(2 S:S). */
#pragma once

/* X(name): the models. */
#define WABE_RHEOLOGIES(X) X(power_law) X(carreau_yasuda) X(bingham) X(herschel_bulkley) X(casson)

typedef enum {
    WABE_RHEOLOGY_NONE,
#define X(name) WABE_RHEOLOGY_##name,
    WABE_RHEOLOGIES(X)
#undef X
} wabe_rheology_model;

/* With g = rate of strain / rate, the viscosity is viscosity times
 *   power_law         g^(index - 1)
 *   carreau_yasuda    limit + (1 - limit) (1 + g^exponent)^((index - 1) / exponent)
 *   bingham           1 + yield (1 - exp(-growth g)) / g
 *   herschel_bulkley  g^(index - 1) + yield (1 - exp(-growth g)) / g
 *   casson            (1 + sqrt(yield / g) (1 - exp(-sqrt(growth g))))^2
 * (Bird, Armstrong, Hassager, Dynamics of Polymeric Liquids, 2nd ed., 1987, section 4.1; yield
 * stresses regularized as by Papanastasiou, J. Rheol. 31 (1987) 385), but not below and above what
 * the relaxation times say. */
typedef struct {
    wabe_rheology_model model;
    double viscosity, rate;         /* lattice units */
    double index, exponent, limit;  /* limit: at high rates over that at low ones */
    double yield, growth;           /* yield stress over viscosity times rate */
    double lowest_tau, highest_tau; /* viscosity = (tau - 1/2) / 3 */
} wabe_rheology;

/* Returns the model's name ("power_law"). Local. */
const char *wabe_rheology_word(wabe_rheology_model model);
/* Returns the viscosity at a rate of strain, which may be 0. Local. */
double wabe_rheology_viscosity(const wabe_rheology *rheology, double strain);
/* Returns tau where the second moments p beside equilibrium have this p:p, in lattice units: tau
 * with (tau - 1/2) / 3 the viscosity at the rate of strain 3/2 sqrt(2 p:p) / tau. Local. */
double wabe_rheology_tau(const wabe_rheology *rheology, double square);
/* Fills the table of wabe_rheology_keep: [WABE_RHEOLOGY_ROWS][WABE_RHEOLOGY_COEFFICIENTS], the
 * constant first. Local. */
void wabe_rheology_table(const wabe_rheology *rheology, double *coefficients);
