"""redistribute and Redistribution, against cards that are dealt by hand."""

import copy
import gc
import itertools
import pickle
import random
import threading
from html import unescape

import numpy as np
import pytest
import tridap
from mpi4py import MPI
from producers import block, deal_blocks, deal_cyclic, dict_of, everywhere, places


class Axis:
    """How an axis is dealt: for tridap, and by hand."""

    def __init__(self, spec, held, owned=None):
        self.spec, self.held, self.owned = spec, held, held if owned is None else owned


def axes_of(size, processes, numbers):
    """Some way to deal `size` cards to `processes`; a padded or periodic one if there are enough."""
    kind = numbers.choice(["b", "c", "u", "starts", "padded", "periodic"])
    if kind == "c":
        length, first = numbers.randint(1, 3), numbers.randrange(processes)
        hands = deal_cyclic(size, processes, length, first)
        return Axis(tridap.cyclic(length, first), hands)
    if kind == "u":
        cards = list(range(size))
        numbers.shuffle(cards)
        hands = [cards[hand::processes] for hand in range(processes)]
        return Axis(tridap.unstructured(hands, True), hands)
    if kind == "starts":
        starts = [0] + sorted(numbers.randint(0, size) for _ in range(processes - 1))
        hands = [list(range(*ends)) for ends in zip(starts, starts[1:] + [size])]
        return Axis(tridap.block(starts=starts), hands)
    hands = deal_blocks(size, processes)
    if kind == "b" or size % processes or size // processes < 2:
        return Axis(tridap.block(), hands)
    held = [list(range(max(0, hand[0] - 1), min(size, hand[-1] + 2))) for hand in hands]
    if kind == "padded":
        return Axis(tridap.block(padding=1), held, hands)
    owned = [list(hand) for hand in hands]  # the size includes the mirrors
    inner = deal_blocks(size - 2, processes)
    if (size - 2) % processes or (size - 2) // processes < 1:
        return Axis(tridap.block(), owned)
    held = [[card for card in range(hand[0], hand[-1] + 3)] for hand in inner]
    owned = [[card + 1 for card in hand] for hand in inner]
    owned[0].insert(0, 0)
    owned[-1].append(size - 1)
    return Axis(tridap.block(padding=1, periodic=True), held, owned)


class Dealt:
    """An array of `shape` over `grid`, dealt at random."""

    def __init__(self, shape, grid, numbers):
        self.shape, self.grid = shape, grid
        self.axes = [axes_of(size, processes, numbers) for size, processes in zip(shape, grid)]
        self.distribution = tridap.distribution(shape, [axis.spec for axis in self.axes], grid)

    def held(self, process):
        return [axis.held[c] for axis, c in zip(self.axes, places(self.grid)[process])]

    def owned(self, process):
        """Which of the held elements are owned, by axis."""
        return [np.isin(axis.held[c], axis.owned[c]) for axis, c in zip(self.axes, places(self.grid)[process])]

    def values(self, whole, process):
        return whole[np.ix_(*self.held(process))].copy() if self.shape else whole.copy()


def grids(processes, ndim):
    return [grid for grid in itertools.product(range(1, processes + 1), repeat=ndim) if np.prod(grid) == processes]


def cases(comm, count, seed):
    """Pairs of arrays of one shape, the axes of the second one permuted, and the whole array."""
    numbers = random.Random(f"{seed} {comm.size}")
    for _ in range(count):
        ndim = numbers.randint(1, 3)
        shape = tuple(numbers.choice([0, 1, 2, 5, 6, 12, 14]) for _ in range(ndim))
        axes = numbers.sample(range(ndim), ndim)
        source = Dealt(shape, numbers.choice(grids(comm.size, ndim)), numbers)
        target = Dealt(tuple(shape[axis] for axis in axes), numbers.choice(grids(comm.size, ndim)), numbers)
        yield source, target, axes, np.random.default_rng(numbers.randrange(99)).random(shape), numbers


def strided(values, numbers):
    """The same values in other memory."""
    large = np.full([2 * size + 1 for size in values.shape], np.nan)
    part = large[tuple(slice(size and 2 * size - 1, None, -2) if numbers.random() < 0.5 else slice(1, None, 2)
                       for size in values.shape)][tuple(slice(size) for size in values.shape)]
    part[...] = values
    return part


