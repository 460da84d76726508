#include "apps/lbm_options.h"

#include "core/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the schema --------------------------------------------------------------------- */

#define AT(member) offsetof(wabe_lbm_options, member)
#define CONDITION_WORDS "periodic|no_slip|moving_wall|velocity|pressure|free_slip"

#define FACE(face, place)                                                                          \
    {.path = "boundaries." face ".kind",                                                           \
     .type = WABE_OPTION_WORD,                                                                     \
     .offset = AT(faces[place].kind),                                                              \
     .default_value = "\"periodic\"",                                                              \
     .words = CONDITION_WORDS,                                                                     \
     .unit = "",                                                                                   \
     .help = "What lies behind this face. Opposite faces are periodic together."},                 \
        {.path = "boundaries." face ".velocity",                                                   \
         .type = WABE_OPTION_REAL3,                                                                \
         .offset = AT(faces[place].velocity),                                                      \
         .default_value = "[0, 0, 0]",                                                             \
         .min = -1,                                                                                \
         .max = 1,                                                                                 \
         .unit = "lattice units",                                                                  \
         .help = "Velocity of a moving wall or of the fluid at a velocity boundary."},             \
        {.path = "boundaries." face ".density",                                                    \
         .type = WABE_OPTION_REAL,                                                                 \
         .offset = AT(faces[place].density),                                                       \
         .default_value = "1",                                                                     \
         .min = 0.5,                                                                               \
         .max = 1.5,                                                                               \
         .unit = "lattice units",                                                                  \
         .help = "Density at a pressure boundary; the pressure is a third of it."},

#define OBJECT_AT(member) offsetof(wabe_object_options, member)

static const wabe_option object_rows[] = {
    {.path = "shape",
     .type = WABE_OPTION_WORD,
     .offset = OBJECT_AT(shape),
     .words = "box|sphere|cylinder",
     .unit = "",
     .help = "Shape of the obstacle."},
    {.path = "low",
     .type = WABE_OPTION_REAL3,
     .offset = OBJECT_AT(low),
     .default_value = "[0, 0, 0]",
     .unit = "cells",
     .help = "Box: its lower corner. Cylinder: one end of its axis."},
    {.path = "high",
     .type = WABE_OPTION_REAL3,
     .offset = OBJECT_AT(high),
     .default_value = "[0, 0, 0]",
     .unit = "cells",
     .help = "Box: its upper corner. Cylinder: the other end of its axis."},
    {.path = "center",
     .type = WABE_OPTION_REAL3,
     .offset = OBJECT_AT(center),
     .default_value = "[0, 0, 0]",
     .unit = "cells",
     .help = "Centre of a sphere."},
    {.path = "radius",
     .type = WABE_OPTION_REAL,
     .offset = OBJECT_AT(radius),
     .default_value = "0",
     .min = 0,
     .max = 1e9,
     .unit = "cells",
     .help = "Radius of a sphere or cylinder."},
    {.path = "kind",
     .type = WABE_OPTION_WORD,
     .offset = OBJECT_AT(kind),
     .default_value = "\"no_slip\"",
     .words = CONDITION_WORDS,
     .unit = "",
     .help = "What its surface does: no_slip, moving_wall, velocity or pressure."},
    {.path = "velocity",
     .type = WABE_OPTION_REAL3,
     .offset = OBJECT_AT(velocity),
     .default_value = "[0, 0, 0]",
     .min = -1,
     .max = 1,
     .unit = "lattice units",
     .help = "Velocity of a moving surface."},
    {.path = NULL},
};

