"""A @ x and the diagonal of a matrix, against dense matrices that every process has."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from systems import Field, layouts, local_rows, matrix, numbers, size, whole
from test_solve_padding import columns, paddings


def vector(dist, comm, order="C", step=1):
    """An array with arbitrary elements, and the same flat, by row-major number."""
    x = np.random.default_rng(3).normal(size=size(dist))
    field = Field(dist, comm.rank, np.nan, order, step)
    array = tridap.asarray(field, comm)
    array.interior[...] = x[numbers(dist, comm.rank)].reshape(array.interior.shape)
    return array, x


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("step", [1, 2])
def test_a_product_is_that_of_the_dense_matrix(comm, order, step):
    for name, dist in layouts(comm.size).items():
        dense = matrix(size(dist), symmetric=False)
        A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
        x, flat = vector(dist, comm, order, step)
        kept = x.local.copy()
        y = A @ x
        assert type(y) is tridap.DistArray and y.distribution == A.distribution and y.dtype == float
        assert np.allclose(whole(comm, dist, y.interior), dense @ flat, rtol=1e-13, atol=1e-13), name
        assert np.array_equal(x.local, kept, equal_nan=True) and not np.shares_memory(x, y)
        assert np.allclose(whole(comm, dist, (np.matmul(A, x)).interior), dense @ flat)
        assert np.array_equal(whole(comm, dist, A.diagonal().interior), np.diag(dense))


def test_a_matrix_on_one_process_and_an_operator_on_others(comm):
    dist = tridap.distribution(5 * comm.size, "b", processes=comm.size)
    A = tridap.Matrix(local_rows(np.eye(size(dist)), dist, comm.rank), dist)
    free = tridap.LinearOperator(lambda x, y: np.copyto(y, x), dist)
    x = tridap.zeros(dist, comm=A.comm)
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match="A is a Matrix on some processes and a LinearOperator on others"):
            (A if comm.rank == 0 else free) @ x
    assert np.array_equal((A @ x).local, (free @ x).local)


def test_x_may_be_known_together_on_some_processes_only(comm):
    dist = tridap.distribution(5 * comm.size, "b", processes=comm.size)
    dense = matrix(size(dist), symmetric=False)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    x, flat = vector(dist, comm)
    for given in x, x.__distarray__() if comm.rank == comm.size - 1 else x, x.__distarray__():
        assert np.allclose(whole(comm, dist, (A @ given).interior), dense @ flat, rtol=1e-13, atol=1e-13)
        answer = tridap.solve(A, given, method="direct").x
        assert np.allclose(dense @ whole(comm, dist, answer.interior), flat)


def test_a_matrix_has_a_shape_a_transpose_dot_and_a_text(comm):
    for name, dist in layouts(comm.size).items():
        n = size(dist)
        dense = matrix(n, symmetric=False)
        A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
        x, flat = vector(dist, comm)
        assert A.shape == A.T.shape == dense.shape, name
        assert np.array_equal(whole(comm, dist, A.dot(x).interior), whole(comm, dist, (A @ x).interior))
        turned = A.T
        assert type(turned) is tridap.Matrix and turned.distribution == A.distribution and not turned.receipt.shared
        assert np.allclose(whole(comm, dist, (turned @ x).interior), dense.T @ flat, rtol=1e-13, atol=1e-13), name
        assert np.allclose(whole(comm, dist, (turned.T @ x).interior), dense @ flat, rtol=1e-13, atol=1e-13), name
        assert repr(A) == f"<tridap.Matrix: {n} x {n}, {dist.describe()}>"
        free = tridap.LinearOperator(lambda x, y: np.multiply(x, 2, out=y), dist)
        assert free.shape == A.shape and repr(free) == f"<tridap.LinearOperator: {n} x {n}, {dist.describe()}>"
        assert np.allclose(free.dot(x).interior, 2 * x.interior)


def test_a_system_with_the_transpose_is_solved(comm):
    dist = tridap.distribution(6 * comm.size, "b", processes=comm.size)
    n = size(dist)
    dense = matrix(n, symmetric=False) + 5 * n * np.eye(n)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist, comm)
    b, flat = vector(dist, comm)
    found = tridap.solve(A.T, b, method="gmres", tol=1e-12, preconditioner="ifpack2")
    assert np.allclose(whole(comm, dist, found.x.interior), np.linalg.solve(dense.T, flat), rtol=1e-8)


def test_padding_of_a_product_is_zero(comm):
    dist = layouts(comm.size)["padded"]
    A = tridap.Matrix(local_rows(np.eye(size(dist)), dist, comm.rank), dist)
    y = A @ vector(dist, comm)[0]
    own = np.zeros(y.local.shape, bool)
    own[dist.part(comm.rank, "interior")] = True
    assert not y.local[~own].any() and np.isfinite(y.local).all()


@pytest.mark.parametrize("kind", ["matrix", "matvec"])
@pytest.mark.parametrize("layout", [paddings, lambda p: {width: columns(p, width) for width in "012"}], ids=["rows", "columns"])
def test_x_may_have_other_padding_and_the_product_has_it_too(comm, layout, kind):
    dists = layout(comm.size)
    for rows in dists.values():
        dense = matrix(size(rows), symmetric=False)
        if kind == "matrix":
            A = tridap.Matrix(local_rows(dense, rows, comm.rank), rows)
        else:
            ids = numbers(rows, comm.rank)
            A = tridap.LinearOperator(lambda x, y: np.copyto(y, (dense[ids] @ whole(comm, rows, x)).reshape(y.shape)), rows)
        for dist in dists.values():
            for order in "CF":
                x, flat = vector(dist, comm, order)
                kept = x.local.copy()
                y = A @ x
                assert y.distribution == dist and y.local.shape == x.local.shape
                assert np.allclose(whole(comm, dist, y.interior), dense @ flat, rtol=1e-13, atol=1e-13)
                assert np.array_equal(x.local, kept, equal_nan=True) and not np.shares_memory(x, y)
                padding = np.ones(y.local.shape, bool)
                padding[dist.part(comm.rank, "interior")] = False
                assert not y.local[padding].any()


def test_a_ring_with_mirrors_multiplies_like_a_line(comm):
    line = tridap.distribution((3 * comm.size,), ("b",))
    ring = tridap.distribution((3 * comm.size + 2,), [tridap.block(starts=[0] + [3 * r + 1 for r in range(1, comm.size)],
                                                                  padding=1, edges=(1, 1), periodic=True)])
    dense = matrix(3 * comm.size)
    A = tridap.Matrix(local_rows(dense, line, comm.rank), line)
    x = tridap.zeros(ring)
    x.interior[...] = 1.0 + line.indices(comm.rank)[0] % 5
    y = A @ x
    assert y.distribution == ring
    np.testing.assert_allclose(whole(comm, line, y.interior), dense @ (1.0 + np.arange(3 * comm.size) % 5), rtol=1e-13)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("first", [True, False])
def test_several_vectors_are_multiplied_at_once(comm, order, first):
    rows = tridap.distribution((3 * comm.size,), [tridap.block(padding=1)])
    dense = matrix(3 * comm.size, symmetric=False)
    A = tridap.Matrix(local_rows(dense, rows, comm.rank), rows)
    dist = tridap.distribution((4, 3 * comm.size) if first else (3 * comm.size, 4), "*,b" if first else "b,*", processes=comm.size)
    x = tridap.from_function(dist, lambda i, j: np.sin(1.0 + i + 7 * j), order=order)
    y = A @ x
    flat = np.sin(1.0 + np.arange(dist.shape[0])[:, None] + 7 * np.arange(dist.shape[1]))
    assert y.distribution == dist
    np.testing.assert_allclose(y.allgather(), flat @ dense.T if first else dense @ flat, rtol=1e-12, atol=1e-12)


def test_a_row_without_a_diagonal_entry_has_0_there(comm):
    dist = tridap.distribution(3 * comm.size, processes=comm.size)
    shift = np.eye(3 * comm.size, k=1)
    shift[2, 2] = 7
    A = tridap.Matrix(local_rows(shift, dist, comm.rank), dist)
    assert np.array_equal(whole(comm, dist, A.diagonal().local), np.diag(shift))


def test_an_operator_multiplies_by_its_function(comm):
    for dist in layouts(comm.size).values():
        A = tridap.LinearOperator(lambda x, y: y.__setitem__(..., 3 * x), dist)
        x, flat = vector(dist, comm)
        assert np.array_equal(whole(comm, dist, (A @ x).interior), 3 * flat)


def test_rows_in_fortran_order_multiply_arrays_in_either_order(comm):
    dist = tridap.distribution((5, 4), ("b", "c:2"), processes=comm.size)
    dense = matrix(20, symmetric=False)
    rows = Field(dist, comm.rank, order="F")
    A = tridap.Matrix(local_rows(dense, dist, comm.rank, "F"), rows, comm, order="F")
    for order in "CF":
        x, flat = vector(dist, comm, order)
        assert np.allclose(whole(comm, dist, (A @ x).local), dense @ flat)
        assert np.array_equal(whole(comm, dist, A.diagonal().local), np.diag(dense))


def test_a_product_takes_any_object_with_distarray(comm):
    dist = tridap.distribution(4 * comm.size, processes=comm.size)
    dense = matrix(4 * comm.size)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    field = Field(dist, comm.rank, 1.0)
    x = tridap.asarray(field, comm)
    assert np.array_equal((A @ field).local, (A @ x).local)
    r = 2 * x - A @ x / 3
    assert np.isclose(r.norm(), np.linalg.norm(2 - dense.sum(axis=1) / 3))


def test_an_array_that_does_not_fit_is_refused_by_all(comm):
    p, last = comm.size, comm.rank == comm.size - 1
    dist = tridap.distribution(4 * p, processes=p)
    A = tridap.Matrix(sp.csr_matrix(np.eye(4 * p)[dist.indices(comm.rank)[0]]), dist)
    x = tridap.zeros(dist)
    wrong = {"float64": x.astype("f4"), "the rows of A have size": tridap.zeros(tridap.distribution(4 * p + 1, processes=p)),
             "x has 3 axes, the rows of A have 1 axis": tridap.zeros(tridap.distribution((4 * p, 1, 1), ("b", "*", "*"), processes=p)),
             "__distarray__": np.zeros(4 * p)}
    if p > 1:
        wrong["the rows of A have dist_type 'b'"] = tridap.zeros(tridap.distribution(4 * p, "c", processes=p))
    for words, given in wrong.items():
        with pytest.raises(tridap.ProtocolError, match=words):
            A @ given
        with pytest.raises(tridap.ProtocolError):
            A @ (given if last else x)
    with pytest.raises(TypeError, match="multiplied from the left: A @ x"):
        x @ A
    with pytest.raises(TypeError):
        A * x


def test_what_a_function_raises_on_one_process_is_raised_on_all(comm):
    dist = tridap.distribution(2 * comm.size, processes=comm.size)

    def failing(x, y):
        if comm.rank == comm.size - 1:
            raise ZeroDivisionError("on the last")
        y[...] = x

    with pytest.raises(ZeroDivisionError, match="on the last"):
        tridap.LinearOperator(failing, dist) @ tridap.zeros(dist)


def test_matrices_and_operators_are_their_own_copies(comm):
    rows = tridap.distribution(4 * comm.size, processes=comm.size)
    A = tridap.Matrix((np.ones(4), rows.indices(comm.rank)[0], np.arange(5)), rows, comm)
    operator = tridap.LinearOperator(lambda x, y: np.copyto(y, x), rows, comm)
    for made in (A, operator, tridap.Preconditioner(A, "relaxation")):
        assert copy.copy(made) is made and copy.deepcopy([made])[0] is made
        with pytest.raises(TypeError, match=f"{type(made).__name__} cannot be pickled.*on every process"):
            pickle.dumps(made)


def test_only_matrices_multiply(comm):
    for wrong in (None, 5):
        for call in (tridap.Matrix.__matmul__, tridap.LinearOperator.__matmul__, tridap.Matrix.diagonal):
            with pytest.raises((TypeError, AttributeError)):
                call(wrong, *[None][:call is not tridap.Matrix.diagonal])
    for made in (tridap.Matrix.__new__(tridap.Matrix), tridap.LinearOperator.__new__(tridap.LinearOperator)):
        with pytest.raises(TypeError):
            made @ tridap.zeros(tridap.distribution(3, processes=comm.size))
