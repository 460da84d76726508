#include "apps/geometry/particles.h"

#include "core/io/disk.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void wabe_particles_free(wabe_particles *particles) {
    free(particles->list);
    *particles = (wabe_particles){0};
}

/* A growing list. */
typedef struct {
    wabe_particles particles;
    int capacity;
} list;

static wabe_status add_sphere(list *to, const double center[3], double radius) {
    wabe_particles *p = &to->particles;
    if (p->count == to->capacity) {
        WABE_CHECK(to->capacity <= INT_MAX / 2, WABE_INPUT, "there are more than %d particles",
                   to->capacity);
        const int capacity = to->capacity ? 2 * to->capacity : 64;
        wabe_object *grown = realloc(p->list, (size_t)capacity * sizeof *grown);
        WABE_CHECK(grown, WABE_MEMORY, "no memory for %d particles", capacity);
        p->list = grown;
        to->capacity = capacity;
    }
    p->list[p->count] = (wabe_object){.shape = WABE_SHAPE_SPHERE, .radius = radius};
    memcpy(p->list[p->count++].center, center, sizeof p->list->center);
    return WABE_OK;
}

static wabe_status hand_over(wabe_status status, list *from, wabe_particles *out) {
    if (status != WABE_OK)
        wabe_particles_free(&from->particles);
    *out = from->particles;
    return status;
}

/* ---- arrays ------------------------------------------------------------------------- */

/* Centres in a unit cell, in units of the lattice constant. */
static const struct {
    int count;
    double centers[4][3];
} cubes[] = {
    [WABE_ARRAY_SIMPLE_CUBIC] = {1, {{0.5, 0.5, 0.5}}},
    [WABE_ARRAY_BODY_CENTRED] = {2, {{0.0, 0.0, 0.0}, {0.5, 0.5, 0.5}}},
    [WABE_ARRAY_FACE_CENTRED] =
        {4, {{0.0, 0.0, 0.0}, {0.0, 0.5, 0.5}, {0.5, 0.0, 0.5}, {0.5, 0.5, 0.0}}},
};

static bool touches(const double center[3], double radius, const int64_t cells[3]) {
    double square = 0.0;
    for (int d = 0; d < 3; d++) {
        const double beyond = fmax(fmax(-center[d], center[d] - (double)cells[d]), 0.0);
        square += beyond * beyond;
    }
    return square < radius * radius;
}

static wabe_status add_cube(list *to, wabe_array array, double constant, double radius,
                            const int64_t cube[3], const int64_t cells[3]) {
    for (int k = 0; k < cubes[array].count; k++) {
        double center[3];
        for (int d = 0; d < 3; d++)
            center[d] = constant * ((double)cube[d] + cubes[array].centers[k][d]);
        if (touches(center, radius, cells))
            WABE_TRY(add_sphere(to, center, radius));
    }
    return WABE_OK;
}

/* Adds the spheres of all unit cells [begin, end) that could touch the domain. */
static wabe_status add_cubes(list *to, wabe_array array, double constant, double radius,
                             const int64_t cells[3]) {
    int64_t begin[3], end[3], cube[3];
    double cubes_in_all = 1.0;
    for (int d = 0; d < 3; d++) {
        const double from = floor(-radius / constant) - 1.0;
        const double to_here = ceil(((double)cells[d] + radius) / constant) + 1.0;
        cubes_in_all *= to_here - from;
        WABE_CHECK(cubes_in_all <= INT_MAX, WABE_INPUT,
                   "an array of spheres with the lattice constant %g has more than %d of them; "
                   "choose a larger one",
                   constant, INT_MAX);
        begin[d] = (int64_t)from, end[d] = (int64_t)to_here;
    }
    for (cube[2] = begin[2]; cube[2] < end[2]; cube[2]++)
        for (cube[1] = begin[1]; cube[1] < end[1]; cube[1]++)
            for (cube[0] = begin[0]; cube[0] < end[0]; cube[0]++)
                WABE_TRY(add_cube(to, array, constant, radius, cube, cells));
    return WABE_OK;
}