const wabe_option wabe_lbm_option_rows[] = {
    {.path = "application",
     .type = WABE_OPTION_STRING,
     .offset = AT(application),
     .default_value = "\"lbm\"",
     .unit = "",
     .help = "What is simulated; lbm: flow, by the lattice Boltzmann method."},
    {.path = "name",
     .type = WABE_OPTION_STRING,
     .offset = AT(name),
     .default_value = "\"case\"",
     .unit = "",
     .help = "Name of the case; results go to out/NAME."},
    {.path = "steps",
     .type = WABE_OPTION_INT,
     .offset = AT(steps),
     .min = 0,
     .max = 1e15,
     .unit = "steps",
     .help = "Time steps to run."},
    {.path = "domain.cells",
     .type = WABE_OPTION_INT3,
     .offset = AT(domain.cells),
     .min = 1,
     .max = 1e6,
     .unit = "cells",
     .help = "Cells along x, y, z."},
    {.path = "lbm.collision",
     .type = WABE_OPTION_WORD,
     .offset = AT(lbm.collision),
     .default_value = "\"trt\"",
     .words = "srt|trt",
     .unit = "",
     .help = "Collision operator: one relaxation time, or two."},
    {.path = "lbm.streaming",
     .type = WABE_OPTION_WORD,
     .offset = AT(lbm.streaming),
     .default_value = "\"in_place\"",
     .words = "pull|in_place",
     .unit = "",
     .help =
         "Streaming pattern: two grids, or one with half the memory. The results are the same."},
    {.path = "lbm.storage",
     .type = WABE_OPTION_WORD,
     .offset = AT(lbm.storage),
     .default_value = "\"f64\"",
     .words = "f64|f32",
     .unit = "",
     .help = "Number type of the populations."},
    {.path = "lbm.tau",
     .type = WABE_OPTION_REAL,
     .offset = AT(lbm.tau),
     .default_value = "unset",
     .unit = "steps",
     .help = "Relaxation time, above 1/2. One of tau, viscosity, reynolds, or units.viscosity."},
    {.path = "lbm.viscosity",
     .type = WABE_OPTION_REAL,
     .offset = AT(lbm.viscosity),
     .default_value = "unset",
     .unit = "lattice units",
     .help = "Kinematic viscosity, (tau - 1/2) / 3."},
    {.path = "lbm.reynolds",
     .type = WABE_OPTION_REAL,
     .offset = AT(lbm.reynolds),
     .default_value = "unset",
     .unit = "",
     .help = "Reynolds number, lbm.velocity lbm.length / viscosity."},
    {.path = "lbm.velocity",
     .type = WABE_OPTION_REAL,
     .offset = AT(lbm.velocity),
     .default_value = "unset",
     .min = 1e-12,
     .max = 1,
     .unit = "lattice units",
     .help = "Reference velocity; if not given, the largest velocity of boundaries and initial "
             "state."},
    {.path = "lbm.length",
     .type = WABE_OPTION_REAL,
     .offset = AT(lbm.length),
     .default_value = "unset",
     .min = 1e-6,
     .max = 1e9,
     .unit = "cells",
     .help = "Reference length; if not given, the cells along x."},
    {.path = "lbm.magic",
     .type = WABE_OPTION_REAL,
     .offset = AT(lbm.magic),
     .default_value = "0.1875",
     .min = 1e-6,
     .max = 10,
     .unit = "",
     .help = "TRT: Lambda = (tau+ - 1/2)(tau- - 1/2); 3/16 puts walls exactly half-way."},
    {.path = "lbm.force",
     .type = WABE_OPTION_REAL3,
     .offset = AT(lbm.force),
     .default_value = "[0, 0, 0]",
     .min = -1,
     .max = 1,
     .unit = "lattice units",
     .help = "Body force on each cell (Guo's scheme)."},
    {.path = "lbm.kernel",
     .type = WABE_OPTION_STRING,
     .offset = AT(lbm.kernel),
     .default_value = "\"\"",
     .unit = "",
     .help = "A part of the name of the stream_collide kernel to take; see wabe kernels."},
    {.path = "units.cell",
     .type = WABE_OPTION_REAL,
     .offset = AT(units.cell),
     .default_value = "unset",
     .min = 1e-15,
     .max = 1e15,
     .unit = "m",
     .help = "Edge of a cell. Physical units need cell, velocity and viscosity."},
    {.path = "units.velocity",
     .type = WABE_OPTION_REAL,
     .offset = AT(units.velocity),
     .default_value = "unset",
     .min = 1e-15,
     .max = 1e15,
     .unit = "m/s",
     .help = "What lbm.velocity stands for."},
    {.path = "units.viscosity",
     .type = WABE_OPTION_REAL,
     .offset = AT(units.viscosity),
     .default_value = "unset",
     .min = 1e-15,
     .max = 1e15,
     .unit = "m^2/s",
     .help = "Kinematic viscosity."},
    {.path = "units.density",
     .type = WABE_OPTION_REAL,
     .offset = AT(units.density),
     .default_value = "1000",
     .min = 1e-15,
     .max = 1e15,
     .unit = "kg/m^3",
     .help = "Density at rest."},
    FACE("x_low", 0) FACE("x_high", 1) FACE("y_low", 2) FACE("y_high", 3) FACE("z_low", 4)
        FACE("z_high", 5){.path = "geometry.objects",
                          .type = WABE_OPTION_LIST,
                          .offset = AT(objects),
                          .default_value = "()",
                          .unit = "",
                          .help = "Obstacles; a cell is solid if its centre lies in one.",
                          .elements = object_rows,
                          .element_size = sizeof(wabe_object_options)},
    {.path = "initial.kind",
     .type = WABE_OPTION_WORD,
     .offset = AT(initial.kind),
     .default_value = "\"rest\"",
     .words = "rest|uniform|taylor_green",
     .unit = "",
     .help = "Initial state: rest, a uniform velocity, or the Taylor-Green vortex in x and y."},
    {.path = "initial.velocity",
     .type = WABE_OPTION_REAL3,
     .offset = AT(initial.velocity),
     .default_value = "[0, 0, 0]",
     .min = -1,
     .max = 1,
     .unit = "lattice units",
     .help = "The uniform velocity; its x component is the amplitude of the vortex."},
    {.path = "parallel.mode",
     .type = WABE_OPTION_WORD,
     .offset = AT(parallel.mode),
     .default_value = "\"pure-mpi\"",
     .words = "pure-mpi",
     .unit = "",
     .help = "pure-mpi: each process has one component, and an equal block of the domain."},
    {.path = "parallel.processes",
     .type = WABE_OPTION_INT3,
     .offset = AT(parallel.processes),
     .default_value = "[0, 0, 0]",
     .min = 0,
     .max = 1e6,
     .unit = "processes",
     .help = "Processes along x, y, z; 0: chosen so that the fewest bytes are exchanged."},
    {.path = "parallel.threads",
     .type = WABE_OPTION_INT,
     .offset = AT(parallel.threads),
     .default_value = "0",
     .min = 0,
     .max = 1024,
     .unit = "threads",
     .help = "Threads of each process; 0: as many as OMP_NUM_THREADS or the cores bound to it."},
    {.path = "parallel.overlap",
     .type = WABE_OPTION_BOOL,
     .offset = AT(parallel.overlap),
     .default_value = "true",
     .unit = "",
     .help = "Exchange while the inner region is computed."},
    {.path = "parallel.communication",
     .type = WABE_OPTION_WORD,
     .offset = AT(parallel.communication),
     .default_value = "\"exchange\"",
     .words = "exchange|none",
     .unit = "",
     .help = "none: leave the exchange out; wrong results on purpose, to measure what it costs."},
    {.path = "output.directory",
     .type = WABE_OPTION_STRING,
     .offset = AT(output.directory),
     .default_value = "unset",
     .unit = "",
     .help = "Where results go; if not given, out/NAME."},
    {.path = "output.every",
     .type = WABE_OPTION_INT,
     .offset = AT(output.every),
     .default_value = "0",
     .min = 0,
     .max = 1e15,
     .unit = "steps",
     .help = "Steps between outputs of fields and pictures; 0: after the last step alone."},
    {.path = "output.fields",
     .type = WABE_OPTION_BOOL,
     .offset = AT(output.fields),
     .default_value = "true",
     .unit = "",
     .help = "Write density and velocity as HDF5 for ParaView."},
    {.path = "output.compress",
     .type = WABE_OPTION_BOOL,
     .offset = AT(output.compress),
     .default_value = "false",
     .unit = "",
     .help = "Compress them."},
    {.path = "output.profiles",
     .type = WABE_OPTION_BOOL,
     .offset = AT(output.profiles),
     .default_value = "false",
     .unit = "",
     .help = "Write profiles.csv: density and velocity along the centre lines."},
    {.path = "output.picture",
     .type = WABE_OPTION_WORD,
     .offset = AT(output.picture),
     .default_value = "\"none\"",
     .words = "none|x|y|z",
     .unit = "",
     .help = "Draw the velocity's magnitude on the middle plane normal to this axis."},
    {.path = "monitor.every",
     .type = WABE_OPTION_INT,
     .offset = AT(monitor.every),
     .default_value = "200",
     .min = 1,
     .max = 1e15,
     .unit = "steps",
     .help = "Steps between checks of mass, energy, largest velocity and broken values."},
    {.path = NULL},
};

