#include "sweeps/stencil/dendrite.h"

#include "sweeps/cell/stencil_attributes.h"

#include <math.h>
#include <string.h>

/* See wabe_solidify_args. In f32 a phase stops a few 1e-6 short of 1, where its change in a step is
 * rounded away. */
#define TINY_F64 1e-9
#define TINY_F32 1e-5

static const wabe_sweep *sweep_of(const wabe_dendrite_step *step) {
    bool turned = false;
    if (step->partition > 0.0)
        return &wabe_sweep_alloy_phase;
    for (int i = 0; i < 9; i++)
        turned |= step->crystal[i / 3][i % 3] != (i % 4 == 0 ? 1.0 : 0.0);
    if (step->karma_rappel)
        return turned ? &wabe_sweep_karma_rappel_turned : &wabe_sweep_karma_rappel;
    return turned ? &wabe_sweep_solidify_turned : &wabe_sweep_solidify;
}

static wabe_grid_model model_of(const wabe_sweep *sweep, wabe_type type, const int64_t cells[3],
                                const bool periodic[3], const char *kernel) {
    const wabe_grid_sweep_row row = {.name = "solidify",
                                     .sweep = sweep,
                                     .kernel = kernel,
                                     .type = type,
                                     .read_count = 2,
                                     .reads = {{WABE_DENDRITE_PHI, WABE_STENCIL_AROUND, 1, false},
                                               {WABE_DENDRITE_U, WABE_STENCIL_ALONG, 1, false}},
                                     .write_count = 2,
                                     .writes = {WABE_DENDRITE_PHI, WABE_DENDRITE_U}};
    const wabe_grid_field_row phi = {
        .name = "phi", .type = type, .role = WABE_FIELD_STATE, .components = 1, .grids = 2};
    wabe_grid_model model = wabe_grid_model_of_sweep(&row, cells, periodic);
    model.field_count = 2;
    model.fields[WABE_DENDRITE_PHI] = model.fields[WABE_DENDRITE_U] = phi;
    model.fields[WABE_DENDRITE_U].name = "temperature";
    for (int face = 0; face < 6; face++)
        model.fields[WABE_DENDRITE_PHI].walls[face] = model.fields[WABE_DENDRITE_U].walls[face] =
            (wabe_wall){1.0, 0.0};
    for (int axis = 0; axis < 3; axis++)
        model.wraps[axis] = true;
    return model;
}

/* Makes a model of one sweep, whose row says which numbers it needs, one of two. */
static void add_solute(wabe_grid_model *model, const char *kernel) {
    wabe_grid_sweep_row *phase = &model->sweeps[0];
    phase->name = "phase";
    phase->reads[1].stencil = WABE_STENCIL_OWN;
    phase->reads[1].layers = 0;
    phase->write_count = 1;
    model->sweeps[1] =
        (wabe_grid_sweep_row){.name = "solute",
                              .sweep = &wabe_sweep_alloy_solute,
                              .kernel = kernel,
                              .type = phase->type,
                              .read_count = 3,
                              .reads = {{WABE_DENDRITE_U, WABE_STENCIL_ALONG, 1, false},
                                        {WABE_DENDRITE_PHI, WABE_STENCIL_ALONG, 1, false},
                                        {WABE_DENDRITE_PHI, WABE_STENCIL_AROUND, 1, true}},
                              .write_count = 1,
                              .writes = {WABE_DENDRITE_U}};
    model->entries[1] = (wabe_grid_entry){.kind = WABE_STEP_SWEEP, .number = 1};
    model->sweep_count = model->entry_count = 2;
    model->fields[WABE_DENDRITE_U].name = "concentration";
}

wabe_grid_model wabe_dendrite_model(wabe_type type, const int64_t cells[3], const bool periodic[3],
                                    const wabe_wall walls[6], const wabe_dendrite_step *step,
                                    const char *kernel) {
    wabe_grid_model model = model_of(sweep_of(step), type, cells, periodic, kernel);
    if (step->partition > 0.0)
        add_solute(&model, kernel);
    memcpy(model.fields[WABE_DENDRITE_U].walls, walls, 6 * sizeof *walls);
    return model;
}

static wabe_solidify_args args_of(const wabe_grid_args *grid, const wabe_dendrite_step *step,
                                  double tiny) {
    const double g = step->anisotropy, k = step->partition,
                 waking = tiny * fmin(step->gradient, 1.0);
    wabe_solidify_args a = {.grid = *grid,
                            .seed = step->seed,
                            .is_noisy = step->noise > 0.0,
                            .gradient = wabe_coefficient_of(step->gradient),
                            .reaction = wabe_coefficient_of(step->reaction),
                            .driving = wabe_coefficient_of(k > 0.0 ? step->driving / (1.0 - k)
                                                                   : step->driving),
                            .noise = wabe_coefficient_of(step->noise),
                            .diffusion = wabe_coefficient_of(step->diffusion),
                            .a_base = wabe_coefficient_of(1.0 - 3.0 * g),
                            .a_fourth = wabe_coefficient_of(4.0 * g),
                            .a_slope = wabe_coefficient_of(16.0 * g),
                            .partition_mean = wabe_coefficient_of(0.5 + 0.5 * k),
                            .partition_half = wabe_coefficient_of(0.5 - 0.5 * k),
                            .tiny_square = wabe_coefficient_of(tiny * tiny),
                            .waking_square = wabe_coefficient_of(waking * waking)};
    for (int i = 0; i < 9; i++)
        a.crystal[i / 3][i % 3] = wabe_coefficient_of(step->crystal[i / 3][i % 3]);
    return a;
}

