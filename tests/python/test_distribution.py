"""A Distribution as a value: equal, hashed, pickled, sent; and the texts that make one."""

import copy
import itertools
import pickle
import sys

import numpy as np
import pytest
import tridap
from mpi4py import MPI
from producers import block, dict_of, everywhere, ran
from remedies import advice, remedy


def layouts():
    axes = [tridap.block(), tridap.block(3), tridap.block(starts=[0, 1]), tridap.block(padding=1),
            tridap.block(padding=1, periodic=True), tridap.block(padding=1, edges=(1, 1)), tridap.cyclic(),
            tridap.cyclic(2, 1), tridap.unstructured([[5, 0, 2], [1, 4, 3]], True),
            tridap.unstructured([[7, -2, 2], [2, 30, 3]]), tridap.unstructured([[0, 1, 2], [3, 4, 5]])]
    for axis in axes:
        yield tridap.distribution(6, axis, grid=2)
    for first, second in itertools.combinations(axes, 2):
        yield tridap.distribution((6, 6), (first, second), grid=(2, 2))
    yield tridap.distribution((6, 3), ("c", "*"), grid=(3, 1))
    yield tridap.distribution((), (), ())
    yield tridap.distribution((0, 4), ("b", "c"), grid=(2, 1))
    yield tridap.distribution(2**62, "b", grid=2**20)


def said(dist):
    """All dictionaries."""
    return [[{key: list(value) if key == "indices" else value for key, value in axis.items()}
             for axis in dist.dim_data(process)] for process in range(min(dist.processes, 50))]


def test_a_copy_is_equal_says_the_same_and_has_the_same_hash():
    for dist in layouts():
        for twin in (pickle.loads(pickle.dumps(dist)), copy.copy(dist), copy.deepcopy(dist)):
            assert twin == dist and not twin != dist and hash(twin) == hash(dist) and said(twin) == said(dist)
            assert twin.describe() == dist.describe()


def test_the_pickle_of_a_regular_axis_is_short():
    assert len(pickle.dumps(tridap.distribution((2**62, 10**6), ("c:3", "b"), grid=(2**20, 2**10)))) < 300


def test_distributions_of_foreign_arrays_pickle(comm):
    start, stop = 2 * comm.rank, 2 * comm.rank + 2
    lower, upper = min(comm.rank, 1) * (1 + comm.rank % 2), int(comm.rank + 1 < comm.size) * (1 + (comm.rank + 1) % 2)
    axis = block(2 * comm.size, comm.size, comm.rank, padding=(lower, upper))
    axis.update(start=start - lower, stop=stop + upper)
    array = tridap.asarray(dict_of(np.zeros(2 + lower + upper), axis), comm)
    twin = pickle.loads(pickle.dumps(array.distribution))
    assert everywhere(comm, said(twin) == said(array.distribution))


def test_equal_ones_have_the_same_hash_and_one_place_in_a_dict():
    blocks, lists = tridap.distribution(5, grid=3), tridap.distribution(5, ([[0, 1], [2, 3], [4]],), grid=3)
    cyclic = tridap.distribution(5, "c:2", grid=3)
    assert blocks == lists == cyclic and len({blocks, lists, cyclic}) == 1
    found = [*layouts(), tridap.distribution(4, grid=4), tridap.distribution(4, "b:0,1,2,3,4", grid=5)]
    assert found[-1] == found[-2]
    for one, other in itertools.combinations(found, 2):
        assert (one == other) <= (hash(one) == hash(other))
    assert len({hash(dist) for dist in found}) > len(found) / 3
    assert blocks != tridap.distribution(5, "c", grid=3) and blocks != 5 and blocks != tridap.distribution(6, grid=3)


def test_a_layout_is_broadcast(comm):
    layout = tridap.distribution((60, 7), ("c:2", tridap.block(padding=1)), grid=(comm.size, 1)) if comm.rank == 0 else None
    layout = comm.bcast(layout)
    array = tridap.zeros(layout, comm=comm)
    assert everywhere(comm, tridap.asarray(array, comm).distribution == layout)


def test_a_state_that_breaks_a_rule_is_refused():
    restore, state = tridap.distribution(4, grid=2).__reduce__()
    assert restore(*state) == tridap.distribution(4, grid=2)
    for wrong in ((("b", False, 9, 2, 2),), (("c", False, 4, 2, 0, 0),), (("x", False, 4),), (("u", False, 5, ([0],), True),),
                  (("p", False, 4, [0, 1], [2, 4], [0, 0], [0, 0], True),), (("p", False, 4, [0], [2, 4], [0], [0], True),), 5):
        with pytest.raises((ValueError, TypeError)):
            restore(wrong)


