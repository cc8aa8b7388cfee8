"""tridap.scalapack: dense linear algebra against NumPy and SciPy on the whole matrices, and ScaLAPACK's matrices."""

import inspect
import itertools

import numpy as np
import pytest
import scipy.linalg
import tridap
from mpi4py import MPI
from tridap import scalapack

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank
DTYPES = ["float32", "float64", "complex64", "complex128"]


def grids():
    return [(p, P // p) for p in range(1, P + 1) if P % p == 0]


def random_matrix(shape, dtype, seed):
    rng = np.random.default_rng(seed)
    made = rng.uniform(-1, 1, shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * rng.uniform(-1, 1, shape)
    return made.astype(dtype)


def well_conditioned(n, dtype, seed):
    return random_matrix((n, n), dtype, seed) + (n + 2) * np.roll(np.eye(n, dtype=dtype), 1, 1)


def hermitian(n, dtype, seed):
    half = random_matrix((n, n), dtype, seed)
    return half + half.conj().T


def spread(whole, dist, order="F"):
    """An array of this distribution with the elements of a whole matrix."""
    index = dist.indices(R)
    local = np.array(whole[np.ix_(*index)], order=order)
    return tridap.array(local, dist, COMM)


def lists(size, processes, seed):
    order = np.random.default_rng(seed).permutation(size)
    return tridap.unstructured([order[c::processes].tolist() for c in range(processes)], one_to_one=True)


def distributions(shape, dtype):
    """Of every kind, of each grid; for other types than float64 some of them."""
    return itertools.islice(every_distribution(shape), 0, None, 1 if dtype == "float64" else 5)


def every_distribution(shape):
    for grid in grids():
        for specs in itertools.product((tridap.block(), tridap.cyclic(2), "lists"), repeat=2):
            specs = [lists(size, p, 3) if spec == "lists" else spec for spec, size, p in zip(specs, shape, grid)]
            yield tridap.distribution(shape, specs, grid)


def close(found, expected, dtype, n):
    np.testing.assert_allclose(found, expected, rtol=0, atol=200 * n * np.finfo(dtype).eps)


def test_every_public_name_is_documented():
    for name in scalapack.__all__:
        assert inspect.getdoc(getattr(scalapack, name)), name


def test_the_module_is_still_the_function():
    for made in tridap.scalapack(9, 7, 2, 3, 2, 3, rsrc=1), scalapack.distribution(9, 7, 2, 3, 2, 3, rsrc=1):
        assert made.distribution.shape == (9, 7)
        assert made.distribution.grid == (2, 3)
    assert tridap.scalapack is scalapack


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(dtype):
    for number, dist in enumerate(distributions((11, 11), dtype)):
        A, b = well_conditioned(11, dtype, number), random_matrix((11, 2), dtype, number)
        line = tridap.distribution((11,), [tridap.cyclic(1 + number % 3)], (P,))
        left = spread(A, dist, "CF"[number % 2])
        for right, whole in ((tridap.array(b[line.indices(R)[0], 0], line, COMM), b[:, 0]),
                             (spread(b, tridap.distribution((11, 2), ["b", "*"], (P, 1))), b)):
            x = scalapack.solve(left, right, copy="if_needed")
            assert x.distribution == right.distribution and x.dtype == dtype
            close(x.allgather(), np.linalg.solve(A, whole), dtype, 11)
            assert not x.receipt.shared
            assert np.array_equal(right.allgather(), whole)
        assert np.array_equal(left.allgather(), A)


def test_solve_in_place():
    grid = scalapack.squares((20, 20)).grid
    dist = tridap.distribution((20, 20), [tridap.cyclic(2)] * 2, grid)
    A, b = well_conditioned(20, "float64", 1), random_matrix((20, 1), "float64", 1)
    left, right = spread(A, dist), spread(b, tridap.distribution((20, 1), [tridap.cyclic(2)] * 2, grid))
    x = scalapack.solve(left, right, overwrite_a=True, overwrite_b=True)
    assert x.receipt.bytes_copied == 0 and x.receipt.shared
    assert x.local.ctypes.data == right.local.ctypes.data
    close(right.allgather(), np.linalg.solve(A, b), "float64", 20)


def test_what_may_be_overwritten_is():
    dist = tridap.distribution((8, 8), [tridap.cyclic(2)] * 2, scalapack.squares((8, 8)).grid)
    A, b = well_conditioned(8, "float64", 2), random_matrix((8, 8), "float64", 2)
    for over_a, over_b in itertools.product((False, True), repeat=2):
        left, right = spread(A, dist), spread(b, dist)
        x = scalapack.solve(left, right, overwrite_a=over_a, overwrite_b=over_b)
        close(x.allgather(), np.linalg.solve(A, b), "float64", 8)
        assert np.array_equal(left.allgather(), A) == (not over_a)
        assert np.array_equal(right.allgather(), b) == (not over_b)
        assert x.receipt.bytes_copied == left.local.nbytes * (not over_a) + right.local.nbytes * (not over_b)
    A = A @ A.T
    for call in scalapack.cholesky, scalapack.eigh, scalapack.svd, scalapack.qr:
        array = spread(A, dist)
        call(array)
        assert np.array_equal(array.allgather(), A)
        call(array, overwrite_a=True)
        assert not np.array_equal(array.allgather(), A)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [False, True])
def test_cholesky(dtype, lower):
    for number, dist in enumerate(distributions((10, 10), dtype)):
        half = random_matrix((10, 10), dtype, number)
        A = half @ half.conj().T + 10 * np.eye(10, dtype=dtype)
        array = spread(A, dist, "CF"[number % 2])
        factor = scalapack.cholesky(array, lower, copy="if_needed", overwrite_a=bool(number % 3))
        close(factor.allgather(), scipy.linalg.cholesky(A, lower=lower), dtype, 20)
        assert factor.distribution == dist
        assert factor.receipt.shared == bool(number % 3)


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh(dtype):
    for number, dist in enumerate(distributions((9, 9), dtype)):
        A = hermitian(9, dtype, number)
        w, v = scalapack.eigh(spread(A, dist, "CF"[number % 2]), lower=bool(number % 2), copy="if_needed")
        assert w.dtype == np.empty(0, dtype).real.dtype and v.dtype == dtype
        close(w, scipy.linalg.eigh(A)[0], dtype, 9)
        whole = v.allgather()
        close(A @ whole, whole * w, dtype, 9)
        close(whole.conj().T @ whole, np.eye(9), dtype, 9)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(9, 5), (5, 9), (7, 7)])
