"""Metadata of zarr stores, which are files of others: what a store says is checked before zarr opens an array.

zarr 2 executes a pickle that it reads: for object elements, and where a filter says so. So element types and codecs must be
on the lists here. Files are opened below the store alone, not through symbolic links.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
import struct
from typing import Any, NamedTuple, NoReturn

import numpy as np

LISTS = "__dim_data__"  # the group with the lists of unstructured axes
MOST_METADATA = 64 << 20  # bytes of a file with metadata
MOST_DEPTH = 16  # of groups in groups

COMPRESSORS = ("blosc", "bz2", "gzip", "lz4", "lzma", "zlib", "zstd")
FILTERS = ("adler32", "astype", "bitround", "crc32", "crc32c", "delta", "fixedscaleoffset", "fletcher32", "packbits", "quantize", "shuffle")
CODECS = ("blosc", "bytes", "crc32c", "gzip", "sharding_indexed", "transpose", "zstd",
          *(f"numcodecs.{name}" for name in (*COMPRESSORS, *FILTERS)))
_NUMBERS = {"bool": 1, "float16": 2, "float32": 4, "float64": 8, "complex64": 8, "complex128": 16,
            **{f"{kind}{8 * size}": size for kind in ("int", "uint") for size in (1, 2, 4, 8)}}
_OF_LENGTH = ("fixed_length_utf32", "null_terminated_bytes", "raw_bytes")
_OLD_TYPE = re.compile(r"[<>|=]?([biufcSUVmM])(\d{1,9})(\[\d{0,9}[A-Za-zμ]{1,2}\])?")


class Node(NamedTuple):
    """A group or an array of a store: its metadata as zarr writes it, without the attributes, and these."""

    is_array: bool
    said: dict[str, Any]
    attrs: dict[str, Any]


class Shards(NamedTuple):
    """What a file with a shard has: chunks, and an index with the place and the bytes of each."""

    most: int  #: the bytes of a chunk before it is compressed
    names: list[str]  #: of its codecs, as `_chain` returns them
    chunks: int  #: how many
    index_bytes: int
    at_end: bool  #: whether the index is behind the chunks


class Stored(NamedTuple):
    """What is known of an array before zarr opens it."""

    name: str
    said: dict[str, Any]
    attrs: dict[str, Any]
    shape: tuple[int, ...]
    units: tuple[int, ...]  #: the extents of a file with elements: of a chunk, or of a shard
    itemsize: int
    most: int  #: the bytes of a file with elements before it is compressed
    shards: Shards | None = None


def wrong(what: str, fault: str, remedy: str) -> NoReturn:
    """Raises ValueError for what a store says."""
    raise ValueError(f"the zarr store says of {what}: {fault}: {remedy}")


class Inside:
    """Refuses keys of a store that lead out of it. Local."""

    def __init__(self, root: str) -> None:
        self._root, self._seen = root, {""}

    def __call__(self, key: str) -> None:
        """Raises ValueError if a part of the key is no plain name, or a symbolic link, or the last one no regular file."""
        folder, _, last = key.rpartition("/")
        if folder not in self._seen:
            place = ""
            for part in folder.split("/"):
                place = f"{place}/{part}" if place else part
                if not self._check(place, part, stat.S_ISDIR):
                    break
            else:
                self._seen.add(folder)
        self._check(key, last, stat.S_ISREG)

    def _check(self, key, part, is_right):
        if part in ("", ".", "..") or "\0" in part:
            wrong(repr(key), "this name could lead out of the store", "correct it")
        try:
            mode = os.lstat(os.path.join(self._root, key)).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return False
        if stat.S_ISLNK(mode):
            wrong(repr(key), "it is a symbolic link, which could lead out of the store", "replace it by what it refers to")
        if not is_right(mode):
            wrong(repr(key), "it is neither a regular file nor a folder where one must be", "remove it")
        return True


def read_document(root: str, key: str, inside: Inside) -> dict[str, Any] | None:
    """A file with metadata, which must be a dictionary of JSON; None if there is none."""
    inside(key)
    path = os.path.join(root, key)
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return None
    with os.fdopen(file, "rb") as opened:
        text = opened.read(MOST_METADATA + 1)
    if len(text) > MOST_METADATA:
        wrong(repr(key), f"it has more than {MOST_METADATA >> 20} MiB", "remove it if it is no metadata of zarr")
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        wrong(repr(key), f"it is not JSON: {error}", "write the store again")
    return _dict(said, repr(key))


def _dict(said, what):
    if not isinstance(said, dict):
        wrong(what, f"{str(said)[:80]!r} is no dictionary", "write the store again")
    return said


def format_at(root: str) -> int | None:
    """The format of the store in a folder; None if it has no metadata of zarr. Local."""
    for key, zarr_format in ("zarr.json", 3), (".zmetadata", 2), (".zgroup", 2), (".zarray", 2):
        if os.path.isfile(os.path.join(root, key)):
            return zarr_format
    return None


def nodes_of(root: str, inside: Inside) -> dict[str, Node]:
    """The groups and arrays of a store by name, from its consolidated metadata, if it has some. "" is the root. Local."""
    zarr_format = format_at(root)
    if zarr_format is None:
        raise ValueError(f"{root!r} has no metadata of zarr (zarr.json, .zgroup or .zarray): give the folder of a zarr store")
    if zarr_format == 3:
        return _new_nodes(root, inside)
    said = read_document(root, ".zmetadata", inside)
    if said is None:
        return _walked(root, inside, _old_node)
    documents = {str(key): _dict(one, repr(key)) for key, one in _dict(said.get("metadata"), "'.zmetadata'").items()}
    found = {}
    for key, one in documents.items():
        name, _, last = key.rpartition("/")
        if last in (".zarray", ".zgroup"):
            found[name] = Node(last == ".zarray", one, documents.get(f"{name}/.zattrs" if name else ".zattrs", {}))
    return _right_names(found)


def _new_nodes(root, inside):
    said = read_document(root, "zarr.json", inside)
    node = _new_node(said, "zarr.json")
    together = said.get("consolidated_metadata")
    if together is None:
        return _walked(root, inside, lambda root, name, inside: _new_node(
            read_document(root, f"{name}/zarr.json" if name else "zarr.json", inside), name))
    found = {"": node._replace(said={key: value for key, value in node.said.items() if key != "consolidated_metadata"})}
    for name, one in _dict(_dict(together, "'zarr.json'").get("metadata"), "'zarr.json'").items():
        one = dict(_dict(one, repr(name)))
        one.pop("consolidated_metadata", None)
        found[str(name)] = _new_node(one, name)
    return _right_names(found)


def _new_node(said, name):
    if said is None:
        return None
    if said.get("node_type") not in ("array", "group"):
        wrong(repr(name), f"'node_type' is {str(said.get('node_type'))[:80]!r}", "it must be 'array' or 'group'")
    rest = {key: value for key, value in said.items() if key != "attributes"}
    return Node(said["node_type"] == "array", rest, _dict(said.get("attributes") or {}, "'attributes'"))


def _old_node(root, name, inside):
    prefix = name + "/" if name else ""
    said = read_document(root, prefix + ".zarray", inside)
    is_array = said is not None
    if not is_array:
        said = read_document(root, prefix + ".zgroup", inside)
    return None if said is None else Node(is_array, said, read_document(root, prefix + ".zattrs", inside) or {})


def _walked(root, inside, node_of):
    """The nodes that folders have. What is below an array is not looked at."""
    found, left = {}, [""]
    while left:
        name = left.pop()
        node = node_of(root, name, inside)
        if node is not None:
            found[name] = node
        if node is not None and not node.is_array and name.count("/") < MOST_DEPTH:
            with os.scandir(os.path.join(root, name)) as entries:
                left += [f"{name}/{entry.name}" if name else entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    return _right_names(found)


def _right_names(found):
    for name in found:
        if name and any(part in ("", ".", "..") or "\0" in part for part in name.split("/")):
            wrong(repr(name), "this name could lead out of the store", "correct it")
    return dict(sorted(found.items()))


def stored_array(name: str, node: Node) -> Stored:
    """An array whose element type, codecs and extents are ones that may be read. Raises ValueError for others."""
    what = repr(name or "/")
    return (_old_array if node.said.get("zarr_format") == 2 else _new_array)(name, node, what)


def _extents(said, what, key, least, length=None):
    given = said.get(key)
    if not isinstance(given, list) or any(type(n) is not int or not least <= n < 2**63 for n in given) or len(given) > 32 or (
            length is not None and len(given) != length):
        wrong(what, f"{key!r} is {str(given)[:80]}", f"it must be a list of integers of at least {least}, one for each axis")
    return tuple(given)


def _need_sizes(what, shape, units, itemsize):
    if math.prod(max(1, n) for n in shape) * itemsize >= 2**63:
        wrong(what, f"its shape {shape} has too many elements", "the bytes must fit a signed 64-bit integer")
    if math.prod(units) * itemsize > physical_memory():
        wrong(what, f"a chunk of {units} elements needs {math.prod(units) * itemsize} bytes, more than this machine has",
              "write it with smaller chunks")


def physical_memory() -> int:
    """The bytes of memory of this machine."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _old_array(name, node, what):
    said = node.said
    if said.get("zarr_format") != 2:
        wrong(what, f"'zarr_format' is {str(said.get('zarr_format'))[:80]}", "it must be 2 or 3")
    shape = _extents(said, what, "shape", 0)
    chunks = tuple(max(1, n) for n in _extents(said, what, "chunks", 0, len(shape)))
    itemsize = _old_size(said.get("dtype"), what)
    for key, names in ("compressor", (*COMPRESSORS, *FILTERS)), ("filters", (*COMPRESSORS, *FILTERS)):
        given = said.get(key)
        for codec in ([given] if key == "compressor" else given or []) if given is not None else []:
            _need_codec(codec, "id", names, what)
    if said.get("order") not in ("C", "F"):
        wrong(what, f"'order' is {str(said.get('order'))[:80]}", "it must be 'C' or 'F'")
    if said.get("dimension_separator", ".") not in (".", "/"):
        wrong(what, f"'dimension_separator' is {str(said.get('dimension_separator'))[:80]}", "it must be '.' or '/'")
    _need_sizes(what, shape, chunks, itemsize)
    _need_one_compressor(_chain(said), what)
    return Stored(name, said, node.attrs, shape, chunks, itemsize, math.prod(chunks) * itemsize)


