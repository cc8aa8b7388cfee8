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
    "sum dtype": lambda c, A, b, text: b.sum(dtype=text("f8")),
    "prod dtype": lambda c, A, b, text: np.prod(b, dtype=text("f8")),
    "mean dtype": lambda c, A, b, text: b.mean(dtype=text("f8")),
    "std dtype": lambda c, A, b, text: b.std(dtype=text("f8")),
    "plan dtype": lambda c, A, b, text: tridap.Redistribution(b.distribution, A.distribution, text("f8"), c),
    "convert": lambda c, A, b, text: b.redistribute("c", convert=text("f4")),
    "ids dtype": lambda c, A, b, text: tridap.to_ids(b, [], text("f8"), c, partial=True),
    "ravel": lambda c, A, b, text: tridap.redistribute(b, A.distribution, ravel=text("C")),
}
PETSC = {
    "copy": lambda petsc, b, text: petsc.import_array(b, copy=text("if_needed")),
    "ordering": lambda petsc, b, text: petsc.make_ordering(b, copy=text("if_needed")),
    "dm": lambda petsc, b, text: petsc.import_array(b, text(None)),
    "stencil": lambda petsc, b, text: petsc.create_dmda(b.distribution, b.comm, stencil=text("box")),
}
SCALAPACK = {
    "order": lambda dense, M, b, text: dense.ProcessGrid(1, M.comm.size, M.comm, order=text("R")),
    "nprow": lambda dense, M, b, text: dense.ProcessGrid(text(1), M.comm.size, M.comm),
    "copy of solve": lambda dense, M, b, text: dense.solve(M, b, copy=text("if_needed")),
    "copy of cholesky": lambda dense, M, b, text: dense.cholesky(M, copy=text("if_needed")),
    "copy of eigh": lambda dense, M, b, text: dense.eigh(M, copy=text("if_needed")),
    "copy of svd": lambda dense, M, b, text: dense.svd(M, copy=text("if_needed")),
    "copy of qr": lambda dense, M, b, text: dense.qr(M, copy=text("if_needed")),
    "copy of lstsq": lambda dense, M, b, text: dense.lstsq(M, b, copy=text("if_needed")),
    "cond": lambda dense, M, b, text: dense.lstsq(M, b, text(0.5), copy="if_needed"),
    "trans_a": lambda dense, M, b, text: dense.matmul(M, b, trans_a=text("N"), copy="if_needed"),
    "trans_b": lambda dense, M, b, text: dense.matmul(M, M, trans_b=text("N"), copy="if_needed"),
}


def stated(comm, A, **more):
    dist = A.distribution
    return {"__version__": "0.10.0", "buffer": np.zeros(dist.local_shape(comm.rank)),
            "dim_data": [dict(dist.dim_data(comm.rank)[0], **more)]}


def refused_by_name(comm, call):
    """Calls call(text), in which text(good) is a bad text on the last process: all processes raise what shows it."""
    last = comm.rank == comm.size - 1
    with pytest.raises((tridap.ProtocolError, ValueError, TypeError)) as raised:  # ProtocolError on several processes
        call(lambda good: BAD if last else good)
    text = str(raised.value)
    assert r"a\udcffb" in text and "pybind" not in text.lower() and "codec" not in text
    assert len(set(comm.allgather(text))) == 1


@pytest.mark.parametrize("name", CALLS)
def test_a_text_that_is_not_utf8_is_shown_by_one_error_on_all(comm, name):
    dist = tridap.distribution(2 * comm.size, "b", processes=comm.size)
    A = tridap.Matrix(rows(dist, comm), dist)
    b = tridap.from_function(dist, lambda i: 1.0 + i)
    refused_by_name(comm, lambda text: CALLS[name](comm, A, b, text))


