"""Memory ends on one process. The process has none for an allocation that is as large as data, each one in turn: no other
process waits for ever.

With the argument `job`, the process has none for a smaller allocation, between two messages of a call. It ends the job with
one line. Run with support/memory_meter.cpp preloaded.
"""

import ctypes
import faulthandler
import sys
import tempfile

import numpy as np
import tridap
from mpi4py import MPI
from producers import dict_of, line_of

faulthandler.dump_traceback_later(100, exit=True)
comm = MPI.COMM_WORLD
meter = ctypes.CDLL(None)
left = ctypes.c_long.in_dll(meter, "_ZN12memory_meter16allocations_leftE")
least = ctypes.c_size_t.in_dll(meter, "_ZN12memory_meter11least_bytesE")
for_good = ctypes.c_bool.in_dll(meter, "_ZN12memory_meter13ends_for_goodE")

if sys.argv[1:] == ["job"]:
    tridap.asarray(line_of(comm), comm)
    least.value = 300 * comm.size  # what each process says of its array
    left.value = 0 if comm.rank == 1 else -1
    tridap.asarray(line_of(comm), comm)
    raise SystemExit("the job goes on")

EACH = 3000  # elements of a process, 24 KB
least.value = 1 << 14
folder = tempfile.TemporaryDirectory() if comm.rank == 0 else None
PATH = comm.bcast(folder and f"{folder.name}/a capture with a name that is not short.json")
lists = tridap.unstructured([np.arange(rank, EACH * comm.size, comm.size) for rank in range(comm.size)])
dist = tridap.distribution(EACH * comm.size, lists, processes=comm.size)
given = {"__version__": "0.10.0", "buffer": np.zeros(EACH), "dim_data": dist.dim_data(comm.rank)}
wrong = dict_of(np.zeros(1), {"dist_type": "x"}) if comm.rank else given
target = tridap.distribution(EACH * comm.size, "c", processes=comm.size)
plan = tridap.Redistribution(dist, target, comm=comm)
out = plan(tridap.asarray(given, comm))
CALLS = {"asarray": lambda known: tridap.asarray(given, comm), "check": lambda known: tridap.check(given, comm),
         "asarray of a wrong one": lambda known: tridap.asarray(wrong, comm),
         "write_capture": lambda known: tridap.write_capture(known, PATH, comm), "gather": lambda known: known.gather(),
         "allgather": lambda known: known.allgather(),
         "a plan": lambda known: tridap.Redistribution(dist, target, comm=comm)(known, out)}


def attempt(call, allocations):
    """Whether a call raises, and whether there was memory for all of it."""
    known = tridap.asarray(given, comm, copy=True)
    left.value = allocations
    try:
        call(known)
        raised = False
    except (MemoryError, tridap.ProtocolError):
        raised = True
    enough, left.value = left.value > 0, -1
    return raised, enough


for name, call in CALLS.items():
    for bad in range(comm.size):
        for for_good.value in False, True:
            allocations, enough = 0, False
            while not enough:
                raised, here = attempt(call, allocations if comm.rank == bad else -1)
                enough = comm.bcast(here, root=bad)
                same = len(set(comm.allgather(raised))) == 1  # but the report of check() is made by pybind11 alone
                assert same or name.startswith("check"), (name, allocations)
                allocations += 1
            assert allocations > 1 or name == "asarray of a wrong one", name
