"""Arrays with ghosts, against NumPy arrays that hold everything on every process."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest
import tridap
from producers import pairs


def random_ghosts(random, owned, processes, most=9):
    """For each process, some of the ids that it does not own, in any order."""
    chosen = []
    for rank in range(processes):
        others = [i for other in range(processes) if other != rank for i in owned[other]]
        chosen.append([int(i) for i in random.permutation(others)[:random.integers(most + 1)]])
    return chosen


def check(comm, array, whole, owned, ghosts, exact=True):
    """Updates and sums of an array whose owned elements are those of `whole`, by id."""
    mine, count = ghosts[comm.rank], len(owned[comm.rank])
    assert len(array.local) == count + len(mine) and array.ghosts.tolist() == mine
    array.local[:count] = whole[owned[comm.rank]]
    array.local[count:] = 99
    array.update_ghosts()
    assert np.array_equal(array.local, whole[owned[comm.rank] + mine])
    contributions = [np.arange(len(of_rank)).reshape((-1,) + (1,) * (whole.ndim - 1)) % 5 + rank
                     for rank, of_rank in enumerate(ghosts)]
    array.local[count:] = contributions[comm.rank]
    before = array.local[count:].copy()
    array.sum_ghosts()
    total = whole.copy()
    for of_rank, values in zip(ghosts, contributions):
        np.add.at(total, of_rank, np.broadcast_to(values, (len(of_rank),) + whole.shape[1:]).astype(whole.dtype))
    assert np.array_equal(array.local[:count], total[owned[comm.rank]])
    assert np.array_equal(array.local[count:], before)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "i2", "c16"])
@pytest.mark.parametrize("components", [(), (3,), (2, 2)])
@pytest.mark.parametrize("order", "CF")
def test_blocks_are_made_from_a_numpy_array_and_its_ghosts(comm, dtype, components, order):
    random = np.random.default_rng(3)
    for _ in range(4):
        counts = [int(n) for n in random.integers(0, 7, comm.size)]
        starts = np.cumsum([0] + counts).tolist()
        owned = [list(range(a, b)) for a, b in zip(starts, starts[1:])]
        ghosts = random_ghosts(random, owned, comm.size)
        whole = random.integers(-20, 20, (starts[-1],) + components).astype(dtype)
        local = np.zeros((counts[comm.rank] + len(ghosts[comm.rank]),) + components, dtype, order)
        array = tridap.GhostedArray(local, ghosts[comm.rank], comm=comm)
        assert array.local is local and array.owned.shape == whole.shape
        check(comm, array, whole, owned, ghosts)
        assert array.owned.local.size == 0 or np.shares_memory(array.owned.local, local)
        assert np.array_equal(array.owned.local, local[:counts[comm.rank]])


@pytest.mark.parametrize("dist", ["b", "c", "c:2", "lists"])
def test_ids_are_global_indices_of_any_axis(comm, dist):
    random = np.random.default_rng(5)
    size = 4 * comm.size + 1
    names = np.arange(size)
    if dist == "lists":
        names = random.permutation(3 * size)[:size]
        dist = np.array_split(names, comm.size)
    made = tridap.distribution((size, 2), (dist, "*"), grid=(comm.size, 1))
    owned = [made.indices(rank)[0].tolist() for rank in range(comm.size)]
    ghosts = random_ghosts(random, owned, comm.size)
    whole = random.integers(0, 50, (int(names.max()) + 1, 2)).astype(float)
    local = np.zeros((len(owned[comm.rank]) + len(ghosts[comm.rank]), 2))
    array = tridap.GhostedArray(local, ghosts[comm.rank], distribution=made, comm=comm)
    check(comm, array, whole, owned, ghosts)


@pytest.mark.parametrize("components", [(), (3,)])
def test_ids_are_flat_numbers_of_several_axes(comm, components):
    random = np.random.default_rng(7)
    for grid in pairs(comm.size):
        made = tridap.distribution((5, 7) + components, ("b", "c:2") + ("*",) * len(components),
                                   grid=grid + (1,) * len(components))
        owned = []
        for rank in range(comm.size):
            i, j = made.indices(rank)[:2]
            owned.append((7 * i[:, None] + j[None, :]).reshape(-1).tolist())
        ghosts = random_ghosts(random, owned, comm.size)
        whole = random.integers(0, 50, (35,) + components).astype(float)
        local = np.zeros((len(owned[comm.rank]) + len(ghosts[comm.rank]),) + components)
        array = tridap.GhostedArray(local, ghosts[comm.rank], distribution=made, comm=comm)
        check(comm, array, whole, owned, ghosts)
        assert array.owned.local.shape == made.local_shape(comm.rank)


def test_a_copy_of_an_array_has_room_for_ghosts(comm):
    made = tridap.from_function(tridap.distribution((2 * comm.size, 3), ("b", "*"), grid=(comm.size, 1)),
                                lambda i, j: 10.0 * i + j, comm=comm)
    ghost = 2 * ((comm.rank + 1) % comm.size)
    array = tridap.GhostedArray.copy_of(made, [ghost] if comm.size > 1 else [])
    assert not np.shares_memory(array.local, made.local) and np.array_equal(array.owned.local, made.local)
    array.update_ghosts()
    if comm.size > 1:
        assert array.local[2].tolist() == [10.0 * ghost, 10.0 * ghost + 1, 10.0 * ghost + 2]
    flat = tridap.GhostedArray.copy_of(made, [3 * ghost + 1] if comm.size > 1 else [], numbered=2)
    flat.update_ghosts()
    if comm.size > 1:
        assert flat.local.tolist()[6:] == [10.0 * ghost + 1]
    with pytest.raises(tridap.ProtocolError, match="numbered is 3, must be from 1 to 2"):
        tridap.GhostedArray.copy_of(made, [], numbered=3)


def test_the_owned_part_goes_where_any_array_goes(comm):
    local = np.arange(4.0) + 10 * comm.rank
    ghosts = [3 * ((comm.rank + 1) % comm.size)] if comm.size > 1 else []
    array = tridap.GhostedArray(local if ghosts else local[:3], ghosts, comm=comm)
    same = tridap.asarray(array, comm=comm)
    assert same.local.ctypes.data == local.ctypes.data and same.shape == (3 * comm.size,)
    assert array.owned.sum() == sum(3 + 30 * rank for rank in range(comm.size))
    assert repr(array).startswith(f"<tridap.GhostedArray: ({3 * comm.size},) float64, 3 owned elements and {len(ghosts)}")


def test_start_and_wait(comm):
    ghosts = [(comm.rank + 1) % comm.size] if comm.size > 1 else []
    local = np.full(1 + len(ghosts), float(comm.rank))
    array = tridap.GhostedArray(local, ghosts, comm=comm)
    array.start_update()
    with pytest.raises(tridap.ProtocolError, match="an update is in progress"):
        array.start_sum()
    array.wait()
    assert local.tolist() == [comm.rank] + ghosts
    array.start_sum()
    array.wait()
    assert local[0] == (2 if ghosts else 1) * comm.rank
    with pytest.raises(tridap.ProtocolError, match="no update is in progress"):
        array.wait()


def test_memory_is_kept_alive_and_released(comm):
    class Memory(np.ndarray):
        pass

    local = np.zeros(3).view(Memory)
    array = tridap.GhostedArray(local, [], comm=comm)
    alive, owned = weakref.ref(local), array.owned
    del local, array
    gc.collect()
    assert alive() is not None and owned.local.tolist() == [0, 0, 0]
    del owned
    gc.collect()
    assert alive() is None


def refused(comm, make, bad):
    """What all processes say where `make(True)` is called on one of them."""
    with pytest.raises(tridap.ProtocolError) as caught:
        make(comm.rank == bad)
    texts = comm.allgather(str(caught.value))
    assert len(set(texts)) == 1, texts
    return texts[0]


def test_one_bad_process_fails_every_process(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    after = 3 * ((comm.rank + 1) % comm.size)

    def ghosted(local=None, ghosts=None, **more):
        return tridap.GhostedArray(np.zeros(4) if local is None else local, [after] if ghosts is None else ghosts,
                                   comm=comm, **more)

    for bad in range(comm.size):
        for spoilt, text in (
                ({"local": [0.0] * 4}, "local is a list, must be a NumPy array"),
                ({"local": np.ma.zeros(4)}, "local has a mask"),
                ({"ghosts": [0.5]}, "must be integers"),
                ({"ghosts": [3 * comm.size]}, "which no process owns"),
                ({"ghosts": [3 * comm.rank]}, "an element that this process owns itself"),
                ({"ghosts": [after, after + 1, after], "local": np.zeros(6)}, "listed once"),
                ({"local": np.zeros(4, "f4")}, "float32"),
                ({"local": np.zeros((4, 2))}, "ndim"),
                ({"local": np.zeros(0)}, "there are 1 ghost"),
                ({"local": np.broadcast_to(0.0, 4)}, "read-only"),
                ({"distribution": 3}, "distribution is a int")):
            found = refused(comm, lambda here: ghosted(**(spoilt if here else {})), bad)
            assert text in found or text == "ndim", found


def test_what_is_no_array_with_ghosts(comm):
    made = tridap.distribution(4 * comm.size, "b", processes=comm.size)
    with pytest.raises(tridap.ProtocolError, match="holds 6 elements along its axis 0, must hold 4"):
        tridap.GhostedArray(np.zeros(6), [], distribution=made, comm=comm)
    with pytest.raises(tridap.ProtocolError, match="over 7 processes"):
        tridap.GhostedArray(np.zeros(6), [], distribution=tridap.distribution(7, "b", processes=7), comm=comm)
    with pytest.raises(tridap.ProtocolError, match="tridap.GhostedArray.copy_of"):
        tridap.GhostedArray(tridap.zeros(made, comm=comm), [], comm=comm)
    text = tridap.GhostedArray(np.zeros(3, "S5"), [], comm=comm)
    text.update_ghosts()
    with pytest.raises(tridap.ProtocolError, match="added"):
        text.sum_ghosts()


def test_shared_indices_are_no_padding(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    lists = [[rank, rank + 1] for rank in range(comm.size)]
    shared = tridap.zeros(tridap.distribution(2 * comm.size, [lists], processes=comm.size), comm=comm)
    with pytest.raises(tridap.ProtocolError, match="axis 0: index 1 is on the coordinates 0 and 1.*GhostedArray"):
        shared.update_padding()


def test_without_a_communicator_there_is_one_process():
    array = tridap.GhostedArray(np.arange(3.0), [])
    array.update_ghosts()
    assert array.comm is None and array.owned.shape == (3,)
    with pytest.raises(tridap.ProtocolError, match="which no process owns"):
        tridap.GhostedArray(np.arange(3.0), [7])


def test_the_ids_are_copied_and_the_given_array_stays_writable(comm):
    ids = np.array([2 * ((comm.rank + 1) % comm.size)] if comm.size > 1 else [], np.int64)
    array = tridap.GhostedArray(np.zeros(2 + ids.size), ids, comm=comm)
    before = array.ghosts.tolist()
    assert not array.ghosts.flags.writeable
    ids[...] = -1
    assert array.ghosts.tolist() == before


def test_memory_and_ids_that_would_be_another_copy_are_refused(comm):
    class Converted:
        def __array__(self, dtype=None, copy=None):
            return np.zeros(3)

    error = tridap.ProtocolError if comm.size > 1 else (TypeError, OverflowError, tridap.ProtocolError)
    with pytest.raises(error, match="whose memory NumPy cannot share"):
        tridap.GhostedArray(Converted(), [], comm=comm)
    with pytest.raises(error, match="must fit a signed 64-bit integer"):
        tridap.GhostedArray(np.zeros(3), np.array([2**63], np.uint64), comm=comm)


def test_copies_of_a_ghosted_array_are_made_together(comm):
    u = tridap.GhostedArray(np.arange(3.0), [], comm=comm)
    for call in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="copied by all processes together: ") as caught:
            call(u)
    again = eval(str(caught.value).split("together: ")[1], {"tridap": tridap, "x": u})
    again.local[...] += 1
    assert np.array_equal(u.local, np.arange(3.0)) and np.array_equal(again.owned.local, u.local + 1)
    with pytest.raises(TypeError, match="GhostedArray cannot be pickled"):
        pickle.dumps(u)
