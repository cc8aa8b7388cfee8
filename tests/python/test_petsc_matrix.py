"""tridap.petsc: PETSc's matrices and operators, against petsc4py's own answers."""

import gc

import numpy as np
import petsc4py
import pytest
import tridap
from mpi4py import MPI

petsc4py.init(["tests", "-no_signal_handler"])
from petsc4py import PETSc  # noqa: E402
from tridap import petsc  # noqa: E402

scipy_sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    gc.collect()
    petsc.collect()
    assert petsc.held() == (0, 0)


def lengths():
    """Rows of each process: uneven, and none on some."""
    return [0 if p % 4 == 2 else 3 + p for p in range(P)]


def dense(seed, n):
    """A whole random sparse matrix, the same on every process, with a full diagonal and an empty row beside it."""
    random = np.random.default_rng(seed)
    whole = np.where(random.random((n, n)) < 0.3, random.integers(-9, 10, (n, n)), 0).astype(float)
    whole[np.arange(n), np.arange(n)] = 30
    whole[n // 2] = 0
    return whole


def mat_of(whole, local=None):
    """A Mat, made entry by entry."""
    local = lengths() if local is None else local
    size = (local[R], sum(local))
    mat = PETSc.Mat().createAIJ((size, size), comm=COMM)
    mat.setUp()
    mat.setOption(PETSc.Mat.Option.NEW_NONZERO_ALLOCATION_ERR, False)
    start, stop = mat.getOwnershipRange()
    for i in range(start, stop):
        for j in np.flatnonzero(whole[i]):
            mat.setValue(i, j, whole[i, j])
    mat.assemble()
    return mat


def whole_of(mat):
    """The entries of a Mat on all processes."""
    indptr, indices, data = mat.getValuesCSR()
    here = np.zeros(mat.getSize())
    start, stop = mat.getOwnershipRange()
    here[start:stop] = scipy_sparse.csr_matrix((data, indices, indptr), (stop - start, mat.getSize()[1])).toarray()
    return COMM.allreduce(here)


def line():
    """An array with the rows of `lengths()`."""
    starts = np.cumsum([0] + lengths())
    return tridap.zeros(tridap.distribution((starts[-1],), [tridap.block(starts=list(starts[:-1]))], (P,)), comm=COMM)


def filled(array, values):
    array.local[...] = values
    return array


def vector(array):
    """Different values, and all of them on every process."""
    array.local[...] = np.arange(array.local.size).reshape(array.local.shape) % 7 + R + 1.0
    return np.concatenate(COMM.allgather(array.local.ravel()))


def product_of(matrix, array):
    """A matrix times vector(array), on every process."""
    return np.concatenate(COMM.allgather((matrix @ array).local.ravel()))


def refused(text, step):
    with pytest.raises(tridap.ProtocolError) as error:
        step()
    assert text in str(error.value), error.value
    assert len(set(COMM.allgather(str(error.value)))) == 1


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
    assert matrix.receipt.bytes_copied == 8 * np.count_nonzero(whole[R_slice()])
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
        assert receipt.bytes_copied == 8 * np.count_nonzero(whole[R_slice()])
        assert product_of(matrix, x).tolist() == (factor * whole @ values).tolist()
    rows = scipy_sparse.csr_matrix(5 * whole[R_slice()])
    matrix.update_values(rows)
    assert product_of(matrix, x).tolist() == (5 * whole @ values).tolist()
    order = np.concatenate([np.arange(*ends)[::-1] for ends in zip(rows.indptr, rows.indptr[1:])] or [[]]).astype(int)
    matrix.update_values((7 / 5 * rows.data[order], rows.indices[order], rows.indptr))
    assert np.allclose(product_of(matrix, x), 7 * whole @ values)


def R_slice():
    start = sum(lengths()[:R])
    return slice(start, start + lengths()[R])


@pytest.mark.parametrize("bad", range(P))
def test_another_pattern_is_refused_on_every_process(bad):
    n = sum(lengths())
    if lengths()[bad] == 0:
        return
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
        refused(text, lambda: matrix.update_values(scipy_sparse.csr_matrix(other[R_slice()])))
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
        return
    whole = np.eye(sum(lengths()))
    matrix = petsc.export_matrix(mat_of(whole))
    mat = mat_of(whole)
    with pytest.raises(tridap.ProtocolError):
        matrix.update_values(mat if R == 0 else scipy_sparse.csr_matrix(whole[R_slice()]))


@pytest.mark.parametrize("seed", range(4))
def test_a_matrix_becomes_a_mat(seed):
    whole = dense(seed, sum(lengths()))
    matrix = tridap.Matrix(scipy_sparse.csr_matrix(whole[R_slice()]), line())
    mat, receipt = petsc.import_matrix(matrix)
    assert mat.getType() in ("seqaij", "mpiaij")
    assert receipt.bytes_copied == matrix.receipt.bytes_copied == 8 * np.count_nonzero(whole[R_slice()])
    assert whole_of(mat).tolist() == whole.tolist()
    matrix.update_values(scipy_sparse.csr_matrix(4 * whole[R_slice()]))
    assert whole_of(mat).tolist() == whole.tolist()
    petsc.update_values(mat, matrix)
    assert whole_of(mat).tolist() == (4 * whole).tolist()


def test_the_numbers_of_a_mat_are_those_of_the_vec():
    """On blocks of a grid, row-major numbers and PETSc's differ."""
    dist = tridap.distribution((6, 5), ("b", "b"), processes=P)
    array = tridap.zeros(dist, comm=COMM)
    numbers = np.ravel_multi_index(np.ix_(*dist.indices(R)), dist.shape).ravel()
    whole = dense(3, 30)
    matrix = tridap.Matrix(scipy_sparse.csr_matrix(whole[numbers]), array)
    vector(array)
    expected = (matrix @ array).local.copy()
    mat, _ = petsc.import_matrix(matrix)
    vec, _ = petsc.import_array(array)
    product = mat.createVecLeft()
    mat.mult(vec, product)
    assert np.allclose(product.array, expected.ravel())
    for again in petsc.export_matrix(mat, array), tridap.Matrix(mat, array), tridap.Matrix(mat, dist, COMM):
        assert np.allclose((again @ array).local, expected)


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
    refused("MatConvert", lambda: petsc.export_matrix(converted))
    refused("the map of the rows has", lambda: petsc.export_matrix(
        mat, tridap.zeros(tridap.distribution((5 * P,), ("b",), processes=P), comm=COMM)))
    for wrong in None, 3, np.eye(2):
        with pytest.raises(TypeError):
            petsc.export_matrix(wrong)
        with pytest.raises(TypeError):
            petsc.import_matrix(wrong)


def spd(n):
    return 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)


