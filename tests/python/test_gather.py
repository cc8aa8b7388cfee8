"""gather, allgather, scatter and array."""

import numpy as np
import pytest
import tridap
from producers import deal_blocks, deal_cyclic, everywhere, refused_by_all


def value(*indices):
    return sum(index * 100.0 ** (len(indices) - 1 - axis) for axis, index in enumerate(indices))


def whole_value(*indices):
    """The value of each element of the product of sorted lists of indices."""
    return value(*np.ix_(*(np.sort(np.asarray(list_, dtype=float)) for list_ in indices)))


def layouts(size):
    """(distribution, by axis the different indices without padding and mirrors)."""
    yield tridap.distribution((7, 5), ("b", "*"), processes=size), (range(7), range(5))
    yield tridap.distribution((6, 9), ("c:2", "*"), processes=size), (range(6), range(9))
    yield tridap.distribution((5, 8), ("*", "c"), processes=size), (range(5), range(8))
    yield tridap.distribution((0, 3), ("b", "*"), processes=size), ((), range(3))
    yield (tridap.distribution((12 * size, 3), (tridap.block(padding=2), "*"), processes=size),
           (range(12 * size), range(3)))
    yield (tridap.distribution((2, 4 * size + 3), ("*", tridap.block(padding=1, edges=(1, 2))), processes=size),
           (range(2), range(4 * size + 3)))
    yield (tridap.distribution((4 * size + 2, 3), (tridap.block(padding=1, periodic=True), "*"), processes=size),
           (range(1, 4 * size + 1), range(3)))
    gaps = [[10 * c - 7, -8 - 11 * c] for c in range(size)]
    yield tridap.distribution((2 * size, 3), (gaps, "*"), processes=size), (sum(gaps, []), range(3))
    shared = [[c, c + 1, -3] for c in range(size)]
    yield tridap.distribution((3 * size, 2), (shared, "*"), processes=size), ([-3, *range(size + 1)], range(2))


@pytest.mark.parametrize("order", ["C", "F"])
def test_gather_returns_each_index_once_in_ascending_order(comm, order):
    for dist, indices in layouts(comm.size):
        array = tridap.from_function(dist, value, order=order)
        for root in {0, comm.size - 1}:
            whole = array.gather(root)
            assert everywhere(comm, (whole is None) == (comm.rank != root))
            assert everywhere(comm, whole is None or np.array_equal(whole, whole_value(*indices)))
        whole = array.allgather()
        assert everywhere(comm, np.array_equal(whole, whole_value(*indices)) and whole.flags.writeable)


def test_gather_takes_a_shared_index_from_the_lowest_process(comm):
    dist = tridap.distribution(comm.size, ([[7]] * comm.size,), processes=comm.size)
    array = tridap.zeros(dist)
    array.local[...] = comm.rank + 1
    assert array.allgather().tolist() == [1]


@pytest.mark.parametrize("order", ["C", "F"])
def test_scatter_is_the_opposite_of_gather(comm, order):
    for dist, indices in layouts(comm.size):
        for root in {0, comm.size - 1}:
            whole = whole_value(*indices) if comm.rank == root else "not read"
            array = tridap.scatter(whole, dist, comm, root=root, order=order)
            assert everywhere(comm, array.distribution == dist)
            expected = tridap.from_function(dist, value)
            assert everywhere(comm, np.array_equal(array.interior, expected.interior))
            assert everywhere(comm, np.count_nonzero(array.local) == np.count_nonzero(array.interior))  # padding is 0
            assert array.local.flags["C_CONTIGUOUS" if order == "C" else "F_CONTIGUOUS"]


def test_scatter_deals_like_cards(comm):
    whole = np.arange(11) if comm.rank == 0 else None
    for dist, hands in (("b", deal_blocks(11, comm.size)), ("c:2", deal_cyclic(11, comm.size, 2))):
        array = tridap.scatter(whole, tridap.distribution(11, dist, processes=comm.size), comm)
        assert everywhere(comm, array.local.tolist() == hands[comm.rank] and array.dtype == int)


TYPES = ["i1", ">f8", "c16", "?", "f2", "M8[s]", "S3", "V5", [("a", "<i4"), ("b", ">f8", (2,))]]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_elements_of_every_type_keep_it(comm, dtype):
    dtype = np.dtype(dtype)
    raw = np.arange(9 * dtype.itemsize, dtype="u1") % 2  # 0 and 1 are right for bool too
    values = np.frombuffer(raw.tobytes(), dtype)
    array = tridap.scatter(values[::-1], tridap.distribution(9, "c", processes=comm.size), comm)
    assert array.dtype == dtype
    for whole in (array.gather(), array.allgather()):
        assert whole is None or whole.dtype == dtype and whole.tobytes() == values[::-1].tobytes()


def test_one_process_without_a_communicator_needs_no_other(comm):
    for dist, indices in layouts(1):
        array = tridap.scatter(whole_value(*indices), dist)
        assert array.comm is None and np.array_equal(array.gather(), whole_value(*indices))
        assert np.array_equal(array.allgather(), array.gather())
    assert tridap.from_function(tridap.distribution((), (), ()), lambda: 3).allgather() == 3
    assert tridap.scatter(5, tridap.distribution((), (), ())).gather() == 5


