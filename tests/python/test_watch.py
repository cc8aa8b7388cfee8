"""tridap.watch: a call that waits is shown with what each process of the node does, and goes on."""

import os
import os
import sys

import pytest
import tridap
from producers import ran

PROGRAM = """
import time
import tridap
from mpi4py import MPI
comm = MPI.COMM_WORLD
x = tridap.from_function(tridap.distribution(8, processes=comm.size), lambda i: 1.0 * i)
tridap.watch(0.4)
x.sum()
if comm.rank == 1:
    time.sleep(2)
found = x.max()
tridap.watch(None)
print("found", found, flush=True)
"""


def run(comm, program, processes, *arguments):
    """The status and the output of a program on processes of its own."""
    return ran(comm, "mpiexec", "-n", processes, sys.executable, *arguments, "-c", program)


@pytest.mark.parametrize("script, shown", [("job.py", "job.py"), (os.fsdecode(b"job\xff.py"), r"job\udcff.py")])
def test_it_shows_each_process_once_and_all_goes_on(comm, tmp_path, script, shown):
    path = comm.bcast(str(tmp_path / script))
    if comm.rank == 0:
        with open(path, "w") as file:
            file.write(PROGRAM)
    status, text = run(comm, f"import runpy; runpy.run_path({path!r})", 3)
    assert status == 0 and text.count("found") == text.count("7.0") == 3, text
    assert text.count("is in one call for") == 1, text
    assert "rank 0: in x.max() for " in text and "rank 2: in x.max() for " in text
    assert f"waiting for the other processes to begin it ({shown}:11)" in text
    assert "rank 1: in no call of TriDAP; last call x.sum() " in text and f"ago ({shown}:8)" in text


def test_what_it_takes_is_checked_on_all(comm):
    last = comm.rank == comm.size - 1
    with pytest.raises(tridap.ProtocolError, match="at least 0"):
        tridap.watch(-1)
    with pytest.raises(tridap.ProtocolError):
        tridap.watch("soon" if last else 30)
    if comm.size > 1:
        with pytest.raises(tridap.ProtocolError):
            tridap.watch(20 if last else 30)


def test_it_has_a_thread_only_while_it_watches(comm):
    def threads():
        return len(os.listdir("/proc/self/task"))

    tridap.watch(0)
    before = threads()
    tridap.watch(30)
    assert threads() == before + 1
    tridap.watch(60)
    assert threads() == before + 1
    tridap.watch(None)
    assert threads() == before
