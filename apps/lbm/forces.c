#include "apps/lbm/forces.h"

#include "apps/lbm/lbm.h"
#include "core/base/log.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

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
        if (!wabe_is_wall(g->conditions[k].kind) || g->conditions[k].has_law ||
            !wabe_lbm_solid_of(o, c, k, solid))
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
                                  "asks for forces on solids, and there is none of kind no_slip, "
                                  "moving_wall or curved_wall, the kinds whose forces are known; a "
                                  "face of the domain can be named in forces.bodies");
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

enum { SOLIDS_NAMED = 6 };

/* The first solids that there are: "geometry.objects[0], geometry.city". */
static void list_solids(const wabe_lbm_options *o, const wabe_lbm_case *c, char text[256]) {
    char solid[64];
    int count = 0;
    text[0] = '\0';
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++) {
        const size_t used = strlen(text);
        if (count > SOLIDS_NAMED || !wabe_lbm_solid_of(o, c, k, solid))
            continue;
        snprintf(text + used, 256 - used, "%s%s", count > 0 ? ", " : "",
                 count < SOLIDS_NAMED ? solid : "...");
        count++;
    }
}

/* A surface that is not there. */
static wabe_status refuse_surface(const wabe_config *config, const char *key, const char *of,
                                  const wabe_lbm_options *o, const wabe_lbm_case *c) {
    char solids[256];
    list_solids(o, c, solids);
    return wabe_config_fail(config, key,
                            "there is no solid \"%s\": name one of geometry (there %s%s), or a "
                            "face, such as \"boundaries.y_low\"",
                            of, solids[0] ? "are " : "is none", solids);
}

static bool is_name(const char *text) {
    bool good = text[0] && strlen(text) <= WABE_BODY_NAME_MAX && strcmp(text, "total") != 0;
    for (; *text; text++)
        good &= isalnum((unsigned char)*text) || *text == '_';
    return good;
}

/* Makes v one long; false: it is zero. */
static bool normalise(double v[3]) {
    const double largest = fmax(fmax(fabs(v[0]), fabs(v[1])), fabs(v[2]));
    for (int d = 0; d < 3 && largest > 0.0; d++)
        v[d] /= largest;
    const double length = sqrt(wabe_forces_dot(v, v));
    for (int d = 0; d < 3 && largest > 0.0; d++)
        v[d] /= length;
    return largest > 0.0;
}

/* The axis of lift that is not given: the first of z (but not of one layer), y and x that is more
 * across the stream than along it. */
static void choose_lift(const wabe_lbm_options *o, const double drag[3], double lift[3]) {
    int axis = o->run.domain.cells[2] > 1 ? 2 : 1;
    while (drag[axis] * drag[axis] > 0.51)
        axis--;
    for (int d = 0; d < 3; d++)
        lift[d] = d == axis;
}

/* Along the stream, and across it. */
static wabe_status find_directions(const wabe_config *config, const wabe_lbm_options *o, int number,
                                   wabe_force_body *body) {
    const wabe_body_options *from = (const wabe_body_options *)o->forces.bodies.items + number;
    char keys[2][64];
    snprintf(keys[0], sizeof keys[0], "forces.bodies[%d].stream", number);
    snprintf(keys[1], sizeof keys[1], "forces.bodies[%d].lift", number);
    memcpy(body->drag, from->stream, sizeof body->drag);
    memcpy(body->lift, from->lift, sizeof body->lift);
    body->has_stream = isfinite(from->stream[0]);
    if (!body->has_stream)
        return isfinite(from->lift[0])
                   ? wabe_config_fail(config, keys[1], "is across the stream: give %s, too",
                                      keys[0])
                   : WABE_OK;
    if (!normalise(body->drag))
        return wabe_config_fail(config, keys[0], "must be a direction, such as [1.0, 0.0, 0.0]");
    if (!isfinite(from->lift[0]))
        choose_lift(o, body->drag, body->lift);
    else if (!normalise(body->lift))
        return wabe_config_fail(config, keys[1], "must be a direction, such as [0.0, 0.0, 1.0]");
    const double along = wabe_forces_dot(body->drag, body->lift);
    for (int d = 0; d < 3; d++)
        body->lift[d] -= along * body->drag[d];
    return normalise(body->lift)
               ? WABE_OK
               : wabe_config_fail(config, keys[1], "is along the stream: lift is across it");
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
        return refuse_surface(config, key, from->of, o, c);
    const wabe_condition *surface = &c->conditions[body->condition];
    if (!wabe_is_wall(surface->kind) || surface->has_law)
        return wabe_config_fail(
            config, key,
            "%s is of kind %s: there are forces on no_slip, moving_wall and curved_wall", from->of,
            wabe_condition_word(surface));
    snprintf(key, sizeof key, "forces.bodies[%d].%s", number,
             isfinite(from->velocity) ? "velocity" : "area");
    if (isfinite(from->velocity) != isfinite(from->area))
        return wabe_config_fail(config, key, "coefficients need both velocity and area");
    body->pressure = 0.5 * from->velocity * from->velocity * from->area;
    return find_directions(config, o, number, body);
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
    char columns[(WABE_BODY_NAME_MAX + 4) * WABE_FORCE_NUMBERS] =
        "step,time,total_fx,total_fy,total_fz";
    for (int i = 0; i < c->body_count; i++)
        for (int k = 0; k < WABE_FORCE_COLUMNS; k++) {
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
    double line[WABE_FORCE_NUMBERS] = {wabe_run_time(run)};
    WABE_TRY(add_up(run, forces));
    for (int k = WABE_FACES; k < c->simulation.geometry.condition_count; k++)
        wabe_force_merge(&total, &forces[k]);
    for (int t = 0; t < c->turning_count; t++)
        for (int k = 0; k < c->turnings[t].count; k++)
            wabe_force_merge(&forces[c->turnings[t].condition], &forces[c->turnings[t].first + k]);
    put_force(&total, &c->units, line + 1);
    for (int i = 0; i < c->body_count; i++) {
        const wabe_force *force = &forces[c->bodies[i].condition];
        double *of_body = line + 4 + (ptrdiff_t)i * WABE_FORCE_COLUMNS;
        put_force(force, &c->units, of_body);
        put_torque(force, c->bodies[i].about, &c->units, of_body + 3);
    }
    return wabe_agree(run->comm,
                      wabe_time_series_add(&flow->forces.file, run->step,
                                           4 + c->body_count * WABE_FORCE_COLUMNS, line));
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
