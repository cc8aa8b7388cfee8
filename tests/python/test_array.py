"""tridap.asarray: what stands in any producer's memory is in the array, without a copy."""

import array
import ctypes
import gc
import mmap
import pickle
import weakref

import numpy as np
import pytest
import tridap
from producers import Producer, address, block, cyclic, dict_of, line_of, listed, shared, whole
from remedies import advice, remedy, said_by


def test_the_memory_is_the_producers(comm):
    dist = tridap.distribution((7, 5), ("b", "*"), processes=comm.size)
    field = np.arange(float(dist.count(comm.rank))).reshape(dist.local_shape(comm.rank))
    array = tridap.asarray({"__version__": "0.10.0", "buffer": field, "dim_data": dist.dim_data(comm.rank)}, comm)
    array.local[...] += 1
    assert field.size == 0 or field[0, 0] == 1
    assert array.distribution == dist


WRITABLE = {
    "numpy": lambda: np.arange(6.0),
    "fortran": lambda: np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "strided": lambda: np.arange(24.0).reshape(4, 6)[::2, 1::2],
    "backwards": lambda: np.arange(6.0)[::-1],
    "transposed": lambda: np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1),
    "swapped": lambda: np.arange(6, dtype=np.dtype(np.int32).newbyteorder()),
    "complex": lambda: np.arange(6, dtype=complex),
    "half": lambda: np.arange(6, dtype=np.float16),
    "boolean": lambda: np.zeros(6, dtype=bool),
    "record": lambda: np.zeros(6, dtype=[("a", "i4"), ("b", "f8")]),
    "dates": lambda: np.zeros(6, dtype="M8[s]"),
    "text": lambda: np.zeros(6, dtype="S5"),
    "no dimension": lambda: np.array(6.0),
    "empty": lambda: np.zeros((0, 3)),
    "one element": lambda: np.zeros((1, 1)),
    "unaligned": lambda: np.frombuffer(bytearray(25), dtype=np.uint8)[1:].view(np.float64),
    "matrix": lambda: np.zeros((2, 3)).view(np.recarray),
    "array.array": lambda: array.array("d", range(6)),
    "bytearray": lambda: bytearray(6),
    "memoryview": lambda: memoryview(array.array("i", range(6))),
    "memoryview backwards": lambda: memoryview(bytearray(6))[::-1],
    "memoryview strided": lambda: memoryview(array.array("q", range(9)))[1::2],
    "memoryview cast": lambda: memoryview(bytearray(24)).cast("i", (2, 3)),
    "memoryview 0-d": lambda: memoryview(bytearray(8)).cast("d", ()),
    "ctypes": lambda: (ctypes.c_double * 6)(),
    "ctypes 2-D": lambda: ((ctypes.c_int16 * 3) * 2)(),
    "ctypes big-endian": lambda: (ctypes.c_uint32.__ctype_be__ * 6)(),
    "mmap": lambda: mmap.mmap(-1, 64),
    "pickle.PickleBuffer": lambda: pickle.PickleBuffer(bytearray(6)),
}


@pytest.mark.parametrize("kind", WRITABLE)
def test_a_write_on_one_side_is_read_on_the_other(kind):
    buffer = WRITABLE[kind]()
    seen = np.asarray(memoryview(buffer) if not isinstance(buffer, np.ndarray) else buffer)
    made = tridap.asarray(Producer(buffer, tuple(block(n) for n in seen.shape)))
    local = made.local
    assert local.shape == seen.shape and local.strides == seen.strides and local.dtype == seen.dtype
    assert made.receipt.shared and made.receipt.bytes_copied == 0
    assert address(local) == address(seen) or not seen.size
    local.view(np.ndarray)[...] = np.ones((), dtype=local.dtype)
    assert (seen == local).all() and seen.tobytes() == local.tobytes()
    seen[...] = np.zeros((), dtype=local.dtype)
    assert seen.tobytes() == local.tobytes()


@pytest.mark.parametrize("buffer", [b"abcdef", memoryview(b"abcdef")[::-1], memoryview(bytearray(6)).toreadonly(),
                                    np.broadcast_to(np.arange(6.0), (2, 6))], ids=["bytes", "view", "toreadonly", "zero stride"])
