/* The keys that all applications on grids of values have. */
#include "apps/grid/grid.h"
#include "apps/runtime/common_rows.h"

#define AT(member) offsetof(wabe_grid_options, member)

const wabe_option wabe_grid_option_rows[] = {
    {.path = "application",
     .type = WABE_OPTION_STRING,
     .offset = AT(application),
     .default_value = "\"lbm\"",
     .unit = "",
     .help = "What is simulated."},
    WABE_NAME_ROW(wabe_grid_options) WABE_PARALLEL_ROWS(wabe_grid_options)
        WABE_OUTPUT_ROWS(wabe_grid_options){.path = "output.fields",
                                            .type = WABE_OPTION_BOOL,
                                            .offset = AT(output.fields),
                                            .default_value = "true",
                                            .unit = "",
                                            .help = "Write the values as HDF5 for ParaView."},
    {.path = "output.picture",
     .type = WABE_OPTION_WORD,
     .offset = AT(output.picture),
     .default_value = "\"none\"",
     .words = "none|x|y|z",
     .unit = "",
     .help = "Draw the values on the middle plane normal to this axis."},
    {.path = NULL},
};

const wabe_option wabe_grid_case_rows[] = {
    WABE_CASE_ROWS(
        wabe_grid_options){.path = "domain.spacing",
                           .type = WABE_OPTION_REAL,
                           .offset = AT(domain.spacing),
                           .default_value = "1.0",
                           .min = 1e-30,
                           .max = 1e30,
                           .unit = "length",
                           .help = "Edge of a cell, in the unit that all lengths are given in."},
    {.path = "monitor.every",
     .type = WABE_OPTION_INT,
     .offset = AT(monitor.every),
     .default_value = "200",
     .min = 1,
     .max = 1e15,
     .unit = "steps",
     .help = "Steps between looks at all values: extremes, mean, broken ones."},
    WABE_CHECKPOINT_ROWS(wabe_grid_options){.path = NULL},
};
