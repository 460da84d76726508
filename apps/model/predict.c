#include "apps/model/predict.h"

#include "core/base/log.h"
#include "core/io/disk.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_NODES = 1000000 };
#define NO_LONGER_FALLS 0.98 /* of the time on fewer nodes */

static const char *const cuts[WABE_CUTS] = {"none", "1-D", "2-D", "3-D"};

/* Forecasts for ascending numbers of nodes, as they are printed. */
typedef struct {
    const wabe_scaling_case *scaling;
    const wabe_placement *placement;
    FILE *csv;   /* NULL: none */
    double rate; /* per node, at the reference of the efficiency; 0: the case does not fit */
    bool inside; /* all slabs are close to the measured sizes */
} table;

static wabe_status read_nodes(const char *text, int *count, int64_t nodes[WABE_NODES_MAX]) {
    *count = 0;
    for (const char *at = text; *count < WABE_NODES_MAX; at++) {
        char *end;
        errno = 0;
        const long long value = strtoll(at, &end, 10);
        if (end == at || errno || value < 1 || value > LARGEST_NODES || (*end && *end != ','))
            break;
        if (*count > 0 && value <= nodes[*count - 1])
            break;
        nodes[(*count)++] = value;
        if (!*end)
            return WABE_OK;
        at = end;
    }
    return WABE_FAIL(
        WABE_INPUT,
        "--nodes needs up to %d numbers that grow, from 1 to %d, such as 1,2,4,8; not '%s'",
        WABE_NODES_MAX, LARGEST_NODES, text);
}

static void print_head(const wabe_scaling_case *k, const wabe_placement *p) {
    const wabe_machine_component *c = &p->machine->components[p->index];
    const wabe_model_work work = k->flavour.work;
    const int64_t *n = k->cells;
    char fluid[64] = "";
    if (k->flows)
        snprintf(fluid, sizeof fluid, ", %.4f of them fluid", k->fluid_share);
    wabe_log_line("case       %s: %lld x %lld x %lld cells%s", k->name, (long long)n[0],
                  (long long)n[1], (long long)n[2], fluid);
    wabe_log_line("kernel     moves %.0f B, %.0f flop per cell", work.bytes, work.flops);
    const double rate = p->measured
                            ? 1e9 / wabe_model_curve_seconds(&p->component.kernel.whole, 1e9)
                            : c->efficiency * wabe_model_lightspeed(c->processor, work).updates;
    wabe_log_line("machine    %s: %d %s in a node; a kernel reaches %.1f million cells per second",
                  p->machine->name, c->count,
                  p->component.device ? "GPU(s)" : "processor component(s)", 1e-6 * rate);
    wabe_log_line("mode       %s: %d %s for each node", wabe_mode_word(k->node.mode), p->per_node,
                  p->together ? "slab(s) of one process" : "process(es)");
    if (k->node.mode == WABE_MODE_HETEROGENEOUS)
        wabe_log_line("           CPUs take %.1f %% of each block", 100.0 * (1.0 - p->kept));
    if (p->together && p->component.device && p->per_node > 1 && c->launch > 0.0)
        wabe_log_line("           one thread gives its %d GPUs their steps: %.3f ms at least",
                      p->per_node, 1e3 * p->per_node * c->launch);
    wabe_log_line("steps      %swith%s overlap, ms\n",
                  p->weak ? "weak: every node has the case's cells, the cuts are between nodes; "
                          : "",
                  k->overlap ? "" : "out");
    wabe_log_line("%6s %5s %-14s %9s %10s %10s  %8s %8s %8s %8s %8s %8s %8s", "nodes", "cut",
                  "slabs", "step", k->flows ? "MFLUPS" : "MLUPS", "efficiency", "outer", "inner",
                  "buffers", "bus", "network", "sync", "slowest");
}

/* Cells updated per second; of flows, fluid cells only. */
static double rate_of(const table *t, const wabe_grid_forecast *f) {
    const int64_t *n = f->domain;
    return (double)n[0] * (double)n[1] * (double)n[2] * t->scaling->fluid_share / f->seconds;
}

