"""tridap.solve: any solver of Belos, SciPy's names, and several right-hand sides."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from systems import Field, local_rows, matrix, numbers, poisson, whole

N = 40
POSITIVE = ["block cg", "pseudoblock cg", "minres", "pcpg"]  # for symmetric positive definite matrices
GENERAL = ["block gmres", "Pseudoblock GMRES", "flexible gmres", "BICGSTAB", "tfqmr", "pseudoblock tfqmr", "lsqr", "gcrodr",
           "recycling gmres", "fixed point", "hybrid block gmres"]
SPECS = {"block": "b", "cyclic": "c:3"}


def system(comm, dist, method):
    """A Matrix and its dense whole; "fixed point" converges for matrices that are near the identity."""
    dense = matrix(N, symmetric=method in POSITIVE)
    if method == "fixed point":
        dense = np.eye(N) + 0.01 * dense
    return tridap.Matrix(local_rows(dense, dist, comm.rank), dist), dense


def line(name="block"):
    return tridap.distribution((N,), (SPECS[name],))


def sides(comm, k, name="block", order="F"):
    """k right-hand sides as somebody's array, and whole."""
    rhs = 1.0 + np.add.outer(np.arange(N), 3 * np.arange(k)) ** 2 % 7
    wide = tridap.distribution((N, k), (SPECS[name], "*"))
    return Field(wide, comm.rank, rhs[wide.indices(comm.rank)[0]], order), rhs, wide


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("method", POSITIVE + GENERAL)
def test_each_belos_solver_solves_one_and_several_sides(comm, method, name, capfd):
    dist = line(name)
    A, dense = system(comm, dist, method)
    for k in 1, 3:
        b, rhs, wide = sides(comm, k, name)
        x = Field(wide, comm.rank, 0.25, "F")
        result = tridap.solve(A, b, x, method=method, tol=1e-10, options={"Num Blocks": 30} if method == "gcrodr" else None)
        assert result.converged and result.bytes_copied == 0 and not result.residual > 1e-10
        expected = np.linalg.solve(dense, rhs)
        for j in range(k):
            np.testing.assert_allclose(whole(comm, dist, x.memory[:, j]), expected[:, j], atol=1e-7)
        off = np.linalg.norm(rhs - dense @ np.stack([whole(comm, dist, x.memory[:, j]) for j in range(k)], axis=1), axis=0)
        np.testing.assert_allclose(result.residual_of_each, off / np.linalg.norm(rhs, axis=0), atol=1e-13)
        assert result.residual == max(result.residual_of_each) >= result.residuals[-1]
        assert repr(result).startswith(f"{method}: converged in ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("how", [dict(tol=1e-10), dict(tol=1e-10, method="gmres"), dict(method="direct")],
                         ids=lambda how: how.get("method", "cg"))
@pytest.mark.parametrize("order", "CF")
def test_several_right_hand_sides_need_no_other_method(comm, how, order):
    dist = line()
    A, dense = system(comm, dist, "minres")
    b, rhs, wide = sides(comm, 4, order=order)
    b.memory[:, 2] = rhs[:, 2] = 0
    if order == "C":
        with pytest.raises(tridap.ProtocolError, match=r"copy=None, but b has 4 vectors whose .*order='F'"):
            tridap.solve(A, b, **how)
    result = tridap.solve(A, b, copy="if_needed", **how)
    assert (result.bytes_copied == 0) == (order == "F")
    expected = np.linalg.solve(dense, rhs)
    for j in range(4):
        np.testing.assert_allclose(whole(comm, dist, result.x.local[:, j]), expected[:, j], atol=1e-8)
    assert result.residual_of_each.shape == (4,) and result.residual_of_each[2] == 0
    one = tridap.solve(A, sides(comm, 1)[0], **how)
    assert one.residual_of_each.shape == (1,)
    if how.get("method") != "direct":
        assert abs(one.iterations - result.iterations) <= 3


