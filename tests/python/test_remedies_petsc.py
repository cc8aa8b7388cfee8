"""What the errors of tridap.petsc advise is executed on the case that made them."""

import numpy as np
import pytest
import tridap
from petsc_systems import dense, lengths, mat_of
from petsc_systems import line as line_of_rows
from petsc_vecs import COMM, P, PETSc, R, empty_line, ghosted_vec, line, make_vec, nothing_is_left, numbered, petsc  # noqa: F401

from remedies import advice, follow, remedy, said_by

several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")


def case(**more):
    return {"tridap": tridap, "PETSc": PETSc, "comm": COMM, **more}


def plane(specs="b,*", order="C", rows=2 * P):
    return tridap.from_function(tridap.distribution((rows, 3), specs, processes=P), lambda i, j: 10.0 * i + j, order=order)


def grid(**more):
    """A DMDA of 3 x 2P points, distributed along y."""
    return PETSc.DMDA().create(sizes=(3, 2 * P), proc_sizes=(1, P), stencil_width=1, comm=COMM, **more)


def has_rows(vec, array):
    """Whether each process has the same elements in a Vec and an array."""
    return np.array_equal(vec.array_r, array.interior.ravel())


@several
@remedy("gather the distribution with gather_distribution()", "pass one Distribution on every process: dist = comm.bcast(dist)")
def test_distributions_that_differ():
    given = case(dist=tridap.distribution((4 * P + (R == P - 1),), processes=P))
    made = follow(given, "tridap.petsc.create_dmda(dist, comm)", r": (dist = comm\.bcast\(dist\))")
    assert made.getSizes() == (4 * P,)


@remedy("move the array to that distribution (in Python ")
def test_a_distribution_that_no_dmda_has():
    cyclic = tridap.distribution((2 * P, 3), "c,*", processes=P) if P > 1 else tridap.distribution((2, 3), ([[1, 0]], "*"))
    follow(case(dist=cyclic), "tridap.petsc.create_dmda(dist)", r": (dist = tridap\.petsc\.nearest\(dist\)), or")
    wide = follow(case(dist=cyclic), "tridap.petsc.create_dmda(dist, stencil_width=2, dof=True)", r": (dist = .*?\)), or")
    assert (wide.getStencilWidth(), wide.getDof()) == (2, 3)


@remedy("call DMSetUp first", "set it up")
def test_a_grid_that_is_not_set_up():
    dm = grid(setup=False)
    given = case(dm=dm, vec=make_vec(6))
    assert follow(given, "tridap.petsc.export_array(vec, dm)", r": (dm\.setUp\(\))$").shape == (2 * P, 3)


@remedy("use export_operator(), which", "use tridap.petsc.export_operator(mat), which")
def test_a_matrix_without_entries():
    n = sum(lengths())
    whole = dense(1, n)
    start = sum(lengths()[:R])

    def operator(x, y):
        y.local[...] = whole[start:start + lengths()[R]] @ x.allgather()

    for mat in petsc.make_shell(operator, line_of_rows()), mat_of(whole).convert("dense", PETSc.Mat()):
        op = follow(case(mat=mat), "tridap.petsc.export_matrix(mat)", r"use (tridap\.petsc\.export_operator\(mat\)), which", "{}")
        x = tridap.from_function(op.distribution, lambda i: 1.0 + i, comm=COMM)
        assert np.allclose((op @ x).allgather(), whole @ np.arange(1.0, n + 1))


@remedy("convert it to MATAIJ with MatConvert", "convert it")
def test_a_matrix_of_another_type():
    n = sum(lengths())
    whole = dense(2, n)
    given = case(mat=mat_of(whole).convert("dense", PETSc.Mat()))
    made = follow(given, "tridap.petsc.export_matrix(mat)", r": (mat\.convert\(\"aij\"\)), or")
    x = tridap.from_function(made.distribution, lambda i: 1.0 + i, comm=COMM)
    assert np.allclose((made @ x).allgather(), whole @ np.arange(1.0, n + 1))


