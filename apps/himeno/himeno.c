#include "apps/himeno/himeno.h"

#include "apps/runtime/stencil.h"
#include "core/base/log.h"
#include "sweeps/stencil/himeno.h"

#define KEY(path, type, member) WABE_KEY(path, type, wabe_himeno_options, member)
#define PENTIUM_III 82.84 /* MFLOPS at 600 MHz, to which the benchmark's score is relative */

enum {
    REHEARSAL = 3, /* iterations */
    FIXED = 3      /* elements along an axis of the benchmark's arrays that are not computed */
};

/* Sizes of the benchmark's arrays along k, j, i; the last two are those of Kato et al. */
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
    {KEY("steps", INT, run.steps), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "iterations",
     .help = "Timed iterations, after three for rehearsal; 0: as many as take himeno.seconds."},
    {KEY("himeno.size", WORD, size), .words = words + 1,
     .help = "Problem size. Arrays along i, j, k: XS 33 x 33 x 65, S 65 x 65 x 129, M "
             "129 x 129 x 257, L 257 x 257 x 513, XL 513 x 513 x 1025 numbers; three fewer along "
             "each axis are computed."},
    {KEY("himeno.seconds", REAL, seconds), .default_value = "60.0", WABE_RANGE(1e-3, 1e9),
     .unit = "s",
     .help = "Approximate duration of the timed iterations, from the rate of the rehearsal."},
    {KEY("himeno.kernel", STRING, kernel), .default_value = "",
     .help = "A part of the name of the kernel that must be taken (wabe kernels lists them)."},
    {KEY("monitor.every", INT, run.monitor.every), .default_value = "0", WABE_RANGE(0, 1e15),
     .unit = "iterations",
     .help =
         "Iterations between checks of all values: extremes, mean, NAN; 0: only after the last."},
    {.path = NULL},
};

typedef struct {
    wabe_himeno_options options;
    wabe_stencil_case stencil;
    double gosa; /* at the end */
} himeno;

static himeno *himeno_of(const wabe_run *run) { return wabe_stencil_case_of(run)->slabs.context; }

static wabe_status initial(const void *context, int number, const int64_t cell[3], int64_t count,
                           double *row) {
    (void)number;
    return wabe_himeno_initial(((const himeno *)context)->options.run.domain.cells, cell, count,
                               row);
}

static wabe_status fill(void *context, wabe_grid_slab *slab) {
    (void)context;
    return wabe_himeno_fill(slab);
}

static wabe_status conclude(wabe_run *run) {
    himeno *h = himeno_of(run);
    h->gosa = wabe_grid_slabs_reduce(&h->stencil.slabs, WABE_HIMENO_GOSA);
    return WABE_OK;
}

static double mflops_of(const wabe_run *run) {
    return 1e-6 * wabe_run_rate(run, (double)run->updates) * WABE_FLOPS_HIMENO;
}

static void put(const wabe_run *run, wabe_json *json) {
    const himeno *h = himeno_of(run);
    wabe_json_text(json, "size", sizes[h->options.size].word);
    wabe_json_real(json, "mflops", mflops_of(run));
    wabe_json_real(json, "gosa", h->gosa);
}

static void print(const wabe_run *run) {
    const himeno *h = himeno_of(run);
    wabe_log_line("himeno     %s: %.2f MFLOPS, gosa %e after %lld iterations, score %.2f%s",
                  sizes[h->options.size].word, mflops_of(run), h->gosa, (long long)run->step,
                  mflops_of(run) / PENTIUM_III,
                  run->domain->options.communicate ? "" : " (NOT VALID: no communication)");
}

wabe_status wabe_himeno_execute(MPI_Comm comm, const wabe_input *input, wabe_config *config,
                                wabe_verb verb) {
    himeno h = {0};
    const wabe_option_table tables[] = {{wabe_run_option_rows, &h.options.run},
                                        {wabe_himeno_option_rows, &h.options}};
    int64_t *const cells = h.options.run.domain.cells;
    bool stopped;
    WABE_TRY(wabe_agree(comm, wabe_config_read(config, 2, tables)));
    for (int axis = 0; axis < 3; axis++)
        cells[axis] = sizes[h.options.size].places[axis] - FIXED;
    h.stencil = (wabe_stencil_case){.slabs = {.model = wabe_himeno_model(cells, h.options.kernel),
                                              .context = &h,
                                              .fill = fill},
                                    .kernel_key = "himeno.kernel",
                                    .initial = initial,
                                    .conclude = conclude,
                                    .put = put,
                                    .print = print};
    wabe_application app = {.name = "himeno",
                            .options = &h.options.run,
                            .table_count = 2,
                            .tables = tables,
                            .all = &h.options,
                            .all_size = sizeof h.options,
                            .size_key = "himeno.size",
                            .spacing = {1.0, 1.0, 1.0},
                            .time_step = 1.0,
                            .rehearsal = REHEARSAL,
                            .duration = h.options.seconds};
    wabe_stencil_enter(&h.stencil, &app);
    app.array_count = 0; /* no checkpoints: a benchmark is repeated, not continued */
    return wabe_run_case(comm, input, config, &app, verb, &stopped);
}
