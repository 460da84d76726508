/* Status codes, the error record, and the habits of passing errors on.
 *
 * A function that can fail returns wabe_status. The message of the last failure is kept per
 * thread (who has a thread do something that can fail hands it on, core/io/writer.c): what, where,
 * and what would be right. A collective function does its local part, hands its status to
 * wabe_agree, and every rank returns the same code. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* X(name, exit code, what the code stands for) */
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

enum { WABE_MESSAGE_SIZE = 2048 }; /* bytes of a message, at most */

/* Records the failure and returns status. The source position is added to the message of internal
 * errors alone: users are told about their input, not about our files. What is formatted may be
 * the last message, or come from outside: what a terminal cannot show is written as "\xNN". Local.
 */
wabe_status wabe_error(wabe_status status, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The message of the last failure on this thread, "" if there was none. Local. */
const char *wabe_error_message(void);

/* All ranks return the code of the lowest rank that failed, and hold its message. Collective. */
wabe_status wabe_agree(MPI_Comm comm, wabe_status status);
/* The same of what all of them have asked for: WABE_MEMORY, "no memory for WHAT", unless all have
 * enough. Collective. */
wabe_status wabe_agree_memory(MPI_Comm comm, bool enough, const char *what);

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
