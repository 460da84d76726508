#include "core/component.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS_MAX = 1024, SHARES_ON_STACK = 64, PIECES_PER_SHARE = 64 };

static wabe_instruction_set widest_instruction_set(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return WABE_INSTRUCTION_SET_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return WABE_INSTRUCTION_SET_avx2;
#endif
    return WABE_INSTRUCTION_SET_x86_64;
}

wabe_component wabe_component_detect(int threads) {
    wabe_component component = {.target = WABE_TARGET_cpu,
                                .instruction_set = widest_instruction_set()};
    component.threads = threads > 0 ? threads : omp_get_max_threads();
    if (component.threads > THREADS_MAX)
        component.threads = THREADS_MAX;
    snprintf(component.name, sizeof component.name, "cpu0");
    return component;
}

/* A thread's share of the items; others take from it when theirs are done. Padded to a cache line.
 */
typedef struct {
    _Alignas(64) _Atomic int64_t next;
    int64_t end, piece;
} share;

static bool share_take(share *from, int64_t *begin, int64_t *end) {
    if (atomic_load_explicit(&from->next, memory_order_relaxed) >= from->end)
        return false;
    *begin = atomic_fetch_add_explicit(&from->next, from->piece, memory_order_relaxed);
    *end = *begin + from->piece < from->end ? *begin + from->piece : from->end;
    return *begin < from->end;
}

void wabe_component_for(const wabe_component *component, int64_t count, wabe_component_work work,
                        void *context, wabe_component_progress progress, void *progress_context) {
    const int threads = component->threads;
    share shares[SHARES_ON_STACK], *all = shares, *owned = NULL;
    if (threads > SHARES_ON_STACK) {
        owned = aligned_alloc(64, sizeof(share) * (size_t)threads);
        if (owned)
            all = owned;
    }
    const int used = threads > SHARES_ON_STACK && !owned ? SHARES_ON_STACK : threads;
    for (int t = 0; t < used; t++) {
        int64_t begin = count * t / used, end = count * (t + 1) / used;
        atomic_init(&all[t].next, begin);
        all[t].end = end;
        all[t].piece = (end - begin + PIECES_PER_SHARE - 1) / PIECES_PER_SHARE;
    }
#pragma omp parallel num_threads(used)
    {
        const int self = omp_get_thread_num();
        for (int other = 0; other < used; other++) {
            int64_t begin, end;
            while (share_take(&all[(self + other) % used], &begin, &end)) {
                work(context, begin, end);
                if (self == 0 && progress)
                    progress(progress_context);
            }
        }
    }
    free(owned);
}

void wabe_component_for_own(const wabe_component *component, int64_t count,
                            wabe_component_work work, void *context) {
    const int threads = component->threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++)
        work(context, count * t / threads, count * (t + 1) / threads);
}

void wabe_component_processor_name(char *name, int size) {
    snprintf(name, (size_t)size, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(name, (size_t)size, "%s", colon + 2);
            break;
        }
    }
    fclose(file);
}

static int64_t read_number(const char *path) {
    FILE *file = fopen(path, "r");
    long long value = -1;
    if (file) {
        if (fscanf(file, "%lld", &value) != 1)
            value = -1;
        fclose(file);
    }
    return value;
}

static int64_t system_available_memory(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    long long kib = -1;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %lld", &kib) == 1)
            break;
    if (file)
        fclose(file);
    return kib >= 0 ? kib * 1024 : INT64_MAX;
}

int64_t wabe_component_available_memory(void) {
    int64_t available = system_available_memory();
    int64_t limit = read_number("/sys/fs/cgroup/memory.max");
    int64_t used = read_number("/sys/fs/cgroup/memory.current");
    if (limit > 0 && used >= 0 && limit - used < available)
        available = limit > used ? limit - used : 0;
    return available;
}
