# For TriBITS: Global Arrays with its ARMCI. Debian's header is in a folder of its own, and its libraries are named after
# their MPI: GlobalArrays_INCLUDE_DIRS=/usr/include/ga, GlobalArrays_LIBRARY_NAMES=ga-openmpi;armci-openmpi.
tribits_tpl_find_include_dirs_and_libraries(GlobalArrays REQUIRED_HEADERS ga.h REQUIRED_LIBS_NAMES ga armci)
