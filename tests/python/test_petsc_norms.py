"""tridap.petsc: norms that PETSc keeps of a Vec, after our calls have changed its elements."""

import numpy as np
import pytest
import tridap
from petsc_vecs import COMM, P, PETSc, R, empty_line, ghosted_vec, line, make_vec, nothing_is_left, numbered, petsc  # noqa: F401
from systems import second_difference


def imported():
    array = tridap.from_function(line(5), lambda i: 1.0 + i, comm=COMM)
    return petsc.import_array(array)[0], array


def exported():
    vec = numbered(make_vec(5))
    return vec, petsc.export_array(vec)


def taken():
    vec = numbered(make_vec(5))
    return vec, tridap.asarray(vec, COMM)


def placed():
    vec = make_vec(5)
    array = tridap.from_function(line(5), lambda i: 1.0 + i, comm=COMM)
    petsc.place_array(vec, array)
    return vec, array


def twice():
    vec, array = imported()
    return vec, petsc.export_array(vec)


def other(array):
    return tridap.from_function(tridap.distribution(array.shape, "c", processes=P), lambda i: 7.0 * i, comm=COMM)


WRITES = {
    "in place": "x *= 2", "a part": "x[2:9] = 100.0", "an element": "x[1] = 100.0", "by a mask": "x[x > 3] = -1.0",
    "a part that is kept": "part = x[1:]; part += 1", "a part of a part": "part = x[1:][::2].real; part += 1",
    "NumPy's real part": "part = np.real(x); part += 1", "by out": "np.add(x, 1, out=x)", "by clip": "np.clip(x, 2, 3, out=x)",
    "by copyto": "np.copyto(x, 5.0)", "by redistribute": "tridap.redistribute(other(x), out=x)",
    "by a plan": "y = other(x); tridap.Redistribution(y, x)(y, x)", "by a plan of several": "y = other(x); tridap.Redistribution(y, x)([(y, x)])",
    "by a started plan": "y = other(x); tridap.Redistribution(y, x).start(y, x).wait()", "by a solve": "tridap.solve(A, x.copy(), x)"}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("made", [imported, exported, taken, placed, twice])
def test_petsc_forgets_norms_that_our_calls_change(made, write):
    vec, array = made()
    before = vec.norm(PETSc.NormType.NORM_1)
    exec(WRITES[write], {"x": array, "np": np, "tridap": tridap, "other": other, "A": second_difference(array.distribution, COMM, 2.1)})
    after = vec.norm(PETSc.NormType.NORM_1)  # collective, also if a process has none of the elements
    assert after == pytest.approx(abs(array).sum())
    assert after != before


def test_petsc_forgets_norms_that_a_solve_for_a_vec_changes():
    vec, other_vec = numbered(make_vec(5)), make_vec(5)
    A = second_difference(tridap.asarray(vec, COMM).distribution, COMM, 2.1)
    assert other_vec.norm() == 0
    result = tridap.solve(A, vec, other_vec)  # it holds an array over the Vec
    assert other_vec.norm() == pytest.approx(result.x.norm()) and result.x.norm() > 0


def test_petsc_forgets_norms_that_ufuncs_change_and_raise():
    vec, array = imported()
    vec.norm(PETSc.NormType.NORM_1)
    divisor = tridap.zeros(array.distribution, comm=COMM)
    divisor.local[...] = 2.0
    if R == 0:
        divisor.local[0] = 0
    with np.errstate(divide="raise"):
        try:
            array /= divisor
        except FloatingPointError:
            assert R == 0
    array[:1] = 0.0
    assert vec.norm(PETSc.NormType.NORM_1) == pytest.approx(array.sum())


def test_petsc_forgets_norms_that_eigsh_changes():
    X = tridap.zeros(tridap.distribution((8 * P, 2), "b,*"), comm=COMM, order="F")
    vec, _ = petsc.import_array(X)
    assert vec.norm() == 0
    tridap.eigsh(second_difference(line(8), COMM, 2.1), which="SA", X=X, tol=1e-6)
    assert vec.norm() == pytest.approx(X.norm()) and X.norm() > 1


def test_petsc_forgets_norms_that_padding_changes():
    grid = PETSc.DMDA().create([4 * P, 6], stencil_width=1, boundary_type=["periodic", "periodic"], comm=COMM)
    local = grid.createLocalVec()
    array = petsc.export_array(local, grid)
    array.interior[...] = 1
    local.stateIncrease()
    inside = local.norm(PETSc.NormType.NORM_1)
    assert inside == array.interior.size
    array.update_padding()
    assert local.norm(PETSc.NormType.NORM_1) == array.local.size > inside


@pytest.mark.parametrize("imports", [False, True])
def test_petsc_forgets_norms_that_ghosts_change(imports):
    if P == 1:
        pytest.skip("needs at least 2 processes")
    ghost = [(3 * R + 3) % (3 * P)]
    if imports:
        array = tridap.GhostedArray(np.ones(4), ghost, comm=COMM)
        vec, _ = petsc.import_ghosted(array)
    else:
        vec = PETSc.Vec().createGhost(ghost, (3, PETSc.DETERMINE), comm=COMM)
        vec.set(1)
        array = petsc.export_ghosted(vec)
        array.local[...] = 1
    assert vec.norm(PETSc.NormType.NORM_1) == 3 * P
    array.sum_ghosts()
    assert vec.norm(PETSc.NormType.NORM_1) == 4 * P
    doubled = tridap.asarray(array, COMM)
    doubled *= 2
    assert vec.norm(PETSc.NormType.NORM_1) == 8 * P


def test_petsc_forgets_norms_that_scalapack_changes():
    pytest.importorskip("tridap._scalapack", reason="this build has no ScaLAPACK")
    n = 4 * P
    dist = tridap.scalapack.squares((n, n))
    array = tridap.from_function(dist, lambda i, j: np.where(i == j, 4.0, 1 / (2.0 + abs(i - j))), comm=COMM, order="F")
    vec, _ = petsc.import_array(array)
    before = vec.norm()
    factor = tridap.scalapack.cholesky(array, lower=True, overwrite_a=True)
    assert vec.norm() == pytest.approx(array.norm()) and vec.norm() != before
    factor *= 2  # it has the memory of the array
    assert vec.norm() == pytest.approx(array.norm())


def test_an_array_outlives_the_vecs_over_it():
    vec, array = imported()
    copy = vec.duplicate()
    copy.set(1)
    assert copy.norm(PETSc.NormType.NORM_1) == 5 * P
    vec.destroy()
    array *= 2
    copy.stateIncrease()
    assert copy.norm(PETSc.NormType.NORM_1) == 5 * P
    for _ in range(20):  # PETSc lets few functions be called at the end of an object
        assert petsc.export_array(copy).sum() == 5 * P
    copy.destroy()
    array *= 2


def test_numpys_writes_are_told_to_petsc_by_the_user():
    vec, array = imported()
    old = vec.norm(PETSc.NormType.NORM_1)
    array.local[...] = 0
    assert vec.norm(PETSc.NormType.NORM_1) == old, "if PETSc sees them, the page is wrong"
    vec.stateIncrease()
    assert vec.norm(PETSc.NormType.NORM_1) == 0
