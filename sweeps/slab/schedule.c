#include "sweeps/slab/schedule.h"

#include <assert.h>

/* ---- set-up ------------------------------------------------------------------------- */

/* The innermost loop that is open at the next entry, or -1. */
static int innermost(const wabe_schedule *s) {
    int open = 0;
    for (int i = s->entry_count - 1; i >= 0; i--) {
        open += s->entries[i].kind == WABE_STEP_END;
        if (s->entries[i].kind == WABE_STEP_LOOP && open-- == 0)
            return i;
    }
    return -1;
}

void wabe_schedule_add(wabe_schedule *s, const wabe_schedule_entry *entry) {
    assert(s->entry_count < WABE_SCHEDULE_ENTRIES_MAX);
    wabe_schedule_entry *e = &s->entries[s->entry_count];
    *e = *entry;
    if (e->kind == WABE_STEP_END) {
        e->partner = innermost(s);
        assert(e->partner >= 0);
        s->entries[e->partner].partner = s->entry_count;
    }
    s->entry_count++;
}

/* ---- a step ------------------------------------------------------------------------- */

/* The progress through the entries of a step. */
typedef struct {
    const wabe_schedule *schedule;
    uint64_t begun; /* bit i: exchange i has begun, and not ended */
    wabe_position position;
} walk;

/* False: only the exchanges' ends are left to do. */
static bool drive(void *context) {
    const walk *w = context;
    bool left = false;
    for (int i = 0; i < w->schedule->exchange_count; i++)
        if (w->begun >> i & 1)
            left |= w->schedule->exchanges[i].drive(w->schedule->exchanges[i].context);
    return left;
}

/* A process that waits for one exchange drives the others, too: a neighbour may wait for any of
 * them before it begins that one. */
static void end_exchange(walk *w, int i) {
    const wabe_schedule_exchange *x = &w->schedule->exchanges[i];
    const wabe_progress others = {drive, w, false};
    w->begun &= ~((uint64_t)1 << i);
    x->end(x->context, x->drive && w->begun ? &others : NULL);
}

static void end_exchanges(walk *w, uint64_t which) {
    which &= w->begun;
    for (int i = 0; i < WABE_EXCHANGES_MAX && which >> i; i++)
        if (which >> i & 1)
            end_exchange(w, i);
}

/* Runs the sweep on a region of the slabs on devices, or of the others. */
static void run_region(const walk *w, const wabe_schedule_entry *entry, wabe_region_name region,
                       bool devices, const wabe_progress *progress) {
    const wabe_schedule *s = w->schedule;
    wabe_call calls[WABE_SLABS_MAX];
    int count = 0;
    for (int i = 0; i < s->slab_count; i++)
        if ((s->components[i]->device != NULL) == devices)
            count += entry->prepare(s->slabs[i], entry->number, &w->position, region,
                                    &calls[count]);
    wabe_calls_run(count, calls, progress);
    count = 0;
    for (int i = 0; i < s->slab_count && entry->follow; i++)
        if ((s->components[i]->device != NULL) == devices)
            count += entry->follow(s->slabs[i], entry->number, &w->position, region, &calls[count]);
    if (count > 0)
        wabe_calls_run(count, calls, NULL);
}

/* exchange: NULL if none begins. */
static void run_kind(walk *w, const wabe_schedule_entry *entry, bool devices,
                     const wabe_schedule_exchange *exchange) {
    const wabe_schedule *s = w->schedule;
    const wabe_progress progress = {drive, w, s->drive_first};
    const bool driven = !devices && w->begun && s->exchanges[0].drive;
    wabe_profile_start(s->profile);
    run_region(w, entry, WABE_REGION_OUTER, devices, NULL);
    wabe_profile_stop(s->profile, exchange ? WABE_PHASE_outer : entry->phase);
    if (exchange)
        exchange->begin(exchange->context, devices);
    wabe_profile_start(s->profile);
    run_region(w, entry, WABE_REGION_INNER, devices, driven ? &progress : NULL);
    wabe_profile_stop(s->profile, entry->phase);
}

static void run_sweep(walk *w, const wabe_schedule_entry *entry) {
    const wabe_schedule *s = w->schedule;
    const bool exchanges = entry->exchange >= 0 && entry->exchange < s->exchange_count;
    const uint64_t own = exchanges ? (uint64_t)1 << entry->exchange : 0;
    const wabe_schedule_exchange *exchange = exchanges ? &s->exchanges[entry->exchange] : NULL;
    end_exchanges(w, entry->awaits | own);
    run_kind(w, entry, true, exchange);
    w->begun |= own; /* begun on the devices */
    run_kind(w, entry, false, exchange);
    if (s->at_once)
        end_exchanges(w, own);
    for (int i = 0; i < s->slab_count && entry->post; i++)
        entry->post(s->slabs[i], entry->number);
}

static void run_pass(const wabe_schedule *s, const wabe_schedule_entry *entry) {
    wabe_profile_start(s->profile);
    for (int i = 0; i < s->slab_count; i++)
        entry->pass(s->slabs[i], entry->number);
    wabe_profile_stop(s->profile, entry->phase);
}

/* The next entry after the begin or end of a loop. */
static int run_loop(walk *w, int at) {
    const wabe_schedule_entry *entry = &w->schedule->entries[at];
    const bool begins = entry->kind == WABE_STEP_LOOP;
    const int loop = begins ? at : entry->partner, end = begins ? entry->partner : at;
    wabe_position *p = &w->position;
    if (begins)
        p->index[p->depth++] = 0;
    else
        p->index[p->depth - 1]++;
    const wabe_schedule_entry *l = &w->schedule->entries[loop];
    if (l->again(l->context, l->number, p))
        return loop + 1;
    p->index[--p->depth] = 0;
    return end + 1;
}

void wabe_schedule_run(const wabe_schedule *schedule) {
    walk w = {.schedule = schedule};
    for (int i = 0; i < schedule->entry_count;) {
        const wabe_schedule_entry *entry = &schedule->entries[i];
        if (entry->kind == WABE_STEP_LOOP || entry->kind == WABE_STEP_END) {
            i = run_loop(&w, i);
            continue;
        }
        if (entry->kind == WABE_STEP_SWEEP) {
            run_sweep(&w, entry);
        } else if (entry->kind == WABE_STEP_PASS) {
            run_pass(schedule, entry);
        } else { /* end all exchanges first: a process that waits here drives none */
            end_exchanges(&w, UINT64_MAX);
            entry->reduce(entry->context, entry->number);
        }
        i++;
    }
    end_exchanges(&w, UINT64_MAX);
}
