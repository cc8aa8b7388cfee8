"""Bad memory: every buffer that is none, or another one, is refused with its reason on every process alike."""

import ctypes
import types

import numpy as np
import pytest
import tridap
from producers import address, block, dict_of, gives, line_of, listed, shared, tensor_of
from test_errors import Odd, assert_all_hear, on_one, raising


def capsule(name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(1, name, None)


def used():
    capsule = np.zeros(3).__dlpack__()
    np.from_dlpack(tensor_of(capsule))
    return capsule


def released():
    view = memoryview(b"abc")
    view.release()
    return view


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int),
                ("ndim", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


NUMBERS = np.arange(1.0, 8.0)  # no addresses of objects


class Tensor:
    """A DLPack producer of a tensor of one axis that may state anything."""

    def __init__(self, data, device, code, bits, length):
        self.shape = (ctypes.c_int64 * 1)(length)
        self.managed = DLManagedTensor(DLTensor(data, device, 0, 1, code, bits, 1, self.shape, None, 0), None, None)

    def __dlpack__(self, stream=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.managed), b"dltensor", None)


interface = {"shape": (3,), "data": (address(NUMBERS), False), "version": 3}
host = {"__dlpack_device__": lambda: (1, 0)}
BUFFERS = {
    "None": (None, "offers no memory"), "text": ("abc", "offers no memory"), "a list": ([0.0], "offers no memory"), "a class": (np.ndarray, ""),
    "a number": (3, "offers no memory"), "NumPy's number": (np.float64(3), "shape.ndim"), "released": (released(), "released memoryview"),
    "odd": (Odd(), "ZeroDivisionError"), "objects": (np.zeros(3, object), "Python objects"), "masked": (np.ma.zeros(3), "masked"),
    "no capsule": (gives(__dlpack__=lambda **_: 5, **host), "no DLPack tensor"), "used capsule": (gives(__dlpack__=lambda **_: used(), **host), "no DLPack tensor"),
    "other capsule": (gives(__dlpack__=lambda **_: capsule(b"other"), **host), "no DLPack tensor"), "nameless": (gives(__dlpack__=lambda **_: capsule(None), **host), "no DLPack"),
    "dlpack raises": (gives(__dlpack__=raising(BufferError("read-only")), **host), "BufferError: read-only"),
    "dlpack needs more": (gives(__dlpack__=lambda stream: 5, **host), "TypeError"), "dlpack is no method": (types.SimpleNamespace(__dlpack__=5), "TypeError"),
    "on a device": (gives(__dlpack__=raising(AssertionError()), __dlpack_device__=lambda: (8, 0)), "DLPack device type 8"),
    "on a GPU": (gives(__dlpack__=raising(OSError("no tensor")), __dlpack_device__=lambda: (2, 0)), "OSError: no tensor"),
    "no such GPU": (gives(__dlpack__=raising(AssertionError()), __dlpack_device__=lambda: (2, -1)), "DLPack device type 2, number -1"),
    **{f"device {d!r}": (gives(__dlpack__=raising(AssertionError()), __dlpack_device__=lambda d=d: d), "must return a pair of integers")
       for d in (None, 1, "x", (1,), (1, 2**70), ("1", 0), (1.0, 0), (1, 0, 0), [[1, 0]])},
    "device raises": (gives(__dlpack__=raising(AssertionError()), __dlpack_device__=raising(OSError("no device"))), "OSError: no device"),
    "interface lies": (type("I", (), {"__array_interface__": {"shape": (3,), "typestr": "<f8", "data": None, "version": 3}})(), ""),
    "interface is none": (type("I", (), {"__array_interface__": 5})(), "raised"), "struct is none": (type("I", (), {"__array_struct__": 5})(), "raised"),
    **{f"interface of {typestr}": (type("I", (), {"__array_interface__": {**interface, "typestr": typestr, **more}})(), "Python objects")
       for typestr, more in (("|O", {}), ("|V16", {"descr": [("a", "<f8"), ("o", "|O")]}))},
    "interface with a mask": (type("I", (), {"__array_interface__": {**interface, "typestr": "<f8", "mask": np.zeros(3, bool)}})(), "'mask'"),
    "interface with no mask": (type("I", (), {"__array_interface__": {**interface, "typestr": "<f4", "mask": None}})(), "agree.element_type"),
    "tensor of addresses": (Tensor(address(NUMBERS), 1, 3, 64, 3), "DLPack type code 3"),
    "other shape": (np.zeros(4), "shape.extent"), "one axis more": (np.zeros((3, 1)), "shape.ndim"), "no axis": (np.zeros(()), "shape.ndim"),
    "another type": (np.zeros(3, "i4"), "agree.element_type"), "another order": (np.zeros(3, ">f8"), "agree.element_type"),
    "no bytes": (np.zeros(3, "V0"), "buffer.type"), "pointers": ((ctypes.c_void_p * 3)(), ""), "Python objects": ((ctypes.py_object * 3)(), ""),
}


RECORD = [("a", "i4"), ("b", "f4")]
OPAQUE = [(RECORD, [("a", "f4"), ("b", "i4")]), (RECORD, [("a", "i4"), ("c", "f4")]), (RECORD, "V8"), ("M8[s]", "M8[ms]"),
          ("M8[s]", "m8[s]"), ("U1", "S4"), ("U2", "M8[D]")]


