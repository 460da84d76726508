/* Threads that write files in the background of a simulation.
 *
 * The caller takes a piece of memory, fills it and puts it; a thread writes it, and the memory can
 * be taken again. The total size of all pieces is limited: taking more waits. The threads know
 * nothing of MPI or HDF5. All functions are Local. */
#pragma once

#include "core/base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct wabe_writer wabe_writer;
typedef struct wabe_writer_job wabe_writer_job;
typedef struct wabe_piece wabe_piece;

/* Creates a writer with room bytes for pieces. devices: pieces are pinned, so that streams of
 * devices can copy to them directly, but allocating them takes long. WABE_MEMORY. */
wabe_status wabe_writer_create(int64_t room, bool devices, wabe_writer **out);
/* Increases the room to at least this. */
void wabe_writer_widen(wabe_writer *writer, int64_t room);
/* Destroys a writer; all of its jobs must have ended. */
void wabe_writer_destroy(wabe_writer **writer);

/* A file to be written. */
typedef struct {
    const char *path; /* for messages; must outlive the job */
    int descriptor;   /* of the open file */
    bool verify;      /* read each piece back after writing, and compare it */
    /* NULL, or inspects the values of each piece, on one of the threads, several pieces at once.
     * tag: see wabe_writer_put. */
    void (*look)(void *context, const void *tag, const void *values);
    void *context;
} wabe_writer_file;

/* Begins a job that writes a file. WABE_MEMORY. */
wabe_status wabe_writer_begin(wabe_writer *writer, const wabe_writer_file *file,
                              wabe_writer_job **out);

/* The memory that writing files takes, in bytes, beside what their values are computed with. */
typedef struct {
    int64_t pieces; /* all of them at once */
    int64_t piece;  /* the largest, for which there is always room */
    int64_t buffer; /* of a file that all processes write together, without a writer */
} wabe_writer_memory;

/* Adds the memory of another file, which may be written while pieces of the first ones are. */
void wabe_writer_memory_add(wabe_writer_memory *all, const wabe_writer_memory *other);
/* Returns the bytes in all that are taken at most, with a writer of this room. */
int64_t wabe_writer_memory_bytes(const wabe_writer_memory *memory, int64_t room);

/* The positions in the file of bytes that are contiguous in memory: runs of run bytes, count[0] of
 * them stride[0] apart, and count[1] such groups stride[1] apart. */
typedef struct {
    int64_t offset, run;
    int64_t count[2], stride[2];
} wabe_extents;

enum { WABE_PIECE_TAG_SIZE = 64 };

/* Returns the bytes that a piece of at least so many takes. */
int64_t wabe_writer_piece(int64_t bytes);
/* Takes a piece of at least so many bytes; waits until one is free. WABE_MEMORY: not a single piece
 * can be allocated. */
wabe_status wabe_writer_take(wabe_writer *writer, int64_t bytes, wabe_piece **out);
void *wabe_piece_values(wabe_piece *piece);
/* Gives a piece back unused. */
void wabe_writer_drop(wabe_writer *writer, wabe_piece *piece);
/* Queues a piece to be written; tag_bytes of tag, at most WABE_PIECE_TAG_SIZE, are copied for
 * look. */
void wabe_writer_put(wabe_writer_job *job, wabe_piece *piece, const wabe_extents *where,
                     const void *tag, int64_t tag_bytes);
/* Declares that no more pieces follow; the file is then synced. */
void wabe_writer_close(wabe_writer_job *job);

/* Calls function on a thread; wabe_writer_end returns its status, with its message. WABE_MEMORY. */
wabe_status wabe_writer_call(wabe_writer *writer, wabe_status (*function)(void *context),
                             void *context, wabe_writer_job **out);

/* Returns whether wabe_writer_end would return at once, after wabe_writer_close or
 * wabe_writer_call. */
bool wabe_writer_is_done(wabe_writer_job *job);
/* Waits for the job and frees it. WABE_FILE: the message has file and reason; WABE_MEMORY. */
wabe_status wabe_writer_end(wabe_writer_job **job);
