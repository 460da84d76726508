#include "apps/machine.h"

#include "apps/input.h"

#include <math.h>
#include <string.h>

#define GIGA 1e9
#define MICRO 1e-6

typedef struct {
    char name[WABE_STRING_SIZE];
    struct {
        int kind; /* gpu, cpu */
        int64_t per_node;
        double bandwidth, peak, memory, efficiency;
    } component;
    struct {
        double bandwidth, latency;
    } bus, network;
} machine_options;

#define AT(member) offsetof(machine_options, member)
#define POSITIVE 1e-9
#define LARGEST 1e9

#define NUMBER(key, member, value, most, units, text)                                              \
    {                                                                                              \
        .path = key, .type = WABE_OPTION_REAL, .offset = AT(member), .default_value = value,       \
        .min = POSITIVE, .max = most, .unit = units, .help = text                                  \
    }

static const wabe_option rows[] = {
    {.path = "name",
     .type = WABE_OPTION_STRING,
     .offset = AT(name),
     .unit = "",
     .help = "What it is called."},
    {.path = "component.kind",
     .type = WABE_OPTION_WORD,
     .offset = AT(component.kind),
     .words = "gpu|cpu",
     .unit = "",
     .help = "A process drives one GPU, or the processors of a node or of a part of it."},
    {.path = "component.per_node",
     .type = WABE_OPTION_INT,
     .offset = AT(component.per_node),
     .min = 1,
     .max = 1024,
     .unit = "",
     .help = "Components of a node."},
    NUMBER("component.bandwidth", component.bandwidth, NULL, LARGEST, "GB/s",
           "Sustained memory bandwidth of one: a copy."),
    NUMBER("component.peak", component.peak, NULL, LARGEST, "Gflop/s", "Peak of one."),
    NUMBER("component.memory", component.memory, NULL, LARGEST, "GB", "Memory of one."),
    NUMBER("component.efficiency", component.efficiency, "1.0", 1.0, "",
           "Share of the lightspeed bound that kernels reach."),
    NUMBER("bus.bandwidth", bus.bandwidth, "unset", LARGEST, "GB/s",
           "Between GPU and host, one way; of endless messages."),
    NUMBER("bus.latency", bus.latency, "unset", LARGEST, "us", "Of a message between them."),
    NUMBER("network.bandwidth", network.bandwidth, NULL, LARGEST, "GB/s",
           "Of a node's link, one way; of endless messages."),
    NUMBER("network.latency", network.latency, NULL, LARGEST, "us", "Of a message between nodes."),
    {.path = NULL},
};

void wabe_machine_print_reference(FILE *file) {
    machine_options none = {0};
    const wabe_option_table table = {rows, &none};
    fputs("# Machine files\n\nWhat `wabe predict FILE --machine MACHINE` has to know of a machine, "
          "in "
          "the same syntax; `input/machines` has examples, [model.md](model.md) the model.\n\n",
          file);
    wabe_config_print_reference(file, 1, &table);
}

static wabe_status fill(const wabe_config *config, const machine_options *o, wabe_machine *out) {
    const bool gpu = o->component.kind == 0;
    if (gpu && !(isfinite(o->bus.bandwidth) && isfinite(o->bus.latency)))
        return wabe_config_fail(config, "component.kind",
                                "is \"gpu\", so bus.bandwidth and bus.latency are needed");
    *out = (wabe_machine){.target = gpu ? WABE_TARGET_gpu : WABE_TARGET_cpu,
                          .memory = GIGA * o->component.memory};
    memcpy(out->name, o->name, sizeof out->name);
    out->model =
        (wabe_model_machine){.processor = {.bandwidth = GIGA * o->component.bandwidth,
                                           .peak = GIGA * o->component.peak},
                             .efficiency = o->component.efficiency,
                             .per_node = (int)o->component.per_node,
                             .has_bus = gpu,
                             .network = {GIGA * o->network.bandwidth, MICRO * o->network.latency}};
    if (gpu)
        out->model.bus = (wabe_model_link){GIGA * o->bus.bandwidth, MICRO * o->bus.latency};
    return WABE_OK;
}

wabe_status wabe_machine_read(MPI_Comm comm, const char *file, wabe_machine *out) {
    const wabe_input input = {.file = file};
    machine_options options;
    const wabe_option_table table = {rows, &options};
    wabe_config *config = NULL;
    WABE_TRY(wabe_input_load(comm, &input, &config));
    wabe_status status = wabe_config_read(config, 1, &table);
    if (status == WABE_OK)
        status = fill(config, &options, out);
    wabe_config_destroy(&config);
    return wabe_agree(comm, status);
}
