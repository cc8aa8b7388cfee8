"""Arrays in GPU memory, over a stand-in whose memory the host cannot touch: a host access ends the process."""

import pathlib
import subprocess
import sys
import types

import gpus
import numpy as np
import pytest

import tridap
from remedies import advice, follow, remedy, said_by

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "gpu"))
from refused_calls import LOCAL_CALLS, REFUSED_CALLS, VIEWS  # noqa: E402

SHAPE = (3, 4)
VALUES = np.arange(12.0).reshape(SHAPE)
REMEDY = r'\w+\.to\("cpu"\)'
REFUSALS = TypeError, BufferError, AttributeError, tridap.ProtocolError

if not gpus.LIBRARY:
    pytest.skip("TRIDAP_STAND_IN_CUDA names no stand-in of the driver", allow_module_level=True)
gpus.load()


@pytest.fixture
def dist(comm):
    return tridap.distribution((3 * comm.size, 4), "b,*", processes=comm.size)


def device_array(dist, comm, values=VALUES, **options):
    held = gpus.asarray(values, **options)
    return held, tridap.array(held, dist, comm)


def dictionary(comm, buffer):
    return {"__version__": "0.10.0", "buffer": buffer,
            "dim_data": ({"dist_type": "b", "size": 3 * comm.size, "proc_grid_size": comm.size, "proc_grid_rank": comm.rank,
                          "start": 3 * comm.rank, "stop": 3 * comm.rank + 3}, {})}


def alone(shape):
    return tridap.distribution(shape, "*" + ",*" * (len(shape) - 1), processes=1)


# ---- in and out at one address

def test_memory_goes_in_and_out_at_one_address(dist, comm):
    held, x = device_array(dist, comm)
    assert x.device == "cuda:0" and " on cuda:0" in repr(x) and x.dtype == float
    again = gpus.from_dlpack(x.local)
    assert again.address == held.address and np.array_equal(again.get(), VALUES)
    assert x.local.__cuda_array_interface__ == {
        "shape": SHAPE, "typestr": "<f8", "data": (held.address, False), "strides": None, "version": 3, "stream": 1}
    assert x.__dlpack_device__() == x.local.__dlpack_device__() == (2, 0)
    assert gpus.from_dlpack(x).address == held.address


def test_asarray_takes_gpu_memory_in_a_dictionary(comm):
    held = gpus.asarray(VALUES)
    x = tridap.asarray(dictionary(comm, held), comm)
    assert x.device == "cuda:0" and x.shape == (3 * comm.size, 4) and x.is_whole
    assert gpus.from_dlpack(x.local).address == held.address
    again = tridap.asarray(x.__distarray__(), comm)
    assert again.device == "cuda:0" and gpus.from_dlpack(again.local).address == held.address
    assert tridap.asarray(x, comm) is x


def test_interface_alone_goes_in(dist, comm):
    held = gpus.asarray(VALUES)
    x = tridap.array(gpus.WithInterface(held), dist, comm)
    assert gpus.from_dlpack(x.local).address == held.address


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "complex64", "complex128"])
def test_element_types_stay(dist, comm, dtype):
    values = (VALUES % 3).astype(dtype)
    held, x = device_array(dist, comm, values)
    assert x.dtype == values.dtype and np.array_equal(x.to("cpu").local, values)
    assert gpus.from_dlpack(x.local).dtype == values.dtype


def test_bfloat16_stays_and_is_copied(dist, comm):
    bits = np.arange(12, dtype="u2").reshape(SHAPE)
    held, x = device_array(dist, comm, bits.view("V2"))
    assert "bfloat16" in repr(x.local) and gpus.from_dlpack(x.local).address == held.address
    host = x.to("cpu")
    assert host.dtype.itemsize == 2 and np.array_equal(host.local.view("u2"), bits)
    assert gpus.from_dlpack(host.to("cuda:0").local).dtype == "V2"
    with pytest.raises(AttributeError, match="bfloat16, which __cuda_array_interface__ cannot say: use __dlpack__"):
        x.local.__cuda_array_interface__


def test_read_only_memory_stays_read_only(dist, comm):
    _, x = device_array(dist, comm, read_only=True)
    assert x.local.__cuda_array_interface__["data"][1] and gpus.from_dlpack(x.local).read_only


