#include "apps/lbm/forces.h"

#include "apps/lbm/lbm.h"
#include "core/base/log.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_COLUMNS = 6, LINE_NUMBERS = 4 + BODY_COLUMNS * WABE_BODIES_MAX };

/* ---- bodies ------------------------------------------------------------------------- */

/* The name of a body that is not named: its key without the group, and with _ for brackets. */
static void name_after(const char *solid, char name[WABE_BODY_NAME_MAX + 1]) {
    int length = 0;
    for (const char *c = strchr(solid, '.') + 1; *c && length < WABE_BODY_NAME_MAX; c++)
        if (*c != ']')
            name[length++] = *c == '[' ? '_' : *c;
    name[length] = '\0';
}

static wabe_status each_solid(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    char solid[64];
    const wabe_geometry *g = &c->simulation.geometry;
    for (int k = WABE_FACES; k < g->condition_count; k++) {
        if (!wabe_is_wall(g->conditions[k].kind) || !wabe_lbm_solid_of(o, c, k, solid))
            continue;
        if (c->body_count == WABE_BODIES_MAX)
            return wabe_config_fail(config, "forces.every",
                                    "there are more than %d solids: name those on which forces are "
                                    "wanted in forces.bodies",
                                    WABE_BODIES_MAX);
        wabe_force_body *body = &c->bodies[c->body_count++];
        *body = (wabe_force_body){.condition = k, .pressure = NAN};
        name_after(solid, body->name);
    }
    return c->body_count > 0
               ? WABE_OK
               : wabe_config_fail(config, "forces.every",
                                  "there is no solid with walls (no_slip or moving_wall) on which "
                                  "there could be forces; the faces of the domain are none");
}

/* -1: there is no such surface. voxels, spheres and bed are one body. */
static int condition_of(const wabe_lbm_options *o, const wabe_lbm_case *c, const char *of) {
    char solid[64];
    for (int face = 0; face < WABE_FACES; face++) {
        snprintf(solid, sizeof solid, "boundaries.%s", wabe_face_name(face));
        if (strcmp(solid, of) == 0)
            return face;
    }
    const bool shared = strcmp(of, "geometry.voxels") == 0 || strcmp(of, "geometry.spheres") == 0 ||
                        strcmp(of, "geometry.bed") == 0;
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++)
        if (wabe_lbm_solid_of(o, c, k, solid) && strcmp(solid, of) == 0)
            return k;
    return shared && wabe_lbm_solid_of(o, c, c->simulation.geometry.solid, solid)
               ? c->simulation.geometry.solid
               : -1;
}

static bool is_name(const char *text) {
    bool good = text[0] && strlen(text) <= WABE_BODY_NAME_MAX && strcmp(text, "total") != 0;
    for (; *text; text++)
        good &= isalnum((unsigned char)*text) || *text == '_';
    return good;
}

static wabe_status add_body(const wabe_config *config, const wabe_lbm_options *o, int number,
                            wabe_lbm_case *c) {
    const wabe_body_options *from = (const wabe_body_options *)o->forces.bodies.items + number;
    wabe_force_body *body = &c->bodies[number];
    char key[64];
    snprintf(key, sizeof key, "forces.bodies[%d].name", number);
    if (!is_name(from->name))
        return wabe_config_fail(config, key,
                                "must be 1 to %d letters, digits and _, and not \"total\"",
                                WABE_BODY_NAME_MAX);
    for (int i = 0; i < number; i++)
        if (strcmp(c->bodies[i].name, from->name) == 0)
            return wabe_config_fail(config, key, "is the name of another body, too");
    *body = (wabe_force_body){.condition = condition_of(o, c, from->of), .pressure = NAN};
    snprintf(body->name, sizeof body->name, "%.*s", WABE_BODY_NAME_MAX, from->name);
    memcpy(body->about, from->about, sizeof body->about);
    snprintf(key, sizeof key, "forces.bodies[%d].of", number);
    if (body->condition < 0)
        return wabe_config_fail(config, key,
                                "there is no solid \"%s\": name one of geometry, such as "
                                "\"geometry.objects[0]\", \"geometry.meshes[0]\" or "
                                "\"geometry.city\", or a face, such as \"boundaries.y_low\"",
                                from->of);
    if (!wabe_is_wall(c->conditions[body->condition].kind))
        return wabe_config_fail(
            config, key,
            "%s is of kind %s: there are forces on no_slip, moving_wall and curved_wall", from->of,
            wabe_boundary_word(c->conditions[body->condition].kind));
    snprintf(key, sizeof key, "forces.bodies[%d].%s", number,
             isfinite(from->velocity) ? "velocity" : "area");
    if (isfinite(from->velocity) != isfinite(from->area))
        return wabe_config_fail(config, key, "coefficients need both velocity and area");
    body->pressure = 0.5 * from->velocity * from->velocity * from->area;
    return WABE_OK;
}

