/* Emulated devices: they detect missing synchronisation on machines without a GPU, reproducibly.
 *
 * Streams execute nothing until they must: until the host synchronises, queries an event twice, or
 * a stream that must execute waits for them. So code that reads without waiting gets the old
 * contents, initially NAN. The host cannot access device memory, except while streams execute:
 * doing so crashes at once (on processors without protection keys until GUARDS).
 *
 * If WABE_EMULATED_EARLY is set, streams that are not urgent execute their work at once, which
 * detects those that should have waited for an urgent one; if it is "urgent", the urgent ones.
 *
 * Device calls come from one thread of the process, so there are no locks. */
#include "core/device/device_driver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MIB = 1 << 20,
    GUARDS = 100000,       /* system calls; some seconds */
    MEMORY_DEFAULT = 1024, /* MiB per device */
    NAN_BYTE = 0xff,       /* a number whose bytes are all this is NAN in every type */
    HOST_ALIGNMENT = 4096  /* bytes, as for CUDA's pinned memory */
};

/* ---- what there is ------------------------------------------------------------------ */

/* Memory that streams may access. */
typedef struct block {
    char *start;
    size_t size;         /* bytes, as requested */
    size_t mapped;       /* bytes of its pages; 0: pinned host memory */
    wabe_device *device; /* its owner or importer; NULL: host memory */
    int file;            /* the file that it maps, which other processes can map; -1: none */
    bool unguarded;      /* the host can access it unnoticed */
    bool open;           /* of a guarded one: now */
    struct block *next;
} block;

typedef struct operation operation;

/* A position in a stream is the number of operations before it. */
typedef struct queue {
    const wabe_device *device;
    bool in_use, early;
    int64_t given, done;
    operation *first, *last; /* queued, but not done */
    struct queue *next;
} queue;

typedef enum { COPY, FILL, LAUNCH, WAIT } operation_kind;

struct operation {
    operation_kind kind;
    operation *next;
    union {
        struct {
            void *to;
            const void *from;
            size_t bytes;
        } copy;
        struct {
            void *to;
            int byte;
            size_t bytes;
        } fill;
        struct {
            const wabe_kernel *kernel;
            int64_t begin, end;
        } launch;
        struct {
            queue *other;
            int64_t place;
        } wait;
    } of;
    _Alignas(max_align_t) unsigned char args[]; /* of a launch */
};

typedef struct {
    queue *stream; /* NULL: never recorded */
    int64_t place;
    bool asked; /* whether it is done */
} recorded;

typedef struct {
    int64_t used; /* bytes */
    bool reaches[WABE_DEVICES_MAX];
} state;

static state states[WABE_DEVICES_MAX];
static block *blocks;
/* The queue of a destroyed stream is reused for the next stream: events may still refer to
 * positions in it, which are done. */
static queue *queues;

static state *state_of(const wabe_device *device) { return device->own; }

/* ---- access ------------------------------------------------------------------------- */

/* Protection key of device memory, with which an instruction opens and closes all of it; -1: this
 * processor has none, so that each block takes a system call. */
static int protection_key(void) {
    static bool asked;
    static int key;
    if (!asked)
        key = pkey_alloc(0, PKEY_DISABLE_ACCESS), asked = true;
    return key;
}

/* Closes new memory of a device. */
static void close_block(const wabe_device *device, void *start, size_t mapped) {
    const int key = protection_key();
    if ((key < 0 ? mprotect(start, mapped, PROT_NONE)
                 : pkey_mprotect(start, mapped, PROT_READ | PROT_WRITE, key)) != 0)
        wabe_device_lost(device, "mprotect", strerror(errno));
}

/* Lets this thread access device memory, or no longer. System calls would take most of the time of
 * long runs, and mistakes show early: after so many of them memory stays open. */
