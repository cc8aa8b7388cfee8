"""Installs the package by cmake --install, or by pip into a virtual environment, and uses it from there.

    install_test.py cmake BUILD_DIR SCRATCH
    install_test.py pip SOURCE_DIR SCRATCH
    install_test.py sdist SOURCE_DIR SCRATCH

The last one makes the source archive, builds from it without the libraries that are not needed, and runs some tests.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

USE = """
import numpy, tridap
assert tridap.__file__.startswith({prefix!r}), tridap.__file__
dist = tridap.distribution(5)
matrix = tridap.Matrix((numpy.full(5, 2.0), numpy.arange(5), numpy.arange(6)), dist)
assert (tridap.solve(matrix, tridap.from_function(dist, lambda i: 2.0 * i)).x.local == numpy.arange(5)).all()
"""


def run(*command, **environment):
    clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, env={**clean, **environment}, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def with_cmake(build, scratch):
    run("cmake", "--install", build, "--component", "python", "--prefix", str(scratch))
    place, = scratch.glob("lib/python3*/*-packages")
    run(sys.executable, "-c", USE.format(prefix=str(place)), PYTHONPATH=str(place))


def with_pip(source, scratch):
    run(sys.executable, "-m", "venv", "--system-site-packages", str(scratch))
    python = str(scratch / "bin" / "python")
    run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", source)
    run(python, "-c", USE.format(prefix=str(scratch)))


WITHOUT = ["KOKKOS", "TPETRA", "SOLVERS", "PETSC", "SCALAPACK", "HDF5", "GLOBALARRAYS"]
TESTS = ["test_components.py", "test_without_solvers.py", "test_make.py", "test_gather.py", "test_redistribute.py",
         "test_slices.py"]


def with_sdist(source, scratch):
    os.chdir(scratch.parent)  # in the repository Python takes the folder build for the module
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--skip-dependency-check", "--outdir", str(scratch),
        source)
    archive, = scratch.glob("tridap-*.tar.gz")
    with tarfile.open(archive) as tar:
        folders = {name.split("/")[1] for name in tar.getnames() if name.count("/") > 1}
        assert folders == {"adapters", "cmake", "packages"}, folders
        tar.extractall(scratch)
    unpacked = archive.with_name(archive.name.removesuffix(".tar.gz"))  # not the archive, for which pip makes a folder
    run(sys.executable, "-m", "venv", "--system-site-packages", str(scratch / "venv"))
    python = str(scratch / "venv" / "bin" / "python")
    arguments = " ".join([os.environ.get("CMAKE_ARGS", ""), *(f"-DTRIDAP_{name}=OFF" for name in WITHOUT)])
    run(python, "-m", "pip", "install", "--no-build-isolation", "--no-index", str(unpacked), CMAKE_ARGS=arguments)
    metadata = run(python, "-c", "import importlib.metadata as m; print(m.metadata('tridap'))")
    for line in ("License: BSD-3-Clause", "Author: The TriDAP authors", "Requires-Dist: mpi4py", "Project-URL: Source"):
        assert f"\n{line}" in metadata, f"{line} is not in\n{metadata}"
    run(python, "-c", f"import tridap; assert tridap.__file__.startswith({str(scratch)!r}), tridap.__file__")
    here = pathlib.Path(__file__).parent
    for processes in "1", "3":
        pytest = [python, "-m", "pytest", "-q", "--color=no", "-p", "no:cacheprovider", "-c", str(here / "pytest.ini")]
        print(run("mpiexec", "-n", processes, *pytest, *(str(here / test) for test in TESTS),
                  PYTHONDONTWRITEBYTECODE="1", MPIEXEC_TIMEOUT="300"))


if __name__ == "__main__":
    how, what, scratch = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    {"cmake": with_cmake, "pip": with_pip, "sdist": with_sdist}[how](what, scratch)
