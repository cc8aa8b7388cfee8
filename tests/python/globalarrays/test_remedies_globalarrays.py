"""What the errors of tridap.globalarrays advise is executed on the case that made them; copies, pickles and texts."""

import copy
import gc
import pickle

import numpy as np
import pytest
import tridap
from mpi4py import MPI
from tridap import globalarrays as ga

from remedies import advice, follow, remedy, said_by

COMM = MPI.COMM_WORLD
P = COMM.size
several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")
BAD = "a\udcffb"


def case(**more):
    return {"tridap": tridap, "comm": COMM, "pickle": pickle, **more}


def line(count=3 * P, specs="b"):
    return tridap.distribution(count, specs, processes=P)


def numbered(dist):
    return tridap.from_function(dist, lambda i: 1.0 * i, comm=COMM)


def elements(array):
    """All elements of a Global Array, on every process."""
    return ga.export_array(array, ga.grid_communicator(array)).allgather()


@remedy("make one: session = tridap.globalarrays.Session()")
def test_an_array_without_a_session():
    given = case(dist=line())
    made = follow(given, "tridap.globalarrays.create(dist)", r": (session = tridap\.globalarrays\.Session\(\))$")
    assert made.distribution.shape == (3 * P,)
    del made
    gc.collect()
    ga.collect()
    given["session"].close()


@several
@remedy("pass comm=tridap.globalarrays.grid_communicator(array) on every process")
def test_processes_in_another_order(session):
    backwards = COMM.Split(0, -COMM.rank)
    array = ga.create(line(), comm=backwards)
    text = said_by(lambda: ga.export_array(array), tridap.ProtocolError)
    given = case(array=array)
    made = eval(f"tridap.globalarrays.export_array(array, {advice(text, r'pass (comm=.*?) on every process')})", given)
    made.local[...] = np.arange(3) + 3 * made.process
    assert made.process == backwards.rank and np.array_equal(made.allgather(), np.arange(3 * P))
    made.comm.Free()
    backwards.Free()


@several
@remedy("pass comm=None and a distribution over all processes: dist = tridap.distribution(dist.shape)", "call make_group(comm) first")
def test_some_processes_alone(session):
    half = COMM.Split(COMM.rank % 2)
    for make in "create", "allocate":
        given = case(dist=tridap.distribution(3 * P, processes=half.size), half=half)
        text = said_by(lambda: getattr(ga, make)(given["dist"], comm=half), tridap.ProtocolError)
        option, code = advice(text, r"pass (comm=None) and"), advice(text, r": (dist = tridap\.distribution\(dist\.shape\))")
        exec(code, given)
        made = eval(f"tridap.globalarrays.{make}(dist, {option})", given)
        assert made.distribution == line()
        del made, given
        gc.collect()
    half.Free()


@remedy("or make the array with allocate()", "or make the array with tridap.globalarrays.allocate(")
def test_memory_that_is_not_of_global_arrays(session):
    array = numbered(line())
    call = "tridap.globalarrays.import_array(array)"
    made, receipt = follow(case(array=array), call, r"pass (copy=\S+), or", "tridap.globalarrays.import_array(array, {})")
    assert np.array_equal(elements(made), np.arange(3 * P)) and not receipt.shared
    room = follow(case(array=array), call, r"with (tridap\.globalarrays\.allocate\(.*?\))$", "{}")
    room.local[...] = array.local
    made, receipt = ga.import_array(room)
    assert np.array_equal(elements(made), np.arange(3 * P)) and receipt.shared


@remedy("pass copy=if_needed and Fit::nearest", "to move the elements there, pass Fit::nearest (in Python nearest=True)",
        'pass copy="if_needed" and Fit::nearest', 'pass copy="if_needed", nearest=True', "pass Fit::nearest: nearest=True",
        "pass nearest=True")
def test_a_distribution_that_global_arrays_has_not(session):
    lists = [list(range(r, 4 * P, P))[::-1] for r in range(P)]
    given = case(array=numbered(line(4 * P, [lists])))
    made, _ = follow(given, "tridap.globalarrays.import_array(array)", r"pass (copy=.*?True)$", "tridap.globalarrays.import_array(array, {})")
    assert np.array_equal(elements(made), np.arange(4 * P))
    made, _ = follow(given, "tridap.globalarrays.import_array(array, copy='if_needed')", r"pass (nearest=True)$",
                     "tridap.globalarrays.import_array(array, copy='if_needed', {})")
    assert np.array_equal(elements(made), np.arange(4 * P))


@remedy("release it: del array; tridap.globalarrays.collect()")
def test_an_array_that_python_keeps_is_not_destroyed(session):
    given = case(array=ga.create(line()))
    assert follow(given, "tridap.globalarrays.destroy(array.handle, comm)", r": (del array; tridap\.globalarrays\.collect\(\))$",
                  "exec({!r}) or tridap.globalarrays.held()") == 0


