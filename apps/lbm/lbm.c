#include "apps/lbm/lbm.h"

#include "apps/lbm/solid_plane.h"

#include "apps/runtime/report.h"
#include "core/base/log.h"
#include "core/io/cell_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOUND_SPEED_SQUARED (1.0 / 3.0)

#define COLUMNS "mass_drift,mean_kinetic_energy,max_velocity"
#define LAST_COLUMNS                                                                               \
    ",mean_velocity_x,mean_velocity_y,mean_velocity_z,body_force_x,body_force_y,body_force_z"
#define SCALAR_COLUMNS                                                                             \
    ",mean_scalar,rms_scalar,mean_scalar_flux_x,mean_scalar_flux_y,mean_scalar_flux_z"

/* Keys that set speed, duration or analysis, but not the flow. */
static const char *const may_differ[] = {
    "lbm.streaming", "lbm.kernel", "porous.tolerance", "porous.interval", "porous.tracers",
    "forces.",       NULL};

/* Stored states are relative to them. */
static const char *const fixed_keys[] = {"scalar.reference", "scalar.difference", NULL};

/* ---- solids ------------------------------------------------------------------------- */

static bool has_solids(const wabe_flow *flow) {
    const wabe_geometry *g = &flow->lbm_case.simulation.geometry;
    return g->raster_count > 0 || g->particle_count > 0 || flow->options.geometry.fill;
}

bool wabe_flow_needs_analysis(const wabe_flow *flow) {
    return wabe_flow_is_porous(flow) || has_solids(flow);
}

static const char *default_quantities(const wabe_flow *flow) {
    const bool solids = has_solids(flow) || flow->lbm_case.object_count > 0;
    if (flow->lbm_case.scalar.present)
        return solids ? "density, velocity, scalar, solid" : "density, velocity, scalar";
    return solids ? "density, velocity, solid" : "density, velocity";
}

/* Counts the fluid cells of all planes along z; each process counts its own block. Collective. */
static wabe_status count_fluid(const wabe_run *run, int64_t *fluid) {
    wabe_flow *flow = wabe_flow_of(run);
    const int64_t planes = run->o->domain.cells[2];
    WABE_TRY(wabe_agree(run->comm, wabe_geometry_count(&flow->lbm_case.simulation.geometry,
                                                       run->block, fluid + run->block.begin[2])));
    MPI_Allreduce(MPI_IN_PLACE, fluid, (int)planes, MPI_INT64_T, MPI_SUM, run->comm);
    return WABE_OK;
}

/* If the domain is cut along z only, gives processes equal shares of the fluid. Collective. */
static wabe_status cut_by_fluid(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const int64_t planes = run->o->domain.cells[2];
    if (run->decomposition.processes[2] < run->size || run->size == 1)
        return WABE_OK;
    int64_t *below = calloc((size_t)planes + 1, sizeof *below);
    double *rates = malloc((size_t)run->size * sizeof *rates);
    flow->cuts = malloc(((size_t)run->size + 1) * sizeof *flow->cuts);
    wabe_status status =
        wabe_agree(run->comm, below && rates && flow->cuts
                                  ? WABE_OK
                                  : WABE_FAIL(WABE_MEMORY, "no memory for %d cuts", run->size));
    if (status == WABE_OK)
        status = count_fluid(run, below + 1);
    if (status == WABE_OK) {
        for (int64_t z = 0; z < planes; z++)
            below[z + 1] += below[z];
        for (int i = 0; i < run->size; i++)
            rates[i] = 1.0;
        wabe_decomposition_share(below, planes, run->size, rates, flow->cuts);
        run->decomposition.cuts = flow->lbm_case.simulation.cuts = flow->cuts;
        run->block = wabe_decomposition_block(&run->decomposition, run->rank);
    }
    free(below);
    free(rates);
    return status;
}

/* The axes along which fluid must be connected in order not to be filled. */
static unsigned axes_to_fill(const wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    return flow->tensor || !wabe_flow_is_porous(flow) ? 7 : 1u << flow->lbm_case.porous.axis;
}

/* If nothing would be left, nothing is filled, and wabe_flow_check_pores fails. Collective. */
static wabe_status fill_pores(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    wabe_geometry *g = &flow->lbm_case.simulation.geometry;
    if (!flow->options.geometry.fill)
        return WABE_OK;
    WABE_TRY(wabe_fill_find(run->comm, g, &run->decomposition, axes_to_fill(run), &flow->fill));
    if (flow->fill.left > 0)
        g->filled = &flow->fill.mask;
    return WABE_OK;
}

