/* The registry: kernels with their metadata, and the selection of one for a sweep on a component.
 *
 * A sweep is a work step; a kernel is one implementation of it (Feichtinger et al. 2015, section
 * 3.1). Sweeps are constant objects, defined where their arguments are; each folder of kernels
 * exports one constant table of rows that point to them. What distinguishes the kernels of one
 * family of sweeps only is in attributes, whose type the family knows. */
#pragma once

#include "core/base/enums.h"
#include "core/base/profile.h"
#include "core/base/status.h"
#include "core/device/component.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { WABE_KERNEL_ATTRIBUTES_MAX = 8 };

typedef struct {
    const char *key;
    char word[80];
} wabe_kernel_attribute;

/* Sweeps whose kernels have attributes of one type. */
typedef struct {
    const char *name;
    /* Why a kernel that has these attributes does not serve whoever wants those; NULL: it does.
     * NULL: nobody wants any. */
    const char *(*objection)(const void *has, const void *wanted);
    /* Fills out in the order of listings; returns their number. */
    int (*list)(const void *attributes, wabe_kernel_attribute out[WABE_KERNEL_ATTRIBUTES_MAX]);
} wabe_kernel_family;

/* For list: appends an attribute, unless its word is NULL; returns how many there are now. Local.
 */
int wabe_kernel_attribute_add(wabe_kernel_attribute out[], int count, const char *key,
                              const char *word);

typedef struct wabe_sweep {
    const char *name;
    const char *text; /* what it does */
    const char *reads, *writes;
    int halo;                         /* cells beyond its own that it reads */
    bool exchanged;                   /* neighbours need its results */
    wabe_phase phase;                 /* that its time counts to */
    size_t args_size;                 /* of struct wabe_<name>_args, which its kernels get */
    const wabe_kernel_family *family; /* NULL: its kernels have no attributes */
    const void *sample; /* what they are measured on: wabe_grid_sample, of stencils; or NULL */
} wabe_sweep;

/* Defines wabe_sweep_<word>; behind the texts further members. */
#define WABE_SWEEP(word, does, from, to, ...)                                                      \
    const wabe_sweep wabe_sweep_##word = {.name = #word,                                           \
                                          .text = (does),                                          \
                                          .reads = (from),                                         \
                                          .writes = (to),                                          \
                                          .args_size = sizeof(wabe_##word##_args),                 \
                                          __VA_ARGS__}

/* Works on items begin to end - 1 of the arguments: chunks, cells or values, as the arguments say.
 * Called by each thread of a CPU component with its share. */
typedef void wabe_kernel_function(const void *args, int64_t begin, int64_t end);
/* Starts a kernel on a stream (a cudaStream_t) and does not wait for it. */
typedef void wabe_kernel_launcher(const void *args, int64_t begin, int64_t end, void *stream);

/* A row's run and launch: function, if its arguments are those of the sweep; otherwise the row does
 * not compile. Pointers to structs are passed as pointers to void are. */
#define WABE_RUN(sweep, function)                                                                  \
    _Generic(&(function), void (*)(const struct wabe_##sweep##_args *, int64_t, int64_t)           \
             : (wabe_kernel_function *)(void (*)(void))(function))
#define WABE_LAUNCH(sweep, function)                                                               \
    _Generic(&(function), void (*)(const struct wabe_##sweep##_args *, int64_t, int64_t, void *)   \
             : (wabe_kernel_launcher *)(void (*)(void))(function))

typedef struct wabe_kernel {
    const char *name; /* unique: stream_collide.trt.d3q19.pull.f64.avx512 */
    const wabe_sweep *sweep;
    wabe_target target;
    wabe_instruction_set instruction_set;
    wabe_type storage, arithmetic;
    const void *attributes; /* of its sweep's family; NULL: serves all */
    int bytes;              /* moved per cell (or per element): the cost model */
    int flops;              /* per cell */
    bool (*available)(const wabe_component *component, const char **why);
    wabe_kernel_function *run;    /* WABE_RUN; of GPUs a plain loop, which emulated devices run */
    wabe_kernel_launcher *launch; /* WABE_LAUNCH, of GPUs; NULL in builds without CUDA */
} wabe_kernel;

typedef struct {
    int count;
    const wabe_kernel *rows;
} wabe_kernel_table;

enum { WABE_REGISTRY_TABLES_MAX = 8 };

typedef struct {
    int table_count;
    wabe_kernel_table tables[WABE_REGISTRY_TABLES_MAX];
} wabe_registry;

/* What a kernel must be; "any" fields do not matter. */
typedef struct {
    const wabe_sweep *sweep;
    wabe_type storage;
    const void *attributes; /* that are wanted, of the sweep's family; NULL: any */
    const char *name_part;  /* of the name: the row must have it; "" for any */
} wabe_kernel_request;

/* The matching row of least modelled cost, at equal cost of the widest instruction set. WABE_INPUT:
 * no row matches (the message names the request and why each candidate lost), or two rows are
 * equal. Local. */
wabe_status wabe_registry_select(const wabe_registry *registry, const wabe_component *component,
                                 const wabe_kernel_request *request, const wabe_kernel **out);

/* Rows in order: index 0 to wabe_registry_count - 1. Local. */
int wabe_registry_count(const wabe_registry *registry);
const wabe_kernel *wabe_registry_row(const wabe_registry *registry, int index);

/* The table of rows, for people or as JSON, and whether any of the components can run them; for
 * people the sweeps, too. Local. */
void wabe_registry_print(const wabe_registry *registry, int component_count,
                         const wabe_component *components, bool json, FILE *file);
