/* A window on arrays that do not fit a device (sweeps/stream/window.h), on an emulated one, where
 * pieces that have left are NAN and streams run as late as possible. */
#include "sweeps/stream/window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ARRAYS = 2, PIECES = 11, SLOTS = 4 };

typedef struct {
    wabe_device *device;
    wabe_stream *stream;
    wabe_event *done;
    wabe_window *window;
    int64_t numbers; /* of a piece */
    double *host;    /* pinned: room for a piece */
} setting;

static int open_window(void **state, wabe_window_arrays arrays) {
    setting *s = calloc(1, sizeof *s);
    void *host;
    wabe_devices_emulate(1);
    assert_int_equal(wabe_device_open(0, &s->device), WABE_OK);
    const wabe_ring_shape shape = {.piece = wabe_device_ring_unit(s->device),
                                   .pieces = PIECES,
                                   .slots = SLOTS,
                                   .arrays = ARRAYS};
    assert_int_equal(wabe_stream_create(s->device, false, &s->stream), WABE_OK);
    assert_int_equal(wabe_event_create(s->device, &s->done), WABE_OK);
    assert_int_equal(wabe_window_create(s->device, &shape, arrays, &s->window), WABE_OK);
    assert_int_equal(wabe_device_allocate_host(shape.piece, &host), WABE_OK);
    s->host = host;
    s->numbers = shape.piece / (int64_t)sizeof *s->host;
    *state = s;
    return 0;
}

static int open_setting(void **state) { return open_window(state, wabe_window_all_moved(ARRAYS)); }

static int open_fixed(void **state) {
    return open_window(state, (wabe_window_arrays){.moved = 1, .fixed = 2});
}

static int open_turns(void **state) { return open_window(state, (wabe_window_arrays){.moved = 1}); }

static int close_setting(void **state) {
    setting *s = *state;
    wabe_window_destroy(&s->window);
    wabe_device_free_host(s->host);
    wabe_event_destroy(&s->done);
    wabe_stream_destroy(&s->stream);
    free(s);
    return 0;
}

static double number_of(int array, int64_t piece, int64_t i) {
    return 1e6 * array + 1e3 * (double)piece + (double)i;
}

static wabe_window_part part_of(const setting *s, int array, int64_t piece) {
    const int64_t bytes = s->numbers * (int64_t)sizeof *s->host;
    return (wabe_window_part){.array = array, .begin = piece * bytes, .bytes = bytes};
}

static void bring(const setting *s, int64_t begin, int64_t end) {
    const int64_t bytes = s->numbers * (int64_t)sizeof *s->host;
    wabe_window_load(s->window, s->stream, begin * bytes, end * bytes);
}

static void put_piece(const setting *s, int array, int64_t piece) {
    const wabe_window_part part = part_of(s, array, piece);
    for (int64_t i = 0; i < s->numbers; i++)
        s->host[i] = number_of(array, piece, i);
    wabe_window_put(s->window, s->stream, 1, &part, s->host, s->done);
    wabe_event_synchronise(s->done);
}

static void check_piece(const setting *s, int array, int64_t piece, bool zero) {
    const wabe_window_part part = part_of(s, array, piece);
    wabe_window_get(s->window, s->stream, 1, &part, s->host, s->done);
    wabe_event_synchronise(s->done);
    for (int64_t i = 0; i < s->numbers; i++)
        assert_true(s->host[i] == (zero ? 0.0 : number_of(array, piece, i)));
}

static void fill(const setting *s) {
    for (int64_t piece = 0; piece < PIECES; piece++) {
        bring(s, piece, piece + 1);
        for (int array = 0; array < ARRAYS; array++)
            put_piece(s, array, piece);
    }
}

static void check_all(const setting *s, bool up) {
    for (int64_t i = 0; i < PIECES; i++) {
        const int64_t piece = up ? i : PIECES - 1 - i;
        bring(s, piece, piece + 1);
        for (int array = 0; array < ARRAYS; array++)
            check_piece(s, array, piece, false);
    }
}

static void pieces_keep_their_numbers(void **state) {
    const setting *s = *state;
    fill(s);
    for (int trip = 0; trip < 4; trip++)
        check_all(s, trip % 2);
}

