"""tridap.solve: the answers, where they land, and what is told of them."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from mpi4py import MPI
from producers import block, dict_of
from systems import Field, interior, layouts, local_rows, matrix, numbers, poisson, right_hand_side, size, whole
from tridap import _solve

LAYOUTS = list(layouts(1))
HOW = {"cg": dict(tol=1e-12), "gmres": dict(method="gmres", tol=1e-12), "direct": dict(method="direct")}


@pytest.fixture
def line(comm):
    """The second difference of 40 elements in blocks: Matrix, dense, right-hand side, distribution."""
    dist = tridap.distribution((40,), ("b",))
    dense = np.diag(np.full(40, 2.0)) - np.diag(np.ones(39), 1) - np.diag(np.ones(39), -1)
    b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
    return tridap.Matrix(local_rows(dense, dist, comm.rank), dist), dense, b, dist


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_answer_lands_in_the_producers_memory(comm, name, how, order):
    dist = layouts(comm.size)[name]
    dense = matrix(size(dist), symmetric=how == "cg")
    b, rhs = right_hand_side(dist, comm.rank, order)
    b.memory.flags.writeable = False
    x = Field(dist, comm.rank, 0.5, order)
    memory, address = x.memory, x.memory.ctypes.data
    gaps = name == "padded" and order == "F" and comm.size > 1  # padding between the elements that are owned
    copy = "if_needed" if gaps else None
    A = tridap.Matrix(local_rows(dense, dist, comm.rank, order), dist if order == "C" else b, comm, order=order)
    result = tridap.solve(A, b, x, copy=copy, **HOW[how])
    assert result.converged and result.residual <= 1e-11
    assert x.memory is memory and result.x.local.ctypes.data == address
    got = whole(comm, dist, interior(memory, dist, comm.rank))
    np.testing.assert_allclose(got, np.linalg.solve(dense, rhs), rtol=0, atol=1e-10)
    assert result.bytes_copied == (3 * interior(memory, dist, comm.rank).nbytes if gaps else 0)
    if name == "padded":  # what is not owned was left alone
        assert memory.sum() == pytest.approx(interior(memory, dist, comm.rank).sum() +
                                             0.5 * (memory.size - interior(memory, dist, comm.rank).size))


def test_another_memory_order_is_copied_if_allowed(comm):
    dist = layouts(comm.size)["2-D"]
    dense = matrix(size(dist), symmetric=False)
    b, rhs = right_hand_side(dist, comm.rank, "F")
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    result = tridap.solve(A, b, method="direct", copy="if_needed")
    np.testing.assert_allclose(whole(comm, dist, result.x.interior), np.linalg.solve(dense, rhs), atol=1e-10)
    if any(min(dist.local_shape(r)) > 1 for r in range(comm.size)):
        with pytest.raises(tridap.ProtocolError, match="copy=None, but the buffer's memory order"):
            tridap.solve(A, b)


@pytest.mark.parametrize("name", LAYOUTS)
def test_strided_memory_is_copied_if_allowed_and_x_written_back(comm, name):
    dist = layouts(comm.size)[name]
    dense = matrix(size(dist))
    b, rhs = right_hand_side(dist, comm.rank, step=2)
    x = Field(dist, comm.rank, step=3)
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), dist)
    tridap.solve(A, b, x, tol=1e-12, copy="if_needed")
    np.testing.assert_allclose(whole(comm, dist, interior(x.memory, dist, comm.rank)), np.linalg.solve(dense, rhs), atol=1e-10)
    gaps = x.memory.base
    assert gaps is None or np.count_nonzero(gaps) == np.count_nonzero(x.memory)


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_matvec_sees_the_local_shape(comm, name):
    dist = layouts(comm.size)[name]
    dense = matrix(size(dist), symmetric=False)
    ids = numbers(dist, comm.rank)
    shape = tuple(len(held) for held in dist.indices(comm.rank, "interior"))

    def matvec(x, y):
        assert x.shape == y.shape == shape and not x.flags.writeable and x.dtype == y.dtype == float
        y[...] = (dense[ids] @ whole(comm, dist, x)).reshape(shape)

    b, rhs = right_hand_side(dist, comm.rank)
    result = tridap.solve(tridap.LinearOperator(matvec, dist), b, method="gmres", tol=1e-12, copy="if_needed")
    np.testing.assert_allclose(whole(comm, dist, result.x.interior), np.linalg.solve(dense, rhs), atol=1e-10)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia", "twice", "unsorted", "longer",
                                  "long", "array", "arrays", "float32", "integers", "lists", "petsc", "petsc sizes"])
def test_a_matrix_is_made_of_anything_that_is_csr(comm, kind):
    dist = tridap.distribution((11,), ("c:2",))
    dense = np.round(4 * matrix(11, symmetric=False)) / 4 if kind != "integers" else np.round(matrix(11, False))
    rows = local_rows(dense, dist, comm.rank)
    local = {
        "csr": lambda: rows, "csc": rows.tocsc, "coo": rows.tocoo, "bsr": rows.tobsr, "lil": rows.tolil,
        "dok": rows.todok, "dia": rows.todia, "array": lambda: sp.csr_array(rows),
        "arrays": lambda: (rows.data, rows.indices, rows.indptr), "float32": lambda: rows.astype("f4"),
        "long": lambda: (rows.data, rows.indices.astype("i8"), rows.indptr),
        "integers": lambda: rows.astype("i8"),
        "longer": lambda: (np.append(rows.data, 7.0), np.append(rows.indices, 0), rows.indptr),
        "twice": lambda: (np.repeat(rows.data / 2, 2), np.repeat(rows.indices, 2), 2 * rows.indptr),
        "lists": lambda: (rows.data.tolist(), rows.indices.tolist(), rows.indptr.tolist()),
        "unsorted": lambda: unsorted(rows), "petsc": lambda: Petsc(rows), "petsc sizes": lambda: SizedPetsc(rows),
    }[kind]()
    b = tridap.from_function(dist, lambda i: 1.0 + i % 5)
    result = tridap.solve(tridap.Matrix(local, dist), b, method="direct")
    np.testing.assert_allclose(whole(comm, dist, result.x.local), np.linalg.solve(dense, 1.0 + np.arange(11) % 5), atol=1e-10)


def test_nothing_is_a_matrix_of_no_rows(comm):
    dist = tridap.distribution((3,), [tridap.block(starts=[0] + [3] * (comm.size - 1))])  # all on the first
    lists = ([1.0, 2.0, 4.0], [0, 1, 2], [0, 1, 2, 3]) if comm.rank == 0 else ([], [], [0])
    result = tridap.solve(tridap.Matrix(lists, dist), tridap.from_function(dist, lambda i: 4.0 + 0 * i))
    np.testing.assert_allclose(whole(comm, dist, result.x.local), [4, 2, 1])


class Petsc:
    """The part of a petsc4py.PETSc.Mat that is read: this process's rows, with global columns."""

    def __init__(self, rows):
        self.rows = rows

    def getValuesCSR(self):
        return self.rows.indptr, self.rows.indices, self.rows.data


