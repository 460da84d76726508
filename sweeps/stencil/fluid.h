/* What a fluid is like. */
#pragma once

/* Of two fluids; as the words of keys. */
enum { WABE_GAS, WABE_LIQUID };

typedef struct {
    double density, viscosity; /* dynamic */
} wabe_fluid;
