#include "core/device/team.h"

#include "core/base/log.h"
#include "core/base/wait.h"

#include <limits.h>
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- threads ------------------------------------------------------------------------ */

/* A turn: work to which all threads are called. */
typedef struct {
    void (*work)(void *context, int thread);
    void *context;
    bool whole; /* every thread must take part; otherwise late ones find the gate closed */
    uint32_t number;
} turn;

enum gate_bits {
    GATE_OPEN = 1 << 30,
    GATE_AWAITED = 1 << 29,        /* the calling thread sleeps until nobody is inside */
    GATE_INSIDE = GATE_AWAITED - 1 /* threads inside; in a whole turn also those still to come */
};

/* Threads wait at a gate, which the calling thread opens for a turn. It writes the turn while the
 * gate is closed and nobody is inside, and only threads inside read it. */
static struct {
    int started; /* threads besides the calling one */
    turn turn;
    _Alignas(64) _Atomic uint32_t called; /* number of the last turn; idle threads sleep on it */
    _Atomic int asleep;
    _Alignas(64) _Atomic uint32_t gate;
} team;

static _Thread_local int own_number; /* of the thread in the process; the calling thread is 0 */

static void sleep_on(_Atomic uint32_t *word, uint32_t value) {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static void wake(_Atomic uint32_t *word, int threads) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
}

/* Leaves the core's pipelines to another hardware thread. */
static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Waits until a turn other than this one is called. Returns its number. */
static uint32_t await_call(uint32_t done) {
    wabe_wait wait = {0};
    uint32_t called;
    while ((called = atomic_load(&team.called)) == done) {
        pause_briefly();
        if (wabe_wait_is_long(&wait)) {
            atomic_fetch_add(&team.asleep, 1); /* before checking the number again */
            sleep_on(&team.called, done);
            atomic_fetch_sub(&team.asleep, 1);
        }
    }
    return called;
}

static void leave(uint32_t places) {
    const uint32_t before = atomic_fetch_sub(&team.gate, places);
    if ((before & GATE_AWAITED) && (before & GATE_INSIDE) == places)
        wake(&team.gate, 1);
}

/* The main loop of a thread. It may have taken part in a turn before it sees that turn called, and
 * then enters again. */
static void *serve(void *number) {
    own_number = (int)(intptr_t)number;
    for (uint32_t done = 0;;) {
        const uint32_t called = await_call(done);
        const bool open = atomic_fetch_add(&team.gate, 1) & GATE_OPEN;
        const bool due = open && team.turn.number != done;
        if (due)
            team.turn.work(team.turn.context, own_number);
        const uint32_t places = due && team.turn.whole ? 2 : 1;
        done = open ? team.turn.number : called;
        leave(places);
    }
    return NULL;
}

static void await_leaving(void) {
    wabe_wait wait = {0};
    while (atomic_load(&team.gate) & GATE_INSIDE) {
        pause_briefly();
        if (!wabe_wait_is_long(&wait))
            continue;
        const uint32_t gate = atomic_fetch_or(&team.gate, GATE_AWAITED) | GATE_AWAITED;
        if (gate & GATE_INSIDE)
            sleep_on(&team.gate, gate);
    }
    atomic_fetch_and(&team.gate, ~(uint32_t)GATE_AWAITED);
}

/* Gets the cores to which OpenMP would bind the threads, if the user has set OMP_PROC_BIND or
 * OMP_PLACES. */
static void place_as_openmp(int threads, cpu_set_t *places) {
#pragma omp parallel num_threads(threads)
    sched_getaffinity(0, sizeof places[0], &places[omp_get_thread_num()]);
}

/* Starts threads until there are so many, including the calling one. They block all signals. */
static void start_threads(int threads) {
    static cpu_set_t places[WABE_THREADS_MAX];
    const bool placed = omp_get_proc_bind() != omp_proc_bind_false;
    sigset_t all, before;
    if (placed)
        place_as_openmp(threads, places);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team.started < threads - 1) {
        pthread_t thread;
        const int number = team.started + 1;
        if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)number) != 0)
            break;
        if (placed)
            pthread_setaffinity_np(thread, sizeof places[0], &places[number]);
        pthread_detach(thread);
        team.started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Returns the number of threads available, if not all of them can be started. */