static void set_access(bool open) {
    static int calls;
    const int key = protection_key();
    if (key >= 0) {
        pkey_set(key, open ? 0 : PKEY_DISABLE_ACCESS);
        return;
    }
    if (!open && calls > GUARDS)
        return;
    for (block *b = blocks; b; b = b->next) {
        if (!b->device || b->unguarded || b->open == open)
            continue;
        if (mprotect(b->start, b->mapped, open ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
            wabe_device_lost(b->device, "mprotect", strerror(errno));
        b->open = open;
        calls++;
    }
}

/* ---- running ------------------------------------------------------------------------ */

static void run_queue(queue *stream, int64_t place);

static void run_operation(const operation *o) {
    switch (o->kind) {
    case COPY:
        memcpy(o->of.copy.to, o->of.copy.from, o->of.copy.bytes);
        return;
    case FILL:
        memset(o->of.fill.to, o->of.fill.byte, o->of.fill.bytes);
        return;
    case LAUNCH:
        o->of.launch.kernel->run(o->args, o->of.launch.begin, o->of.launch.end);
        return;
    case WAIT:
        run_queue(o->of.wait.other, o->of.wait.place);
        return;
    }
}

/* May be called for a stream that is already executing, if that stream waits for one that earlier
 * waited for it. That earlier position precedes the current wait, so it is done, and the loop does
 * nothing. */
static void run_queue(queue *stream, int64_t place) {
    while (stream->done < place) {
        operation *o = stream->first;
        run_operation(o);
        stream->first = o->next;
        stream->done++;
        free(o);
    }
}

/* Called by the host: executes everything up to a position. */
static void force(queue *stream, int64_t place) {
    if (stream->done >= place)
        return;
    set_access(true);
    run_queue(stream, place);
    set_access(false);
}

/* Executes all work of a device; NULL: of all devices. */
static void force_all(const wabe_device *device) {
    for (queue *q = queues; q; q = q->next)
        if (!device || q->device == device)
            force(q, q->given);
}

/* ---- devices ------------------------------------------------------------------------ */

static int count_devices(const char **why) {
    (void)why;
    return wabe_devices_emulated;
}

static wabe_status open_device(int index, wabe_device *device) {
    long long mib = MEMORY_DEFAULT;
    const char *text = getenv("WABE_EMULATED_MEMORY");
    if (text) {
        char *end;
        mib = strtoll(text, &end, 10);
        WABE_CHECK(end != text && !*end && mib > 0 && mib < INT64_MAX / MIB, WABE_INPUT,
                   "WABE_EMULATED_MEMORY is '%s', must be a whole number of MiB", text);
    }
    device->info.memory = mib * MIB;
    device->info.block_memory = MIB;
    device->info.multiprocessors = 1;
    snprintf(device->info.name, sizeof device->info.name, "emulated GPU");
    snprintf(device->info.id, sizeof device->info.id, "emulated:%d", index);
    device->own = &states[index];
    return WABE_OK;
}

/* ---- memory ------------------------------------------------------------------------- */

static size_t round_to_pages(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

static int64_t available_memory(const wabe_device *device) {
    return device->info.memory - state_of(device)->used;
}

/* Returns false if there is no memory for the description. */
static bool add_block(block b) {
    block *added = malloc(sizeof *added);
    if (!added)
        return false;
    *added = b;
    added->next = blocks;
    blocks = added;
    return true;
}

typedef enum { PINNED, OWN, IMPORTED } block_kind;

static block_kind kind_of(const block *b) {
    return !b->device ? PINNED : b->file >= 0 ? OWN : IMPORTED;
}

/* Returns the block that begins at start, which must be of this kind and device. */
static block *block_at(block_kind kind, const wabe_device *device, const void *start,
                       const char *what) {
    for (block *b = blocks; b; b = b->next)
        if (b->start == start && b->device == device && kind_of(b) == kind)
            return b;
    wabe_device_lost(device, what, "there is no such memory");
}

static void remove_block(block *removed) {
    block **link = &blocks;
    while (*link != removed)
        link = &(*link)->next;
    *link = removed->next;
    free(removed);
}

/* Opens a file of so many bytes; returns -1 if there is no memory for them. */
static int make_file(size_t bytes) {
    const int file = memfd_create("wabe emulated GPU", MFD_CLOEXEC);
    if (file >= 0 && posix_fallocate(file, 0, (off_t)bytes) != 0) {
        close(file);
        return -1;
    }
    return file;
}

/* Returns NULL if that is not possible. */
static void *map_file(int file, size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static wabe_status allocate(wabe_device *device, int64_t bytes, void **out) {
    if (bytes > available_memory(device))
        return wabe_device_no_memory(device, bytes);
    const size_t mapped = round_to_pages((size_t)bytes);
    const int file = make_file(mapped);
    void *memory = file < 0 ? NULL : map_file(file, mapped);
    if (!memory ||
        !add_block((block){memory, (size_t)bytes, mapped, device, file, false, false, NULL})) {
        if (memory)
            munmap(memory, mapped);
        if (file >= 0)
            close(file);
        return WABE_FAIL(WABE_MEMORY, "no memory for %.3f GB of an emulated GPU",
                         (double)bytes * 1e-9);
    }
    memset(memory, NAN_BYTE, mapped);
    close_block(device, memory, mapped);
    state_of(device)->used += (int64_t)mapped;
    *out = memory;
    return WABE_OK;
}

/* Waits for the device, as CUDA does. */
static void release(wabe_device *device, void *memory) {
    block *b = block_at(OWN, device, memory, "free");
    force_all(device);
    munmap(b->start, b->mapped);
    close(b->file);
    state_of(device)->used -= (int64_t)b->mapped;
    remove_block(b);
}

/* ---- rings -------------------------------------------------------------------------- */

static int64_t ring_unit(const wabe_device *device) {
    (void)device;
    return sysconf(_SC_PAGESIZE);
}

/* Maps each piece of each array to its place in the file. */
static bool map_ring(const wabe_ring_shape *s, int file, char *memory) {
    for (int64_t i = 0; i < s->pieces * s->arrays; i++) {
        const int64_t slot = i / s->pieces * s->slots + i % s->pieces % s->slots;
        if (mmap(memory + i * s->piece, (size_t)s->piece, PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_FIXED, file, slot * s->piece) == MAP_FAILED)
            return false;
    }
    return true;
}

static wabe_status allocate_ring(wabe_device *device, const wabe_ring_shape *s, void **out) {
    const size_t addresses = (size_t)wabe_ring_addresses(s);
    const int64_t bytes = wabe_ring_bytes(s);
    if (bytes > available_memory(device))
        return wabe_device_no_memory(device, bytes);
    const int file = make_file((size_t)bytes);
    void *memory = mmap(NULL, addresses, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (file < 0 || memory == MAP_FAILED || !map_ring(s, file, memory) ||
        !add_block((block){memory, addresses, addresses, device, file, protection_key() < 0, false,
                           NULL})) {
        if (memory != MAP_FAILED)
            munmap(memory, addresses);
        if (file >= 0)
            close(file);
        return WABE_FAIL(WABE_MEMORY, "no memory for a ring of %.3f GB of an emulated GPU",
                         (double)bytes * 1e-9);
    }
    memset(memory, NAN_BYTE, addresses);
    if (protection_key() >= 0) /* otherwise each access would take a system call per piece */
        close_block(device, memory, addresses);
    state_of(device)->used += bytes;
    *out = memory;
    return WABE_OK;
}

static void release_ring(wabe_device *device, const wabe_ring_shape *s, void *memory) {
    const int64_t addresses = wabe_ring_addresses(s);
    release(device, memory);
    state_of(device)->used += addresses - wabe_ring_bytes(s);
}

static wabe_status allocate_host(int64_t bytes, void **out) {
    void *memory = NULL;
    if (posix_memalign(&memory, HOST_ALIGNMENT, (size_t)bytes) != 0 ||
        !add_block((block){memory, (size_t)bytes, 0, NULL, -1, false, false, NULL})) {
        free(memory);
        return WABE_FAIL(WABE_MEMORY, "no memory for %.3f GB on the host that GPUs can reach",
                         (double)bytes * 1e-9);
    }
    memset(memory, NAN_BYTE, (size_t)bytes);
    *out = memory;
    return WABE_OK;
}

static void release_host(void *memory) {
    block *b = block_at(PINNED, NULL, memory, "free of host memory");
    force_all(NULL);
    free(b->start);
    remove_block(b);
}

static bool lock_host(void *memory, int64_t bytes) {
    return add_block((block){memory, (size_t)bytes, 0, NULL, -1, false, false, NULL});
}

static void unlock_host(void *memory) {
    force_all(NULL);
    remove_block(block_at(PINNED, NULL, memory, "unlocking of host memory"));
}

/* Ends the program if streams of the device may not access these bytes. */
static void check_memory(const wabe_device *device, const char *what, const void *memory,
                         int64_t bytes) {
    const uintptr_t start = (uintptr_t)memory;
    for (const block *b = blocks; b; b = b->next) {
        const uintptr_t from = (uintptr_t)b->start;
        if (start < from || start >= from + b->size)
            continue;
        if ((size_t)bytes > b->size - (start - from))
            wabe_device_lost(device, what, "that is beyond the end of the memory");
        if (b->device && b->device != device && !state_of(device)->reaches[b->device->index])
            wabe_device_lost(device, what, "the memory is of a device that is not reached");
        return;
    }
    wabe_device_lost(device, what, "it is host memory, and not pinned");
}

/* ---- streams ------------------------------------------------------------------------ */

static wabe_status stream_create(wabe_device *device, bool urgent, void **own) {
    queue *q = queues;
    while (q && q->in_use)
        q = q->next;
    if (!q) {
        q = calloc(1, sizeof *q);
        WABE_CHECK(q, WABE_MEMORY, "no memory for a stream on GPU %s", device->info.id);
        q->next = queues;
        queues = q;
    }
    q->device = device;
    q->in_use = true;
    const char *early = getenv("WABE_EMULATED_EARLY");
    q->early = early && urgent == (strcmp(early, "urgent") == 0);
    *own = q;
    return WABE_OK;
}

/* CUDA, too, finishes the work of a stream that is destroyed. */
static void stream_destroy(wabe_stream *stream) {
    queue *q = stream->own;
    force(q, q->given);
    q->in_use = false;
}

static operation *give(wabe_stream *stream, operation_kind kind, size_t args_size) {
    operation *o = calloc(1, sizeof *o + args_size);
    if (!o)
        wabe_device_lost(stream->device, "a stream", "no memory for what it is given");
    o->kind = kind;
    queue *q = stream->own;
    if (q->first)
        q->last->next = o;
    else
        q->first = o;
    q->last = o;
    q->given++;
    return o;
}

/* Call it when the queued operation is complete. */
static void run_early(wabe_stream *stream) {
    queue *q = stream->own;
    if (q->early)
        force(q, q->given);
}

static void copy(wabe_stream *stream, void *to, const void *from, int64_t bytes) {
    check_memory(stream->device, "copy", to, bytes);
    check_memory(stream->device, "copy", from, bytes);
    operation *o = give(stream, COPY, 0);
    o->of.copy.to = to;
    o->of.copy.from = from;
    o->of.copy.bytes = (size_t)bytes;
    run_early(stream);
}

static void fill(wabe_stream *stream, void *to, int byte, int64_t bytes) {
    check_memory(stream->device, "fill", to, bytes);
    operation *o = give(stream, FILL, 0);
    o->of.fill.to = to;
    o->of.fill.byte = byte;
    o->of.fill.bytes = (size_t)bytes;
    run_early(stream);
}

static void launch(wabe_stream *stream, const wabe_kernel *kernel, const void *args, int64_t begin,
                   int64_t end) {
    operation *o = give(stream, LAUNCH, kernel->sweep->args_size);
    memcpy(o->args, args, kernel->sweep->args_size);
    o->of.launch.kernel = kernel;
    o->of.launch.begin = begin;
    o->of.launch.end = end;
    run_early(stream);
}

static void synchronise(wabe_stream *stream) {
    queue *q = stream->own;
    force(q, q->given);
}

/* ---- events ------------------------------------------------------------------------- */

static wabe_status event_create(wabe_device *device, bool shared, void **own) {
    (void)shared;
    *own = calloc(1, sizeof(recorded));
    WABE_CHECK(*own, WABE_MEMORY, "no memory for an event on GPU %s", device->info.id);
    return WABE_OK;
}

static void event_destroy(wabe_event *event) { free(event->own); }

static void record(wabe_event *event, wabe_stream *stream) {
    if (event->device != stream->device)
        wabe_device_lost(stream->device, "record", "the event is of another device");
    queue *q = stream->own;
    *(recorded *)event->own = (recorded){q, q->given, false};
}

static void wait_for(wabe_stream *stream, wabe_event *event) {
    const recorded *r = event->own;
    if (!r->stream)
        return;
    operation *o = give(stream, WAIT, 0);
    o->of.wait.other = r->stream;
    o->of.wait.place = r->place;
}

static void event_synchronise(wabe_event *event) {
    const recorded *r = event->own;
    if (r->stream)
        force(r->stream, r->place);
}

/* Times of emulated work are meaningless. */
static double seconds(wabe_event *from, wabe_event *to) {
    (void)from;
    (void)to;
    return 0.0;
}

/* Executes the work when it is asked for the second time: a caller that polls until the event is
 * done must not wait for ever. */
static bool is_done(wabe_event *event) {
    recorded *r = event->own;
    if (r->stream && r->stream->done < r->place && !r->asked) {
        r->asked = true;
        return false;
    }
    event_synchronise(event);
    return true;
}

/* ---- from device to device ---------------------------------------------------------- */

static bool reach(wabe_device *device, wabe_device *other) {
    state_of(device)->reaches[other->index] = true;
    return true;
}

enum { HANDLE_MAGIC = 0x57414245 };

/* The contents of a handle: the file, as other processes find it in /proc. */
typedef struct {
    int32_t magic, process, file;
    uint64_t inode; /* identifies the file, whose descriptor may have been reused */
    uint64_t size;
} shared_file;

_Static_assert(sizeof(shared_file) <= sizeof(wabe_device_handle), "handles hold the file's name");

static bool export_memory(wabe_device *device, void *memory, wabe_device_handle *out) {
    const block *b = block_at(OWN, device, memory, "export");
    struct stat about;
    if (fstat(b->file, &about) != 0)
        return false;
    const shared_file shared = {HANDLE_MAGIC, (int32_t)getpid(), b->file, (uint64_t)about.st_ino,
                                (uint64_t)b->size};
    memset(out, 0, sizeof *out);
    memcpy(out->bytes, &shared, sizeof shared);
    return true;
}

/* Returns -1 if the process or its file is gone, or access is denied. */
static int open_shared(const shared_file *shared) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)shared->process, (int)shared->file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat about;
    if (file >= 0 && (fstat(file, &about) != 0 || (uint64_t)about.st_ino != shared->inode ||
                      (uint64_t)about.st_size < shared->size)) {
        close(file);
        return -1;
    }
    return file;
}

static bool import_memory(wabe_device *device, const wabe_device_handle *handle, void **out) {
    shared_file shared;
    memcpy(&shared, handle->bytes, sizeof shared);
    /* As with CUDA, the process that exported the memory cannot import it. */
    if (shared.magic != HANDLE_MAGIC || shared.process == (int32_t)getpid())
        return false;
    const int file = open_shared(&shared);
    if (file < 0)
        return false;
    const size_t mapped = round_to_pages((size_t)shared.size);
    void *memory = map_file(file, mapped);
    close(file);
    if (!memory)
        return false;
    if (!add_block((block){memory, (size_t)shared.size, mapped, device, -1, false, false, NULL})) {
        munmap(memory, mapped);
        return false;
    }
    close_block(device, memory, mapped);
    *out = memory;
    return true;
}

static void release_import(wabe_device *device, void *imported) {
    block *b = block_at(IMPORTED, device, imported, "release");
    force_all(device);
    munmap(b->start, b->mapped);
    remove_block(b);
}

/* Queues of other processes cannot be looked at. */
static bool export_event(wabe_event *event, wabe_device_handle *out) {
    (void)event, (void)out;
    return false;
}

static bool import_event(wabe_device *device, const wabe_device_handle *handle, void **own) {
    (void)device, (void)handle, (void)own;
    return false;
}

const wabe_device_driver wabe_device_driver_emulated = WABE_DEVICE_DRIVER;
