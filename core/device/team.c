#include "core/device/team.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { PIECES_PER_SHARE = 64 };

/* A thread's share of a job's items; others take from it when theirs are done. Padded to a cache
 * line. */
typedef struct {
    _Alignas(64) _Atomic int64_t next;
    int64_t end, piece;
} share;

typedef struct {
    int count;
    const wabe_job *jobs;
    share *shares; /* of all threads of the process */
} work_plan;

static bool share_take(share *from, int64_t *begin, int64_t *end) {
    if (atomic_load_explicit(&from->next, memory_order_relaxed) >= from->end)
        return false;
    *begin = atomic_fetch_add_explicit(&from->next, from->piece, memory_order_relaxed);
    *end = *begin + from->piece < from->end ? *begin + from->piece : from->end;
    return *begin < from->end;
}

/* Deals the job's items out to the shares of its component's threads. */
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

/* The thread's own job first, then the others'. progress is NULL but for the calling thread. */
static void take_part(const work_plan *plan, int thread, const wabe_progress *progress) {
    while (progress && progress->first && progress->drive(progress->context))
        continue;
    for (int j = 0; j < plan->count; j++)
        if (has_thread(&plan->jobs[j], thread))
            work_on(&plan->jobs[j], plan->shares, thread, progress);
    for (int j = 0; j < plan->count; j++)
        if (!has_thread(&plan->jobs[j], thread))
            work_on(&plan->jobs[j], plan->shares, thread, progress);
}

void wabe_team_run(int count, const wabe_job *jobs, const wabe_progress *progress) {
    share shares[WABE_THREADS_MAX];
    const work_plan plan = {count, jobs, shares};
    int threads = 0;
    for (int j = 0; j < count; j++) {
        const int end = jobs[j].component->first_thread + jobs[j].component->threads;
        threads = end > threads ? end : threads;
        deal(&jobs[j], shares);
    }
    if (count > 0) {
#pragma omp parallel num_threads(threads)
        take_part(&plan, omp_get_thread_num(), omp_get_thread_num() == 0 ? progress : NULL);
    }
}

void wabe_team_run_own(const wabe_job *job) {
    const int threads = job->component->threads, first = job->component->first_thread;
#pragma omp parallel for num_threads(first + threads) schedule(static, 1)
    for (int t = 0; t < first + threads; t++)
        if (t >= first)
            job->work(job->context, job->count * (t - first) / threads,
                      job->count * (t - first + 1) / threads);
}

/* By the threads' numbers in the process: any of them may help with any job. */
static struct {
    int threads;
    int64_t bytes; /* of each */
    void *memory[WABE_THREADS_MAX];
} scratch;

static void release_scratch(void) {
    for (int t = 0; t < scratch.threads; t++)
        munmap(scratch.memory[t], (size_t)scratch.bytes);
    scratch.threads = 0;
    scratch.bytes = 0;
}

/* All or nothing: who asks again after a failure must not find less. */
wabe_status wabe_team_reserve(const wabe_component *component, int64_t bytes) {
    const int wanted = component->first_thread + component->threads;
    const int threads = wanted > scratch.threads ? wanted : scratch.threads;
    const int64_t size = bytes > scratch.bytes ? bytes : scratch.bytes;
    if (size == 0 || (size == scratch.bytes && threads == scratch.threads))
        return WABE_OK;
    release_scratch();
    for (scratch.bytes = size; scratch.threads < threads; scratch.threads++) {
        /* Pages go to who writes first. */
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

void *wabe_team_scratch(void) { return scratch.memory[omp_get_thread_num()]; }

/* Before any thread was bound. */
static cpu_set_t all_cores;
static bool bound;

wabe_status wabe_team_bind(const wabe_component *component) {
    const int threads = component->threads, first = component->first_thread;
    int failed = -1;
    if (component->core_count == 0)
        return WABE_OK;
    if (!bound)
        bound = sched_getaffinity(0, sizeof all_cores, &all_cores) == 0;
#pragma omp parallel num_threads(first + threads)
    {
        const int t = omp_get_thread_num() - first;
        if (t >= 0) {
            cpu_set_t set;
            CPU_ZERO(&set);
            CPU_SET((size_t)component->cores[t % component->core_count], &set);
            if (sched_setaffinity(0, sizeof set, &set) != 0) {
#pragma omp atomic write
                failed = component->cores[t % component->core_count];
            }
        }
    }
    WABE_CHECK(failed < 0, WABE_INPUT, "%s: this process may not use core %d", component->name,
               failed);
    return WABE_OK;
}

void wabe_team_leave_cores(void) {
    if (bound)
        sched_setaffinity(0, sizeof all_cores, &all_cores);
}
