"""tridap.save and tridap.load, against h5py reading and writing the same files on one process."""

import json
import os
import random
import sys
import tempfile
import types

import h5py
import numpy as np
import pytest
import tridap
from mpi4py import MPI
from producers import block, ran
from some_arrays import expect_part, filled, some_distribution, some_spec, values_of

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank


def read(path, name):
    """A dataset, read by h5py on the first process alone, and sent to all."""
    values = None
    if R == 0:
        with h5py.File(path, "r") as file:
            values = file[name][()]
    return COMM.bcast(values)


def test_any_distribution_is_saved_and_read_back_into_any_other(folder):
    rng = random.Random(1)
    for n in range(20):
        shape = tuple(rng.randrange(1, 9) for _ in range(rng.randrange(1, 4)))
        whole = values_of(shape, np.dtype(float))
        path = folder / f"{n}.h5"
        saved = filled(some_distribution(rng, shape), whole, rng.choice("CF"))
        receipt = tridap.save(path, {"x": saved})
        assert receipt.bytes_copied == saved.owned.nbytes
        np.testing.assert_array_equal(read(path, "x"), whole)
        expect_part(tridap.load(path, "x", some_distribution(rng, shape)), whole)
        back = tridap.load(path)
        assert back.distribution == saved.distribution
        assert repr(back.dim_data) == repr(saved.dim_data)
        expect_part(back, whole)
        expect_part(tridap.load(path, "x", "b" + ",*" * (len(shape) - 1)), whole)


RECORD = np.dtype([("a", "<f8"), ("b", ">i2", (2,)), ("c", "c8"), ("d", "?")])
TYPES = ["?", "i1", "u1", "<i2", ">i4", "<u8", "<f2", "<f4", ">f8", "<f8", "c8", ">c16", "S5", RECORD]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_types_are_those_of_h5py(folder, dtype):
    dtype = np.dtype(dtype)
    whole = values_of((7, 3), dtype)
    tridap.save(folder / "ours.h5", {"x": filled(tridap.distribution((7, 3), "c,*", processes=P), whole)})
    found = read(folder / "ours.h5", "x")
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, whole)
    expect_part(tridap.load(folder / "ours.h5"), whole)
    if R == 0:
        with h5py.File(folder / "theirs.h5", "w") as file:
            file["x"] = whole
        with h5py.File(folder / "ours.h5", "r") as ours, h5py.File(folder / "theirs.h5", "r") as theirs:
            assert ours["x"].id.get_type().equal(theirs["x"].id.get_type())
    COMM.Barrier()
    expect_part(tridap.load(folder / "theirs.h5"), whole)


def test_dates_are_opaque_as_in_h5py(folder):
    whole = np.arange(6).astype("M8[s]")
    tridap.save(folder / "x.h5", {"x": filled(tridap.distribution((6,), processes=P), whole)})
    np.testing.assert_array_equal(read(folder / "x.h5", "x"), whole)
    expect_part(tridap.load(folder / "x.h5"), whole)


def test_read_only_strided_and_empty_memory(folder):
    dist = tridap.distribution((5, 4), ("b", "*"), processes=P)
    whole = values_of((5, 4), np.dtype(float))
    part = whole[np.ix_(*dist.indices(R))]
    wide = np.full((part.shape[0] * 2, 11), -1.0)
    wide[::2, 1:9:2] = part
    turned = np.ascontiguousarray(part[::-1, ::-1])[::-1, ::-1]
    fixed = part.copy()
    fixed.flags.writeable = False
    inside = np.zeros(part.shape, [("before", "u1"), ("x", "f8")])
    inside["x"] = part
    same = np.broadcast_to(np.float64(3), part.shape)
    arrays = {"wide": wide[::2, 1:9:2], "turned": turned, "fixed": fixed, "inside": inside["x"], "same": same}
    tridap.save(folder / "x.h5", {name: tridap.array(local, dist, COMM) for name, local in arrays.items()})
    for name in arrays:
        np.testing.assert_array_equal(read(folder / "x.h5", name), np.full((5, 4), 3.0) if name == "same" else whole)
    nothing = tridap.zeros(tridap.distribution((0, 3), processes=P), comm=COMM)
    tridap.save(folder / "0.h5", {"x": nothing})
    assert tridap.load(folder / "0.h5").shape == (0, 3)


