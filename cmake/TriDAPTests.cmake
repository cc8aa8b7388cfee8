# A folder of tests has one file for each header. The files of a folder are one program, which is started once for each
# number of processes. The numbers of processes are beside the file's name:
#
#   tridap_add_test(import_vector_test LINK TriDAP::tpetra RANKS 1 4 ALL 3 6)
#
# RANKS: the numbers in `./dev test`. ALL: the numbers that `./dev test --all` adds. A test with neither runs without MPI, in
# `./dev test`. If a fact depends on the number of processes, it is tested on one, on three, of which one is in the middle,
# on four, a grid of equal extents, and on six, the smallest grid of two different ones. Others need one number: two, or four.
# A test has one of CTest's labels "quick", "more" (the tests that --all adds), "root" (those that --all adds if it runs as
# root, on simulated nodes and in mount namespaces) and "first" (fresh machines), and labels with a colon for `./dev test NAME`.

add_custom_target(quick_tests)  # everything that `./dev test` builds
add_custom_target(tridap_installed)  # everything that is installed

# MPIEXEC_TIMEOUT is the time limit in seconds in Open MPI and in MPICH; Open MPI alone has an option for it.
set(TRIDAP_TEST_SECONDS 600)
if(TRIDAP_SANITIZE)
  set(TRIDAP_TEST_SECONDS 1500)
endif()
math(EXPR limit_of_mpi "${TRIDAP_TEST_SECONDS} - 20")
set(TRIDAP_MPI_ENVIRONMENT  # allow more processes than cores, and root; turn on Tpetra's own checks
    MPIEXEC_TIMEOUT=${limit_of_mpi}
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_orte_execute_quiet=1
    PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_mapby=:oversubscribe
    ARMCI_IOV_METHOD=BATCHED OMPI_MCA_osc_ucx_verbose=-1  # without warnings of Open MPI 6 and, about it, of ARMCI
    OMPI_MCA_btl_sm_fbox_max=0  # Open MPI 6.0.0rc2 loses messages of several threads there: see docs/howto/together.md
    TPETRA_DEBUG=1 OMP_NUM_THREADS=1)
if(TRIDAP_SANITIZE)  # mpi_main.cpp checks for leaks before MPI_Finalize; leaks of Open MPI are suppressed
  set(suppressions suppressions=${PROJECT_SOURCE_DIR}/tests/support/lsan_suppressions.txt:print_suppressions=0)
  # If a thread's memory begins 16 bytes after a page, GCC 12's LeakSanitizer reads the bytes before it as the header of
  # glibc 2.19, and crashes. Without intercept_tls_get_addr it does not know such memory, and reaches it by pointers.
  list(APPEND TRIDAP_MPI_ENVIRONMENT ASAN_OPTIONS=leak_check_at_exit=0:intercept_tls_get_addr=0
       LSAN_OPTIONS=${suppressions}:leak_check_at_exit=0)
endif()

# The options with which tests configure these sources in other folders, so that ccache finds the objects of this build.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
set(TRIDAP_SAME_FLAGS -G Ninja -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DCMAKE_CXX_FLAGS_${type}=${CMAKE_CXX_FLAGS_${type}} -DCMAKE_COLOR_DIAGNOSTICS=${CMAKE_COLOR_DIAGNOSTICS}
    -DCMAKE_COMPILE_WARNING_AS_ERROR=${CMAKE_COMPILE_WARNING_AS_ERROR} -DTRIDAP_TEST_FLAGS=${TRIDAP_TEST_FLAGS}
    -DCMAKE_UNITY_BUILD=${TRIDAP_UNITY} -DCMAKE_UNITY_BUILD_BATCH_SIZE=${CMAKE_UNITY_BUILD_BATCH_SIZE})

# Sanitized tests of what passes no memory between libraries or processes: `./dev test --all` leaves them out, and
# `./dev test --all --sanitized` runs them too. What reads hostile input is fuzzed.
set(TRIDAP_PASSES_NO_MEMORY "^(cli_.*|tool_readme|infer.*|docs.*|libraries_in_any_order|sparse(_petsc|_tpetra|_both)?_np4|python_more.*)$")