static int gather(int threads) {
    static bool failed; /* then it does not try again */
    if (threads - 1 > team.started && !failed)
        start_threads(threads);
    const int there = team.started + 1 < threads ? team.started + 1 : threads;
    if (there < threads && !failed) {
        failed = true;
        wabe_log_warning("only %d of %d threads could be started, which do the others' work", there,
                         threads);
    }
    return there;
}

/* Calls all threads to a turn, in which the calling thread takes part as thread 0. */
static void call(void (*work)(void *context, int thread), void *context, bool whole) {
    const uint32_t to_come = whole ? (uint32_t)team.started : 0;
    const uint32_t number = team.turn.number + 1;
    team.turn = (turn){work, context, whole, number};
    atomic_fetch_add(&team.gate, GATE_OPEN + to_come);
    atomic_store(&team.called, number);
    if (atomic_load(&team.asleep) > 0)
        wake(&team.called, INT_MAX);
    work(context, 0);
    if (whole)
        await_leaving();
    atomic_fetch_and(&team.gate, ~(uint32_t)GATE_OPEN);
    await_leaving();
}

/* ---- jobs --------------------------------------------------------------------------- */

enum { PIECES_PER_SHARE = 64 };

/* A thread's share of a job's items, from which others take when theirs are done. Padded to a cache
 * line. */
typedef struct {
    _Alignas(64) _Atomic int64_t next;
    int64_t end, piece;
} share;

typedef struct {
    int count, threads;
    const wabe_job *jobs;
    share *shares; /* one per thread of the process */
    const wabe_progress *progress;
} work_plan;

static bool share_take(share *from, int64_t *begin, int64_t *end) {
    if (atomic_load_explicit(&from->next, memory_order_relaxed) >= from->end)
        return false;
    *begin = atomic_fetch_add_explicit(&from->next, from->piece, memory_order_relaxed);
    *end = *begin + from->piece < from->end ? *begin + from->piece : from->end;
    return *begin < from->end;
}

/* Divides the job's items among the threads of its component. */
static void deal(const wabe_job *job, share *shares) {
    const int threads = job->component->threads;
    for (int t = 0; t < threads; t++) {
        share *s = &shares[job->component->first_thread + t];
        const int64_t begin = job->count * t / threads, end = job->count * (t + 1) / threads;
        atomic_init(&s->next, begin);
        s->end = end;
        s->piece = (end - begin + PIECES_PER_SHARE - 1) / PIECES_PER_SHARE;
    }
}

static bool has_thread(const wabe_job *job, int thread) {
    const int self = thread - job->component->first_thread;
    return self >= 0 && self < job->component->threads;
}

static void work_on(const wabe_job *job, share *shares, int thread, const wabe_progress *progress) {
    const int threads = job->component->threads;
    const int self = has_thread(job, thread) ? thread - job->component->first_thread : 0;
    for (int other = 0; other < threads; other++) {
        share *from = &shares[job->component->first_thread + (self + other) % threads];
        int64_t begin, end;
        while (share_take(from, &begin, &end)) {
            job->work(job->context, begin, end);
            if (progress)
                progress->drive(progress->context);
        }
    }
}

/* Processes the thread's own job first, then the others. */
static void take_part(void *context, int thread) {
    const work_plan *plan = context;
    const wabe_progress *progress = thread == 0 ? plan->progress : NULL;
    if (thread >= plan->threads)
        return;
    wabe_wait wait = {0};
    while (progress && progress->first && progress->drive(progress->context))
        wabe_wait_go_on(&wait);
    for (int j = 0; j < plan->count; j++)
        if (has_thread(&plan->jobs[j], thread))
            work_on(&plan->jobs[j], plan->shares, thread, progress);
    for (int j = 0; j < plan->count; j++)
        if (!has_thread(&plan->jobs[j], thread))
            work_on(&plan->jobs[j], plan->shares, thread, progress);
}