def test_files_of_every_number_of_processes_are_read_by_all(folder):
    rng = random.Random(2)
    shape = (9, 5)
    whole = values_of(shape, np.dtype("i4"))
    for writers in range(1, P + 1):
        path = folder / f"{writers}.h5"
        dist = some_distribution(rng, shape, writers)
        some = COMM.Split(0 if R < writers else 1)
        if R < writers:
            array = tridap.array(np.asfortranarray(whole[np.ix_(*dist.indices(R, "local"))]), dist, some)
            tridap.save(path, {"x": array})
        some.Free()
        COMM.Barrier()
        expect_part(tridap.load(path), whole)
        expect_part(tridap.load(path, "x", some_distribution(rng, shape)), whole)


def test_the_default_has_the_kind_that_was_saved(folder):
    if P < 2:
        pytest.skip("needs at least 2 processes")
    dist = tridap.distribution((20, 6, 3), (tridap.block(padding=1), "c:2", "*"), (1, 2, 1))
    whole = values_of(dist.shape, np.dtype(float))
    some = COMM.Split(0 if R < 2 else 1)
    if R < 2:
        tridap.save(folder / "x.h5", {"x": tridap.array(whole[np.ix_(*dist.indices(R, "local"))], dist, some)})
    some.Free()
    COMM.Barrier()
    array = tridap.load(folder / "x.h5")
    expect_part(array, whole)
    assert [axis["dist_type"] for axis in array.dim_data] == ["b", "c", "b"]
    assert array.distribution.grid[2] == 1
    assert P == 2 or array.dim_data[1].get("block_size") == 2


def test_attributes_and_groups(folder):
    x = tridap.zeros(tridap.distribution((4,), processes=P), comm=COMM)
    attrs = {"title": "día", "time": 2.5, "n": np.int32(7), "yes": True, "list": [1, 2, 3], "z": 1 + 2j}
    tridap.save(folder / "x.h5", {"a/b": x, "c": x}, attrs)
    found = tridap.load_attrs(folder / "x.h5")
    assert found.keys() == attrs.keys()
    for key, value in attrs.items():
        assert np.array_equal(found[key], value), key
    if R == 0:
        with h5py.File(folder / "x.h5", "r") as file:
            assert file.attrs["title"] == "día" and file.attrs["time"] == 2.5 and bool(file.attrs["yes"])
            assert file["a/b"].attrs["__version__"] == "0.10.0"
            assert '"dist_type"' in file["c"].attrs["dim_data"]
    from tridap import hdf5
    assert hdf5.datasets(folder / "x.h5") == ["a/b", "c"]
    assert tridap.load_attrs(folder / "x.h5", "c")["__version__"] == "0.10.0"


def test_h5py_reads_the_distribution(folder):
    lists = [[2 * p + 1, 2 * p] for p in range(P)]
    x = tridap.from_function(tridap.distribution((2 * P, 3), (tridap.unstructured(lists), "*"), processes=P), lambda i, j: 3 * i + j, comm=COMM)
    tridap.save(folder / "x.h5", {"g/lists": x})
    if R == 0:
        with h5py.File(folder / "x.h5", "r") as file:
            axes = json.loads(file["g/lists"].attrs["dim_data"])
            assert [axis["dist_type"] for axis in axes] == ["u", "b"] and axes[0]["extremes"] == [0, 2 * P - 1]
            bounds = file["g/lists"].attrs["axis_bounds"]
            assert len(bounds[1]) == 0 and axes[1]["block_size"] == 3
            stored = file[axes[0]["indices"]]
            assert [list(stored[bounds[0][p]:bounds[0][p + 1]]) for p in range(P)] == lists
    assert repr(tridap.load(folder / "x.h5").dim_data) == repr(x.dim_data)
    assert tridap.load(folder / "x.h5", to="*,b").sum() == x.sum()


