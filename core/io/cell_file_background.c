/* Step 2 of core/io/cell_file.c: threads of each rank write the values to where HDF5 has allocated
 * space. */
#include "core/io/cell_file_internal.h"

#include <string.h>

/* The description of a piece for the threads. */
typedef struct {
    int array;
    wabe_box part;
} piece_tag;

_Static_assert(sizeof(piece_tag) <= WABE_PIECE_TAG_SIZE, "a piece has room for its tag");

static void look(void *context, const void *tag, const void *values) {
    const wabe_cell_content *content = context;
    piece_tag piece;
    memcpy(&piece, tag, sizeof piece);
    content->look(content->context, piece.array, piece.part, values);
}

/* Returns the positions of a part of an array in the file. */
static wabe_extents extents_of(const wabe_cell_file *file, int array, wabe_box part) {
    const int64_t *n = file->shape.cells, *begin = part.begin;
    const int64_t cell = wabe_cell_bytes_per_cell(&file->shape.arrays[array]);
    const int64_t row = n[0] * cell, plane = n[1] * row;
    wabe_extents e = {.offset = file->job.offsets[array] + begin[2] * plane + begin[1] * row +
                                begin[0] * cell,
                      .run = wabe_box_extent(part, 0) * cell,
                      .count = {wabe_box_extent(part, 1), wabe_box_extent(part, 2)},
                      .stride = {row, plane}};
    for (int d = 0; d < 2 && e.run == e.stride[d]; d++) { /* they are contiguous */
        e.run *= e.count[d];
        e.count[d] = 1;
    }
    return e;
}

static wabe_status put_part(wabe_cell_file *file, int array, wabe_box part) {
    const wabe_cell_content *content = &file->job.content;
    const int64_t bytes = wabe_cell_bytes_in(file, array, part);
    const wabe_extents where = extents_of(file, array, part);
    const piece_tag tag = {array, part};
    wabe_piece *piece;
    WABE_TRY(wabe_writer_take(file->writer, bytes, &piece));
    const wabe_status status = content->fill(content->context, array, part,
                                             wabe_piece_values(piece));
    if (status != WABE_OK) {
        wabe_writer_drop(file->writer, piece);
        return status;
    }
    wabe_writer_put(file->job.written, piece, &where, &tag, sizeof tag);
    return WABE_OK;
}

static wabe_status put_all(wabe_cell_file *file) {
    for (int a = 0; a < file->shape.array_count; a++)
        for (int64_t n = 0; n < file->writes; n++) {
            const wabe_box part = wabe_cell_part(file, n);
            if (!wabe_box_is_empty(part))
                WABE_TRY(put_part(file, a, part));
        }
    return WABE_OK;
}

static wabe_status begin_rank(wabe_cell_file *file) {
    wabe_cell_job *job = &file->job;
    WABE_TRY(wabe_cell_open_own(file));
    const wabe_writer_file request = {.path = job->path,
                                      .descriptor = job->descriptor,
                                      .verify = job->content.verify || !job->reserved,
                                      .look = job->content.look ? look : NULL,
                                      .context = &job->content};
    return wabe_writer_begin(file->writer, &request, &job->written);
}

wabe_status wabe_cell_begin_background(wabe_cell_file *file) {
    wabe_status status = begin_rank(file);
    if (status == WABE_OK) {
        status = put_all(file);
        wabe_writer_close(file->job.written);
    }
    return wabe_agree(file->comm, status);
}

wabe_status wabe_cell_end_background(wabe_cell_file *file) {
    return file->job.written ? wabe_writer_end(&file->job.written) : WABE_OK;
}
