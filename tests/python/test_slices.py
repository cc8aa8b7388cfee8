"""x[...] is what NumPy selects from the whole array: each process has its elements of it, in the same memory."""

import itertools
import os

import numpy as np
import pytest
import tridap
from computing import Made, blocks, dealt, gaps, old_ring, padded, ring, shared
from mpi4py import MPI

IN_DIRECTORIES = os.environ.get("TRIDAP_MOST_LISTED") == "0" and MPI.COMM_WORLD.size > 1


def counted(*index):
    return sum(100**k * i for k, i in enumerate(reversed(index)))


def expect(comm, part, wanted, memory):
    """Whether a part holds `wanted`, a NumPy array, over this memory, and the processes together hold all of it."""
    assert type(part) is tridap.DistArray and part.shape == wanted.shape and part.dtype == wanted.dtype
    dist = part.distribution
    held = [indices - shift for indices, shift in zip(dist.indices(comm.rank, "interior"), part._shift)]
    assert np.array_equal(part.interior, wanted[np.ix_(*held)])
    assert sum(dist.count(process, "interior") for process in range(dist.processes)) == wanted.size
    assert part.local.size == 0 or np.shares_memory(part.local, memory)


def bounds(size):
    return [None, *range(-size - 2, size + 3)]


@pytest.mark.parametrize("name", ["block", "padded", "cyclic", "block-cyclic"])
def test_every_slice_of_an_axis_is_numpys(comm, name):
    p = comm.size
    for size in (0, 1, 5):
        axis = {"block": blocks(size, p), "padded": padded(p, length=2), "cyclic": dealt(size, p),
                "block-cyclic": dealt(size, p, 2)}[name]
        made = Made(comm, (axis,), (p,), int, of=counted)
        n = made.whole.size
        keys = itertools.product(bounds(min(n, 5)), bounds(min(n, 5)), (None, 1, 2, 3, -1, -2))
        for start, stop, step in keys:
            key = slice(start, stop, step)
            try:
                part = made.array[key]
            except tridap.ProtocolError as error:
                assert name == "block-cyclic" and "no constant stride" in str(error)
                continue
            expect(comm, part, made.whole[key], made.memory)


