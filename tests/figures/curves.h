/* The curves of the figures in Shimokawabe, Aoki, Onodera [S] and Feichtinger et al. 2015 [F] that
 * comm/model can draw; docs/model.md says what was taken where a paper is silent. */
#pragma once

/* A point of a curve. Names hold no comma. */
typedef void curve_point(void *context, const char *figure, const char *curve, double x, double y);

/* All points; those of a curve come with growing x, the number of GPUs. y, by figure:
 * S7, S8, S11         Gflop/s
 * F4 weak, F4 strong  milliseconds of a step
 * F6 weak, F6 strong  GFLUPS: thousand million updates of cells per second
 * F7d                 GFLUPS */
void draw_curves(curve_point *point, void *context);
