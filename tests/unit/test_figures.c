/* The papers' figures by comm/model: numbers and claims that the papers print, against the curves
 * that scripts/plot_papers.py draws. What is not on a curve stands in the table with the value that
 * the curve has instead, which must stay as it is. */
#include "tests/figures/curves.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a search looks for, and has found. */
typedef struct {
    const char *figure, *curve;
    double x; /* negative: where y is largest */
    double y; /* NaN: there is no such point */
} search;

static void compare_point(void *context, const char *figure, const char *curve, double x,
                          double y) {
    search *s = context;
    if (strcmp(figure, s->figure) == 0 && strcmp(curve, s->curve) == 0 && (s->x < 0.0 || x == s->x))
        s->y = isnan(s->y) ? y : fmax(s->y, y);
}

static double value_at(const char *figure, const char *curve, double x) {
    search s = {figure, curve, x, NAN};
    draw_curves(compare_point, &s);
    if (isnan(s.y))
        fail_msg("no point of %s, %s at %g", figure, curve, x);
    return s.y;
}

enum { FIGURE, CURVE, X, Y, LAST_DIGIT, MODEL, SOURCE, FIELDS };

static void check_point(char *const field[FIELDS]) {
    const double y = atof(field[Y]), half_digit = 0.5000001 * atof(field[LAST_DIGIT]);
    const double found = value_at(field[FIGURE], field[CURVE], field[X][0] ? atof(field[X]) : -1.0);
    const int is_on = fabs(found - y) <= half_digit;
    if (!field[MODEL][0] && !is_on)
        fail_msg("%s: %g, but the curve has %.6g", field[SOURCE], y, found);
    if (field[MODEL][0] && is_on)
        fail_msg("%s: %g lies on the curve now: %.6g", field[SOURCE], y, found);
    if (field[MODEL][0] && fabs(found / atof(field[MODEL]) - 1.0) > 5e-4)
        fail_msg("%s: the curve had %s, now %.6g", field[SOURCE], field[MODEL], found);
}

static void printed_points(void **state) {
    (void)state;
    FILE *file = fopen(PAPER_POINTS, "r");
    assert_non_null(file);
    char line[512];
    int points = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || strncmp(line, "figure,", 7) == 0)
            continue;
        line[strcspn(line, "\n")] = '\0';
        char *field[FIELDS], *rest = line;
        for (int i = 0; i < FIELDS; i++) {
            field[i] = strsep(&rest, ",");
            assert_non_null(field[i]);
        }
        check_point(field);
        points++;
    }
    fclose(file);
    assert_true(points > 0);
}

/* Shimokawabe et al., section 6.2.2: with overlap the smallest mesh stops scaling first, however
 * many transfers there are. */
static void small_mesh_bends_first(void **state) {
    (void)state;
    const double gpus = 100.0, single = 214.5;
    const char *const curves[] = {"192 x 512 x 512; overlap; transfers 1",
                                  "192 x 512 x 512; overlap; transfers 4",
                                  "192 x 4096 x 4096; overlap; transfers 1",
                                  "192 x 4096 x 4096; overlap; transfers 4"};
    for (int i = 0; i < 4; i++) {
        const double share = value_at("S11", curves[i], gpus) / (gpus * single);
        assert_true(i < 2 ? share < 0.98 : share > 0.999);
    }
}

/* Feichtinger et al., section 6.2, weak scaling: with 180^3 cells for each GPU the exchange can be
 * hidden, with 100^3 and 60^3 no longer. Hidden: as fast as GPUs that send nothing. */
static void large_blocks_hide_the_exchange(void **state) {
    (void)state;
    const double gpus = 1029.0, alone = 0.234 * gpus;
    const double large = value_at("F6 weak", "180^3 for each GPU; overlap", gpus);
    assert_true(fabs(large / alone - 1.0) < 1e-9);
    assert_true(value_at("F6 weak", "100^3 for each GPU; overlap", gpus) < 0.8 * alone);
    assert_true(value_at("F6 weak", "60^3 for each GPU; overlap", gpus) < 0.4 * alone);
}

/* Section 5.3.2, strong scaling: the exchange can only be hidden partially. */
static void strong_scaling_hides_a_part(void **state) {
    (void)state;
    const double gpus = 375.0;
    const double overlap = value_at("F6 strong", "180 x 180 x 540; overlap", gpus);
    assert_true(overlap < 0.234 * gpus);
    assert_true(overlap > value_at("F6 strong", "180 x 180 x 540; no overlap", gpus));
}

/* Section 6.3: cuts along more axes scale better, but three are not always faster than two. */
static void cuts_of_the_bed(void **state) {
    (void)state;
    const double gpus = 384.0, two = value_at("F7d", "2-D", gpus);
    const double one = value_at("F7d", "1-D", gpus), three = value_at("F7d", "3-D", gpus);
    assert_true(two > one && three > one && three < two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_points),
        cmocka_unit_test(small_mesh_bends_first),
        cmocka_unit_test(large_blocks_hide_the_exchange),
        cmocka_unit_test(strong_scaling_hides_a_part),
        cmocka_unit_test(cuts_of_the_bed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
