#include "core/registry/kernel.h"

#include "core/base/json.h"

#include <string.h>

const char *wabe_sweep_word(wabe_sweep sweep) {
    static const char *const words[] = {
#define X(sweep, text) #sweep,
        WABE_SWEEPS(X)
#undef X
    };
    return sweep < WABE_SWEEP_end ? words[sweep] : "?";
}

void wabe_kernel_run(const wabe_kernel *kernel, const void *args, int64_t begin, int64_t end) {
    switch (kernel->sweep) {
#define X(sweep, text)                                                                             \
    case WABE_SWEEP_##sweep:                                                                       \
        kernel->run.sweep(args, begin, end);                                                       \
        return;
        WABE_SWEEPS(X)
#undef X
    case WABE_SWEEP_end:
        return;
    }
}

void wabe_kernel_launch(const wabe_kernel *kernel, const void *args, int64_t begin, int64_t end,
                        void *stream) {
    switch (kernel->sweep) {
#define X(sweep, text)                                                                             \
    case WABE_SWEEP_##sweep:                                                                       \
        kernel->launch.sweep(args, begin, end, stream);                                            \
        return;
        WABE_SWEEPS(X)
#undef X
    case WABE_SWEEP_end:
        return;
    }
}

int wabe_registry_count(const wabe_registry *registry) {
    int count = 0;
    for (int t = 0; t < registry->table_count; t++)
        count += registry->tables[t].count;
    return count;
}

const wabe_kernel *wabe_registry_row(const wabe_registry *registry, int index) {
    for (int t = 0; t < registry->table_count; t++) {
        if (index < registry->tables[t].count)
            return &registry->tables[t].rows[index];
        index -= registry->tables[t].count;
    }
    return NULL;
}

/* Why the row loses against the request, NULL if it does not. */
static const char *first_objection(const wabe_kernel *row, const wabe_component *component,
                                   const wabe_kernel_request *request) {
    const char *why = NULL;
    if (row->target != component->target)
        return "made for another kind of component";
    if (row->storage != WABE_TYPE_any && request->storage != WABE_TYPE_any &&
        row->storage != request->storage)
        return "another storage type";
    if (row->collision != WABE_COLLISION_any && request->collision != WABE_COLLISION_any &&
        row->collision != request->collision)
        return "another collision operator";
    if (row->streaming != WABE_STREAMING_any && request->streaming != WABE_STREAMING_any &&
        row->streaming != request->streaming)
        return "another streaming pattern";
    if ((row->treats & request->needs) != request->needs)
        return "does not treat all boundaries of the case";
    if (request->name_part && request->name_part[0] && !strstr(row->name, request->name_part))
        return "not the kernel that the input asks for";
    if (!row->available(component, &why))
        return why;
    return NULL;
}

/* Adds "N x reason (such as NAME)" for each reason why rows of the sweep lose. */
static void list_objections(const wabe_registry *registry, const wabe_component *component,
                            const wabe_kernel_request *request, char *text, size_t size) {
    size_t used = 0;
    const int count = wabe_registry_count(registry);
    for (int i = 0; i < count && used < size; i++) {
        const wabe_kernel *row = wabe_registry_row(registry, i);
        if (row->sweep != request->sweep)
            continue;
        const char *why = first_objection(row, component, request);
        int same = 0, earlier = 0;
        for (int k = 0; k < count; k++) {
            const wabe_kernel *other = wabe_registry_row(registry, k);
            if (other->sweep == request->sweep &&
                strcmp(first_objection(other, component, request), why) == 0) {
                same++;
                earlier += k < i;
            }
        }
        if (earlier == 0)
            used += (size_t)snprintf(text + used, size - used, "\n  %d x %s (such as %s)", same,
                                     why, row->name);
    }
}

static wabe_status no_row(const wabe_registry *registry, const wabe_component *component,
                          const wabe_kernel_request *request) {
    char text[1024] = "";
    list_objections(registry, component, request, text, sizeof text);
    return WABE_FAIL(
        WABE_INPUT,
        "no kernel for %s on %s: storage %s, collision %s, streaming %s%s%s; why each row lost:%s",
        wabe_sweep_word(request->sweep), component->name, wabe_type_word(request->storage),
        wabe_collision_operator_word(request->collision), wabe_streaming_word(request->streaming),
        request->name_part && request->name_part[0] ? ", name containing " : "",
        request->name_part ? request->name_part : "", text);
}

