"""tridap.petsc: PETSc's operators, against petsc4py's own answers."""

import numpy as np
import pytest
import tridap
from petsc_systems import COMM, P, R, filled, lengths, line, mat_of, own_rows, refused, vector
from petsc_vecs import nothing_is_left  # noqa: F401
from petsc4py import PETSc
from tridap import petsc

scipy_sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")


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
    i = np.arange(n)[own_rows()] + 1
    assert np.allclose(found.x.local, i * (n + 1 - i) / 2)
    assert found.bytes_copied == 0
    mat.destroy()
    assert np.allclose((operator @ found.x).local, 1)  # the operator keeps the Mat


def shells(array, whole):
    """The same operator in each form that make_shell takes."""
    def gathered(local):
        return whole[own_rows()] @ np.concatenate(COMM.allgather(local.ravel()))

    def function(x, y):
        assert isinstance(x, tridap.DistArray) and not x.local.flags.writeable
        assert x.distribution == y.distribution == array.distribution
        y.local[...] = gathered(x.local).reshape(y.local.shape)

    count = lengths()[R]
    yield function
    yield linalg.LinearOperator((count, count), matvec=gathered, dtype=float)
    yield tridap.Matrix(scipy_sparse.csr_matrix(whole[own_rows()]), array)
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
    i = np.arange(n)[own_rows()] + 1
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
        by_place = linalg.LinearOperator((size, size), matvec=lambda v: v * np.arange(size), dtype=float)
        flat = petsc.make_shell(by_place, array)
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
        with pytest.raises((tridap.ProtocolError, KeyError, PETSc.Error)) as raised:
            mat.mult(x, y)
        error = raised.value.__cause__ if isinstance(raised.value, PETSc.Error) else raised.value  # 3.25 wraps it
        assert isinstance(error, (tridap.ProtocolError, KeyError)) and "no product here" in str(error)
        del raised, error
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


def test_a_mat_that_does_not_fit_its_array_is_refused():
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


def test_a_mat_on_some_processes_gives_what_outlives_it():
    some = COMM.Split(R % 2)
    mat = PETSc.Mat().createAIJ(((2, 2 * some.size), (2, 2 * some.size)), comm=some)
    mat.setUp()
    for i in range(*mat.getOwnershipRange()):
        mat.setValue(i, i, 3 + i)
    mat.assemble()
    array = filled(tridap.zeros(tridap.distribution((2 * some.size,), ("b",), processes=some.size), comm=some), 1.0)
    expected = [3.0 + i for i in range(*mat.getOwnershipRange())]
    matrix, of_mat = petsc.export_matrix(mat, array), petsc.export_matrix(mat)
    for operator in petsc.export_operator(mat, array), petsc.export_operator(mat):
        assert (operator @ array).local.tolist() == expected
    del operator
    mat.destroy()
    petsc.collect()
    other = some.Dup()  # may have the handle of what PETSc freed
    for made in matrix, of_mat:
        assert (made @ array).local.tolist() == expected
    other.Free()
    made, _ = petsc.import_matrix(matrix)
    assert made.getDiagonal().array.tolist() == expected
    made.destroy()
    del matrix, array
    some.Free()