/* ---- from options to the case ------------------------------------------------------- */

static double length_of(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static const char *const face_paths[WABE_FACES] = {
    "boundaries.x_low.kind",  "boundaries.x_high.kind", "boundaries.y_low.kind",
    "boundaries.y_high.kind", "boundaries.z_low.kind",  "boundaries.z_high.kind"};

/* Words count from 0, the enum's "any" is 0. */
static wabe_boundary boundary_of(int word) { return (wabe_boundary)(word + 1); }

static wabe_status make_faces(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    for (int face = 0; face < WABE_FACES; face++) {
        const wabe_condition_options *from = &o->faces[face];
        c->conditions[face] = (wabe_condition){.kind = boundary_of(from->kind),
                                               .density = from->density - 1.0};
        memcpy(c->conditions[face].velocity, from->velocity, sizeof from->velocity);
        const bool periodic = c->conditions[face].kind == WABE_BOUNDARY_periodic;
        const bool opposite = o->faces[face ^ 1].kind == 0;
        if (periodic && !opposite)
            return wabe_config_fail(config, face_paths[face ^ 1],
                                    "opposite faces must be periodic together, but %s is periodic",
                                    face_paths[face]);
        const bool wall = c->conditions[face].kind == WABE_BOUNDARY_moving_wall;
        if (wall && from->velocity[face / 2] != 0.0)
            return wabe_config_fail(config, face_paths[face],
                                    "a moving wall must move within its plane; use kind = "
                                    "\"velocity\" for flow through the face");
    }
    return WABE_OK;
}

/* Has it a volume? One that is forgotten or turned round would just be missing. */
static bool has_volume(const wabe_object_options *o) {
    bool above = true, apart = false;
    for (int d = 0; d < 3; d++) {
        above &= o->high[d] > o->low[d];
        apart |= o->high[d] != o->low[d];
    }
    if (o->shape == WABE_SHAPE_BOX)
        return above;
    return o->radius > 0.0 && (apart || o->shape == WABE_SHAPE_SPHERE);
}

/* Does the object's bounding box miss the domain? */
static bool misses(const wabe_object *object, const int64_t cells[3]) {
    for (int d = 0; d < 3; d++) {
        const bool sphere = object->shape == WABE_SHAPE_SPHERE;
        const double reach = object->shape == WABE_SHAPE_BOX ? 0.0 : object->radius;
        const double a = sphere ? object->center[d] : object->low[d];
        const double b = sphere ? object->center[d] : object->high[d];
        if (fmax(a, b) + reach < 0.0 || fmin(a, b) - reach > (double)cells[d])
            return true;
    }
    return false;
}

static wabe_status make_object(const wabe_config *config, const wabe_object_options *from, int k,
                               wabe_lbm_case *c) {
    char path[64];
    snprintf(path, sizeof path, "geometry.objects[%d].kind", k);
    const wabe_boundary kind = boundary_of(from->kind);
    if (kind == WABE_BOUNDARY_periodic || kind == WABE_BOUNDARY_free_slip)
        return wabe_config_fail(config, path, "an obstacle cannot be %s; %s is for faces",
                                wabe_boundary_word(kind), wabe_boundary_word(kind));
    static const char *const needs[] = {[WABE_SHAPE_BOX] = "a box needs high above low",
                                        [WABE_SHAPE_SPHERE] = "a sphere needs a radius above 0",
                                        [WABE_SHAPE_CYLINDER] =
                                            "a cylinder needs two ends and a radius above 0"};
    snprintf(path, sizeof path, "geometry.objects[%d].shape", k);
    if (!has_volume(from))
        return wabe_config_fail(config, path, "has no volume: %s", needs[from->shape]);
    wabe_object *to = &c->objects[k];
    *to = (wabe_object){.shape = (wabe_shape)from->shape, .radius = from->radius};
    memcpy(to->low, from->low, sizeof to->low);
    memcpy(to->high, from->high, sizeof to->high);
    memcpy(to->center, from->center, sizeof to->center);
    if (misses(to, c->simulation.geometry.cells))
        return wabe_config_fail(
            config, path,
            "lies outside the domain; lengths are in cells from its corner, and "
            "cells are [%lld, %lld, %lld]",
            (long long)c->simulation.geometry.cells[0], (long long)c->simulation.geometry.cells[1],
            (long long)c->simulation.geometry.cells[2]);
    wabe_condition *condition = &c->conditions[WABE_FACES + k];
    *condition = (wabe_condition){.kind = kind};
    memcpy(condition->velocity, from->velocity, sizeof condition->velocity);
    return WABE_OK;
}

static wabe_status make_geometry(const wabe_config *config, const wabe_lbm_options *o,
                                 wabe_lbm_case *c) {
    WABE_TRY(make_faces(config, o, c));
    memcpy(c->simulation.geometry.cells, o->domain.cells, sizeof o->domain.cells);
    const int64_t most = WABE_CONDITIONS_MAX - WABE_FACES - 1;
    if (o->objects.count > most)
        return wabe_config_fail(config, "geometry.objects", "at most %lld objects, there are %lld",
                                (long long)most, (long long)o->objects.count);
    c->object_count = (int)o->objects.count;
    c->objects = calloc((size_t)c->object_count + 1, sizeof *c->objects);
    WABE_CHECK(c->objects, WABE_MEMORY, "no memory for %d objects", c->object_count);
    const wabe_object_options *items = o->objects.items;
    for (int k = 0; k < c->object_count; k++)
        WABE_TRY(make_object(config, &items[k], k, c));
    wabe_geometry *g = &c->simulation.geometry;
    g->object_count = c->object_count;
    g->objects = c->objects;
    g->condition_count = WABE_FACES + c->object_count;
    g->conditions = c->conditions;
    return WABE_OK;
}

/* The largest velocity that the input prescribes. */
static double largest_velocity(const wabe_lbm_options *o, const wabe_lbm_case *c) {
    double largest = length_of(o->initial.velocity);
    for (int k = 0; k < c->simulation.geometry.condition_count; k++)
        largest = fmax(largest, length_of(c->conditions[k].velocity));
    return largest;
}

/* The key that sets the viscosity, of which there must be one. */
static wabe_status viscosity_key(const wabe_config *config, const char **out) {
    static const char *const keys[] = {"lbm.tau", "lbm.viscosity", "lbm.reynolds",
                                       "units.viscosity"};
    *out = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (!wabe_config_is_given(config, keys[i]))
            continue;
        if (*out)
            return wabe_config_fail(config, keys[i],
                                    "contradicts %s: the viscosity is to be given once", *out);
        *out = keys[i];
    }
    if (!*out)
        return wabe_config_fail(config, "lbm.viscosity",
                                "the viscosity is missing: give one of lbm.tau, lbm.viscosity, "
                                "lbm.reynolds, or units.viscosity");
    return WABE_OK;
}