wabe_status wabe_forces_bodies(const wabe_config *config, const wabe_lbm_options *o,
                               wabe_lbm_case *c) {
    const int64_t count = o->forces.bodies.count;
    c->body_count = 0;
    if (o->forces.every == 0)
        return count == 0 ? WABE_OK
                          : wabe_config_fail(config, "forces.bodies",
                                             "needs forces.every, the steps between two lines");
    if (count == 0)
        return each_solid(config, o, c);
    if (count > WABE_BODIES_MAX)
        return wabe_config_fail(config, "forces.bodies", "has %lld bodies, at most %d",
                                (long long)count, WABE_BODIES_MAX);
    for (; c->body_count < count; c->body_count++) {
        WABE_TRY(add_body(config, o, c->body_count, c));
        if (c->bodies[c->body_count].condition < WABE_FACES)
            c->simulation.force_faces |= 1u << c->bodies[c->body_count].condition;
    }
    return WABE_OK;
}

/* ---- forces.csv --------------------------------------------------------------------- */

static wabe_status open_file(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    static const char *const of_body[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    char columns[(WABE_BODY_NAME_MAX + 4) * LINE_NUMBERS] = "step,time,total_fx,total_fy,total_fz";
    for (int i = 0; i < c->body_count; i++)
        for (int k = 0; k < BODY_COLUMNS; k++) {
            const size_t used = strlen(columns);
            snprintf(columns + used, sizeof columns - used, ",%s_%s", c->bodies[i].name,
                     of_body[k]);
        }
    flow->forces.step = -1;
    return wabe_time_series_open(&run->folder, "forces.csv", columns,
                                 run->goes_on ? run->first_step : 0, &flow->forces.file);
}

/* The mean of two steps, in the units of the run. */
static void put_force(const wabe_force *f, const wabe_lbm_units *u, double out[3]) {
    for (int d = 0; d < 3; d++)
        out[d] = 0.5 * u->pressure * u->length * u->length * wabe_sum_value(f->force[d]);
}

/* Torque about a point, the same. */
static void put_torque(const wabe_force *f, const double about[3], const wabe_lbm_units *u,
                       double out[3]) {
    const double unit = 0.5 * u->pressure * u->length * u->length * u->length;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, g = (d + 2) % 3;
        const double torque = WABE_TORQUE_UNIT * wabe_sum_value(f->torque[d]);
        out[d] = unit * (torque - (about[e] * wabe_sum_value(f->force[g]) -
                                   about[g] * wabe_sum_value(f->force[e])));
    }
}

/* Keeps the forces of the present step for the mean of the next line. */
static wabe_status keep_forces(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    if (flow->forces.step == run->step)
        return WABE_OK;
    flow->forces.step = run->step;
    memset(flow->forces.now, 0, sizeof flow->forces.now);
    return wabe_simulation_forces(flow->simulation, flow->forces.now);
}

/* Of two successive steps: what populations have beside equilibrium alternates at walls if the
 * viscosity is low, and is not what moves the body (Ladd, J. Fluid Mech. 271 (1994) 285). The sums
 * stay exact. */
static wabe_status add_up(wabe_run *run, wabe_force forces[WABE_CONDITIONS_MAX]) {
    wabe_flow *flow = wabe_flow_of(run);
    memcpy(forces, flow->forces.now, sizeof flow->forces.now);
    WABE_TRY(keep_forces(run));
    for (int k = 0; k < WABE_CONDITIONS_MAX; k++)
        wabe_force_merge(&forces[k], &flow->forces.now[k]);
    return WABE_OK;
}

