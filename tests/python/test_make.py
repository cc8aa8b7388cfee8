"""Distributions and arrays of our own, against cards dealt by hand."""

import itertools
import sys

import numpy as np
import pytest
import tridap
from producers import deal_blocks, deal_cyclic, pairs, places, ran, shared

BLOCKS = {"b": deal_blocks, "c": deal_cyclic, "c:2": lambda n, p: deal_cyclic(n, p, 2), "c:3": lambda n, p: deal_cyclic(n, p, 3)}


@pytest.mark.parametrize("dist", BLOCKS)
def test_an_axis_holds_exactly_what_dealing_gives(dist):
    for size, processes in itertools.product(range(13), range(1, 6)):
        made = tridap.distribution(size, dist, grid=processes)
        hands = BLOCKS[dist](size, processes)
        for rank, hand in enumerate(hands):
            assert made.indices(rank)[0].tolist() == hand and made.count(rank) == len(hand)
            assert [made.owner(card) for card in hand] == [rank] * len(hand)
            assert [made.local_index(rank, card) for card in hand] == [(i,) for i in range(len(hand))]
            assert [made.global_index(rank, i) for i in range(len(hand))] == [(card,) for card in hand]


@pytest.mark.parametrize("first", range(4))
def test_dealing_may_start_at_any_coordinate(first):
    for size, block_size in itertools.product(range(13), range(1, 4)):
        made = tridap.distribution(size, f"c:{block_size}@{first}", grid=4)
        assert [made.indices(rank)[0].tolist() for rank in range(4)] == deal_cyclic(size, 4, block_size, first)


def test_the_issues_own_example():
    made = tridap.distribution((344, 403), ("b", "c:2"), grid=(2, 2))
    rows, columns = deal_blocks(344, 2), deal_cyclic(403, 2, 2)
    for rank, (r, c) in enumerate(places((2, 2))):
        assert made.local_shape(rank) == (len(rows[r]), len(columns[c]))
        assert made.owner(rows[r][7], columns[c][9]) == rank
    assert made.shape == (344, 403) and made.grid == (2, 2) and made.processes == 4 and made.ndim == 2


def test_arrays_know_their_elements_on_every_grid(comm):
    for grid, kinds in itertools.product(pairs(comm.size), itertools.product(("b", "c:2"), repeat=2)):
        made = tridap.from_function(tridap.distribution((7, 5), kinds, grid=grid), lambda i, j: 10 * i + j, int)
        hands = [BLOCKS[kind](size, p) for kind, size, p in zip(kinds, (7, 5), grid)]
        mine = [hand[at] for hand, at in zip(hands, places(grid)[comm.rank])]
        assert made.local.tolist() == [[10 * i + j for j in mine[1]] for i in mine[0]] or not made.local.size
        assert made.local.shape == tuple(map(len, mine)) and made.owned.shape == made.local.shape
        for (a, i), (b, j) in itertools.product(enumerate(mine[0]), enumerate(mine[1])):
            assert made.global_index(a, b) == (i, j) == made.global_index((a, b)) and made.owner(i, j) == comm.rank
            assert made.local_index(i, j) == (a, b)
        for i, j in itertools.product(range(7), range(5)):
            holder, = [r for r, at in enumerate(places(grid)) if i in hands[0][at[0]] and j in hands[1][at[1]]]
            assert made.owner(i, j) == holder


COMPLEX = {"array": lambda i: 1j * i, "scalar": lambda i: 2 - 1j, "list": lambda i: [k + 1j for k in i.tolist()],
           "single": lambda i: i.astype("c8")}


@pytest.mark.parametrize("kind", COMPLEX)
@pytest.mark.parametrize("size", [0, 1, 9])
def test_a_complex_result_makes_a_complex_array(comm, kind, size):
    function = COMPLEX[kind]
    made = tridap.from_function(tridap.distribution(size, processes=comm.size), function)
    wanted = np.zeros(size, complex) + (function(np.arange(size)) if size else 0)
    assert made.dtype == np.dtype(float if size == 0 and kind == "list" else complex)
    assert made.local.tolist() == wanted[made.distribution.indices(made.process)[0]].tolist()