static wabe_status make_units(const wabe_config *config, const wabe_lbm_options *o,
                              wabe_lbm_case *c) {
    c->dx = c->dt = c->dm = 1.0;
    static const char *const keys[] = {"units.cell", "units.velocity", "units.viscosity"};
    int given = 0;
    for (int i = 0; i < 3; i++)
        given += wabe_config_is_given(config, keys[i]);
    if (given == 0)
        return WABE_OK;
    for (int i = 0; i < 3; i++)
        if (!wabe_config_is_given(config, keys[i]))
            return wabe_config_fail(config, keys[i],
                                    "missing: physical units need units.cell, units.velocity and "
                                    "units.viscosity");
    if (!(c->velocity > 0.0))
        return wabe_config_fail(config, "lbm.velocity",
                                "physical units need the velocity in lattice units too");
    c->physical = true;
    c->dx = o->units.cell;
    c->dt = c->dx * c->velocity / o->units.velocity; /* u_phys = u_lattice dx / dt */
    c->dm = o->units.density * c->dx * c->dx * c->dx;
    return WABE_OK;
}

static wabe_status make_viscosity(const wabe_config *config, const wabe_lbm_options *o,
                                  wabe_lbm_case *c) {
    const char *key;
    WABE_TRY(viscosity_key(config, &key));
    WABE_TRY(make_units(config, o, c));
    if (strcmp(key, "lbm.reynolds") == 0 && !(c->velocity > 0.0))
        return wabe_config_fail(config, key, "needs a velocity: give lbm.velocity");
    if (strcmp(key, "lbm.tau") == 0)
        c->viscosity = (o->lbm.tau - 0.5) / 3.0;
    else if (strcmp(key, "lbm.viscosity") == 0)
        c->viscosity = o->lbm.viscosity;
    else if (strcmp(key, "lbm.reynolds") == 0)
        c->viscosity = c->velocity * c->length / o->lbm.reynolds;
    else
        c->viscosity = o->units.viscosity * c->dt / (c->dx * c->dx);
    c->tau = strcmp(key, "lbm.tau") == 0 ? o->lbm.tau : 3.0 * c->viscosity + 0.5;
    if (!(c->tau > 0.5) || !isfinite(c->tau))
        return wabe_config_fail(config, key,
                                "gives the relaxation time %.6g (viscosity %.6g in lattice "
                                "units); it must be above 1/2",
                                c->tau, c->viscosity);
    c->reynolds = c->velocity * c->length / c->viscosity;
    c->mach = c->velocity * sqrt(3.0);
    c->grid_reynolds = c->velocity / c->viscosity;
    return WABE_OK;
}

