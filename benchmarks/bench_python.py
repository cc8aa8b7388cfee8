"""What tridap costs in Python, against C++ or NumPy called by hand: name, ratio (or microseconds), bound, ok or MISSED.

    mpiexec -n 2 python3 bench_python.py LIBSOLVE_PEER

The peer is C++ in the same processes, by turns with tridap's: the examples' own solver on the same matrix and memory, and
a Redistribution of the same source.
"""

import ctypes
import gc
import os
import sys
import time

import numpy as np
from mpi4py import MPI

import tridap

COMM = MPI.COMM_WORLD
MISSED = []


def bound(name, value, limit, unit="ratio"):
    """Prints one line and remembers whether the bound holds."""
    holds = value <= limit
    if not holds:
        MISSED.append(name)
    if COMM.rank == 0:
        print(f"{name:<52} {unit} {value:6.3f}  bound {limit:5.2f}  {'ok' if holds else 'MISSED'}", flush=True)


def shortest(ours, theirs, samples, calls=1):
    """The shortest times of a call of both, in seconds of the slowest process; their samples alternate. Collective."""
    def seconds(work):
        COMM.Barrier()
        begin = time.perf_counter()
        for _ in range(calls):
            work()
        return COMM.allreduce(time.perf_counter() - begin, MPI.MAX) / calls

    pairs = [(seconds(ours), seconds(theirs)) if i % 2 else (seconds(theirs), seconds(ours))[::-1]
             for i in range(samples)]
    return [min(times) for times in zip(*pairs)]


def samples_of_short_calls():
    """With more processes than cores, a sample also lasts as long as the system lets others run: few are undisturbed."""
    return 60 if COMM.size <= len(os.sched_getaffinity(0)) else 240


class Producer:
    """An object that implements the protocol without tridap."""

    def __init__(self, field):
        size, = field.shape
        self.dictionary = {"__version__": "0.10.0", "buffer": field, "dim_data": (
            {"dist_type": "b", "size": size, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0, "stop": size},)}

    def __distarray__(self):
        return self.dictionary


def in_and_out(producer, calls=2000):
    begin = time.perf_counter()
    for _ in range(calls):
        tridap.asarray(producer).__distarray__()
    return (time.perf_counter() - begin) / calls


def conversions():
    small, large = Producer(np.zeros(10**3)), Producer(np.empty(10**8))
    samples = [(in_and_out(small), in_and_out(large)) for _ in range(30)]
    few, many = (min(times) for times in zip(*samples))
    bound("asarray and __distarray__, 10^3 elements", few * 1e6, 10, "us   ")
    bound("asarray and __distarray__, 10^8 elements", many * 1e6, 10, "us   ")
    bound("asarray and __distarray__, 10^8 against 10^3", many / few, 1.2)


def five_points(dist, k):
    """This process's rows of I - k * Laplace without flux through the edges, as CSR arrays of global columns."""
    rows, cols = dist.shape
    i, j = (g.ravel() for g in np.meshgrid(*dist.indices(COMM.rank), indexing="ij"))
    exists = np.stack([np.ones(i.size, bool), i > 0, i + 1 < rows, j > 0, j + 1 < cols], axis=1)
    columns = (i * cols + j)[:, None] + np.array([0, -cols, cols, -1, 1])
    values = np.full(exists.shape, -k)
    values[:, 0] = 1 + k * exists[:, 1:].sum(axis=1)
    starts = np.concatenate([[0], np.cumsum(exists.sum(axis=1))])
    return values[exists], columns[exists], starts


class Peer:
    """The C++ solver on the same rows."""

    def __init__(self, library, dist, k):
        self.library = ctypes.CDLL(library)
        self.library.peer_new.restype = ctypes.c_void_p
        start, stop = (int(g) for g in (lambda r: (r[0], r[-1] + 1))(dist.indices(COMM.rank)[0]))
        self.place = [ctypes.c_void_p(MPI._addressof(COMM)), *map(ctypes.c_int64, (*dist.shape, start, stop))]
        field = np.zeros(dist.local_shape(COMM.rank))
        self.handle = ctypes.c_void_p(self.library.peer_new(*self.place, ctypes.c_double(k), self.pointer(field)))

    @staticmethod
    def pointer(field):
        return ctypes.c_void_p(field.ctypes.data)

    def solve(self, b, x):
        return self.library.peer_solve(self.handle, *self.place, self.pointer(b), self.pointer(x))


# The MueLu parameters of solve_peer.cpp.
MULTIGRID = {"verbosity": "none", "smoother: type": "CHEBYSHEV", "coarse: type": "CHEBYSHEV", "coarse: max size": 2000,
             "coarse: params": {"chebyshev: degree": 1}}


def peak_growth(work):
    """Returns the growth of this process's peak resident memory during `work`, in bytes."""
    def read(key):
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) << 10 for line in status if line.startswith(key))

    gc.collect()
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # the peak begins anew
    before = read("VmRSS")
    work()
    return read("VmHWM") - before


