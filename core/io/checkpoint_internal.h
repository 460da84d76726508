/* Shared by core/io/checkpoint*.c. */
#pragma once

#include "core/io/checkpoint.h"
#include "core/io/dataset.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

enum {
    WORD_SIZE = 64, /* of names in the metadata */
    NAME_SIZE = 64, /* of a file's name */
    PATH_SIZE = 32  /* of an array's name in the file */
};

/* A checkpoint that is open for reading. */
struct wabe_checkpoint {
    char path[PATH_MAX];
    wabe_checkpoint_head head; /* texts are owned */
    char words[WABE_CHECKPOINT_NUMBERS_MAX][WORD_SIZE];
    uint64_t *sums; /* [array][z] */
    /* The dataset of the array that was read last; NULL: none. */
    wabe_dataset *data;
    int array;
    char name[PATH_SIZE];
};

static inline int wabe_checkpoint_arrays(const wabe_checkpoint_head *h) {
    return h->array_count + h->real_count;
}

static inline wabe_type wabe_checkpoint_type(const wabe_checkpoint_head *h, int array) {
    return array < h->array_count ? h->type : WABE_TYPE_f64;
}

static inline void wabe_checkpoint_name_array(int array, char name[PATH_SIZE]) {
    snprintf(name, PATH_SIZE, "/state/%02d", array);
}

/* checkpoint_sums.c: adds the hashes of a part of an array to the checksums of its planes, sums[z].
 * Local. */
void wabe_checkpoint_add_to_sums(const int64_t cells[3], wabe_box part, wabe_type type,
                                 const void *values, uint64_t *sums);
/* Returns a hash of all metadata, to detect damage there. Local. */
uint64_t wabe_checkpoint_hash_head(const wabe_checkpoint_head *h);

/* checkpoint_folder.c: gets the name of a step's file. Local. */
void wabe_checkpoint_name(int64_t step, char name[NAME_SIZE]);
/* After a new checkpoint of this step: removes all but the latest keep - 1 of the older ones, and
 * renames those of another run, which would otherwise be taken for the latest of this one. Failures
 * are ignored; the next checkpoint tries again. Local. */
void wabe_checkpoint_tidy(const char *directory, int64_t step, int64_t mine, int64_t keep);
