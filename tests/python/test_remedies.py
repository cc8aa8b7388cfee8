"""What an error advises is Python that can be pasted: each remedy runs on the case that made it."""

import os
import pickle
import re

import numpy as np
import pytest
import scipy.sparse
import tridap
from mpi4py import MPI

from remedies import remedy

COMM = MPI.COMM_WORLD
P = COMM.size


def rows_of(n=4):
    return tridap.from_function(tridap.distribution((2 * P, n), ("b", "*"), processes=P), lambda i, j: 10 * i + j)


def said_by(call, kind=Exception):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value).splitlines()[0]


def advice(text, pattern):
    """The part of a message that is code."""
    found = re.search(pattern, text)
    assert found, text
    return found[1]


def laplace(n):
    line = tridap.distribution(n, processes=P)
    (mine,) = line.indices(COMM.rank)
    rows = scipy.sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n), format="csr")[mine]
    return tridap.Matrix(rows, line, COMM), tridap.from_function(line, lambda i: 1.0 + i)


def solves(A, b, given, code):
    """Whether a solve with what `code` makes of `given` has the solution of `b`."""
    values = {"A": A, "b": given, "tridap": tridap, "numpy": np}
    x = tridap.solve(A, eval(code, values)).x
    return (b - A @ x).norm() < 1e-6 * b.norm()


def test_a_numpy_array_for_solve():
    A, b = laplace(5 * P)
    text = said_by(lambda: tridap.solve(A, b.local), TypeError)
    assert "b is a NumPy array" in text
    assert solves(A, b, b.local, advice(text, r"(tridap\.array\(b, .*?\)) makes"))


def test_an_argument_that_is_no_array_for_solve():
    A, b = laplace(5 * P)
    made = eval(advice(said_by(lambda: tridap.solve(A, 3), TypeError), r"(tridap\.zeros\(.*?\)) makes"), {"A": A, "tridap": tridap})
    made.local[...] = b.local
    assert tridap.solve(A, made).converged


@pytest.mark.parametrize("how", ["strided", "of float32"])
def test_memory_that_solve_cannot_use(how):
    A, b = laplace(5 * P)
    memory = np.zeros(2 * len(b.local))[::2]
    memory[...] = b.local
    strided = tridap.array(memory, b.distribution, COMM)
    if how == "of float32":
        text = said_by(lambda: tridap.solve(A, b.astype("f4")), tridap.ProtocolError)
        assert "must be float64" in text
    else:
        text = said_by(lambda: tridap.solve(A, strided), tridap.ProtocolError)
        assert "copy=None, but" in text and "never" not in text and "=if_needed" not in text
        options = eval(f"dict({advice(text, r'pass (copy=.*?), or')})")
        assert tridap.solve(A, strided, **options).converged


@remedy("pass numpy.asarray(local), whose memory the array then uses")
def test_a_list_for_array():
    d = tridap.distribution(2 * P, processes=P)
    local = [1.0, 2.0]
    text = said_by(lambda: tridap.array(local, d, COMM), tridap.ProtocolError)
    values = {"local": local, "numpy": np}
    assert tridap.array(eval(advice(text, r"pass (numpy\.asarray\(local\))"), values), d, COMM).sum() == 3 * P
    assert "copy" not in text


@remedy("pass tridap.array(array, tridap.distribution(shape))")
def test_a_numpy_array_for_redistribute():
    x = tridap.from_function(tridap.distribution(3 * P, processes=P), lambda i: i * i)
    array, shape = x.local, x.shape
    for call in (lambda: tridap.redistribute(array, "c", comm=COMM), lambda: tridap.asarray(array, COMM)):
        code = advice(said_by(call, tridap.ProtocolError), r"pass (tridap\.array\(.*\)), an array")
        made = eval(code, {"array": array, "shape": shape, "tridap": tridap})
        assert made.shape == x.shape and made.sum() == x.sum()


@remedy("give y the distribution of x: y.redistribute(x.distribution)")
def test_arrays_of_two_distributions():
    x = rows_of()
    y = x.redistribute("c,*")
    if P == 1:
        pytest.skip("needs at least 2 processes")
    code = advice(said_by(lambda: x + y), r"(y\.redistribute\(x\.distribution\))")
    assert ((x + eval(code)) - 2 * x).norm() == 0


@remedy("or make a DistArray of them: y = tridap.empty(x.distribution, comm=x.comm)")
def test_a_numpy_operand():
    if P == 1:
        pytest.skip("on one process it is the whole array")
    x = rows_of()
    operand = x.local * 2
    values = {"x": x, "operand": operand, "tridap": tridap}
    exec(advice(said_by(lambda: x + operand), r"make a DistArray of them: (.*)$"), values)
    assert np.array_equal((x + values["y"]).local, 3 * x.local)


INSTEAD = {
    "average": (lambda x: np.average(x, weights=x), lambda whole: np.average(whole, weights=whole)),
    "count_nonzero": (np.count_nonzero, np.count_nonzero), "nansum": (np.nansum, np.nansum), "ptp": (np.ptp, np.ptp)}


