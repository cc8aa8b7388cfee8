"""DLPack 1's capsules both ways, read and written by ctypes; DLPack 0's stand in test_buffers.py and test_export.py."""

import ctypes
import gc
import threading
import weakref

import numpy as np
import pytest
import tridap
from producers import block, dict_of, tensor_of
from test_buffers import DLTensor

FRESH, USED = b"dltensor_versioned", b"used_dltensor_versioned"
Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", Deleter),
                ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


def call(name, result, *arguments):
    function = getattr(ctypes.pythonapi, name)
    function.restype = result
    function.argtypes = [{int: ctypes.c_void_p, bytes: ctypes.c_char_p, type(None): ctypes.c_void_p}.get(type(a), ctypes.py_object)
                         for a in arguments]
    return function(*arguments)


class Producer:
    """Offers three elements by DLPack 1 alone."""

    def __init__(self, values, code, flags=0, major=1):
        self.values, self.released, self.asked = values, 0, []
        self.shape = (ctypes.c_int64 * 1)(len(values))
        tensor = DLTensor(values.ctypes.data, 1, 0, 1, code, 8 * values.itemsize, 1, self.shape, None, 0)
        self.managed = Managed(major, 0, None, Deleter(self.release), flags, tensor)

    def release(self, _):
        self.released += 1

    def __dlpack__(self, **how):
        self.asked.append(how)
        return call("PyCapsule_New", ctypes.py_object, ctypes.addressof(self.managed), FRESH, None)


@pytest.mark.parametrize("values, code", [(np.array([1.5, 2, 3]), 2), (np.array([True, False, True]), 6), (np.array([1, 2, 3], "u2"), 1)],
                         ids=lambda v: str(getattr(v, "dtype", v)))
@pytest.mark.parametrize("flags", [0, 1])
def test_a_versioned_tensor_is_shared_with_its_read_only_flag(values, code, flags):
    producer = Producer(values, code, flags)
    made = tridap.asarray(dict_of(producer, block(3)))
    assert producer.asked == [{"max_version": (1, 0), "copy": False}]
    assert made.local.ctypes.data == values.ctypes.data and made.dtype == values.dtype
    assert made.local.flags.writeable is (flags == 0) and made.receipt.shared
    assert producer.released == 0
    del made
    gc.collect()
    assert producer.released == 1


@pytest.mark.parametrize("change, words", [({"major": 2}, "DLPack 2.0"), ({"flags": 2}, "a copy of the memory"), ({"code": 4}, "type code 4")])
def test_a_versioned_tensor_that_is_refused_is_released(change, words):
    producer = Producer(np.zeros(3), **{"code": 2, **change})
    with pytest.raises(tridap.ProtocolError, match=words):
        tridap.asarray(dict_of(producer, block(3)))
    assert producer.released == 1


def test_a_producer_without_max_version_is_asked_without_it():
    values, asked = np.arange(3.0), []

    class Old:
        def __dlpack__(self, stream=None):
            asked.append(stream)
            return values.__dlpack__()

    assert tridap.asarray(dict_of(Old(), block(3))).local.ctypes.data == values.ctypes.data and asked == [None]


def tensor_in(capsule):
    return Managed.from_address(call("PyCapsule_GetPointer", ctypes.c_void_p, capsule, FRESH))


@pytest.mark.parametrize("values, code", [(np.arange(3.0), 2), (np.array([True, False, True]), 6), (np.broadcast_to(np.int32(7), 3), 0),
                                          (np.arange(6j.imag)[::-2], 2)], ids=["f8", "bool", "read-only", "backwards"])
@pytest.mark.parametrize("copy", [None, False, True])
def test_an_array_gives_a_versioned_tensor(values, code, copy):
    made = tridap.asarray(dict_of(values, block(3)))
    capsule = made.__dlpack__(max_version=(1, 2), copy=copy, dl_device=(1, 0))
    given = tensor_in(capsule)
    tensor = given.tensor
    assert (given.major, given.minor, tensor.device_type, tensor.device_id, tensor.ndim) == (1, 0, 1, 0, 1)
    assert (tensor.code, tensor.bits, tensor.lanes, tensor.offset) == (code, 8 * values.itemsize, 1, 0)
    assert (tensor.data == made.local.ctypes.data) is (copy is not True)
    assert given.flags == (2 if copy else 0 if values.flags.writeable else 1)
    stride = ctypes.cast(tensor.strides, ctypes.POINTER(ctypes.c_int64))[0] * values.itemsize
    seen = [ctypes.string_at(tensor.data + i * stride, values.itemsize) for i in range(tensor.shape[0])]
    assert seen == [value.tobytes() for value in values]


@pytest.mark.parametrize("most", [None, (0, 8)])
def test_max_version_0_gives_an_unversioned_tensor(most):
    made = tridap.asarray(dict_of(np.zeros(3), block(3)))
    assert '"dltensor"' in repr(made.__dlpack__(max_version=most))
    with pytest.raises(BufferError, match="elements are bool"):
        tridap.asarray(dict_of(np.zeros(3, bool), block(3))).__dlpack__(max_version=most)


@pytest.mark.parametrize("most", [1, "1.0", (1,), (1, "0"), (1.0, 0)], ids=repr)
def test_a_version_that_is_none_is_a_type_error(most):
    with pytest.raises(TypeError, match="max_version is .* must be None or a pair"):
        tridap.asarray(dict_of(np.zeros(3), block(3))).__dlpack__(max_version=most)


class Watched(np.ndarray):
    """An array whose end is seen."""


@pytest.mark.parametrize("most, name, used", [((1, 0), FRESH, USED), (None, b"dltensor", b"used_dltensor")], ids=["1", "0"])
@pytest.mark.parametrize("taken", [False, True])
def test_the_memory_lives_until_the_tensor_is_let_go_of(most, name, used, taken):
    memory = Watched(3)
    memory[:] = range(3)
    alive = weakref.ref(memory)
    capsule = tridap.asarray(dict_of(memory, block(3))).__dlpack__(max_version=most)
    del memory
    gc.collect()
    assert alive() is not None
    if taken:  # as a consumer does, which lets go on a thread of its own
        address = call("PyCapsule_GetPointer", ctypes.c_void_p, capsule, name)
        call("PyCapsule_SetName", ctypes.c_int, capsule, used)
        del capsule
        gc.collect()
        assert alive() is not None
        place = address + (16 if most else 56)
        let_go = Deleter(ctypes.c_void_p.from_address(place).value)
        thread = threading.Thread(target=let_go, args=(address,))
        thread.start()
        thread.join()
    else:
        del capsule
    gc.collect()
    assert alive() is None


def test_a_tensor_is_taken_once():
    memory = tensor_of(np.arange(3.0).__dlpack__())
    dist = tridap.distribution((3,), processes=1)
    a = tridap.array(memory, dist)
    with pytest.raises(tridap.ProtocolError, match="gave no DLPack tensor that is new"):
        tridap.array(memory, dist)
    assert a.local.tolist() == [0, 1, 2]
