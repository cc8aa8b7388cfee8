"""tridap.save and tridap.load of zarr stores, against zarr reading and writing the same stores on one process."""

import json
import os
import random

import numpy as np
import pytest
import tridap
import zarr
from mpi4py import MPI
from producers import refused_by_all, shared
from some_arrays import expect_part, filled, some_distribution, values_of
from stores import distribution_of, new_only, opened, recorded
from tridap import _zarr_chunks, _zarr_versions

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank


def first(function):
    """What a function returns on the first process, on all."""
    return COMM.bcast(function() if R == 0 else None)


def read(path, name):
    return first(lambda: opened(path, name)[...])


def test_any_distribution_is_saved_and_read_back_into_any_other(folder):
    rng = random.Random(1)
    for n in range(20):
        shape = tuple(rng.randrange(1, 9) for _ in range(rng.randrange(1, 4)))
        whole = values_of(shape, np.dtype(float))
        path = folder / f"{n}.zarr"
        saved = filled(some_distribution(rng, shape), whole, rng.choice("CF"))
        chunks = rng.choice([None, [rng.randrange(1, 10) for _ in shape]])
        receipt = tridap.save(path, {"x": saved}, chunks=chunks)
        assert receipt.bytes_copied == saved.owned.nbytes
        np.testing.assert_array_equal(read(path, "x"), whole)
        expect_part(tridap.load(path, "x", some_distribution(rng, shape)), whole)
        back = tridap.load(path)
        assert back.distribution == saved.distribution
        assert repr(back.dim_data) == repr(saved.dim_data)
        expect_part(back, whole)
        expect_part(tridap.load(path, "x", "b" + ",*" * (len(shape) - 1)), whole)


RECORD = np.dtype([("a", "<f8"), ("b", ">i2"), ("d", "?")])
TYPES = ["?", "i1", "u1", "<i2", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16", "S5", "<U3", "<M8[s]", *([] if new_only else [">f8", RECORD])]


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_types_are_those_of_zarr(folder, dtype):
    dtype = np.dtype(dtype)
    whole = values_of((7, 3), dtype)
    tridap.save(folder / "ours.zarr", {"x": filled(tridap.distribution((7, 3), "c,*", processes=P), whole)}, chunks=(2, 2))
    found = read(folder / "ours.zarr", "x")
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, whole)
    expect_part(tridap.load(folder / "ours.zarr", to="*,b"), whole)


