/* The means of forces.csv, with the error bars of drag and lift. */
#include "apps/lbm/forces.h"

#include "apps/lbm/lbm.h"
#include "core/base/log.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Batches of successive lines for error bars, of so many lines at least: the means of shorter ones
 * would not be independent. */
enum { BATCHES = 20, BATCHES_LEAST = 5, BATCH_LINES_MIN = 5, HALF = BATCHES / 2 };

/* A mean drifts if those of both halves differ by more than so many standard errors of the
 * difference. A steady drift makes it 7, as batches scatter less than they differ. */
#define DRIFT_ERRORS 4.0
#define DRIFT_SHARE 0.01 /* of the force: less is not warned of */

/* What the lines are added up to: first to means, then to batches of the deviations from those of
 * the first line, which is enough digits for any mean. */
typedef struct {
    const wabe_lbm_case *c;
    wabe_forces *forces;
    double first[WABE_FORCE_NUMBERS];
    int64_t batched; /* lines */
    double drag[WABE_BODIES_MAX][BATCHES], lift[WABE_BODIES_MAX][BATCHES];
} reading;

/* Reads the numbers of a line after its step; false: it has others. */
static bool read_line(char *text, int64_t *step, int count, double *numbers) {
    char *end;
    *step = strtoll(text, &end, 10);
    for (int i = 0; i < count; i++) {
        if (*end != ',')
            return false;
        numbers[i] = strtod(end + 1, &end);
    }
    return *end == '\n';
}

static void add_to_means(reading *r, const double *line) {
    if (r->forces->lines++ == 0)
        memcpy(r->first, line, sizeof r->first);
    for (int i = 0; i < r->c->body_count; i++)
        for (int d = 0; d < 3; d++) {
            wabe_body_means *m = &r->forces->means[i];
            const int at = 4 + i * WABE_FORCE_COLUMNS + d;
            const double deviation = line[at] - r->first[at];
            m->force[d] += deviation;
            m->rms_force[d] += deviation * deviation;
            m->torque[d] += line[at + 3];
        }
}

static void end_means(reading *r) {
    const double lines = (double)r->forces->lines;
    for (int i = 0; i < r->c->body_count; i++)
        for (int d = 0; d < 3; d++) {
            wabe_body_means *m = &r->forces->means[i];
            const double deviation = m->force[d] / lines;
            const double square = m->rms_force[d] / lines - deviation * deviation;
            m->force[d] = r->first[4 + i * WABE_FORCE_COLUMNS + d] + deviation;
            m->rms_force[d] = sqrt(fmax(square, 0.0));
            m->torque[d] /= lines;
        }
}

/* The first lines, which do not fill a batch, are left out. */
static void add_to_batches(reading *r, const double *line) {
    const int64_t number = r->batched++ - r->forces->lines % BATCHES;
    for (int i = 0; i < r->c->body_count && number >= 0; i++) {
        const int64_t batch = number / (r->forces->lines / BATCHES);
        double deviation[3];
        for (int d = 0; d < 3; d++)
            deviation[d] = line[4 + i * WABE_FORCE_COLUMNS + d] -
                           r->first[4 + i * WABE_FORCE_COLUMNS + d];
        r->drag[i][batch] += wabe_forces_dot(deviation, r->c->bodies[i].drag);
        r->lift[i][batch] += wabe_forces_dot(deviation, r->c->bodies[i].lift);
    }
}

/* The standard error of a mean, from the sums of so many batches. */
static double error_of_batches(const double sums[], int count, double lines) {
    double mean = 0.0, square = 0.0;
    for (int i = 0; i < count; i++)
        mean += sums[i] / count;
    for (int i = 0; i < count; i++)
        square += (sums[i] - mean) * (sums[i] - mean);
    return sqrt(square / (count * (count - 1))) / lines;
}

/* Batches that are shorter than the flow remembers scatter too little: the largest error of these,
 * of pairs, and of pairs of pairs (H. Flyvbjerg, H. G. Petersen, J. Chem. Phys. 91, 461, 1989). */
static double error_of(const double sums[BATCHES], double lines) {
    double joined[BATCHES], error = 0.0;
    memcpy(joined, sums, sizeof joined);
    for (int count = BATCHES; count >= BATCHES_LEAST; count /= 2) {
        error = fmax(error, error_of_batches(joined, count, lines * (double)BATCHES / count));
        for (int i = 0; i < count / 2; i++)
            joined[i] = joined[2 * i] + joined[2 * i + 1];
    }
    return error;
}