def test_padding_is_left_out_of_owned(comm):
    dist = tridap.distribution(4 * comm.size, [tridap.block(padding=1)], processes=comm.size)
    local = np.arange(dist.local_shape(comm.rank)[0], dtype=float)
    x = tridap.array(gpus.asarray(local), dist, comm)
    host = tridap.array(local, dist, comm)
    assert np.array_equal(gpus.from_dlpack(x.owned).get(), host.owned)
    assert np.array_equal(gpus.from_dlpack(x.interior).get(), host.interior)


def test_part_keeps_the_memory(dist, comm):
    before = gpus.allocations()
    held, x = device_array(dist, comm)
    part = x.local
    del held, x
    assert np.array_equal(gpus.from_dlpack(part).get(), VALUES)
    del part
    assert gpus.allocations() == before


# ---- streams

def test_producers_late_work_is_seen(dist, comm):
    held, x = device_array(dist, comm, stream=gpus.Stream())
    assert held.asked == 1
    assert np.array_equal(x.to("cpu").local, VALUES)


def test_interface_stream_is_waited_for(dist, comm):
    held = gpus.asarray(VALUES, stream=gpus.Stream())
    x = tridap.array(gpus.WithInterface(held), dist, comm)
    assert np.array_equal(x.to("cpu").local, VALUES)


def test_interface_without_stream_is_not_waited_for(dist, comm):
    held = gpus.asarray(VALUES, stream=gpus.Stream())
    x = tridap.array(gpus.WithInterface(held, stream=None), dist, comm)
    assert not x.to("cpu").local.any()


def test_copy_waits_for_the_stream_that_is_given(dist, comm):
    held = gpus.asarray(VALUES, stream=gpus.Stream())
    x = tridap.array(gpus.WithInterface(held, stream=None), dist, comm)
    assert np.array_equal(x.to("cpu", stream=held.stream.ptr).local, VALUES)
    for stream in (None, gpus.LEGACY, gpus.PER_THREAD):
        assert np.array_equal(x.to("cpu", stream=stream).local, VALUES)
    for stream in (0, -2, "1"):
        with pytest.raises(BufferError, match="stream is .*must be None or 1"):
            x.to("cpu", stream=stream)


@pytest.mark.parametrize("moved", [
    lambda x, stream: x.redistribute("c,*", stream=stream).to("cpu").redistribute(x.distribution).local,
    lambda x, stream: tridap.Redistribution(x, x, x.dtype)(x, stream=stream).to("cpu").local,
    lambda x, stream: tridap.Redistribution(x, x, x.dtype).start(x, stream=stream).wait().to("cpu").local,
    lambda x, stream: tridap.Redistribution(x, x, x.dtype)([(x, None)], stream=stream)[0].to("cpu").local,
    lambda x, stream: x.allgather(stream=stream)[3 * x.process:3 * x.process + 3],
    lambda x, stream: x.update_padding(stream=stream) or x.to("cpu").local,
], ids=["redistribute", "plan", "start", "list", "allgather", "update_padding"])
def test_moves_wait_for_the_stream_that_is_given(dist, comm, moved):
    held = gpus.asarray(VALUES, stream=gpus.Stream())
    x = tridap.array(gpus.WithInterface(held, stream=None), dist, comm)
    assert np.array_equal(moved(x, held.stream.ptr), VALUES)
    for wrong in (0, "1") if comm.rank == 0 else (held.stream.ptr,) * 2:
        with pytest.raises(REFUSALS, match="stream"):
            moved(x, wrong)


@pytest.mark.parametrize("stream", [0, -1, "1"])
def test_interface_stream_that_is_none_is_refused(dist, comm, stream):
    with pytest.raises(tridap.ProtocolError, match="has the stream .*must be None, 1, 2"):
        tridap.array(gpus.WithInterface(gpus.asarray(VALUES), stream=stream), dist, comm)


def test_consumer_stream_waits_for_ours(dist, comm):
    held, x = device_array(dist, comm, np.zeros(SHAPE))
    for stream in (gpus.PER_THREAD, gpus.Stream().ptr):
        gpus.load().stand_in_write(held.address, VALUES.ctypes.data, VALUES.nbytes, gpus.LEGACY)  # late, on our stream
        assert np.array_equal(gpus.from_dlpack(x.local, stream=stream).get(stream), VALUES)
        gpus.load().stand_in_write(held.address, np.zeros(SHAPE).ctypes.data, VALUES.nbytes, 0)


