#include "sweeps/stream/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS_WANTED = 24, /* fewer leave a pass little room, and smaller pieces are taken */
    SPARE_HOMES = 4,   /* so that pieces go while others come */
    TIMED = 512, /* copies of a direction whose times are not yet added: the host waits for the
                    one so many copies ago, so they must be more than a few rounds queue */
    ON_DEVICE = -1,
    ZERO = -2
};

/* A piece's place on the device. */
typedef struct {
    wabe_event *loaded, *stored; /* the last copies to and from it */
    bool awaited;                /* the kernels' stream has to wait for loaded */
} slot;

typedef struct {
    void *memory;
    wabe_event *left; /* the copy that has emptied it */
} home;

/* Copies in one direction. */
typedef struct {
    wabe_stream *stream;
    wabe_event *begin[TIMED], *end[TIMED]; /* of pieces, by number % TIMED */
    int64_t count;
    double seconds; /* of those before the last TIMED */
} way;

/* A piece's numbers of fixed arrays. */
typedef struct {
    void *memory;
    bool known; /* otherwise they are zero */
} fixed_home;

struct wabe_window {
    wabe_device *device;
    wabe_ring_shape shape;
    wabe_window_arrays arrays;
    uint64_t loaded, stored; /* of the moved arrays: see wabe_window_swap */
    bool fixed_are_open;
    char *memory;
    int64_t low, high; /* pieces low to high - 1 are on the device */
    way load, store;
    wabe_event *used; /* the work on a piece that goes */
    slot *slots;
    int *home_of; /* of each piece: the number of its home, ON_DEVICE, or ZERO */
    home *homes;
    int home_count;
    int *free_homes, first_free, free_count; /* a ring, first emptied first */
    fixed_home *fixed;                       /* of each piece; NULL: there are no fixed arrays */
    wabe_window_traffic moved;
};

/* ---- set-up ------------------------------------------------------------------------- */

int64_t wabe_window_piece(int64_t unit, int arrays, int64_t memory) {
    int64_t units = WABE_WINDOW_PIECE_MOST > unit ? WABE_WINDOW_PIECE_MOST / unit : 1;
    while (units > 1 && memory / (units * unit * arrays) < SLOTS_WANTED)
        units /= 2;
    return units * unit;
}

wabe_ring_shape wabe_window_shape(int64_t piece, int64_t bytes, int arrays, int64_t memory) {
    const int64_t pieces = (bytes + piece - 1) / piece, slots = memory / (piece * arrays);
    return (wabe_ring_shape){.piece = piece,
                             .pieces = pieces,
                             .slots = slots < pieces ? slots : pieces,
                             .arrays = arrays};
}

static int64_t count_homes(const wabe_ring_shape *s) {
    return s->pieces > s->slots ? s->pieces - s->slots + SPARE_HOMES : 0;
}

/* Bytes of a piece of these arrays. */
static int64_t piece_bytes(const wabe_ring_shape *s, uint64_t arrays) {
    return s->piece * __builtin_popcountll(arrays);
}

static bool has(uint64_t arrays, int array) { return arrays >> array & 1; }

int64_t wabe_window_host_bytes(const wabe_ring_shape *s, wabe_window_arrays a) {
    return count_homes(s) * piece_bytes(s, a.moved) + s->pieces * piece_bytes(s, a.fixed);
}

wabe_window_traffic wabe_window_traffic_of(const wabe_ring_shape *s, wabe_window_arrays a) {
    const int64_t moves = s->pieces - s->slots;
    return (wabe_window_traffic){.loaded = moves * piece_bytes(s, a.moved | a.fixed),
                                 .stored = moves * piece_bytes(s, a.moved)};
}

static wabe_status make_homes(wabe_window *w) {
    const int64_t moved = piece_bytes(&w->shape, w->arrays.moved);
    for (int i = 0; i < w->home_count; i++) {
        if (moved > 0)
            WABE_TRY(wabe_device_allocate_host(moved, &w->homes[i].memory));
        WABE_TRY(wabe_event_create(w->device, &w->homes[i].left));
    }
    for (int64_t p = 0; w->fixed && p < w->shape.pieces; p++)
        WABE_TRY(wabe_device_allocate_host(piece_bytes(&w->shape, w->arrays.fixed),
                                           &w->fixed[p].memory));
    return WABE_OK;
}

static wabe_status make_slots(wabe_window *w) {
    for (int64_t i = 0; i < w->shape.slots; i++) {
        WABE_TRY(wabe_event_create(w->device, &w->slots[i].loaded));
        WABE_TRY(wabe_event_create(w->device, &w->slots[i].stored));
    }
    return wabe_event_create(w->device, &w->used);
}