def set_owned(dealt, whole, process, before):
    """`before`, with the owned elements of the whole."""
    owned = np.ix_(*dealt.owned(process)) if dealt.shape else ()
    after = before.copy()
    after[owned] = dealt.values(whole, process)[owned]
    return after


@pytest.mark.parametrize("seed", range(6))
def test_every_element_comes_to_the_process_to_which_it_is_dealt(comm, seed):
    for source, target, axes, whole, numbers in cases(comm, 8, seed):
        x = tridap.array(strided(source.values(whole, comm.rank), numbers), source.distribution, comm)
        turned = whole.transpose(axes)
        order = numbers.choice("CF")
        plan = tridap.Redistribution(source.distribution, target.distribution, comm=comm, axes=axes, order=order)
        expected = set_owned(target, turned, comm.rank, np.zeros(target.distribution.local_shape(comm.rank)))
        for _ in range(2):
            made = plan(x)
            assert everywhere(comm, np.array_equal(made.local, expected))
            assert everywhere(comm, made.local.flags["C_CONTIGUOUS" if order == "C" else "F_CONTIGUOUS"])
        assert everywhere(comm, made.distribution == target.distribution and made.comm is comm)
        before = np.full(expected.shape, -1.0)
        out = tridap.array(strided(before, numbers), target.distribution, comm)
        assert plan(x, out) is out
        assert everywhere(comm, np.array_equal(out.local, set_owned(target, turned, comm.rank, before)))
        filled = tridap.redistribute(x, target.distribution, axes=axes, fill_padding=True)
        wanted = target.values(turned, comm.rank)
        periodic = any(axis.spec.__class__ is tridap.BlockSpec and len(axis.owned[-1]) != len(axis.held[-1])
                       for axis in target.axes)
        assert everywhere(comm, periodic or np.array_equal(filled.local, wanted))
        back = plan.reversed()
        again = tridap.zeros(source.distribution, comm=comm)
        back(made, again)
        assert everywhere(comm, np.array_equal(again.local, set_owned(source, whole, comm.rank, np.zeros(again.local.shape))))


def test_padding_is_filled_from_the_owners_if_asked(comm):
    size = 4 * comm.size
    x = tridap.from_function(tridap.distribution((size, 3), ("c", "*"), processes=comm.size), lambda i, j: 10.0 * i + j)
    padded = tridap.distribution((size, 3), (tridap.block(padding=2), "*"), processes=comm.size)
    expected = tridap.from_function(padded, lambda i, j: 10.0 * i + j)
    assert everywhere(comm, np.array_equal(x.redistribute(padded, fill_padding=True).local, expected.local))
    bare = x.redistribute(padded)
    assert everywhere(comm, np.array_equal(bare.owned, expected.owned))
    assert everywhere(comm, np.count_nonzero(bare.local) == np.count_nonzero(bare.owned))


@pytest.mark.parametrize("dtype", ["f8", "f4", "c16", "i8", "u1"])
def test_alpha_and_beta_scale_and_add(comm, dtype):
    for source, target, axes, whole, _ in cases(comm, 3, "scaled"):
        whole = (100 * whole).astype(dtype)
        factors = (2, 3) if whole.dtype.kind in "iu" else (2 - 1j, 0.5j) if whole.dtype.kind == "c" else (0.5, -2)
        x = tridap.array(source.values(whole, comm.rank), source.distribution, comm)
        out = tridap.zeros(target.distribution, dtype, comm=comm)
        out.local[...] = 7
        before = out.local.copy()
        tridap.redistribute(x, target.distribution, out, axes=axes, alpha=factors[0], beta=factors[1])
        alpha, beta = np.array(factors).astype(dtype)
        turned = target.values(whole.transpose(axes), comm.rank)
        expected = before.copy()
        owned = np.ix_(*target.owned(comm.rank))
        expected[owned] = (alpha * turned + beta * before)[owned]
        assert everywhere(comm, np.allclose(out.local, expected, rtol=1e-6))