def test_the_vectors_may_be_the_first_axis(comm):
    dist = line()
    A, dense = system(comm, dist, "minres")
    wide = tridap.distribution((2, N), ("*", "b"))
    rhs = 1.0 + np.arange(2 * N).reshape(2, N) % 9
    b = Field(wide, comm.rank, rhs[:, dist.indices(comm.rank)[0]])
    result = tridap.solve(A, b, tol=1e-10, preconditioner="muelu")
    assert result.bytes_copied == 0
    for j in range(2):
        np.testing.assert_allclose(whole(comm, dist, result.x.local[j]), np.linalg.solve(dense, rhs[j]), atol=1e-8)


def test_b_and_x_have_as_many_vectors(comm):
    dist = line()
    A, _ = system(comm, dist, "minres")
    b, _, _ = sides(comm, 3)
    for x in tridap.zeros(dist), sides(comm, 2)[0]:
        with pytest.raises(tridap.ProtocolError, match=r"x has [12] vectors, b has 3, must be as many"):
            tridap.solve(A, b, x)


@pytest.mark.parametrize("preconditioner", ["muelu", "ifpack2", "matrix", "matvec"])
@pytest.mark.parametrize("method", ["cg", "gmres", "pseudoblock cg", "bicgstab", "gcrodr", "minres", "flexible gmres"])
def test_preconditioners_and_m_help_every_method(comm, method, preconditioner):
    m = 12
    dist = tridap.distribution((m, m), ("b", "*"))
    stiff = sp.diags(1.0 + np.arange(m * m) ** 2 % 50) @ sp.eye(m * m)
    whole_matrix = (poisson(m) + stiff).tocsr()
    A = tridap.Matrix(whole_matrix[numbers(dist, comm.rank)], dist)
    b = tridap.from_function(dist, lambda i, j: 1.0 + (m * i + j) % 5)
    inverse = (1 / whole_matrix.diagonal())[numbers(dist, comm.rank)]
    here = numbers(dist, comm.rank)
    rows = sp.csr_matrix((inverse, here, np.arange(here.size + 1)), shape=(here.size, m * m))
    M = {"matrix": lambda: tridap.Matrix(rows, dist),
         "matvec": lambda: tridap.LinearOperator(lambda x, y: np.multiply(x, inverse.reshape(x.shape), out=y), dist),
         }.get(preconditioner, lambda: preconditioner)()
    plain = tridap.solve(A, b, method=method, rtol=1e-10)
    options = {"type": "RELAXATION", "relaxation: type": "Symmetric Gauss-Seidel"} if preconditioner == "ifpack2" else None
    result = tridap.solve(A, b, method=method, rtol=1e-10, M=M, preconditioner_options=options)
    assert result.converged and result.iterations < 0.9 * plain.iterations
    expected = sp.linalg.spsolve(whole_matrix.tocsc(), 1.0 + np.arange(m * m) % 5)
    np.testing.assert_allclose(whole(comm, dist, result.x.local), expected, atol=1e-8)
    named = {"matrix": "Matrix", "matvec": "LinearOperator"}.get(preconditioner, preconditioner)
    assert repr(result).startswith(f"{method} + {named}: ")


def test_a_preconditioner_that_raises_on_one_process_fails_all(comm):
    dist = line()
    A, _ = system(comm, dist, "minres")
    b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
    calls = []

    def bad(x, y):
        calls.append(0)
        if len(calls) == 3 and comm.rank == comm.size - 1:
            raise KeyError("no more of this")
        y[...] = x

    for method in "cg", "bicgstab", "block gmres":
        del calls[:]
        with pytest.raises(KeyError, match="no more of this"):
            tridap.solve(A, b, method=method, M=tridap.LinearOperator(bad, dist))
    assert tridap.solve(A, b).converged


