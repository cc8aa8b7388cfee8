"""Two threads on each process, each with a communicator of its own: every call ends, and is right.

The threads begin in one order on rank 0 and in the other one on the other processes. So a lock that a process held while it
waits for another process would stop both for ever.
"""

import threading
import time

import pytest
from every_call import Calls
from mpi4py import MPI

pytestmark = pytest.mark.skipif(MPI.COMM_WORLD.size == 1, reason="one process waits for no other")

QUICK = ["solve", "save", "dense", "sum", "petsc"]
OTHERS = ["product", "redistribute", "ghosts", "gather", "asarray", "matrix", "diagonal", "eigsh", "precond", "update_values", "direct", "load",
          "eigh", "svd", "qr", "cholesky", "grid", "plot", "to_ids"]


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    world = MPI.COMM_WORLD
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        pytest.skip("needs MPI_THREAD_MULTIPLE")
    folder = world.bcast(str(tmp_path_factory.mktemp("threads")))
    return [Calls(world.Dup(), folder, k).made() for k in range(2)]


def run_both(both, call):
    failed, jobs = [], list(enumerate(both))

    def work(of):
        try:
            call(of)
        except BaseException as error:  # pytest sees those of its own thread alone
            failed.append(error)

    threads = [threading.Thread(target=work, args=(of,)) for _, of in (jobs if both[0].r == 0 else jobs[::-1])]
    threads[0].start()
    time.sleep(0.05)
    threads[1].start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


@pytest.mark.parametrize("name", QUICK + OTHERS)
def test_calls_of_two_threads_end_and_are_right(comm, both, name):
    if name in OTHERS and comm.size > 3:
        pytest.skip("the quick tests have some calls; all are tried on 3 processes")
    if name == "petsc":
        pytest.importorskip("petsc4py")
    run_both(both, lambda of: of.make(name))


def test_different_calls_of_two_threads_end(comm, both):
    for names in ("solve", "save"), ("dense", "product"), ("save", "dense"):
        run_both(both, lambda of: [of.make(names[of.k]) for _ in range(3)])
