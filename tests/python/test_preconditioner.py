"""Preconditioners of tridap.solve: MueLu with coordinates and a nullspace, and those of Ifpack2's factory."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
import tridap
from producers import refused_by_all
from systems import Field, numbers, poisson, whole

M = 24  # each of 6 processes has rows
OF_IFPACK2 = {
    "relaxation": {"relaxation: type": "Symmetric Gauss-Seidel"},
    "CHEBYSHEV": {"chebyshev: degree": 3},
    "riluk": {"fact: iluk level-of-fill": 1},
    "ilut": {"fact: drop tolerance": 1e-3},
    "schwarz": {"schwarz: use reordering": False, "inner preconditioner parameters": {"fact: iluk level-of-fill": 1}},
    "Schwarz": None,
    "block relaxation": {"relaxation: type": "Jacobi", "partitioner: type": "linear", "partitioner: local parts": 4},
}


@pytest.fixture
def grid(comm):
    """Poisson's equation on M x M: Matrix, whole matrix, right-hand side, the answer."""
    dist = tridap.distribution((M, M), ("b", "*"))
    whole_matrix = poisson(M)
    A = tridap.Matrix(whole_matrix[numbers(dist, comm.rank)], dist)
    b = tridap.from_function(dist, lambda i, j: 1.0 + (M * i + j) % 5)
    return A, whole_matrix, b, sp.linalg.spsolve(whole_matrix.tocsc(), 1.0 + np.arange(M * M) % 5)


@pytest.mark.parametrize("name, method", [
    (name, method) for name in OF_IFPACK2 for method in ("cg", "gmres", "bicgstab")
    if method != "cg" or name not in ("ilut", "block relaxation")])  # which are not symmetric
def test_any_name_of_ifpack2_is_a_preconditioner(comm, grid, name, method):
    A, _, b, answer = grid
    plain = tridap.solve(A, b, method=method, tol=1e-10)
    result = tridap.solve(A, b, method=method, tol=1e-10, M=name, preconditioner_options=OF_IFPACK2[name])
    # Blocks end at the borders of processes, so that on some numbers of them they gain nothing.
    assert result.iterations < (1.1 if name == "block relaxation" else 0.95) * plain.iterations
    np.testing.assert_allclose(whole(comm, A.distribution, result.x.local), answer, rtol=1e-7)
    made = tridap.Preconditioner(A, name, symmetric=method == "cg", options=OF_IFPACK2[name])
    again = tridap.solve(A, b, method=method, tol=1e-10, M=made)
    assert again.iterations == result.iterations
    assert repr(again).startswith(f"{method} + {name}: ") and repr(made) == f"Preconditioner({name!r})"


def test_schwarz_overlaps_where_trilinos_can(comm, grid):
    A, _, b, answer = grid
    options = {"schwarz: overlap level": 1}
    try:
        result = tridap.solve(A, b, tol=1e-10, M="schwarz", preconditioner_options=options)
    except tridap.ProtocolError as error:
        assert comm.size > 1 and "an overlap" in str(error) and "Trilinos 13.2" in str(error)
    else:
        np.testing.assert_allclose(whole(comm, A.distribution, result.x.local), answer, rtol=1e-7)


def test_a_preconditioner_is_of_use_for_another_matrix(comm, grid):
    A, whole_matrix, b, _ = grid
    near = (whole_matrix + 0.1 * sp.eye(M * M)).tocsr()
    other = tridap.Matrix(near[numbers(A.distribution, comm.rank)], A.distribution)
    helper = tridap.Preconditioner(A)
    assert helper.distribution == A.distribution and helper.comm is A.comm
    result = tridap.solve(other, b, M=helper, tol=1e-10)
    assert result.iterations < 0.5 * tridap.solve(other, b, tol=1e-10).iterations
    np.testing.assert_allclose(whole(comm, A.distribution, result.x.local),
                               sp.linalg.spsolve(near.tocsc(), 1.0 + np.arange(M * M) % 5), rtol=1e-6)


