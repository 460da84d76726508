/* Cells along x and y of a thread block of streaming pattern moments, and the planes of its column;
 * thread blocks that must fit on a multiprocessor, where spilled registers cost more than anything
 * else; warps for the cells beside the column. Chosen by measurement. */
#pragma once

/* Shared memory of a block in numbers: places for populations, times cells, and a cell more on each
 * side. */
#define WABE_MOMENTS_PLACES_d3q19 37
#define WABE_MOMENTS_PLACES_d3q27 57
#define WABE_MOMENTS_SHARED(x, y, planes) (((x) + 2) * ((y) + 2))

#define WABE_MOMENTS_COLUMN_d3q19_f64 64, 7, 32
#define WABE_MOMENTS_COLUMN_d3q19_f32 64, 6, 64
#define WABE_MOMENTS_COLUMN_d3q19_f16 64, 6, 64
#define WABE_MOMENTS_BLOCKS_d3q19_f64 1
#define WABE_MOMENTS_BLOCKS_d3q19_f32 2
#define WABE_MOMENTS_BLOCKS_d3q19_f16 2
#define WABE_MOMENTS_MARGINS_d3q19_f64 2
#define WABE_MOMENTS_MARGINS_d3q19_f32 4
#define WABE_MOMENTS_MARGINS_d3q19_f16 2

#define WABE_MOMENTS_COLUMN_d3q27_f64 32, 10, 32
#define WABE_MOMENTS_COLUMN_d3q27_f32 32, 12, 32
#define WABE_MOMENTS_COLUMN_d3q27_f16 32, 12, 32
#define WABE_MOMENTS_BLOCKS_d3q27_f64 1
#define WABE_MOMENTS_BLOCKS_d3q27_f32 2
#define WABE_MOMENTS_BLOCKS_d3q27_f16 2
#define WABE_MOMENTS_MARGINS_d3q27_f64 3
#define WABE_MOMENTS_MARGINS_d3q27_f32 2
#define WABE_MOMENTS_MARGINS_d3q27_f16 2