def test_svd_and_qr(dtype, shape):
    k = min(shape)
    for number, dist in enumerate(distributions(shape, dtype)):
        A = random_matrix(shape, dtype, number)
        array = spread(A, dist, "CF"[number % 2])
        u, s, vh = scalapack.svd(array, copy="if_needed")
        close(s, scipy.linalg.svd(A, full_matrices=False)[1], dtype, 9)
        close(u.allgather() * s @ vh.allgather(), A, dtype, 9)
        assert u.shape == (shape[0], k) and vh.shape == (k, shape[1])
        q, r = scalapack.qr(array, copy="if_needed")
        whole_q, whole_r = q.allgather(), r.allgather()
        close(whole_q @ whole_r, A, dtype, 9)
        close(whole_q.conj().T @ whole_q, np.eye(k), dtype, 9)
        assert np.array_equal(np.triu(whole_r), whole_r)
        close(abs(np.diag(whole_r)), abs(np.diag(scipy.linalg.qr(A, mode="economic")[1])), dtype, 9)


def test_results_unpack_as_scipys_and_have_a_receipt():
    dist = scalapack.squares((8, 8))
    A = spread(hermitian(8, "float64", 1) + 20 * np.eye(8), dist)
    for call, of_scipy, names in [(scalapack.svd, scipy.linalg.svd, ("U", "s", "Vh")), (scalapack.eigh, scipy.linalg.eigh, ("w", "v")),
                                  (scalapack.qr, scipy.linalg.qr, ("q", "r"))]:
        found = call(A)
        assert isinstance(found, tuple) and found._fields == names and len(found) == len(of_scipy(A.allgather()))
        assert found.receipt.bytes_copied >= A.local.nbytes and not found.receipt.shared
        for name, one in zip(names, found):
            assert getattr(found, name) is one
            assert isinstance(one, np.ndarray) or one.receipt.bytes_copied == found.receipt.bytes_copied
    for found in scalapack.solve(A, A), scalapack.cholesky(A):
        assert isinstance(found, tridap.DistArray) and found.receipt.bytes_copied >= A.local.nbytes and found.distribution == dist


