"""What NumPy's users write: numpy.asarray, attributes of arrays, copies, pickles, one element, sums along axes."""

import copy
import inspect
import io
import itertools
import pickle

import numpy as np
import pytest
import scipy.linalg
import tridap
from computing import GARBAGE, Made, blocks, dealt, gaps, old_ring, padded, ring, shared
from remedies import remedy
from test_reduce import same


def needs_several(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")


def rows_of(comm, n=4, dtype=float):
    return tridap.from_function(tridap.distribution((2 * comm.size, n), ("b", "*"), processes=comm.size), lambda i, j: 10 * i + j, dtype)


READERS = {
    "asarray": np.asarray, "array": np.array, "ascontiguousarray": np.ascontiguousarray, "asarray with dtype": lambda x: np.asarray(x, "f4"),
    "scipy": lambda x: scipy.linalg.norm(x), "setting a NumPy array": lambda x: np.zeros(x.local.shape).__setitem__(..., x)}


@pytest.mark.parametrize("reader", READERS)
def test_numpy_does_not_get_the_part_of_one_of_several_processes(comm, reader):
    needs_several(comm)
    x = rows_of(comm)
    with pytest.raises(TypeError, match=rf"on {comm.size} processes.*x.local is.*x.interior.*x.gather\(\) is"):
        READERS[reader](x)


def test_a_buffer_is_not_the_part_of_one_of_several_processes(comm):
    needs_several(comm)
    x = tridap.zeros(tridap.distribution(2 * comm.size, processes=comm.size), "u1")
    for read in (memoryview, bytes, io.BytesIO().write):
        with pytest.raises(BufferError, match="x.local is that part"):
            read(x)
    with pytest.raises(TypeError, match="x.gather"):
        tridap.scatter(x, x.distribution) if comm.rank == 0 else tridap.scatter(None, x.distribution)


def test_set_option_lets_numpy_have_the_local_part(comm):
    x = rows_of(comm)
    before = tridap.set_option(array="local")
    try:
        assert before["array"] == "refuse"
        assert np.shares_memory(np.asarray(x), x.local) and np.asarray(x).shape == x.local.shape
        assert memoryview(x).shape == x.local.shape
    finally:
        assert tridap.set_option(**before)["array"] == "local"
    if comm.size > 1:
        with pytest.raises(TypeError, match="set_option"):
            np.asarray(x)
    for wrong in ({"array": "perhaps"}, {"array": "local", "errors": 1}):
        with pytest.raises(ValueError, match="must be '"):
            tridap.set_option(**wrong)
    assert tridap.set_option() == before


def test_numpy_has_all_of_an_array_on_one_process(comm):
    x = tridap.from_function(tridap.distribution((3, 4), processes=1), lambda i, j: 10 * i + j)
    assert np.shares_memory(np.asarray(x), x.local) and memoryview(x).shape == (3, 4)
    assert scipy.linalg.norm(x) == np.linalg.norm(x.local)


def test_dlpack_and_local_are_still_the_part_of_this_process(comm):
    x = rows_of(comm)
    assert np.shares_memory(np.from_dlpack(x), x.local)
    assert tridap.asarray(x.__distarray__(), comm).sum() == x.sum()


def test_a_copy_has_its_own_memory(comm):
    for x in (rows_of(comm), Made(comm, (padded(comm.size),), (comm.size,)).array, rows_of(comm, dtype="i2").astype("f4")):
        for made in copy.copy(x), copy.deepcopy(x), copy.deepcopy({"x": [x, x]})["x"][1]:
            assert type(made) is tridap.DistArray and made.distribution == x.distribution and made.dtype == x.dtype
            assert np.array_equal(made.local, x.local) and not np.shares_memory(made.local, x.local)
            assert made.comm is x.comm
    two = copy.deepcopy([x, x])
    assert two[0] is two[1]


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_refused_and_names_save(comm, protocol):
    for given in rows_of(comm), {"x": [rows_of(comm)]}:
        with pytest.raises(TypeError, match=r"tridap.save\('x.h5', \{'x': x\}\).*tridap.load.*x.gather\(\)"):
            pickle.dumps(given, protocol)


def test_sizes_are_those_of_the_whole_array(comm):
    x = rows_of(comm, dtype="f4")
    assert (x.itemsize, x.nbytes) == (4, 4 * 2 * comm.size * 4) and x.nbytes == x.size * x.itemsize


def test_methods_of_elements_are_numpys(comm):
    for made in (Made(comm, (padded(comm.size), blocks(3, 1)), (comm.size, 1)), Made(comm, (gaps(comm.size),), (comm.size,), complex)):
        x, memory = made.array, made.memory
        for found, wanted in [(x.round(1), memory.round(1)), ((x / 3).round(decimals=2), (memory / 3).round(2)), (x.conjugate(), memory.conj()),
                              (x.T, memory.T), (x.transpose(), memory.T), (np.transpose(x), memory.T)]:
            assert type(found) is tridap.DistArray and np.array_equal(found.local, wanted)
        if x.dtype == float:
            assert np.array_equal(x.clip(-1, 2).local, memory.clip(-1, 2)) and np.array_equal(x.clip(max=2).local, memory.clip(max=2))
            assert np.array_equal(x.clip(0).local, memory.clip(0))
        x.fill(7)
        assert (memory == 7).all()
        with pytest.raises(TypeError, match=r"x\[\.\.\.\] = y"):
            x.fill(memory)


def test_a_transpose_shares_memory_if_no_element_moves(comm):
    p = comm.size
    for axes, grid in [((padded(p), blocks(3, 1)), (p, 1)), ((blocks(3, 1), dealt(7, p), blocks(2, 1)), (1, p, 1)),
                       ((old_ring(p), blocks(3, 1)), (p, 1)), ((shared(p),), (p,))]:
        old = {"version": "0.9.0"} if axes[0].dims[0].get("periodic") else {}
        made = Made(comm, axes, grid, **old)
        x = made.array
        for order in itertools.permutations(range(x.ndim)):
            found = x.transpose(order)
            assert found.shape == tuple(x.shape[axis] for axis in order) and found.version == x.version
            assert np.shares_memory(found.local, x.local) and tridap.check(found, comm).ok
            assert np.array_equal(found.allgather(), made.whole.transpose(order))
        assert np.array_equal(x.T.allgather(), made.whole.T) and np.array_equal(np.transpose(x, axes=None).local, x.local.T)
        assert x.transpose(*range(x.ndim)) is x
    for wrong in ((0, 0), (0,), (0, 5), (0, 1, 2)):
        with pytest.raises(ValueError, match="must have each of the 2 axes once"):
            rows_of(comm).transpose(wrong)


@remedy("cannot change places without communication: x.redistribute(")
def test_a_transpose_that_moves_elements_names_redistribute(comm):
    if comm.size < 4 or comm.size % 2:
        pytest.skip("needs a grid of two rows and two columns")
    x = tridap.from_function(tridap.distribution((5, 6), ("b", "b"), (2, comm.size // 2)), lambda i, j: 10 * i + j)
    assert not hasattr(x, "T")
    with pytest.raises(AttributeError, match=r"x.redistribute\('\*,b', axes=\(1, 0\)\)|x.redistribute\('b,\*', axes=\(1, 0\)\)") as caught:
        x.T
    call = str(caught.value).split("communication: ")[1].split(" moves")[0]
    assert np.array_equal(eval(call).allgather(), x.allgather().T)
    with pytest.raises(TypeError, match="x.redistribute"):
        np.transpose(x)


def test_axes_of_one_element_come_and_go(comm):
    made = Made(comm, (padded(comm.size), blocks(1, 1), blocks(3, 1)), (comm.size, 1, 1))
    x, n = made.array, 4 * comm.size
    for shape in [(n, 3), (n, 3, 1), (1, n, 3), (n, 1, 1, 3), (1, n, 1, 3, 1), (-1, 3), (n, -1), (n, 1, 3)]:
        found = x.reshape(shape)
        assert found.shape == made.whole.reshape(shape).shape and np.shares_memory(found.local, x.local)
        assert np.array_equal(found.allgather(), made.whole.reshape(shape)) and np.array_equal(x.reshape(*shape).local, found.local)
        assert np.array_equal(np.reshape(x, shape).local, found.local)
    assert x.reshape(n, 1, 3) is x and x.squeeze().shape == x.squeeze(1).shape == np.squeeze(x, axis=-2).shape == (n, 3)
    with pytest.raises(ValueError, match="axis 0 has"):
        x.squeeze(0) if n > 1 else None
    line = made.array[:, 0, 0]
    assert line.ravel() is line and not np.shares_memory(line.flatten(), line.local)
    assert line.reshape(-1, 1).ravel().shape == np.ravel(line).shape == (n,)
    for wrong in ((n, 4), (-1, -1), (-1, 5 * n), (-2, 3)):
        with pytest.raises(ValueError, match="cannot reshape array of size"):
            x.reshape(wrong)


@pytest.mark.parametrize("shape", [(-1,), (-1, 2), (2, 2, -1)])
@remedy("would move elements to other processes: ")
def test_a_shape_that_moves_elements_names_redistribute(comm, shape):
    x = rows_of(comm)
    with pytest.raises(TypeError, match="would move elements to other processes: x.redistribute") as caught:
        x.reshape(shape)
    call = str(caught.value).split("other processes: ")[1].rsplit(" does this", 1)[0]
    assert np.array_equal(eval(call).allgather(), x.allgather().reshape(shape))
    line = tridap.from_function(tridap.distribution(8 * comm.size, processes=comm.size), lambda i: i)
    with pytest.raises(TypeError, match="other processes: x.redistribute") as caught:
        line.reshape(2, -1)
    call = str(caught.value).split("other processes: ")[1].rsplit(" does this", 1)[0]
    assert np.array_equal(eval(call, {"x": line, "tridap": tridap}).allgather(), np.arange(8.0 * comm.size).reshape(2, -1))


def test_an_attribute_that_fails_keeps_its_own_words(comm):
    x = Made(comm, (shared(comm.size),), (comm.size,)).array
    with pytest.raises(AttributeError, match="in blocks|not in blocks"):
        x.__partitioned__
    assert not any(hasattr(x, name) for name in ("__name__", "__array_interface__", "flags", "sort"))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        x.nothing
    inspect.getmembers(rows_of(comm))  # reads every attribute


@pytest.mark.parametrize("dtype", ["f8", "i4", "?", ">f8", "D", "S3", "M8[s]", [("a", "i4"), ("b", "f8", 9)]], ids=str)
def test_an_index_for_each_axis_is_an_element_on_every_process(comm, dtype):
    p = comm.size
    for axes, grid in [((padded(p), blocks(3, 1)), (p, 1)), ((dealt(9, p, 2),), (p,)), ((blocks(2, 1), blocks(5, p)), (1, p))]:
        made = Made(comm, axes, grid, garbage=GARBAGE)
        x, whole = made.array, made.whole
        if np.dtype(dtype) != float:
            kind = np.dtype(dtype)
            ints = (made.memory * 0 + (np.arange(made.memory.size) + comm.rank).reshape(made.memory.shape)).astype("i4")
            memory = np.zeros(ints.shape, kind)
            if kind.names:
                memory["a"] = ints
                memory["b"][..., 0] = ints
            else:
                memory[...] = ints.astype("U3").astype(kind) if kind.kind == "S" else ints.astype(kind)
            x = tridap.array(memory, x.distribution, comm)
            whole = x.allgather()
        for index in [(0,) * x.ndim, (-1,) * x.ndim, tuple(n // 2 for n in whole.shape), tuple(np.int16(n - 1) for n in whole.shape)]:
            found = x[index]
            assert type(found) is type(whole[index]) and found == whole[index] and found.dtype == whole[index].dtype
        if x.ndim == 1:
            assert x[2] == x[2,] == whole[2]


def test_an_element_has_the_number_of_its_own_version(comm):
    made = Made(comm, (old_ring(comm.size), blocks(3, 1)), (comm.size, 1), version="0.9.0")
    assert all(made.array[i, 1] == made.whole[i, 1] for i in range(len(made.whole)))
    edge = Made(comm, (ring(comm.size),), (comm.size,))
    assert edge.array[1] == edge.whole[0] and edge.array[-1] == GARBAGE  # a mirror


def test_an_element_that_does_not_exist_is_an_index_error(comm):
    x = rows_of(comm)
    for key in [(2 * comm.size, 0), (0, 4), (-2 * comm.size - 1, 0)]:
        with pytest.raises(IndexError, match="is out of bounds for axis"):
            x[key]
    lists = Made(comm, (gaps(comm.size),), (comm.size,)).array
    with pytest.raises(IndexError, match=r"no process has the element \(3,\)|index 3 is out of bounds"):
        lists[3]
    assert lists[2] == Made(comm, (gaps(comm.size),), (comm.size,)).whole[0]


def test_processes_that_ask_for_other_elements_are_refused(comm):
    needs_several(comm)
    x = rows_of(comm)
    with pytest.raises(tridap.ProtocolError, match=r"asks for x\[0, 0\].*must be the same on every process"):
        x[comm.rank % 2, 0]
    with pytest.raises(IndexError, match="out of bounds"):  # on all processes, although one alone is wrong
        x[2 * comm.size if comm.rank == comm.size - 1 else 0, 0]


CALLS = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "min": np.min, "max": np.max, "all": np.all, "any": np.any, "var": np.var,
         "std": np.std, "norm": np.linalg.norm}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("dtype", ["f8", "i4", "D"])
def test_an_axis_on_one_process_is_left_out_as_numpy_does(comm, call, dtype):
    p = comm.size
    for axes, grid in [((padded(p), blocks(3, 1)), (p, 1)), ((blocks(3, 1), dealt(7, p), blocks(2, 1)), (1, p, 1)),
                       ((padded(1, (2, 1)), blocks(5, p)), (1, p)), ((ring(1), blocks(4, p)), (1, p)), ((shared(p), blocks(3, 1)), (p, 1))]:
        made = Made(comm, axes, grid, dtype)
        x, numpy_call = made.array, CALLS[call]
        free = [axis for axis in range(x.ndim) if grid[axis] == 1 and (p > 1 or axis > 0)]
        for axis in free + [tuple(free)] + [axis - x.ndim for axis in free] + [(free[0],)]:
            if call == "norm" and isinstance(axis, tuple) and len(axis) > 2:
                continue
            of_numpy = axis[0] if call == "norm" and isinstance(axis, tuple) and len(axis) == 1 else axis
            wanted = numpy_call(made.whole, axis=of_numpy)
            for found in getattr(x, call)(axis=axis), numpy_call(x, axis=axis):
                assert type(found) is tridap.DistArray and found.dtype == wanted.dtype and found.shape == tuple(
                    n for number, n in enumerate(x.shape) if number not in np.atleast_1d(axis) % x.ndim)
                assert np.allclose(found.allgather(), wanted, rtol=1e-14) and tridap.check(found, comm).ok
            kept = getattr(x, call)(axis=axis, keepdims=True)
            assert np.allclose(kept.allgather(), numpy_call(made.whole, axis=of_numpy, keepdims=True), rtol=1e-14)


def test_padding_of_the_axes_that_stay_is_kept(comm):
    made = Made(comm, (padded(comm.size), blocks(3, 1)), (comm.size, 1))
    made.array.update_padding()
    rows = made.array.sum(axis=1)
    assert np.array_equal(rows.local, made.memory.sum(axis=1))
    assert rows.distribution == made.array[:, 0].distribution


def test_all_axes_together_are_the_whole_array(comm):
    made = Made(comm, (padded(comm.size), blocks(3, 1)), (comm.size, 1))
    same(made.array.sum(axis=(0, 1)), made.whole.sum())
    same(np.max(made.array, axis=(1, 0)), made.whole.max())
    line = Made(comm, (dealt(9, comm.size),), (comm.size,))
    same(line.array.sum(axis=0), line.whole.sum())
    same(line.array.sum(-1), line.whole.sum())
    assert line.array.argmax(axis=0) == line.whole.argmax()


@remedy("process can be left out: x.redistribute(")
def test_an_axis_on_several_processes_names_calls_that_work(comm):
    needs_several(comm)
    x = rows_of(comm)
    for call in CALLS:
        with pytest.raises(TypeError, match="x.redistribute.* moves the elements first; numpy") as caught:
            getattr(x, call)(axis=0)
        moved, here = str(caught.value).split("can be left out: ")[1].splitlines()[0].split(" moves the elements first; ")
        here = here.split(" is of this process's part")[0]
        assert np.allclose(eval(moved).allgather(), CALLS[call](x.allgather(), axis=0))
        assert np.allclose(eval(here, {"numpy": np, "x": x}), CALLS[call](x.local, axis=0))
    for axis in (2, -3, (0, 2)):
        with pytest.raises((ValueError, IndexError), match="out of bounds"):
            x.sum(axis=axis)
    with pytest.raises(ValueError, match="each axis once"):
        x.sum(axis=(0, 0))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "u1", "?", "D", "F", "f2"])
def test_products_and_variances_are_numpys(comm, dtype):
    p = comm.size
    loose = 5e-3 if dtype == "f2" else 2e-6 if dtype in ("f4", "F") else 1e-13
    for axes, grid in [((padded(p),), (p,)), ((shared(p),), (p,)), ((blocks(5, p), dealt(3, 1)), (p, 1))]:
        made = Made(comm, axes, grid, dtype, of=lambda *index: 1 + sum(index) % 3 + (1j * (index[0] % 2) if dtype in "DF" else 0))
        for ddof in (0, 1):
            for call in ("var", "std"):
                if dtype == "?":
                    continue
                same(getattr(made.array, call)(ddof=ddof), getattr(np, call)(made.whole, ddof=ddof), loose)
                same(getattr(np, call)(made.array, ddof=ddof), getattr(np, call)(made.whole, ddof=ddof), loose)
        if dtype != "f2":
            same(made.array.prod(), made.whole.prod(), loose)
            same(np.prod(made.array, dtype="f8" if dtype not in "DF" else "D"), made.whole.prod(dtype="f8" if dtype not in "DF" else "D"), 1e-13)


def test_the_place_of_an_extreme_is_the_first_in_the_whole_array(comm):
    p = comm.size
    for axes, grid in [((padded(p), blocks(3, 1)), (p, 1)), ((dealt(11, p, 2),), (p,)), ((blocks(0, 1), blocks(3, p)), (1, p)),
                       ((blocks(3, 1), dealt(7, p)), (1, p)), ((old_ring(p),), (p,))]:
        made = Made(comm, axes, grid, **({"version": "0.9.0"} if axes[0].dims[0].get("periodic") else {}))
        x, whole = made.array, made.whole
        if not whole.size:
            with pytest.raises(ValueError, match="empty sequence"):
                x.argmax()
            continue
        assert x.argmax() == np.argmax(x) == whole.argmax() and x.argmin() == np.argmin(x) == whole.argmin()
        assert x[np.unravel_index(x.argmax(), x.shape)] == x.max() and type(x.argmax()) is np.int64
        if comm.rank == p - 1 and x.interior.size:
            x.interior[...].flat[-1] = np.nan
        whole = x.allgather()
        assert x.argmax() == whole.argmax() and x.argmin() == whole.argmin()
    edge = Made(comm, (ring(p),), (p,))
    assert edge.array.argmax() == edge.whole.argmax() + 1  # its shape counts the mirror in front
    with pytest.raises(ValueError, match="x == x.max"):
        Made(comm, (shared(p),), (p,)).array.argmax()
    with pytest.raises(TypeError, match="axis is 1, must be None"):
        rows_of(comm).argmax(axis=1)


@pytest.mark.parametrize("call, given", [(np.sum, (None, None, None, True)), (np.max, (None, None, True)), (np.all, (None, None, True))])
def test_no_argument_of_a_position_is_lost(comm, call, given):
    x = tridap.zeros(tridap.distribution(2 * comm.size, processes=comm.size))
    with pytest.raises(TypeError, match="by position: pass others by name"):
        call(x, *given)
