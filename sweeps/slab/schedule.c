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

/* The calls of a sweep on the slabs on devices, or on the others. */
typedef struct {
    int count[WABE_REGION_COUNT];
    wabe_call calls[WABE_REGION_COUNT][WABE_SLABS_MAX];
} sweep_calls;

static void prepare(const walk *w, const wabe_schedule_entry *entry, bool devices, bool inner_first,
                    sweep_calls *out) {
    const wabe_schedule *s = w->schedule;
    out->count[WABE_REGION_OUTER] = out->count[WABE_REGION_INNER] = 0;
    for (int i = 0; i < s->slab_count; i++) {
        wabe_call *first[WABE_REGION_COUNT] = {NULL};
        if ((s->components[i]->device != NULL) != devices)
            continue;
        for (wabe_region_name region = 0; region < WABE_REGION_COUNT; region++) {
            wabe_call *call = &out->calls[region][out->count[region]];
            if (!entry->prepare(s->slabs[i], entry->number, &w->position, region, call))
                continue;
            out->count[region]++;
            first[region] = call;
        }
        if (inner_first && first[WABE_REGION_OUTER] && first[WABE_REGION_INNER])
            wabe_timeline_inner_first(first[WABE_REGION_OUTER], first[WABE_REGION_INNER]);
    }
}

static void run_lead(const wabe_schedule *s, const wabe_schedule_entry *entry,
                     wabe_region_name region) {
    wabe_call calls[WABE_SLABS_MAX];
    int count = 0;
    for (int i = 0; i < s->slab_count; i++)
        if (!s->components[i]->device)
            count += entry->lead(s->slabs[i], entry->number, region, &calls[count]);
    if (count > 0)
        wabe_calls_run(count, calls, NULL);
}

static void run_region(const walk *w, const wabe_schedule_entry *entry, wabe_region_name region,
                       bool devices, const sweep_calls *all, const wabe_progress *progress) {
    const wabe_schedule *s = w->schedule;
    wabe_call more[WABE_SLABS_MAX];
    int count = 0;
    if (entry->lead && !devices)
        run_lead(s, entry, region);
    wabe_calls_run(all->count[region], all->calls[region], progress);
    for (int i = 0; i < s->slab_count && entry->follow; i++)
        if ((s->components[i]->device != NULL) == devices)
            count += entry->follow(s->slabs[i], entry->number, &w->position, region, &more[count]);
    if (count > 0)
        wabe_calls_run(count, more, NULL);
}

/* exchange: NULL if none begins. */
static void run_outer(walk *w, const wabe_schedule_entry *entry, bool devices,
                      const sweep_calls *all, const wabe_schedule_exchange *exchange) {
    wabe_profile *profile = w->schedule->profile;
    wabe_profile_start(profile);
    run_region(w, entry, WABE_REGION_OUTER, devices, all, NULL);
    wabe_profile_stop(profile, exchange ? WABE_PHASE_outer : entry->phase);
    if (exchange)
        exchange->begin(exchange->context, devices);
}

static void run_inner(walk *w, const wabe_schedule_entry *entry, bool devices,
                      const sweep_calls *all) {
    const wabe_schedule *s = w->schedule;
    const wabe_progress progress = {drive, w, s->drive_first};
    const bool driven = !devices && w->begun && s->exchanges[0].drive;
    wabe_profile_start(s->profile);
    run_region(w, entry, WABE_REGION_INNER, devices, all, driven ? &progress : NULL);
    wabe_profile_stop(s->profile, entry->phase);
}

/* due: exchanges that have to end before the outer region; then the inner region runs first, and
 * the calls prepared for it stay valid, since no exchange that begins or ends here swaps grids.
 * own: the bit of the exchange that begins, or 0. */
static void run_regions(walk *w, const wabe_schedule_entry *entry, uint64_t due, uint64_t own,
                        const wabe_schedule_exchange *exchange) {
    sweep_calls all[2]; /* of devices, and of the others */
    for (int i = 0; i < 2 && due; i++) {
        prepare(w, entry, i == 0, true, &all[i]);
        run_inner(w, entry, i == 0, &all[i]);
    }
    end_exchanges(w, due);
    for (int i = 0; i < 2; i++) {
        const bool devices = i == 0;
        if (!due)
            prepare(w, entry, devices, false, &all[i]);
        run_outer(w, entry, devices, &all[i], exchange);
        if (!due)
            run_inner(w, entry, devices, &all[i]);
        w->begun |= own; /* begun on the devices */
    }
}

static void run_sweep(walk *w, const wabe_schedule_entry *entry) {
    const wabe_schedule *s = w->schedule;
    const bool exchanges = entry->exchange >= 0 && entry->exchange < s->exchange_count;
    const uint64_t own = exchanges ? (uint64_t)1 << entry->exchange : 0;
    run_regions(w, entry, (entry->awaits | own) & w->begun, own,
                exchanges ? &s->exchanges[entry->exchange] : NULL);
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
