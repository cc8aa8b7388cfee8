"""Sums, norms and the like of arrays in GPU memory, by kernels over a stand-in for the driver."""

import pathlib
import sys

import gpus
import numpy as np
import pytest

import tridap
from computing import Made, layouts, random_array, random_key
from remedies import advice, said_by

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "gpu"))
from refused_calls import REDUCTIONS  # noqa: E402

REMEDY = r'(\w+\.to\("cpu"\)) is a copy on the host'
REFUSALS = TypeError, BufferError, AttributeError, tridap.ProtocolError
DTYPES = ["bool", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]
CALLS = {
    "sum": np.sum, "prod": np.prod, "mean": np.mean, "min": np.min, "max": np.max, "all": np.all, "any": np.any,
    "norm": lambda x: x.norm() if isinstance(x, tridap.DistArray) else np.linalg.norm(x),
    "dot": lambda x: x.dot(x) if isinstance(x, tridap.DistArray) else x.ravel().dot(x.ravel()),
    "vdot": lambda x: np.vdot(x, x),
}

if not gpus.LIBRARY:
    pytest.skip("TRIDAP_STAND_IN_CUDA names no stand-in of the driver", allow_module_level=True)
gpus.load()


def on_both(values, dist, comm):
    """The same array on the device and on the host. Elements of the device are written late, on the legacy stream."""
    held = gpus.asarray(values)
    dense = np.frombuffer(values.tobytes("A"), np.uint8).copy()
    gpus.load().stand_in_write(held.address, dense.ctypes.data, dense.nbytes, gpus.LEGACY)
    return tridap.array(held, dist, comm), tridap.array(values, dist, comm)


def numbers(shape, rank, dtype=float):
    """Small whole numbers, whose results are exact."""
    values = (np.arange(np.prod(shape, dtype=int)).reshape(shape) * 7 + 3 * rank) % 6
    return (values - 2 * np.dtype(dtype).kind.__ne__("u")).astype(dtype) if dtype != "bool" else values > 0


def expect_same(found, expected):
    assert type(found) is type(expected)
    np.testing.assert_array_equal(found, expected)


@pytest.fixture
def dist(comm):
    return tridap.distribution((3 * comm.size, 4), "b,*", processes=comm.size)


@pytest.mark.parametrize("call", REDUCTIONS)
def test_reduction_is_the_hosts(dist, comm, call):
    x, host = on_both(numbers((3, 4), comm.rank), dist, comm)
    expect_same(REDUCTIONS[call](x), REDUCTIONS[call](host))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("call", CALLS)
def test_element_types_have_the_hosts_results(dist, comm, dtype, call):
    x, host = on_both(numbers((3, 4), comm.rank, dtype), dist, comm)
    if call in ("dot", "vdot") and dtype == "bool":
        advice(said_by(lambda: CALLS[call](x), REFUSALS), REMEDY)
    else:
        expect_same(CALLS[call](x), CALLS[call](host))


@pytest.mark.parametrize("call", ["sum", "min", "norm"])
def test_arrays_without_elements_are_the_hosts(comm, call):
    dist = tridap.distribution((3 * comm.size, 0), "b,*", processes=comm.size)
    x = tridap.zeros(dist, comm=comm).to("cuda:0")
    if call == "min":
        with pytest.raises((ValueError, tridap.ProtocolError), match="zero-size array"):
            x.min()
    else:
        assert CALLS[call](x) == 0


@pytest.mark.parametrize("dtype", ["f8", "i4", "c8"])
@pytest.mark.parametrize("order", "CF")
def test_each_element_of_the_whole_counts_once(comm, dtype, order):
    for name, axes, grid in layouts(comm.size):
        made = Made(comm, axes, grid, dtype, order=order)
        if made.whole.size == 0:
            continue
        x, whole = made.array.to("cuda:0"), made.whole
        assert x.device == "cuda:0" or made.memory.size == 0
        for call in ("sum", "mean", "min", "max", "all", "any", "dot", "vdot"):
            expect_same(CALLS[call](x), CALLS[call](whole))
        np.testing.assert_allclose(x.norm(), np.linalg.norm(whole.ravel()), rtol=1e-6 if dtype == "c8" else 1e-15)


