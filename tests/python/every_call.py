"""The calls of all processes, over a communicator of the caller: each method makes one, and asserts that its result is right."""

from functools import cached_property

import numpy as np
import pytest
import scipy.sparse as sp
import tridap

N = 64
NEEDS = {"save": "hdf5", "load": "hdf5", "petsc": "petsc",
         **{name: "scalapack" for name in ("dense", "cholesky", "eigh", "svd", "qr", "grid")},
         **{name: "solvers" for name in ("product", "solve", "muelu", "direct", "eigsh", "matrix", "diagonal", "update_values", "precond")}}


def need(name):
    """Skips the test, unless this build has what a call needs."""
    if name in NEEDS and not tridap.components()[NEEDS[name]].built:
        pytest.skip(f"no component {NEEDS[name]}")


class Calls:
    """A line of N elements, its matrix and a dense one, which differ by `k`. Files are in `folder`."""

    def __init__(self, comm, folder, k=0):
        self.comm, self.p, self.r, self.k = comm, comm.size, comm.rank, k
        self.file = f"{folder}/{k}.h5"
        self.line = tridap.distribution(N, processes=self.p)
        self.mine = self.line.indices(self.r)[0]
        full = sp.diags([-1.0, 2.1 + k, -1.0], [-1, 0, 1], shape=(N, N), format="csr")
        self.rows, self.dense_rows = full[self.mine], full.toarray()
        self.b = tridap.from_function(self.line, lambda i: 1.0 + i, comm=comm)
        self.values = 1.0 + np.arange(N)
        self.square = np.fromfunction(self.entry, (N, N))

    def entry(self, i, j):
        return (i == j) + (0.01 + 0.01 * self.k) / (1 + abs(i - j))

    @cached_property
    def A(self):
        return tridap.Matrix(self.rows, self.line, self.comm)

    @cached_property
    def full(self):
        return tridap.from_function(tridap.distribution((N, N), "b,*", processes=self.p), self.entry, comm=self.comm)

    @cached_property
    def ghosted(self):
        ghosts = [(int(self.mine[0]) - 1) % N] if self.p > 1 else []
        return tridap.GhostedArray(np.append(self.b.local, np.zeros(len(ghosts))), ghosts, comm=self.comm)

    def made(self):
        """The same, with all arrays: others are made by the first call that needs them, on one thread at a time."""
        self.A, self.full, self.ghosted
        return self

    def make(self, name):
        need(name)
        getattr(self, name)()

    def is_solved(self, **how):
        assert np.allclose(self.dense_rows @ tridap.solve(self.A, self.b, **how).x.allgather(), self.values)

    def solve(self):
        self.is_solved(tol=1e-10)

    def muelu(self):
        self.is_solved(tol=1e-10, preconditioner="muelu")

    def direct(self):
        self.is_solved(method="direct")

    def precond(self):
        self.is_solved(tol=1e-10, preconditioner=tridap.Preconditioner(self.A, "muelu"))

    def product(self):
        assert np.allclose((self.A @ self.b).allgather(), self.dense_rows @ self.values)

    def diagonal(self):
        assert (self.A.diagonal().allgather() == 2.1 + self.k).all()

    def matrix(self):
        assert np.allclose((tridap.Matrix(self.rows, self.line, self.comm) @ self.b).allgather(), self.dense_rows @ self.values)

    def update_values(self):
        self.A.update_values(self.rows)

    def eigsh(self):
        w, _ = tridap.eigsh(self.A, 2, which="SA")[:2]
        assert np.allclose(np.sort(w), np.linalg.eigvalsh(self.dense_rows)[:2])

    def redistribute(self):
        assert (self.b.redistribute("c").allgather() == self.values).all()

    def to_ids(self):
        plan = tridap.to_ids(self.b, [3] if self.r == 0 else [], partial=True)
        assert plan(self.b).local.tolist() == ([4.0] if self.r == 0 else [])

    def sum(self):
        assert self.b.sum() == self.values.sum()

    def gather(self):
        whole = self.b.gather()
        assert self.r != 0 or (whole == self.values).all()

    def update_padding(self):
        dist = tridap.distribution(N, [tridap.block(padding=1)], processes=self.p)
        x = tridap.zeros(dist, comm=self.comm)
        x.interior[...] = 1.0 + dist.indices(self.r, "interior")[0]
        x.update_padding()
        assert np.array_equal(x.local, 1.0 + dist.indices(self.r, "local")[0])

    def ghosts(self):
        self.ghosted.update_ghosts()
        assert np.array_equal(self.ghosted.local, 1.0 + np.append(self.mine, self.ghosted.ghosts))

    def asarray(self):
        given = {"__version__": "0.10.0", "buffer": self.b.local, "dim_data": self.line.dim_data(self.r)}
        assert tridap.asarray(given, self.comm).sum() == self.values.sum()

    def refused(self):
        """An Error that one process alone causes, so that its report travels."""
        given = {"__version__": "0.10.0", "buffer": self.b.local, "dim_data": self.line.dim_data(self.r)}
        if self.r == self.p - 1:
            given["buffer"] = given["buffer"][:-1]
        with pytest.raises(tridap.ProtocolError, match=f"rank {self.p - 1}"):
            tridap.asarray(given, self.comm)

    def save(self):
        tridap.save(self.file, {"x": self.b})

    def load(self):
        self.save()
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
