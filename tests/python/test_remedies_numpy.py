"""What errors advise in place of what NumPy's arrays can do is executed on the case that made them."""

import array as of_python
import os

import numpy as np
import pytest
import scipy.special
import tridap
from computing import Made, shared
from mpi4py import MPI

from remedies import advice, follow, remedy, said_by

COMM = MPI.COMM_WORLD
P = COMM.size
several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")
needs_hdf5 = pytest.mark.skipif(not tridap.components()["hdf5"].built, reason="needs HDF5")


def case(n=5, dtype=float, **more):
    x = tridap.from_function(tridap.distribution((4 * P, n), ("b", "*"), processes=P), lambda i, j: 10 * i + j, dtype)
    return {"x": x, "comm": COMM, "numpy": np, "tridap": tridap, "whole": x.allgather(), **more}


@pytest.fixture
def folder(tmp_path_factory):
    """A folder of all processes, in which they are during the test."""
    here = os.getcwd()
    os.chdir(COMM.bcast(str(tmp_path_factory.mktemp("remedies")) if COMM.rank == 0 else None))
    yield
    os.chdir(here)


ATTRIBUTES = {
    "flags": (r"(x\.local\.flags) has", lambda found, x, whole: found.c_contiguous),
    "strides": (r"(x\.local\.strides) has", lambda found, x, whole: found == (8 * 5, 8)),
    "data": (r"(x\.local\.data) is", lambda found, x, whole: found == memoryview(x.local)),
    "ctypes": (r"(x\.local\.ctypes) is", lambda found, x, whole: found.data == x.local.ctypes.data),
    "base": (r"(x\.local\.base) is", lambda found, x, whole: found is x.local.base),
    "tolist": (r"(x\.allgather\(\)\.tolist\(\)) has", lambda found, x, whole: found == whole.tolist()),
    "tobytes": (r"(x\.allgather\(\)\.tobytes\(\)) has", lambda found, x, whole: found == whole.tobytes()),
    "flat": (r"(x\.allgather\(\)\.flat) has", lambda found, x, whole: found[7] == whole.flat[7]),
    "item": (r"(x\[3, 4\]) is", lambda found, x, whole: found == whole[3, 4]),
    "swapaxes": (r"(x\.transpose\(axes\)) changes", lambda found, x, whole: np.array_equal(found.allgather(), whole.T)),
    "view": (r"(x\.local\.view\(dtype\)) is", lambda found, x, whole: np.array_equal(found, x.local.view("i8"))),
    "cumsum": (r"(x\.gather\(\)) is", lambda found, x, whole: COMM.rank > 0 or np.array_equal(found, whole)),
    "ptp": (r"(x\.max\(\) - x\.min\(\))", lambda found, x, whole: found == np.ptp(whole)),
}


@pytest.mark.parametrize("name", ATTRIBUTES)
@remedy("x.local.data is this process's part", "x.local.ctypes is of this process's part", "x.local.base is of this process's part",
        "x[3, 4] is one element", "x.local.view(dtype) is of this process's part", "x.gather() is the whole array on one process")
def test_an_attribute_that_arrays_do_not_have(name):
    pattern, is_right = ATTRIBUTES[name]
    given = {**case(), "axes": (1, 0), "dtype": "i8"}
    assert is_right(follow(given, f"x.{name}", pattern, "{}"), given["x"], given["whole"])


@remedy("x.real and x.imag are views")
def test_views_of_other_types():
    given = case(dtype=complex)
    found = follow(given, "x.view(float)", r"(x\.real) and x\.imag are views", "{}")
    assert np.shares_memory(found, given["x"]) and np.array_equal(found.allgather(), given["whole"].real)


def test_an_array_of_one_element_gives_it():
    given = case(n=1)
    given["x"] = given["x"][:1]
    assert follow(given, "x.item()", r"(x\.sum\(\)) that of an array of one", "{}") == 0


@needs_hdf5
@remedy("tridap.save('x.h5', {'x': x}) writes all elements to a file", "tridap.save('x.h5', {'x': x}) writes the whole array to a file")
def test_files_that_numpy_would_write(folder):
    for call in ("x.tofile('x.bin')", "x.dump('x.bin')", "x.dumps()", "numpy.save('x.npy', x)"):
        given = case()
        follow(given, call, r"(tridap\.save\('x\.h5', \{'x': x\}\)) writes", "{}")
        assert np.array_equal(tridap.load("x.h5", comm=COMM).allgather(), given["whole"])