def test_consumer_without_order_does_not_wait(dist, comm):
    held, x = device_array(dist, comm, np.zeros(SHAPE))
    gpus.load().stand_in_write(held.address, VALUES.ctypes.data, VALUES.nbytes, gpus.LEGACY)
    assert not gpus.from_dlpack(x.local, stream=-1).get(gpus.Stream().ptr).any()


@pytest.mark.parametrize("stream", [0, -2, "1", 1.0])
def test_stream_that_does_not_exist_is_refused(dist, comm, stream):
    _, x = device_array(dist, comm)
    with pytest.raises(BufferError, match="stream is .*, must be None or 1"):
        x.local.__dlpack__(stream=stream)


# ---- copies

def test_to_copies_to_the_host_and_back(dist, comm):
    held, x = device_array(dist, comm)
    host = x.to("cpu")
    assert host.device == "cpu" and isinstance(host.local, np.ndarray) and host.receipt.bytes_copied == 96
    assert np.array_equal(host.local, VALUES) and host.distribution == x.distribution
    host.local[0, 0] = 99
    back = host.to("cuda:0")
    assert gpus.from_dlpack(back.local).get()[0, 0] == 99 and held.get()[0, 0] == 0
    assert back.to("cuda:0") is back and host.to("cpu") is host
    total = host.sum()
    assert total == comm.size * (66 + 99)


@pytest.mark.parametrize("key", [np.s_[:, :], np.s_[::2, :], np.s_[:, 1:3], np.s_[::2, ::3], np.s_[1:2, 3:4], np.s_[::-1, ::-2],
                                 np.s_[..., 2], np.s_[:, :, ::-1], np.s_[3:3], np.s_[::3, ::4, ::2]])
@pytest.mark.parametrize("order", ["C", "F"])
def test_strided_parts_are_copied_right(key, order):
    whole = np.arange(7 * 9 * 5.0).reshape(7, 9, 5, order=order)
    values = np.asarray(whole, order=order)[key]
    held = gpus.cut(gpus.asarray(np.asarray(whole, order=order)), key)
    x = tridap.array(held, alone(values.shape))
    host = x.to("cpu")
    assert np.array_equal(host.local, values)
    assert np.array_equal(host.to("cuda:0").to("cpu").local, values)
    again = tridap.array(values, alone(values.shape)).to("cuda:0")
    assert np.array_equal(gpus.from_dlpack(again.local).get(), values)


def test_repeated_elements_are_copied(comm):
    values = np.broadcast_to(np.arange(4.0), SHAPE)
    x = tridap.array(values, alone(SHAPE)).to("cuda:0")
    assert np.array_equal(gpus.from_dlpack(x.local).get(), values)


@remedy(': x.to("cpu") copies them to the host', "host memory has no stream: pass stream=None")
def test_dlpack_copies_to_the_host_if_asked(dist, comm):
    _, x = device_array(dist, comm)

    class Host:  # as numpy.from_dlpack(x.local, device="cpu") of NumPy 2
        def __init__(self, **options):
            self.options = options

        def __dlpack_device__(self):
            return 1, 0

        def __dlpack__(self, **options):
            return x.local.__dlpack__(dl_device=(1, 0), **{**options, **self.options})

    assert np.array_equal(np.from_dlpack(Host()), VALUES)
    given = {"x": x, "np": np, "Host": Host}
    host = follow(given, "np.from_dlpack(Host(copy=False))", r': (x\.to\("cpu"\)) copies', "{}")
    assert np.array_equal(host.local, VALUES)
    copied = follow(given, "np.from_dlpack(Host(stream=1))", r"pass (stream=None)", "np.from_dlpack(Host({}))")
    assert np.array_equal(copied, VALUES)
    with pytest.raises(BufferError, match="dl_device is"):
        x.local.__dlpack__(dl_device=(2, 1))


