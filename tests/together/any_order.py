"""mpi4py, petsc4py, tridap and tridap.globalarrays in one program, imported in the order that the argument names.

    mpiexec -n 2 tridap-python any_order.py GPTM

One memory then goes from PETSc to Trilinos, from Global Arrays to PETSc, and both are used from NumPy.
"""

import importlib
import sys

for letter in sys.argv[1]:
    importlib.import_module({"M": "mpi4py.MPI", "P": "petsc4py.PETSc", "T": "tridap", "G": "tridap.globalarrays"}[letter])

import numpy as np
import tridap
from mpi4py import MPI
from petsc4py import PETSc
from scipy.sparse import eye
from tridap import globalarrays, petsc

comm = MPI.COMM_WORLD


def run():
    vec = PETSc.Vec().createMPI((4, PETSc.DETERMINE))
    vec.set(3.0)
    b = petsc.export_array(vec)
    layout = b.distribution
    x = globalarrays.allocate(layout)
    tridap.solve(tridap.Matrix(2 * eye(4, layout.shape[0], k=4 * comm.rank).tocsr(), b), b, x)
    assert np.array_equal(x.local, np.full(4, 1.5))
    seen, receipt = petsc.import_array(x)
    assert receipt.bytes_copied == 0 and seen.sum() == 6.0 * comm.size
    seen.scale(2.0)
    assert np.array_equal(x.local, np.full(4, 3.0)) and x.sum() == 12.0 * comm.size
    seen.destroy()
    vec.destroy()


with globalarrays.Session():
    run()
