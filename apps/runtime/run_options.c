/* The keys that all applications share: a row each. */
#include "apps/runtime/run_options.h"

#include <math.h>
#include <string.h>

#define KEY(type, member) WABE_KEY(#member, type, wabe_run_options, member)
#define COMPONENT_KEY(type, member) WABE_KEY(#member, type, wabe_component_options, member)
#define PART_KEY(type, member) WABE_KEY(#member, type, wabe_part_options, member)
#define PROBE_KEY(type, member) WABE_KEY(#member, type, wabe_probe_options, member)

static const wabe_option component_rows[] = {
    {COMPONENT_KEY(WORD, kind), .words = "gpu|cpu",
     .help = "A GPU, or processors: all of the node, a socket or a set of cores."},
    {COMPONENT_KEY(INT, device), .default_value = "0", WABE_RANGE(0, 255),
     .help = "GPU: its number, from 0."},
    {COMPONENT_KEY(INT, threads), .default_value = "0", WABE_RANGE(0, 1024), .unit = "threads",
     .help = "Processors: number of threads; 0: one per core in cores, or as many as OpenMP would "
             "start."},
    {COMPONENT_KEY(STRING, cores), .default_value = "",
     .help = "Processors: the cores that threads are bound to, such as \"0-7,16\"; \"\": they are "
             "not bound."},
    {COMPONENT_KEY(INT, planes), .default_value = "0", WABE_RANGE(0, 1e6), .unit = "cells",
     .help = "Thickness of the component's slab along z, with parallel.balance = \"explicit\"."},
    {.path = NULL},
};

static const wabe_option part_rows[] = {
    {PART_KEY(STRING, name), .help = "Name of the files: letters, digits and _, at most 20."},
    {PART_KEY(INT3, begin), .default_value = "[0, 0, 0]", WABE_RANGE(0, 1e6), .unit = "cells",
     .help = "The part's first cell."},
    {PART_KEY(INT3, end), .default_value = "[0, 0, 0]", WABE_RANGE(0, 1e6), .unit = "cells",
     .help = "One past the part's last cell along each axis; 0: the domain's end."},
    {PART_KEY(INT, stride), .default_value = "1", WABE_RANGE(1, 1e6), .unit = "cells",
     .help = "Write every stride-th cell along each axis."},
    {PART_KEY(INT, every), .default_value = "unset", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Steps between outputs; 0: only after the last step; if not given, output.every or "
             "output.interval."},
    {PART_KEY(STRING, quantities), .default_value = "unset", .help = "As output.quantities."},
    {PART_KEY(WORD, precision), .default_value = "f32", .words = "f32|f64",
     .help = "As output.precision."},
    {PART_KEY(WORD, format), .default_value = "hdf5", .words = "hdf5|png",
     .help = "hdf5: for ParaView. png: pictures NAME_STEP.png of one quantity (of a vector, its "
             "magnitude; of vorticity, the component normal to the plane) on a plane of cells, "
             "which scripts/make_film.py makes a film of."},
    {PART_KEY(REAL, low), .default_value = "unset",
     .help = "png: the value of the first colour, in the units of output; if low and high are not "
             "given, each picture has its own."},
    {PART_KEY(REAL, high), .default_value = "unset", .help = "png: that of the last colour."},
    {.path = NULL},
};

static const wabe_option probe_rows[] = {
    {PROBE_KEY(STRING, name), .help = "Name in the file name: letters, digits and _, at most 20."},
    {PROBE_KEY(INT3, cell), WABE_RANGE(0, 1e6), .unit = "cells", .help = "The cell."},
    {.path = NULL},
};

