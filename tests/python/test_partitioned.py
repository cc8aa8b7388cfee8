"""Objects with ``__partitioned__``, in and out, against boxes that NumPy cuts out of the whole array."""

import copy
import itertools
import pickle
import random

import numpy as np
import pytest
import tridap
from producers import everywhere, pairs, places


class Partitioned:
    """An array of nobody's library: the whole one in boxes, of which this process has one."""

    def __init__(self, whole, cuts, rank, handles=False):
        grid = tuple(len(ends) - 1 for ends in cuts)
        self.said = {"shape": whole.shape, "partition_tiling": grid, "partitions": {}, "get": self.of_handle}
        for process, place in enumerate(places(grid)):
            box = tuple(slice(ends[at], ends[at + 1]) for ends, at in zip(cuts, place))
            self.said["partitions"][place] = {"start": tuple(s.start for s in box), "data": None, "location": [process],
                                              "shape": tuple(s.stop - s.start for s in box)}
            if process == rank:
                self.here = whole[box].copy()
                self.said["locals"] = [place]
                self.said["partitions"][place]["data"] = "ours" if handles else self.here

    def of_handle(self, handle):
        return self.here if isinstance(handle, str) else handle

    @property
    def __partitioned__(self):
        return self.said


class ByMethod(Partitioned):
    def __partitioned__(self):
        return self.said


def cuts_of(size, count, numbers):
    return [0, *sorted(numbers.randint(0, size) for _ in range(count - 1)), size]


def grids_of(processes):
    return [(processes,), *pairs(processes), *((*pair, 1) for pair in pairs(processes))]


def whole_of(shape):
    return np.arange(float(np.prod(shape))).reshape(shape)


@pytest.mark.parametrize("kind", [Partitioned, ByMethod])
@pytest.mark.parametrize("handles", [False, True])
def test_irregular_boxes_are_read_in_place(comm, kind, handles):
    numbers = random.Random(3)
    for grid, _ in itertools.product(grids_of(comm.size), range(4)):
        whole = whole_of((5, 7, 3)[:len(grid)])
        given = kind(whole, [cuts_of(size, count, numbers) for size, count in zip(whole.shape, grid)], comm.rank, handles)
        x = tridap.asarray(given, comm)
        assert x.shape == whole.shape and x.distribution.grid == grid
        assert everywhere(comm, x.local.ctypes.data == given.here.ctypes.data and x.receipt.shared)
        assert np.array_equal(x.allgather(), whole)
        assert tridap.asarray(given).local.shape == given.here.shape  # this process alone
        assert tridap.check(given, comm).ok


def test_it_may_be_solved_for_and_redistributed(comm):
    dist = tridap.distribution(12, processes=comm.size)
    cuts = [*(int(dist.indices(p)[0][0]) if dist.count(p) else 12 for p in range(comm.size)), 12]
    b, x = (Partitioned(np.ones(12), [cuts], comm.rank) for _ in range(2))
    (mine,) = dist.indices(comm.rank)
    rows = (2 * np.eye(12) - np.eye(12, k=1) - np.eye(12, k=-1))[mine]
    A = tridap.Matrix((rows[rows != 0], np.nonzero(rows)[1], np.cumsum([0, *(rows != 0).sum(1)])), b, comm)
    assert tridap.solve(A, b, x, tol=1e-12).bytes_copied == 0
    assert np.allclose(x.here, (mine + 1) * (12 - mine) / 2, atol=1e-9)
    assert np.array_equal(tridap.redistribute(x, "c", comm=comm).allgather(), tridap.asarray(x, comm).allgather())


SPECS = ["b,*", "b,b", [tridap.block(padding=1), "*"], [tridap.block(padding=1, periodic=True), "*"],
         [tridap.block(edges=(2, 1)), tridap.block(padding=1)]]


