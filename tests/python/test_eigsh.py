"""tridap.eigsh, also with sigma and v0, beside scipy.sparse.linalg.eigsh and numpy.linalg.eigh."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg
import tridap
from producers import refused_by_all
from systems import Field, layouts, local_rows, matrix, numbers, poisson, size, whole

N = 60
NO_DIAGONAL = np.diag(np.ones(N - 1), 1) + np.diag(np.ones(N - 1), -1)  # its rows store no entry on the diagonal


def ones(dist):
    return tridap.from_function(dist, lambda *_: 1.0)


def chosen(values, sigma, which, k):
    """The k eigenvalues that `which` names, by 1 / (w - sigma), ascending."""
    shifted = 1 / (values - sigma)
    order = {"LM": np.argsort(-abs(shifted)), "SM": np.argsort(abs(shifted)), "LA": np.argsort(-shifted), "SA": np.argsort(shifted)}
    return np.sort(values[order[which][:k]])


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


@pytest.mark.parametrize("near", [False, True])
@pytest.mark.parametrize("name", ["2-D", "columns", "lists", "padded", "3-D"])
def test_eigenvectors_have_the_distribution_of_the_rows(comm, name, near):
    dist = layouts(comm.size)[name]
    n = size(dist)
    if n < 9:
        pytest.skip("needs at least 9 rows")
    dense = matrix(n)
    expected = np.linalg.eigvalsh(dense)
    sigma = expected[n // 2] + 1e-3
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    values, X = tridap.eigsh(A, 2, sigma=sigma) if near else tridap.eigsh(A, 2, which="SA")
    np.testing.assert_allclose(values, chosen(expected, sigma, "LM", 2) if near else expected[:2], atol=1e-9 if near else 1e-7)
    assert X.shape == (*dist.shape, 2) and X.interior.shape[:-1] == tuple(len(i) for i in dist.indices(comm.rank, "interior"))
    expect_eigenvectors(comm, dist, dense, values, X)


@pytest.mark.parametrize("kind, how", [("matrix", dict(which="SA")), ("matvec", dict(which="SA")), ("matrix", dict(which="LA")),
                                       ("matvec", dict(which="LA")), ("matrix", dict(sigma=0)), ("matrix", dict(sigma=10.5))], ids=str)
def test_generalised_eigenvalues(comm, how, kind):
    dist = tridap.distribution(N)
    dense, mass = matrix(N), np.diag(2.0 + np.arange(N) % 3) + 0.3 * NO_DIAGONAL
    ids = numbers(dist, comm.rank)
    A, M = (tridap.Matrix(local_rows(rows, dist, comm.rank), dist) for rows in (dense, mass))
    if kind == "matvec":
        M = tridap.LinearOperator(lambda x, y: np.copyto(y, mass[ids] @ whole(comm, dist, x)), dist)
    values, X = tridap.eigsh(A, 3, M, **how)
    expected = scipy.linalg.eigh(dense, mass, eigvals_only=True)
    wanted = chosen(expected, how["sigma"], "LM", 3) if "sigma" in how else expected[:3] if how["which"] == "SA" else expected[-3:]
    np.testing.assert_allclose(values, wanted, atol=1e-7)
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

    op = tridap.LinearOperator(lambda x, y: np.copyto(y, x), dist)
    few = tridap.distribution(3)
    three = tridap.Matrix(local_rows(matrix(3), few, comm.rank), few)
    zero, one = tridap.zeros(dist), ones(dist)
    holed = ones(dist)
    if bad:
        holed.local[0] = np.nan

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
    refused_by_all(comm, refused)
    with pytest.raises(OSError, match="no product"):
        tridap.eigsh(tridap.LinearOperator(broken, dist), 3, which="SA")
    with pytest.raises(TypeError, match="A is of type int, must be a Matrix"):
        tridap.eigsh(3)
    with pytest.raises(TypeError, match="preconditioner is 'muelu', but a LinearOperator has no matrix"):
        tridap.eigsh(tridap.LinearOperator(broken, dist), 3, which="SA", preconditioner="muelu")
    with pytest.raises(ValueError, match="k is 0"):
        tridap.eigsh(A, 0)
    assert tridap.eigsh(A, 2)[0].size == 2


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


def test_small_matrices_of_any_size(comm):
    for n in range(4, 27):
        dist, dense = tridap.distribution(n), matrix(n)
        all_of_them = np.linalg.eigvalsh(dense)
        sigma, k = all_of_them[n // 2] + 1e-4, 1 + (n >= 6)
        A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
        np.testing.assert_allclose(tridap.eigsh(A, k, sigma=sigma)[0], chosen(all_of_them, sigma, "LM", k), atol=1e-9)
        np.testing.assert_allclose(tridap.eigsh(A, k)[0], all_of_them[-k:], atol=1e-7)


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
    A, M = (tridap.Matrix(local_rows(rows, dist, comm.rank), dist) for rows in (np.diag(1.0 + np.arange(N)), 2 * np.eye(N)))
    refused_by_all(comm, {
        "sigma is 7: .*A - sigma I is singular or nearly singular if sigma is an eigenvalue: give another": lambda: tridap.eigsh(A, 3, sigma=7),
        "sigma is 3.5: .*A - sigma M is singular": lambda: tridap.eigsh(A, 3, M, sigma=3.5)})
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
