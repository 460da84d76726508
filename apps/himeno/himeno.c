#include "apps/himeno/himeno.h"

#include "core/base/log.h"
#include "sweeps/himeno.h"

#define AT(member) offsetof(wabe_himeno_options, member)
#define PENTIUM_III 82.84 /* MFLOPS of 600 MHz: the benchmark's unit of its score */

enum {
    REHEARSAL = 3, /* iterations */
    FIXED = 3      /* a benchmark's array has so many places more along an axis than are computed */
};

/* Places of the benchmark's arrays along k, j, i; the last two are those of Kato et al. */
#define SIZES(X)                                                                                   \
    X("XS", 65, 33, 33)                                                                            \
    X("S", 129, 65, 65)                                                                            \
    X("M", 257, 129, 129)                                                                          \
    X("L", 513, 257, 257)                                                                          \
    X("XL", 1025, 513, 513)                                                                        \
    X("1025x513x513", 513, 513, 1025)                                                              \
    X("2049x513x513", 513, 513, 2049)

static const struct {
    const char *word;
    int64_t places[3];
} sizes[] = {
#define X(name, k, j, i) {name, {k, j, i}},
    SIZES(X)
#undef X
};

static const char words[] =
#define X(name, k, j, i) "|" name
    SIZES(X);
#undef X

const wabe_option wabe_himeno_option_rows[] = {
    {.path = "steps",
     .type = WABE_OPTION_INT,
     .offset = AT(steps),
     .default_value = "0",
     .min = 0,
     .max = 1e15,
     .unit = "iterations",
     .help = "That are timed, after three for rehearsal; 0: as many as take himeno.seconds."},
    {.path = "himeno.size",
     .type = WABE_OPTION_WORD,
     .offset = AT(size),
     .words = words + 1,
     .unit = "",
     .help = "Of the benchmark, along i, j, k: XS has arrays of 33 x 33 x 65, S 65 x 65 x 129, M "
             "129 x 129 x 257, L 257 x 257 x 513, XL 513 x 513 x 1025 numbers; three fewer along "
             "each are computed."},
    {.path = "himeno.seconds",
     .type = WABE_OPTION_REAL,
     .offset = AT(seconds),
     .default_value = "60.0",
     .min = 1e-3,
     .max = 1e9,
     .unit = "s",
     .help = "Roughly: how long the timed iterations take, by the rehearsal's rate."},
    {.path = "himeno.kernel",
     .type = WABE_OPTION_STRING,
     .offset = AT(kernel),
     .default_value = "\"\"",
     .unit = "",
     .help = "A part of the name of the kernel that must be taken (wabe kernels lists them)."},
    {.path = "monitor.every",
     .type = WABE_OPTION_INT,
     .offset = AT(monitor_every),
     .default_value = "0",
     .min = 0,
     .max = 1e15,
     .unit = "iterations",
     .help = "Between looks at all values: extremes, mean, broken ones; 0: after the last one "
             "alone."},
    {.path = NULL},
};

typedef struct {
    wabe_grid_options grid;
    wabe_himeno_options options;
    double mflops, gosa; /* at the end */
} himeno;

static wabe_status initial(const void *context, const int64_t cell[3], int64_t count, double *row) {
    return wabe_himeno_initial(((const himeno *)context)->grid.domain.cells, cell, count, row);
}

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    (void)context;
    return wabe_himeno_fill(slab);
}

static wabe_status conclude(void *context, const wabe_grid_view *view) {
    himeno *h = context;
    h->gosa = wabe_grid_slabs_reduce(view->slabs, WABE_HIMENO_GOSA);
    h->mflops = 1e-6 * view->rate * WABE_FLOPS_HIMENO;
    wabe_log_line("himeno     %s: %.2f MFLOPS, gosa %e after %lld iterations, score %.2f%s",
                  sizes[h->options.size].word, h->mflops, h->gosa, (long long)view->step,
                  h->mflops / PENTIUM_III,
                  view->domain->options.communicate ? "" : " (NOT VALID: no communication)");
    return WABE_OK;
}

static void put(const void *context, wabe_json *json) {
    const himeno *h = context;
    wabe_json_text(json, "size", sizes[h->options.size].word);
    wabe_json_real(json, "mflops", h->mflops);
    wabe_json_real(json, "gosa", h->gosa);
}

static wabe_status hand_over(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                             wabe_grid_verb verb) {
    himeno h = {0};
    const wabe_option_table tables[] = {{wabe_grid_option_rows, &h.grid},
                                        {wabe_himeno_option_rows, &h.options}};
    WABE_TRY(wabe_agree(comm, wabe_config_read(config, 2, tables)));
    h.grid.steps = h.options.steps;
    h.grid.monitor.every = h.options.monitor_every;
    h.grid.domain.spacing = 1.0;
    for (int axis = 0; axis < 3; axis++)
        h.grid.domain.cells[axis] = sizes[h.options.size].places[axis] - FIXED;
    const wabe_grid_application app = {
        .field = "pressure",
        .size_key = "himeno.size",
        .slabs = {.model = wabe_himeno_model(h.grid.domain.cells, h.options.kernel),
                  .context = &h,
                  .fill = fill},
        .time_step = 1.0,
        .kernel_key = "himeno.kernel",
        .rehearsal = REHEARSAL,
        .duration = h.options.seconds,
        .initial = initial,
        .conclude = conclude,
        .put = put,
    };
    return wabe_grid_run(comm, input, config, &h.grid, &app, 2, tables, verb);
}

wabe_status wabe_himeno_run(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    return hand_over(comm, input, config, WABE_GRID_RUN);
}

wabe_status wabe_himeno_check(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    return hand_over(comm, input, config, WABE_GRID_CHECK);
}

wabe_status wabe_himeno_predict(MPI_Comm comm, const wabe_input *input, wabe_config *config) {
    return hand_over(comm, input, config, WABE_GRID_PREDICT);
}