@pytest.mark.skipif(P == 1, reason="one process gives one distribution")
def test_load_refuses_distributions_that_differ(folder):
    x = filled(tridap.distribution((2 * P,), processes=P), np.arange(2.0 * P))
    tridap.save(folder / "x.h5", {"x": x})
    blocks = [tridap.distribution((2 * P,), tridap.block(starts=[0, first, *[2 * P] * (P - 2)])) for first in (1, 2)]
    lists = tridap.asarray(tridap.zeros(tridap.distribution((2 * P,), tridap.unstructured([[-p, 9 + p] for p in range(P)]))), comm=COMM)
    for to in (blocks[R == 0], lists.distribution if R == 0 else x.distribution):
        with pytest.raises(tridap.ProtocolError, match="same on every process"):
            tridap.load(folder / "x.h5", to=to)
    assert tridap.load(folder / "x.h5", to=blocks[0]).sum() == x.sum()


@pytest.mark.parametrize("compression", [None, "gzip", 9])
def test_steps_are_added_and_replaced(folder, compression):
    whole = values_of((5, 6), np.dtype(float))
    for n in (0, 1, 2, 1):
        x = filled(tridap.distribution((5, 6), ("c", "b"), processes=P), whole + 100 * n)
        tridap.save(folder / "x.h5", {"x": x}, {"last": n}, step=n, compression=compression)
    found = read(folder / "x.h5", "x")
    assert found.shape == (3, 5, 6)
    for n in range(3):
        np.testing.assert_array_equal(found[n], whole + 100 * n)
        expect_part(tridap.load(folder / "x.h5", step=n), whole + 100 * n)
    expect_part(tridap.load(folder / "x.h5"), whole + 200)
    assert tridap.load_attrs(folder / "x.h5")["last"] == 1
    other = tridap.zeros(tridap.distribution((5, 7), processes=P), comm=COMM)
    with pytest.raises(tridap.ProtocolError, match="not the steps of an array of this shape"):
        tridap.save(folder / "x.h5", {"x": other}, step=3)
    expect_part(tridap.load(folder / "x.h5"), whole + 200)


def test_a_step_that_was_never_saved_is_an_error(folder):
    x = tridap.from_function(tridap.distribution((7,), processes=P), lambda i: i + 1.0, comm=COMM)
    for step in (1, 4, 3):
        tridap.save(folder / "x.h5", {"x": x}, step=step)
        expect_part(tridap.load(folder / "x.h5", step=step), np.arange(1.0, 8))
    for step in (0, 2):
        assert f"'step' is {step}, 'x' has only the steps 1, 3 to 4" in same_error(lambda: tridap.load(folder / "x.h5", step=step))
    tridap.save(folder / "x.h5", {"y": x}, step=0)
    expect_part(tridap.load(folder / "x.h5", "y"), np.arange(1.0, 8))
    with pytest.raises(tridap.ProtocolError, match="has 1 steps"):
        tridap.load(folder / "x.h5", "y", step=1)
    if R == 0:
        with h5py.File(folder / "x.h5", "a") as file:
            del file["x"].attrs["saved_steps"]  # as of another program
    COMM.Barrier()
    expect_part(tridap.load(folder / "x.h5", "x", step=2), np.zeros(7))


def test_an_array_and_a_group_cannot_have_one_name(folder):
    x = tridap.zeros(tridap.distribution((4,), processes=P), comm=COMM)
    for arrays in {"a": x, "a/b": x}, {"a/b/c": x, "a/b": x, "c": x}:
        assert "needs a group 'a" in same_error(lambda: tridap.save(folder / "x.h5", arrays))
    assert not os.listdir(folder)
    tridap.save(folder / "x.h5", {"a/b": x, "ab": x, "a-b/c": x})


