"""tridap.petsc: PETSc's objects as arrays and arrays as PETSc's objects, against petsc4py's own answers."""

import gc
import inspect
import itertools

import numpy as np
import pytest
import scipy.sparse
import tridap
from mpi4py import MPI
from petsc_vecs import COMM, P, PETSc, R, empty_line, ghosted_vec, line, make_vec, nothing_is_left, numbered, petsc  # noqa: F401


def grids(ndim):
    return [g for g in itertools.product(range(1, P + 1), repeat=ndim) if np.prod(g) == P]


def test_every_public_name_is_documented():
    for name in petsc.__all__:
        assert inspect.getdoc(getattr(petsc, name)), name


@pytest.mark.parametrize("lengths", ["equal", "uneven", "some empty"])
def test_a_vec_is_an_array_in_its_memory(lengths):
    local = {"equal": 4, "uneven": 2 + R, "some empty": 3 * (R % 2)}[lengths]
    vec = numbered(make_vec(local))
    for array in petsc.export_array(vec), tridap.asarray(vec), tridap.asarray(vec, COMM):
        numbered(vec)
        start, stop = vec.getOwnershipRange()
        assert array.local.tolist() == (3.0 * np.arange(start, stop) + 1).tolist()
        if array.comm is not None:
            ranges = vec.getOwnershipRanges()
            assert array.distribution.shape == (vec.size,)
            assert [array.distribution.owner((g,)) for g in range(vec.size)] == [
                r for r in range(P) for _ in range(ranges[r], ranges[r + 1])]
        array.local[...] += 1
        assert array.local.tolist() == vec.getValues(np.arange(start, stop, dtype=PETSc.IntType)).tolist()
    del array


def test_a_read_only_array():
    vec = numbered(make_vec(3))
    assert not petsc.export_array(vec, read_only=True).local.flags.writeable
    assert petsc.export_array(vec).local.flags.writeable


def test_the_array_outlives_the_vec():
    vec = numbered(make_vec(3))
    array = petsc.export_array(vec)
    vec.destroy()
    del vec
    assert array.local.tolist() == [9.0 * R + 1, 9.0 * R + 4, 9.0 * R + 7]
    assert petsc.held() == (1, 0)
    local = array.local  # NumPy's array keeps it too
    del array
    assert petsc.held() == (1, 0)
    del local
    assert petsc.held() == (0, 1)
    assert petsc.collect() == 1


def test_an_array_is_a_vec_in_its_memory():
    array = empty_line(5)
    array.local[...] = 5 * R + np.arange(5)
    vec, receipt = petsc.import_array(array)
    assert receipt.shared and receipt.bytes_copied == 0 and not receipt.losses
    assert vec.norm(PETSc.NormType.NORM_1) == sum(range(5 * P))
    vec.set(7)
    assert array.local.tolist() == [7.0] * 5
    local = array.local
    del array
    vec.shift(1)
    assert local.tolist() == [8.0] * 5
    vec.destroy()


def test_the_ordering_does_not_count_mirrors():
    for grid in grids(2):
        specs = [tridap.block(padding=1, periodic=True), tridap.block(padding=2, periodic=True)]
        array = tridap.empty(tridap.distribution((2 * P + 2, 2 * P + 4), specs, grid), comm=COMM)
        for local in np.ndindex(array.local.shape):
            i, j = array.global_index(local)
            array.local[local] = 2 * P * (i - 1) + j - 2
        vec, _ = petsc.import_array(array, copy="if_needed")
        ordering = petsc.make_ordering(array, copy="if_needed")
        mine = array.interior.astype(PETSc.IntType).ravel()
        assert COMM.allreduce(mine.sum()) == sum(range(4 * P * P))
        assert vec.getValues(ordering.app2petsc(mine.copy())).tolist() == mine.tolist()
        vec.destroy()
        ordering.destroy()