def test_no_chunk_has_two_writers_and_none_is_left_out(folder, monkeypatch):
    rng = random.Random(3)
    for n in range(12):
        shape = (rng.randrange(1, 12), rng.randrange(1, 12))
        chunks = (rng.randrange(1, 5), rng.randrange(1, 5))
        x = filled(some_distribution(rng, shape), values_of(shape, np.dtype(float)))
        with recorded(monkeypatch) as (_, written):
            tridap.save(folder / f"{n}.zarr", {"x": x}, chunks=chunks)
        written = COMM.allgather([key for key in written if key.startswith("x/")])
        keys = [key for each in written for key in each]
        assert len(keys) == len(set(keys))
        if not _zarr_versions.is_new():
            chunks = [min(n, c) for n, c in zip(shape, chunks)]
            counts = [-(-n // c) for n, c in zip(shape, chunks)]
            assert sorted(keys) == sorted(f"x/{i}.{j}" for i in range(counts[0]) for j in range(counts[1]))


def test_an_array_of_whole_chunks_is_written_without_a_move(folder, monkeypatch):
    from tridap import _zarr_positions
    monkeypatch.setattr(_zarr_positions, "to_blocks", None)
    whole = values_of((8 * P, 5), np.dtype(float))
    for padding in 0, 1:
        slabs = tridap.distribution(whole.shape, (tridap.block(padding=padding), "*"), processes=P)
        tridap.save(folder / "x.zarr", {"x": filled(slabs, whole)}, chunks=(4, 5))
        np.testing.assert_array_equal(read(folder / "x.zarr", "x"), whole)


@pytest.mark.parametrize("piece", [1, 200, 1 << 20])
def test_each_chunk_is_read_once_in_all(folder, monkeypatch, piece):
    monkeypatch.setattr(_zarr_chunks, "_PIECE", piece)
    rng = random.Random(4)
    whole = values_of((13, 11), np.dtype(float))
    tridap.save(folder / "x.zarr", {"x": filled(tridap.distribution(whole.shape, processes=P), whole)}, chunks=(3, 2))
    cuts = [None, np.s_[2:9], np.s_[5:], np.s_[1:12:2, 3:], np.s_[::5, ::4], np.s_[4], np.s_[..., 7]]
    for slices in cuts:
        wanted = whole if slices is None else whole[slices]
        to = None if slices is None and rng.random() < 0.5 else some_distribution(rng, wanted.shape)
        with recorded(monkeypatch) as (got, _):
            x = tridap.load(folder / "x.zarr", to=to, slices=slices)
        expect_part(x, wanted)
        keys = [key for each in COMM.allgather(got) for key in each]
        assert len(keys) == len(set(keys)) and len(keys) > 0


def test_random_slices_into_random_distributions(folder):
    rng = random.Random(5)
    whole = values_of((9, 7, 4), np.dtype("i4"))
    tridap.save(folder / "x.zarr", {"x": filled(some_distribution(rng, whole.shape), whole)}, chunks=(2, 3, 4))
    for _ in range(20):
        slices = tuple(slice(rng.randrange(-n, n), rng.randrange(n + 1), rng.randrange(1, 4)) for n in whole.shape)
        wanted = whole[slices]
        expect_part(tridap.load(folder / "x.zarr", "x", some_distribution(rng, wanted.shape), slices=slices), wanted)


def test_slices_that_are_wrong_are_refused(folder):
    tridap.save(folder / "x.zarr", {"x": filled(tridap.distribution((4, 5), processes=P), values_of((4, 5), np.dtype(float)))})
    refused_by_all(COMM, {
        "must have a positive step": lambda: tridap.load(folder / "x.zarr", slices=np.s_[::-1]),
        "the index 4 for axis 0, which has 4 elements": lambda: tridap.load(folder / "x.zarr", slices=4),
        "must have at most 2": lambda: tridap.load(folder / "x.zarr", slices=np.s_[0, 0, :]),
        "several Ellipsis": lambda: tridap.load(folder / "x.zarr", slices=(..., ...)),
    })


def test_default_chunks_depend_on_shape_and_type_alone(folder):
    assert _zarr_chunks.default_chunks((16384, 8192), 8) == (512, 1024)
    assert _zarr_chunks.default_chunks((5, 7), 8) == (5, 7)
    assert _zarr_chunks.default_chunks((0, 3), 8) == (1, 3)
    assert _zarr_chunks.default_chunks((10**7,), 8) == (312500,)
    shape, found = (1500, 1100), []
    for writers in range(1, P + 1):
        some = COMM.Split(0 if R < writers else 1)
        if R < writers:
            dist = tridap.distribution(shape, processes=writers)
            tridap.save(folder / f"{writers}.zarr", {"x": tridap.zeros(dist, comm=some)})
        some.Free()
        COMM.Barrier()
        found.append(first(lambda: opened(folder / f"{writers}.zarr", "x").chunks))  # noqa: B023
    assert set(found) == {(750, 550)}


def test_stores_of_every_number_of_processes_are_read_by_all(folder):
    rng = random.Random(2)
    whole = values_of((9, 5), np.dtype("i4"))
    for writers in range(1, P + 1):
        path = folder / f"{writers}.zarr"
        dist = some_distribution(rng, whole.shape, writers)
        some = COMM.Split(0 if R < writers else 1)
        if R < writers:
            tridap.save(path, {"x": tridap.array(np.asfortranarray(whole[np.ix_(*dist.indices(R, "local"))]), dist, some)})
        some.Free()
        COMM.Barrier()
        expect_part(tridap.load(path), whole)
        expect_part(tridap.load(path, "x", some_distribution(rng, whole.shape)), whole)


def test_attributes_and_groups_are_those_of_the_hdf5_files(folder):
    lists = [[2 * p + 1, 2 * p] for p in range(P)]
    x = tridap.from_function(tridap.distribution((2 * P, 3), (tridap.unstructured(lists), "*"), processes=P), lambda i, j: 3 * i + j, comm=COMM)
    y = tridap.zeros(tridap.distribution((3 * P,), tridap.block(starts=[0, *range(2, 2 + P - 1)])), comm=COMM)
    attrs = {"title": "día", "time": 2.5, "n": np.int32(7), "yes": True, "list": [1, 2, 3]}
    tridap.save(folder / "x.zarr", {"g/lists": x, "y": y}, attrs)
    found = tridap.load_attrs(folder / "x.zarr")
    assert found.keys() == attrs.keys()
    for key, value in attrs.items():
        assert np.array_equal(found[key], value), key
    said = first(lambda: dict(opened(folder / "x.zarr", "g/lists").attrs))
    assert [axis["dist_type"] for axis in said["dim_data"]] == ["u", "b"] and said["dim_data"][0]["extremes"] == [0, 2 * P - 1]
    assert said["__version__"] == "0.10.0" and len(said["axis_bounds"][1]) == 0
    stored = read(folder / "x.zarr", said["dim_data"][0]["indices"].strip("/"))
    bounds = said["axis_bounds"][0]
    assert [list(stored[bounds[p]:bounds[p + 1]]) for p in range(P)] == lists
    assert repr(tridap.load(folder / "x.zarr", "g/lists").dim_data) == repr(x.dim_data)
    assert tridap.load(folder / "x.zarr", "y").distribution == y.distribution
    assert tridap.load_attrs(folder / "x.zarr", "g/lists")["__version__"] == "0.10.0"


def test_indices_outside_of_the_axis_have_positions_as_in_hdf5(folder):
    dist = tridap.distribution((2 * P,), tridap.unstructured([[-p, 9 + p] for p in range(P)]))
    x = tridap.from_function(dist, lambda i: i + 0.5, comm=COMM)
    tridap.save(folder / "x.zarr", {"x": x}, chunks=(2,))
    indices = sorted({i for p in range(P) for i in (-p, 9 + p)})
    np.testing.assert_array_equal(read(folder / "x.zarr", "x")[:len(indices)], np.array(indices) + 0.5)
    back = tridap.load(folder / "x.zarr")
    assert (back.local == x.local).all() and repr(back.dim_data) == repr(x.dim_data)
    assert (tridap.load(folder / "x.zarr", to=dist).local == x.local).all()
    other = tridap.distribution((2 * P,), tridap.unstructured([[-p, 10 + p] for p in range(P)]))
    refused_by_all(COMM, {"the store does not have these": lambda: tridap.load(folder / "x.zarr", to=other)})


def test_xarray_opens_the_store(folder):
    xarray = pytest.importorskip("xarray")
    x = filled(tridap.distribution((4, 6), processes=P), values_of((4, 6), np.dtype(float)))
    y = filled(tridap.distribution((4, 5), processes=P), values_of((4, 5), np.dtype(float)))
    for step in range(3):
        tridap.save(folder / "x.zarr", {"x": x, "y": y}, {"title": "two fields"}, step=step)

    def looked():
        with xarray.open_zarr(folder / "x.zarr") as data:
            return dict(data.sizes), data["x"].dims, data.attrs["title"], float(data["x"][2, 3, 5])

    sizes, dims, title, last = first(looked)
    assert sizes == {"step": 3, "dim_0": 4, "dim_1": 6, "dim_1_of_5": 5} and dims == ("step", "dim_0", "dim_1")
    assert title == "two fields" and last == 24


def foreign(folder, name, whole, **options):
    """An array that zarr itself has written, in a group."""
    if R == 0:
        group = zarr.open_group(str(folder / "x.zarr"), mode="a", **({"zarr_format": 2} if new_only else {}))
        if new_only:
            group.create_array(name, data=whole, **options)
        else:
            group.create_dataset(name, data=whole, **options)
    COMM.Barrier()


@pytest.mark.skipif(new_only, reason="the arguments are those of zarr 2")
def test_stores_of_other_programs_are_read(folder):
    import numcodecs
    whole = values_of((6, 4), np.dtype(float))
    kinds = {"f": {"order": "F"}, "nested": {"dimension_separator": "/"}, "plain": {"compressor": None},
             "delta": {"filters": [numcodecs.Delta("f8"), numcodecs.Shuffle(8)]}, "big": {"chunks": (50, 50)},
             "zstd": {"compressor": numcodecs.Zstd()}, "lz4": {"compressor": numcodecs.LZ4()}, "gzip": {"compressor": numcodecs.GZip()}}
    for name, options in kinds.items():
        foreign(folder, name, whole, **{"chunks": (4, 3), **options})
    for name in kinds:
        expect_part(tridap.load(folder / "x.zarr", name, "c:2,*"), whole)
        assert tridap.load(folder / "x.zarr", name).distribution == tridap.distribution((6, 4), processes=P)
    row = tridap.load(folder / "x.zarr", "f", step=2)
    np.testing.assert_array_equal(row.local, whole[2][row.distribution.indices(R)[0]])
    refused_by_all(COMM, {"8 arrays: 'big', 'delta'": lambda: tridap.load(folder / "x.zarr"),
                          "no array 'no'": lambda: tridap.load(folder / "x.zarr", "no")})


def test_chunks_that_are_missing_have_the_fill_value(folder):
    if R == 0:
        options = {"shape": (9, 5), "chunks": (2, 2), "dtype": "i4", "fill_value": 7}
        if new_only:
            z = zarr.create_array(str(folder / "one.zarr"), **options)
        else:
            z = zarr.open(str(folder / "one.zarr"), mode="w", **options)
        z[3:5, 1:4] = 1
    COMM.Barrier()
    whole = np.full((9, 5), 7, "i4")
    whole[3:5, 1:4] = 1
    expect_part(tridap.load(folder / "one.zarr", to="*,c"), whole)
    os.rename(folder / "one.zarr", folder / "renamed") if R == 0 else None
    COMM.Barrier()
    expect_part(tridap.load(folder / "renamed"), whole)  # a store with any name


def test_an_earlier_store_is_exchanged_for_the_new_one(folder, monkeypatch):
    from tridap import _zarr_folder
    path = folder / "x.zarr"
    for n, can in enumerate([True, True, False]):
        if not can:
            monkeypatch.setattr(_zarr_folder, "exchange", lambda *_: False)
        x = filled(tridap.distribution((7,), processes=P), np.full(7, float(n)))
        tridap.save(path, {f"x{n}": x})
        expect_part(tridap.load(path), np.full(7, float(n)))
        assert first(lambda: os.listdir(folder)) == ["x.zarr"]
    if R == 0:
        os.rename(path, folder / "real.zarr")
        os.symlink("real.zarr", path)
    COMM.Barrier()
    tridap.save(path, {"y": x})
    assert os.path.islink(path) and tridap.load(folder / "real.zarr", "y").sum() == 14


def test_a_folder_that_is_no_store_is_never_replaced(folder):
    x = tridap.zeros(tridap.distribution((4,), processes=P), comm=COMM)
    if R == 0:
        os.mkdir(folder / "x.zarr")
        (folder / "x.zarr" / "letter.txt").write_text("dear")
        (folder / "y.zarr").write_text("dear")
    COMM.Barrier()
    refused_by_all(COMM, {"folder without metadata of zarr": lambda: tridap.save(folder / "x.zarr", {"x": x}),
                          "is a file": lambda: tridap.save(folder / "y.zarr", {"x": x})})
    assert (folder / "x.zarr" / "letter.txt").read_text() == "dear" and first(lambda: sorted(os.listdir(folder))) == ["x.zarr", "y.zarr"]


@pytest.mark.parametrize("compression", [None, "default", "gzip", 9, "zstd", "blosc"])
def test_compressors_have_the_names_of_zarr(folder, compression):
    whole = values_of((7, 5), np.dtype(float))
    tridap.save(folder / "x.zarr", {"x": filled(tridap.distribution((7, 5), "c,*", processes=P), whole)}, compression=compression)
    np.testing.assert_array_equal(read(folder / "x.zarr", "x"), whole)
    expect_part(tridap.load(folder / "x.zarr"), whole)
    if not new_only:
        codec = first(lambda: json.loads((folder / "x.zarr/x/.zarray").read_text())["compressor"])
        name = {None: None, "default": "blosc", 9: "gzip"}.get(compression, compression)
        assert (codec or {"id": None})["id"] == name and (compression != 9 or codec["level"] == 9)


def test_the_configuration_of_a_codec_is_taken_as_zarr_writes_it(folder):
    said = {"id": "blosc", "cname": "zstd", "clevel": 3} if not new_only else {"name": "zstd", "configuration": {"level": 3, "checksum": False}}
    x = filled(tridap.distribution((9,), processes=P), np.arange(9.0))
    tridap.save(folder / "x.zarr", {"x": x}, compression=said)
    expect_part(tridap.load(folder / "x.zarr"), np.arange(9.0))
    refused_by_all(COMM, {"must be one of": lambda: tridap.save(folder / "x.zarr", {"x": x}, compression={
        **said, "name" if new_only else "id": "pickle"})})


@pytest.mark.skipif(new_only, reason="zarr 2 is not here")
def test_zarr_2_refuses_what_it_cannot_write(folder):
    x = tridap.zeros(tridap.distribution((4,), processes=P), comm=COMM)
    refused_by_all(COMM, {"writes format 2: pass zarr_format=2": lambda: tridap.save(folder / "x.zarr", {"x": x}, zarr_format=3),
                          "shards are of zarr's format 3": lambda: tridap.save(folder / "x.zarr", {"x": x}, shards=(4,))})
    if R == 0:
        os.mkdir(folder / "x.zarr")
        (folder / "x.zarr/zarr.json").write_text(json.dumps({
            "zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "float64", "fill_value": 0, "attributes": {},
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}}, "codecs": [{"name": "bytes"}],
            "chunk_key_encoding": {"name": "default"}}))
    COMM.Barrier()
    refused_by_all(COMM, {"which reads format 2: install zarr 3": lambda: tridap.load(folder / "x.zarr")})


