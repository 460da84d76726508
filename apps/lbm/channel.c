#include "apps/lbm/channel.h"

#include "core/base/log.h"
#include "core/base/rounded.h"
#include "sweeps/lattice/wall_law.h"

#include <math.h>

static bool is_wall(const wabe_geometry *g, int face) {
    return g->conditions[face].kind == WABE_BOUNDARY_no_slip ||
           g->conditions[face].kind == WABE_BOUNDARY_wall_function;
}

/* Velocity over that of friction, by the distance from the wall in wall units. */
static double law(double y) {
    return 2.5 * log(1.0 + 0.4 * y) + 7.8 * (1.0 - exp(-y / 11.0) - y / 11.0 * exp(-y / 3.0));
}

static double speed_at(const wabe_channel *c, double friction, int64_t cell) {
    const double low = (double)cell + 0.5, high = c->cells - low;
    const int side = !c->walls[0] || (c->walls[1] && high < low);
    const double distance = side ? high : low, roughness = c->roughness[side];
    if (roughness > 0.0)
        return friction * log(distance / roughness) / WABE_KAPPA_ROUGH;
    return friction * law(distance * friction / c->viscosity);
}

double wabe_channel_speed(const wabe_channel *c, int64_t cell) {
    return wabe_rounded(speed_at(c, c->friction, cell));
}

static double mean_speed(const wabe_channel *c, double friction) {
    double sum = 0.0;
    for (int64_t cell = 0; cell < (int64_t)c->cells; cell++)
        sum += speed_at(c, friction, cell);
    return sum / c->cells;
}

/* Finds the friction velocity of a mean speed, which grows with it, by bisection: friction is
 * less than the flow in the middle, and more than the stress of a linear profile. */
static double friction_of(const wabe_channel *c, double bulk) {
    double low = 0.0, high = bulk;
    while (mean_speed(c, high) < bulk)
        high *= 2.0;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        *(mean_speed(c, middle) < bulk ? &low : &high) = middle;
    }
    return high;
}

static wabe_status find_walls(const wabe_config *config, const wabe_geometry *g,
                              wabe_channel *out) {
    int found = 0;
    for (int d = 0; d < 3; d++) {
        const bool low = is_wall(g, 2 * d), high = is_wall(g, 2 * d + 1);
        if (!low && !high)
            continue;
        found++;
        out->axis = d;
        out->walls[0] = low;
        out->walls[1] = high;
        for (int side = 0; side < 2; side++)
            out->roughness[side] = g->conditions[2 * d + side].roughness;
    }
    for (int side = 0; side < 2 && found == 1; side++)
        if (!out->walls[side] &&
            g->conditions[2 * out->axis + side].kind != WABE_BOUNDARY_free_slip)
            return wabe_config_fail(config, "initial.kind",
                                    "\"turbulent_channel\" needs two faces of kind \"no_slip\" "
                                    "or \"wall_function\", or one opposite a face of kind "
                                    "\"free_slip\"");
    out->cells = (double)g->cells[out->axis];
    out->height = out->walls[0] && out->walls[1] ? 0.5 * out->cells : out->cells;
    return found == 1 ? WABE_OK
                      : wabe_config_fail(config, "initial.kind",
                                         "\"turbulent_channel\" needs faces of kind \"no_slip\" "
                                         "or \"wall_function\" along one axis alone; %s",
                                         found ? "they are along more" : "there are none");
}

/* Finds the direction along the walls, and the size. */
static double project(const wabe_channel *c, const double v[3], double direction[3]) {
    double square = 0.0;
    for (int d = 0; d < 3; d++)
        square += d != c->axis ? v[d] * v[d] : 0.0;
    for (int d = 0; d < 3; d++)
        direction[d] = d != c->axis && square > 0.0 ? v[d] / sqrt(square) : 0.0;
    return sqrt(square);
}

wabe_status wabe_channel_make(const wabe_config *config, const wabe_geometry *geometry,
                              const double velocity[3], const double force[3], double viscosity,
                              wabe_channel *out) {
    *out = (wabe_channel){.viscosity = viscosity};
    WABE_TRY(find_walls(config, geometry, out));
    if (velocity[out->axis] != 0.0)
        return wabe_config_fail(config, "initial.velocity",
                                "leads into the walls of the channel, which are normal to %c",
                                'x' + out->axis);
    out->bulk = project(out, velocity, out->direction);
    if (out->bulk > 0.0) {
        out->friction = wabe_rounded(friction_of(out, out->bulk));
        return WABE_OK;
    }
    out->friction = wabe_rounded(sqrt(project(out, force, out->direction) * out->height));
    if (out->friction == 0.0)
        return wabe_config_fail(config, "initial.kind",
                                "\"turbulent_channel\" needs initial.velocity, the mean, or an "
                                "lbm.force along the walls");
    out->bulk = mean_speed(out, out->friction);
    return WABE_OK;
}

void wabe_channel_print(const wabe_channel *c) {
    wabe_log_line("initial    channel between walls normal to %c: mean velocity %.4g, friction "
                  "velocity %.4g, Re_tau %.4g",
                  'x' + c->axis, c->bulk, c->friction, c->friction * c->height / c->viscosity);
}
