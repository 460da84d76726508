/* Reports on a domain: its slabs, their components, and the messages between them. */
#pragma once

#include "apps/runtime/domain.h"
#include "core/base/json.h"

/* Of all slabs, in the partition's order, on rank 0. */
typedef struct wabe_slab_report wabe_slab_report;

/* Gathers the reports; to be freed. WABE_MEMORY. Collective. */
wabe_status wabe_domain_report(const wabe_domain *domain, wabe_slab_report **out);
/* Adds the slabs as a JSON array "components". Rank 0. Local. */
void wabe_domain_put_slabs(const wabe_domain *domain, const wabe_slab_report *reports,
                           wabe_json *json);

typedef struct {
    int64_t count, bytes;
} wabe_domain_messages;

/* Counts messages and bytes per step of all ranks, by one transport, or all (any). Collective. */
wabe_domain_messages wabe_domain_count_messages(const wabe_domain *domain,
                                                wabe_transport transport);

/* Prints slabs and messages as lines. WABE_MEMORY. Collective. */
wabe_status wabe_domain_print(const wabe_domain *domain);
