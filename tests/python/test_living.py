"""Living with others in one process: mpi4py, threads, and the ends of Python and of MPI."""

import os
import subprocess
import sys

import pytest

from remedies import remedy

SCRIPT = os.path.join(os.path.dirname(__file__), "living.py")
SILENT = ["globals", "functions", "mpi4py first", "initialized later", "never initialized", "atexit", "a solve at exit",
          "cycle", "cycle in a global", "finalizer", "module", "thread", "threads", "let go of in a thread",
          "sleeping daemon", "woken daemon", "busy daemon",
          "finalize", "finalize, then let go", "finalize, then use", "communicators"]


def run(comm, *arguments):
    """A process by itself, started by the first alone: its status and what it printed, told to all."""
    told = None
    if comm.rank == 0:
        env = {key: value for key, value in os.environ.items()
               if not key.startswith(("OMPI_COMM", "OMPI_MCA_ess", "OMPI_MCA_orte", "OMPI_MCA_pmix", "OMPI_UNIVERSE",
                                      "OMPI_APP", "OMPI_ARGV", "OMPI_COMMAND", "OMPI_FIRST", "OMPI_NUM", "OMPI_FILE",
                                      "PMIX_", "PRTE_", "PMI_"))}
        done = subprocess.run([sys.executable, *arguments], env=env, capture_output=True, text=True, timeout=100)
        told = done.returncode, done.stdout, done.stderr
    return comm.bcast(told)


@pytest.mark.parametrize("how", SILENT)
@remedy("MPI is not initialized: call mpi4py.MPI.Init() first")
def test_the_end_is_silent(comm, how):
    status, out, err = run(comm, SCRIPT, how)
    if how.endswith("daemon"):  # it still solves, with objects that Tpetra 16 then misses
        err = "".join(line for line in err.splitlines(True) if "execution space instance survived" not in line)
    assert (status, out, err) == (0, "", "")


def test_an_uncaught_exception_prints_its_traceback_alone(comm):
    status, out, err = run(comm, SCRIPT, "uncaught")
    assert (status, out) == (1, "")
    assert err.startswith("Traceback (most recent call last):\n") and err.endswith("\nKeyError: 'uncaught'\n")
    assert err.count("\n") == len(err.splitlines()) == 4


def test_an_exit_status_is_kept(comm):
    assert run(comm, SCRIPT, "exit 3") == (3, "", "")


def test_a_closed_standard_error_is_no_error(comm):
    code = "import os, sys; os.close(2); sys.stderr = None; sys.argv[1:] = ['globals']; exec(open(sys.argv[0]).read())"
    status, out, err = run(comm, "-c", code.replace("sys.argv[0]", repr(SCRIPT)))
    assert (status, out, err) == (0, "", "")


@pytest.mark.parametrize("change, words", [
    ("MPI.Get_library_version = lambda: 'MPICH 99'", "but mpi4py with MPICH 99: build both with one MPI"),
    ("MPI._addressof = lambda of: ctypes.addressof(handle)", "with two ABIs of it, such as libmpi and libmpi_abi: build both"),
    ("MPI._sizeof = lambda of: 2", "with two ABIs of it, such as libmpi and libmpi_abi: build both")])
def test_an_mpi4py_of_another_mpi_or_abi_is_an_import_error(comm, change, words):
    code = ("import ctypes, tridap; from mpi4py import MPI; handle = ctypes.c_size_t(0x101)\n" + change +
            "\ntry: tridap.zeros(tridap.distribution(4, processes=1), comm=MPI.COMM_WORLD)\nexcept ImportError as error: print(error)")
    status, out, err = run(comm, "-c", code)
    assert (status, err) == (0, "") and words in out, (out, err)


def test_importing_starts_nothing(comm):
    code = ("import sys, tridap; assert 'mpi4py.MPI' not in sys.modules and 'scipy' not in sys.modules; "
            "tridap.zeros(tridap.distribution((3,))); assert 'mpi4py.MPI' not in sys.modules")
    assert run(comm, "-c", code) == (0, "", "")
