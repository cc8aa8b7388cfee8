"""What the tests of zarr stores have in common."""

import contextlib

import tridap
import zarr
from mpi4py import MPI
from tridap import _zarr_versions

COMM = MPI.COMM_WORLD
new_only = _zarr_versions.is_new()


def opened(path, name=""):
    """An array that zarr itself opens."""
    return zarr.open(str(path), mode="r")[name] if name else zarr.open(str(path), mode="r")


def distribution_of(path):
    return tridap.load(path, comm=COMM).distribution


@contextlib.contextmanager
def recorded(monkeypatch):
    """Two lists of keys: of the chunks that zarr reads from the stores of tridap while the block runs, and that it writes."""
    got, written = [], []
    with monkeypatch.context() as patched:
        if new_only:
            kind = _zarr_versions._new_store()

            def asynchronous(name, kept):
                before = getattr(kind, name)

                async def call(self, key, *rest, **more):
                    kept.append(key)
                    return await before(self, key, *rest, **more)

                patched.setattr(kind, name, call)

            def synchronous(name, kept):
                before = getattr(kind, name)

                def call(self, key, *rest, **more):
                    kept.append(key)
                    return before(self, key, *rest, **more)

                patched.setattr(kind, name, call)

            asynchronous("get", got)
            asynchronous("_set", written)
            synchronous("get_sync", got)
            synchronous("set_sync", written)
        else:
            kind = _zarr_versions._old_store()
            get, put = kind.__getitem__, kind.__setitem__
            patched.setattr(kind, "__getitem__", lambda self, key: (got.append(key), get(self, key))[1])
            patched.setattr(kind, "__setitem__", lambda self, key, value: (written.append(key), put(self, key, value))[1])
        yield got, written
    got[:] = [key for key in got if not _zarr_versions.is_old_missing(key)]