class SizedPetsc(Petsc):
    def getSizes(self):  # ((local, global) rows, (local, global) columns)
        return (self.rows.shape[0], self.rows.shape[1]), (self.rows.shape[0], self.rows.shape[1])


def unsorted(rows):
    order = np.concatenate([np.arange(start, stop)[::-1] for start, stop in zip(rows.indptr, rows.indptr[1:])] + [[]])
    order = order.astype(int)
    return rows.data[order], rows.indices[order], rows.indptr


def test_a_matrix_copies_what_it_is_made_of(comm, line):
    _, dense, b, dist = line
    rows = local_rows(dense, dist, comm.rank)
    A = tridap.Matrix(rows, dist)
    rows.data[...] = 0
    result = tridap.solve(A, b)
    np.testing.assert_allclose(whole(comm, dist, result.x.local), np.linalg.solve(dense, 1.0 + np.arange(40) % 5), rtol=1e-6)


def test_a_result_says_what_came_of_it(comm, line, capsys):
    A, dense, b, dist = line
    seen = []
    result = tridap.solve(A, b, callback=lambda i, r: seen.append((i, r)))
    assert result.iterations == len(seen) == len(result.residuals) - 1
    assert [i for i, _ in seen] == list(range(1, result.iterations + 1))
    assert [r for _, r in seen] == pytest.approx(list(result.residuals[1:]), abs=1e-10)
    assert result.residuals.dtype == float and result.residuals[0] == pytest.approx(1)
    assert list(result.history) == list(enumerate(result.residuals))
    x = whole(comm, dist, result.x.local)
    rhs = 1.0 + np.arange(40) % 5
    assert result.residual == pytest.approx(np.linalg.norm(rhs - dense @ x) / np.linalg.norm(rhs), abs=1e-14)
    assert 0 < result.seconds < 60 and result.bytes_copied == 0
    text = repr(result)
    assert "\n" not in text and text.startswith(f"cg: converged in {result.iterations} iterations, residual ")
    assert "iterations" not in repr(tridap.solve(A, b, method="direct"))
    assert repr(tridap.solve(A, b, preconditioner="ifpack2")).startswith("cg + ifpack2: converged in ")
    assert capsys.readouterr() == ("", "")


