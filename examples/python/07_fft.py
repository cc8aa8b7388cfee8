"""A heat equation is solved by Fourier transforms of mpi4py-fft in TriDAP's memory, and pencils are moved by TriDAP.

mpi4py-fft distributes a cube in pencils: each process has all elements along one axis, whose transforms then need no
other process. Its DistArrays and TriDAP's arrays share their memory. A transform along another axis needs other
pencils; mpi4py-fft and TriDAP both move the elements to them here, in turns, and must agree on every bit.

    ./dev example python/07_fft -n 4
    mpiexec -n 4 python3 07_fft.py [--size N] [--repeats N]

Exits with 1 if a claim does not hold. Prints:

    cube       128 x 128 x 128 points, block x block x undistributed over 2 x 2 x 1 processes
    pencils    undistributed x block x block over 1 x 2 x 2 processes
    order      ranks 0, 1, ... have the parts [0, 1, 2, 3], and [0, 2, 1, 3] of the pencils
    memory     0 bytes copied, addresses equal on every process
    heat       largest difference 3.4e-15 of 1.0e-12 allowed after one step
    moved      32.0 MiB, 20 times there and back, every bit equal
    times      4.48 ms by TriDAP, 7.03 ms by mpi4py-fft; median ratio 0.65
"""

import support

support.need("mpi4py_fft", debian="python3-mpi4py-fft")

import numpy as np
import tridap
from mpi4py import MPI
from mpi4py_fft import PFFT, DistArray, newDistArray
from tridap import mpi4py_fft as fft

options = support.read_options(__doc__, size=(128, "points along a side"), repeats=(20, "of the moves that are timed"))
comm, n = MPI.COMM_WORLD, options.size
plan = PFFT(comm, (n, n, n), dtype=float)
first = plan.pencil[False]
second = first.pencil(0 if first.axis else 1)  # the pencils along another axis

# 1. Arrays of TriDAP with the distributions of the pencils. mpi4py-fft swaps two axes of the process grid, so rank r
#    may not have part r: export_array finds the order out, and its result has a communicator with this order.
like = [fft.export_array(DistArray((n, n, n), pencil.subcomm, alignment=pencil.axis)) for pencil in (first, second)]
x, y = (tridap.zeros(array.distribution, comm=array.comm) for array in like)
support.say("cube", f"{n} x {n} x {n} points, {x.distribution.describe()}")
support.say("pencils", y.distribution.describe())
parts = [comm.allgather(array.process) for array in (x, y)]
support.say("order", f"ranks 0, 1, ... have the parts {parts[0]}, and {parts[1]} of the pencils")

# 2. mpi4py-fft transforms in the memory of x, which has one wave.
i, j, k = np.ix_(*x.distribution.indices(x.process))
x.local[...] = wave = np.cos(2 * np.pi * (i + 2 * j + 3 * k) / n)
u, hat = fft.import_array(x, first), newDistArray(plan, True)
spectrum = fft.export_array(hat)
equal = x.local.ctypes.data == u.ctypes.data and spectrum.local.ctypes.data == hat.ctypes.data
equal, copied = comm.allreduce(equal, MPI.LAND), comm.allreduce(spectrum.receipt.bytes_copied)
support.say("memory", f"{copied} bytes copied, addresses {'equal' if equal else 'NOT equal'} on every process")
support.require(equal and copied == 0, "mpi4py-fft does not have the memory of the array")

# 3. One step of the heat equation: each Fourier coefficient decays as the square of its wave number says.
plan.forward(u, hat)
numbers = [np.minimum(index, n - index) for index in spectrum.distribution.indices(spectrum.process)]
spectrum.local[...] *= np.exp(-0.01 * sum(number**2 for number in np.ix_(*numbers)))
plan.backward(hat, u)
apart = comm.allreduce(np.abs(x.local - np.exp(-0.01 * (1 + 4 + 9)) * wave).max(initial=0), MPI.MAX)
support.say("heat", f"largest difference {apart:.1e} of 1.0e-12 allowed after one step")
support.require(apart <= 1e-12, "the wave did not decay as it must")

# 4. Both libraries move the elements to the other pencils and back, in turns.
move = tridap.Redistribution(x, y)
back = move.reversed()
moved = move(x)  # in memory that the processes share, which is the fastest way
again = back(moved)
transfer = first.transfer(second, float)  # which DistArray.redistribute makes for each call
v, w = fft.import_array(y, second), newDistArray(plan, False)
times = support.in_turns(options.repeats, lambda: (move(x, moved), back(moved, again)),
                         lambda: (transfer.forward(u, v), transfer.backward(v, w)))
transfer.destroy()
same = all(np.array_equal(ours, others) for ours, others in ((moved.local, v), (again.local, w), (again.local, u)))
support.say("moved", f"{2 * 8 * n**3 / 2**20:.1f} MiB, {options.repeats} times there and back, "
            f"{'every bit equal' if same else 'NOT equal'}")
support.require(same, "TriDAP and mpi4py-fft moved the elements to different places")
ours, others = np.median(times, axis=0) * 1e3
ratio = np.median(times[:, 0] / times[:, 1])
support.say("times", f"{ours:.2f} ms by TriDAP, {others:.2f} ms by mpi4py-fft; median ratio {ratio:.2f}")
