"""What a DistArray gives to others: __distarray__, __array__, the buffer protocol, __dlpack__; and from version to version."""

import copy
import itertools

import numpy as np
import pytest
import tridap
from producers import Producer, address, block, cyclic, dict_of, line_of, listed, places, shared, tensor_of, whole


def test_every_way_out_shares_the_memory():
    field = np.arange(12.0).reshape(3, 4)
    made = tridap.asarray(Producer(field, (block(3), block(4))))
    outs = [made.local, made.owned, made.interior, np.asarray(made), made.__array__(), np.asarray(memoryview(made)),
            made.__distarray__()["buffer"], tridap.export(made, "0.9.0")["buffer"]]
    for number, out in enumerate(outs):
        assert address(out) == address(field) and out.shape == (3, 4) and out.strides == field.strides
        out[1, 2] = -number
        assert field[1, 2] == -number
    assert address(np.from_dlpack(made)) == address(field)
    assert memoryview(made).format == "d" and not memoryview(made).readonly and made.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("dtype, copy, shares", [(None, None, True), (float, None, True), ("f8", False, True), (None, True, False),
                                                 (float, True, False), (int, None, False), ("f4", True, False)])
def test_array_copies_only_where_it_must(dtype, copy, shares):
    field = np.arange(4.0)
    out = tridap.asarray(dict_of(field, block(4))).__array__(dtype, copy=copy)
    assert (address(out) == address(field)) is shares and out.dtype == np.dtype(dtype or float)
    assert out.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("ask", [lambda a, copy: a.__array__(copy=copy), lambda a, copy: a.__array__(int, copy=copy),
                                 lambda a, copy: np.from_dlpack(tensor_of(a.__dlpack__(copy=copy)))],
                         ids=["__array__", "__array__ of another type", "__dlpack__"])
def test_copy_is_none_or_a_flag(ask):
    field = np.arange(4)
    made = tridap.asarray(dict_of(field, block(4)))
    for copy in None, False, np.False_, True, np.True_:
        assert (address(ask(made, copy)) == address(field)) is (not copy)
    for wrong in 0, 1, 1.0, "yes", "if_needed", "", (), [1], np.int8(1), np.array(True), object(), bool:
        with pytest.raises(TypeError, match="copy is .*, must be None, True or False"):
            ask(made, wrong)


def test_array_refuses_a_copy_that_was_forbidden():
    made = tridap.asarray(whole(4))
    with pytest.raises(ValueError, match="copy=False, but the elements are float64"):
        made.__array__(int, copy=False)
    with pytest.raises(TypeError):
        made.__array__("no type")


@pytest.mark.parametrize("buffer", [np.zeros(3, ">f8"), np.zeros(3, "M8[s]"), np.zeros(3, "S4"), np.zeros(3, [("a", "i4")]),
                                    np.broadcast_to(0.0, 3)], ids=lambda b: str(b.dtype))
def test_types_that_dlpack_lacks_are_a_buffer_error(buffer):
    made = tridap.asarray(dict_of(buffer, block(3)))
    with pytest.raises(BufferError, match=r"\w+ .*\w+"):
        made.__dlpack__()


@pytest.mark.parametrize("how, reason", [({"stream": 1}, "stream"), ({"dl_device": (2, 0)}, r"\(2, 0\)"),
                                         ({"dl_device": (1, 1)}, "host"), ({"dl_device": "cpu"}, "host")])
def test_what_dlpack_is_asked_for_in_vain_is_a_buffer_error(how, reason):
    with pytest.raises(BufferError, match=reason):
        tridap.asarray(whole(3)).__dlpack__(**how)


@pytest.mark.parametrize("how", [{}, {"stream": None}, {"copy": None}, {"copy": False}, {"dl_device": None}, {"dl_device": (1, 0)},
                                 {"max_version": (1, 0)}, {"max_version": None, "dl_device": (1, 0), "copy": False, "stream": None}])
