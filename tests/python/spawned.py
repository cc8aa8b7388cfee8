"""Two processes spawn two others: arrays move between all four, and a grid of ScaLAPACK over all of them is an Error on each."""

import os
import sys
import traceback

sys.path[:0] = sys.argv[1:]  # of the spawned processes, which do not get PYTHONPATH

import numpy as np
import tridap
from mpi4py import MPI

parent = MPI.Comm.Get_parent()
folders = os.environ.get("PYTHONPATH", "").split(os.pathsep)
between = parent if parent != MPI.COMM_NULL else MPI.COMM_WORLD.Spawn(sys.executable, [__file__, *folders], maxprocs=2)
merged = between.Merge(parent != MPI.COMM_NULL)
assert MPI.COMM_WORLD.size == 2 and merged.size == 4


def arrays_move():
    x = tridap.from_function(tridap.distribution((6, 8), "b,*", processes=4), lambda i, j: 10.0 * i + j, comm=merged)
    y = x.redistribute("c:2,c:3", grid=(2, 2))
    i, j = np.ogrid[:6, :8]
    np.testing.assert_array_equal(y.allgather(), 10.0 * i + j)
    assert y.sum() == (10.0 * i + j).sum() and y.comm.size == 4
    parents = tridap.from_function(tridap.distribution(6, "b", processes=2), lambda i: 1.0 * i,
                                   comm=MPI.COMM_WORLD)  # each half of the processes is a job of its own
    assert parents.sum() == 15


def a_grid_of_more_processes_is_an_error():
    if not tridap.components()["scalapack"].built:
        return
    from tridap import scalapack
    with scalapack.ProcessGrid(1, 2, merged) as grid:
        assert grid.nprow == 1 and (grid.context >= 0) == (merged.rank < 2)
    A = tridap.from_function(tridap.distribution((8, 8), "c:2,c:2", grid=(2, 2)), lambda i, j: 1.0 * (i == j), comm=merged)
    for call in (lambda: scalapack.ProcessGrid(2, 2, merged), lambda: scalapack.cholesky(A)):
        text = ""
        try:
            call()
        except tridap.ProtocolError as error:
            text = str(error)
        assert "MPI_COMM_WORLD of this process has 2" in text and "MPI_Comm_spawn" in text, text
        assert len(set(merged.allgather(text))) == 1


try:
    arrays_move()
    a_grid_of_more_processes_is_an_error()
except BaseException:
    traceback.print_exc()
    merged.Abort(1)  # the others may wait for this process
merged.Free()
between.Disconnect()