static void print_row(const table *t, int64_t nodes, int cut, bool best,
                      const wabe_grid_forecast *f) {
    const int64_t *g = f->slabs;
    const wabe_model_step *s = &f->step;
    const double rate = rate_of(t, f);
    char grid[64];
    snprintf(grid, sizeof grid, "%lld x %lld x %lld", (long long)g[0], (long long)g[1],
             (long long)g[2]);
    if (!f->fits)
        wabe_log_line("%6lld %5s %-14s does not fit: %.2f GB of %.2f GB", (long long)nodes,
                      cuts[cut], grid, 1e-9 * f->memory, 1e-9 * f->room);
    else
        wabe_log_line("%6lld %5s %-14s %9.3f %10.1f %10.3f%c %8.3f %8.3f %8.3f %8.3f %8.3f %8.3f "
                      "%8lld%s",
                      (long long)nodes, cuts[cut], grid, 1e3 * f->seconds, 1e-6 * rate,
                      rate / (double)nodes / t->rate, best ? '*' : ' ', 1e3 * s->outer,
                      1e3 * s->inner, 1e3 * s->buffers, 1e3 * s->bus, 1e3 * s->network,
                      1e3 * s->sync, (long long)f->slowest, f->inside ? "" : " !");
    if (f->not_streamed[0])
        wabe_log_line("%6s %5s not streamed: %s", "", "", f->not_streamed);
    if (f->passes.steps > 0.0)
        wabe_log_line(
            "%6s %5s streamed: %.1f GB for a GPU of %.1f GB, %.0f steps a pass, %.1f GB of "
            "the host's memory for each",
            "", "", 1e-9 * f->memory, 1e-9 * f->room, f->passes.steps, 1e-9 * f->host);
}

static void put_row(const table *t, int64_t nodes, int cut, bool best,
                    const wabe_grid_forecast *f) {
    const int64_t *g = f->slabs, *n = f->domain;
    const wabe_model_step *s = &f->step;
    const double rate = rate_of(t, f);
    if (!t->csv)
        return;
    fprintf(t->csv, "%lld,%s,%lld x %lld x %lld,%lld x %lld x %lld", (long long)nodes, cuts[cut],
            (long long)g[0], (long long)g[1], (long long)g[2], (long long)n[0], (long long)n[1],
            (long long)n[2]);
    if (f->fits)
        fprintf(t->csv, ",%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,1,%d\n", 1e3 * f->seconds,
                1e-6 * rate, rate / (double)nodes / t->rate, 1e3 * s->outer, 1e3 * s->inner,
                1e3 * s->buffers, 1e3 * s->bus, 1e3 * s->network, 1e3 * s->sync, best);
    else
        fputs(",nan,nan,nan,nan,nan,nan,nan,nan,nan,0,0\n", t->csv);
}

/* Returns seconds per step of the fastest cut. */
static double print_count(table *t, int64_t nodes) {
    wabe_grid_forecast f[WABE_CUTS];
    wabe_forecast_grids(t->scaling, t->placement, nodes, f);
    const int best = wabe_fastest_cut(f);
    bool any = false;
    for (int cut = 0; cut < WABE_CUTS; cut++) {
        if (!f[cut].possible)
            continue;
        any = true;
        t->inside &= f[cut].inside;
        print_row(t, nodes, cut, cut == best, &f[cut]);
        put_row(t, nodes, cut, cut == best, &f[cut]);
    }
    if (!any)
        wabe_log_line("%6lld  no grid of so many processes, each with a cell or more",
                      (long long)nodes);
    return best >= 0 ? f[best].seconds : INFINITY;
}

/* Prints the number of nodes beyond which steps hardly become faster. */
static void print_enough(int count, const int64_t nodes[], const double seconds[]) {
    double fastest = INFINITY;
    int enough = 0, last = count - 1;
    for (int i = 0; i < count; i++)
        fastest = seconds[i] < fastest ? seconds[i] : fastest;
    while (last > 0 && !isfinite(seconds[last]))
        last--;
    while (enough < count && !(seconds[enough] <= fastest / NO_LONGER_FALLS))
        enough++;
    if (enough < last)
        wabe_log_line("more than %lld of these nodes do not make steps faster",
                      (long long)nodes[enough]);
}

/* Cells updated per second and node; 0: the case does not fit. */
static double node_rate(const table *t, int64_t nodes) {
    wabe_grid_forecast f[WABE_CUTS];
    wabe_forecast_grids(t->scaling, t->placement, nodes, f);
    const int best = wabe_fastest_cut(f);
    return best >= 0 ? rate_of(t, &f[best]) / (double)nodes : 0.0;
}

/* Prints the forecasts of all modes for the largest number of nodes. */
static void print_modes(const table *t, int64_t nodes) {
    const wabe_placement *p = t->placement;
    char text[160] = "";
    for (int mode = WABE_MODE_PURE_MPI; mode <= WABE_MODE_HETEROGENEOUS; mode++) {
        const wabe_placement other = wabe_placement_of(t->scaling, p->machine, (wabe_mode)mode,
                                                       p->weak);
        wabe_grid_forecast f[WABE_CUTS];
        wabe_forecast_grids(t->scaling, &other, nodes, f);
        const int best = wabe_fastest_cut(f);
        const size_t used = strlen(text);
        if (best >= 0 && (mode != WABE_MODE_HETEROGENEOUS || other.kept < 1.0))
            snprintf(text + used, sizeof text - used, "%s%s %.3f ms", used ? ", " : "",
                     wabe_mode_word((wabe_mode)mode), 1e3 * f[best].seconds);
    }
    wabe_log_line("modes      on %lld node%s: %s", (long long)nodes, nodes > 1 ? "s" : "", text);
}