/* Planes below and above a block that it holds, too, if it is streamed: at most. */
static int planes_around(const wabe_run *run) {
    const int *p = run->decomposition.processes;
    return run->o->parallel.residency != WABE_RESIDENCY_RESIDENT && p[0] == 1 && p[1] == 1
               ? WABE_LBM_GHOSTS_MAX
               : 0;
}

/* Filled cells do not count as fluid in the cuts; but they are found before cutting, and must then
 * be redistributed to the new blocks. Collective. */
static wabe_status fill_and_cut(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const wabe_decomposition before = run->decomposition;
    WABE_TRY(fill_pores(run));
    WABE_TRY(cut_by_fluid(run));
    return flow->lbm_case.simulation.geometry.filled
               ? wabe_fill_spread(run->comm, &before, &run->decomposition, planes_around(run),
                                  &flow->fill)
               : WABE_OK;
}

wabe_status wabe_flow_gather_solid(const wabe_run *run, wabe_box plane, uint8_t **out) {
    return wabe_lbm_gather_solid(run, &wabe_flow_of(run)->lbm_case.simulation.geometry, plane, out);
}

wabe_status wabe_flow_analyse_pores(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const wabe_geometry *g = &flow->lbm_case.simulation.geometry;
    WABE_TRY(
        wabe_lbm_solids_blame(run->config,
                              wabe_pores_analyse(run->comm, g, &run->decomposition, &flow->pores)));
    wabe_simulation_options *s = &flow->lbm_case.simulation;
    s->fluid_share = (double)flow->pores.fluid / (double)flow->pores.cells;
    s->touched_share = (double)flow->pores.touched / (double)flow->pores.cells;
    return WABE_OK;
}

wabe_status wabe_flow_check_pores(const wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const wabe_pores *p = &flow->pores;
    if (wabe_porous_check(flow->lbm_case.porous.axis, p) == WABE_OK)
        return flow->options.geometry.fill && flow->fill.left == 0
                   ? wabe_config_fail(run->config, "geometry.fill",
                                      "would fill everything: of %lld fluid cells (porosity %.4f) "
                                      "none is connected to both ends of the domain along any "
                                      "axis; check which labels are solid, or make it \"none\"",
                                      (long long)p->fluid, (double)p->fluid / (double)p->cells)
                   : WABE_OK;
    return wabe_config_fail_because(run->config, "porous.axis", "cannot be met");
}

/* From here on flags are asked for within the block and as far around it as pores are examined. */
static wabe_status cut(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    wabe_lbm_solids *solids = &flow->lbm_case.solids;
    WABE_TRY(wabe_lbm_solids_check(run->comm, run->config,
                                   wabe_flow_of(run)->options.run.domain.cells, run->block,
                                   solids));
    if (has_solids(flow))
        WABE_TRY(wabe_lbm_solids_blame(run->config, fill_and_cut(run)));
    const wabe_simulation_options *s = &flow->lbm_case.simulation;
    WABE_TRY(wabe_agree(run->comm, wabe_lbm_solids_trim(&s->geometry,
                                                        wabe_pores_surroundings(run->block,
                                                                                planes_around(run)),
                                                        solids)));
    return wabe_lbm_solids_find_gaps(run->comm, &s->geometry, s->model.lattice, run->block, solids);
}

/* Fails if no cell is fluid. Collective. */
static wabe_status check_fluid(const wabe_run *run) {
    const wabe_flow *flow = wabe_flow_of(run);
    return flow->pores.fluid > 0
               ? WABE_OK
               : wabe_lbm_solids_check_fluid(run->comm, run->config,
                                             &flow->lbm_case.simulation.geometry, run->block);
}

/* Finds pairs of opposite open faces without a connection between them. Collective. */
static wabe_status find_plugs(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    const wabe_geometry *g = &flow->lbm_case.simulation.geometry;
    wabe_pores pores = flow->pores;
    bool open = false;
    for (int d = 0; d < 3; d++)
        open |= wabe_flow_has_way(flow, d);
    if (open && pores.cells == 0 && g->object_count > 0)
        WABE_TRY(wabe_pores_analyse(run->comm, g, &run->decomposition, &pores));
    for (int d = 0; d < 3; d++)
        flow->plugged[d] = pores.cells > 0 && wabe_flow_has_way(flow, d) && pores.connected[d] == 0;
    return WABE_OK;
}

