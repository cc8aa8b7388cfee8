"""A real mpi4py for MPICH beside a tridap for Open MPI: each process says so in one line, and ends.

    mpi4py_for_mpich.py MPIEXEC SCRATCH    with PYTHONPATH for tridap

It builds mpi4py from Debian's source package, or from the folder TRIDAP_MPI4PY_SOURCE. Debian: mpich libmpich-dev cython3 dpkg-dev.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "matrix"))
from machines import MIRROR  # noqa: E402

SKIPPED = 77  # CTest's SKIP_RETURN_CODE
LINE = (r"ImportError: tridap was built for Open MPI v[\d.]+\S*, but mpi4py for MPICH [\d.]+\S* \(\S+/mpi4py/MPI[^/ ]*[.]so\): install the "
        "mpi4py that was built for the MPI of tridap, or build tridap again with the compilers of the MPI of mpi4py")
USE = "print(tridap.zeros(tridap.distribution(9, processes=MPI.COMM_WORLD.size), comm=MPI.COMM_WORLD).sum())"
PROGRAMS = {"tridap first": f"import tridap; from mpi4py import MPI; {USE}",
            "mpi4py first": f"from mpi4py import MPI; import tridap; {USE}",
            "mpi4py for all modules": "import os, sys; sys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL); from mpi4py import MPI\n"
                                      f"sys.setdlopenflags(os.RTLD_NOW); import tridap; {USE}"}
IN_PLACE = (r"ImportError: tridap was compiled for Open MPI, but this process loads MPICH [\d.]+\S* in its place, by LD_PRELOAD, "
            "LD_LIBRARY_PATH, or because mpi4py was built for that MPI: install a tridap and an mpi4py that were built for one MPI")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def ran(*command, **environment):
    return subprocess.run(command, env={**os.environ, **environment}, text=True, errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=600)


def source_of_mpi4py(folder):
    """The sources of Debian's mpi4py, in a folder of ours: apt gets lists and a state of its own, and changes nothing else."""
    given = os.environ.get("TRIDAP_MPI4PY_SOURCE")
    if given:
        return pathlib.Path(shutil.copytree(given, folder / "mpi4py"))
    for tool in "apt-get", "dpkg-source":
        if shutil.which(tool) is None:
            skip(f"{tool} is missing, which brings Debian's sources")
    suite = re.search(r"^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(), re.MULTILINE)[1]
    (folder / "sources.list").write_text(f"deb-src {MIRROR} {suite} main\n")
    for made in "state/lists/partial", "cache/archives/partial":
        (folder / made).mkdir(parents=True)
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::SourceList={folder}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null",
           "-o", f"Dir::State={folder}/state", "-o", f"Dir::Cache={folder}/cache", "-o", "APT::Sandbox::User=root"]
    os.chdir(folder)
    for command in ["update"], ["source", "mpi4py"]:
        done = ran(*apt, *command)
        if done.returncode != 0:
            skip(f"apt-get {' '.join(command)} failed; TRIDAP_MPI4PY_SOURCE may name a folder with the sources:\n{done.stdout[-2000:]}")
    return next(path for path in folder.glob("mpi4py-*") if path.is_dir())


def build(folder):
    """Builds mpi4py for MPICH, unless it is there. Returns the folder for PYTHONPATH."""
    if shutil.which("mpicc.mpich") is None or shutil.which("cython3") is None:
        skip("mpicc.mpich or cython3 is missing: install mpich, libmpich-dev, cython3 and dpkg-dev beside Open MPI")
    built = folder / "built"
    if not (built / "mpi4py").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        os.chdir(source_of_mpi4py(folder))
        done = ran(sys.executable, "setup.py", "build", "--build-lib", str(folder / "partial"), MPICC=shutil.which("mpicc.mpich"),
                   CFLAGS="-O0", PYTHONPATH="")
        if done.returncode != 0:
            sys.exit(f"mpi4py could not be built for MPICH:\n{done.stdout[-4000:]}")
        (folder / "partial").rename(built)
    os.chdir(folder)
    return built


def main():
    mpiexec, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    own = ran(sys.executable, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())").stdout
    if not own.startswith("Open MPI"):
        skip(f"this mpi4py is for {own.splitlines()[0]}, and so is tridap, not for Open MPI")
    path = os.pathsep.join([str(build(folder)), os.environ["PYTHONPATH"]])
    theirs = ran(sys.executable, "-c", "from mpi4py import MPI; print(MPI.Get_library_version())", PYTHONPATH=path).stdout
    assert theirs.startswith("MPICH"), theirs
    for launcher in mpiexec, "mpiexec.mpich":
        for name, program in PROGRAMS.items():
            done = ran(launcher, "-n", "2", sys.executable, "-c", program, PYTHONPATH=path)
            line = IN_PLACE if name == "mpi4py for all modules" else LINE
            said = [text for text in done.stdout.splitlines() if text.startswith("ImportError")]
            assert done.returncode != 0 and said and all(re.fullmatch(line, text) for text in said), f"{launcher}, {name}:\n{done.stdout}"
            assert "Segmentation" not in done.stdout and "signal" not in done.stdout, done.stdout
            print(f"{pathlib.Path(launcher).name}, {name}: {said[0]}")


if __name__ == "__main__":
    main()