const wabe_option wabe_run_option_rows[] = {
    {KEY(STRING, application), .default_value = "unset",
     .help = "What is simulated; each application has its own part below."},
    {KEY(STRING, name), .default_value = "case",
     .help = "Name of the case; results go to out/NAME."},
    {KEY(WORD, parallel.mode), .default_value = "\"pure-mpi\"",
     .words = "pure-mpi|hybrid|heterogeneous",
     .help = "pure-mpi: each process has one component, and the blocks of the domain are equal. "
             "hybrid: a process has all components of one kind on its node, GPUs if there are any. "
             "heterogeneous: it has all components of its node. Components share the block of "
             "their process along z."},
    {KEY(WORD, parallel.balance), .default_value = "measured",
     .words = "measured|equal|explicit|model",
     .help = "How the components of a process share its block along z: by their measured rates "
             "(measured), equally (equal), by node.components[].planes (explicit), or by a machine "
             "file of wabe calibrate (model)."},
    {KEY(WORD, parallel.transport), .default_value = "any",
     .words = "any|local|peer|cuda_aware|host",
     .help = "How GPUs exchange data with each other. any: the fastest way that works; peer: over "
             "the link between them; cuda_aware: by an MPI that accepts GPU memory; host: through "
             "host memory."},
    {KEY(INT3, parallel.processes), .default_value = "[0, 0, 0]", WABE_RANGE(0, 1e6),
     .unit = "processes",
     .help = "Processes along x, y, z; 0: chosen so that the area between blocks is least, where "
             "faces normal to x count eight times."},
    {KEY(INT, parallel.threads), .default_value = "0", WABE_RANGE(0, 1024), .unit = "threads",
     .help = "Number of threads of a process if node.components lists no processors; 0: "
             "OMP_NUM_THREADS, or the number of cores that the process is bound to."},
    {KEY(BOOL, parallel.overlap), .default_value = "true",
     .help = "Overlap the exchange with the computation of the inner region."},
    {KEY(WORD, parallel.communication), .default_value = "exchange", .words = "exchange|none",
     .help = "none: skip the exchange. The results are then wrong; this is for measuring the cost "
             "of the exchange."},
    {KEY(WORD, parallel.residency), .default_value = "auto", .words = "auto|resident|streamed",
     .help =
         "Where the state is if a GPU computes. resident: in its memory. streamed: a part of "
         "it goes up and down through the GPU's memory, and the rest is in the host's: flows "
         "(streaming pull apart), diffusion, Himeno's benchmark and dendrites, with a GPU, which "
         "several may share, for each process, cut along z alone. auto: streamed if it does not "
         "fit otherwise."},
    {KEY(INT, parallel.steps_per_pass), .default_value = "0", WABE_RANGE(0, 512), .unit = "steps",
     .help =
         "Time steps each time that the state goes through the GPU's memory, if it "
         "is streamed, or, of flows with streaming in_place or list, through the cache of CPUs "
         "(in one process, without a periodic z axis), with the same bits; 0: chosen, for lists "
         "on CPUs 1. A pass of a flow has 128 steps at most. Output, monitor and other looks at "
         "the state shorten a pass."},
    {KEY(REAL, parallel.device_memory_limit), .default_value = "unset", WABE_POSITIVE, .unit = "GB",
     .help = "The most memory that a process takes on a GPU; if not given, what is free."},
    {KEY(BOOL, parallel.separate), .default_value = "false",
     .help = "Complete each phase of a step, on GPUs too, before the next begins: slower, but the "
             "table of phases (--verbose, timing.json) then shows the time of each phase alone."},
    {KEY(INT, node.emulated_gpus), .default_value = "0", WABE_RANGE(0, 8), .unit = "GPUs",
     .help = "Emulate this number of GPUs instead of using real ones: slow, for testing."},
    {KEY(LIST, node.components), .default_value = "()",
     .help = "The compute components of a node; if none are listed, those that wabe node finds.",
     .elements = component_rows, .element_size = sizeof(wabe_component_options)},
    {KEY(STRING, output.directory), .default_value = "unset",
     .help = "Directory for the results; if not given, out/NAME."},
    {KEY(INT, output.every), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Steps between outputs of fields and pictures; 0: only after the last step."},
    {KEY(REAL, output.interval), .default_value = "0", WABE_RANGE(0, 1e300), .unit = "time",
     .help = "Instead of output.every: the time from one output to the next, in the unit of the "
             "column time of monitor.csv. The first step at or behind it, which steps of equal "
             "length may not meet, is written; other steps are made so long that one ends there."},
    {KEY(BOOL, output.compress), .default_value = "false", .help = "Compress the files of fields."},
    {KEY(BOOL, output.fields), .default_value = "true",
     .help = "Write fields of the domain as HDF5 for ParaView."},
    {KEY(STRING, output.quantities), .default_value = "unset",
     .help = "The quantities to write, such as \"density, velocity\", from those of the "
             "application (below); if not given, those that make up the state. mean_ and rms_ are "
             "over time: rms_ is the root of the mean square of the deviation from the mean."},
    {KEY(INT, output.average.begin), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Means over time use the states after this step. Before the first of these states the "
             "means are 0, and so is the attribute samples of the file's group /wabe, which counts "
             "them."},
    {KEY(INT, output.average.every), .default_value = "10", WABE_RANGE(1, 1e15), .unit = "steps",
     .help = "Steps between two of these states. If a mean is "
             "written, sums take memory: 56 B per cell of a flow, 72 B with exceedance, 96 B with "
             "reynolds_stress or output.mean_profiles, 104 B with mean_scalar, 112 B with "
             "rms_scalar, 136 B with turbulent_flux."},
    {KEY(INT, output.stride), .default_value = "1", WABE_RANGE(1, 1e6), .unit = "cells",
     .help = "Write fields at every stride-th cell along each axis."},
    {KEY(WORD, output.precision), .default_value = "f32", .words = "f32|f64",
     .help = "Precision of the fields' numbers: 32 or 64 bits."},
    {KEY(LIST, output.parts), .default_value = "()",
     .help = "Boxes, planes or lines of the domain whose fields are written as well, each with its "
             "own interval and stride; at most 15.",
     .elements = part_rows, .element_size = sizeof(wabe_part_options)},
    {KEY(LIST, output.probes), .default_value = "()",
     .help = "Cells whose values are recorded over time, each in its own file probe_NAME.csv; at "
             "most 64.",
     .elements = probe_rows, .element_size = sizeof(wabe_probe_options)},
    {KEY(INT, output.probe_every), .default_value = "10", WABE_RANGE(1, 1e15), .unit = "steps",
     .help = "Steps between two lines of a probe's file."},
    {KEY(BOOL, output.profiles), .default_value = "false",
     .help = "Write profiles.csv: the state's numbers along the centre lines."},
    {KEY(WORD, output.picture), .default_value = "none", .words = "none|x|y|z",
     .help = "Draw the state (for a flow, the velocity magnitude) on a plane of cells normal to "
             "this axis."},
    {KEY(INT, output.picture_at), .default_value = "unset", WABE_RANGE(0, 1e6), .unit = "cells",
     .help = "Which plane: its cells' number along the axis, from 0; if not given, the one in the "
             "middle."},
    {KEY(REAL, output.picture_range.low), .default_value = "unset",
     .help = "The value of the first colour, in the units of output; if low and high are not "
             "given, each picture has its own."},
    {KEY(REAL, output.picture_range.high), .default_value = "unset",
     .help = "That of the last colour."},
    {KEY(REAL, output.picture_range_beside.low), .default_value = "unset",
     .help = "As output.picture_range, of the right panel of pictures with two: a flow's scalar, a "
             "dendrite's temperature or concentration."},
    {KEY(REAL, output.picture_range_beside.high), .default_value = "unset",
     .help = "That of the last colour."},
    {KEY(WORD, output.up), .default_value = "auto", .words = "auto|x|y|z",
     .help =
         "The axis that points up in pictures: the plane normal to it is seen from above. auto: "
         "that of geometry.heights, geometry.city or the inlet's profile, or else z."},
    {KEY(BOOL, output.legend), .default_value = "true",
     .help = "Pictures have titles, axes and bars of colours; false: a square of pixels for each "
             "cell alone."},
    {.path = NULL},
};

const wabe_option wabe_run_case_rows[] = {
    {KEY(INT, steps), .default_value = "unset", WABE_RANGE(0, WABE_STEPS_MAX), .unit = "steps",
     .help = "Time steps to run; with end_time at most so many. One of both must be given."},
    {KEY(REAL, end_time), .default_value = "unset", WABE_POSITIVE, .unit = "time",
     .help = "The time at which the run ends, in the unit of the column time of monitor.csv. The "
             "last one of steps of equal length ends at or behind it; other steps end there."},
    {KEY(INT3, domain.cells), WABE_RANGE(1, 1e6), .unit = "cells", .help = "Cells along x, y, z."},
    {KEY(INT, monitor.every), .default_value = "200", WABE_RANGE(1, 1e15), .unit = "steps",
     .help = "Steps between checks of the whole state for sums, extremes and values that are not "
             "finite; each check adds a line to monitor.csv."},
    {KEY(REAL, monitor.steady), .default_value = "0", WABE_RANGE(0, 1),
     .help =
         "The run ends when the kinetic energy (in other applications, the mean square of the "
         "state) has changed by less than this fraction of itself from one check to the next, "
         "three times in a row; a fluid at rest is steady. If that does not happen within steps, "
         "the exit code is 5. 0: the run does all steps."},
    {KEY(INT, checkpoint.every), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Steps between checkpoints. 0: no checkpoints by steps."},
    {KEY(REAL, checkpoint.minutes), .default_value = "0", WABE_RANGE(0, 1e6), .unit = "min",
     .help = "Minutes between checkpoints. 0: no checkpoints by time."},
    {KEY(BOOL, checkpoint.last), .default_value = "false",
     .help = "Another checkpoint follows the last step, so that the run can be continued with more "
             "steps. Not given, it is true if any other key of checkpoint is given. A run that is "
             "not steady within steps, as it should be (exit code 5), leaves one in any case."},
    {KEY(INT, checkpoint.keep), .default_value = "2", WABE_RANGE(1, 1e6),
     .help = "Number of checkpoints to keep: older ones are deleted once a new one is complete, so "
             "the disk needs space for one more."},
    {KEY(BOOL, checkpoint.compress), .default_value = "false",
     .help = "Compress checkpoints: they are smaller, but the run waits while they are written."},
    {KEY(REAL, checkpoint.stop_after), .default_value = "0", WABE_RANGE(0, 1e6), .unit = "min",
     .help = "The run writes a checkpoint and ends after this time, as it does on SIGTERM, SIGINT "
             "or SIGUSR1 (a second signal ends it at once); 0: no limit."},
    {.path = NULL},
};

wabe_node_options wabe_run_node(const wabe_run_options *o) {
    return (wabe_node_options){.emulated_gpus = o->node.emulated_gpus,
                               .components = o->node.components,
                               .mode = (wabe_mode)o->parallel.mode,
                               .threads = o->parallel.threads};
}

void wabe_run_directory(const wabe_run_options *o, char *out, size_t size) {
    if (o->output.directory[0])
        snprintf(out, size, "%s", o->output.directory);
    else
        snprintf(out, size, "out/%s", o->name);
    for (size_t n = strlen(out); n > 1 && out[n - 1] == '/'; n--)
        out[n - 1] = '\0';
}

/* Rejects planes that are given but not used: to ignore them would be a silent default. */
static wabe_status check_planes(const wabe_config *config, const wabe_run_options *o) {
    const wabe_component_options *items = o->node.components.items;
    for (int i = 0; i < o->node.components.count; i++) {
        char path[64];
        snprintf(path, sizeof path, "node.components[%d].planes", i);
        if (items[i].planes != 0)
            return wabe_config_fail(config, path, "needs parallel.balance = \"explicit\"");
    }
    return WABE_OK;
}

void wabe_run_complete_options(const wabe_config *config, wabe_run_options *o) {
    if (!wabe_config_is_given(config, "checkpoint.last"))
        o->checkpoint.last = wabe_config_is_given(config, "checkpoint");
}

wabe_status wabe_run_check_options(const wabe_config *config, const wabe_run_options *o) {
    if (o->steps == INT64_MIN && isnan(o->end_time))
        return wabe_config_fail(config, "steps", "is missing: give it, or end_time");
    if (o->output.interval > 0.0 && o->output.every > 0)
        return wabe_config_fail(config, "output.interval",
                                "and output.every: give one of them, or 0 for the other");
    if (strchr(o->name, '/') || o->name[0] == '.' || !o->name[0])
        return wabe_config_fail(config, "name", "must be a plain name, such as \"cavity\"");
    return o->parallel.balance == WABE_BALANCE_EXPLICIT ? WABE_OK : check_planes(config, o);
}

wabe_status wabe_run_check_box(const wabe_config *config, const char *group, wabe_box box,
                               const int64_t cells[3]) {
    char begin[80], end[80];
    snprintf(begin, sizeof begin, "%s.begin", group);
    snprintf(end, sizeof end, "%s.end", group);
    for (int d = 0; d < 3; d++) {
        if (box.begin[d] >= cells[d])
            return wabe_config_fail(config, begin,
                                    "must be in the domain: along %c it is %lld, domain.cells has "
                                    "%lld",
                                    'x' + d, (long long)box.begin[d], (long long)cells[d]);
        if (box.end[d] > cells[d] || box.begin[d] >= box.end[d])
            return wabe_config_fail(config, end,
                                    "must be behind begin, and at most at the domain's end: along "
                                    "%c from %lld to %lld, domain.cells has %lld",
                                    'x' + d, (long long)box.begin[d], (long long)box.end[d],
                                    (long long)cells[d]);
    }
    return WABE_OK;
}

wabe_status wabe_run_check_periodic(const wabe_config *config, const bool periodic[WABE_FACES]) {
    char path[64], other[64];
    for (int face = 0; face < WABE_FACES; face++) {
        if (periodic[face] || !periodic[face ^ 1])
            continue;
        snprintf(path, sizeof path, "boundaries.%s.kind", wabe_face_name(face));
        snprintf(other, sizeof other, "boundaries.%s.kind", wabe_face_name(face ^ 1));
        return wabe_config_fail(config, path,
                                "opposite faces must be periodic together, but %s is %s", other,
                                wabe_config_is_given(config, other)
                                    ? "periodic"
                                    : "not given, and therefore periodic");
    }
    return WABE_OK;
}
