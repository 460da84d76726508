/* Status codes, error messages, and how errors are passed on.
 *
 * A function that can fail returns wabe_status. Each thread keeps the message of its last failure:
 * what failed, where, and what would be right. If another thread does the work, its message must be
 * passed on (core/io/writer.c). A collective function does its local part and passes its status to
 * wabe_agree, so that every rank returns the same code. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* X(name, exit code, meaning) */
#define WABE_STATUS_LIST(X)                                                                        \
    X(OK, 0, "done")                                                                               \
    X(INTERNAL, 1, "internal error")                                                               \
    X(INPUT, 2, "bad input")                                                                       \
    X(DIVERGED, 3, "diverged")                                                                     \
    X(MEMORY, 4, "out of memory")                                                                  \
    X(NOT_CONVERGED, 5, "not converged")                                                           \
    X(FILE, 6, "file system")

typedef enum {
#define X(name, code, text) WABE_##name = (code),
    WABE_STATUS_LIST(X)
#undef X
} wabe_status;

enum { WABE_MESSAGE_SIZE = 2048 }; /* largest size of a message, in bytes */

/* Records the failure and returns status. Only messages of internal errors name the source
 * position: users are told about their input, not about our files. Arguments may include the last
 * message or text from outside; characters that a terminal cannot show are written as "\xNN".
 * Local. */
wabe_status wabe_error(wabe_status status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Returns the message of the last failure on this thread, "" if there was none. Local. */
const char *wabe_error_message(void);

/* Returns, on all ranks, the code of the lowest rank that failed, with its message. Collective. */
wabe_status wabe_agree(MPI_Comm comm, wabe_status status);
/* Returns the least of the numbers that all ranks give. Collective. */
int wabe_least(MPI_Comm comm, int number);
/* Returns, on all ranks, WABE_MEMORY, "no memory for PURPOSE", unless all ranks have enough.
 * Collective. */
wabe_status wabe_agree_memory(MPI_Comm comm, bool enough, const char *purpose);

#define WABE_FAIL(status, ...) wabe_error((status), __FILE__, __LINE__, __VA_ARGS__)

#define WABE_TRY(call)                                                                             \
    do {                                                                                           \
        wabe_status wabe_try_status = (call);                                                      \
        if (wabe_try_status != WABE_OK)                                                            \
            return wabe_try_status;                                                                \
    } while (0)

#define WABE_CHECK(condition, status, ...)                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return WABE_FAIL((status), __VA_ARGS__);                                               \
    } while (0)