void wabe_lbm_case_warn(const wabe_lbm_case *c) {
    if (c->fastest > 1.001 * c->velocity)
        wabe_log_warning("the fastest boundary or initial state has %.4g, more than lbm.velocity = "
                         "%.4g, on which Re and Ma are based",
                         c->fastest, c->velocity);
    if (c->mach > 0.3)
        wabe_log_warning("Mach number %.2f: above 0.3 the flow is compressible; lower the velocity",
                         c->mach);
    if (c->grid_reynolds > 20.0)
        wabe_log_warning("grid Reynolds number %.1f: above about 20 the run may become unstable; "
                         "use more cells or a larger viscosity",
                         c->grid_reynolds);
}

static void make_simulation(const wabe_lbm_options *o, wabe_lbm_case *c) {
    wabe_simulation_options *s = &c->simulation;
    s->model = (wabe_lbm_model){
        .type = (wabe_type)(o->lbm.storage + 1),
        .collision = (wabe_collision_operator)(o->lbm.collision + 1),
        .streaming = (wabe_streaming)(o->lbm.streaming + 1),
        .tau = c->tau,
        .magic = o->lbm.magic,
        .force = {o->lbm.force[0], o->lbm.force[1], o->lbm.force[2]},
        .kernel = o->lbm.kernel,
    };
    memcpy(s->processes, o->parallel.processes, sizeof s->processes);
    s->threads = (int)o->parallel.threads;
    s->overlap = o->parallel.overlap;
    s->communicate = o->parallel.communication == 0;
}

