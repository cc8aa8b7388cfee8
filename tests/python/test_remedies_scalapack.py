"""What the errors of ScaLAPACK's functions advise is executed on the case that made them."""

import pickle

import numpy as np
import pytest
import tridap
from mpi4py import MPI

from remedies import follow, remedy, said_by

COMM = MPI.COMM_WORLD
P = COMM.size
pytestmark = pytest.mark.skipif(not tridap.components()["scalapack"].built, reason="needs ScaLAPACK")
several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")
GRID = tuple(MPI.Compute_dims(P, 2))


def matrix(shape, specs, grid=GRID):
    return tridap.from_function(tridap.distribution(shape, specs, grid, processes=P), lambda i, j: np.sin(i * j + i) + 8.0 * (i == j))


def case(A, b):
    from tridap import scalapack
    return {"A": A, "b": b, "tridap": tridap, "scalapack": scalapack, "numpy": np}


def is_solved(given, x):
    whole, right = given["A"].allgather(), given["b"].allgather()
    return np.allclose(whole @ x.allgather(), right)


@several
@remedy("pass copy=if_needed, or do not pass overwrite_")
def test_the_decompositions_of_what_is_not_in_square_blocks():
    """`svd` of 600 x 80 elements, in blocks that are not square: what is advised works, and so do its neighbours."""
    from tridap import scalapack
    for specs in ("c:32,c:16", "c:64,b", "c:8,c:40", (tridap.block(starts=[5 * c * c for c in range(P)]), "*")):
        given = case(matrix((600, 80), specs, GRID if isinstance(specs, str) else (P, 1)), None)
        values = np.linalg.svd(given["A"].allgather(), compute_uv=False)
        call = "scalapack.svd(A)"
        try:
            scalapack.svd(given["A"])
        except tridap.ProtocolError as error:
            text = str(error)
        else:
            continue  # over one column of processes, blocks of any length are square
        assert given["A"].distribution.describe() in text
        assert np.allclose(follow(dict(given), call, r"or pass (copy=.*)$", "scalapack.svd(A, {})").s, values)
        assert np.allclose(follow(given, call, r": (A = A\.redistribute\(.*?\)\))").s, values)
        assert given["A"].distribution.describe() in text and "block-cyclic by" in text
        if P == 4 and specs in ("c:32,c:16", "c:64,b"):
            assert given["A"].distribution == tridap.distribution((600, 80), "c:32,c:32" if specs == "c:32,c:16" else "c:40,c:40", (2, 2))
        near = scalapack.nearest(given["A"].distribution, square=True)
        assert near == given["A"].distribution and is_even(near)


def is_even(dist):
    """Whether each process has at least half of what it would have if all had the same."""
    counts = [int(np.prod(dist.local_shape(rank))) for rank in range(dist.processes)]
    return 2 * min(counts) >= sum(counts) / len(counts)


@several
@remedy("because a vector is over one column of processes")
def test_right_hand_sides_that_are_misplaced():
    n = 16 * P
    tall = (P, 1)
    for A, b in [(matrix((n, n), "c:8,c:8", tall), tridap.from_function(tridap.distribution(n, "b", processes=P), lambda i: 1.0 + i)),
                 (matrix((n, n), "c:8@1,c:8", tall), tridap.from_function(tridap.distribution(n, "b", processes=P), lambda i: 1.0 + i)),
                 (matrix((n, n), "c:8,c:8"), matrix((n, 3), "b,*", tall)), (matrix((n, n), "c:4,c:4", (1, P)), matrix((n, 3), "c,*", tall))]:
        for call in ("scalapack.solve(A, b)",):
            given = case(A, b)
            assert is_solved(given, follow(given, call, r": (b = b\.redistribute\(.*?\)\)), or"))
            assert is_solved(given, follow(case(A, b), call, r"pass (copy=\S+)$", "scalapack.solve(A, b, {})"))
    if GRID[1] > 1:
        given = case(matrix((n, n), "c:8,c:8"), tridap.from_function(tridap.distribution(n, "b", processes=P), lambda i: 1.0 + i))
        assert is_solved(given, follow(given, "scalapack.solve(A, b)", r"pass (copy=\S+),", "scalapack.solve(A, b, {})"))
        product = follow({**given, "B": given["b"]}, "scalapack.matmul(A, B)", r"pass (copy=\S+),", "scalapack.matmul(A, B, {})")
        assert np.allclose(product.allgather(), given["A"].allgather() @ given["b"].allgather())


