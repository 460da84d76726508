/* A fuzz target as a plain program: it is given the files named as arguments, one after the
 * other. */
#include "tests/fuzz/target.h"

#include <stdio.h>

static int run_file(const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file) {
        perror(name);
        return 1;
    }
    static uint8_t data[1 << 20];
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    printf("%s: %zu bytes\n", name, size);
    fflush(stdout);
    return LLVMFuzzerTestOneInput(data, size);
}

int main(int argc, char **argv) {
    int failures = 0;
    for (int i = 1; i < argc; i++)
        failures += run_file(argv[i]);
    return failures > 0;
}