@remedy("call MatAssemblyBegin and MatAssemblyEnd first", "assemble it")
def test_a_matrix_that_is_not_assembled():
    mat = PETSc.Mat().createAIJ(((2, 2 * P), (2, 2 * P)), nnz=1, comm=COMM)
    for row in range(*mat.getOwnershipRange()):
        mat.setValue(row, row, 1.0 + row)
    made = follow(case(mat=mat), "tridap.petsc.export_matrix(mat)", r": (mat\.assemble\(\))$")
    assert np.array_equal((made @ tridap.from_function(made.distribution, lambda i: 1.0, comm=COMM)).allgather(), np.arange(1.0, 2 * P + 1))


@remedy("set it up: mat.setSizes(size); mat.setUp()", "set it up: vec.setSizes(size); vec.setUp()")
def test_objects_without_a_type():
    given = case(mat=PETSc.Mat().create(COMM), vec=PETSc.Vec().create(COMM), size=3 * P)
    line_of_mat = r": (mat\.setSizes\(size\); mat\.setUp\(\))$"
    exec(advice(said_by(lambda: petsc.export_operator(given["mat"])), line_of_mat), given)
    given["mat"].assemble()
    assert petsc.export_operator(given["mat"]).shape == (3 * P, 3 * P)
    made = follow(given, "tridap.petsc.export_array(vec)", r": (vec\.setSizes\(size\); vec\.setUp\(\))$")
    assert made.shape == (3 * P,)


@remedy("set it with MatShellSetOperation(mat, MATOP_MULT, ...), or give a Mat that multiplies",
        "give a Mat that multiplies: mat = tridap.petsc.make_shell(operator, array)")
def test_a_matrix_that_does_not_multiply():
    mat = PETSc.Mat().create(COMM)
    mat.setSizes(((2, 2 * P), (2, 2 * P)))
    mat.setType("shell")
    mat.setUp()

    def operator(x, y):
        y.local[...] = 3 * x.local

    given = case(mat=mat, operator=operator, array=empty_line(2))
    op = follow(given, "tridap.petsc.export_operator(mat)", r": (mat = tridap\.petsc\.make_shell\(operator, array\))$")
    assert ((op @ tridap.from_function(op.distribution, lambda i: 1.0, comm=COMM)).allgather() == 3).all()


@remedy(": arrays = [tridap.petsc.export_array(block) for block in vec.getNestSubVecs()]")
def test_a_vec_of_several():
    given = case(vec=PETSc.Vec().createNest([numbered(make_vec(2)), make_vec(3)], comm=COMM))
    code = advice(said_by(lambda: petsc.export_array(given["vec"])), r": (arrays = \[.*\])$")
    exec(code, given)
    assert [array.shape for array in given["arrays"]] == [(2 * P,), (3 * P,)]
    assert given["arrays"][0].sum() == sum(3.0 * g + 1 for g in range(2 * P))


@remedy("before vec.setLGMap(mapping)")
def test_a_ghosted_vec_with_another_mapping():
    vec, ghosts = ghosted_vec()
    mapping = PETSc.LGMap().create(np.arange(3 * R + 3, 3 * R, -1, dtype=PETSc.IntType) - 1, comm=COMM)
    vec.setLGMap(mapping)
    code = advice(said_by(lambda: petsc.export_ghosted(vec)), r"before (vec\.setLGMap\(mapping\))$")
    given = case(vec=ghosted_vec()[0], mapping=mapping)
    array = petsc.export_ghosted(given["vec"])
    exec(code, given)
    assert array.ghosts.tolist() == ghosts


@remedy("pass a C-contiguous buffer (in Python array = ", ", or use copy_with_ghosts()")
def test_a_ghosted_array_in_another_memory_order():
    ghosts = [2 * r for r in range(P) if r != R]
    for local in (np.asfortranarray(np.arange(2.0 * (2 + len(ghosts))).reshape(-1, 2)), np.zeros((2 + len(ghosts), 4))[:, ::2]):
        given = case(array=tridap.GhostedArray(local, ghosts, comm=COMM))
        vec, receipt = follow(given, "tridap.petsc.import_ghosted(array)", r"buffer: (array = tridap\.GhostedArray\(.*\))$")
        assert np.array_equal(vec.array_r, local[:2].ravel()) and receipt.shared
        vec.destroy()