def test_a_solve_begins_with_the_values_of_x(comm, line):
    A, _, b, _ = line
    x = tridap.solve(A, b, tol=1e-10).x
    assert tridap.solve(A, b, x, tol=1e-8).iterations == 0


def test_a_solve_without_convergence_warns_once_and_may_raise(comm, line):
    A, _, b, _ = line
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = tridap.solve(A, b, maxiter=2)
    assert not result.converged and result.iterations == 2
    assert [w.category for w in told] == ([tridap.ConvergenceWarning] if comm.rank == 0 else [])
    assert not told or told[0].filename == __file__
    with pytest.raises(tridap.ConvergenceError, match="cg: not converged in 2 iterations") as raised:
        tridap.solve(A, b, maxiter=2, raise_on_failure=True)
    assert raised.value.result.iterations == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(tridap.ConvergenceWarning):  # on every process
            tridap.solve(A, b, maxiter=2)


def test_a_long_solve_says_so_on_one_line(comm, line, capsys, monkeypatch):
    """By a clock on which each product with A takes 0.12 s, the line is written after 0.24 s, 0.48 s, and so on."""
    _, _, b, dist = line
    products, seen = [], []
    monkeypatch.setattr(_solve, "time", SimpleNamespace(monotonic=lambda: 0.12 * len(products)))

    def slow(x, y):
        products.append(1)
        y[...] = (1 + dist.indices(comm.rank)[0]) * x

    A = tridap.LinearOperator(slow, dist)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tridap.solve(A, b, maxiter=9, progress=True, callback=lambda i, residual: seen.append((len(products), i, residual)))
    written, last, width = "", 0, 0
    for product, iteration, residual in seen:
        if product >= last + 2:
            said = f"tridap.solve: iteration {iteration}, residual {residual:.1e}, {0.12 * product:.0f} s"
            written, last, width = f"{written}\r{said.ljust(width)}", product, len(said)
    assert len(seen) == 9 and written.count("\r") >= 3
    assert capsys.readouterr() == ("", written + "\n" if comm.rank == 0 else "")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tridap.solve(A, b, maxiter=3, progress=False)
        tridap.solve(A, b, maxiter=3)  # no terminal
    assert capsys.readouterr() == ("", "")


def test_no_standard_error_is_no_error(comm, line, monkeypatch):
    A, _, b, _ = line
    monkeypatch.setattr("sys.stderr", None if comm.rank == 0 else open("/dev/null", "w"))
    assert tridap.solve(A, b).converged and tridap.solve(A, b, progress=True).converged


def test_a_preconditioner_is_made_once_for_the_same_options(comm, capfd):
    m = 60
    dist = tridap.distribution((m, m), ("b", "b"))
    A = tridap.Matrix(poisson(m)[numbers(dist, comm.rank)], dist)
    b = tridap.from_function(dist, lambda i, j: 1.0 + (m * i + j) % 5)

    def solve(**options):
        """Returns the number of iterations, and whether MueLu made a preconditioner: then it prints on the first process."""
        capfd.readouterr()
        iterations = tridap.solve(A, b, preconditioner="muelu", preconditioner_options={"verbosity": "low", **options}).iterations
        return iterations, comm.bcast("MueLu setup" in capfd.readouterr().out)

    iterations, made = solve()
    assert made
    assert solve() == (iterations, False)
    rough = {"smoother: params": {"chebyshev: degree": 1}}
    others, made = solve(**rough)
    assert made and others > iterations
    assert solve(**rough) == (others, False)
    rough["smoother: params"]["chebyshev: degree"] = 2  # the same dict, changed
    between, made = solve(**rough)
    assert made and between < others
    assert solve() == (iterations, True)


@pytest.mark.parametrize("options, fewer", [({"Num Blocks": 3}, False), ({"Num Blocks": np.int32(40)}, True)])
def test_options_reach_belos(comm, line, options, fewer):
    A, _, b, _ = line
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = tridap.solve(A, b, method="gmres", maxiter=60, options=options)
    assert result.converged == fewer