/* Without images, particles or a porous medium, all cells are assumed to be fluid. */
static wabe_status survey(wabe_run *run) {
    wabe_flow *flow = wabe_flow_of(run);
    if (wabe_flow_needs_analysis(flow)) {
        WABE_TRY(wabe_flow_analyse_pores(run));
        WABE_TRY(wabe_flow_check_pores(run));
    }
    WABE_TRY(wabe_flow_check_quantities(run));
    WABE_TRY(check_fluid(run));
    WABE_TRY(wabe_sources_count(run, &flow->lbm_case.sources));
    WABE_TRY(wabe_bodies_look(run, &flow->faults));
    return find_plugs(run);
}

/* ---- options ------------------------------------------------------------------------ */

static wabe_status read_options(wabe_config *config, int axis, int table_count,
                                const wabe_option_table tables[], wabe_flow *flow) {
    wabe_lbm_options *o = &flow->options;
    WABE_TRY(wabe_config_read(config, table_count, tables));
    flow->tensor = o->porous.axis == WABE_POROUS_ALL;
    for (int other = 0; other < 3 && flow->tensor; other++) { /* before any of three runs */
        o->porous.axis = 1 + other;
        WABE_TRY(wabe_lbm_check_drive(config, o));
    }
    if (flow->tensor)
        o->porous.axis = 1 + axis;
    WABE_TRY(wabe_lbm_case_make(config, o, &flow->lbm_case));
    /* What auto stands for is part of the physics: restarts compare it, whatever else changes. */
    o->lbm.collision = (int)flow->lbm_case.simulation.model.collision;
    /* Without a subgrid model auto is shear, as it was before there was a choice. */
    const wabe_bulk bulk = wabe_lbm_bulk_of(o);
    const bool chosen = bulk == WABE_BULK_ONE || o->lbm.les.model;
    if (WABE_HAS_ALL_TERMS(o->lbm.collision))
        o->lbm.bulk = chosen ? (int)bulk : WABE_BULK_AUTO;
    return wabe_start_open(config, o, &flow->lbm_case, &flow->start);
}

/* In the units of the run. */
static void name_quantities(wabe_flow *flow) {
    const wabe_lbm_units *u = &flow->lbm_case.units;
    const double velocity = u->velocity, mass = u->density;
    const wabe_scalar_case *s = &flow->lbm_case.scalar;
    const double difference = s->present ? s->difference : 1.0, zero = s->reference / difference;
    const double pressure = SOUND_SPEED_SQUARED * u->pressure, rate = 1.0 / u->time;
    const char *const kg_m3 = wabe_lbm_unit(u, "kg/m^3"), *const m_s = wabe_lbm_unit(u, "m/s");
    const wabe_state_number numbers[WABE_LBM_NUMBERS] = {{"density", 1.0, mass},
                                                         {"ux", 0.0, velocity},
                                                         {"uy", 0.0, velocity},
                                                         {"uz", 0.0, velocity},
                                                         {"scalar", zero, difference}};
    const wabe_output_quantity quantities[WABE_LBM_QUANTITIES] = {
        {"density", 0, 1, 1.0, mass, WABE_NOW, kg_m3, false},
        {"velocity", 1, 3, 0.0, velocity, WABE_NOW, m_s, false},
        {"pressure", 0, 1, 0.0, pressure, WABE_NOW, wabe_lbm_unit(u, "Pa"), true},
        {"scalar", WABE_OUTPUT_scalar, 1, zero, difference, WABE_NOW, "", false},
        {"scalar_flux", WABE_OUTPUT_scalar_flux_x, 3, 0.0, difference * velocity, WABE_NOW,
         wabe_lbm_unit(u, "m/s"), false},
        {"solid", WABE_OUTPUT_fluid, 1, 1.0, 1.0, WABE_NOW, "1", false},
        {"stress", WABE_OUTPUT_stress_xx, 6, 0.0, u->pressure, WABE_NOW, wabe_lbm_unit(u, "Pa"),
         false},
        {"eddy_viscosity", WABE_OUTPUT_eddy_viscosity, 1, 0.0, u->length * velocity, WABE_NOW,
         wabe_lbm_unit(u, "m^2/s"), false},
        {"vorticity", WABE_GRADIENT_vorticity, 3, 0.0, rate, WABE_NOW, wabe_lbm_unit(u, "1/s"),
         true},
        {"q_criterion", WABE_GRADIENT_q_criterion, 1, 0.0, rate * rate, WABE_NOW,
         wabe_lbm_unit(u, "1/s^2"), true},
        {"wall_stress", WABE_GRADIENT_wall_stress, 3, 0.0, u->pressure, WABE_NOW,
         wabe_lbm_unit(u, "Pa"), false},
        {"viscosity", WABE_GRADIENT_viscosity, 1, 0.0, u->length * velocity, WABE_NOW,
         wabe_lbm_unit(u, "m^2/s"), false},
        {"mean_density", 0, 1, 1.0, mass, WABE_MEAN_OVER_TIME, kg_m3, false},
        {"mean_velocity", 1, 3, 0.0, velocity, WABE_MEAN_OVER_TIME, m_s, false},
        {"rms_velocity", 1, 3, 0.0, velocity, WABE_RMS_OVER_TIME, m_s, false},
        {"reynolds_stress", 1, 6, 0.0, u->energy, WABE_COVARIANCE_OVER_TIME,
         wabe_lbm_unit(u, "m^2/s^2"), false},
        {"mean_speed", WABE_SUM_SPEED, 1, 0.0, velocity, WABE_MEAN_OVER_TIME, m_s, false},
        {"speed_ratio", WABE_SUM_SPEED, 1, 0.0, 1.0 / flow->lbm_case.velocity, WABE_MEAN_OVER_TIME,
         "1", false},
        {"exceedance", WABE_SUM_EXCEEDANCE, 1, 0.0, 1.0, WABE_MEAN_OVER_TIME, "1", false},
        {"mean_scalar", WABE_SUM_SCALAR, 1, zero, difference, WABE_MEAN_OVER_TIME, "", false},
        {"rms_scalar", WABE_SUM_SCALAR, 1, 0.0, difference, WABE_RMS_OVER_TIME, "", false},
        {"turbulent_flux", WABE_SUM_SCALAR, 3, 0.0, difference * velocity, WABE_FLUX_OVER_TIME, m_s,
         false}};
    memcpy(flow->numbers, numbers, sizeof numbers);
    memcpy(flow->quantities, quantities, sizeof quantities);
}

