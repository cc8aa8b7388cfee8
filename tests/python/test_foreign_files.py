"""Files of other programs, which h5py writes: numbers of other formats, types that h5py cannot mean, elements in other files."""

import re

import h5py
import numpy as np
import pytest
import tridap
from h5py import h5a, h5d, h5s, h5t
from mpi4py import MPI
from some_arrays import expect_part
from test_files import same_error

from remedies import remedy

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank


def written(path, write):
    """Calls `write` with a new file on the first process."""
    if R == 0:
        with h5py.File(path, "w") as file:
            write(file)
    COMM.Barrier()


def floating(size, fields, bias, base=h5t.IEEE_F32LE):
    made = base.copy()
    if size < made.get_size():
        made.set_fields(*fields)
        made.set_size(size)
    else:
        made.set_size(size)
        made.set_precision(8 * size)
        made.set_fields(*fields)
    made.set_ebias(bias)
    return made


def integer(base, precision, offset):
    made = base.copy()
    made.set_precision(precision)
    made.set_offset(offset)
    return made


def compound(**members):
    made = h5t.create(h5t.COMPOUND, sum(member.get_size() for member in members.values()))
    at = 0
    for name, member in members.items():
        made.insert(name.encode(), at, member)
        at += member.get_size()
    return made


def put(file, name, stored, values, memory):
    """A dataset of the stored type, into which HDF5 converts the values."""
    values = np.ascontiguousarray(values)
    h5d.create(file.id, name.encode(), stored, h5s.create_simple(values.shape)).write(h5s.ALL, h5s.ALL, values, memory)


