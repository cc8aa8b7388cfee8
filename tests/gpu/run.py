"""Runs the checks on a machine with a GPU. It needs nothing but this folder, and there Python with NumPy, pybind11 and
pytest, CMake and a C++ compiler; CuPy, PyTorch, JAX, Numba and mpi4py are used where they are.

    run [--out FOLDER] [PART...]    without a part, all: driver, moves, rates, sanitizer, python, mpi, shards, and the names of other programs

It prints a line for each check, and writes result.json in FOLDER, or here. Ends with 1 if a check failed.
"""

import argparse
import ctypes
import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
MPI = HERE / "mpi"


def environment():
    """This environment, in which the Open MPI of this folder is the first."""
    found = dict(os.environ)
    libraries = f"{MPI}/lib"
    search = [libraries]
    for library in (MPI / "others").iterdir():
        try:
            ctypes.CDLL(library.name)
        except OSError:
            search = [libraries, f"{MPI}/others"]
    found.update(
        OPAL_PREFIX=str(MPI), OPAL_LIBDIR=libraries, OPAL_PKGLIBDIR=f"{MPI}/lib/openmpi/lib/openmpi3",
        OMPI_MCA_mca_base_component_path=f"{MPI}/lib/openmpi/lib/openmpi3", OPAL_SYSCONFDIR=f"{MPI}/etc",
        OPAL_PKGDATADIR=f"{MPI}/share/openmpi", PATH=f"{MPI}/bin:{found.get('PATH', '')}",
        LD_LIBRARY_PATH=":".join(filter(None, [*search, found.get("LD_LIBRARY_PATH")])),
        OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
        OMPI_MCA_btl="self,vader", OMPI_MCA_plm="isolated", OMPI_MCA_pml="ob1", OMP_NUM_THREADS="1",
        XLA_PYTHON_CLIENT_PREALLOCATE="false")
    return found


def has_gpu():
    """Whether the driver is there and finds a device. A process of its own asks, so that this one starts no CUDA."""
    program = """
import ctypes
cuda, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
raise SystemExit(cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count)) or count.value == 0)
"""
    return subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL).returncode == 0


