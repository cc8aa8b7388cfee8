"""What errors advise in place of what NumPy's arrays can do is executed on the case that made them."""

import array as of_python
import pickle

import numpy as np
import pytest
import scipy.special
import tridap
from computing import Made, shared
from mpi4py import MPI

from remedies import Advice, advice, follow, name_of, names_of, remedy, said_by

COMM = MPI.COMM_WORLD
P = COMM.size
several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")
needs_solvers = pytest.mark.skipif(not tridap.components()["solvers"].built, reason="needs Trilinos")
needs_hdf5 = pytest.mark.skipif(not tridap.components()["hdf5"].built, reason="needs HDF5")


def case(n=5, dtype=float, part=..., **more):
    """An array x, all of its elements, and more: what functions make of x, or values."""
    x = tridap.from_function(tridap.distribution((4 * P, n), ("b", "*"), processes=P), lambda i, j: 10 * i + j, dtype)[part]
    return names_of({"x": x, "comm": COMM, "numpy": np, "tridap": tridap, "whole": x.allgather()}, **more)


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


@pytest.mark.parametrize("name", [name for name in ATTRIBUTES if hasattr(np.ndarray, name)])  # NumPy 2 has no ptp
@remedy("x.local.data is this process's part", "x.local.ctypes is of this process's part", "x.local.base is of this process's part",
        "x[3, 4] is one element", "x.local.view(dtype) is of this process's part", "x.gather() is the whole array on one process")
def test_an_attribute_that_arrays_do_not_have(name):
    pattern, is_right = ATTRIBUTES[name]
    given = {**case(), "axes": (1, 0), "dtype": "i8"}
    assert is_right(follow(given, f"x.{name}", pattern, "{}"), given["x"], given["whole"])


def records():
    local = np.zeros(4, [("name", "f8"), ("other", "i4")])
    local["name"] = COMM.rank
    return {"x": tridap.array(local, tridap.distribution(4 * P, processes=P), COMM), "local": local}


def theirs(x):
    """An array of another library, which describes itself."""
    return type("Theirs", (), {"__distarray__": lambda self: x.__distarray__()})()


def triple(x):
    return tridap.LinearOperator(lambda x, y: np.multiply(x, 3, out=y), x.distribution, COMM)