@remedy("use export_array(), and copy_with_ghosts() to give it ghosts", "make a copy with ghosts")
def test_a_vec_without_ghosts():
    given = case(vec=numbered(make_vec(2)), ghosts=[2 * r for r in range(P) if r != R])
    code = advice(said_by(lambda: petsc.export_ghosted(given["vec"])), r"ghosts: (array = .*\))$")
    exec(code, given)
    given["array"].update_ghosts()
    assert given["array"].local.tolist() == [3.0 * g + 1 for g in [2 * R, 2 * R + 1, *given["ghosts"]]]
    vec, _ = petsc.import_ghosted(given["array"])
    vec.destroy()


@remedy("give an array with the Vec's distribution (in Python array = ", "make a Vec of this array (in Python vec, ")
def test_an_array_that_is_longer_than_the_vec():
    vec = make_vec(3)
    if P > 1:
        uneven = tridap.distribution(3 * P, [tridap.block(starts=[min(4 * r, 3 * P) for r in range(P)])], processes=P)
        given = case(vec=vec, array=tridap.from_function(uneven, lambda i: 2.0 * i, comm=COMM))
        follow(given, "tridap.petsc.place_array(vec, array)", r": (array = array\.redistribute\(.*\))$")
        assert np.array_equal(vec.array_r, 2.0 * np.arange(3 * R, 3 * R + 3))
        petsc.reset_array(vec)
    for array in empty_line(4), plane(rows=3 * P):
        given = case(vec=vec, array=array)
        exec(advice(said_by(lambda: petsc.place_array(vec, array)), r": (vec, receipt = tridap\.petsc\.import_array\(array\))$"), given)
        assert given["receipt"].shared and given["vec"].getSize() == array.size
        given["vec"].destroy()


@remedy("give contiguous, writable memory (in Python array = ", "make a Vec of a copy (in Python vec, receipt = ")
def test_memory_that_is_not_copied():
    read_only = plane().local.copy()
    read_only.flags.writeable = False
    line_of_copy = r": (array = array\.copy\(order=\"C\"\))$"
    dm, vec = grid(), make_vec(6)
    for array in (tridap.array(read_only, plane().distribution, COMM), tridap.array(np.zeros((2, 6))[:, ::2], plane().distribution, COMM)):
        made, _ = follow(case(array=array, dm=dm), "tridap.petsc.import_array(array, dm)", line_of_copy)
        assert has_rows(made, array)
        made.destroy()
        follow(case(array=array, vec=vec), "tridap.petsc.place_array(vec, array)", line_of_copy)
        assert has_rows(vec, array)
        petsc.reset_array(vec)
    padded = tridap.from_function(tridap.distribution((2 * P, 3), [tridap.block(padding=1), "*"], (P, 1)), lambda i, j: 10.0 * i + j)
    if P > 1:
        given = case(vec=vec, array=padded)
        exec(advice(said_by(lambda: petsc.place_array(vec, padded)), r": (vec, receipt = .*\))$"), given)
        assert has_rows(given["vec"], padded)
        given["vec"].destroy()


@remedy("pass copy=if_needed, or an array with contiguous, writable memory", "pass copy=if_needed, or the DMDA whose local Vec")
def test_memory_that_no_vec_can_have():
    strided = tridap.array(np.arange(12.0).reshape(2, 6)[:, ::2], plane().distribution, COMM)
    periodic = tridap.from_function(tridap.distribution(2 * P + 2, [tridap.block(padding=1, periodic=True)], P), lambda i: 10.0 * i)
    padded = tridap.from_function(tridap.distribution((2 * P, 3), [tridap.block(padding=1), "*"], (P, 1)), lambda i, j: 10.0 * i + j)
    for array in (strided, periodic) + ((padded,) if P > 1 else ()):
        made, receipt = follow(case(array=array), "tridap.petsc.import_array(array)", r"pass (copy=\S+), or",
                               "tridap.petsc.import_array(array, {})")
        assert has_rows(made, array) and COMM.allreduce(receipt.bytes_copied) > 0
        made.destroy()
        ordering = follow(case(array=array), "tridap.petsc.make_ordering(array)", r"pass (copy=\S+), or",
                          "tridap.petsc.make_ordering(array, {})")
        ordering.destroy()


