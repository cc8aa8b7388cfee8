"""Global Arrays from Python; run by tridap-python, on every process together."""

import gc
import inspect

import numpy as np
import pytest
import scipy.sparse
import tridap
from mpi4py import MPI
from tridap import globalarrays as ga

COMM = MPI.COMM_WORLD
P = COMM.size
pytestmark = pytest.mark.usefixtures("session")


def number(i, j):
    return 100.0 * i + j


def test_every_public_name_is_documented():
    for name in ga.__all__:
        assert inspect.getdoc(getattr(ga, name)), name


def test_only_functions_of_the_package_make_its_objects():
    for kind in ga.GlobalArray, type(ga.Session()._session):
        for make in kind, lambda: kind.__new__(kind), lambda: object.__new__(kind), lambda: type("Sub", (kind,), {}):
            with pytest.raises(TypeError):
                make()
        with pytest.raises(TypeError, match="base type"):
            type("Both", (tridap.BlockSpec, kind), {})
        for ask in (value.fget if isinstance(value, property) else value for value in vars(kind).values()):
            for wrong in None, 5, tridap.block():
                with pytest.raises(TypeError):
                    ask(wrong)


def test_created_arrays_are_exported_by_handle_and_share_memory():
    dist = tridap.distribution((7, 9), ("b", "b"), processes=P)
    made = ga.create(dist)
    assert made.dtype == np.float64 and made.distribution.shape == (7, 9)
    first, second = ga.export_array(made), ga.export_array(made.handle)
    first.local[...] = COMM.rank + 1
    assert (second.local == COMM.rank + 1).all()
    assert ga.is_there(first)
    for process in range(P):
        assert first.distribution.local_shape(process) == dist.local_shape(process)
    whole = second.gather(0)
    if COMM.rank == 0:
        for i in range(7):
            for j in range(9):
                assert whole[i, j] == dist.owner(i, j) + 1


def test_the_export_outlives_the_array_that_it_came_from():
    made = ga.create(tridap.distribution(5 * P, "b", processes=P), np.int32)
    exported = ga.export_array(made)
    exported.local[...] = np.arange(5) + COMM.rank
    del made
    gc.collect()
    assert ga.collect() == 0 and ga.held() == 1
    assert (exported.local == np.arange(5) + COMM.rank).all() and ga.is_there(exported)
    view = exported.local[1:]
    del exported
    gc.collect()
    assert ga.collect() == 0, "the view is still there"
    assert view[0] == COMM.rank + 1
    del view
    gc.collect()
    assert ga.collect() == 1 and ga.held() == 0


def test_what_is_allocated_is_imported_without_a_copy():
    dist = tridap.distribution((8, 6), ("b", "*"), grid=(P, 1))  # of 6 processes two have nothing
    array = ga.allocate(dist)
    assert not array.local.any()
    array.local[...] = 5 + COMM.rank
    imported, receipt = ga.import_array(array)
    assert receipt.shared and receipt.bytes_copied == 0
    again = ga.export_array(imported, ga.grid_communicator(imported))
    assert (again is None) == (array.local.size == 0)
    if again is not None:
        again.local[...] += 1
        assert (array.local == 6 + COMM.rank).all()


def test_other_memory_is_refused_and_copied_where_that_is_asked():
    dist = tridap.distribution((6, 4 * P), ("*", "c:2"), grid=(1, P))
    array = tridap.from_function(dist, number)
    if P == 1:
        dist = tridap.distribution((6, 4), ("*", "b"), grid=(1, 1))
        array = tridap.from_function(dist, number)
    for never in {}, {"copy": None}, {"copy": False}:
        with pytest.raises(tridap.ProtocolError, match="the memory is not that of a Global Array.*pass copy=.if_needed."):
            ga.import_array(array, **never)
    try:
        imported, receipt = ga.import_array(array, copy="if_needed")
    except tridap.ProtocolError:
        imported, receipt = ga.import_array(array, copy="if_needed", nearest=True)
    assert receipt.bytes_copied > 0 and not receipt.shared
    back = ga.export_array(imported, comm=COMM)
    for local in np.ndindex(*back.local.shape):
        assert back.local[local] == number(*back.global_index(*local))


def test_lists_are_refused_or_moved_to_the_nearest_distribution():
    lists = [list(range(r, 4 * P, P))[::-1] for r in range(P)]
    array = tridap.from_function(tridap.distribution(4 * P, [lists], processes=P), lambda i: 1.0 * i)
    with pytest.raises(tridap.ProtocolError, match="nearest"):
        ga.import_array(array, copy="if_needed")
    imported, receipt = ga.import_array(array, copy="if_needed", nearest=True)
    back = ga.export_array(imported, comm=COMM)
    (indices,) = back.distribution.indices(COMM.rank)
    assert (back.local == indices).all()


def test_one_process_with_a_wrong_array_fails_all():
    if P == 1:
        pytest.skip("needs at least 2 processes")
    array = tridap.from_function(tridap.distribution(3 * P, "b", processes=P), lambda i: 1.0 * i,
                                 dtype=np.float32 if COMM.rank == P - 1 else np.float64)
    with pytest.raises(tridap.ProtocolError):
        ga.import_array(array, copy="if_needed")


