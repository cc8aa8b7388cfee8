"""What configure must say on machines that lack libraries, or have few: the oracle of configure_test.py, by hand."""

ALWAYS = {"protocol", "captures", "plan", "tool"}
OF_MPI = {"mpi", "infer", "redistribute", "ghosts", "sparse"}
COMPONENTS = ALWAYS | OF_MPI | {"kokkos", "dlpack", "globalarrays", "scalapack", "hdf5", "petsc", "tpetra", "solvers",
                                "python", "examples"}

# On a machine with everything that `./dev test` installs, these packages are removed: by dpkg alone, although others
# depend on them, so that one library is missing alone. Names may be patterns. Then these rows are off and all others on,
# and a row gives this reason (a regular expression).
MISSING = {
    "with everything": ([], set(), {}),
    "without mpi": (["libopenmpi-dev", "openmpi-bin"], COMPONENTS - ALWAYS - {"kokkos", "dlpack"},
            {"mpi": "no MPI", "tpetra": "needs .* off", "python": "needs .* off"}),
    "without headers of mpi": (["libopenmpi-dev"], COMPONENTS - ALWAYS - {"kokkos", "dlpack"},
            {"mpi": "no headers of MPI: .*libopenmpi-dev"}),
    "without kokkos": (["libtrilinos-kokkos-dev"], {"kokkos", "tpetra", "solvers", "examples"},
               {"kokkos": "no Kokkos", "tpetra": "needs kokkos, which is off", "python": "without solve"}),
    "without tpetra": (["libtrilinos-tpetra-dev"], {"tpetra", "solvers", "examples"},
               {"tpetra": "no Trilinos with Tpetra", "solvers": "needs tpetra, which is off"}),
    "without belos": (["libtrilinos-belos-dev"], {"solvers", "examples"},
              {"solvers": "no Trilinos with .*, which needs Belos", "examples": "the solvers component", "python": "without solve"}),
    "without muelu": (["libtrilinos-muelu-dev"], set(), {"solvers": "Trilinos"}),
    "without petsc": (["libpetsc*-dev"], {"petsc"}, {"petsc": "no PETSc", "example_09": "needs the petsc component"}),
    "without pkg-config": (["pkgconf*"], {"petsc"}, {"petsc": "pkg-config is needed"}),
    "without hdf5": (["libhdf5-openmpi-dev", "libhdf5-dev"], {"hdf5"},
             {"hdf5": "no HDF5", "example_11": "needs the hdf5 component"}),
    "without global arrays": (["libglobalarrays-dev"], {"globalarrays"}, {"globalarrays": "no Global Arrays"}),
    "without armci": (["libarmci-mpi-dev"], {"globalarrays"}, {"globalarrays": "no ARMCI"}),
    "without scalapack": (["libscalapack-openmpi-dev"], {"scalapack", "globalarrays"},
                  {"scalapack": "no ScaLAPACK", "globalarrays": "no ScaLAPACK",
                   "examples_scalapack": "need the scalapack component"}),
    "without dlpack": (["libdlpack-dev"], {"dlpack", "python"}, {"dlpack": "no dlpack", "python": "needs dlpack, which is off"}),
    "without python headers": (["libpython3*-dev", "python3*-dev"], {"python"}, {"python": "no Python .* headers"}),
    "without numpy": (["python3-numpy"], {"python"}, {"python": "NumPy"}),
    "without pybind11": (["pybind11-dev", "python3-pybind11"], {"python"}, {"python": "no pybind11"}),
    "without mpi4py": (["python3-mpi4py"], set(), {"python": "Python 3"}),
    "without googletest": (["libgtest-dev", "googletest"], set(), {"tests": "no GoogleTest"}),
    "without libpng": (["libpng-dev"], {"examples"}, {"examples": "needs libpng"}),
    "without cli11": (["libcli11-dev"], {"examples"}, {"examples": "needs CLI11", "tool": "no tridap command: no CLI11"}),
    "without ccache and git": (["ccache", "git"], set(), {}),
}