static wabe_status open_way(wabe_device *device, way *out) {
    for (int i = 0; i < TIMED; i++) {
        WABE_TRY(wabe_event_create(device, &out->begin[i]));
        WABE_TRY(wabe_event_create(device, &out->end[i]));
    }
    return wabe_stream_create(device, false, &out->stream);
}

static void close_way(way *w) {
    if (w->stream) /* its copies use the window's memory */
        wabe_stream_synchronise(w->stream);
    wabe_stream_destroy(&w->stream);
    for (int i = 0; i < TIMED; i++) {
        wabe_event_destroy(&w->begin[i]);
        wabe_event_destroy(&w->end[i]);
    }
}

static wabe_status create(wabe_window *w) {
    w->home_count = (int)count_homes(&w->shape);
    w->slots = calloc((size_t)w->shape.slots, sizeof *w->slots);
    w->home_of = calloc((size_t)w->shape.pieces, sizeof *w->home_of);
    w->homes = calloc((size_t)w->home_count + 1, sizeof *w->homes);
    w->free_homes = calloc((size_t)w->home_count + 1, sizeof *w->free_homes);
    if (w->arrays.fixed)
        w->fixed = calloc((size_t)w->shape.pieces, sizeof *w->fixed);
    WABE_CHECK(w->slots && w->home_of && w->homes && w->free_homes &&
                   (w->fixed || !w->arrays.fixed),
               WABE_MEMORY, "no memory for the pieces of a streamed slab");
    WABE_TRY(open_way(w->device, &w->load));
    WABE_TRY(open_way(w->device, &w->store));
    WABE_TRY(make_slots(w));
    void *memory;
    WABE_TRY(wabe_device_allocate_ring(w->device, &w->shape, &memory));
    w->memory = memory;
    return make_homes(w);
}

wabe_status wabe_window_create(wabe_device *device, const wabe_ring_shape *shape,
                               wabe_window_arrays arrays, wabe_window **out) {
    wabe_window *w = calloc(1, sizeof *w);
    *out = NULL;
    WABE_CHECK(w, WABE_MEMORY, "no memory for a window's description");
    w->device = device;
    w->shape = *shape;
    w->arrays = arrays;
    wabe_window_swap(w, arrays.moved, arrays.moved);
    const wabe_status status = create(w);
    if (status == WABE_OK)
        wabe_window_clear(w);
    else
        wabe_window_destroy(&w);
    *out = w;
    return status;
}

void wabe_window_destroy(wabe_window **window) {
    wabe_window *w = *window;
    if (!w)
        return;
    close_way(&w->load);
    close_way(&w->store);
    for (int i = 0; w->homes && i < w->home_count; i++) {
        wabe_device_free_host(w->homes[i].memory);
        wabe_event_destroy(&w->homes[i].left);
    }
    for (int64_t i = 0; w->slots && i < w->shape.slots; i++) {
        wabe_event_destroy(&w->slots[i].loaded);
        wabe_event_destroy(&w->slots[i].stored);
    }
    for (int64_t p = 0; w->fixed && p < w->shape.pieces; p++)
        wabe_device_free_host(w->fixed[p].memory);
    wabe_event_destroy(&w->used);
    wabe_device_free_ring(w->device, &w->shape, w->memory);
    free(w->slots);
    free(w->home_of);
    free(w->homes);
    free(w->free_homes);
    free(w->fixed);
    free(w);
    *window = NULL;
}

void *wabe_window_array(const wabe_window *w, int array) {
    return w->memory + array * w->shape.pieces * w->shape.piece;
}

int64_t wabe_window_piece_size(const wabe_window *w) { return w->shape.piece; }

bool wabe_window_is_low(const wabe_window *w) { return w->low <= w->shape.pieces - w->high; }

/* ---- times of copies ---------------------------------------------------------------- */

static void begin_copy(way *w) {
    const int64_t i = w->count % TIMED;
    if (w->count >= TIMED) {
        wabe_event_synchronise(w->end[i]);
        w->seconds += wabe_event_seconds(w->begin[i], w->end[i]);
    }
    wabe_event_record(w->begin[i], w->stream);
}

static void end_copy(way *w) { wabe_event_record(w->end[w->count++ % TIMED], w->stream); }

static double seconds_of(const way *w) {
    double seconds = w->seconds;
    for (int64_t i = w->count < TIMED ? 0 : w->count - TIMED; i < w->count; i++)
        seconds += wabe_event_seconds(w->begin[i % TIMED], w->end[i % TIMED]);
    return seconds;
}

wabe_window_traffic wabe_window_moved(const wabe_window *w) {
    wabe_window_traffic moved = w->moved;
    wabe_window_synchronise(w);
    moved.load_seconds = seconds_of(&w->load);
    moved.store_seconds = seconds_of(&w->store);
    return moved;
}