TYPES = ["?", "i1", ">f8", "<u4", "c8", "f2", "M8[ms]", "S3", "U2", "V5", [("a", "<i4"), ("b", ">f8", (2,))]]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_elements_of_every_type_move(comm, dtype):
    dtype, size = np.dtype(dtype), 13
    raw = (np.arange(size * dtype.itemsize) * 37 % 2).astype("u1")
    whole = np.frombuffer(raw.tobytes(), dtype)
    start, stop = size * comm.rank // comm.size, size * (comm.rank + 1) // comm.size
    starts = [size * rank // comm.size for rank in range(comm.size)]
    x = tridap.array(whole[start:stop], tridap.distribution(size, tridap.block(starts=starts)), comm)
    hands = deal_cyclic(size, comm.size, 2)
    for out in (None, np.zeros(len(hands[comm.rank]), dtype)):
        target = None if out is None else tridap.array(out, tridap.distribution(size, "c:2", processes=comm.size), comm)
        moved = tridap.redistribute(x, "c:2", target)
        assert everywhere(comm, moved.dtype == dtype and moved.local.tobytes() == whole[hands[comm.rank]].tobytes())


def test_types_are_converted_if_asked(comm):
    x = tridap.from_function(tridap.distribution(11, processes=comm.size), lambda i: i - 3, "i4")
    expected = np.array(deal_cyclic(11, comm.size)[comm.rank]) - 3
    for dtype in ("f8", "c16", "i2", "i8"):
        moved = tridap.redistribute(x, "c", convert=dtype)
        assert everywhere(comm, moved.dtype == dtype and np.array_equal(moved.local, expected))
        out = tridap.zeros(tridap.distribution(11, "c", processes=comm.size), dtype)
        tridap.redistribute(x, out=out, convert=True)
        assert everywhere(comm, np.array_equal(out.local, expected))
    for refused in ({}, {"convert": False}):
        out = tridap.zeros(tridap.distribution(11, "c", processes=comm.size), "f8")
        with pytest.raises(tridap.ProtocolError, match="out's elements are float64, but x's are int32"):
            tridap.redistribute(x, "c", out, **refused)
    reals = tridap.zeros(tridap.distribution(11, processes=comm.size))
    with pytest.raises(tridap.ProtocolError, match="float64"):
        tridap.redistribute(reals, "c", convert="i8")


def test_the_target_is_a_distribution_or_text_or_another_array(comm):
    dist = tridap.distribution((6, 5), ("b", "*"), processes=comm.size)
    x = tridap.from_function(dist, lambda i, j: 10.0 * i + j)
    columns = tridap.distribution((6, 5), ("*", "c:2"), processes=comm.size)
    like = tridap.zeros(columns)
    foreign = dict_of(like.local, *like.dim_data)
    for to in (columns, "*,c:2", ("*", "c:2"), [tridap.whole(), tridap.cyclic(2)], like, foreign):
        moved = tridap.redistribute(x, to)
        assert everywhere(comm, moved.distribution == columns)
        assert everywhere(comm, np.array_equal(moved.local, tridap.from_function(columns, lambda i, j: 10.0 * i + j).local))
    made = tridap.redistribute(dict_of(x.local, *x.dim_data), None, foreign, comm=comm)
    assert everywhere(comm, not like.local.size or np.shares_memory(made.local, like.local))
    assert everywhere(comm, np.array_equal(like.local, moved.local))
    assert everywhere(comm, x.redistribute("b,b", grid=(1, comm.size)).distribution.grid == (1, comm.size))


def test_elements_that_one_side_lacks_are_left_out_if_asked(comm):
    size = comm.size
    evens = [[4 * c, 4 * c + 2] for c in range(size)]
    x = tridap.zeros(tridap.distribution(2 * size, (evens,)))
    x.local[...] = evens[comm.rank]
    target = tridap.distribution(2 * size, ([[4 * c + 2, 4 * c + 3] for c in range(size)],))
    for _ in range(2):
        made = tridap.redistribute(x, target, partial=True)
        assert everywhere(comm, made.local.tolist() == [4 * comm.rank + 2, 0])
    with pytest.raises(tridap.ProtocolError, match="partial"):
        tridap.redistribute(x, target)


def test_one_element_without_axes_and_arrays_of_one_process(comm):
    alone = tridap.from_function(tridap.distribution((), (), ()), lambda: 3.0)
    assert tridap.redistribute(alone, ()).local == 3 and tridap.redistribute(alone, "").comm is None
    x = tridap.from_function(tridap.distribution((4, 3), processes=1), lambda i, j: 10.0 * i + j)
    turned = x.redistribute("*,*", axes=(1, 0))
    assert turned.comm is None and np.array_equal(turned.local, x.local.T)
    with tridap.Redistribution(x, turned, axes=(-1, 0)).start(x) as move:
        assert move.test() in (True, False)
    assert np.array_equal(move.wait().local, x.local.T)


def test_fewer_processes_on_either_side(comm):
    size, few = comm.size, (comm.size + 1) // 2
    wide, narrow = tridap.distribution(12, processes=size), tridap.distribution(12, "c", processes=few)
    ranks = list(range(size - 1, size - 1 - few, -1))
    mine = ranks.index(comm.rank) if comm.rank in ranks else None
    x = tridap.from_function(wide, lambda i: i + 0.0)
    plan = tridap.Redistribution(wide, narrow, comm=comm, target_ranks=ranks)
    made = plan(x)
    assert everywhere(comm, (made is None) == (mine is None))
    assert everywhere(comm, made is None or made.local.tolist() == deal_cyclic(12, few)[mine])
    assert everywhere(comm, made is None or made.comm.size == few and made.comm.rank == mine)
    back = plan.reversed()
    assert everywhere(comm, np.array_equal(back(made).local, x.local))
    again = back.reversed()(x)
    assert everywhere(comm, made is None or again.comm is made.comm and np.array_equal(again.local, made.local))
    assert made is None or np.array_equal(made.allgather(), np.arange(12))
    assert tridap.Redistribution(wide, narrow, comm=comm, target_ranks=ranks)(x) is None or made.comm is not None
    with pytest.raises(tridap.ProtocolError, match="None"):
        plan(None if comm.rank == size - 1 else x)
    if few < size:
        with pytest.raises(tridap.ProtocolError, match="must be None on a process that holds no part"):
            plan(x, tridap.zeros(tridap.distribution(3, processes=1)))


def test_relabel_finds_the_placement_that_sends_least(comm):
    size = comm.size
    here = tridap.distribution(5 * size, processes=size)
    lists = deal_blocks(5 * size, size)
    turned = tridap.distribution(5 * size, (lists[1:] + lists[:1],))
    found = tridap.relabel(here, turned)
    assert found.ranks == tuple((c + 1) % size for c in range(size)) and found.exact
    assert found.bytes_kept == found.most_bytes_kept == 40 * size
    assert found.bytes_kept_before == (40 if size == 1 else 0)
    assert tridap.relabel(here, turned, "f4").bytes_kept == 20 * size
    plan = tridap.Redistribution(here, turned, comm=comm, target_ranks=found.ranks)
    assert plan.bytes_sent == 0 and np.trace(plan.traffic()) == found.bytes_kept
    x = tridap.from_function(here, lambda i: i, int)
    made = tridap.Redistribution(here, turned, int, comm, target_ranks=found.ranks)(x)
    assert everywhere(comm, np.array_equal(made.local, x.local) and made.process == (comm.rank - 1) % size)
    assert everywhere(comm, np.array_equal(made.allgather(), np.arange(5 * size)))


def test_relabel_refuses_more_pairs_than_it_may_look_at():
    blocks, dealt = tridap.distribution(10000, "b", processes=100), tridap.distribution(10000, "c", processes=100)
    assert tridap.relabel(blocks, dealt, most_pairs=10100).bytes_kept == 8 * 100
    with pytest.raises(tridap.ProtocolError, match="about 10100 pairs .* at most most_pairs, 10099"):
        tridap.relabel(blocks, dealt, most_pairs=10099)
    many = [tridap.distribution(10 ** 12, kind, processes=10 ** 5) for kind in "bc"]
    with pytest.raises(tridap.ProtocolError, match="at most most_pairs, 1000000000"):
        tridap.relabel(*many)
    with pytest.raises(TypeError, match="most_pairs"):
        tridap.relabel(blocks, dealt, most_pairs="many")


def test_a_plan_says_what_it_sends(comm):
    size = comm.size
    rows = tridap.distribution((4 * size, size), ("b", "*"), processes=size)
    columns = tridap.distribution((4 * size, size), ("*", "b"), processes=size)
    plan = tridap.Redistribution(rows, columns, "f4", comm)
    assert np.array_equal(plan.traffic(), np.full((size, size), 16))
    assert (plan.bytes_kept, plan.bytes_sent, plan.bytes_received) == (16, 16 * (size - 1), 16 * (size - 1))
    assert plan.source == rows and plan.target == columns and plan.dtype == "f4" and plan.comm is comm
    assert f"{16 * size * (size - 1)} B are sent" in plan.explain()
    assert "16 B" in plan.explain() and repr(plan) == (
        f"<tridap.Redistribution of float32: {rows.describe()} -> {columns.describe()}>")


def test_plot_shows_the_bytes_from_each_process_to_each(comm):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    size = comm.size
    plan = tridap.Redistribution(tridap.distribution(5 * size, processes=size),
                                 tridap.distribution(5 * size, "c", processes=size), comm=comm)
    ax = plan.plot()
    assert everywhere(comm, (ax is None) == (comm.rank != 0))
    if ax is not None:
        assert np.array_equal(ax.images[0].get_array(), plan.traffic())
        assert ax.get_xlabel() == "to process" and ax.get_ylabel() == "from process"
        assert [text.get_text() for text in ax.texts] == [str(n) for n in plan.traffic().ravel() if n]
        assert ax.get_title() == f"{plan.traffic().sum() - np.trace(plan.traffic())} of {40 * size} bytes are sent"
    with pytest.raises((tridap.ProtocolError, AttributeError), match="'int' object has no attribute"):
        plan.plot(ax=5 if comm.rank == 0 else None)
    pyplot.close("all")


def test_start_lets_the_program_compute(comm):
    x = tridap.from_function(tridap.distribution((60, 40), ("b", "*"), processes=comm.size), lambda i, j: 100.0 * i + j)
    target = tridap.distribution((60, 40), ("*", "b"), processes=comm.size)
    expected = tridap.from_function(target, lambda i, j: 100.0 * i + j).local
    plan = tridap.Redistribution(x, target)
    with plan.start(x) as move:
        while not move.test():
            pass
    assert everywhere(comm, move.test() and np.array_equal(move.wait().local, expected))
    out = tridap.zeros(target)
    out.local[...] = 1
    move = plan.start(x, out, alpha=2, beta=3)
    assert move.wait() is out and move.wait() is out
    assert everywhere(comm, np.array_equal(out.local, 2 * expected + 3))
    out.local[...] = 0
    with plan.start(x, out):
        pass
    assert everywhere(comm, np.array_equal(out.local, expected))
    first = plan.start(x)
    second = plan(x)  # ends the first
    assert everywhere(comm, first.test() and np.array_equal(first.wait().local, expected))
    assert everywhere(comm, np.array_equal(second.local, expected))
    first, second = plan.start(x), plan.start(x, out)
    assert everywhere(comm, np.array_equal(first.wait().local, expected))
    assert everywhere(comm, np.array_equal(second.wait().local, expected))
    with pytest.raises(ZeroDivisionError):
        with plan.start(x) as move:
            1 / 0
    assert everywhere(comm, np.array_equal(move.wait().local, expected))


def test_made_arrays_outlive_their_plan_and_keep_their_values(comm):
    x = tridap.from_function(tridap.distribution(1000, processes=comm.size), lambda i: i + 0.0)
    plan = tridap.Redistribution(x, tridap.distribution(1000, "c", processes=comm.size))
    kept = [plan(x, alpha=k) for k in range(1, 4)]
    expected = np.array(deal_cyclic(1000, comm.size)[comm.rank])
    views = [array.local for array in kept]
    del plan, kept
    gc.collect()
    other = tridap.Redistribution(x, tridap.distribution(1000, "c:3", processes=comm.size))
    for _ in range(3):
        other(x, alpha=100)
    assert everywhere(comm, all(np.array_equal(view, k * expected) for k, view in enumerate(views, 1)))


def test_a_plan_that_is_dropped_during_a_move_ends_it(comm):
    x = tridap.from_function(tridap.distribution((300, 200), ("b", "*"), processes=comm.size), lambda i, j: i + j, int)
    target = tridap.distribution((300, 200), ("*", "c"), processes=comm.size)
    out = tridap.zeros(target, int)
    plan = tridap.Redistribution(x, target, int)
    move = plan.start(x, out)
    del plan, move, x
    gc.collect()
    assert everywhere(comm, np.array_equal(out.local, tridap.from_function(target, lambda i, j: i + j).local))
    cycle = [tridap.Redistribution(out, target, int)]
    cycle.append(cycle)
    cycle[0].self = cycle
    del cycle
    gc.collect()


def test_threads_move_on_one_communicator_in_turns(comm):
    dist, target = tridap.distribution(50, processes=1), tridap.distribution(50, "c:3", processes=1)
    x = tridap.from_function(dist, lambda i: i + 0.0, comm=MPI.COMM_SELF)
    plan = tridap.Redistribution(x, target)
    results = []

    def work(k):
        own = tridap.Redistribution(x, target, comm=MPI.COMM_SELF)
        with own.start(x, alpha=k) as move:
            pass
        results.append((k, plan(x, alpha=k).local[7], move.wait().local[7], x.allgather()[7], x.gather()[7]))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(k, 7.0 * k, 7.0 * k, 7, 7) for k in range(20)]


