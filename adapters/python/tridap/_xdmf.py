"""The arguments of `save` and `xdmf` for XDMF files, which the compiled part writes."""

from __future__ import annotations

from ._agree import one_of

_DEFAULTS = (None, None, None, "points", False, "zyx")


def asked(options, wanted, origin, spacing, coordinates, centers, vectors, axes, time):
    """The arguments of `save`, or None if no XDMF file is wanted. Raises what is wrong with them."""
    if time is not None and (options["step"] is None or "zarr_format" in options):
        raise ValueError("time is that of a step in an HDF5 file: pass step, too, or attrs={'time': time}")
    if not wanted:
        if (origin, spacing, coordinates, centers, vectors, axes) != _DEFAULTS:
            raise ValueError("origin, spacing, coordinates, centers, vectors and axes are for XDMF: pass xdmf=True, too")
        return None
    if "zarr_format" in options:
        raise ValueError("xdmf is for HDF5 files, which ParaView reads: give a path that ends with '.h5'")
    return checked(origin, spacing, coordinates, centers, vectors, axes)


def checked(origin, spacing, coordinates, centers, vectors, axes):
    """The arguments as the compiled part takes them."""
    one_of("centers", centers, "points", "cells")
    if axes not in ("zyx", "xyz"):
        raise ValueError(f"axes is {axes!r}, must be 'zyx' (the last axis is x) or 'xyz' (the first one is)")
    return (_numbers("origin", origin), _numbers("spacing", spacing), [] if coordinates is None else names("coordinates", coordinates),
            centers == "cells", bool(vectors), axes == "xyz")


def _numbers(name, given):
    if given is None:
        return None
    try:
        return [float(n) for n in given]
    except TypeError:
        raise TypeError(f"{name} is {given!r}, must be one number for each axis of the array") from None


def names(name, given):
    """A list of the names of arrays."""
    if isinstance(given, str) or not all(isinstance(one, str) for one in given) or not given:
        raise ValueError(f"{name} is {given!r}, must be the names of arrays, such as ('a',)")
    return list(given)
