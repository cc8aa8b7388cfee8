"""The XDMF files that ParaView and VisIt open: what they say, against the HDF5 file as h5py reads it."""

import os
import re
import xml.etree.ElementTree as ET

import h5py
import numpy as np
import pytest
import tridap
from mpi4py import MPI
from producers import refused_by_all

COMM = MPI.COMM_WORLD
P = COMM.size
R = COMM.rank


def field(shape, values=None, dtype=float):
    dist = tridap.distribution(shape, processes=P)
    return tridap.from_function(dist, values or (lambda *at: sum(10.0**n * one for n, one in enumerate(at))), dtype, comm=COMM)


def first(function):
    """What a function returns on the first process, on all."""
    return COMM.bcast(function() if R == 0 else None)


def item(node, path):
    """The values of a DataItem, read by h5py as the XML says."""
    kind = node.get("ItemType", "Uniform")
    shape = tuple(map(int, node.get("Dimensions").split()))
    if kind == "HyperSlab":
        start, stride, count = np.array(node[0].text.split(), int).reshape(3, -1)
        whole = item(node[1], path)
        assert whole.ndim == len(start)
        return whole[tuple(slice(s, s + n * d, d) for s, d, n in zip(start, stride, count))].reshape(shape)
    if kind == "Function":
        given = [item(one, path) for one in node]
        if node.get("Function") == "0 * $0":
            return 0 * given[0]
        assert node.get("Function") == "JOIN($0, $1, 0 * $0)"
        return np.stack([*given, 0 * given[0]], -1).reshape(shape)
    if node.get("Format") == "XML":
        return np.array(node.text.split(), float).reshape(shape)
    place, _, part = node.text.partition("|")
    name, place = place.split(":")
    with h5py.File(path.parent / name, "r") as file:
        found = file[place][()]
    if part:  # as the reader Xdmf3 has it
        start, stride, count, whole = (list(map(int, one.split())) for one in part.split(":"))
        assert list(found.shape) == whole
        found = found[tuple(slice(s, s + n * d, d) for s, d, n in zip(start, stride, count))]
    assert found.size == np.prod(shape) and found.dtype.itemsize == int(node.get("Precision"))
    kind = "i" if found.dtype == "u8" else found.dtype.kind
    assert {"f": "Float", "i": "Int", "u": "UInt"}[kind] == node.get("NumberType")
    return found.reshape(shape)


def for_xdmf3(node, root, path):
    """The values that the reader Xdmf3 takes, which follows an `include`; None if it takes those of the other reader."""
    include = node.find("include")
    if include is None:
        return None
    at = re.fullmatch(r"element\(/1/1/(\d+)/1\)", include.get("xpointer"))[1]
    found = root[0][int(at) - 1]
    assert found.tag == "Information" and len(found) == 1
    if found[0].tag == "DataItem":
        return item(found[0], path)
    assert found[0].tag == "Function" and found[0].get("Expression") in ("X#Y", "X#Y#Z")
    return np.stack([item(one, path) for one in found[0]], -1)


def same_for_both(node, root, path, values):
    """That the two readers take the same values, but for a third component of zeros."""
    third = for_xdmf3(node, root, path)
    if third is not None:
        values = values[0] if len(values) == 1 else np.stack(values, -1)
        assert (third == values[..., :third.shape[-1]] if third.ndim == values.ndim else third == values).all()
        assert (values[..., third.shape[-1]:] == 0).all()


def read(path):
    """The grids of an XDMF file: time, topology, geometry, and attributes by name."""
    grids = []
    root = ET.parse(path).getroot()
    for grid in root.iter("Grid"):
        if grid.get("GridType") == "Uniform":
            time, geometry = grid.find("Time"), grid.find("Geometry")
            same_for_both(geometry, root, path, [item(one, path) for one in geometry.findall("DataItem")])
            for one in grid.findall("Attribute"):
                same_for_both(one, root, path, [item(one.find("DataItem"), path)])
            grids.append((None if time is None else float(time.get("Value")), tuple(map(int, grid.find("Topology").get("Dimensions").split())),
                          geometry.get("GeometryType"), [item(one, path) for one in geometry.findall("DataItem")],
                          {one.get("Name"): (one.get("AttributeType"), one.get("Center"), item(one.find("DataItem"), path)) for one in grid.findall("Attribute")}))
    return grids


def test_origin_and_spacing_are_in_the_order_of_the_axes(folder):
    x = field((3, 4, 5))
    tridap.save(folder / "x.h5", {"t": x, "g/p": x + 1}, xdmf=True, origin=(1, 2, 3), spacing=(0.5, 1, 2))
    (time, points, kind, geometry, values), = first(lambda: read(folder / "x.xdmf"))
    assert time is None and points == (3, 4, 5) and kind == "ORIGIN_DXDYDZ"
    assert [list(one) for one in geometry] == [[1, 2, 3], [0.5, 1, 2]]
    for name, more in ("t", 0), ("g/p", 1):
        kind, center, found = values[name]
        assert (kind, center) == ("Scalar", "Node") and (found == x.allgather() + more).all()
    assert first(lambda: sorted(os.listdir(folder))) == ["x.h5", "x.xdmf"]


