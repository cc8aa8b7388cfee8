"""tridap.eigsh beside scipy.sparse.linalg.eigsh and numpy.linalg.eigh."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
import tridap
from systems import Field, layouts, local_rows, matrix, numbers, poisson, size, whole

N = 60


def expect_eigenvectors(comm, dist, dense, values, X, mass=None):
    """A x = w M x for each vector, and x M x = 1, with the whole vectors on every process."""
    mass = np.eye(len(dense)) if mass is None else mass
    inner = X.interior
    for j, value in enumerate(values):
        x = whole(comm, dist, inner[..., j])
        assert np.linalg.norm(dense @ x - value * (mass @ x)) < 1e-6 * max(1, abs(value)) * np.linalg.norm(x)
        assert x @ mass @ x == pytest.approx(1, abs=1e-8)
    parts = np.stack([whole(comm, dist, inner[..., j]) for j in range(len(values))], axis=1)
    np.testing.assert_allclose(parts.T @ mass @ parts, np.eye(len(values)), atol=1e-6)


@pytest.mark.parametrize("which, method", [("SA", None), ("LA", None), ("LM", None), ("SA", "krylov schur"),
                                           ("LA", "krylov schur"), ("SM", None)])
@pytest.mark.parametrize("spec", ["b", "c:3"])
def test_eigenvalues_are_those_of_scipy(comm, which, method, spec):
    dist = tridap.distribution((N,), (spec,))
    dense = matrix(N) - 12 * np.eye(N)  # values of both signs
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    values, X = tridap.eigsh(A, 4, which=which, method=method)
    np.testing.assert_allclose(values, np.sort(scipy.sparse.linalg.eigsh(sp.csr_matrix(dense), 4, which=which)[0]), atol=1e-7)
    assert X.shape == (N, 4) and X.comm is A.comm and values.dtype == float
    expect_eigenvectors(comm, dist, dense, values, X)
    again, _ = tridap.eigsh(A, 4, which=which, method=method)
    assert np.array_equal(values, again)  # the first guess is always the same
    assert len(set(map(tuple, comm.allgather(values)))) == 1


@pytest.mark.parametrize("name", ["2-D", "columns", "lists", "padded"])
def test_eigenvectors_have_the_distribution_of_the_rows(comm, name):
    dist = layouts(comm.size)[name]
    n = size(dist)
    if n < 9:
        pytest.skip("needs at least 9 rows")
    dense = matrix(n)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    values, X = tridap.eigsh(A, 2, which="SA")
    np.testing.assert_allclose(values, np.linalg.eigvalsh(dense)[:2], atol=1e-7)
    assert X.shape == (*dist.shape, 2) and X.interior.shape[:-1] == tuple(len(i) for i in dist.indices(comm.rank, "interior"))
    expect_eigenvectors(comm, dist, dense, values, X)


@pytest.mark.parametrize("kind", ["matrix", "matvec"])
@pytest.mark.parametrize("which", ["SA", "LA"])
def test_generalised_eigenvalues(comm, which, kind):
    dist = tridap.distribution(N)
    dense, mass = matrix(N), np.diag(2.0 + np.arange(N) % 3) + 0.3 * np.diag(np.ones(N - 1), 1) + 0.3 * np.diag(np.ones(N - 1), -1)
    ids = numbers(dist, comm.rank)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    if kind == "matrix":
        M = tridap.Matrix(local_rows(mass, dist, comm.rank), dist)
    else:
        M = tridap.LinearOperator(lambda x, y: np.copyto(y, mass[ids] @ whole(comm, dist, x)), dist)
    values, X = tridap.eigsh(A, 3, M, which=which)
    expected = scipy.linalg.eigh(dense, mass, eigvals_only=True)
    np.testing.assert_allclose(values, expected[:3] if which == "SA" else expected[-3:], atol=1e-7)
    expect_eigenvectors(comm, dist, dense, values, X, mass)


@pytest.mark.parametrize("preconditioner", ["muelu", "schwarz", "object", "operator"])
def test_a_preconditioner_helps_lobpcg(comm, preconditioner):
    m = 16
    dist = tridap.distribution((m, m), ("b", "*"))
    laplacian = poisson(m)
    A = tridap.Matrix(laplacian[numbers(dist, comm.rank)], dist)
    helper = {"object": lambda: tridap.Preconditioner(A, "muelu"),
              "operator": lambda: tridap.LinearOperator(lambda x, y: np.copyto(y, x / 4), dist)}.get(preconditioner, lambda: preconditioner)()
    values, X = tridap.eigsh(A, 4, which="SA", preconditioner=helper, tol=1e-8)
    steps = np.sort([2 - 2 * np.cos(np.pi * i / (m + 1)) + 2 - 2 * np.cos(np.pi * j / (m + 1)) for i in range(1, 4) for j in range(1, 4)])
    np.testing.assert_allclose(values, steps[:4], atol=1e-7)  # the second is a double one
    expect_eigenvectors(comm, dist, laplacian.toarray(), values, X)


def test_a_matvec_and_memory_of_ones_own(comm):
    dist = tridap.distribution(N)
    dense, ids = matrix(N), numbers(dist, comm.rank)
    A = tridap.LinearOperator(lambda x, y: np.copyto(y, dense[ids] @ whole(comm, dist, x)), dist)
    wide = tridap.distribution((N, 3), ("b", "*"))
    for order in "F", "C":
        X = Field(wide, comm.rank, order=order)
        values, vectors = tridap.eigsh(A, which="LA", X=X)
        np.testing.assert_allclose(values, np.linalg.eigvalsh(dense)[-3:], atol=1e-7)
        assert np.shares_memory(vectors.local, X.memory) or X.memory.size == 0
        expect_eigenvectors(comm, dist, dense, values, vectors)
        again, _ = tridap.eigsh(A, which="LA", X=X, maxiter=3)  # it begins with the answer
        np.testing.assert_allclose(again, values, atol=1e-7)


def test_too_few_iterations_are_an_error_with_what_was_found(comm):
    dist = tridap.distribution(N)
    A = tridap.Matrix(local_rows(matrix(N), dist, comm.rank), dist)
    with pytest.raises(tridap.ConvergenceError, match="eigsh .lobpcg.: [01] eigenvalues found in 1 iterations") as raised:
        tridap.eigsh(A, 3, which="SA", maxiter=1, tol=1e-12)
    values, X = raised.value.result
    assert values.size < 3 and X.shape == (N, 3)


def test_wrong_arguments_of_one_process_raise_the_same_on_all(comm):
    dist = tridap.distribution(N)
    bad = comm.rank == comm.size - 1
    A = tridap.Matrix(local_rows(matrix(N), dist, comm.rank), dist)
    small = tridap.distribution(N + 1)
    other = tridap.Matrix(local_rows(matrix(N + 1), small, comm.rank), small)

    def broken(x, y):
        if bad:
            raise OSError("no product")
        y[...] = x

    refused = {
        "'which' is 'SR', must be 'SA', 'LA', 'LM' or 'SM'": lambda: tridap.eigsh(A, 3, which="SR" if bad else "SA", method="lobpcg"),
        "'method' is 'lanczos', must be 'lobpcg' or 'krylov schur'": lambda: tridap.eigsh(A, 3, method="lanczos" if bad else "krylov schur"),
        "'tol' is 'x', must be a number": lambda: tridap.eigsh(A, 3, tol="x" if bad else 1e-8),
        "tol is -1": lambda: tridap.eigsh(A, 3, tol=-1.0),
        "maxiter is 0": lambda: tridap.eigsh(A, 3, maxiter=0),
        "'M' is 5, must be a Matrix": lambda: tridap.eigsh(A, 3, 5 if bad else A),
        "'M' is an operator on other rows": lambda: tridap.eigsh(A, 3, other, which="SA"),
        "k is '3', must be an integer": lambda: tridap.eigsh(A, "3" if bad else 3),
        "21 eigenvalues are asked for, of a matrix of 60 rows, must be at most a third": lambda: tridap.eigsh(A, 21),
        "krylov_schur has a matrix M, must have none": lambda: tridap.eigsh(A, 3, A),
        "lobpcg finds no eigenvalues by their magnitude": lambda: tridap.eigsh(A, 3, method="lobpcg"),
        "X is a NumPy array, which does not say which part of the whole array it is": lambda: tridap.eigsh(A, X=np.ones((N, 2))),
        "'X' is an array with the axes of the rows, must have one axis more": lambda: tridap.eigsh(A, X=tridap.zeros(dist)),
        "did you mean 'muelu'": lambda: tridap.eigsh(A, 3, which="SA", preconditioner="mulu"),
    }
    for words, attempt in refused.items():
        with pytest.raises(tridap.ProtocolError, match=words) as raised:
            attempt()
        assert len(set(comm.allgather(str(raised.value)))) == 1
    with pytest.raises(OSError, match="no product"):
        tridap.eigsh(tridap.LinearOperator(broken, dist), 3, which="SA")
    with pytest.raises(TypeError, match="A is of type int, must be a Matrix"):
        tridap.eigsh(3)
    with pytest.raises(TypeError, match="preconditioner is 'muelu', but a LinearOperator has no matrix"):
        tridap.eigsh(tridap.LinearOperator(broken, dist), 3, which="SA", preconditioner="muelu")
    with pytest.raises(ValueError, match="k is 0"):
        tridap.eigsh(A, 0)
    assert tridap.eigsh(A, 2)[0].size == 2