/* Efficiency is relative to the first number of nodes that fits, or, for weak scaling, to one
 * node. */
static void print_scaling(const wabe_scaling_case *k, const wabe_placement *p, FILE *csv, int count,
                          const int64_t nodes[WABE_NODES_MAX]) {
    double seconds[WABE_NODES_MAX]; /* of each count's fastest cut */
    table t = {.scaling = k, .placement = p, .csv = csv, .inside = true};
    print_head(k, p);
    for (int i = 0; i < count && t.rate == 0.0; i++)
        t.rate = node_rate(&t, p->weak ? 1 : nodes[i]);
    for (int i = 0; i < count; i++)
        seconds[i] = print_count(&t, nodes[i]);
    wabe_log_line("\n* the fastest cut; efficiency: %s",
                  p->weak ? "time of one node over that of all"
                          : "speed-up over the first count that fits, per node");
    if (!t.inside)
        wabe_log_line("! slabs far from the sizes that were measured: extrapolated");
    if (!p->weak)
        print_enough(count, nodes, seconds);
    if (isfinite(seconds[count - 1])) {
        print_modes(&t, nodes[count - 1]);
        if (k->steps > 0)
            wabe_log_line("run        %lld steps on %lld node%s: %.4g s", (long long)k->steps,
                          (long long)nodes[count - 1], nodes[count - 1] > 1 ? "s" : "",
                          (double)k->steps * seconds[count - 1]);
    }
}

/* ---- CSV file ------------------------------------------------------------------------- */

/* name: NULL: no file is requested. */
static wabe_status open_rows(MPI_Comm comm, const char *input, const char *machine,
                             const char *name, FILE **csv) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    *csv = NULL;
    if (!name || rank != 0)
        return WABE_OK;
    WABE_CHECK(strcmp(name, machine) != 0 && strcmp(name, input) != 0, WABE_INPUT,
               "--csv %s would overwrite what is read", name);
    WABE_TRY(wabe_disk_check_target(name));
    WABE_TRY(wabe_disk_open_new(name, csv));
    fputs("nodes,cut,grid,domain,step,mflups,efficiency,outer,inner,buffers,bus,network,sync,"
          "fits,best\n",
          *csv);
    return WABE_OK;
}

static wabe_status close_rows(const char *name, FILE *csv) {
    if (!csv)
        return WABE_OK;
    WABE_TRY(wabe_disk_close_new(name, csv));
    wabe_log_line("rows       %s; picture: scripts/plot_prediction.py %s", name, name);
    return WABE_OK;
}

/* ---- the command ---------------------------------------------------------------------- */

wabe_status wabe_predict_open(MPI_Comm comm, const wabe_input *input, wabe_prediction *out) {
    *out = (wabe_prediction){.file = input->machine ? input->machine : WABE_MACHINE_FILE};
    int there = input->machine || access(out->file, R_OK) == 0;
    MPI_Bcast(&there, 1, MPI_INT, 0, comm);
    WABE_CHECK(there, WABE_INPUT,
               "no --machine FILE is given, and there is no %s here, which wabe calibrate writes",
               out->file);
    WABE_TRY(wabe_machine_read(comm, out->file, &out->machine));
    const bool network = out->machine.links.network.bandwidth > 0.0;
    const char *list = input->nodes ? input->nodes : network ? "1,2,4,8,16,32,64" : "1";
    return read_nodes(list, &out->count, out->nodes);
}

void wabe_predict_close(wabe_prediction *prediction) { wabe_machine_free(&prediction->machine); }

wabe_status wabe_predict(MPI_Comm comm, const wabe_input *input, const wabe_prediction *known,
                         const wabe_scaling_case *k) {
    const wabe_machine *machine = &known->machine;
    const int64_t *nodes = known->nodes;
    const int count = known->count;
    FILE *csv;
    const wabe_placement p = wabe_placement_of(k, machine, k->node.mode, input->weak);
    WABE_CHECK(nodes[count - 1] <= INT32_MAX / p.per_node, WABE_INPUT,
               "--nodes: %lld nodes of %d components are too many", (long long)nodes[count - 1],
               p.per_node);
    WABE_CHECK(nodes[count - 1] == 1 || machine->links.network.bandwidth > 0.0, WABE_INPUT,
               "%s: has no network, which more than one node needs: write it there, such as "
               "network = { bandwidth = 12.0; latency = 2.0; }; (GB/s, us), or give --nodes 1",
               known->file);
    if (!p.measured && machine->kernel_count > 0)
        wabe_log_warning("%s has no kernel of this %s: rates follow from its bandwidth",
                         known->file, k->flows ? "storage and streaming" : "application");
    WABE_TRY(wabe_agree(comm, open_rows(comm, input->file, known->file, input->csv, &csv)));
    print_scaling(k, &p, csv, count, nodes);
    return wabe_agree(comm, close_rows(input->csv, csv));
}
