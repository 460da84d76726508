/* Turbulence that a flow brings with it through a face: plane waves of velocity, normal to the
 * direction in which each varies, which the flow carries along. */
#pragma once

#include <stdint.h>

enum { WABE_WAVES = 32 };
#define WABE_WAVES_PERIOD 65536.0 /* cells after which waves repeat along an axis not periodic */

/* velocity cos(a), a = 2 pi (turns . place + phase), with places in cells. It is the curl of a
 * potential P sin(a). A share s of the potential, which grows along the face's inward normal n, has
 * the curl s velocity cos(a) + s' (n x P) sin(a), free of divergence; across: n x P. */
typedef struct {
    double turns[3], phase, velocity[3], across[3];
} wabe_wave;

typedef struct {
    int face;
    int64_t width;     /* layers of cells before the face in which it arises */
    double carried[3]; /* the waves' way in a step, in cells */
    double period[3];  /* cells after which all waves repeat: of a periodic axis, the domain's */
    wabe_wave waves[WABE_WAVES];
} wabe_turbulence;
