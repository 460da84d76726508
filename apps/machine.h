/* Machine files: what the performance model has to know of a machine, also of one that is
 * elsewhere.
 */
#ifndef WABE_APPS_MACHINE_H
#define WABE_APPS_MACHINE_H

#include "comm/model.h"
#include "core/kernel.h"
#include "core/option.h"

typedef struct {
    char name[WABE_STRING_SIZE];
    wabe_target target;
    double memory; /* bytes of a component */
    wabe_model_machine model;
} wabe_machine;

/* The keys of a machine file, in Markdown. Local. */
void wabe_machine_print_reference(FILE *file);

/* Reads a machine file. WABE_INPUT: as an input file; a GPU without a bus. Collective. */
wabe_status wabe_machine_read(MPI_Comm comm, const char *file, wabe_machine *out);

#endif