def test_communicators_of_fewer_processes_are_freed_with_theirs(comm):
    whole = comm.Dup()
    few = max(1, comm.size - 1)
    plans = [tridap.Redistribution(tridap.distribution(8, processes=comm.size), tridap.distribution(8, dist, processes=few),
                                   comm=whole) for dist in ("b", "c")]
    made = [plan(tridap.zeros(plan.source, comm=whole)) for plan in plans]
    inner = None if comm.rank == few else made[0].comm
    assert inner is None or made[1].comm is inner and inner.size == few
    whole.Free()
    assert comm.size == 1 or inner is None or inner == MPI.COMM_NULL


def test_arrays_of_the_older_version_move(comm):
    size, rank = 4 * comm.size, comm.rank
    axis = block(size, comm.size, rank, padding=(1, 1), periodic=True)
    values = np.arange(4.0 * rank - 1, 4 * rank + 5) % size
    x = tridap.asarray(dict_of(values, axis, version="0.9.0"), comm)
    moved = tridap.redistribute(x, "c")  # of the numbering of 0.10, which counts the mirrors
    expected = np.array([size - 1, *range(size), 0])[deal_cyclic(size + 2, comm.size)[rank]]
    assert everywhere(comm, np.array_equal(moved.local, expected))
    assert everywhere(comm, np.array_equal(x.allgather(), np.arange(size)))


