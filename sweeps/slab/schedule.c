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
    unsigned begun; /* bit i: exchange i has begun, and not ended */
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

static void end_exchanges(walk *w, unsigned which) {
    which &= w->begun;
    for (int i = 0; which >> i; i++)
        if (which >> i & 1)
            w->schedule->exchanges[i].end(w->schedule->exchanges[i].context);
    w->begun &= ~which;
}

/* Runs the sweep on a region of the slabs on devices, or of the others. */
static void run_region(const wabe_schedule *s, const wabe_schedule_entry *entry,
                       wabe_region_name region, bool devices, const wabe_progress *progress) {
    wabe_call calls[WABE_SLABS_MAX];
    int count = 0;
    for (int i = 0; i < s->slab_count; i++)
        if ((s->components[i]->device != NULL) == devices)
            count += entry->prepare(s->slabs[i], entry->number, region, &calls[count]);
    wabe_calls_run(count, calls, progress);
    count = 0;
    for (int i = 0; i < s->slab_count && entry->follow; i++)
        if ((s->components[i]->device != NULL) == devices)
            count += entry->follow(s->slabs[i], entry->number, region, &calls[count]);
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
    run_region(s, entry, WABE_REGION_OUTER, devices, NULL);
    wabe_profile_stop(s->profile, exchange ? WABE_PHASE_outer : entry->phase);
    if (exchange)
        exchange->begin(exchange->context, devices);
    wabe_profile_start(s->profile);
    run_region(s, entry, WABE_REGION_INNER, devices, driven ? &progress : NULL);
    wabe_profile_stop(s->profile, entry->phase);
}

static void run_sweep(walk *w, const wabe_schedule_entry *entry) {
    const wabe_schedule *s = w->schedule;
    const bool exchanges = entry->exchange >= 0 && entry->exchange < s->exchange_count;
    const unsigned own = exchanges ? 1u << entry->exchange : 0;
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
static int run_loop(const wabe_schedule *s, int at, int64_t iterations[], int *depth) {
    const wabe_schedule_entry *entry = &s->entries[at];
    const bool begins = entry->kind == WABE_STEP_LOOP;
    const int loop = begins ? at : entry->partner, end = begins ? entry->partner : at;
    if (begins)
        iterations[(*depth)++] = 0;
    else
        iterations[*depth - 1]++;
    const wabe_schedule_entry *l = &s->entries[loop];
    if (l->again(l->context, l->number, iterations[*depth - 1]))
        return loop + 1;
    --*depth;
    return end + 1;
}

void wabe_schedule_run(const wabe_schedule *schedule) {
    walk w = {.schedule = schedule};
    int64_t iterations[WABE_SCHEDULE_LOOPS_MAX];
    int depth = 0;
    for (int i = 0; i < schedule->entry_count;) {
        const wabe_schedule_entry *entry = &schedule->entries[i];
        if (entry->kind == WABE_STEP_LOOP || entry->kind == WABE_STEP_END) {
            i = run_loop(schedule, i, iterations, &depth);
            continue;
        }
        if (entry->kind == WABE_STEP_SWEEP) {
            run_sweep(&w, entry);
        } else if (entry->kind == WABE_STEP_PASS) {
            run_pass(schedule, entry);
        } else { /* end all exchanges first: a process that waits here drives none */
            end_exchanges(&w, ~0u);
            entry->reduce(entry->context, entry->number);
        }
        i++;
    }
    end_exchanges(&w, ~0u);
}
