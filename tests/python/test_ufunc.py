"""Operators and NumPy's functions, element by element: what NumPy gives for the memory of each process, padding included."""

import copy
import operator
import re

import numpy as np
import pytest
import tridap
from computing import Made, blocks, dealt, layouts, old_ring, padded, ring
from mpi4py import MPI
from remedies import remedy
from tridap import _core

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, divmod]
BITS = [operator.and_, operator.or_, operator.xor, operator.lshift, operator.rshift]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod, operator.ipow]
UNARY = [operator.neg, operator.pos, operator.abs, np.sin, np.exp, np.sqrt, np.square, np.isfinite, np.sign, np.modf, np.frexp]


def positive(*index):
    return 1 + sum(index) % 4


def pair(comm, axes, grid, dtype=float, **how):
    return Made(comm, axes, grid, dtype, of=positive, garbage=3, **how), Made(
        comm, axes, grid, dtype, of=lambda *index: positive(*index) + 2, garbage=2, **how)


def same(found, wanted, like):
    """Whether a result is a new array with NumPy's values and type, and with the distribution of another."""
    if isinstance(wanted, tuple):
        return [same(*each, like) for each in zip(found, wanted, strict=True)]
    assert type(found) is tridap.DistArray and found.dtype == wanted.dtype
    assert found.local.shape == np.shape(wanted) and np.array_equal(found.local, wanted, equal_nan=wanted.dtype.kind in "fc")
    assert _core._alike(found, like) and found.distribution == like.distribution and found.version == like.version
    assert found.shape == like.shape and found.comm is like.comm and not np.shares_memory(found, like)


def test_operators_are_numpys_on_each_process(comm):
    for _, axes, grid in layouts(comm.size):
        x, y = pair(comm, axes, grid)
        for of_two in BINARY:
            same(of_two(x.array, y.array), of_two(x.memory, y.memory), x.array)
        same(2 - x.array, 2 - x.memory, x.array)
        same(x.array ** 2 + np.float32(3) * x.array, x.memory ** 2 + np.float32(3) * x.memory, x.array)
        for of_one in UNARY:
            same(of_one(x.array), of_one(x.memory), x.array)


@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f2", "f4", "D"])
@pytest.mark.parametrize("other", ["?", "i2", "f4", "f8", "F"])
def test_types_are_numpys(comm, dtype, other):
    axes, grid = (padded(comm.size),), (comm.size,)
    x, y = Made(comm, axes, grid, dtype, of=positive, garbage=1), Made(comm, axes, grid, other, of=positive, garbage=1)
    same(x.array + y.array, x.memory + y.memory, x.array)
    same(np.multiply(x.array, y.array), x.memory * y.memory, x.array)
    for scalar in (2, 2.5, True, np.int8(3), np.float64(2), 1j):
        same(x.array * scalar, x.memory * scalar, x.array)
        same(scalar + x.array, scalar + x.memory, x.array)
    if dtype in "?i1u4i8" and other in "?i2":
        for of_two in BITS[:3]:
            same(of_two(x.array, y.array), of_two(x.memory, y.memory), x.array)
        same(~x.array, ~x.memory, x.array)
    same(np.add(x.array, y.array, dtype="D"), np.add(x.memory, y.memory, dtype="D"), x.array)


@pytest.mark.parametrize("of_two", IN_PLACE, ids=lambda of: of.__name__)
def test_what_is_in_place_stays_in_the_producers_memory(comm, of_two):
    for axes, grid in [((padded(comm.size), blocks(3, 1)), (comm.size, 1)), ((ring(comm.size),), (comm.size,))]:
        x, y = pair(comm, axes, grid)
        before, address = x.memory.copy(), x.memory.ctypes.data
        z = x.array
        z = of_two(z, y.array)
        assert z is x.array and np.array_equal(x.memory, of_two(before.copy(), y.memory)) and x.memory.ctypes.data == address
        z = of_two(z, 2)
        assert z is x.array and np.array_equal(x.memory, of_two(of_two(before.copy(), y.memory), 2))


