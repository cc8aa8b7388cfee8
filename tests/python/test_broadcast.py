"""Axes of one element beside longer ones, and NumPy arrays that every process has: what NumPy gives for the whole arrays."""

import operator
import re

import numpy as np
import pytest
import tridap
from computing import Made, blocks, dealt, gaps, old_ring, padded, ring, shared
from remedies import remedy

REDUCTIONS = {"mean": np.mean, "sum": np.sum, "max": np.max, "std": np.std}
OPERATORS = [operator.sub, operator.truediv, operator.mul, operator.ge, operator.eq, np.maximum, np.hypot]


def needs_several(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")


def positive(*index):
    return 1.0 + (7 * index[0] + 3 * sum(index)) % 5


def layouts(p):
    """Axes, their grid, and the axes on one process."""
    yield (padded(p), blocks(3, 1)), (p, 1), 1
    yield (blocks(2, p), blocks(4, 1)), (p, 1), 1  # some processes without elements
    yield (blocks(4, 1), dealt(7, p)), (1, p), 0
    yield (blocks(3, 1), padded(p), blocks(2, 1)), (1, p, 1), (0, 2)
    yield (padded(p), padded(1, (2, 1))), (p, 1), -1
    yield (gaps(p), blocks(3, 1)), (p, 1), 1
    yield (shared(p), blocks(3, 1)), (p, 1), 1
    yield (padded(p), blocks(0, 1)), (p, 1), 1


def made_in(comm, axes, grid, **how):
    return Made(comm, axes, grid, of=positive, garbage=2, **how)


def is_whole(comm, found, wanted, like):
    assert type(found) is tridap.DistArray and found.dtype == wanted.dtype and found.distribution == like.distribution
    assert np.allclose(found.allgather(), wanted, rtol=1e-14, equal_nan=True) and tridap.check(found, comm).ok
    assert found.comm is like.comm


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:Degrees of freedom", "ignore:invalid value")
@pytest.mark.parametrize("call", REDUCTIONS)
def test_an_axis_of_one_element_meets_each_index(comm, call):
    for axes, grid, axis in layouts(comm.size):
        made = made_in(comm, axes, grid)
        x, whole = made.array, made.whole
        if call == "max" and 0 in whole.shape:
            continue
        with np.errstate(all="ignore"):
            m = getattr(x, call)(axis=axis, keepdims=True)
            of_numpy = REDUCTIONS[call](whole, axis=axis, keepdims=True)
            for of_two in OPERATORS:
                is_whole(comm, of_two(x, m), of_two(whole, of_numpy), x)
                is_whole(comm, of_two(m, x), of_two(of_numpy, whole), x)
            m_local = np.broadcast_to(m.local, x.local.shape)
            assert np.array_equal((x - m).local, x.local - m_local, equal_nan=True)  # padding, too


@pytest.mark.filterwarnings("ignore:Mean of empty slice", "ignore:invalid value")
def test_what_is_in_place_stays_in_the_larger_array(comm):
    for axes, grid, axis in layouts(comm.size):
        made = made_in(comm, axes, grid)
        x, address, wanted = made.array, made.memory.ctypes.data, made.whole - made.whole.mean(axis=axis, keepdims=True)
        m = x.mean(axis=axis, keepdims=True)
        x -= m
        assert x is made.array and x.local.ctypes.data == address and np.allclose(x.allgather(), wanted)
        if x.distribution.shape == m.distribution.shape or not x.size:
            continue
        for write in (lambda: operator.isub(m, x), lambda: np.add(m, x, out=m), lambda: np.copyto(m, x),
                      lambda: np.clip(x, m, 9, out=m), lambda: m.__setitem__(..., x)):
            with pytest.raises(tridap.ProtocolError, match="has a result of shape .* but the array to which it writes has shape"):
                write()


FUNCTIONS = {
    "where": lambda x, m, n: n.where(x > m, x, m), "clip": lambda x, m, n: n.clip(x, m, 4), "isclose": lambda x, m, n: n.isclose(m, x, atol=1),
    "masked": lambda x, m, n: n.divide(x, m, out=n.zeros_like(x), where=m > 3), "allclose": lambda x, m, n: n.allclose(x, m, atol=9),
    "not close": lambda x, m, n: n.allclose(m, x), "softmax": lambda x, m, n: n.exp(x - m) / n.exp(x - m).sum(axis=1, keepdims=True),
    "normed": lambda x, m, n: x / n.linalg.norm(x, axis=1, keepdims=True), "full": lambda x, m, n: n.full_like(x, m),
    "new axis": lambda x, m, n: x - n.expand_dims(x.mean(axis=1), 1), "key": lambda x, m, n: x * m[:, 0][:, None],
    "tuple of axes": lambda x, m, n: x - x.mean(axis=(1,), keepdims=True), "negative": lambda x, m, n: x - x.mean(axis=-1, keepdims=True),
    "outer": lambda x, m, n: m + n.arange(3.0), "third axis": lambda x, m, n: x[:, :, None] * n.arange(1.0, 3.0)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_elements_broadcast_as_numpys(comm, name):
    for axes, grid in [((padded(comm.size), blocks(3, 1)), (comm.size, 1)), ((blocks(2, comm.size), blocks(3, 1)), (comm.size, 1))]:
        made = made_in(comm, axes, grid)
        x, whole = made.array, made.whole
        found, wanted = (FUNCTIONS[name](a, a.max(axis=1, keepdims=True), np) for a in (x, whole))
        if type(found) is not tridap.DistArray:
            assert found is wanted
            continue
        is_whole(comm, found, wanted, x[:, :, None] * np.ones(2) if wanted.ndim == 3 else x)


def test_an_assignment_broadcasts(comm):
    made = made_in(comm, (padded(comm.size), blocks(3, 1)), (comm.size, 1))
    x, whole = made.array, made.whole
    m = x.max(axis=1, keepdims=True)
    x[:, 1:] = m
    whole[:, 1:] = whole.max(axis=1, keepdims=True)
    x[0] = [5.0, 6.0, 7.0]
    whole[0] = 5, 6, 7
    assert np.array_equal(x.allgather(), whole)


def test_a_numpy_array_is_that_of_every_process(comm):
    for axes, grid, axis in layouts(comm.size):
        made = made_in(comm, axes, grid)
        x, whole = made.array, made.whole
        free = np.atleast_1d(axis) % x.ndim
        shape = [n if number in free else 1 for number, n in enumerate(whole.shape)]
        w = 1.0 + np.arange(np.prod(shape)).reshape(shape)
        for given in (w, w.astype("f4"), w[0]) if 0 not in free else (w, w[..., ::-1]):
            for of_two in OPERATORS:
                is_whole(comm, of_two(x, given), of_two(whole, given), x)
                is_whole(comm, of_two(given, x), of_two(given, whole), x)
        x *= w
        assert np.array_equal(x.allgather(), whole * w)
    x = tridap.from_function(tridap.distribution((2 * comm.size, 3), "b,*", processes=comm.size), lambda i, j: i + j)
    assert np.array_equal((x * [1, 2, 3]).allgather(), x.allgather() * [1, 2, 3])
    assert np.allclose(x, x + [0, 0, 1e-9]) and not np.allclose(x, [1, 2, 3])
    with pytest.raises(TypeError, match="has a mask"):
        x * np.ma.array([1, 2, 3], mask=[0, 1, 0])
    with pytest.raises(TypeError, match="to which it would write the part of this process"):
        np.copyto(np.zeros((1, 3)), x)


def test_a_numpy_array_along_other_indices_is_refused(comm):
    ring_of_old = Made(comm, (old_ring(1), blocks(4, comm.size)), (1, comm.size), version="0.9.0").array
    turned = tridap.zeros(tridap.distribution((3, comm.size), ([[2, 0, 1]], "b"), (1, comm.size)))
    for x in ring_of_old, turned:
        with pytest.raises(TypeError, match="which elements of the whole array these are is not known"):
            x * np.ones((3, 1))
    mirrors = Made(comm, (ring(1), blocks(4, comm.size)), (1, comm.size)).array
    assert (mirrors * np.ones((5, 1))).shape == mirrors.shape


def test_a_reduction_of_all_axes_keeps_them_as_a_numpy_array(comm):
    for axes, grid, _ in layouts(comm.size):
        made = made_in(comm, axes, grid)
        if 0 in made.whole.shape:
            continue
        for call, of_numpy in {**REDUCTIONS, "min": np.min, "prod": np.prod, "var": np.var, "all": np.all, "any": np.any}.items():
            for axis in (None, tuple(range(made.array.ndim))):
                wanted = of_numpy(made.whole, axis=axis, keepdims=True)
                found = getattr(made.array, call)(axis=axis, keepdims=True)
                assert type(found) is np.ndarray and found.dtype == wanted.dtype and found.shape == wanted.shape
                assert np.allclose(found, wanted, rtol=1e-14)
        is_whole(comm, made.array / made.array.sum(keepdims=True), made.whole / made.whole.sum(), made.array)
    line = made_in(comm, (dealt(9, comm.size),), (comm.size,))
    is_whole(comm, line.array - line.array.max(axis=-1, keepdims=True), line.whole - line.whole.max(), line.array)


def test_processes_that_keep_other_axes_are_refused(comm):
    needs_several(comm)
    x = tridap.zeros(tridap.distribution((2 * comm.size, 3), "b,*"))
    for axis in (None, 1):
        with pytest.raises(tridap.ProtocolError, match="keepdims=True.*must be the same on every process"):
            x.sum(axis=axis, keepdims=comm.rank == 0)


def advised(call, pattern, kind, **values):
    """What the code in an error gives; it must be the same on every process."""
    with pytest.raises(kind) as caught:
        call()
    text = str(caught.value).splitlines()[0]
    found = re.search(pattern, text)
    assert found, text
    return eval(found[1], {**values, "tridap": tridap})


@remedy(".allgather(), a NumPy array of all its elements on every process")
def test_an_array_that_every_process_needs_is_gathered(comm):
    needs_several(comm)
    x = tridap.from_function(tridap.distribution((2 * comm.size, 5), "b,*"), lambda i, j: 10.0 * i + j * j)
    whole = x.allgather()
    y = x[:1]
    w = advised(lambda: x - y, r"take (y\.allgather\(\)), a NumPy", tridap.ProtocolError, x=x, y=y)
    assert np.array_equal((x - w).allgather(), whole - whole[:1])
    assert np.array_equal((x - advised(lambda: y - x, r"take (x\.allgather\(\)), a", tridap.ProtocolError, x=y)).allgather(), whole - whole[:1])
    m = advised(lambda: x.mean(axis=0, keepdims=True), r"left out: (x\..*?) moves the", TypeError, x=x)
    assert np.allclose((x - m).allgather(), whole - whole.mean(axis=0, keepdims=True))
    turned = x.redistribute("*,b").mean(axis=0)
    w = advised(lambda: x - turned, r"take (y\.allgather\(\))", tridap.ProtocolError, y=turned)
    assert np.allclose((x - w).allgather(), whole - whole.mean(axis=0))


@remedy("NumPy pairs the last axes first: ")
def test_an_array_of_the_first_axes_gets_new_axes(comm):
    needs_several(comm)
    x = tridap.from_function(tridap.distribution((2 * comm.size, 5), "b,*"), lambda i, j: 10.0 * i + j * j)
    m = x.mean(axis=1)
    fits = advised(lambda: x - m, r"first: (y\[.*?\]) has", tridap.ProtocolError, x=x, y=m)
    assert np.allclose((x - fits).allgather(), x.allgather() - x.allgather().mean(axis=1, keepdims=True))


@remedy("give … the distribution of …: ….redistribute(")
def test_an_array_on_another_grid_is_moved(comm):
    needs_several(comm)
    x = tridap.from_function(tridap.distribution((2 * comm.size, 5), "b,*"), lambda i, j: 10.0 * i + j * j)
    y = x.redistribute("c,*").max(axis=1, keepdims=True)
    fits = advised(lambda: x - y, r"(y\.redistribute\(.*\))$", tridap.ProtocolError, x=x, y=y)
    assert np.array_equal((x - fits).allgather(), x.allgather() - x.allgather().max(axis=1, keepdims=True))
    cube = tridap.from_function(tridap.distribution((4, 2 * comm.size, 3), "*,b,*"), lambda i, j, k: i + 10.0 * j + k * k)
    y = cube.redistribute("*,c,*").sum(axis=2, keepdims=True)[0]
    fits = advised(lambda: cube - y, r"(y\.redistribute\(.*\))$", tridap.ProtocolError, x=cube, y=y)
    assert np.array_equal((cube - fits).allgather(), cube.allgather() - y.allgather())


@remedy("distribute an axis that both have, and no other: ")
def test_arrays_over_two_axes_share_one_of_them(comm):
    if comm.size != 4:
        pytest.skip("needs a grid of 2 x 2 processes")
    x = tridap.from_function(tridap.distribution((6, 4), "b,b", (2, 2)), lambda i, j: 10.0 * i + j * j)
    y = x[:1]
    with pytest.raises(tridap.ProtocolError) as caught:
        x - y
    calls = re.search(r"no other: (.*) and (.*)$", str(caught.value).splitlines()[0])
    moved = [eval(call, {"x": x, "y": y}) for call in calls.groups()]
    assert np.array_equal((moved[0] - moved[1]).allgather(), x.allgather() - x.allgather()[:1])


def test_lengths_that_do_not_fit_are_named(comm):
    x, y = (tridap.zeros(tridap.distribution((2 * comm.size, n), "b,*", processes=comm.size)) for n in (5, 4))
    with pytest.raises(tridap.ProtocolError, match="must have the same length, or one of them one element"):
        x + y


@remedy("; if every process has the whole array: y = tridap.from_function(x.distribution")
def test_the_whole_array_of_every_process_gets_a_call_that_runs(comm):
    needs_several(comm)
    x = tridap.from_function(tridap.distribution((2 * comm.size, 5), "b,*"), lambda i, j: 10.0 * i + j * j)
    operand = np.random.default_rng(1).normal(size=x.shape).astype("f4")
    y = advised(lambda: x + operand, r"has the whole array: y = (tridap.*\))$", TypeError, x=x, operand=operand)
    assert y.dtype == "f4" and np.array_equal((x + y).allgather(), x.allgather() + operand)


def test_another_kind_of_array_of_numpy_answers_itself(comm):
    class Units(np.ndarray):
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return "units"

    x = tridap.zeros(tridap.distribution((2 * comm.size, 3), "b,*", processes=comm.size))
    assert np.add(x, np.ones(3).view(Units)) == "units"