def _old_size(said, what, depth=0):
    """The bytes of an element of format 2; ValueError for types that hold Python objects, and all that is not on the list."""
    if isinstance(said, str):
        found = _OLD_TYPE.fullmatch(said)
        if found:
            return int(found[2]) * (4 if found[1] == "U" else 1)
    elif isinstance(said, list) and said and depth < MOST_DEPTH:
        size = 0
        for field in said:
            if not isinstance(field, list) or len(field) not in (2, 3) or not isinstance(field[0], str):
                break
            count = math.prod(_extents({"shape": field[2]}, what, "shape", 0)) if len(field) == 3 else 1
            size += count * _old_size(field[1], what, depth + 1)
        else:
            return size
    return _refuse_type(what, said)


def _refuse_type(what, said) -> NoReturn:
    wrong(what, f"the element type is {str(said)[:80]!r}",
          "TriDAP reads numbers, texts of one length, dates and records of these; Python objects, which zarr reads by executing a "
          "pickle, and texts of varying length must be converted by the program that wrote them")


def _need_codec(codec, key, names, what):
    named = codec.get(key) if isinstance(codec, dict) else None
    if named not in names:
        wrong(what, f"it is stored with the codec {str(named if named is not None else codec)[:80]!r}",
              f"TriDAP reads only {', '.join(names)}, because others may execute what the file says")
    options = codec.get("configuration") if key == "name" else codec
    for option, value in (options or {}).items():
        if option in ("dtype", "astype", "encode_dtype", "decode_dtype") and value is not None and not (
                isinstance(value, str) and (value in _NUMBERS or _OLD_TYPE.fullmatch(value))):
            _refuse_type(what, value)


