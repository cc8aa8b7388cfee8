"""The lines of Python in the pages of docs/howto, which tests/docs/pages_test.py compares with this file.

    mpiexec -n 4 python3 howto.py
"""

import json
import os
import tempfile

import numpy as np
import scipy.sparse
import tridap
from mpi4py import MPI

comm = MPI.COMM_WORLD


def solve():
    n = 400
    line = tridap.distribution(n)  # in blocks, over all processes
    (mine,) = line.indices(comm.rank)  # the global indices on this process
    rows = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(n, n), format="csr")[mine]
    b = tridap.array(np.ones(mine.size), line)  # your own memory
    x = tridap.zeros(line)
    result = tridap.solve(tridap.Matrix(rows, line), b, x, preconditioner="muelu")

    assert result.converged and result.bytes_copied == 0
    exact = (mine + 1) * (n - mine) / 2
    assert np.abs(x.local - exact).max(initial=0) < 1e-3 * n * n / 8
    several(line, rows, b)


def several(line, rows, b):
    A = tridap.Matrix(rows, line)
    cg = tridap.solve(A, b, preconditioner="muelu")
    gmres = tridap.solve(A, b, method="gmres", preconditioner="ifpack2")
    lu = tridap.solve(A, b, method="direct")
    difference = (cg.x - lu.x).norm() / lu.x.norm()

    assert gmres.x.shape == lu.x.shape and difference < 1e-6


def move():
    x = tridap.from_function(tridap.distribution((30, 40), "b,*"), lambda i, j: 100.0 * i + j)
    turned = tridap.redistribute(x, "*,b")  # rows become columns
    plan = tridap.Redistribution(x, turned)  # planned once, for several arrays
    plan(x, turned)  # into memory that you have
    text = plan.explain()  # what each process sends to each other one

    assert "are sent" in text and turned.sum() == x.sum()
    mine = turned.distribution.indices(comm.rank)[1]
    assert np.array_equal(turned.local, 100.0 * np.arange(30)[:, None] + mine)


def halo():
    points = tridap.distribution(24, [tridap.block(padding=1)])
    u = tridap.zeros(points)
    u.owned[...] = comm.rank
    u.update_padding()  # collective

    (mine,) = points.indices(comm.rank)
    assert u.max() == comm.size - 1
    assert u.local.size == u.owned.size + (comm.rank > 0) + (comm.rank < comm.size - 1)


def capture():
    class Field:
        def __distarray__(self):
            axis = {"dist_type": "b", "size": 4 * comm.size, "start": 4 * comm.rank, "stop": 4 * comm.rank + 4,
                    "proc_grid_size": comm.size, "proc_grid_rank": comm.rank}
            if comm.rank == comm.size - 1:
                axis["stop"] += 1
            return {"__version__": "0.10.0", "buffer": np.zeros(4), "dim_data": (axis,)}

    field = Field()
    try:
        x = tridap.asarray(field, comm)
    except tridap.ProtocolError:
        tridap.write_capture(field, "field.json", comm)  # collective; the array may be wrong
    else:
        raise AssertionError(x)

    if comm.rank == 0:
        with open("field.json") as file:
            assert len(json.load(file)["processes"]) == comm.size


if __name__ == "__main__":
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for page in solve, move, halo, capture:
                page()
            os.chdir("/")
    except BaseException:
        import traceback
        traceback.print_exc()
        comm.Abort(1)