static wabe_status add_line(wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    const wabe_lbm_case *c = &flow->lbm_case;
    wabe_force forces[WABE_CONDITIONS_MAX], total = {0};
    double line[LINE_NUMBERS] = {(double)run->step * run->app->time_step};
    WABE_TRY(add_up(run, forces));
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++)
        wabe_force_merge(&total, &forces[k]);
    for (int t = 0; t < c->turning_count; t++)
        for (int k = 0; k < c->turnings[t].count; k++)
            wabe_force_merge(&forces[c->turnings[t].condition], &forces[c->turnings[t].first + k]);
    put_force(&total, &c->units, line + 1);
    for (int i = 0; i < c->body_count; i++) {
        const wabe_force *force = &forces[c->bodies[i].condition];
        double *of_body = line + 4 + (ptrdiff_t)i * BODY_COLUMNS;
        put_force(force, &c->units, of_body);
        put_torque(force, c->bodies[i].about, &c->units, of_body + 3);
    }
    return wabe_agree(run->comm, wabe_time_series_add(&flow->forces.file, run->step,
                                                      4 + c->body_count * BODY_COLUMNS, line));
}

static void close_file(wabe_run *run) { wabe_time_series_close(&wabe_flow_of(run)->forces.file); }

void wabe_forces_enter(const wabe_lbm_options *options, wabe_application *app) {
    app->records = (wabe_own_records){.every = options->forces.every,
                                      .key = "forces.every",
                                      .open = open_file,
                                      .prepare = keep_forces,
                                      .add = add_line,
                                      .close = close_file};
}

/* ---- means -------------------------------------------------------------------------- */

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

/* Adds a line to sums of the bodies' numbers and of the squares of their deviations from those of
 * the first line, which is enough digits for any mean. */
static void add_to_means(const double *line, const double *first, int bodies,
                         wabe_body_means *means) {
    for (int i = 0; i < bodies; i++)
        for (int d = 0; d < 3; d++) {
            const int at = 4 + i * BODY_COLUMNS + d;
            const double deviation = line[at] - first[at];
            means[i].force[d] += deviation;
            means[i].rms_force[d] += deviation * deviation;
            means[i].torque[d] += line[at + 3];
        }
}

static void end_means(const double *first, int bodies, wabe_forces *forces) {
    const double lines = (double)forces->lines;
    for (int i = 0; i < bodies; i++)
        for (int d = 0; d < 3; d++) {
            wabe_body_means *m = &forces->means[i];
            const double deviation = m->force[d] / lines;
            const double square = m->rms_force[d] / lines - deviation * deviation;
            m->force[d] = first[4 + i * BODY_COLUMNS + d] + deviation;
            m->rms_force[d] = sqrt(fmax(square, 0.0));
            m->torque[d] /= lines;
        }
}

static wabe_status read_means(FILE *file, const char *path, int bodies, int64_t begin,
                              wabe_forces *forces) {
    double numbers[LINE_NUMBERS], first[LINE_NUMBERS];
    const int count = 4 + bodies * BODY_COLUMNS;
    char *text = NULL;
    size_t size = 0;
    int64_t step;
    bool good = getline(&text, &size, file) > 0;
    while (good && getline(&text, &size, file) > 0) {
        good = read_line(text, &step, count, numbers);
        if (!good || step < begin)
            continue;
        if (forces->lines++ == 0)
            memcpy(first, numbers, sizeof first);
        add_to_means(numbers, first, bodies, forces->means);
    }
    free(text);
    WABE_CHECK(good, WABE_FILE, "%s: has a line without %d numbers", path, count + 1);
    if (forces->lines > 0)
        end_means(first, bodies, forces);
    return WABE_OK;
}

wabe_status wabe_forces_conclude(const wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    char path[PATH_MAX];
    if (!flow->forces.file.file)
        return WABE_OK;
    snprintf(path, sizeof path, "%s/forces.csv", run->directory);
    FILE *file = fopen(path, "r");
    WABE_CHECK(file, WABE_FILE, "%s: cannot be read: %s", path, strerror(errno));
    flow->forces.lines = 0;
    memset(flow->forces.means, 0, sizeof flow->forces.means);
    const wabe_status status = read_means(file, path, flow->lbm_case.body_count,
                                          flow->options.forces.begin, &flow->forces);
    fclose(file);
    return status;
}

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
        if (isfinite(c->bodies[i].pressure)) {
            const double factor = coefficient_of(&c->bodies[i], &c->units);
            put_vector(json, "mean_coefficients", m->force, factor);
            put_vector(json, "rms_coefficients", m->rms_force, factor);
        }
        wabe_json_close(json, '}');
    }
    wabe_json_close(json, '}');
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
    }
}
