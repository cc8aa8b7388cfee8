# Trilinos' packages, as they are installed, and the libraries that Trilinos' own list has, by Trilinos' names.
set(tribits ${StandIn_TRIBITS_DIR})
set(of_tridap "")
if(StandIn_LISTS_TRIDAP)  # the one that TriDAP cannot do without
  set(of_tridap nlohmann_json packages/tridap/cmake/tpls/ ST)
endif()
tribits_repository_define_tpls(
  MPI        ${tribits}/core/std_tpls/  PT
  BLAS       ${tribits}/common_tpls/    PT
  LAPACK     ${tribits}/common_tpls/    PT
  SCALAPACK  cmake/tpls/                ST
  HDF5       cmake/tpls/                ST
  PETSC      ${tribits}/common_tpls/    ST
  gtest      cmake/tpls/                ST
  Kokkos     TRIBITS_PKG                PT
  Teuchos    TRIBITS_PKG                PT
  Tpetra     TRIBITS_PKG                PT
  Belos      TRIBITS_PKG                PT
  Anasazi    TRIBITS_PKG                PT
  Ifpack2    TRIBITS_PKG                PT
  Amesos2    TRIBITS_PKG                PT
  MueLu      TRIBITS_PKG                PT
  ${of_tridap})