@pytest.mark.skipif(not new_only, reason="zarr 3 is not here: the row sid of ./dev matrix has it")
def test_formats_and_shards_of_zarr_3(folder, monkeypatch):
    whole = values_of((12, 10), np.dtype(float))
    rng = random.Random(8)
    for n, options in enumerate([{}, {"zarr_format": 2}, {"zarr_format": 3, "shards": (4, 6)}]):
        x = filled(some_distribution(rng, whole.shape), whole)
        with recorded(monkeypatch) as (_, written):
            tridap.save(folder / f"{n}.zarr", {"x": x}, chunks=(2, 3), **options)
        keys = [key for each in COMM.allgather(written) for key in each if key.startswith("x/")]
        assert len(keys) == len(set(keys))
        assert "shards" not in options or len(keys) == 6
        np.testing.assert_array_equal(read(folder / f"{n}.zarr", "x"), whole)
        expect_part(tridap.load(folder / f"{n}.zarr", to=some_distribution(rng, whole.shape)), whole)
        expect_part(tridap.load(folder / f"{n}.zarr", slices=np.s_[1::3, 2:]), whole[1::3, 2:])
        assert distribution_of(folder / f"{n}.zarr") == x.distribution


def test_errors_are_the_same_on_every_process(folder):
    x = tridap.zeros(tridap.distribution((4,), processes=P), comm=COMM)
    path = folder / "x.zarr"
    refused_by_all(COMM, {
        "No such file": lambda: tridap.save(folder / "no" / "x.zarr", {"x": x}),
        "zarr store .* cannot be read": lambda: tridap.load(folder / "no.zarr"),
        "must be a dict": lambda: tridap.save(path, [x]),
        "give at least one": lambda: tridap.save(path, {}),
        "must be names of groups": lambda: tridap.save(path, {"../x": x}),
        "must not begin with __dim_data__": lambda: tridap.save(path, {"__dim_data__/x": x}),
        "needs a group 'a'": lambda: tridap.save(path, {"a": x, "a/b": x}),
        "chunks is .2, 2., must be one integer for each of the 1 axes": lambda: tridap.save(path, {"x": x}, chunks=(2, 2)),
        "chunks is .0., must be at least 1": lambda: tridap.save(path, {"x": x}, chunks=(0,)),
        "zarr_format is 4": lambda: tridap.save(path, {"x": x}, zarr_format=4),
        "imaginary": lambda: tridap.save(path, {"x": x}, {"z": 1j}),
        "compression is 'no'": lambda: tridap.save(path, {"x": x}, compression="no"),
        "'bfloat16', and zarr stores have none": lambda: tridap.load(path, dtype="bfloat16"),
    })
    assert not first(lambda: os.listdir(folder))