@remedy("(x != 0).sum()", "numpy.nan_to_num(x).sum()", "numpy.sum(x * weights) / numpy.sum(weights)")
@pytest.mark.parametrize("name", INSTEAD)
def test_a_function_of_numpy_that_would_see_one_process(name):
    x = rows_of()
    call, of_numpy = INSTEAD[name]
    code = advice(said_by(lambda: call(x), TypeError), r"this process alone: (.*?); x\.gather")
    assert eval(code, {"x": x, "weights": x, "numpy": np}) == of_numpy(x.allgather())


@remedy("call x.any() or x.all()", "float(x.sum())", "int(x.sum())", "complex(x.sum())", "(x == value).any() searches the whole")
@pytest.mark.parametrize("call, patterns", [
    (bool, [r"call (x\.any\(\))", r"or (x\.all\(\))"]), (float, [r"(float\(x\.sum\(\)\))"]), (int, [r"(int\(x\.sum\(\)\))"]),
    (complex, [r"(complex\(x\.sum\(\)\))"]), (iter, [r"(x\.sum\(\)), ", r"(x\.max\(\)), ", r"(x\.gather\(\))", r"(x\.interior)"]),
    (lambda x: 3 in x, [r"(\(x == value\)\.any\(\)) searches"]), (lambda x: x[2], [r"(x\[2:3\])"]), (lambda x: np.add.reduce(x), [r"(x\.sum\(\)) is"]),
    (np.asarray, [r"(x\.local) is", r"(x\.interior) is", r"(x\.gather\(\)) is"])], ids=str)
def test_an_operation_that_has_no_answer_on_one_process(call, patterns):
    if P == 1:
        pytest.skip("needs at least 2 processes")
    x = rows_of()
    text = said_by(lambda: call(x), TypeError)
    for pattern in patterns:
        eval(advice(text, pattern), {"x": x, "value": 3})


@remedy("after tridap.set_option(array=\"local\") these functions get x.local")
def test_numpy_gets_the_local_part_by_the_option_advised():
    if P == 1:
        pytest.skip("needs at least 2 processes")
    x = rows_of()
    before = eval(advice(said_by(lambda: np.asarray(x)), r"after (tridap\.set_option\(.*?\))"))
    try:
        assert np.shares_memory(np.asarray(x), x.local)
    finally:
        tridap.set_option(**before)


@remedy("a DistArray cannot be pickled, because each process has a part of it: tridap.save('x.h5', {'x': x})")
def test_a_pickle(tmp_path_factory):
    if not tridap.components()["hdf5"].built:
        pytest.skip("needs HDF5")
    x = rows_of()
    folder = COMM.bcast(str(tmp_path_factory.mktemp("pickle")) if COMM.rank == 0 else None)
    here = os.getcwd()
    os.chdir(folder)
    try:
        eval(advice(said_by(lambda: pickle.dumps(x), TypeError), r"(tridap\.save\(.*?\)) writes"))
        assert np.array_equal(tridap.load("x.h5", comm=COMM).allgather(), x.allgather())
    finally:
        os.chdir(here)


def test_what_processes_ask_for_is_named_as_the_user_writes_it(comm):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    x = rows_of()
    for call, other, words in [(lambda: x.sum(), lambda: x.sum(axis=1), "x.sum() of float64"), (lambda: x.sum(axis=1), lambda: x.sum(), "x.sum(axis=1) of"),
                               (lambda: x.var(ddof=1), lambda: x.var(), "x.var(ddof=1) of"), (lambda: x.norm("fro"), lambda: x.norm(), "x.norm(ord='fro') of"),
                               (lambda: x[0, 1], lambda: x[1, 1], "x[0, 1] of float64")]:
        with pytest.raises(tridap.ProtocolError) as caught:
            call() if comm.rank == 0 else other()
        assert f"asks for {words}" in str(caught.value) and "None" not in str(caught.value)


scalapack_only = pytest.mark.skipif(not tridap.components()["scalapack"].built, reason="needs ScaLAPACK")


@scalapack_only
@pytest.mark.parametrize("specs", ["c:32,c:16", "c:64,b", "b:0,*", "c:8,c:40"])
def test_scalapack_names_a_distribution_that_it_can_use(specs):
    from tridap import scalapack
    if P == 1:
        pytest.skip("needs at least 2 processes")
    shape = (600, 80)
    if specs == "b:0,*":
        specs = (tridap.block(starts=[5 * c * c for c in range(P)]), "*")
    A = tridap.from_function(tridap.distribution(shape, specs, None if "*" in specs else tuple(MPI.Compute_dims(P, 2)), processes=P if "*" in specs else None),
                             lambda i, j: np.sin(i * j) + 1.0 * (i == j))
    try:
        scalapack.svd(A)
    except tridap.ProtocolError as error:
        text = str(error)
    else:
        pytest.skip("over one row or column of processes these blocks are square")
    assert "(in Python" not in text and "copy=if_needed" not in text
    moved = eval(advice(text, r"processes: A = (A\.redistribute\(.*?\)\)), or pass"), {"A": A})
    if specs == "c:32,c:16" and P == 4:
        assert 'A.redistribute("c:32,c:32", grid=(2, 2))' in text
    s = scalapack.svd(moved).s
    options = eval(f"dict({advice(text, r'or pass (copy=.*)$')})")
    assert np.allclose(scalapack.svd(A, **options).s, s)
    assert np.allclose(scalapack.svd(A.redistribute(scalapack.nearest(A.distribution, square=True))).s, s)
    assert moved.distribution.describe() in text
