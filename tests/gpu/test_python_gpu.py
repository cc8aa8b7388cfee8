"""The Python package with CuPy, PyTorch, JAX and Numba on a real GPU. Run with pytest; MPI is not needed."""

import os
import subprocess
import sys

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import numpy as np
import pytest
from refused_calls import REDUCTIONS, REFUSED_CALLS, VIEWS

import tridap

cupy = pytest.importorskip("cupy")

SHAPE = (3, 4)
DIST = tridap.distribution(SHAPE, "*,*", processes=1)
REMEDY = r'\w+\.to\("cpu"\)'


def device_array(values=None, dtype=float):
    values = np.arange(12).astype(dtype).reshape(SHAPE) if values is None else values
    held = cupy.asarray(values)
    return held, tridap.array(held, DIST)


def delayed_ones(n):
    """An array whose ones are written on a stream of its own, after about half a second of work."""
    kernel = cupy.RawKernel(r"""
    extern "C" __global__ void late(double* x, long long n, long long cycles) {
      long long begin = clock64();
      while (clock64() - begin < cycles) {}
      for (long long i = threadIdx.x + (long long)blockIdx.x * blockDim.x; i < n; i += (long long)gridDim.x * blockDim.x)
        x[i] = 1;
    }""", "late")
    x = cupy.zeros(n)
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        kernel((64,), (256,), (x, np.int64(n), np.int64(600_000_000)))
    return x, stream


def dictionary(buffer):
    return {"__version__": "0.10.0", "buffer": buffer, "dim_data": ({},) * len(buffer.shape)}


# ---- in and out at one address

def test_cupy_goes_in_and_out_at_one_address():
    held, x = device_array()
    assert x.device == "cuda:0" and " on cuda:0" in repr(x)
    again = cupy.from_dlpack(x.local)
    assert again.data.ptr == held.data.ptr and cupy.asarray(x.local).data.ptr == held.data.ptr
    again[1, 2] = 70
    assert held[1, 2] == 70 and again.shape == SHAPE and again.strides == held.strides


def test_asarray_takes_a_dictionary_with_gpu_memory():
    held = cupy.arange(12.0).reshape(SHAPE)
    x = tridap.asarray(dictionary(held))
    assert x.device == "cuda:0" and x.shape == SHAPE and x.dtype == float
    assert cupy.from_dlpack(x.local).data.ptr == held.data.ptr
    assert tridap.asarray(x) is x and tridap.asarray(x.__distarray__()).device == "cuda:0"


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64", "complex64",
                                   "complex128"])
def test_element_types_return_unchanged(dtype):
    held, x = device_array(dtype=dtype)
    assert x.dtype == np.dtype(dtype)
    assert np.array_equal(x.to("cpu").local, held.get())
    assert cupy.from_dlpack(x.local).dtype == held.dtype


def test_pytorch_goes_in_and_out_at_one_address():
    torch = pytest.importorskip("torch")
    held = torch.arange(12, dtype=torch.float64, device="cuda").reshape(SHAPE)
    x = tridap.array(held, DIST)
    again = torch.from_dlpack(x.local)
    assert again.data_ptr() == held.data_ptr() and again.device.type == "cuda"
    again[0, 0] = 5
    assert held[0, 0] == 5
    assert np.array_equal(x.to("cpu").local, held.cpu().numpy())


def test_pytorch_strided_goes_in_unchanged():
    torch = pytest.importorskip("torch")
    held = torch.arange(48, dtype=torch.float32, device="cuda").reshape(6, 8)[::2, ::2]
    x = tridap.array(held, DIST)
    assert x.local.strides == (64, 8)
    assert np.array_equal(x.to("cpu").local, held.cpu().numpy())


def test_jax_goes_in_at_its_address_and_is_read_only():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    held = jax.numpy.arange(12, dtype=jax.numpy.float32).reshape(SHAPE)
    x = tridap.array(held, DIST)
    assert x.device == "cuda:0"
    assert x.local.__cuda_array_interface__["data"] == (held.unsafe_buffer_pointer(), True)
    assert np.array_equal(x.to("cpu").local, np.asarray(held))


