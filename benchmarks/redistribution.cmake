# bench_redistribution. If a peer's library is missing, the benchmark omits the peer and prints the reason.

find_package(CLI11 QUIET)
if(NOT TARGET TriDAP::redistribute OR NOT CLI11_FOUND)
  return()
endif()
tridap_add_benchmark(redistribution TriDAP::redistribute CLI11::CLI11)
target_sources(bench_redistribution PRIVATE redistribution/alltoallw.cpp redistribution/cases.cpp
               redistribution/contest.cpp redistribution/ours.cpp redistribution/peers.cpp redistribution/quiet.cpp)
if(TARGET TriDAP::tpetra)
  target_sources(bench_redistribution PRIVATE redistribution/tpetra.cpp)
  target_link_libraries(bench_redistribution PRIVATE TriDAP::tpetra)
  target_compile_definitions(bench_redistribution PRIVATE BENCH_TPETRA)
endif()

tridap_find_foreign(globalarrays globalarrays)  # also finds ScaLAPACK, even without Global Arrays
if(TRIDAP_SCALAPACK)
  target_sources(bench_redistribution PRIVATE redistribution/scalapack.cpp)
  target_compile_definitions(bench_redistribution PRIVATE BENCH_SCALAPACK)
  target_link_libraries(bench_redistribution PRIVATE ${TRIDAP_SCALAPACK})
endif()
if(globalarrays)
  target_sources(bench_redistribution PRIVATE redistribution/globalarrays.cpp)
  target_compile_definitions(bench_redistribution PRIVATE BENCH_GLOBALARRAYS)
  target_link_libraries(bench_redistribution PRIVATE TriDAP::foreign_globalarrays)
endif()