@pytest.mark.parametrize("kinds", itertools.product("bcu", repeat=2), ids="".join)
def test_the_ordering_converts_row_major_numbers(kinds):
    for grid in grids(2):
        shape = (5, 6)
        specs = []
        for kind, size, p in zip(kinds, shape, grid):
            lists = [list(range(size))[::-1][c::p] for c in range(p)]
            specs.append({"b": tridap.block(), "c": tridap.cyclic(2),
                          "u": tridap.unstructured(lists, one_to_one=True)}[kind])
        array = tridap.empty(tridap.distribution(shape, specs, grid), comm=COMM)
        for local in np.ndindex(array.local.shape):
            i, j = array.global_index(local)
            array.local[local] = 6 * i + j
        vec, receipt = petsc.import_array(array)
        ordering = petsc.make_ordering(array)
        mine = array.local.astype(PETSc.IntType).ravel()
        numbers = ordering.app2petsc(mine.copy())
        assert vec.getValues(numbers).tolist() == mine.tolist()
        if not receipt.losses:
            start, stop = vec.getOwnershipRange()
            assert mine.tolist() == list(range(start, stop))
        vec.destroy()
        ordering.destroy()


def test_the_memory_of_another_library_stays_as_long_as_the_vec():
    local = np.arange(3.0) + R
    array = tridap.asarray({"__version__": "0.10.0", "buffer": local, "dim_data": line(3).dim_data(R)}, COMM)
    vec, _ = petsc.import_array(array)
    expected = local.tolist()
    del array, local
    gc.collect()
    assert vec.getArray().tolist() == expected
    vec.destroy()


def test_one_vec_for_several_arrays():
    vec = make_vec(2)
    vec.set(9)
    for turn in range(3):
        array = empty_line(2)
        array.local[...] = turn
        assert petsc.place_array(vec, array).bytes_copied == 0
        assert vec.sum() == 2 * P * turn
        petsc.reset_array(vec)
        assert vec.sum() == 18 * P
    with pytest.raises(tridap.ProtocolError, match="2 elements on this process, and the array has 3"):
        petsc.place_array(vec, empty_line(3))


@pytest.mark.parametrize("block", [1, 2])
def test_a_ghosted_vec_is_a_ghosted_array_in_its_memory(block):
    vec, ghosts = ghosted_vec(block)
    array = petsc.export_ghosted(vec)
    assert array.ghosts.tolist() == ghosts
    assert array.local.shape == ((3 + P - 1,) if block == 1 else (3 + P - 1, block))
    array.update_ghosts()
    with vec.localForm() as local:  # PETSc sees what we wrote
        seen = local.array_r.reshape(array.local.shape).copy()
    vec.ghostUpdate()
    with vec.localForm() as local:
        assert np.array_equal(local.array_r.reshape(array.local.shape), seen)
    assert np.array_equal(seen[3:].ravel(), [3 * (g * block + k) + 1 for g in ghosts for k in range(block)])
    array.sum_ghosts()
    assert array.local.ravel()[0] == (3 * (3 * R * block) + 1) * P
    vec.destroy()