# Gives a CTest test its labels: when it runs (quick, more, root or first), folder:, kind: (gtest, pytest or other), ranks:
# (its number of processes; 0: without MPI, or fixed), and a target: for each target that it needs and a file: for each file.
function(tridap_label_test name label targets kind ranks files)
  get_filename_component(folder ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  if(TRIDAP_SANITIZE AND NOT name MATCHES "${TRIDAP_PASSES_NO_MEMORY}")
    set(label memory)
  endif()
  if(targets AND label STREQUAL "quick")
    add_dependencies(quick_tests ${targets})
  endif()
  list(TRANSFORM targets PREPEND target:)
  list(TRANSFORM files PREPEND file:)
  if(TRIDAP_IN_TRIBITS)
    list(APPEND files TriDAP)
  endif()
  set_property(TEST ${name} APPEND PROPERTY LABELS ${label} folder:${folder} kind:${kind} ranks:${ranks}
               ${targets} ${files})
endfunction()

# A test with several processes reserves two cores. Inside Trilinos it reserves as many as it has processes.
function(tridap_processors name ranks)
  if(ranks GREATER 1 AND TRIDAP_IN_TRIBITS)
    set_tests_properties(${name} PROPERTIES PROCESSORS ${ranks})
  elseif(ranks GREATER 1)
    set_tests_properties(${name} PROPERTIES PROCESSORS 2)
  endif()
endfunction()

# With sanitizers, a test runs only on its largest number of processes up to 4, or on the smallest one if all are larger:
# more processes make the same calls, and on two cores each takes turns with the others.
function(tridap_sanitized_ranks result)
  set(ranks ${ARGN})
  list(SORT ranks COMPARE NATURAL)
  list(GET ranks 0 most)
  foreach(number ${ranks})
    if(number LESS_EQUAL 4)
      set(most ${number})
    endif()
  endforeach()
  set(${result} ${most} PARENT_SCOPE)
endfunction()

# tridap_add_mpi_run(<name> [RANKS ...] [ALL ...] COMMAND ... [TARGETS ...] [KIND kind FILES ...]): adds a CTest test
# <name>_np<N> for each number of processes N, with a time limit.
function(tridap_add_mpi_run name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND" "RANKS;ALL;COMMAND;TARGETS;FILES;ENVIRONMENT")
  set(name ${TRIDAP_TEST_PREFIX}${name})
  set(all ${arg_RANKS} ${arg_ALL})
  list(REMOVE_DUPLICATES all)
  if(NOT arg_KIND)
    set(arg_KIND other)
  endif()
  if(TRIDAP_SANITIZE)
    tridap_sanitized_ranks(all ${all})
  endif()
  foreach(ranks ${all})
    set(label more)
    if(ranks IN_LIST arg_RANKS AND NOT TRIDAP_SANITIZE)
      set(label quick)
    endif()
    tridap_adds_test(added ${name}_np${ranks} ${label} ${ranks})
    if(NOT added)
      continue()
    endif()
    add_test(NAME ${name}_np${ranks}
             COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${TRIDAP_MPI_EXEC_POST} ${arg_COMMAND})
    tridap_processors(${name}_np${ranks} ${ranks})
    set(environment ${TRIDAP_MPI_ENVIRONMENT} ${arg_ENVIRONMENT})
    if(arg_KIND STREQUAL "other")  # takes seconds: one that waits for ever does not take the time of the others
      list(APPEND environment MPIEXEC_TIMEOUT=280)
    endif()
    set_tests_properties(${name}_np${ranks} PROPERTIES TIMEOUT ${TRIDAP_TEST_SECONDS} ENVIRONMENT "${environment}")
    tridap_label_test(${name}_np${ranks} ${label} "${arg_TARGETS}" ${arg_KIND} ${ranks} "${arg_FILES}")
  endforeach()
endfunction()

# tridap_test_properties(<name> PROPERTY VALUE...): sets properties of <name>_np<N> for each N.
function(tridap_test_properties name)
  set(name ${TRIDAP_TEST_PREFIX}${name})
  foreach(ranks 1 2 3 4 6)
    if(TEST ${name}_np${ranks})
      set_tests_properties(${name}_np${ranks} PROPERTIES ${ARGN})
    endif()
  endforeach()
endfunction()

# tridap_add_run(<name> [QUICK] [ROOT] [FIRST] [MPI] [TIMEOUT seconds] COMMAND ... [TARGETS ...]): adds a CTest test. MPI: it
# runs mpiexec. ROOT: it makes Linux namespaces, for which it must be root. FIRST: it makes fresh machines, or says why it
# cannot.
function(tridap_add_run name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QUICK;ROOT;FIRST;MPI" "TIMEOUT" "COMMAND;TARGETS;ENVIRONMENT")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(label more)
  if(arg_QUICK AND NOT TRIDAP_SANITIZE)
    set(label quick)
  elseif(arg_ROOT)
    set(label root)
  elseif(arg_FIRST)
    set(label first)
  endif()
  set(name ${TRIDAP_TEST_PREFIX}${name})
  tridap_ranks_of(ranks ${arg_COMMAND})
  tridap_adds_test(added ${name} ${label} ${ranks})
  if(NOT added)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} ENVIRONMENT "${arg_ENVIRONMENT}")
  if(arg_MPI)
    math(EXPR limit "${arg_TIMEOUT} - 20")
    set_tests_properties(${name} PROPERTIES PROCESSORS 2
                         ENVIRONMENT "${TRIDAP_MPI_ENVIRONMENT};MPIEXEC_TIMEOUT=${limit};${arg_ENVIRONMENT}")
    if(TRIDAP_IN_TRIBITS)
      tridap_processors(${name} ${ranks})
    endif()
  endif()
  tridap_label_test(${name} ${label} "${arg_TARGETS}" other 0 "")
endfunction()

# Precompiled headers that every test includes, and the main functions.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp "")
add_library(tests_precompiled OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
target_precompile_headers(tests_precompiled PRIVATE <gtest/gtest.h> <algorithm> <array> <functional> <map> <memory>
                          <numeric> <optional> <random> <set> <sstream> <string> <variant> <vector>)
function(tridap_test_main name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINK;DEFINE")
  add_library(${name} OBJECT ${arg_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/test_files.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name} PRIVATE ${arg_DEFINE})
  target_link_libraries(${name} PRIVATE GTest::gtest ${arg_LINK})
  target_compile_options(${name} PRIVATE ${TRIDAP_TEST_FLAGS})
  tridap_options(${name})
endfunction()
target_link_libraries(tests_precompiled PRIVATE GTest::gtest)
target_compile_options(tests_precompiled PRIVATE ${TRIDAP_TEST_FLAGS})
tridap_options(tests_precompiled)
set_target_properties(tests_precompiled PROPERTIES POSITION_INDEPENDENT_CODE OFF)
tridap_test_main(tests_main SOURCES ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
if(TARGET TriDAP::mpi)
  set(mpi_main ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp ${PROJECT_SOURCE_DIR}/tests/support/sleeping_mpi.cpp)
  tridap_test_main(tests_mpi_main SOURCES ${mpi_main} LINK MPI::MPI_CXX)
endif()
if(TARGET TriDAP::tpetra)
  tridap_test_main(tests_kokkos_main SOURCES ${mpi_main} LINK MPI::MPI_CXX TriDAP::foreign_kokkos DEFINE TRIDAP_TEST_KOKKOS)
endif()

# tridap_add_test(<file> [RANKS ...] [ALL ...] [LINK ...] [SOURCES ...] [INCLUDE ...] [DEFINE ...] [PROGRAM name]
#                 [KOKKOS] [OPTIMISED] [HEADERS] [SAMPLED] [ARITHMETIC]):
# adds the test file <file>.cpp to the program of this folder, or to a program of its own (PROGRAM) if it must not share
# a process.
#   KOKKOS     Kokkos is initialized from the start of main to its end
#   OPTIMISED  the test is long, and is compiled without TRIDAP_TEST_FLAGS
#   HEADERS    the tested code is in headers: `./dev test --all` also runs the test optimised, as users compile the headers
#   ARITHMETIC the test does not run with sanitizers: the tested code owns no memory and reads no foreign bytes, or a comment
#              says why
#   SAMPLED    `./dev test` runs a sample of its cases (tests/support/effort.hpp). `./dev test --all` runs all cases on the
#              numbers of ALL, or without MPI
function(tridap_add_test file)
  cmake_parse_arguments(PARSE_ARGV 1 arg "KOKKOS;OPTIMISED;HEADERS;SAMPLED;ARITHMETIC" "PROGRAM"
                        "RANKS;ALL;LINK;SOURCES;INCLUDE;DEFINE")
  if(TRIDAP_SANITIZE AND arg_ARITHMETIC)
    return()
  endif()
  if(NOT arg_PROGRAM)
    get_filename_component(arg_PROGRAM ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  endif()
  set(program ${arg_PROGRAM}_tests)
  if(arg_RANKS OR arg_ALL)
    set(program ${arg_PROGRAM}_mpi_tests)
  endif()
  if(NOT TARGET ${program})
    set(main tests_main)
    if(arg_KOKKOS)
      set(main tests_kokkos_main)
    elseif(arg_RANKS OR arg_ALL)
      set(main tests_mpi_main)
    endif()
    tridap_test_program(${program} ${main})
    target_compile_options(${program} PRIVATE ${TRIDAP_TEST_FLAGS})
    target_precompile_headers(${program} REUSE_FROM tests_precompiled)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL tridap_finish_program ${arg_PROGRAM} ${program})")
  endif()
  tridap_program_takes(${program} ${file})
  if(arg_OPTIMISED AND (TRIDAP_TEST_FLAGS OR TRIDAP_SANITIZE))
    set_source_files_properties(${file}.cpp PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
  endif()
  set_property(TARGET ${program} APPEND PROPERTY TRIDAP_FILES ${file})
  foreach(option RANKS ALL SAMPLED)
    set_property(TARGET ${program} PROPERTY TRIDAP_${option}_${file} "${arg_${option}}")
  endforeach()
  if(arg_HEADERS AND TRIDAP_TEST_FLAGS AND NOT arg_RANKS)
    set(optimised ${arg_PROGRAM}_as_compiled_by_users)
    if(NOT TARGET ${optimised})
      tridap_test_program(${optimised} tests_main)
      target_compile_options(${optimised} PRIVATE -O1)  # inlines, and compiles in half the time of -O3
      set(name ${TRIDAP_TEST_PREFIX}${optimised})
      tridap_adds_test(added ${name} more 0)
      if(added)
        add_test(NAME ${name} COMMAND ${optimised} --gtest_brief=1)
        set_tests_properties(${name} PROPERTIES TIMEOUT 900)
        tridap_label_test(${name} more ${optimised} gtest 0 "")
      endif()
    endif()
    tridap_program_takes(${optimised} ${file})
  endif()
endfunction()

function(tridap_test_program program main)
  add_executable(${program} $<TARGET_OBJECTS:${main}>)
  target_link_libraries(${program} PRIVATE GTest::gtest $<TARGET_PROPERTY:${main},LINK_LIBRARIES>)
  target_include_directories(${program} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  tridap_options(${program})
  if(TRIDAP_UNITY)  # GCC treats an included test file as a header, and warns if its classes use private types
    target_compile_options(${program} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>
                           $<$<CXX_COMPILER_ID:Clang>:-Wno-shadow>)  # by a constant of another test file
  endif()
  # TYPED_TEST_SUITE of GoogleTest 1.12
  target_compile_options(${program} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-Wno-gnu-zero-variadic-macro-arguments>)
endfunction()

macro(tridap_program_takes program file)  # uses the arguments of tridap_add_test
  target_sources(${program} PRIVATE ${file}.cpp ${arg_SOURCES})
  target_link_libraries(${program} PRIVATE ${arg_LINK})
  target_include_directories(${program} PRIVATE ${arg_INCLUDE})
  target_compile_definitions(${program} PRIVATE ${arg_DEFINE})
endmacro()

# Adds the CTest tests of a program: <name> without MPI, or <name>_np<N>; <name>..._more are the tests that --all adds.
function(tridap_finish_program name program)
  get_target_property(files ${program} TRIDAP_FILES)
  set(numbers "")
  foreach(file ${files})
    foreach(option RANKS ALL SAMPLED)
      get_target_property(${option}_${file} ${program} TRIDAP_${option}_${file})
    endforeach()
    if(NOT RANKS_${file} AND NOT ALL_${file})  # no MPI
      set(RANKS_${file} 0)
      set(ALL_${file} 0)
    endif()
    if(TRIDAP_SANITIZE)
      tridap_sanitized_ranks(ALL_${file} ${RANKS_${file}} ${ALL_${file}})
      set(RANKS_${file} "")
    endif()
    list(APPEND numbers ${RANKS_${file}} ${ALL_${file}})
  endforeach()
  list(REMOVE_DUPLICATES numbers)
  foreach(ranks ${numbers})
    set(quick "")
    set(more "")
    foreach(file ${files})
      if(ranks IN_LIST RANKS_${file})
        list(APPEND quick ${file})
      endif()
      if(ranks IN_LIST ALL_${file} AND (SAMPLED_${file} OR NOT ranks IN_LIST RANKS_${file}))
        list(APPEND more ${file})
      endif()
    endforeach()
    tridap_add_program_run("${name}" ${program} quick ${ranks} "${quick}" "${files}")
    tridap_add_program_run("${name}" ${program} more ${ranks} "${more}" "${files}")
  endforeach()
endfunction()

function(tridap_add_program_run name program label ranks run all)
  if(NOT run)
    return()
  endif()
  set(name ${TRIDAP_TEST_PREFIX}${name})
  set(command $<TARGET_FILE:${program}> --gtest_brief=1)
  if(NOT run STREQUAL all)
    list(JOIN run "," some)
    list(APPEND command --files=${some})
  endif()
  set(seconds ${TRIDAP_TEST_SECONDS})
  set(more_environment "")
  if(ranks GREATER 100)  # their start and end alone take minutes on some machines; mpiexec answers all of them, and is not niced
    set(seconds 1500)
    set(more_environment MPIEXEC_TIMEOUT=1480)
    list(PREPEND command nice)
  endif()
  if(ranks GREATER 0)
    string(APPEND name _np${ranks})
    list(PREPEND command ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${TRIDAP_MPI_EXEC_POST})
  endif()
  if(label STREQUAL "more" AND TEST ${name})
    string(APPEND name _more)
  endif()
  tridap_adds_test(added ${name} ${label} ${ranks})
  if(NOT added)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${command})
  set(environment TRIDAP_TEST_EFFORT=all)
  if(label STREQUAL "quick")
    set(environment TRIDAP_TEST_EFFORT=sample)
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds})
  if(ranks GREATER 0)
    tridap_processors(${name} ${ranks})
    list(APPEND environment ${TRIDAP_MPI_ENVIRONMENT} ${more_environment})
  elseif(TRIDAP_SANITIZE)
    list(APPEND environment LSAN_OPTIONS=${suppressions})
  endif()
  set_property(TEST ${name} PROPERTY ENVIRONMENT "${environment}")
  tridap_label_test(${name} ${label} ${program} gtest ${ranks} "${run}")
endfunction()
