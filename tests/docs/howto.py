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


def periodic():
    n = 240
    line = tridap.distribution(n)  # the points 0 to n - 1; point n - 1 is beside point 0
    (mine,) = line.indices(comm.rank)
    columns = np.stack([(mine - 1) % n, mine, (mine + 1) % n], axis=1)  # of the left point, the point, the right point
    values = np.tile([-50.0, 101.0, -50.0], (mine.size, 1))  # I - 50 D2: a step of diffusion
    A = tridap.Matrix((values.ravel(), columns.ravel(), 3 * np.arange(mine.size + 1)), line)
    b = tridap.from_function(line, lambda i: np.sin(2 * np.pi * i / n))
    x = tridap.solve(A, b, preconditioner="muelu").x

    damped = 1 + 100 * (1 - np.cos(2 * np.pi / n))
    assert np.abs(damped * x.local - b.local).max(initial=0) < 1e-6
    mirrors(n, damped)


def mirrors(n, damped):
    ring = tridap.distribution(n + 2, [tridap.block(padding=1, periodic=True)])  # elements 0 and n + 1 are mirrors
    (mine,) = ring.indices(comm.rank, "interior")  # from 1 to n
    columns = np.stack([(mine - 2) % n + 1, mine, mine % n + 1], axis=1)  # never 0 or n + 1
    values = np.tile([-50.0, 101.0, -50.0], (mine.size, 1))
    A = tridap.Matrix((values.ravel(), columns.ravel(), 3 * np.arange(mine.size + 1)), ring)
    b, x = tridap.zeros(ring), tridap.zeros(ring)
    b.interior[...] = np.sin(2 * np.pi * (mine - 1) / n)
    tridap.solve(A, b, x, preconditioner="muelu")
    x.update_padding()  # the mirrors, too

    held = ring.indices(comm.rank, "local")[0]
    assert np.abs(damped * x.local - np.sin(2 * np.pi * (held - 1) / n)).max(initial=0) < 1e-6
    try:
        tridap.Matrix((values.ravel(), (columns - 1).ravel(), 3 * np.arange(mine.size + 1)), ring)
    except tridap.ProtocolError as error:
        assert "has column 0, must be the number of an element" in str(error)
    else:
        raise AssertionError("a mirror is a column")


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
            for page in solve, periodic, move, halo, capture:
                page()
            os.chdir("/")
    except BaseException:
        import traceback
        traceback.print_exc()
        comm.Abort(1)
