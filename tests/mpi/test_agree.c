/* wabe_agree: whoever fails, all ranks return the same code and hold the same message. */
#include "core/base/status.h"
#include "tests/mpi/check.h"

#include <stdio.h>
#include <string.h>

/* A code that is an error, by the rank that fails. */
static wabe_status code_of(int failing) {
    static const wabe_status codes[] = {WABE_INPUT, WABE_MEMORY, WABE_FILE, WABE_DIVERGED};
    return codes[failing % 4];
}

static wabe_status local_part(bool fails) {
    WABE_CHECK(!fails, code_of(check_rank), "rank %d met with failure %d", check_rank,
               17 * check_rank);
    return WABE_OK;
}

/* Ranks first, first + every, ... fail. */
static void check_failure(int first, int every) {
    WABE_FAIL(WABE_INPUT, "stale message of rank %d", check_rank);
    const bool fails = check_rank >= first && (check_rank - first) % every == 0;
    const wabe_status status = wabe_agree(MPI_COMM_WORLD, local_part(fails));
    char expected[64];
    snprintf(expected, sizeof expected, "rank %d met with failure %d", first, 17 * first);
    CHECK(status == code_of(first), "code %d instead of %d", (int)status, (int)code_of(first));
    CHECK(strcmp(wabe_error_message(), expected) == 0, "\"%s\" instead of \"%s\"",
          wabe_error_message(), expected);
}

/* An internal error keeps its place in the source on its way to the others. */
static void check_internal(void) {
    wabe_status status = WABE_OK;
    if (check_rank == check_size - 1)
        status = WABE_FAIL(WABE_INTERNAL, "lost");
    status = wabe_agree(MPI_COMM_WORLD, status);
    CHECK(status == WABE_INTERNAL, "code %d", (int)status);
    CHECK(strncmp(wabe_error_message(), "lost (", 6) == 0 &&
              strstr(wabe_error_message(), "test_agree.c:"),
          "\"%s\"", wabe_error_message());
}

/* Ranks of another communicator are not heard. */
static void check_halves(void) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, check_rank % 2, check_rank, &half);
    const wabe_status status = wabe_agree(half, local_part(check_rank == 1));
    CHECK(status == (check_rank % 2 == 1 ? code_of(1) : WABE_OK), "code %d", (int)status);
    MPI_Comm_free(&half);
}

int main(int argc, char *argv[]) {
    check_begin(&argc, &argv);
    CHECK(wabe_agree(MPI_COMM_WORLD, WABE_OK) == WABE_OK, "without a failure");
    for (int first = 0; first < check_size; first++)
        for (int every = 1; every <= check_size; every++)
            check_failure(first, every);
    CHECK(wabe_agree(MPI_COMM_WORLD, WABE_OK) == WABE_OK, "after failures");
    check_internal();
    check_halves();
    return check_end(0);
}