@pytest.mark.parametrize("chunks, compression", [((2, 3), None), ((2, 3), "gzip"), ((7, 7), 1), (None, 5)])
def test_chunks_and_compression(folder, chunks, compression):
    rng = random.Random(3)
    whole = values_of((7, 5), np.dtype(float))
    for _ in range(4):
        tridap.save(folder / "x.h5", {"x": filled(some_distribution(rng, (7, 5)), whole)}, chunks=chunks,
                    compression=compression)
        np.testing.assert_array_equal(read(folder / "x.h5", "x"), whole)
        expect_part(tridap.load(folder / "x.h5", None, some_distribution(rng, (7, 5))), whole)
    if R == 0:
        with h5py.File(folder / "x.h5", "r") as file:
            assert file["x"].compression == ("gzip" if compression else None)
            assert chunks is None or file["x"].chunks == tuple(min(c, n) for c, n in zip(chunks, (7, 5)))


def test_foreign_files(folder):
    whole = values_of((6, 4), np.dtype(float))
    if R == 0:
        with h5py.File(folder / "x.h5", "w") as file:
            file.create_dataset("x", data=whole, maxshape=(None, 4), chunks=(4, 3), compression="gzip")
            file["text"] = "some text"
            file["enum"] = np.arange(3)
    COMM.Barrier()
    expect_part(tridap.load(folder / "x.h5", "x", "c:2,*"), whole)
    row = tridap.load(folder / "x.h5", "x", step=2)
    np.testing.assert_array_equal(row.local, whole[2][row.distribution.indices(R)[0]])
    with pytest.raises(tridap.ProtocolError, match="varying length"):
        tridap.load(folder / "x.h5", "text")
    with pytest.raises(tridap.ProtocolError, match="3 datasets: 'enum', 'text', 'x'"):
        tridap.load(folder / "x.h5")


def test_a_relative_path_is_that_of_the_first_process(folder):
    before = os.getcwd()
    other = tempfile.TemporaryDirectory()
    try:
        os.chdir(folder if R == 0 else other.name)
        whole = values_of((5,), np.dtype(float))
        tridap.save("x.h5", {"x": filled(tridap.distribution((5,), processes=P), whole)})
        expect_part(tridap.load("x.h5"), whole)
    finally:
        os.chdir(before)
    assert (folder / "x.h5").exists()
    other.cleanup()


def same_error(call):
    with pytest.raises(tridap.ProtocolError) as raised:
        call()
    assert COMM.allgather(str(raised.value)).count(str(raised.value)) == P
    return str(raised.value)


def test_errors_are_the_same_on_every_process(folder):
    x = tridap.zeros(tridap.distribution((4,), processes=P), comm=COMM)
    assert "No such file" in same_error(lambda: tridap.save(folder / "no" / "x.h5", {"x": x}))
    assert "No such file" in same_error(lambda: tridap.load(folder / "no.h5"))
    assert "must be a dict" in same_error(lambda: tridap.save(folder / "x.h5", [x]))
    assert "compression" in same_error(lambda: tridap.save(folder / "x.h5", {"x": x}, compression="lzf"))
    assert "compression" in same_error(lambda: tridap.save(folder / "x.h5", {"x": x}, compression=10))
    assert "step" in same_error(lambda: tridap.save(folder / "x.h5", {"x": x}, step=-1))
    assert "attribute" in same_error(lambda: tridap.save(folder / "x.h5", {"x": x}, {"a": object()}))
    assert "'a' has a mask" in same_error(lambda: tridap.save(folder / "x.h5", {"x": x}, {"a": np.ma.zeros(3)}))
    if P > 1:
        assert "same on every process" in same_error(lambda: tridap.save(folder / f"{R}.h5", {"x": x}))
        assert "rank" in same_error(lambda: tridap.save(folder / "x.h5", {"x": x}, step="a" if R == P - 1 else 0))
    assert not any(name for name in os.listdir(folder))
    tridap.save(folder / "x.h5", {"x": x})
    assert "shape" in same_error(lambda: tridap.load(folder / "x.h5", "x", tridap.distribution((5,), processes=P)))
    assert "no 'y'" in same_error(lambda: tridap.load(folder / "x.h5", "y"))


