"""Zarr stores that others have written to do harm: refused before zarr opens an array, with one Error on all processes."""

import json
import os
import pickle
import struct

import numpy as np
import pytest
import tridap
from mpi4py import MPI
from producers import refused_by_all
from some_arrays import expect_part, filled
from stores import new_only
from tridap import _zarr_checked as checked
from tridap import _zarr_versions

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank

GOOD = {"zarr_format": 2, "shape": [4], "chunks": [2], "dtype": "<f8", "compressor": None, "filters": None, "fill_value": 0, "order": "C"}
GOOD_3 = {"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "float64", "fill_value": 0, "attributes": {},
          "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
          "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
          "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}


class Harm:
    """An object whose pickle makes a file when it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


def stored(folder, said, chunks=None, attrs=None, name="x.zarr"):
    """A store of one array with these files. Returns its path."""
    path = folder / name
    if R == 0:
        path.mkdir()
        (path / ".zarray").write_text(json.dumps(said))
        (path / ".zattrs").write_text(json.dumps(attrs or {}))
        for key, data in (chunks or {}).items():
            (path / key).write_bytes(data)
    COMM.Barrier()
    return path


def never_opened(monkeypatch):
    monkeypatch.setattr(_zarr_versions, "opened", None)


PICKLES = {
    "an object": {"dtype": "|O", "filters": [{"id": "pickle"}]},
    "a filter of numbers": {"filters": [{"id": "pickle"}]},
    "a compressor": {"compressor": {"id": "pickle"}},
    "a record with an object": {"dtype": [["a", "<f8"], ["b", "|O"]], "filters": [{"id": "pickle"}]},
    "a text that names a record": {"dtype": "f8,O"},
    "json": {"filters": [{"id": "json2"}]},
    "texts": {"dtype": "|O", "filters": [{"id": "vlen-utf8"}]},
    "a type of a filter": {"filters": [{"id": "astype", "encode_dtype": "O", "decode_dtype": "<f8"}]},
    "no codec": {"filters": ["pickle"]},
}


@pytest.mark.parametrize("kind", PICKLES)
def test_what_zarr_would_execute_is_refused_before_it_opens(folder, monkeypatch, kind):
    never_opened(monkeypatch)
    harm = pickle.dumps(Harm(folder / "harm"))
    path = stored(folder, {**GOOD, **PICKLES[kind]}, {"0": harm, "1": harm})
    refused_by_all(COMM, {"element type is|stored with the codec": lambda: tridap.load(path)})
    assert not (folder / "harm").exists()


@pytest.mark.skipif(new_only, reason="zarr 3 does not read pickles")
def test_zarr_itself_executes_the_pickle_that_is_refused_here(folder):
    import zarr
    path = stored(folder, {**GOOD, "filters": [{"id": "pickle"}]}, {"0": pickle.dumps(Harm(folder / "harm"))})
    if R == 0:
        with pytest.raises(Exception):
            zarr.open(str(path))[...]
        assert (folder / "harm").exists()  # what this file is about
    COMM.Barrier()


WRONG = {
    "shape": ([-1], "shape"), "chunks": ([2, 2], "chunks"), "order": ("K", "'order'"), "dimension_separator": ("/../", "'dimension_separator'"),
    "dtype": ("<f8x", "element type"), "compressor": ({"id": "../x"}, "codec"), "zarr_format": (7, "zarr_format"),
}


@pytest.mark.parametrize("key", WRONG)
def test_wrong_metadata_is_refused_by_name(folder, monkeypatch, key):
    never_opened(monkeypatch)
    value, words = WRONG[key]
    refused_by_all(COMM, {words: lambda: tridap.load(stored(folder, {**GOOD, key: value}))})


def test_texts_that_are_no_metadata_are_refused(folder):
    for n, text in enumerate(["", "[", "[1]", "[" * 100_000, '{"zarr_format": 2, "shape": [' + "9" * 5000 + "]}"]):
        if R == 0:
            (folder / f"{n}.zarr").mkdir()
            (folder / f"{n}.zarr/.zarray").write_text(text)
        COMM.Barrier()
        refused_by_all(COMM, {"the zarr store says": lambda: tridap.load(folder / f"{n}.zarr")})  # noqa: B023


def sharded(index="end", inner=({"name": "zstd"},), **options):
    """Metadata with shards of two chunks of one element."""
    said = {"chunk_shape": [1], "codecs": [{"name": "bytes"}, *inner], "index_location": index,
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}], **options}
    return {**GOOD_3, "codecs": [{"name": "sharding_indexed", "configuration": said}]}


NEW_WRONG = {
    "two compressors": ("codecs", [{"name": "bytes"}, {"name": "zstd"}, {"name": "gzip"}], "one compressor"),
    "a codec behind": ("codecs", [{"name": "bytes"}, {"name": "zstd"}, {"name": "numcodecs.shuffle"}], "one compressor"),
    "encoded shards": ("codecs", [*sharded()["codecs"], {"name": "zstd"}], "not encoded again"),
    "shards in shards": ("codecs", sharded(inner=sharded()["codecs"])["codecs"], "shards in shards"),
    "index": ("codecs", sharded(index_codecs=[{"name": "bytes"}, {"name": "zstd"}])["codecs"], "index_codecs"),
    "place of the index": ("codecs", sharded("middle")["codecs"], "index_location"),
    "chunks of shards": ("codecs", sharded(chunk_shape=[3])["codecs"], "not divided"),
    "codec": ("codecs", [{"name": "bytes"}, {"name": "numcodecs.pickle"}], "codec"),
    "inner codec": ("codecs", [{"name": "sharding_indexed", "configuration": {
        "chunk_shape": [1], "codecs": [{"name": "vlen-utf8"}], "index_codecs": [{"name": "bytes"}]}}], "codec"),
    "type": ("data_type", "string", "element type"), "bytes": ("data_type", "variable_length_bytes", "element type"),
    "record": ("data_type", {"name": "struct", "configuration": {"fields": [["a", "string"]]}}, "element type"),
    "grid": ("chunk_grid", {"name": "rectilinear"}, "regular"), "keys": ("chunk_key_encoding", {"name": "no"}, "chunk_key_encoding"),
    "transformers": ("storage_transformers", [{"name": "x"}], "storage_transformers"), "shape": ("shape", [2.5], "shape"),
}


@pytest.mark.parametrize("kind", NEW_WRONG)
def test_metadata_of_format_3_is_checked_without_zarr(kind):
    key, value, words = NEW_WRONG[kind]
    good = checked.stored_array("x", checked.Node(True, GOOD_3, {}))
    assert (good.shape, good.units, good.itemsize, good.most) == ((4,), (2,), 8, 16)
    with pytest.raises(ValueError, match=words):
        checked.stored_array("x", checked.Node(True, {**GOOD_3, key: value}, {}))


def test_two_compressors_are_refused(folder, monkeypatch):
    never_opened(monkeypatch)
    said = {**GOOD, "filters": [{"id": "zstd"}], "compressor": {"id": "zlib"}}
    refused_by_all(COMM, {"one compressor": lambda: tridap.load(stored(folder, said))})


class Request:
    """A part of a file that zarr asks for."""

    def __init__(self, **values):
        self.__dict__.update(values)


@pytest.mark.parametrize("index", ["start", "end"])
def test_chunks_in_shards_state_no_more_than_they_have(index):
    one = checked.stored_array("x", checked.Node(True, sharded(index), {}))
    assert one.shards == checked.Shards(8, ["zstd"], 2, 36, index == "end")
    right = b"\x28\xb5\x2f\xfd" + bytes([0b00100000, 8]) + bytes(12)
    wrong = b"\x28\xb5\x2f\xfd" + bytes([0b11100000]) + struct.pack("<Q", 2**40) + bytes(12)

    def file_of(*chunks):
        places, begin = [], 0 if index == "end" else 36
        for chunk in chunks:
            places += [begin, len(chunk)] if chunk else [2**64 - 1] * 2
            begin += len(chunk)
        said = struct.pack("<4Q", *places) + bytes(4)
        return b"".join(chunks) + said if index == "end" else said + b"".join(chunks)

    for chunks in (right, right), (right, b""), (b"", b""):
        checked.need_stated(one, "c/0", file_of(*chunks))
    for chunks in (wrong, right), (right, wrong), (b"", wrong):
        with pytest.raises(ValueError, match=f"states that it has {2**40}"):
            checked.need_stated(one, "c/0", file_of(*chunks))
    of_index = Request(suffix=36) if index == "end" else Request(start=0, end=36)
    said = file_of(right, wrong)
    checked.need_stated(one, "c/0", said[-36:] if index == "end" else said[:36], of_index)
    with pytest.raises(ValueError, match="states that it has"):
        checked.need_stated(one, "c/0", wrong, Request(start=40, end=40 + len(wrong)))
    places = {}  # zarr asks for several chunks at once
    checked.need_stated(one, "c/0", said[-36:] if index == "end" else said[:36], of_index, places=places)
    begin = 0 if index == "end" else 36
    both = Request(start=begin, end=begin + len(right) + len(wrong))
    with pytest.raises(ValueError, match="states that it has"):
        checked.need_stated(one, "c/0", right + wrong, both, places=places)
    checked.need_stated(one, "c/0", right, Request(start=begin, end=begin + len(right)), places=places)
    with pytest.raises(ValueError, match="states that it has"):  # the file ends before the chunk
        checked.need_stated(one, "c/0", right + wrong[:-4], both, places=places)
    with pytest.raises(ValueError, match="the index of a shard has 36"):
        checked.need_stated(one, "c/0", bytes(35))
    if index == "start":
        with pytest.raises(ValueError, match="begins in its index"):
            checked.need_stated(one, "c/0", struct.pack("<4Q", 8, 20, *[2**64 - 1] * 2) + bytes(4), of_index)


def test_types_of_format_3_have_their_bytes():
    for said, size in {"bool": 1, "int16": 2, "complex128": 16, "r24": 3}.items():
        assert checked._new_size(said, "x") == size
    for name, options, size in ("numpy.datetime64", {"unit": "s"}, 8), ("fixed_length_utf32", {"length_bytes": 12}, 12), (
            "struct", {"fields": [["a", "float64"], ["b", "int8"]]}, 9):
        assert checked._new_size({"name": name, "configuration": options}, "x") == size


def linked(folder, name, make):
    """A right store, of which `make` changes files on the first process."""
    path = folder / name
    tridap.save(path, {"x": filled(tridap.distribution((4,), processes=P), np.arange(4.0))}, chunks=(2,))
    if R == 0:
        make(path)
    COMM.Barrier()
    return path


@pytest.mark.skipif(new_only, reason="the names of files are those of format 2")
def test_names_never_lead_out_of_the_store(folder):
    if R == 0:
        (folder / "secret").write_bytes(np.full(2, 42.0).tobytes())
        (folder / "outside").mkdir()
        (folder / "outside/.zarray").write_text(json.dumps(GOOD))

    def replaced(key, by):
        def make(path):
            if (path / key).is_dir():
                os.rename(path / key, path / "moved")
            elif (path / key).exists():
                os.remove(path / key)
            os.symlink(by, path / key)
        return make

    def consolidated(name):
        def make(path):
            said = json.loads((path / ".zmetadata").read_text())
            said["metadata"][f"{name}/.zarray"] = GOOD
            (path / ".zmetadata").write_text(json.dumps(said))
        return make

    links = {"a": replaced("x/1", folder / "secret"), "b": replaced("x/.zarray", folder / "outside/.zarray"), "c": replaced("x", folder / "outside"),
             "d": consolidated("../outside"), "e": consolidated("/etc"), "f": lambda path: (os.remove(path / "x/1"), os.mkfifo(path / "x/1"))}
    for name, make in links.items():
        path = linked(folder, name + ".zarr", make)
        if name == "b":
            os.remove(path / ".zmetadata") if R == 0 else None
            COMM.Barrier()
        refused_by_all(COMM, {"lead out of the store|neither a regular file": lambda: tridap.load(path, "x")})  # noqa: B023
    path = linked(folder, "g.zarr", lambda path: (os.rename(path / "x", path / "y"), os.symlink(folder / "outside", path / "x")))
    before = set(os.listdir(folder / "outside"))
    refused_by_all(COMM, {"": lambda: tridap.save(path, {"x": filled(tridap.distribution((4,), processes=P), np.ones(4))}, step=0)})
    COMM.Barrier()
    assert set(os.listdir(folder / "outside")) == before


def test_nothing_is_allocated_for_a_number_that_is_merely_stated(folder):
    huge = 2**45
    zstd = b"\x28\xb5\x2f\xfd" + bytes([0b11100000]) + struct.pack("<Q", huge)
    cases = {
        "shape": ({"shape": [huge]}, {}, "more than its machine has"),
        "overflow": ({"shape": [2**62, 2**62], "chunks": [1, 1]}, {}, "too many elements"),
        "chunks": ({"chunks": [huge]}, {"0": b""}, "smaller chunks"),
        "type": ({"dtype": "|S999999999", "chunks": [2**30], "shape": [2**30]}, {}, "smaller chunks"),
        "blosc": ({"compressor": {"id": "blosc"}}, {"0": b"\x02\x01\x21\x08" + struct.pack("<III", 2**31 - 16, 2**20, 48) + bytes(32)}, "it states"),
        "zstd": ({"compressor": {"id": "zstd"}}, {"0": zstd + bytes(32)}, "it states"),
        "lz4": ({"compressor": {"id": "lz4"}}, {"0": struct.pack("<I", 2**31 - 1) + bytes(32)}, "it states"),
        "plain": ({}, {"0": bytes(15)}, "it has 15 bytes"),
    }
    for name, (said, chunks, words) in cases.items():
        path = stored(folder, {**GOOD, **said}, chunks, name=name)
        refused_by_all(COMM, {words: lambda: tridap.load(path)}, (tridap.ProtocolError, MemoryError))  # noqa: B023


def test_the_distribution_of_a_store_is_checked(folder):
    block = {"dist_type": "b", "size": 4, "proc_grid_size": P, "periodic": False, "block_size": 4}
    cases = {"another shape": [{**block, "size": 5}], "must be 'b', 'c' or 'u'": [{**block, "dist_type": "x"}],
             "must be at least 1": [{**block, "proc_grid_size": 0}], "must be an integer": [{**block, "block_size": "4"}]}
    for n, (words, said) in enumerate(cases.items()):
        path = stored(folder, GOOD, {}, {"dim_data": said, "__version__": "0.10.0"}, f"{n}")
        refused_by_all(COMM, {words: lambda: tridap.load(path)})  # noqa: B023
        expect_part(tridap.load(path, to="b"), np.zeros(4))
    path = stored(folder, GOOD, {}, {"dim_data": [{**block, "proc_grid_size": 2**40}]}, "many")
    expect_part(tridap.load(path), np.zeros(4))  # made for so many processes, loaded by these
    said = {"dist_type": "u", "size": 4, "proc_grid_size": P, "periodic": False, "one_to_one": False, "extremes": [0, 3], "indices": "../x"}
    path = stored(folder, GOOD, {}, {"dim_data": [said], "axis_bounds": [[0] * P + [4]]}, "lists")
    refused_by_all(COMM, {"missing or has another length": lambda: tridap.load(path)})
