"""Saves the Jacksboro terrain for ParaView: terrain.h5, and terrain.xdmf beside it.

    mpiexec -n 4 python3 docs/pictures/paraview/terrain_file.py FOLDER

terrain.py draws a picture of it.
"""

import pathlib
import sys

import numpy as np
import tridap
from mpi4py import MPI

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "examples/python"))
import support  # noqa: E402

comm, folder = MPI.COMM_WORLD, pathlib.Path(sys.argv[1])
grid = support.Grid(support.JACKSBORO)
layout = tridap.distribution(grid.shape, "b,b")
rows, cols = layout.indices(comm.rank)
height = grid.read(rows, cols)

place = np.empty((*height.shape, 3))
place[..., 0] = grid.dx * cols            # x is to the east
place[..., 1] = -grid.dy * rows[:, None]  # y is to the north, where row 0 is
place[..., 2] = height                    # z
places = tridap.distribution((*grid.shape, 3), "b,b,*", (*layout.grid, 1))
owner = np.full(height.shape, comm.rank, "i4")

tridap.save(folder / "terrain.h5",
            {"height": tridap.array(height, layout), "process": tridap.array(owner, layout), "place": tridap.array(place, places)},
            xdmf=True, coordinates=("place",))