/* The mean of the second half of the batches less that of the first, or 0 within its error. */
static double drift_of(const double sums[BATCHES], double lines) {
    double means[2] = {0.0, 0.0}, square = 0.0;
    for (int i = 0; i < BATCHES; i++)
        means[i / HALF] += sums[i] / HALF;
    for (int i = 0; i < BATCHES; i++)
        square += (sums[i] - means[i / HALF]) * (sums[i] - means[i / HALF]);
    const double drift = means[1] - means[0], error = sqrt(square / (HALF * (HALF - 1)));
    return fabs(drift) > DRIFT_ERRORS * error ? drift / lines : 0.0;
}

static void end_batches(reading *r) {
    const int64_t lines = r->forces->lines / BATCHES; /* of a batch */
    for (int i = 0; i < r->c->body_count; i++) {
        wabe_body_means *m = &r->forces->means[i];
        const bool enough = lines >= BATCH_LINES_MIN;
        m->drag = wabe_forces_dot(m->force, r->c->bodies[i].drag);
        m->lift = wabe_forces_dot(m->force, r->c->bodies[i].lift);
        m->drag_error = enough ? error_of(r->drag[i], (double)lines) : NAN;
        m->lift_error = enough ? error_of(r->lift[i], (double)lines) : NAN;
        m->drag_drift = enough ? drift_of(r->drag[i], (double)lines) : NAN;
        m->lift_drift = enough ? drift_of(r->lift[i], (double)lines) : NAN;
    }
}

static wabe_status read_lines(FILE *file, const char *path, int64_t begin, reading *r,
                              void (*add)(reading *r, const double *line)) {
    double numbers[WABE_FORCE_NUMBERS];
    const int count = 4 + r->c->body_count * WABE_FORCE_COLUMNS;
    char *text = NULL;
    size_t size = 0;
    int64_t step;
    rewind(file);
    bool good = getline(&text, &size, file) > 0;
    while (good && getline(&text, &size, file) > 0) {
        good = read_line(text, &step, count, numbers);
        if (good && step >= begin)
            add(r, numbers);
    }
    free(text);
    WABE_CHECK(good, WABE_FILE, "%s: has a line without %d numbers", path, count + 1);
    return WABE_OK;
}

static wabe_status read_means(FILE *file, const char *path, int64_t begin, reading *r) {
    WABE_TRY(read_lines(file, path, begin, r, add_to_means));
    if (r->forces->lines > 0)
        end_means(r);
    if (r->forces->lines >= (int64_t)BATCHES * BATCH_LINES_MIN)
        WABE_TRY(read_lines(file, path, begin, r, add_to_batches));
    end_batches(r);
    return WABE_OK;
}

wabe_status wabe_forces_conclude(const wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    reading r = {.c = &flow->lbm_case, .forces = &flow->forces};
    char path[PATH_MAX];
    if (!flow->forces.file.file)
        return WABE_OK;
    snprintf(path, sizeof path, "%s/forces.csv", run->directory);
    FILE *file = fopen(path, "r");
    WABE_CHECK(file, WABE_FILE, "%s: cannot be read: %s", path, strerror(errno));
    flow->forces.lines = 0;
    memset(flow->forces.means, 0, sizeof flow->forces.means);
    const wabe_status status = read_means(file, path, flow->options.forces.begin, &r);
    fclose(file);
    return status;
}

/* ---- results ------------------------------------------------------------------------ */

static void put_vector(wabe_json *json, const char *name, const double v[3], double factor) {
    wabe_json_open(json, name, '[');
    for (int d = 0; d < 3; d++)
        wabe_json_real(json, NULL, factor * v[d]);
    wabe_json_close(json, ']');
}

/* 1 / (density U^2 area / 2), in the units of the run. */
static double coefficient_of(const wabe_force_body *body, const wabe_lbm_units *u) {
    return 1.0 / (body->pressure * u->pressure * u->length * u->length);
}

