# Defines what `cmake --install` installs, and the Debian packages of `cpack -G DEB`. Installed files contain no
# paths of the sources, the build or the prefix, so an installed tree can be moved.
#
# Two components: runtime, for running cases, and development, for programs that use the library. They become the
# packages wabe and wabe-dev.

include(CMakePackageConfigHelpers)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/wabe)
set(data_folder ${CMAKE_INSTALL_DATADIR}/wabe)
set(examples_folder ${CMAKE_INSTALL_DOCDIR}/examples)
set(generated ${PROJECT_BINARY_DIR}/generated)

# ---- runtime ---------------------------------------------------------------------------------

# Libraries outside the system's folders, as on clusters, are found where they were at build time.
set_target_properties(wabe PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS wabe COMPONENT runtime)

configure_file(docs/wabe.1.in ${generated}/wabe.1 @ONLY)
install(FILES ${generated}/wabe.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
install(FILES scripts/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME wabe COMPONENT runtime)

install(DIRECTORY input DESTINATION ${data_folder} COMPONENT runtime FILES_MATCHING PATTERN "*.cfg")
# The scripts mentioned in examples and in the program's messages, and those for results.
set(scripts make_heights.py make_mesh.py make_voxel_image.py watch.py plot_residence.py plot_dendrite.py plot_dissipation.py
    plot_forces.py make_film.py render.py plot_machine.py plot_prediction.py compare_runs.py
    check_paraview.py)
list(TRANSFORM scripts PREPEND scripts/)
install(PROGRAMS ${scripts} DESTINATION ${data_folder}/scripts COMPONENT runtime)
install(FILES scripts/packages.py scripts/plotting.py DESTINATION ${data_folder}/scripts COMPONENT runtime)

# The Python package, which the scripts use and pip installs.
install(FILES python/pyproject.toml DESTINATION ${data_folder}/python COMPONENT runtime)
install(DIRECTORY python/wabe DESTINATION ${data_folder}/python COMPONENT runtime FILES_MATCHING PATTERN "*.py"
        PATTERN __pycache__ EXCLUDE)

install(FILES README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT runtime)

# ---- development -----------------------------------------------------------------------------

install(TARGETS libwabe EXPORT wabe-targets COMPONENT development)
# Internal headers are excluded: those with internal names (internal.h, NAME_internal.h), and those that need HDF5.
install(DIRECTORY core comm sweeps apps ${generated}/core DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/wabe
        COMPONENT development FILES_MATCHING PATTERN "*.h"
        PATTERN "*internal.h" EXCLUDE
        PATTERN device_driver.h EXCLUDE PATTERN cell_file.h EXCLUDE PATTERN hdf_error.h EXCLUDE)

install(EXPORT wabe-targets NAMESPACE wabe:: DESTINATION ${cmake_folder} COMPONENT development)
configure_package_config_file(cmake/wabe-config.cmake.in ${generated}/wabe-config.cmake
    INSTALL_DESTINATION ${cmake_folder} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
# Before version 1 anything may change from one minor version to the next.
write_basic_package_version_file(${generated}/wabe-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/wabe-config.cmake ${generated}/wabe-config-version.cmake cmake/FindParallelHDF5.cmake
        DESTINATION ${cmake_folder} COMPONENT development)

# For pkg-config, which has no targets: the files of all libraries except those that it finds itself.
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(pc_libraries ${HDF5_C_LIBRARIES} ${MPI_C_LIBRARIES} ${OpenMP_C_FLAGS} ${CMAKE_THREAD_LIBS_INIT})
if(WABE_CUDA)
    list(APPEND pc_libraries ${CUDA_cudart_static_LIBRARY} pthread dl rt stdc++)
endif()
list(APPEND pc_libraries m)
list(TRANSFORM pc_libraries REPLACE "^([^-/].*)$" "-l\\1")
list(JOIN pc_libraries " " pc_libraries)
list(TRANSFORM MPI_C_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE pc_includes)
list(JOIN pc_includes " " pc_includes)
if(CAIRO_FOUND)
    set(pc_cairo " cairo")
endif()
configure_file(cmake/wabe.pc.in ${generated}/wabe.pc @ONLY)
install(FILES ${generated}/wabe.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# A program that uses the library.
install(DIRECTORY tests/install/ DESTINATION ${examples_folder} COMPONENT development)

# ---- Debian packages -------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Wabe developers")
set(CPACK_PACKAGE_CONTACT "The Wabe developers <maintainers@wabe.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lattice Boltzmann flow simulation on CPUs and GPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME wabe)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "Wabe simulates flow with the lattice Boltzmann method (D3Q19), through porous media too, and the diffusion\n\
equation, with OpenMP, SIMD and MPI on processors and with CUDA on GPUs where it was built with it. Results are\n\
HDF5 files for ParaView, pictures and JSON; they have the same bits on any number of processes.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS openmpi-bin) # without it not even a single process starts
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "paraview, python3-matplotlib, python3-pil, python3-h5py")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME wabe-dev)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "The static library, its headers, and what CMake and pkg-config need to find it.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libopenmpi-dev, libhdf5-openmpi-dev, libconfig-dev, libpng-dev, zlib1g-dev, pkg-config")
if(CAIRO_FOUND)
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libcairo2-dev")
endif()
if(WABE_CUDA) # CUDA's packages have many names
    string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", g++")
endif()
# Every package contains the licence; an installed tree has one copy.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}-dev RENAME copyright
        COMPONENT development EXCLUDE_FROM_ALL)
include(CPack)