CASES = [
    Advice("x.real and x.imag are views", lambda: case(dtype=complex), "x.view(float)", r"(x\.real) and x\.imag are views", "{}",
           lambda found, given: np.shares_memory(found, given["x"]) and np.array_equal(found.allgather(), given["whole"].real)),
    Advice("x[3, 4] is one element, and x.sum() that of an array of one", lambda: case(n=1, part=slice(1)), "x.item()",
           r"(x\.sum\(\)) that of an array of one", "{}", lambda found, given: found == 0),
    Advice("pass x.local in place of x", lambda: case(to=np.zeros((4, 5))), "numpy.copyto(to, x)", r"pass (x\.local) in place",
           "numpy.copyto(to, {})", lambda found, given: np.array_equal(given["to"], given["x"].local)),
    Advice("tridap.zeros(tridap.distribution(shape)) makes an array of another shape", lambda: case(shape=(3 * P, 2)),
           "numpy.zeros_like(x, shape=shape)", r"(tridap\.zeros\(tridap\.distribution\(shape\)\)) makes", "{}",
           lambda found, given: found.shape == (3 * P, 2) and found.sum() == 0),
    Advice("x.dot(y) and numpy.vdot(x, y) take any number of axes", lambda: case(y=lambda x: x + 1), "numpy.dot(x, y)",
           r"(x\.dot\(y\)) and", "{}", lambda found, given: np.isclose(found, np.vdot(given["whole"], given["whole"] + 1))),
    Advice("numpy.vdot(x, y) take any number of axes", lambda: case(y=lambda x: x + 1), "numpy.dot(x, y)",
           r"(numpy\.vdot\(x, y\)) take", "{}", lambda found, given: np.isclose(found, np.vdot(given["whole"], given["whole"] + 1))),
    Advice("x.dot(y) is the sum of products of arrays of any number of axes", lambda: case(part=(..., None), y=lambda x: x + 1),
           "x @ y", r"(x\.dot\(y\)) is", "{}", lambda found, given: np.isclose(found, np.vdot(given["whole"], given["whole"] + 1))),
    Advice("pass tridap.asarray(operand, comm)", lambda: case(operand=theirs), "x + operand",
           r"pass (tridap\.asarray\(operand, comm\))", "x + {}", lambda found, given: np.array_equal(found.allgather(), 2 * given["whole"])),
    Advice("must be a DistArray or a NumPy array: pass numpy.asarray(operand)", lambda: case(operand=of_python.array("d", range(5))),
           "x + operand", r"pass (numpy\.asarray\(operand\))", "x + {}",
           lambda found, given: np.array_equal(found.allgather(), given["whole"] + np.arange(5))),
    Advice("numpy.copyto(x, y, where=mask) takes the values of another DistArray", lambda: case(mask=lambda x: x > 7, y=lambda x: -x),
           "x.__setitem__(mask, y)", r"(numpy\.copyto\(x, y, where=mask\)) takes", "{}",
           lambda found, given: np.array_equal(given["x"].allgather(), np.where(given["whole"] > 7, -given["whole"], given["whole"]))),
    Advice("use each process's part, x.interior, or the fields of a record, x.interior['name']", records, "x.sum()",
           r"record, (x\.interior\['name'\])", "{}", lambda found, given: np.array_equal(found, given["local"]["name"])),
    Advice("use each process's part, x.interior, or the fields", records, "x.sum()", r"part, (x\.interior), or", "{}",
           lambda found, given: np.array_equal(found, given["local"])),
    Advice("must be a scalar: x[...] = y takes a DistArray", lambda: case(y=lambda x: -x), "x.fill(y)", r"(x\[\.\.\.\] = y) takes",
           "exec({!r})", lambda found, given: np.array_equal(given["x"].allgather(), -given["whole"])),
    Advice("abs(x).sum(), abs(x).max() and x.norm() are over", case, "x.norm(2)", r"(abs\(x\)\.sum\(\)), ", "{}",
           lambda found, given: np.isclose(found, abs(given["whole"]).sum())),
    Advice("abs(x).max() and x.norm() are over", case, "x.norm(2)", r"(abs\(x\)\.max\(\)) and", "{}",
           lambda found, given: np.isclose(found, abs(given["whole"]).max())),
    Advice("x.norm() are over the elements of any array", case, "x.norm(2)", r"and (x\.norm\(\)) are", "{}",
           lambda found, given: np.isclose(found, np.linalg.norm(given["whole"]))),
    pytest.param(Advice("give y the distribution of x: y.redistribute(x.distribution)", lambda: case(y=lambda x: x.redistribute("c,*")), "x + y",
                        r"(y\.redistribute\(x\.distribution\))", "x + {}",
                        lambda found, given: np.array_equal(found.allgather(), 2 * given["whole"])), marks=several),
    pytest.param(Advice("or make a DistArray of them: y = tridap.empty(x.distribution, comm=x.comm)", lambda: case(operand=lambda x: x.local * 2),
                        "x + operand", r"make a DistArray of them: (.*)(?m:$)", "exec({!r}) or x + y",
                        lambda found, given: np.array_equal(found.local, 3 * given["x"].local)), marks=several),
    pytest.param(Advice("is multiplied from the left: A @ x", lambda: case(A=triple), "x @ A", r"from the left: (A @ x)", "{}",
                        lambda found, given: np.array_equal(found.allgather(), 3 * given["whole"])), marks=needs_solvers),
    pytest.param(Advice("is of this process's part", case, "x.argmax(axis=1)", r": (numpy\.argmax\(x\.interior, axis=1\)) is", "{}",
                        lambda found, given: np.array_equal(found, given["x"].interior.argmax(axis=1))), marks=several),
]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_what_the_error_of_a_call_advises_runs(case):
    case.run()


@needs_hdf5
@remedy("tridap.save('x.h5', {'x': x}) writes all elements to a file", "tridap.save('x.h5', {'x': x}) writes the whole array to a file",
        "a DistArray cannot be pickled, because each process has a part of it: tridap.save('x.h5', {'x': x})")