def test_two_axes_and_cells(folder):
    x = field((3, 4), dtype="i4")
    tridap.save(folder / "x.h5", {"t": x}, xdmf=True, centers="cells", spacing=(1, 2))
    (_, points, kind, geometry, values), = first(lambda: read(folder / "x.xdmf"))
    assert points == (4, 5) and kind == "VXVY" and values["t"][1] == "Cell"
    assert [list(one) for one in geometry] == [[0, 2, 4, 6, 8], [0, 1, 2, 3]]
    assert (values["t"][2] == x.allgather()).all() and values["t"][2].shape == (3, 4)


def test_curvilinear_grids_have_the_coordinates_that_were_saved(folder):
    x, y = field((4, 5), lambda i, j: i + 0.1 * j), field((4, 5), lambda i, j: j - 0.1 * i)
    tridap.save(folder / "x.h5", {"t": x * y, "px": x, "py": y}, xdmf=True, coordinates=("px", "py"))
    (_, points, kind, geometry, values), = first(lambda: read(folder / "x.xdmf"))
    assert points == (1, 4, 5) and kind == "X_Y_Z" and list(values) == ["t"]
    for found, wanted in zip(geometry, (x.allgather(), y.allgather(), np.zeros((4, 5)))):
        assert (found == wanted).all()
    refused_by_all(COMM, {"must be names of saved arrays": lambda: tridap.save(folder / "y.h5", {"t": x}, xdmf=True, coordinates=("a", "b")),
                          "must have 5 6, those of the points": lambda: tridap.save(
                              folder / "y.h5", {"t": x, "px": x, "py": y}, xdmf=True, coordinates=("px", "py"), centers="cells")})
    assert not first(lambda: os.path.exists(folder / "y.h5"))


@pytest.mark.parametrize("components", [2, 3])
def test_vectors_have_three_components(folder, components):
    x = field((3, 4, components))
    tridap.save(folder / "x.h5", {"v": x}, xdmf=True, vectors=True)
    (_, points, _, _, values), = first(lambda: read(folder / "x.xdmf"))
    kind, _, found = values["v"]
    assert points == (1, 3, 4) and kind == "Vector" and found.shape == (1, 3, 4, 3)
    assert (found[0, ..., :components] == x.allgather()).all() and (found[..., components:] == 0).all()


def test_every_step_has_its_time(folder):
    x = field((4, 6))
    for step, time in (0, 0.5), (1, 1.5), (3, None):
        tridap.save(folder / "x.h5", {"t": x + step, "v": x - step}, step=step, time=time, xdmf=True)
    grids = first(lambda: read(folder / "x.xdmf"))
    assert [time for time, *_ in grids] == [0.5, 1.5, 3]
    for step, (*_, values) in zip((0, 1, 3), grids):
        assert (values["t"][2] == x.allgather() + step).all() and (values["v"][2] == x.allgather() - step).all()
    if R == 0:
        os.remove(folder / "x.xdmf")
        assert tridap.xdmf(folder / "x.h5", ["t"], spacing=(2, 2)) == str(folder / "x.xdmf")
    COMM.Barrier()
    assert [time for time, *_ in first(lambda: read(folder / "x.xdmf"))] == [0.5, 1.5, 3]
    tridap.save(folder / "x.h5", {"t": x, "v": x}, step=1, xdmf=True)
    assert [time for time, *_ in first(lambda: read(folder / "x.xdmf"))] == [0.5, 1, 3]


def test_a_file_that_states_a_huge_shape_gets_no_huge_text(folder):
    if R == 0:
        with h5py.File(folder / "x.h5", "w") as file:
            file.create_dataset("t", (2**40, 2), "f8")
        with pytest.raises(tridap.ProtocolError, match="more than 256 MiB of text"):
            tridap.xdmf(folder / "x.h5", centers="cells")
        assert sorted(os.listdir(folder)) == ["x.h5"]
    COMM.Barrier()


@pytest.mark.parametrize("centers, more", [("points", 0), ("cells", 1)])
def test_the_first_axis_is_x_if_the_caller_says_so(folder, centers, more):
    x = field((3, 4, 5))
    tridap.save(folder / "x.h5", {"t": x}, xdmf=True, axes="xyz", origin=(1, 2, 3), spacing=(0.5, 1, 2), centers=centers)
    (_, points, kind, geometry, values), = first(lambda: read(folder / "x.xdmf"))
    assert points == (3 + more, 4 + more, 5 + more) and kind == "XYZ" and (values["t"][2] == x.allgather()).all()
    for axis, (begin, step) in enumerate([(1, 0.5), (2, 1), (3, 2)]):
        assert (geometry[0][..., axis] == begin + step * np.indices(points)[axis]).all()