void wabe_window_clear(wabe_window *w) {
    wabe_window_synchronise(w);
    w->low = w->high = 0;
    w->first_free = 0;
    w->free_count = w->home_count;
    for (int i = 0; i < w->home_count; i++)
        w->free_homes[i] = i;
    for (int64_t p = 0; p < w->shape.pieces; p++)
        w->home_of[p] = ZERO;
    w->moved = (wabe_window_traffic){0};
    w->load.count = w->store.count = 0;
    w->load.seconds = w->store.seconds = 0.0;
}

/* ---- pieces that go and come -------------------------------------------------------- */

static slot *slot_of(wabe_window *w, int64_t piece) { return &w->slots[piece % w->shape.slots]; }

static char *address_of(const wabe_window *w, int array, int64_t piece) {
    return (char *)wabe_window_array(w, array) + piece * w->shape.piece;
}

static int take_home(wabe_window *w) {
    const int number = w->free_homes[w->first_free];
    w->first_free = (w->first_free + 1) % w->home_count;
    w->free_count--;
    return number;
}

static void give_home(wabe_window *w, int number) {
    w->free_homes[(w->first_free + w->free_count) % w->home_count] = number;
    w->free_count++;
}

/* Queues copies of a piece's part of these arrays to a home, or from it. */
static void copy(wabe_window *w, way *direction, uint64_t arrays, int64_t piece, void *memory,
                 bool to_home) {
    char *at = memory;
    for (int array = 0; array < w->shape.arrays; array++) {
        if (!has(arrays, array))
            continue;
        char *there = address_of(w, array, piece);
        wabe_stream_copy(direction->stream, to_home ? at : there, to_home ? there : at,
                         w->shape.piece);
        at += w->shape.piece;
    }
    *(to_home ? &w->moved.stored : &w->moved.loaded) += piece_bytes(&w->shape, arrays);
}

static void fill_with_zero(wabe_window *w, uint64_t arrays, int64_t piece) {
    for (int array = 0; array < w->shape.arrays; array++)
        if (has(arrays, array))
            wabe_stream_fill(w->load.stream, address_of(w, array, piece), 0, w->shape.piece);
}

static void store_fixed(wabe_window *w, int64_t piece) {
    if (!w->fixed)
        return;
    copy(w, &w->store, w->arrays.fixed, piece, w->fixed[piece].memory, true);
    w->fixed[piece].known = true;
}

static void discard(wabe_window *w, int64_t piece) {
    for (int array = 0; array < w->shape.arrays; array++)
        wabe_stream_discard(w->store.stream, address_of(w, array, piece), w->shape.piece);
}

/* Stores a piece in a home once the work queued in the stream so far is done. */
static void send(wabe_window *w, wabe_stream *stream, int64_t piece) {
    const int number = take_home(w);
    slot *s = slot_of(w, piece);
    wabe_event_record(w->used, stream);
    wabe_stream_wait(w->store.stream, w->used);
    wabe_stream_wait(w->store.stream, s->loaded); /* if nothing has used it since */
    wabe_stream_wait(w->store.stream, w->homes[number].left);
    begin_copy(&w->store);
    copy(w, &w->store, w->stored, piece, w->homes[number].memory, true);
    if (w->fixed_are_open)
        store_fixed(w, piece);
    end_copy(&w->store);
    discard(w, piece);
    wabe_event_record(s->stored, w->store.stream);
    w->home_of[piece] = number;
}

/* Loads a piece once the one that had its place is stored. */
static void fetch(wabe_window *w, int64_t piece) {
    const int number = w->home_of[piece];
    const bool fixed = w->fixed && w->fixed[piece].known;
    slot *s = slot_of(w, piece);
    wabe_stream_wait(w->load.stream, s->stored);
    if (number == ZERO)
        fill_with_zero(w, w->loaded, piece);
    if (!fixed)
        fill_with_zero(w, w->arrays.fixed, piece);
    if (number != ZERO || fixed)
        begin_copy(&w->load);
    if (number != ZERO)
        copy(w, &w->load, w->loaded, piece, w->homes[number].memory, false);
    if (fixed)
        copy(w, &w->load, w->arrays.fixed, piece, w->fixed[piece].memory, false);
    if (number != ZERO || fixed)
        end_copy(&w->load);
    wabe_event_record(s->loaded, w->load.stream);
    s->awaited = true;
    w->home_of[piece] = ON_DEVICE;
    if (number == ZERO)
        return;
    wabe_event_record(w->homes[number].left, w->load.stream);
    give_home(w, number);
}

/* ---- arrays that take turns, and fixed ones ----------------------------------------- */

void wabe_window_swap(wabe_window *w, uint64_t loaded, uint64_t stored) {
    assert(piece_bytes(&w->shape, loaded) == piece_bytes(&w->shape, w->arrays.moved));
    assert(piece_bytes(&w->shape, stored) == piece_bytes(&w->shape, w->arrays.moved));
    assert(((loaded | stored) & w->arrays.fixed) == 0);
    w->loaded = loaded;
    w->stored = stored;
}