@pytest.mark.parametrize("order", "CF")
def test_multigrid_knows_where_the_points_are(comm, grid, order):
    A, _, b, answer = grid
    options = {"aggregation: drop scheme": "distance laplacian", "aggregation: drop tol": 0.02, "coarse: max size": 50}
    wide = tridap.distribution((M, M, 2), ("b", "*", "*"))
    i, j = np.meshgrid(wide.indices(comm.rank)[0], np.arange(M), indexing="ij")
    points = Field(wide, comm.rank, np.stack([0.01 * i, j], axis=-1), order)
    with pytest.raises(tridap.ProtocolError, match="MueLu"):  # it needs them
        tridap.Preconditioner(A, options=options)
    helper = tridap.Preconditioner(A, options=options, coordinates=points)
    points.memory[...] = np.nan  # it was copied
    result = tridap.solve(A, b, M=helper, tol=1e-10)
    np.testing.assert_allclose(whole(comm, A.distribution, result.x.local), answer, rtol=1e-7)
    same = Field(wide, comm.rank, np.stack([i, j], axis=-1), order)
    other = tridap.solve(A, b, M=tridap.Preconditioner(A, options=options, coordinates=same), tol=1e-10)
    assert not np.array_equal(other.residuals, result.residuals)  # other aggregates


def test_multigrid_uses_a_nullspace(comm):
    """A scaled matrix: what it maps to almost 0 is not 1, but 1 / scale."""
    dist = tridap.distribution((M, M), ("b", "*"))
    scale = 1.0 + 9 * np.random.default_rng(3).uniform(size=M * M)
    scaled = (sp.diags(scale) @ poisson(M) @ sp.diags(scale)).tocsr()
    here = numbers(dist, comm.rank)
    A = tridap.Matrix(scaled[here], dist)
    b = tridap.from_function(dist, lambda i, j: 1.0 + (M * i + j) % 5)
    kernel = Field(dist, comm.rank, (1 / scale)[here].reshape(dist.local_shape(comm.rank)))
    options = {"coarse: max size": 20}
    plain = tridap.solve(A, b, M=tridap.Preconditioner(A, options=options), tol=1e-10)
    result = tridap.solve(A, b, M=tridap.Preconditioner(A, options=options, nullspace=kernel), tol=1e-10)
    assert result.iterations < 0.9 * plain.iterations
    expected = sp.linalg.spsolve(scaled.tocsc(), 1.0 + np.arange(M * M) % 5)
    np.testing.assert_allclose(whole(comm, dist, result.x.local), expected, rtol=1e-6)


def test_wrong_arguments_are_refused_by_all_in_the_same_words(comm, grid):
    A, _, b, _ = grid
    bad = comm.rank == comm.size - 1
    field = tridap.zeros(A.distribution)
    spoilt = tridap.zeros(A.distribution)
    spoilt.local[...] = np.nan if bad else 0
    refused = {
        "did you mean 'muelu'": lambda: tridap.Preconditioner(A, "mulu" if bad else "muelu"),
        "symmetric is 'yes', must be True or False": lambda: tridap.Preconditioner(A, symmetric="yes" if bad else True),
        "'options' is .*, must be a dict": lambda: tridap.Preconditioner(A, options=3 if bad else {}),
        "coordinates has size|has size": lambda: tridap.Preconditioner(A, coordinates=tridap.zeros(tridap.distribution((M, M + 1), ("b", "*")))),
        "of use for 'muelu' only": lambda: tridap.Preconditioner(A, "riluk", nullspace=field),
        "elements of nullspace are int64": lambda: tridap.Preconditioner(A, nullspace=tridap.zeros(A.distribution, dtype=int)),
        "of nullspace is nan": lambda: tridap.Preconditioner(A, nullspace=spoilt),
        "has no __distarray__": lambda: tridap.Preconditioner(A, coordinates=5 if bad else field),
    }
    if comm.size > 1:
        refused["same on every process|differ"] = lambda: tridap.Preconditioner(A, coordinates=None if bad else field)
        refused["different preconditioners"] = lambda: tridap.Preconditioner(A, "riluk" if bad else "ilut")
    refused_by_all(comm, refused)
    with pytest.raises(TypeError, match="A is of type int, must be a Matrix"):
        tridap.Preconditioner(3)
    with pytest.raises(TypeError, match="A is of type LinearOperator"):
        tridap.Preconditioner(tridap.LinearOperator(print, A.distribution))
    with pytest.raises(TypeError, match="never initialised"):
        tridap.Preconditioner.__new__(tridap.Preconditioner).comm
    assert tridap.solve(A, b, M=tridap.Preconditioner(A)).converged