@pytest.mark.parametrize("seed", range(20))
def test_slices_of_random_arrays_are_numpys(comm, seed):
    rng = np.random.default_rng(seed)
    host, whole = random_array(rng, comm)
    key = random_key(rng, whole.shape)
    try:
        host[key]
    except tridap.ProtocolError:  # without a constant stride
        key = ...
    expect_same(host.to("cuda:0")[key].sum(), whole[key].sum())
    expect_same(host.to("cuda:0")[key].dot(host.to("cuda:0")[key]), np.dot(whole[key].ravel(), whole[key].ravel()))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_and_infinity_go_on(dist, comm, bad):
    values = numbers((3, 4), comm.rank)
    if comm.rank == comm.size - 1:
        values[1, 2] = bad
    x, host = on_both(values, dist, comm)
    for call in CALLS.values():
        expect_same(call(x), call(host))


def test_rounded_sums_have_the_same_bits_each_time(comm):
    values = np.random.default_rng(comm.rank).random((301, 7)) - 0.5
    dist = tridap.distribution((301 * comm.size, 7), "b,*", processes=comm.size)
    x, host = on_both(values, dist, comm)
    for call in ("sum", "mean", "norm", "dot"):
        found = {float(CALLS[call](x)) for _ in range(3)}
        assert len(found) == 1 and np.isclose(found.pop(), CALLS[call](host), rtol=1e-12, atol=1e-12)
    for dtype, bound in (("f4", 1e-5), ("c8", 1e-5), ("c16", 1e-12)):
        x, host = on_both(values.astype(dtype), dist, comm)
        assert x.sum().dtype == dtype and np.isclose(x.sum(), host.sum(), rtol=bound, atol=300 * bound)


def test_two_arrays_of_other_types_and_strides(dist, comm):
    x, host = on_both(numbers((3, 4), comm.rank, "c8"), dist, comm)
    y, other = on_both(np.asarray(numbers((3, 4), 2, "i2"), order="F"), dist, comm)
    for left, right in ((x, y), (y, x)):
        a, b = (host, other) if left is x else (other, host)
        expect_same(left.dot(right), a.dot(b))
        expect_same(left.vdot(right), a.vdot(b))


def test_a_reduction_waits_for_the_stream_that_is_given(dist, comm):
    values = numbers((3, 4), comm.rank) + 1
    for stream, seen in ((True, values.sum()), (False, 0)):
        held = gpus.asarray(np.zeros((3, 4)))
        late = gpus.Stream().ptr
        gpus.load().stand_in_write(held.address, values.ctypes.data, values.nbytes, late)
        x = tridap.array(held, dist, comm)
        assert x.sum(stream=late if stream else None) == comm.allreduce(seen)
        assert tridap.zeros(dist, comm=comm).sum(stream=late) == 0
    with pytest.raises((BufferError, tridap.ProtocolError), match="stream is .*must be None or 1"):
        x.dot(x, stream=0)


def test_memory_may_differ_between_processes(dist, comm):
    x, host = on_both(numbers((3, 4), comm.rank), dist, comm)
    mixed = x if comm.rank == comm.size - 1 else host
    for call in CALLS.values():
        expect_same(call(mixed), call(host))


def test_two_arrays_in_different_memory_are_one_error_on_all(dist, comm):
    x, host = on_both(numbers((3, 4), comm.rank), dist, comm)
    for pair in ((x, host), (host, x)):
        last = comm.rank == comm.size - 1
        text = said_by(lambda: pair[0].dot(pair[1]) if last else host.dot(host), REFUSALS)
        advice(text, REMEDY)
        assert len(set(comm.allgather(text))) == 1


@pytest.mark.parametrize("call", ["sum", "max", "dot", "norm"])
def test_types_without_kernels_are_one_error_on_all(dist, comm, call):
    x = tridap.array(gpus.asarray(numbers((3, 4), comm.rank, "f2")), dist, comm)
    host = tridap.array(numbers((3, 4), comm.rank, "f2"), dist, comm)
    text = said_by(lambda: CALLS[call](x if comm.rank == comm.size - 1 else host), REFUSALS)
    assert "elements are float16 in the memory of cuda:0" in text and len(set(comm.allgather(text))) == 1
    assert np.array_equal(eval(advice(text, REMEDY), {"x": x}).local, host.local)


def test_a_kernel_that_fails_on_one_process_is_an_error_on_all(dist, comm):
    x, host = on_both(numbers((3, 4), comm.rank), dist, comm)
    cuda = gpus.load()
    if comm.rank == comm.size - 1:
        cuda.stand_in_fail.argtypes = gpus.ctypes.c_uint64, gpus.ctypes.c_int
        cuda.stand_in_fail(1, 0)
    with pytest.raises(tridap.ProtocolError, match="launching tridap_reduce_f64 failed.*LAUNCH_FAILED"):
        x.sum()
    expect_same(x.sum(), host.sum())
