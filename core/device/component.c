#include "core/device/component.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CPU_GRAIN = 128 }; /* tiles */

#if defined(__x86_64__)
/* Conversion of half-precision numbers: not all compilers support its name in
 * __builtin_cpu_supports. */
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C;
}
#endif

static wabe_instruction_set widest_instruction_set(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return WABE_INSTRUCTION_SET_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c())
        return WABE_INSTRUCTION_SET_avx2;
    return WABE_INSTRUCTION_SET_x86_64;
#else
    return WABE_INSTRUCTION_SET_portable;
#endif
}

wabe_component wabe_component_detect(int threads) {
    wabe_component component = {.target = WABE_TARGET_cpu,
                                .instruction_set = widest_instruction_set(),
                                .grain = CPU_GRAIN};
    component.threads = threads > 0 ? threads : omp_get_max_threads();
    if (component.threads > WABE_THREADS_MAX)
        component.threads = WABE_THREADS_MAX;
    snprintf(component.name, sizeof component.name, "cpu0");
    return component;
}

wabe_status wabe_component_open_gpu(int index, wabe_component *out) {
    *out = (wabe_component){.target = WABE_TARGET_gpu,
                            .instruction_set = WABE_INSTRUCTION_SET_cuda,
                            .grain = WABE_GPU_GRAIN};
    snprintf(out->name, sizeof out->name, "gpu%d", index);
    return wabe_device_open(index, &out->device);
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

/* The cores that a list such as "0-3,8" names. */
static int count_cores(const char *list) {
    int count = 0;
    for (const char *at = list; *at >= '0' && *at <= '9';) {
        char *end;
        const long first = strtol(at, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        count += (int)(last - first) + 1;
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}

/* Reads a line of what the system says of the first core's level 3 cache; false: it says nothing.
 */
static bool read_cache(const char *name, char *out, int size) {
    char path[128];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index3/%s", name);
    FILE *file = fopen(path, "r");
    const bool known = file && fgets(out, size, file);
    if (file)
        fclose(file);
    return known;
}

int64_t wabe_component_shared_cache(int cores) {
    char kib[64], list[512];
    if (!read_cache("size", kib, sizeof kib) || !read_cache("shared_cpu_list", list, sizeof list))
        return 0;
    return count_cores(list) >= cores ? strtoll(kib, NULL, 10) * 1024 : 0; /* "32768K" */
}

int64_t wabe_component_cache(void) {
    const long known = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return known > 0 ? known : 512 << 10;
}

int64_t wabe_component_available_memory(void) {
    int64_t available = system_available_memory();
    int64_t limit = read_number("/sys/fs/cgroup/memory.max");
    int64_t used = read_number("/sys/fs/cgroup/memory.current");
    if (limit > 0 && used >= 0 && limit - used < available)
        available = limit > used ? limit - used : 0;
    return available;
}