def test_other_communicators_are_used_as_they_are(comm):
    reversed_ = comm.Split(0, key=-comm.rank)
    halves = comm.Split(comm.rank % 2)
    for used in (reversed_, halves, MPI.COMM_SELF):
        dist = tridap.distribution((9,), ("c",), processes=used.size)
        dense = matrix(9, symmetric=False)
        A = tridap.Matrix(local_rows(dense, dist, used.rank), dist, used)
        assert A.comm is used and A.distribution == dist
        b = tridap.from_function(dist, lambda i: 1.0 + i % 5, comm=used)
        for how in HOW.values():
            if how.get("method") is None:
                continue
            result = tridap.solve(A, b, **how)
            np.testing.assert_allclose(whole(used, dist, result.x.local), np.linalg.solve(dense, 1.0 + np.arange(9) % 5), atol=1e-10)
    reversed_.Free()
    with pytest.raises(ValueError, match="COMM_NULL"):
        tridap.Matrix(sp.eye(1), dist, reversed_)
    halves.Free()


@pytest.mark.parametrize("version", ["0.9.0", "0.10.0"])
def test_columns_count_as_the_array_of_the_rows_does(comm, version):
    """A ring of 3 elements on each process beside an axis of 2, by its own global indices and by nothing else."""
    n, p, r = 3 * comm.size, comm.size, comm.rank
    dense = matrix(2 * n, symmetric=False)
    old = dict_of(np.zeros((2, 5)), block(2), block(n, p, r, padding=(1, 1), periodic=True), version="0.9.0")
    rows = tridap.asarray(old if version == "0.9.0" else tridap.export(old, version, comm), comm)
    mirrors = 0 if version == "0.9.0" else 1
    assert rows.shape == (2, n + 2 * mirrors)

    def column(row, along):
        return np.ravel_multi_index((row, along + mirrors), rows.shape)

    where = np.array([column(row, along) for row in range(2) for along in range(n)])
    own = [n * row + along for row in range(2) for along in range(3 * r, 3 * r + 3)]
    rhs = 1.0 + np.arange(2 * n) % 5
    b = tridap.asarray(rows, comm, copy=True)
    b.interior[...] = rhs[own].reshape(2, 3)
    wide = np.zeros((6, int(np.prod(rows.shape))))
    wide[:, where] = dense[own]
    sparse = sp.csr_matrix(wide)
    for local, shape in (sparse, None), ((sparse.data, sparse.indices, sparse.indptr), None), (
            (sparse.data, sparse.indices.astype(np.int64), sparse.indptr), sparse.shape):
        A = tridap.Matrix(local, rows, comm, shape=shape)
        result = tridap.solve(A, b, method="direct", copy="if_needed")
        np.testing.assert_allclose(result.x.interior.ravel(), np.linalg.solve(dense, rhs)[own], atol=1e-10)
    for other in sp.csr_matrix((6, wide.shape[1] + 1)), sp.csr_matrix((6, wide.shape[1] + 4)):
        with pytest.raises(tridap.ProtocolError, match=f"must have {wide.shape[1]}, as many as the whole array has elements"):
            tridap.Matrix(other if r == 0 else sparse, rows, comm)
    for none in -1, wide.shape[1]:
        indices = np.where(np.arange(sparse.indices.size) == (0 if r == 0 else -1), none, sparse.indices)
        with pytest.raises(tridap.ProtocolError, match=f"has column {none}, must be .*at least 0 and less than {wide.shape[1]}"):
            tridap.Matrix((sparse.data, indices, sparse.indptr), rows, comm)


def test_a_history_is_a_sequence_and_two_tables():
    residuals = [1.0, 0.25, 0.0, 0.0] + [2.0**-k for k in range(200)]
    history = tridap.History(residuals)
    assert len(history) == 204 and history[1] == (1, 0.25) and history[-1] == (203, 2.0**-199)
    assert history[2:4] == [(2, 0.0), (3, 0.0)]
    assert repr(history) == "<tridap.History: 204 entries, residual 1.0e+00 to 1.2e-60>"
    lines = str(history).splitlines()
    assert [line.split() for line in lines[:4]] == [["iteration", "residual", "ratio"], ["0", "1.000e+00"],
                                                    ["1", "2.500e-01", "0.25"], ["2", "0.000e+00", "0"]]
    assert lines[4].split() == ["3", "0.000e+00"] and lines[-1].split()[::2] == ["203", "0.5"] and len(lines) == 41
    html = history._repr_html_()
    assert html.count("<tr>") == 41 and ">2.500e-01<" in html and ">203<" in html and "100" not in html
    empty = tridap.History([])
    assert str(empty).split() == ["iteration", "residual", "ratio"] and "<table>" in empty._repr_html_() and not empty


def test_a_matrix_over_one_process_has_a_comm_of_one_process():
    dist = tridap.distribution((3,), processes=1)
    A = tridap.Matrix(sp.identity(3, format="csr"), dist)
    assert A.comm.size == 1
    assert (A @ tridap.from_function(dist, lambda i: i + 1.0)).local.tolist() == [1, 2, 3]
