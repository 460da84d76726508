#include "core/base/ranges.h"

#include <stdlib.h>

bool wabe_ranges_next(const char **cursor, long most, long *first, long *last) {
    char *end;
    *first = *last = strtol(*cursor, &end, 10);
    if (end == *cursor)
        return false;
    if (*end == '-') {
        const char *second = end + 1;
        *last = strtol(second, &end, 10);
        if (end == second)
            return false;
    }
    if (*first < 0 || *last < *first || *last > most || (*end != ',' && *end != '\0'))
        return false;
    *cursor = *end == ',' ? end + 1 : NULL;
    return true;
}
