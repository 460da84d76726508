# Finds HDF5 built with MPI: target ParallelHDF5::ParallelHDF5. Used by the build of Wabe, and by programs that
# use the library: this file is installed next to wabe-config.cmake.

set(HDF5_PREFER_PARALLEL ON)
# Debian installs several builds of HDF5 side by side; h5pcc.openmpi is the wrapper of the one for Open MPI.
if(NOT HDF5_C_COMPILER_EXECUTABLE AND NOT HDF5_ROOT AND NOT DEFINED ENV{HDF5_ROOT})
    find_program(WABE_H5PCC h5pcc.openmpi)
    mark_as_advanced(WABE_H5PCC)
    if(WABE_H5PCC)
        set(HDF5_C_COMPILER_EXECUTABLE ${WABE_H5PCC} CACHE FILEPATH "wrapper of parallel HDF5")
    endif()
endif()
find_package(HDF5 QUIET COMPONENTS C)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ParallelHDF5
    REQUIRED_VARS HDF5_C_LIBRARIES HDF5_IS_PARALLEL
    VERSION_VAR HDF5_VERSION
    REASON_FAILURE_MESSAGE
        "Wabe needs HDF5 built with MPI (HDF5 found: ${HDF5_FOUND}, parallel: ${HDF5_IS_PARALLEL}, \
wrapper: ${HDF5_C_COMPILER_EXECUTABLE}). On Debian and Ubuntu: apt install libhdf5-openmpi-dev. \
Elsewhere: -DHDF5_C_COMPILER_EXECUTABLE=/path/to/h5pcc.")

if(ParallelHDF5_FOUND AND NOT TARGET ParallelHDF5::ParallelHDF5)
    add_library(ParallelHDF5::ParallelHDF5 INTERFACE IMPORTED)
    target_include_directories(ParallelHDF5::ParallelHDF5 INTERFACE ${HDF5_C_INCLUDE_DIRS})
    target_compile_definitions(ParallelHDF5::ParallelHDF5 INTERFACE ${HDF5_C_DEFINITIONS})
    target_link_libraries(ParallelHDF5::ParallelHDF5 INTERFACE ${HDF5_C_LIBRARIES})
endif()
