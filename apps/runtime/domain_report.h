/* What a run says of its domain: the slabs, who computes them, and the messages between them. */
#pragma once

#include "apps/runtime/domain.h"
#include "core/base/json.h"

/* Of all slabs, in the partition's order, on rank 0. */
typedef struct wabe_slab_report wabe_slab_report;

/* To be freed. WABE_MEMORY. Collective. */
wabe_status wabe_domain_report(const wabe_domain *domain, wabe_slab_report **out);
/* As the array components. Local, rank 0. */
void wabe_domain_put_slabs(const wabe_domain *domain, const wabe_slab_report *reports,
                           wabe_json *json);

/* Messages of a step, and their bytes, of all ranks; by transport: any for all. Collective. */
typedef struct {
    int64_t count, bytes;
} wabe_domain_messages;
wabe_domain_messages wabe_domain_count_messages(const wabe_domain *domain,
                                                wabe_transport transport);

/* Slabs and messages as lines. WABE_MEMORY. Collective. */
wabe_status wabe_domain_print(const wabe_domain *domain);
