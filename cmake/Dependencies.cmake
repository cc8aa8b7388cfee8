# For TriBITS: the packages of Trilinos and the libraries that TriDAP uses, as a package of Trilinos.
tribits_package_define_dependencies(
  LIB_REQUIRED_PACKAGES Tpetra Teuchos Kokkos MPI nlohmann_json
  LIB_OPTIONAL_PACKAGES Belos Anasazi Ifpack2 Amesos2 MueLu HDF5 PETSC BLAS LAPACK SCALAPACK GlobalArrays DLPack CLI11
  TEST_OPTIONAL_PACKAGES gtest)

# Those of our own list are unknown to a Trilinos that has TriDAP as a line of its own list of packages, and others may be
# unknown to another version.
tribits_allow_missing_external_packages(CLI11 DLPack GlobalArrays HDF5 PETSC SCALAPACK gtest)
