"""A process that leaves a Session's block by an exception waits for nobody, and all goes on."""

from mpi4py import MPI
from tridap import globalarrays as ga

COMM = MPI.COMM_WORLD
left = False
try:
    with ga.Session():
        if COMM.rank == 0:
            raise ValueError
        COMM.Barrier()
except ValueError:
    left = True
    COMM.Barrier()
assert left == (COMM.rank == 0)
with ga.Session():
    assert ga.held() == 0
print("left")