@pytest.mark.parametrize("kind", ["aij", "dense", "shell"])
def test_a_mat_of_any_type_is_an_operator_of_solve(kind):
    n = sum(lengths())
    mat = mat_of(spd(n))
    if kind == "dense":
        mat = mat.convert("dense", PETSc.Mat())
    if kind == "shell":
        mat = petsc.make_shell(petsc.export_matrix(mat), line())
    operator = petsc.export_operator(mat)
    b = filled(line(), 1.0)
    found = tridap.solve(operator, b, tol=1e-12)
    i = np.arange(n)[R_slice()] + 1
    assert np.allclose(found.x.local, i * (n + 1 - i) / 2)
    assert found.bytes_copied == 0
    mat.destroy()
    assert np.allclose((operator @ found.x).local, 1)  # the operator keeps the Mat


def shells(array, whole):
    """The same operator in each form that make_shell takes."""
    def gathered(local):
        return whole[R_slice()] @ np.concatenate(COMM.allgather(local.ravel()))

    def function(x, y):
        assert isinstance(x, tridap.DistArray) and not x.local.flags.writeable
        assert x.distribution == y.distribution == array.distribution
        y.local[...] = gathered(x.local).reshape(y.local.shape)

    count = lengths()[R]
    yield function
    yield linalg.LinearOperator((count, count), matvec=gathered, dtype=float)
    yield tridap.Matrix(scipy_sparse.csr_matrix(whole[R_slice()]), array)
    yield tridap.LinearOperator(lambda x, y: np.copyto(y, gathered(x)), array)


@pytest.mark.parametrize("form", range(4))
def test_a_ksp_solves_with_a_shell(form):
    n = sum(lengths())
    array = line()
    mat = petsc.make_shell(list(shells(array, spd(n)))[form], array)
    assert mat.getType() == "shell"
    b, x = mat.createVecLeft(), mat.createVecRight()
    b.set(1)
    solver = PETSc.KSP().create(COMM)
    solver.setOperators(mat)
    solver.setType("cg")
    solver.getPC().setType("none")
    solver.setTolerances(rtol=1e-12, max_it=500)
    solver.solve(b, x)
    i = np.arange(n)[R_slice()] + 1
    assert np.allclose(x.array, i * (n + 1 - i) / 2)
    solver.destroy()
    mat.destroy()


def test_a_shell_works_in_petscs_memory():
    array = line()
    addresses = []

    def function(x, y):
        addresses.append((x.local.ctypes.data, y.local.ctypes.data))
        y.local[...] = 2 * x.local

    mat = petsc.make_shell(function, array)
    x, y = mat.createVecs()
    x.set(3)
    mat.mult(x, y)
    assert y.array.tolist() == [6.0] * lengths()[R]
    assert array.local.size == 0 or addresses == [(x.array.ctypes.data, y.array.ctypes.data)]