def test_read_only_memory_stays_read_only_on_every_way_out(buffer):
    seen = np.asarray(buffer) if isinstance(buffer, np.ndarray) else np.asarray(memoryview(buffer))
    made = tridap.asarray(dict_of(buffer, *(block(n) for n in seen.shape)))
    for out in made.local, made.owned, made.interior, np.asarray(made), made.__distarray__()["buffer"], np.asarray(memoryview(made)):
        assert not out.flags.writeable and out.tobytes() == seen.tobytes()
        with pytest.raises(ValueError):
            out[...] = 0
    assert memoryview(made).readonly
    with pytest.raises(BufferError, match="(?i)read"):
        made.__dlpack__()


@pytest.mark.parametrize("kind", ["i", "u"])
@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("layout", [lambda a: a, lambda a: a[::-1][::-1], lambda a: np.repeat(a, 3)[::3],
                                    lambda a: a[::-1].copy()[::-1]], ids=["dense", "view", "strided", "backwards"])
def test_indices_of_any_width_order_and_stride_are_read(kind, width, order, layout):
    numbers = [5, 0, 127, 64, 3] if kind == "u" else [5, -1, 127, -128, 3]
    given = layout(np.array(numbers, dtype=f"{order}{kind}{width}"))
    made = tridap.asarray(dict_of(np.arange(5.0), listed(5, given)))
    out, = made.dim_data
    assert out["indices"].dtype == np.int64 and out["indices"].tolist() == numbers
    assert [made.global_index(i) for i in range(5)] == [(n,) for n in numbers]
    assert [made.distribution.local_index(0, n) for n in numbers] == [(i,) for i in range(5)]


class Tensor:
    """What offers DLPack alone."""

    def __init__(self, values):
        self.values = np.array(values)
        self.asked = 0

    def __dlpack__(self, **how):
        self.asked += 1
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


@pytest.mark.parametrize("indices", [array.array("q", [2, 0, 1]), array.array("B", [2, 0, 1]), (ctypes.c_int32 * 3)(2, 0, 1),
                                     memoryview(array.array("i", [1, 0, 2]))[::-1], bytearray([2, 0, 1]), bytes([2, 0, 1]),
                                     Tensor([2, 0, 1])], ids=lambda i: type(i).__name__)
def test_indices_of_any_producer_are_read(indices):
    made = tridap.asarray(dict_of(np.zeros(3), listed(3, indices)))
    assert made.dim_data[0]["indices"].tolist() == [2, 0, 1]


@pytest.mark.parametrize("indices", [[2, 0, 1], (2, 0, 1)])
def test_a_list_of_indices_is_refused_in_0_10_and_taken_in_0_9(indices):
    with pytest.raises(tridap.ProtocolError, match=r"unstructured\.list\]: pass np\.asarray\(indices\)"):
        tridap.asarray(dict_of(np.zeros(3), listed(3, indices)))
    made = tridap.asarray(dict_of(np.zeros(3), listed(3, indices), version="0.9.0"))
    assert made.dim_data[0]["indices"].tolist() == [2, 0, 1]


@pytest.mark.parametrize("bad", [np.zeros(3), np.zeros(3, bool), np.zeros((3, 1), int), np.array(3), np.array([2**63], "u8"),
                                 np.ma.array([0, 1, 2]), np.array([0, 1, 2], object), "012", None, {0: 1}, range(3), [0, 1.0, 2],
                                 [0, True, 2], [0, 2**63, 1]], ids=repr)
def test_what_are_no_indices_is_refused(bad):
    report = tridap.check(dict_of(np.zeros(3), listed(3, bad), version="0.9.0"))
    assert not report.ok and report.counts == {"unstructured.indices": 1}


def test_dlpack_alone_is_enough_and_shares():
    tensor = Tensor(np.arange(6.0).reshape(2, 3)[:, ::2])
    made = tridap.asarray(dict_of(tensor, block(2), block(2)))
    assert tensor.asked == 1 and address(made.local) == address(tensor.values)
    made.local[1, 1] = 42
    assert tensor.values[1, 1] == 42


@pytest.mark.parametrize("copy, shared", [(None, True), (False, True), ("if_needed", True), (True, False)])
@pytest.mark.parametrize("buffer", [np.arange(4.0)[::-1], Tensor(np.arange(4.0)), b"abcd", array.array("d", range(4))],
                         ids=lambda b: type(b).__name__)