def test_jax_reads_our_memory():
    jax = pytest.importorskip("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    held, x = device_array(dtype="float32")
    again = jax.dlpack.from_dlpack(x.local)
    assert np.array_equal(np.asarray(again), held.get())


def test_numba_goes_in_at_its_address():
    cuda = pytest.importorskip("numba.cuda")
    held = cuda.to_device(np.arange(12.0).reshape(SHAPE))
    x = tridap.array(held, DIST)
    assert x.local.__cuda_array_interface__["data"][0] == held.__cuda_array_interface__["data"][0]
    assert np.array_equal(x.to("cpu").local, held.copy_to_host())
    assert np.array_equal(cuda.as_cuda_array(x.local).copy_to_host(), held.copy_to_host())


def test_local_part_keeps_the_memory():
    held, x = device_array()
    part = x.local
    del held, x
    cupy.get_default_memory_pool().free_all_blocks()
    filler = [cupy.full(SHAPE, -1.0) for _ in range(64)]
    assert np.array_equal(cupy.from_dlpack(part).get(), np.arange(12.0).reshape(SHAPE)) and filler


# ---- streams

def test_cupy_work_on_another_stream_is_seen():
    x, stream = delayed_ones(1 << 20)
    with stream:
        y = tridap.array(x, tridap.distribution(1 << 20, "*", processes=1))
    assert y.to("cpu").local.sum() == 1 << 20


def test_interface_stream_is_waited_for():
    x, stream = delayed_ones(1 << 20)

    class Interface:
        __cuda_array_interface__ = {**x.__cuda_array_interface__, "version": 3, "stream": stream.ptr}

    y = tridap.array(Interface(), tridap.distribution(1 << 20, "*", processes=1))
    assert y.to("cpu").local.sum() == 1 << 20


def test_order_is_lost_without_the_stream():
    """That the kernel is slow enough for the tests of streams to fail without the order."""
    x, stream = delayed_ones(1 << 20)

    class Interface:
        __cuda_array_interface__ = {**x.__cuda_array_interface__, "version": 3, "stream": None}

    y = tridap.array(Interface(), tridap.distribution(1 << 20, "*", processes=1))
    assert y.to("cpu").local.sum() < 1 << 20
    stream.synchronize()


def test_pytorch_work_on_another_stream_is_seen():
    torch = pytest.importorskip("torch")
    stream = torch.cuda.Stream()
    x = torch.zeros(1 << 20, dtype=torch.float64, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(600_000_000)
        x += 1
        y = tridap.array(x, tridap.distribution(1 << 20, "*", processes=1))
    assert y.to("cpu").local.sum() == 1 << 20


def test_consumer_stream_waits_for_ours():
    blocking, late = cupy.cuda.Stream.null, cupy.cuda.Stream(non_blocking=True)
    x = cupy.zeros(1 << 20)
    y = tridap.array(x, tridap.distribution(1 << 20, "*", processes=1))
    cupy.cuda.Device().synchronize()
    kernel = cupy.RawKernel('extern "C" __global__ void wait(long long n) { long long b = clock64(); while (clock64() - b < n) {} }',
                            "wait")
    with blocking:
        kernel((1,), (1,), (np.int64(600_000_000),))
        x += 1
    with late:  # from_dlpack passes this stream
        seen = cupy.from_dlpack(y.local).sum()
    late.synchronize()
    assert seen.get() == 1 << 20


def test_streams_that_do_not_exist_are_refused():
    _, x = device_array()
    for wrong in (0, -2, "1"):
        with pytest.raises(BufferError, match="stream is .*must be"):
            x.local.__dlpack__(stream=wrong)
    stream = cupy.cuda.Stream()
    for right in (None, 1, 2, -1, stream.ptr):
        assert "dltensor" in repr(x.local.__dlpack__(stream=right))


def test_interface_stream_zero_is_refused():
    held = cupy.arange(12.0).reshape(SHAPE)

    class Interface:
        __cuda_array_interface__ = {**held.__cuda_array_interface__, "version": 3, "stream": 0}

    with pytest.raises(tridap.ProtocolError, match="stream 0"):
        tridap.array(Interface(), DIST)


# ---- copies

def test_to_copies_to_the_host_and_back():
    held, x = device_array()
    host = x.to("cpu")
    assert host.device == "cpu" and isinstance(host.local, np.ndarray) and host.receipt.bytes_copied == 96
    host.local[0, 0] = 99
    assert held[0, 0] == 0
    back = host.to("cuda:0")
    assert back.device == "cuda:0" and cupy.from_dlpack(back.local)[0, 0] == 99
    assert back.to("cuda:0") is back and host.to("cpu") is host
    assert cupy.from_dlpack(back.local).data.ptr != held.data.ptr
    assert back.distribution == x.distribution


@pytest.mark.parametrize("key", [np.s_[:, :], np.s_[::2, :], np.s_[:, 1:3], np.s_[::2, ::3], np.s_[1:2, 3:4]])
@pytest.mark.parametrize("order", ["C", "F"])
def test_strided_parts_are_copied_right(key, order):
    whole = np.arange(7 * 9 * 5.0).reshape(7, 9, 5, order=order)
    held = cupy.asarray(whole, order=order)[key]
    x = tridap.array(held, tridap.distribution(held.shape, "*,*,*", processes=1))
    assert np.array_equal(x.to("cpu").local, whole[key])
    assert np.array_equal(x.to("cpu").to("cuda:0").to("cpu").local, whole[key])


def test_host_with_negative_strides_goes_to_the_gpu():
    whole = np.arange(24.0).reshape(4, 6)[::-1, ::-2]
    x = tridap.array(whole, tridap.distribution(whole.shape, "*,*", processes=1)).to("cuda:0")
    assert np.array_equal(cupy.from_dlpack(x.local).get(), whole)


def test_parts_without_elements_are_copied():
    x = tridap.array(np.zeros((0, 3)), tridap.distribution((0, 3), "*,*", processes=1))
    assert x.to("cuda:0").to("cpu").local.shape == (0, 3)


def test_device_that_is_not_in_use_is_refused():
    x = tridap.array(np.zeros(SHAPE), DIST)
    with pytest.raises(tridap.ProtocolError):
        x.to("cuda:7")
    for wrong in ("cuda", "gpu:0", "cuda:-1", "cuda:x"):
        with pytest.raises(ValueError, match="device is"):
            x.to(wrong)


def test_dlpack_copies_to_the_host_if_asked():
    held, x = device_array()
    assert np.array_equal(np.from_dlpack(x.local, device="cpu"), held.get())
    with pytest.raises(BufferError, match="copy=False"):
        x.local.__dlpack__(dl_device=(1, 0), copy=False)


# ---- wrong places

def interface(address, **others):
    return {"shape": SHAPE, "typestr": "<f8", "data": (address, False), "version": 3, **others}


class Says:
    """A DLPack object of another one whose device it states wrongly."""

    def __init__(self, of, device):
        self.of, self.device = of, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        import ctypes
        options.pop("dl_device", None)
        stream = options.pop("stream", None)
        capsule = self.of.__dlpack__(**options, **({} if isinstance(self.of, np.ndarray) else {"stream": stream}))
        name = b"dltensor_versioned"
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        tensor = get(capsule, name)
        place = tensor + 8 + 8 + 8 + 8 + 8  # version, manager_ctx, deleter, flags, data
        ctypes.c_int32.from_address(place).value = self.device[0]
        ctypes.c_int32.from_address(place + 4).value = self.device[1]
        return capsule


def test_host_address_that_says_cuda_is_found():
    with pytest.raises(tridap.ProtocolError, match="said to be in cuda:0 memory, but its address is in memory of the host"):
        tridap.array(Says(np.zeros(SHAPE), (2, 0)), DIST)


def test_gpu_address_that_says_host_is_found():
    held = cupy.zeros(SHAPE)

    class Interface:
        __array_interface__ = interface(held.data.ptr)

    with pytest.raises(tridap.ProtocolError, match="said to be in host memory, but its address is in cuda:0 memory"):
        tridap.array(Interface(), DIST)


def test_another_device_number_is_found():
    with pytest.raises(tridap.ProtocolError, match="said to be in cuda:1 memory, but its address is in cuda:0 memory"):
        tridap.array(Says(cupy.zeros(SHAPE), (2, 1)), DIST)


def test_host_address_in_the_interface_is_found():
    held = np.zeros(SHAPE)

    class Interface:
        __cuda_array_interface__ = interface(held.ctypes.data)

    with pytest.raises(tridap.ProtocolError, match="memory of the host"):
        tridap.array(Interface(), DIST)


def test_managed_memory_is_the_hosts_too():
    held = cupy.ndarray(SHAPE, memptr=cupy.cuda.malloc_managed(96))
    held[...] = cupy.arange(12.0).reshape(SHAPE)
    x = tridap.array(held, DIST)
    assert isinstance(x.local, np.ndarray) and x.local.ctypes.data == held.data.ptr
    assert x.sum() == 66


def test_negative_strides_of_cupy_are_refused():
    held = cupy.arange(12.0).reshape(SHAPE)
    try:
        x = tridap.array(held[::-1], DIST)
    except (tridap.ProtocolError, BufferError) as error:
        assert "different elements" in str(error) or "the stride of" in str(error)
    else:  # a CuPy that has the right strides
        assert np.array_equal(x.to("cpu").local, held.get()[::-1])


@pytest.mark.parametrize("view", VIEWS)
def test_view_is_of_the_same_memory(view):
    held, x = device_array()
    host = VIEWS[view](tridap.array(held.get(), DIST))
    assert np.array_equal(VIEWS[view](x).to("cpu").local, host.local)


@pytest.mark.parametrize("call", REDUCTIONS)
def test_reduction_has_numpys_result(call):
    held, x = device_array(np.arange(-4.0, 8.0).reshape(SHAPE))
    found, expected = REDUCTIONS[call](x), REDUCTIONS[call](tridap.array(held.get(), DIST))
    assert found == expected and np.asarray(found).dtype == np.asarray(expected).dtype


def test_sums_have_the_same_bits_each_time():
    held = cupy.random.random((3000, 1000)) - 0.5
    x = tridap.array(held, tridap.distribution(held.shape, "*,*", processes=1))
    assert len({x.sum() for _ in range(5)}) == 1 and np.isclose(x.sum(), held.get().sum())


def test_scatter_takes_an_array_on_the_device():
    held, _ = device_array()
    assert np.array_equal(tridap.scatter(held, DIST).local, held.get())


# ---- what is refused by name

@pytest.mark.parametrize("call", REFUSED_CALLS)
def test_call_that_reads_gpu_memory_is_refused(call):
    _, x = device_array()
    with pytest.raises((TypeError, BufferError, tridap.ProtocolError, AttributeError), match=REMEDY):
        REFUSED_CALLS[call](x)


def test_sharded_arrays_are_refused():
    jax = pytest.importorskip("jax")
    program = """
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax, tridap
from jax.sharding import Mesh, NamedSharding, PartitionSpec
x = jax.device_put(jax.numpy.zeros((4, 4)), NamedSharding(Mesh(jax.devices(), "i"), PartitionSpec("i")))
try:
    tridap.array(x, tridap.distribution((4, 4), "*,*", processes=1))
except tridap.ProtocolError as error:
    assert "jax.Array with 2 shards" in str(error), error
else:
    raise SystemExit("it was taken")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
    assert jax


def test_dtensor_is_refused():
    torch = pytest.importorskip("torch")
    tensor = pytest.importorskip("torch.distributed.tensor")
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29511")
    torch.distributed.init_process_group("gloo", rank=0, world_size=1)
    try:
        mesh = torch.distributed.device_mesh.init_device_mesh("cuda", (1,))
        x = tensor.distribute_tensor(torch.zeros(SHAPE, device="cuda"), mesh, [tensor.Shard(0)])
        with pytest.raises(tridap.ProtocolError, match="DTensor"):
            tridap.array(x, DIST)
        assert tridap.array(x.to_local(), DIST).device == "cuda:0"
    finally:
        torch.distributed.destroy_process_group()


# ---- sharded arrays, of one process

def test_dtensor_is_an_array_on_the_gpu():
    torch = pytest.importorskip("torch")
    tensor = pytest.importorskip("torch.distributed.tensor")
    pytest.importorskip("mpi4py")
    from tridap import torch as tt
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29512")
    torch.distributed.init_process_group("gloo", rank=0, world_size=1)
    try:
        mesh = torch.distributed.device_mesh.init_device_mesh("cuda", (1,))
        x = tensor.distribute_tensor(torch.ones(SHAPE, device="cuda"), mesh, [tensor.Shard(0)])
        a = tt.export_array(x)
        assert a.device == "cuda:0" and a.local.__cuda_array_interface__["data"][0] == x.to_local().data_ptr()
        y = tt.to_dtensor(a, mesh, [tensor.Shard(0)])
        assert y.to_local().data_ptr() == x.to_local().data_ptr()
    finally:
        torch.distributed.destroy_process_group()


def test_sharded_array_of_jax_is_an_array_on_the_gpu():
    jax = pytest.importorskip("jax")
    pytest.importorskip("mpi4py")
    if jax.default_backend() != "gpu":
        pytest.skip("this JAX has no GPU")
    from jax.sharding import Mesh, NamedSharding, PartitionSpec
    from tridap import jax as tj
    sharding = NamedSharding(Mesh(np.array(jax.devices()[:1]), "i"), PartitionSpec("i"))
    x = jax.device_put(jax.numpy.ones(SHAPE, "float32"), sharding)
    a = tj.export_array(x)
    address = x.addressable_shards[0].data.unsafe_buffer_pointer()
    assert a.device == "cuda:0" and a.local.__cuda_array_interface__["data"] == (address, True)
    assert tj.export_array(x, donate=True).local.__cuda_array_interface__["data"] == (address, False)


# ---- nothing is started

def test_import_alone_starts_no_cuda():
    program = """
import numpy as np, tridap
x = tridap.array(np.zeros(6), tridap.distribution(6, "*", processes=1))
assert x.sum() == 0
assert "libcuda.so" not in open("/proc/self/maps").read()
try:
    x.to("cuda:0")
except tridap.ProtocolError as error:
    assert "has not loaded its driver" in str(error), error
else:
    raise SystemExit("it was copied")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_loaded_driver_is_not_started():
    program = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
import numpy as np, tridap
x = tridap.array(np.zeros(6), tridap.distribution(6, "*", processes=1))
assert x.sum() == 0
flags, active = ctypes.c_uint(), ctypes.c_int(-1)
error = cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active))
assert error == 3, (error, active.value)  # not initialized
try:
    x.to("cuda:0")
except tridap.ProtocolError as error:
    pass
else:
    raise SystemExit("it was copied")
assert cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) == 3
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_checks_on_the_host_start_no_context():
    program = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0
import numpy as np, tridap
x = tridap.array(np.zeros(6), tridap.distribution(6, "*", processes=1))
assert x.sum() == 0
flags, active = ctypes.c_uint(), ctypes.c_int(-1)
assert cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) == 0 and active.value == 0
try:
    x.to("cuda:0")
except tridap.ProtocolError as error:
    assert "is not in use in this process" in str(error), error
else:
    raise SystemExit("it was copied")
assert cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) == 0 and active.value == 0
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
