/* Devices: what the host sees of their work and when, on emulated ones, which are as late and as
 * strict as the interface allows. */
#include "core/device/device.h"

#include "core/registry/kernel.h"
#include "core/registry/transfer.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    COUNT = 1000, /* numbers in each array */
    LINE = 8,     /* numbers in an item of the sweep copy */
    BYTES = COUNT * sizeof(double),
    DEVICES = 2,
    MEMORY_MIB = 8 /* of each device */
};

/* What most tests need: two devices with two streams and an array each, and arrays of the host. */
typedef struct {
    wabe_device *device[DEVICES];
    wabe_stream *stream[DEVICES], *second[DEVICES];
    void *memory[DEVICES];
    double *from, *to;
} bench;

static int set_up(void **state) {
    bench *b = calloc(1, sizeof *b);
    for (int d = 0; d < DEVICES; d++)
        if (wabe_device_open(d, &b->device[d]) != WABE_OK ||
            wabe_device_allocate(b->device[d], BYTES, &b->memory[d]) != WABE_OK ||
            wabe_stream_create(b->device[d], false, &b->stream[d]) != WABE_OK ||
            wabe_stream_create(b->device[d], true, &b->second[d]) != WABE_OK)
            return -1;
    void *from, *to;
    if (wabe_device_allocate_host(BYTES, &from) != WABE_OK ||
        wabe_device_allocate_host(BYTES, &to) != WABE_OK)
        return -1;
    b->from = from;
    b->to = to;
    *state = b;
    return 0;
}

static int tear_down(void **state) {
    bench *b = *state;
    for (int d = 0; d < DEVICES; d++) {
        wabe_stream_destroy(&b->stream[d]);
        wabe_stream_destroy(&b->second[d]);
        wabe_device_free(b->device[d], b->memory[d]);
    }
    wabe_device_free_host(b->from);
    wabe_device_free_host(b->to);
    free(b);
    return 0;
}

static void set(double *values, double first) {
    for (int i = 0; i < COUNT; i++)
        values[i] = first + i;
}

static bool are(const double *values, double first) {
    for (int i = 0; i < COUNT; i++)
        if (values[i] != first + i)
            return false;
    return true;
}

static bool are_nan(const double *values) {
    for (int i = 0; i < COUNT; i++)
        if (!isnan(values[i]))
            return false;
    return true;
}

/* Puts first, first + 1, ... into the array of device d, at once. */
static void set_on_device(bench *b, int d, double first) {
    set(b->from, first);
    wabe_stream_copy(b->stream[d], b->memory[d], b->from, BYTES);
    wabe_stream_synchronise(b->stream[d]);
}

/* ---- children: for what ends a program, and for other processes ------------------------- */

typedef struct {
    int status;     /* as waitpid tells it */
    char said[512]; /* on stderr */
} outcome;

/* Calls work in a process of its own, which exits with what it returns. */
static outcome in_child(int (*work)(bench *), bench *b) {
    outcome result = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGSEGV, SIG_DFL); /* cmocka and sanitizers have handlers of their own */
        _exit(work(b));
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got = 1; got > 0 && length < sizeof result.said - 1; length += (size_t)got) {
        got = read(ends[0], result.said + length, sizeof result.said - 1 - length);
        if (got < 0)
            break;
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &result.status, 0), child);
    return result;
}

static void assert_ends_program(int (*work)(bench *), bench *b, const char *message) {
    const outcome result = in_child(work, b);
    assert_true(WIFEXITED(result.status));
    assert_int_equal(WEXITSTATUS(result.status), WABE_INTERNAL);
    assert_non_null(strstr(result.said, message));
}

static void assert_dies_of_segmentation(int (*work)(bench *), bench *b) {
    const outcome result = in_child(work, b);
    assert_true(WIFSIGNALED(result.status));
    assert_int_equal(WTERMSIG(result.status), SIGSEGV);
}

/* ---- devices ------------------------------------------------------------------------ */

static void devices_are_opened_once(void **state) {
    const bench *b = *state;
    assert_int_equal(wabe_devices_count(NULL), DEVICES);
    wabe_device *again;
    assert_int_equal(wabe_device_open(1, &again), WABE_OK);
    assert_ptr_equal(again, b->device[1]);
    assert_true(wabe_device_is_emulated(again));
    assert_string_not_equal(wabe_device_describe(b->device[0])->id,
                            wabe_device_describe(b->device[1])->id);
}

