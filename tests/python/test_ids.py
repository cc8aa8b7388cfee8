"""ravel, to_ids, from_ids, and several arrays with one round of messages, beside NumPy's own numbering."""

import numpy as np
import pytest
import tridap
from producers import everywhere, refused_by_all

SHAPE = (5, 7)


def whole(shape=SHAPE):
    return np.random.default_rng(5).permutation(np.prod(shape)).reshape(shape).astype(float)


def layouts(p):
    yield tridap.distribution(SHAPE, "b,*", processes=p)
    yield tridap.distribution(SHAPE, "*,c:2", processes=p)
    yield tridap.distribution(SHAPE, ([list(range(r, 5, p))[::-1] for r in range(p)], "*"), processes=p)
    yield tridap.distribution((5 * p, 7), (tridap.block(padding=2), "*"), processes=p)


def wanted(rank, count, seed=0):
    """Arbitrary numbers, in any order, some of them several times; none on process 1."""
    return [] if rank == 1 else np.random.default_rng(100 * seed + rank).integers(0, count, 3 + 4 * rank)


@pytest.mark.parametrize("ravel", ["C", "F"])
def test_ravel_moves_to_flat_numbers_and_back(comm, ravel):
    for dist in layouts(comm.size):
        values = whole(dist.shape)
        x = tridap.scatter(values if comm.rank == 0 else None, dist, comm)
        for axis in "b", "c:3":
            line = tridap.redistribute(x, axis, ravel=ravel)
            assert line.distribution == tridap.distribution(values.size, axis, processes=comm.size)
            assert everywhere(comm, np.array_equal(line.allgather(), values.ravel(order=ravel)))
            back = tridap.redistribute(line, dist, ravel=ravel)
            assert everywhere(comm, np.array_equal(back.interior, x.interior))
        plan = tridap.Redistribution(dist, line, ravel=ravel)
        assert np.array_equal(plan(x).local, line.local) and np.array_equal(plan.reversed()(line).interior, x.interior)
        assert plan.traffic().sum() == 8 * values.size and "flat numbers" in plan.explain()


@pytest.mark.parametrize("ravel", ["C", "F"])
@pytest.mark.parametrize("root", [0, -1])
def test_to_ids_gives_each_process_the_elements_of_its_numbers(comm, ravel, root):
    for seed, dist in enumerate(layouts(comm.size)):
        values = whole(dist.shape)
        x = tridap.scatter(values if comm.rank == 0 else None, dist, comm)
        ids = wanted(comm.rank, values.size, seed)
        plan = tridap.to_ids(dist, ids, comm=comm, ravel=ravel, partial=True)
        moved = plan(x)
        assert everywhere(comm, moved.local.tolist() == values.ravel(order=ravel)[np.asarray(ids, int)].tolist())
        assert moved.ndim == 1 and moved.comm is comm and plan.target == moved.distribution
        again = tridap.array(np.full(len(ids), -1.0), plan.target, comm)
        assert plan(x, again, alpha=2) is again
        assert everywhere(comm, np.array_equal(again.local, 2 * moved.local))


def test_ids_and_elements_may_be_of_any_type(comm):
    dist = tridap.distribution(12 * comm.size, "c:2")
    for ids in (range(3 * comm.rank, 3 * comm.rank + 5), np.arange(5, dtype="u1"), np.arange(10, dtype=">i4")[::2], [7, 3]):
        for dtype in "f4", "M8[s]", "S3":
            values = np.arange(12 * comm.size).astype("i8").astype(dtype)
            x = tridap.scatter(values if comm.rank == 0 else None, dist, comm)
            moved = tridap.to_ids(x, ids, dtype, partial=True)(x)
            assert everywhere(comm, moved.dtype == dtype and moved.local.tolist() == values[list(ids)].tolist())
    x = tridap.from_function(dist, lambda i: i)
    moved = tridap.to_ids(dist, range(2), convert="f4", partial=True)(x)
    assert moved.dtype == "f4" and moved.local.tolist() == [0, 1]


