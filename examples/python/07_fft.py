"""A heat equation is solved by Fourier transforms of mpi4py-fft in TriDAP's memory, and pencils are moved by TriDAP.

mpi4py-fft distributes a cube in pencils: each process has all elements along one axis, whose transforms then need no other
process. Its DistArrays and TriDAP's arrays share their memory. A transform along another axis needs other pencils; mpi4py-fft
and TriDAP both move the elements to them here, in turns, and must agree on every bit.

    ./dev example python/07_fft -n 4
    mpiexec -n 4 python3 07_fft.py [--size N] [--repeats N]

Exits with 1 if a claim does not hold. Prints:

    cube       64 x 64 x 64 points, block x block x undistributed over 2 x 2 x 1 processes
    memory     0 bytes copied, addresses equal on every process
    heat       largest difference 1.6e-15 of 1.0e-12 allowed after one step
    pencils    block x block x undistributed over 2 x 2 x 1 processes -> undistributed x block x block over 1 x 2 x 2 processes
    order      ranks 0 1 2 3 have the parts 0 2 1 3 of the second pencils
    moved      4.1 MiB, 20 times there and back, every bit equal
    times      2.51 ms by TriDAP, 6.82 ms by mpi4py-fft; median ratio 0.37
"""

import support

support.need("mpi4py_fft", debian="python3-mpi4py-fft")

import time

import numpy as np
import tridap
from mpi4py import MPI
from mpi4py_fft import PFFT, DistArray, newDistArray
from tridap import mpi4py_fft as fft

options = support.read_options(__doc__, size=(128, "points along a side"), repeats=(20, "of the moves that are timed"))
comm, n = MPI.COMM_WORLD, options.size
plan = PFFT(comm, (n, n, n), dtype=float)
x = tridap.zeros(fft.export_array(newDistArray(plan, False)).distribution)


def wave(i, j, k, factor=1.0):
    """One wave, which the heat equation multiplies by a known factor."""
    return factor * np.cos(2 * np.pi * (i + 2 * j + 3 * k) / n)


# 1. The array is TriDAP's, and so is its memory. mpi4py-fft transforms in it.
i, j, k = np.ix_(*x.distribution.indices(x.process))
x.local[...] = wave(i, j, k)
u, hat = fft.import_array(x, plan.pencil[False]), newDistArray(plan, True)
spectrum = fft.export_array(hat)
support.say("cube", f"{n} x {n} x {n} points, {x.distribution.describe()}")
equal = x.local.ctypes.data == u.ctypes.data and spectrum.local.ctypes.data == hat.ctypes.data
copied = comm.allreduce(spectrum.receipt.bytes_copied)
support.say("memory", f"{copied} bytes copied, addresses {'equal' if equal else 'NOT equal'} on every process")
support.require(equal and copied == 0, "mpi4py-fft does not have the memory of the array")

# 2. One step of the heat equation: each Fourier coefficient decays as the square of its wave number says.
plan.forward(u, hat)
numbers = [np.minimum(index, n - index) for index in spectrum.distribution.indices(spectrum.process)]
spectrum.local[...] *= np.exp(-0.01 * sum(number**2 for number in np.ix_(*numbers)))
plan.backward(hat, u)
apart = comm.allreduce(np.abs(x.local - wave(i, j, k, np.exp(-0.01 * (1 + 4 + 9)))).max(initial=0), MPI.MAX)
support.say("heat", f"largest difference {apart:.1e} of 1.0e-12 allowed after one step")
support.require(apart <= 1e-12, "the wave did not decay as it must")

# 3. The same elements in pencils along another axis. mpi4py-fft swaps two axes of the process grid, so rank r no longer has
#    part r; export_array finds the order out, and gives the array a communicator with this order.
first = plan.pencil[False]
second = first.pencil(0 if first.axis else 1)
theirs = DistArray(x.shape, subcomm=second.subcomm, alignment=second.axis)
there = tridap.zeros(fft.export_array(theirs).distribution, comm=fft.grid_communicator(theirs))
move = tridap.Redistribution(x, there)
back = move.reversed()
support.say("pencils", f"{x.distribution.describe()} -> {there.distribution.describe()}")
support.say("order", f"ranks {' '.join(map(str, range(comm.size)))} have the parts "
            f"{' '.join(map(str, comm.allgather(there.process)))} of the second pencils")

# 4. Both move the elements there and back, in turns.
transfer = first.transfer(second, float)  # which DistArray.redistribute makes for each call
returned, ratios, times = newDistArray(plan, False), [], []
mine = move(x)  # in memory that the processes share, which is the fastest way
again = back(mine)


def by_tridap():
    move(x, mine)
    back(mine, again)


def by_mpi4py_fft():
    transfer.forward(u, theirs)
    transfer.backward(theirs, returned)


for _ in range(options.repeats):
    taken = []
    for run in by_tridap, by_mpi4py_fft:
        comm.Barrier()
        begin = time.perf_counter()
        run()
        taken.append(comm.allreduce(time.perf_counter() - begin, MPI.MAX))
    times.append(taken)
    ratios.append(taken[0] / taken[1])
transfer.destroy()
same = all(np.array_equal(ours, others) for ours, others in ((mine.local, theirs), (again.local, returned), (again.local, u)))
support.say("moved", f"{2 * 8 * n**3 / 2**20:.1f} MiB, {options.repeats} times there and back, "
            f"{'every bit equal' if same else 'NOT equal'}")
support.require(same, "TriDAP and mpi4py-fft moved the elements to different places")
ours, others = np.median(times, axis=0) * 1e3
support.say("times", f"{ours:.2f} ms by TriDAP, {others:.2f} ms by mpi4py-fft; median ratio {np.median(ratios):.2f}")