wabe_status wabe_registry_select(const wabe_registry *registry, const wabe_component *component,
                                 const wabe_kernel_request *request, const wabe_kernel **out) {
    const wabe_kernel *best = NULL, *rival = NULL;
    for (int i = 0; i < wabe_registry_count(registry); i++) {
        const wabe_kernel *row = wabe_registry_row(registry, i);
        if (row->sweep != request->sweep || first_objection(row, component, request))
            continue;
        if (!best || row->bytes < best->bytes ||
            (row->bytes == best->bytes && row->instruction_set > best->instruction_set)) {
            best = row;
            rival = NULL;
        } else if (row->bytes == best->bytes && row->instruction_set == best->instruction_set) {
            rival = row;
        }
    }
    if (!best)
        return no_row(registry, component, request);
    WABE_CHECK(!rival, WABE_INPUT,
               "two kernels fit %s equally well: %s and %s; name one with lbm.kernel",
               wabe_sweep_word(request->sweep), best->name, rival ? rival->name : "");
    *out = best;
    return WABE_OK;
}

static void print_boundaries(unsigned treats, FILE *file) {
    const char *separator = "";
    for (int b = WABE_BOUNDARY_any + 1; b < WABE_BOUNDARY_end; b++)
        if (treats >> b & 1) {
            fprintf(file, "%s%s", separator, wabe_boundary_word((wabe_boundary)b));
            separator = ",";
        }
}

/* Can any of the components run the kernel? If not, why says why the last one that it is made for,
 * or the last one, cannot. */
static bool is_available(const wabe_kernel *row, int count, const wabe_component *components,
                         const char **why) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++) {
            const bool fits = components[i].target == row->target;
            if (fits == (pass == 1) && row->available(&components[i], why) && fits)
                return true;
        }
    return false;
}

static void print_json(const wabe_registry *registry, int component_count,
                       const wabe_component *components, FILE *file) {
    wabe_json json = wabe_json_begin(file);
    wabe_json_open(&json, NULL, '[');
    for (int i = 0; i < wabe_registry_count(registry); i++) {
        const wabe_kernel *row = wabe_registry_row(registry, i);
        const char *why = "";
        wabe_json_open(&json, NULL, '{');
        wabe_json_text(&json, "name", row->name);
        wabe_json_text(&json, "sweep", wabe_sweep_word(row->sweep));
        wabe_json_text(&json, "target", wabe_target_word(row->target));
        wabe_json_text(&json, "instruction_set", wabe_instruction_set_word(row->instruction_set));
        wabe_json_text(&json, "storage", wabe_type_word(row->storage));
        wabe_json_text(&json, "arithmetic", wabe_type_word(row->arithmetic));
        wabe_json_text(&json, "collision", wabe_collision_operator_word(row->collision));
        wabe_json_text(&json, "streaming", wabe_streaming_word(row->streaming));
        wabe_json_integer(&json, "bytes", row->bytes);
        wabe_json_integer(&json, "flops", row->flops);
        const bool available = is_available(row, component_count, components, &why);
        wabe_json_boolean(&json, "available", available);
        if (!available)
            wabe_json_text(&json, "why", why);
        wabe_json_close(&json, '}');
    }
    wabe_json_close(&json, ']');
    wabe_json_end(&json);
}

void wabe_registry_print(const wabe_registry *registry, int component_count,
                         const wabe_component *components, bool json, FILE *file) {
    if (json) {
        print_json(registry, component_count, components, file);
        return;
    }
    fprintf(file, "%-44s %-6s %-7s %-9s %5s %5s  %s\n", "kernel", "target", "storage", "streaming",
            "B", "flop", "available; boundaries treated");
    for (int i = 0; i < wabe_registry_count(registry); i++) {
        const wabe_kernel *row = wabe_registry_row(registry, i);
        const char *why = "";
        const bool available = is_available(row, component_count, components, &why);
        fprintf(file, "%-44s %-6s %-7s %-9s %5d %5d  %s", row->name, wabe_target_word(row->target),
                wabe_type_word(row->storage), wabe_streaming_word(row->streaming), row->bytes,
                row->flops, available ? "yes" : why);
        if (row->treats)
            fputs("; ", file);
        print_boundaries(row->treats, file);
        fputc('\n', file);
    }
}
