"""What differs between zarr 2 and 3: the only module that imports zarr.

The rest of the package gives documents to this one: the JSON of an array's metadata, by key (".zarray" in format 2,
"zarr.json" in format 3). An array is opened with such a document, so zarr reads from a store what the package has checked, and
from the disk only chunks.
"""

from __future__ import annotations

import functools
import json
from typing import Any, Callable

from ._agree import one_of
from ._modules import needed

FORMATS = (2, 3)
ARRAY_KEY = {2: ".zarray", 3: "zarr.json"}
GROUP_KEY = {2: ".zgroup", 3: "zarr.json"}


def library() -> Any:
    """The module zarr."""
    return needed("zarr", "tridap.save and tridap.load need zarr for this name: install python3-zarr (Debian) or zarr (pip)")


def is_new() -> bool:
    """Whether this is zarr 3 or later."""
    return int(library().__version__.split(".")[0]) >= 3


def writes_in_place() -> bool:
    """Whether zarr writes chunks into the files that exist: 3.0 to 3.1.2; others write a new file, and rename it."""
    first, second, third = (int("".join(filter(str.isdigit, part)) or 0) for part in (library().__version__ + ".0.0").split(".")[:3])
    return (3, 0, 0) <= (first, second, third) < (3, 1, 3)


def format_of(given: Any) -> int:
    """`zarr_format` as a number; None means the default of the zarr that is installed."""
    if given is None:
        if not is_new():
            return 2
        return int(library().config.get("default_zarr_format", 3))
    if given not in FORMATS:
        raise ValueError(f"zarr_format is {given!r}, must be 2, 3 or None")
    if given == 3 and not is_new():
        raise ValueError(f"zarr_format is 3, but this is zarr {library().__version__}, which writes format 2: pass zarr_format=2, or "
                         "install zarr 3")
    return int(given)


def need_readable(zarr_format: int) -> None:
    """Raises ValueError if the zarr that is installed cannot read this format."""
    if zarr_format == 3 and not is_new():
        raise ValueError(f"the store has zarr's format 3, and this is zarr {library().__version__}, which reads format 2: install zarr 3, "
                         "or write the store with zarr_format=2")


def compressor_of(given: Any, zarr_format: int) -> Any:
    """`compression` as zarr takes it: None, a level of gzip, "default", a codec's name, or its configuration."""
    if given is None or given == "default":
        return given
    if isinstance(given, dict):
        key = "id" if zarr_format == 2 else "name"
        if key not in given:
            raise ValueError(f"compression is {given!r}, must have '{key}', as zarr's format {zarr_format} names codecs")
        return dict(given)
    names = ("gzip", "zstd", "blosc") if zarr_format == 3 else ("gzip", "zstd", "blosc", "lz4", "zlib", "bz2", "lzma")
    name, level = ("gzip", given) if not isinstance(given, str) else (one_of("compression", given, "default", *names), None)
    if level is None and name == "gzip":
        level = 4
    if level is not None and not 1 <= level <= 9:
        raise ValueError(f"compression is {given!r}, must be None, 'default', the name of a codec, or a level of gzip from 1 to 9")
    if zarr_format == 2:
        return {"id": name} if level is None else {"id": name, "level": level}
    from zarr import codecs
    made = {"gzip": codecs.GzipCodec, "zstd": codecs.ZstdCodec, "blosc": codecs.BloscCodec}[name]
    return (made() if level is None else made(level=level)).to_dict()


def document(zarr_format: int, shape: tuple[int, ...], dtype: Any, chunks: tuple[int, ...], shards: tuple[int, ...] | None,
             compressor: Any, names: list[str]) -> dict[str, Any]:
    """The metadata with which zarr makes a new array, in format 3 with its `dimension_names`. Nothing is written to disk."""
    zarr = library()
    fill = 0 if dtype.kind in "biufc" else None
    kept: dict[str, Any] = {}
    if not is_new():
        import numcodecs
        codec = numcodecs.get_codec(dict(compressor)) if isinstance(compressor, dict) else compressor
        zarr.create(shape, chunks=chunks, dtype=dtype, compressor=codec, fill_value=fill, store=kept)
        return dict(json.loads(_bytes_of(kept[".zarray"])))
    options: dict[str, Any] = {"compressors": "auto" if compressor == "default" else compressor}
    if zarr_format == 2:
        import numcodecs
        if isinstance(compressor, dict):
            options["compressors"] = numcodecs.get_codec(dict(compressor))
        options["fill_value"] = fill
    else:
        options.update(shards=shards, dimension_names=names)
        if fill is not None:
            options["fill_value"] = dtype.type(0)
    zarr.create_array(zarr.storage.MemoryStore(kept), shape=shape, dtype=dtype, chunks=chunks, zarr_format=zarr_format, **options)
    return dict(json.loads(_bytes_of(kept[ARRAY_KEY[zarr_format]])))


