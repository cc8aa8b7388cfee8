"""The order of a Matrix's rows: of local indices, or of the memory."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import tridap
from systems import Field, layouts, local_rows, matrix, numbers, right_hand_side, size, whole

LAYOUTS = list(layouts(1))


class Reversed(Field):
    """A Field whose first axis descends in memory."""

    def __init__(self, dist, rank, values=0.0, order="C"):
        super().__init__(dist, rank, values, order)
        self.memory = self.memory[::-1]


def rows_in(dense, dist, rank, order, memory):
    """The local rows in an order; "K" is that of memory, "reversed C" for example."""
    if order != "K":
        return local_rows(dense, dist, rank, order)
    if not memory.startswith("reversed"):
        return local_rows(dense, dist, rank, memory)
    ids = numbers(dist, rank).reshape([held.size for held in dist.indices(rank, "interior")])[::-1]
    return sp.csr_matrix(dense[ids.ravel(order=memory[-1])])


@pytest.mark.parametrize("order", "CFK")
@pytest.mark.parametrize("memory", ["C", "F", "reversed C", "reversed F"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_rows_have_the_order_that_is_said(comm, name, memory, order):
    dist = layouts(comm.size)[name]
    dense = matrix(size(dist), symmetric=False)
    array = (Reversed if memory.startswith("reversed") else Field)(dist, comm.rank, order=memory[-1])
    A = tridap.Matrix(rows_in(dense, dist, comm.rank, order, memory), array, comm, order=order)
    b, rhs = right_hand_side(dist, comm.rank)
    result = tridap.solve(A, b, method="direct", copy="if_needed")
    np.testing.assert_allclose(whole(comm, dist, result.x.interior), np.linalg.solve(dense, rhs), atol=1e-10)
    A.update_values(rows_in(3 * dense, dist, comm.rank, order, memory))
    result = tridap.solve(A, b, method="direct", copy="if_needed")
    np.testing.assert_allclose(whole(comm, dist, result.x.interior), np.linalg.solve(3 * dense, rhs), atol=1e-10)


@pytest.mark.parametrize("form", ["matrix", "arrays"])
def test_rows_in_the_order_of_ravel_fit_a_fortran_array(comm, form):
    """Rows in C order, and an array in Fortran order."""
    n = (6, 7, 8)
    dist = tridap.distribution(n)
    second = [sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(m, m)) for m in n]
    L = (sp.kron(sp.kron(second[0], sp.eye(n[1])), sp.eye(n[2])) + sp.kron(sp.kron(sp.eye(n[0]), second[1]), sp.eye(n[2])) +
         sp.kron(sp.kron(sp.eye(n[0]), sp.eye(n[1])), second[2]) + sp.diags(0.01 * np.arange(336))).tocsr()
    b = tridap.from_function(dist, lambda i, j, k: np.sin(1.0 * i + 2 * j + 3 * k), order="F")
    expected = np.linalg.solve(L.toarray(), b.allgather().ravel()).reshape(n)
    rows = L[np.ravel_multi_index(np.ix_(*dist.indices(comm.rank)), n).ravel()]
    A = tridap.Matrix(rows if form == "matrix" else (rows.data, rows.indices, rows.indptr), b)
    for how in dict(tol=1e-12), dict(method="gmres", tol=1e-12), dict(method="direct"):
        result = tridap.solve(A, b, **how)
        assert result.bytes_copied == 0 and np.abs(result.x.allgather() - expected).max() < 1e-10


def test_an_order_is_c_f_or_k(comm):
    dist = tridap.distribution((5, 4), processes=comm.size)
    rows = local_rows(matrix(20), dist, comm.rank)
    for wrong in "A", "c", "", None, 3, ["C"]:
        with pytest.raises(tridap.ProtocolError, match="'order' is .*, must be 'C', 'F' or 'K'"):
            tridap.Matrix(rows, dist, order=wrong if comm.rank == comm.size - 1 else "C")


def test_different_orders_are_refused_by_all(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    dist = tridap.distribution((5, 4), processes=comm.size)
    rows = local_rows(matrix(20), dist, comm.rank)
    for one, others in itertools.permutations("CFK", 2):
        with pytest.raises(tridap.ProtocolError, match=f"asks for order='[{one}{others}]'"):
            tridap.Matrix(rows, dist, order=one if comm.rank == 0 else others)


def test_processes_may_have_their_memory_in_different_orders(comm):
    dist = tridap.distribution((5, 6), processes=comm.size)
    dense = matrix(30, symmetric=False)
    array = Field(dist, comm.rank, order="CF"[comm.rank % 2])
    A = tridap.Matrix(local_rows(dense, dist, comm.rank), array, comm)
    b, rhs = right_hand_side(dist, comm.rank)
    result = tridap.solve(A, b, method="direct", copy="if_needed")
    np.testing.assert_allclose(whole(comm, dist, result.x.interior), np.linalg.solve(dense, rhs), atol=1e-10)


def test_an_operator_on_memory_in_another_order_is_refused(comm):
    dist = tridap.distribution((5 * comm.size, 4), ("b", "n"))
    rows = local_rows(matrix(20 * comm.size), dist, comm.rank)
    A, M = (tridap.Matrix(rows, Field(dist, comm.rank, order=order), comm) for order in "CF")
    with pytest.raises(tridap.ProtocolError, match="'M' is an operator on other rows"):
        tridap.solve(A, right_hand_side(dist, comm.rank)[0], M=M)
    with pytest.raises(tridap.ProtocolError, match="'M' is an operator on other rows"):
        tridap.eigsh(A, 2, M)
