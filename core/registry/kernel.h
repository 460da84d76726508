/* The registry: kernels with their metadata, and the selection of a kernel for a sweep on a
 * component.
 *
 * A sweep is a work step; a kernel is one implementation of it (Feichtinger et al. 2015, section
 * 3.1). Sweeps are constant objects, defined where their arguments are; each folder of kernels
 * exports one constant table of rows that point to them. Properties that only one family of sweeps
 * has are in attributes, whose type the family knows. */
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

/* A family: sweeps whose kernels have attributes of one type. */
typedef struct {
    const char *name;
    /* Returns why a kernel with the attributes has does not match the request wanted; NULL: it
     * matches. The function is NULL if no request has attributes. */
    const char *(*objection)(const void *has, const void *wanted);
    /* Fills out in the order of listings; returns the number of attributes. */
    int (*list)(const void *attributes, wabe_kernel_attribute out[WABE_KERNEL_ATTRIBUTES_MAX]);
} wabe_kernel_family;

/* For list: appends an attribute unless its word is NULL; returns the new count. Local. */
int wabe_kernel_attribute_add(wabe_kernel_attribute out[], int count, const char *key,
                              const char *word);

typedef struct wabe_sweep {
    const char *name;
    const char *text; /* what it does */
    const char *reads, *writes;
    int halo;                         /* cells beyond its own that the sweep reads */
    bool exchanged;                   /* neighbours need its results */
    wabe_phase phase;                 /* the phase that its time is added to */
    size_t args_size;                 /* size of struct wabe_<name>_args, the kernels' arguments */
    const wabe_kernel_family *family; /* NULL: its kernels have no attributes */
    const void *sample; /* stencils: the wabe_grid_sample that kernels are measured on; or NULL */
} wabe_sweep;

/* Defines wabe_sweep_<word>; further members follow the texts. */
#define WABE_SWEEP(word, does, from, to, ...)                                                      \
    const wabe_sweep wabe_sweep_##word = {.name = #word,                                           \
                                          .text = (does),                                          \
                                          .reads = (from),                                         \
                                          .writes = (to),                                          \
                                          .args_size = sizeof(wabe_##word##_args),                 \
                                          __VA_ARGS__}

/* Processes items begin to end - 1 of the arguments: chunks, cells or values, depending on the
 * sweep. Each thread of a CPU component calls it with its share. */
typedef void wabe_kernel_function(const void *args, int64_t begin, int64_t end);
/* Starts a kernel on a stream (a cudaStream_t) without waiting for it. */
typedef void wabe_kernel_launcher(const void *args, int64_t begin, int64_t end, void *stream);

/* Give a row's run and launch: function, if it takes the sweep's arguments; otherwise the row does
 * not compile. Pointers to structs are passed in the same way as pointers to void. */
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
    const void *attributes; /* attributes of the sweep's family; NULL: matches all requests */
    int bytes;              /* bytes moved per cell (or element), for the cost model */
    int flops;              /* per cell */
    bool (*available)(const wabe_component *component, const char **why);
    wabe_kernel_function *run;    /* WABE_RUN; GPUs: a plain loop for emulated devices */
    wabe_kernel_launcher *launch; /* WABE_LAUNCH; GPUs only, NULL in builds without CUDA */
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

/* What a kernel must match; "any" matches all. */
typedef struct {
    const wabe_sweep *sweep;
    wabe_type storage;
    const void *attributes; /* wanted attributes, of the sweep's family; NULL: any */
    const char *name_part;  /* a part of the kernel's name; "": any */
} wabe_kernel_request;

/* Selects the matching row with the lowest modelled cost, and at equal cost the widest instruction
 * set. WABE_INPUT: no row matches (the message names the request and why each candidate does not),
 * or two rows are equal. Local. */
wabe_status wabe_registry_select(const wabe_registry *registry, const wabe_component *component,
                                 const wabe_kernel_request *request, const wabe_kernel **out);

/* Rows by index, 0 to wabe_registry_count - 1. Local. */
int wabe_registry_count(const wabe_registry *registry);
const wabe_kernel *wabe_registry_row(const wabe_registry *registry, int index);

/* Prints the table of rows, as text (with the sweeps) or as JSON, and whether any of the components
 * can run them. Local. */
void wabe_registry_print(const wabe_registry *registry, int component_count,
                         const wabe_component *components, bool json, FILE *file);