wabe_status wabe_lbm_case_make(const wabe_config *config, const wabe_lbm_options *options,
                               wabe_lbm_case *out) {
    *out = (wabe_lbm_case){0};
    wabe_status status = make_geometry(config, options, out);
    if (status == WABE_OK) {
        out->fastest = largest_velocity(options, out);
        out->velocity = wabe_config_is_given(config, "lbm.velocity") ? options->lbm.velocity
                                                                     : out->fastest;
        out->length = wabe_config_is_given(config, "lbm.length") ? options->lbm.length
                                                                 : (double)options->domain.cells[0];
        status = make_viscosity(config, options, out);
    }
    if (status != WABE_OK) {
        wabe_lbm_case_free(out);
        return status;
    }
    make_simulation(options, out);
    return WABE_OK;
}

void wabe_lbm_case_free(wabe_lbm_case *lbm_case) {
    free(lbm_case->objects);
    lbm_case->objects = NULL;
}

/* ---- initial states ----------------------------------------------------------------- */

wabe_lbm_case_initial wabe_lbm_case_initial_of(const wabe_lbm_options *options,
                                               const wabe_lbm_case *lbm_case) {
    wabe_lbm_case_initial initial = {.kind = (wabe_initial_kind)options->initial.kind,
                                     .viscosity = lbm_case->viscosity};
    memcpy(initial.cells, options->domain.cells, sizeof initial.cells);
    memcpy(initial.velocity, options->initial.velocity, sizeof initial.velocity);
    return initial;
}

