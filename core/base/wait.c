#include "core/base/wait.h"

#include <sched.h>
#include <time.h>

/* Nanoseconds. */
enum {
    ACTIVE = 50000,      /* about the time to wake a thread */
    NAP = 20000,         /* the system sleeps a little longer */
    REMEMBER = 100000000 /* how long to remember that others want the core */
};

static int64_t time_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

bool wabe_wait_is_long(wabe_wait *wait) {
    const int64_t now = time_now();
    if (wait->since == 0)
        wait->since = now;
    return now - wait->since > ACTIVE;
}

/* Yielding costs nothing if nobody else wants the core. Otherwise the core is gone for a whole time
 * slice; a thread that sleeps gets it back sooner. */
void wabe_wait_go_on(wabe_wait *wait) {
    static _Thread_local int64_t shared_until;
    if (!wabe_wait_is_long(wait))
        return;
    const int64_t now = time_now();
    if (now < shared_until) {
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        return;
    }
    sched_yield();
    if (time_now() - now > ACTIVE)
        shared_until = now + REMEMBER;
}
