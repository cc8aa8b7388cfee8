"""Plays CuPy over the stand-in of the CUDA driver (tests/support/stand_in_cuda.cpp), whose memory the host cannot touch."""

import ctypes
import enum
import gc
import itertools
import os

import numpy as np

LIBRARY = os.environ.get("TRIDAP_STAND_IN_CUDA", "")
PINNED, DEVICE, MANAGED = 1, 2, 3
LEGACY, PER_THREAD = 1, 2

_streams = itertools.count(1000)
_cuda = None


def load():
    """Loads the stand-in as libcuda.so.1, and starts its device 0, as a program that uses a GPU."""
    global _cuda
    if _cuda is None:
        _cuda = ctypes.CDLL(LIBRARY, mode=ctypes.RTLD_GLOBAL)
        _cuda.stand_in_allocate.restype = ctypes.c_size_t
        _cuda.stand_in_allocate.argtypes = ctypes.c_size_t, ctypes.c_int, ctypes.c_int
        _cuda.stand_in_free.argtypes = ctypes.c_size_t,
        _cuda.stand_in_write.argtypes = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t
        _cuda.stand_in_read.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_size_t
        _cuda.cuStreamWaitEvent.argtypes = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint
        _cuda.stand_in_event.restype, _cuda.stand_in_event.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
        _cuda.cuCtxPushCurrent_v2.argtypes = ctypes.c_void_p,
        _cuda.stand_in_start(0)
    return _cuda


def allocations():
    gc.collect()  # errors of earlier tests may hold memory
    return load().stand_in_count(0)


class DeviceType(enum.IntEnum):  # as PyTorch's and JAX's
    HOST, CUDA, MANAGED = 1, 2, 13


class Stream:
    """A stream whose kernels run late: when a stream that is ordered behind it is read."""

    def __init__(self):
        self.ptr = next(_streams)


class _Memory:
    def __init__(self, bytes, device, kind):
        self.address = load().stand_in_allocate(bytes, device, kind)

    def __del__(self):
        _cuda.stand_in_free(self.address)


def wait(stream, producer):
    """Orders a stream behind another one, as an event does."""
    cuda = load()
    cuda.cuCtxPushCurrent_v2(1)
    cuda.cuStreamWaitEvent(stream, cuda.stand_in_event(producer), 0)
    cuda.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


class _Tensor(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("data", ctypes.c_void_p),
                ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64)]


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_held = {}


@_Deleter
def _release(tensor):
    _held.pop(tensor)


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_get = ctypes.pythonapi.PyCapsule_GetPointer
_get.restype, _get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
_USED = b"used_dltensor_versioned"
_CODES = {"i": 0, "u": 1, "f": 2, "V": 4, "c": 5, "b": 6}  # V2 stands for bfloat16


class Array:
    """An array in memory of the stand-in, with the protocols of CuPy's arrays."""

    def __init__(self, memory, offset, shape, strides, dtype, device=(2, 0), stream=None, read_only=False):
        self.memory, self.offset, self.shape, self.strides, self.dtype = memory, offset, shape, strides, np.dtype(dtype)
        self.device, self.stream, self.read_only, self.asked = device, stream, read_only, None

    @property
    def address(self):
        return self.memory.address + self.offset

    def get(self, stream=LEGACY):
        """The elements as a stream sees them."""
        bounds = [(0, (n - 1) * s) for n, s in zip(self.shape, self.strides)]
        if 0 in self.shape:
            return np.zeros(self.shape, self.dtype)
        low, high = sum(map(min, bounds)), sum(map(max, bounds)) + self.dtype.itemsize
        held = np.empty(high - low, np.uint8)
        load().stand_in_read(held.ctypes.data, self.address + low, high - low, stream)
        return np.ndarray(self.shape, self.dtype, held.data, -low, self.strides).copy()

    def __dlpack_device__(self):
        return DeviceType(self.device[0]), self.device[1]

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        self.asked = stream
        if self.stream is not None and stream != -1:
            wait(stream or LEGACY, self.stream.ptr)
        shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        strides = (ctypes.c_int64 * len(self.shape))(*(s // self.dtype.itemsize for s in self.strides))
        tensor = _Tensor(1, 0, None, ctypes.cast(_release, ctypes.c_void_p), int(self.read_only), self.address, *self.device,
                         len(self.shape), _CODES[self.dtype.kind], 8 * self.dtype.itemsize, 1, shape, strides, 0)
        _held[ctypes.addressof(tensor)] = tensor, shape, strides, self
        return _new(ctypes.addressof(tensor), b"dltensor_versioned", None)


class WithInterface:
    """An array with `__cuda_array_interface__` alone, as Numba's."""

    def __init__(self, array, **changes):
        self.array = array
        self.__cuda_array_interface__ = {
            "shape": array.shape, "typestr": array.dtype.str, "data": (array.address, array.read_only), "strides": array.strides,
            "version": 3, "stream": None if array.stream is None else array.stream.ptr, **changes}


def asarray(values, device=(2, 0), kind=DEVICE, stream=None, **options):
    """A copy of NumPy's values on the device, with their strides if they are dense; on a stream, written late."""
    values = np.asarray(values)
    dense = values if values.flags.forc else np.ascontiguousarray(values)
    memory = _Memory(dense.nbytes, device[1], kind)
    flat = np.frombuffer(dense.tobytes("A"), np.uint8)
    if flat.nbytes:
        load().stand_in_write(memory.address, flat.ctypes.data, flat.nbytes, 0 if stream is None else stream.ptr)
    return Array(memory, 0, dense.shape, dense.strides, dense.dtype, device, stream, **options)


def cut(array, key):
    """array[key], a view."""
    base = np.lib.stride_tricks.as_strided(np.empty(1, array.dtype), array.shape, array.strides, writeable=False)
    part = base[key]
    offset = part.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return Array(array.memory, array.offset + offset, part.shape, part.strides, array.dtype, array.device, array.stream,
                 array.read_only)


def from_dlpack(obj, stream=LEGACY):
    """The consumer: an Array over the memory of an object with DLPack, for work on a stream."""
    capsule = obj.__dlpack__(stream=stream, max_version=(1, 0))
    tensor = _Tensor.from_address(_get(capsule, b"dltensor_versioned"))
    _rename(capsule, _USED)

    class Held:
        address = tensor.data

        def __del__(self, tensor=tensor, capsule=capsule):
            _Deleter(tensor.deleter)(ctypes.addressof(tensor))

    kind = {code: kind for kind, code in _CODES.items()}[tensor.code]
    dtype = np.dtype(f"{kind}{tensor.bits // 8}")
    return Array(Held(), tensor.offset, tuple(tensor.shape[:tensor.ndim]),
                 tuple(s * dtype.itemsize for s in tensor.strides[:tensor.ndim]), dtype,
                 (tensor.device_type, tensor.device_id), read_only=bool(tensor.flags & 1))