@pytest.mark.parametrize("spec", SPECS)
def test_every_process_writes_the_boxes_that_it_owns(comm, spec):
    dist = tridap.distribution((24, 5), spec, grid=(comm.size, 1) if spec != "b,b" else None)
    x = tridap.from_function(dist, lambda i, j: 5.0 * i + j)
    said = x.__partitioned__
    assert said["shape"] == (24, 5) and said["partition_tiling"] == dist.grid
    assert sorted(said["partitions"]) == places(dist.grid) and said["locals"] == [dist.coordinates(comm.rank)]
    (here,) = said["locals"]
    assert everywhere(comm, np.shares_memory(said["partitions"][here]["data"], x.local))
    whole = np.full((24, 5), np.nan)
    for place, part in said["partitions"].items():
        (process,) = part["location"]
        assert (part["data"] is None) == (process != comm.rank) and process == places(dist.grid).index(place)
        box = tuple(slice(start, start + extent) for start, extent in zip(part["start"], part["shape"]))
        assert np.isnan(whole[box]).all()  # no element is in two boxes
        whole[box] = comm.bcast(said["get"](part["data"]), process)
    assert np.array_equal(whole, whole_of((24, 5)))
    again = pickle.loads(pickle.dumps(said))
    assert again["shape"] == said["shape"] and np.array_equal(again["partitions"][here]["data"], x.owned)


def test_there_and_back_is_the_same_memory(comm):
    class Other:
        __partitioned__ = None

    x = tridap.from_function(tridap.distribution((9, 4)), lambda i, j: 4.0 * i + j)
    other = Other()
    other.__partitioned__ = x.__partitioned__
    y = tridap.asarray(other, comm)
    assert y.distribution == x.distribution and everywhere(comm, np.shares_memory(x.local, y.local) or not x.local.size)
    point = tridap.array(np.array(3.0), tridap.distribution((), processes=1))
    other.__partitioned__ = point.__partitioned__
    assert tridap.asarray(other).local == 3


def test_what_has_no_boxes_has_no_attribute(comm):
    assert hasattr(tridap.zeros(tridap.distribution(8)), "__partitioned__")
    for spec in "c", tridap.unstructured([[p] for p in range(comm.size)]):
        size = 8 if spec == "c" else comm.size
        x = tridap.zeros(tridap.distribution(size, spec))
        if x.dim_data[0]["dist_type"] != "b":
            assert not hasattr(x, "__partitioned__")
            with pytest.raises(AttributeError, match="axis 0 is not distributed in blocks"):
                x.__partitioned__
    if comm.size > 1:
        part = tridap.asarray({"__version__": "0.10.0", "buffer": np.zeros(3), "dim_data": tridap.distribution(
            3 * comm.size).dim_data(comm.rank)})
        with pytest.raises(AttributeError, match="tridap.asarray\\(array, comm\\)"):
            part.__partitioned__


def first(said):
    return said["partitions"][min(said["partitions"])]


def last(said):
    return said["partitions"][max(said["partitions"])]


def here(said):
    return said["partitions"][said["locals"][0]]