def _new_array(name, node, what):
    said = node.said
    if said.get("zarr_format") != 3:
        wrong(what, f"'zarr_format' is {str(said.get('zarr_format'))[:80]}", "it must be 2 or 3")
    shape = _extents(said, what, "shape", 0)
    grid = _dict(said.get("chunk_grid"), what)
    if grid.get("name") != "regular":
        wrong(what, f"'chunk_grid' is {str(grid)[:80]}", "TriDAP reads only regular grids of chunks")
    units = _extents(_dict(grid.get("configuration"), what), what, "chunk_shape", 1, len(shape))
    itemsize = _new_size(said.get("data_type"), what)
    if said.get("storage_transformers"):
        wrong(what, "it has 'storage_transformers'", "TriDAP reads arrays without them")
    keys = said.get("chunk_key_encoding")
    keys = keys if isinstance(keys, str) else _dict(keys, what).get("name")
    if keys not in ("default", "v2"):
        wrong(what, f"'chunk_key_encoding' is {str(keys)[:80]}", "it must be 'default' or 'v2'")
    codecs = _need_codecs(said.get("codecs"), what)
    _need_sizes(what, shape, units, itemsize)
    _need_one_compressor(_chain(said), what)
    shards = _shards(next((one for one in codecs if one["name"] == "sharding_indexed"), None), what, units, itemsize)
    if shards is not None and _chain(said) != ["sharding_indexed"]:
        wrong(what, f"its shards are stored with the codecs {', '.join(_chain(said))}", "TriDAP reads shards that are not encoded again")
    return Stored(name, said, node.attrs, shape, units, itemsize, math.prod(units) * itemsize, shards)


