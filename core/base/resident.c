#include "core/base/resident.h"

#include <stdio.h>

wabe_resident wabe_resident_memory(void) {
    wabe_resident found = {0};
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    long long kib;
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmRSS: %lld", &kib) == 1)
            found.now = 1024 * kib;
        if (sscanf(line, "VmHWM: %lld", &kib) == 1)
            found.most = 1024 * kib;
    }
    if (file)
        fclose(file);
    return found;
}
