"""Makes files for ParaView by TriDAP, each with its XDMF file, and a file .npz with what must be where.

    mpiexec -n 4 python cases.py FOLDER

The values and the positions are computed here from the indices, not from the XDMF file. They are in C order, in which x
varies fastest, or in the array's own order if its first axis is x: ParaView has its elements in the same order.
"""

import pathlib
import sys

import h5py
import numpy as np
import tridap
from mpi4py import MPI

COMM = MPI.COMM_WORLD
FOLDER = pathlib.Path(sys.argv[1])


def field(values, dtype=float):
    """The array of these values, in blocks over all processes."""
    layout = tridap.distribution(values.shape, processes=COMM.size)
    return tridap.from_function(layout, lambda *at: np.asarray(values)[tuple(at)], dtype, comm=COMM)


def numbers(*shape, more=0):
    return 1.5 * np.arange(np.prod(shape), dtype=float).reshape(shape) + more


def positions(shape, origin=None, spacing=None):
    """The points (x, y, z) of a uniform grid, whose last axis is x."""
    axes = len(shape)
    at = np.indices(shape).astype(float)
    found = np.zeros((*shape, 3))
    for axis in range(axes):
        begin, step = (0 if origin is None else origin[axis]), (1 if spacing is None else spacing[axis])
        found[..., axes - 1 - axis] = begin + step * at[axis]
    return found


def centers(points):
    """The centers of the cells between points."""
    for axis in range(points.ndim - 1):
        low, high = (tuple(slice(*ends) if i == axis else slice(None) for i in range(points.ndim)) for ends in ((None, -1), (1, None)))
        points = (points[low] + points[high]) / 2
    return points


EXPECTED = {}


def expect(case, time, center, where, **values):
    """What a file has at a time: values of points or of cells, and their positions."""
    key = f"{case}|{'' if time is None else time}|{center}"
    EXPECTED.setdefault(key + "|", []).append(where.reshape(-1, 3))
    for name, one in values.items():
        EXPECTED[f"{key}|{name}"] = one.reshape(len(where.reshape(-1, 3)), -1)


def save(case, arrays, **options):
    tridap.save(FOLDER / f"{case}.h5", {name: field(values, values.dtype) for name, values in arrays.items()}, xdmf=True, comm=COMM, **options)


def uniform():
    for case, shape, origin, spacing in (("line", (5,), (2,), (0.5,)), ("plane", (4, 5), (1, 2), (0.5, 3)),
                                         ("box", (3, 4, 5), (1, 2, 3), (0.5, 1, 2)), ("without numbers", (4, 5), None, None)):
        values = numbers(*shape)
        save(case, {"t": values, "group/u": -values}, origin=origin, spacing=spacing)
        expect(case, None, "points", positions(shape, origin, spacing), **{"t": values, "group/u": -values})
    for case, shape, spacing in ("cells of a plane", (4, 5), (0.5, 3)), ("cells of a box", (2, 3, 4), (0.5, 1, 2)):
        values, more = numbers(*shape), [n + 1 for n in shape]
        save(case, {"t": values}, spacing=spacing, centers="cells")
        expect(case, None, "cells", centers(positions(more, None, spacing)), t=values)
    small, large = numbers(3, 4), numbers(5, 6)
    save("two shapes", {"small": small, "large": large})
    expect("two shapes", None, "points", positions((3, 4)), small=small)
    EXPECTED["two shapes|second|points|"] = positions((5, 6)).reshape(-1, 3)
    EXPECTED["two shapes|second|points|large"] = large.reshape(-1, 1)


