"""The example with Global Arrays: its claims hold; each, broken on one process, ends every process with status 1."""

import gc
import pathlib
import runpy
import sys

import pytest
import tridap
from tridap import globalarrays as ga

EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "examples" / "python" / "04_global_arrays.py"


@pytest.fixture
def example(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), "--size", "20"])
    return lambda: runpy.run_path(sys.argv[0], run_name="__main__")


@pytest.fixture
def fails(example, capfd, comm):
    def run(says):
        capfd.readouterr()
        code = 0
        with ga.Session():  # the example's own then begins and ends nothing
            try:
                example()
            except SystemExit as end:  # in whose frames the arrays are, until it is gone
                code = end.code
            gc.collect()
        assert code == 1
        assert capfd.readouterr().err == (f"04_global_arrays: {says}\n" if comm.rank == 0 else "")

    return run


def changed(monkeypatch, module, name, change):
    """Lets a function meddle with what another returns."""
    was = getattr(module, name)

    def meddled(*given, **how):
        result = was(*given, **how)
        return change(result) or result

    monkeypatch.setattr(module, name, meddled)


def test_all_claims_hold(example):
    example()
    assert ga.held() == 0


def test_a_wrong_answer_on_one_process_is_refused(fails, monkeypatch, comm):
    def spoil(result):
        if comm.rank == comm.size - 1:
            result.x.local[...] *= 1.01

    changed(monkeypatch, tridap, "solve", spoil)
    fails("the Global Array has another solution")


def test_a_copy_on_one_process_fails_every_process(fails, monkeypatch, comm):
    changed(monkeypatch, tridap, "solve", lambda result: setattr(result, "bytes_copied", 8 * (comm.rank == 0)))
    fails("the solver did not work in the memory that it was given")


def test_memory_that_is_not_shared_fails_every_process(fails, monkeypatch, comm):
    class Receipt:
        shared, bytes_copied = False, 8

    changed(monkeypatch, ga, "import_array", lambda made: (made[0], Receipt) if comm.rank == comm.size - 1 else None)
    fails("memory of Global Arrays was copied")