@remedy("convert the array first (in Python array = ")
def test_elements_of_another_type():
    given = case(array=plane().astype("f4"))
    made, _ = follow(given, "tridap.petsc.import_array(array)", r": (array = array\.astype\(\"float64\"\)), or")
    assert has_rows(made, given["array"])
    made.destroy()


@remedy("give a row-major array (in Python array = ")
def test_an_array_in_fortran_order_for_a_grid():
    given = case(array=plane(order="F"), dm=grid())
    made, _ = follow(dict(given), "tridap.petsc.import_array(array, dm)", r": (array = array\.copy\(order=\"C\"\)), or")
    assert has_rows(made, plane())
    made.destroy()


@remedy("move the array to the DMDA's distribution (in Python array = ", "make a DMDA of this distribution with create_dmda() (in Python dm = ",
        " with create_dmda()")
def test_an_array_that_has_not_the_places_of_a_grid():
    move = r": (array = array\.redistribute\(.*?, dm\)\.distribution\))"
    make = r": (dm = tridap\.petsc\.create_dmda\(.*?\))"
    call = "tridap.petsc.import_array(array, dm)"
    cyclic = tridap.distribution((2 * P, 3), "c,*", processes=P) if P > 1 else tridap.distribution((2, 3), ([[1, 0]], "*"))
    wide = tridap.distribution((2 * P, 3), [tridap.block(padding=1), "*"], (P, 1))
    for dist in cyclic, tridap.distribution((2 * P, 3), [tridap.block(starts=[0, *range(P + 1, 2 * P)]), "*"], (P, 1)):
        array = tridap.from_function(dist, lambda i, j: 10.0 * i + j, comm=COMM)
        if dist == plane().distribution:
            continue
        made, _ = follow(case(array=array, dm=grid()), call, move)
        assert has_rows(made, plane())
        made.destroy()
    for dof, dist in (1, tridap.distribution((3 * P, 3), "b,*", processes=P)), (2, tridap.distribution((3 * P, 4, 2), "b,*,*", processes=P)):
        array = tridap.from_function(dist, lambda i, j, k=0: 10.0 * i + j + k / 2, comm=COMM)
        dm = PETSc.DMDA().create(sizes=(3, 2 * P), proc_sizes=(1, P), dof=dof, stencil_width=1, comm=COMM)
        made, _ = follow(case(array=array, dm=dm), call, make)
        assert has_rows(made, array)
        made.destroy()
    if P > 1:  # padding that the grid has not at these borders
        array = tridap.from_function(wide, lambda i, j: 10.0 * i + j, comm=COMM)
        dm = PETSc.DMDA().create(sizes=(3, 2 * P), proc_sizes=(1, P), stencil_width=2, comm=COMM)
        for line_of_python in move, make:
            given = case(array=array, dm=dm)
            made, _ = follow(given, call, line_of_python)
            assert np.array_equal(petsc.export_array(made, given["dm"]).interior, array.interior)
            made.destroy()


@remedy("pass tridap.asarray(array, comm)", "array is of type …, must be a tridap.DistArray: ")
def test_an_object_that_is_described():
    array = plane()

    class Foreign:
        def __distarray__(self):
            return array.__distarray__()

    made, _ = follow(case(array=Foreign()), "tridap.petsc.import_array(array)", r"pass (tridap\.asarray\(array, comm\))",
                     "tridap.petsc.import_array({})")
    assert has_rows(made, array)
    made.destroy()
