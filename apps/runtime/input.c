#include "apps/runtime/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The value of an option. */
static wabe_status take_value(int argc, char *argv[], int *i, const char *what, const char **out) {
    WABE_CHECK(*i + 1 < argc, WABE_INPUT, "%s needs %s", argv[*i], what);
    *out = argv[++*i];
    return WABE_OK;
}

wabe_status wabe_input_arguments(int argc, char *argv[], wabe_input *out) {
    const bool predicts = strcmp(argv[0], "predict") == 0;
    const bool runs = strcmp(argv[0], "run") == 0;
    const bool models = predicts || runs || strcmp(argv[0], "check") == 0;
    *out = (wabe_input){0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quiet") == 0) {
            out->quiet = true;
        } else if (strcmp(argv[i], "--reference") == 0) {
            out->reference = true;
        } else if (strcmp(argv[i], "--set") == 0) {
            WABE_CHECK(i + 1 < argc && strchr(argv[i + 1], '='), WABE_INPUT,
                       "--set needs path=value, such as --set lbm.collision=srt");
            WABE_CHECK(out->override_count < WABE_OVERRIDES_MAX, WABE_INPUT, "at most %d --set",
                       WABE_OVERRIDES_MAX);
            out->overrides[out->override_count++] = argv[++i];
        } else if (models && strcmp(argv[i], "--machine") == 0) {
            WABE_TRY(take_value(argc, argv, &i, "a machine file", &out->machine));
        } else if (runs && strcmp(argv[i], "--restart") == 0) {
            WABE_TRY(take_value(argc, argv, &i, "latest, or a checkpoint", &out->restart));
        } else if (runs && strcmp(argv[i], "--change-physics") == 0) {
            out->change_physics = true;
        } else if (predicts && strcmp(argv[i], "--nodes") == 0) {
            WABE_TRY(take_value(argc, argv, &i, "a list such as 1,2,4", &out->nodes));
        } else if (predicts && strcmp(argv[i], "--csv") == 0) {
            WABE_TRY(take_value(argc, argv, &i, "a file", &out->csv));
        } else if (predicts && strcmp(argv[i], "--weak") == 0) {
            out->weak = true;
        } else {
            WABE_CHECK(argv[i][0] != '-', WABE_INPUT,
                       "unknown option '%s'; known: --set path=value, --quiet%s%s%s", argv[i],
                       models ? ", --machine FILE" : "", runs ? ", --restart latest|FILE" : "",
                       predicts ? ", --nodes LIST, --weak, --csv FILE" : "");
            WABE_CHECK(!out->file, WABE_INPUT, "one input file, not both '%s' and '%s'", out->file,
                       argv[i]);
            out->file = argv[i];
        }
    }
    WABE_CHECK(out->file || out->reference, WABE_INPUT,
               "usage: wabe %s FILE [--set path=value]... [--quiet]%s%s%s", argv[0],
               models ? " [--machine FILE]" : "", runs ? " [--restart latest|FILE]" : "",
               predicts ? " [--nodes LIST] [--weak] [--csv FILE]" : "");
    return WABE_OK;
}

enum { INPUT_SIZE_MAX = 64 << 20 }; /* no input is larger, but /dev/zero never ends */

/* The whole file, ended by a NUL; to be freed. */
static wabe_status read_text(const char *name, char **text, int64_t *size) {
    FILE *file = fopen(name, "rb");
    WABE_CHECK(file, WABE_INPUT, "%s: cannot be read: %s", name, strerror(errno));
    char *buffer = NULL;
    int64_t used = 0, room = 0;
    while (used <= INPUT_SIZE_MAX) {
        if (used + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *grown = realloc(buffer, (size_t)room);
            if (!grown)
                free(buffer);
            buffer = grown;
            if (!buffer)
                break;
        }
        const size_t got = fread(buffer + used, 1, (size_t)(room - used - 1), file);
        used += (int64_t)got;
        if (got == 0)
            break;
    }
    const bool failed = ferror(file) || !buffer || used > INPUT_SIZE_MAX;
    const char *why = used > INPUT_SIZE_MAX ? "more than 64 MiB"
                      : buffer              ? strerror(errno)
                                            : "no memory";
    fclose(file);
    if (failed) {
        free(buffer);
        return WABE_FAIL(WABE_INPUT, "%s: cannot be read as an input file: %s", name, why);
    }
    buffer[used] = '\0';
    *text = buffer;
    *size = used + 1;
    return WABE_OK;
}

wabe_status wabe_input_load(MPI_Comm comm, const wabe_input *input, wabe_config **out) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    char *text = NULL;
    int64_t size = 0;
    WABE_TRY(wabe_agree(comm, rank == 0 ? read_text(input->file, &text, &size) : WABE_OK));
    MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
    wabe_status status = WABE_OK;
    if (rank != 0 && !(text = malloc((size_t)size)))
        status = WABE_FAIL(WABE_MEMORY, "no memory for the input file");
    status = wabe_agree(comm, status);
    if (status == WABE_OK) {
        MPI_Bcast(text, (int)size, MPI_CHAR, 0, comm);
        status = wabe_agree(comm,
                            strlen(text) + 1 == (size_t)size
                                ? wabe_config_parse(input->file, text, input->override_count,
                                                    input->overrides, out)
                                : WABE_FAIL(WABE_INPUT, "%s: not a text file (it holds a NUL)",
                                            input->file));
    }
    free(text);
    return status;
}
