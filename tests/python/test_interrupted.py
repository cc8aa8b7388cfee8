"""What Python raises while a solve is on: on one process, on several, and afterwards all is as before."""

import gc
import os
import pickle
import signal
import sys
import threading
import time
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from mpi4py import MPI
from systems import Field, local_rows, matrix, whole

N = 40


class Plain(Exception):
    pass


class Unpicklable(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")
        self.lock = threading.Lock()


class Unloadable(Exception):
    def __init__(self, a, b):
        super().__init__(f"{a} and {b}")


@pytest.fixture
def line(comm):
    dist = tridap.distribution((N,), ("b",), processes=comm.size)
    dense = np.diag(np.full(N, 2.0)) - np.diag(np.ones(N - 1), 1) - np.diag(np.ones(N - 1), -1)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    return A, tridap.from_function(dist, lambda i: 1.0 + i % 5), dist, dense


def operator(comm, dist, before):
    """A matvec that any process may leave before it communicates: it computes with its own part alone."""
    diagonal = 1.0 + dist.indices(comm.rank)[0]

    def matvec(x, y):
        before()
        y[...] = diagonal * x

    return tridap.LinearOperator(matvec, dist), np.diag(1.0 + np.arange(N))


RAISED = {Plain: (Plain("so"), Plain, "so"), KeyboardInterrupt: (KeyboardInterrupt(), KeyboardInterrupt, ""),
          SystemExit: (SystemExit(3), SystemExit, "3"),
          Unpicklable: (Unpicklable(1, 2), RuntimeError, "raised Unpicklable: 1 and 2"),
          Unloadable: (Unloadable(1, 2), RuntimeError, "raised Unloadable: 1 and 2")}


@pytest.mark.parametrize("by", [0, -1])
@pytest.mark.parametrize("kind", RAISED)
@pytest.mark.parametrize("how", ["cg", "gmres", "muelu"])
def test_an_exception_of_one_callback_ends_the_solve_on_all(comm, line, how, kind, by):
    A, b, dist, dense = line
    there = comm.rank == by % comm.size
    error, elsewhere, words = RAISED[kind]
    seen = []

    def callback(iteration, residual):
        seen.append(iteration)
        if there and iteration == 3:
            raise error

    method = dict(preconditioner="muelu", tol=1e-300) if how == "muelu" else dict(method=how)
    with pytest.raises(kind if there else elsewhere, match="" if there else words) as raised:
        tridap.solve(A, b, callback=callback if there or comm.rank % 2 == 0 else None, **method)
    if there:
        assert raised.value is error
    assert not seen or seen == [1, 2, 3]
    after = tridap.solve(A, b, tol=1e-11)
    np.testing.assert_allclose(whole(comm, dist, after.x.local), np.linalg.solve(dense, 1.0 + np.arange(N) % 5), rtol=1e-8)


@pytest.mark.parametrize("kind", RAISED)
@pytest.mark.parametrize("call", [1, 2, 4])
def test_an_exception_of_one_matvec_ends_the_solve_on_all(comm, line, kind, call):
    _, b, dist, _ = line
    error, elsewhere, words = RAISED[kind]
    there = comm.rank == comm.size - 1
    calls = []

    def before():
        calls.append(1)
        if there and len(calls) == call:
            raise error

    A, dense = operator(comm, dist, before)
    with pytest.raises(kind if there else elsewhere, match="" if there else words):
        tridap.solve(A, b)
    assert comm.allgather(len(calls)) == [call] * comm.size
    result = tridap.solve(A, b, tol=1e-12)
    np.testing.assert_allclose(whole(comm, dist, result.x.local), (1.0 + np.arange(N) % 5) / np.diag(dense), rtol=1e-9)


def test_a_solve_in_a_callback_of_the_same_matrix(comm, line):
    A, b, dist, _ = line
    inner = []

    def callback(iteration, residual):
        if iteration == 2:
            inner.append(tridap.solve(A, b, method="gmres", preconditioner="ifpack2"))
        if iteration == 3:
            with pytest.raises(Plain):
                tridap.solve(A, b, callback=raises)

    def raises(iteration, residual):
        raise Plain

    of_levels = tridap.Preconditioner(A, options={"coarse: max size": 5})  # else one direct solve may do it all
    result = tridap.solve(A, b, M=of_levels, tol=1e-12, callback=callback)
    assert result.converged and inner[0].converged


def test_memory_that_a_matvec_keeps_stays(comm):
    n = 50000
    dist = tridap.distribution((n * comm.size,), ("b",))
    kept = []

    def matvec(x, y):
        kept.append((x, y))
        y[...] = 2 * x

    b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
    x = Field(dist, comm.rank, 3.0)
    memory = weakref.ref(x.memory.base)
    tridap.solve(tridap.LinearOperator(matvec, dist), b, x)
    del x
    gc.collect()
    assert memory() is not None  # the first x_local was x itself
    for made in range(20):
        np.full(n, np.nan)  # what was freed would be taken again
    for of_x, of_y in kept:
        assert np.isfinite(of_x.sum()) and np.isfinite(of_y.sum())
        with pytest.raises(ValueError, match="read-only"):
            of_x[...] = 0
        with pytest.raises(ValueError):
            of_x.flags.writeable = True
    del kept[:], of_x, of_y
    gc.collect()
    assert memory() is None


@pytest.mark.parametrize("where", ["callback", "matvec", "plain"])
def test_an_interrupt_ends_a_solve_of_one_process(comm, where):
    """Each process by itself, at once. SIGINT comes when the solve, which has no end of its own, has written to x."""
    n = 500
    dist = tridap.distribution((n,), ("b",), processes=1)
    A = tridap.LinearOperator(lambda x, y: np.copyto(y, np.roll(x, 1)), dist)
    if where == "plain":
        A = tridap.Matrix(sp.csr_matrix(np.roll(np.eye(n), 1, axis=0)), dist)
    b, x = tridap.array(np.random.default_rng(3).random(n), dist), tridap.zeros(dist)
    ended = threading.Event()

    def interrupt():
        while not x.local.any() and not ended.is_set():
            time.sleep(0.001)
        if not ended.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    endless = dict(x=x, tol=0, maxiter=2**31 - 1, method="gmres", options={"Num Blocks": 2},  # too few for this matrix
                   callback=(lambda i, r: None) if where == "callback" else None)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            quietly(A, b, endless)
    finally:
        ended.set()
        thread.join()
        signal.signal(signal.SIGINT, handler)
    dense, i = matrix(n), np.arange(n)
    result = tridap.solve(tridap.Matrix(local_rows(dense, dist, 0), dist), tridap.from_function(dist, lambda i: 1.0 + i % 5),
                          tol=1e-12)
    np.testing.assert_allclose(result.x.local, np.linalg.solve(dense, 1.0 + i % 5), rtol=1e-9)


def quietly(A, b, how):
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tridap.solve(A, b, **how)


def test_python_goes_on_during_a_solve(comm):
    """Another thread runs between two calls of the callback, on each process by itself: the solve goes on until it has run.

    Python takes the GIL from no thread meanwhile, and the callback does not wait: only Trilinos lets the other thread run.
    """
    n = 20000
    dist = tridap.distribution((n,), ("b",), processes=1)
    A = tridap.Matrix(sp.csr_matrix((np.ones(n), np.roll(np.arange(n), 1), np.arange(n + 1))), dist)
    b = tridap.array(np.random.default_rng(3).random(n), dist)
    begun, ran = threading.Event(), threading.Event()

    def callback(iteration, residual):
        begun.set()
        if ran.is_set():
            raise Plain

    thread = threading.Thread(target=lambda: begun.wait() and ran.set())
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    thread.start()
    try:
        with pytest.raises(Plain):  # else the solve comes to its end: GMRES of two vectors does not converge
            quietly(A, b, dict(tol=0, maxiter=20000, method="gmres", options={"Num Blocks": 2}, callback=callback))
    finally:
        begun.set()
        sys.setswitchinterval(interval)
        thread.join()


def test_threads_solve_one_at_a_time(comm):
    """On communicators of their own; what one raises is not another's, and what one lets go of is let go of."""
    dist = tridap.distribution((N,), ("b",), processes=1)
    dense = matrix(N)
    expected = np.linalg.solve(dense, 1.0 + np.arange(N) % 5)
    shared = tridap.Matrix(local_rows(dense, dist, 0), dist)
    wrong = []

    def work(which):
        try:
            b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
            for turn in range(12):
                A = shared if turn % 2 else tridap.Matrix(local_rows(dense, dist, 0), dist)
                preconditioner = ["muelu", "ifpack2", None][(which + turn) % 3]

                def callback(iteration, residual):
                    time.sleep(0.0005)
                    if which % 2:
                        raise Plain(which)

                try:
                    result = tridap.solve(A, b, tol=1e-12, preconditioner=preconditioner, callback=callback)
                    np.testing.assert_allclose(result.x.local, expected, rtol=1e-9)
                    assert which % 2 == 0
                except Plain as error:
                    assert error.args == (which,)
                result = A = None
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(which,)) for which in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not wrong and not any(thread.is_alive() for thread in threads)


def test_an_operator_that_its_function_holds_is_collected(comm):
    dist = tridap.distribution((N,), ("b",), processes=comm.size)

    class Model:
        def __init__(self):
            self.operator = tridap.LinearOperator(self.product, dist)

        def product(self, x, y):
            y[...] = 2 * x

    model = Model()
    assert tridap.solve(model.operator, tridap.from_function(dist, lambda i: 1.0 + i)).converged
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_a_result_and_its_errors_cross_processes_in_words(comm, line):
    A, b, _, _ = line
    with pytest.raises(tridap.ProtocolError) as raised:
        tridap.solve(A, b, tol=-1)
    again = pickle.loads(pickle.dumps(raised.value))
    assert type(again) is tridap.ProtocolError and str(again) == str(raised.value)
    assert comm.size == MPI.COMM_WORLD.size