def test_memory_is_copied_only_where_copy_says_so(buffer, copy, shared):
    made = tridap.asarray(dict_of(buffer, block(4)), copy=copy)
    seen = buffer.values if isinstance(buffer, Tensor) else np.asarray(memoryview(buffer))
    assert made.local.tolist() == seen.tolist()
    assert (address(made.local) == address(seen)) is shared is made.receipt.shared
    assert made.receipt.bytes_copied == (0 if shared else seen.nbytes)
    assert shared or made.local.flags.writeable


@pytest.mark.parametrize("copy", [None, False])
def test_a_list_as_buffer_is_refused_and_copied_if_needed(copy):
    given = dict_of([1.0, 2.0], block(2))
    with pytest.raises(tridap.ProtocolError, match='a list offers no memory.*pass copy="if_needed"'):
        tridap.asarray(given, copy=copy)
    made = tridap.asarray(given, copy="if_needed")
    assert made.local.tolist() == [1, 2] and made.receipt.bytes_copied == 16


@pytest.mark.parametrize("copy", [None, "if_needed", True])
@pytest.mark.parametrize("buffer, reason", [
    (np.ma.array([1.0, 2.0], mask=[0, 1]), "masked array"), (np.zeros(2, object), "Python objects"),
    (np.zeros(2, [("a", "i4"), ("b", "O")]), "Python objects"), (np.zeros((), "V0"), "buffer.type"),
], ids=["masked", "objects", "objects in records", "no bytes"])
def test_unusable_elements_are_refused_under_every_policy(buffer, reason, copy):
    with pytest.raises(tridap.ProtocolError, match=reason):
        tridap.asarray(dict_of(buffer, *(block(n) for n in buffer.shape)), copy=copy)


@pytest.mark.parametrize("copy", ["yes", "", 1, 0, np.True_, "\ud800", object(), []], ids=ascii)
def test_another_copy_policy_is_refused(comm, copy):
    for given in whole(3), tridap.asarray(whole(3)):
        with pytest.raises(ValueError, match="must be None or False"):
            tridap.asarray(given, copy=copy)
        with pytest.raises(ValueError, match="must be None or False"):
            tridap.asarray(line_of(comm), comm, copy=copy if comm.rank == comm.size - 1 else None)


def test_a_table_of_pointers_is_refused():
    testbuffer = pytest.importorskip("_testbuffer")
    table = testbuffer.ndarray(list(range(6)), shape=[2, 3], format="q", flags=testbuffer.ND_PIL)
    with pytest.raises(tridap.ProtocolError, match="suboffsets"):
        tridap.asarray(dict_of(table, block(2), block(3)))
    flat = testbuffer.ndarray([0, 1, 2], shape=[3], format="q", flags=testbuffer.ND_PIL)
    assert tridap.check(dict_of(np.zeros(3), listed(3, flat))).counts == {"unstructured.indices": 1}


def test_an_array_passes_as_itself_and_only_together(comm):
    one = tridap.asarray(line_of(comm), comm)
    assert tridap.asarray(one, comm) is one is tridap.asarray(one) is tridap.asarray(one, comm, copy="if_needed")
    assert address(tridap.asarray(one, comm, copy=True).local) != address(one.local) or not one.local.size
    other = tridap.asarray(line_of(comm, 12), comm)
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match="agree.size"):
            tridap.asarray(one if comm.rank else other, comm)
        with pytest.raises(tridap.ProtocolError, match="rank 0.*NoneType"):
            tridap.asarray(one if comm.rank else None, comm)


def test_without_a_communicator_nothing_communicates(comm):
    if comm.rank == 0:
        made = tridap.asarray(line_of(comm))
        assert made.comm is None and made.is_whole == (comm.size == 1)
        with pytest.raises(tridap.ProtocolError, match="start"):
            tridap.asarray(dict_of(np.zeros(3), block(3, start=-1)))
        assert tridap.check(line_of(comm)).ok


class Memory(bytearray):
    """Memory that can be watched."""


@pytest.mark.parametrize("way", ["local", "owned", "dim_data", "__array__", "memoryview", "dlpack", "__distarray__", "export"])
def test_the_producers_memory_lives_until_its_last_user_ends(way):
    memory = Memory(b"abcdefgh")
    there = weakref.ref(memory)
    made = tridap.asarray(Producer(memory, (block(8),)))
    del memory
    user = {"local": lambda: made.local, "owned": lambda: made.owned[2:3], "dim_data": lambda: made,
            "__array__": lambda: np.asarray(made), "memoryview": lambda: memoryview(made),
            "dlpack": lambda: np.from_dlpack(made), "__distarray__": made.__distarray__,
            "export": lambda: tridap.export(made, "0.9.0")}[way]()
    del made
    gc.collect()
    assert there() is not None
    if way in ("local", "memoryview"):
        assert bytes(user) == b"abcdefgh"
    del user
    gc.collect()
    assert there() is None


