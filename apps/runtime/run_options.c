/* The keys that all applications have: a row each. */
#include "apps/runtime/run_options.h"

#include <string.h>

#define KEY(type, member) WABE_KEY(#member, type, wabe_run_options, member)
#define COMPONENT_KEY(type, member) WABE_KEY(#member, type, wabe_component_options, member)
#define PART_KEY(type, member) WABE_KEY(#member, type, wabe_part_options, member)
#define PROBE_KEY(type, member) WABE_KEY(#member, type, wabe_probe_options, member)

static const wabe_option component_rows[] = {
    {COMPONENT_KEY(WORD, kind), .words = "gpu|cpu",
     .help = "A GPU, or processors: all, a socket, a set of cores."},
    {COMPONENT_KEY(INT, device), .default_value = "0", WABE_RANGE(0, 255),
     .help = "GPU: its number, from 0."},
    {COMPONENT_KEY(INT, threads), .default_value = "0", WABE_RANGE(0, 1024), .unit = "threads",
     .help = "Processors: threads; 0: one for each of cores, or as OpenMP would start."},
    {COMPONENT_KEY(STRING, cores), .default_value = "",
     .help = "Processors: the cores that threads are bound to, such as \"0-7,16\"; \"\": they are "
             "not bound."},
    {COMPONENT_KEY(INT, planes), .default_value = "0", WABE_RANGE(0, 1e6), .unit = "cells",
     .help = "Thickness of its slab along z, with parallel.balance = \"explicit\"."},
    {.path = NULL},
};