static double wave_number(const wabe_lbm_case_initial *initial, int axis) {
    return 2.0 * acos(-1.0) / (double)initial->cells[axis];
}

double wabe_lbm_case_vortex(const wabe_lbm_case_initial *i) {
    const double k = wave_number(i, 0), l = wave_number(i, 1);
    return i->kind == WABE_INITIAL_TAYLOR_GREEN
               ? fabs(i->velocity[0]) * exp(-i->viscosity * (k * k + l * l) * i->time)
               : 0.0;
}

/* Taylor and Green 1937: u = u0 sin(kx) cos(ly), v = -u0 (k/l) cos(kx) sin(ly), decaying with
 * exp(-nu (k^2 + l^2) t); the pressure balances the convective term. */
static void taylor_green(const wabe_lbm_case_initial *i, const int64_t cell[3], double moments[4]) {
    const double k = wave_number(i, 0), l = wave_number(i, 1);
    const double x = k * ((double)cell[0] + 0.5), y = l * ((double)cell[1] + 0.5);
    const double u0 = copysign(wabe_lbm_case_vortex(i), i->velocity[0]);
    const double p = 0.25 * u0 * u0 * (cos(2.0 * x) + k * k / (l * l) * cos(2.0 * y));
    moments[0] = 3.0 * p;
    moments[1] = u0 * sin(x) * cos(y);
    moments[2] = -u0 * k / l * cos(x) * sin(y);
    moments[3] = 0.0;
}

void wabe_lbm_case_moments(const void *context, const int64_t cell[3], double moments[4]) {
    const wabe_lbm_case_initial *initial = context;
    memset(moments, 0, 4 * sizeof moments[0]);
    if (initial->kind == WABE_INITIAL_UNIFORM)
        memcpy(&moments[1], initial->velocity, sizeof initial->velocity);
    if (initial->kind == WABE_INITIAL_TAYLOR_GREEN)
        taylor_green(initial, cell, moments);
}
