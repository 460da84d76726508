/* Opening HDF5 files, and why HDF5 has failed. */
#pragma once

#include <hdf5.h>

/* The reason of the last failure, for a message. To be called right after it: the next call of HDF5
 * forgets it. Local. */
void wabe_hdf_reason(char reason[256]);

/* Opens a file for reading, without locks, which some cluster file systems refuse. Negative: HDF5
 * has failed; from here on it prints no errors of its own. Local. */
hid_t wabe_hdf_open(const char *path);