def test_a_ghosted_array_is_a_ghosted_vec_in_its_memory():
    ghosts = [3 * r for r in range(P) if r != R]
    memory = np.full(3 + len(ghosts), -1.0)
    memory[:3] = 10 * R + np.arange(3)
    array = tridap.GhostedArray(memory, ghosts, comm=COMM)
    vec, receipt = petsc.import_ghosted(array)
    assert receipt.bytes_copied == 0 and not receipt.losses
    vec.ghostUpdate()
    assert memory[3:].tolist() == [10.0 * (g // 3) for g in ghosts]
    again = petsc.export_ghosted(vec)
    assert np.shares_memory(again.local, memory)
    vec.destroy()


def test_ghosts_that_petsc_lacks_are_refused_on_all():
    with pytest.raises(tridap.ProtocolError, match="no ghosts"):
        petsc.export_ghosted(make_vec(2))
    ghosts = [] if P == 1 else [(R + 1) % P]
    wrong = tridap.GhostedArray(np.zeros(1 + len(ghosts), np.int16), ghosts, comm=COMM)
    with pytest.raises(tridap.ProtocolError, match="PETSc was built for"):
        petsc.import_ghosted(wrong)
    with pytest.raises(TypeError, match="GhostedArray"):
        petsc.import_ghosted(np.zeros(2))
    with pytest.raises(TypeError, match="petsc4py.PETSc.Vec"):
        petsc.export_ghosted(None)


def test_one_bad_process_fails_every_process():
    def part(dtype=float):
        return {"__version__": "0.10.0", "buffer": np.zeros(3, dtype), "dim_data": line(3).dim_data(R)}

    wrong = part()
    if R == P - 1:
        wrong["buffer"].flags.writeable = False
    with pytest.raises(tridap.ProtocolError, match="read-only"):
        petsc.import_array(tridap.asarray(wrong, COMM))
    vec, receipt = petsc.import_array(tridap.asarray(wrong, COMM), copy="if_needed")
    assert receipt.shared == (R != P - 1)
    vec.destroy()
    with pytest.raises(tridap.ProtocolError, match="the elements are float32"):
        petsc.import_array(tridap.asarray(part("f4"), COMM))
    right = tridap.asarray(part(), COMM)
    with pytest.raises(tridap.ProtocolError, match="must be a tridap.DistArray"):
        petsc.import_array(right if R != P - 1 else np.zeros(3))
    with pytest.raises(tridap.ProtocolError, match="'copy' is .sometimes"):
        petsc.import_array(right, copy="sometimes" if R == P - 1 else None)


@pytest.mark.parametrize("boundary", ["none", "ghosted", "periodic"])
@pytest.mark.parametrize("ndim", [1, 2, 3])
@pytest.mark.parametrize("dof", [1, 2])
def test_a_grid_is_an_array_with_padding(boundary, ndim, dof):
    sizes = tuple(2 * P + k for k in range(ndim))
    dm = PETSc.DMDA().create(sizes=sizes, dof=dof, stencil_width=1, boundary_type=(boundary,) * ndim,
                             stencil_type=PETSc.DMDA.StencilType.BOX)
    start, lengths = dm.getCorners()
    vec = dm.createGlobalVec()
    array = petsc.export_array(vec, dm)
    assert array.distribution.shape == sizes[::-1] + ((dof,) if dof > 1 else ())
    assert array.local.shape == lengths[::-1] + ((dof,) if dof > 1 else ())
    assert array.distribution.grid == tuple(dm.getProcSizes())[::-1] + ((1,) if dof > 1 else ())
    numbered(vec)
    view = dm.getVecArray(vec)  # indices in the order of x, y, z
    corner = tuple(start)
    assert np.asarray(view[corner]).ravel()[0] == array.local.ravel()[0]
    local, ours = dm.createLocalVec(), dm.createLocalVec()
    local.set(-1)
    dm.globalToLocal(vec, local)
    theirs = petsc.export_array(local, dm)
    padded = petsc.export_array(ours, dm)
    padded.local[...] = -1
    # what is not padding has a value: also the points beyond the edges of a grid that is not periodic
    kept = padded.owned if boundary == "ghosted" else padded.interior
    kept[...] = (theirs.owned if boundary == "ghosted" else theirs.interior)
    padded.update_padding()
    assert padded.local.tolist() == theirs.local.tolist()
    del array, theirs, padded, view
    for one in local, ours, vec, dm:
        one.destroy()


def test_a_grid_of_exactly_a_distribution():
    rows = tridap.distribution((4 * P, 5), [tridap.block(), tridap.block()], [P, 1])
    dm = petsc.create_dmda(rows, COMM, stencil_width=2, stencil="star")
    assert dm.getSizes() == (5, 4 * P) and tuple(dm.getProcSizes()) == (1, P)
    assert dm.getStencil() == ("star", 2)
    array = tridap.empty(rows, comm=COMM)
    array.local[...] = R
    vec, receipt = petsc.import_array(array, dm)
    assert receipt.shared and receipt.bytes_copied == 0
    assert vec.sum() == sum(20 * r for r in range(P))
    ghosts, _ = petsc.import_array(petsc.export_array(dm.createLocalVec(), dm), dm)
    dm.globalToLocal(vec, ghosts)
    assert ghosts.getArray().sum() > 0 or P == 1
    for one in vec, ghosts, dm:
        one.destroy()


def test_what_a_grid_cannot_hold_is_refused_with_the_nearest():
    cyclic = tridap.distribution((4 * P, 5), [tridap.cyclic(), tridap.block()], [P, 1])
    if P > 1:
        with pytest.raises(tridap.ProtocolError, match="axis 0: it is cyclic.*the nearest that it can hold is"):
            petsc.create_dmda(cyclic, COMM)
    petsc.create_dmda(petsc.nearest(cyclic), COMM).destroy()
    with pytest.raises(tridap.ProtocolError, match="stencil is 'round', must be 'box' or 'star'"):
        petsc.create_dmda(cyclic, COMM, stencil="round")
    with pytest.raises(tridap.ProtocolError, match="must be a tridap.Distribution"):
        petsc.create_dmda((4, 5), COMM)


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="must be a petsc4py.PETSc.Vec"):
        petsc.export_array(np.zeros(3))
    vec = make_vec(2)
    with pytest.raises(TypeError, match="must be a petsc4py.PETSc.DM"):
        petsc.export_array(vec, vec)
    with pytest.raises(tridap.ProtocolError, match="the Vec is null"):
        petsc.export_array(PETSc.Vec())
    with pytest.raises(tridap.ProtocolError, match="has no __distarray__"):
        tridap.asarray(PETSc.Mat())


def test_trilinos_solves_in_petscs_memory():
    import scipy.sparse
    n = 6 * P
    b, x = make_vec(6), make_vec(6)
    b.set(1)
    x.set(0)
    rows = np.arange(6 * R, 6 * R + 6)
    entries = [(i - rows[0], j, {0: 2.5}.get(i - j, -1.0)) for i in rows for j in (i - 1, i, i + 1) if 0 <= j < n]
    i, j, values = map(np.array, zip(*entries))
    A = tridap.Matrix(scipy.sparse.csr_array((values, (i, j)), shape=(6, n)), petsc.export_array(b))
    before = petsc.export_array(x)
    solved = tridap.solve(A, petsc.export_array(b), before, tol=1e-12)
    assert solved.converged
    M = PETSc.Mat().createAIJ(((6, n), (6, n)))
    M.setUp()
    for k, column, value in entries:
        M[int(k) + int(rows[0]), int(column)] = value
    M.assemble()
    r = b.duplicate()
    M.mult(x, r)
    r.axpy(-1, b)
    assert r.norm() < 1e-10
    del before, solved, A


def test_copy_true_copies_and_is_refused_for_a_grid():
    a = tridap.zeros(tridap.distribution((4 * P,), processes=P), PETSc.ScalarType, comm=MPI.COMM_WORLD)
    for copy, shared in (None, True), ("if_needed", True), (True, False):
        vec, receipt = petsc.import_array(a, copy=copy)
        assert receipt.shared is shared
        vec.destroy()
    dm = PETSc.DMDA().create(sizes=(4 * P,), dof=1, stencil_width=1)
    with pytest.raises((tridap.ProtocolError, ValueError), match="copy is True, must be None with a dm"):
        petsc.import_array(a, dm, copy=True)
    dm.destroy()


def test_a_ghosted_array_without_comm_is_a_vec_of_one_process():
    local = np.arange(3.0).astype(PETSc.ScalarType)
    vec, _ = petsc.import_ghosted(tridap.GhostedArray(local, []))
    assert vec.comm.size == 1 and vec.size == 3
    vec.destroy()


def test_what_was_computed_from_a_vec_outlives_its_communicator():
    some = COMM.Split(R % 2, R)
    vec = PETSc.Vec().createMPI(12, comm=some)
    vec.set(2)
    array = petsc.export_array(vec)
    twice = array + array
    vec.destroy()
    del array
    gc.collect()
    petsc.collect()
    other = COMM.Dup()  # may have the handle of what PETSc freed
    assert twice.sum() == 48 and twice.comm.size == some.size
    other.Free()
    some.Free()


def test_ghosts_of_a_vec_outlive_its_communicator():
    some = COMM.Split(R % 2, R)
    ghosts = [(2 * some.rank + 2) % (2 * some.size)] if some.size > 1 else []
    vec = PETSc.Vec().createGhost(ghosts, (2, 2 * some.size), comm=some)
    vec.set(1 + some.rank)
    ghosted = petsc.export_ghosted(vec)
    vec.destroy()
    petsc.collect()
    other = COMM.Dup()
    ghosted.update_ghosts()
    assert ghosted.local[-1] == 1 + (some.rank + 1) % some.size
    other.Free()
    some.Free()
