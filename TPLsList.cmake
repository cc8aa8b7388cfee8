# For TriBITS: the libraries that Trilinos' own list lacks. The others have Trilinos' names: MPI, HDF5, PETSC, SCALAPACK, gtest.
tribits_repository_define_tpls(
  nlohmann_json  cmake/tpls/  ST
  CLI11          cmake/tpls/  ST
  DLPack         cmake/tpls/  ST
  GlobalArrays   cmake/tpls/  ST)