static void there_is_no_device_beyond_the_count(void **state) {
    (void)state;
    wabe_device *device;
    assert_int_equal(wabe_device_open(DEVICES, &device), WABE_INPUT);
    assert_int_equal(wabe_device_open(-1, &device), WABE_INPUT);
}

static void no_real_device_has_a_reason(void **state) {
    (void)state;
    wabe_devices_emulate(0);
    const char *why;
    const int count = wabe_devices_count(&why);
    wabe_device *device;
    const wabe_status status = count == 0 ? wabe_device_open(0, &device) : WABE_INPUT;
    wabe_devices_emulate(DEVICES);
    assert_true(count > 0 || why[0]);
    assert_int_equal(status, WABE_INPUT);
}

/* ---- memory ------------------------------------------------------------------------- */

static void memory_is_limited_and_comes_back(void **state) {
    bench *b = *state;
    const int64_t available = wabe_device_available_memory(b->device[0]);
    assert_true(available > 0);
    assert_true(available < wabe_device_describe(b->device[0])->memory);
    void *all, *more;
    assert_int_equal(wabe_device_allocate(b->device[0], available + 1, &more), WABE_MEMORY);
    assert_non_null(strstr(wabe_error_message(), wabe_device_describe(b->device[0])->id));
    assert_int_equal(wabe_device_allocate(b->device[0], available, &all), WABE_OK);
    assert_int_equal(wabe_device_available_memory(b->device[0]), 0);
    assert_int_equal(wabe_device_allocate(b->device[0], 1, &more), WABE_MEMORY);
    assert_int_equal(wabe_device_allocate(b->device[1], 1, &more), WABE_OK);
    wabe_device_free(b->device[1], more);
    wabe_device_free(b->device[0], all);
    assert_int_equal(wabe_device_available_memory(b->device[0]), available);
}

static void new_memory_is_aligned_and_nan(void **state) {
    bench *b = *state;
    assert_int_equal((uintptr_t)b->memory[0] % 256, 0);
    assert_true(are_nan(b->to));
    set(b->to, 1);
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES);
    wabe_stream_synchronise(b->stream[0]);
    assert_true(are_nan(b->to));
}

static int read_device_memory(bench *b) { return *(volatile char *)b->memory[0]; }

static int write_device_memory_after_work(bench *b) {
    set_on_device(b, 0, 1);
    *(volatile char *)b->memory[0] = 1;
    return 0;
}

static void the_host_cannot_touch_device_memory(void **state) {
    assert_dies_of_segmentation(read_device_memory, *state);
    assert_dies_of_segmentation(write_device_memory_after_work, *state);
}

static int copy_from_ordinary_memory(bench *b) {
    static double ordinary[COUNT];
    wabe_stream_copy(b->stream[0], b->memory[0], ordinary, BYTES);
    wabe_stream_synchronise(b->stream[0]);
    return 0;
}

static int copy_too_much(bench *b) {
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES + 1);
    wabe_stream_synchronise(b->stream[0]);
    return 0;
}

static int copy_from_a_device_not_reached(bench *b) {
    wabe_stream_copy(b->stream[0], b->memory[0], b->memory[1], BYTES);
    wabe_stream_synchronise(b->stream[0]);
    return 0;
}

static int free_twice(bench *b) {
    wabe_device_free(b->device[0], b->memory[0]);
    wabe_device_free(b->device[0], b->memory[0]);
    return 0;
}

static void memory_that_streams_may_not_touch_ends_the_program(void **state) {
    assert_ends_program(copy_from_ordinary_memory, *state, "not pinned");
    assert_ends_program(copy_too_much, *state, "beyond the end");
    assert_ends_program(copy_from_a_device_not_reached, *state, "not reached");
    assert_ends_program(free_twice, *state, "no such memory");
}

/* ---- streams ------------------------------------------------------------------------ */

static void what_is_copied_there_and_back_is_the_same(void **state) {
    bench *b = *state;
    set(b->from, 1);
    wabe_stream_copy(b->stream[0], b->memory[0], b->from, BYTES);
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES);
    wabe_stream_synchronise(b->stream[0]);
    assert_true(are(b->to, 1));
}

static void work_is_done_when_it_must_be_and_not_before(void **state) {
    bench *b = *state;
    set_on_device(b, 0, 1);
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES);
    assert_true(are_nan(b->to));
    wabe_stream_synchronise(b->second[0]);
    assert_true(are_nan(b->to));
    wabe_stream_synchronise(b->stream[0]);
    assert_true(are(b->to, 1));
}

