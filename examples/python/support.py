"""Functions that the Python examples share: terrain files and pictures, rows of a matrix, claims that must hold."""

import argparse
import contextlib
import importlib.util
import math
import os
import pathlib
import sys
import time

import numpy as np
import scipy.sparse
import tridap
from mpi4py import MPI

WORLD = MPI.COMM_WORLD
JACKSBORO = pathlib.Path(__file__).resolve().parent.parent / "data" / "jacksboro.asc"


def say(name, text):
    """Prints a line of the summary, on process 0 only."""
    if WORLD.rank == 0:
        print(f"{name:<10} {text}", flush=True)


def require(holds, fault):
    """Ends every process with status 1 if a claim does not hold on one of them. Collective."""
    if not WORLD.allreduce(bool(holds), MPI.LAND):
        fail(fault)


def fail(fault):
    if WORLD.rank == 0:
        print(f"{pathlib.Path(sys.argv[0]).stem}: {fault}", file=sys.stderr, flush=True)
    sys.exit(1)


def need(*modules, debian):
    """Ends every process with status 1 and one sentence, unless all modules are installed on every process. Collective.

    It does not import them, because that may communicate.
    """
    absent = [module for module in modules if importlib.util.find_spec(module) is None]
    first = next((module for missing in WORLD.allgather(absent) for module in missing), None)
    if first is not None:
        fail(f"this example needs the Python module {first}: apt-get install {debian}")


def together(function, *arguments):
    """Returns what a function returns. If the function raises on one process, ends all processes. Collective."""
    result = fault = None
    try:
        result = function(*arguments)
    except Exception as error:
        fault = f"{error}"
    faults = [text for text in WORLD.allgather(fault) if text is not None]
    if faults:
        fail(faults[0])
    return result


def refused(function, *arguments):
    """Returns the message of the error that a call raises, which must be the same on every process. Collective."""
    words = None
    try:
        function(*arguments)
    except tridap.ProtocolError as error:
        words = str(error)
    require(words is not None, "the wrong call did not raise an error on every process")
    require(len(set(WORLD.allgather(words))) == 1, "the error messages differ between processes")
    return words


def on_first(function):
    """Calls a function on process 0 only. Collective."""
    together(lambda: function() if WORLD.rank == 0 else None)


def in_turns(repeats, *functions):
    """Calls functions in turns. Returns a row of their times for each turn: seconds of the slowest process. Collective."""
    times = np.empty((repeats, len(functions)))
    for turn in times:
        for number, function in enumerate(functions):
            WORLD.Barrier()
            begin = time.perf_counter()
            function()
            turn[number] = time.perf_counter() - begin
    WORLD.Allreduce(MPI.IN_PLACE, times, MPI.MAX)
    return times