WRONG = {
    "no shape": (lambda said: said.pop("shape"), "has no 'shape'"),
    "no tiling": (lambda said: said.pop("partition_tiling"), "has no 'partition_tiling'"),
    "no partitions": (lambda said: said.pop("partitions"), "has no 'partitions'"),
    "shape": (lambda said: said.update(shape=(5, 7.5)), r"\['shape'\] is \(5, 7.5\), must be integers"),
    "tiling": (lambda said: said.update(partition_tiling=(1,)), r"\['partition_tiling'\] is \(1,\), must be 2 integers"),
    "no tile": (lambda said: said.update(partition_tiling=(0, 1)), "must be at least 1 along each axis"),
    "position": (lambda said: said["partitions"].pop(min(said["partitions"])), "must have each of the"),
    "list": (lambda said: said.update(partitions=[]), "must have each of the"),
    "no start": (lambda said: first(said).pop("start"), r"\['partitions'\]\[\(0, 0\)\] has no 'start'"),
    "start": (lambda said: first(said).update(start=(0,)), r"\['start'\] is \(0,\), must be 2 integers"),
    "extent": (lambda said: first(said).update(shape=(-1, 7)), r"must be 2 integers of at least 0"),
    "gap": (lambda said: last(said).update(start=(9, 0)), "axis 0: the partition at place . starts at 9, must start at"),
    "bricks": (lambda said: last(said).update(start=(last(said)["start"][0], 1)),
               "axis 1: (the partition at place 0 starts at 1|.* but another partition at place 0)"),
    "cover": (lambda said: said.update(shape=(9, 5)), "have 7 elements, but 'shape' has 9"),
    "no locals": (lambda said: said.update(locals=None), "has no 'locals'|must be a list of positions"),
    "foreign local": (lambda said: said.update(locals=[(9, 9)]), "must be a list of positions in 'partitions'"),
    "two locals": (lambda said: said.update(locals=2 * said["locals"]), "has 2 partitions, must have exactly one"),
    "none here": (lambda said: said.update(locals=[]), "has 0 partitions, must have exactly one"),
    "no data": (lambda said: here(said).update(data=None), r"\['data'\] is None, but 'locals' says"),
    "get": (lambda said: said.update(get=lambda handle: 1 / 0), r"\['get'\] raised ZeroDivisionError"),
    "buffer": (lambda said: here(said).update(data=np.zeros((9, 9))), "buffer"),
    "nothing": (lambda said: said.clear(), "has no 'shape'"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_partition_of_one_process_is_refused_on_all(comm, kind):
    spoil, match = WRONG[kind]
    given = Partitioned(whole_of((7, 5)), [[*range(comm.size), 7], [0, 5]], comm.rank)
    if comm.rank == comm.size - 1:
        given.said = copy.copy(given.said)
        given.said["partitions"] = {place: dict(part) for place, part in given.said["partitions"].items()}
        spoil(given.said)
    with pytest.raises(tridap.ProtocolError, match=match) as error:
        tridap.asarray(given, comm)
    assert len(set(comm.allgather(str(error.value)))) == 1
    assert f"(rank {comm.size - 1})" in str(error.value) or comm.size == 1


def test_partitions_that_form_no_grid_are_refused(comm):
    if comm.size != 4:
        pytest.skip("needs 4 processes")
    given = Partitioned(whole_of((4, 6)), [[0, 2, 4], [0, 3, 6]], comm.rank)
    given.said["partitions"][1, 0].update(shape=(2, 2))  # bricks, which are no grid
    given.said["partitions"][1, 1].update(start=(2, 2), shape=(2, 4))
    with pytest.raises(tridap.ProtocolError, match="but another partition at place"):
        tridap.asarray(given, comm)


def test_partitions_in_another_order_than_the_ranks_are_refused(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    backward = Partitioned(whole_of((12,)), [[*range(comm.size), 12]], comm.size - 1 - comm.rank)
    with pytest.raises(tridap.ProtocolError, match=r"\[grid.order\]"):
        tridap.asarray(backward, comm)
    order = comm.Split(0, comm.size - comm.rank)
    assert np.array_equal(tridap.asarray(backward, order).allgather(), whole_of((12,)))
    order.Free()


def test_a_property_that_raises_is_told(comm):
    class Raises:
        asked = 0

        @property
        def __partitioned__(self):
            Raises.asked += 1
            if Raises.asked == 1:
                return {}
            raise OSError("the disk is full")

    with pytest.raises(tridap.ProtocolError, match="cannot be read: it raised OSError: the disk is full"):
        tridap.asarray(Raises())
    with pytest.raises(tridap.ProtocolError, match="is of type int, must be a dictionary"):
        tridap.asarray(type("Number", (), {"__partitioned__": 3})())
    with pytest.raises(tridap.ProtocolError, match="no __distarray__"):
        tridap.asarray(Partitioned)  # the class itself