@pytest.mark.parametrize("ravel", ["C", "F"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_from_ids_places_elements_by_number_and_is_reversible(comm, ravel, order):
    for seed, dist in enumerate(layouts(comm.size)):
        values = whole(dist.shape)
        mine = np.random.default_rng(seed).permutation(values.size)[comm.rank::comm.size]  # each number on one process
        plan = tridap.from_ids(mine, dist, comm=comm, ravel=ravel, order=order)
        given = tridap.array(values.ravel(order=ravel)[mine], plan.source, comm)
        moved = plan(given)
        assert moved.distribution == dist and moved.local.flags[order + "_CONTIGUOUS"]
        assert everywhere(comm, np.array_equal(moved.gather() if comm.size == 1 else moved.allgather(), values))
        assert everywhere(comm, np.array_equal(plan.reversed()(moved).local, given.local))
        forward = tridap.to_ids(dist, mine, comm=comm, ravel=ravel)
        assert everywhere(comm, np.array_equal(forward(moved).local, given.local))
        assert everywhere(comm, np.array_equal(forward.reversed()(given).interior, moved.interior))
        assert plan.bytes_sent + plan.bytes_kept == 8 * mine.size


def test_partial_leaves_out_what_no_process_lists(comm):
    dist = tridap.distribution(4 * comm.size)
    plan = tridap.from_ids([4 * comm.rank + 1], dist, partial=True)
    given = tridap.array(np.full(1, 5.0), plan.source)
    assert plan(given).local.tolist() == [0, 5, 0, 0]
    out = tridap.from_function(dist, lambda i: -1.0 + 0 * i)
    assert plan(given, out).local.tolist() == [-1, 5, -1, -1]


def test_a_plan_of_ids_explains_itself_without_a_table(comm):
    plan = tridap.to_ids(tridap.distribution(4 * comm.size), range(2), partial=True)
    text = plan.explain()
    assert isinstance(text, str) and len(text) > 10 and "<" in text._repr_html_()
    for call in (plan.traffic, plan.plot):
        with pytest.raises(ValueError, match="each process knows its own alone"):
            call()


def test_one_process_needs_no_communicator():
    dist = tridap.distribution((2, 3), processes=1)
    x = tridap.from_function(dist, lambda i, j: 10 * i + j)
    plan = tridap.to_ids(dist, [5, 0, 0], partial=True)
    assert plan(x).local.tolist() == [12, 0, 0] and plan(x).comm is None or plan(x).comm.size == 1
    assert tridap.redistribute(x, "b", ravel="F").local.tolist() == [0, 10, 1, 11, 2, 12]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_several_arrays_move_with_one_call(comm, count):
    source, target = tridap.distribution((6, 9), "b,*"), tridap.distribution((6, 9), "*,c")
    plan = tridap.Redistribution(source, target)
    values = [k + whole((6, 9)) for k in range(count)]
    given = [tridap.scatter(v if comm.rank == 0 else None, source, comm) for v in values]
    given = [x if k != 1 else tridap.array(np.asfortranarray(x.local), source, comm) for k, x in enumerate(given)]
    outs = [None if k == 2 else tridap.zeros(target) for k in range(count)]
    made = plan([(x, out) for x, out in zip(given, outs)])
    assert len(made) == count and all(out is None or out is got for got, out in zip(made, outs))
    for got, v in zip(made, values):
        assert got.distribution == target
        assert everywhere(comm, np.array_equal(got.allgather(), v))
    if count:
        plan([(given[0], made[0])], alpha=3, beta=1)
        assert everywhere(comm, np.array_equal(made[0].allgather(), 4 * values[0]))


def test_what_one_process_gets_wrong_is_refused_by_all(comm):
    p, last = comm.size, comm.rank == comm.size - 1
    dist, line = tridap.distribution((4, 2 * p), "*,b"), tridap.distribution(8 * p)
    plan = tridap.Redistribution(dist, tridap.distribution((4, 2 * p), "*,c"))
    x, out = tridap.zeros(dist), tridap.zeros(plan.target)
    refused = {
        "ravel is 'K', must be 'C'": lambda: tridap.Redistribution(dist, line, ravel="K" if last else "C"),
        "axes and ravel are both given": lambda: tridap.Redistribution(dist, line, ravel="C", axes=(0, 1)),
        "fill_padding and ravel are both given": lambda: tridap.Redistribution(dist, line, ravel="C", fill_padding=True),
        "ravel is 'C', but the source has 2 axes and the target 2": lambda: tridap.Redistribution(dist, dist, ravel="C"),
        "the target has 1 axes, must have 2, as the source; or pass ravel='C'": lambda: tridap.Redistribution(dist, line),
        "ravel is given, and x has one axis": lambda: tridap.redistribute(tridap.zeros(line), "b", ravel="C"),
        f"id {8 * p} at local index 1 is not an element": lambda: tridap.to_ids(dist, [0, 8 * p] if last else [0], partial=True),
        "id -1 at local index 0 is not an element": lambda: tridap.to_ids(dist, [-1] if last else [], partial=True),
        "is listed by no process": lambda: tridap.to_ids(dist, []),
        "is listed twice": lambda: tridap.from_ids([0, 0] if last else [], dist, partial=True),
        r"ids is \[0.5\], must be integers": lambda: tridap.to_ids(dist, [0.5] if last else []),
        r"ids is \[\[1\]\], must have one axis": lambda: tridap.to_ids(dist, [[1]] if last else []),
        "must fit a signed 64-bit": lambda: tridap.to_ids(dist, np.array([2**63], "u8") if last else []),
        "source is a int, must be a Distribution": lambda: tridap.to_ids(5 if last else dist, [], comm=comm),
        "ravel is 'A', must be 'C'": lambda: tridap.from_ids([], dist, ravel="A" if last else "C"),
        r"entry 1 of the list is a tridap._core.DistArray, must be a pair": lambda: plan([(x, out), x if last else (x, out)]),
        "out is given beside a list": lambda: plan([(x, None)], out if last else None),
        "beta is not 0, but out is None": lambda: plan([(x, None)], beta=1),
    }
    if p > 1:
        refused["out has another distribution than the plan"] = lambda: plan([(x, out), (x, x)])
        refused["must be the same on every process"] = lambda: tridap.to_ids(dist, [], ravel="F" if last else "C", partial=True)
        refused["."] = lambda: plan([(x, out)] * (2 if last else 1))
        refused["[a-z]"] = lambda: plan([(x, out)]) if last else plan(x)
    refused_by_all(comm, refused, (ValueError, TypeError, OverflowError) if p == 1 else tridap.ProtocolError)
    assert everywhere(comm, np.array_equal(plan([(x, out)])[0].local, np.zeros_like(out.local)))


def test_the_array_may_be_on_other_ranks_than_its_processes(comm):
    """The whole array is on the last rank; every process has ids."""
    dist, last = tridap.distribution((3, 4), processes=1), comm.size - 1
    values = whole((3, 4))
    alone = comm.Split(comm.rank == last)
    here = tridap.array(values, dist, alone) if comm.rank == last else None
    mine = np.arange(12)[comm.rank::comm.size]
    out, back = tridap.to_ids(dist, mine, comm=comm, source_ranks=[last]), tridap.from_ids(mine, dist, comm=comm, target_ranks=[last])
    given = out(here)
    assert everywhere(comm, np.array_equal(given.local, values.ravel()[mine]))
    for plan in back, out.reversed():
        moved = plan(given)
        assert everywhere(comm, np.array_equal(moved.local, values) and moved.comm.size == 1 if comm.rank == last else moved is None)
    again = back.reversed()(here)
    assert everywhere(comm, np.array_equal(again.local, given.local) and again.comm is comm and again.is_whole)
