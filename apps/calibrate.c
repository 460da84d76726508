/* wabe calibrate: measures this machine and writes a machine file for the performance model. A
 * process of the first node measures the node's components while the others sleep
 * (calibrate_components.c); then processes exchange messages (calibrate_messages.c), and do whole
 * steps. The nodes, and the GPUs of a node, are assumed to be identical. */
#include "apps/calibrate/calibration.h"
#include "apps/commands.h"

#include "comm/node.h"
#include "core/base/log.h"
#include "core/base/version.h"
#include "core/io/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GIGA 1e9
#define BANDWIDTH_SEEN 1e14 /* bytes per second, above any real link */
#define UNSTEADY_SHARE 0.2

void wabe_calibration_note(const wabe_calibration *c, const char *line) {
    wabe_log_line("%5.1f s    %s", MPI_Wtime() - c->started, line);
}

/* ---- points and fits ---------------------------------------------------------------- */

void wabe_calibration_point(const wabe_calibration *c, const char *quantity, const char *subject,
                            double size, double seconds, double fitted) {
    if (c->csv)
        fprintf(c->csv, "%s,%s,%.6g,%.6g,%.6g\n", quantity, subject, size, seconds / WABE_MICRO,
                fitted / WABE_MICRO);
}

wabe_model_link wabe_calibration_fit(const wabe_calibration *c, const char *quantity,
                                     const char *subject, const wabe_probe *probe, double ways) {
    double deviation, seconds[WABE_MODEL_POINTS_MAX];
    for (int i = 0; i < probe->count; i++)
        seconds[i] = probe->seconds[i] / ways;
    const wabe_model_link link = wabe_model_link_fit(probe->count, probe->bytes, seconds,
                                                     &deviation);
    for (int i = 0; i < probe->count; i++)
        wabe_calibration_point(c, quantity, subject, probe->bytes[i], seconds[i],
                               wabe_model_link_seconds(link, probe->bytes[i]));
    if (link.bandwidth > BANDWIDTH_SEEN)
        wabe_log_line("           %-8s %-8s sizes are too small to tell its bandwidth, %7.2f us",
                      quantity, subject, link.latency / WABE_MICRO);
    else
        wabe_log_line("           %-8s %-8s %8.2f GB/s, %7.2f us; %d points are off by %.0f %%",
                      quantity, subject, link.bandwidth / GIGA, link.latency / WABE_MICRO,
                      probe->count, 100.0 * deviation);
    return link;
}

/* ---- whole steps ---------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool overlap;
    wabe_transport transport;
} exchanges[] = {{"exchange", true, WABE_TRANSPORT_any},
                 {"exchange apart", false, WABE_TRANSPORT_any},
                 {"staged", true, WABE_TRANSPORT_host}};

enum { KINDS = sizeof exchanges / sizeof exchanges[0], EXCHANGE_EDGES = 4, EXCHANGE_EDGE = 8 };

/* Measures the part of an exchange's time that its components do not explain, with processes of the
 * first node, each with a GPU or one thread. */
static wabe_status measure_exchange(wabe_calibration *c, wabe_target target) {
    const int index = wabe_machine_find(&c->machine, target);
    const wabe_node_place here = wabe_node_place_of(c->comm);
    const int count = index < 0                   ? 0
                      : target == WABE_TARGET_gpu ? c->machine.components[index].count
                                                  : here.size;
    const bool mine = here.lowest == 0 && here.rank < count && here.size > 1 && count > 1;
    double seconds[KINDS][EXCHANGE_EDGES] = {{0}};
    const int kinds = target == WABE_TARGET_gpu ? KINDS : KINDS - 1;
    MPI_Comm some;
    MPI_Comm_split(c->comm, mine ? 0 : MPI_UNDEFINED, c->rank, &some);
    wabe_component on = wabe_component_detect(1);
    wabe_status status = WABE_OK;
    if (mine && target == WABE_TARGET_gpu)
        status = wabe_component_open_gpu(here.rank, &on);
    if (mine)
        status = wabe_agree(some, status);
    for (int k = 0; k < kinds && mine; k++)
        for (int i = 0; i < EXCHANGE_EDGES && status == WABE_OK; i++)
            status = wabe_probe_step(some, &c->machine, &on, EXCHANGE_EDGE * (i + 1),
                                     exchanges[k].overlap, exchanges[k].transport, &seconds[k][i]);
    if (mine)
        MPI_Comm_free(&some);
    wabe_probe_wait(c->comm);
    WABE_TRY(wabe_agree(c->comm, status));
    if (c->rank != 0 || !mine)
        return WABE_OK;
    wabe_machine_component *m = &c->machine.components[index];
    double *means[KINDS] = {&m->exchange[0], &m->exchange[1], &m->staged};
    for (int k = 0; k < kinds; k++) {
        for (int i = 0; i < EXCHANGE_EDGES; i++) {
            wabe_calibration_point(c, exchanges[k].name, m->name, EXCHANGE_EDGE * (i + 1.0),
                                   seconds[k][i], 0.0);
            *means[k] += seconds[k][i] / EXCHANGE_EDGES;
        }
        wabe_log_line("           %-16s %-8s %8.2f us beside its parts", exchanges[k].name, m->name,
                      *means[k] / WABE_MICRO);
    }
    return WABE_OK;
}

/* ---- the command -------------------------------------------------------------------- */

/* Broadcasts rank 0's machine. */
static void share_machine(wabe_calibration *c) {
    wabe_machine_kernel *kernels = c->machine.kernels;
    MPI_Bcast(&c->machine, sizeof c->machine, MPI_BYTE, 0, c->comm);
    c->machine.kernels = kernels;
    MPI_Bcast(kernels, WABE_CALIBRATION_KERNELS_MAX * (int)sizeof *kernels, MPI_BYTE, 0, c->comm);
}