# The same after `apt-get remove`, which also removes the packages that depend on these.
REMOVED_BY_APT = {
    "after apt removed mpi": (["libopenmpi-dev"], COMPONENTS - ALWAYS - {"kokkos", "dlpack"},
                              {"mpi": "no headers of MPI"}),
    "after apt removed hdf5": (["libhdf5-openmpi-dev"], {"hdf5", "petsc", "solvers", "examples"},
                               {"hdf5": "no HDF5", "petsc": "no PETSc", "solvers": "which needs EpetraExt"}),
    "after apt removed scalapack": (["libscalapack-openmpi-dev"],
                                    {"scalapack", "globalarrays", "petsc", "solvers", "examples"},
                                    {"scalapack": "no ScaLAPACK", "solvers": "no Trilinos with .*Amesos2"}),
    "after apt removed numpy": (["python3-numpy"], {"python"}, {"python": "NumPy"}),
}

# Without these, configure ends with this line.
REQUIRED = {
    "without nlohmann-json": (["nlohmann-json3-dev"], r"TriDAP needs nlohmann-json: install\s+nlohmann-json3-dev"),
    "without ninja": (["ninja-build"], "unable to find a build program corresponding to \"Ninja\""),
    "without compiler": (["g++*"], "No CMAKE_CXX_COMPILER could be found"),
}

# On a machine with SMALL alone, these packages are added, and what they depend on: Debian's Trilinos and PETSc need its
# ScaLAPACK and its HDF5. A name with @ is a list of dev. Then these rows are on, and all other components off;
# a row may give a reason.
SMALL = ["g++", "cmake", "ninja-build", "nlohmann-json3-dev"]
ALONE = {
    "with nothing": ([], ALWAYS),
    "with mpi": (["libopenmpi-dev", "openmpi-bin"], ALWAYS | OF_MPI),
    "with programs of mpi": (["openmpi-bin"], ALWAYS, {"mpi": "no headers of MPI: .*libopenmpi-dev"}),
    "with kokkos": (["libtrilinos-kokkos-dev"], ALWAYS | {"kokkos"}),
    "with trilinos": (["@trilinos"], ALWAYS | OF_MPI | {"kokkos", "tpetra", "solvers", "scalapack", "hdf5"}),
    "with trilinos, cli11 and libpng": (["@trilinos", "libcli11-dev", "libpng-dev"],
                                   ALWAYS | OF_MPI | {"kokkos", "tpetra", "solvers", "scalapack", "hdf5", "examples"}),
    "with petsc": (["libpetsc-real-dev", "pkgconf"], ALWAYS | OF_MPI | {"petsc", "scalapack", "hdf5"}),
    "with petsc without pkg-config": (["libpetsc-real-dev"], ALWAYS | OF_MPI | {"scalapack", "hdf5"}),
    "with pkg-config": (["pkgconf"], ALWAYS),
    "with hdf5": (["libhdf5-openmpi-dev"], ALWAYS | OF_MPI | {"hdf5"}),
    "with hdf5 without mpi": (["libhdf5-dev"], ALWAYS),
    "with global arrays": (["@globalarrays"], ALWAYS),
    "with global arrays, mpi and lapack": (["@globalarrays", "libopenmpi-dev", "liblapack-dev"],
                                           ALWAYS | OF_MPI | {"scalapack", "globalarrays"}),
    "with scalapack and mpi": (["libscalapack-openmpi-dev", "libopenmpi-dev"], ALWAYS | OF_MPI, {"scalapack": "LAPACK"}),
    "with scalapack, mpi and lapack": (["libscalapack-openmpi-dev", "libopenmpi-dev", "liblapack-dev"],
                                       ALWAYS | OF_MPI | {"scalapack"}),
    "with dlpack": (["libdlpack-dev"], ALWAYS | {"dlpack"}),
    "with python": (["python3-dev", "python3-numpy", "pybind11-dev"], ALWAYS),
    "with python, mpi and dlpack": (["python3-dev", "python3-numpy", "pybind11-dev", "libopenmpi-dev", "libdlpack-dev"],
                               ALWAYS | OF_MPI | {"dlpack", "python"}),
    "with googletest": (["libgtest-dev"], ALWAYS),
    "with googletest and mpi": (["libgtest-dev", "libopenmpi-dev", "openmpi-bin"], ALWAYS | OF_MPI),
    "with cli11": (["libcli11-dev"], ALWAYS),
    "with libpng": (["libpng-dev"], ALWAYS),
    "with ccache and git": (["ccache", "git"], ALWAYS),
}