def test_files_that_numpy_would_write(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for call in ("x.tofile('x.bin')", "x.dump('x.bin')", "x.dumps()", "numpy.save('x.npy', x)", "pickle.dumps(x)"):
        given = case(pickle=pickle)
        follow(given, call, r"(tridap\.save\('x\.h5', \{'x': x\}\)) writes", "{}")
        assert np.array_equal(tridap.load("x.h5", comm=COMM).allgather(), given["whole"])


@remedy("computes with this process's part")
def test_a_numpy_array_as_out():
    given = case(array=np.zeros((4, 5)), expit=scipy.special.expit)
    local = given["x"].local
    for call, y, wanted in [("numpy.sin(x, out=array)", None, np.sin(local)), ("expit(x, out=array)", None, scipy.special.expit(local)),
                            ("numpy.add(x, y, out=array)", 2, local + 2), ("numpy.add(x, y, out=array)", given["x"], 2 * local)]:
        given["y"] = y
        follow(given, call, r": (\S+\(x\.local.*?\)) computes", "{}")
        assert np.array_equal(given["array"], wanted)


@remedy("numpy.where(mask, x, 0) and x[mask] = 0 take a mask")
def test_a_mask_as_a_key():
    given = case()
    given["mask"] = given["x"] > 7
    found = follow(given, "x[mask]", r"(numpy\.where\(mask, x, 0\)) and", "{}")
    assert np.array_equal(found.allgather(), np.where(given["whole"] > 7, given["whole"], 0))
    exec(advice(said_by(lambda: given["x"][given["mask"]]), r"and (x\[mask\] = 0) take"), given)
    assert np.array_equal(given["x"].allgather(), np.where(given["whole"] > 7, 0, given["whole"]))


@remedy("() is true for those that ")
def test_a_place_among_indices_without_numbers():
    for call, of_numpy in (("argmax", np.max), ("argmin", np.min)):
        made = Made(COMM, (shared(P),), (P,))
        x = made.array
        found = follow({"x": x}, f"x.{call}()", r": (x == x\.\w+\(\)) is true", "{}")
        assert found.any() and np.array_equal(found.local, x.local == of_numpy(made.whole))


@remedy("numpy.array_equal(x.interior, y) compares this process's part")
def test_one_part_is_compared_with_a_numpy_array():
    given = case()
    for y, equal in ((given["x"].interior.copy(), True), (given["x"].interior + 1, False)):
        given["y"] = y
        assert follow(given, "numpy.array_equal(x, y)", r": (numpy\.array_equal\(x\.interior, y\)) comp", "{}") == equal


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


INSTEAD = {
    "average": (lambda x: np.average(x, weights=x), lambda whole: np.average(whole, weights=whole)),
    "count_nonzero": (np.count_nonzero, np.count_nonzero), "nansum": (np.nansum, np.nansum), "ptp": (np.ptp, np.ptp)}


@remedy("(x != 0).sum()", "numpy.nan_to_num(x).sum()", "numpy.sum(x * weights) / numpy.sum(weights)")
@pytest.mark.parametrize("name", INSTEAD)
def test_a_function_of_numpy_that_would_see_one_process(name):
    call, of_numpy = INSTEAD[name]
    given = {**case(weights=lambda x: x), "call": call}
    assert follow(given, "call(x)", r"this process alone: (.*?); x\.gather", "{}") == of_numpy(given["whole"])


@several
@remedy("call x.any() or x.all()", "float(x.sum())", "int(x.sum())", "complex(x.sum())", "(x == value).any() searches the whole")
@pytest.mark.parametrize("call, patterns", [
    ("bool(x)", [r"call (x\.any\(\))", r"or (x\.all\(\))"]), ("float(x)", [r"(float\(x\.sum\(\)\))"]), ("int(x)", [r"(int\(x\.sum\(\)\))"]),
    ("complex(x)", [r"(complex\(x\.sum\(\)\))"]), ("iter(x)", [r"(x\.sum\(\)), ", r"(x\.max\(\)), ", r"(x\.gather\(\))", r"(x\.interior)"]),
    ("3 in x", [r"(\(x == value\)\.any\(\)) searches"]), ("x[2]", [r"(x\[2:3\])"]), ("numpy.add.reduce(x)", [r"(x\.sum\(\)) is"]),
    ("numpy.asarray(x)", [r"(x\.local) is", r"(x\.interior) is", r"(x\.gather\(\)) is"])])
def test_an_operation_that_has_no_answer_on_one_process(call, patterns):
    for pattern in patterns:
        follow(case(value=3), call, pattern, "{}")


@several
@remedy("after tridap.set_option(array=\"local\") these functions get x.local")
def test_numpy_gets_the_local_part_by_the_option_advised():
    given = case()
    before = follow(given, "numpy.asarray(x)", r"after (tridap\.set_option\(.*?\))", "{}")
    try:
        assert np.shares_memory(np.asarray(given["x"]), given["x"].local)
    finally:
        tridap.set_option(**before)