def test_a_tensor_is_let_go_of_with_the_last_user():
    class Values(np.ndarray):
        pass

    tensor = Tensor([0.0])
    tensor.values = np.zeros(3).view(Values)
    there = weakref.ref(tensor.values)
    made = tridap.asarray(dict_of(tensor, block(3)))
    local = made.local
    del tensor, made
    gc.collect()
    assert there() is not None and local.tolist() == [0, 0, 0]
    del local
    gc.collect()
    assert there() is None


def test_indices_live_as_long_as_what_came_of_them():
    memory = array.array("q", [2, 0, 1])
    there = weakref.ref(memory)
    made = tridap.asarray(dict_of(np.zeros(3), listed(3, memory)))
    del memory
    said = made.dim_data
    del made
    gc.collect()
    assert there() is not None and said[0]["indices"].tolist() == [2, 0, 1]
    del said
    gc.collect()
    assert there() is None


@pytest.mark.parametrize("where", ["array", "axis"])
def test_a_cycle_through_an_array_is_collected(where):
    producer = Producer(np.zeros(3), (block(3),))
    (producer.said if where == "array" else producer.said["dim_data"][0])["maker"] = producer
    producer.made = tridap.asarray(producer)
    assert (producer.made.__distarray__() if where == "array" else producer.made.dim_data[0])["maker"] is producer
    there = weakref.ref(producer)
    del producer
    gc.collect()
    assert there() is None


def test_refused_memory_is_let_go_of(comm):
    memory = Memory(8)
    there = weakref.ref(memory)
    with pytest.raises(tridap.ProtocolError):
        tridap.asarray(dict_of(memory, block(7)), comm)
    tridap.check(dict_of(memory, block(7)))
    del memory
    gc.collect()
    assert there() is None


def test_only_functions_of_the_package_make_its_objects():
    for kind in tridap.DistArray, tridap.Distribution, tridap.Report, tridap.Finding, tridap.Receipt:
        for make in kind, lambda: kind.__new__(kind), lambda: object.__new__(kind), lambda: type("Sub", (kind,), {})():
            with pytest.raises(TypeError):
                make()
        for base in tridap.BlockSpec, tridap.Matrix:  # whose __new__ would make the other without a value
            with pytest.raises(TypeError, match="base type"):
                type("Both", (base, kind), {})


@pytest.mark.parametrize("kind", [tridap.DistArray, tridap.Distribution, tridap.Report, tridap.Finding, tridap.Receipt,
                                  tridap.Matrix, tridap.LinearOperator, tridap.Redistribution])
@pytest.mark.parametrize("wrong", [None, 5, object(), tridap.block()], ids=["None", "5", "object", "spec"])
def test_what_a_class_offers_takes_no_other_object(kind, wrong):
    members = {name: value for base in kind.__mro__ if base.__module__.startswith("tridap") for name, value in vars(base).items()}
    asks = [value.fget if isinstance(value, property) else value for name, value in members.items() if name != "__eq__"]
    for ask in filter(callable, asks):
        with pytest.raises((TypeError, AttributeError)):
            ask(wrong)


