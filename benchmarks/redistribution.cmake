# bench_redistribution. If a peer's library is missing, the benchmark omits the peer and prints the reason.

find_package(CLI11 QUIET)
if(NOT TARGET TriDAP::redistribute OR NOT CLI11_FOUND)
  return()
endif()
tridap_add_benchmark(redistribution TriDAP::redistribute CLI11::CLI11)
target_sources(bench_redistribution PRIVATE redistribution/alltoallv.cpp redistribution/alltoallw.cpp
               redistribution/cases.cpp redistribution/contest.cpp redistribution/memory_orders.cpp redistribution/ours.cpp redistribution/peers.cpp redistribution/quiet.cpp
               redistribution/runs.cpp)
if(TARGET TriDAP::tpetra)
  target_sources(bench_redistribution PRIVATE redistribution/tpetra.cpp)
  target_link_libraries(bench_redistribution PRIVATE TriDAP::tpetra)
  target_compile_definitions(bench_redistribution PRIVATE BENCH_TPETRA)
endif()

tridap_find_foreign(globalarrays globalarrays)
if(globalarrays)
  target_sources(bench_redistribution PRIVATE redistribution/globalarrays.cpp)
  target_compile_definitions(bench_redistribution PRIVATE BENCH_GLOBALARRAYS)
  target_link_libraries(bench_redistribution PRIVATE TriDAP::foreign_globalarrays)
endif()
tridap_find_foreign(scalapack scalapack)
if(scalapack)
  target_sources(bench_redistribution PRIVATE redistribution/scalapack.cpp)
  target_compile_definitions(bench_redistribution PRIVATE BENCH_SCALAPACK)
  target_link_libraries(bench_redistribution PRIVATE TriDAP::foreign_scalapack)
endif()

# An earlier commit as a peer: its checkout is compiled into a library of its own, in another namespace.
set(TRIDAP_EARLIER "" CACHE PATH "a checkout of an earlier commit, which bench_redistribution measures, too")
if(TRIDAP_EARLIER)
  file(GLOB sources ${TRIDAP_EARLIER}/packages/protocol/src/*.cpp ${TRIDAP_EARLIER}/packages/mpi/src/*.cpp
       ${TRIDAP_EARLIER}/packages/plan/src/*.cpp ${TRIDAP_EARLIER}/packages/redistribute/src/*.cpp)
  add_library(earlier STATIC ${sources} redistribution/earlier.cpp)
  foreach(package protocol mpi plan redistribute)
    target_include_directories(earlier PRIVATE ${TRIDAP_EARLIER}/packages/${package}/include
                               ${TRIDAP_EARLIER}/packages/${package}/internal)
  endforeach()
  target_include_directories(earlier PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(earlier PRIVATE tridap=tridap_earlier)
  set_target_properties(earlier PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(earlier PRIVATE nlohmann_json::nlohmann_json TriDAP::foreign_mpi)
  target_link_libraries(bench_redistribution PRIVATE earlier)
  target_compile_definitions(bench_redistribution PRIVATE BENCH_EARLIER)
endif()