def test_the_points_of_a_file_with_x_first_are_used_again(folder):
    x = field((3, 4))
    tridap.save(folder / "x.h5", {"t": x}, xdmf=True, axes="xyz", spacing=(2, 3))
    if R == 0:
        before = (folder / "x.xdmf").read_text()
        os.remove(folder / "x.xdmf")
        tridap.xdmf(folder / "x.h5", axes="xyz")
        assert (folder / "x.xdmf").read_text() == before
    COMM.Barrier()


def test_what_paraview_cannot_show_is_refused_with_the_remedy(folder):
    x = field((3, 4))
    calls = {"complex elements .* save its parts": x + 1j, "bool as elements": x > 1, "elements of float16": x.astype("f2"),
             "elements of (float128|longdouble)": x.astype("g"), "4 axes of space": field((2, 2, 2, 2)), "records, texts or other elements": x.astype("S4")}
    refused_by_all(COMM, {words: lambda x=x: tridap.save(folder / "x.h5", {"t": x}, xdmf=True) for words, x in calls.items()})
    refused_by_all(COMM, {
        "4 components": lambda: tridap.save(folder / "x.h5", {"t": x}, xdmf=True, vectors=True),
        "origin.? is 1, must be 2 numbers": lambda: tridap.save(folder / "x.h5", {"t": x}, xdmf=True, origin=(1,)),
        "pass xdmf=True, too": lambda: tridap.save(folder / "x.h5", {"t": x}, origin=(1, 2)),
        "leave out one of them": lambda: tridap.save(folder / "x.h5", {"t": x}, xdmf=True, origin=(1, 2), coordinates=("a", "b")),
        "time is that of a step": lambda: tridap.save(folder / "x.h5", {"t": x}, time=1.0),
        "xdmf is for HDF5 files": lambda: tridap.save(folder / "x.zarr", {"t": x}, xdmf=True),
        "axes is 'yxz'": lambda: tridap.save(folder / "x.h5", {"t": x}, xdmf=True, axes="yxz"),
        "one axis of cells": lambda: tridap.save(folder / "x.h5", {"t": field((5,), lambda i: 1.0 * i)}, xdmf=True, centers="cells"),
    })
    assert not first(lambda: os.listdir(folder))


def test_coordinates_may_be_those_of_an_earlier_step(folder):
    x, y = field((4, 5), lambda i, j: j + 0.1 * i), field((4, 5), lambda i, j: i - 0.1 * j)
    tridap.save(folder / "x.h5", {"t": x, "px": x, "py": y}, step=1, xdmf=True, coordinates=("px", "py"))
    tridap.save(folder / "x.h5", {"t": y}, step=4, xdmf=True, coordinates=("px", "py"))
    grids = first(lambda: read(folder / "x.xdmf"))
    assert [time for time, *_ in grids] == [1, 4]
    for _, _, _, geometry, _ in grids:
        assert (geometry[0] == x.allgather()).all() and (geometry[1] == y.allgather()).all() and (geometry[2] == 0).all()


def test_steps_of_vectors_and_large_numbers(folder):
    x = field((3, 4, 2), dtype="u8")
    for step in 0, 1:
        tridap.save(folder / "x.h5", {"v": x + np.uint64(step)}, step=step, xdmf=True, vectors=True)
    for step, (*_, values) in enumerate(first(lambda: read(folder / "x.xdmf"))):
        assert (values["v"][2][0, ..., :2] == x.allgather() + np.uint64(step)).all()


def test_names_of_files_that_xdmf_cannot_have_are_refused(folder):
    x = field((3, 4))
    refused_by_all(COMM, {"has no ':'": lambda: tridap.save(folder / "a:b.h5", {"t": x}, xdmf=True),
                          "has the name of its XDMF file": lambda: tridap.save(folder / "x.xdmf", {"t": x}, xdmf=True)})
    assert not first(lambda: os.listdir(folder))


def test_names_are_written_as_xml_needs_them(folder):
    x = field((2, 3))
    tridap.save(folder / "a&b.h5", {"<t>": x}, xdmf=True)
    (*_, values), = first(lambda: read(folder / "a&b.xdmf"))
    assert (values["<t>"][2] == x.allgather()).all()


def test_processes_that_give_different_times_are_refused(folder):
    if P == 1:
        pytest.skip("one process differs from no other")
    with pytest.raises(tridap.ProtocolError):
        tridap.save(folder / "x.h5", {"t": field((4, 5))}, step=0, time=1.0 + COMM.rank)
    assert not first(lambda: os.listdir(folder))
