"""What errors of arrays, their memory and their dictionaries advise is executed on the case that made them."""

import json
import sys
import types

import numpy as np
import numpy.lib.recfunctions  # noqa: F401  a remedy calls it
import pytest
import tridap
from mpi4py import MPI
from producers import block, listed

from remedies import Advice, follow, name_of, remedy

COMM = MPI.COMM_WORLD
P = COMM.size
several = pytest.mark.skipif(P == 1, reason="needs at least 2 processes")


class Theirs:
    """An array of another library, of four elements on each process, which describes itself."""

    def __init__(self, **keys):
        self.said = {"__version__": "0.10.0", "buffer": np.arange(4.0) + 4 * COMM.rank, "dim_data": (block(4 * P, P, COMM.rank),), **keys}

    def __distarray__(self):
        return self.said


def case(**more):
    return {"array": Theirs(), "dist": tridap.distribution(4 * P, processes=P), "comm": COMM, "tridap": tridap, "numpy": np,
            "np": np, **more}


def is_whole(x):
    return np.array_equal(x.allgather(), np.arange(4.0 * P))


@several
@remedy("make it with tridap.asarray(array, comm)")
def test_a_part_of_an_array_that_is_not_known():
    given = case()
    for call in ("x.distribution", "x.owner(0)", "x.update_padding()", "x.sum()", "x.norm()", "x.any()", "x.dot(x)", "np.allclose(x, x)",
                 "x + 1", "x == x", "np.where(x > 0, x, 0)", "x[1:]"):
        given["x"] = tridap.asarray(given["array"])
        assert is_whole(follow(given, call, r"make it with (tridap\.asarray\(array, comm\))", "{}"))


@several
@remedy("pass comm=comm, with a communicator of these processes")
def test_a_capture_of_one_part(folder):
    path = folder / "x.json"
    given = case(path=path)
    follow(given, "tridap.write_capture(array, path)", r"pass (comm=comm), with", "tridap.write_capture(array, path, {})")
    with open(path) as file:
        assert len(json.load(file)["processes"]) == P


def record():
    values = np.zeros(4, np.dtype({"names": ["a"], "formats": ["f8"], "offsets": [0], "itemsize": 12}))
    values["a"] = np.arange(4)
    return values


CASES = [
    Advice("make it with processes=", lambda: case(dist=tridap.distribution(4 * P, processes=P + 1)), "tridap.zeros(dist, comm=comm)",
           r"make it with (processes=\d+), or", "tridap.zeros(tridap.distribution(dist.shape, {}), comm=comm)",
           lambda made, given: made.shape == (4 * P,) and made.distribution.processes == P),
    pytest.param(Advice(", or pass comm=comm, with as many processes", lambda: case(wrong=MPI.COMM_SELF), "tridap.zeros(dist, comm=wrong)",
                        r"pass (comm=comm), with", "tridap.zeros(dist, {})",
                        lambda made, given: made.distribution.processes == P and made.comm == COMM), marks=several),
    Advice("pass numpy.asarray(local), whose memory the array then uses", lambda: case(local=[4.0 * COMM.rank + i for i in range(4)]),
           "tridap.array(local, dist, comm)", r"pass (numpy\.asarray\(local\))", "tridap.array({}, dist, comm)", lambda made, given: is_whole(made)),
    *(Advice("pass tridap.array(array, tridap.distribution(shape))", lambda: case(array=np.arange(4.0) + 4 * COMM.rank, shape=(4 * P,)), call,
             r"pass (tridap\.array\(.*\)), an array", "{}", lambda made, given: is_whole(made))
      for call in ("tridap.redistribute(array, 'c', comm=comm)", "tridap.asarray(array, comm)")),
    Advice('give a NumPy array, or pass copy="if_needed"', lambda: case(array=Theirs(buffer=[4.0 * COMM.rank + i for i in range(4)])),
           "tridap.asarray(array, comm)", r"pass (copy=\S+)", "tridap.asarray(array, comm, {})", lambda made, given: is_whole(made)),
    Advice('give a view of it as integers, such as values.view("i8")', lambda: case(values=np.arange(4).astype("M8[s]")),
           "tridap.array(values, dist, comm).__distarray__()", r'such as (values\.view\("i8"\)), and',
           "tridap.array({}, dist, comm).__distarray__()", lambda said, given: np.array_equal(tridap.asarray(said, COMM).local, np.arange(4))),
    Advice("give a record whose fields reach its end", lambda: case(values=record()), "tridap.array(values, dist, comm).__distarray__()",
           r"such as (numpy\.lib\.recfunctions\.repack_fields\(values\))", "tridap.array({}, dist, comm).__distarray__()",
           lambda said, given: np.array_equal(tridap.asarray(said, COMM).local["a"], np.arange(4))),
    Advice("host memory has no stream: pass stream=None", lambda: case(x=tridap.asarray(Theirs(), COMM)), "x.__dlpack__(stream=1)",
           r"pass (stream=None)", "x.__dlpack__({})", lambda capsule, given: "dltensor" in repr(capsule)),
    Advice("pass np.asarray(indices)", lambda: case(indices=[4 * COMM.rank + i for i in range(4)], listed=listed, n=4 * P, p=P, Theirs=Theirs),
           "tridap.asarray(Theirs(dim_data=(listed(n, indices, p, comm.rank),)), comm)", r"pass (np\.asarray\(indices\))",
           "tridap.asarray(Theirs(dim_data=(listed(n, {}, p, comm.rank),)), comm)", lambda made, given: is_whole(made)),
]


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_what_the_error_of_a_call_advises_runs(case):
    case.run()