/* ---- the application ---------------------------------------------------------------- */

_Static_assert((int)WABE_OUTPUT_scalar == WABE_LBM_NUMBERS - 1,
               "pictures take it as the fifth number");
_Static_assert(WABE_Q_MAX + WABE_SUM_ROWS <= WABE_CELL_ARRAYS_MAX, "a checkpoint has room for all");

/* Numbers per cell of checkpoints that are converted: of moments, or of the populations that they
 * stand for. */
static int other_form(const wabe_lbm_model *model) {
    if (model->type == WABE_TYPE_f16 || model->lattice != WABE_LATTICE_d3q19)
        return 0;
    return model->streaming == WABE_STREAMING_moments ? WABE_COUNT_d3q19 : WABE_MOMENTS;
}

static bool is_d3q19(int count) { return count == WABE_COUNT_d3q19 || count == WABE_MOMENTS; }

static const char *array_key(int count, int stored) {
    const int seven = WABE_COUNT_d3q19_d3q7, carried = WABE_COUNT_d3q19_d3q19;
    if ((count == seven && stored == carried) || (count == carried && stored == seven))
        return "scalar.lattice";
    if (count == seven || stored == seven || count == carried || stored == carried)
        return "scalar.diffusivity";
    return is_d3q19(count) && is_d3q19(stored) ? "lbm.streaming" : "lbm.lattice";
}

static const char *plot(const wabe_flow *flow) {
    if (wabe_flow_is_porous(flow))
        return flow->lbm_case.porous.tracers > 0 ? "residence" : NULL;
    if (flow->options.forces.every > 0)
        return "forces";
    const bool decays = flow->options.initial.kind == WABE_INITIAL_TAYLOR_GREEN_3D;
    return decays && !flow->lbm_case.units.si && flow->options.run.monitor.every > 0 ? "dissipation"
                                                                                     : NULL;
}

/* 1 + the axis along which heights are measured; 0: none are. */
static int upward(const wabe_lbm_case *c) {
    const int face = wabe_inflow_first(c->inflows);
    return c->solids.heights.heights ? 1 + c->solids.heights.up
           : c->solids.city.heights  ? 1 + c->solids.city.up
           : face >= 0               ? 1 + c->inflows[face].up
                                     : 0;
}

/* What the flow's velocity can be told to be small of: the velocities that are given, or what
 * forces that nothing holds back add from one check to the next. */