def _need_codecs(codecs, what):
    """Refuses what is not on the list. Returns the codecs as dictionaries."""
    if not isinstance(codecs, list):
        wrong(what, f"'codecs' is {str(codecs)[:80]}", "it must be a list")
    codecs = [{"name": codec} if isinstance(codec, str) else codec for codec in codecs]
    for codec in codecs:
        _need_codec(codec, "name", CODECS, what)
    return codecs


def _shards(codec, what, units, itemsize):
    """What the codec of shards says; None without one."""
    if codec is None:
        return None
    options = _dict(codec.get("configuration"), what)
    chunks = _extents(options, what, "chunk_shape", 1, len(units))
    names = _chain({"codecs": _need_codecs(options.get("codecs"), what)})
    _need_one_compressor(names, what)
    if "sharding_indexed" in names:
        wrong(what, "it has shards in shards", "TriDAP reads arrays with shards of chunks")
    if any(unit % n for unit, n in zip(units, chunks)):
        wrong(what, f"its shards of {units} elements are not divided into chunks of {chunks}", "write it again")
    index = _need_codecs(options.get("index_codecs"), what)
    if [one["name"] for one in index] not in (["bytes"], ["bytes", "crc32c"]) or (index[0].get("configuration") or {}).get(
            "endian", "little") != "little":
        wrong(what, f"'index_codecs' is {str(index)[:80]}", "it must be bytes with endian 'little', and crc32c")
    count = math.prod(unit // n for unit, n in zip(units, chunks))
    at_end = options.get("index_location", "end")
    if at_end not in ("start", "end"):
        wrong(what, f"'index_location' is {str(at_end)[:80]}", "it must be 'start' or 'end'")
    return Shards(math.prod(chunks) * itemsize, names, count, 16 * count + 4 * (len(index) - 1), at_end == "end")


def _new_size(said, what, depth=0):
    if isinstance(said, str):
        if said in _NUMBERS:
            return _NUMBERS[said]
        found = re.fullmatch(r"r(\d{1,9})", said)
        if found and int(found[1]) % 8 == 0:
            return int(found[1]) // 8
    elif isinstance(said, dict) and depth < MOST_DEPTH:
        name, options = said.get("name"), said.get("configuration") or {}
        if name in ("numpy.datetime64", "numpy.timedelta64"):
            return 8
        if isinstance(options, dict) and name in _OF_LENGTH and type(options.get("length_bytes")) is int:
            return max(0, options["length_bytes"])
        if isinstance(options, dict) and name in ("struct", "structured") and isinstance(options.get("fields"), list):
            fields = [list(one.values()) if isinstance(one, dict) else one for one in options["fields"]]
            if all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in fields):
                return sum(_new_size(one[1], what, depth + 1) for one in fields)
    return _refuse_type(what, said)