@remedy("pass x.local in place of x")
def test_a_numpy_array_that_is_written():
    given = case(to=np.zeros((4, 5)))
    follow(given, "numpy.copyto(to, x)", r"pass (x\.local) in place", "numpy.copyto(to, {})")
    assert np.array_equal(given["to"], given["x"].local)


@remedy("tridap.zeros(tridap.distribution(shape)) makes an array of another shape")
def test_zeros_like_of_another_shape():
    given = case(shape=(3 * P, 2))
    found = follow(given, "numpy.zeros_like(x, shape=shape)", r"(tridap\.zeros\(tridap\.distribution\(shape\)\)) makes", "{}")
    assert found.shape == (3 * P, 2) and found.sum() == 0


@remedy("x.dot(y) and numpy.vdot(x, y) take any number of axes")
def test_a_product_of_arrays_of_two_axes():
    given = case()
    given["y"] = given["x"] + 1
    wanted = np.vdot(given["whole"], given["whole"] + 1)
    for pattern in (r"(x\.dot\(y\)) and", r"(numpy\.vdot\(x, y\)) take"):
        assert np.isclose(follow(given, "numpy.dot(x, y)", pattern, "{}"), wanted)


@remedy("x.dot(y) is the sum of products of arrays of any number of axes")
def test_a_matrix_product_of_arrays_of_three_axes():
    given = case()
    given["x"] = given["x"][:, :, None]
    given["y"] = given["x"] + 1
    assert np.isclose(follow(given, "x @ y", r"(x\.dot\(y\)) is", "{}"), np.vdot(given["whole"], given["whole"] + 1))


@remedy("computes with this process's part")
def test_a_numpy_array_as_out():
    given = case(array=np.zeros((4, 5)), expit=scipy.special.expit)
    local = given["x"].local
    for call, y, wanted in [("numpy.sin(x, out=array)", None, np.sin(local)), ("expit(x, out=array)", None, scipy.special.expit(local)),
                            ("numpy.add(x, y, out=array)", 2, local + 2), ("numpy.add(x, y, out=array)", given["x"], 2 * local)]:
        given["y"] = y
        follow(given, call, r": (\S+\(x\.local.*?\)) computes", "{}")
        assert np.array_equal(given["array"], wanted)


@remedy("pass tridap.asarray(operand, comm)")
def test_an_operand_that_describes_itself():
    given = case()

    class Theirs:
        def __distarray__(self):
            return given["x"].__distarray__()

    given["operand"] = Theirs()
    found = follow(given, "x + operand", r"pass (tridap\.asarray\(operand, comm\))", "x + {}")
    assert np.array_equal(found.allgather(), 2 * given["whole"])


@remedy("must be a DistArray or a NumPy array: pass numpy.asarray(operand)")
def test_an_operand_of_another_library():
    given = case(operand=of_python.array("d", [1, 2, 3, 4, 5]))
    found = follow(given, "x + operand", r"pass (numpy\.asarray\(operand\))", "x + {}")
    assert np.array_equal(found.allgather(), given["whole"] + [1, 2, 3, 4, 5])


@several
@remedy("v.update_padding() fills the padding again after v changes")
def test_shifted_parts_of_one_array():
    dist = tridap.distribution(4 * P, processes=P)
    given = {"u": tridap.from_function(dist, lambda i: i * i), "tridap": tridap}
    text = said_by(lambda: given["u"][2:] + given["u"][:-2])
    exec(advice(text, r"(v = u\.redistribute\(.*?\)) has padding of 1"), given)
    v = given["v"]
    whole = np.arange(4 * P) ** 2
    (held,) = v.distribution.indices(COMM.rank, "local")
    found = eval(advice(text, r"(v\.local\[2:\] \+ v\.local\[:-2\]) then"), given)
    assert np.array_equal(found, whole[held[2:]] + whole[held[:-2]])
    v.interior[...] += 1
    eval(advice(text, r"(v\.update_padding\(\)) fills"), given)
    assert np.array_equal(v.local, whole[held] + 1)


@remedy("numpy.where(mask, x, 0) and x[mask] = 0 take a mask")
def test_a_mask_as_a_key():
    given = case()
    given["mask"] = given["x"] > 7
    found = follow(given, "x[mask]", r"(numpy\.where\(mask, x, 0\)) and", "{}")
    assert np.array_equal(found.allgather(), np.where(given["whole"] > 7, given["whole"], 0))
    exec(advice(said_by(lambda: given["x"][given["mask"]]), r"and (x\[mask\] = 0) take"), given)
    assert np.array_equal(given["x"].allgather(), np.where(given["whole"] > 7, 0, given["whole"]))