void wabe_team_run(int count, const wabe_job *jobs, const wabe_progress *progress) {
    share shares[WABE_THREADS_MAX];
    work_plan plan = {count, 0, jobs, shares, progress};
    for (int j = 0; j < count; j++) {
        const int end = jobs[j].component->first_thread + jobs[j].component->threads;
        plan.threads = end > plan.threads ? end : plan.threads;
        deal(&jobs[j], shares);
    }
    if (plan.threads > 1 && gather(plan.threads) > 1)
        call(take_part, &plan, false);
    else if (count > 0)
        take_part(&plan, 0);
}

typedef struct {
    const wabe_job *job;
    int there; /* threads */
} own_plan;

/* The calling thread also processes the shares of threads that could not be started. */
static void take_own(void *context, int thread) {
    const own_plan *plan = context;
    const wabe_job *job = plan->job;
    const int threads = job->component->threads, first = job->component->first_thread;
    for (int t = thread; t < first + threads; t = t == 0 ? plan->there : t + 1) {
        if (t >= first)
            job->work(job->context, job->count * (t - first) / threads,
                      job->count * (t - first + 1) / threads);
        if (thread > 0)
            return;
    }
}

void wabe_team_run_own(const wabe_job *job) {
    own_plan plan = {job, gather(job->component->first_thread + job->component->threads)};
    if (plan.there > 1)
        call(take_own, &plan, true);
    else
        take_own(&plan, 0);
}

/* Indexed by thread number in the process, since any thread may help with any job. */
static struct {
    int threads;
    int64_t bytes; /* per thread */
    void *memory[WABE_THREADS_MAX];
} scratch;

static void release_scratch(void) {
    for (int t = 0; t < scratch.threads; t++)
        munmap(scratch.memory[t], (size_t)scratch.bytes);
    scratch.threads = 0;
    scratch.bytes = 0;
}

/* All or nothing: after a failure no thread has memory, so that the next call reserves it for
 * all. */
wabe_status wabe_team_reserve(const wabe_component *component, int64_t bytes) {
    const int wanted = component->first_thread + component->threads;
    const int threads = wanted > scratch.threads ? wanted : scratch.threads;
    const int64_t size = bytes > scratch.bytes ? bytes : scratch.bytes;
    if (size == 0 || (size == scratch.bytes && threads == scratch.threads))
        return WABE_OK;
    release_scratch();
    for (scratch.bytes = size; scratch.threads < threads; scratch.threads++) {
        /* First touch places the pages. */
        void *memory = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                            -1, 0);
        if (memory == MAP_FAILED) {
            release_scratch();
            return WABE_FAIL(WABE_MEMORY, "no memory for the %lld bytes that a thread works in",
                             (long long)size);
        }
        scratch.memory[scratch.threads] = memory;
    }
    return WABE_OK;
}

void *wabe_team_scratch(void) { return scratch.memory[own_number]; }

/* The affinity of the process before any thread was bound. */
static cpu_set_t all_cores;
static bool bound;

typedef struct {
    const wabe_component *component;
    _Atomic int failed; /* a core that the process may not use; -1: none */
} binding;

static void bind_own(void *context, int thread) {
    binding *b = context;
    const int t = thread - b->component->first_thread;
    if (t < 0 || t >= b->component->threads)
        return;
    const int core = b->component->cores[t % b->component->core_count];
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        atomic_store(&b->failed, core);
}

wabe_status wabe_team_bind(const wabe_component *component) {
    binding b = {component, -1};
    if (component->core_count == 0)
        return WABE_OK;
    if (!bound)
        bound = sched_getaffinity(0, sizeof all_cores, &all_cores) == 0;
    gather(component->first_thread + component->threads);
    call(bind_own, &b, true);
    WABE_CHECK(b.failed < 0, WABE_INPUT, "%s: this process may not use core %d", component->name,
               b.failed);
    return WABE_OK;
}

void wabe_team_leave_cores(void) {
    if (bound)
        sched_setaffinity(0, sizeof all_cores, &all_cores);
}
