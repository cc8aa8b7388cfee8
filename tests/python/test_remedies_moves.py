"""What errors of moves and of plans advise is executed on the case that made them."""

import pickle

import numpy as np
import pytest
import tridap
from mpi4py import MPI

from remedies import advice, follow, remedy, said_by

COMM = MPI.COMM_WORLD
P = COMM.size


def line(n=4, dist="b"):
    return tridap.distribution(n * P, dist, processes=P)


def rows(*more, dist="b"):
    return tridap.distribution((2 * P, *more), (dist, *("*" for _ in more)), processes=P)


def case(**more):
    source, target = line(), line(dist="c")
    x = tridap.from_function(source, lambda i: 1.0 + i * i)
    return {"x": x, "source": source, "target": target, "comm": COMM, "tridap": tridap, "numpy": np, "whole": x.allgather(), **more}


@remedy("pickle its two distributions, and call tridap.Redistribution(source, target) on every process")
def test_a_plan_is_pickled_by_its_distributions():
    given = case()
    given["plan"] = tridap.Redistribution(given["source"], given["target"])
    text = said_by(lambda: pickle.dumps(given["plan"]), TypeError)
    given["source"], given["target"] = pickle.loads(pickle.dumps((given["plan"].source, given["plan"].target)))
    plan = eval(advice(text, r"call (tridap\.Redistribution\(source, target\)) on"), given)
    assert np.array_equal(plan(given["x"]).local, given["plan"](given["x"]).local)


@remedy("pass convert=True to redistribute, or to the call that makes the plan")
def test_a_target_of_another_type():
    given = case(out=tridap.zeros(line(dist="c"), "f4"))
    for call in ("tridap.redistribute(x, out=out{})", "tridap.Redistribution(source, target{})(x, out)"):
        found = follow(given, call.format(""), r"pass (convert=True) to", call.format(", {}"))
        assert found.dtype == "f4" and np.array_equal(given["out"].allgather(), given["whole"])
        given["out"].fill(0)
    given["numbers"] = given["source"].indices(COMM.rank)[0]
    given["out"] = tridap.zeros(given["source"], "f4")
    call = "tridap.to_ids(source, numbers{})(x, out)"
    follow(given, call.format(""), r"pass (convert=True) to", call.format(", {}"))
    assert np.array_equal(given["out"].local, given["x"].local)


@remedy("make the plan with dtype=x.dtype")
def test_elements_of_another_type_than_the_plans():
    given = case()
    call = "tridap.Redistribution(source, target, {})(x)"
    moved = follow(given, call.format("dtype='f4'"), r"with (dtype=x\.dtype)", call)
    assert moved.dtype == float and moved.distribution == given["target"] and np.array_equal(moved.allgather(), given["whole"])


@pytest.mark.skipif(P == 1, reason="all distributions over one process are equal")
@remedy("x.redistribute(plan.source)", "tridap.zeros(plan.target, out.dtype, comm=plan.comm)")
def test_arrays_of_other_distributions_than_the_plans():
    given = case(out=tridap.zeros(line(dist="b")))
    given["plan"] = tridap.Redistribution(line(dist="c"), line(dist=tridap.cyclic(2)))
    moved = follow(given, "plan(x)", r"or pass (x\.redistribute\(plan\.source\))", "plan({})")
    assert np.array_equal(moved.allgather(), given["whole"])
    given["x"] = given["x"].redistribute("c")
    moved = follow(given, "plan(x, out)", r"or pass (tridap\.zeros\(.*?\))", "plan(x, {})")
    assert np.array_equal(moved.allgather(), given["whole"])


@remedy("pass partial=True")
def test_elements_that_one_side_alone_has():
    given = case(longer=line(5), few=[] if COMM.rank else [0])
    wanted = np.append(given["whole"], np.zeros(P))
    for call in ("tridap.redistribute(x, longer{})", "tridap.Redistribution(source, longer{})(x)"):
        assert np.array_equal(follow(given, call.format(""), r"pass (partial=True)", call.format(", {}")).allgather(), wanted)
    found = follow(given, "tridap.to_ids(x, few)(x)", r"pass (partial=True)", "tridap.to_ids(x, few, {})(x)")
    assert found.local.tolist() == [1.0][:len(given["few"])]
    given["two"] = tridap.from_function(rows(3), lambda i, j: 10.0 * i + j)
    given["longer"] = line(8)
    found = follow(given, "two.redistribute(longer, ravel='C')", r"pass (partial=True)", "two.redistribute(longer, ravel='C', {})")
    assert np.array_equal(found.allgather(), np.append(given["two"].allgather().ravel(), np.zeros(2 * P)))


@remedy("or pass ravel='C' ")
def test_flat_numbers_of_elements():
    given = case(to=rows(2))
    moved = follow(given, "tridap.redistribute(x, to)", r"pass (ravel='C')", "tridap.redistribute(x, to, {})")
    assert np.array_equal(moved.allgather(), given["whole"].reshape(2 * P, 2))


@remedy("or, in tridap.redistribute, both have a last axis of the same length")
def test_vectors_that_are_numbered():
    given = case(to=rows(2, 3))
    given["x"] = tridap.from_function(tridap.distribution((4 * P, 3), "b,*", processes=P), lambda i, k: 10.0 * i + k)
    call = "tridap.Redistribution(x, to, ravel='C')"
    moved = follow(given, call, r"in (tridap\.redistribute), both", "{}(x, to, ravel='C')")
    assert np.array_equal(moved.allgather(), given["x"].allgather().reshape(2 * P, 2, 3))


@remedy("array y by y.update_padding()")
def test_padding_of_elements_that_are_numbered():
    given = case(to=tridap.distribution((2 * P, 2), [tridap.block(padding=1), "*"], processes=P))
    call = "tridap.redistribute(x, to, ravel='C'{})"
    text = said_by(lambda: eval(call.format(", fill_padding=True"), given))
    y = given["y"] = eval(call.format(""), given)
    eval(advice(text, r"by (y\.update_padding\(\))"), given)
    held, _ = y.distribution.indices(COMM.rank, "local")
    assert np.array_equal(y.local, given["whole"].reshape(2 * P, 2)[held])