static void a_buffer_overwritten_too_early_is_sent_overwritten(void **state) {
    bench *b = *state;
    set(b->from, 1);
    wabe_stream_copy(b->stream[0], b->memory[0], b->from, BYTES);
    set(b->from, 2);
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES);
    wabe_stream_synchronise(b->stream[0]);
    assert_true(are(b->to, 2));
}

static void fill_sets_bytes_of_its_range(void **state) {
    bench *b = *state;
    set_on_device(b, 0, 1);
    wabe_stream_fill(b->stream[0], (double *)b->memory[0] + 1, 0, 2 * sizeof(double));
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES);
    wabe_stream_synchronise(b->stream[0]);
    assert_true(b->to[0] == 1 && b->to[1] == 0 && b->to[2] == 0 && b->to[3] == 4);
}

static void copy_lines(const wabe_copy_args *args, int64_t begin, int64_t end) {
    const double *from = args->from;
    double *to = args->to;
    for (int64_t i = begin * LINE; i < end * LINE; i++)
        to[i] = from[i];
}

static const wabe_kernel copy_kernel = {.name = "copy.test",
                                        .sweep = &wabe_sweep_copy,
                                        .target = WABE_TARGET_gpu,
                                        .run = WABE_RUN(copy, copy_lines)};

static void kernels_get_their_items_and_a_copy_of_the_arguments(void **state) {
    bench *b = *state;
    void *other;
    assert_int_equal(wabe_device_allocate(b->device[0], BYTES, &other), WABE_OK);
    set_on_device(b, 0, 1);
    wabe_copy_args args = {b->memory[0], other};
    wabe_stream_launch(b->stream[0], &copy_kernel, &args, 1, 3);
    memset(&args, 0, sizeof args);
    wabe_stream_launch(b->stream[0], &copy_kernel, &args, 3, 3); /* no items */
    wabe_stream_copy(b->stream[0], b->to, other, BYTES);
    wabe_stream_synchronise(b->stream[0]);
    assert_true(isnan(b->to[LINE - 1]) && isnan(b->to[3 * LINE]));
    for (int i = LINE; i < 3 * LINE; i++)
        assert_true(b->to[i] == 1 + i);
    wabe_device_free(b->device[0], other);
}

static void a_destroyed_stream_has_finished(void **state) {
    bench *b = *state;
    wabe_stream *stream;
    wabe_event *event;
    assert_int_equal(wabe_stream_create(b->device[0], false, &stream), WABE_OK);
    assert_int_equal(wabe_event_create(b->device[0], &event), WABE_OK);
    set_on_device(b, 0, 1);
    wabe_stream_copy(stream, b->to, b->memory[0], BYTES);
    wabe_event_record(event, stream);
    wabe_stream_wait(b->stream[0], event);
    wabe_stream_destroy(&stream);
    assert_null(stream);
    assert_true(are(b->to, 1));
    assert_true(wabe_event_is_done(event));
    wabe_stream_synchronise(b->stream[0]);
    wabe_event_destroy(&event);
}

static void freeing_memory_waits_for_the_device(void **state) {
    bench *b = *state;
    void *memory;
    assert_int_equal(wabe_device_allocate(b->device[0], BYTES, &memory), WABE_OK);
    set(b->from, 1);
    wabe_stream_copy(b->stream[0], memory, b->from, BYTES);
    wabe_stream_copy(b->stream[0], b->to, memory, BYTES);
    wabe_device_free(b->device[0], memory);
    assert_true(are(b->to, 1));
}

/* ---- events ------------------------------------------------------------------------- */

/* The first stream gives 2 to the device's array, where 1 was; the second reads it. */
static void read_by_second_stream(bench *b, bool wait) {
    wabe_event *event;
    assert_int_equal(wabe_event_create(b->device[0], &event), WABE_OK);
    set_on_device(b, 0, 1);
    set(b->from, 2);
    wabe_stream_copy(b->stream[0], b->memory[0], b->from, BYTES);
    wabe_event_record(event, b->stream[0]);
    if (wait)
        wabe_stream_wait(b->second[0], event);
    wabe_event_destroy(&event); /* those who wait for the point still do */
    wabe_stream_copy(b->second[0], b->to, b->memory[0], BYTES);
    wabe_stream_synchronise(b->second[0]);
}

