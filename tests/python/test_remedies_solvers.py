"""What the errors of solvers and of matrices advise is executed on the case that made them."""

import pickle

import numpy as np
import pytest
import scipy.sparse
import tridap
from mpi4py import MPI

from remedies import Advice, follow, name_of, remedy

COMM = MPI.COMM_WORLD
P = COMM.size
several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")


def case(**more):
    n = 5 * P
    line = tridap.distribution(n, processes=P)
    (mine,) = line.indices(COMM.rank)
    rows = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr")[mine]
    A, b = tridap.Matrix(rows, line, COMM), tridap.from_function(line, lambda i: 1.0 + i)
    return {"A": A, "b": b, "rows": rows, "dist": line, "comm": COMM, "tridap": tridap, "numpy": np, "scipy": scipy, **more}


def is_solved(given, result, A=None):
    A, b = A or given["A"], given["b"]
    return (b - A @ result.x).norm() <= 1e-6 * b.norm()


@several
@remedy(".redistribute(A.distribution)")
def test_a_right_hand_side_that_is_misplaced():
    for name, call in (("b", "tridap.solve(A, b)"), ("x", "tridap.solve(A, b, x)"), ("x", "A @ x")):
        given = case()
        given[name] = given["b"].redistribute("c")
        result = follow(given, call, rf": ({name} = {name}\.redistribute\(A\.distribution\))")
        assert given[name].distribution == given["A"].distribution
        if call != "A @ x":
            assert is_solved(given, result)


def strided():
    given = case()
    given["b"] = tridap.asarray({"__version__": "0.10.0", "buffer": np.ones(10)[::2], "dim_data": given["dist"].dim_data(COMM.rank)}, COMM)
    return given


def single():
    given = case()
    return {**given, "b": given["b"].astype("f4")}


def jacobi(preconditioner):
    return f"tridap.solve(A, b, {preconditioner}, preconditioner_options={{'relaxation: type': 'Jacobi'}})"


CASES = [
    Advice(" = tridap.zeros(A.distribution, comm=A.comm) makes one", lambda: case(b=tridap.zeros(tridap.distribution(5 * P + 1, processes=P))),
           "tridap.solve(A, b)", r": (b = tridap\.zeros\(.*?\)) makes", None, lambda result, given: result.converged),
    Advice(".astype(float)", single, "tridap.solve(A, b)", r": (b = b\.astype\(float\))$", None, lambda result, given: is_solved(given, result)),
    Advice("tridap.Matrix(rows, dist)", lambda: {**case(), "A": case()["rows"], "B": case()["A"]}, "tridap.solve(A, b)",
           r"(tridap\.Matrix\(rows, dist\)) makes", "tridap.solve({}, b)", lambda result, given: is_solved(given, result, given["B"])),
    Advice("pass order='C' if the rows", case, "tridap.Matrix(rows, dist, order='A')", r"pass (order='C')", "tridap.Matrix(rows, dist, {})",
           lambda made, given: ((made @ given["b"]) - given["A"] @ given["b"]).norm() == 0),
    Advice("set preconditioner=, or leave them out", case, jacobi("preconditioner=None"), r": set (preconditioner=), or leave",
           jacobi("{}'relaxation'").replace("{'", "{{'").replace("'}", "'}}"), lambda result, given: result.converged),
    Advice("pass copy=if_needed, or a contiguous writable buffer", strided, "tridap.solve(A, b)", r"pass (copy=\S+?),", "tridap.solve(A, b, {})",
           lambda result, given: result.bytes_copied > 0 and is_solved(given, result)),
]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_what_the_error_of_a_call_advises_runs(case):
    case.run()


@remedy("pass copy=if_needed, or an array in column-major memory (order='F')")
def test_several_vectors_in_row_major_memory():
    given = case()
    given["b"] = tridap.from_function(tridap.distribution((5 * P, 2), ("b", "*"), processes=P), lambda i, j: 1.0 + i + j)
    assert follow(given, "tridap.solve(A, b)", r"pass (copy=\S+?),", "tridap.solve(A, b, {})").converged
    assert follow(given, "tridap.solve(A, b)", r"\((order='F')\)", "tridap.solve(A, b.copy({0}), b.copy({0}))").converged


@remedy("pass copy=if_needed, or make A in the memory order of ", ": tridap.Matrix(rows, ")
def test_memory_in_another_order():
    plane = tridap.distribution((2 * P, 3), ("b", "*"), processes=P)
    (i, j) = plane.indices(COMM.rank)
    numbers = (3 * i[:, None] + j).ravel()
    rows = scipy.sparse.csr_matrix((2.0 + numbers, (range(numbers.size), numbers)), shape=(numbers.size, 6 * P))
    given = case(rows=rows, A=tridap.Matrix(rows, plane), b=tridap.from_function(plane, lambda i, j: 1.0 + i + j, order="F"))
    assert follow(given, "tridap.solve(A, b)", r"pass (copy=\S+?),", "tridap.solve(A, b, {})").converged
    result = follow(given, "tridap.solve(A, b)", r"order of b: (tridap\.Matrix\(rows, b\))", "tridap.solve({}, b)")
    assert is_solved(given, result, tridap.Matrix(rows, given["b"]))


