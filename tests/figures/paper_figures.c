/* Prints the curves of the papers' figures, for scripts/plot_papers.py. */
#include "tests/figures/curves.h"

#include <stdio.h>

static void print_point(void *out, const char *figure, const char *curve, double x, double y) {
    fprintf(out, "%s,%s,%.9g,%.9g\n", figure, curve, x, y);
}

int main(void) {
    puts("figure,curve,x,y");
    draw_curves(print_point, stdout);
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