@pytest.mark.parametrize("types", OPAQUE, ids=str)
def test_numpy_types_must_be_equal_on_every_process(comm, types):
    mine = line_of(comm)
    local = len(mine["buffer"])
    alike = [np.zeros(local, given) for given in types]
    for made in alike:
        assert tridap.asarray({**mine, "buffer": made}, comm).dtype == made.dtype
    if comm.size > 1:
        assert_all_hear(comm, {**mine, "buffer": alike[comm.rank == 0]}, "agree.element_type")


ALIGNED = np.dtype([("a", "i1"), ("b", "f8"), ("c", [("d", "i2"), ("e", "i4")], 2), ("f", "V3")], align=True)
SAME = {"bytes": "V4", "aligned": ALIGNED, "titled": [(("what it is", "a"), "i4")], "numpy.record": (np.record, RECORD),
        "part of a record": {"names": ["b"], "formats": ["f4"], "offsets": [4]}, "text": "U2", "bytes in a record": [("a", "V3"), ("b", "i2")]}


@pytest.mark.parametrize("dtype", SAME.values(), ids=SAME)
def test_a_type_is_the_same_by_either_buffer_protocol(comm, dtype):
    mine = line_of(comm)
    memory = np.zeros(len(mine["buffer"]), dtype)
    for here in 0, comm.size - 1:
        made = tridap.asarray({**mine, "buffer": memoryview(memory) if comm.rank == here else memory}, comm)
        assert np.shares_memory(made.local, memory) or memory.size == 0
        assert made.local.dtype.itemsize == memory.itemsize and len(made.__distarray__()["buffer"]) == len(memory)


BYTES = {"memoryview": memoryview(np.arange(3).view("V8")), "scalar": memoryview(np.void(b"1234")),
         "array": np.asarray(memoryview(np.arange(3).view("V8")))}


@pytest.mark.parametrize("kind", BYTES)
def test_bytes_of_a_buffer_are_bytes(kind):
    memory = np.asarray(BYTES[kind])
    made = tridap.asarray(dict_of(np.void(b"1234") if kind == "scalar" else BYTES[kind], *(block(n) for n in memory.shape)))
    assert made.dtype == np.dtype(f"V{memory.itemsize}") and made.local.tobytes() == memory.tobytes() == np.asarray(made).tobytes()
    if kind != "scalar":
        assert address(made.local) == address(made) == address(memory) and made.local.flags.writeable
    assert memoryview(made.__distarray__()["buffer"]).format == f"{memory.itemsize}x"


@pytest.mark.parametrize("kind", BUFFERS)
def test_a_buffer_that_is_none_is_told_on_every_process(comm, kind):
    buffer, words = BUFFERS[kind]
    mine = {**line_of(comm, 3 * comm.size), "buffer": np.zeros(3)}
    if words == "agree.element_type" and comm.size == 1:
        assert tridap.asarray({**mine, "buffer": buffer}, comm).is_whole
    elif words:
        assert_all_hear(comm, on_one(comm, {**mine, "buffer": buffer}, mine), words)
    else:  # whatever it is, all say the same
        report = tridap.check(on_one(comm, {**mine, "buffer": buffer}, mine), comm)
        assert shared(comm, report.json())


def test_a_tensor_that_was_refused_is_given_back():
    values = np.zeros((3, 3))
    tensor = gives(__dlpack__=lambda **_: values.__dlpack__(), **host)
    for _ in range(3):
        assert not tridap.check(dict_of(tensor, block(4), block(3))).ok
    import sys
    assert sys.getrefcount(values) <= 4


@pytest.mark.parametrize("copy", [None, "if_needed", True])
def test_a_copy_that_fails_on_one_process_fails_on_all(comm, copy):
    bad = {**line_of(comm), "buffer": gives(__array__=raising(OSError("no copy today")))}
    error = pytest.raises(tridap.ProtocolError, tridap.asarray, on_one(comm, bad), comm, copy=copy).value
    assert shared(comm, str(error)) and ("no copy today" if copy else "offers no memory") in str(error)


@pytest.mark.parametrize("typestr", ["|O", "|V16"])
@pytest.mark.parametrize("copy", [None, "if_needed", True])
def test_addresses_of_an_array_interface_are_never_used(typestr, copy):
    given = {**interface, "typestr": typestr, **({"descr": [("a", "<f8"), ("o", "|O")]} if typestr == "|V16" else {})}
    producer = type("I", (), {"__array_interface__": given})()
    with pytest.raises(tridap.ProtocolError, match="Python objects"):
        tridap.asarray(dict_of(producer, block(3)), copy=copy)
    with pytest.raises(tridap.ProtocolError, match="Python objects"):
        tridap.array(producer, tridap.distribution(3, processes=1))


class OnADevice(Tensor):
    """A DLPack producer whose tensor is in a device's memory, whatever it says elsewhere."""

    def __init__(self):
        super().__init__(0x1000, 2, 2, 64, 4)


class OnADeviceThatSaysHost(OnADevice):
    def __dlpack_device__(self):
        return (1, 0)


@pytest.mark.parametrize("producer", [OnADevice, OnADeviceThatSaysHost])
def test_device_memory_is_refused_even_if_it_claims_to_be_host(producer):
    with pytest.raises(tridap.ProtocolError, match="cuda"):
        tridap.asarray(dict_of(producer(), block(4)))
    with pytest.raises(tridap.ProtocolError):
        tridap.asarray(dict_of(np.zeros(4), listed(4, producer())))
