/* Cells along x and y of a thread block of streaming pattern moments, and the planes of its column;
 * thread blocks that must fit on a multiprocessor. Chosen by measurement. */
#pragma once

/* Shared memory of a block in numbers: places for populations, and a cell more on each side. */
#define WABE_MOMENTS_PLACES 36
#define WABE_MOMENTS_SHARED(x, y, planes) (WABE_MOMENTS_PLACES * ((x) + 2) * ((y) + 2))

#define WABE_MOMENTS_COLUMN_f64 64, 8, 32
#define WABE_MOMENTS_COLUMN_f32 64, 4, 32
#define WABE_MOMENTS_COLUMN_f16 64, 4, 32
#define WABE_MOMENTS_BLOCKS_f64 1
#define WABE_MOMENTS_BLOCKS_f32 3
#define WABE_MOMENTS_BLOCKS_f16 3