def test_one_failing_process_leaves_the_earlier_store(folder, monkeypatch):
    path, whole = folder / "x.zarr", np.arange(4.0 * P)
    tridap.save(path, {"x": filled(tridap.distribution((4 * P,), processes=P), whole)}, chunks=(4,))
    if R == P - 1:
        def full(*_, **__):
            raise OSError(28, "No space left on device")
        monkeypatch.setattr(_zarr_versions, "write", full)
    other = filled(tridap.distribution((4 * P,), processes=P), -whole)
    for step in None, 0:
        refused_by_all(COMM, {"No space left": lambda: tridap.save(path if step is None else folder / "y.zarr", {"x": other},
                                                                  step=step, chunks=(4,))})
    expect_part(tridap.load(path), whole)
    assert first(lambda: os.listdir(folder)) == ["x.zarr"]


def test_slices_and_options_of_zarr_are_refused_for_other_files(folder):
    x = tridap.zeros(tridap.distribution((4,), processes=P), comm=COMM)
    refused_by_all(COMM, {"of zarr stores: leave them out": lambda: tridap.save(folder / "x.h5", {"x": x}, zarr_format=2)})


def test_arguments_that_differ_between_processes_are_refused(folder):
    if P == 1:
        pytest.skip("one process gives the same everywhere")
    x = tridap.zeros(tridap.distribution((2 * P,), processes=P), comm=COMM)
    tridap.save(folder / "x.zarr", {"x": x})
    for call in (lambda: tridap.save(folder / "x.zarr", {"x": x}, compression="zstd" if R else None),
                 lambda: tridap.load(folder / "x.zarr", slices=np.s_[R:R + 1]), lambda: tridap.load(folder / "x.zarr", to="c" if R else "b")):
        with pytest.raises(tridap.ProtocolError, match="same on every process") as raised:
            call()
        assert shared(COMM, str(raised.value))
