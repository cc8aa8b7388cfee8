"""Which HDF5 this package uses, and what is in a file. `tridap.save` and `tridap.load` write and read arrays.

`libraries` returns the `Libraries` that are loaded, and `datasets` the names in a file.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple

from ._files import _Alone, _native, _path

__all__ = ["Libraries", "datasets", "libraries"]


class Libraries(NamedTuple):
    """The HDF5 of this package, and that of h5py if it is loaded."""

    version: str  #: of the HDF5 that this package uses: "1.10.8"
    file: str  #: its library
    h5py: str | None  #: the version of h5py; None: it is not loaded
    h5py_hdf5: str | None  #: the version of the HDF5 that h5py uses
    h5py_mpi: bool | None  #: whether h5py uses a parallel HDF5, on Debian the same library as this package


def libraries() -> Libraries:
    """Which HDF5 this package uses, and which h5py is loaded. Not collective.

    Both may use different libraries in one process: Debian's serial and parallel HDF5 have different names and symbols.
    """
    version, file = _native().library()
    h5py = sys.modules.get("h5py")
    if h5py is None:
        return Libraries(version, file, None, None, None)
    return Libraries(version, file, h5py.__version__, h5py.version.hdf5_version, bool(h5py.get_config().mpi))


def datasets(path: str | os.PathLike[str]) -> list[str]:
    """The names of the datasets in a file, with those of their groups: "fields/temperature". Not collective."""
    with _Alone():
        return _native().dataset_names(_path(path))