def test_solve_writes_the_answer_into_the_global_array():
    dist = tridap.distribution(12 * P, "b", processes=P)
    b, x = ga.allocate(dist), ga.allocate(dist)
    rows = np.arange(12 * COMM.rank, 12 * COMM.rank + 12)
    b.local[...] = 2 * rows
    handle = ga.import_array(x)[0]
    matrix = tridap.Matrix(scipy.sparse.csr_matrix((np.full(12, 2.0), (np.arange(12), rows)), shape=(12, 12 * P)), dist)
    result = tridap.solve(matrix, b, x)
    assert result.converged and result.bytes_copied == 0
    assert np.allclose(ga.export_array(handle).local, rows)


def test_a_handle_that_is_none_is_refused():
    with pytest.raises(tridap.ProtocolError):
        ga.export_array(-1)
    with pytest.raises(tridap.ProtocolError):
        ga.destroy(-1, COMM)


def test_another_order_of_processes_needs_grid_communicator():
    backwards = COMM.Split(0, -COMM.rank)
    made = ga.create(tridap.distribution(3 * P, "b", processes=P), comm=backwards)
    for wrong in (None, MPI.COMM_SELF) if P > 1 else ():
        with pytest.raises(tridap.ProtocolError, match="grid_communicator"):
            ga.export_array(made, comm=wrong)
    grid = ga.grid_communicator(made)
    exported = ga.export_array(made, comm=grid)
    assert exported.process == backwards.rank == grid.rank
    exported.local[...] = np.arange(3) + 3 * grid.rank
    whole = exported.gather(0)
    assert (whole is not None) == (grid.rank == 0)
    assert whole is None or (whole == np.arange(3 * P)).all()
    grid.Free()
    backwards.Free()


@pytest.mark.parametrize("dtype", ["V3", ">f8", "?", [("a", "f8"), ("b", "i4")], np.complex128])
def test_every_type_has_a_name_in_numpy(dtype):
    made = ga.create(tridap.distribution(3 * P, "b", processes=P), dtype)
    assert made.dtype.itemsize == np.dtype(dtype).itemsize
    assert ga.export_array(made).local.dtype == made.dtype


def test_what_is_held_at_the_end_of_a_block_may_still_be_read():
    with ga.Session():  # the fixture's goes on
        array = ga.allocate(tridap.distribution(3 * P, "b", processes=P))
        array.local[...] = 7
    assert ga.is_there(array) and (array.local == 7).all()


def test_wrong_arguments_of_one_process_are_refused_by_all():
    last = COMM.rank == P - 1
    dist = tridap.distribution(3 * P, "b", processes=P)
    for make in ga.create, ga.allocate:
        with pytest.raises((TypeError, tridap.ProtocolError), match="no such type"):
            make(dist, "no such type" if last else float)
    array = tridap.asarray(tridap.zeros(dist), COMM)
    for wrong in "maybe", 2.5, ["never"]:
        with pytest.raises(ValueError, match="copy.* must be None or False .never., .if_needed. or True"):
            ga.import_array(array, copy=wrong if last else None)
    if P > 1:
        with pytest.raises(tridap.ProtocolError, match="asks for"):
            ga.import_array(array, copy=True if last else "if_needed")
    others = tridap.distribution(3 * P, "b", processes=P + 1)  # a grid that does not fit
    for make in ga.create, ga.allocate:
        for wrong in (5, None, others) + ((tridap.distribution(3 * P, "b", processes=1),) if P > 1 else ()):
            for comm in None, COMM:
                with pytest.raises(tridap.ProtocolError, match="dist is|the distribution has"):
                    make(wrong if last else dist, comm=comm)
        if P > 1:
            with pytest.raises(tridap.ProtocolError, match="asks for dtype"):
                make(dist, "f4" if last else "f8")
    for wrong in 5, None, "x", dist:
        with pytest.raises(tridap.ProtocolError, match="array is .*, must be a tridap.DistArray"):
            ga.import_array(wrong if last else array)
    made = ga.create(dist)
    for wrong, words in ("x", "handle is 'x', must be an integer"), (2**40, "must fit 32 bits"), (None, "must be an integer"):
        with pytest.raises(tridap.ProtocolError, match=words):
            ga.destroy(wrong if last else made.handle, COMM)
        with pytest.raises(tridap.ProtocolError, match=words):
            ga.grid_communicator(wrong if last else made)
    with pytest.raises(tridap.ProtocolError):
        ga.grid_communicator(-1 if last else made)
    for wrong in "x", None, -1, 2**64:
        with pytest.raises(tridap.ProtocolError, match="allocator_doubles is"):
            ga.Session(wrong if last else 0)
    if P > 1:
        with pytest.raises(tridap.ProtocolError, match="asks for"):
            ga.Session(1 if last else 0)
    assert ga.grid_communicator(made) is not None