def test_copies_free_their_memory(dist, comm):
    before = gpus.allocations()
    x = tridap.zeros(dist, comm=comm).to("cuda:0")
    assert gpus.allocations() == before + 1
    del x
    assert gpus.allocations() == before


def test_device_that_is_not_in_use_is_refused(dist, comm):
    x = tridap.zeros(dist, comm=comm)
    with pytest.raises(tridap.ProtocolError, match="cuda:1 is not in use in this process.*: use the device first"):
        x.to("cuda:1")
    for wrong in ("cuda", "gpu:0", "cuda:-1", "cuda:x"):
        with pytest.raises(ValueError, match=f"device is '{wrong}', must be 'cpu'"):
            x.to(wrong)


def test_memory_that_ends_is_an_error():
    huge = np.broadcast_to(np.zeros(1), (1 << 38,))
    with pytest.raises(tridap.ProtocolError, match="allocating .* on cuda:0 failed: .*OUT_OF_MEMORY"):
        tridap.array(huge, alone(huge.shape)).to("cuda:0")


# ---- views

@pytest.mark.parametrize("view", VIEWS)
def test_view_is_of_the_same_memory(dist, comm, view):
    held, x = device_array(dist, comm)
    host = VIEWS[view](tridap.array(VALUES, dist, comm))
    made = VIEWS[view](x)
    assert made.device == "cuda:0" and made.distribution == host.distribution and made.dtype == host.dtype
    given = gpus.from_dlpack(made.local)
    assert given.shape == host.local.shape and not given.read_only and np.array_equal(given.get(), host.local)
    assert np.array_equal(made.to("cpu").local, host.local)
    begin, end = held.address, held.address + VALUES.nbytes
    assert given.get().size == 0 or begin <= given.address < end


def test_view_keeps_the_memory_and_its_properties(dist, comm):
    before = gpus.allocations()
    x = device_array(dist, comm, read_only=True)[1]
    part = x[:, 1:].local
    del x
    assert part.__cuda_array_interface__["data"][1] and part.strides == (32, 8) and part.device == "cuda:0"
    assert np.array_equal(gpus.from_dlpack(part).get(), VALUES[:, 1:])
    del part
    assert gpus.allocations() == before


@pytest.mark.parametrize("key", [np.s_[0], np.s_[1:, ::-2], np.s_[..., 3], np.s_[None, 2], np.s_[np.int64(1)], np.s_[0, 0, ...], ()])
def test_part_of_a_part_is_of_the_same_memory(dist, comm, key):
    held, x = device_array(dist, comm)
    given = gpus.from_dlpack(x.local[key])
    assert np.array_equal(given.get(), VALUES[key]) and given.address - held.address == VALUES[key].ctypes.data - VALUES.ctypes.data


def test_part_has_a_length_and_a_transpose(dist, comm):
    x = device_array(dist, comm)[1]
    assert len(x.local) == 3 and [row.shape for row in x.local] == 3 * [(4,)]
    assert np.array_equal(gpus.from_dlpack(x.local.transpose()).get(), VALUES.T)
    assert x.local in {x.local: 1} or hash(x.local) != hash(None)
    with pytest.raises(IndexError, match="out of bounds"):
        x.local[3]
    with pytest.raises(TypeError, match="without axes"):
        len(x.local[0, 0, ...])


def test_real_and_imaginary_parts_are_views(dist, comm):
    held, x = device_array(dist, comm, VALUES + 2j)
    for part, values, offset in ((x.real, VALUES, 0), (x.imag, np.full(SHAPE, 2.0), 8)):
        given = gpus.from_dlpack(part.local)
        assert given.address == held.address + offset and np.array_equal(given.get(), values)


def test_view_of_bfloat16_is_bfloat16(dist, comm):
    bits = np.arange(12, dtype="u2").reshape(SHAPE)
    x = device_array(dist, comm, bits.view("V2"))[1]
    assert "bfloat16" in repr(x[:, 1:].local) and np.array_equal(x[:, 1:].to("cpu").local.view("u2"), bits[:, 1:])


def test_part_without_elements_has_no_address(comm):
    x = tridap.zeros(tridap.distribution((3 * comm.size, 0), "b,*", processes=comm.size), comm=comm).to("cuda:0")
    assert x[1:].local.shape[1] == 0 and x[1:].device == "cuda:0"