static void put_drag(const wabe_force_body *body, const wabe_body_means *m, double coefficient,
                     wabe_json *json) {
    const char *const names[] = {"drag",       "drag_error", "lift",
                                 "lift_error", "drag_drift", "lift_drift"};
    const char *const scaled[] = {"drag_coefficient", "drag_coefficient_error", "lift_coefficient",
                                  "lift_coefficient_error"};
    const double values[] = {m->drag,       m->drag_error, m->lift,
                             m->lift_error, m->drag_drift, m->lift_drift};
    put_vector(json, "drag_direction", body->drag, 1.0);
    put_vector(json, "lift_direction", body->lift, 1.0);
    for (int i = 0; i < 6; i++)
        wabe_json_real(json, names[i], values[i]);
    for (int i = 0; i < 4 && isfinite(body->pressure); i++)
        wabe_json_real(json, scaled[i], coefficient * values[i]);
}

void wabe_forces_put(const wabe_run *run, wabe_json *json) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    if (flow->forces.lines == 0)
        return;
    wabe_json_open(json, "forces", '{');
    wabe_json_integer(json, "lines", flow->forces.lines);
    for (int i = 0; i < c->body_count; i++) {
        const wabe_body_means *m = &flow->forces.means[i];
        wabe_json_open(json, c->bodies[i].name, '{');
        put_vector(json, "mean_force", m->force, 1.0);
        put_vector(json, "rms_force", m->rms_force, 1.0);
        put_vector(json, "mean_torque", m->torque, 1.0);
        const double factor = coefficient_of(&c->bodies[i], &c->units);
        if (c->bodies[i].has_stream)
            put_drag(&c->bodies[i], m, factor, json);
        if (isfinite(c->bodies[i].pressure)) {
            put_vector(json, "mean_coefficients", m->force, factor);
            put_vector(json, "rms_coefficients", m->rms_force, factor);
        }
        wabe_json_close(json, '}');
    }
    wabe_json_close(json, '}');
}

/* A number with its error bar, if there is one. */
static const char *with_error(double value, double error, char text[64]) {
    if (isfinite(error))
        snprintf(text, 64, "%.6g +- %.2g", value, error);
    else
        snprintf(text, 64, "%.6g", value);
    return text;
}

static void print_drag(const wabe_force_body *body, const wabe_body_means *m, double factor,
                       const char *unit) {
    char drag[64], lift[64];
    const bool scaled = isfinite(body->pressure);
    wabe_log_line("%-10s %s of %s %s, %s %s%s%s%s", "", scaled ? "drag coefficient" : "drag",
                  body->name, with_error(factor * m->drag, factor * m->drag_error, drag),
                  scaled ? "lift coefficient" : "lift",
                  with_error(factor * m->lift, factor * m->lift_error, lift), scaled ? "" : " ",
                  scaled ? "" : unit,
                  isfinite(m->drag_error) ? "" : "; too few lines for error bars");
}

/* The error bars know nothing of a start that still decays. */
static void warn_of_drift(const wabe_run *run, const wabe_force_body *body,
                          const wabe_body_means *m) {
    const double least = DRIFT_SHARE * sqrt(wabe_forces_dot(m->force, m->force));
    const bool lifts = fabs(m->lift_drift) > fabs(m->drag_drift);
    const double drift = lifts ? m->lift_drift : m->drag_drift;
    if (fabs(drift) > least)
        wabe_run_warn(
            run, "forces.begin",
            "the mean %s of %s still drifts: over the second half of the lines it differs "
            "from that over the first by %.2g %% of the force, more than the lines' "
            "scatter explains; let forces.begin be later, and the run longer",
            lifts ? "lift" : "drag", body->name, DRIFT_SHARE * 100.0 * fabs(drift) / least);
}

void wabe_forces_print(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    for (int i = 0; i < c->body_count && flow->forces.lines > 0; i++) {
        const wabe_force_body *body = &c->bodies[i];
        const bool scaled = isfinite(body->pressure);
        const double *f = flow->forces.means[i].force;
        const double factor = scaled ? coefficient_of(body, &c->units) : 1.0;
        wabe_log_line("%-10s %s of %s: %.6g %.6g %.6g%s%s, means of %lld lines",
                      i == 0 ? "forces" : "", scaled ? "coefficients" : "force", body->name,
                      factor * f[0], factor * f[1], factor * f[2], scaled ? "" : " ",
                      scaled ? "" : wabe_lbm_unit(&c->units, "N"), (long long)flow->forces.lines);
        if (!body->has_stream)
            continue;
        print_drag(body, &flow->forces.means[i], factor, wabe_lbm_unit(&c->units, "N"));
        warn_of_drift(run, body, &flow->forces.means[i]);
    }
}
