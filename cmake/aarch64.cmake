# Cross-compiles for 64-bit Arm with Debian's compiler and the libraries in the folder WABE_SYSROOT, and runs what is built by
# QEMU: scripts/test_portability.sh.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WABE_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_SYSROOT ${WABE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${WABE_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
set(libraries ${WABE_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${WABE_SYSROOT})

# Wrappers of compilers are programs of the other processor.
set(MPI_C_HEADER_DIR ${libraries}/openmpi/include CACHE PATH "")
set(MPI_C_LIB_NAMES mpi CACHE STRING "")
set(MPI_mpi_LIBRARY ${libraries}/openmpi/lib/libmpi.so CACHE FILEPATH "")
set(HDF5_ROOT ${libraries}/hdf5/openmpi CACHE PATH "")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}:${libraries}/openmpi/lib:${WABE_SYSROOT}/lib/aarch64-linux-gnu")
