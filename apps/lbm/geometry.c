/* wabe geometry: analyses and draws the solids without computing a flow. */
#include "apps/lbm/lbm.h"

#include "apps/lbm/solid_pictures.h"
#include "core/base/log.h"

static wabe_status look(wabe_run *run) {
    const wabe_lbm_case *c = &wabe_flow_of(run)->lbm_case;
    WABE_TRY(wabe_flow_analyse_pores(run));
    wabe_flow_print_solids(run);
    wabe_flow_warn_of_extents(run);
    if (wabe_flow_check_pores(run) != WABE_OK) /* continue: pictures help to find the reason */
        wabe_log_warning("%s", wabe_error_message());
    return wabe_lbm_show_solids(run, &c->simulation.geometry, &c->solids);
}

wabe_status wabe_lbm_geometry(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    wabe_option_table tables[3];
    wabe_application app;
    wabe_flow flow;
    wabe_run run;
    wabe_status status = wabe_agree(comm, wabe_flow_read(config, 0, &flow, tables, &app));
    if (status == WABE_OK) {
        status = wabe_run_begin(comm, input, config, &app, &run);
        if (status == WABE_OK)
            status = look(&run);
        wabe_run_finish(&run);
    }
    wabe_flow_free(&flow);
    return status;
}