def test_a_notebook_shows_what_a_plan_does_as_a_table(comm):
    many = tridap.Redistribution(tridap.distribution(12, processes=comm.size), tridap.distribution(12, "c", processes=comm.size),
                                 comm=comm)
    said = many.explain()
    html = said._repr_html_()
    assert isinstance(said, str) and html.count("<tr>") == comm.size + 1
    for (sender, receiver), number in np.ndenumerate(many.traffic()):
        row = html.split(f">from {sender}<")[1].split("</tr>")[0]
        assert f">{number:,}<" in row and f">to {receiver}<" in html
    assert said.splitlines()[0] in unescape(html) and said.splitlines()[-1] in unescape(html)


def test_the_axes_of_a_target_are_those_of_the_turned_array(comm):
    x = tridap.from_function(tridap.distribution((6, 5), ("b", "*"), processes=comm.size), lambda i, j: 10.0 * i + j)
    for axes in (1, 0), (-1, -2):
        turned = tridap.redistribute(x, "b,*", axes=axes)
        wanted = tridap.distribution((5, 6), ("b", "*"), processes=comm.size)
        assert everywhere(comm, turned.distribution == wanted)
        expected = tridap.from_function(wanted, lambda i, j: 10.0 * j + i)
        assert everywhere(comm, np.array_equal(turned.local, expected.local))


