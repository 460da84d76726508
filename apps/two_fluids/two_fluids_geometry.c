/* The pores between solids, and wabe geometry. */
#include "apps/two_fluids/two_fluids_case.h"

#include "apps/lbm/porous.h"
#include "apps/lbm/solid_pictures.h"
#include "core/base/log.h"

static wabe_status analyse(wabe_run *run) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    return wabe_lbm_solids_blame(run->config, wabe_pores_analyse(run->comm, &t->solids.geometry,
                                                                 &run->decomposition, &t->pores));
}

wabe_status wabe_two_fluids_survey(wabe_run *run) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const int axis = t->options.porous.axis - 1;
    WABE_TRY(t->survey(run));
    WABE_TRY(wabe_lbm_solids_check_fluid(run->comm, run->config, &t->solids.geometry, run->block));
    if (axis < 0)
        return WABE_OK;
    WABE_TRY(analyse(run));
    return wabe_porous_check(axis, &t->pores) == WABE_OK
               ? WABE_OK
               : wabe_config_fail_because(run->config, "porous.axis", "cannot be met");
}

static wabe_status look(wabe_run *run) {
    wabe_two_fluids_case *t = wabe_two_fluids_of(run);
    const int axis = t->options.porous.axis - 1;
    WABE_TRY(analyse(run));
    wabe_porous_print_pores(axis, &t->pores);
    if (wabe_porous_check(axis, &t->pores) != WABE_OK)
        wabe_log_warning("%s", wabe_error_message());
    return wabe_lbm_show_solids(run, &t->solids.geometry, &t->solids.solids);
}

wabe_status wabe_two_fluids_geometry(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    wabe_two_fluids_case t;
    wabe_option_table tables[3];
    wabe_application app;
    wabe_run run;
    wabe_status status = wabe_two_fluids_read(comm, config, &t, tables, &app);
    if (status == WABE_OK) {
        status = wabe_run_begin(comm, input, config, &app, &run);
        if (status == WABE_OK)
            status = look(&run);
        wabe_run_finish(&run);
    }
    wabe_grid_solids_free(&t.solids);
    return status;
}
