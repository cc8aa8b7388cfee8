"""Texts that UTF-8 cannot encode, such as those that os.fsdecode makes of other file names."""

import os

import numpy as np
import pytest
import scipy.sparse as sp
import tridap

BAD = "a\udcffb"


def rows(dist, comm):
    return sp.identity(dist.shape[0], format="csr")[dist.indices(comm.rank)[0]]


CALLS = {
    "method": lambda c, A, b, text: tridap.solve(A, b, method=text("cg")),
    "preconditioner": lambda c, A, b, text: tridap.solve(A, b, preconditioner=text("ifpack2")),
    "M": lambda c, A, b, text: tridap.solve(A, b, M=text("ifpack2")),
    "options": lambda c, A, b, text: tridap.solve(A, b, options={text("Output Frequency"): 1}),
    "value": lambda c, A, b, text: tridap.solve(A, b, method="gmres", options={"Orthogonalization": text("DGKS")}),
    "copy": lambda c, A, b, text: tridap.solve(A, b, copy=text("if_needed")),
    "Preconditioner": lambda c, A, b, text: tridap.Preconditioner(A, text("ifpack2")),
    "which": lambda c, A, b, text: tridap.eigsh(A, 1, which=text("SA")),
    "eigsh method": lambda c, A, b, text: tridap.eigsh(A, 1, method=text("lobpcg")),
    "order": lambda c, A, b, text: tridap.Matrix(rows(A.distribution, c), A.distribution, order=text("C")),
    "to": lambda c, A, b, text: b.redistribute(text("c")),
    "move order": lambda c, A, b, text: b.redistribute("c", order=text("C")),
    "dist_type": lambda c, A, b, text: tridap.asarray(stated(c, A, dist_type=text("b")), c),
    "key": lambda c, A, b, text: tridap.asarray(stated(c, A, **{text("other"): 1}), c),
}


def stated(comm, A, **more):
    dist = A.distribution
    return {"__version__": "0.10.0", "buffer": np.zeros(dist.local_shape(comm.rank)),
            "dim_data": [dict(dist.dim_data(comm.rank)[0], **more)]}


@pytest.mark.parametrize("name", CALLS)
def test_a_text_that_is_not_utf8_is_shown_by_one_error_on_all(comm, name):
    dist = tridap.distribution(2 * comm.size, "b", processes=comm.size)
    A = tridap.Matrix(rows(dist, comm), dist)
    last = comm.rank == comm.size - 1
    with pytest.raises((tridap.ProtocolError, ValueError)) as raised:  # ValueError on one process
        CALLS[name](comm, A, tridap.from_function(dist, lambda i: 1.0 + i), lambda good: BAD if last else good)
    text = str(raised.value)
    assert r"a\udcffb" in text and "pybind" not in text.lower() and len(set(comm.allgather(text))) == 1


def test_local_calls_name_the_text_too(comm):
    dist = tridap.distribution(comm.size, "b", processes=comm.size)
    for call in (lambda: dist.indices(0, BAD), lambda: dist.count(0, BAD), lambda: dist.dim_data(0, BAD),
                 lambda: tridap.zeros(dist, order=BAD), lambda: tridap.set_option(array=BAD),
                 lambda: tridap.distribution(4, BAD)):
        with pytest.raises(ValueError, match="udcffb"):
            call()
    assert r"a\udcffb" in dist.draw(title=BAD)


def test_a_capture_has_any_name_that_the_system_allows(comm, tmp_path_factory):
    folder = comm.bcast(str(tmp_path_factory.mktemp("names")) if comm.rank == 0 else None)
    path = os.path.join(folder, os.fsdecode(b"cap\xff.json"))
    tridap.zeros(tridap.distribution(comm.size, "b", processes=comm.size)).write_capture(path)
    assert os.path.exists(os.fsencode(path))


def test_files_have_any_name_that_the_system_allows(comm, tmp_path_factory):
    if not tridap.components()["hdf5"].built:
        pytest.skip("needs HDF5")
    folder = comm.bcast(str(tmp_path_factory.mktemp("names")) if comm.rank == 0 else None)
    path = os.path.join(folder, os.fsdecode(b"run\xff.h5"))
    x = tridap.from_function(tridap.distribution(3 * comm.size, "b", processes=comm.size), lambda i: 1.0 * i)
    tridap.save(path, {"x": x}, {"time": 2.5})
    assert os.path.exists(os.fsencode(path))
    np.testing.assert_array_equal(tridap.load(path, "x").local, x.local)
    assert tridap.load_attrs(path)["time"] == 2.5
    last = comm.rank == comm.size - 1
    for call in (lambda: tridap.save(path, {BAD if last else "x": x}), lambda: tridap.save(path, {"x": x}, {BAD if last else "a": 1}),
                 lambda: tridap.save(path, {"x": x}, {"a": BAD if last else "b"}), lambda: tridap.load(path, BAD if last else "x"),
                 lambda: tridap.load_attrs(path, BAD)):
        with pytest.raises(tridap.ProtocolError, match="must be text that UTF-8 can encode"):
            call()