static double velocity_scale(const wabe_flow *flow) {
    const wabe_lbm_case *c = &flow->lbm_case;
    const double *f = c->simulation.model.force;
    const double force = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) + c->scalar.buoyancy;
    return c->velocity + force * (double)flow->options.run.monitor.every;
}

static void describe(wabe_flow *flow, const wabe_option_table tables[3], wabe_application *app) {
    static const char *const folders[] = {"x", "y", "z"};
    const wabe_lbm_case *c = &flow->lbm_case;
    *app = (wabe_application){
        .name = "lbm",
        .context = flow,
        .options = &flow->options.run,
        .table_count = 3,
        .tables = tables,
        .all = &flow->options,
        .all_size = sizeof flow->options,
        .may_differ = may_differ,
        .fixed_keys = fixed_keys,
        .size_key = "domain.cells",
        .memory_hint = c->simulation.model.streaming == WABE_STREAMING_pull
                           ? ", or twice as many with lbm.streaming = \"in_place\""
                           : "",
        .folder = flow->tensor ? folders[c->porous.axis] : "",
        .spacing = {c->units.length, c->units.length, c->units.length},
        .time_step = c->units.time,
        .length_unit = c->units.si ? "m" : "cells",
        .time_unit = c->units.si ? "s" : "steps",
        .rate_unit = "MFLUPS",
        .checks_are_timed = true,
        .number_count = c->scalar.present ? WABE_LBM_NUMBERS : WABE_LBM_NUMBERS - 1,
        .numbers = flow->numbers,
        .quantity_count = WABE_LBM_QUANTITIES,
        .quantities = flow->quantities,
        .default_quantities = default_quantities(flow),
        .up = upward(c),
        .picture = "velocity",
        .picture_beside = c->scalar.present ? "scalar" : NULL,
        .plot = plot(flow),
        .array_count = wabe_lbm_state_numbers(&c->simulation.model),
        .array_key = array_key,
        .other_array_count = other_form(&c->simulation.model),
        .array_type = c->simulation.model.type,
        .columns = c->scalar.present ? COLUMNS SCALAR_COLUMNS LAST_COLUMNS : COLUMNS LAST_COLUMNS,
        .column_count = c->scalar.present ? 14 : 9,
        .steady_column = 1,
        .steady_also = c->scalar.present ? 4 : 0,
        .steady_below = 2,
        .steady_least = c->units.velocity * velocity_scale(flow),
        .steady_what = c->scalar.present ? "the kinetic energy, or rms_scalar,"
                                         : "the kinetic energy",
        .cut = cut,
        .survey = survey,
        .mask = wabe_flow_gather_solid};
    wabe_geometry_periodic(&c->simulation.geometry, app->periodic);
    wabe_flow_enter_state(flow, app);
    wabe_flux_enter(flow, app);
    wabe_flow_enter_costs(app);
    wabe_flow_enter_residency(app);
    wabe_flow_enter_report(app);
    wabe_forces_enter(&flow->options, app);
}

wabe_status wabe_flow_read(wabe_config *config, int axis, wabe_flow *flow,
                           wabe_option_table tables[3], wabe_application *app) {
    *flow = (wabe_flow){.watch.change = 1.0, .error = NAN};
    tables[0] = (wabe_option_table){wabe_run_option_rows, &flow->options.run};
    tables[1] = (wabe_option_table){wabe_run_case_rows, &flow->options.run};
    tables[2] = (wabe_option_table){wabe_lbm_option_rows, &flow->options};
    WABE_TRY(read_options(config, axis, 3, tables, flow));
    name_quantities(flow);
    describe(flow, tables, app);
    return WABE_OK;
}

void wabe_flow_free(wabe_flow *flow) {
    wabe_lbm_case_free(&flow->lbm_case);
    wabe_fill_free(&flow->fill);
    wabe_start_close(&flow->start);
    free(flow->cuts);
    flow->cuts = NULL;
}

/* ---- the command -------------------------------------------------------------------- */

/* The permeability tensor: a column from each of three runs, which have subfolders of directory. */
typedef struct {
    wabe_home home; /* first: begin_tensor gets it */
    char directory[WABE_STRING_SIZE + 16];
    double columns[3][3];
    int done; /* of the runs */
} tensor;

