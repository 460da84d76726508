/* Loaded before all libraries (LD_PRELOAD) in tests, which often have more processes than cores:
 * who waits for others inside of MPI leaves them the core as core/base/wait.c does. Open MPI itself
 * yields at each poll, for which Linux takes a whole time slice from each message. */
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds. */
enum {
    ACTIVE = 50000,      /* a yield that takes longer has given the core to others */
    NAP = 20000,         /* the system sleeps a little longer */
    REMEMBER = 100000000 /* how long to remember that others want the core */
};

static int64_t time_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int sched_yield(void) {
    static _Thread_local int64_t shared_until;
    const int64_t now = time_now();
    if (now < shared_until) {
        nanosleep(&(struct timespec){.tv_nsec = NAP}, NULL);
        return 0;
    }
    const int code = (int)syscall(SYS_sched_yield);
    if (time_now() - now > ACTIVE)
        shared_until = now + REMEMBER;
    return code;
}
