# Copyright 2026, the TriDAP authors. Under the BSD 3-Clause license; see the file LICENSE.

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Tridap(CMakePackage):
    """Distributed arrays between Trilinos, PETSc, Global Arrays, ScaLAPACK, HDF5 and NumPy,
    without copies, by the Distributed Array Protocol; and moves of arrays to other distributions.
    """

    homepage = "https://github.com/tridap/tridap"
    url = "https://github.com/tridap/tridap/releases/download/v0.2.0/tridap-0.2.0.tar.gz"
    git = "https://github.com/tridap/tridap.git"

    maintainers("tridap")

    test_requires_compiler = True

    license("BSD-3-Clause", checked_by="tridap")

    version("main", branch="main")
    version("0.2.0", sha256="ad3b46cf81a03a2e7b68a6b5bc3cf9ee7df653495365ad1491dd5787c1bb1557")

    variant("shared", default=True, description="Build shared libraries")
    variant("tpetra", default=True, description="Adapter and solvers of Trilinos")
    variant("globalarrays", default=False, description="Adapter of Global Arrays")
    variant("petsc", default=False, description="Adapter of PETSc")
    variant("scalapack", default=False, description="Adapter of ScaLAPACK")
    variant("hdf5", default=False, description="Adapter of parallel HDF5")
    variant("python", default=False, description="The Python package tridap")
    variant("fortran", default=False, description="The Fortran module tridap")

    depends_on("cxx", type="build")
    depends_on("c", type="build")  # of the smoke test, and beside Fortran's compiler
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.24:", type="build")
    depends_on("mpi")
    depends_on("nlohmann-json@3.10:", type="build")
    depends_on("cli11@2:", type="build")
    depends_on("dlpack")
    depends_on("googletest", type="test")

    with when("+tpetra"):
        depends_on("trilinos@13.2: +mpi+kokkos+tpetra+belos+ifpack2+muelu+amesos2+anasazi")
        depends_on("trilinos gotype=long_long")
    with when("+globalarrays"):
        depends_on("globalarrays@5.8:")
        depends_on("scalapack")
        depends_on("lapack")
    with when("+petsc"):
        depends_on("petsc@3.18: +mpi+double")
        depends_on("pkgconfig", type="build")
    with when("+scalapack"):
        depends_on("scalapack")
        depends_on("lapack")
    depends_on("hdf5@1.10.2: +mpi", when="+hdf5")
    with when("+python"):
        extends("python")
        depends_on("python@3.9:", type=("build", "link", "run"))
        depends_on("py-pybind11@2.10:", type="build")
        depends_on("py-numpy@1.22:", type=("build", "run"))
        depends_on("py-mpi4py@3.1:", type=("build", "run"))
        depends_on("py-petsc4py", when="+petsc", type=("build", "run"))
        conflicts(
            "^py-pybind11@:2.11",
            when="^py-numpy@2:",
            msg="pybind11 2.12 is the first that reads NumPy 2's types",
        )

    def cmake_args(self):
        args = [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define("TRIDAP_TESTS", self.run_tests),
            self.define("TRIDAP_EXAMPLES", False),
            # ON, not AUTO: a library that is asked for and not found is an error.
            self.define_from_variant("TRIDAP_KOKKOS", "tpetra"),
            self.define_from_variant("TRIDAP_SOLVERS", "tpetra"),
        ]
        for component in ("tpetra", "globalarrays", "petsc", "scalapack", "hdf5", "python", "fortran"):
            args.append(self.define_from_variant(f"TRIDAP_{component.upper()}", component))
        if self.spec.satisfies("+scalapack") or self.spec.satisfies("+globalarrays"):
            libraries = ";".join(self.spec["scalapack"].libs)
            if libraries:  # a system's own may have another name, which CMake looks for
                args.append(self.define("TRIDAP_SCALAPACK_LIBRARY", libraries))
        if self.spec.satisfies("+python"):
            args.append(self.define("Python_EXECUTABLE", python.path))
            args.append(self.define("TRIDAP_PYTHON_DIR", python_platlib))
        return args

    def test_smoke(self):
        """programs for the components that were built, against the install alone"""
        source = self.prefix.share.tridap.smoke
        options = [
            self.define("CMAKE_PREFIX_PATH", get_cmake_prefix_path(self)),
            self.define("TriDAP_ROOT", self.prefix),
            self.define("MPI_HOME", self.spec["mpi"].prefix),
        ]
        cmake = which(self.spec["cmake"].prefix.bin.cmake, required=True)
        ctest = which(self.spec["cmake"].prefix.bin.ctest, required=True)
        cmake("-S", source, "-B", "smoke", *options)
        cmake("--build", "smoke")
        ctest("--test-dir", "smoke", "--output-on-failure", "--no-tests=error")