@pytest.mark.parametrize("text, axes", [
    ("b,c:2", ("b", "c:2")), ("b:0,3,5,c", ("b:0,3,5", "c")), ("*,b:0,2", ("*", "b:0,2")), ("c:2@1,*", ("c:2@1", "*"))])
def test_one_text_has_all_axes_as_for_the_tool(text, axes):
    assert tridap.distribution((6, 6), text, processes=6 if "b:0,3" in text else 2) == tridap.distribution(
        (6, 6), axes, processes=6 if "b:0,3" in text else 2)
    assert tridap.distribution((), "", ()) == tridap.distribution((), (), ())
    assert tridap.distribution(6, "b:0,3,5", processes=3).local_shape(1) == (2,)


@pytest.mark.parametrize("text", ["b,", "b;c", "3,b", "c:2,3", "b:0,x"])
def test_a_text_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="for an axis, must be 'b'"):
        tridap.distribution((6, 6), text, processes=2)


def test_lists_are_read_from_a_file_as_by_the_tool(tmp_path):
    file = tmp_path / "lists.json"
    file.write_text("[[4, 0], [5, 2, 1], [3]]")
    lists = tridap.distribution((6, 4), ([[4, 0], [5, 2, 1], [3]], "*"), processes=3)
    assert tridap.distribution((6, 4), f"u:{file},*", processes=3) == lists == tridap.distribution((6, 4), (f"u:{file}", "*"), processes=3)
    for text, words in {"[[0, 1], [2.0]]": "integers that fit 64 bits, one for each coordinate, but holds .2.0",
                        "[[true]]": "but holds .true", f"[[{2**63}]]": "but holds", "[3, 4]": "but holds 3", "[]": "must be a JSON list",
                        "{}": "must be a JSON list", "[[0, 1": "must be a JSON list", "\xff": "must be a JSON list"}.items():
        file.write_text(text, encoding="latin-1")
        with pytest.raises(ValueError, match=words) as raised:
            tridap.distribution((6, 4), f"u:{file},*")
        assert str(file) in str(raised.value)
    with pytest.raises(FileNotFoundError, match="not there"):
        tridap.distribution(4, f"u:{tmp_path}/not there.json")
    with pytest.raises(ValueError, match="'u:FILE'"):
        tridap.distribution(4, "u:")


PROGRAM = "import warnings; warnings.simplefilter('error'); {}; import tridap; print(tridap.distribution(8{}).processes)"


@pytest.mark.parametrize("first, more, launched, expected", [
    ("pass", "", "3", "this is one of 3 processes, but mpi4py is not imported"), ("pass", ", processes=2", "3", "2\n"),
    ("pass", ", grid=2", "3", "2\n"), ("pass", "", "1", "1\n"), ("pass", "", "", "1\n")])
def test_a_process_that_does_not_know_the_others_is_warned(comm, first, more, launched, expected):
    if comm.size > 1:
        pytest.skip("needs 1 process")
    assert expected in printed_by(PROGRAM.format(first, more), launched)


def printed_by(program, launched):
    """What a program prints that finds in its environment that so many processes were launched."""
    return ran(MPI.COMM_SELF, sys.executable, "-c", program, PMI_SIZE=launched)[1]


@remedy("process alone: call `from mpi4py import MPI` first, or pass processes=")
def test_a_process_that_is_warned_is_told_what_to_pass(comm):
    if comm.size > 1:
        pytest.skip("needs 1 process")
    text = printed_by(PROGRAM.format("pass", ""), "3")
    assert printed_by(PROGRAM.format("pass", ", " + advice(text, r"pass (processes=\d+)")), "3") == "3\n"
    assert printed_by(PROGRAM.format(advice(text, "call `(.*?)` first"), ""), "3").endswith("1\n")  # mpi4py says how many


def test_the_pickle_of_an_axis_without_padding_stays_periodic():
    for spec in tridap.block(periodic=True), tridap.block(2, periodic=True):
        dist = tridap.distribution((6,), (spec,), grid=(3,))
        again = pickle.loads(pickle.dumps(dist))
        assert again.dim_data(1)[0].get("periodic") is True
        assert again == dist
