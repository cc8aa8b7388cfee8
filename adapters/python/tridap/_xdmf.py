"""XDMF: a small file in XML beside an HDF5 file, from which ParaView and VisIt know what the datasets mean."""

from __future__ import annotations

import json
import math
import os
from typing import Any, NamedTuple, Sequence
from xml.sax.saxutils import quoteattr

import numpy as np

from ._agree import one_of

TIMES = "step_times"  # the attribute of the file with the times of all steps
MOST_STEPS = 1_000_000
_KINDS = {"f": "Float", "i": "Int", "u": "UInt"}


class Field(NamedTuple):
    """A dataset: its shape without the axis of steps, its type, and the steps that were saved, or None."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    steps: list[int] | None
    extent: int  #: the extent of the axis of steps


class Options(NamedTuple):
    """What the numbers of a file mean."""

    origin: Sequence[float] | None = None
    spacing: Sequence[float] | None = None
    coordinates: Sequence[str] | None = None
    centers: str = "points"
    vectors: bool = False


def checked(origin: Any, spacing: Any, coordinates: Any, centers: Any, vectors: Any) -> Options:
    """The options of a call. Raises what is wrong with them."""
    one_of("centers", centers, "points", "cells")
    if coordinates is not None:
        if isinstance(coordinates, str) or not 1 <= len(coordinates) <= 3 or not all(isinstance(name, str) for name in coordinates):
            raise ValueError(f"coordinates is {coordinates!r}, must be the names of two or three saved arrays, those of x, y and z; or of "
                             "one, whose last axis has the three")
        if origin is not None or spacing is not None:
            raise ValueError("coordinates and origin or spacing are both given: leave out one of them")
        coordinates = list(coordinates)
    return Options(_numbers("origin", origin), _numbers("spacing", spacing), coordinates, centers, bool(vectors))


def _numbers(name, given):
    if given is None:
        return None
    try:
        return [float(n) for n in given]
    except TypeError:
        raise TypeError(f"{name} is {given!r}, must be one number for each axis of the array") from None


def need_field(name: str, shape: Sequence[int], dtype: np.dtype[Any], options: Options) -> None:
    """Raises ValueError if ParaView cannot show such an array, with what to save in its place."""
    if dtype.kind == "c":
        _refuse(name, f"complex elements ({dtype})", f"save its parts, {{'{name}_real': x.real, '{name}_imag': x.imag}}")
    if dtype.kind not in _KINDS or str(dtype) == "bfloat16":
        kind = {"b": "bool", "V": "records", "S": "texts", "U": "texts", "M": "dates", "m": "dates"}.get(dtype.kind, str(dtype))
        _refuse(name, f"{kind} as elements ({dtype})", "save numbers, such as x.astype('u1') for bool, and x.astype('f4') for bfloat16")
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        _refuse(name, f"elements of {dtype}", f"save x.astype('{'f4' if dtype.itemsize == 2 else 'f8'}')")
    axes = len(shape) - options.vectors
    if not 1 <= axes <= 3:
        _refuse(name, f"{axes} axes of space", "XDMF has one to three: save a part of it, such as x[0], as an array of its own")
    if options.vectors and shape[-1] not in (2, 3):
        _refuse(name, f"{shape[-1]} components in its last axis", "a vector has two or three: leave out vectors, or save two or three")


def _refuse(name, has, remedy):
    raise ValueError(f"{name!r} has {has}, which XDMF cannot describe for ParaView: {remedy}, or leave out xdmf")


def text(file: str, fields: Sequence[Field], times: Sequence[float], options: Options) -> str:
    """The XML for a file of this name. Raises ValueError if the arrays do not fit one another, or the options."""
    named = {field.name: field for field in fields}
    shown = [field for field in fields if field.name not in (options.coordinates or [])]
    for name in options.coordinates or []:
        if name not in named:
            raise ValueError(f"coordinates has {name!r}, must be the names of saved arrays: {', '.join(map(repr, named)) or 'none'}")
    for field in shown:
        need_field(field.name, field.shape, field.dtype, options)
    grids: dict[tuple[int, ...], list[Field]] = {}
    for field in shown:
        grids.setdefault(field.shape[:-1] if options.vectors else field.shape, []).append(field)
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<Xdmf Version="2.0">', ' <Domain>']
    for number, (shape, group) in enumerate(grids.items()):
        name = "fields" if number == 0 else f"fields of {' x '.join(map(str, shape))}"
        lines += _series(file, name, shape, group, [named[one] for one in options.coordinates or []], times, options)
    return "\n".join([*lines, " </Domain>", "</Xdmf>", ""])


def _series(file, name, shape, group, coordinates, times, options):
    steps = sorted({step for field in group for step in field.steps or []})
    if not steps:
        return _grid(file, name, shape, group, coordinates, None, None, options, "  ")
    lines = [f'  <Grid Name={quoteattr(name)} GridType="Collection" CollectionType="Temporal">']
    for step in steps:
        there = [field for field in group if field.steps is None or step in field.steps]
        time = times[step] if step < len(times) and not math.isnan(times[step]) else float(step)
        lines += _grid(file, f"step {step}", shape, there, coordinates, step, time, options, "   ")
    return [*lines, "  </Grid>"]


def _grid(file, name, shape, group, coordinates, step, time, options, space):
    lines = [f'{space}<Grid Name={quoteattr(name)} GridType="Uniform">']
    if time is not None:
        lines.append(f'{space} <Time Value="{time!r}"/>')
    extents = [n + 1 for n in shape] if options.centers == "cells" else list(shape)
    points = [1] * (3 - len(extents)) + extents
    if coordinates:
        lines += _curved(file, shape, extents, points, coordinates, step, space)
    else:
        lines += _uniform(shape, points, options, space)
    center = "Cell" if options.centers == "cells" else "Node"
    for field in group:
        kind = "Vector" if options.vectors else "Scalar"
        lines += [f'{space} <Attribute Name={quoteattr(field.name)} AttributeType="{kind}" Center="{center}">',
                  *_vector(file, field, step, space + "  ", options), f"{space} </Attribute>"]
    return [*lines, f"{space}</Grid>"]


def _uniform(shape, points, options, space):
    lines = [f'{space} <Topology TopologyType="3DCoRectMesh" Dimensions="{_joined(points)}"/>',
             f'{space} <Geometry GeometryType="ORIGIN_DXDYDZ">']
    for key, given, other in ("origin", options.origin, 0.0), ("spacing", options.spacing, 1.0):
        if given is not None and len(given) != len(shape):
            raise ValueError(f"{key} is {list(given)}, must be {len(shape)} numbers, one for each axis of the array, in its order")
        numbers = [other] * (3 - len(shape)) + list(given if given is not None else [other] * len(shape))
        lines.append(f'{space}  <DataItem Dimensions="3" NumberType="Float" Precision="8" Format="XML">{" ".join(map(repr, numbers))}</DataItem>')
    return [*lines, f"{space} </Geometry>"]


def _curved(file, shape, extents, points, coordinates, step, space):
    needed = (*extents, 3) if len(coordinates) == 1 else tuple(extents)
    for field in coordinates:
        if field.shape != needed:
            raise ValueError(f"the coordinates {field.name!r} have shape {field.shape}, must have {needed}, that of the points of the "
                             f"grid of {tuple(shape)} values")
    lines = [f'{space} <Topology TopologyType="3DSMesh" Dimensions="{_joined(points)}"/>', f'{space} <Geometry GeometryType="{"XYZ" if len(coordinates) == 1 else "X_Y_Z"}">']
    for field in coordinates:
        lines += _values(file, field, step, space + "  ", len(extents))
    if len(coordinates) == 2:
        lines += [f'{space}  <DataItem ItemType="Function" Dimensions="{_joined(points)}" Function="0 * $0">',
                  *_values(file, coordinates[0], step, space + "   ", len(extents)), f"{space}  </DataItem>"]
    return [*lines, f"{space} </Geometry>"]


def _vector(file, field, step, space, options):
    if not options.vectors or field.shape[-1] == 3:
        return _values(file, field, step, space, len(field.shape) - options.vectors)
    *axes, _ = field.shape
    parts = [_part(file, field, step, component, space + " ") for component in (0, 1)]
    return [f'{space}<DataItem ItemType="Function" Dimensions="{_joined(_in_space([*axes, 3], len(axes)))}" Function="JOIN($0, $1, 0 * $0)">',
            *parts[0], *parts[1], f"{space}</DataItem>"]


def _in_space(extents, axes):
    """Extents with those of the axes of space that an array has not: the readers need three of them."""
    return [*[1] * (3 - axes), *extents]


def _values(file, field, step, space, axes):
    if field.steps is None:
        return [_stored(file, field, space, _in_space(field.shape, axes))]
    zeros, ones = [0] * len(field.shape), [1] * len(field.shape)
    return _slab(file, field, [step, *zeros], [1, *ones], [1, *field.shape], _in_space(field.shape, axes), space)


def _part(file, field, step, component, space):
    """One component of a vector."""
    *axes, _ = field.shape
    first = [] if field.steps is None else [step]
    start, count = [*first, *[0] * len(axes), component], [*[1] * len(first), *axes, 1]
    return _slab(file, field, start, [1] * len(start), count, _in_space(axes, len(axes)), space)


def _slab(file, field, start, stride, count, shape, space):
    return [f'{space}<DataItem ItemType="HyperSlab" Dimensions="{_joined(shape)}">',
            f'{space} <DataItem Dimensions="3 {len(start)}" NumberType="Int" Format="XML">{_joined([*start, *stride, *count])}</DataItem>',
            _stored(file, field, space + " ", field.shape if field.steps is None else (field.extent, *field.shape)), f"{space}</DataItem>"]


def _stored(file, field, space, extents):
    place = quoteattr(f"{file}:/{field.name}")[1:-1].replace("\n", "&#10;")
    return (f'{space}<DataItem Dimensions="{_joined(extents)}" NumberType="{_KINDS[field.dtype.kind]}" Precision="{field.dtype.itemsize}" '
            f'Endian="{"Big" if field.dtype.str[0] == ">" else "Little"}" Format="HDF">{place}</DataItem>')


def _joined(numbers):
    return " ".join(map(str, numbers))


def name_beside(path: str) -> str:
    """The name of the XDMF file of an HDF5 file."""
    return os.path.splitext(path)[0] + ".xdmf"


def write(path: str, fields: Sequence[Field], times: Sequence[float], options: Options) -> str:
    """Writes the XDMF file beside the HDF5 file, and renames it into its place. Returns its name. Local."""
    target = name_beside(path)
    made = text(os.path.basename(path), fields, times, options)
    beside = f"{target}.{os.getpid()}.part"
    try:
        with open(beside, "w", encoding="utf-8") as file:
            file.write(made)
        os.replace(beside, target)
    except BaseException:
        if os.path.exists(beside):
            os.unlink(beside)
        raise
    return target


def saved_steps(said: Any, count: int) -> list[int]:
    """The steps of a dataset from its attribute `saved_steps`."""
    if count > MOST_STEPS:
        raise ValueError(f"the file says that it has {count} steps, must be at most {MOST_STEPS}: correct its attribute 'saved_steps'")
    ranges = json.loads(str(said)) if said is not None else [[0, count]]
    return [step for begin, end in ranges for step in range(begin, min(end, count))]