static void a_stream_that_does_not_wait_sees_old_data(void **state) {
    bench *b = *state;
    read_by_second_stream(b, false);
    assert_true(are(b->to, 1));
}

static void a_stream_that_waits_sees_new_data(void **state) {
    bench *b = *state;
    read_by_second_stream(b, true);
    assert_true(are(b->to, 2));
}

static void events_stand_for_what_was_given_before_them(void **state) {
    bench *b = *state;
    wabe_event *event;
    assert_int_equal(wabe_event_create(b->device[0], &event), WABE_OK);
    assert_true(wabe_event_is_done(event));
    wabe_event_synchronise(event);
    wabe_stream_wait(b->stream[0], event);

    set_on_device(b, 0, 1);
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], sizeof(double));
    wabe_event_record(event, b->stream[0]);
    wabe_stream_copy(b->stream[0], b->to + 1, (double *)b->memory[0] + 1, sizeof(double));
    wabe_event_synchronise(event);
    assert_true(b->to[0] == 1 && isnan(b->to[1]));

    wabe_event_record(event, b->stream[0]);
    assert_true(isnan(b->to[1]));
    while (!wabe_event_is_done(event))
        ;
    assert_true(b->to[1] == 2);
    wabe_event_destroy(&event);
    assert_null(event);
}

/* A wait is for the point recorded when it was given, also when the event moves on. */
static void waits_keep_the_point_of_a_moved_event(void **state) {
    bench *b = *state;
    wabe_event *event;
    assert_int_equal(wabe_event_create(b->device[0], &event), WABE_OK);
    wabe_stream_fill(b->stream[0], b->memory[0], 0, sizeof(double));
    wabe_event_record(event, b->stream[0]);
    wabe_stream_wait(b->second[0], event);
    wabe_stream_fill(b->stream[0], b->memory[0], 1, sizeof(double));
    wabe_event_record(event, b->stream[0]);
    wabe_stream_copy(b->second[0], b->to, b->memory[0], sizeof(double));
    wabe_stream_synchronise(b->second[0]);
    assert_true(b->to[0] == 0);
    wabe_stream_wait(b->second[0], event);
    wabe_stream_copy(b->second[0], b->to, b->memory[0], sizeof(double));
    wabe_stream_synchronise(b->second[0]);
    assert_true(b->to[0] != 0);
    wabe_event_destroy(&event);
}

/* Two streams take turns for many steps, each waiting for the other, before anyone forces them. */
static void streams_may_wait_for_each_other_in_turn(void **state) {
    enum { STEPS = 10000 };
    bench *b = *state;
    wabe_event *ping, *pong;
    assert_int_equal(wabe_event_create(b->device[0], &ping), WABE_OK);
    assert_int_equal(wabe_event_create(b->device[1], &pong), WABE_OK);
    assert_true(wabe_device_reach(b->device[0], b->device[1]));
    assert_true(wabe_device_reach(b->device[1], b->device[0]));
    double *first = b->memory[0], *second = b->memory[1];
    set_on_device(b, 0, 1);
    for (int step = 0; step < STEPS; step++) { /* element by element, from device to device */
        const int i = step % (COUNT - 1);
        wabe_stream_wait(b->stream[1], ping);
        wabe_stream_copy(b->stream[1], second + i, first + i, sizeof(double));
        wabe_event_record(pong, b->stream[1]);
        wabe_stream_wait(b->stream[0], pong);
        wabe_stream_copy(b->stream[0], first + i + 1, second + i, sizeof(double));
        wabe_event_record(ping, b->stream[0]);
    }
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES);
    wabe_stream_synchronise(b->stream[0]);
    for (int i = 0; i < COUNT; i++)
        assert_true(b->to[i] == 1);
    wabe_event_destroy(&ping);
    wabe_event_destroy(&pong);
}

/* ---- from device to device ---------------------------------------------------------- */

static void a_device_that_is_reached_can_be_copied_from(void **state) {
    bench *b = *state;
    set_on_device(b, 1, 3);
    assert_true(wabe_device_reach(b->device[0], b->device[0]));
    assert_true(wabe_device_reach(b->device[0], b->device[1]));
    wabe_stream_copy(b->stream[0], b->memory[0], b->memory[1], BYTES);
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES);
    wabe_stream_synchronise(b->stream[0]);
    assert_true(are(b->to, 3));
}

static wabe_device_handle handle; /* of the parent's memory on device 0 */