static wabe_status open_points(wabe_calibration *c) {
    snprintf(c->points, sizeof c->points, "%s.csv", c->file);
    if (c->rank != 0)
        return WABE_OK;
    WABE_TRY(wabe_disk_check_target(c->file)); /* fail now rather than at the end */
    WABE_TRY(wabe_disk_check_target(c->points));
    c->csv = tmpfile(); /* keeps an existing file until everything is measured */
    WABE_CHECK(c->csv, WABE_FILE, "no temporary file: %s", strerror(errno));
    fputs("what,of,size,microseconds,fitted\n", c->csv);
    return WABE_OK;
}

static wabe_status write_points(const wabe_calibration *c) {
    FILE *file;
    WABE_TRY(wabe_disk_open_new(c->points, &file));
    rewind(c->csv);
    for (int byte = fgetc(c->csv); byte != EOF; byte = fgetc(c->csv))
        fputc(byte, file);
    if (!ferror(c->csv))
        return wabe_disk_close_new(c->points, file);
    wabe_disk_drop_new(c->points, file);
    return WABE_FAIL(WABE_FILE, "%s: cannot be written: its temporary file cannot be read",
                     c->points);
}

static wabe_status write_files(wabe_calibration *c) {
    char head[512], day[32];
    const time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", localtime(&now));
    snprintf(head, sizeof head,
             "# Measured by wabe %s on %s, %d process(es), in %.0f s%s. All points: %s\n",
             WABE_VERSION, day, c->size, MPI_Wtime() - c->started,
             c->quick ? " (--quick: a trial, no ground for forecasts)" : "", c->points);
    WABE_TRY(wabe_machine_write(&c->machine, c->file, head));
    return write_points(c);
}

static wabe_status measure_all(wabe_calibration *c) {
    WABE_TRY(wabe_agree(c->comm, open_points(c)));
    wabe_status status = c->rank == 0 ? wabe_calibrate_components(c) : WABE_OK;
    wabe_probe_wait(c->comm);
    WABE_TRY(wabe_agree(c->comm, status));
    WABE_TRY(wabe_calibrate_links(c));
    share_machine(c);
    wabe_calibration_note(c, "whole steps");
    for (int target = WABE_TARGET_any + 1; target < WABE_TARGET_end; target++)
        WABE_TRY(measure_exchange(c, (wabe_target)target));
    WABE_TRY(wabe_agree(c->comm, c->rank == 0 ? write_files(c) : WABE_OK));
    wabe_calibration_note(c, "done");
    wabe_log_line("machine    %s", c->file);
    wabe_log_line("points     %s; picture: scripts/plot_machine.py %s", c->points, c->points);
    if (c->quick)
        wabe_log_warning("--quick is a trial: its few small sizes are no ground for forecasts");
    if (c->unsteady > UNSTEADY_SHARE * c->measured)
        wabe_log_warning("other work disturbed %d of %d measurements of kernels: repeat when the "
                         "machine is idle",
                         c->unsteady, c->measured);
    if (c->size < 2)
        wabe_log_warning("messages between processes were not measured: mpirun -np 2 --bind-to "
                         "none wabe calibrate does");
    return WABE_OK;
}

typedef struct {
    const char *output;
    int only; /* a wabe_target */
    const char *kernels;
    bool quick;
} calibrate_options;

#define ROW(kind, member) WABE_ARGUMENT(kind, calibrate_options, member)

const wabe_argument wabe_calibrate_arguments[] = {
    {"--output", "FILE", "the machine file to write, in place of machine.cfg", ROW(TEXT, output)},
    {"--only", WABE_ENUM_WORDS(WABE_TARGETS), "measure components of that kind alone",
     ROW(WORD, only)},
    {"--kernels", "PART", "measure only kernels whose name has it, such as stream_collide",
     ROW(TEXT, kernels)},
    {"--quick", NULL, "a trial with few small sizes, no ground for forecasts", ROW(SWITCH, quick)},
    {0},
};

static wabe_status read_arguments(int argc, char *argv[], wabe_calibration *c) {
    calibrate_options o = {.output = WABE_MACHINE_FILE, .kernels = ""};
    WABE_TRY(wabe_arguments_read(wabe_calibrate_arguments, argc, argv, &o));
    WABE_CHECK(strlen(o.output) < sizeof c->file, WABE_INPUT,
               "--output: a name of %zu bytes at most", sizeof c->file - 1);
    snprintf(c->file, sizeof c->file, "%s", o.output);
    c->only = (wabe_target)o.only;
    c->part = o.kernels;
    c->quick = o.quick;
    return WABE_OK;
}

wabe_status wabe_command_calibrate(int argc, char *argv[]) {
    wabe_calibration c = {.comm = MPI_COMM_WORLD, .started = MPI_Wtime()};
    MPI_Comm_rank(c.comm, &c.rank);
    MPI_Comm_size(c.comm, &c.size);
    WABE_TRY(read_arguments(argc, argv, &c));
    c.machine.taper = 1.0;
    c.machine.kernels = calloc(WABE_CALIBRATION_KERNELS_MAX, sizeof *c.machine.kernels);
    wabe_status status = c.machine.kernels ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory");
    status = wabe_agree(c.comm, status);
    if (status == WABE_OK)
        status = measure_all(&c);
    if (c.csv)
        fclose(c.csv);
    wabe_machine_free(&c.machine);
    return status;
}