def test_a_complex_result_of_two_axes_makes_a_complex_array(comm):
    made = tridap.from_function(tridap.distribution((2, 3), ("b", "*"), processes=comm.size), lambda i, j: i + 1j * j)
    rows, columns = made.distribution.indices(comm.rank)
    assert made.dtype == complex and made.local.tolist() == [[i + 1j * j for j in columns] for i in rows]


@pytest.mark.parametrize("function", [lambda i: i, lambda i: i > 1, lambda i: i.astype("f4"), lambda i: np.zeros(i.shape, np.longdouble),
                                      lambda i: [float(k) for k in i.tolist()], lambda i: 3], ids="int bool f4 long list scalar".split())
@pytest.mark.parametrize("size", [0, 1, 9])
def test_a_real_result_makes_an_array_of_doubles(comm, function, size):
    made = tridap.from_function(tridap.distribution(size, processes=comm.size), function)
    assert made.dtype == np.float64 and shared(comm, made.dtype.str)


def test_a_dtype_that_is_given_is_that_of_the_array(comm):
    line = tridap.distribution(5, processes=comm.size)
    assert tridap.from_function(line, lambda i: 1j * i, "c8").dtype == np.complex64
    assert tridap.from_function(line, lambda i: i, complex).dtype == np.complex128


def test_a_result_with_a_mask_is_refused(comm):
    with pytest.raises(TypeError, match="the result of the function has a mask"):
        tridap.from_function(tridap.distribution(5, processes=comm.size), lambda i: np.ma.masked_less(i, 2))


def test_a_function_may_know_the_elements_of_its_process_alone(comm):
    line = tridap.distribution(2, processes=comm.size)
    mine, first = 10.0 * line.indices(comm.rank)[0], line.indices(comm.rank)[0][:1].sum()
    assert tridap.from_function(line, lambda i: mine[i - first]).local.tolist() == mine.tolist()


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", ["?", "i1", ">i4", "f4", "f8", "c16", "f2", [("a", "i4"), ("b", "f8")], "S5", "M8[s]"], ids=str)
def test_new_arrays_have_any_type_and_order(comm, dtype, order):
    dist = tridap.distribution((6, 4), ("b", "*"), processes=comm.size)
    for make in tridap.empty, tridap.zeros:
        made = make(dist, dtype, order=order)
        assert made.dtype == np.dtype(dtype) and made.local.shape == dist.local_shape(comm.rank)
        assert made.local.flags.f_contiguous if order == "F" else made.local.flags.c_contiguous
        assert made.local.flags.writeable and (make is tridap.empty or made.local.tobytes().strip(b"\0") == b"")
        assert tridap.check(made, comm).ok


def test_arrays_of_objects_are_refused(comm):
    for dtype in object, [("a", object)]:
        with pytest.raises(tridap.ProtocolError, match="Python objects"):
            tridap.zeros(tridap.distribution(6, processes=comm.size), dtype)


def test_owned_leaves_communication_padding_out(comm):
    size, width = 4 * comm.size, 2
    made = tridap.from_function(tridap.distribution(size, tridap.block(padding=width), processes=comm.size), lambda i: i, int)
    mine = deal_blocks(size, comm.size)[comm.rank]
    assert made.owned.tolist() == mine
    held = range(max(mine[0] - width * (comm.rank > 0), 0), min(mine[-1] + 1 + width * (comm.rank < comm.size - 1), size))
    assert made.local.tolist() == list(held)
    made.owned[...] = -1
    assert sum(made.local == -1) == 4