# ---- wrong places

WRONG = {
    "host address that says cuda": (lambda: gpus.asarray(VALUES, kind=gpus.PINNED), "cuda:0 memory, but its address is in pinned"),
    "another device": (lambda: gpus.Array(gpus.asarray(VALUES).memory, 0, SHAPE, (32, 8), float, (2, 1)),
                       "cuda:1 memory, but its address is in cuda:0 memory"),
    "managed that is not": (lambda: gpus.Array(gpus.asarray(VALUES).memory, 0, SHAPE, (32, 8), float, (13, 0)),
                            "cuda_managed:0 memory, but its address is in cuda:0 memory"),
    "cuda address that says host": (lambda: gpus.Array(gpus.asarray(VALUES).memory, 0, SHAPE, (32, 8), float, (1, 0)),
                                    "host memory, but its address is in cuda:0 memory"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_place_is_one_error_on_all(comm, case):
    make, text = WRONG[case]
    wrong = comm.rank == comm.size - 1
    with pytest.raises(tridap.ProtocolError, match=text):
        tridap.asarray(dictionary(comm, make() if wrong else gpus.asarray(VALUES)), comm)


def test_managed_memory_is_the_hosts_too(dist, comm):
    held, x = device_array(dist, comm, device=(13, 0), kind=gpus.MANAGED, stream=gpus.Stream())
    assert isinstance(x.local, np.ndarray) and x.local.ctypes.data == held.address
    assert x.sum() == 66 * comm.size


@remedy("give a contiguous copy, such as cupy.ascontiguousarray(x)")
def test_strides_that_disagree_are_refused(dist, comm):
    held = gpus.asarray(VALUES)
    held.__cuda_array_interface__ = {"shape": SHAPE, "typestr": "<f8", "data": (held.address, False), "strides": (-32, 8)}
    cupy = types.SimpleNamespace(ascontiguousarray=lambda x: gpus.asarray(x.get()))
    given = {"x": held, "dist": dist, "comm": comm, "tridap": tridap, "cupy": cupy}
    made = follow(given, "tridap.array(x, dist, comm)", r"such as (cupy\.\S+\(x\))", "tridap.array({}, dist, comm)")
    assert np.array_equal(made.to("cpu").local, VALUES)


# ---- what is refused by name

@pytest.mark.parametrize("call", REFUSED_CALLS)
@remedy('x.to("cpu") is a copy on the host', '.to("cpu") is a copy on the host')
def test_call_that_reads_gpu_memory_is_refused(dist, comm, call):
    held, x = device_array(dist, comm)
    text = said_by(lambda: REFUSED_CALLS[call](x), REFUSALS)
    given = {**dict.fromkeys(("x", "b", "X", "v0"), x), "cupy": gpus, "torch": gpus}
    host = eval(advice(text, f"({REMEDY}) is a copy on the host"), given)
    assert np.array_equal(host.local, VALUES)
    if "from_dlpack" in text:
        for library in ("cupy", "torch"):
            assert eval(advice(text, rf"({library}\.from_dlpack\(x\.local\))"), given).address == held.address


@pytest.mark.parametrize("call", [call for call in REFUSED_CALLS if call not in LOCAL_CALLS])
def test_gpu_memory_on_one_process_is_an_error_on_all(dist, comm, call):
    x = tridap.array(VALUES, dist, comm)
    if comm.rank == comm.size - 1:
        x = x.to("cuda:0")
    text = said_by(lambda: REFUSED_CALLS[call](x), REFUSALS)
    advice(text, f"({REMEDY}) is a copy on the host")
    assert len(set(comm.allgather(text))) == 1


def test_solve_says_what_is_missing(dist, comm):
    if "solve" not in REFUSED_CALLS:
        pytest.skip("no solvers")
    x = device_array(dist, comm)[1]
    with pytest.raises(tridap.ProtocolError, match=r"the elements of b are in the memory of cuda:0, must be in memory of the host, because "
                       r'this Trilinos has no device \[conversion\]: b\.to\("cpu"\) is a copy on the host'):
        REFUSED_CALLS["solve"](x)


def test_what_needs_no_elements_works(dist, comm, folder):
    x = device_array(dist, comm)[1]
    assert "on cuda:0" in repr(x) and "on cuda:0" in x._repr_html_() and x.to_html()
    assert tridap.check(x, comm).ok and x.size == 12 * comm.size and len(x) == 3 * comm.size and np.shape(x) == x.shape
    tridap.write_capture(x, folder / "x.json")
    assert comm.rank != 0 or '"cuda' in (folder / "x.json").read_text()
    assert tridap.relabel(x, x).bytes_kept == 96 * comm.size


def test_vec_of_petsc_is_refused(comm):
    pytest.importorskip("petsc4py")
    from tridap import petsc
    x = tridap.array(gpus.asarray(np.arange(3.0)), tridap.distribution(3 * comm.size, processes=comm.size), comm)
    with pytest.raises(tridap.ProtocolError, match=REMEDY):
        petsc.import_array(x)


def test_sharded_arrays_are_refused(dist, comm, monkeypatch):
    class DTensor:
        pass

    class Sharded:
        sharding = types.SimpleNamespace(device_set={0, 1})

    monkeypatch.setitem(sys.modules, "torch.distributed.tensor", types.SimpleNamespace(DTensor=DTensor))
    monkeypatch.setitem(sys.modules, "jax", types.SimpleNamespace(Array=Sharded))
    with pytest.raises(tridap.ProtocolError, match="DTensor of PyTorch.*to_local"):
        tridap.array(DTensor(), dist, comm)
    with pytest.raises(tridap.ProtocolError, match="jax.Array with 2 shards.*addressable_shards"):
        tridap.array(Sharded(), dist, comm)


def test_memory_of_jax_is_read_only(dist, comm, monkeypatch):
    held = gpus.asarray(VALUES)
    held.sharding = types.SimpleNamespace(device_set={0})
    monkeypatch.setitem(sys.modules, "jax", types.SimpleNamespace(Array=gpus.Array))
    x = tridap.array(held, dist, comm)
    assert gpus.from_dlpack(x.local).read_only


@remedy('call tridap.asarray(array, comm).to("cpu")')
def test_copy_true_of_gpu_memory_is_refused(comm):
    given = {"array": dictionary(comm, gpus.asarray(VALUES)), "comm": comm, "tridap": tridap}
    host = follow(given, "tridap.asarray(array, comm, copy=True)", r'call (tridap\.asarray\(array, comm\)\.to\("cpu"\)), which', "{}")
    assert host.device == "cpu" and np.array_equal(host.local, VALUES)


def test_without_a_driver_nothing_is_loaded():
    program = """
import numpy as np, tridap
x = tridap.array(np.zeros(6), tridap.distribution(6, "*", processes=1))
assert x.sum() == 0 and "libcuda" not in open("/proc/self/maps").read()
try:
    x.to("cuda:0")
except tridap.ProtocolError as error:
    assert "has not loaded its driver" in str(error), error
else:
    raise SystemExit("it was copied")
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_driver_that_is_not_started_stays_so():
    program = f"""
import ctypes
cuda = ctypes.CDLL({gpus.LIBRARY!r})
import numpy as np, tridap
x = tridap.array(np.zeros(6), tridap.distribution(6, "*", processes=1))
for started in (False, True):
    try:
        x.to("cuda:0")
    except tridap.ProtocolError as error:
        assert "cuda:0 is not in use in this process" in str(error), error
    else:
        raise SystemExit("it was copied")
    flags, active = ctypes.c_uint(), ctypes.c_int()
    assert cuda.cuDevicePrimaryCtxGetState(0, ctypes.byref(flags), ctypes.byref(active)) == (0 if started else 3)
    assert active.value == 0
    cuda.cuInit(0)
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


# ---- moves, by kernels on the device

def everything(comm, values=VALUES):
    """The whole array of which each process's part is its number times 100 more than `values`."""
    return np.concatenate([values + 100 * rank for rank in range(comm.size)])


@pytest.fixture
def moved(dist, comm):
    return device_array(dist, comm, VALUES + 100 * comm.rank)


def test_redistribute_stays_on_the_device(moved, comm):
    held, x = moved
    y = x.redistribute("*,c")
    assert y.device == "cuda:0" and np.array_equal(y.to("cpu").allgather(), everything(comm))
    z = tridap.array(gpus.asarray(np.zeros_like(VALUES)), x.distribution, comm)
    y.redistribute(out=z)
    assert np.array_equal(gpus.from_dlpack(z.local).get(), held.get())


def test_redistribute_waits_for_the_stream_of_the_source(dist, comm):
    stream = gpus.Stream()
    _, x = device_array(dist, comm, VALUES + 100 * comm.rank, stream=stream)
    assert np.array_equal(x.redistribute("*,b").to("cpu").allgather(), everything(comm))


def test_redistribute_makes_padding_zero_on_the_device(moved, comm):
    _, x = moved
    y = x.redistribute(tridap.distribution(x.shape, (tridap.block(padding=1), "*"), processes=comm.size))
    assert y.device == "cuda:0" and np.array_equal(y.to("cpu").allgather(), everything(comm))
    local, interior = gpus.from_dlpack(y.local).get(), y.to("cpu").interior
    assert np.isclose(local.sum(), interior.sum())  # padding was not filled


def test_several_device_arrays_move_at_once(dist, comm):
    values = [VALUES + 100 * comm.rank, VALUES - 100 * comm.rank]
    arrays = [device_array(dist, comm, each)[1] for each in values]
    target = tridap.distribution(arrays[0].shape, "*,b", processes=comm.size)
    plan = tridap.Redistribution(arrays[0].distribution, target, comm=comm)
    made = plan([(x, None) for x in arrays])
    assert [y.device for y in made] == ["cuda:0"] * 2
    assert np.array_equal(made[1].to("cpu").allgather(), np.concatenate([VALUES - 100 * rank for rank in range(comm.size)]))


def test_ids_of_a_device_array_go_and_come_back(moved, comm):
    held, x = moved
    ids = np.arange(comm.rank, 12 * comm.size, comm.size)
    y = tridap.to_ids(x, ids)(x)
    assert y.device == "cuda:0" and np.array_equal(gpus.from_dlpack(y.local).get(), everything(comm).ravel()[ids])
    z = tridap.from_ids(ids, x.distribution, dtype=float, comm=comm)(y)
    assert z.device == "cuda:0" and np.array_equal(gpus.from_dlpack(z.local).get(), held.get())


def test_gather_of_a_device_array_is_on_the_host(moved, comm):
    _, x = moved
    whole = x.gather()
    assert whole is None if comm.rank else np.array_equal(whole, everything(comm))
    assert np.array_equal(x.allgather(), everything(comm))


def test_a_move_between_device_and_host(moved, comm):
    held, x = moved
    on_host = tridap.zeros(tridap.distribution(x.shape, "*,b", processes=comm.size), float, comm=comm)
    x.redistribute(out=on_host)
    assert np.array_equal(on_host.allgather(), everything(comm))
    back = tridap.array(gpus.asarray(np.zeros_like(VALUES)), x.distribution, comm)
    on_host.redistribute(out=back)
    assert np.array_equal(gpus.from_dlpack(back.local).get(), held.get())


def test_a_move_scales_adds_and_converts_on_the_device(moved, comm):
    _, x = moved
    target = tridap.distribution(x.shape, "*,b", processes=comm.size)
    y = x.redistribute(target, alpha=2)
    assert y.device == "cuda:0" and np.array_equal(y.to("cpu").allgather(), 2 * everything(comm))
    x.redistribute(out=y, beta=-1)
    assert np.array_equal(y.to("cpu").allgather(), -everything(comm))
    z = x.redistribute(target, convert="f4")
    assert z.device == "cuda:0" and z.dtype == np.float32 and np.array_equal(z.to("cpu").allgather(), everything(comm))


def test_padding_of_a_device_array_is_updated(comm):
    dist = tridap.distribution((3 * comm.size, 4), (tridap.block(padding=1), "*"), processes=comm.size)
    on_host = tridap.zeros(dist, comm=comm)
    on_host.interior[...] = np.arange(on_host.interior.size).reshape(on_host.interior.shape) + 100 * comm.rank
    held = gpus.asarray(on_host.local)
    x = tridap.array(held, dist, comm)
    for _ in range(2):
        x.update_padding()
    on_host.update_padding()
    assert np.array_equal(held.get(), on_host.local)
