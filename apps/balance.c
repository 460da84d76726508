#include "apps/balance.h"

static wabe_status check_explicit(const wabe_components *c, int64_t planes) {
    int64_t sum = 0;
    for (int i = 0; i < c->count; i++) {
        WABE_CHECK(c->planes[i] > 0, WABE_INPUT,
                   "parallel.balance = \"explicit\" needs planes for each component; %s has none",
                   c->list[i].name);
        sum += c->planes[i];
    }
    WABE_CHECK(
        sum == planes, WABE_INPUT,
        "the planes of a process's components add up to %lld, but its block has %lld along z",
        (long long)sum, (long long)planes);
    return WABE_OK;
}

static wabe_status share_equally(wabe_components *c, int64_t planes) {
    WABE_CHECK(planes >= c->count, WABE_INPUT,
               "%lld planes along z are too few for %d components of a process", (long long)planes,
               c->count);
    for (int i = 0; i < c->count; i++)
        c->planes[i] = planes * (i + 1) / c->count - planes * i / c->count;
    return WABE_OK;
}

wabe_status wabe_balance_components(MPI_Comm comm, const wabe_simulation_options *options,
                                    wabe_balance balance, wabe_box block,
                                    wabe_components *components) {
    (void)options;
    const int64_t planes = wabe_box_extent(block, 2);
    return wabe_agree(comm, balance == WABE_BALANCE_EXPLICIT ? check_explicit(components, planes)
                                                             : share_equally(components, planes));
}