TYPES = ["i1", "?", "<i2", ">i2", "f2", "i4", "f4", "f8", ">f8", "c8", "c16", "g", "S3", "S7", "V11", "U2", [("a", "i1"), ("b", "f8")]]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_update_padding_brings_elements_of_any_size(comm, dtype):
    size = 3 * comm.size
    made = tridap.zeros(tridap.distribution(size, tridap.block(padding=1), processes=comm.size), dtype)
    whole = np.arange(1, size * made.dtype.itemsize + 1).astype("u1") % 2
    whole = np.frombuffer(whole.tobytes(), made.dtype)
    first = made.global_index(0)[0]
    mine = deal_blocks(size, comm.size)[comm.rank]
    made.owned[...] = whole[mine[0]:mine[-1] + 1]
    made.update_padding()
    assert made.local.tobytes() == whole[first:first + len(made.local)].tobytes()


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("width", [1, 2])
def test_update_padding_fills_corners_and_mirrors(comm, width, periodic, order):
    n = 3 * comm.size
    extra = 2 * width if periodic else 0
    for grid in pairs(comm.size):
        dist = tridap.distribution((n + extra, n + extra), [tridap.block(padding=width, periodic=periodic)] * 2, grid=grid)
        made = tridap.zeros(dist, int, order=order)

        def value(i, j):
            return (i - extra // 2) % n * n + (j - extra // 2) % n if periodic else i * n + j

        at = [made.global_index(a, b) for a, b in np.ndindex(*made.local.shape)]
        made.interior[...] = -1
        for (a, b), g in zip(np.ndindex(*made.local.shape), at):
            if made.local[a, b] == -1:
                made.local[a, b] = value(*g)
        made.update_padding()
        assert made.local.ravel().tolist() == [value(*g) for g in at]
        assert made.owned.base is not None and made.owned.size <= made.local.size


def test_update_padding_of_read_only_memory_fails_everywhere(comm):
    made = tridap.zeros(tridap.distribution(4 * comm.size, tridap.block(padding=1), processes=comm.size))
    said = made.__distarray__()
    if comm.rank == comm.size - 1:
        said["buffer"].flags.writeable = False
    frozen = tridap.asarray(said, comm)
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match=f"rank {comm.size - 1}.*read.only") as raised:
            frozen.update_padding()
        assert shared(comm, str(raised.value))
    made.update_padding()


def test_local_is_a_numpy_view_of_one_memory():
    made = tridap.zeros(tridap.distribution((3, 4), processes=1))
    assert type(made.local) is np.ndarray
    made.local[1, 2] = 5
    made.local.shape = 12,
    assert made.local.shape == (3, 4) and made.local[1, 2] == 5 == made.owned[1, 2]


@pytest.mark.parametrize("index", [(7, 0), (-1, 0), (0, 5), (2**62, 0)])
def test_indices_outside_the_array_have_no_owner(index):
    made = tridap.zeros(tridap.distribution((7, 5), processes=1))
    assert made.owner(*index) is None and made.local_index(*index) is None
    with pytest.raises(IndexError):
        made.global_index(*index)


@pytest.mark.parametrize("index, error", [((1,), IndexError), ((1, 2, 3), IndexError), ((), IndexError), ((True, 0), TypeError),
                                          ((1.0, 0), TypeError), (("1", 0), TypeError), ((None, 0), TypeError), ((2**63, 0), TypeError)])
def test_what_is_no_index_is_refused(index, error):
    made = tridap.zeros(tridap.distribution((7, 5), processes=1))
    for ask in made.owner, made.local_index, made.global_index, made.distribution.owner:
        with pytest.raises(error):
            ask(*index)


@pytest.mark.parametrize("shape, dist, grid, error", [
    (3.7, "b", 1, TypeError), ("7", "b", 1, TypeError), (None, "b", 1, TypeError), ((2, 3.0), ("b", "b"), (1, 1), TypeError),
    ((2**63,), "b", 1, OverflowError), ((2**62 + 1, 2**63), ("b", "b"), (1, 1), OverflowError), (4, "b", 1.5, TypeError),
    (-1, "b", 1, ValueError), (4, "b", 0, ValueError), (4, "x", 1, ValueError), (4, "c:0", 1, ValueError), (4, "c:x", 1, ValueError),
    (4, ("b", "b"), 1, ValueError), ((4, 4), ("b",), (1, 1), ValueError), ((4, 4), ("b", "b"), 2, ValueError),
    (2, [[[0.5, 1.7]]], 1, TypeError), (4, "c:1@9", 2, ValueError), (4, "b:0,9", 2, ValueError), (4, "*", 2, ValueError)], ids=str)