class Run:
    def __init__(self, out):
        self.out, self.results, self.environment = out, [], environment()

    def said(self, name, outcome, seconds, what=""):
        self.results.append({"check": name, "outcome": outcome, "seconds": round(seconds, 1), "what": what})
        print(f"{outcome:8} {name:36} {seconds:6.1f} s  {what}", flush=True)

    def command(self, name, arguments, limit, **more):
        """Runs a command, with what it prints in NAME.log. Returns what it printed, or None if it failed."""
        begin = time.monotonic()
        try:
            done = subprocess.run([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=limit, env=self.environment, **more)
            printed, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            printed, code = (late.stdout or b"").decode(errors="replace"), f"no end after {limit} s"
        except OSError as error:
            printed, code = "", str(error)
        (self.out / f"{name}.log").write_text(printed)
        lines = [line for line in printed.splitlines() if line.strip()]
        self.said(name, "ok" if code == 0 else "FAILED", time.monotonic() - begin,
                  (lines[-1] if lines else "") if code == 0 else f"{code}; see {name}.log")
        if code != 0:
            print("\n".join(lines[-25:]), flush=True)
        return printed if code == 0 else None

    def build(self, configure_only=False):
        """Compiles the Python module for this Python, or only configures it. Returns whether it could."""
        work = self.out / "module" if self.out != HERE else HERE / "module"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        subprocess.run(["tar", "-xzf", HERE / "sources.tar.gz", "-C", work], check=True)
        try:
            import numpy  # noqa: F401
            import pybind11
        except ImportError as error:
            self.said("build", "skipped", 0, str(error))
            return False
        off = [f"-DTRIDAP_{name}=OFF" for name in
               ("KOKKOS", "TPETRA", "SOLVERS", "GLOBALARRAYS", "SCALAPACK", "HDF5", "PETSC", "C", "TESTS", "EXAMPLES")]
        configured = self.command("configure", [
            "cmake", "-S", work, "-B", work / "build", *(["-G", "Ninja"] if shutil.which("ninja") else []), *off,
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O0", "-DTRIDAP_PYTHON=ON", "-DTRIDAP_MPI=ON",
            f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
            f"-DMPI_CXX_COMPILER={MPI}/bin/mpicxx", f"-DTRIDAP_DEVICE_IMAGE={HERE}/kernels.fatbin", f"-DTRIDAP_DLPACK_INCLUDE_DIR={HERE}/include",
            f"-Dnlohmann_json_DIR={HERE}/share/cmake/nlohmann_json", "-DCMAKE_DISABLE_FIND_PACKAGE_CLI11=TRUE"], 60)
        if configured is None or configure_only:
            return configured is not None
        built = self.command("build", ["cmake", "--build", work / "build", "--parallel", os.cpu_count(), "--target",
                                       "tridap_core"], 400)
        self.environment["PYTHONPATH"] = f"{work}/build/adapters/python"
        return built is not None

    def python(self):
        printed = self.command("python", [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rs", "-q", "--tb=short",
                                          f"--junitxml={self.out}/python.xml", HERE / "test_python_gpu.py"], 120)
        for line in re.findall(r"^SKIPPED.*$", printed or "", re.M):
            print("        ", line)

    def moves(self, name):
        """A program of moves, whose processes share the GPU."""
        self.environment["TRIDAP_TEST_DRIVER"] = str(HERE / "libgpu_real_driver.so")
        for processes in (1, 2, 4):
            printed = self.command(f"{name} on {processes}", [MPI / "bin" / "mpiexec", "-n", processes, HERE / "mpi_programs" / name], 70)
            if name == "rates" and printed:
                print("".join(f"         {line}\n" for line in printed.splitlines() if " ratio " in line or " us " in line), end="")

    def sanitizer(self):
        """Some twenty moves under compute-sanitizer, once for memory and once for races."""
        tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
        if tool is None:
            self.said("sanitizer", "skipped", 0, "no compute-sanitizer here")
            return
        self.environment.update(TRIDAP_TEST_DRIVER=str(HERE / "libgpu_real_driver.so"), TRIDAP_TEST_EFFORT="sample")
        for check in ("memcheck", "racecheck"):
            self.command(f"sanitizer {check}", [
                MPI / "bin" / "mpiexec", "-n", "1", tool, "--tool", check, "--error-exitcode", "9", HERE / "mpi_programs" / "moves",
                "--gtest_filter=DeviceMoves.LongRows*:DeviceMoves.SeveralArrays*:DeviceArithmetic.*:DeviceSlots.Longer*"], 60)
        del self.environment["TRIDAP_TEST_EFFORT"]

    def shards(self):
        """Sharded arrays of PyTorch and of JAX, where they are, on CPUs: several processes cannot share a GPU in them."""
        self.environment["JAX_PLATFORMS"] = "cpu"
        for name in ("torch", "jax"):
            if importlib.util.find_spec(name) is None:
                self.said(f"shards of {name}", "skipped", 0, f"no {name} here")
                continue
            for processes in (1, 2, 4):
                self.command(f"shards of {name} on {processes}", [
                    MPI / "bin" / "mpiexec", "-n", processes, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q",
                    "--tb=short", "--color=no", HERE / "shards" / "tests" / "python" / f"test_{name}.py"], 60)
        del self.environment["JAX_PLATFORMS"]

    def mpi(self):
        """Two processes that share the GPU: each has a part in its memory."""
        program = """
import numpy as np, mpi4py.MPI as MPI, tridap, cupy
comm = MPI.COMM_WORLD
assert comm.size == 2
held = cupy.arange(3.0) + 3 * comm.rank
x = tridap.array(held, tridap.distribution(6, "b", processes=2), comm)
assert x.device == "cuda:0", x.device
assert cupy.from_dlpack(x.local).data.ptr == held.data.ptr
y = x.to("cpu")
assert y.sum() == 15, y.sum()
z = x.redistribute("c")
assert z.device == "cuda:0" and (cupy.from_dlpack(z.local) == cupy.arange(3.0) * 2 + comm.rank).all(), z.local
u = tridap.GhostedArray.copy_of(x, [3 * (1 - comm.rank)])
u.update_ghosts()
assert u.owned.device == "cuda:0" and cupy.from_dlpack(u.local)[3] == 3 * (1 - comm.rank), u.local
print("process", comm.rank, "of 2: a part in GPU memory, dealt in turn there, and moved to the host, adds up to 15, and has its ghost")
"""
        self.command("mpi", [MPI / "bin" / "mpiexec", "-n", "2", sys.executable, "-c", program], 60)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=HERE)
    parser.add_argument("--only", choices=("configure", "build"), help="without a GPU, configure or compile the module")
    parser.add_argument("parts", nargs="*")
    chosen = parser.parse_args()
    chosen.out = chosen.out.resolve()
    chosen.out.mkdir(parents=True, exist_ok=True)
    programs = sorted(p for p in (HERE / "programs").iterdir() if os.access(p, os.X_OK))
    moves = sorted(p.name for p in (HERE / "mpi_programs").iterdir())
    parts = [p.name for p in programs] + moves + ["sanitizer", "python", "mpi", "shards"]
    wrong = [p for p in chosen.parts if p not in parts]
    if wrong:
        sys.exit(f"there is no part '{wrong[0]}'; the parts are: {' '.join(parts)}")
    wanted = chosen.parts or parts
    run, begin = Run(chosen.out), time.monotonic()
    if not has_gpu():
        for part in wanted:
            run.said(part, "skipped", 0, "no GPU here")
        if chosen.only:
            run.build(configure_only=chosen.only == "configure")
    else:
        run.command("device", ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], 20)
        for program in programs:
            if program.name in wanted:
                run.command(program.name, [program], 60)
        for name in moves:
            if name in wanted:
                run.moves(name)
        if "sanitizer" in wanted:
            run.sanitizer()
        of_module = [part for part in ("python", "mpi", "shards") if part in wanted]
        if of_module and run.build():
            for part in of_module:
                getattr(run, part)()
    counts = {outcome: sum(r["outcome"] == outcome for r in run.results) for outcome in ("ok", "FAILED", "skipped")}
    (chosen.out / "result.json").write_text(json.dumps(
        {"date": time.strftime("%Y-%m-%d"), "commit": (HERE / "commit").read_text().strip(),
         "compiler": (HERE / "compiler").read_text().strip(),
         "seconds": round(time.monotonic() - begin), "counts": counts, "checks": run.results}, indent=1) + "\n")
    print(f"{counts['ok']} ok, {counts['FAILED']} failed, {counts['skipped']} skipped, "
          f"{time.monotonic() - begin:.0f} s; {chosen.out}/result.json")
    return 1 if counts["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