wabe_status wabe_particles_array(wabe_array array, double constant, double radius,
                                 const int64_t cells[3], wabe_particles *out) {
    *out = (wabe_particles){0};
    WABE_CHECK(constant > 0.0 && isfinite(constant), WABE_INPUT,
               "the lattice constant of an array of spheres is %g cells; it must be positive",
               constant);
    WABE_CHECK(radius > 0.0 && isfinite(radius), WABE_INPUT,
               "the radius of an array's spheres is %g cells; it must be positive", radius);
    list spheres = {0};
    return hand_over(add_cubes(&spheres, array, constant, radius, cells), &spheres, out);
}

/* ---- files -------------------------------------------------------------------------- */

enum { LINE_SIZE = 1 << 16 };
static const int64_t file_max = (int64_t)1 << 38; /* bytes: about 100 for each of INT_MAX spheres */

/* Is the text exactly four numbers separated by commas? */
static bool is_numbers(const char *text, double numbers[4]) {
    for (int k = 0; k < 4; k++) {
        char *end;
        numbers[k] = strtod(text, &end);
        if (end == text || !isfinite(numbers[k]))
            return false;
        end += strspn(end, " \t");
        if (*end != (k < 3 ? ',' : '\0'))
            return false;
        text = end + 1;
    }
    return true;
}

/* Does the line begin with a word that is not a number, such as "x", but not "nan"? */
static bool is_heading(const char *text) {
    char *end;
    strtod(text, &end);
    return end == text && (isalpha((unsigned char)*text) || *text == '"' || *text == '_');
}

static wabe_status read_lines(FILE *in, const char *file, list *to) {
    char line[LINE_SIZE];
    bool begun = false; /* no heading after the first line */
    wabe_status status = WABE_OK;
    for (int64_t number = 1; status == WABE_OK && fgets(line, sizeof line, in); number++) {
        const size_t length = strlen(line);
        WABE_CHECK(length > 0 && (line[length - 1] == '\n' || feof(in)), WABE_INPUT,
                   "%s:%lld: this is no list of spheres: the line holds a NUL, or more than %d "
                   "bytes",
                   file, (long long)number, LINE_SIZE - 2);
        char *text = line + strspn(line, " \t\r\n");
        text[strcspn(text, "\r\n")] = '\0';
        if (*text == '\0' || *text == '#')
            continue;
        const bool heading = !begun && is_heading(text);
        begun = true;
        double sphere[4];
        if (heading)
            continue;
        if (is_numbers(text, sphere) && sphere[3] > 0.0)
            status = add_sphere(to, sphere, sphere[3]);
        else
            status =
                WABE_FAIL(WABE_INPUT,
                          "%s:%lld: \"%.60s\" is no sphere; a line must be x, y, z, radius with "
                          "a radius > 0",
                          file, (long long)number, text);
    }
    if (status == WABE_OK && ferror(in))
        status = WABE_FAIL(WABE_FILE, "%s: cannot be read: %s", file, strerror(errno));
    if (status == WABE_OK && to->particles.count == 0)
        status = WABE_FAIL(WABE_INPUT, "%s: there is no sphere; lines must be x, y, z, radius",
                           file);
    return status;
}

wabe_status wabe_particles_read(const char *file, wabe_particles *out) {
    *out = (wabe_particles){0};
    int64_t bytes;
    WABE_TRY(wabe_disk_check(file, &bytes));
    WABE_CHECK(bytes <= file_max, WABE_INPUT,
               "%s has %lld bytes; a list of spheres has at most %lld", file, (long long)bytes,
               (long long)file_max);
    FILE *in = fopen(file, "r");
    WABE_CHECK(in, WABE_FILE, "%s: cannot be opened: %s", file, strerror(errno));
    list spheres = {0};
    const wabe_status status = read_lines(in, file, &spheres);
    fclose(in);
    return hand_over(status, &spheres, out);
}