def types():
    arrays = {f"{kind}_": numbers(3, 4, more=1).astype(kind) for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", ">f8", ">i4")}
    arrays["i8_"] -= 2**40
    arrays["u8_"] += 2**40
    save("types é & more", arrays)
    expect("types é & more", None, "points", positions((3, 4)), **arrays)


def curvilinear():
    i, j = np.indices((4, 5)).astype(float)
    x, y, values = j + 0.1 * i, i - 0.05 * j**2, numbers(4, 5)
    save("curved plane", {"t": values, "px": x, "py": y}, coordinates=("px", "py"))
    expect("curved plane", None, "points", np.stack([x, y, 0 * x], -1), t=values)
    i, j, k = np.indices((3, 4, 5)).astype(float)
    x, y, z, values = k + 0.1 * i, j - 0.05 * k**2, i + 0.2 * j, numbers(3, 4, 5)
    points = np.stack([x, y, z], -1)
    save("curved box", {"t": values, "px": x, "py": y, "pz": z}, coordinates=("px", "py", "pz"))
    save("curved box together", {"t": values, "p": points}, coordinates=("p",))
    for case in "curved box", "curved box together":
        expect(case, None, "points", points, t=values)
    cells = numbers(2, 3, 4)
    save("cells of a curved box", {"t": cells, "p": points}, coordinates=("p",), centers="cells")
    expect("cells of a curved box", None, "cells", centers(points), t=cells)
    surface = points[0]
    cells = numbers(3, 4)
    save("cells of a surface", {"t": cells, "px": surface[..., 0], "py": surface[..., 1], "pz": surface[..., 2]},
         coordinates=("px", "py", "pz"), centers="cells")
    expect("cells of a surface", None, "cells", centers(surface), t=cells)


def vectors():
    for components in 2, 3:
        for center, shape in ("points", (3, 4)), ("points", (2, 3, 4)), ("cells", (3, 4)):
            case, values = f"{components} components of {len(shape)} axes of {center}", numbers(*shape, components)
            save(case, {"v": values}, vectors=True, centers=center)
            where = positions(shape) if center == "points" else centers(positions([n + 1 for n in shape]))
            expect(case, None, center, where, v=values)


def steps():
    values, pairs = numbers(3, 4), numbers(3, 4, 2)
    for step, time in (0, 0.25), (1, 0.5), (3, None):
        shown = 3.0 if time is None else time
        save("steps", {"t": values + step, "u": values - step}, step=step, time=time)
        expect("steps", shown, "points", positions((3, 4)), t=values + step, u=values - step)
        save("steps of vectors", {"v": pairs + step}, step=step, time=time, vectors=True)
        expect("steps of vectors", shown, "points", positions((3, 4)), v=pairs + step)
        save("steps of cells", {"t": values + step}, step=step, time=time, centers="cells")
        expect("steps of cells", shown, "cells", centers(positions((4, 5))), t=values + step)
    i, j = np.indices((3, 4)).astype(float)
    for step in 0, 1:
        x, y, z = j + step, i + 0.1 * j, i * j + step
        save("steps that move", {"t": values + step, "px": x, "py": y, "pz": z}, step=step, coordinates=("px", "py", "pz"))
        expect("steps that move", float(step), "points", np.stack([x, y, z], -1), t=values + step)
        points = np.stack([x, y, z], -1)
        save("steps that move together", {"t": values + step, "p": points}, step=step, coordinates=("p",))
        expect("steps that move together", float(step), "points", points, t=values + step)
        at_rest = {"t": values + step} if step else {"t": values, "px": j, "py": i + 0.1 * j}
        save("steps at rest", at_rest, step=step, coordinates=("px", "py"))
        expect("steps at rest", float(step), "points", np.stack([j, i + 0.1 * j, 0 * i], -1), t=values + step)


def first_axis_is_x():
    for case, shape, center in ("xyz", (3, 4, 5), "points"), ("xyz of cells", (2, 3, 4), "cells"), ("xy", (3, 4), "points"):
        values, origin, spacing = numbers(*shape), (1, 2, 3)[: len(shape)], (0.5, 1, 2)[: len(shape)]
        save(case, {"t": values}, axes="xyz", origin=origin, spacing=spacing, centers=center)
        more = [n + (center == "cells") for n in shape]
        points = np.zeros((*more, 3))
        for axis, at in enumerate(np.indices(more)):
            points[..., axis] = origin[axis] + spacing[axis] * at
        expect(case, None, center, points if center == "points" else centers(points), t=values)


def of_another_program():
    if COMM.rank == 0:
        with h5py.File(FOLDER / "other.h5", "w") as file:
            file["deep/er/t"] = numbers(3, 4)
        tridap.xdmf(FOLDER / "other.h5", spacing=(2, 3))
    expect("other", None, "points", positions((3, 4), None, (2, 3)), **{"deep/er/t": numbers(3, 4)})


for make in uniform, types, curvilinear, vectors, steps, first_axis_is_x, of_another_program:
    make()
if COMM.rank == 0:
    np.savez(FOLDER / "expected.npz", **{key: value[0] if isinstance(value, list) else value for key, value in EXPECTED.items()})