def test_slices_of_several_axes_are_numpys(comm):
    p = comm.size
    for grid in {(p, 1), (1, p), *((2, p // 2) for _ in range(p % 2 == 0))}:
        made = Made(comm, (padded(grid[0]), dealt(7, grid[1])), grid, int, of=counted)
        for key in [(slice(1, 3), slice(None, None, 2)), (slice(None), slice(-3, None)), (..., slice(2, 5)), (slice(2, None), ...),
                    (slice(None, None, -1), slice(None, None, -2)), (slice(3, 1), slice(None)), (slice(1, 2), slice(6, 7)),
                    (None, slice(1, 3), None, slice(4)), (..., None), (slice(1, 3),), slice(1, 3), (slice(1, -1), ..., slice(1, -1))]:
            expect(comm, made.array[key], made.whole[key], made.memory)
        again = made.array[1:, 1:][:, ::2][1:]
        expect(comm, again, made.whole[2:, 1::2], made.memory)
        gathered = again.gather()
        assert gathered is None or np.array_equal(gathered, made.whole[2:, 1::2])


def test_a_whole_axis_keeps_its_padding_and_other_slices_do_not(comm):
    made = Made(comm, (padded(comm.size), blocks(3, 1)), (comm.size, 1))
    x = made.array
    assert x[:] is x and x[...] is x and x[:, :] is x and x[0:4 * comm.size] is x and x[::1, -3:] is x
    part = x[:, 1:]
    assert part.local.shape == (made.memory.shape[0], 2)
    assert x[1:].local.shape == x[1:].interior.shape
    rotating = Made(comm, (ring(comm.size),), (comm.size,)).array
    assert rotating.dim_data[0]["periodic"] and not rotating[1:].dim_data[0].get("periodic", False)
    assert rotating[:].dim_data[0]["periodic"]


def test_padding_of_a_kept_axis_is_updated_after_the_cut(comm):
    dist = tridap.distribution((4 * comm.size, 3), (tridap.block(padding=1), "*"), processes=comm.size)
    x = tridap.zeros(dist)
    x.owned[...] = tridap.from_function(dist, lambda i, j: 10 * i + j).owned
    x[:, ::2].update_padding()
    wanted = tridap.from_function(dist, lambda i, j: 10 * i + j).local
    assert np.array_equal(x.local[:, ::2], wanted[:, ::2])


def test_an_integer_drops_an_axis_that_is_not_distributed(comm):
    made = Made(comm, (blocks(3, 1), padded(comm.size), blocks(4, 1)), (1, comm.size, 1), int, of=counted)
    for key in [0, 2, -1, np.int8(1), (slice(None), slice(None), 3), (1, ..., -4), (1, slice(1, 3)), (..., 0), (2, None, slice(2), 1)]:
        expect(comm, made.array[key], made.whole[key], made.memory)
    for key, words in [(3, "index 3 is out of bounds for axis 0, whose indices are 0 to 2"), (-4, "index -4 is out"),
                       ((..., 4), "out of bounds for axis 2"), ((0, 0, 0, 0), "4 entries for axes, but the array has 3 axes"),
                       ((..., ...), "only one")]:
        with pytest.raises(IndexError, match=words):
            made.array[key]
    with pytest.raises(IndexError, match="no elements"):
        tridap.zeros(tridap.distribution((0, comm.size), ("*", "b"), processes=comm.size))[0]


def test_an_integer_on_a_distributed_axis_advises_a_slice(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    x = tridap.zeros(tridap.distribution((4 * comm.size, 2), ("b", "*"), processes=comm.size))
    for index, text in [(2, "x.2:3. keeps"), (-1, "x.-1:. keeps"), ((2, slice(None)), "x.2:3. keeps"), ((2, 1, ...), "x.2:3. keeps")]:
        with pytest.raises(TypeError, match=text):
            x[index]
    with pytest.raises(IndexError):
        x[4 * comm.size]
    assert x[2:3].sum() == 0 and x[-1:].shape == (1, 2)


def test_integers_select_an_element_on_one_process(comm):
    x = tridap.from_function(tridap.distribution((3, 4), processes=1), lambda i, j: 10 * i + j)
    assert x[1, 2] == 12 and isinstance(x[1, 2], np.float64) and isinstance(x[1, 2, ...], tridap.DistArray)
    x[1, 2, ...].local[...] = 5
    x[0, 0] = 7
    assert x[1, 2] == 5 and x.local[0, 0] == 7
    point = tridap.zeros(tridap.distribution((), (), ()))
    point[()] = 3
    assert point[()] == 3 and point[...] is point and point[None].shape == (1,)


@pytest.mark.skipif(not IN_DIRECTORIES, reason="needs lists that stay on their processes")
def test_lists_that_stay_on_their_processes_are_not_cut(comm):
    made = Made(comm, (gaps(comm.size), blocks(4, 1)), (comm.size, 1), int, of=counted)
    with pytest.raises(tridap.ProtocolError, match="its lists stay on their processes"):
        made.array[3:9]
    assert np.array_equal(made.array[:, 1:3].local, made.array.local[:, 1:3])


@pytest.mark.skipif(IN_DIRECTORIES, reason="needs all lists on every process")
def test_bounds_of_an_unstructured_axis_are_indices(comm):
    p = comm.size
    made = Made(comm, (gaps(p),), (p,), int, of=lambda i: i)  # up to 7 * p - 2, without negative indices
    high = int(made.whole.max()) + 1
    for key in [slice(3, 9), slice(1, None, 2), slice(-5, None), slice(None, -3, 3), slice(None, None, -1), slice(100, 200), slice(5, 1)]:
        chosen = [i for i in range(*key.indices(high)) if i in made.whole]
        part = made.array[key]
        start, _, step = key.indices(high)
        new = part.distribution.indices(comm.rank)[0]
        assert np.array_equal(part.local, start + new * step)
        assert sorted(sum(comm.allgather(part.local.tolist()), [])) == sorted(chosen)
    made = Made(comm, (shared(p),), (p,), int, of=lambda i: i)  # from -2 - p on
    for low, end in [(-3, 6), (None, 6), (7, None), (5, 6)]:
        part = made.array[low:end]
        chosen = made.whole[(made.whole >= (made.whole.min() if low is None else low)) & (made.whole < (999 if end is None else end))]
        assert part.sum() == chosen.sum() and sorted(set(sum(comm.allgather(part.local.tolist()), []))) == chosen.tolist()
    assert made.array[:] is made.array


def test_a_ring_of_0_9_is_cut_in_its_own_numbers(comm):
    p = comm.size
    made = Made(comm, (old_ring(p), blocks(3, 1)), (p, 1), int, of=counted, version="0.9.0")
    for key in [slice(1, 4), (slice(None, None, -1),), (slice(2, None), slice(1)), (slice(None), slice(1, 3)), (slice(None), 2), (..., None)]:
        part = made.array[key]
        assert part.version == "0.9.0"
        expect(comm, part, made.whole[key], made.memory)
    made.array[2], made.whole[2] = 99, 99
    made.array[-1, 1], made.whole[-1, 1] = 98, 98
    expect(comm, made.array[:, :], made.whole, made.memory)
    turned = Made(comm, (old_ring(1), blocks(5, p)), (1, p), int, of=counted, version="0.9.0")
    expect(comm, turned.array[1], turned.whole[1], turned.memory)
    assert made.array[:, 1:].dim_data[0]["periodic"] and made.array[:, 1:].local.shape[0] == made.memory.shape[0]


def test_a_slice_keeps_comm_order_and_read_only_memory(comm):
    dist = tridap.distribution((2 * comm.size, 3), ("b", "*"), processes=comm.size)
    buffer = np.asfortranarray(np.ones(dist.local_shape(comm.rank)))
    buffer.flags.writeable = False
    x = tridap.asarray({"__version__": "0.10.0", "buffer": buffer, "dim_data": dist.dim_data(comm.rank)}, comm)
    part = x[:, 1:]
    assert part.comm is comm and part.local.flags.f_contiguous and not part.local.flags.writeable
    assert part.sum() == 4 * comm.size and tridap.check(part, comm).ok


REFUSED = {"must be a slice, an integer, None or ...": lambda x: x[[0, 1]], "an entry of type ndarray": lambda x: x[np.arange(2)],
           "an entry of type DistArray": lambda x: x[x > 0], "an entry of type bool": lambda x: x[True],
           "an entry of type float": lambda x: x[1.0], "an entry of type str": lambda x: x["a"],
           "slice indices must be integers": lambda x: x[0.5:], "x.mask. = 0 take a mask": lambda x: x[0:1, [0]]}


@pytest.mark.parametrize("words", REFUSED)
def test_other_keys_are_refused(comm, words):
    x = tridap.zeros(tridap.distribution((2 * comm.size, 3), ("b", "*"), processes=comm.size))
    with pytest.raises(TypeError, match=words):
        REFUSED[words](x)
    with pytest.raises(ValueError, match="step cannot be zero"):
        x[::0]


def test_assignment_sets_what_numpy_sets(comm):
    p = comm.size
    for axes, grid in [((blocks(11, p), blocks(3, 1)), (p, 1)), ((dealt(11, p), blocks(3, 1)), (p, 1)), ((blocks(3, 1), blocks(9, p)), (1, p)),
                       ((padded(p), blocks(3, 1)), (p, 1))]:
        made = Made(comm, axes, grid, int, of=counted)
        x, whole = made.array, made.whole

        def holds():
            return np.array_equal(x.interior, whole[np.ix_(*x.distribution.indices(comm.rank, "interior"))])

        assert holds()
        for key in [slice(1, 3), (slice(None), slice(1, 3)), (..., -1), 2, -1, (1, 2), (slice(None, None, -2), 0), (slice(0, 0),)]:
            x[key], whole[key] = 7, 7
            assert holds()
        x[1:, :2] += 5
        whole[1:, :2] += 5
        assert holds()
        x[x > 50], whole[whole > 50] = -1, -1
        assert holds()
        y = x[1:3] * 2
        x[1:3] = y
        whole[1:3] *= 2
        assert holds()
        x[0:2] = 2.9  # as in NumPy, with a cast
        whole[0:2] = 2.9
        assert holds()
        x[:], whole[:] = 1, 1
        assert holds()


def test_assignments_of_what_belongs_elsewhere_are_refused(comm):
    x = tridap.zeros(tridap.distribution((4 * comm.size, 3), ("b", "*"), processes=comm.size))
    refusals = [(lambda: x.__setitem__(slice(1, 3), x[3:5]), "different distributions"),
                (lambda: x.__setitem__(slice(1, 3), x.local), "which elements of the whole array"),
                (lambda: x.__setitem__(x > 0, x), "takes a mask of bool and a scalar"),
                (lambda: x.__setitem__(x, 1), "takes a mask of bool"),
                (lambda: x.__setitem__([0, 1], 1), "must be a slice, an integer")]
    for call, words in refusals[comm.size == 1:]:
        with pytest.raises((TypeError, tridap.ProtocolError), match=words):
            call()
    with pytest.raises(IndexError, match="out of bounds"):
        x[4 * comm.size] = 1
    assert not x.local.any()


def test_negative_numbers_are_indices_if_an_axis_has_them():
    x = tridap.zeros(tridap.distribution((4,), ([[-3, 5, 0, -1]],), processes=1))
    x.local[...] = -3, 5, 0, -1
    assert [x[index] for index in (-3, -1, 0, 5)] == [-3, -1, 0, 5]
    for part in x[::-1], x[5:-4:-1]:
        assert sorted(part.local.tolist()) == [-3, -1, 0, 5]
    with pytest.raises(IndexError, match="index -4 is out of bounds for axis 0, whose indices are -3 to 5"):
        x[-4]
