/* Opening HDF5 files, and the reasons of HDF5's failures. */
#pragma once

#include <hdf5.h>

/* Gets the reason of HDF5's last failure, for a message. Call it right after the failure: the next
 * HDF5 call clears it. Local. */
void wabe_hdf_reason(char reason[256]);

/* Opens a file for reading, without file locks, which some cluster file systems refuse. Returns a
 * negative value if HDF5 fails; from then on HDF5 prints no errors itself. Local. */
hid_t wabe_hdf_open(const char *path);
