/* Threads that write values to files while their caller goes on: how files are written behind a
 * simulation.
 *
 * The caller takes a piece of memory, fills it and puts it; a thread writes it and the memory can
 * be taken again. There is room for so many bytes at once: who takes more waits. The threads know
 * nothing of MPI or HDF5. All Local. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wabe_writer wabe_writer;
typedef struct wabe_writer_job wabe_writer_job;
typedef struct wabe_piece wabe_piece;

/* devices: streams of devices can copy to the pieces directly, which take long to allocate.
 * WABE_MEMORY. */
wabe_status wabe_writer_create(int64_t room, bool devices, wabe_writer **out);
/* More room. */
void wabe_writer_widen(wabe_writer *writer, int64_t room);
/* All of its jobs must have ended. */
void wabe_writer_destroy(wabe_writer **writer);

/* How a file is written. */
typedef struct {
    const char *path; /* for messages; must outlive the job */
    int descriptor;   /* of the open file */
    bool verify;      /* each piece is compared with what the file has after it was written */
    /* NULL, or what else looks at the values of each piece, on one of the threads: at several
     * pieces at once. tag: see wabe_writer_put. */
    void (*look)(void *context, const void *tag, const void *values);
    void *context;
} wabe_writer_file;

wabe_status wabe_writer_begin(wabe_writer *writer, const wabe_writer_file *file,
                              wabe_writer_job **out);

/* Bytes that follow each other in memory, and where they go: runs of so many bytes, count[0] of
 * them stride[0] apart in the file, and count[1] such groups stride[1] apart. */
typedef struct {
    int64_t offset, run;
    int64_t count[2], stride[2];
} wabe_extents;

enum { WABE_PIECE_TAG_SIZE = 64 };

/* Memory for so many bytes; waits until there is some. WABE_MEMORY: there is none at all. */
wabe_status wabe_writer_take(wabe_writer *writer, int64_t bytes, wabe_piece **out);
void *wabe_piece_values(wabe_piece *piece);
/* Back again, unused. */
void wabe_writer_drop(wabe_writer *writer, wabe_piece *piece);
/* To be written; tag_bytes of tag are copied for look. */
void wabe_writer_put(wabe_writer_job *job, wabe_piece *piece, const wabe_extents *where,
                     const void *tag, int64_t tag_bytes);
/* Nothing more will be put: the file is synced. */
void wabe_writer_close(wabe_writer_job *job);

/* A thread calls function; wabe_writer_end returns what it returned, with its message.
 * WABE_MEMORY. */
wabe_status wabe_writer_call(wabe_writer *writer, wabe_status (*function)(void *context),
                             void *context, wabe_writer_job **out);

/* After wabe_writer_close or wabe_writer_call: would wabe_writer_end return at once? */
bool wabe_writer_is_done(wabe_writer_job *job);
/* Waits for the job. WABE_FILE: the file and the reason; WABE_MEMORY. */
wabe_status wabe_writer_end(wabe_writer_job **job);
