/* What a fluid is like. */
#pragma once

typedef struct {
    double density, viscosity; /* dynamic */
} wabe_fluid;
