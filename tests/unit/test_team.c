/* The threads of a process: what they work on, and that they leave their cores to others while they
 * wait. */
#include "core/device/team.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { ITEMS = 1000, THREADS = 5, TURNS = 300, NAPS = 50, NAP = 4000 /* microseconds */ };

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static wabe_component threads(int first, int count) {
    return (wabe_component){.first_thread = first, .threads = count};
}

/* ---- what is worked on -------------------------------------------------------------- */

static void count_items(void *context, int64_t begin, int64_t end) {
    _Atomic int *counts = context;
    for (int64_t i = begin; i < end; i++)
        atomic_fetch_add_explicit(&counts[i], 1, memory_order_relaxed);
}

static void all_are(const _Atomic int *counts, int wanted) {
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal(counts[i], wanted);
}

/* Teams that grow and shrink from turn to turn, of one or two components. */
static void each_item_is_worked_on_once(void **state) {
    (void)state;
    static _Atomic int first[ITEMS], second[ITEMS];
    for (int turn = 0; turn < TURNS; turn++) {
        const wabe_component a = threads(0, 1 + turn % THREADS);
        const wabe_component b = threads(a.threads, 1 + turn % 2);
        const wabe_job jobs[] = {{&a, ITEMS, count_items, first}, {&b, ITEMS, count_items, second}};
        wabe_team_run(2, jobs, NULL);
        all_are(second, 2 * turn + 1);
        wabe_team_run_own(&jobs[0]);
        wabe_team_run_own(&jobs[1]);
        all_are(first, 2 * turn + 2);
        all_are(second, 2 * turn + 2);
    }
}

static pid_t owners[ITEMS];

static void sign(void *context, int64_t begin, int64_t end) {
    bool *same = context;
    for (int64_t i = begin; i < end; i++) {
        same[i] = owners[i] == gettid();
        owners[i] = gettid();
    }
}

/* So that memory lies near to the thread that has touched it first. */
static void own_shares_stay_with_their_threads(void **state) {
    (void)state;
    const wabe_component c = threads(1, THREADS - 1);
    bool same[ITEMS];
    const wabe_job job = {&c, ITEMS, sign, same};
    wabe_team_run_own(&job);
    for (int turn = 0; turn < TURNS; turn++) {
        wabe_team_run_own(&job);
        for (int i = 0; i < ITEMS; i++)
            assert_true(same[i]);
    }
    for (int t = 1; t < c.threads; t++)
        assert_int_not_equal(owners[ITEMS * t / c.threads], owners[0]);
}

static bool count_down(void *context) {
    int *left = context;
    *left -= *left > 0;
    return *left > 0;
}

static void the_calling_thread_drives(void **state) {
    (void)state;
    static _Atomic int counts[ITEMS];
    const wabe_component c = threads(0, THREADS);
    const wabe_job job = {&c, ITEMS, count_items, counts};
    int left = ITEMS;
    wabe_team_run(1, &job, &(wabe_progress){count_down, &left, .first = true});
    assert_int_equal(left, 0);
    all_are(counts, 1);
}

/* ---- waiting ------------------------------------------------------------------------ */

/* The item of this number takes long, though no time of a processor. */
static void nap(void *context, int64_t begin, int64_t end) {
    const int64_t *slow = context;
    if (begin <= *slow && *slow < end)
        usleep(NAP);
}

/* Naps within turns, one item a thread, or between them: time of processors over that of the clock.
 * With two threads, since threads that wait actively often do not if they are more than cores. */
static double use_of_processors(int64_t slow) {
    const wabe_component c = threads(0, 2);
    const wabe_job job = {&c, 2, nap, &slow};
    const double clock = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int turn = 0; turn < NAPS; turn++) {
        wabe_team_run_own(&job);
        if (slow < 0)
            usleep(NAP);
    }
    return (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) / (seconds(CLOCK_MONOTONIC) - clock);
}

static void who_waits_leaves_its_core(void **state) {
    (void)state;
    assert_true(use_of_processors(-1) < 0.3); /* for the next turn */
    assert_true(use_of_processors(0) < 0.3);  /* while the calling thread is busy */
    assert_true(use_of_processors(1) < 0.3);  /* while another one is: the calling one waits, too */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_item_is_worked_on_once),
        cmocka_unit_test(own_shares_stay_with_their_threads),
        cmocka_unit_test(the_calling_thread_drives),
        cmocka_unit_test(who_waits_leaves_its_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