@pytest.mark.parametrize("dtype", DTYPES)
def test_matmul(dtype):
    for number, dist in enumerate(itertools.islice(distributions((9, 7), dtype), 0, None, 4)):
        A = random_matrix((9, 7), dtype, number)
        left = spread(A, dist, "CF"[number % 2])
        for shape in ((7, 4), (7,)):
            B = random_matrix(shape, dtype, number + 1)
            for specs in ["b,*", "c:2,*"][:1 + number % 2] if len(shape) == 2 else ["b"]:
                right = spread(B, tridap.distribution(shape, specs, processes=P))
                made = scalapack.matmul(left, right, copy="if_needed")
                close(made.allgather(), A @ B, dtype, 9)
                assert made.receipt.seconds >= 0 and made.dtype == dtype
        other = spread(random_matrix((9, 3), dtype, 5), tridap.distribution((9, 3), "b,*", processes=P))
        for trans, op in (("T", A.T), ("C", A.conj().T)):
            close(scalapack.matmul(left, other, trans_a=trans, copy="if_needed").allgather(), op @ other.allgather(), dtype, 9)
            close(scalapack.matmul(left, left, trans_b=trans, copy="if_needed").allgather(), A @ (A.T if trans == 'T' else A.conj().T), dtype, 9)


def test_the_operator_multiplies_dense_arrays_where_they_are():
    rows = tridap.distribution((2 * P + 2, 3), "b,*")
    A, B = (spread(random_matrix(rows.shape, "float64", seed), rows, order) for seed, order in ((1, "C"), (2, "F")))
    a, b = A.allgather(), B.allgather()
    v = tridap.from_function(tridap.distribution(2 * P + 2, "b"), lambda i: 1.0 + i)
    for found, wanted in [(A.T @ B, a.T @ b), (A @ B.T, a @ b.T), (np.matmul(A.T, A), a.T @ a), (A.T @ v, a.T @ v.allgather()),
                          (v @ B, v.allgather() @ b)]:
        close(found.allgather(), wanted, "float64", 2 * P + 2)
    square = spread(random_matrix((5, 5), "float64", 3), scalapack.squares((5, 5)))
    power = square @ square @ square
    close(power.allgather(), np.linalg.matrix_power(square.allgather(), 3), "float64", 5)
    assert power.distribution == square.distribution and power.receipt.bytes_copied == 0
    with pytest.raises(tridap.ProtocolError, match="A has 3 columns, and B has .* rows, must be the same"):
        A @ B
    with pytest.raises(tridap.ProtocolError, match="trans_a is 'H', must be 'N', 'T' or 'C'"):
        scalapack.matmul(A, B, trans_a="H" if R == P - 1 else "T")


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(12, 5), (5, 12), (6, 6)])
def test_lstsq(dtype, shape):
    m, n = shape
    for number, dist in enumerate(itertools.islice(distributions(shape, dtype), 0, None, 4)):
        A, b = random_matrix(shape, dtype, number), random_matrix((m, 2), dtype, number + 1)
        array = spread(A, dist, "CF"[number % 2])
        for right in b, b[:, 0]:
            x, residues, rank, s = found = scalapack.lstsq(array, spread(right, tridap.distribution(
                right.shape, "b,*" if right.ndim == 2 else "b")), copy="if_needed")
            wanted = scipy.linalg.lstsq(A, right)
            close(x.allgather(), wanted[0], dtype, 200)
            assert residues.shape == np.shape(wanted[1]) and rank == wanted[2] == min(shape)
            close(residues, wanted[1], dtype, 50)
            close(s, wanted[3], dtype, 20)
            assert found.receipt.bytes_copied > 0 or array.local.size == 0