@remedy("give x.to_local(), and describe how it is distributed")
def test_one_part_of_an_array_of_pytorch(monkeypatch):
    class DTensor:
        def to_local(self):
            return np.arange(4.0) + 4 * COMM.rank

    monkeypatch.setitem(sys.modules, "torch.distributed.tensor", types.SimpleNamespace(DTensor=DTensor))
    given = case(x=DTensor())
    call = "tridap.array(x, dist, comm)"
    assert is_whole(follow(given, call, r"give (x\.to_local\(\)), and", call.replace("x,", "{},")))


@remedy("give the data of one shard, such as x.addressable_shards[0].data")
def test_one_shard_of_an_array_of_jax(monkeypatch):
    class Array:
        sharding = types.SimpleNamespace(device_set={0, 1})
        addressable_shards = (types.SimpleNamespace(data=np.arange(4.0) + 4 * COMM.rank),)

    monkeypatch.setitem(sys.modules, "jax", types.SimpleNamespace(Array=Array))
    given = case(x=Array())
    call = "tridap.array(x, dist, comm)"
    assert is_whole(follow(given, call, r"such as (x\.addressable_shards\[0\]\.data), and", call.replace("x,", "{},")))


@remedy("pass numpy.ma.filled(local, 0), or local.data, which has no mask")
def test_a_masked_array_as_memory():
    given = case(local=np.ma.array(np.arange(4.0) + 4 * COMM.rank, mask=[0, 1, 0, 0]))
    call = "tridap.array({}, dist, comm)"
    filled = follow(given, call.format("local"), r"pass (numpy\.ma\.filled\(local, 0\)), or", call)
    assert np.array_equal(filled.local, given["local"].data * [1, 0, 1, 1])
    assert is_whole(follow(given, call.format("local"), r"or (local\.data), which", call))


@several
@remedy("box: x.redistribute(")
def test_parts_that_are_no_boxes():
    for dist in (tridap.distribution(4 * P, "c", processes=P), tridap.distribution((3, 2 * P), "*,c", processes=P)):
        x = tridap.from_function(dist, lambda *index: 1.0 * sum(index))
        y = follow({"x": x}, "x.__partitioned__", r"box: (x\.redistribute\(.*\)) has such", "{}")
        assert y.__partitioned__["partition_tiling"] == dist.grid and np.array_equal(y.allgather(), x.allgather())


@remedy("must be a Distribution: ")
def test_a_shape_in_place_of_a_distribution():
    for shape in (4 * P, (P, 4)):
        made = follow(case(shape=shape), "tridap.zeros(shape)", r": (tridap\.distribution\(.*?\)+) makes", "tridap.zeros({})")
        assert made.size == 4 * P and made.distribution.processes == P