/* Copies what the parent has written, and writes something else there. 0: all went well. */
static int use_memory_of_parent(bench *b) {
    void *theirs;
    if (!wabe_device_import(b->device[1], &handle, &theirs))
        return 2;
    wabe_stream_copy(b->stream[1], b->to, theirs, BYTES);
    set(b->from, 5);
    wabe_stream_copy(b->stream[1], theirs, b->from, BYTES);
    wabe_stream_synchronise(b->stream[1]);
    wabe_device_release(b->device[1], theirs);
    return are(b->to, 4) ? 0 : 3;
}

static int touch_memory_of_parent(bench *b) {
    void *theirs;
    if (!wabe_device_import(b->device[1], &handle, &theirs))
        return 2;
    return *(volatile char *)theirs;
}

static void exported_memory_is_shared_with_another_process(void **state) {
    bench *b = *state;
    set_on_device(b, 0, 4);
    assert_true(wabe_device_export(b->device[0], b->memory[0], &handle));
    const outcome result = in_child(use_memory_of_parent, b);
    assert_true(WIFEXITED(result.status));
    assert_int_equal(WEXITSTATUS(result.status), 0);
    wabe_stream_copy(b->stream[0], b->to, b->memory[0], BYTES);
    wabe_stream_synchronise(b->stream[0]);
    assert_true(are(b->to, 5));
    assert_dies_of_segmentation(touch_memory_of_parent, b);
}

static int import_what_is_gone(bench *b) {
    void *theirs;
    return wabe_device_import(b->device[0], &handle, &theirs);
}

static void what_cannot_be_imported_is_refused(void **state) {
    bench *b = *state;
    void *theirs, *memory;
    const wabe_device_handle nonsense = {{1, 2, 3}};
    assert_false(wabe_device_import(b->device[0], &nonsense, &theirs));
    assert_int_equal(wabe_device_allocate(b->device[0], BYTES, &memory), WABE_OK);
    assert_true(wabe_device_export(b->device[0], memory, &handle));
    assert_false(wabe_device_import(b->device[0], &handle, &theirs)); /* by its owner */
    wabe_device_free(b->device[0], memory);
    const outcome gone = in_child(import_what_is_gone, b);
    assert_true(WIFEXITED(gone.status));
    assert_int_equal(WEXITSTATUS(gone.status), 0);
    /* New memory in the place of the old is not what the handle names. */
    assert_int_equal(wabe_device_allocate(b->device[0], BYTES, &memory), WABE_OK);
    const outcome replaced = in_child(import_what_is_gone, b);
    assert_true(WIFEXITED(replaced.status));
    assert_int_equal(WEXITSTATUS(replaced.status), 0);
    wabe_device_free(b->device[0], memory);
}

/* ------------------------------------------------------------------------------------- */

static int emulate(void **state) {
    (void)state;
    char text[16];
    snprintf(text, sizeof text, "%d", MEMORY_MIB);
    setenv("WABE_EMULATED_MEMORY", text, 1);
    wabe_devices_emulate(DEVICES);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        /* before devices reach each other, which they do for ever */
        TEST(memory_that_streams_may_not_touch_ends_the_program),
        TEST(devices_are_opened_once),
        cmocka_unit_test(there_is_no_device_beyond_the_count),
        cmocka_unit_test(no_real_device_has_a_reason),
        TEST(memory_is_limited_and_comes_back),
        TEST(new_memory_is_aligned_and_nan),
        TEST(the_host_cannot_touch_device_memory),
        TEST(what_is_copied_there_and_back_is_the_same),
        TEST(work_is_done_when_it_must_be_and_not_before),
        TEST(a_buffer_overwritten_too_early_is_sent_overwritten),
        TEST(fill_sets_bytes_of_its_range),
        TEST(kernels_get_their_items_and_a_copy_of_the_arguments),
        TEST(a_destroyed_stream_has_finished),
        TEST(freeing_memory_waits_for_the_device),
        TEST(a_stream_that_does_not_wait_sees_old_data),
        TEST(a_stream_that_waits_sees_new_data),
        TEST(events_stand_for_what_was_given_before_them),
        TEST(waits_keep_the_point_of_a_moved_event),
        TEST(streams_may_wait_for_each_other_in_turn),
        TEST(a_device_that_is_reached_can_be_copied_from),
        TEST(exported_memory_is_shared_with_another_process),
        TEST(what_cannot_be_imported_is_refused),
    };
    return cmocka_run_group_tests(tests, emulate, NULL);
}
