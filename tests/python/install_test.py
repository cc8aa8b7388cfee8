"""Installs the package by cmake --install, or by pip into a virtual environment, and uses it from there.

    install_test.py cmake BUILD_DIR SCRATCH
    install_test.py pip SOURCE_DIR SCRATCH
    install_test.py sdist SOURCE_DIR SCRATCH
    install_test.py wheel SOURCE_DIR SCRATCH [COMPONENTS]

sdist makes the source archive, builds from it without the libraries that are not needed, and runs some tests. wheel makes a
wheel from that archive alone, installs it where nothing but mpi4py and NumPy is seen, and runs a program there.
"""

import importlib.metadata
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

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
        errors = re.findall(".*(?:error:|FAILED:).*", done.stdout)[:10]  # compilers go on after them
        sys.exit("\n".join([f"{' '.join(command)} failed:", *errors, done.stdout[-4000:]]))
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


def unpacked_archive(source, scratch):
    """The source archive's content, in a folder that has the same path each time, so that ccache finds what was built there."""
    os.chdir(scratch.parent)  # in the repository Python takes the folder build for the module
    run(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(scratch), source)
    archive, = scratch.glob("tridap-*.tar.gz")
    with tarfile.open(archive) as tar:
        folders = {name.split("/")[1] for name in tar.getnames() if name.count("/") > 1}
        assert folders == {"adapters", "cmake", "packages"}, folders
        tar.extractall(scratch, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return archive.with_name(archive.name.removesuffix(".tar.gz"))


def with_sdist(source, scratch):
    unpacked = unpacked_archive(source, scratch)
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


MODULES = {"hdf5": "_hdf5", "petsc": "_petsc", "scalapack": "_scalapack"}


def check_content(wheel, source, components):
    """The wheel has the package's sources, type stubs and compiled modules, its metadata and its licence, and nothing else."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert re.fullmatch(rf"tridap-[0-9.]+-{tag}-{tag}-linux_\w+[.]whl", wheel.name), wheel.name
    package = pathlib.Path(source) / "adapters/python/tridap"
    sources = {f"tridap/{path.name}" for end in ("*.py", "*.pyi", "py.typed") for path in package.glob(end)}
    modules = {"tridap/_core", *(f"tridap/{module}" for name, module in MODULES.items() if name in components)}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        notes = {name for name in names if ".dist-info/" in name}
        licence, = (name for name in notes if name.endswith("/LICENSE"))
        assert archive.read(licence) == (pathlib.Path(source) / "LICENSE").read_bytes()
    assert {name.split("/")[-1] for name in notes} == {"LICENSE", "METADATA", "RECORD", "WHEEL", "top_level.txt"}, notes
    assert sources <= names, f"not in the wheel: {sources - names}"
    compiled = names - sources - notes
    assert {name.split(".")[0] for name in compiled} == modules and len(compiled) == len(modules), compiled
    assert all(name.endswith(".so") for name in compiled), compiled


def venv_with(folder, *packages):
    """A virtual environment that sees these packages of this Python, and no others. Returns its interpreter."""
    run(sys.executable, "-m", "venv", str(folder))
    site, = folder.glob("lib/python3*/site-packages")
    for name in packages:
        module = pathlib.Path(importlib.util.find_spec(name).submodule_search_locations[0])
        metadata = importlib.metadata.distribution(name)._path  # of which pip reads the version
        for seen in module, pathlib.Path(metadata):
            (site / seen.name).symlink_to(seen)
    return str(folder / "bin" / "python")


def in_place_of(unpacked, source, command):
    """The command with the folder of the unpacked archive. Root mounts it over the repository, which nobody then sees by mistake:
    so the files have the paths under which ccache knows them."""
    mounted = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" "$1" && shift && cd / && exec "$@"', str(unpacked), str(source)]
    if os.geteuid() == 0 and subprocess.run([*mounted, "true"], stderr=subprocess.DEVNULL).returncode == 0:
        return [*mounted, *command, str(source)]
    return [*command, str(unpacked)]


def with_wheel(source, scratch, components=""):  # CMake drops an empty argument
    unpacked = unpacked_archive(source, scratch)
    assert not (unpacked / ".git").exists()
    with tempfile.TemporaryDirectory() as made:
        build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", made]
        run(*in_place_of(unpacked, source, build))
        shutil.move(next(pathlib.Path(made).glob("*.whl")), scratch)
    wheel, = scratch.glob("*.whl")
    check_content(wheel, source, [name for name in components.split(",") if name])
    python = venv_with(scratch / "venv", "mpi4py", "numpy")
    run(python, "-m", "pip", "install", "--no-index", str(wheel))
    unpacked.rename(unpacked.with_name("moved"))  # the wheel needs nothing of it
    program = str(pathlib.Path(__file__).with_name("installed_program.py"))
    for processes in "1", "4":
        said = run("mpiexec", "-n", processes, python, program, str(scratch / "venv"), components, MPIEXEC_TIMEOUT="300",
                   PYTHONDONTWRITEBYTECODE="1")
        print(said)
        assert said.count(f" of {processes}: tridap ") == int(processes), said


if __name__ == "__main__":
    how, what, scratch, more = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve(), sys.argv[4:]
    shutil.rmtree(scratch, ignore_errors=True)
    {"cmake": with_cmake, "pip": with_pip, "sdist": with_sdist, "wheel": with_wheel}[how](what, scratch, *more)