def read_options(doc, **known):
    """Returns the command line's options. `known` has each option's default and help text. Numbers are positive. Collective.

    If the command line is wrong, process 0 prints the error, and all processes end with status 2.
    """

    def positive(kind):
        def number(text):
            if not 0 < kind(text) < math.inf:
                raise ValueError
            return kind(text)

        number.__name__ = f"positive {kind.__name__}"  # as argparse calls it
        return number

    parser = argparse.ArgumentParser(description=doc.splitlines()[0],
                                     formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for name, (default, what) in known.items():
        kind = type(default)
        parser.add_argument("--" + name, default=default, help=what,
                            type=positive(kind) if kind in (int, float) else kind)
    with contextlib.ExitStack() as silence:
        if WORLD.rank != 0:
            nowhere = silence.enter_context(open(os.devnull, "w"))
            silence.enter_context(contextlib.redirect_stdout(nowhere))
            silence.enter_context(contextlib.redirect_stderr(nowhere))
        return parser.parse_args()


def tell_solves(results, tolerance):
    """Prints the iterations and residuals of some solves. Residuals must not exceed the tolerance. Collective."""
    residual = max(result.residual for result in results)
    say("iterations", f"{sum(result.iterations for result in results)} in all, largest residual {residual:.1e} of the "
        "right-hand side")
    say("solve", f"{sum(result.seconds for result in results):.3f} s in {len(results)} solves")
    require(residual <= tolerance, "a residual is too large")


def tell_copies(results, pairs):
    """Prints what solves copied. The arrays of each pair, passed and returned, must be the same memory. Collective."""
    copied = WORLD.allreduce(sum(result.bytes_copied for result in results))
    equal = WORLD.allreduce(all(a.size == 0 or a.ctypes.data == b.ctypes.data for a, b in pairs), MPI.LAND)
    say("field", f"{copied} bytes copied, addresses {'equal' if equal else 'NOT equal'} on every process")
    require(copied == 0 and equal, "the solver did not work in the memory that it was given")


def solved_by_mumps(A, values):
    """This process's part of the solution for a ``petsc4py.PETSc.Mat``, and the seconds. Collective."""
    from petsc4py import PETSc

    begin = time.perf_counter()
    solver = PETSc.KSP().create(A.comm)
    solver.setOperators(A)
    solver.setType("preonly")
    solver.getPC().setType("lu")
    solver.getPC().setFactorSolverType("mumps")
    x, b = A.createVecs()
    b.array[...] = values
    solver.solve(b, x)
    return x.array, time.perf_counter() - begin


def five_point_rows(rows, cols, shape, ky, kx):
    """This process's rows of ``I - ky D2y - kx D2x`` with no flux through the edges, as a scipy.sparse matrix.

    `rows` and `cols` are the global indices on this process along each axis. Cell (i, j) has the number
    ``i * shape[1] + j``. The rows are in the order of ``numpy.ravel``.
    """
    i, j = (index.ravel() for index in np.meshgrid(rows, cols, indexing="ij"))
    here, cell = np.arange(i.size), i * shape[1] + j
    entries = [(here, cell, np.ones(i.size))]
    for exists, step, k in ((i > 0, -shape[1], ky), (i < shape[0] - 1, shape[1], ky), (j > 0, -1, kx),
                            (j < shape[1] - 1, 1, kx)):
        flux = np.full(np.count_nonzero(exists), float(k))
        entries += [(here[exists], cell[exists] + step, -flux), (here[exists], cell[exists], flux)]
    row, column, value = (np.concatenate(parts) for parts in zip(*entries))
    return scipy.sparse.csr_matrix((value, (row, column)), shape=(i.size, shape[0] * shape[1]))


class Grid:
    """An ESRI ASCII grid of elevations in metres. `dx` and `dy` are the lengths of a cell's sides on WGS 84, in metres."""

    def __init__(self, path):
        self.path = path
        with open(path) as file:
            header = {key.lower(): float(value) for key, value in (next(file).split() for _ in range(6))}
        self.shape = int(header["nrows"]), int(header["ncols"])
        self.nodata = header["nodata_value"]
        size = math.radians(header["cellsize"])
        latitude = math.radians(header["yllcorner"]) + 0.5 * self.shape[0] * size
        a, e2 = 6378137.0, 0.00669437999014  # semi-major axis, metres; eccentricity squared
        curvature = 1 - e2 * math.sin(latitude) ** 2
        self.dx = size * a * math.cos(latitude) / math.sqrt(curvature)
        self.dy = size * a * (1 - e2) / curvature**1.5

    def read(self, rows, cols):
        """Returns the elevations of consecutive rows and columns. Row 0 is the northernmost."""
        if len(rows) == 0 or len(cols) == 0:
            return np.empty((len(rows), len(cols)))
        field = np.loadtxt(self.path, skiprows=6 + int(rows[0]), max_rows=len(rows), usecols=cols.tolist(), ndmin=2)
        if field.shape != (len(rows), len(cols)) or not np.isfinite(field).all() or (field == self.nodata).any():
            raise ValueError(f"{self.path}: rows {rows[0]} to {rows[-1]} have cells without an elevation")
        return field


def terrain_colours():
    """The colours from valleys to bare rock."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("", ["#5c8c78", "#8fad7a", "#d1c98f", "#c7a16e", "#9c7863", "#ede8e6"])


def hillshade(field, grid, lowest, highest):
    """Returns the colours of a terrain lit from the north-west, 45 degrees above the horizon; slopes are doubled."""
    color = terrain_colours()((field - lowest) / max(highest - lowest, 1e-300))[..., :3]
    south, east = np.gradient(2 * field, grid.dy, grid.dx)
    light = np.maximum(0, 1 + math.sqrt(0.5) * (south + east)) / np.sqrt(1 + south**2 + east**2)  # 1 on flat ground
    light = light[..., np.newaxis]
    dark, pale = color * [0.12, 0.15, 0.28], np.array([1, 1, 0.97])
    return np.where(light < 1, dark + light * (color - dark), color + 1.3 * (light - 1) * (pale - color)).clip(0, 1)


def draw_before_after(path, grid, before, after, layout, label="elevation (m)"):
    """Draws two terrains side by side, with one colour scale, and lines at the borders between processes."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import cm, colors, patheffects, pyplot

    lowest, highest = min(before.min(), after.min()), max(before.max(), after.max())
    figure, panels = pyplot.subplots(1, 2, figsize=(12, 6.6), layout="constrained", facecolor="#fafaf7")
    rim = [patheffects.withStroke(linewidth=2.2, foreground="white", alpha=0.6)]
    for panel, field, name in zip(panels, (before, after), ("before", "after")):
        panel.imshow(hillshade(field, grid, lowest, highest), aspect=grid.dy / grid.dx, interpolation="bilinear")
        panel.set_title(name, loc="left")
        panel.set_axis_off()
        for axis, draw in enumerate((panel.axhline, panel.axvline)):
            for start in inner_starts(layout, axis):
                draw(start - 0.5, color="black", linewidth=0.8, path_effects=rim)
    heights = cm.ScalarMappable(colors.Normalize(lowest, highest), terrain_colours())
    figure.colorbar(heights, ax=panels, label=label, shrink=0.8, pad=0.02)
    figure.savefig(path, dpi=120, bbox_inches="tight")
    pyplot.close(figure)


def inner_starts(layout, axis):
    """The first global index of each process along an axis in blocks, except of the first process."""
    places = [[0, 0] for _ in range(1, layout.grid[axis])]
    for number, place in enumerate(places, 1):
        place[axis] = number
    firsts = (layout.indices(int(np.ravel_multi_index(place, layout.grid)))[axis] for place in places)
    return [int(indices[0]) for indices in firsts if indices.size]