def test_a_move_says_whether_its_plan_has_ended_it():
    class Plan:
        ended = False

        def _test(self, number):
            assert number == 7
            return self.ended

    plan = Plan()
    move = tridap.Moving(plan, 7, None)
    assert move.test() is False
    plan.ended = True
    assert move.test() is True


def test_a_reversed_conversion_has_the_type_of_the_target(comm):
    rows = tridap.distribution((6,), processes=comm.size)
    dealt = tridap.distribution((6,), ("c",), processes=comm.size)
    plan = tridap.Redistribution(rows, dealt, "i4", convert=True)
    assert plan.reversed().dtype == np.int32
    x = tridap.from_function(rows, lambda i: i, "i4")
    out = plan(x, tridap.zeros(dealt, "f8"))
    back = plan.reversed()
    assert everywhere(comm, back.dtype == np.float64)
    assert everywhere(comm, np.array_equal(back(out).local, x.local))


def test_padding_of_memory_that_is_used_again_is_zero(comm):
    rows = tridap.distribution((4 * comm.size,), processes=comm.size)
    padded = tridap.distribution((4 * comm.size,), (tridap.block(padding=1),), processes=comm.size)
    plan = tridap.Redistribution(rows, padded, comm=comm)
    x = tridap.from_function(rows, lambda i: i + 1.0, comm=comm)
    before, after = comm.rank > 0, comm.rank < comm.size - 1
    for _ in range(3):
        made = plan(x)
        expected = [0] * before + [4 * comm.rank + k + 1 for k in range(4)] + [0] * after
        assert everywhere(comm, made.local.tolist() == expected)
        made.local[...] = 7
        del made