static const wabe_option part_rows[] = {
    {PART_KEY(STRING, name), .help = "Name of the files: letters, digits and _, at most 20."},
    {PART_KEY(INT3, begin), .default_value = "[0, 0, 0]", WABE_RANGE(0, 1e6), .unit = "cells",
     .help = "Its first cell."},
    {PART_KEY(INT3, end), .default_value = "[0, 0, 0]", WABE_RANGE(0, 1e6), .unit = "cells",
     .help = "The cell behind its last one along each axis; 0: the domain's end."},
    {PART_KEY(INT, stride), .default_value = "1", WABE_RANGE(1, 1e6), .unit = "cells",
     .help = "Writes every n-th cell along each axis."},
    {PART_KEY(INT, every), .default_value = "unset", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Steps between outputs; 0: after the last step alone; if not given, output.every."},
    {PART_KEY(STRING, quantities), .default_value = "unset", .help = "As output.quantities."},
    {PART_KEY(WORD, precision), .default_value = "f32", .words = "f32|f64",
     .help = "As output.precision."},
    {.path = NULL},
};

static const wabe_option probe_rows[] = {
    {PROBE_KEY(STRING, name), .help = "Name in the file's: letters, digits and _, at most 20."},
    {PROBE_KEY(INT3, cell), WABE_RANGE(0, 1e6), .unit = "cells", .help = "The cell."},
    {.path = NULL},
};

const wabe_option wabe_run_option_rows[] = {
    {KEY(STRING, application), .default_value = "unset",
     .help = "What is simulated; the parts below say what there is."},
    {KEY(STRING, name), .default_value = "case",
     .help = "Name of the case; results go to out/NAME."},
    {KEY(WORD, parallel.mode), .default_value = "\"pure-mpi\"",
     .words = "pure-mpi|hybrid|heterogeneous",
     .help = "pure-mpi: each process has one component, and an equal block of the domain. hybrid: "
             "a process has all components of one kind of its node, GPUs if there are any; "
             "heterogeneous: all of them. They share its block along z."},
    {KEY(WORD, parallel.balance), .default_value = "measured",
     .words = "measured|equal|explicit|model",
     .help = "How a process's components share its block along z: by their measured rates, "
             "equally, by node.components[].planes, or by a machine file (wabe calibrate)."},
    {KEY(WORD, parallel.transport), .default_value = "any",
     .words = "any|local|peer|cuda_aware|host",
     .help = "How GPUs exchange with each other: the fastest that works, or this one. peer: over "
             "the link between "
             "them; cuda_aware: by an MPI that takes their memory; host: through host memory."},
    {KEY(INT3, parallel.processes), .default_value = "[0, 0, 0]", WABE_RANGE(0, 1e6),
     .unit = "processes",
     .help = "Processes along x, y, z; 0: chosen, with the least area between them, of "
             "which that normal to x counts eight times."},
    {KEY(INT, parallel.threads), .default_value = "0", WABE_RANGE(0, 1024), .unit = "threads",
     .help = "Threads of a process's processors if node.components does not list them; 0: as "
             "many "
             "as OMP_NUM_THREADS or the cores bound to it."},
    {KEY(BOOL, parallel.overlap), .default_value = "true",
     .help = "Exchange while the inner region is computed."},
    {KEY(WORD, parallel.communication), .default_value = "exchange", .words = "exchange|none",
     .help = "none: leave the exchange out; wrong results on purpose, to measure what it costs."},
    {KEY(BOOL, parallel.separate), .default_value = "false",
     .help = "End each phase of a step, on GPUs too, before the next begins: slower, but the "
             "table of phases then says what each of them takes alone."},
    {KEY(INT, node.emulated_gpus), .default_value = "0", WABE_RANGE(0, 8), .unit = "GPUs",
     .help = "Emulate so many GPUs instead of using real ones: slow, to try things out."},
    {KEY(LIST, node.components), .default_value = "()",
     .help = "The compute components of a node; if none are listed, what wabe node finds.",
     .elements = component_rows, .element_size = sizeof(wabe_component_options)},
    {KEY(STRING, output.directory), .default_value = "unset",
     .help = "Where results go; if not given, out/NAME."},
    {KEY(INT, output.every), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Steps between outputs of fields and pictures; 0: after the last step alone."},
    {KEY(BOOL, output.compress), .default_value = "false", .help = "Compress them."},
    {KEY(BOOL, output.fields), .default_value = "true",
     .help = "Write fields of the domain as HDF5 for ParaView."},
    {KEY(STRING, output.quantities), .default_value = "unset",
     .help =
         "Which ones, of those that the application has (below), such as \"density, velocity\"; "
         "if not given, what the state is made of. mean_ and rms_ are over time: rms_ is the root "
         "of the mean square of what deviates from the mean."},
    {KEY(INT, output.average.begin), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Means over time are of the states after this step; before the first of them they are "
             "0, as is attribute samples of group /wabe of the file, which counts these states."},
    {KEY(INT, output.average.every), .default_value = "10", WABE_RANGE(1, 1e15), .unit = "steps",
     .help =
         "Steps between two of these states. They take up to 56 B per cell, if any field is asked "
         "for that is made of them."},
    {KEY(INT, output.stride), .default_value = "1", WABE_RANGE(1, 1e6), .unit = "cells",
     .help = "Writes every n-th cell along each axis."},
    {KEY(WORD, output.precision), .default_value = "f32", .words = "f32|f64",
     .help = "Their numbers: 32 or 64 bits."},
    {KEY(LIST, output.parts), .default_value = "()",
     .help = "Boxes, planes or lines of the domain whose fields are written as well, each as often "
             "and as fine as it says; at most 15.",
     .elements = part_rows, .element_size = sizeof(wabe_part_options)},
    {KEY(LIST, output.probes), .default_value = "()",
     .help = "Cells whose numbers are followed in time, each in a file of its own, "
             "probe_NAME.csv; at most 64.",
     .elements = probe_rows, .element_size = sizeof(wabe_probe_options)},
    {KEY(INT, output.probe_every), .default_value = "10", WABE_RANGE(1, 1e15), .unit = "steps",
     .help = "Steps between two lines of the probes."},
    {KEY(BOOL, output.profiles), .default_value = "false",
     .help = "Write profiles.csv: the state's numbers along the centre lines."},
    {KEY(WORD, output.picture), .default_value = "none", .words = "none|x|y|z",
     .help =
         "Draw the state (of a flow the velocity's magnitude) on the middle plane normal to this "
         "axis."},
    {.path = NULL},
};

const wabe_option wabe_run_case_rows[] = {
    {KEY(INT, steps), WABE_RANGE(0, 1e15), .unit = "steps", .help = "Time steps to run."},
    {KEY(INT3, domain.cells), WABE_RANGE(1, 1e6), .unit = "cells", .help = "Cells along x, y, z."},
    {KEY(INT, monitor.every), .default_value = "200", WABE_RANGE(1, 1e15), .unit = "steps",
     .help =
         "Steps between looks at the whole state: sums, extremes, broken values, each a line of "
         "monitor.csv."},
    {KEY(REAL, monitor.steady), .default_value = "0", WABE_RANGE(0, 1),
     .help = "The run ends when the kinetic energy (of other applications the mean square of the "
             "state) changes by less than this share of itself from one look to the next, three "
             "times in a row, and with exit code 5 if it does not; 0: it runs all steps."},
    {KEY(INT, checkpoint.every), .default_value = "0", WABE_RANGE(0, 1e15), .unit = "steps",
     .help = "Steps between checkpoints; a last one follows the last step. 0: none by steps."},
    {KEY(REAL, checkpoint.minutes), .default_value = "0", WABE_RANGE(0, 1e6), .unit = "min",
     .help = "Minutes between checkpoints, likewise; 0: none by the clock."},
    {KEY(INT, checkpoint.keep), .default_value = "2", WABE_RANGE(1, 1e6),
     .help = "How many of them stay: older ones go when a new one is whole, so there is room "
             "needed for one more."},
    {KEY(BOOL, checkpoint.compress), .default_value = "false",
     .help = "Compress them: smaller, but the run waits while they are written."},
    {KEY(REAL, checkpoint.stop_after), .default_value = "0", WABE_RANGE(0, 1e6), .unit = "min",
     .help = "The run writes a checkpoint and ends when it is so old, as it does when it gets "
             "SIGTERM, SIGINT or SIGUSR1 (a second one ends it at once); 0: no limit."},
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

/* Planes that are given but not used would be a silent default. */
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

wabe_status wabe_run_check_options(const wabe_config *config, const wabe_run_options *o) {
    if (strchr(o->name, '/') || o->name[0] == '.' || !o->name[0])
        return wabe_config_fail(config, "name", "must be a plain name, such as \"cavity\"");
    return o->parallel.balance == WABE_BALANCE_EXPLICIT ? WABE_OK : check_planes(config, o);
}