def test_dlpack_takes_the_keywords_of_the_array_api(how):
    assert "dltensor" in repr(tridap.asarray(whole(3)).__dlpack__(**how))


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[ms]", [("t", "M8[s]"), ("x", "f8")]], ids=str)
@pytest.mark.parametrize("ask", [lambda x: x.__distarray__(), lambda x: tridap.export(x, "0.9.0")], ids=["__distarray__", "export"])
def test_elements_that_no_buffer_can_say_are_refused_at_export(dtype, ask):
    made = tridap.asarray(dict_of(np.zeros(3, dtype), block(3)))
    with pytest.raises(tridap.ProtocolError, match=r"which a PEP 3118 buffer cannot say .*\[buffer.type\]: give a view of it as integers"):
        ask(made)
    assert made.local.dtype == np.dtype(dtype) and np.asarray(made).shape == (3,)


UNREAD = {"last bytes": np.ones(3, [("a", "i4"), ("b", "f4")])[["a"]], "last bytes of a record within": np.ones(3, [
    ("a", {"names": ["b"], "formats": ["i4"], "itemsize": 8})]), "no field": np.ones((), {"names": [], "formats": [], "itemsize": 4})}


@pytest.mark.parametrize("ask", [lambda x: x.__distarray__(), lambda x: tridap.export(x, "0.9.0")], ids=["__distarray__", "export"])
@pytest.mark.parametrize("kind", ["last bytes", "last bytes of a record within"])
def test_records_that_numpy_cannot_read_are_refused_at_export(kind, ask):
    made = tridap.asarray(dict_of(UNREAD[kind], block(3)))
    with pytest.raises(tridap.ProtocolError, match=r"NumPy itself cannot read .*\[buffer.type\]: give a record whose fields reach its end"):
        ask(made)
    with pytest.raises(BufferError, match="NumPy itself cannot read"):
        memoryview(made)


@pytest.mark.parametrize("kind", UNREAD)
def test_numpy_gets_a_record_that_no_buffer_can_say(kind):
    dtype = UNREAD[kind].dtype
    given = tridap.asarray(dict_of(UNREAD[kind], *(block(n) for n in UNREAD[kind].shape)))
    for made in given, tridap.zeros(tridap.distribution(3, "b", processes=1), dtype):
        out = np.asarray(made)
        assert address(out) == address(made.local) and out.dtype.itemsize == dtype.itemsize
        assert kind == "no field" or out.dtype == dtype
    assert address(given) == address(UNREAD[kind])


@pytest.mark.parametrize("buffer", [np.zeros(3, "V4"), memoryview(np.zeros(3, "V4")), np.zeros(3, [("a", "V3")])], ids=["V4", "memoryview", "record"])
def test_bytes_without_a_meaning_come_out_as_they_went_in(buffer):
    out = tridap.asarray(dict_of(buffer, block(3))).__distarray__()["buffer"]
    assert np.asarray(out).tobytes() == bytes(12 if not hasattr(buffer, "nbytes") else buffer.nbytes)
    assert np.shares_memory(np.asarray(out), np.asarray(buffer))


def test_dim_data_is_in_the_protocols_own_types():
    given = (block(6, padding=[0, 0], periodic=np.True_), cyclic(np.int32(4), block_size=np.uint8(3)),
             listed(2, np.array([1, 0], ">u2"), one_to_one=True), {})
    made = tridap.asarray(dict_of(np.zeros((6, 4, 2, 5)), *given))
    for said in made.dim_data, made.__distarray__()["dim_data"], tridap.export(made)["dim_data"]:
        assert type(said) is tuple and all(type(axis) is dict for axis in said)
        first, second, third, fourth = said
        assert first == block(6, padding=(0, 0), periodic=True) and type(first["padding"]) is tuple
        assert first["periodic"] is True
        assert second == cyclic(4, block_size=3)
        assert all(type(value) in (int, str) for axis in (second, fourth) for value in axis.values())
        assert fourth == block(5)
        assert third.pop("indices").dtype == np.int64 and third == {
            "dist_type": "u", "size": 2, "proc_grid_size": 1, "proc_grid_rank": 0, "one_to_one": True}
    described = made.__distarray__()
    assert described["__version__"] == "0.10.0" and list(described) == ["__version__", "buffer", "dim_data"]
    assert made.version == "0.10.0" and made.shape == (6, 4, 2, 5) and made.ndim == 4 and made.dtype == float