BFLOAT16 = floating(2, (15, 7, 8, 0, 7), 127)
QUAD = floating(16, (127, 112, 15, 0, 112), 16383, h5t.IEEE_F64LE)
NUMBERS = {
    "bfloat16": (BFLOAT16, [1.0, -2.5, 3.140625, 1024, 0.15625, -7], "f4"),
    "float24": (floating(4, (23, 16, 7, 0, 16), 63), [1.0, -2.5, 3.140625, 1024, 0.15625, -7], "f4"),
    "int12in16": (integer(h5t.STD_I16LE, 12, 0), [-1, -100, 5, 2047, -2048, 0], "i2"),
    "int12in16at4": (integer(h5t.STD_I16BE, 12, 4), [-1, -100, 5, 2047, -2048, 0], "i2"),
    "uint17in32at3": (integer(h5t.STD_U32LE, 17, 3), [0, 1, 70000, 131071, 5, 9], "u4"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_of_other_formats_have_their_values(folder, name):
    stored, values, dtype = NUMBERS[name]
    memory = h5t.NATIVE_DOUBLE if dtype[0] == "f" else h5t.NATIVE_INT64
    values = np.array(values, float if dtype[0] == "f" else np.int64)
    written(folder / "x.h5", lambda file: put(file, "x", stored, values, memory))
    expect_part(tridap.load(folder / "x.h5", "x", "c"), values.astype(dtype))


def bits_of(x):
    return np.asarray(x.local).view("u2")


class Tensor:
    """An object with the two functions of DLPack, and nothing else."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_bfloat16_is_moved_and_saved_as_it_is(folder):
    values = np.array(NUMBERS["bfloat16"][1], "f4")
    bits = (values.view("u4") >> 16).astype("u2")  # bfloat16 is the upper half of float32
    written(folder / "x.h5", lambda file: put(file, "x", BFLOAT16, values.astype(float), h5t.NATIVE_DOUBLE))
    x = tridap.load(folder / "x.h5", "x", "c", dtype="bfloat16")
    (mine,) = x.distribution.indices(COMM.rank)
    assert x.dtype.itemsize == 2 and (bits_of(x) == bits[mine]).all()
    y = tridap.asarray({"__version__": "0.10.0", "buffer": Tensor(x),
                        "dim_data": x.__distarray__()["dim_data"]}, COMM)
    assert bits_of(y).ctypes.data == bits_of(x).ctypes.data or bits_of(x).size == 0
    z = y.redistribute("b")
    (mine,) = z.distribution.indices(COMM.rank)
    assert (bits_of(z) == bits[mine]).all()
    tridap.save(folder / "y.h5", {"y": z})
    expect_part(tridap.load(folder / "y.h5", "y", "c"), values)
    with pytest.raises(ValueError, match="must be 'bfloat16' or None"):
        tridap.load(folder / "y.h5", "y", dtype="float32")
    tridap.save(folder / "z.h5", {"z": tridap.load(folder / "y.h5", "y")})
    with pytest.raises(ValueError, match="'z' has float32"):
        tridap.load(folder / "z.h5", "z", dtype="bfloat16")


def test_records_of_other_formats_have_their_values(folder):
    members = {"n": h5t.STD_U8LE, "x": h5t.array_create(BFLOAT16, (2,)), "k": integer(h5t.STD_I16LE, 12, 4)}
    values = np.array([(1, (2.5, -7), -2048), (2, (-1024, 0), 5), (3, (0.15625, 1), 7)],
                      [("n", "u1"), ("x", "f4", 2), ("k", "i2")])
    complexes = np.array([1 + 2j, -2.5 - 0.5j, 3j], "c8")

    def write(file):
        put(file, "record", compound(**members), values, h5t.py_create(values.dtype))
        put(file, "complex", compound(r=BFLOAT16, i=BFLOAT16), complexes, h5t.py_create(complexes.dtype))

    written(folder / "x.h5", write)
    expect_part(tridap.load(folder / "x.h5", "record"), values)
    expect_part(tridap.load(folder / "x.h5", "complex"), complexes)


@pytest.mark.parametrize("stored", [BFLOAT16, h5t.IEEE_F32LE], ids=["bfloat16", "float32"])
def test_lists_as_elements_are_records_of_one_field(folder, stored):
    values = np.array([2.5, -7, -1024, 0, 0.15625, 1], "f4").view([("values", "f4", 2)])
    written(folder / "x.h5", lambda file: put(file, "x", h5t.array_create(stored, (2,)), values,
                                              h5t.array_create(h5t.NATIVE_FLOAT, (2,))))
    expect_part(tridap.load(folder / "x.h5", "x", "c"), values)


@remedy("convert them while they are read: H5Dread with H5T_NATIVE_DOUBLE, or dataset", "H5Dread with H5T_NATIVE_DOUBLE, or dataset")
def test_numbers_that_numpy_has_not_are_refused_by_name(folder):
    values = np.array([1.0, -2.5])

    def write(file):
        put(file, "quad", QUAD, values, h5t.NATIVE_DOUBLE)
        h5a.create(file.id, b"q", QUAD, h5s.create(h5s.SCALAR))

    written(folder / "x.h5", write)
    text = same_error(lambda: tridap.load(folder / "x.h5", "quad"))
    assert "'quad', floating-point numbers of 16 bytes with 15 bits of exponent and 112 of mantissa" in text
    assert "the attribute 'q'" in same_error(lambda: tridap.load_attrs(folder / "x.h5"))
    if R == 0:  # what the message advises
        with h5py.File(folder / "x.h5", "r") as file:
            numbers = np.empty(file["quad"].shape)
            eval(re.search("read: (dataset.*) of h5py", text)[1], {"dataset": file["quad"], "numbers": numbers})
            assert numbers.tolist() == values.tolist()


def test_attributes_of_other_formats_have_their_values(folder):
    def write(file):
        h5a.create(file.id, b"b", BFLOAT16, h5s.create_simple((2,))).write(np.array([1.5, -3.0]), h5t.NATIVE_DOUBLE)
        file.attrs["none"] = h5py.Empty("f4")
        file.attrs["texts"] = ["a", "b"]

    written(folder / "x.h5", write)
    found = tridap.load_attrs(folder / "x.h5")
    assert found.keys() == {"b"} and found["b"].dtype == np.float32 and found["b"].tolist() == [1.5, -3.0]


def opaque(tag, size=8):
    made = h5t.create(h5t.OPAQUE, size)
    made.set_tag(tag)
    return made


OBJECTS = {"alone": opaque(b"NUMPY:O"), "with a length": opaque(b"NUMPY:|O8"), "two": opaque(b"NUMPY:O,O", 16),
           "in a record": compound(n=h5t.STD_I64LE, o=opaque(b"NUMPY:O")), "in a list": h5t.array_create(opaque(b"NUMPY:O"), (2,)),
           "deep": compound(a=h5t.array_create(compound(b=opaque(b"NUMPY:O"), c=h5t.STD_I64LE), (3,)))}


@pytest.mark.parametrize("kind", OBJECTS)
def test_no_type_of_a_file_has_python_objects(folder, kind):
    stored = OBJECTS[kind]
    bytes_of = np.arange(1, 4 * stored.get_size() + 1).astype("u1").view(f"V{stored.get_size()}")
    written(folder / "x.h5", lambda file: put(file, "x", stored, bytes_of, stored))
    assert "Python objects" in same_error(lambda: tridap.load(folder / "x.h5", "x"))


def test_tags_that_name_no_type_of_numpy_are_bytes(folder):
    tags = {b"NUMPY:no such type": "V8", b"NUMPY:<f4": "V8", b"NUMPY:(2,)<f4": "V8", b"NUMPY:\xff": "V8", b"other": "V8",
            b"NUMPY:<M8[ns]": "M8[ns]", b"NUMPY:<U2": "U2", b"NUMPY:<m8[D]": "m8[D]"}
    for n, (tag, dtype) in enumerate(tags.items()):
        values = np.arange(5 * 8, dtype="u1").view("V8")
        written(folder / f"{n}.h5", lambda file, tag=tag, values=values: put(file, "x", opaque(tag), values, opaque(tag)))
        x = tridap.load(folder / f"{n}.h5", "x", "c")
        assert x.dtype == np.dtype(dtype)
        assert x.local.tobytes() == values[x.distribution.indices(R)[0]].tobytes()


def test_virtual_datasets_and_external_files_are_read(folder):
    whole = np.arange(30.0).reshape(6, 5)
    layout = h5py.VirtualLayout((6, 5), float)
    if R == 0:
        for n in range(3):
            with h5py.File(folder / f"{n}.h5", "w") as part:
                part["p"] = whole[2 * n:2 * n + 2]
            layout[2 * n:2 * n + 2] = h5py.VirtualSource(f"{n}.h5", "p", (2, 5))

    def write(file):
        file.create_virtual_dataset("v", layout)
        external = file.create_dataset("e", (6, 5), float, external=[(str(folder / "e.bin"), 0, whole.nbytes)])
        external[...] = whole

    written(folder / "x.h5", write)
    for name in "v", "e":
        expect_part(tridap.load(folder / "x.h5", name), whole)
        expect_part(tridap.load(folder / "x.h5", name, "c:2,*"), whole)


def test_steps_are_not_added_to_datasets_in_other_files(folder):
    layout = h5py.VirtualLayout((2, 5), float, maxshape=(None, 5))
    layout[:2] = h5py.VirtualSource("0.h5", "p", (2, 5))
    written(folder / "x.h5", lambda file: file.create_virtual_dataset("v", layout))
    x = tridap.zeros(tridap.distribution((5,), processes=P), comm=COMM)
    assert "is in other files" in same_error(lambda: tridap.save(folder / "x.h5", {"v": x}, step=1))
