"""What saving and loading zarr stores costs, against a loop that writes slabs of whole chunks with zarr by hand: name, ratio,
bound, ok or MISSED.

    mpiexec -n 4 python3 bench_zarr.py [MIB [ROUNDS]]

The arrays have MIB MiB (1024) over all processes, in chunks of 4 MiB without compression. The peer is in the same processes, by
turns with tridap, and its arrays are in the same slabs. Blocks along both axes are reported beside it: their elements move first.

Each of them is the best of ROUNDS (12) times, after one that is not counted. Before each, outside of the time, an earlier store is
removed and all files are written to the disk. The order differs from round to round: on a virtual machine that gives free memory
back to its host, a store that is written after such a removal takes up to six times as long, whoever writes it.
"""

import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

import numpy as np
import tridap
import zarr
from mpi4py import MPI

COMM = MPI.COMM_WORLD
MIB = int(sys.argv[1]) if len(sys.argv) > 1 else 1024
ROWS, COLUMNS, CHUNKS = MIB * 32, 4096, (128, 4096)
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 12
MISSED = []


def bound(name, value, limit=None):
    """Prints one line and remembers whether the bound holds."""
    holds = limit is None or value <= limit
    if not holds:
        MISSED.append(name)
    if COMM.rank == 0:
        print(f"{name:<52} ratio {value:6.3f}  " + (f"bound {limit:5.2f}  {'ok' if holds else 'MISSED'}" if limit else "reported"), flush=True)


def timed(function):
    COMM.Barrier()
    begin = time.perf_counter()
    function()
    COMM.Barrier()
    return COMM.allreduce(time.perf_counter() - begin, MPI.MAX)


def by_hand(path, local, start):
    """The loop: process 0 makes the array, and each process writes its slab, some chunks at a time."""
    if COMM.rank == 0:
        group = zarr.open_group(str(path), mode="w")
        if hasattr(group, "create_array"):
            group.create_array("x", shape=(ROWS, COLUMNS), chunks=CHUNKS, dtype=local.dtype, compressors=None)
        else:
            group.create_dataset("x", shape=(ROWS, COLUMNS), chunks=CHUNKS, dtype=local.dtype, compressor=None)
    COMM.Barrier()
    z = zarr.open_group(str(path), mode="r+")["x"]
    for begin in range(0, len(local), 8 * CHUNKS[0]):
        part = local[begin:begin + 8 * CHUNKS[0]]
        z[start + begin:start + begin + len(part)] = part


def read_by_hand(path, start, count):
    z = zarr.open_group(str(path), mode="r")["x"]
    local = np.empty((count, COLUMNS))
    for begin in range(0, count, 8 * CHUNKS[0]):
        end = min(count, begin + 8 * CHUNKS[0])
        local[begin:end] = z[start + begin:start + end]
    return local


def main():
    made = tempfile.mkdtemp(dir=os.environ.get("TRIDAP_BENCH_FOLDER")) if COMM.rank == 0 else None
    folder = pathlib.Path(COMM.bcast(made))
    try:
        slabs = tridap.distribution((ROWS, COLUMNS), (tridap.block(length=-(-ROWS // COMM.size // CHUNKS[0]) * CHUNKS[0]), "*"), processes=COMM.size)
        x = tridap.from_function(slabs, lambda i, j: i + 0.5 * j, comm=COMM)
        squares = x.redistribute("b,b")
        start = int(slabs.indices(COMM.rank)[0][0]) if len(x.local) else 0
        times = {name: [] for name in ("hand", "slabs", "squares", "hand read", "slabs read", "squares read")}
        ours, theirs = folder / "ours.zarr", folder / "theirs.zarr"
        stores = {"hand": theirs, "slabs": ours, "squares": ours}
        saves = {
            "hand": lambda: by_hand(theirs, x.local, start),
            "slabs": lambda: tridap.save(ours, {"x": x}, chunks=CHUNKS),
            "squares": lambda: tridap.save(ours, {"x": squares}, chunks=CHUNKS),
        }
        loads = {
            "hand read": lambda: read_by_hand(theirs, start, len(x.local)),
            "slabs read": lambda: tridap.load(ours, "x", slabs),
            "squares read": lambda: tridap.load(ours, "x", "b,b"),
        }
        for calls in saves, loads:
            for turn in range(ROUNDS + 1):
                for name in random.Random(turn).sample(list(calls), len(calls)):
                    if COMM.rank == 0:
                        if name in stores:
                            shutil.rmtree(stores[name], ignore_errors=True)
                        os.sync()
                    once = timed(calls[name])
                    if turn:
                        times[name].append(once)
        best = {name: min(each) for name, each in times.items()}
        if COMM.rank == 0:
            print(f"{MIB} MiB on {COMM.size} processes: {MIB / 1024 / best['hand']:.2f} GiB/s by hand, read {MIB / 1024 / best['hand read']:.2f} GiB/s")
        bound("save, slabs, against the loop", best["slabs"] / best["hand"], 1.15)
        bound("save, blocks along both axes, against slabs by hand", best["squares"] / best["hand"])
        bound("load, slabs, against the loop", best["slabs read"] / best["hand read"], 1.15)
        bound("load, blocks along both axes, against slabs by hand", best["squares read"] / best["hand read"])
    finally:
        COMM.Barrier()
        if COMM.rank == 0:
            shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if MISSED else 0)


if __name__ == "__main__":
    main()
