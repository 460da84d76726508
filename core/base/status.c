#include "core/base/status.h"

#include "core/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[WABE_MESSAGE_SIZE];

wabe_status wabe_error(wabe_status status, const char *file, int line, const char *format, ...) {
    char text[WABE_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wabe_text_escape(text, message, sizeof message);
    if (status == WABE_INTERNAL) {
        snprintf(text, sizeof text, "%.*s (%s:%d)", WABE_MESSAGE_SIZE - 256, message, file, line);
        memcpy(message, text, sizeof message);
    }
    return status;
}

const char *wabe_error_message(void) { return message; }

wabe_status wabe_agree(MPI_Comm comm, wabe_status status) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    int size;
    MPI_Comm_size(comm, &size);
    int first = status == WABE_OK ? size : rank;
    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size)
        return WABE_OK;
    int code = status;
    MPI_Bcast(&code, 1, MPI_INT, first, comm);
    MPI_Bcast(message, WABE_MESSAGE_SIZE, MPI_CHAR, first, comm);
    return (wabe_status)code;
}

int wabe_least(MPI_Comm comm, int number) {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, comm);
    return number;
}

wabe_status wabe_agree_memory(MPI_Comm comm, bool enough, const char *purpose) {
    return wabe_agree(comm, enough ? WABE_OK : WABE_FAIL(WABE_MEMORY, "no memory for %s", purpose));
}
