/* What core/io/checkpoint*.c share. */
#pragma once

#include "core/io/checkpoint.h"
#include "core/io/dataset.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

enum {
    WORD_SIZE = 64, /* of names in a head */
    NAME_SIZE = 64, /* of a file's name */
    PATH_SIZE = 32  /* of an array's name in the file */
};

/* One that is there. */
struct wabe_checkpoint {
    char path[PATH_MAX];
    wabe_checkpoint_head head; /* its texts are owned */
    char words[WABE_CHECKPOINT_NUMBERS_MAX][WORD_SIZE];
    uint64_t *sums; /* [array][z] */
    /* The array that was read last; NULL: none. */
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

/* checkpoint_sums.c. Adds the hashes of a part of an array to the sums of its planes, sums[z].
 * Local. */
void wabe_checkpoint_add_to_sums(const int64_t cells[3], wabe_box part, wabe_type type,
                                 const void *values, uint64_t *sums);
/* Of all that a head says, so that a changed bit there shows. Local. */
uint64_t wabe_checkpoint_hash_head(const wabe_checkpoint_head *h);

/* checkpoint_folder.c. The file's name. Local. */
void wabe_checkpoint_name(int64_t step, char name[NAME_SIZE]);
/* After a new one, of this step: older ones than the last so many go. Those of another run step
 * aside, so as not to be taken for the latest of this one. What cannot be done now the next
 * checkpoint tries again. Local. */
void wabe_checkpoint_tidy(const char *directory, int64_t step, int64_t mine, int64_t keep);