def test_what_is_no_layout_is_refused(shape, dist, grid, error):
    with pytest.raises(error):
        tridap.distribution(shape, dist, grid=grid)


SPECS = [tridap.BlockSpec, tridap.CyclicSpec, tridap.UnstructuredSpec, tridap.WholeSpec]


@pytest.mark.parametrize("kind", SPECS)
def test_a_spec_that_was_never_initialised_is_a_type_error(kind):
    for made in kind, type("Sub", (kind,), {}), type("Both", (kind, *(other for other in SPECS if other is not kind)), {}):
        for dist in made.__new__(made), (tridap.block(), made.__new__(made)):
            with pytest.raises(TypeError, match="was never initialised: call"):
                tridap.distribution((4,) * (1 + isinstance(dist, tuple)), dist, processes=2)


def test_a_spec_of_a_class_of_ones_own_is_a_spec():
    class Pairs(tridap.CyclicSpec):
        def __init__(self):
            super().__init__(2, 0)

    assert tridap.distribution(7, Pairs(), processes=2) == tridap.distribution(7, "c:2", processes=2)


@pytest.mark.parametrize("dist", [(8, 5), 8, None, "b", lambda i: i])
@pytest.mark.parametrize("make", [tridap.zeros, tridap.empty, lambda dist: tridap.from_function(dist, lambda i: i)])
def test_a_shape_is_a_type_error_that_advises_distribution(make, dist):
    shape = repr(dist) if isinstance(dist, (int, tuple)) else "shape"
    with pytest.raises(TypeError, match="must be a Distribution") as raised:
        make(dist)
    assert f"tridap.distribution({shape}) makes one" in str(raised.value)


def test_extents_are_taken_exactly():
    assert tridap.distribution((2**62 + 1, np.uint64(2**63 - 1)), ("b", "*"), grid=(1, 1)).shape == (2**62 + 1, 2**63 - 1)
    assert tridap.distribution(np.int8(5), tridap.cyclic(2), grid=np.int16(2)).shape == (5,)


def test_a_communicator_of_another_size_is_refused_with_a_report(comm):
    with pytest.raises(tridap.ProtocolError, match=r"grid\.product") as raised:
        tridap.zeros(tridap.distribution(4, grid=comm.size + 1), comm=comm)
    assert raised.value.report.counts == {"grid.product": 1}


def test_default_processes_are_those_of_the_world(comm):
    assert tridap.distribution(12).processes == comm.size
    assert tridap.zeros(tridap.distribution(12, processes=1)).comm is None
    assert tridap.zeros(tridap.distribution(12)).process == comm.rank


def test_numbers_beyond_64_bits_are_refused():
    for number in 2**63, -2**63 - 1:
        with pytest.raises(OverflowError, match="must fit a signed 64-bit integer"):
            tridap.distribution((number,), processes=1)
    with pytest.raises(tridap.ProtocolError, match="the grid has 4 processes, but processes is 3"):
        tridap.distribution((4, 4), grid=(2, 2), processes=3)


def test_a_negative_local_index_is_out_of_bounds():
    a = tridap.zeros(tridap.distribution((4,), processes=1))
    for index in -1, 4:
        with pytest.raises(IndexError, match=f"local index is {index}, must be at least 0 and less than 4"):
            a.global_index(index)


def test_after_the_end_of_mpi_a_distribution_is_over_one_process(comm):
    code = """
from mpi4py import MPI
import tridap
MPI.Finalize()
print(tridap.distribution((4,)).processes)
"""
    assert ran(comm, sys.executable, "-c", code) == (0, "1\n")