def test_atol_and_rtol_mean_what_they_mean_in_scipy(comm):
    dist = line()
    A, dense = system(comm, dist, "minres")
    b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
    scale = np.linalg.norm(1.0 + np.arange(N) % 5)
    for method in "cg", "gmres", "bicgstab", "direct":
        rough = tridap.solve(A, b, method=method, rtol=1e-12, atol=1e-3)
        assert rough.converged and rough.residual * scale <= 1e-3
        if method != "direct":
            fine = tridap.solve(A, b, method=method, rtol=1e-12, atol=1e-9)
            assert rough.residual > 1e-12 and rough.iterations < fine.iterations
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tridap.solve(A, b, rtol=0.5, maxiter=20).residuals[-1] <= 0.5


@pytest.mark.parametrize("method", POSITIVE[:3] + GENERAL[:8])
def test_callbacks_get_the_residual_and_stop_all_processes(comm, method):
    dist = line()
    A, dense = system(comm, dist, method)
    b, rhs, wide = sides(comm, 2)
    seen = []
    result = tridap.solve(A, b, method=method, tol=1e-10, callback=lambda i, r: seen.append((i, r)))
    assert [i for i, _ in seen] == list(range(1, len(seen) + 1)) and len(seen) >= result.iterations
    assert min(r for _, r in seen) <= 1e-9 and seen[0][1] > 1e-3
    assert np.isfinite([r for _, r in seen]).all()
    last = comm.size - 1

    def stops(iteration, residual):
        if iteration == 3:
            raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        tridap.solve(A, b, method=method, tol=1e-10, callback=stops if comm.rank == last else None)
    assert tridap.solve(A, b, method=method, tol=1e-10).converged


@pytest.mark.parametrize("method", ["bicgstab", "pseudoblock cg", "gcrodr", "block gmres"])
def test_a_matvec_is_a_matrix_for_belos_too(comm, method):
    dist = line("cyclic")
    dense = matrix(N)
    ids, calls = numbers(dist, comm.rank), []

    def matvec(x, y):
        calls.append(0)
        y[...] = dense[ids] @ whole(comm, dist, x)

    b, rhs, _ = sides(comm, 2, "cyclic")
    A = tridap.LinearOperator(matvec, dist)
    result = tridap.solve(A, b, method=method, tol=1e-10)
    for j in range(2):
        np.testing.assert_allclose(whole(comm, dist, result.x.local[:, j]), np.linalg.solve(dense, rhs[:, j]), atol=1e-8)
    assert len(calls) <= 2 * 2 * (result.iterations + 3)
    with pytest.raises(tridap.ProtocolError, match="has no transpose"):
        tridap.solve(A, b, method="lsqr")


def test_options_are_those_of_the_solver(comm):
    dist = line()
    A, _ = system(comm, dist, "bicgstab")
    b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
    short = tridap.solve(A, b, method="gcrodr", options={"Num Blocks": 6, "Num Recycled Blocks": 2}, tol=1e-10)
    long = tridap.solve(A, b, method="gcrodr", options={"Num Blocks": 30}, tol=1e-10)
    assert short.converged and short.iterations >= long.iterations
    with pytest.raises(tridap.ProtocolError, match="Belos: .*"):
        tridap.solve(A, b, method="gcrodr", options={"Orthogonalization": "none such"})
    relaxed = tridap.solve(A, b, method="tfqmr", options={"Implicit Tolerance Scale Factor": 1}, tol=1e-10)
    assert relaxed.converged  # an int becomes a float


def test_what_does_not_converge_is_told(comm):
    dist = line()
    for method in POSITIVE + GENERAL[:9]:
        A, _ = system(comm, dist, method)
        b, _, _ = sides(comm, 2)
        with pytest.raises(tridap.ConvergenceError, match=f"{method}: not converged in 2 iterations") as raised:
            tridap.solve(A, b, method=method, tol=1e-12, maxiter=2, raise_on_failure=True)
        assert raised.value.result.residual < 1