THINGS = {"None": None, "true": True, "integer": 2**70, "NaN": float("nan"), "text": "\u00e4\n", "surrogate": "\ud800",
          "bytes": b"\xff", "tuple": (1, "a", None, 2.5), "array": np.arange(3), "object": object(),
          "dict": {1: "one", "1": "another", None: 3}, "list": [[], [[]]], "class": Producer, "dtype": np.dtype("i4")}


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("version", ["0.9.0", "0.10.0"])
def test_unknown_keys_are_passed_on_as_they_came(comm, thing, version):
    given = dict_of(np.zeros(3), block(3, unknown=THINGS[thing]), version=version)
    given["__known__"] = THINGS[thing]
    for made in tridap.asarray(given), tridap.asarray(given, comm.Split(comm.rank)):
        for out in made.__distarray__(), tridap.export(made, "0.9"), tridap.export(made, "0.10"), tridap.export(given, version):
            assert out["__known__"] is THINGS[thing] is out["dim_data"][0]["unknown"]
    report = tridap.check(given)
    assert report.ok and report.counts == {"extra.key": 2}
    assert all(thing == "dtype" or str(finding).isprintable() for finding in report.findings)


AXES = {
    "block": lambda p, r: block(7, p, r),
    "padded": lambda p, r: padded(3 * p, p, r, (1, 1)),
    "edges": lambda p, r: padded(4 * p, p, r, (2, 1), edges=(2, 1)),
    "periodic": lambda p, r: padded(4 * p, p, r, (1, 1), edges=(1, 1), periodic=True),
    "cyclic": lambda p, r: cyclic(7, p, r, block_size=2),
    "unstructured": lambda p, r: listed(2 * p, np.array([3 * r + 1, -r]), p, r),
    "whole": lambda p, r: block(4, p, r) if p == 1 else block(2 * p, p, r),
}


def padded(size, processes, rank, widths, edges=(0, 0), periodic=False):
    """0.10: shares of an axis, with communication padding at inner borders and boundary padding at the edges."""
    said = block(size, processes, rank)
    left = widths[1] if rank else edges[0]
    right = widths[1] if rank < processes - 1 else edges[1]
    if rank:
        said["start"] -= left
    if rank < processes - 1:
        said["stop"] += right
    said["padding"] = (left, right)
    if periodic:
        said["periodic"] = True
    return said


def to_0_9(said, processes, rank, size_less=(0, 0)):
    """0.9 by PROTOCOL's own words: communication padding, that of periodic edges too, lies outside of start and stop."""
    said = dict(said)
    left, right = said["padding"]
    if rank:
        said["start"] += left
    if rank < processes - 1:
        said["stop"] -= right
    if said.get("periodic"):
        first, last = size_less
        said["size"] -= first + last
        said["start"] = max(said["start"] - first, 0)
        said["stop"] = min(said["stop"] - first, said["size"])
    return said


def extent(said):
    if said["dist_type"] == "b":
        return said["stop"] - said["start"]
    if said["dist_type"] == "u":
        return len(said["indices"])
    step = said["block_size"] * said["proc_grid_size"]
    return sum(min(said["block_size"], said["size"] - at) for at in range(said["start"], said["size"], step))


def plain(dims):
    return [{key: value.tolist() if key == "indices" else value for key, value in said.items()} for said in dims]


@pytest.mark.parametrize("kinds", list(itertools.product(AXES, repeat=1)) + list(itertools.combinations(AXES, 2)), ids="-".join)
def test_every_kind_comes_back_as_it_went(comm, kinds):
    for grid in {(comm.size,) + (1,) * (len(kinds) - 1), (1,) * (len(kinds) - 1) + (comm.size,)}:
        at = places(grid)[comm.rank]
        dims = tuple(AXES[kind](p, r) for kind, p, r in zip(kinds, grid, at))
        field = np.random.default_rng(comm.rank).random([extent(said) for said in dims])
        made = tridap.asarray(Producer(field, copy.deepcopy(dims)), comm)
        back = made.__distarray__()
        assert plain(back["dim_data"]) == plain(dims) and address(back["buffer"]) == address(field)
        old = tridap.export(made, "0.9.0")
        assert old["__version__"] == "0.9.0" and address(old["buffer"]) == address(field)
        for kind, said, was, p, r in zip(kinds, plain(old["dim_data"]), plain(dims), grid, at):
            if "padding" in was:
                was = to_0_9(was, p, r, (1, 1) if kind == "periodic" else (0, 0))
            elif was["dist_type"] == "b":
                said.pop("padding", None)
            assert said == was
        again = tridap.asarray(old, comm)
        assert again.distribution == made.distribution and plain(again.dim_data) == plain(dims)
        assert address(again.local) == address(field)
        assert plain(tridap.export(again, "0.9.0")["dim_data"]) == plain(old["dim_data"])


