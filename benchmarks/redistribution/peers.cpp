#include "redistribution/peers.hpp"

namespace bench {

std::vector<Peer> peers() {
  std::vector<Peer> all(5);
  Peer &alltoallw = all[0], &alltoallv = all[1], &scalapack = all[2], &tpetra = all[3], &globalarrays = all[4];
  alltoallw.option = "alltoallw", alltoallw.name = "MPI_Alltoallw", alltoallw.bound = 1;
  alltoallw.make = make_alltoallw;

  alltoallv.option = "alltoallv", alltoallv.name = "MPI_Alltoallv";
  alltoallv.make = make_alltoallv;

  scalapack.option = "scalapack", scalapack.name = "pdgemr2d", scalapack.bound = 0.45;
#ifdef BENCH_SCALAPACK
  scalapack.make = make_scalapack;
#else
  scalapack.missing = "ScaLAPACK was not found";
#endif

  tpetra.option = "tpetra", tpetra.name = "doImport", tpetra.bound = 0.45;
#ifdef BENCH_TPETRA
  tpetra.start = start_tpetra, tpetra.make = make_tpetra;
#else
  tpetra.missing = "the Tpetra adapter is not built";
#endif

  globalarrays.option = "ga", globalarrays.name = "GA_Copy";
#ifdef BENCH_GLOBALARRAYS
  globalarrays.start = start_globalarrays, globalarrays.make = make_globalarrays;
#else
  globalarrays.missing = "Global Arrays, or its ARMCI, was not found";
#endif
  return all;
}

#ifndef BENCH_TPETRA
double tpetra_import_seconds() { return 0; }
#endif

}  // namespace bench
