"""Two threads on each process, each with a communicator of its own: every call ends, and is right.

The threads begin in one order on rank 0 and in the other one on the other processes. So a lock that a process held while it
waits for another process would stop both for ever.
"""

import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from mpi4py import MPI

pytestmark = pytest.mark.skipif(MPI.COMM_WORLD.size == 1, reason="one process waits for no other")

N = 64
QUICK = ["solve", "save", "dense", "sum", "petsc"]
OTHERS = ["product", "redistribute", "ghosts", "gather", "check", "matrix", "diagonal", "eigsh", "precond", "values", "direct", "load",
          "eigh", "svd", "qr", "cholesky", "grid", "plot", "to_ids"]


class Of:
    """The arrays of one thread."""

    def __init__(self, comm, folder, k):
        self.comm, self.p, self.r, self.k = comm, comm.size, comm.rank, k
        self.file = f"{folder}/{k}.h5"
        self.line = tridap.distribution(N, processes=self.p)
        self.mine = self.line.indices(self.r)[0]
        full = sp.diags([-1.0, 2.1 + k, -1.0], [-1, 0, 1], shape=(N, N), format="csr")
        self.rows, self.dense_rows = full[self.mine], full.toarray()
        self.A = tridap.Matrix(self.rows, self.line, comm)
        self.b = tridap.from_function(self.line, lambda i: 1.0 + i, comm=comm)
        self.values = 1.0 + np.arange(N)
        self.square = np.fromfunction(lambda i, j: (i == j) + (0.01 + 0.01 * k) / (1 + abs(i - j)), (N, N))
        self.full = tridap.from_function(tridap.distribution((N, N), "b,*", processes=self.p),
                                         lambda i, j: (i == j) + (0.01 + 0.01 * k) / (1 + abs(i - j)), comm=comm)
        self.memory = np.zeros(self.mine.size + 1)
        self.memory[:-1] = 1.0 + self.mine
        self.ghosted = tridap.GhostedArray(self.memory, [(int(self.mine[0]) - 1) % N], comm=comm)
        tridap.save(self.file, {"x": self.b}, comm=comm)

    def solve(self):
        assert np.allclose(self.dense_rows @ tridap.solve(self.A, self.b, tol=1e-10).x.allgather(), self.values)

    def direct(self):
        assert np.allclose(self.dense_rows @ tridap.solve(self.A, self.b, method="direct").x.allgather(), self.values)

    def product(self):
        assert np.allclose((self.A @ self.b).allgather(), self.dense_rows @ self.values)

    def diagonal(self):
        assert (self.A.diagonal().allgather() == 2.1 + self.k).all()

    def matrix(self):
        assert np.allclose((tridap.Matrix(self.rows, self.line, self.comm) @ self.b).allgather(), self.dense_rows @ self.values)

    def values_(self):
        self.A.update_values(self.rows)

    def precond(self):
        M = tridap.Preconditioner(self.A, "muelu")
        assert tridap.solve(self.A, self.b, preconditioner=M).converged

    def eigsh(self):
        w, _ = tridap.eigsh(self.A, 2, which="SA")[:2]
        assert np.allclose(np.sort(w), np.linalg.eigvalsh(self.dense_rows)[:2])

    def redistribute(self):
        assert (self.b.redistribute("c").allgather() == self.values).all()

    def sum(self):
        assert self.b.sum() == self.values.sum()

    def gather(self):
        whole = self.b.gather()
        assert self.r != 0 or (whole == self.values).all()

    def check(self):
        made = tridap.asarray({"__version__": "0.10.0", "buffer": self.b.local, "dim_data": self.line.dim_data(self.r)}, self.comm)
        assert made.is_whole

    def ghosts(self):
        self.ghosted.update_ghosts()
        assert self.memory[-1] == 1.0 + (int(self.mine[0]) - 1) % N

    def save(self):
        tridap.save(self.file, {"x": self.b})

    def load(self):
        assert (tridap.load(self.file, "x", comm=self.comm).allgather() == self.values).all()

    def dense(self):
        assert np.allclose(self.square @ tridap.scalapack.solve(self.full, self.b, copy="if_needed").allgather(), self.values)

    def cholesky(self):
        L = np.tril(tridap.scalapack.cholesky(self.full, lower=True, copy="if_needed").allgather())
        assert np.allclose(L @ L.T, self.square)

    def eigh(self):
        w, v = tridap.scalapack.eigh(self.full, copy="if_needed")
        assert np.allclose(self.square @ v.allgather(), v.allgather() * w)

    def svd(self):
        U, s, Vh = tridap.scalapack.svd(self.full, copy="if_needed")
        assert np.allclose(U.allgather() * s @ Vh.allgather(), self.square)

    def qr(self):
        q, r = tridap.scalapack.qr(self.full, copy="if_needed")
        assert np.allclose(q.allgather() @ r.allgather(), self.square)

    def grid(self):
        tridap.scalapack.ProcessGrid(1, self.p, self.comm).close()

    def petsc(self):
        from tridap import petsc
        assert np.isclose(petsc.import_array(self.b)[0].norm(), np.linalg.norm(self.values))

    def plot(self):
        pytest.importorskip("matplotlib")
        self.b.plot()

    def to_ids(self):
        plan = tridap.to_ids(self.b, [3] if self.r == 0 else [], partial=True)
        assert plan(self.b).local.tolist() == ([4.0] if self.r == 0 else [])


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    world = MPI.COMM_WORLD
    if MPI.Query_thread() < MPI.THREAD_MULTIPLE:
        pytest.skip("needs MPI_THREAD_MULTIPLE")
    folder = world.bcast(str(tmp_path_factory.mktemp("threads")))
    return [Of(world.Dup(), folder, k) for k in range(2)]


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
    run_both(both, getattr(Of, "values_" if name == "values" else name))


def test_different_calls_of_two_threads_end(comm, both):
    calls = [(Of.solve, Of.save), (Of.dense, Of.product), (Of.save, Of.dense)]
    for first, second in calls:
        run_both(both, lambda of: [(first if of.k == 0 else second)(of) for _ in range(3)])