def _bytes_of(value):
    return value.to_bytes() if hasattr(value, "to_bytes") else bytes(value)


def opened(root: str, name: str, said: dict[str, Any], inside: Callable[[str], None], checked: Callable[..., None], *,
           writes: bool) -> Any:
    """The zarr array `name` of the store `root`, with the metadata `said`.

    zarr calls `inside` with each key before it reads or writes it, and `checked` with each file that it has read, or with a part of it
    and the request for this part.
    """
    prefix = name + "/" if name else ""
    zarr_format = said["zarr_format"]
    documents = {prefix + ARRAY_KEY[zarr_format]: json.dumps(said).encode()}
    if not is_new():
        return library().Array(_old_store()(root, documents, inside, checked), path=name, read_only=not writes)
    store = _new_store()(root, read_only=not writes)
    store.give(documents, inside, checked)
    return library().open_array(store, path=name, mode="r+" if writes else "r", zarr_format=zarr_format)


def is_old_missing(key: str) -> bool:
    """Whether a key is one of metadata: they are read from what was given, and not from the disk."""
    return key.rsplit("/", 1)[-1] in (".zarray", ".zattrs", ".zgroup", ".zmetadata", "zarr.json")


@functools.lru_cache(maxsize=None)
def _old_store():
    """The class of the stores for zarr 2."""
    zarr = library()

    class Store(zarr.DirectoryStore):  # type: ignore[misc,name-defined]
        def __init__(self, root, documents, inside, checked):
            super().__init__(root)
            self._documents, self._inside, self._checked = documents, inside, checked

        def __getitem__(self, key):
            if is_old_missing(key):
                return self._documents[key]
            self._inside(key)
            found = super().__getitem__(key)
            self._checked(key, found)
            return found

        def __contains__(self, key):
            return key in self._documents if is_old_missing(key) else super().__contains__(key)

        def __setitem__(self, key, value):
            self._inside(key)
            super().__setitem__(key, value)

    return Store


@functools.lru_cache(maxsize=None)
def _new_store():
    """The class of the stores for zarr 3."""
    from zarr.core.buffer import default_buffer_prototype
    from zarr.storage import LocalStore

    class Store(LocalStore):  # type: ignore[misc,valid-type]

        def give(self, documents, inside, checked):
            self._documents, self._inside, self._checked = documents, inside, checked

        def with_read_only(self, read_only=False):
            made = type(self)(self.root, read_only=read_only)
            made.give(self._documents, self._inside, self._checked)
            return made

        def _document(self, key, prototype):
            found = self._documents.get(key)
            return None if found is None else (prototype or default_buffer_prototype()).buffer.from_bytes(found)

        def _seen(self, key, found, byte_range):
            if found is not None:
                self._checked(key, found.to_bytes(), byte_range)
            return found

        async def get(self, key, prototype=None, byte_range=None):
            if is_old_missing(key):
                return self._document(key, prototype)
            self._inside(key)
            return self._seen(key, await super().get(key, prototype, byte_range), byte_range)

        def get_sync(self, key, *, prototype=None, byte_range=None):
            if is_old_missing(key):
                return self._document(key, prototype)
            self._inside(key)
            return self._seen(key, super().get_sync(key, prototype=prototype, byte_range=byte_range), byte_range)

        async def get_partial_values(self, prototype, key_ranges):
            return [await self.get(key, prototype, byte_range) for key, byte_range in key_ranges]

        async def exists(self, key):
            return key in self._documents if is_old_missing(key) else await super().exists(key)

        async def _set(self, key, value, exclusive=False):
            self._inside(key)
            return await super()._set(key, value, exclusive=exclusive)

        def set_sync(self, key, value):
            self._inside(key)
            super().set_sync(key, value)

    return Store


def read(array: Any, selection: tuple[slice, ...], out: Any) -> None:
    """Copies a part of an array to `out`. Each chunk that has elements of it is read once."""
    if is_new():
        out[...] = array[selection]
    elif array.ndim == 0:
        out[...] = array[()]
    else:
        array.get_basic_selection(selection, out=out)


def write(array: Any, selection: tuple[slice, ...], values: Any) -> None:
    """Writes a part of an array, whose chunks no other process writes."""
    array[selection if array.ndim else ()] = values