static void set_solute(wabe_alloy_solute_args *a, const wabe_dendrite_step *step) {
    a->diffusion = wabe_coefficient_of(step->diffusion);
    a->trapping = wabe_coefficient_of(step->trapping);
    a->partition_mean = wabe_coefficient_of(0.5 + 0.5 * step->partition);
    a->partition_half = wabe_coefficient_of(0.5 - 0.5 * step->partition);
}

void wabe_dendrite_set(wabe_grid_slab *slab, const wabe_dendrite_step *step) {
    const bool wide = slab->model.fields[WABE_DENDRITE_PHI].type == WABE_TYPE_f64;
    for (int name = 0; name < WABE_REGION_COUNT; name++) {
        wabe_solidify_args *a = (void *)slab->args[0][name];
        *a = args_of(&a->grid, step, wide ? TINY_F64 : TINY_F32);
        if (step->partition > 0.0)
            set_solute((void *)slab->args[1][name], step);
    }
}

/* ---- the sweeps, and what their kernels are measured on -------------------------------- */

/* A sphere of a tenth of the cells, in undercooled melt. */
typedef struct {
    int64_t cells[3];
    double low; /* phase of the melt */
} sphere;

static wabe_status sphere_row(const void *context, const int64_t cell[3], int64_t count,
                              double *row) {
    const sphere *s = context;
    const double cells = (double)(s->cells[0] * s->cells[1] * s->cells[2]);
    const double radius = cbrt(0.1 * cells * 0.75 / 3.14159265358979323846);
    const double y = (double)cell[1] + 0.5 - 0.5 * (double)s->cells[1];
    const double z = (double)cell[2] + 0.5 - 0.5 * (double)s->cells[2];
    for (int64_t i = 0; i < count; i++) {
        const double x = (double)(cell[0] + i) + 0.5 - 0.5 * (double)s->cells[0];
        const double solid = 0.5 - 0.5 * tanh(0.5 * (sqrt(x * x + y * y + z * z) - radius));
        row[i] = solid < TINY_F32 ? s->low : s->low + (1.0 - s->low) * solid;
    }
    return WABE_OK;
}

static wabe_status melt_row(const void *context, const int64_t cell[3], int64_t count,
                            double *row) {
    (void)context, (void)cell;
    for (int64_t i = 0; i < count; i++)
        row[i] = -0.5;
    return WABE_OK;
}

static wabe_grid_model sample_model(const wabe_kernel *kernel, const int64_t cells[3], bool walls) {
    return model_of(kernel->sweep, kernel->storage, cells, (const bool[3]){!walls, !walls, !walls},
                    kernel->name);
}

static wabe_status sample_fill(wabe_grid_slab *slab) {
    const wabe_sweep *sweep = slab->kernels[0]->sweep;
    const bool karma = sweep == &wabe_sweep_karma_rappel ||
                       sweep == &wabe_sweep_karma_rappel_turned;
    const sphere s = {{slab->model.cells[0], slab->model.cells[1], slab->model.cells[2]},
                      karma ? -1.0 : 0.0};
    const wabe_dendrite_step step = {.karma_rappel = karma,
                                     .gradient = 0.02,
                                     .reaction = 0.02,
                                     .driving = 1.0,
                                     .diffusion = 0.1,
                                     .anisotropy = 0.04,
                                     .crystal = {{0.6, 0.8, 0.0}, {-0.8, 0.6, 0.0}, {0, 0, 1}}};
    wabe_dendrite_set(slab, &step);
    WABE_TRY(wabe_grid_set(slab, WABE_DENDRITE_PHI, 0, sphere_row, &s));
    return wabe_grid_set(slab, WABE_DENDRITE_U, 0, melt_row, NULL);
}

#define DENDRITE_SWEEP(name, does, ...)                                                            \
    WABE_SWEEP(name, does, "phi, temperature", "phi, temperature", .halo = 1, .exchanged = true,   \
               .phase = WABE_PHASE_inner, .family = &wabe_stencil_family,                          \
               .sample = &(const wabe_grid_sample){__VA_ARGS__})

DENDRITE_SWEEP(solidify, "a step of a pure metal's phase field and temperature",
               .application = "dendrite", .model = sample_model, .fill = sample_fill);
DENDRITE_SWEEP(solidify_turned, "the same with a crystal that is turned", .model = sample_model,
               .fill = sample_fill);
DENDRITE_SWEEP(karma_rappel, "a step of Karma and Rappel's phase field and temperature",
               .model = sample_model, .fill = sample_fill);
DENDRITE_SWEEP(karma_rappel_turned, "the same with a crystal that is turned", .model = sample_model,
               .fill = sample_fill);

/* A slab of one sweep has no phase of before: they have no sample. */
WABE_SWEEP(alloy_phase, "a step of an alloy's phase field", "phi, concentration", "phi", .halo = 1,
           .exchanged = true, .phase = WABE_PHASE_inner, .family = &wabe_stencil_family);
WABE_SWEEP(alloy_solute, "a step of an alloy's concentration", "phi, concentration",
           "concentration", .halo = 1, .exchanged = true, .phase = WABE_PHASE_inner,
           .family = &wabe_stencil_family);
