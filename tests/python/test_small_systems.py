"""Conjugate gradients with the default preconditioners on small matrices, and what a failed one says."""

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from remedies import remedy
from systems import local_rows, matrix, poisson, whole


@pytest.mark.parametrize("preconditioner", ["muelu", "ifpack2"])
@pytest.mark.parametrize("n, d", [(5, 2.5), (5, 2.1), (5, 3.0), (5, 10.0), (4, 2.5), (6, 2.5), (7, 2.2), (1, 2.0)])
def test_short_lines_are_solved(comm, n, d, preconditioner):
    line = tridap.distribution(n)
    (mine,) = line.indices(comm.rank)
    M = sp.diags([-1, d, -1], [-1, 0, 1], shape=(n, n), format="csr")
    result = tridap.solve(tridap.Matrix(M[mine], line), tridap.array(np.ones(mine.size), line), preconditioner=preconditioner)
    np.testing.assert_allclose(whole(comm, line, result.x.local), np.linalg.solve(M.toarray(), np.ones(n)), rtol=1e-6)


@pytest.mark.parametrize("preconditioner", ["muelu", "ifpack2"])
def test_narrow_grids_are_solved_for_any_right_hand_side(comm, preconditioner):
    numbers = np.random.default_rng(5)
    for n in range(3, 9):
        dist = tridap.distribution(3 * n)
        (mine,) = dist.indices(comm.rank)
        dense = poisson(n).toarray()[:3 * n, :3 * n]
        A = tridap.Matrix(sp.csr_matrix(dense[mine]), dist)
        for _ in range(4):
            rhs = numbers.normal(size=3 * n)
            result = tridap.solve(A, tridap.array(rhs[mine], dist), preconditioner=preconditioner)
            np.testing.assert_allclose(whole(comm, dist, result.x.local), np.linalg.solve(dense, rhs), atol=1e-5)


def refused(call):
    with pytest.raises(tridap.ProtocolError) as error:
        call()
    return str(error.value)


@remedy("use another preconditioner, or method='gmres'")
@pytest.mark.parametrize("method", ["cg", "block cg", "pseudoblock cg", "minres"])
def test_an_indefinite_preconditioner_is_named(comm, method):
    dist = tridap.distribution(12)
    A = tridap.Matrix(local_rows(matrix(12), dist, comm.rank), dist)
    b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
    minus = tridap.LinearOperator(lambda r, z: np.multiply(r, -1, out=z), dist)
    text = refused(lambda: tridap.solve(A, b, M=minus, method=method))
    assert "the preconditioner is not positive definite: r . M r is -1 |r| |M r| for a residual r" in text
    assert len(set(comm.allgather(text))) == 1
    advised = text.rpartition("or ")[2]
    assert advised == "method='gmres'"
    assert tridap.solve(A, b, M=minus, **eval(f"dict({advised})")).converged


@remedy("use method='gmres'")
@pytest.mark.parametrize("preconditioner", [None, "muelu"])
@pytest.mark.parametrize("method", ["cg", "block cg", "pseudoblock cg"])
def test_an_indefinite_matrix_is_named(comm, method, preconditioner):
    dist = tridap.distribution(40)
    dense = np.diag(np.where(np.arange(40) % 7 == 3, -3.0, 3.0)) - np.eye(40, k=1) - np.eye(40, k=-1)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
    if preconditioner is not None:
        preconditioner = tridap.Preconditioner(A, options={"coarse: max size": 5})  # else one direct solve may be exact
    text = refused(lambda: tridap.solve(A, b, M=preconditioner, method=method))
    assert "the matrix is not positive definite: p . A p is -" in text and "|p| |A p| for a direction p" in text
    assert len(set(comm.allgather(text))) == 1
    advised = text.rpartition("use ")[2]
    assert advised == "method='gmres'"
    assert tridap.solve(A, b, **eval(f"dict({advised})")).converged
