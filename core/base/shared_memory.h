/* Memory that another process of the node can map. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Names a block of memory to other processes while its owner has it open. */
typedef struct {
    int64_t bytes;
    int process, file;       /* -1: there is none */
    uint64_t device, number; /* the file's */
} wabe_shared_handle;

/* Allocates zeroed memory, and a handle for it. WABE_MEMORY. Local. */
wabe_status wabe_shared_allocate(int64_t bytes, void **out, wabe_shared_handle *handle);
/* Ends the handle: processes that have mapped the memory keep it. Local. */
void wabe_shared_close(wabe_shared_handle *handle);
/* Maps the memory of a handle of another process. false: that is not on this node, or the system
 * does not permit it. Local. */
bool wabe_shared_map(const wabe_shared_handle *handle, void **out);
void wabe_shared_unmap(void *memory, int64_t bytes);