def test_every_kind_of_axis_together_is_read_alike_everywhere(comm):
    given = dict_of(np.zeros((-(-7 // comm.size) if comm.rank * -(-7 // comm.size) < 7 else 0, 5, 3)),
                    block(7, comm.size, comm.rank), cyclic(5, block_size=2), listed(3, np.array([7, -2, 0], ">i2")))
    said = given["dim_data"][0]
    given["buffer"] = np.zeros((said["stop"] - said["start"], 5, 3))
    made = tridap.asarray(Producer(**{"buffer": given["buffer"], "dim_data": given["dim_data"]}), comm)
    assert made.shape == (7, 5, 3) and shared(comm, str(made.distribution))


def periodic(comm, size=6, width=1):
    """An array of 0.9 with padding at every edge of a periodic axis: each element is its global index, as 0.9 counts."""
    length = size // comm.size
    begin = comm.rank * length
    values = np.arange(begin - width, begin + length + width) % size
    return dict_of(values.astype(float), block(size, comm.size, comm.rank, padding=(width, width), periodic=True), version="0.9.0")


@pytest.mark.parametrize("width", [0, 1, 2])
def test_a_periodic_array_of_0_9_answers_in_the_numbers_of_0_9(comm, width):
    size = 6 * comm.size
    made = tridap.asarray(periodic(comm, size, width), comm)
    assert made.shape == (size,) and made.owned.size == 6
    for index in range(size):
        assert made.owner(index) == index // 6
        local = made.local_index(index)
        assert (local is not None) == (index // 6 == comm.rank)
        assert local is None or made.local[local] == index
    for local, value in enumerate(made.local):
        assert made.global_index(local) == (value,)
    assert [made.owner(index) for index in (-1, size, size + 1)] == [None] * 3
    assert [made.local_index(index) for index in (-1, size)] == [None] * 2
    alone = tridap.asarray(periodic(comm, size, width))
    assert [alone.global_index(local) for local in range(made.local.size)] == [(value,) for value in made.local]
    whole = made.gather()
    assert whole is None or np.array_equal(whole, np.arange(size))
    # what is of 0.10 counts as 0.10: the mirrors come first
    assert made.distribution.shape == (size + 2 * width,) == (made.dim_data[0]["size"],)
    made.local[...] = -1
    made.owned[...] = [made.global_index(local + width)[0] for local in range(6)]
    made.update_padding()
    assert np.array_equal(made.local, periodic(comm, size, width)["buffer"])


def test_a_padded_block_of_0_9_answers_in_one_numbering(comm):
    size, r, p = 4 * comm.size, comm.rank, comm.size
    left, right = (r > 0), (r < p - 1)
    values = np.arange(4 * r - left, 4 * (r + 1) + right, dtype=float)
    made = tridap.asarray(dict_of(values, block(size, p, r, padding=(int(left), int(right))), version="0.9.0"), comm)
    assert made.shape == (size,)
    for index in range(size):
        local = made.local_index(index)
        assert made.owner(index) == index // 4 and (local is None or made.local[local] == index)
    assert [made.global_index(local) for local in range(values.size)] == [(value,) for value in values]


def test_parts_of_one_array_have_one_type_and_distribution(comm):
    if comm.size == 1:
        pytest.skip("one process cannot differ from another")
    last = comm.rank == comm.size - 1
    blocks, dealt = (tridap.distribution((2 * comm.size,), kind, processes=comm.size) for kind in ("b", "c"))
    for array in (tridap.zeros(blocks, "f8" if last else "i8", comm=comm), tridap.zeros(dealt if last else blocks, comm=comm)):
        with pytest.raises(tridap.ProtocolError, match="must be the same|but is different on another process"):
            tridap.asarray(array, comm)


@remedy("comm is an intercommunicator: pass comm.Merge()")
def test_an_intercommunicator_is_refused(comm):
    if comm.size == 1:
        pytest.skip("one process has no other group")
    array = tridap.zeros(tridap.distribution((comm.size,), processes=comm.size), comm=comm)
    mine = comm.Split(comm.rank % 2, comm.rank)
    both = mine.Create_intercomm(0, comm, 1 - comm.rank % 2)
    text = said_by(lambda: tridap.asarray(array, both), ValueError)
    merged = eval(advice(text, r"is an intercommunicator: pass (comm\.Merge\(\)), a"), {"comm": both})
    part = {"__version__": "0.10.0", "buffer": np.ones(1), "dim_data": array.distribution.dim_data(merged.rank)}
    assert tridap.asarray(part, merged).sum() == comm.size
    merged.Free()
    both.Free()
    mine.Free()


def test_padding_is_updated_again_with_the_kept_plan(comm):
    rows = tridap.distribution(3 * comm.size, tridap.block(padding=1), processes=comm.size)
    x, y = tridap.zeros(rows, comm=comm), tridap.zeros(rows, comm=comm)

    def update(array, value):
        array.local[...] = value + comm.rank
        array.update_padding()
        assert comm.rank == 0 or array.local[0] == value + comm.rank - 1
        assert comm.rank == comm.size - 1 or array.local[-1] == value + comm.rank + 1

    for value in (10, 20, 30):
        update(x, value)
    update(x if comm.rank == 0 else y, 40)  # process 0 alone has a plan, of another array
    update(x, 50)