void wabe_window_open_fixed(wabe_window *w) { w->fixed_are_open = true; }

void wabe_window_close_fixed(wabe_window *w, wabe_stream *stream) {
    wabe_event_record(w->used, stream);
    wabe_stream_wait(w->store.stream, w->used);
    for (int64_t p = w->low; p < w->high; p++) {
        wabe_stream_wait(w->store.stream, slot_of(w, p)->loaded);
        store_fixed(w, p);
        wabe_event_record(slot_of(w, p)->stored, w->store.stream);
    }
    w->fixed_are_open = false;
}

/* ---- moves -------------------------------------------------------------------------- */

static void go_up(wabe_window *w, wabe_stream *stream) {
    if (w->high - w->low == w->shape.slots)
        send(w, stream, w->low++);
    fetch(w, w->high++);
}

static void go_down(wabe_window *w, wabe_stream *stream) {
    if (w->high - w->low == w->shape.slots)
        send(w, stream, --w->high);
    fetch(w, --w->low);
}

void wabe_window_load(wabe_window *w, wabe_stream *stream, int64_t begin, int64_t end) {
    const int64_t first = begin / w->shape.piece;
    const int64_t last = (end + w->shape.piece - 1) / w->shape.piece;
    assert(last - first <= w->shape.slots);
    while (w->high < last)
        go_up(w, stream);
    while (w->low > first)
        go_down(w, stream);
    for (int64_t p = first; p < last; p++) {
        slot *s = slot_of(w, p);
        if (s->awaited)
            wabe_stream_wait(stream, s->loaded);
        s->awaited = false;
    }
}

/* ---- copies of parts ---------------------------------------------------------------- */

bool wabe_window_has(const wabe_window *w, int64_t begin, int64_t end) {
    return begin >= w->low * w->shape.piece && end <= w->high * w->shape.piece;
}

static char *address_of_part(const wabe_window *w, const wabe_window_part *part) {
    return (char *)wabe_window_array(w, part->array) + part->begin;
}

void wabe_window_get(wabe_window *w, wabe_stream *stream, int count, const wabe_window_part *parts,
                     void *to, wabe_event *done) {
    char *at = to;
    wabe_event_record(w->used, stream);
    wabe_stream_wait(w->store.stream, w->used);
    for (const wabe_window_part *part = parts; part < parts + count; at += part++->bytes)
        wabe_stream_copy(w->store.stream, at, address_of_part(w, part), part->bytes);
    wabe_event_record(done, w->store.stream);
}

/* Pieces that have come and that nothing has used since need no wait. */
static bool in_use(wabe_window *w, const wabe_window_part *part) {
    const int64_t last = (part->begin + part->bytes - 1) / w->shape.piece;
    for (int64_t p = part->begin / w->shape.piece; p <= last; p++)
        if (!slot_of(w, p)->awaited)
            return true;
    return false;
}

void wabe_window_put(wabe_window *w, wabe_stream *stream, int count, const wabe_window_part *parts,
                     const void *from, wabe_event *done) {
    const char *at = from;
    bool used = false;
    for (int i = 0; i < count; i++)
        used |= in_use(w, &parts[i]);
    wabe_event_record(w->used, stream);
    if (used)
        wabe_stream_wait(w->load.stream, w->used);
    for (const wabe_window_part *part = parts; part < parts + count; at += part++->bytes)
        wabe_stream_copy(w->load.stream, address_of_part(w, part), at, part->bytes);
    wabe_event_record(done, w->load.stream);
    for (const wabe_window_part *part = parts; part < parts + count; part++) {
        const int64_t last = (part->begin + part->bytes - 1) / w->shape.piece;
        for (int64_t p = part->begin / w->shape.piece; p <= last; p++) {
            wabe_event_record(slot_of(w, p)->loaded, w->load.stream);
            slot_of(w, p)->awaited = true;
        }
    }
}

void wabe_window_synchronise(const wabe_window *w) {
    wabe_stream_synchronise(w->load.stream);
    wabe_stream_synchronise(w->store.stream);
}

/* ---- where the window goes ---------------------------------------------------------- */

void wabe_window_release(wabe_window *w, wabe_stream *stream, int64_t byte, bool up) {
    const int64_t piece = w->shape.piece;
    while (up && w->high < w->shape.pieces &&
           (w->high - w->low < w->shape.slots || (w->low + 1) * piece <= byte))
        go_up(w, stream);
    while (!up && w->low > 0 &&
           (w->high - w->low < w->shape.slots || (w->high - 1) * piece >= byte))
        go_down(w, stream);
}
