#include "core/io/writer.h"

#include "core/device/memory.h"
#include "core/device/team.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Two threads: one can inspect values while the other one writes. */
enum { THREADS = 2, PIECE_LEAST = 1 << 20, BLOCK_BYTES = 128 << 10 };

struct wabe_piece {
    void *values;
    int64_t room;
    wabe_piece *next; /* in the queue or the list of free pieces */
    wabe_writer_job *job;
    wabe_extents where;
    char tag[WABE_PIECE_TAG_SIZE];
};

struct wabe_writer_job {
    wabe_writer *writer;
    wabe_writer_file file;
    wabe_status (*function)(void *context); /* of wabe_writer_call, otherwise NULL */
    void *context;
    wabe_piece end; /* a mark in the queue: no more pieces follow */
    /* Protected by the writer's lock: */
    int open;           /* pieces put, but not yet written */
    bool last;          /* end has been reached */
    wabe_status status; /* of the first failure */
    char message[WABE_MESSAGE_SIZE];
    bool done;
};

struct wabe_writer {
    int64_t room, taken; /* bytes of all pieces */
    bool devices;
    int thread_count;
    pthread_t threads[THREADS];
    pthread_mutex_t lock; /* protects all that follows */
    pthread_cond_t changed;
    wabe_piece *first, *last; /* the queue */
    wabe_piece *free;
    bool stop;
};

/* ---- the threads -------------------------------------------------------------------- */

/* Writes or reads bytes. Returns 0 or errno. */
static int move(int file, bool write, char *values, int64_t bytes, int64_t offset) {
    while (bytes > 0) {
        const ssize_t moved = write ? pwrite(file, values, (size_t)bytes, offset)
                                    : pread(file, values, (size_t)bytes, offset);
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return moved < 0 ? errno : EIO;
        values += moved, offset += moved, bytes -= moved;
    }
    return 0;
}

/* Writes a run and, on request, verifies it, a block at a time, while it is still in the
 * processor's caches. */
static wabe_status write_run(const wabe_writer_file *file, char *values, int64_t bytes,
                             int64_t offset) {
    char there[BLOCK_BYTES];
    for (int64_t at = 0; at < bytes; at += BLOCK_BYTES) {
        const int64_t block = bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES;
        int error = move(file->descriptor, true, values + at, block, offset + at);
        WABE_CHECK(!error, WABE_FILE, "cannot write %s: %s", file->path, strerror(error));
        if (!file->verify)
            continue;
        error = move(file->descriptor, false, there, block, offset + at);
        WABE_CHECK(!error, WABE_FILE, "cannot read what was written to %s: %s", file->path,
                   strerror(error));
        WABE_CHECK(memcmp(there, values + at, (size_t)block) == 0, WABE_FILE,
                   "cannot write %s: values got lost (is the disk full, or a quota used up?)",
                   file->path);
    }
    return WABE_OK;
}

/* Lets the disk start writing, so that the final sync takes less time. If the file system cannot do
 * this, the sync does it all. */
static void send_off(int file, const wabe_extents *e) {
    const int64_t bytes = e->run + (e->count[0] - 1) * e->stride[0] +
                          (e->count[1] - 1) * e->stride[1];
    sync_file_range(file, e->offset, bytes, SYNC_FILE_RANGE_WRITE);
}

static wabe_status write_piece(const wabe_writer_job *job, wabe_piece *piece) {
    const wabe_writer_file *file = &job->file;
    const wabe_extents *e = &piece->where;
    if (file->look)
        file->look(file->context, piece->tag, piece->values);
    char *values = piece->values;
    for (int64_t k = 0; k < e->count[1]; k++)
        for (int64_t j = 0; j < e->count[0]; j++, values += e->run)
            WABE_TRY(
                write_run(file, values, e->run, e->offset + j * e->stride[0] + k * e->stride[1]));
    send_off(file->descriptor, e);
    return WABE_OK;
}

/* Values may still be in caches: only the sync shows whether the disk takes them. */
static wabe_status finish(const wabe_writer_job *job) {
    if (job->function)
        return job->function(job->context);
    WABE_CHECK(fsync(job->file.descriptor) == 0, WABE_FILE, "cannot write %s: %s", job->file.path,
               strerror(errno));
    return WABE_OK;
}