def test_a_shell_over_blocks_of_a_grid_in_both_memory_orders():
    dist = tridap.distribution((6, 5), ("b", "b"), processes=P)
    for order in "C", "F":
        local = np.zeros(dist.local_shape(R), order=order)
        array = tridap._core._over(local, dist, R, COMM)
        seen = []

        def function(x, y):
            seen.append(x.local.copy())
            y.local[...] = x.local + 1

        mat = petsc.make_shell(function, array)
        vector(array)
        vec, _ = petsc.import_array(array)
        y = vec.duplicate()
        mat.mult(vec, y)
        assert seen[0].tolist() == array.local.tolist()
        assert y.array.tolist() == (vec.array + 1).tolist()
        size = local.size
        flat = petsc.make_shell(linalg.LinearOperator((size, size), matvec=lambda v: v * np.arange(size), dtype=float), array)
        flat.mult(vec, y)
        assert y.array.tolist() == (vec.array * np.arange(size)).tolist()


@pytest.mark.parametrize("bad", range(P))
def test_what_one_process_raises_is_raised_on_all(bad):
    array = line()

    def function(x, y):
        if R == bad:
            raise KeyError("no product here")
        y.local[...] = x.local

    for operator in function, tridap.LinearOperator(lambda x, y: function_on(bad, x, y), array):
        mat = petsc.make_shell(operator, array)
        x, y = mat.createVecs()
        x.set(1)
        with pytest.raises((tridap.ProtocolError, KeyError), match="no product here"):
            mat.mult(x, y)
        through = petsc.export_operator(mat, array)
        with pytest.raises(Exception, match="no product here"):
            through @ array
        del through
        mat.destroy()


def function_on(bad, x, y):
    if R == bad:
        raise KeyError("no product here")
    y[...] = x


def test_a_shell_refuses_what_it_cannot_use():
    array = line()
    refused("must be a function", lambda: petsc.make_shell(3, array))
    refused("must be a tridap.DistArray", lambda: petsc.make_shell(print, np.zeros(3)))
    padded = tridap.zeros(tridap.distribution((4 * P,), [tridap.block(padding=1, periodic=True)], (P,)), comm=COMM)
    refused("the array has padding", lambda: petsc.make_shell(print, padded))
    mat = petsc.make_shell(lambda x, y: x, array)
    x, y = mat.createVecs()
    x.set(1)
    with pytest.raises(Exception, match="must write the product to its second argument"):
        mat.mult(x, y)


def test_a_shell_whose_array_does_not_fit_is_refused():
    mat = mat_of(np.eye(sum(lengths())))
    other = tridap.zeros(tridap.distribution((5 * P,), ("b",), processes=P), comm=COMM)
    refused("one for each row of the Mat", lambda: petsc.export_operator(mat, other))
    wide = PETSc.Mat().createAIJ(((1, P), (2, 2 * P)), comm=COMM)
    wide.setUp()
    wide.assemble()
    refused("must be square", lambda: petsc.export_operator(wide))


def test_elements_that_a_shell_does_not_write_are_no_numbers():
    mat = petsc.make_shell(lambda x, y: None, line())
    x, y = mat.createVecs()
    x.set(1)
    mat.mult(x, y)
    assert np.isnan(y.array).all()


def test_a_mat_on_some_processes_needs_an_array_with_their_communicator():
    some = COMM.Split(R % 2)
    mat = PETSc.Mat().createAIJ(((2, 2 * some.size), (2, 2 * some.size)), comm=some)
    mat.setUp()
    for i in range(*mat.getOwnershipRange()):
        mat.setValue(i, i, 3 + i)
    mat.assemble()
    array = filled(tridap.zeros(tridap.distribution((2 * some.size,), ("b",), processes=some.size), comm=some), 1.0)
    if 1 < some.size < P:
        for function in petsc.export_matrix, petsc.export_operator:
            with pytest.raises(ValueError, match="PETSc frees the communicator of the Mat"):
                function(mat)
    expected = [3.0 + i for i in range(*mat.getOwnershipRange())]
    matrix = petsc.export_matrix(mat, array)
    operator = petsc.export_operator(mat, array)
    assert (operator @ array).local.tolist() == expected
    del operator
    mat.destroy()
    assert (matrix @ array).local.tolist() == expected
    made, _ = petsc.import_matrix(matrix)
    assert made.getDiagonal().array.tolist() == expected
    made.destroy()
    del matrix, array
    some.Free()