static void all_is_zero_at_first(void **state) {
    const setting *s = *state;
    fill(s);
    wabe_stream_synchronise(s->stream);
    wabe_window_clear(s->window);
    for (int64_t piece = 0; piece < PIECES; piece++) {
        bring(s, piece, piece + 1);
        check_piece(s, 1, piece, true);
    }
    assert_true(wabe_window_moved(s->window).loaded == 0); /* nothing had a home */
}

/* Once through and back: what is there at the turn is not moved. */
static void only_what_does_not_fit_is_moved(void **state) {
    const setting *s = *state;
    const int64_t piece = s->numbers * (int64_t)sizeof *s->host * ARRAYS;
    fill(s);
    for (int trip = 1; trip <= 4; trip++) {
        const wabe_window_traffic before = wabe_window_moved(s->window);
        check_all(s, trip % 2 == 0);
        const wabe_window_traffic after = wabe_window_moved(s->window);
        assert_true(after.loaded - before.loaded == (PIECES - SLOTS) * piece);
        assert_true(after.stored - before.stored == (PIECES - SLOTS) * piece);
        assert_true(wabe_window_is_low(s->window) == (trip % 2 == 1));
    }
}

static void it_knows_what_is_there(void **state) {
    const setting *s = *state;
    const int64_t piece = s->numbers * (int64_t)sizeof *s->host;
    fill(s); /* the last SLOTS pieces are there */
    assert_true(wabe_window_has(s->window, (PIECES - SLOTS) * piece, PIECES * piece));
    assert_false(wabe_window_has(s->window, (PIECES - SLOTS) * piece - 1, PIECES * piece));
    wabe_window_release(s->window, s->stream, (PIECES - 2) * piece,
                        false); /* one goes, one comes */
    assert_true(wabe_window_has(s->window, (PIECES - SLOTS - 2) * piece, (PIECES - 2) * piece));
    assert_false(wabe_window_has(s->window, 0, (PIECES - 1) * piece));
}

/* Array 1 is stored when it has been written, and never again; it outlasts the others. */
static void fixed_arrays_are_only_loaded(void **state) {
    const setting *s = *state;
    const int64_t piece = s->numbers * (int64_t)sizeof *s->host;
    wabe_window_open_fixed(s->window);
    fill(s);
    wabe_window_close_fixed(s->window, s->stream);
    for (int trip = 1; trip <= 4; trip++) {
        const wabe_window_traffic before = wabe_window_moved(s->window);
        check_all(s, trip % 2 == 0);
        const wabe_window_traffic after = wabe_window_moved(s->window);
        assert_true(after.loaded - before.loaded == (PIECES - SLOTS) * 2 * piece);
        assert_true(after.stored - before.stored == (PIECES - SLOTS) * piece);
    }
    wabe_stream_synchronise(s->stream);
    wabe_window_clear(s->window);
    for (int64_t i = 0; i < PIECES; i++) {
        bring(s, i, i + 1);
        check_piece(s, 0, i, true);
        check_piece(s, 1, i, false);
    }
}

/* Numbers that leave in array 0 and come in array 1. */
static void arrays_take_turns(void **state) {
    const setting *s = *state;
    fill(s);
    wabe_window_swap(s->window, 2, 1);
    for (int64_t piece = PIECES - SLOTS - 1; piece >= 0; piece--) {
        bring(s, piece, piece + 1);
        const wabe_window_part part = part_of(s, 1, piece);
        wabe_window_get(s->window, s->stream, 1, &part, s->host, s->done);
        wabe_event_synchronise(s->done);
        for (int64_t i = 0; i < s->numbers; i++)
            assert_true(s->host[i] == number_of(0, piece, i));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_keep_their_numbers, open_setting, close_setting),
        cmocka_unit_test_setup_teardown(all_is_zero_at_first, open_setting, close_setting),
        cmocka_unit_test_setup_teardown(only_what_does_not_fit_is_moved, open_setting,
                                        close_setting),
        cmocka_unit_test_setup_teardown(it_knows_what_is_there, open_setting, close_setting),
        cmocka_unit_test_setup_teardown(fixed_arrays_are_only_loaded, open_fixed, close_setting),
        cmocka_unit_test_setup_teardown(arrays_take_turns, open_turns, close_setting)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
