/* The curves in the figures of Shimokawabe, Aoki, Onodera [S] and Feichtinger et al. 2015 [F] that
 * comm/model can compute; docs/model.md lists the assumptions where a paper gives no value. */
#pragma once

/* Receives a point of a curve. Names contain no comma. */
typedef void curve_point(void *context, const char *figure, const char *curve, double x, double y);

/* Passes all points to point, those of a curve with ascending x, the number of GPUs. y, by figure:
 * S7, S8, S11         Gflop/s
 * F4 weak, F4 strong  milliseconds per step
 * F6 weak, F6 strong  GFLUPS: 1e9 cell updates per second
 * F7d                 GFLUPS */
void draw_curves(curve_point *point, void *context);