@remedy("scipy.sparse.csr_matrix(rows)", "rows.astype(float)")
def test_rows_that_are_dense_or_of_another_type():
    given = case()
    sparse = given["rows"]
    given["rows"] = sparse.toarray()
    made = follow(given, "tridap.Matrix(rows, dist)", r"(scipy\.sparse\.csr_matrix\(rows\)) makes", "tridap.Matrix({}, dist)")
    assert ((made @ given["b"]) - given["A"] @ given["b"]).norm() == 0
    given["rows"] = given["rows"].astype(np.longdouble)
    given["rows"] = scipy.sparse.csr_matrix(sparse, dtype=np.longdouble)
    made = follow(given, "tridap.Matrix(rows, dist)", r"(rows\.astype\(float\)) converts", "tridap.Matrix({}, dist)")
    assert ((made @ given["b"]) - given["A"] @ given["b"]).norm() == 0


@remedy("scipy.sparse.bmat([[rows.real, -rows.imag], [rows.imag, rows.real]])")
def test_complex_rows():
    given = case()
    n = 5 * P
    (mine,) = given["dist"].indices(COMM.rank)
    given["rows"] = scipy.sparse.csr_matrix(given["rows"] + 0.5j * scipy.sparse.identity(n, format="csr")[mine])
    both = tridap.distribution((2, n), ("*", "b"), processes=P)
    given["both"] = both
    made = follow(given, "tridap.Matrix(rows, dist)", r"(scipy\.sparse\.bmat\(.*?\]\]\))", "tridap.Matrix({}, both)")
    b = tridap.from_function(both, lambda k, i: (1.0 + i) * (1 - k))
    x = tridap.solve(made, b, method="gmres", preconditioner=None).x.allgather()
    whole = scipy.sparse.diags([-1.0, 2.0 + 0.5j, -1.0], [-1, 0, 1], shape=(n, n))
    assert np.allclose(whole @ (x[0] + 1j * x[1]), 1.0 + np.arange(n), rtol=1e-5)


@remedy("pickle the rows of this process, and call tridap.Matrix(rows, dist)", "call tridap.LinearOperator(matvec, dist)",
        "call tridap.Preconditioner(A)")
def test_what_cannot_be_pickled_is_made_again():
    given = case(pickle=pickle, matvec=lambda x, y: np.copyto(y, 2 * x))
    given["rows"] = pickle.loads(pickle.dumps(given["rows"]))
    made = follow(given, "pickle.dumps(A)", r"call (tridap\.Matrix\(.*?\)) with", "{}")
    assert (made @ given["b"] - given["A"] @ given["b"]).norm() == 0
    given["op"] = tridap.LinearOperator(given["matvec"], given["dist"])
    made = follow(given, "pickle.dumps(op)", r"call (tridap\.LinearOperator\(.*?\)) on", "{}")
    assert (made @ given["b"] - 2 * given["b"]).norm() == 0
    given["M"] = tridap.Preconditioner(given["A"])
    given["M"] = follow(given, "pickle.dumps(M)", r"call (tridap\.Preconditioner\(.*?\)) on", "{}")
    assert is_solved(given, tridap.solve(given["A"], given["b"], M=given["M"]))


@remedy("tridap.zeros(A.distribution, comm=A.comm) makes an array of the right form, and its local is the NumPy array to fill")
def test_a_list_as_a_right_hand_side():
    given = case(b=[1.0] * 5)
    values = given["b"]
    given["b"] = follow(given, "tridap.solve(A, b)", r": (tridap\.zeros\(.*?\)) makes", "{}")
    given["b"].local[:] = values
    assert is_solved(given, tridap.solve(given["A"], given["b"]))


@remedy("is a NumPy array, which does not say which part of the whole array it is: ")
def test_a_numpy_array_as_a_right_hand_side():
    given = case(b=np.ones(5))
    memory = given["b"]
    given["b"] = follow(given, "tridap.solve(A, b)", r": (tridap\.array\(.*?\)) makes", "{}")
    assert np.shares_memory(given["b"].local, memory)
    assert is_solved(given, tridap.solve(given["A"], given["b"]))


@several
@remedy("pass copy=if_needed, which copies ")
def test_padding_between_the_elements_of_a_vector():
    plain, padded = (tridap.distribution((2, 3 * P), ("*", tridap.block(padding=width)), processes=P) for width in (0, 1))
    (own,) = tridap.distribution(6 * P, processes=P).indices(COMM.rank)
    numbers = np.arange(6 * P).reshape(2, 3 * P)[np.ix_(*plain.indices(COMM.rank))].ravel()
    rows = scipy.sparse.csr_matrix((2.0 + numbers, (range(own.size), numbers)), shape=(own.size, 6 * P))
    given = case(rows=rows, A=tridap.Matrix(rows, plain), b=tridap.zeros(padded))
    given["b"].interior[...] = 1.0
    result = follow(given, "tridap.solve(A, b)", r"pass (copy=\S+?),", "tridap.solve(A, b, {})")
    assert result.converged and result.bytes_copied > 0


@remedy("pass order='K' to tridap.Matrix")
def test_a_mat_for_memory_in_another_order():
    PETSc = pytest.importorskip("petsc4py.PETSc")
    plane = tridap.distribution((2 * P, 3), ("b", "*"), processes=P)
    mat = PETSc.Mat().createAIJ(((6, 6 * P), (6, 6 * P)), comm=COMM)
    mat.setUp()
    first, last = mat.getOwnershipRange()
    for row in range(first, last):
        mat.setValue(row, row, 2.0 + row)
    mat.assemble()
    given = case(mat=mat, dist=tridap.zeros(plane, order="F"))
    made = follow(given, "tridap.Matrix(mat, dist)", r"pass (order='K') to", "tridap.Matrix(mat, dist, {})")
    ones = tridap.zeros(plane, order="F")
    ones.local[...] = 1.0
    product = made @ ones
    assert np.array_equal(product.local.ravel(order="F"), 2.0 + np.arange(first, last))
