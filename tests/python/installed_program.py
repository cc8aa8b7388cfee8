"""What a wheel is used for: an array of another library, moved, saved and loaded, and a system solved.

    mpiexec -n N python installed_program.py PREFIX COMPONENTS    with the components that tridap must have, as "hdf5,solvers"
"""

import importlib.util
import pathlib
import sys
import tempfile

import numpy
import tridap
from mpi4py import MPI

comm = MPI.COMM_WORLD
prefix, wanted = sys.argv[1], {name for name in sys.argv[2].split(",") if name}
assert tridap.__file__.startswith(prefix), f"{tridap.__file__} is not in {prefix}"
assert not any(importlib.util.find_spec(name) for name in ("scipy", "pytest", "h5py")), "more than mpi4py and numpy is seen"
built = {name for name, component in tridap.components().items() if component.built}
assert wanted <= built, f"without {wanted - built}"


class Theirs:
    """An array of another library: blocks of rows of numbers i + j."""

    def __init__(self, rows, columns):
        start, stop = (comm.rank * rows // comm.size, (comm.rank + 1) * rows // comm.size)
        self.local = numpy.add.outer(numpy.arange(float(start), stop), numpy.arange(float(columns)))
        self.dim_data = ({"dist_type": "b", "size": rows, "proc_grid_size": comm.size, "proc_grid_rank": comm.rank, "start": start,
                          "stop": stop}, {"dist_type": "b", "size": columns, "proc_grid_size": 1, "proc_grid_rank": 0, "start": 0,
                                          "stop": columns})

    def __distarray__(self):
        return {"__version__": "0.10.0", "buffer": self.local, "dim_data": self.dim_data}


theirs = Theirs(17, 3)
x = tridap.asarray(theirs, comm)
assert numpy.shares_memory(x.local, theirs.local)
dealt = x.redistribute(tridap.distribution((17, 3), "c:2,*", processes=comm.size))
whole = numpy.add.outer(numpy.arange(17.0), numpy.arange(3.0))
assert (dealt.allgather() == whole).all() and dealt.sum() == whole.sum()

if "hdf5" in wanted:
    made = tempfile.TemporaryDirectory() if comm.rank == 0 else None
    path = pathlib.Path(comm.bcast(made.name if made else None)) / "x.h5"
    tridap.save(path, {"x": dealt})
    assert (tridap.load(path, "x", to=x.distribution, comm=comm).local == x.local).all()
    comm.Barrier()
    if made:
        made.cleanup()

if "solvers" in wanted:
    rows = tridap.distribution(12, processes=comm.size)
    numbers = tridap.from_function(rows, lambda i: i, dtype=float, comm=comm)
    n = numbers.local.size
    matrix = tridap.Matrix((numpy.full(n, 2.0), numbers.local.astype(int), numpy.arange(n + 1)), rows, comm=comm)
    answer = tridap.solve(matrix, 2.0 * numbers).x
    assert numpy.allclose(answer.local, numbers.local)

print(f"process {comm.rank} of {comm.size}: tridap {tridap.__version__} with NumPy {numpy.__version__}")
