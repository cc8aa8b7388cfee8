"""Memory ends on one process at each allocation of a collective call, in turn: nobody waits for ever.

Run with support/memory_meter.cpp preloaded. The first allocations are pybind11's, before a function of ours begins.
"""

import ctypes
import faulthandler
import tempfile

import numpy as np
import tridap
from mpi4py import MPI
from producers import dict_of, line_of
from tridap import _core

faulthandler.dump_traceback_later(100, exit=True)
comm = MPI.COMM_WORLD
meter = ctypes.CDLL(None)
left = ctypes.c_long.in_dll(meter, "_ZN12memory_meter16allocations_leftE")
for_good = ctypes.c_bool.in_dll(meter, "_ZN12memory_meter13ends_for_goodE")

folder = tempfile.TemporaryDirectory() if comm.rank == 0 else None
PATH = comm.bcast(folder and f"{folder.name}/a capture with a name that is not short.json")
given = line_of(comm)
wrong = dict_of(np.zeros(1), {"dist_type": "x"}) if comm.rank else given
CALLS = {"asarray": lambda known: tridap.asarray(given, comm), "asarray of a known one": lambda known: tridap.asarray(known, comm),
         "asarray of a wrong one": lambda known: tridap.asarray(wrong, comm), "check": lambda known: tridap.check(given, comm),
         "check of a wrong one": lambda known: tridap.check(wrong, comm),
         "check of none": lambda known: tridap.check(None, comm),
         "write_capture": lambda known: tridap.write_capture(known, PATH, comm),
         "exchange": lambda known: _core._partials(comm, lambda: (np.ones(1), 1, "one"))}
target = tridap.distribution(11, "c", processes=comm.size)
plan = tridap.Redistribution(tridap.asarray(given, comm), target, comm=comm)
out = tridap.zeros(target, comm=comm)
plan(given, out)
CALLS.update({"a plan": lambda known: plan(given, out), "a plan of a known one": lambda known: plan(known, out),
              "start": lambda known: plan.start(given, out)})
BEFORE = 4  # allocations of pybind11


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
            allocations, enough = BEFORE, False
            while not enough:
                raised, here = attempt(call, allocations if comm.rank == bad else -1)
                enough = comm.bcast(here, root=bad)
                same = len(set(comm.allgather(raised))) == 1  # but the report of check() is made by pybind11 alone
                assert same or name.startswith("check"), (name, allocations)
                allocations += 1
            assert allocations > BEFORE + (0 if name == "exchange" else 5), name  # an exchange allocates little