def test_the_progress_line(folder, capfd):
    x = tridap.zeros(tridap.distribution((4,), processes=P), comm=COMM)
    tridap.save(folder / "x.h5", {"x": x}, progress=True)
    tridap.load(folder / "x.h5", progress=True)
    tridap.load(folder / "x.h5", progress=False)
    shown = capfd.readouterr().err
    assert shown == ("\rsaving x.h5: 100 %\n\rloading x.h5: 100 %\n" if R == 0 else "")


def test_one_process_alone(folder):
    x = tridap.zeros(tridap.distribution((3,), processes=1))
    x.local[...] = R
    tridap.save(folder / f"{R}.h5", {"x": x})
    assert tridap.load(folder / f"{R}.h5", comm=MPI.COMM_SELF).local.tolist() == [R] * 3
    point = tridap.array(np.array(2.5), tridap.distribution((), processes=1))
    tridap.save(folder / f"{R}.h5", {"x": point})
    assert tridap.load(folder / f"{R}.h5", comm=MPI.COMM_SELF).local == 2.5


def test_slabs_select_what_a_process_owns():
    rng = random.Random(4)
    for _ in range(30):
        shape = tuple(rng.randrange(1, 9) for _ in range(rng.randrange(1, 4)))
        whole = values_of(shape, np.dtype("i4"))
        dist = some_distribution(rng, shape)
        written, times = np.zeros_like(whole), np.zeros(shape, int)
        for process in range(P):
            local = whole[np.ix_(*dist.indices(process, "local"))]
            for where, here in dist.slabs(process):
                written[where] = local[here]
                times[where] += 1
            back = np.zeros_like(local)
            for where, here in dist.slabs(process, "local"):
                back[here] = whole[where]
            np.testing.assert_array_equal(back, local)
        np.testing.assert_array_equal(written, whole)
        assert (times == 1).all()


@pytest.mark.parametrize("which", ["serial", "mpi"])
@pytest.mark.parametrize("first", ["h5py", "tridap"])
def test_h5py_in_the_same_process(folder, first, which):
    """The serial and the parallel h5py, imported before or after ours: in a process of its own."""
    code = """
import sys, numpy as np
first, path = sys.argv[1:]
if first == "h5py":
    import h5py
import tridap
from tridap import hdf5
a = tridap.array(np.arange(6.0), tridap.distribution((6,), processes=1))
if first == "tridap":
    tridap.save(path, {"a": a})
    import h5py
with h5py.File(path + ".theirs", "w") as file:
    file["b"] = np.arange(4)
    tridap.save(path, {"a": a})
    file["c"] = np.arange(5)
with h5py.File(path, "r") as file:
    assert file["a"][()].tolist() == list(range(6))
    assert tridap.load(path).local.tolist() == list(range(6))
    assert file["a"][2] == 2
found = hdf5.libraries()
assert found.h5py == h5py.__version__ and found.h5py_mpi is h5py.get_config().mpi and "hdf5" in found.file
print("mpi" if found.h5py_mpi else "serial", found.version == found.h5py_hdf5)
"""
    status, printed = ran(COMM, sys.executable, "-c", code, first, folder / "x.h5", **({"H5PY_ALWAYS_USE_MPI": "1"} if which == "mpi" else {}))
    assert status == 0 and printed.split() == [which, "True"], printed