def test_lstsq_of_a_matrix_without_full_rank_is_the_shortest():
    A = np.outer(np.arange(1.0, 9), [1, 2, 3])
    b = np.arange(8.0) % 3
    rows, line = tridap.distribution((8, 3), "b,*"), tridap.distribution(8, "b")
    x, residues, rank, s = scalapack.lstsq(spread(A, rows, "C"), spread(b, line))
    close(x.allgather(), scipy.linalg.lstsq(A, b)[0], "float64", 100)
    assert rank == 1 and residues.shape == (0,) and s.shape == (3,)
    assert scalapack.lstsq(spread(A, rows), spread(b, line), cond=2.0).rank == 0
    with pytest.raises(tridap.ProtocolError, match="b has 7 rows, must have those of A, 8"):
        scalapack.lstsq(spread(A, rows), spread(b[:7], tridap.distribution(7, "b")))


def test_copy_is_never_by_default():
    dist = tridap.distribution((12, 12), [lists(12, P, 1), "*"], (P, 1))
    array = spread(well_conditioned(12, "float64", 1), dist)
    near = scalapack.nearest(dist, square=True)
    assert near == scalapack.squares((12, 12))
    for call in scalapack.cholesky, scalapack.eigh, scalapack.svd, scalapack.qr, lambda a: scalapack.solve(a, a):
        with pytest.raises(tridap.ProtocolError) as caught:
            call(array)
        assert near.describe() in str(caught.value)
    moved = tridap.redistribute(array, near, order="F")
    found = scalapack.svd(moved)
    assert found.U.distribution == near and found.receipt.bytes_copied == moved.local.nbytes


def test_wrong_arguments_raise_on_every_process():
    array = spread(np.eye(6), scalapack.squares((6, 6)))
    calls = [lambda bad: scalapack.solve("no array" if bad else array, array),
             lambda bad: scalapack.solve(array, object() if bad else array),
             lambda bad: scalapack.qr(array, copy="perhaps" if bad else None),
             lambda bad: scalapack.cholesky(array, lower=bad) if P > 1 else scalapack.cholesky(None),
             lambda bad: scalapack.eigh(tridap.array(array.local.astype(int), array.distribution, COMM))]
    for number, call in enumerate(calls):
        with pytest.raises(tridap.ProtocolError):
            call(R == P - 1)


def test_singular_and_indefinite_matrices():
    array = spread(np.zeros((6, 6)), scalapack.squares((6, 6)))
    with pytest.raises(tridap.ProtocolError, match=r"the pivot in row 0 \(counted from 0\) is exactly 0"):
        scalapack.solve(array, array)
    with pytest.raises(tridap.ProtocolError, match="the leading minor of order 1 is not positive"):
        scalapack.cholesky(array)
    whole = np.eye(6)
    whole[5, 2] = np.nan
    with pytest.raises(tridap.ProtocolError, match=r"the element \(5, 2\) of the array A is not finite"):
        scalapack.svd(spread(whole, scalapack.squares((6, 6))))


@pytest.mark.parametrize("order", ["R", "C"])
def test_matrices_of_scalapack(order):
    for nprow, npcol in grids():
        with scalapack.ProcessGrid(nprow, npcol, order=order) as grid:
            assert (grid.nprow, grid.npcol) == (nprow, npcol)
            theirs = scalapack.distribution(9, 7, 2, 3, nprow, npcol, order=order)
            assert [theirs.process(rank) for rank in range(P)] == [grid.ranks.index(rank) for rank in range(P)]
            rows, columns = theirs.distribution.local_shape(grid.ranks.index(R))
            lld = max(rows, 1) + 2
            local = np.zeros((lld, max(columns, 1)), order="F")
            desc = (1, grid.context, 9, 7, 2, 3, 0, 0, lld)
            array = scalapack.export_array(desc, local, grid)
            assert array.distribution == theirs.distribution
            array.local[...] = 5
            assert local[:rows, :columns].tolist() == array.local.tolist()
            assert not scalapack.is_elpa_ready(desc)
            matrix, receipt = scalapack.import_array(array, grid)
            assert receipt.bytes_copied == 0
            if not matrix.transposed:
                assert matrix.desc[:8] == desc[:8]
                assert matrix.local.ctypes.data == local.ctypes.data
            with pytest.raises(tridap.ProtocolError, match="LLD_"):
                scalapack.export_array((*desc[:8], rows - 1), local, grid)
            if rows * columns > 0:
                with pytest.raises(tridap.ProtocolError, match="must have"):
                    scalapack.export_array(desc, local.ravel("K")[:1], grid)
        assert "closed" in repr(grid)
        assert array.local.sum() == 5 * rows * columns  # lives longer


