#include "core/io/hdf_error.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

/* Takes the reason from the innermost entry of HDF5's error stack; if it quotes a system error,
 * only that. */
static herr_t take_reason(unsigned depth, const H5E_error2_t *error, void *reason) {
    if (depth > 0 || !error->desc)
        return 0;
    const char *quote = strstr(error->desc, "error message = '");
    const char *begin = quote ? quote + strlen("error message = '") : error->desc;
    const int length = quote ? (int)strcspn(begin, "'") : (int)strlen(begin);
    snprintf(reason, 256, "%.*s", length, begin);
    return 0;
}

void wabe_hdf_reason(char reason[256]) {
    snprintf(reason, 256, "unknown HDF5 error");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_reason, reason);
}

hid_t wabe_hdf_open(const char *path) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_file_locking(access, false, true);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    const hid_t reasons = H5Eget_current_stack(); /* closing would clear it */
    H5Pclose(access);
    H5Eset_current_stack(reasons);
    return file;
}
