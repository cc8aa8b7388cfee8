"""killed_stores.py COUNT [PROCESSES]: programs that save zarr stores are killed COUNT times in each of the three kinds of save.

A new store, one that replaces an earlier one, and a step. Whoever opens the store then finds what was there before or what was
saved, never a mixture. With PROCESSES, the program is one of mpiexec, which takes longer to start.
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import tridap
import zarr
from tridap import _zarr_checked as checked
from tridap import _zarr_versions as versions

SHAPE, CHUNKS = (6, 8), (2, 4)
KINDS = ("new", "replaced", "step")


def saving(kind, folder, said):
    """Saves stores until this process is killed. Says in a pipe which number begins and which one is complete."""
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    if comm.rank == comm.size - 1:
        os.write(said, f"p{os.getpid()}\n".encode())
    dist = tridap.distribution(SHAPE, "c,b", processes=comm.size)
    x, y = (tridap.zeros(dist, comm=comm) for _ in range(2))
    number = comm.bcast(next_number(kind, folder) if comm.rank == 0 else None)
    end = time.monotonic() + 300  # if it is not killed, because the test itself has ended
    while comm.bcast(time.monotonic() < end):
        x.local[...], y.local[...] = number, number
        path = folder / (f"{number}.zarr" if kind == "new" else "x.zarr")
        tell(comm, said, f"b{number}")
        tridap.save(path, {"x": x, "y": y}, {"number": number}, step=number if kind == "step" else None, chunks=CHUNKS)
        tell(comm, said, f"e{number}")
        number += 1


def tell(comm, said, text):
    if comm.rank == 0:
        os.write(said, f"{text}\n".encode())


def next_number(kind, folder):
    if kind == "new":
        return max([int(path.stem) for path in folder.glob("*.zarr")], default=-1) + 1
    if not (folder / "x.zarr").exists():
        return 0
    return number_of(folder / "x.zarr") + 1


def number_of(path):
    """The attribute that each save sets."""
    return checked.nodes_of(str(path), checked.Inside(str(path)))[""].attrs["number"]


def started(kind, folder, processes):
    """A running program of one process, or of several, and the pipe in which it speaks."""
    heard, said = os.pipe()
    if processes:
        command = ["mpiexec", "-n", str(processes), sys.executable, __file__, kind, str(folder), "1"]
        child = subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL).pid
    else:
        child = os.fork()
        if child == 0:
            os.close(heard)
            try:
                saving(kind, folder, said)
            finally:
                os._exit(1)
    os.close(said)
    return child, heard


def killed(kind, folder, processes, rng):
    """Kills a process in the middle of a save. Returns the last number that began, and the last one that was complete."""
    child, heard = started(kind, folder, processes)
    with os.fdopen(heard, "rb") as pipe:
        lines = []
        while sum(line[:1] == b"b" for line in lines) == 0 or not any(line[:1] == b"p" for line in lines):
            lines.append(pipe.readline())
            if not lines[-1]:
                raise SystemExit(f"{kind}: the program ended by itself")
        begin = time.monotonic()
        while time.monotonic() < begin + rng.random() * 0.05:
            pass
        os.kill(next(int(line[1:]) for line in lines if line[:1] == b"p"), signal.SIGKILL)
        os.waitpid(child, 0)
        lines += pipe.readlines()
    numbers = {kind: [int(line[1:]) for line in lines if line[:1] == kind and line.endswith(b"\n")] for kind in (b"b", b"e")}
    began = max(numbers[b"b"])
    return began, max(numbers[b"e"], default=began - 1)


def seen_together(path):
    """The arrays by name as readers of consolidated metadata find them, such as xarray, zarr 3 and tridap."""
    nodes = checked.nodes_of(str(path), checked.Inside(str(path)))
    return {name: versions.opened(str(path), name, node.said, lambda key: None, lambda key, data: None, writes=False)
            for name, node in nodes.items() if node.is_array}


def seen_alone(path):
    """The arrays as programs open them one by one."""
    return {name: zarr.open(str(path / name), mode="r") for name in ("x", "y")}


def need(fact, *said):
    if not fact:
        raise SystemExit(f"torn: {said}")


def look(kind, folder, began, complete):
    """Raises unless each store is an old or a new one."""
    paths = sorted(folder.glob("*.zarr"), key=lambda path: (len(path.stem), path.stem))
    if kind == "new":
        need(complete < 0 or folder / f"{complete}.zarr" in paths, kind, complete, paths)
        for path in paths:
            for arrays in seen_together(path), seen_alone(path):
                need(all((array[...] == int(path.stem)).all() and array.shape == SHAPE for array in arrays.values()), kind, path)
        for path in paths[:-2]:
            shutil.rmtree(path)
        return
    if not paths:
        return need(complete < 0, kind, complete)
    for arrays in seen_together(paths[0]), seen_alone(paths[0]):
        values = {name: array[...] for name, array in arrays.items()}
        if kind == "replaced":
            found = set(np.unique(np.concatenate(list(values.values()))))
            need(len(found) == 1 and found <= {float(complete), float(began)}, kind, found, began, complete)
        else:
            for each in values.values():
                need(len(each) in (complete + 1, began + 1), kind, len(each), began, complete)
                need(all((step == n).all() for n, step in enumerate(each)), kind, each)
    if kind == "step":
        lengths = {array.shape[0] for array in seen_together(paths[0]).values()}
        need(lengths == {number_of(paths[0]) + 1}, kind, lengths, number_of(paths[0]))


def main(count, processes):
    rng = random.Random(1)
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as made:
            folder, middle = pathlib.Path(made), 0
            for _ in range(count):
                began, complete = killed(kind, folder, processes, rng)
                middle += began > complete
                look(kind, folder, began, complete)
                for left in [*folder.glob("*.part"), *folder.glob("*.old")]:
                    shutil.rmtree(left, ignore_errors=True)
                if kind == "step" and complete > 40:
                    shutil.rmtree(folder / "x.zarr")
            need(2 * middle > count, kind, "too few were killed in a save", middle)
            print(f"{kind}: killed {count} times, {middle} in a save: old or new each time")


if len(sys.argv) == 4:
    saving(sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3]))
else:
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
