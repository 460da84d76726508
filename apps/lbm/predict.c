/* What wabe predict has to know of a flow. */
#include "apps/model/predict.h"
#include "apps/lbm/lbm.h"

#include "sweeps/cell/lattice.h"

#include <string.h>

/* Five populations cross each cell of a face, one each of an edge. */
static wabe_scaling_pass pass_of(const void *context, const int64_t cells[3], wabe_target target) {
    (void)context;
    (void)cells;
    (void)target;
    return (wabe_scaling_pass){.steps = 1, .cost = 1.0, .crossing = {5.0, 1.0, 0.0}};
}

static int64_t memory_of(const void *context, const int64_t cells[3], wabe_target target) {
    return wabe_simulation_forecast(context, cells, target);
}

static wabe_status scaling_of(const wabe_lbm_run_state *run, wabe_scaling_case *out) {
    const wabe_simulation_options *s = &run->lbm_case.simulation;
    *out = (wabe_scaling_case){.name = run->options.name,
                               .steps = run->options.steps,
                               .overlap = s->overlap,
                               .flows = true,
                               .fluid_share = s->fluid_share > 0.0 ? s->fluid_share : 1.0,
                               .type = s->model.type,
                               .transport = s->transport,
                               .node = run->lbm_case.node,
                               .context = s,
                               .pass = pass_of,
                               .memory = memory_of};
    memcpy(out->cells, run->options.domain.cells, sizeof out->cells);
    memcpy(out->periodic, run->decomposition.periodic, sizeof out->periodic);
    if (wabe_forecast_flavour(s, &out->flavour))
        return WABE_OK;
    return wabe_config_fail(run->config, "lbm.storage",
                            "no kernel of this build has this storage, collision and streaming");
}

static void price_lists(wabe_lbm_run_state *run, const wabe_machine *machine) {
    const int gpu = wabe_machine_find(machine, WABE_TARGET_gpu);
    const wabe_machine_component *c = &machine->components[gpu < 0 ? 0 : gpu];
    const int64_t *n = run->options.domain.cells;
    wabe_lbm_price_lists(run, machine, c->target,
                         (double)n[0] * (double)n[1] * (double)n[2] / c->count);
}

wabe_status wabe_lbm_predict(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    wabe_prediction prediction;
    wabe_scaling_case scaling;
    wabe_lbm_run_state run = {0};
    wabe_status status = wabe_predict_open(comm, input, &prediction);
    if (status == WABE_OK)
        status = wabe_lbm_read(comm, config, 0, &run);
    if (status == WABE_OK)
        status = wabe_lbm_survey(&run);
    if (status == WABE_OK && run.pores.cells > 0 && run.pores.fluid == 0)
        status = wabe_config_fail(config, "geometry", "leaves no cell of the domain to the fluid");
    if (status == WABE_OK) {
        price_lists(&run, &prediction.machine);
        status = scaling_of(&run, &scaling);
    }
    if (status == WABE_OK)
        status = wabe_predict(comm, input, &prediction, &scaling);
    wabe_lbm_finish(&run);
    wabe_predict_close(&prediction);
    return status;
}
