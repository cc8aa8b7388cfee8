# dap_add_test(<name> [LINK ...] [RANKS 1 2 3 ...] [OPTIMISED]): the test program <name>.cpp of this folder; with RANKS,
# one CTest test for each number of MPI processes, else one without MPI. TRIDAP_TEST_FLAGS, like -O0, let tests compile
# quickly whose own code is neither what they test, as it is for headers, nor long at work: the others say OPTIMISED.

find_package(GTest REQUIRED)
set(TRIDAP_TEST_FLAGS "" CACHE STRING "Flags for the compiler of the test programs that need not be fast")

set(TRIDAP_MPI_ENVIRONMENT  # more processes than cores, and root, are fine here; Tpetra's own checks are on
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_orte_execute_quiet=1
    PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    TPETRA_DEBUG=1 OMP_NUM_THREADS=1)
if(TRIDAP_SANITIZE)  # mpi_main.cpp looks for leaks before MPI ends; what Open MPI itself keeps is not ours
  set(suppressions suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan_suppressions.txt:print_suppressions=0)
  # GCC 12's LeakSanitizer takes what stands before a thread's memory that begins 16 bytes after a page for glibc 2.19's
  # header, and dies of it; untold of such memory, it finds it by the pointers to it.
  list(APPEND TRIDAP_MPI_ENVIRONMENT ASAN_OPTIONS=leak_check_at_exit=0:intercept_tls_get_addr=0
       LSAN_OPTIONS=${suppressions}:leak_check_at_exit=0)
endif()

# How tests configure these sources elsewhere, so that ccache finds what this build has compiled.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(TRIDAP_SAME_FLAGS -G Ninja -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DCMAKE_CXX_FLAGS_${type}=${CMAKE_CXX_FLAGS_${type}} -DCMAKE_COLOR_DIAGNOSTICS=${CMAKE_COLOR_DIAGNOSTICS}
    -DCMAKE_COMPILE_WARNING_AS_ERROR=${CMAKE_COMPILE_WARNING_AS_ERROR} -DTRIDAP_TEST_FLAGS=${TRIDAP_TEST_FLAGS})

# dap_add_mpi_run(<name> RANKS ... COMMAND ...): one CTest test <name>_np<N> for each N, with a limit on its time. Under
# the sanitizers on one process and on six, the first grid of two unlike extents, alone.
function(dap_add_mpi_run name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "RANKS;COMMAND;LABELS")
  if(TRIDAP_SANITIZE AND 6 IN_LIST arg_RANKS)
    list(FILTER arg_RANKS INCLUDE REGEX "^[16]$")
  endif()
  foreach(ranks ${arg_RANKS})
    add_test(NAME ${name}_np${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} --timeout 280 ${arg_COMMAND})
    set_tests_properties(${name}_np${ranks} PROPERTIES PROCESSORS 2 TIMEOUT 300 LABELS "mpi;${arg_LABELS}"
                         ENVIRONMENT "${TRIDAP_MPI_ENVIRONMENT}")
  endforeach()
endfunction()

function(dap_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "OPTIMISED" "" "SOURCES;LINK;RANKS;LABELS")
  add_executable(${name} ${name}.cpp ${arg_SOURCES})
  if(NOT arg_OPTIMISED)
    target_compile_options(${name} PRIVATE ${TRIDAP_TEST_FLAGS})
  endif()
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  tridap_options(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  if(arg_RANKS)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp)
    target_link_libraries(${name} PRIVATE GTest::gtest MPI::MPI_CXX)
    dap_add_mpi_run(${name} RANKS ${arg_RANKS} COMMAND $<TARGET_FILE:${name}> LABELS ${arg_LABELS})
  else()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 120 LABELS "${arg_LABELS}")
  endif()
endfunction()
