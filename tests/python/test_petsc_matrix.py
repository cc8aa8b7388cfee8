"""tridap.petsc: PETSc's matrices, against petsc4py's own answers."""

import numpy as np
import pytest
import tridap
from petsc_systems import (COMM, P, R, dense, filled, lengths, line, mat_of, own_rows, product_of, refused, vector,
                           whole_of)
from petsc_vecs import nothing_is_left  # noqa: F401
from petsc4py import PETSc
from tridap import petsc

scipy_sparse = pytest.importorskip("scipy.sparse")


@pytest.mark.parametrize("with_rows", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_mat_becomes_a_matrix(seed, with_rows):
    whole = dense(seed, sum(lengths()))
    x = line()
    mat = mat_of(whole)
    matrix = petsc.export_matrix(mat, x) if with_rows else petsc.export_matrix(mat)
    mat.destroy()  # the values were copied
    values = vector(x)
    assert product_of(matrix, x).tolist() == (whole @ values).tolist()
    assert matrix.distribution == x.distribution
    assert matrix.receipt.bytes_copied == 8 * np.count_nonzero(whole[own_rows()])
    assert not matrix.receipt.shared and not matrix.receipt.losses


def test_the_receipt_names_what_a_matrix_does_not_have():
    mat = mat_of(np.eye(sum(lengths())))
    mat.setNullSpace(PETSc.NullSpace().create(constant=True, comm=COMM))
    assert petsc.export_matrix(mat).receipt.losses == ("the null space",)


@pytest.mark.parametrize("seed", range(4))
def test_new_values_need_no_new_matrix(seed):
    whole = dense(seed, sum(lengths()))
    x = line()
    values = vector(x)
    matrix = petsc.export_matrix(mat_of(whole), x)
    for factor in 2, -3:
        receipt = matrix.update_values(mat_of(factor * whole))
        assert receipt.bytes_copied == 8 * np.count_nonzero(whole[own_rows()])
        assert product_of(matrix, x).tolist() == (factor * whole @ values).tolist()
    rows = scipy_sparse.csr_matrix(5 * whole[own_rows()])
    matrix.update_values(rows)
    assert product_of(matrix, x).tolist() == (5 * whole @ values).tolist()
    order = np.concatenate([np.arange(*ends)[::-1] for ends in zip(rows.indptr, rows.indptr[1:])] or [[]]).astype(int)
    matrix.update_values((7 / 5 * rows.data[order], rows.indices[order], rows.indptr))
    assert np.allclose(product_of(matrix, x), 7 * whole @ values)


@pytest.mark.parametrize("bad", [rank for rank in range(P) if lengths()[rank] > 0])
def test_another_pattern_is_refused_on_every_process(bad):
    n = sum(lengths())
    whole = np.eye(n)
    x = line()
    values = vector(x)
    matrix = petsc.export_matrix(mat_of(whole), x)
    row = sum(lengths()[:bad])
    more, less = 3 * whole, 3 * whole
    more[row, (row + 1) % n] = 1
    less[row, row] = 0
    for other, text in (more, f"a new entry in column {(row + 1) % n}"), (less, f"no entry in column {row}"):
        refused(text, lambda: matrix.update_values(mat_of(other)))
        refused(text, lambda: matrix.update_values(scipy_sparse.csr_matrix(other[own_rows()])))
        assert product_of(matrix, x).tolist() == values.tolist()  # nothing was changed


def test_kept_preconditioners_and_factors_are_made_again():
    n = sum(lengths())
    matrix = petsc.export_matrix(mat_of(2 * np.eye(n)))
    b = filled(line(), 8.0)
    for options in {"method": "direct"}, {"M": "ifpack2"}:
        matrix.update_values(mat_of(2 * np.eye(n)))
        assert np.allclose(tridap.solve(matrix, b, **options).x.local, 4)
        matrix.update_values(mat_of(16 * np.eye(n)))
        found = tridap.solve(matrix, b, **options)
        assert np.allclose(found.x.local, 0.5) and found.converged


def test_different_kinds_of_rows_are_refused():
    if P == 1:
        pytest.skip("needs at least 2 processes")
    whole = np.eye(sum(lengths()))
    matrix = petsc.export_matrix(mat_of(whole))
    mat = mat_of(whole)
    with pytest.raises(tridap.ProtocolError):
        matrix.update_values(mat if R == 0 else scipy_sparse.csr_matrix(whole[own_rows()]))


@pytest.mark.parametrize("seed", range(4))
def test_a_matrix_becomes_a_mat(seed):
    whole = dense(seed, sum(lengths()))
    matrix = tridap.Matrix(scipy_sparse.csr_matrix(whole[own_rows()]), line())
    mat, receipt = petsc.import_matrix(matrix)
    assert mat.getType() in ("seqaij", "mpiaij")
    assert receipt.bytes_copied == matrix.receipt.bytes_copied == 8 * np.count_nonzero(whole[own_rows()])
    assert whole_of(mat).tolist() == whole.tolist()
    matrix.update_values(scipy_sparse.csr_matrix(4 * whole[own_rows()]))
    assert whole_of(mat).tolist() == whole.tolist()
    petsc.update_values(mat, matrix)
    assert whole_of(mat).tolist() == (4 * whole).tolist()


def multiplied(matrix, array, order):
    """The Mat of a matrix, and the product with an array, which PETSc computes too."""
    vector(array)
    expected = (matrix @ array).local.copy()
    mat, _ = petsc.import_matrix(matrix)
    vec, _ = petsc.import_array(array)
    product = mat.createVecLeft()
    mat.mult(vec, product)
    assert np.allclose(product.array, expected.ravel(order=order))
    return mat, expected


def test_the_numbers_of_a_mat_are_those_of_the_vec():
    """On blocks of a grid, row-major numbers and PETSc's differ."""
    dist = tridap.distribution((6, 5), ("b", "b"), processes=P)
    array = tridap.zeros(dist, comm=COMM)
    numbers = np.ravel_multi_index(np.ix_(*dist.indices(R)), dist.shape).ravel()
    whole = dense(3, 30)
    matrix = tridap.Matrix(scipy_sparse.csr_matrix(whole[numbers]), array)
    mat, expected = multiplied(matrix, array, "C")
    for again in petsc.export_matrix(mat, array), tridap.Matrix(mat, array), tridap.Matrix(mat, dist, COMM):
        assert np.allclose((again @ array).local, expected)


def test_a_mat_has_its_rows_in_the_order_of_the_memory():
    dist = tridap.distribution((6, 2 * P), ("*", "b"), processes=P)
    array = tridap.zeros(dist, comm=COMM, order="F")
    numbers = np.ravel_multi_index(np.ix_(*dist.indices(R)), dist.shape)
    whole = dense(3, 12 * P)
    matrix = tridap.Matrix(scipy_sparse.csr_matrix(whole[numbers.ravel()]), array)
    mat, expected = multiplied(matrix, array, "F")
    by_memory = petsc.export_matrix(mat, array)
    for again in by_memory, tridap.Matrix(mat, array, order="K"), tridap.Matrix(mat, array, order="F"):
        assert np.allclose((again @ array).local, expected)
    refused("with order='C', and the memory of the array has its elements in another order", lambda: tridap.Matrix(mat, array))
    refused("pass order='K' to tridap.Matrix", lambda: tridap.Matrix(mat, array))
    refused("with order='C'", lambda: matrix.update_values(mat))
    by_memory.update_values(scipy_sparse.csr_matrix(2 * whole[numbers.ravel(order="F")]))
    assert np.allclose((by_memory @ array).local, 2 * expected)
    by_memory.update_values(mat)
    assert np.allclose((by_memory @ array).local, expected)


def test_a_matrix_over_a_dmda_fits_the_grids_array():
    grid = PETSc.DMDA().create([5, 4, 7], stencil_width=1, stencil_type=PETSc.DMDA.StencilType.STAR, comm=COMM)
    mat, b, x = grid.createMatrix(), grid.createGlobalVec(), grid.createGlobalVec()
    indptr, indices, data = mat.getValuesCSR()
    mat.setValuesCSR(indptr, indices, np.where(
        indices == np.repeat(np.arange(*mat.getOwnershipRange()), np.diff(indptr)), 7.0, -1.0))
    mat.assemble()
    b.setRandom()
    right, left = petsc.export_array(b, grid), petsc.export_array(x, grid)
    matrix = petsc.export_matrix(mat, left)
    made = tridap.solve(matrix, right, left, M="muelu", tol=1e-12)
    assert made.converged and made.bytes_copied == 0
    del right, left, made
    residual = b.duplicate()
    mat.mult(x, residual)
    residual.axpy(-1, b)
    assert residual.norm() <= 1e-11 * b.norm()


def test_a_mat_of_another_type_is_refused_with_what_to_do():
    mat = mat_of(np.eye(sum(lengths())))
    converted = mat.convert("dense", PETSc.Mat())
    refused("must be of type seqaij or mpiaij", lambda: petsc.export_matrix(converted))
    refused("convert it: mat.convert", lambda: petsc.export_matrix(converted))
    refused("the map of the rows has", lambda: petsc.export_matrix(
        mat, tridap.zeros(tridap.distribution((5 * P,), ("b",), processes=P), comm=COMM)))
    for wrong in None, 3, np.eye(2):
        with pytest.raises(TypeError):
            petsc.export_matrix(wrong)
        with pytest.raises(TypeError):
            petsc.import_matrix(wrong)


@pytest.mark.parametrize("export", [petsc.export_matrix, petsc.export_operator])
def test_a_mat_that_is_not_set_up_says_so(export):
    refused("set it up: mat.setSizes(size); mat.setUp()", lambda: export(PETSc.Mat().create(COMM)))