def solves(library, k=50.0, samples=12):
    size = int(700 * COMM.size**0.5)  # as many elements on each process
    dist = tridap.distribution((size, size), ("b", "*"), grid=(COMM.size, 1))
    b = tridap.from_function(dist, lambda i, j: np.sin(0.01 * i) + np.cos(0.03 * j))
    x, y = tridap.zeros(dist), tridap.zeros(dist)
    matrix, peer = tridap.Matrix(five_points(dist, k), dist), Peer(library, dist, k)
    found = {}

    def ours():
        x.local[...] = 0
        found["ours"] = tridap.solve(matrix, b, x, preconditioner="muelu", tol=1e-12, progress=False,
                                     preconditioner_options=MULTIGRID).iterations

    def theirs():
        y.local[...] = 0
        found["theirs"] = peer.solve(b.local, y.local)

    ours(), theirs()
    here, there = shortest(ours, theirs, samples)
    assert np.allclose(x.local, y.local, rtol=0, atol=1e-9), "the two solvers disagree"
    if COMM.rank == 0:
        print(f"    {size} x {size}, CG + MueLu to 1e-12: {found['ours']} iterations here, {found['theirs']} there")
    bound(f"solve of {size} x {size} against C++", here / there, 1.10)
    field = b.local.nbytes
    grew = [peak_growth(work) / field for work in (ours, theirs)]
    if COMM.rank == 0:
        print(f"    peak memory grows by {grew[0]:.1f} fields in tridap.solve, by {grew[1]:.1f} in C++")
    bound("fields of memory more than in C++", grew[0] - grew[1], 0.1, "     ")


class Mover:
    """A plan from rows to columns in Python, and the same one in C++, which moves the same rows."""

    def __init__(self, library, size):
        rows = tridap.distribution((size, size), "b,*", grid=(COMM.size, 1))
        columns = tridap.distribution((size, size), "*,b", grid=(1, COMM.size))
        self.x = tridap.from_function(rows, lambda i, j: 1e4 * i + j)
        self.plan = tridap.Redistribution(rows, columns, comm=COMM)
        self.out = self.plan(self.x)
        self.library = ctypes.CDLL(library)
        self.library.mover_new.restype = ctypes.c_void_p
        self.library.mover_target.restype = ctypes.POINTER(ctypes.c_double)
        self.peer = ctypes.c_void_p(self.library.mover_new(
            ctypes.c_void_p(MPI._addressof(COMM)), ctypes.c_int64(size), ctypes.c_void_p(self.x.local.ctypes.data)))

    def fill(self):
        self.plan(self.x, self.out)

    def make(self):
        self.out = None
        self.out = self.plan(self.x)

    def peer_fills(self):
        self.library.mover_fill(self.peer)

    def peer_makes(self):
        self.library.mover_make(self.peer)

    def check(self):
        theirs = np.ctypeslib.as_array(self.library.mover_target(self.peer), self.out.local.shape)
        assert np.array_equal(self.out.local, theirs), "the two moves disagree"

    def times(self, ours, theirs, calls, samples):
        ours(), theirs()
        self.check()
        return shortest(ours, theirs, samples, calls)


def moves(library):
    large, tiny = Mover(library, 4096), Mover(library, 4)
    for name, pick in (("into an array", lambda m: (m.fill, m.peer_fills)), ("new array", lambda m: (m.make, m.peer_makes))):
        here, there = large.times(*pick(large), 1, samples_of_short_calls())
        bound(f"plan, 4096 x 4096, {name}, against C++", here / there, 1.05)
        here, there = tiny.times(*pick(tiny), 500, 20)
        if COMM.rank == 0:
            print(f"    4 x 4, {name}: {here * 1e6:.1f} us here, {there * 1e6:.1f} us in C++")
        bound(f"plan, 4 x 4, {name}, more than C++", (here - there) * 1e6, 30, "us   ")


def reductions(elements=4 * 10**6):
    """sum and dot against NumPy on the local parts and one reduction."""
    dist = tridap.distribution((COMM.size, elements // 1000, 1000), ("b", "*", "*"), processes=COMM.size)
    x = tridap.from_function(dist, lambda i, j, k: np.sin(i + 0.1 * j + 0.01 * k))
    y = x + 1
    of_x, of_y = x.local, y.local
    calls = {"sum": (x.sum, lambda: COMM.allreduce(np.sum(of_x))),
             "dot": (lambda: x.dot(y), lambda: COMM.allreduce(np.dot(of_x.reshape(-1), of_y.reshape(-1))))}

    for name, (ours, theirs) in calls.items():
        assert np.isclose(ours(), theirs())
        here, there = shortest(ours, theirs, samples_of_short_calls())
        bound(f"{name} of {elements} elements on each process", here / there, 1.1)


if __name__ == "__main__":
    if COMM.size == 1:
        conversions()
    moves(sys.argv[1])
    reductions()
    solves(sys.argv[1])
    sys.exit(1 if MISSED else 0)