def write_dnpy(path, version, dim_data, local):
    """As the format's description says."""
    header = repr({"__version__": version, "dim_data": dim_data})
    header += " " * (-(len(header) + 11) % 16) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93DARRY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        np.save(file, local)


def plain(value):
    return {key: entry.tolist() if isinstance(entry, np.ndarray) else entry for key, entry in value.items()}


@pytest.mark.parametrize("version", ["0.9.0", "0.10.0"])
def test_dnpy_files(folder, version):
    rng = random.Random(5)
    shape = (7, 4)
    whole = values_of(shape, np.dtype(float))
    for writers in sorted({1, 2, 3, P}):
        for n, specs in enumerate([("b", "*"), ("c:2", "*"), (some_spec(rng, 7, writers), "*"), (tridap.block(), "*")]):
            dist = tridap.distribution(shape, specs, (writers, 1))
            if R == 0:
                for process in range(writers):
                    dims = tuple(plain(dim) for dim in dist.dim_data(process, "0.10.0"))
                    if version == "0.9.0":
                        try:
                            dims = tuple(plain(dim) for dim in dist.dim_data(process, "0.9.0"))
                        except tridap.ProtocolError:
                            break
                    local = np.asfortranarray(whole[np.ix_(*dist.indices(process, "local"))])
                    write_dnpy(folder / f"{writers}{n}_{process}.dnpy", version, dims, local)
            COMM.Barrier()
            if not (folder / f"{writers}{n}_{writers - 1}.dnpy").exists() or dist.shape != shape:
                continue
            expect_part(tridap.load(folder / f"{writers}{n}"), whole)
            expect_part(tridap.load(folder / f"{writers}{n}_0.dnpy", None, "c,*"), whole)
            if writers == P:
                assert tridap.load(folder / f"{writers}{n}").distribution == dist


def test_wrong_dnpy_files(folder):
    def wrong(content):
        if R == 0:
            (folder / "x_0.dnpy").write_bytes(content)
        COMM.Barrier()
        return same_error(lambda: tridap.load(folder / "x_0.dnpy"))

    assert "version 2.0" in wrong(b"\x93DARRY\x02\x00\x10\x00" + b" " * 16)
    assert "no dictionary" in wrong(b"\x93DARRY\x01\x00\x10\x00" + b"__import__('os')")
    assert "not a .dnpy" in wrong(b"\x93DARRY")
    assert "HDF5" in wrong(b"nothing")


def test_a_killed_process_leaves_the_earlier_file(folder):
    """A save in processes of their own, one of which is killed in the middle."""
    code = """
import os, signal, sys
import numpy as np
import tridap
from mpi4py import MPI
comm = MPI.COMM_WORLD
a = tridap.zeros(tridap.distribution((1000, 1000), processes=comm.size), comm=comm)
a.local[...] = 1
tridap.save(sys.argv[1], {"a": a})
a.local[...] = 2
from tridap import _files
class Killing(_files._Progress):
    def __init__(self, *arguments):
        self.tell = lambda done: os.kill(os.getpid(), signal.SIGKILL)
        self._shown = 0
_files._Progress = Killing
tridap.save(sys.argv[1], {"a": a})
"""
    assert ran(COMM, "mpiexec", "-n", 2, sys.executable, "-c", code, folder / "x.h5")[0] != 0
    if R == 0:
        with h5py.File(folder / "x.h5", "r") as file:
            assert (file["a"][()] == 1).all()


def test_gzip_has_the_level_of_h5py(folder):
    a = tridap.zeros(tridap.distribution((4 * P,)), comm=COMM)
    tridap.save(folder / "x.h5", {"a": a}, compression="gzip")
    levels = None
    if R == 0:
        with h5py.File(folder / "x.h5", "r") as file, h5py.File(folder / "y.h5", "w") as theirs:
            theirs.create_dataset("a", data=np.zeros(4), compression="gzip")
            levels = file["a"].compression_opts, theirs["a"].compression_opts
    ours, theirs = COMM.bcast(levels)
    assert ours == theirs