def need_stated(stored: Stored, key: str, data: Any, request: Any = None, *, places: dict[str, Any] | None = None) -> None:
    """Raises ValueError if a chunk states that it has more bytes than a chunk of the array has: a codec would allocate them.

    `data` is a file with elements, or what zarr has requested of it: the index of a shard, or one or several chunks. `places` keeps
    the indexes by key.
    """
    indexes = {} if places is None else places
    read = memoryview(data).cast("B")
    shards = stored.shards
    if shards is None:
        _need_stated(key, read, _chain(stored.said), stored.most)
    elif request is None:
        index = read[-shards.index_bytes:] if shards.at_end else read[:shards.index_bytes]
        for begin, length in _chunks_in(key, index, shards):
            _need_stated(key, read[begin:begin + length], shards.names, shards.most)
    elif hasattr(request, "suffix") or (not shards.at_end and (request.start, request.end) == (0, shards.index_bytes)):
        indexes[key] = _chunks_in(key, read, shards)
    else:
        first = getattr(request, "start", getattr(request, "offset", 0))
        for begin, length in indexes.get(key, [(first, len(read))] if shards.names else []):
            if first <= begin < first + len(read):  # a chunk may end behind the end of the file
                _need_stated(key, read[begin - first:begin - first + length], shards.names, shards.most)


def _chunks_in(key, index, shards):
    """Where the chunks of a shard begin, and their bytes, by its index; without those that were not written."""
    if len(index) != shards.index_bytes:
        wrong(repr(key), f"it has {len(index)} bytes", f"the index of a shard has {shards.index_bytes}")
    found = np.frombuffer(index, "<u8", 2 * shards.chunks).reshape(-1, 2)
    found = found[(found != 2**64 - 1).any(axis=1)]
    if not shards.at_end and (found[:, 0] < shards.index_bytes).any():
        wrong(repr(key), "a chunk of the shard begins in its index", "write the store again")
    return found.tolist()


def _need_stated(key, read, names, most):
    """See `need_stated`, for one chunk with the codecs `names` that is to have `most` bytes."""
    has_filters = len(names) > 1
    if not names and len(read) != most:
        wrong(repr(key), f"it has {len(read)} bytes", f"a chunk has {most}")
    stated = _stated(_last(names), bytes(read[:32]))
    if stated is not None and stated > most * (16 if has_filters else 1) + 1024:
        wrong(repr(key), f"it states that it has {stated} bytes", f"a chunk has {most}")


def _chain(said):
    """The names of the codecs that change what is written, in the order in which they are applied, as format 3 has them; but those of
    compressors are without "numcodecs."."""
    if said.get("zarr_format") == 2:
        names = [f"numcodecs.{codec['id']}" for codec in (*(said.get("filters") or []), said.get("compressor")) if codec is not None]
    else:
        names = [codec if isinstance(codec, str) else codec["name"] for codec in said["codecs"]]
    shorter = {f"numcodecs.{name}": name for name in COMPRESSORS}
    return [shorter.get(name, name) for name in names if name not in ("bytes", "transpose")]


def _last(names):
    """The codec that is decoded first, but for crc32c, which adds bytes behind; None if there is none."""
    return next((name for name in reversed(names) if name != "crc32c"), None)


def _need_one_compressor(names, what):
    """Refuses a compressor that is not the last codec: only the first bytes of a file can be checked before they are decoded."""
    compressors = [name for name in names if name in COMPRESSORS]
    if compressors and (len(compressors) > 1 or _last(names) != compressors[0]):
        wrong(what, f"it is stored with the codecs {', '.join(map(str, names))}",
              f"TriDAP reads arrays with one compressor ({', '.join(COMPRESSORS)}), which is the last codec")


def _stated(codec, begin):
    """The bytes that the first bytes of compressed data state; None if they state nothing."""
    if codec == "blosc" and len(begin) >= 16:
        return struct.unpack("<I", begin[4:8])[0]
    if codec == "lz4" and len(begin) >= 4:
        return struct.unpack("<I", begin[:4])[0]
    if codec == "zstd" and len(begin) >= 6 and begin[:4] == b"\x28\xb5\x2f\xfd":
        flags = begin[4]
        single, dictionary = flags >> 5 & 1, (0, 1, 2, 4)[flags & 3]
        length = (1 if single else 0, 2, 4, 8)[flags >> 6]
        at = 5 + (0 if single else 1) + dictionary
        stated = int.from_bytes(begin[at:at + length], "little")
        return (stated + 256 if length == 2 else stated) if length else None
    return None


def refuse_objects(dtype: np.dtype[Any], what: str) -> None:
    """Raises ValueError for elements that are, or hold, Python objects."""
    if dtype.hasobject:
        _refuse_type(what, dtype)
