"""tridap.eigsh with sigma and v0, beside scipy.sparse.linalg.eigsh and numpy.linalg.eigh."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
import tridap
from systems import Field, layouts, local_rows, matrix, numbers, poisson, size, whole
from test_eigsh import N, expect_eigenvectors

NO_DIAGONAL = np.diag(np.ones(N - 1), 1) + np.diag(np.ones(N - 1), -1)  # its rows store no entry on the diagonal


def ones(dist):
    return tridap.from_function(dist, lambda *_: 1.0)


def chosen(values, sigma, which, k):
    """The k eigenvalues that `which` names, by 1 / (w - sigma), ascending."""
    shifted = 1 / (values - sigma)
    order = {"LM": np.argsort(-abs(shifted)), "SM": np.argsort(abs(shifted)), "LA": np.argsort(-shifted), "SA": np.argsort(shifted)}
    return np.sort(values[order[which][:k]])


@pytest.mark.parametrize("which", ["LM", "LA", "SA", "SM"])
@pytest.mark.parametrize("spec", ["b", "c:3"])
def test_eigenvalues_near_sigma_are_those_of_scipy(comm, which, spec):
    dist = tridap.distribution((N,), (spec,))
    inside = [(matrix(N) - 12 * np.eye(N), -1.234), (NO_DIAGONAL, 0.3)] if which != "SM" else []
    for dense, sigma in [*inside, (matrix(N), 0)]:
        A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
        values, X = tridap.eigsh(A, 4, sigma=sigma, which=which)
        scipys = scipy.sparse.linalg.eigsh(sp.csc_matrix(dense), 4, sigma=sigma, which=which)[0]
        np.testing.assert_allclose(values, np.sort(scipys), atol=1e-9)
        np.testing.assert_allclose(values, chosen(np.linalg.eigvalsh(dense), sigma, which, 4), atol=1e-9)
        expect_eigenvectors(comm, dist, dense, values, X)
        assert len(set(map(tuple, comm.allgather(values)))) == 1


@pytest.mark.parametrize("name", ["2-D", "columns", "lists", "padded", "3-D"])
def test_sigma_with_rows_of_any_distribution(comm, name):
    dist = layouts(comm.size)[name]
    n = size(dist)
    if n < 9:
        pytest.skip("needs at least 9 rows")
    dense = matrix(n)
    middle = np.linalg.eigvalsh(dense)[n // 2] + 1e-3
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    values, X = tridap.eigsh(A, 2, sigma=middle)
    np.testing.assert_allclose(values, chosen(np.linalg.eigvalsh(dense), middle, "LM", 2), atol=1e-9)
    expect_eigenvectors(comm, dist, dense, values, X)


def test_small_matrices_of_any_size(comm):
    for n in range(4, 27):
        dist, dense = tridap.distribution(n), matrix(n)
        all_of_them = np.linalg.eigvalsh(dense)
        sigma, k = all_of_them[n // 2] + 1e-4, 1 + (n >= 6)
        A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
        np.testing.assert_allclose(tridap.eigsh(A, k, sigma=sigma)[0], chosen(all_of_them, sigma, "LM", k), atol=1e-9)
        np.testing.assert_allclose(tridap.eigsh(A, k)[0], all_of_them[-k:], atol=1e-7)


@pytest.mark.parametrize("sigma", [0, 10.5])
def test_generalised_eigenvalues_near_sigma(comm, sigma):
    dist = tridap.distribution(N)
    dense, mass = matrix(N), np.diag(2.0 + np.arange(N) % 3) + 0.3 * NO_DIAGONAL
    A, M = (tridap.Matrix(local_rows(rows, dist, comm.rank), dist) for rows in (dense, mass))
    values, X = tridap.eigsh(A, 3, M, sigma=sigma)
    np.testing.assert_allclose(values, chosen(scipy.linalg.eigh(dense, mass, eigvals_only=True), sigma, "LM", 3), atol=1e-9)
    expect_eigenvectors(comm, dist, dense, values, X, mass)


def test_double_eigenvalues_inside_the_spectrum(comm):
    m = 12
    dist = tridap.distribution((m, m), ("b", "*"))
    laplacian = poisson(m)
    A = tridap.Matrix(laplacian[numbers(dist, comm.rank)], dist)
    values, X = tridap.eigsh(A, 6, sigma=3.01)
    np.testing.assert_allclose(values, chosen(np.linalg.eigvalsh(laplacian.toarray()), 3.01, "LM", 6), atol=1e-9)
    expect_eigenvectors(comm, dist, laplacian.toarray(), values, X)


def test_a_sigma_equal_to_an_eigenvalue_is_refused_by_all(comm):
    dist = tridap.distribution(N)
    steps = np.diag(1.0 + np.arange(N))
    A = tridap.Matrix(local_rows(steps, dist, comm.rank), dist)
    M = tridap.Matrix(local_rows(2 * np.eye(N), dist, comm.rank), dist)
    for words, attempt in {"sigma is 7: .*A - sigma I is singular or nearly singular if sigma is an eigenvalue: give another":
                           lambda: tridap.eigsh(A, 3, sigma=7),
                           "sigma is 3.5: .*A - sigma M is singular": lambda: tridap.eigsh(A, 3, M, sigma=3.5)}.items():
        with pytest.raises(tridap.ProtocolError, match=words) as raised:
            attempt()
        assert len(set(comm.allgather(str(raised.value)))) == 1
    np.testing.assert_allclose(tridap.eigsh(A, 3, sigma=7 + 1e-6)[0], [6, 7, 8], atol=1e-9)


@pytest.mark.parametrize("how", [dict(which="SA"), dict(which="LM"), dict(sigma=0.0), dict(which="LA", method="krylov schur")])
@pytest.mark.parametrize("padding", [0, 1])
def test_an_eigenvector_as_v0_is_found_at_once(comm, how, padding):
    """A start vector next to the answer needs fewer products than the default, whose number the operator counts."""
    p = comm.size
    dist = tridap.distribution(12 * p)
    dense = np.diag(1.0 + np.arange(12 * p)) + np.diag(np.full(12 * p - 1, 0.1), 1) + np.diag(np.full(12 * p - 1, 0.1), -1)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    exact = np.linalg.eigh(dense)
    at = 0 if how.get("which") == "SA" or "sigma" in how else -1
    padded = tridap.distribution((12 * p,), [tridap.block(padding=padding)])
    start = Field(padded, comm.rank, np.nan)
    mine = tridap.asarray(start, comm)
    mine.interior[...] = exact[1][:, at][numbers(dist, comm.rank)]
    kept = start.memory.copy()
    for v0 in mine, start, mine.__distarray__():
        values, X = tridap.eigsh(A, 1, v0=v0, maxiter=1 if how.get("which") == "SA" else 1000, **how)
        np.testing.assert_allclose(values, exact[0][[at]], atol=1e-9)
        expect_eigenvectors(comm, dist, dense, values, X)
    assert np.array_equal(start.memory, kept, equal_nan=True)
    if how == dict(which="SA") and p == 1:
        with pytest.raises(tridap.ConvergenceError):  # one iteration is not enough for the default start vector
            tridap.eigsh(A, 1, maxiter=1, **how)


def test_any_start_vector_leads_to_the_same_eigenvalues(comm):
    dist = tridap.distribution(N)
    dense = matrix(N)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    v0 = tridap.from_function(dist, lambda i: 1.0 + i % 3)
    for how in dict(which="SA"), dict(which="LM"), dict(sigma=9.0):
        values, X = tridap.eigsh(A, 3, v0=v0, **how)
        np.testing.assert_allclose(values, tridap.eigsh(A, 3, **how)[0], atol=1e-8)
        expect_eigenvectors(comm, dist, dense, values, X)


def test_a_wrong_sigma_or_v0_of_one_process_is_refused_by_all(comm):
    dist = tridap.distribution(N)
    bad = comm.rank == comm.size - 1
    A = tridap.Matrix(local_rows(matrix(N), dist, comm.rank), dist)
    op = tridap.LinearOperator(lambda x, y: np.copyto(y, x), dist)
    few = tridap.distribution(3)
    three = tridap.Matrix(local_rows(matrix(3), few, comm.rank), few)
    zero, one = tridap.zeros(dist), ones(dist)
    holed = ones(dist)
    if bad:
        holed.local[0] = np.nan
    refused = {
        "'sigma' is '?'x'?, must be a real number": lambda: tridap.eigsh(A, 3, sigma="x" if bad else 1.0),
        "'sigma' is 1.0, but A is an operator without a matrix": lambda: tridap.eigsh(op, 3, sigma=1.0),
        "'sigma' is 1.0, but M is an operator without a matrix": lambda: tridap.eigsh(A, 3, op, sigma=1.0),
        "sigma is inf, must be finite": lambda: tridap.eigsh(A, 3, sigma=np.inf),
        "lobpcg has a sigma, must have none": lambda: tridap.eigsh(A, 3, sigma=1.0, method="lobpcg"),
        "the matrix has 3 rows, must have at least 4 for the method krylov_schur": lambda: tridap.eigsh(three, 1, sigma=9.0),
        "krylov_schur has a preconditioner": lambda: tridap.eigsh(A, 3, sigma=1.0, preconditioner="muelu"),
        "the norm of v0 is 0, must be finite and not 0": lambda: tridap.eigsh(A, 3, v0=zero),
        "the norm of v0 is .?nan, must be finite": lambda: tridap.eigsh(A, 3, v0=holed),
        "the elements of v0 are float32, must be float64": lambda: tridap.eigsh(A, 3, v0=one.astype("f4")),
        "'v0' is an array with one axis more than the rows": lambda: tridap.eigsh(A, 3, v0=ones(tridap.distribution((N, 2), ("b", "*")))),
        "v0 has": lambda: tridap.eigsh(A, 3, v0=ones(tridap.distribution(N + comm.size))),
        "v0 is a NumPy array, which does not say which part of the whole array it is": lambda: tridap.eigsh(A, 3, v0=np.ones(N) if bad else one),
        "v0 and X are two first guesses: pass one": lambda: tridap.eigsh(A, v0=one, X=tridap.zeros(tridap.distribution((N, 2), ("b", "*"))) if bad else None),
    }
    if comm.size > 1:
        refused["different options"] = lambda: tridap.eigsh(A, 3, sigma=2.0 if bad else 1.0)
        refused["must be the same on every process|differ"] = lambda: tridap.eigsh(A, 3, sigma=1.0 if bad else None)
    for words, attempt in refused.items():
        with pytest.raises(tridap.ProtocolError, match=words) as raised:
            attempt()
        assert len(set(comm.allgather(str(raised.value)))) == 1