@several
@remedy("), or pass copy=if_needed")
def test_factors_of_a_product_that_are_misplaced():
    n = 6 * P
    irregular = tridap.block(starts=[c * c for c in range(P)])
    A, B = matrix((n, n), "c:2,c:3"), matrix((n, n), ("*", irregular), (1, P))
    padded = tridap.from_function(tridap.distribution((n, n), [tridap.block(padding=1), "*"], (P, 1), processes=P), lambda i, j: 1.0 * i - j)
    for left, right, name in [(A, B, "B"), (matrix((n, n), "b,*", (P, 1)), B, "B"), (B, matrix((n, 5), "b,b", (1, P)), "A"),
                              (padded, matrix((n, 4), "c:2,*", (P, 1)), "A")]:
        wanted = left.allgather() @ right.allgather()
        given = {**case(left, None), "B": right}
        text = said_by(lambda: given["scalapack"].matmul(left, right), tridap.ProtocolError)
        assert f"the array {name} is" in text and " b " not in text and "as a [" not in text
        made = follow(given, "scalapack.matmul(A, B)", rf": ({name} = {name}\.redistribute\(.*?\)\)), or")
        assert np.allclose(made.allgather(), wanted)
        made = follow({**case(left, None), "B": right}, "scalapack.matmul(A, B)", r"pass (copy=\S+)$", "scalapack.matmul(A, B, {})")
        assert np.allclose(made.allgather(), wanted)


@several
def test_the_right_hand_side_of_least_squares_that_is_misplaced():
    irregular = tridap.block(starts=[c * c for c in range(P)])
    given = case(matrix((8 * P, 4), "b,*", (P, 1)), matrix((8 * P, 2), (irregular, "*"), (P, 1)))
    wanted = np.linalg.lstsq(given["A"].allgather(), given["b"].allgather(), rcond=None)[0]
    text = said_by(lambda: given["scalapack"].lstsq(given["A"], given["b"]), tridap.ProtocolError)
    assert "the array b is" in text and "those of A" in text or "processes as A" in text
    assert np.allclose(follow(given, "scalapack.lstsq(A, b)", r": (b = b\.redistribute\(.*?\)\)), or").x.allgather(), wanted)


@remedy("A = A.astype(b.dtype)", "b = b.astype(A.dtype)", ".astype(float)")
def test_element_types_that_differ():
    n = 4 * P
    A, b = matrix((n, n), "c:2,c:2", (P, 1)), tridap.from_function(tridap.distribution(n, "c:2", processes=P), lambda i: 1.0 + i)
    for of_a, of_b, line in [(float, "f4", r"(b = b\.astype\(A\.dtype\))"), ("f4", float, r"(A = A\.astype\(b\.dtype\))"),
                             (float, complex, r"(A = A\.astype\(b\.dtype\))"), (complex, float, r"(b = b\.astype\(A\.dtype\))"),
                             (int, float, r"(A = A\.astype\(float\))"), (float, int, r"(b = b\.astype\(float\))")]:
        given = case(A.astype(of_a), b.astype(of_b))
        assert is_solved(given, follow(given, "scalapack.solve(A, b)", rf": {line}$"))
        given = {**case(A.astype(of_a), None), "B": b.astype(of_b)}
        follow(given, "scalapack.matmul(A, B)", ": " + line.replace("b", "B") + "$")


@remedy("Fit::nearest (Python: copy='if_needed')", "pass Fit::nearest (Python: copy='if_needed'), or a contiguous copy",
        "array.copy() makes a copy", "tridap.asarray(array, grid.comm)", "convert them (in Python array = array.astype(float))")
def test_matrices_for_your_own_calls():
    from tridap import scalapack
    with scalapack.ProcessGrid(P, 1) as grid:
        irregular = tridap.block(starts=[min(c * c, 4) for c in range(P)])
        def given():
            return {**case(None, None), "grid": grid}
        if P > 1:
            array = matrix((5, 4), (irregular, "*"), (P, 1))
            call = "scalapack.import_array(array, grid)"
            made = follow({**given(), "array": array}, call, r"or pass (copy=.*)$", "scalapack.import_array(array, grid, {})")
            assert made[0].array.sum() == pytest.approx(array.sum())
            made = follow({**given(), "array": array}, call, r": (array = array\.redistribute\(.*?\)\)), or")
            assert made[0].array.sum() == pytest.approx(array.sum())
        array = matrix((4 * P, 6), "b,*", (P, 1))[:, ::2]
        made = follow({**given(), "array": array}, "scalapack.import_array(array, grid)", r"pass (copy=\S+),",
                      "scalapack.import_array(array, grid, {})")
        assert made[0].array.sum() == pytest.approx(array.sum())
        array = matrix((4 * P, 6), "b,*", (P, 1))
        made = follow({**given(), "array": array}, "scalapack.import_array(array, grid, copy=True)", r"(array\.copy\(\)) makes",
                      "scalapack.import_array({}, grid)")
        assert not np.shares_memory(made[0].local, array.local)
        ints = {**given(), "array": array.astype(int)}
        assert follow(ints, "scalapack.import_array(array, grid)", r": (array = array\.astype\(float\))$")[1].shared

        class Foreign:
            def __distarray__(self):
                return array.__distarray__()

        made = follow({**given(), "array": Foreign()}, "scalapack.import_array(array, grid)", r"pass (tridap\.asarray\(array, grid\.comm\))",
                      "scalapack.import_array({}, grid)")
        assert made[1].shared


