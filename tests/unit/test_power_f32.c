/* Powers of cell functions in f32: see test_power.c. */
#define WABE_STORE_F32
#include "tests/unit/test_power.c"