class CountedLock:
    """In the place of h5py's lock."""

    def __init__(self):
        self.entered = self.held = 0

    def __enter__(self):
        self.entered += 1
        self.held += 1

    def __exit__(self, *_):
        self.held -= 1


@pytest.mark.parametrize("module", ["h5py._objects", "h5py._debian_h5py_mpi._objects", "h5py._debian_h5py_serial._objects"])
def test_the_lock_of_h5py_is_held_in_each_call_of_hdf5(folder, monkeypatch, module):
    from tridap import hdf5
    lock = CountedLock()
    monkeypatch.setitem(sys.modules, module, types.SimpleNamespace(phil=lock))
    a, path = tridap.zeros(tridap.distribution((2 * P,)), comm=COMM), folder / "x.h5"
    for call in (lambda: tridap.save(path, {"a": a}, {"n": 1}, comm=COMM), lambda: tridap.load(path, comm=COMM),
                 lambda: tridap.load_attrs(path, comm=COMM), lambda: hdf5.datasets(path)):
        before = lock.entered
        call()
        assert lock.entered > before and lock.held == 0


def test_steps_of_other_shapes_and_types_are_refused(folder):
    blocks, dealt = (tridap.distribution((4 * P,), kind, processes=P) for kind in ("b", "c"))
    path = folder / "x.h5"
    tridap.save(path, {"a": tridap.zeros(blocks, comm=COMM)}, step=0)
    longer = tridap.zeros(tridap.distribution((5 * P,), processes=P), comm=COMM)
    with pytest.raises(tridap.ProtocolError, match="that is not the steps of an array of this shape"):
        tridap.save(path, {"a": longer}, step=1)
    with pytest.raises(tridap.ProtocolError, match="has float64 elements, and the array others, must be the same"):
        tridap.save(path, {"a": tridap.zeros(blocks, np.float32, comm=COMM)}, step=1)
    tridap.save(path, {"a": tridap.zeros(dealt, comm=COMM)}, step=1)
    assert tridap.load(path, comm=COMM).distribution == dealt


def test_a_text_of_fixed_length_is_read_without_its_padding(folder):
    if R == 0:
        with h5py.File(folder / "x.h5", "w") as file:
            file.attrs["unit"] = np.array(b"km", "S8")
    COMM.Barrier()
    assert tridap.load_attrs(folder / "x.h5", comm=COMM) == {"unit": "km"}


def test_dnpy_files_of_mixed_types_or_of_objects_are_refused(folder):
    if R == 0:
        write_dnpy(folder / "x_0.dnpy", "0.9.0", (block(4, 2, 0),), np.zeros(2))
        write_dnpy(folder / "x_1.dnpy", "0.9.0", (block(4, 2, 1),), np.zeros(2, np.float32))
        write_dnpy(folder / "y_0.dnpy", "0.9.0", (block(1),), np.array([{}], object))
    COMM.Barrier()
    with pytest.raises((tridap.ProtocolError, ValueError), match="have different element types"):
        tridap.load(folder / "x_0.dnpy", comm=COMM)
    with pytest.raises((tridap.ProtocolError, ValueError), match="the elements are, or hold, Python objects"):
        tridap.load(folder / "y_0.dnpy", comm=COMM)


def test_padded_dnpy_files_are_read_by_fewer_processes(folder):
    saved = tridap.distribution((6 * (P + 1),), (tridap.block(padding=2),), processes=P + 1)
    if R == 0:
        for process in range(P + 1):
            indices = saved.indices(process, "local")[0]
            write_dnpy(folder / f"x_{process}.dnpy", "0.10.0", saved.dim_data(process), 10.0 * indices)
    COMM.Barrier()
    x = tridap.load(folder / "x_0.dnpy", "b", comm=COMM)
    assert x.local.tolist() == (10.0 * x.distribution.indices(R, "local")[0]).tolist()