@remedy("tridap.array(local, distribution)")
def test_a_numpy_array_for_a_matrix():
    given = case(np.eye(3), None)
    given |= {"distribution": tridap.distribution((3 * P, 3), "b,*", processes=P), "local": np.eye(3)}
    assert follow(given, "scalapack.svd(A)", r"(tridap\.array\(local, distribution\)) makes", "scalapack.qr({})").r.shape == (3, 3)


@remedy("pass copy=if_needed, or do not pass overwrite_b")
def test_memory_that_cannot_be_overwritten():
    n = 4 * P
    A = matrix((n, 2 * n), "c:2,*", (P, 1))[:, ::2]
    b = matrix((n, 3), "c:2,*", (P, 1))
    for call, options in [("scalapack.cholesky(A, overwrite_a=True)", "scalapack.qr(A, {})"),
                          ("scalapack.solve(A, b, overwrite_b=True)", "scalapack.solve(A, b, overwrite_b=True, {})")]:
        given = case(A, b.copy())
        if "solve" in call:
            given["A"] = matrix((n, n), "c:2,c:2", (P, 1))
        follow(given, call, r"pass (copy=\S+), or do not", options)
        if "solve" in call:
            assert np.allclose(given["A"].allgather() @ given["b"].allgather(), b.allgather())


@remedy("pass an array of order='F' with LLD_ rows")
def test_local_memory_of_a_descriptor():
    from tridap import scalapack
    with scalapack.ProcessGrid(1, 1, COMM.Split(COMM.rank)) as grid:
        given = {**case(None, None), "grid": grid, "desc": [1, grid.context, 3, 2, 3, 2, 0, 0, 3], "local": np.arange(6.0).reshape(3, 2)}
        made = follow(given, "scalapack.export_array(desc, local, grid)", r"of (order='F') with",
                      "scalapack.export_array(desc, numpy.array(local, {}), grid)")
        assert np.array_equal(made.local, given["local"])


@remedy("call tridap.scalapack.ProcessGrid(nprow, npcol) on every process",
        "use another grid, such as near_square_grid(), or more processes", "ProcessGrid(comm, placed)")
def test_grids_that_are_made_again():
    given = {**case(None, None), "comm": COMM, "MPI": MPI, "pickle": pickle, "nprow": P, "npcol": 1}
    given["grid"] = given["scalapack"].ProcessGrid(P, 1)
    made = follow(given, "pickle.dumps(grid)", r"call (tridap\.scalapack\.ProcessGrid\(.*?\)) on", "{}")
    assert (made.nprow, made.npcol) == (P, 1)
    made = follow(given, "scalapack.ProcessGrid(comm.size, 2)", r"such as (tridap\..*?\), comm\)),", "{}")
    assert (made.nprow, made.npcol) == GRID
    if P > 1:
        given["array"] = matrix((4 * P, 4), "b,*", (P, 1))
        given["grid"] = given["scalapack"].ProcessGrid(1, P)
        found, _ = follow(given, "scalapack.import_array(array, grid)", r": (grid = tridap\..*?array\.comm\))")
        assert np.shares_memory(found.local, given["array"].local)


@remedy("pass a square matrix; svd() takes others", "tridap.scalapack.svd(A) takes others",
        "pass a square matrix; qr() and svd() take others", "tridap.scalapack.qr(A) and tridap.scalapack.svd(A) take others")
def test_matrices_that_are_not_square():
    given = case(matrix((4 * P, 2 * P), "c:2,c:2", (P, 1)), matrix((4 * P, 2), "c:2,c:2", (P, 1)))
    singular = np.linalg.svd(given["A"].allgather(), compute_uv=False)
    for call in ("scalapack.eigh(A)", "scalapack.solve(A, b)"):
        found = follow(given, call, r"(tridap\.scalapack\.svd\(A\)) take", "{}")
        assert np.allclose(found.s, singular)
    q, r = follow(given, "scalapack.solve(A, b)", r": .*?(tridap\.scalapack\.qr\(A\)) and", "{}")
    assert np.allclose(abs(np.prod(np.diag(r.allgather()))), np.prod(singular))


@remedy("check the matrix; svd() finds its rank", "tridap.scalapack.svd(A) finds its rank",
        "solve() needs no definite matrix", "tridap.scalapack.solve(A, b) needs no definite matrix")
def test_matrices_that_are_singular_or_not_definite():
    n = 4 * P
    b = matrix((n, 2), "c:2,c:2", (P, 1))
    given = case(tridap.from_function(tridap.distribution((n, n), "c:2,c:2", (P, 1), processes=P), lambda i, j: -1.0 * (i == j)), b)
    assert is_solved(given, follow(given, "scalapack.cholesky(A)", r": (tridap\.scalapack\.solve\(A, b\)) needs", "{}"))
    given = case(tridap.from_function(tridap.distribution((n, n), "c:2,c:2", (P, 1), processes=P), lambda i, j: 1.0 * ((i == j) & (j > 1))), b)
    found = follow(given, "scalapack.solve(A, b)", r"; (tridap\.scalapack\.svd\(A\)) finds", "{}")
    assert (found.s > 0.5).sum() == n - 2
