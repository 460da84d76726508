/* Why HDF5 has failed. */
#ifndef WABE_CORE_HDF_ERROR_H
#define WABE_CORE_HDF_ERROR_H

/* The reason of the last failure, for a message. To be called right after it: the next call of HDF5
 * forgets it. Local. */
void wabe_hdf_reason(char reason[256]);

#endif