def test_n_of_0_9_is_a_block_over_one_process():
    made = tridap.asarray(dict_of(np.zeros(3), {"dist_type": "n", "size": 3}, version="0.9.0"))
    assert made.dim_data == (block(3),) and made.version == "0.9.0"


def test_start_and_stop_of_n_are_replaced_in_the_block():
    stray = {"dist_type": "n", "size": 3, "start": 1, "stop": "x", "mine": 7}
    made = tridap.asarray(dict_of(np.zeros(3), stray, version="0.9.0"))
    assert made.dim_data == (block(3, mine=7),) and tridap.check(made.__distarray__()).ok


def test_periodic_padding_of_one_part_cannot_change_version(comm):
    given = dict_of(np.zeros(4), block(4, padding=(1, 1), periodic=True), version="0.10.0")
    given["dim_data"][0].update(proc_grid_size=2)
    made = tridap.asarray(given | {"dim_data": ({**given["dim_data"][0], "stop": 4, "size": 6},)})
    with pytest.raises(tridap.ProtocolError, match="gather the array"):
        tridap.export(made, "0.9.0")


@pytest.mark.parametrize("short", ["0.9", "0.10"])
def test_a_version_may_be_spelled_without_its_patch_number(comm, short):
    assert not tridap.check(dict_of(np.zeros(3), block(3 * comm.size, comm.size, comm.rank), version=short), comm).counts
    given = dict_of(np.zeros(3), block(3), version=short)
    for out in tridap.export(given, short), tridap.export(tridap.asarray(given), short):
        assert out["__version__"] == short + ".0"
    line = tridap.distribution((3,), "b", processes=1)
    assert line.dim_data(0, short) == line.dim_data(0, short + ".0")


@pytest.mark.parametrize("version", ["0.8.0", "1.0.0", "0.10.0.0", "", "10", "0.1", "0.9.x", "0..9", "\u0660.9.0"])
def test_another_version_is_refused_by_name(version):
    with pytest.raises(tridap.ProtocolError, match="__version__"):
        tridap.export(whole(3), version)


def test_an_array_without_axes_goes_in_and_out(comm):
    alone = comm.Split(comm.rank)
    value = np.array(3.0)
    made = tridap.asarray(dict_of(value), alone)
    made.local[()] = 4
    assert value == 4 and made.dim_data == () and made.owner() == 0 and made.global_index() == ()
    assert made.owned.shape == () and float(np.from_dlpack(made)) == 4
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match=r"grid\.product"):
            tridap.asarray(dict_of(value), comm)


def test_different_versions_on_processes_are_refused_by_all(comm):
    array = tridap.asarray(line_of(comm), comm)
    last = comm.rank == comm.size - 1
    for wrong, words in (5, "version is 5, must be a str"), ("8.1", "8.1"), ("\ud800", ""):
        with pytest.raises(tridap.ProtocolError, match=words) as raised:
            tridap.export(array, wrong if last else "0.9", comm)
        assert shared(comm, str(raised.value))
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError, match="asks for '0.9.0'"):
            tridap.export(array, "0.9" if last else "0.10", comm)
    assert tridap.export(array, "0.9" if last else "0.9.0", comm)["__version__"] == "0.9.0"


def test_what_one_process_cannot_export_is_refused_by_all(comm):
    given = line_of(comm)
    if comm.rank == comm.size - 1:
        given["buffer"] = given["buffer"].astype("M8[s]")  # which no buffer can say
    with pytest.raises(tridap.ProtocolError):
        tridap.export(tridap.asarray(given) if comm.size == 1 else given, "0.10", comm)


def test_indices_of_dim_data_cannot_be_written():
    given = np.array([2, 0, 1, 3])
    for a in (tridap.zeros(tridap.distribution((4,), ([[2, 0, 1, 3]],), processes=1)), tridap.asarray(dict_of(np.zeros(4), listed(4, given)))):
        with pytest.raises(ValueError, match="read-only"):
            a.dim_data[0]["indices"][0] = 5
    assert given.flags.writeable