@remedy("numpy.copyto(x, y, where=mask) takes the values of another DistArray")
def test_values_of_another_array_by_a_mask():
    given = case()
    given["mask"], given["y"] = given["x"] > 7, -given["x"]
    text = said_by(lambda: given["x"].__setitem__(given["mask"], given["y"]))
    eval(advice(text, r"(numpy\.copyto\(x, y, where=mask\)) takes"), given)
    assert np.array_equal(given["x"].allgather(), np.where(given["whole"] > 7, -given["whole"], given["whole"]))


@remedy("use each process's part, x.interior, or the fields of a record, x.interior['name']")
def test_a_sum_of_records():
    local = np.zeros(4, [("name", "f8"), ("other", "i4")])
    local["name"] = COMM.rank
    x = tridap.array(local, tridap.distribution(4 * P, processes=P), COMM)
    found = follow({"x": x}, "x.sum()", r"record, (x\.interior\['name'\])", "{}")
    assert np.array_equal(found, local["name"])
    assert np.array_equal(follow({"x": x}, "x.sum()", r"part, (x\.interior), or", "{}"), local)


@remedy("() is true for those that ")
def test_a_place_among_indices_without_numbers():
    for call, of_numpy in (("argmax", np.max), ("argmin", np.min)):
        made = Made(COMM, (shared(P),), (P,))
        x = made.array
        found = follow({"x": x}, f"x.{call}()", r": (x == x\.\w+\(\)) is true", "{}")
        assert found.any() and np.array_equal(found.local, x.local == of_numpy(made.whole))


@remedy("abs(x).sum(), abs(x).max() and x.norm() are over the elements of any array")
def test_a_norm_that_is_not_of_elements():
    given = case()
    whole = given["whole"]
    for pattern, wanted in [(r"(abs\(x\)\.sum\(\)), ", abs(whole).sum()), (r"(abs\(x\)\.max\(\)) and", abs(whole).max()),
                            (r"and (x\.norm\(\)) are", np.linalg.norm(whole))]:
        assert np.isclose(follow(given, "x.norm(2)", pattern, "{}"), wanted)


@remedy("numpy.array_equal(x.interior, y) compares this process's part")
def test_one_part_is_compared_with_a_numpy_array():
    given = case()
    for y, equal in ((given["x"].interior.copy(), True), (given["x"].interior + 1, False)):
        given["y"] = y
        assert follow(given, "numpy.array_equal(x, y)", r": (numpy\.array_equal\(x\.interior, y\)) comp", "{}") == equal


@remedy("must be a scalar: x[...] = y takes a DistArray")
def test_an_array_to_fill_with():
    given = case()
    given["y"] = -given["x"]
    exec(advice(said_by(lambda: given["x"].fill(given["y"])), r"(x\[\.\.\.\] = y) takes"), given)
    assert np.array_equal(given["x"].allgather(), -given["whole"])


@pytest.mark.skipif(not tridap.components()["solvers"].built, reason="needs Trilinos")
@remedy("is multiplied from the left: A @ x")
def test_a_product_with_an_operator_on_the_right():
    given = case()
    given["A"] = tridap.LinearOperator(lambda x, y: np.multiply(x, 3, out=y), given["x"].distribution, COMM)
    found = follow(given, "x @ A", r"from the left: (A @ x)", "{}")
    assert np.array_equal(found.allgather(), 3 * given["whole"])


@several
def test_an_extreme_along_an_axis_is_of_this_processs_part():
    given = case()
    found = follow(given, "x.argmax(axis=1)", r": (numpy\.argmax\(x\.interior, axis=1\)) is", "{}")
    assert np.array_equal(found, given["x"].interior.argmax(axis=1))


@remedy("fill it, as numpy.ma.filled(values, 0) does")
def test_a_mask_is_filled():
    values = np.ma.array([1.0, 2, 3, 4, 5], mask=[0, 1, 0, 0, 0])
    given = case(values=values)
    found = follow(given, "x * values", r"as (numpy\.ma\.filled\(values, 0\)) does", "x * {}")
    assert np.array_equal(found.allgather(), given["whole"] * [1, 0, 3, 4, 5])
    given["dist"] = given["x"].distribution
    found = follow(given, "tridap.from_function(dist, lambda i, j: values)", r"as (numpy\.ma\.filled\(values, 0\)) does",
                   "tridap.from_function(dist, lambda i, j: {})")
    assert np.array_equal(found.allgather()[0], [1, 0, 3, 4, 5])