@pytest.mark.parametrize("name", PETSC)
def test_texts_of_petsc_are_shown_too(comm, name):
    if not tridap.components()["petsc"].built:
        pytest.skip("needs PETSc")
    import petsc4py
    petsc4py.init(["tests", "-no_signal_handler"])
    from tridap import petsc
    b = tridap.zeros(tridap.distribution(2 * comm.size, "b", processes=comm.size), comm=comm)
    refused_by_name(comm, lambda text: PETSC[name](petsc, b, text))


@pytest.mark.parametrize("name", SCALAPACK)
def test_texts_of_scalapack_are_shown_too(comm, name):
    if not tridap.components()["scalapack"].built:
        pytest.skip("needs ScaLAPACK")
    from tridap import scalapack
    n = 2 * comm.size
    M = tridap.from_function(tridap.distribution((n, n), "b,*", processes=comm.size), lambda i, j: 1.0 * (i == j), comm=comm)
    b = tridap.zeros(tridap.distribution(n, "b", processes=comm.size), comm=comm)
    refused_by_name(comm, lambda text: SCALAPACK[name](scalapack, M, b, text))


def test_local_calls_name_the_text_too(comm):
    dist = tridap.distribution(comm.size, "b", processes=comm.size)
    x = tridap.zeros(dist, comm=comm)
    for call in (lambda: dist.indices(0, BAD), lambda: dist.count(0, BAD), lambda: dist.dim_data(0, BAD),
                 lambda: tridap.zeros(dist, order=BAD), lambda: tridap.set_option(array=BAD),
                 lambda: tridap.distribution(4, BAD), lambda: tridap.zeros(dist, BAD), lambda: x.astype(BAD),
                 lambda: x.astype(float, casting=BAD), lambda: x.copy(BAD), lambda: x.to(BAD), lambda: np.zeros_like(x, BAD),
                 lambda: np.add(x, x, dtype=BAD), lambda: np.add(x, x, casting=BAD), lambda: np.copyto(x, x, casting=BAD),
                 lambda: tridap.relabel(dist, dist, BAD), lambda: tridap.from_function(dist, lambda i: i, BAD)):
        with pytest.raises(ValueError, match=r"a\\udcffb"):
            call()
    assert r"a\udcffb" in dist.draw(title=BAD)
    assert r"a\udcffb" in dist.to_html(title=BAD) and r"a\udcffb" in x.to_html(title=BAD)


def test_a_capture_has_any_name_that_the_system_allows(comm, folder):
    path = os.path.join(folder, os.fsdecode(b"cap\xff.json"))
    tridap.zeros(tridap.distribution(comm.size, "b", processes=comm.size)).write_capture(path)
    assert os.path.exists(os.fsencode(path))


def test_files_have_any_name_that_the_system_allows(comm, folder):
    if not tridap.components()["hdf5"].built:
        pytest.skip("needs HDF5")
    path = os.path.join(folder, os.fsdecode(b"run\xff.h5"))
    x = tridap.from_function(tridap.distribution(3 * comm.size, "b", processes=comm.size), lambda i: 1.0 * i)
    tridap.save(path, {"x": x}, {"time": 2.5})
    assert os.path.exists(os.fsencode(path))
    np.testing.assert_array_equal(tridap.load(path, "x").local, x.local)
    assert tridap.load_attrs(path)["time"] == 2.5
    last = comm.rank == comm.size - 1
    record = tridap.zeros(x.distribution, [(BAD if last else "field", "f8")], comm=comm)
    with pytest.raises(tridap.ProtocolError, match=r"a\\udcffb") as raised:
        tridap.save(path, {"record": record})
    assert len(set(comm.allgather(str(raised.value)))) == 1
    for call in (lambda: tridap.save(path, {BAD if last else "x": x}), lambda: tridap.save(path, {"x": x}, {BAD if last else "a": 1}),
                 lambda: tridap.save(path, {"x": x}, {"a": BAD if last else "b"}), lambda: tridap.load(path, BAD if last else "x"),
                 lambda: tridap.load_attrs(path, BAD)):
        with pytest.raises(tridap.ProtocolError, match="must be text that UTF-8 can encode"):
            call()
