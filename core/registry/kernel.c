#include "core/registry/kernel.h"

#include "core/base/json.h"

#include <string.h>

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

int wabe_kernel_attribute_add(wabe_kernel_attribute out[], int count, const char *key,
                              const char *word) {
    if (!word)
        return count;
    out[count].key = key;
    snprintf(out[count].word, sizeof out[count].word, "%s", word);
    return count + 1;
}

/* Returns why the row does not match the request; NULL: it does. */
static const char *first_objection(const wabe_kernel *row, const wabe_component *component,
                                   const wabe_kernel_request *request) {
    const char *why = NULL;
    if (row->target != component->target)
        return "made for another kind of component";
    if (row->storage != WABE_TYPE_any && request->storage != WABE_TYPE_any &&
        row->storage != request->storage)
        return "another storage type";
    if (row->sweep->family && row->sweep->family->objection && row->attributes &&
        request->attributes)
        why = row->sweep->family->objection(row->attributes, request->attributes);
    if (why)
        return why;
    if (request->name_part && request->name_part[0] && !strstr(row->name, request->name_part))
        return "not the kernel that the input asks for";
    if (!row->available(component, &why))
        return why;
    return NULL;
}

/* Adds "N x reason (such as NAME)" for each reason why rows of the sweep do not match. */
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

/* Lists the attributes of a kernel or a request; returns their number. */
static int list_attributes(const wabe_sweep *sweep, const void *attributes,
                           wabe_kernel_attribute out[WABE_KERNEL_ATTRIBUTES_MAX]) {
    return sweep->family && attributes ? sweep->family->list(attributes, out) : 0;
}

static wabe_status no_row(const wabe_registry *registry, const wabe_component *component,
                          const wabe_kernel_request *request) {
    wabe_kernel_attribute wanted[WABE_KERNEL_ATTRIBUTES_MAX];
    const int count = list_attributes(request->sweep, request->attributes, wanted);
    char attributes[512] = "", text[1024] = "";
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof attributes; i++)
        used += (size_t)snprintf(attributes + used, sizeof attributes - used, ", %s %s",
                                 wanted[i].key, wanted[i].word);
    list_objections(registry, component, request, text, sizeof text);
    return WABE_FAIL(WABE_INPUT, "no kernel for %s on %s: storage %s%s%s%s; why each row lost:%s",
                     request->sweep->name, component->name, wabe_type_word(request->storage),
                     attributes,
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
               "two kernels fit %s equally well: %s and %s; name one in the input",
               request->sweep->name, best->name, rival ? rival->name : "");
    *out = best;
    return WABE_OK;
}

/* Returns whether any of the components can run the kernel. If not, why is the reason of the last
 * component that the kernel is made for, or else of the last one. */
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

static void print_json_row(wabe_json *json, const wabe_kernel *row, const char *why) {
    wabe_kernel_attribute attributes[WABE_KERNEL_ATTRIBUTES_MAX];
    const int count = list_attributes(row->sweep, row->attributes, attributes);
    wabe_json_open(json, NULL, '{');
    wabe_json_text(json, "name", row->name);
    wabe_json_text(json, "sweep", row->sweep->name);
    wabe_json_text(json, "target", wabe_target_word(row->target));
    wabe_json_text(json, "instruction_set", wabe_instruction_set_word(row->instruction_set));
    wabe_json_text(json, "storage", wabe_type_word(row->storage));
    wabe_json_text(json, "arithmetic", wabe_type_word(row->arithmetic));
    for (int i = 0; i < count; i++)
        wabe_json_text(json, attributes[i].key, attributes[i].word);
    wabe_json_integer(json, "bytes", row->bytes);
    wabe_json_integer(json, "flops", row->flops);
    wabe_json_boolean(json, "available", !why);
    if (why)
        wabe_json_text(json, "why", why);
    wabe_json_close(json, '}');
}

static void print_text_row(const wabe_kernel *row, const char *why, FILE *file) {
    wabe_kernel_attribute attributes[WABE_KERNEL_ATTRIBUTES_MAX];
    const int count = list_attributes(row->sweep, row->attributes, attributes);
    fprintf(file, "%-44s %-6s %-7s %5d %5d  %s", row->name, wabe_target_word(row->target),
            wabe_type_word(row->storage), row->bytes, row->flops, why ? why : "yes");
    for (int i = 0; i < count; i++)
        fprintf(file, "%s %s %s", i ? "," : ";", attributes[i].key, attributes[i].word);
    fputc('\n', file);
}

/* Prints the sweeps in the order of their first kernels. */
static void print_sweeps(const wabe_registry *registry, FILE *file) {
    fprintf(file, "\n%-15s %-20s %-20s %4s %-9s  %s\n", "sweep", "reads", "writes", "halo",
            "exchanged", "what it does");
    for (int i = 0; i < wabe_registry_count(registry); i++) {
        const wabe_sweep *sweep = wabe_registry_row(registry, i)->sweep;
        int first = 0;
        while (wabe_registry_row(registry, first)->sweep != sweep)
            first++;
        if (first == i)
            fprintf(file, "%-15s %-20s %-20s %4d %-9s  %s\n", sweep->name, sweep->reads,
                    sweep->writes, sweep->halo, sweep->exchanged ? "yes" : "no", sweep->text);
    }
}

void wabe_registry_print(const wabe_registry *registry, int component_count,
                         const wabe_component *components, bool as_json, FILE *file) {
    wabe_json json;
    if (as_json) {
        json = wabe_json_begin(file);
        wabe_json_open(&json, NULL, '[');
    } else {
        fprintf(file, "%-44s %-6s %-7s %5s %5s  %s\n", "kernel", "target", "storage", "B", "flop",
                "available; attributes");
    }
    for (int i = 0; i < wabe_registry_count(registry); i++) {
        const wabe_kernel *row = wabe_registry_row(registry, i);
        const char *why = "";
        if (is_available(row, component_count, components, &why))
            why = NULL;
        if (as_json)
            print_json_row(&json, row, why);
        else
            print_text_row(row, why, file);
    }
    if (as_json) {
        wabe_json_close(&json, ']');
        wabe_json_end(&json);
    } else {
        print_sweeps(registry, file);
    }
}
