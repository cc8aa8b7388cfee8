"""What the messages of `tridap.save` about zarr stores and XDMF files advise is executed, and is right."""

import re

import numpy as np
import tridap
from mpi4py import MPI

from remedies import remedy, said_by

COMM = MPI.COMM_WORLD


def field(dtype):
    return tridap.from_function(tridap.distribution((3, 4), processes=COMM.size), lambda i, j: 10 * i + j, dtype, comm=COMM)


@remedy("save its parts as two arrays (in Python {", "save it as uint8 (in Python x.astype('u1'))",
        "save it as float32 (in Python x.astype('f4'))", "save it as float64 (in Python x.astype('f8'))")
def test_elements_that_paraview_has_not_are_saved_as_others(folder):
    patterns = {"c16": r"save its parts as two arrays: (\{.*?\})", "?": r"as uint8: (x\.astype\('u1'\))",
                "f2": r"as float32: (x\.astype\('f4'\))", "g": r"as float64: (x\.astype\('f8'\))"}
    for dtype, pattern in patterns.items():
        x = field(dtype)
        text = said_by(lambda: tridap.save(folder / "x.h5", {"x": x}, xdmf=True))  # noqa: B023
        advised = eval(re.search(pattern, text)[1], {"x": x})
        advised = advised if isinstance(advised, dict) else {"x": advised}
        tridap.save(folder / "x.h5", advised, xdmf=True)
        assert sum(tridap.load(folder / "x.h5", name, comm=COMM).sum() for name in advised) == x.sum()


@remedy("are for XDMF: pass xdmf=True, too", "pass step, too, or attrs={'time': time}")
def test_options_that_need_others_are_given_with_them(folder):
    x = field("f8")
    assert "pass xdmf=True, too" in said_by(lambda: tridap.save(folder / "x.h5", {"x": x}, origin=(1, 2)))
    tridap.save(folder / "x.h5", {"x": x}, origin=(1, 2), xdmf=True)
    text = said_by(lambda: tridap.save(folder / "x.h5", {"x": x}, time=2.5))
    advised = re.search(r"or (attrs=\{.*?\})", text)[1]
    options = eval("dict(" + advised + ")", {"time": 2.5})
    tridap.save(folder / "x.h5", {"x": x}, **options)
    assert tridap.load_attrs(folder / "x.h5", comm=COMM)["time"] == 2.5
    tridap.save(folder / "y.h5", {"x": x}, time=2.5, step=0)
    assert tridap.load_attrs(folder / "y.h5", comm=COMM)["step_times"] == [2.5]


@remedy("the distribution has indices outside of the axis, and the store does not have these: load it with to='b'")
def test_a_store_without_these_indices_is_loaded_in_blocks(folder):
    import pytest
    pytest.importorskip("zarr")
    x = tridap.from_function(tridap.distribution((2 * COMM.size,), processes=COMM.size), lambda i: i, comm=COMM)
    tridap.save(folder / "x.zarr", {"x": x})
    lists = tridap.distribution((2 * COMM.size,), tridap.unstructured([[-p, 9 + p] for p in range(COMM.size)]))
    text = said_by(lambda: tridap.load(folder / "x.zarr", "x", lists, comm=COMM))
    y = tridap.load(folder / "x.zarr", "x", comm=COMM, to=re.search("load it with to='(b)'", text)[1])
    assert np.array_equal(y.allgather(), x.allgather())
