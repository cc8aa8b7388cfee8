"""How many collective calls of MPI each call of ours makes, so that none grows unseen: each is the latency of all processes.

tests/support/count_collectives.cpp, which is loaded before MPI, counts those of TriDAP itself. Counted is the second call, since
the first one makes what is kept with the communicator.
"""

import ctypes
import os

import numpy as np
import pytest
import tridap
from mpi4py import MPI

COMM = MPI.COMM_WORLD
P = COMM.size
COUNTED = ctypes.CDLL(os.environ["LD_PRELOAD"], mode=ctypes.RTLD_GLOBAL)
OURS, MESSAGES, COMMUNICATORS = 0, 0, 1
SHAPE = (6 * P, 8)
GRID = tuple(MPI.Compute_dims(P, 2))


def counted(call):
    """The collectives that the second call makes: messages, and what makes communicators and files."""
    kept = call()
    COUNTED.tridap_count_anew()
    again = call()
    found = COUNTED.tridap_counted(OURS, MESSAGES), COUNTED.tridap_counted(OURS, COMMUNICATORS)
    del kept, again
    return found


def lists():
    """Each process has every P-th index of the first axis."""
    return tridap.distribution(SHAPE, (tridap.unstructured([range(rank, SHAPE[0], P) for rank in range(P)]), "*"), processes=P)


KINDS = {
    "block": lambda: tridap.distribution(SHAPE, ("b", "*"), processes=P),
    "both axes": lambda: tridap.distribution(SHAPE, ("b", "b"), GRID, processes=P),
    "cyclic": lambda: tridap.distribution(SHAPE, ("c:2", "c"), GRID, processes=P),
    "padded": lambda: tridap.distribution(SHAPE, (tridap.block(padding=1), "*"), processes=P),
    "lists": lists,
    "one axis": lambda: tridap.distribution(SHAPE[0], "b", processes=P),
}


def array(kind):
    dist = KINDS[kind]()
    made = tridap.zeros(dist)
    made.local[...] = 1.0
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_dictionaries_need_two(kind):
    x = array(kind)
    given = {"__version__": "0.10.0", "buffer": x.local, "dim_data": x.distribution.dim_data(COMM.rank)}
    assert counted(lambda: tridap.asarray(given, COMM)) <= (7 if kind == "lists" else 2, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_moves_into_a_target_need_one_and_others_two(kind):
    x = array(kind)
    to = tridap.distribution(x.shape, "c:3" if x.ndim == 1 else ("*", "c:3"), processes=P)
    plan = tridap.Redistribution(x.distribution, to)
    y = tridap.zeros(to)
    assert counted(lambda: plan(x)) <= (2, 0)
    assert counted(lambda: plan(x, y)) == (1, 0)
    y = plan(x)
    for _ in range(3):  # the memory of the last but one is free
        COUNTED.tridap_count_anew()
        y = plan(x)
    assert COUNTED.tridap_counted(OURS, MESSAGES) == 1
    assert np.all(y.interior == 1)


@pytest.mark.parametrize("kind", KINDS)
def test_gathers_need_two_and_those_of_lists_three(kind):
    x = array(kind)
    most = 3 if kind == "lists" else 2
    assert counted(x.gather) <= (most, 0)
    assert counted(x.allgather) <= (most, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_reductions_need_one(kind):
    x = array(kind)
    for call in (x.sum, x.max, x.norm, x.mean, x.argmax, lambda: x.dot(x)):
        assert counted(call) == (1, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_updates_of_padding_need_one(kind):
    assert counted(array(kind).update_padding) == (1, 0)


@pytest.fixture
def system():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    n = 20 * P
    line = tridap.distribution(n, processes=P)
    (mine,) = line.indices(COMM.rank)
    rows = scipy_sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr")[mine]
    b = tridap.from_function(line, lambda i: 1.0 + i)
    return tridap.Matrix(rows, line), rows, line, b


def has(component):
    return pytest.mark.skipif(not tridap.components()[component].built, reason=f"needs {component}")


@has("solvers")
def test_matrices_and_their_solves(system):
    A, rows, line, b = system
    assert counted(lambda: tridap.Matrix(rows, line)) <= (9, 0)  # with those of Tpetra's templates, compiled into our module
    assert counted(lambda: A @ b) == (1, 0)
    assert counted(lambda: tridap.solve(A, b, maxiter=0, tol=1e9)) <= (4, 0)
    assert counted(lambda: tridap.solve(A, b, method="direct")) <= (10, 0)


@has("scalapack")
@pytest.mark.parametrize("name", ["cholesky", "solve", "eigh", "svd", "qr"])
def test_dense_functions(name):
    from tridap import scalapack
    grid = tridap.distribution((16 * P, 16 * P), ("c:4", "c:4"), GRID, processes=P)
    a = tridap.from_function(grid, lambda i, j: 1.0 * (i + j == 0) + 9.0 * (i == j))
    b = tridap.from_function(tridap.distribution((16 * P, 4), ("c:4", "c:4"), GRID, processes=P), lambda i, j: 1.0 + i + j)
    arguments = [a, b] if name == "solve" else [a]
    assert counted(lambda: getattr(scalapack, name)(*arguments)) <= (8, 0)


@has("hdf5")
@pytest.mark.parametrize("kind", ["block", "both axes", "cyclic", "padded", "one axis"])
def test_files(kind, folder):
    path = folder / "a.h5"
    x = array(kind)
    assert counted(lambda: tridap.save(path, {"x": x}))[0] <= 8
    assert counted(lambda: tridap.load(path, "x"))[0] <= 8