def test_arrays_as_matrices():
    with scalapack.ProcessGrid(P, 1) as grid:
        rows = tridap.distribution((3 * P, 4), ["b", "*"], (P, 1))
        array = spread(random_matrix((3 * P, 4), "float64", 1), rows, "C")
        matrix, receipt = scalapack.import_array(array, grid)
        assert matrix.transposed and receipt.losses
        assert matrix.desc[1:4] == (grid.transposed_context, 4, 3 * P)
        assert matrix.local.ctypes.data == array.local.ctypes.data
        listed = spread(np.eye(3 * P), tridap.distribution((3 * P, 3 * P), [lists(3 * P, P, 2), "*"], (P, 1)))
        if P > 1:
            with pytest.raises(tridap.ProtocolError, match="if_needed"):
                scalapack.import_array(listed, grid)
        moved, receipt = scalapack.import_array(listed, grid, copy="if_needed")
        assert np.array_equal(moved.array.allgather(), np.eye(3 * P))
        for wrong in True, "perhaps":
            with pytest.raises(tridap.ProtocolError):
                scalapack.import_array(array, grid, copy=wrong if R == 0 else None)


def test_a_grid_of_some_processes():
    with scalapack.ProcessGrid(1, 1) as grid:
        assert grid.place == ((0, 0) if R == 0 else None)
        assert (grid.comm is None) == (R != 0) and (grid.context < 0) == (R != 0)
        array = None
        if R == 0:
            array = tridap.array(np.eye(3), tridap.distribution((3, 3), ["*", "*"], (1, 1)), grid.comm)
        matrix, _ = scalapack.import_array(array, grid)
        assert (matrix.local is None) == (R != 0) and (matrix.desc[1] == -1) == (R != 0)
        if R == 0:
            x = scalapack.solve(array, array)
            assert np.array_equal(x.local, np.eye(3))
        with scalapack.ProcessGrid(context=grid.context) as same:
            assert same.ranks == (0,)
    for wrong in ({"nprow": P + 1, "npcol": 1}, {"nprow": 1}, {"nprow": 1, "npcol": 1, "order": "F"},
                  {"context": "no"}):
        with pytest.raises(tridap.ProtocolError):
            scalapack.ProcessGrid(**wrong)


def test_a_grid_stays_open_after_an_exception():
    with pytest.raises(KeyError):
        with scalapack.ProcessGrid(1, P) as grid:
            raise KeyError
    assert "closed" not in repr(grid)
    grid.close()
    assert "closed" in repr(grid)


def test_the_communicator_of_a_grid_in_columns_has_its_order():
    if P < 4:
        pytest.skip("a grid of two rows and two columns needs four processes")
    with scalapack.ProcessGrid(2, 2, order="C") as grid:
        assert grid.ranks == (0, 2, 1, 3)
        if R < 4:
            assert grid.comm.rank == grid.ranks.index(R)


def test_a_matrix_is_never_copied_always():
    array = tridap.zeros(tridap.distribution((2 * P, 2), ("b", "*"), processes=P), comm=MPI.COMM_WORLD)
    with scalapack.ProcessGrid(P, 1) as grid:
        with pytest.raises((tridap.ProtocolError, ValueError), match="copy is True, must be None, False or 'if_needed'"):
            scalapack.import_array(array, grid, copy=True)
