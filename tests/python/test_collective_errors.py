"""An error of a collective call has one kind on every process, and is printed by one if the program does not catch it."""

import sys

import pytest
import tridap


def rows_of(comm):
    return tridap.from_function(tridap.distribution((2 * comm.size, 4), ("b", "*"), processes=comm.size), lambda i, j: 10 * i + j)


def test_a_type_error_of_one_process_is_one_on_all(comm):
    x = rows_of(comm)
    last = comm.rank == comm.size - 1
    for call in (lambda: x.sum(axis="0" if last else None), lambda: x.dot(x.local if last else x),
                 lambda: tridap.scatter(None if comm.rank == 0 else x.local, x.distribution, comm)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(IndexError):
        x[2 * comm.size if last else 0, 0]
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError) as caught:  # a ValueError on one process
            x.norm("nonsense" if last else "fro")
        assert not isinstance(caught.value, (TypeError, IndexError))

        def step():
            raise (TypeError if last else ValueError)("no")

        with pytest.raises(tridap.ProtocolError) as caught:
            tridap._agree.together(comm, step)
        assert not isinstance(caught.value, (TypeError, IndexError))


@pytest.mark.parametrize("option", [None, "every process"])
def test_an_uncaught_collective_error_is_printed_by_one_process(comm, capsys, option):
    if comm.size == 1:
        pytest.skip("needs at least 2 processes")
    x = rows_of(comm)
    last = comm.rank == comm.size - 1
    before = tridap.set_option(errors=option)
    try:
        for call in (lambda: x.norm("nonsense" if last else None), lambda: tridap.asarray("no array" if last else x, comm),
                     lambda: tridap.redistribute(x, "b,b,b" if last else "b,*"), lambda: x.sum(dtype="nonsense")):
            with pytest.raises(tridap.ProtocolError) as caught:
                call()
            sys.excepthook(caught.type, caught.value, caught.tb)
            printed = "Protocol" in capsys.readouterr().err
            assert comm.allgather(printed) == [option is not None or rank == 0 for rank in range(comm.size)]
        for alone in (lambda: tridap.asarray("no array"), lambda: tridap.distribution((3, 4), "b", processes=comm.size), lambda: 1 / 0):
            with pytest.raises(Exception) as caught:  # which other processes may not raise
                alone()
            sys.excepthook(caught.type, caught.value, caught.tb)
            assert "Error" in capsys.readouterr().err
    finally:
        tridap.set_option(**before)