def test_what_is_wrong_on_one_process_is_refused_by_all(comm):
    dist = tridap.distribution((4, 4), ("b", "*"), processes=comm.size)
    array, last = tridap.zeros(dist, comm=comm), comm.rank == comm.size - 1
    mixed = tridap.zeros(dist, "f4" if last else "f8", comm=comm)
    right = np.zeros((4, 4))
    calls = {"root is 9": lambda: array.gather(9 if last else 0),
             "must be an integer": lambda: tridap.scatter(right, dist, comm, root=1.5 if last else 0),
             "order is 'K'": lambda: tridap.scatter(right, dist, comm, order="K" if last else "C"),
             "dist is 5": lambda: tridap.scatter(right, 5 if last else dist, comm),
             "must be .4, 4.": lambda: tridap.scatter(np.zeros(3), dist, comm, root=comm.size - 1),
             "None on the root": lambda: tridap.scatter(None, dist, comm),
             "Python objects": lambda: tridap.scatter(np.full((4, 4), None), dist, comm),
             "has a mask": lambda: tridap.scatter(np.ma.zeros((4, 4)), dist, comm)}
    if comm.size > 1:
        other = tridap.distribution((4, 4), ("c", "*"), processes=comm.size)
        uneven = [tridap.distribution((4, 4), (tridap.block(starts=[0, first, *[4] * (comm.size - 2)]), "*")) for first in (1, 2)]
        calls.update({"same on every process": lambda: tridap.scatter(right, other if last else dist, comm),
                      "asks for .*layout": lambda: tridap.scatter(right, uneven[last], comm),
                      "asks for root=|asks for .*root": lambda: array.gather(comm.rank),
                      "(float32|float64).*same on every process": mixed.allgather})
    refused_by_all(comm, calls, (ValueError, TypeError))
    assert array.allgather().shape == (4, 4)


def test_the_whole_outlives_the_array(comm):
    array = tridap.from_function(tridap.distribution(40, processes=comm.size), lambda i: i)
    whole = array.allgather()
    del array
    again = [tridap.zeros(tridap.distribution(40, processes=comm.size)).allgather() for _ in range(3)]
    assert np.array_equal(whole, np.arange(40)) and not np.any(again)


def test_array_is_your_own_memory(comm):
    dist = tridap.distribution((6 * comm.size, 4), (tridap.block(padding=1), "*"), processes=comm.size)
    shape = dist.local_shape(comm.rank)
    mine = np.zeros((shape[0], 2 * shape[1]))[:, ::2]
    array = tridap.array(mine, dist, comm)
    array.owned[...] = comm.rank + 1
    assert np.shares_memory(array.local, mine) and np.count_nonzero(mine) == 24
    array.update_padding()
    assert np.all(mine > 0) and np.array_equal(tridap.asarray(array, comm).local, mine)
    frozen = np.zeros(shape, ">i4")
    frozen.flags.writeable = False
    array = tridap.array(frozen, dist)
    assert not array.local.flags.writeable and array.dtype == ">i4"
    assert tridap.array(memoryview(bytearray(3)), tridap.distribution(3, processes=1)).local.tolist() == [0, 0, 0]


def test_array_refuses_what_does_not_fit(comm):
    dist = tridap.distribution((6 * comm.size, 4), ("b", "*"), processes=comm.size)
    with pytest.raises(ValueError, match=r"local has shape \(4, 6\), must be \(6, 4\): all elements of process"):
        tridap.array(np.zeros((4, 6)), dist, comm)
    with pytest.raises(tridap.ProtocolError, match="list offers no memory"):
        tridap.array([[1.0]], dist, comm)
    with pytest.raises(tridap.ProtocolError, match="Python objects"):
        tridap.array(np.full((6, 4), None), dist, comm)
    with pytest.raises(TypeError, match="must be a Distribution"):
        tridap.array(np.zeros((6, 4)), (6, 4), comm)
    with pytest.raises(TypeError, match="must be an mpi4py communicator"):
        tridap.array(np.zeros((6, 4)), dist, 5)


def test_a_root_outside_of_the_communicator_is_refused(comm):
    x = tridap.zeros(tridap.distribution((3 * comm.size,), processes=comm.size), comm=comm)
    for root in -1, comm.size:
        with pytest.raises(tridap.ProtocolError if comm.size > 1 else ValueError, match=f"root is {root}"):
            x.gather(root)


def test_what_differs_between_processes_is_refused_by_all(comm):
    if comm.size == 1:
        pytest.skip("one process cannot differ from another")
    last = comm.rank == comm.size - 1
    x = tridap.zeros(tridap.distribution((3 * comm.size,), processes=comm.size), comm=comm)
    lists = [[3 * c + 1, 3 * c, 3 * c + 2] for c in range(comm.size)]
    turned = [part[::-1] for part in lists]  # which describe() does not show
    dist = tridap.distribution(3 * comm.size, (turned if last else lists,))
    y = tridap.zeros(dist, comm=comm)
    for call in y.gather, y.allgather:
        with pytest.raises(tridap.ProtocolError, match="must be the same on every process"):
            call()
    with pytest.raises(tridap.ProtocolError, match="must be the same on every process"):
        tridap.scatter(np.zeros(3 * comm.size), x.distribution, comm, order="F" if last else "C")


def test_arrays_of_one_layout_and_two_element_types_are_no_array(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    mixed = tridap.zeros(tridap.distribution(8, processes=comm.size), float if comm.rank == 0 else np.float32)
    with pytest.raises(tridap.ProtocolError, match="agree.element_type"):
        tridap.asarray(mixed, comm)


def test_lists_that_one_process_alone_calls_one_to_one_are_wrong(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    lists = tridap.unstructured([[3 * c, 3 * c + 1, 3 * c + 2] for c in range(comm.size)], one_to_one=comm.rank == 0)
    mixed = tridap.zeros(tridap.distribution(3 * comm.size, (lists,), processes=comm.size), comm=comm)
    with pytest.raises(tridap.ProtocolError, match="agree.one_to_one"):
        tridap.asarray(mixed, comm)