@remedy("tridap.array(array, distribution, comm) makes one of the parts of all processes", "pass tridap.asarray(array, comm)")
def test_objects_that_are_no_distributed_arrays(session):
    local = np.arange(3.0) + 3 * COMM.rank
    dist = line()

    class Foreign:
        def __distarray__(self):
            return numbered(dist).__distarray__()

    for array, code in (local, r"(tridap\.array\(array, distribution, comm\)) makes"), (Foreign(), r"pass (tridap\.asarray\(array, comm\))"):
        given = case(array=array, distribution=dist)
        made, _ = follow(given, "tridap.globalarrays.import_array(array, copy='if_needed')", code,
                         "tridap.globalarrays.import_array({}, copy='if_needed')")
        assert np.array_equal(elements(made), np.arange(3 * P))


@remedy("session = tridap.globalarrays.Session() on every process makes one")
def test_a_session_is_its_own_copy_and_is_not_pickled(session):
    with ga.Session() as inner:
        assert copy.copy(inner) is inner and copy.deepcopy([inner])[0] is inner
        given = case(session=inner)
        exec(advice(said_by(lambda: pickle.dumps(inner), TypeError), r": (session = .*?\(\)) on every process"), given)
    assert isinstance(given["session"], ga.Session)
    given["session"].close()
    with pytest.raises(TypeError, match="must be a Session"):
        ga.Session.__copy__(3)


@remedy("a GlobalArray is copied by all processes together: other, receipt = ", "writes its elements")
def test_a_global_array_is_copied_by_all_and_is_not_pickled(session, folder):
    array = ga.create(line())
    ga.export_array(array).local[...] = np.arange(3) + 3 * COMM.rank
    for call in copy.copy, copy.deepcopy, lambda array: copy.deepcopy([array]):
        given = case(array=array)
        exec(advice(said_by(lambda: call(array), TypeError), r"together: (other, receipt = .*)$"), given)
        ga.export_array(given["other"]).local[...] += 1
        assert np.array_equal(elements(given["other"]), elements(array) + 1) and not given["receipt"].shared
    code = advice(said_by(lambda: pickle.dumps(array), TypeError), r": (tridap\.save\(.*\)) writes")
    if tridap.components()["hdf5"].built:
        exec(code.replace("x.h5", f"{folder}/x.h5"), given)
        assert np.array_equal(tridap.load(folder / "x.h5", "x").allgather(), np.arange(3 * P))


TEXTS = {
    "dtype of create": lambda b, text: ga.create(b.distribution, text("f8")),
    "dtype of allocate": lambda b, text: ga.allocate(b.distribution, text("f8")),
    "copy": lambda b, text: ga.import_array(b, copy=text("if_needed")),
    "array": lambda b, text: ga.import_array(text(b), copy="if_needed"),
    "dist": lambda b, text: ga.create(text(b.distribution)),
    "handle": lambda b, text: ga.destroy(text(-1), COMM),
    "array of grid_communicator": lambda b, text: ga.grid_communicator(text(ga.create(b.distribution))),
    "allocator_doubles": lambda b, text: ga.Session(text(0)),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_of_global_arrays_are_shown_by_one_error_on_all(session, name):
    last = COMM.rank == P - 1
    with pytest.raises((tridap.ProtocolError, ValueError, TypeError)) as raised:
        TEXTS[name](numbered(line()), lambda good: BAD if last else good)
    text = str(raised.value)
    assert "pybind" not in text.lower() and "codec" not in text
    assert r"a\udcffb" in text or name == "array" and "of type str" in text
    assert len(set(COMM.allgather(text))) == 1


def test_names_of_fields_that_are_not_utf8_are_only_compared(session):
    """Global Arrays knows of a record only its length."""
    record = [(BAD, "f8")]
    assert ga.create(line(), record).dtype == ga.allocate(line(), record).dtype == np.dtype("V8")
    if P > 1:
        text = said_by(lambda: ga.create(line(), record if COMM.rank == P - 1 else [("field", "f8")]), tridap.ProtocolError)
        assert "asks for dtype" in text and "pybind" not in text.lower() and "codec" not in text
        assert len(set(COMM.allgather(text))) == 1


def test_a_local_call_shows_a_text_that_is_not_utf8(session):
    for call in (lambda: ga.export_array(BAD), lambda: ga.export_array(ga.create(line()), BAD)):
        text = said_by(call, (tridap.ProtocolError, ValueError, TypeError))
        assert "pybind" not in text.lower() and "codec" not in text
    assert r"a\udcffb" in said_by(lambda: ga.export_array(BAD))