static void put_tensor(const void *context, wabe_json *json) {
    static const char *const folders[] = {"x", "y", "z"};
    const tensor *t = context;
    wabe_json_open(json, "runs", '[');
    for (int axis = 0; axis < t->done; axis++)
        wabe_json_text(json, NULL, folders[axis]);
    wabe_json_close(json, ']');
    wabe_json_text(json, "unit", "cells^2");
    wabe_json_open(json, "permeability", '[');
    for (int row = 0; row < 3; row++) {
        wabe_json_open(json, NULL, '[');
        for (int axis = 0; axis < 3; axis++)
            wabe_json_real(json, NULL, axis < t->done ? t->columns[axis][row] : NAN);
        wabe_json_close(json, ']');
    }
    wabe_json_close(json, ']');
}

/* Rank 0 only. */
static wabe_status write_alone(tensor *t) {
    WABE_TRY(wabe_folder_check(&t->home.folder));
    return wabe_report_write(t->directory, "tensor.json", put_tensor, t);
}

/* Writes DIRECTORY/tensor.json from the runs so far. Collective. */
static wabe_status write_tensor(MPI_Comm comm, tensor *t) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return wabe_agree(comm, rank == 0 ? write_alone(t) : WABE_OK);
}

/* Writes the configuration of all three runs, and a tensor without columns. */
static wabe_status begin_tensor(wabe_run *run) {
    tensor *t = (tensor *)run->app->home;
    wabe_lbm_options all = wabe_flow_of(run)->options;
    const wabe_option_table tables[] = {{wabe_run_option_rows, &all.run},
                                        {wabe_run_case_rows, &all.run},
                                        {wabe_lbm_option_rows, &all}};
    all.porous.axis = WABE_POROUS_ALL;
    WABE_TRY(wabe_run_write_configuration(run, t->directory, 3, tables));
    return write_tensor(run->comm, t);
}

static void print_tensor(const tensor *t) {
    for (int axis = 0; axis < 3; axis++) /* unknown without a flow */
        if (!isfinite(t->columns[axis][axis]))
            return;
    for (int row = 0; row < 3; row++)
        wabe_log_line("%-10s %15.8g %15.8g %15.8g%s", row == 0 ? "tensor" : "", t->columns[0][row],
                      t->columns[1][row], t->columns[2][row], row == 0 ? "  cells^2" : "");
}

/* Executes one run, which gives the tensor's column along its axis. more: two more runs follow. */
static wabe_status go_along(MPI_Comm comm, const wabe_input *input, wabe_config *config, int axis,
                            wabe_verb verb, tensor *t, bool *more, bool *stopped) {
    wabe_option_table tables[3];
    wabe_application app;
    wabe_flow flow;
    wabe_status status = wabe_agree(comm, wabe_flow_read(config, axis, &flow, tables, &app));
    *more = flow.tensor;
    if (status == WABE_NOT_CONVERGED) { /* by a signal while solids were made */
        *stopped = true;
        wabe_log_line("interrupted before the first step: %s", wabe_error_message());
        wabe_flow_free(&flow);
        return WABE_OK;
    }
    if (status == WABE_OK && flow.tensor && input->restart && strcmp(input->restart, "latest") != 0)
        status = WABE_FAIL(WABE_INPUT,
                           "--restart: with porous.axis = \"all\" there are three runs, each with "
                           "its own checkpoints: latest, no file");
    if (status == WABE_OK && flow.tensor && verb == WABE_VERB_RUN) {
        wabe_run_directory(&flow.options.run, t->directory, sizeof t->directory);
        app.home = &t->home;
    }
    if (status == WABE_OK)
        status = wabe_run_case(comm, input, config, &app, verb, stopped);
    memcpy(t->columns[axis], flow.porous.permeability, sizeof flow.porous.permeability);
    t->done = axis + 1;
    wabe_flow_free(&flow);
    return status;
}

static wabe_status go_along_all(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                wabe_verb verb, tensor *t) {
    const bool runs = verb == WABE_VERB_RUN;
    bool more = true, stopped = false;
    for (int axis = 0; axis < (runs ? 3 : 1) && more && !stopped; axis++) {
        WABE_TRY(go_along(comm, input, config, axis, verb, t, &more, &stopped));
        if (runs && more && !stopped)
            WABE_TRY(write_tensor(comm, t));
    }
    if (runs && more && !stopped)
        print_tensor(t);
    return WABE_OK;
}

wabe_status wabe_lbm_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                             wabe_verb verb) {
    tensor t = {.done = 0};
    t.home = (wabe_home){.folder = wabe_folder_of(comm, t.directory), .begin = begin_tensor};
    if (verb == WABE_VERB_RUN)
        wabe_checkpoint_watch();
    const wabe_status status = go_along_all(comm, input, config, verb, &t);
    wabe_folder_leave(&t.home.folder);
    return status;
}
