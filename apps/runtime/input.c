#include "apps/runtime/input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define ROW(kind, member) WABE_ARGUMENT(kind, wabe_input, member)

const wabe_argument wabe_input_arguments[] = {
    {"FILE", NULL, "the input file", ROW(TEXT, file)},
    {"--set", "path=value", "a value in place of the file's; may be given many times",
     ROW(TEXTS, overrides)},
    {"--restart", "latest|FILE", "go on from a checkpoint", ROW(TEXT, restart), .of = "run"},
    {"--change-physics", NULL, "go on although keys of the physics differ from the checkpoint's",
     ROW(SWITCH, change_physics), .of = "run"},
    {"--overwrite", NULL,
     "replace an earlier run in the output directory, which else is kept beside it",
     ROW(SWITCH, overwrite), .of = "run"},
    {"--machine", "FILE", "a machine file for forecasts, in place of machine.cfg",
     ROW(TEXT, machine), .of = "run|check|predict"},
    {"--nodes", "LIST", "numbers of nodes, growing, such as 1,2,4", ROW(TEXT, nodes),
     .of = "predict"},
    {"--weak", NULL, "every node gets the cells of the case", ROW(SWITCH, weak), .of = "predict"},
    {"--csv", "FILE", "a file that gets the tables too", ROW(TEXT, csv), .of = "predict"},
    {"--reference", NULL, "print all keys of input and machine files, and check none",
     ROW(SWITCH, reference), .of = "check"},
    {"--verbose", NULL, "print how it is computed too: kernels, slabs, messages, phases of a step",
     ROW(SWITCH, verbose), .of = "run|check"},
    {"--quiet", NULL, "print warnings and errors alone, to standard error", ROW(SWITCH, quiet)},
    {0},
};

wabe_status wabe_input_read_arguments(int argc, char *argv[], wabe_input *out) {
    *out = (wabe_input){.argc = argc, .argv = argv};
    WABE_TRY(wabe_arguments_read(wabe_input_arguments, argc, argv, out));
    WABE_CHECK(out->file || out->reference, WABE_INPUT,
               "the input file is missing: wabe %s FILE; wabe %s --help lists options", argv[0],
               argv[0]);
    WABE_CHECK(!out->overwrite || !out->restart || strcmp(out->restart, "latest") != 0, WABE_INPUT,
               "--overwrite replaces the earlier run, --restart latest goes on with it: give one "
               "of them");
    return WABE_OK;
}

enum { INPUT_SIZE_MAX = 64 << 20 }; /* rejects endless files, such as /dev/zero */

/* Reads the whole file, terminated by a NUL; to be freed. */
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

wabe_status wabe_input_load(MPI_Comm comm, wabe_input *input, wabe_config **out) {
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
        input->crc = crc32(0, (const unsigned char *)text, (unsigned)size - 1);
        status = wabe_agree(comm,
                            strlen(text) + 1 == (size_t)size
                                ? wabe_config_parse(input->file, text, input->overrides.count,
                                                    input->overrides.list, out)
                                : WABE_FAIL(WABE_INPUT, "%s: not a text file (it holds a NUL)",
                                            input->file));
    }
    free(text);
    return status;
}