def test_results_go_where_out_says_and_only_where_where_says(comm):
    axes, grid = (dealt(9, comm.size, 2), blocks(2, 1)), (comm.size, 1)
    x, y = pair(comm, axes, grid)
    out = tridap.zeros(x.array.distribution, comm=comm)
    assert np.add(x.array, y.array, out=out) is out and np.array_equal(out.local, x.memory + y.memory)
    assert np.add(1, 2, out=out) is out and (out.local == 3).all()
    mask = x.array > 2
    assert np.negative(x.array, out=out, where=mask) is out
    assert np.array_equal(out.local, np.where(x.memory > 2, -x.memory, 3))
    whole, part = np.modf(x.array / 4, out=(None, out))
    assert part is out and np.array_equal(whole.local, np.modf(x.memory / 4)[0])
    with pytest.raises(TypeError, match="numpy.add of a DistArray with out=ndarray, must be a DistArray"):
        np.add(x.array, 1, out=x.memory)
    with pytest.raises(TypeError, match="(?i)cast"):
        np.add(x.array, 0.5, out=tridap.zeros(x.array.distribution, int, comm=comm))


FUNCTIONS = {
    "where": lambda x, y: np.where(x > y, x, 0.5), "clip": lambda x, y: np.clip(x, 2, y), "round": lambda x, y: np.round(x / 3, 1),
    "isclose": lambda x, y: np.isclose(x, y, atol=1), "nan_to_num": lambda x, y: np.nan_to_num(x, nan=3),
    "real": lambda x, y: np.real(x + 1j * y) + 0, "imag": lambda x, y: np.imag(x + 1j * y) + 0, "conj": lambda x, y: np.conj(x * 1j),
    "angle": lambda x, y: np.angle(x + 1j * y), "copy": lambda x, y: np.copy(x), "abs": lambda x, y: np.abs(-x),
    "zeros_like": lambda x, y: np.zeros_like(x), "ones_like": lambda x, y: np.ones_like(x, dtype="i2"),
    "full_like": lambda x, y: np.full_like(x, 7), "hypot": lambda x, y: np.hypot(x, y), "isreal": lambda x, y: np.isreal(x),
    "of the methods": lambda x, y: (x + 1j * y).conj().real.copy().astype("f4")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_elements_are_numpys(comm, name):
    for axes, grid in [((padded(comm.size), blocks(3, 1)), (comm.size, 1)), ((old_ring(comm.size),), (comm.size,))]:
        how = {"version": "0.9.0"} if len(axes) == 1 else {"order": "F"}
        x, y = pair(comm, axes, grid, **how)
        same(FUNCTIONS[name](x.array, y.array), np.asarray(FUNCTIONS[name](x.memory, y.memory)), x.array)


def test_what_describes_an_array_describes_the_whole(comm):
    x = Made(comm, (padded(comm.size), blocks(3, 1)), (comm.size, 1)).array
    size = 4 * comm.size
    assert np.shape(x) == x.shape == (size, 3) and np.ndim(x) == 2 and len(x) == size
    assert np.size(x) == x.size == 3 * size and np.size(x, 1) == 3
    assert np.result_type(x, np.complex64) == complex and np.iscomplexobj(x) is False
    assert np.empty_like(x, dtype=int).dtype == int and np.shares_memory(x, x.local)


def test_views_and_copies_of_an_array_share_memory_or_not(comm):
    x = tridap.zeros(tridap.distribution(3 * comm.size, processes=comm.size), complex)
    x.imag[...] = 2
    assert (x.local == 2j).all() and np.shares_memory(x.real, x) and np.real(x.real) is not x
    real = x.real
    assert np.real(real) is real
    assert not np.shares_memory(x.copy(), x) and x.copy("F").local.flags.f_contiguous
    x.copy()[...] = 5
    assert (x.local == 2j).all()


def test_memory_order_is_kept(comm):
    fortran = Made(comm, (blocks(5, comm.size), blocks(4, 1)), (comm.size, 1), order="F").array
    assert (fortran + 1).local.flags.f_contiguous and np.zeros_like(fortran).local.flags.f_contiguous
    assert np.zeros_like(fortran, order="C").local.flags.c_contiguous


def test_copyto_writes_elements_of_the_same_distribution(comm):
    x, y = pair(comm, (dealt(9, comm.size),), (comm.size,))
    assert np.copyto(x.array, y.array) is None and np.array_equal(x.memory, y.memory)
    np.copyto(x.array, 0, where=x.array > 4)
    assert np.array_equal(x.memory, np.where(y.memory > 4, 0, y.memory))
    with pytest.raises(TypeError, match="numpy.copyto of a DistArray and a ndarray"):
        np.copyto(np.zeros(x.memory.shape), x.array)


def test_arrays_of_the_same_indices_in_other_kinds_combine(comm):
    p = comm.size
    x = tridap.from_function(tridap.distribution(2 * p, "b", processes=p), lambda i: i)
    y = tridap.from_function(tridap.distribution(2 * p, "c:2", processes=p), lambda i: i)
    z = tridap.from_function(tridap.distribution(2 * p, (tridap.unstructured([[2 * c, 2 * c + 1] for c in range(p)]),)),
                             lambda i: i)
    assert np.array_equal((x + y + z).local, 3 * x.local) and (x + y).distribution == x.distribution
    twin = comm.Dup()
    w = tridap.asarray(x.__distarray__(), twin)
    assert np.array_equal((x + w).local, 2 * x.local) and (w + x).comm is twin and (x + w).comm is x.comm
    del w
    twin.Free()


def other_distributions(p):
    yield "padding", tridap.distribution(4 * p, [tridap.block(padding=1)], processes=p)
    yield "owner", tridap.distribution(4 * p, "c", processes=p)
    yield "local indices", tridap.distribution(4 * p, (tridap.unstructured([[4 * c + k for k in (1, 0, 2, 3)] for c in range(p)]),))
    yield "blocks", tridap.distribution(4 * p, (tridap.block(starts=[0, *range(2, p + 1)]),), (p,))


def test_arrays_of_two_distributions_are_refused_with_both_names(comm):
    x = tridap.zeros(tridap.distribution(4 * comm.size, processes=comm.size))
    refused = 0
    for _, dist in other_distributions(comm.size):
        y = tridap.zeros(dist)
        if dist == x.distribution:
            continue  # on one process padding has no element, and a cyclic axis is a block
        refused += 1
        for call in (lambda: x + y, lambda: y - x, lambda: np.add(x, 1, out=y), lambda: np.where(x > 0, x, y),
                     lambda: np.copyto(x, y), lambda: operator.iadd(x, y), lambda: x == y, lambda: np.add(x, 1, where=y > 0)):
            with pytest.raises(tridap.ProtocolError, match=r"different distributions.*(redistribute\(x.distribution\))") as raised:
                call()
            assert all(array.distribution.describe() in str(raised.value) for array in (x, y))
    assert refused >= (3 if comm.size > 1 else 1) and not x.local.any()


def test_arrays_on_processes_in_another_order_are_refused(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    turned = comm.Split(0, -comm.rank)
    dist = tridap.distribution(2 * comm.size, processes=comm.size)
    x, y = tridap.zeros(dist, comm=comm), tridap.zeros(dist, comm=turned)
    for call in (lambda: x + y, lambda: np.copyto(x, y), lambda: x.dot(y), lambda: np.allclose(x, y)):
        with pytest.raises(tridap.ProtocolError, match="arrays on different processes.*make both with the same communicator"):
            call()
    del y
    turned.Free()


def test_operands_that_are_no_distributed_arrays_are_refused(comm):
    x = tridap.zeros(tridap.distribution((2 * comm.size, 3), ("b", "*"), processes=comm.size))
    for operand in (np.zeros((2, 3)), np.zeros(4), [1, 2], np.zeros((2 * comm.size, 3)), np.zeros((2 * comm.size, 1))):
        if comm.size == 1 and np.shape(operand) in ((2, 3), (2, 1)):
            continue  # the whole array
        for call in (lambda: x + operand, lambda: operand * x, lambda: np.where(x > 0, x, operand), lambda: np.add(x, 1, where=operand),
                     lambda: x.__setitem__(slice(1), operand), lambda: x == operand, lambda: np.hypot(operand, x)):
            with pytest.raises(TypeError, match=r"of shape \(.*\), but which elements.*compute with x.local, or make a DistArray"):
                call()

    class Foreign:
        def __distarray__(self):
            return x.__distarray__()

    with pytest.raises(TypeError, match=r"pass tridap.asarray\(operand, comm\)"):
        x + Foreign()
    assert np.array_equal((x + np.array(2.0)).local, x.local + 2)  # without axes: a scalar


def test_another_library_may_answer(comm):
    x = tridap.zeros(tridap.distribution(3, processes=comm.size))

    class Answering:
        def __array_ufunc__(self, ufunc, method, *inputs, **options):
            return ufunc.__name__, method

        def __array_function__(self, function, types, args, kwargs):
            return function.__name__

    class Silent:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "added"

    assert np.add(x, Answering()) == ("add", "__call__") and x * Answering() == ("multiply", "__call__")
    assert np.where(x > 0, x, Answering()) == "where" and x + Silent() == "added"


REFUSED = {
    "numpy.add.reduce of a DistArray.*x.sum": lambda x: np.add.reduce(x),
    "numpy.maximum.reduce of a DistArray.*x.max": lambda x: np.maximum.reduce(x),
    "numpy.multiply.reduce of a DistArray.*x.prod": lambda x: np.multiply.reduce(x),
    "numpy.add.accumulate of a DistArray": lambda x: np.add.accumulate(x),
    "numpy.add.outer of a DistArray": lambda x: np.add.outer(x, x),
    "numpy.add.at of a DistArray": lambda x: np.add.at(x, 0, 1),
    "numpy.add.reduceat of a DistArray": lambda x: np.add.reduceat(x, [0]),
    "det of a DistArray would combine the elements of this process alone": lambda x: np.linalg._umath_linalg.det(x),
    "numpy.sort of a DistArray would see the memory of this process alone: x.gather": lambda x: np.sort(x),
    "numpy.ptp.*x.max.. - x.min": lambda x: np.ptp(x), "numpy.cumsum": lambda x: np.cumsum(x), "numpy.median": lambda x: np.median(x),
    "numpy.concatenate": lambda x: np.concatenate([x, x]), "reshape of a DistArray": lambda x: np.reshape(x, -1),
    "numpy.fft.fft of a DistArray": lambda x: np.fft.fft(x), "numpy.where of a DistArray": lambda x: np.where(x > 0),
    "numpy.linalg.solve": lambda x: np.linalg.solve(x, x), "numpy.save.*tridap.save": lambda x: np.save("x", x),
    "numpy.zeros_like of a DistArray takes no shape=": lambda x: np.zeros_like(x, shape=3),
    "numpy.dot of DistArrays is of two arrays of one axis": lambda x: np.dot(x, x),
    "the product @ of a DistArray is A @ x": lambda x: x[None] @ x, "the product @ of a DistArray": lambda x: operator.imatmul(x, x),
    "bool.x.: a DistArray has many.*x.any.. or x.all": lambda x: bool(x), "neither true nor false": lambda x: x == x and 1,
    "float.x.: a DistArray is no number": lambda x: float(x), "int.x.: a DistArray": lambda x: int(x),
    "complex.x.: a DistArray": lambda x: complex(x), "cannot be interpreted as an integer": lambda x: range(x),
    "cannot be iterated over, because.*x.sum": lambda x: sum(x), "cannot be iterated": lambda x: max(x),
    "x.gather.. is the whole array on one process": lambda x: list(x), "x == value..any.. searches the whole array": lambda x: 1 in x}


@pytest.mark.parametrize("words", REFUSED)
def test_what_would_see_one_process_alone_names_the_right_call(comm, words):
    x = tridap.zeros(tridap.distribution((2 * comm.size, 3), ("b", "*"), processes=comm.size))
    with pytest.raises(TypeError, match=words):
        REFUSED[words](x)


def test_errors_of_numpy_are_raised_and_change_nothing(comm):
    x = tridap.zeros(tridap.distribution(2 * comm.size, processes=comm.size), int)
    with pytest.raises(TypeError, match="(?i)cast"):
        x += 0.5
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        1 / x
    with pytest.raises(tridap.ProtocolError, match="Python objects"):
        x.astype(object)
    fixed = tridap.asarray({"__version__": "0.10.0", "buffer": np.broadcast_to(1.0, 2),
                            "dim_data": x.distribution.dim_data(comm.rank)}, comm)
    with pytest.raises(ValueError, match="read-only"):
        fixed += 1
    assert not x.local.any() and (fixed + 1).local.flags.writeable


def test_an_array_is_a_key_by_its_identity(comm):
    x, y = (tridap.zeros(tridap.distribution(3, processes=comm.size)) for _ in range(2))
    names = {x: "x", y: "y"}
    assert names[x] == "x" and names[y] == "y" and hash(x) == hash(x) == object.__hash__(x) and x in names
    assert copy.copy({x}) == {x}


def test_extra_keys_do_not_follow_to_new_memory(comm):
    x = Made(comm, (blocks(8, comm.size),), (comm.size,))
    said = x.array.__distarray__()
    marked = tridap.asarray({**said, "maker": "me", "dim_data": tuple({**d, "unit": "m"} for d in said["dim_data"])}, comm)
    assert marked.__distarray__()["maker"] == "me" and marked.dim_data[0]["unit"] == "m"
    assert "maker" not in (marked + 1).__distarray__() and "unit" not in (marked + 1).dim_data[0]


def test_a_function_with_out_returns_the_array_that_was_given():
    x, out = (tridap.zeros(tridap.distribution((4,), processes=1)) for _ in range(2))
    assert np.around(x, out=out) is out
    assert np.clip(x, 0, 1, out=out) is out


@remedy("v.update_padding() fills the padding again after v changes")
@pytest.mark.parametrize("over", ["rows", "columns", "both"])
def test_shifted_parts_of_one_array_get_a_stencil_that_runs(comm, over):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    grid = {"rows": (comm.size, 1), "columns": (1, comm.size), "both": tuple(MPI.Compute_dims(comm.size, 2))}[over]
    n = 4 * comm.size
    u = tridap.from_function(tridap.distribution((n, n), ("b", "b"), grid), lambda i, j: (i * 31 + j * j * 17) % 11 + 0.0)
    shifts = [((slice(2, None), slice(1, -1)), (slice(None, -2), slice(1, -1))), ((slice(1, -1), slice(2, None)), (slice(1, -1), slice(None, -2)))]
    refused = 0
    for up, down in shifts:
        try:
            u[up] + u[down]
        except tridap.ProtocolError as error:
            text, refused = str(error), refused + 1
    assert refused == sum(extent > 1 for extent in grid)
    assert "y.redistribute" not in text
    values = {"u": u, "tridap": tridap}
    exec(re.search(r"(v = u\.redistribute\(.*?fill_padding=True\)) has", text)[1], values)
    v, whole = values["v"], u.allgather()
    assert "v.update_padding() fills the padding again after v changes" in text
    v.interior[...] += 1
    v.update_padding()
    whole += 1
    w = tridap.zeros(v.distribution)
    w.local[1:-1, 1:-1] = v.local[2:, 1:-1] + v.local[:-2, 1:-1] + v.local[1:-1, 2:] + v.local[1:-1, :-2]
    wanted = whole[2:, 1:-1] + whole[:-2, 1:-1] + whole[1:-1, 2:] + whole[1:-1, :-2]
    assert np.array_equal(w[1:-1, 1:-1].allgather(), wanted)
    with pytest.raises(tridap.ProtocolError, match=r"y.redistribute\(x.distribution\)"):
        u + tridap.zeros(tridap.distribution((n, n), ("c", "c"), grid))