static wabe_piece *next_piece(wabe_writer *w) {
    while (!w->first && !w->stop)
        pthread_cond_wait(&w->changed, &w->lock);
    wabe_piece *piece = w->first;
    if (piece)
        w->first = piece->next;
    return piece;
}

/* Processes a piece, or, if NULL, the end of a job, with the lock released. After a failure nothing
 * more is done for the job. */
static void serve(wabe_writer *w, wabe_writer_job *job, wabe_piece *piece) {
    if (job->status != WABE_OK)
        return;
    pthread_mutex_unlock(&w->lock);
    const wabe_status status = piece ? write_piece(job, piece) : finish(job);
    pthread_mutex_lock(&w->lock);
    if (status == WABE_OK || job->status != WABE_OK)
        return;
    job->status = status;
    snprintf(job->message, sizeof job->message, "%s", wabe_error_message());
}

/* The main loop of a thread. The thread that has written the last piece of a job also ends it. */
static void *work(void *context) {
    wabe_writer *w = context;
    wabe_team_leave_cores();
    pthread_mutex_lock(&w->lock);
    for (wabe_piece *piece; (piece = next_piece(w));) {
        wabe_writer_job *job = piece->job;
        if (piece == &job->end) {
            job->last = true;
        } else {
            serve(w, job, piece);
            job->open--;
            piece->next = w->free;
            w->free = piece;
            pthread_cond_broadcast(&w->changed);
        }
        if (job->last && job->open == 0) {
            serve(w, job, NULL);
            job->done = true;
            pthread_cond_broadcast(&w->changed);
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- the writer --------------------------------------------------------------------- */

/* Starts the threads with all signals blocked: the main thread handles them. Returns 0 or errno. */
static int start(wabe_writer *w) {
    sigset_t all, before;
    int error = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (w->thread_count < THREADS && !error) {
        error = pthread_create(&w->threads[w->thread_count], NULL, work, w);
        w->thread_count += !error;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return w->thread_count > 0 ? 0 : error;
}

wabe_status wabe_writer_create(int64_t room, bool devices, wabe_writer **out) {
    wabe_writer *w = *out = calloc(1, sizeof *w);
    WABE_CHECK(w, WABE_MEMORY, "no memory for the description of a writer");
    w->room = room;
    w->devices = devices;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    const int error = start(w);
    if (error)
        wabe_writer_destroy(out);
    WABE_CHECK(!error, WABE_MEMORY, "cannot start a thread that writes files: %s", strerror(error));
    return WABE_OK;
}

static void free_piece(wabe_writer *w, wabe_piece *piece) {
    w->taken -= piece->room;
    wabe_memory_destroy_near(&piece->values);
    free(piece);
}

void wabe_writer_destroy(wabe_writer **writer) {
    wabe_writer *w = *writer;
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < w->thread_count; i++)
        pthread_join(w->threads[i], NULL);
    for (wabe_piece *next, *piece = w->free; piece; piece = next) {
        next = piece->next;
        free_piece(w, piece);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
    *writer = NULL;
}

void wabe_writer_widen(wabe_writer *w, int64_t room) {
    pthread_mutex_lock(&w->lock);
    w->room = room > w->room ? room : w->room;
    pthread_mutex_unlock(&w->lock);
}

/* ---- pieces ------------------------------------------------------------------------- */

static wabe_piece *take_free(wabe_writer *w, int64_t bytes) {
    for (wabe_piece **at = &w->free; *at; at = &(*at)->next)
        if ((*at)->room >= bytes) {
            wabe_piece *piece = *at;
            *at = piece->next;
            return piece;
        }
    return NULL;
}

/* Frees memory for a larger piece. */
static void release_free(wabe_writer *w, int64_t bytes) {
    while (w->free && w->taken + bytes > w->room) {
        wabe_piece *piece = w->free;
        w->free = piece->next;
        free_piece(w, piece);
    }
}

static wabe_status make_piece(wabe_writer *w, int64_t bytes, wabe_piece **out) {
    wabe_piece *piece = calloc(1, sizeof *piece);
    WABE_CHECK(piece, WABE_MEMORY, "no memory to write files from");
    const wabe_status status = wabe_memory_create_near(w->devices, bytes, &piece->values);
    if (status != WABE_OK) {
        free(piece);
        return status;
    }
    piece->room = bytes;
    w->taken += bytes;
    *out = piece;
    return WABE_OK;
}

int64_t wabe_writer_piece(int64_t bytes) { return bytes > PIECE_LEAST ? bytes : PIECE_LEAST; }

/* One piece is always allowed, however large. If memory runs out before the limit, the existing
 * pieces become the limit. */
wabe_status wabe_writer_take(wabe_writer *w, int64_t bytes, wabe_piece **out) {
    wabe_status status = WABE_OK;
    bytes = wabe_writer_piece(bytes);
    pthread_mutex_lock(&w->lock);
    while (!(*out = take_free(w, bytes)) && status == WABE_OK) {
        release_free(w, bytes);
        if (w->taken == 0 || w->taken + bytes <= w->room) {
            pthread_mutex_unlock(&w->lock); /* this takes long, and only the caller takes pieces */
            status = make_piece(w, bytes, out);
            pthread_mutex_lock(&w->lock);
            if (status == WABE_OK)
                break;
            if (w->taken == 0)
                continue;
            w->room = w->taken;
            status = WABE_OK;
        }
        if (!w->free)
            pthread_cond_wait(&w->changed, &w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return status;
}

void *wabe_piece_values(wabe_piece *piece) { return piece->values; }

void wabe_writer_drop(wabe_writer *w, wabe_piece *piece) {
    pthread_mutex_lock(&w->lock);
    piece->next = w->free;
    w->free = piece;
    pthread_mutex_unlock(&w->lock);
}

/* ---- memory ------------------------------------------------------------------------- */

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

void wabe_writer_memory_add(wabe_writer_memory *all, const wabe_writer_memory *other) {
    all->pieces += other->pieces;
    all->piece = larger(all->piece, other->piece);
    all->buffer = larger(all->buffer, other->buffer);
}

int64_t wabe_writer_memory_bytes(const wabe_writer_memory *memory, int64_t room) {
    const int64_t pieces = memory->pieces < room ? memory->pieces : room;
    return larger(pieces, memory->piece) + memory->buffer;
}

/* ---- jobs --------------------------------------------------------------------------- */

wabe_status wabe_writer_begin(wabe_writer *writer, const wabe_writer_file *file,
                              wabe_writer_job **out) {
    wabe_writer_job *job = *out = calloc(1, sizeof *job);
    WABE_CHECK(job, WABE_MEMORY, "no memory for the description of a file");
    job->writer = writer;
    job->file = *file;
    job->end.job = job;
    return WABE_OK;
}

static void enqueue(wabe_writer *w, wabe_piece *piece) {
    piece->next = NULL;
    pthread_mutex_lock(&w->lock);
    piece->job->open += piece != &piece->job->end;
    if (w->first)
        w->last->next = piece;
    else
        w->first = piece;
    w->last = piece;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void wabe_writer_put(wabe_writer_job *job, wabe_piece *piece, const wabe_extents *where,
                     const void *tag, int64_t tag_bytes) {
    piece->job = job;
    piece->where = *where;
    assert(tag_bytes <= WABE_PIECE_TAG_SIZE);
    memcpy(piece->tag, tag, (size_t)tag_bytes);
    enqueue(job->writer, piece);
}

wabe_status wabe_writer_call(wabe_writer *writer, wabe_status (*function)(void *context),
                             void *context, wabe_writer_job **out) {
    WABE_TRY(wabe_writer_begin(writer, &(wabe_writer_file){.descriptor = -1}, out));
    (*out)->function = function;
    (*out)->context = context;
    wabe_writer_close(*out);
    return WABE_OK;
}

void wabe_writer_close(wabe_writer_job *job) { enqueue(job->writer, &job->end); }

bool wabe_writer_is_done(wabe_writer_job *job) {
    pthread_mutex_lock(&job->writer->lock);
    const bool done = job->done;
    pthread_mutex_unlock(&job->writer->lock);
    return done;
}

wabe_status wabe_writer_end(wabe_writer_job **job) {
    wabe_writer *w = (*job)->writer;
    pthread_mutex_lock(&w->lock);
    while (!(*job)->done)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
    const wabe_status status = (*job)->status == WABE_OK
                                   ? WABE_OK
                                   : WABE_FAIL((*job)->status, "%s", (*job)->message);
    free(*job);
    *job = NULL;
    return status;
}