def test_a_plan_is_its_own_copy_and_is_not_pickled(comm):
    plan = tridap.Redistribution(tridap.distribution(8, processes=comm.size), tridap.distribution(8, "c", processes=comm.size),
                                 comm=comm)
    assert copy.copy(plan) is plan and copy.deepcopy([plan])[0] is plan
    with pytest.raises(TypeError, match=r"Redistribution cannot be pickled.*tridap.Redistribution\(source, target\)"):
        pickle.dumps(plan)


def lists_of(comm):
    """Each process has every P-th index."""
    return tridap.distribution(6 * comm.size, tridap.unstructured([range(r, 6 * comm.size, comm.size) for r in range(comm.size)]),
                               processes=comm.size)


@pytest.mark.parametrize("kind", ["blocks", "lists"])
def test_a_plan_makes_targets_of_sources_in_any_layout(comm, kind):
    source = lists_of(comm) if kind == "lists" else tridap.distribution(6 * comm.size, processes=comm.size)
    plan = tridap.Redistribution(source, tridap.distribution(6 * comm.size, "c:2", processes=comm.size))
    x = tridap.from_function(source, lambda i: 1.0 + i)
    wide = np.zeros(2 * x.local.size)
    wide[::2] = x.local
    strided = tridap.asarray({"__version__": "0.10.0", "buffer": wide[::2], "dim_data": source.dim_data(comm.rank)}, comm)
    kept = []
    for given in (x, x, strided, x, strided):
        made = plan(given)
        assert np.array_equal(made.allgather(), 1.0 + np.arange(6 * comm.size))
        kept.append(made if len(kept) % 2 else None)


def test_a_plan_makes_targets_where_processes_hold_others(comm):
    source = tridap.distribution(6 * comm.size, processes=comm.size)
    plan = tridap.Redistribution(source, tridap.distribution(6 * comm.size, "c:2", processes=comm.size))
    kept = []
    for turn in range(12):
        made = plan(tridap.from_function(source, lambda i: turn + i))
        assert np.array_equal(made.allgather(), turn + np.arange(6 * comm.size))
        if (turn + comm.rank) % 3:
            kept.append((turn, made))
        del made
        if turn % 4 == 3:
            del kept[comm.rank % 2::2]
    for turn, made in kept:
        (mine,) = made.distribution.indices(comm.rank)
        assert np.array_equal(made.local, turn + mine)


def test_a_foreign_array_moves_from_all_processes_to_one():
    comm = MPI.COMM_WORLD
    x = tridap.from_function(tridap.distribution(8, processes=comm.size), lambda i: 1.0 * i, comm=comm)

    class Foreign:
        def __distarray__(self):
            return x.__distarray__()

    moved = tridap.redistribute(Foreign(), tridap.distribution(8, processes=1))
    if comm.rank == 0:
        assert moved.local.tolist() == list(range(8))
    else:
        assert moved is None
