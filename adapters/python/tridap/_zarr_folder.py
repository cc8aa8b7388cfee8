"""Zarr stores in folders: a store gets its name when it is complete, and an earlier one of this name is exchanged for it."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import shutil
import stat
from typing import Any, Callable

from ._zarr_checked import Inside, Node, format_at
from ._zarr_versions import ARRAY_KEY, GROUP_KEY, writes_in_place

_MOST_NAMES = 100
_AT_FDCWD = -100
_EXCHANGE = 2  # of renameat2


class NewFolder:
    """A folder beside the name that it gets in the end. Local, on the first process alone."""

    def __init__(self, path: str) -> None:
        """Raises OSError or ValueError if the path cannot be the name of a store, for example because it is another folder."""
        self.target = os.path.realpath(path)  # a link remains, and what it refers to is replaced
        self.replaces = os.path.lexists(self.target)
        if self.replaces and not os.path.isdir(self.target):
            raise ValueError(f"{path!r} is a file: give the name of a folder that is a zarr store, or of none")
        if self.replaces and format_at(self.target) is None and os.listdir(self.target):
            raise ValueError(f"{path!r} is a folder without metadata of zarr, which would be removed: give another name")
        for n in range(_MOST_NAMES):
            self.beside = f"{self.target}.{os.getpid()}-{n}.part"
            try:
                os.mkdir(self.beside)
                return
            except FileExistsError:
                continue
        raise OSError(errno.EEXIST, "too many incomplete stores", path)

    def complete(self) -> None:
        """Gives the folder its name. The earlier one of this name is removed afterwards."""
        if not self.replaces:
            os.rename(self.beside, self.target)
            return
        os.chmod(self.beside, stat.S_IMODE(os.stat(self.target).st_mode))
        old = self.beside
        if not exchange(self.beside, self.target):
            old = self.beside + ".old"
            os.rename(self.target, old)  # from here to the next line no store has the name
            os.rename(self.beside, self.target)
        shutil.rmtree(old, ignore_errors=True)

    def discard(self) -> None:
        """Removes the incomplete folder."""
        shutil.rmtree(self.beside, ignore_errors=True)


def exchange(one: str, other: str) -> bool:
    """Exchanges two names at once; False if the system or the file system cannot."""
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is None:
        return False
    if function(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
        return False
    raise OSError(number, os.strerror(number), other)


def link_all(source: str, target: str) -> None:
    """Gives all files of a store a second name in another folder, or copies them where that is not possible.

    They are copied, too, if zarr writes files in place, so that the files of the source never change.
    """
    second: Callable[..., Any] = os.link
    if writes_in_place():
        second = shutil.copy2
    for folder, folders, files in os.walk(source):
        there = os.path.join(target, os.path.relpath(folder, source))
        os.makedirs(there, exist_ok=True)
        for name in (*folders, *files):
            if os.path.islink(os.path.join(folder, name)):
                raise ValueError(f"{os.path.join(folder, name)!r} is a symbolic link: replace it by what it refers to")
        for name in files:
            try:
                second(os.path.join(folder, name), os.path.join(there, name))
            except OSError:
                shutil.copy2(os.path.join(folder, name), os.path.join(there, name))


def remove_steps(root: str, name: str, begin: int, end: int) -> None:
    """Removes the chunks of steps of an array with one step in each chunk: those that a save left that was killed."""
    checked = Inside(root)
    for folder in (name, f"{name}/c"):  # of format 3 with slashes
        checked(f"{folder}/zarr.json")  # no link is on the way
        try:
            names = os.listdir(os.path.join(root, folder))
        except (FileNotFoundError, NotADirectoryError):
            continue
        for chunk in names:
            found = re.fullmatch(r"(?:c\.)?(\d{1,18})(?:\..*)?", chunk)
            if found and begin <= int(found[1]) < end:
                path = os.path.join(root, folder, chunk)
                if os.path.isdir(path) and not os.path.islink(path):
                    shutil.rmtree(path)
                else:
                    os.unlink(path)


def documents_of(nodes: dict[str, Node], zarr_format: int) -> dict[str, dict[str, Any]]:
    """The files with the metadata of a store, by key. The first one has that of all, which readers of several arrays use."""
    plain: dict[str, dict[str, Any]] = {}
    for name, node in nodes.items():
        prefix = name + "/" if name else ""
        key = prefix + (ARRAY_KEY if node.is_array else GROUP_KEY)[zarr_format]
        if zarr_format == 3:
            plain[key] = {**node.said, "attributes": node.attrs}
        else:
            if node.attrs or not node.is_array:
                plain[prefix + ".zattrs"] = node.attrs
            plain[key] = node.said
    if zarr_format == 2:
        return {".zmetadata": {"zarr_consolidated_format": 1, "metadata": plain}, **plain}
    inside = {}
    for name, node in nodes.items():
        if name:
            inside[name] = dict(plain[f"{name}/zarr.json"])
            if not node.is_array:
                inside[name]["consolidated_metadata"] = _together({})
    first = {**plain.pop("zarr.json"), "consolidated_metadata": _together(inside)}
    return {"zarr.json": first, **plain}


def _together(inside):
    return {"kind": "inline", "must_understand": False, "metadata": inside}


def _is_same(path, said):
    try:
        with open(path, "rb") as file:
            return json.load(file) == said
    except (FileNotFoundError, ValueError):
        return False


def write_documents(root: str, documents: dict[str, dict[str, Any]]) -> None:
    """Writes files with metadata, each beside its name and then renamed, those that are the same as before left as they are."""
    for key, said in documents.items():
        path = os.path.join(root, key)
        text = json.dumps(said, indent=2).encode()
        if _is_same(path, said):
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        beside = f"{path}.{os.getpid()}.part"
        with open(beside, "wb") as file:
            file.write(text)
        os.replace(beside, path)
